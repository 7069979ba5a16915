"""Ratings: closed forms, choix, a slow likelihood by seats, recovered worths, coverage."""

import doctest
import itertools
import math
import subprocess
import sys
from collections import Counter
from dataclasses import FrozenInstanceError

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcards.analysis import ratings
from simcards.analysis.intervals import z_value
from simcards.analysis.ratings import Ranking, plackett_luce, rating_covariance, score_contributions

REPETITIONS = 1000
# Four standard errors of a coverage of 95 % estimated from that many repetitions.
SLACK = 4 * math.sqrt(0.95 * 0.05 / REPETITIONS)


def chance_by_seats(ranking, worths):
    """The chance of a ranking from what each single seat does, over all orders of the seats."""
    table = [*ranking.order, *ranking.rest]
    k, total = len(ranking.order), 0.0
    for seats in itertools.permutations(range(len(table)), k):
        if tuple(table[seat] for seat in seats) == tuple(ranking.order):
            chance, left = 1.0, set(range(len(table)))
            for seat in seats:
                chance *= worths[table[seat]] / sum(worths[table[other]] for other in left)
                left.remove(seat)
            total += chance
    return total


def outcomes(table, places):
    """All rankings of a table up to so many places."""
    for order in sorted(set(itertools.permutations(table, places))):
        rest = Counter(table) - Counter(order)
        yield Ranking(order, tuple(sorted(rest.elements())))


def simulated(table, places, log_worths, games, rng):
    """Rankings of so many games at a table, equal ones together."""
    every = list(outcomes(table, places))
    chances = np.array([chance_by_seats(ranking, np.exp(log_worths)) for ranking in every])
    counts = rng.multinomial(games, chances / chances.sum())
    return [
        Ranking(ranking.order, ranking.rest, n)
        for ranking, n in zip(every, counts.tolist(), strict=True)
        if n
    ]


def everybody_both_ways(items):
    """Two games of each pair, so that there is a maximum."""
    return [Ranking(pair) for pair in itertools.permutations(range(items), 2)]


@st.composite
def fields(draw):
    """Rankings with a maximum, items at several seats, and their number of items."""
    items = draw(st.integers(2, 5))
    seats = st.lists(st.integers(0, items - 1), min_size=1, max_size=5)
    found = everybody_both_ways(items)
    for table in draw(st.lists(seats, max_size=8)):
        places = draw(st.integers(1, len(table)))
        weight = draw(st.sampled_from([1, 2, 0.5, 10]))
        found.append(Ranking(tuple(table[:places]), tuple(table[places:]), weight))
    return found, items


def test_examples():
    assert doctest.testmod(ratings).failed == 0


