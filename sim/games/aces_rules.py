"""The options of aces, and how the kernel is told of them.

docs/rules/aces.md says what each means.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...kernels import aces_numbers as k
from ..errors import RequestError
from ..options import Choice, Whole, Wholes, option, show

WILD_RANKS = {
    "J": (k.JACK,),
    "Q": (k.QUEEN,),
    "K": (k.KING,),
    "JQ": (k.JACK, k.QUEEN),
    "none": (),
}
LETTER = {k.JACK: "J", k.QUEEN: "Q", k.KING: "K"}
# In the order of the numbers in kernels/aces_numbers.py.
TAKE_WORDS = ("playable", "any", "never")
DISPLACE_WORDS = ("must", "may", "no")
STARTER_WORDS = ("winner", "loser", "rotate")


@dataclass(frozen=True)
class Rules:
    """The options of aces. Making one checks that it can be played."""

    players: int = option(2, Whole(1, k.MAX_SEATS), "how many play (1: solitaire, a test mode)")
    packs: int | str = option(
        "auto", Whole(1, 4, ("auto",)), "packs of 52; auto: 1, 2 from 3, 3 from 5 players"
    )
    layout: int = option(10, Whole(1, 13), "size of everyone's first layout")
    layouts: tuple[int, ...] | str = option(
        "none", Wholes(1, 13, ("none",)), "a handicap: first sizes by seat, such as 10,7"
    )
    shrink: int = option(1, Whole(0, 13), "places the winner of a hand loses")
    hands: int = option(
        1, Whole(1, 1000), "with shrink=0: hands in a match, most won wins", main=False
    )
    match: str = option("full", Choice(("full", "hand")), "a whole match, or one hand")
    take_discard: str = option("playable", Choice(TAKE_WORDS), "which discards may be taken?")
    displace: str = option(
        "must", Choice(DISPLACE_WORDS), "does a pip take up the wild on its place?"
    )
    reshuffle: str = option(
        "lazy", Choice(("lazy", "eager")), "eager: as soon as the stock is empty", main=False
    )
    finish: str = option(
        "immediate", Choice(("immediate", "last_turn")), "do the others get one more turn?"
    )
    complete: str = option(
        "any", Choice(("any", "natural")), "natural: each place must show its own pip"
    )
    wild_limit: int | str = option(
        "none", Whole(0, 4, ("none",)), "most wilds face up in one layout"
    )
    starter: str = option("winner", Choice(STARTER_WORDS), "who starts the next hand?")
    wild: str = option("J", Choice(tuple(WILD_RANKS)), "which ranks are wild?")
    jokers: int = option(0, Whole(0, 4), "jokers a pack, all wild")
    queen: str = option(
        "stop", Choice(("stop", "skip")), "does a discarded queen skip the next seat?"
    )
    initial_discard: str = option(
        "no", Choice(("no", "yes")), "is a card turned up at the start?", main=False
    )
    max_turns: int = option(
        10_000, Whole(1, 1_000_000), "turns a hand may last before it is capped", main=False
    )

    def __post_init__(self) -> None:
        sizes = self.sizes
        if self.layouts != "none":
            if self.layout != 10:
                raise RequestError("layout and layouts are both given; use one of them.")
            if len(sizes) != self.players:
                raise RequestError(
                    f"layouts={show(self.layouts)} has {len(sizes)} sizes, but {self.players} "
                    "play.\n  Give one size a seat."
                )
        largest = max(sizes)
        for rank in self.wild_ranks:
            if rank < largest:
                raise RequestError(
                    f"wild={self.wild}: {LETTER[rank]} is pip {rank + 1} of a layout of {largest}."
                    "\n  Make the layout smaller, or choose wild=none or a higher rank."
                )
        if self.queen == "skip" and (k.QUEEN in self.wild_ranks or largest > k.QUEEN):
            raise RequestError(
                "queen=skip: the queen is a wild or a pip here and is not discarded as a stop.\n"
                "  Use queen=stop, or another wild and layouts up to 11."
            )
        if self.shrink > largest:
            raise RequestError(
                f"shrink={self.shrink} is more than the largest layout, {largest}.\n"
                f"  Use 0 to {largest}."
            )
        if self.hands != 1 and (self.shrink != 0 or self.match == "hand"):
            raise RequestError(
                f"hands={self.hands} needs shrink=0 and match=full; otherwise layouts decide how "
                "many hands a match has.\n  Add --rule shrink=0, or leave hands out."
            )
        has_wilds = bool(self.wild_ranks or self.jokers)
        if (
            self.complete == "natural"
            and self.displace == "no"
            and has_wilds
            and self.wild_limit != 0
        ):
            raise RequestError(
                "complete=natural with displace=no: a place with a wild could never be finished."
                "\n  Use displace=must or may, wild_limit=0, or no wilds."
            )
        if self.outside < 2:
            raise RequestError(
                f"layouts of {show(sizes)} leave {self.outside} of "
                f"{(52 + self.jokers) * self.pack_count} cards for stock and discard pile; at "
                "least 2 are needed (A7).\n  Use more packs or smaller layouts."
            )

    @property
    def sizes(self) -> tuple[int, ...]:
        """First layout size of each seat."""
        if isinstance(self.layouts, tuple):
            return self.layouts
        return (self.layout,) * self.players

    def resolved(self) -> Rules:
        """Return the same rules with the number of packs filled in."""
        return replace(self, packs=self.pack_count)

    @property
    def pack_count(self) -> int:
        """A1: number of packs."""
        return self.packs if isinstance(self.packs, int) else (self.players + 1) // 2

    @property
    def wild_ranks(self) -> tuple[int, ...]:
        """Kinds of card that are wild, jokers not counted."""
        return WILD_RANKS[self.wild]

    @property
    def outside(self) -> int:
        """A7: cards outside the layouts."""
        return (52 + self.jokers) * self.pack_count - sum(self.sizes)


def encode(rules: Rules) -> Mapping[str, Any]:
    """Return the fields of the kernel's RULES."""
    wilds = sum(1 << rank for rank in (*rules.wild_ranks, k.JOKER))
    return {
        "players": rules.players,
        "packs": rules.pack_count,
        "jokers": rules.jokers,
        "sizes": rules.sizes + (0,) * (k.MAX_SEATS - rules.players),
        "shrink": rules.shrink,
        "hands": rules.hands,
        "one_hand": rules.match == "hand",
        "take_discard": TAKE_WORDS.index(rules.take_discard),
        "displace": DISPLACE_WORDS.index(rules.displace),
        "eager": rules.reshuffle == "eager",
        "last_turn": rules.finish == "last_turn",
        "natural": rules.complete == "natural",
        "wild_limit": rules.wild_limit if isinstance(rules.wild_limit, int) else -1,
        "starter": STARTER_WORDS.index(rules.starter),
        "wilds": wilds,
        "queen_skips": rules.queen == "skip",
        "initial_discard": rules.initial_discard == "yes",
        "max_turns": rules.max_turns,
    }


