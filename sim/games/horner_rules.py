"""The options of horner, and how the kernel is told of them.

docs/rules/horner.md says what each means.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...kernels import horner_numbers as k
from ..errors import RequestError
from ..options import Choice, Whole, option

# In the order of the numbers in kernels/horner_numbers.py.
MAY_MUST_NEVER = ("may", "must", "never")
MAY_MUST_NO = ("may", "must", "no")
RECYCLE = ("own", "sync", "pool")
NEXT_START = ("rotate", "same", "winner", "loser")


@dataclass(frozen=True)
class Rules:
    """The options of horner. Making one checks that it can be played."""

    players: int = option(2, Whole(1, k.MAX_SEATS), "how many play (1: alone, a test mode)")
    rounds: int = option(3, Whole(1, 1000), "rounds in a match")
    pies: str = option(
        "identity", Choice(("identity", "capacity")), "capacity: pie n is complete at plum n"
    )
    pie_value: str = option(
        "flat", Choice(("flat", "printed")), "printed: a pie is worth its number"
    )
    pie_points: int = option(2, Whole(0, 1000), "points for a pie")
    out_points: int = option(3, Whole(0, 1000), "points for being the first without cards")
    one_pie: str = option(
        "lowest", Choice(("lowest", "choose")), "does the player choose the pie of a 1?"
    )
    discard_play: str = option(
        "may", Choice(MAY_MUST_NEVER), "is the top discard placed before the flip?"
    )
    discard_plays: str = option(
        "one", Choice(("one", "many")), "many: as long as the top can be placed", main=False
    )
    flip_after_discard: str = option(
        "may", Choice(MAY_MUST_NO), "is there a flip after a discard was placed?"
    )
    turn: str = option(
        "single", Choice(("single", "chain")), "chain: flip on until a flip can't be placed"
    )
    recycle: str = option(
        "own", Choice(RECYCLE), "empty draw pile: shuffle at once, all together, or joined?"
    )
    round_end: str = option(
        "all", Choice(("all", "first_out")), "is the round over once a player is out?"
    )
    next_start: str = option("rotate", Choice(NEXT_START), "who starts the next round?", main=False)
    varieties: int = option(
        4, Whole(1, k.MAX_VARIETIES), "varieties of plums, and pies", main=False
    )
    plums: int = option(7, Whole(2, k.MAX_PLUMS), "plums of a variety", main=False)
    max_turns: int = option(
        10_000, Whole(1, 1_000_000), "turns a round may last before it is capped", main=False
    )

    def __post_init__(self) -> None:
        if self.cards < self.players:
            raise RequestError(
                f"{self.players} players can't share {self.cards} plums "
                f"(varieties={self.varieties}, plums={self.plums}): everybody needs one.\n"
                "  Use more plums or fewer players."
            )
        for name, value, standard in (
            ("pies", self.pies, "identity"),
            ("pie_value", self.pie_value, "flat"),
        ):
            if value != standard and not self.numbered:
                raise RequestError(
                    f"{name}={value} needs the numbers of the pies, 2, 4, 5 and 7: four varieties "
                    f"of seven plums or more, not {self.varieties} of {self.plums}.\n"
                    f"  Use {name}={standard}, or varieties=4 and plums=7."
                )
        if self.pie_value == "printed" and self.pie_points != 2:
            raise RequestError(
                f"pie_points={self.pie_points} with pie_value=printed: a pie is worth its number "
                "there.\n  Use one of them."
            )

    @property
    def cards(self) -> int:
        """H2: number of plums."""
        return self.varieties * self.plums

    @property
    def numbered(self) -> bool:
        """Whether the pies carry the numbers 2, 4, 5 and 7."""
        return self.varieties == len(k.PIE_NUMBERS) and self.plums >= max(k.PIE_NUMBERS)

    @property
    def pie_numbers(self) -> tuple[int, ...]:
        """Numbers of the pies by place on the table; without numbers, those places from 1."""
        return k.PIE_NUMBERS if self.numbered else tuple(range(1, self.varieties + 1))

    @property
    def keeps_cards(self) -> bool:
        """Whether the deal alone decides who takes which variety's pie."""
        return self.recycle != "pool" and self.pies == "identity"

    def resolved(self) -> Rules:
        """Return the same rules: nothing in them is left to be filled in."""
        return self


def encode(rules: Rules) -> Mapping[str, Any]:
    """Return the fields of the kernel's RULES."""
    numbers = rules.pie_numbers
    unused = (0,) * (k.MAX_VARIETIES - rules.varieties)
    capacity, printed = rules.pies == "capacity", rules.pie_value == "printed"
    return {
        "players": rules.players,
        "rounds": rules.rounds,
        "varieties": rules.varieties,
        "plums": rules.plums,
        "pie_number": numbers + unused,
        "pie_last": tuple((number if capacity else rules.plums) - 1 for number in numbers) + unused,
        "pie_worth": tuple(number if printed else rules.pie_points for number in numbers) + unused,
        "out_points": rules.out_points,
        "player_chooses": rules.one_pie == "choose",
        "discard_play": MAY_MUST_NEVER.index(rules.discard_play),
        "many": rules.discard_plays == "many",
        "flip_after": MAY_MUST_NO.index(rules.flip_after_discard),
        "chain": rules.turn == "chain",
        "recycle": RECYCLE.index(rules.recycle),
        "first_out_ends": rules.round_end == "first_out",
        "next_start": NEXT_START.index(rules.next_start),
        "max_turns": rules.max_turns,
    }


def decode(asked: Rules, record: Any) -> Rules:
    """Return the rules as the engine has them."""
    varieties, plums = int(record["varieties"]), int(record["plums"])
    last = [int(number) for number in record["pie_last"][:varieties]]
    worth = [int(points) for points in record["pie_worth"][:varieties]]
    printed = len(set(worth)) > 1
    return Rules(
        players=int(record["players"]),
        rounds=int(record["rounds"]),
        pies="identity" if set(last) == {plums - 1} else "capacity",
        pie_value="printed" if printed else "flat",
        pie_points=2 if printed else worth[0],
        out_points=int(record["out_points"]),
        one_pie="choose" if record["player_chooses"] else "lowest",
        discard_play=MAY_MUST_NEVER[record["discard_play"]],
        discard_plays="many" if record["many"] else "one",
        flip_after_discard=MAY_MUST_NO[record["flip_after"]],
        turn="chain" if record["chain"] else "single",
        recycle=RECYCLE[record["recycle"]],
        round_end="first_out" if record["first_out_ends"] else "all",
        next_start=NEXT_START[record["next_start"]],
        varieties=varieties,
        plums=plums,
        max_turns=int(record["max_turns"]),
    )
