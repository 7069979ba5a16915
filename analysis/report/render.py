"""From a report's data to a page: HTML that needs nothing else, or Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .draw import svg
from .page import HEAT, TEXT, Chart, Page, Table, page_of

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).with_name("templates")
FOLDED = 12
"""Rows from which a table of a page is folded away."""
MOST_ROWS = 30
"""Rows of a table that Markdown shows."""


@dataclass(frozen=True)
class _Cell:
    text: str
    is_text: bool
    value: str
    """For sorting."""


def _environment(*, escape: bool) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=escape,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )


def _text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _kind(block: Any) -> str:
    return type(block).__name__.lower()


def _cells(table: Table) -> list[list[_Cell]]:
    found = []
    for number, row in enumerate(table.rows):
        found.append(
            [
                _Cell(
                    table.text(number, at),
                    column.form == TEXT,
                    "" if value is None else f"{value}",
                )
                for at, (column, value) in enumerate(zip(table.columns, row, strict=True))
            ]
        )
    return found


def _series(chart: Chart) -> list[str]:
    """Return the names of a chart's series; none where it has one only."""
    if not chart.by or chart.kind == HEAT:
        return []
    return [str(one) for one in dict.fromkeys(chart.table.column(chart.by))]


def html(data: Mapping[str, Any], data_file: str) -> str:
    """Return a report as one HTML file, of nothing but its data.

    Parameters
    ----------
    data : mapping
        What report.json holds.
    data_file : str
        Name of that file.
    """
    from markupsafe import Markup

    environment = _environment(escape=True)
    of_table = environment.get_template("table.html")

    def table(one: Table) -> Markup:
        return Markup(of_table.render(table=one, rows=_cells(one)))

    return environment.get_template("page.html").render(
        page=page_of(data),
        kind_of=_kind,
        table=table,
        drawing=lambda chart: Markup(svg(chart)),
        series=_series,
        style=Markup(_text("page.css")),
        script=Markup(_text("page.js")),
        folded=FOLDED,
        data_file=data_file,
    )


SPECIAL = str.maketrans({sign: f"\\{sign}" for sign in r"\`*_{}[]<>#|&~$"})
"""Signs that mean something in Markdown."""


def plain(text: str) -> str:
    r"""Return text whose signs mean nothing in Markdown.

    Examples
    --------
    >>> print(plain("bomb_min=3+3+4 | <b>"))
    bomb\_min=3+3+4 \| \<b\>
    """
    return " ".join(text.split()).translate(SPECIAL)


def _table_lines(table: Table, data_file: str) -> str:
    """Return a table in Markdown; a long one is shortened."""
    heads = [f"{one.label}, {one.unit}" if one.unit else one.label for one in table.columns]
    lines = [f"*{plain(table.caption)}*", ""]
    lines.append("| " + " | ".join(plain(head) for head in heads) + " |")
    lines.append(
        "|" + "|".join(":---" if one.form == TEXT else "---:" for one in table.columns) + "|"
    )
    step = -(-len(table.rows) // MOST_ROWS)
    shown = [j for j in range(len(table.rows)) if j % step == 0 or j == len(table.rows) - 1]
    for row in shown:
        cells = (plain(table.text(row, at)) for at in range(len(table.columns)))
        lines.append("| " + " | ".join(cells) + " |")
    notes = [table.note] if table.note else []
    if len(shown) < len(table.rows):
        notes.append(f"{len(shown)} of {len(table.rows)} rows; all stand in {data_file}.")
    return "\n".join(lines) + ("\n\n" + plain(" ".join(notes)) if notes else "")


def markdown(data: Mapping[str, Any], data_file: str) -> str:
    """Return a report as Markdown: its sentences and tables.

    Parameters
    ----------
    data : mapping
        What report.json holds.
    data_file : str
        Name of that file.
    """
    environment = _environment(escape=False)
    environment.filters["plain"] = plain
    page: Page = page_of(data)
    return environment.get_template("page.md").render(
        page=page,
        kind_of=_kind,
        table=lambda one: _table_lines(one, data_file),
        data_file=data_file,
    )
