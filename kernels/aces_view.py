"""What a strategy of aces sees, and questions it can ask about it.

A strategy is a function of a view, a record of the fields below. It answers with a whole number:
TAKE 1 for the top of the discard pile, 0 for the stock; WILD a place that is face down, counted
from 0; DISPLACE 1 to take the wild up, 0 to leave it. Cards are ranks from 0 (A) to 9 (10), JACK,
QUEEN, KING, JOKER; place j is that of rank j. This is version 1 of the view; fields may be added at
its end.
"""

from __future__ import annotations

import numpy as np

from .aces_numbers import DISPLACE, JACK, JOKER, KINDS, KING, MAX_SEATS, NO, QUEEN, TAKE, WILD
from .common import PARAMETERS, lowest_bit, ones, record
from .jit import helper
from .random import U64
from .random import pick as pick_word

__all__ = [
    "DISPLACE",
    "JACK",
    "JOKER",
    "KING",
    "QUEEN",
    "TAKE",
    "WILD",
    "VIEW",
    "can_place",
    "face_down",
    "is_wild",
    "lowest_bit",
    "next_seat",
    "ones",
    "pick",
]


I64 = np.int64


VIEW = record(
    ("decision", I64),  # TAKE, WILD or DISPLACE
    ("seat", I64),  # who is asked, 0 ..
    ("players", I64),  # how many play
    ("word", I64),  # a random number 0 .. 2^32-1 of this decision's own; see `pick`
    ("parameter", I64, (PARAMETERS,)),  # the strategy's own, in their order
    ("card", I64),  # TAKE: top of the discard pile; WILD: the wild; DISPLACE: the pip in hand
    ("returned", I64),  # TAKE: 1 if the seat before took this very card and put it back
    ("hand", I64),  # number of the hand in the match, from 1
    ("stock", I64),  # cards in the stock
    ("pile", I64),  # cards on the discard pile
    ("places", I64, (MAX_SEATS,)),  # size of each layout
    ("shown", I64, (MAX_SEATS,)),  # mask of places that show their own pip
    ("filled", I64, (MAX_SEATS,)),  # mask of places that show a wild
    ("unseen", I64, (KINDS,)),  # cards of each rank that nobody can see
    ("discards", I64, (KINDS,)),  # cards of each rank on the discard pile
    ("take_discard", I64),  # rule: 0 playable, 1 any, 2 never
    ("displace", I64),  # rule: 0 must, 1 may, 2 no
    ("natural", I64),  # rule: 1 if every place must show its own pip
    ("wild_limit", I64),  # rule: most wilds in a layout; -1: none
    ("wilds", I64),  # rule: mask of the ranks that are wild
    ("packs", I64),  # rule: packs of 52
    ("jokers", I64),  # rule: jokers a pack
    ("shrink", I64),  # rule: places the winner of a hand loses
)
"""All that rule A10 makes public, seen from one seat, and what it is asked."""


@helper
def is_wild(view, card) -> bool:
    """A2: whether a card is wild under these rules. Takes the rules as well."""
    return (view.wilds >> card) & 1 == 1


@helper
def fits(rules, down, filled, card) -> bool:
    """A2, A5b, A6: whether a card can be placed, from masks of places face down and of wilds."""
    if is_wild(rules, card):
        if down == 0:
            return False
        return rules.wild_limit < 0 or ones(filled) < rules.wild_limit
    if (down >> card) & 1 == 1:
        return True
    return rules.displace != NO and (filled >> card) & 1 == 1


@helper
def face_down(view, seat) -> int:
    """Mask of the places of a seat that are face down."""
    return ((1 << view.places[seat]) - 1) & ~(view.shown[seat] | view.filled[seat])


@helper
def can_place(view, seat, card) -> bool:
    """Whether a seat could place a card now."""
    return fits(view, face_down(view, seat), view.filled[seat], card)


@helper
def next_seat(view, seat) -> int:
    """The seat clockwise of one."""
    return seat + 1 if seat + 1 < view.players else 0


@helper
def pick(view, n) -> int:
    """A random whole number 0 .. n-1, the same each time it is asked for in one decision."""
    return pick_word(U64(view.word), n)
