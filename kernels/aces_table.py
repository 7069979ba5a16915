"""The table of a hand of aces: where every card is, and what anybody can see of it.

Tables, rules and rows are structured arrays; a kernel works on one element, which Numba
passes as a pointer. (Arrays as arguments are counted references: a tuple of twelve made
a match 30 times slower, a single one still 5 times.)
"""

from __future__ import annotations

import numpy as np

from .aces_numbers import (
    DECISIONS,
    EVENT_WIDTH,
    JOKER,
    KINDS,
    MAX_CARDS,
    MAX_SEATS,
)
from .aces_view import VIEW, fits
from .common import ASKING, PARAMETERS, STRATEGY, record
from .jit import helper
from .random import below

I64 = np.int64

RULES = record(
    ("players", I64),
    ("packs", I64),
    ("jokers", I64),
    ("sizes", I64, (MAX_SEATS,)),
    ("shrink", I64),
    ("hands", I64),
    ("one_hand", I64),
    ("take_discard", I64),
    ("displace", I64),
    ("eager", I64),
    ("last_turn", I64),
    ("natural", I64),
    ("wild_limit", I64),  # -1: none
    ("starter", I64),
    ("wilds", I64),  # mask of the kinds that are wild
    ("queen_skips", I64),
    ("initial_discard", I64),
    ("max_turns", I64),
)
"""The rules as the engine understands them; docs/rules/aces.md says what each means."""

ROW = record(
    ("winner", I64),
    ("winners", I64),
    ("capped", I64),
    ("locked", I64),
    ("turns", I64),
    ("hands", I64),
    ("cards", I64),
    ("taken", I64),
    ("wilds", I64),
    ("reshuffles", I64),
    ("first_turn_wins", I64),
    ("forced", I64),
    ("free", I64),
    ("first_winner", I64),
    ("first_score60", I64),
    ("layout", I64, (MAX_SEATS,)),
    ("won", I64, (MAX_SEATS,)),
)
"""What is kept of a match."""

SLATE = 64
"""Events that fit in the table; a turn has at most 13 + 13 placements and four more."""

TALLY = (KINDS, KINDS, 2)
"""Hands, and hands won by their starter, by its layout's size and the smallest other one."""

# Places are bits of a mask, bit j for place j + 1. A place that is neither in `shown` nor in
# `filled` is face down, and its card still lies among `unturned`.
TABLE = record(
    ("by_sizes", I64, TALLY),  # of all hands, added to the caller's at the end
    ("places", I64, (MAX_SEATS,)),  # places of each layout
    ("shown", I64, (MAX_SEATS,)),  # mask of places that show their own pip
    ("filled", I64, (MAX_SEATS,)),  # mask of places that show a wild
    ("wild_card", I64, (MAX_SEATS, KINDS)),  # which wild a filled place shows
    ("stock", I64),  # cards in the stock
    ("n_unturned", I64),
    ("n_recycled", I64),
    ("n_pile", I64),
    ("unturned", I64, (MAX_CARDS,)),  # not yet seen: face down, or in the first stock
    ("recycled", I64, (MAX_CARDS,)),  # in a stock that was made of the discard pile
    ("pile", I64, (MAX_CARDS,)),  # the discard pile, its top last
    ("unseen", I64, (KINDS,)),  # cards of each kind that nobody can see
    ("finishers", I64, (MAX_SEATS,)),  # who completed a layout, in order
    ("credits", I64, (MAX_SEATS,)),  # hands credited to each seat in this match
    ("deal", I64, (4,)),  # random stream of the deal
    ("choice", I64, (MAX_SEATS, 4)),  # random stream of each seat's strategy
    ("draws", I64, (MAX_SEATS,)),  # whether that strategy draws words
    ("strategy", STRATEGY, (MAX_SEATS, DECISIONS)),
    ("seen", VIEW, (1,)),  # what a user's strategy is shown
    ("telling", I64),  # whether events are told
    ("told", I64),  # events on the slate
    ("slate", I64, (SLATE, EVENT_WIDTH)),
    *ASKING,
)


