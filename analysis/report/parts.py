"""What pages of every kind are made of: numbers in words, charts of intervals, the setup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ...sim.contest import Contest
from ...sim.manifest import Manifest
from ...sim.options import as_dict, options, show
from ...sim.plan import Plan
from ..intervals import Interval
from ..screen import STOPPED, percent
from ..summary import decimals, signed
from ..verdict import MATTERS, TOO_SMALL, UNKNOWN
from .page import (
    COUNT,
    INTERVALS,
    TEXT,
    Block,
    Cell,
    Chart,
    Column,
    Command,
    Line,
    Page,
    Section,
    Table,
    Text,
)

if TYPE_CHECKING:
    from ..comparison import Comparison
    from ..sanity import Sanity
    from ..summary import Summary
    from ..sweep_sums import Sweep
    from ..tournament_sums import Tournament

    Outcome: TypeAlias = Summary | Comparison | Sweep | Tournament

VERDICTS = {MATTERS: "matters", TOO_SMALL: "too small to matter", UNKNOWN: "can't tell yet"}
"""Verdicts as tables write them."""


def scale_of(unit: str) -> float:
    """Return what a figure is multiplied by when it is shown: shares are told of 100."""
    return 100.0 if unit == "of 100" else 1.0


def places_of(interval: Interval | None, scale: float = 1.0) -> int:
    """Return how many decimals a figure with this interval is worth."""
    return decimals(scale * interval.half_width) if interval else 2


def number(value: float, places: int, *, with_sign: bool = False) -> str:
    """Return a number in words: no minus in front of nothing."""
    text = signed(value, places)
    return text if with_sign else text.removeprefix("+")


def between(interval: Interval | None, scale: float = 1.0, places: int | None = None) -> str:
    """Return '50.53 to 50.72'."""
    if interval is None:
        return "no interval"
    shown = places_of(interval, scale) if places is None else places
    return f"{number(scale * interval.low, shown)} to {number(scale * interval.high, shown)}"


def listed(words: Sequence[str]) -> str:
    """Return 'a, b and c'."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def of_words(unit: str) -> str:
    """Return ' of 100' for shares, which stand behind their numbers, else ''."""
    return " of 100" if unit == "of 100" else ""


def axis_words(label: str, unit: str) -> str:
    """Return what an axis is labelled with: 'seat 0 wins, of 100'."""
    return f"{label}, of 100" if unit == "of 100" else label


def ends(
    level: float, places: int | None = None, missing: str = "no data"
) -> tuple[Column, Column]:
    """Return the columns of an interval's ends."""
    return (
        Column("low", f"{percent(level)} from", places=places, missing=missing),
        Column("high", "to", places=places, missing=missing),
    )


NO_DIFFERENCE = (Line(0, "no difference"),)


def range_words(label: str, values: Mapping[str, float], places: int) -> str:
    """Return 'Turns a deal, as seen: from 53.8 (on) to 58.5 (off)', or that it is the same in all.

    Parameters
    ----------
    label : str
    values : mapping of str to float
        By name, as they are shown.
    places : int
        Decimals.
    """
    low, high = (pick(values, key=values.__getitem__) for pick in (min, max))
    shown = [number(values[name], places) for name in (low, high)]
    if len(values) == 1:
        return f"{upper(label)}, as seen: {shown[0]} ({low}); too little is known of the others."
    if shown[0] == shown[1]:
        return f"{upper(label)}, as seen: {shown[0]} in all {len(values)}."
    return f"{upper(label)}, as seen: from {shown[0]} ({low}) to {shown[1]} ({high})."


def upper(text: str) -> str:
    """Return a sentence with a capital letter, the rest as it is."""
    return text[:1].upper() + text[1:]


@dataclass(frozen=True)
class Estimate:
    """A figure that is shown with an interval."""

    label: str
    value: float
    interval: Interval | None
    unit: str = "of 100"
    note: str = ""
    group: str = ""


def estimates(
    caption: str, found: Iterable[Estimate], what: str, level: float, *, note: str = "",
    notes: str = "",
) -> Table:  # fmt: skip
    """Return a table of figures with intervals.

    Parameters
    ----------
    caption : str
    found : iterable of Estimate
    what : str
        Heading of the labels.
    level : float
    note : str
        Below the table.
    notes : str
        Heading of the notes of figures; '' leaves them out.
    """
    rows: list[tuple[Cell, ...]] = []
    places = []
    found = list(found)
    grouped = any(one.group for one in found)
    for one in found:
        scale, interval = scale_of(one.unit), one.interval
        rows.append(
            (
                one.label,
                *([one.group] if grouped else []),
                scale * one.value,
                None if interval is None else scale * interval.low,
                None if interval is None else scale * interval.high,
                one.unit,
                *([one.note] if notes else []),
            )
        )
        places.append(places_of(interval, scale))
    return Table(
        caption,
        (
            Column("label", what, form=TEXT),
            *([Column("group", "series", form=TEXT)] if grouped else []),
            Column("value", "estimate"),
            *ends(level),
            Column("unit", "unit", form=TEXT),
            *([Column("note", notes, form=TEXT)] if notes else []),
        ),
        tuple(rows),
        tuple(places),
        note,
    )


