"""aces against its referee, card for card."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from games.aces_cases import for_referee, random_rules, random_strategies
from referees import aces as referee

from simcards.sim.chunk import prepare_kernel
from simcards.sim.games.aces import GAME, Rules
from simcards.sim.plan import make_plan
from simcards.sim.replay import replay_game


@pytest.fixture(scope="module", autouse=True)
def kernel() -> None:
    prepare_kernel(GAME)


def compare(rules, strategies, seed: int, index: int) -> referee.Game:
    """Play a game with the kernel and with the referee; every event and figure must agree."""
    plan = make_plan("aces", rules=rules, strategies=strategies, seed=seed)
    told = replay_game(plan, index)
    game = referee.play(for_referee(rules), strategies, seed, index)
    context = f"{rules} {strategies} seed {seed} index {index}"
    for ours, theirs in zip(told.events[1:-1], game.events, strict=False):
        assert ours == theirs, context
    assert len(told.events) - 2 == len(game.events), context
    row = told.row
    for column, expected in {
        "winner": game.winner,
        "status": game.status,
        "turns": game.turns,
        "hands": game.hands,
        "cards": game.cards,
        "discards_taken": game.taken,
        "wilds_placed": game.wilds,
        "reshuffles": game.reshuffles,
        "first_turn_wins": game.first_turn_wins,
        "forced": game.forced,
        "free": game.free,
        "first_winner": game.first_winner,
    }.items():
        assert row[column] == expected, (column, context)
    assert told.events[-1]["winners"] == game.winners, context
    for seat in range(rules.players):
        assert row[f"layout_{seat}"] == game.layouts[seat], context
        assert row[f"hands_won_{seat}"] == game.hands_won[seat], context
    return game


@pytest.mark.parametrize("block", range(4))
def test_random_rules_and_strategies_agree_with_the_referee(block: int) -> None:
    choose = random.Random(1000 + block)
    seen: Counter[str] = Counter()
    for _ in range(800):
        rules = random_rules(choose)
        strategies = random_strategies(choose, rules)
        game = compare(
            rules, strategies, choose.randrange(2**64), choose.choice((0, choose.randrange(2**63)))
        )
        seen[game.status] += 1
        seen["reshuffled"] += game.reshuffles > 2
        seen["shared"] += game.winner == -2
    # The cases must reach the corners, else the comparison says little.
    assert min(seen["finished"], seen["capped"], seen["reshuffled"], seen["shared"]) > 0, seen


def test_scarce_cards_in_last_turns_agree_with_the_referee() -> None:
    """Cards set aside can leave a seat nothing to draw."""
    choose = random.Random(7)
    for _ in range(600):
        layouts = choose.choice(((10,) * 5, (8,) * 6, (9, 12, 11, 9, 9), (10, 9, 10, 10, 10)))
        rules = Rules(
            players=len(layouts),
            packs=1,
            layouts=layouts,
            wild=choose.choice(("K", "none")),
            finish="last_turn",
            take_discard=choose.choice(("playable", "any", "never")),
            reshuffle=choose.choice(("lazy", "eager")),
            max_turns=40,
        ).resolved()
        compare(rules, random_strategies(choose, rules), choose.randrange(2**64), 5)


@pytest.mark.parametrize("preset", GAME.presets)
@pytest.mark.parametrize("players", range(1, 7))
def test_presets_agree_with_the_referee(preset: str, players: int) -> None:
    plan = make_plan("aces", preset=preset, players=players, seed=0)
    for index in range(40):
        compare(plan.rules, ["always+lowest+always"] * players, 2**64 - 1, index)
