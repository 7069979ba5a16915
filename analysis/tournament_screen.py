"""What a person sees of a tournament: ratings, who beats whom, and what ratings can't tell."""

from __future__ import annotations

from collections.abc import Iterator

from .compare_screen import title
from .ending import foot
from .screen import STOPPED, WIDTH, percent, wrapped
from .tournament_sums import Tournament

NAME_WIDTH = 13
SHOWN_PAIRS = 6
SURPRISE = 0.02
"""A share that differs by so much from what ratings predict is told, if it is beyond chance."""


def _setup(one: Tournament) -> Iterator[str]:
    contest = one.contest
    unit, tables = contest.unit, len(contest.tables)
    of = f" of {one.n:,}" if one.completed != one.n else ""
    start = f", from index {one.first}" if one.first else ""
    sittings = len({sitting for sitting, _ in contest.places})
    fields = len({frozenset(sitting) for sitting, _ in contest.places})
    at = f"{fields} field{'s' if fields != 1 else ''}"
    if sittings != fields:
        at += " in all shares of the seats"
    text = (
        f"{len(contest.arms)} strategies, {at}, {one.completed:,}{of} "
        f"{unit.word(one.completed)}{start}, seed {contest.seed}: each in all {tables} seatings "
        f"= {one.games:,} games"
    )
    yield from wrapped("", text.split(" "), " ")
    if one.status == "partial":
        yield f"Partial: {STOPPED.get(one.stop_reason, one.stop_reason)}."


def _short(name: str) -> str:
    """Return a name that fits its column; of a long one the end, where parameters are."""
    return name if len(name) <= NAME_WIDTH else ".." + name[2 - NAME_WIDTH :]


def _ratings(one: Tournament) -> Iterator[str]:
    contest = one.contest
    labels = {figure.name: figure.label for figure in contest.description.seat_figures}
    shown = [name for name in contest.seat_figures if name != "win"]
    wide = max(9, *(len(_short(entrant.name)) for entrant in one.entrants)) + 4
    heads = "".join(f"{labels[name]:>13}" for name in shown)
    yield f"  {'':<{wide}}{'rating':>7}   {percent(one.level)} interval{'first':>10}{heads}"
    for place, number in enumerate(one.ranking, 1):
        entrant = one.entrants[number]
        ends = "too few to say"
        if entrant.interval:
            ends = f"{entrant.interval.low:+.0f} to {entrant.interval.high:+.0f}"
        line = (
            f"  {place:>2}  {_short(entrant.name):<{wide - 4}}{entrant.rating:>+7.0f}   {ends:<15}"
        )
        line += f"{100 * entrant.figures['win']:>8.1f} %"
        for name in shown:
            value = entrant.figures[name]
            is_last = any(
                figure.last for figure in contest.description.seat_figures if figure.name == name
            )
            line += f"{100 * value:>11.1f} %" if is_last else f"{value:>13.3f}"
        yield line
    for place, number in enumerate(one.ranking, 1):
        name = one.entrants[number].name
        if _short(name) != name:
            yield from wrapped(f"  {place:>2} is ", [name])
    even = 100 / contest.tables[0].plan.rules.players
    text = (
        f"First places of 100 games a seat (even: {even:.3g}). Rated 100 higher: 64 of 100 of the "
        "first places at a shared table."
    )
    yield from wrapped("  ", text.split(" "), " ")


