"""Aces: what Python calls, and which way a run is played.

The rules stand in `aces_match`, one game at a time. Runs by the usual rules and strategies are
played by `aces_together`, many matches at once, to the same rows; here it is chosen.
"""

from __future__ import annotations

import numpy as np

from .aces_lanes import covers
from .aces_match import play_match
from .aces_numbers import DECISIONS, EVENT_WIDTH, MAX_SEATS
from .aces_table import ROW, RULES, TABLE, TALLY
from .aces_together import play_together
from .aces_view import VIEW
from .common import PROGRESS, STOP, add_up, signature
from .jit import entry

__all__ = [
    "EVENT_WIDTH",
    "MAX_SEATS",
    "ROW",
    "RULES",
    "SIGNATURE",
    "TABLE",
    "TALLY",
    "VIEW",
    "play",
]

SIGNATURE = signature(RULES, TABLE, ROW, len(TALLY), VIEW, MAX_SEATS)


@entry
def play(seed, first, rules, strategies, bots, tables, rows, by_sizes, log, control):
    """Play the matches first, first + 1, ... one a row.

    Parameters
    ----------
    seed : uint64
    first : int64
        Index of the first match.
    rules : RULES[1]
    strategies : STRATEGY[seats, DECISIONS]
    bots : tuple of MAX_SEATS functions of a view
        Asked for seats whose strategy is USER.
    tables : TABLE[1]
        Zeros; scratch. Given by the caller, which keeps it alive: Numba would free an array of
        our own while we work on its element.
    rows : ROW[matches]
        Written.
    by_sizes : int64[KINDS, KINDS, 2]
        Hands, and hands won by their starter, by the starter's layout size and the
        smallest other one (alone: its own). Added to.
    log : int64[events, EVENT_WIDTH]
        Written, for a single match; no rows: nothing is told.
    control : int64[2]
        STOP is read before each hand, PROGRESS written.

    Returns
    -------
    played : int64
        Matches played to the end; fewer than rows only after a stop.
    told : int64
        Events told, more than `log` has rows when it was too short.
    """
    table = tables[0]
    table.by_sizes[:] = 0
    table.telling = np.int64(log.shape[0] > 0)
    for seat in range(strategies.shape[0]):
        for decision in range(DECISIONS):
            table.strategy[seat, decision] = strategies[seat, decision]
            table.draws[seat] |= strategies[seat, decision].draws
    if log.shape[0] == 0 and covers(rules[0], strategies):
        played = play_together(seed, first, rules[0], strategies, bots, table, rows, log, control)
        add_up(by_sizes, table.by_sizes)
        return played, 0
    played = 0
    told = 0
    for j in range(rows.shape[0]):
        if control[STOP] != 0:
            break
        control[PROGRESS] = first + j
        told = play_match(table, rules[0], rows[j], bots, seed, first + j, log, control)
        played = j + 1
    add_up(by_sizes, table.by_sizes)
    if control[STOP] != 0:  # the last match may not have been finished
        played = max(played - 1, 0)
    return played, told
