"""horner (Little Jack Horner): rules, strategies, columns and counts.

docs/rules/horner.md has the rules in full, with the numbers used here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...kernels import horner_numbers as k
from ..game import (
    MATCH,
    Chance,
    Column,
    Count,
    Decision,
    Fact,
    Game,
    Headline,
    Mean,
    MeanScore,
    Parameter,
    Rate,
    SeatFigure,
    Strategy,
    Tally,
)
from .horner_events import (
    answer_words,
    audit,
    composition,
    dealt,
    narrate,
    read_event,
    situation,
    standings,
)
from .horner_rules import Rules, decode, encode

NAMES = ("Lombard", "Cruger's Scarlet", "Dominie Dull", "Green Gage", "Victoria", "Mirabelle",
         "Orleans", "Bullace")  # fmt: skip


def sheet(rules: Rules) -> Iterator[tuple[str, str]]:
    """Yield the rules in short, as these rules have them."""
    numbers = ", ".join(map(str, rules.pie_numbers))
    pies = f"pies {numbers}" if rules.varieties > 1 else "one pie"
    yield (
        "Plums",
        f"{', '.join(NAMES[: rules.varieties])}, 1 to {rules.plums} of each, all dealt out as "
        f"face-down draw piles; {pies} empty on the table",
    )
    whose = "of the placer's choice" if rules.one_pie == "choose" else "with the lowest number"
    yield (
        "Placing",
        f"a 1 goes on an empty pie {whose}, then 2, 3, ... of its variety follow in order",
    )
    offer = {
        "may": "may place the top of its discard pile",
        "must": "places the top of its discard pile if it can",
        "never": "",
    }[rules.discard_play]
    many = " and the next ones" if rules.discard_plays == "many" and offer else ""
    flip = "flips a card"
    if offer:
        after = {"may": "may, but need not, flip", "must": "flips", "no": "does not flip"}
        flip = f"flips a card; after a discard it {after[rules.flip_after_discard]}"
    yield (
        "Turn",
        f"{offer}{many}{', ' if offer else ''}{flip}. A flipped card that can be placed must be, "
        "any other goes face up on the own discard pile"
        + ("; after a placed flip the turn goes on" if rules.turn == "chain" else ""),
    )
    yield (
        "Empty pile",
        {
            "own": "the own discard pile is shuffled into a new draw pile",
            "sync": "no flip until all draw piles are empty; then everybody shuffles the own "
            "discards",
            "pool": "no flip until all draw piles are empty; then all discards are shuffled and "
            "dealt out again",
        }[rules.recycle],
    )
    worth = "its number in" if rules.pie_value == "printed" else str(rules.pie_points)
    last = "the plum of a pie's number" if rules.pies == "capacity" else f"a {rules.plums}"
    yield "Pies", f"who places {last} takes the pie: {worth} points"
    if rules.pies == "capacity":
        yield "Dead", "plums beyond a pie's number leave the game when they are flipped"
    yield "Out", f"the first without cards gets {rules.out_points} points"
    ends = {
        ("all", "identity"): "all plums are placed",
        ("all", "capacity"): "the last pie is taken",
        ("first_out", "identity"): "somebody is out",
        ("first_out", "capacity"): "somebody is out or the last pie is taken",
    }[rules.round_end, rules.pies]
    yield "Round", f"ends when {ends}"
    starts = {
        "rotate": "the next seat clockwise starts each round",
        "same": "seat 0 starts every round",
        "winner": "the best of a round starts the next one",
        "loser": "the worst of a round starts the next one",
    }[rules.next_start]
    rounds = f"{rules.rounds} rounds; " if rules.rounds > 1 else "one round; "
    yield "Match", f"{rounds}most points win{'; ' + starts if rules.rounds > 1 else ''}"
    if rules.keeps_cards:
        yield (
            "Luck",
            f"Cards never change hands, so the pie of a variety goes to whoever was dealt its "
            f"{rules.plums}, however well anybody plays. Play decides only who is out first.",
        )


def nanoseconds(rules: Rules) -> float:
    """Rough cost of a match: turns grow a little faster than cards."""
    turns = min(2.5 * rules.cards, rules.max_turns)
    return rules.rounds * (200.0 + 5.0 * rules.cards + 30.0 * turns)


def rollout_nanoseconds(rules: Rules, parameters: Sequence[int]) -> float:
    """Cost of a seat that plays `rollout`: half a round for each answer in each order."""
    if not _asks_plays(rules):
        return 0.0
    decisions = rules.cards / 2 / rules.players
    return rules.rounds * decisions * parameters[0] * nanoseconds(rules) / rules.rounds


def capped_note(rules: Rules, capped: int, locked: int) -> str:
    """Say why matches were capped."""
    return f"{capped or 'none':{',' if capped else ''}} reached {rules.max_turns:,} turns a round"


def seat_note(rules: Rules, seat: int) -> str:
    """Say who starts."""
    return "starts" if seat == 0 and rules.players > 1 else ""


def _asks_plays(rules: Rules) -> bool:
    return rules.discard_play == "may" or (
        rules.discard_play == "must" and rules.flip_after_discard == "may"
    )


def _needs_numbers(rules: Rules) -> str:
    if rules.numbered:
        return ""
    return "these pies have no numbers (that takes four varieties of seven plums or more)"


DECISIONS = (
    Decision(
        "play",
        "place the top discard or hold it; then flip or not",
        (
            Strategy("eager", k.EAGER, "places, and flips"),
            Strategy("random", k.RANDOM, "each answer half of the time", draws=True),
            Strategy("flip_only", k.FLIP_ONLY, "never places a discard"),
            Strategy("no_flip", k.NO_FLIP, "places, and never flips when it need not"),
            Strategy(
                "top_aware",
                k.TOP_AWARE,
                "flips only if its new top discard is far from needed",
                (Parameter("far", 2, 0, 13, "plums needed before that top, at least"),),
            ),
            Strategy(
                "blocker",
                k.BLOCKER,
                "holds what would let the next seat place its top discard",
                (Parameter("seats", 1, 1, 5, "how many next seats it looks at"),),
            ),
            Strategy(
                "race",
                k.RACE,
                "holds what would help a seat that is closer to being out",
                (Parameter("lead", 1, 0, 103, "cards fewer that seat must have"),),
            ),
            Strategy(
                "rollout",
                k.ROLLOUT,
                "imagines orders of the hidden cards and plays eager to the end",
                (Parameter("samples", 16, 1, 1000, "orders it imagines"),),
                draws=True,
                nanoseconds=rollout_nanoseconds,
            ),
        ),
        "eager",
        _asks_plays,
        (k.DISCARD, k.FLIP),
    ),
    Decision(
        "pie",
        "which empty pie a 1 goes to",
        (
            Strategy("smallest", k.SMALLEST, "the lowest number", refused=_needs_numbers),
            Strategy("largest", k.LARGEST, "the highest number", refused=_needs_numbers),
            Strategy(
                "own_run", k.OWN_RUN, "one whose last plum it knows to be its own, else the least"
            ),
        ),
        "smallest",
        lambda rules: rules.one_pie == "choose" and rules.varieties > 1,
        (k.PIE,),
    ),
)

COLUMNS = (
    Column("turns", "Int32", "turns", "turns of all rounds"),
    Column("rounds", "Int16", "rounds", "rounds played, a capped one included"),
    Column("flips", "Int32", "cards", "cards flipped"),
    Column("flips_placed", "Int32", "cards", "of them placed"),
    Column("from_discard", "Int32", "cards", "plums placed from a discard pile"),
    Column("reshuffles", "Int32", "reshuffles", "discard piles shuffled into new draw piles"),
    Column("passes", "Int32", "turns", "turns without a flip or a placement"),
    Column("dead", "Int32", "cards", "dead plums that left the game (pies=capacity)"),
    Column("forced", "Int32", "turns", "turns in which nothing was asked"),
    Column("free", "Int32", "decisions", "decisions asked of a strategy"),
    Column("longest_wait", "Int32", "turns", "most turns in a row between two placements"),
    Column("first_out", "Int8", "seat", "first seat out in round 1; -1: nobody"),
    Column("points_", "Int32", "points", "points of the seat"),
    Column("pies_", "Int16", "pies", "pies the seat took"),
    Column("first_outs_", "Int16", "rounds", "rounds in which the seat was out first"),
)

COUNTS = (
    Count("turns", "turns", "games", "turns"),
    Count("rounds", "rounds", "games", "rounds"),
    Count("flips", "flips", "turns", "cards flipped"),
    Count("flips_placed", "flips_placed", "flips", "flips that were placed"),
    Count("from_discard", "from_discard", "turns", "plums placed from a discard pile"),
    Count("reshuffles", "reshuffles", "rounds", "discard piles shuffled into new draw piles"),
    Count("passes", "passes", "turns", "turns without a flip or a placement"),
    Count("dead", "dead", "rounds", "dead plums that left the game"),
    Count("decisions_forced", "forced", "turns", "turns in which nothing was asked"),
    Count("decisions_free", "free", "turns", "decisions asked of a strategy"),
    Count("first_out", "first_outs", "rounds", "rounds the seat was out first", per_seat=True),
    Count("starter_first_out", "starter_first_out", "rounds", "rounds whose starter was out first"),
    Count("first_flip_placed", "first_flip_placed", "rounds", "rounds whose first flip was placed"),
    Count(
        "first_two_placed", "first_two_placed", "rounds", "rounds whose first two flips were placed"
    ),
    Count("pies", "pies_taken", "rounds", "pies taken"),
    Count("pies_taken", "pies", "pies", "pies taken, by seat", per_seat=True),
    Count("pies_as_dealt", "pies_to_dealt", "pies", "pies that went to who was dealt the last"),
    Count("points", "points", "games", "points, by seat", per_seat=True),
    Count(
        "first_out_score60",
        "first_score60",
        "games",
        "matches won by who was out first in round 1; a shared win counts in part",
        scale=60,
        label="round 1's out wins",
    ),
)

_RULES = "exact, from the rules"
_SIMULATED = "simulated by an independent program"
_ROUND = {"rounds": 1}
FACTS = (
    Fact(
        "pies go to who was dealt the 7", 1, 0, _RULES, {}, Rate("pies_as_dealt"), games=100_000
    ),
    *(
        Fact(
            f"so pies of seat 0, {' against '.join(strategies)}",
            2,
            0,
            _RULES,
            _ROUND,
            MeanScore("pies", 0),
            strategies,
            games=1_000_000,
        )
        for strategies in (("eager", "flip_only"), ("random", "eager"))
    ),
    *(
        Fact(
            f"two players: seat 0 takes {pies} of 4 pies",
            ways / 225,
            0,
            _RULES,
            _ROUND,
            Chance("pies", 0, pies),
            games=1_000_000,
        )
        for pies, ways in enumerate((11, 56, 91, 56, 11))
    ),
    Fact("the first flip is placed", 1 / 7, 0, _RULES, _ROUND, Rate("first_flip_placed"),
         games=1_000_000),
    Fact("the first two flips are placed", 4 / 189, 0, _RULES, _ROUND, Rate("first_two_placed"),
         games=1_000_000),
    *(
        fact
        for players, varieties, plums, turns, first in (
            (2, 1, 2, 5 / 2, 1 / 2),
            (2, 1, 3, 25 / 6, 1 / 3),
            (2, 1, 4, 145 / 24, 1 / 2),
            (2, 2, 2, 14 / 3, 7 / 12),
            (3, 1, 3, 9 / 2, 1 / 3),
        )
        for said in (
            f"{players} players, {varieties} {'variety' if varieties == 1 else 'varieties'} of "
            f"{plums}",
        )
        for rules in (_ROUND | {"players": players, "varieties": varieties, "plums": plums},)
        for fact in (
            Fact(f"{said}: turns", turns, 0, _RULES, rules, Mean("turns"), games=1_000_000),
            Fact(f"{said}: starter is out first", first, 0, _RULES, rules,
                 Rate("first_out", 0), games=1_000_000),
        )
    ),
    *(
        Fact(f"{players} players: turns of a round", turns, 0.04, _SIMULATED,
             _ROUND | {"players": players}, Mean("turns"), games=1_000_000)
        for players, turns in ((2, 65.52), (4, 60.77))
    ),
)  # fmt: skip

GAME = Game(
    name="horner",
    aliases=("jack-horner",),
    title="Little Jack Horner",
    aim="Lay the last plum of a pie to take it, and be the first without cards.",
    sheet=sheet,
    unit=lambda rules: MATCH,
    deck=lambda rules: (rules.varieties, rules.plums),
    engine=1,
    rules_version=1,
    rules=Rules,
    presets={
        "1888": {},
        "shared-pool": {"recycle": "pool"},
        "small-pies": {"pies": "capacity", "pie_value": "printed"},
    },
    decisions=DECISIONS,
    columns=COLUMNS,
    lengths=("turns", "flips", "longest_wait"),
    counts=COUNTS,
    tallies=(
        Tally(
            "pies_by_seat",
            ("seat", "pie"),
            ("taken", "as_dealt"),
            "pies taken in rounds that were not capped, and those whose last plum the seat was "
            "dealt, by seat and number of the pie",
        ),
    ),
    scores=("points", "pies"),
    seat_figures=(
        SeatFigure("points", "mean points", "points"),
        SeatFigure("pies", "mean pies", "pies"),
    ),
    headlines=(
        Headline(
            "Does starting help?",
            "out first {} of 100 rounds",
            (Rate("starter_first_out"),),
            lambda rules: rules.players > 1,
        ),
        Headline("How long is a match?", "{} turns, {} flips", (Mean("turns"), Mean("flips"))),
        Headline(
            "Does round 1 tell?",
            "its first out wins {} of 100",
            (Rate("first_out_score60"),),
            lambda rules: rules.players > 1 and rules.rounds > 1,
        ),
        Headline(
            "Are pies luck?",
            "{} of 100 go as dealt",
            (Rate("pies_as_dealt"),),
            lambda rules: rules.players > 1,
        ),
    ),
    facts=FACTS,
    kernel="horner",
    encode=encode,
    decode=decode,
    nanoseconds=nanoseconds,
    seat_note=seat_note,
    capped_note=capped_note,
    compile_seconds=13,
    read_event=read_event,
    situation=situation,
    asked_names=("discard", "flip", "pie"),
    choices=(
        ("held", "placed"),
        ("not flipped", "flipped"),
        tuple(f"place {place}" for place in range(8)),
    ),
    answer_words=answer_words,
    narrate=narrate,
    standings=standings,
    leads="most points, then fewest cards",
    audit=audit,
    composition=composition,
    dealt=dealt,
    replay_key=(
        "A turn: the cards placed and the numbers of their pies, * from the discard pile; a flip "
        "that failed in brackets; then how many cards the seat has left."
    ),
    examples=(
        "simcards run --game horner --preset shared-pool",
        "simcards run --game horner --players 3 --strategy 0=blocker",
        "simcards replay --game horner --seed 7 --index 3",
    ),
)
