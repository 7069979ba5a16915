"""The referee of thirteen against exact values, hand-made deals and an auditor of its events."""

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from math import comb, perm, sqrt
from statistics import fmean, stdev
from typing import Any

import pytest

from referees import thirteen
from referees.streams import stream
from referees.thirteen import BOMBS, Cards, Combination, beats, cards, classify, names

DEFAULTS: thirteen.Rules = {
    "players": 4,
    "target": None,
    "bomb_min": (3, 4, 5),
    "quad_beats": 1,
    "bomb_vs_bomb": "same",
    "bomb_scope": "twos",
    "lockout": "on",
    "bomb_after_pass": "no",
    "first_lead": "include",
    "starter": "winner",
    "lead_after_out": "next",
    "instant": ("twos", "dragon"),
    "instant_tie": "seat",
    "seq_min": 3,
    "dseq_min": 3,
    "seq_twos": "no",
    "compare_suit": "on",
    "pass_rule": "free",
    "finish_two": "yes",
    "play_until": "last",
    "points": "auto",
    "score": "places",
    "penalties": None,
    "max_turns": 10000,
}
PRICES = (1, 10, 100, 1000, 10000)
TWOS = "2S 2C 2D 2H"
RUN_4 = "3S 3C 4S 4C 5S 5C 6S 6C"  # four pairs


def rules(**changes: Any) -> thirteen.Rules:
    assert changes.keys() <= DEFAULTS.keys()
    return DEFAULTS | changes


def table(
    hands: str, moves: str = "", strategies: str = "", starter: int | None = 0, **changes: Any
) -> thirteen.Game:
    """A deal set up by hand: hands parted by /, the moves of `given` seats by commas, - a pass."""
    dealt = [cards(hand) for hand in hands.split("/")]
    left = iter([None if m.strip() == "-" else cards(m) for m in moves.split(",") if m.strip()])
    game = thirteen.play(
        rules(**({"players": len(dealt)} | changes)),
        strategies.split() or ["given"] * len(dealt),
        0,
        0,
        hands=dealt,
        starter=starter,
        moves=left,
    )
    assert list(left) == [], "moves are left"
    return game


def story(game: thirteen.Game) -> str:
    """Events as short words: `0 3S` a play, `1 -` a pass, `>2` a close, `0 out 1`."""
    words = []
    for e in game.events:
        match e["event"]:
            case "play":
                words.append(f"{e['player']} {' '.join(e['cards'])}")
            case "pass":
                words.append(f"{e['player']} -")
            case "close":
                words.append(f">{e['leader']}")
            case "out":
                words.append(f"{e['player']} out {e['place']}")
            case "instant":
                words.append(f"{e['player']} {e['kind']}")
    return ", ".join(words)


def of(text: str, **changes: Any) -> Combination:
    found = classify(cards(text), rules(**changes))
    assert found, text
    return found


def beaten(x: str, t: str, **changes: Any) -> bool:
    """Whether x beats t."""
    return beats(of(x, **changes), of(t, **changes), rules(**changes))


def close(values: Iterable[float], expected: float) -> bool:
    """|z| <= 4"""
    values = list(values)
    return abs(fmean(values) - expected) <= 4 * stdev(values) / sqrt(len(values))


# Combinations


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("3S", "single"),
        ("2H", "single"),
        ("9S 9H", "pair"),
        ("2S 2C", "pair"),
        ("9S 9C 9H", "triple"),
        ("9S 9C 9D 9H", "quad"),
        (TWOS, "quad"),
        ("3S 4S 5S", "sequence"),
        ("QS KH AC", "sequence"),
        ("3S 4C 5D 6H 7S 8C 9D 10H JS QC KD AH", "sequence"),  # the whole hand
        ("3S 3C 4S 4C 5S 5C", "double_sequence"),
        ("9S 9C 10S 10C JS JC QS QC KD KH AD AH", "double_sequence"),
        ("3S 4S", None),
        ("3S 3C 4S 4C", None),
        ("3S 5S", None),
        ("3S 4S 6S", None),
        ("3S 3C 4S 5S", None),
        ("3S 3C 4S 4C 5S", None),
        ("3S 3C 3D 4S 4C 4D 5S 5C 5D", None),
        ("3S 3C 4S 4C 6S 6C", None),
        ("3S 3C 3D 4S", None),
        ("KS AS 2S", None),
        ("QS KS AS 2S", None),
        ("AS 2S 3S", None),
        ("2S 3S 4S", None),
        ("KS AS 3S", None),
        ("KS KC AS AC 2S 2C", None),
        ("2S 2C 3S 3C 4S 4C", None),
        ("", None),
    ],
)
def test_classify(text: str, kind: str | None) -> None:
    found = classify(cards(text), rules())
    assert (found and found.type) == kind
    if found:
        assert found.size == len(text.split())
        assert names([found.strength]) == [text.split()[-1]]


def test_options_of_combinations() -> None:
    two, short = rules(seq_min=2, dseq_min=2), rules(seq_min=4, dseq_min=4)
    high = rules(seq_twos="high")
    for text, kinds in {
        "3S 4S": (None, "sequence", None, None),
        "AS 2S": (None, None, None, None),
        "3S 4S 5S": ("sequence", "sequence", None, "sequence"),
        "3S 4S 5S 6S": ("sequence", "sequence", "sequence", "sequence"),
        "3S 3C 4S 4C": (None, "double_sequence", None, None),
        "3S 3C 4S 4C 5S 5C": ("double_sequence", "double_sequence", None, "double_sequence"),
        RUN_4: ("double_sequence",) * 4,
        "QS KS AS 2S": (None, None, None, "sequence"),
        "KS AS 2S": (None, None, None, "sequence"),
        "AS 2S 3S": (None,) * 4,
        "KS KC AS AC 2S 2C": (None,) * 4,
    }.items():
        found = [classify(cards(text), each) for each in (rules(), two, short, high)]
        assert tuple(x and x.type for x in found) == kinds, text
    assert of("AS 2S", seq_min=2, seq_twos="high").type == "sequence"


def test_order_and_doubles_of_cards() -> None:
    hand = [*cards("3S 3C 4S 4C 5S 5H")]
    for order in itertools.permutations(hand):
        assert classify(order, rules()) == Combination("double_sequence", 6, 11)
    assert classify([0, 0], rules()) is None
    assert classify([0, 4, 8, 8], rules()) is None


def test_names() -> None:
    assert names([51, 0, 33, 30]) == ["3S", "10D", "JC", "2H"]
    assert cards("3S 10D JC 2H") == {0, 30, 33, 51}
    assert len({thirteen.name(card) for card in range(52)}) == 52
    with pytest.raises(AssertionError):
        cards("3S 3S")


def crowded(rng: random.Random, size: int, width: int) -> list[int]:
    """A hand out of a few neighbouring ranks, so that it is rich in combinations."""
    low = rng.randrange(14 - width)
    return sorted(rng.sample(range(4 * low, 4 * (low + width)), size))


