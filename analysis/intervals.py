"""Intervals for rates and means, from exact integer counts.

A run keeps integers only: sums of scores and histograms. What is said about them is computed here,
once, at the end, so it depends neither on the order in which chunks finished nor on how they were
summed. Nothing heavy is imported when the module loads: every run's screen needs it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, sqrt
from operator import index
from statistics import NormalDist

STUDENT_T_UP_TO = 200
"""Largest sample for which `mean_interval` uses Student's t.

Beyond it the normal quantile is shorter by at most 0.6 % at the level 0.95.
"""


@dataclass(frozen=True)
class Interval:
    """A range of values that the data leave open.

    Attributes
    ----------
    low, high
        Its ends, which belong to it.
    level
        The share of such intervals that hold the true value, as 0.95.
    method
        How it was computed, in words for the reader.
    """

    low: float
    high: float
    level: float
    method: str

    @property
    def half_width(self) -> float:
        """Half the distance between the ends."""
        return (self.high - self.low) / 2


def z_value(level: float) -> float:
    """Two-sided quantile of the standard normal distribution.

    A normal value lies within plus or minus it with probability `level`.

    Raises
    ------
    ValueError
        If `level` isn't between 0 and 1.

    Examples
    --------
    >>> round(z_value(0.95), 6)
    1.959964
    """
    return -NormalDist().inv_cdf(_tail(level))


def t_value(degrees: int, level: float) -> float:
    """Two-sided quantile of Student's t distribution.

    Raises
    ------
    ValueError
        If `level` isn't between 0 and 1 or there is no degree of freedom.

    Examples
    --------
    >>> round(t_value(29, 0.95), 4)
    2.0452
    """
    if degrees < 1:
        raise ValueError(f"degrees must be at least 1, not {degrees}")
    return _student_t(_tail(level), degrees)


def wilson(total: int, n: int, level: float = 0.95, *, scale: int = 1) -> Interval | None:
    """Wilson's interval for a mean score between 0 and 1, as a win rate with shared wins.

    Parameters
    ----------
    total
        Sum of the scores, in units of 1/`scale`: the wins, or with `scale=60` the sum of `score60`.
    n
        Number of independent games.
    level
        Confidence level.
    scale
        Units in one whole win.

    Returns
    -------
    The interval, or None if `n` is 0: without games there is nothing to say. It stays inside
    [0, 1] and its width is never zero. Its low end is exactly 0 without wins, its high end exactly
    1 without losses.

    Raises
    ------
    ValueError
        If `total` isn't from 0 to `scale * n`.
    ValueError
        If `n` is negative, `scale` isn't positive or `level` isn't between 0 and 1.

    Notes
    -----
    The ends are the two m with (p - m)^2 = z^2 m (1 - m) / n, where p is the mean score. m (1 - m)
    is the variance of a score that is 0 or 1. A score X that may also lie between them has
    X^2 <= X, so its variance is at most m (1 - m): shared wins make the interval wider than it need
    be, never too narrow.

    References
    ----------
    E. B. Wilson (1927), Probable inference, the law of succession, and statistical inference,
    J. Am. Stat. Assoc. 22, 209-212.
    L. D. Brown, T. T. Cai, A. DasGupta (2001), Interval estimation for a binomial proportion,
    Statist. Sci. 16, 101-133, who compare it with others.

    Examples
    --------
    >>> interval = wilson(0, 50)
    >>> interval.low, round(interval.high, 4)
    (0.0, 0.0713)
    >>> wilson(0, 0) is None
    True
    """
    won, lost = won_and_lost(total, n, scale)
    z = z_value(level)
    if won + lost == 0:
        return None
    p, q = won / (won + lost), lost / (won + lost)
    a = z * z / n
    # The ends solve (1 + a) m^2 - (2 p + a) m + p^2 = 0. The larger one is a sum of positive terms;
    # the smaller one comes from their product, so that nothing cancels near 0.
    larger = p + a / 2 + sqrt(a * (p * q + a / 4))
    high = 1.0 if lost == 0 else min(1.0, larger / (1 + a))
    return Interval(p * p / larger, high, level, "Wilson")


def mean_interval(n: int, total: int, total_squares: int, level: float = 0.95) -> Interval | None:
    """Interval for the mean of integer values, as a game's length.

    Parameters
    ----------
    n
        Number of independent values.
    total
        Their sum.
    total_squares
        Sum of their squares.
    level
        Confidence level.

    Returns
    -------
    The interval, or None if `n` is less than 2: one value says nothing about the spread. If all
    values are equal its width is zero, since nothing is known about values that weren't seen; for
    zeros and ones there is `wilson`.

    Raises
    ------
    ValueError
        If `n` is negative or no values have these sums.
    ValueError
        If `level` isn't between 0 and 1.

    Notes
    -----
    mean plus or minus q s / sqrt(n), with s^2 = (n total_squares - total^2) / (n (n - 1)). The
    difference is taken between integers, so large values with a small spread lose no digits. q is
    the quantile of Student's t with n - 1 degrees of freedom up to `STUDENT_T_UP_TO` values, the
    normal one beyond. If the values aren't normal, it holds in large samples only (central limit
    theorem).

    References
    ----------
    Student (1908), The probable error of a mean, Biometrika 6, 1-25.

    Examples
    --------
    >>> interval = mean_interval(4, 10, 30)  # 1, 2, 3, 4
    >>> round(interval.low, 3), round(interval.high, 3), interval.method
    (0.446, 4.554, 'Student t')
    """
    n, total, total_squares = index(n), index(total), index(total_squares)
    tail = _tail(level)
    spread = n * total_squares - total * total
    if n < 0 or spread < 0:
        raise ValueError(f"no {n} values have the sum {total} and the squares' sum {total_squares}")
    if n < 2:
        return None
    if n <= STUDENT_T_UP_TO:
        errors, method = _student_t(tail, n - 1), "Student t"
    else:
        errors, method = z_value(level), "normal"
    mean = total / n
    half_width = errors * sqrt(spread / (n * n * (n - 1)))
    return Interval(mean - half_width, mean + half_width, level, method)


def quantile(histogram: Mapping[int, int], q: float) -> int | None:
    """Lower empirical quantile: the smallest value v with at least the share `q` at v or below.

    Parameters
    ----------
    histogram
        How often each value was seen, in any order.
    q
        The share, from 0 to 1, meant as the decimal it prints as: 0.05 is exactly one twentieth, so
        the 0.05 quantile of 20 values is the smallest. 0 gives the smallest value, 1 the largest.

    Returns
    -------
    One of the values seen, never a number between two of them (the median of 1, 2, 3, 4 is 2), or
    None if there are none.

    Raises
    ------
    ValueError
        If `q` isn't from 0 to 1.
    ValueError
        If a count is negative.

    References
    ----------
    R. J. Hyndman, Y. Fan (1996), Sample quantiles in statistical packages, Am. Stat. 50, 361-365:
    definition 1.

    Examples
    --------
    >>> quantile({3: 1, 1: 1, 4: 1, 2: 1}, 0.5)
    2
    """
    if not 0 <= q <= 1:
        raise ValueError(f"q must be from 0 to 1, not {q}")
    n, _, _ = moments(histogram)
    # As floats, 0.05 is a little more than 1/20 and 0.07 * 100 a little more than 7. Never rank 0:
    # a value that is listed with the count 0 wasn't seen.
    rank = max(1, ceil(Fraction(repr(float(q))) * n))
    seen = 0
    for value in sorted(histogram):
        seen += index(histogram[value])
        if seen >= rank:
            return index(value)
    return None


def quantile_interval(
    histogram: Mapping[int, int], q: float, level: float = 0.95
) -> Interval | None:
    """Interval for a quantile, whatever the distribution: between two of the values seen.

    Parameters
    ----------
    histogram
        How often each value was seen.
    q
        The share, more than 0 and less than 1.
    level
        Probability that the interval holds the true quantile; at least that, since values repeat.

    Returns
    -------
    The interval, from one value that was seen to another, or None if there are none. Where there
    are too few values for the level an end is infinite.

    Raises
    ------
    ValueError
        If `q` isn't between 0 and 1.

    Notes
    -----
    The number of values at or below the true quantile is at least binomial (n, q), so the values of
    ranks l and u hold it between them where the binomial is below l, or at u or above, with at most
    half of 1 - level each.

    References
    ----------
    H. A. David, H. N. Nagaraja (2003), Order statistics, 3rd ed., section 7.1.

    Examples
    --------
    >>> interval = quantile_interval({value: 1 for value in range(1, 101)}, 0.5)
    >>> interval.low, interval.high
    (40.0, 61.0)
    """
    from scipy.stats import binom

    if not 0 < q < 1:
        raise ValueError(f"q must be between 0 and 1, not {q}")
    n, _, _ = moments(histogram)
    if not n:
        return None
    tail = _tail(level)
    # The largest l with P(below l) <= tail, and the smallest u with P(u or above) <= tail.
    lower = int(binom.ppf(tail, n, q))
    upper = int(binom.isf(tail, n, q)) + 1
    values = _at_ranks(histogram, max(1, lower), min(n, upper))
    low = float(values[0]) if lower >= 1 else -inf
    high = float(values[1]) if upper <= n else inf
    return Interval(low, high, level, "order statistics")


def _at_ranks(histogram: Mapping[int, int], *ranks: int) -> list[int]:
    """Return the values of some ranks, 1 the smallest; the ranks ascend."""
    found: list[int] = []
    seen = 0
    for value in sorted(histogram):
        seen += index(histogram[value])
        while len(found) < len(ranks) and ranks[len(found)] <= seen:
            found.append(value)
    return found


def moments(histogram: Mapping[int, int]) -> tuple[int, int, int]:
    """Number of values, their sum and the sum of their squares: the arguments of `mean_interval`.

    Raises
    ------
    ValueError
        If a count is negative.

    Examples
    --------
    >>> moments({2: 3, 10: 1})
    (4, 16, 112)
    """
    n = total = total_squares = 0
    for key, count in histogram.items():
        # index() makes Python integers of NumPy's, which would wrap around at 64 bits.
        value, times = index(key), index(count)
        if times < 0:
            raise ValueError(f"the count of {value} is {times}, but must be at least 0")
        n += times
        total += times * value
        total_squares += times * value * value
    return n, total, total_squares


def won_and_lost(total: int, n: int, scale: int) -> tuple[int, int]:
    """The sum of scores and what it lacks of `n` whole wins, both in units of 1/`scale`.

    Raises
    ------
    ValueError
        If `total` isn't from 0 to `scale * n`.
    ValueError
        If `n` is negative or `scale` isn't positive.
    """
    total, n, scale = index(total), index(n), index(scale)
    if n < 0 or scale < 1:
        raise ValueError(f"n must be at least 0 and scale at least 1, not {n} and {scale}")
    if not 0 <= total <= scale * n:
        raise ValueError(f"total must be from 0 to scale * n = {scale * n}, not {total}")
    return total, scale * n - total


def _tail(level: float) -> float:
    """The probability on either side of an interval."""
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    return (1 - level) / 2


def _student_t(tail: float, degrees: int) -> float:
    """The value that Student's t exceeds with probability `tail`."""
    # Imported here because loading it takes longer than a small run. scipy.stats, whose t quantile
    # is this function, takes twice as long again.
    from scipy.special import stdtrit

    return -float(stdtrit(degrees, tail))
