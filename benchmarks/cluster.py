"""What a cluster costs: how local workers scale, and what handing out tasks takes.

    python -m benchmarks.cluster scaling --workers 1,2,4 --games 2e7
    python -m benchmarks.cluster scheduling --workers 1000 --seconds 60

*scaling* plays the same games by one and two threads and by local workers, in turn, a round
after the other, and says how many games a second that were: with starting and ending the workers,
and without.

*scheduling* simulates a large cluster: a real scheduler and a real client in front of workers
that play nothing. They wait for as long as a core would play (`--nanoseconds` a game) and answer
with the counts of real games. So what is measured is what the client and the scheduler do:
processor time a task, and how busy both are. With `--out` each chunk's line is kept too.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import simcards
from simcards.analysis.results import run_plan
from simcards.sim import remote
from simcards.sim.chunk import play_chunk, prepare_plan
from simcards.sim.journal import Part, line_of
from simcards.sim.numbers import games_count
from simcards.sim.plan import chunk_size, chunks_between, make_plan

SEED = 1
A_PROCESS = 250
"""Simulated workers in one process."""
SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"
READY = "ready"
QUIET = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "60s",
    "DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "False",
    "DASK_DISTRIBUTED__WORKER__MEMORY__PAUSE": "False",
}
"""A thousand workers that watch themselves a hundred times a second are too much for a machine."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cluster",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("scaling", help="threads and local workers in turn")
    one.add_argument("--workers", default="1,2,4", help="numbers of local workers")
    one.add_argument("--games", default="2e7")
    one.add_argument("--game", default="aces")
    one.add_argument("--rounds", type=int, default=3)
    one.set_defaults(run=scaling)
    one = commands.add_parser("scheduling", help="a client and a scheduler before idle workers")
    one.add_argument("--workers", type=int, default=1000)
    one.add_argument("--threads", type=int, default=1, help="of each worker")
    one.add_argument("--seconds", type=float, default=60)
    one.add_argument("--nanoseconds", type=float, default=1100, help="a game on a core")
    one.add_argument("--game", default="aces")
    one.add_argument("--chunk-size", type=int)
    one.add_argument("--out", help="keep the counts of every chunk there")
    one.set_defaults(run=scheduling)
    one = commands.add_parser("pretend")  # started by scheduling
    one.add_argument("address")
    one.add_argument("count", type=int)
    one.add_argument("threads", type=int)
    one.add_argument("nanoseconds", type=float)
    one.add_argument("folder")
    one.set_defaults(run=pretend)
    asked = parser.parse_args(arguments)
    asked.run(asked)
    return 0


def scaling(asked: argparse.Namespace) -> None:
    """Play by threads and by local workers in turn."""
    games = games_count(asked.games)
    ways = [("threads", 1), ("threads", 2)]
    ways += [("local", int(word)) for word in asked.workers.split(",")]
    simcards.run(asked.game, 1000, seed=SEED)  # compiled and loaded
    speeds: dict[tuple[str, int], list[tuple[float, float]]] = {way: [] for way in ways}
    for _ in range(asked.rounds):
        for way in ways:
            kind, number = way
            begun = time.perf_counter()
            found = simcards.run(
                asked.game,
                games,
                seed=SEED,
                threads=number,
                executor="local" if kind == "local" else None,
            )
            whole = time.perf_counter() - begun
            speeds[way].append((games / whole, found.summary.games_per_s))
    print(f"{games:,} games of {asked.game}, {asked.rounds} rounds, medians\n")
    print(f"{'':<12}{'whole, games/s':>16}{'playing, games/s':>18}{'of 1 thread':>13}")
    alone = median(playing for _, playing in speeds["threads", 1])
    for (kind, number), found in speeds.items():
        whole, playing = (median(one) for one in zip(*found, strict=True))
        name = f"{kind} {number}"
        print(f"{name:<12}{whole:>16,.0f}{playing:>18,.0f}{playing / alone:>13.2f}")


