"""Sanity of runs: fair shuffles pass as often as they should, and what is wrong is noticed."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import chi2_contingency, kstest

import simcards
from simcards.analysis.at_table import tell
from simcards.analysis.sanity import (
    LEAST_GAMES,
    Audited,
    Auditor,
    Columns,
    Sanity,
    columns,
    known_values,
    sanity,
)
from simcards.analysis.shuffles import (
    LEAST_SHUFFLES,
    SHUFFLE_LIMIT,
    ShuffleTest,
    neighbour_test,
    place_test,
)
from simcards.analysis.verify import LIMIT, checks, plan_of
from simcards.sim.chunk import play_told, prepare_plan
from simcards.sim.games import GAMES
from simcards.sim.plan import Plan, make_plan

RANKS = dict.fromkeys(range(13), 4)
JOKERS = RANKS | {13: 2}
CARDS = dict.fromkeys(range(52), 1)
PLUMS = {16 * variety + number: 1 for variety in range(4) for number in range(7)}

SHORT: dict[str, dict[str, Any]] = {"aces": {"match": "hand"}, "horner": {"rounds": 1},
                                    "thirteen": {}}  # fmt: skip


def fair(rng: np.random.Generator, deck: dict[int, int], n: int, dealt: int) -> np.ndarray:
    """Cards of shuffles, a row each."""
    pool = np.repeat(list(deck), list(deck.values()))
    return rng.permuted(np.tile(pool, (n, 1)), axis=1)[:, :dealt]


def audited(plan: Plan, n: int) -> Auditor:
    prepare_plan(plan)
    auditor = Auditor(plan)
    for index in range(n):
        done = play_told(plan, index)
        auditor.see(index, done.log[: done.told].tolist())
    return auditor


# Fair shuffles


@pytest.mark.parametrize(
    "deck, sizes, n",
    [
        (RANKS, (1,) * 12, 100),
        (JOKERS, (1,) * 10, 40),
        (CARDS, (13,) * 4, 60),
        (CARDS, (13,) * 2, 20),
        (PLUMS, (1,) * 28, 150),
        ({0: 1, 1: 1, 16: 1, 17: 1}, (1,) * 4, 60),
    ],
)  # fmt: skip
def test_fair_shuffles_fail_as_often_as_they_should(
    deck: dict[int, int], sizes: tuple[int, ...], n: int
) -> None:
    found: dict[str, list[float]] = {"places": [], "neighbours": []}
    for seed in range(200):
        cards = fair(np.random.default_rng(seed), deck, n, sum(sizes))
        for test in (
            place_test(cards, sizes, deck),
            neighbour_test(cards, deck) if max(sizes) == 1 else None,
        ):
            if test:
                found[test.name].append(test.p_value)
    assert len(found["places"]) == 200 and len(found["neighbours"]) == 200 * (max(sizes) == 1)
    for p_values in found.values():
        if p_values:
            assert 2 <= sum(p < 0.05 for p in p_values) <= 25
            assert kstest(p_values, "uniform").pvalue > 1e-3
            assert min(p_values) > SHUFFLE_LIMIT


@pytest.mark.parametrize("game", [game.name for game in GAMES])
def test_shuffles_of_the_games_are_fair(game: str) -> None:
    for seed in range(3):
        auditor = audited(make_plan(game, rules=SHORT[game], seed=seed), 300)
        assert auditor.audited == Audited(300, 0, ())
        places, neighbours = auditor.places(), auditor.neighbours()
        assert places is not None and places.passed and places.games == 300
        assert (neighbours is None) == (game == "thirteen")
        assert neighbours is None or neighbours.passed


def test_degrees_and_statistic_by_hand() -> None:
    """Of the two orders of two cards one came 30 times, the other 20 times."""
    cards = np.array([[0, 1]] * 30 + [[1, 0]] * 20)
    for test in (place_test(cards, (1, 1), {0: 1, 1: 1}), neighbour_test(cards, {0: 1, 1: 1})):
        assert test is not None and test.degrees == 1
        assert test.statistic == pytest.approx((30 - 25) ** 2 / 25 + (20 - 25) ** 2 / 25)


def test_independent_draws_would_have_pearsons_statistic() -> None:
    """The statistic is (m - 1) / m of that of a table of independent cards with known margins."""
    cards = fair(np.random.default_rng(1), RANKS, 200, 52)
    test = place_test(cards, (13,) * 4, RANKS)
    table = [np.bincount(cards[:, at : at + 13].ravel(), minlength=13) for at in range(0, 52, 13)]
    pearson, _, degrees, _ = chi2_contingency(table)
    assert test is not None and test.degrees == degrees == 36
    assert test.statistic == pytest.approx(pearson * 51 / 52)


@pytest.mark.parametrize("deck, sizes", [({0: 2, 1: 2, 2: 1}, (1, 1, 2)), ({0: 1, 1: 2}, (1, 1))])
def test_all_orders_together_have_the_mean_and_variance_of_the_theory(
    deck: dict[int, int], sizes: tuple[int, ...]
) -> None:
    """One shuffle of each order: the mean of the statistic of one shuffle is its degrees."""
    pool = [card for card, copies in deck.items() for _ in range(copies)]
    orders = np.array(list(permutations(pool)))
    many = 60  # of each order, so that nothing is joined
    dealt = orders[:, : sum(sizes)]
    together = place_test(np.repeat(dealt, many, axis=0), sizes, deck)
    assert together is not None and together.statistic == pytest.approx(0, abs=1e-9)
    assert together.degrees == (len(deck) - 1) * (len(sizes) + (len(pool) > sum(sizes)) - 1)
    pairs = neighbour_test(np.repeat(dealt, many, axis=0), deck)
    assert pairs is not None and pairs.statistic == pytest.approx(0, abs=1e-9)
    # n shuffles of one order have n times the statistic of one, and its mean is the degrees.
    for test, expected in ((place_test, together), (neighbour_test, pairs)):
        n = 1000
        total = 0.0
        for order in dealt:
            rows = np.tile(order, (n, 1))
            # mypy can't tell the tests apart by which one it is.
            one = test(rows, sizes, deck) if test is place_test else test(rows, deck)  # type: ignore[call-arg]
            assert one is not None and one.degrees == expected.degrees
            total += one.statistic / n
        assert total / len(dealt) == pytest.approx(expected.degrees)


def test_few_games_tell_nothing() -> None:
    assert place_test(fair(np.random.default_rng(1), CARDS, 2, 2), (1, 1), CARDS) is None
    assert place_test(fair(np.random.default_rng(1), RANKS, 100, 0), (), RANKS) is None
    assert neighbour_test(fair(np.random.default_rng(1), RANKS, 100, 1), RANKS) is None
    assert neighbour_test(fair(np.random.default_rng(1), RANKS, 2, 4), RANKS) is None
    assert place_test(np.zeros((50, 1), np.int64), (1,), {0: 9}) is None
    empty = Auditor(make_plan("aces", seed=1))
    assert empty.places() is None and empty.neighbours() is None
    assert empty.audited.sentence == "No game was told again."


# Shuffles that are not fair


def naive(rng: np.random.Generator, n: int, m: int, swaps: int) -> np.ndarray:
    """Each of the first cards changes places with any card: the well-known mistake."""
    rows = np.tile(np.arange(m), (n, 1))
    for row in rows:
        for j in range(swaps):
            other = rng.integers(m)
            row[j], row[other] = row[other], row[j]
    return rows


def short(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """Fisher and Yates's shuffle, with indices one too small: no card stays where it was."""
    rows = np.tile(np.arange(m), (n, 1))
    for row in rows:
        for j in range(m - 1, 0, -1):
            other = rng.integers(j)
            row[j], row[other] = row[other], row[j]
    return rows


