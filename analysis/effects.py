"""From the observations of a comparison to its figures: differences, luck and skill, neighbours.

Everything here is a weighted sum of columns of whole numbers, one row an observation, whose sums
and products are known exactly. So every figure has the error that the observations show, however
the games of one index depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm, sqrt

from ..sim.contest import Contest
from ..sim.counts import SHARE
from ..sim.game import Mean, MeanScore, Rate
from ..sim.observations import Moments, Observations
from .intervals import Interval
from .paired import Difference, paired_difference
from .verdict import Verdict, judge

RATE_MATTERS = 0.01
"""The least difference of a rate that matters, if nothing else was said: 1 of 100."""
MEAN_MATTERS = 0.01
"""The same of a length, as a part of the first arm's mean."""
SCORE_MATTERS = 0.02
"""The same of a seat's score, in standard deviations of it: 1 of 100 wins is as much."""

Sums = tuple[int, int, int]
"""Number of observations, sum, and sum of squares."""
Judge = Callable[[Sums, int, float, bool], Difference]
"""From sums, scale, largest size and whether that is a bound to the difference."""


@dataclass(frozen=True)
class Compared:
    """A figure of both arms, and their difference."""

    name: str
    label: str
    unit: str
    """``of 100`` for shares and rates, else what is counted."""
    a: float
    b: float
    difference: Difference
    matters: float
    """The least difference that matters."""
    verdict: Verdict

    @property
    def shown(self) -> float:
        """What a figure is multiplied by when it is shown."""
        return 100.0 if self.unit == "of 100" else 1.0


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
class Weights:
    """A weighted sum of columns of a block; the figure is the sum's mean over `scale`."""

    columns: Mapping[int, int]
    scale: int

    def sums(self, observations: Observations, moments: Moments) -> Sums:
        """Return number, sum and sum of squares."""
        return (observations.games, *moments.weighted(self.columns))

    def mean(self, observations: Observations, moments: Moments) -> float:
        """Return the figure."""
        total = sum(weight * moments.sums[column] for column, weight in self.columns.items())
        return total / (observations.games * self.scale)


def fixed_n(level: float) -> Judge:
    """Return what judges differences of a run whose length was fixed beforehand."""

    def difference(sums: Sums, scale: int, largest: float, bounded: bool) -> Difference:
        found = paired_difference(*sums, level, scale=scale, largest=largest, bounded=bounded)
        assert found is not None  # there are observations
        return found

    return difference


def arm_weights(contest: Contest, figure: str, arm: int) -> Weights:
    """Return the weights of an arm's share, or of its mean a seat, in the figure's block."""
    columns = {j: 1 for j, (_, _, whose) in enumerate(contest.cells) if whose == arm}
    if is_share(contest, figure):
        whole = SHARE if figure == "win" else 1
        return Weights(columns, whole * len(contest.tables_of(arm)))
    return Weights(columns, len(columns))


def is_share(contest: Contest, figure: str) -> bool:
    """Whether a seat figure is a share of the games: first places, last places."""
    last = {one.name for one in contest.description.seat_figures if one.last}
    return figure == "win" or figure in last


