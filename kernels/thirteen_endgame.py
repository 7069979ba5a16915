"""Exact play of thirteen once two seats are left and each must know the other's cards."""

from __future__ import annotations

import numpy as np

from .common import ones
from .jit import part
from .thirteen_cards import NEVER, classify, list_plays, needed, weakest
from .thirteen_numbers import (
    FOUR,
    FRAMES,
    LONGEST_DOUBLE,
    MAX_PLAYS,
    NEXT,
    NO,
    PAIR,
    QUAD,
    STACK,
    TWO,
)

I64 = np.int64
LOST, WON, UNKNOWN, NOTHING, GOES_ON, NOT_LEGAL = range(6)
MOVER, OTHER, GONE = range(3)


@part
def opponent_left(table, rules, seat) -> int:
    """The only other seat that holds cards; -1 if there are more."""
    found = -1
    for other in range(rules.players):
        if other != seat and table.hand[other]:
            if found >= 0:
                return -1
            found = other
    return found


@part
def knows_both_hands(table, rules, seat) -> bool:
    """Whether one other seat is left and the unseen cards are its hand."""
    other = opponent_left(table, rules, seat)
    if other < 0:
        return False
    unseen = 52 - ones(table.gone) - ones(table.hand[seat])
    return unseen == ones(table.hand[other])


@part
def may_finish(rules, play, hand) -> bool:
    """finish_two: whether a play may be made, as far as it empties the hand."""
    return rules.finish_two == 1 or play != hand or play >> TWO == 0


@part
def bombs_allowed(rules) -> int:
    """What a seat that has passed may still play: 0 nothing, 1 bombs, 2 four pairs or more."""
    if rules.bomb_after_pass == NO:
        return 0
    return 2 if rules.bomb_after_pass == FOUR else 1


@part
def may_come_back(rules, hand, top, top_copies, top_ranks) -> bool:
    """Whether a seat that has passed holds a bomb it may still play on the top."""
    allowed = bombs_allowed(rules)
    if allowed == 0:
        return False
    if allowed == 1:
        above = needed(rules, top, top_copies, top_ranks, I64(QUAD), I64(1))
        if above < NEVER:
            quad = weakest(rules, hand, I64(QUAD), I64(1), above)
            if quad and may_finish(rules, quad, hand):
                return True
    for ranks in range(max(rules.dseq_min, 4 if allowed == 2 else 2), LONGEST_DOUBLE + 1):
        above = needed(rules, top, top_copies, top_ranks, I64(PAIR), ranks)
        if above < NEVER and weakest(rules, hand, I64(PAIR), ranks, above):
            return True
    return False


@part
def turned(result) -> int:
    """An outcome, seen from the other seat."""
    return result if result == UNKNOWN else WON - result


@part
def set_position(frame, hand, other, top, owner, passed, other_passed, answered, leads, stuck):
    """Write a position, as the seat to move sees it; FRAME tells what each number is."""
    frame.hand = hand
    frame.other = other
    frame.top = top
    frame.owner = owner
    frame.passed = passed
    frame.other_passed = other_passed
    frame.answered = answered
    frame.leads = leads
    frame.stuck = stuck


@part
def set_lead(frame, hand, other, stuck) -> None:
    """Write a position in which the seat to move leads."""
    zero = I64(0)
    set_position(frame, hand, other, zero, zero, zero, zero, zero, zero, stuck)


@part
def open_frame(table, rules, frame, base) -> bool:
    """List the answers of a position from `base` on; False when the search must end here."""
    table.nodes -= 1
    if table.nodes < 0 or base + MAX_PLAYS > STACK:
        return False
    frame.begin = base
    frame.end = base
    frame.next = base
    frame.legal = 0
    frame.unknown = 0
    bombs_only = I64(bombs_allowed(rules)) if frame.passed else I64(0)
    if not frame.passed or bombs_only:
        copies, ranks = classify(rules, frame.top)
        frame.end = list_plays(
            table.stack, I64(base), rules, frame.hand, frame.top, copies, ranks, bombs_only
        )
    return True


