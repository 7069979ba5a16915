"""Ratings of strategies from who came before whom, at tables of any size.

The model of Plackett and Luce gives each item a positive *worth*. Of those at a table, an item
comes first with a chance in proportion to its worth; of the others, the next one likewise; and so
on. At two-player tables it is the model of Bradley and Terry, which Elo's ratings also rest on.

*Why not Elo's updates.* They change ratings after each game by a step of fixed size, so the result
depends on the order of the games and never settles; they are made for players who change. A fixed
strategy doesn't. All its games count alike, and the worths under which all of them together are
likeliest are the same in any order, use each game fully and come with a covariance.

*What the model doesn't know.* That of two items one is better by the same odds whoever else sits
at the table (Luce's axiom) is an assumption. Where strategies hurt some opponents more than others,
the ratings are an average over the tables that were played, and no rating will show that rock beats
scissors. Nor does it know that games may share a deal: see `rating_covariance`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite, log
from operator import index
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

CONVERGED = 1e-10
"""Newton's method ends with the first step that changes no log-worth by more."""
MOST_ITERATIONS = 10_000
"""Never reached: it guards against an endless loop."""


@dataclass(frozen=True)
class Ranking:
    """What one game said about the items at its table.

    Items are numbers from 0. One that had several seats is given as often as it had seats: if items
    0 and 1 had two seats each and 0 won, that is `Ranking((0,), (0, 1, 1))`.

    Attributes
    ----------
    order
        Those whose places are known, from the first.
    rest
        Those that came after all of `order`, nobody knows how: of a game that only has a winner,
        the others.
    weight
        How many such games there were. A win that k items share may be given as k rankings, one
        for each as the winner, with the weight 1/k.

    Raises
    ------
    ValueError
        If `order` is empty.
    ValueError
        If `weight` is negative or isn't finite.
    """

    order: tuple[int, ...]
    rest: tuple[int, ...] = ()
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not self.order:
            raise ValueError("a ranking must name at least the item that came first")
        if not (isfinite(self.weight) and self.weight >= 0):
            raise ValueError(f"weight must be finite and at least 0, not {self.weight}")


@dataclass(frozen=True)
class Worths:
    """The worths under which some rankings are likeliest.

    Attributes
    ----------
    log_worths
        Natural logarithms of the items' worths. Only their differences mean something, so their
        mean is 0.
    log_likelihood
        Logarithm of the chance of the rankings at these worths, without the `prior`.
    iterations
        Steps of Newton's method.
    prior
        As it was given.
    information
        Observed information: the negative second derivatives of what was maximised by the
        log-worths, a matrix that can't be written to. Its rows add up to 0.
    """

    log_worths: tuple[float, ...]
    log_likelihood: float
    iterations: int
    prior: float
    information: NDArray[Any] = field(repr=False, compare=False)


