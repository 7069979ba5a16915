"""A run: the same games however it is cut up, and an end that says what it is."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import random
import signal
import sys
import threading
from collections import Counter
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest
from games.aces_cases import random_rules
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import CASES, assert_same_rows, interrupted, manifest, row_hash

import simcards
from simcards.analysis.sequential import look_counts
from simcards.sim import run as run_module
from simcards.sim.chunk import play_chunk
from simcards.sim.counts import Counts, total
from simcards.sim.games.aces import GAME, Rules
from simcards.sim.numbers import LARGEST_INDEX, LARGEST_SEED
from simcards.sim.plan import LARGEST_CHUNK, Plan, chunk_size, cut, make_plan

GAMES = 400
SEED = 20_240_607


@pytest.fixture(scope="module")
def whole() -> dict[str, Any]:
    """Each case played in one piece by one thread."""
    return {
        name: simcards.run(
            "aces", GAMES, seed=SEED, threads=1, chunk_size=10 * GAMES, rows=True, **case
        )
        for name, case in CASES.items()
    }


# The same games however they are played


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("size", [1, 7, 256, 1000])
@pytest.mark.parametrize("threads", [1, 2, 8])
def test_rows_and_counts_are_the_same_for_any_threads_and_chunks(
    whole: dict[str, Any], case: str, threads: int, size: int
) -> None:
    found = simcards.run(
        "aces", GAMES, seed=SEED, threads=threads, chunk_size=size, rows=True, **CASES[case]
    )
    assert_same_rows(found.rows, whole[case].rows)
    assert found.counts == whole[case].counts


def test_the_cases_differ_and_their_games_too(whole: dict[str, Any]) -> None:
    assert len({row_hash(one.rows) for one in whole.values()}) == len(CASES)
    for one in whole.values():
        assert one.rows.drop("index").n_unique() > GAMES / 4


@pytest.mark.parametrize("case", CASES)
def test_a_run_in_pieces_is_the_run(whole: dict[str, Any], case: str) -> None:
    borders = [0, 1, 150, 151, GAMES]
    pieces = [
        simcards.run(
            "aces", stop - start, first=start, seed=SEED, chunk_size=64, rows=True, **CASES[case]
        )
        for start, stop in itertools.pairwise(borders)
    ]
    for start, piece in zip(borders, pieces, strict=False):
        assert_same_rows(piece.rows, whole[case].rows.slice(start, len(piece.rows)))
    assert total(piece.counts for piece in pieces) == whole[case].counts


@pytest.mark.parametrize("case", CASES)
def test_counts_are_the_same_without_rows(whole: dict[str, Any], case: str) -> None:
    found = simcards.run("aces", GAMES, seed=SEED, **CASES[case])
    assert found.counts == whole[case].counts
    with pytest.raises(simcards.RequestError, match="rows=True"):
        found.rows  # noqa: B018  (reading the property is what is tested)


def test_rows_of_no_games_have_all_columns(whole: dict[str, Any]) -> None:
    found = simcards.run("aces", 10**12, seed=SEED, threads=1, time_limit=1e-9, rows=True)
    none = found.rows.clear()
    assert none.schema == whole["matches"].rows.schema
    assert len(found.rows) == found.summary.completed


@pytest.mark.parametrize("case", ["random", "capped"])
def test_any_executor_plays_the_same(whole: dict[str, Any], case: str) -> None:
    with ThreadPoolExecutor(3) as pool:
        found = simcards.run(
            "aces",
            GAMES,
            seed=SEED,
            executor=pool,
            threads=3,
            chunk_size=30,
            rows=True,
            **CASES[case],
        )
        assert pool.submit(int, "7").result() == 7  # it is the caller's, so it isn't shut down
    assert_same_rows(found.rows, whole[case].rows)
    assert found.counts == whole[case].counts


def test_other_processes_play_the_same(whole: dict[str, Any]) -> None:
    # Processes are spawned, as everywhere but on Linux: a script then needs its
    # `if __name__ == "__main__":`, as pytest's own has.
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        for case in ("random", "capped"):
            found = simcards.run(
                "aces",
                GAMES,
                seed=SEED,
                executor=pool,
                threads=2,
                chunk_size=64,
                rows=True,
                **CASES[case],
            )
            assert_same_rows(found.rows, whole[case].rows)
            assert found.counts == whole[case].counts


def test_two_python_threads_can_run_at_once(whole: dict[str, Any]) -> None:
    cases = list(CASES)
    start = threading.Barrier(len(cases))
    found: dict[str, Any] = {}

    def play(case: str) -> None:
        start.wait()
        found[case] = simcards.run(
            "aces", GAMES, seed=SEED, threads=2, chunk_size=16, rows=True, **CASES[case]
        )

    threads = [threading.Thread(target=play, args=(case,)) for case in cases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for case in cases:
        assert_same_rows(found[case].rows, whole[case].rows)
        assert found[case].counts == whole[case].counts


# Replay


@pytest.mark.parametrize("case", CASES)
def test_a_replay_ends_with_the_row_of_the_run(whole: dict[str, Any], case: str) -> None:
    for index in (0, 1, 63, 64, GAMES - 1):
        told = simcards.replay("aces", seed=SEED, index=index, **CASES[case])
        assert told.row == whole[case].rows.row(index, named=True)


def test_the_last_indices_there_are_can_be_played_and_no_more() -> None:
    first = LARGEST_INDEX - 99
    found = simcards.run("aces", 100, first=first, seed=5, chunk_size=32, rows=True)
    assert found.rows["index"].to_list() == list(range(first, LARGEST_INDEX + 1))
    last = simcards.replay("aces", seed=5, index=LARGEST_INDEX)
    assert last.row == found.rows.row(99, named=True)
    assert found.summary.to_json()["first"] == first
    with pytest.raises(simcards.RequestError, match=r"indices end at 2\^63-1"):
        simcards.run("aces", 101, first=first, seed=5)


# Seeds


def opening(seed: int, index: int) -> tuple[Any, ...]:
    """All cards that the first hand of a game turns up, in order."""
    told = simcards.replay("aces", seed=seed, index=index, rules={"match": "hand"})
    return tuple(
        event["card"] if event["event"] == "draw" else event["displaced"]
        for event in told.events
        if event["event"] in ("draw", "place")
    )


def test_different_seeds_share_no_games() -> None:
    seeds = (0, 1, 2, 2**32, 2**63, LARGEST_SEED)
    openings = Counter(opening(seed, index) for seed in seeds for index in range(60))
    # A hand of less than a dozen cards can come twice by chance.
    assert not [cards for cards, times in openings.items() if times > 1 and len(cards) > 11]
    rows = [simcards.run("aces", 500, seed=seed, rows=True).rows.drop("index") for seed in seeds]
    for one, other in itertools.combinations(rows, 2):
        same = sum(a == b for a, b in zip(one.rows(), other.rows(), strict=True))
        assert same < 10
        assert len(set(one.rows()) & set(other.rows())) < 10  # nor the same games shifted


@pytest.mark.parametrize("seed", [0, 1, 2**53 + 1, LARGEST_SEED - 1, LARGEST_SEED])
def test_every_seed_works_and_is_told_exactly(tmp_path, cli, seed: int) -> None:
    found = simcards.run("aces", 20, seed=seed, out=tmp_path / "api")
    assert found.summary.to_json()["seed"] == seed
    assert manifest(tmp_path / "api")["seed"] == seed
    code, out, _ = cli("run", "aces", "--n", 20, "--seed", seed, "--out", tmp_path / "a", "--json")
    assert code == 0
    assert json.loads(out)["seed"] == seed
    assert f"--seed {seed}" in json.loads(out)["command"]
    assert manifest(tmp_path / "a")["seed"] == seed
    assert_same_rows(simcards.load(tmp_path / "a").rows, found.rows)


def test_a_drawn_seed_is_short_and_plays_the_same_again() -> None:
    first, second = (simcards.run("aces", 50, rows=True) for _ in range(2))
    seed = first.summary.plan.seed
    assert 0 <= seed < 10**9
    assert seed != second.summary.plan.seed
    assert_same_rows(first.rows, simcards.run("aces", 50, seed=seed, rows=True).rows)


# Counts


@pytest.mark.parametrize("case", CASES)
def test_every_game_is_in_exactly_one_column(whole: dict[str, Any], case: str) -> None:
    counts, rows = whole[case].counts, whole[case].rows
    by_number = Counter()
    for seat in counts.shared:
        by_number.update(seat)
    assert all(times % k == 0 for k, times in by_number.items())
    shared = sum(times // k for k, times in by_number.items())
    assert sum(counts.wins) + shared + counts.nobody + counts.capped == counts.games == GAMES
    assert counts.finished + counts.capped == counts.games
    assert sum(counts.score60) == 60 * (counts.finished - counts.nobody)
    # The same, from the rows.
    finished = rows.filter(rows["status"] == "finished")
    assert counts.finished == len(finished)
    assert shared == (finished["winner"] == -2).sum()
    assert counts.nobody == (finished["winner"] == -1).sum()
    assert list(counts.wins) == [
        (finished["winner"] == seat).sum() for seat in range(len(counts.wins))
    ]
    assert (rows.filter(rows["status"] == "capped")["winners"] == 0).all()
    for name, histogram in counts.lengths.items():
        assert dict(Counter(finished[name].to_list())) == histogram


def test_the_cases_reach_shared_and_capped_games(whole: dict[str, Any]) -> None:
    assert any(whole["shared"].counts.shared)
    assert whole["shared"].counts.capped == 0
    assert 0 < whole["capped"].counts.capped < GAMES
    both = whole["shared and capped"].counts
    assert both.capped and both.finished and {2, 3} & {k for one in both.shared for k in one}


def chunk_counts(case: str, pieces: int) -> list[Counts]:
    plan = make_plan("aces", seed=SEED, **CASES[case])
    found = []
    for start, stop in cut(0, GAMES, GAMES // pieces):
        chunk = play_chunk(plan, start, stop, False)
        assert chunk is not None
        found.append(chunk.counts)
    return found


@pytest.mark.parametrize("case", CASES)
def test_counts_add_up_in_any_order(whole: dict[str, Any], case: str) -> None:
    parts = chunk_counts(case, 8)
    choose = random.Random(3)
    for _ in range(5):
        choose.shuffle(parts)
        assert total(parts) == whole[case].counts
    a, b, c, *_ = parts
    assert (a + b) + c == a + (b + c)
    assert Counts() + a == a + Counts() == a
    assert total([]) == Counts()


@pytest.mark.parametrize("case", CASES)
def test_counts_go_through_json_unchanged(whole: dict[str, Any], case: str) -> None:
    counts = whole[case].counts
    text = json.dumps(counts.to_json(), allow_nan=False)
    again = Counts.from_json(json.loads(text))
    assert again == counts
    assert again + counts == counts + counts
    assert Counts.from_json(json.loads(json.dumps(Counts().to_json()))) == Counts()


# Chunks


@given(
    first=st.integers(0, 2**62),
    n=st.integers(1, 300),
    size=st.integers(1, 400),
    looks=st.sets(st.integers(1, 400), max_size=12),
    borders=st.sets(st.integers(0, 300), max_size=12),
)
@settings(deadline=None, max_examples=300)
def test_chunks_and_what_is_done_are_all_games_once(
    first: int, n: int, size: int, looks: set[int], borders: set[int]
) -> None:
    ends = sorted(border for border in borders if border <= n)
    done = [(first + a, first + b) for a, b in zip(ends[::2], ends[1::2], strict=False)]
    chunks = list(cut(first, n, size, looks, done))
    assert chunks == sorted(chunks)
    games = [index for start, stop in [*chunks, *done] for index in range(start, stop)]
    assert sorted(games) == list(range(first, first + n))
    for start, stop in chunks:
        assert 0 < stop - start <= size
        inner = range(start - first + 1, stop - first)
        assert not looks & set(inner)
        assert not any(count % size == 0 for count in inner)


def test_chunks_are_cut_one_at_a_time() -> None:
    looks = tuple(look_counts(10**15))
    assert next(iter(cut(0, 10**15, 1, looks))) == (0, 1)
    found = simcards.run("aces", 10**15, seed=1, chunk_size=1, time_limit=0.05, threads=1)
    assert found.summary.status == "partial"


def random_plans() -> list[Plan]:
    choose = random.Random(11)
    extremes = [
        Rules(),
        Rules(match="hand"),
        Rules(players=5, packs=1),
        Rules(players=5, packs=1, max_turns=1_000_000),
        Rules(shrink=0, hands=1000, complete="natural", wild_limit=1),
        Rules(players=1, layout=1, match="hand"),
    ]
    rules = [*extremes, *(random_rules(choose) for _ in range(200))]
    return [make_plan("aces", rules=one, seed=0) for one in rules]


def test_a_chunk_is_a_power_of_two_and_half_a_second_at_most() -> None:
    sizes = set()
    for plan in random_plans():
        size = chunk_size(plan)
        sizes.add(size)
        assert size & (size - 1) == 0 and 1 <= size <= LARGEST_CHUNK
        estimate = GAME.nanoseconds(plan.rules)
        assert size == 1 or size * estimate <= 0.5e9
        assert size == LARGEST_CHUNK or 2 * size * estimate > 0.1e9  # nor needlessly small
    assert len(sizes) > 5


# How a run ends


@pytest.fixture
def own_handlers() -> Any:
    """Handlers of the caller's, which a run must put back."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda *_: None) for number in numbers}
    ours = {number: signal.getsignal(number) for number in numbers}
    yield ours
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    ("number", "reason"), [(signal.SIGINT, "interrupt"), (signal.SIGTERM, "terminate")]
)
def test_a_signal_stops_a_run_with_its_result(own_handlers, number: int, reason: str) -> None:
    timer = threading.Timer(0.4, signal.raise_signal, (number,))
    timer.start()
    with pytest.raises(simcards.Interrupted) as stopped:
        simcards.run("aces", 10**10, seed=4, rules={"match": "hand"}, chunk_size=2000, rows=True)
    timer.join()
    assert {one: signal.getsignal(one) for one in own_handlers} == own_handlers
    assert stopped.value.signal == number
    assert stopped.value.exit_code == 128 + number
    result = stopped.value.result
    assert result.summary.status == "partial"
    assert result.summary.stop_reason == reason
    assert 0 < result.summary.completed < 10**10
    # What it has is an unbroken range, as a run of just so many games.
    direct = simcards.run(
        "aces", result.summary.completed, seed=4, rules={"match": "hand"}, rows=True
    )
    assert result.counts == direct.counts
    assert_same_rows(result.rows, direct.rows)