def test_swapping_each_card_with_any_is_noticed() -> None:
    cards = naive(np.random.default_rng(1), 1500, 28, 28)
    test = place_test(cards, (1,) * 28, dict.fromkeys(range(28), 1))
    assert test is not None and test.p_value < 1e-9 and not test.passed


def test_indices_one_too_small_are_noticed() -> None:
    cards = short(np.random.default_rng(1), 500, 28)
    test = place_test(cards, (1,) * 28, dict.fromkeys(range(28), 1))
    assert test is not None and test.p_value < 1e-9
    assert "much speaks against fair ones" in test.sentence


def test_a_shuffle_that_stops_one_card_early_is_noticed() -> None:
    """The last card always stays where it was, as after one swap too few."""
    rng = np.random.default_rng(1)
    cards = np.hstack(
        [rng.permuted(np.tile(np.arange(51), (300, 1)), axis=1), np.full((300, 1), 51)]
    )
    seats = cards.reshape(300, 13, 4).transpose(0, 2, 1).reshape(300, 52)
    test = place_test(seats, (13,) * 4, CARDS)
    assert test is not None and test.p_value < 1e-9


def test_a_card_that_sticks_to_a_seat_is_noticed() -> None:
    """One card of the deck comes to seat 0 in 40 of 100 deals instead of 25."""
    rng = np.random.default_rng(1)
    cards = fair(rng, CARDS, 2000, 52)
    for j in np.flatnonzero(rng.random(2000) < 0.2):
        (at,) = np.flatnonzero(cards[j] == 51)
        cards[j, [0, at]] = cards[j, [at, 0]]
    test = place_test(cards, (13,) * 4, CARDS)
    assert test is not None and test.p_value < SHUFFLE_LIMIT