def test_combinations_against_all_subsets() -> None:
    rng = random.Random(1)
    for i in range(14):
        chosen = rules(
            seq_min=(3, 2, 4)[i % 3], dseq_min=(3, 2)[i % 2], seq_twos=("high", "no")[i // 2 % 2]
        )
        hand = crowded(rng, 13, (4, 6, 8, 13)[i % 4])
        subsets = (c for n in range(14) for c in itertools.combinations(hand, n))
        expected = {frozenset(c) for c in subsets if classify(c, chosen)}
        found = thirteen.combinations(hand, chosen)
        assert set(found) == expected
        assert len(found) == len(expected)
    assert thirteen.combinations([], rules()) == []


def kind_of(play: Cards) -> tuple[str, int]:
    x = of(" ".join(names(play)))
    return x.type, x.size


@cache
def sample() -> list[Counter[tuple[str, int]]]:
    """For random hands how many combinations of each type and size they hold."""
    rng = random.Random(2)
    hands = (rng.sample(range(52), 13) for _ in range(5000))
    return [Counter(map(kind_of, thirteen.combinations(hand, rules()))) for hand in hands]


def leads() -> dict[tuple[str, int], float]:
    """Mean numbers of distinct leads in a random hand."""
    expected = {
        ("single", 1): 13.0,
        ("pair", 2): 78 / 17,
        ("triple", 3): 286 / 425,
        ("quad", 4): 143 / 4165,
    }
    for m in range(3, 13):
        expected["sequence", m] = (13 - m) * 4**m * perm(13, m) / perm(52, m)
    for m in range(3, 7):
        expected["double_sequence", 2 * m] = (13 - m) * 6**m * perm(13, 2 * m) / perm(52, 2 * m)
    return expected


def test_mean_number_of_leads() -> None:
    expected = leads()
    assert abs(sum(expected.values()) - 41.4332615) < 1e-8
    assert close([found.total() for found in sample()], sum(expected.values()))
    for kind, mean in expected.items():
        counts = [found[kind] for found in sample()]
        if mean > 0.005:  # those left hold less than 0.02 of all leads
            assert close(counts, mean), kind
    assert {kind for found in sample() for kind in found} <= expected.keys()


def chance(copies: int = 9, row: int = 1, quad_to: int = -1) -> Fraction:
    """The chance that 13 cards hold a row of ranks below 2 with so many copies each, or a quad.

    `quad_to` is the highest rank whose quads count.
    """
    ways = Counter({(0, 0, False): 1})  # cards so far, present row, found
    for rank in range(13):
        after: Counter[tuple[int, int, bool]] = Counter()
        for (n, length, found), count in ways.items():
            for held in range(5):
                now = length + 1 if held >= copies and rank < 12 else 0
                has = found or now >= row or (held == 4 and rank <= quad_to)
                after[n + held, now, has] += count * comb(4, held)
        ways = after
    return Fraction(sum(w for (n, _, has), w in ways.items() if n == 13 and has), comb(52, 13))


@pytest.mark.parametrize(
    ("event", "expected", "kinds"),
    [
        ({"quad_to": 12}, 0.034200355, {("quad", 4)}),
        ({"copies": 2, "row": 3}, 0.083615378, {("double_sequence", n) for n in (6, 8, 10, 12)}),
        ({"copies": 2, "row": 4}, 0.009612119, {("double_sequence", n) for n in (8, 10, 12)}),
        ({"copies": 1, "row": 3}, 0.947677622, {("sequence", n) for n in range(3, 13)}),
        ({"copies": 1, "row": 5}, 0.474298697, {("sequence", n) for n in range(5, 13)}),
    ],
)
def test_chances_of_a_hand(
    event: dict[str, int], expected: float, kinds: set[tuple[str, int]]
) -> None:
    exact = chance(**event)
    assert round(float(exact), 9) == expected
    assert close([bool(kinds & found.keys()) for found in sample()], expected)


def test_chance_of_some_bomb() -> None:
    assert round(float(chance(copies=2, row=3, quad_to=11)), 9) == 0.113708458


# What beats what


def test_what_beats_a_two() -> None:
    quad, three, four = "3S 3C 3D 3H", "3S 3C 4S 4C 5S 5C", RUN_4
    five = f"{RUN_4} 7S 7C"
    assert beaten(quad, "2H") and beaten(three, "2H") and beaten(four, "2H")
    assert not beaten("AS AC AD AH", "KS") and not beaten(three, "AS")
    assert beaten(four, "2S 2C") and not beaten(quad, "2S 2C") and not beaten(three, "2S 2C")
    assert beaten(five, "2S 2C 2D")
    assert not any(beaten(bomb, "2S 2C 2D") for bomb in (quad, three, four))
    assert not any(beaten(bomb, "AS AC AD") for bomb in (quad, three, four, five))
    assert beaten("2H", "2D") and not beaten("2D", "2H") and beaten("2S 2H", "2C 2D")


def test_what_beats_a_bomb() -> None:
    three = "3S 3C 4S 4C 5S 5C"
    assert not beaten("3S 3C 3D 3H", three) and not beaten("6S 6C 7S 7C 8S 8C 9S 9C", three)
    assert beaten("4D 4H 5D 5H 6S 6C", three) and not beaten("2S 2C", three)
    assert beaten("4S 4C 4D 4H", "3S 3C 3D 3H") and beaten(TWOS, "AS AC AD AH")
    assert not any(beaten(x, three) for x in ("2H", "2S 2C", "2S 2C 2D", TWOS))


def test_only_the_highest_card_counts() -> None:
    assert beaten("5C 6S 7H", "5H 6H 7D") and not beaten("5H 6H 7D", "5C 6S 7H")
    assert not beaten("8S 9S 10S JS", "5H 6H 7D")
    assert beaten("9S 9H", "9C 9D") and beaten("4S 4C", "3D 3H")
    assert not beaten("4S", "3D 3H") and not beaten("4S 4C 4D", "3D 3H")


def test_compare_suit() -> None:
    off = {"compare_suit": "off"}
    assert not beaten("3H", "3S", **off) and beaten("4S", "3H", **off)
    assert not beaten("5C 6S 7H", "5H 6H 7D", **off) and beaten("6S 7S 8S", "5H 6H 7H", **off)
    assert not beaten("2H", "2S", **off) and not beaten("3D 3H", "3S 3C", **off)
    assert not beaten("3D 3H 4D 4H 5D 5H", "3S 3C 4S 4C 5S 5C", **off)
    assert beaten("4D 4H 5D 5H 6S 6C", "3S 3C 4S 4C 5S 5C", **off)


SHAPES = ("single", "pair", "triple", "quad", *(f"sequence_{n}" for n in range(2, 14)), *BOMBS[1:])
ANY = {bomb: set(SHAPES) - set(BOMBS) for bomb in BOMBS}
# By option: which shapes a bomb beats apart from its own. 1, 2, 3 are so many 2s.
BEATEN: list[tuple[dict[str, Any], str]] = [
    ({}, "quad:1 pairs_3:1 pairs_4:1,2 pairs_5:1,2,3 pairs_6:1,2,3"),
    ({"quad_beats": 0}, "pairs_3:1 pairs_4:1,2 pairs_5:1,2,3 pairs_6:1,2,3"),
    ({"quad_beats": 2}, "quad:1,2 pairs_3:1 pairs_4:1,2 pairs_5:1,2,3 pairs_6:1,2,3"),
    ({"quad_beats": 3}, "quad:1,2,3 pairs_3:1 pairs_4:1,2 pairs_5:1,2,3 pairs_6:1,2,3"),
    ({"bomb_min": (0, 0, 0)}, "quad:1"),
    ({"bomb_min": (0, 3, 0)}, "quad:1 pairs_3:2 pairs_4:2 pairs_5:2 pairs_6:2"),
    ({"bomb_min": (6, 6, 6)}, "quad:1 pairs_6:1,2,3"),
    (
        {"bomb_min": (2, 3, 6), "dseq_min": 2, "seq_min": 2},
        "quad:1 pairs_2:1 pairs_3:1,2 pairs_4:1,2 pairs_5:1,2 pairs_6:1,2,3",
    ),
    ({"seq_twos": "high"}, "quad:1 pairs_3:1 pairs_4:1,2 pairs_5:1,2,3 pairs_6:1,2,3"),
    (
        {"bomb_vs_bomb": "longer", "dseq_min": 2},
        "quad:1 pairs_3:1,pairs_2 pairs_4:1,2,pairs_2,pairs_3 "
        "pairs_5:1,2,3,pairs_2,pairs_3,pairs_4 pairs_6:1,2,3,pairs_2,pairs_3,pairs_4,pairs_5",
    ),
    (
        {"bomb_vs_bomb": "hierarchy", "dseq_min": 2},
        "quad:1,pairs_2,pairs_3 pairs_3:1,pairs_2 pairs_4:1,2,pairs_2,pairs_3,quad "
        "pairs_5:1,2,3,pairs_2,pairs_3,quad,pairs_4 "
        "pairs_6:1,2,3,pairs_2,pairs_3,quad,pairs_4,pairs_5",
    ),
    (
        {"bomb_vs_bomb": "quad_over_3", "dseq_min": 2},
        "quad:1,pairs_3 pairs_3:1 pairs_4:1,2 pairs_5:1,2,3 pairs_6:1,2,3",
    ),
    ({"bomb_scope": "any", "bomb_min": (0, 0, 0), "quad_beats": 0}, "any"),
    ({"bomb_scope": "any", "bomb_vs_bomb": "quad_over_3"}, "any quad:pairs_3"),
    ({"compare_suit": "off"}, "quad:1 pairs_3:1 pairs_4:1,2 pairs_5:1,2,3 pairs_6:1,2,3"),
]


def shape(x: Combination) -> str:
    if x.type == "double_sequence":
        return f"pairs_{x.size // 2}"
    return f"sequence_{x.size}" if x.type == "sequence" else x.type


@pytest.mark.parametrize(("changes", "text"), BEATEN)
def test_every_type_against_every_type(changes: dict[str, Any], text: str) -> None:
    """Each type against each, shorter, equal and longer, weaker and stronger."""
    chosen = rules(**changes)
    over: dict[str, set[str]] = {bomb: set() for bomb in BOMBS}
    for word in text.split():
        if word == "any":
            over = {bomb: set(ANY[bomb]) for bomb in BOMBS}
        else:
            bomb, others = word.split(":")
            over[bomb].update(others.split(","))
    # A row of each place and length, in its lowest and its highest suits.
    plays = [
        frozenset(4 * r + suit + k for r in range(low, high) for k in range(copies))
        for copies in (1, 2, 3, 4)
        for low in range(13)
        for high in range(low + 1, 14)
        for suit in {0, 4 - copies}
        if copies * (high - low) <= 13
    ]
    known = [(play, x) for play in plays if (x := classify(play, chosen))]
    assert len({shape(x) for _, x in known}) >= 18
    for (a, x), (b, t) in itertools.product(known, known):
        if a & b:
            continue
        one, other = shape(x), shape(t)
        if one == other and chosen["compare_suit"] == "on":
            expected = max(a) > max(b)
        elif one == other:
            expected = max(a) // 4 > max(b) // 4
        else:
            expected = other in over.get(one, ())
        if min(b) >= 48 and len(b) <= 3 and one in BOMBS:
            expected = str(len(b)) in over[one] or other in over[one]
        assert beats(x, t, chosen) == expected, (names(a), names(b))
        assert not (expected and beats(t, x, chosen)), (names(a), names(b))


# Plans


def fewest_parts(hand: Cards, chosen: thirteen.Rules) -> int:
    """The least number of combinations that a hand can be split into, by trying all."""
    found = thirteen.combinations(hand, chosen)

    @cache
    def parts(left: Cards) -> int:
        if not left:
            return 0
        low = min(left)
        return 1 + min(parts(left - play) for play in found if low in play and play <= left)

    return parts(hand)


def test_a_plan_has_the_fewest_plays() -> None:
    rng = random.Random(3)
    sizes = Counter()
    for i in range(900):
        chosen = rules(
            seq_min=rng.choice((2, 3, 3, 4)),
            dseq_min=rng.choice((2, 3, 3)),
            seq_twos=rng.choice(("no", "high")),
        )
        hand = frozenset(crowded(rng, rng.randint(1, 8), rng.choice((4, 5, 6))))
        found = thirteen.plan(hand, chosen)
        assert all(classify(play, chosen) for play in found)
        assert sorted(card for play in found for card in play) == sorted(hand)
        assert len(found) == fewest_parts(hand, chosen), (i, names(hand))
        sizes[len(found)] += 1
    assert min(sizes[n] for n in (1, 2, 3, 4)) > 50


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        # Ways begin with double sequences, then sequences, longest first; the first of equals.
        ("3S 3C 4S 5S 6S 6C", "3S 4S 5S 6S / 3C / 6C"),
        ("3S 3C 4S 4C 5S 5C 6S", "3S 3C 4S 4C 5S 5C / 6S"),
        ("3S 4S 5S 6S 7S 7C 7D", "3S 4S 5S 6S 7S / 7C 7D"),
        ("3S 3C 4S 4C 5S 5C 6S 6C 7S", "3S 3C 4S 4C 5S 5C 6S 6C / 7S"),
        ("3H 3S 3C 4D 5S 5H", "3S 4D 5S / 3C 3H / 5H"),  # the lowest suits left
        ("3S 4S 4C 5S 5C 6S 6C 7S", "3S 4S 5S 6S 7S / 4C 5C 6C"),
        ("3S 4S 4C 5S 5C 6S 6C 7S 8S", "3S 4S 5S 6S 7S 8S / 4C 5C 6C"),
        ("KS AS 2S", "KS / AS / 2S"),
        ("AS AC 2S 2C", "AS AC / 2S 2C"),
    ],
)
def test_plans(hand: str, expected: str) -> None:
    found = [" ".join(names(play)) for play in thirteen.plan(cards(hand), rules())]
    assert found == expected.split(" / ")


# Dealing and instant wins


def test_cards_are_turned_from_the_pool() -> None:
    for players in (2, 3, 4):
        chosen = rules(players=players, instant=(), target=5)
        game = thirteen.play(chosen, ["lowest"] * players, 2**63 + 7, 3)
        deals = [e for e in game.events if e["event"] == "deal"]
        assert game.deals == len(deals) > 1
        for number, deal in enumerate(deals):
            words, pool = stream(2**63 + 7, 0, 3, number), list(range(52))
            hands: list[list[int]] = [[] for _ in range(players)]
            for k in range(13 * players):
                j = words.below(len(pool))
                hands[k % players].append(pool[j])
                pool[j] = pool[-1]
                del pool[-1]
            assert deal["number"] == number + 1
            assert deal["hands"] == [names(hand) for hand in hands]
            lowest = min(sum(hands, []))
            assert number or lowest in hands[deal["starter"]]


class Stacked(random.Random):
    """A shuffle that deals chosen hands (the rest in order) and gives a chosen word."""

    def __init__(self, hands: str, word: int = 0) -> None:
        super().__init__(0)
        self.hands, self.chosen_word = [cards(hand) for hand in hands.split("/")], word

    def shuffle(self, x: Any) -> None:
        rest = [card for card in x if not any(card in hand for hand in self.hands)]
        dealt = []
        for hand in self.hands:
            need = 13 - len(hand)
            dealt.append(sorted(hand) + rest[:need])
            rest = rest[need:]
        x[:] = [card for turn in zip(*dealt, strict=True) for card in turn] + rest

    def getrandbits(self, k: int) -> int:
        return self.chosen_word


def test_lowest_dealt_card_of_two_players() -> None:
    """3S 1/2, 3C 13/51, 3D 13/102, 3H 52/833"""
    exact = [Fraction(comb(51 - low, 25), comb(52, 26)) for low in range(4)]
    assert exact == [Fraction(*f) for f in ((1, 2), (13, 51), (13, 102), (52, 833))]
    n, lowest = 3000, Counter()
    for i in range(n):
        lowest[min(thirteen.Deferred(3, i, 2).deck(0)[:26])] += 1
    for low, p in enumerate(exact):
        assert abs(lowest[low] - n * p) < 4 * sqrt(n * p * (1 - p)), low


def test_each_seat_holds_the_three_of_spades_equally() -> None:
    n = 3000
    openers = Counter(thirteen.Deferred(4, i, 4).deck(0).index(0) % 4 for i in range(n))
    assert all(abs(openers[seat] - n / 4) < 4 * sqrt(n * 3 / 16) for seat in range(4))


def deals_with(dragons: int, twos: bool) -> Fraction:
    """The chance that certain seats hold dragons, and a further one all 2s, of four seats."""
    seats = dragons + twos
    ways = Counter({(0,) * seats: 1})
    for rank in range(13):
        after: Counter[tuple[int, ...]] = Counter()
        for sizes, count in ways.items():
            for dealt in itertools.product(range(5), repeat=seats):
                if sum(dealt) > 4 or (rank < 12 and 0 in dealt[:dragons]):
                    continue
                if rank == 12 and twos and dealt[-1] != 4:
                    continue
                total = tuple(a + b for a, b in zip(sizes, dealt, strict=True))
                # A dragon has one card more than ranks.
                if max(total) > 13 or any(n > rank + 2 for n in total[:dragons]):
                    continue
                left, choices = 4, 1
                for some in dealt:
                    choices *= comb(left, some)
                    left -= some
                after[total] += count * choices
        ways = after
    deals = 1
    for seat in range(seats):
        deals *= comb(52 - 13 * seat, 13)
    return Fraction(ways[(13,) * seats], deals)


def test_instant_wins_of_random_deals() -> None:
    twos, dragon = deals_with(0, True), deals_with(1, False)
    assert twos == Fraction(11, 4165)
    assert round(float(dragon), 15) == 0.000581245465 or abs(float(dragon) - 5.81245465e-4) < 1e-12
    some = Fraction(0)  # inclusion and exclusion
    for dragons in range(1, 5):
        some -= (-1) ** dragons * comb(4, dragons) * deals_with(dragons, False)
    for dragons in range(4):
        some += (-1) ** dragons * 4 * comb(3, dragons) * deals_with(dragons, True)
    assert abs(float(some) - 0.01283718626) < 1e-11
    n, found = 6000, Counter()
    for i in range(n):
        deck = thirteen.Deferred(5, i, 4).deck(0)
        found[any(thirteen.instant_kind(deck[seat:52:4], rules()) for seat in range(4))] += 1
    assert abs(found[True] - n * some) < 4 * sqrt(n * some)


DRAGON = "3S 4S 5S 6S 7S 8S 9S 10S JS QS KS AS"
SIX_PAIRS = "3S 3C 5S 5C 7S 7C 9S 9C JS JC 2S 2H"
HANDS = {
    "twos": f"3S 4S 5S 7S 8S 9S JS QS KS {TWOS}",
    "dragon": f"{DRAGON} AC",
    "six_pairs": f"{SIX_PAIRS} AD",
    "five_pairs_run": "10S 10C JS JC QS QC KS KD AC AD 3D 4D 5D",
    "three_triples_run": "QS QC QD KS KC KD AS AC AD 3H 4H 5H 7H",
    "one_colour": "3S 5S 7S 9S JS KS 2S 3C 4C 6C 8C 10C AH",
}


