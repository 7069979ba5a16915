"""Matches played side by side have the rows of matches played one at a time, bit for bit."""

from __future__ import annotations

import random
from typing import Any

import numba
import numpy as np
import pytest
from games.aces_cases import random_rules, random_strategies

from simcards.kernels import aces, aces_lanes, aces_match
from simcards.kernels.aces_numbers import DECISIONS
from simcards.sim import chunk
from simcards.sim.errors import RequestError
from simcards.sim.games.aces import GAME
from simcards.sim.plan import Plan, make_plan


@numba.njit(error_model="numpy")
def one_by_one(seed, first, rules, strategies, bots, tables, rows, tally, log, control):
    """What `play` does where matches can't be played side by side."""
    table = tables[0]
    for seat in range(strategies.shape[0]):
        for decision in range(DECISIONS):
            table.strategy[seat, decision] = strategies[seat, decision]
            table.draws[seat] |= strategies[seat, decision].draws
    for j in range(rows.shape[0]):
        aces_match.play_match(table, rules[0], rows[j], bots, seed, first + j, log, control)


@numba.njit
def covered(rules, strategies):
    return aces_lanes.covers(rules[0], strategies)


@pytest.fixture(scope="module", autouse=True)
def kernel() -> None:
    chunk.prepare_kernel(GAME)


def played(play: Any, plan: Plan, first: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rows, tally = np.empty(n, aces.ROW), np.zeros(aces.TALLY, np.int64)
    tables = np.zeros(1, aces.TABLE)
    play(
        np.uint64(plan.seed),
        np.int64(first),
        chunk.rules_array(plan),
        chunk._strategies_array(plan),
        chunk.prepare_bots(plan),
        tables,
        rows,
        tally,
        np.zeros((0, aces.EVENT_WIDTH), np.int64),
        chunk.new_control(),
    )
    return rows, tables[0]["by_sizes"]


def is_covered(plan: Plan) -> bool:
    return bool(covered(chunk.rules_array(plan), chunk._strategies_array(plan)))


def assert_same(plan: Plan, first: int, n: int) -> np.ndarray:
    ours, by_sizes = played(aces.play, plan, first, n)
    theirs, their_sizes = played(one_by_one, plan, first, n)
    for name in ours.dtype.names or ():
        assert np.array_equal(ours[name], theirs[name]), (name, plan)
    assert np.array_equal(by_sizes, their_sizes), plan
    return ours


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("match", ["full", "hand"])
def test_default_rules(players: int, match: str) -> None:
    plan = make_plan("aces", players=players, rules={"match": match}, seed=2**64 - players)
    assert is_covered(plan)
    assert_same(plan, 10**12, 4000)


@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 65, 127, 129, 1000])
def test_any_number_of_matches(n: int) -> None:
    assert_same(make_plan("aces", seed=5), 7, n)


def random_covered(choose: random.Random) -> Plan:
    """Rules and strategies that can be played side by side, in every way they can differ."""
    players = choose.choice((2, 2, 3, 4, 5, 6))
    packs = choose.choice((None, 1, 2, 3)) if players < 4 else choose.choice((None, 2, 3, 4))
    rules: dict[str, Any] = {
        "players": players,
        "match": choose.choice(("full", "full", "hand")),
        "shrink": choose.choice((0, 1, 1, 2, 3, 9)),
        "starter": choose.choice(("winner", "loser", "rotate")),
        "take_discard": choose.choice(("playable", "playable", "never")),
        "wild": choose.choice(("J", "J", "K", "Q", "none", "2", "A")),
        "max_turns": choose.choice((10_000, 10_000, 1, 2, 15, 60)),
    }
    if packs:
        rules["packs"] = packs
    if rules["shrink"] == 0 and rules["match"] == "full":
        rules["hands"] = choose.choice((1, 2, 5))
    largest = choose.choice((1, 3, 6, 10, 10, 10, 11, 12, 13))
    if choose.random() < 0.4:
        rules["layouts"] = tuple(choose.randint(1, largest) for _ in range(players))
    else:
        rules["layout"] = choose.randint(1, largest)
    strategies = [
        f"{choose.choice(('always', 'always', 'never'))}+{choose.choice(('lowest', 'highest'))}"
        for _ in range(players)
    ]
    return make_plan("aces", rules=rules, strategies=strategies, seed=choose.randrange(2**64))


