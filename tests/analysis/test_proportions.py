"""One rate and two: hand values, SciPy, statsmodels, exact and simulated coverage."""

import doctest
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
    proportion_confint,
    proportions_ztest,
)

from simcards.analysis import proportions
from simcards.analysis.intervals import wilson

REPETITIONS = 1000
# What so many repetitions of an interval that holds 95 of 100 times stay above, but for 1 of 60.
LEAST = 0.935
RATES = [0, 0.01, 0.5, 1]


def binomial(n, p):
    """Chances of 0 .. n successes."""
    return stats.binom.pmf(np.arange(n + 1), n, p)


@st.composite
def pairs(draw):
    """Two totals with their numbers of games, and the scale."""
    scale = draw(st.sampled_from([1, 60]))
    games = [draw(st.integers(1, 10**6)) for _ in range(2)]
    totals = [draw(st.integers(0, scale * n)) for n in games]
    return totals[0], games[0], totals[1], games[1], scale


def test_examples():
    assert doctest.testmod(proportions).failed == 0


def test_loads_without_numpy_and_scipy():
    code = (
        "import sys, simcards.analysis.proportions, simcards.analysis.multiple;"
        "sys.exit(bool({'numpy', 'scipy', 'numba'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


# One rate, exactly


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (1, 1, 0.025, 1),
        (0, 1, 0, 0.975),
        (1, 2, 1 - math.sqrt(0.975), math.sqrt(0.975)),
        (0, 10, 0, 0.3085),
        (10, 10, 0.6915, 1),
        (4, 20, 0.0573, 0.4366),
    ],
)
def test_clopper_pearson__hand_values(successes, n, low, high):
    interval = proportions.clopper_pearson(successes, n)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5)
    assert (interval.level, interval.method) == (0.95, "Clopper-Pearson")


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
@pytest.mark.parametrize("n", [1, 2, 7, 50, 1000, 10**6])
def test_clopper_pearson__equals_scipy_and_statsmodels(n, level):
    for successes in {0, 1, n // 3, n // 2, n - 1, n}:
        ours = proportions.clopper_pearson(successes, n, level)
        theirs = stats.binomtest(successes, n).proportion_ci(level, method="exact")
        others = proportion_confint(successes, n, alpha=1 - level, method="beta")
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-10)
        assert (ours.low, ours.high) == pytest.approx(others, abs=1e-10)


@pytest.mark.parametrize("n", [3, 20, 400, 10**9, proportions.MOST_TRIALS])
@pytest.mark.parametrize("level", [0.001, 0.95, 0.999999999])
def test_clopper_pearson__ends_are_where_the_tails_are_even(n, level):
    tail = (1 - level) / 2
    for successes in {0, 1, n // 7, n // 2, n - 1, n}:
        interval = proportions.clopper_pearson(successes, n, level)
        assert 0 <= interval.low <= successes / n <= interval.high <= 1
        assert interval.low < interval.high
        assert interval.low == 0.0 or successes > 0
        assert interval.high == 1.0 or successes < n
        if n <= 400 and successes > 0:
            at_least = binomial(n, interval.low)[successes:].sum()
            assert at_least == pytest.approx(tail, rel=1e-6)
        if n <= 400 and successes < n:
            at_most = binomial(n, interval.high)[: successes + 1].sum()
            assert at_most == pytest.approx(tail, rel=1e-6)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 37, 200])
def test_clopper_pearson__holds_its_level_at_every_rate(n, level):
    found = [proportions.clopper_pearson(x, n, level) for x in range(n + 1)]
    lows, highs = np.array([i.low for i in found]), np.array([i.high for i in found])
    # Coverage is least just beside the ends of the intervals.
    rates = np.concatenate([np.linspace(0, 1, 501), lows - 1e-9, highs + 1e-9])
    for rate in rates[(rates >= 0) & (rates <= 1)]:
        assert binomial(n, rate)[(lows <= rate) & (rate <= highs)].sum() > level - 1e-9


