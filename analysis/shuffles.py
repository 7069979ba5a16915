"""Whether shuffles are fair: which card comes where, and which card follows which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

SHUFFLE_LIMIT = 1e-4
"""p-value below which a shuffle fails; one in 10,000 fair ones would."""
LEAST_SHUFFLES = 100
"""Shuffles below which nothing is said of them."""
LEAST_EXPECTED = 5
"""Cells of a table are joined until so many are expected in each."""
MOST_KINDS = 16
"""Kinds of cards that neighbours are looked at by; more are joined."""


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
