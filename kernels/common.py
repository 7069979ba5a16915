"""What the kernels of all games share: their arguments' shapes, and helpers on bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype, types

from .jit import helper

STOP, PROGRESS = range(2)
"""`control`, int64[2] shared with the caller: a wish to stop, the index being played."""


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


STRATEGY = record(("number", np.int64), ("draws", np.int64), ("parameter", np.int64, (8,)))
"""A strategy for one decision: which, whether it draws random words, its parameters."""


def signature(rules: Any, table: Any, row: Any, tally_axes: int) -> tuple[Any, ...]:
    """Types of the arguments of a game's `play`, from its dtypes.

    Returns
    -------
    tuple of Numba types
        seed, first, rules, strategies, tables, rows, tally, log, control.
    """
    return (
        types.uint64,
        types.int64,
        from_dtype(rules)[::1],
        from_dtype(STRATEGY)[:, ::1],
        from_dtype(table)[::1],
        from_dtype(row)[::1],
        types.Array(types.int64, tally_axes, "C"),
        types.int64[:, ::1],
        types.int64[::1],
    )


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
    at = np.int64(0)
    while (mask >> at) & 1 == 0:
        at += 1
    return at


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
    return told
