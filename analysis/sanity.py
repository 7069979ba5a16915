"""Whether a run can be right: cards accounted for, fair shuffles, known values, sums that agree.

Some games of a run are told again. Each game says what its events must conserve and where its first
shuffle went; nothing here knows which game it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..sim.counts import SHARE, Counts
from ..sim.plan import Plan
from .shuffles import LEAST_SHUFFLES, ShuffleTest, neighbour_test, place_test
from .verify import Check, estimate, plan_of, verdict

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

LEAST_GAMES = 1000
"""Finished games below which known values are not looked at."""
LEAST_SPREAD = 7
"""Standard deviation of a count below which its known rate is not looked at: rarer events are far
from normal, and |z| would be large too often. 49 expected ones have it."""
AUDITED = 2_500
"""Most games whose cards are followed; of all others only the shuffle is looked at."""
KEPT = 5
"""Complaints that are kept; the others are counted."""


@dataclass(frozen=True)
class Audited:
    """Whether every card was accounted for in the games told again."""

    games: int
    complaints: int
    """Games with a card that isn't accounted for."""
    first: tuple[tuple[int, str], ...]
    """The first of them: index of the game, and which event is wrong."""

    def __add__(self, other: Audited) -> Audited:
        """Return what was found in both, of other games or at another table."""
        return Audited(
            self.games + other.games,
            self.complaints + other.complaints,
            (self.first + other.first)[:KEPT],
        )

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not self.complaints

    @property
    def sentence(self) -> str:
        """What was found."""
        games = f"{self.games:,} game{'' if self.games == 1 else 's'} told again"
        if not self.games:
            return "No game was told again."
        if self.passed:
            return f"Every card is accounted for after every event of {games}."
        index, said = self.first[0]
        return (
            f"Cards are not accounted for in {self.complaints:,} of {games}; in number {index}, "
            f"{said}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain lists and dictionaries."""
        return {
            "games": self.games,
            "complaints": self.complaints,
            "first": [{"index": index, "complaint": said} for index, said in self.first],
            "passed": self.passed,
        }


@dataclass(frozen=True)
class Columns:
    """Sums that must agree however the cards fell."""

    checked: int
    faults: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether all agree."""
        return not self.faults

    @property
    def sentence(self) -> str:
        """What was found."""
        if not self.checked:
            return "No sums over the games were compared."
        if self.passed:
            return f"All {self.checked} sums over the games agree."
        return (
            f"{len(self.faults)} of {self.checked} sums over the games disagree: "
            + "; ".join(self.faults[:KEPT])
            + ("." if len(self.faults) <= KEPT else " ..")
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain lists and dictionaries."""
        return {"checked": self.checked, "faults": list(self.faults), "passed": self.passed}


@dataclass(frozen=True)
class Sanity:
    """Everything that was looked at."""

    audited: Audited
    places: ShuffleTest | None
    """None: too few games, or places, to tell."""
    neighbours: ShuffleTest | None
    """None also where places have several cards."""
    known: tuple[Check, ...]
    columns: Columns

    @property
    def shuffles(self) -> tuple[ShuffleTest, ...]:
        """The tests of shuffles that could be made."""
        return tuple(test for test in (self.places, self.neighbours) if test)

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return (
            self.audited.passed
            and self.columns.passed
            and all(one.passed for one in self.shuffles)
            and all(one.passed for one in self.known)
        )

    def sentences(self) -> Iterator[str]:
        """Yield a sentence each."""
        yield self.audited.sentence
        if self.places is None:
            yield "Too few games, or places, to tell whether shuffles are fair."
        yield from (test.sentence for test in self.shuffles)
        if self.known:
            yield verdict(list(self.known))
        else:
            yield "No value is known of these rules and strategies, or it takes more games."
        yield self.columns.sentence

    def to_json(self) -> dict[str, Any]:
        """Return plain lists and dictionaries."""
        return {
            "passed": self.passed,
            "audited": self.audited.to_json(),
            "places": self.places.to_json() if self.places else None,
            "neighbours": self.neighbours.to_json() if self.neighbours else None,
            "known": [
                {
                    "name": one.fact.name,
                    "value": one.fact.value,
                    "source": one.fact.source,
                    "simulated": one.simulated,
                    "standard_error": one.error,
                    "z": one.z,
                    "games": one.games,
                    "passed": one.passed,
                }
                for one in self.known
            ],
            "columns": self.columns.to_json(),
        }


class Auditor:
    """Looks at games as they are told.

    Examples
    --------
    >>> from simcards.analysis.at_table import tell
    >>> from simcards.sim.plan import make_plan
    >>> plan = make_plan("horner", rules={"rounds": 1}, seed=1)
    >>> auditor = Auditor(plan)
    >>> told = tell(plan, 0, 20, auditor.see)
    >>> auditor.audited.sentence
    'Every card is accounted for after every event of 20 games told again.'
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._games = 0
        self._complaints = 0
        self._first: list[tuple[int, str]] = []
        # Of each game the cards of its first shuffle, place after place, and the sizes of the
        # places that all games have.
        self._cards: list[tuple[int, ...]] = []
        self._sizes: tuple[int, ...] | None = None

    def see(self, index: int, log: Sequence[Sequence[int]]) -> None:
        """Look at a game: its index, and the kernel's events."""
        game, rules = self._plan.description, self._plan.rules
        complaint = ""
        if self._games < AUDITED:
            self._games += 1
            complaint = game.audit(rules, log)
        if complaint:  # and where its cards came from can't be said
            self._complaints += 1
            if len(self._first) < KEPT:
                self._first.append((index, complaint))
            return
        groups = game.dealt(rules, log)
        sizes = tuple(map(len, groups))
        if self._sizes is None:
            self._sizes = sizes
        same = [a == b for a, b in zip(self._sizes, sizes, strict=False)]
        self._sizes = self._sizes[: (*same, False).index(False)]
        kept = sum(self._sizes)
        self._cards.append(tuple(card for group in groups for card in group)[:kept])

    @property
    def audited(self) -> Audited:
        """Whether every card was accounted for."""
        return Audited(self._games, self._complaints, tuple(self._first))

    @property
    def cards(self) -> np.ndarray:
        """A row a game: the cards at the places that all games have."""
        import numpy as np

        kept = sum(self._sizes or ())
        rows = [cards[:kept] for cards in self._cards]
        return np.array(rows, np.int64).reshape(len(rows), kept)

    def places(self) -> ShuffleTest | None:
        """Test which card comes where, see `place_test`."""
        if len(self._cards) < LEAST_SHUFFLES:
            return None
        deck = self._plan.description.composition(self._plan.rules)
        return place_test(self.cards, self._sizes or (), deck)

    def neighbours(self) -> ShuffleTest | None:
        """Test which card follows which, see `neighbour_test`; None if places have several."""
        if len(self._cards) < LEAST_SHUFFLES or any(size != 1 for size in self._sizes or ()):
            return None
        return neighbour_test(self.cards, self._plan.description.composition(self._plan.rules))


def known_values(plan: Plan, counts: Counts) -> tuple[Check, ...]:
    """Compare a run with the known values that are of its rules and strategies.

    Parameters
    ----------
    plan : Plan
    counts : Counts
        Of the run. With fewer than `LEAST_GAMES` finished games nothing is compared.

    Returns
    -------
    tuple of Check
        Maybe none. One in 16,000 true values fails, as in `verify`.
    """
    return tuple(_known_values(plan, counts))


def _known_values(plan: Plan, counts: Counts) -> Iterator[Check]:
    if counts.finished < LEAST_GAMES:
        return
    choices = [player.choices for player in plan.players]
    for fact in plan.description.facts:
        about = plan_of(fact, plan.game, plan.seed)
        if about.rules != plan.rules or [one.choices for one in about.players] != choices:
            continue
        if isinstance(fact.figure, tuple) and fact.figure[1] not in counts.tallies[fact.figure[0]]:
            continue
        value, error = estimate(fact, plan, counts)
        spread = fact.value * (1 - fact.value)
        if 0 < fact.value < 1 and spread < LEAST_SPREAD * error:
            continue  # n p (1 - p) is the square of spread / error
        yield Check(fact, value, math.hypot(error, fact.error), counts.finished)


def columns(
    plan: Plan, counts: Counts, first: int = 0, rows: pl.DataFrame | None = None
) -> Columns:
    """Check what must hold of the counts of any run, and of its rows.

    Parameters
    ----------
    plan : Plan
    counts : Counts
    first : int
        Index of the first game.
    rows : polars.DataFrame, optional
        Of the same games.
    """
    found = list(_sums(plan, counts))
    if rows is not None:
        found += _rows(counts, first, rows)
    faults = (f"{said}: {one:,} and {other:,}" for said, one, other in found if one != other)
    return Columns(len(found), tuple(faults))


def _sums(plan: Plan, counts: Counts) -> Iterator[tuple[str, int, int]]:
    """Yield two numbers that must be equal, and what they are."""
    shared60 = [sum(SHARE // many * games for many, games in one.items()) for one in counts.shared]
    of_all = {many for one in counts.shared for many in one}
    shared = sum(sum(one.get(many, 0) for one in counts.shared) * SHARE // many for many in of_all)
    alone = sum(counts.wins)
    ended = alone + counts.nobody + counts.capped
    yield (
        "games, and those won alone, shared, won by nobody and capped, in sixtieths",
        SHARE * counts.games,
        SHARE * ended + shared,
    )
    yield "games, and those finished and capped", counts.games, counts.finished + counts.capped
    won = counts.finished - counts.nobody
    yield "sixtieths of games with a winner, and of first places", SHARE * won, sum(counts.score60)
    for seat, (wins, part, score) in enumerate(
        zip(counts.wins, shared60, counts.score60, strict=True)
    ):
        yield f"sixtieths of first places of seat {seat}", SHARE * wins + part, score
    histograms = {name: (one,) for name, one in counts.lengths.items()} | dict(counts.scores)
    by_field = {
        (count.field, count.per_seat): counts.events[count.name]
        for count in plan.description.counts
        if count.at is None and not count.capped
    }
    for column in plan.description.columns:
        name = column.name.rstrip("_")
        if name not in histograms:
            continue
        seats = histograms[name]
        for seat, one in enumerate(seats):
            of = f"{name} of seat {seat}" if column.per_seat else name
            yield f"finished games, and those with {of}", counts.finished, sum(one.values())
            summed = by_field.get((column.source, column.per_seat))
            if summed is not None:
                total = summed if isinstance(summed, int) else summed[seat]
                yield f"sum of {of}, twice", sum(value * n for value, n in one.items()), total


def _rows(counts: Counts, first: int, rows: pl.DataFrame) -> Iterator[tuple[str, int, int]]:
    """Yield numbers of the rows, and of the counts."""
    import polars as pl

    yield "games, and rows", counts.games, rows.height
    right = rows["index"] == pl.int_range(first, first + rows.height, eager=True)
    yield "rows, and those with the index that comes next", rows.height, int(right.sum())
    yield "capped games, and rows", counts.capped, int((rows["status"] == "capped").sum())
    for seat, wins in enumerate(counts.wins):
        alone = int((rows["winner"] == seat).sum())
        yield f"games and rows that seat {seat} won alone", wins, alone


def sanity(
    plan: Plan,
    counts: Counts,
    auditor: Auditor,
    *,
    first: int = 0,
    rows: pl.DataFrame | None = None,
) -> Sanity:
    """Say whether a run can be right.

    Parameters
    ----------
    plan : Plan
    counts : Counts
        Of the run.
    auditor : Auditor
        Which has seen some of its games.
    first : int
        Index of the first game.
    rows : polars.DataFrame, optional
        Of all its games.
    """
    return Sanity(
        auditor.audited,
        auditor.places(),
        auditor.neighbours(),
        known_values(plan, counts),
        columns(plan, counts, first, rows),
    )
