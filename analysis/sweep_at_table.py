"""How each cell of a sweep feels at the table, against the base cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..sim.contest import Contest
from ..sim.observations import Moments, moments_of
from . import at_table as table
from .effects import MEAN_MATTERS, RATE_MATTERS, Compared, Row, fixed_n, ratio_contrast, within
from .multiple import bonferroni_level, holm
from .paired import Difference
from .verdict import judge


@dataclass(frozen=True)
class SweepAtTable:
    """Figures of the table by cell."""

    n: int
    """Games told again in each cell, from the first one."""
    seconds_per_turn: float
    rows: tuple[Row, ...]
    sure_from: tuple[float | None, ...]
    """By cell, from which part of the turns on the leader wins 80 of 100."""
    told: tuple[table.Told, ...] = field(repr=False)
    """By cell what it was found from."""

    @property
    def comparisons(self) -> int:
        """Differences whose intervals hold together, also those without data."""
        return (len(self.sure_from) - 1) * len(table.FIGURES)


def sweep_at_table(
    contest: Contest,
    first: int,
    n: int,
    *,
    level: float,
    seconds: Any = None,
    matters: Mapping[str, float],
    on_told: table.Report | None = None,
    see: table.See | None = None,
) -> SweepAtTable:
    """Tell the first games of every cell again, and compare with the base cell.

    Parameters
    ----------
    contest : Contest
        A sweep.
    first : int
        Index of the first game.
    n : int
        Games of each cell; at most `at_table.TOLD` are told.
    level : float
        Of the intervals; those of all differences hold together.
    seconds : number, optional
        Seconds a turn takes.
    matters : mapping of str to float
        By figure the least difference that matters; '' for all rates.
    on_told : callable, optional
        Called with a line that says what is going on.
    see : callable, optional
        See `at_table.tell`; gets the games of the first cell.
    """
    import numpy as np

    exact = table.seconds_per_turn(seconds)
    told: list[table.Told] = []
    for name, where in zip(contest.arms, contest.tables, strict=True):
        what = f"cell {len(told) + 1} of {len(contest.tables)}{f' ({name})' if name else ''}"
        looks = None if told else see
        told.append(table.tell(where.plan, first, min(n, table.TOLD), looks, on_told, what))
    number, width = told[0].n, len(table.COLUMNS)
    moments: Moments = moments_of(np.concatenate([one.values for one in told], axis=1))
    shown = [
        {one.figure.name: one for one in table.figures_of(cell, contest.unit.one, level, exact)}
        for cell in told
    ]
    comparisons = (len(told) - 1) * len(table.FIGURES)
    judged = fixed_n(bonferroni_level(level, max(1, comparisons)))
    differences: dict[tuple[int, str], Difference] = {}
    for cell in range(1, len(told)):
        for figure in table.FIGURES:
            part, scale = table.parts_of(figure, cell * width, 1, exact)
            other, _ = table.parts_of(figure, 0, -1, exact)
            contrasted = ratio_contrast(number, moments, [part, other])
            if contrasted is not None:
                sums, unit, largest = contrasted
                found = judged(sums, unit * scale, largest, False)
                differences[cell, figure.name] = within(found) if figure.rate else found
    adjusted = dict(
        zip(differences, holm([one.p_value for one in differences.values()]), strict=True)
    )
    rows = []
    for cell, figures in enumerate(shown):
        for name, one in figures.items():
            difference = differences.get((cell, name))
            compared = None
            if difference is not None:
                base = shown[0][name].value
                least = matters.get(
                    name,
                    matters.get("", RATE_MATTERS)
                    if one.figure.rate
                    else MEAN_MATTERS * max(abs(base), 1.0),
                )
                compared = Compared(
                    name,
                    one.label,
                    one.figure.unit,
                    one.value,
                    base,
                    difference,
                    least,
                    judge(difference.estimate, difference.interval, least, number),
                )
            rows.append(
                Row(
                    cell,
                    name,
                    one.label,
                    one.figure.unit,
                    one.value,
                    one.interval,
                    compared,
                    adjusted.get((cell, name)),
                )
            )
    return SweepAtTable(
        number,
        float(exact),
        tuple(rows),
        tuple(table.sure_from(cell) for cell in told),
        tuple(told),
    )
