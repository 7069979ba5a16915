"""Saved results of any kind: go on with them, read them again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..sim.chunk import prepare_plan
from ..sim.errors import RequestError
from ..sim.manifest import COMPARISON, RUN, TOURNAMENT_RUN, read_manifest
from ..sim.plan import Plan
from . import compare, results, sweep, tournament
from .at_table import Report


def resume(folder: str | Path, n: int | float | str | None = None, **how: Any) -> Any:
    """Go on with what was saved, to the very rows an undisturbed run gives.

    Parameters
    ----------
    folder : path
        Of a run, a comparison, a tournament or a sweep.
    n : int, optional
        A larger number of games, deals or matches; may only grow.
    threads, time_limit, executor
        As for `run`.

    Returns
    -------
    Result, ComparisonResult, TournamentResult or SweepResult

    Raises
    ------
    RequestError
        When there is nothing, another engine made it, `n` is smaller than before, or somebody
        else writes to it; nothing is touched.
    """
    path = Path(folder)
    form = read_manifest(path).format
    if form == RUN:
        return results.resume_run(path, n, **how)
    if form == COMPARISON:
        return compare.resume_comparison(path, n, **how)
    if form == TOURNAMENT_RUN:
        return tournament.resume_tournament(path, n, **how)
    return sweep.resume_sweep(path, n, **how)


def load(folder: str | Path) -> Any:
    """Read what was saved: its summary, and its rows when asked for.

    Returns
    -------
    Result, ComparisonResult, TournamentResult or SweepResult

    Raises
    ------
    RequestError
        When there is nothing, or something of another engine.
    """
    path = Path(folder)
    form = read_manifest(path).format
    if form == RUN:
        return results.load_run(path)
    if form == COMPARISON:
        return compare.load_comparison(path)
    if form == TOURNAMENT_RUN:
        return tournament.load_tournament(path)
    return sweep.load_sweep(path)


def with_table(result: Any, seconds_per_turn: Any = None, on_told: Report | None = None) -> Any:
    """Add to a run or a sweep how the game feels at the table.

    Raises
    ------
    RequestError
        When it is neither.
    """
    if isinstance(result, results.Result):
        plans: tuple[Plan, ...] = (result.summary.plan,)
        add: Any = results.with_table
    elif isinstance(result, sweep.SweepResult):
        plans, add = result.summary.contest.plans, sweep.with_table
    else:
        raise RequestError("--at-table is for runs and sweeps.")
    for plan in plans:
        prepare_plan(plan)
    return add(result, seconds_per_turn, on_told)
