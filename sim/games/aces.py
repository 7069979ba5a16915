"""aces (Trash, Garbage): rules, strategies, columns and counts.

docs/rules/aces.md has the rules in full, with the numbers used here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...kernels import aces_numbers as k
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
)
from ..options import Choice, Whole, Wholes, option, show
from .aces_events import narrate, read_event

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


def nanoseconds(rules: Rules) -> float:
    """Rough cost of a match, from about 35 ns a turn."""
    turns = 6.0 * rules.players
    if rules.complete == "natural" or rules.wild_limit != "none" or rules.displace != "must":
        turns *= 3
    if rules.outside < 5 * rules.players:  # few cards to draw: hands can last to the cap
        turns = rules.max_turns / 2
    hands = 1.0
    if rules.match == "full":
        hands = rules.hands if rules.shrink == 0 else 0.8 * sum(rules.sizes) / rules.shrink + 1
    return 150.0 * hands + 35.0 * min(turns, rules.max_turns) * hands


def capped_note(rules: Rules, capped: int, locked: int) -> str:
    """Say why matches were capped."""
    if capped == 0:
        return f"none reached {rules.max_turns:,} turns a hand"
    why = f"{capped:,} reached {rules.max_turns:,} turns in a hand"
    if locked == 0:
        return why
    who = "all of them" if locked == capped else f"{locked:,} of them"
    return (
        f"{why}; in {who} nobody could place any card outside the layouts "
        f"({rules.pack_count} pack{'s' if rules.pack_count > 1 else ''}, {rules.players} layouts "
        f"of {show(sorted(set(rules.sizes)))}: {rules.outside} cards outside)"
    )


def seat_note(rules: Rules, seat: int) -> str:
    """Say who starts, and handicaps."""
    notes = []
    if seat == 0 and rules.players > 1:
        notes.append("starts")
    if len(set(rules.sizes)) > 1:
        notes.append(f"from {rules.sizes[seat]}")
    return ", ".join(notes)


def _two_or_more(rules: Rules) -> bool:
    return rules.players > 1


TAKE_ANY_ONLY = "it needs --rule take_discard=any"
DECISIONS = (
    Decision(
        "take",
        "take the top of the discard pile, or draw from the stock",
        (
            Strategy("always", k.TAKE_ALWAYS, "takes a discard that can be placed"),
            Strategy("never", k.TAKE_NEVER, "always draws from the stock"),
            Strategy("random", k.TAKE_RANDOM, "takes what is offered half of the time", draws=True),
            Strategy(
                "rare",
                k.TAKE_RARE,
                "takes a discard that can be placed if few of its rank are unseen",
                (Parameter("copies", 1, 0, 20, "most cards of the rank still unseen"),),
            ),
            Strategy(
                "safe_pass",
                k.TAKE_SAFE_PASS,
                "returns a useless top rather than turn up a card for the next seat",
                refused=lambda rules: "" if rules.take_discard == "any" else TAKE_ANY_ONLY,
            ),
        ),
        "always",
        lambda rules: rules.take_discard != "never",
    ),
    Decision(
        "wild",
        "which face-down place a wild goes to",
        (
            Strategy("lowest", k.WILD_LOWEST, "the lowest place"),
            Strategy("highest", k.WILD_HIGHEST, "the highest place"),
            Strategy("random", k.WILD_RANDOM, "any place, all equally likely", draws=True),
            Strategy("rarest", k.WILD_RAREST, "the place whose rank has the fewest unseen"),
            Strategy("commonest", k.WILD_COMMONEST, "the place whose rank has the most unseen"),
            Strategy("contested", k.WILD_CONTESTED, "the place most opponents still lack"),
        ),
        "lowest",
        lambda rules: bool(rules.wild_ranks or rules.jokers) and rules.wild_limit != 0,
    ),
    Decision(
        "displace",
        "take up the wild on the place of a pip, or discard the pip (displace=may only)",
        (
            Strategy("always", k.DISPLACE_ALWAYS, "takes the wild up"),
            Strategy("never", k.DISPLACE_NEVER, "leaves it where it is"),
            Strategy("random", k.DISPLACE_RANDOM, "takes it up half of the time", draws=True),
        ),
        "always",
        lambda rules: rules.displace == "may",
    ),
)

COLUMNS = (
    Column("turns", "Int32", "turns", "turns of all hands, the winning ones included"),
    Column("hands", "Int16", "hands", "hands played, a capped one included"),
    Column("cards", "Int64", "cards", "cards that came into a player's hand"),
    Column("discards_taken", "Int32", "cards", "cards taken from the discard pile", "taken"),
    Column("wilds_placed", "Int64", "cards", "wilds put on a place", "wilds"),
    Column("reshuffles", "Int32", "reshuffles", "discard piles shuffled into a new stock"),
    Column("first_turn_wins", "Int16", "hands", "hands won in their very first turn"),
    Column("forced", "Int64", "decisions", "decisions with a single legal answer"),
    Column("free", "Int64", "decisions", "decisions with a choice, asked of a strategy"),
    Column("first_winner", "Int8", "seat", "winner of hand 1; -1 when it was capped"),
    Column("locked", "UInt8", "0 or 1", "capped, and nobody could place any card"),
    Column("layout_", "Int8", "places", "final size of the seat's layout"),
    Column("hands_won_", "Int16", "hands", "hands the seat was the first to finish", "won"),
)

COUNTS = (
    Count("turns", "turns", "games", "turns"),
    Count("hands", "hands", "games", "hands"),
    Count("cards_handled", "cards", "turns", "cards that came into a player's hand"),
    Count("discards_taken", "taken", "turns", "cards taken from the discard pile"),
    Count("wilds_placed", "wilds", "hands", "wilds put on a place"),
    Count("reshuffles", "reshuffles", "hands", "discard piles shuffled into a new stock"),
    Count("first_turn_wins", "first_turn_wins", "hands", "hands won in their very first turn"),
    Count("decisions_forced", "forced", "turns", "decisions with a single legal answer"),
    Count("decisions_free", "free", "turns", "decisions with a choice"),
    Count("hands_won", "won", "hands", "hands won, by seat", per_seat=True),
    Count(
        "first_hand_score60",
        "first_score60",
        "games",
        "matches won by the winner of hand 1, in sixtieths (shared wins count in part)",
        scale=60,
    ),
    Count("locked", "locked", "games", "capped with no card left to place", capped=True),
)

_HAND = {"match": "hand"}
_ONE = {"players": 1, "match": "hand"}
_RULES = "exact, from the rules (solved state by state)"
_SIMULATED = "simulated by an independent program"
FACTS = (
    *(
        Fact(
            f"solitaire, layout {size}: turns",
            value,
            0,
            _RULES,
            {**_ONE, "layout": size},
            Mean("turns"),
        )
        for size, value in (
            (1, 53 / 9),
            (2, 943 / 117),
            (3, 122357 / 13260),
            (6, 10.271111),
            (10, 9.369151),
        )
    ),
    *(
        Fact(
            f"layout {size}: complete in the first turn",
            value,
            0,
            _RULES,
            {**_ONE, "layout": size},
            Rate("first_turn_wins"),
        )
        for size, value in ((1, 2 / 13), (2, 9 / 221), (3, 83 / 5525))
    ),
    *(
        Fact(
            f"layouts of 1, three players: seat {seat} wins",
            value,
            0,
            _RULES,
            {**_HAND, "players": 3, "layout": 1},
            Rate("wins", seat),
        )
        for seat, value in enumerate((0.389950497, 0.330471085, 0.279578418))
    ),
    *(
        fact
        for size, wins, turns in (
            (10, 0.532423, 10.855237),
            (5, 0.523566, 12.349127),
            (1, 136229 / 251685, 53 / 9),
        )
        for fact in (
            Fact(
                f"hand of {size} and {size}: starter wins",
                wins,
                0,
                _RULES,
                {**_HAND, "layout": size},
                Rate("wins", 0),
                games=1_000_000,
            ),
            Fact(
                f"hand of {size} and {size}: turns",
                turns,
                0,
                _RULES,
                {**_HAND, "layout": size},
                Mean("turns"),
                games=1_000_000,
            ),
        )
    ),
    Fact(
        "hand of 10 and 10, neither takes: starter wins",
        0.53473,
        0.00003,
        _SIMULATED,
        _HAND,
        Rate("wins", 0),
        ("never", "never"),
        1_000_000,
    ),
    Fact(
        "hand of 1 and 1, neither takes: starter wins",
        136229 / 251685,
        0,
        _RULES,
        {**_HAND, "layout": 1},
        Rate("wins", 0),
        ("never", "never"),
    ),
    Fact(
        "hand of 10 and 10, only the starter takes: it wins",
        0.700730,
        0,
        _RULES,
        _HAND,
        Rate("wins", 0),
        ("always", "never"),
        1_000_000,
    ),
    *(
        Fact(
            f"hand of 10 and 10, wilds {word}: starter wins",
            0.532423,
            0,
            "exact: where a wild is placed does not matter",
            _HAND,
            Rate("wins", 0),
            (f"always+{word}",) * 2,
        )
        for word in ("highest", "random", "rarest", "commonest", "contested")
    ),
    Fact("match of 10 and 10: first starter wins", 0.506111387, 0, _RULES, {}, Rate("wins", 0)),
    Fact("match of 10 and 10: hands", 15.655561, 0, _RULES, {}, Mean("hands")),
    Fact("match of 10 and 10: turns", 172.812, 0, _RULES, {}, Mean("turns")),
    *(
        Fact(
            f"in a match, hands of {size} and {size}: starter wins",
            value,
            0,
            _RULES,
            {},
            ("starter_by_sizes", (size, size)),
        )
        for size, value in ((10, 0.532423), (5, 0.523566), (1, 136229 / 251685))
    ),
)

GAME = Game(
    name="aces",
    aliases=("trash", "garbage"),
    title="Trash, Garbage",
    aim="Fill your layout, ace to ten, and be the first whose layout has shrunk to nothing.",
    sheet=(
        ("Layout", "ten places, ace to ten, face down; pips go to the place of their number"),
        (
            "Turn",
            "take the top of the stock, or a discard that can be placed; place it, go on "
            "with the card that lay there, until one can't be placed: that is discarded",
        ),
        ("Wild", "jacks go to any face-down place; the pip of that place takes it up again"),
        ("Stops", "queens and kings can't be placed"),
        ("Hand", "who first has no place face down wins it; the layout shrinks by one place"),
        ("Match", "is won by who wins a hand with a layout of one place"),
        ("Stock out", "the discard pile without its top is shuffled"),
    ),
    unit=lambda rules: MATCH,
    engine=1,
    rules_version=1,
    rules=Rules,
    presets={
        "bicycle": {},
        "natural-finish": {"complete": "natural", "wild_limit": 1, "starter": "loser"},
    },
    decisions=DECISIONS,
    columns=COLUMNS,
    lengths=("turns", "hands"),
    counts=COUNTS,
    tallies=(
        Tally(
            "starter_by_sizes",
            ("starter_size", "least_other_size"),
            ("hands", "starter_wins"),
            "finished hands, and those their starter won, by the starter's layout size and the "
            "smallest other one",
        ),
    ),
    scores=(),
    headlines=(
        Headline(
            "Does it help to start?",
            "the starter wins {} of 100",
            (Rate("wins", 0),),
            _two_or_more,
        ),
        Headline(
            "How long is a match?",
            "{} turns, {} hands",
            (Mean("turns"), Mean("hands")),
            lambda rules: rules.match == "full",
        ),
        Headline(
            "How long is a hand?", "{} turns", (Mean("turns"),), lambda rules: rules.match == "hand"
        ),
        Headline(
            "Does the first hand tell?",
            "its winner takes {} of 100",
            (Rate("first_hand_score60"),),
            lambda rules: (
                rules.players > 1
                and rules.match == "full"
                and (rules.hands > 1 if rules.shrink == 0 else rules.shrink < max(rules.sizes))
            ),
        ),
        Headline(
            "Won before the other has played?",
            "{} of 100 hands end in their first turn",
            (Rate("first_turn_wins"),),
            lambda rules: rules.match == "hand" and rules.players > 1,
        ),
    ),
    facts=FACTS,
    kernel="aces",
    encode=encode,
    decode=decode,
    nanoseconds=nanoseconds,
    seat_note=seat_note,
    capped_note=capped_note,
    compile_seconds=10,
    read_event=read_event,
    narrate=narrate,
    replay_key=(
        "A turn: where its first card came from, the cards in the order they were played, the one "
        "discarded in brackets; then how many places show a card."
    ),
    examples=(
        "simcards run --game aces --preset natural-finish",
        "simcards run --game aces --rule layouts=10,7 --strategy 1=rare:copies=2",
        "simcards replay --game aces --seed 7 --index 3",
    ),
)
