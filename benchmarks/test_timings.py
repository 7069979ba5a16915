"""Timings of kernels and runs, for a look at one place; no gate, and not in the normal tests.

    python -m pytest benchmarks/test_timings.py
    python -m pytest benchmarks/test_timings.py -k thirteen --benchmark-autosave

Needs pytest-benchmark. What speed is held by: python -m benchmarks count and compare.
"""

from __future__ import annotations

from typing import Any

import pytest

from simcards.analysis.bench import standard_plans
from simcards.analysis.results import run_plan
from simcards.sim.chunk import play_chunk, prepare_plan
from simcards.sim.games import GAMES
from simcards.sim.plan import Plan, chunk_size, make_plan
from simcards.sim.replay import replay

PLANS = [plan for game in GAMES for plan in standard_plans(game)]
REPLAYED = 5


def name(plan: Plan) -> str:
    """Name a plan."""
    return f"{plan.game}-{plan.preset}"


@pytest.mark.parametrize("plan", PLANS, ids=name)
def test_chunk(benchmark: Any, plan: Plan) -> None:
    """Playing and counting a chunk."""
    prepare_plan(plan)
    n = chunk_size(plan) // 4
    benchmark.extra_info["games"] = n
    benchmark.pedantic(play_chunk, (plan, 0, n, False), rounds=10, warmup_rounds=1)


@pytest.mark.parametrize("plan", PLANS, ids=name)
def test_chunk_with_rows(benchmark: Any, plan: Plan) -> None:
    """The same, with the rows made into a frame."""
    prepare_plan(plan)
    n = chunk_size(plan) // 4
    benchmark.extra_info["games"] = n
    benchmark.pedantic(play_chunk, (plan, 0, n, True), rounds=10, warmup_rounds=1)


@pytest.mark.parametrize("plan", PLANS, ids=name)
def test_short_run(benchmark: Any, plan: Plan) -> None:
    """A run of a thousand games: what it costs to plan, to start threads and to sum up."""
    prepare_plan(plan)
    benchmark.pedantic(run_plan, (plan,), {"n": 1000, "threads": 1}, rounds=10, warmup_rounds=1)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_replay(benchmark: Any, game: Any) -> None:
    """Telling a game."""
    prepare_plan(make_plan(game.name, seed=1))
    benchmark.pedantic(
        lambda: [str(replay(game.name, seed=1, index=index)) for index in range(REPLAYED)],
        rounds=10,
        warmup_rounds=1,
    )
