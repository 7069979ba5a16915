"""The report of a sweep."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...sim.manifest import Manifest
from ..compare_sums import anytime
from ..effects import Row, figure_scale, ratio_contrast, table_part
from ..sanity import Sanity
from ..screen import percent
from ..sweep_screen import findings, played_by
from ..sweep_sums import Sweep
from ..verdict import MATTERS
from .at_tables import Course, course_blocks
from .convergence import Point, funnel, funnel_words, history
from .differences import Shown, differences, forest_in_units, forest_of
from .lengths import steps_chart
from .page import (
    COUNT,
    LINES,
    NUMBER,
    TEXT,
    Block,
    Cell,
    Chart,
    Column,
    Line,
    Page,
    Table,
    Text,
)
from .parts import (
    listed,
    make_page,
    number,
    partial,
    places_of,
    range_words,
    rules_table,
    scale_of,
    upper,
)
from .sanity import sanity_blocks

MOST_CURVES = 6
MOST_CELLS = 6
"""Cells up to which each has a sentence in the answer; of more each figure has one."""


def sweep_page(
    folder: Path, manifest: Manifest, one: Sweep, course: Course, sanity: Sanity
) -> Page:
    """Return the report of a sweep.

    Parameters
    ----------
    folder : Path
        In which it is saved.
    manifest : Manifest
    one : Sweep
    course : Course
        What telling the first games of its cells again came to.
    sanity : Sanity
        Of those of the base cell.
    """
    contest = one.contest
    game = contest.description
    what = listed(list(one.factors)) if one.factors else "variants of the rules"
    return make_page(
        manifest,
        one,
        "sweep",
        f"{game.name}: what {what} {'does' if len(one.factors) == 1 else 'do'}",
        f"{game.title}, {len(contest.tables)} cells, {one.completed:,} "
        f"{contest.unit.word(one.completed)} in each",
        _answer(one),
        _design(one),
        (
            ("effects", "What the rules do", effect_blocks(one)),
            ("curves", "Sensitivity", curve_blocks(one)),
            ("targets", "Nearest to what is wanted", _targets(one)),
            ("fairness", "Seats", _seats(one)),
            ("lengths", "Lengths", length_blocks(one)),
            ("flow", "Flow", course_blocks(contest, course, one.level)),
            ("convergence", "Convergence", convergence_blocks(folder, manifest, one)),
            ("sanity", "Sanity", sanity_blocks(sanity)),
        ),
    )


def cell_names(one: Sweep) -> list[str]:
    """Return the names of cells as they are shown."""
    return [name or "base" for name in one.contest.arms]


def _answer(one: Sweep) -> Iterator[str]:
    if one.status == "partial":
        yield partial(one.stop_reason, one.completed, one.n, one.contest)
    if not one.rows:
        yield "No data: nothing was finished."
        return
    yield f"Against the base, {cell_names(one)[0]}:"
    if one.effects or len(one.cells) <= MOST_CELLS:
        yield from findings(one)
    else:
        for rows in _named(one).values():
            shown = list(_shown(one, rows))
            if shown:
                yield _figure_words(shown, rows[0].label, rows[0].unit)
    yield from played_by(one)
    if not one.effects and one.comparisons > 1:
        yield f"{percent(one.level)} for all {one.comparisons} intervals together."


def _design(one: Sweep) -> Iterator[Block]:
    contest = one.contest
    yield Text(
        f"{len(contest.tables)} cells, the same {one.completed:,} {contest.unit.many} in each."
        if contest.same_deals
        else f"{len(contest.tables)} cells. Not all shuffle the same deck; those that don't have "
        "deals of their own."
    )
    names = cell_names(one)
    options = one.asked["options"]
    keys = list(dict.fromkeys(key for of in options for key in of))
    yield Table(
        "Cells",
        (
            Column("cell", "cell", form=TEXT),
            *(Column(f"option_{key}", key, form=TEXT) for key in keys),
            Column("players", "who plays", form=TEXT),
            Column("finished", "finished", form=COUNT),
            Column("capped", "capped", form=COUNT),
        ),
        tuple(
            (
                name,
                *(str(of.get(key, "")) for key in keys),
                ", ".join(dict.fromkeys(player.text for player in table.plan.players)),
                run.finished,
                run.capped,
            )
            for name, of, table, run in zip(names, options, contest.tables, one.cells, strict=True)
        ),
    )
    yield from rules_table([table.plan for table in contest.tables], names, keys)


def _named(one: Sweep) -> dict[str, list[Row]]:
    """Return the rows by figure, in order of the cells."""
    found: dict[str, list[Row]] = {name: [] for name in one.figures}
    for row in one.rows:
        found[row.name].append(row)
    return {name: rows for name, rows in found.items() if rows}


def _shown(one: Sweep, rows: list[Row]) -> Iterator[Shown]:
    """Yield the differences of a figure's cells to the base."""
    names = cell_names(one)
    for row in rows:
        if row.compared is not None:
            yield Shown(
                names[row.cell],
                row.compared.difference,
                row.unit,
                row.compared.matters,
                row.compared.verdict,
                row.p_adjusted,
                row.compared.a,
                row.compared.b,
            )


