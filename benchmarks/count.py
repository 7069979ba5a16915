"""Instructions a game, counted by valgrind, against a baseline kept in the repository.

    python -m benchmarks count
    python -m benchmarks count --games aces --update

A time depends on what else the machine does; a number of instructions hardly does. Each preset is
counted, and each strategy on all seats: a start, n games and their counts; then 2n. The difference
over n has no compiling and no start in it. More than 1 % above the baseline fails.

Counts hold for one code generator and one kind of processor. So the kernels are compiled for
x86-64-v3, which valgrind knows, and a baseline belongs to the versions that made it. Exit code 1:
slower; 3: not measured, or no baseline for these versions.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simcards.analysis.bench import NotMeasured
from simcards.sim.errors import RunError
from simcards.sim.game import Game
from simcards.sim.provenance import versions

from .cases import plan_of, presets, strategies, suggested_games
from .checkout import (
    BASELINES,
    FAILED,
    NOT_MEASURED,
    PASSED,
    ROOT,
    add_games,
    check_imported,
    chosen_games,
)

FORMAT, VERSION = "simcards instructions", 1
BASELINE = BASELINES / "instructions.json"
TOLERANCE = 0.01
PROCESSOR = "x86-64-v3"
CHILD = "benchmarks.count_child"
ENVIRONMENT = {
    "NUMBA_CPU_NAME": PROCESSOR,
    "NUMBA_CPU_FEATURES": "",  # those of that name, not those of this machine
    "NUMBA_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}


@dataclass(frozen=True)
class Counted:
    """Instructions a game of a configuration."""

    name: str
    n: int
    instructions: float
    kept: float | None
    """The baseline, if there is one."""

    @property
    def change(self) -> float | None:
        """How much more than the baseline, of 1."""
        return None if self.kept is None else self.instructions / self.kept - 1

    @property
    def slower(self) -> bool:
        """Whether it is more than the gate lets through."""
        return self.change is not None and self.change > TOLERANCE


def key() -> str:
    """Name what a count depends on besides the sources."""
    known = versions()
    python = ".".join(known["python"].split(".")[:2])
    others = [f"{name} {known[name]}" for name in ("numpy", "numba", "llvmlite")]
    return ", ".join([f"{platform.machine()} as {PROCESSOR}", f"python {python}", *others])


def check_machine() -> str:
    """Return where valgrind is.

    Raises
    ------
    NotMeasured
        When it isn't there, or the machine is of another kind.
    """
    if platform.machine() != "x86_64" or sys.platform != "linux":
        raise NotMeasured(
            f"not measured: counts are made on Linux x86_64, not {platform.system()} "
            f"{platform.machine()}."
        )
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise NotMeasured("not measured: valgrind is not installed.")
    return valgrind


def cases(chosen: Iterable[Game]) -> list[str]:
    """Return what is counted: games and requests."""
    return [
        f"{game.name} {text}"
        for game in chosen
        for text in (*presets(game), *strategies(game, parameters=False))
    ]


def start(words: list[str], tasks: Any, extra: Mapping[str, str]) -> str:
    """Run a process that is given tasks as JSON; returns what it writes.

    Raises
    ------
    NotMeasured
        When it fails.
    """
    environment = {**os.environ, **ENVIRONMENT, **extra}
    environment.pop("NUMBA_DISABLE_JIT", None)
    done = subprocess.run(
        words,
        cwd=ROOT,
        env=environment,
        input=json.dumps(tasks),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise NotMeasured(f"not measured: {' '.join(words[-3:])} failed:\n{done.stderr.strip()}")
    return done.stdout


def total_of(file: Path) -> int:
    """Return the instructions that a file of cachegrind tells of."""
    for line in reversed(file.read_text(encoding="utf-8", errors="replace").splitlines()):
        if match := re.fullmatch(r"summary: (\d+)", line):
            return int(match[1])
    raise NotMeasured(f"not measured: {file.name} has no summary of instructions.")


def measure(n: Mapping[str, int]) -> dict[str, float]:
    """Count the instructions a game of some cases, n games of each."""
    valgrind = check_machine()
    tasks = list(n.items())
    python = [sys.executable, "-m", CHILD]
    start([*python, "warm"], tasks, {})
    with tempfile.TemporaryDirectory(prefix="simcards-count-") as folder:
        words = [valgrind, "-q", "--tool=cachegrind", "--cache-sim=no"]
        words += [f"--cachegrind-out-file={folder}/%p", *python, "count"]
        found: dict[str, float] = {}
        for line in start(words, tasks, {}).splitlines():
            name, fewer, more = json.loads(line)
            twice, once = total_of(Path(folder, str(more))), total_of(Path(folder, str(fewer)))
            found[name] = (twice - once) / n[name]
    if list(found) != list(n) or min(found.values(), default=0) <= 0:
        raise RunError("valgrind counted something else than was asked for.")
    return found


def read() -> dict[str, dict[str, list[float]]]:
    """Return the baselines: by key and configuration its n and instructions."""
    if not BASELINE.exists():
        return {}
    kept: dict[str, dict[str, list[float]]] = json.loads(BASELINE.read_text("utf-8"))["keys"]
    return kept


def write(kept: Mapping[str, Mapping[str, list[float]]]) -> None:
    """Keep baselines, a configuration a line."""
    table = {"format": FORMAT, "version": VERSION, "keys": kept}
    text = re.sub(r"\[\s+(\S+)\s+(\S+)\s+\]", r"[\1 \2]", json.dumps(table, indent=1))
    BASELINE.parent.mkdir(exist_ok=True)
    BASELINE.write_text(text + "\n", encoding="utf-8", newline="\n")


def lines(found: Iterable[Counted]) -> Iterator[str]:
    """Yield a table of what was counted."""
    yield f"{'configuration':<40}{'instructions a game':>20}{'baseline':>12}"
    for one in found:
        name = one.name if len(one.name) <= 40 else f"{one.name[:37]}..."
        kept = "none" if one.kept is None else f"{one.kept:,.0f}"
        change = "" if one.change is None else f"{100 * one.change:+.2f} %"
        yield f"{name:<40}{one.instructions:>20,.0f}{kept:>12}{change:>12}".rstrip()


def verdict(found: Iterable[Counted]) -> tuple[int, list[str]]:
    """Return the exit code, and sentences that say why."""
    said = [
        f"slower: {one.name}, {100 * (one.change or 0):+.2f} %, more than {100 * TOLERANCE:g} %"
        for one in found
        if one.slower
    ]
    missing = [f"no baseline: {one.name}" for one in found if one.kept is None]
    better = [one.name for one in found if one.change is not None and one.change < -TOLERANCE]
    if better:
        said.append(f"faster, so that --update would hold it: {', '.join(better)}")
    code = FAILED if any(one.slower for one in found) else NOT_MEASURED if missing else PASSED
    if code == PASSED:
        said.append(f"passed: none is more than {100 * TOLERANCE:g} % above its baseline")
    return code, said + missing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_games(parser)
    parser.add_argument("--update", action="store_true", help="keep what is counted")


def run(asked: argparse.Namespace) -> int:
    """Count, and compare with the baseline; returns the exit code."""
    chosen = cases(chosen_games(asked.games))
    check_machine()
    check_imported()
    baselines = read()
    kept = baselines.get(key(), {})
    if not kept and not asked.update:
        raise NotMeasured(
            f"not measured: no baseline for {key()}.\n"
            f"  There are: {'; '.join(baselines) or 'none'}.\n"
            "  On the revision to compare with: python -m benchmarks count --update"
        )
    n = {
        name: int(kept[name][0]) if name in kept else suggested_games(plan_of(*name.split(" ", 1)))
        for name in chosen
    }
    found = [
        Counted(name, n[name], count, kept[name][1] if name in kept else None)
        for name, count in measure(n).items()
    ]
    print(key())
    print("\n".join(lines(found)))
    if asked.update:
        write({**baselines, key(): kept | {one.name: [one.n, round(one.instructions, 1)]
                                           for one in found}})  # fmt: skip
        print(f"kept in {BASELINE.relative_to(ROOT)}")
        return PASSED
    code, said = verdict(found)
    print("\n".join(said))
    return code
