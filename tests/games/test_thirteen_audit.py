"""Every card of thirteen is accounted for by the events, and one too many or few is noticed."""

from __future__ import annotations

import random
from collections import Counter
from functools import partial
from typing import Any

import pytest
from games import audits
from games.audits import at, changed
from games.thirteen_cases import random_rules, random_strategies

from simcards.kernels import thirteen_numbers as k
from simcards.sim.chunk import play_told, prepare_kernel
from simcards.sim.games.thirteen import DECISIONS, GAME
from simcards.sim.games.thirteen_events import audit, card_name, composition, dealt
from simcards.sim.plan import make_plan

WAYS: list[dict[str, Any]] = [
    {},
    {"target": 12},
    {"score": "cards"},
    {"players": 2, "finish_two": "no"},
    {"players": 3, "penalties": (1, 2, 3, 4, 6), "bomb_scope": "any"},
]


told = partial(audits.told, "thirteen")


@pytest.fixture(scope="module", autouse=True)
def kernel() -> None:
    prepare_kernel(GAME)


def test_random_games_keep_their_cards() -> None:
    choose = random.Random(71)
    seen: Counter[str] = Counter()
    for _ in range(2500):
        rules = random_rules(choose)
        strategies = random_strategies(choose, rules)
        plan = make_plan(
            "thirteen", rules=rules, strategies=strategies, seed=choose.randrange(2**64)
        )
        done = play_told(plan, 0)
        log = done.log[: done.told].tolist()
        assert audit(plan.rules, log) == "", (rules, strategies, plan.seed)
        hands = dealt(plan.rules, log)
        assert [len(hand) for hand in hands] == [13] * rules.players
        assert {card for hand in hands for card in hand} <= composition(plan.rules).keys()
        row = done.rows[0]
        seen["capped"] += int(row["capped"])
        seen["deals"] += int(row["deals"]) > 1
        seen["instant"] += int(row["instant_wins"]) > 0
        # Over with two seats or more that hold cards, and none out: all were stuck, or it was void.
        played = [event[1] for event in log[-9:] if event[0] == k.EVENT_OUT]
        seen["stuck or void"] += not played and not row["capped"] and not row["instant_wins"]
    assert len(seen) == 4 and min(seen.values()) > 5, seen


@pytest.mark.parametrize("preset", GAME.presets)
@pytest.mark.parametrize("strategy", [one.name for one in DECISIONS[0].strategies])
def test_presets_keep_their_cards(preset: str, strategy: str) -> None:
    text = "endgame:nodes=200" if strategy == "endgame" else strategy
    plan = make_plan("thirteen", preset=preset, everywhere=text, seed=4)
    for index in range(10):
        done = play_told(plan, index)
        assert audit(plan.rules, done.log[: done.told].tolist()) == ""


def test_hands_dealt_are_those_of_the_worked_deal() -> None:
    """docs/randomness.md: seed 7, deal 3."""
    hands = [{card_name(card) for card in hand} for hand in dealt(*told(3, seed=7))]
    assert len(set().union(*hands)) == 52
    for hand, two in zip(hands, ("4D 7H", "8D AD", "QS 8H", "10H 2H"), strict=True):
        assert set(two.split()) <= hand


# Logs that were tampered with


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("code", [k.EVENT_DEAL, k.EVENT_OUT, k.EVENT_GAME_END])
def test_a_missing_event_is_noticed(way: dict[str, Any], code: int) -> None:
    for index in range(5):
        rules, log = told(index, **way)
        for j in at(log, code):
            assert audit(rules, log[:j] + log[j + 1 :]), log[j]


def test_a_missing_play_is_noticed() -> None:
    """Of everybody who goes out; where cards left are paid, of everybody."""
    for index in range(5):
        rules, log = told(index)
        out = {log[j][1] for j in at(log, k.EVENT_OUT)}
        for j in at(log, k.EVENT_PLAY):
            if log[j][1] in out:
                assert audit(rules, log[:j] + log[j + 1 :]), j
        rules, log = told(index, score="cards")
        for j in at(log, k.EVENT_PLAY):
            assert audit(rules, log[:j] + log[j + 1 :])


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_an_event_told_twice_is_noticed(way: dict[str, Any]) -> None:
    """But for a pass, which moves no card."""
    rules, log = told(1, **way)
    for j, event in enumerate(log):
        if event[0] != k.EVENT_PASS:
            assert audit(rules, log[: j + 1] + log[j:]), event


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_play_of_cards_that_the_hand_does_not_hold_is_noticed(way: dict[str, Any]) -> None:
    rules, log = told(2, **way)
    hands = list(log[0][3 : 3 + rules.players])
    for j, event in enumerate(log[: at(log, k.EVENT_GAME_END)[0]]):
        if event[0] == k.EVENT_PLAY:
            for card in range(53):
                if not hands[event[1]] >> card & 1:
                    said = audit(rules, changed(log, j, 2, event[2] | 1 << card))
                    assert said.startswith(f"event {j}: seat {event[1]} plays "), card
            assert audit(rules, changed(log, j, 2, 0))
            hands[event[1]] &= ~event[2]


def test_plays_of_two_seats_swapped_are_noticed() -> None:
    rules, log = told(0)
    plays = at(log, k.EVENT_PLAY)
    for a, b in zip(plays, plays[1:], strict=False):
        if log[a][1] != log[b][1]:
            assert audit(rules, changed(changed(log, a, 2, log[b][2]), b, 2, log[a][2]))


def test_hands_must_part_the_deck() -> None:
    rules, log = told(0)
    lowest = [hand & -hand for hand in log[0][3:7]]
    both = changed(log, 0, 3, log[0][3] ^ lowest[0] ^ lowest[1])
    assert audit(rules, both) == "event 0: a card is in two hands."
    fewer = changed(log, 0, 3, log[0][3] ^ lowest[0])
    assert audit(rules, fewer) == "event 0: not all hands are of 13 cards."
    assert audit(rules, changed(log, 0, 3, log[0][3] ^ lowest[0] | 1 << 52))
    # One hand's lowest card for another's: each is in one place, until it is played.
    swapped = changed(both, 0, 4, log[0][4] ^ lowest[0] ^ lowest[1])
    assert "which its hand doesn't hold" in audit(rules, swapped)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_places_and_points_must_be_those_of_the_cards(way: dict[str, Any]) -> None:
    rules, log = told(3, **way)
    for j in at(log, k.EVENT_GAME_END):
        for seat in range(rules.players):
            for field in (3 + seat, 3 + k.MAX_SEATS + seat):
                assert audit(rules, changed(log, j, field, log[j][field] + 1))
    for j in at(log, k.EVENT_OUT):
        assert audit(rules, changed(log, j, 2, log[j][2] + 1))


def test_no_events_are_no_game() -> None:
    assert audit(told(0)[0], [])
