"""The course of games where several tables are compared: told again, each beside the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...sim.contest import Contest
from ..at_table import LEAST_LED, STEPS, TOLD, AtTable, See, affordable, at_table
from ..screen import sure_words
from ..sweep_at_table import SweepAtTable, sweep_at_table
from ..verdict import MATTERS
from .differences import Shown, differences, forest_of
from .draw import MOST_SERIES
from .flow import flow_blocks, told_words
from .page import COUNT, LINES, TEXT, Block, Chart, Column, Table, Text
from .parts import Estimate, estimates, range_words

Course = AtTable | SweepAtTable
"""What telling games again came to: of one table, or of each beside the first."""

MOST_LINES = 60
"""Differences that are still drawn."""
TOLD_IN_ALL = 60_000
LEAST_TOLD = 1_000
"""Games that are told again: so many over all cells, but so many at least of each."""


def course_of(
    contest: Contest,
    first: int,
    n: int,
    *,
    level: float,
    matters: Any,
    on_told: Callable[[str], None] | None,
    see: See,
) -> Course:
    """Tell the first games again: of each table where arms are tables, else of the first one."""
    if contest.by_table:
        each = min(n, max(LEAST_TOLD, TOLD_IN_ALL // len(contest.tables)))
        each = min(affordable(table.plan, first, each) for table in contest.tables)
        return sweep_at_table(
            contest, first, each, level=level, matters=matters, on_told=on_told, see=see
        )
    plan = contest.tables[0].plan
    few = affordable(plan, first, min(n, TOLD))
    return at_table(plan, first, few, level=level, on_told=on_told, see=see)


def looked_at(contest: Contest) -> str:
    """Return at which table games are told, shuffles tested and cards followed."""
    table = contest.tables[0]
    if contest.by_table:
        return (
            f"This is about the base, {contest.arms[0] or 'as it is'}: its first games, its sums."
        )
    sit = ", ".join(player.text for player in table.plan.players)
    return f"This is about the first games at the first table ({sit}), played once more."


def course_blocks(contest: Contest, course: Course, level: float) -> Iterator[Block]:
    """Yield what is known of the course of games."""
    if isinstance(course, AtTable):
        sit = ", ".join(player.text for player in contest.tables[0].plan.players)
        yield Text(f"At the first table, where these sit, from seat 0 on: {sit}.")
        yield from flow_blocks(contest.tables[0].plan, course, level)
        return
    names = [name or "base" for name in contest.arms]
    seconds, leads = course.seconds_per_turn, contest.description.leads
    yield Text(told_words(course.n, contest.unit, seconds, leads, " of each"))
    yield estimates(
        "At the table",
        [
            Estimate(row.label, row.estimate, row.interval, row.unit, group=names[row.cell])
            for row in course.rows
        ],
        "figure",
        level,
        note="Each interval by itself.",
    )
    order = list(dict.fromkeys(row.name for row in course.rows))
    by_figure = sorted(course.rows, key=lambda row: order.index(row.name))
    shown = [
        Shown(
            f"{row.label}: {names[row.cell]}",
            row.compared.difference,
            row.unit,
            row.compared.matters,
            row.compared.verdict,
            row.p_adjusted,
        )
        for row in by_figure
        if row.compared is not None
    ]
    if shown and len(shown) <= MOST_LINES:
        table = differences(
            f"Differences to {names[0]}",
            shown,
            "difference",
            level,
            together=course.comparisons,
            adjusted=True,
        )
        clear = [one.label for one in shown if one.verdict.word == MATTERS]
        says = (
            f"{len(clear)} of {len(shown)} differences to {names[0]} matter."
            if clear
            else f"No difference to {names[0]} is shown to matter."
        )
        yield forest_of("course", f"At the table, against {names[0]}", says, table, "difference")
    yield from _leaders(contest, course, names)
    said: dict[str, list[str]] = {}
    for name, part in zip(names, course.sure_from, strict=True):
        said.setdefault(sure_words(part), []).append(name)
    for sentence, where in said.items():
        yield Text(f"{'Everywhere' if len(said) == 1 else ', '.join(where)}: {sentence}")


def _leaders(contest: Contest, course: SweepAtTable, names: list[str]) -> Iterator[Block]:
    """Yield how often who leads wins, by table."""
    if len(course.told) > MOST_SERIES:
        return
    rows = tuple(
        (name, 100 * step // STEPS, led, 100 * led60 / (60 * led))
        for name, told in zip(names, course.told, strict=True)
        for step, (led, led60) in enumerate(zip(told.led, told.led60, strict=True), 1)
        if led >= LEAST_LED
    )
    if not rows:
        return
    half = {names[row.cell]: 100 * row.estimate for row in course.rows if row.name == "half_leader"}
    says = (
        range_words("who leads alone after half of the turns wins, of 100", half, 0)
        if half
        else "Too few games have a sole leader after half of the turns."
    )
    yield Chart(
        LINES,
        "leader",
        "How often who leads wins",
        says,
        Table(
            "Games with a sole leader, and what leaders win",
            (
                Column("table", "table", form=TEXT),
                Column("part", "turns over", "of 100", COUNT),
                Column("led", "games with a sole leader", form=COUNT),
                Column("wins", "the leader wins", "of 100", places=1),
            ),
            rows,
            note=f"Rows with fewer than {LEAST_LED} games are left out.",
        ),
        "part",
        "wins",
        "share of the turns that are over, of 100",
        "games the leader wins, of 100",
        by="table",
    )
