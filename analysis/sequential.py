"""Confidence sequences: intervals for a mean that may be looked at as often as one likes.

An ordinary interval is right at one n fixed beforehand. A run that stops as soon as such an
interval is narrow enough has picked its n from the data, and the interval misses more often than it
says. The intervals here hold the true mean at every n at once with probability `level`, so a run
may stop on them at any time, for any reason. `confidence_sequence` does so exactly, for scores
between 0 and 1; `mean_sequence` approximately, for differences of scores and from `FIRST_LOOK` on.
"""

from collections.abc import Iterator
from math import exp, expm1, inf, isqrt, lgamma, log, log1p, pi, sqrt
from operator import index

from .intervals import Interval, won_and_lost
from .paired import two_added

FIRST_LOOK = 1000
"""The count of games at which a run with a precision goal is first looked at."""

MIXING_VARIANCE = 8.21e-4
"""r^2 in `mean_sequence`: the variance of its mixture, where one observation has the variance 1.

With alpha = 1 - level, the half width is least at the n for which x = n r^2 solves
x = log(1 + x) + 2 log(1/alpha). At the level 0.95 that is x = 8.21, so this r^2 is best at
n = 10,000. The half width there is 1.55 times that of an ordinary interval; it is 1.95 times at
n = 1000, 1.63 times at 64,000, 1.82 times at a million and 2.26 times at 10^9.
"""


