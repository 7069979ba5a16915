"""From the sums of a tournament to ratings, meetings and cycles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, sqrt
from typing import TYPE_CHECKING, Any

from ..sim.contest import Contest, Table
from ..sim.counts import SHARE
from ..sim.manifest import Manifest
from ..sim.observations import Observations
from ..sim.options import as_dict
from .effects import Part, fixed_n, is_share, ratio_contrast, within
from .ending import Ending, command_of, ended
from .intervals import Interval, t_value
from .multiple import bonferroni_level, holm
from .paired import Difference
from .ratings import Ranking, elo, plackett_luce, rating_covariance, score_contributions
from .verdict import LEAST_OBSERVATIONS

if TYPE_CHECKING:
    pass

DEFAULT_DEALS = 2_000
LEAST_PLACES = 50
"""First places of every strategy below which ratings have no intervals."""
PRIOR = 0.5
"""Made-up games won and lost against an average strategy, so that ratings are finite."""
SHOWN_CYCLES = 5


@dataclass(frozen=True)
class Meeting:
    """What two strategies came to at the tables both sat at."""

    one: int
    other: int
    share: float
    """Of the first places that one of the two took, the first one's part."""
    difference: Difference
    """Of both parts: twice the share, less 1. Intervals of all meetings hold together."""
    p_adjusted: float
    """Adjusted for the number of meetings (Holm)."""
    expected: float
    """The share that the ratings predict for the tables that were played."""


@dataclass(frozen=True)
class Entrant:
    """What a strategy came to."""

    name: str
    rating: float
    """On Elo's scale; the mean of all is 0."""
    interval: Interval | None
    """None where too little is known for one."""
    figures: dict[str, float]
    """By figure its share, or its mean a seat, at the tables it sat at."""


