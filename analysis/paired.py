"""The difference between two strategies: from deals that both played, or from separate games.

When A and B play the same deal in all seatings, most of the luck is in both their scores and goes
out in the difference. The observation is therefore the deal with all its seatings, one number d:
the score of A less that of B. The seats of one game are no observations, nor are the seatings of
one deal: they share their cards, and exactly one seat comes first.

Such differences are often 0 for nearly all deals (the strategies hardly ever act differently) or
the same for all of them (one side always wins). The intervals here have a width then, too.
"""

from dataclasses import dataclass
from math import erfc, sqrt
from operator import index
from statistics import NormalDist

from .intervals import STUDENT_T_UP_TO, Interval, mean_interval, z_value


@dataclass(frozen=True)
class Difference:
    """What the data say about a difference between two means.

    Attributes
    ----------
    estimate
        The difference that was seen, to which nothing was added.
    interval
        The interval for the true one. It holds the estimate.
    standard_error
        The one the interval and the p-value were computed with.
    p_value
        Two-sided: how probable so large a difference would be if the true one were 0. It is below
        1 - level exactly when the interval leaves 0 out.
    n
        Number of observations, of both samples together if there are two.
    """

    estimate: float
    interval: Interval
    standard_error: float
    p_value: float
    n: int


def paired_difference(
    n: int,
    total: int,
    total_squares: int,
    level: float = 0.95,
    *,
    scale: int = 1,
    largest: float = 1.0,
    bounded: bool = True,
) -> Difference | None:
    """Interval and test for the mean of paired differences, as those of deals both sides played.

    Use it for one comparison whose number of deals was fixed beforehand. If the run stopped because
    of what it had seen, `sequential.mean_sequence` gives the interval that is still right. If A and
    B didn't play the same deals, use `unpaired_difference`.

    Parameters
    ----------
    n
        Number of independent observations: deals with all their seatings, not games or seats.
    total
        Sum of the differences, in units of 1/`scale`.
    total_squares
        Sum of their squares, in units of 1/`scale`^2.
    level
        Confidence level.
    scale
        Units in a difference of 1.
    largest
        The largest size a difference can have: 1 for shares of first places. For differences
        without bounds, as of points, a size that is seldom exceeded. A whole number of units.
    bounded
        Whether `largest` really is the largest possible size. If so, the interval stays inside
        [-largest, largest], and sums that this rules out are an error.

    Returns
    -------
    The difference, or None if `n` is 0. The interval's width is never zero. With one or two
    observations of shares it is all of [-1, 1] at the level 0.95.

    Raises
    ------
    ValueError
        If no such observations have these sums.
    ValueError
        If `scale * largest` isn't a whole number of at least 1, or `level` isn't between 0 and 1.

    Notes
    -----
    The interval and the test are those of `mean_interval` for the observations and two more: if
    they are bounded +largest and -largest, else the mean plus and minus largest. It is Student's t
    up to `STUDENT_T_UP_TO` values, these two among them, and the normal quantile beyond. With
    N = n + 2, S the sum and s^2 the variance of the N values (divisor N - 1), the ends are S / N
    plus or minus q s / sqrt(N), and the p-value is that of the statistic (S / N) / (s / sqrt(N)).

    *Why two more.* For d in -1, 0 and 1 without them this is the Wald interval for a difference of
    paired proportions. It has no width if all deals end alike and misses far too often when only a
    few deals tell A and B apart. Bonett and Price add one deal that A won and one that B won, which
    repairs both; Agresti and Min's half a deal in each of the four cells differs from it only in
    the variance. Deals in several seatings have values between, so what is added here is the two
    deals themselves, of the largest size. If all differences are much smaller than that, and so few
    aren't 0 that the two stand out among them, the interval is wider than it need be.

    For d in -1, 0 and 1, n from 5 to 1000 and the level 0.95, it holds the true mean with a
    probability of 0.95 or more at some 97 % of a grid of chances for either side, and of 0.934 at
    the worst (summed over all outcomes).

    *Why the estimate isn't moved.* What was seen is reported as it was seen; the two deals pull
    only the interval's middle to 0, by the share 2 / N. They add at least as much width, so for
    bounded differences and q >= 1 (a level above 0.69) the estimate is always inside. Otherwise the
    nearer end is moved to it. This and the ends' clipping leave 0 inside or outside as it was: the
    estimate and the interval's middle lie on the same side of it.

    References
    ----------
    D. G. Bonett, R. M. Price (2012), Adjusted Wald confidence interval for a difference of binomial
    proportions based on paired data, J. Educ. Behav. Stat. 37, 479-488.
    A. Agresti, Y. Min (2005), Simple improved confidence intervals for comparing matched
    proportions, Statist. Med. 24, 729-740.

    Examples
    --------
    >>> found = paired_difference(1000, 0, 0)  # A and B played alike in a thousand deals
    >>> found.estimate, round(found.interval.low, 4), round(found.interval.high, 4), found.p_value
    (0.0, -0.0028, 0.0028, 1.0)
    >>> found = paired_difference(1000, 60, 180, scale=2)
    >>> found.estimate, round(found.interval.low, 4), round(found.interval.high, 4)
    (0.03, 0.0167, 0.0432)
    """
    count, sum_, squares, fine = two_added(
        n, total, total_squares, scale=scale, largest=largest, bounded=bounded
    )
    n, total, scale = index(n), index(total), index(scale)
    found = mean_interval(count, sum_, squares, level)
    if n == 0 or found is None:
        return None
    estimate, units = total / (n * scale), scale * fine
    low, high = min(found.low / units, estimate), max(found.high / units, estimate)
    if bounded:
        end = round(scale * largest) / scale
        low, high = max(low, -end), min(high, end)
    variance = (count * squares - sum_ * sum_) / (count * count * (count - 1))
    p_value = _two_sided(sum_ / (count * sqrt(variance)), count - 1)
    interval = Interval(low, high, level, f"{found.method}, two observations added")
    return Difference(estimate, interval, sqrt(variance) / units, p_value, n)


