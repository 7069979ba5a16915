"""Many comparisons: hand values, statsmodels, and the errors that the methods promise."""

import doctest
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from simcards.analysis import multiple

METHODS = {multiple.holm: "holm", multiple.benjamini_hochberg: "fdr_bh"}
BOTH = pytest.mark.parametrize("method", METHODS)
P_VALUES = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.05, 1.0]), max_size=30)


def test_examples():
    assert doctest.testmod(multiple).failed == 0


# Levels of intervals


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_bonferroni_level(level):
    assert multiple.bonferroni_level(level, 1) == level
    for comparisons in (2, 7, 1000):
        each = multiple.bonferroni_level(level, comparisons)
        assert comparisons * (1 - each) == pytest.approx(1 - level, rel=1e-9)
        assert level < each < 1


def test_bonferroni_level__all_intervals_hold():
    # Six means of normal values, the first two of them the same.
    rng = np.random.default_rng(1)
    errors = rng.normal(size=(4000, 6))
    errors[:, 1] = errors[:, 0]
    half_width = stats.norm.isf((1 - multiple.bonferroni_level(0.9, 6)) / 2)
    assert 0.9 < np.mean(abs(errors).max(axis=1) <= half_width) < 0.94


@pytest.mark.parametrize("level", [-1, 0, 1, 95, math.nan])
def test_bonferroni_level__raise_on_level_out_of_range(level):
    with pytest.raises(ValueError, match="level"):
        multiple.bonferroni_level(level, 3)


def test_bonferroni_level__raise_on_comparisons():
    for comparisons in (0, -1):
        with pytest.raises(ValueError, match="comparisons"):
            multiple.bonferroni_level(0.95, comparisons)
    with pytest.raises(TypeError):
        multiple.bonferroni_level(0.95, 2.0)


# Adjusted p-values


def test_hand_values():
    # Benjamini and Hochberg's (1995) example: 15 p-values, of which Bonferroni and Holm find three
    # at 0.05, their own method four.
    p_values = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    p_values += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000]
    assert sum(p <= 0.05 for p in multiple.holm(p_values)) == 3
    assert sum(p <= 0.05 for p in multiple.benjamini_hochberg(p_values)) == 4
    assert multiple.holm(p_values)[:4] == pytest.approx([0.0015, 0.0056, 0.0247, 0.114])
    found = multiple.benjamini_hochberg(p_values)[:4]
    assert found == pytest.approx([0.0015, 0.003, 0.0095, 0.035625])


@BOTH
@pytest.mark.parametrize("m", [1, 2, 3, 10, 100])
def test_equals_statsmodels(method, m):
    rng = np.random.default_rng(m)
    for p_values in (rng.random(m), rng.random(m) ** 5, rng.integers(0, 5, m) / 4):
        theirs = multipletests(p_values, method=METHODS[method])[1]
        assert method(p_values) == pytest.approx(theirs.tolist(), rel=1e-12)


@BOTH
@given(p_values=P_VALUES, data=st.data())
@settings(deadline=None)
def test_properties(method, p_values, data):
    adjusted = method(p_values)
    assert all(p <= q <= 1 for p, q in zip(p_values, adjusted, strict=True))
    # Nobody overtakes, and the order in which they are given doesn't matter.
    ranked = sorted(zip(p_values, adjusted, strict=True))
    assert all(a[1] <= b[1] for a, b in itertools.pairwise(ranked))
    order = data.draw(st.permutations(range(len(p_values))))
    assert method([p_values[k] for k in order]) == [adjusted[k] for k in order]


@given(p_values=P_VALUES)
@settings(deadline=None)
def test_finds_more_than_holm_more_than_bonferroni(p_values):
    holm, discovery = multiple.holm(p_values), multiple.benjamini_hochberg(p_values)
    bonferroni = [min(1.0, len(p_values) * p) for p in p_values]
    for least, middle, most in zip(discovery, holm, bonferroni, strict=True):
        assert least <= middle * (1 + 1e-12)
        assert middle <= most


@BOTH
def test_few(method):
    assert method([]) == []
    assert method([0.3]) == [0.3]
    assert method(iter([0.3])) == [0.3]
    assert method([0.3, 0.3]) == ([0.6, 0.6] if method is multiple.holm else [0.3, 0.3])
    values = method(np.array([0.2, 1.0, 0.0]))
    assert [type(value) for value in values] == [float] * 3


@BOTH
@pytest.mark.parametrize("wrong", [-1e-9, 1.0000001, math.nan, math.inf])
def test_raise_on_what_is_no_p_value(method, wrong):
    with pytest.raises(ValueError, match="number 2 is"):
        method([0.5, wrong])


def test_promises():
    # Of 40 questions, in 30 nothing is to be found.
    rng = np.random.default_rng(2)
    z = rng.normal(size=(1000, 40))
    z[:, 30:] += 3
    any_wrong, share_wrong, found = [], [], {method: 0 for method in METHODS}
    for p_values in (2 * stats.norm.sf(abs(z))).tolist():
        holm = np.array(multiple.holm(p_values)) <= 0.05
        any_wrong.append(holm[:30].any())
        discoveries = np.array(multiple.benjamini_hochberg(p_values)) <= 0.05
        share_wrong.append(discoveries[:30].sum() / max(1, discoveries.sum()))
        found[multiple.holm] += holm[30:].sum()
        found[multiple.benjamini_hochberg] += discoveries[30:].sum()
    assert np.mean(any_wrong) < 0.065
    assert np.mean(share_wrong) == pytest.approx(0.05 * 30 / 40, abs=0.01)
    assert found[multiple.benjamini_hochberg] > 1.3 * found[multiple.holm]
