"""Replays of horner: from the kernel's events to the published ones, and to words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Any

from ...kernels import horner_numbers as k
from ..game import Event

VARIETIES = "LCDGVMOB"


def card_name(card: int) -> str:
    """Return a card as it is written: L1 .. G7."""
    return f"{VARIETIES[card >> k.VARIETY_SHIFT]}{(card & k.NUMBER_MASK) + 1}"


def _piles(rules: Any, starter: int, words: Iterable[int]) -> list[list[str]]:
    """H2: the draw piles of a deal, tops first."""
    cards = [word >> 8 * j & 255 for word in words for j in range(8)][: rules.cards]
    piles: list[list[str]] = [[] for _ in range(rules.players)]
    for j, card in enumerate(cards):
        piles[(starter + j) % rules.players].append(card_name(card))
    return piles


def read_event(rules: Any, event: Any) -> Event:
    """Return an event of the kernel as it is published."""
    code, first, second, third, fourth = (int(number) for number in event[:5])
    match code:
        case k.EVENT_DEAL:
            piles = _piles(rules, second, (int(word) for word in event[3:]))
            return {"event": "deal", "round": first, "starter": second, "piles": piles}
        case k.EVENT_FLIP:
            return {"event": "flip", "player": first, "card": card_name(second)}
        case k.EVENT_PLACE:
            return {
                "event": "place",
                "player": first,
                "card": card_name(second),
                "pie": third,
                "from": "discard" if fourth else "pile",
            }
        case k.EVENT_DISCARD:
            return {"event": "discard", "player": first, "card": card_name(second)}
        case k.EVENT_DEAD:
            return {"event": "dead", "player": first, "card": card_name(second)}
        case k.EVENT_PIE:
            return {"event": "pie", "player": first, "pie": second, "variety": VARIETIES[third]}
        case k.EVENT_RESHUFFLE:
            return {"event": "reshuffle", "player": first, "cards": second}
        case k.EVENT_PASS:
            return {"event": "pass", "player": first}
        case k.EVENT_OUT:
            return {"event": "out", "player": first}
        case k.EVENT_ROUND_END:
            points = [int(number) for number in event[3 : 3 + rules.players]]
            return {"event": "round_end", "points": points}
    raise ValueError(f"unknown event code {code}")


def answer_words(decision: int, answer: int) -> str:
    """Return what an answer of a strategy means."""
    if decision == k.PIE:
        return f"the pie at place {answer}, counted from 0"
    words = {k.DISCARD: ("hold", "place it"), k.FLIP: ("no flip", "flip")}
    return words[decision][answer] if answer in (0, 1) else "it must be 0 or 1"


def situation(rules: Any, table: Any, seat: int, decision: int) -> Iterator[str]:
    """Yield lines that say what a seat was asked: the pies, and the discard piles."""
    state = table["live"][0]
    empty = [str(one) for j, one in enumerate(rules.pie_numbers) if state["empty"] >> j & 1]
    needs = []
    for variety in range(rules.varieties):
        need = int(state["need"][variety])
        done = need >= rules.plums
        needs.append(f"{VARIETIES[variety]}: {'done' if done else f'needs {need + 1}'}")
    yield f"pies: {', '.join(needs)}; empty: {', '.join(empty) or 'none'}"
    for other in range(rules.players):
        cards = [card_name(int(one)) for one in state["pile"][other, : state["n_pile"][other]]]
        yield (
            f"seat {other}: {state['n_draw'][other]} to flip, discards {' '.join(cards) or 'none'}"
            + ("   is asked" if other == seat else "")
        )
    if decision == k.PIE:
        yield f"the card to be placed: {card_name(int(state['card']))}"


def narrate(rules: Any, events: Iterable[Event]) -> Iterator[str]:
    """Yield the lines a person reads, a line a turn."""
    held: list[int] = []
    number = 0
    seat = -1  # whose turn is being told
    words: list[str] = []
    flipped = False  # the flip that ends the turn has been made; what it led to may follow

    def close() -> Iterator[str]:
        nonlocal words, flipped
        if words:
            *lines, last = wrap("  ".join(words), 60)
            for line in lines:
                yield f"  seat {seat}   {line}"
            yield f"  seat {seat}   {last:<60}{held[seat]:>7}"
        words, flipped = [], False

    for event in events:
        kind = event["event"]
        player = event.get("player", -1)
        acts = kind in ("flip", "reshuffle", "pass") or event.get("from") == "discard"
        if player != seat or (flipped and acts):
            yield from close()
            seat = player
        if kind == "deal":
            number = event["round"]
            held = [len(pile) for pile in event["piles"]]
            yield f"round {number}, seat {event['starter']} starts"
            for j, pile in enumerate(event["piles"]):
                head = f"  seat {j} has   "
                for line in wrap("  ".join(pile), 78 - len(head)):
                    yield head + line
                    head = " " * len(head)
            yield f"{'cards left':>78}"
        elif kind == "reshuffle" and rules.recycle == "pool":
            yield from close()
            clockwise = [(seat + j) % rules.players for j in range(rules.players)]
            getting = [one for one in clockwise if held[one] > 0]
            held = [0] * rules.players
            for j in range(event["cards"]):
                held[getting[j % len(getting)]] += 1
            yield f"  all discards are shuffled and dealt: {event['cards']} cards"
        elif kind == "reshuffle":
            words.append(f"shuffles {event['cards']}")
        elif kind == "place":
            held[seat] -= 1
            mark = "*" if event["from"] == "discard" else ""
            words.append(f"{event['card']}{mark} to {event['pie']}")
            flipped = not mark and rules.turn == "single"
        elif kind == "discard":
            words.append(f"({event['card']})")
            flipped = True
        elif kind == "dead":
            held[seat] -= 1
            words.append(f"({event['card']} is dead)")
            flipped = True
        elif kind == "pie":
            words.append(f"takes pie {event['pie']}")
        elif kind == "out":
            words.append("is out")
        elif kind == "pass":
            words.append("passes")
        elif kind == "round_end":
            points = ", ".join(f"seat {j}: {one}" for j, one in enumerate(event["points"]))
            yield f"points of round {number}: {points}"
            yield ""


def standings(rules: Any, log: Iterable[Sequence[int]]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield after each turn whose it was, and how far ahead each seat is.

    The most points lead, then the fewest cards. Turns of a player who is alone and doesn't flip may
    be taken for one: the events don't tell where such a turn ends. Built-in players flip.
    """
    held = [0] * rules.players
    before = [0] * rules.players  # points of finished rounds
    points = [0] * rules.players
    seat = -1
    over = placed = out = False  # the last card was flipped; a discard placed; somebody is out

    def ahead() -> tuple[int, ...]:
        return tuple(
            1000 * (old + new) - cards for old, new, cards in zip(before, points, held, strict=True)
        )

    for event in log:
        code, player = event[0], event[1]
        if code == k.EVENT_DEAL:
            held = [0] * rules.players
            for j in range(rules.cards):
                held[(event[2] + j) % rules.players] += 1
            out = False
            continue
        if code == k.EVENT_ROUND_END:
            if seat >= 0:
                yield seat, ahead()
            seat = -1
            over = placed = False
            before = [old + event[3 + j] for j, old in enumerate(before)]
            points = [0] * rules.players
            continue
        if code == k.EVENT_RESHUFFLE and rules.recycle == "sync":
            continue  # everybody's piles, in the middle of somebody's turn
        of_discard = code == k.EVENT_PLACE and bool(event[4])
        acts = code in (k.EVENT_FLIP, k.EVENT_RESHUFFLE, k.EVENT_PASS) or of_discard
        ends = "discard_plays" if of_discard else "flip_after_discard"
        again = placed and acts and rules.turn == "single" and getattr(rules, ends) in ("one", "no")
        if seat >= 0 and (player != seat or (over and acts) or again):
            yield seat, ahead()
            over = placed = False
        placed = placed or of_discard
        seat = player
        if code == k.EVENT_RESHUFFLE and rules.recycle == "pool":
            clockwise = [(seat + j) % rules.players for j in range(rules.players)]
            getting = [one for one in clockwise if held[one] > 0]
            held = [0] * rules.players
            for j in range(event[2]):
                held[getting[j % len(getting)]] += 1
        elif code == k.EVENT_PLACE:
            held[seat] -= 1
            over = not event[4] and rules.turn == "single"
        elif code == k.EVENT_DISCARD:
            over = True
        elif code == k.EVENT_DEAD:
            held[seat] -= 1
            over = True
        elif code == k.EVENT_PIE:
            points[seat] += event[2] if rules.pie_value == "printed" else rules.pie_points
        elif code == k.EVENT_OUT and not out:
            out = True
            points[seat] += rules.out_points
