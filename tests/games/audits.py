"""What the tests of audits share: games as the kernel tells them, and logs that are wrong."""

from __future__ import annotations

from typing import Any

from simcards.sim.chunk import play_told, prepare_kernel
from simcards.sim.games import find_game
from simcards.sim.plan import make_plan

Log = list[list[int]]


def told(
    game: str, index: int, strategies: Any = None, seed: int = 11, **rules: Any
) -> tuple[Any, Log]:
    """Return the rules and the kernel's events of a game."""
    prepare_kernel(find_game(game))
    plan = make_plan(game, rules=rules, strategies=strategies, seed=seed)
    done = play_told(plan, index)
    return plan.rules, done.log[: done.told].tolist()


def at(log: Log, code: int) -> list[int]:
    """Return the numbers of the events of a kind."""
    return [j for j, event in enumerate(log) if event[0] == code]


def changed(log: Log, j: int, field: int, value: int) -> Log:
    """Return a log with a number of an event replaced."""
    copy = [list(event) for event in log]
    copy[j][field] = value
    return copy
