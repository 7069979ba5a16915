"""What else a comparison tells: luck and skill, seats and neighbours, what the same deals saved."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

from ..sim.contest import SEATINGS, TABLES, Contest
from ..sim.counts import SHARE
from ..sim.observations import Observations
from .effects import Judge, Sums, Weights, is_share, less, ratio_contrast, table_part
from .paired import Difference


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


def variance_saved(contest: Contest, observations: Observations) -> float | None:
    """Return how many times as many games on separate deals would make the interval as narrow.

    On separate deals every table has an index of its own, so the variances of what the tables
    contribute to the difference add up; here their covariances count as well. None where one of
    the two variances is 0, or the tables don't share their deals.
    """
    if not contest.same_deals:
        return None
    n = observations.games
    if contest.kind == TABLES:
        moments = observations.moments[contest.description.lengths[0]]
        parts = [table_part(1, 0), table_part(-1, 1)]
        contrasts = [ratio_contrast(n, moments, of) for of in (parts, parts[:1], parts[1:])]
        if None in contrasts:
            return None
        paired, *alone = (_spread_of(found[0]) for found in contrasts if found)
        apart = sum(alone)
    else:
        moments = observations.moments["win"]
        columns = {cells[0]: j for j, cells in enumerate(contest.blocks["win"])}
        together: dict[int, int] = {}
        apart = 0
        for number in range(len(contest.tables)):
            mine = {columns[cell]: weight for weight, cell in contest.lead if cell[0] == number}
            apart += _spread_of((n, *moments.weighted(mine)))
            together |= mine
        paired = _spread_of((n, *moments.weighted(together)))
    return apart / paired if paired > 0 and apart > 0 else None


def _spread_of(sums: Sums) -> int:
    """Return n times the sum of squared distances from the mean."""
    n, total, squares = sums
    return n * squares - total * total


def luck(contest: Contest, observations: Observations) -> Luck | None:
    """Return where the differences between seats come from, or None where that isn't defined.

    A two-way analysis of variance, balanced by the seatings: a seat's score in a deal, once for
    each table at which the seat counts, by deal and seat (random) and by arm (fixed). The shares
    are of the components of variance, negative ones being 0 (S. R. Searle, G. Casella, C. E.
    McCulloch, 1992, Variance components, ch. 4). The score is the game's points, or first places
    where it has none.
    """
    if contest.by_table or not contest.same_deals or observations.games < 2:
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
    if contest.by_table:
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

    Seats are only compared where all else about the table is equal: as many seats of each arm, and
    the same arm on the seat that follows. None where there is nothing to compare: with two or three
    players, or a seat of its own at each table.
    """
    if contest.kind != SEATINGS:
        return None
    groups: dict[tuple[int, int], dict[bool, list[int]]] = {}
    for j, (table, seat, whose) in enumerate(contest.cells):
        if whose == arm:
            arms = contest.tables[table].arms
            alike = arms.count(arm), arms[(seat + 1) % len(arms)]
            kinds = groups.setdefault(alike, {True: [], False: []})
            kinds[arms[seat - 1] != arm].append(j)
    whole = [kinds for kinds in groups.values() if kinds[True] and kinds[False]]
    if not whole:
        return None
    scale = SHARE * len(whole) * lcm(*(len(some) for kinds in whole for some in kinds.values()))
    columns: dict[int, int] = {}
    for kinds in whole:
        for after_other, some in kinds.items():
            weight = scale // (SHARE * len(whole) * len(some))
            columns |= dict.fromkeys(some, weight if after_other else -weight)
    weights = Weights(columns, scale)
    sums = weights.sums(observations, observations.moments["win"])
    return judged(sums, weights.scale, 1.0, True)