@pytest.mark.parametrize("kind", HANDS)
def test_instant_kinds(kind: str) -> None:
    hand = cards(HANDS[kind])
    assert len(hand) == 13
    every = rules(instant=thirteen.KINDS)
    if kind != "dragon":
        assert thirteen.instant_kind(hand, every) == kind
    assert thirteen.instant_kind(hand, rules(instant=(kind,))) == kind
    assert thirteen.instant_kind(hand, rules(instant=())) == ""
    expected = kind if kind in ("twos", "dragon") else ""
    assert thirteen.instant_kind(hand, rules()) == expected


@pytest.mark.parametrize(
    ("kind", "hand"),
    [
        ("twos", "2S 2C 2D AS AC AD AH"),
        ("dragon", "3S 4S 5S 6S 7S 8S 9S 10S JS QS KS 2S 2H"),
        ("six_pairs", "3S 3C 3D 3H 5S 5C 7S 7C 9S 9C JS JC 2S"),  # a quad is one rank
        ("five_pairs_run", "JS JC QS QC KS KD AC AD 2S 2C 3D 4D 5D"),
        ("three_triples_run", "KS KC KD AS AC AD 2S 2C 2D 3H 4H 5H 7H"),
        ("three_triples_run", "3S 3C 3D 4S 4C 4D 6S 6C 6D 8H 9H 10H QH"),
        ("one_colour", "3S 5S 7S 9S JS KS 2S 3C 4C 6C 8C AD AH"),
    ],
)
def test_no_instant_kinds(kind: str, hand: str) -> None:
    assert thirteen.instant_kind(cards(hand), rules(instant=(kind,))) == ""


def test_a_hand_of_several_kinds_counts_as_the_first_named() -> None:
    hand = cards(HANDS["dragon"])
    assert thirteen.instant_kind(hand, rules(instant=thirteen.KINDS)) == "dragon"
    assert thirteen.instant_kind(hand, rules(instant=("one_colour", "dragon"))) == "dragon"
    assert thirteen.instant_kind(hand, rules(instant=("six_pairs", "one_colour"))) == "one_colour"


def test_an_instant_win_ends_the_deal() -> None:
    game = table(f"3S / {TWOS} 4S / 5S / 6S", starter=3)
    assert story(game) == "1 twos"
    assert [e["event"] for e in game.events] == ["deal", "instant", "game_end"]
    assert (game.winner, game.winners, game.status, game.instant) == (1, [1], "finished", "twos")
    assert (game.places, game.points) == ([0, 1, 0, 0], [0, 3, 0, 0])
    assert (game.turns, game.plays, game.tricks, game.opener) == (0, 0, 0, 3)
    assert (game.opener_at, game.opener_wins) == ([0, 0, 0, 1], [0, 0, 0, 0])
    game = table(f"3S / {TWOS} 4S / 5S / 6S", starter=1)
    assert (game.opener_at, game.opener_wins) == ([0, 1, 0, 0], [0, 1, 0, 0])


TIE = f"3S / {TWOS} / 4C / {DRAGON.replace('3S', '3H')}"


@pytest.mark.parametrize(
    ("starter", "tie", "expected"),
    [
        (0, "seat", "1 twos"),
        (1, "seat", "1 twos"),
        (2, "seat", "3 dragon"),
        (3, "seat", "3 dragon"),
        (0, "dragon", "3 dragon"),
        (2, "twos", "1 twos"),
        (0, "void", ""),
    ],
)
def test_instant_ties(starter: int, tie: str, expected: str) -> None:
    game = table(TIE, starter=starter, instant_tie=tie)
    assert story(game) == expected
    if tie == "void":
        assert (game.winner, game.winners, game.status) == (-1, [], "finished")
        assert game.points == game.places == [0] * 4
        assert game.instant == ""
    else:
        assert sum(game.points) == 3


def test_a_preferred_kind_is_the_kind_a_hand_counts_as() -> None:
    """Two dragons: the nearer one. One instant hand alone is never void."""
    other = DRAGON.replace("S", "C")
    assert story(table(f"{DRAGON} / {other} / 3H", starter=1, instant_tie="dragon")) == "1 dragon"
    assert story(table(f"{DRAGON} / 4C / 3H", starter=1, instant_tie="void")) == "0 dragon"


# First leads


STACK = "3S 3C 4S 5S 2H / 4C 6C / 4D 7D / 4H 8H"


def first_play(strategy: str, word: int = 0, **changes: Any) -> list[str]:
    game = thirteen.play(
        rules(instant=(), **changes), [strategy] * 4, 0, 0, literal=Stacked(STACK, word)
    )
    assert game.events[0]["starter"] == 0
    return list(next(e["cards"] for e in game.events if e["event"] == "play"))


def test_first_lead() -> None:
    assert "3S" in first_play("highest") and "3S" in first_play("shed")
    assert "3S" in first_play("random", 2**32 - 1)
    assert first_play("shed", first_lead="single") == ["3S"]
    assert first_play("random", 2**32 - 1, first_lead="single") == ["3S"]
    assert first_play("highest", first_lead="free") == ["2H"]
    first = next(e for e in table("3S 9S / 4S 5S", "9S").events if e["event"] == "play")
    assert first["cards"] == ["9S"]  # a deal by hand obliges to nothing


@pytest.mark.parametrize("option", ["include", "single"])
def test_first_lead_binds_one_play_only(option: str) -> None:
    """Later leaders, and the other seat at its first lead, may lead anything."""
    chosen = rules(players=2, instant=(), first_lead=option)
    game = thirteen.play(chosen, ["lowest"] * 2, 0, 0, literal=Stacked("3S 4S 6S 8S / 3C 2H"))
    assert story(game).startswith("0 3S") and sorted(game.places) == [1, 2]
    assert ">1, 1" in story(game)
    assert ">0, 0 -" not in story(game) and ">1, 1 -" not in story(game)


# Tricks


def test_tricks_in_full() -> None:
    game = table(
        "3S 9S 9C / 4S 10S JS / 5S 6S KS",
        "3S, -, 5S, 9S, KS, -, -",
        first_lead="include",
    )
    assert story(game) == (
        "0 3S, 1 -, 2 5S, 0 9S, 2 KS, 0 -, >2, 2 6S, 2 out 1, 0 -, 1 -, >0, 0 9C, 0 out 2"
    )
    assert game.events[0] == {
        "event": "deal",
        "number": 1,
        "starter": 0,
        "hands": [["3S", "9S", "9C"], ["4S", "10S", "JS"], ["5S", "6S", "KS"]],
    }
    assert game.events[1] == {
        "event": "play", "player": 0, "cards": ["3S"], "combination": "single",
    }  # fmt: skip
    assert game.events[-1] == {"event": "game_end", "places": [2, 3, 1], "points": [2, 0, 3]}
    assert (game.winner, game.winners, game.places, game.points) == (
        2, [2], [2, 3, 1], [2, 0, 3],
    )  # fmt: skip
    assert (game.turns, game.plays, game.passes, game.tricks, game.deals) == (10, 6, 4, 3, 1)
    # Not asked: the king's only answer is a pass, the last card of a leader.
    assert game.asked == [3, 2, 2]
    assert game.cards_left == [0, 3, 0]
    assert (game.opener, game.opener_at, game.opener_wins) == (0, [1, 0, 0], [0, 0, 0])


def test_a_finishers_last_play_can_be_beaten() -> None:
    """Everyone who holds cards and has not passed is asked before the trick closes."""
    game = table("3S 8S / 9S / 10S KS / 4S JS", "3S, 9S, 10S, JS, -, 8S")
    assert story(game) == (
        "0 3S, 1 9S, 1 out 1, 2 10S, 3 JS, 0 -, 2 -, >3, 3 4S, 3 out 2, 0 8S, 0 out 3"
    )
    assert (game.places, game.cards_left) == ([3, 1, 4, 2], [0, 0, 1, 0])
    game = table("3S 8S / 9S / 10S KS / 4S JS", "3S, 9S, -, -", max_turns=5)
    assert story(game) == "0 3S, 1 9S, 1 out 1, 2 -, 3 -, 0 -, >2"


def test_a_leader_out_and_all_pass() -> None:
    """The next seat with cards leads although it passed, also past seats that are out."""
    game = table("3S / 4S 5S / 6S 7S", "-, -, 4S", max_turns=4)
    assert story(game) == "0 3S, 0 out 1, 1 -, 2 -, >1, 1 4S"
    game = table("JS / QS / 3S 4S / 5S 6S", "QS, 3S", max_turns=5)
    assert story(game) == "0 JS, 0 out 1, 1 QS, 1 out 2, 2 -, 3 -, >2, 2 3S"


def test_a_deal_ends_in_mid_trick() -> None:
    game = table("3S 5S / 4S", "3S, 4S")
    assert story(game) == "0 3S, 1 4S, 1 out 1"
    assert [e["event"] for e in game.events] == ["deal", "play", "play", "out", "game_end"]
    assert (game.places, game.points) == ([2, 1], [0, 3])


LEAD = ("3S 8S 8C / 4S 9S 9C / 5S 6S QS / 10S", "3S, 4S, -, 10S, -")


@pytest.mark.parametrize(
    ("option", "leader"), [("next", 0), ("previous_player", 1), ("last_passer", 2)]
)
def test_lead_after_out(option: str, leader: int) -> None:
    game = table(*LEAD, lockout="off", lead_after_out=option, max_turns=7)
    assert story(game) == f"0 3S, 1 4S, 2 -, 3 10S, 3 out 1, 0 -, 1 -, 2 -, >{leader}"


def test_lead_after_out_without_such_a_seat() -> None:
    previous = {"lead_after_out": "previous_player"}
    # Nobody else has played; the previous player is out.
    game = table("3S / 4S 5S / 6S 7S", "-, -", max_turns=3, **previous)
    assert story(game) == "0 3S, 0 out 1, 1 -, 2 -, >1"
    game = table("3S 4S / 8S / JS / 5S 6S", "3S, 8S, JS", max_turns=5, **previous)
    assert story(game) == "0 3S, 1 8S, 1 out 1, 2 JS, 2 out 2, 3 -, 0 -, >3"
    # While the owner holds cards it leads.
    game = table("3S 8S 8C / 4S 9S 9C / 5S 6S QS / 10S 4C", LEAD[1], max_turns=7,
                 lockout="off", lead_after_out="last_passer")  # fmt: skip
    assert story(game).endswith(">3")
    # Plays of an earlier trick do not count.
    game = table("3S 10S JS / 4S 9S / 5S 6S", "3S, -, 5S, 10S", max_turns=8, **previous)
    assert story(game) == "0 3S, 1 -, 2 5S, 0 10S, 2 -, >0, 0 JS, 0 out 1, 1 -, 2 -, >1"


def test_the_last_passer_may_be_out() -> None:
    """It passed, bombed all the same, went out and was beaten, and nobody passed after it."""
    hands = "3S 2S 6S 6C 6D 6H 9S 9C 9D 9H / 5S 5C 5D 5H 7S 7C 7D 7H 10S / 4C 4D / 4S 8S 8C 8D 8H"
    moves = "3S, -, -, 4S, 2S, 5S 5C 5D 5H, -, 6S 6C 6D 6H, 7S 7C 7D 7H, 8S 8C 8D 8H, 9S 9C 9D 9H"
    changes = {"lead_after_out": "last_passer", "bomb_after_pass": "yes"}
    game = table(hands, moves, max_turns=11, **changes)
    assert story(game).endswith("3 8S 8C 8D 8H, 3 out 1, 0 9S 9C 9D 9H, 0 out 2, >1")


# Locks


BOMBER = "3S 4D 2S / 5S 6S 6C 6D 6H / 7S 8S KH"
START = "3S, -, 7S, 2S"


def test_a_passer_with_a_bomb_stays_locked() -> None:
    game = table(BOMBER, START, max_turns=5)
    assert story(game) == "0 3S, 1 -, 2 7S, 0 2S, 2 -, >0"


def test_bomb_after_pass() -> None:
    def after(option: str, moves: str, turns: int, hands: str = BOMBER) -> str:
        game = table(hands, f"{START}, {moves}", bomb_after_pass=option, max_turns=turns)
        return story(game).removeprefix("0 3S, 1 -, 2 7S, 0 2S, ")

    quad = "6S 6C 6D 6H"
    assert after("yes", quad, 7) == f"1 {quad}, 2 -, 0 -, >1"
    assert after("yes", "-", 6) == "1 -, 2 -, >0"  # asked once
    assert after("four", "", 5) == "2 -, >0"
    three, four = "5S 5C 6S 6C 7D 7H", "5S 5C 6S 6C 7D 7H 8C 8D"
    for option, bomb in (("yes", three), ("yes", four), ("four", four)):
        hands = f"3S 4D 2S / {bomb} 9C / 7S 8S KH"
        assert after(option, bomb, 7, hands) == f"1 {bomb}, 2 -, 0 -, >1"
    assert after("four", "", 5, f"3S 4D 2S / {three} 9C / 7S 8S KH") == "2 -, >0"
    # Twos that beat the top are no bombs.
    assert after("yes", "", 5, BOMBER.replace(quad, "2H")) == "2 -, >0"
    # Nor are sequences, however long.
    long = ("3S 4S 5S 6S 7S 8S 9S 10S", "3C 4C 5C 6C 7C 8C 9C 10H", "3D 4D 5D 6D 7D 8D 9D 10D")
    for option in ("four", "yes"):
        game = table(
            f"{long[0]} KS / {long[1]} QS / {long[2]} JS",
            f"{long[0]}, -, {long[2]}",
            bomb_after_pass=option,
            max_turns=4,
        )
        assert story(game) == f"0 {long[0]}, 1 -, 2 {long[2]}, 0 -, >2"
    # No effect without locks: an unlocked seat may play what it likes.
    game = table(BOMBER, "3S, -, 7S, -", lockout="off", bomb_after_pass="four", max_turns=5)
    assert story(game) == "0 3S, 1 -, 2 7S, 0 -, 1 -, >2"


