"""The tricks of a deal of thirteen, whoever plays and whoever listens."""

from __future__ import annotations

import numpy as np

from .common import flush
from .jit import part
from .thirteen_numbers import EVENT_CLOSE, EVENT_OUT, EVENT_PASS, NOBODY
from .thirteen_table import tell
from .thirteen_turn import (
    answer,
    clear_trick,
    give_way,
    lay,
    leader_after_close,
    next_holder,
    next_to_act,
)

I64 = np.int64

DEAL_OVER, DEAL_CAPPED = -2, -3
"""How the tricks of a deal can end, besides with a seat that is stuck."""


@part
def play_out(table, rules, row, bots, log, told):
    """T7 to T10: the tricks of a deal.

    Returns
    -------
    ended : int64
        DEAL_OVER, DEAL_CAPPED, or the seat that was stuck first, when all are.
    told : int64
        Events told so far.
    """
    players = rules.players
    seat = table.opener
    turns = 0
    out = 0
    stuck = 0
    first_stuck = NOBODY
    while True:
        if turns == rules.max_turns:
            row.turns += turns
            return I64(DEAL_CAPPED), told
        turns += 1
        play = answer(table, rules, row, bots, seat)
        if table.refused:
            return I64(DEAL_CAPPED), told
        following = -1
        if play:
            stuck = 0
            lay(table, rules, row, seat, play)
            if table.hand[seat] == 0:
                out += 1
                table.place[seat] = out
                tell(table, EVENT_OUT, seat, out)
                if rules.until_first or out == players - 1:
                    row.turns += turns
                    return I64(DEAL_OVER), told
            following = next_to_act(table, rules, seat)
        elif table.top == 0:  # finish_two: a leader with no legal play hands the lead on
            row.passes += 1
            tell(table, EVENT_PASS, seat, I64(0))
            if stuck == 0:
                first_stuck = seat
            stuck += 1
            if stuck == players - out:
                row.turns += turns
                return first_stuck, told
            following = next_holder(table, seat)
        else:
            give_way(table, row, seat)
            following = next_to_act(table, rules, seat)
        if following < 0:
            following = leader_after_close(table, rules)
            clear_trick(table)
            tell(table, EVENT_CLOSE, following, I64(0))
        seat = following
        if table.telling:
            told = flush(table, log, told)
