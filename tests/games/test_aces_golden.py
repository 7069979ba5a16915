"""The rows of fixed runs of aces, and a match as it is told, against what is kept here."""

from __future__ import annotations

import hashlib
import json
import struct

import polars as pl
import pytest
from games.golden_aces import (
    HASHES,
    LARGEST_INDEX,
    LARGEST_SEED,
    PLAYTHROUGH,
    RUNS,
    N,
    playthrough,
    rows_hash,
    run_hash,
)

import simcards
from simcards.sim.games.aces import GAME, Rules
from simcards.sim.options import Choice, options
from simcards.sim.plan import make_plan

TABLE = json.loads(HASHES.read_text(encoding="ascii"))
RULE = (
    f"Rows of aces are not those of engine {TABLE['engine']}. If that is meant, raise `engine` in "
    "sim/games/aces.py by one and write the table anew: python tests/games/golden_aces.py"
)
TOLD_OTHERWISE = (
    "A match is told otherwise. If only the words are new, write them: python "
    "tests/games/golden_aces.py. If the game is, its `engine` must be raised too."
)


def test_the_table_is_of_this_engine() -> None:
    assert TABLE["engine"] == GAME.engine, "write the table of this engine: golden_aces.py"
    assert TABLE["n"] == N and list(TABLE["runs"]) == list(RUNS)
    assert len(set(TABLE["runs"].values())) == len(RUNS)


@pytest.mark.parametrize("name", RUNS)
def test_rows_are_the_same_as_ever(name: str) -> None:
    assert run_hash(name) == TABLE["runs"][name], RULE


@pytest.mark.parametrize("name", ["locked out", "take any", "last matches"])
def test_rows_do_not_depend_on_how_they_are_played(name: str) -> None:
    for threads, size in ((1, 1000), (2, 7), (3, 64)):
        assert run_hash(name, threads=threads, chunk_size=size) == TABLE["runs"][name]


def plans():
    for run in RUNS.values():
        asked = {key: value for key, value in run.items() if key != "first"}
        yield make_plan("aces", **asked)


def test_the_runs_reach_every_option_preset_and_strategy() -> None:
    rules = [plan.rules for plan in plans()]
    for option in options(Rules):
        values = {getattr(one, option.name) for one in rules}
        assert len(values) > 1, option.name
        if isinstance(option.kind, Choice):
            assert values == set(option.kind.words), option.name
    assert {one.players for one in rules} == set(range(1, 7))
    assert {plan.preset for plan in plans()} == set(GAME.presets)
    for j, decision in enumerate(GAME.decisions):
        numbers = {player.choices[j].number for plan in plans() for player in plan.players}
        assert numbers == {strategy.number for strategy in decision.strategies}
    assert {0, LARGEST_SEED} <= {run["seed"] for run in RUNS.values()}
    assert LARGEST_INDEX - N + 1 in {run.get("first") for run in RUNS.values()}
    assert len(RUNS) >= 40


def test_every_number_of_every_row_counts() -> None:
    """A table of hashes says nothing if the hash overlooks something."""
    rows = simcards.run("aces", 20, seed=1, rows=True).rows
    plain = rows_hash(GAME, 2, rows)
    for name in rows.columns:
        for at in (0, 19):
            values = rows[name].to_list()
            values[at] = "capped" if name == "status" else values[at] + 1
            changed = rows.with_columns(pl.Series(name, values, dtype=rows[name].dtype))
            assert rows_hash(GAME, 2, changed) != plain, name
    assert rows_hash(GAME, 2, rows[::-1]) != plain
    assert rows_hash(GAME, 2, rows.clone().rechunk()) == plain


def test_the_hash_is_that_of_plain_numbers() -> None:
    """Made by hand for a row, so that another program can make it too."""
    rows = simcards.run("aces", 1, seed=1, first=7, rows=True).rows
    row = rows.row(0, named=True)
    row["status"] = ("finished", "capped").index(row["status"])
    expected = struct.pack("<qbBBihqiqihqqbBbbhh", *row.values())
    assert hashlib.sha256(expected).hexdigest() == rows_hash(GAME, 2, rows)


def test_a_match_is_told_as_ever() -> None:
    assert playthrough() == PLAYTHROUGH.read_text(encoding="utf-8"), TOLD_OTHERWISE
