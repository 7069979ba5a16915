"""What is known about thirteen without simulating, against the kernel.

The numbers in front are those of the facts in the rules. Fact 6, single cases, stands in
test_thirteen_edges.py, and fact 1 also in test_thirteen_options.py.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import permutations
from math import comb
from typing import Any

import numpy as np
import pytest

import simcards
from simcards.kernels.jit import helper
from simcards.kernels.random import start_stream
from simcards.kernels.thirteen import deal
from simcards.kernels.thirteen_cards import (
    list_plays,
    lowest,
    ones,
    run_tops,
    with_at_least,
)
from simcards.kernels.thirteen_numbers import MAX_PLAYS
from simcards.kernels.thirteen_table import TABLE
from simcards.sim.chunk import rules_array
from simcards.sim.counts import SHARE, Counts
from simcards.sim.games.thirteen import GAME
from simcards.sim.plan import make_plan

LIMIT = 4.0  # of |z|


@cache
def played(n: int, strategies: Any = None, seed: int = 2, **rules: Any) -> Counts:
    return simcards.run("thirteen", n, rules=rules, strategies=strategies, seed=seed).counts


def rate_z(hits: float, n: int, chance: float) -> float:
    return (hits / n - chance) / math.sqrt(chance * (1 - chance) / n)


def won(counts: Counts, seat: int = 0) -> float:
    return counts.score60[seat] / SHARE


# 1. Points, and how long a deal may be


@pytest.mark.parametrize(("players", "total"), [(4, 6), (3, 5), (2, 3)])
def test_points_of_a_deal(players: int, total: int) -> None:
    counts = played(100_000, players=players)
    events = counts.events
    full = counts.finished - events["instant_wins"]
    assert sum(events["points"]) == total * full + 3 * events["instant_wins"]
    assert counts.capped == 0 and counts.nobody == 0
    assert max(counts.lengths["turns"]) <= 52 * players
    assert events["decisions_free"] <= 52 * players * counts.finished


# 2. Instant wins


def test_hands_that_win_at_once() -> None:
    n = 1_000_000
    events = played(n).events
    assert abs(rate_z(events["instant_wins"], n, 0.01283718626)) < LIMIT
    n = 300_000
    twos = played(n, seed=3, instant="twos").events
    assert abs(rate_z(twos["instant_wins"], n, 44 / 4165)) < LIMIT
    assert twos["instant_wins"] == twos["instant_twos"]


def test_hands_with_every_number_of_2s() -> None:
    """A given hand has all four with 11/4165; a seat's hands are one a deal."""
    n = 1_000_000
    tally = played(n).tallies["wins_by_twos"]
    for seat in range(4):
        for twos in range(5):
            chance = comb(4, twos) * comb(48, 13 - twos) / comb(52, 13)
            assert abs(rate_z(tally[seat, twos][0], n, chance)) < LIMIT
    assert comb(48, 9) / comb(52, 13) == pytest.approx(11 / 4165, rel=1e-12)
    # They win, unless a dragon nearer to the opener does.
    for seat in range(4):
        hands, wins = tally[seat, 4]
        assert 0.99 * hands < wins <= hands


# 3. Who leads


def test_the_3_of_spades_is_anywhere() -> None:
    n = 1_000_000
    for count in played(n).events["opener_at"]:
        assert abs(rate_z(count, n, 0.25)) < LIMIT


def test_the_first_play_holds_the_lowest_card() -> None:
    for index in range(100):
        told = simcards.replay("thirteen", players=2, seed=4, index=index)
        event = told.events[1]
        first = next(one for one in told.events if one["event"] in ("play", "instant"))
        if first["event"] == "play":  # T3
            lowest = min(hand[0] for hand in map(order, event["hands"]))
            assert order(first["cards"])[0] == lowest
            assert order(event["hands"][event["starter"]])[0] == lowest


def order(cards: list[str]) -> list[int]:
    """Cards as numbers, ascending."""
    return sorted(map(simcards.thirteen.unseen("").index, cards))


def test_the_lowest_card_of_two_hands() -> None:
    lows = looked(2)[3]
    for card, chance in enumerate((1 / 2, 13 / 51, 13 / 102, 52 / 833)):
        assert abs(rate_z(lows[card], N_HANDS, chance)) < LIMIT


