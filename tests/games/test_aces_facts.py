"""What is known about aces without simulating, against the kernel.

Where a value is rounded or was simulated elsewhere, the error it has is given beside it.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import polars as pl
import pytest
from games.aces_cases import for_referee
from referees import aces as referee
from scipy import stats

import simcards
from simcards.sim.counts import SHARE, Counts
from simcards.sim.games.aces import GAME, Rules

LIMIT = 4.0  # of |z|
BOUND = 1e-6  # of the p-value of a chi-squared test
PLACES = ("lowest", "highest", "random", "rarest", "commonest", "contested")


@cache
def played(n: int, strategies: Any = None, seed: int = 2, **rules: Any) -> Counts:
    return simcards.run("aces", n, rules=rules, strategies=strategies, seed=seed).counts


def rate_z(hits: float, n: int, chance: float, error: float = 0) -> float:
    return (hits / n - chance) / math.hypot(math.sqrt(chance * (1 - chance) / n), error)


def moments(histogram: dict[int, int]) -> tuple[float, float]:
    """Mean and its standard error."""
    n = sum(histogram.values())
    mean = sum(value * count for value, count in histogram.items()) / n
    variance = sum((value - mean) ** 2 * count for value, count in histogram.items()) / (n - 1)
    return mean, math.sqrt(variance / n)


def mean_z(histogram: dict[int, int], expected: float, error: float = 0) -> float:
    mean, own = moments(histogram)
    return (mean - expected) / math.hypot(own, error)


def won(counts: Counts, seat: int = 0) -> float:
    return counts.score60[seat] / SHARE


# 1. Every hand ends, unless cards are scarce


@pytest.mark.parametrize("players", range(1, 7))
def test_with_the_default_packs_every_hand_ends(players: int) -> None:
    counts = played(20_000, players=players)
    assert counts.capped == 0 and counts.finished == 20_000
    sizes = 10 * players
    assert max(counts.lengths["hands"]) <= sizes - players + 1  # A9
    assert min(counts.lengths["hands"]) == 10 or players > 3
    assert sum(counts.events["hands_won"]) == counts.events["hands"]


def test_two_who_take_never_reshuffle() -> None:
    counts = played(200_000)
    assert counts.events["hands"] > 3_000_000
    assert counts.events["reshuffles"] == 0
    # Those who never take do, now and then.
    assert played(200_000, "never", match="hand").events["reshuffles"] > 50


def test_five_with_one_pack_are_locked_out() -> None:
    """98.9 of 100, to the last digit that is known."""
    n = 30_000
    counts = played(n, players=5, packs=1, match="hand", max_turns=2000)
    assert abs(rate_z(counts.capped, n, 0.989, 0.0005 / math.sqrt(3))) < LIMIT
    # All are capped for this reason: hands that end do so long before.
    assert counts.events["locked"] == counts.capped
    assert counts.finished == n - counts.capped and max(counts.lengths["turns"]) < 200
    assert set(counts.lengths["turns"]) <= set(range(1, 2001))


def test_a_cap_that_comes_too_early_is_not_called_locked() -> None:
    counts = played(20_000, match="hand", max_turns=5)
    assert 0 < counts.capped < 20_000 and counts.events["locked"] == 0
    counts = played(20_000, players=5, packs=1, match="hand", max_turns=3)
    assert 0 < counts.events["locked"] < counts.capped


def test_four_with_one_pack_reshuffle_now_and_then() -> None:
    counts = played(200_000, players=4, packs=1, match="hand")
    assert counts.capped == 0
    assert counts.events["reshuffles"] / counts.finished == pytest.approx(0.215, abs=0.01)


def test_natural_layouts_need_wilds_that_can_be_displaced() -> None:
    natural = {"complete": "natural", "displace": "no"}
    with pytest.raises(simcards.RequestError, match=r"complete=natural with displace=no"):
        played(1, **natural)
    for more in ({"wild": "none"}, {"wild_limit": 0}):
        assert played(1000, match="hand", **natural, **more).finished == 1000
    with pytest.raises(simcards.RequestError, match=r"complete=natural with displace=no"):
        played(1, **natural, wild="none", jokers=1)


# 2. Where a wild is placed

# What a wild policy can't change when a wild is taken up by its pip, column by column; how often
# wilds are handled and how many choices there are does depend on it.
SAME = (
    "winner", "winners", "status", "turns", "hands", "discards_taken", "reshuffles",
    "first_turn_wins", "first_winner", "locked", "layout_0", "layout_1", "hands_won_0",
    "hands_won_1",
)  # fmt: skip


def rows_by_place(n: int, **rules: Any) -> list[pl.DataFrame]:
    return [
        simcards.run("aces", n, rules=rules, strategies=f"always+{place}", seed=3, rows=True)
        .rows.select(SAME)
        for place in PLACES
    ]  # fmt: skip


@pytest.mark.parametrize(
    "rules",
    [{}, {"players": 4, "packs": 1}, {"players": 3, "jokers": 2, "wild": "JQ"},
     {"take_discard": "any"}],
    ids=str,
)  # fmt: skip
def test_where_a_wild_is_placed_changes_no_match(rules: dict[str, Any]) -> None:
    first, *others = rows_by_place(5000, **rules)
    assert all(first.equals(other) for other in others)
    assert first["winner"].n_unique() == rules.get("players", 2)


def test_where_a_wild_is_placed_matters_when_it_stays() -> None:
    for one, other in combinations(rows_by_place(20_000, displace="no"), 2):
        assert (one["turns"] != other["turns"]).sum() > 1000
        assert (one["winner"] != other["winner"]).sum() > 100
    # And not by luck.
    turns = [
        played(200_000, f"always+{place}", displace="no", match="hand").lengths["turns"]
        for place in ("commonest", "rarest")
    ]
    (a, a_error), (b, b_error) = map(moments, turns)
    assert abs(a - b) / math.hypot(a_error, b_error) > LIMIT


# 3 and 4. Alone, with one pack: exactly


@cache
def alone(down: int, wilds: int, unseen: int) -> tuple[Fraction, Fraction, Fraction]:
    """Turns and cards that come into hand until the layout is complete, and the chance that no
    turn ends before; from the moment when the next of `unseen` cards is turned up.

    `down` places are face down and `wilds` show a wild. No card of their ranks has been seen, for
    it would have been placed, so 4 of each are unseen, and all jacks but those that lie there.
    Whatever is discarded stays useless, so the pile never matters, nor does what is shuffled.
    """
    if down == 0:
        return Fraction(0), Fraction(0), Fraction(1)
    pips, jacks = 4 * (down + wilds), 4 - wilds
    assert 0 <= jacks and pips + jacks <= unseen
    turns = cards = straight = Fraction(0)
    for ways, wilds_after, handled in (
        (4 * down, wilds, 1),  # its place was face down
        (4 * wilds, wilds, 2),  # its place showed a wild, which goes to another place
        (jacks, wilds + 1, 1),
    ):
        if ways:
            chance = Fraction(ways, unseen)
            more_turns, more_cards, more_straight = alone(down - 1, wilds_after, unseen - 1)
            turns += chance * more_turns
            cards += chance * (more_cards + handled)
            straight += chance * more_straight
    useless = unseen - pips - jacks
    if useless:
        chance = Fraction(useless, unseen)
        more_turns, more_cards, _ = alone(down, wilds, unseen - 1)
        turns += chance * (more_turns + 1)
        cards += chance * (more_cards + 1)
    return turns, cards, straight


def test_the_exact_values_are_the_known_ones() -> None:
    turns = {size: alone(size, 0, 52)[0] + 1 for size in range(1, 11)}
    assert [turns[size] for size in (1, 2, 3)] == [
        Fraction(53, 9), Fraction(943, 117), Fraction(122357, 13260)
    ]  # fmt: skip
    assert float(turns[6]) == pytest.approx(10.271111, abs=5e-7)
    assert float(turns[10]) == pytest.approx(9.369151, abs=5e-7)
    assert max(turns, key=lambda size: turns[size]) == 6
    assert [alone(size, 0, 52)[2] for size in (1, 2, 3)] == [
        Fraction(2, 13), Fraction(9, 221), Fraction(83, 5525)
    ]  # fmt: skip


@pytest.mark.parametrize("size", range(1, 11))
def test_alone(size: int) -> None:
    turns, cards, straight = alone(size, 0, 52)
    n = 200_000
    result = simcards.run(
        "aces", n, players=1, rules={"match": "hand", "layout": size}, seed=4, rows=True
    )
    assert abs(mean_z(result.counts.lengths["turns"], float(turns + 1))) < LIMIT
    assert abs(mean_z(Counter(result.rows["cards"].to_list()), float(cards))) < LIMIT
    first = result.counts.events["first_turn_wins"]
    assert abs(rate_z(first, n, float(straight))) < LIMIT
    assert first == result.counts.lengths["turns"].get(1, 0)


def test_six_places_take_longest() -> None:
    n = 400_000
    means = {
        size: moments(played(n, players=1, match="hand", layout=size).lengths["turns"])
        for size in range(1, 11)
    }
    peak, error = means.pop(6)
    for mean, other in means.values():
        assert (peak - mean) / math.hypot(error, other) > LIMIT
    sizes = [mean for mean, _ in means.values()]
    assert sizes[:5] == sorted(sizes[:5]) and sizes[5:] == sorted(sizes[5:], reverse=True)


@pytest.mark.parametrize(
    ("size", "chance"), [(1, 2 / 13), (2, 9 / 221), (3, 83 / 5525)], ids=["1", "2", "3"]
)
def test_the_starter_completes_in_the_first_turn(size: int, chance: float) -> None:
    """The others' cards are unknown, so it doesn't matter how many play; one pack each."""
    for players in (1, 2, 4):
        n = 200_000
        counts = played(n, players=players, packs=1, match="hand", layout=size, seed=40 + players)
        assert abs(rate_z(counts.events["first_turn_wins"], n, chance)) < LIMIT


# 5 to 7. Two and three players

ONE = 136229 / 251685


def test_three_with_one_place() -> None:
    n = 1_000_000
    counts = played(n, players=3, match="hand", layout=1)
    for seat, chance in enumerate((0.389950497, 0.330471085, 0.279578418)):
        assert abs(rate_z(won(counts, seat), n, chance)) < LIMIT


@pytest.mark.parametrize(
    ("size", "chance", "turns"),
    [(10, 0.532423, 10.855237), (5, 0.523566, 12.349127), (1, ONE, 53 / 9)],
    ids=["10", "5", "1"],
)
def test_hands_of_two_who_take(size: int, chance: float, turns: float) -> None:
    n = 1_000_000
    counts = played(n, match="hand", layout=size)
    assert abs(rate_z(won(counts), n, chance)) < LIMIT
    assert abs(mean_z(counts.lengths["turns"], turns)) < LIMIT
    assert counts.events["reshuffles"] == 0


@pytest.mark.parametrize(
    ("strategies", "size", "chance", "error"),
    [
        (("never", "never"), 10, 0.53473, 0.00003),
        (("never", "never"), 1, ONE, 0),
        (("always", "never"), 10, 0.700730, 0),
    ],
    ids=["nobody takes", "nobody takes, 1", "the starter takes"],
)
def test_hands_of_two_who_do_not_all_take(
    strategies: tuple[str, str], size: int, chance: float, error: float
) -> None:
    n = 1_000_000
    counts = played(n, strategies, match="hand", layout=size)
    assert abs(rate_z(won(counts), n, chance, error)) < LIMIT


def test_hands_of_two_who_never_take_and_reshuffle() -> None:
    n = 1_000_000
    rows = simcards.run(
        "aces", n, rules={"match": "hand"}, strategies="never", seed=5, rows=True
    ).rows.select("winner", "reshuffles")
    kinds = Counter((winner, reshuffles > 0) for winner, reshuffles in rows.iter_rows())
    assert abs(rate_z(kinds[0, False], n, 0.534390, 5e-7)) < LIMIT
    assert abs(rate_z(kinds[0, True] + kinds[1, True], n, 0.000625, 5e-7)) < LIMIT


def test_a_match_of_two() -> None:
    n = 200_000
    counts = played(n)
    assert abs(rate_z(won(counts), n, 0.506111387)) < LIMIT
    assert abs(mean_z(counts.lengths["hands"], 15.655561)) < LIMIT
    assert abs(mean_z(counts.lengths["turns"], 172.812, 0.0005)) < LIMIT
    # The hands in it are like hands by themselves.
    sizes = counts.tallies["starter_by_sizes"]
    for size, chance in ((10, 0.532423), (5, 0.523566), (1, ONE)):
        hands, wins = sizes[size, size]
        assert abs(rate_z(wins, hands, chance)) < LIMIT
    assert sum(hands for hands, _ in sizes.values()) == counts.events["hands"]


# The facts that come with the game


def test_verify() -> None:
    table = simcards.verify("aces", seed=6, scale=0.2)
    assert table["passed"].all()
    assert (table["z"].abs() < LIMIT).all() and table.height == len(GAME.facts)
    known = dict(table.select("name", "known").iter_rows())
    for name, value in {
        "solitaire, layout 6: turns": 10.271111,
        "layout 3: complete in the first turn": 83 / 5525,
        "layouts of 1, three players: seat 2 wins": 0.279578418,
        "hand of 5 and 5: turns": 12.349127,
        "hand of 10 and 10, neither takes: starter wins": 0.53473,
        "hand of 10 and 10, only the starter takes: it wins": 0.700730,
        "match of 10 and 10: first starter wins": 0.506111387,
        "match of 10 and 10: hands": 15.655561,
        "match of 10 and 10: turns": 172.812,
    }.items():
        assert known[name] == value


def test_verify_notices_a_value_that_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each by 2 %, which all these are too certain for."""
    wrong = [
        dataclasses.replace(fact, value=1.02 * fact.value, error=0)
        for fact in GAME.facts
        if fact.games == 1_000_000
    ]
    assert len(wrong) == 8
    monkeypatch.setattr(
        "simcards.analysis.verify.find_game",
        lambda name: dataclasses.replace(GAME, facts=tuple(wrong)),
    )
    assert not simcards.verify("aces", seed=6, scale=0.1)["passed"].any()


