"""The rules of thirteen, one game at a time. Rule numbers are those of docs/rules/thirteen.md."""

from __future__ import annotations

import numpy as np

from .common import PROGRESS, STOP, flush, lowest_bit, ones, signature
from .jit import entry, part
from .random import start_stream
from .thirteen_deal import deal, holder_of_lowest, instant_winner, set_up
from .thirteen_numbers import (
    EVENT_CLOSE,
    EVENT_DEAL,
    EVENT_GAME_END,
    EVENT_INSTANT,
    EVENT_OUT,
    EVENT_PASS,
    EVENT_WIDTH,
    FREE,
    LOSER,
    LOWEST,
    MAX_SEATS,
    NOBODY,
    NONE,
    ONLY,
    TWO,
)
from .thirteen_score import place_the_rest, score_deal
from .thirteen_table import ROW, RULES, TABLE, tell, tell_seats
from .thirteen_turn import (
    answer,
    clear_trick,
    give_way,
    lay,
    leader_after_close,
    next_holder,
    next_to_act,
)
from .thirteen_view import VIEW

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

TALLY = (MAX_SEATS + 1, 5, 2)
"""By seat and number of 2s dealt to it: hands, and deals won."""

SIGNATURE = signature(RULES, TABLE, ROW, len(TALLY), VIEW, MAX_SEATS)
DEAL_OVER, DEAL_CAPPED = -2, -3


@part
def play_out(table, rules, row, bots, opener, log, told):
    """T7 to T10: the tricks of a deal.

    Returns
    -------
    ended : int64
        DEAL_OVER, DEAL_CAPPED, or the seat that was stuck first, when all are.
    told : int64
        Events told so far.
    """
    players = rules.players
    seat = opener
    turns = 0
    out = 0
    stuck = 0
    first_stuck = NOBODY
    while True:
        if turns == rules.max_turns:
            row.turns += turns
            return I64(DEAL_CAPPED), told
        turns += 1
        play = answer(table, rules, row, bots, seat)
        if table.refused:
            return I64(DEAL_CAPPED), told
        following = -1
        if play:
            stuck = 0
            lay(table, rules, row, seat, play)
            if table.hand[seat] == 0:
                out += 1
                table.place[seat] = out
                tell(table, EVENT_OUT, seat, out)
                if rules.until_first or out == players - 1:
                    row.turns += turns
                    return I64(DEAL_OVER), told
            following = next_to_act(table, rules, seat)
        elif table.top == 0:  # finish_two: a leader with no legal play hands the lead on
            row.passes += 1
            tell(table, EVENT_PASS, seat, I64(0))
            if stuck == 0:
                first_stuck = seat
            stuck += 1
            if stuck == players - out:
                row.turns += turns
                return first_stuck, told
            following = next_holder(table, rules, seat)
        else:
            give_way(table, row, seat)
            following = next_to_act(table, rules, seat)
        if following < 0:
            following = leader_after_close(table, rules)
            clear_trick(table)
            tell(table, EVENT_CLOSE, following, I64(0))
        seat = following
        if table.telling:
            told = flush(table, log, told)


@part
def play_deal(table, rules, row, bots, tally, leader, log, told):
    """One deal, with `leader` to lead, or -1: the holder of the lowest card.

    Returns
    -------
    winner : int64
        The first out, or the instant winner; -1 if nobody, DEAL_CAPPED.
    opener : int64
    told : int64
    """
    clear_trick(table)
    table.gone = 0
    if table.set_up:
        set_up(table, rules)
        leader = table.given_leader if table.given_leader >= 0 else holder_of_lowest(table, rules)
    else:
        deal(table, rules)
    table.played = 0
    table.holding = 0
    for seat in range(rules.players):
        table.holding |= np.int64(table.hand[seat] != 0) << seat
        table.place[seat] = 0
        table.paid[seat] = 0
        table.earned[seat] = 0
        table.twos[seat] = ones(table.hand[seat] >> TWO)
        tally[seat, table.twos[seat], 0] += 1
    table.must_hold = 0
    opener = leader
    if leader < 0:  # T3
        opener = np.int64(holder_of_lowest(table, rules))
        if rules.first_lead != FREE:
            table.must_hold = table.hand[opener] & -table.hand[opener]
            table.alone = np.int64(rules.first_lead == ONLY)
    row.deals += 1
    row.opener_at[opener] += 1
    tell_seats(table, rules, EVENT_DEAL, row.deals, opener, table.hand, I64(0))
    winner, kind = instant_winner(table, rules, opener)
    row.instants[kind if winner >= 0 else NONE] += 1
    row.instant_wins += np.int64(winner >= 0)
    if row.deals == 1:
        row.instant = kind if winner >= 0 else NONE
        row.opener = opener
    ended = np.int64(DEAL_OVER)
    at_once = kind != NONE
    if at_once:
        if winner >= 0:
            tell(table, EVENT_INSTANT, winner, kind)
            table.place[winner] = 1
            for seat in range(rules.players):
                if seat != winner:
                    row.cards_left += ones(table.hand[seat])
    else:
        bombs = row.bombs_played
        ended, told = play_out(table, rules, row, bots, opener, log, told)
        row.deals_with_bomb += np.int64(row.bombs_played > bombs)
        if ended == DEAL_CAPPED:
            for seat in range(rules.players):
                table.place[seat] = 0
            tell_seats(table, rules, EVENT_GAME_END, I64(0), I64(0), table.place, I64(0))
            tell_seats(table, rules, EVENT_GAME_END, I64(0), I64(0), table.place, I64(MAX_SEATS))
            return I64(DEAL_CAPPED), opener, flush(table, log, told)
        place_the_rest(table, rules, ended)
        for seat in range(rules.players):
            row.cards_left += ones(table.hand[seat])
            if table.place[seat] == 1:
                winner = np.int64(seat)
    if winner >= 0:
        score_deal(table, rules, row, winner, at_once)
        tally[winner, table.twos[winner], 1] += 1
    row.opener_wins += np.int64(winner == opener)
    tell_seats(table, rules, EVENT_GAME_END, I64(0), I64(0), table.place, I64(0))
    tell_seats(table, rules, EVENT_GAME_END, I64(0), I64(0), table.earned, I64(MAX_SEATS))
    return winner, opener, flush(table, log, told)


