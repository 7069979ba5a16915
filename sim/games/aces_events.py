"""Replays of aces: from the kernel's events to the published ones, and to words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...kernels import aces_numbers as k
from ..game import Event

CARDS = ("A", *(str(pip) for pip in range(2, 11)), "J", "Q", "K", "*")


def read_event(rules: Any, event: Any) -> Event:
    """Return an event of the kernel as it is published."""
    code, first, second, third, fourth = (int(number) for number in event[:5])
    sizes = [int(size) for size in event[3 : 3 + rules.players]]
    match code:
        case k.EVENT_DEAL:
            return {"event": "deal", "hand": first, "starter": second, "layouts": sizes}
        case k.EVENT_DRAW:
            source = "discard" if second else "stock"
            return {"event": "draw", "player": first, "source": source, "card": CARDS[third]}
        case k.EVENT_PLACE:
            return {
                "event": "place",
                "player": first,
                "card": CARDS[second],
                "place": third + 1,
                "displaced": None if fourth < 0 else CARDS[fourth],
            }
        case k.EVENT_DISCARD:
            player = None if first < 0 else first
            return {"event": "discard", "player": player, "card": CARDS[second]}
        case k.EVENT_RESHUFFLE:
            return {"event": "reshuffle", "cards": first}
        case k.EVENT_HAND_END:
            return {"event": "hand_end", "winner": first, "layouts": sizes}
    raise ValueError(f"unknown event code {code}")


def answer_words(decision: int, answer: int) -> str:
    """Return what an answer of a strategy means."""
    if decision == k.WILD:
        return f"place {answer + 1}"
    words = {
        k.TAKE: ("the stock", "the discard pile"),
        k.DISPLACE: ("leave the wild", "take it up"),
    }
    return words[decision][answer] if answer in (0, 1) else "it must be 0 or 1"


def situation(rules: Any, table: Any, seat: int, decision: int) -> Iterator[str]:
    """Yield lines that say what a seat was asked: the layouts, and the discard pile."""
    for other in range(rules.players):
        size = int(table["places"][other])
        places = []
        for place in range(size):
            if table["shown"][other] >> place & 1:
                places.append(CARDS[place])
            elif table["filled"][other] >> place & 1:
                places.append(CARDS[table["wild_card"][other, place]])
            else:
                places.append(".")
        yield f"seat {other}: {' '.join(places)}{'   is asked' if other == seat else ''}"
    if table["n_pile"]:
        top = CARDS[table["pile"][table["n_pile"] - 1]]
        yield f"discard pile: {table['n_pile']} cards, {top} on top; stock: {table['stock']}"


def _and(sizes: list[int]) -> str:
    words = [str(size) for size in sizes]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def narrate(rules: Any, events: Iterable[Event]) -> Iterator[str]:
    """Yield the lines a person reads, a line a turn.

    A turn shows where its first card came from and every card in the order in which it was
    played; behind a wild stands its place, behind the last card that it was discarded.
    """
    hand = 0
    sizes: list[int] = []
    up: list[set[int]] = []
    turns = 0
    line: list[str] = []
    source = ""

    def turn(player: int) -> Iterator[str]:
        shown = f"{len(up[player])} of {sizes[player]}"
        head = f"  seat {player}   {source:<8}"
        words = ""
        for word in line:
            if len(head) + len(words) + len(word) + 2 > 68:
                yield head + words
                head, words = " " * len(head), ""
            words += ("  " if words else "") + word
        yield f"{head + words:<70}{shown:>9}".rstrip()

    for event in events:
        match event["event"]:
            case "deal":
                hand, sizes, turns = event["hand"], event["layouts"], 0
                up = [set() for _ in sizes]
                yield f"hand {hand}, layouts of {_and(sizes)}, seat {event['starter']} starts"
            case "reshuffle":
                yield f"  the discard pile becomes the stock: {event['cards']} cards"
            case "draw":
                turns += 1
                source, line = event["source"], []
            case "place":
                up[event["player"]].add(event["place"])
                wild = event["card"] != CARDS[event["place"] - 1]
                line.append(f"{event['card']} to {event['place']}" if wild else event["card"])
                if event["displaced"] is None:
                    line.append("complete")
                    yield from turn(event["player"])
            case "discard":
                if event["player"] is None:
                    yield f"  turned up to open the discard pile: {event['card']}"
                    continue
                line.append(f"({event['card']})")
                if rules.queen == "skip" and event["card"] == "Q" and rules.players > 1:
                    line.append("next seat skipped")
                yield from turn(event["player"])
            case "hand_end":
                if event["winner"] < 0:
                    yield f"nobody wins hand {hand}: capped after {turns} turns"
                else:
                    yield (
                        f"seat {event['winner']} wins hand {hand} in {turns} "
                        f"turn{'s' if turns != 1 else ''}; layouts now {_and(event['layouts'])}"
                    )
                yield ""


def standings(rules: Any, log: Iterable[Sequence[int]]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield after each turn whose it was, and how far ahead each seat is.

    The smallest layout leads, then the fewest face-down places. In a single hand, whose layouts
    don't shrink, only the latter count; in hands without shrinking the most hands won lead first.
    """
    by_size = rules.match == "full" and rules.shrink > 0
    by_hands = rules.match == "full" and rules.shrink == 0
    sizes = [0] * rules.players
    up = [0] * rules.players
    won = [0] * rules.players
    turn = -1  # whose turn is still to be told: the hand may end with it
    discarded = False
    first = -1  # to be rid of its layout, where others follow in their last turns

    def ahead() -> tuple[int, ...]:
        return tuple(
            10_000 * hands
            - (100 * size if by_size else 0)
            - (size - shown.bit_count())
            + (seat == first)
            for seat, (hands, size, shown) in enumerate(zip(won, sizes, up, strict=True))
        )

    for event in log:
        code = event[0]
        if code == k.EVENT_DEAL:
            sizes = list(event[3 : 3 + rules.players])
            up = [0] * rules.players
        elif code == k.EVENT_DRAW:
            # Without a discard a layout was filled, and others have a last turn.
            if turn >= 0 and (discarded or turn != event[1]):
                yield turn, ahead()
            turn, discarded = event[1], False
        elif code == k.EVENT_PLACE:
            up[event[1]] |= 1 << event[3]
        elif code == k.EVENT_DISCARD and event[1] >= 0:
            turn, discarded = event[1], True
        elif code == k.EVENT_HAND_END:
            if by_size:  # the winners' layouts have shrunk, and all are face down again
                sizes, up = list(event[3 : 3 + rules.players]), [0] * rules.players
                first = event[1] if event[1] >= 0 and sizes[event[1]] == 0 else -1
            if by_hands and event[1] >= 0:
                won[event[1]] += 1
            if turn >= 0:
                yield turn, ahead()
            turn = -1


