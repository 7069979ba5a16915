"""What a person sees of a sweep: what each option does, against the base cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from .compare_screen import MARKS, title
from .effects import Row
from .ending import foot
from .paired import Difference
from .screen import STOPPED, WIDTH, percent, sure_words, wrapped
from .summary import decimals
from .sweep_sums import Effect, Sweep
from .verdict import MATTERS, UNKNOWN, more_words

LARGE = 50.0
"""Half width from which on decimals aren't worth showing."""
SHOWN_EFFECTS = 12
SHOWN_NEAR = 5


def _setup(one: Sweep) -> Iterator[str]:
    contest = one.contest
    cells = len(contest.tables)
    of = f" of {one.n:,}" if one.completed != one.n else ""
    start = f", from index {one.first}" if one.first else ""
    same = "the same " if contest.same_deals else ""
    text = (
        f"{cells} cells, {same}{one.completed:,}{of} {contest.unit.word(one.completed)} in "
        f"each{start}, seed {contest.seed}"
    )
    yield from wrapped("", text.split(" "), " ")
    if one.status == "partial":
        yield f"Partial: {STOPPED.get(one.stop_reason, one.stop_reason)}. All cells as far."
    if not contest.same_deals:
        yield "Not all cells shuffle the same deck; those that don't have deals of their own."
    text = f"Base: {contest.arms[0]}. Others: difference to the base."
    yield from wrapped("", text.split(" "), " ")


def _label(one: Sweep, cell: int) -> str:
    """Return a cell's values without the options' names, where they head the table."""
    if one.factors:
        return " ".join(str(value) for value in one.asked["options"][cell].values())
    return one.contest.arms[cell]


def _head(one: Sweep) -> str:
    return " ".join(one.asked["options"][0]) if one.factors else "cell"


def _parts(row: Row | None) -> tuple[str, ...]:
    """Return what stands in a figure's column of a cell: a value and a word, or a difference."""
    if row is None:
        return ("no data",)
    scale = 100.0 if row.unit == "of 100" else 1.0
    if row.compared is None:
        half = row.interval.half_width if row.interval else 0.01
        word = "(base)" if row.cell == 0 else "(no base)"
        return f"{scale * row.estimate:,.{_places(scale * half)}f}", word
    difference = row.compared.difference
    places = _places(scale * difference.interval.half_width)
    return (
        f"{scale * difference.estimate:+,.{places}f}",
        f"{scale * difference.interval.low:,.{places}f}",
        f"{scale * difference.interval.high:,.{places}f}",
        MARKS[row.compared.verdict.word],
    )


def _places(half: float) -> int:
    """Decimals for a figure known to plus or minus this; none for large ones."""
    return 0 if half >= LARGE else min(2, decimals(half))


def _column(rows: Sequence[Row | None]) -> list[str]:
    """Return a figure's column: the same width in every cell, wider where numbers are large."""
    found = [_parts(row) for row in rows]
    whole = [parts for parts in found if len(parts) == 4]
    first = max([6, *(len(parts[0]) for parts in found if len(parts) > 1)])
    end = max([5, *(len(parts[at]) for parts in whole for at in (1, 2))])
    width = first + 2 * end + 7
    lines = []
    for parts in found:
        if len(parts) == 4:
            value, low, high, mark = parts
            lines.append(f"{value:>{first}} {low:>{end}} to {high:>{end}} {mark}")
        elif len(parts) == 2:
            lines.append(f"{parts[0]:>{first}}{parts[1]:>{width - first - 2}}  ")
        else:
            lines.append(f"{parts[0]:>{width}}")
    return lines


def _heading(row: Row, width: int) -> list[str]:
    """Return a figure's name in as many lines as it needs."""
    of = ", of 100" if row.unit == "of 100" else ""
    return wrap(row.label + of, width - 2)