def unpaired_difference(
    n_a: int,
    total_a: int,
    squares_a: int,
    n_b: int,
    total_b: int,
    squares_b: int,
    level: float = 0.95,
    *,
    scale: int = 1,
) -> Difference | None:
    """Welch's interval and test for the difference between the means of independent samples.

    Use it for A and B in separate runs with different seeds, or for what can't be paired, as the
    length of games. Don't use it for two seats of the same games, nor for A and B in the same
    deals: they aren't independent. `paired_difference` is right for those, and usually far sharper.

    Parameters
    ----------
    n_a, total_a, squares_a
        Number of A's values, their sum in units of 1/`scale` and the sum of their squares.
    n_b, total_b, squares_b
        The same for B.
    level
        Confidence level.
    scale
        Units in a difference of 1.

    Returns
    -------
    A's mean less B's, or None if a sample has fewer than two values or neither of them varies: the
    values say nothing about the spread then. If one sample doesn't vary, its mean is taken to be
    known exactly, which a small sample doesn't justify.

    Raises
    ------
    ValueError
        If no values have these sums.
    ValueError
        If `scale` isn't positive or `level` isn't between 0 and 1.

    Notes
    -----
    With v = s^2 / n for each sample, the standard error is sqrt(v_a + v_b), and the difference
    divided by it is compared with Student's t with (v_a + v_b)^2 / (v_a^2 / (n_a - 1) + v_b^2 /
    (n_b - 1)) degrees of freedom, with the normal distribution from `STUDENT_T_UP_TO` degrees on.
    The variances need not be equal. The spreads and the difference are taken between integers. If
    the values aren't normal, it holds in large samples only.

    References
    ----------
    B. L. Welch (1947), The generalization of "Student's" problem when several different population
    variances are involved, Biometrika 34, 28-35.

    Examples
    --------
    >>> found = unpaired_difference(4, 10, 30, 3, 18, 110)  # 1, 2, 3, 4 and 5, 6, 7
    >>> found.estimate, round(found.interval.low, 3), round(found.interval.high, 3)
    (-3.5, -5.732, -1.268)
    >>> round(found.p_value, 4)
    0.0101
    """
    n_a, total_a, squares_a = index(n_a), index(total_a), index(squares_a)
    n_b, total_b, squares_b = index(n_b), index(total_b), index(squares_b)
    scale = index(scale)
    z = z_value(level)
    if scale < 1:
        raise ValueError(f"scale must be at least 1, not {scale}")
    spread_a, spread_b = _spread(n_a, total_a, squares_a), _spread(n_b, total_b, squares_b)
    if n_a < 2 or n_b < 2 or spread_a == spread_b == 0:
        return None
    variance_a = spread_a / (n_a * n_a * (n_a - 1))
    variance_b = spread_b / (n_b * n_b * (n_b - 1))
    variance = variance_a + variance_b
    share_a, share_b = variance_a / variance, variance_b / variance
    degrees = 1 / (share_a * share_a / (n_a - 1) + share_b * share_b / (n_b - 1))
    if degrees < STUDENT_T_UP_TO:
        # Imported here, as in `intervals`, because loading it takes longer than a small run.
        from scipy.special import stdtrit

        errors, method = -float(stdtrit(degrees, (1 - level) / 2)), "Welch's t"
    else:
        errors, method = z, "Welch, normal"
    error = sqrt(variance)
    difference = (total_a * n_b - total_b * n_a) / (n_a * n_b)
    low, high = (difference - errors * error) / scale, (difference + errors * error) / scale
    return Difference(
        estimate=difference / scale,
        interval=Interval(low, high, level, method),
        standard_error=error / scale,
        p_value=_two_sided(difference / error, degrees),
        n=n_a + n_b,
    )