def plackett_luce(
    rankings: Iterable[Ranking], items: int, *, prior: float = 0.0, names: Sequence[str] = ()
) -> Worths:
    """Worths of items by maximum likelihood, from all rankings at once.

    *Use it* for strategies that played each other at mixed tables, not all of them at each. *Don't
    use it* for two strategies that only met each other, where the share of wins says the same and
    needs no model; nor to show who beats whom, which is a table of shares.

    Parameters
    ----------
    rankings
        What the games said. Their order doesn't matter, and equal ones may be given once with
        their number as the weight, which is faster.
    items
        How many items there are; they are 0, 1, ..., `items` - 1.
    prior
        If positive, each item also wins and loses so many made-up games of two against an item of
        worth 1, the (geometric) mean of all worths. That pulls all worths together a little and
        makes them finite whatever the rankings: 0.5 is hardly noticed beside hundreds of games.
    names
        What the items are called in messages, if not by their numbers.

    Returns
    -------
    The worths, with what intervals need. Log-worths are exact to about `CONVERGED`.

    Raises
    ------
    ValueError
        If `prior` is 0 and the likelihood has no maximum: some items never came after any of the
        others, or never met them. Then it grows forever with the distance between them, or doesn't
        depend on it. The message names them.
    ValueError
        If a ranking has an item that isn't from 0 to `items` - 1.
    ValueError
        If `items` is less than 1, `prior` is negative or isn't finite, or there are `names`, but
        not `items` of them.

    Notes
    -----
    *The likelihood.* Let c_j be the number of seats that item j has among those that aren't placed
    yet, and w_j its worth. The next place goes to item i with the chance

        c_i w_i / sum_j c_j w_j,

    whichever of its seats it is. A ranking's chance is the product of these over `order`. With the
    log-worths as unknowns its logarithm is concave, and strictly so, apart from a constant added to
    all of them, if the graph with an arrow from each item to all that it was placed before is
    strongly connected; if it isn't, there is no single maximum (Hunter, assumption 1).

    *How it is solved.* By Newton's method from equal worths. A step s is shortened to t s with

        t = log(1 + d) / d,

    where d is the largest difference within s between two items that met. Along s the logarithm's
    third derivative is at most d times its second, because the third central moment of values that
    differ by d at most is at most d times their variance; so the second derivative grows by at most
    e^(d t), and with this t the likelihood always rises, by an amount that depends on how far it
    has to go (Sun and Tran-Dinh call that generalized self-concordance). No likelihoods are
    compared, so rounding can't stop it early; near the maximum t is 1 and each step doubles the
    digits. Hunter's MM algorithm finds the same maximum, in many more steps.

    References
    ----------
    R. D. Luce (1959), Individual choice behavior, Wiley.
    R. L. Plackett (1975), The analysis of permutations, Appl. Statist. 24, 193-202.
    D. R. Hunter (2004), MM algorithms for generalized Bradley-Terry models, Ann. Statist. 32,
    384-406.
    T. Sun, Q. Tran-Dinh (2019), Generalized self-concordant functions: a recipe for Newton-type
    methods, Math. Program. 178, 145-213.

    Examples
    --------
    At tables with two seats for each of two items, the first one won 30 of 40 games: its worth is
    three times the other's.

    >>> won, lost = Ranking((0,), (0, 1, 1), 30), Ranking((1,), (0, 0, 1), 10)
    >>> worths = plackett_luce([won, lost], 2)
    >>> [round(elo(log_worth), 1) for log_worth in worths.log_worths]
    [95.4, -95.4]

    An item that always won has no finite worth, unless by a prior.

    >>> plackett_luce([won], 2, names=("old", "new"))
    Traceback (most recent call last):
        ...
    ValueError: no finite ratings: old never came after new; new never came before old. \
More games or a positive prior would give some
    >>> [round(elo(log_worth)) for log_worth in plackett_luce([won], 2, prior=0.5).log_worths]
    [375, -375]
    """
    import numpy as np

    items, names = index(items), tuple(names)
    if items < 1:
        raise ValueError(f"there must be at least 1 item, not {items}")
    if not (isfinite(prior) and prior >= 0):
        raise ValueError(f"prior must be finite and at least 0, not {prior}")
    if names and len(names) != items:
        raise ValueError(f"there must be {items} names, as many as items, not {len(names)}")
    places = _Places(rankings, items)
    if prior == 0:
        _refuse_without_maximum(places, names or tuple(map(str, range(items))))
    log_worths = np.zeros(items)
    step = np.full(items, inf)
    iterations = 0
    while abs(step).max() > CONVERGED:
        if iterations == MOST_ITERATIONS:
            raise RuntimeError(f"no maximum after {iterations} steps, the last one {step}")
        iterations += 1
        chances = places.chances(log_worths)
        step = _centred_solution(
            places.information(chances) + prior * _prior_information(log_worths),
            places.gradient(chances) + prior * _prior_gradient(log_worths),
        )
        apart = max(places.largest_difference(step), float(abs(step).max()) if prior else 0.0)
        log_worths += step * (np.log1p(apart) / apart if apart else 1.0)
        log_worths -= log_worths.mean()
    chances = places.chances(log_worths)
    information = places.information(chances) + prior * _prior_information(log_worths)
    information.setflags(write=False)
    likelihood = places.log_likelihood(log_worths)
    return Worths(tuple(log_worths.tolist()), likelihood, iterations, prior, information)


