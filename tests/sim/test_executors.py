"""Any executor, without a cluster: what travels, what comes back, how much waits."""

from __future__ import annotations

import errno
import os
import random
import threading
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from clusters import (
    BAD_BOT,
    assert_same_folders,
)
from runs import assert_same_rows, files

import simcards
from simcards.sim import remote
from simcards.sim.plan import Plan, chunks_between, cut, make_plan
from simcards.sim.workers import Elsewhere, Task


def test_a_worker_that_comes_back_too_late_writes_nothing(tmp_path: Path) -> None:
    """It was taken for dead; meanwhile the run is over, and another lies in its folder."""
    from simcards.sim.manifest import read_manifest

    out = tmp_path / "run"
    simcards.run("aces", 200, seed=1, chunk_size=100, out=out)
    before = files(out)
    word = {"folder": str(out), "word": "of the run before"}
    task = task_of(read_manifest(out).plan, 0, 100, rows=True, kept=True, **word)
    answer = remote.play(task)
    assert list(answer["files"]) == ["rows-000000000000000-000000000000100.parquet"]
    assert answer["error"] is None
    assert files(out) == before


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_worker_that_may_only_read_the_folder_sends_its_rows(
    tmp_path: Path, monkeypatch: Any, number: int
) -> None:
    def refused(path: Path, *rest: Any) -> None:
        raise OSError(number, os.strerror(number), str(path))

    simcards.run("aces", 1000, seed=1, chunk_size=100, out=tmp_path / "threads")
    monkeypatch.setattr(remote, "write_whole", refused)
    with ThreadPoolExecutor(2) as pool:
        simcards.run("aces", 1000, seed=1, chunk_size=100, out=tmp_path / "run", executor=pool)
    assert_same_folders(tmp_path / "run", tmp_path / "threads")


def test_rows_that_travel_come_in_pieces(tmp_path: Path, monkeypatch: Any) -> None:
    """A task's answer ends when it is large enough; the rest of the task is handed out again."""
    from simcards.sim import workers

    monkeypatch.setattr(remote, "PIECE", 2000)
    answers = []
    play = remote.play

    def watched(task: Any) -> Any:
        answers.append(play(task))
        return answers[-1]

    monkeypatch.setattr(remote, "play", watched)
    monkeypatch.setattr(workers.Elsewhere, "slots", 1)
    with ThreadPoolExecutor(1) as pool:
        ours = simcards.run("aces", 2000, seed=1, chunk_size=50, executor=pool, rows=True)
    assert_same_rows(ours.rows, simcards.run("aces", 2000, seed=1, rows=True).rows)
    assert [len(answer["files"]) for answer in answers] == [1] * 40
    assert all(len(data) > 2000 for answer in answers for data in answer["files"].values())


def test_what_is_handed_out_doesn_t_grow_with_n() -> None:
    """Two tasks a worker at most, whatever order they come back in."""
    choose = random.Random(1)
    given: list[Any] = []
    most = 0

    class Anyhow(Executor):
        def submit(self, function: Any, /, *words: Any, **named: Any) -> Future[Any]:
            nonlocal most
            future: Future[Any] = Future()
            given.append((future, function, words))
            most = max(most, len(given))
            return future

    def work() -> None:
        while not done.is_set():
            time.sleep(0.0001)  # so that there is time to hand out more
            if given:
                future, function, words = given.pop(choose.randrange(len(given)))
                future.set_result(function(*words))

    done = threading.Event()
    thread = threading.Thread(target=work)
    thread.start()
    try:
        found = simcards.run("aces", 30_000, seed=1, chunk_size=20, threads=3, executor=Anyhow())
    finally:
        done.set()
        thread.join()
    assert 3 <= most <= 6
    assert found.counts == simcards.run("aces", 30_000, seed=1).counts


def test_what_waits_beyond_a_gap_is_put_together() -> None:
    """So it doesn't grow while one worker is slow, or taken for dead."""
    from simcards.sim.prefix import Prefix

    seen = []

    def rule(total: int) -> bool:
        seen.append(total)
        return False

    numbers = list(range(1, 200))
    random.Random(2).shuffle(numbers)
    for looks, most in ((frozenset[int](), 1), (frozenset({50, 120}), 3)):
        prefix = Prefix(0, 0, looks, rule, counts=0)
        for at in numbers:
            prefix.add(at, at + 1, 1, None)
        assert len(prefix.waiting) == len(prefix.ends) == most
        assert prefix.at == 0
        prefix.add(0, 1, 1, None)
        assert (prefix.at, prefix.counts) == (200, 200)
        assert not prefix.waiting and not prefix.ends
    assert seen == [50, 120]


