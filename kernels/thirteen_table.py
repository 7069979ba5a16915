"""The table of a deal of thirteen: hands, the trick, and what everybody has seen."""

from __future__ import annotations

import numpy as np

from .common import ASKING, PARAMETERS, STRATEGY, ones, record
from .jit import helper
from .thirteen_numbers import (
    BOMB_KINDS,
    EVENT_WIDTH,
    FRAMES,
    HAND,
    MAX_PLAYS,
    MAX_SEATS,
    PLAY,
    STACK,
)
from .thirteen_view import VIEW

I64 = np.int64

TALLY = (MAX_SEATS + 1, 5, 2)
"""By seat and number of 2s dealt to it: hands, and deals won."""

RULES = record(
    ("players", I64),
    ("target", I64),  # 0: a deal
    ("bomb_min", I64),  # four bits each for one, two and three 2s
    ("quad_beats", I64),
    ("bomb_vs_bomb", I64),
    ("bomb_scope", I64),
    ("lockout", I64),
    ("bomb_after_pass", I64),
    ("first_lead", I64),
    ("starter", I64),
    ("lead_after_out", I64),
    ("instant", I64),  # mask of the kinds that win at once
    ("instant_tie", I64),
    ("seq_min", I64),
    ("dseq_min", I64),
    ("seq_twos", I64),
    ("compare_suit", I64),
    ("pass_forced", I64),
    ("finish_two", I64),
    ("until_first", I64),
    ("points", I64, (MAX_SEATS,)),
    ("score_cards", I64),
    ("penalties", I64, (5,)),
    ("max_turns", I64),
)
"""The rules as the engine understands them; docs/rules/thirteen.md says what each means."""

ROW = record(
    ("winner", I64),
    ("winners", I64),
    ("capped", I64),
    ("turns", I64),
    ("deals", I64),
    ("plays", I64),
    ("passes", I64),
    ("tricks", I64),
    ("forced", I64),
    ("free", I64),
    ("bombs_played", I64),
    ("bombs_beaten", I64),
    ("played_by_kind", I64, (BOMB_KINDS,)),
    ("beaten_by_kind", I64, (BOMB_KINDS,)),
    ("deals_with_bomb", I64),
    ("instant", I64),  # kind of deal 1
    ("instants", I64, (7,)),  # deals by kind, none at 0
    ("instant_wins", I64),
    ("opener", I64),
    ("opener_at", I64, (MAX_SEATS,)),
    ("opener_wins", I64),
    ("cards_left", I64),
    ("gave_up", I64),
    ("place", I64, (MAX_SEATS,)),
    ("points", I64, (MAX_SEATS,)),
)
"""What is kept of a game."""

FRAME = record(
    ("hand", I64),  # cards of the seat to move
    ("other", I64),  # cards of the other one
    ("top", I64),  # cards to beat; 0: the mover leads
    ("owner", I64),  # who made the top: the other one, or a seat that is out
    ("passed", I64),  # whether the mover has passed in this trick
    ("other_passed", I64),
    ("answered", I64),  # whether the other one has passed on this very top
    ("leads", I64),  # who leads when a trick of a seat that is out closes: mover or other
    ("stuck", I64),  # whether the other one just handed the lead on for want of a legal play
    ("begin", I64),  # its plays on the stack
    ("end", I64),
    ("next", I64),  # the answer to try next; at `end` the pass
    ("legal", I64),  # whether any play was legal
    ("unknown", I64),  # whether an answer couldn't be decided
    ("turned", I64),  # whether the other seat moves in the next frame
)
"""A position of the search, as the seat to move sees it."""

SCRIPT = 512
"""Moves that can be given, more than a deal has turns by default."""

SLATE = 16
"""Events that fit in the table; a turn has at most five."""

