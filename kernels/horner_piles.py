"""Horner's cards on the move: the deal and the three kinds of reshuffle."""

from __future__ import annotations

import numpy as np

from .horner_numbers import (
    EVENT_DEAL,
    EVENT_OUT,
    EVENT_RESHUFFLE,
    MAX_SEATS,
    OWN,
    POOL,
    VARIETY_SHIFT,
)
from .horner_table import next_holder, tell
from .jit import part
from .random import below, start_stream

I64 = np.int64


@part
def turn_card(table, state, left) -> int:
    """Turn a card of the pool, which has `left` cards."""
    deck = table.deck
    j = below(state.words, left)
    card = deck[j]
    deck[j] = deck[left - 1]
    return card


@part
def deal(table, state, rules, starter) -> None:
    """H2: all plums are shuffled and dealt, one at a time clockwise from the starter."""
    cards = rules.varieties * rules.plums
    at = 0
    for variety in range(rules.varieties):
        for number in range(rules.plums):
            table.deck[at] = (variety << VARIETY_SHIFT) + number
            at += 1
    base = cards // rules.players
    extra = cards - base * rules.players
    seat = starter
    for j in range(rules.players):
        state.n_draw[seat] = base + I64(j < extra)
        seat = seat + 1 if seat + 1 < rules.players else 0
    telling = state.telling
    if telling:
        tell(table, state, EVENT_DEAL, state.hand + 1, starter, 0, 0)
        for word in range(table.slate.shape[1] - 3):
            table.slate[table.told - 1, 3 + word] = 0
    start_stream(state.words, state.seed, state.index, state.hand, state.stream, 0)
    depth = 0  # cards that every seat has by now
    seat = starter
    for j in range(cards):
        card = turn_card(table, state, cards - j)
        state.draw[seat, state.n_draw[seat] - 1 - depth] = card
        state.dealt_to[card] = seat
        if telling:
            table.slate[table.told - 1, 3 + (j >> 3)] |= card << (8 * (j & 7))
        seat += 1
        if seat == rules.players:
            seat = 0
        if seat == starter:
            depth += 1
    state.hidden = cards
    state.holders = rules.players


@part
def go_out(table, state, rules, seat) -> None:
    """H7: a seat has no card left."""
    state.holders -= 1
    first = state.first_out < 0
    if first:
        state.first_out = seat
        state.points[seat] += rules.out_points
    if first or state.holders > 0:
        tell(table, state, EVENT_OUT, seat, 0, 0, 0)


@part
def start_shuffle(state, number) -> None:
    """Put the words where those of a reshuffle are; `number`: the seat, or MAX_SEATS for all."""
    part = 8 * state.shuffles[number] + 1 + number
    start_stream(state.words, state.seed, state.index, state.hand, state.stream, part)
    state.shuffles[number] += 1
    state.reshuffles += 1


@part
def recycle_own(table, state, seat) -> None:
    """H5b: a seat's discard pile becomes its draw pile."""
    cards = state.n_pile[seat]
    start_shuffle(state, seat)
    for j in range(cards):
        table.deck[j] = state.pile[seat, j]
    for left in range(cards, 0, -1):
        state.draw[seat, left - 1] = turn_card(table, state, left)
    state.n_draw[seat] = cards
    state.n_pile[seat] = 0
    state.hidden += cards
    state.known[seat] = 1
    tell(table, state, EVENT_RESHUFFLE, seat, cards, 0, 0)


@part
def recycle_pool(table, state, rules, seat) -> None:
    """`recycle=pool`: all discards are shuffled and dealt to the seats that are not out.

    Each of them has a discard, since all draw piles are empty; so each gets a card.
    """
    cards = I64(0)
    other = seat
    for _ in range(rules.players):
        for j in range(state.n_pile[other]):
            table.deck[cards] = state.pile[other, j]
            cards += 1
        other = other + 1 if other + 1 < rules.players else 0
    start_shuffle(state, I64(MAX_SEATS))
    tell(table, state, EVENT_RESHUFFLE, seat, cards, 0, 0)
    base = cards // state.holders
    extra = cards - base * state.holders
    other = seat
    for j in range(state.holders):
        state.n_draw[other] = base + I64(j < extra)
        state.n_pile[other] = 0
        other = next_holder(rules, state, other)
    depth = 0  # cards that every seat has by now
    for j in range(cards):
        state.draw[other, state.n_draw[other] - 1 - depth] = turn_card(table, state, cards - j)
        other = next_holder(rules, state, other)
        if other == seat:
            depth += 1
    state.hidden = cards


@part
def recycle(table, state, rules, seat) -> None:
    """Fill a seat's empty draw pile; with `sync` and `pool` all are empty, and all are filled."""
    if rules.recycle == OWN:
        recycle_own(table, state, seat)
    elif rules.recycle == POOL:
        recycle_pool(table, state, rules, seat)
    else:
        other = seat
        for _ in range(rules.players):
            if state.n_pile[other] > 0:
                recycle_own(table, state, other)
            other = other + 1 if other + 1 < rules.players else 0
