"""Errors for people: what was wrong, where, what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class SimcardsError(Exception):
    """Base of the errors that simcards raises on purpose."""

    exit_code = 1


class RequestError(SimcardsError, ValueError):
    """What was asked for can't be done as stated. Nothing was run or written."""

    exit_code = 2


class RunError(SimcardsError, RuntimeError):
    """A run or a check failed."""

    exit_code = 1


class StrategyError(RunError):
    """A user's strategy has answered against the rules, or failed.

    Attributes
    ----------
    index, seat : int
        In which game, and whose.
    events : list of dict
        What happened in that game before, if it was told.
    told : simcards.Replay or None
        The same as a replay.
    plan : simcards.sim.plan.Plan or None
        What was played.
    """

    def __init__(
        self, message: str, index: int, seat: int, events: Any = (), plan: Any = None
    ) -> None:
        super().__init__(message)
        self.plan = plan
        self.index = index
        self.seat = seat
        self.events = list(events)
        self.told: Any = None

    def __reduce__(self) -> Any:  # or it couldn't come back from another process
        return StrategyError, (str(self), self.index, self.seat, self.events, self.plan)


class Interrupted(SimcardsError):
    """A run was stopped from outside; what it finished is in `result`.

    Attributes
    ----------
    result : simcards.Result
        The summary, and rows if kept, of the games finished before the stop.
    signal : int
        Number of the signal: 2 for Ctrl-C, 15 for a request to terminate.
    stuck : bool
        A user's strategy didn't return. Its thread goes on until the process is ended hard.
    """

    def __init__(
        self, message: str, signal: int, result: Any = None, *, stuck: bool = False
    ) -> None:
        super().__init__(message)
        self.signal = signal
        self.stuck = stuck
        self.result = result
        self.exit_code = 128 + signal  # as shells count

    def __reduce__(self) -> Any:
        return Interrupted, (str(self), self.signal, self.result)


class NothingWritableWarning(UserWarning):
    """Compiled kernels can't be kept, so every process compiles them anew."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the nearest known word, or '' when none is near."""
    near = difflib.get_close_matches(word, list(known), 1, 0.6)
    return near[0] if near else ""
