"""What the tests of clusters share: clusters that start and die, and what must be left after."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from runs import assert_same_rows, files, journal, manifest

import simcards

MARKS = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.skipif(os.name != "posix", reason="processes are killed by signals"),
]
SEED = 99
HAND = {"match": "hand"}
BOT = """
import numpy as np
from helper import wild
from simcards.kernels.aces_view import TAKE, WILD, can_place

KEPT = np.load("kept.npy")


def play(view, keep=1):
    if view.decision == WILD:
        return wild(view)
    return can_place(view, view.seat, view.card) and view.unseen[view.card] <= KEPT[keep]
"""
HELPER = """
from simcards.kernels.aces_view import face_down


def wild(view):
    for place in range(view.places[view.seat]):
        if (face_down(view, view.seat) >> place) & 1:
            return place
    return -1
"""
BAD_BOT = BOT.replace(
    "    if view.decision", "    if view.word % 4000 == 7:\n        return 99\n    if view.decision"
)


SLOW = """
import os, time
from simcards.sim import remote
play_of = getattr(remote, "not_slow", remote.play_of)  # preloads are run twice
remote.not_slow = play_of
def slow(played):
    def play(*words):
        if not os.path.exists({go!r}):
            time.sleep(0.2)
        return play_of(played)(*words)
    return play
remote.play_of = slow
"""
"""Makes workers slow until a file exists: what is to happen while they play has time to."""


@contextlib.contextmanager
def started(workers: int = 2, threads: int = 1, **options: Any) -> Iterator[Any]:
    """A cluster of processes, which simcards is then only told the address of."""
    import dask
    import distributed

    config = {
        "logging.distributed": "critical",
        # Else it would end a nanny whose worker isn't there some time after it died: it may have
        # come back and died again.
        "distributed.deploy.lost-worker-timeout": "1 hour",
    }
    with dask.config.set(config):
        found = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=threads,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            memory_limit=0,
            silence_logs=60,
            **options,
        )
        try:
            yield found
        finally:
            with contextlib.suppress(Exception):
                found.close(timeout=10)


def lines(folder: Path) -> list[bytes]:
    return sorted((folder / "chunks.jsonl").read_bytes().splitlines())


def rows_bytes(folder: Path) -> dict[str, str]:
    return {name: digest for name, (_, digest) in files(folder / "rows").items()}


def assert_same_folders(ours: Path, theirs: Path) -> None:
    """The same rows files byte for byte, the same journal but for its order, nothing besides."""
    assert rows_bytes(ours) == rows_bytes(theirs)
    assert lines(ours) == lines(theirs)
    assert set(files(ours)) == set(files(theirs))


def worker_pids(found: Any) -> list[int]:
    """Process ids of the workers that are there now."""
    import distributed

    with distributed.Client(found.scheduler_address, set_as_default=False) as client:
        return list(client.run(os.getpid).values())


def wait_until(happened: Callable[[], bool], seconds: float = 60) -> None:
    limit = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < limit, "nothing happens"
        time.sleep(0.02)


@contextlib.contextmanager
def worker(address: str, folder: Path, **env: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A worker that somebody starts by Dask's own command."""
    code = "from distributed.cli.dask_worker import main; main()"
    words = [address, "--nthreads", "1", "--no-dashboard", "--no-nanny", "--memory-limit", "0"]
    words += ["--local-directory", str(folder / "worker")]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        env={**os.environ, **{name: str(value) for name, value in env.items()}},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def other_simcards(folder: Path, kind: str) -> Path:
    """A simcards that a worker finds instead of ours."""
    package = folder / "other" / "simcards"
    (package / "sim").mkdir(parents=True)
    (package / "sim" / "__init__.py").touch()
    if kind == "none":
        (package / "__init__.py").write_text("raise ImportError('No module named simcards')")
    else:
        (package / "__init__.py").touch()
        (package / "sim" / "remote.py").write_text(
            f"from socket import gethostname\n"
            f"FOUND = {{**{simcards_versions()!r}, {kind!r}: '0.1'}}\n"
            "def versions_here(): return FOUND\n"
            "def play(task):\n"
            "    said = f'worker {gethostname()} has other versions'\n"
            "    return {'worker': '', 'error': {'kind': 'refused', 'said': said}}\n"
        )
    return folder / "other"


def simcards_versions() -> dict[str, str]:
    from simcards.sim.remote import versions_here

    return versions_here()


def assert_resumed(out: Path, n: int = 20_000, **how: Any) -> None:
    """What was stopped is true, and goes on to the rows of an undisturbed run."""
    told = manifest(out)
    assert told["status"] == "partial"
    read = simcards.load(out)
    kept = read.rows.head(500)
    assert_same_rows(kept, undisturbed(told, 500).head(len(kept)))
    assert not (out / ".shared").exists()
    with contextlib.ExitStack() as stack:
        small = stack.enter_context(smaller(out, n)) if told["n"] > n else out
        done = simcards.resume(small, **how)
        assert done.summary.status == "complete"
        assert_same_rows(done.rows.head(n), undisturbed(told, n))
        assert not list(small.rglob("*.new"))


@contextlib.contextmanager
def smaller(folder: Path, n: int) -> Iterator[Path]:
    """A copy of a run of very many games that is to end soon: games that are enough to compare."""
    from dataclasses import replace

    from simcards.sim.manifest import read_manifest, write_manifest

    copy = folder.with_name(folder.name + "-smaller")
    shutil.copytree(folder, copy)
    told = read_manifest(copy)
    size = told.chunk_size
    most = max([part["stop"] for part in journal(copy)] + [n])
    write_manifest(copy, replace(told, n=-(-most // size) * size))
    yield copy
    shutil.rmtree(copy)


def undisturbed(told: dict[str, Any], n: int) -> Any:
    rules = {"match": told["rules"]["match"]}
    return simcards.run("aces", n, seed=told["seed"], rules=rules, rows=True).rows


def start(*words: Any, group: bool = False) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "simcards", *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=group,
    )


def finished_chunks(folder: Path) -> int:
    path = folder / "chunks.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def in_background(*words: Any) -> tuple[threading.Thread, list[Any]]:
    """Play in a thread of this process; the list gets the result, or what was raised."""
    came: list[Any] = []

    def play() -> None:
        try:
            came.append(simcards.run(*words[:1], **words[1]))
        except Exception as error:
            came.append(error)

    thread = threading.Thread(target=play)
    thread.start()
    return thread, came


LONG: dict[str, Any] = {"n": 2_000_000, "seed": SEED, "rules": HAND, "chunk_size": 4000}


def assert_nothing_is_left(out: Path) -> None:
    """Every file of rows stands in the journal, once; no temporary ones, no word for workers."""
    names = [part["file"] for part in journal(out)]
    assert len(set(names)) == len(names)
    assert set(names) == {path.name for path in (out / "rows").iterdir()}
    assert not list(out.rglob("*.new")) and not (out / ".shared").exists()


@contextlib.contextmanager
def scheduler(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A scheduler of its own, with a worker, as started by Dask's commands."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = "from distributed.cli.dask_scheduler import main; main()"
    words = ["--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    address = f"tcp://127.0.0.1:{port}"
    try:
        with worker(address, folder):
            yield process, address
    finally:
        process.kill()
        process.wait()
