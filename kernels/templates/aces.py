"""A strategy for aces.

Change what it does, and try it:

    simcards check-strategy FILE --game aces
    simcards run --game aces --strategy 0=FILE

It is asked one thing at a time and answers with a whole number. All it can see is in the view;
docs/strategies/writing.md lists what there is. It is compiled, so write plain arithmetic and loops.
"""

from simcards.kernels.aces_view import TAKE, WILD, can_place, face_down


def play(view, copies=4):
    """Answer for a seat; `copies` can be set: FILE:play:copies=2."""
    if view.decision == TAKE:
        # 1: take the top of the discard pile, 0: draw from the stock. Take what can be placed,
        # unless so many cards of its rank are still to come that the stock may be as good.
        return can_place(view, view.seat, view.card) and view.unseen[view.card] <= copies
    if view.decision == WILD:
        # A wild can go to any place that is face down: to the one that is hardest to fill.
        best = -1
        for place in range(view.places[view.seat]):
            if (face_down(view, view.seat) >> place) & 1:
                if best < 0 or view.unseen[place] < view.unseen[best]:
                    best = place
        return best
    # DISPLACE (with displace=may): 1 takes up the wild on the place of a pip, 0 leaves it there.
    return 1
