"""The confidence sequences: ends, error rates under repeated looks, and the looks."""

import doctest
import itertools
import math
from decimal import Decimal, localcontext
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln, xlogy

from simcards.analysis import intervals, paired, sequential

STREAMS = 2000
LOOKS = list(sequential.look_counts(64_000))

# Scores in sixtieths of a win, with their probabilities: sole wins, wins shared by two or three.
SCORES = {
    "p = 0.01": {0: 0.99, 60: 0.01},
    "p = 0.3": {0: 0.7, 60: 0.3},
    "p = 0.5": {0: 0.5, 60: 0.5},
    "p = 0.99": {0: 0.01, 60: 0.99},
    "halves": {0: 0.4, 30: 0.2, 60: 0.4},
    "thirds": {0: 0.7, 20: 0.1, 60: 0.2},
}

# Differences in sixths, with their probabilities.
DIFFERENCES = {
    "middle": {-6: 0.03, -3: 0.05, -1: 0.22, 0: 0.4, 1: 0.22, 3: 0.05, 6: 0.03},
    "better": {-6: 0.01, -3: 0.05, -1: 0.1, 0: 0.2, 1: 0.3, 3: 0.29, 6: 0.05},
    "3 in 1000 to either side": {-6: 0.0015, 0: 0.997, 6: 0.0015},
    "3 in 1000 to one side": {0: 0.997, 6: 0.003},
    "nearly always worse": {-6: 0.997, 6: 0.003},
    "skewed": {-6: 0.01, 0: 0.93, 1: 0.06},
}


def log_mixture(total, n, m, scale=1):
    """log M_n(m) straight from its definition."""
    won, lost = total / scale, n - total / scale
    return betaln(won + 0.5, lost + 0.5) - betaln(0.5, 0.5) - xlogy(won, m) - xlogy(lost, 1 - m)


def running_totals(shares, counts, rng):
    """Sums of scores in STREAMS streams at the given counts of games: shape (streams, counts)."""
    steps = np.diff(counts, prepend=0)
    draws = rng.multinomial(steps, list(shares.values()), size=(STREAMS, len(steps)))
    return (draws @ np.array(list(shares))).cumsum(axis=1)


def share_ever_missed(interval_at, shares, counts, seed):
    """Share of the streams in which the interval misses the mean at one count or more."""
    mean = sum(score * share for score, share in shares.items()) / 60
    totals = running_totals(shares, counts, np.random.default_rng(seed))

    @cache
    def misses(total, n):
        interval = interval_at(total, n, scale=60)
        return not interval.low <= mean <= interval.high

    streams = totals.tolist()
    return sum(any(map(misses, stream, counts)) for stream in streams) / STREAMS


def test_examples():
    assert doctest.testmod(sequential).failed == 0


# The interval


