"""The rules of aces, one game at a time. Rule numbers are those of docs/rules/aces.md."""

from __future__ import annotations

import numpy as np

from .aces_numbers import (
    ANY,
    EVENT_DEAL,
    EVENT_DISCARD,
    EVENT_DRAW,
    EVENT_HAND_END,
    EVENT_PLACE,
    EVENT_RESHUFFLE,
    KINDS,
    LOSER,
    MAY,
    NEVER,
    NOBODY,
    QUEEN,
    ROTATE,
    SHARED,
)
from .aces_strategies import chooses_place, displaces, takes
from .aces_table import (
    can_place,
    face_down,
    gather,
    is_locked,
    recycle,
    tell,
    tell_sizes,
    turn_recycled,
    turn_unturned,
)
from .aces_view import is_wild
from .common import STOP, flush, lowest_bit, ones
from .jit import part
from .random import U64, next_word, start_stream

FROM_STOCK, FROM_PILE, NOTHING = range(3)


@part
def word_for(table, seat):
    """The random word of a decision that a seat is asked now."""
    return next_word(table.choice[seat]) if table.draws[seat] else U64(0)


@part
def reshuffle(table, row) -> None:
    """A7: make a stock of the discard pile and count it."""
    tell(table, EVENT_RESHUFFLE, recycle(table), 0, 0, 0)
    row.reshuffles += 1


@part
def draw(table, row, seat) -> int:
    """A5a, A7: the top of the stock; when it is empty the discard pile is shuffled first."""
    if table.stock == 0:
        reshuffle(table, row)
    table.stock -= 1
    card = turn_recycled(table) if table.n_recycled > 0 else turn_unturned(table)
    tell(table, EVENT_DRAW, seat, 0, card, 0)
    return card


@part
def discard(table, seat, card) -> None:
    """A5b: a card goes face up on the discard pile."""
    table.pile[table.n_pile] = card
    table.n_pile += 1
    tell(table, EVENT_DISCARD, seat, card, 0, 0)


@part
def choose_source(table, rules, row, bots, seat, returned) -> int:
    """A5a: whether the seat takes the top of the stock or of the discard pile."""
    offered = False
    top = np.int64(-1)
    if table.n_pile > 0 and rules.take_discard != NEVER:
        top = table.pile[table.n_pile - 1]
        offered = rules.take_discard == ANY or can_place(table, rules, seat, top)
    if table.stock == 0 and table.n_pile < 2:  # cards set aside in last turns can be missing
        return FROM_PILE if offered else NOTHING
    if not offered:
        row.forced += 1
        return FROM_STOCK
    row.free += 1
    word = word_for(table, seat)
    taking = takes(table, rules, row, bots, seat, top, returned, word)
    return FROM_PILE if taking else FROM_STOCK


@part
def place_for_wild(table, rules, row, bots, seat, wild) -> int:
    """A5b: the face-down place a wild goes to, asked if there is more than one."""
    down = face_down(table, seat)
    if down & (down - 1):
        row.free += 1
        word = word_for(table, seat)
        return np.int64(chooses_place(table, rules, row, bots, seat, wild, word))
    row.forced += 1
    return lowest_bit(down)


@part
def play_turn(table, rules, row, bots, seat, returned):
    """A5: one turn.

    Returns
    -------
    finished : bool
        The seat completed its layout.
    skips : bool
        The next seat loses its turn.
    gave_back : bool
        The seat took a discard and put it back.
    """
    # A5a
    source = choose_source(table, rules, row, bots, seat, returned)
    if source == NOTHING:
        return False, False, False
    if source == FROM_PILE:
        table.n_pile -= 1
        card = table.pile[table.n_pile]
        row.taken += 1
        tell(table, EVENT_DRAW, seat, 1, card, 0)
    else:
        card = draw(table, row, seat)
        if rules.eager and table.stock == 0 and table.n_pile >= 2:
            reshuffle(table, row)
    row.cards += 1

    # A5b
    goal = (1 << table.places[seat]) - 1
    placed = False
    while can_place(table, rules, seat, card):
        displaced = np.int64(-1)
        if is_wild(rules, card):
            place = place_for_wild(table, rules, row, bots, seat, card)
            table.filled[seat] |= 1 << place
            table.wild_card[seat, place] = card
            row.wilds += 1
        else:
            place = card
            if (table.filled[seat] >> place) & 1 == 1:
                if rules.displace == MAY:
                    row.free += 1
                    word = word_for(table, seat)
                    if not displaces(table, rules, row, bots, seat, card, word):
                        break
                table.filled[seat] ^= 1 << place
                displaced = table.wild_card[seat, place]
            table.shown[seat] |= 1 << place
        placed = True
        complete = table.shown[seat]
        if not rules.natural:
            complete |= table.filled[seat]
        if complete == goal:  # what this placement displaced is not looked at
            tell(table, EVENT_PLACE, seat, card, place, -1)
            return True, False, False
        if displaced < 0:
            displaced = turn_unturned(table)
        tell(table, EVENT_PLACE, seat, card, place, displaced)
        card = displaced
        row.cards += 1
    discard(table, seat, card)
    return False, rules.queen_skips == 1 and card == QUEEN, source == FROM_PILE and not placed


@part
def deal(table, rules) -> None:
    """A3: everything is dealt, and maybe a discard pile opened."""
    gather(table, rules)
    if rules.initial_discard:
        table.stock -= 1
        discard(table, NOBODY, turn_unturned(table))


