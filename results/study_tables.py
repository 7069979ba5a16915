"""From what a command printed as JSON to a small table: the same columns whatever was played.

A table has a line for each row (a cell of a sweep, an effect, a strategy, a meeting) and figure.
Shares are given of 100. Every number has as many decimals as its interval bears.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from study_parts import StudyError

from simcards.sim.game import Game, Mean, Rate
from simcards.sim.games import find_game
from simcards.sim.options import Rules
from simcards.sim.plan import make_plan

Json = Mapping[str, Any]
Interval = Sequence[float | None] | None
Known = Mapping[tuple[Rules, tuple[str, ...], str], float]
"""Exact values, shares of 1, by rules, strategies and figure."""


@dataclass(frozen=True)
class Line:
    """A line of a table: texts as they are printed, '' where there is nothing to say."""

    row: str
    figure: str
    n: str = ""
    """Deals or matches it rests on."""
    value: str = ""
    low: str = ""
    high: str = ""
    difference: str = ""
    """To the base; of two strategies A less B."""
    difference_low: str = ""
    difference_high: str = ""
    together: str = ""
    """How many intervals of differences hold together."""
    p_adjusted: str = ""
    verdict: str = ""
    """matters, too small, unknown, or base."""
    exact: str = ""
    """The value as it is known without simulating."""


COLUMNS = tuple(field.name for field in fields(Line))


def decimals(half: float) -> int:
    """Return the decimals of a number that is known to plus or minus `half`.

    Two digits of `half` if it begins with 1 or 2, else one; at most four decimals.
    """
    if not half > 0:
        return 2
    power = math.floor(math.log10(half))
    return min(4, max(0, (1 if half / 10**power < 3 else 0) - power))


def rounded(value: float | None, places: int) -> str:
    """Return a number with so many decimals, '' for none, and 0 without a sign."""
    if value is None:
        return ""
    text = f"{value:.{places}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def with_interval(value: float | None, interval: Interval, scale: float) -> tuple[str, str, str]:
    """Return a number and the ends of its interval, with the decimals that this bears."""
    if value is None:
        return "", "", ""
    low, high = interval or (None, None)
    if low is None or high is None:
        return rounded(value * scale, 2), "", ""
    places = decimals((high - low) / 2 * scale)
    return (
        rounded(value * scale, places),
        rounded(low * scale, places),
        rounded(high * scale, places),
    )


def p_text(p_value: float | None) -> str:
    """Return a p-value in two digits."""
    if p_value is None:
        return ""
    return "<1e-9" if p_value < 1e-9 else f"{p_value:.2g}"


def known_values(game: Game) -> Known:
    """Return the exact values among what `simcards verify` checks, by what a sweep calls them."""
    found: dict[tuple[Rules, tuple[str, ...], str], float] = {}
    for fact in game.facts:
        if fact.error or not isinstance(fact.figure, Mean | Rate):
            continue  # simulated elsewhere, or nothing that a sweep compares
        name = fact.figure.length if isinstance(fact.figure, Mean) else fact.figure.count
        if isinstance(fact.figure, Rate) and fact.figure.seat is not None:
            name = f"win_{fact.figure.seat}" if name == "wins" else f"{name}_{fact.figure.seat}"
        plan = make_plan(
            game.name, rules=dict(fact.rules), strategies=fact.strategies or None, seed=0
        )
        found[plan.rules, tuple(player.text for player in plan.players), name] = fact.value
    return found


def _known_of_cells(told: Json) -> dict[tuple[str, str], float]:
    """Return the exact values of a sweep's cells, by cell and figure."""
    game = find_game(told["game"])
    known = known_values(game)
    found: dict[tuple[str, str], float] = {}
    for cell in told["cells"]:
        plan = make_plan(
            game.name,
            preset=cell["preset"],
            rules=cell["rules"],
            strategies=cell["strategies"],
            seed=0,
        )
        played = tuple(player.text for player in plan.players)
        for (rules, strategies, figure), value in known.items():
            if (rules, strategies) == (plan.rules, played):
                found[cell["cell"], figure] = value
    return found


