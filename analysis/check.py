"""Checking a strategy that somebody wrote: whether it is legal and repeats, and what it does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..sim.chunk import new_control, play_raw, prepare_plan
from ..sim.counts import SHARE, count_rows
from ..sim.errors import RequestError
from ..sim.game import Game
from ..sim.plan import Plan, make_plan
from .intervals import Interval, wilson

GAMES = 10_000
ALONE = 50
"""Games that are played again one by one."""
PIECE = 7
"""Games a chunk when they are played again in pieces."""


@dataclass(frozen=True)
class Checked:
    """What is known of a strategy after it has played."""

    plan: Plan
    """It plays on every seat."""
    games: int
    compile_s: float
    repeats: bool
    """Whether the same games came out in pieces, one by one, and on its own seat among others."""
    capped: int
    seconds: float
    """For a game, on one thread, on every seat."""
    default_seconds: float
    """The same with the default strategy."""
    choices: dict[str, dict[str, int]]
    """By what is asked: how often each kind of answer was given."""
    share: float
    """Of the wins, on one seat against the default strategy, averaged over the seats."""
    interval: Interval
    """Conservative: the seats of a deal are taken as so many games."""

    @property
    def passed(self) -> bool:
        """Whether it can be relied on; that its answers are legal is known by now."""
        return self.repeats


def _rows(plan: Plan, start: int, games: int, size: int) -> np.ndarray:
    """Rows of games that are played in pieces."""
    parts = [
        play_raw(plan, at, min(size, start + games - at), new_control()).rows
        for at in range(start, start + games, size)
    ]
    return np.concatenate(parts)


def _timed(plan: Plan, games: int) -> float:
    started = time.perf_counter()
    play_raw(plan, 0, games, new_control())
    return (time.perf_counter() - started) / games


def _choices(game: Game, table: Any) -> dict[str, dict[str, int]]:
    found = {}
    for asked, (name, kinds) in enumerate(zip(game.asked_names, game.choices, strict=True)):
        counts = [int(count) for count in table["choices"][asked]]
        if any(counts):
            found[name] = {kind: count for kind, count in zip(kinds, counts, strict=False) if count}
    return found


def check_strategy(
    strategy: Any,
    game: str,
    *,
    players: Any = None,
    rules: Any = None,
    preset: str | None = None,
    seed: Any = None,
    on_compile: Callable[[], None] | None = None,
) -> Checked:
    """Let a strategy play and see what it does.

    Parameters
    ----------
    strategy : str or function
        Such as ``my_bot.py:play:hold=2``.
    game : str
    players, rules, preset, seed
        As for `run`.

    Raises
    ------
    StrategyError
        When it fails, or answers against the rules.
    RequestError
        When it can't be compiled, or isn't a user's strategy.
    """
    plan = make_plan(
        game, players=players, rules=rules, preset=preset, strategies=strategy, seed=seed
    )
    if not plan.bots:
        raise RequestError(f"{strategy}: that is built in. Name a file: my_bot.py:play")
    compile_s = prepare_plan(plan, on_compile)
    size = GAMES
    everywhere = play_raw(plan, 0, size, new_control())
    seats = range(plan.rules.players)
    among = [
        make_plan(
            game, rules=plan.rules, preset=preset, strategies={seat: strategy}, seed=plan.seed
        )
        for seat in seats
    ]
    repeats = np.array_equal(everywhere.rows[:1000], _rows(plan, 0, 1000, PIECE))
    repeats &= np.array_equal(everywhere.rows[:ALONE], _rows(plan, 0, ALONE, 1))
    score = 0
    finished = 0
    for one in among:
        prepare_plan(one)
        done = play_raw(one, 0, size // len(among), new_control())
        again = _rows(one, 0, min(200, len(done.rows)), PIECE)
        repeats &= np.array_equal(done.rows[: len(again)], again)
        counts = count_rows(one.description, len(among), done.rows, done.tally)
        score += counts.score60[among.index(one)]
        finished += counts.finished
    interval = wilson(score, finished, 0.95, scale=SHARE)
    if interval is None:
        raise RequestError("no game was finished; use rules with more max_turns.")
    plain = make_plan(game, rules=plan.rules, preset=preset, seed=plan.seed)
    return Checked(
        plan=plan,
        games=size,
        compile_s=compile_s,
        repeats=bool(repeats),
        capped=int(np.count_nonzero(everywhere.rows["capped"])),
        seconds=_timed(plan, 2000),
        default_seconds=_timed(plain, 2000),
        choices=_choices(plan.description, everywhere.tables[0]),
        share=score / SHARE / finished,
        interval=interval,
    )


def checked_lines(checked: Checked) -> Iterator[str]:
    """Yield what a person reads of a check."""
    plan = checked.plan
    units = plan.unit.many
    text = plan.players[0].text
    yield f"{text} plays {plan.game}, {plan.rules.players} players, seed {plan.seed}"
    yield ""
    yield f"Legal      every answer in {checked.games:,} {units} with it on every seat"
    again = "in pieces, one by one and beside others, the same rows came out"
    if not checked.repeats:
        again = "NO: played again, other rows came out. Does it draw random numbers of its own?"
    yield f"Repeats    {again}"
    yield f"Capped     {100 * checked.capped / checked.games:.2f} of 100 {units}"
    ratio = checked.default_seconds / checked.seconds
    yield (
        f"Speed      {1 / checked.seconds:,.0f} {units}/s on one thread, {ratio:.2f} times the "
        "default's"
    )
    for name, kinds in checked.choices.items():
        total = sum(kinds.values())
        words = [f"{kind} {100 * count / total:.1f}" for kind, count in kinds.items()]
        head = f"{name.capitalize():<11}"
        line = head
        for j, word in enumerate(words):
            more = word + (", " if j < len(words) - 1 else f" of 100, {total:,} asked")
            if len(line) + len(more) > 80:
                yield line.rstrip()
                line = " " * 11
            line += more
        yield line
    even = 100 / plan.rules.players
    low, high = 100 * checked.interval.low, 100 * checked.interval.high
    yield (
        f"Wins       {100 * checked.share:.1f} of 100 against the default ({low:.1f} to "
        f"{high:.1f}); an equal wins {even:.1f}"
    )
