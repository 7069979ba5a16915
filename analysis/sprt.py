"""A sequential test between two sizes of a difference, as "no better" and "better by so much".

The generalised sequential probability ratio test goes on until the data speak clearly for one of
two hypotheses about the mean difference. Clear cases end after few deals, close ones later, and the
probability of a wrong decision is chosen beforehand.

A run that this test has stopped is not a sample of fixed size. It stops while the difference
happens to look large, or happens to look small: its mean lies further out, on average, than the
true difference does, and an ordinary interval around it misses more often than it says. The
interval to report is `sequential.mean_sequence`, which holds wherever the run stopped; in
simulations it did so from 500 observations on. An unbiased estimate takes a second run with another
seed and a number of deals fixed beforehand.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite, log, log1p
from operator import index

from .paired import two_added


@dataclass(frozen=True)
class Sprt:
    """A test of the mean difference `h0` against `h1`, to be fixed before the first deal.

    Attributes
    ----------
    h0, h1
        Two differences, as 0 and 0.01 for "no better" and "better by one first place in a hundred
        games". Between them either decision is right.
    alpha
        Largest probability of the decision for `h1` if the difference is `h0` or smaller.
    beta
        Largest probability of the decision for `h0` if the difference is `h1` or larger.
    minimum
        Number of observations below which nothing is decided.

    Raises
    ------
    ValueError
        If `h0` isn't below `h1`, `alpha` or `beta` isn't between 0 and 0.5, or `minimum` isn't
        positive.

    Notes
    -----
    The bounds are Wald's. They are exact for a likelihood ratio that lands on them; as it steps
    over them, and all the further the rarer one looks, the error rates are smaller. For differences
    whose distribution isn't known they hold approximately, once the mean is about normal: that is
    what `minimum` is for.

    In simulations with alpha = beta = 0.05 they held for shares in sixths with a standard deviation
    of 0.35 (4 % to 5 %) and for differences that are nearly always 0 (1 % to 6 %). What they don't
    bear is much skewness g together with hypotheses far apart. With |g| (h1 - h0) / s at 0.07 the
    larger of the two was still 5 %, at 0.14 it was 5 % to 7 %, at 0.36 it was 7 % to 10 %: that is
    a difference which is +1 in one deal of a hundred and -1/6 in a few, tested with an h1 of 0.005.
    Hypotheses closer together help; a larger `minimum` doesn't, if the decision falls far beyond it
    anyway.

    References
    ----------
    A. Wald (1945), Sequential tests of statistical hypotheses, Ann. Math. Statist. 16, 117-186.

    Examples
    --------
    >>> test = Sprt(0, 0.01)
    >>> round(test.lower, 3), round(test.upper, 3)
    (-2.944, 2.944)
    """

    h0: float
    h1: float
    alpha: float = 0.05
    beta: float = 0.05
    minimum: int = 500

    def __post_init__(self) -> None:
        if not (isfinite(self.h0) and isfinite(self.h1)):
            raise ValueError(f"h0 and h1 must be finite numbers, not {self.h0} and {self.h1}")
        if not self.h0 < self.h1:
            raise ValueError(f"h0 must be below h1, but {self.h0} is not below {self.h1}")
        if not 0 < self.alpha < 0.5:
            raise ValueError(f"alpha must be between 0 and 0.5, not {self.alpha}")
        if not 0 < self.beta < 0.5:
            raise ValueError(f"beta must be between 0 and 0.5, not {self.beta}")
        if index(self.minimum) < 1:
            raise ValueError(f"minimum must be at least 1, not {self.minimum}")

    @property
    def lower(self) -> float:
        """The log likelihood ratio at or below which the decision is for `h0`."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log likelihood ratio at or above which the decision is for `h1`."""
        return log((1 - self.beta) / self.alpha)


