"""Replays of thirteen: from the kernel's events to the published ones, and to words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any

from ...kernels import thirteen_numbers as k
from ..game import Event

RANKS = ("3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "2")
SUITS = "SCDH"
DECK = 52
KINDS = (
    "none",
    "twos",
    "dragon",
    "six_pairs",
    "five_pairs_run",
    "three_triples_run",
    "one_colour",
)


def card_name(card: int) -> str:
    """Return a card as it is written: 3S .. 2H."""
    return RANKS[card >> 2] + SUITS[card & 3]


def cards_of(mask: int) -> list[int]:
    """Return the cards of a mask, ascending."""
    return [card for card in range(52) if mask >> card & 1]


def combination_name(mask: int) -> str:
    """Return what a legal play is called."""
    cards = cards_of(mask)
    ranks = {card >> 2 for card in cards}
    if len(ranks) == 1:
        return ("single", "pair", "triple", "quad")[len(cards) - 1]
    return "sequence" if len(ranks) == len(cards) else "double_sequence"


def read_event(rules: Any, event: Any) -> Event:
    """Return an event of the kernel as it is published."""
    code, first, second = (int(number) for number in event[:3])
    seats = [int(number) for number in event[3 : 3 + rules.players]]
    match code:
        case k.EVENT_DEAL:
            hands = [[card_name(card) for card in cards_of(hand)] for hand in seats]
            return {"event": "deal", "number": first, "starter": second, "hands": hands}
        case k.EVENT_INSTANT:
            return {"event": "instant", "player": first, "kind": KINDS[second]}
        case k.EVENT_PLAY:
            return {
                "event": "play",
                "player": first,
                "cards": [card_name(card) for card in cards_of(second)],
                "combination": combination_name(second),
            }
        case k.EVENT_PASS:
            return {"event": "pass", "player": first}
        case k.EVENT_CLOSE:
            return {"event": "close", "leader": first}
        case k.EVENT_OUT:
            return {"event": "out", "player": first, "place": second}
        case k.EVENT_GAME_END:
            points = [int(number) for number in event[3 + k.MAX_SEATS :][: rules.players]]
            return {"event": "game_end", "places": seats, "points": points}
    raise ValueError(f"unknown event code {code}")


def answer_words(decision: int, answer: int) -> str:
    """Return what an answer of a strategy means."""
    if answer == 0:
        return "a pass"
    if answer < 0 or answer >> 52:
        return "cards are bits 0 to 51"
    return " ".join(card_name(card) for card in cards_of(answer))


def situation(rules: Any, table: Any, seat: int, decision: int) -> Iterator[str]:
    """Yield lines that say what a seat was asked: its hand, and what it had to beat."""
    cards = [card_name(card) for card in cards_of(int(table["hand"][seat]))]
    yield f"its hand: {' '.join(cards)}"
    top = int(table["top"])
    if top:
        yield (
            f"to beat: {answer_words(decision, top)} ({combination_name(top).replace('_', ' ')}) "
            f"of seat {table['owner']}"
        )
    else:
        due = int(table["must_hold"])
        yield "it leads" + (f", with the {card_name(due.bit_length() - 1)}" if due else "")


def narrate(rules: Any, events: Iterable[Event]) -> Iterator[str]:
    """Yield the lines a person reads, a line a turn, a block a trick."""
    left: list[int] = []
    trick = 0
    number = 0
    top: Event | None = None

    def head(leader: int) -> str:
        return f"trick {trick}, seat {leader} leads"

    for event in events:
        match event["event"]:
            case "deal":
                number, trick, top = event["number"], 1, None
                left = [len(hand) for hand in event["hands"]]
                if number > 1 or rules.target != "none":
                    yield f"deal {number}"
                for seat, hand in enumerate(event["hands"]):
                    cards = "".join(f"{card:>4}" for card in hand)
                    note = "   starts" if seat == event["starter"] else ""
                    yield f"  seat {seat}  {cards}{note}"
                yield ""
                yield head(event["starter"])
            case "instant":
                yield f"  seat {event['player']}   wins at once: {event['kind']}"
            case "play":
                seat = event["player"]
                left[seat] -= len(event["cards"])
                note = ""
                if top is not None and event["combination"] != top["combination"]:
                    note = f"bombs the {top['combination'].replace('_', ' ')}"
                top = event
                cards = " ".join(event["cards"])
                name = event["combination"].replace("_", " ")
                yield f"  seat {seat}   {cards:<34} {name:<15}{left[seat]:>3}  {note}".rstrip()
            case "pass":
                yield f"  seat {event['player']}   pass{left[event['player']]:>49}"
            case "out":
                yield f"  seat {event['player']}   is out, place {event['place']}"
            case "close":
                trick += 1
                top = None
                yield head(event["leader"])
            case "game_end":
                if not any(event["places"]):
                    yield "nobody wins: the deal was capped, or several hands would at once (void)"
                places = ", ".join(
                    f"seat {seat}: {place or 'none'}" for seat, place in enumerate(event["places"])
                )
                points = ", ".join(str(number) for number in event["points"])
                yield f"places: {places}; points: {points}"
                yield ""


def standings(rules: Any, log: Iterable[Sequence[int]]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield after each turn whose it was, and how far ahead each seat is.

    The fewest cards lead, of those without cards who was out first; in a match the most points lead
    before that.
    """
    ahead = [0] * rules.players
    points = [0] * rules.players
    out = 0
    turn = -1  # whose turn is still to be told: points may follow
    counted: tuple[int, ...] | None = None  # how far ahead all were when they had
    before = 1000 if rules.target != "none" else 0

    def standing() -> tuple[int, ...]:
        return tuple(before * score + near for score, near in zip(points, ahead, strict=True))

    for event in log:
        code = event[0]
        if code in (k.EVENT_PLAY, k.EVENT_PASS):
            if turn >= 0:
                yield turn, counted or standing()
            counted = None
        if code == k.EVENT_DEAL:
            ahead = [-13] * rules.players
            out = 0
        elif code == k.EVENT_PASS:
            turn = event[1]
        elif code == k.EVENT_PLAY:
            turn = event[1]
            ahead[turn] += event[2].bit_count()
            if ahead[turn] == 0:
                ahead[turn] = rules.players - out
                out += 1
        elif code == k.EVENT_GAME_END:
            for seat in range(rules.players):
                points[seat] += event[3 + k.MAX_SEATS + seat]
            counted = standing()  # also of a deal that ended at once, without a turn
    if turn >= 0:
        yield turn, counted or standing()