def test_cards_that_stay_together_are_noticed_by_their_neighbours_only() -> None:
    """A cut moves every card, and is no shuffle."""
    rng = np.random.default_rng(1)
    deck = np.repeat(np.arange(13), 4)
    cards = np.array([np.roll(deck, rng.integers(52)) for _ in range(400)])[:, :12]
    places, neighbours = place_test(cards, (1,) * 12, RANKS), neighbour_test(cards, RANKS)
    assert neighbours is not None and neighbours.p_value < 1e-9
    one = place_test(cards[:, :1], (1,), RANKS)
    assert one is not None and one.passed and places is not None


def test_riffles_that_are_too_few_are_noticed() -> None:
    """After three riffles (Gilbert, Shannon, Reeds) of a deck that was cut cards still follow."""
    rng = np.random.default_rng(1)
    rows = []
    for _ in range(200):
        cards = np.roll(np.arange(28), rng.integers(28))
        for _ in range(3):
            from_left = rng.random(28) < 0.5
            riffled = np.empty(28, np.int64)
            left = int(from_left.sum())
            riffled[from_left], riffled[~from_left] = cards[:left], cards[left:]
            cards = riffled
        rows.append(cards)
    test = neighbour_test(np.array(rows), dict.fromkeys(range(28), 1))
    assert test is not None and test.p_value < 1e-9


# Games that are told


def test_places_are_those_that_all_games_have() -> None:
    plan = make_plan("aces", rules={"match": "hand", "layout": 3}, seed=1)
    prepare_plan(plan)
    auditor = Auditor(plan)
    shortest = 99
    for index in range(LEAST_SHUFFLES):
        assert auditor.places() is None, "so few shuffles tell nothing"
        done = play_told(plan, index)
        log = done.log[: done.told].tolist()
        auditor.see(index, log)
        shortest = min(shortest, len(plan.description.dealt(plan.rules, log)))
        assert auditor.cards.shape == (index + 1, shortest)
    test = auditor.places()
    assert test is not None and test.places == shortest + 1  # the rest of the deck is one


def test_places_of_other_sizes_count_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make_plan("thirteen", seed=1)
    game = plan.description
    dealt = iter([[(1, 2), (3, 4), (5,)], [(1, 2), (3,), (5,)], [(9, 8), (7, 6), (5,)]])
    fake = replace(game, audit=lambda rules, log: "", dealt=lambda rules, log: next(dealt))
    monkeypatch.setattr(Plan, "description", fake)
    auditor = Auditor(plan)
    for index in range(3):
        auditor.see(index, [])
    assert auditor.cards.tolist() == [[1, 2], [1, 2], [9, 8]]


@pytest.mark.parametrize("game", [game.name for game in GAMES])
def test_complaints_are_counted_and_the_first_ones_kept(game: str) -> None:
    plan = make_plan(game, rules=SHORT[game], seed=1)
    prepare_plan(plan)
    auditor = Auditor(plan)
    for index in range(20):
        done = play_told(plan, index)
        log = done.log[: done.told].tolist()
        auditor.see(index, log if index % 2 else log[:-1])
    found = auditor.audited
    assert (found.games, found.complaints, len(found.first)) == (20, 10, 5)
    assert [index for index, _ in found.first] == [0, 2, 4, 6, 8] and not found.passed
    assert "Cards are not accounted for in 10 of 20 games told again; in number 0, event" in (
        found.sentence
    )
    assert len(auditor.cards) == 10  # where cards came from can't be said of the others
    together = found + Audited(5, 1, ((7, "x"),))
    assert (together.games, together.complaints, len(together.first)) == (25, 11, 5)


# Known values


KNOWN: list[tuple[str, dict[str, Any], Any, int]] = [
    ("aces", {"match": "hand"}, None, 2),
    ("aces", {"match": "hand"}, ("always", "never"), 1),
    ("aces", {"match": "hand", "players": 3, "layout": 1}, None, 3),
    ("horner", {"rounds": 1}, None, 8),
    ("horner", {"rounds": 1}, ("random", "eager"), 1),
    ("horner", {"rounds": 1, "varieties": 2, "plums": 2}, None, 2),
    ("thirteen", {}, None, 5),
]


