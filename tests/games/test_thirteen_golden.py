"""The rows of fixed runs of thirteen, and a match as it is told, against what is kept here."""

from __future__ import annotations

import hashlib
import struct

import pytest
from games.golden import rows_hash
from games.golden_thirteen import GOLDEN, RUNS

import simcards
from simcards.sim.games.thirteen import GAME, INSTANT


def test_the_table_is_of_this_engine() -> None:
    GOLDEN.check_table()


@pytest.mark.parametrize("name", RUNS)
def test_rows_are_the_same_as_ever(name: str) -> None:
    GOLDEN.check_rows(name)


@pytest.mark.parametrize("name", ["match", "bombs after a pass", "last deals", "endgame, four"])
def test_rows_do_not_depend_on_how_they_are_played(name: str) -> None:
    for threads, size in ((1, 1000), (2, 7), (3, 64)):
        GOLDEN.check_rows(name, threads=threads, chunk_size=size)


def test_the_runs_reach_every_option_preset_and_strategy() -> None:
    GOLDEN.check_reach()


def test_every_number_of_every_row_counts() -> None:
    GOLDEN.check_hash()


def test_the_hash_is_that_of_plain_numbers() -> None:
    """Made by hand for rows, so that another program can make it too."""
    # The first is a plain deal, the second one that was over at once.
    for index in (7, 250):
        rows = simcards.run("thirteen", 1, seed=1, first=index, rows=True).rows
        row = rows.row(0, named=True)
        assert (row["instant"] == "none") == (index == 7)
        row["status"] = ("finished", "capped").index(row["status"])
        row["instant"] = ("none", *INSTANT).index(row["instant"])
        expected = struct.pack("<qbBBiiiiiiiiiBbi4b4i", *row.values())
        assert hashlib.sha256(expected).hexdigest() == rows_hash(GAME, 4, rows)


def test_a_match_is_told_as_ever() -> None:
    GOLDEN.check_playthrough()
