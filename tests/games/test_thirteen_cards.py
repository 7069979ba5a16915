"""What cards are, what beats what, and what may be played: the kernel's code against the referee.

Hands, tops and rules are random, and richer in combinations than chance would make them.
"""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from games.thirteen_cases import for_referee, random_rules
from referees import thirteen as referee

from simcards import thirteen
from simcards.kernels import jit, thirteen_questions
from simcards.kernels.thirteen_numbers import MAX_PLAYS
from simcards.kernels.thirteen_table import TABLE
from simcards.sim.chunk import rules_array
from simcards.sim.errors import RequestError
from simcards.sim.games.thirteen import Rules
from simcards.sim.games.thirteen_rules import BOMB_VS_BOMB
from simcards.sim.plan import make_plan

Cards = frozenset[int]


def mask(cards: Any) -> int:
    return sum(1 << card for card in cards)


def cards_of(number: int) -> Cards:
    return frozenset(card for card in range(52) if number >> card & 1)


class Asked:
    """The kernel's answers under fixed rules, without the cost of making a plan for each."""

    def __init__(self, rules: Rules) -> None:
        jit.prepare(thirteen_questions.ask, thirteen_questions.SIGNATURE)
        self.rules = rules_array(make_plan("thirteen", rules=rules, seed=0))
        self.tables = np.zeros(1, TABLE)
        self.found = np.zeros(MAX_PLAYS, np.int64)

    def ask(self, question: int, first: int, second: int = 0) -> list[int]:
        number = thirteen_questions.ask(
            np.int64(question),
            self.rules,
            self.tables,
            np.int64(first),
            np.int64(second),
            self.found,
        )
        return self.found[:number].tolist()

    def classify(self, cards: Cards) -> tuple[int, int]:
        copies, ranks = self.ask(thirteen_questions.CLASSIFY, mask(cards))
        return copies, ranks

    def beats(self, cards: Cards, top: Cards) -> bool:
        return bool(self.ask(thirteen_questions.BEATS, mask(cards), mask(top))[0])

    def plays(self, hand: Cards, top: Cards | None) -> list[int]:
        lies = mask(top) if top else 0
        return self.ask(thirteen_questions.LEGAL_PLAYS, mask(hand), lies)

    def plan(self, hand: Cards) -> list[int]:
        return self.ask(thirteen_questions.PLAN, mask(hand))


def kind(x: referee.Combination | None) -> tuple[int, int]:
    """Copies and ranks, as the kernel has them."""
    if x is None:
        return 0, 0
    if x.type == "sequence":
        return 1, x.size
    if x.type == "double_sequence":
        return 2, x.size // 2
    return x.size, 1


def place(cards: Cards, x: referee.Combination) -> tuple[int, int, int]:
    """Where a play stands: by type, by number of ranks, then by the sum of 2^card."""
    return referee.TYPES.index(x.type), x.size, mask(cards)


