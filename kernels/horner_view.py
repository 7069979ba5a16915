"""What a strategy of horner sees, and questions it can ask about it.

A strategy is a function of a view, a record of the fields below. It answers with a whole number:
DISCARD 1 to place the top of its discard pile, 0 to hold it; FLIP 1 to flip, 0 not to; PIE the
place of an empty pie, counted from 0. A card is 16 * variety + number - 1; `card_of`, `variety` and
`number` help. This is version 1 of the view; fields may be added at its end.
"""

from __future__ import annotations

import numpy as np

from .common import PARAMETERS, lowest_bit, ones, record
from .horner_numbers import (
    CODES,
    DISCARD,
    DISCARDED,
    DRAWN,
    ELSEWHERE,
    FLIP,
    MAX_SEATS,
    MAX_VARIETIES,
    NUMBER_MASK,
    PIE,
    UNSEEN,
    VARIETY_SHIFT,
)
from .jit import helper
from .random import U64
from .random import pick as pick_word

__all__ = [
    "DISCARD",
    "DISCARDED",
    "DRAWN",
    "ELSEWHERE",
    "FLIP",
    "PIE",
    "UNSEEN",
    "VIEW",
    "can_place",
    "card_of",
    "cards_held",
    "is_empty",
    "lowest_bit",
    "next_seat",
    "number",
    "ones",
    "pick",
    "variety",
]

I64 = np.int64
I8 = np.int8

VIEW = record(
    ("decision", I64),  # DISCARD, FLIP or PIE
    ("seat", I64),  # who is asked, 0 ..
    ("players", I64),  # how many play
    ("word", I64),  # a random number 0 .. 2^32-1 of this decision's own; see `pick`
    ("parameter", I64, (PARAMETERS,)),  # the strategy's own, in their order
    ("card", I64),  # DISCARD, FLIP: top of the own discards, -1: none; PIE: the 1 in hand
    ("round_number", I64),  # from 1
    ("turn", I64),  # in the round, from 1
    ("empty", I64),  # mask of places of empty pies
    ("wanted", I64, (MAX_VARIETIES,)),  # number each variety needs next; 0: its pie is complete
    ("pie", I64, (MAX_VARIETIES,)),  # place of the pie of each variety, -1 if it has none
    ("draw", I64, (MAX_SEATS,)),  # cards in each draw pile
    ("discards", I64, (MAX_SEATS,)),  # cards on each discard pile
    ("top", I64, (MAX_SEATS,)),  # top of each discard pile, -1 if there is none
    ("known", I64, (MAX_SEATS,)),  # 1: a reshuffle has made the draw pile, so its cards are known
    ("points", I64, (MAX_SEATS,)),  # in the match so far
    ("where", I8, (CODES,)),  # of each card: ELSEWHERE, UNSEEN, DISCARDED + seat, DRAWN + seat
    ("pie_number", I64, (MAX_VARIETIES,)),  # of each pie: printed, or its place from 1
    ("last_number", I64, (MAX_VARIETIES,)),  # number of the last plum of the pie at each place
    ("pie_worth", I64, (MAX_VARIETIES,)),  # points for the pie at each place
    ("out_points", I64),  # rule: points for being out first
    ("rounds", I64),  # rule: rounds in a match
    ("varieties", I64),  # rule
    ("plums", I64),  # rule: plums of a variety
    ("discard_play", I64),  # rule: 0 may, 1 must, 2 never
    ("many", I64),  # rule: 1 if discard_plays=many
    ("flip_after", I64),  # rule: flip_after_discard, 0 may, 1 must, 2 no
    ("chain", I64),  # rule: 1 if turn=chain
    ("recycle", I64),  # rule: 0 own, 1 sync, 2 pool
    ("first_out_ends", I64),  # rule: 1 if round_end=first_out
)
"""All that rule H10 makes public, seen from one seat, and what it is asked."""


@helper
def card_of(variety, number) -> int:
    """The card of a variety, from 0, and a number, from 1."""
    return (variety << VARIETY_SHIFT) + number - 1


@helper
def variety(card) -> int:
    """A card's variety, from 0: L, C, D, G, V, M, O, B."""
    return card >> VARIETY_SHIFT


@helper
def number(card) -> int:
    """A card's number, from 1."""
    return (card & NUMBER_MASK) + 1


@helper
def can_place(view, card) -> bool:
    """Whether a card can be placed now."""
    return view.wanted[card >> VARIETY_SHIFT] == (card & NUMBER_MASK) + 1


@helper
def cards_held(view, seat) -> int:
    """Number of cards of a seat, in both piles."""
    return view.draw[seat] + view.discards[seat]


@helper
def is_empty(view, pie) -> bool:
    """Whether the pie at a place, from 0, is empty."""
    return (view.empty >> pie) & 1 == 1


@helper
def next_seat(view, seat) -> int:
    """The next seat clockwise that holds cards; the seat itself if no other does."""
    for _ in range(view.players):
        seat = seat + 1 if seat + 1 < view.players else 0
        if cards_held(view, seat) > 0:
            break
    return seat


@helper
def pick(view, n) -> int:
    """A random whole number 0 .. n-1, the same each time it is asked for in one decision."""
    return pick_word(U64(view.word), n)
