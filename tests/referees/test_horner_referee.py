"""The referee for horner against its rules, on cases small enough to work out by hand."""

import math
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import count, permutations
from typing import Any

import pytest

from referees.horner import Card, Game, play
from referees.streams import stream

DEFAULTS: dict[str, Any] = {
    "players": 2,
    "rounds": 3,
    "pies": "identity",
    "pie_value": "flat",
    "pie_points": 2,
    "out_points": 3,
    "one_pie": "lowest",
    "discard_play": "may",
    "discard_plays": "one",
    "flip_after_discard": "may",
    "turn": "single",
    "recycle": "own",
    "round_end": "all",
    "next_start": "rotate",
    "varieties": 4,
    "plums": 7,
    "max_turns": 10000,
}
OPTIONS: dict[str, list[Any]] = {
    "players": [1, 2, 3, 4, 5, 6],
    "rounds": [1, 2, 3],
    "pies": ["identity", "capacity"],
    "pie_value": ["flat", "printed"],
    "pie_points": [0, 2, 5],
    "out_points": [0, 3],
    "one_pie": ["lowest", "choose"],
    "discard_play": ["may", "must", "never"],
    "discard_plays": ["one", "many"],
    "flip_after_discard": ["may", "must", "no"],
    "turn": ["single", "chain"],
    "recycle": ["own", "sync", "pool"],
    "round_end": ["all", "first_out"],
    "next_start": ["rotate", "same", "winner", "loser"],
    "varieties": [4, 4, 4, 1, 3, 8],
    "plums": [7, 7, 2, 5, 13],
    "max_turns": [10000, 10000, 30],
}
STRATEGIES = [
    "eager",
    "random",
    "flip_only",
    "no_flip",
    "top_aware",
    "top_aware:far=0",
    "blocker",
    "blocker:seats=5",
    "race",
    "race:lead=0",
    "rollout:samples=1",
]
VARIETIES = "LCDGVMOB"


def rules(**changed: Any) -> dict[str, Any]:
    return DEFAULTS | changed


def cards(text: str) -> list[Card]:
    return [Card(VARIETIES.index(name[0]), int(name[1:])) for name in text.split()]


class Script:
    """Deals as told; reshuffled cards as told, or as they lie if nothing more is told."""

    def __init__(self, deal: str, *reshuffles: str) -> None:
        self.deal, self.reshuffles = cards(deal), [cards(text) for text in reshuffles]
        self.calls: list[tuple[str, int]] = []

    def __call__(self, pool: list[Card], hand: int, part: int) -> list[Card]:
        order = pool
        if part == 0:
            order = self.deal
        else:
            self.calls.append((" ".join(card.name for card in pool), part))
            if self.reshuffles:
                order = self.reshuffles.pop(0)
        assert sorted(order) == sorted(pool)
        return order


def scripted(script: str | Script, strategies: list[str], **changed: Any) -> Game:
    """One round of one variety, unless told otherwise."""
    script = Script(script) if isinstance(script, str) else script
    small = {"rounds": 1, "varieties": 1, "plums": len(script.deal), "players": len(strategies)}
    return play(rules(**(small | changed)), strategies, 0, 0, shuffle=script)


def told(game: Game) -> list[str]:
    """The events in short."""
    lines = []
    for event in game.events:
        match event:
            case {"event": "place", "player": p, "card": card, "pie": pie, "from": source}:
                lines.append(f"{p} {card} {source}>{pie}")
            case {"event": "pie", "player": p, "pie": pie, "variety": variety}:
                lines.append(f"{p} takes {pie}{variety}")
            case {"event": "reshuffle", "player": p, "cards": n}:
                lines.append(f"{p} reshuffle {n}")
            case {"event": name, "player": p, "card": card}:
                lines.append(f"{p} {name} {card}")
            case {"event": name, "player": p}:
                lines.append(f"{p} {name}")
            case {"event": "round_end", "points": points}:
                lines.append(f"end {points}")
    return lines


# A round by hand


def test_a_round_to_the_letter() -> None:
    game = scripted("L3 L1 L2", ["eager", "eager"])
    assert game.events == [
        {"event": "deal", "round": 1, "starter": 0, "piles": [["L3", "L2"], ["L1"]]},
        {"event": "flip", "player": 0, "card": "L3"},
        {"event": "discard", "player": 0, "card": "L3"},
        {"event": "flip", "player": 1, "card": "L1"},
        {"event": "place", "player": 1, "card": "L1", "pie": 1, "from": "pile"},
        {"event": "out", "player": 1},
        {"event": "flip", "player": 0, "card": "L2"},
        {"event": "place", "player": 0, "card": "L2", "pie": 1, "from": "pile"},
        {"event": "place", "player": 0, "card": "L3", "pie": 1, "from": "discard"},
        {"event": "pie", "player": 0, "pie": 1, "variety": "L"},
        {"event": "round_end", "points": [2, 3]},
    ]
    assert (game.winner, game.winners, game.status, game.turns) == (1, [1], "finished", 4)
    assert (game.flips, game.flips_placed, game.from_discard, game.reshuffles) == (3, 2, 1, 0)
    assert (game.free, game.forced, game.passes, game.dead) == (1, 3, 0, 0)
    assert (game.points, game.pies, game.first_outs, game.first_out) == ([2, 3], [1, 0], [0, 1], 1)
    assert game.pies_by == Counter({(0, 1): 1}) and game.pies_to_dealt == 1
    assert (game.first_flip_placed, game.first_two_placed, game.starter_first_out) == (0, 0, 0)
    assert (game.longest_wait, game.rounds) == (0, 1)


