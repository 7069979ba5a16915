"""Differences between two strategies: other programs, edges, coverage and properties."""

import doctest
import itertools
import math
import subprocess
import sys
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import gammaln, xlogy

from simcards.analysis import intervals, paired

REPETITIONS = 1000
LEVELS = [0.5, 0.8, 0.95, 0.999]


def sums(values):
    """The arguments of `paired_difference`, by Python's integers."""
    values = [int(value) for value in values]
    return len(values), sum(values), sum(value * value for value in values)


def ends(found):
    return found.interval.low, found.interval.high


def test_examples():
    assert doctest.testmod(paired).failed == 0


def test_loads_without_numpy_and_scipy():
    code = (
        "import sys, simcards.analysis.paired;"
        "sys.exit(bool({'numpy', 'scipy', 'numba'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_difference_is_frozen():
    with pytest.raises(FrozenInstanceError):
        paired.paired_difference(10, 1, 1).estimate = 0.0


# Paired: against others


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [1, 2, 3, 10, 100, 198])
@pytest.mark.parametrize("scale", [1, 6])
def test_paired__equals_scipy_with_two_observations_more(n, scale, level):
    values = np.random.default_rng(n).integers(-scale, scale + 1, size=n)
    ours = paired.paired_difference(*sums(values), level, scale=scale, bounded=False)
    estimate = values.mean() / scale
    theirs = stats.ttest_1samp(np.append(values / scale, [estimate + 1, estimate - 1]), 0)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
    assert ends(ours) == pytest.approx(tuple(theirs.confidence_interval(level)), rel=1e-9)
    assert ours.estimate == pytest.approx(estimate, abs=1e-15)
    assert (ours.n, ours.interval.level) == (n, level)
    assert ours.interval.method == "Student t, two observations added"


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [199, 200, 5000])
def test_paired__normal_in_large_samples(n, level):
    values = np.random.default_rng(n).integers(-60, 61, size=n)
    values[: n // 10] += 20  # up to 80, so that the p-value isn't just anything
    ours = paired.paired_difference(*sums(values), level, scale=40, largest=2.0)
    with_two = np.append(values, [80, -80]) / 40
    error = stats.sem(with_two)
    assert ours.standard_error == pytest.approx(error, rel=1e-12)
    quantile = stats.norm.isf((1 - level) / 2)
    expected = with_two.mean() - quantile * error, with_two.mean() + quantile * error
    assert ends(ours) == pytest.approx(expected, rel=1e-9)
    assert ours.p_value == pytest.approx(2 * stats.norm.sf(abs(with_two.mean() / error)), rel=1e-9)
    assert ours.interval.method == "normal, two observations added"


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [1, 2, 3, 10, 100, 198])
def test_paired__bounded_equals_scipy_with_both_largest_ones(n, level):
    values = np.random.default_rng(n).integers(-6, 7, size=n)
    ours = paired.paired_difference(*sums(values), level, scale=6)
    theirs = stats.ttest_1samp(np.append(values, [6, -6]) / 6, 0)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
    low, high = theirs.confidence_interval(level)
    estimate = values.mean() / 6
    expected = max(-1, min(low, estimate)), min(1, max(high, estimate))
    assert ends(ours) == pytest.approx(expected, rel=1e-9)
    assert ours.interval.method == "Student t, two observations added"


def test_paired__is_mean_interval_of_the_sums_with_two_more():
    ours = paired.paired_difference(1000, 60, 180, scale=2)
    theirs = intervals.mean_interval(1002, 60, 180 + 2 * 2**2)
    assert ends(ours) == (theirs.low / 2, theirs.high / 2)
    # Without bounds in units of 1/1000: 62 and 58 thousandths of a half more, 0.06 +- 1.
    points = paired.paired_difference(1000, 60, 180, scale=2, largest=0.5, bounded=False)
    more = 1060**2 + 940**2
    theirs = intervals.mean_interval(1002, 60 * 1002, 180 * 1000**2 + more)
    assert ends(points) == pytest.approx((theirs.low / 2000, theirs.high / 2000), rel=1e-12)