def less(a: Weights, b: Weights) -> Weights:
    """Return the difference of two figures."""
    scale = lcm(a.scale, b.scale)
    columns = {column: weight * (scale // a.scale) for column, weight in a.columns.items()}
    for column, weight in b.columns.items():
        columns[column] = columns.get(column, 0) - weight * (scale // b.scale)
    return Weights(columns, scale)


def seat_figures(
    contest: Contest, observations: Observations, judged: Judge, matters: Mapping[str, float]
) -> tuple[Compared, ...]:
    """Return what both arms came to on their seats: first places, then what the game adds.

    Parameters
    ----------
    contest : Contest
        With strategies that have seats of their own.
    observations : Observations
        At least one.
    judged : callable
        Gives intervals, such as `fixed_n`.
    matters : mapping of str to float
        By figure the least difference that matters; '' for all shares.
    """
    labels = {one.name: one.label for one in contest.description.seat_figures}
    found = []
    for figure in contest.seat_figures:
        moments = observations.moments[figure]
        a, b = (arm_weights(contest, figure, arm) for arm in (0, 1))
        weights = less(a, b)
        share = is_share(contest, figure)
        difference = judged(weights.sums(observations, moments), weights.scale, 1.0, share)
        least = matters.get(figure)
        if least is None and share:
            least = matters.get("", RATE_MATTERS)
        if least is None:
            least = SCORE_MATTERS * _spread(contest, observations, figure) or SCORE_MATTERS
        found.append(
            Compared(
                figure,
                "first places" if figure == "win" else labels[figure],
                "of 100" if share else figure,
                a.mean(observations, moments),
                b.mean(observations, moments),
                difference,
                least,
                judge(difference.estimate, difference.interval, least, observations.games),
            )
        )
    return tuple(found)


def _spread(contest: Contest, observations: Observations, figure: str) -> float:
    """Standard deviation of a seat's score in one game."""
    moments = observations.moments[figure]
    cells = len(contest.cells)
    n = observations.games * cells
    squares = sum(moments.product(j, j) for j in range(cells))
    return sqrt(max(0, n * squares - sum(moments.sums) ** 2)) / n


def table_figures(
    contest: Contest,
    observations: Observations,
    judged: Judge,
    matters: Mapping[str, float],
    *,
    arm: int = 0,
    base: int = 1,
) -> tuple[Compared, ...]:
    """Return the figures of two tables with the same deals, and their differences.

    Games that were capped are in no figure, as in runs. A figure nothing was counted for at one of
    the tables is left out.
    """
    counts = {count.name: count for count in contest.description.counts}
    n = observations.games
    found = []
    for name, figure in contest.figures:
        moments = observations.moments[name]
        parts = [table_part(1, arm), table_part(-1, base)]
        contrasted = ratio_contrast(n, moments, parts)
        if contrasted is None:
            continue
        sums, unit, largest = contrasted
        scale = figure_scale(figure, counts)
        rate = isinstance(figure, Rate)
        difference = judged(sums, unit * scale, largest, False)
        if rate:
            difference = within(difference)
        values = [
            moments.sums[2 * table] / (moments.sums[2 * table + 1] * scale) for table in (arm, base)
        ]
        least = least_difference(contest, moments, name, figure, matters)
        found.append(
            Compared(
                name,
                figure_label(contest, figure),
                "of 100" if rate else name,
                values[0],
                values[1],
                difference,
                least,
                judge(difference.estimate, difference.interval, least, n),
            )
        )
    return tuple(found)


def least_difference(
    contest: Contest,
    moments: Moments,
    name: str,
    figure: Rate | Mean | MeanScore,
    matters: Mapping[str, float],
) -> float:
    """Return the least difference of a figure of tables that matters.

    Parameters
    ----------
    contest : Contest
    moments : Moments
        Of the figure's block.
    name : str
    figure : Rate, Mean or MeanScore
    matters : mapping of str to float
        By figure what was asked; '' for all rates. Else it is `RATE_MATTERS`, or for means the part
        `MEAN_MATTERS` of the first table's.
    """
    if name in matters:
        return matters[name]
    if isinstance(figure, Rate):
        return matters.get("", RATE_MATTERS)
    above, below = moments.sums[:2]
    return MEAN_MATTERS * abs(above / below) if below else 0.0


@dataclass(frozen=True)
class Part:
    """A ratio of weighted sums of columns, and the weight it has in a contrast."""

    weight: Fraction
    above: Mapping[int, int]
    below: Mapping[int, int]


def table_part(weight: Fraction | int, table: int) -> Part:
    """Return a table's figure as a part of a contrast, in the figure's own block."""
    return Part(Fraction(weight), {2 * table: 1}, {2 * table + 1: 1})


def ratio_contrast(
    n: int, moments: Moments, parts: Sequence[Part]
) -> tuple[Sums, int, float] | None:
    """Return a contrast of ratios, or None where a denominator is 0.

    Returns
    -------
    (sums, scale, largest)
        `largest` is what one more unit, or event, in one observation would count: the size of the
        two observations that intervals add. Where hardly any game counts that is a lot.

    A ratio R = X / Y of sums, as turns over finished games, is taken for the mean of its linear
    part: the observation (x, y) counts (x - R y) n / Y, besides R itself (the delta method;
    W. G. Cochran, 1977, Sampling techniques, 3rd ed., ch. 6). The weights are rounded to whole
    units of 2^-60, so that the sums are exact integers and their spread can't become negative.
    """
    unit = 1 << 60
    weights: dict[int, int] = {}
    middle = Fraction(0)
    largest = Fraction(0)
    for part in parts:
        x, _ = moments.weighted(part.above)
        y, _ = moments.weighted(part.below)
        if not y:
            return None
        middle += part.weight * Fraction(x, y)
        largest = max(largest, abs(part.weight) * Fraction(n, y))
        for column, weight in part.above.items():
            more = round(unit * part.weight * weight * Fraction(n, y))
            weights[column] = weights.get(column, 0) + more
        for column, weight in part.below.items():
            less = round(unit * part.weight * weight * Fraction(n * x, y * y))
            weights[column] = weights.get(column, 0) - less
    total, squares = moments.weighted(weights)
    whole = round(unit * middle)
    sums = n, n * whole + total, n * whole * whole + 2 * whole * total + squares
    return sums, unit, float(largest)


def within(difference: Difference) -> Difference:
    """Keep the interval of a difference of rates between -1 and 1."""
    interval = difference.interval
    low, high = max(interval.low, -1.0), min(interval.high, 1.0)
    return replace(difference, interval=replace(interval, low=low, high=high))


def figure_scale(figure: Rate | Mean | MeanScore, counts: Mapping[str, object]) -> int:
    """Return what a whole one of a figure's counts counts."""
    if not isinstance(figure, Rate):
        return 1
    if figure.count == "wins":
        return SHARE
    scale = getattr(counts[figure.count], "scale", 1)
    assert isinstance(scale, int)
    return scale


def figure_label(contest: Contest, figure: Rate | Mean | MeanScore) -> str:
    """Return what a figure is called on a screen."""
    one = contest.unit.one
    if isinstance(figure, Mean):
        return f"{figure.length.replace('_', ' ')} a {one}"
    if isinstance(figure, MeanScore):
        return f"{figure.score.replace('_', ' ')}, seat {figure.seat}"
    if figure.count == "wins":
        return f"seat {figure.seat} wins"
    seat = "" if figure.seat is None else f", seat {figure.seat}"
    count = next(one for one in contest.description.counts if one.name == figure.count)
    return (count.label or count.name.replace("_", " ")) + seat
