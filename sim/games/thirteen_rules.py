"""The options of thirteen, and how the kernel is told of them.

docs/rules/thirteen.md says what each means.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...kernels import thirteen_numbers as k
from ..errors import RequestError
from ..options import Choice, Whole, Wholes, Words, option, show

# In the order of the numbers in kernels/thirteen_numbers.py.
BOMB_VS_BOMB = ("same", "longer", "hierarchy", "quad_over_3")
BOMB_SCOPE = ("twos", "any")
BOMB_AFTER_PASS = ("no", "four", "yes")
FIRST_LEAD = ("include", "single", "free")
STARTER = ("winner", "loser", "lowest")
LEAD_AFTER_OUT = ("next", "previous_player", "last_passer")
INSTANT = ("twos", "dragon", "six_pairs", "five_pairs_run", "three_triples_run", "one_colour")
INSTANT_TIE = ("seat", "dragon", "twos", "void")
ON_OFF = ("on", "off")

STANDARD_POINTS = {2: (3, 0), 3: (3, 2, 0), 4: (3, 2, 1, 0)}


@dataclass(frozen=True)
class Rules:
    """The options of thirteen. Making one checks that it can be played."""

    players: int = option(4, Whole(2, k.MAX_SEATS), "how many play, 13 cards each")
    target: int | str = option(
        "none", Whole(1, 10_000, ("none",)), "play a match to this many points?"
    )
    bomb_min: tuple[int, ...] = option(
        (3, 4, 5), Wholes(0, 6), "pairs in a row that beat one, two, three 2s; 0: never"
    )
    quad_beats: int = option(1, Whole(0, 3), "most 2s a quad beats (tứ quý chặt heo)")
    bomb_vs_bomb: str = option("same", Choice(BOMB_VS_BOMB), "which bombs beat bombs?")
    bomb_scope: str = option(
        "twos", Choice(BOMB_SCOPE), "do bombs beat 2s, or anything that is no bomb?"
    )
    lockout: str = option("on", Choice(ON_OFF), "does a pass last for the whole trick?")
    bomb_after_pass: str = option(
        "no", Choice(BOMB_AFTER_PASS), "which bombs may come in after a pass?"
    )
    first_lead: str = option(
        "include",
        Choice(FIRST_LEAD),
        "must the first play hold, or be, the lowest card?",
        main=False,
    )
    starter: str = option(
        "winner", Choice(STARTER), "who starts later deals of a match?", main=False
    )
    lead_after_out: str = option(
        "next", Choice(LEAD_AFTER_OUT), "who leads when a winner of a trick is out?", main=False
    )
    instant: tuple[str, ...] = option(
        ("twos", "dragon"), Words(INSTANT), "hands that win at once (tới trắng)"
    )
    instant_tie: str = option(
        "seat", Choice(INSTANT_TIE), "which of two such hands wins?", main=False
    )
    seq_min: int = option(3, Whole(2, 5), "least ranks of a sequence (sảnh)", main=False)
    dseq_min: int = option(
        3, Whole(2, 4), "least ranks of a double sequence (đôi thông)", main=False
    )
    seq_twos: str = option("no", Choice(("no", "high")), "high: Q K A 2 is a sequence", main=False)
    compare_suit: str = option(
        "on", Choice(ON_OFF), "off: a higher rank is needed, a higher suit won't do", main=False
    )
    pass_rule: str = option(
        "free", Choice(("free", "forced")), "forced: who can play must", main=False
    )
    finish_two: str = option("yes", Choice(("yes", "no")), "may the last play hold a 2 (heo)?")
    play_until: str = option(
        "last", Choice(("last", "first")), "first: over as soon as one is out", main=False
    )
    points: tuple[int, ...] | str = option(
        "auto",
        Wholes(0, 1000, ("auto",)),
        "points by place; auto: 3,2,1,0 or 3,2,0 or 3,0",
        main=False,
    )
    score: str = option(
        "places",
        Choice(("places", "cards")),
        "cards: pay a card left (đếm lá), 26 if frozen (cóng)",
    )
    penalties: tuple[int, ...] | str = option(
        "none",
        Wholes(0, 1000, ("none",)),
        "price of a black 2, red 2, 3 pairs, quad, 4 pairs (chặt, thối)",
    )
    max_turns: int = option(
        10_000, Whole(1, 1_000_000), "turns a deal may last before it is capped", main=False
    )

    def __post_init__(self) -> None:
        if len(self.bomb_min) != 3:
            raise RequestError(
                f"bomb_min={show(self.bomb_min)}: give three numbers, for one, two and three 2s."
            )
        for least in self.bomb_min:
            if least != 0 and least < self.dseq_min:
                raise RequestError(
                    f"bomb_min={show(self.bomb_min)}: {least} pairs in a row is no combination "
                    f"while\n  dseq_min={self.dseq_min}. Use {self.dseq_min} or more"
                    + (f", or add --rule dseq_min={least}." if least >= 2 else ".")
                )
        if isinstance(self.points, tuple):
            if len(self.points) != self.players:
                raise RequestError(
                    f"points={show(self.points)} has {len(self.points)} numbers, but "
                    f"{self.players} play.\n  Give one a place."
                )
            if any(a < b for a, b in zip(self.points, self.points[1:], strict=False)):
                raise RequestError(f"points={show(self.points)}: a lower place can't earn more.")
            if self.target != "none" and self.points[0] == 0:
                raise RequestError(
                    f"points={show(self.points)} with target={self.target}: nobody could get there."
                )
        if isinstance(self.penalties, tuple) and len(self.penalties) != 5:
            raise RequestError(
                f"penalties={show(self.penalties)}: five numbers: black 2, red 2, three pairs, "
                "quad, four pairs."
            )
        if self.score == "cards" and self.points != "auto":
            raise RequestError("points and score=cards are both given; cards pay by cards left.")

    def resolved(self) -> Rules:
        """Return the same rules with points filled in, and the end that score=cards implies."""
        if self.score == "cards":
            return replace(self, play_until="first")
        return replace(self, points=self.place_points)

    @property
    def place_points(self) -> tuple[int, ...]:
        """T11: points by place."""
        return self.points if isinstance(self.points, tuple) else STANDARD_POINTS[self.players]


def encode(rules: Rules) -> Mapping[str, Any]:
    """Return the fields of the kernel's RULES."""
    free = k.MAX_SEATS - rules.players
    return {
        "players": rules.players,
        "target": rules.target if isinstance(rules.target, int) else 0,
        "bomb_min": sum(least << 4 * j for j, least in enumerate(rules.bomb_min)),
        "quad_beats": rules.quad_beats,
        "bomb_vs_bomb": BOMB_VS_BOMB.index(rules.bomb_vs_bomb),
        "bomb_scope": BOMB_SCOPE.index(rules.bomb_scope),
        "lockout": rules.lockout == "on",
        "bomb_after_pass": BOMB_AFTER_PASS.index(rules.bomb_after_pass),
        "first_lead": FIRST_LEAD.index(rules.first_lead),
        "starter": STARTER.index(rules.starter),
        "lead_after_out": LEAD_AFTER_OUT.index(rules.lead_after_out),
        "instant": sum(1 << (1 + INSTANT.index(word)) for word in rules.instant),
        "instant_tie": INSTANT_TIE.index(rules.instant_tie),
        "seq_min": rules.seq_min,
        "dseq_min": rules.dseq_min,
        "seq_twos": rules.seq_twos == "high",
        "compare_suit": rules.compare_suit == "on",
        "pass_forced": rules.pass_rule == "forced",
        "finish_two": rules.finish_two == "yes",
        "until_first": rules.play_until == "first" or rules.score == "cards",
        "points": rules.place_points + (0,) * free,
        "score_cards": rules.score == "cards",
        "penalties": rules.penalties if isinstance(rules.penalties, tuple) else (0,) * 5,
        "max_turns": rules.max_turns,
    }


