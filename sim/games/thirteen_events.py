"""Replays of thirteen: from the kernel's events to the published ones, and to words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...kernels import thirteen_numbers as k
from ..game import Event

RANKS = ("3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "2")
SUITS = "SCDH"
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
    before = 1000 if rules.target != "none" else 0

    def standing() -> tuple[int, ...]:
        return tuple(before * score + near for score, near in zip(points, ahead, strict=True))

    for event in log:
        code = event[0]
        if turn >= 0 and code in (k.EVENT_PLAY, k.EVENT_PASS):
            yield turn, standing()
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
            if turn >= 0:
                yield turn, standing()
            turn = -1
    if turn >= 0:
        yield turn, standing()
