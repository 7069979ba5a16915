"""Tasks that come back in any order, in pieces or not at all, and runs that are stopped, damaged
and gone on with: in the end every file is as threads write it."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest
from clusters import assert_same_folders
from runs import manifest

import simcards
from simcards.sim import remote, workers
from simcards.sim.store import Store


class Died(Exception):
    """What a task of this executor raises when its workers have died."""


class Anyhow(Executor):
    """Plays what it was given in any order; some tasks of several chunks kill their worker."""

    def __init__(self, choose: random.Random) -> None:
        self._choose = choose
        self._kills = choose.choice([0, 0.3, 1])
        self._given: list[tuple[Future[Any], Any, Any]] = []
        self._is_over = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def submit(self, function: Any, /, *words: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._given.append((future, function, words))
        return future

    def _work(self) -> None:
        while not self._is_over:
            if not self._given:
                time.sleep(0.0005)
                continue
            at = self._choose.randrange(len(self._given))
            future, function, words = self._given.pop(at)
            if not future.set_running_or_notify_cancel():
                continue
            task = words[1]["task"]
            is_many = task["stop"] - task["start"] > task["size"]
            if is_many and self._choose.random() < self._kills:
                if self._choose.random() < 0.5:
                    remote.play(task)  # it had written some of its rows
                future.set_exception(Died())
            else:
                future.set_result(function(*words))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._is_over = True
        self._thread.join()


def damage(folder: Path, choose: random.Random) -> None:
    """Lose a line of the journal, the end of its last one, or a file of rows; or nothing."""
    path = folder / "chunks.jsonl"
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    kind = choose.choice(["nothing", "line", "end", "rows"])
    if not lines or kind == "nothing":
        return
    if kind == "line":
        lines.pop(choose.randrange(len(lines)))
    if kind == "end":
        lines[-1] = lines[-1][: -choose.randrange(1, 30)]
    path.write_bytes(b"".join(lines))
    if kind == "rows":
        choose.choice(sorted((folder / "rows").iterdir())).write_bytes(b"x")


@pytest.mark.parametrize("case", range(16))
def test_every_file_is_as_threads_write_it(case: int, tmp_path: Path, monkeypatch: Any) -> None:
    choose = random.Random(case)
    monkeypatch.setattr(workers, "killed", lambda error: isinstance(error, Died))
    monkeypatch.setattr(remote, "PIECE", choose.choice([1, 1500, 10**9]))
    monkeypatch.setattr(workers, "TASK_SECONDS", choose.choice([0.0005, 0.002, 2.0]))
    if choose.random() < 0.5:  # the folder isn't seen by the workers
        share = Store.share
        monkeypatch.setattr(Store, "share", lambda self: share(self) + "of another folder")
    n = choose.randrange(1, 4000)
    more = n + choose.choice([0, 0, 5, 1500])
    request: dict[str, Any] = {
        "seed": case,
        "first": choose.choice([0, 7, 12_345]),
        "chunk_size": choose.choice([17, 64, 100, 333]),
        "precision": choose.choice([None, None, 0.04, 0.03]),
    }

    def how() -> dict[str, Any]:
        return {
            "threads": choose.randrange(1, 4),
            "time_limit": choose.choice([0.003, 0.01, 0.03, None]),
        }

    theirs, ours = tmp_path / "threads", tmp_path / "anyhow"
    simcards.run("aces", n, out=theirs, threads=1, **request)
    with Anyhow(choose) as executor:
        simcards.run("aces", n, out=ours, executor=executor, **request, **how())
        for _ in range(200):
            if manifest(ours)["status"] == "complete":
                break
            damage(ours, choose)
            simcards.resume(ours, executor=choose.choice([executor, None]), **how())
        if more > n:
            simcards.resume(theirs, more, threads=2)
            simcards.resume(ours, more, threads=2, executor=executor)
    found, known = simcards.load(ours), simcards.load(theirs)
    assert found.summary.status == "complete"
    assert found.counts == known.counts
    assert_same_folders(ours, theirs)
