"""How a figure settled as more was played, with a funnel that holds at all its points together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...sim.journal import prefix, whole_parts
from ...sim.manifest import Manifest
from ...sim.observe import play_of
from ..screen import percent
from ..sequential import look_counts
from .page import COUNT, LINES, Chart, Column, Line, Table

FIRST = 1000
"""Games from which on the intervals hold."""
STEP = 1.15
"""Least ratio of the numbers of games at two points that follow each other."""

Point = tuple[int, float, float, float]
"""Number of games or observations, estimate, and interval."""


def history(folder: Path, manifest: Manifest) -> Iterator[tuple[int, Any]]:
    """Yield the counts of the first games of a saved run, more and more of them.

    They are known at the end of each saved chunk. The first chunk is played again in parts, by
    which early points are had as well, the same whatever is kept.

    Parameters
    ----------
    folder : Path
    manifest : Manifest
        Of the folder; its kernels are ready.

    Yields
    ------
    (int, Counts or Observations)
        How many games, or observations, and their counts.
    """
    parts = prefix(whole_parts(folder, manifest.read_counts, check=False), manifest.first)
    if not parts:
        return
    counts = manifest.no_counts
    play, at, last = play_of(manifest.plan), manifest.first, 0
    for games in look_counts(parts[0].stop - manifest.first):
        stop = manifest.first + games
        if stop >= parts[0].stop:
            break
        chunk = play(manifest.plan, at, stop, False)
        assert chunk is not None  # nobody asks it to stop
        counts = counts + chunk.counts
        at, last = stop, games
        yield games, counts
    counts = manifest.no_counts
    for part in parts:
        counts = counts + part.counts
        games = part.stop - manifest.first
        if games >= FIRST and (games >= last * STEP or part is parts[-1]):
            last = games
            yield games, counts


def funnel(
    name: str,
    title: str,
    says: str,
    points: Sequence[Point],
    axis: str,
    many: str,
    level: float,
    *,
    places: int,
    lines: tuple[Line, ...] = (),
    band: tuple[float, float] | None = None,
) -> Chart:
    """Return a chart of a figure by the number of games played.

    Parameters
    ----------
    name, title, says : str
    points : sequence of Point
        Already in the units that are shown.
    axis : str
        What the figure is, with its unit.
    many : str
        What was played: matches, deals.
    level : float
    places : int
        Decimals.
    lines : tuple of Line
    band : (float, float), optional
    """
    return Chart(
        LINES,
        name,
        title,
        says,
        Table(
            title,
            (
                Column("games", many, form=COUNT),
                Column("value", "so far", places=places),
                Column("low", f"{percent(level)} from", places=places),
                Column("high", "to", places=places),
            ),
            tuple(points),
            note=f"A confidence sequence: with {percent(level)} probability, approximately, all "
            "these intervals hold the true value, however often one looks.",
        ),
        "games",
        "value",
        many,
        axis,
        "low",
        "high",
        lines=lines,
        band=band,
        log=True,
    )


def funnel_words(points: Sequence[Point], many: str, places: int, unit: str) -> str:
    """Return how much narrower it became."""
    first, last = points[0], points[-1]
    half = [(point[3] - point[2]) / 2 for point in (first, last)]
    return (
        f"Known to plus or minus {half[0]:.{places}f}{unit} after {first[0]:,} {many}, to "
        f"{half[1]:.{places}f}{unit} after {last[0]:,}."
    )
