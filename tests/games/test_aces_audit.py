"""Every card of aces is accounted for by the events, and a card too many or too few is noticed."""

from __future__ import annotations

import random
from collections import Counter
from functools import partial

import pytest
from games import audits
from games.aces_cases import random_rules, random_strategies
from games.audits import at, changed

from simcards.kernels import aces_numbers as k
from simcards.sim.chunk import play_told, prepare_kernel
from simcards.sim.games.aces import GAME
from simcards.sim.games.aces_events import audit, composition, dealt
from simcards.sim.plan import make_plan
from simcards.sim.replay import replay_game

SCARCE = {"players": 4, "packs": 1, "complete": "natural", "match": "hand"}  # and many turns


told = partial(audits.told, "aces")


@pytest.fixture(scope="module", autouse=True)
def kernel() -> None:
    prepare_kernel(GAME)


def test_random_games_keep_their_cards() -> None:
    choose = random.Random(71)
    seen: Counter[str] = Counter()
    for _ in range(1500):
        rules = random_rules(choose)
        strategies = random_strategies(choose, rules)
        plan = make_plan("aces", rules=rules, strategies=strategies, seed=choose.randrange(2**64))
        done = play_told(plan, 0)
        log = done.log[: done.told].tolist()
        assert audit(plan.rules, log) == "", (rules, strategies, plan.seed)
        deck, first = composition(plan.rules), Counter(dealt(plan.rules, log))
        assert sum(deck.values()) == (52 + rules.jokers) * rules.pack_count
        assert all(first[card,] <= copies for card, copies in deck.items())
        assert sum(first.values()) <= sum(deck.values())
        seen["capped"] += int(done.rows[0]["capped"])
        seen["reshuffled"] += int(done.rows[0]["reshuffles"]) > 0
        seen["hands"] += int(done.rows[0]["hands"]) > 1
        seen["jokers"] += rules.jokers > 0
    assert len(seen) == 4 and min(seen.values()) > 20, seen


@pytest.mark.parametrize("preset", GAME.presets)
@pytest.mark.parametrize("players", range(1, 7))
def test_presets_keep_their_cards(preset: str, players: int) -> None:
    plan = make_plan("aces", preset=preset, players=players, seed=4)
    for index in range(20):
        done = play_told(plan, index)
        assert audit(plan.rules, done.log[: done.told].tolist()) == ""


def test_scarce_cards_in_last_turns() -> None:
    """Cards set aside can leave a seat nothing to draw."""
    choose = random.Random(7)
    for index in range(200):
        layouts = choose.choice(((10,) * 5, (8,) * 6, (9, 12, 11, 9, 9)))
        rules, log = told(
            index, players=len(layouts), packs=1, layouts=layouts, finish="last_turn",
            wild=choose.choice(("K", "none")), max_turns=40,
        )  # fmt: skip
        assert audit(rules, log) == ""


def test_cards_dealt_are_those_of_the_worked_deal() -> None:
    """docs/randomness.md: seed 7, match 3."""
    rules, log = told(3, seed=7)
    cards = [card for (card,) in dealt(rules, log)]
    assert cards[:8] == [1, 5, 9, 7, 4, 11, 5, 12]


def test_cards_dealt_come_in_the_same_order_whatever_the_strategies_are() -> None:
    for index in range(30):
        ways = [
            dealt(*told(index, strategy, match="hand", initial_discard="yes", displace="may"))
            for strategy in ("always", "never", "random+random+random")
        ]
        shortest = min(map(len, ways))
        assert shortest >= 10 and len({tuple(one[:shortest]) for one in ways}) == 1


def test_wilds_taken_up_and_second_stocks_are_not_dealt_again() -> None:
    """Of one pack no more than its cards can be turned up."""
    for index in range(50):
        rules, log = told(index, take_discard="never", match="hand", complete="natural")
        turned = Counter(dealt(rules, log))
        assert max(turned.values()) <= 4


# Logs that were tampered with


@pytest.mark.parametrize("code", [k.EVENT_DEAL, k.EVENT_DRAW, k.EVENT_DISCARD, k.EVENT_HAND_END])
def test_a_missing_event_is_noticed(code: int) -> None:
    rules, log = told(0)
    for j in at(log, code):
        assert audit(rules, log[:j] + log[j + 1 :]), j


