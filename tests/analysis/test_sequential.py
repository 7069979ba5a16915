"""The confidence sequence: exact ends, error rate under repeated looks, and the looks."""

import doctest
import itertools
import math
from decimal import Decimal, localcontext
from functools import cache

import numpy as np
import pytest
from scipy.special import betaln, xlogy

from simcards.analysis import intervals, sequential

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
