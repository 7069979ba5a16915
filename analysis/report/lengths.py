"""How long games are: distributions, quantiles, and what hit the cap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...sim.plan import Plan
from ..intervals import quantile, quantile_interval, wilson
from ..screen import percent
from ..summary import Length, Summary
from .page import COUNT, STEPS, TEXT, Block, Chart, Column, Table, Text
from .parts import between

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
MOST_STEPS = 160
"""Rows of a distribution; longer ones are shown at some of their values, exactly."""


def distribution(histogram: Mapping[int, int]) -> list[tuple[int, int, float]]:
    """Return values, how many games had them, and the share at or below: all, or some of them.

    Where values between are left out the counts are of all values since the row before, so that
    they still add up.
    """
    n = sum(histogram.values())
    values = sorted(histogram)
    every = -(-len(values) // MOST_STEPS)
    found = []
    so_far = count = 0
    for j, value in enumerate(values):
        count += histogram[value]
        so_far += histogram[value]
        if (j + 1) % every == 0 or j == len(values) - 1 or j == 0:
            found.append((value, count, 100 * so_far / n))
            count = 0
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
    return Chart(
        STEPS,
        name,
        title,
        says,
        Table(
            f"{title}: the distribution",
            (
                *(() if single else (Column("series", "series", form=TEXT),)),
                Column("value", unit, form=COUNT),
                Column("count", f"{many} since the row before", form=COUNT),
                Column("share", "at or below", "of 100", places=2),
            ),
            rows,
        ),
        "value",
        "share",
        unit,
        f"{many} of so many or fewer, of 100",
        by="" if single else "series",
    )


def spread_words(name: str, one: Length, plan: Plan) -> str:
    """Return where the middle half lies, and how long the longest are."""
    low, high = (quantile(one.histogram, q) for q in (0.25, 0.75))
    return (
        f"Half of all {plan.unit.many} take {low:,} to {high:,} {name.replace('_', ' ')}; one in "
        f"twenty takes {one.p95:,} or more, the longest {one.max:,}."
    )


def quantile_table(lengths: Mapping[str, Length], level: float) -> Table:
    """Return quantiles with intervals that hold whatever the distribution."""
    rows = []
    for name, one in lengths.items():
        for q in QUANTILES:
            interval = quantile_interval(one.histogram, q, level)
            assert interval is not None  # there are values
            rows.append(
                (
                    name.replace("_", " "),
                    f"{100 * q:g} % quantile",
                    float(quantile(one.histogram, q) or 0),
                    interval.low,
                    interval.high,
                )
            )
        mean = one.interval
        rows.append(
            (
                name.replace("_", " "),
                "mean",
                one.mean,
                mean.low if mean else one.mean,
                mean.high if mean else one.mean,
            )
        )
    places = [0] * len(rows)
    for j, row in enumerate(rows):
        if row[1] == "mean":
            places[j] = 2
    return Table(
        "Quantiles and means",
        (
            Column("length", "length", form=TEXT),
            Column("figure", "figure", form=TEXT),
            Column("value", "value"),
            Column("low", f"{percent(level)} from"),
            Column("high", "to"),
        ),
        tuple(rows),
        tuple(places),
        "Quantiles are values that were seen, with intervals between order statistics.",
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
            spread_words(name, one, plan),
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
    share = 100 * summary.capped / summary.completed
    return (
        f"Capped: {summary.capped:,} of {summary.completed:,} {plan.unit.many}, {share:.3g} of 100 "
        f"({between(interval, 100)}). {note[:1].upper()}{note[1:]}"
        + ("" if note.endswith(".") else ".")
        + (" Capped games are in no length." if summary.capped else "")
    )
