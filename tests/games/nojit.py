"""Runs with the compiler off, in a process of their own, to compare with compiled ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import polars as pl

import simcards

# Warnings are errors in these processes: a sum or product that wraps would warn.
UNCOMPILED = {"NUMBA_DISABLE_JIT": "1"}

PLAY = """
import json, sys
import simcards
from simcards.sim.chunk import kernel_module
from simcards.sim.games import find_game

name = sys.argv[1]
assert not hasattr(kernel_module(find_game(name)).play, "py_func")
found = []
for case in json.load(sys.stdin):
    rows = simcards.run(name, **case, rows=True, threads=1).rows
    found.append([rows.columns, rows.rows()])
json.dump(found, sys.stdout)
"""


def rows_of_both(
    python_process: Callable[..., Any], game: str, cases: Iterable[Mapping[str, Any]]
) -> list[pl.DataFrame]:
    """Play runs compiled and not; the rows must be the same. Returns them, a frame a run."""
    asked = list(cases)
    done = python_process("-W", "error", "-c", PLAY, game, env=UNCOMPILED, input=json.dumps(asked))
    assert done.returncode == 0, done.stderr
    frames = []
    for case, (columns, values) in zip(asked, json.loads(done.stdout), strict=True):
        rows = simcards.run(game, **case, rows=True).rows
        assert rows.columns == columns
        assert rows.rows() == [tuple(row) for row in values], case
        frames.append(rows)
    return frames
