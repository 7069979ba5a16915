"""Known values, checked: what the theory says against what the kernels play."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..sim.chunk import prepare_kernel, prepare_plan
from ..sim.contest import plans_of
from ..sim.counts import SHARE, Counts
from ..sim.errors import RunError
from ..sim.game import Chance, Fact, Mean, MeanScore, Rate
from ..sim.games import find_game
from ..sim.journal import ROWS, Journal, Part, prefix
from ..sim.manifest import Manifest, read_manifest
from ..sim.numbers import seed_number, whole_number
from ..sim.observe import play_of
from ..sim.plan import Plan, chunk_size, draw_seed, make_plan
from ..sim.processors import usable_processors
from ..sim.run import execute
from ..sim.store import is_being_written, no_rows, unknown_rows
from .intervals import moments
from .summary import denominator

LIMIT = 4.0
"""|z| beyond which a check fails; one in 16,000 true ones would."""
AGAIN = 3
"""Chunks of a saved run that are played again."""


@dataclass(frozen=True)
class Check:
    """A known value beside a simulated one."""

    fact: Fact
    simulated: float
    error: float
    """Standard error of the difference."""
    games: int

    @property
    def z(self) -> float:
        """Difference in standard errors."""
        difference = self.simulated - self.fact.value
        if self.error:
            return difference / self.error
        return math.copysign(math.inf, difference) if difference else 0.0

    @property
    def passed(self) -> bool:
        """Whether |z| is below the limit."""
        return abs(self.z) < LIMIT


def estimate(fact: Fact, plan: Plan, counts: Counts) -> tuple[float, float]:
    """Return a figure and the standard error that the known value predicts for it.

    Parameters
    ----------
    fact : Fact
    plan : Plan
        What was played: the rules and strategies of the fact.
    counts : Counts
        Of two finished games or more.
    """
    figure = fact.figure
    if isinstance(figure, Mean | MeanScore):
        histogram = (
            counts.lengths[figure.length]
            if isinstance(figure, Mean)
            else counts.scores[figure.score][figure.seat]
        )
        n, total, squares = moments(histogram)
        variance = (n * squares - total * total) / (n * (n - 1))
        return total / n, math.sqrt(variance / n)
    if isinstance(figure, Rate):
        if figure.count == "wins":
            hits, n = counts.score60[figure.seat or 0] / SHARE, counts.finished
        else:
            count = next(one for one in plan.description.counts if one.name == figure.count)
            value = counts.events[figure.count]
            value = value if isinstance(value, int) else value[figure.seat or 0]
            hits, n = value / count.scale, denominator(plan, counts, count.per)
    elif isinstance(figure, Chance):
        hits, n = counts.scores[figure.score][figure.seat].get(figure.value, 0), counts.finished
    else:
        name, key = figure
        n, hits = counts.tallies[name][key]
    return hits / n, math.sqrt(fact.value * (1 - fact.value) / n)


def plan_of(fact: Fact, game: str, seed: int) -> Plan:
    """Return the plan of the games that a fact is about."""
    return make_plan(
        game, rules=fact.rules, strategies=fact.strategies or None, seed=seed, source=fact.name
    )


def checks(
    game: str, *, seed: int | None = None, scale: float = 1.0, threads: int | None = None
) -> Iterator[Check]:
    """Play and yield the checks of a game one by one.

    Parameters
    ----------
    game : str
    seed : int, optional
        Drawn if left out.
    scale : float
        Times as many games as usual.
    threads : int, optional
    """
    described = find_game(game)
    number = draw_seed() if seed is None else seed_number(seed)
    workers = usable_processors() if threads is None else whole_number(threads, "threads", 1, 1024)
    prepare_kernel(described)
    played: dict[Any, Counts] = {}
    first = 0
    for fact in described.facts:
        n = max(1000, int(fact.games * scale))
        plan = plan_of(fact, game, number)
        key = (plan, n)
        if key not in played:
            # Games of their own for each plan, so that one unlucky sample isn't seen twice.
            outcome = execute(plan, first=first, n=n, chunk_size=chunk_size(plan), threads=workers)
            first += n
            if outcome.error:
                raise outcome.error
            if outcome.signal:
                raise KeyboardInterrupt
            played[key] = outcome.counts
        value, error = estimate(fact, plan, played[key])
        yield Check(fact, value, math.hypot(error, fact.error), n)


def verify(game: str, *, seed: int | None = None, scale: float = 1.0) -> Any:
    """Check the known values of a game.

    Parameters
    ----------
    game : str
    seed : int, optional
        Drawn if left out.
    scale : float
        Times as many games as usual.

    Returns
    -------
    polars.DataFrame
        A row a value: name, known value, its standard error (0: exact), the simulated one, the
        standard error of the difference, z, games, whether it passed, source.
    """
    import polars as pl

    found = list(checks(game, seed=seed, scale=scale))
    return pl.DataFrame(
        {
            "name": [one.fact.name for one in found],
            "known": [one.fact.value for one in found],
            "known_error": [float(one.fact.error) for one in found],
            "simulated": [one.simulated for one in found],
            "error": [one.error for one in found],
            "z": [one.z for one in found],
            "games": [one.games for one in found],
            "passed": [one.passed for one in found],
            "source": [one.fact.source for one in found],
        }
    )


def verify_folder(folder: Path, again: Any = None) -> Iterator[str]:
    """Check a saved run and yield what was found.

    Every rows file is hashed, has the declared columns and as many rows as games, the ranges
    must follow one another and the counts agree; some chunks are played again and compared, rows
    and counts.

    Parameters
    ----------
    folder : Path
    again : int, optional
        Chunks to be played again, spread over the run; 3 if left out.

    Raises
    ------
    RunError
        When something isn't as it was written, or is played otherwise.
    """
    most = AGAIN if again is None else whole_number(again, "--again", 1, 10**6)
    manifest = read_manifest(folder)
    with Journal(folder) as journal:
        yield from _verify(folder, manifest, journal, most)


def _verify(folder: Path, manifest: Manifest, journal: Journal, again: int) -> Iterator[str]:
    every = len(list(journal.parts())) + journal.damaged()
    whole = journal.whole(check=True)
    parts = prefix(whole, manifest.first)
    games = sum(part.stop - part.start for part in parts)
    units = manifest.plan.unit.many
    mend = f"Play what is damaged again: simcards resume {folder}"
    if len(whole) < every:
        lost = every - len(whole)
        were = "is not as it was" if lost == 1 else "are not as they were"
        raise RunError(
            f"{folder}: {lost} of {_chunks(every)} {were} written, or missing; the first "
            f"{games:,} {units} are whole.\n  {mend}"
        )
    if manifest.status != "running" and games < manifest.completed:
        raise RunError(
            f"{folder}: only {games:,} of {manifest.completed:,} {units} stand in the journal.\n"
            f"  {mend}"
        )
    yield f"{_chunks(len(parts))}, {games:,} {units}: all files are as they were written."
    beyond = whole[len(parts) :]
    if beyond:
        more = sum(part.stop - part.start for part in beyond)
        yield f"Beyond a gap: {_chunks(len(beyond))}, {more:,} {units}, whole as well."
    unknown = unknown_rows(folder, whole)
    if unknown and not is_being_written(folder):
        yield f"Files in {ROWS} that belong to no chunk, and count nowhere: {len(unknown)}."
    yield _check_parts(folder, manifest, journal, whole)
    for plan in plans_of(manifest.plan):
        prepare_plan(plan)
    number = min(again, len(parts))
    chosen = sorted({j * (len(parts) - 1) // max(1, number - 1) for j in range(number)})
    for part in (parts[j] for j in chosen):
        chunk = play_of(manifest.plan)(manifest.plan, part.start, part.stop, bool(part.file))
        assert chunk is not None  # nobody asks it to stop
        same = chunk.counts == journal.counts(part, manifest.read_counts)
        if part.file and chunk.rows is not None:
            import polars as pl

            kept = pl.read_parquet(folder / ROWS / part.file, glob=False)
            same = same and chunk.rows.equals(kept)
        if not same:
            raise RunError(
                f"{folder}: {units} {part.start} to {part.stop - 1}, played again, differ.\n"
                "  Please report this, with the manifest."
            )
    yield f"{_chunks(len(chosen))} played again: the same rows and counts."
    if manifest.completed < manifest.n and manifest.status != "complete":
        yield f"Partial: {games:,} of {manifest.n:,}. Go on: simcards resume {folder}"


def _chunks(number: int) -> str:
    return f"{number} chunk" if number == 1 else f"{number} chunks"


def _check_parts(folder: Path, manifest: Manifest, journal: Journal, parts: list[Part]) -> str:
    """Refuse chunks whose counts or rows are of other games than the journal says."""
    import polars as pl

    schema = no_rows(manifest.plan).schema if manifest.keeps_rows else None
    rows = 0
    for part in parts:
        held = part.stop - part.start
        games = journal.counts(part, manifest.read_counts).games
        wrong = "" if games == held else f"counts of {games:,} games"
        if part.file and not wrong:
            path = folder / ROWS / part.file
            found = pl.read_parquet_schema(path)
            number = pl.scan_parquet(path, glob=False).select(pl.len()).collect().item()
            rows += number
            if schema is not None and found != schema:
                wrong = "other columns than declared"
            elif number != held:
                wrong = f"{number:,} rows"
        if wrong:
            raise RunError(
                f"{folder}: the chunk {part.start} to {part.stop - 1} has {wrong}.\n"
                "  Please report this, with the manifest."
            )
    columns = f", {rows:,} rows of {len(schema)} declared columns" if schema is not None else ""
    return f"{len(parts)} chunks have the counts of their games{columns}."


def check_head() -> str:
    """Return the line above the checks of a screen."""
    return f"{'known value':<52}{'known':>10}{'played':>11}{'z':>7}"


def check_line(check: Check) -> str:
    """Return a check as a line of a screen."""
    mark = "" if check.passed else "  FAILED"
    return (
        f"{check.fact.name:<51} {check.fact.value:>10.6f} {check.simulated:>10.6f}"
        f"{check.z:>+7.2f}{mark}"
    )


def verdict(found: list[Check]) -> str:
    """Return what all checks of a game come to."""
    failed = sum(not check.passed for check in found)
    if failed:
        return (
            f"{failed} of {len(found)} known values are off by {LIMIT:g} standard errors or more."
        )
    if len(found) == 1:
        return f"The one known value agrees: |z| is below {LIMIT:g}."
    return f"All {len(found)} known values agree: every |z| is below {LIMIT:g}."
