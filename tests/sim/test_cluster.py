"""Many machines: the rows of threads, whatever happens to workers, scheduler, client and disk."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from runs import CASES, assert_same_rows, files, journal, manifest, row_hash

import simcards
from simcards.kernels import jit
from simcards.sim import cluster as cluster_module
from simcards.sim.chunk import prepare_kernel
from simcards.sim.games.aces import GAME

distributed = pytest.importorskip("distributed")
psutil = pytest.importorskip("psutil")  # distributed needs it

pytestmark = [
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


@pytest.fixture(scope="module", autouse=True)
def kernel() -> None:
    prepare_kernel(GAME)


@contextlib.contextmanager
def started(workers: int = 2, **options: Any) -> Iterator[Any]:
    """A cluster of processes, which simcards is then only told the address of."""
    import dask

    with dask.config.set({"logging.distributed": "critical"}):
        found = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
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


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a cluster whose workers are left alone."""
    with started(local_directory=str(tmp_path_factory.mktemp("dask"))) as found:
        yield found.scheduler_address


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Any]:
    """A cluster of one test."""
    with started(local_directory=str(tmp_path / "dask")) as found:
        yield found


@pytest.fixture
def bot(tmp_path: Path) -> str:
    import numpy as np

    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "my_bot.py").write_text(BOT)
    (folder / "helper.py").write_text(HELPER)
    np.save(folder / "kept.npy", np.array([3, 1]))
    return str(folder / "my_bot.py")


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
    with distributed.Client(found.scheduler_address, set_as_default=False) as client:
        return list(client.run(os.getpid).values())


# The same games, rows and bytes


def test_rows_are_the_same_from_threads_processes_and_clusters(
    shared: str, tmp_path: Path, cli: Any
) -> None:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    request: dict[str, Any] = {"n": 6000, "seed": SEED, "chunk_size": 256}
    simcards.run("aces", **request, threads=2, out=tmp_path / "threads")
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        simcards.run("aces", **request, threads=2, executor=pool, out=tmp_path / "processes")
    simcards.run("aces", **request, executor=shared, out=tmp_path / "cluster")
    words = ("--n", 6000, "--seed", SEED, "--chunk-size", 256, "--threads", 2)
    code, _, err = cli(
        "run", "aces", *words, "--scheduler", "local", "--out", tmp_path / "local", "--quiet"
    )
    assert (code, err) == (0, "")
    names = ("threads", "processes", "cluster", "local")
    for name in names[1:]:
        assert_same_folders(tmp_path / name, tmp_path / "threads")
    hashes = {row_hash(simcards.load(tmp_path / name).rows) for name in names}
    assert len(hashes) == 1
    in_memory = simcards.run("aces", **request, executor=shared, rows=True)
    assert {row_hash(in_memory.rows)} == hashes


@pytest.mark.parametrize("case", CASES)
def test_all_kinds_of_runs_are_the_same(case: str, shared: str) -> None:
    request = {"n": 400, "seed": SEED, "chunk_size": 30, "rows": True, **CASES[case]}
    ours = simcards.run("aces", executor=shared, **request)
    theirs = simcards.run("aces", **request)
    assert_same_rows(ours.rows, theirs.rows)
    assert ours.counts == theirs.counts


def test_comparisons_sweeps_and_tournaments_are_the_same(shared: str, bot: str) -> None:
    how = {"n": 300, "seed": SEED, "chunk_size": 32}
    for play in (
        lambda **more: simcards.compare("aces", bot, "rare:copies=2", **how, **more),
        lambda **more: simcards.compare("aces", {"shrink": 1}, {"shrink": 2}, **how, **more),
        lambda **more: simcards.sweep("aces", {"shrink": [1, 2]}, **how, **more),
        lambda **more: simcards.tournament("aces", ["always", bot, "random"], **how, **more),
    ):
        ours, theirs = play(executor=shared).summary, play().summary
        told, known = ours.to_json(), theirs.to_json()
        for one in (told, known):
            for name in ("elapsed_s", "compile_s", "games_per_s", "threads"):
                del one[name]
        assert told == known