@pytest.mark.parametrize(
    ("wins", "losses", "n"), [(0, 0, 500), (3, 0, 500), (40, 25, 700), (500, 0, 500)]
)
def test_paired__is_bonett_and_price_for_proportions(wins, losses, n):
    # Their formula, whose variance has the divisor n + 2 and not n + 1.
    up, down = (wins + 1) / (n + 2), (losses + 1) / (n + 2)
    error = math.sqrt((up + down - (up - down) ** 2) / (n + 2))
    ours = paired.paired_difference(n, wins - losses, wins + losses)
    assert ours.standard_error == pytest.approx(error * math.sqrt((n + 2) / (n + 1)), rel=1e-12)
    half_width = 1.959964 * ours.standard_error
    assert ours.interval.low == pytest.approx(up - down - half_width, rel=1e-6)
    assert ours.interval.high == pytest.approx(min(1, up - down + half_width), rel=1e-6)


def test_paired__agrees_with_mcnemar_when_enough_deals_differ():
    contingency = pytest.importorskip("statsmodels.stats.contingency_tables")
    table = np.array([[5000, 440], [360, 4200]])
    theirs = contingency.mcnemar(table, exact=False, correction=False)
    ours = paired.paired_difference(10_000, 440 - 360, 440 + 360)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=0.02)


# Paired: edges


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("value", [-1, 0, 1])
def test_paired__few_observations_say_nothing(n, value):
    assert ends(paired.paired_difference(n, n * value, n * value**2)) == (-1, 1)


def test_paired__no_observations_are_no_data():
    assert paired.paired_difference(0, 0, 0) is None
    assert paired.paired_difference(0, 0, 0, scale=60, bounded=False) is None


@pytest.mark.parametrize("n", [1, 5, 198, 199, 10**6, 10**12])
@pytest.mark.parametrize("level", [0.001, 0.5, 0.95, 0.999999999])
def test_paired__equal_observations(n, level):
    nothing = paired.paired_difference(n, 0, 0, level)
    assert nothing.p_value == 1
    assert nothing.interval.low == -nothing.interval.high < 0
    for sign in (1, -1):
        always = paired.paired_difference(n, sign * n, n, level)
        assert always.estimate == sign
        assert -1 <= always.interval.low < always.interval.high <= 1
        assert sign in ends(always)
        assert always.standard_error > 0


def test_paired__always_better_by_hand():
    # The variance of n times 1 and of 1 and -1 is 4 / (n + 2), divisor n + 1.
    found = paired.paired_difference(10_000, 10_000, 10_000)
    assert found.interval.low == pytest.approx((10_000 - 2 * 1.959964) / 10_002, rel=1e-9)
    assert found.interval.high == 1


def test_paired__bounds():
    # Three times 1, with 1 and -1 added and with 2 and 0.
    within = intervals.mean_interval(5, 3, 5)
    assert within.high > 1
    assert ends(paired.paired_difference(3, 3, 3)) == (within.low, 1)
    beyond = intervals.mean_interval(5, 5, 7)
    assert ends(paired.paired_difference(3, 3, 3, bounded=False)) == pytest.approx(
        (beyond.low, beyond.high), rel=1e-12
    )
    points = paired.paired_difference(50, 5000, 510_000, largest=40, bounded=False)
    assert points.estimate == 100 and points.interval.high > 100
    with pytest.raises(ValueError, match="from -40 to 40"):
        paired.paired_difference(50, 5000, 510_000, largest=40)


def test_paired__a_mean_far_away_is_not_pulled():
    # Half of a hundred values lie 2 above the mean, half 2 below it.
    near = paired.paired_difference(100, 0, 400, bounded=False)
    for mean in (50, -50, 10**9):
        far = paired.paired_difference(100, 100 * mean, 100 * mean**2 + 400, bounded=False)
        assert far.standard_error == pytest.approx(near.standard_error, rel=1e-12)
        assert ends(far) == pytest.approx([mean + end for end in ends(near)], rel=1e-12)
        assert far.p_value < 1e-9


