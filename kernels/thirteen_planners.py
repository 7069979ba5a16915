"""The strategies of thirteen that keep to a plan, a split of the hand: a legal play, or a pass (0).

docs/rules/thirteen.md says what each does. They need no list of legal plays.
"""

from __future__ import annotations

import numpy as np

from .common import ones
from .jit import part
from .thirteen_cards import (
    NEVER,
    classify,
    has_two,
    highest,
    holds_bomb,
    is_bomb,
    is_bombable,
    needed,
    strength,
    weakest,
)
from .thirteen_endgame import knows_both_hands, winning_answer
from .thirteen_numbers import (
    LONGEST_DOUBLE,
    PAIR,
    QUAD,
    SINGLE,
    STRATEGY_BLOCKER,
    STRATEGY_ENDGAME,
    STRATEGY_STRUCTURE,
)
from .thirteen_plan import plan_hand
from .thirteen_strategies import weaker
from .thirteen_view import is_due, may_play_kind

I64 = np.int64


@part
def someone_holds_at_most(table, rules, seat, cards) -> bool:
    """Whether another seat that still plays holds at most so many cards."""
    for other in range(rules.players):
        if other != seat and table.hand[other] and ones(table.hand[other]) <= cards:
            return True
    return False


@part
def beats_top(table, rules, play, copies, ranks) -> bool:
    """T5, T6: whether a combination of a kind may be laid on the top, or led.

    As `needed` says, which is asked for bombs alone.
    """
    if table.top == 0:
        return True
    if copies == table.top_copies and ranks == table.top_ranks:
        return highest(play) > table.above
    if not table.bombable or not is_bomb(copies, ranks):
        return False
    return highest(play) > needed(
        rules, table.top, table.top_copies, table.top_ranks, copies, ranks
    )


@part
def may_make(table, rules, seat, play, copies, ranks) -> bool:
    """T3, T5 to T7, T9, finish_two: whether a seat may make a play of its cards, of a kind."""
    if not beats_top(table, rules, play, copies, ranks):
        return False
    if table.always_plain and table.must_hold == 0:
        return True
    return may_play_kind(rules, (table.locked >> seat) & 1 == 1, copies, ranks) and is_due(
        rules, table.hand[seat], table.must_hold, table.alone, play
    )


@part
def is_legal(table, rules, seat, play) -> bool:
    """The same of any cards."""
    copies, ranks = classify(rules, play)
    return (
        copies != 0
        and play & ~table.hand[seat] == 0
        and may_make(table, rules, seat, play, I64(copies), I64(ranks))
    )


@part
def is_planned(table, rules, seat, j) -> bool:
    """Whether play j of a seat's plan is legal now."""
    return may_make(
        table,
        rules,
        seat,
        table.plan[seat, j],
        table.plan_copies[seat, j],
        table.plan_ranks[seat, j],
    )


@part
def bombs_in_plan(table, seat, j) -> bool:
    """Whether play j of a seat's plan is a bomb."""
    return is_bomb(table.plan_copies[seat, j], table.plan_ranks[seat, j])


@part
def lead_from_plan(table, rules, seat) -> int:
    """The plan's longest legal play without 2s that is no bomb; 2s and bombs last; 0: none."""
    best = np.int64(0)
    best_plain = False
    for j in range(table.n_plan[seat]):
        play = table.plan[seat, j]
        if not is_planned(table, rules, seat, j):
            continue
        plain = not has_two(play) and not bombs_in_plan(table, seat, j)
        if best == 0 or plain != best_plain:
            better = best == 0 or plain
        elif plain:
            cards, best_cards = ones(play), ones(best)
            better = cards > best_cards or (cards == best_cards and weaker(play, best))
        else:
            better = weaker(play, best)
        if better:
            best = play
            best_plain = plain
    return best


@part
def play_structure(table, rules, seat, near, alarm, low, can_pass) -> int:
    """`structure`: keeps to the split of the hand into the fewest plays."""
    if table.top == 0:
        play = lead_from_plan(table, rules, seat)
        return play if play else low
    two_lies = has_two(table.top)
    hold_twos = table.n_plan[seat] > near and not someone_holds_at_most(table, rules, seat, I64(5))
    best = np.int64(0)
    for j in range(table.n_plan[seat]):
        play = table.plan[seat, j]
        if not two_lies and (bombs_in_plan(table, seat, j) or (hold_twos and has_two(play))):
            continue
        if is_planned(table, rules, seat, j) and (best == 0 or weaker(play, best)):
            best = play
    if best:
        return best
    if not can_pass or someone_holds_at_most(table, rules, seat, alarm):
        return low
    return best


