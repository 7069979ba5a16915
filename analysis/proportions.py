"""Rates that are counted: an exact interval for one, an interval and a test for two.

`wilson` of the module `intervals` is what screens show for one rate. Here is what it doesn't give:
an interval that never promises too much, and the difference of two rates that were measured apart.
"""

from collections.abc import Callable
from fractions import Fraction
from math import erfc, exp, expm1, hypot, log, sqrt
from operator import index

from .intervals import Interval, wilson, won_and_lost

MOST_TRIALS = 10**11
"""Most trials that `clopper_pearson` takes: beyond, SciPy's incomplete beta function fails."""


def clopper_pearson(successes: int, n: int, level: float = 0.95) -> Interval | None:
    """Clopper and Pearson's exact interval for the rate of something that happens or doesn't.

    *Use it* where the level must hold whatever the rate and however few the games: "this happens
    in fewer than 1 of 1,000 games" after it was seen twice or never. There `wilson`, which holds
    its level on the average over rates, holds some rates fewer than 90 times of 100 at 95 %.

    *Don't use it* for figures on a screen, which it makes wider than need be: where fewer than five
    are seen it holds the rate 98 times of 100 rather than 95. Nor for shared wins, which are
    neither successes nor failures; nor for the seats of one game counted as so many games, which
    aren't independent; nor for a run that stopped because of what it saw, for which there is
    `confidence_sequence`.

    Parameters
    ----------
    successes
        How often it happened.
    n
        Number of independent trials with the same rate.
    level
        The least probability that the interval holds the rate, at any rate.

    Returns
    -------
    The interval, or None if `n` is 0. Its low end is exactly 0 without successes, its high end
    exactly 1 without failures.

    Raises
    ------
    ValueError
        If `n` is negative or more than `MOST_TRIALS`.
    ValueError
        If `successes` isn't from 0 to `n`.
    ValueError
        If `level` isn't between 0 and 1.

    Notes
    -----
    With X successes in n trials, the low end is the rate at which X or more have the probability
    (1 - level) / 2, the high end the one at which X or fewer have it. P(at least X of n) at the
    rate p is the distribution function of Beta(X, n - X + 1) at p, so the ends are quantiles of
    Beta(X, n - X + 1) and Beta(X + 1, n - X). They are found by bisection, until two floats are
    left, of which the outer one is taken: the inverse functions of some versions of SciPy are wrong
    for a few large n, on which the functions themselves agree.

    References
    ----------
    C. J. Clopper, E. S. Pearson (1934), The use of confidence or fiducial limits illustrated in the
    case of the binomial, Biometrika 26, 404-413.
    L. D. Brown, T. T. Cai, A. DasGupta (2001), Interval estimation for a binomial proportion,
    Statist. Sci. 16, 101-133, who compare it with others.

    Examples
    --------
    Never in 1,000 games: the rate is below 0.37 %.

    >>> interval = clopper_pearson(0, 1000)
    >>> interval.low, round(interval.high, 5)
    (0.0, 0.00368)
    >>> interval = clopper_pearson(2, 50)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.0049, 0.1371)
    >>> clopper_pearson(0, 0) is None
    True
    """
    successes, n = index(successes), index(n)
    if not 0 <= n <= MOST_TRIALS:
        raise ValueError(f"n must be from 0 to {MOST_TRIALS}, not {n}")
    if not 0 <= successes <= n:
        raise ValueError(f"successes must be from 0 to n = {n}, not {successes}")
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    if n == 0:
        return None
    tail, failures = (1 - level) / 2, n - successes
    # With nothing on one side, the ends have closed forms: high^n or (1 - low)^n is the tail.
    if successes == 0:
        return Interval(0.0, -expm1(log(tail) / n), level, "Clopper-Pearson")
    if failures == 0:
        return Interval(exp(log(tail) / n), 1.0, level, "Clopper-Pearson")
    # Imported here because loading it takes longer than a small run.
    from scipy.special import betainc, betaincc

    rate = successes / n
    low = _end(lambda p: betainc(successes, failures + 1, p), rate, 0.0, tail)
    high = _end(lambda p: betaincc(successes + 1, failures, p), rate, 1.0, tail)
    return Interval(low, high, level, "Clopper-Pearson")