def test_holding_means_flipping_and_reshuffling() -> None:
    game = scripted("L3 L1 L2", ["flip_only", "eager"])
    assert told(game)[-5:] == [
        "0 reshuffle 1",
        "0 flip L3",
        "0 L3 pile>1",
        "0 takes 1L",
        "end [2, 3]",
    ]
    assert (game.free, game.reshuffles, game.from_discard, game.turns) == (1, 1, 0, 4)


def test_the_first_out_is_told_even_if_it_is_the_last() -> None:
    game = scripted("L1 L2", ["eager"], rounds=2)
    one = ["0 flip L1", "0 L1 pile>1", "0 flip L2", "0 L2 pile>1", "0 takes 1L", "0 out"]
    assert told(game) == 2 * [*one, "end [5]"]
    assert (game.points, game.winner, game.first_outs, game.first_two_placed) == ([10], 0, [2], 2)


@pytest.mark.parametrize("play_many", ["one", "many"])
@pytest.mark.parametrize(
    ("discard_play", "strategy", "free"),
    [("may", "eager", 2), ("must", "eager", 1), ("must", "flip_only", 1), ("never", "eager", 0)],
)
def test_discard_play(discard_play: str, strategy: str, free: int, play_many: str) -> None:
    game = scripted(
        "L2 L1 L3 L4", [strategy, "eager"], discard_play=discard_play, discard_plays=play_many
    )
    assert game.free == free
    if discard_play == "never":
        # L2 lies on the discard pile when L3 is turned up
        assert told(game)[4:8] == ["0 flip L3", "0 discard L3", "1 flip L4", "1 discard L4"]
        assert game.from_discard == 0
    else:
        assert told(game)[4:] == [
            "0 L2 discard>1",
            "0 flip L3",
            "0 L3 pile>1",
            "0 out",
            "1 flip L4",
            "1 L4 pile>1",
            "1 takes 1L",
            "end [3, 2]",
        ]


@pytest.mark.parametrize(
    ("option", "strategy", "turns", "free", "forced"),
    [
        ("may", "eager", 4, 2, 3),
        ("may", "no_flip", 6, 3, 4),
        ("must", "no_flip", 4, 1, 3),
        ("no", "eager", 6, 2, 4),
        ("may", "top_aware", 4, 2, 3),  # it flips: nothing is left on its discard pile
    ],
)
def test_flip_after_discard(option: str, strategy: str, turns: int, free: int, forced: int) -> None:
    game = scripted("L2 L1 L3 L4", [strategy, "eager"], flip_after_discard=option)
    assert (game.turns, game.free, game.points) == (turns, free, [3, 2])
    assert game.forced == forced


def test_discard_plays_many() -> None:
    script = "L3 L4 L2 L1"
    many = scripted(script, ["eager", "eager"], discard_plays="many")
    assert told(many)[8:] == [
        "0 L2 discard>1",
        "0 L3 discard>1",
        "0 out",
        "1 L4 discard>1",
        "1 takes 1L",
        "end [3, 2]",
    ]
    assert (many.turns, many.free, many.forced, many.from_discard) == (6, 3, 4, 3)
    one = scripted(script, ["eager", "eager"])  # a flip of its own choice reshuffles
    assert told(one)[8:12] == ["0 L2 discard>1", "0 reshuffle 1", "0 flip L3", "0 L3 pile>1"]
    assert (one.turns, one.free) == (6, 3)
    held = scripted(script, ["no_flip", "eager"])
    assert (held.turns, held.reshuffles) == (8, 1)
    assert told(held)[9:12] == ["1 reshuffle 1", "1 flip L4", "1 discard L4"]


def test_chain() -> None:
    game = scripted("L1 L3 L2 L4", ["eager", "eager"], turn="chain")
    assert (game.turns, game.flips, game.first_two_placed, game.points) == (2, 4, 1, [3, 2])
    assert scripted("L1 L3 L2 L4", ["eager", "eager"]).turns == 4
    # a placed discard alone doesn't make another link; a placed flip does
    chained = scripted("L2 L1 L4 L5 L3 L6", ["eager", "eager"], turn="chain")
    assert told(chained)[2:12] == [
        "1 flip L1",
        "1 L1 pile>1",
        "1 flip L5",
        "1 discard L5",
        "0 L2 discard>1",
        "0 flip L4",
        "0 discard L4",
        "1 flip L6",
        "1 discard L6",
        "0 flip L3",
    ]
    # link 2 of this turn begins with (a) again
    assert told(chained)[12:16] == ["0 L3 pile>1", "0 L4 discard>1", "0 out", "1 reshuffle 2"]