def elo(log_worth: float) -> float:
    """A log-worth, or a difference of two, on Elo's scale: 400 / log(10) times it.

    Of two items, one that is rated 100 higher comes before the other 64 times of 100, one that is
    200 higher 76 times. The average item is at 0. Half-widths of intervals are converted likewise,
    variances twice.

    References
    ----------
    A. E. Elo (1978), The rating of chessplayers, past and present, Arco.

    Examples
    --------
    >>> round(elo(log(64 / 36)))
    100
    """
    return 400 / log(10) * log_worth


def score_contributions(rankings: Iterable[Ranking], log_worths: Sequence[float]) -> NDArray[Any]:
    """What each ranking adds to the gradient of the log likelihood, *without its weight*.

    They are what the J of `rating_covariance` is made of. Their weights are left out because they
    enter J in different ways: with n independent games that are given as one ranking of weight n,
    J grows by n g g^T; with a share 1/k of one game, g / k is added to the sum of its deal.

    Parameters
    ----------
    rankings
        As for `plackett_luce`.
    log_worths
        Where the gradient is taken, as `Worths.log_worths`; any constant may be added.

    Returns
    -------
    A row for each ranking with a column for each item: how often the item was placed, less how
    often that was to be expected. Each row adds up to 0. At the maximum without a prior, so does
    each column, if multiplied by the weights.

    Raises
    ------
    ValueError
        If a ranking has an item for which there is no log-worth.

    Examples
    --------
    >>> score_contributions([Ranking((0,), (0, 1, 1)), Ranking((1, 0))], [0.0, 0.0]).tolist()
    [[0.5, -0.5], [-0.5, 0.5]]
    """
    import numpy as np

    values = np.array(log_worths, dtype=float)
    rankings = list(rankings)
    rows = np.zeros((len(rankings), len(values)))
    known: dict[tuple[int, ...], NDArray[Any]] = {}
    for row, ranking in zip(rows, rankings, strict=True):
        for item, seats in _placings(ranking, len(values)):
            if seats not in known:
                known[seats] = np.exp(_log_chances(np.array([seats], dtype=float), values)[0])
            row[item] += 1
            row -= known[seats]
    return rows


def rating_covariance(worths: Worths, score_products: ArrayLike | None = None) -> NDArray[Any]:
    """Covariance of the log-worths, for intervals.

    The standard error of item i is the root of V[i, i]. It is that of its distance from the mean of
    all items. Of two items, what is asked is mostly the difference, whose variance is
    V[i, i] + V[j, j] - 2 V[i, j]: two intervals that overlap say little about it.

    Parameters
    ----------
    worths
        The maximum, as found by `plackett_luce`.
    score_products
        J, the sum of s s^T over independent clusters, where s is the sum of the weighted
        `score_contributions` of a cluster's rankings at `worths.log_worths`. A cluster is all that
        isn't independent: the games of one deal, with seats changed. Some dozens of clusters are
        the least, or the covariance comes out too small.

        Without it, all rankings must be independent games, their weights numbers of games, and the
        model true.

    Returns
    -------
    H^+ J H^+ (the "sandwich"), or H^+ without J, where H is the information and H^+ its
    pseudo-inverse. Like the log-worths, its rows and columns add up to 0.

    Raises
    ------
    ValueError
        If `score_products` isn't a symmetric matrix of finite numbers with a row for each item.

    Notes
    -----
    The sandwich holds without the model's being true (White). If the odds between two items do
    depend on who else is there, the worths are those that fit the tables best, and their error is
    right if tables were drawn like deals or each cluster has them all. If each cluster has one
    table and their numbers were fixed, it is rather too large: J takes what the model gets wrong
    about a table for chance.

    With a prior, H has its information too, and intervals are around the worths that it pulled
    together.

    References
    ----------
    P. J. Huber (1967), The behavior of maximum likelihood estimates under nonstandard conditions,
    Proc. 5th Berkeley Symp. 1, 221-233.
    H. White (1982), Maximum likelihood estimation of misspecified models, Econometrica 50, 1-25.

    Examples
    --------
    Fifty deals, each played twice with the seats changed. In 20 of them the first item won both
    games, in 10 the second, in the others each won one, which says the least about them.

    >>> first, second = Ranking((0,), (1,), 60), Ranking((1,), (0,), 40)
    >>> worths = plackett_luce([first, second], 2)
    >>> a, b = score_contributions([first, second], worths.log_worths)
    >>> deals = [(20, a + a), (10, b + b), (20, a + b)]
    >>> products = sum(n * score[:, None] * score for n, score in deals)
    >>> variance = rating_covariance(worths, products)[0, 0]
    >>> round(elo(worths.log_worths[0])), round(elo(1.96 * variance**0.5))
    (35, 38)

    As if the 100 games were independent, it would be too sure.

    >>> round(elo(1.96 * rating_covariance(worths)[0, 0] ** 0.5))
    35
    """
    import numpy as np

    bread = _centred_inverse(worths.information)
    if score_products is None:
        return bread
    products = np.array(score_products, dtype=float)
    if products.shape != bread.shape:
        raise ValueError(f"score_products must have the shape {bread.shape}, not {products.shape}")
    if not np.isfinite(products).all():
        raise ValueError("score_products must be finite")
    if abs(products - products.T).max() > 1e-9 * abs(products).max():
        raise ValueError("score_products must be symmetric")
    covariance = bread @ products @ bread
    return np.asarray((covariance + covariance.T) / 2)


