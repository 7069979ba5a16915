"""Compare kernels with straightforward C++ programs that play the very same games.

    python -m benchmarks.twins
    python -m benchmarks.twins --games aces,thirteen --rounds 9 --json
    python -m benchmarks.twins --clock cpu

Each game has a *twin* in benchmarks/native: a small program that plays one game at a time,
straight from the rules and from the same random streams, and counts the same things.

First the counts of both are compared, for the games and the seed of the measurement; a
difference is named, and the exit code is 1. Then both play these games in turn, one thread
each; a round is ours, twin, twin, ours. Ours is timed in this process, with its kernel loaded:
it plays chunks of the size that runs have, and makes of their rows all the counts that
`simcards run` prints. The twin times itself, from its first game to its last, with the counts
that it prints, which are fewer. Starting and compiling are in neither. A ratio is the speed of
ours to that of the twin in one round: 1 is as fast, .5 half as fast. Where other programs are
running, `--clock cpu` measures processor time, which they disturb less.

Without a C++ compiler nothing is measured, and the exit code is 3. CXX names another compiler
than the first of c++, g++ and clang++.
"""

from __future__ import annotations

import argparse
import atexit
import hashlib
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import simcards
from simcards.kernels.jit import cache_root
from simcards.sim.chunk import play_chunk, prepare_plan
from simcards.sim.counts import Counts
from simcards.sim.errors import RequestError
from simcards.sim.numbers import games_count, seed_number
from simcards.sim.plan import chunk_size, cut, make_plan

NATIVE = Path(__file__).resolve().parent / "native"
COMPILERS = ("c++", "g++", "clang++")
FLAGS = ("-std=c++17", "-O3", "-march=native")

OPTIONS: dict[str, dict[str, Any]] = {
    "aces": {"players": 2, "match": "full"},
    "horner": {"players": 2, "rounds": 3},
    "thirteen": {},
}
"""By game, the rules that its twin takes, in the order of its arguments, and their defaults."""

CLOCKS = {"wall": "seconds", "cpu": "cpu_seconds"}
"""Where the seconds stand by each clock."""

FAILED, NOT_MEASURED = 1, 3
"""Exit codes."""


@dataclass(frozen=True)
class Configuration:
    """What is measured."""

    name: str
    game: str
    options: Mapping[str, Any]
    n: int
    """Games, a few tenths of a second of them."""
    unit: str


CONFIGURATIONS = (
    Configuration("aces, 2 players", "aces", {}, 60_000, "matches"),
    Configuration("aces, 3 players", "aces", {"players": 3}, 40_000, "matches"),
    Configuration("aces, 4 players", "aces", {"players": 4}, 25_000, "matches"),
    Configuration("aces, 5 players", "aces", {"players": 5}, 20_000, "matches"),
    Configuration("aces, 6 players", "aces", {"players": 6}, 15_000, "matches"),
    Configuration("aces, 2 players, one hand", "aces", {"match": "hand"}, 800_000, "hands"),
    Configuration("horner, 2 players, one round", "horner", {"rounds": 1}, 250_000, "rounds"),
    Configuration("thirteen, 4 x lowest", "thirteen", {}, 150_000, "deals"),
)


class NoCompiler(Exception):
    """There is no C++ compiler."""


@cache
def find_compiler() -> tuple[str, ...]:
    """Return the command of a C++ compiler.

    Raises
    ------
    NoCompiler
        When there is none.
    """
    chosen = shlex.split(os.environ.get("CXX", ""))
    for command in [chosen] if chosen else [[name] for name in COMPILERS]:
        if path := shutil.which(command[0]):
            return path, *command[1:]
    looked = shlex.join(chosen) if chosen else ", ".join(COMPILERS)
    raise NoCompiler(f"not measured: no C++ compiler was found (looked for {looked}).")


def _output(*command: str) -> str:
    """Run a command; what it says is part of the error if it fails."""
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise RuntimeError(f"{shlex.join(command)} failed:\n{done.stderr or done.stdout}")
    return done.stdout


@cache
def compiler_version() -> str:
    """Return the first line that the compiler says of itself."""
    return _output(*find_compiler(), "--version").partition("\n")[0]


@cache
def _target() -> str:
    """Return what the compiler makes of the flags here: `native` means this processor."""
    return _output(*find_compiler(), *FLAGS, "-dM", "-E", "-x", "c++", os.devnull)