def test_the_sequential_stop_is_the_same(shared: str) -> None:
    request = {"precision": 0.02, "seed": SEED, "chunk_size": 100, "n": 100_000}
    ours, theirs = (simcards.run("aces", **request, **how) for how in ({"executor": shared}, {}))
    assert ours.summary.stop_reason == theirs.summary.stop_reason == "precision"
    assert ours.counts == theirs.counts


# Users' strategies


def test_strategies_travel_as_text(shared: str, bot: str, tmp_path: Path) -> None:
    request = {"n": 2000, "seed": SEED, "chunk_size": 100, "strategies": {0: f"{bot}:play:keep=0"}}
    simcards.run("aces", **request, out=tmp_path / "threads")
    shutil.copytree(tmp_path / "threads", tmp_path / "copy")
    simcards.run("aces", **request, executor=shared, out=tmp_path / "cluster")
    assert_same_folders(tmp_path / "cluster", tmp_path / "threads")
    shutil.rmtree(Path(bot).parent)  # a resume plays the copy, there as here
    ours = simcards.resume(tmp_path / "cluster", 3000, executor=shared)
    theirs = simcards.resume(tmp_path / "copy", 3000)
    assert_same_rows(ours.rows, theirs.rows)


def test_a_worker_that_joins_late_and_has_nothing_of_ours_plays_along(
    own: Any, bot: str, tmp_path: Path
) -> None:
    """Its own cache of compiled kernels holds no strategies; they come with the tasks."""
    folder, cache = jit.cache_folder(), tmp_path / "cache"
    assert folder is not None
    shutil.copytree(folder, cache / folder.name, ignore=shutil.ignore_patterns("bots"))
    request = {"n": 400_000, "seed": SEED, "chunk_size": 1000, "strategies": {1: bot}}
    out = tmp_path / "run"
    thread, came = in_background("aces", {**request, "executor": own.scheduler_address, "out": out})
    wait_until(lambda: finished_chunks(out) >= 1)
    with worker(own.scheduler_address, tmp_path, SIMCARDS_CACHE_DIR=cache):
        wait_until(lambda: any(cache.rglob("kept.npy")) or not thread.is_alive())
        thread.join(120)
    assert any(cache.rglob("kept.npy"))
    (result,) = came
    assert not isinstance(result, Exception), result
    assert_same_rows(result.rows, simcards.run("aces", **request, rows=True).rows)


def test_a_strategy_that_fails_is_told_in_the_same_words(
    shared: str, tmp_path: Path, cli: Any
) -> None:
    (tmp_path / "bad.py").write_text(BAD_BOT.replace("KEPT[keep]", "2").replace("KEPT =", "# "))
    (tmp_path / "helper.py").write_text(HELPER)
    for words in (
        ("run", "aces", "--strategy", f"1={tmp_path / 'bad.py'}"),
        ("compare", "aces", "--a", tmp_path / "bad.py", "--b", "always"),
    ):
        told = [
            cli(*words, "--n", 5000, "--seed", 3, "--chunk-size", 100, "--quiet", *how)
            for how in ((), ("--scheduler", shared))
        ]
        assert told[0] == told[1]
        assert told[0][0] == 1 and "answered 99" in told[0][2]


def test_a_function_of_python_s_is_refused_before_anything_is_made(
    shared: str, tmp_path: Path
) -> None:
    def mine(view: Any) -> int:
        return 0

    with pytest.raises(simcards.RequestError, match="can't travel"):
        simcards.run("aces", 10, strategies=mine, executor=shared, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


# Who may play


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
            "    return {'worker': '', 'chunks': [], 'error': {'kind': 'refused', 'said': said}}\n"
        )
    return folder / "other"


def simcards_versions() -> dict[str, str]:
    from simcards.sim.remote import versions_here

    return versions_here()


