"""Whether a run can be right: cards accounted for, fair shuffles, known values, sums that agree.

Some games of a run are told again. Each game says what its events must conserve and where its first
shuffle went; nothing here knows which game it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..sim.counts import SHARE, Counts
from ..sim.plan import Plan
from .verify import Check, estimate, plan_of, verdict

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

SHUFFLE_LIMIT = 1e-4
"""p-value below which a shuffle fails; one in 10,000 fair ones would."""
LEAST_EXPECTED = 5
"""Cells of a table are joined until so many are expected in each."""
MOST_KINDS = 16
"""Kinds of cards that neighbours are looked at by; more are joined."""
LEAST_SHUFFLES = 100
"""Shuffles below which nothing is said of them."""
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
class ShuffleTest:
    """A chi-squared test of shuffles."""

    name: str
    """places: which card comes where; neighbours: which card follows which."""
    games: int
    cards: int
    """Classes of cards that were told apart."""
    places: int
    """Places that every game has, or classes of them."""
    statistic: float
    degrees: int

    @property
    def p_value(self) -> float:
        """How often a fair shuffle gives this statistic or a larger one."""
        from scipy.stats import chi2

        return float(chi2.sf(self.statistic, self.degrees))

    @property
    def passed(self) -> bool:
        """Whether the p-value is not below the limit."""
        return self.p_value >= SHUFFLE_LIMIT

    @property
    def sentence(self) -> str:
        """What was found."""
        what = {
            "places": f"{self.cards} kinds of cards over {self.places} places",
            "neighbours": f"{self.cards} kinds of cards, one after the other",
        }[self.name]
        said = "nothing speaks" if self.passed else "much speaks"
        return (
            f"{self.games:,} first shuffles, {what}: {said} against fair ones (chi-squared "
            f"{self.statistic:.1f}, {self.degrees} degrees of freedom, p = {self.p_value:.2g}; "
            f"below {SHUFFLE_LIMIT:g} it fails)."
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain lists and dictionaries."""
        return {
            "name": self.name,
            "games": self.games,
            "cards": self.cards,
            "places": self.places,
            "chi_squared": self.statistic,
            "degrees": self.degrees,
            "p_value": self.p_value,
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


def _join(classes: list[list[int]], copies: list[int]) -> None:
    """Join the smallest class with the smaller one beside it."""
    at = copies.index(min(copies))
    beside = [j for j in (at - 1, at + 1) if 0 <= j < len(classes)]
    other = min(beside, key=lambda j: copies[j])
    low, high = sorted((at, other))
    classes[low] += classes.pop(high)
    copies[low] += copies.pop(high)


def _labels(classes: Sequence[Sequence[int]]) -> np.ndarray:
    """Return by number the class it is in."""
    import numpy as np

    labels = np.empty(sum(map(len, classes)), np.int64)
    for label, members in enumerate(classes):
        labels[list(members)] = label
    return labels


def place_test(
    cards: np.ndarray, sizes: Sequence[int], deck: Mapping[int, int]
) -> ShuffleTest | None:
    """Test whether every card comes to every place equally often.

    O[r, c] counts over n shuffles the cards of class r (m_r copies in a deck of m cards) that came
    to places of class c (m_c of them; the rest of the deck is one class). A shuffle's own table has
    the multivariate hypergeometric distribution, with means m_r m_c / m and covariances

        Cov(X_rc, X_sd) = (m_r [r=s] - m_r m_s / m) (m_c [c=d] - m_c m_d / m) / (m - 1).

    So with E = n m_r m_c / m, p_r = m_r / m and q_c = m_c / m the numbers (O - E) / sqrt(E) have
    the covariance matrix m / (m - 1) times (I - sqrt(p) sqrt(p)') x (I - sqrt(q) sqrt(q)'), where x
    is Kronecker's product: a projection of rank (R - 1)(C - 1). By the central limit theorem

        (m - 1) / m * sum (O - E)^2 / E

    has for many shuffles the chi-squared distribution with (R - 1)(C - 1) degrees of freedom.
    (Without the factor it is Pearson's statistic, of cards that don't share a deck.) Classes are
    joined until every E is at least `LEAST_EXPECTED`; which ones depends on n, the deck and the
    sizes alone.

    Where games end at different places, the last place that all of them have depends on the cards.
    Whether there is a k-th card is decided by those before it, so the test at a fixed place would
    be fair; at the one found, a fair shuffle fails at most as many times as often as there are
    places it may well be, which are few.

    Parameters
    ----------
    cards : int array, a row a shuffle
        Cards place after place.
    sizes : sequence of int
        Cards of each place.
    deck : mapping of int to int
        Copies of each card.

    Returns
    -------
    ShuffleTest or None
        None with too few shuffles for two classes of each.
    """
    import numpy as np

    n, m = len(cards), sum(deck.values())
    kinds = sorted(deck)
    columns = [*sizes, m - sum(sizes)] if m > sum(sizes) else list(sizes)
    rows = [deck[kind] for kind in kinds]
    row_classes = [[j] for j in range(len(rows))]
    column_classes = [[j] for j in range(len(columns))]
    while True:
        if len(rows) < 2 or len(columns) < 2:
            return None
        if n * min(rows) * min(columns) >= LEAST_EXPECTED * m:
            break
        if len(rows) >= len(columns):
            _join(row_classes, rows)
        else:
            _join(column_classes, columns)
    of_card, of_place = _labels(row_classes), _labels(column_classes)
    observed = np.zeros((len(rows), len(columns)))
    place = np.repeat(of_place[: len(sizes)], sizes)
    np.add.at(observed, (of_card[np.searchsorted(kinds, cards)], place), 1)
    if m > sum(sizes):
        undealt = n * np.array([deck[kind] for kind in kinds]) - np.bincount(
            np.searchsorted(kinds, cards).ravel(), minlength=len(kinds)
        )
        np.add.at(observed[:, of_place[-1]], of_card, undealt)
    expected = n * np.outer(rows, columns) / m
    statistic = float(((observed - expected) ** 2 / expected).sum() * (m - 1) / m)
    degrees = (len(rows) - 1) * (len(columns) - 1)
    return ShuffleTest("places", n, len(rows), len(columns), statistic, degrees)


def neighbour_test(cards: np.ndarray, deck: Mapping[int, int]) -> ShuffleTest | None:
    """Test whether every card follows every other one equally often.

    N[r, s] counts in a shuffle the places k < K at which a card of class r lies and at k + 1 one of
    class s. Any j given places hold cards of classes r, s, .. with probability
    P_j = m_r (m_s - [s=r]) .. / (m (m - 1) .. (m - j + 1)), so that

        E N[r, s] = (K - 1) P_2[r, s]
        E N[r, s] N[t, u] = (K - 1) [r=t][s=u] P_2[r, s] + (K - 2) [s=t] P_3[r, s, u]
            + (K - 2) [u=r] P_3[t, u, s] + (K - 2)(K - 3) P_4[r, s, t, u]:

    the pair itself, the pair after it, the pair before it, and pairs apart. With V the covariance
    matrix that follows, V+ its pseudo-inverse and D the sum over n shuffles of N - E N, the number
    D' V+ D / n has for many shuffles the chi-squared distribution with rank(V) degrees of freedom.
    Classes are joined until every number expected is at least `LEAST_EXPECTED`, and there are at
    most `MOST_KINDS`. For places that depend on the cards see `place_test`.

    Parameters
    ----------
    cards : int array, a row a shuffle
        Its cards, one after the other.
    deck : mapping of int to int
        Copies of each card.

    Returns
    -------
    ShuffleTest or None
        None with too few shuffles for two classes, or fewer than two cards.
    """
    import numpy as np

    n, long = cards.shape
    m = sum(deck.values())
    kinds = sorted(deck)
    copies = [deck[kind] for kind in kinds]
    classes = [[j] for j in range(len(kinds))]
    while True:
        if len(copies) < 2 or long < 2:
            return None
        # Two of the same, or of different classes; what can't come isn't expected.
        few, next_few = sorted(copies)[:2]
        least = min(few * next_few, few * (few - 1) or few * next_few)
        if n * (long - 1) * least >= LEAST_EXPECTED * m * (m - 1) and len(copies) <= MOST_KINDS:
            break
        _join(classes, copies)
    labels = _labels(classes)[np.searchsorted(kinds, cards)]
    r = len(copies)
    pairs = r * labels[:, :-1] + labels[:, 1:]
    observed = np.bincount(pairs.ravel(), minlength=r * r).astype(float)

    mean, values, vectors = _pairs(tuple(copies), long)
    if not len(values):  # the pairs are the same in every order
        return None
    turned = vectors.T @ (observed - n * mean)
    statistic = float((turned**2 / values).sum() / n)
    return ShuffleTest("neighbours", n, r, long, statistic, len(values))


@lru_cache(maxsize=16)
def _pairs(copies: tuple[int, ...], long: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what is expected of the pairs of neighbours in one shuffle.

    Those are their mean numbers, and the eigenvalues above 0 of their covariance matrix with its
    eigenvectors in columns.
    """
    import numpy as np

    r, m = len(copies), sum(copies)
    # P_2, P_3 and P_4, each from the one before: what is left of a class after earlier cards.
    have, same = np.array(copies, float), np.eye(r)
    two = have[:, None] * (have - same)
    three = two[:, :, None] * (have - same[:, None, :] - same)
    four = three[..., None] * (
        have - same[:, None, None, :] - same[:, None, :] - same[None, None, :, :]
    )
    two /= m * (m - 1)
    three /= m * (m - 1) * max(m - 2, 1)
    four /= m * (m - 1) * max(m - 2, 1) * max(m - 3, 1)
    mean = (long - 1) * two.ravel()
    after = np.einsum("rsu,st->rstu", three, same).reshape(r * r, r * r)
    second = (
        np.diag(mean)
        + (long - 2) * (after + after.T)
        + (long - 2) * (long - 3) * four.reshape(r * r, r * r)
    )
    values, vectors = np.linalg.eigh(second - np.outer(mean, mean))
    kept = values > 1e-9 * max(1.0, values[-1])
    return mean, values[kept], vectors[:, kept]


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