def _sweep_lines(told: Json) -> Iterator[Line]:
    known = _known_of_cells(told)
    for one in told["table"]:
        if one["verdict"] == "no data":
            continue
        scale = 100.0 if one["unit"] == "share" else 1.0
        exact = known.get((one["cell"], one["figure"]))
        yield Line(
            one["cell"],
            one["figure"],
            str(one["n"]),
            *with_interval(one["estimate"], (one["low"], one["high"]), scale),
            *with_interval(
                one["difference"], (one["difference_low"], one["difference_high"]), scale
            ),
            "" if one["difference"] is None else str(one["comparisons"]),
            p_text(one["p_adjusted"]),
            one["verdict"],
            "" if exact is None else f"{exact * scale:.6g}",
        )


def _effect_lines(told: Json) -> Iterator[Line]:
    """Yield what each option does on average, and what two do beyond the sum of both."""
    shares = {one["figure"] for one in told["table"] if one["unit"] == "share"}
    for one in told["effects"]:
        yield Line(
            one["effect"],
            one["figure"],
            str(told["completed"]),
            "",
            "",
            "",
            *with_interval(
                one["difference"], one["interval"], 100.0 if one["figure"] in shares else 1.0
            ),
            str(told["effects_together"]),
            p_text(one["p_adjusted"]),
            one["verdict"],
        )


def _comparison_lines(told: Json) -> Iterator[Line]:
    """Yield A with its difference to B, then B, then what the variance of a seat comes from."""
    n = str(told["completed"])
    for one in told["figures"]:
        scale = 100.0 if one["unit"] == "of 100" else 1.0
        difference = with_interval(one["difference"], one["interval"], scale)
        places = len(difference[0].partition(".")[2])
        yield Line(
            told["a"],
            one["name"],
            n,
            rounded(one["a"] * scale, places),
            "",
            "",
            *difference,
            str(told["intervals_together"]),
            p_text(one["p_adjusted"]),
            one["verdict"],
        )
        yield Line(told["b"], one["name"], n, rounded(one["b"] * scale, places), verdict="base")
    for row in ("deal", "arm", "rest"):  # no interval is known for these: whole percent
        yield Line(row, "variance", n, rounded(told["luck"][row] * 100, 0))


def _tournament_lines(told: Json) -> Iterator[Line]:
    n = str(told["completed"])
    entrants = {one["strategy"]: one for one in told["strategies"]}
    for name in told["ranking"]:
        one = entrants[name]
        yield Line(name, "rating", n, *with_interval(one["rating"], one["interval"], 1.0))
        yield Line(name, "win", n, rounded(one["win"] * 100, 1))
    for one in told["meetings"]:
        yield Line(
            f"{one['a']} against {one['b']}",
            "share",
            n,
            *with_interval(one["share"], one["interval"], 100.0),
            together=str(told["intervals_together"]),
            p_adjusted=p_text(one["p_adjusted"]),
        )


def check_whole(part: str, kind: str, told: Json) -> None:
    """Check that everything was played to its end.

    Raises
    ------
    StudyError
        When it wasn't, or games were capped: these are in no figure, and no text speaks of them.
    """
    capped = {
        "sweep": lambda: sum(cell["capped"] for cell in told["cells"]),
        "comparison": lambda: sum(told["capped"].values()),
        "tournament": lambda: told["capped"],
    }[kind]()
    if capped or told["status"] != "complete":
        raise StudyError(f"part {part}: {told['status']}, {capped} games were capped.")


def tables_of(part: str, told: Json, figures: Sequence[str] = ()) -> dict[str, tuple[Line, ...]]:
    """Return the tables of a part by name: its own, and for a full grid that of the effects.

    Parameters
    ----------
    part : str
        Its name.
    told : mapping
        What its command printed with ``--json``.
    figures : sequence of str
        The ones to keep; all if empty.

    Raises
    ------
    StudyError
        When something is missing, or games were capped.
    """
    kind = told["format"].removeprefix("simcards ")
    check_whole(part, kind, told)
    make = {
        "sweep": _sweep_lines,
        "comparison": _comparison_lines,
        "tournament": _tournament_lines,
    }[kind]
    found = {part: tuple(make(told))}
    if kind == "sweep" and told["effects"]:
        found[f"{part}-effects"] = tuple(_effect_lines(told))
    return {
        name: tuple(line for line in lines if not figures or line.figure in figures)
        for name, lines in found.items()
    }


def to_csv(lines: Sequence[Line]) -> str:
    """Return a table as text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([getattr(line, name) for name in COLUMNS] for line in lines)
    return text.getvalue()


def from_csv(text: str) -> tuple[Line, ...]:
    """Return the table that `to_csv` wrote."""
    return tuple(Line(**row) for row in csv.DictReader(io.StringIO(text)))
