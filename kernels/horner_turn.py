"""The turns of a round of horner, from one decision to the next.

`advance` plays until somebody has to be asked, or the round is over. So it is the same code that
plays a round and that plays on from a copy of it, for a strategy that imagines how it might end.
"""

from __future__ import annotations

import numpy as np

from .common import lowest_bit
from .horner_numbers import (
    DISCARD,
    DONE,
    EVENT_DEAD,
    EVENT_DISCARD,
    EVENT_FLIP,
    EVENT_PASS,
    EVENT_PIE,
    EVENT_PLACE,
    FLIP,
    MUST,
    NEVER,
    NUMBER_MASK,
    OWN,
    PIE,
    VARIETY_SHIFT,
)
from .horner_numbers import MAY as MAY_FLIP
from .horner_piles import deal, go_out, recycle
from .horner_table import (
    can_place,
    holds_cards,
    next_holder,
    number_wanted,
    tell,
    top_discard,
)
from .jit import part

I64 = np.int64

OVER, TURN_TOLD = -1, -2
"""What `advance` says besides the decision that is asked: the round is over; a turn was told."""

# Where in a turn a round stands; the last three wait for an answer.
TURN, LINK, OFFER, TAKE, CHANCE, TURN_UP, IN_HAND, TURN_END = range(8)
DISCARD_ASKED, FLIP_ASKED, PIE_ASKED = range(8, 11)


@part
def start_round(table, state, rules, starter) -> None:
    """H2: open and empty pies, and a deal. The state is blank but for where its words are."""
    state.seat = starter
    state.phase = TURN
    state.empty = (1 << rules.varieties) - 1
    state.unfinished = rules.varieties
    state.first_out = -1
    for j in range(rules.varieties):
        state.pie[j] = -1
        state.taker[j] = -1
    deal(table, state, rules, starter)


@part
def is_over(state, rules) -> bool:
    """H8: whether the round is over."""
    return state.unfinished == 0 or (rules.first_out_ends == 1 and state.first_out >= 0)


@part
def place(table, state, rules, seat) -> None:
    """H4, H6: the card in hand goes on its pie."""
    card = state.card
    variety = card >> VARIETY_SHIFT
    number = card & NUMBER_MASK
    if number == 0:
        state.pie[variety] = state.answer
        state.empty &= ~(1 << state.answer)
    pie = state.pie[variety]
    tell(table, state, EVENT_PLACE, seat, card, rules.pie_number[pie], state.discarded)
    state.need[variety] = number + 1
    if state.last_placement > 0:
        state.longest_wait = max(state.longest_wait, state.turns - state.last_placement - 1)
    state.last_placement = state.turns
    state.acted = 1
    if number == rules.pie_last[pie]:
        state.need[variety] = DONE
        state.unfinished -= 1
        state.taker[pie] = seat
        state.points[seat] += rules.pie_worth[pie]
        state.to_dealt |= I64(state.dealt_to[card] == seat) << pie
        tell(table, state, EVENT_PIE, seat, rules.pie_number[pie], variety, 0)


@part
def turn_up(table, state, rules, seat) -> int:
    """H5b: the top of the draw pile is flipped. Returns the phase that follows."""
    state.n_draw[seat] -= 1
    state.hidden -= 1
    card = I64(state.draw[seat, state.n_draw[seat]])
    state.flips += 1
    state.acted = 1
    tell(table, state, EVENT_FLIP, seat, card, 0, 0)
    if can_place(state, card):
        if state.flips <= 2:
            state.first_flips |= 1 << (state.flips - 1)
        state.flips_placed += 1
        state.card = card
        state.discarded = 0
        return I64(IN_HAND)
    if number_wanted(state, card) == DONE:  # pies=capacity
        state.dead += 1
        tell(table, state, EVENT_DEAD, seat, card, 0, 0)
        if not holds_cards(state, seat):
            go_out(table, state, rules, seat)
    else:
        state.pile[seat, state.n_pile[seat]] = card
        state.n_pile[seat] += 1
        tell(table, state, EVENT_DISCARD, seat, card, 0, 0)
    return I64(TURN_END)


