"""What happens to workers, scheduler, client and disk, and that it costs no row."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from clusters import (
    BOT,
    HAND,
    LONG,
    MARKS,
    SEED,
    SLOW,
    assert_nothing_is_left,
    assert_resumed,
    finished_chunks,
    in_background,
    scheduler,
    start,
    started,
    wait_until,
    worker,
    worker_pids,
)
from runs import assert_same_rows, files, journal, manifest

import simcards
from simcards.analysis.results import run_plan
from simcards.sim import cluster as cluster_module
from simcards.sim.plan import make_plan
from simcards.sim.run import Progress

distributed = pytest.importorskip("distributed")
psutil = pytest.importorskip("psutil")  # distributed needs it

pytestmark = MARKS


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
    assert thread.is_alive()
    (tmp_path / "go").touch()
    thread.join(120)
    (result,) = came
    assert not isinstance(result, Exception), result
    assert set(worker_pids(own)) & set(pids) == set(pids[times:])
    assert result.counts == long_rows.counts
    assert_same_rows(result.rows, long_rows.rows)
    assert_nothing_is_left(out)


DEADLY = """
import os, time
from simcards.sim import remote
play_of = getattr(remote, "not_deadly", remote.play_of)  # preloads are run twice
remote.not_deadly = play_of
def deadly(played):
    def play(plan, start, *rest):
        if start == {start}:
            time.sleep(1)  # Dask doesn't replace a worker that dies while it starts
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
        how = ("--scheduler", found.scheduler_address, "--time-limit", 300)
        code, _, err = cli("run", *words, *how)
    assert code == 1
    assert "every worker that played matches 12000 to 12499 died" in err
    assert "12,000 finished matches are kept" in err and f"simcards resume {out}" in err
    assert {part["start"] for part in journal(out)} >= set(range(0, 12_000, 500))
    assert_nothing_is_left(out)
    assert_resumed(out)


SLOW_FIRST = """
import time
from simcards.sim import remote
play_of = getattr(remote, "not_slow_first", remote.play_of)  # preloads are run twice
remote.not_slow_first = play_of
def slow_first(played):
    def play(plan, start, *rest):
        time.sleep(3 * (start == 0))
        return play_of(played)(plan, start, *rest)
    return play
remote.play_of = slow_first
"""


def test_a_chunk_whose_neighbour_kills_every_worker_is_kept(tmp_path: Path, cli: Any) -> None:
    """They are played side by side in one process, and Dask gives up both."""
    out = tmp_path / "run"
    words = ("aces", "--n", 2000, "--seed", SEED, "--chunk-size", 500, "--quiet", "--out", out)
    preload = [DEADLY.format(start=500), SLOW_FIRST]
    with started(1, threads=2, preload=preload) as found:
        how = ("--scheduler", found.scheduler_address, "--time-limit", 300)
        code, _, err = cli("run", *words, *how)
    assert code == 1
    assert "every worker that played matches 500 to 999 died" in err
    assert {part["start"] for part in journal(out)} >= {0}
    assert_nothing_is_left(out)
    assert_resumed(out, n=2000)


