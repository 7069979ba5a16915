"""Rounds of horner in one go, which doesn't stand still at decisions.

Few turns have a decision, and the built-in strategies but `rollout` answer at once: some alike
whatever lies on the table, others by what can be seen of the discard piles. So what changes each
turn can be kept at hand. The plums that can be placed are bits of a word, and a flipped one moves
its bit without a branch, which a processor would guess wrong for every third.

The rules are those of `horner_turn`, for what most matches are played by (`covers`), and the state
is left as it leaves it, as far as a round is counted. Whatever is told is played there.

A card is the place of its bit: each variety has 8 or 16 of them, its plums first.
"""

from __future__ import annotations

import numpy as np

from .common import USER, lowest_bit
from .horner_numbers import (
    BLOCKER,
    DISCARD,
    DONE,
    FLIP,
    FLIP_ONLY,
    MAY,
    NEVER,
    NO_FLIP,
    OWN,
    PLAYS,
    POOL,
    RACE,
    RANDOM,
    ROLLOUT,
    TOP_AWARE,
    VARIETY_SHIFT,
)
from .horner_quick_cards import (
    NONE,
    ONE,
    SHARED,
    deal,
    recycle_all,
    recycle_own,
    turn_card,
    write_parts,
)
from .horner_strategies import answers_play
from .horner_turn import is_over
from .jit import inlined, part
from .random import U64, next_word, start_stream

U8 = np.uint8
I64 = np.int64

ALL = U64(2**64 - 1)
LOOKS = 2
"""Instead of 0 or 1, what a seat answers: it looks at the table."""
NO_CARD = 63
"""Lies under every discard pile, so that each has a top. No variety has a plum of this bit."""


@part
def bits_of_variety(rules) -> int:
    """log2 of the bits of a variety: those of its plums, and at least one that no plum has."""
    return I64(3) if rules.plums < 8 else I64(4)


@part
def covers(rules, strategies) -> bool:
    """Whether rounds by these rules and strategies are played here.

    A user's function and `rollout` look at more than `lay_out` shows, and may take so long that a
    wish to stop can't wait.
    """
    if rules.many or rules.chain or rules.player_chooses:
        return False
    if rules.varieties << bits_of_variety(rules) > 64:
        return False
    for seat in range(rules.players):
        number = strategies[seat, PLAYS].number
        if number == USER or number == ROLLOUT:
            return False
    return True


@part
def prepare(quick, rules, strategies) -> None:
    """Write down what each seat answers if it needn't look, and the plums before a deal."""
    quick.bits = U64(bits_of_variety(rules))
    for seat in range(rules.players):
        number = strategies[seat, PLAYS].number
        quick.places[seat] = I64(rules.discard_play != NEVER)
        if rules.discard_play == MAY:
            if number == FLIP_ONLY:
                quick.places[seat] = 0
            elif number == RANDOM or number == BLOCKER or number == RACE:
                quick.places[seat] = LOOKS
        quick.flips[seat] = I64(rules.flip_after != NEVER)
        if rules.flip_after == MAY:
            if number == NO_FLIP:
                quick.flips[seat] = 0
            elif number == RANDOM or number == TOP_AWARE:
                quick.flips[seat] = LOOKS
        quick.row[seat] = U64(2 * seat)
        quick.pile[2 * seat, 0] = NO_CARD
        quick.pile[2 * seat + 1, 0] = NO_CARD
    write_parts(quick, rules, I64(0))
    at = 0
    quick.first_ends = NONE
    for variety in range(rules.varieties):
        quick.first_ends |= ONE << (U64(variety) << quick.bits)
        for number in range(rules.plums):
            quick.plums[at] = (variety << bits_of_variety(rules)) + number
            at += 1


@part
def can_flip(state, rules, held, left) -> bool:
    """H5b: whether the seat to move can flip, with so many cards in its two piles."""
    if held + left == NONE or state.unfinished == 0:
        return False
    if left == NONE and rules.recycle != OWN:  # others may have cards to flip first
        for seat in range(rules.players):
            if state.n_draw[seat] > 0:
                return False
    return True