def decode(asked: Rules, record: Any) -> Rules:
    """Return the rules as the engine has them."""
    penalties = tuple(int(price) for price in record["penalties"])
    points = tuple(int(number) for number in record["points"][: int(record["players"])])
    return Rules(
        players=int(record["players"]),
        target=int(record["target"]) or "none",
        bomb_min=tuple(int(record["bomb_min"]) >> 4 * j & 15 for j in range(3)),
        quad_beats=int(record["quad_beats"]),
        bomb_vs_bomb=BOMB_VS_BOMB[record["bomb_vs_bomb"]],
        bomb_scope=BOMB_SCOPE[record["bomb_scope"]],
        lockout="on" if record["lockout"] else "off",
        bomb_after_pass=BOMB_AFTER_PASS[record["bomb_after_pass"]],
        first_lead=FIRST_LEAD[record["first_lead"]],
        starter=STARTER[record["starter"]],
        lead_after_out=LEAD_AFTER_OUT[record["lead_after_out"]],
        instant=tuple(
            word for j, word in enumerate(INSTANT) if int(record["instant"]) >> (1 + j) & 1
        ),
        instant_tie=INSTANT_TIE[record["instant_tie"]],
        seq_min=int(record["seq_min"]),
        dseq_min=int(record["dseq_min"]),
        seq_twos="high" if record["seq_twos"] else "no",
        compare_suit="on" if record["compare_suit"] else "off",
        pass_rule="forced" if record["pass_forced"] else "free",
        finish_two="yes" if record["finish_two"] else "no",
        play_until="first" if record["until_first"] else "last",
        points="auto" if record["score_cards"] else points,
        score="cards" if record["score_cards"] else "places",
        penalties="none" if asked.penalties == "none" and not any(penalties) else penalties,
        max_turns=int(record["max_turns"]),
    )
