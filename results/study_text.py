"""From a study's text.md and its tables to its README.md, so that no figure is typed by hand.

What stands in double braces is replaced:

``{{PART|ROW|FIGURE}}``
    the value; ``|both`` with its interval, ``|interval`` that alone, ``|exact`` what is known,
    ``|n`` how many games it rests on;
``{{PART|ROW|FIGURE|change}}``
    the difference to the base with its interval;
``{{PART|ROW|FIGURE|more}}``, ``less``, ``level``, ``small``, ``over 50``, ``under``, ``about``
    a claim: the number is only written if the interval bears it out;
``{{table PART|FIGURE,FIGURE|values}}``, ``differences``
    a table;
``{{all PART,PART|FIGURE|less}}``
    how many differences of a figure the parts have, if the claim holds for every one;
``{{opposite PART,PART}}``, ``{{paired PART,PART}}``
    in how many figures two parts have differences on opposite sides of 0, both beyond chance; and
    how many figures they share;
``{{parts}}``, ``{{question}}``
    what each part answers, and its command; the study's question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from study_parts import Study, StudyError
from study_tables import Line

Tables = Mapping[str, Sequence[Line]]

MARKS = {"matters": "*", "too small": ".", "unknown": "?"}
LEGEND = "\\* it matters, . too small to matter, ? can't be told yet"


def signed(number: str) -> str:
    """Return a difference with its sign; 0 has none."""
    return number if number.startswith("-") or not float(number) else f"+{number}"


def opposite(number: str) -> str:
    """Return a number with the other sign."""
    return number.removeprefix("-") if number.startswith("-") or not float(number) else f"-{number}"


def change(line: Line) -> str:
    """Return the difference with its interval."""
    if not line.difference_low:
        return signed(line.difference)
    return f"{signed(line.difference)} ({line.difference_low} to {line.difference_high})"


def both(line: Line) -> str:
    """Return the value with its interval, if it has one."""
    return f"{line.value} ({line.low} to {line.high})" if line.low else line.value


def number(line: Line, how: str) -> str:
    """Return a number of a line as `how` asks for it.

    Raises
    ------
    StudyError
        When `how` makes a claim that the interval doesn't bear out.
    """
    plain = {
        "value": lambda: line.value,
        "both": lambda: both(line),
        "interval": lambda: f"{line.low} to {line.high}",
        "exact": lambda: line.exact,
        "n": lambda: f"{int(line.n):,}",
        "change": lambda: change(line),
    }
    if how in plain:
        text = plain[how]()
        if not text:
            raise StudyError(f"{line.row}, {line.figure}: there is no {how}.")
        return text
    word, _, bound = how.partition(" ")
    claims = {
        "more": lambda: float(line.difference_low) > 0,
        "less": lambda: float(line.difference_high) < 0,
        "small": lambda: line.verdict == "too small",
        "level": lambda: not side(line),
        "over": lambda: float(line.low) > float(bound),
        "under": lambda: float(line.high) < float(bound),
        "about": lambda: float(line.low) <= float(bound) <= float(line.high),
    }
    if word not in claims:
        raise StudyError(f"{line.row}, {line.figure}: nothing is called '{how}'.")
    if not claims[word]():
        raise StudyError(f"{line.row}, {line.figure}: '{how}' isn't what the table says: {line}.")
    if word in ("over", "under", "about"):
        return both(line)
    if word == "more":
        return f"{line.difference} ({line.difference_low} to {line.difference_high})"
    if word == "less":
        low, high = opposite(line.difference_high), opposite(line.difference_low)
        return f"{opposite(line.difference)} ({low} to {high})"
    return change(line)


def find(tables: Tables, part: str, row: str, figure: str) -> Line:
    """Return a line.

    Raises
    ------
    StudyError
        When there is none.
    """
    for line in tables.get(part, ()):
        if (line.row, line.figure) == (row, figure):
            return line
    raise StudyError(f"table {part} has no row '{row}' with figure '{figure}'.")


def wide(study: Study, tables: Tables, part: str, figures: Sequence[str], kind: str) -> str:
    """Return a table with a column for each figure."""
    head = [part]
    lines = {(line.row, line.figure): line for line in tables[part]}
    exact = [f for f in figures if any(line.exact for key, line in lines.items() if f == key[1])]
    for figure in figures:
        head.append(study.labels[figure])
        head += ["exact"] if kind == "values" and figure in exact else []
    body = []
    for row in dict.fromkeys(line.row for line in tables[part]):
        cells = [row]
        for figure in figures:
            line = lines.get((row, figure), Line(row, figure))
            if kind == "values" or not line.difference:
                cells.append(both(line))
            else:
                cells.append(f"{change(line)} {MARKS[line.verdict]}".strip())
            cells += [line.exact] if kind == "values" and figure in exact else []
        if any(cells[1:]):
            body.append(cells)
    rows = [head, ["---"] + ["---:"] * (len(head) - 1), *body]
    text = "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
    return text if kind == "values" else f"{text}\n\n{LEGEND}"


def side(line: Line) -> int:
    """Return on which side of 0 the interval of a difference lies; 0 if it holds 0."""
    return (float(line.difference_low) > 0) - (float(line.difference_high) < 0)


def shared(tables: Tables, first: str, second: str) -> list[tuple[Line, Line]]:
    """Return the lines of two tables with the same row and figure that have differences."""
    others = {(line.row, line.figure): line for line in tables[second] if line.difference_low}
    return [
        (line, others[line.row, line.figure])
        for line in tables[first]
        if line.difference_low and (line.row, line.figure) in others
    ]


def parts(study: Study) -> str:
    """Return what each part answers, its command, and where its report is."""
    told = []
    for part in study.parts:
        report = f" ([report](reports/{part.name}.md))" if part.report else ""
        told.append(f"**{part.name}**: {part.answers}{report}\n\n    {part.command}")
    return "\n\n".join(told)


def write_text(study: Study, tables: Tables, template: str) -> str:
    """Return a study's README.md.

    Raises
    ------
    StudyError
        When it asks for what the tables don't have, or claims what they don't say.
    """

    def told(match: re.Match[str]) -> str:
        first, *rest = (word.strip() for word in match[1].split("|"))
        if first == "parts":
            return parts(study)
        if first == "question":
            return study.question
        word, _, named = first.partition(" ")
        if word == "table":
            figures, kind = rest
            return wide(study, tables, named, figures.split(","), kind)
        if word == "all":
            figure, how = rest
            lines = [
                line
                for part in named.split(",")
                for line in tables[part]
                if line.figure == figure and line.difference_low
            ]
            return str(len([number(line, how) for line in lines]))
        if word in ("opposite", "paired"):
            pairs = shared(tables, *named.split(","))
            return str(
                sum(side(a) * side(b) < 0 for a, b in pairs) if word == "opposite" else len(pairs)
            )
        row, figure, *how = rest
        return number(find(tables, first, row, figure), how[0] if how else "value")

    return re.sub(r"\{\{(.+?)\}\}", told, template)