@pytest.mark.parametrize("kind", ["none", "numba", "numpy", "simcards", "sources"])
def test_a_worker_that_could_play_other_games_is_refused(
    kind: str, tmp_path: Path, cli: Any, empty: Any
) -> None:
    address, out = empty.scheduler_address, tmp_path / "run"
    with worker(address, tmp_path, PYTHONPATH=other_simcards(tmp_path, kind)):
        code, shown, err = cli("run", "aces", "--n", 10, "--scheduler", address, "--out", out)
    assert (code, shown) == (2, "")
    assert f"--scheduler {address}: worker tcp://127.0.0.1:" in err
    if kind == "none":
        assert "can't import simcards" in err
    else:
        assert "0.1" in err and simcards_versions()[kind] in err
    assert not out.exists()
    wait_until(lambda: not empty.scheduler_info["workers"])


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A scheduler without workers."""
    with started(0) as found:
        yield found


@pytest.mark.parametrize("kind", ["none", "numba"])
def test_a_worker_that_joins_late_is_refused_as_well(
    kind: str, own: Any, tmp_path: Path, cli: Any
) -> None:
    out, address = tmp_path / "run", own.scheduler_address
    words = ("aces", "--n", "1e8", "--seed", SEED, "--chunk-size", 2000, "--rule", "match=hand")
    other = other_simcards(tmp_path, kind)
    with contextlib.ExitStack() as stack:
        join = threading.Timer(
            2, lambda: stack.enter_context(worker(address, tmp_path, PYTHONPATH=other))
        )
        join.start()
        code, _, err = cli("run", *words, "--scheduler", address, "--out", out, "--quiet")
        join.join()
    assert code == 1
    assert "worker" in err and "resume" in err and "Traceback" not in err
    assert ("can't import simcards" if kind == "none" else "other versions") in err
    assert_resumed(out)


def test_what_can_t_be_connected_to_is_refused(
    tmp_path: Path, cli: Any, monkeypatch: Any, empty: Any, shared: str
) -> None:
    out = tmp_path / "run"

    def refused(address: str, *more: Any) -> str:
        code, shown, err = cli("run", "aces", "--scheduler", address, *more, "--out", out)
        assert (code, shown) == (2, "") and "Traceback" not in err
        assert not out.exists()
        return str(err)

    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 1)
    monkeypatch.setattr(cluster_module, "FIRST_WORKER_SECONDS", 1)
    assert "no Dask scheduler answers" in refused("tcp://127.0.0.1:9")
    assert "name an address" in refused("localhost")
    assert "has no workers" in refused(empty.scheduler_address)
    assert "--threads 2" in refused(shared, "--threads", 2)
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert 'pip install "simcards[dask]"' in refused("local")


def test_a_script_without_its_guard_ends_and_is_told_why(
    python_process: Any, tmp_path: Path
) -> None:
    """New processes import the script; each would start a run of its own."""
    script = tmp_path / "play.py"
    script.write_text("import simcards\nsimcards.run('aces', 100, executor='local', threads=1)\n")
    done = python_process(script, env={"TMPDIR": str(tmp_path)})
    assert done.returncode == 1
    assert "simcards.sim.errors.RequestError" in done.stderr.splitlines()[-2]
    assert 'if __name__ == "__main__":' in done.stderr.splitlines()[-1]
    assert list(tmp_path.iterdir()) == [script]


# Faults


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


def test_processes_that_are_killed_end_a_run_that_can_be_resumed(tmp_path: Path) -> None:
    """An executor of processes doesn't start them anew."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    out = tmp_path / "run"
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        request = {**LONG, "n": 10**8, "executor": pool, "threads": 2, "out": out}
        thread, came = in_background("aces", request)
        wait_until(lambda: finished_chunks(out) >= 5)
        os.kill(next(iter(pool._processes)), signal.SIGKILL)
        thread.join(60)
    (error,) = came
    assert isinstance(error, simcards.RunError)
    assert "a worker process ended while it played" in str(error) and "resume" in str(error)
    assert_nothing_is_left(out)
    assert_resumed(out)


LONG: dict[str, Any] = {"n": 2_000_000, "seed": SEED, "rules": HAND, "chunk_size": 4000}


@pytest.fixture(scope="module")
def long_rows() -> Any:
    """The undisturbed run of `LONG`."""
    request = {name: value for name, value in LONG.items() if name != "chunk_size"}
    return simcards.run("aces", **request, rows=True)