def random_hand(choose: random.Random, size: int) -> Cards:
    """Any hand, or one from a few ranks, a row of ranks, or many cards of the same ranks."""
    way = choose.random()
    if way < 0.1:
        low = choose.randint(0, 13 - size)
        return frozenset(4 * rank + choose.randrange(4) for rank in range(low, low + size))
    if way < 0.4:
        return frozenset(choose.sample(range(52), size))
    if way < 0.7:
        ranks = max(-(-size // 4), choose.randint(3, 8))
        low = choose.randint(0, 13 - ranks)
        return frozenset(choose.sample(range(4 * low, 4 * (low + ranks)), size))
    pool: list[int] = []
    for rank in choose.sample(range(13), 13):
        pool += choose.sample(range(4 * rank, 4 * rank + 4), choose.choice((2, 2, 3, 4)))
    return frozenset(pool[:size])


def random_top(choose: random.Random, rules: dict[str, Any], free: Cards) -> Cards | None:
    """A combination of cards that are not in the hand; 2s and bombs often."""
    while True:
        pool = random_hand(choose, choose.randint(4, 13)) & free
        found = referee.combinations(pool, rules)
        if not found:
            continue
        if choose.random() < 0.5:
            rare = [
                play
                for play in found
                if referee.certain(play, rules).bomb or referee.certain(play, rules).twos
            ]
            found = rare or found
        return choose.choice(found)


def rules_to_try(seed: int, number: int):
    choose = random.Random(seed)
    for _ in range(number):
        rules = random_rules(choose)
        yield choose, for_referee(rules), Asked(rules)


@pytest.mark.parametrize("block", range(4))
def test_plays_over_a_top_are_those_that_beat_it_in_order(block: int) -> None:
    """Pitfall 1: bombs on 2s and on bombs; pitfall 2: runs of every length, the whole hand too."""
    seen: Counter[str] = Counter()
    for choose, rules, asked in rules_to_try(block, 50):
        for _ in range(50):
            hand = random_hand(choose, choose.choice((13, 13, *range(1, 13))))
            found = [
                (play, referee.certain(play, rules)) for play in referee.combinations(hand, rules)
            ]
            found.sort(key=lambda one: place(*one))
            leads = asked.plays(hand, None)
            assert leads == [mask(play) for play, _ in found], (rules, hand)
            seen["leads"] += len(leads)
            seen["whole hand"] += mask(hand) in leads and len(hand) > 4
            for _ in range(4):
                top = random_top(choose, rules, frozenset(range(52)) - hand)
                t = referee.certain(top, rules)
                expected = [mask(play) for play, x in found if referee.beats(x, t, rules)]
                assert asked.plays(hand, top) == expected, (rules, hand, top)
                seen["tops"] += 1
                seen["beaten"] += bool(expected)
                if t.bomb or t.twos:
                    what = "bombs" if t.bomb else "twos"
                    seen[f"{what} beaten by bombs"] += any(
                        x.bomb and referee.beats(x, t, rules) for _, x in found
                    )
    assert seen["tops"] == 10_000
    for what in ("whole hand", "beaten", "bombs beaten by bombs", "twos beaten by bombs"):
        assert seen[what] > 50, seen


def combinations_of_every_kind(choose: random.Random, rules: dict[str, Any]) -> list[Cards]:
    """Combinations of every type and length, low, high and in between; and those with 2s."""
    found: list[Cards] = []
    for rank in (0, 5, 11, 12):
        cards = range(4 * rank, 4 * rank + 4)
        for size in range(1, 5):
            found += [frozenset(choose.sample(cards, size)), frozenset(cards[-size:])]
    for copies, longest in ((1, 13), (2, 6)):
        least = rules["seq_min"] if copies == 1 else rules["dseq_min"]
        for ranks in range(least, longest + 1):
            last = referee.last_rank(copies, rules) + 1 - ranks
            for low in {0, last // 2, last} if last >= 0 else ():
                found.append(
                    frozenset(
                        card
                        for rank in range(low, low + ranks)
                        for card in choose.sample(range(4 * rank, 4 * rank + 4), copies)
                    )
                )
    return found


@pytest.mark.parametrize("bomb_vs_bomb", BOMB_VS_BOMB)
@pytest.mark.parametrize("bomb_scope", ["twos", "any"])
def test_every_type_on_every_type(bomb_vs_bomb: str, bomb_scope: str) -> None:
    """Shorter, equal and longer; no two beat each other, and nothing beats itself."""
    choose = random.Random(f"{bomb_vs_bomb} {bomb_scope}")
    seen: set[tuple[str, str, int]] = set()
    for bomb_min, quad_beats, compare_suit in (
        ((3, 4, 5), 1, "on"),
        ((2, 3, 6), 3, "off"),
        ((0, 2, 0), 2, "on"),
        ((6, 0, 2), 0, "on"),
    ):
        own = Rules(
            bomb_vs_bomb=bomb_vs_bomb,
            bomb_scope=bomb_scope,
            bomb_min=bomb_min,
            quad_beats=quad_beats,
            compare_suit=compare_suit,
            dseq_min=2,
            seq_twos="high" if compare_suit == "on" else "no",
        ).resolved()
        rules, asked = for_referee(own), Asked(own)
        found = combinations_of_every_kind(choose, rules)
        kinds = [(play, referee.certain(play, rules)) for play in found]
        beaten = {}
        for (play, x), (top, t) in product(kinds, kinds):
            expected = referee.beats(x, t, rules)
            assert asked.beats(play, top) == expected, (own, x, t)
            beaten[play, top] = expected
            longer = (x.size > t.size) - (x.size < t.size)
            seen.add((x.type, t.type, longer))
        for play, top in beaten:
            assert not (beaten[play, top] and beaten[top, play]), (own, play, top)
    for x_type, t_type in product(referee.TYPES, referee.TYPES):
        runs = [one for one in (x_type, t_type) if "sequence" in one]
        if len(runs) == 2:
            assert {(x_type, t_type, longer) for longer in (-1, 0, 1)} <= seen
        else:
            assert {one for one in seen if one[:2] == (x_type, t_type)}


def random_cards(choose: random.Random, rules: dict[str, Any]) -> Cards:
    """Some cards: any, or a combination, or one with a card changed."""
    size = choose.randint(1, 13)
    hand = random_hand(choose, size)
    if choose.random() < 0.4:
        return hand
    low = choose.randint(0, 12)
    ranks = choose.randint(1, 13 - low)
    copies = choose.choice((1, 1, 2, 2, 3, 4) if ranks > 1 else (1, 2, 3, 4))
    cards = {
        card
        for rank in range(low, low + ranks)
        for card in choose.sample(range(4 * rank, 4 * rank + 4), copies)
    }
    if choose.random() < 0.3:
        cards ^= {choose.randrange(52)}
    found = sorted(cards)[:13] or [choose.randrange(52)]
    return frozenset(found)


def test_any_cards_are_classified() -> None:
    seen: Counter[str] = Counter()
    for choose, rules, asked in rules_to_try(17, 100):
        for _ in range(300):
            cards = random_cards(choose, rules)
            x = referee.classify(cards, rules)
            assert asked.classify(cards) == kind(x), (rules, cards)
            seen[x.type if x else "none"] += 1
            seen["with a 2"] += bool(x and "sequence" in x.type and max(cards) >= 48)
            seen["no run for its 2"] += bool(
                x is None
                and len({card // 4 for card in cards}) == len(cards) >= rules["seq_min"]
                and max(cards) - min(cards) < 4 * len(cards) + 3
                and max(cards) >= 48
            )
    assert min(seen.values()) > 100 and seen["none"] > 5000 and len(seen) == 9, seen


def test_nothing_goes_round() -> None:
    for rules in ({}, {"seq_twos": "high"}):
        for cards in ("AS 2S 3S", "KS AS 2S 3S", "2S 3S 4S", "AS AC 2S 2C 3S 3C", "QS KS 2S"):
            assert thirteen.classify(cards, rules) is None
        assert thirteen.classify("KS KC AS AC 2S 2C", rules) is None
        found = thirteen.classify("KS AS 2S", rules)
        assert (found is not None) == bool(rules)


@pytest.mark.parametrize("block", range(2))
def test_the_plan_is_the_referees(block: int) -> None:
    seen: Counter[int] = Counter()
    for choose, rules, asked in rules_to_try(30 + block, 50):
        for _ in range(100):
            hand = random_hand(choose, choose.choice((13, 13, *range(1, 13))))
            expected = referee.plan(hand, rules)
            assert asked.plan(hand) == [mask(play) for play in expected], (rules, hand)
            seen[len(expected)] += 1
    assert set(range(1, 8)) <= set(seen), seen


def test_what_is_left_of_a_plan_is_the_plan_of_what_is_left() -> None:
    """So a plan is kept while its plays are made, one by one."""
    for choose, rules, asked in rules_to_try(50, 60):
        for _ in range(30):
            hand = random_hand(choose, choose.choice((13, 13, *range(2, 13))))
            plan = asked.plan(hand)
            for play in plan:
                rest = [other for other in plan if other != play]
                assert asked.plan(hand - cards_of(play)) == rest, (rules, hand, play)


def fewest(hand: Cards, rules: dict[str, Any]) -> int:
    """Fewest plays of any kind that use up a hand: every split is tried."""
    plays = referee.combinations(hand, rules)

    def search(left: Cards, so_far: int, best: int) -> int:
        if not left:
            return so_far
        if so_far + 1 >= best:
            return best
        low = min(left)
        for play in plays:
            if low in play and play <= left:
                best = min(best, search(left - play, so_far + 1, best))
        return best

    return search(hand, 0, len(hand) + 1)


def test_no_split_has_fewer_plays_than_the_plan() -> None:
    for choose, rules, asked in rules_to_try(40, 20):
        for _ in range(10):
            hand = random_hand(choose, choose.randint(1, 9))
            plan = [cards_of(play) for play in asked.plan(hand)]
            assert sorted(card for play in plan for card in play) == sorted(hand)
            assert all(referee.classify(play, rules) for play in plan)
            assert len(plan) == fewest(hand, rules), (rules, hand)


# The same through what people call


def written(cards: Any) -> str:
    return " ".join(referee.names(cards))


def test_the_public_functions_answer_the_same() -> None:
    choose = random.Random(50)
    for _ in range(40):
        own = random_rules(choose)
        rules, asked = for_referee(own), Asked(own)
        hand = random_hand(choose, 13)
        top = random_top(choose, rules, frozenset(range(52)) - hand)
        t = referee.certain(top, rules)
        assert thirteen.legal_plays(written(hand), written(top), own) == [
            tuple(referee.names(cards_of(play))) for play in asked.plays(hand, top)
        ]
        leads = [cards_of(play) for play in asked.plays(hand, None)]
        assert thirteen.legal_plays(referee.names(hand), rules=own) == [
            tuple(referee.names(play)) for play in leads
        ]
        assert thirteen.fewest_plays(written(hand), own) == [
            tuple(referee.names(play)) for play in referee.plan(hand, rules)
        ]
        play = choose.choice(leads)
        x = referee.certain(play, rules)
        shuffled = choose.sample(referee.names(play), len(play))
        assert thirteen.beats(shuffled, written(top), own) == referee.beats(x, t, rules)
        found = thirteen.classify(",".join(shuffled), own)
        assert found == thirteen.Combination(
            name=x.type,
            cards=tuple(referee.names(play)),
            ranks=kind(x)[1],
            strength=referee.name(x.strength),
            bomb=x.bomb,
        )
        cards = random_cards(choose, rules)
        if referee.classify(cards, rules) is None:
            assert thirteen.classify(written(cards), own) is None
            with pytest.raises(RequestError, match="no combination"):
                thirteen.beats(written(cards), written(top), own)
            with pytest.raises(RequestError, match="no combination"):
                thirteen.legal_plays(written(hand), written(cards), own)


def test_cards_that_are_not_seen() -> None:
    hand, played = "3S 4S", ["2H", "2D"]
    found = thirteen.unseen(hand, played)
    assert len(found) == 48 and not set(found) & {"3S", "4S", "2H", "2D"}
    assert thirteen.unseen("") == tuple(referee.names(range(52)))
    assert thirteen.parse_cards("2h, 10d 3S") == ("3S", "10D", "2H")


@pytest.mark.parametrize("ask", ["legal_plays", "bombs", "lowest_plays", "longest_run"])
def test_more_cards_than_a_hand_are_refused(ask: str) -> None:
    hand = thirteen.unseen("3S 4S 5S 6S 7S 8S 9S 10S JS QS KS AS 2S")
    assert getattr(thirteen, ask)(hand[:13]) is not None
    with pytest.raises(RequestError, match="^14 cards: a hand has at most 13.$"):
        getattr(thirteen, ask)(hand[:14])
    with pytest.raises(RequestError, match="^39 cards: a hand has at most 13.$"):
        getattr(thirteen, ask)(hand)
