"""How many games a second this machine plays, without compiling and starting."""

from __future__ import annotations

import os
import platform
import statistics
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import __version__
from ..sim.chunk import prepare_kernel
from ..sim.errors import RunError, SimcardsError
from ..sim.game import Game
from ..sim.games import GAMES, find_game
from ..sim.numbers import games_count
from ..sim.plan import Plan, chunk_size, make_plan
from ..sim.processors import usable_processors
from ..sim.provenance import versions
from .results import run_plan
from .screen import WIDTH

FORMAT, VERSION = "simcards bench", 1
SEED = 1
REPETITIONS = 5
SECONDS = 0.4
"""About what a repetition takes at least, if no number of games is given."""
SHORT = 0.05
"""Seconds of a repetition below which starting threads tells."""
CPUINFO = Path("/proc/cpuinfo")


class NotMeasured(SimcardsError):
    """Nothing was measured, or there is nothing to compare with: neither passed nor failed."""

    exit_code = 3


@dataclass(frozen=True)
class Measured:
    """Repetitions of the same games."""

    plan: Plan
    threads: int
    n: int
    seconds: tuple[float, ...]
    """Of each repetition."""

    @property
    def speeds(self) -> list[float]:
        """Games a second, the slowest repetition first."""
        return sorted(self.n / one for one in self.seconds)

    @property
    def median(self) -> float:
        """Games a second of the median repetition."""
        return statistics.median(self.speeds)

    def to_json(self) -> dict[str, Any]:
        """Return what docs/performance.md says of an element of `measured`."""
        plan = self.plan
        return {
            "game": plan.game,
            "engine": plan.description.engine,
            "unit": plan.unit.one,
            "preset": plan.preset,
            "players": plan.rules.players,
            "strategies": [player.text for player in plan.players],
            "seed": plan.seed,
            "threads": self.threads,
            "n": self.n,
            "seconds": [round(one, 6) for one in self.seconds],
            "games_per_s": {
                "median": round(self.median, 1),
                "low": round(self.speeds[0], 1),
                "high": round(self.speeds[-1], 1),
            },
        }


def standard_plans(game: Game) -> tuple[Plan, ...]:
    """Return what is measured of a game: each preset, with its own strategies."""
    return tuple(make_plan(game.name, preset=preset, seed=SEED) for preset in game.presets)


def processor_model() -> str:
    """Name this machine's processor, as well as the system knows it."""
    try:
        for line in CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() in ("model name", "Model", "cpu model") and value.strip():
                return value.strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "unknown"


def machine() -> dict[str, Any]:
    """Describe what a speed depends on besides simcards."""
    named = versions()
    return {
        "processor": processor_model(),
        "processors": usable_processors(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        **{name: named[name] for name in ("python", "numpy", "numba", "llvmlite")},
    }


def _seconds(plan: Plan, n: int, threads: int) -> float:
    """Play once.

    Raises
    ------
    RunError
        When something was compiled meanwhile: that is no speed of playing.
    """
    summary = run_plan(plan, n=n, threads=threads).summary
    if summary.compile_s or summary.completed != n:
        raise RunError(
            f"{plan.game}: compiled for {summary.compile_s:.1f} s while it was measured; "
            "no speed can be told."
        )
    return summary.elapsed_s


def _games(plan: Plan, n: int | None, threads: int) -> int:
    """How many games a repetition plays: without `n` whole chunks, as many for each thread."""
    if n is not None:
        return n
    round_ = threads * chunk_size(plan)
    return round_ * max(1, round(SECONDS / max(_seconds(plan, round_, threads), 1e-9)))


def measure(plan: Plan, n: int | None, threads: int) -> Measured:
    """Play some games once to be warm, then several times by the clock."""
    games = _games(plan, n, threads)
    _seconds(plan, games, threads)
    return Measured(
        plan, threads, games, tuple(_seconds(plan, games, threads) for _ in range(REPETITIONS))
    )


def bench(
    game: str | None = None,
    n: Any = None,
    on_compile: Callable[[Game], Callable[[], None] | None] = lambda game: None,
) -> Iterator[Measured]:
    """Measure a game, or all: every preset on one thread, then on all there are.

    Parameters
    ----------
    game : str, optional
        Name or alias.
    n : int or str, optional
        Games in a repetition; about `SECONDS` of them if left out.
    on_compile : callable
        From a game to what is called before its kernel is compiled.

    Raises
    ------
    RequestError
        When there is no such game, or `n` is no number of games.
    NotMeasured
        Where kernels aren't compiled.
    """
    chosen = GAMES if game is None else (find_game(game),)
    games = None if n is None else games_count(n)
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        raise NotMeasured("not measured: NUMBA_DISABLE_JIT is set, so nothing is compiled.")

    def measured() -> Iterator[Measured]:
        for one in chosen:
            prepare_kernel(one, on_compile(one))
            for plan in standard_plans(one):
                for threads in sorted({1, usable_processors()}):
                    yield measure(plan, games, threads)

    return measured()


def bench_json(found: Sequence[Measured]) -> dict[str, Any]:
    """Return everything as docs/performance.md says."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "simcards": __version__,
        "machine": machine(),
        "engines": {one.plan.game: one.plan.description.engine for one in found},
        "repetitions": REPETITIONS,
        "measured": [one.to_json() for one in found],
    }


def bench_head() -> str:
    """Return the line above the measurements."""
    return f"{'game':<10}{'preset':<16}{'threads':>7}{'a second, median':>24}{'slowest':>11}" + (
        f"{'fastest':>12}"
    )


def bench_line(one: Measured) -> str:
    """Return what was measured, in a line."""
    speed = f"{one.median:,.0f} {one.plan.unit.many}"
    return (
        f"{one.plan.game:<10}{one.plan.preset:<16}{one.threads:>7}{speed:>24}"
        f"{one.speeds[0]:>11,.0f}{one.speeds[-1]:>12,.0f}"
    )


def bench_foot(found: Sequence[Measured]) -> Iterator[str]:
    """Yield what the speeds were measured on, and how."""
    about = machine()
    count = about["processors"]
    engines = {one.plan.game: one.plan.description.engine for one in found}
    said = [
        f"{REPETITIONS} repetitions each, after one to be warm; compiling and starting are not in "
        "it.",
        f"{about['processor']}, {count} processor{'s' if count != 1 else ''} to use; "
        f"{about['system']}; Python {about['python']}, NumPy {about['numpy']}, Numba "
        f"{about['numba']}, llvmlite {about['llvmlite']}.",
        f"simcards {__version__}, engine "
        + ", ".join(f"{number} of {game}" for game, number in engines.items())
        + ".",
    ]
    if min(min(one.seconds) for one in found) < SHORT:
        said.append(
            f"Some repetitions took less than {SHORT:g} s, too little to go by: use a larger --n."
        )
    for one in said:
        yield from textwrap.wrap(one, WIDTH, break_on_hyphens=False)