@pytest.mark.parametrize("times", [1, 2])
def test_workers_killed_in_mid_chunk_cost_nothing(
    times: int, own: Any, tmp_path: Path, long_rows: Any
) -> None:
    """One worker, or every one once: what they had is played by others."""
    out = tmp_path / "run"
    thread, came = in_background("aces", {**LONG, "executor": own.scheduler_address, "out": out})
    wait_until(lambda: finished_chunks(out) >= 10)
    pids = worker_pids(own)
    for pid in pids[:times]:
        os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)
    thread.join(120)
    (result,) = came
    assert not isinstance(result, Exception), result
    assert set(worker_pids(own)) & set(pids) == set(pids[times:])
    assert result.counts == long_rows.counts
    assert_same_rows(result.rows, long_rows.rows)
    assert_nothing_is_left(out)


def assert_nothing_is_left(out: Path) -> None:
    """Every file of rows stands in the journal, once; no temporary ones, no word for workers."""
    names = [part["file"] for part in journal(out)]
    assert len(set(names)) == len(names)
    assert set(names) == {path.name for path in (out / "rows").iterdir()}
    assert not list(out.rglob("*.new")) and not (out / ".shared").exists()


DEADLY = """
import os
from simcards.sim import remote
play_of = getattr(remote, "not_deadly", remote.play_of)  # preloads are run twice
remote.not_deadly = play_of
def deadly(played):
    def play(plan, start, *rest):
        if start == {start}:
            os._exit(9)
        return play_of(played)(plan, start, *rest)
    return play
remote.play_of = deadly
"""


def test_a_chunk_that_kills_every_worker_is_named_and_the_rest_kept(
    tmp_path: Path, cli: Any
) -> None:
    out = tmp_path / "run"
    words = ("aces", "--n", 20_000, "--seed", SEED, "--chunk-size", 500, "--quiet", "--out", out)
    with started(2, preload=[DEADLY.format(start=12_000)]) as found:
        code, _, err = cli("run", *words, "--scheduler", found.scheduler_address)
    assert code == 1
    assert "every worker that played matches 12000 to 12499 died" in err
    assert "12,000 finished matches are kept" in err and f"simcards resume {out}" in err
    assert {part["start"] for part in journal(out)} >= set(range(0, 12_000, 500))
    assert_nothing_is_left(out)
    assert_resumed(out)


def test_workers_join_and_leave(own: Any, tmp_path: Path, long_rows: Any) -> None:
    """And what waits with a slow one is stolen by others."""
    out = tmp_path / "run"
    thread, came = in_background("aces", {**LONG, "executor": own.scheduler_address, "out": out})
    wait_until(lambda: finished_chunks(out) >= 5)
    own.scale(4)
    wait_until(lambda: len(own.scheduler_info["workers"]) == 4)
    slow = psutil.Process(worker_pids(own)[0])
    slow.suspend()
    time.sleep(1)
    slow.resume()
    own.scale(1)
    thread.join(120)
    (result,) = came
    assert not isinstance(result, Exception), result
    assert_same_rows(result.rows, long_rows.rows)
    assert_nothing_is_left(out)