@part
def play_turns(table, rules, row, bots, seat, turns, log, told):
    """A4 to A7: a hand from some turn on.

    Parameters
    ----------
    table, rules, row, bots
    seat : int64
        Whose turn it is.
    turns : int64
        That were played; nobody has finished, and the last turn took no discard to put it back.
    log, told

    Returns
    -------
    finishers : int64
        Seats that completed their layouts, listed in the table; 0: the hand was capped.
    told : int64
        Events told so far.
    """
    players = rules.players
    returned = turns < 0  # no; written out, Numba would compile a turn once more for that
    finishers = 0
    won_in = 0  # turns
    turns_left = -1  # of the last turns, once somebody has finished
    while turns_left != 0:
        if turns == rules.max_turns:
            row.turns += turns
            row.locked = np.int64(is_locked(table, rules))
            return 0, told
        turns += 1
        finished, skips, returned = play_turn(table, rules, row, bots, seat, returned)
        if table.telling:
            told = flush(table, log, told)
        if finished:
            if finishers == 0:
                won_in = turns
            table.finishers[finishers] = seat
            finishers += 1
            if not rules.last_turn:
                break
            if turns_left < 0:
                turns_left = players
        step = 2 if skips and players > 1 else 1
        if turns_left > 0:
            turns_left = max(turns_left - step, 0)
        seat += step
        if seat >= players:  # cheaper than a division
            seat -= players
    row.turns += turns
    row.first_turn_wins += np.int64(won_in == 1)
    return finishers, told


@part
def next_starter(rules, starter, winner) -> int:
    """A4: who starts the next hand."""
    if rules.starter == ROTATE:
        return (starter + 1) % rules.players
    if rules.starter == LOSER:
        return (winner + 1) % rules.players
    return winner


@part
def most_credits(table, rules) -> int:
    """Mask of the seats with the most hands."""
    most = 0
    winners = 0
    for seat in range(rules.players):
        if table.credits[seat] > most:
            most = table.credits[seat]
            winners = 0
        if table.credits[seat] == most:
            winners |= 1 << seat
    return winners


@part
def count_by_sizes(table, rules, starter, winner) -> None:
    """Count a hand, and whether its starter won it, by the layouts it was played with."""
    own = table.places[starter]
    least = own if rules.players == 1 else np.int64(KINDS)
    for seat in range(rules.players):
        # The starter's own is made too large to be the least of the others.
        least = min(least, table.places[seat] + KINDS * np.int64(seat == starter))
    table.by_sizes[own, least, 0] += 1
    table.by_sizes[own, least, 1] += np.int64(winner == starter)


@part
def shrink(table, rules, finishers) -> int:
    """A8: finishers' layouts shrink. Returns the mask of the first to have none left, or 0."""
    winners = 0
    for j in range(finishers):
        seat = table.finishers[j]
        table.credits[seat] += 1
        table.places[seat] = max(table.places[seat] - rules.shrink, 0)
        if table.places[seat] == 0 and winners == 0:
            winners = 1 << seat
    return winners


@part
def clear(row) -> None:
    """Make an empty row."""
    row.winner = NOBODY
    row.winners = 0
    row.capped = 0
    row.locked = 0
    row.turns = 0
    row.hands = 0
    row.cards = 0
    row.taken = 0
    row.wilds = 0
    row.reshuffles = 0
    row.first_turn_wins = 0
    row.forced = 0
    row.free = 0
    row.first_winner = NOBODY
    row.first_score60 = 0
    row.layout[:] = 0
    row.won[:] = 0


@part
def play_match(table, rules, row, bots, seed, index, log, control) -> int:
    """A1, A8, A9: one match. Returns the number of events told."""
    clear(row)
    for seat in range(rules.players):
        table.places[seat] = rules.sizes[seat]
        table.credits[seat] = 0
    starter = np.int64(0)
    winners = 0
    told = np.int64(0)
    while winners == 0 and control[STOP] == 0:
        start_stream(table.deal, seed, index, row.hands, 0, 0)
        for seat in range(rules.players):
            if table.draws[seat]:
                start_stream(table.choice[seat], seed, index, row.hands, 1 + seat, 0)
        row.hands += 1
        tell_sizes(table, rules, EVENT_DEAL, row.hands, starter)
        deal(table, rules)
        finishers, told = play_turns(table, rules, row, bots, starter, np.int64(0), log, told)
        if finishers == 0:
            row.capped = 1
            tell_sizes(table, rules, EVENT_HAND_END, NOBODY, 0)
            break
        winners = end_hand(table, rules, row, starter, finishers)
        tell_sizes(table, rules, EVENT_HAND_END, table.finishers[0], 0)
        starter = next_starter(rules, starter, table.finishers[0])
    end_match(table, rules, row, winners)
    return flush(table, log, told)


@part
def end_hand(table, rules, row, starter, finishers) -> int:
    """A8: a hand that was won counts, and its layouts shrink. Returns the match's winners."""
    winner = table.finishers[0]
    count_by_sizes(table, rules, starter, winner)
    row.won[winner] += 1
    if row.hands == 1:
        row.first_winner = winner
    winners = shrink(table, rules, finishers)
    if rules.one_hand:
        return 1 << winner
    if rules.shrink == 0 and row.hands == rules.hands:
        return most_credits(table, rules)
    return winners


@part
def end_match(table, rules, row, winners) -> None:
    """A8, A9: who has won the match, and the layouts it ends with."""
    row.winners = winners
    if winners & (winners - 1):
        row.winner = SHARED
    elif winners:
        row.winner = lowest_bit(winners)
    if row.first_winner >= 0 and (winners >> row.first_winner) & 1 == 1:
        row.first_score60 = 60 // ones(winners)
    for seat in range(rules.players):
        row.layout[seat] = table.places[seat]
