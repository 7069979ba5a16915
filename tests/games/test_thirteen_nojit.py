"""thirteen with the compiler off: the same rows."""

from __future__ import annotations

import random
from typing import Any

from games.nojit import rows_of_both
from games.thirteen_cases import STRATEGIES, random_rules

from simcards.sim.games.thirteen import Rules
from simcards.sim.options import as_dict

SOUTHERN = Rules(
    bomb_vs_bomb="hierarchy",
    quad_beats=2,
    bomb_after_pass="four",
    instant=("twos", "dragon", "six_pairs"),
    score="cards",
    penalties=(1, 2, 3, 4, 6),
).resolved()
HANDED_ON = Rules(finish_two="no", pass_rule="forced", seq_twos="high").resolved()
CAPPED = Rules(players=3, max_turns=20, lockout="off").resolved()


def cases() -> list[dict[str, Any]]:
    """Short runs in which every strategy plays, under rules that matter and random ones."""
    choose = random.Random(21)
    asked = [
        {"n": 1, "strategies": ["lowest", "saver", "shed", "highest"], "seed": 0},
        {"n": 1, "strategies": ["endgame:nodes=100", "lowest", "lowest", "lowest"], "seed": 2},
    ]
    chosen = [Rules().resolved(), SOUTHERN, HANDED_ON, CAPPED]
    while len(chosen) < 8:
        rules = random_rules(choose)
        if rules.target == "none":
            chosen.append(rules)
    left = list(STRATEGIES)
    for rules in chosen:
        seats = [left.pop(0) if left else choose.choice(STRATEGIES) for _ in range(rules.players)]
        asked.append(
            {
                "n": 1,
                "rules": as_dict(rules),
                "strategies": seats,
                "seed": choose.choice((0, 2**64 - 1, choose.randrange(2**64))),
                "first": choose.choice((0, 2**63 - 3, choose.randrange(2**62))),
            }
        )
    assert not left
    return asked


def test_rows_are_the_same_without_the_compiler(python_process) -> None:
    frames = rows_of_both(python_process, "thirteen", cases())
    assert {status for rows in frames for status in rows["status"]} == {"finished", "capped"}
    assert sum(rows["bombs"].sum() for rows in frames) > 0
