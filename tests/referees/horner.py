"""A referee for horner: docs/rules/horner.md in plain Python, slow and literal.

The plums are tuples that lie in lists: in a draw pile, on a discard pile, on a pie, among
the dead, or turned up in somebody's hand. The numbers H1 .. H10 are those of the rules,
L1 .. L14 those of their section "To the letter".
"""

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from referees.streams import Xoshiro128pp, stream

VARIETIES = "LCDGVMOB"  # L1
NUMBERS = [2, 4, 5, 7]

Rules = dict[str, Any]


class Card(NamedTuple):
    """A plum; they sort as in the deal."""

    variety: int
    number: int

    @property
    def name(self) -> str:
        return f"{VARIETIES[self.variety]}{self.number}"


Shuffle = Callable[[list[Card], int, int], list[Card]]  # of a pool, for a hand and a part


@dataclass
class Game:
    """What happened in a match."""

    points: list[int]  # by seat
    pies: list[int]  # by seat
    first_outs: list[int]  # by seat
    winner: int = -1  # -1 nobody, -2 shared
    winners: list[int] = field(default_factory=list)
    status: str = "finished"
    turns: int = 0
    rounds: int = 0  # a capped one counted
    flips: int = 0
    flips_placed: int = 0
    from_discard: int = 0
    reshuffles: int = 0
    passes: int = 0
    dead: int = 0
    forced: int = 0
    free: int = 0
    longest_wait: int = 0
    first_out: int = -1  # in round 1
    pies_by: Counter[tuple[int, int]] = field(default_factory=Counter)  # (seat, pie)
    pies_to_dealt: int = 0
    first_flip_placed: int = 0
    first_two_placed: int = 0
    starter_first_out: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)


def new_game(players: int) -> Game:
    return Game(points=[0] * players, pies=[0] * players, first_outs=[0] * players)


@dataclass
class Table:
    """Where the plums of a round lie, and what the round has come to."""

    piles: list[list[Card]]  # draw piles by seat, the top is the first
    discards: list[list[Card]]  # by seat, the top is the last
    pies: list[list[Card]]  # by place, the top is the last
    made: list[bool]  # by seat: a reshuffle has made the draw pile
    reshuffled: list[int]  # by seat: reshuffles so far
    takers: list[int]  # by place of the pie, -1 if it is not complete
    points: list[int]  # by seat, of this round
    pooled: int = 0  # reshuffles of the pool so far
    gone: list[Card] = field(default_factory=list)  # dead cards that left the game
    hand: Card | None = None  # the card just turned up
    outs: list[int] = field(default_factory=list)  # seats, the first out first
    turns: int = 0


# Pies and what can be placed


def numbered(rules: Rules) -> bool:
    """Whether the pies carry numbers."""
    return bool(rules["varieties"] == 4 and rules["plums"] >= 7)


def pie_name(rules: Rules, place: int) -> int:
    return NUMBERS[place] if numbered(rules) else place + 1


def pie_worth(rules: Rules, place: int) -> int:
    """H6, L11"""
    return NUMBERS[place] if rules["pie_value"] == "printed" else int(rules["pie_points"])


def last_number(rules: Rules, place: int) -> int:
    """The number of the plum that completes a pie."""
    return NUMBERS[place] if rules["pies"] == "capacity" else int(rules["plums"])


def is_complete(rules: Rules, table: Table, place: int) -> bool:
    pie = table.pies[place]
    return bool(pie) and pie[-1].number == last_number(rules, place)


def empty_pies(table: Table) -> list[int]:
    return [place for place, pie in enumerate(table.pies) if not pie]


def pie_of(table: Table, variety: int) -> int | None:
    """The place of the pie that belongs to a variety."""
    for place, pie in enumerate(table.pies):
        if pie and pie[0].variety == variety:
            return place
    return None


def is_dead(rules: Rules, table: Table, card: Card) -> bool:
    """L8"""
    place = pie_of(table, card.variety)
    if place is None or not is_complete(rules, table, place):
        return False
    return card.number > last_number(rules, place)


def can_place(rules: Rules, table: Table, card: Card) -> bool:
    """H4"""
    if card.number == 1:
        return bool(empty_pies(table))
    place = pie_of(table, card.variety)
    if place is None or is_dead(rules, table, card):
        return False
    return table.pies[place][-1].number == card.number - 1


def cards_held(table: Table, seat: int) -> int:
    return len(table.piles[seat]) + len(table.discards[seat])


def top_discard(table: Table, seat: int) -> Card | None:
    return table.discards[seat][-1] if table.discards[seat] else None