def test_paired__the_nearer_end_is_moved_to_the_estimate():
    # At this level the quantile is too short to make up for the two observations in the middle.
    found = paired.paired_difference(1000, 999, 999, 0.2)
    assert found.interval.high == found.estimate == 0.999
    assert found.p_value < 0.8 and found.interval.low > 0


def test_paired__nothing_cancels():
    # 10^12 differences of 1 - 1e-9 and one of 0, in units of 1e-9.
    n, unit = 10**12, 10**9
    total, squares = (n - 1) * (unit - 1), (n - 1) * (unit - 1) ** 2
    found = paired.paired_difference(n, total, squares, scale=unit)
    # About three distances to the mean count: 1 and 0 times, 1 (the zero) and 2 (the -1 added).
    assert found.standard_error * n == pytest.approx(math.sqrt(1 + 4), rel=1e-6)


def test_paired__scale_changes_nothing():
    unscaled = paired.paired_difference(500, 20, 130)
    scaled = paired.paired_difference(np.int64(500), np.int64(1200), np.int64(468_000), scale=60)
    assert ends(scaled) == pytest.approx(ends(unscaled), rel=1e-12)
    assert scaled.p_value == pytest.approx(unscaled.p_value, rel=1e-9)
    # As floats, 0.29 * 100 is a little less than 29.
    assert paired.two_added(500, 20, 130, scale=100, largest=0.29) == (502, 20, 130 + 2 * 29**2, 1)
    thirds = paired.paired_difference(500, 20, 130, scale=3, largest=1 / 3)
    assert ends(thirds) == pytest.approx([end / 3 for end in ends(unscaled)], rel=1e-12)


def test_paired__numpy_integers_do_not_wrap_around():
    n, total, squares, scale = 4 * 10**6, 4 * 10**12, 8 * 10**18, 10**9
    huge = paired.paired_difference(*map(np.int64, (n, total, squares)), scale=np.int64(scale))
    assert huge == paired.paired_difference(n, total, squares, scale=scale)
    a, b = (n, total, squares), (n, -total, squares)
    assert paired.unpaired_difference(*map(np.int64, a + b)) == paired.unpaired_difference(*a, *b)
    huge = paired.paired_difference(
        *map(np.int64, (n, total, squares)), scale=np.int64(scale), bounded=False
    )
    assert huge == paired.paired_difference(n, total, squares, scale=scale, bounded=False)


@pytest.mark.parametrize(
    "impossible", [(-1, 0, 0), (2, 2, 1), (0, 1, 1), (0, 0, 1), (5, 0, -1), (3, 0, 4), (3, 4, 6)]
)
def test_paired__raise_on_impossible_sums(impossible):
    with pytest.raises(ValueError, match="no .* values"):
        paired.paired_difference(*impossible)


@pytest.mark.parametrize(("scale", "largest"), [(1, 0.5), (6, 0.25), (2, 1e-12), (10, 0.123)])
def test_paired__raise_on_largest_between_units(scale, largest):
    with pytest.raises(ValueError, match="whole number"):
        paired.paired_difference(10, 0, 0, scale=scale, largest=largest)


@pytest.mark.parametrize("largest", [0, -1, math.nan, math.inf])
def test_paired__raise_on_largest_that_is_no_size(largest):
    with pytest.raises(ValueError, match="largest must be a positive number"):
        paired.paired_difference(10, 0, 0, largest=largest)


@pytest.mark.parametrize("level", [-0.5, 0, 1, 95, math.nan])
def test_raise_on_level_out_of_range(level):
    with pytest.raises(ValueError, match="level"):
        paired.paired_difference(0, 0, 0, level)
    with pytest.raises(ValueError, match="level"):
        paired.unpaired_difference(0, 0, 0, 0, 0, 0, level)
    with pytest.raises(ValueError, match="level"):
        paired.smallest_effect(0.1, level)


