"""A referee for thirteen: docs/rules/thirteen.md in plain Python, slow and literal.

A card is a number, 4 * rank + suit; a play is a set of cards. The numbers T1 .. T14 are
those of the rules, L1 .. L15 those of their section "To the letter".
"""

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from referees.streams import stream

RANKS = ("3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "2")
SUITS = "SCDH"  # spades and clubs are black
ACE, TWO = 11, 12  # ranks
DECK = list(range(52))
TYPES = ("single", "pair", "triple", "quad", "sequence", "double_sequence")
BOMBS = ("quad", "pairs_2", "pairs_3", "pairs_4", "pairs_5", "pairs_6")
KINDS = ("twos", "dragon", "six_pairs", "five_pairs_run", "three_triples_run", "one_colour")

Rules = dict[str, Any]
Cards = frozenset[int]


def rank(card: int) -> int:
    return card // 4


def name(card: int) -> str:
    return RANKS[rank(card)] + SUITS[card % 4]


def names(cards: Iterable[int]) -> list[str]:
    return [name(card) for card in sorted(cards)]


def cards(text: str) -> Cards:
    """The cards of `3S 10D 2H`."""
    words = text.split()
    found = frozenset(4 * RANKS.index(word[:-1]) + SUITS.index(word[-1]) for word in words)
    assert len(found) == len(words), f"a card is named twice in {text}"
    return found


# Combinations


@dataclass(frozen=True)
class Combination:
    type: str
    size: int  # the number of cards
    strength: int  # T5: the highest card

    @property
    def bomb(self) -> bool:  # T6, L9
        return self.type in ("quad", "double_sequence")

    @property
    def twos(self) -> bool:
        """Whether it consists of one to three 2s."""
        return self.type in ("single", "pair", "triple") and rank(self.strength) == TWO

    @property
    def bomb_name(self) -> str:
        return "quad" if self.type == "quad" else f"pairs_{self.size // 2}"


def last_rank(copies: int, rules: Rules) -> int:
    """The highest rank in a sequence (one card of each rank) or double sequence (two)."""
    return TWO if copies == 1 and rules["seq_twos"] == "high" else ACE


def classify(cards: Iterable[int], rules: Rules) -> Combination | None:
    """T4"""
    cards = sorted(cards)
    size = len(cards)
    if size == 0 or len(set(cards)) < size:
        return None
    copies = Counter(rank(card) for card in cards)
    low, high = min(copies), max(copies)
    if low == high:
        return Combination(TYPES[size - 1], size, cards[-1])
    if sorted(copies) != list(range(low, high + 1)):
        return None
    length = len(copies)
    if set(copies.values()) == {1} and length >= rules["seq_min"]:
        if high <= last_rank(1, rules):
            return Combination("sequence", size, cards[-1])
    if set(copies.values()) == {2} and length >= rules["dseq_min"]:
        if high <= last_rank(2, rules):
            return Combination("double_sequence", size, cards[-1])
    return None


def certain(cards: Iterable[int], rules: Rules) -> Combination:
    combination = classify(cards, rules)
    assert combination, f"no combination: {cards}"
    return combination


def stronger(x: Combination, t: Combination, rules: Rules) -> bool:
    """T5"""
    if x.type != t.type or x.size != t.size:
        return False
    if rules["compare_suit"] == "off":
        return rank(x.strength) > rank(t.strength)
    return x.strength > t.strength


def beats(x: Combination, t: Combination, rules: Rules) -> bool:
    """L9: whether x may be played on t."""
    if not t.bomb:  # (a)
        if x.bomb and rules["bomb_scope"] == "any":
            return True
        if x.bomb and t.twos:  # T6
            if x.type == "quad":
                return bool(t.size <= rules["quad_beats"])
            least = rules["bomb_min"][t.size - 1]
            return bool(0 < least <= x.size // 2)
        return stronger(x, t, rules)
    if not x.bomb:  # (b)
        return False
    match rules["bomb_vs_bomb"]:
        case "longer" if x.type == t.type == "double_sequence" and x.size != t.size:
            return x.size > t.size
        case "hierarchy" if x.bomb_name != t.bomb_name:
            order = ("pairs_2", "pairs_3", "quad", "pairs_4", "pairs_5", "pairs_6")
            return order.index(x.bomb_name) > order.index(t.bomb_name)
        case "quad_over_3" if x.type == "quad" and t.bomb_name == "pairs_3":
            return True
    return stronger(x, t, rules)


def by_rank(cards: Iterable[int]) -> list[list[int]]:
    """The cards of each rank, lowest suit first."""
    held: list[list[int]] = [[] for _ in RANKS]
    for card in sorted(cards):
        held[rank(card)].append(card)
    return held


def rows(copies: int, rules: Rules) -> Iterator[range]:
    """The ranks of every sequence (copies = 1) or double sequence (2), wherever it lies."""
    least = rules["seq_min"] if copies == 1 else rules["dseq_min"]
    for low in range(13):
        for high in range(low + least - 1, last_rank(copies, rules) + 1):
            yield range(low, high + 1)


def combinations(hand: Iterable[int], rules: Rules) -> list[Cards]:
    """Every combination in a hand."""
    held = by_rank(hand)
    found = [
        frozenset(some)
        for same in held
        for size in (1, 2, 3, 4)
        for some in itertools.combinations(same, size)
    ]
    for copies in (1, 2):
        for row in rows(copies, rules):
            if all(len(held[r]) >= copies for r in row):
                choices = [itertools.combinations(held[r], copies) for r in row]
                found += [frozenset().union(*parts) for parts in itertools.product(*choices)]
    return found


def strongest(pool: Iterable[int], rules: Rules) -> list[Combination]:
    """The strongest combination of every type, size and highest rank that a pool can make."""
    held = by_rank(pool)
    found = [same[-size:] for same in held for size in range(1, len(same) + 1)]
    for copies in (1, 2):
        for row in rows(copies, rules):
            if all(len(held[r]) >= copies for r in row):
                found.append([card for r in row for card in held[r][-copies:]])
    return [certain(cards, rules) for cards in found]


# A plan: the hand split into the fewest plays


@lru_cache(maxsize=100_000)
def fewest(
    counts: tuple[int, ...], seq_min: int, dseq_min: int, last: int
) -> tuple[tuple[int, int, int], ...]:
    """The plays of a plan, each as (lowest rank, number of ranks, cards of each rank).

    `last` is the highest rank in a sequence.
    """
    if not any(counts):
        return ()
    low = next(r for r, n in enumerate(counts) if n)
    ways: list[tuple[int, int, int]] = []
    for copies, least, end in ((2, dseq_min, ACE), (1, seq_min, last)):
        length = 0
        while low + length <= end and counts[low + length] >= copies:
            length += 1
        ways += [(low, n, copies) for n in range(length, least - 1, -1)]
    ways.append((low, 1, counts[low]))
    best: tuple[tuple[int, int, int], ...] | None = None
    for first in ways:
        _, length, copies = first
        left = tuple(n - copies * (low <= r < low + length) for r, n in enumerate(counts))
        split = (first, *fewest(left, seq_min, dseq_min, last))
        if best is None or len(split) < len(best):
            best = split
    assert best
    return best


def plan(hand: Iterable[int], rules: Rules) -> list[Cards]:
    """The plan of `structure`."""
    held = by_rank(hand)
    counts = tuple(len(same) for same in held)
    split = fewest(counts, rules["seq_min"], rules["dseq_min"], last_rank(1, rules))
    plays = []
    for low, length, copies in split:
        play: set[int] = set()
        for r in range(low, low + length):
            play.update(held[r][:copies])  # the lowest suits left
            held[r] = held[r][copies:]
        plays.append(frozenset(play))
    return plays


# Strategies


@dataclass(frozen=True)
class View:
    """What a seat knows when it is asked: T14."""

    seat: int
    rules: Rules
    hand: Cards
    legal: list[Cards]  # its legal plays
    can_pass: bool
    top: Cards | None  # None: it leads
    counts: list[int]  # how many cards each seat holds
    locked: frozenset[int]  # seats
    unseen: Cards  # not in its hand, never played, undealt ones included
    word: int

    def type(self, cards: Cards) -> str:
        return certain(cards, self.rules).type

    def is_bomb(self, cards: Cards) -> bool:
        return certain(cards, self.rules).bomb

    @property
    def others(self) -> list[int]:
        """How many cards each other seat holds that holds cards."""
        return [n for seat, n in enumerate(self.counts) if seat != self.seat and n > 0]


def has_two(cards: Cards | None) -> bool:
    return cards is not None and any(rank(card) == TWO for card in cards)


def value(cards: Cards) -> int:
    return sum(2**card for card in cards)


def in_order(cards: Cards) -> tuple[int, int, int]:
    return len(cards), max(cards), value(cards)


def first(plays: Iterable[Cards]) -> Cards:
    """Fewest cards, then lowest strength."""
    return min(plays, key=in_order)


def weakest(plays: Iterable[Cards]) -> Cards:
    """Lowest strength, of equals the first in order."""
    return min(plays, key=lambda play: (max(play), in_order(play)))


def longest(plays: Iterable[Cards]) -> Cards:
    """Most cards, of equals the first in order."""
    return min(plays, key=lambda play: (-len(play), in_order(play)))


def choose_random(view: View, passes: int) -> Cards | None:
    def number(cards: Cards) -> tuple[int, int, int]:
        return TYPES.index(view.type(cards)), len(cards), value(cards)

    answers: list[Cards | None] = [*sorted(view.legal, key=number)]
    if view.can_pass and passes:
        answers.append(None)
    return answers[view.word * len(answers) >> 32]


def lowest_of(plays: list[Cards], view: View) -> Cards:
    """What `lowest` plays if these are the plays it has."""
    if view.top is None:
        low = min(card for play in plays for card in play)
        return longest(play for play in plays if low in play)
    own = [play for play in plays if view.type(play) == view.type(view.top)]
    return weakest(own) if own else first(plays)  # what is not of the top's type is a bomb


def choose_lowest(view: View) -> Cards | None:
    return lowest_of(view.legal, view)


def choose_shed(view: View) -> Cards | None:
    return longest(view.legal)


def choose_highest(view: View) -> Cards | None:
    return min(view.legal, key=lambda play: (-max(play), -len(play), value(play)))


def choose_saver(view: View, hold: int, until: int) -> Cards | None:
    two_on_table = has_two(view.top)
    kept: set[int] = set()
    if not two_on_table and min(view.counts) > until:
        if hold >= 1:
            kept.update(card for card in view.hand if rank(card) == TWO)
        if hold >= 2:
            kept.update(card for card in view.hand if rank(card) == ACE)
        if hold >= 3:
            kept.update(*filter(view.is_bomb, combinations(view.hand, view.rules)))

    def is_free(play: Cards) -> bool:
        return not play & kept and (two_on_table or not view.is_bomb(play))

    free = [play for play in view.legal if is_free(play)]
    if not free and view.can_pass:
        return None
    return lowest_of(free or view.legal, view)


def choose_structure(view: View, near: int, alarm: int) -> Cards | None:
    planned = plan(view.hand, view.rules)
    legal = [play for play in planned if play in view.legal]
    if view.top is None:
        plain = [play for play in legal if not has_two(play) and not view.is_bomb(play)]
        if plain:
            return longest(plain)
        return weakest(legal) if legal else choose_lowest(view)
    if not has_two(view.top):
        legal = [play for play in legal if not view.is_bomb(play)]
        if len(planned) > near and all(n > 5 for n in view.others):
            legal = [play for play in legal if not has_two(play)]
    if legal:
        return weakest(legal)
    if any(n <= alarm for n in view.others) or not view.can_pass:
        return choose_lowest(view)
    return None


def choose_control(view: View, near: int, alarm: int) -> Cards | None:
    planned = plan(view.hand, view.rules)
    threats = strongest(view.unseen, view.rules)
    safe = [
        play
        for play in planned
        if not any(beats(x, certain(play, view.rules), view.rules) for x in threats)
    ]
    if len(planned) - len(safe) <= 1:  # it closes
        legal = [play for play in planned if play in view.legal]
        good = [play for play in legal if play in safe]
        if view.top is None:
            good = good or legal
        elif len(planned) == 1:
            good = legal
        if good:
            return weakest(good)
    return choose_structure(view, near, alarm)


def choose_blocker(view: View, near: int, alarm: int) -> Cards | None:
    singles = [play for play in view.legal if len(play) == 1]
    ones = {seat for seat, n in enumerate(view.counts) if n == 1 and seat != view.seat}
    if view.top is None and ones:
        broad = [
            play
            for play in plan(view.hand, view.rules)
            if play in view.legal
            and len(play) >= 2
            and not view.is_bomb(play)
            and not has_two(play)
        ]
        if broad:
            return longest(broad)
        if singles:
            return max(singles, key=max)
    if view.top is not None and len(view.top) == 1 and ones - view.locked and singles:
        return max(singles, key=max)
    return choose_control(view, near, alarm)


Chooser = Callable[..., Cards | None]
STRATEGIES: dict[str, tuple[Chooser, dict[str, int]]] = {
    "random": (choose_random, {"passes": 1}),
    "lowest": (choose_lowest, {}),
    "shed": (choose_shed, {}),
    "highest": (choose_highest, {}),
    "saver": (choose_saver, {"hold": 2, "until": 5}),
    "structure": (choose_structure, {"near": 2, "alarm": 5}),
    "control": (choose_control, {"near": 2, "alarm": 5}),
    "blocker": (choose_blocker, {"near": 2, "alarm": 5}),
}


def parse(text: str) -> Callable[[View], Cards | None]:
    """A strategy as `saver:hold=2:until=5`; parameters may be left out."""
    strategy, *settings = text.split(":")
    choose, defaults = STRATEGIES[strategy]
    parameters = {key: int(number) for key, number in (s.split("=") for s in settings)}
    assert parameters.keys() <= defaults.keys(), f"no such parameter in {text}"
    chosen = defaults | parameters
    return lambda view: choose(view, **chosen)


# Dealing and instant wins


class Literal:
    """A deck is shuffled and dealt."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def deck(self, number: int) -> list[int]:
        deck = list(DECK)
        self.rng.shuffle(deck)
        return deck

    def word(self, seat: int) -> int:
        return self.rng.getrandbits(32)


class Deferred:
    """Cards are turned from a pool with the streams of docs/randomness.md: L1."""

    def __init__(self, seed: int, index: int, players: int) -> None:
        self.seed, self.index, self.players = seed, index, players

    def deck(self, number: int) -> list[int]:
        self.choices = [
            stream(self.seed, 1 + seat, self.index, number) for seat in range(self.players)
        ]
        words = stream(self.seed, 0, self.index, number)
        pool, turned = list(DECK), []
        while pool:
            j = words.below(len(pool))
            turned.append(pool[j])
            pool[j] = pool[-1]
            pool.pop()
        return turned

    def word(self, seat: int) -> int:
        return self.choices[seat].word()


def instant_kind(hand: Iterable[int], rules: Rules) -> str:
    """T2, L3: the first of the kinds the rules name that a hand is, or nothing."""
    held = [len(same) for same in by_rank(hand)]
    black = sum(card % 4 < 2 for card in hand)
    red = sum(card % 4 >= 2 for card in hand)

    def run(length: int, copies: int) -> bool:
        lows = range(ACE - length + 2)
        return any(all(held[low + i] >= copies for i in range(length)) for low in lows)

    is_kind = {
        "twos": held[TWO] == 4,
        "dragon": all(held[:TWO]),
        "six_pairs": sum(n >= 2 for n in held) >= 6,
        "five_pairs_run": run(5, 2),
        "three_triples_run": run(3, 3),
        "one_colour": max(black, red) >= 12,
    }
    return next((kind for kind in KINDS if kind in rules["instant"] and is_kind[kind]), "")


# One deal


@dataclass
class Game:
    """What happened in a deal, or in a match of deals."""

    opener_at: list[int]  # by seat, deals that the seat leads or would have led
    opener_wins: list[int]  # by seat, those of them that it won
    asked: list[int]  # by seat, decisions asked
    events: list[dict[str, Any]] = field(default_factory=list)
    winner: int = -1  # -1 nobody
    winners: list[int] = field(default_factory=list)
    status: str = "finished"
    places: list[int] = field(default_factory=list)
    points: list[int] = field(default_factory=list)
    turns: int = 0
    plays: int = 0
    passes: int = 0
    tricks: int = 0  # tricks led
    deals: int = 0
    bombs_played: dict[str, int] = field(default_factory=lambda: dict.fromkeys(BOMBS, 0))
    bombs_beaten: dict[str, int] = field(default_factory=lambda: dict.fromkeys(BOMBS, 0))
    instant: str = ""  # the kind in deal 1
    opener: int = -1  # who leads deal 1, or would have
    cards_left: list[int] = field(default_factory=list)  # at the end of the last deal


class Deal:
    """The table during one deal: the zones, and what a seat does in its turn."""

    def __init__(
        self,
        rules: Rules,
        choosers: Sequence[Callable[[View], Cards | None]],
        dealer: Literal | Deferred,
        game: Game,
        hands: list[set[int]],
        starter: int,
        lowest: int | None,
    ) -> None:
        self.rules, self.choosers, self.dealer, self.game = rules, choosers, dealer, game
        self.players = rules["players"]
        self.hands = hands
        self.undealt = set(DECK) - set().union(*hands)
        self.table: list[Cards] = []
        self.aside: list[Cards] = []
        self.starter = self.actor = starter
        self.lowest = lowest  # the card that the first play is obliged to, L7
        self.turns = 0
        self.over = False
        self.winner = -1
        self.instant = ""
        self.finishers: list[int] = []  # who is out, in order
        self.stuck: list[int] = []  # who handed on the lead, one after another
        self.played = [0] * self.players  # plays by seat
        self.paid = [0] * self.players  # balance of penalties
        # Every combination of each hand. What is left of a hand has those that are left in it.
        self.combinations = [
            [(play, certain(play, rules)) for play in combinations(hand, rules)] for hand in hands
        ]
        self.clear()
        self.event("deal", number=game.deals, starter=starter, hands=[*map(names, hands)])

    def clear(self) -> None:
        """No trick has begun."""
        self.owner = self.previous_player = self.last_passer = -1
        self.top: Cards | None = None
        self.locked: set[int] = set()  # seats that passed in this trick
        self.passed: set[int] = set()  # seats that passed on this top

    def event(self, event: str, /, **details: Any) -> None:
        self.game.events.append({"event": event, **details})
        zones = [*self.hands, self.undealt, *self.table, *self.aside]
        assert sorted(card for zone in zones for card in zone) == DECK, "a card is astray"

    def after(self, seat: int) -> list[int]:
        """The other seats that hold cards, clockwise."""
        others = [(seat + i) % self.players for i in range(1, self.players)]
        return [other for other in others if self.hands[other]]

    # Instant wins

    def look_for_instant_wins(self) -> bool:
        """T2, T13, L3: whether the deal is over before it begins."""
        seats = [(self.starter + i) % self.players for i in range(self.players)]
        found = {seat: instant_kind(self.hands[seat], self.rules) for seat in seats}
        instant = [seat for seat in seats if found[seat]]
        tie = self.rules["instant_tie"]
        if len(instant) > 1 and tie == "void":
            return True
        preferred = [seat for seat in instant if found[seat] == tie]
        for seat in (preferred + instant)[:1]:
            self.winner, self.instant = seat, found[seat]
            self.event("instant", player=seat, kind=found[seat])
        return bool(instant)

    # Turns

    def legal(self, seat: int) -> list[Cards]:
        """T7, L4 .. L7, L10: the plays a seat may make now."""
        rules, hand, plays = self.rules, self.hands[seat], self.combinations[seat]
        if self.top is not None:
            top = certain(self.top, rules)
            plays = [(play, x) for play, x in plays if beats(x, top, rules)]
            if seat in self.locked:  # T9, L6
                plays = [(play, x) for play, x in plays if self.after_pass(x)]
        elif self.lowest is not None and not any(self.played):  # T3, L7
            if rules["first_lead"] == "include":
                plays = [(play, x) for play, x in plays if self.lowest in play]
            elif rules["first_lead"] == "single":
                plays = [(play, x) for play, x in plays if play == {self.lowest}]
        if rules["finish_two"] == "no":
            plays = [(play, x) for play, x in plays if play != hand or not has_two(play)]
        return [play for play, _ in plays]

    def after_pass(self, x: Combination) -> bool:
        """L6: whether a seat that has passed may make such a play."""
        match self.rules["bomb_after_pass"]:
            case "four":
                return x.type == "double_sequence" and x.size >= 8
            case "yes":
                return x.bomb
        return False

    def view(self, seat: int, legal: list[Cards], can_pass: bool) -> View:
        seen = self.hands[seat].union(*self.table, *self.aside)
        return View(
            seat=seat,
            rules=self.rules,
            hand=frozenset(self.hands[seat]),
            legal=legal,
            can_pass=can_pass,
            top=self.top,
            counts=[len(hand) for hand in self.hands],
            locked=frozenset(self.locked),
            unseen=frozenset(DECK) - seen,
            word=self.dealer.word(seat),
        )

    def turn(self, seat: int) -> None:
        legal = self.legal(seat)
        can_pass = self.top is not None and (self.rules["pass_rule"] == "free" or not legal)
        if len(legal) + can_pass > 1:  # L4
            self.game.asked[seat] += 1
            answer = self.choosers[seat](self.view(seat, legal, can_pass))
            assert answer in legal or (answer is None and can_pass), f"not legal: {answer}"
        else:
            answer = legal[0] if legal else None
        if answer is not None:
            self.put(seat, answer)
        elif self.top is None:
            self.hand_on(seat)
        else:
            self.game.passes += 1
            self.passed.add(seat)
            self.locked.add(seat)  # L5
            self.last_passer = seat
            self.event("pass", player=seat)
            self.go_on()

    def put(self, seat: int, play: Cards) -> None:
        """A seat makes a play."""
        x = certain(play, self.rules)
        self.game.plays += 1
        self.played[seat] += 1
        if self.top is None:
            self.game.tricks += 1
        else:
            self.beat(seat, x, self.top)
            self.previous_player = self.owner
        if x.bomb:
            self.game.bombs_played[x.bomb_name] += 1
        self.hands[seat] -= play
        self.combinations[seat] = [
            (other, y) for other, y in self.combinations[seat] if not other & play
        ]
        self.table.append(play)
        self.top, self.owner = play, seat
        self.passed = set()
        self.stuck = []
        if self.rules["lockout"] == "off":  # L5
            self.locked = set()
        self.event("play", player=seat, cards=names(play), combination=x.type)
        if not self.hands[seat]:
            self.finishers.append(seat)
            self.event("out", player=seat, place=len(self.finishers))
            only_first = self.rules["play_until"] == "first" or self.rules["score"] == "cards"
            if only_first or len(self.after(seat)) == 1:  # T11
                self.over = True
                return
        self.go_on()

    def go_on(self) -> None:
        """T8, L15: find the next to act, or close the trick."""
        for seat in self.after(self.actor):
            locked = seat in self.locked and not self.legal(seat)
            if seat != self.owner and seat not in self.passed and not locked:
                self.actor = seat
                return
        leader = self.owner
        if not self.hands[leader]:
            leader = self.after(self.owner)[0]
            wanted = {
                "next": leader,
                "previous_player": self.previous_player,
                "last_passer": self.last_passer,
            }[self.rules["lead_after_out"]]
            if wanted >= 0 and self.hands[wanted]:
                leader = wanted
        self.aside += self.table
        self.table = []
        self.clear()
        self.actor = leader
        self.event("close", leader=leader)

    def hand_on(self, seat: int) -> None:
        """L10: a leader who may play nothing."""
        self.game.passes += 1
        self.stuck.append(seat)
        self.event("pass", player=seat)
        self.actor = self.after(seat)[0]
        self.over = self.actor in self.stuck

    # Points

    def pay(self, payer: int, receiver: int, price: int) -> None:
        self.paid[payer] -= price
        self.paid[receiver] += price

    def price_of_twos(self, cards: Iterable[int]) -> int:
        black, red, *_ = self.rules["penalties"]
        return int(sum(black if card % 4 < 2 else red for card in cards if rank(card) == TWO))

    def price_of_row(self, ranks: int) -> int:
        _, _, three, _, four = self.rules["penalties"]
        return int(four if ranks >= 4 else three if ranks == 3 else 0)

    def beat(self, seat: int, x: Combination, top: Cards) -> None:
        """A seat beats the top: L12."""
        t = certain(top, self.rules)
        if t.bomb:
            self.game.bombs_beaten[t.bomb_name] += 1
        if self.rules["penalties"] is None or not x.bomb:
            return
        if t.twos:
            self.pay(self.owner, seat, self.price_of_twos(top))
        elif t.type == "quad":
            self.pay(self.owner, seat, self.rules["penalties"][3])
        elif t.type == "double_sequence":
            self.pay(self.owner, seat, self.price_of_row(t.size // 2))

    def pay_for_what_is_held(self) -> None:
        """L12"""
        for seat, hand in enumerate(self.hands):
            if hand:
                held = [len(same) for same in by_rank(hand)]
                price = self.price_of_twos(hand)
                price += self.rules["penalties"][3] * sum(n == 4 for n in held[:TWO])
                paired = "".join("x" if n >= 2 else " " for n in held[:TWO])
                price += sum(self.price_of_row(len(row)) for row in paired.split())
                self.pay(seat, self.winner, price)

    def settle(self) -> tuple[list[int], list[int]]:
        """T11, L10 .. L12: places and points of a deal that is over."""
        places, points = [0] * self.players, [0] * self.players
        if self.winner < 0:
            return places, points
        counting = self.rules["score"] == "cards"
        amounts = self.rules["points"]
        if amounts == "auto":
            amounts = {4: (3, 2, 1, 0), 3: (3, 2, 0), 2: (3, 0)}[self.players]
        if self.instant or counting or self.rules["play_until"] == "first":  # L11
            places[self.winner] = 1
            points[self.winner] = amounts[0]
        else:
            for place, seat in enumerate(self.order()):
                places[seat] = place + 1
                points[seat] = amounts[place]
        if counting:
            due = [
                len(hand) if plays else 26
                for hand, plays in zip(self.hands, self.played, strict=True)
            ]
            points = [-n for n in due]
            points[self.winner] = sum(due) - due[self.winner]
        if self.rules["penalties"] is not None:
            if self.finishers:  # nobody is out after an instant win
                self.pay_for_what_is_held()
            points = [n + paid for n, paid in zip(points, self.paid, strict=True)]
        return places, points

    def order(self) -> list[int]:
        """The seats by place."""
        if self.stuck:  # L10
            return self.finishers + self.stuck[1:] + self.stuck[:1]
        return self.finishers + [seat for seat, hand in enumerate(self.hands) if hand]

    def play(self) -> str:
        """The status of the deal; its last event is left out."""
        if self.look_for_instant_wins():
            return "finished"
        while not self.over:
            if self.turns == self.rules["max_turns"]:  # L14
                return "capped"
            self.turns += 1
            self.game.turns += 1
            self.turn(self.actor)
        self.winner = self.order()[0]
        return "finished"

    def loser(self) -> int:
        """L8: the seat that leads next with starter=loser."""
        if len(self.finishers) > 1 or self.stuck:
            return self.order()[-1]
        others = self.after(self.winner)
        return max(others, key=lambda seat: len(self.hands[seat]))  # the first of equals


# A deal or a match


def play(
    rules: Rules,
    strategies: list[str],
    seed: int,
    index: int,
    *,
    literal: random.Random | None = None,
    hands: Sequence[Iterable[int]] | None = None,
    starter: int | None = None,
    moves: Iterable[Cards | None] = (),
) -> Game:
    """Play game `index` of a run.

    With `literal` a deck is shuffled instead of the streams. `hands` and `starter` set up the
    first deal by hand. A seat whose strategy is `given` answers with the next of `moves`.
    """
    players = rules["players"]
    assert len(strategies) == players
    answers = iter(moves)

    def given(view: View) -> Cards | None:
        answer = next(answers, "no move is left")
        assert not isinstance(answer, str), answer
        return answer

    choosers = [given if text == "given" else parse(text) for text in strategies]
    dealer = Literal(literal) if literal else Deferred(seed, index, players)
    game = Game([0] * players, [0] * players, [0] * players)
    totals = [0] * players
    leader = -1  # of a deal that isn't led because of a card
    while True:
        deck = dealer.deck(game.deals)
        game.deals += 1
        table = [set(deck[seat : 13 * players : players]) for seat in range(players)]  # T1
        by_hand = game.deals == 1 and (hands is not None or starter is not None)
        if by_hand and hands is not None:
            assert len(hands) == players
            table = [set(hand) for hand in hands]
            assert all(table)
        bound = None
        if leader < 0:  # T3, L2
            lowest = min(min(hand) for hand in table)
            leader = next(seat for seat in range(players) if lowest in table[seat])
            if not by_hand:
                bound = lowest
            elif starter is not None:
                leader = starter
        deal = Deal(rules, choosers, dealer, game, table, leader, bound)
        status = deal.play()
        places, points = deal.settle()
        deal.event("game_end", places=places, points=points)
        totals = [a + b for a, b in zip(totals, points, strict=True)]
        game.opener_at[leader] += 1
        if deal.winner == leader:
            game.opener_wins[leader] += 1
        if game.deals == 1:
            game.instant, game.opener = deal.instant, leader
        game.cards_left = [len(hand) for hand in deal.hands]
        if status == "capped":  # L14
            game.status, totals, places = "capped", [0] * players, [0] * players
            break
        if rules["target"] is None:
            game.winner = deal.winner
            break
        best = max(totals)
        if best >= rules["target"] and totals.count(best) == 1:  # T12, L13
            game.winner = totals.index(best)
            places = [1 + sum(other > total for other in totals) for total in totals]
            break
        if deal.winner >= 0:  # L3: otherwise the same seat leads again
            leader = {"winner": deal.winner, "loser": deal.loser(), "lowest": -1}[rules["starter"]]
    game.winners = [game.winner] if game.winner >= 0 else []
    game.places, game.points = places, totals
    return game
