"""Questions about cards of thirteen that people ask from Python, answered by the kernel's code."""

from __future__ import annotations

from numba import from_dtype, types

from .jit import entry
from .thirteen_cards import classify, highest, list_plays, needed
from .thirteen_plan import make_plan
from .thirteen_table import RULES, TABLE

CLASSIFY, BEATS, LEGAL_PLAYS, PLAN = range(4)

SIGNATURE = (
    types.int64,
    from_dtype(RULES)[::1],
    from_dtype(TABLE)[::1],
    types.int64,
    types.int64,
    types.int64[::1],
)


@entry
def ask(question, rules, tables, first, second, found):
    """Answer a question; the answer is in `found`.

    Parameters
    ----------
    question : int64
        CLASSIFY: what `first` is, as copies and ranks, 0 and 0 for no combination. BEATS: whether
        `first` beats `second`. LEGAL_PLAYS: the plays of the hand `first` over the top `second`, 0
        when leading. PLAN: the plays that the hand `first` is split into.
    rules : RULES[1]
    tables : TABLE[1]
        Scratch.
    first, second : int64
        Masks of cards.
    found : int64[MAX_PLAYS]
        Written.

    Returns
    -------
    int64
        How many numbers were written.
    """
    table = tables[0]
    copies, ranks = classify(rules[0], first)
    top_copies, top_ranks = classify(rules[0], second)
    if question == CLASSIFY:
        found[0] = copies
        found[1] = ranks
        return 2
    if question == BEATS:
        above = needed(rules[0], second, top_copies, top_ranks, copies, ranks)
        found[0] = 1 if copies > 0 and highest(first) > above else 0
        return 1
    if question == PLAN:
        make_plan(table, rules[0], 0, first)
        for j in range(table.n_plan[0]):
            found[j] = table.plan[0, j]
        return table.n_plan[0]
    return list_plays(found, 0, rules[0], first, second, top_copies, top_ranks, 0)
