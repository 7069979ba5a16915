"""What a sweep came to: figures of cells, differences to the base, effects of options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

from ..sim.contest import Contest
from ..sim.game import Mean, MeanScore, Rate
from ..sim.manifest import Manifest
from ..sim.observations import Observations
from ..sim.options import as_dict
from .at_table import FIGURES
from .effects import (
    Compared,
    Judge,
    Row,
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
from .figures import estimate_of
from .multiple import bonferroni_level, holm
from .paired import Difference
from .summary import Summary, summarise
from .sweep_at_table import SweepAtTable
from .targets import Near, nearest
from .verdict import Verdict, judge

if TYPE_CHECKING:
    import polars as pl

DEFAULT_GAMES = 100_000


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
                    "finished": run.finished,
                    "capped": run.capped,
                }
                for name, table, run in zip(contest.arms, contest.tables, self.cells, strict=False)
            ],
            "table": self.table(),
            "effects_together": len(self.effects),
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
        found = self._table(self.rows, self.figures, self.completed, self.comparisons)
        if self.at_table:
            table = self.at_table
            names = [figure.name for figure in FIGURES]
            found += self._table(table.rows, names, table.n, table.comparisons)
        return found

    def _table(
        self, rows: Sequence[Row], names: Sequence[str], n: int, comparisons: int
    ) -> list[dict[str, Any]]:
        """Return a row for each cell and figure, also where there is no data."""
        contest = self.contest
        options = self.asked["options"]
        known = {(row.cell, row.name): row for row in rows}
        rates = {name for name, one in contest.figures if isinstance(one, Rate)}
        rates |= {figure.name for figure in FIGURES if figure.rate}
        found = []
        for cell, run in enumerate(self.cells):
            for name in names:
                row = known.get((cell, name))
                one = row.compared if row else None
                interval = row.interval if row else None
                word = one.verdict.word if one else "base" if row and cell == 0 else "no data"
                found.append(
                    {
                        "cell": contest.arms[cell],
                        **options[cell],
                        "figure": name,
                        # A share is written of 1, whatever screens show.
                        "unit": "share" if name in rates else name,
                        "n": n,
                        "finished": run.finished,
                        "capped": run.capped,
                        "estimate": row.estimate if row else None,
                        "low": interval.low if interval else None,
                        "high": interval.high if interval else None,
                        "difference": one.difference.estimate if one else None,
                        "difference_low": one.difference.interval.low if one else None,
                        "difference_high": one.difference.interval.high if one else None,
                        "p_value": one.difference.p_value if one else None,
                        "p_adjusted": row.p_adjusted if row else None,
                        "comparisons": comparisons,
                        "matters": one.matters if one else None,
                        "verdict": word,
                    }
                )
        return found


def tidy(one: Sweep) -> pl.DataFrame:
    """Return a sweep's table; numbers are Float64 and Int64 whatever the cells."""
    import polars as pl

    floats = (
        "estimate low high difference difference_low difference_high p_value p_adjusted matters"
    ).split()
    rows = one.table()
    names = list(rows[0]) if rows else ["cell"]
    whole = dict.fromkeys(("n", "finished", "capped", "comparisons"), pl.Int64)
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
            difference = _contrast(
                contest, observations, name, figure, weights, judged, main=len(chosen) == 1
            )
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
    *,
    main: bool,
) -> Difference | None:
    parts = [table_part(weight, cell) for cell, weight in weights.items()]
    contrasted = ratio_contrast(observations.games, observations.moments[name], parts)
    if contrasted is None:
        return None
    sums, unit, largest = contrasted
    counts = {count.name: count for count in contest.description.counts}
    difference = judged(sums, unit * figure_scale(figure, counts), largest, False)
    # Two rates differ by 1 at most; how much an interaction adds can be twice that.
    return within(difference) if isinstance(figure, Rate) and main else difference


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
