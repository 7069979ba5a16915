"""Deals of `lowest` played in registers have the rows of deals that are told, bit for bit."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from games.thirteen_cases import random_rules
from games.told import played, played_and_told

from simcards.sim import chunk
from simcards.sim.chunk import Played
from simcards.sim.games.thirteen import GAME
from simcards.sim.plan import Plan, make_plan

USUAL = {"lockout": "on", "compare_suit": "on", "lead_after_out": "next", "finish_two": "yes"}


@pytest.fixture(scope="module", autouse=True)
def kernel() -> None:
    chunk.prepare_kernel(GAME)


def is_quick(done: Played) -> bool:
    """Whether these games were played in registers."""
    return bool(done.tables[0]["quick"])


def assert_same(plan: Plan, first: int, n: int) -> Played:
    """Play games, and each again while it is told, which is done the long way."""
    ours, told = played_and_told(plan, first, n)
    assert not any(is_quick(one) for one in told)
    return ours


@pytest.mark.parametrize("preset", ["classic", "southern", "southern-cards", "first-out"])
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("target", ["none", 8])
def test_presets(preset: str, players: int, target: Any) -> None:
    rules: dict[str, Any] = {"players": players, "target": target}
    if preset == "first-out":
        rules["points"] = (1, 0, 0, 0)[:players]
    done = assert_same(
        make_plan("thirteen", preset=preset, rules=rules, seed=2**64 - players), 10**12, 200
    )
    assert is_quick(done)


def test_random_rules() -> None:
    choose = random.Random(8)
    seen: Counter[str] = Counter()
    while seen["quick"] < 400:
        rules = random_rules(choose)
        if choose.random() < 0.8:
            rules = replace(
                rules,
                **USUAL,
                pass_rule="free",
                max_turns=10_000,
            )
        plan = make_plan(
            "thirteen", rules=rules, strategies=["lowest"] * rules.players, seed=seen["quick"]
        )
        done = assert_same(plan, choose.choice((0, choose.randrange(2**62))), 8)
        seen["quick" if is_quick(done) else "the long way"] += 1
        if is_quick(done):
            rows = done.rows
            for name in ("bombs_played", "bombs_beaten", "instant_wins", "winner", "forced"):
                seen[name] += int((rows[name] > 0).sum())
            seen["matches"] += plan.rules.target != "none"
            seen[f"players {rules.players}"] += 1
            seen[f"first lead {rules.first_lead}"] += 1
            seen[f"bombs {rules.bomb_vs_bomb}"] += 1
            seen[f"score {rules.score}"] += 1
            seen[f"bombs after a pass {rules.bomb_after_pass}"] += 1
    assert all(count > 20 for count in seen.values()), seen
    assert len(seen) == 23, seen


@pytest.mark.parametrize(
    "change",
    [
        {"lockout": "off"},
        {"compare_suit": "off"},
        {"pass_rule": "forced"},
        {"finish_two": "no"},
        {"lead_after_out": "last_passer"},
        {"max_turns": 207},
    ],
    ids=str,
)
def test_rules_that_are_not_covered(change: dict[str, Any]) -> None:
    assert not is_quick(played(make_plan("thirteen", rules=change, seed=1), 0, 3))


@pytest.mark.parametrize("strategy", ["random", "structure", "shed"])
def test_other_strategies_go_the_long_way(strategy: str) -> None:
    assert not is_quick(assert_same(make_plan("thirteen", strategies={2: strategy}, seed=1), 0, 50))


def test_the_last_games_there_are() -> None:
    assert_same(make_plan("thirteen", seed=2**64 - 1), 2**63 - 100, 100)


def test_a_stop_ends_it() -> None:
    control = chunk.new_control()
    control[0] = 1
    assert chunk.play_raw(make_plan("thirteen", seed=1), 0, 100, control).played == 0
