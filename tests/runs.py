"""What the tests of runs share: short runs, and ways to look at what they left behind."""

from __future__ import annotations

import hashlib
import itertools
import json
import signal
from pathlib import Path
from typing import Any
from unittest import mock

import polars as pl

from simcards.analysis.results import Result, run_plan
from simcards.sim import run as run_module
from simcards.sim.errors import Interrupted
from simcards.sim.plan import make_plan

# Requests to simcards.run that between them reach every column of a run.
CASES: dict[str, dict[str, Any]] = {
    "hands": {"rules": {"match": "hand"}},
    "matches": {},
    "random": {
        "players": 3,
        "rules": {"displace": "may", "finish": "last_turn", "jokers": 1},
        "strategies": ["random+random+random", "always+rarest+never", "never+random"],
    },
    "shared": {"players": 3, "rules": {"shrink": 0, "hands": 2}},
    "capped": {"players": 5, "rules": {"packs": 1, "max_turns": 60, "shrink": 5}},
    "shared and capped": {
        "players": 4,
        "rules": {"packs": 1, "max_turns": 40, "shrink": 0, "hands": 3},
    },
}


def row_hash(rows: pl.DataFrame) -> str:
    """Return the SHA-256 of rows: names, types and values."""
    text = f"{rows.schema}\n{rows.write_csv()}"
    return hashlib.sha256(text.encode()).hexdigest()


def assert_same_rows(ours: pl.DataFrame, theirs: pl.DataFrame) -> None:
    """Compare rows value by value, and once more by a hash that no comparison can soften."""
    assert ours.schema == theirs.schema
    assert ours.equals(theirs)
    assert row_hash(ours) == row_hash(theirs)


def files(folder: Path) -> dict[str, tuple[int, str]]:
    """Return every file below a folder: time of its last change, and its SHA-256."""
    return {
        path.relative_to(folder).as_posix(): (
            path.stat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest(),
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def manifest(folder: Path) -> dict[str, Any]:
    """Return what stands in a manifest."""
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


def journal(folder: Path) -> list[dict[str, Any]]:
    """Return the chunks in a journal, in the order they were finished."""
    path = folder / "chunks.jsonl"
    lines = path.read_bytes().splitlines() if path.exists() else []
    return [json.loads(line)["chunk"] for line in lines]


def interrupted(games: int, *, number: int = signal.SIGINT, **request: Any) -> Result:
    """Run what simcards.run would, but send a signal when a chunk that far is finished.

    Two chunks a thread are under way then, so no more than these can be finished besides.
    """
    names = {"players", "rules", "strategies", "seed"} & set(request)
    plan = make_plan("aces", **{name: request.pop(name) for name in names})
    far = request.get("first", 0) + games
    sent = itertools.count()
    play = run_module.play_chunk

    def play_and_stop(plan: Any, start: int, stop: int, *rest: Any) -> Any:
        chunk = play(plan, start, stop, *rest)
        if stop >= far and next(sent) == 0:
            signal.raise_signal(number)
        return chunk

    with mock.patch.object(run_module, "play_chunk", play_and_stop):
        try:
            run_plan(plan, **request)
        except Interrupted as stopped:
            return stopped.result
    raise AssertionError("the run was over before it was interrupted")