def test_local_workers_that_never_come_back_end_a_run(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(cluster_module, "NO_WORKER_SECONDS", 3.0)
    out = tmp_path / "run"
    request = {**LONG, "n": 10**8, "executor": "local", "threads": 2, "out": out}
    thread, came = in_background("aces", request)
    wait_until(lambda: finished_chunks(out) >= 5)
    for child in psutil.Process().children():
        if "dask_worker" in " ".join(child.cmdline()):
            for process in (child, *child.children(recursive=True)):
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
    thread.join(60)
    (error,) = came
    assert isinstance(error, simcards.RunError)
    assert "all workers died: killed, or out of memory; none came back" in str(error)
    assert f"simcards resume {out}" in str(error)
    assert_nothing_is_left(out)
    assert_resumed(out)


class Seen(Exception):
    """What a run was to show."""


def test_what_waits_with_one_worker_is_stolen_by_another(tmp_path: Path, monkeypatch: Any) -> None:
    """The client never hears of the second one, so it plays only what it steals."""
    monkeypatch.setattr(cluster_module, "LOOK_SECONDS", 1e9)
    out = tmp_path / "run"
    plan = make_plan("aces", rules=HAND, seed=SEED)
    with started(1, local_directory=str(tmp_path / "dask")) as found:
        begun = time.monotonic()

        def look(progress: Progress) -> None:
            # Only a task that waits when it joins can be stolen: so it joins again and again.
            found.scale(2 - int((time.monotonic() - begun) / 8) % 2)
            if progress.counts.games and found.scheduler.extensions["stealing"].count:
                raise Seen

        with pytest.raises(Seen):
            run_plan(
                plan,
                n=10**10,
                chunk=50_000,
                executor=found.scheduler_address,
                time_limit=240,
                out=out,
                on_progress=look,
            )
    read = simcards.load(out).rows.head(10**6)
    assert len(read)
    assert_same_rows(read, simcards.run("aces", len(read), seed=SEED, rules=HAND, rows=True).rows)


def test_a_worker_that_hangs_is_taken_for_dead(tmp_path: Path, long_rows: Any) -> None:
    """And when it goes on, after all, nothing of it counts."""
    import dask

    out = tmp_path / "run"
    with (
        dask.config.set({"distributed.scheduler.worker-ttl": "3s"}),
        started(
            2,
            preload=[SLOW.format(go=str(tmp_path / "go"))],
            local_directory=str(tmp_path / "dask"),
        ) as found,
    ):
        request = {**LONG, "executor": found.scheduler_address, "out": out}
        thread, came = in_background("aces", request)
        wait_until(lambda: finished_chunks(out) >= 5)
        hung = psutil.Process(worker_pids(found)[0])
        hung.suspend()
        assert thread.is_alive()
        (tmp_path / "go").touch()
        thread.join(120)
        (result,) = came
        assert not isinstance(result, Exception), result
        before = files(out)
        with contextlib.suppress(psutil.NoSuchProcess):  # its nanny may have killed it by now
            hung.resume()
        time.sleep(2)
        assert files(out) == before
    assert_same_rows(result.rows, long_rows.rows)
    assert_nothing_is_left(out)


def test_workers_join_and_leave(own: Any, tmp_path: Path, long_rows: Any) -> None:
    """One of them is slow for a while."""
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
    wait_until(lambda: len(own.scheduler_info["workers"]) == 1)
    assert thread.is_alive()
    (tmp_path / "go").touch()
    thread.join(120)
    (result,) = came
    assert not isinstance(result, Exception), result
    assert_same_rows(result.rows, long_rows.rows)
    assert_nothing_is_left(out)


def test_a_run_that_nobody_plays_any_more_says_so_and_stops_in_time(tmp_path: Path) -> None:
    notes: set[str] = set()
    with started(0) as found, worker(found.scheduler_address, tmp_path) as only:
        plan = make_plan("aces", rules=HAND, seed=SEED)
        begun = time.monotonic()

        def look(progress: Progress) -> None:
            notes.add(progress.note)
            if progress.done:
                only.kill()

        result = run_plan(
            plan,
            n=10**12,
            executor=found.scheduler_address,
            time_limit=15,
            on_progress=look,
        )
    assert time.monotonic() - begun < 60
    assert result.summary.stop_reason == "time limit"
    assert notes == {"", "waiting for workers"}


def test_a_strategy_that_doesn_t_return_on_a_worker_is_named(bot: str, tmp_path: Path) -> None:
    endless = Path(bot).with_name("endless.py")
    loop = "    if view.word % 4000 == 7:\n        while view.seat >= 0:\n            pass\n"
    endless.write_text(BOT.replace("    if view", f"{loop}    if view"))
    words = ("aces", "--n", 10**6, "--seed", SEED, "--strategy", f"0={endless}")
    out = tmp_path / "run"
    run = start("run", *words, "--scheduler", "local", "--threads", 2, "--quiet", "--out", out)
    ours = []
    try:
        wait_until(lambda: (out / "manifest.json").exists())
        time.sleep(8)
        ours = psutil.Process(run.pid).children(recursive=True)
        run.send_signal(signal.SIGINT)
        time.sleep(8)
        run.send_signal(signal.SIGINT)
        shown, err = run.communicate(timeout=60)
    finally:
        run.kill()
    assert run.returncode == 130
    assert "are not through: a strategy may not return there" in err
    assert "Partial" in shown
    assert psutil.wait_procs(ours, 10)[1] == []


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
    assert "takes nothing to play" not in err
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
    words = ("aces", "--n", "1e9", "--seed", SEED, "--rule", "match=hand", "--chunk-size", 50_000)
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
    assert psutil.wait_procs(ours, 15)[1] == []
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