def _matrix(one: Tournament) -> Iterator[str]:
    """Yield who takes how many of 100 first places from whom, as many columns as fit."""
    order = one.ranking
    wide = max(9, *(len(_short(entrant.name)) for entrant in one.entrants)) + 4
    each = 7
    fits = max(1, (WIDTH - 2 - wide) // each)
    for start in range(0, len(order), fits):
        part = order[start : start + fits]
        yield f"  {'against':<{wide}}" + "".join(
            f"{place:>{each - 1}} " for place in range(start + 1, start + len(part) + 1)
        )
        for place, number in enumerate(order, 1):
            cells = []
            for other in part:
                share = one.share(number, other)
                if number == other or share is None:
                    cells.append(f"{'.':>{each - 1}} ")
                else:
                    meeting = one.meeting(number, other)
                    sure = meeting is not None and meeting.p_adjusted < 1 - one.level
                    cells.append(f"{100 * share:>{each - 1}.1f}{'*' if sure else ' '}")
            name = _short(one.entrants[number].name)
            yield f"  {place:>2}  {name:<{wide - 4}}" + "".join(cells)
    yield from wrapped(
        "  ",
        (
            f"Of 100 first places the row's strategy took, or the column's. * beyond chance, all "
            f"{len(one.meetings)} meetings together (Holm, {percent(one.level)})."
        ).split(" "),
        " ",
    )


def findings(one: Tournament) -> Iterator[str]:
    """Yield who is strongest, and what ratings can't tell, in sentences."""
    names = [entrant.name for entrant in one.entrants]
    first = 0 if one.gauntlet else one.ranking[0]
    met = [other for other in one.ranking if one.meeting(first, other)]
    beaten = [names[other] for other in met if one.beats(first, other)]
    beaten_by = [names[other] for other in met if one.beats(other, first)]
    if len(beaten) == len(met):
        whom = "all others" if len(met) > 1 else f"{beaten[0]}"
        yield f"{names[first]} is the strongest: it beats {whom}."
    else:
        said = []
        if beaten:
            said.append(f"beats {', '.join(beaten)}")
        if beaten_by:
            said.append(f"loses to {', '.join(beaten_by)}")
        rated = "" if one.gauntlet else " is rated highest; it"
        yield f"{names[first]}{rated} {' and '.join(said) or 'beats nobody beyond chance yet'}."
    for cycle in one.cycles:
        chain = " beats ".join(names[number] for number in (*cycle, cycle[0]))
        yield f"A cycle, which no rating can show: {chain}."
    odd = []
    for found in one.meetings:
        interval = found.difference.interval
        expected = 2 * found.expected - 1
        gap = found.share - found.expected
        if abs(gap) > SURPRISE and not interval.low <= expected <= interval.high:
            odd.append((abs(gap), found))
    for _, found in sorted(odd, key=lambda one: -one[0])[:3]:
        yield (
            f"Not as rated: {names[found.one]} against {names[found.other]} takes "
            f"{100 * found.share:.1f} of 100, by their ratings {100 * found.expected:.1f}."
        )
    unsure = [found for found in one.meetings if found.p_adjusted >= 1 - one.level]
    if len(unsure) > SHOWN_PAIRS:
        yield f"Can't tell apart yet: {len(unsure)} of {len(one.meetings)} pairs."
    elif unsure:
        pairs = ", ".join(f"{names[found.one]} and {names[found.other]}" for found in unsure)
        yield f"Can't tell apart yet: {pairs}."


def _method(one: Tournament) -> Iterator[str]:
    text = (
        "Ratings: Plackett-Luce, maximum likelihood from first places; intervals by "
        f"{one.contest.unit.one}."
    )
    yield from wrapped("", text.split(" "), " ")
    if one.capped:
        yield f"Capped: {one.capped:,} games, nobody's first places."


def tournament_screen(one: Tournament) -> str:
    """Return the screen of a tournament."""
    lines = [*title(one.contest), *_setup(one), ""]
    if not one.entrants:
        lines += ["No data: no game was won.", ""]
    else:
        for text in findings(one):
            lines += wrapped("", text.split(" "), " ")
        lines += ["", *_ratings(one), "", *_matrix(one), ""]
    lines += _method(one)
    lines += foot(one, "my-tournament", "; a picture: --plot my-tournament.svg")
    return "\n".join(line.rstrip() for line in lines) + "\n"
