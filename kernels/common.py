"""What the kernels of all games share: their arguments' shapes, and helpers on bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype, types

from .jit import bots_type, helper

STOP, PROGRESS = range(2)
"""`control`, int64[2] shared with the caller: a wish to stop, the index being played."""

USER = -1
"""Number of a strategy that a user has written: its seat's function is asked."""

PARAMETERS = 8
"""Integer parameters that a strategy can have."""

CHOICES = 16
"""Kinds of answers that are told apart when a user's strategy is checked."""


class IllegalChoice(Exception):
    """A user's strategy has answered what the rules don't allow."""


def record(*fields: tuple[Any, ...]) -> np.dtype[Any]:
    """Structured dtype whose elements have their fields as attributes, compiled or not.

    Raises
    ------
    ValueError
        When NumPy's own attribute of that name would be read instead, without the compiler.
    """
    clashing = [name for name, *_ in fields if hasattr(np.record, name)]
    if clashing:
        raise ValueError(f"NumPy's records have attributes of these names: {clashing}")
    return np.dtype((np.record, np.dtype(list(fields), align=True)))


STRATEGY = record(("number", np.int64), ("draws", np.int64), ("parameter", np.int64, (PARAMETERS,)))
"""A strategy for one decision: which, whether it draws random words, its parameters."""


ASKING = (
    ("user_seat", np.int64),  # 1 + the seat whose own function is being asked; 0: none
    ("user_decision", np.int64),
    ("user_answer", np.int64),
    ("choices", np.int64, (3, CHOICES)),  # answers of users' functions, by decision and kind
    ("flushed", np.int64),  # events told before those on the slate
)
"""Fields of every game's table that say how users' strategies are asked."""


def signature(
    rules: Any, table: Any, row: Any, tally_axes: int, view: Any, seats: int
) -> tuple[Any, ...]:
    """Types of the arguments of a game's `play`, from its dtypes and its number of seats.

    Returns
    -------
    tuple of Numba types
        seed, first, rules, strategies, bots, tables, rows, tally, log, control.
    """
    return (
        types.uint64,
        types.int64,
        from_dtype(rules)[::1],
        from_dtype(STRATEGY)[:, ::1],
        bots_type(view, seats),
        from_dtype(table)[::1],
        from_dtype(row)[::1],
        types.Array(types.int64, tally_axes, "C"),
        types.int64[:, ::1],
        types.int64[::1],
    )


@helper
def ask(table, bots, seat, decision) -> int:
    """Ask a seat's own function what it makes of the table's view; `check` follows."""
    table.user_seat = seat + 1
    table.user_decision = decision
    answer = bots[seat](table.seen[0])
    table.user_answer = answer
    return answer


@helper
def check(table, legal, kind) -> None:
    """Count a user's answer, or end the run: the table says who was asked what, and answered."""
    if not legal:
        raise IllegalChoice("a strategy's answer is against the rules")
    table.choices[table.user_decision, kind] += 1
    table.user_seat = 0


@helper
def ones(mask) -> int:
    """Number of bits set."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@helper
def lowest_bit(mask) -> int:
    """Position of the lowest bit set; `mask` must not be 0."""
    return ones((mask & -mask) - 1)


@helper
def add_up(tally, counted) -> None:
    """Add what a table has counted to the caller's tally, three axes.

    Kernels count in their table: each call of a function with an array costs two atomic
    additions, as Numba keeps count of who holds it.
    """
    for first in range(tally.shape[0]):
        for second in range(tally.shape[1]):
            for third in range(tally.shape[2]):
                tally[first, second, third] += counted[first, second, third]


@helper
def flush(table, log, told) -> int:
    """Move the events of a table's slate to `log`, as far as they fit.

    Parameters
    ----------
    table
        A record with `told`, events on the slate, and `slate`, int64[events, fields].
    log : int64[events, fields]
    told : int64
        Events told before.

    Returns
    -------
    int64
        Events told so far.
    """
    for j in range(table.told):
        if told < log.shape[0]:
            for field in range(log.shape[1]):
                log[told, field] = table.slate[j, field]
        told += 1
    table.told = 0
    table.flushed = told
    return told