def test_random_rules_that_are_covered() -> None:
    choose = random.Random(5)
    seen = {"covered": 0, "capped": 0, "reshuffled": 0, "wilds": 0, "shared": 0, "taken": 0}
    while seen["covered"] < 250:
        try:
            plan = random_covered(choose)
        except RequestError:  # rules that don't go together
            continue
        rows = assert_same(plan, choose.randrange(2**40), choose.choice((70, 200)))
        if is_covered(plan):
            seen["covered"] += 1
            seen["capped"] += int(rows["capped"].sum())
            seen["reshuffled"] += int((rows["reshuffles"] > 0).sum())
            seen["wilds"] += int(rows["wilds"].sum())
            seen["shared"] += int((rows["winner"] == -2).sum())
            seen["taken"] += int(rows["taken"].sum())
    assert all(count > 20 for count in seen.values()), seen


def test_all_others_are_played_one_by_one() -> None:
    """Whatever is said to be covered is played alike; whatever isn't goes the other way."""
    choose = random.Random(6)
    ways = set()
    for _ in range(400):
        rules = random_rules(choose)
        plan = make_plan(
            "aces",
            rules=rules,
            strategies=random_strategies(choose, rules),
            seed=choose.randrange(2**64),
        )
        ways.add(is_covered(plan))
        assert_same(plan, 0, 3)
    assert False in ways


@pytest.mark.parametrize(
    "change",
    [
        {"take_discard": "any"},
        {"displace": "may"},
        {"displace": "no"},
        {"reshuffle": "eager"},
        {"finish": "last_turn"},
        {"complete": "natural"},
        {"wild_limit": 1},
        {"queen": "skip"},
        {"initial_discard": "yes"},
        {"jokers": 1},
        {"players": 1},
    ],
    ids=str,
)
def test_what_is_not_covered(change: dict[str, Any]) -> None:
    assert not is_covered(make_plan("aces", rules=change, seed=1))


@pytest.mark.parametrize("strategy", ["random", "rare:copies=2", "always+random", "always+rarest"])
def test_strategies_that_are_not_covered(strategy: str) -> None:
    assert not is_covered(make_plan("aces", strategies={1: strategy}, seed=1))
    assert is_covered(make_plan("aces", strategies={1: "never+highest"}, seed=1))


def test_words_that_are_drawn_again() -> None:
    """A word that would make some cards likelier is as rare as one in 80 million: made up here."""

    @numba.njit
    def again(lanes):
        doubt = aces_lanes.draw_words(lanes)
        if doubt:
            aces_lanes.draw_again(lanes)
        return doubt

    from simcards.kernels.random import below

    @numba.njit
    def index(state, n):
        return below(state, n)

    size = aces_lanes.LANES
    lanes = np.zeros(aces_lanes.FIELDS * size, np.uint32)
    # xoshiro128++ gives rotl(s0 + s3, 7) + s0: with both 0 the word is 0, whose product is 0.
    states = np.zeros((size, 4), np.int64)
    choose = np.random.default_rng(3)
    states[:, 1:3] = choose.integers(1, 2**32, (size, 2))
    for word in range(4):
        lanes[word * size : (word + 1) * size] = states[:, word]
    unturned = choose.integers(1, 53, size)
    unturned[0] = 52  # 2^32 isn't a multiple of it
    lanes[int(aces_lanes.UNTURNED) * size :][:size] = unturned
    lanes[int(aces_lanes.DRAWS) * size :][:size] = 1
    assert again(lanes)
    for lane in range(size):
        assert lanes[aces_lanes.AT * size + lane] == index(states[lane], unturned[lane])
        assert [int(lanes[word * size + lane]) for word in range(4)] == states[lane].tolist()


def test_the_last_matches_there_are() -> None:
    assert_same(make_plan("aces", players=3, seed=2**64 - 1), 2**63 - 100, 100)


def test_a_stop_ends_it() -> None:
    plan = make_plan("aces", seed=1)
    control = chunk.new_control()
    control[0] = 1
    assert chunk.play_raw(plan, 0, 100, control).played == 0