def test_a_locked_seat_is_asked_once_for_each_new_top() -> None:
    hands = "3S 4D 2S / 5S 6S 6C 6D 6H / 7S 8S 2H"
    game = table(hands, "3S, -, 7S, 2S, -, 2H, -", bomb_after_pass="yes", max_turns=8)
    assert story(game) == "0 3S, 1 -, 2 7S, 0 2S, 1 -, 2 2H, 0 -, 1 -, >2"
    # It comes to act in its turn, before seats that are not locked.
    game = table(hands, "3S, -, 7S, 2S, 6S 6C 6D 6H", bomb_after_pass="yes", max_turns=7)
    assert story(game) == "0 3S, 1 -, 2 7S, 0 2S, 1 6S 6C 6D 6H, 2 -, 0 -, >1"


def test_a_seat_stays_locked_after_it_has_bombed() -> None:
    hands = "3S 4D 2S / 5S 2D 6S 6C 6D 6H / 7S 9S 9C 9D 9H 5C / JS JC JD JH 4C"
    moves = "3S, -, 7S, -, 2S, 6S 6C 6D 6H, 9S 9C 9D 9H"
    yes = {"bomb_after_pass": "yes"}
    game = table(hands, f"{moves}, -", max_turns=9, **yes)
    assert story(game).endswith("1 6S 6C 6D 6H, 2 9S 9C 9D 9H, 3 -, 0 -, >2")
    game = table(hands, f"{moves}, JS JC JD JH", max_turns=10, **yes)
    assert story(game).endswith("2 9S 9C 9D 9H, 3 JS JC JD JH, 0 -, 2 -, >3")
    # Here seat 2 has locked itself by a pass and seat 1 has no bomb left: no turns for them.
    hands = "3S 4D 2S / 5S 6S 6C 6D 6H / 7S 9S / 8C JS JC JD JH"
    game = table(hands, "3S, -, -, 8C, 2S, -, JS JC JD JH", max_turns=8, **yes)
    assert story(game) == "0 3S, 1 -, 2 -, 3 8C, 0 2S, 1 -, 3 JS JC JD JH, 3 out 1, 0 -, >0"
    # The declined 2 was a top of its own: on the bomb that beat it a higher one may follow.
    hands = hands.replace("6S 6C 6D 6H", "QS QC QD QH")
    game = table(hands, "3S, -, -, 8C, 2S, -, JS JC JD JH, QS QC QD QH", max_turns=9, **yes)
    assert story(game).endswith("1 -, 3 JS JC JD JH, 3 out 1, 0 -, 1 QS QC QD QH, >1")


def test_forced_binds_a_locked_seat() -> None:
    hands = "9S 2S 4D / 5S 6S 6C 6D 6H / 10S 8S KH"
    game = table(hands, "9S, 10S", pass_rule="forced", bomb_after_pass="yes", max_turns=7)
    assert story(game) == "0 9S, 1 -, 2 10S, 0 2S, 1 6S 6C 6D 6H, 2 -, 0 -, >1"
    assert game.asked == [1, 0, 1]
    game = table(hands, "9S, 10S, 2S, 6S 6C 6D 6H", bomb_after_pass="yes", max_turns=7)
    assert game.asked == [2, 1, 1]


def test_without_lockout_a_pass_holds_for_one_top() -> None:
    hands = "3S 9S 4D / 5S 10S 6D / 7S 8S KH"
    moves = "3S, -, 7S, 9S, 10S, -"
    game = table(hands, moves, lockout="off", max_turns=7)
    assert story(game) == "0 3S, 1 -, 2 7S, 0 9S, 1 10S, 2 -, 0 -, >1"
    # Each is asked once about a top, and all others must have passed it.
    game = table(hands, "3S, -, 7S, -, -", lockout="off", max_turns=5)
    assert story(game) == "0 3S, 1 -, 2 7S, 0 -, 1 -, >2"
    game = table(hands, "3S, -, 7S, 9S, -", max_turns=5)
    assert story(game) == "0 3S, 1 -, 2 7S, 0 9S, 2 -, >0"


# Passing and finishing


def test_pass_rule() -> None:
    hands = "3S 9S / 5S / 4S 6S 8S"
    game = table(hands, "3S, 6S", pass_rule="forced", starter=0, max_turns=4)
    assert story(game) == "0 3S, 1 5S, 1 out 1, 2 6S, 0 9S, 0 out 2"
    assert game.asked == [1, 0, 1]
    with pytest.raises(AssertionError, match="not legal"):
        table(hands, "3S, -", pass_rule="forced")
    with pytest.raises(AssertionError, match="not legal"):
        table(hands, "-")  # a leader can't pass
    with pytest.raises(AssertionError, match="not legal"):
        table("4S 9S / 3S 5S", "4S, 3S")
    with pytest.raises(AssertionError, match="not legal"):
        table(hands, "8S")  # another seat's card
    with pytest.raises(AssertionError, match="no move is left"):
        table(hands, "3S")


def test_finish_two() -> None:
    """A stuck leader hands the lead on; it isn't locked by that."""
    game = table("2S / 3S 5S / 2C", "3S", finish_two="no")
    assert story(game) == ("0 -, 1 3S, 2 -, 0 -, >1, 1 5S, 1 out 1, 2 -, 0 -, >2, 2 -, 0 -")
    assert (game.places, game.points, game.winner) == ([2, 1, 3], [2, 3, 0], 1)
    assert (game.turns, game.passes, game.plays, game.tricks) == (9, 7, 2, 2)
    assert game.asked == [0, 1, 0]
    assert game.cards_left == [1, 0, 1]


def test_finish_two_when_all_are_stuck() -> None:
    game = table("2S / 2C / 2D", starter=1, finish_two="no")
    assert story(game) == "1 -, 2 -, 0 -"
    assert (game.places, game.points, game.winner) == ([2, 3, 1], [2, 0, 3], 2)
    first = table("2S / 2C / 2D", starter=1, finish_two="no", play_until="first")
    assert (first.places, first.points, first.winner) == ([0, 0, 1], [0, 0, 3], 2)
    counted = table("2S / 2C / 2D", starter=1, finish_two="no", score="cards")
    assert counted.points == [-26, -26, 52]  # none of them has played a card
    # In a row: a play in between makes them begin anew.
    game = table("2S / 3S 4S 2H / 2C", "4S, 3S", finish_two="no")
    assert story(game) == "0 -, 1 4S, 2 -, 0 -, >1, 1 3S, 2 -, 0 -, >1, 1 -, 2 -, 0 -"
    assert game.places == [2, 3, 1]


def test_finish_two_concerns_every_last_play_with_a_two() -> None:
    no = {"finish_two": "no", "instant": ()}
    game = table(f"{TWOS} / 3S 4S", "2S 2C 2D", **no, max_turns=3)
    assert story(game) == "0 2S 2C 2D, 1 -, >0, 0 -"
    with pytest.raises(AssertionError, match="not legal"):
        table(f"{TWOS} / 3S 4S", TWOS, **no)
    with pytest.raises(AssertionError, match="not legal"):
        table("KS AS 2S / 3S 4S", "KS AS 2S", finish_two="no", seq_twos="high")
    hands = "3S 2H / 4S 5S 6S"
    assert story(table(hands, "3S, 4S", max_turns=3, **no)) == "0 3S, 1 4S, 0 -, >1"
    assert story(table(hands, "3S, 4S, 2H")) == "0 3S, 1 4S, 0 2H, 0 out 1"
    # A locked seat may not go out with four 2s either.
    hands = f"3S 4C 9C / 4S 5S 10S / {TWOS}"
    moves = "3S, 4S, -, 9C, -"
    late = {"bomb_after_pass": "yes", "bomb_scope": "any", "instant": ()}
    game = table(hands, moves, max_turns=5, finish_two="no", **late)
    assert story(game) == "0 3S, 1 4S, 2 -, 0 9C, 1 -, >0"
    game = table(hands, f"{moves}, {TWOS}", max_turns=6, **late)
    assert story(game).startswith(f"0 3S, 1 4S, 2 -, 0 9C, 1 -, 2 {TWOS}, 2 out 1")


def test_going_out_with_a_two_or_a_bomb() -> None:
    assert story(table("3S 4S / 2H", "3S, 2H")).endswith("1 2H, 1 out 1")
    assert story(table("2S 4S / 6S 6C 6D 6H", "2S, 6S 6C 6D 6H")).endswith("1 out 1")


# Bombs on the table


def test_bombs_are_counted() -> None:
    hands = "2S 3S / 4S 4C 5S 5C 6S 6C 8S / 5D 5H 6D 6H 7S 7C 8D / 9S 9C 9D 9H JS"
    moves = "2S, 4S 4C 5S 5C 6S 6C, 5D 5H 6D 6H 7S 7C"
    game = table(hands, moves, max_turns=4)
    assert game.bombs_played == dict.fromkeys(BOMBS, 0) | {"pairs_3": 2}
    assert game.bombs_beaten == dict.fromkeys(BOMBS, 0) | {"pairs_3": 1}
    game = table(hands, f"{moves}, 9S 9C 9D 9H", max_turns=4, bomb_vs_bomb="hierarchy")
    assert game.bombs_played == dict.fromkeys(BOMBS, 0) | {"pairs_3": 2, "quad": 1}
    assert game.bombs_beaten == dict.fromkeys(BOMBS, 0) | {"pairs_3": 2}
    # Led ones count.
    led = table("9S 9C 9D 9H JS / 10S 10C 10D 10H 3S", "9S 9C 9D 9H, -", max_turns=2)
    assert (led.bombs_played["quad"], led.bombs_beaten["quad"]) == (1, 0)
    led = table("9S 9C 9D 9H JS / 10S 10C 10D 10H 3S", "9S 9C 9D 9H, 10S 10C 10D 10H", max_turns=2)
    assert (led.bombs_played["quad"], led.bombs_beaten["quad"]) == (2, 1)
    led = table("3S 3C 4S 4C JS / 5S", "3S 3C 4S 4C", dseq_min=2, bomb_min=(2, 4, 5), max_turns=1)
    assert led.bombs_played == dict.fromkeys(BOMBS, 0) | {"pairs_2": 1}


def test_after_three_pairs_on_a_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """3333 and 33445566 are illegal, 445566 is legal."""
    legal: list[list[str]] = []

    def spy(view: thirteen.View) -> Cards | None:
        if view.top is not None and view.is_bomb(view.top):
            legal.extend(names(play) for play in view.legal)
        return next(iter(view.legal), None)

    hands = "2S 7S / 3S 3C 4S 4C 5S 5C 7C / 3D 3H 4D 4H 5D 5H 6D 6H 9S 9C 9D 9H"
    monkeypatch.setitem(thirteen.STRATEGIES, "spy", (spy, {}))
    table(hands, "2S, 3S 3C 4S 4C 5S 5C", "given given spy", max_turns=3)
    assert ["4D", "4H", "5D", "5H", "6D", "6H"] in legal
    assert ["3D", "3H", "4D", "4H", "5D", "5H"] in legal  # strength 5H against 5C
    assert len(legal) == 2


# Points


@pytest.mark.parametrize(("players", "expected"), [(2, [3, 0]), (3, [3, 2, 0]), (4, [3, 2, 1, 0])])
def test_points_of_a_game(players: int, expected: list[int]) -> None:
    for i in range(25):
        chosen = rules(players=players, instant=())
        game = thirteen.play(chosen, ["random", "lowest", "shed", "highest"][:players], 6, i)
        assert sorted(game.points, reverse=True) == expected
        assert sorted(game.places) == list(range(1, players + 1))
        assert game.points == [expected[place - 1] for place in game.places]
        assert game.winner == game.places.index(1) and game.winners == [game.winner]
        assert sum(game.asked) <= 52 * players
        outs = [(e["player"], e["place"]) for e in game.events if e["event"] == "out"]
        assert outs == [(game.places.index(n), n) for n in range(1, players)]


SHORT = ("3S 4S / 5S 9S / 6S 10S / 7S", "3S, 5S, 6S, 7S")


