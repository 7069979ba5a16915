"""Integer names of aces that the kernel and the Python around it share.

Imports nothing, so that rules can be checked without NumPy and Numba.
"""

# Cards: rank A = 0, 2 = 1 .. 10 = 9, J, Q, K, joker; place j of a layout is that of rank j - 1.
JACK, QUEEN, KING, JOKER = 10, 11, 12, 13
KINDS = 14
MAX_SEATS = 6
MAX_CARDS = 4 * 56  # four packs, each with four jokers

# Values of rules that are choices.
PLAYABLE, ANY, NEVER = range(3)  # take_discard
MUST, MAY, NO = range(3)  # displace
WINNER, LOSER, ROTATE = range(3)  # starter

# Decisions, and their strategies by number.
TAKE, WILD, DISPLACE = range(3)
DECISIONS = 3
TAKE_ALWAYS, TAKE_NEVER, TAKE_RANDOM, TAKE_RARE, TAKE_SAFE_PASS = range(5)
WILD_LOWEST, WILD_HIGHEST, WILD_RANDOM, WILD_RAREST, WILD_COMMONEST, WILD_CONTESTED = range(6)
DISPLACE_ALWAYS, DISPLACE_NEVER, DISPLACE_RANDOM = range(3)

NOBODY, SHARED = -1, -2  # winner of a row that no single seat has won

# Events of a replay: a code, then its fields.
(
    EVENT_DEAL,  # hand, starter, sizes ...
    EVENT_DRAW,  # player, 1 if from the discard pile, card
    EVENT_PLACE,  # player, card, place, displaced or -1
    EVENT_DISCARD,  # player or -1, card
    EVENT_RESHUFFLE,  # cards
    EVENT_HAND_END,  # winner or -1, 0, sizes ...
) = range(6)
EVENT_WIDTH = 3 + MAX_SEATS
