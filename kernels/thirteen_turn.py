"""A turn of thirteen: who acts, what it answers, and what that does to the trick."""

from __future__ import annotations

import numpy as np

from .common import USER, ask, check
from .jit import inlined, part
from .random import U64, next_word
from .thirteen_cards import (
    NEVER,
    classify,
    counts,
    has_two,
    holds_bomb,
    is_bomb,
    is_bombable,
    list_plays,
    lowest,
    lowest_cards,
    needed,
    strength,
    weakest,
)
from .thirteen_endgame import bombs_allowed, may_come_back
from .thirteen_numbers import (
    EVENT_PASS,
    EVENT_PLAY,
    LAST_PASSER,
    LONGEST_DOUBLE,
    MAX_SEATS,
    NO,
    NOBODY,
    PAIR,
    PLAY,
    PREVIOUS_PLAYER,
    QUAD,
    SINGLE,
    STRATEGY_LOWEST,
    STRATEGY_STRUCTURE,
)
from .thirteen_plan import run_length
from .thirteen_planners import is_legal, keep_to_plan
from .thirteen_score import bomb_kind, price_of_top
from .thirteen_strategies import choose, in_order, keep_allowed, play_lowest
from .thirteen_table import look, tell

I64 = np.int64

SEQUENCES = 4
"""Kinds of answers that are sequences come after passes and sets of one rank: 5 and 6."""


AFTER = np.array(
    [
        min(
            (other for other in range(MAX_SEATS) if seats >> other & 1),
            key=lambda other: (other - seat - 1) % MAX_SEATS,
            default=seat,
        )
        for seat in range(MAX_SEATS)
        for seats in range(1 << MAX_SEATS)
    ],
    np.uint8,
)
"""By seat and mask of seats: the first of them clockwise; if there are none, the seat itself."""


@part
def first_after(seats, seat) -> int:
    """The first seat clockwise of one among a mask of seats."""
    return I64(AFTER[np.uintp((seat << MAX_SEATS) + seats)])


@part
def next_holder(table, seat) -> int:
    """The first seat clockwise of one that holds cards."""
    return first_after(table.holding, seat)


@inlined
def next_to_act(table, rules, seat) -> int:
    """T8, T9: the first seat clockwise that may still act on the top; -1: the trick closes."""
    asked = table.holding & ~(table.answered | I64(1) << table.owner)
    # Who has passed may only bomb, which nothing but a 2, a bomb or `bomb_scope` lets.
    if rules.bomb_after_pass == NO or not table.bombable:
        asked &= ~table.locked
    elif asked & table.locked:
        for other in range(rules.players):
            if (asked & table.locked) >> other & 1 and not may_come_back(
                rules, table.hand[other], table.top, table.top_copies, table.top_ranks
            ):
                asked &= ~(1 << other)
    return first_after(asked, seat) if asked else I64(-1)


@part
def leader_after_close(table, rules) -> int:
    """T8: who leads the next trick."""
    if table.hand[table.owner]:
        return table.owner
    named = NOBODY
    if rules.lead_after_out == PREVIOUS_PLAYER:
        named = table.last_player
    elif rules.lead_after_out == LAST_PASSER:
        named = table.last_passer
    if named != NOBODY and table.hand[named]:
        return named
    return next_holder(table, table.owner)


@part
def clear_trick(table) -> None:
    """Nothing lies on the table and nobody has passed."""
    table.top = 0
    table.bombable = 0
    table.top_copies = 0
    table.top_ranks = 0
    table.owner = NOBODY
    table.locked = 0
    table.answered = 0
    table.last_player = NOBODY
    table.last_passer = NOBODY


@part
def count_bombs(table, rules, row, seat, copies, ranks) -> None:
    """T6, penalties: a combination is made, and beats the top; either may be a bomb."""
    if table.top and is_bomb(table.top_copies, table.top_ranks):
        row.bombs_beaten += 1
        row.beaten_by_kind[bomb_kind(table.top_copies, table.top_ranks)] += 1
    if is_bomb(copies, ranks):
        row.bombs_played += 1
        row.played_by_kind[bomb_kind(copies, ranks)] += 1
        if table.top:
            price = price_of_top(table, rules)
            table.paid[seat] += price
            table.paid[table.owner] -= price


