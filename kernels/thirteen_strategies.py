"""The built-in strategies of thirteen: which of the legal plays, or a pass (0).

docs/rules/thirteen.md says what each does. They see the own hand and what T14 makes public. The
legal plays lie in the table, by type and within a type the weakest first.
"""

from __future__ import annotations

import numpy as np

from .common import ones
from .jit import part
from .random import pick
from .thirteen_cards import (
    BELOW_TWO,
    NEVER,
    classify,
    has_two,
    highest,
    holds_bomb,
    is_bomb,
    is_bombable,
    lowest,
    needed,
    strength,
    weakest,
    with_at_least,
)
from .thirteen_endgame import knows_both_hands, winning_answer
from .thirteen_numbers import (
    ACE_RANK,
    LONGEST_DOUBLE,
    PAIR,
    QUAD,
    SINGLE,
    STRATEGY_BLOCKER,
    STRATEGY_ENDGAME,
    STRATEGY_HIGHEST,
    STRATEGY_LOWEST,
    STRATEGY_RANDOM,
    STRATEGY_SHED,
    STRATEGY_STRUCTURE,
    TWO,
)
from .thirteen_plan import plan_hand
from .thirteen_view import is_due, may_play_kind

I64 = np.int64


@part
def weaker(one, other) -> bool:
    """Whether a play comes before another by strength, then by its cards."""
    high, other_high = highest(one), highest(other)
    return high < other_high or (high == other_high and one < other)


@part
def in_order(one, other) -> bool:
    """Whether a play comes before another by number of cards, strength, cards."""
    cards, other_cards = ones(one), ones(other)
    return cards < other_cards or (cards == other_cards and weaker(one, other))


@part
def plays_bomb(rules, play) -> bool:
    """Whether a play is a bomb."""
    copies, ranks = classify(rules, play)
    return is_bomb(copies, ranks)


@part
def follow_low(table, rules, forbidden, bombs) -> int:
    """The weakest legal play of the top's own type, else the smallest bomb; 0 if there is none.

    `forbidden`: cards that no play may contain; `bombs`: whether bombs may be played.
    """
    best_bomb = np.int64(0)
    for j in range(table.n_plays):
        play = table.plays[j]
        if play & forbidden:
            continue
        copies, ranks = classify(rules, play)
        bomb = is_bomb(copies, ranks)
        if bomb and not bombs:
            continue
        if copies == table.top_copies and ranks == table.top_ranks:
            return play
        if bomb and (best_bomb == 0 or in_order(play, best_bomb)):
            best_bomb = play
    return best_bomb


@part
def lead_low(table, rules, hand, forbidden, bombs) -> int:
    """The longest legal play with the lowest card of the hand that isn't forbidden; 0: none."""
    usable = hand & ~forbidden
    best = np.int64(0)
    if usable == 0:
        return best
    card = np.int64(1) << lowest(usable)
    best_cards = 0
    for j in range(table.n_plays):
        play = table.plays[j]
        if play & forbidden or play & card == 0 or (not bombs and plays_bomb(rules, play)):
            continue
        cards = ones(play)
        if cards > best_cards or (cards == best_cards and weaker(play, best)):
            best = play
            best_cards = cards
    return best


@part
def play_lowest(table, rules, hand) -> int:
    """`lowest`: leads the longest play with the lowest card, follows with the weakest."""
    if table.top == 0:
        play = lead_low(table, rules, hand, I64(0), True)
        return play if play else table.plays[0]
    return follow_low(table, rules, I64(0), True)


@part
def play_random(table, passes, can_pass, word) -> int:
    """`random`: any legal answer."""
    n = table.n_plays
    if can_pass and passes:
        n += 1
    j = pick(word, n)
    return table.plays[j] if j < table.n_plays else np.int64(0)


@part
def play_most(table, by_strength) -> int:
    """`shed`: most cards, then the weakest. `highest`: strongest, then most cards."""
    best = table.plays[0]
    for j in range(1, table.n_plays):
        play = table.plays[j]
        cards, best_cards = ones(play), ones(best)
        high, best_high = highest(play), highest(best)
        if by_strength:
            better = high > best_high or (
                high == best_high and (cards > best_cards or (cards == best_cards and play < best))
            )
        else:
            better = cards > best_cards or (cards == best_cards and weaker(play, best))
        if better:
            best = play
    return best


@part
def cards_of_bombs(rules, hand) -> int:
    """All cards of ranks that could be part of a bomb."""
    found = np.int64(0)
    quads = with_at_least(hand, I64(QUAD))
    found |= hand & (quads * 15)
    pairs = with_at_least(hand, I64(PAIR)) & BELOW_TWO
    run = pairs
    for _ in range(rules.dseq_min - 1):
        run = pairs & (run << 4)  # tops of rows of dseq_min ranks
    for _ in range(rules.dseq_min):
        found |= hand & (run * 15)
        run = run >> 4
    return found


@part
def someone_holds_at_most(table, rules, seat, cards) -> bool:
    """Whether another seat that still plays holds at most so many cards."""
    for other in range(rules.players):
        if other != seat and table.hand[other] and ones(table.hand[other]) <= cards:
            return True
    return False


@part
def play_saver(table, rules, seat, hold, until, can_pass) -> int:
    """`saver`: as `lowest`, but keeps 2s, aces and bombs for later."""
    hand = table.hand[seat]
    two_lies = has_two(table.top)
    released = two_lies
    for other in range(rules.players):
        released = released or ones(table.hand[other]) <= until
    kept = np.int64(0)
    if not released:
        if hold >= 1:
            kept |= hand & (np.int64(15) << TWO)
        if hold >= 2:
            kept |= hand & (np.int64(15) << (4 * ACE_RANK))
        if hold >= 3:
            kept |= cards_of_bombs(rules, hand)
    if table.top == 0:
        play = lead_low(table, rules, hand, kept, False)
        return play if play else play_lowest(table, rules, hand)
    play = follow_low(table, rules, kept, two_lies)
    if play == 0 and not can_pass:
        return follow_low(table, rules, I64(0), True)
    return play


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
def choose(table, rules, seat, can_pass, word) -> int:
    """One of the legal plays in the table, or 0 for a pass."""
    strategy = table.strategy[seat]
    number = strategy.number
    first, second = strategy.parameter[0], strategy.parameter[1]
    hand = table.hand[seat]
    if number == STRATEGY_LOWEST:
        return play_lowest(table, rules, hand)
    if number == STRATEGY_RANDOM:
        return play_random(table, first, can_pass, word)
    if number == STRATEGY_SHED:
        return play_most(table, False)
    if number == STRATEGY_HIGHEST:
        return play_most(table, True)
    return play_saver(table, rules, seat, first, second, can_pass)


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


@part
def keep_allowed(table, rules, hand) -> None:
    """T3, finish_two: leave out plays without the card due, and last plays with a 2."""
    if table.must_hold == 0 and (rules.finish_two or not has_two(hand)):
        return
    n = 0
    for j in range(table.n_plays):
        play = table.plays[j]
        due = table.must_hold == 0 or (
            play & table.must_hold != 0 and (not table.alone or play == table.must_hold)
        )
        if due and (rules.finish_two or play != hand or not has_two(play)):
            table.plays[n] = play
            n += 1
    table.n_plays = n