def effect_blocks(one: Sweep) -> Iterator[Block]:
    """Yield each figure's differences to the base, and the effects of options."""
    for name, rows in _named(one).items():
        shown = list(_shown(one, rows))
        if not shown:
            continue
        label, unit = rows[0].label, rows[0].unit
        table = differences(
            f"{upper(label)}: each cell against the base",
            shown,
            "difference",
            one.level,
            together=one.comparisons,
            values=("cell", "base"),
            adjusted=True,
        )
        yield forest_in_units(
            f"effect-{name.replace('_', '-')}",
            upper(label),
            _figure_words(shown, label, unit),
            table,
            f"{label}{', of 100' if unit == 'of 100' else ''}: difference to the base",
            shown[0].matters * scale_of(unit),
        )
    yield from factorial_blocks(one)


def _figure_words(shown: list[Shown], label: str, unit: str) -> str:
    """Return which cells change a figure, and by how much at most."""
    clear = [one for one in shown if one.verdict.word == MATTERS]
    scale = scale_of(unit)
    of = " of 100" if unit == "of 100" else ""
    if not clear:
        unsure = sum(one.verdict.word == "unknown" for one in shown)
        return f"No cell is shown to change {label} by as much as matters" + (
            f"; of {unsure} it can't be told yet." if unsure else "."
        )
    most = max(clear, key=lambda one: abs(one.difference.estimate))
    interval = most.difference.interval
    places = places_of(interval, scale)
    return (
        f"{len(clear)} of {len(shown)} cells change {label} by as much as matters, most of all "
        f"{most.label}: {number(scale * most.difference.estimate, places, signed=True)}{of} "
        f"({number(scale * interval.low, places, signed=True)} to "
        f"{number(scale * interval.high, places, signed=True)})."
    )


