"""How a game goes: who leads when, how early the winner led, how much there is to decide."""

from __future__ import annotations

from collections.abc import Iterator

from ...sim.counts import SHARE
from ...sim.game import Unit
from ...sim.plan import Plan
from ..at_table import LEAST_LED, STEPS, AtTable
from ..intervals import wilson
from ..screen import percent, sure_words
from .page import COUNT, LINES, Block, Chart, Column, Line, Table, Text
from .parts import (
    Estimate,
    between,
    ends,
    estimates,
    places_of,
)

OF_SEVERAL = ("wait", "lead_changes", "half_leader", "comebacks")
"""Figures that one player alone has nothing of."""


def flow_blocks(plan: Plan, found: AtTable, level: float) -> Iterator[Block]:
    """Yield what is known of the course of a game, from games that were told again.

    Parameters
    ----------
    plan : Plan
    found : AtTable
    level : float
        Of the intervals.
    """
    yield Text(told_words(found.n, plan.unit, found.seconds_per_turn, plan.description.leads))
    alone = plan.rules.players == 1
    shown = [one for one in found.figures if not (alone and one.figure.name in OF_SEVERAL)]
    if not shown:
        yield Text(f"No data: none of these {plan.unit.many} was finished.")
        return
    yield estimates(
        "At the table",
        [
            Estimate(one.label, one.value, one.interval, one.figure.unit, one.figure.meaning)
            for one in shown
        ],
        "figure",
        level,
        notes="what it is",
    )
    if not alone:
        yield from _leader(plan, found, level)
        yield from _ahead(plan, found, level)


def told_words(n: int, unit: Unit, seconds: float, leads: str, of: str = "") -> str:
    """Return which games were told again, and what is meant by time and by leading."""
    first = f"The first {n:,} {unit.many}{of} were" if n > 1 else f"The first {unit.one}{of} was"
    return (
        f"{first} played once more, turn by turn; a turn is taken for {seconds:g} seconds. Leading "
        f"is: {leads}."
    )


def _leader(plan: Plan, found: AtTable, level: float) -> Iterator[Block]:
    """Yield how often who leads wins, by how much of the game is over."""
    told = found.told
    rows = []
    for step, (led, led60) in enumerate(zip(told.led, told.led60, strict=True), 1):
        if led < LEAST_LED:
            continue
        interval = wilson(led60, led, level, scale=SHARE)
        assert interval is not None  # somebody led
        rows.append(
            (
                100 * step // STEPS,
                led,
                100 * led60 / (led * SHARE),
                100 * interval.low,
                100 * interval.high,
            )
        )
    if not rows:
        return
    half = next((row for row in rows if row[0] == 50), None)
    says = sure_words(found.sure_from)
    if half:
        says = f"Who leads alone after half of the turns wins {half[2]:.0f} of 100. {says}"
    yield Chart(
        LINES,
        "leader",
        "How often who leads wins",
        says,
        Table(
            "Games with a sole leader, and what leaders win",
            (
                Column("part", "turns over", "of 100", COUNT),
                Column("led", "games with a sole leader", form=COUNT),
                Column("wins", "the leader wins", "of 100", places=1),
                *ends(level, 1),
            ),
            tuple(rows),
            note=f"Rows with fewer than {LEAST_LED} games are left out. {percent(level)} Wilson "
            "intervals, each by itself.",
        ),
        "part",
        "wins",
        "share of the turns that are over, of 100",
        "games the leader wins, of 100",
        "low",
        "high",
        lines=(Line(100 / plan.rules.players, "one seat's even share"),),
    )


def _ahead(plan: Plan, found: AtTable, level: float) -> Iterator[Block]:
    """Yield how early the winner led for good."""
    told = found.told
    games = sum(told.ahead)
    if games < LEAST_LED:
        return
    rows = []
    so_far = 0
    for step in range(1, STEPS + 1):
        so_far += told.ahead[step - 1]
        interval = wilson(so_far, games, level)
        assert interval is not None  # there are games
        rows.append(
            (100 * step // STEPS, 100 * so_far / games, 100 * interval.low, 100 * interval.high)
        )
    half = next((row for row in rows if row[1] >= 50), None)
    says = (
        f"In half of the games the winner leads alone for good once {half[0]} % of the turns are "
        "over, or earlier."
        if half
        else "In most games the winner doesn't lead alone for good before the very end."
    )
    yield Chart(
        LINES,
        "ahead",
        "How early the winner leads for good",
        says,
        Table(
            f"Of {games:,} games that one seat won: in how many the winner led alone from then on",
            (
                Column("part", "turns over", "of 100", COUNT),
                Column("ahead", "winner leads for good", "of 100", places=1),
                *ends(level, 1),
            ),
            tuple(rows),
            note=f"Looked at after each twentieth of the turns. {percent(level)} Wilson intervals.",
        ),
        "part",
        "ahead",
        "share of the turns that are over, of 100",
        "games whose winner leads for good, of 100",
        "low",
        "high",
    )


def luck_words(found: AtTable) -> str:
    """Return how much there is to decide, the most that skill can be about."""
    choices = next((one for one in found.figures if one.figure.name == "choices"), None)
    if choices is None:
        return "No decision was counted."
    places = places_of(choices.interval, 100)
    return (
        f"{100 * choices.value:.{places}f} of 100 decisions are real choices "
        f"({between(choices.interval, 100)}); in the others there is one legal answer."
    )