def test_loads_without_numpy_and_scipy():
    code = (
        "import sys, simcards.analysis.ratings;"
        "sys.exit(bool({'numpy', 'scipy', 'numba'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_worths_are_frozen():
    worths = plackett_luce(everybody_both_ways(2), 2)
    with pytest.raises(FrozenInstanceError):
        worths.prior = 1.0
    with pytest.raises(ValueError, match="read-only"):
        worths.information[0, 0] = 1.0
    assert worths == plackett_luce(everybody_both_ways(2), 2)
    assert len({worths, plackett_luce(everybody_both_ways(2), 2)}) == 1


# The likelihood


@pytest.mark.parametrize(
    ("table", "places"),
    [((0, 0, 1, 1), 1), ((0, 1, 2), 2), ((0, 1, 2, 2), 3), ((0, 0, 0, 1, 2), 5), ((0, 0, 1), 2)],
)
def test_chances_by_seats(table, places):
    worths = np.array([3.0, 1.0, 0.2])
    every = list(outcomes(table, places))
    assert sum(chance_by_seats(ranking, worths) for ranking in every) == pytest.approx(1)
    for ranking in every:
        found = ratings._Places([ranking], 3).log_likelihood(np.log(worths))
        assert math.exp(found) == pytest.approx(chance_by_seats(ranking, worths), rel=1e-12)


def test_two_seats_each():
    # The chance that an A seat comes first at A A B B is 2 wA / (2 wA + 2 wB).
    places = ratings._Places([Ranking((0,), (0, 1, 1))], 2)
    assert math.exp(places.log_likelihood(np.log([3.0, 2.0]))) == pytest.approx(6 / 10)


@given(fields(), st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_derivatives(field, random):
    rankings, items = field
    at = np.array([random.uniform(-2, 2) for _ in range(items)])
    places, step = ratings._Places(rankings, items), 1e-5
    for function, derivative in (
        (places.log_likelihood, lambda x: places.gradient(places.chances(x))),
        (
            lambda x: places.gradient(places.chances(x)),
            lambda x: -places.information(places.chances(x)),
        ),
    ):
        slopes = [
            (function(at + step * axis) - function(at - step * axis)) / (2 * step)
            for axis in np.eye(items)
        ]
        assert np.allclose(slopes, derivative(at), rtol=1e-6, atol=1e-6)


@given(fields())
@settings(max_examples=50, deadline=None)
def test_maximum(field):
    rankings, items = field
    worths = plackett_luce(rankings, items)
    log_worths = np.array(worths.log_worths)
    assert log_worths.mean() == pytest.approx(0, abs=1e-12)
    weights = np.array([ranking.weight for ranking in rankings])
    assert abs(weights @ score_contributions(rankings, log_worths)).max() < 1e-9
    places = ratings._Places(rankings, items)
    assert worths.log_likelihood == places.log_likelihood(log_worths)
    for nudge in 0.01 * np.eye(items):
        assert places.log_likelihood(log_worths + nudge) < worths.log_likelihood
        assert places.log_likelihood(log_worths - nudge) < worths.log_likelihood
    assert np.allclose(worths.information.sum(axis=0), 0, atol=1e-9)


# Closed forms


@pytest.mark.parametrize(("won", "lost"), [(1, 1), (30, 10), (1, 10**6), (10**15 - 1, 1)])
@pytest.mark.parametrize(("seats_a", "seats_b"), [(1, 1), (2, 2), (3, 1)])
def test_two_items(won, lost, seats_a, seats_b):
    a, b = (0,) * seats_a, (1,) * seats_b
    rankings = [Ranking((0,), a[1:] + b, won), Ranking((1,), a + b[1:], lost)]
    worths = plackett_luce(rankings, 2)
    expected = math.log(won / seats_a) - math.log(lost / seats_b)
    assert worths.log_worths == pytest.approx((expected / 2, -expected / 2), abs=1e-10)
    # The variance of a log odds is 1 / won + 1 / lost; each item has half of the difference.
    variance = 1 / won + 1 / lost
    assert np.allclose(rating_covariance(worths) * 4 / variance, [[1, -1], [-1, 1]], rtol=1e-8)


def test_each_wins_its_share():
    # If all have one seat at all tables and one wins, worths are in proportion to wins.
    wins = np.array([50, 30, 15, 5])
    rankings = [
        Ranking((item,), tuple(set(range(4)) - {item}), n) for item, n in enumerate(wins.tolist())
    ]
    expected = np.log(wins) - np.log(wins).mean()
    worths = plackett_luce(rankings, 4)
    assert worths.log_worths == pytest.approx(expected.tolist(), abs=1e-12)
    assert worths.log_likelihood == pytest.approx(float(wins @ np.log(wins / 100)))


def test_chain_with_long_odds():
    # Each of 20 beats the next 10^6 to 1, so the ends are e^262 apart.
    rankings = [Ranking((k, k + 1), weight=1e6) for k in range(19)]
    rankings += [Ranking((k + 1, k)) for k in range(19)]
    steps = -np.diff(plackett_luce(rankings, 20).log_worths)
    assert steps == pytest.approx(math.log(1e6), abs=1e-9)


# choix


def random_rankings(items, rng):
    """Games at tables of all sizes, with a maximum."""
    found = everybody_both_ways(items)
    for _ in range(60):
        order = rng.permutation(items)[: rng.integers(2, items + 1)].tolist()
        found.append(Ranking(tuple(order)))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_equals_choix__rankings(seed):
    rng = np.random.default_rng(seed)
    items = int(rng.integers(3, 8))
    rankings = random_rankings(items, rng)
    ours = plackett_luce(rankings, items)
    data = [ranking.order for ranking in rankings]
    assert np.allclose(ours.log_worths, choix.ilsr_rankings(items, data, tol=1e-12), atol=1e-9)
    theirs = choix.opt_rankings(items, data, alpha=0, tol=1e-10)
    assert np.allclose(ours.log_worths, theirs - theirs.mean(), atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_equals_choix__first_places(seed):
    rng = np.random.default_rng(seed)
    items = int(rng.integers(3, 8))
    rankings = [
        Ranking(ranking.order[:1], ranking.order[1:]) for ranking in random_rankings(items, rng)
    ]
    ours = plackett_luce(rankings, items)
    data = [(ranking.order[0], ranking.rest) for ranking in rankings]
    assert np.allclose(ours.log_worths, choix.ilsr_top1(items, data, tol=1e-12), atol=1e-9)
    theirs = choix.opt_top1(items, data, alpha=0, tol=1e-10)
    assert np.allclose(ours.log_worths, theirs - theirs.mean(), atol=1e-5)


def test_equals_hunters_algorithm():
    # Hunter (2004), section 5, with items at several seats: an item's worth becomes the number of
    # places it got, over the sum of its seats per worth of all seats, whenever a place was given.
    rng = np.random.default_rng(6)
    rankings = everybody_both_ways(4)
    for _ in range(40):
        table = rng.integers(0, 4, size=4).tolist()
        places = int(rng.integers(1, 5))
        rankings.append(Ranking(tuple(table[:places]), tuple(table[places:])))
    worths = np.ones(4)
    for _ in range(2000):
        got, expected = np.zeros(4), np.zeros(4)
        for ranking in rankings:
            left = [*ranking.order, *ranking.rest]
            for item in ranking.order:
                got[item] += 1
                for other in left:
                    expected[other] += 1 / worths[left].sum()
                left.remove(item)
        new = got / expected
        done = abs(new / worths - 1).max() < 1e-13
        worths = new
        if done:
            break
    logarithms = np.log(worths)
    ours = plackett_luce(rankings, 4).log_worths
    assert np.allclose(ours, logarithms - logarithms.mean(), atol=1e-10)


# Invariances


@given(fields(), st.data())
@settings(max_examples=50, deadline=None)
def test_relabelled_items(field, data):
    rankings, items = field
    new = data.draw(st.permutations(range(items)))
    relabelled = [
        Ranking(tuple(new[i] for i in r.order), tuple(new[i] for i in r.rest), r.weight)
        for r in rankings
    ]
    for prior in (0, 0.3):
        before = plackett_luce(rankings, items, prior=prior)
        after = plackett_luce(relabelled, items, prior=prior)
        assert np.allclose(np.array(after.log_worths)[new], before.log_worths, atol=1e-10)
        assert after.log_likelihood == pytest.approx(before.log_likelihood, rel=1e-12)
        covariances = rating_covariance(before), rating_covariance(after)
        assert np.allclose(covariances[1][np.ix_(new, new)], covariances[0], rtol=1e-7)


@given(fields(), st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_order_weights_and_rest(field, random):
    rankings, items = field
    before = plackett_luce(rankings, items)
    split = [Ranking(r.order, r.rest[::-1], r.weight / 2) for r in rankings for _ in range(2)]
    split += [Ranking((0,), (1,), 0), Ranking((1, 1)), Ranking((0,))]  # which say nothing
    random.shuffle(split)
    after = plackett_luce(iter(split), items)
    assert np.allclose(after.log_worths, before.log_worths, atol=1e-10)
    assert after.log_likelihood == pytest.approx(before.log_likelihood, rel=1e-12)
    # One left over comes last, whether that is said or not.
    said = [Ranking(r.order + r.rest, (), r.weight) if len(r.rest) == 1 else r for r in rankings]
    assert np.allclose(plackett_luce(said, items).log_worths, before.log_worths, atol=1e-10)
    # Twice as many games halve the variance.
    twice = plackett_luce([*rankings, *rankings], items)
    assert np.allclose(twice.log_worths, before.log_worths, atol=1e-10)
    assert np.allclose(2 * rating_covariance(twice), rating_covariance(before), rtol=1e-7)


def test_items_may_be_numpy_integers():
    wins = [Ranking(tuple(np.array([0, 1]))), Ranking(tuple(np.array([1, 0])), weight=np.int64(3))]
    worths = plackett_luce(wins, np.int64(2))
    assert worths.log_worths[1] == pytest.approx(math.log(3) / 2)
    assert type(worths.log_worths[1]) is float


# No maximum, and the prior


@pytest.mark.parametrize(
    ("rankings", "items", "said"),
    [
        ([Ranking((0, 1))], 2, "b never came before a"),
        ([Ranking((0, 1))], 2, "a never came after b"),
        ([], 2, "a never met b; b never met a"),
        ([], 3, "a never met any of the others; b never"),
        (everybody_both_ways(2), 3, "c never met any of the others"),
        ([*everybody_both_ways(2), Ranking((0, 2))], 3, "a and b never came after c"),
        ([*everybody_both_ways(2), Ranking((2,), (1, 1))], 3, "c never came after any of the"),
        ([*everybody_both_ways(3), Ranking((2, 1), (0, 3))], 4, "a, b and c never came after d"),
        (
            [Ranking((0, 1)), Ranking((1, 0)), Ranking((2, 3)), Ranking((3, 2))],
            4,
            "a and b never met any of the others; c and d never met any of the others",
        ),
        (
            [Ranking((0, 1, 2))],
            3,
            "a never came after any of the others; c never came before any of the others",
        ),
        ([Ranking((0, 1)), Ranking((1, 0), weight=0)], 2, "a never came after b"),
    ],
)
def test_raise_without_maximum(rankings, items, said):
    with pytest.raises(ValueError, match=f"no finite ratings: .*{said}"):
        plackett_luce(rankings, items, names="abcd"[:items])
    assert all(map(math.isfinite, plackett_luce(rankings, items, prior=1e-6).log_worths))


def test_raise_without_maximum__numbers():
    with pytest.raises(ValueError, match="1 never came before 0"):
        plackett_luce([Ranking((0, 1))], 2)


def test_a_circle_has_a_maximum():
    worths = plackett_luce([Ranking((k, (k + 1) % 5)) for k in range(5)], 5)
    assert worths.log_worths == pytest.approx((0,) * 5)


@given(fields(), st.sampled_from([1e-3, 0.5, 10]))
@settings(max_examples=50, deadline=None)
def test_prior_is_made_up_games(field, prior):
    # The games are written out, with one more item whose log-worth is the mean, 0. It isn't free:
    # if an item's log-worth grows, the mean takes 1 / items of that along.
    rankings, items = field
    worths = plackett_luce(rankings, items, prior=prior)
    made_up = [
        Ranking(pair, weight=prior) for k in range(items) for pair in ((k, items), (items, k))
    ]
    everything = [*rankings, *made_up]
    weights = np.array([ranking.weight for ranking in everything])
    slopes = weights @ score_contributions(everything, [*worths.log_worths, 0.0])
    assert np.allclose(slopes[:-1] + slopes[-1] / items, 0, atol=1e-8)
    assert worths.prior == prior


@pytest.mark.parametrize("prior", [1e-9, 1e-3, 0.5, 1e3])
def test_prior__always_won(prior):
    # With log-worths x and -x and p(x) = 1 / (1 + e^-x), 20 log(p(2 x)) is to be largest together
    # with 2 prior log(p(x) p(-x)), so 20 p(-2 x) = prior (2 p(x) - 1).
    x = plackett_luce([Ranking((0, 1), weight=20)], 2, prior=prior).log_worths[0]
    assert x > 0
    assert 20 / (1 + math.exp(2 * x)) == pytest.approx(prior * math.tanh(x / 2), rel=1e-8)


def test_prior__of_nothing_and_little():
    worths = plackett_luce([], 3, prior=2.0)
    assert worths.log_worths == (0, 0, 0)
    assert worths.log_likelihood == 0
    rankings = everybody_both_ways(4) + [Ranking((0, 1, 2, 3), weight=5)]
    exact, pulled = plackett_luce(rankings, 4), plackett_luce(rankings, 4, prior=1e-9)
    assert np.allclose(exact.log_worths, pulled.log_worths, atol=1e-7)
    spreads = [np.ptp(plackett_luce(rankings, 4, prior=p).log_worths) for p in (0, 0.1, 1, 10, 1e6)]
    assert all(a > b for a, b in itertools.pairwise(spreads))
    assert spreads[-1] < 1e-4


def test_one_item():
    for prior in (0, 1):
        worths = plackett_luce([Ranking((0, 0, 0)), Ranking((0,))], 1, prior=prior)
        assert worths.log_worths == (0,)
        assert rating_covariance(worths).tolist() == [[0]]


def test_raise_on_rankings():
    with pytest.raises(ValueError, match="came first"):
        Ranking(())
    for weight in (-1, math.nan, math.inf):
        with pytest.raises(ValueError, match="weight"):
            Ranking((0, 1), weight=weight)
    for ranking in (Ranking((0, 2)), Ranking((-1, 0)), Ranking((0,), (1, 2))):
        with pytest.raises(ValueError, match="from 0 to 1, not"):
            plackett_luce([ranking], 2)
        with pytest.raises(ValueError, match="from 0 to 1, not"):
            score_contributions([ranking], [0.0, 0.0])
    with pytest.raises(TypeError):
        plackett_luce([Ranking((0, 0.5))], 2)


@pytest.mark.parametrize(
    ("items", "options", "named"),
    [
        (0, {}, "at least 1 item"),
        (2, {"prior": -1.0}, "prior"),
        (2, {"prior": math.nan}, "prior"),
        (2, {"prior": math.inf}, "prior"),
        (2, {"names": ("a",)}, "2 names"),
    ],
)
def test_raise_on_arguments(items, options, named):
    with pytest.raises(ValueError, match=named):
        plackett_luce([], items, **options)


# Elo's scale


def test_elo():
    assert ratings.elo(0.0) == 0
    assert ratings.elo(math.log(10)) == pytest.approx(400)
    for higher, share in ((100, 0.64), (200, 0.76), (400, 10 / 11)):
        worth = math.exp(higher / ratings.elo(1.0))
        assert worth / (1 + worth) == pytest.approx(share, abs=0.001)


# Scores and covariances


@given(fields(), st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_score_contributions(field, random):
    rankings, items = field
    at = [random.uniform(-2, 2) for _ in range(items)]
    rows = score_contributions(iter(rankings), at)
    assert rows.shape == (len(rankings), items)
    assert np.allclose(rows.sum(axis=1), 0)
    for row, ranking in zip(rows, rankings, strict=True):
        places = ratings._Places([Ranking(ranking.order, ranking.rest)], items)
        expected = places.gradient(places.chances(np.array(at)))
        assert np.allclose(row, expected if len(places.seats) else 0)
    assert np.allclose(rows, score_contributions(rankings, [x + 7 for x in at]))


def test_score_contributions__none():
    assert score_contributions([], [0.0, 0.0]).shape == (0, 2)


def test_covariance__is_the_pseudo_inverse():
    worths = plackett_luce(random_rankings(6, np.random.default_rng(3)), 6)
    expected = np.linalg.pinv(worths.information)
    assert np.allclose(rating_covariance(worths), expected, rtol=1e-10)
    scores = np.random.default_rng(4).normal(size=(20, 6))
    scores -= scores.mean(axis=1, keepdims=True)
    products = scores.T @ scores
    found = rating_covariance(worths, products)
    assert np.allclose(found, expected @ products @ expected, rtol=1e-9)
    assert (found == found.T).all()
    assert np.allclose(rating_covariance(worths, worths.information), expected, rtol=1e-9)
    assert np.allclose(found, rating_covariance(worths, products.tolist()))


def test_covariance__of_deals_played_again():
    # Each deal three times with the same result: the games are three times as many, but what is
    # known is what the deals said once.
    rng = np.random.default_rng(5)
    once = simulated((0, 1, 2), 3, [0.5, 0.0, -0.5], 200, rng)
    thrice = [Ranking(r.order, r.rest, 3 * r.weight) for r in once]
    single, repeated = plackett_luce(once, 3), plackett_luce(thrice, 3)
    scores = score_contributions(once, single.log_worths)
    weights = np.array([r.weight for r in once])
    of_deals = rating_covariance(single, (scores.T * weights) @ scores)
    clustered = rating_covariance(repeated, (3 * scores.T * weights) @ (3 * scores))
    assert np.allclose(clustered, of_deals, rtol=1e-8)
    assert np.allclose(3 * rating_covariance(repeated), rating_covariance(single), rtol=1e-8)


def test_shared_wins():
    # Two of three share: half of each one's win. With all games alike, worths follow from wins.
    rankings = [
        Ranking((0,), (1, 2), 10),
        Ranking((1,), (0, 2), 6),
        Ranking((2,), (0, 1), 4),
        Ranking((0,), (1, 2), 0.5),
        Ranking((1,), (0, 2), 0.5),
    ]
    expected = np.log([10.5, 6.5, 4])
    worths = plackett_luce(rankings, 3)
    assert worths.log_worths == pytest.approx((expected - expected.mean()).tolist())


@pytest.mark.parametrize(
    ("products", "named"),
    [
        (np.zeros((3, 3)), "shape"),
        (np.zeros(2), "shape"),
        ([[1, math.nan], [math.nan, 1]], "finite"),
        ([[1, -1], [1, 1]], "symmetric"),
    ],
)
def test_covariance__raise_on_products(products, named):
    worths = plackett_luce(everybody_both_ways(2), 2)
    with pytest.raises(ValueError, match=named):
        rating_covariance(worths, products)


# Simulated fields


@pytest.mark.parametrize("places", [1, 4])
def test_known_worths_are_found(places):
    true = np.array([1.2, 0.4, 0.0, -0.5, -1.1])
    rng, rankings = np.random.default_rng(7), []
    for table in itertools.combinations_with_replacement(range(5), 4):
        if len(set(table)) > 1:
            rankings += simulated(table, places, true, 20_000, rng)
    worths = plackett_luce(rankings, 5)
    errors = np.sqrt(rating_covariance(worths).diagonal())
    assert errors.max() < 0.003
    assert abs((worths.log_worths - true) / errors).max() < 3
    assert worths.iterations < 10


@pytest.mark.parametrize(
    ("tables", "places", "games"),
    [
        ([(0, 0, 1, 1), (0, 0, 2, 2), (1, 1, 2, 2)], 1, 60),
        ([(0, 1, 2)], 3, 60),
        ([(0, 0, 1, 2), (0, 1, 2, 2)], 2, 60),
    ],
)
def test_coverage(tables, places, games):
    # 95 % intervals for the log-worths and for the differences of two.
    true, z = np.array([0.5, 0.1, -0.6]), z_value(0.95)
    rng = np.random.default_rng(8)
    every = [ranking for table in tables for ranking in outcomes(table, places)]
    chances = [
        [chance_by_seats(ranking, np.exp(true)) for ranking in outcomes(table, places)]
        for table in tables
    ]
    held, differences = np.zeros(3), np.zeros(3)
    for _ in range(REPETITIONS):
        counts = np.concatenate([rng.multinomial(games, chance) for chance in chances]).tolist()
        worths = plackett_luce(
            [Ranking(r.order, r.rest, n) for r, n in zip(every, counts, strict=True)], 3
        )
        covariance = rating_covariance(worths)
        off = worths.log_worths - true
        held += abs(off) <= z * np.sqrt(covariance.diagonal())
        for k, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
            variance = covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
            differences[k] += abs(off[i] - off[j]) <= z * math.sqrt(variance)
    assert abs(held / REPETITIONS - 0.95).max() < SLACK
    assert abs(differences / REPETITIONS - 0.95).max() < SLACK


def test_coverage__games_of_a_deal():
    # Three equal items play each deal three times. An item's luck in a deal is the same in its
    # games, so they say less than as many games of their own, which the plain covariance takes
    # them for.
    rng, z, deals = np.random.default_rng(9), z_value(0.95), 60
    covers = {"sandwich": 0, "plain": 0}
    rankings = [Ranking((k,), tuple({0, 1, 2} - {k})) for k in range(3)]
    for _ in range(REPETITIONS):
        luck = rng.normal(size=(deals, 1, 3)) + rng.gumbel(size=(deals, 3, 3))
        winners = luck.argmax(axis=2)
        wins = np.array([(winners == k).sum(axis=1) for k in range(3)]).T  # by deal and item
        worths = plackett_luce(
            [
                Ranking(r.order, r.rest, n)
                for r, n in zip(rankings, wins.sum(axis=0).tolist(), strict=True)
            ],
            3,
        )
        scores = wins @ score_contributions(rankings, worths.log_worths)
        for name, covariance in (
            ("sandwich", rating_covariance(worths, scores.T @ scores)),
            ("plain", rating_covariance(worths)),
        ):
            covers[name] += abs(worths.log_worths[0]) <= z * math.sqrt(covariance[0, 0])
    assert abs(covers["sandwich"] / REPETITIONS - 0.95) < SLACK
    assert covers["plain"] / REPETITIONS < 0.95 - SLACK


@pytest.mark.parametrize("fixed", [True, False])
def test_coverage__where_the_model_is_wrong(fixed):
    # Rock, scissors, paper: each beats the next nine times of ten, and no worth differs. If it is
    # chance who meets whom, how often that is adds to the error; if it isn't, the sandwich holds
    # the worths too often.
    rng, z, covered = np.random.default_rng(10), z_value(0.95), 0
    pairs = [(0, 1), (1, 2), (2, 0)]
    rankings = [Ranking(order) for pair in pairs for order in (pair, pair[::-1])]
    chances = np.array([0.9, 0.1] * 3) / 3
    for _ in range(REPETITIONS):
        wins = rng.binomial(100, 0.9, size=3)
        counts = np.array([wins, 100 - wins]).T.ravel()
        if not fixed:
            counts = rng.multinomial(300, chances)
        found = [
            Ranking(ranking.order, weight=n)
            for ranking, n in zip(rankings, counts.tolist(), strict=True)
        ]
        worths = plackett_luce(found, 3)
        scores = score_contributions(found, worths.log_worths)
        covariance = rating_covariance(worths, (scores.T * counts) @ scores)
        covered += abs(worths.log_worths[0]) <= z * math.sqrt(covariance[0, 0])
    share = covered / REPETITIONS
    assert share > 0.99 if fixed else abs(share - 0.95) < SLACK
