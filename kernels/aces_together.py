"""Runs of aces by the usual rules: matches side by side in lanes, to the rows of `aces_match`."""

from __future__ import annotations

import numpy as np

from .aces_lanes import (
    ALL,
    BEFORE,
    CARDS,
    CHOSE,
    DRAWS,
    FIELDS,
    HAND,
    HIGH,
    LANES,
    LOW,
    N0,
    OFFERED,
    S0,
    SEAT,
    STOCK,
    STRIDE,
    TAKEN,
    TURNS,
    U32,
    UNTURNED,
    UP,
    WILDS,
    WINS,
    draw_again,
    draw_words,
    get,
    move_seats,
    place_cards,
    put,
    start_turns,
    swap_seats,
    turn_cards,
    wilds_in_pack,
    write_streams,
)
from .aces_match import clear, deal, end_hand, end_match, next_starter, play_turns
from .aces_numbers import JOKER, NEVER, TAKE, TAKE_ALWAYS, WILD, WILD_HIGHEST
from .common import PROGRESS, STOP, lowest_bit
from .jit import inlined, part
from .random import HALF, U64, WORD, start_stream

I64 = np.int64
NONE, ONE = U32(0), U32(1)
NO_WILD = 99
"""A kind that no card is of."""
WORDS = STRIDE // 8


@part
def gathered(eight):
    """Which of eight bytes, each 0 to 3, are not 0: a bit each, the first byte's lowest."""
    bits = (eight | eight >> 1) & 0x0101010101010101
    bits |= bits >> 7
    bits |= bits >> 14
    return (bits | bits >> 28) & 0xFF


@part
def address(lanes, lane, index, hand) -> None:
    """Say which hand's stream a lane needs next."""
    put(lanes, LOW, lane, U32(U64(index) & WORD))
    put(lanes, HIGH, lane, U32(U64(index) >> HALF))
    put(lanes, HAND, lane, U32(hand))


@part
def deal_lane(lanes, lane, source, at, pools, deck, rules, row, starter) -> None:
    """A2 to A4: a hand begins in a lane, with its starter's first draw.

    Parameters
    ----------
    lanes : uint32[FIELDS * LANES]
    lane : int64
    source : uint32[FIELDS * LANES]
        Where the stream of its deal was started, in lane `at`.
    at : int64
    pools, deck : uint64 views of the cards of all lanes, and of a whole pack
    rules, row
    starter : int64
    """
    for word in range(4):
        put(lanes, S0 + word, lane, get(source, N0 + word, at))
    cards = rules.packs * (52 + rules.jokers)
    base = lane * WORDS
    for word in range((cards + 7) >> 3):
        pools[np.uintp(base + word)] = deck[np.uintp(word)]
    size = row.layout[starter]
    dealt = size
    put(lanes, UP, lane, NONE)
    put(lanes, ALL, lane, U32((1 << size) - 1))
    if rules.players == 2:
        size = row.layout[1 - starter]
        dealt += size
        put(lanes, UP + I64(1), lane, NONE)
        put(lanes, ALL + I64(1), lane, U32((1 << size) - 1))
    else:
        dealt = I64(0)
        for seat in range(rules.players):
            size = row.layout[seat]
            dealt += size
            put(lanes, UP + I64(1) + seat, lane, NONE)
            put(lanes, ALL + I64(1) + seat, lane, U32((1 << size) - 1))
    put(lanes, UNTURNED, lane, U32(cards))
    put(lanes, STOCK, lane, U32(cards - dealt - 1))
    put(lanes, SEAT, lane, U32(starter))
    put(lanes, TURNS, lane, ONE)
    put(lanes, DRAWS, lane, ONE)
    for field in (CARDS, TAKEN, WILDS, OFFERED, CHOSE):
        put(lanes, field + BEFORE, lane, get(lanes, field, lane))
    put(lanes, CARDS, lane, U32(get(lanes, CARDS, lane) + ONE))
    row.hands += 1
    put(lanes, HAND, lane, U32(row.hands))


@part
def forget_hand(lanes, lane) -> None:
    """Put a lane's counts back to what they were when the hand began."""
    for field in (CARDS, TAKEN, WILDS, OFFERED, CHOSE):
        put(lanes, field, lane, get(lanes, field + BEFORE, lane))


@part
def count_lane(lanes, lane, row, turns) -> None:
    """Add to a row what its match came to in its lane, of so many turns, and begin anew."""
    offered, chose = np.int64(get(lanes, OFFERED, lane)), np.int64(get(lanes, CHOSE, lane))
    wilds = np.int64(get(lanes, WILDS, lane))
    row.cards += np.int64(get(lanes, CARDS, lane))
    row.taken += np.int64(get(lanes, TAKEN, lane))
    row.wilds += wilds
    row.free += offered + chose
    row.forced += turns - offered + wilds - chose
    for field in (CARDS, TAKEN, WILDS, OFFERED, CHOSE):
        put(lanes, field, lane, NONE)


