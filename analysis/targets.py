"""Which cell of a sweep comes nearest to what a designer wants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..sim.contest import Contest
from ..sim.errors import RequestError, did_you_mean
from ..sim.numbers import real_number
from .effects import MEAN_MATTERS, RATE_MATTERS
from .figures import known_figures
from .summary import Summary

OF_RUNS: Mapping[str, tuple[str, Callable[[Summary], float | None]]] = {
    "unfairness": (
        "largest less smallest share of wins of a seat",
        lambda run: _spread([seat.win_rate for seat in run.seats]),
    ),
    "decisiveness": (
        "games that somebody won alone, of all games",
        lambda run: sum(seat.wins for seat in run.seats) / run.completed if run.completed else None,
    ),
}
"""Targets besides figures: what they are, and how a cell's run answers."""


def _spread(shares: Sequence[float | None]) -> float | None:
    known = [share for share in shares if share is not None]
    return max(known) - min(known) if known else None


@dataclass(frozen=True)
class Near:
    """How near a cell comes to the targets."""

    cell: int
    values: tuple[float, ...]
    """By target."""
    off: tuple[float, ...]
    """By target the distance, in units of what matters."""
    on_frontier: bool
    """Whether no other cell is nearer to one target and as near to all others."""

    @property
    def distance(self) -> float:
        """Sum of all distances."""
        return sum(self.off)


def read_targets(given: Any, contest: Contest, said: str = "--target") -> dict[str, float]:
    """Read what is wanted: ``turns=100``, ``unfairness=0``.

    Raises
    ------
    RequestError
        When there is no such figure, or no such number.
    """
    if given is None:
        return {}
    pairs = (
        given.items()
        if isinstance(given, Mapping)
        else [str(one).partition("=")[::2] for one in given]
    )
    known = (*known_figures(contest), *OF_RUNS)
    found: dict[str, float] = {}
    for word, value in pairs:
        name = str(word).strip().replace("-", "_")
        if name not in known:
            near = did_you_mean(name, known)
            hint = f"Did you mean {near}? " if near else ""
            raise RequestError(
                f"{said} {word}: no such figure.\n  {hint}There are: {', '.join(known)}."
            )
        number = real_number(value, said, -1e300, 1e300, said=f"{said} {word}={value}")
        if found.get(name, number) != number:
            raise RequestError(f"{said} {word}={value}: {name} already got {found[name]:g}.")
        found[name] = number
    return found


def nearest(
    targets: Mapping[str, float],
    cells: Sequence[Summary],
    values: Callable[[int, str], float | None],
    is_rate: Callable[[str], bool],
    matters: Mapping[str, float],
) -> tuple[Near, ...]:
    """Return the cells by their distance to the targets, the nearest first.

    Parameters
    ----------
    targets : mapping of str to float
    cells : sequence of Summary
    values : callable
        From a cell's number and a figure's name to its value.
    is_rate : callable
        Whether a figure is a rate, whose units are shares of 1.
    matters : mapping of str to float
        By figure the least difference that matters; '' for all rates.
    """
    found: list[tuple[int, tuple[float, ...], tuple[float, ...]]] = []
    for cell, run in enumerate(cells):
        seen, off = [], []
        for name, wanted in targets.items():
            value = OF_RUNS[name][1](run) if name in OF_RUNS else values(cell, name)
            if value is None:
                break
            unit = matters.get(name)
            if unit is None:
                rate = name in OF_RUNS or is_rate(name)
                unit = matters.get("", RATE_MATTERS)
                if not rate:  # a part of the base cell, as everywhere
                    unit = MEAN_MATTERS * abs(values(0, name) or wanted)
            seen.append(value)
            off.append(abs(value - wanted) / (unit or 1.0))
        if len(seen) == len(targets):
            found.append((cell, tuple(seen), tuple(off)))

    def beaten(mine: tuple[float, ...]) -> bool:
        return any(
            all(a <= b for a, b in zip(off, mine, strict=True)) and off != mine
            for _, _, off in found
        )

    nears = [Near(cell, seen, off, not beaten(off)) for cell, seen, off in found]
    return tuple(sorted(nears, key=lambda one: (one.distance, one.cell)))
