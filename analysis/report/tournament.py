"""The report of a tournament."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...sim.counts import SHARE
from ...sim.manifest import Manifest
from ..compare_sums import anytime
from ..effects import Weights
from ..multiple import bonferroni_level
from ..sanity import Sanity
from ..screen import percent
from ..tournament_screen import findings
from ..tournament_sums import Tournament
from .at_tables import Course, course_blocks, looked_at
from .convergence import Point, funnel_blocks, history
from .page import (
    CHANCE,
    HEAT,
    INTERVALS,
    TEXT,
    Block,
    Cell,
    Chart,
    Column,
    Line,
    Page,
    Table,
    Text,
)
from .parts import (
    between,
    ends,
    make_page,
    partial,
    rules_table,
)
from .sanity import sanity_blocks


def tournament_page(
    folder: Path, manifest: Manifest, one: Tournament, course: Course, sanity: Sanity
) -> Page:
    """Return the report of a tournament.

    Parameters
    ----------
    folder : Path
        In which it is saved.
    manifest : Manifest
    one : Tournament
    course : Course
        What telling the first games of its first table again came to.
    sanity : Sanity
        Of the same games.
    """
    contest = one.contest
    game = contest.description
    return make_page(
        manifest,
        one,
        "tournament",
        f"{game.name}: {len(contest.arms)} strategies",
        f"{game.title}, {one.completed:,} {contest.unit.word(one.completed)}, {one.games:,} games",
        _answer(one),
        _design(one),
        sanity,
        (
            ("strategies", "Strategies", strategy_blocks(one)),
            ("meetings", "Who beats whom", meeting_blocks(one)),
            ("flow", "Flow", course_blocks(contest, course, one.level)),
            ("convergence", "Convergence", convergence_blocks(folder, manifest, one)),
            ("sanity", "Sanity", sanity_blocks(sanity, looked_at(contest))),
        ),
    )


def _answer(one: Tournament) -> Iterator[str]:
    if one.status == "partial":
        yield partial(one.stop_reason, one.completed, one.n, one.contest)
    if not one.entrants:
        yield "No data: no game was won."
        return
    yield from findings(one)
    best = one.entrants[one.ranking[0]]
    if best.interval:
        yield (
            f"{best.name} is rated {best.rating:+.0f} ({between(best.interval, places=0)}), and "
            f"takes {100 * best.figures['win']:.1f} of 100 first places a seat, where an even "
            f"share is {100 / one.contest.tables[0].plan.rules.players:.3g}."
        )


def _design(one: Tournament) -> Iterator[Block]:
    contest = one.contest
    yield Text(
        f"{len(contest.arms)} strategies; each of {one.completed:,} "
        f"{contest.unit.word(one.completed)} was played in all {len(contest.tables)} seatings, "
        f"{one.games:,} games. One {contest.unit.one} with all its seatings is one observation."
        + (
            f" {one.capped:,} games were capped and are nobody's first places."
            if one.capped
            else ""
        )
    )
    yield from rules_table(contest.plans[:1], [""])


def rating_chart(one: Tournament) -> Chart:
    """Return the ratings with their intervals, the highest first."""
    labels = {figure.name: figure.label for figure in one.contest.description.seat_figures}
    lasts = {figure.name for figure in one.contest.description.seat_figures if figure.last}
    figures = [name for name in one.contest.seat_figures if name != "win"]
    rows: list[tuple[Cell, ...]] = []
    for number in one.ranking:
        entrant = one.entrants[number]
        rows.append(
            (
                entrant.name,
                entrant.rating,
                entrant.interval.low if entrant.interval else None,
                entrant.interval.high if entrant.interval else None,
                100 * entrant.figures["win"],
                *((100 if name in lasts else 1) * entrant.figures[name] for name in figures),
            )
        )
    first, last = rows[0], rows[-1]
    return Chart(
        INTERVALS,
        "ratings",
        "Ratings",
        f"From {first[0]} ({first[1]:+.0f}) to {last[0]} ({last[1]:+.0f}).",
        Table(
            "Ratings",
            (
                Column("strategy", "strategy", form=TEXT),
                Column("rating", "rating", places=0),
                *ends(one.level, 0),
                Column("win", "first places a seat", "of 100", places=1),
                *(
                    Column(
                        name,
                        labels[name],
                        "of 100" if name in lasts else "",
                        places=1 if name in lasts else 3,
                    )
                    for name in figures
                ),
            ),
            tuple(rows),
            note="Plackett-Luce by maximum likelihood from first places, on Elo's scale with mean "
            "0: rated 100 higher means 64 of 100 of the first places at a shared table. Intervals "
            f"by {one.contest.unit.one}, each by itself; none where too little is known.",
        ),
        "rating",
        "strategy",
        "rating",
        "",
        "low",
        "high",
        lines=(Line(0, "mean"),),
    )


def heat_chart(one: Tournament) -> Chart:
    """Return who takes how many of 100 first places from whom, the highest rated first."""
    rows: list[tuple[Cell, ...]] = []
    names = [entrant.name for entrant in one.entrants]
    for mine in one.ranking:
        for other in one.ranking:
            share, meeting = one.share(mine, other), one.meeting(mine, other)
            if mine == other or share is None or meeting is None:
                continue
            expected = meeting.expected if meeting.one == mine else 1 - meeting.expected
            low, high = _ends(meeting.difference.interval.low, meeting.difference.interval.high)
            if meeting.one != mine:
                low, high = 1 - high, 1 - low
            rows.append(
                (
                    names[mine],
                    names[other],
                    100 * share,
                    100 * low,
                    100 * high,
                    100 * expected,
                    meeting.p_adjusted,
                    "yes" if meeting.p_adjusted < 1 - one.level else "no",
                )
            )
    clear = sum(row[-1] == "yes" for row in rows) // 2
    return Chart(
        HEAT,
        "meetings",
        "Who beats whom",
        f"Of 100 first places that the row's or the column's strategy took, so many are the row's. "
        f"{clear} of {len(rows) // 2} meetings are beyond chance (*).",
        Table(
            "Meetings",
            (
                Column("row", "strategy", form=TEXT),
                Column("column", "against", form=TEXT),
                Column("share", "its part of the first places", "of 100", places=1),
                *ends(one.level, 1),
                Column("expected", "as rated", "of 100", places=1),
                Column("p", "p adjusted", form=CHANCE),
                Column("beyond", "beyond chance", form=TEXT),
            ),
            tuple(rows),
            note=f"{percent(one.level)} for all {len(one.meetings)} meetings together; p-values by "
            "Holm's method.",
        ),
        "column",
        "row",
        "against",
        "",
        by="share",
        middle=50.0,
    )


def _ends(low: float, high: float) -> tuple[float, float]:
    """From the interval of both parts' difference to that of the first one's part."""
    return (1 + low) / 2, (1 + high) / 2


def strategy_blocks(one: Tournament) -> Iterator[Block]:
    """Yield the ratings."""
    if one.entrants:
        yield rating_chart(one)


def meeting_blocks(one: Tournament) -> Iterator[Block]:
    """Yield who beats whom, and cycles."""
    if not one.meetings:
        return
    yield heat_chart(one)
    names = [entrant.name for entrant in one.entrants]
    if one.cycles:
        yield Table(
            "Cycles, which no rating can show",
            (Column("cycle", "beats the next, beyond chance", form=TEXT),),
            tuple(
                (" beats ".join(names[number] for number in (*cycle, cycle[0])),)
                for cycle in one.cycles
            ),
        )


def convergence_blocks(folder: Path, manifest: Manifest, one: Tournament) -> Iterator[Block]:
    """Yield how the share of the highest rated strategy settled."""
    if not one.entrants:
        return
    contest = one.contest
    best = one.ranking[0]
    columns = {j: 1 for j, (_, arm) in enumerate(contest.places) if arm == best}
    seats = sum(arm == best for _, _, arm in contest.cells)
    weights = Weights(columns, SHARE * seats)
    picked = len(one.entrants)
    judged = anytime(bonferroni_level(one.level, picked))

    def points() -> Iterator[Point]:
        for games, counts in history(folder, manifest):
            found = judged(weights.sums(counts, counts.moments["win"]), weights.scale, 1.0, True)
            yield games, found.estimate, max(0.0, found.interval.low), found.interval.high

    name = one.entrants[best].name
    yield from funnel_blocks(
        points(),
        f"First places of {name}, a seat",
        f"first places of {name} a seat",
        "of 100",
        contest.unit.many,
        one.level,
        lines=(Line(100 / contest.tables[0].plan.rules.players, "even share"),),
        picked=picked,
    )
