"""Sweeps: variants of the rules, or other players, on the same deals, against a base."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..sim.contest import Contest
from ..sim.errors import RequestError
from ..sim.game import Mean, MeanScore, Rate
from ..sim.manifest import Manifest
from ..sim.observations import Observations
from ..sim.options import Rules, as_dict
from ..sim.run import interruptible
from .arms import Base, base_of, base_words
from .at_table import check
from .at_table import words as table_words
from .cells import Cells, grid, make_sweep, text_of
from .effects import (
    Compared,
    Judge,
    figure_label,
    figure_scale,
    fixed_n,
    least_difference,
    ratio_contrast,
    table_figures,
    table_part,
    within,
)
from .ending import Ending, command_of, ended
from .figures import estimate_of, read_figures, read_matters
from .intervals import Interval
from .multiple import bonferroni_level, holm
from .paired import Difference
from .playing import begin, go_on, result_of, saved_result, settle
from .summary import Summary, number_text, quoted, summarise
from .sweep_at_table import SweepAtTable, sweep_at_table
from .targets import Near, nearest, read_targets
from .verdict import Verdict, judge

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

DEFAULT_GAMES = 100_000


@dataclass(frozen=True)
class Row:
    """A figure of a cell, and its difference to the base cell's."""

    cell: int
    name: str
    label: str
    unit: str
    estimate: float
    interval: Interval | None
    """Of the figure itself, as a run of the cell has it."""
    compared: Compared | None
    """Cell less base; None for the base itself."""
    p_adjusted: float | None


@dataclass(frozen=True)
class Effect:
    """What an option does on average over the others, or two of them together."""

    factors: tuple[str, ...]
    levels: tuple[str, ...]
    """Against each factor's first value."""
    figure: str
    label: str
    unit: str
    difference: Difference
    matters: float
    verdict: Verdict
    p_adjusted: float

    @property
    def name(self) -> str:
        """Return 'lockout=off', or 'lockout=off with quad_beats=2'."""
        pairs = zip(self.factors, self.levels, strict=True)
        return " with ".join(f"{factor}={level}" for factor, level in pairs)


