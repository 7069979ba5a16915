"""The referee of aces against published vectors, exact values and an auditor of its events."""

import random
from collections import Counter
from collections.abc import Callable, Iterable
from math import sqrt
from statistics import fmean, stdev
from typing import Any

import pytest

from referees import aces
from referees.aces_audit import RANK, Audit
from referees.streams import Xoshiro128pp, philox4x32_10, stream

DEFAULTS: aces.Rules = {
    "players": 2,
    "packs": "auto",
    "layout": 10,
    "layouts": None,
    "shrink": 1,
    "hands": 1,
    "match": "full",
    "take_discard": "playable",
    "displace": "must",
    "reshuffle": "lazy",
    "finish": "immediate",
    "complete": "any",
    "wild_limit": None,
    "starter": "winner",
    "wild": "J",
    "jokers": 0,
    "queen": "stop",
    "initial_discard": False,
    "max_turns": 10000,
}
DEALERS = ["deferred", "literal"]


def rules(**changes: Any) -> aces.Rules:
    assert changes.keys() <= DEFAULTS.keys()
    return DEFAULTS | changes


def games(
    n: int, dealer: str, strategies: list[str] | None = None, seed: int = 1, **changes: Any
) -> list[aces.Game]:
    chosen = rules(**changes)
    rng = random.Random(seed) if dealer == "literal" else None
    strategies = strategies or ["always"] * chosen["players"]
    return [aces.play(chosen, strategies, seed, i, literal=rng) for i in range(n)]


class Stacked(random.Random):
    """A shuffle that puts chosen cards on top (of each deck, parted by /), and a chosen word."""

    def __init__(self, top: str, word: int = 0) -> None:
        super().__init__(0)
        self.tops, self.chosen_word = [part.split() for part in top.split("/")], word

    def shuffle(self, x: Any) -> None:
        for i, name in enumerate(self.tops.pop(0) if self.tops else []):
            j = next(j for j in range(i, len(x)) if x[j].rank == RANK[name])
            x.insert(i, x.pop(j))

    def getrandbits(self, k: int) -> int:
        return self.chosen_word


def stacked(top: str, strategies: str = "", word: int = 0, **changes: Any) -> aces.Game:
    """Hands with these cards on top of the deck; strategies by seat, blanks between."""
    chosen = rules(**({"match": "hand"} | changes))
    names = strategies.split() or ["always"] * chosen["players"]
    return aces.play(chosen, names, 0, 0, literal=Stacked(top, word))


def story(game: aces.Game) -> list[str]:
    """Events as short words: `0 J>2 5` seat 0 puts a jack on place 2 and turns up a five."""
    words = []
    for e in game.events:
        match e["event"]:
            case "draw":
                words.append(f"{e['player']} {'<' if e['source'] == 'discard' else '='}{e['card']}")
            case "place":
                words.append(f"{e['player']} {e['card']}>{e['place']} {e['displaced'] or '!'}")
            case "discard":
                words.append(f"{'-' if e['player'] is None else e['player']} {e['card']}.")
            case "reshuffle":
                words.append(f"shuffle {e['cards']}")
            case "hand_end":
                words.append(f"end {e['winner']}")
    return words


# The streams