@part
def after_chance(state, rules, seat) -> int:
    """H5b: whether a seat flips: the phase that follows, FLIP_ASKED if it is for it to say."""
    if not holds_cards(state, seat):
        return I64(TURN_END)
    if state.n_draw[seat] == 0 and rules.recycle != OWN and state.hidden > 0:
        return I64(TURN_END)  # sync, pool: others have cards to flip first
    if state.placed == 0 or rules.flip_after == MUST:
        return I64(TURN_UP)
    return I64(FLIP_ASKED) if rules.flip_after == MAY_FLIP else I64(TURN_END)


@part
def end_turn(table, state, seat) -> None:
    """Count a turn that is over."""
    state.forced += 1 - state.asked
    if state.acted == 0:
        state.passes += 1
        tell(table, state, EVENT_PASS, seat, 0, 0, 0)


@part
def ask(state, phase) -> None:
    """Note that a seat is asked, and where its answer is awaited."""
    state.phase = phase
    state.asked = 1
    state.free += 1


@part
def advance(table, state, rules) -> int:
    """H5: play until a decision is asked, with the answer to the one before in `state.answer`.

    Returns
    -------
    int64
        DISCARD, FLIP or PIE; OVER; or TURN_TOLD after each turn if events are told.
    """
    seat = state.seat
    phase = state.phase
    if phase == DISCARD_ASKED:
        phase = I64(TAKE) if state.answer else I64(CHANCE)
    elif phase == FLIP_ASKED:
        phase = I64(TURN_UP) if state.answer else I64(TURN_END)
    while True:
        if phase == TURN:
            if state.turns == rules.max_turns:
                state.capped = 1
                return I64(OVER)
            state.turns += 1
            state.acted = 0
            state.asked = 0
            phase = I64(LINK)
        if phase == LINK:
            state.placed = 0
            phase = I64(OFFER)
        if phase == OFFER:  # H5a
            phase = I64(CHANCE)
            if rules.discard_play != NEVER:
                top = top_discard(state, seat)
                if top >= 0 and can_place(state, top):
                    if rules.discard_play != MUST:
                        ask(state, DISCARD_ASKED)
                        return I64(DISCARD)
                    phase = I64(TAKE)
        if phase == TAKE:
            state.card = top_discard(state, seat)
            state.n_pile[seat] -= 1
            state.discarded = 1
            state.from_discard += 1
            phase = I64(IN_HAND)
        if phase == CHANCE:  # H5b
            phase = after_chance(state, rules, seat)
            if phase == FLIP_ASKED:
                ask(state, FLIP_ASKED)
                return I64(FLIP)
        if phase == TURN_UP:
            if state.n_draw[seat] == 0:
                recycle(table, state, rules, seat)
            phase = turn_up(table, state, rules, seat)
            if phase == TURN_END and is_over(state, rules):  # a dead card was the seat's last
                end_turn(table, state, seat)
                return I64(OVER)
        if phase == IN_HAND and state.card & NUMBER_MASK == 0:  # H4: a 1 needs an empty pie
            if rules.player_chooses and state.empty & (state.empty - 1):
                ask(state, PIE_ASKED)
                return I64(PIE)
            state.answer = lowest_bit(state.empty)
        if phase == IN_HAND or phase == PIE_ASKED:
            place(table, state, rules, seat)
            if not holds_cards(state, seat):
                go_out(table, state, rules, seat)
                phase = I64(TURN_END)
            elif state.discarded:
                state.placed = 1
                phase = I64(OFFER) if rules.many else I64(CHANCE)
            else:
                phase = I64(LINK) if rules.chain else I64(TURN_END)
            if is_over(state, rules):
                end_turn(table, state, seat)
                return I64(OVER)
        if phase == TURN_END:
            end_turn(table, state, seat)
            seat = next_holder(rules, state, seat)
            state.seat = seat
            phase = I64(TURN)
            if state.telling:
                state.phase = TURN
                return I64(TURN_TOLD)
