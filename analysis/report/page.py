"""A report as data: sections of sentences, tables and charts; what report.json holds.

A chart is a table and how to draw it, so each number stands once, and everything that is drawn or
written on a page can be read in its data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ...sim.provenance import REPORT_FORMAT, REPORT_VERSION

Cell = str | int | float | None
"""What stands in a table; None: no data."""

TEXT, COUNT, NUMBER, SHORT, CHANCE = "text", "count", "number", "short", "p"
"""Forms of a column: words, whole numbers, numbers with decimals, with three digits, p-values."""

INTERVALS, LINES, STEPS, HEAT = "intervals", "lines", "steps", "heat"
"""Kinds of charts: points with intervals, curves with bands, step curves, a table in colours."""


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    label: str
    unit: str = ""
    form: str = NUMBER
    places: int | None = None
    """Decimals of numbers; None: the row says."""
    missing: str = "no data"
    """What is written where there is no number."""


@dataclass(frozen=True)
class Table:
    """A table; a number of unit ``of 100`` is written of 100, not of 1."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    places: tuple[int, ...] = ()
    """By row the decimals of its numbers, where columns don't say."""
    note: str = ""

    def column(self, name: str) -> tuple[Cell, ...]:
        """Return the values of a column."""
        at = [one.name for one in self.columns].index(name)
        return tuple(row[at] for row in self.rows)

    def text(self, row: int, at: int) -> str:
        """Return a cell as it is written."""
        column, value = self.columns[at], self.rows[row][at]
        if value is None:
            return column.missing if column.form != TEXT else ""
        if isinstance(value, str):
            return value
        if column.form == COUNT:
            return f"{value:,}"
        if column.form == SHORT:
            return f"{value:,.3g}"
        if column.form == CHANCE:
            return "below 0.0001" if value < 0.0001 else f"{value:.4f}"
        places = column.places if column.places is not None else self.places[row]
        text = f"{value:,.{places}f}"
        return text if float(text.replace(",", "")) else text.removeprefix("-")


@dataclass(frozen=True)
class Line:
    """A line across a chart, at a value of the axis that figures are measured on."""

    at: float
    label: str


@dataclass(frozen=True)
class Chart:
    """How a table is drawn; `x`, `y` and others are names of its columns."""

    kind: str
    name: str
    """Unique on its page."""
    title: str
    says: str
    """A sentence on what is to be seen, computed from the data."""
    table: Table
    x: str
    y: str
    x_label: str
    y_label: str
    low: str = ""
    high: str = ""
    by: str = ""
    """Column that tells series apart; '' for one series."""
    lines: tuple[Line, ...] = ()
    band: tuple[float, float] | None = None
    """Values between which differences are too small to matter."""
    middle: float | None = None
    """Of a table in colours of 100: the value that is neither much nor little."""
    log: bool = False
    """Whether the axis of numbers of games is logarithmic."""


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Command:
    """A command to be typed, with what it does."""

    says: str
    command: str


Block = Text | Command | Table | Chart


@dataclass(frozen=True)
class Section:
    """A part of a page."""

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Page:
    """A report."""

    title: str
    subtitle: str
    kind: str
    """run, comparison, sweep or tournament."""
    answer: tuple[str, ...]
    sections: tuple[Section, ...]
    command: str
    """That plays the same again."""
    made_by: str
    result: Mapping[str, Any]
    """What ``summary --json`` prints, with seeds as text."""
    sanity: Mapping[str, Any]
    """Whether it can be right: what was looked at, and whether that passed."""

    def to_json(self) -> dict[str, Any]:
        """Return what report.json holds."""
        return {
            "format": REPORT_FORMAT,
            "version": REPORT_VERSION,
            "made_by": self.made_by,
            "kind": self.kind,
            "title": self.title,
            "subtitle": self.subtitle,
            "command": self.command,
            "answer": list(self.answer),
            "sections": [
                {
                    "name": section.name,
                    "title": section.title,
                    "blocks": [
                        {"block": type(block).__name__.lower(), **asdict(block)}
                        for block in section.blocks
                    ],
                }
                for section in self.sections
            ],
            "result": seeds_as_text(self.result),
            "sanity": dict(self.sanity),
        }


def page_of(data: Mapping[str, Any]) -> Page:
    """Return the page that report.json holds."""
    return Page(
        title=data["title"],
        subtitle=data["subtitle"],
        kind=data["kind"],
        answer=tuple(data["answer"]),
        sections=tuple(
            Section(one["name"], one["title"], tuple(_block(block) for block in one["blocks"]))
            for one in data["sections"]
        ),
        command=data["command"],
        made_by=data["made_by"],
        result=data["result"],
        sanity=data["sanity"],
    )


def _block(data: Mapping[str, Any]) -> Block:
    fields = {name: value for name, value in data.items() if name != "block"}
    match data["block"]:
        case "text":
            return Text(**fields)
        case "command":
            return Command(**fields)
        case "table":
            return _table(fields)
        case "chart":
            band = fields["band"]
            return Chart(
                **fields
                | {
                    "table": _table(fields["table"]),
                    "lines": tuple(Line(**line) for line in fields["lines"]),
                    "band": None if band is None else (band[0], band[1]),
                }
            )
    raise ValueError(f"unknown block {data['block']}")


def _table(data: Mapping[str, Any]) -> Table:
    return Table(
        data["caption"],
        tuple(Column(**column) for column in data["columns"]),
        tuple(tuple(row) for row in data["rows"]),
        tuple(data["places"]),
        data["note"],
    )


def seeds_as_text(data: Any) -> Any:
    """Return JSON with every seed as text: those above 2^53 lose digits in JavaScript."""
    if isinstance(data, Mapping):
        return {
            key: str(value) if key == "seed" and isinstance(value, int) else seeds_as_text(value)
            for key, value in data.items()
        }
    if isinstance(data, Sequence) and not isinstance(data, str):
        return [seeds_as_text(one) for one in data]
    return data