def test_handlers_are_put_back_after_any_end(own_handlers, monkeypatch) -> None:
    simcards.run("aces", 10, seed=1)
    assert {one: signal.getsignal(one) for one in own_handlers} == own_handlers

    def broken(*arguments: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(run_module, "play_chunk", broken)
    with pytest.raises(simcards.RunError):
        simcards.run("aces", 10, seed=1)
    assert {one: signal.getsignal(one) for one in own_handlers} == own_handlers


def test_only_the_unbroken_range_counts_when_a_chunk_is_missing(monkeypatch) -> None:
    def play(plan: Plan, start: int, stop: int, keep: bool, control: Any) -> Any:
        if start == 300:  # as slow as can be
            while not control[0]:
                pass
            return None
        return play_chunk(plan, start, stop, keep, control)

    monkeypatch.setattr(run_module, "play_chunk", play)
    result = interrupted(600, n=10_000, chunk=100, threads=2, seed=8, rows=True)
    assert result.summary.completed == 300
    direct = simcards.run("aces", 300, seed=8, rows=True)
    assert result.counts == direct.counts
    assert_same_rows(result.rows, direct.rows)


def test_a_time_limit_is_an_ordinary_end(cli) -> None:
    words = ("--n", "1e12", "--seed", 6, "--chunk-size", 200, "--time-limit", "0.3", "--json")
    code, out, err = cli("run", "aces", *words)
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["status"], found["stop_reason"]) == ("partial", "time limit")
    assert 0 < found["completed"] < 10**12
    direct = simcards.run("aces", found["completed"], seed=6).summary.to_json()
    assert (found["seats"], found["events"]) == (direct["seats"], direct["events"])


