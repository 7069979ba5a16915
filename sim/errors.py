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


class Interrupted(SimcardsError):
    """A run was stopped from outside; what it finished is in `result`.

    Attributes
    ----------
    result : simcards.Result
        The summary, and rows if kept, of the games finished before the stop.
    signal : int
        Number of the signal: 2 for Ctrl-C, 15 for a request to terminate.
    """

    def __init__(self, message: str, signal: int, result: Any = None) -> None:
        super().__init__(message)
        self.signal = signal
        self.result = result
        self.exit_code = 128 + signal  # as shells count


class NothingWritableWarning(UserWarning):
    """Compiled kernels can't be kept, so every process compiles them anew."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the nearest known word, or '' when none is near."""
    near = difflib.get_close_matches(word, list(known), 1, 0.6)
    return near[0] if near else ""