def clockwise(players: int, first: int) -> list[int]:
    """All seats, from one of them on."""
    return [(first + i) % players for i in range(players)]


# Turning cards from a pool


def turned(pool: list[Card], words: Xoshiro128pp) -> list[Card]:
    """All cards of a pool in the order in which they are turned."""
    pool, cards = list(pool), []
    while pool:
        j = words.below(len(pool))
        cards.append(pool[j])
        pool[j] = pool[-1]
        pool.pop()
    return cards


@dataclass
class Source:
    """Where the order of the cards of a round comes from."""

    seed: int
    stream: int
    index: int
    hand: int
    shuffle: Shuffle | None = None

    def order(self, pool: list[Card], part: int) -> list[Card]:
        if self.shuffle:
            return self.shuffle(list(pool), self.hand, part)
        return turned(pool, stream(self.seed, self.stream, self.index, self.hand, part))


# Strategies


@dataclass
class Strategy:
    name: str = "eager"
    parameters: dict[str, int] = field(default_factory=dict)
    pie: str = "smallest"


def parse(text: str, rules: Rules) -> Strategy:
    """`top_aware:far=3+largest`; the name after + may be missing."""
    first, _, pie = text.partition("+")
    name, *settings = first.split(":")
    parameters = {key: int(value) for key, value in (s.split("=") for s in settings)}
    pie = pie or ("smallest" if numbered(rules) else "own_run")
    if pie in ("smallest", "largest") and not numbered(rules):
        raise ValueError(f"{pie} needs pies with numbers")
    return Strategy(name, parameters, pie)


def next_card(rules: Rules, table: Table, card: Card) -> Card | None:
    """The card that placing this one would make placeable."""
    if card.number == rules["plums"]:
        return None
    place = pie_of(table, card.variety)
    if place is not None and card.number == last_number(rules, place):
        return None  # L8: the next one is dead then
    return Card(card.variety, card.number + 1)


def blocker_holds(rules: Rules, table: Table, seat: int, seats: int) -> bool:
    coming = next_card(rules, table, table.discards[seat][-1])
    others = [p for p in clockwise(len(table.piles), seat)[1:] if cards_held(table, p) > 0]
    return coming is not None and any(top_discard(table, p) == coming for p in others[:seats])


def race_holds(rules: Rules, table: Table, seat: int, lead: int) -> bool:
    coming = next_card(rules, table, table.discards[seat][-1])
    for other in range(len(table.piles)):
        if other != seat and coming is not None and top_discard(table, other) == coming:
            return cards_held(table, other) <= cards_held(table, seat) - lead
    return False


def top_is_far(rules: Rules, table: Table, seat: int, far: int) -> bool:
    top = top_discard(table, seat)
    if top is None or is_dead(rules, table, top):
        return True
    place = pie_of(table, top.variety)
    lying = 0 if place is None else len(table.pies[place])
    return top.number - 1 - lying >= far


def choose_pie(name: str, rules: Rules, table: Table, seat: int, card: Card) -> int:
    """The place of an empty pie for a 1."""
    places = empty_pies(table)  # the order of the places is that of the numbers
    match name:
        case "smallest":
            return places[0]
        case "largest":
            return places[-1]
        case "own_run":
            known = set(table.discards[seat])
            mine = [p for p in places if Card(card.variety, last_number(rules, p)) in known]
            if mine:  # max and min give the first of equals
                return max(mine, key=lambda p: pie_worth(rules, p))
            return min(reversed(places), key=lambda p: pie_worth(rules, p))
    raise ValueError(f"no strategy of pie is called {name}")


# One round