@pytest.mark.parametrize("game, rules, strategies, many", KNOWN, ids=str)
def test_known_values_of_real_runs(
    game: str, rules: dict[str, Any], strategies: Any, many: int
) -> None:
    result = simcards.run(game, 30_000, rules=rules, strategies=strategies, seed=3)
    plan = result.summary.plan
    found = known_values(plan, result.counts)
    assert len(found) == many and len({one.fact.name for one in found}) == many
    assert all(one.passed and one.games == 30_000 for one in found)
    for one in found:
        about = plan_of(one.fact, game, 3)
        assert about.rules == plan.rules and (one.fact.strategies or None) == strategies


def test_known_values_are_those_that_verify_finds() -> None:
    """The same games have the same figures in both."""
    (one, *_) = checks("thirteen", seed=5, scale=0.02)
    result = simcards.run("thirteen", one.games, seed=5)
    assert one in known_values(result.summary.plan, result.counts)


def test_known_values_need_games_and_the_very_rules() -> None:
    def of(n: int, **request: Any) -> list[str]:
        result = simcards.run("aces", n, seed=1, **request)
        return [one.fact.name for one in known_values(result.summary.plan, result.counts)]

    assert of(LEAST_GAMES, rules={"match": "hand"}) == [
        "hand of 10 and 10: starter wins", "hand of 10 and 10: turns",
    ]  # fmt: skip
    assert of(LEAST_GAMES - 1, rules={"match": "hand"}) == []
    assert of(LEAST_GAMES, rules={"match": "hand", "jokers": 1}) == []
    assert of(LEAST_GAMES, rules={"match": "hand"}, strategies=("never", "always")) == []
    # Said in full, or under another preset, it is the same game.
    assert len(of(LEAST_GAMES, rules={"match": "hand", "packs": 1, "layouts": "none"},
                  strategies="always+lowest")) == 2  # fmt: skip
    natural = {"complete": "any", "wild_limit": "none", "starter": "winner", "match": "hand"}
    assert len(of(LEAST_GAMES, preset="natural-finish", rules=natural)) == 2


def test_rare_events_need_more_games() -> None:
    def of(n: int) -> list[str]:
        result = simcards.run("thirteen", n, rules={"instant": "twos"}, seed=1)
        return [one.fact.name for one in known_values(result.summary.plan, result.counts)]

    assert of(4000) == [] and of(6000) == ["somebody has four 2s"]


def test_a_wrong_known_value_is_noticed() -> None:
    """A run under other rules that says it was under these."""
    result = simcards.run("aces", 20_000, rules={"match": "hand", "take_discard": "any"}, seed=1,
                          strategies=("never", "always"))  # fmt: skip
    plan = make_plan("aces", rules={"match": "hand"}, seed=1)
    found = known_values(plan, result.counts)
    assert len(found) == 2 and not all(one.passed for one in found)
    assert max(abs(one.z) for one in found) > LIMIT


# Sums


RUNS: list[tuple[str, dict[str, Any]]] = [
    ("aces", {"shrink": 0, "hands": 4, "max_turns": 20}),
    ("aces", {"players": 6, "match": "hand", "finish": "last_turn"}),
    ("horner", {"rounds": 2, "players": 4, "max_turns": 60}),
    ("thirteen", {"max_turns": 80, "instant_tie": "void"}),
    ("thirteen", {"target": 9, "players": 3}),
]


@pytest.mark.parametrize("game, rules", RUNS, ids=str)
def test_sums_of_real_runs_agree(game: str, rules: dict[str, Any]) -> None:
    result = simcards.run(game, 2000, rules=rules, seed=3, first=10**12, rows=True)
    plan = result.summary.plan
    found = columns(plan, result.counts, 10**12, result.rows)
    assert found.passed and found.checked > 10, found.sentence
    assert found.checked > columns(plan, result.counts).checked
    assert found.sentence == f"All {found.checked} sums over the games agree."
    assert not columns(plan, result.counts, 10**12 + 1, result.rows).passed


