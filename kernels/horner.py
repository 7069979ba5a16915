"""Matches of horner, and which way their rounds are played.

`horner_turn` has the rules, from one decision to the next. Most matches of which nothing is told
are played by `horner_quick`, to the same rows; here it is chosen. Rule numbers are those of
docs/rules/horner.md.
"""

from __future__ import annotations

import numpy as np

from .common import PROGRESS, STOP, add_up, flush, lowest_bit, signature
from .horner_numbers import (
    DECISIONS,
    EVENT_ROUND_END,
    EVENT_WIDTH,
    LOSER,
    MAX_SEATS,
    NOBODY,
    ROTATE,
    SAME,
    SHARED,
)
from .horner_quick import covers, play_quick_round, prepare
from .horner_strategies import answer
from .horner_table import ROW, RULES, TABLE, TALLY, tell
from .horner_turn import OVER, TURN_TOLD, advance, start_round
from .horner_view import VIEW
from .jit import entry, part
from .random import U64, next_word, start_stream

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

I64 = np.int64

SIGNATURE = signature(RULES, TABLE, ROW, len(TALLY), VIEW, MAX_SEATS)


@part
def play_round(table, rules, bots, row, seed, index, starter, log, told, control):
    """H2 to H8: one round. Returns whether it was played to its end, and the events told so far."""
    hand = row.rounds
    table.live[0] = table.blank[0]
    state = table.live[0]
    state.seed = seed
    state.index = index
    state.hand = hand
    for seat in range(rules.players):
        state.before[seat] = row.points[seat]
    state.telling = I64(log.shape[0] > 0)
    for seat in range(rules.players):
        if table.draws[seat]:
            start_stream(table.choice[seat], seed, index, hand, 1 + seat, 0)
    start_round(table, state, rules, starter)
    asked = advance(table, state, rules)
    while asked != OVER:
        if asked == TURN_TOLD:
            told = flush(table, log, told)
        else:
            if control[STOP] != 0:
                return False, told
            draws = table.draws[state.seat]
            word = next_word(table.choice[state.seat]) if draws else U64(0)
            state.answer = answer(table, rules, bots, state, asked, word)
        asked = advance(table, state, rules)
    if state.telling:
        tell(table, state, EVENT_ROUND_END, 0, 0, 0, 0)
        for seat in range(rules.players):
            table.slate[table.told - 1, 3 + seat] = state.points[seat]
        told = flush(table, log, told)
    return True, told


@part
def count_round(table, rules, row, starter) -> None:
    """Add a round to the row of its match, and its pies to the tally unless it was capped."""
    state = table.live[0]
    row.rounds += 1
    row.turns += state.turns
    row.flips += state.flips
    row.flips_placed += state.flips_placed
    row.from_discard += state.from_discard
    row.reshuffles += state.reshuffles
    row.passes += state.passes
    row.dead += state.dead
    row.forced += state.forced
    row.free += state.free
    row.longest_wait = max(row.longest_wait, state.longest_wait)
    row.first_flip_placed += state.first_flips & 1
    row.first_two_placed += I64(state.first_flips == 3)
    row.capped = state.capped
    for seat in range(rules.players):
        row.points[seat] += state.points[seat]
    if state.first_out >= 0:
        row.first_outs[state.first_out] += 1
        row.starter_first_out += I64(state.first_out == starter)
    if row.rounds == 1:
        row.first_out = state.first_out
    for pie in range(rules.varieties):
        seat = state.taker[pie]
        if seat < 0:
            continue
        to_dealt = (state.to_dealt >> pie) & 1
        row.pies[seat] += 1
        row.pies_taken += 1
        row.pies_to_dealt += to_dealt
        if state.capped == 0:
            table.pies[seat, rules.pie_number[pie], 0] += 1
            table.pies[seat, rules.pie_number[pie], 1] += to_dealt


@part
def next_starter(state, rules, starter) -> int:
    """H3: who starts the next round."""
    if rules.next_start == SAME:
        return I64(0)
    if rules.next_start == ROTATE:
        return starter + 1 if starter + 1 < rules.players else I64(0)
    sign = -1 if rules.next_start == LOSER else 1
    best = starter
    seat = starter
    for _ in range(rules.players):
        if sign * state.points[seat] > sign * state.points[best]:
            best = seat
        seat = seat + 1 if seat + 1 < rules.players else 0
    return best


@part
def find_winners(rules, row) -> None:
    """H9: most points win; equal totals share."""
    most = row.points[0]
    for seat in range(rules.players):
        if row.points[seat] > most:
            most = row.points[seat]
    sharers = 0
    for seat in range(rules.players):
        if row.points[seat] == most:
            row.winners |= 1 << seat
            sharers += 1
    row.winner = lowest_bit(row.winners) if sharers == 1 else I64(SHARED)
    if row.first_out >= 0 and (row.winners >> row.first_out) & 1 == 1:
        row.first_score60 = 60 // sharers


@part
def play_match(table, rules, bots, row, seed, index, log, control) -> int:
    """H1, H3, H9: one match, into a row that is blank. Returns the number of events told."""
    starter = I64(0)
    told = I64(0)
    while row.rounds < rules.rounds:
        finished, told = play_round(
            table, rules, bots, row, seed, index, starter, log, told, control
        )
        if not finished or control[STOP] != 0:
            return told
        count_round(table, rules, row, starter)
        if row.capped:
            return told
        starter = next_starter(table.live[0], rules, starter)
    find_winners(rules, row)
    return told


@part
def play_quick_match(table, rules, row, seed, index) -> None:
    """The same in one go, where nothing is told."""
    starter = I64(0)
    while row.rounds < rules.rounds:
        play_quick_round(table, rules, seed, index, row.rounds, starter)
        count_round(table, rules, row, starter)
        if row.capped:
            return
        starter = next_starter(table.live[0], rules, starter)
    find_winners(rules, row)


@entry
def play(seed, first, rules, strategies, bots, tables, rows, tally, log, control):
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
    tally : int64[MAX_SEATS, LARGEST_PIE + 1, 2]
        Pies taken, and those whose last plum the seat was dealt, by seat and number of the pie.
        Added to.
    log : int64[events, EVENT_WIDTH]
        Written, for a single match; no rows: nothing is told.
    control : int64[2]
        STOP is read at each decision and after each round, or where matches take no time between
        them. PROGRESS is written.

    Returns
    -------
    played : int64
        Matches played to the end; fewer than rows only after a stop.
    told : int64
        Events told, more than `log` has rows when it was too short.
    """
    table = tables[0]
    for seat in range(strategies.shape[0]):
        for decision in range(DECISIONS):
            table.strategy[seat, decision] = strategies[seat, decision]
            table.draws[seat] |= strategies[seat, decision].draws
    quick = log.shape[0] == 0 and covers(rules[0], strategies)
    table.quick[0].used = I64(quick)
    if quick:
        prepare(table.quick[0], rules[0], strategies)
    table.pies[:] = 0
    played = 0
    told = I64(0)
    for j in range(rows.shape[0]):
        if control[STOP] != 0:
            break
        control[PROGRESS] = first + j
        rows[j] = table.blank_row[0]
        row = rows[j]
        row.winner = NOBODY
        row.first_out = NOBODY
        if quick:
            play_quick_match(table, rules[0], row, seed, first + j)
        else:
            told = play_match(table, rules[0], bots, row, seed, first + j, log, control)
        played = j + 1
    if control[STOP] != 0:  # the last match may not have been finished
        played = max(played - 1, 0)
    add_up(tally, table.pies)
    return played, told