@inlined
def play_together(seed, first, rules, strategies, bots, table, rows, log, control) -> int:
    """Play the matches first, first + 1, ... one a row; see `play` of `aces`.

    Returns
    -------
    int
        Matches played: all of them, or none after a stop.
    """
    players = rules.players
    wild = np.int64(NO_WILD)
    if wilds_in_pack(rules):
        wild = lowest_bit(wilds_in_pack(rules))
    offers = U32(rules.take_discard != NEVER)
    taking, highest = U32(0), U32(0)
    for seat in range(players):
        if strategies[seat, TAKE].number == TAKE_ALWAYS:
            taking = U32(taking | U32(1 << seat))
        if strategies[seat, WILD].number == WILD_HIGHEST:
            highest = U32(highest | U32(1 << seat))
    most_turns = U32(min(rules.max_turns, np.int64(0xFFFFFFFF)))

    lanes = np.zeros(FIELDS * LANES, np.uint32)
    begun = np.zeros(FIELDS * LANES, np.uint32)  # streams of the first hands of matches to come
    pools = np.zeros(LANES * STRIDE, np.uint8)
    flags = np.zeros(LANES, np.uint8)
    pack = np.zeros(STRIDE, np.uint8)
    pools_by_8, pack_by_8 = pools.view(np.uint64), pack.view(np.uint64)
    flags_by_8 = flags.view(np.int64)
    at = 0
    for kind in range(JOKER + 1):
        for _ in range(rules.packs * (rules.jokers if kind == JOKER else 4)):
            pack[at] = kind
            at += 1
    match = np.full(LANES, -1, np.int64)  # row of the match in a lane; -1: none
    starters = np.zeros(LANES, np.int64)
    ready = np.zeros(LANES, np.int64)  # whether the stream of the next hand was started
    lane_turns = np.zeros(LANES, np.int64)  # turns of the match that were played in its lane
    coming = np.int64(0)  # the next match to begin
    playing = 0
    for lane in range(LANES):
        flags[lane] = WINS  # so that a match begins in each

    while True:
        # A bit for each lane of which something is to be done. In two halves: the sign would be
        # one of 64 bits, and plain Python warns when it is negated.
        flagged, later = I64(0), I64(0)
        for eight in range(LANES // 16):
            flagged |= gathered(flags_by_8[eight]) << (8 * eight)
            later |= gathered(flags_by_8[LANES // 16 + eight]) << (8 * eight)
        before = 0
        while flagged | later:
            if flagged == 0:
                flagged, later, before = later, I64(0), LANES // 2
            lane = before + lowest_bit(flagged)
            flagged &= flagged - 1
            j = match[lane]
            if j >= 0:
                row = rows[j]
                for seat in range(players):
                    table.places[seat] = row.layout[seat]
                if flags[lane] == WINS:  # A5
                    turns = np.int64(get(lanes, TURNS, lane))
                    lane_turns[lane] += turns
                    row.turns += turns
                    row.first_turn_wins += np.int64(turns == 1)
                    table.finishers[0] = np.int64(get(lanes, SEAT, lane))
                    finishers = 1
                else:  # the whole hand once more, one card at a time
                    forget_hand(lanes, lane)
                    start_stream(table.deal, seed, first + j, row.hands - 1, 0, 0)
                    deal(table, rules)
                    starter = starters[lane]
                    finishers, _ = play_turns(table, rules, row, bots, starter, I64(0), log, I64(0))
                winners = 0
                if finishers:
                    if rules.shrink == 0:
                        for seat in range(players):
                            table.credits[seat] = row.won[seat]
                    winners = end_hand(table, rules, row, starters[lane], finishers)
                if winners == 0 and finishers:
                    for seat in range(players):
                        row.layout[seat] = table.places[seat]
                    starters[lane] = next_starter(rules, starters[lane], table.finishers[0])
                    if ready[lane] == 0:
                        write_streams(lanes, seed)
                        ready[:] = 1
                    deal_lane(
                        lanes,
                        lane,
                        lanes,
                        lane,
                        pools_by_8,
                        pack_by_8,
                        rules,
                        row,
                        starters[lane],
                    )
                    ready[lane] = 0
                    continue
                row.capped = np.int64(finishers == 0)
                end_match(table, rules, row, winners)
                count_lane(lanes, lane, row, lane_turns[lane])
                match[lane] = -1
                playing -= 1
            if coming < rows.shape[0]:
                block = coming % LANES
                if block == 0:
                    for other in range(min(LANES, rows.shape[0] - coming)):
                        address(begun, other, first + coming + other, I64(0))
                    write_streams(begun, seed)
                row = rows[coming]
                clear(row)
                for seat in range(players):
                    row.layout[seat] = rules.sizes[seat]
                control[PROGRESS] = first + coming
                match[lane] = coming
                address(lanes, lane, first + coming, I64(1))
                coming += 1
                playing += 1
                lane_turns[lane] = 0
                starters[lane] = 0
                ready[lane] = 0
                deal_lane(lanes, lane, begun, block, pools_by_8, pack_by_8, rules, row, I64(0))
            else:  # nothing is left to play: the lane runs idle
                put(lanes, STOCK, lane, NONE)
                put(lanes, DRAWS, lane, NONE)
        if playing == 0:
            return rows.shape[0]
        if control[STOP] != 0:
            return 0
        if draw_words(lanes):
            draw_again(lanes)
        turn_cards(lanes, pools)
        place_cards(lanes, U32(wild), highest, flags)
        if players == 2:
            swap_seats(lanes)
        else:
            move_seats(lanes, U32(players))
        start_turns(lanes, U32(wild), offers, taking, U32(players), most_turns, flags)