def test_sums_that_disagree_are_noticed() -> None:
    result = simcards.run(
        "horner", 3000, rules={"max_turns": 80, "rounds": 2, "out_points": 2}, seed=3
    )
    plan, counts = result.summary.plan, result.counts
    assert counts.capped and counts.finished and sum(map(len, counts.shared)) == 2
    turns = counts.lengths["turns"]
    longest = max(turns)
    (score, *others) = counts.scores["points"]
    (value, *_) = score
    for broken in (
        replace(counts, games=counts.games + 1),
        replace(counts, finished=counts.finished - 1),
        replace(counts, capped=counts.capped + 1, finished=counts.finished - 1),
        replace(counts, nobody=1),
        replace(counts, wins=(counts.wins[0] + 1, counts.wins[1] - 1)),
        replace(counts, wins=(counts.wins[0] + 1, counts.wins[1])),
        replace(counts, shared=(counts.shared[0], {})),
        replace(counts, score60=(counts.score60[0] + 60, counts.score60[1] - 60)),
        replace(counts, score60=(counts.score60[0] + 30, counts.score60[1])),
        replace(counts, lengths={**counts.lengths, "turns": {**turns, longest: 0}}),
        replace(counts, lengths={**counts.lengths, "flips": {1: counts.finished}}),
        replace(counts, scores={**counts.scores, "points": ({**score, value: 0}, *others)}),
        replace(counts, events={**counts.events, "turns": 0}),
        replace(counts, events={**counts.events, "points": (1, 2)}),
    ):  # fmt: skip
        found = columns(plan, broken)
        assert not found.passed and found.faults, broken
        assert f"{len(found.faults)} of {found.checked} sums" in found.sentence


def test_rows_that_are_missing_twice_or_out_of_order_are_noticed() -> None:
    result = simcards.run("thirteen", 500, seed=3, rows=True)
    plan, counts, rows = result.summary.plan, result.counts, result.rows
    assert columns(plan, counts, rows=rows).passed
    twice = pl.concat([rows[:100], rows[99:-1]])
    other = rows.with_columns(winner=(rows["winner"] + 1) % 4)
    for broken in (
        rows[1:],
        rows[:-1],
        twice,
        rows[::-1],
        pl.concat([rows, rows]),
        rows[:0],
        other,
    ):
        assert not columns(plan, counts, rows=broken).passed


# Together


@pytest.mark.parametrize("game", [game.name for game in GAMES])
def test_sanity_of_a_run(game: str) -> None:
    result = simcards.run(game, 1000, rules=SHORT[game], seed=3, rows=True)
    plan = result.summary.plan
    auditor = Auditor(plan)
    tell(plan, 0, 200, auditor.see)
    found = sanity(plan, result.counts, auditor, rows=result.rows)
    assert found.passed and found.audited.games == 200 and found.known
    said = list(found.sentences())
    assert said[0] == "Every card is accounted for after every event of 200 games told again."
    assert said[-1] == f"All {found.columns.checked} sums over the games agree."
    assert len(said) == 3 + len(found.shuffles)
    again = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert again["passed"] and again["audited"]["games"] == 200
    # Shuffles are there in every game, though the type allows none.
    assert again["places"]["p_value"] == found.places.p_value  # type: ignore[union-attr]
    assert (again["neighbours"] is None) == (game == "thirteen")
    assert [one["name"] for one in again["known"]] == [one.fact.name for one in found.known]


def test_whatever_is_wrong_is_not_passed() -> None:
    plan = make_plan("aces", rules={"match": "hand"}, seed=1)
    result = simcards.run("aces", 2000, rules={"match": "hand"}, seed=1)
    fine = Sanity(Audited(1, 0, ()), None, None, known_values(plan, result.counts), Columns(1, ()))
    assert fine.passed and fine.known
    assert "Too few games" in " ".join(fine.sentences())
    unfair = ShuffleTest("places", 10, 13, 4, 200.0, 36)
    wrong = replace(fine.known[0], simulated=0.9)
    for broken in (
        replace(fine, audited=Audited(2, 1, ((0, "event 1: x."),))),
        replace(fine, places=unfair),
        replace(fine, neighbours=replace(unfair, name="neighbours")),
        replace(fine, known=(*fine.known, wrong)),
        replace(fine, columns=Columns(1, ("a: 1 and 2",))),
    ):
        assert not broken.passed and not broken.to_json()["passed"]
        assert list(broken.sentences()) != list(fine.sentences())
    nothing = replace(fine, known=(), columns=Columns(0, ()))
    assert nothing.passed and list(nothing.sentences())[-2:] == [
        "No value is known of these rules and strategies, or it takes more games.",
        "No sums over the games were compared.",
    ]


def test_compositions_have_as_many_cards_as_are_dealt() -> None:
    for game in GAMES:
        plan = make_plan(game.name, seed=1)
        auditor = audited(plan, 5)
        deck = game.composition(plan.rules)
        for cards in auditor.cards.tolist():
            assert all(deck[card] >= number for card, number in Counter(cards).items())
