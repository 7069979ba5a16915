"""How long games are: distributions, quantiles, and what hit the cap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite

from ...sim.game import Unit
from ..intervals import quantile, quantile_interval, wilson
from ..summary import Length, Summary
from .page import COUNT, LINES, STEPS, TEXT, Block, Cell, Chart, Column, Table, Text
from .parts import between, ends, number, places_of, upper

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
MOST_STEPS = 160
"""Rows of a distribution; longer ones are shown at some of their values, exactly."""


def distribution(histogram: Mapping[int, int]) -> list[tuple[int, int, float]]:
    """Return values, the number and the share of games at or below them: of all, or of some."""
    n = sum(histogram.values())
    values = sorted(histogram)
    every = -(-len(values) // MOST_STEPS)
    found = []
    so_far = 0
    for j, value in enumerate(values):
        so_far += histogram[value]
        if (j + 1) % every == 0 or j == len(values) - 1 or j == 0:
            found.append((value, so_far, 100 * so_far / n))
    return found


def steps_chart(
    name: str, title: str, says: str, series: Mapping[str, Mapping[int, int]], unit: str, many: str
) -> Chart:
    """Return step curves of distributions.

    Parameters
    ----------
    name, title, says : str
    series : mapping of str to mapping
        By name the histogram; one name '' for a single curve.
    unit : str
        What is counted.
    many : str
        What is spread: matches, deals.
    """
    single = len(series) == 1
    rows = tuple(
        (*(() if single else (label,)), *row)
        for label, histogram in series.items()
        for row in distribution(histogram)
    )
    # Between values that are left out the share isn't level.
    whole = len(rows) == sum(map(len, series.values()))
    return Chart(
        STEPS if whole else LINES,
        name,
        title,
        says,
        Table(
            title,
            (
                *(() if single else (Column("series", "series", form=TEXT),)),
                Column("value", unit, form=COUNT),
                Column("count", f"{many} at or below", form=COUNT),
                Column("share", "share", "of 100", places=2),
            ),
            rows,
            note="" if whole else "Some of the values, with the shares that are exact at them.",
        ),
        "value",
        "share",
        unit,
        f"{many} of so many or fewer, of 100",
        by="" if single else "series",
    )


def spread_words(name: str, one: Length, unit: Unit) -> str:
    """Return where the middle half lies, and how long the longest are.

    Quantiles are values that were seen, so at least so many games are on either side.
    """
    low, high = (quantile(one.histogram, q) for q in (0.25, 0.75))
    middle = f"{low:,} to {high:,}" if low != high else f"{low:,}"
    return (
        f"{upper(name.replace('_', ' '))} a {unit.one}: {middle} in at least half of the finished "
        f"{unit.many}, {one.p95:,} or more in at least one of twenty, {one.max:,} at most."
    )


def quantile_table(lengths: Mapping[str, Length], level: float) -> Table:
    """Return quantiles with intervals that hold whatever the distribution."""
    rows: list[tuple[Cell, ...]] = []
    places: list[int] = []
    for name, one in lengths.items():
        for q in QUANTILES:
            interval = quantile_interval(one.histogram, q, level)
            assert interval is not None  # there are values
            low, high = (end if isfinite(end) else None for end in (interval.low, interval.high))
            value = quantile(one.histogram, q)
            rows.append((name.replace("_", " "), f"{100 * q:g} % quantile", value, low, high))
            places.append(0)
        mean = one.interval
        both = (mean.low, mean.high) if mean else (None, None)
        rows.append((name.replace("_", " "), "mean", one.mean, *both))
        places.append(max(2, places_of(mean)))
    return Table(
        "Quantiles and means",
        (
            Column("length", "length", form=TEXT),
            Column("figure", "figure", form=TEXT),
            Column("value", "value"),
            *ends(level, missing="open"),
        ),
        tuple(rows),
        tuple(places),
        "Quantiles are values that were seen, with intervals between order statistics; open: there "
        "are too few games for an end.",
    )


def length_blocks(summary: Summary) -> Iterator[Block]:
    """Yield how long the games of a run are."""
    plan = summary.plan
    unit = plan.unit
    for name, one in summary.lengths.items():
        word = name.replace("_", " ")
        yield steps_chart(
            f"length-{name.replace('_', '-')}",
            f"{word.capitalize()} a {unit.one}",
            spread_words(name, one, unit),
            {"": one.histogram},
            word,
            unit.many,
        )
    if summary.lengths:
        yield quantile_table(summary.lengths, summary.level)
    yield Text(capped_words(summary))


def capped_words(summary: Summary) -> str:
    """Return how many games hit the cap, and why."""
    plan = summary.plan
    locked = summary.events.get("locked", 0)
    note = plan.description.capped_note(
        plan.rules, summary.capped, locked if isinstance(locked, int) else 0
    )
    interval = wilson(summary.capped, summary.completed, summary.level)
    if interval is None:
        return "Nothing was played."
    share = number(100 * summary.capped / summary.completed, places_of(interval, 100))
    said = (
        f"Capped: {summary.capped:,} of {summary.completed:,} {plan.unit.many}, {share} of 100 "
        f"({between(interval, 100)}). {upper(note).rstrip('.')}."
    )
    if summary.capped:
        said += " They are in no share and no length, which are of shorter games therefore."
    return said