@dataclass(frozen=True, kw_only=True)
class Sweep(Ending):
    """What a sweep came to; `to_json` gives the published form."""

    asked: Mapping[str, Any]
    figures: tuple[str, ...]
    """Names of the figures compared."""
    cells: tuple[Summary, ...]
    """As a run of each has it."""
    rows: tuple[Row, ...]
    effects: tuple[Effect, ...]
    nearest: tuple[Near, ...]
    """The cells by their distance to the targets, if there are any."""
    at_table: SweepAtTable | None = None
    """How the cells feel at the table, if that was asked."""

    @property
    def comparisons(self) -> int:
        """Differences whose intervals hold together."""
        return (len(self.contest.tables) - 1) * len(self.figures)

    @property
    def factors(self) -> Mapping[str, Sequence[str]]:
        """Of a full grid its options and their values."""
        found: Mapping[str, Sequence[str]] = self.asked["factors"]
        return found

    def of_cell(self, cell: int) -> tuple[Row, ...]:
        """Return the rows of a cell."""
        return tuple(row for row in self.rows if row.cell == cell)

    def row(self, cell: int, figure: str) -> Row | None:
        """Return one row."""
        return next((one for one in self.rows if (one.cell, one.name) == (cell, figure)), None)

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``sweep --json`` prints."""
        contest = self.contest
        return {
            **self.head_json("sweep"),
            "same_deals": contest.same_deals,
            **self.extent_json(),
            "factors": {name: list(values) for name, values in self.factors.items()},
            "comparisons": self.comparisons,
            "cells": [
                {
                    "cell": name,
                    "preset": table.plan.preset,
                    "rules": as_dict(table.plan.rules),
                    "strategies": [player.text for player in table.plan.players],
                }
                for name, table in zip(contest.arms, contest.tables, strict=True)
            ],
            "table": self.table(),
            "effects": [
                {
                    "effect": one.name,
                    "figure": one.figure,
                    "difference": one.difference.estimate,
                    "interval": [one.difference.interval.low, one.difference.interval.high],
                    "p_value": one.difference.p_value,
                    "p_adjusted": one.p_adjusted,
                    "matters": one.matters,
                    "verdict": one.verdict.word,
                }
                for one in self.effects
            ],
            "targets": dict(self.asked["targets"]),
            "nearest": [
                {
                    "cell": contest.arms[one.cell],
                    "values": dict(zip(self.asked["targets"], one.values, strict=True)),
                    "off": dict(zip(self.asked["targets"], one.off, strict=True)),
                    "frontier": one.on_frontier,
                }
                for one in self.nearest
            ],
            "at_table": (
                {
                    "n": self.at_table.n,
                    "seconds_per_turn": self.at_table.seconds_per_turn,
                    "sure_from": list(self.at_table.sure_from),
                }
                if self.at_table
                else None
            ),
            **self.tail_json(),
        }

    def table(self) -> list[dict[str, Any]]:
        """Return the tidy table: a row for each cell and figure, differences to the base cell."""
        found = self._table(self.rows, self.completed, self.comparisons)
        if self.at_table:
            table = self.at_table
            found += self._table(table.rows, table.n, table.comparisons)
        return found

    def _table(self, rows: Sequence[Row], n: int, comparisons: int) -> list[dict[str, Any]]:
        contest = self.contest
        options = self.asked["options"]
        found = []
        for row in rows:
            one = row.compared
            found.append(
                {
                    "cell": contest.arms[row.cell],
                    **options[row.cell],
                    "figure": row.name,
                    "unit": row.unit,
                    "n": n,
                    "estimate": row.estimate,
                    "low": row.interval.low if row.interval else None,
                    "high": row.interval.high if row.interval else None,
                    "difference": one.difference.estimate if one else None,
                    "difference_low": one.difference.interval.low if one else None,
                    "difference_high": one.difference.interval.high if one else None,
                    "p_value": one.difference.p_value if one else None,
                    "p_adjusted": row.p_adjusted,
                    "comparisons": comparisons,
                    "matters": one.matters if one else None,
                    "verdict": one.verdict.word if one else "base",
                }
            )
        return found


class SweepResult:
    """A sweep: its table, its effects, its screen.

    Attributes
    ----------
    summary : Sweep
        Every figure with its interval; ``summary.to_json()`` is what ``--json`` prints.
    counts : Observations
        The exact sums all figures are computed from.
    """

    def __init__(self, summary: Sweep, counts: Observations) -> None:
        self.summary = summary
        self.counts = counts

    @property
    def table(self) -> pl.DataFrame:
        """A row for each cell and figure; differences to the base cell."""
        return tidy(self.summary)

    def to_polars(self) -> pl.DataFrame:
        """Return `table`."""
        return self.table

    def to_pandas(self) -> pd.DataFrame:
        """Return `table` as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self.summary.table())

    @property
    def cells(self) -> tuple[Summary, ...]:
        """The summary of each cell, equal to that of a run with its options."""
        return self.summary.cells

    def __str__(self) -> str:
        from .sweep_screen import sweep_screen

        return sweep_screen(self.summary)

    def __repr__(self) -> str:
        one = self.summary
        return (
            f"<simcards.SweepResult: {one.contest.game}, {len(one.contest.tables)} cells, "
            f"{one.completed:,} {one.contest.unit.word(one.completed)}, {one.status}>"
        )

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def tidy(one: Sweep) -> pl.DataFrame:
    """Return a sweep's table; numbers are Float64 and Int64 whatever the cells."""
    import polars as pl

    floats = (
        "estimate low high difference difference_low difference_high p_value p_adjusted matters"
    ).split()
    rows = one.table()
    names = list(rows[0]) if rows else ["cell"]
    whole = {"n": pl.Int64, "comparisons": pl.Int64}
    schema = {name: pl.Float64 if name in floats else whole.get(name, pl.String) for name in names}
    return pl.DataFrame(rows, schema=schema)


