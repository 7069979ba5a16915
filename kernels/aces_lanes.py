"""Many matches of aces side by side, a card of each at a time.

The rules are those of `aces_match`, for what most matches are played by (`covers`); the rest, and
the rare hand whose stock runs out, is left to it. A branch a card is what one game at a time costs:
a processor can't foresee which cards fit. Here a step draws a card in every lane, then decides in
every lane what becomes of it, by masks instead of branches, so that several lanes are one
instruction. Rows are the same, bit for bit: each lane has the streams and the order of draws of its
own match.

What a lane is lies in `lanes`, uint32[FIELDS * LANES], field by field. All in one array, or the
compiler would have to prove that none of twenty arrays overlaps another, and gives up.
"""

from __future__ import annotations

import numpy as np

from .aces_numbers import (
    ANY,
    JOKER,
    MAX_SEATS,
    MUST,
    TAKE,
    TAKE_ALWAYS,
    TAKE_NEVER,
    WILD,
    WILD_HIGHEST,
    WILD_LOWEST,
)
from .common import ones
from .jit import part
from .random import HALF, U32, U64, WORD, first_words, stir

LANES = 64
STRIDE = 256
"""Bytes between the cards of two lanes; the last of them is for lanes that draw none."""
DUMMY = STRIDE - 1

# Fields of a lane. Words of its random stream; the card in hand; whether one is drawn instead,
# where it lies among the cards not yet turned, and which takes its place; how many these are; cards
# in the stock; the seat whose turn it is; whether the turn passes on; the lower half of the product
# that gave the card; turns of the hand; what the match came to so far, and before this hand; the
# next hand's number and stream; its match's index in two halves.
# As int64: Numba would compile `get` and `put` anew for each number that is written out.
I64 = np.int64
S0, S1, S2, S3, CARD, DRAWN, DRAWS, AT, LAST, UNTURNED = (I64(j) for j in range(10))
STOCK, SEAT, PASSES, REST, TURNS = (I64(j) for j in range(10, 15))
CARDS, TAKEN, WILDS, OFFERED, CHOSE = (I64(j) for j in range(15, 20))
BEFORE = I64(5)
"""So many fields behind each of these is what it was when the hand began."""
HAND, LOW, HIGH, N0, N1, N2, N3 = (I64(j) for j in range(25, 32))
UP = I64(32)
"""Places that show something, pips in the lower half, wilds in the upper half: of the seat to move,
and behind it MAX_SEATS fields: of two players the other one's, of more each seat's own."""
ALL = I64(33 + MAX_SEATS)
"""All places of these layouts, likewise."""
FIELDS = 34 + 2 * MAX_SEATS

PLAYS_ON, WINS, STUCK = range(3)
"""What a step brought: nothing special, the hand is won, or it is left to `aces_match`."""


@part
def wilds_in_pack(rules) -> int:
    """Mask of the wild kinds that there are cards of."""
    return rules.wilds if rules.jokers else rules.wilds & ~(1 << JOKER)


@part
def covers(rules, strategies) -> bool:
    """Whether all matches by these rules and strategies can be played side by side."""
    if rules.players < 2 or rules.take_discard == ANY or rules.displace != MUST:
        return False
    if rules.eager or rules.last_turn or rules.natural or rules.wild_limit >= 0:
        return False
    if rules.queen_skips or rules.initial_discard or ones(wilds_in_pack(rules)) > 1:
        return False
    dealt = 0
    for seat in range(rules.players):
        dealt += rules.sizes[seat]
        take = strategies[seat, TAKE].number
        wild = strategies[seat, WILD].number
        if take != TAKE_ALWAYS and take != TAKE_NEVER:
            return False
        if wild != WILD_LOWEST and wild != WILD_HIGHEST:
            return False
    return dealt < rules.packs * (52 + rules.jokers)


@part
def u32(flag):
    """A truth value as 0 or 1."""
    return U32(flag)


