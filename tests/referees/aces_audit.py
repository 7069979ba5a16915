"""An auditor of aces, who sees only the events of a match."""

from collections import Counter
from typing import Any

from referees import aces

RANK = {name: rank for rank, name in enumerate(aces.NAMES)}


class Audit:
    """Follows the events of a match with rules of its own making, and counts as it goes."""

    def __init__(self, chosen: aces.Rules, game: aces.Game) -> None:
        self.rules, self.game, self.events, self.pos = chosen, game, game.events, 0
        self.n = chosen["players"]
        self.packs = (1, 1, 1, 2, 2, 3, 3)[self.n] if chosen["packs"] == "auto" else chosen["packs"]
        self.wild = set("" if chosen["wild"] == "none" else chosen["wild"]) | {"*"}
        self.count: Counter[str] = Counter()
        sizes = list(chosen["layouts"] or [chosen["layout"]] * self.n)
        starter, self.hands_won, credits = 0, [0] * self.n, [0] * self.n
        while True:
            before = tuple(sizes)
            finishers = self.hand(starter, sizes)
            self.count["hands"] += 1
            for seat in finishers:
                sizes[seat] = max(sizes[seat] - chosen["shrink"], 0)
                credits[seat] += 1
            winner = finishers[0] if finishers else -1
            assert self.next("hand_end") == {"winner": winner, "layouts": sizes}
            if winner < 0:
                break
            self.hands_won[winner] += 1
            done = self.count["hands"] - 1
            assert game.starter_wins[done] == (starter, before, winner)
            if self.pos == len(self.events):
                break
            next_one = {"winner": winner, "loser": winner + 1, "rotate": starter + 1}
            starter = next_one[chosen["starter"]] % self.n
        assert self.pos == len(self.events)
        assert game.status == ("capped" if winner < 0 else "finished")
        if winner < 0:
            winners = []
        elif chosen["match"] == "hand":
            winners = [winner]
        elif chosen["shrink"]:
            winners = [p for p in finishers if sizes[p] == 0][:1]
            assert len(winners) == 1
        else:
            assert game.hands == chosen["hands"]
            winners = [p for p in range(self.n) if credits[p] == max(credits)]
        assert game.winners == winners
        assert game.winner == (-2 if len(winners) > 1 else (winners or [-1])[0])
        assert game.layouts == sizes and game.hands_won == self.hands_won
        for name in ("turns", "hands", "cards", "taken", "wilds", "reshuffles", "first_turn_wins",
                     "forced", "free"):  # fmt: skip
            assert getattr(game, name) == self.count[name], name

    def peek(self, name: str) -> bool:
        return self.pos < len(self.events) and self.events[self.pos]["event"] == name

    def next(self, name: str) -> dict[str, Any]:
        assert self.peek(name), (name, self.events[self.pos :][:3])
        self.pos += 1
        return {key: value for key, value in self.events[self.pos - 1].items() if key != "event"}

    def hand(self, starter: int, sizes: list[int]) -> list[int]:
        assert self.next("deal") == {
            "hand": self.count["hands"] + 1, "starter": starter, "layouts": sizes,
        }  # fmt: skip
        self.sizes = list(sizes)
        self.face = [dict[int, str]() for _ in sizes]  # by seat: place -> card
        self.pile: list[str] = []
        self.lost: list[str] = []
        # The cards nobody has seen yet, and those of a stock made of the discard pile.
        self.fresh = Counter({name: 4 * self.packs for name in aces.NAMES[1:14]})
        self.fresh["*"] = self.rules["jokers"] * self.packs
        self.again: Counter[str] | None = None
        self.stock = (52 + self.rules["jokers"]) * self.packs - sum(sizes)
        if self.rules["initial_discard"]:
            opening = self.next("discard")
            assert opening["player"] is None
            self.leave(self.fresh, opening["card"])
            self.pile.append(opening["card"])
            self.stock -= 1
        finishers: list[int] = []
        waiting = None  # seats that still have a last turn
        turns, seat = 0, starter
        while waiting != []:
            if turns == self.rules["max_turns"]:
                self.count["capped"] += 1
                return []
            turns += 1
            self.count["turns"] += 1
            outcome = self.turn(seat)
            if waiting is not None:
                waiting.pop(0)
            if outcome == "finished":
                finishers.append(seat)
                if waiting is None:
                    first = turns == 1
                    after = [(seat + k) % self.n for k in range(1, self.n)]
                    waiting = after if self.rules["finish"] == "last_turn" else []
            skipped = outcome == "Q" and self.rules["queen"] == "skip" and self.n > 1
            self.count["skips"] += skipped
            if skipped and waiting is not None:
                waiting = waiting[1:]
            seat = (seat + 1 + skipped) % self.n
            if waiting:
                seat = waiting[0]
        self.count["first_turn_wins"] += first
        self.count["finishers after the first"] += len(finishers) - 1
        return finishers

    def fits(self, seat: int, card: str) -> bool:
        face, size = self.face[seat], self.sizes[seat]
        if card in self.wild:
            wilds = sum(other in self.wild for other in face.values())
            limit = self.rules["wild_limit"]
            return len(face) < size and wilds < (size if limit is None else limit)
        if RANK[card] > size:
            return False
        there = face.get(RANK[card])
        return there is None or (there in self.wild and self.rules["displace"] != "no")

    def won(self, seat: int) -> bool:
        face = self.face[seat]
        own = sum(RANK[card] == place for place, card in face.items())
        natural = self.rules["complete"] == "natural"
        return (own if natural else len(face)) == self.sizes[seat]

    def reshuffled(self) -> None:
        assert self.stock == 0 and len(self.pile) >= 2
        assert self.next("reshuffle") == {"cards": len(self.pile) - 1}
        assert self.again is None or self.again.total() == 0
        self.again = Counter(self.pile[:-1])
        self.stock, self.pile = len(self.pile) - 1, self.pile[-1:]
        self.count["reshuffles"] += 1

    def draw(self, seat: int) -> tuple[str, bool] | None:
        offered = bool(self.pile) and {
            "never": False, "any": True, "playable": self.fits(seat, (self.pile or ["K"])[-1]),
        }[self.rules["take_discard"]]  # fmt: skip
        drawable = self.stock + len(self.pile) >= 2 or self.stock == 1
        if not offered and not drawable:
            self.count["stranded"] += 1
            return None
        if self.peek("reshuffle"):
            self.reshuffled()
        drawn = self.next("draw")
        assert drawn["player"] == seat
        if drawable:
            self.count["free" if offered else "forced"] += 1
        from_pile = drawn["source"] == "discard"
        if from_pile:
            assert offered and self.pile.pop() == drawn["card"]
            self.count["taken"] += 1
        else:
            assert self.stock > 0 and drawn["source"] == "stock"
            self.stock -= 1
            self.leave(self.fresh if self.again is None else self.again, drawn["card"])
            if self.rules["reshuffle"] == "eager" and not self.stock and len(self.pile) > 1:
                self.reshuffled()
                self.count["eager"] += 1
        return drawn["card"], from_pile

    def turn(self, seat: int) -> str:
        drawn = self.draw(seat)
        if drawn is None:
            return "stranded"
        card, from_pile = drawn
        face = self.face[seat]
        while True:
            self.count["cards"] += 1
            self.copies(card)
            fits, wild = self.fits(seat, card), card in self.wild
            asked = fits and not wild and RANK[card] in face and self.rules["displace"] == "may"
            self.count["free"] += asked
            if self.peek("discard"):
                assert not fits or asked, "it has to be placed"
                assert self.next("discard") == {"player": seat, "card": card}
                self.pile.append(card)
                self.count["wilds discarded"] += wild
                self.count["wilds kept"] += asked
                self.count["put back"] += from_pile and not fits
                return card
            from_pile = False
            placed = self.next("place")
            place, displaced = placed["place"], placed["displaced"]
            assert fits and (placed["player"], placed["card"]) == (seat, card)
            if wild:
                assert 1 <= place <= self.sizes[seat] and place not in face
                self.count["wilds"] += 1
                self.count["free" if self.sizes[seat] - len(face) > 1 else "forced"] += 1
            else:
                assert place == RANK[card]
            freed, face[place] = face.get(place), card
            assert (displaced is None) == self.won(seat)
            if displaced is None:
                self.lost += [freed] if freed else []
                return "finished"
            self.count["wilds freed"] += freed is not None
            assert freed in (None, displaced)
            if freed is None:
                self.leave(self.fresh, displaced)
            card = displaced

    def leave(self, pool: Counter[str], card: str) -> None:
        assert pool[card] > 0, f"{card} was not among {pool}"
        pool[card] -= 1

    def copies(self, card: str) -> None:
        seen = [card, *self.pile, *self.lost, *(c for face in self.face for c in face.values())]
        for name, number in Counter(seen).items():
            assert number <= self.packs * (self.rules["jokers"] if name == "*" else 4)