def effects_of(
    contest: Contest,
    observations: Observations,
    factors: Mapping[str, Sequence[str]],
    names: Sequence[str],
    matters: Mapping[str, float],
    level: float,
) -> tuple[Effect, ...]:
    """Return main effects and interactions of the options of a full grid.

    A main effect is the difference between a value and the option's first one, averaged over the
    cells of all other options; an interaction of two options is what both together do beyond the
    sum of what each does alone, averaged likewise. Their intervals hold together.
    """
    if len(factors) < 2:
        return ()
    shape = [len(values) for values in factors.values()]
    numbers = {at: cell for cell, at in enumerate(product(*(range(size) for size in shape)))}
    contrasts = []
    for size in (1, 2):
        for chosen in combinations(range(len(shape)), size):
            others = [range(shape[j]) for j in range(len(shape)) if j not in chosen]
            for levels in product(*(range(1, shape[j]) for j in chosen)):
                weights: dict[int, Fraction] = {}
                rest = list(product(*others))
                for at in rest:
                    for used in product((0, 1), repeat=size):
                        where = list(at)
                        for j, factor in enumerate(chosen):
                            where.insert(factor, levels[j] if used[j] else 0)
                        sign = (-1) ** (size - sum(used))
                        weights[numbers[tuple(where)]] = Fraction(sign, len(rest))
                contrasts.append((chosen, levels, weights))
    chosen_figures = [(name, figure) for name, figure in contest.figures if name in names]
    judged = fixed_n(bonferroni_level(level, max(1, len(contrasts) * len(chosen_figures))))
    titles = list(factors)
    found = []
    for name, figure in chosen_figures:
        for chosen, levels, weights in contrasts:
            difference = _contrast(contest, observations, name, figure, weights, judged)
            if difference is None:
                continue
            least = least_difference(contest, observations.moments[name], name, figure, matters)
            found.append(
                Effect(
                    tuple(titles[factor] for factor in chosen),
                    tuple(
                        factors[titles[factor]][at]
                        for factor, at in zip(chosen, levels, strict=True)
                    ),
                    name,
                    figure_label(contest, figure),
                    "of 100" if isinstance(figure, Rate) else name,
                    difference,
                    least,
                    judge(difference.estimate, difference.interval, least, observations.games),
                    1.0,
                )
            )
    adjusted = holm([one.difference.p_value for one in found])
    return tuple(
        replace(one, p_adjusted=p_value) for one, p_value in zip(found, adjusted, strict=True)
    )


def _contrast(
    contest: Contest,
    observations: Observations,
    name: str,
    figure: Rate | Mean | MeanScore,
    weights: Mapping[int, Fraction],
    judged: Judge,
) -> Difference | None:
    parts = [table_part(weight, cell) for cell, weight in weights.items()]
    contrasted = ratio_contrast(observations.games, observations.moments[name], parts)
    if contrasted is None:
        return None
    sums, unit = contrasted
    counts = {count.name: count for count in contest.description.counts}
    difference = judged(sums, unit * figure_scale(figure, counts), 1.0, False)
    # Two rates differ by 1 at most; how much an interaction adds can be twice that.
    return within(difference) if isinstance(figure, Rate) and len(weights) == 2 else difference