def smallest_effect(standard_error: float, level: float = 0.95, power: float = 0.8) -> float:
    """The true difference that a comparison this precise would have found with some probability.

    It says what an interval around 0 leaves open: "no difference was found, and one of 0.008 would
    have been, with a probability of 80 %". It depends on the precision only, not on what was seen.

    Parameters
    ----------
    standard_error
        That of the comparison, as `Difference.standard_error`.
    level
        Confidence level: a difference is found if the interval leaves out 0, on the right side.
    power
        The probability of finding it, at least one half.

    Returns
    -------
    (z(level) + z(power)) times the standard error, with the two-sided quantile of the normal
    distribution at `level` and the one-sided at `power`. With few observations, where Student's t
    is used, it is a little too small; so it is for differences whose spread is larger than that of
    the observations at hand, as when these were all 0.

    Raises
    ------
    ValueError
        If `standard_error` isn't a number of at least 0, `level` isn't between 0 and 1 or `power`
        isn't from 0.5 to 1.

    Examples
    --------
    >>> round(smallest_effect(0.01), 4)
    0.028
    """
    z = z_value(level)
    if not 0 <= standard_error < float("inf"):
        raise ValueError(f"standard_error must be at least 0, not {standard_error}")
    if not 0.5 <= power < 1:
        raise ValueError(f"power must be at least 0.5 and below 1, not {power}")
    return (z + NormalDist().inv_cdf(power)) * standard_error


def two_added(
    n: int,
    total: int,
    total_squares: int,
    *,
    scale: int = 1,
    largest: float = 1.0,
    bounded: bool = True,
) -> tuple[int, int, int, int]:
    """The sums of the observations and two more, and in how fine units of 1/`scale` they are.

    The first three are the arguments of `intervals.mean_interval`. With them there are always two
    different values, so the variance is never zero. Bounded differences get +`largest` and
    -`largest`; others the mean plus and minus `largest`, since 0 may be far away, and therefore n
    times as fine units. Parameters and errors are those of `paired_difference`.

    Examples
    --------
    >>> two_added(10, 0, 0, scale=6)
    (12, 0, 72, 1)
    >>> two_added(10, 500, 25_000, bounded=False)  # ten times 50, and 49 and 51
    (12, 6000, 3000200, 10)
    """
    n, total, total_squares, scale = index(n), index(total), index(total_squares), index(scale)
    units = _units(scale, largest)
    _spread(n, total, total_squares)
    # As the spread isn't negative, |total| <= n * units follows.
    if bounded and total_squares > n * units * units:
        raise ValueError(
            f"no {n} values from -{units} to {units} have the squares' sum {total_squares}"
        )
    added = 2 * units * units
    if bounded or n == 0:
        return n + 2, total, total_squares + added, 1
    return n + 2, total * (n + 2), n * n * (total_squares + added) + 2 * total * total, n


def _units(scale: int, largest: float) -> int:
    """`largest` in units of 1/`scale`."""
    if scale < 1:
        raise ValueError(f"scale must be at least 1, not {scale}")
    if not 0 < largest < float("inf"):
        raise ValueError(f"largest must be a positive number, not {largest}")
    units = round(scale * largest)
    # 1/3 in units of 1/3 is a whole number that floats may miss.
    if units < 1 or abs(units - scale * largest) > 1e-9 * units:
        raise ValueError(
            f"scale * largest must be a whole number of at least 1, not {scale * largest}"
        )
    return units


def _spread(n: int, total: int, total_squares: int) -> int:
    """The sum of squared distances from the mean, times n; an error if no values can have it."""
    spread = n * total_squares - total * total
    if n < 0 or spread < 0 or (n == 0 and total_squares != 0):
        raise ValueError(f"no {n} values have the sum {total} and the squares' sum {total_squares}")
    return spread


def _two_sided(statistic: float, degrees: float) -> float:
    """How probable a value at least so far from 0 is.

    The distribution is the one `mean_interval` would use: Student's t below `STUDENT_T_UP_TO`
    degrees of freedom, normal from there on.
    """
    if degrees < STUDENT_T_UP_TO:
        from scipy.special import stdtr

        return min(1.0, 2 * float(stdtr(degrees, -abs(statistic))))
    return erfc(abs(statistic) / sqrt(2))