@part
def choose(flag, one, other):
    """`one` where the flag is 1, `other` where it is 0, without a branch."""
    return U32(other ^ U32(U32(one ^ other) & U32(U32(0) - flag)))


@part
def get(lanes, field, lane):
    """A field of a lane."""
    return lanes[np.uintp(field * LANES + lane)]


@part
def put(lanes, field, lane, value) -> None:
    """Set a field of a lane, to an uint32."""
    lanes[np.uintp(field * LANES + lane)] = value


@part
def draw_words(lanes) -> int:
    """Draw a word where a card is to be turned, and from it which of those not yet turned.

    Returns
    -------
    int
        Not 0 if a word may have to be drawn again, which `below` of random.py says.
    """
    doubt = U32(0)
    for lane in range(LANES):
        i = np.uintp(lane)
        s0, s1 = lanes[i], lanes[i + np.uintp(S1 * LANES)]
        s2, s3 = lanes[i + np.uintp(S2 * LANES)], lanes[i + np.uintp(S3 * LANES)]
        draws = lanes[i + np.uintp(DRAWS * LANES)]
        unturned = lanes[i + np.uintp(UNTURNED * LANES)]
        word, t0, t1, t2, t3 = stir(s0, s1, s2, s3)
        lanes[i] = choose(draws, t0, s0)
        lanes[i + np.uintp(S1 * LANES)] = choose(draws, t1, s1)
        lanes[i + np.uintp(S2 * LANES)] = choose(draws, t2, s2)
        lanes[i + np.uintp(S3 * LANES)] = choose(draws, t3, s3)
        product = U64(word) * U64(unturned)
        low = U32(product & WORD)
        left = U32(unturned - draws)
        lanes[i + np.uintp(UNTURNED * LANES)] = left
        lanes[i + np.uintp(REST * LANES)] = low
        # Where none is drawn the last byte, which is no card, is moved onto itself.
        lanes[i + np.uintp(AT * LANES)] = choose(draws, U32(product >> HALF), U32(DUMMY))
        lanes[i + np.uintp(LAST * LANES)] = choose(draws, left, U32(DUMMY))
        doubt |= U32(draws & u32(low < unturned))
    return np.int64(doubt)


@part
def draw_again(lanes) -> None:
    """Draw words again where the first would make some cards likelier (Lemire 2019)."""
    for lane in range(LANES):
        unturned = U64(get(lanes, UNTURNED, lane)) + U64(1)
        rest = U64(get(lanes, REST, lane))
        if get(lanes, DRAWS, lane) == 0 or rest >= unturned:
            continue
        least = U64(0x100000000) % unturned
        while rest < least:
            product = next_lane_word(lanes, lane) * unturned
            rest = product & WORD
            put(lanes, AT, lane, U32(product >> HALF))


@part
def next_lane_word(lanes, lane):
    """Next word of a lane's stream (xoshiro128++ 1.0), as `next_word` of random.py."""
    word, s0, s1, s2, s3 = stir(
        get(lanes, S0, lane), get(lanes, S1, lane), get(lanes, S2, lane), get(lanes, S3, lane)
    )
    put(lanes, S0, lane, s0)
    put(lanes, S1, lane, s1)
    put(lanes, S2, lane, s2)
    put(lanes, S3, lane, s3)
    return U64(word)


@part
def turn_cards(lanes, pools) -> None:
    """Turn the cards that were drawn; the last one takes the place of each. Scalar, no branch."""
    for lane in range(LANES):
        i = np.uintp(lane)
        base = i * np.uintp(STRIDE)
        at = base + np.uintp(lanes[i + np.uintp(AT * LANES)])
        last = base + np.uintp(lanes[i + np.uintp(LAST * LANES)])
        card = pools[at]
        pools[at] = pools[last]
        lanes[i + np.uintp(DRAWN * LANES)] = U32(card)


