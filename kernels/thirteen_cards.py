"""Combinations of thirteen as bit arithmetic on 52-bit masks. No card is looped over.

A rank is four bits of a mask, a *lane* its lowest bit. A combination (T4) is `copies` cards of
each of `ranks` ranks in a row: a single is (1, 1), a quad (4, 1), a sequence (1, n), a double
sequence (2, n). Masks of one kind are ordered by their highest card first, so the smallest
mask is the weakest play.
"""

from __future__ import annotations

import numpy as np

from .common import lowest_bit, ones
from .jit import helper
from .thirteen_numbers import (
    ANY,
    HIERARCHY,
    LONGER,
    LONGEST_DOUBLE,
    LONGEST_RUN,
    PAIR,
    QUAD,
    QUAD_OVER_3,
    SINGLE,
    TRIPLE,
    TWO,
)

I64 = np.int64

LANES = 0x1111111111111
BELOW_TWO = (1 << TWO) - 1
NEVER = 64
"""A strength no card exceeds."""


@helper
def highest(mask) -> int:
    """Number of the highest card; -1 for no card."""
    # A float64 holds 52 bits exactly; its exponent, 1023 more than it says, is the highest's.
    return max((np.float64(mask).view(np.int64) >> 52) - 1023, -1)


@helper
def lowest(mask) -> int:
    """Number of the lowest card; `mask` must not be 0."""
    return lowest_bit(mask)


@helper
def has_two(cards) -> bool:
    """Whether there is a 2 among cards."""
    return cards >> TWO != 0


@helper
def counts(mask) -> int:
    """Number of cards of each rank, in the four bits of the rank."""
    pairs = mask - ((mask >> 1) & 0x5555555555555)
    return (pairs & 0x3333333333333) + ((pairs >> 2) & 0x3333333333333)


@helper
def with_at_least(mask, copies) -> int:
    """Lanes of the ranks with at least `copies` cards."""
    if copies == 1:
        return (mask | mask >> 1 | mask >> 2 | mask >> 3) & LANES
    many = counts(mask)
    if copies == 2:
        return (many >> 1 | many >> 2) & LANES
    if copies == 3:
        return ((many & many >> 1) | many >> 2) & LANES
    return (many >> 2) & LANES


@helper
def run_tops(lanes, ranks) -> int:
    """Lanes at which a row of `ranks` lanes ends."""
    tops = lanes
    for _ in range(ranks - 1):
        tops = lanes & (tops << 4)
    return tops


@helper
def lowest_of_each(mask) -> int:
    """The lowest card of each rank."""
    above = (
        ((mask << 1) & 0xEEEEEEEEEEEEE)
        | ((mask << 2) & 0xCCCCCCCCCCCCC)
        | ((mask << 3) & 0x8888888888888)
    )
    return mask & ~above


@helper
def lowest_cards(mask, copies) -> int:
    """The `copies` lowest cards of each rank."""
    found = 0
    for _ in range(copies):
        one = lowest_of_each(mask)
        found |= one
        mask &= ~one
    return found


@helper
def usable_lanes(rules, hand, copies, ranks) -> int:
    """Lanes that combinations of this kind may be made of: 2s only in sets, or on top (T4)."""
    lanes = with_at_least(hand, copies)
    if ranks > 1 and not (rules.seq_twos and copies == 1):
        lanes &= BELOW_TWO
    return lanes


@helper
def from_card(mask, card) -> int:
    """The cards of a mask from a card on, which may be one beyond the last."""
    return (mask >> card) << card


@helper
def lowest_of_rank(group, copies) -> int:
    """The `copies` lowest of the cards of one rank; fewer if there aren't so many."""
    first = group & -group
    group ^= first
    second = group & -group
    group ^= second
    if copies < 3:
        return first | second if copies == 2 else first
    return first | second | (group & -group if copies == 3 else group)


@helper
def weakest_set(hand, copies, above) -> int:
    """The weakest set of one rank whose highest card is above `above`; 0 if there is none."""
    if copies == 1:
        singles = from_card(hand, above + 1)
        return singles & -singles
    lanes = with_at_least(hand, copies)
    rank = above >> 2
    if above >= 0 and (lanes >> (4 * rank)) & 1 == 1:
        # In the rank of `above` itself: its weakest card that will do, over the lowest others.
        group = hand & (15 << (4 * rank))
        cards = from_card(group, above + 1)
        while cards:
            card = cards & -cards
            under = group & (card - 1)
            if ones(under) >= copies - 1:
                return card | lowest_of_rank(under, copies - 1)
            cards &= cards - 1
    lanes = from_card(lanes, 4 * (rank + 1))
    return lowest_of_rank(hand & (lanes & -lanes) * 15, copies)


