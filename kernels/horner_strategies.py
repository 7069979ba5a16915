"""The built-in strategies of horner: what a seat does when it is asked.

Each sees only what rule H10 makes public. docs/rules/horner.md says what each does;
here each is a few lines under its number. What `answers_play` looks at, `lay_out` of
horner_quick.py must show.
"""

from __future__ import annotations

import numpy as np

from .common import USER, ask, check
from .horner_numbers import (
    BLOCKER,
    DISCARD,
    DONE,
    FLIP_ONLY,
    LARGEST,
    MAX_VARIETIES,
    NO_FLIP,
    NUMBER_MASK,
    PIE,
    PIES,
    PLAYS,
    RACE,
    RANDOM,
    ROLLOUT,
    SMALLEST,
    TOP_AWARE,
    VARIETY_SHIFT,
)
from .horner_rollout import prefers_one
from .horner_table import look, next_holder, number_wanted, top_discard
from .jit import part
from .random import pick

I64 = np.int64


@part
def card_made_placeable(state, rules, card) -> int:
    """The card that can be placed once this one has been; -1: this completes its pie."""
    number = card & NUMBER_MASK
    if number > 0 and number == rules.pie_last[state.pie[card >> VARIETY_SHIFT]]:
        return I64(-1)
    return card + 1


@part
def cards_held(state, seat) -> int:
    """Number of cards of a seat."""
    return state.n_draw[seat] + state.n_pile[seat]


@part
def would_help_next(state, rules, seat, card, seats) -> bool:
    """Whether placing a card lets one of the next seats place its discard."""
    wanted = card_made_placeable(state, rules, card)
    other = seat
    for _ in range(seats):
        other = next_holder(rules, state, other)
        if other == seat:
            return False
        if wanted >= 0 and top_discard(state, other) == wanted:
            return True
    return False


@part
def would_help_ahead(state, rules, seat, card, lead) -> bool:
    """Whether placing a card lets a seat place its discard that has `lead` cards fewer."""
    wanted = card_made_placeable(state, rules, card)
    for other in range(rules.players):
        if other != seat and wanted >= 0 and top_discard(state, other) == wanted:
            return cards_held(state, other) + lead <= cards_held(state, seat)
    return False


@part
def far_from_wanted(state, seat, far) -> bool:
    """Whether a seat loses little by covering its top discard."""
    top = top_discard(state, seat)
    if top < 0 or number_wanted(state, top) == DONE:
        return True
    return (top & NUMBER_MASK) - number_wanted(state, top) >= far


@part
def answers_play(table, rules, state, seat, asked, word) -> bool:
    """Decisions *discard*, whether to place the top discard, and *flip*; without `rollout`."""
    strategy = table.strategy[seat, PLAYS]
    number = strategy.number
    if number == RANDOM:
        return pick(word, 2) == 1
    if asked == DISCARD:
        top = top_discard(state, seat)
        if number == FLIP_ONLY:
            return False
        if number == BLOCKER:
            return not would_help_next(state, rules, seat, top, strategy.parameter[0])
        if number == RACE:
            return not would_help_ahead(state, rules, seat, top, strategy.parameter[0])
        return True
    if number == NO_FLIP:
        return False
    if number == TOP_AWARE:
        return far_from_wanted(state, seat, strategy.parameter[0])
    return True


@part
def has_discarded(state, seat, card) -> bool:
    """Whether a card lies on a seat's discard pile."""
    for j in range(state.n_pile[seat]):
        if state.pile[seat, j] == card:
            return True
    return False


@part
def own_run(state, rules, seat) -> int:
    """An empty pie whose last plum the seat knows as its own; else one whose loss hurts least."""
    base = (state.card >> VARIETY_SHIFT) << VARIETY_SHIFT
    own = I64(-1)
    other = I64(-1)
    for pie in range(rules.varieties):
        if (state.empty >> pie) & 1 == 0:
            continue
        worth = rules.pie_worth[pie]
        if has_discarded(state, seat, base + rules.pie_last[pie]):
            if own < 0 or worth > rules.pie_worth[own]:
                own = I64(pie)
        if other < 0 or worth <= rules.pie_worth[other]:
            other = I64(pie)
    return own if own >= 0 else other


@part
def answers_pie(table, rules, state, seat) -> int:
    """Decision *pie*: the place of an empty pie."""
    number = table.strategy[seat, PIES].number
    if number != SMALLEST and number != LARGEST:
        return own_run(state, rules, seat)
    found = I64(-1)
    for pie in range(rules.varieties):
        if (state.empty >> pie) & 1 == 1 and (found < 0 or number == LARGEST):
            found = I64(pie)
    return found


@part
def is_legal(state, asked, answer) -> bool:
    """Whether an answer is one: 0 or 1, or the place of an empty pie."""
    if asked == PIE:
        return 0 <= answer < MAX_VARIETIES and (state.empty >> answer) & 1 == 1
    return answer == 0 or answer == 1


@part
def answer(table, rules, bots, state, asked, word) -> int:
    """What the seat to move says to a decision."""
    slot = PIES if asked == PIE else PLAYS
    if table.strategy[state.seat, slot].number == USER:
        look(table, rules, state, asked, I64(word))
        found = ask(table, bots, state.seat, asked)
        check(table, is_legal(state, asked, found), found)
        return found
    if asked == PIE:
        return answers_pie(table, rules, state, state.seat)
    strategy = table.strategy[state.seat, PLAYS]
    if strategy.number == ROLLOUT:
        return I64(prefers_one(table, rules, state.seat, strategy.parameter[0], word))
    return I64(answers_play(table, rules, state, state.seat, asked, word))