@part
def place_cards(lanes, wild, highest, flags) -> None:
    """A5b, A6: place every card in hand that fits, or discard it."""
    for lane in range(LANES):
        i = np.uintp(lane)
        card = choose(
            lanes[i + np.uintp(DRAWS * LANES)],
            lanes[i + np.uintp(DRAWN * LANES)],
            lanes[i + np.uintp(CARD * LANES)],
        )
        up = lanes[i + np.uintp(UP * LANES)]
        places = lanes[i + np.uintp(ALL * LANES)]
        pips, wilds = U32(up & U32(0xFFFF)), U32(up >> U32(16))
        down = U32(places & ~U32(pips | wilds))
        bit = U32(U32(1) << card)
        is_wild = u32(card == wild)
        places_pip = U32(u32(U32(bit & U32(places & ~pips)) != U32(0)) & U32(U32(1) - is_wild))
        places_wild = U32(is_wild & u32(down != U32(0)))
        # The lowest place that is face down, or the highest.
        low = U32(down & U32(U32(0) - down))
        high = U32(down | U32(down >> U32(1)))
        high = U32(high | U32(high >> U32(2)))
        high = U32(high | U32(high >> U32(4)))
        high = U32(high | U32(high >> U32(8)))
        high = U32(high ^ U32(high >> U32(1)))
        seat = lanes[i + np.uintp(SEAT * LANES)]
        at = choose(U32(U32(highest >> seat) & U32(1)), high, low)
        # A wild on the pip's place is taken up.
        frees = U32(places_pip & u32(U32(wilds & bit) != U32(0)))
        new_pips = U32(pips | U32(bit & U32(U32(0) - places_pip)))
        new_wilds = U32(wilds | U32(at & U32(U32(0) - places_wild)))
        new_wilds = U32(new_wilds & ~U32(bit & U32(U32(0) - frees)))
        placed = U32(places_pip | places_wild)
        complete = U32(placed & u32(U32(new_pips | new_wilds) == places))
        lanes[i + np.uintp(UP * LANES)] = U32(new_pips | U32(new_wilds << U32(16)))
        lanes[i + np.uintp(WILDS * LANES)] += places_wild
        several = u32(U32(down & U32(down - U32(1))) != U32(0))
        lanes[i + np.uintp(CHOSE * LANES)] += U32(places_wild & several)
        goes_on = U32(placed & U32(U32(1) - complete))
        lanes[i + np.uintp(CARDS * LANES)] += goes_on
        # What lay there is next: the wild that was taken up, or a card that is turned now.
        lanes[i + np.uintp(DRAWS * LANES)] = U32(goes_on & U32(U32(1) - frees))
        lanes[i + np.uintp(CARD * LANES)] = choose(frees, wild, card)
        lanes[i + np.uintp(PASSES * LANES)] = U32(U32(1) - placed)
        flags[i] = np.uint8(complete)  # WINS


@part
def swap_seats(lanes) -> None:
    """Of two players: where the turn passes, put the other's layout first."""
    for lane in range(LANES):
        i = np.uintp(lane)
        passes = lanes[i + np.uintp(PASSES * LANES)]
        one, other = lanes[i + np.uintp(UP * LANES)], lanes[i + np.uintp((UP + 1) * LANES)]
        lanes[i + np.uintp(UP * LANES)] = choose(passes, other, one)
        lanes[i + np.uintp((UP + 1) * LANES)] = choose(passes, one, other)
        one, other = lanes[i + np.uintp(ALL * LANES)], lanes[i + np.uintp((ALL + 1) * LANES)]
        lanes[i + np.uintp(ALL * LANES)] = choose(passes, other, one)
        lanes[i + np.uintp((ALL + 1) * LANES)] = choose(passes, one, other)


