"""Figures by name: which ones are compared, what they are in a run, which differences matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..sim.contest import Contest
from ..sim.counts import Counts
from ..sim.errors import RequestError, did_you_mean
from ..sim.game import Mean, MeanScore, Rate
from ..sim.numbers import real_number
from ..sim.plan import Plan
from .intervals import Interval
from .summary import length, number_text, rate


def known_figures(contest: Contest) -> tuple[str, ...]:
    """Return the names of the figures that a contest compares."""
    if contest.by_table:
        return tuple(name for name, _ in contest.figures)
    return contest.seat_figures


def main_figures(contest: Contest) -> tuple[str, ...]:
    """Return the names of those that a game's own screen answers, without each seat's share."""
    asked = {figure for headline in contest.description.headlines for figure in headline.figures}
    return tuple(
        name for name, figure in contest.figures if isinstance(figure, Mean) or figure in asked
    )


def read_figures(given: Any, contest: Contest) -> tuple[str, ...]:
    """Read which figures of tables are to be compared.

    Raises
    ------
    RequestError
        When there is no such figure.
    """
    if given is None:
        return main_figures(contest)
    words = given.split(",") if isinstance(given, str) else [str(one) for one in given]
    names = tuple(dict.fromkeys(word.strip().replace("-", "_") for word in words if word.strip()))
    for name in names:
        _check(name, "--figures", contest)
    if not names:
        raise RequestError(f"--figures: name some of {', '.join(known_figures(contest))}.")
    return names


def _check(name: str, said: str, contest: Contest) -> None:
    known = known_figures(contest)
    if name not in known:
        near = did_you_mean(name, known)
        hint = f"Did you mean {near}? " if near else ""
        raise RequestError(
            f"{said} {name}: no such figure is compared.\n  {hint}There are: {', '.join(known)}."
        )


def read_matters(given: Any, contest: Contest, said: str = "--matters") -> dict[str, float]:
    """Read the least differences that matter: a number for all rates, NAME=H for a figure.

    Raises
    ------
    RequestError
        When there is no such figure, or no such number, or two for the same.
    """
    if given is None:
        return {}
    pairs: list[tuple[str, Any]] = []
    if isinstance(given, Mapping):  # the name '' is for all rates, as it is returned
        pairs = [(str(name), value) for name, value in given.items()]
    else:
        alone = isinstance(given, str) or not isinstance(given, Iterable)
        for word in [given] if alone else given:
            name, equals, value = str(word).partition("=")
            if equals and not name.strip():
                raise RequestError(
                    f"{said} {word}: name a figure, such as {known_figures(contest)[0]}=0.01, or "
                    "write the number alone: it is for all shares and rates."
                )
            pairs.append((name.strip().replace("-", "_"), value) if equals else ("", word))
    found: dict[str, float] = {}
    for name, value in pairs:
        if name:
            _check(name, said, contest)
        most = 1.0 if not name or name == "win" else float("inf")
        typed = f"{said} {name}={value}" if name else f"{said} {value}"
        number = real_number(value, said, 0, most, typed)
        if found.setdefault(name, number) != number:
            whose = name or "all shares and rates"
            raise RequestError(f"{typed}: for {whose} {number_text(found[name])} was given before.")
    return found


def estimate_of(
    plan: Plan, counts: Counts, figure: Rate | Mean | MeanScore, level: float
) -> tuple[float, Interval | None] | None:
    """Return a figure of a run and its interval, as the run itself shows them; None: no data."""
    if isinstance(figure, Rate):
        return rate(plan, counts, figure, level)
    one = length(
        counts.lengths.get(figure.length, {})
        if isinstance(figure, Mean)
        else counts.scores[figure.score][figure.seat],
        level,
    )
    return None if one is None else (one.mean, one.interval)
