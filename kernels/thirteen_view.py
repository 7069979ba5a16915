"""What a strategy of thirteen sees, and questions it can ask about it.

A strategy is a function of a view, a record of the fields below. It answers with the cards it
plays, a mask with bit 4 * rank + suit (ranks 3 .. 2, suits S C D H), or 0 to pass. `next_play` goes
through the legal plays. This is version 1 of the view; fields may be added at its end.
"""

from __future__ import annotations

import numpy as np

from .common import PARAMETERS, lowest_bit, ones, record
from .jit import helper
from .random import U64
from .random import pick as pick_word
from .thirteen_cards import (
    NEVER,
    choices,
    classify,
    has_two,
    highest,
    is_bomb,
    lowest,
    needed,
    run_tops,
    usable_lanes,
    weakest,
)
from .thirteen_numbers import (
    FOUR,
    LONGEST_DOUBLE,
    LONGEST_RUN,
    MAX_SEATS,
    PAIR,
    PLAY,
    QUAD,
    RANKS,
    SINGLE,
    TRIPLE,
)

__all__ = [
    "PAIR",
    "PLAY",
    "QUAD",
    "SINGLE",
    "TRIPLE",
    "VIEW",
    "can_pass",
    "has_two",
    "classify",
    "highest",
    "is_bomb",
    "is_legal",
    "is_locked",
    "lowest",
    "lowest_bit",
    "next_play",
    "next_seat",
    "ones",
    "pick",
    "weakest",
]

I64 = np.int64


VIEW = record(
    ("decision", I64),  # PLAY
    ("seat", I64),  # who is asked, 0 ..
    ("players", I64),  # how many play
    ("word", I64),  # a random number 0 .. 2^32-1 of this decision's own; see `pick`
    ("parameter", I64, (PARAMETERS,)),  # the strategy's own, in their order
    ("hand", I64),  # mask of the own cards
    ("gone", I64),  # mask of the cards played in this deal
    ("held", I64, (MAX_SEATS,)),  # number of cards in each hand
    ("top", I64),  # mask of the cards to beat; 0: the seat leads
    ("top_copies", I64),  # copies of the top, as `classify` says it
    ("top_ranks", I64),  # ranks of the top
    ("owner", I64),  # who made the top; -1 when leading
    ("locked", I64),  # mask of the seats that passed in this trick
    ("answered", I64),  # mask of the seats that passed on this top
    ("played", I64),  # mask of the seats that have played a card in this deal
    ("must_hold", I64),  # mask of the card that the first play must contain; 0: none
    ("alone", I64),  # 1: that card must be the whole play
    ("last_player", I64),  # last seat but the owner that played in this trick, -1 if none
    ("last_passer", I64),  # last seat that passed in this trick, -1 if none
    ("points", I64, (MAX_SEATS,)),  # of the match before this deal
    ("target", I64),  # rule: points of a match; 0: single deals
    ("bomb_min", I64),  # rule: four bits each for one, two and three 2s
    ("quad_beats", I64),  # rule
    ("bomb_vs_bomb", I64),  # rule: 0 same, 1 longer, 2 hierarchy, 3 quad_over_3
    ("bomb_scope", I64),  # rule: 0 twos, 1 any
    ("lockout", I64),  # rule: 1 on
    ("bomb_after_pass", I64),  # rule: 0 no, 1 four, 2 yes
    ("lead_after_out", I64),  # rule: 0 next, 1 previous_player, 2 last_passer
    ("seq_min", I64),  # rule
    ("dseq_min", I64),  # rule
    ("seq_twos", I64),  # rule: 1 high
    ("compare_suit", I64),  # rule: 1 on
    ("pass_forced", I64),  # rule: 1 if pass_rule=forced
    ("finish_two", I64),  # rule: 1 yes
    ("until_first", I64),  # rule: 1 if the deal is over when one is out
    ("score_cards", I64),  # rule: 1 if score=cards
)
"""All that rule T14 makes public, the own cards and the rules, and what is asked."""


@helper
def is_locked(view, seat) -> bool:
    """Whether a seat has passed in this trick."""
    return (view.locked >> seat) & 1 == 1


@helper
def next_seat(view, seat) -> int:
    """The next seat clockwise that holds cards; the seat itself if no other does."""
    for _ in range(view.players):
        seat = seat + 1 if seat + 1 < view.players else 0
        if view.held[seat] > 0:
            break
    return seat


@helper
def pick(view, n) -> int:
    """A random whole number 0 .. n-1, the same each time it is asked for in one decision."""
    return pick_word(U64(view.word), n)