@pytest.mark.parametrize(("recycle", "passes"), [("own", 0), ("sync", 1), ("pool", 1)])
def test_pass(recycle: str, passes: int) -> None:
    # seat 0 places L2 and later L4 and keeps L5 unseen; seat 1 has flipped its three by then
    game = scripted("L2 L1 L4 L6 L5 L3", ["no_flip", "eager"], recycle=recycle)
    if recycle == "own":
        assert told(game)[-9:-6] == ["1 reshuffle 1", "1 flip L6", "1 discard L6"]
    else:
        assert told(game)[-8:-6] == ["0 L4 discard>1", "1 pass"]
    assert told(game)[-6:] == [
        "0 flip L5",
        "0 L5 pile>1",
        "0 out",
        "1 L6 discard>1",
        "1 takes 1L",
        "end [3, 2]",
    ]
    assert (game.passes, game.turns, game.free, game.forced) == (passes, 10, 5, 7)
    assert game.longest_wait == 2  # L6 and L4 are flipped between L2 and L3


def test_reshuffles_of_all_three_kinds() -> None:
    seats = ["flip_only", "eager"]
    own = Script("L4 L3 L2 L1", "L2 L4")
    game = scripted(own, seats)
    assert own.calls[0] == ("L4 L2", 1)
    assert told(game)[8:11] == ["0 reshuffle 2", "0 flip L2", "0 L2 pile>1"]

    sync = Script("L4 L3 L2 L1", "L4 L2")
    game = scripted(sync, seats, recycle="sync")
    assert sync.calls[:2] == [("L4 L2", 1), ("L3", 2)]
    assert told(game)[8:12] == ["0 reshuffle 2", "1 reshuffle 1", "0 flip L4", "0 discard L4"]
    # then both flip what the reshuffle gave them, and the counts of both are 1
    assert told(game)[12:18] == [
        "1 flip L3",
        "1 discard L3",
        "0 flip L2",
        "0 L2 pile>1",
        "1 L3 discard>1",
        "1 out",
    ]

    pool = Script("L4 L3 L2 L1", "L3 L4 L2")
    game = scripted(pool, seats, recycle="pool")
    # the second time seat 1 is to move: its cards first, and it gets the first
    assert pool.calls == [("L4 L2 L3", 7), ("L4 L3", 15)]
    assert told(game)[8:] == [
        "0 reshuffle 3",
        "0 flip L3",  # seat 0: L3 L2, seat 1: L4
        "0 discard L3",
        "1 flip L4",
        "1 discard L4",
        "0 flip L2",
        "0 L2 pile>1",
        "1 reshuffle 2",
        "1 flip L4",
        "1 discard L4",
        "0 flip L3",
        "0 L3 pile>1",
        "0 out",
        "1 L4 discard>1",
        "1 takes 1L",
        "end [3, 2]",
    ]
    assert game.reshuffles == 2


def test_counts_of_reshuffles() -> None:
    script = Script("L4 L3 L2 L1", "L4 L2")
    scripted(script, ["flip_only", "flip_only"])
    # seat 1 flips L3 in vain, then holds it, and flips it once more
    assert script.calls == [("L4 L2", 1), ("L3", 2), ("L3", 10), ("L4", 9)]
    pool = Script("L5 L4 L3 L2 L1")
    game = scripted(pool, ["eager", "flip_only"], recycle="pool")
    # seat 1 gets L4 and L5, seat 0 is out with L2 and L3; seat 1 deals to itself alone
    assert pool.calls == [("L4 L2 L5 L3", 7), ("L4 L5", 15)]
    assert game.pies == [0, 1] and game.pies_to_dealt == 0  # seat 0 was dealt L5


def test_a_flip_by_choice_reshuffles_the_pool_or_not() -> None:
    # seat 0 places L2, has only L4 left, and seat 1 has an empty draw pile too
    game = scripted(Script("L4 L3 L2 L1", "L3 L4"), ["eager", "eager"], recycle="pool")
    assert told(game)[8:] == [
        "0 L2 discard>1",
        "0 reshuffle 2",
        "0 flip L3",
        "0 L3 pile>1",
        "0 out",
        "1 flip L4",
        "1 L4 pile>1",
        "1 takes 1L",
        "end [3, 2]",
    ]
    assert game.pies_to_dealt == 0  # seat 0 was dealt L4


def test_round_end_first_out() -> None:
    game = scripted("L3 L1 L2", ["eager", "eager"], round_end="first_out")
    assert told(game)[-2:] == ["1 out", "end [0, 3]"]
    assert (game.turns, game.winner) == (2, 1)
    # in the same placement: place, pie, out, round_end
    game = scripted("L1 L2", ["eager"], round_end="first_out", pie_points=7, out_points=1)
    assert told(game)[-4:] == ["0 L2 pile>1", "0 takes 1L", "0 out", "end [8]"]


def test_next_start() -> None:
    def starters(**changed: Any) -> list[int]:
        game = scripted("L3 L1 L2", ["eager"] * changed.get("players", 2), rounds=4, **changed)
        return [event["starter"] for event in game.events if event["event"] == "deal"]

    # the starter gets 2 points and the next seat 3
    assert starters() == [0, 1, 0, 1]
    assert starters(next_start="same") == [0, 0, 0, 0]
    assert starters(next_start="winner") == [0, 1, 0, 1]
    assert starters(next_start="loser") == [0, 0, 0, 0]
    # equal points: the first clockwise from the starter, itself included
    assert starters(next_start="winner", out_points=2) == [0, 0, 0, 0]
    # of three, L3 L1 L2 one each: the starter 2, the next 3, the last 0
    assert starters(players=3, next_start="loser") == [0, 2, 1, 0]
    assert starters(players=3, next_start="loser", pie_points=0) == [0, 0, 0, 0]
    assert starters(players=3, next_start="winner", pie_points=5) == [0, 0, 0, 0]