@dataclass(frozen=True, kw_only=True)
class Tournament(Ending):
    """What a tournament came to; `to_json` gives the published form."""

    entrants: tuple[Entrant, ...]
    """In the order given."""
    meetings: tuple[Meeting, ...]
    cycles: tuple[tuple[int, ...], ...]
    """A beats B beats C beats A, each beyond chance."""
    capped: int

    @property
    def gauntlet(self) -> bool:
        """Whether the first entrant met each of the others, and these not each other."""
        pairs = {frozenset((one.one, one.other)) for one in self.meetings}
        return len(self.entrants) > 2 and all(0 in pair for pair in pairs)

    @property
    def ranking(self) -> tuple[int, ...]:
        """Numbers of the entrants, the highest rated first."""
        numbers = range(len(self.entrants))
        return tuple(sorted(numbers, key=lambda one: (-self.entrants[one].rating, one)))

    def meeting(self, one: int, other: int) -> Meeting | None:
        """Return the meeting of two entrants, in the order given; None if they never met."""
        return next(
            (found for found in self.meetings if {found.one, found.other} == {one, other}), None
        )

    def share(self, one: int, other: int) -> float | None:
        """Return the first one's share of the first places that one of the two took."""
        found = self.meeting(one, other)
        if found is None:
            return None
        return found.share if found.one == one else 1 - found.share

    def beats(self, one: int, other: int) -> bool:
        """Whether one entrant beats the other beyond chance."""
        found, share = self.meeting(one, other), self.share(one, other)
        if found is None or share is None:
            return False
        return found.p_adjusted < 1 - self.level and share > 0.5

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``tournament --json`` prints."""
        plan = self.contest.tables[0].plan
        return {
            **self.head_json("tournament"),
            "preset": plan.preset,
            "rules": as_dict(plan.rules),
            **self.extent_json(),
            "ratings_scale": "Elo: 400 / log(10) times the log-worth, mean 0",
            "strategies": [
                {
                    "strategy": one.name,
                    "rating": one.rating,
                    "interval": [one.interval.low, one.interval.high] if one.interval else None,
                    "method": one.interval.method if one.interval else None,
                    **one.figures,
                }
                for one in self.entrants
            ],
            "ranking": [self.entrants[one].name for one in self.ranking],
            "meetings": [
                {
                    "a": self.entrants[one.one].name,
                    "b": self.entrants[one.other].name,
                    "share": one.share,
                    # of the share, from that of the difference
                    "interval": [
                        (1 + end) / 2
                        for end in (one.difference.interval.low, one.difference.interval.high)
                    ],
                    "method": one.difference.interval.method,
                    "p_value": one.difference.p_value,
                    "p_adjusted": one.p_adjusted,
                    "expected": one.expected,
                }
                for one in self.meetings
            ],
            "intervals_together": len(self.meetings),
            "cycles": [[self.entrants[one].name for one in cycle] for cycle in self.cycles],
            "capped": self.capped,
            **self.tail_json(),
        }


def _meetings(
    contest: Contest, counts: Observations, log_worths: Sequence[float], level: float
) -> Iterator[Meeting]:
    """Yield who took how much of the first places, for all that sat at a table together."""
    moments = counts.moments["win"]
    sittings = list(contest.places)
    numbers = range(len(contest.arms))
    pairs = [
        (one, other)
        for one in numbers
        for other in numbers
        if one < other and any({one, other} <= set(sitting) for sitting, _ in sittings)
    ]
    judged = fixed_n(bonferroni_level(level, max(1, len(pairs))))
    found = []
    for one, other in pairs:
        shared = {
            j: arm
            for j, (sitting, arm) in enumerate(sittings)
            if {one, other} <= set(sitting) and arm in (one, other)
        }
        part = Part(
            Fraction(1),
            {j: 1 if arm == one else -1 for j, arm in shared.items()},
            dict.fromkeys(shared, 1),
        )
        contrasted = ratio_contrast(counts.games, moments, [part])
        if contrasted is None:  # nobody ever came first
            continue
        # One more observation could move the share by as much as all its games are of all first
        # places there were; with few of these that is a lot.
        together = [table for table in contest.tables if {one, other} <= set(table.arms)]
        places = sum(moments.sums[j] for j in shared)
        largest = -(-len(together) * SHARE * counts.games // places)
        difference = within(judged(*contrasted[:2], float(largest), False))
        expected = _expected(together, one, other, log_worths)
        won = sum(moments.sums[j] for j, arm in shared.items() if arm == one)
        found.append((one, other, won / places, difference, expected))
    adjusted = holm([difference.p_value for _, _, _, difference, _ in found])
    for (one, other, share, difference, expected), p_value in zip(found, adjusted, strict=True):
        yield Meeting(one, other, share, difference, p_value, expected)


def _expected(tables: Sequence[Table], one: int, other: int, log_worths: Sequence[float]) -> float:
    """The first one's part of the first places that the ratings predict at some tables."""
    worths = [exp(log_worth) for log_worth in log_worths]
    chances = [0.0, 0.0]
    for table in tables:
        whole = sum(worths[arm] for arm in table.arms)
        for j, arm in enumerate((one, other)):
            chances[j] += table.arms.count(arm) * worths[arm] / whole
    return chances[0] / sum(chances)


def _rated(contest: Contest, counts: Observations) -> tuple[tuple[float, ...], list[float] | None]:
    """Return the log-worths and their standard errors; None where too little is known for them.

    A game says who came first; who came second isn't used, so that ratings speak about winning. An
    observation's games share a deal: the errors are of observations, however their games depend on
    each other (the sandwich of `rating_covariance`, times n / (n - 1)). It is right for large
    numbers only: of strategies that hardly ever came first it makes far too little.
    """
    import numpy as np

    moments = counts.moments["win"]
    rankings = []
    for j, (sitting, arm) in enumerate(contest.places):
        rest = list(sitting)
        rest.remove(arm)
        rankings.append(Ranking((arm,), tuple(rest), moments.sums[j] / SHARE))
    worths = plackett_luce(rankings, len(contest.arms), prior=PRIOR, names=contest.arms)
    fewest = min(first_places(contest, counts, arm) for arm in range(len(contest.arms)))
    if counts.games < LEAST_OBSERVATIONS or fewest < LEAST_PLACES:
        return worths.log_worths, None
    scores = np.asarray(score_contributions(rankings, worths.log_worths)) / SHARE
    columns = len(rankings)
    products = np.array(
        [[float(moments.product(i, j)) for j in range(columns)] for i in range(columns)]
    )
    covariance = rating_covariance(worths, scores.T @ products @ scores)
    covariance *= counts.games / (counts.games - 1)
    return worths.log_worths, [sqrt(max(0.0, covariance[j, j])) for j in range(len(contest.arms))]