@helper
def weakest(rules, hand, copies, ranks, above) -> int:
    """The weakest combination of a kind whose highest card is above `above`; 0 if there is none."""
    if ranks == 1:
        return weakest_set(hand, copies, above)
    if ones(hand) < copies * ranks:
        return 0
    tops = run_tops(usable_lanes(rules, hand, copies, ranks), ranks)
    rank = above >> 2
    if above >= 0 and (tops >> (4 * rank)) & 1 == 1:
        highest_set = weakest_set(hand & (15 << (4 * rank)), copies, above)
        if highest_set:
            lower = from_card(hand & ((1 << (4 * rank)) - 1), 4 * (rank - ranks + 1))
            return highest_set | lowest_cards(lower, copies)
    tops = from_card(tops, 4 * (rank + 1))
    if tops == 0:
        return 0
    top = lowest(tops) >> 2
    part = hand & ((1 << (4 * (top + 1))) - 1)
    return lowest_cards(from_card(part, 4 * (top - ranks + 1)), copies)


CHOICES = np.array(
    [
        sum(
            part << 4 * j
            for j, part in enumerate(
                part for part in range(1, 16) if part & ~group == 0 and part.bit_count() == copies
            )
        )
        for copies in range(QUAD + 1)
        for group in range(16)
    ]
)
"""By copies and the suits there are: the sets of so many of them in order, four bits each."""


@helper
def choices(hand, rank, copies) -> int:
    """The sets of so many suits that a hand has of a rank, in order, four bits each."""
    return CHOICES[np.uintp(copies * 16 + ((hand >> (4 * rank)) & 15))]


@helper
def spread(plays, n, hand, top, copies, ranks, above) -> int:
    """List all plays of a kind whose highest rank is `top`, in order.

    Parameters
    ----------
    plays : int64[...]
        Written from `n` on.
    n : int64
    hand, top, copies, ranks : int64
    above : int64
        Only plays whose highest card is above this one.

    Returns
    -------
    n : int64
        After the last play.
    """
    begin = n
    parts = choices(hand, top, copies)
    while parts:
        part = (parts & 15) << (4 * top)
        if highest(part) > above:
            plays[n] = part
            n += 1
        parts >>= 4
    for rank in range(top - 1, top - ranks, -1):
        parts = choices(hand, rank, copies)
        several = (highest(parts) >> 2) + 1
        # Each play so far becomes several; from the last back, so none is overwritten.
        for j in range(n - begin - 1, -1, -1):
            base = plays[begin + j]
            for k in range(several):
                part = (parts >> (4 * k)) & 15
                plays[begin + j * several + k] = base | part << (4 * rank)
        n = begin + (n - begin) * several
    return n


@helper
def is_bomb(copies, ranks) -> bool:
    """T6: quads and double sequences."""
    return copies == QUAD or (copies == PAIR and ranks > 1)


@helper
def is_bombable(rules, top, copies, ranks) -> bool:
    """T6: whether bombs of other types may beat a combination of a kind, of some length."""
    return top >> TWO != 0 or rules.bomb_scope == ANY or is_bomb(copies, ranks)


@helper
def bomb_class(copies, ranks) -> int:
    """Place of a bomb in the hierarchy: 2 pairs, 3 pairs, quad, 4, 5, 6 pairs."""
    if copies == QUAD:
        return 2
    return ranks - 2 if ranks < 4 else ranks - 1


@helper
def classify(rules, cards):
    """T4: what a set of cards is.

    Returns
    -------
    copies, ranks : int64
        0, 0 when it is no combination.
    """
    if cards & (cards - 1) == 0:
        single = I64(cards != 0)
        return single, single
    many = counts(cards)
    lanes = with_at_least(cards, I64(1))
    first = lowest(lanes)
    copies = (many >> first) & 15
    ranks = ones(lanes)
    if ranks == 1:
        return copies, ranks
    row = run_tops(lanes, ranks)
    if many != lanes * copies or row == 0 or copies > PAIR:
        return 0, 0
    has_two = cards >> TWO != 0
    if copies == SINGLE:
        good = ranks >= rules.seq_min and (rules.seq_twos == 1 or not has_two)
    else:
        good = ranks >= rules.dseq_min and not has_two
    return (copies, ranks) if good else (0, 0)


