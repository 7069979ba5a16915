"""thirteen (Tiến Lên): rules, strategies, columns and counts.

docs/rules/thirteen.md has the rules in full, with the numbers used here.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kernels import thirteen_numbers as k
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
    SeatFigure,
    Strategy,
    Tally,
    Unit,
)
from ..options import show
from .thirteen_events import (
    answer_words,
    audit,
    composition,
    dealt,
    narrate,
    read_event,
    situation,
    standings,
)
from .thirteen_rules import INSTANT, Rules, decode, encode

DEAL = Unit("deal", "deals")
BOMBS = ("quad", "pairs_2", "pairs_3", "pairs_4", "pairs_5", "pairs_6")


def sheet(rules: Rules) -> Iterator[tuple[str, str]]:
    """Yield the rules in short, as these rules have them."""
    runs = f"{rules.seq_min} or more ranks such as 4S 5H 6D"
    pairs = f"{rules.dseq_min} or more pairs in a row"
    yield (
        "Plays",
        f"single, pair (đôi), triple (sám), quad (tứ quý), sequence (sảnh) of {runs}, double "
        f"sequence (đôi thông) of {pairs}",
    )
    yield "Highest", "2 (heo), then A; suits S < C < D < H: 2H beats every single card"
    by = "a higher highest card" if rules.compare_suit == "on" else "a higher highest rank"
    yield "Beating", f"the same type and number of cards with {by}"
    if rules.bomb_scope == "any":
        yield "Bombs", "quads and double sequences beat anything that is no bomb (chặt)"
    else:
        words = ("one 2", "two 2s", "three 2s")
        known = [
            f"{least} pairs in a row beat {word}"
            for least, word in zip(rules.bomb_min, words, strict=True)
            if least
        ]
        quad = [
            f"a quad beats {rules.quad_beats} 2s or fewer"
            if rules.quad_beats > 1
            else "a quad beats one 2"
        ]
        yield "Bombs", ", ".join((quad if rules.quad_beats else []) + known) + " (chặt heo)"
    passing = "who passes is out until the trick ends"
    if rules.lockout == "off":
        passing = "who passes may come back when somebody else has played"
    elif rules.bomb_after_pass != "no":
        passing += ", but may bomb" + (
            " with four pairs or more" if rules.bomb_after_pass == "four" else ""
        )
    yield "Passing", passing
    first = {
        "include": "leads and is in the first play",
        "single": "is the first play, alone",
        "free": "leads",
    }[rules.first_lead]
    yield "Start", f"the 3 of spades (else the lowest card) {first}"
    if rules.instant:
        names = ", ".join(word.replace("_", " ") for word in rules.instant)
        yield "At once", f"win the deal at once (tới trắng): {names}; a dragon is every rank 3 to A"
    if rules.finish_two == "no":
        yield "Last play", "may not hold a 2 (heo)"
    if rules.score == "cards":
        yield "Points", "when one is out each other pays a point a card, 26 if frozen (cóng)"
    else:
        yield "Points", f"{', '.join(map(str, rules.place_points))} by place"
    if rules.penalties != "none":
        yield (
            "Prices",
            (
                f"{show(rules.penalties)} for a black 2, red 2, 3 pairs, quad, 4 pairs: if bombed "
                "(chặt), and when still held (thối)"
            ),
        )
    if rules.target != "none":
        yield "Match", f"deals until one seat alone leads with {rules.target} points or more"
    yield "Not here", "northern rules (plays in one suit) are not covered"


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


def _all_placed(rules: Rules) -> bool:
    """Whether every seat gets a place: deals are played to the end, or matches have a ranking."""
    return rules.play_until == "last" or _is_match(rules)


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
                nanoseconds=lambda rules, parameters: 3.0 * parameters[0],
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
    Column("cards_left", "Int32", "cards", "cards left in the losers' hands"),
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
    Count("cards_left", "cards_left", "deals", "cards left in the losers' hands"),
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
    sheet=sheet,
    unit=lambda rules: MATCH if _is_match(rules) else DEAL,
    deck=lambda rules: 52,
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
    scores=("points", "place"),
    seat_figures=(
        SeatFigure("last", "last places", "place", last=True, applies=_all_placed),
        SeatFigure("points", "mean points", "points"),
    ),
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
    compile_seconds=18,
    read_event=read_event,
    situation=situation,
    asked_names=("play",),
    choices=(("pass", "single", "pair", "triple", "quad", "sequence", "double sequence"),),
    answer_words=answer_words,
    narrate=narrate,
    standings=standings,
    leads="fewest cards, or out first; in a match most points",
    audit=audit,
    composition=composition,
    dealt=dealt,
    replay_key="A turn: the cards played, what they are, and how many cards the seat has left.",
    examples=(
        "simcards run --game thirteen --preset southern --strategy control",
        "simcards run --game thirteen --rule lockout=off --strategy 0=structure",
        "simcards replay --game thirteen --seed 7 --index 3",
    ),
)
