"""Differences as tables and forest plots, in their own units and in units of what matters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..paired import Difference
from ..screen import percent
from ..verdict import Verdict
from .page import CHANCE, INTERVALS, SHORT, TEXT, Chart, Column, Table
from .parts import NO_DIFFERENCE, VERDICTS, ends, number, of_words, places_of, scale_of


@dataclass(frozen=True)
class Shown:
    """A difference to be shown."""

    label: str
    difference: Difference
    unit: str
    matters: float
    verdict: Verdict
    p_value: float | None
    a: float | None = None
    """Both values it is the difference of, where these are shown."""
    b: float | None = None
    sign: int = 1
    """-1 where the difference is told the other way round."""


def signed_words(difference: Difference, unit: str, sign: int = 1) -> tuple[str, str, str]:
    """Return a difference and its interval's ends as they are written, the difference with unit."""
    scale = scale_of(unit)
    interval = difference.interval
    low, high = sorted(sign * scale * end for end in (interval.low, interval.high))
    value, *ends = (
        number(one, places_of(interval, scale), with_sign=True)
        for one in (sign * scale * difference.estimate, low, high)
    )
    return f"{value}{of_words(unit)}", ends[0], ends[1]


def differences(
    caption: str,
    found: Iterable[Shown],
    heading: str,
    level: float,
    *,
    together: int,
    values: tuple[str, str] | None = None,
    adjusted: bool = False,
    held: str = "",
) -> Table:
    """Return a table of differences.

    Parameters
    ----------
    caption : str
    found : iterable of Shown
    heading : str
        What is subtracted from what, such as A - B.
    level : float
        That all intervals hold together with.
    together : int
        How many these are.
    values : (str, str), optional
        Headings of both values, if they are shown.
    adjusted : bool
        Whether p-values are adjusted for their number.
    held : str
        What the intervals hold for, if not for all of them together.
    """
    rows = []
    places = []
    for one in found:
        scale = one.sign * scale_of(one.unit)
        interval = one.difference.interval
        # Adding 0 makes 0 of -0.
        low, high = sorted((scale * interval.low + 0.0, scale * interval.high + 0.0))
        estimate = scale * one.difference.estimate + 0.0
        unit = one.matters * scale_of(one.unit)
        rows.append(
            (
                one.label,
                *(
                    [abs(scale) * value if value is not None else None for value in (one.a, one.b)]
                    if values
                    else []
                ),
                estimate,
                low,
                high,
                one.unit,
                unit,
                *((estimate / unit, low / unit, high / unit) if unit else (None,) * 3),
                VERDICTS[one.verdict.word],
                one.p_value,
            )
        )
        places.append(places_of(interval, scale_of(one.unit)))
    held = held or (f"for all {together} together" if together > 1 else "by itself")
    return Table(
        caption,
        (
            Column("label", "figure", form=TEXT),
            *([Column("a", values[0]), Column("b", values[1])] if values else []),
            Column("difference", heading),
            *ends(level),
            Column("unit", "unit", form=TEXT),
            Column("matters", "matters from", form=SHORT),
            Column("times", "in units of that", places=2),
            Column("times_low", "from", places=2),
            Column("times_high", "to", places=2),
            Column("verdict", "verdict", form=TEXT),
            Column("p", "p adjusted" if adjusted else "p", form=CHANCE),
        ),
        tuple(rows),
        tuple(places),
        f"{percent(level)} intervals, {held}.",
    )


def forest_of(name: str, title: str, says: str, table: Table, heading: str) -> Chart:
    """Return a forest plot of a table of `differences` of several units."""
    axis = f"{heading}, in units of the least that matters (grey: too small)"
    return _forest(name, title, says, table, axis, ("times", "times_low", "times_high"), 1)


def forest_in_units(
    name: str, title: str, says: str, table: Table, axis: str, matters: float
) -> Chart:
    """Return a forest plot of a table of `differences` of one unit, in that unit."""
    return _forest(name, title, says, table, axis, ("difference", "low", "high"), matters)


def _forest(
    name: str,
    title: str,
    says: str,
    table: Table,
    axis: str,
    columns: tuple[str, str, str],
    matters: float,
) -> Chart:
    value, low, high = columns
    return Chart(
        INTERVALS,
        name,
        title,
        says,
        table,
        value,
        "label",
        axis,
        "",
        low,
        high,
        lines=NO_DIFFERENCE,
        band=(-matters, matters),
    )
