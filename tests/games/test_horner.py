"""horner against its referee, card for card."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from games.horner_cases import PIES, PLAYS, for_referee, random_rules, random_strategies
from referees import horner as referee

from simcards.sim.chunk import play_chunk, prepare_kernel
from simcards.sim.games.horner import GAME, Rules
from simcards.sim.plan import make_plan
from simcards.sim.replay import replay_game


@pytest.fixture(scope="module", autouse=True)
def kernel() -> None:
    prepare_kernel(GAME)


def compare(rules: Rules, strategies: list[str], seed: int, index: int) -> referee.Game:
    """Play a match with the kernel and with the referee; every event and figure must agree."""
    plan = make_plan("horner", rules=rules, strategies=strategies, seed=seed)
    told = replay_game(plan, index)
    game = referee.play(for_referee(rules), strategies, seed, index)
    context = f"{rules} {strategies} seed {seed} index {index}"
    for ours, theirs in zip(told.events[1:-1], game.events, strict=False):
        assert ours == theirs, context
    assert len(told.events) - 2 == len(game.events), context
    row = told.row
    for column in (
        "winner", "status", "turns", "rounds", "flips", "flips_placed", "from_discard",
        "reshuffles", "passes", "dead", "forced", "free", "longest_wait", "first_out",
    ):  # fmt: skip
        assert row[column] == getattr(game, column), (column, context)
    assert told.events[-1]["winners"] == game.winners, context
    for seat in range(rules.players):
        assert row[f"points_{seat}"] == game.points[seat], context
        assert row[f"pies_{seat}"] == game.pies[seat], context
        assert row[f"first_outs_{seat}"] == game.first_outs[seat], context
    # Counts are of finished matches.
    chunk = play_chunk(plan, index, index + 1, keep_rows=False)
    assert chunk is not None
    if game.status == "finished":
        events = chunk.counts.events
        for name, value in {
            "first_flip_placed": game.first_flip_placed,
            "first_two_placed": game.first_two_placed,
            "starter_first_out": game.starter_first_out,
            "pies_as_dealt": game.pies_to_dealt,
            "pies": sum(game.pies),
            "first_out_score60": 60 // len(game.winners) * (game.first_out in game.winners),
        }.items():
            assert events[name] == value, (name, context)
        taken = {key: pair[0] for key, pair in chunk.counts.tallies["pies_by_seat"].items()}
        assert taken == {key: value for key, value in game.pies_by.items() if value}, context
    return game


@pytest.mark.parametrize("block", range(4))
def test_random_rules_and_strategies_agree_with_the_referee(block: int) -> None:
    choose = random.Random(3000 + block)
    seen: Counter[Any] = Counter()
    for _ in range(500):
        rules = random_rules(choose)
        strategies = random_strategies(choose, rules)
        index = choose.choice((0, choose.randrange(2**63)))
        game = compare(rules, strategies, choose.randrange(2**64), index)
        seen[game.status] += 1
        seen["shared"] += game.winner == -2
        seen["reshuffled"] += game.reshuffles > 3 * rules.players
        seen["passed"] += game.passes > 3
        seen["dead"] += game.dead > 0
        seen["nobody out"] += game.status == "finished" and game.first_out < 0
        seen["pool"] += rules.recycle == "pool" and game.reshuffles > 1
        for text in strategies if game.free else ():
            seen.update(text.split("+"))
    # The cases must reach the corners, else the comparison says little.
    corners = ("finished", "capped", "shared", "reshuffled", "passed", "dead", "nobody out", "pool")
    assert all(seen[what] for what in (*corners, *PLAYS, *PIES)), seen


@pytest.mark.parametrize("preset", GAME.presets)
@pytest.mark.parametrize("players", range(1, 7))
def test_presets_agree_with_the_referee(preset: str, players: int) -> None:
    plan = make_plan("horner", preset=preset, players=players, seed=0)
    for index in range(20):
        compare(plan.rules, ["eager"] * players, 2**64 - 1, index)


@pytest.mark.parametrize("recycle", ["own", "sync", "pool"])
def test_rollout_agrees_with_the_referee(recycle: str) -> None:
    for index in range(6):
        rules = Rules(players=3, recycle=recycle, rounds=1, turn="chain", discard_plays="many")
        compare(rules, ["rollout:samples=5"] * 3, 2**64 - 1, index)
