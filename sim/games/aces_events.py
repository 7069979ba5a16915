"""Replays of aces: from the kernel's events to the published ones, and to words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
    turn = -1

    def ahead() -> tuple[int, ...]:
        return tuple(
            10_000 * hands - (100 * size if by_size else 0) - (size - shown.bit_count())
            for hands, size, shown in zip(won, sizes, up, strict=True)
        )

    for event in log:
        code = event[0]
        if code == k.EVENT_DEAL:
            sizes = list(event[3 : 3 + rules.players])
            up = [0] * rules.players
        elif code == k.EVENT_DRAW:
            if turn >= 0 and turn != event[1]:  # a layout was filled, and others have a last turn
                yield turn, ahead()
            turn = event[1]
        elif code == k.EVENT_PLACE:
            up[event[1]] |= 1 << event[3]
        elif code == k.EVENT_DISCARD and event[1] >= 0:
            yield event[1], ahead()
            turn = -1
        elif code == k.EVENT_HAND_END:
            if by_size:  # the winners' layouts have shrunk, and all are face down again
                sizes, up = list(event[3 : 3 + rules.players]), [0] * rules.players
            if by_hands and event[1] >= 0:
                won[event[1]] += 1
            if turn >= 0:  # the placement that won the hand ended the turn
                yield turn, ahead()
            turn = -1
