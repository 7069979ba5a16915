"""A run with a precision goal stops where its games say, and nowhere else."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from runs import assert_same_rows, files, interrupted, journal, manifest

import simcards
from simcards.analysis.results import precision_rule
from simcards.analysis.sequential import look_counts
from simcards.sim import run as run_module
from simcards.sim.chunk import play_chunk
from simcards.sim.store import Store

GOAL = 0.025
REQUEST: dict[str, Any] = {"seed": 77, "rules": {"match": "hand"}, "precision": GOAL}


@pytest.fixture(scope="module")
def direct() -> Any:
    return simcards.run("aces", rows=True, **REQUEST)


def widest(result: Any) -> float:
    return max(seat.interval.half_width for seat in result.summary.seats)


def test_it_stops_at_the_first_look_that_is_narrow_enough(direct: Any) -> None:
    looks = list(look_counts(10**6))
    n = direct.summary.completed
    assert n in looks and n > looks[3]
    assert (direct.summary.status, direct.summary.stop_reason) == ("complete", "precision")
    assert widest(direct) <= GOAL
    reached = precision_rule(GOAL, 0.95)
    for look in looks[: looks.index(n)]:
        assert not reached(simcards.run("aces", look, seed=77, rules={"match": "hand"}).counts)
    same = simcards.run("aces", n, seed=77, rules={"match": "hand"}, rows=True)
    assert_same_rows(direct.rows, same.rows)
    assert direct.counts == same.counts


@pytest.mark.parametrize("size", [37, 1000, 4096, 10**6])
@pytest.mark.parametrize("threads", [1, 2, 8])
def test_it_stops_at_the_same_game_for_any_threads_and_chunks(
    direct: Any, threads: int, size: int
) -> None:
    found = simcards.run("aces", rows=True, threads=threads, chunk_size=size, **REQUEST)
    assert found.summary.completed == direct.summary.completed
    assert found.summary.stop_reason == "precision"
    assert found.counts == direct.counts
    assert_same_rows(found.rows, direct.rows)


def test_every_seat_is_known_as_well_as_asked() -> None:
    found = simcards.run("aces", players=4, seed=3, rules={"match": "hand"}, precision=0.04)
    assert found.summary.stop_reason == "precision"
    for seat in found.summary.to_json()["seats"]:
        low, high = seat["interval"]
        assert (high - low) / 2 <= 0.04
        assert "confidence sequence" in seat["method"]


def test_a_higher_level_needs_more_games(direct: Any) -> None:
    found = simcards.run("aces", level=0.999, **REQUEST)
    assert found.summary.completed > direct.summary.completed
    assert widest(found) <= GOAL


@pytest.fixture
def stop_held_up(monkeypatch, direct: Any) -> list[tuple[int, int]]:
    """Hold up the last chunk before the stop, so that chunks after it are finished first.

    Returns the chunks that were kept, in order of time.
    """
    kept: list[tuple[int, int]] = []
    add = Store.add

    def play(plan: Any, start: int, stop: int, *rest: Any) -> Any:
        if stop == direct.summary.completed:
            time.sleep(0.5)
        return play_chunk(plan, start, stop, *rest)

    def listen(store: Store, chunks: Any) -> None:
        kept.extend((chunk.start, chunk.stop) for chunk in chunks)
        add(store, chunks)

    monkeypatch.setattr(run_module, "play_chunk", play)
    monkeypatch.setattr(Store, "add", listen)
    return kept


def test_rows_past_the_stop_are_removed(
    direct: Any, stop_held_up: list[tuple[int, int]], tmp_path: Path, cli: Any
) -> None:
    n = direct.summary.completed
    out = tmp_path / "run"
    found = simcards.run("aces", out=out, threads=3, chunk_size=100, **REQUEST)
    assert max(start for start, _ in stop_held_up) >= n  # else there was nothing to remove
    assert found.summary.completed == n
    assert max(part["stop"] for part in journal(out)) == n
    assert {path.name for path in (out / "rows").iterdir()} == {
        part["file"] for part in journal(out)
    }
    on_disk = pl.read_parquet(sorted((out / "rows").iterdir()))
    assert_same_rows(on_disk, direct.rows)
    assert_same_rows(found.rows, direct.rows)
    assert simcards.load(out).counts == direct.counts
    code, text, _ = cli("export", out, "--to", "csv")
    assert code == 0
    assert text == direct.rows.write_csv()
    told = manifest(out)
    assert (told["status"], told["stop_reason"]) == ("complete", "precision")
    assert (told["completed"], told["precision"]) == (n, GOAL)
    assert cli("verify", out)[0] == 0


def test_a_goal_that_is_out_of_reach_ends_at_n_and_says_so(tmp_path, cli) -> None:
    words = ("--precision", 0.01, "--n", "3e3", "--seed", 1, "--out", tmp_path / "run")
    code, out, _ = cli("run", "aces", *words)
    assert code == 0
    assert "All 3,000 were played: +-1 of 100 needs more." in out
    told = manifest(tmp_path / "run")
    assert (told["status"], told["stop_reason"], told["completed"]) == ("complete", "n", 3000)
    found = json.loads(cli("summary", tmp_path / "run", "--json")[1])
    assert found["precision"] == 0.01
    assert max(high - low for low, high in (seat["interval"] for seat in found["seats"])) > 0.02


def test_a_goal_reached_between_two_looks_is_not_said_to_need_more(direct: Any) -> None:
    found = simcards.run("aces", direct.summary.completed - 1, **REQUEST)
    assert found.summary.stop_reason == "n"
    assert widest(found) <= GOAL
    assert "+-2.5 of 100 is reached." in str(found)


def test_n_may_grow_after_the_ceiling_and_then_it_stops_where_it_would_have(
    direct: Any, tmp_path: Path
) -> None:
    n = direct.summary.completed
    out = tmp_path / "run"
    first = simcards.run("aces", n - 700, out=out, chunk_size=300, **REQUEST)
    assert (first.summary.completed, first.summary.stop_reason) == (n - 700, "n")
    found = simcards.resume(out, 10**6)
    assert (found.summary.completed, found.summary.stop_reason) == (n, "precision")
    assert_same_rows(found.rows, direct.rows)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("games", [1, 1500, 3000])
def test_an_interrupted_run_goes_on_to_the_same_game(
    direct: Any, tmp_path: Path, games: int, threads: int
) -> None:
    out = tmp_path / "run"
    part = interrupted(games, chunk=100, threads=threads, out=out, **REQUEST)
    assert part.summary.status == "partial"
    assert part.summary.completed < direct.summary.completed
    assert manifest(out)["status"] == "partial"
    found = simcards.resume(out, threads=4 - threads)
    assert (found.summary.status, found.summary.stop_reason) == ("complete", "precision")
    assert found.summary.completed == direct.summary.completed
    assert found.counts == direct.counts
    assert_same_rows(found.rows, direct.rows)


def test_a_stop_that_came_late_is_no_interrupt(direct: Any, tmp_path: Path, monkeypatch) -> None:
    """The process dies after the deciding chunk was kept, before chunks beyond it are removed."""
    out = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(Store, "finish", lambda *_: None)
        simcards.run("aces", out=out, chunk_size=100, threads=2, **REQUEST)
    assert manifest(out)["status"] == "running"
    found = simcards.resume(out)
    assert (found.summary.completed, found.summary.stop_reason) == (
        direct.summary.completed,
        "precision",
    )
    assert max(part["stop"] for part in journal(out)) == found.summary.completed


def test_a_complete_run_resumed_plays_nothing(direct: Any, tmp_path: Path, monkeypatch) -> None:
    out = tmp_path / "run"
    simcards.run("aces", out=out, chunk_size=1000, **REQUEST)
    before = files(out / "rows")

    def play(*arguments: Any) -> None:
        raise AssertionError("nothing is left to be played")

    monkeypatch.setattr(run_module, "play_chunk", play)
    for n in (None, 10**10):
        found = simcards.resume(out, n)
        assert (found.summary.status, found.summary.stop_reason) == ("complete", "precision")
        assert found.counts == direct.counts
    assert files(out / "rows") == before


def test_capped_games_bring_no_goal_nearer() -> None:
    rules = {"match": "hand", "max_turns": 1}
    found = simcards.run("aces", 3000, seed=1, rules=rules, precision=0.1)
    # The few hands that are finished in their first turn are all won by seat 0.
    assert 0 < found.counts.finished < 30
    assert sum(found.counts.wins) == found.counts.wins[0] == found.counts.finished
    assert (found.summary.completed, found.summary.stop_reason) == (3000, "n")
