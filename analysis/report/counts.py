"""Everything that a game counts, and the tables it keeps."""

from __future__ import annotations

from collections.abc import Iterator

from ...sim.game import Tally
from ..intervals import Interval, wilson
from ..summary import Summary
from .draw import MOST_SERIES
from .page import (
    COUNT,
    HEAT,
    LINES,
    TEXT,
    Block,
    Cell,
    Chart,
    Column,
    Table,
)
from .parts import (
    between,
    ends,
    places_of,
    upper,
)

LEAST_TALLIED = 30
"""Counts below which a rate of a game's own tables isn't shown."""


def count_blocks(summary: Summary) -> Iterator[Block]:
    """Yield everything the game counts, by seat where it does, and its tables."""
    plan = summary.plan
    game = plan.description
    found: list[tuple[Cell, ...]] = []
    for count in game.counts:
        whole = summary.denominators[count.name]
        value = summary.events.get(count.name)
        if value is None or not whole:
            continue
        values = (
            {"": value}
            if isinstance(value, int)
            else {f", seat {seat}": one for seat, one in enumerate(value)}
        )
        for where, total in values.items():
            per = {"games": "finished " + plan.unit.one}.get(count.per, count.per)
            found.append(
                (
                    f"{count.label or count.name.replace('_', ' ')}{where}",
                    total / count.scale,
                    whole,
                    total / (whole * count.scale),
                    per.replace("_", " "),
                    count.help,
                )
            )
    if found:
        yield Table(
            "Everything that is counted",
            (
                Column("count", "what", form=TEXT),
                Column("number", "number", places=0),
                Column("whole", "denominator", form=COUNT),
                Column("ratio", "ratio", places=5),
                Column("per", "per", form=TEXT),
                Column("help", "what it is", form=TEXT),
            ),
            tuple(found),
        )
    rows: list[tuple[Cell, ...]] = []
    places: list[int] = []
    for name in game.scores:
        for seat in summary.seats:
            score = seat.scores.get(name)
            if score is None:
                continue
            interval = score.interval
            rows.append(
                (
                    name.replace("_", " "),
                    f"seat {seat.seat}",
                    seat.strategy,
                    score.mean,
                    interval.low if interval else None,
                    interval.high if interval else None,
                    score.sd,
                )
            )
            places.append(max(2, places_of(interval)))
    if rows:
        yield Table(
            "Scores by seat",
            (
                Column("score", "score", form=TEXT),
                Column("seat", "seat", form=TEXT),
                Column("strategy", "played by", form=TEXT),
                Column("mean", "mean"),
                *ends(summary.level),
                Column("sd", "standard deviation"),
            ),
            tuple(rows),
            tuple(places),
        )
    yield from tally_blocks(summary)


def tally_blocks(summary: Summary) -> Iterator[Block]:
    """Yield the tables that a game keeps."""
    for tally in summary.plan.description.tallies:
        one = summary.tallies.get(tally.name)
        if one:
            yield from _tally(tally, one, summary)


def _tally(
    tally: Tally, counted: dict[tuple[int, ...], tuple[int, ...]], summary: Summary
) -> Iterator[Block]:
    """Yield a table of counts by keys: its second count is a part of its first."""
    words = [key.replace("_", " ") for key in tally.keys]
    names = [count.replace("_", " ") for count in tally.counts]
    by = len(tally.keys) > 1
    found = []
    for key, (whole, part, *_) in sorted(counted.items()):
        interval = wilson(part, whole, summary.level)
        if interval is not None and whole >= LEAST_TALLIED:
            found.append((key, whole, part, interval))
    if not found:
        return
    rate = f"{names[1]} of 100 {names[0]}"

    def cell(j: int, value: int) -> Cell:
        # What tells curves apart is named in full.
        return f"{words[j]} {value}" if by and j == 0 else value

    table = Table(
        upper(tally.help),
        (
            *(
                Column(key, word, form=TEXT if by and j == 0 else COUNT)
                for j, (key, word) in enumerate(zip(tally.keys, words, strict=True))
            ),
            *(
                Column(count, word, form=COUNT)
                for count, word in zip(tally.counts, names, strict=True)
            ),
            Column("rate", rate, places=1),
            *ends(summary.level, 1),
        ),
        tuple(
            (
                *(cell(j, value) for j, value in enumerate(key)),
                whole,
                part,
                100 * part / whole,
                100 * interval.low,
                100 * interval.high,
            )
            for key, whole, part, interval in found
        ),
        note=f"Each interval by itself. Rows with fewer than {LEAST_TALLIED} {names[0]} are left "
        "out.",
    )

    def where(one: tuple[tuple[int, ...], int, int, Interval]) -> str:
        key, whole, part, interval = one
        place = ", ".join(f"{word} {value}" for word, value in zip(words, key, strict=True))
        return f"{100 * part / whole:.1f} ({place}; {between(interval, 100)})"

    lowest, highest = (
        pick(found, key=lambda one: one[2] / one[1] if one[1] else 0.0) for pick in (min, max)
    )
    says = f"{upper(rate)}, as seen: from {where(lowest)} to {where(highest)}."
    name = f"tally-{tally.name.replace('_', '-')}"
    title = upper(tally.name.replace("_", " "))
    if by and len({key[0] for key, *_ in found}) > MOST_SERIES:
        yield Chart(
            HEAT, name, title, says, table, tally.keys[1], tally.keys[0], words[1], "",
            by="rate",
        )  # fmt: skip
    else:
        yield Chart(
            LINES, name, title, says, table, tally.keys[-1], "rate", words[-1], rate, "low", "high",
            tally.keys[0] if by else "",
        )  # fmt: skip