class _Places:
    """All places that were given, by the seats among which that was.

    A game's table and who is left of it come back again and again, so there are far fewer rows than
    rankings.
    """

    def __init__(self, rankings: Iterable[Ranking], items: int) -> None:
        import numpy as np

        won: dict[tuple[int, ...], dict[int, float]] = defaultdict(lambda: defaultdict(float))
        for ranking in rankings:
            for item, seats in _placings(ranking, items):
                # Where only one item is left, its place says nothing.
                if ranking.weight > 0 and seats[item] < sum(seats):
                    won[seats][item] += ranking.weight
        # In an order that doesn't depend on that of the rankings.
        tables = sorted(won)
        self.seats = np.array(tables, dtype=float).reshape(len(tables), items)
        self.wins = np.zeros_like(self.seats)
        for row, table in enumerate(tables):
            for item, weight in won[table].items():
                self.wins[row, item] = weight
        self.present = self.seats > 0

    def chances(self, log_worths: NDArray[Any]) -> NDArray[Any]:
        """Row by row, each item's chance to be the next."""
        import numpy as np

        return np.asarray(np.exp(_log_chances(self.seats, log_worths)))

    def log_likelihood(self, log_worths: NDArray[Any]) -> float:
        happened = self.wins > 0
        logarithms = _log_chances(self.seats, log_worths)[happened]
        return float(self.wins[happened] @ logarithms)

    def gradient(self, chances: NDArray[Any]) -> NDArray[Any]:
        """Places that each item got, less those to be expected.

        What i got and j might have had, less the reverse, summed over all j: a strong item's many
        wins and expected wins, nearly equal, are never subtracted from each other.
        """
        import numpy as np

        flow = self.wins.T @ chances
        return np.asarray((flow - flow.T).sum(axis=1))

    def information(self, chances: NDArray[Any]) -> NDArray[Any]:
        """Negative second derivatives of the log likelihood.

        On the diagonal, p (1 - p) is the sum of what stands beside it, which loses no digits where
        p is nearly 1.
        """
        import numpy as np

        beside = (chances * self.wins.sum(axis=1, keepdims=True)).T @ chances
        np.fill_diagonal(beside, 0.0)
        beside = (beside + beside.T) / 2
        return np.asarray(np.diag(beside.sum(axis=1)) - beside)

    def largest_difference(self, step: NDArray[Any]) -> float:
        """The largest difference in `step` between two items of a row."""
        import numpy as np

        if not len(self.seats):
            return 0.0
        highest = np.where(self.present, step, -inf).max(axis=1)
        lowest = np.where(self.present, step, inf).min(axis=1)
        return float((highest - lowest).max())