@helper
def is_due(rules, hand, must_hold, alone, play) -> bool:
    """T3, finish_two: whether a play holds the card due, and is no last play with a 2."""
    if must_hold and (play & must_hold == 0 or (alone and play != must_hold)):
        return False
    return rules.finish_two == 1 or play != hand or not has_two(play)


@helper
def may_play_kind(rules, locked, copies, ranks) -> bool:
    """`bomb_after_pass`: whether a seat, that may have passed, may play such a combination."""
    if not locked:
        return True
    if rules.bomb_after_pass == FOUR:
        return copies == PAIR and ranks >= 4
    return is_bomb(copies, ranks)


@helper
def is_legal(view, play) -> bool:
    """Whether a set of cards is a legal play now. A pass is none: see `can_pass`."""
    found, row = classify(view, I64(play))
    copies, ranks = I64(found), I64(row)
    if copies == 0 or play & ~view.hand:
        return False
    if not may_play_kind(view, is_locked(view, view.seat), copies, ranks):
        return False
    if not is_due(view, view.hand, view.must_hold, view.alone, play):
        return False
    return highest(play) > needed(view, view.top, view.top_copies, view.top_ranks, copies, ranks)


@helper
def first_of_rank(view, rank, copies) -> int:
    """The lowest cards of a rank in the hand, as many as said."""
    return (choices(view.hand, rank, copies) & 15) << (4 * rank)


@helper
def following_of_rank(view, rank, copies, cards) -> int:
    """The cards of a rank that come after these in order; 0 after the last ones."""
    parts = choices(view.hand, rank, copies)
    while parts and (parts & 15) << (4 * rank) <= cards:
        parts >>= 4
    return (parts & 15) << (4 * rank)


@helper
def first_with_top(view, copies, ranks, rank) -> int:
    """The first play of a kind whose highest rank is at least this one; 0 if there is none."""
    tops = run_tops(usable_lanes(view, view.hand, copies, ranks), ranks)
    for at in range(rank, RANKS):
        if (tops >> (4 * at)) & 1 == 1:
            play = I64(0)
            for below in range(ranks):
                play |= first_of_rank(view, at - below, copies)
            return play
    return I64(0)


@helper
def following_of_kind(view, copies, ranks, play) -> int:
    """The play of a kind that comes after one in order; 0 after the last."""
    rank = highest(play) >> 2
    for at in range(rank - ranks + 1, rank + 1):  # the lowest rank's suits turn fastest
        group = play & (I64(15) << (4 * at))
        more = following_of_rank(view, at, copies, group)
        if more:
            return (play & ~group) | more
        play = (play & ~group) | first_of_rank(view, at, copies)
    return first_with_top(view, copies, ranks, rank + 1)


@helper
def next_kind(view, copies, ranks):
    """The kind after one, in the order of the move generator; 0, 0 after the last."""
    if ranks == 1:
        if copies < QUAD:
            return copies + 1, 1
        return SINGLE, view.seq_min
    if copies == SINGLE:
        return (SINGLE, ranks + 1) if ranks < LONGEST_RUN else (PAIR, view.dseq_min)
    return (PAIR, ranks + 1) if ranks < LONGEST_DOUBLE else (0, 0)


@helper
def next_play(view, play) -> int:
    """The legal play after one, in order; the first one after 0, and 0 after the last.

    Singles come first, then pairs, triples, quads, sequences by length, double sequences by
    length; weaker ones before stronger ones. `play` must be what `next_play` gave, or 0.
    """
    if play:
        copies, ranks = classify(view, play)
        copies, ranks = I64(copies), I64(ranks)
        found = following_of_kind(view, copies, ranks, play)
    else:
        copies, ranks = I64(SINGLE), I64(1)
        found = first_with_top(view, copies, ranks, I64(0))
    locked = is_locked(view, view.seat)
    while copies:
        above = needed(view, view.top, view.top_copies, view.top_ranks, copies, ranks)
        if above < NEVER and may_play_kind(view, locked, copies, ranks):
            if found and highest(found) >> 2 < above >> 2:
                found = first_with_top(view, copies, ranks, above >> 2)
            while found:
                if highest(found) > above and is_due(
                    view, view.hand, view.must_hold, view.alone, found
                ):
                    return found
                found = following_of_kind(view, copies, ranks, found)
        following, longer = next_kind(view, copies, ranks)
        copies, ranks = I64(following), I64(longer)
        if copies:
            found = first_with_top(view, copies, ranks, I64(0))
    return I64(0)


@helper
def can_pass(view) -> bool:
    """Whether a pass is legal."""
    if view.top == 0:
        return False
    return view.pass_forced == 0 or next_play(view, I64(0)) == 0
