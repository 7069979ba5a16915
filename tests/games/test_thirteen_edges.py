"""Cases that the rules of thirteen name, set up by hand; and perfect play of small endings."""

from __future__ import annotations

import functools
import random
from typing import Any

import pytest
from referees import thirteen as referee

from simcards import thirteen
from simcards.sim.errors import RequestError
from simcards.sim.games.thirteen import Rules
from simcards.sim.replay import Replay


def events(told: Replay, *names: str) -> list[dict[str, Any]]:
    return [event for event in told.events if event["event"] in names]


def leaders(told: Replay) -> list[int]:
    return [event["leader"] for event in events(told, "close")]


def test_leader_out_and_beaten_by_a_later_player() -> None:
    told = thirteen.play_from(
        ["3S", "4S 9S", "5S 9C 9D", "6S JS QH KD"], starter=0, moves=["3S", "4S", "", "", "9S"]
    )
    kinds = [event["event"] for event in told.events[2:8]]
    assert kinds == ["play", "out", "play", "pass", "pass", "close"]
    assert leaders(told)[0] == 1  # who beat the last play of the one that went out
    assert told.row["place_0"] == 1 and told.row["place_1"] == 2


def test_leader_out_and_nobody_beats_the_next_seat_leads_although_it_passed() -> None:
    told = thirteen.play_from(
        ["2H", "4S 9S", "5S 9C", "6S JS"], starter=0, moves=["2H", "", "", "", "4S", "5S"]
    )
    assert leaders(told)[0] == 1
    assert [event["player"] for event in events(told, "pass")[:3]] == [1, 2, 3]


@pytest.mark.parametrize(
    ("option", "leader"), [("next", 3), ("previous_player", 0), ("last_passer", 1)]
)
def test_who_leads_when_the_owner_of_a_trick_is_out(option: str, leader: int) -> None:
    told = thirteen.play_from(
        ["3S 9H", "4S 9S", "2H", "6S JS"],
        starter=0,
        moves=["3S", "4S", "2H", "", "", ""],
        rules={"lead_after_out": option},
    )
    # seat 2 goes out with the 2; the last other seat to play was 1, the last to pass 1
    expected = {"next": 3, "previous_player": 1, "last_passer": 1}[option]
    assert leaders(told)[0] == expected


def test_two_go_out_in_one_trick() -> None:
    told = thirteen.play_from(
        ["3S", "4S", "5S 9C 10C", "6S JS QS"], starter=0, moves=["3S", "4S", "5S", "6S", ""]
    )
    outs = [(event["player"], event["place"]) for event in events(told, "out")]
    assert outs[:2] == [(0, 1), (1, 2)]
    first_close = told.events.index(events(told, "close")[0])
    assert told.events.index(events(told, "out")[1]) < first_close


def test_a_passed_holder_of_a_bomb_stays_out_by_default_and_may_bomb_by_option() -> None:
    hands = ["3S 2C 4C", "4S 2D 8D", "5S 5C 5D 5H 9H", "6S JS QS"]
    moves = ["3S", "4S", "", "", "2C", "2D"]
    told = thirteen.play_from(hands, starter=0, moves=moves)
    # after the second 2 everybody still in the trick has passed, the holder of the bomb before it
    assert [event["player"] for event in events(told, "pass")[:3]] == [2, 3, 0]
    assert leaders(told)[0] == 1
    told = thirteen.play_from(
        hands, starter=0, moves=[*moves, "5S 5C 5D 5H"], rules={"bomb_after_pass": "yes"}
    )
    assert events(told, "play")[4]["combination"] == "quad"
    with pytest.raises(RequestError, match="not legal"):  # a quad is no four pairs
        thirteen.play_from(
            hands, starter=0, moves=[*moves, "5S 5C 5D 5H"], rules={"bomb_after_pass": "four"}
        )


def test_three_players_leave_cards_undealt() -> None:
    plan_rules = Rules(players=3).resolved()
    assert plan_rules.points == (3, 2, 0)
    hands = ["3S 4S 5S 6S", "7C 8C 9C 10C", "JD QD KD AD"]
    told = thirteen.play_from(hands, rules=plan_rules, rest_is_played=False)
    assert sum(event["event"] == "out" for event in told.events) == 2
    assert sum(told.row[f"points_{seat}"] for seat in range(3)) == 5


def test_the_last_play_may_not_be_a_2_under_finish_two_no() -> None:
    hands = ["2S", "3S 2H", "4S 5S"]
    told = thirteen.play_from(hands, starter=0, rules={"finish_two": "no"})
    # seat 0 can't play its 2: it hands the lead on, and in the end is stuck.
    assert told.events[2] == {"event": "pass", "player": 0}
    assert told.row["winner"] != 0
    with pytest.raises(RequestError, match="not legal"):
        thirteen.play_from(hands, starter=0, moves=["2S"], rules={"finish_two": "no"})
    told = thirteen.play_from(["2S", "2C", "2D"], starter=1, rules={"finish_two": "no"})
    # all are stuck: the first one is last, the others follow clockwise after it
    assert [told.row[f"place_{seat}"] for seat in range(3)] == [2, 3, 1]


DRAGON = "3S 4S 5S 6S 7S 8S 9S 10S JS QS KS AS 3C"
TWOS = "2S 2C 2D 2H 4C 5C 6C 7C 8C 9C 10C JC QC"
REST = "4H 5H 4D 5D 6D 7D 8D 9D 10D JD QD KD AD"
LAST = "3D 3H 6H 7H 8H 9H 10H JH QH KH AH KC AC"


