"""Many machines: the rows of threads, and who may play them."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clusters import (
    BAD_BOT,
    HELPER,
    MARKS,
    SEED,
    assert_resumed,
    assert_same_folders,
    finished_chunks,
    in_background,
    other_simcards,
    simcards_versions,
    wait_until,
    worker,
)
from runs import CASES, assert_same_rows, files, row_hash

import simcards
from simcards.kernels import jit
from simcards.sim import cluster as cluster_module

distributed = pytest.importorskip("distributed")
psutil = pytest.importorskip("psutil")  # distributed needs it

pytestmark = MARKS


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


@pytest.mark.parametrize("game", ["horner", "thirteen"])
def test_every_game_is_the_same(game: str, shared: str, tmp_path: Path) -> None:
    request: dict[str, Any] = {"n": 3000, "seed": SEED, "chunk_size": 128}
    ours = simcards.run(game, **request, executor=shared, out=tmp_path / "cluster")
    theirs = simcards.run(game, **request, out=tmp_path / "threads")
    assert_same_folders(tmp_path / "cluster", tmp_path / "threads")
    assert ours.counts == theirs.counts


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
        (tmp_path / "go").touch()
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


@contextlib.contextmanager
def listener() -> Iterator[str]:
    """Something that isn't Dask: it lets everybody in and says nothing."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals come to the main one"
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_connecting_ends_it_in_order(
    number: int, shared: str, tmp_path: Path, cli: Any, monkeypatch: Any
) -> None:
    check = cluster_module.check_workers

    def stopped(*words: Any) -> None:
        signal.raise_signal(number)
        check(*words)

    monkeypatch.setattr(cluster_module, "check_workers", stopped)
    words = ("run", "aces", "--n", 1000, "--scheduler", shared, "--out", tmp_path / "run")
    code, shown, err = cli(*words, "--quiet")
    assert (code, shown, err) == (128 + number, "", "simcards: stopped\n")
    assert not (tmp_path / "run").exists()


def test_a_signal_while_a_folder_is_checked_changes_nothing(
    shared: str, tmp_path: Path, cli: Any, monkeypatch: Any
) -> None:
    """Hashing terabytes of rows takes hours."""
    from simcards.sim import journal as journal_module

    out = tmp_path / "run"
    simcards.run("aces", 400, seed=SEED, chunk_size=100, out=out)
    before = files(out)
    is_whole = journal_module.is_whole

    def stopped(*words: Any) -> bool:
        signal.raise_signal(signal.SIGTERM)
        return is_whole(*words)

    monkeypatch.setattr(journal_module, "is_whole", stopped)
    code, shown, err = cli("resume", out, "--n", 500, "--scheduler", shared, "--quiet")
    assert (code, shown, err) == (143, "", "simcards: stopped\n")
    assert files(out) == before


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals come to the main one"
)
def test_a_signal_while_closing_loses_nothing(shared: str, cli: Any, monkeypatch: Any) -> None:
    close = cluster_module._quietly

    def stopped(*words: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        close(*words)

    monkeypatch.setattr(cluster_module, "_quietly", stopped)
    words = ("run", "aces", "--n", 1000, "--seed", SEED, "--quiet", "--json")
    code, shown, err = cli(*words, "--scheduler", shared)
    assert (code, err) == (0, "")
    assert json.loads(shown)["completed"] == 1000


def test_what_can_t_be_connected_to_is_refused(
    tmp_path: Path, cli: Any, monkeypatch: Any, empty: Any, shared: str
) -> None:
    out = tmp_path / "run"

    def refused(address: str, *more: Any) -> str:
        code, shown, err = cli("run", "aces", "--scheduler", address, *more, "--out", out)
        assert (code, shown) == (2, "") and "Traceback" not in err
        assert not out.exists()
        return str(err)

    with distributed.Client(shared, set_as_default=False) as client:
        a_worker = next(iter(client.ncores()))
    assert "answers there (a Worker does)" in refused(a_worker)
    monkeypatch.setattr(cluster_module, "FIRST_WORKER_SECONDS", 1)
    assert "has no workers" in refused(empty.scheduler_address)
    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 1)
    for address in ("tcp://127.0.0.1:9", "tcp://", "tcp://127.0.0.1", "tcp://127.0.0.1:x"):
        assert "no Dask scheduler answers" in refused(address)
    assert "no Dask scheduler answers" in refused("foo://127.0.0.1:8786")
    assert "no Dask scheduler answers" in refused("tls://127.0.0.1:8786")
    with listener() as silent:
        assert "no Dask scheduler answers" in refused(silent)
    assert "name an address" in refused("localhost")
    assert "--threads 2" in refused(shared, "--threads", 2)
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert 'pip install "simcards[dask]"' in refused("local")


@pytest.mark.parametrize("how", ["file", "stdin"])
def test_local_workers_don_t_run_the_caller_s_script(how: str, tmp_path: Path) -> None:
    """So it needs no guard, and needn't be a file."""
    text = (
        "import simcards\n"
        "print('once')\n"
        "print(simcards.run('aces', 100, seed=1, executor='local', threads=1).summary.completed)\n"
    )
    (tmp_path / "play.py").write_text(text)
    done = subprocess.run(
        [sys.executable, tmp_path / "play.py" if how == "file" else "-"],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["once", "100"]
    assert list(tmp_path.iterdir()) == [tmp_path / "play.py"]


def test_rows_are_sent_where_the_folder_isn_t_shared(
    shared: str, tmp_path: Path, monkeypatch: Any
) -> None:
    """As on machines where another folder has that name, or none."""
    from simcards.sim import remote
    from simcards.sim.store import Store

    request = {"n": 3000, "seed": SEED, "chunk_size": 100}
    simcards.run("aces", **request, out=tmp_path / "threads")
    came: list[Any] = []
    read = remote.chunk_of

    def watched(*words: Any) -> Any:
        came.append(read(*words))
        return came[-1]

    monkeypatch.setattr(remote, "chunk_of", watched)
    simcards.run("aces", **request, executor=shared, out=tmp_path / "shared")
    assert came and all(chunk.lines and not chunk.files for chunk in came)
    came.clear()
    share = Store.share

    def elsewhere(self: Store) -> str:
        share(self)
        return "the word of another folder"

    monkeypatch.setattr(Store, "share", elsewhere)
    simcards.run("aces", **request, executor=shared, out=tmp_path / "apart")
    assert came and all(len(chunk.files) == chunk.lines.count(b"\n") for chunk in came)
    assert_same_folders(tmp_path / "shared", tmp_path / "threads")
    assert_same_folders(tmp_path / "apart", tmp_path / "threads")
