"""aces with the compiler off: the same rows, and the table looked at after every event."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from games.aces_cases import random_rules, random_strategies
from games.nojit import UNCOMPILED, rows_of_both

from simcards.kernels.aces_numbers import (
    EVENT_DISCARD,
    EVENT_DRAW,
    EVENT_PLACE,
    EVENT_RESHUFFLE,
)
from simcards.sim.games.aces import Rules
from simcards.sim.options import as_dict

LONG = Rules(max_turns=400).resolved()
LOCKED = Rules(players=5, packs=1, match="hand", max_turns=60).resolved()


def cases(number: int) -> list[dict[str, Any]]:
    """Small runs: a few rules that matter, and random ones."""
    choose = random.Random(21)
    chosen = [LONG, LOCKED]
    while len(chosen) < number:
        rules = random_rules(choose)
        if rules.max_turns * rules.hands <= 300:
            chosen.append(rules)
    return [
        {
            "n": 3,
            "rules": as_dict(rules),
            "strategies": random_strategies(choose, rules),
            "seed": choose.choice((0, 2**64 - 1, choose.randrange(2**64))),
            "first": choose.choice((0, 2**63 - 3, choose.randrange(2**62))),
        }
        for rules in chosen
    ]


def test_rows_are_the_same_without_the_compiler(python_process) -> None:
    frames = rows_of_both(python_process, "aces", cases(14))
    assert {status for rows in frames for status in rows["status"]} == {"finished", "capped"}


WATCH = """
import json, sys
from collections import Counter
from simcards.kernels import aces_match as aces
from simcards.kernels.aces_numbers import *
from simcards.sim.plan import make_plan
from simcards.sim.replay import replay_game

seen = Counter()
aside = Counter()  # wilds that a completing pip displaced
in_hand = -1
original = {name: getattr(aces, name) for name in ("tell", "gather", "recycle", "turn_unturned")}


def open_cards(table):
    for card in table.pile[: table.n_pile]:
        yield int(card)
    for seat in range(rules.players):
        assert table.shown[seat] & table.filled[seat] == 0
        assert (table.shown[seat] | table.filled[seat]) >> table.places[seat] == 0
        for place in range(table.places[seat]):
            if table.shown[seat] >> place & 1:
                yield place
            if table.filled[seat] >> place & 1:
                yield int(table.wild_card[seat, place])


def check(table, code, first, second, third, fourth):
    global in_hand
    original["tell"](table, code, first, second, third, fourth)
    seen[code] += 1
    if code != EVENT_RESHUFFLE:  # an eager one comes while a card is in hand
        in_hand = {EVENT_DRAW: third, EVENT_PLACE: fourth}.get(code, -1)
    deck = Counter({kind: 4 * packs for kind in range(JOKER)})
    deck[JOKER] = rules.jokers * packs
    hidden = Counter(map(int, table.unturned[: table.n_unturned]))
    hidden += Counter(map(int, table.recycled[: table.n_recycled]))
    cards = hidden + Counter(open_cards(table)) + Counter([int(in_hand)] if in_hand >= 0 else [])
    missing = +deck - cards - aside
    if missing and code == EVENT_PLACE and fourth < 0:
        (wild,) = missing.elements()
        assert wild >= JACK
        aside[wild] += 1
        seen["aside"] += 1
    assert cards + aside == +deck, (code, cards, aside)
    assert hidden == +Counter(dict(enumerate(map(int, table.unseen))))
    if code == EVENT_RESHUFFLE:
        assert table.n_pile == 1 and table.stock == table.n_recycled == first
    assert 0 <= table.n_recycled <= table.stock
    down = sum(
        int(table.places[seat]) - int(table.shown[seat] | table.filled[seat]).bit_count()
        for seat in range(rules.players)
    )
    # Besides, a completed layout may cover a card that was never turned.
    assert 0 <= table.n_unturned + table.n_recycled - table.stock - down < rules.players + 1


def gather(table, rules):
    aside.clear()
    original["gather"](table, rules)


def recycle_and_lose(table):
    cards = original["recycle"](table)
    table.recycled[0] = table.recycled[cards - 1]
    return cards


def recycle_and_forget(table):
    unseen = table.unseen.copy()
    cards = original["recycle"](table)
    table.unseen[:] = unseen
    return cards


def turn_and_leave(table):
    card = original["turn_unturned"](table)
    table.unturned[table.n_unturned] = card
    table.n_unturned += 1
    return card


aces.tell, aces.gather = check, gather
if sys.argv[1] == "lost":
    aces.recycle = recycle_and_lose
if sys.argv[1] == "unseen":
    aces.recycle = recycle_and_forget
if sys.argv[1] == "doubled":
    aces.turn_unturned = turn_and_leave
for case in json.load(sys.stdin):
    asked = {name: case[name] for name in ("rules", "strategies", "seed")}
    plan = make_plan("aces", **asked)
    rules, packs = plan.rules, plan.rules.pack_count
    for index in range(case["n"]):
        replay_game(plan, index)
json.dump({str(what): number for what, number in seen.items()}, sys.stdout)
"""


@pytest.mark.parametrize("fault", ["", "lost", "doubled", "unseen"])
def test_no_card_is_lost_or_doubled_after_any_event(python_process, fault: str) -> None:
    """Not from the events, as the audit, but in the kernel's own arrays."""
    scarce = Rules(players=4, packs=1, layout=12, wild="none", match="hand", max_turns=100)
    natural = Rules(
        players=3, packs=1, layout=3, complete="natural", jokers=3, finish="last_turn", shrink=0,
        hands=4,
    )  # fmt: skip
    asked = [case | {"n": 1} for case in cases(20)[1:]] + [
        {"n": 3, "rules": as_dict(rules), "strategies": "always", "seed": 22}
        for rules in (LOCKED, scarce, natural)
    ]
    done = python_process(
        "-W", "error", "-c", WATCH, fault, env=UNCOMPILED, input=json.dumps(asked)
    )
    if fault:
        assert done.returncode == 1 and "AssertionError" in done.stderr
        return
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    for code in (EVENT_DRAW, EVENT_PLACE, EVENT_DISCARD):
        assert seen[str(code)] > 500, seen
    assert seen[str(EVENT_RESHUFFLE)] > 50 and seen["aside"] > 3, seen
