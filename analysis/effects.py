"""From the observations of a comparison to its figures: differences, luck and skill, neighbours.

Everything here is a weighted sum of columns of whole numbers, one row an observation, whose sums
and products are known exactly. So every figure has the error that the observations show, however
the games of one index depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import lcm, sqrt

from ..sim.contest import SEATINGS, TABLES, Contest, value_names
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
class Luck:
    """Where the differences between seats come from: shares of the variance of one seat's score."""

    figure: str
    deal: float
    """Which cards the seat was dealt."""
    arm: float
    """Which of the two strategies played it."""
    rest: float
    """What the others did, the seating, and strategies that draw lots."""


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
    contest: Contest, observations: Observations, judged: Judge, matters: Mapping[str, float]
) -> tuple[Compared, ...]:
    """Return the figures of two tables with the same deals.

    Each is a ratio of sums, as turns over finished games. The difference of two ratios is taken
    for the mean of its linear part: with R = X / Y an observation (x, y) counts (x - R y) / Y,
    besides R itself (the delta method; W. G. Cochran, 1977, Sampling techniques, 3rd ed., ch. 6).
    Games that were capped are in no figure, as in runs. A figure nothing was counted for is left
    out.
    """
    counts = {count.name: count for count in contest.description.counts}
    columns = {cell: j for j, (cell,) in enumerate(contest.blocks["figures"])}
    moments = observations.moments["figures"]
    n = observations.games
    found = []
    for name, figure in contest.figures:
        above, below = value_names(figure, counts)
        x, y = ([columns[arm, value] for arm in (0, 1)] for value in (above, below))
        xa, xb = (moments.sums[j] for j in x)
        ya, yb = (moments.sums[j] for j in y)
        if not ya or not yb:
            continue
        # Times ya^2 yb^2 all weights are whole.
        weights: dict[int, int] = {}
        for column, weight in (
            (x[0], ya * yb * yb),
            (y[0], -xa * yb * yb),
            (x[1], -yb * ya * ya),
            (y[1], xb * ya * ya),
        ):
            weights[column] = weights.get(column, 0) + weight
        middle = xa * ya * yb * yb - xb * yb * ya * ya
        _, squares = moments.weighted(weights)
        rate = isinstance(figure, Rate)
        scale = figure_scale(figure, counts)
        difference = judged(
            (n, n * middle, n * middle * middle + n * n * squares),
            ya * ya * yb * yb * scale,
            1.0,
            False,
        )
        if rate:
            difference = _within(difference)
        a, b = xa / (ya * scale), xb / (yb * scale)
        least = matters.get(name, matters.get("", RATE_MATTERS) if rate else MEAN_MATTERS * abs(a))
        found.append(
            Compared(
                name,
                figure_label(contest, figure),
                "of 100" if rate else above.rpartition("_")[0] or above,
                a,
                b,
                difference,
                least,
                judge(difference.estimate, difference.interval, least, n),
            )
        )
    return tuple(found)


def ratio(
    observations: Observations, moments: Moments, above: Weights, below: Weights
) -> tuple[Sums, int]:
    """Return the sums, and their scale, of a ratio's linear part; see `table_figures`.

    The scales of the two weighted sums don't count.
    """
    n = observations.games
    x, _ = moments.weighted(above.columns)
    y, _ = moments.weighted(below.columns)
    weights = {column: weight * y for column, weight in above.columns.items()}
    for column, weight in below.columns.items():
        weights[column] = weights.get(column, 0) - weight * x
    _, squares = moments.weighted(weights)
    return (n, n * x * y, n * x * x * y * y + n * n * squares), y * y


def _within(difference: Difference) -> Difference:
    """Keep the interval of a difference of rates between -1 and 1."""
    interval = difference.interval
    kept = Interval(
        max(interval.low, -1.0), min(interval.high, 1.0), interval.level, interval.method
    )
    return Difference(
        difference.estimate, kept, difference.standard_error, difference.p_value, difference.n
    )


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
    return figure.count.removesuffix("_score60").replace("_", " ") + seat


