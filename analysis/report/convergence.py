"""How a figure settled as more was played, with a funnel that holds at all its points together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ...sim.contest import Contest
from ...sim.journal import Journal
from ...sim.manifest import Manifest
from ...sim.observe import play_of
from ..compare_sums import anytime
from ..effects import Part, figure_scale, ratio_contrast
from ..screen import percent
from ..sequential import look_counts
from ..summary import decimals
from .page import COUNT, LINES, Block, Chart, Column, Line, Table, Text
from .parts import NO_DIFFERENCE, ends, of_words, scale_of

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
    with Journal(folder) as journal:
        parts = journal.prefix(manifest.first)
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
            counts = counts + journal.counts(part, manifest.read_counts)
            games = part.stop - manifest.first
            if games >= FIRST and (games >= last * STEP or part is parts[-1]):
                last = games
                yield games, counts


def ratio_points(
    steps: Iterable[tuple[int, Any]],
    contest: Contest,
    name: str,
    parts: Sequence[Part],
    level: float,
) -> Iterator[Point]:
    """Yield a contrast of a figure of tables by the number of observations.

    Parameters
    ----------
    steps : iterable of (int, Observations)
        See `history`.
    contest : Contest
    name : str
        Of the figure.
    parts : sequence of Part
    level : float
    """
    figure = dict(contest.figures)[name]
    known = {count.name: count for count in contest.description.counts}
    judged = anytime(level)
    for games, counts in steps:
        contrasted = ratio_contrast(counts.games, counts.moments[name], parts)
        if contrasted is not None:
            sums, grain, largest = contrasted
            found = judged(sums, grain * figure_scale(figure, known), largest, False)
            yield games, found.estimate, found.interval.low, found.interval.high


def funnel_blocks(
    points: Iterable[Point],
    title: str,
    axis: str,
    unit: str,
    many: str,
    level: float,
    *,
    matters: float | None = None,
    lines: tuple[Line, ...] = NO_DIFFERENCE,
    picked: int = 1,
    about: str = ", approximately,",
    note: str = "",
) -> Iterator[Block]:
    """Yield a figure by the number of games played.

    Parameters
    ----------
    points : iterable of Point
    title : str
    axis : str
        What the figure is.
    unit : str
        ``of 100`` for shares, else what is counted.
    many : str
        What was played: matches, deals.
    level : float
        That of the intervals of all figures of which this one was picked.
    matters : float, optional
        The least difference that matters.
    lines : tuple of Line
    picked : int
        Of how many figures this one was picked because of what came out; `points` were computed at
        a level that allows for it.
    about : str
        How exactly the level holds; '' for that of shares, which is exact.
    note : str
        What else is to be said.
    """
    scale = scale_of(unit)
    rows = [(games, *(scale * one for one in values)) for games, *values in points]
    if not rows:
        yield Text(f"Too few {many} to show how the figures settled: it takes {FIRST:,}.")
        return
    half = [(row[3] - row[2]) / 2 for row in (rows[0], rows[-1])]
    places = decimals(half[1])
    of = of_words(unit) or f" {unit}"
    known = [f"plus or minus {one:.{places}f}{of}" for one in half]
    says = f"Known to {known[0]} after {rows[0][0]:,} {many}"
    if len(rows) > 1:
        says += f", to {known[1]} after {rows[-1][0]:,}"
    others = f", and those of the {picked - 1} others it was picked from," if picked > 1 else ""
    yield Chart(
        LINES,
        "funnel",
        title,
        f"{says}.",
        Table(
            title,
            (
                Column("games", many, form=COUNT),
                Column("value", "so far", places=places),
                *ends(level, places),
            ),
            tuple(rows),
            note=f"A confidence sequence: with {percent(level)} probability{about} all these "
            f"intervals{others} hold the true value, however often one looks.{note}",
        ),
        "games",
        "value",
        many,
        f"{axis},{of}" if of == " of 100" else f"{axis} in{of}",
        "low",
        "high",
        lines=lines,
        band=None if matters is None else (-scale * matters, scale * matters),
        log=True,
    )
