"""Every plum of horner is accounted for by the events, and one too many or few is noticed."""

from __future__ import annotations

import random
from collections import Counter
from functools import partial
from typing import Any

import pytest
from games import audits
from games.audits import at, changed
from games.horner_cases import random_rules, random_strategies

from simcards.kernels import horner_numbers as k
from simcards.sim.chunk import play_told, prepare_kernel
from simcards.sim.games.horner import GAME
from simcards.sim.games.horner_events import audit, card_name, composition, dealt
from simcards.sim.plan import make_plan

WAYS: list[dict[str, Any]] = [
    {},
    {"recycle": "pool", "players": 3},
    {"recycle": "sync", "players": 3},
    {"pies": "capacity", "pie_value": "printed"},
    {"turn": "chain", "round_end": "first_out", "players": 4},
]


told = partial(audits.told, "horner")


@pytest.fixture(scope="module", autouse=True)
def kernel() -> None:
    prepare_kernel(GAME)


def test_random_games_keep_their_plums() -> None:
    choose = random.Random(71)
    seen: Counter[str] = Counter()
    for _ in range(1000):
        rules = random_rules(choose)
        strategies = random_strategies(choose, rules)
        plan = make_plan("horner", rules=rules, strategies=strategies, seed=choose.randrange(2**64))
        done = play_told(plan, 0)
        log = done.log[: done.told].tolist()
        assert audit(plan.rules, log) == "", (rules, strategies, plan.seed)
        first = [card for (card,) in dealt(plan.rules, log)]
        assert sorted(first) == sorted(composition(plan.rules)) and len(first) == rules.cards
        seen["capped"] += int(done.rows[0]["capped"])
        seen["reshuffled"] += int(done.rows[0]["reshuffles"]) > 0
        seen["rounds"] += int(done.rows[0]["rounds"]) > 1
        seen["dead"] += int(done.rows[0]["dead"]) > 0
    assert len(seen) == 4 and min(seen.values()) > 20, seen


@pytest.mark.parametrize("preset", GAME.presets)
@pytest.mark.parametrize("players", range(1, 7))
def test_presets_keep_their_plums(preset: str, players: int) -> None:
    plan = make_plan("horner", preset=preset, players=players, seed=4)
    for index in range(10):
        done = play_told(plan, index)
        assert audit(plan.rules, done.log[: done.told].tolist()) == ""


def test_cards_dealt_are_those_of_the_worked_deal() -> None:
    """docs/randomness.md: seed 7, match 3."""
    cards = [card_name(card) for (card,) in dealt(*told(3, seed=7))]
    assert cards[:8] == "L4 C6 D5 D3 C3 G2 C5 L3".split()


# Logs that were tampered with


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_missing_event_is_noticed(way: dict[str, Any]) -> None:
    """But for a pass, which moves no card."""
    rules, log = told(0, rounds=2, **way)
    for j, event in enumerate(log):
        if event[0] != k.EVENT_PASS:
            assert audit(rules, log[:j] + log[j + 1 :]), event


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_an_event_told_twice_is_noticed(way: dict[str, Any]) -> None:
    rules, log = told(1, rounds=1, **way)
    for j, event in enumerate(log):
        if event[0] != k.EVENT_PASS:
            assert audit(rules, log[: j + 1] + log[j:]), event


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_another_card_is_noticed(way: dict[str, Any]) -> None:
    rules, log = told(2, rounds=1, **way)
    for code in (k.EVENT_FLIP, k.EVENT_PLACE, k.EVENT_DISCARD, k.EVENT_DEAD):
        for j in at(log, code):
            for card in {*composition(rules), -1, 255} - {log[j][2]}:
                assert audit(rules, changed(log, j, 2, card)), (log[j], card)


def test_two_cards_swapped_are_noticed() -> None:
    """Two flips that tell each other's card, and what becomes of it."""
    rules, log = told(0, rounds=1)
    flips = at(log, k.EVENT_FLIP)
    for a, b in zip(flips, flips[3:], strict=False):
        copy = log
        for one, other in ((a, b), (b, a)):
            copy = changed(changed(copy, one, 2, log[other][2]), one + 1, 2, log[other][2])
        assert audit(rules, copy), (a, b)


def test_a_card_dealt_twice_is_noticed() -> None:
    rules, log = told(0)
    two, six = 16, 40  # where the third and the sixth card stand
    word = log[0][3]
    twice = word & ~(255 << six) | (word >> two & 255) << six
    assert (
        audit(rules, changed(log, 0, 3, twice))
        == "event 0: the cards dealt are not each plum once."
    )


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("more", [-1, 1])
def test_a_wrong_number_of_cards_shuffled_is_noticed(way: dict[str, Any], more: int) -> None:
    for index in range(3):
        rules, log = told(index, rounds=3, **way)
        for j in at(log, k.EVENT_RESHUFFLE):
            said = audit(rules, changed(log, j, 2, log[j][2] + more))
            assert said.startswith(f"event {j}: {log[j][2] + more} cards are shuffled, but")


def test_points_and_pies_must_be_those_of_the_cards() -> None:
    rules, log = told(0)
    for j in at(log, k.EVENT_ROUND_END):
        assert audit(rules, changed(log, j, 3, log[j][3] + 2))
    for j in at(log, k.EVENT_PIE):
        assert audit(rules, changed(log, j, 1, 1 - log[j][1]))
        assert audit(rules, changed(log, j, 3, (log[j][3] + 1) % 4))
    for j in at(log, k.EVENT_PLACE):
        other = next(pie for pie in rules.pie_numbers if pie != log[j][3])
        assert audit(rules, changed(log, j, 3, other))


def test_no_events_are_no_match() -> None:
    assert audit(told(0)[0], [])
