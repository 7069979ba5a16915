"""The table of a round of horner: where every card is, and what has happened.

A round is played by going from one decision to the next, so everything it needs to go on stands in
its state; a strategy that imagines how a round might end goes on from a copy.
"""

from __future__ import annotations

import numpy as np

from .common import ASKING, PARAMETERS, STRATEGY, record
from .horner_numbers import (
    CODES,
    DECISIONS,
    DISCARDED,
    DONE,
    DRAWN,
    ELSEWHERE,
    EVENT_WIDTH,
    LARGEST_PIE,
    MAX_CARDS,
    MAX_SEATS,
    MAX_VARIETIES,
    NUMBER_MASK,
    PIE,
    PIES,
    PLAYS,
    UNSEEN,
    VARIETY_SHIFT,
)
from .horner_view import VIEW
from .jit import helper

I64 = np.int64
I8 = np.int8
U8 = np.uint8
U32 = np.uint32
U64 = np.uint64

RULES = record(
    ("players", I64),
    ("rounds", I64),
    ("varieties", I64),
    ("plums", I64),
    ("pie_number", I64, (MAX_VARIETIES,)),  # by place on the table: printed, or that place from 1
    ("pie_last", I64, (MAX_VARIETIES,)),  # number of its last plum, less one
    ("pie_worth", I64, (MAX_VARIETIES,)),
    ("out_points", I64),
    ("player_chooses", I64),
    ("discard_play", I64),
    ("many", I64),
    ("flip_after", I64),
    ("chain", I64),
    ("recycle", I64),
    ("first_out_ends", I64),
    ("next_start", I64),
    ("max_turns", I64),
)
"""The rules as the engine understands them; docs/rules/horner.md says what each means."""

ROW = record(
    ("winner", I64),
    ("winners", I64),
    ("capped", I64),
    ("turns", I64),
    ("rounds", I64),
    ("flips", I64),
    ("flips_placed", I64),
    ("from_discard", I64),
    ("reshuffles", I64),
    ("passes", I64),
    ("dead", I64),
    ("forced", I64),
    ("free", I64),
    ("longest_wait", I64),
    ("pies_taken", I64),
    ("pies_to_dealt", I64),
    ("first_flip_placed", I64),
    ("first_two_placed", I64),
    ("starter_first_out", I64),
    ("first_out", I64),
    ("first_score60", I64),
    ("points", I64, (MAX_SEATS,)),
    ("pies", I64, (MAX_SEATS,)),
    ("first_outs", I64, (MAX_SEATS,)),
)
"""What is kept of a match."""

STATE = record(
    ("seed", np.uint64),  # where its random words are, with index, hand and stream
    ("index", I64),
    ("hand", I64),
    ("stream", I64),
    ("words", I64, (4,)),
    ("telling", I64),  # whether events are told
    ("seat", I64),  # whose turn it is
    ("phase", I64),  # of the turn
    ("answer", I64),  # of the strategy that was asked
    ("card", I64),  # about to be placed
    ("discarded", I64),  # whether that card comes from a discard pile
    ("placed", I64),  # whether the seat has placed a discard in this link of its turn
    ("acted", I64),  # whether it has placed or flipped in this turn
    ("asked", I64),  # whether it was asked in this turn
    ("n_draw", I64, (MAX_SEATS,)),
    ("n_pile", I64, (MAX_SEATS,)),
    ("hidden", I64),  # cards in all draw piles
    ("holders", I64),  # seats that hold cards
    ("known", I64, (MAX_SEATS,)),  # whether a reshuffle of its own discards made the draw pile
    ("shuffles", I64, (MAX_SEATS + 1,)),  # reshuffles by seat, and of the pool
    ("need", I64, (MAX_VARIETIES,)),  # next number of each variety, less one
    ("pie", I64, (MAX_VARIETIES,)),  # place of its pie
    ("empty", I64),  # mask of places of empty pies
    ("unfinished", I64),  # pies that are not complete
    ("before", I64, (MAX_SEATS,)),  # points of the rounds before
    ("points", I64, (MAX_SEATS,)),
    ("taker", I64, (MAX_VARIETIES,)),  # seat that took the pie at a place, or -1
    ("to_dealt", I64),  # mask of places whose pie went to who was dealt its last plum
    ("first_out", I64),
    ("capped", I64),
    ("turns", I64),
    ("flips", I64),
    ("flips_placed", I64),
    ("first_flips", I64),  # bit 0: the first flip was placed, bit 1: the second
    ("from_discard", I64),
    ("reshuffles", I64),
    ("passes", I64),
    ("dead", I64),
    ("forced", I64),
    ("free", I64),
    ("last_placement", I64),  # turn of the last placement; 0: none
    ("longest_wait", I64),
    ("dealt_to", I8, (CODES,)),
    ("draw", I8, (MAX_SEATS, MAX_CARDS)),  # draw piles, tops last
    ("pile", I8, (MAX_SEATS, MAX_CARDS)),  # discard piles, tops last
)
"""A round that is being played."""