def test_play_until_first() -> None:
    game = table(*SHORT, play_until="first")
    assert story(game).endswith("3 7S, 3 out 1")
    assert (game.places, game.points) == ([0, 0, 0, 1], [0, 0, 0, 3])
    assert game.events[-1] == {
        "event": "game_end", "places": [0, 0, 0, 1], "points": [0, 0, 0, 3],
    }  # fmt: skip
    assert table(*SHORT, play_until="first", points=(7, 2, 2, 1)).points == [0, 0, 0, 7]


def test_points_option() -> None:
    hands, moves = "3S 4S / 5S 6S / 7S 8S / 9S 10S", "3S, 5S, 7S, 9S, 6S"
    game = table(hands, moves, points=(10, 4, 4, 1))
    assert (game.places, game.points) == ([2, 3, 4, 1], [4, 4, 1, 10])
    assert table(TIE, points=(10, 4, 4, 1)).points == [0, 10, 0, 0]


def test_score_cards() -> None:
    game = table(*SHORT, score="cards")
    assert story(game).endswith("3 7S, 3 out 1")
    assert (game.places, game.points) == ([0, 0, 0, 1], [-1, -1, -1, 3])
    # Seats that have played nothing pay 26.
    game = table("7S 7C / 3S 4S / 5S 6S 8S / 9S", "7S 7C", score="cards")
    assert game.points == [78, -26, -26, -26]
    game = table("7S 8C / 3S 4S / 8S 9S JS", "7S, 8S, 8C", score="cards")
    assert game.points == [28, -26, -2]
    # Frozen is who has played nothing, in this deal, however many cards it holds.
    assert table("7S / 3S 4S", score="cards").points == [26, -26]
    assert table(TIE, score="cards").points == [-26, 78, -26, -26]
    assert table(TIE, score="cards", instant_tie="void").points == [0] * 4


def paid(hands: str, moves: str, **changes: Any) -> list[int]:
    """Points of a deal in which only penalties count and that ends with the first out."""
    changes = {"points": (0,) * len(hands.split("/")), "play_until": "first"} | changes
    return table(hands, moves, penalties=PRICES, **changes).points


@pytest.mark.parametrize(
    ("top", "bomb", "price", "changes"),
    [
        ("2S", "6S 6C 6D 6H", 1, {}),
        ("2C", "6S 6C 6D 6H", 1, {}),
        ("2D", "6S 6C 6D 6H", 10, {}),
        ("2H", "6S 6C 7D 7H 8S 8C", 10, {}),
        ("2C 2H", RUN_4, 11, {}),
        ("2S 2C", "6S 6C 6D 6H", 2, {"quad_beats": 2}),
        ("2S 2C 2H", f"{RUN_4} 7S 7C", 12, {}),
        ("9S 9C 9D 9H", "10S 10C 10D 10H", 1000, {}),
        ("3S 3C 4S 4C 5S 5C", "6S 6C 7S 7C 8S 8C", 100, {}),
        ("3S 3C 4S 4C 5S 5C", "10S 10C 10D 10H", 100, {"bomb_vs_bomb": "quad_over_3"}),
        (RUN_4, "7S 7C 8S 8C 9S 9C 10S 10C", 10000, {}),
        (RUN_4, "7S 7C 8S 8C 9S 9C 10S 10C JS JC", 10000, {"bomb_vs_bomb": "longer"}),
        (TWOS, RUN_4, 1000, {"bomb_vs_bomb": "hierarchy"}),
        ("3S 3C 4S 4C", "6S 6C 7S 7C", 0, {"dseq_min": 2}),
        ("AS AC", "6S 6C 6D 6H", 0, {"bomb_scope": "any"}),
        ("2S", "2H", 0, {}),
        ("2S 2C", "2D 2H", 0, {}),
        ("KS AS 2S", "6S 6C 6D 6H", 0, {"bomb_scope": "any", "seq_twos": "high"}),
    ],
)
def test_bombing_is_paid(top: str, bomb: str, price: int, changes: dict[str, Any]) -> None:
    # Nothing of worth is held afterwards: seat 1 goes out with its bomb.
    hands = f"{top} 3D / {bomb} / 4D 5D"
    result = paid(hands, f"{top}, {bomb}", **({"instant": ()} | changes))
    assert result == [-price, price, 0]


def test_the_owner_pays_also_when_out() -> None:
    game = table("2S / 6S 6C 6D 6H 3S / 4D 9D 10D", "6S 6C 6D 6H",
                 penalties=PRICES, points=(0, 0, 0))  # fmt: skip
    assert story(game).startswith("0 2S, 0 out 1, 1 6S 6C 6D 6H")
    assert game.points == [-1, 1, 0]


@pytest.mark.parametrize(
    ("held", "price"),
    [
        ("3S 5S 9S 9C 9D", 0),
        ("2S", 1),
        ("2S 2C 2D 2H", 22),
        ("9S 9C 9D 9H", 1000),
        ("3S 3C 4S 4C", 0),
        ("3S 3C 4S 4C 5S 5C", 100),
        (RUN_4, 10000),
        (f"{RUN_4} 7S 7C", 10000),
        ("3S 3C 4S 4C 5S 5C 7S 7C 8S 8C 9S 9C", 200),
        ("3S 3C 3D 3H 4S 4C 5S 5C", 1100),
        ("KS KC AS AC 2S 2C", 2),
        ("QS QC KS KC AS AC 2S 2C", 102),
    ],
)
def test_holding_is_paid(held: str, price: int) -> None:
    assert paid(f"10S / {held}", "", instant=()) == [price, -price]
    assert paid(f"10S / {held}", "", instant=(), dseq_min=4) == [price, -price]


def test_holding_is_paid_to_the_first_out() -> None:
    game = table("KS / AS / 2S 2H", "AS", penalties=PRICES)
    assert (game.places, game.points) == ([1, 2, 3], [3 + 11, 2, -11])
    assert paid("10S / 2S 3S / 2H 4S / 2D", "", points=(5, 0, 0, 0)) == [
        26, -1, -10, -10,
    ]  # fmt: skip
    stuck = table("KS / 2S / 2H", finish_two="no", penalties=PRICES)
    assert story(stuck) == "0 KS, 0 out 1, 1 -, 2 -, >1, 1 -, 2 -"
    assert stuck.points == [3 + 1 + 10, 0 - 1, 2 - 10]
    none_out = table("2S / 2H", finish_two="no", penalties=PRICES)
    assert none_out.points == [0, 3]
    instant = table(f"{TWOS} / 3S 3C 3D 3H", penalties=PRICES)
    assert instant.points == [3, 0]
    cards_too = table("10S / 2S 3S / 2H 4S 5S", "", score="cards",
                      penalties=PRICES)  # fmt: skip
    assert cards_too.points == [26 + 26 + 1 + 10, -26 - 1, -26 - 10]


# Caps and matches


def test_a_cap() -> None:
    free = thirteen.play(rules(instant=()), ["lowest"] * 4, 8, 0)
    at = thirteen.play(rules(instant=(), max_turns=free.turns), ["lowest"] * 4, 8, 0)
    assert at == free
    for turns in (1, free.turns - 1):
        capped = thirteen.play(
            rules(instant=(), max_turns=turns, penalties=PRICES), ["lowest"] * 4, 8, 0
        )
        assert (capped.status, capped.winner, capped.winners) == ("capped", -1, [])
        assert capped.turns == turns
        assert capped.points == capped.places == [0] * 4
        assert capped.events[-1] == {"event": "game_end", "places": [0] * 4, "points": [0] * 4}
        last = len(capped.events) - 1
        assert capped.events[:last] == free.events[:last]
        assert capped.opener_at == free.opener_at and sum(capped.opener_wins) == 0
    # What a match has gathered before is lost as well.
    match = rules(target=30, instant=())
    games = [thirteen.play(match | {"max_turns": 46}, ["lowest"] * 4, 8, i) for i in range(6)]
    assert {(game.status, game.winner, max(game.points)) for game in games} == {("capped", -1, 0)}
    assert max(game.deals for game in games) > 1
    assert max(game.turns for game in games) > 46


def test_a_match_ends_with_one_seat_on_top() -> None:
    for i in range(20):
        game = thirteen.play(rules(target=6, players=2 + i % 3), ["lowest"] * (2 + i % 3), 9, i)
        ends = [e["points"] for e in game.events if e["event"] == "game_end"]
        totals = [0] * (2 + i % 3)
        for number, points in enumerate(ends, 1):
            totals = [a + b for a, b in zip(totals, points, strict=True)]
            done = max(totals) >= 6 and totals.count(max(totals)) == 1
            assert done == (number == len(ends))
        assert game.deals == len(ends) and game.points == totals
        assert game.winner == totals.index(max(totals))
        assert game.places == [1 + sum(t > mine for t in totals) for mine in totals]


