"""What is known about horner without simulating, against the kernel.

The numbers in front are those of the facts in the rules; fact 2 stands in test_horner_options.py.
Values that `simcards verify horner` knows are played there, see test_known_values_agree.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import Any

import pytest

import simcards
from simcards.analysis.verify import checks
from simcards.sim.counts import Counts
from simcards.sim.games.horner import FACTS, GAME
from simcards.sim.plan import make_plan
from simcards.sim.replay import replay_game

LIMIT = 4.0  # of |z|


@cache
def played(n: int, strategies: Any = None, seed: int = 2, **rules: Any) -> Counts:
    return simcards.run("horner", n, rules=rules, strategies=strategies, seed=seed).counts


def rate_z(hits: float, n: int, chance: float) -> float:
    return (hits / n - chance) / math.sqrt(chance * (1 - chance) / n)


# 1. How long a round may be, and its points


@pytest.mark.parametrize("strategies", ["eager", "random", "flip_only", "no_flip"])
@pytest.mark.parametrize("players", range(1, 7))
def test_a_round_ends_in_time(players: int, strategies: str) -> None:
    counts = played(3000, strategies, players=players, rounds=1)
    most = -(-28 // players)
    assert counts.capped == 0 and counts.finished == 3000
    assert max(counts.lengths["turns"]) <= 28 * players * (2 * most - 1)
    assert counts.events["flips_placed"] + counts.events["from_discard"] == 28 * 3000
    assert counts.events["pies"] == 4 * 3000
    assert sum(counts.events["points"]) == 11 * 3000
    assert counts.events["passes"] == 0


@pytest.mark.parametrize("players", [3, 5, 6])
@pytest.mark.parametrize("recycle", ["own", "sync", "pool"])
def test_uneven_deals_start_and_end_right(players: int, recycle: str) -> None:
    for index in range(30):
        plan = make_plan("horner", players=players, rules={"recycle": recycle}, seed=index)
        told = replay_game(plan, index)
        deals = [event for event in told.events if event["event"] == "deal"]
        assert [deal["starter"] for deal in deals] == [j % players for j in range(3)]
        for deal in deals:
            sizes = [len(pile) for pile in deal["piles"]]
            base, extra = divmod(28, players)
            clockwise = sizes[deal["starter"] :] + sizes[: deal["starter"]]
            assert clockwise == [base + (j < extra) for j in range(players)]
            assert len({card for pile in deal["piles"] for card in pile}) == 28
        ends = [event["points"] for event in told.events if event["event"] == "round_end"]
        assert [sum(points) for points in ends] == [11] * 3
        outs = Counter(event["player"] for event in told.events if event["event"] == "out")
        assert sum(outs.values()) == 3 * (players - 1)  # the last one left is not told as out


# 2. and 3. in numbers that anybody can count


def test_two_players_take_each_number_of_pies_as_often_as_cards_say() -> None:
    """The owner of each 7 is one of 14 of 28 cards: 4 of them in C(28, 14) ways."""
    n = 300_000
    histogram = played(n, rounds=1).scores["pies"][0]
    for pies in range(5):
        ways = math.comb(4, pies) * math.comb(24, 14 - pies)
        chance = Fraction(ways, math.comb(28, 14))
        assert chance == Fraction((11, 56, 91, 56, 11)[pies], 225)
        assert abs(rate_z(histogram[pies], n, float(chance))) < LIMIT


# 4. First flips


@pytest.mark.parametrize("players", range(2, 7))
def test_first_flips_are_placed_as_often_as_cards_say(players: int) -> None:
    n = 200_000
    events = played(n, "random", players=players, rounds=1).events
    assert abs(rate_z(events["first_flip_placed"], n, 1 / 7)) < LIMIT
    # The second is another 1, or the 2 of the first one's variety.
    both = Fraction(4, 28) * Fraction(3 + 1, 27)
    assert both == Fraction(4, 189)
    assert abs(rate_z(events["first_two_placed"], n, float(both))) < LIMIT


# 5. Exact small cases, state by state


def solve(players: int, varieties: int, plums: int) -> tuple[Fraction, Fraction]:
    """E[turns] and P(seat 0 is first out) of one round, all `eager`: every deal, every shuffle.

    A state is who is to move, the draw and discard piles, and the pies. None comes back: draw
    piles shrink, and by the time all have been gone through some plum has been placed.
    """
    cards = [(v, number) for v in range(varieties) for number in range(1, plums + 1)]
    known: dict[Any, tuple[Fraction, Fraction]] = {}
    total = [Fraction(0), Fraction(0)]
    deals = list(permutations(cards))
    for deal in deals:
        piles = tuple(
            tuple(deal[j] for j in range(len(deal)) if j % players == s) for s in range(players)
        )
        state = (0, piles, ((),) * players, (0,) * varieties, -1)
        turns, first = value(state, known)
        total[0] += turns
        total[1] += first
    return total[0] / len(deals), total[1] / len(deals)


def value(state: Any, known: dict[Any, tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
    """Expected turns to come, and the chance that seat 0 was or will be first out."""
    if state in known:
        return known[state]
    seat, draw, pile, tops, first = state
    players = len(draw)
    if all(not draw[s] and not pile[s] for s in range(players)):
        return Fraction(0), Fraction(first == 0)
    draw, pile, tops = list(draw), list(pile), list(tops)

    def placeable(card: tuple[int, int]) -> bool:
        return tops[card[0]] == card[1] - 1

    def next_seat() -> int:
        for step in range(1, players + 1):
            other = (seat + step) % players
            if draw[other] or pile[other]:
                return other
        return seat

    def after(first_now: int) -> tuple[Fraction, Fraction]:
        if first_now < 0 and not draw[seat] and not pile[seat]:
            first_now = seat
        following = (next_seat(), tuple(draw), tuple(pile), tuple(tops), first_now)
        turns, chance = value(following, known)
        return turns + 1, chance

    if pile[seat] and placeable(pile[seat][-1]):
        tops[pile[seat][-1][0]] += 1
        pile[seat] = pile[seat][:-1]
    if not draw[seat] and not pile[seat]:
        result = after(first)
    else:
        orders = [draw[seat]] if draw[seat] else list(permutations(pile[seat]))
        if not draw[seat]:
            pile[seat] = ()
        kept = (list(draw), list(pile), list(tops))
        sums = [Fraction(0), Fraction(0)]
        for order in orders:
            draw[:], pile[:], tops[:] = (list(part) for part in kept)
            card, draw[seat] = order[0], tuple(order[1:])
            if placeable(card):
                tops[card[0]] += 1
            else:
                pile[seat] = (*pile[seat], card)
            turns, chance = after(first)
            sums[0] += turns
            sums[1] += chance
        result = sums[0] / len(orders), sums[1] / len(orders)
    known[state] = result
    return result


@pytest.mark.parametrize(
    ("players", "varieties", "plums", "turns", "first"),
    [
        (2, 1, 2, Fraction(5, 2), Fraction(1, 2)),
        (2, 1, 3, Fraction(25, 6), Fraction(1, 3)),
        (2, 1, 4, Fraction(145, 24), Fraction(1, 2)),
        (2, 2, 2, Fraction(14, 3), Fraction(7, 12)),
        (3, 1, 3, Fraction(9, 2), Fraction(1, 3)),
        (2, 1, 5, None, None),
        (3, 1, 4, None, None),
        (3, 1, 5, None, None),
        (4, 1, 5, None, None),
        (3, 2, 3, None, None),
    ],
)
def test_small_rounds_are_as_long_as_the_solution_says(
    players: int, varieties: int, plums: int, turns: Fraction | None, first: Fraction | None
) -> None:
    solved = solve(players, varieties, plums)
    assert turns is None or solved == (turns, first)
    n = 200_000
    counts = played(n, players=players, varieties=varieties, plums=plums, rounds=1)
    histogram = counts.lengths["turns"]
    mean = sum(value * count for value, count in histogram.items()) / n
    squares = sum(value * value * count for value, count in histogram.items()) / n
    assert abs(mean - solved[0]) / math.sqrt((squares - mean * mean) / n) < LIMIT
    assert abs(rate_z(counts.events["first_out"][0], n, float(solved[1]))) < LIMIT


# 6. and all that verify knows


def test_known_values_agree() -> None:
    found = list(checks("horner", seed=1, scale=0.1))
    assert len(found) == len(FACTS) == len(GAME.facts) > 20
    for check in found:
        assert check.passed, (check.fact.name, check.z)


def test_a_wrong_value_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that is always or never so, whose simulation has no error."""
    from dataclasses import replace

    from simcards.analysis import verify

    wrong = [replace(FACTS[0], value=0.999), replace(FACTS[3], value=0.05)]
    sure = replace(FACTS[0], figure=FACTS[8].figure, value=1)
    game = replace(GAME, facts=(*wrong, sure, FACTS[0]))
    monkeypatch.setattr(verify, "find_game", lambda name: game)
    assert [check.passed for check in checks("horner", seed=1)] == [False, False, False, True]


def test_the_longest_wait_is_between_placements() -> None:
    """Counted again from the events of the match."""
    for index in range(200):
        plan = make_plan("horner", players=2 + index % 3, seed=5)
        told = replay_game(plan, index)
        longest, last, turn = 0, None, 0
        for event in told.events:
            # Everybody eager: a turn ends with its flip, or with its discard when no card is left.
            if event["event"] == "deal":
                last, turn, mine = None, 1, False
            elif event["event"] == "place":
                if last is not None:
                    longest = max(longest, turn - last - 1)
                last = turn
                mine = event["from"] == "pile" or not left(told, event)
                turn += mine
            elif event["event"] == "discard":
                turn += 1
        assert told.row["longest_wait"] == longest, index


def left(told: Any, until: Any) -> int:
    """Cards that a seat has left after an event."""
    cards = 0
    for event in told.events:
        if event["event"] == "deal":
            cards = len(event["piles"][until["player"]])
        if event["event"] == "place" and event["player"] == until["player"]:
            cards -= 1
        if event is until:
            return cards
    raise AssertionError