class Round:
    """The table during one round, and what a seat does in its turn."""

    def __init__(
        self,
        rules: Rules,
        strategies: list[Strategy],
        table: Table,
        source: Source,
        game: Game,
        choices: list[Xoshiro128pp],
        check: bool,
    ) -> None:
        self.rules, self.strategies, self.table, self.source = rules, strategies, table, source
        self.game, self.choices, self.checked = game, choices, check
        self.players = len(table.piles)
        self.flips: list[bool] = []  # of this round: whether it was placed
        self.dealt: dict[Card, int] = {}  # who was dealt a card
        self.answer: int | None = None  # of an imagined game: its first answer
        self.imagined = False
        self.asked = self.moved = self.placed = False  # in this turn

    # Bookkeeping

    def event(self, name: str, **details: Any) -> None:
        self.game.events.append({"event": name, **details})
        if self.checked:
            self.check()

    def check(self) -> None:
        """Every plum lies in exactly one place."""
        table, rules = self.table, self.rules
        zones = sum(table.piles + table.discards + table.pies, list(table.gone))
        if table.hand:
            zones.append(table.hand)
        assert sorted(zones) == all_plums(rules), "a plum is astray"
        for place, pie in enumerate(table.pies):  # H4
            run = [Card(pie[0].variety, i + 1) for i in range(len(pie))] if pie else []
            assert pie == run and len(pie) <= last_number(rules, place), "not a pie"
        owners = [pie[0].variety for pie in table.pies if pie]
        assert len(owners) == len(set(owners)), "two pies of one variety"
        assert rules["pies"] == "capacity" or not table.gone, "a dead card without capacity"
        assert all(is_dead(rules, table, card) for card in table.gone), "not dead"

    def over(self) -> bool:
        """H8, L10"""
        if self.rules["round_end"] == "first_out" and self.table.outs:
            return True
        return all(is_complete(self.rules, self.table, p) for p in range(len(self.table.pies)))

    # Decisions

    def ask(self, seat: int, kind: str, placed: bool) -> int:
        """A decision is asked: it has the next word of the seat."""
        self.game.free += 1  # L14
        self.asked = True
        if self.imagined:  # everybody plays eager, but for the first answer
            answer, self.answer = self.answer, None
            return 1 if answer is None else answer
        word = self.choices[seat].word()
        strategy, rules, table = self.strategies[seat], self.rules, self.table
        discard = kind == "discard"
        match strategy.name:
            case "eager":
                return 1
            case "random":
                return word * 2 >> 32
            case "flip_only":
                return 0 if discard else 1
            case "no_flip":
                return 1 if discard else 0
            case "top_aware":
                far = strategy.parameters.get("far", 2)
                return 1 if discard else int(top_is_far(rules, table, seat, far))
            case "blocker":
                seats = strategy.parameters.get("seats", 1)
                return 0 if discard and blocker_holds(rules, table, seat, seats) else 1
            case "race":
                lead = strategy.parameters.get("lead", 1)
                return 0 if discard and race_holds(rules, table, seat, lead) else 1
            case "rollout":
                samples = strategy.parameters.get("samples", 16)
                return self.rollout(seat, kind, placed, samples, word)
        raise ValueError(f"no strategy is called {strategy.name}")

    def rollout(self, seat: int, kind: str, placed: bool, samples: int, word: int) -> int:
        sums = [0, 0]
        for j in range(samples):
            for answer in (0, 1):
                points = self.imagine(seat, kind, placed, answer, word, j)
                sums[answer] += self.players * points[seat] - sum(points)
        return 0 if sums[0] > sums[1] else 1

    def imagine(
        self, seat: int, kind: str, placed: bool, answer: int, word: int, j: int
    ) -> list[int]:
        """The points of the round if the seat answers so, in imagined order number j."""
        table = deepcopy(self.table)
        words = stream(word, 255, j, 0, 0)
        pooled = self.rules["recycle"] == "pool"
        unknown = [p for p in range(self.players) if pooled or not table.made[p]]
        groups = [unknown] + [[p] for p in range(self.players) if p not in unknown]
        for seats in groups:
            pool = sorted(sum((table.piles[p] for p in seats), []))
            cards = turned(pool, words)
            for p in seats:
                size = len(table.piles[p])
                table.piles[p], cards = cards[:size], cards[size:]
        other = Round(
            self.rules,
            self.strategies,
            table,
            Source(word, 255, j, 0),
            new_game(self.players),
            [],
            self.checked,
        )
        other.imagined, other.answer, other.dealt = True, answer, self.dealt
        other.play(seat, (kind, placed))
        assert other.answer is None
        return table.points

    def place_for(self, seat: int, card: Card) -> int:
        """The place of the pie on which a card that can be placed goes."""
        if card.number > 1:
            place = pie_of(self.table, card.variety)
            assert place is not None
            return place
        places = empty_pies(self.table)
        if self.rules["one_pie"] == "choose" and len(places) >= 2:  # L7
            self.game.free += 1  # L14
            self.asked = True
            if not self.imagined:
                self.choices[seat].word()  # nobody looks at it
                name = self.strategies[seat].pie
                return choose_pie(name, self.rules, self.table, seat, card)
        return places[0]

    # What a seat does

    def place(self, seat: int, card: Card, source: str) -> None:
        """L10: the placement, then the pie, then being out."""
        table, rules, game = self.table, self.rules, self.game
        place = self.place_for(seat, card)
        if source == "pile":
            table.hand = None
        else:
            table.discards[seat].pop()
            game.from_discard += 1
        table.pies[place].append(card)
        self.moved = self.placed = True
        name = pie_name(rules, place)
        self.event("place", player=seat, card=card.name, pie=name, **{"from": source})
        if is_complete(rules, table, place):  # H6
            table.takers[place] = seat
            table.points[seat] += pie_worth(rules, place)
            game.pies[seat] += 1
            game.pies_by[seat, name] += 1
            game.pies_to_dealt += self.dealt[card] == seat
            self.event("pie", player=seat, pie=name, variety=VARIETIES[card.variety])
        self.look_for_out(seat)

    def look_for_out(self, seat: int) -> None:
        """H7, L9"""
        table = self.table
        if cards_held(table, seat) > 0:
            return
        table.outs.append(seat)
        first = table.outs == [seat]
        if first:
            table.points[seat] += self.rules["out_points"]
        if first or any(cards_held(table, p) > 0 for p in range(self.players)):
            self.event("out", player=seat)

    def reshuffle(self, seat: int) -> None:
        """L2, L5"""
        table = self.table
        around = clockwise(self.players, seat)
        match self.rules["recycle"]:
            case "own":
                self.reshuffle_own(seat)
            case "sync":
                for p in around:
                    if table.discards[p]:
                        self.reshuffle_own(p)
            case "pool":
                seats = [p for p in around if cards_held(table, p) > 0]
                pool = sum((table.discards[p] for p in around), [])
                cards = self.source.order(pool, 8 * table.pooled + 7)
                table.pooled += 1
                table.discards = [[] for _ in around]
                for j, card in enumerate(cards):
                    table.piles[seats[j % len(seats)]].append(card)
                for p in seats:
                    table.made[p] = True
                self.game.reshuffles += 1
                self.event("reshuffle", player=seat, cards=len(cards))
                assert all(table.piles[p] for p in seats)  # L9

    def reshuffle_own(self, seat: int) -> None:
        table = self.table
        assert not table.piles[seat]
        part = 8 * table.reshuffled[seat] + 1 + seat
        cards = self.source.order(table.discards[seat], part)
        table.piles[seat], table.discards[seat] = cards, []
        table.made[seat] = True
        table.reshuffled[seat] += 1
        self.game.reshuffles += 1
        self.event("reshuffle", player=seat, cards=len(cards))

    def wants_discard(self, seat: int, placed: bool) -> bool:
        """H5a, L4"""
        top = top_discard(self.table, seat)
        if top is None or not can_place(self.rules, self.table, top):
            return False
        match self.rules["discard_play"]:
            case "never":
                return False
            case "must":
                return True
            case "may":
                return self.ask(seat, "discard", placed) == 1
        raise ValueError("no such discard_play")

    def wants_flip(self, seat: int, placed: bool) -> bool:
        """H5b, L5"""
        table = self.table
        if cards_held(table, seat) == 0:
            return False
        others = [p for p in range(self.players) if p != seat]
        if not table.piles[seat] and self.rules["recycle"] in ("sync", "pool"):
            if any(table.piles[p] for p in others):
                return False
        if not placed:
            return True
        match self.rules["flip_after_discard"]:
            case "must":
                return True
            case "no":
                return False
            case "may":
                return self.ask(seat, "flip", placed) == 1
        raise ValueError("no such flip_after_discard")

    def flip(self, seat: int) -> bool:
        """H5b: whether the card was placed."""
        table, game = self.table, self.game
        if not table.piles[seat]:
            self.reshuffle(seat)
        card = table.piles[seat].pop(0)
        table.hand = card
        game.flips += 1
        self.moved = True
        self.event("flip", player=seat, card=card.name)
        if can_place(self.rules, table, card):
            self.flips.append(True)
            game.flips_placed += 1
            self.place(seat, card, "pile")
            return True
        self.flips.append(False)
        table.hand = None
        if is_dead(self.rules, table, card):  # L8
            table.gone.append(card)
            game.dead += 1
            self.event("dead", player=seat, card=card.name)
            self.look_for_out(seat)
        else:
            table.discards[seat].append(card)
            self.event("discard", player=seat, card=card.name)
        return False

    def link(self, seat: int, step: str = "discard", placed: bool = False) -> bool:
        """L3: (a), then (b), or what is left of it; whether the flip was placed."""
        if step == "discard":
            while not placed or self.rules["discard_plays"] == "many":  # L4
                if not self.wants_discard(seat, placed):
                    break
                self.place(seat, self.table.discards[seat][-1], "discard")
                placed = True
                if self.over() or seat in self.table.outs:  # L3, L10
                    return False
        return self.wants_flip(seat, placed) and self.flip(seat)

    def turn(self, seat: int, rest: tuple[str, bool] | None) -> None:
        """H5, L3: a turn, or the rest of it from a decision on."""
        again = self.link(seat, *rest) if rest else self.link(seat)
        while again and self.rules["turn"] == "chain":
            if self.over() or seat in self.table.outs:
                return
            again = self.link(seat)

    def play(self, seat: int, rest: tuple[str, bool] | None = None) -> bool:
        """From a turn of the seat on, or from within it; False if the round is capped."""
        table, game = self.table, self.game
        waiting: int | None = None  # turns since the last placement
        while True:
            if rest is None:
                if table.turns == self.rules["max_turns"]:  # L12
                    return False
                table.turns += 1
                game.turns += 1
            assert cards_held(table, seat) > 0
            self.asked = self.moved = self.placed = False
            self.turn(seat, rest)
            rest = None
            game.forced += not self.asked  # L14
            if not self.moved and not self.imagined:  # L6
                assert self.rules["recycle"] != "own"
                game.passes += 1
                self.event("pass", player=seat)
            if self.placed:  # L13
                game.longest_wait = max(game.longest_wait, waiting or 0)
                waiting = 0
            elif waiting is not None:
                waiting += 1
            if self.over():
                return True
            seat = next(  # L3
                p for p in clockwise(self.players, (seat + 1) % self.players) if p not in table.outs
            )