def confidence_sequence(total: int, n: int, level: float = 0.95, *, scale: int = 1) -> Interval:
    """Anytime-valid interval for the mean of independent scores between 0 and 1.

    Parameters
    ----------
    total
        Sum of the scores, in units of 1/`scale`: the wins, or with `scale=60` the sum of `score60`.
    n
        Number of games so far: all games up to some point of an order fixed beforehand. Those that
        merely finished first are a biased sample.
    level
        Probability that the intervals at all n hold the true mean. Each seat's sequence has it by
        itself, not all seats' together.
    scale
        Units in one whole win.

    Returns
    -------
    The interval; before the first game it is [0, 1]. It holds the mean score. Its low end is
    exactly 0 without wins, its high end exactly 1 without losses.

    Raises
    ------
    ValueError
        If `total` isn't from 0 to `scale * n`.
    ValueError
        If `n` is negative, `scale` isn't positive or `level` isn't between 0 and 1.

    Notes
    -----
    Let S be the sum of the scores in whole wins and alpha = 1 - level. The interval is the set of
    all m with M_n(m) < 1/alpha, where

        M_n(m) = B(a + S, b + n - S) / (B(a, b) m^S (1 - m)^(n - S)),    a = b = 1/2:

    the likelihood averaged over a Beta(a, b) prior for the mean, divided by the likelihood at m.

    *Why it is valid.* Let X be the next score and m the true mean. For any p the function
    x -> (p/m)^x ((1-p)/(1-m))^(1-x) is convex, so on [0, 1] it is at most its chord
    x p/m + (1-x) (1-p)/(1-m), and as X has the mean m,

        E[(p/m)^X ((1-p)/(1-m))^(1-X)] <= m p/m + (1-m) (1-p)/(1-m) = 1.

    For scores of 0 and 1 both sides are equal; shared wins make the left one smaller. So the
    product of these factors over the games is a nonnegative supermartingale that starts at 1, and
    so is its average over p, which is M_n(m). By Ville's inequality it ever reaches 1/alpha with
    probability at most alpha. Nothing was used but scores in [0, 1] whose mean is m whatever the
    games before were.

    *Why a = b = 1/2.* Then M_n at the mean score is at least 1 / (2 sqrt(n)) for all wins and
    losses (Krichevsky and Trofimov): the price of looking at every n is at most log(2 sqrt(n)) in
    log likelihood at any rate. The uniform prior, a = b = 1, costs log(n + 1) at rates of 0 and 1.
    A prior made for one rate or one n would cost less there and more elsewhere, and a run knows
    neither beforehand.

    *How it is solved.* With p = S/n and KL = p log(p/m) + (1-p) log((1-p)/(1-m)), M_n(m) < 1/alpha
    is the same as n KL < T, where T = -log(alpha) - log(M_n(p)) is positive. KL is convex in m and
    0 at p, so there is one end on each side. Bisection on its distance from p goes on until two
    floats are left, and the outer one is taken.

    References
    ----------
    S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon (2021), Time-uniform, nonparametric,
    nonasymptotic confidence sequences, Ann. Statist. 49, 1055-1080.
    H. Robbins (1970), Statistical methods related to the law of the iterated logarithm, Ann. Math.
    Statist. 41, 1397-1409: mixtures.
    J. Ville (1939), Étude critique de la notion de collectif, Gauthier-Villars: the inequality.
    R. E. Krichevsky, V. K. Trofimov (1981), The performance of universal encoding, IEEE Trans. Inf.
    Theory 27, 199-207.

    Examples
    --------
    >>> interval = confidence_sequence(500, 1000)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.4424, 0.5576)
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    won, lost = won_and_lost(total, n, scale)
    method = "confidence sequence (beta-binomial mixture)"
    if won + lost == 0:
        return Interval(0.0, 1.0, level, method)
    bound = _threshold(won / scale, lost / scale, n, level) / n
    if won == 0:  # KL = -log(1 - m)
        return Interval(0.0, -expm1(-bound), level, method)
    if lost == 0:  # KL = -log(m)
        return Interval(exp(-bound), 1.0, level, method)
    p, q = won / (won + lost), lost / (won + lost)
    return Interval(p - _distance(q, p, bound), p + _distance(p, q, bound), level, method)


def mean_sequence(
    n: int,
    total: int,
    total_squares: int,
    level: float = 0.95,
    *,
    scale: int = 1,
    largest: float = 1.0,
    bounded: bool = True,
) -> Interval:
    """Interval for the mean of differences that may be looked at often, from `FIRST_LOOK` on.

    Use it for a run that stops because of what it has seen, as one with a precision goal or one
    that `sprt.decide` ends. At an n fixed beforehand, `paired.paired_difference` is narrower.

    Parameters
    ----------
    n
        Number of independent observations so far: deals with all their seatings, all those up to
        some point of an order fixed beforehand.
    total
        Sum of the differences, in units of 1/`scale`.
    total_squares
        Sum of their squares, in units of 1/`scale`^2.
    level
        Probability, approximately, that the intervals at all n from `FIRST_LOOK` on hold the true
        mean.
    scale
        Units in a difference of 1.
    largest
        The largest size a difference can have, or without bounds one that is seldom exceeded. A
        whole number of units.
    bounded
        Whether `largest` really is the largest possible size. If so, the interval stays inside
        [-largest, largest], and sums that this rules out are an error.

    Returns
    -------
    The interval, whose width is never zero and which holds the mean. Before the first observation
    it is everything: [-largest, largest], or without bounds the whole line.

    Raises
    ------
    ValueError
        If no such observations have these sums.
    ValueError
        If `scale * largest` isn't a whole number of at least 1, or `level` isn't between 0 and 1.

    Notes
    -----
    The middle plus or minus

        s sqrt(2 (n r^2 + 1) / (n^2 r^2) log(sqrt(n r^2 + 1) / alpha)),

    where alpha = 1 - level and r^2 is `MIXING_VARIANCE`. As in `paired.paired_difference`, the
    middle and s^2 are the mean and the variance (divisor n + 1) of the observations and two more,
    those of `paired.two_added`; so s isn't 0 when all observations are equal. The difference in s^2
    is taken between integers.

    *Where it comes from.* For normal observations with the known variance s^2 this is Robbins'
    mixture: the likelihood averaged over normal means whose variance is r^2 s^2, divided by the
    likelihood at the true mean, is a nonnegative martingale that starts at 1, and by Ville's
    inequality ever reaches 1/alpha with probability at most alpha. By Waudby-Smith and others'
    invariance principle, sums of other observations behave like sums of normal ones from some n on,
    with the estimated variance in place of the known one.

    *What that is worth.* Unlike `confidence_sequence` it promises nothing at any given n: it is as
    good as the central limit theorem is at the first look, and nothing proves that `FIRST_LOOK`
    observations are enough. Below, it is a wide interval and nothing more, by which no run may be
    stopped. At the level 0.95, of 20,000 simulated runs with the looks of `look_counts` up to
    64,000, it missed in at most 4.1 %. That was when one deal in some hundreds differed from all
    others, and always to the same side; without the two deals in the middle it was 7 %. At the
    level 0.99 it missed in up to 1.9 % of such runs, so its far tails are not to be relied on
    there. If few deals differ and to either side, or most do, it missed in less than 1 - level.

    References
    ----------
    H. Robbins (1970), Statistical methods related to the law of the iterated logarithm, Ann. Math.
    Statist. 41, 1397-1409.
    I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy, A. Ramdas (2024), Time-uniform central
    limit theory and asymptotic confidence sequences, Ann. Statist. 52, 2613-2640.

    Examples
    --------
    >>> interval = mean_sequence(10_000, 100, 1300)  # 700 deals won, 600 lost, the others equal
    >>> round(interval.low, 4), round(interval.high, 4)
    (-0.0009, 0.0209)
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    method = "confidence sequence (normal mixture), approximate"
    count, sum_, squares, fine = two_added(
        n, total, total_squares, scale=scale, largest=largest, bounded=bounded
    )
    n, total, scale = index(n), index(total), index(scale)
    end = round(scale * largest) / scale if bounded else inf
    if n == 0:
        return Interval(-end, end, level, method)
    units = scale * fine
    variance = (count * squares - sum_ * sum_) / (count * (count - 1))
    x = n * MIXING_VARIANCE
    exceeded = log1p(x) / 2 - log1p(-level)
    half_width = sqrt(2 * variance * (1 + 1 / x) * exceeded / n) / units
    middle, mean = sum_ / (count * units), total / (n * scale)
    # Bounded differences need no min() and max() with the mean: it is half a width away at most.
    low, high = min(middle - half_width, mean), max(middle + half_width, mean)
    return Interval(max(-end, low), min(end, high), level, method)