@inlined
def lay(table, rules, row, seat, play) -> None:
    """T7: a seat makes a play, which becomes the top."""
    copies, ranks = I64(1), I64(1)
    if play & (play - 1):
        found, length = classify(rules, play)
        copies, ranks = I64(found), I64(length)
    bombable = I64(is_bombable(rules, play, copies, ranks))
    if bombable | table.bombable:
        count_bombs(table, rules, row, seat, copies, ranks)
    if table.top == 0:
        row.tricks += 1
    else:
        table.last_player = table.owner
    table.hand[seat] &= ~play
    table.holding &= ~(np.int64(table.hand[seat] == 0) << seat)
    table.gone |= play
    table.played |= 1 << seat
    table.top = play
    table.top_copies = copies
    table.top_ranks = ranks
    table.above = strength(rules, play)
    table.bombable = bombable
    table.owner = seat
    table.must_hold = 0
    if not rules.lockout:
        table.locked = 0
        table.answered = 0
    elif rules.bomb_after_pass != NO:
        table.answered = 0
    row.plays += 1
    tell(table, EVENT_PLAY, seat, play)


@inlined
def give_way(table, row, seat) -> None:
    """T7, T9: a seat passes."""
    table.locked |= 1 << seat
    table.answered |= 1 << seat
    table.last_passer = seat
    row.passes += 1
    tell(table, EVENT_PASS, seat, I64(0))


@part
def lowest_lead(rules, hand):
    """What `lowest` leads: the longest combination with the lowest card, the weakest of equals.

    Returns
    -------
    play, copies, ranks : int64
    """
    many = counts(hand)
    rank = lowest(hand) >> 2
    best_copies = (many >> (4 * rank)) & 15
    best_ranks = np.int64(1)
    best = best_copies
    for copies in range(SINGLE, PAIR + 1):
        ranks = run_length(rules, many, rank, copies)
        least = rules.seq_min if copies == SINGLE else rules.dseq_min
        cards = copies * ranks
        # Of equal lengths the one that ends lower is weaker: fewer ranks.
        if ranks >= least and (cards > best or (cards == best and ranks < best_ranks)):
            best = cards
            best_copies = np.int64(copies)
            best_ranks = np.int64(ranks)
    part = hand & ((np.int64(1) << (4 * (rank + best_ranks))) - 1)
    if best_ranks == 1:  # all of the rank
        return part, best_copies, best_ranks
    return lowest_cards(part, best_copies), best_copies, best_ranks


@part
def least_bomb(table, rules, hand) -> int:
    """The least bomb of another type than the top's that beats it; 0 if there is none."""
    copies, ranks = table.top_copies, table.top_ranks
    best = np.int64(0)
    above = needed(rules, table.top, copies, ranks, I64(QUAD), I64(1))
    if above < NEVER:
        best = weakest(rules, hand, I64(QUAD), I64(1), above)
    for row in range(rules.dseq_min, LONGEST_DOUBLE + 1):
        above = needed(rules, table.top, copies, ranks, I64(PAIR), row)
        if above < NEVER:
            play = weakest(rules, hand, I64(PAIR), row, above)
            if play and (best == 0 or in_order(play, best)):
                best = play
    return best


@part
def lowest_follow(table, rules, hand) -> int:
    """What `lowest` follows with: the weakest of the top's type, else the least bomb; 0: none."""
    if table.top_copies * table.top_ranks == 1:
        singles = (hand >> (table.above + 1)) << (table.above + 1)
        play = singles & -singles
    else:
        play = weakest(rules, hand, table.top_copies, table.top_ranks, table.above)
    if play == 0 and table.bombable and holds_bomb(rules, hand):
        return least_bomb(table, rules, hand)
    return play