def test_shared_and_points() -> None:
    game = scripted("L3 L1 L2", ["eager", "eager"], out_points=2)
    assert (game.winner, game.winners, game.points) == (-2, [0, 1], [2, 2])


def test_max_turns() -> None:
    capped = scripted("L3 L1 L2", ["eager", "eager"], max_turns=3, rounds=3)
    assert told(capped)[-2:] == ["0 L2 pile>1", "end [0, 3]"]
    assert (capped.status, capped.winner, capped.winners) == ("capped", -1, [])
    assert (capped.turns, capped.rounds, capped.points) == (3, 1, [0, 3])
    assert (capped.first_outs, capped.first_out) == ([0, 1], 1)
    exact = scripted("L3 L1 L2", ["eager", "eager"], max_turns=4)
    assert (exact.status, exact.turns) == ("finished", 4)


def test_longest_wait_lies_between_two_placements() -> None:
    game = scripted("L2 L3 L1 L4", ["flip_only", "flip_only"])
    # L2, L3, L1 placed, L4, then seat 0 flips L2 again
    assert told(game)[4:9] == [
        "0 flip L1",
        "0 L1 pile>1",
        "1 flip L4",
        "1 discard L4",
        "0 reshuffle 1",
    ]
    assert game.longest_wait == 1  # L4 between L1 and L2; the first two turns don't count


# Dead cards and pies with numbers

LETTERS = {v: [f"{v}{n}" for n in range(1, 8)] for v in "LCDG"}


def rest_after(first: str) -> str:
    """A whole deck that begins so."""
    others = [name for run in LETTERS.values() for name in run if name not in first.split()]
    return " ".join(first.split() + others)


def test_capacity_alone_in_order() -> None:
    whole = {"varieties": 4, "plums": 7, "pies": "capacity"}
    game = scripted(rest_after(""), ["eager"], **whole)
    assert (game.turns, game.dead, game.points, game.pies_by) == (
        28,
        10,
        [11],
        Counter({(0, 2): 1, (0, 4): 1, (0, 5): 1, (0, 7): 1}),
    )
    assert told(game)[4:8] == ["0 takes 2L", "0 flip L3", "0 dead L3", "0 flip L4"]
    first = "L1 L2 C1 C2 C3 C4 D1 D2 D3 D4 D5 " + " ".join(LETTERS["G"])
    game = scripted(rest_after(first), ["eager"], **whole, pie_value="printed")
    assert (game.turns, game.dead, game.points) == (18, 0, [18])
    assert (game.first_out, game.first_outs) == (-1, [0])  # nobody was out by then


def test_dead_cards_on_discard_piles_are_reshuffled() -> None:
    deck = Script(rest_after("G7 L3 L1 L2"), "L3 G7")
    game = scripted(deck, ["eager"], varieties=4, plums=7, pies="capacity")
    assert told(game)[-8:] == [
        "0 reshuffle 2",
        "0 flip L3",
        "0 dead L3",
        "0 flip G7",
        "0 G7 pile>7",
        "0 takes 7G",
        "0 out",
        "end [11]",
    ]


def test_dead_cards_may_lie_there_to_the_end() -> None:
    first = "L3 L1 L2 C2 C1"
    last = "C3 C4 D1 D2 D3 D4 D5 G1 G2 G3 G4 G5 G6 L4 L5 L6 L7 C5 C6 C7 D6 D7 G7"
    deck = f"{first} {last}"
    game = scripted(deck, ["eager"], varieties=4, plums=7, pies="capacity")
    lines = told(game)
    assert lines[2:10] == [
        "0 flip L1",
        "0 L1 pile>2",
        "0 flip L2",
        "0 L2 pile>2",
        "0 takes 2L",
        "0 flip C2",
        "0 discard C2",
        "0 flip C1",
    ]
    assert lines[10:14] == ["0 C1 pile>4", "0 C2 discard>4", "0 flip C3", "0 C3 pile>4"]
    assert lines[-4:] == ["0 flip G7", "0 G7 pile>7", "0 takes 7G", "end [8]"]
    assert game.dead == 9 and game.first_out == -1  # L3 is on the pile to the end