# Deferred dealing against a shuffled deck

Outcome = tuple[int, int]  # turns, winner


class NotReshuffled(referee.Literal):
    """A fault: the discard pile becomes the stock as it lies."""

    def restock(self, cards: list[referee.Card]) -> None:
        for card in cards:
            card.seen = False


class RiffledThrice(referee.Literal):
    """A fault: a new deck, riffled three times instead of shuffled."""

    def deck(self, ranks: list[int], hand: int) -> list[referee.Card]:
        cards = [referee.Card(rank) for rank in ranks]
        for _ in range(3):
            cut = sum(self.rng.random() < 0.5 for _ in cards)
            halves, cards = [cards[:cut], cards[cut:]], []
            while any(halves):
                left, right = map(len, halves)
                cards.append(halves[self.rng.randrange(left + right) >= left].pop(0))
        return cards


def literal_games(
    n: int, rules: Rules, monkeypatch: pytest.MonkeyPatch, dealer: type[referee.Literal]
) -> Counter[Outcome]:
    """Matches of the referee, cards shuffled beforehand and lying somewhere."""
    monkeypatch.setattr(referee.Hand, "check", lambda hand: None)  # checked in its own tests
    monkeypatch.setattr(referee, "Literal", dealer)
    rng = random.Random(9)
    plain, strategies = for_referee(rules), ["always"] * rules.players
    matches = (referee.play(plain, strategies, 0, j, literal=rng) for j in range(n))
    return Counter((match.turns, match.winner) for match in matches)