def test_no_time_at_all_gives_no_data_and_no_error(cli) -> None:
    code, out, _ = cli("run", "aces", "--n", "1e12", "--seed", 6, "--time-limit", "1e-9")
    assert code == 0
    assert "stopped by its time limit" in out
    code, out, _ = cli("run", "aces", "--n", "1e9", "--time-limit", "1e-9", "--json", "--seed", 1)
    assert code == 0
    for seat in json.loads(out)["seats"]:
        assert seat["win_rate"] is None or 0 <= seat["win_rate"] <= 1


class Inline(Executor):
    """Plays chunks where they are handed in, and at a given one does something else."""

    def __init__(self, at: int, instead: Any) -> None:
        self.at = at
        self.instead = instead

    def submit(self, function: Any, /, *arguments: Any, **keywords: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.at -= 1
        try:
            future.set_result(self.instead() if self.at < 0 else function(*arguments, **keywords))
        except BaseException as error:
            future.set_exception(error)
        return future


def signalled() -> None:
    """Ctrl-C in a terminal reaches the run and the executor's processes alike."""
    signal.raise_signal(signal.SIGINT)
    raise KeyboardInterrupt


def test_an_interrupt_that_reaches_the_executor_too_is_an_interrupt() -> None:
    with pytest.raises(simcards.Interrupted) as stopped:
        simcards.run("aces", 1000, seed=2, chunk_size=100, executor=Inline(3, signalled))
    assert stopped.value.result.counts == simcards.run("aces", 300, seed=2).counts


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, MemoryError, OSError])
def test_an_error_in_a_chunk_fails_the_run_and_says_so(error: type[BaseException]) -> None:
    def fail() -> None:
        raise error("of this kind")

    words = "out of memory" if error is MemoryError else "of this kind"
    with pytest.raises(simcards.RunError, match=words) as failed:
        simcards.run("aces", 1000, seed=2, chunk_size=100, executor=Inline(3, fail))
    assert isinstance(failed.value.__cause__, error)
    assert failed.value.exit_code == 1


