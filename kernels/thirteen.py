"""The rules of thirteen, one game at a time. Rule numbers are those of docs/rules/thirteen.md."""

from __future__ import annotations

import numpy as np

from .common import PROGRESS, STOP, add_up, flush, lowest_bit, ones, signature
from .jit import entry, part
from .random import start_stream
from .thirteen_deal import deal, holder_of_lowest, instant_winner, set_up
from .thirteen_numbers import (
    EVENT_DEAL,
    EVENT_GAME_END,
    EVENT_INSTANT,
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
from .thirteen_quick import arm, is_quick, play_out_quick
from .thirteen_score import place_the_rest, score_deal
from .thirteen_table import ROW, RULES, TABLE, TALLY, tell, tell_seats
from .thirteen_tricks import DEAL_CAPPED, DEAL_OVER, play_out
from .thirteen_turn import always_plain, clear_trick
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

SIGNATURE = signature(RULES, TABLE, ROW, len(TALLY), VIEW, MAX_SEATS)


@part
def begin_deal(table, rules, row) -> None:
    """T1 to T3, T13: the hands, who leads, and who wins at once."""
    clear_trick(table)
    table.gone = 0
    leader = table.leader
    if table.set_up:
        set_up(table, rules)
        leader = table.given_leader if table.given_leader >= 0 else holder_of_lowest(table, rules)
    else:
        deal(table, rules)
    table.played = 0
    table.holding = 0
    for seat in range(rules.players):
        table.dealt[seat] = table.hand[seat]
        table.holding |= np.int64(table.hand[seat] != 0) << seat
        table.place[seat] = 0
        table.paid[seat] = 0
        table.earned[seat] = 0
        table.twos[seat] = ones(table.hand[seat] >> TWO)
        table.tally[seat, table.twos[seat], 0] += 1
    table.must_hold = 0
    opener = leader
    if leader < 0:  # T3
        opener = np.int64(holder_of_lowest(table, rules))
        if rules.first_lead != FREE:
            table.must_hold = table.hand[opener] & -table.hand[opener]
            table.alone = np.int64(rules.first_lead == ONLY)
    table.opener = opener
    row.deals += 1
    row.opener_at[opener] += 1
    tell_seats(table, rules, EVENT_DEAL, row.deals, opener, table.hand, I64(0))
    winner, kind = instant_winner(table, rules, opener)
    won = winner >= 0
    row.instants[kind if won else NONE] += 1
    row.instant_wins += np.int64(won)
    if row.deals == 1:
        row.instant = kind if won else NONE
        row.opener = opener
    table.at_once = np.int64(kind != NONE)
    table.winner = winner
    if won:
        tell(table, EVENT_INSTANT, winner, kind)
        table.place[winner] = 1


@part
def end_deal(table, rules, row, ended, bombs) -> None:
    """T11: places and points. `bombs`: how many were played before the deal."""
    row.deals_with_bomb += np.int64(row.bombs_played > bombs)
    if ended == DEAL_CAPPED:
        row.capped = 1
        for seat in range(rules.players):
            table.place[seat] = 0
    elif not table.at_once:
        place_the_rest(table, rules, ended)
        for seat in range(rules.players):
            if table.place[seat] == 1:
                table.winner = seat
    winner = table.winner
    if winner >= 0 and not row.capped:
        for seat in range(rules.players):
            if seat != winner or not table.at_once:
                row.cards_left += ones(table.hand[seat])
        score_deal(table, rules, winner, table.at_once)
        table.tally[winner, table.twos[winner], 1] += 1
    row.opener_wins += np.int64(winner == table.opener)
    tell_seats(table, rules, EVENT_GAME_END, I64(0), I64(0), table.place, I64(0))
    tell_seats(table, rules, EVENT_GAME_END, I64(0), I64(0), table.earned, I64(MAX_SEATS))


@part
def next_leader(table, rules) -> int:
    """T3, starter: who leads the next deal of a match; -1: the holder of the lowest card."""
    winner = table.winner
    if winner < 0:  # void
        return table.opener
    if rules.starter == LOWEST:
        return -1
    if rules.starter != LOSER:
        return winner
    best = NOBODY
    most = -1
    for step in range(1, rules.players):
        seat = (winner + step) % rules.players
        if table.at_once or rules.until_first:
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
def start_streams(table, rules, seed, index, hand) -> None:
    """Put the streams of a deal at their starts."""
    start_stream(table.deal, seed, index, hand, 0, 0)
    for seat in range(rules.players):
        if table.strategy[seat].draws:
            start_stream(table.choice[seat], seed, index, hand, 1 + seat, 0)


@part
def ends_game(table, rules, row) -> bool:
    """T12: whether a deal was its game's last. Notes who has won, or who leads the next deal."""
    if row.capped:
        return True
    if rules.target == 0:
        row.winners = np.int64(table.winner >= 0) << max(table.winner, 0)
        return True
    winners = leaders(table, rules)
    if table.total[lowest_bit(winners)] >= rules.target and winners & (winners - 1) == 0:
        row.winners = winners
        return True
    table.leader = next_leader(table, rules)
    return False


@part
def end_game(table, rules, row) -> None:
    """T11, T12: the winner, points and places of a game."""
    if row.winners:
        row.winner = lowest_bit(row.winners)
    for seat in range(rules.players):
        row.points[seat] = table.total[seat]
        row.place[seat] = table.place[seat]
        if rules.target:
            better = 0
            for other in range(rules.players):
                better += np.int64(table.total[other] > table.total[seat])
            row.place[seat] = 1 + better


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
    table.always_plain = np.int64(always_plain(table, rules[0]))
    table.quick = np.int64(is_quick(table, rules[0]))
    table.tally[:] = 0
    table.planned[:] = 0  # plans are of these rules
    told = I64(0)
    played = I64(0)
    # In one piece: with each call of a function Numba counts who holds the arrays it is given.
    for j in range(rows.shape[0]):
        if control[STOP] != 0:
            break
        control[PROGRESS] = first + j
        row = rows[j]
        clear(row)
        table.total[:] = 0
        table.leader = -1
        told = I64(0)
        over = False
        while not over and control[STOP] == 0:
            start_streams(table, rules[0], seed, first + j, row.deals)
            begin_deal(table, rules[0], row)
            bombs = row.bombs_played
            ended = I64(DEAL_OVER)
            if table.at_once:
                pass
            elif table.quick and arm(table, rules[0]):
                play_out_quick(table, rules[0], row)
            else:
                ended, told = play_out(table, rules[0], row, bots, log, told)
            end_deal(table, rules[0], row, ended, bombs)
            if table.telling:
                told = flush(table, log, told)
            over = ends_game(table, rules[0], row)
        if not row.capped:
            end_game(table, rules[0], row)
        played = j + 1
    add_up(tally, table.tally)
    if control[STOP] != 0:  # the last game may not have been finished
        played = max(played - 1, 0)
    return played, told