def scheduling(asked: argparse.Namespace) -> None:
    """Play nothing on very many workers."""
    import psutil

    plan = make_plan(asked.game, seed=SEED)
    prepare_plan(plan)
    size = asked.chunk_size or chunk_size(plan)
    answered: list[int] = []
    read = remote.chunk_of

    def counted(answer: Any, start: int, played: Any) -> Any:
        answered.append(answer["stop"] - start)
        return read(answer, start, played)

    remote.chunk_of = counted
    with tempfile.TemporaryDirectory(prefix="simcards-bench-") as place:
        with cluster(asked, Path(place)) as (scheduler, address):
            processes = psutil.Process(), psutil.Process(scheduler.pid)
            before = [sum(one.cpu_times()[:2]) for one in processes]
            begun = time.perf_counter()
            run_plan(
                plan,
                n=10**15,
                chunk=size,
                executor=address,
                time_limit=asked.seconds,
                out=asked.out,
                keep_rows_in_out=False,
            )
            seconds = time.perf_counter() - begun
            spent = [
                sum(one.cpu_times()[:2]) - less for one, less in zip(processes, before, strict=True)
            ]
            memory = [one.memory_info().rss / 1e6 for one in processes]
    played, given = sum(answered), len(answered)
    threads = f" of {asked.threads} threads" if asked.threads > 1 else ""
    print(
        f"{asked.workers} workers{threads}, {seconds:.0f} s: "
        f"{given:,} tasks, {given / seconds:.0f} a second"
    )
    print(
        f"{played:,} games as if played, in chunks of {size:,}: {played / given / size:.0f} a task"
    )
    for name, one, megabytes in zip(("client", "scheduler"), spent, memory, strict=True):
        print(
            f"{name:<10}{one / given * 1e3:6.2f} ms a task, busy {one / seconds:4.0%}, "
            f"{megabytes:.0f} MB"
        )
    wanted = asked.workers * asked.threads * asked.seconds / asked.nanoseconds * 1e9
    print(f"workers were busy for {played / wanted:.0%} of the time")


@contextlib.contextmanager
def cluster(
    asked: argparse.Namespace, place: Path
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Start a scheduler, and processes of pretended workers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    address = f"tcp://127.0.0.1:{port}"
    env = {**os.environ, "DASK_LOGGING__DISTRIBUTED": "critical"}
    words = ["--host", "127.0.0.1", "--port", port, "--no-dashboard"]
    scheduler = subprocess.Popen([sys.executable, "-c", SCHEDULER, *words], env=env)
    started: list[subprocess.Popen[str]] = []
    try:
        time.sleep(3)
        for first in range(0, asked.workers, A_PROCESS):
            count = min(A_PROCESS, asked.workers - first)
            told = map(str, (address, count, asked.threads, asked.nanoseconds, place))
            started.append(
                subprocess.Popen(
                    [sys.executable, "-m", "benchmarks.cluster", "pretend", *told],
                    env={**env, **QUIET},
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
        for one in started:
            assert one.stdout is not None
            assert one.stdout.readline().strip() == READY
        yield scheduler, address
    finally:
        for one in started:
            one.kill()
            one.wait()
        scheduler.kill()
        scheduler.wait()


def pretend(asked: argparse.Namespace) -> None:
    """Be workers that answer with the counts of real games, after as long as those take."""
    import asyncio

    from distributed import Worker

    known: dict[str, Any] = {}
    knowing = threading.Lock()

    def play(task: dict[str, Any]) -> dict[str, Any]:
        start, stop = task["start"], task["stop"]
        with knowing:
            if not known:
                chunk = play_chunk(make_plan(json_game(task), seed=SEED), 0, 10_000, False)
                assert chunk is not None
                known["counts"] = chunk.counts.to_json()
                known["told"] = chunk.counts
        seconds = (stop - start) * asked.nanoseconds / 1e9
        time.sleep(seconds)
        lines = b""
        if task["kept"]:
            chunks = chunks_between(start, stop, task["first"], task["size"])
            lines = b"".join(line_of(Part(*ends), known["told"]) for ends in chunks)
        return {
            "worker": "none",
            "stop": stop,
            "counts": known["counts"],
            "lines": lines,
            "files": {},
            "seconds": seconds,
            "error": None,
        }

    def json_game(task: dict[str, Any]) -> str:
        game: str = json.loads(zlib.decompress(task["played"]))["played"]["game"]
        return game

    remote.play = play

    async def work() -> None:
        workers: list[Any] = []
        for first in range(0, asked.count, 25):
            some = (
                Worker(asked.address, nthreads=asked.threads, local_directory=asked.folder)
                for _ in range(min(25, asked.count - first))
            )
            workers += await asyncio.gather(*some)
        print(READY, flush=True)
        await asyncio.gather(*(worker.finished() for worker in workers))

    asyncio.run(work())


if __name__ == "__main__":
    sys.exit(main())