@part
def step(rules, frame, child, play) -> int:
    """Make the next answer of a position: a play, or 0 for a pass.

    Returns
    -------
    int64
        GOES_ON: `child` is the position it leads to, and `frame.turned` says whether the
        other seat moves there; WON: it wins; NOT_LEGAL: there is no such answer.
    """
    one = I64(1)
    zero = I64(0)
    if play:
        if not may_finish(rules, play, frame.hand):
            return NOT_LEGAL
        frame.legal = 1
        rest = frame.hand & ~play
        if rest == 0:
            return WON
        # A play lifts all locks without lockout; with it the other one may be out of the trick.
        mine = frame.passed if rules.lockout else zero
        theirs = frame.other_passed if rules.lockout else zero
        copies, ranks = classify(rules, play)
        frame.turned = 1
        if theirs and not may_come_back(rules, frame.other, play, copies, ranks):
            frame.turned = 0
            set_lead(child, rest, frame.other, zero)
        else:
            set_position(child, frame.other, rest, play, one, theirs, mine, zero, zero, zero)
        return GOES_ON
    frame.turned = 1
    if frame.top == 0:
        if frame.legal:
            return NOT_LEGAL
        if frame.stuck:  # both are: the one that was stuck first is last
            return WON
        set_lead(child, frame.other, frame.hand, one)
        return GOES_ON
    if rules.pass_forced and frame.legal:
        return NOT_LEGAL
    copies, ranks = classify(rules, frame.top)
    if (
        frame.owner == GONE
        and not frame.answered
        and (not frame.other_passed or may_come_back(rules, frame.other, frame.top, copies, ranks))
    ):
        set_position(
            child,
            frame.other,
            frame.hand,
            frame.top,
            I64(GONE),
            frame.other_passed,
            one,
            one,
            one - frame.leads,
            zero,
        )
    elif frame.owner == GONE and frame.leads == MOVER:
        frame.turned = 0
        set_lead(child, frame.hand, frame.other, zero)
    else:
        set_lead(child, frame.other, frame.hand, zero)
    return GOES_ON


@part
def search(table, rules) -> int:
    """Whether the seat to move in frame 0 goes out first if both play perfectly.

    Depth first, each position until an answer wins; a stack of frames instead of recursion,
    which Numba's disk cache can't hold.

    Returns
    -------
    int64
        LOST, WON or UNKNOWN. After WON `next` of frame 0 is one beyond the answer that wins.
    """
    if not open_frame(table, rules, table.frames[0], I64(0)):
        return UNKNOWN
    depth = 0
    result = I64(NOTHING)
    while depth >= 0:
        frame = table.frames[depth]
        if result != NOTHING:
            value = turned(result) if frame.turned else result
            result = I64(NOTHING)
            if value == WON:
                result = I64(WON)
                depth -= 1
                continue
            frame.unknown |= np.int64(value == UNKNOWN)
        if frame.next > frame.end:
            result = I64(UNKNOWN) if frame.unknown else I64(LOST)
            depth -= 1
            continue
        play = table.stack[frame.next] if frame.next < frame.end else I64(0)
        frame.next += 1
        made = step(rules, frame, table.frames[depth + 1], play)
        if made == WON:
            result = I64(WON)
            depth -= 1
        elif made == GOES_ON:
            if depth + 2 < FRAMES and open_frame(table, rules, table.frames[depth + 1], frame.end):
                depth += 1
            else:
                result = I64(UNKNOWN)
    return result


@part
def winning_answer(table, rules, row, seat, limit) -> int:
    """The first legal answer that goes out first against any play; -1: none, or not found."""
    other = opponent_left(table, rules, seat)
    owner = I64(OTHER) if table.owner == other else I64(GONE)
    leads = I64(MOVER)
    if table.top and owner == GONE:
        if rules.lead_after_out != NEXT:
            row.gave_up += 1
            return I64(-1)
        leader = (table.owner + 1) % rules.players
        while table.hand[leader] == 0:
            leader = (leader + 1) % rules.players
        leads = I64(MOVER) if leader == seat else I64(OTHER)
    set_position(
        table.frames[0],
        table.hand[seat],
        table.hand[other],
        table.top,
        owner,
        (table.locked >> seat) & 1,
        (table.locked >> other) & 1,
        (table.answered >> other) & 1,
        leads,
        I64(0),
    )
    table.nodes = limit
    result = search(table, rules)
    if result == WON:
        j = table.frames[0].next - 1
        return table.stack[j] if j < table.frames[0].end else I64(0)
    row.gave_up += np.int64(result == UNKNOWN)
    return I64(-1)
