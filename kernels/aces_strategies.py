"""The built-in strategies of aces: what a seat does when it is asked.

Each sees only what rule A10 makes public. docs/rules/aces.md says what each does;
here each is a few lines under its number.
"""

from __future__ import annotations

import numpy as np

from .aces_numbers import (
    DISPLACE,
    DISPLACE_ALWAYS,
    DISPLACE_RANDOM,
    KINDS,
    TAKE,
    TAKE_ALWAYS,
    TAKE_NEVER,
    TAKE_RANDOM,
    TAKE_RARE,
    WILD,
    WILD_COMMONEST,
    WILD_HIGHEST,
    WILD_LOWEST,
    WILD_RANDOM,
    WILD_RAREST,
)
from .aces_table import can_place, face_down, look
from .common import USER, ask, check, ones
from .jit import part
from .random import pick

I64 = np.int64


@part
def takes(table, rules, row, bots, seat, top, returned, word) -> bool:
    """Decision *take*: the discard pile's top (True) or the stock (False).

    `returned`: the seat before took this very card and put it back.
    """
    number = table.strategy[seat, TAKE].number
    if number == USER:
        look(table, rules, row, seat, TAKE, top, I64(returned), I64(word))
        answer = ask(table, bots, seat, TAKE)
        check(table, answer == 0 or answer == 1, answer)
        return answer == 1
    if number == TAKE_NEVER:
        return False
    if number == TAKE_RANDOM:
        return pick(word, 2) == 1
    usable = can_place(table, rules, seat, top)
    if number == TAKE_ALWAYS:
        return usable
    if number == TAKE_RARE:
        return usable and table.unseen[top] <= table.strategy[seat, TAKE].parameter[0]
    # safe_pass: a top that is of no use to the next seat either is better than an unknown card.
    following = (seat + 1) % rules.players
    return usable or (not returned and not can_place(table, rules, following, top))


@part
def _lacking(table, rules, seat, place) -> int:
    """Number of opponents whose layout has a place but not yet with its own pip."""
    lacking = 0
    for other in range(rules.players):
        if other != seat and place < table.places[other]:
            lacking += 1 - ((table.shown[other] >> place) & 1)
    return lacking


@part
def chooses_place(table, rules, row, bots, seat, wild, word) -> int:
    """Decision *wild*: a place that is face down, counted from 0."""
    number = table.strategy[seat, WILD].number
    down = face_down(table, seat)
    if number == USER:
        look(table, rules, row, seat, WILD, wild, I64(0), I64(word))
        answer = ask(table, bots, seat, WILD)
        check(table, 0 <= answer < KINDS and (down >> answer) & 1 == 1, answer)
        return answer
    skip = pick(word, ones(down)) if number == WILD_RANDOM else 0
    best = -1
    best_value = 0
    for place in range(table.places[seat]):
        if (down >> place) & 1 == 0:
            continue
        if number == WILD_LOWEST or number == WILD_RANDOM:
            if skip == 0:
                return place
            skip -= 1
            continue
        if number == WILD_HIGHEST:
            value = place
        elif number == WILD_RAREST:
            value = -table.unseen[place]
        elif number == WILD_COMMONEST:
            value = table.unseen[place]
        else:
            value = np.int64(_lacking(table, rules, seat, place))
        if best < 0 or value > best_value:
            best = place
            best_value = value
    return best


@part
def displaces(table, rules, row, bots, seat, pip, word) -> bool:
    """Decision *displace*: whether a pip takes up the wild on its place."""
    number = table.strategy[seat, DISPLACE].number
    if number == USER:
        look(table, rules, row, seat, DISPLACE, pip, I64(0), I64(word))
        answer = ask(table, bots, seat, DISPLACE)
        check(table, answer == 0 or answer == 1, answer)
        return answer == 1
    if number == DISPLACE_RANDOM:
        return pick(word, 2) == 1
    return number == DISPLACE_ALWAYS