def composition(rules: Any) -> dict[int, int]:
    """Return the deck: how often it has each kind of card."""
    packs = rules.pack_count
    jokers = {k.JOKER: rules.jokers * packs} if rules.jokers else {}
    return dict.fromkeys(range(k.JOKER), 4 * packs) | jokers


def dealt(rules: Any, log: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return the cards of hand 1 that nobody had seen, one by one as they were turned up.

    Those are the opening discard, the cards drawn from the first stock, and the face-down cards
    that placements turn up. Whoever turns up the next one, it is any of those left.
    """
    found: list[tuple[int, ...]] = []
    up: set[tuple[int, int]] = set()
    first_stock = True
    for event in log:
        code = event[0]
        if code == k.EVENT_HAND_END:
            break
        if code == k.EVENT_RESHUFFLE:
            first_stock = False
        elif code == k.EVENT_DISCARD and event[1] < 0:
            found.append((event[2],))
        elif code == k.EVENT_DRAW and not event[2] and first_stock:
            found.append((event[3],))
        elif code == k.EVENT_PLACE:
            place = (event[1], event[3])
            if event[4] >= 0 and place not in up:
                found.append((event[4],))
            up.add(place)
    return found


@dataclass
class _Hand:
    """Where the cards of a hand are, as far as its events have shown."""

    rules: Any
    sizes: list[int]
    unseen: dict[int, int]
    """Cards that nobody has seen: the first stock, and what lies face down."""
    stock: int
    up: list[dict[int, int]]
    """By seat: place to the card that lies there face up."""
    again: dict[int, int] = field(default_factory=dict)
    """The stock that was made of the discard pile."""
    pile: list[int] = field(default_factory=list)
    seat: int = -1
    """Who has a card in hand; -1: nobody."""
    card: int = -1
    finishers: list[int] = field(default_factory=list)
    draws: int = 0
    shuffled: bool = False
    """The discard pile was shuffled for a draw that is still to come."""
    to_shuffle: bool = False
    """reshuffle=eager: the discard pile must be shuffled now."""

    def wild(self, card: int) -> bool:
        """Whether a card is wild."""
        return card == k.JOKER or card in self.rules.wild_ranks

    def fits(self, seat: int, card: int) -> bool:
        """Whether a seat can place a card."""
        up, size = self.up[seat], self.sizes[seat]
        if self.wild(card):
            wilds = sum(self.wild(other) for other in up.values())
            most = size if self.rules.wild_limit == "none" else self.rules.wild_limit
            return len(up) < size and wilds < most
        free = card not in up or (self.wild(up[card]) and self.rules.displace != "no")
        return card < size and free

    def complete(self, seat: int) -> bool:
        """Whether a seat's layout is complete."""
        up = self.up[seat]
        natural = self.rules.complete == "natural"
        return sum(not natural or card == place for place, card in up.items()) == self.sizes[seat]

    def turn_up(self, card: int) -> str:
        """Take a card from those that nobody has seen."""
        if not self.unseen.get(card):
            return f"one more {_name(card)} turns up than the deck has"
        self.unseen[card] -= 1
        return ""

    def after(self, event: Sequence[int]) -> str:
        """Move the card of an event, and say what is wrong with that; '' if nothing is."""
        code = event[0]
        if self.to_shuffle and code != k.EVENT_RESHUFFLE:
            return "the stock is empty, and the discard pile isn't shuffled"
        if self.shuffled and (code != k.EVENT_DRAW or event[2]):
            return "the discard pile was shuffled, and nobody draws from the new stock"
        if code == k.EVENT_RESHUFFLE:
            return self.reshuffle(event[1])
        opens = code == k.EVENT_DISCARD and event[1] == k.NOBODY
        seat = event[1]
        if not opens and not 0 <= seat < self.rules.players:
            return f"there is no seat {seat}"
        if code == k.EVENT_DRAW:
            return self.draw(seat, bool(event[2]), event[3])
        if opens:
            return self.open(event[2])
        if seat != self.seat or event[2] != self.card:
            held = "no card" if seat != self.seat else f"the {_name(self.card)}"
            return f"seat {seat} plays the {_name(event[2])}, but has {held} in hand"
        if code == k.EVENT_PLACE:
            return self.place(seat, event[2], event[3], event[4])
        return self.discard(seat, event[2])

    def open(self, card: int) -> str:
        """Turn up a card to open the discard pile."""
        if self.rules.initial_discard == "no" or self.draws or self.pile:
            return "a card is turned up that opens no discard pile"
        self.pile.append(card)
        self.stock -= 1
        return self.turn_up(card)

    def reshuffle(self, cards: int) -> str:
        """Make the discard pile without its top the stock."""
        if self.stock or len(self.pile) < 2 or self.shuffled:
            return (
                f"the discard pile is shuffled with {self.stock} cards in the stock and "
                f"{len(self.pile)} on the pile"
            )
        if self.seat >= 0 and not self.to_shuffle:
            return f"the discard pile is shuffled while seat {self.seat} has a card in hand"
        if cards != len(self.pile) - 1:
            return (
                f"the new stock has {cards} cards, but below the top of the discard pile lie "
                f"{len(self.pile) - 1}"
            )
        self.again = dict(Counter(self.pile[:-1]))
        self.stock, self.pile = cards, self.pile[-1:]
        self.shuffled, self.to_shuffle = not self.to_shuffle, False
        return ""

    def draw(self, seat: int, from_pile: bool, card: int) -> str:
        """Take a card into an empty hand."""
        if self.seat >= 0:
            return f"seat {seat} draws while seat {self.seat} has the {_name(self.card)} in hand"
        if seat in self.finishers:
            return f"seat {seat} draws although its layout is complete"
        if self.rules.initial_discard == "yes" and not self.draws and not self.pile:
            return "no card was turned up to open the discard pile"
        self.draws += 1
        self.shuffled = False
        self.seat, self.card = seat, card
        if self.draws > self.rules.max_turns:
            return f"this is turn {self.draws} of a hand"
        if from_pile:
            if not self.pile or self.pile[-1] != card:
                top = f"the {_name(self.pile[-1])} lies" if self.pile else "nothing lies"
                return f"the {_name(card)} is taken from the discard pile, but {top} there"
            self.pile.pop()
            return ""
        if not self.stock:
            return f"the {_name(card)} is drawn from an empty stock"
        self.stock -= 1
        eager = self.rules.reshuffle == "eager"
        self.to_shuffle = eager and not self.stock and len(self.pile) > 1
        if not any(self.again.values()):
            return self.turn_up(card)
        if not self.again.get(card):
            return f"the {_name(card)} is drawn, but the stock was made of no more of them"
        self.again[card] -= 1
        return ""

    def place(self, seat: int, card: int, place: int, displaced: int) -> str:
        """Put the card in hand on a place, and take up what lay there."""
        up = self.up[seat]
        there = up.get(place, -1)
        own_place = there < 0 if self.wild(card) else place == card
        if not 0 <= place < self.sizes[seat] or not own_place or not self.fits(seat, card):
            return f"the {_name(card)} can't be placed at place {place + 1} of seat {seat}"
        up[place] = card
        self.seat = self.card = -1
        if self.complete(seat):
            self.finishers.append(seat)
            return "" if displaced < 0 else f"seat {seat}'s layout is complete, and it plays on"
        if displaced < 0:
            return f"seat {seat}'s layout is not complete, and it takes up no card"
        self.seat, self.card = seat, displaced
        if there < 0:
            return self.turn_up(displaced)
        if displaced != there:
            return (
                f"the {_name(displaced)} is taken up from place {place + 1} of seat {seat}, but "
                f"the {_name(there)} lay there"
            )
        return ""

    def discard(self, seat: int, card: int) -> str:
        """Put the card in hand on the discard pile."""
        left = self.rules.displace == "may" and card in self.up[seat]
        if self.fits(seat, card) and not left:
            return f"the {_name(card)} is discarded, but seat {seat} has a place for it"
        self.pile.append(card)
        self.seat = self.card = -1
        return ""

    def end(self, winner: int, sizes: list[int]) -> str:
        """Compare the winner and the layouts after the hand; `self.sizes` become these."""
        if self.seat >= 0 or self.to_shuffle or self.shuffled:
            return "the hand ends in the middle of a turn"
        if winner != k.NOBODY and winner not in self.finishers[:1]:
            return f"seat {winner} wins a hand that it wasn't the first to complete"
        for seat in self.finishers if winner != k.NOBODY else ():
            self.sizes[seat] = max(self.sizes[seat] - self.rules.shrink, 0)
        if sizes != self.sizes:
            return f"layouts are {_and(sizes)} after the hand; they should be {_and(self.sizes)}"
        return ""


def _name(card: int) -> str:
    return CARDS[card] if 0 <= card < len(CARDS) else f"card {card}"


def audit(rules: Any, log: Sequence[Sequence[int]]) -> str:
    """Return '', or which event of a match leaves a card unaccounted for, and how.

    Followed are the card in hand, layouts, discard pile and stock; and of the cards that nobody has
    seen, how many of each rank are left.
    """
    sizes = list(rules.sizes)
    hands = 0
    hand: _Hand | None = None
    capped = False
    for at, event in enumerate(log):
        code = event[0]
        fault = ""
        if hand is None:
            told = list(event[3 : 3 + rules.players])
            hands += 1
            if code != k.EVENT_DEAL or event[1] != hands or capped:
                fault = "a hand should be dealt here" if not capped else "the match was over"
            elif told != sizes:
                fault = f"layouts of {_and(told)} are dealt; they should be of {_and(sizes)}"
            faces: list[dict[int, int]] = [{} for _ in sizes]
            deck = composition(rules)
            hand = _Hand(rules, sizes, deck, sum(deck.values()) - sum(sizes), faces)
        elif code == k.EVENT_HAND_END:
            fault = hand.end(event[1], list(event[3 : 3 + rules.players]))
            hand, capped = None, event[1] == k.NOBODY
        elif code in (k.EVENT_DRAW, k.EVENT_PLACE, k.EVENT_DISCARD, k.EVENT_RESHUFFLE):
            fault = hand.after(event)
        else:
            fault = "this can't come within a hand"
        if fault:
            return f"event {at}: {fault}."
    return f"event {len(log)}: the end of a hand is missing." if hand or not hands else ""