# 4 and 5. What a hand of 13 holds

QUADS, THREE_PAIRS, FOUR_PAIRS, BOMBS, SEQUENCES, LONG_SEQUENCES = range(6)
KINDS = ("single", "pair", "triple", "quad")


@helper
def has_run(hand, copies, ranks):
    """Whether ranks in a row below the 2 have so many cards each."""
    lanes = with_at_least(hand, np.int64(copies)) & ((1 << 48) - 1)
    return run_tops(lanes, np.int64(ranks)) != 0


@helper
def look(tables, rules, n, seed, plays, holds, leads, squares, lows):
    """Deal n hands a seat with the kernel's own code; count what they hold and may lead."""
    table = tables[0]
    for index in range(n):
        start_stream(table.deal, seed, index, 0, 0, 0)
        deal(table, rules[0])
        dealt = np.int64(0)
        for seat in range(rules[0].players):
            hand = table.hand[seat]
            dealt |= hand
            quads = with_at_least(hand, np.int64(4))
            three = has_run(hand, 2, 3)
            holds[seat, QUADS] += quads != 0
            holds[seat, THREE_PAIRS] += three
            holds[seat, FOUR_PAIRS] += has_run(hand, 2, 4)
            holds[seat, BOMBS] += three or quads & ((1 << 48) - 1) != 0
            holds[seat, SEQUENCES] += has_run(hand, 1, 3)
            holds[seat, LONG_SEQUENCES] += has_run(hand, 1, 5)
        lows[lowest(dealt)] += 1
        # Hands of one deal depend on each other; leads are taken of one seat only.
        hand = table.hand[index % rules[0].players]
        n_plays = list_plays(plays, 0, rules[0], hand, 0, 0, 0, 0)
        for j in range(16):
            leads[0, j] = 0
        for j in range(n_plays):
            cards = ones(plays[j])
            ranks = ones(with_at_least(plays[j], np.int64(1)))
            if ranks == 1:
                leads[0, cards - 1] += 1
            elif cards == ranks:
                leads[0, 3 + min(ranks, 8) - 2] += 1  # 4: 3 ranks .. 9: 8 or more
            else:
                leads[0, 10 + ranks - 3] += 1
        leads[0, 15] = n_plays
        for j in range(16):
            leads[1, j] += leads[0, j]
            squares[j] += leads[0, j] * leads[0, j]


N_HANDS = 200_000


@cache
def looked(players: int = 4, n: int = N_HANDS) -> tuple[np.ndarray, ...]:
    """What seats held; leads; their squares; lowest cards dealt; the last hands."""
    holds, leads = np.zeros((4, 6), np.int64), np.zeros((2, 16), np.int64)
    squares, lows = np.zeros(16, np.int64), np.zeros(52, np.int64)
    tables = np.zeros(1, TABLE)
    look(
        tables,
        rules_array(make_plan("thirteen", players=players, seed=0)),
        np.int64(n),
        np.uint64(5),
        np.zeros(MAX_PLAYS, np.int64),
        holds,
        leads,
        squares,
        lows,
    )
    return holds, leads[1], squares, lows, tables[0]["hand"].copy()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_helper_deals_as_runs_do(players: int) -> None:
    for n in (1, 2, 3):
        told = simcards.replay("thirteen", players=players, seed=5, index=n - 1)
        hands = looked(players, n)[4]
        for hand, names in zip(hands, told.events[1]["hands"], strict=False):
            assert hand == sum(1 << card for card in order(names))


@pytest.mark.parametrize(
    ("what", "chance"),
    [
        (QUADS, 0.034200355),
        (THREE_PAIRS, 0.083615378),
        (FOUR_PAIRS, 0.009612119),
        (BOMBS, 0.113708458),
        (SEQUENCES, 0.947677622),
        (LONG_SEQUENCES, 0.474298697),
    ],
)
def test_what_hands_hold(what: int, chance: float) -> None:
    holds = looked()[0]
    for seat in range(4):  # each by itself: hands of one deal depend on each other
        assert abs(rate_z(holds[seat, what], N_HANDS, chance)) < LIMIT


def falling(n: int, k: int) -> int:
    return math.perm(n, k)