def first_places(contest: Contest, counts: Observations, arm: int) -> float:
    """Return how many first places an entrant took in all, a shared one as its part."""
    sums = counts.moments["win"].sums
    return sum(sums[j] for j, (_, who) in enumerate(contest.places) if who == arm) / SHARE


def _figures(contest: Contest, counts: Observations, arm: int) -> dict[str, float]:
    """A strategy's shares and means a seat, at the tables it sat at."""
    found = {}
    sittings = list(contest.places)
    mine = [j for j, (_, who) in enumerate(sittings) if who == arm]
    seats = sum(len(contest.places[sittings[j]]) for j in mine)
    for figure in contest.seat_figures:
        total = sum(counts.moments[figure].sums[j] for j in mine)
        # A share as if it were of one seat: 1 / players is what an average strategy gets.
        whole = SHARE if figure == "win" else 1
        found[figure] = total / (counts.games * seats * (whole if is_share(contest, figure) else 1))
    return found


def cycles(numbers: Sequence[int], beats: Callable[[int, int], bool]) -> list[tuple[int, ...]]:
    """Return the shortest cycles of who beats whom, each from its smallest number.

    Examples
    --------
    >>> cycles(range(3), lambda one, other: (other - one) % 3 == 1)
    [(0, 1, 2)]
    """
    found: set[tuple[int, ...]] = set()
    for start in numbers:
        paths: list[tuple[int, ...]] = [(start,)]
        seen = {start}
        while paths:
            longer: list[tuple[int, ...]] = []
            for path in paths:
                for other in numbers:
                    if other == start and len(path) > 1 and beats(path[-1], start):
                        at = path.index(min(path))
                        found.add(path[at:] + path[:at])
                    elif other not in seen and beats(path[-1], other):
                        longer.append((*path, other))
            if any(beats(path[-1], start) for path in paths if len(path) > 1):
                break
            seen |= {path[-1] for path in longer}
            paths = longer
    shortest = sorted(found, key=lambda one: (len(one), one))
    return shortest[:SHOWN_CYCLES]


def sum_up(
    manifest: Manifest,
    counts: Observations,
    *,
    status: str,
    stop_reason: str,
    **more: Any,
) -> Tournament:
    """Make the summary of a tournament from its observations."""
    contest = manifest.plan
    assert isinstance(contest, Contest)
    level = manifest.level
    entrants: list[Entrant] = []
    meetings: list[Meeting] = []
    if any(counts.moments["win"].sums) if counts.games else False:
        log_worths, errors = _rated(contest, counts)
        for arm, name in enumerate(contest.arms):
            rating, interval = elo(log_worths[arm]), None
            if errors is not None:
                half = t_value(counts.games - 1, level) * elo(errors[arm])
                interval = Interval(
                    rating - half, rating + half, level, "Plackett-Luce, Student t, by observation"
                )
            entrants.append(Entrant(name, rating, interval, _figures(contest, counts, arm)))
        meetings = list(_meetings(contest, counts, log_worths, level))
    found = Tournament(
        **ended(manifest, counts.games, status=status, stop_reason=stop_reason, **more),
        command=command_of(
            "tournament",
            [manifest.asked["request"]],
            manifest,
            counts.games,
            status,
            DEFAULT_DEALS,
        ),
        entrants=tuple(entrants),
        meetings=tuple(meetings),
        cycles=(),
        capped=sum(counts.capped),
    )
    if not entrants:
        return found
    around = tuple(cycles(range(len(entrants)), found.beats))
    return replace(found, cycles=around)
