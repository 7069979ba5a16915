"""Time a game against another revision, on this machine, in turn.

    python -m benchmarks compare --against HEAD
    python -m benchmarks compare --against v0.1.0 --games aces --launches 8

Copies this checkout and that revision side by side and starts a warm process of each. First both
must give the same counts wherever the engine numbers agree. Then they are timed in turn, ours
theirs theirs ours, several times; that is one launch. Each launch starts anew, as where code and
data come to lie in memory matters too. What is told is the mean over launches of the logarithm of
theirs over ours, with a t interval, adjusted for the number of configurations. Exit code 0: faster
or inconclusive; 1: slower, or other counts; 3: not measured.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simcards.analysis.bench import NotMeasured
from simcards.sim.errors import RequestError
from simcards.sim.game import Game
from simcards.sim.numbers import whole_number
from simcards.sim.plan import chunk_size, make_plan

from .cases import presets, request_of
from .checkout import (
    FAILED,
    NOT_MEASURED,
    PASSED,
    add_games,
    chosen_games,
    copy_checkout,
    copy_revision,
)

LEVEL = 0.95
FEWEST_LAUNCHES = 5
TURNS = 4
"""How often a launch times ours theirs theirs ours."""
SECONDS = 0.25
CHECKED_GAMES = 2_000
WORKER = Path(__file__).with_name("compare_worker.py")


class Worker:
    """A process that plays by the sources of one folder, and answers questions one by one."""

    def __init__(self, folder: Path, kernels: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(folder), "SIMCARDS_CACHE_DIR": str(kernels)}
        environment.pop("NUMBA_DISABLE_JIT", None)
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(WORKER)],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def send(self, what: str, **more: Any) -> None:
        """Ask something."""
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps({"do": what, **more}) + "\n")
            self.process.stdin.flush()
        except OSError:
            pass  # it has ended; that is said when the answer is read

    def answer(self) -> Any:
        """Wait for the answer.

        Raises
        ------
        RequestError
            When that revision can't do what was asked.
        NotMeasured
            When the process has ended.
        """
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise NotMeasured(f"not measured: the process of {self.folder.name} has ended.")
        found = json.loads(line)
        if "error" in found:
            raise RequestError(found["error"])
        return found["answer"]

    def ask(self, what: str, **more: Any) -> Any:
        """Ask and wait."""
        self.send(what, **more)
        return self.answer()

    def end(self) -> None:
        """End the process."""
        assert self.process.stdin and self.process.stdout
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except OSError:
                pass


@dataclass(frozen=True)
class Sides:
    """Both sources, laid out so that each is found under the name of the package."""

    ours: Path
    theirs: Path
    kernels: Path
    commit: str

    @contextmanager
    def launched(self, games: Iterable[str], ours_first: bool = True) -> Iterator[list[Worker]]:
        """Start both processes, ours and theirs, with the kernels of some games ready."""
        with ExitStack() as stack:
            folders = [self.ours, self.theirs]
            started = {}
            for folder in folders if ours_first else folders[::-1]:
                started[folder] = Worker(folder, self.kernels)
                stack.callback(started[folder].end)
            both = [started[folder] for folder in folders]
            for worker in both:
                worker.send("prepare", games=list(games))
            for worker in both:
                try:
                    home = worker.answer()
                except RequestError as error:
                    raise NotMeasured(
                        f"not measured: {self.name(worker)} can't play: {error}"
                    ) from None
                if Path(home).resolve().parents[1] != worker.folder.resolve():
                    raise NotMeasured(f"not measured: {home} was imported instead.")
            yield both

    def name(self, worker: Worker) -> str:
        """Say whose process it is."""
        return "this checkout" if worker.folder == self.ours else self.commit[:10]


@dataclass(frozen=True)
class Compared:
    """How fast a configuration is, theirs over ours: above 1, ours is faster."""

    name: str
    ratio: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """What the interval says."""
        return "faster" if self.low > 1 else "slower" if self.high < 1 else "inconclusive"


def compared(name: str, logarithms: Sequence[float], together: int) -> Compared:
    """Sum up the launches.

    Parameters
    ----------
    name : str
    logarithms : sequence of float
        Of each launch, of the seconds of theirs over ours.
    together : int
        How many intervals are to hold at once, with probability `LEVEL`.
    """
    from scipy.stats import t

    launches = len(logarithms)
    mean = statistics.fmean(logarithms)
    quantile = float(t.ppf(1 - (1 - LEVEL) / 2 / together, launches - 1))
    half = quantile * statistics.stdev(logarithms) / math.sqrt(launches)
    return Compared(name, math.exp(mean), math.exp(mean - half), math.exp(mean + half))


def differing(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """Name the counts that differ, of those that both have; a new one is no difference."""
    return [name for name in ours if name in theirs and ours[name] != theirs[name]]


def check_counts(both: Sequence[Worker], cases: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Play the same games on both sides; returns what is wrong by configuration.

    Where a game's engine numbers differ its counts may, too, and aren't compared. What the other
    revision can't play is said to be missing and left out from then on.
    """
    wrong: dict[str, str] = {}
    for name, request in cases.items():
        engines = [worker.ask("engine", game=request["game"]) for worker in both]
        n = min(CHECKED_GAMES, chunk_size(make_plan(**request)))
        try:
            counts = [worker.ask("counts", request=request, n=n) for worker in both]
        except RequestError as error:
            wrong[name] = f"missing: {error}"
            continue
        if engines[0] != engines[1]:
            print(f"{name}: engine {engines[1]} there, {engines[0]} here: counts not compared")
        elif names := differing(*counts):
            wrong[name] = f"different counts under the same engine number: {', '.join(names)}"
    return wrong