@part
def scripted_answer(table, seat, can_pass) -> int:
    """The next given move, or what stops the deal when it isn't legal."""
    play = table.script[table.at_script]
    table.at_script += 1
    if play == 0 and can_pass:
        return play
    for j in range(table.n_plays):
        if play == table.plays[j]:
            return play
    table.refused = table.at_script
    table.refused_seat = seat
    return I64(0)


@part
def users_answer(table, rules, bots, seat, can_pass) -> int:
    """What a user's strategy plays; 0: it passes."""
    look(table, rules, seat, I64(next_word(table.choice[seat])))
    play = ask(table, bots, seat, PLAY)
    copies, ranks = classify(rules, play)
    kind = copies if ranks <= 1 else SEQUENCES + copies
    # From the table: it could write to its view.
    legal = can_pass if play == 0 else is_legal(table, rules, seat, play)
    check(table, legal, kind)
    return play


@part
def always_plain(table, rules) -> bool:
    """Whether `is_plain` holds for every answer of a deal."""
    return (
        table.n_script == 0
        and (rules.bomb_after_pass == NO or not rules.lockout)
        and not rules.pass_forced
        and rules.finish_two == 1
    )


@part
def is_plain(table, rules, seat) -> bool:
    """Whether T3 and T5 to T7 say what a seat may play, and `lowest` tells if it has a choice.

    Not so for given moves, for bombs after a pass, and where a pass or a last 2 can be illegal.
    """
    if table.always_plain:
        return True
    return (
        table.at_script >= table.n_script
        and (table.locked >> seat) & 1 == 0
        and not rules.pass_forced
        and (rules.finish_two == 1 or not has_two(table.hand[seat]))
    )


@inlined
def plain_answer(table, rules, row, bots, seat) -> int:
    """The answer of a strategy that needs no list of all plays; 0: it passes."""
    hand = table.hand[seat]
    leads = table.top == 0
    if not leads:
        low = lowest_follow(table, rules, hand)
        forced = low == 0
    else:
        due = table.must_hold != 0
        low = table.must_hold
        if not (due and table.alone):
            low, _, _ = lowest_lead(rules, hand)
        # Due is the lowest card, which `lowest` leads; if alone, no other play contains it.
        forced = low & (low - 1) == 0 and (due or hand == low)
    if forced:
        row.forced += 1
        return low
    row.free += 1
    number = table.strategy[seat].number
    if number == STRATEGY_LOWEST:
        return low
    if number == USER:
        return users_answer(table, rules, bots, seat, not leads)
    return keep_to_plan(table, rules, row, seat, low, not leads)


@inlined
def answer(table, rules, row, bots, seat) -> int:
    """T7: what a seat plays, asked if it has a choice; 0: it passes, or can't play."""
    number = table.strategy[seat].number
    plans = number >= STRATEGY_STRUCTURE
    if (plans or number == STRATEGY_LOWEST or number == USER) and is_plain(table, rules, seat):
        return plain_answer(table, rules, row, bots, seat)
    hand = table.hand[seat]
    leads = table.top == 0
    locked = (table.locked >> seat) & 1 == 1
    bombs_only = I64(bombs_allowed(rules)) if locked else I64(0)
    table.n_plays = list_plays(
        table.plays,
        np.int64(0),
        rules,
        hand,
        table.top,
        table.top_copies,
        table.top_ranks,
        bombs_only,
    )
    keep_allowed(table, rules, hand)
    n = table.n_plays
    can_pass = not leads and not (rules.pass_forced and n > 0)
    if table.at_script < table.n_script:
        return scripted_answer(table, seat, can_pass or n == 0)
    if n + np.int64(can_pass) <= 1:
        row.forced += 1
        return table.plays[0] if n else np.int64(0)
    row.free += 1
    if number == USER:
        return users_answer(table, rules, bots, seat, can_pass)
    if plans:
        low = play_lowest(table, rules, hand)
        return keep_to_plan(table, rules, row, seat, low, can_pass)
    word = next_word(table.choice[seat]) if table.strategy[seat].draws else U64(0)
    return np.int64(choose(table, rules, seat, can_pass, word))