@pytest.mark.parametrize(
    ("hands", "seat", "moves", "changes", "winner", "loser"),
    [
        ("3S 4S / KS / 5S / 6S 2S", 0, "3S, KS, 2S", {}, 1, 2),
        (TIE, 0, "", {}, 1, 3),
        ("3S / KS KC KD / 9S / 10S 3C 3D", 0, "", {"play_until": "first"}, 0, 1),
        ("3S 3C 3D / KS KC / 9S / 10S 8C 8D", 1, "KS KC", {"play_until": "first"}, 1, 3),
        ("3S 3C 3D / 9S / KS KC / 10S 8C 8D", 2, "KS KC", {"score": "cards"}, 2, 3),
        ("3S / KS KC", 0, "", {}, 0, 1),
        ("2S / 2C / 2D", 0, "", {"finish_two": "no"}, 1, 0),
    ],
)
def test_starters(
    hands: str,
    seat: int,
    moves: str,
    changes: dict[str, Any],
    winner: int,
    loser: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dealt = [cards(hand) for hand in hands.split("/")]
    for starter, leader in (("winner", winner), ("loser", loser)):
        left = [cards(move) for move in moves.split(", ") if move]

        def follow(seen: thirteen.View, left: list[Cards] = left) -> Cards | None:
            return left.pop(0) if left else thirteen.choose_lowest(seen)

        monkeypatch.setitem(thirteen.STRATEGIES, "follow", (follow, {}))
        chosen = rules(players=len(dealt), target=10000, starter=starter, max_turns=12, **changes)
        game = thirteen.play(chosen, ["follow"] * len(dealt), 0, 0, hands=dealt, starter=seat)
        assert left == []
        assert [e["starter"] for e in game.events if e["event"] == "deal"][1] == leader


def test_after_a_void_deal_the_same_seat_leads() -> None:
    dealt = [cards(hand) for hand in TIE.split("/")]
    for starter in ("winner", "loser", "lowest"):
        game = thirteen.play(
            rules(target=3, instant_tie="void", starter=starter),
            ["lowest"] * 4,
            1,
            1,
            hands=dealt,
            starter=2,
        )
        deals = [e for e in game.events if e["event"] == "deal"]
        assert [e["starter"] for e in deals[:2]] == [2, 2]
        assert [e["number"] for e in deals] == list(range(1, game.deals + 1))
        assert (game.opener, game.instant) == (2, "")


# Strategies


def view(
    hand: str,
    top: str = "",
    *,
    counts: tuple[int, ...] = (13, 13, 13, 13),
    locked: tuple[int, ...] = (),
    unseen: str | None = None,
    word: int = 0,
    can_pass: bool | None = None,
    legal: str | None = None,
    **changes: Any,
) -> thirteen.View:
    """What seat 0 sees."""
    chosen, held, on_table = rules(**changes), cards(hand), cards(top)
    plays = [
        play
        for play in thirteen.combinations(held, chosen)
        if not top or beats(of(" ".join(names(play)), **changes), of(top, **changes), chosen)
    ]
    if chosen["finish_two"] == "no":
        plays = [play for play in plays if play != held or max(play) < 48]
    if legal is not None:
        plays = [cards(text) for text in legal.split("/")]
    hidden = frozenset(range(52)) - held - on_table if unseen is None else cards(unseen)
    return thirteen.View(
        seat=0,
        rules=chosen,
        hand=held,
        legal=plays,
        can_pass=bool(top) if can_pass is None else can_pass,
        top=on_table or None,
        counts=list(counts),
        locked=frozenset(locked),
        unseen=hidden,
        word=word,
    )


def choice(strategy: str, *args: Any, **keywords: Any) -> str:
    answer = thirteen.parse(strategy)(view(*args, **keywords))
    return "-" if answer is None else " ".join(names(answer))


def test_random_numbers_its_answers() -> None:
    expected = ["3S", "3C", "4S", "5S", "9S", "9C", "9D", "9H"]
    expected += ["3S 3C", "9S 9C", "9S 9D", "9C 9D", "9S 9H", "9C 9H", "9D 9H"]
    expected += ["9S 9C 9D", "9S 9C 9H", "9S 9D 9H", "9C 9D 9H", "9S 9C 9D 9H"]
    expected += ["3S 4S 5S", "3C 4S 5S"]
    m = len(expected)
    hand = "3S 3C 4S 5S 9S 9C 9D 9H"
    assert [choice("random", hand, word=(2**32 * i) // m + 1) for i in range(m)] == expected
    assert choice("random", hand, word=2**32 - 1) == "3C 4S 5S"
    # Sequences by number of ranks, then double sequences; the highest card weighs most.
    long = "3S 3C 4S 4C 5S 5C 6S 6C"
    some = view(long)
    m = len(some.legal)
    answers = [thirteen.choose_random(view(long, word=2**32 * i // m + 1), 1) for i in range(m)]
    assert set(answers) == set(some.legal)
    assert [len(play or ()) for play in answers] == (
        [1] * 8 + [2] * 4 + [3] * 16 + [4] * 16 + [6] * 2 + [8]
    )
    assert names(answers[13] or ()) == ["3C", "4S", "5S"]


def test_random_passes() -> None:
    last = 2**32 - 1
    assert choice("random", "5S 6S", "4S", word=last) == "-"
    assert choice("random:passes=1", "5S 6S", "4S", word=last) == "-"
    assert choice("random:passes=0", "5S 6S", "4S", word=last) == "6S"
    assert choice("random", "5S 6S", "4S", word=last // 3) == "5S"
    assert choice("random", "5S 6S", "4S", word=last // 3 + 2) == "6S"
    assert choice("random", "5S 6S", "4S", can_pass=False, word=last) == "6S"


@pytest.mark.parametrize(
    ("hand", "top", "expected", "changes"),
    [
        # Leading: the longest with the lowest card, of equals the weakest.
        ("3S 4C 5H 5D 9S 10S JS QS", "", "3S 4C 5D", {}),
        ("3S 3C 3D 4S 5S", "", "3S 3C 3D", {}),
        ("3C 3D 4S 4C 5S", "", "3C 4S 5S", {}),
        ("3S 5S 5C", "", "3S", {}),
        ("3S 3C 3D 3H 4S 4C 5S 5C", "", "3S 3C 4S 4C 5S 5C", {}),
        ("2S 2C", "", "2S 2C", {}),
        ("2S 2C", "", "2S", {"finish_two": "no"}),
        # Following: the weakest of the type, else the smallest bomb.
        ("5S 5C 2S 6S 6C 6D 6H", "4S", "5S", {}),
        ("4S 4C 4D 9S 9C", "3S 3C", "4S 4C", {}),
        ("4C 4D 5C 5D 6S 6H 7S", "3S 4S 5S", "4C 5C 6S", {}),
        ("3S 3C 4S 4C 5S 5C 9S 9C 9D 9H", "2S", "9S 9C 9D 9H", {}),
        ("3S 3C 4S 4C 5S 5C 2H", "2S", "2H", {}),
        ("3S 3C 4S 4C 5S 5C 6S 6C", "2S", "3S 3C 4S 4C 5S 5C", {}),
        # The lowest strength comes first, the number of cards later.
        (
            "4D 4H 5D 5H 6D 6H 7D 7H",
            "3S 3C 4S 4C 5S 5C",
            "4D 4H 5D 5H 6D 6H",
            {"bomb_vs_bomb": "longer"},
        ),
        (
            "3S 3C 4S 4C 5S 5C 6S 6C JS JC QS QC KS KC",
            "8S 8C 9S 9C 10S 10C",
            "3S 3C 4S 4C 5S 5C 6S 6C",
            {"bomb_vs_bomb": "longer"},
        ),
    ],
)
def test_lowest(hand: str, top: str, expected: str, changes: dict[str, Any]) -> None:
    assert choice("lowest", hand, top, **changes) == expected


def test_lowest_keeps_to_what_is_legal() -> None:
    assert choice("lowest", "3S 4S 5S 6S", legal="4S/3S/3S 4S 5S") == "3S 4S 5S"


def test_shed() -> None:
    assert choice("shed", "3S 4S 5S 6S 7S 9S 9C 9D 9H") == "3S 4S 5S 6S 7S"
    assert choice("shed", "3S 4S 5S 9S 9C 9D") == "3S 4S 5S"
    assert choice("shed", "3S 3C 4S 5S") == "3S 4S 5S"
    assert choice("shed", "2H 3S 3C 4S 4C 5S 5C 9S 9C 9D 9H", "2S") == "3S 3C 4S 4C 5S 5C"
    assert choice("shed", "9S 9C", "3S") == "9S"


def test_highest() -> None:
    assert choice("highest", "3S AH 2S 2C") == "2S 2C"
    assert choice("highest", "3S 2S 2C 2D") == "2S 2C 2D"
    assert choice("highest", "9S 9C 9D", "3S 3C") == "9S 9D"
    assert choice("highest", "9S 10S", "8S") == "10S"


@pytest.mark.parametrize(
    ("strategy", "hand", "top", "expected", "more"),
    [
        ("saver", "3S AS 2S", "", "3S", {}),
        ("saver", "3S AS 2S", "KS", "-", {}),
        ("saver:hold=2:until=5", "3S AS 2S", "KS", "-", {}),
        ("saver", "3S AS 2S", "KS", "AS", {"counts": (13, 13, 5, 13)}),
        ("saver", "3S AS 2S", "KS", "AS", {"counts": (5, 13, 13, 13)}),
        ("saver", "3S AS 2S", "KS", "AS", {"counts": (13, 13, 0, 13)}),
        ("saver", "3S AS 2S", "KS", "-", {"counts": (13, 6, 6, 6)}),
        ("saver:until=6", "3S AS 2S", "KS", "AS", {"counts": (13, 6, 6, 6)}),
        ("saver:until=0", "3S AS 2S", "KS", "-", {"counts": (1, 1, 1, 1)}),
        ("saver:hold=1", "3S AS 2S", "KS", "AS", {}),
        ("saver:hold=1", "3S 2S", "KS", "-", {}),
        ("saver:hold=0", "3S 2S", "KS", "2S", {}),
        ("saver", "3S 2H", "2S", "2H", {}),
        ("saver", "3S 5S 2H", "4S", "5S", {}),
        # Aces stay out of sequences.
        ("saver", "QS KS AS", "9S 10S JS", "-", {}),
        ("saver:hold=1", "QS KS AS", "9S 10S JS", "QS KS AS", {}),
        # Bombs.
        ("saver:hold=0", "3S 3C 3D 3H KS", "", "3S 3C 3D", {}),
        ("saver:hold=0", "3S 3C 3D 3H KS", "", "3S 3C 3D", {"counts": (5, 5, 5, 5)}),
        ("saver:hold=3", "3S 3C 3D 3H KS", "", "KS", {}),
        ("saver:hold=3", "3S 3C 3D 3H KS", "", "3S 3C 3D", {"counts": (5, 5, 5, 5)}),
        ("saver:hold=2", "5S 5C 6S 6C 7S 7C 9S 9C", "4S 4C", "5S 5C", {}),
        ("saver:hold=3", "5S 5C 6S 6C 7S 7C 9S 9C", "4S 4C", "9S 9C", {}),
        ("saver:hold=3", "5S 5C 6S 6C 6D 7S 7C", "4S", "-", {}),  # each 6 is in a bomb
        ("saver", "6S 6C 6D 6H", "2S", "6S 6C 6D 6H", {}),
        ("saver:hold=3", "6S 6C 6D 6H", "2S", "6S 6C 6D 6H", {}),
        ("saver", "6S 6C 6D 6H 4S", "KS", "-", {"bomb_scope": "any"}),
        (
            "saver",
            "6S 6C 6D 6H 4S",
            "KS",
            "-",
            {"bomb_scope": "any", "counts": (5, 5, 5, 5)},
        ),
        ("saver", "7S 7C 7D 7H 3S", "6S 6C 6D 6H", "-", {}),
        # Leading leaves no other; passing is not legal.
        ("saver:until=0", "AS AC 2S", "", "AS AC", {}),
        ("saver", "3S AS 2S", "KS", "AS", {"can_pass": False}),
        ("saver:hold=3:until=0", "3S 3C 3D 3H 2S", "", "3S 3C 3D 3H", {}),
    ],
)
def test_saver(strategy: str, hand: str, top: str, expected: str, more: dict[str, Any]) -> None:
    assert choice(strategy, hand, top, **more) == expected


@pytest.mark.parametrize(
    ("strategy", "hand", "top", "expected", "more"),
    [
        # Leading: the most cards without 2s and bombs; then the weakest.
        ("structure", "3S 5S 5C 8S 9S 10S 2S", "", "8S 9S 10S", {}),
        ("structure", "3S 3C 9S 9C 2S 2C 2D", "", "3S 3C", {}),
        ("structure", "3S 3C 3D 3H 9S", "", "9S", {}),
        ("structure", "3S 3C 3D 3H 2S", "", "3S 3C 3D 3H", {}),
        ("structure", "3S 3C 3D 3H 5S 5C 6S 6C 7S 7C", "", "3S 3C 3D 3H", {}),
        ("structure", "2S 2C", "", "2S", {"finish_two": "no"}),
        ("structure", "3S 4S 5S 2H", "", "3S", {"legal": "3S"}),
        # Following: a play of the plan, or none.
        ("structure", "5S 5C 9S JS", "4S", "9S", {}),
        ("structure", "5S 5C 5D 9S", "4S 4C", "-", {}),
        ("structure", "5S 5C 5D 9S", "4S 4C", "5S 5C", {"counts": (13, 5, 13, 13)}),
        ("structure", "5S 5C 5D 9S", "4S 4C", "-", {"counts": (4, 6, 6, 6)}),
        ("structure:alarm=2", "5S 5C 5D 9S", "4S 4C", "5S 5C", {"counts": (4, 2, 3, 3)}),
        ("structure:alarm=2", "5S 5C 5D 9S", "4S 4C", "-", {"counts": (2, 3, 3, 3)}),
        ("structure:alarm=2", "5S 5C 5D 9S", "4S 4C", "-", {"counts": (4, 0, 3, 3)}),
        ("structure:alarm=3", "5S 5C 5D 9S", "4S 4C", "5S 5C", {"counts": (4, 0, 3, 3)}),
        ("structure:alarm=0", "5S 5C 5D 9S", "4S 4C", "-", {"counts": (4, 1, 0, 3)}),
        ("structure", "5S 5C 5D 9S", "4S 4C", "5S 5C", {"can_pass": False}),
        # 2s are kept while the end is far.
        ("structure", "3S 5S 7S 9S JS 2S", "QS", "-", {}),
        ("structure", "3S 2S", "QS", "2S", {}),
        ("structure", "3S 5S 2S", "QS", "-", {}),
        ("structure:near=5", "3S 5S 7S 9S 2S", "QS", "2S", {}),
        ("structure", "3S 5S 7S 9S JS 2S", "QS", "2S", {"counts": (13, 6, 5, 13)}),
        ("structure", "3S 5S 7S 9S JS 2S", "QS", "-", {"counts": (5, 6, 0, 13)}),
        ("structure", "3S 5S 7S 9S JS 2H", "2S", "2H", {}),
        # Bombs are for 2s.
        ("structure", "3S 3C 3D 3H 9S", "2S", "3S 3C 3D 3H", {}),
        ("structure", "7S 7C 7D 7H 9S", "6S 6C 6D 6H", "-", {}),
        ("structure", "7S 7C 7D 7H 9S", "KS", "-", {"bomb_scope": "any"}),
        (
            "structure",
            "7S 7C 7D 7H 9S",
            "6S 6C 6D 6H",
            "7S 7C 7D 7H",
            {"counts": (5, 2, 9, 9)},
        ),
        ("structure", "9S JS KS 4D 4H 5D 5H 6D 6H 2H", "2S", "4D 4H 5D 5H 6D 6H", {}),
    ],
)
def test_structure(strategy: str, hand: str, top: str, expected: str, more: dict[str, Any]) -> None:
    assert choice(strategy, hand, top, **more) == expected
    if not top:  # where so much is unseen hardly any play is safe
        assert choice(strategy.replace("structure", "control"), hand, top, **more) == expected


@pytest.mark.parametrize(
    ("strategy", "hand", "top", "expected", "more"),
    [
        # Of two plays one is safe: it closes, and leads the safe one.
        ("control", "3S 2H", "", "3S", {}),  # a quad may be about
        ("control", "3S 2H", "", "2H", {"unseen": "4S 5S 2D AS AC AD"}),
        ("structure", "3S 2H", "", "3S", {"unseen": "4S 5S 2D"}),
        ("control", "3S 2H", "", "3S", {"unseen": "4S 5S 9S 9C 9D 9H"}),
        ("control", "3S 2H", "", "3S", {"unseen": "4S 4C 5S 5C 6S 6C"}),
        ("control", "3S 2H", "", "2H", {"unseen": "4S 4C 5S 5C 6S 6C", "bomb_min": (4, 4, 5)}),
        ("control", "3S 4C 2H", "", "4C", {"unseen": "3D 3H"}),
        ("control", "3S 5C 2H", "", "3S", {"unseen": "6S 6C"}),  # two are not safe
        ("control", "3S AH", "", "AH", {"unseen": "4S KS KC"}),
        ("control", "3S AD", "", "3S", {"unseen": "4S AH"}),
        ("control", "3S AD", "", "AD", {"unseen": "4S AH", "compare_suit": "off"}),
        ("control", "3S 10S JS QS", "", "10S JS QS", {"unseen": "4S 10C JC KC"}),
        ("control", "3S 10S JS QS", "", "10S JS QS", {"unseen": "4S 10C JC"}),
        ("control", "3S JS QS KS", "", "JS QS KS", {"unseen": "JC QC KC"}),
        # Nothing is safe.
        ("control", "3S", "", "3S", {}),
        # Safe plays, weakest first.
        ("control", "3S AH 2H", "", "AH", {"unseen": "4S 5S"}),
        ("structure", "3S AH 2H", "", "3S", {"unseen": "4S 5S"}),
        # Following.
        ("structure:near=0", "3S 2H", "KS", "-", {"unseen": "4S 5S"}),
        ("control:near=0", "3S 2H", "KS", "2H", {"unseen": "4S 5S"}),
        ("control:near=0", "3S 2H", "KS", "-", {}),
        ("control", "QS", "JS", "QS", {"unseen": "AS"}),
        ("structure", "7S 7C 7D 7H", "6S 6C 6D 6H", "-", {}),
        ("control", "7S 7C 7D 7H", "6S 6C 6D 6H", "7S 7C 7D 7H", {"unseen": "8S 8C 8D 8H"}),
        ("control:near=0", "3S QS 2H", "JS", "QS", {"unseen": "3C KS"}),  # two are not safe
        ("control:near=0", "3S 4S 5S 9S", "8S", "9S", {"unseen": "10S"}),  # no safe one is legal
        ("control", "4S AH", "3S", "AH", {"unseen": "5S 6S"}),
        ("structure", "4S AH", "3S", "4S", {"unseen": "5S 6S"}),
        ("control", "4S AH", "3S", "4S", {"unseen": "5S 2S"}),
    ],
)
def test_control(strategy: str, hand: str, top: str, expected: str, more: dict[str, Any]) -> None:
    assert choice(strategy, hand, top, **more) == expected


ONE = (13, 1, 13, 13)


@pytest.mark.parametrize(
    ("hand", "top", "expected", "more"),
    [
        ("3S 5S 6S 7S 9S 9C", "", "5S 6S 7S", {"counts": ONE}),
        ("3S 9S 9C", "", "9S 9C", {"counts": ONE}),
        ("3S 5S 5C 9S 10S JS", "", "9S 10S JS", {"counts": ONE}),
        ("3S 9S 9C JS JC", "", "9S 9C", {"counts": ONE}),
        ("3S 9S KS", "", "KS", {"counts": ONE}),
        ("3S 9S KS", "", "3S", {"counts": (1, 13, 13, 13)}),
        ("3S 9S KS", "", "3S", {"counts": (13, 2, 0, 13)}),
        ("3S 2S 2C", "", "2C", {"counts": ONE}),
        ("3S 9S 9C 9D 9H", "", "9H", {"counts": ONE}),
        ("3S 9S KS", "", "3S", {"counts": ONE, "legal": "3S"}),
        ("2S 2C", "", "2C", {"counts": ONE, "finish_two": "no"}),
        # Following a single: the highest of the hand, not of the plan.
        ("5S 9S 9C", "4S", "9C", {"counts": ONE}),
        ("5S 9S 9C", "4S", "5S", {"counts": ONE, "locked": (1,)}),
        ("5S 9S 9C", "4S", "9C", {"counts": (13, 1, 1, 13), "locked": (1,)}),
        ("5S 9S 9C", "4S", "5S", {"counts": (13, 2, 13, 13)}),
        ("5S 9S 9C KS KC", "3S 3C", "9S 9C", {"counts": ONE}),
        ("6S 6C 6D 6H 3S", "2S", "6S 6C 6D 6H", {"counts": ONE}),
        # As control without such seats.
        ("3S 2H", "", "2H", {"unseen": "4S 5S"}),
    ],
)
def test_blocker(hand: str, top: str, expected: str, more: dict[str, Any]) -> None:
    assert choice("blocker", hand, top, **more) == expected


def test_parse() -> None:
    assert choice("saver:hold=1", "3S AS 2S", "KS") == "AS"
    assert choice("saver:until=13:hold=2", "3S AS 2S", "KS") == "AS"
    with pytest.raises(AssertionError):
        thirteen.parse("lowest:hold=1")
    with pytest.raises(KeyError):
        thirteen.parse("boldest")


def test_strongest_is_all_that_matters() -> None:
    """A pool beats a play exactly if one of its combinations does."""
    rng = random.Random(11)
    both = Counter()
    for _ in range(300):
        chosen = some_rules(rng)
        pool = crowded(rng, rng.randint(4, 14), rng.choice((5, 7, 13)))
        rest = [card for card in range(52) if card not in pool]
        hand = rng.sample(rest, 8)
        every = [classify(play, chosen) for play in thirteen.combinations(pool, chosen)]
        top = thirteen.strongest(pool, chosen)
        for play in thirteen.combinations(hand, chosen):
            t = thirteen.certain(play, chosen)
            expected = any(beats(x, t, chosen) for x in every if x)
            assert any(beats(x, t, chosen) for x in top) == expected
            both[expected] += 1
    assert min(both.values()) > 500


def test_what_a_seat_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    views: list[thirteen.View] = []

    def spy(seen: thirteen.View) -> Cards | None:
        views.append(seen)
        return thirteen.choose_lowest(seen)

    monkeypatch.setitem(thirteen.STRATEGIES, "spy", (spy, {}))
    game = thirteen.play(rules(players=3, instant=()), ["spy", "random", "highest"], 12, 0)
    assert len(views) == game.asked[0]
    for k, seen in enumerate(views):
        assert seen.seat == 0 and len(seen.hand) == seen.counts[0]
        assert not seen.unseen & seen.hand and not (seen.top and seen.unseen & seen.top)
        assert len(seen.unseen) == seen.counts[1] + seen.counts[2] + 13  # undealt ones too
        assert seen.can_pass == (seen.top is not None)
        assert len(seen.legal) + seen.can_pass > 1
        words = stream(12, 1, 0, 0)
        assert seen.word == [words.word() for _ in range(k + 1)][-1]


def test_each_deal_has_its_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """The k-th decision that a seat is asked in a deal has the k-th word, read or not."""
    asked: list[tuple[int, int]] = []

    def spy(seen: thirteen.View) -> Cards | None:
        asked.append((seen.seat, seen.word))
        return thirteen.choose_lowest(seen)

    monkeypatch.setitem(thirteen.STRATEGIES, "spy", (spy, {}))
    game = thirteen.play(rules(players=2, target=6), ["spy", "spy"], 13, 5)
    assert game.deals > 1
    expected = {
        (seat, stream_.word())
        for deal in range(game.deals)
        for seat in (0, 1)
        for stream_ in [stream(13, 1 + seat, 5, deal)]
        for _ in range(60)
    }
    assert set(asked) <= expected and len(set(asked)) == len(asked)
    firsts = [stream(13, 1 + seat, 5, deal).word() for deal in range(2) for seat in (0, 1)]
    assert set(firsts) <= {word for _, word in asked}


# Strategies at play


def opener_wins(strategy: str, n: int) -> int:
    chosen = rules(play_until="first", instant=())
    games = [thirteen.play(chosen, [strategy] * 4, 14, i) for i in range(n)]
    return sum(sum(game.opener_wins) for game in games)


def test_the_opener_is_ahead_with_long_leads() -> None:
    n = 500
    assert opener_wins("shed", n) > n / 4 + 2.5 * sqrt(n * 3 / 16)


# An auditor of events


def some_rules(rng: random.Random) -> thirteen.Rules:
    """Rules at random, where each option often has its default."""
    players = rng.choice((2, 3, 4, 4))

    def often(*values: Any) -> Any:
        return rng.choice((values[0], values[0], *values))

    dseq_min = often(3, 2, 4)
    least = [0, *range(dseq_min, 7)]
    points = sorted((rng.randint(0, 5) for _ in range(players)), reverse=True)
    points[0] = max(1, points[0])
    return rules(
        players=players,
        target=often(None, 1, 5, 12),
        bomb_min=often((max(3, dseq_min), 4, 5), tuple(rng.choice(least) for _ in range(3))),
        quad_beats=often(1, 0, 2, 3),
        bomb_vs_bomb=often("same", "longer", "hierarchy", "quad_over_3"),
        bomb_scope=often("twos", "any"),
        lockout=often("on", "off"),
        bomb_after_pass=rng.choice(("no", "four", "yes")),
        first_lead=often("include", "single", "free"),
        starter=rng.choice(("winner", "loser", "lowest")),
        lead_after_out=rng.choice(("next", "previous_player", "last_passer")),
        instant=often(
            ("twos", "dragon"), (), tuple(k for k in thirteen.KINDS if rng.random() < 0.6)
        ),
        instant_tie=rng.choice(("seat", "dragon", "twos", "void")),
        seq_min=often(3, 2, 4, 5),
        dseq_min=dseq_min,
        seq_twos=often("no", "high"),
        compare_suit=often("on", "off"),
        pass_rule=often("free", "forced"),
        finish_two=often("yes", "no"),
        play_until=often("last", "first"),
        points=often("auto", tuple(points)),
        score=often("places", "cards"),
        penalties=often(None, (1, 2, 3, 4, 6), PRICES),
        max_turns=often(10000, rng.randint(1, 120)),
    )


class Rich(random.Random):
    """A shuffle after which hands hold neighbouring ranks in pairs, so that bombs abound."""

    def __init__(self, seed: int, players: int) -> None:
        super().__init__(seed)
        self.players = players

    def shuffle(self, x: Any) -> None:
        pairs = []
        for low in range(0, 52, 4):
            four = self.sample(range(low, low + 4), 4)
            place = self.uniform(0, 12) if low == 48 else low / 4
            pairs += [(place + self.gauss(0, 1.2), four[i : i + 2]) for i in (0, 2)]
        order = sum((pair for _, pair in sorted(pairs)), [])
        hands = self.sample([order[13 * i : 13 * (i + 1)] for i in range(4)], self.players)
        dealt = [card for turn in zip(*hands, strict=True) for card in turn]
        x[:] = dealt + [card for card in order if card not in dealt]


def some_strategy(rng: random.Random) -> str:
    return rng.choice(
        [
            *("random", "random:passes=0", "lowest", "shed", "highest", "random"),
            f"saver:hold={rng.randint(0, 3)}:until={rng.randint(0, 13)}",
            f"{rng.choice(('structure', 'control', 'blocker'))}:near={rng.randint(0, 13)}"
            f":alarm={rng.randint(0, 13)}",
        ]
    )


class Audit:
    """Follows the events of a game with a queue of those who are to act for each top."""

    def __init__(self, chosen: thirteen.Rules, game: thirteen.Game) -> None:
        self.rules, self.game, self.pos, self.n = chosen, game, 0, chosen["players"]
        self.count: Counter[str] = Counter()
        self.bombs: dict[str, Counter[str]] = {"played": Counter(), "beaten": Counter()}
        totals, leader, by_card = [0] * self.n, -1, True
        opener_at, opener_wins = [0] * self.n, [0] * self.n
        capped = False
        while True:
            self.count["deals"] += 1
            deal = self.next("deal")
            assert deal["number"] == self.count["deals"]
            self.hands = [set(cards(" ".join(hand))) for hand in deal["hands"]]
            assert [len(hand) for hand in self.hands] == [13] * self.n
            lowest = min(min(hand) for hand in self.hands)
            if by_card:
                leader = [lowest in hand for hand in self.hands].index(True)
            assert deal["starter"] == leader
            opener_at[leader] += 1
            start = self.count["turns"]
            places, points, self.kind = self.deal(leader, lowest if by_card else None)
            end = self.next("game_end")
            assert end == {"places": places, "points": points}
            capped = places == [0] * self.n and self.kind != "void"
            if capped:
                assert self.count["turns"] - start == chosen["max_turns"]
            totals = [a + b for a, b in zip(totals, points, strict=True)]
            winner = places.index(1) if 1 in places else -1
            opener_wins[leader] += winner == leader
            if self.count["deals"] == 1:
                assert game.opener == leader
                assert game.instant == (self.kind if self.kind in thirteen.KINDS else "")
            ahead = [p for p in range(self.n) if totals[p] == max(totals)]
            if capped or chosen["target"] is None:
                break
            if max(totals) >= chosen["target"] and len(ahead) == 1:
                winner = ahead[0]
                places = [1 + sum(t > mine for t in totals) for mine in totals]
                break
            by_card = chosen["starter"] == "lowest" and self.kind != "void"
            if chosen["starter"] == "winner" and winner >= 0:
                leader = winner
            if chosen["starter"] == "loser" and winner >= 0:
                leader = self.loser(places, winner)
        assert self.pos == len(game.events)
        assert game.status == ("capped" if capped else "finished")
        assert game.points == ([0] * self.n if capped else totals)
        assert (game.places, game.winner) == (places, winner)
        assert game.winners == [winner] * (winner >= 0)
        assert (game.opener_at, game.opener_wins) == (opener_at, opener_wins)
        assert game.cards_left == [len(hand) for hand in self.hands]
        for key in ("turns", "plays", "passes", "tricks", "deals"):
            assert getattr(game, key) == self.count[key], key
        for bomb in BOMBS:
            assert game.bombs_played[bomb] == self.bombs["played"][bomb]
            assert game.bombs_beaten[bomb] == self.bombs["beaten"][bomb]

    def peek(self) -> str:
        return str(self.game.events[self.pos]["event"])

    def next(self, kind: str) -> dict[str, Any]:
        assert self.peek() == kind, self.game.events[self.pos :][:3]
        self.pos += 1
        return {key: x for key, x in self.game.events[self.pos - 1].items() if key != "event"}

    def loser(self, places: list[int], winner: int) -> int:
        if self.stuck:
            return self.stuck[0]
        if self.n in places:
            return places.index(self.n)
        most = max(len(hand) for seat, hand in enumerate(self.hands) if seat != winner)
        while True:
            winner = (winner + 1) % self.n
            if len(self.hands[winner]) == most:
                return winner

    def holders(self, seat: int) -> list[int]:
        order = [*range(seat + 1, self.n), *range(seat)]
        return [other for other in order if self.hands[other]]

    def allowed(self, seat: int, top: Cards | None) -> list[Cards]:
        """Plays a seat that isn't locked may make but for the first lead."""
        plays = thirteen.combinations(self.hands[seat], self.rules)
        if top is not None:
            t = thirteen.certain(top, self.rules)
            plays = [p for p in plays if beats(thirteen.certain(p, self.rules), t, self.rules)]
        if self.rules["finish_two"] == "no":
            plays = [p for p in plays if len(p) < len(self.hands[seat]) or max(p) < 48]
        return plays

    def late_bombs(self, seat: int, top: Cards) -> list[Cards]:
        kinds = {"no": (), "four": BOMBS[3:], "yes": BOMBS}[self.rules["bomb_after_pass"]]
        plays = self.allowed(seat, top)
        return [p for p in plays if shape(thirteen.certain(p, self.rules)) in kinds]

    def deal(self, leader: int, bound: int | None) -> tuple[list[int], list[int], str]:
        chosen, n = self.rules, self.n
        self.stuck: list[int] = []
        nothing = [0] * n
        first_points = chosen["points"][0] if chosen["points"] != "auto" else 3
        instant = {
            seat: kind
            for seat in (*range(leader, n), *range(leader))
            if (kind := thirteen.instant_kind(self.hands[seat], chosen))
        }
        if len(instant) > 1 and chosen["instant_tie"] == "void":
            return nothing, nothing, "void"
        if instant:
            event = self.next("instant")
            best = [seat for seat in instant if instant[seat] == chosen["instant_tie"]]
            assert event["player"] == [*best, *instant][0]
            assert event["kind"] == instant[event["player"]]
            places = [int(seat == event["player"]) for seat in range(n)]
            pay = 26 if chosen["score"] == "cards" else 0
            won = pay * (n - 1) if pay else first_points
            return places, [won if place else -pay for place in places], event["kind"]
        done = [0] * n  # plays
        money: Counter[int] = Counter()
        out: list[int] = []
        turns = 0
        while True:  # a trick
            top: Cards | None = None
            owner, queue, locked = -1, [leader], set[int]()
            players: list[int] = []
            passers: list[int] = []
            while queue:
                if turns == chosen["max_turns"]:
                    return nothing, nothing, "capped"
                turns += 1
                self.count["turns"] += 1
                seat = queue.pop(0)
                plays = self.allowed(seat, top)
                if top is not None and seat in locked:
                    plays = self.late_bombs(seat, top)
                if bound is not None:
                    match chosen["first_lead"]:
                        case "include":
                            plays = [p for p in plays if bound in p]
                        case "single":
                            plays = [frozenset([bound])]
                if self.peek() == "pass":
                    assert self.next("pass") == {"player": seat}
                    self.count["passes"] += 1
                    assert not plays or (top is not None and chosen["pass_rule"] == "free")
                    if top is None:
                        self.stuck.append(seat)
                        if len(self.stuck) == sum(map(bool, self.hands)):
                            return self.settle(out, done, money)
                        queue = self.holders(seat)[:1]
                    else:
                        passers.append(seat)
                        locked.add(seat)
                    continue
                event = self.next("play")
                play = cards(" ".join(event["cards"]))
                assert event["player"] == seat and play in plays
                assert event["cards"] == names(sorted(play))
                x = thirteen.certain(play, chosen)
                assert event["combination"] == x.type
                self.bombs["played"][shape(x)] += 1
                if top is None:
                    self.count["tricks"] += 1
                else:
                    self.bombs["beaten"][shape(thirteen.certain(top, chosen))] += 1
                    if x.bomb and chosen["penalties"]:
                        price = self.price(top)
                        money[owner] -= price
                        money[seat] += price
                self.count["plays"] += 1
                done[seat] += 1
                self.hands[seat] -= play
                top, owner, bound, self.stuck = play, seat, None, []
                players.append(seat)
                if not self.hands[seat]:
                    out.append(seat)
                    assert self.next("out") == {"player": seat, "place": len(out)}
                    first_only = chosen["play_until"] == "first" or chosen["score"] == "cards"
                    if first_only or len(out) == n - 1:
                        return self.settle(out, done, money)
                if chosen["lockout"] == "off":
                    locked.clear()
                queue = [
                    other
                    for other in self.holders(seat)
                    if other not in locked or self.late_bombs(other, play)
                ]
            leader = owner
            if not self.hands[owner]:
                leader = self.holders(owner)[0]
                others = [p for p in players if p != owner]
                wanted = {"previous_player": others, "last_passer": passers}
                for other in wanted.get(chosen["lead_after_out"], [])[-1:]:
                    leader = other if self.hands[other] else leader
            assert self.next("close") == {"leader": leader}

    def price(self, play: Cards) -> int:
        """Of a play that is beaten by a bomb."""
        black, red, three, quad, four = self.rules["penalties"]
        what = shape(thirteen.certain(play, self.rules))
        if what in ("single", "pair", "triple") and min(play) >= 48:
            return sum((black, black, red, red)[card % 4] for card in play)
        return int({"quad": quad, "pairs_3": three}.get(what, four if what in BOMBS[3:] else 0))

    def settle(
        self, out: list[int], done: list[int], money: Counter[int]
    ) -> tuple[list[int], list[int], str]:
        chosen, n = self.rules, self.n
        order = out + (self.stuck[1:] + self.stuck[:1] or [p for p in range(n) if p not in out])
        winner = order[0]
        amounts = chosen["points"]
        if amounts == "auto":
            amounts = [[], [], [3, 0], [3, 2, 0], [3, 2, 1, 0]][n]
        places = [order.index(seat) + 1 for seat in range(n)]
        if chosen["score"] == "cards" or chosen["play_until"] == "first":
            places = [int(place == 1) for place in places]
        points = [amounts[place - 1] if place else 0 for place in places]
        if chosen["score"] == "cards":
            points = [-len(self.hands[seat]) if done[seat] else -26 for seat in range(n)]
            points[winner] = 0
            points[winner] = -sum(points)
        if chosen["penalties"]:
            black, red, three, quad, four = chosen["penalties"]
            for seat in range(n):
                hand = self.hands[seat]
                if seat == winner or not out:
                    continue
                counts = [len([card for card in hand if card // 4 == r]) for r in range(12)]
                price = sum((black, black, red, red)[card - 48] for card in hand if card >= 48)
                price += quad * counts.count(4)
                for paired, group in itertools.groupby(counts, lambda held: held >= 2):
                    length = len(list(group))
                    if paired and length >= 3:
                        price += three if length == 3 else four
                money[seat] -= price
                money[winner] += price
            points = [points[seat] + money[seat] for seat in range(n)]
        return places, points, ""


@pytest.mark.parametrize("dealer", ["deferred", "literal", "rich"])
def test_audit_of_random_rules(dealer: str) -> None:
    rng = random.Random(f"15 {dealer}")
    seen: Counter[str] = Counter()
    for i in range(300 if dealer == "rich" else 60):
        chosen = some_rules(rng)
        strategies = [some_strategy(rng) for _ in range(chosen["players"])]
        literal = {"rich": Rich(i, chosen["players"]), "literal": random.Random(i)}.get(dealer)
        game = thirteen.play(chosen, strategies, 16, i, literal=literal)
        Audit(chosen, game)
        if chosen["score"] == "cards":
            assert sum(game.points) == 0
        seen[game.status] += 1
        seen["match"] += game.deals > 1
        seen[game.instant] += 1
        for bomb, n in game.bombs_beaten.items():
            seen[bomb] += n
    few = min(seen[key] for key in ("finished", "capped", "match"))
    assert few >= 4
    if dealer == "rich":
        assert min(seen[key] for key in ("twos", "three_triples_run", *BOMBS[:4])) >= 4


HARD: list[dict[str, Any]] = [
    {"bomb_after_pass": "yes", "bomb_scope": "any", "bomb_vs_bomb": "hierarchy", "dseq_min": 2},
    {"bomb_after_pass": "four", "bomb_scope": "any", "bomb_vs_bomb": "longer", "seq_min": 5},
    {"bomb_after_pass": "yes", "quad_beats": 3, "bomb_min": (2, 2, 2), "dseq_min": 2},
    {"finish_two": "no", "pass_rule": "forced", "penalties": PRICES},
    {"finish_two": "no", "players": 2, "target": 20, "starter": "loser"},
    {"finish_two": "no", "players": 3, "lead_after_out": "last_passer", "lockout": "off"},
    {"lead_after_out": "previous_player", "lockout": "off", "pass_rule": "forced"},
    {"lead_after_out": "previous_player", "bomb_after_pass": "yes", "bomb_scope": "any"},
    {"instant": thirteen.KINDS, "instant_tie": "void", "target": 12, "starter": "loser"},
    {"instant": thirteen.KINDS, "instant_tie": "void", "target": 12, "starter": "lowest"},
    {"score": "cards", "penalties": PRICES, "target": 40, "starter": "loser"},
    {"play_until": "first", "points": (1, 0, 0, 0), "target": 4, "starter": "loser"},
]


@pytest.mark.parametrize("changes", HARD)
def test_audit_of_hard_rules(changes: dict[str, Any]) -> None:
    chosen = rules(**changes)
    n = chosen["players"]
    strategies = ["random", "random:passes=0", "lowest", "shed"][:n]
    for i in range(12):
        turned = strategies[i % n :] + strategies[: i % n]
        literal = Rich(i, n) if i % 3 else None
        Audit(chosen, thirteen.play(chosen, turned, 17, i, literal=literal))


def test_the_auditor_notices() -> None:
    chosen = rules(penalties=PRICES)
    game = thirteen.play(chosen, ["lowest"] * 4, 18, 0)
    Audit(chosen, game)
    for at in range(1, len(game.events)):
        events = game.events
        game.events = events[:at] + events[at + 1 :]
        with pytest.raises((AssertionError, IndexError)):
            Audit(chosen, game)
        game.events = events


# Addresses, given moves, conservation


def test_a_game_depends_on_its_address_alone() -> None:
    chosen, four = rules(), ["random", "saver", "control", "highest"]
    one = thirteen.play(chosen, four, 1, 2)
    thirteen.play(chosen, four, 1, 3)
    assert thirteen.play(chosen, four, 1, 2) == one
    assert thirteen.play(chosen, four, 2, 2).events[0] != one.events[0]
    assert thirteen.play(chosen, four, 1, 3).events[0] != one.events[0]
    other = thirteen.play(chosen, ["highest"] * 4, 1, 2)
    assert other.events[0] == one.events[0] and other.events != one.events


def test_given_moves_replay_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Cards | None] = []

    def record(choose: thirteen.Chooser) -> Callable[..., Cards | None]:
        def recorded(seen: thirteen.View, **parameters: int) -> Cards | None:
            made.append(choose(seen, **parameters))
            return made[-1]

        return recorded

    names_ = ["random", "saver", "structure", "shed"]
    for each in names_:
        choose, defaults = thirteen.STRATEGIES[each]
        monkeypatch.setitem(thirteen.STRATEGIES, each, (record(choose), defaults))
    game = thirteen.play(rules(target=5), names_, 19, 0)
    assert None in made and len(made) == sum(game.asked)
    answers = list(made)
    assert thirteen.play(rules(target=5), ["given"] * 4, 19, 0, moves=answers) == game


@pytest.mark.parametrize("fault", ["lost", "doubled"])
def test_conservation_is_checked(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clear = thirteen.Deal.clear

    def faulty(deal: thirteen.Deal) -> None:
        clear(deal)
        if deal.aside:
            deal.aside = deal.aside[1:] if fault == "lost" else deal.aside + deal.aside[:1]

    monkeypatch.setattr(thirteen.Deal, "clear", faulty)
    with pytest.raises(AssertionError, match="astray"):
        thirteen.play(rules(instant=()), ["lowest"] * 4, 20, 0)