@cache
def _folder() -> Path:
    """Folder of compiled twins: beside the compiled kernels, or where that can't be a new one."""
    folder = cache_root() / "twins"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="simcards-twins-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def build(game: str) -> Path:
    """Compile a game's twin, unless that has been done.

    Parameters
    ----------
    game : str

    Returns
    -------
    Path
        The program.

    Raises
    ------
    NoCompiler
        When there is none.
    RuntimeError
        When the compiler fails, with what it said.
    """
    source = NATIVE / f"{game}.cpp"
    command = [*find_compiler(), *FLAGS]
    digest = hashlib.sha256(source.read_bytes())
    for head in sorted(NATIVE.glob("*.hpp")):
        digest.update(head.read_bytes())
    for part in (*command, compiler_version(), _target()):
        digest.update(b"\0" + part.encode())
    ending = ".exe" if os.name == "nt" else ""
    program = _folder() / f"{game}-{digest.hexdigest()[:20]}{ending}"
    if not program.exists():
        # Made aside, since another process may build it at the same time, or play it already.
        with tempfile.TemporaryDirectory(dir=program.parent) as scratch:
            made = Path(scratch) / program.name
            _output(*command, "-o", str(made), str(source))
            made.replace(program)
    return program


def _with_defaults(game: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options of a twin, in the order of its arguments."""
    if unknown := options.keys() - OPTIONS[game].keys():
        raise TypeError(f"the twin of {game} has no option {', '.join(sorted(unknown))}")
    return OPTIONS[game] | dict(options)


def play(game: str, n: int, seed: int, **options: Any) -> dict[str, Any]:
    """Let a twin play.

    Parameters
    ----------
    game : str
    n : int
        The games 0 .. n - 1.
    seed : int
    **options
        Rules, see `OPTIONS`.

    Returns
    -------
    dict
        What it prints: `counts`, and the `seconds` and `cpu_seconds` of playing, besides what
        it was asked.
    """
    arguments = [str(one) for one in _with_defaults(game, options).values()]
    result = json.loads(_output(str(build(game)), str(n), str(seed), *arguments))
    assert isinstance(result, dict)
    return result


def play_ours(game: str, n: int, seed: int, **options: Any) -> tuple[Counts, dict[str, float]]:
    """Play the same games with simcards, in this thread.

    Parameters
    ----------
    game, n, seed, **options
        As `play` has them.

    Returns
    -------
    counts : Counts
    seconds : dict
        `seconds` and `cpu_seconds` of playing and counting.
    """
    plan = make_plan(game, rules=_with_defaults(game, options), seed=seed)
    prepare_plan(plan)
    counts = Counts()
    wall, cpu = time.perf_counter(), time.process_time()
    for start, stop in cut(0, n, chunk_size(plan)):
        chunk = play_chunk(plan, start, stop, False)
        assert chunk is not None
        counts = counts + chunk.counts
    return counts, {
        "seconds": time.perf_counter() - wall,
        "cpu_seconds": time.process_time() - cpu,
    }


def _length(histogram: Mapping[int, int]) -> dict[str, int]:
    """What a twin keeps of a histogram."""
    return {
        "min": min(histogram),
        "max": max(histogram),
        "sum": sum(value * number for value, number in histogram.items()),
        "squares": sum(value * value * number for value, number in histogram.items()),
    }


def _value(counts: Counts, name: str) -> Any:
    """What simcards counted, by the name that a twin gives it."""
    if name in counts.lengths:
        return _length(counts.lengths[name])
    if name in counts.scores:
        return [_length(one) for one in counts.scores[name]]
    value = counts.events[name] if name in counts.events else getattr(counts, name)
    return list(value) if isinstance(value, tuple) else value


def _pairs(name: str, ours: Any, twin: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield single numbers side by side, each with its name."""
    if isinstance(twin, Mapping):
        for key in twin:
            yield from _pairs(f"{name}.{key}", ours[key], twin[key])
    elif isinstance(twin, list) and len(twin) == len(ours):
        for j, (one, other) in enumerate(zip(ours, twin, strict=True)):
            yield from _pairs(f"{name}[{j}]", one, other)
    else:
        yield name, ours, twin


def differences(counts: Counts, twin: Mapping[str, Any]) -> list[str]:
    """Name the counts of a twin that aren't those of simcards.

    Parameters
    ----------
    counts : Counts
    twin : mapping
        The `counts` of the twin.

    Returns
    -------
    list of str
        Empty when all are the same.
    """
    return [
        f"{name}: simcards {ours}, twin {theirs}"
        for title, value in twin.items()
        for name, ours, theirs in _pairs(title, _value(counts, title), value)
        if ours != theirs
    ]


@dataclass(frozen=True)
class Measurement:
    """Seconds of both, two plays of each a round."""

    configuration: Configuration
    n: int
    ours: tuple[float, ...]
    twin: tuple[float, ...]

    @property
    def ratios(self) -> list[float]:
        """Speed of ours to that of the twin, by round."""
        return [
            sum(self.twin[j : j + 2]) / sum(self.ours[j : j + 2])
            for j in range(0, len(self.ours), 2)
        ]

    def to_json(self) -> dict[str, Any]:
        """Return what was asked, the seconds, and what they come to."""
        ratios = self.ratios
        return {
            **asdict(self.configuration),
            "n": self.n,
            "ours_seconds": self.ours,
            "twin_seconds": self.twin,
            "ours_per_s": self.n / median(self.ours),
            "twin_per_s": self.n / median(self.twin),
            "ratio": median(ratios),
            "ratio_low": min(ratios),
            "ratio_high": max(ratios),
            "ratios": ratios,
        }


def measure(
    configuration: Configuration, n: int, seed: int, rounds: int, clock: str = "wall"
) -> Measurement:
    """Play with both in turn.

    Parameters
    ----------
    configuration : Configuration
    n, seed, rounds : int
    clock : str
        A key of `CLOCKS`.
    """
    options, field = configuration.options, CLOCKS[clock]
    ours: list[float] = []
    twin: list[float] = []
    for _ in range(rounds):
        for mine in (True, False, False, True):
            if mine:
                ours.append(play_ours(configuration.game, n, seed, **options)[1][field])
            else:
                twin.append(play(configuration.game, n, seed, **options)[field])
    return Measurement(configuration, n, tuple(ours), tuple(twin))


def check(configuration: Configuration, n: int, seed: int) -> list[str]:
    """Play once with both; returns the `differences`."""
    counts, _ = play_ours(configuration.game, n, seed, **configuration.options)
    return differences(counts, play(configuration.game, n, seed, **configuration.options)["counts"])


def table(measurements: list[Measurement]) -> str:
    """Return the measurements for people to read."""
    lines = [f"{'':30}{'ours /s':>11}{'twin /s':>11}  ratio  of the rounds"]
    for one in measurements:
        found = one.to_json()
        lines.append(
            f"{one.configuration.name:30}{found['ours_per_s']:>11,.0f}{found['twin_per_s']:>11,.0f}"
            f"  {found['ratio']:5.2f}  {found['ratio_low']:.2f} .. {found['ratio_high']:.2f}"
            f"  ({one.n:,} {one.configuration.unit})"
        )
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Compare and measure; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.twins")
    parser.add_argument("--games", default=",".join(OPTIONS), help="separated by commas")
    parser.add_argument("--n", help="games of each configuration, instead of a number of its own")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="default: wall")
    parser.add_argument("--json", action="store_true", help="print an object, no table")
    asked = parser.parse_args(arguments)
    games = asked.games.split(",")
    if unknown := [game for game in games if game not in OPTIONS]:
        parser.error(f"--games {','.join(unknown)}: there are {', '.join(OPTIONS)}.")
    if asked.rounds < 1:
        parser.error(f"--rounds {asked.rounds}: at least 1.")
    try:
        seed = seed_number(asked.seed)
        n = games_count(asked.n, "--n") if asked.n else None
    except RequestError as error:
        parser.error(str(error))
    chosen = [(one, n or one.n) for one in CONFIGURATIONS if one.game in games]
    try:
        compiler = compiler_version()
        for configuration, number in chosen:
            if different := check(configuration, number, seed):
                print(f"{configuration.name}, {number} games, seed {seed}:", file=sys.stderr)
                print(*(f"  {line}" for line in different), sep="\n", file=sys.stderr)
                return FAILED
    except NoCompiler as error:
        print(error, file=sys.stderr)
        return NOT_MEASURED
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return FAILED
    print("All counts are the same. Measuring ...", file=sys.stderr)
    measurements = [measure(one, number, seed, asked.rounds, asked.clock) for one, number in chosen]
    if asked.json:
        result = {
            "format": "simcards twins",
            "version": 1,
            "simcards": simcards.__version__,
            "python": platform.python_version(),
            "machine": platform.machine(),
            "compiler": compiler,
            "flags": FLAGS,
            "seed": seed,
            "rounds": asked.rounds,
            "clock": asked.clock,
            "measurements": [one.to_json() for one in measurements],
        }
        print(json.dumps(result))
    else:
        print(f"{compiler}, {' '.join(FLAGS)}")
        print(f"one thread each, {asked.rounds} rounds of two plays, {asked.clock} time")
        print(table(measurements), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