@pytest.mark.parametrize("scale", [1, 60])
@pytest.mark.parametrize("n", [1, 2, 3, 19, 20, 21, 39, 40, 41, 1000, 100_000])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
def test_ends_are_where_the_mixture_crosses(n, scale, level):
    most = -math.log1p(-level)
    step, rounding = 1e-12, 1e-9  # the second is that of betaln
    for total in {0, 1, scale * n // 3, scale * n // 2, scale * n - 1, scale * n}:
        interval = sequential.confidence_sequence(total, n, level, scale=scale)
        assert log_mixture(total, n, interval.low + step, scale) < most + rounding
        assert log_mixture(total, n, interval.high - step, scale) < most + rounding
        if total > 0:
            outside = max(0.0, interval.low - step)
            assert log_mixture(total, n, outside, scale) > most - rounding
        if total < scale * n:
            outside = min(1.0, interval.high + step)
            assert log_mixture(total, n, outside, scale) > most - rounding


@pytest.mark.parametrize("n", [1, 5, 30, 400])
def test_equals_slow_grid(n):
    grid = np.linspace(0, 1, 20_001)
    for total in {0, 1, n // 3, n - 1, n}:
        inside = grid[log_mixture(total, n, grid) < math.log(20)]
        interval = sequential.confidence_sequence(total, n)
        assert interval.low == pytest.approx(inside[0], abs=5.1e-5)
        assert interval.high == pytest.approx(inside[-1], abs=5.1e-5)
        assert len(inside) == round((inside[-1] - inside[0]) * 20_000) + 1  # no gaps


@pytest.mark.parametrize("scale", [1, 60])
@pytest.mark.parametrize("n", [1, 7, 1000, 10**9, 10**15])
@pytest.mark.parametrize("level", [0.001, 0.95, 0.999999999])
def test_holds_the_mean_inside_0_and_1(n, scale, level):
    whole = scale * n
    for total in {0, 1, whole // 7, whole // 2, whole - 1, whole}:
        interval = sequential.confidence_sequence(total, n, level, scale=scale)
        assert 0 <= interval.low <= total / whole <= interval.high <= 1
        assert interval.low < interval.high
        assert interval.low == 0 or total > 0
        assert interval.high == 1 or total < whole


def test_before_the_first_game():
    assert sequential.confidence_sequence(0, 0) == intervals.Interval(
        0.0, 1.0, 0.95, "confidence sequence (beta-binomial mixture)"
    )


@pytest.mark.parametrize("n", [1, 10, 999, 10**9])
def test_no_wins_by_hand(n):
    # Without wins M_n(m) = c (1 - m)^-n, where c = (1/2)(3/4)(5/6)...(1 - 1/2n).
    interval = sequential.confidence_sequence(0, n)
    log_c = math.lgamma(n + 0.5) - math.lgamma(n + 1) - math.log(math.pi) / 2
    if n < 1000:
        log_c = sum(math.log1p(-1 / (2 * k)) for k in range(1, n + 1))
    else:  # c = 1 / sqrt(pi n) within 1/8n
        log_c = -math.log(math.pi * n) / 2
    expected = -math.expm1((log_c - math.log(20)) / n)
    assert interval.high == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("total", "n"), [(1, 3), (123, 1000), (10**8, 10**9)])
def test_wins_and_losses_mirror_each_other(total, n):
    wins = sequential.confidence_sequence(total, n)
    losses = sequential.confidence_sequence(n - total, n)
    assert (wins.low, wins.high) == pytest.approx((1 - losses.high, 1 - losses.low), abs=1e-15)


def test_scale_changes_nothing():
    unscaled = sequential.confidence_sequence(123, 1000)
    assert sequential.confidence_sequence(np.int64(123 * 60), np.int64(1000), scale=60) == unscaled


def test_width_shrinks_with_n():
    for tenths in (0, 1, 5, 10):
        counts = [10 * 4**k for k in range(14)]
        found = [sequential.confidence_sequence(tenths * n // 10, n) for n in counts]
        widths = [interval.half_width for interval in found]
        assert all(later < earlier for earlier, later in itertools.pairwise(widths))
    assert widths[-1] < 1e-6


def test_width_grows_with_level_and_beats_no_fixed_interval():
    widths = [sequential.confidence_sequence(300, 1000, level).half_width for level in (0.5, 0.9)]
    assert widths[0] < widths[1]
    for n in (1000, 10**6, 10**9):
        ratio = sequential.confidence_sequence(n // 4, n).half_width
        ratio /= intervals.wilson(n // 4, n).half_width
        assert 1.5 < ratio < 3.1


@pytest.mark.parametrize("n", [1, 2, 10, 1000, 10**6])
def test_price_of_looking(n):
    # Krichevsky and Trofimov: M_n at the mean score is at least 1 / (2 sqrt(n)).
    most = math.log(20) + math.log(2 * math.sqrt(n)) + 1e-12
    for sixtieths in {0, 1, 30, 60, 15 * n, 30 * n, 60 * n - 60, 60 * n}:
        threshold = sequential._threshold(sixtieths / 60, n - sixtieths / 60, n, 0.95)
        assert math.log(20) <= threshold <= most


@pytest.mark.parametrize("x", [0, 1 / 60, 0.5, 3, 8, 12, 19.99, 20, 21, 30, 50])
def test_stirling_remainder(x):
    leading = xlogy(x, x) - x + math.log(2 * math.pi) / 2
    expected = math.lgamma(x + 0.5) - leading
    assert sequential._stirling_remainder(x) == pytest.approx(expected, rel=0, abs=2e-13)


def test_ends_at_large_n_in_decimals():
    # Stirling's series to 40 digits; its first term left out is below 1e-27 from 10^5 on.
    pi = Decimal("3.14159265358979323846264338327950288419716939937510")

    def log_gamma(z):
        return (z - half) * z.ln() - z + (2 * pi).ln() / 2 + 1 / (12 * z) - 1 / (360 * z**3)

    with localcontext(prec=40):
        half = Decimal("0.5")
        for total, n in itertools.product((10**5, 10**9 // 3, 10**9 - 10**5), (10**9, 10**12)):
            won, lost = Decimal(total), Decimal(n - total)
            log_beta = log_gamma(won + half) + log_gamma(lost + half) - log_gamma(Decimal(n + 1))
            interval = sequential.confidence_sequence(total, n)
            for end, outwards in ((interval.low, -1), (interval.high, 1)):
                # The crossing lies within 2e-15 of the end.
                for step, sign in ((Decimal("2e-15"), 1), (Decimal("-2e-15"), -1)):
                    m = Decimal(end) + outwards * step
                    mixture = log_beta - pi.ln() - won * m.ln() - lost * (1 - m).ln()
                    assert sign * (mixture - Decimal(20).ln()) > 0


def test_ends_at_large_n_against_mpmath():
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(50):
        for total, n in itertools.product((1, 10**5, 10**9 // 3, 10**9 - 2), (10**9, 10**12)):
            won, lost = mpmath.mpf(total), mpmath.mpf(n - total)
            log_beta = mpmath.loggamma(won + 0.5) + mpmath.loggamma(lost + 0.5)
            log_beta -= mpmath.loggamma(n + 1) + mpmath.log(mpmath.pi)

            def excess(m, won=won, lost=lost, log_beta=log_beta):
                mixture = log_beta - won * mpmath.log(m) - lost * mpmath.log(1 - m)
                return mixture + mpmath.log(1 - mpmath.mpf(0.95))

            interval = sequential.confidence_sequence(total, n)
            for end in map(mpmath.mpf, (interval.low, interval.high)):
                step = min(mpmath.mpf(10) ** -15, end / 2)
                assert abs(excess(end)) < abs(excess(end + step) - excess(end - step))


@pytest.mark.parametrize("level", [-1, 0, 1, 95, math.nan])
def test_raise_on_level_out_of_range(level):
    with pytest.raises(ValueError, match="level"):
        sequential.confidence_sequence(1, 2, level)


@pytest.mark.parametrize(
    ("total", "n", "scale"), [(-1, 5, 1), (6, 5, 1), (301, 5, 60), (1, 0, 1), (0, -1, 1), (0, 5, 0)]
)
def test_raise_on_impossible_counts(total, n, scale):
    with pytest.raises(ValueError, match="must be"):
        sequential.confidence_sequence(total, n, scale=scale)


# Its promise: one miss anywhere in a stream counts


@pytest.mark.parametrize("name", SCORES)
def test_error_rate_over_all_looks_of_a_run(name):
    missed = share_ever_missed(sequential.confidence_sequence, SCORES[name], LOOKS, seed=1)
    assert missed <= 0.05


@pytest.mark.parametrize("name", ["p = 0.3", "p = 0.5", "halves"])
def test_error_rate_looking_after_every_game(name):
    every = list(range(1, 101))
    missed = share_ever_missed(sequential.confidence_sequence, SCORES[name], every, seed=2)
    assert missed <= 0.05


@pytest.mark.parametrize("p", [0, 1])
def test_certain_scores_are_never_missed(p):
    assert all(
        (interval := sequential.confidence_sequence(p * n, n)).low <= p <= interval.high
        for n in range(1, 500)
    )


def test_ordinary_interval_fails_the_same_check():
    missed = share_ever_missed(intervals.wilson, SCORES["p = 0.5"], LOOKS, seed=1)
    assert missed > 0.15


# Means of differences


def misses_of_differences(interval_at, name, level, seed):
    """Share of the streams in which the interval misses the mean at one look or more."""
    shares = DIFFERENCES[name]
    mean = sum(value * share for value, share in shares.items()) / 6
    # The draws of `running_totals`, twice: the values of one seed, then their squares.
    totals = running_totals(shares, LOOKS, np.random.default_rng(seed))
    steps = np.diff(LOOKS, prepend=0)
    rng = np.random.default_rng(seed)
    draws = rng.multinomial(steps, list(shares.values()), size=(STREAMS, len(steps)))
    squares = (draws @ np.array(list(shares)) ** 2).cumsum(axis=1)

    def missed(stream):
        found = (interval_at(n, total, square, level, scale=6) for n, total, square in stream)
        return any(not interval.low <= mean <= interval.high for interval in found)

    streams = zip(totals.tolist(), squares.tolist(), strict=True)
    return sum(missed(zip(LOOKS, *stream, strict=True)) for stream in streams) / STREAMS


def ordinary(*sums, scale):
    return paired.paired_difference(*sums, scale=scale).interval


@pytest.mark.parametrize("name", DIFFERENCES)
def test_mean_sequence__error_rate_over_all_looks_of_a_run(name):
    missed = misses_of_differences(sequential.mean_sequence, name, 0.95, seed=3)
    assert missed <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / STREAMS)
    # An interval for one look, looked at as often, isn't even near.
    assert misses_of_differences(ordinary, name, 0.95, seed=3) > 0.15


def test_mean_sequence__error_rate_at_another_level():
    missed = misses_of_differences(sequential.mean_sequence, "middle", 0.8, seed=4)
    assert 0.05 < missed <= 0.2 + 3 * math.sqrt(0.2 * 0.8 / STREAMS)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
@pytest.mark.parametrize("n", [1, 30, 1000, 10**6])
def test_mean_sequence__ends_are_where_the_mixture_crosses(n, level):
    # With the variance v known, averaging the likelihood over normal means m + t whose t has the
    # variance r^2 v, and dividing by that at m, gives this closed form (Robbins).
    total, squares = n // 3, n // 3 + 2 * (n // 5)
    found = sequential.mean_sequence(n, total, squares, level, bounded=False)
    # The mean and 1 more or less are among the observations, which leaves it where it was.
    variance = (squares - total**2 / n + 2) / (n + 1)
    spread = 1 + n * sequential.MIXING_VARIANCE
    for end in (found.low, found.high):
        distance = n * (total / n - end)
        exponent = distance**2 * sequential.MIXING_VARIANCE / (2 * variance * spread)
        assert exponent - math.log(spread) / 2 == pytest.approx(-math.log1p(-level), rel=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
@pytest.mark.parametrize("n", [30, 1000, 10**6])
def test_mean_sequence__ends_of_bounded_differences(n, level):
    # The same with 1 and -1 among the observations, cut off at their bounds.
    total, squares = n // 3, n // 3 + 2 * (n // 5)
    found = sequential.mean_sequence(n, total, squares, level)
    middle = total / (n + 2)
    variance = (squares + 2 - total**2 / (n + 2)) / (n + 1)
    spread = 1 + n * sequential.MIXING_VARIANCE
    exceeded = math.log(spread) / 2 - math.log1p(-level)
    half_width = math.sqrt(2 * variance * spread * exceeded / sequential.MIXING_VARIANCE) / n
    expected = max(-1, middle - half_width), min(1, middle + half_width)
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-9)


def test_mean_sequence__the_mixture_is_an_average_of_likelihood_ratios():
    # The closed form above, by adding up over a fine grid of means.
    n, mean, at, variance = 2000, 0.013, -0.02, 0.3
    r_squared = sequential.MIXING_VARIANCE
    means, step = np.linspace(-0.3, 0.3, 20_001, retstep=True)
    prior = np.exp(-((means - at) ** 2) / (2 * r_squared * variance))
    prior /= math.sqrt(2 * math.pi * r_squared * variance)
    ratios = np.exp(n * ((mean - at) ** 2 - (mean - means) ** 2) / (2 * variance))
    spread = 1 + n * r_squared
    closed = n**2 * (mean - at) ** 2 * r_squared / (2 * variance * spread) - math.log(spread) / 2
    assert math.log((prior * ratios).sum() * step) == pytest.approx(closed, rel=1e-6)


def test_mean_sequence__narrowest_at_ten_thousand():
    # The constant solves x = log(1 + x) + 2 log(1/alpha) at n = 10,000.
    x = 10_000 * sequential.MIXING_VARIANCE
    assert x == pytest.approx(math.log1p(x) + 2 * math.log(20), abs=3e-3)

    def ratio(n):
        wide = sequential.mean_sequence(n, 0, n // 2).half_width
        return wide / paired.paired_difference(n, 0, n // 2).interval.half_width

    counts = [1000, 9000, 10_000, 11_000, 64_000, 10**6, 10**9]
    ratios = [ratio(n) for n in counts]
    assert min(ratios) == ratios[2]
    expected = [1.95, 1.55, 1.55, 1.55, 1.63, 1.82, 2.26]
    assert ratios == pytest.approx(expected, abs=0.006)


@pytest.mark.parametrize("scale", [1, 6])
def test_mean_sequence__before_the_first_observation(scale):
    nothing = sequential.mean_sequence(0, 0, 0, scale=scale, largest=2.0)
    assert (nothing.low, nothing.high, nothing.level) == (-2, 2, 0.95)
    everything = sequential.mean_sequence(0, 0, 0, scale=scale, bounded=False)
    assert (everything.low, everything.high) == (-math.inf, math.inf)


@pytest.mark.parametrize("level", [1e-6, 0.95])
@pytest.mark.parametrize("n", [1, 2000])
def test_mean_sequence__a_mean_far_away_is_not_pulled(n, level):
    at_zero = sequential.mean_sequence(n, 0, 0, level, bounded=False)
    for mean in (1000, -1000):
        found = sequential.mean_sequence(n, n * mean, n * mean**2, level, bounded=False)
        expected = mean + at_zero.low, mean + at_zero.high
        assert (found.low, found.high) == pytest.approx(expected, rel=1e-12)
        assert found.low < mean < found.high


def test_mean_sequence__scale_changes_nothing():
    unscaled = sequential.mean_sequence(5000, 20, 1300)
    scaled = sequential.mean_sequence(np.int64(5000), np.int64(120), np.int64(46_800), scale=6)
    assert (scaled.low, scaled.high) == pytest.approx((unscaled.low, unscaled.high), rel=1e-12)


def test_mean_sequence__nothing_cancels():
    # Half of 10^12 differences are 10^6, half 10^6 + 1; the two added lie 10^7 from their mean.
    n, big, largest = 10**12, 10**6, 10**7
    sums = n * big + n // 2, (n // 2) * (big**2 + (big + 1) ** 2)
    found = sequential.mean_sequence(n, *sums, largest=largest, bounded=False)
    variance = 0.25 + 2 * largest**2 / n
    centred = sequential.mean_sequence(n, 0, round(n * variance), bounded=False)
    assert found.half_width == pytest.approx(centred.half_width, abs=3e-10)
    assert (found.low + found.high) / 2 == pytest.approx(big + 0.5, abs=1e-9)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([1, 6, 60]),
    st.lists(st.tuples(st.floats(-1, 1), st.integers(1, 10**9)), min_size=1, max_size=4),
    st.floats(0.001, 0.9999),
    st.booleans(),
)
def test_mean_sequence__properties(scale, histogram, level, bounded):
    sums = intervals.moments({round(share * scale): count for share, count in histogram})
    found = sequential.mean_sequence(*sums, level, scale=scale, bounded=bounded)
    assert math.isfinite(found.low) and math.isfinite(found.high)
    assert found.low < found.high and found.low <= sums[1] / (sums[0] * scale) <= found.high
    assert not bounded or -1 <= found.low < found.high <= 1
    wider = sequential.mean_sequence(*sums, (1 + level) / 2, scale=scale, bounded=bounded)
    assert wider.low <= found.low and found.high <= wider.high
    assert wider.half_width > found.half_width or (wider.low, wider.high) == (-1, 1)
    once = paired.paired_difference(*sums, level, scale=scale, bounded=bounded).interval
    if sums[0] > paired.STUDENT_T_UP_TO:
        assert found.low <= once.low and once.high <= found.high


@pytest.mark.parametrize("level", [-1, 0, 1, 95, math.nan])
def test_mean_sequence__raise_on_level_out_of_range(level):
    with pytest.raises(ValueError, match="level"):
        sequential.mean_sequence(0, 0, 0, level)


@pytest.mark.parametrize("impossible", [(-1, 0, 0), (2, 2, 1), (0, 0, 1), (3, 0, 4)])
def test_mean_sequence__raise_on_impossible_sums(impossible):
    with pytest.raises(ValueError, match="no .* values"):
        sequential.mean_sequence(*impossible)


# Where a run looks


def test_look_counts__first_values():
    first = [1000, 1190, 1415, 1682, 2000, 2379, 2829, 3364, 4000, 4757]
    assert list(itertools.islice(sequential.look_counts(10**9), 10)) == first


def test_look_counts__exact():
    # The definition in integers: count - 1 < 1000 * 2^(k/4) <= count.
    counts = list(sequential.look_counts(10**30))
    for k, count in enumerate(counts):
        assert (count - 1) ** 4 < 1000**4 * 2**k <= count**4
    assert counts[::4] == [1000 * 2**j for j in range(len(counts[::4]))]
    assert all(earlier < later for earlier, later in itertools.pairwise(counts))
    assert 1000**4 * 2 ** len(counts) > 10**120


@pytest.mark.parametrize(
    ("limit", "expected"), [(-5, []), (0, []), (999, []), (1000, [1000]), (1190, [1000, 1190])]
)
def test_look_counts__limit(limit, expected):
    assert list(sequential.look_counts(limit)) == expected