def sequences(ranks: int) -> float:
    return (13 - ranks) * 4**ranks * falling(13, ranks) / falling(52, ranks)


def double_sequences(ranks: int) -> float:
    return (13 - ranks) * 6**ranks * falling(13, 2 * ranks) / falling(52, 2 * ranks)


def test_how_many_leads_hands_have() -> None:
    _, leads, squares, _, _ = looked()
    expected = [13.0, 78 / 17, 286 / 425, 143 / 4165]
    expected += [sequences(ranks) for ranks in range(3, 8)]
    expected += [sum(sequences(ranks) for ranks in range(8, 13))]
    expected += [double_sequences(ranks) for ranks in range(3, 7)]
    assert sum(expected) == pytest.approx(41.433261, abs=1e-6)
    for j, mean in enumerate([*expected, 0.0, sum(expected)]):
        found = leads[j] / N_HANDS
        if j in (0, 14):  # 13 singles always; nothing is counted at 14
            assert found == mean
            continue
        error = math.sqrt((squares[j] / N_HANDS - found**2) / N_HANDS)
        assert abs(found - mean) / error < LIMIT, j


# 7. The opener's edge depends on the strategies


def opener_z(strategy: str, n: int) -> float:
    events = played(n, strategy, seed=7).events
    return rate_z(events["opener_wins"], events["deals"], 0.25)


def test_the_opener_wins_more_or_less_than_a_quarter() -> None:
    """Four who lead their longest play, which is `shed`, gain clearly by starting.

    A player who always plays the lowest single is none of the built-ins: `lowest` leads the
    longest play with its lowest card. So only the direction that built-ins show is held here.
    """
    edges = {name: opener_z(name, 100_000) for name in ("lowest", "shed", "highest", "random")}
    edges["structure"] = opener_z("structure", 50_000)
    assert edges["shed"] > 10, edges
    assert max(edges.values()) - min(edges.values()) > 10, edges
    # Without long plays a first lead is one card, which helps nobody much.
    bound = played(100_000, "lowest", seed=7, first_lead="single").events
    assert rate_z(bound["opener_wins"], bound["deals"], 0.25) < edges["lowest"] - LIMIT


# 8. Seats beside a weak player


@pytest.mark.parametrize(("weak", "strong"), [("random", "lowest"), ("highest", "structure")])
def test_seats_beside_a_weak_player_are_not_equal(weak: str, strong: str) -> None:
    """Wherever the weak one sits, the share of the others depends on where they sit from it.

    With built-ins the seat before the weak one does best, and the one after it worst.
    """
    n = 20_000
    shares = [0.0] * 4
    for at in range(4):
        counts = simcards.run(
            "thirteen",
            n,
            strategies=[strong] * at + [weak] + [strong] * (3 - at),
            seed=8,
            first=at * n,
        ).counts
        for after in range(4):
            shares[after] += won(counts, (at + after) % 4) / (4 * n)
    assert shares[0] < 0.1
    after, opposite, before = shares[1:]
    for worse, better in ((after, opposite), (opposite, before)):
        error = math.sqrt((better + worse - (better - worse) ** 2) / (4 * n))
        assert (better - worse) / error > LIMIT


def test_rotations_are_not_all_orders() -> None:
    """All rotations are played, and yet the order round the table decides who does well."""
    n = 10_000
    names = ("random", "lowest", "shed", "saver")
    of_lowest = []
    for order in permutations(names[1:]):
        seats = (names[0], *order)
        won_by_lowest = 0.0
        for turn in range(4):
            turned = seats[turn:] + seats[:turn]
            counts = played(n, turned, seed=9)
            won_by_lowest += won(counts, turned.index("lowest"))
        of_lowest.append(won_by_lowest / (4 * n))
    error = math.sqrt(2 * 0.25 * 0.75 / (4 * n))
    assert (max(of_lowest) - min(of_lowest)) / error > 10, of_lowest


# The facts that come with the game


def test_verify() -> None:
    table = simcards.verify("thirteen", seed=6, scale=0.2)
    assert table["passed"].all() and table.height == len(GAME.facts) > 4
    assert (table["z"].abs() < LIMIT).all()
    known = dict(table.select("name", "known").iter_rows())
    assert known["somebody has four 2s"] == 44 / 4165
    assert known["some instant win"] == 0.01283718626