@part
def begin_or_take(quick, state, rules, seat, card) -> None:
    """H4, H6: a 1 or the last plum of a pie has been placed."""
    variety = card >> quick.bits
    base = variety << quick.bits
    if card == base:
        pie = U64(rules.varieties) - quick.empty
        quick.empty -= ONE
        state.pie[variety] = I64(pie)
        quick.ends |= ONE << (base + U64(rules.pie_last[pie]))
        return
    pie = U64(state.pie[variety])
    state.unfinished -= 1
    state.taker[pie] = I64(seat)
    state.points[seat] += rules.pie_worth[pie]
    if rules.recycle != POOL or state.dealt_to[card] == I64(seat):
        state.to_dealt |= I64(ONE << pie)
    # What follows, up to the next variety: 8 or 16 bits.
    plums = (ONE << (ONE << quick.bits)) - ONE
    quick.dead |= (ALL << (card + ONE)) & (plums << base)


@part
def begin_round(quick, state, rules, starter) -> None:
    """H2: open and empty pies, and a deal; nothing of the round before is left."""
    state.unfinished = rules.varieties
    state.first_out = -1
    state.reshuffles = 0
    state.passes = 0
    state.to_dealt = 0
    state.holders = rules.players
    for seat in range(rules.players):
        quick.next[U64(seat)] = U64(seat) + ONE
        state.points[U64(seat)] = 0
        state.shuffles[U64(seat)] = 0
    quick.next[U64(rules.players) - ONE] = NONE
    state.shuffles[SHARED] = 0
    for variety in range(rules.varieties):
        state.taker[U64(variety)] = -1
    quick.offers, quick.from_discard, quick.chances = 0, 0, 0
    quick.empty = U64(rules.varieties)
    quick.ends = quick.first_ends
    quick.dead = NONE
    deal(quick, state, rules, starter)


@part
def first_flips(quick, state, rules, starter) -> int:
    """Whether the first two flips will be placed, as bits: 1s, and what follows on a 1."""
    seat = starter
    left = U64(state.n_draw[seat])
    first = U64(quick.draw[seat, left - ONE])
    if rules.players > 1:
        seat = quick.next[seat]
        left = U64(state.n_draw[seat]) + ONE
    second = U64(quick.draw[seat, left - U64(2)])
    found = (quick.first_ends >> first) & ONE
    if (quick.first_ends >> second) & ONE or (found and second == first + ONE):
        found |= U64(2)
    return I64(found)


@part
def go_out(quick, state, rules, seat) -> None:
    """H7: a seat has no card left."""
    if state.first_out < 0:
        state.first_out = I64(seat)
        state.points[seat] += rules.out_points
    state.holders -= 1
    before = seat
    while quick.next[before] != seat:
        before = quick.next[before]
    quick.next[before] = quick.next[seat]


@part
def count_cards(quick, state, rules, placed) -> None:
    """Count the cards that were flipped and those that were placed, and the turns between these."""
    drawable, held = I64(0), I64(0)
    for seat in range(rules.players):
        drawable += state.n_draw[U64(seat)]
        held += state.n_pile[U64(seat)]
    state.from_discard = quick.from_discard
    state.flips_placed = placed - quick.from_discard
    state.flips = I64(quick.drawable) - drawable
    state.dead = rules.varieties * rules.plums - placed - drawable - held
    longest = I64(0)
    for j in range(placed - 1):
        longest = max(longest, quick.placed_in[j + 1] - quick.placed_in[j] - 1)
    state.longest_wait = longest


@part
def count_decisions(quick, state, rules, turns) -> None:
    """Count the decisions asked, and the turns without one."""
    state.turns = turns
    state.free = I64(0)
    state.forced = turns
    if rules.flip_after == MAY:
        state.free += quick.chances
        state.forced = turns - quick.chances
    if rules.discard_play == MAY:  # whoever is asked for a flip was asked before
        state.free += quick.offers
        state.forced = turns - quick.offers


@part
def lay_out(quick, state, rules, wanted) -> None:
    """Show in the state what strategies look at, as `horner_turn` has it.

    That is the top discards and what each variety needs; numbers of cards stand there anyway.
    """
    bits = I64(quick.bits)
    for seat in range(rules.players):
        cards = state.n_pile[seat]
        if cards > 0:
            card = I64(quick.pile[quick.row[seat], cards])
            variety = card >> bits
            state.pile[seat, cards - 1] = card - (variety << bits) + (variety << VARIETY_SHIFT)
    for variety in range(rules.varieties):
        own = (wanted >> U64(variety << bits)) & ((ONE << (ONE << quick.bits)) - ONE)
        state.need[variety] = lowest_bit(I64(own)) if own else I64(DONE)


