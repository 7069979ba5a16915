"""Replays of horner: from the kernel's events to the published ones, and to words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any

from ...kernels import horner_numbers as k
from ..game import Event

VARIETIES = "LCDGVMOB"


def card_name(card: int) -> str:
    """Return a card as it is written: L1 .. G7."""
    return f"{VARIETIES[card >> k.VARIETY_SHIFT]}{(card & k.NUMBER_MASK) + 1}"


def _cards(rules: Any, words: Iterable[int]) -> list[int]:
    """Return the cards of a deal, in the order in which they were dealt."""
    return [word >> 8 * j & 255 for word in words for j in range(8)][: rules.cards]


def _piles(rules: Any, starter: int, words: Iterable[int]) -> list[list[str]]:
    """H2: the draw piles of a deal, tops first."""
    piles: list[list[str]] = [[] for _ in range(rules.players)]
    for j, card in enumerate(_cards(rules, words)):
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


def composition(rules: Any) -> dict[int, int]:
    """Return the deck: each plum once."""
    return {
        (variety << k.VARIETY_SHIFT) + number: 1
        for variety in range(rules.varieties)
        for number in range(rules.plums)
    }


def dealt(rules: Any, log: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return the cards of round 1, one by one as they were dealt: each place of each draw pile."""
    return [(card,) for card in _cards(rules, log[0][3:])]


@dataclass
class _Round:
    """Where the cards of a round are."""

    rules: Any
    draw: list[list[int]]
    """By seat: the draw pile as dealt, its top last."""
    mixed: list[set[int]]
    """By seat: the cards of a reshuffle that its draw pile is of; one set for all with
    recycle=pool."""
    left: list[int]
    """By seat: cards of `mixed` in its draw pile."""
    pile: list[list[int]]
    """By seat: the discard pile, its top last."""
    need: list[int]
    """By variety: the number that comes next, from 0."""
    pie: list[int]
    """By variety: its pie, -1 without one."""
    points: list[int]
    seat: int = -1
    """Who has flipped a card that lies nowhere yet; -1: nobody."""
    card: int = -1
    out: bool = False
    """Somebody is out."""
    over: bool = False
    due: list[tuple[tuple[int, ...], str]] = field(default_factory=list)
    """Events that must come next, and what to say if they don't."""

    def hidden(self, seat: int) -> int:
        """Cards of a seat's draw pile."""
        return len(self.draw[seat]) + self.left[seat]

    def held(self, seat: int) -> int:
        """Cards of a seat that lie somewhere."""
        return self.hidden(seat) + len(self.pile[seat])

    def last(self, pie: int) -> int:
        """Number of a pie's last plum, from 0."""
        of_pie = self.rules.pies == "capacity"
        return int(self.rules.pie_numbers[pie] if of_pie else self.rules.plums) - 1

    def complete(self, variety: int) -> bool:
        """Whether the pie of a variety is complete."""
        return self.pie[variety] >= 0 and self.need[variety] > self.last(self.pie[variety])

    def fits(self, card: int) -> bool:
        """Whether a card is the next one of a pie."""
        variety = card >> k.VARIETY_SHIFT
        return not self.complete(variety) and self.need[variety] == card & k.NUMBER_MASK

    def after(self, event: Sequence[int]) -> str:
        """Move the card of an event, and say what is wrong with that; '' if nothing is."""
        code, seat, card = event[0], event[1], event[2]
        was_due = bool(self.due)
        if was_due:
            expected, said = self.due.pop(0)
            if tuple(event[: len(expected)]) != expected:
                return said
            if code in (k.EVENT_PIE, k.EVENT_OUT):
                return ""
        if not 0 <= seat < self.rules.players:
            return f"there is no seat {seat}"
        if code == k.EVENT_RESHUFFLE:
            return self.reshuffle(seat, card, first=not was_due)
        if code == k.EVENT_PASS:
            can = self.seat < 0 and self.held(seat)
            return "" if can else f"seat {seat} passes in the middle of a turn, or without a card"
        if code not in (k.EVENT_FLIP, k.EVENT_PLACE, k.EVENT_DISCARD, k.EVENT_DEAD):
            return "this can't come here"
        if not 0 <= card >> k.VARIETY_SHIFT < self.rules.varieties or (
            card & k.NUMBER_MASK >= self.rules.plums
        ):
            return f"there is no card {card}"
        if code == k.EVENT_FLIP:
            return self.flip(seat, card)
        if code == k.EVENT_PLACE and event[4]:
            if self.seat >= 0:
                return f"the {card_name(self.card)} was flipped and lies nowhere"
            if self.pile[seat][-1:] != [card]:
                return f"the {card_name(card)} isn't the top of seat {seat}'s discard pile"
            self.pile[seat].pop()
            return self.place(seat, card, event[3])
        if (seat, card) != (self.seat, self.card):
            return f"the {card_name(card)} is not the card that was flipped"
        self.seat = self.card = -1
        if code == k.EVENT_PLACE:
            return self.place(seat, card, event[3])
        if self.fits(card):
            return f"the {card_name(card)} isn't placed, but can be"
        if self.complete(card >> k.VARIETY_SHIFT) != (code == k.EVENT_DEAD):
            dead = "is no dead card" if code == k.EVENT_DEAD else "is dead and stays in the game"
            return f"the {card_name(card)} {dead}"
        if code == k.EVENT_DISCARD:
            self.pile[seat].append(card)
        else:
            self.gone(seat)
        return ""

    def flip(self, seat: int, card: int) -> str:
        """Take up the top of a draw pile."""
        if self.seat >= 0:
            return f"the {card_name(self.card)} was flipped and lies nowhere"
        if not self.hidden(seat):
            return f"seat {seat} flips the {card_name(card)} from an empty draw pile"
        if self.draw[seat]:
            top = self.draw[seat].pop()
            if top != card:
                return (
                    f"seat {seat} flips the {card_name(card)}, but the {card_name(top)} lay on its "
                    "draw pile"
                )
        else:
            if card not in self.mixed[seat]:
                return f"the {card_name(card)} isn't in seat {seat}'s draw pile"
            self.mixed[seat].remove(card)
            self.left[seat] -= 1
        self.seat, self.card = seat, card
        return ""

    def reshuffle(self, seat: int, cards: int, first: bool) -> str:
        """Make new draw piles of discard piles; with recycle=sync `first`, of all seats."""
        if self.seat >= 0:
            return f"the {card_name(self.card)} was flipped and lies nowhere"
        clockwise = [(seat + j) % self.rules.players for j in range(self.rules.players)]
        getting = [other for other in clockwise if self.pile[other]]
        together = first and self.rules.recycle != "own"
        if together and any(self.hidden(other) for other in clockwise):
            return "discards are shuffled before all draw piles are empty"
        if self.hidden(seat) or seat not in getting:
            return f"seat {seat} shuffles, but has no discards or cards to flip"
        pool = self.rules.recycle == "pool"
        found = [card for other in (getting if pool else [seat]) for card in self.pile[other]]
        if cards != len(found):
            return f"{cards} cards are shuffled, but {len(found)} were discarded"
        if pool:
            mixed = set(found)
            for j, other in enumerate(getting):
                self.pile[other], self.mixed[other] = [], mixed
                self.left[other] = len(found[j :: len(getting)])
        else:
            self.pile[seat], self.mixed[seat], self.left[seat] = [], set(found), len(found)
        if self.rules.recycle == "sync" and first:
            self.due = [
                ((k.EVENT_RESHUFFLE, other), f"seat {other} should shuffle its discards here")
                for other in getting[1:]
            ]
        return ""

    def place(self, seat: int, card: int, number: int) -> str:
        """Lay a card on a pie."""
        variety = card >> k.VARIETY_SHIFT
        if not self.fits(card) or number not in self.rules.pie_numbers:
            return f"the {card_name(card)} can't be placed on pie {number}"
        pie = self.rules.pie_numbers.index(number)
        if self.pie[variety] != (pie if self.need[variety] else -1):
            return f"the {card_name(card)} is placed on pie {number}, which isn't its own"
        if not self.need[variety]:
            if pie in self.pie:
                return f"the {card_name(card)} is placed on pie {number}, which isn't empty"
            self.pie[variety] = pie
        self.need[variety] += 1
        if self.complete(variety):
            printed = self.rules.pie_value == "printed"
            self.points[seat] += number if printed else self.rules.pie_points
            self.due.append(
                ((k.EVENT_PIE, seat, number, variety), f"seat {seat} should take pie {number} here")
            )
        self.gone(seat)
        return ""

    def gone(self, seat: int) -> None:
        """Say what is due after a seat's card has left its hands."""
        if not self.held(seat):
            if not self.out or any(self.held(other) for other in range(self.rules.players)):
                self.due.append(((k.EVENT_OUT, seat), f"seat {seat} should be out here"))
            if not self.out:
                self.points[seat] += self.rules.out_points
            self.out = True
        pies = all(self.complete(variety) for variety in range(self.rules.varieties))
        self.over = pies or (self.out and self.rules.round_end == "first_out")
        if self.over:
            self.due.append(((k.EVENT_ROUND_END,), "the round should be over here"))

    def end(self, event: Sequence[int]) -> str:
        """Count the cards and the points of a round that is over."""
        if self.due and self.due[0][0][0] != k.EVENT_ROUND_END:
            return self.due[0][1]
        if self.seat >= 0:
            return f"the {card_name(self.card)} was flipped and lies nowhere"
        told = list(event[3 : 3 + self.rules.players])
        if told != self.points:
            return f"points of the round are {told}; they should be {self.points}"
        return ""