def test_an_error_keeps_what_was_finished(tmp_path, monkeypatch) -> None:
    def play(plan: Plan, start: int, *rest: Any) -> Any:
        if start >= 300:
            raise ValueError("on purpose")
        return play_chunk(plan, start, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(run_module, "play_chunk", play)
        with pytest.raises(simcards.RunError, match=r"300 finished matches are kept.*resume"):
            simcards.run("aces", 1000, seed=2, chunk_size=100, threads=1, out=tmp_path / "a")
    assert manifest(tmp_path / "a")["status"] == "partial"
    assert manifest(tmp_path / "a")["stop_reason"] == "error"
    again = simcards.resume(tmp_path / "a")
    assert_same_rows(again.rows, simcards.run("aces", 1000, seed=2, rows=True).rows)


MEMORY = """
import resource, sys, simcards
simcards.run("aces", 1000, seed=1, rules={"match": "hand"})
simcards.run("aces", sys.argv[1], seed=1, rules={"match": "hand"})
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs the module resource")
def test_memory_does_not_grow_with_n(python_process) -> None:
    unit = 1 if sys.platform == "darwin" else 1024
    used = []
    for n in ("1e6", "1e7"):
        done = python_process("-c", MEMORY, n)
        assert done.returncode == 0, done.stderr
        used.append(int(done.stdout) * unit)
    assert used[1] - used[0] < 30e6
