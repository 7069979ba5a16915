"""Cards of a round that is played in one go: the deal, reshuffles, and their random words.

To the same cards as `horner_piles`, with fewer steps. Streams are started many at once. A
reshuffled draw pile isn't shuffled before it is flipped: its words are its own and come in the
order of its cards, so that each card is turned when it is needed. Where cards go to several seats,
in the deal and with `recycle=pool`, all are turned at once.
"""

from __future__ import annotations

import numpy as np

from .horner_numbers import MAX_SEATS, POOL
from .jit import part
from .random import HALF, U32, U64, WORD, draw, first_words

I64 = np.int64

NONE, ONE = U64(0), U64(1)
STREAMS = 16
"""Streams of a block, which are started at once: a deal's, and the next reshuffles'."""
SHARED = MAX_SEATS
"""Whose words are those of cards that go to several seats."""


@part
def write_parts(quick, rules, block) -> None:
    """Write down the parts of a block's streams: the deal's, then those of each seat in turn."""
    quick.block_of_parts = block
    for lane in range(STREAMS):
        number = block * STREAMS + lane - 1
        if number < 0:
            quick.parts[lane] = 0
        elif rules.recycle == POOL:
            quick.parts[lane] = 8 * number + 1 + MAX_SEATS
        else:
            count = number // rules.players
            quick.parts[lane] = 8 * count + 1 + number - count * rules.players


@part
def start_streams(quick, state, rules, block) -> None:
    """Start a block of streams, as `start_stream` of random.py does one; in vectors."""
    if quick.block_of_parts != block:
        write_parts(quick, rules, block)
    quick.block = block
    low, high = U32(U64(state.index) & WORD), U32(U64(state.index) >> HALF)
    hand = U32(state.hand)
    k0, k1 = U32(state.seed & WORD), U32(state.seed >> HALF)
    for j in range(STREAMS):
        lane = U64(j)
        s0, s1, s2, s3 = first_words(low, high, hand, U32(quick.parts[lane] << U32(8)), k0, k1)
        quick.streams[0, lane] = s0
        quick.streams[1, lane] = s1
        quick.streams[2, lane] = s2
        quick.streams[3, lane] = s3


@part
def begin_stream(quick, state, rules, number, seat) -> None:
    """Give a seat the words of a stream, 0 for the deal, else of a reshuffle."""
    block = number // STREAMS
    if quick.block != block:
        start_streams(quick, state, rules, block)
    lane = U64(number - block * STREAMS)
    for word in range(4):
        quick.words[seat, U64(word)] = quick.streams[U64(word), lane]


@part
def turn_all(quick, cards) -> None:
    """Turn all cards of the shared pool, and note in which order."""
    row = U64(SHARED)
    s0, s1 = quick.words[row, 0], quick.words[row, 1]
    s2, s3 = quick.words[row, 2], quick.words[row, 3]
    left = U64(cards)
    while left > NONE:
        at, s0, s1, s2, s3 = draw(s0, s1, s2, s3, left)
        quick.turned[U64(cards) - left] = quick.pool[at]
        left -= ONE
        quick.pool[at] = quick.pool[left]
    quick.drawable += U64(cards)


@part
def turn_card(quick, seat, left):
    """Turn one of the `left` cards of a draw pile that a seat's own discards have become."""
    at, s0, s1, s2, s3 = draw(
        quick.words[seat, 0], quick.words[seat, 1], quick.words[seat, 2], quick.words[seat, 3], left
    )
    quick.words[seat, 0] = s0
    quick.words[seat, 1] = s1
    quick.words[seat, 2] = s2
    quick.words[seat, 3] = s3
    row = quick.row[seat] ^ ONE
    card = quick.pile[row, at + ONE]
    quick.pile[row, at + ONE] = quick.pile[row, left]
    return U64(card)


@part
def share(quick, state, seat, cards) -> None:
    """Shuffle the shared pool, and give its cards to the seats that hold any.

    One at a time from a seat on, below those it already has.
    """
    turn_all(quick, cards)
    sharers = U64(state.holders)
    base = U64(cards) // sharers
    extra = U64(cards) - base * sharers
    for j in range(state.holders):
        at = U64(j)
        have = base + U64(at < extra)
        state.n_draw[seat] = I64(have)
        state.n_pile[seat] = 0
        quick.shuffled[seat] = 1
        while have > NONE:
            have -= ONE
            quick.draw[seat, have] = quick.turned[at]
            at += sharers
        seat = quick.next[seat]


@part
def deal(quick, state, rules, starter) -> None:
    """H2: all plums are shuffled and dealt, one at a time clockwise from the starter."""
    cards = rules.varieties * rules.plums
    for j in range(cards):
        quick.pool[U64(j)] = quick.plums[U64(j)]
    quick.drawable = NONE
    start_streams(quick, state, rules, I64(0))
    begin_stream(quick, state, rules, I64(0), U64(SHARED))
    share(quick, state, starter, cards)
    if rules.recycle == POOL:  # else whoever was dealt a card keeps it
        for seat in range(rules.players):
            for j in range(state.n_draw[seat]):
                state.dealt_to[quick.draw[seat, j]] = seat


@part
def recycle_own(quick, state, rules, seat) -> None:
    """H5b: a seat's discard pile becomes its draw pile.

    It is shuffled as it is flipped: its words are nobody else's, so that each may wait.
    """
    number = 1 + state.shuffles[seat] * rules.players + I64(seat)
    begin_stream(quick, state, rules, number, seat)
    state.shuffles[seat] += 1
    state.reshuffles += 1
    quick.row[seat] ^= ONE
    quick.shuffled[seat] = 0
    quick.drawable += U64(state.n_pile[seat])
    state.n_draw[seat] = state.n_pile[seat]
    state.n_pile[seat] = 0


@part
def recycle_all(quick, state, rules, seat) -> None:
    """`recycle=sync`, `pool`: all draw piles are empty, and all are filled."""
    players = U64(rules.players)
    other = seat
    cards = NONE
    for _ in range(rules.players):
        if rules.recycle == POOL:
            for j in range(state.n_pile[other]):
                quick.pool[cards] = quick.pile[quick.row[other], U64(j) + ONE]
                cards += ONE
        elif state.n_pile[other] > 0:
            recycle_own(quick, state, rules, other)
        other = other + ONE if other + ONE < players else NONE
    if rules.recycle == POOL:
        begin_stream(quick, state, rules, 1 + state.shuffles[SHARED], U64(SHARED))
        state.shuffles[SHARED] += 1
        state.reshuffles += 1
        share(quick, state, seat, I64(cards))
