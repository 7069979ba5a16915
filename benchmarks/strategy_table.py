"""Play every strategy of a game against every other, and write two tables in Markdown.

    python -m benchmarks.strategy_table thirteen --n 20000 --seed 1

A cell: one seat plays the row's strategy, all others the column's; `n` games for each seat that
the one can have. The first table is the share of games won by the one, in per cent, the second
its mean score where a game has one. Behind each figure stands the half-width of its 95 %
interval. In a game with several decisions the strategies of the first one are compared.
All cells have the same cards. `--few NAME=N` plays fewer games wherever that strategy sits.

    python -m benchmarks.strategy_table thirteen --cost --n 5000

measures instead what a decision costs: the processor time of games in which all seats play
a strategy, divided by the choices that were asked; dealing and counting are part of it.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import simcards
from simcards.sim.chunk import play_chunk, prepare_kernel
from simcards.sim.counts import SHARE
from simcards.sim.errors import RequestError
from simcards.sim.games import find_game
from simcards.sim.numbers import games_count
from simcards.sim.plan import make_plan

QUANTILE = 1.959964


@dataclass(frozen=True)
class Cell:
    """What came of one against the others: means over all seats of the one."""

    share: float
    share_half: float
    score: float | None
    score_half: float


def mean_and_variance(histogram: Mapping[int, int]) -> tuple[float, float]:
    """Mean, and variance of the mean."""
    n = sum(histogram.values())
    mean = sum(value * number for value, number in histogram.items()) / n
    squares = sum((value - mean) ** 2 * number for value, number in histogram.items())
    return mean, squares / max(n - 1, 1) / n


def play_cell(game: str, one: str, others: str, n: int, seed: int) -> Cell:
    """Play the one on every seat.

    Every seat has the same weight. Each has games of its own, so that the results of the seats
    are independent.
    """
    described = find_game(game)
    players = described.rules().players
    shares: list[tuple[float, float]] = []
    scores: list[tuple[float, float]] = []
    for seat in range(players):
        strategies = [others] * players
        strategies[seat] = one
        counts = simcards.run(game, n, strategies=strategies, seed=seed, first=seat * n).counts
        share = counts.score60[seat] / SHARE / counts.finished
        shares.append((share, share * (1 - share) / counts.finished))
        if described.scores:
            scores.append(mean_and_variance(counts.scores[described.scores[0]][seat]))
    mean, half = together(shares)
    return Cell(mean, half, *(together(scores) if scores else (None, 0.0)))


def together(parts: list[tuple[float, float]]) -> tuple[float, float]:
    """Mean of independent means, and half the width of its interval."""
    mean = sum(mean for mean, _ in parts) / len(parts)
    return mean, QUANTILE * math.sqrt(sum(variance for _, variance in parts)) / len(parts)


def markdown(names: list[str], text: Callable[[str, str], str]) -> str:
    """A table; rows: the one, columns: the others."""
    lines = ["| | " + " | ".join(names) + " |", "|---" * (1 + len(names)) + "|"]
    lines += [
        f"| **{one}** | " + " | ".join(text(one, others) for others in names) + " |"
        for one in names
    ]
    return "\n".join(lines) + "\n"


def nanoseconds(game: str, strategy: str, n: int, seed: int) -> float:
    """Processor time of a decision, the least of five measurements."""
    plan = make_plan(game, strategies=strategy, seed=seed)
    prepare_kernel(plan.description)
    best = math.inf
    for block in range(5):
        started = time.process_time_ns()
        chunk = play_chunk(plan, block * n, (block + 1) * n, False)
        spent = time.process_time_ns() - started
        assert chunk is not None
        asked = chunk.counts.events["decisions_free"]
        assert isinstance(asked, int)
        best = min(best, spent / asked)
    return best


def cost_table(game: str, names: list[str], n: int, few: Mapping[str, int], seed: int) -> str:
    """What a decision costs, and how many times that of the default strategy."""
    base = nanoseconds(game, find_game(game).decisions[0].default, n, seed)
    lines = ["| strategy | ns a decision | ratio |", "|---|---|---|"]
    for name in names:
        spent = nanoseconds(game, name, min(n, few.get(name, n)), seed)
        lines.append(f"| {name} | {spent:,.0f} | {spent / base:.1f} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Write the tables to standard output, and where it is to standard error."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.strategy_table")
    parser.add_argument("game")
    parser.add_argument("--n", default="20000", help="games for each seat of the one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--few", action="append", default=[], metavar="NAME=N")
    parser.add_argument("--only", help="these strategies, joined by +")
    parser.add_argument("--cost", action="store_true", help="measure what a decision costs")
    asked = parser.parse_args(arguments)
    try:
        game = find_game(asked.game)
        n = games_count(asked.n, "--n")
        few = {
            name: games_count(number, "--few")
            for name, _, number in (word.partition("=") for word in asked.few)
        }
        names = [one.name for one in game.decisions[0].strategies if not one.refused(game.rules())]
        if asked.only:
            names = asked.only.split("+")
        if asked.cost:
            print(cost_table(game.name, names, n, few, asked.seed))
            return
        cells: dict[tuple[str, str], Cell] = {}
        for one in names:
            for others in names:
                print(f"{one} against {others}", file=sys.stderr)
                games = min(few.get(one, n), few.get(others, n))
                cells[one, others] = play_cell(game.name, one, others, games, asked.seed)
    except RequestError as error:
        parser.error(str(error))
    seats = game.rules().players
    print(f"Won by the one, % of games; a share of {100 / seats:g} would be even.\n")
    print(
        markdown(
            names,
            lambda one, others: (
                f"{100 * cells[one, others].share:.1f} ± {100 * cells[one, others].share_half:.1f}"
            ),
        )
    )
    if game.scores:
        print(f"Mean {game.scores[0]} of the one.\n")
        print(
            markdown(
                names,
                lambda one, others: (
                    f"{cells[one, others].score:.2f} ± {cells[one, others].score_half:.2f}"
                ),
            )
        )


if __name__ == "__main__":
    main()