def look_counts(limit: int) -> Iterator[int]:
    """The counts of games at which a run with a precision goal is looked at, up to `limit`.

    They are 1000 * 2^(k/4), rounded up, for k = 0, 1, 2, ... Fixed beforehand, so that where a run
    stops doesn't depend on threads or chunks; computed with integers, so that it doesn't depend on
    the machine; and spaced so that a look comes at most 19 % later than it might have.

    Examples
    --------
    >>> list(look_counts(3000))
    [1000, 1190, 1415, 1682, 2000, 2379, 2829]
    """
    # The count is the least one whose fourth power is at least 1000^4 * 2^k.
    fourth_power = FIRST_LOOK**4
    while True:
        count = isqrt(isqrt(fourth_power))
        if count**4 < fourth_power:
            count += 1
        if count > limit:
            return
        yield count
        fourth_power *= 2


def _threshold(won: float, lost: float, n: int, level: float) -> float:
    """T = -log(1 - level) - log(M_n(won / n)), right to about 1e-14 at any n.

    The three gamma functions in B(won + 1/2, lost + 1/2) and the likelihood at won / n have
    logarithms of the size n log(n), which at n = 1e9 would take six digits from T. By Stirling's
    formula their large parts cancel exactly; log(pi n / 2) / 2 and small remainders are left.
    """
    of_n = (n + 0.5) * log1p(0.5 / n) - 0.5 + _stirling_remainder(n + 0.5)
    remainders = _stirling_remainder(won) + _stirling_remainder(lost) - of_n
    return -log1p(-level) + log(pi * n / 2) / 2 - remainders


def _stirling_remainder(x: float) -> float:
    """log(Gamma(x + 1/2)) - (x log(x) - x + log(2 pi) / 2), for x >= 0.

    The series is formula 5.11.8 of the NIST Digital Library of Mathematical Functions with h = 1/2.
    From x = 20 on, the first term left out is below 2e-15.
    """
    if x < 20:
        return lgamma(x + 0.5) - (x * log(x) if x > 0 else 0.0) + x - log(2 * pi) / 2
    y = 1 / (x * x)
    return (-1 / 24 + y * (7 / 2880 + y * (-31 / 40320 + y * (127 / 215040)))) / x


def _distance(p: float, q: float, bound: float) -> float:
    """How far above the mean p, where p + q = 1 and both are positive, KL reaches `bound`.

    The unknown is the distance d, not the end p + d: at n = 1e9, d is near 1e-4 and KL near d^2,
    and log1p(d / p) keeps the digits that log((p + d) / p) would lose.
    """
    inner, outer = 0.0, q
    while True:
        d = (inner + outer) / 2
        if d in (inner, outer):
            return outer
        if -p * log1p(d / p) - q * log1p(-d / q) < bound:
            inner = d
        else:
            outer = d