def decode(asked: Rules, record: Any) -> Rules:
    """Return the rules as the engine has them, with the number of packs filled in."""
    ranks = tuple(rank for rank in LETTER if int(record["wilds"]) >> rank & 1)
    sizes = tuple(int(size) for size in record["sizes"][: int(record["players"])])
    equal = len(set(sizes)) == 1 and asked.layouts == "none"
    return Rules(
        players=int(record["players"]),
        packs=int(record["packs"]),
        layout=sizes[0] if equal else 10,
        layouts="none" if equal else sizes,
        shrink=int(record["shrink"]),
        hands=int(record["hands"]),
        match="hand" if record["one_hand"] else "full",
        take_discard=TAKE_WORDS[record["take_discard"]],
        displace=DISPLACE_WORDS[record["displace"]],
        reshuffle="eager" if record["eager"] else "lazy",
        finish="last_turn" if record["last_turn"] else "immediate",
        complete="natural" if record["natural"] else "any",
        wild_limit="none" if record["wild_limit"] < 0 else int(record["wild_limit"]),
        starter=STARTER_WORDS[record["starter"]],
        wild=next(word for word, those in WILD_RANKS.items() if those == ranks),
        jokers=int(record["jokers"]),
        queen="skip" if record["queen_skips"] else "stop",
        initial_discard="yes" if record["initial_discard"] else "no",
        max_turns=int(record["max_turns"]),
    )