def log_likelihood_ratio(
    test: Sprt,
    n: int,
    total: int,
    total_squares: int,
    *,
    scale: int = 1,
    largest: float = 1.0,
    bounded: bool = True,
) -> float:
    """How much better `h1` explains the observations than `h0` does, as a natural logarithm.

    Parameters
    ----------
    test
        The two hypotheses, which are differences. In scores from 0 to 1 a difference d is the
        score 1/2 + d/2; whoever turns all of them, hypotheses, values and `largest`, into scores
        finds the same ratio, as the scale cancels.
    n
        Number of independent observations: deals with all their seatings, not games or seats.
    total
        Sum of the differences, in units of 1/`scale`.
    total_squares
        Sum of their squares, in units of 1/`scale`^2.
    scale
        Units in a difference of 1.
    largest
        The largest size a difference can have, or without bounds one that is seldom exceeded. A
        whole number of units.
    bounded
        Whether `largest` really is the largest possible size. If so, sums that this rules out are
        an error.

    Returns
    -------
    A finite number, positive if the mean is nearer to `h1` than to `h0`, and 0 for n = 0.

    Raises
    ------
    ValueError
        If no such observations have these sums, or `scale * largest` isn't a whole number of at
        least 1.

    Notes
    -----
    With the mean m and the variance s^2 it is

        (n / 2) log((s^2 + (m - h0)^2) / (s^2 + (m - h1)^2)).

    *Where it comes from.* If observations with the mean h are normal with a variance that isn't
    known, the likelihood is largest for the variance s^2 + (m - h)^2 and then is a constant times
    its -n/2-th power. The generalised test takes the ratio of these largest likelihoods in place of
    one between two known distributions. For small h0 and h1 it is close to
    n (h1 - h0) (2 m - h0 - h1) / (2 s^2), which follows from the central limit theorem whatever
    the distribution is.

    *The variance* is that of the observations and two more, those of `paired.two_added` (divisor
    n + 2), as in `paired.paired_difference`. Otherwise the ratio would not be defined when all
    observations are equal. The difference in s^2 is taken between integers.

    References
    ----------
    M. Van den Bergh, A practical introduction to the GSPRT (note on the statistics of Fishtest).

    Examples
    --------
    >>> test = Sprt(0, 0.01)
    >>> round(log_likelihood_ratio(test, 10_000, 100, 1300), 3)
    3.842
    >>> round(log_likelihood_ratio(test, 10_000, 0, 1300), 3)
    -3.84
    """
    count, sum_, squares, fine = two_added(
        n, total, total_squares, scale=scale, largest=largest, bounded=bounded
    )
    n, total, scale = index(n), index(total), index(scale)
    if n == 0:
        return 0.0
    variance = (count * squares - sum_ * sum_) / (count * count * (scale * fine) ** 2)
    mean = total / (n * scale)
    # The ratio is 1 + u / v, with u = (m - h0)^2 - (m - h1)^2 as a product so that nothing cancels.
    # Below 1 its inverse is taken: log1p is sharp near 0, not near -1.
    nearer_h1 = (test.h1 - test.h0) * (2 * mean - (test.h0 + test.h1))
    if nearer_h1 >= 0:
        return n / 2 * log1p(nearer_h1 / (variance + (mean - test.h1) ** 2))
    return -n / 2 * log1p(-nearer_h1 / (variance + (mean - test.h0) ** 2))


def decide(
    test: Sprt,
    n: int,
    total: int,
    total_squares: int,
    *,
    scale: int = 1,
    largest: float = 1.0,
    bounded: bool = True,
) -> str:
    """What the test says after `n` observations.

    Call it at the counts of `sprt_looks` only, in their order, and stop at the first answer. The
    parameters and errors are those of `log_likelihood_ratio`.

    Returns
    -------
    "h1" or "h0" if the test has decided for it, "" if the run goes on. It always goes on below
    `test.minimum`. A decision for a hypothesis says that the data fit it much better than the other
    one, not that it is true: a difference between the two ends in either.

    Examples
    --------
    >>> test = Sprt(0, 0.01)
    >>> decide(test, 10_000, 100, 1300), decide(test, 10_000, 50, 1300), decide(test, 499, 499, 499)
    ('h1', '', '')
    """
    ratio = log_likelihood_ratio(
        test, n, total, total_squares, scale=scale, largest=largest, bounded=bounded
    )
    if n < test.minimum:
        return ""
    if ratio >= test.upper:
        return "h1"
    if ratio <= test.lower:
        return "h0"
    return ""


def sprt_looks(minimum: int, limit: int) -> Iterator[int]:
    """The counts of observations at which a test is looked at, from `minimum` up to `limit`.

    Each is the one before plus a fifth of `minimum`, rounded down, or plus 5 %, rounded up,
    whichever is larger: no run goes on for more than 5 % or a fifth of `minimum` longer than it had
    to, and from 500 to a million there are 143 looks. They are fixed beforehand and computed with
    integers, so that where a run stops doesn't depend on chunks, threads or the machine.

    Raises
    ------
    ValueError
        If `minimum` isn't positive.

    Examples
    --------
    >>> list(sprt_looks(500, 1000))
    [500, 600, 700, 800, 900, 1000]
    >>> list(sprt_looks(2000, 3500))
    [2000, 2400, 2800, 3200]
    """
    minimum, limit = index(minimum), index(limit)
    if minimum < 1:
        raise ValueError(f"minimum must be at least 1, not {minimum}")
    count = minimum
    while count <= limit:
        yield count
        count = max(count + minimum // 5, -(-count * 21 // 20))
