"""The fewest plays a hand of thirteen splits into."""

from __future__ import annotations

import numpy as np

from .common import lowest_bit
from .jit import part
from .thirteen_cards import BELOW_TWO, LANES, counts, lowest, lowest_cards
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
def open_split(table, rules, depth, many) -> None:
    """Begin to split what is left after `depth` plays: double sequences come first."""
    table.split[depth] = many
    table.split_copies[depth] = PAIR
    if many:
        table.split_ranks[depth] = run_length(rules, many, lowest(many) >> 2, PAIR)


@part
def fewest_plays(table, rules, many, bound) -> int:
    """Fewest plays that use up all cards, exactly, if that is less than `bound`; else `bound`.

    Parameters
    ----------
    table : TABLE
        Its split, split_copies, split_ranks are overwritten.
    rules : RULES
    many : int64
        Cards of each rank, in the four bits of the rank.
    bound : int64

    Notes
    -----
    The cards of the lowest rank left are in runs that begin there or else together in one set,
    so trying those and splitting what remains finds the minimum. A stack of what is left takes
    the place of recursion, which Numba's disk cache can't hold.
    """
    best = bound
    depth = 0
    open_split(table, rules, 0, many)
    while depth >= 0:
        left = table.split[depth]
        copies = table.split_copies[depth]
        if left == 0:
            best = min(best, depth)
        if left == 0 or depth + 1 >= best or copies < 0:
            depth -= 1
            continue
        first = lowest(left) >> 2
        if copies == 0:
            table.split_copies[depth] = -1
            rest = left & ~(15 << (4 * first))
        else:
            ranks = table.split_ranks[depth]
            if ranks < (rules.dseq_min if copies == PAIR else rules.seq_min):
                table.split_copies[depth] = copies - 1
                table.split_ranks[depth] = run_length(rules, left, first, SINGLE)
                continue
            table.split_ranks[depth] = ranks - 1
            rest = left - copies * lanes_from(first, ranks)
        depth += 1
        open_split(table, rules, depth, rest)
    return best


@part
def make_plan(table, rules, seat, hand) -> None:
    """Split a hand into the fewest plays and leave them in the table, lowest rank first.

    Of the ways with the fewest plays it takes double sequences before sequences before sets,
    longer before shorter, and the lowest suits of each rank.
    """
    table.planned[seat] = hand
    table.n_plan[seat] = 0
    left = hand
    to_go = fewest_plays(table, rules, counts(hand), I64(TOO_MANY))
    while left:
        many = counts(left)
        first = lowest(left) >> 2
        copies_found = 0
        ranks_found = 1
        for copies in range(PAIR, SINGLE - 1, -1):
            least = rules.dseq_min if copies == PAIR else rules.seq_min
            for ranks in range(run_length(rules, many, first, copies), least - 1, -1):
                if copies_found == 0:
                    rest = many - copies * lanes_from(first, ranks)
                    if 1 + fewest_plays(table, rules, rest, to_go) == to_go:
                        copies_found = copies
                        ranks_found = ranks
        if copies_found == 0:
            copies_found = (many >> (4 * first)) & 15
        part = left & ((1 << (4 * (first + ranks_found))) - 1)
        play = lowest_cards(part, copies_found)
        table.plan[seat, table.n_plan[seat]] = play
        table.n_plan[seat] += 1
        left &= ~play
        to_go -= 1


@part
def plan_hand(table, rules, seat) -> None:
    """Have the plan of a seat's hand in the table.

    After a play of the plan, the plan of what is left is what is left of the plan: `make_plan`
    would begin a better or earlier one with a play that, with the one made, were better or
    earlier for the hand before.
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
                table.n_plan[seat] = n - 1
                table.planned[seat] = hand
                return
    make_plan(table, rules, seat, hand)


@part
def has_two(play) -> bool:
    """Whether a play contains a 2."""
    return play & ~BELOW_TWO != 0