def test_a_clock_that_is_set_back_breaks_neither_limit_nor_rate() -> None:
    from simcards.sim.plan import make_plan
    from simcards.sim.run import execute

    ticks = iter([1000.0, 1000.5, 400.0, 401.0, 402.0, -5.0, -4.5, *range(0, 10**6)])
    rates = []
    outcome = execute(
        make_plan("aces", seed=1),
        first=0,
        n=10**12,
        chunk_size=10,
        threads=1,
        time_limit=3,
        clock=lambda: float(next(ticks)),
        on_progress=lambda progress: rates.append(progress.rate),
    )
    assert (outcome.status, outcome.stop_reason) == ("partial", "time limit")
    assert outcome.error is None and 3 <= outcome.seconds < 10
    assert rates and all(0 <= rate < 1e9 for rate in rates)


class Never(Executor):
    """Is given nothing in these tests."""


def elsewhere(slots: int, game_seconds: float, size: int = 10_000) -> Elsewhere:
    """Workers of which a game is known to take so long."""
    plan = make_plan("aces", seed=1)
    made = Elsewhere(
        plan,
        Never(),
        slots,
        first=0,
        size=size,
        keeps_rows=False,
        keeps_frames=False,
        store=None,
    )
    made._game_seconds = game_seconds
    return made


