"""A strategy for thirteen.

Change what it does, and try it:

    simcards check-strategy FILE --game thirteen
    simcards run --game thirteen --strategy 0=FILE

It is asked what to play and answers with a mask of cards, or 0 to pass. All it can see is in the
view; docs/strategies/writing.md lists what there is. It is compiled, so write plain arithmetic and
loops.
"""

from simcards.kernels.thirteen_view import has_two, next_play, ones


def play(view, until=4):
    """Answer for a seat; `until` can be set: FILE:play:until=6."""
    # Does anybody have few cards left?
    hurry = False
    for seat in range(view.players):
        hurry = hurry or 0 < view.held[seat] <= until

    # Go through the legal plays, weaker ones first, and keep the one to make: the weakest when
    # there is something to beat, the longest when not.
    best = 0
    option = next_play(view, 0)
    while option:
        saved = has_two(option) and not has_two(view.top) and not hurry  # worth more later
        if not saved and (best == 0 or (view.top == 0 and ones(option) > ones(best))):
            best = option
        option = next_play(view, option)
    if best == 0 and view.top == 0:
        return next_play(view, 0)  # who leads can't pass
    return best  # 0 passes