def _blocks(one: Sweep, rows: Sequence[Row], names: Sequence[str]) -> Iterator[str]:
    """Yield tables of figures, a line a cell, as many figures side by side as fit."""
    labels = [_label(one, cell) for cell in range(len(one.contest.tables))]
    named = {row.name: row for row in rows}
    found = {(row.cell, row.name): row for row in rows}
    columns = {
        name: _column([found.get((cell, name)) for cell in range(len(labels))])
        for name in names
        if name in named
    }
    if not columns:
        return
    widest = max(len(column[0]) for column in columns.values())
    left = min(max(len(text) for text in (*labels, _head(one))), WIDTH - 4 - widest)
    blocks: list[list[str]] = [[]]
    for name, column in columns.items():
        used = 2 + left + sum(len(columns[other][0]) + 1 for other in blocks[-1])
        if blocks[-1] and used + len(column[0]) + 1 > WIDTH:
            blocks.append([])
        blocks[-1].append(name)
    for part in blocks:
        heads = [_heading(named[name], len(columns[name][0])) for name in part]
        lines = max(len(head) for head in heads)
        for line in range(lines):  # a long heading takes two
            words = [
                f"  {head[line] if line < len(head) else '':<{len(columns[name][0]) - 2}}"
                for name, head in zip(part, heads, strict=True)
            ]
            title = _head(one)[:left] if line == lines - 1 else ""
            yield f"  {title:<{left}} " + " ".join(words)
        for cell, label in enumerate(labels):
            values = " ".join(columns[name][cell] for name in part)
            if len(label) <= left:
                yield f"  {label:<{left}} {values}"
            else:
                yield from wrapped("  ", wrap(label, WIDTH - 4))
                yield f"  {'':<{left}} {values}"
        yield ""


def _capped(one: Sweep) -> Iterator[str]:
    """Yield how many games were capped, which are in no figure."""
    if any(cell.capped for cell in one.cells):
        parts = [
            f"{name or 'base'} {cell.capped:,}"
            for name, cell in zip(one.contest.arms, one.cells, strict=True)
            if cell.capped
        ]
        text = f"Capped, in no figure: {', '.join(parts)} of {one.completed:,} each."
        yield from wrapped("  ", text.split(" "), " ")


def _table(one: Sweep) -> Iterator[str]:
    yield from _blocks(one, one.rows, one.figures)
    yield "  * matters   . too small to matter   ? can't tell yet"
    unknown = [
        row.compared
        for row in one.rows
        if row.compared is not None and row.compared.verdict.word == UNKNOWN
    ]
    text = ""
    if unknown:
        known = [fig for fig in unknown if fig.verdict.more is not None]
        if known:
            worst = max(known, key=lambda fig: fig.verdict.more or 0)
            text = f"?: {more_words(worst.verdict, one.contest.unit.many)} would tell all. "
            if len(known) < len(unknown):
                text = f"?: {more_words(worst.verdict, one.contest.unit.many)} would tell most. "
    matters = one.asked["matters"]
    text += f"Matters: {100 * matters.get('', 0.01):g} of 100, 1 % of the base's mean"
    for name, value in matters.items():
        text += f", {name} {value:g}" if name else ""
    together = one.comparisons
    text += f" (--matters). {percent(one.level)} for "
    text += f"all {together} intervals together." if together > 1 else "the interval."
    yield from wrapped("  ", text.split(" "), " ")


def _said(difference: Difference, unit: str, base: float | None, label: str) -> str:
    """Return 'turns a deal +4.1 (4.0 to 4.2; +7.7 %)'."""
    scale = 100.0 if unit == "of 100" else 1.0
    interval = difference.interval
    places = _places(scale * interval.half_width)
    text = (
        f"{label} {scale * difference.estimate:+,.{places}f}"
        f"{' of 100' if unit == 'of 100' else ''} "
        f"({scale * interval.low:,.{places}f} to {scale * interval.high:,.{places}f}"
    )
    if unit != "of 100" and base:
        text += f"; {100 * difference.estimate / base:+.1f} %"
    return text + ")"