def test_raise_on_scale_or_fractions():
    with pytest.raises(ValueError, match="scale"):
        paired.paired_difference(10, 0, 0, scale=0)
    with pytest.raises(ValueError, match="scale"):
        paired.unpaired_difference(5, 1, 1, 5, 1, 1, scale=0)
    with pytest.raises(TypeError):
        paired.paired_difference(10, 0.5, 1)
    with pytest.raises(TypeError):
        paired.unpaired_difference(10, 0.5, 1, 10, 1, 1)


# The two added


@pytest.mark.parametrize("bounded", [True, False])
@pytest.mark.parametrize(("scale", "largest"), [(1, 1.0), (6, 1.0), (60, 0.5), (2, 40.0)])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 100])
def test_two_added__sums_in_fractions(n, scale, largest, bounded):
    values = np.random.default_rng(n).integers(-scale // 2, scale // 2 + 1, size=n).tolist()
    count, total, squares, fine = paired.two_added(
        *sums(values), scale=scale, largest=largest, bounded=bounded
    )
    assert fine == (1 if bounded or n == 0 else n)
    middle = 0 if bounded or n == 0 else Fraction(sum(values), n * scale)
    more = [middle + Fraction(largest), middle - Fraction(largest)]
    with_two = [Fraction(value, scale) for value in values] + more
    assert count == len(with_two) == n + 2
    assert Fraction(total, scale * fine) == sum(with_two)
    assert Fraction(squares, (scale * fine) ** 2) == sum(value**2 for value in with_two)
    assert {type(part) for part in (count, total, squares, fine)} == {int}


@pytest.mark.parametrize("bounded", [True, False])
def test_two_added__raise(bounded):
    with pytest.raises(ValueError, match="no 2 values"):
        paired.two_added(2, 2, 1, bounded=bounded)
    with pytest.raises(ValueError, match="no 0 values"):
        paired.two_added(0, 1, 1, bounded=bounded)
    with pytest.raises(ValueError, match="whole number"):
        paired.two_added(10, 0, 0, largest=0.5, bounded=bounded)


# Paired: coverage

FAR = 0.15  # probability of either end in the cases in the middle


def covered(shares, n, scale, seed):
    """Shares of runs whose interval holds the mean, and whose p-value is below 0.05."""
    values, mean = np.array(list(shares)), sum(v * p for v, p in shares.items()) / scale
    draws = np.random.default_rng(seed).multinomial(n, list(shares.values()), size=REPETITIONS)
    all_sums = zip((draws @ values).tolist(), (draws @ values**2).tolist(), strict=True)
    found = [paired.paired_difference(n, *two, scale=scale) for two in all_sums]
    inside = [difference.interval.low <= mean <= difference.interval.high for difference in found]
    return np.mean(inside), np.mean([difference.p_value < 0.05 for difference in found])


@pytest.mark.parametrize("n", [30, 199, 1000, 20_000])
@pytest.mark.parametrize(
    "few",
    [(1.5, 1.5), (3, 0), (0, 3), (2, 1), (0.5, 0.5), (6, 6)],
    ids=lambda few: f"{few[0]} up, {few[1]} down",
)
def test_paired__coverage_when_few_observations_differ(few, n):
    up, down = few
    inside, rejected = covered({-1: down / n, 0: 1 - (up + down) / n, 1: up / n}, n, 1, seed=1)
    assert inside >= 0.935
    assert rejected <= 0.065 or up != down


@pytest.mark.parametrize("n", [10, 100, 1000])
@pytest.mark.parametrize(
    "shares",
    [
        {0: 1.0},
        {6: 1.0},
        {-6: 1.0},
        {-6: FAR, -3: 0.1, -1: 0.1, 0: 0.3, 1: 0.1, 3: 0.1, 6: FAR},
        {-6: 0.05, -2: 0.1, 0: 0.3, 2: 0.3, 6: 0.25},
        {-6: 0.4, 6: 0.6},
        {0: 0.7, 6: 0.3},
    ],
    ids=["equal", "always", "never", "middle", "better", "no draws", "no losses"],
)
def test_paired__coverage(shares, n):
    inside, rejected = covered(shares, n, 6, seed=2)
    assert inside >= 0.935
    assert inside == 1 or len(shares) > 1
    mean = sum(value * share for value, share in shares.items())
    assert rejected <= 0.065 or abs(mean) > 1e-9


@pytest.mark.parametrize("n", [5, 20, 50, 100])
def test_paired__exact_coverage(n):
    # Every outcome of n deals that A wins, B wins or neither does, weighted by its probability.
    outcomes = [(up, down) for up in range(n + 1) for down in range(n + 1 - up)]
    found = [paired.paired_difference(n, up - down, up + down) for up, down in outcomes]
    low, high = np.array([ends(difference) for difference in found]).T
    up, down = np.array(outcomes).T
    ways = gammaln(n + 1) - gammaln(up + 1) - gammaln(down + 1) - gammaln(n - up - down + 1)
    shares = [0, 0.5 / n, 1 / n, 2 / n, 3 / n, 5 / n, 0.1, 0.15, 0.25, 0.4, 0.5, 0.75, 0.9, 1]
    for p, q in itertools.combinations_with_replacement(shares, 2):
        if p + q > 1:
            continue
        log_chances = xlogy(up, p) + xlogy(down, q) + xlogy(n - up - down, max(0, 1 - p - q))
        inside = (low <= p - q + 1e-12) & (p - q - 1e-12 <= high)
        assert np.exp(ways + log_chances)[inside].sum() >= 0.935


def test_paired__plain_interval_fails_the_same_check():
    # Three observations in n differ: without the two more the interval has often no width.
    n = 1000
    ups = np.random.default_rng(1).binomial(n, 3 / n, size=REPETITIONS).tolist()
    found = [intervals.mean_interval(n, up, up) for up in ups]
    assert np.mean([i.low <= 3 / n <= i.high for i in found]) < 0.92


# Properties

LEVEL = st.floats(0.01, 0.9999)


@st.composite
def scaled_sums(draw):
    """Sums of n values from -scale to scale: any histogram, so that all of them are possible."""
    scale = draw(st.sampled_from([1, 2, 6, 60]))
    histogram = draw(
        st.dictionaries(st.integers(-scale, scale), st.integers(1, 10**9), min_size=1, max_size=5)
    )
    return (*intervals.moments(histogram), scale)


@settings(max_examples=500, deadline=None)
@given(scaled_sums(), LEVEL, st.booleans())
def test_paired__properties(given_sums, level, bounded):
    n, total, squares, scale = given_sums
    found = paired.paired_difference(n, total, squares, level, scale=scale, bounded=bounded)
    low, high = ends(found)
    assert all(map(math.isfinite, (low, high, found.estimate, found.p_value, found.standard_error)))
    assert low < high and low <= found.estimate <= high
    assert 0 <= found.p_value <= 1 and found.standard_error > 0
    assert not bounded or -1 <= low < high <= 1
    if abs(found.p_value - (1 - level)) > 1e-9:
        assert (found.p_value < 1 - level) == (low > 0 or high < 0)
    mirrored = paired.paired_difference(n, -total, squares, level, scale=scale, bounded=bounded)
    assert ends(mirrored) == (-high, -low) and mirrored.p_value == found.p_value
    wider = paired.paired_difference(
        n, total, squares, (1 + level) / 2, scale=scale, bounded=bounded
    )
    assert wider.interval.low <= low and high <= wider.interval.high
    assert wider.interval.half_width > found.interval.half_width or ends(wider) == (-1, 1)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(-50, 50), min_size=2, max_size=30), LEVEL, st.integers(1, 100))
