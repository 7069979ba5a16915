"""The rows of fixed runs, and a game of each as it is told, against what is kept here."""

from __future__ import annotations

import pytest
from games.golden import Golden, golden

from simcards.sim.games import games

KEPT = [golden(name) for name in games()]
RUNS = [pytest.param(one, name, id=f"{one.game.name}-{name}") for one in KEPT for name in one.runs]
every_game = pytest.mark.parametrize("kept", KEPT, ids=games())


@every_game
def test_the_table_is_of_this_engine(kept: Golden) -> None:
    kept.check_table()


@pytest.mark.parametrize(("kept", "name"), RUNS)
def test_rows_are_the_same_as_ever(kept: Golden, name: str) -> None:
    kept.check_rows(name)


@every_game
@pytest.mark.parametrize(("threads", "size"), [(1, 1000), (2, 7), (3, 64)])
def test_rows_do_not_depend_on_how_they_are_played(kept: Golden, threads: int, size: int) -> None:
    for name in kept.in_pieces:
        kept.check_rows(name, threads=threads, chunk_size=size)


@every_game
def test_the_runs_reach_every_option_preset_and_strategy(kept: Golden) -> None:
    kept.check_reach()


@every_game
def test_every_number_of_every_row_counts(kept: Golden) -> None:
    kept.check_hash()


@every_game
def test_the_hash_is_that_of_plain_numbers(kept: Golden) -> None:
    kept.check_packed()


@every_game
def test_a_game_is_told_as_ever(kept: Golden) -> None:
    kept.check_playthrough()