@pytest.mark.parametrize(
    ("tie", "starter", "winner"),
    [
        ("seat", 0, 0),
        ("seat", 1, 1),
        ("seat", 2, 0),
        ("dragon", 1, 0),
        ("twos", 0, 1),
        ("void", 0, -1),
    ],
)
def test_several_instant_hands_at_once(tie: str, starter: int, winner: int) -> None:
    told = thirteen.play_from(
        [DRAGON, TWOS, REST, LAST], starter=starter, rules={"instant_tie": tie}
    )
    assert told.row["winner"] == winner
    assert told.row["status"] == "finished"
    assert told.row["turns"] == 0
    assert sum(told.row[f"points_{seat}"] for seat in range(4)) == (0 if winner < 0 else 3)


def test_the_order_of_cards_does_not_matter() -> None:
    assert thirteen.classify("5H 3S 4D") == thirteen.classify("3S 4D 5H")
    one = thirteen.play_from(["3S 3C 3D 9S", "4S", "5S"], starter=0, moves=["3D 3S 3C"])
    other = thirteen.play_from(["3S 3C 3D 9S", "4S", "5S"], starter=0, moves=["3S 3C 3D"])
    assert one.events == other.events


@pytest.mark.parametrize(
    ("cards", "top", "beaten"),
    [
        ("3S 3C 3D 3H", "2H", True),
        ("3S 3C 4S 4C 5S 5C", "2H", True),
        ("AS AC AD AH", "KS", False),
        ("3S 3C 4S 4C 5S 5C 6S 6C", "2S 2H", True),
        ("3S 3C 3D 3H", "2S 2H", False),
        ("3S 3C 4S 4C 5S 5C 6S 6C", "2S 2C 2H", False),
        ("3S 3C 4S 4C 5S 5C 6S 6C 7S 7C", "2S 2C 2H", True),
        ("6S 6C 6D 6H", "3S 3C 4S 4C 5S 5C", False),
        ("3S 3C 4S 4C 5S 5C 6S 6C", "7S 7C 8S 8C 9S 9C", False),
        ("4S 4C 5S 5C 6S 6C", "3S 3C 4D 4H 5D 5H", True),
        ("5C 6S 7H", "5H 6H 7D", True),
    ],
)
def test_examples_of_beating(cards: str, top: str, beaten: bool) -> None:
    assert thirteen.beats(cards, top) is beaten


def test_helpers_on_a_hand() -> None:
    hand = "3S 3C 4S 4C 5S 5C 6D 9S 9C 9D 9H KS 2H"
    assert thirteen.longest_run(hand) == ("3S", "4S", "5S", "6D")
    assert thirteen.longest_run("3S 5S 7S") == ()
    found = thirteen.bombs(hand)
    assert found == [("9S", "9C", "9D", "9H"), ("3S", "3C", "4S", "4C", "5S", "5C")]
    assert thirteen.lowest_plays(hand, "2S") == [("2H",), *found]
    assert thirteen.lowest_plays(hand, "8S 8C") == [("9S", "9C")]
    assert len(thirteen.unseen(hand, "3D 3H")) == 37
    for play in thirteen.lowest_plays(hand):
        assert thirteen.classify(play) is not None


def test_a_bad_position_is_refused_in_words() -> None:
    with pytest.raises(RequestError, match="both hold 3S"):
        thirteen.play_from(["3S 4S", "3S"])
    with pytest.raises(RequestError, match=r"moves\[1\]: 3C is not legal for seat 1"):
        thirteen.play_from(["3S 9S", "4S", "5S"], starter=0, moves=["3S", "3C"])
    with pytest.raises(RequestError, match="no card"):
        thirteen.classify("1S")
    with pytest.raises(RequestError, match="twice"):
        thirteen.classify("3S 3S")
    with pytest.raises(RequestError, match="no combination"):
        thirteen.beats("3S 5S", "2H")


def minimax(hands: list[list[int]], rules: dict[str, Any]) -> bool:
    """Whether the leader of two goes out first: plain search with the referee's rules."""

    @functools.cache
    def wins(mine: frozenset[int], theirs: frozenset[int], top: frozenset[int] | None) -> bool:
        for play in referee.combinations(mine, rules):
            if top is not None:
                one, other = referee.classify(play, rules), referee.classify(top, rules)
                assert one is not None and other is not None
                if not referee.beats(one, other, rules):
                    continue
            rest = mine - play
            if not rest or not wins(theirs, rest, frozenset(play)):
                return True
        return top is not None and not wins(theirs, mine, None)

    return wins(frozenset(hands[0]), frozenset(hands[1]), None)


@pytest.mark.parametrize("block", range(4))
def test_endgame_plays_small_endings_perfectly(block: int) -> None:
    from games.thirteen_cases import for_referee

    choose = random.Random(50 + block)
    rules = Rules(players=2).resolved()
    seen = {True: 0, False: 0}
    for _ in range(40):
        cards = choose.sample(range(52), 2 * choose.randint(2, 6))
        hands = [sorted(cards[::2]), sorted(cards[1::2])]
        if choose.random() < 0.5:  # more pairs and runs than chance gives
            low = choose.randrange(0, 30)
            pool = choose.sample(range(low, low + 20), len(cards))
            hands = [sorted(pool[::2]), sorted(pool[1::2])]
        leader_wins = minimax(hands, for_referee(rules))
        seen[leader_wins] += 1
        names = [" ".join(referee.name(card) for card in hand) for hand in hands]
        told = thirteen.play_from(names, starter=0, rules=rules, strategies="endgame")
        assert (told.row["winner"] == 0) == leader_wins, names
        # A won position stays won against anything else.
        winner = 0 if leader_wins else 1
        for other in ("lowest", "random", "highest", "control"):
            strategies = {winner: "endgame", 1 - winner: other}
            told = thirteen.play_from(names, starter=0, rules=rules, strategies=strategies)
            assert told.row["winner"] == winner, (names, other)
    assert min(seen.values()) > 3