def factorial_blocks(one: Sweep) -> Iterator[Block]:
    """Yield main effects and interactions of a full grid."""
    if not one.effects:
        return
    table = differences(
        "Main effects and interactions",
        [
            Shown(
                f"{effect.label}: {effect.name}",
                effect.difference,
                effect.unit,
                effect.matters,
                effect.verdict,
                effect.p_adjusted,
            )
            for effect in one.effects
        ],
        "effect",
        one.level,
        together=len(one.effects),
        adjusted=True,
    )
    clear = [effect for effect in one.effects if effect.verdict.word == MATTERS]
    mains = sum(len(effect.factors) == 1 for effect in clear)
    yield Text(
        "A main effect is what a value does against the option's first one, averaged over the "
        "other options; an interaction is what two do together beyond what each does alone."
    )
    yield forest_of(
        "factorial",
        "Effects of the options",
        f"{mains} main effect{'' if mains == 1 else 's'} and {len(clear) - mains} interaction"
        f"{'' if len(clear) - mains == 1 else 's'} of {len(one.effects)} matter.",
        table,
        "effect",
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def curve_blocks(one: Sweep) -> Iterator[Block]:
    """Yield each figure by the values of the option with most of them."""
    if not one.factors:
        return
    main = max(one.factors, key=lambda name: len(one.factors[name]))
    others = [name for name in one.factors if name != main]
    options = one.asked["options"]
    series = list(dict.fromkeys(tuple(str(of[name]) for name in others) for of in options))
    if len(series) > MOST_CURVES:
        yield Text(
            f"{main} has a curve for each of {len(series)} combinations of the other options; "
            "they stand in the tables above."
        )
        return
    values = [str(value) for value in one.factors[main]]
    numeric = all(_is_number(value) for value in values)
    for name, rows in _named(one).items():
        unit, label = rows[0].unit, rows[0].label
        scale = scale_of(unit)
        body: list[tuple[Cell, ...]] = []
        for row in rows:
            of = options[row.cell]
            text = str(of[main])
            body.append(
                (
                    float(text) if numeric else text,
                    *([" ".join(f"{key}={of[key]}" for key in others)] if others else []),
                    scale * row.estimate,
                    scale * row.interval.low if row.interval else None,
                    scale * row.interval.high if row.interval else None,
                )
            )
        places = max(places_of(row.interval, scale) for row in rows)
        shown = cell_names(one)
        yield Chart(
            LINES,
            f"curve-{name.replace('_', '-')}",
            f"{upper(label)} by {main}",
            range_words(label, {shown[row.cell]: scale * row.estimate for row in rows}, places),
            Table(
                f"{upper(label)} of each cell",
                (
                    Column("value", main, form=NUMBER if numeric else TEXT, places=0),
                    *([Column("series", "others", form=TEXT)] if others else []),
                    Column("estimate", label, unit if unit == "of 100" else "", places=places),
                    Column("low", f"{percent(one.level)} from", places=places),
                    Column("high", "to", places=places),
                ),
                tuple(body),
                note="Each cell's own interval, as a run of it has it. Differences between cells "
                "are known better than these suggest: the cells share their deals."
                if one.contest.same_deals
                else "Each cell's own interval, as a run of it has it.",
            ),
            "value",
            "estimate",
            main,
            f"{label}{', of 100' if unit == 'of 100' else ''}",
            "low",
            "high",
            "series" if others else "",
        )


def _targets(one: Sweep) -> Iterator[Block]:
    if not one.nearest:
        return
    names = cell_names(one)
    targets = one.asked["targets"]
    best = one.nearest[0]
    wanted = ", ".join(f"{name} {value:g}" for name, value in targets.items())
    yield Text(
        f"Nearest to {wanted}, as played: {names[best.cell]}. Distances are in units of what "
        "matters; chance moves them too. A cell is on the frontier if no other one is nearer to "
        "one target and as near to all others."
    )
    yield Table(
        "Cells by their distance",
        (
            Column("cell", "cell", form=TEXT),
            *(
                column
                for name in targets
                for column in (
                    Column(f"value_{name}", name.replace("_", " "), places=4),
                    Column(f"off_{name}", f"{name.replace('_', ' ')} off by", places=1),
                )
            ),
            Column("distance", "distance", places=1),
            Column("frontier", "frontier", form=TEXT),
        ),
        tuple(
            (
                names[near.cell],
                *(x for pair in zip(near.values, near.off, strict=True) for x in pair),
                near.distance,
                "yes" if near.on_frontier else "no",
            )
            for near in one.nearest
        ),
    )


def _seats(one: Sweep) -> Iterator[Block]:
    players = max(len(run.seats) for run in one.cells) if one.cells else 0
    if players < 2:
        return
    rows = []
    for name, run in zip(cell_names(one), one.cells, strict=True):
        shares = [None if seat.win_rate is None else 100 * seat.win_rate for seat in run.seats]
        known = [share for share in shares if share is not None]
        rows.append(
            (
                name,
                *shares,
                *[None] * (players - len(shares)),
                max(known) - min(known) if known else None,
            )
        )
    spread = [(row[-1], row[0]) for row in rows if row[-1] is not None]
    if spread:
        low, high = min(spread), max(spread)
        yield Text(
            f"The best seat wins {low[0]:.1f} of 100 more than the worst in {low[1]} and "
            f"{high[0]:.1f} in {high[1]}; by chance alone it is never 0."
        )
    yield Table(
        "Share of the wins by seat",
        (
            Column("cell", "cell", form=TEXT),
            *(
                Column(f"seat_{seat}", f"seat {seat}", "of 100", places=2)
                for seat in range(players)
            ),
            Column("spread", "largest less smallest", "of 100", places=2),
        ),
        tuple(rows),
    )


def length_blocks(one: Sweep) -> Iterator[Block]:
    """Yield how long games are in each cell."""
    contest = one.contest
    unit = contest.unit
    names = cell_names(one)
    for name in contest.description.lengths:
        word = name.replace("_", " ")
        found = {
            cell: each
            for cell, run in zip(names, one.cells, strict=True)
            if (each := run.lengths.get(name)) is not None
        }
        if not found:
            continue
        yield Table(
            f"{upper(word)} a {unit.one}",
            (
                Column("cell", "cell", form=TEXT),
                *(Column(key, label, form=COUNT) for key, label in (
                    ("min", "least"), ("p5", "5 %"), ("median", "median"), ("p95", "95 %"),
                    ("max", "most"))),
                Column("mean", "mean", places=2),
                Column("sd", "standard deviation", places=2),
            ),
            tuple(
                (cell, each.min, each.p5, each.median, each.p95, each.max, each.mean, each.sd)
                for cell, each in found.items()
            ),
        )  # fmt: skip
        if len(found) <= MOST_CURVES:
            means = {cell: each.mean for cell, each in found.items()}
            yield steps_chart(
                f"length-{name.replace('_', '-')}",
                f"{upper(word)} a {unit.one}: the distribution",
                range_words(f"{word} on average", means, 2),
                {cell: each.histogram for cell, each in found.items()},
                word,
                unit.many,
            )


def convergence_blocks(folder: Path, manifest: Manifest, one: Sweep) -> Iterator[Block]:
    """Yield how the difference settled that is largest in units of what matters."""
    compared = [row for row in one.rows if row.compared is not None and row.compared.matters]
    if not compared:
        return
    row = max(
        compared,
        key=lambda row: (
            abs(row.compared.difference.estimate) / row.compared.matters if row.compared else 0.0
        ),
    )
    assert row.compared is not None
    scale = scale_of(row.unit)
    points = [tuple_of(point, scale) for point in _points(folder, manifest, one, row)]
    units = one.contest.unit.many
    if not points:
        yield Text(f"Too few {units} to show how differences settled: it takes 1,000.")
        return
    places = places_of(row.compared.difference.interval, scale)
    of = " of 100" if row.unit == "of 100" else f" {row.unit}"
    yield funnel(
        "funnel",
        f"{upper(row.label)}: {cell_names(one)[row.cell]} less the base",
        funnel_words(points, units, places, of),
        points,
        f"{row.label}, difference{',' if row.unit == 'of 100' else ' in'}{of}",
        units,
        one.level,
        places=places,
        lines=(Line(0, "no difference"),),
        band=(-row.compared.matters * scale, row.compared.matters * scale),
    )


def tuple_of(point: Point, scale: float) -> Point:
    """Return a point in the units that are shown."""
    games, value, low, high = point
    return games, scale * value, scale * low, scale * high


def _points(folder: Path, manifest: Manifest, one: Sweep, row: Row) -> Iterator[Point]:
    contest = one.contest
    judged = anytime(one.level)
    figure = dict(contest.figures)[row.name]
    known = {count.name: count for count in contest.description.counts}
    for games, counts in history(folder, manifest):
        contrasted = ratio_contrast(
            counts.games,
            counts.moments[row.name],
            [table_part(1, row.cell), table_part(-1, 0)],
        )
        if contrasted is not None:
            sums, grain, largest = contrasted
            found = judged(sums, grain * figure_scale(figure, known), largest, False)
            yield games, found.estimate, found.interval.low, found.interval.high
