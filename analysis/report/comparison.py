"""The report of a comparison."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...sim.contest import AGAINST, SEATINGS, TABLES
from ...sim.manifest import Manifest
from ...sim.observations import Observations
from ..compare_screen import differences as in_what
from ..compare_screen import notes
from ..compare_sums import anytime, main_sums
from ..comparison import Comparison
from ..effects import Compared, table_part
from ..sanity import Sanity
from ..screen import percent
from ..sentences import company, decision
from ..summary import decimals, length, quoted
from .at_tables import Course, course_blocks, looked_at
from .convergence import Point, funnel_blocks, history, ratio_points
from .differences import Shown, differences, forest_of, signed_words
from .lengths import quantile_table, spread_words, steps_chart
from .page import COUNT, TEXT, Block, Column, Command, Page, Table, Text
from .parts import (
    NO_DIFFERENCE,
    Estimate,
    estimates,
    forest,
    make_page,
    partial,
    range_words,
    rules_table,
    upper,
)
from .sanity import sanity_blocks


def comparison_page(
    folder: Path,
    manifest: Manifest,
    one: Comparison,
    counts: Observations,
    course: Course,
    sanity: Sanity,
) -> Page:
    """Return the report of a comparison.

    Parameters
    ----------
    folder : Path
        In which it is saved.
    manifest : Manifest
    one : Comparison
    counts : Observations
    course : Course
        What telling its first games again came to.
    sanity : Sanity
        Of the same games.
    """
    contest = one.contest
    game = contest.description
    a, b = contest.arms
    return make_page(
        manifest,
        one,
        "comparison",
        f"{game.name}: {a} against {b}",
        f"{game.title}, {one.completed:,} {contest.unit.word(one.completed)}, {one.games:,} games",
        _answer(one),
        _design(one),
        sanity,
        (
            ("effects", "Differences", difference_blocks(one)),
            ("fairness", "Seats and neighbours", seat_blocks(one)),
            ("lengths", "Lengths", length_blocks(one, counts)),
            ("flow", "Flow", course_blocks(contest, course, one.level)),
            ("convergence", "Convergence", convergence_blocks(folder, manifest, one)),
            ("luck", "Luck and skill", _luck(one)),
            ("deals", "Deals that part them", _extremes(one)),
            ("sanity", "Sanity", sanity_blocks(sanity, looked_at(contest))),
        ),
    )


def _sign(one: Comparison) -> int:
    """Rules are told as what changes from A to B, strategies as what A has more than B."""
    return -1 if one.contest.kind == TABLES else 1


def _heading(one: Comparison) -> str:
    return "B - A" if one.contest.kind == TABLES else "A - B"


def difference_words(one: Compared, sign: int, heading: str) -> str:
    """Return 'first places: A - B +7.8 of 100 (+7.4 to +8.2)'."""
    value, low, high = signed_words(one.difference, one.unit, sign)
    return f"{upper(one.label)}: {heading} {value} ({low} to {high})"


def _answer(one: Comparison) -> Iterator[str]:
    if one.status == "partial":
        yield partial(one.stop_reason, one.completed, one.n, one.contest)
    decided = decision(one)
    if decided:
        yield decided
    yield one.sentence
    sign, heading = _sign(one), _heading(one)
    for figure in one.figures:
        yield f"{difference_words(figure, sign, heading)}."
    a, b = one.contest.arms
    yield f"A is {a}, B is {b}."
    if one.figures:
        how = "confidence sequences, valid at any stop" if one.anytime else "intervals"
        yield f"In brackets: {percent(one.level)} {how}, {_held(one)}."


def _held(one: Comparison) -> str:
    """Return what the intervals hold for: all together, or each by itself."""
    if one.family > 1:
        return f"for all {one.family} together"
    label = next((figure.label for figure in one.figures if figure is one.main), "")
    only = f"; the verdict rests on {label}" if label and len(one.figures) > 1 else ""
    return f"each by itself{only}"


def _design(one: Comparison) -> Iterator[Block]:
    contest = one.contest
    a, b = contest.arms
    if contest.kind == SEATINGS:
        said = (
            f"A ({a}) and B ({b}) sit at one table. Each deal is played in all "
            f"{len(contest.tables)} seatings, and is one observation."
        )
    elif contest.kind == AGAINST:
        said = (
            f"A ({a}) or B ({b}) sits alone among {company(contest)}, on every seat in turn: "
            f"{len(contest.tables)} tables a deal, one observation."
        )
    else:
        said = f"The same deals are played at two tables: A ({a}) and B ({b})."
        if not contest.same_deals:
            said = (
                f"Two tables, A ({a}) and B ({b}), whose decks differ: they are not dealt the same "
                "cards."
            )
        changed = [f"{name} {' or '.join(of)}" for name, of in in_what(*contest.plans[:2])]
        if changed:
            said += f" They differ in {'; '.join(changed)}."
    yield Text(said)
    yield Table(
        "Tables",
        (
            Column("table", "table", form=COUNT),
            *(
                Column(f"seat_{seat}", f"seat {seat}", form=TEXT)
                for seat in range(max(plan.rules.players for plan in contest.plans))
            ),
        ),
        tuple(
            (
                number_,
                *(player.text for player in table.plan.players),
                *[""] * (max(p.rules.players for p in contest.plans) - len(table.plan.players)),
            )
            for number_, table in enumerate(contest.tables)
        ),
    )
    if contest.kind == TABLES:
        yield from rules_table([table.plan for table in contest.tables], ["A", "B"])
    else:
        yield from rules_table(contest.plans[:1], [""])


def difference_blocks(one: Comparison) -> Iterator[Block]:
    """Yield the figures of both arms and their differences."""
    if not one.figures:
        yield Text(one.sentence)
        return
    sign, heading = _sign(one), _heading(one)
    shown = [
        Shown(
            figure.label, figure.difference, figure.unit, figure.matters, figure.verdict, p,
            figure.a, figure.b, sign,
        )
        for figure, p in zip(one.figures, one.adjusted, strict=True)
    ]  # fmt: skip
    table = differences(
        "Figures of both arms",
        shown,
        heading,
        one.level,
        together=one.family,
        values=("A", "B"),
        adjusted=one.family > 1,
        held=_held(one),
    )
    yield forest_of(
        "differences",
        f"What differs: {heading}",
        one.sentence,
        table,
        heading,
    )
    for head, text in notes(one):
        if head in ("Same deals", "Could see", "Test", "Capped", "No winner"):
            yield Text(f"{head}: {text}.")


def seat_blocks(one: Comparison) -> Iterator[Block]:
    """Yield the differences by seat, and what neighbours do."""
    if one.seats:
        table = estimates(
            "First places, A - B, by seat",
            [
                Estimate(f"seat {seat}", found.estimate, found.interval)
                for seat, found in enumerate(one.seats)
            ],
            "seat",
            one.level,
            note="Both arms sit equally often on each seat. Of 100 games at tables where the arm "
            "sits there. Each interval by itself.",
        )
        names = [f"seat {seat}" for seat in range(len(one.seats))]
        half = max(found.interval.half_width for found in one.seats)
        yield forest(
            "seats",
            "The difference on each seat",
            range_words(
                "A - B",
                {n: 100 * found.estimate for n, found in zip(names, one.seats, strict=True)},
                decimals(100 * half),
            ),
            table,
            "first places of 100 games with the arm on that seat, A - B",
            lines=NO_DIFFERENCE,
        )
    for head, text in notes(one):
        if head in ("Neighbours", ""):
            yield Text(f"Neighbours: {text}.")


def length_blocks(one: Comparison, counts: Observations) -> Iterator[Block]:
    """Yield how long games are at each table, where arms are tables."""
    if not counts.runs:
        return
    contest = one.contest
    unit = contest.unit
    for name in contest.description.lengths:
        histograms = [run.lengths.get(name, {}) for run in counts.runs]
        found = [length(histogram, one.level) for histogram in histograms]
        if any(each is None for each in found):
            continue
        word = name.replace("_", " ")
        says = " ".join(
            f"{letter}: {spread_words(name, each, unit)}"
            for letter, each in zip("AB", found, strict=True)
            if each
        )
        yield steps_chart(
            f"length-{name.replace('_', '-')}",
            f"{word.capitalize()} a {unit.one}",
            says,
            {
                f"{letter}: {arm}": histogram
                for letter, arm, histogram in zip("AB", contest.arms, histograms, strict=True)
            },
            word,
            unit.many,
        )
    for letter, run in zip("AB", counts.runs, strict=True):
        lengths = {
            name: each
            for name in contest.description.lengths
            if (each := length(run.lengths.get(name, {}), one.level)) is not None
        }
        if lengths:
            table = quantile_table(lengths, one.level)
            yield Table(
                f"{table.caption}, {letter}", table.columns, table.rows, table.places, table.note
            )


def _points(folder: Path, manifest: Manifest, one: Comparison) -> Iterator[Point]:
    """Yield the difference that decides, or of two tables that of their first figure."""
    contest = one.contest
    steps = history(folder, manifest)
    if contest.kind == TABLES or one.main is None:
        name, _ = contest.figures[0]
        parts = [table_part(1, 1), table_part(-1, 0)]
        yield from ratio_points(steps, contest, name, parts, one.level)
        return
    judged = anytime(one.level)
    for games, counts in steps:
        sums, grain, share = main_sums(contest, counts, one.asked.unit)
        found = judged(sums, grain, 1.0, share)
        yield games, found.estimate, found.interval.low, found.interval.high


def convergence_blocks(folder: Path, manifest: Manifest, one: Comparison) -> Iterator[Block]:
    """Yield how the difference settled."""
    main = one.main or (one.figures[0] if one.figures else None)
    if main is None:
        return
    heading = _heading(one)
    yield from funnel_blocks(
        _points(folder, manifest, one),
        f"{upper(main.label)}, {heading}",
        f"{main.label}, {heading}",
        main.unit,
        one.contest.unit.many,
        one.level,
        matters=main.matters,
    )


def _luck(one: Comparison) -> Iterator[Block]:
    found = one.luck
    if found is None:
        return
    score = "wins" if found.figure == "win" else found.figure
    yield Table(
        f"Where differences between seats come from: the variance of a seat's {score}",
        (
            Column("part", "part", form=TEXT),
            Column("share", "share", "of 100", places=1),
            Column("note", "what it is", form=TEXT),
        ),
        (
            ("the deal", 100 * found.deal, "which cards the seat was dealt, and where it sat"),
            ("A or B", 100 * found.arm, "which of the two played them"),
            ("the rest", 100 * found.rest, "what the others did, and strategies that draw lots"),
        ),
        note="Components of variance, from the same deals in all seatings.",
    )
    parts = {
        "the deal": found.deal,
        "which of the two plays": found.arm,
        "what the others do, and lots": found.rest,
    }
    largest = max(parts, key=parts.__getitem__)
    yield Text(
        f"The largest part is {largest}: {100 * parts[largest]:.0f} of 100. The deal is "
        f"{100 * found.deal:.0f} of 100, which of the two plays it {100 * found.arm:.1f}."
    )


def _extremes(one: Comparison) -> Iterator[Block]:
    rows = [
        (letter, str(index), _sign(one) * value)
        for letter, found in (("A", one.highest), ("B", one.lowest))
        for index, value in found
    ]
    if not rows:
        return
    contest = one.contest
    lead = (
        f"difference in {contest.description.lengths[0]}, B - A"
        if contest.kind == TABLES
        else "first places, A - B, a game"
    )
    yield Table(
        f"{upper(contest.unit.many)} in which they are furthest apart",
        (
            Column("for", "more for", form=TEXT),
            Column("index", "index", form=TEXT),
            Column("lead", lead, places=2),
        ),
        tuple(rows),
    )
    if one.saved_in:
        yield Command(
            "Watch the first:",
            f"simcards replay {quoted(one.saved_in)} --index {rows[0][1]}",
        )