def audit(rules: Any, log: Sequence[Sequence[int]]) -> str:
    """Return '', or which event of a match leaves a card unaccounted for, and how.

    Every plum is followed: in a draw pile (at a known place until the pile is shuffled), flipped,
    on a discard pile, on a pie, or out of the game.
    """
    deck = sorted(composition(rules))
    rounds = 0
    now: _Round | None = None
    capped = False
    for at, event in enumerate(log):
        fault = ""
        if now is None:
            rounds += 1
            cards = _cards(rules, event[3:])
            if capped or event[0] != k.EVENT_DEAL or event[1] != rounds:
                fault = "the match was over" if capped else f"round {rounds} should be dealt here"
            elif sorted(cards) != deck:
                fault = "the cards dealt are not each plum once"
            elif not 0 <= event[2] < rules.players:
                fault = f"there is no seat {event[2]}"
            else:
                now = _start(rules, event[2], cards)
        elif event[0] == k.EVENT_ROUND_END:
            fault = now.end(event)
            capped = not now.over
            now = None
        else:
            fault = now.after(event)
        if fault:
            return f"event {at}: {fault}."
    return f"event {len(log)}: the end of a round is missing." if now or not rounds else ""


def _start(rules: Any, starter: int, cards: Sequence[int]) -> _Round:
    """H2: the table after the deal."""
    seats = range(rules.players)
    draw: list[list[int]] = [[] for _ in seats]
    for j, card in enumerate(cards):
        draw[(starter + j) % rules.players].insert(0, card)
    varieties = range(rules.varieties)
    return _Round(
        rules,
        draw,
        mixed=[set() for _ in seats],
        left=[0 for _ in seats],
        pile=[[] for _ in seats],
        need=[0 for _ in varieties],
        pie=[-1 for _ in varieties],
        points=[0 for _ in seats],
    )