def kernel_games(n: int, rules: Rules) -> Counter[Outcome]:
    rows = simcards.run("aces", n, rules=rules, seed=10, rows=True).rows
    return Counter(rows.select("turns", "winner").iter_rows())


def two_sample_p(one: Counter[Any], other: Counter[Any], least: float = 10) -> float:
    """p-value of: both are of the same distribution; neighbouring values are lumped together."""
    share = min(one.total(), other.total()) / (one.total() + other.total())
    columns: list[list[int]] = []
    waiting = [0, 0]
    for value in sorted({*one, *other}):
        waiting = [waiting[0] + one[value], waiting[1] + other[value]]
        if sum(waiting) * share >= least:
            columns.append(waiting)
            waiting = [0, 0]
    columns[-1] = [columns[-1][0] + waiting[0], columns[-1][1] + waiting[1]]
    assert len(columns) > 1
    return float(stats.chi2_contingency(list(zip(*columns, strict=True))).pvalue)


def marginal(outcomes: Counter[Outcome], key: Callable[[Outcome], Any]) -> Counter[Any]:
    total: Counter[Any] = Counter()
    for outcome, count in outcomes.items():
        total[key(outcome)] += count
    return total


def comparisons(one: Counter[Outcome], other: Counter[Outcome]) -> Iterable[float]:
    """Turns, the winner, and the winner of short and of long matches."""
    n = one.total()
    middle, so_far = 0, 0
    for turns, count in sorted(marginal(one, lambda outcome: outcome[0]).items()):
        middle, so_far = turns, so_far + count
        if so_far >= n / 2:
            break
    keys: tuple[Callable[[Outcome], Any], ...] = (
        lambda outcome: outcome[0],
        lambda outcome: outcome[1],
        lambda outcome: (outcome[0] > middle, outcome[1]),
    )
    return [two_sample_p(marginal(one, key), marginal(other, key)) for key in keys]


