"""Rounds in one go have the rows of rounds that stop at each decision, bit for bit."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from games.horner_cases import random_rules, random_strategies
from games.told import played, played_and_told

from simcards.sim import chunk
from simcards.sim.chunk import Played
from simcards.sim.errors import RequestError
from simcards.sim.games.horner import GAME
from simcards.sim.plan import Plan, make_plan

LOOKING = ("random", "top_aware", "top_aware:far=0", "blocker", "blocker:seats=3", "race:lead=0")


@pytest.fixture(scope="module", autouse=True)
def kernel() -> None:
    chunk.prepare_kernel(GAME)


def is_quick(done: Played) -> bool:
    """Whether these matches were played in one go."""
    return bool(done.tables[0]["quick"][0]["used"])


def assert_same(plan: Plan, first: int, n: int) -> Played:
    """Play matches, and each again while it is told, which is done from decision to decision."""
    ours, told = played_and_told(plan, first, n)
    assert not any(is_quick(one) for one in told)
    return ours


@pytest.mark.parametrize("preset", GAME.presets)
@pytest.mark.parametrize("players", range(1, 7))
def test_presets(preset: str, players: int) -> None:
    plan = make_plan("horner", preset=preset, players=players, seed=2**64 - players)
    assert is_quick(assert_same(plan, 10**12, 300))


@pytest.mark.parametrize("n", [0, 1, 2])
def test_any_number_of_matches(n: int) -> None:
    assert_same(make_plan("horner", seed=5), 7, n)


def random_quick(choose: random.Random) -> Plan:
    """Rules and strategies that are played in one go, in every way they can differ."""
    players = choose.choice((1, 2, 2, 2, 3, 4, 5, 6))
    rules: dict[str, Any] = {
        "players": players,
        "rounds": choose.choice((1, 1, 2, 3, 5)),
        "pies": choose.choice(("identity", "identity", "capacity")),
        "pie_value": choose.choice(("flat", "printed")),
        "out_points": choose.choice((0, 1, 3, 8)),
        "discard_play": choose.choice(("may", "may", "may", "must", "never")),
        "flip_after_discard": choose.choice(("may", "may", "must", "no")),
        "recycle": choose.choice(("own", "own", "sync", "pool")),
        "round_end": choose.choice(("all", "all", "first_out")),
        "next_start": choose.choice(("rotate", "same", "winner", "loser")),
        "varieties": choose.choice((4, 4, 4, 1, 2, 3, 5, 8)),
        "plums": choose.choice((7, 7, 7, 2, 3, 8, 13)),
        "max_turns": choose.choice((10_000, 10_000, 10_000, 1, 2, 20, 60)),
    }
    strategies = [
        choose.choice((*LOOKING, "eager", "eager", "flip_only", "no_flip")) for _ in range(players)
    ]
    return make_plan("horner", rules=rules, strategies=strategies, seed=choose.randrange(2**64))


def test_random_rules_that_are_covered() -> None:
    choose = random.Random(5)
    seen: Counter[str] = Counter()
    while seen["quick"] < 500:
        try:
            plan = random_quick(choose)
        except RequestError:  # rules that don't go together
            continue
        done = assert_same(plan, choose.choice((0, choose.randrange(2**62))), 6)
        if is_quick(done):
            rows = done.rows
            seen["quick"] += 1
            seen["finished"] += int((rows["capped"] == 0).sum())
            for name in ("capped", "dead", "passes", "free", "from_discard", "first_two_placed"):
                seen[name] += int((rows[name] > 0).sum())
            seen["nobody out"] += int((rows["first_out"] < 0).sum())
            seen["shared"] += int((rows["winner"] == -2).sum())
            seen["streams of two blocks"] += int((rows["reshuffles"] > 15 * rows["rounds"]).sum())
            seen[f"{plan.rules.recycle}"] += 1
            seen["changed hands"] += int((rows["pies_to_dealt"] < rows["pies_taken"]).sum())
    assert all(count > 20 for count in seen.values()), seen
    assert len(seen) == 15, seen


def test_all_others_stop_at_decisions() -> None:
    """Whatever is said to be covered is played alike; whatever isn't goes the other way."""
    choose = random.Random(6)
    ways = Counter()
    for _ in range(300):
        rules = random_rules(choose)
        strategies = random_strategies(choose, rules)
        if not any("rollout" in text for text in strategies):  # takes long
            seed = choose.randrange(2**64)
            plan = make_plan("horner", rules=rules, strategies=strategies, seed=seed)
            ways[is_quick(assert_same(plan, 0, 2))] += 1
    assert ways[False] > 20 and ways[True] > 5, ways


@pytest.mark.parametrize(
    "change",
    [
        {"discard_plays": "many"},
        {"turn": "chain"},
        {"one_pie": "choose"},
        {"varieties": 5, "plums": 8},
    ],
    ids=str,
)
def test_what_is_not_covered(change: dict[str, Any]) -> None:
    assert not is_quick(played(make_plan("horner", rules=change, seed=1), 0, 3))


@pytest.mark.parametrize("strategy", [*LOOKING, "eager", "flip_only", "no_flip"])
@pytest.mark.parametrize("players", [2, 4])
def test_strategies(strategy: str, players: int) -> None:
    strategies = [strategy] * players
    plan = make_plan("horner", players=players, strategies=strategies, seed=players)
    assert is_quick(assert_same(plan, 0, 100))


def answers_one(view):
    return 1


@pytest.mark.parametrize("strategy", ["rollout:samples=1", answers_one], ids=["rollout", "own"])
def test_strategies_that_are_not_covered(strategy: Any) -> None:
    assert not is_quick(assert_same(make_plan("horner", strategies={1: strategy}, seed=1), 0, 3))


def test_the_last_matches_there_are() -> None:
    assert_same(make_plan("horner", players=3, seed=2**64 - 1), 2**63 - 100, 100)


def test_a_stop_ends_it() -> None:
    control = chunk.new_control()
    control[0] = 1
    assert chunk.play_raw(make_plan("horner", seed=1), 0, 100, control).played == 0