def composition(rules: Any) -> dict[int, int]:
    """Return the deck: each card once."""
    return dict.fromkeys(range(DECK), 1)


def dealt(rules: Any, log: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return the hands of deal 1, by seat."""
    return [tuple(cards_of(hand)) for hand in log[0][3 : 3 + rules.players]]


@dataclass
class _Deal:
    """Where the cards of a deal are."""

    rules: Any
    hands: list[int]
    places: list[int]
    turns: int = 0
    out: int = 0
    """Seats that are out."""
    to_go: int = -1
    """Who has just played its last card."""
    instant: int = -1
    """Who wins at once."""
    played: int = 0
    """Mask of the seats that have played a card."""
    lies: bool = False
    """Whether there is a play to be beaten."""
    stuck: list[int] = field(default_factory=list)
    """Who has just handed the lead on."""
    capped: bool = False

    @property
    def until_first(self) -> bool:
        """Whether the deal is over when somebody is out."""
        return bool(self.rules.play_until == "first" or self.rules.score == "cards")

    @property
    def over(self) -> bool:
        """Whether nobody has to play any more."""
        enough = 1 if self.until_first else self.rules.players - 1
        return self.instant >= 0 or self.out >= enough

    def after(self, event: Sequence[int]) -> str:
        """Take the cards of an event from a hand, and say what is wrong with it; '' if nothing."""
        code, seat, second = event[:3]
        if not 0 <= seat < self.rules.players:
            return f"there is no seat {seat}"
        if self.to_go >= 0 and (code, seat, second) != (k.EVENT_OUT, self.to_go, self.out + 1):
            return f"seat {self.to_go} should be out here, at place {self.out + 1}"
        if code == k.EVENT_OUT:
            if self.to_go < 0:
                return f"seat {seat} is out, but hasn't just played its last card"
            self.out += 1
            self.places[seat] = self.out
            self.to_go = -1
            return ""
        if self.over:
            return "the deal should be over here"
        if not self.hands[seat]:
            return f"seat {seat} has no card left"
        if code == k.EVENT_CLOSE:
            closes, self.lies = self.lies, False
            return "" if closes else "a trick is closed that nobody began"
        if code == k.EVENT_INSTANT:
            self.instant, self.places[seat] = seat, 1
            return f"seat {seat} wins at once, after {self.turns} turns" if self.turns else ""
        if code not in (k.EVENT_PLAY, k.EVENT_PASS):
            return "this can't come within a deal"
        self.turns += 1
        if self.turns > self.rules.max_turns:
            return f"this is turn {self.turns} of a deal"
        if code == k.EVENT_PASS:
            if not self.lies:
                self.stuck.append(seat)
            return ""
        missing = second & ~self.hands[seat]
        if missing or not second:
            names = " ".join(map(card_name, cards_of(missing))) or "nothing"
            return f"seat {seat} plays {names}, which its hand doesn't hold"
        self.lies = True
        self.stuck.clear()
        self.hands[seat] &= ~second
        self.played |= 1 << seat
        if not self.hands[seat]:
            self.to_go = seat
        return ""

    def place_the_rest(self) -> str:
        """Give the seats that hold cards their places; says why the deal can't be over yet."""
        holding = [seat for seat in range(self.rules.players) if self.hands[seat]]
        if self.over:
            for seat in holding if not self.until_first and self.instant < 0 else ():
                self.places[seat] = self.rules.players
            return ""
        if self.rules.finish_two == "no" and len(self.stuck) == len(holding):
            # Who was stuck first is last; the others follow clockwise after it.
            behind = [(self.stuck[0] + j) % self.rules.players for j in range(self.rules.players)]
            for seat in (*behind[1:], behind[0]):
                if seat in holding:
                    self.out += 1
                    self.places[seat] = self.out
            if self.until_first:
                self.places = [int(place == 1) for place in self.places]
            return ""
        void = not self.turns and self.rules.instant_tie == "void"
        self.capped = not void and self.turns == self.rules.max_turns
        self.places = [0] * self.rules.players
        return "" if void or self.capped else "the deal isn't over yet"

    def base_points(self) -> list[int]:
        """T11: points by seat, without penalties."""
        if 1 not in self.places:
            return [0] * self.rules.players
        if self.rules.score == "places":
            points = self.rules.place_points
            return [points[place - 1] if place else 0 for place in self.places]
        paid = [
            0
            if self.places[seat] == 1
            else hand.bit_count()
            if self.instant < 0 and self.played >> seat & 1
            else k.FROZEN
            for seat, hand in enumerate(self.hands)
        ]
        return [
            sum(paid) if place == 1 else -own for place, own in zip(self.places, paid, strict=True)
        ]

    def end(self, places: list[int], points: list[int]) -> str:
        """Compare places and points with the cards that were played."""
        if self.to_go >= 0:
            return f"seat {self.to_go} should be out here, at place {self.out + 1}"
        fault = self.place_the_rest()
        if fault:
            return fault
        if places != self.places:
            return f"places are {places}; they should be {self.places}"
        base = self.base_points()
        if self.rules.penalties == "none" and points != base:
            return f"points are {points}; they should be {base}"
        if sum(points) != sum(base):  # penalties are paid by one seat to another
            return f"points are {points}; their sum should be {sum(base)}"
        return ""


def audit(rules: Any, log: Sequence[Sequence[int]]) -> str:
    """Return '', or which event of a game leaves a card unaccounted for, and how.

    Hands must be parts of the deck, each play is taken from the hand of the seat that made it, and
    who has none left must be out at the next place. Points must add up.
    """
    seats = rules.players
    deals = 0
    deal: _Deal | None = None
    capped = False
    for at, event in enumerate(log):
        fault = ""
        told = list(event[3 : 3 + seats])
        if deal is None:
            deals += 1
            deal = _Deal(rules, told, [0] * seats)
            if capped or event[0] != k.EVENT_DEAL or event[1] != deals:
                fault = "the game was over" if capped else f"deal {deals} should be told here"
            elif any(hand >> DECK or hand.bit_count() != k.HAND for hand in told):
                fault = "not all hands are of 13 cards"
            elif sum(told) != reduce(or_, told):
                fault = "a card is in two hands"
            elif not 0 <= event[2] < seats:
                fault = f"there is no seat {event[2]}"
        elif event[0] == k.EVENT_GAME_END:
            fault = deal.end(told, list(event[3 + k.MAX_SEATS :][:seats]))
            capped = deal.capped
            deal = None
        else:
            fault = deal.after(event)
        if fault:
            return f"event {at}: {fault}."
    return f"event {len(log)}: the end of a deal is missing." if deal or not deals else ""
