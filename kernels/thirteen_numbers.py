"""Integer names of thirteen that the kernel and the Python around it share.

Imports nothing, so that rules can be checked without NumPy and Numba.
"""

# Cards: 4 * rank + suit; ranks 3 .. A, 2 are 0 .. 12, suits S C D H are 0 .. 3. Hands are masks
# of card bits. TWO is the lowest 2, so a mask holds a 2 when it is at least 1 << TWO.
RANKS = 13
ACE_RANK, TWO_RANK = 11, 12
TWO = 48
BLACK = 0x3333333333333  # spades and clubs
MAX_SEATS = 4
HAND = 13
MAX_PLAYS = 4096  # more than any hand has
FRAMES = 128  # positions on a line that a search may look at
STACK = 65_536  # plays that a search may have listed at one time

# A combination is `copies` cards of each of `ranks` ranks in a row: T4.
SINGLE, PAIR, TRIPLE, QUAD = range(1, 5)
LONGEST_RUN, LONGEST_DOUBLE = 13, 6

# Values of rules that are choices, in the order in which people see them.
SAME, LONGER, HIERARCHY, QUAD_OVER_3 = range(4)  # bomb_vs_bomb
TWOS, ANY = range(2)  # bomb_scope
NO, FOUR, YES = range(3)  # bomb_after_pass
INCLUDE, ONLY, FREE = range(3)  # first_lead
WINNER, LOSER, LOWEST = range(3)  # starter
NEXT, PREVIOUS_PLAYER, LAST_PASSER = range(3)  # lead_after_out
# instant kinds, and 0 for none
NONE, FOUR_TWOS, DRAGON, SIX_PAIRS, FIVE_PAIRS_RUN, THREE_TRIPLES_RUN, ONE_COLOUR = range(7)
SEAT_FIRST, DRAGON_FIRST, TWOS_FIRST, VOID = range(4)  # instant_tie

PLAY = 0  # the only decision
DECISIONS = 1
STRATEGY_RANDOM, STRATEGY_LOWEST, STRATEGY_SHED, STRATEGY_HIGHEST, STRATEGY_SAVER = range(5)
STRATEGY_STRUCTURE, STRATEGY_CONTROL, STRATEGY_BLOCKER, STRATEGY_ENDGAME = range(5, 9)

NOBODY, SHARED = -1, -2  # winner of a row that no single seat has won

FROZEN = 26  # paid by a seat that has played no card (score=cards)

# Bombs by kind: quad, double sequences of 2 .. 6 ranks.
BOMB_KINDS = 6

# Events of a replay: a code, then its fields.
(
    EVENT_DEAL,  # number, starter, hands ...
    EVENT_INSTANT,  # player, kind
    EVENT_PLAY,  # player, cards
    EVENT_PASS,  # player
    EVENT_CLOSE,  # leader
    EVENT_OUT,  # player, place
    EVENT_GAME_END,  # 0, 0, places ..., points ...
) = range(7)
EVENT_WIDTH = 3 + 2 * MAX_SEATS