def _placings(ranking: Ranking, items: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the item at each place of `order`, with the seats of each item among which that was."""
    seats = [0] * items
    for item in (*ranking.order, *ranking.rest):
        if not 0 <= index(item) < items:
            raise ValueError(f"items must be from 0 to {items - 1}, not {item}")
        seats[item] += 1
    for item in ranking.order:
        yield item, tuple(seats)
        seats[item] -= 1


def _log_chances(seats: NDArray[Any], log_worths: NDArray[Any]) -> NDArray[Any]:
    """Row by row, the logarithm of each item's chance to be the next; -inf without a seat."""
    import numpy as np

    # The largest term is 1 after the subtraction, so worths of any size are fine.
    terms = np.full(seats.shape, -inf)
    np.log(seats, out=terms, where=seats > 0)
    terms += log_worths
    terms -= terms.max(axis=1, keepdims=True)
    return np.asarray(terms - np.log(np.exp(terms).sum(axis=1, keepdims=True)))


def _prior_gradient(log_worths: NDArray[Any]) -> NDArray[Any]:
    """That of a win and a loss of each item against their mean, as `log_worths` move it too."""
    import numpy as np

    # At the log-worth x, log(p) + log(1 - p) with p = 1 / (1 + e^-x) has the slope 1 - 2 p.
    slopes = -np.tanh(log_worths / 2)
    return np.asarray(slopes - slopes.mean())


def _prior_information(log_worths: NDArray[Any]) -> NDArray[Any]:
    """Negative second derivatives of the same."""
    import numpy as np

    to_mean = np.eye(len(log_worths)) - 1 / len(log_worths)
    # 2 p (1 - p). The largest exponent is 0, so none of them overflows.
    odds = np.exp(-abs(log_worths))
    return np.asarray(to_mean @ np.diag(2 * odds / (1 + odds) ** 2) @ to_mean)


def _centred_solution(information: NDArray[Any], gradient: NDArray[Any]) -> NDArray[Any]:
    """The step with the mean 0 that `information` turns into `gradient`.

    A constant added to all log-worths changes nothing, so one of them can be held while the others
    are solved for: the one that most is known about, which does least harm to the rest.
    """
    import numpy as np

    free = np.arange(len(gradient)) != information.diagonal().argmax()
    step = np.zeros(len(gradient))
    step[free] = np.linalg.solve(information[np.ix_(free, free)], gradient[free])
    return np.asarray(step - step.mean())


def _centred_inverse(information: NDArray[Any]) -> NDArray[Any]:
    """Pseudo-inverse, by the same way."""
    import numpy as np

    free = np.arange(len(information)) != information.diagonal().argmax()
    inverse = np.zeros_like(information)
    inverse[np.ix_(free, free)] = np.linalg.inv(information[np.ix_(free, free)])
    inverse -= inverse.mean(axis=0, keepdims=True)
    inverse -= inverse.mean(axis=1, keepdims=True)
    return np.asarray((inverse + inverse.T) / 2)


def _refuse_without_maximum(places: _Places, names: tuple[str, ...]) -> None:
    """Raise unless every item came before every other one, directly or through others."""
    import numpy as np

    # before[i, j]: i was placed before j, or before one that was before j, and so on (Warshall).
    before = ((places.wins > 0).T.astype(float) @ places.present > 0) | np.eye(
        len(names), dtype=bool
    )
    for via in range(len(names)):
        before |= before[:, [via]] & before[[via], :]
    groups: dict[bytes, list[int]] = defaultdict(list)
    for item, both in enumerate(before & before.T):
        groups[both.tobytes()].append(item)
    if len(groups) == 1:
        return
    found = []
    for group in groups.values():
        others = [item for item in range(len(names)) if item not in group]
        won, lost = before[np.ix_(group, others)].any(), before[np.ix_(others, group)].any()
        if won and lost:
            continue
        who = _listed([names[item] for item in group])
        them = names[others[0]] if len(others) == 1 else "any of the others"
        what = "came after" if won else "came before" if lost else "met"
        found.append(f"{who} never {what} {them}")
    raise ValueError(
        f"no finite ratings: {'; '.join(found)}. More games or a positive prior would give some"
    )


def _listed(words: list[str]) -> str:
    """In a sentence: "a, b and c"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
