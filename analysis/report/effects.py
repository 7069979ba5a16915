"""What the cells of a sweep, and its options, change: differences to the base, effects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..effects import Row
from ..sweep_sums import Effect, Sweep
from ..verdict import MATTERS, UNKNOWN
from .differences import Shown, differences, forest_in_units, signed_words
from .page import (
    Block,
    Table,
    Text,
)
from .parts import (
    axis_words,
    scale_of,
    upper,
)

MOST_LINES = 60
"""Differences that are still drawn."""


def cell_names(one: Sweep) -> list[str]:
    """Return the names of cells as they are shown."""
    return [name or "base" for name in one.contest.arms]


def named(one: Sweep) -> dict[str, list[Row]]:
    """Return the rows by figure, in order of the cells."""
    found: dict[str, list[Row]] = {name: [] for name in one.figures}
    for row in one.rows:
        found[row.name].append(row)
    return {name: rows for name, rows in found.items() if rows}


def shown_rows(one: Sweep, rows: list[Row]) -> Iterator[Shown]:
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
    for name, rows in named(one).items():
        shown = list(shown_rows(one, rows))
        if shown:
            table = differences(
                f"{upper(rows[0].label)}: each cell against the base",
                shown,
                "difference",
                one.level,
                together=one.comparisons,
                values=("cell", "base"),
                adjusted=True,
            )
            says = figure_words(shown, rows[0].label)
            axis = "difference to the base"
            yield from _drawn(f"effect-{name}", rows[0].label, says, table, shown, axis)
    yield from factorial_blocks(one)


def _drawn(
    name: str, label: str, says: str, table: Table, shown: list[Shown], what: str
) -> Iterator[Block]:
    """Yield a forest plot of a figure, or its table where there are too many lines."""
    unit = shown[0].unit
    if len(shown) > MOST_LINES:
        yield Text(says)
        yield table
        return
    yield forest_in_units(
        name.replace("_", "-"),
        upper(label),
        says,
        table,
        f"{axis_words(label.partition(':')[0], unit)}: {what}",
        shown[0].matters * scale_of(unit),
    )


def figure_words(shown: list[Shown], label: str) -> str:
    """Return how many cells change a figure, and by how much at most."""
    clear = [one for one in shown if one.verdict.word == MATTERS]
    unsure = sum(one.verdict.word == UNKNOWN for one in shown)
    later = f" Of {unsure} it can't be told yet." if unsure else ""
    if not clear:
        return f"No cell is shown to change {label} by as much as matters.{later}"
    most = max(clear, key=lambda one: abs(one.difference.estimate))
    value, low, high = signed_words(most.difference, most.unit)
    number_ = len(clear)
    return (
        f"{number_} of {len(shown)} cells change{'s' if number_ == 1 else ''} {label} by as much "
        f"as matters; the largest difference seen is {value} ({low} to {high}), in {most.label}."
        f"{later}"
    )


def factorial_words(effects: Sequence[Effect]) -> str:
    """Return how many effects matter."""
    clear = [effect for effect in effects if effect.verdict.word == MATTERS]
    mains = sum(len(effect.factors) == 1 for effect in clear)
    others = len(clear) - mains
    return (
        f"{mains} main effect{'' if mains == 1 else 's'} and {others} "
        f"interaction{'' if others == 1 else 's'} of {len(effects)} matter."
    )


def factorial_blocks(one: Sweep) -> Iterator[Block]:
    """Yield main effects and interactions of a full grid, figure by figure."""
    if not one.effects:
        return
    yield Text(
        "A main effect is what a value does against the option's first one, averaged over the "
        "other options; an interaction is what two do together beyond what each does alone."
    )
    by_figure: dict[str, list[Effect]] = {}
    for effect in one.effects:
        by_figure.setdefault(effect.figure, []).append(effect)
    for name, effects in by_figure.items():
        shown = [
            Shown(
                effect.name,
                effect.difference,
                effect.unit,
                effect.matters,
                effect.verdict,
                effect.p_adjusted,
            )
            for effect in effects
        ]
        label = effects[0].label
        table = differences(
            f"{upper(label)}: main effects and interactions",
            shown,
            "effect",
            one.level,
            together=len(one.effects),
            adjusted=True,
        )
        says = factorial_words(effects)
        yield from _drawn(f"factorial-{name}", f"{label}: effects", says, table, shown, "effect")