def sum_up(
    manifest: Manifest,
    counts: Observations,
    *,
    status: str,
    stop_reason: str,
    **more: Any,
) -> Sweep:
    """Make the summary of a sweep from its observations."""
    contest = manifest.plan
    assert isinstance(contest, Contest)
    asked = manifest.asked
    names = tuple(asked["figures"])
    matters, factors = asked["matters"], asked["factors"]
    cells: list[Summary] = []
    rows: list[Row] = []
    effects: tuple[Effect, ...] = ()
    nears: tuple[Near, ...] = ()
    if counts.games:
        cells = [
            summarise(
                table.plan,
                runs,
                first=manifest.first,
                n=manifest.n,
                status=status,
                stop_reason=stop_reason,
                level=manifest.level,
            )
            for table, runs in zip(contest.tables, counts.runs, strict=True)
        ]
        rows = list(_rows(contest, counts, names, matters, manifest.level))
        effects = effects_of(contest, counts, factors, names, matters, manifest.level)
        if asked["targets"]:
            nears = _nearest(contest, counts, asked, cells)
    return Sweep(
        **ended(manifest, counts.games, status=status, stop_reason=stop_reason, **more),
        command=command_of(
            "sweep", [asked["request"]], manifest, counts.games, status, DEFAULT_GAMES
        ),
        asked=asked,
        figures=names,
        cells=tuple(cells),
        rows=tuple(rows),
        effects=effects,
        nearest=nears,
    )


def _nearest(
    contest: Contest, counts: Observations, asked: Mapping[str, Any], cells: Sequence[Summary]
) -> tuple[Near, ...]:
    figures = dict(contest.figures)

    def value(cell: int, name: str) -> float | None:
        plan = contest.tables[cell].plan
        known = estimate_of(plan, counts.runs[cell], figures[name], 0.95)
        return known[0] if known else None

    return nearest(
        asked["targets"],
        cells,
        value,
        lambda name: isinstance(figures[name], Rate),
        asked["matters"],
    )


def _rows(
    contest: Contest,
    counts: Observations,
    names: Sequence[str],
    matters: Mapping[str, float],
    level: float,
) -> Iterator[Row]:
    """Yield the figures of each cell, with differences to the base that hold together."""
    comparisons = (len(contest.tables) - 1) * len(names)
    judged = fixed_n(bonferroni_level(level, max(1, comparisons)))
    figures = {name: figure for name, figure in contest.figures if name in names}
    differences: dict[tuple[int, str], Compared] = {}
    for cell in range(1, len(contest.tables)):
        for one in table_figures(contest, counts, judged, matters, arm=cell, base=0):
            if one.name in names:
                differences[cell, one.name] = one
    adjusted = dict(
        zip(
            differences,
            holm([one.difference.p_value for one in differences.values()]),
            strict=True,
        )
    )
    for cell, table in enumerate(contest.tables):
        for name, figure in figures.items():
            known = estimate_of(table.plan, counts.runs[cell], figure, level)
            if known is None:
                continue
            yield Row(
                cell,
                name,
                figure_label(contest, figure),
                "of 100" if isinstance(figure, Rate) else name,
                known[0],
                known[1],
                differences.get((cell, name)),
                adjusted.get((cell, name)),
            )


def play_sweep(
    base: Base,
    cells: Cells,
    *,
    n: Any = None,
    figures: Any = None,
    matters: Any = None,
    targets: Any = None,
    contest: Contest | None = None,
    file: str | None = None,
    at_table: bool = False,
    seconds_per_turn: Any = None,
    **how: Any,
) -> SweepResult:
    """Play a sweep; see `sweep`. Everything is checked before anything is made."""
    check(at_table, seconds_per_turn)
    contest = contest or make_sweep(base, cells)
    names = read_figures(figures, contest)
    least = read_matters(matters, contest)
    wanted = read_targets(targets, contest)
    settled = settle(contest, n=n, default_n=DEFAULT_GAMES, keeps_rows=False, **how)
    words = base_words(base) if file is None else [quoted(file)]
    if file is None:
        words += [
            f"--vary {quoted(f'{name}={chr(44).join(values)}')}"
            for name, values in cells.factors.items()
        ]
    if figures is not None:
        words.append(f"--figures {','.join(names)}")
    words += [
        f"--matters {f'{name}=' if name else ''}{number_text(value)}"
        for name, value in least.items()
    ]
    words += [f"--target {name}={number_text(value)}" for name, value in wanted.items()]
    options = list(dict.fromkeys(name for cell in cells.cells for name in cell.options))
    asked = {
        "request": " ".join(words),
        "figures": list(names),
        "matters": least,
        "targets": wanted,
        "factors": {name: list(values) for name, values in cells.factors.items()},
        "options": [
            {name: text_of(cell.options.get(name)) for name in options} for cell in cells.cells
        ],
    }
    played = begin(contest, settled, lambda manifest: None, asked=asked)
    result = result_of(played, sum_up, SweepResult)
    return with_table(result, seconds_per_turn) if at_table else result


