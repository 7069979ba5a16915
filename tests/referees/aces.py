"""A referee for aces: docs/rules/aces.md in plain Python, slow and literal.

The cards are objects that lie somewhere: in a layout, in the stock, on the discard
pile, in a hand, or set aside. The numbers A1 .. A10 are those of the rules, L1 .. L11
those of their section "To the letter".

There are two ways of dealing. `Literal` shuffles a deck and knows where every card is.
`Deferred` decides what a card is when it is first turned, from the streams of
docs/randomness.md. The rules can't tell one from the other.
"""

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from referees.streams import stream

NAMES = ("", "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "*")
QUEEN, JOKER = 12, 14
WILDS: dict[str, set[int]] = {"J": {11}, "Q": {12}, "K": {13}, "JQ": {11, 12}, "none": set()}
FACE_DOWN = UNDECIDED = 0  # in the place of a rank

Rules = dict[str, Any]


@dataclass
class Game:
    """What happened in a match."""

    hands_won: list[int]  # by seat, hands whose winner the seat was
    layouts: list[int] = field(default_factory=list)  # sizes at the end
    events: list[dict[str, Any]] = field(default_factory=list)
    winner: int = -1  # -1 nobody, -2 shared
    winners: list[int] = field(default_factory=list)
    status: str = "finished"
    turns: int = 0
    hands: int = 0  # a capped one counted
    cards: int = 0  # cards that came into a hand
    taken: int = 0  # of them from the discard pile
    wilds: int = 0  # wilds placed
    reshuffles: int = 0
    first_turn_wins: int = 0
    forced: int = 0
    free: int = 0
    first_winner: int = -1
    # of each finished hand: who started it, the sizes then, who won it
    starter_wins: list[tuple[int, tuple[int, ...], int]] = field(default_factory=list)


# Cards and the two ways of dealing them


@dataclass(eq=False)
class Card:
    rank: int = UNDECIDED
    seen: bool = False  # turned face up since the last shuffle
    pool: list[int] = field(default_factory=list)  # the ranks it may turn out to be


class Literal:
    """A deck is shuffled; each card is what it is from the start."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.pools: list[list[int]] = []  # nothing is undecided

    def deck(self, ranks: list[int], hand: int) -> list[Card]:
        cards = [Card(rank) for rank in ranks]
        self.rng.shuffle(cards)
        return cards

    def turn(self, card: Card) -> None:
        card.seen = True

    def restock(self, cards: list[Card]) -> None:
        for card in cards:
            card.seen = False
        self.rng.shuffle(cards)

    def word(self, seat: int) -> int:
        return self.rng.getrandbits(32)


class Deferred:
    """A card is drawn from its pool when it is turned."""

    def __init__(self, seed: int, index: int, players: int) -> None:
        self.seed, self.index, self.players = seed, index, players

    def deck(self, ranks: list[int], hand: int) -> list[Card]:
        self.deal = stream(self.seed, 0, self.index, hand)
        self.choices = [stream(self.seed, 1 + p, self.index, hand) for p in range(self.players)]
        pool = list(ranks)
        self.pools = [pool]
        return [Card(pool=pool) for _ in ranks]

    def turn(self, card: Card) -> None:
        j = self.deal.below(len(card.pool))
        card.rank, card.seen = card.pool[j], True
        card.pool[j] = card.pool[-1]
        card.pool.pop()

    def restock(self, cards: list[Card]) -> None:
        pool = [card.rank for card in cards]  # the second pool; face-down cards keep the first
        self.pools = [self.pools[0], pool]
        for card in cards:
            card.rank, card.seen, card.pool = UNDECIDED, False, pool

    def word(self, seat: int) -> int:
        return self.choices[seat].word()


# What can be placed


def wild_ranks(rules: Rules) -> set[int]:
    return WILDS[rules["wild"]] | {JOKER}


def can_place(rank: int, shown: list[int], rules: Rules) -> bool:
    """L1, from what a layout shows: a rank at each place, or FACE_DOWN."""
    wilds = wild_ranks(rules)
    if rank in wilds:
        limit = rules["wild_limit"]
        return FACE_DOWN in shown and (
            limit is None or sum(other in wilds for other in shown) < limit
        )
    if rank > len(shown):  # A2
        return False
    there = shown[rank - 1]
    return there == FACE_DOWN or (there in wilds and rules["displace"] != "no")


# Strategies


@dataclass
class View:
    """What a seat knows: A10."""

    seat: int
    rules: Rules
    shown: list[list[int]]  # by seat, the ranks its layout shows
    unseen: list[int]  # by rank, how many cards nobody sees
    top: int  # rank on top of the discard pile, 0 if there is none
    returned: bool  # the seat before took that very card and put it back
    word: int

    def pick(self, m: int) -> int:
        """A choice among m."""
        return self.word * m >> 32


def choose_take(name: str, parameters: dict[str, int], view: View) -> bool:
    here, after = view.shown[view.seat], view.shown[(view.seat + 1) % len(view.shown)]
    useful = can_place(view.top, here, view.rules)
    match name:
        case "always":
            return useful
        case "never":
            return False
        case "random":
            return view.pick(2) == 1
        case "rare":
            return useful and view.unseen[view.top] <= parameters.get("copies", 1)
        case "safe_pass":
            useless = not useful and not can_place(view.top, after, view.rules)
            return useful or (useless and not view.returned)
    raise ValueError(f"no strategy of take is called {name}")


def choose_wild(name: str, view: View) -> int:
    """The index of a face-down place, counted from 0."""
    places = [i for i, rank in enumerate(view.shown[view.seat]) if rank == FACE_DOWN]
    opponents = [shown for seat, shown in enumerate(view.shown) if seat != view.seat]

    def lacking(i: int) -> int:
        return sum(i < len(shown) and shown[i] != i + 1 for shown in opponents)

    match name:  # min and max give the lowest of equals
        case "lowest":
            return places[0]
        case "highest":
            return places[-1]
        case "random":
            return places[view.pick(len(places))]
        case "rarest":
            return min(places, key=lambda i: view.unseen[i + 1])
        case "commonest":
            return max(places, key=lambda i: view.unseen[i + 1])
        case "contested":
            return max(places, key=lacking)
    raise ValueError(f"no strategy of wild is called {name}")


def choose_displace(name: str, view: View) -> bool:
    match name:
        case "always":
            return True
        case "never":
            return False
        case "random":
            return view.pick(2) == 1
    raise ValueError(f"no strategy of displace is called {name}")


@dataclass
class Strategy:
    take: str = "always"
    parameters: dict[str, int] = field(default_factory=dict)
    wild: str = "lowest"
    displace: str = "always"


def parse(text: str) -> Strategy:
    """`rare:copies=2+rarest+never`; later names may be left out."""
    take, *others = text.split("+")
    name, *settings = take.split(":")
    parameters = {key: int(value) for key, value in (s.split("=") for s in settings)}
    return Strategy(name, parameters, *others)


# One hand


class Hand:
    """The table during one hand: the zones, and what a seat does in its turn."""

    def __init__(
        self,
        rules: Rules,
        strategies: list[Strategy],
        dealer: Literal | Deferred,
        game: Game,
        sizes: list[int],
        starter: int,
    ) -> None:
        self.rules, self.strategies, self.dealer, self.game = rules, strategies, dealer, game
        self.players = len(sizes)
        self.wilds = wild_ranks(rules)
        packs = pack_count(rules)
        self.copies = [0] + [4 * packs] * 13 + [rules["jokers"] * packs]
        self.ranks = [rank for rank, n in enumerate(self.copies) for _ in range(n)]
        self.deck = dealer.deck(self.ranks, game.hands - 1)
        self.pile: list[Card] = []  # the top is the last
        self.hand: Card | None = None
        self.aside: list[Card] = []
        self.returned = False
        self.skipping = False

        # A3: one card at a time, clockwise, past players who have theirs
        self.stock = list(self.deck)  # the top is the first
        self.layouts: list[list[Card]] = [[] for _ in sizes]
        seat = starter
        while any(len(cards) < size for cards, size in zip(self.layouts, sizes, strict=True)):
            if len(self.layouts[seat]) < sizes[seat]:
                self.layouts[seat].append(self.stock.pop(0))
            seat = (seat + 1) % self.players
        assert len(self.stock) >= 2, "A7: at least two cards outside the layouts"
        self.event("deal", hand=game.hands, starter=starter, layouts=list(sizes))
        if rules["initial_discard"]:
            card = self.stock.pop(0)
            dealer.turn(card)
            self.pile.append(card)
            self.event("discard", player=None, card=NAMES[card.rank])

    def event(self, name: str, **details: Any) -> None:
        self.game.events.append({"event": name, **details})
        self.check()

    def check(self) -> None:
        """All zones together hold exactly the deck."""
        in_hand = [self.hand] if self.hand else []
        zones = sum(self.layouts, self.stock + self.pile + in_hand + self.aside)
        assert len(zones) == len(self.deck) and set(zones) == set(self.deck), "a card is astray"
        decided = [card.rank for card in zones if card.rank != UNDECIDED]
        pooled: list[int] = sum(self.dealer.pools, [])
        assert sorted(decided + pooled) == self.ranks, "not the cards of the deck"
        undecided = Counter([id(card.pool) for card in zones if card.rank == UNDECIDED])
        assert undecided == {id(pool): len(pool) for pool in self.dealer.pools if pool}
        hidden = [card for card in self.pile + in_hand if not card.seen]
        assert not hidden, "a hidden card lies open"
        assert not [card for card in self.stock if card.seen], "an open card is in the stock"

    def shown(self, seat: int) -> list[int]:
        return [card.rank if card.seen else FACE_DOWN for card in self.layouts[seat]]

    def ask(self, seat: int) -> View:
        """A decision is asked: what the seat sees, and the word of this decision."""
        self.game.free += 1  # L11
        seen = Counter(card.rank for card in self.deck if card.seen)
        return View(
            seat=seat,
            rules=self.rules,
            shown=[self.shown(p) for p in range(self.players)],
            unseen=[n - seen[rank] for rank, n in enumerate(self.copies)],
            top=self.pile[-1].rank if self.pile else 0,
            returned=self.returned,
            word=self.dealer.word(seat),
        )

    def complete(self, seat: int) -> bool:
        """L4"""
        shown = self.shown(seat)
        if self.rules["complete"] == "natural":
            return shown == list(range(1, len(shown) + 1))
        return FACE_DOWN not in shown

    def reshuffle(self) -> None:
        """A7: the discard pile without its top is the new stock."""
        self.stock, self.pile = self.pile[:-1], self.pile[-1:]
        self.dealer.restock(self.stock)
        self.game.reshuffles += 1
        self.event("reshuffle", cards=len(self.stock))

    def wants_discard(self, seat: int) -> bool | None:
        """A5a, L2: take the discard (True), draw (False), or neither can be done (None)."""
        offered = bool(self.pile) and (
            self.rules["take_discard"] == "any"
            or self.rules["take_discard"] == "playable"
            and can_place(self.pile[-1].rank, self.shown(seat), self.rules)
        )
        can_draw = bool(self.stock) or len(self.pile) >= 2
        if offered and can_draw:
            strategy = self.strategies[seat]
            return choose_take(strategy.take, strategy.parameters, self.ask(seat))
        if offered:
            return True
        if can_draw:
            self.game.forced += 1  # L11
            return False
        return None

    def draw(self, seat: int, from_pile: bool) -> Card:
        if from_pile:
            card = self.pile.pop()
            self.game.taken += 1
        else:
            if not self.stock:
                self.reshuffle()
            card = self.stock.pop(0)
            self.dealer.turn(card)
        self.hand = card
        self.game.cards += 1
        source = "discard" if from_pile else "stock"
        self.event("draw", player=seat, source=source, card=NAMES[card.rank])
        eager = self.rules["reshuffle"] == "eager"
        if eager and not from_pile and not self.stock and len(self.pile) >= 2:  # L9
            self.reshuffle()
        return card

    def place_for(self, seat: int, rank: int) -> int | None:
        """The index of the place where the card in hand goes; None: on the discard pile."""
        shown, strategy = self.shown(seat), self.strategies[seat]
        if not can_place(rank, shown, self.rules):
            return None
        if rank in self.wilds:
            if shown.count(FACE_DOWN) > 1:  # L3
                return choose_wild(strategy.wild, self.ask(seat))
            self.game.forced += 1  # L11
            return shown.index(FACE_DOWN)
        if shown[rank - 1] in self.wilds and self.rules["displace"] == "may":  # L3
            if not choose_displace(strategy.displace, self.ask(seat)):
                return None
        return rank - 1

    def turn(self, seat: int) -> bool:
        """A5: one turn; whether it completed the seat's layout."""
        from_pile = self.wants_discard(seat)
        if from_pile is None:  # L12
            self.returned = False
            return False
        layout = self.layouts[seat]
        card = drawn = self.draw(seat, from_pile)
        while True:
            place = self.place_for(seat, card.rank)
            if place is None:
                self.pile.append(card)
                self.hand = None
                self.returned = from_pile and card is drawn  # L10
                self.event("discard", player=seat, card=NAMES[card.rank])
                self.skipping = card.rank == QUEEN and self.rules["queen"] == "skip"  # L7
                return False
            displaced, layout[place] = layout[place], card
            self.game.wilds += card.rank in self.wilds
            placed = {"player": seat, "card": NAMES[card.rank], "place": place + 1}
            if self.complete(seat):
                self.hand = None
                self.aside.append(displaced)  # L4: as it lies, never turned
                self.returned = False
                self.event("place", **placed, displaced=None)
                return True
            if not displaced.seen:
                self.dealer.turn(displaced)
            self.hand = card = displaced
            self.game.cards += 1
            self.event("place", **placed, displaced=NAMES[displaced.rank])

    def play(self, starter: int) -> list[int]:
        """The finishers in order, the winner first; none if the hand is capped."""
        finishers: list[int] = []
        turns, won_in_first_turn = 0, False
        seat = starter
        while True:
            if turns == self.rules["max_turns"]:  # L8
                return []
            turns += 1
            self.game.turns += 1
            if self.turn(seat):
                finishers.append(seat)
                won_in_first_turn = won_in_first_turn or turns == 1
                if self.rules["finish"] == "immediate":
                    break
            seat = (seat + 1) % self.players
            if self.skipping:  # L7; L5: the last of the last turns skips nobody
                self.skipping = False
                if seat not in finishers[:1]:
                    seat = (seat + 1) % self.players
            if seat in finishers[:1]:  # L5
                break
        self.game.first_turn_wins += won_in_first_turn
        return finishers


# A match


def pack_count(rules: Rules) -> int:
    if rules["packs"] == "auto":  # A1
        return (int(rules["players"]) + 1) // 2
    return int(rules["packs"])


def play(
    rules: Rules,
    strategies: list[str],
    seed: int,
    index: int,
    *,
    literal: random.Random | None = None,
) -> Game:
    """Play match `index` of a run; with `literal` a shuffled deck, and no streams, instead."""
    players = rules["players"]
    dealer = Literal(literal) if literal else Deferred(seed, index, players)
    parsed = [parse(text) for text in strategies]
    assert len(parsed) == players
    sizes = list(rules["layouts"] or [rules["layout"]] * players)
    assert len(sizes) == players
    game = Game(hands_won=[0] * players)
    credits = [0] * players
    starter = 0  # A4
    while not game.winners:
        game.hands += 1
        before = tuple(sizes)
        hand = Hand(rules, parsed, dealer, game, sizes, starter)
        finishers = hand.play(starter)
        for seat in finishers:  # A8, L6
            sizes[seat] = max(0, sizes[seat] - rules["shrink"])
            credits[seat] += 1
        winner = finishers[0] if finishers else -1
        hand.event("hand_end", winner=winner, layouts=list(sizes))
        if game.hands == 1:
            game.first_winner = winner
        if not finishers:
            game.status = "capped"
            break
        game.hands_won[winner] += 1
        game.starter_wins.append((starter, before, winner))
        if rules["match"] == "hand":
            game.winners = [winner]
        elif rules["shrink"] > 0:
            game.winners = [seat for seat in finishers if sizes[seat] == 0][:1]
        elif game.hands == rules["hands"]:
            game.winners = [p for p in range(players) if credits[p] == max(credits)]
        match rules["starter"]:
            case "winner":
                starter = winner
            case "loser":
                starter = (winner + 1) % players
            case "rotate":
                starter = (starter + 1) % players
    game.layouts = sizes
    if game.winners:
        game.winner = game.winners[0] if len(game.winners) == 1 else -2
    return game