QUICK = record(
    ("used", I64),  # whether rounds are played by it
    ("bits", U64),  # log2 of the bits that a variety has
    ("places", I64, (MAX_SEATS,)),  # whether a seat places its discard if it can; 2: it looks
    ("flips", I64, (MAX_SEATS,)),  # whether it flips after that, likewise
    ("next", U64, (MAX_SEATS,)),  # the next seat that holds cards, by seat
    ("first_ends", U64),  # the 1s
    ("ends", U64),  # the 1s, and the last plums of pies that have a variety
    ("dead", U64),  # plums whose pie is complete
    ("empty", U64),  # empty pies
    ("drawable", U64),  # cards that have come into draw piles
    ("offers", I64),  # turns with a top discard that could be placed
    ("from_discard", I64),  # those in which it was
    ("chances", I64),  # those in which a card could be flipped after that
    ("placed_in", I64, (64,)),  # turns of placements
    ("block", I64),  # number of the block of streams that have been started
    ("streams", U32, (4, 16)),  # these, word by word
    ("block_of_parts", I64),
    ("parts", U32, (16,)),  # of that block
    ("words", U32, (MAX_SEATS + 1, 4)),  # of each seat's draw pile, and of the deal
    ("plums", U8, (64,)),  # all cards in order
    ("pool", U8, (64,)),  # from which cards are turned for all
    ("turned", U8, (64,)),  # these, in order
    ("shuffled", I64, (MAX_SEATS,)),  # whether a seat's draw pile is: it is one of the next
    ("draw", U8, (MAX_SEATS, 64)),  # tops last
    ("row", U64, (MAX_SEATS,)),  # of a seat's discards; the other of its two has its draw pile
    ("pile", U8, (2 * MAX_SEATS, 64)),  # from 1 on, tops last
)
"""What a round in one go needs besides its state: cards and masks of cards, as bits."""

TALLY = (MAX_SEATS, LARGEST_PIE + 1, 2)
"""By seat and number of a pie: pies taken, and those whose last plum the seat was dealt."""

SLATE = 512
"""Events that fit in the table; a turn may turn up every card, each with three events or four."""

TABLE = record(
    ("live", STATE, (1,)),  # the round that is played
    ("public", STATE, (1,)),  # what everybody knows of it: hidden cards in order
    ("trial", STATE, (1,)),  # a round that a strategy imagines
    ("quick", QUICK, (1,)),  # what horner_quick.py plays with, besides the live round
    ("blank", STATE, (1,)),  # zeros, as blank_row, to begin anew
    ("blank_row", ROW, (1,)),
    ("pies", I64, TALLY),  # to be added to the tally
    ("deck", I64, (MAX_CARDS,)),  # a pool from which cards are turned
    ("marked", I64, (CODES,)),  # zeros between uses, to sort cards
    ("seen", VIEW, (1,)),  # what a user's strategy is shown
    ("choice", I64, (MAX_SEATS, 4)),  # random stream of each seat's strategies
    ("draws", I64, (MAX_SEATS,)),  # whether those draw words
    ("strategy", STRATEGY, (MAX_SEATS, DECISIONS)),
    ("told", I64),  # events on the slate
    ("slate", I64, (SLATE, EVENT_WIDTH)),
    *ASKING,
)


@helper
def tell(table, state, code, first, second, third, fourth) -> None:
    """Note an event if events are told."""
    if state.telling == 0:
        return
    event = table.slate[table.told]
    event[0] = code
    event[1] = first
    event[2] = second
    event[3] = third
    event[4] = fourth
    table.told += 1


@helper
def number_wanted(state, card) -> int:
    """The number that the variety of a card needs next, less one; DONE: it has its pie."""
    return state.need[card >> VARIETY_SHIFT]


@helper
def can_place(state, card) -> bool:
    """H4: whether a card can be placed now."""
    return number_wanted(state, card) == card & NUMBER_MASK


@helper
def holds_cards(state, seat) -> bool:
    """H7: whether a seat is not out."""
    return state.n_draw[seat] + state.n_pile[seat] > 0


@helper
def next_holder(rules, state, seat) -> int:
    """The next seat clockwise that holds cards; the seat itself if no other does."""
    for _ in range(rules.players):
        seat += 1
        if seat == rules.players:
            seat = 0
        if holds_cards(state, seat):
            break
    return seat


@helper
def top_discard(state, seat) -> int:
    """Top of a discard pile, -1 if there is none."""
    cards = state.n_pile[seat]
    return I64(state.pile[seat, cards - 1]) if cards > 0 else I64(-1)


@helper
def look(table, rules, state, decision, word) -> None:
    """Write down what the seat to move sees: every field, so that nothing is remembered."""
    seat = state.seat
    view = table.seen[0]
    view.decision = decision
    view.seat = seat
    view.players = rules.players
    view.word = word
    slot = PIES if decision == PIE else PLAYS
    for j in range(PARAMETERS):
        view.parameter[j] = table.strategy[seat, slot].parameter[j]
    view.card = state.card if decision == PIE else top_discard(state, seat)
    view.round_number = state.hand + 1
    view.turn = state.turns
    view.empty = state.empty
    for j in range(MAX_VARIETIES):
        view.wanted[j] = 0 if state.need[j] == DONE else state.need[j] + 1
        view.pie[j] = state.pie[j]
        view.pie_number[j] = rules.pie_number[j]
        view.last_number[j] = rules.pie_last[j] + 1
        view.pie_worth[j] = rules.pie_worth[j]
    for code in range(CODES):
        view.where[code] = ELSEWHERE
    for other in range(MAX_SEATS):
        view.draw[other] = state.n_draw[other]
        view.discards[other] = state.n_pile[other]
        view.top[other] = top_discard(state, other)
        view.known[other] = state.known[other]
        view.points[other] = state.before[other] + state.points[other]
        for j in range(state.n_pile[other]):
            view.where[state.pile[other, j]] = DISCARDED + other
        for j in range(state.n_draw[other]):
            view.where[state.draw[other, j]] = DRAWN + other if state.known[other] else UNSEEN
    view.out_points = rules.out_points
    view.rounds = rules.rounds
    view.varieties = rules.varieties
    view.plums = rules.plums
    view.discard_play = rules.discard_play
    view.many = rules.many
    view.flip_after = rules.flip_after
    view.chain = rules.chain
    view.recycle = rules.recycle
    view.first_out_ends = rules.first_out_ends