def time_launch(both: Sequence[Worker], request: Mapping[str, Any], n: int) -> float:
    """Return the logarithm of their seconds over ours: the median of some turns."""
    ours, theirs = both
    for worker in both:
        worker.ask("seconds", request=request, n=n)
    found = []
    for _ in range(TURNS):
        turn = (ours, theirs, theirs, ours)
        a, b, c, d = (math.log(worker.ask("seconds", request=request, n=n)) for worker in turn)
        found.append((b + c - a - d) / 2)
    return statistics.median(found)


def time_all(sides: Sides, cases: Mapping[str, Mapping[str, Any]], launches: int) -> list[Compared]:
    """Time all configurations in several launches."""
    games = sorted({str(request["game"]) for request in cases.values()})
    n: dict[str, int] = {}
    found: dict[str, list[float]] = {name: [] for name in cases}
    for launch in range(launches):
        with sides.launched(games, launch % 2 == 0) as both:
            for name, request in cases.items():
                if name not in n:
                    trial = chunk_size(make_plan(**request))
                    both[0].ask("seconds", request=request, n=min(trial, CHECKED_GAMES))
                    spent = both[0].ask("seconds", request=request, n=trial)
                    n[name] = max(1, round(trial * SECONDS / spent))
                found[name].append(time_launch(both, request, n[name]))
        print(f"launch {launch + 1} of {launches}", file=sys.stderr, flush=True)
    return [compared(name, logs, len(cases)) for name, logs in found.items()]


def lines(found: Iterable[Compared]) -> Iterator[str]:
    """Yield a table of what was measured."""
    yield f"{'configuration':<31}{'ours/theirs':>11}  {'interval':<16}"
    for one in found:
        ends = f"{one.low:.3f} to {one.high:.3f}"
        yield f"{one.name:<31}{one.ratio:>11.3f}  {ends:<16}  {one.verdict}"


def cases_of(chosen: Iterable[Game]) -> dict[str, dict[str, Any]]:
    """Return what is compared: requests by name."""
    return {
        f"{game.name} {text}": request_of(game.name, text)
        for game in chosen
        for text in presets(game)
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_games(parser)
    parser.add_argument("--against", required=True, metavar="REV", help="a revision, as git says")
    parser.add_argument("--launches", default=FEWEST_LAUNCHES, help="5 or more")


def run(asked: argparse.Namespace) -> int:
    """Compare with a revision; returns the exit code."""
    chosen = chosen_games(asked.games)
    launches = whole_number(asked.launches, "--launches", FEWEST_LAUNCHES, 1000)
    cases = cases_of(chosen)
    with tempfile.TemporaryDirectory(prefix="simcards-compare-") as name:
        folder = Path(name)
        # Names of one length: how long a path is shifts what lies in memory behind it.
        commit = copy_revision(asked.against, folder / "b" / "simcards")
        copy_checkout(folder / "a" / "simcards")
        sides = Sides(folder / "a", folder / "b", folder / "kernels", commit)
        print(f"against {commit[:10]}; both are compiled first, about a minute", file=sys.stderr)
        with sides.launched([game.name for game in chosen]) as both:
            wrong = check_counts(both, cases)
        for case, what in wrong.items():
            print(f"{case}: {what}")
        if any(not what.startswith("missing") for what in wrong.values()):
            print("not timed: what gives other results is another program")
            return FAILED
        cases = {case: request for case, request in cases.items() if case not in wrong}
        if not cases:
            print("not measured: nothing is left to compare")
            return NOT_MEASURED
        found = time_all(sides, cases, launches)
    print("\n".join(lines(found)))
    print(f"games a second, {launches} launches; the intervals hold together at {100 * LEVEL:g} %")
    slower = [one.name for one in found if one.verdict == "slower"]
    if slower:
        print(f"slower: {', '.join(slower)}")
    return FAILED if slower else PASSED
