"""aces (Trash, Garbage): rules, strategies, columns and counts.

docs/rules/aces.md has the rules in full, with the numbers used here.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kernels import aces_numbers as k
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
from ..options import show
from .aces_events import (
    answer_words,
    audit,
    composition,
    dealt,
    narrate,
    read_event,
    situation,
    standings,
)
from .aces_rules import Rules, decode, encode

NAMES = {k.JACK: "jack", k.QUEEN: "queen", k.KING: "king"}


def sheet(rules: Rules) -> Iterator[tuple[str, str]]:
    """Yield the rules in short, as these rules have them."""
    sizes = sorted(set(rules.sizes))
    size = f"{sizes[0]} places" if len(sizes) == 1 else f"{show(rules.sizes)} places, by seat"
    yield "Layout", f"{size}, face down; pips go to the place of their number"
    source = {
        "playable": "take the top of the stock, or a discard that can be placed",
        "any": "take the top of the stock or of the discard pile",
        "never": "take the top of the stock",
    }[rules.take_discard]
    yield (
        "Turn",
        f"{source}; place it, go on with the card that lay there, until one can't be placed: that "
        "is discarded",
    )
    wilds = [f"{NAMES[rank]}s" for rank in rules.wild_ranks] + ["jokers"] * bool(rules.jokers)
    if wilds:
        up = {
            "must": "the pip of that place takes it up again",
            "may": "the pip of that place may take it up again",
            "no": "there it stays",
        }[rules.displace]
        limit = "" if rules.wild_limit == "none" else f", at most {rules.wild_limit} at a time"
        yield "Wild", f"{' and '.join(wilds)} go to any face-down place{limit}; {up}"
    stops = [
        f"{NAMES[rank]}s"
        for rank in (k.JACK, k.QUEEN, k.KING)
        if rank not in rules.wild_ranks and rank >= max(rules.sizes)
    ]
    if stops:
        skips = "; a discarded queen skips the next seat" if rules.queen == "skip" else ""
        yield "Stops", f"{' and '.join(stops)} can't be placed{skips}"
    goal = "has no place face down" if rules.complete == "any" else "shows every place's own pip"
    last = "; the others get one more turn" if rules.finish == "last_turn" else ""
    places = "one place" if rules.shrink == 1 else f"{rules.shrink} places"
    ends = f"; the layout shrinks by {places}" if rules.shrink and rules.match == "full" else ""
    yield "Hand", f"who first {goal} wins it{last}{ends}"
    if rules.match == "full":
        yield (
            "Match",
            "is won by whose layout has shrunk to nothing"
            if rules.shrink
            else f"is won by who has won most of {rules.hands} hands",
        )
        starts = {"winner": "its winner", "loser": "the loser", "rotate": "the next seat"}
        yield "Start", f"seat 0 starts; after a hand {starts[rules.starter]} starts the next one"
    yield "Stock out", "the discard pile without its top is shuffled"


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
        (k.TAKE,),
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
        (k.WILD,),
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
        (k.DISPLACE,),
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
        "matches won by the winner of hand 1; a shared win counts in part",
        scale=60,
        label="hand 1's winner wins",
    ),
    Count("locked", "locked", "capped", "capped with no card left to place", capped=True),
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
    sheet=sheet,
    unit=lambda rules: MATCH,
    deck=lambda rules: (rules.pack_count, rules.jokers),
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
    seat_figures=(),
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
            "Over in one turn?",
            "{} of 100 hands",
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
    compile_seconds=18,
    read_event=read_event,
    situation=situation,
    asked_names=("take", "wild", "displace"),
    choices=(
        ("stock", "discard pile"),
        tuple(f"place {place}" for place in range(1, 14)),
        ("left", "taken up"),
    ),
    answer_words=answer_words,
    narrate=narrate,
    standings=standings,
    leads="smallest layout (without shrinking most hands won), then fewest places face down",
    audit=audit,
    composition=composition,
    dealt=dealt,
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
