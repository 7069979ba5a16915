"""A strategy for horner.

Change what it does, and try it:

    simcards check-strategy FILE --game horner
    simcards run --game horner --strategy 0=FILE

It is asked one thing at a time and answers with a whole number. All it can see is in the view;
docs/strategies/writing.md lists what there is. It is compiled, so write plain arithmetic and loops.
"""

from simcards.kernels.horner_view import DISCARD, FLIP, cards_held, is_empty, next_seat


def play(view, lead=1):
    """Answer for a seat; `lead` can be set: FILE:play:lead=3."""
    if view.decision == DISCARD:
        # 1: place the top of the own discard pile (view.card), 0: hold it. Hold it if that would
        # let the next seat place its own top, and that seat is closer to being out.
        other = next_seat(view, view.seat)
        helps = other != view.seat and view.top[other] == view.card + 1
        ahead = cards_held(view, other) + lead <= cards_held(view, view.seat)
        return not (helps and ahead)
    if view.decision == FLIP:
        # After placing a discard: 1 flips a card too, 0 doesn't.
        return 1
    # PIE (with one_pie=choose): the place of an empty pie, counted from 0.
    for pie in range(view.varieties):
        if is_empty(view, pie):
            return pie
    return 0
