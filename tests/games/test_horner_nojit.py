"""horner with the compiler off: the same rows, and the table looked at after every event."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from games.horner_cases import random_rules, random_strategies
from games.nojit import UNCOMPILED, rows_of_both

from simcards.kernels import horner_numbers as k
from simcards.sim.games.horner import Rules
from simcards.sim.options import as_dict

ROLLOUT = ["rollout:samples=1", "rollout:samples=2"]


def cases(number: int) -> list[dict[str, Any]]:
    """Small runs: a few rules that matter, and random ones."""
    choose = random.Random(22)
    chosen: list[tuple[Rules, list[str]]] = [
        (Rules(), ["eager"] * 2),
        (Rules(rounds=1, plums=4), ROLLOUT),
        (Rules(rounds=1, varieties=8, plums=13), ["no_flip", "random"]),
        (Rules(players=5, recycle="pool"), ["random"] * 5),
        (Rules(rounds=1, plums=3, recycle="pool"), ROLLOUT),
        (Rules(players=3, recycle="sync", pies="capacity"), ["eager"] * 3),
    ]
    while len(chosen) < number:
        rules = random_rules(choose)
        strategies = random_strategies(choose, rules)
        if rules.rounds < 3 and not any("rollout" in text for text in strategies):
            chosen.append((rules, strategies))
    return [
        {
            "n": 2,
            "rules": as_dict(rules),
            "strategies": strategies,
            "seed": choose.choice((0, 2**64 - 1, choose.randrange(2**64))),
            "first": choose.choice((0, 2**63 - 3, choose.randrange(2**62))),
        }
        for rules, strategies in chosen
    ]


def test_rows_are_the_same_without_the_compiler(python_process) -> None:
    frames = rows_of_both(python_process, "horner", cases(30))
    assert {status for rows in frames for status in rows["status"]} == {"finished", "capped"}
    for column in ("dead", "passes", "reshuffles", "from_discard"):
        assert sum(rows[column].sum() for rows in frames) > 0, column


WATCH = """
import json, sys
from collections import Counter
from simcards.kernels import horner, horner_piles, horner_turn
from simcards.kernels.horner_numbers import *
from simcards.kernels.horner_table import DONE
from simcards.sim.plan import make_plan
from simcards.sim.replay import replay_game

seen = Counter()
modules = (horner, horner_piles, horner_turn)
tell = horner_piles.tell
recycled = horner_turn.recycle
dead = []


def check(table, state, code, first, second, third, fourth):
    tell(table, state, code, first, second, third, fourth)
    if not state.telling:
        return
    seen[code] += 1
    if code == EVENT_DEAL:
        dead.clear()
        return
    if code == EVENT_RESHUFFLE and rules.recycle == "pool":
        return
    if code == EVENT_DEAD:
        dead.append(int(second))
    held = []
    for seat in range(rules.players):
        held += [int(card) for card in state.draw[seat, : state.n_draw[seat]]]
        held += [int(card) for card in state.pile[seat, : state.n_pile[seat]]]
    if code == EVENT_FLIP:
        held.append(int(second))
    if code == EVENT_PLACE:  # on its pie, though `need` does not say so yet
        assert state.need[second >> VARIETY_SHIFT] == second & NUMBER_MASK
        held.append(int(second))
    on_pies = []
    for variety in range(rules.varieties):
        need = int(state.need[variety])
        if need == DONE:
            need = int(numbers[state.pie[variety]])
        on_pies += [(variety << VARIETY_SHIFT) + number for number in range(need)]
    deck = [(v << VARIETY_SHIFT) + number
            for v in range(rules.varieties) for number in range(rules.plums)]
    assert sorted(held + on_pies + dead) == deck, (code, held, on_pies, dead)
    assert state.hidden == sum(state.n_draw[: rules.players])
    holders = sum(state.n_draw[s] + state.n_pile[s] > 0 for s in range(rules.players))
    waiting = code in (EVENT_FLIP, EVENT_PLACE, EVENT_PIE, EVENT_DEAD)
    assert waiting or state.holders == holders
    seen["checked"] += 1


def recycle(table, state, kernel_rules, seat):
    recycled(table, state, kernel_rules, seat)
    if sys.argv[1] == "lost" and state.n_draw[seat] > 1:
        state.draw[seat, 0] = state.draw[seat, 1]
    if sys.argv[1] == "miscounted":
        state.hidden += 1


for module in modules:
    module.tell = check
horner_turn.recycle = recycle
for case in json.load(sys.stdin):
    asked = {name: case[name] for name in ("rules", "strategies", "seed")}
    plan = make_plan("horner", **asked)
    rules = plan.rules
    capacity = rules.pies == "capacity"
    numbers = rules.pie_numbers if capacity else (rules.plums,) * rules.varieties
    for index in range(case["n"]):
        replay_game(plan, index)
json.dump({str(what): number for what, number in seen.items()}, sys.stdout)
"""


@pytest.mark.parametrize("fault", ["", "lost", "miscounted"])
def test_no_card_is_lost_or_doubled_after_any_event(python_process, fault: str) -> None:
    """Not from the events, as the referee does, but in the kernel's own piles."""
    done = python_process(
        "-W", "error", "-c", WATCH, fault, env=UNCOMPILED, input=json.dumps(cases(60))
    )
    if fault:
        assert done.returncode == 1 and "AssertionError" in done.stderr
        return
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    for code in range(k.EVENT_ROUND_END + 1):
        assert seen[str(code)] > 10, (code, seen)
    assert seen["checked"] > 5000