@part
def move_seats(lanes, players) -> None:
    """Of more than two players: where the turn passes, put the next seat's layout first.

    Each seat's layout lies at its own place behind the first, which is that of the seat to move.
    Scalar, without a branch: a rotation in vectors costs more from four players on.
    """
    for lane in range(LANES):
        i = np.uintp(lane)
        seat = lanes[i + np.uintp(SEAT * LANES)]
        following = U32(seat + lanes[i + np.uintp(PASSES * LANES)])
        following = choose(u32(following == players), U32(0), following)
        old = i + np.uintp(seat) * np.uintp(LANES)
        new = i + np.uintp(following) * np.uintp(LANES)
        lanes[old + np.uintp((UP + 1) * LANES)] = lanes[i + np.uintp(UP * LANES)]
        lanes[i + np.uintp(UP * LANES)] = lanes[new + np.uintp((UP + 1) * LANES)]
        lanes[i + np.uintp(ALL * LANES)] = lanes[new + np.uintp((ALL + 1) * LANES)]


@part
def start_turns(lanes, wild, offers, taking, players, max_turns, flags) -> None:
    """A5a: where the turn has passed, take the discard if it fits and the seat does so.

    The discard is the card in hand of the seat before, which has just been laid down.
    """
    for lane in range(LANES):
        i = np.uintp(lane)
        passes = lanes[i + np.uintp(PASSES * LANES)]
        seat = U32(lanes[i + np.uintp(SEAT * LANES)] + passes)
        seat = choose(u32(seat == players), U32(0), seat)
        lanes[i + np.uintp(SEAT * LANES)] = seat
        stock = lanes[i + np.uintp(STOCK * LANES)]
        turns = lanes[i + np.uintp(TURNS * LANES)]
        # A7, A9: an empty stock and the last turn are left to `aces_match`.
        stuck = U32(passes & U32(u32(stock == U32(0)) | u32(turns == max_turns)))
        starts = U32(passes & U32(U32(1) - stuck))
        card = lanes[i + np.uintp(CARD * LANES)]
        up = lanes[i + np.uintp(UP * LANES)]
        places = lanes[i + np.uintp(ALL * LANES)]
        pips, wilds = U32(up & U32(0xFFFF)), U32(up >> U32(16))
        down = U32(places & ~U32(pips | wilds))
        bit = U32(U32(1) << card)
        is_wild = u32(card == wild)
        fits = choose(
            is_wild,
            u32(down != U32(0)),
            u32(U32(bit & U32(places & ~pips)) != U32(0)),
        )
        offered = U32(U32(starts & fits) & offers)
        takes = U32(offered & U32(U32(taking >> seat) & U32(1)))
        draws = U32(starts & U32(U32(1) - takes))
        lanes[i + np.uintp(TURNS * LANES)] = U32(turns + starts)
        lanes[i + np.uintp(OFFERED * LANES)] += offered
        lanes[i + np.uintp(TAKEN * LANES)] += takes
        lanes[i + np.uintp(CARDS * LANES)] += starts
        lanes[i + np.uintp(STOCK * LANES)] = U32(stock - draws)
        lanes[i + np.uintp(DRAWS * LANES)] |= draws
        flags[i] |= np.uint8(stuck << U32(1))  # STUCK


@part
def write_streams(lanes, seed) -> None:
    """Start the streams of every lane's next hand, as `start_stream` of random.py does."""
    k0, k1 = U32(seed & WORD), U32(seed >> HALF)
    for lane in range(LANES):
        i = np.uintp(lane)
        s0, s1, s2, s3 = first_words(
            lanes[i + np.uintp(LOW * LANES)],
            lanes[i + np.uintp(HIGH * LANES)],
            lanes[i + np.uintp(HAND * LANES)],
            U32(0),
            k0,
            k1,
        )
        lanes[i + np.uintp(N0 * LANES)] = s0
        lanes[i + np.uintp(N1 * LANES)] = s1
        lanes[i + np.uintp(N2 * LANES)] = s2
        lanes[i + np.uintp(N3 * LANES)] = s3
