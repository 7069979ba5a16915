"""The tricks of a deal when every seat plays `lowest` and nobody listens: what most runs play.

`play_out` says the same for every strategy, and for whoever listens; the rows are the same. What
changes at every turn stays in registers here, and goes to the table for what happens rarely.
"""

from __future__ import annotations

import numpy as np

from .jit import inlined, part
from .thirteen_cards import (
    classify,
    highest,
    holds_bomb,
    is_bomb,
    is_bombable,
    weakest,
    weakest_set,
)
from .thirteen_numbers import NEXT, NO, STRATEGY_LOWEST
from .thirteen_turn import (
    count_bombs,
    first_after,
    leader_after_close,
    least_bomb,
    lowest_lead,
)

I64 = np.int64


@part
def is_quick(table, rules) -> bool:
    """Whether `play_out_quick` may play: the usual rules, and no limit of turns that counts."""
    quick = (
        table.n_script == 0
        and table.telling == 0
        and not rules.pass_forced
        and rules.finish_two == 1
        and rules.lockout == 1
        and rules.compare_suit == 1
        and rules.lead_after_out == NEXT
        and rules.max_turns >= 52 * rules.players
    )
    for seat in range(rules.players):
        quick = quick and table.strategy[seat].number == STRATEGY_LOWEST
    return quick


@part
def arm(table, rules) -> bool:
    """Note which seats hold bombs. Returns whether `play_out_quick` may play the deal.

    Where bombs may follow a pass (`bomb_after_pass`) and somebody holds one, `play_out` does.
    """
    table.armed = 0
    for seat in range(rules.players):
        table.armed |= I64(holds_bomb(rules, table.hand[seat])) << seat
    return rules.bomb_after_pass == NO or table.armed == 0


@part
def bombs_of(table, rules, hand, top, copies, ranks) -> int:
    """The least bomb of another type that a seat has over the top; 0 if there is none."""
    if not is_bombable(rules, top, copies, ranks) or not holds_bomb(rules, hand):
        return I64(0)
    table.top = top
    table.top_copies = copies
    table.top_ranks = ranks
    return least_bomb(table, rules, hand)


@part
def count_quick_bomb(table, rules, row, seat, play, top, copies, ranks, owner) -> None:
    """T6: a bomb is played, over a top that may be one; counted as in `play_out`."""
    table.top = top
    table.top_copies = copies
    table.top_ranks = ranks
    table.owner = owner
    found, length = classify(rules, play)
    count_bombs(table, rules, row, seat, I64(found), I64(length))


@part
def lowest_above(hand, card) -> int:
    """T5: the lowest card of a hand that is higher than a card; 0 if there is none."""
    higher = hand & -(card << 1)
    return higher & -higher


@inlined
def play_out_quick(table, rules, row) -> None:
    """T7 to T10: the tricks of a deal."""
    armed = table.armed
    seat = table.opener
    plays = passes = forced = places = I64(0)
    goes_on = True
    while goes_on:
        hand = table.hand[seat]
        if table.must_hold and table.alone:  # T3, `first_lead`
            play, copies, ranks = table.must_hold, I64(1), I64(1)
        else:
            play, copies, ranks = lowest_lead(rules, hand)
        single = copies * ranks == 1
        bomb = is_bomb(copies, ranks)
        forced += I64(single and (table.must_hold != 0 or hand == play))
        row.tricks += 1
        table.must_hold = 0
        top = I64(0)
        owner = seat
        asked = table.holding
        while play:
            if bomb:
                count_quick_bomb(table, rules, row, seat, play, top, copies, ranks, owner)
                found, length = classify(rules, play)
                copies, ranks = I64(found), I64(length)
                single = False
            # T8: the owner isn't asked; who owned the top before is, if it still holds cards.
            asked = (asked | I64(1) << owner) & table.holding & ~(I64(1) << seat)
            top = play
            owner = seat
            plays += 1
            hand &= ~play
            table.hand[np.uintp(seat)] = hand
            if hand == 0:
                table.holding ^= I64(1) << seat
                places += 1
                table.place[seat] = places
                if rules.until_first or places == rules.players - 1:
                    goes_on = False
                    break
            play = I64(0)
            while asked:
                seat = first_after(asked, seat)
                hand = table.hand[np.uintp(seat)]
                if single:
                    play = lowest_above(hand, top)
                elif ranks == 1:
                    play = weakest_set(hand, copies, highest(top))
                else:
                    play = weakest(rules, hand, copies, ranks, highest(top))
                if play == 0 and armed >> seat & 1:
                    play = bombs_of(table, rules, hand, top, copies, ranks)
                    bomb = bomb or play != 0
                if play:
                    break
                passes += 1
                asked ^= I64(1) << seat  # T9
        table.owner = owner
        seat = leader_after_close(table, rules)
    if rules.score_cards:  # who has played none is frozen
        for other in range(rules.players):
            table.played |= I64(table.hand[other] != table.dealt[other]) << other
    row.turns += plays + passes
    row.plays += plays
    row.passes += passes
    row.forced += forced + passes
    row.free += plays - forced