def newcombe(
    total_a: int, n_a: int, total_b: int, n_b: int, level: float = 0.95, *, scale: int = 1
) -> Interval | None:
    """Newcombe's interval for the difference of two independent rates, A minus B.

    *Use it* for two runs with different seeds, or two sets of games that have no deal in common.
    That two intervals of `wilson` overlap says less: the difference may leave out 0 all the same.

    *Don't use it* for two arms that played the same deals, whose differences must be taken deal by
    deal: it would be too wide where a good deal is good for both, too narrow where it is good for
    one and bad for the other. Nor for two seats of the same games, of which one loses when the
    other wins; nor for some games and all those that they are among.

    Parameters
    ----------
    total_a, total_b
        Sums of the scores, in units of 1/`scale`, as in `wilson`.
    n_a, n_b
        Numbers of games, all of them independent.
    level
        Confidence level, of this one difference. For several, see `bonferroni_level`.
    scale
        Units in one whole win.

    Returns
    -------
    The interval, or None if `n_a` or `n_b` is 0. It stays inside [-1, 1] and its width is never
    zero.

    Raises
    ------
    ValueError
        If `total_a` isn't from 0 to `scale * n_a`, or `total_b` from 0 to `scale * n_b`.
    ValueError
        If `n_a` or `n_b` is negative, `scale` isn't positive or `level` isn't between 0 and 1.

    Notes
    -----
    With the rates a and b and their Wilson intervals [la, ua] and [lb, ub],

        low  = a - b - sqrt((a - la)^2 + (ub - b)^2),
        high = a - b + sqrt((ua - a)^2 + (b - lb)^2):

    errors are put together as if they were normal, but each end from the two that push it outwards.
    This is method 10 of Newcombe's eleven, the one without a continuity correction. It holds its
    level on the average over rates, not at each: with 20 and 30 games at 95 %, from 0.919 to 1,
    0.952 on the average; with 10 each, down to 0.88 where both rates are close to 0 or 1. Scores
    between 0 and 1 make it wider than need be, as they do Wilson's.

    References
    ----------
    R. G. Newcombe (1998), Interval estimation for the difference between independent proportions:
    comparison of eleven methods, Statist. Med. 17, 873-890.

    Examples
    --------
    >>> interval = newcombe(56, 70, 48, 80)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.0524, 0.3339)
    >>> newcombe(0, 0, 48, 80) is None
    True
    """
    a, b = wilson(total_a, n_a, level, scale=scale), wilson(total_b, n_b, level, scale=scale)
    if a is None or b is None:
        return None
    # index() makes Python integers of NumPy's, whose products would wrap around at 64 bits.
    rate_a = Fraction(index(total_a), index(scale) * index(n_a))
    rate_b = Fraction(index(total_b), index(scale) * index(n_b))
    difference, p, q = float(rate_a - rate_b), float(rate_a), float(rate_b)
    low = difference - hypot(p - a.low, b.high - q)
    high = difference + hypot(a.high - p, q - b.low)
    return Interval(max(-1.0, low), min(1.0, high), level, "Newcombe")


def difference_p(total_a: int, n_a: int, total_b: int, n_b: int, *, scale: int = 1) -> float:
    """Two-sided p-value for two independent rates being the same: the score test.

    *Use it* beside `newcombe`, on the same data, where a p-value is wanted: for many differences at
    once, with `holm` or `benjamini_hochberg`.

    *Don't use it* where `newcombe` mustn't be used; nor where fewer than about five wins or losses
    are to be expected on either side, since it may come out too small there (Fisher's exact test
    doesn't); nor to say how large a difference is.

    Parameters
    ----------
    total_a, total_b
        Sums of the scores, in units of 1/`scale`, as in `wilson`.
    n_a, n_b
        Numbers of games, all of them independent.
    scale
        Units in one whole win.

    Returns
    -------
    The probability, if the rates are the same, of a difference at least as large. It is 1 if both
    rates are 0, if both are 1, or if `n_a` or `n_b` is 0: nothing speaks against their being the
    same. It is the p-value that is reported with `newcombe`'s interval, but not got from it: the
    interval takes each rate's own spread, the test that of the one rate which both would have. So
    where the interval's end is close to 0, the p-value may be on the other side of 1 - level.

    Raises
    ------
    ValueError
        If `total_a` isn't from 0 to `scale * n_a`, or `total_b` from 0 to `scale * n_b`.
    ValueError
        If `n_a` or `n_b` is negative or `scale` isn't positive.

    Notes
    -----
    With the rates a and b, and m the rate of all games together, the test takes

        z^2 = (a - b)^2 / (m (1 - m) (1/n_a + 1/n_b))

    for the square of a standard normal value: Pearson's chi-squared of the two by two table,
    without a continuity correction. m (1 - m) is at least the variance of scores between 0 and 1,
    so shared wins make the p-value larger than need be, never too small.

    References
    ----------
    A. Agresti (2013), Categorical data analysis, 3rd ed., Wiley, section 3.2.

    Examples
    --------
    >>> round(difference_p(56, 70, 48, 80), 4)
    0.008
    >>> difference_p(0, 10, 0, 20)
    1.0
    """
    won_a, lost_a = won_and_lost(total_a, n_a, scale)
    won_b, lost_b = won_and_lost(total_b, n_b, scale)
    games_a, games_b = index(n_a), index(n_b)
    won, lost = won_a + won_b, lost_a + lost_b
    if 0 in (games_a, games_b, won, lost):
        return 1.0
    # Multiplied out in integers, of which the scale has cancelled, the difference loses no digits.
    apart = won_a * games_b - won_b * games_a
    z_squared = apart * apart * (games_a + games_b) / (won * lost * games_a * games_b)
    return erfc(sqrt(z_squared / 2))


def _end(chance: Callable[[float], float], inner: float, outer: float, tail: float) -> float:
    """Where from `inner` to `outer` the chance falls to `tail`."""
    while True:
        middle = (inner + outer) / 2
        if middle in (inner, outer):
            return outer
        if chance(middle) <= tail:
            outer = middle
        else:
            inner = middle