@helper
def holds_bomb(rules, hand) -> bool:
    """Whether a hand holds any bomb."""
    pairs = with_at_least(hand, I64(PAIR))
    return with_at_least(hand, I64(QUAD)) != 0 or run_tops(pairs & BELOW_TWO, rules.dseq_min) != 0


@helper
def strength(rules, cards) -> int:
    """T5, `compare_suit`: above which card the highest of a play of the same type must be."""
    card = highest(cards)
    return card if rules.compare_suit else card | 3


@helper
def needed(rules, top, top_copies, top_ranks, copies, ranks) -> int:
    """T5, T6: above which card a combination's highest must be to beat the top.

    Parameters
    ----------
    top : int64
        Cards on the table; 0 when leading.
    top_copies, top_ranks, copies, ranks : int64
        Kinds of the top and of the combination.

    Returns
    -------
    int64
        -1 when any will do, NEVER when none does.
    """
    if top == 0:
        return -1
    if copies == top_copies and ranks == top_ranks:
        return strength(rules, top)
    if not is_bomb(copies, ranks):
        return NEVER
    if is_bomb(top_copies, top_ranks):
        if rules.bomb_vs_bomb == LONGER:
            longer = copies == PAIR and top_copies == PAIR and ranks > top_ranks
            return -1 if longer else NEVER
        if rules.bomb_vs_bomb == HIERARCHY:
            return -1 if bomb_class(copies, ranks) > bomb_class(top_copies, top_ranks) else NEVER
        if rules.bomb_vs_bomb == QUAD_OVER_3:
            return -1 if copies == QUAD and top_copies == PAIR and top_ranks == 3 else NEVER
        return NEVER
    if rules.bomb_scope == ANY:
        return -1
    if top_ranks == 1 and top_copies <= TRIPLE and top >> TWO != 0:
        if copies == QUAD:
            return -1 if rules.quad_beats >= top_copies else NEVER
        least = (rules.bomb_min >> (4 * (top_copies - 1))) & 15
        return -1 if least > 0 and ranks >= least else NEVER
    return NEVER


@helper
def runs_possible(rules, hand, copies, ranks) -> bool:
    """Whether the hand holds any combination of a kind."""
    return run_tops(usable_lanes(rules, hand, copies, ranks), ranks) != 0


@helper
def all_plays(plays, n, rules, hand, copies, ranks, above) -> int:
    """List all plays of a kind above a card, in order; returns n after the last."""
    tops = run_tops(usable_lanes(rules, hand, copies, ranks), ranks)
    tops = from_card(tops, max(above, 0) & ~3)
    while tops:
        n = spread(plays, n, hand, lowest(tops) >> 2, copies, ranks, above)
        tops &= tops - 1
    return n


@helper
def list_plays(plays, n, rules, hand, top, top_copies, top_ranks, bombs_only) -> int:
    """T7: list the plays of a hand over a top from `n` on, in order; returns n after the last.

    `bombs_only`: 0 all plays, 1 bombs, 2 double sequences of four ranks or more.
    """
    if top and not bombs_only and not is_bombable(rules, top, top_copies, top_ranks):
        above = strength(rules, top)
        return all_plays(plays, n, rules, hand, top_copies, top_ranks, above)
    for copies in range(SINGLE, QUAD + 1):
        if not bombs_only or (copies == QUAD and bombs_only != 2):
            above = needed(rules, top, top_copies, top_ranks, copies, I64(1))
            if above < NEVER:
                n = all_plays(plays, n, rules, hand, copies, I64(1), above)
    for copies in range(SINGLE, PAIR + 1):
        if bombs_only and copies == SINGLE:
            continue
        least = rules.seq_min if copies == SINGLE else rules.dseq_min
        if bombs_only == 2:
            least = max(least, 4)
        most = LONGEST_RUN if copies == SINGLE else LONGEST_DOUBLE
        for ranks in range(least, most + 1):
            if not runs_possible(rules, hand, copies, ranks):
                break
            above = needed(rules, top, top_copies, top_ranks, copies, ranks)
            if above < NEVER:
                n = all_plays(plays, n, rules, hand, copies, ranks, above)
    return n