@contextlib.contextmanager
def scheduler(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A scheduler of its own, with a worker, as started by Dask's commands."""
    import socket

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


@pytest.mark.parametrize("kind", ["gone", "restarted"])
def test_a_run_whose_scheduler_is_gone_goes_on_later(kind: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ("aces", "--n", "1e9", "--seed", SEED, "--chunk-size", 2000, "--rule", "match=hand")
    with scheduler(tmp_path) as (process, address):
        run = start("run", *words, "--scheduler", address, "--out", out, "--quiet")
        try:
            wait_until(lambda: finished_chunks(out) >= 10)
            if kind == "gone":
                process.kill()
            else:
                with distributed.Client(address, set_as_default=False) as client:
                    client.cancel(list(client.processing()), force=True)
                    client.restart(wait_for_workers=False)
            shown, err = run.communicate(timeout=60)
        finally:
            run.kill()
    assert run.returncode == 1, err
    assert "Traceback" not in err and "distributed" not in err
    said = "is gone" if kind == "gone" else "has dropped"
    assert said in err and f"simcards resume {out}" in err
    assert_resumed(out)


@pytest.mark.slow
def test_a_client_killed_twenty_times_ends_with_the_rows_of_an_undisturbed_run(
    shared: str, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    choose = random.Random(5)
    n = 400_000
    words = ["aces", "--n", n, "--seed", SEED, "--chunk-size", 500, "--rule", "match=hand"]
    how = ["--scheduler", shared, "--quiet"]
    hit = 0
    for kill in range(20):
        fresh = not (out / "manifest.json").exists()
        run = start(*(["run", *words, "--out", out] if fresh else ["resume", out]), *how)
        at = finished_chunks(out) + choose.randint(1, 40)
        until = time.monotonic() + (choose.uniform(0.3, 2) if kill % 4 == 0 else 60)
        while finished_chunks(out) < at and time.monotonic() < until and run.poll() is None:
            time.sleep(0.002)
        run.kill()
        run.communicate()
        hit += run.returncode == -signal.SIGKILL
        if (out / "manifest.json").exists():
            read = simcards.load(out)
            assert len(read.rows) == read.summary.completed
    assert hit >= 12
    done = simcards.resume(out, executor=shared)
    whole = simcards.run("aces", n, seed=SEED, rules=HAND, rows=True)
    assert_same_rows(done.rows, whole.rows)
    assert done.counts == whole.counts
    assert_nothing_is_left(out)


@pytest.mark.parametrize("where", ["local", "cluster"])
@pytest.mark.parametrize(
    ("number", "reason"), [(signal.SIGINT, "interrupt"), (signal.SIGTERM, "terminate")]
)
def test_a_signal_ends_a_run_in_order_and_leaves_nothing_behind(
    where: str, number: int, reason: str, shared: str, tmp_path: Path, monkeypatch: Any
) -> None:
    """Ctrl-C reaches all processes of a terminal: the client and its local workers."""
    out, temporary = tmp_path / "run", tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    words = ("aces", "--n", "1e9", "--seed", SEED, "--rule", "match=hand", "--chunk-size", 4000)
    address = "local" if where == "local" else shared
    run = start("run", *words, "--scheduler", address, "--out", out, "--quiet", group=True)
    try:
        wait_until(lambda: finished_chunks(out) >= 2)
        ours = psutil.Process(run.pid).children(recursive=True)
        if number == signal.SIGINT:
            os.killpg(run.pid, number)
        else:
            run.send_signal(number)
        shown, err = run.communicate(timeout=60)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
    assert run.returncode == 128 + number
    told = manifest(out)
    assert (told["status"], told["stop_reason"]) == ("partial", reason)
    assert "Partial" in shown and f"simcards resume {out}" in err
    assert "Traceback" not in err and "distributed" not in err
    assert psutil.wait_procs(ours, 5)[1] == []
    assert list(temporary.iterdir()) == []
    assert_nothing_is_left(out)


FULL = """
import errno, os
from simcards.sim import remote
write = getattr(remote, "not_full", remote.write_whole)
remote.not_full = write
def full(path, *rest):
    if "-000000000012000-" in path.name:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    write(path, *rest)
remote.write_whole = full
"""


def test_a_full_disk_on_a_worker_ends_a_run_that_can_be_resumed(tmp_path: Path, cli: Any) -> None:
    out = tmp_path / "run"
    words = ("aces", "--n", 20_000, "--seed", SEED, "--chunk-size", 500, "--quiet", "--out", out)
    with started(1, preload=[FULL]) as found:
        code, _, err = cli("run", *words, "--scheduler", found.scheduler_address)
    assert code == 1
    assert "rows-000000000012000-" in err and "No space left" in err
    assert "finished matches are kept" in err and "Please report" not in err
    assert_nothing_is_left(out)
    assert_resumed(out)


def test_rows_are_sent_where_the_folder_isn_t_shared(
    shared: str, tmp_path: Path, monkeypatch: Any
) -> None:
    """As on machines where another folder has that name, or none."""
    from simcards.sim import remote
    from simcards.sim.store import Store

    request = {"n": 3000, "seed": SEED, "chunk_size": 100}
    simcards.run("aces", **request, out=tmp_path / "threads")
    came: list[Any] = []
    read = remote.chunks_of
    monkeypatch.setattr(remote, "chunks_of", lambda *words: came.extend(read(*words)) or came[:0])
    monkeypatch.setattr(remote, "chunks_of", lambda *words: kept(read(*words)))

    def kept(chunks: list[Any]) -> list[Any]:
        came.extend(chunks)
        return chunks

    simcards.run("aces", **request, executor=shared, out=tmp_path / "shared")
    assert all(chunk.packed is None and chunk.written for chunk in came)
    came.clear()
    share = Store.share

    def elsewhere(self: Store) -> str:
        share(self)
        return "the word of another folder"

    monkeypatch.setattr(Store, "share", elsewhere)
    simcards.run("aces", **request, executor=shared, out=tmp_path / "apart")
    assert all(chunk.packed and chunk.written is None for chunk in came)
    assert_same_folders(tmp_path / "shared", tmp_path / "threads")
    assert_same_folders(tmp_path / "apart", tmp_path / "threads")


def test_a_worker_that_comes_back_too_late_writes_nothing(tmp_path: Path) -> None:
    """It was taken for dead; meanwhile the run is over, and another lies in its folder."""
    from simcards.sim import remote
    from simcards.sim.manifest import read_manifest

    out = tmp_path / "run"
    simcards.run("aces", 200, seed=1, chunk_size=100, out=out)
    before = files(out)
    task = {
        "versions": remote.versions_here(),
        "played": remote.describe(read_manifest(out).plan),
        "ranges": [(0, 100)],
        "rows": True,
        "metadata": {},
        "folder": str(out),
        "word": "of the run before",
    }
    answer = remote.play(task)
    assert answer["chunks"][0]["packed"] and answer["error"] is None
    assert files(out) == before


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_worker_that_may_only_read_the_folder_sends_its_rows(
    tmp_path: Path, monkeypatch: Any, number: int
) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from simcards.sim import remote

    def refused(path: Path, *rest: Any) -> None:
        raise OSError(number, os.strerror(number), str(path))

    simcards.run("aces", 1000, seed=1, chunk_size=100, out=tmp_path / "threads")
    monkeypatch.setattr(remote, "write_whole", refused)
    with ThreadPoolExecutor(2) as pool:
        simcards.run("aces", 1000, seed=1, chunk_size=100, out=tmp_path / "run", executor=pool)
    assert_same_folders(tmp_path / "run", tmp_path / "threads")


def test_rows_that_travel_come_in_pieces(tmp_path: Path, monkeypatch: Any) -> None:
    """A task's answer ends when it is large enough; the rest of the task is handed out again."""
    from concurrent.futures import ThreadPoolExecutor

    from simcards.sim import remote, workers

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
    assert all(len(chunk["packed"]) > 2000 for answer in answers for chunk in answer["chunks"])
    assert [len(answer["chunks"]) for answer in answers] == [1] * 40


@pytest.mark.parametrize("how", ["threads", "cluster"])
def test_a_folder_removed_under_a_run_ends_it_and_says_so(
    how: str, shared: str, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    request = {**LONG, "n": 10**8, "out": out}
    thread, came = in_background(
        "aces", {**request, **({"executor": shared} if how == "cluster" else {})}
    )
    wait_until(lambda: finished_chunks(out) >= 5)
    out.rename(tmp_path / "moved")
    thread.join(60)
    (error,) = came
    assert isinstance(error, simcards.RunError)
    assert "can't be written: No such file" in str(error) and "resume" not in str(error)
    assert not out.exists()
    read = simcards.load(tmp_path / "moved")
    assert read.summary.status == "partial"


def test_what_is_handed_out_doesn_t_grow_with_n() -> None:
    """Two tasks a worker at most, whatever order they come back in."""
    from concurrent.futures import Executor, Future

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
    from simcards.sim.run import _Prefix

    seen = []

    def rule(total: int) -> bool:
        seen.append(total)
        return False

    numbers = list(range(1, 200))
    random.Random(2).shuffle(numbers)
    for looks, most in ((frozenset[int](), 1), (frozenset({50, 120}), 3)):
        prefix = _Prefix(0, 0, looks, rule, counts=0)
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
