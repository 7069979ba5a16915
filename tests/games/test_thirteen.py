"""thirteen against its referee, card for card."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from games.thirteen_cases import for_referee, random_rules, random_strategies
from referees import thirteen as referee

from simcards.sim.chunk import prepare_kernel
from simcards.sim.games.thirteen import GAME
from simcards.sim.plan import make_plan
from simcards.sim.replay import replay_game


@pytest.fixture(scope="module", autouse=True)
def kernel() -> None:
    prepare_kernel(GAME)


def check(told: Any, game: referee.Game, context: str) -> None:
    """Compare a replay with what the referee saw."""
    for ours, theirs in zip(told.events[1:-1], game.events, strict=False):
        assert ours == theirs, context
    assert len(told.events) - 2 == len(game.events), context
    row = told.row
    for column, expected in {
        "winner": game.winner,
        "status": game.status,
        "turns": game.turns,
        "deals": game.deals,
        "plays": game.plays,
        "passes": game.passes,
        "tricks": game.tricks,
        "bombs": sum(game.bombs_played.values()),
        "bombs_beaten": sum(game.bombs_beaten.values()),
        "instant": game.instant or "none",
        "opener": game.opener,
        "free": sum(game.asked),
    }.items():
        assert row[column] == expected, (column, row[column], expected, context)
    assert told.events[-1]["winners"] == game.winners, context
    for seat in range(told.plan.rules.players):
        assert row[f"place_{seat}"] == game.places[seat], context
        assert row[f"points_{seat}"] == game.points[seat], context


def compare(rules: Any, strategies: list[str], seed: int, index: int) -> referee.Game:
    """Play a game with the kernel and with the referee; every event and figure must agree."""
    plan = make_plan("thirteen", rules=rules, strategies=strategies, seed=seed)
    told = replay_game(plan, index)
    game = referee.play(for_referee(rules), strategies, seed, index)
    check(told, game, f"{rules} {strategies} seed {seed} index {index}")
    return game


@pytest.mark.parametrize("block", range(4))
def test_random_rules_and_strategies_agree_with_the_referee(block: int) -> None:
    choose = random.Random(2000 + block)
    seen: Counter[str] = Counter()
    for _ in range(600):
        rules = random_rules(choose)
        strategies = random_strategies(choose, rules)
        index = choose.choice((0, choose.randrange(2**63)))
        game = compare(rules, strategies, choose.randrange(2**64), index)
        seen[game.status] += 1
        seen["bombs"] += bool(sum(game.bombs_beaten.values()))
        seen["instant"] += bool(game.instant)
    # The cases must reach the corners, else the comparison says little.
    assert min(seen["finished"], seen["capped"], seen["bombs"], seen["instant"]) > 0, seen


@pytest.mark.parametrize("preset", ["classic", "southern", "southern-cards"])
@pytest.mark.parametrize("strategy", ["lowest", "saver", "structure", "control", "blocker"])
def test_presets_agree_with_the_referee(preset: str, strategy: str) -> None:
    plan = make_plan("thirteen", preset=preset, seed=0)
    for index in range(15):
        compare(plan.rules, [strategy] * 4, 2**64 - 1, index)