def findings(one: Sweep) -> Iterator[str]:
    """Yield what each cell, or each option, changes, in a sentence each."""
    base = {row.name: row.estimate for row in one.of_cell(0)}
    if one.effects:
        groups: dict[str, list[Effect]] = {}
        for effect in one.effects:
            groups.setdefault(effect.name, []).append(effect)
        quiet = []
        for name, effects in groups.items():
            main = len(effects[0].factors) == 1
            telling = [
                _said(effect.difference, effect.unit, base.get(effect.figure), effect.label)
                for effect in effects
                if effect.verdict.word == MATTERS
            ]
            if telling:
                how = "on average over the rest" if main else "beyond what each does alone"
                yield f"{name}, {how}: {'; '.join(telling)}."
            elif main and all(effect.verdict.word != UNKNOWN for effect in effects):
                quiet.append(name)
        if quiet:
            yield f"Too small to matter, on average: {', '.join(quiet)}."
        unsure = [
            name
            for name, effects in groups.items()
            if any(effect.verdict.word == UNKNOWN for effect in effects)
        ]
        if unsure:
            number = len(unsure)
            shown = ", ".join(unsure) if number <= SHOWN_EFFECTS else f"{number} of {len(groups)}"
            yield f"Not every effect can be told yet of: {shown}."
        yield f"{percent(one.level)} for all {len(one.effects)} effects together."
        return
    for cell in range(1, len(one.contest.tables)):
        rows = [row for row in one.of_cell(cell) if row.compared is not None]
        telling = [
            _said(row.compared.difference, row.unit, base.get(row.name), row.label)
            for row in rows
            if row.compared is not None and row.compared.verdict.word == MATTERS
        ]
        unsure = [
            row.label
            for row in rows
            if row.compared is not None and row.compared.verdict.word == UNKNOWN
        ]
        if telling:
            more = f" Can't tell yet: {', '.join(unsure)}." if unsure else ""
            yield f"{one.contest.arms[cell]}: {'; '.join(telling)}.{more}"
        elif not rows:
            yield f"{one.contest.arms[cell]}: no data to compare."
        elif all(row.compared and row.compared.verdict.word != UNKNOWN for row in rows):
            yield f"{one.contest.arms[cell]}: too small to matter."
        else:
            yield f"{one.contest.arms[cell]}: can't tell yet."


def _at_table(one: Sweep) -> Iterator[str]:
    """Yield how the cells feel at the table."""
    table = one.at_table
    if table is None:
        return
    units = one.contest.unit.word(table.n)
    text = (
        f"At the table: the first {table.n:,} {units} of each cell told again, "
        f"{table.seconds_per_turn:g} s a turn. {percent(one.level)} for these "
        f"{table.comparisons} intervals together; what matters is 1 of 100, and 1 % of the base's "
        f"mean. Leading: {one.contest.description.leads}."
    )
    yield from wrapped("", text.split(" "), " ")
    yield ""
    yield from _blocks(one, table.rows, tuple(dict.fromkeys(row.name for row in table.rows)))
    for cell, part in enumerate(table.sure_from):
        yield from wrapped(
            "  ", f"{one.contest.arms[cell] or 'base'}: {sure_words(part)}".split(" "), " "
        )
    yield ""


def _targets(one: Sweep) -> Iterator[str]:
    """Yield the cells that come nearest to what is wanted."""
    targets = one.asked["targets"]
    if not one.nearest:
        return
    wanted = ", ".join(f"{name}={value:g}" for name, value in targets.items())
    text = (
        f"Nearest to {wanted}, in units of what matters, as played (chance moves it); + no other "
        "cell is nearer in all:"
    )
    yield from wrapped("", text.split(" "), " ")
    shown = [near for near in one.nearest if near.on_frontier]
    shown += [near for near in one.nearest[:SHOWN_NEAR] if near not in shown]
    for near in [near for near in one.nearest if near in shown]:
        parts = [
            f"{name} {value:.4g} ({off:.1f} off)"
            for name, value, off in zip(targets, near.values, near.off, strict=True)
        ]
        mark = "+" if near.on_frontier else " "
        head = f"  {mark} {one.contest.arms[near.cell]}: "
        yield from wrapped(head, ", ".join(parts).split(" "), " ")
    yield ""


def played_by(one: Sweep) -> Iterator[str]:
    """Yield who played, if that isn't what varies."""
    who = {player.text for table in one.contest.tables for player in table.plan.players}
    if "strategy" not in one.asked["options"][0]:
        yield (
            f"Played by {', '.join(sorted(who))}; other players may answer otherwise: the same "
            "with --strategy NAME."
        )


def sweep_screen(one: Sweep) -> str:
    """Return the screen of a sweep."""
    lines = [*title(one.contest), *_setup(one), ""]
    if not one.rows:
        why = "no game was finished" if one.completed else "not one chunk was played"
        lines += [f"No data: {why}.", *_capped(one), ""]
    else:
        lines += [*_table(one), *_capped(one), ""]
        for text in findings(one):
            lines += wrapped("", text.split(" "), " ")
        lines += ["", *_at_table(one), *_targets(one)]
    for text in played_by(one):
        lines += wrapped("", text.split(" "), " ")
    lines += foot(one, "my-sweep", ", or as a table with --table my-sweep.csv")
    return "\n".join(line.rstrip() for line in lines) + "\n"