TABLE = record(
    ("hand", I64, (MAX_SEATS,)),  # masks of cards
    ("dealt", I64, (MAX_SEATS,)),  # the same, as they were dealt
    ("leader", I64),  # who is to lead the deal; -1: the holder of the lowest card
    ("opener", I64),  # who leads it, or would if nobody won at once
    ("winner", I64),  # who has won it; -1: nobody
    ("at_once", I64),  # 1: it was over when it was dealt
    ("holding", I64),  # mask of the seats that hold cards
    ("armed", I64),  # mask of the seats that held a bomb when tricks began, for `thirteen_quick`
    ("gone", I64),  # cards played in this deal
    ("top", I64),  # cards to beat; 0: the next play leads
    ("top_copies", I64),
    ("top_ranks", I64),
    ("above", I64),  # card that a play of the top's type must exceed
    ("bombable", I64),  # 1: bombs of other types may beat the top
    ("owner", I64),  # who made the top
    ("locked", I64),  # mask of seats that passed in this trick
    ("answered", I64),  # mask of seats that passed on this top
    ("last_player", I64),  # the last seat but the owner that played in this trick
    ("last_passer", I64),
    ("must_hold", I64),  # mask of the card that the first play must contain; 0: none
    ("alone", I64),  # whether it must be that play
    ("played", I64),  # mask of seats that have played a card in this deal
    ("place", I64, (MAX_SEATS,)),
    ("paid", I64, (MAX_SEATS,)),  # penalties of this deal
    ("earned", I64, (MAX_SEATS,)),  # points of this deal
    ("total", I64, (MAX_SEATS,)),  # points of the match
    ("pool", I64, (52,)),
    ("twos", I64, (MAX_SEATS,)),  # 2s dealt to each seat
    ("tally", I64, TALLY),
    ("deal", I64, (4,)),  # random stream of the deal
    ("choice", I64, (MAX_SEATS, 4)),  # random stream of each seat's strategy
    ("strategy", STRATEGY, (MAX_SEATS,)),
    ("n_plays", I64),
    ("plays", I64, (MAX_PLAYS,)),  # legal plays, in order
    ("planned", I64, (MAX_SEATS,)),  # the cards of each seat's plan
    ("n_plan", I64, (MAX_SEATS,)),
    ("plan", I64, (MAX_SEATS, HAND)),  # each hand split into the fewest plays
    ("plan_copies", I64, (MAX_SEATS, HAND)),
    ("plan_ranks", I64, (MAX_SEATS, HAND)),
    ("choice_first", I64, (HAND + 1,)),  # how the hand was split last
    ("choice_copies", I64, (HAND + 1,)),
    ("choice_ranks", I64, (HAND + 1,)),
    ("split", I64, (HAND + 1,)),  # cards of each rank left that can be in runs, by choices made
    ("split_plays", I64, (HAND + 1,)),  # plays so far, and those of ranks in no run
    ("tried_copies", I64, (HAND + 1,)),  # the choice made there
    ("tried_ranks", I64, (HAND + 1,)),
    ("split_copies", I64, (HAND + 1,)),  # the kind of play to try next there
    ("split_ranks", I64, (HAND + 1,)),
    ("nodes", I64),  # positions that a search may still look at
    ("stack", I64, (STACK,)),  # plays listed by a search
    ("frames", FRAME, (FRAMES,)),
    ("always_plain", I64),  # 1: all seats' answers are what `is_plain` of thirteen_turn says
    ("quick", I64),  # 1: all play `lowest` by the usual rules, and nobody listens
    ("set_up", I64),  # 1: the next deal is of given hands
    ("given", I64, (MAX_SEATS,)),
    ("given_leader", I64),  # -1: the holder of the lowest card
    ("rest_is_played", I64),  # 1: cards in no hand count as played
    ("n_script", I64),  # moves that are given, played before the strategies are asked
    ("at_script", I64),
    ("script", I64, (SCRIPT,)),
    ("refused", I64),  # 1 + number of the given move that was not legal
    ("refused_seat", I64),
    ("seen", VIEW, (1,)),  # what a user's strategy is shown
    ("telling", I64),
    ("told", I64),
    ("slate", I64, (SLATE, EVENT_WIDTH)),
    *ASKING,
)


@helper
def tell(table, code, first, second) -> None:
    """Note an event, if anybody listens."""
    if table.telling == 0:
        return
    event = table.slate[table.told]
    event[0] = code
    event[1] = first
    event[2] = second
    table.told += 1


@helper
def tell_seats(table, rules, code, first, second, values, offset) -> None:
    """Note an event with a number for each seat, or add such numbers to the last event."""
    if table.telling == 0:
        return
    if offset == 0:
        tell(table, code, first, second)
    for seat in range(rules.players):
        table.slate[table.told - 1, 3 + offset + seat] = values[seat]


@helper
def look(table, rules, seat, word) -> None:
    """Write down what a seat sees when it is asked: every field, so that nothing is remembered."""
    view = table.seen[0]
    view.decision = PLAY
    view.seat = seat
    view.players = rules.players
    view.word = word
    for j in range(PARAMETERS):
        view.parameter[j] = table.strategy[seat].parameter[j]
    view.hand = table.hand[seat]
    for other in range(MAX_SEATS):
        view.held[other] = ones(table.hand[other])
        view.points[other] = table.total[other]
    view.gone = table.gone
    view.top = table.top
    view.top_copies = table.top_copies
    view.top_ranks = table.top_ranks
    view.owner = table.owner
    view.locked = table.locked
    view.answered = table.answered
    view.played = table.played
    view.must_hold = table.must_hold
    view.alone = table.alone
    view.last_player = table.last_player
    view.last_passer = table.last_passer
    view.target = rules.target
    view.bomb_min = rules.bomb_min
    view.quad_beats = rules.quad_beats
    view.bomb_vs_bomb = rules.bomb_vs_bomb
    view.bomb_scope = rules.bomb_scope
    view.lockout = rules.lockout
    view.bomb_after_pass = rules.bomb_after_pass
    view.lead_after_out = rules.lead_after_out
    view.seq_min = rules.seq_min
    view.dseq_min = rules.dseq_min
    view.seq_twos = rules.seq_twos
    view.compare_suit = rules.compare_suit
    view.pass_forced = rules.pass_forced
    view.finish_two = rules.finish_two
    view.until_first = rules.until_first
    view.score_cards = rules.score_cards
