"""The strategies of thirteen that look at all legal plays: which of them, or a pass (0).

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
    classify,
    has_two,
    highest,
    is_bomb,
    lowest,
    with_at_least,
)
from .thirteen_numbers import (
    ACE_RANK,
    PAIR,
    QUAD,
    STRATEGY_HIGHEST,
    STRATEGY_LOWEST,
    STRATEGY_RANDOM,
    STRATEGY_SHED,
    TWO,
)

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