def test_tasks_follow_one_another_and_begin_where_a_run_may_end() -> None:
    choose = random.Random(4)
    for _ in range(200):
        first, n, size = choose.randrange(1000), choose.randrange(1, 5000), choose.randrange(1, 90)
        looks = choose.sample(range(1, n + 1), min(n, choose.randrange(4)))
        begun = [first + at for at in sorted(choose.sample(range(n + 1), min(n, 4) // 2 * 2))]
        done = list(zip(begun[::2], begun[1::2], strict=True))
        chunks = list(cut(first, n, size, looks, done))
        breaks = {first + look for look in looks}
        workers = elsewhere(choose.randrange(1, 9), choose.choice([0.0, 1e-6, 1e-3, 1.0]))
        tasks = list(workers.tasks(iter(chunks), len(chunks), breaks))
        for task in tasks:
            assert not breaks & set(range(task.start + 1, task.stop))
        # A worker cuts a task into the very chunks it was made of.
        whole = [(task.start, task.stop, first, size) for task in tasks]
        assert [ends for words in whole for ends in chunks_between(*words)] == chunks


@pytest.mark.parametrize(("slots", "seconds"), [(1, 2.0), (50, 2.0), (1000, 4.0)])
def test_a_task_takes_some_seconds(slots: int, seconds: float) -> None:
    """More of them where many workers would keep the client busy with short ones."""
    workers = elsewhere(slots, 1e-6)
    chunks = iter(cut(0, 10**12, 16_384))
    task = next(iter(workers.tasks(chunks, 10**8, ())))
    taken = (task.stop - task.start) * 1e-6
    assert 0.9 * seconds < taken <= seconds


def test_how_long_tasks_are_is_learnt_from_those_that_are_through() -> None:
    workers = elsewhere(1, 1.0)  # declared a million times too slow
    tasks = workers.tasks(iter(cut(0, 10**9, 10_000)), 10**5, ())
    assert length(next(tasks)) == 10_000
    plan = make_plan("aces", seed=1)
    for _ in range(60):
        future: Future[Any] = Future()
        future.set_result(remote.play(task_of(plan, 0, 500)))
        workers.answer(Task(0, 500), future)
    assert length(next(tasks)) > 100_000


def length(task: Task) -> int:
    return task.stop - task.start


def task_of(plan: Plan, start: int, stop: int, **more: Any) -> dict[str, Any]:
    task = {
        "versions": remote.versions_here(),
        "played": remote.describe(plan),
        "start": start,
        "stop": stop,
        "first": 0,
        "size": 1000,
        "rows": False,
        "kept": False,
        "metadata": {},
        "folder": "",
        "word": "",
        "seconds": 60.0,
    }
    return {**task, **more}


def test_the_first_tasks_are_short() -> None:
    """Nobody knows how long a game of users' strategies takes."""
    workers = elsewhere(2, 0.0)
    tasks = workers.tasks(iter(cut(0, 10**9, 10_000)), 10**5, ())
    assert [length(next(tasks)) for _ in range(5)] == [10_000] * 5


def test_a_task_that_takes_too_long_is_left_at_the_next_chunk() -> None:
    plan = make_plan("aces", seed=1)
    answer = remote.play(task_of(plan, 0, 30, size=10, seconds=0.0))
    assert (answer["stop"], answer["counts"]["games"]) == (10, 10)
    workers = elsewhere(1, 1.0)
    future: Future[Any] = Future()
    future.set_result(answer)
    assert workers.answer(Task(0, 30), future).left == [Task(10, 30)]


def test_a_rows_file_that_is_too_late_gets_no_name(tmp_path: Path, monkeypatch: Any) -> None:
    """The run may be over when its data are on the disk."""
    (tmp_path / "rows").mkdir()
    (tmp_path / ".shared").write_text("word")
    asked = iter([True, False])
    monkeypatch.setattr(remote, "_is_shared", lambda folder, word: next(asked))
    plan = make_plan("aces", seed=1)
    task = task_of(plan, 0, 10, rows=True, kept=True, folder=str(tmp_path), word="word")
    answer = remote.play(task)
    assert answer["error"] is None
    assert list((tmp_path / "rows").iterdir()) == []
    # If the run isn't over, and only that look has failed, the client writes it.
    assert list(answer["files"]) == ["rows-000000000000000-000000000000010.parquet"]


@pytest.mark.parametrize("seed", range(6))
def test_the_first_game_that_fails_is_told_wherever_rows_travel(
    seed: int, bot: str, monkeypatch: Any
) -> None:
    """Although what came before it was left for another task."""
    bad = Path(bot).with_name("bad.py")
    bad.write_text(BAD_BOT.replace("4000 ==", "100_000 =="))
    monkeypatch.setattr(remote, "PIECE", 1)
    how = {"strategies": {0: str(bad)}, "seed": seed, "rows": True}
    told = []
    with ThreadPoolExecutor(3) as pool:
        for more in ({}, {"executor": pool}):
            with pytest.raises(simcards.StrategyError) as caught:
                simcards.run("aces", 20_000, chunk_size=50, threads=3, **how, **more)
            told.append((caught.value.index, caught.value.seat))
    assert told[0] == told[1] and told[0][0] > 50


def test_what_fails_beyond_the_last_game_that_counts_is_not_told(
    bot: str, monkeypatch: Any
) -> None:
    """Executors play further ahead than threads do: here the failing game is answered first."""
    bad = Path(bot).with_name("bad.py")
    bad.write_text(BAD_BOT.replace("4000 ==", "600_000 =="))
    how = {"strategies": {0: str(bad)}, "precision": 0.03, "chunk_size": 500, "n": 100_000}
    alone = simcards.run("aces", seed=7, **how, threads=1)
    with pytest.raises(simcards.StrategyError) as failed:
        simcards.run("aces", seed=7, **{**how, "precision": 0.0001}, threads=1)
    at = failed.value.index
    assert 0 < at - alone.summary.completed < 20_000

    class Backwards(Executor):
        """Plays all up to a game, and tells the last task first."""

        def __init__(self) -> None:
            self.kept: list[Any] = []

        def submit(self, function: Any, /, *words: Any, **named: Any) -> Future[Any]:
            future: Future[Any] = Future()
            self.kept.append((future, function(*words)))
            if words[1]["task"]["stop"] > at:
                for one, answer in reversed(self.kept):
                    one.set_result(answer)
                self.kept.clear()
            return future

    ours = simcards.run("aces", seed=7, **how, threads=500, executor=Backwards())
    assert ours.counts == alone.counts
    assert ours.summary.stop_reason == "precision"


@pytest.mark.parametrize("executor", [42, True, ["tcp://x"], b"local", ThreadPoolExecutor])
def test_what_isn_t_an_executor_is_refused(executor: Any, tmp_path: Path) -> None:
    with pytest.raises(simcards.RequestError, match="executor="):
        simcards.run("aces", 10, executor=executor, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_scheduler_that_is_gone_is_told_once() -> None:
    """Its error is a RuntimeError too, as is that of an executor that was shut down."""

    class Gone(Executor):
        def submit(self, function: Any, /, *words: Any, **named: Any) -> Future[Any]:
            raise simcards.RunError("the scheduler is gone.")

    with pytest.raises(simcards.RunError) as caught:
        simcards.run("aces", 10, executor=Gone())
    assert str(caught.value) == "the scheduler is gone."


def test_an_executor_that_was_shut_down_ends_a_run(tmp_path: Path) -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(simcards.RunError, match="takes nothing to play any more"):
        simcards.run("aces", 10, executor=pool)


class Dying(Executor):
    """Its workers die of certain games, or of too many tasks at once, and some tasks with them."""

    def __init__(self, deadly: range, most: int, seed: int) -> None:
        self.deadly, self.most = deadly, most
        self.choose = random.Random(seed)
        self.given: list[Any] = []
        self.alone: list[int] = []
        """Starts of the tasks that had nothing beside them, after a first death."""
        self.died: list[int] = []
        """How many tasks there were at each death."""

    def submit(self, function: Any, /, *words: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.given.append((future, function, words))
        return future

    def work(self) -> None:
        """Play one of those that were given, or die of it."""
        task = self.choose.choice(self.given)
        future, function, words = task
        told = words[1]["task"]
        together = len(self.given)
        if self.died and together == 1:
            self.alone.append(told["start"])
        is_deadly = told["start"] < self.deadly.stop and told["stop"] > self.deadly.start
        if is_deadly or together > self.most:
            self.died.append(together)
            lost = [one for one in self.given if one is task or self.choose.random() < 0.5]
            self.given = [one for one in self.given if one not in lost]
            self.choose.shuffle(lost)
            for one, _, _ in lost:
                one.set_exception(Died())
        else:
            self.given.remove(task)
            future.set_result(function(*words))


class Died(Exception):
    """As Dask says when it gives up a task."""


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["a chunk", "too many"])
def test_what_ends_its_workers_is_told_from_what_was_beside_it(
    kind: str, seed: int, tmp_path: Path, monkeypatch: Any
) -> None:
    from simcards.sim import run as running
    from simcards.sim import workers

    monkeypatch.setattr(workers, "killed", lambda error: isinstance(error, Died))
    # Chunks are told apart although a task is of several.
    monkeypatch.setattr(Elsewhere, "_task_seconds", 0.01)
    at = 100 * random.Random(seed).randrange(20, 180)
    is_chunk = kind == "a chunk"
    pool = Dying(range(at, at + 100) if is_chunk else range(0), 99 if is_chunk else 5, seed)
    out = tmp_path / "run"
    how = {"n": 20_000, "seed": seed, "chunk_size": 100}
    wait = running._wait

    def work(finished: Any) -> Any:
        pool.work()  # when all that may be is handed out
        return wait(finished)

    monkeypatch.setattr(running, "_wait", work)
    if is_chunk:
        with pytest.raises(simcards.RunError, match=f"played matches {at} to {at + 99} died"):
            simcards.run("aces", **how, threads=3, executor=pool, out=out)
    else:
        simcards.run("aces", **how, threads=3, executor=pool, out=out)
    monkeypatch.setattr(running, "_wait", wait)
    assert pool.died[0] > 1
    kept = simcards.load(out)
    assert kept.summary.completed == (at if is_chunk else 20_000)
    if is_chunk:
        assert (pool.alone[-1], pool.died[-1]) == (at, 1)
    whole = simcards.run("aces", **how, rows=True)
    assert_same_rows(kept.rows, whole.rows.head(kept.summary.completed))
    assert_same_rows(simcards.resume(out).rows, whole.rows)


def test_few_games_are_shared_by_all() -> None:
    workers = elsewhere(4, 1e-6)
    chunks = list(cut(0, 64 * 1000, 1000))
    assert len(list(workers.tasks(iter(chunks), len(chunks), ()))) == 16