FOUR = Rules(players=4, packs=1, match="hand", max_turns=500)
SCARCE = Rules(players=4, packs=1, layout=12, wild="none", match="hand", max_turns=60)
HAND = Rules(match="hand")


@pytest.mark.parametrize(
    ("rules", "n"),
    [
        pytest.param(FOUR, 4000, id="four, one pack"),
        pytest.param(SCARCE, 2000, id="scarce"),
        pytest.param(HAND, 8000, id="hand of two"),
        pytest.param(Rules(), 400, id="match of two"),
        pytest.param(FOUR, 200_000, id="four, one pack, many", marks=pytest.mark.slow),
        pytest.param(HAND, 200_000, id="hand of two, many", marks=pytest.mark.slow),
        pytest.param(Rules(), 10_000, id="match of two, many", marks=pytest.mark.slow),
    ],
)
def test_deferred_dealing_is_a_shuffled_deck(
    rules: Rules, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    literal = literal_games(n, rules, monkeypatch, referee.Literal)
    assert min(comparisons(literal, kernel_games(10 * n, rules))) > BOUND


@pytest.mark.parametrize(
    ("rules", "dealer"),
    [(FOUR, NotReshuffled), (SCARCE, NotReshuffled), (HAND, RiffledThrice)],
    ids=["four, not reshuffled", "scarce, not reshuffled", "hand, riffled"],
)
def test_a_deck_that_is_not_shuffled_is_noticed(
    rules: Rules, dealer: type[referee.Literal], monkeypatch: pytest.MonkeyPatch
) -> None:
    literal = literal_games(2500, rules, monkeypatch, dealer)
    assert min(comparisons(literal, kernel_games(25_000, rules))) < BOUND
