"""Intervals for rates and means: hand values, SciPy, edges and coverage by simulation."""

import doctest
import math
import subprocess
import sys
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from scipy import stats

from simcards.analysis import intervals

REPETITIONS = 1000
# Four standard errors of a coverage of 95 % estimated from that many repetitions.
SLACK = 4 * math.sqrt(0.95 * 0.05 / REPETITIONS)


def test_examples():
    assert doctest.testmod(intervals).failed == 0


def test_loads_without_numpy_and_scipy():
    code = (
        "import sys, simcards.analysis.intervals, simcards.analysis.sequential;"
        "sys.exit(bool({'numpy', 'scipy', 'numba'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_interval_is_frozen_and_knows_its_half_width():
    interval = intervals.Interval(0.25, 0.75, 0.95, "by hand")
    assert interval.half_width == 0.25
    with pytest.raises(FrozenInstanceError):
        interval.low = 0.0


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99, 0.999999])
def test_z_value(level):
    assert intervals.z_value(level) == pytest.approx(stats.norm.isf((1 - level) / 2), rel=1e-9)


@pytest.mark.parametrize("level", [-0.5, 0, 1, 95, math.nan, math.inf])
def test_level_out_of_range(level):
    with pytest.raises(ValueError, match="level"):
        intervals.z_value(level)
    with pytest.raises(ValueError, match="level"):
        intervals.wilson(0, 0, level)
    with pytest.raises(ValueError, match="level"):
        intervals.mean_interval(0, 0, 0, level)


# Wilson


@pytest.mark.parametrize(
    ("wins", "n", "low", "high"),
    [(0, 50, 0, 0.0713), (10, 10, 0.7225, 1), (50, 100, 0.4038, 0.5962), (1, 1, 0.2065, 1)],
)
def test_wilson__hand_values(wins, n, low, high):
    interval = intervals.wilson(wins, n)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5)
    assert (interval.level, interval.method) == (0.95, "Wilson")


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("n", [1, 2, 7, 50, 1000, 10**6, 10**9])
def test_wilson__equals_scipy(n, level):
    for wins in {0, 1, n // 3, n // 2, n - 1, n}:
        ours = intervals.wilson(wins, n, level)
        theirs = stats.binomtest(wins, n).proportion_ci(level, method="wilson")
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize("n", [1, 3, 50, 10**4, 10**9, 10**12])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999999999])
def test_wilson__edges(n, level):
    none, every = intervals.wilson(0, n, level), intervals.wilson(n, n, level)
    assert none.low == 0.0
    assert every.high == 1.0
    for wins in {0, 1, n // 2, n - 1, n}:
        interval = intervals.wilson(wins, n, level)
        assert 0 <= interval.low <= wins / n <= interval.high <= 1
        assert interval.low < interval.high


def test_wilson__small_low_end_keeps_its_digits():
    # One win in 10^15: the low end is p^2 / (p + a/2 + sqrt(a p + a^2/4)) with a = z^2/n.
    a, p = intervals.z_value(0.95) ** 2, 1.0
    expected = 1 / (p + a / 2 + math.sqrt(a * p + a * a / 4))
    assert intervals.wilson(1, 10**15).low * 10**15 == pytest.approx(expected, rel=1e-9)


def test_wilson__no_games_is_no_data():
    assert intervals.wilson(0, 0) is None
    assert intervals.wilson(0, 0, scale=60) is None


def test_wilson__scale_changes_nothing():
    assert intervals.wilson(7 * 60, 20, scale=60) == intervals.wilson(7, 20)


def test_wilson__numpy_integers_do_not_wrap_around():
    n = 2 * 10**17
    ours = intervals.wilson(np.int64(30 * n), np.int64(n), scale=np.int64(60))
    assert ours == intervals.wilson(30 * n, n, scale=60)


@pytest.mark.parametrize(
    ("total", "n", "scale"), [(-1, 5, 1), (6, 5, 1), (301, 5, 60), (1, 0, 1), (0, -1, 1), (0, 5, 0)]
)
def test_wilson__raise_on_impossible_counts(total, n, scale):
    with pytest.raises(ValueError, match="must be"):
        intervals.wilson(total, n, scale=scale)


def test_wilson__raise_on_fractions():
    with pytest.raises(TypeError):
        intervals.wilson(2.5, 5)


@pytest.mark.parametrize("p", [0, 0.01, 0.5, 0.99, 1])
def test_wilson__coverage(p):
    n = 2000
    wins = np.random.default_rng(1).binomial(n, p, size=REPETITIONS)
    covered = [(i := intervals.wilson(w, n)).low <= p <= i.high for w in wins]
    assert abs(np.mean(covered) - 0.95) < SLACK or p in (0, 1)
    assert all(covered) or 0 < p < 1


@pytest.mark.parametrize(
    "shares",
    [
        {0: 0.45, 30: 0.1, 60: 0.45},
        {0: 0.7, 12: 0.1, 20: 0.1, 60: 0.1},
        {15: 1.0},
        {0: 0.2, 30: 0.6, 60: 0.2},
    ],
)
def test_wilson__coverage_of_fractional_scores(shares):
    n, scores = 500, np.array(list(shares))
    draws = np.random.default_rng(2).multinomial(n, list(shares.values()), size=REPETITIONS)
    mean = sum(score * share for score, share in shares.items()) / 60
    found = [intervals.wilson(total, n, scale=60) for total in draws @ scores]
    assert np.mean([i.low <= mean <= i.high for i in found]) > 0.95 - SLACK


# Means


@pytest.mark.parametrize("n", [2, 3, 10, 200, 201, 5000])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
def test_mean_interval__equals_scipy(n, level):
    values = np.random.default_rng(n).integers(-50, 400, size=n)
    total, squares = int(values.sum()), int((values**2).sum())
    ours = intervals.mean_interval(n, total, squares, level)
    law = stats.t(n - 1) if n <= 200 else stats.norm()
    theirs = values.mean() + law.isf((1 - level) / 2) * stats.sem(values) * np.array([-1, 1])
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs), rel=1e-9)
    assert ours.method == ("Student t" if n <= 200 else "normal")
    assert ours.level == level