@part
def looks(table, state, rules, seat, asked, wanted) -> bool:
    """What a seat answers that looks at the table."""
    lay_out(table.quick[0], state, rules, wanted)
    word = next_word(table.choice[seat]) if table.draws[seat] else U64(0)
    return answers_play(table, rules, state, I64(seat), asked, word)


@inlined
def play_quick_round(table, rules, seed, index, hand, first_seat):
    """H2 to H8: one round, whose counts are left in the state."""
    state, quick = table.live[0], table.quick[0]
    state.seed, state.index, state.hand = seed, index, hand
    starter = U64(first_seat)
    begin_round(quick, state, rules, starter)
    for j in range(rules.players):
        if table.draws[j]:
            start_stream(table.choice[j], seed, index, hand, 1 + j, I64(0))
    first_two = first_flips(quick, state, rules, starter)
    wanted = quick.ends  # plums that can be placed: one of each variety whose pie isn't complete
    ends = quick.ends  # 1s, and last plums of pies
    dead = NONE  # plums whose pie is complete
    turns = I64(0)
    placed = NONE
    last_turn = rules.max_turns
    seat = starter
    while turns < last_turn:
        turns += 1
        held, left = U64(state.n_pile[seat]), U64(state.n_draw[seat])
        flips = True
        # H5a. Few turns have one, so that a branch is guessed well.
        top = U64(quick.pile[quick.row[seat], held])
        if (wanted >> top) & ONE:
            quick.offers += 1
            places = quick.places[seat] == 1
            if quick.places[seat] == LOOKS:
                places = looks(table, state, rules, seat, I64(DISCARD), wanted)
            if places:
                quick.from_discard += 1
                held -= ONE
                quick.placed_in[placed] = turns
                placed += ONE
                wanted += ONE << top  # the next number is the next bit
                if (ends >> top) & ONE:
                    begin_or_take(quick, state, rules, seat, top)
                    ends, dead = quick.ends, quick.dead
                    wanted &= ~dead
                    if state.unfinished == 0:  # H8
                        last_turn = turns
                flips = can_flip(state, rules, held, left)
                quick.chances += I64(flips)
                if flips and quick.flips[seat] != 1:
                    flips = quick.flips[seat] == LOOKS
                    if flips:
                        state.n_pile[seat] = I64(held)
                        flips = looks(table, state, rules, seat, I64(FLIP), wanted)
        # H5b
        if left == NONE and flips:
            if not can_flip(state, rules, held, left):
                flips = False
                state.passes += 1
            else:
                state.n_pile[seat] = I64(held)
                if rules.recycle == OWN:
                    recycle_own(quick, state, rules, seat)
                else:
                    recycle_all(quick, state, rules, seat)
                held, left = NONE, U64(state.n_draw[seat])
        if flips:
            if quick.shuffled[seat]:
                card = U64(quick.draw[seat, left - ONE])
            else:
                card = turn_card(quick, seat, left)
            left -= ONE
            fits = (wanted >> card) & ONE
            held += ONE
            quick.pile[quick.row[seat], held] = U8(card)
            held -= fits
            wanted += fits << card
            held -= (dead >> card) & ONE
            quick.placed_in[placed] = turns
            placed += fits
            if fits & (ends >> card):
                begin_or_take(quick, state, rules, seat, card)
                ends, dead = quick.ends, quick.dead
                wanted &= ~dead
                if state.unfinished == 0:  # H8
                    last_turn = turns
        state.n_pile[seat], state.n_draw[seat] = I64(held), I64(left)
        if held + left == NONE:
            go_out(quick, state, rules, seat)
            if is_over(state, rules):
                break
        seat = quick.next[seat]
    state.capped = I64(not is_over(state, rules))
    count_cards(quick, state, rules, I64(placed))
    count_decisions(quick, state, rules, turns)
    state.first_flips = first_two & ((1 << min(state.flips, 2)) - 1)