def with_table(result: SweepResult, seconds_per_turn: Any = None) -> SweepResult:
    """Add to a result how its cells feel at the table; their first games are told again."""
    one = result.summary
    if one.completed:
        found = interruptible(
            lambda: sweep_at_table(
                one.contest,
                one.first,
                one.completed,
                level=one.level,
                seconds=seconds_per_turn,
                matters=one.asked["matters"],
            )
        )
        result.summary = replace(
            one, at_table=found, command=f"{one.command} {table_words(seconds_per_turn)}"
        )
    return result


def resume_sweep(path: Path, n: Any = None, **how: Any) -> SweepResult:
    """Go on with a saved sweep; see `saved.resume`."""
    return result_of(go_on(path, n, lambda manifest: None, **how), sum_up, SweepResult)


def load_sweep(path: Path) -> SweepResult:
    """Read a saved sweep; see `saved.load`."""
    return saved_result(path, sum_up, SweepResult)


def sweep(
    game: str,
    vary: Mapping[str, Any],
    n: int | float | str | None = None,
    *,
    players: int | None = None,
    rules: Rules | Mapping[str, Any] | None = None,
    preset: str | None = None,
    strategies: Any = None,
    seed: int | None = None,
    first: int = 0,
    level: float = 0.95,
    figures: Sequence[str] | None = None,
    matters: float | Mapping[str, float] | None = None,
    targets: Mapping[str, float] | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    chunk_size: int | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    at_table: bool = False,
    seconds_per_turn: float | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> SweepResult:
    """Play variants of the rules, or other players, on the same deals.

    Parameters
    ----------
    game : str
        Name or alias.
    vary : mapping
        Options to lists of their values, the base's first; all combinations are played. The keys
        ``strategy``, ``preset`` and ``players`` vary likewise. A value such as ``"1..10"`` is a
        range.
    n : int, optional
        Deals or matches, each of which every cell plays; 100,000 if left out.
    figures : sequence of str, optional
        Names of the figures to compare; the game's lengths and headlines if left out.
    matters : float or mapping, optional
        The least difference that matters: of all rates (0.01 if left out), or by name of the
        figure (of means 1 % of the base if left out).
    at_table, seconds_per_turn
        As for `run`: how each cell feels at the table, against the base.
    targets : mapping, optional
        Figures, ``unfairness`` or ``decisiveness`` to what is wanted; cells are sorted by it.
    players, rules, preset, strategies, seed, first, level, threads, time_limit, chunk_size, out, \
overwrite, executor, progress
        As for `run`, for all cells.

    Returns
    -------
    SweepResult

    Raises
    ------
    RequestError
        When the request can't be done as stated; nothing was played or written.
    RunError
        When something failed; with `out`, what was finished is kept.
    Interrupted
        When stopped from outside; its `result` is of what was finished.
    """
    from .progress import notebook_progress

    base = base_of(
        game, players=players, rules=rules, preset=preset, strategies=strategies, seed=seed
    )
    if not isinstance(vary, Mapping):
        raise RequestError("vary: give a mapping of options to lists of their values.")
    cells = grid(vary, "vary")
    contest = make_sweep(base, cells)
    with notebook_progress(contest, progress) as on_progress:
        return play_sweep(
            base,
            cells,
            contest=contest,
            n=n,
            figures=figures,
            matters=matters,
            targets=targets,
            first=first,
            level=level,
            threads=threads,
            time_limit=time_limit,
            chunk=chunk_size,
            out=out,
            overwrite=overwrite,
            at_table=at_table,
            seconds_per_turn=seconds_per_turn,
            executor=executor,
            on_progress=on_progress,
        )