def test_clopper_pearson__what_it_is_for():
    # As its docstring says: Wilson's interval holds some rates fewer than 90 times of 100, this one
    # holds small rates 98 times.
    n, rates = 50, np.linspace(0.001, 0.1, 100)
    shares = {}
    for method in (wilson, proportions.clopper_pearson):
        found = [method(x, n) for x in range(n + 1)]
        shares[method] = [
            binomial(n, p)[[i.low <= p <= i.high for i in found]].sum() for p in rates
        ]
    assert min(shares[wilson]) < 0.9
    assert np.mean(shares[proportions.clopper_pearson]) == pytest.approx(0.98, abs=0.005)


@given(st.integers(1, 10**9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@settings(deadline=None)
def test_clopper_pearson__mirrors_and_grows_with_its_level(counts):
    successes, n = counts
    interval = proportions.clopper_pearson(successes, n)
    mirrored = proportions.clopper_pearson(n - successes, n)
    wider = proportions.clopper_pearson(successes, n, 0.99)
    # As exact as SciPy's functions are at large n.
    close = 1e-15 + 1e-6 * interval.half_width
    assert interval.low == pytest.approx(1 - mirrored.high, rel=0, abs=close)
    assert interval.high == pytest.approx(1 - mirrored.low, rel=0, abs=close)
    assert wider.low <= interval.low < interval.high <= wider.high


@pytest.mark.parametrize(
    ("successes", "n", "level", "low", "high"),
    [
        # Quantiles of beta distributions by integrals of their densities to 40 digits.
        (100_000, 10**9, 0.95, 9.938118336570967e-5, 1.006217134584489e-4),
        (10**9 // 3, 10**9, 0.95, 0.3333041155644163, 0.3333625514003742),
        (2139, 10**11, 0.95, 2.049303829831683e-8, 2.231611599756306e-8),
        # SciPy 1.13's inverse functions give a low end here that is above the rate.
        (2139, 10**11, 0.5, 2.107626275785891e-8, 2.171017654199402e-8),
    ],
)
def test_clopper_pearson__many_trials(successes, n, level, low, high):
    interval = proportions.clopper_pearson(successes, n, level)
    assert interval.low == pytest.approx(low, rel=1e-9)
    assert interval.high == pytest.approx(high, rel=1e-9)


def test_clopper_pearson__no_trials_is_no_data():
    assert proportions.clopper_pearson(0, 0) is None


@pytest.mark.parametrize(
    ("counts", "named"),
    [
        ((0, -1), "n must be"),
        ((1, proportions.MOST_TRIALS + 1), "n must be"),
        ((-1, 5), "successes"),
        ((6, 5), "successes"),
    ],
)
def test_clopper_pearson__raise_on_impossible_counts(counts, named):
    with pytest.raises(ValueError, match=named):
        proportions.clopper_pearson(*counts)


@pytest.mark.parametrize("level", [-0.5, 0, 1, 95, math.nan])
def test_raise_on_level_out_of_range(level):
    for counts in ((0, 0), (2, 5)):
        with pytest.raises(ValueError, match="level"):
            proportions.clopper_pearson(*counts, level)
        with pytest.raises(ValueError, match="level"):
            proportions.newcombe(*counts, *counts, level)


def test_raise_on_fractions():
    with pytest.raises(TypeError):
        proportions.clopper_pearson(2.5, 5)
    with pytest.raises(TypeError):
        proportions.newcombe(2.5, 5, 2, 5)
    with pytest.raises(TypeError):
        proportions.difference_p(2, 5, 2, 5.0)


# The difference of two


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        # Newcombe (1998), table II, method 10.
        ((56, 70, 48, 80), 0.0524, 0.3339),
        ((9, 10, 3, 10), 0.1705, 0.8090),
        ((6, 7, 2, 7), 0.0582, 0.8062),
        ((5, 56, 0, 29), -0.0381, 0.1926),
        ((0, 10, 0, 20), -0.1611, 0.2775),
        ((0, 10, 0, 10), -0.2775, 0.2775),
        ((10, 10, 0, 20), 0.6791, 1.0),
        ((10, 10, 0, 10), 0.6075, 1.0),
    ],
)
def test_newcombe__published_values(counts, low, high):
    interval = proportions.newcombe(*counts)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5)
    assert (interval.level, interval.method) == (0.95, "Newcombe")


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
@pytest.mark.parametrize(("n_a", "n_b"), [(1, 1), (3, 50), (40, 40), (1000, 7), (10**6, 10**5)])
def test_newcombe__equals_statsmodels(n_a, n_b, level):
    for a in {0, 1, n_a // 3, n_a}:
        for b in {0, 1, n_b // 2, n_b}:
            ours = proportions.newcombe(a, n_a, b, n_b, level)
            theirs = confint_proportions_2indep(
                a, n_a, b, n_b, method="newcomb", compare="diff", alpha=1 - level
            )
            assert (ours.low, ours.high) == pytest.approx(theirs, abs=1e-9)


@given(pairs())
@settings(deadline=None)
def test_newcombe__invariances(case):
    a, n_a, b, n_b, scale = case
    interval = proportions.newcombe(a, n_a, b, n_b, scale=scale)
    difference = (a / n_a - b / n_b) / scale
    assert -1 <= interval.low <= difference + 1e-15
    assert difference - 1e-15 <= interval.high <= 1
    assert interval.low < interval.high
    exchanged = proportions.newcombe(b, n_b, a, n_a, scale=scale)
    assert (exchanged.low, exchanged.high) == (-interval.high, -interval.low)
    losses = proportions.newcombe(scale * n_a - a, n_a, scale * n_b - b, n_b, scale=scale)
    assert (losses.low, losses.high) == pytest.approx((-interval.high, -interval.low), abs=1e-12)
    finer = proportions.newcombe(7 * a, n_a, 7 * b, n_b, scale=7 * scale)
    assert (finer.low, finer.high) == pytest.approx((interval.low, interval.high), abs=1e-14)


def test_newcombe__numpy_integers_do_not_wrap_around():
    n = 2 * 10**17
    ours = proportions.newcombe(*np.array([30 * n, n, 15 * n, n]), scale=np.int64(60))
    assert ours == proportions.newcombe(30 * n, n, 15 * n, n, scale=60)
    counts = np.array([30 * n + 10**10, n, 30 * n, n])
    wins = proportions.difference_p(*counts, scale=np.int64(60))
    assert wins == proportions.difference_p(*counts.tolist(), scale=60)


@pytest.mark.parametrize(
    ("n_a", "n_b", "least", "mean"), [(20, 30, 0.918, 0.952), (10, 10, 0.88, 0.9535)]
)
def test_newcombe__exact_coverage(n_a, n_b, least, mean):
    # As its docstring says.
    found = [[proportions.newcombe(a, n_a, b, n_b) for b in range(n_b + 1)] for a in range(n_a + 1)]
    lows = np.array([[i.low for i in row] for row in found])
    highs = np.array([[i.high for i in row] for row in found])
    rates = np.linspace(0.01, 0.99, 50)
    shares = []
    for p in rates:
        for q in rates:
            # Ends that are the difference itself, as 1 - 0, may be off in the last digit.
            inside = (lows <= p - q + 1e-12) & (p - q - 1e-12 <= highs)
            shares.append((np.outer(binomial(n_a, p), binomial(n_b, q)) * inside).sum())
    assert min(shares) > least
    assert np.mean(shares) == pytest.approx(mean, abs=0.001)


def test_newcombe__no_games_is_no_data():
    assert proportions.newcombe(0, 0, 3, 5) is None
    assert proportions.newcombe(3, 5, 0, 0) is None
    assert proportions.newcombe(0, 0, 0, 0, scale=60) is None


@pytest.mark.parametrize(
    ("total", "n", "scale"), [(-1, 5, 1), (6, 5, 1), (301, 5, 60), (1, 0, 1), (0, -1, 1), (0, 5, 0)]
)
def test_raise_on_impossible_counts(total, n, scale):
    for function in (proportions.newcombe, proportions.difference_p):
        with pytest.raises(ValueError, match="must be"):
            function(total, n, 2, 5, scale=scale)
        with pytest.raises(ValueError, match="must be"):
            function(2, 5, total, n, scale=scale)


# Its p-value


@pytest.mark.parametrize(
    "counts", [(56, 70, 48, 80), (9, 10, 3, 10), (1, 1000, 9, 1000), (5, 56, 0, 29), (1, 2, 1, 2)]
)
def test_difference_p__equals_scipy_and_statsmodels(counts):
    a, n_a, b, n_b = counts
    ours = proportions.difference_p(*counts)
    table = [[a, n_a - a], [b, n_b - b]]
    assert ours == pytest.approx(stats.chi2_contingency(table, correction=False).pvalue, rel=1e-9)
    assert ours == pytest.approx(proportions_ztest([a, b], [n_a, n_b])[1], rel=1e-9)


@pytest.mark.parametrize("counts", [(0, 5, 0, 7), (5, 5, 7, 7), (0, 0, 3, 7), (3, 7, 0, 0)])
def test_difference_p__nothing_speaks_against_it(counts):
    assert proportions.difference_p(*counts) == 1.0


@given(pairs())
@settings(deadline=None)
def test_difference_p__invariances(case):
    a, n_a, b, n_b, scale = case
    p = proportions.difference_p(a, n_a, b, n_b, scale=scale)
    assert 0 <= p <= 1
    assert p == proportions.difference_p(b, n_b, a, n_a, scale=scale)
    assert p == proportions.difference_p(scale * n_a - a, n_a, scale * n_b - b, n_b, scale=scale)
    assert p == pytest.approx(
        proportions.difference_p(7 * a, n_a, 7 * b, n_b, scale=7 * scale), rel=1e-12
    )
    assert (p == 1) == (a * n_b == b * n_a) or p > 1 - 1e-6


def test_difference_p__agrees_with_the_interval_in_large_samples():
    for b in range(48_000, 52_000, 50):
        p = proportions.difference_p(50_000, 100_000, b, 100_000)
        interval = proportions.newcombe(50_000, 100_000, b, 100_000)
        assert (p < 0.05) == (not interval.low <= 0 <= interval.high)


# Simulated runs: no method holds the true value less often than it says


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(
    ("method", "n"),
    [(proportions.clopper_pearson, 100), (proportions.clopper_pearson, 2000), (wilson, 2000)],
)
def test_coverage__one_rate(method, n, rate):
    runs = np.random.default_rng(11).binomial(n, rate, size=REPETITIONS).tolist()
    share = np.mean([(i := method(wins, n)).low <= rate <= i.high for wins in runs])
    assert share >= LEAST
    assert share == 1 or 0 < rate < 1


def test_coverage__of_rare_events_differs():
    # One in 100, 100 games: Wilson's interval misses it from three successes on, the exact one from
    # four.
    chances = binomial(100, 0.01)
    for method, expected in ((wilson, 0.9206), (proportions.clopper_pearson, 0.9816)):
        held = [(i := method(wins, 100)).low <= 0.01 <= i.high for wins in range(101)]
        assert chances[held].sum() == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("rate_b", RATES)
@pytest.mark.parametrize("rate_a", RATES)
@pytest.mark.parametrize(("n_a", "n_b"), [(400, 400), (2000, 500)])
def test_coverage__newcombe(n_a, n_b, rate_a, rate_b):
    rng = np.random.default_rng(12)
    runs_a = rng.binomial(n_a, rate_a, size=REPETITIONS).tolist()
    runs_b = rng.binomial(n_b, rate_b, size=REPETITIONS).tolist()
    found = [proportions.newcombe(a, n_a, b, n_b) for a, b in zip(runs_a, runs_b, strict=True)]
    assert np.mean([i.low <= rate_a - rate_b <= i.high for i in found]) >= LEAST


def test_coverage__newcombe_of_shared_wins():
    rng = np.random.default_rng(13)
    scores, shares = np.array([0, 20, 30, 60]), [0.4, 0.2, 0.2, 0.2]
    mean = scores @ shares / 60
    totals = rng.multinomial(300, shares, size=(REPETITIONS, 2)) @ scores
    found = [proportions.newcombe(a, 300, b, 300, scale=60) for a, b in totals.tolist()]
    assert np.mean([i.low <= 0 <= i.high for i in found]) >= LEAST
    assert 0.3 < mean < 0.4


@pytest.mark.parametrize("rate", [0, 0.05, 0.5, 0.99, 1])
def test_difference_p__is_small_as_seldom_as_it_says(rate):
    rng = np.random.default_rng(14)
    runs = rng.binomial(1000, rate, size=(REPETITIONS, 2)).tolist()
    p_values = np.array([proportions.difference_p(a, 1000, b, 1000) for a, b in runs])
    assert np.mean(p_values <= 0.05) <= 1 - LEAST
    assert np.mean(p_values <= 0.5) <= 0.56
