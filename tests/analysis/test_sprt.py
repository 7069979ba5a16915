"""The sequential test: its ratio, its decisions, its looks, and its error rates by simulation."""

import doctest
import itertools
import math
import subprocess
import sys
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcards.analysis import intervals, paired, sequential, sprt
from simcards.analysis.sprt import Sprt, decide, log_likelihood_ratio

RUNS = 2000


def test_examples():
    assert doctest.testmod(sprt).failed == 0


def test_loads_without_numpy_and_scipy():
    code = (
        "import sys, simcards.analysis.sprt;"
        "sys.exit(bool({'numpy', 'scipy', 'numba'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


# The test itself


def test_sprt__bounds():
    test = Sprt(0, 0.01, alpha=0.01, beta=0.2)
    assert test.lower == pytest.approx(math.log(0.2 / 0.99))
    assert test.upper == pytest.approx(math.log(0.8 / 0.01))
    with pytest.raises(FrozenInstanceError):
        test.h0 = 0.1


@pytest.mark.parametrize(("h0", "h1"), [(0, 0), (0.01, 0), (0.0, -0.0)])
def test_sprt__raise_on_order(h0, h1):
    with pytest.raises(ValueError, match="h0 must be below h1"):
        Sprt(h0, h1)


@pytest.mark.parametrize(
    ("h0", "h1"), [(math.nan, 1), (0, math.nan), (-math.inf, 0), (0, math.inf)]
)
def test_sprt__raise_on_hypotheses_that_are_no_numbers(h0, h1):
    with pytest.raises(ValueError, match="finite"):
        Sprt(h0, h1)


@pytest.mark.parametrize("name", ["alpha", "beta"])
@pytest.mark.parametrize("rate", [-0.1, 0, 0.5, 5, math.nan])
def test_sprt__raise_on_error_rates(name, rate):
    with pytest.raises(ValueError, match=name):
        Sprt(0, 0.01, **{name: rate})


def test_sprt__raise_on_minimum():
    with pytest.raises(ValueError, match="minimum"):
        Sprt(0, 0.01, minimum=0)
    with pytest.raises(TypeError):
        Sprt(0, 0.01, minimum=500.0)


# The ratio


@pytest.mark.parametrize(("h0", "h1"), [(0, 0.01), (-0.02, 0.03), (0.2, 0.9), (-1, 1)])
@pytest.mark.parametrize("n", [1, 10, 5000])
def test_ratio__is_that_of_the_largest_normal_likelihoods(n, h0, h1):
    # The definition: for each hypothesis the largest likelihood over a grid of variances.
    values = np.random.default_rng(n).integers(-6, 7, size=n)
    sums = n, int(values.sum()), int((values**2).sum())
    with_two = np.append(values, [6, -6]) / 6
    mean, variance = values.mean() / 6, with_two.var()
    variances = variance * np.geomspace(0.05, 200, 200_001)

    def largest(h):
        squares = variance + (mean - h) ** 2  # mean square of the distances to h
        return (-n / 2 * (np.log(2 * np.pi * variances) + squares / variances)).max()

    ours = log_likelihood_ratio(Sprt(h0, h1), *sums, scale=6)
    assert ours == pytest.approx(largest(h1) - largest(h0), rel=1e-5, abs=1e-5)


def test_ratio__is_nearly_that_of_two_normal_distributions():
    # Close hypotheses and many observations: n (h1 - h0) (2 m - h0 - h1) / (2 s^2).
    n, total, squares = 100_000, 700, 12_000
    expected = n * 0.01 * (2 * total / n - 0.01) / (2 * squares / n)
    ours = log_likelihood_ratio(Sprt(0, 0.01), n, total, squares)
    assert ours == pytest.approx(expected, rel=1e-3)


def test_ratio__is_the_same_in_scores():
    # The score is 1/2 + d/2. With bounds the two added lie around 0: scores are taken less 1/2.
    n, total, squares = 3000, 45, 900
    ours = log_likelihood_ratio(Sprt(0.01, 0.03), n, total, squares)
    halves = log_likelihood_ratio(Sprt(0.005, 0.015), n, total, squares, scale=2, largest=0.5)
    assert halves == pytest.approx(ours, rel=1e-12)
    # Without, they lie around the mean, and scores may be taken as they are.
    ours = log_likelihood_ratio(Sprt(0.01, 0.03), n, total, squares, bounded=False)
    scores = n, n + total, n + 2 * total + squares
    more = {"scale": 2, "largest": 0.5, "bounded": False}
    assert log_likelihood_ratio(Sprt(0.505, 0.515), *scores, **more) == pytest.approx(ours)


def test_ratio__scale_changes_nothing():
    ours = log_likelihood_ratio(Sprt(0, 0.01), 5000, 20, 1300)
    sixtieths = map(np.int64, (5000, 20 * 60, 1300 * 3600))
    scaled = log_likelihood_ratio(Sprt(0, 0.01), *sixtieths, scale=60)
    assert scaled == pytest.approx(ours, rel=1e-12)


@pytest.mark.parametrize("n", [1, 10, 1000, 10**6, 10**12])
def test_ratio__equal_observations(n):
    test = Sprt(-0.01, 0.01)
    assert log_likelihood_ratio(test, n, 0, 0) == 0
    up, down = log_likelihood_ratio(test, n, n, n), log_likelihood_ratio(test, n, -n, n)
    assert 0 < up == -down < math.inf
    # One side always wins, and that is a hypothesis: only the two added keep the ratio finite.
    certain = log_likelihood_ratio(Sprt(0, 1), n, n, n)
    assert certain == pytest.approx(n / 2 * math.log1p((n + 2) ** 2 / (4 * (n + 1))), rel=1e-12)


def test_ratio__no_observations():
    assert log_likelihood_ratio(Sprt(0, 0.01), 0, 0, 0) == 0


def test_ratio__nothing_cancels():
    # 10^15 observations of 1 or 0.999999, with hypotheses that differ by 10^-9.
    n, unit = 10**15, 10**6
    half = n // 2
    total, squares = half * (2 * unit - 1), half * (unit**2 + (unit - 1) ** 2)
    h0 = 1 - 0.5e-6
    variance = 0.25e-12 + 4 / n
    expected = -n / 2 * math.log1p(1e-18 / variance)
    ours = log_likelihood_ratio(Sprt(h0, h0 + 1e-9), n, total, squares, scale=unit)
    assert ours == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("mean", [0, 40, -1000])
@pytest.mark.parametrize("n", [1, 10, 5000])
def test_ratio__without_bounds_has_two_around_the_mean(n, mean):
    values = np.random.default_rng(n).integers(mean - 50, mean + 51, size=n)
    found = values.mean() / 6
    variance = np.append(values / 6, [found + 20, found - 20]).var()
    h0, h1 = (mean + 2) / 6, (mean + 3) / 6
    expected = n / 2 * math.log((variance + (found - h0) ** 2) / (variance + (found - h1) ** 2))
    sums = n, int(values.sum()), int((values**2).sum())
    ours = log_likelihood_ratio(Sprt(h0, h1), *sums, scale=6, largest=20, bounded=False)
    assert ours == pytest.approx(expected, rel=1e-9)


def test_ratio__without_bounds():
    test = Sprt(0, 5)
    sums = 100, 400, 60_000
    assert log_likelihood_ratio(test, *sums, largest=50, bounded=False) > 0
    with pytest.raises(ValueError, match="from -20 to 20"):
        log_likelihood_ratio(test, *sums, largest=20)


@pytest.mark.parametrize("impossible", [(-1, 0, 0), (2, 2, 1), (0, 0, 1), (3, 0, 4)])
def test_ratio__raise_on_impossible_sums(impossible):
    with pytest.raises(ValueError, match="no .* values"):
        log_likelihood_ratio(Sprt(0, 0.01), *impossible)
    with pytest.raises(ValueError, match="no .* values"):
        decide(Sprt(0, 0.01), *impossible)


@st.composite
def hypotheses(draw):
    h0 = draw(st.floats(-1, 0.99))
    return h0, draw(st.floats(h0, 1).filter(lambda h1: h1 - h0 > 1e-6))


@settings(max_examples=300, deadline=None)
@given(
    hypotheses(),
    st.dictionaries(st.integers(-6, 6), st.integers(1, 10**9), min_size=1, max_size=4),
)
def test_ratio__properties(pair, histogram):
    h0, h1 = pair
    n, total, squares = intervals.moments(histogram)
    ratio = log_likelihood_ratio(Sprt(h0, h1), n, total, squares, scale=6)
    assert math.isfinite(ratio)
    nearer_h1 = 2 * total / (6 * n) - (h0 + h1)
    assert ratio * nearer_h1 >= 0
    mirrored = log_likelihood_ratio(Sprt(-h1, -h0), n, -total, squares, scale=6)
    assert mirrored == -ratio


# Decisions


def test_decide():
    test = Sprt(0, 0.1, minimum=100)
    answers = [decide(test, 1000, total, 200) for total in (-50, 0, 45, 55, 100, 150)]
    assert answers == ["h0", "h0", "", "", "h1", "h1"]
    for total in range(-200, 201):
        ratio = log_likelihood_ratio(test, 1000, total, 200)
        expected = "h1" if ratio >= test.upper else "h0" if ratio <= test.lower else ""
        assert decide(test, 1000, total, 200) == expected


def test_decide__never_below_the_minimum():
    test = Sprt(0, 0.01)
    assert decide(test, 0, 0, 0) == ""
    assert {decide(test, n, n, n) for n in range(500)} == {""}
    assert decide(test, 500, 500, 500) == "h1"


# Looks


def test_looks__first_values():
    looks = list(itertools.islice(sprt.sprt_looks(500, 10**9), 18))
    assert looks == [*range(500, 2101, 100), 2205]


@pytest.mark.parametrize("minimum", [1, 3, 4, 5, 19, 20, 500, 1000, 12_345])
def test_looks__steps(minimum):
    looks = list(sprt.sprt_looks(minimum, 10**30))
    assert looks[0] == minimum
    for earlier, later in itertools.pairwise(looks):
        assert later - earlier >= minimum // 5
        assert 20 * (later - earlier) >= earlier
        assert later - earlier in (minimum // 5, -(-earlier // 20))
    assert looks[-1] * 21 // 20 >= 10**30


@pytest.mark.parametrize("minimum", [500, 1000, 5000])
def test_looks__not_many(minimum):
    assert len(list(sprt.sprt_looks(minimum, 10**6))) <= 150


@pytest.mark.parametrize(
    ("limit", "expected"), [(-5, []), (499, []), (500, [500]), (599, [500]), (600, [500, 600])]
)
def test_looks__limit(limit, expected):
    assert list(sprt.sprt_looks(500, limit)) == expected


def test_looks__raise_on_minimum():
    with pytest.raises(ValueError, match="minimum"):
        list(sprt.sprt_looks(0, 100))


# Error rates


def in_the_middle(mean):
    """Shares of first places in sixths, with a standard deviation of about 0.35."""
    shares = {-6: 0.02, -4: 0.03, -3: 0.06, -2: 0.1, -1: 0.14, 0: 0.3}
    return symmetric(shares) | {3: 0.06 + mean, -3: 0.06 - mean}


def rare(mean):
    """Differs in one deal of a hundred."""
    return {-6: 0.005 - mean / 2, 0: 0.99, 6: 0.005 + mean / 2}


def rarer(mean):
    """Differs in three deals of a thousand."""
    return {-6: 0.0015 - mean / 2, 0: 0.997, 6: 0.0015 + mean / 2}


def skewed_down(mean):
    """Lost in one deal of twenty, a little better in many; skewness -3.5."""
    up = 6 * (0.05 + mean)
    return {-6: 0.05, 0: 0.95 - up, 1: up}


def skewed_up(mean):
    down = 6 * (0.05 - mean)
    return {6: 0.05, 0: 0.95 - down, -1: down}


def symmetric(shares):
    return shares | {-value: share for value, share in shares.items()}


def run_tests(test, shares, seed):
    """Plays RUNS runs until each is decided: decisions, and n and the sums where it stopped."""
    values = np.array(list(shares))
    looks = list(sprt.sprt_looks(test.minimum, 10**6))
    rng = np.random.default_rng(seed)
    running, sums, stopped = np.arange(RUNS), np.zeros((RUNS, 2), np.int64), {}
    for n, step in zip(looks, np.diff(looks, prepend=0), strict=True):
        draws = rng.multinomial(step, list(shares.values()), size=len(running))
        sums[running] += draws @ np.column_stack([values, values**2])
        for run in running.tolist():
            total, squares = sums[run].tolist()
            decision = decide(test, n, total, squares, scale=6)
            if decision:
                stopped[run] = decision, n, total, squares
        running = np.array([run for run in running.tolist() if run not in stopped], np.int64)
        if not len(running):
            break
    assert len(stopped) == RUNS
    return list(stopped.values())


def mean_of(shares):
    return sum(value * share for value, share in shares.items()) / 6


def most(rate):
    """The rate and three standard errors of it from RUNS runs."""
    return rate + 3 * math.sqrt(rate * (1 - rate) / RUNS)


def wrong(stopped, hypothesis):
    """Share of runs that weren't decided for it."""
    return sum(decision != hypothesis for decision, *_ in stopped) / RUNS


def test_distributions_are_what_they_are_said_to_be():
    for law, mean in itertools.product(
        (in_the_middle, rare, rarer, skewed_down, skewed_up), (0, 0.001)
    ):
        shares = law(mean)
        assert math.fsum(shares.values()) == pytest.approx(1)
        assert mean_of(shares) == pytest.approx(mean, abs=1e-12)
    middle = in_the_middle(0).items()
    assert math.sqrt(sum(share * (value / 6) ** 2 for value, share in middle)) == pytest.approx(
        0.35, abs=0.01
    )
    third, second = (sum(p * v**k for v, p in skewed_up(0).items()) for k in (3, 2))
    assert third / second**1.5 == pytest.approx(3.5, abs=0.05)


@pytest.mark.parametrize(
    ("law", "h0", "h1"),
    [
        (in_the_middle, 0, 0.01),
        (in_the_middle, -0.01, 0.01),
        (rare, 0, 0.003),
        (skewed_down, 0, 0.005),
        (skewed_up, 0, 0.005),
    ],
)
def test_error_rates(law, h0, h1):
    test = Sprt(h0, h1)
    assert wrong(run_tests(test, law(h0), seed=1), "h0") <= most(test.alpha)
    assert wrong(run_tests(test, law(h1), seed=2), "h1") <= most(test.beta)


def test_error_rates__unequal():
    test = Sprt(0, 0.02, alpha=0.01, beta=0.1)
    false_alarms = wrong(run_tests(test, in_the_middle(0), seed=3), "h0")
    overlooked = wrong(run_tests(test, in_the_middle(0.02), seed=4), "h1")
    assert false_alarms <= most(test.alpha)
    assert 0.05 < overlooked <= most(test.beta)


def test_error_rates__far_outside_the_hypotheses():
    test = Sprt(0, 0.01)
    for mean, decision in ((-0.05, "h0"), (0.06, "h1")):
        stopped = run_tests(test, in_the_middle(mean), seed=5)
        assert wrong(stopped, decision) <= 0.01
        assert max(n for _, n, *_ in stopped) < 20_000


def test_error_rates__nothing_ever_differs():
    stopped = run_tests(Sprt(0, 0.01), {0: 1.0}, seed=6)
    assert set(stopped) == {("h0", 500, 0, 0)}


def test_error_rates__always_better():
    stopped = run_tests(Sprt(0, 0.01), {6: 1.0}, seed=7)
    assert set(stopped) == {("h1", 500, 3000, 18_000)}


def test_error_rates__when_hardly_anything_differs():
    # Some 19,000 deals on average, in which fewer than 60 differ.
    test = Sprt(0, 0.001)
    assert wrong(run_tests(test, rarer(0), seed=8), "h0") <= most(test.alpha)
    assert wrong(run_tests(test, rarer(0.001), seed=9), "h1") <= most(test.beta)


@pytest.mark.parametrize(("sign", "hypothesis"), [(-1, "h0"), (1, "h1")])
def test_error_rates__much_skewness_costs(sign, hypothesis):
    # The limit that the docstring names: |g| (h1 - h0) / s = 0.36.
    test = Sprt(0, 0.005)
    mean = test.h0 if hypothesis == "h0" else test.h1
    small = 6 * (0.01 - sign * mean)
    shares = {6 * sign: 0.01, 0: 0.99 - small, -sign: small}
    assert test.alpha < wrong(run_tests(test, shares, seed=10), hypothesis) < 0.11


# The run it has stopped


@pytest.mark.parametrize("mean", [0, 0.005, 0.01])
def test_estimate_of_a_stopped_run(mean):
    stopped = run_tests(Sprt(0, 0.01), in_the_middle(mean), seed=11)
    estimates = [total / (6 * n) for _, n, total, _ in stopped]
    decided = [decision for decision, *_ in stopped]
    # Biased away from the middle of the hypotheses, between the two in either direction.
    if mean != 0.005:
        assert (np.mean(estimates) - mean) * (mean - 0.005) > 0
    up = [
        estimate for estimate, decision in zip(estimates, decided, strict=True) if decision == "h1"
    ]
    assert np.mean(up) > mean + 0.002

    def misses(interval_at):
        found = [interval_at(n, *sums, scale=6) for _, n, *sums in stopped]
        return np.mean([not interval.low <= mean <= interval.high for interval in found])

    def ordinary(*sums, scale):
        return paired.paired_difference(*sums, scale=scale).interval

    assert misses(sequential.mean_sequence) <= most(0.05)
    assert misses(ordinary) > most(0.05)
