"""Integer names of horner that the kernel and the Python around it share.

Imports nothing, so that rules can be checked without NumPy and Numba.
"""

# Cards: 16 * variety + number - 1, varieties in the order of docs/rules/horner.md.
VARIETY_SHIFT, NUMBER_MASK = 4, 15
MAX_SEATS = 6
MAX_VARIETIES = 8
MAX_PLUMS = 13
MAX_CARDS = MAX_VARIETIES * MAX_PLUMS
CODES = MAX_VARIETIES << VARIETY_SHIFT
PIE_NUMBERS = (2, 4, 5, 7)
LARGEST_PIE = 8  # pies without numbers are told apart by their place, 1 .. 8

DONE = NUMBER_MASK  # what a variety needs whose pie is complete: no plum has that number

# Values of rules that are choices.
MAY, MUST, NEVER = range(3)  # discard_play, flip_after
OWN, SYNC, POOL = range(3)  # recycle
ROTATE, SAME, WINNER, LOSER = range(4)  # next_start

# What a seat can be asked; two strategies answer, one for the first two and one for the pie.
DISCARD, FLIP, PIE = range(3)
PLAYS, PIES = range(2)
DECISIONS = 2
EAGER, RANDOM, FLIP_ONLY, NO_FLIP, TOP_AWARE, BLOCKER, RACE, ROLLOUT = range(8)
SMALLEST, LARGEST, OWN_RUN = range(3)

# Where a card is, as a strategy sees it: a seat is added to the last two.
ELSEWHERE, UNSEEN = -1, 0  # on a pie or out of the game; in a draw pile, nobody knows where
DISCARDED, DRAWN = 8, 16  # on a seat's discard pile; in a draw pile that a reshuffle has made

NOBODY, SHARED = -1, -2  # winner of a row that no single seat has won

# Events of a replay: a code, then its fields.
(
    EVENT_DEAL,  # round, starter, eight cards a number, in the order in which they were dealt
    EVENT_FLIP,  # player, card
    EVENT_PLACE,  # player, card, number of the pie, 1 if from the discard pile
    EVENT_DISCARD,  # player, card
    EVENT_DEAD,  # player, card
    EVENT_PIE,  # player, number of the pie, variety
    EVENT_RESHUFFLE,  # player, cards
    EVENT_PASS,  # player
    EVENT_OUT,  # player
    EVENT_ROUND_END,  # 0, 0, points by seat ...
) = range(10)
EVENT_WIDTH = 3 + MAX_CARDS // 8