def test_paired__properties_without_bounds(values, level, largest):
    n, total, squares = sums(values)
    found = paired.paired_difference(n, total, squares, level, largest=largest, bounded=False)
    low, high = ends(found)
    assert low <= total / n <= high and low < high
    assert (low + high) / 2 == pytest.approx(total / n, rel=1e-9, abs=1e-9)
    if abs(found.p_value - (1 - level)) > 1e-9:
        assert (found.p_value < 1 - level) == (low > 0 or high < 0)
    # Wherever the values are, the interval is as wide and lies around them.
    moved = paired.paired_difference(
        *sums([value + 1000 for value in values]), level, largest=largest, bounded=False
    )
    assert ends(moved) == pytest.approx((low + 1000, high + 1000), rel=1e-12)
    assert moved.standard_error == pytest.approx(found.standard_error, rel=1e-12)


# Unpaired


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("n_a", "n_b"), [(2, 2), (3, 12), (40, 5), (90, 100)])
@pytest.mark.parametrize("scale", [1, 60])
def test_unpaired__equals_scipy(n_a, n_b, scale, level):
    rng = np.random.default_rng(n_a)
    a, b = rng.integers(-50, 400, size=n_a), rng.integers(0, 100, size=n_b)
    ours = paired.unpaired_difference(*sums(a), *sums(b), level, scale=scale)
    theirs = stats.ttest_ind(a / scale, b / scale, equal_var=False)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
    assert ends(ours) == pytest.approx(tuple(theirs.confidence_interval(level)), rel=1e-9)
    assert ours.estimate == pytest.approx((a.mean() - b.mean()) / scale, rel=1e-9)
    assert ours.interval.method == "Welch's t"
    assert (ours.n, ours.interval.level) == (n_a + n_b, level)


