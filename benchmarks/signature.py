"""Whether games come out as they did: hashes of the counts of fixed runs, kept in the repository.

    python -m benchmarks signature
    python -m benchmarks signature --games aces --update

The runs reach every preset, option value and built-in strategy (cases.py). Exit code 0: all as
kept; 1: a run's counts differ though the game's engine number is the same; 3: something isn't
kept yet (a new run, a new count, another engine number), which --update takes in. It takes in no
run that differs under the same engine number.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from simcards.sim.chunk import play_chunk, prepare_kernel
from simcards.sim.counts import Counts
from simcards.sim.game import Game

from .cases import plan_of, playable, request_of, requests, suggested_games
from .checkout import (
    BASELINES,
    FAILED,
    NOT_MEASURED,
    PASSED,
    add_games,
    check_imported,
    chosen_games,
)

FORMAT, VERSION = "simcards signature", 1
BASELINE = BASELINES / "signature.json"
GROUPS = ("lengths", "scores", "events", "tallies")


@dataclass(frozen=True)
class Found:
    """What came of a game's runs, beside what is kept."""

    game: Game
    entry: dict[str, Any]
    """What is to be kept: engine, names of counts, and by run its games and hash."""
    differing: tuple[str, ...]
    """Runs whose counts are not those that are kept."""
    new: tuple[str, ...]
    """What isn't kept yet, or is kept and refused now."""


def play(game: str, text: str, n: int) -> Counts:
    """Play a request's games."""
    first = request_of(game, text).get("first", 0)
    chunk = play_chunk(plan_of(game, text), first, first + n, False)
    assert chunk is not None
    counts: Counts = chunk.counts  # of a comparison it would be something else
    return counts


def parts(counts: Counts) -> dict[str, Any]:
    """Return counts by name, such as ``wins`` and ``events.pies``."""
    found = counts.to_json()
    named = {name: value for name, value in found.items() if name not in GROUPS}
    for group in GROUPS:
        named |= {f"{group}.{name}": value for name, value in found.get(group, {}).items()}
    return named


def counts_hash(named: Mapping[str, Any], names: Iterable[str]) -> str:
    """Hash some of the counts; one that isn't there counts as None."""
    text = json.dumps([[name, named.get(name)] for name in sorted(names)], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def check_game(game: Game, kept: Mapping[str, Any]) -> Found:
    """Play all runs of a game, as many games as are kept of each, and compare."""
    prepare_kernel(game)
    runs: dict[str, str] = {}
    differing: list[str] = []
    new: list[str] = []
    known: Mapping[str, str] = kept.get("runs", {})
    names: list[str] = []
    if kept and kept["engine"] != game.engine:
        new.append(f"engine {game.engine}; kept is engine {kept['engine']}")
    for name in dict.fromkeys([*requests(game), *known]):
        words = known.get(name, "").split()
        if not playable(game, name):
            new.append(f"run '{name}', which is refused now")
            continue
        n = int(words[0]) if words else suggested_games(plan_of(game.name, name))
        named = parts(play(game.name, name, n))
        names = sorted({*names, *named})
        runs[name] = f"{n} {counts_hash(named, named)}"
        if not words:
            new.append(f"run '{name}'")
        elif counts_hash(named, kept["counts"]) != words[1]:
            differing.append(name)
    new += [f"count '{name}'" for name in names if kept and name not in kept["counts"]]
    entry = {"engine": game.engine, "counts": names, "runs": runs}
    same_engine = not kept or kept["engine"] == game.engine
    return Found(game, entry, tuple(differing) if same_engine else (), tuple(new))


def read() -> dict[str, Any]:
    """Return what is kept by game; empty if nothing is."""
    if not BASELINE.exists():
        return {}
    kept: dict[str, Any] = json.loads(BASELINE.read_text(encoding="utf-8"))["games"]
    return kept


def write(kept: Mapping[str, Any]) -> None:
    """Keep this."""
    table = {"format": FORMAT, "version": VERSION, "games": dict(sorted(kept.items()))}
    BASELINE.parent.mkdir(exist_ok=True)
    text = json.dumps(table, indent=1, ensure_ascii=False) + "\n"
    BASELINE.write_text(text, encoding="utf-8", newline="\n")


def lines(found: Found, updated: bool) -> Iterator[str]:
    """Yield what is to be said of a game."""
    name, number = found.game.name, len(found.entry["runs"])
    for run in found.differing:
        yield f"{name}: {run}: the counts differ, and the engine number is still the same."
    if found.differing:
        yield (
            f"{name}: {len(found.differing)} of {number} runs differ. If that is meant, raise "
            f"`engine` in sim/games/{name}.py, then --update."
        )
    for what in found.new:
        yield f"{name}: {'taken in' if updated else 'not kept yet'}: {what}"
    if not found.differing and not found.new:
        yield f"{name}: {number} runs as kept, engine {found.game.engine}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_games(parser)
    parser.add_argument("--update", action="store_true", help="keep what is new")


def run(asked: argparse.Namespace) -> int:
    """Compare all runs with what is kept; returns the exit code."""
    chosen = chosen_games(asked.games)
    check_imported()
    kept = read()
    code = PASSED
    for game in chosen:
        found = check_game(game, kept.get(game.name, {}))
        updated = asked.update and not found.differing
        print("\n".join(lines(found, updated)))
        if updated:
            kept[game.name] = found.entry
        if found.differing:
            code = FAILED
        elif found.new and not updated:
            code = code or NOT_MEASURED
    if asked.update:
        write(kept)
    if code == NOT_MEASURED:
        print("Not all of it was compared; take in what is new: python -m benchmarks signature")
        print("with --update, and look at what that changes.")
    return code