@pytest.mark.parametrize(
    ("counter", "key", "block"),
    [
        ("00000000 " * 4, "00000000 " * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff " * 4, "ffffffff " * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            "243f6a88 85a308d3 13198a2e 03707344",
            "a4093822 299f31d0",
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_philox_vectors(counter: str, key: str, block: str) -> None:
    counter_, key_, block_ = (tuple(int(w, 16) for w in s.split()) for s in (counter, key, block))
    assert philox4x32_10(counter_, key_) == block_


def test_xoshiro_vector() -> None:
    generator = Xoshiro128pp(1, 2, 3, 4)
    assert [generator.word() for _ in range(10)] == [
        641, 1573767, 3222811527, 3517856514, 836907274,
        4247214768, 3867114732, 1355841295, 495546011, 621204420,
    ]  # fmt: skip


def test_xoshiro_leaves_zero() -> None:
    assert Xoshiro128pp(0, 0, 0, 0).state == [1, 0, 0, 0]


def test_stream_address() -> None:
    seed, index = 0x299F31D0_A4093822, 0x05A308D3_243F6A88
    block = philox4x32_10(
        (0x243F6A88, 0x05A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0)
    )
    assert stream(seed, 0x44, index, 0x13198A2E, 0x037073).state == list(block)
    addresses = [(s, t, i, h, p) for s in (0, 2**63) for t in (0, 1) for i in (0, 2**40)
                 for h in (0, 1) for p in (0, 1)]  # fmt: skip
    assert len({tuple(stream(*address).state) for address in addresses}) == 32


def test_below_rejects() -> None:
    class Fed(Xoshiro128pp):
        def __init__(self, *words: int) -> None:
            self.words = list(words)

        def word(self) -> int:
            return self.words.pop(0)

    assert Fed(2**31, 2**31 + 1).below(52) == 26  # 2^32 mod 52 = 48: 0 is refused, 52 is not
    assert Fed(0, 2**32 - 1).below(3) == 2  # 2^32 mod 3 = 1: a product of 0 is refused
    fed = Fed(0, 7)
    assert fed.below(1) == 0 and fed.words == [7]  # a word even for one
    assert fed.below(1) == 0 and fed.words == []


def test_below_is_even() -> None:
    source = stream(3, 0, 0, 0)
    counts = Counter(source.below(13) for _ in range(13000))
    assert sum((counts[i] - 1000) ** 2 / 1000 for i in range(13)) < 36  # 12 degrees of freedom


# Exact values


def close(values: Iterable[float], expected: float) -> bool:
    sample = list(values)
    return abs(fmean(sample) - expected) < 4 * stdev(sample) / sqrt(len(sample))


def same(a: Iterable[float], b: Iterable[float]) -> bool:
    a, b = list(a), list(b)
    spread = sqrt(stdev(a) ** 2 / len(a) + stdev(b) ** 2 / len(b))
    return abs(fmean(a) - fmean(b)) < 4 * spread


def starter_won(hands: list[aces.Game]) -> list[int]:
    return [int(game.winner == 0) for game in hands]


@pytest.mark.parametrize("dealer", DEALERS)
@pytest.mark.parametrize(
    ("size", "turns", "in_first_turn"),
    [
        (1, 53 / 9, 2 / 13),
        (2, 943 / 117, 9 / 221),
        (3, 122357 / 13260, 83 / 5525),
        (6, 10.271111, None),
        (10, 9.369151, None),
    ],
)
def test_solitaire(dealer: str, size: int, turns: float, in_first_turn: float | None) -> None:
    hands = games(1500, dealer, seed=size, players=1, layout=size, match="hand")
    assert close((game.turns for game in hands), turns)
    assert all(game.first_turn_wins == (game.turns == 1) for game in hands)
    if in_first_turn:
        assert close((game.first_turn_wins for game in hands), in_first_turn)


@pytest.mark.parametrize("dealer", DEALERS)
@pytest.mark.parametrize(
    ("size", "strategies", "starter_wins", "turns"),
    [
        (1, ["always", "always"], 136229 / 251685, 53 / 9),
        (5, ["always", "always"], 0.523566, 12.349127),
        (10, ["always", "always"], 0.532423, 10.855237),
        (1, ["never", "never"], 0.541268, None),
        (10, ["never", "never"], 0.53473, None),
        (10, ["always", "never"], 0.700730, None),
    ],
)
def test_two_players(
    dealer: str, size: int, strategies: list[str], starter_wins: float, turns: float | None
) -> None:
    hands = games(1200, dealer, strategies, seed=size, layout=size, match="hand")
    assert close(starter_won(hands), starter_wins)
    if turns:
        assert close((game.turns for game in hands), turns)
        assert not any(game.reshuffles for game in hands)


@pytest.mark.parametrize("dealer", DEALERS)
def test_three_players(dealer: str) -> None:
    hands = games(1500, dealer, players=3, layout=1, match="hand")
    for seat, expected in enumerate((0.389950497, 0.330471085, 0.279578418)):
        assert close((game.winner == seat for game in hands), expected)


@pytest.mark.parametrize("dealer", DEALERS)
def test_match(dealer: str) -> None:
    matches = games(100, dealer)
    assert close((game.hands for game in matches), 15.655561)
    assert close((game.turns for game in matches), 172.812)
    for game in matches:
        assert sum(game.hands_won) == game.hands and game.hands_won[game.winner] == 10
        assert game.layouts == [10 - won for won in game.hands_won]


@pytest.mark.parametrize("dealer", DEALERS)
def test_reshuffles_of_a_scarce_pack(dealer: str) -> None:
    hands = games(800, dealer, players=4, packs=1, match="hand", max_turns=500)
    assert close((game.reshuffles for game in hands if game.status == "finished"), 0.215)


def test_dealers_agree_on_house_rules() -> None:
    odd: aces.Rules = {
        "players": 3, "packs": 1, "layout": 6, "displace": "may", "take_discard": "any",
        "reshuffle": "eager", "finish": "last_turn", "wild_limit": 1, "wild": "JQ",
        "jokers": 1, "initial_discard": True, "match": "hand",
    }  # fmt: skip
    seats = ["random+random+random", "rare:copies=2+rarest+never", "safe_pass+contested+always"]
    deferred, literal = (games(600, dealer, seats, **odd) for dealer in DEALERS)
    measures: list[Callable[[aces.Game], float]] = [
        lambda g: g.turns,
        lambda g: g.cards,
        lambda g: g.taken,
        lambda g: g.wilds,
        lambda g: g.winner == 0,
        lambda g: g.winner == 1,
        lambda g: sum(g.layouts),
        lambda g: g.free,
    ]
    for measure in measures:
        assert same(map(measure, deferred), map(measure, literal))


def test_five_players_with_one_pack_lock_up() -> None:
    hands = games(150, "deferred", players=5, packs=1, match="hand", max_turns=100)
    assert 140 <= sum(game.status == "capped" for game in hands) <= 150
    assert all(
        game.winner == -1 and game.winners == [] for game in hands if game.hands_won == [0] * 5
    )


# What holds hand by hand


def revealed(game: aces.Game) -> list[list[str]]:
    """By hand, the cards in the order they are turned up; `+` stands for a reshuffle."""
    hands: list[list[str]] = []
    for e in game.events:
        where = (e.get("player"), e.get("place"))
        match e["event"]:
            case "deal":
                hands.append([])
                wild_at: set[tuple[Any, Any]] = set()
            case "discard" if e["player"] is None:
                hands[-1].append(e["card"])
            case "draw" if e["source"] == "stock":
                hands[-1].append(e["card"])
            case "reshuffle":
                hands[-1].append("+")
            case "place":
                if e["displaced"] and where not in wild_at:
                    hands[-1].append(e["displaced"])
                wild_at = wild_at | {where} if e["card"] in ("J", "*") else wild_at - {where}
    return hands


def test_strategies_never_change_the_order_of_reveal() -> None:
    kinds = ["always", "never", "random+random", "rare:copies=1+rarest"]
    for index in range(100):
        runs = [revealed(aces.play(rules(match="hand"), [k, k], 5, index))[0] for k in kinds]
        longest = max(runs, key=len)
        assert all(run == longest[: len(run)] for run in runs)
    assert len({tuple(revealed(g)[0][:5]) for g in games(50, "deferred", match="hand")}) == 50


@pytest.mark.parametrize("jokers", [0, 1])
def test_the_pool_of_each_hand_has_its_own_stream(jokers: int) -> None:
    for index, game in enumerate(
        games(5, "deferred", seed=31, jokers=jokers, initial_discard=True, players=3)
    ):
        for hand, cards in enumerate(revealed(game)):
            pool = [name for name in aces.NAMES[1:14] for _ in range(8)] + ["*"] * 2 * jokers
            source = stream(31, 0, index, hand)
            assert "+" not in cards
            for card in cards:
                j = source.below(len(pool))
                assert pool[j] == card
                pool[j] = pool[-1]
                del pool[-1]


@pytest.mark.parametrize("reshuffle", ["lazy", "eager"])
def test_the_second_pool_is_the_discard_pile(reshuffle: str) -> None:
    shuffles = 0
    for index, game in enumerate(
        games(60, "deferred", seed=32, players=4, packs=1, layout=12, wild="none", match="hand",
              reshuffle=reshuffle, take_discard="never", max_turns=50)
    ):  # fmt: skip
        # no wild and no discard is taken: whatever a placement turns up was face down
        first, second = [name for name in aces.NAMES[1:14] for _ in range(4)], list[str]()
        pile: list[str] = []
        source, drawn_from = stream(32, 0, index, 0), first
        for e in game.events:
            pool, card = first, e.get("displaced")
            if e["event"] == "draw":
                pool, card = drawn_from, e["card"]
            elif e["event"] == "discard":
                pile.append(e["card"])
            elif e["event"] == "reshuffle":
                assert second == []
                drawn_from = second = pile[:-1]
                pile = pile[-1:]
                shuffles += 1
            if card:
                j = source.below(len(pool))
                assert pool[j] == card
                pool[j] = pool[-1]
                del pool[-1]
    assert shuffles > 60


def test_literal_shuffles_decks_and_reshuffles() -> None:
    class Counting(random.Random):
        calls = 0

        def shuffle(self, x: Any) -> None:
            self.calls += 1
            super().shuffle(x)

    rng = Counting(1)
    game = aces.play(rules(players=4, packs=1, max_turns=200), ["never"] * 4, 0, 0, literal=rng)
    assert game.reshuffles > 0 and rng.calls == game.hands + game.reshuffles


def test_where_a_wild_goes_is_all_the_same() -> None:
    kinds = ["lowest", "highest", "random", "rarest", "commonest", "contested"]

    def outcomes(**changes: Any) -> list[set[tuple[int, ...]]]:
        return [
            {
                (g.winner, g.turns, g.taken)
                for kind in kinds
                for g in [aces.play(rules(match="hand", **changes), [f"always+{kind}"] * 2, 7, i)]
            }
            for i in range(60)
        ]

    assert all(len(different) == 1 for different in outcomes())
    assert any(len(different) > 1 for different in outcomes(displace="no"))


def test_a_game_depends_on_its_address_alone() -> None:
    first = aces.play(DEFAULTS, ["random+random"] * 2, 2**64 - 1, 2**63 - 1)
    assert first == aces.play(DEFAULTS, ["random+random"] * 2, 2**64 - 1, 2**63 - 1)
    assert first.events != aces.play(DEFAULTS, ["random+random"] * 2, 2**64 - 1, 2**62).events
    assert first.events != aces.play(DEFAULTS, ["random+random"] * 2, 2**63 - 1, 2**63 - 1).events


# Small hands told card by card


def test_events_in_full() -> None:
    game = stacked("5 6  K J", layout=1, match="full")
    assert game.events == [
        {"event": "deal", "hand": 1, "starter": 0, "layouts": [1, 1]},
        {"event": "draw", "player": 0, "source": "stock", "card": "K"},
        {"event": "discard", "player": 0, "card": "K"},
        {"event": "draw", "player": 1, "source": "stock", "card": "J"},
        {"event": "place", "player": 1, "card": "J", "place": 1, "displaced": None},
        {"event": "hand_end", "winner": 1, "layouts": [1, 0]},
    ]
    assert game == aces.Game(
        hands_won=[0, 1], layouts=[1, 0], events=game.events, winner=1, winners=[1], turns=2,
        hands=1, cards=2, wilds=1, forced=3, first_winner=1, starter_wins=[(0, (1, 1), 1)],
    )  # fmt: skip


def test_the_deal_goes_round_past_full_layouts() -> None:
    # seat 0 gets 4 A, seat 1 gets 3 2 5
    game = stacked("4 3 A 2 5  A", layouts=(2, 3))
    assert story(game)[:4] == ["0 =A", "0 A>1 4", "0 4.", "1 =A"]
    game = stacked("4 3 A 2 5  Q A", layouts=(2, 3))
    assert story(game)[2:6] == ["1 =A", "1 A>1 3", "1 3>3 5", "1 5."]
    # seat 1 wins hand 1: hand 2 is dealt 3 to seat 1, 4 and 7 to seat 0
    game = stacked("5 2 5 6  K A / 3 4 7  Q A", layout=2, match="full", max_turns=20)
    assert story(game)[2:9] == [
        "1 =A", "1 A>1 2", "1 2>2 !", "end 1", "1 =Q", "1 Q.", "0 =A",
    ]  # fmt: skip
    assert story(game)[9] == "0 A>1 4"


def test_take_and_displace() -> None:
    # a jack goes to place 1; then the ace comes
    top = "7 8  J A"
    assert story(stacked(top, players=1, layout=2)) == [
        "0 =J", "0 J>1 7", "0 7.", "0 =A", "0 A>1 J", "0 J>2 !", "end 0",
    ]  # fmt: skip
    kept = ["0 =J", "0 J>1 7", "0 7.", "0 =A", "0 A."]
    assert story(stacked(top, players=1, layout=2, displace="no"))[:5] == kept
    never: aces.Rules = {"strategies": "always+lowest+never", "displace": "may"}
    assert story(stacked(top, players=1, layout=2, **never))[:6] == [*kept, "0 <A"]
    assert "0 <A" not in story(stacked(top, players=1, layout=2, displace="no"))
    by_lot: aces.Rules = {"strategies": "never+highest+random", "displace": "may"}
    top = "7 8  J 2"
    assert story(stacked(top, players=1, layout=2, word=2**31 - 1, **by_lot))[4] == "0 2."
    assert story(stacked(top, players=1, layout=2, word=2**31, **by_lot))[4] == "0 2>2 J"


def test_natural() -> None:
    top = "2 K  J A"
    assert story(stacked(top, players=1, layout=2))[-2:] == ["0 2>2 !", "end 0"]
    assert story(stacked(top, players=1, layout=2, complete="natural")) == [
        "0 =J", "0 J>1 2", "0 2>2 K", "0 K.", "0 =A", "0 A>1 !", "end 0",
    ]  # fmt: skip


def test_wild_limit() -> None:
    top = "7 8 9  J J A"
    told = story(stacked(top, players=1, layout=3, wild_limit=1))
    assert told[:9] == [
        "0 =J", "0 J>1 7", "0 7.", "0 =J", "0 J.", "0 =A", "0 A>1 J", "0 J>2 8", "0 8.",
    ]  # fmt: skip
    assert story(stacked(top, players=1, layout=3, wild_limit=0))[:2] == ["0 =J", "0 J."]
    # a jack that one seat had to discard can be taken by the next
    told = story(stacked("7 7 8 8 9 9  J K J", layout=3, wild_limit=1))
    assert told[5:9] == ["0 =J", "0 J.", "1 <J", "1 J>1 7"]


def test_jokers_and_other_wilds() -> None:
    assert story(stacked("5  *", players=1, layout=1, jokers=1))[1] == "0 *>1 !"
    assert story(stacked("5  K J", players=1, layout=1, wild="K"))[1] == "0 K>1 !"
    assert story(stacked("5  Q J", players=1, layout=1, wild="JQ"))[1] == "0 Q>1 !"
    assert story(stacked("5  Q J", players=1, layout=1, wild="none"))[3] == "0 J."
    pip = stacked("5 K K K K Q Q Q Q 6 7  J", players=1, layout=11, wild="Q")
    assert story(pip)[:3] == ["0 =J", "0 J>11 7", "0 7>7 Q"]


def test_reshuffles_lazy_and_eager() -> None:
    # layouts of naturals hold no place for Q and K: F = 3, nobody can place a stop
    scarce: aces.Rules = {"players": 5, "packs": 1, "layouts": (10, 10, 10, 10, 9), "max_turns": 4}
    top = " ".join(["A 2 3 4 5 6 7 8 9 10"] * 4 + ["J J J J K K Q Q K", "Q K Q"])
    start = ["0 =Q", "0 Q.", "1 =K", "1 K.", "2 =Q"]
    lazy, eager = (stacked(top, reshuffle=kind, **scarce) for kind in ("lazy", "eager"))
    assert story(lazy)[:8] == [*start, "2 Q.", "shuffle 2", "3 =Q"]
    assert story(eager)[:8] == [*start, "shuffle 1", "2 Q.", "3 =Q"]


def test_queen_skips() -> None:
    skip: aces.Rules = {"players": 3, "layout": 1, "queen": "skip"}
    assert story(stacked("5 6 7  Q K Q A", **skip))[::2] == [
        "0 =Q",
        "2 =K",
        "0 =Q",
        "2 =A",
        "end 2",
    ]
    game = stacked("5 6 7  Q K A", initial_discard=True, **skip)
    assert story(game)[:4] == ["- Q.", "0 =K", "0 K.", "1 =A"]
    assert stacked("5 6  Q A", layout=1, queen="skip").winner == 0
    # a queen that is taken and put back skips too
    passing: aces.Rules = {"strategies": "never safe_pass never", "take_discard": "any"}
    told = story(stacked("5 6 7  8 Q K", **passing, **skip))
    assert told[:6] == ["0 =8", "0 8.", "1 <8", "1 8.", "2 =Q", "2 Q."] and told[6] == "1 <Q"
    assert told[7:9] == ["1 Q.", "0 =K"]


def test_last_turn() -> None:
    last: aces.Rules = {"players": 3, "layout": 1, "finish": "last_turn"}
    game = stacked("5 6 7  K A K J", match="full", **last)
    assert story(game) == [
        "0 =K", "0 K.", "1 =A", "1 A>1 !", "2 =K", "2 K.", "0 =J", "0 J>1 !", "end 1",
    ]  # fmt: skip
    assert (game.layouts, game.winner, game.winners) == ([0, 0, 1], 1, [1])
    assert (game.hands_won, game.turns, game.first_turn_wins) == ([0, 1, 0], 4, 0)
    assert stacked("5 6 7  A K J", **last).first_turn_wins == 1
    # with shrink=0 both are credited a hand and share the match
    shared = stacked("5 6 7  K A K J", match="full", shrink=0, **last)
    assert (shared.layouts, shared.winner, shared.winners) == ([1, 1, 1], -2, [0, 1])
    # a skip uses a last turn up, and never gives the finisher another
    skipped = stacked("5 6 7  A Q", queen="skip", **last)
    assert story(skipped) == ["0 =A", "0 A>1 !", "1 =Q", "1 Q.", "end 0"]
    skipped = stacked("5 6 7  A K Q A", queen="skip", **last)
    assert story(skipped)[-3:] == ["2 =Q", "2 Q.", "end 0"] and skipped.turns == 3
    # the cap counts last turns
    capped = stacked("5 6 7  A K Q A", max_turns=2, **last)
    assert (capped.status, capped.winner, capped.hands, capped.turns) == ("capped", -1, 1, 2)
    assert capped.layouts == [1, 1, 1] and capped.first_turn_wins == 0
    assert capped.starter_wins == [] and capped.hands_won == [0, 0, 0]
    assert stacked("5 6 7  A K Q A", max_turns=3, **last).status == "finished"


def test_a_last_turn_with_nothing_to_draw() -> None:
    # all cards but two lie in layouts; one is placed by the winner, one discarded after it
    scarce: aces.Rules = {
        "players": 5, "packs": 1, "layouts": (1, 13, 13, 13, 10), "wild": "none",
        "finish": "last_turn",
    }  # fmt: skip
    deck = [name for name in aces.NAMES[1:14] for _ in range(4)]
    deck.remove("A")
    deck.insert(50, "A")
    game = stacked(" ".join(deck), take_discard="never", **scarce)
    assert [e["player"] for e in game.events if e["event"] == "draw"] == [0, 1]
    assert (game.turns, game.winner, game.forced, game.free) == (5, 0, 2, 0)
    # where it can be taken, the discard is the only source and is not asked for
    game = stacked(" ".join(deck), "never never never never never", **scarce)
    assert [e["player"] for e in game.events if e["event"] == "draw"][:3] == [0, 1, 2]
    assert game.taken > 0 and game.free == 0


def test_matches_end_by_their_rules() -> None:
    game = games(1, "deferred", players=1, shrink=3)[0]
    assert [e["layouts"] for e in game.events if e["event"] == "hand_end"] == [[7], [4], [1], [0]]
    for game in games(40, "deferred", layout=2, shrink=0, hands=4):
        most = max(game.hands_won)
        assert game.hands == 4 and game.winners == [p for p in (0, 1) if game.hands_won[p] == most]
        assert game.winner == (-2 if most == 2 else game.winners[0])
    assert {game.winner for game in games(40, "deferred", layout=2, shrink=0, hands=4)} == {
        -2,
        0,
        1,
    }


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("winner", lambda starter, winner: winner),
        ("loser", lambda starter, winner: (winner + 1) % 3),
        ("rotate", lambda starter, winner: (starter + 1) % 3),
    ],
)
def test_starters(kind: str, expected: Callable[[int, int], int]) -> None:
    for game in games(10, "deferred", players=3, layout=3, starter=kind):
        hands = game.starter_wins
        assert hands[0][0] == 0 and game.first_winner == hands[0][2]
        for (starter, _, winner), (after, _, _) in zip(hands, hands[1:], strict=False):
            assert after == expected(starter, winner)


# Strategies


def view(**details: Any) -> aces.View:
    plain: dict[str, Any] = {
        "seat": 0,
        "rules": DEFAULTS,
        "shown": [[0, 0, 0, 0], [0, 0, 0, 0]],
        "unseen": [0] + [4] * 13 + [0],
        "top": 0,
        "returned": False,
        "word": 0,
    }
    return aces.View(**(plain | details))


def test_take_strategies() -> None:
    def takes(name: str, **details: Any) -> bool:
        strategy = aces.parse(name)
        return aces.choose_take(strategy.take, strategy.parameters, view(**details))

    shown = [[1, 0, 0, 0], [1, 2, 0, 0]]
    assert takes("always", top=2, shown=shown) and not takes("always", top=1, shown=shown)
    assert not takes("never", top=2, shown=shown)
    assert not takes("random", top=2, word=2**31 - 1) and takes("random", top=2, word=2**31)
    unseen = [0] + [2] * 13 + [0]
    assert takes("rare:copies=2", top=2, unseen=unseen)
    assert not takes("rare", top=2, unseen=unseen)  # copies=1
    assert not takes("rare:copies=2", top=1, shown=shown, unseen=unseen)
    assert takes("safe_pass", top=2, shown=shown)
    assert takes("safe_pass", top=1, shown=shown)
    assert not takes("safe_pass", top=1, shown=shown, returned=True)
    assert takes("safe_pass", top=2, shown=shown, returned=True)
    assert not takes("safe_pass", top=2, shown=shown[::-1])  # the next seat needs it
    assert takes("safe_pass", top=2, shown=[shown[1], shown[1], shown[0]])
    with pytest.raises(ValueError, match="nobody"):
        takes("nobody", top=2)


def test_wild_strategies() -> None:
    unseen = [0, 9, 3, 2, 2, 3] + [9] * 8 + [0]
    shown = [[1, 0, 0, 0, 0], [0, 2, 0, 4], [1, 11, 0, 0, 5]]
    expected = {"lowest": 1, "highest": 4, "rarest": 2, "commonest": 1, "contested": 2}
    for name, place in expected.items():
        assert aces.choose_wild(name, view(shown=shown, unseen=unseen)) == place, name
    contested = [[1, 0, 0, 0, 0], [0, 2, 3, 4], [1, 2, 3, 11, 0]]
    assert aces.choose_wild("contested", view(shown=contested)) == 3  # both are at most 1
    last = [[0, 0, 0, 0], [1, 2, 3, 0]]
    assert aces.choose_wild("contested", view(shown=last)) == 3
    words = [(0, 1), (2**30 - 1, 1), (2**30, 2), (2**31, 3), (2**32 - 1, 4)]
    for word, place in words:
        assert aces.choose_wild("random", view(shown=shown, word=word)) == place


def test_parse() -> None:
    assert aces.parse("rare:copies=2+rarest+never") == aces.Strategy(
        "rare", {"copies": 2}, "rarest", "never"
    )
    assert aces.parse("never") == aces.Strategy("never", {}, "lowest", "always")


def test_unseen_counts() -> None:
    # seat 0 discards a deuce: three are unseen
    top = "5 6 7  2"
    takes = [story(stacked(top, f"always rare:copies={c}", layouts=(1, 2)))[2] for c in (2, 3)]
    assert takes[0].startswith("1 =") and takes[1] == "1 <2"


def test_unseen_is_what_lies_in_no_open_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    ask, asides = aces.Hand.ask, 0

    def checking(hand: aces.Hand, seat: int) -> aces.View:
        nonlocal asides
        seen = ask(hand, seat)
        freed = [card.rank for card in hand.aside if card.rank in (11, 14) and card.seen]
        visible = Counter([rank for shown in seen.shown for rank in shown] + freed)
        visible += Counter(card.rank for card in [*hand.pile, hand.hand] if card)
        assert seen.unseen == [
            (0, 4, 2)[(r > 0) + (r > 13)] - visible[r] * (r > 0) for r in range(15)
        ]
        asides += len(freed)
        return seen

    monkeypatch.setattr(aces.Hand, "ask", checking)
    for dealer in DEALERS:
        asides = 0
        games(60, dealer, ["random+random+random"] * 2, layout=3, complete="natural", jokers=2,
              finish="last_turn", displace="may")  # fmt: skip
        assert asides > 5


def test_safe_pass_in_play() -> None:
    told = story(stacked("5 6  K 9 8", "safe_pass safe_pass", layout=1, take_discard="any"))
    assert told[:10] == [
        "0 =K", "0 K.", "1 <K", "1 K.", "0 =9", "0 9.", "1 <9", "1 9.", "0 =8", "0 8.",
    ]  # fmt: skip


def test_a_seats_kth_asked_decision_has_its_kth_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take and wild count together, whether or not they are decided by lot."""
    asked: list[tuple[int, int]] = []
    ask = aces.Hand.ask

    def noting(hand: aces.Hand, seat: int) -> aces.View:
        seen = ask(hand, seat)
        asked.append((seat, seen.word))
        return seen

    monkeypatch.setattr(aces.Hand, "ask", noting)
    aces.play(rules(match="hand"), ["always+random"] * 2, 11, 4)
    for seat in (0, 1):
        words = [word for who, word in asked if who == seat]
        source = stream(11, 1 + seat, 4, 0)
        assert words and words == [source.word() for _ in words]


# The auditor, who sees only the events


def some_rules(rng: random.Random) -> aces.Rules:
    """Rules that can be played, scarce packs more often than not."""
    while True:
        players = rng.randint(1, 6)
        shrink = rng.choice([0, 1, 1, 2, 3])
        packs = rng.choice(["auto", 1, 1, 1, 2])
        chosen = rules(
            players=players,
            packs=packs,
            layout=rng.randint(1, 13),
            layouts=rng.choice([None, tuple(rng.randint(1, 13) for _ in range(players))]),
            shrink=shrink,
            hands=rng.randint(1, 4) if shrink == 0 else 1,
            match=rng.choice(["full", "full", "hand"]),
            take_discard=rng.choice(["playable", "any", "never"]),
            displace=rng.choice(["must", "may", "no"]),
            reshuffle=rng.choice(["lazy", "eager"]),
            finish=rng.choice(["immediate", "last_turn"]),
            complete=rng.choice(["any", "natural"]),
            wild_limit=rng.choice([None, None, 0, 1, 2, 4]),
            starter=rng.choice(["winner", "loser", "rotate"]),
            wild=rng.choice(["J", "Q", "K", "JQ", "none"]),
            jokers=rng.randint(0, 4),
            queen=rng.choice(["stop", "skip"]),
            initial_discard=rng.choice([False, True]),
            max_turns=rng.choice([3, 40, 150]),
        )
        sizes = chosen["layouts"] or [chosen["layout"]] * players
        wilds = aces.wild_ranks(chosen)
        no_wilds = (chosen["wild"] == "none" and not chosen["jokers"]) or chosen["wild_limit"] == 0
        playable = [
            (52 + chosen["jokers"]) * (packs if packs != "auto" else (players + 1) // 2)
            - sum(sizes) >= 2,
            all(rank > max(sizes) for rank in wilds),
            chosen["queen"] == "stop" or (12 > max(sizes) and 12 not in wilds),
            chosen["complete"] == "any" or chosen["displace"] != "no" or no_wilds,
        ]  # fmt: skip
        if all(playable):
            return chosen


def some_strategy(rng: random.Random) -> str:
    takes = ["always", "never", "random", "random", "rare:copies=3", "safe_pass"]
    wilds = ["lowest", "highest", "random", "rarest", "commonest", "contested"]
    return "+".join(map(rng.choice, (takes, wilds, ["always", "never", "random"])))


@pytest.mark.parametrize("dealer", DEALERS)
def test_audit_of_random_rules(dealer: str) -> None:
    rng = random.Random(2024)
    total: Counter[str] = Counter()
    for index in range(300):
        chosen = some_rules(rng)
        seats = [some_strategy(rng) for _ in range(chosen["players"])]
        shuffler = random.Random(index) if dealer == "literal" else None
        audit = Audit(chosen, aces.play(chosen, seats, 17, index, literal=shuffler))
        total += audit.count
        total["matches with several reshuffles"] += audit.count["reshuffles"] > 3
        total["shared"] += audit.game.winner == -2
    for what in ("matches with several reshuffles", "eager", "skips", "wilds discarded", "shared",
                 "wilds kept", "wilds freed", "put back", "finishers after the first", "capped",
                 "first_turn_wins", "taken"):  # fmt: skip
        assert total[what] >= 5, (what, total)


@pytest.mark.parametrize("dealer", DEALERS)
@pytest.mark.parametrize(
    "changes",
    [
        {"players": 5, "packs": 1, "max_turns": 60},
        {"players": 4, "packs": 1, "queen": "skip", "reshuffle": "eager", "max_turns": 200},
        {"complete": "natural", "wild_limit": 1, "starter": "loser"},
        {"complete": "natural", "jokers": 4, "finish": "last_turn", "max_turns": 300},
        {"players": 5, "packs": 1, "layouts": (1, 13, 13, 13, 10), "wild": "none",
         "finish": "last_turn", "take_discard": "never", "max_turns": 60},
    ],
)  # fmt: skip
def test_audit_of_hard_rules(dealer: str, changes: dict[str, Any]) -> None:
    chosen = rules(**changes)
    total: Counter[str] = Counter()
    for game in games(8, dealer, ["random+random"] * chosen["players"], **changes):
        total += Audit(chosen, game).count
    assert total["reshuffles"] > 8 or chosen["complete"] == "natural"
    assert total["skips"] > 8 or chosen["queen"] == "stop"
    assert total["wilds discarded"] > 8 or chosen["complete"] == "any"


def test_the_auditor_notices() -> None:
    """An event changed, dropped or doubled doesn't pass."""
    chosen = rules(match="hand")
    game = aces.play(chosen, ["always"] * 2, 1, 1)
    Audit(chosen, game)
    whole = list(game.events)
    for i, e in enumerate(whole):
        for events in (whole[:i] + whole[i + 1 :], whole[: i + 1] + whole[i:]):
            game.events = events
            with pytest.raises((AssertionError, IndexError)):
                Audit(chosen, game)
        if e["event"] in ("place", "draw"):
            game.events = whole[:i] + [e | {"card": "K"}] + whole[i + 1 :]
            if e["card"] != "K":
                with pytest.raises(AssertionError):
                    Audit(chosen, game)


@pytest.mark.parametrize("dealer", DEALERS)
@pytest.mark.parametrize("fault", ["lost", "doubled", "other", "peeked", "covered"])
def test_conservation_is_checked(dealer: str, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = aces.Hand.draw

    def faulty(hand: aces.Hand, seat: int, from_pile: bool) -> aces.Card:
        if len(hand.game.events) > 6:
            match fault:
                case "lost":
                    hand.stock.pop()
                case "doubled":
                    hand.stock.append(hand.stock[0])
                case "other":
                    card = next(c for c in hand.deck if c.seen)
                    card.rank = card.rank % 13 + 1
                case "peeked":
                    hand.dealer.turn(hand.stock[-1])
                case "covered" if hand.pile:
                    hand.pile[-1].seen = False
        return draw(hand, seat, from_pile)

    monkeypatch.setattr(aces.Hand, "draw", faulty)
    with pytest.raises(AssertionError):
        games(1, dealer)