def forest(
    name: str,
    title: str,
    says: str,
    table: Table,
    axis: str,
    *,
    lines: tuple[Line, ...] = (),
) -> Chart:
    """Return a chart of a table of `estimates`: a point and its interval on each line."""
    return Chart(
        INTERVALS,
        name,
        title,
        says,
        table,
        "value",
        "label",
        axis,
        "",
        "low",
        "high",
        lines=lines,
    )


def rules_table(
    plans: Sequence[Plan], names: Sequence[str], shown: Sequence[str] = ()
) -> Iterator[Block]:
    """Yield every option of the rules: what all tables have in common, and what they differ in.

    Parameters
    ----------
    plans : sequence of Plan
    names : sequence of str
        Of their tables.
    shown : sequence of str
        Options whose values were shown already.
    """
    plan = plans[0]
    defaults = as_dict(plan.description.rules().resolved())
    values = [as_dict(one.rules) for one in plans]
    known = list(options(plan.description.rules))
    same = [one for one in known if all(of[one.name] == values[0][one.name] for of in values)]
    yield Table(
        "The rules, as the engine understood them" + (" (all tables)" if len(plans) > 1 else ""),
        (
            Column("option", "option", form=TEXT),
            Column("value", "value", form=TEXT),
            Column("default", "default", form=TEXT),
            Column("help", "what it decides", form=TEXT),
        ),
        tuple(
            (
                one.name,
                show(values[0][one.name]),
                "" if values[0][one.name] == defaults[one.name] else show(defaults[one.name]),
                one.help,
            )
            for one in same
        ),
        note="A default stands where the value differs from it.",
    )
    other = [one for one in known if one not in same and one.name not in shown]
    if other:
        yield Table(
            "Rules that differ",
            (
                Column("table", "table", form=TEXT),
                *(Column(one.name, one.name, form=TEXT) for one in other),
            ),
            tuple(
                (name, *(show(of[one.name]) for one in other))
                for name, of in zip(names, values, strict=True)
            ),
        )


def who_plays(plan: Plan) -> Table:
    """Return who sits where."""
    game = plan.description
    return Table(
        "Who plays",
        (
            Column("seat", "seat", form=COUNT),
            Column("strategy", "strategy", form=TEXT),
            Column("note", "", form=TEXT),
        ),
        tuple(
            (seat, player.text, game.seat_note(plan.rules, seat))
            for seat, player in enumerate(plan.players)
        ),
    )


def _setup(manifest: Manifest, one: Outcome, design: Iterable[Block]) -> Iterator[Block]:
    """Yield how it was made, and the command that makes it again."""
    plan = manifest.plan
    game = plan.description
    done = one.completed
    span = f"indices {one.first} to {one.first + done - 1}" if done else "no index finished"
    yield Text(
        f"{done:,} {plan.unit.word(done)} of {game.name} ({game.title}), seed {plan.seed}, {span}. "
        f"Rules version {game.rules_version}, engine {game.engine}."
    )
    if one.status == "partial":
        yield Text(partial(one.stop_reason, done, one.n, plan))
    yield Command("The same games again:", one.command)
    yield from design
    if plan.bots:
        yield Table(
            "Strategies that users have written",
            (
                Column("strategy", "strategy", form=TEXT),
                Column("digest", "SHA-256 of its source", form=TEXT),
            ),
            tuple((bot.path or "given in Python", bot.digest) for bot in plan.bots),
        )
    made_by = ", ".join(f"{name} {value}" for name, value in manifest.made_by.items())
    yield Text(f"Made by {made_by}.")


def make_page(
    manifest: Manifest,
    one: Outcome,
    kind: str,
    title: str,
    subtitle: str,
    answer: Iterable[str],
    design: Iterable[Block],
    sanity: Sanity,
    parts: Iterable[tuple[str, str, Iterable[Block]]],
) -> Page:
    """Return a page: its answer, its setup, and its parts as far as there is something in them.

    Parameters
    ----------
    manifest : Manifest
    one : Summary, Comparison, Sweep or Tournament
        What came out.
    kind, title, subtitle : str
    answer : iterable of str
    design : iterable of blocks
        What the setup says beside what is said of everything.
    sanity : Sanity
    parts : iterable of (name, title, blocks)
    """
    sections = [
        Section(name, heading, tuple(blocks))
        for name, heading, blocks in (
            ("setup", "Setup", _setup(manifest, one, design)),
            *parts,
        )
    ]
    return Page(
        title=title,
        subtitle=subtitle,
        kind=kind,
        answer=tuple(answer),
        sections=tuple(section for section in sections if section.blocks),
        command=one.command,
        made_by=f"simcards {manifest.made_by['simcards']}",
        result=one.to_json(),
        sanity=sanity.to_json(),
    )


def partial(reason: str, completed: int, n: int, plan: Plan | Contest) -> str:
    """Return that something is partial, and why."""
    why = STOPPED.get(reason, reason)
    return f"Partial: {completed:,} of {n:,} {plan.unit.many} were played; {why}."