def test_mean_interval__hand_value():
    # 1, 2, 3: mean 2, s = 1, t = 4.302653 with two degrees of freedom.
    interval = intervals.mean_interval(3, 6, 14)
    assert interval.half_width == pytest.approx(4.302653 / math.sqrt(3), rel=1e-6)


def test_mean_interval__nothing_cancels():
    # A billion values, half of them 10^8 and half 10^8 + 1. Their variance is 1/4; as floats, the
    # mean square and the squared mean, both 10^16, have steps of 2.
    half, big = 5 * 10**8, 10**8
    n, total = 2 * half, half * (2 * big + 1)
    interval = intervals.mean_interval(n, total, half * (big**2 + (big + 1) ** 2))
    expected = intervals.z_value(0.95) * math.sqrt(0.25 / n)
    assert interval.half_width == pytest.approx(expected, abs=1.5e-8)  # a step at 10^8
    centred = intervals.mean_interval(n, half, half)
    assert centred.half_width == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("n", "total"), [(0, 0), (1, 7)])
def test_mean_interval__too_few_values(n, total):
    assert intervals.mean_interval(n, total, total**2) is None


def test_mean_interval__equal_values():
    interval = intervals.mean_interval(10, 50, 250)
    assert (interval.low, interval.high) == (5, 5)


@pytest.mark.parametrize("sums", [(-1, 0, 0), (2, 4, 7), (3, 1, 0), (1, 2, 3), (5, 0, -1)])
def test_mean_interval__raise_on_impossible_sums(sums):
    with pytest.raises(ValueError, match="no .* values"):
        intervals.mean_interval(*sums)


@pytest.mark.parametrize("n", [30, 200, 201, 1000])
def test_mean_interval__coverage(n):
    # Sums of a few dice, as lengths of games are: not normal, not very skewed.
    values = np.random.default_rng(3).integers(1, 7, size=(REPETITIONS, n, 3)).sum(axis=2)
    sums = zip(values.sum(axis=1), (values**2).sum(axis=1), strict=True)
    found = [intervals.mean_interval(n, total, squares) for total, squares in sums]
    assert abs(np.mean([i.low <= 10.5 <= i.high for i in found]) - 0.95) < SLACK


def test_mean_interval__coverage_of_skewed_values():
    n = 2000
    values = np.random.default_rng(4).geometric(0.05, size=(REPETITIONS, n))
    sums = zip(values.sum(axis=1), (values**2).sum(axis=1), strict=True)
    found = [intervals.mean_interval(n, total, squares) for total, squares in sums]
    assert abs(np.mean([i.low <= 20 <= i.high for i in found]) - 0.95) < SLACK


# Histograms


def test_quantile__hand_values():
    twenty = dict.fromkeys(range(1, 21), 1)
    asked = [0, 0.04, 0.05, 0.051, 0.5, 0.95, 0.951, 1]
    assert [intervals.quantile(twenty, q) for q in asked] == [1, 1, 1, 2, 10, 19, 20, 20]


@pytest.mark.parametrize("n", [1, 7, 20, 100, 1000])
def test_quantile__boundaries_are_exact(n):
    # The k/100 quantile of 1 .. n is the rank k n / 100 rounded up; floats miss many of them.
    histogram = dict.fromkeys(range(1, n + 1), 1)
    for k in range(101):
        expected = max(1, -(-k * n // 100))
        assert intervals.quantile(histogram, k / 100) == expected
        assert intervals.quantile(histogram, np.float64(k / 100)) == expected


def test_quantile__large_counts():
    histogram = {1: 5 * 10**17, 2: 95 * 10**17 - 1, 3: 1}
    assert intervals.quantile(histogram, 0.05) == 1
    assert intervals.quantile({**histogram, 1: 5 * 10**17 - 1, 2: 95 * 10**17}, 0.05) == 2


def test_quantile__equals_numpy():
    values = np.random.default_rng(5).geometric(0.1, size=1000)
    histogram = dict(zip(*(a.tolist() for a in np.unique(values, return_counts=True)), strict=True))
    for q in [0.001, 0.0333, 0.25, 0.5, 0.77, 0.9999]:
        expected = np.quantile(values, q, method="inverted_cdf")
        assert intervals.quantile(histogram, q) == expected


def test_quantile__order_and_empty_counts():
    assert intervals.quantile({9: 1, 1: 0, 5: 1, 99: 0}, 0) == 5
    assert intervals.quantile({9: 1, 1: 0, 5: 1, 99: 0}, 1) == 9


def test_quantile__no_values():
    assert intervals.quantile({}, 0.5) is None
    assert intervals.quantile({3: 0}, 0.5) is None


@pytest.mark.parametrize("q", [-0.1, 1.1, 50, math.nan])
def test_quantile__raise_on_share_out_of_range(q):
    with pytest.raises(ValueError, match="q must be"):
        intervals.quantile({1: 1}, q)


def test_moments():
    assert intervals.moments({}) == (0, 0, 0)
    assert intervals.moments({-2: 3, 5: 2, 7: 0}) == (5, 4, 62)
    huge = {np.int64(10**6): np.int64(10**10)}
    assert intervals.moments(huge) == (10**10, 10**16, 10**22)


def test_moments__raise_on_negative_counts():
    with pytest.raises(ValueError, match="count of 3"):
        intervals.moments({3: -1})