@pytest.mark.parametrize("reshuffle", ["lazy", "eager"])
def test_a_missing_reshuffle_is_noticed(reshuffle: str) -> None:
    rules, log = told(0, **SCARCE, reshuffle=reshuffle)
    found = at(log, k.EVENT_RESHUFFLE)
    assert found
    for j in found:
        assert audit(rules, log[:j] + log[j + 1 :]), j


def test_a_missing_placement_is_noticed() -> None:
    """But for one that puts down a card and takes up its like: then no card is missing."""
    rules, log = told(0)
    missed = [j for j in at(log, k.EVENT_PLACE) if not audit(rules, log[:j] + log[j + 1 :])]
    assert all(log[j][2] == log[j][4] for j in missed)
    assert len(missed) < len(at(log, k.EVENT_PLACE)) / 20


def test_an_event_told_twice_is_noticed() -> None:
    rules, log = told(1)
    for j in range(len(log)):
        assert audit(rules, log[: j + 1] + log[j:]), log[j]


@pytest.mark.parametrize(
    "code, field", [(k.EVENT_DRAW, 3), (k.EVENT_PLACE, 2), (k.EVENT_DISCARD, 2)]
)
def test_another_card_is_noticed(code: int, field: int) -> None:
    rules, log = told(2, match="hand")
    for j in at(log, code):
        for card in range(-1, 15):
            if card != log[j][field]:
                assert audit(rules, changed(log, j, field, card)), (log[j], card)


def test_a_displaced_card_must_have_lain_there() -> None:
    """A jack that is taken up again can't come back as another card."""
    rules, log = told(0)
    noticed = 0
    up: dict[tuple[int, int], int] = {}
    for j, event in enumerate(log):
        if event[0] == k.EVENT_DEAL:
            up.clear()
        if event[0] == k.EVENT_PLACE:
            there = up.get((event[1], event[3]), -1)
            if there >= 0 and event[4] >= 0:
                # Both events say king, so that only the layout tells.
                other = changed(changed(log[: j + 2], j, 4, k.KING), j + 1, 2, k.KING)
                said = audit(rules, other)
                assert said.startswith(f"event {j}: the K is taken up") and "J lay there" in said
                noticed += 1
            up[event[1], event[3]] = event[2]
    assert noticed > 5


@pytest.mark.parametrize("less", [-1, 1])
def test_a_wrong_number_of_cards_shuffled_is_noticed(less: int) -> None:
    rules, log = told(0, **SCARCE)
    (j, *_) = at(log, k.EVENT_RESHUFFLE)
    said = audit(rules, changed(log, j, 1, log[j][1] + less))
    assert said.startswith(f"event {j}: the new stock has {log[j][1] + less} cards")


def test_a_fifth_king_is_noticed() -> None:
    rules, log = told(0, match="hand", wild="none")
    kings = [j for j in at(log, k.EVENT_DISCARD) if log[j][2] == k.KING]
    others = [j for j in at(log, k.EVENT_DISCARD) if log[j][2] == k.QUEEN]
    for j in others:  # the queen, wherever it came from, was a king
        log = changed(log, j, 2, k.KING)
        before = log[j - 1]
        log = changed(log, j - 1, 3 if before[0] == k.EVENT_DRAW else 4, k.KING)
    assert len(kings + others) > 4
    assert "one more K turns up than the deck has" in audit(rules, log)


def test_layouts_must_shrink_as_the_rules_say() -> None:
    rules, log = told(0, shrink=2)
    for j in at(log, k.EVENT_HAND_END):
        winner = log[j][1]
        assert audit(rules, changed(log, j, 3 + winner, log[j][3 + winner] + 1))
        assert audit(rules, changed(log, j, 1, 1 - winner))
    for j in at(log, k.EVENT_DEAL):
        assert audit(rules, changed(log, j, 3, log[j][3] - 1))


def test_no_events_are_no_match() -> None:
    assert audit(told(0)[0], [])


def test_sentences_name_the_event_that_a_replay_shows() -> None:
    plan = make_plan("aces", seed=11)
    events = replay_game(plan, 0).events[1:]  # without the start
    rules, log = told(0)
    j = at(log, k.EVENT_DISCARD)[3]
    said = audit(rules, changed(log, j, 2, (log[j][2] + 1) % 13))
    assert said.startswith(f"event {j}: seat {events[j]['player']} plays the ")
    assert said.endswith(f"but has the {events[j]['card']} in hand.")