@part
def is_safe(rules, play, top_copies, top_ranks, unseen) -> bool:
    """Whether no combination of unseen cards beats a play of a kind."""
    if weakest(rules, unseen, top_copies, top_ranks, strength(rules, play)):
        return False
    if not is_bombable(rules, play, top_copies, top_ranks) or not holds_bomb(rules, unseen):
        return True
    above = needed(rules, play, top_copies, top_ranks, I64(QUAD), I64(1))
    if above < NEVER and weakest(rules, unseen, I64(QUAD), I64(1), above):
        return False
    for ranks in range(rules.dseq_min, LONGEST_DOUBLE + 1):
        above = needed(rules, play, top_copies, top_ranks, I64(PAIR), ranks)
        if above < NEVER and weakest(rules, unseen, I64(PAIR), ranks, above):
            return False
    return True


@part
def play_control(table, rules, seat, near, alarm, low, can_pass) -> int:
    """`control`: as `structure`, but runs out when at most one play of the plan can be beaten."""
    unseen = ((np.int64(1) << 52) - 1) & ~(table.gone | table.hand[seat])
    risky = 0
    safe = 0  # mask over the plan
    for j in range(table.n_plan[seat]):
        copies, ranks = table.plan_copies[seat, j], table.plan_ranks[seat, j]
        if is_safe(rules, table.plan[seat, j], copies, ranks, unseen):
            safe |= 1 << j
        else:
            risky += 1
            if risky > 1:
                break
    if risky <= 1:
        best = np.int64(0)
        best_safe = False
        for j in range(table.n_plan[seat]):
            play = table.plan[seat, j]
            sure = (safe >> j) & 1 == 1
            if table.top != 0 and not sure and table.n_plan[seat] > 1:
                continue
            better = (
                best == 0 or (sure and not best_safe) or (sure == best_safe and weaker(play, best))
            )
            if better and is_planned(table, rules, seat, j):
                best = play
                best_safe = sure
        if best:
            return best
    return play_structure(table, rules, seat, near, alarm, low, can_pass)


@part
def highest_single(table, rules, seat) -> int:
    """The highest legal single; 0 if there is none."""
    cards = table.hand[seat]
    while cards:
        card = I64(1) << highest(cards)
        if is_legal(table, rules, seat, card):
            return card
        cards ^= card
    return cards


@part
def play_blocker(table, rules, seat, near, alarm, low, can_pass) -> int:
    """`blocker`: as `control`, but gives seats with one card no cheap way out."""
    threatened = False
    may_follow = False
    for other in range(rules.players):
        held = table.hand[other]
        if other != seat and held and held & (held - 1) == 0:
            threatened = True
            may_follow = may_follow or (table.locked >> other) & 1 == 0
    if table.top == 0 and threatened:
        best = np.int64(0)
        for j in range(table.n_plan[seat]):
            play = table.plan[seat, j]
            if ones(play) < 2 or has_two(play) or bombs_in_plan(table, seat, j):
                continue
            cards, best_cards = ones(play), ones(best)
            better = cards > best_cards or (cards == best_cards and weaker(play, best))
            if better and is_planned(table, rules, seat, j):
                best = play
        if best == 0:
            best = highest_single(table, rules, seat)
        if best:
            return best
    elif may_follow and table.top_copies == SINGLE and table.top_ranks == 1:
        best = highest_single(table, rules, seat)
        if best:
            return best
    return play_control(table, rules, seat, near, alarm, low, can_pass)


@part
def keep_to_plan(table, rules, row, seat, low, can_pass) -> int:
    """A legal play of the strategies that split their hand, or 0 for a pass.

    `low`: what `lowest` would play.
    """
    strategy = table.strategy[seat]
    number = strategy.number
    first, second = strategy.parameter[0], strategy.parameter[1]
    plan_hand(table, rules, seat)
    if number == STRATEGY_STRUCTURE:
        return play_structure(table, rules, seat, first, second, low, can_pass)
    if number == STRATEGY_BLOCKER:
        return play_blocker(table, rules, seat, first, second, low, can_pass)
    if number == STRATEGY_ENDGAME and knows_both_hands(table, rules, seat):
        answer = winning_answer(table, rules, row, seat, first)
        if answer >= 0:
            return answer
    near, alarm = (first, second) if number != STRATEGY_ENDGAME else (np.int64(2), np.int64(5))
    return play_control(table, rules, seat, near, alarm, low, can_pass)