def test_out_by_a_dead_card() -> None:
    # no other 1 comes before L1: it gets pie 2, and L3 and L4 are dead
    hands = [
        "G7 G6 G5 G4 G3",
        "G2 G1 D7 D6 D5",
        "D4 D3 D2 D1 C7",
        "C6 C5 C4 C3 C2",
        "L7 L6 L5 C1",
        "L1 L2 L3 L4",
    ]
    seats = [hand.split() for hand in hands]
    deck = " ".join(seats[j % 6][j // 6] for j in range(28))
    whole = {"varieties": 4, "plums": 7, "pies": "capacity"}
    game = scripted(deck, ["flip_only"] * 6, **whole)
    lines = told(game)
    at = lines.index("5 dead L4")
    assert lines[at - 1 : at + 2] == ["5 flip L4", "5 dead L4", "5 out"]
    assert game.first_out == 5 and lines.index("5 dead L3") < at
    ended = scripted(deck, ["flip_only"] * 6, **whole, round_end="first_out")
    assert told(ended)[-2:] == ["5 out", "end [0, 0, 0, 0, 0, 5]"] and ended.turns == 24


def chosen_pie(strategy: str, before: str, **changed: Any) -> int:
    """The pie of L1, alone, after some cards that went to the discard pile."""
    whole = {"varieties": 4, "plums": 7, "one_pie": "choose"}
    deck = rest_after(before + " L1")
    game = scripted(deck, [strategy], **(whole | changed))
    return next(e["pie"] for e in game.events if e["event"] == "place" and e["card"] == "L1")


def test_choosing_a_pie() -> None:
    assert chosen_pie("eager", "") == 2
    assert chosen_pie("eager+smallest", "") == 2
    assert chosen_pie("eager+largest", "") == 7
    assert chosen_pie("eager+largest", "", one_pie="lowest") == 2
    own, capacity = "eager+own_run", {"pies": "capacity"}
    small = {"pies": "capacity", "pie_value": "printed"}
    assert chosen_pie(own, "L5", **capacity) == 5
    assert chosen_pie(own, "L5 L2", **capacity) == 2  # of equals the lowest number
    assert chosen_pie(own, "L5 L2", **small) == 5  # the one worth most
    assert chosen_pie(own, "L3 C5", **capacity) == 7  # of equals the highest number
    assert chosen_pie(own, "L3 C5", **small) == 2  # the one worth least
    assert chosen_pie(own, "L6 L7") == 2 and chosen_pie(own, "L6") == 7  # identity: plum 7
    assert chosen_pie(own, "L7", pie_value="printed") == 7
    assert chosen_pie(own, "C2 D5", plums=7) == 7


def test_pies_without_numbers() -> None:
    small = {"varieties": 2, "plums": 2, "one_pie": "choose"}
    game = scripted("L1 C1 L2 C2", ["eager"], **small)  # own_run: not known, the highest
    assert told(game)[1] == "0 L1 pile>2" and told(game)[3] == "0 C1 pile>1"
    game = scripted("L2 L1 C1 C2", ["eager"], **small)  # L2 is its own: the lowest
    assert told(game)[3] == "0 L1 pile>1"
    assert game.free == 3  # a pie, L2 and a flip after it; C1 has one pie only
    with pytest.raises(ValueError, match="needs pies"):
        scripted("L1 C1 L2 C2", ["eager+largest"], **small)
    with pytest.raises(ValueError, match="no numbers"):
        scripted("L1 C1 L2 C2", ["eager"], **small, pies="capacity")
    with pytest.raises(ValueError, match="more players"):
        scripted("L1 L2", ["eager"] * 3)


# Strategies


def test_top_aware() -> None:
    # L5 and L2 lie there; L1 comes; L2 is placed; L5 still needs L3 and L4: two plums
    deck = "L5 L2 L1 L6 L3 L4"
    games = {far: told(scripted(deck, [f"top_aware:far={far}"])) for far in (0, 1, 2, 3, 13)}
    place = games[2].index("0 L2 discard>1")
    assert place == 6
    turns = {far: scripted(deck, [f"top_aware:far={far}"]).turns for far in games}
    never = scripted(deck, ["no_flip"]).turns
    assert turns[13] == never > turns[2] and turns[3] > turns[2]
    assert scripted(deck, ["top_aware"], max_turns=4).flips == 4
    assert scripted(deck, ["top_aware:far=3"], max_turns=4).flips == 3
    # its top L4 is dead, whatever it needs; in identity it needs one plum
    deck, whole = rest_after("L4 C2 L1 L2 C1"), {"varieties": 4, "plums": 7, "max_turns": 6}
    for pies, flips in (("capacity", 6), ("identity", 5)):
        game = scripted(deck, ["top_aware:far=13"], **whole, pies=pies)
        assert "0 C2 discard" in told(game)[10 + (pies == "capacity")] and game.flips == flips


def test_blocker_and_race() -> None:
    deck = "L4 L3 L2 L1"
    # eager: L2 is placed, seat 1 places L3 at once; holding: L4 and L3 come up again
    assert scripted(deck, ["eager", "eager"]).turns == 7
    assert scripted(deck, ["blocker", "eager"]).turns == 9
    assert scripted(deck, ["race", "eager"]).turns == 9  # seat 1 holds 1 card, seat 0 holds 2
    assert scripted(deck, ["race:lead=0", "eager"]).turns == 9
    assert scripted(deck, ["race:lead=2", "eager"]).turns == 7
    game = scripted(deck, ["blocker", "eager"])
    assert told(game)[8:11] == ["0 reshuffle 2", "0 flip L4", "0 discard L4"]

    # of three, L3 lies two seats on; the seat between holds a card
    deck = "L4 L6 L3 L2 L5 L1"
    lines = [told(scripted(deck, [f"blocker:seats={n}"] + ["eager"] * 2)) for n in (1, 2)]
    assert lines[0][12] == "0 L2 discard>1" and lines[1][12] == "0 reshuffle 2"


def test_blocker_past_a_seat_that_is_out() -> None:
    # seat 1 had L1 alone and is out; the next seat with cards shows L3
    for name, holds in (("blocker", True), ("race", True), ("race:lead=2", False)):
        lines = told(scripted("L2 L1 L3 L4", [name, "eager", "eager"]))
        assert lines[2:5] == ["1 flip L1", "1 L1 pile>1", "1 out"]
        assert lines[7] == ("0 flip L4" if holds else "0 L2 discard>1")


def test_random_has_one_word_a_decision() -> None:
    for index in range(40):
        game = play(rules(rounds=2), ["random", "random"], 5, index)
        asked = play(rules(rounds=2), ["eager", "eager"], 5, index)
        assert game.events[0] == asked.events[0]
        # the first decision of a round: the discard is placed if the word says so
        table, seat = replay_to_first_decision(game)
        word = stream(5, 1 + seat, index, 0).word()
        event = game.events[table["at"]]
        assert (event["event"] == "place") == (word * 2 >> 32 == 1)


# The streams


def turn_all(pool: list[str], words: Any) -> list[str]:
    out = []
    for left in range(len(pool), 0, -1):
        at = words.below(left)
        out.append(pool[at])
        pool[at] = pool[left - 1]
    return out


def deck_names(varieties: int = 4, plums: int = 7) -> list[str]:
    return [f"{v}{n}" for v in VARIETIES[:varieties] for n in range(1, plums + 1)]


def test_deals_come_from_their_streams() -> None:
    game = play(rules(players=3), ["eager"] * 3, 2**63 + 5, 2**40 + 1)
    deals = [event for event in game.events if event["event"] == "deal"]
    assert [deal["starter"] for deal in deals] == [0, 1, 2]
    for hand, deal in enumerate(deals):
        order = turn_all(deck_names(), stream(2**63 + 5, 0, 2**40 + 1, hand))
        piles: list[list[str]] = [[], [], []]
        for j, name in enumerate(order):
            piles[(hand + j) % 3].append(name)
        assert deal["piles"] == piles and [len(pile) for pile in piles].count(9) == 2


@pytest.mark.parametrize("recycle", ["own", "sync", "pool"])
def test_reshuffles_come_from_their_streams(recycle: str) -> None:
    """The zones are followed through the events, and each flip foretold."""
    met = 0
    for index in range(10):
        game = play(rules(players=3, recycle=recycle), ["eager"] * 3, 11, index)
        hand, piles, discards = -1, [[]], [[]]
        counts: list[int] = []
        for event in game.events:
            p = event.get("player")
            match event["event"]:
                case "deal":
                    hand += 1
                    piles = [list(pile) for pile in event["piles"]]
                    discards, counts = [[], [], []], [0] * 4
                case "flip":
                    assert piles[p].pop(0) == event["card"]
                case "discard":
                    discards[p].append(event["card"])
                case "place" if event["from"] == "discard":
                    assert discards[p].pop() == event["card"]
                case "reshuffle" if recycle == "pool":
                    met += 1
                    around = [p, (p + 1) % 3, (p + 2) % 3]
                    pool = sum((discards[q] for q in around), [])
                    seats = [q for q in around if discards[q]]
                    order = turn_all(pool, stream(11, 0, index, hand, 8 * counts[3] + 7))
                    counts[3] += 1
                    discards = [[], [], []]
                    for j, name in enumerate(order):
                        piles[seats[j % len(seats)]].append(name)
                case "reshuffle":
                    met += 1
                    assert len(discards[p]) == event["cards"] and not piles[p]
                    words = stream(11, 0, index, hand, 8 * counts[p] + 1 + p)
                    piles[p], discards[p] = turn_all(discards[p], words), []
                    counts[p] += 1
    assert met > 30


# Rollout, against a small game of its own (two players, the default rules)


def replay_to_first_decision(game: Game) -> tuple[dict[str, Any], int]:
    """The zones when a seat first has a discard that can be placed, and that seat."""
    piles = [list(pile) for pile in game.events[0]["piles"]]
    discards: list[list[str]] = [[], []]
    level: Counter[str] = Counter()
    made, counts, out, seat, at = [False, False], [0, 0], [], 0, 1
    while not discards[seat] or int(discards[seat][-1][1:]) != level[discards[seat][-1][0]] + 1:
        mover = seat
        while mover == seat:  # events of one turn
            event = game.events[at]
            at += 1
            match event["event"]:
                case "reshuffle":
                    made[seat], counts[seat] = True, counts[seat] + 1
                    piles[seat], discards[seat] = discards[seat], []
                case "flip":
                    piles[seat].remove(event["card"])
                case "discard":
                    discards[seat].append(event["card"])
                    mover = 1 - seat
                case "place":
                    assert event["from"] == "pile"
                    level[event["card"][0]] += 1
                    mover = 1 - seat
        while game.events[at]["event"] in ("pie", "out"):
            if game.events[at]["event"] == "out":
                out.append(seat)
            at += 1
        seat = mover if piles[mover] or discards[mover] else seat
    zones = {"piles": piles, "discards": discards, "level": level, "made": made}
    return zones | {"counts": counts, "out": out, "at": at}, seat


def imagined(
    zones: dict[str, Any], seat: int, kind: str, answer: int, word: int, j: int, plums: int
) -> int:
    """Twice the own points less all points, pies 2 and the first out 3."""
    asked = seat
    piles, discards = [list(p) for p in zones["piles"]], [list(d) for d in zones["discards"]]
    level, counts = Counter(zones["level"]), list(zones["counts"])
    points, first = [0, 0], zones["out"][:1]
    if first:
        points[first[0]] += 3
    left = sum(len(p) + len(d) for p, d in zip(piles, discards, strict=True))
    words = stream(word, 255, j, 0)
    unknown = [p for p in (0, 1) if not zones["made"][p]]
    for group in [unknown] + [[p] for p in (0, 1) if p not in unknown]:
        pool = sorted(
            sum((piles[p] for p in group), []), key=lambda c: (VARIETIES.index(c[0]), c[1:])
        )
        order = turn_all(pool, words)
        for p in group:
            size = len(piles[p])
            piles[p], order = order[:size], order[size:]

    def fits(name: str) -> bool:
        return int(name[1:]) == level[name[0]] + 1

    def put(p: int, name: str) -> None:
        nonlocal left
        level[name[0]] += 1
        left -= 1
        points[p] += 2 * (int(name[1:]) == plums)
        if not piles[p] and not discards[p] and not first:
            first.append(p)
            points[p] += 3

    holds, stays = (kind, answer) == ("discard", 0), (kind, answer) == ("flip", 0)
    placed = kind == "flip"
    while left:
        if discards[seat] and fits(discards[seat][-1]) and not holds and not placed:
            put(seat, discards[seat].pop())
        if (piles[seat] or discards[seat]) and not stays:
            if not piles[seat]:
                part = 8 * counts[seat] + 1 + seat
                piles[seat] = turn_all(discards[seat], stream(word, 255, j, 0, part))
                discards[seat], counts[seat] = [], counts[seat] + 1
            name = piles[seat].pop(0)
            if fits(name):
                put(seat, name)
            else:
                discards[seat].append(name)
        holds = stays = placed = False
        seat = 1 - seat
    return 2 * points[asked] - sum(points)


def rollout_answer(zones: dict[str, Any], seat: int, kind: str, word: int, plums: int) -> int:
    """What a rollout of five samples answers."""
    sums = [
        sum(imagined(zones, seat, kind, answer, word, j, plums) for j in range(5))
        for answer in (0, 1)
    ]
    return 0 if sums[0] > sums[1] else 1


def test_rollout_decides_as_told() -> None:
    answers: Counter[tuple[str, int]] = Counter()
    for index in range(160):
        varieties, plums = [(1, 5), (2, 4), (2, 5), (4, 7)][index % 4]
        changed = rules(rounds=1, varieties=varieties, plums=plums)
        game = play(changed, ["rollout:samples=5"] * 2, 77, index, check=False)
        if not game.free:
            continue
        zones, seat = replay_to_first_decision(game)
        words = stream(77, 1 + seat, index, 0)

        event = game.events[zones["at"]]
        said = rollout_answer(zones, seat, "discard", words.word(), plums)
        answers["discard", said] += 1
        assert (event["event"] == "place") == (said == 1)
        if event["event"] == "place":
            zones["discards"][seat].remove(event["card"])
            zones["level"][event["card"][0]] += 1
            if zones["piles"][seat] + zones["discards"][seat] and event["card"][1:] != str(plums):
                event = game.events[zones["at"] + 1]
                flips = event["event"] in ("flip", "reshuffle") and event["player"] == seat
                other = zones["piles"][1 - seat] + zones["discards"][1 - seat]
                if other:  # else the next event is its own in any case
                    said = rollout_answer(zones, seat, "flip", words.word(), plums)
                    answers["flip", said] += 1
                    assert flips == (said == 1)
    assert len(answers) == 4 and min(answers.values()) >= 3, answers


def test_rollout_places_when_both_answers_are_worth_the_same() -> None:
    game = scripted("L4 L3 L2 L1", ["rollout:samples=4", "eager"])
    assert told(game)[8] == "0 L2 discard>1" and game.turns == 7


# Exact values


def every_game(strategies: list[str], **changed: Any) -> Iterator[tuple[Fraction, Game]]:
    """All games of one round, by all orders of the deal and the reshuffles."""
    small = rules(**({"rounds": 1, "players": len(strategies)} | changed))
    path: list[int] = []
    while True:
        sizes: list[int] = []

        def shuffle(pool: list[Card], hand: int, part: int, sizes: list[int] = sizes) -> list[Card]:
            if len(sizes) == len(path):
                path.append(0)
            orders = list(permutations(pool))
            sizes.append(len(orders))
            return list(orders[path[len(sizes) - 1]])

        game = play(small, strategies, 0, 0, shuffle=shuffle)
        assert len(sizes) == len(path)
        yield Fraction(1, math.prod(sizes)), game
        while path and path[-1] + 1 == sizes[len(path) - 1]:
            path.pop()
        if not path:
            return
        path[-1] += 1


@pytest.mark.parametrize(
    ("players", "varieties", "plums", "turns", "first"),
    [
        (2, 1, 2, Fraction(5, 2), Fraction(1, 2)),
        (2, 1, 3, Fraction(25, 6), Fraction(1, 3)),
        (2, 1, 4, Fraction(145, 24), Fraction(1, 2)),
        (2, 2, 2, Fraction(14, 3), Fraction(7, 12)),
        (3, 1, 3, Fraction(9, 2), Fraction(1, 3)),
    ],
)
def test_exact(players: int, varieties: int, plums: int, turns: Fraction, first: Fraction) -> None:
    whole = length = starter = Fraction(0)
    for probability, game in every_game(["eager"] * players, varieties=varieties, plums=plums):
        whole += probability
        length += probability * game.turns
        starter += probability * game.starter_first_out
        assert game.pies_to_dealt == varieties and sum(game.points) == 2 * varieties + 3
    assert (whole, length, starter) == (1, turns, first)


def near(times: int, trials: int, p: float) -> bool:
    return abs(times - trials * p) < 4 * math.sqrt(trials * p * (1 - p))


def test_whole_rounds() -> None:
    """Luck takes the pies; the sums, the bound and the first flips."""
    taken: Counter[int] = Counter()
    rounds, first, second = 0, 0, 0
    for index in range(1200):
        strategies = random.Random(index).choices(STRATEGIES[:-1], k=2)
        game = play(rules(), strategies, 2024, index, check=index < 100)
        assert sum(game.points) == 33 and sum(game.pies) == game.pies_to_dealt == 12
        assert game.turns <= 3 * 28 * 2 * (2 * 14 - 1)
        rounds += 3
        first += game.first_flip_placed
        second += game.first_two_placed
        mine = 0
        for event in game.events:
            mine += event["event"] == "pie" and event["player"] == 0
            if event["event"] == "round_end":
                taken[mine] += 1
                mine = 0
    assert near(first, rounds, 1 / 7) and near(second, rounds, 4 / 189)
    exact = [math.comb(4, k) * math.comb(24, 14 - k) for k in range(5)]
    for k, times in enumerate((11, 56, 91, 56, 11)):
        assert Fraction(exact[k], math.comb(28, 14)) == Fraction(times, 225)
        assert near(taken[k], rounds, times / 225)


# All options together


def tally(game: Game, changed: dict[str, Any]) -> None:
    """The fields once more, from the events alone."""
    kinds = Counter(event["event"] for event in game.events)
    assert game.flips == kinds["flip"] and game.reshuffles == kinds["reshuffle"]
    assert game.passes == kinds["pass"] and game.dead == kinds["dead"]
    assert game.rounds == kinds["deal"] == kinds["round_end"]
    places = [event for event in game.events if event["event"] == "place"]
    assert game.flips_placed == sum(event["from"] == "pile" for event in places)
    assert game.from_discard == sum(event["from"] == "discard" for event in places)
    assert kinds["flip"] == game.flips_placed + kinds["discard"] + kinds["dead"]
    points, first, starts, wanted = [0] * len(game.points), [0] * len(game.points), 0, []
    starter, out, firsts = 0, None, []
    for event in game.events:
        match event["event"]:
            case "deal":
                starter, out, wanted = event["starter"], None, [0] * len(points)
            case "out" if out is None:
                out = event["player"]
                first[out] += 1
                starts += out == starter
                wanted[out] += changed["out_points"]
            case "pie":
                worth = event["pie"] if changed["pie_value"] == "printed" else None
                wanted[event["player"]] += changed["pie_points"] if worth is None else worth
            case "round_end":
                assert event["points"] == wanted
                points = [a + b for a, b in zip(points, wanted, strict=True)]
                firsts.append(-1 if out is None else out)
    assert points == game.points and first == game.first_outs
    assert starts == game.starter_first_out and firsts[0] == game.first_out
    pies = Counter((e["player"], e["pie"]) for e in game.events if e["event"] == "pie")
    assert pies == game.pies_by
    assert game.pies == [sum(n for (p, _), n in pies.items() if p == q) for q in range(len(points))]
    assert 0 <= game.forced <= game.turns and game.winner in (*range(len(points)), -1, -2)
    if game.status == "capped":
        assert (game.winner, game.winners) == (-1, [])
    else:
        best = [p for p, n in enumerate(points) if n == max(points)]
        assert game.winners == best and game.winner == (best[0] if len(best) == 1 else -2)
        assert game.rounds == changed["rounds"]


def test_all_options_together() -> None:
    rng = random.Random(1888)
    met: Counter[str] = Counter()
    played = 0
    for index in count():
        if played == 500:
            break
        changed = rules(**{name: rng.choice(values) for name, values in OPTIONS.items()})
        has_numbers = changed["varieties"] == 4 and changed["plums"] >= 7
        if not has_numbers:
            changed["pies"], changed["pie_value"] = "identity", "flat"
        if changed["players"] > changed["varieties"] * changed["plums"]:
            continue
        ends = ["", "+own_run"] + ["+smallest", "+largest"] * has_numbers
        strategies = [rng.choice(STRATEGIES) + rng.choice(ends) for _ in range(changed["players"])]
        seed = rng.getrandbits(64)
        game = play(changed, strategies, seed, index)
        played += 1
        met.update({game.status: 1, "dead": game.dead > 0, "pass": game.passes > 0})
        tally(game, changed)
        if index % 10 == 0:
            assert play(changed, strategies, seed, index, check=False) == game
    assert min(met[name] for name in ("finished", "capped", "dead", "pass")) > 10


def test_what_a_strategy_draws_does_not_change_the_cards() -> None:
    for name in STRATEGIES:
        deals = [
            [e["piles"] for e in play(rules(), [s, "eager"], 9, 4).events if e["event"] == "deal"]
            for s in (name, "eager")
        ]
        assert deals[0] == deals[1]
