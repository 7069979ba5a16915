"""thirteen with the compiler off: the same rows."""

from __future__ import annotations

import json
import random
from typing import Any

from games.thirteen_cases import STRATEGIES, random_rules

import simcards
from simcards.sim.games.thirteen import Rules
from simcards.sim.options import as_dict

# Warnings are errors in these processes: a sum or product that wraps would warn.
UNCOMPILED = {"NUMBA_DISABLE_JIT": "1"}

PLAY = """
import json, sys
import simcards
from simcards.kernels import thirteen

assert not hasattr(thirteen.play, "py_func")
found = []
for case in json.load(sys.stdin):
    rows = simcards.run("thirteen", **case, rows=True, threads=1).rows
    found.append([rows.columns, rows.rows()])
json.dump(found, sys.stdout)
"""

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
    asked = cases()
    done = python_process("-W", "error", "-c", PLAY, env=UNCOMPILED, input=json.dumps(asked))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    statuses, bombs = set(), 0
    for case, (columns, values) in zip(asked, found, strict=True):
        rows = simcards.run("thirteen", **case, rows=True).rows
        assert rows.columns == columns
        assert rows.rows() == [tuple(row) for row in values], case
        statuses |= set(rows["status"])
        bombs += rows["bombs"].sum()
    assert statuses == {"finished", "capped"} and bombs > 0
