"""The report of a sweep."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...sim.counts import SHARE
from ...sim.game import Rate
from ...sim.manifest import Manifest
from ..effects import table_part
from ..intervals import wilson
from ..multiple import bonferroni_level
from ..sanity import Sanity
from ..screen import percent
from ..sweep_screen import findings, played_by
from ..sweep_sums import Sweep
from ..targets import OF_RUNS
from .at_tables import Course, course_blocks, looked_at
from .convergence import funnel_blocks, history, ratio_points
from .draw import MOST_SERIES
from .effects import (
    cell_names,
    effect_blocks,
    factorial_words,
    figure_words,
    named,
    shown_rows,
)
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
    Page,
    Table,
    Text,
)
from .parts import (
    axis_words,
    ends,
    listed,
    make_page,
    partial,
    places_of,
    range_words,
    rules_table,
    scale_of,
    upper,
)
from .sanity import sanity_blocks

MOST_SENTENCES = 8
"""Cells, or effects, up to which each has a sentence in the answer; of more each figure has one."""


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
        sanity,
        (
            ("effects", "What the rules do", effect_blocks(one)),
            ("curves", "Sensitivity", curve_blocks(one)),
            ("targets", "Nearest to what is wanted", _targets(one)),
            ("fairness", "Seats", _seats(one)),
            ("lengths", "Lengths", length_blocks(one)),
            ("flow", "Flow", course_blocks(contest, course, one.level)),
            ("convergence", "Convergence", convergence_blocks(folder, manifest, one)),
            ("sanity", "Sanity", sanity_blocks(sanity, looked_at(contest))),
        ),
    )


def _answer(one: Sweep) -> Iterator[str]:
    if one.status == "partial":
        yield partial(one.stop_reason, one.completed, one.n, one.contest)
    compared = {
        rows[0].label: shown
        for rows in named(one).values()
        if (shown := list(shown_rows(one, rows)))
    }
    if not compared:
        yield "No data to compare: of the base, or of all others, nothing was finished."
        return
    base = cell_names(one)[0]
    effects = len({effect.name for effect in one.effects})
    if max(effects, len(one.cells)) > MOST_SENTENCES:
        yield f"Against the base, {base}:"
        for label, shown in compared.items():
            yield figure_words(shown, label)
        if one.effects:
            yield factorial_words(one.effects)
    else:
        yield f"Against {'the first value of each option' if effects else f'the base, {base}'}:"
        yield from findings(one)
    if not one.effects and one.comparisons > 1:
        yield f"{percent(one.level)} for all {one.comparisons} intervals together."
    yield from played_by(one)


def _design(one: Sweep) -> Iterator[Block]:
    contest = one.contest
    yield Text(
        f"{len(contest.tables)} cells, the same {one.completed:,} {contest.unit.many} in each."
        if contest.same_deals
        else f"{len(contest.tables)} cells. Not all shuffle the same deck; those with another one "
        "have deals of their own."
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
    if len(series) > MOST_SERIES:
        yield Text(
            f"{main} has a curve for each of {len(series)} combinations of the other options; "
            "they stand in the tables above."
        )
        return
    values = [str(value) for value in one.factors[main]]
    numeric = all(_is_number(value) for value in values)
    for name, rows in named(one).items():
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
            range_words(
                label,
                {shown[row.cell]: scale * row.estimate for row in rows},
                places,
            ),
            Table(
                f"{upper(label)} of each cell",
                (
                    Column("value", main, form=NUMBER if numeric else TEXT, places=0),
                    *([Column("series", "others", form=TEXT)] if others else []),
                    Column("estimate", label, unit if unit == "of 100" else "", places=places),
                    *ends(one.level, places),
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
            axis_words(label, unit),
            "low",
            "high",
            "series" if others else "",
        )


def _targets(one: Sweep) -> Iterator[Block]:
    if not one.nearest:
        return
    names = cell_names(one)
    rates = {name for name, figure in one.contest.figures if isinstance(figure, Rate)}
    targets = {
        name: (100.0 if name in rates or name in OF_RUNS else 1.0, wanted)
        for name, wanted in one.asked["targets"].items()
    }
    best = one.nearest[0]
    wanted = listed(
        [
            f"{name.replace('_', ' ')} {scale * value:g}{' of 100' if scale > 1 else ''}"
            for name, (scale, value) in targets.items()
        ]
    )
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
                for name, (scale, _) in targets.items()
                for column in (
                    Column(
                        f"value_{name}",
                        name.replace("_", " "),
                        "of 100" if scale > 1 else "",
                        places=2,
                    ),
                    Column(f"off_{name}", f"{name.replace('_', ' ')} off by", places=1),
                )
            ),
            Column("distance", "distance", places=1),
            Column("frontier", "frontier", form=TEXT),
        ),
        tuple(
            (
                names[near.cell],
                *(
                    cell
                    for value, off, (scale, _) in zip(
                        near.values, near.off, targets.values(), strict=True
                    )
                    for cell in (scale * value, off)
                ),
                near.distance,
                "yes" if near.on_frontier else "no",
            )
            for near in one.nearest
        ),
    )


def _uneven(one: Sweep) -> Iterator[str]:
    """Yield the cells in which some seat's share is shown not to be an even one."""
    seats = sum(len(run.seats) for run in one.cells)
    level = bonferroni_level(one.level, seats)
    for name, run in zip(cell_names(one), one.cells, strict=True):
        scores = [
            SHARE * seat.wins + sum(SHARE // k * games for k, games in seat.shared.items())
            for seat in run.seats
        ]
        even = sum(scores) / (len(scores) * SHARE * run.finished) if run.finished else 0.0
        for score in scores:
            interval = wilson(score, run.finished, level, scale=SHARE)
            if interval is not None and not interval.low <= even <= interval.high:
                yield name
                break


def _seats(one: Sweep) -> Iterator[Block]:
    players = max((len(run.seats) for run in one.cells), default=0)
    if players < 2:
        return
    rows: list[tuple[Cell, ...]] = []
    for name, run in zip(cell_names(one), one.cells, strict=True):
        shares = [None if seat.win_rate is None else 100 * seat.win_rate for seat in run.seats]
        rows.append((name, *shares, *[None] * (players - len(shares))))
    uneven = list(_uneven(one))
    held = f"{percent(one.level)} for all seats of all cells together"
    yield Text(
        f"Some seat's share is shown not to be an even one in {len(uneven)} of {len(rows)} cells "
        f"({held}): {', '.join(uneven)}."
        if uneven
        else f"In no cell is a seat shown to win more or less than an even share ({held})."
    )
    yield Table(
        "Share of the wins by seat",
        (
            Column("cell", "cell", form=TEXT),
            *(
                Column(f"seat_{seat}", f"seat {seat}", "of 100", places=2)
                for seat in range(players)
            ),
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
        if len(found) <= MOST_SERIES:
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
    compared = [(row, row.compared) for row in one.rows if row.compared and row.compared.matters]
    if not compared:
        return
    row, most = max(compared, key=lambda pair: abs(pair[1].difference.estimate) / pair[1].matters)
    level = bonferroni_level(one.level, len(compared))
    parts = [table_part(1, row.cell), table_part(-1, 0)]
    yield from funnel_blocks(
        ratio_points(history(folder, manifest), one.contest, row.name, parts, level),
        f"{upper(row.label)}: {cell_names(one)[row.cell]} less the base",
        f"{row.label}, difference",
        row.unit,
        one.contest.unit.many,
        one.level,
        matters=most.matters,
        picked=len(compared),
    )
