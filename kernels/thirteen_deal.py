"""Dealing thirteen: the hands, who leads, and who wins at once."""

from __future__ import annotations

import numpy as np

from .common import ones
from .jit import helper
from .random import draw, words_of
from .thirteen_cards import BELOW_TWO, LANES, with_at_least
from .thirteen_numbers import (
    BLACK,
    DRAGON,
    DRAGON_FIRST,
    FIVE_PAIRS_RUN,
    FOUR_TWOS,
    HAND,
    NOBODY,
    NONE,
    ONE_COLOUR,
    SIX_PAIRS,
    THREE_TRIPLES_RUN,
    TWO,
    TWOS_FIRST,
    VOID,
)

I64 = np.int64


@helper
def deal(table, rules) -> None:
    """T1: 13 cards each, one at a time from seat 0."""
    for card in range(52):
        table.pool[card] = card
    for seat in range(rules.players):
        table.hand[seat] = 0
    # Drawn from registers: memory that the pool might share would be read and written each time.
    s0, s1, s2, s3 = words_of(table.deal)
    left = 52
    for _ in range(HAND):
        for seat in range(rules.players):
            j, s0, s1, s2, s3 = draw(s0, s1, s2, s3, left)
            table.hand[seat] |= np.int64(1) << table.pool[j]
            left -= 1
            table.pool[j] = table.pool[np.uintp(left)]


@helper
def set_up(table, rules) -> None:
    """Hands that were given, once: later deals of a match are dealt."""
    held = I64(0)
    for seat in range(rules.players):
        table.hand[seat] = table.given[seat]
        held |= table.given[seat]
    if table.rest_is_played:
        table.gone = ((I64(1) << 52) - 1) & ~held
    table.set_up = 0


@helper
def instant_kind(rules, hand) -> int:
    """T2: the first kind of instant win, among those of the rules, that a hand is; 0: none."""
    wanted = rules.instant
    if wanted >> FOUR_TWOS & 1 and hand >> TWO == 15:
        return FOUR_TWOS
    lanes = with_at_least(hand, I64(1)) & BELOW_TWO
    if wanted >> DRAGON & 1 and lanes == LANES & BELOW_TWO:
        return DRAGON
    if wanted >> (DRAGON + 1) == 0:  # by default
        return NONE
    if wanted >> SIX_PAIRS & 1 and ones(with_at_least(hand, I64(2))) >= 6:
        return SIX_PAIRS
    if wanted >> FIVE_PAIRS_RUN & 1:
        pairs = with_at_least(hand, I64(2)) & BELOW_TWO
        if pairs & pairs << 4 & pairs << 8 & pairs << 12 & pairs << 16:
            return FIVE_PAIRS_RUN
    if wanted >> THREE_TRIPLES_RUN & 1:
        triples = with_at_least(hand, I64(3)) & BELOW_TWO
        if triples & triples << 4 & triples << 8:
            return THREE_TRIPLES_RUN
    if wanted >> ONE_COLOUR & 1:
        black = ones(hand & BLACK)
        if black >= 12 or black <= 1:
            return ONE_COLOUR
    return NONE


@helper
def instant_winner(table, rules, opener):
    """T13: who wins at once, and by what; seat -1 and a kind: several do, and that is void."""
    best = NOBODY
    best_kind = NONE
    several = False
    for step in range(rules.players):
        seat = opener + step
        if seat >= rules.players:  # cheaper than a division
            seat -= rules.players
        kind = instant_kind(rules, table.hand[seat])
        if kind == NONE:
            continue
        several = several or best != NOBODY
        first = (rules.instant_tie == DRAGON_FIRST and kind == DRAGON and best_kind != DRAGON) or (
            rules.instant_tie == TWOS_FIRST and kind == FOUR_TWOS and best_kind != FOUR_TWOS
        )
        if best == NOBODY or first:
            best = seat
            best_kind = kind
    if several and rules.instant_tie == VOID:
        return NOBODY, best_kind
    return best, best_kind


@helper
def holder_of_lowest(table, rules) -> int:
    """T3: who holds the lowest card dealt."""
    dealt = np.int64(0)
    for seat in range(rules.players):
        dealt |= table.hand[seat]
    card = dealt & -dealt
    seat = 0
    while table.hand[seat] & card == 0:
        seat += 1
    return seat