def variance_saved(contest: Contest, observations: Observations) -> float | None:
    """Return how many times as many games on separate deals would make the interval as narrow.

    On separate deals every table has an index of its own, so the variances of what the tables
    contribute to the difference add up; here their covariances count as well. None where one of
    the two variances is 0.
    """
    block = "figures" if contest.kind == TABLES else "win"
    moments = observations.moments[block]
    n = observations.games
    columns = {cells[0]: j for j, cells in enumerate(contest.blocks[block])}

    def variance(of: Mapping[int, int]) -> int:
        total, squares = moments.weighted(of)
        return n * squares - total * total

    together: dict[int, int] = {}
    apart = 0
    for number in range(len(contest.tables)):
        alone = {columns[cell]: weight for weight, cell in contest.lead if cell[0] == number}
        apart += variance(alone)
        together |= alone
    paired = variance(together)
    return apart / paired if paired > 0 and apart > 0 else None


def luck(contest: Contest, observations: Observations) -> Luck | None:
    """Return where the differences between seats come from, or None where that isn't defined.

    A two-way analysis of variance, balanced by the seatings: a seat's score in a deal, once for
    each table at which the seat counts, by deal and seat (random) and by arm (fixed). The shares
    are of the components of variance, negative ones being 0 (S. R. Searle, G. Casella, C. E.
    McCulloch, 1992, Variance components, ch. 4). The score is the game's points, or first places
    where it has none.
    """
    if contest.kind == TABLES or not contest.same_deals or observations.games < 2:
        return None
    figure = next((one for one in contest.seat_figures if not is_share(contest, one)), "win")
    moments = observations.moments[figure]
    n = observations.games
    cells = contest.cells
    seats: dict[int, list[int]] = {}
    for j, (_, seat, _) in enumerate(cells):
        seats.setdefault(seat, []).append(j)
    each = {len(columns) for columns in seats.values()}
    if len(each) != 1:  # arms with different numbers of players
        return None
    times = each.pop()
    values = n * len(cells)
    grand = sum(moments.sums) ** 2 / values
    total = sum(moments.product(j, j) for j in range(len(cells))) - grand
    by_deal = -grand
    for columns in seats.values():
        by_deal += moments.weighted(dict.fromkeys(columns, 1))[1] / times
    by_arm = -grand
    for arm in (0, 1):
        mine = [moments.sums[j] for j, cell in enumerate(cells) if cell[2] == arm]
        by_arm += sum(mine) ** 2 / (n * len(mine))
    error = max(0.0, total - by_deal - by_arm) / (values - n * len(seats) - 1)
    deal = max(0.0, (by_deal / (n * len(seats) - 1) - error) / times)
    arm_part = max(0.0, (by_arm - error) / values)
    whole = deal + arm_part + error
    if whole <= 0:
        return None
    return Luck(figure, deal / whole, arm_part / whole, error / whole)


def by_seat(contest: Contest, observations: Observations, judged: Judge) -> tuple[Difference, ...]:
    """Return how much more often the first arm wins than the second, on each seat.

    On a seat both arms sit equally often, so each difference is of their shares of wins there.
    """
    if contest.kind == TABLES:
        return ()
    found = []
    for seat in range(min(plan.rules.players for plan in contest.plans)):
        parts = []
        for arm in (0, 1):
            columns = {
                j: 1
                for j, (_, where, whose) in enumerate(contest.cells)
                if where == seat and whose == arm
            }
            parts.append(Weights(columns, SHARE * len(columns)))
        weights = less(*parts)
        sums = weights.sums(observations, observations.moments["win"])
        found.append(judged(sums, weights.scale, 1.0, True))
    return tuple(found)


def neighbours(
    contest: Contest, observations: Observations, judged: Judge, arm: int
) -> Difference | None:
    """Return how much more often an arm's seat wins right after the other arm than after its own.

    None where an arm never follows itself: two players, or a seat of its own at each table.
    """
    if contest.kind != SEATINGS:
        return None
    after: dict[bool, dict[int, int]] = {True: {}, False: {}}
    for j, (table, seat, whose) in enumerate(contest.cells):
        if whose == arm:
            before = contest.tables[table].arms[seat - 1]
            after[before != arm][j] = 1
    if not after[True] or not after[False]:
        return None
    weights = less(*(Weights(after[one], SHARE * len(after[one])) for one in (True, False)))
    sums = weights.sums(observations, observations.moments["win"])
    return judged(sums, weights.scale, 1.0, True)