def test_unpaired__normal_in_large_samples():
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 10, size=3000), rng.integers(0, 11, size=800)
    ours = paired.unpaired_difference(*sums(a), *sums(b))
    error = math.hypot(stats.sem(a), stats.sem(b))
    difference = a.mean() - b.mean()
    expected = difference - 1.959963985 * error, difference + 1.959963985 * error
    assert ends(ours) == pytest.approx(expected, rel=1e-9)
    assert ours.standard_error == pytest.approx(error, rel=1e-12)
    assert ours.p_value == pytest.approx(2 * stats.norm.sf(abs(difference) / error), rel=1e-9)
    assert ours.interval.method == "Welch, normal"


def test_unpaired__equals_statsmodels():
    weightstats = pytest.importorskip("statsmodels.stats.weightstats")
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 9, size=25), rng.integers(0, 30, size=40)
    theirs = weightstats.CompareMeans.from_data(a, b).tconfint_diff(usevar="unequal")
    assert ends(paired.unpaired_difference(*sums(a), *sums(b))) == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize(
    "samples",
    [(0, 0, 0, 9, 3, 7), (1, 4, 16, 9, 3, 7), (9, 3, 7, 1, 4, 16), (4, 8, 16, 3, 3, 3)],
    ids=["empty", "one in A", "one in B", "no spread"],
)
def test_unpaired__no_spread_is_no_data(samples):
    assert paired.unpaired_difference(*samples) is None


def test_unpaired__one_sample_without_spread():
    # Its mean counts as known: the test of the other one against it.
    theirs = stats.ttest_1samp([1, 2, 4], 5)
    ours = paired.unpaired_difference(*sums([1, 2, 4]), *sums([5, 5, 5, 5]))
    expected = [end - 5 for end in theirs.confidence_interval()]
    assert ends(ours) == pytest.approx(expected, rel=1e-9)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9)


def test_unpaired__nothing_cancels():
    # Two samples of a billion values near 10^8, whose means differ by 1/1000.
    n, big = 10**9, 10**8
    half = n // 2
    one = (n, half * (2 * big + 1), half * (big**2 + (big + 1) ** 2))
    more = half + n // 1000
    other = (n, n * big + more, (n - more) * big**2 + more * (big + 1) ** 2)
    found = paired.unpaired_difference(*other, *one)
    assert found.estimate == pytest.approx(0.001, rel=1e-12)
    assert found.standard_error == pytest.approx(math.sqrt(0.5 / n), rel=1e-5)


