"""thirteen (Tiến Lên): rules, strategies, columns and counts.

docs/rules/thirteen.md has the rules in full, with the numbers used here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...kernels import thirteen_numbers as k
from ..errors import RequestError
from ..game import (
    MATCH,
    Column,
    Count,
    Decision,
    Fact,
    Game,
    Headline,
    Mean,
    Parameter,
    Rate,
    Strategy,
    Tally,
    Unit,
)
from ..options import Choice, Whole, Wholes, Words, option, show
from .thirteen_events import narrate, read_event

DEAL = Unit("deal", "deals")

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
BOMBS = ("quad", "pairs_2", "pairs_3", "pairs_4", "pairs_5", "pairs_6")


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
        "bomb_min": rules.bomb_min,
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
        bomb_min=tuple(int(least) for least in record["bomb_min"]),
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


def nanoseconds(rules: Rules) -> float:
    """Rough cost of a game: about 6 µs a deal."""
    deals = 1.0
    if isinstance(rules.target, int):
        mean = 5.0 if rules.score == "cards" else sum(rules.place_points) / rules.players
        deals = rules.target / max(mean, 0.25) * (rules.target if rules.score == "cards" else 1)
    return 6_000.0 * max(1.0, min(deals, 1e5))


def capped_note(rules: Rules, capped: int, locked: int) -> str:
    """Say why games were capped."""
    return f"{capped or 'none':{',' if capped else ''}} reached {rules.max_turns:,} turns a deal"


def seat_note(rules: Rules, seat: int) -> str:
    """No seat is special: the holder of the lowest card leads."""
    return ""


def _is_match(rules: Rules) -> bool:
    return isinstance(rules.target, int)


NEAR = Parameter("near", 2, 0, 13, "plays left in the plan from which 2s may be spent")
ALARM = Parameter("alarm", 5, 0, 13, "cards of another seat at which the plan is broken")
DECISIONS = (
    Decision(
        "play",
        "one of the legal plays, or a pass",
        (
            Strategy(
                "lowest",
                k.STRATEGY_LOWEST,
                "the weakest legal play; leads the longest with its lowest card (a beginner)",
            ),
            Strategy(
                "random",
                k.STRATEGY_RANDOM,
                "any legal answer, all equally likely",
                (Parameter("passes", 1, 0, 1, "1: a pass counts as an answer"),),
                draws=True,
            ),
            Strategy("shed", k.STRATEGY_SHED, "the play with the most cards, then the weakest"),
            Strategy("highest", k.STRATEGY_HIGHEST, "the strongest play"),
            Strategy(
                "saver",
                k.STRATEGY_SAVER,
                "as lowest, but keeps 2s, aces and bombs for later (cautious)",
                (
                    Parameter("hold", 2, 0, 3, "1: 2s; 2: and aces; 3: and cards of bombs"),
                    Parameter("until", 5, 0, 13, "cards of any player at which it stops holding"),
                ),
            ),
            Strategy(
                "structure",
                k.STRATEGY_STRUCTURE,
                "keeps to the fewest plays its hand splits into (good)",
                (NEAR, ALARM),
            ),
            Strategy(
                "control",
                k.STRATEGY_CONTROL,
                "structure, and runs out once at most one play can be beaten (strong)",
                (NEAR, ALARM),
            ),
            Strategy(
                "blocker",
                k.STRATEGY_BLOCKER,
                "control, with care for seats that hold one card",
                (NEAR, ALARM),
            ),
            Strategy(
                "endgame",
                k.STRATEGY_ENDGAME,
                "control, and perfect once two are left and know each other's cards",
                (Parameter("nodes", 20_000, 100, 10_000_000, "positions it may look at"),),
            ),
        ),
        "lowest",
    ),
)

COLUMNS = (
    Column("turns", "Int32", "turns", "turns of all deals: plays and passes"),
    Column("deals", "Int32", "deals", "deals played, a capped one included"),
    Column("plays", "Int32", "plays", "combinations played"),
    Column("passes", "Int32", "passes", "passes, forced ones included"),
    Column("tricks", "Int32", "tricks", "tricks begun"),
    Column("forced", "Int32", "decisions", "turns with a single legal answer"),
    Column("free", "Int32", "decisions", "turns with a choice, asked of a strategy"),
    Column("bombs", "Int32", "bombs", "quads and double sequences played", "bombs_played"),
    Column("bombs_beaten", "Int32", "bombs", "quads and double sequences beaten by another play"),
    Column("instant", "Enum", "", "instant win of deal 1", labels=("none", *INSTANT)),
    Column("opener", "Int8", "seat", "who led deal 1, or would have led it"),
    Column("cards_left", "Int32", "cards", "cards left in hands at the ends of deals"),
    Column("place_", "Int8", "place", "place of the seat, 1 the best; 0: none"),
    Column("points_", "Int32", "points", "points of the seat"),
)

COUNTS = (
    Count("turns", "turns", "games", "plays and passes"),
    Count("deals", "deals", "games", "deals"),
    Count("plays", "plays", "deals", "combinations played"),
    Count("passes", "passes", "deals", "passes"),
    Count("tricks", "tricks", "deals", "tricks begun"),
    Count("decisions_forced", "forced", "turns", "turns with a single legal answer"),
    Count("decisions_free", "free", "turns", "turns with a choice"),
    Count("bombs_played", "bombs_played", "deals", "quads and double sequences played"),
    Count("bombs_beaten", "bombs_beaten", "bombs_played", "of them beaten by another play"),
    *(
        Count(f"played_{name}", "played_by_kind", "deals", f"bombs played: {name}", at=j)
        for j, name in enumerate(BOMBS)
    ),
    *(
        Count(f"beaten_{name}", "beaten_by_kind", f"played_{name}", f"bombs beaten: {name}", at=j)
        for j, name in enumerate(BOMBS)
    ),
    Count("deals_with_bomb", "deals_with_bomb", "deals", "deals in which a bomb was played"),
    Count("instant_wins", "instant_wins", "deals", "deals that ended at once"),
    *(
        Count(f"instant_{name}", "instants", "deals", f"deals that ended at once: {name}", at=1 + j)
        for j, name in enumerate(INSTANT)
    ),
    Count("opener_at", "opener_at", "deals", "deals led by each seat, or to be", per_seat=True),
    Count("opener_wins", "opener_wins", "deals", "deals won by the seat that led, or would have"),
    Count("cards_left", "cards_left", "deals", "cards left in hands at the ends of deals"),
    Count("points", "points", "games", "points, by seat", per_seat=True),
    Count(
        "endgame_gave_up", "gave_up", "deals", "searches of endgame that found no answer in time"
    ),
)

_RULES = "exact, by counting hands"
FACTS = (
    Fact("some instant win", 0.01283718626, 0, _RULES, {}, Rate("instant_wins"), games=1_000_000),
    Fact(
        "somebody has four 2s",
        44 / 4165,
        0,
        _RULES,
        {"instant": "twos"},
        Rate("instant_wins"),
        games=1_000_000,
    ),
    *(
        Fact(
            f"seat {seat} holds the 3 of spades",
            0.25,
            0,
            _RULES,
            {},
            Rate("opener_at", seat),
            games=1_000_000,
        )
        for seat in range(4)
    ),
)

GAME = Game(
    name="thirteen",
    aliases=("tien-len", "tienlen"),
    title="Tiến Lên, southern style",
    aim="Be the first to play all 13 cards.",
    sheet=(
        (
            "Plays",
            "single, pair (đôi), triple (sám), quad (tứ quý), sequence (sảnh) of 3 or more "
            "ranks such as 4S 5H 6D, double sequence (đôi thông) of 3 or more pairs in a row",
        ),
        ("Highest", "2 (heo), then A; suits S < C < D < H: 2H beats every single card"),
        ("Beating", "the same type and number of cards with a higher highest card"),
        (
            "Bombs",
            "a quad or 3 pairs in a row beat one 2 (chặt heo), 4 pairs two 2s, 5 three 2s",
        ),
        ("Passing", "who passes is out until the trick ends"),
        ("Start", "the 3 of spades leads and is in the first play"),
        ("At once", "four 2s, or every rank 3 to A, win the deal at once (tới trắng)"),
        ("Points", "3, 2, 1, 0 by place; northern rules (plays in one suit) are not covered"),
    ),
    unit=lambda rules: MATCH if _is_match(rules) else DEAL,
    engine=1,
    rules_version=1,
    rules=Rules,
    presets={
        "classic": {},
        "southern": {
            "bomb_vs_bomb": "hierarchy",
            "quad_beats": 2,
            "bomb_after_pass": "four",
            "instant": ("twos", "dragon", "six_pairs"),
        },
        "southern-cards": {
            "bomb_vs_bomb": "hierarchy",
            "quad_beats": 2,
            "bomb_after_pass": "four",
            "instant": ("twos", "dragon", "six_pairs"),
            "score": "cards",
            "penalties": (1, 2, 3, 4, 6),
        },
        "first-out": {"play_until": "first", "points": (1, 0, 0, 0)},
    },
    decisions=DECISIONS,
    columns=COLUMNS,
    lengths=("turns", "tricks"),
    counts=COUNTS,
    tallies=(
        Tally(
            "wins_by_twos",
            ("seat", "twos"),
            ("hands", "wins"),
            "hands dealt with so many 2s, and deals won with them",
        ),
    ),
    scores=("points",),
    headlines=(
        Headline(
            "Does it help to start?",
            "who leads wins {} of 100",
            (Rate("opener_wins"),),
        ),
        Headline("How often a bomb?", "in {} of 100 deals", (Rate("deals_with_bomb"),)),
        Headline(
            "Over at once?",
            "instant wins, {} of 100 deals",
            (Rate("instant_wins"),),
            lambda rules: bool(rules.instant),
        ),
        Headline(
            "How long is a deal?",
            "{} turns, {} tricks",
            (Mean("turns"), Mean("tricks")),
            lambda rules: not _is_match(rules),
        ),
        Headline("How long is a match?", "{} turns", (Mean("turns"),), _is_match),
    ),
    facts=FACTS,
    kernel="thirteen",
    encode=encode,
    decode=decode,
    nanoseconds=nanoseconds,
    seat_note=seat_note,
    capped_note=capped_note,
    compile_seconds=20,
    read_event=read_event,
    narrate=narrate,
    replay_key="A turn: the cards played, what they are, and how many cards the seat has left.",
    examples=(
        "simcards run --game thirteen --preset southern --strategy control",
        "simcards run --game thirteen --rule lockout=off --strategy 0=structure",
        "simcards replay --game thirteen --seed 7 --index 3",
    ),
)