@helper
def tell(table, code, first, second, third, fourth) -> None:
    """Note an event, if anybody listens."""
    if table.telling == 0:
        return
    event = table.slate[table.told]
    event[0] = code
    event[1] = first
    event[2] = second
    event[3] = third
    event[4] = fourth
    table.told += 1


@helper
def tell_sizes(table, rules, code, first, second) -> None:
    """Note an event that ends with the sizes of all layouts."""
    if table.telling == 0:
        return
    tell(table, code, first, second, 0, 0)
    for seat in range(rules.players):
        table.slate[table.told - 1, 3 + seat] = table.places[seat]


@helper
def gather(table, rules) -> None:
    """A2, A3: everything is shuffled and dealt again. Deferred: no card is decided yet."""
    at = 0
    for kind in range(JOKER + 1):
        copies = rules.packs * (rules.jokers if kind == JOKER else 4)
        table.unseen[kind] = copies
        for _ in range(copies):
            table.unturned[at] = kind
            at += 1
    table.n_unturned = at
    for seat in range(rules.players):
        table.shown[seat] = 0
        table.filled[seat] = 0
        at -= table.places[seat]
    table.stock = at
    table.n_recycled = 0
    table.n_pile = 0


@helper
def turn_unturned(table) -> int:
    """Turn a card of the deal: the top of the first stock, or one that lies face down."""
    last = table.n_unturned - 1
    j = below(table.deal, last + 1)
    card = table.unturned[j]
    table.unturned[j] = table.unturned[last]
    table.n_unturned = last
    table.unseen[card] -= 1
    return card


@helper
def turn_recycled(table) -> int:
    """Turn the top of a stock that was made of the discard pile."""
    last = table.n_recycled - 1
    j = below(table.deal, last + 1)
    card = table.recycled[j]
    table.recycled[j] = table.recycled[last]
    table.n_recycled = last
    table.unseen[card] -= 1
    return card


@helper
def recycle(table) -> int:
    """A7: the discard pile without its top becomes the stock. Returns its number of cards."""
    cards = table.n_pile - 1
    for j in range(cards):
        card = table.pile[j]
        table.recycled[j] = card
        table.unseen[card] += 1
    table.pile[0] = table.pile[cards]
    table.n_pile = 1
    table.n_recycled = cards
    table.stock = cards
    return cards


@helper
def face_down(table, seat) -> int:
    """Mask of a layout's places that are face down."""
    return ((1 << table.places[seat]) - 1) & ~(table.shown[seat] | table.filled[seat])


@helper
def can_place(table, rules, seat, card) -> bool:
    """Whether a seat can place a card now."""
    return fits(rules, face_down(table, seat), table.filled[seat], card)


@helper
def is_locked(table, rules) -> bool:
    """Whether no seat can place any card outside the layouts, all of which have been seen."""
    if table.stock > table.n_recycled:
        return False  # cards of the first stock are still unseen
    for seat in range(rules.players):
        for j in range(table.n_pile):
            if can_place(table, rules, seat, table.pile[j]):
                return False
        for j in range(table.n_recycled):
            if can_place(table, rules, seat, table.recycled[j]):
                return False
    return True


@helper
def look(table, rules, row, seat, decision, card, returned, word) -> None:
    """Write down what a seat sees when it is asked: every field, so that nothing is remembered."""
    view = table.seen[0]
    view.decision = decision
    view.seat = seat
    view.players = rules.players
    view.word = word
    for j in range(PARAMETERS):
        view.parameter[j] = table.strategy[seat, decision].parameter[j]
    view.card = card
    view.returned = returned
    view.hand = row.hands
    view.stock = table.stock
    view.pile = table.n_pile
    for other in range(MAX_SEATS):
        view.places[other] = table.places[other]
        view.shown[other] = table.shown[other]
        view.filled[other] = table.filled[other]
    for kind in range(KINDS):
        view.unseen[kind] = table.unseen[kind]
        view.discards[kind] = 0
    for j in range(table.n_pile):
        view.discards[table.pile[j]] += 1
    view.take_discard = rules.take_discard
    view.displace = rules.displace
    view.natural = rules.natural
    view.wild_limit = rules.wild_limit
    view.wilds = rules.wilds
    view.packs = rules.packs
    view.jokers = rules.jokers
    view.shrink = rules.shrink