@pytest.mark.parametrize("impossible", [(-1, 0, 0), (2, 4, 7), (0, 0, 1), (3, 1, 0)])
def test_unpaired__raise_on_impossible_sums(impossible):
    with pytest.raises(ValueError, match="no .* values"):
        paired.unpaired_difference(*impossible, 9, 3, 7)
    with pytest.raises(ValueError, match="no .* values"):
        paired.unpaired_difference(9, 3, 7, *impossible)


@pytest.mark.parametrize(("n_a", "n_b"), [(10, 30), (100, 400), (2000, 500)])
def test_unpaired__coverage(n_a, n_b):
    # Lengths of games, the larger spread in the first sample; the means differ by 3.5.
    rng = np.random.default_rng(5)
    a = rng.integers(1, 7, size=(REPETITIONS, n_a, 3)).sum(axis=2)
    b = rng.integers(1, 7, size=(REPETITIONS, n_b, 2)).sum(axis=2)
    found = [paired.unpaired_difference(*sums(x), *sums(y)) for x, y in zip(a, b, strict=True)]
    inside = np.mean([low <= 3.5 <= high for low, high in map(ends, found)])
    assert abs(inside - 0.95) < 4 * math.sqrt(0.95 * 0.05 / REPETITIONS)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(-9, 9), min_size=2, max_size=20),
    st.lists(st.integers(-9, 9), min_size=2, max_size=20),
    LEVEL,
)
def test_unpaired__properties(a, b, level):
    found = paired.unpaired_difference(*sums(a), *sums(b), level)
    if found is None:
        assert len(set(a)) == len(set(b)) == 1
        return
    low, high = ends(found)
    assert low < high and low <= found.estimate <= high
    if abs(found.p_value - (1 - level)) > 1e-9:
        assert (found.p_value < 1 - level) == (low > 0 or high < 0)
    swapped = paired.unpaired_difference(*sums(b), *sums(a), level)
    assert ends(swapped) == pytest.approx((-high, -low), rel=1e-12, abs=1e-12)
    wider = paired.unpaired_difference(*sums(a), *sums(b), (1 + level) / 2)
    assert wider.interval.half_width > found.interval.half_width


# The smallest effect


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_smallest_effect__has_the_power(level, power):
    effect = paired.smallest_effect(0.02, level, power)
    assert stats.norm.sf(stats.norm.isf((1 - level) / 2) - effect / 0.02) == pytest.approx(power)


def test_smallest_effect__equals_statsmodels():
    statspower = pytest.importorskip("statsmodels.stats.power")
    theirs = statspower.normal_power_het(0.05, 2500, 0.05)
    effect = paired.smallest_effect(1 / math.sqrt(2500), 0.95, theirs)
    assert effect == pytest.approx(0.05, rel=1e-3)


def test_smallest_effect__is_found_as_often():
    # 5,000 deals, one in ten differs: simulate differences of just that size.
    n, rate = 5000, 0.1
    effect = paired.smallest_effect(math.sqrt(rate / n))
    draws = np.random.default_rng(6).multinomial(
        n, [(rate - effect) / 2, (rate + effect) / 2, 1 - rate], size=REPETITIONS
    )
    found = [paired.paired_difference(n, up - down, up + down) for down, up, _ in draws.tolist()]
    share = np.mean([difference.interval.low > 0 for difference in found])
    assert abs(share - 0.8) < 4 * math.sqrt(0.8 * 0.2 / REPETITIONS)


@pytest.mark.parametrize("error", [-0.1, math.nan, math.inf])
def test_smallest_effect__raise_on_standard_error(error):
    with pytest.raises(ValueError, match="standard_error"):
        paired.smallest_effect(error)


@pytest.mark.parametrize("power", [0, 0.4, 1, 80, math.nan])
def test_smallest_effect__raise_on_power(power):
    with pytest.raises(ValueError, match="power"):
        paired.smallest_effect(0.1, power=power)
