"""`rollout`: both answers tried in imagined orders of the cards that nobody has seen.

docs/rules/horner.md says what it does, word for word. It looks at a copy of the round in
which the hidden cards lie in order, so nothing it does can depend on where they really are.
"""

from __future__ import annotations

import numpy as np

from .common import lowest_bit
from .horner_numbers import PIE
from .horner_piles import turn_card
from .horner_turn import OVER, advance
from .jit import part
from .random import start_stream

I64 = np.int64

ROLLOUT_STREAM = 255
TOGETHER = -1
"""The draw piles that no reshuffle has made: what is in which of them is not known."""


@part
def in_group(state, group, seat) -> bool:
    """Whether a seat's draw pile is in a group: TOGETHER, or the number of a seat."""
    return state.known[seat] == 0 if group == TOGETHER else seat == group


@part
def collect(table, state, rules, group) -> int:
    """Put the cards of a group's draw piles into the pool, tops first. Returns how many."""
    cards = 0
    for seat in range(rules.players):
        if in_group(state, group, seat):
            for j in range(state.n_draw[seat] - 1, -1, -1):
                table.deck[cards] = state.draw[seat, j]
                cards += 1
    return cards


@part
def sort_hidden(table, state, rules, group) -> None:
    """Put the cards of a group's draw piles in ascending order, seat 0 first, tops first."""
    for j in range(collect(table, state, rules, group)):
        table.marked[table.deck[j]] = 1
    code = -1
    for seat in range(rules.players):
        if in_group(state, group, seat):
            for j in range(state.n_draw[seat] - 1, -1, -1):
                code += 1
                while table.marked[code] == 0:
                    code += 1
                table.marked[code] = 0
                state.draw[seat, j] = code


@part
def shuffle_hidden(table, state, rules, group) -> None:
    """Fill a group's draw piles again with cards turned from its pool."""
    left = collect(table, state, rules, group)
    for seat in range(rules.players):
        if in_group(state, group, seat):
            for j in range(state.n_draw[seat] - 1, -1, -1):
                state.draw[seat, j] = turn_card(table, state, left)
                left -= 1


@part
def play_on(table, state, rules) -> None:
    """Play to the end of the round, everybody `eager`."""
    asked = advance(table, state, rules)
    while asked != OVER:
        state.answer = lowest_bit(state.empty) if asked == PIE else I64(1)
        asked = advance(table, state, rules)


@part
def prefers_one(table, rules, seat, samples, word) -> bool:
    """Whether answer 1 does at least as well as answer 0."""
    table.public[0] = table.live[0]
    public = table.public[0]
    trial = table.trial[0]
    public.telling = 0
    public.seed = word
    public.hand = 0
    public.stream = ROLLOUT_STREAM
    for group in range(TOGETHER, rules.players):
        if group == TOGETHER or public.known[group]:
            sort_hidden(table, public, rules, group)
    lead = I64(0)  # what answer 1 is ahead by
    for sample in range(samples):
        for answer in range(2):
            table.trial[0] = table.public[0]
            trial.index = sample
            start_stream(trial.words, word, sample, 0, ROLLOUT_STREAM, 0)
            for group in range(TOGETHER, rules.players):
                if group == TOGETHER or trial.known[group]:
                    shuffle_hidden(table, trial, rules, group)
            trial.answer = answer
            play_on(table, trial, rules)
            worth = rules.players * trial.points[seat]
            for other in range(rules.players):
                worth -= trial.points[other]
            lead += worth if answer else -worth
    return lead >= 0
