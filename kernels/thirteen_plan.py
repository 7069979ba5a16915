"""The fewest plays a hand of thirteen splits into."""

from __future__ import annotations

import numpy as np

from .common import lowest_bit, ones
from .jit import part
from .thirteen_cards import BELOW_TWO, LANES, counts, lowest, lowest_cards, run_tops
from .thirteen_numbers import LONGEST_DOUBLE, PAIR, RANKS, SINGLE

I64 = np.int64

TOO_MANY = 99


@part
def run_length(rules, many, first, copies) -> int:
    """Ranks in a row from `first` on that have `copies` cards left and may stand in a run."""
    lanes = many >> 1 | many >> 2  # two cards or more
    longest = LONGEST_DOUBLE
    if copies == SINGLE:
        lanes |= many
        longest = RANKS
    if not (rules.seq_twos and copies == SINGLE):
        lanes &= BELOW_TWO
    gaps = ~(lanes >> (4 * first)) & (LANES | 1 << 52)
    return min(lowest_bit(gaps) >> 2, longest)


@part
def lanes_from(first, ranks) -> int:
    """Lanes of `ranks` ranks from `first` on."""
    return (LANES & ((1 << (4 * ranks)) - 1)) << (4 * first)


@part
def in_rows(lanes, least) -> int:
    """Those lanes that are in a row of at least so many."""
    found = run_tops(lanes, least)
    for _ in range(least - 1):
        found |= found >> 4
    return found & lanes


@part
def open_split(table, rules, depth, many, plays) -> None:
    """Begin to split what is left after some plays.

    A rank that can be in no run any more is a play of its own, whatever is done with the others:
    such ranks are counted, and only the others searched.
    """
    lanes = (many | many >> 1 | many >> 2) & LANES
    singles = lanes if rules.seq_twos else lanes & BELOW_TWO
    pairs = (many >> 1 | many >> 2) & LANES & BELOW_TWO
    runs = in_rows(singles, rules.seq_min) | in_rows(pairs, rules.dseq_min)
    left = many & (runs * 15)
    table.split[depth] = left
    table.split_plays[depth] = plays + ones(lanes & ~runs)
    table.split_copies[depth] = PAIR  # double sequences come first
    if left:
        table.split_ranks[depth] = run_length(rules, left, lowest(left) >> 2, I64(PAIR))


@part
def fewest_plays(table, rules, many) -> int:
    """Split the cards of a hand into the fewest plays, exactly.

    Parameters
    ----------
    table : TABLE
        Its split, split_plays, split_copies, split_ranks and tried are overwritten. `choice_first`,
        `choice_copies` and `choice_ranks` say what was done with the lowest rank each time that it
        could be in a run: copies and ranks of a run, or 0 and 1, a set of all its cards.
    rules : RULES
    many : int64
        Cards of each rank, in the four bits of the rank.

    Returns
    -------
    int64
        The number of choices.

    Notes
    -----
    The cards of the lowest rank left are in runs that begin there or else together in one set,
    so trying those and splitting what remains finds the minimum. A stack of what is left takes
    the place of recursion, which Numba's disk cache can't hold. Of splits with as few plays the
    first one found is kept.
    """
    best = I64(TOO_MANY)
    choices = I64(0)
    depth = I64(0)
    open_split(table, rules, I64(0), many, I64(0))
    while depth >= 0:
        left = table.split[depth]
        copies = table.split_copies[depth]
        plays = table.split_plays[depth]
        if left == 0 and plays < best:
            best = plays
            choices = depth
            for j in range(depth):
                table.choice_first[j] = lowest(table.split[j]) >> 2
                table.choice_copies[j] = table.tried_copies[j]
                table.choice_ranks[j] = table.tried_ranks[j]
        if left == 0 or plays + 1 >= best or copies < 0:
            depth -= 1
            continue
        first = lowest(left) >> 2
        ranks = I64(1)
        if copies == 0:
            table.split_copies[depth] = -1
            rest = left & ~(15 << (4 * first))
        else:
            ranks = table.split_ranks[depth]
            if ranks < (rules.dseq_min if copies == PAIR else rules.seq_min):
                table.split_copies[depth] = copies - 1
                table.split_ranks[depth] = run_length(rules, left, first, I64(SINGLE))
                continue
            table.split_ranks[depth] = ranks - 1
            rest = left - copies * lanes_from(first, ranks)
        table.tried_copies[depth] = copies
        table.tried_ranks[depth] = ranks
        depth += 1
        open_split(table, rules, depth, rest, plays + 1)
    return choices


@part
def make_plan(table, rules, seat, hand) -> None:
    """Split a hand into the fewest plays and leave them in the table, lowest rank first.

    Of the ways with the fewest plays it takes double sequences before sequences before sets,
    longer before shorter, and the lowest suits of each rank.
    """
    choices = fewest_plays(table, rules, counts(hand))
    table.planned[seat] = hand
    left = hand
    at = I64(0)
    n = I64(0)
    while left:
        first = lowest(left) >> 2
        copies = I64(0)
        ranks = I64(1)
        if at < choices and table.choice_first[at] == first:
            copies = table.choice_copies[at]
            ranks = table.choice_ranks[at]
            at += 1
        part = left & ((1 << (4 * (first + ranks))) - 1)
        if copies == 0:
            copies = ones(part)
            play = part
        else:
            play = lowest_cards(part, copies)
        table.plan[seat, n] = play
        table.plan_copies[seat, n] = copies
        table.plan_ranks[seat, n] = ranks
        n += 1
        left &= ~play
    table.n_plan[seat] = n


@part
def plan_hand(table, rules, seat) -> None:
    """Have the plan of a seat's hand in the table.

    After a play of the plan, the plan of what is left is what is left of the plan: `make_plan`
    would begin a better or earlier one with a play that, with the one made, were better or
    earlier for the hand before. So it is under the same rules: `play` forgets plans of others.
    """
    hand = table.hand[seat]
    made = table.planned[seat] & ~hand
    if hand & ~table.planned[seat] == 0:
        if made == 0:
            return
        n = table.n_plan[seat]
        for j in range(n):
            if table.plan[seat, j] == made:
                for k in range(j + 1, n):
                    table.plan[seat, k - 1] = table.plan[seat, k]
                    table.plan_copies[seat, k - 1] = table.plan_copies[seat, k]
                    table.plan_ranks[seat, k - 1] = table.plan_ranks[seat, k]
                table.n_plan[seat] = n - 1
                table.planned[seat] = hand
                return
    make_plan(table, rules, seat, hand)
