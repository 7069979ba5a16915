"""Scoring thirteen: places, points, and the prices of 2s and bombs."""

from __future__ import annotations

import numpy as np

from .common import ones
from .jit import part
from .thirteen_cards import BELOW_TWO, has_two, with_at_least
from .thirteen_numbers import BLACK, FROZEN, PAIR, QUAD, TWO

I64 = np.int64


@part
def bomb_kind(copies, ranks) -> int:
    """Where a bomb is counted: quad 0, double sequences of 2 .. 6 ranks 1 .. 5."""
    return 0 if copies == QUAD else ranks - 1


@part
def price_of_twos(rules, cards) -> int:
    """penalties: the price of the 2s among some cards."""
    twos = cards & (np.int64(15) << TWO)
    black = ones(twos & BLACK)
    return black * rules.penalties[0] + (ones(twos) - black) * rules.penalties[1]


@part
def price_of_row(rules, ranks) -> int:
    """penalties: the price of a double sequence."""
    if ranks < 3:
        return 0
    return rules.penalties[2] if ranks == 3 else rules.penalties[4]


@part
def price_of_top(table, rules) -> int:
    """penalties: what the owner of the top pays when a bomb beats it."""
    if table.top_copies == QUAD:
        return rules.penalties[3]
    if table.top_ranks == 1:
        return price_of_twos(rules, table.top) if has_two(table.top) else 0
    return price_of_row(rules, table.top_ranks) if table.top_copies == PAIR else 0


@part
def price_of_hand(rules, hand) -> int:
    """penalties: what a seat pays for the 2s and bombs it still holds at the end."""
    price = price_of_twos(rules, hand)
    price += rules.penalties[3] * ones(with_at_least(hand, I64(QUAD)) & BELOW_TWO)
    pairs = with_at_least(hand, I64(PAIR)) & BELOW_TWO
    row = 0
    for rank in range(TWO // 4 + 1):
        if (pairs >> (4 * rank)) & 1 == 1:
            row += 1
        else:
            price += price_of_row(rules, row)
            row = 0
    return price


@part
def place_the_rest(table, rules, stuck_first) -> None:
    """T11, finish_two: places of the seats that still hold cards when a deal is over."""
    out = 0
    for seat in range(rules.players):
        out = max(out, table.place[seat])
    if stuck_first >= 0:
        for step in range(1, rules.players + 1):
            seat = (stuck_first + step) % rules.players
            if table.hand[seat]:
                out += 1
                table.place[seat] = out
    else:
        for seat in range(rules.players):
            if table.hand[seat]:
                table.place[seat] = rules.players
    if rules.until_first:
        for seat in range(rules.players):
            if table.place[seat] != 1:
                table.place[seat] = 0


@part
def score_deal(table, rules, winner, at_once) -> None:
    """T11, score, penalties: a deal's points, and add them to the totals."""
    priced = np.int64(0)
    for price in rules.penalties:
        priced |= price
    for seat in range(rules.players):
        table.earned[seat] = 0
    for seat in range(rules.players):
        points = np.int64(0)
        if rules.score_cards:
            if seat != winner:
                frozen = at_once or (table.played >> seat) & 1 == 0
                points = np.int64(FROZEN) if frozen else np.int64(ones(table.hand[seat]))
                table.earned[winner] += points
                points = -points
        elif table.place[seat] > 0:
            points = rules.points[table.place[seat] - 1]
        if not at_once:
            points += table.paid[seat]
            if priced and seat != winner and table.hand[winner] == 0:
                held = price_of_hand(rules, table.hand[seat])
                points -= held
                table.earned[winner] += held
        table.earned[seat] += points
    for seat in range(rules.players):
        table.total[seat] += table.earned[seat]