@part
def next_leader(table, rules, winner, opener, at_once) -> int:
    """T3, starter: who leads the next deal of a match; -1: the holder of the lowest card."""
    if winner < 0:  # void
        return opener
    if rules.starter == LOWEST:
        return -1
    if rules.starter != LOSER:
        return winner
    best = NOBODY
    most = -1
    for step in range(1, rules.players):
        seat = (winner + step) % rules.players
        if at_once or rules.until_first:
            value = ones(table.hand[seat])
        else:
            value = table.place[seat]
        if value > most:
            most = value
            best = seat
    return best


@part
def leaders(table, rules) -> int:
    """Mask of the seats with the highest total."""
    most = table.total[0]
    mask = 0
    for seat in range(rules.players):
        most = max(most, table.total[seat])
    for seat in range(rules.players):
        if table.total[seat] == most:
            mask |= 1 << seat
    return mask


@part
def clear(row) -> None:
    """Make an empty row."""
    row.winner = NOBODY
    row.winners = 0
    row.capped = 0
    row.turns = 0
    row.deals = 0
    row.plays = 0
    row.passes = 0
    row.tricks = 0
    row.forced = 0
    row.free = 0
    row.bombs_played = 0
    row.bombs_beaten = 0
    row.played_by_kind[:] = 0
    row.beaten_by_kind[:] = 0
    row.deals_with_bomb = 0
    row.instant = 0
    row.instants[:] = 0
    row.instant_wins = 0
    row.opener = 0
    row.opener_at[:] = 0
    row.opener_wins = 0
    row.cards_left = 0
    row.gave_up = 0
    row.place[:] = 0
    row.points[:] = 0


@part
def play_game(table, rules, row, bots, tally, seed, index, log, control) -> int:
    """T12: a deal, or a match of deals. Returns the number of events told."""
    clear(row)
    players = rules.players
    table.total[:] = 0
    leader = np.int64(-1)
    told = I64(0)
    winners = 0
    while control[STOP] == 0:
        start_stream(table.deal, seed, index, row.deals, 0, 0)
        for seat in range(players):
            if table.strategy[seat].draws:
                start_stream(table.choice[seat], seed, index, row.deals, 1 + seat, 0)
        instants = row.instants[0]
        winner, opener, told = play_deal(table, rules, row, bots, tally, leader, log, told)
        if winner == DEAL_CAPPED:
            row.capped = 1
            return told
        if rules.target == 0:
            if winner >= 0:
                winners = 1 << winner
            break
        winners = leaders(table, rules)
        if table.total[lowest_bit(winners)] >= rules.target and winners & (winners - 1) == 0:
            break
        at_once = row.instants[0] == instants
        leader = np.int64(next_leader(table, rules, winner, opener, at_once))
    row.winners = winners
    if winners:
        row.winner = lowest_bit(winners)
    for seat in range(players):
        row.points[seat] = table.total[seat]
        row.place[seat] = table.place[seat]
        if rules.target:
            better = 0
            for other in range(players):
                better += np.int64(table.total[other] > table.total[seat])
            row.place[seat] = 1 + better
    return told


@entry
def play(seed, first, rules, strategies, bots, tables, rows, tally, log, control):
    """Play the games first, first + 1, ... one a row.

    Parameters
    ----------
    seed : uint64
    first : int64
        Index of the first game.
    rules : RULES[1]
    strategies : STRATEGY[seats, 1]
    bots : tuple of MAX_SEATS functions of a view
        Asked for seats whose strategy is USER.
    tables : TABLE[1]
        Zeros; scratch. Given by the caller, which keeps it alive: Numba would free an array of
        our own while we work on its element.
    rows : ROW[games]
        Written.
    tally : int64[MAX_SEATS + 1, 5, 2]
        Hands, and deals won, by seat and number of 2s dealt to it. Added to.
    log : int64[events, EVENT_WIDTH]
        Written, for a single game; no rows: nothing is told.
    control : int64[2]
        STOP is read before each deal, PROGRESS written.

    Returns
    -------
    played : int64
        Games played to the end; fewer than rows only after a stop.
    told : int64
        Events told, more than `log` has rows when it was too short.
    """
    table = tables[0]
    table.telling = np.int64(log.shape[0] > 0)
    for seat in range(strategies.shape[0]):
        table.strategy[seat] = strategies[seat, 0]
    told = I64(0)
    for j in range(rows.shape[0]):
        if control[STOP] != 0:
            return max(j - 1, 0), told
        control[PROGRESS] = first + j
        told = play_game(table, rules[0], rows[j], bots, tally, seed, first + j, log, control)
    if control[STOP] != 0:  # the last game may not have been finished
        return rows.shape[0] - 1, told
    return rows.shape[0], told