# A match


def all_plums(rules: Rules) -> list[Card]:
    """L1: the pool of the deal."""
    return [Card(v, n + 1) for v in range(rules["varieties"]) for n in range(rules["plums"])]


def deal(rules: Rules, starter: int, source: Source) -> Table:
    """H2, L1"""
    players, pies = rules["players"], rules["varieties"]
    piles: list[list[Card]] = [[] for _ in range(players)]
    for j, card in enumerate(source.order(all_plums(rules), 0)):
        piles[(starter + j) % players].append(card)
    return Table(
        piles=piles,
        discards=[[] for _ in range(players)],
        pies=[[] for _ in range(pies)],
        made=[False] * players,
        reshuffled=[0] * players,
        takers=[-1] * pies,
        points=[0] * players,
    )


def next_starter(rules: Rules, starter: int, points: list[int]) -> int:
    """H3, L11"""
    around = clockwise(len(points), starter)
    match rules["next_start"]:
        case "rotate":
            return (starter + 1) % len(points)
        case "same":
            return 0
        case "winner":  # max and min give the first of equals
            return max(around, key=lambda p: points[p])
        case "loser":
            return min(around, key=lambda p: points[p])
    raise ValueError("no such next_start")


def play(
    rules: Rules,
    strategies: list[str],
    seed: int,
    index: int,
    *,
    check: bool = True,
    shuffle: Shuffle | None = None,
) -> Game:
    """Play match `index` of a run; `shuffle` gives the orders of the cards instead."""
    players = rules["players"]
    if players > rules["varieties"] * rules["plums"]:
        raise ValueError("more players than plums")
    if not numbered(rules) and (rules["pies"] == "capacity" or rules["pie_value"] == "printed"):
        raise ValueError("the pies have no numbers")
    parsed = [parse(text, rules) for text in strategies]
    assert len(parsed) == players
    game = new_game(players)
    starter = 0  # H3
    for hand in range(rules["rounds"]):  # H1
        game.rounds += 1
        source = Source(seed, 0, index, hand, shuffle)
        table = deal(rules, starter, source)
        choices = [stream(seed, 1 + p, index, hand) for p in range(players)]
        one = Round(rules, parsed, table, source, game, choices, check)
        one.dealt = {card: p for p in range(players) for card in table.piles[p]}
        names = [[card.name for card in pile] for pile in table.piles]
        one.event("deal", round=hand + 1, starter=starter, piles=names)
        finished = one.play(starter)
        one.event("round_end", points=list(table.points))
        game.points = [a + b for a, b in zip(game.points, table.points, strict=True)]
        game.first_flip_placed += one.flips[:1] == [True]
        game.first_two_placed += one.flips[:2] == [True, True]
        if table.outs:  # H7
            game.first_outs[table.outs[0]] += 1
            game.starter_first_out += table.outs[0] == starter
            if hand == 0:
                game.first_out = table.outs[0]
        if not finished:  # L12
            game.status = "capped"
            return game
        starter = next_starter(rules, starter, table.points)
    best = max(game.points)
    game.winners = [p for p in range(players) if game.points[p] == best]  # H9
    game.winner = game.winners[0] if len(game.winners) == 1 else -2
    return game
