"""Playing one chunk of games: from a plan and a range of indices to counts and rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .counts import Counts, count_rows
from .errors import NothingWritableWarning, RunError
from .game import Event, Game
from .options import Rules
from .plan import Plan

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

SINGLE_GAME_EVENTS = 1024


@dataclass(frozen=True)
class Chunk:
    """The games start .. stop - 1, played."""

    start: int
    stop: int
    counts: Counts
    rows: pl.DataFrame | None


def kernel_module(game: Game) -> Any:
    """Import a game's kernel module."""
    return import_module(f"...kernels.{game.kernel}", __name__)


def prepare_kernel(game: Game, on_compile: Callable[[], None] | None = None) -> float:
    """Compile or load a game's kernel; returns the seconds spent compiling.

    Parameters
    ----------
    game : Game
    on_compile : callable, optional
        Called first if it has to be compiled.
    """
    from ..kernels import jit

    module = kernel_module(game)
    if on_compile and not jit.is_ready(module.play) and not jit.is_cached(module.play):
        on_compile()
    seconds = jit.prepare(module.play, module.SIGNATURE)
    if seconds and on_compile is None and jit.cache_folder() is None:
        # The command line says so itself, before it compiles.
        warnings.warn(
            f"compiled kernels can't be kept in {jit.cache_root()}, so every process compiles "
            "them anew; SIMCARDS_CACHE_DIR names another folder",
            NothingWritableWarning,
            stacklevel=3,
        )
    return seconds


def rules_array(plan: Plan) -> np.ndarray:
    """Return the rules as the kernel reads them, one element."""
    import numpy as np

    array = np.zeros(1, kernel_module(plan.description).RULES)
    for name, value in plan.description.encode(plan.rules).items():
        array[name] = value
    return array


def engine_rules(plan: Plan) -> Rules:
    """Return the rules as the engine understood them."""
    return plan.description.decode(plan.rules, rules_array(plan)[0])


def _strategies_array(plan: Plan) -> np.ndarray:
    import numpy as np

    from ..kernels.common import STRATEGY

    array = np.zeros((len(plan.players), len(plan.description.decisions)), STRATEGY)
    for seat, player in enumerate(plan.players):
        for decision, choice in enumerate(player.choices):
            array[seat, decision]["number"] = choice.number
            array[seat, decision]["draws"] = choice.draws
            array[seat, decision]["parameter"][: len(choice.parameters)] = choice.parameters
    return array


def new_control() -> np.ndarray:
    """Return the array by which a running chunk is asked to stop and tells where it is."""
    import numpy as np

    return np.zeros(2, np.int64)


def play_chunk(
    plan: Plan, start: int, stop: int, keep_rows: bool, control: np.ndarray | None = None
) -> Chunk | None:
    """Play the games start .. stop - 1.

    Returns
    -------
    Chunk or None
        None when it was asked to stop before it was through.
    """
    import numpy as np

    from .rows import to_frame

    game = plan.description
    module = kernel_module(game)
    rows = np.empty(stop - start, module.ROW)
    tally = np.zeros(module.TALLY, np.int64)
    played, _ = module.play(
        np.uint64(plan.seed),
        np.int64(start),
        rules_array(plan),
        _strategies_array(plan),
        np.zeros(1, module.TABLE),
        rows,
        tally,
        np.zeros((0, module.EVENT_WIDTH), np.int64),
        new_control() if control is None else control,
    )
    if played < len(rows):
        return None
    players = plan.rules.players
    frame = to_frame(game, players, start, rows) if keep_rows else None
    return Chunk(start, stop, count_rows(game, players, rows, tally), frame)


def play_events(
    plan: Plan, index: int, tables: np.ndarray | None = None
) -> tuple[list[Event], pl.DataFrame]:
    """Play one game and tell it: its events, and its row.

    The kernel that plays runs tells the events itself, so a replay can't differ. `tables` is
    a table that was set up for the game, if any; it is left as the game left it.
    """
    import numpy as np

    from .rows import to_frame

    game = plan.description
    module = kernel_module(game)
    room = SINGLE_GAME_EVENTS
    while True:
        rows = np.empty(1, module.ROW)
        log = np.zeros((room, module.EVENT_WIDTH), np.int64)
        scratch = np.zeros(1, module.TABLE) if tables is None else tables.copy()
        _, told = module.play(
            np.uint64(plan.seed),
            np.int64(index),
            rules_array(plan),
            _strategies_array(plan),
            scratch,
            rows,
            np.zeros(module.TALLY, np.int64),
            log,
            new_control(),
        )
        if told <= room:
            break
        room = 2 * int(told)
        if room > 1 << 28:
            raise RunError(f"game {index} has {told:,} events, more than a replay can hold.")
    if tables is not None:
        tables[:] = scratch
    events = [game.read_event(plan.rules, event) for event in log[:told]]
    return events, to_frame(game, plan.rules.players, index, rows)
