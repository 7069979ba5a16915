"""Playing one chunk of games: from a plan and a range of indices to counts and rows."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .bots import compiled
from .counts import count_rows
from .errors import NothingWritableWarning, RunError, StrategyError
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
    counts: Any
    """`Counts`, or of a comparison `Observations`."""
    rows: pl.DataFrame | None
    lines: bytes = b""
    """What the journal is to say of these games, if another process played them: as it cut them."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Rows files that it sent, by name; the others it has written."""


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


def prepare_plan(plan: Plan, on_compile: Callable[[], None] | None = None) -> float:
    """Compile or load all that a plan needs; returns the seconds spent compiling.

    Raises
    ------
    RequestError
        When a user's strategy can't be compiled or answers no whole number.
    """
    seconds = prepare_kernel(plan.description, on_compile)
    started = time.perf_counter()
    prepare_bots(plan)
    return seconds + (time.perf_counter() - started if plan.bots else 0.0)


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


def prepare_bots(plan: Plan) -> Any:
    """Compile or load users' strategies: what each seat of the kernel is to ask.

    Raises
    ------
    RequestError
        When one can't be compiled or answers no whole number.
    """
    from ..kernels import jit

    game = plan.description
    module = kernel_module(game)
    view = module.VIEW
    seats: list[Any] = []
    for player in plan.players:
        asks = tuple(
            (number, choice.bot)
            for decision, choice in zip(game.decisions, player.choices, strict=True)
            if choice.bot
            for number in decision.asks
        )
        seats.append(compiled(asks, view, game.name, player.text) if asks else jit.nobody(view))
    seats += [jit.nobody(view)] * (module.MAX_SEATS - len(seats))
    return jit.BOTS[module.MAX_SEATS](*seats)


@dataclass(frozen=True)
class Played:
    """What a kernel left behind."""

    rows: np.ndarray
    tally: np.ndarray
    played: int
    log: np.ndarray
    told: int
    tables: np.ndarray


def play_raw(
    plan: Plan,
    start: int,
    games: int,
    control: np.ndarray,
    room: int = 0,
    tables: np.ndarray | None = None,
) -> Played:
    """Play games and return the kernel's own arrays.

    Parameters
    ----------
    plan : Plan
    start, games : int
    control : int64[2]
        See `new_control`.
    room : int
        Events to make room for; 0: nothing is told.
    tables : structured array, optional
        A table that was set up. It is changed.

    Raises
    ------
    StrategyError
        When a user's strategy fails, or answers against the rules.
    """
    import numpy as np

    module = kernel_module(plan.description)
    rows = np.empty(games, module.ROW)
    tally = np.zeros(module.TALLY, np.int64)
    log = np.zeros((room, module.EVENT_WIDTH), np.int64)
    if tables is None:
        tables = np.zeros(1, module.TABLE)
    arguments = (
        np.uint64(plan.seed),
        np.int64(start),
        rules_array(plan),
        _strategies_array(plan),
        prepare_bots(plan),
        tables,
        rows,
        tally,
        log,
        control,
    )
    try:
        played, told = module.play(*arguments)
    except Exception as error:
        seat = int(tables[0]["user_seat"]) - 1
        if seat < 0:
            raise
        raise _fault(plan, int(control[1]), seat, tables[0], log, error) from error
    return Played(rows, tally, int(played), log, int(told), tables)


def _fault(
    plan: Plan, index: int, seat: int, table: Any, log: np.ndarray, error: Exception
) -> StrategyError:
    """Say what a user's strategy did wrong, from the table as it was then."""
    from ..kernels.common import IllegalChoice

    game, text = plan.description, plan.players[seat].text
    decision = int(table["user_decision"])
    asked = game.asked_names[decision]
    if isinstance(error, IllegalChoice):
        answer = int(table["user_answer"])
        words = game.answer_words(decision, answer)
        what = f"answered {answer}{f' ({words})' if words else ''} when asked '{asked}'"
    else:
        what = f"failed when asked '{asked}': {type(error).__name__}: {error}"
    lines = [f"strategy {text}, seat {seat}, {plan.unit.one} {index}: it {what}."]
    lines += [f"  {line}" for line in game.situation(plan.rules, table, seat, decision)]
    told = [*log[: min(int(table["flushed"]), len(log))], *table["slate"][: int(table["told"])]]
    events = [game.read_event(plan.rules, event) for event in told] if len(log) else []
    return StrategyError("\n".join(lines), index, seat, events, plan)


def play_chunk(
    plan: Plan, start: int, stop: int, keep_rows: bool, control: np.ndarray | None = None
) -> Chunk | None:
    """Play the games start .. stop - 1.

    Returns
    -------
    Chunk or None
        None when it was asked to stop before it was through.
    """
    from .rows import to_frame

    game, players = plan.description, plan.rules.players
    done = play_raw(plan, start, stop - start, new_control() if control is None else control)
    if done.played < len(done.rows):
        return None
    frame = to_frame(game, players, start, done.rows) if keep_rows else None
    return Chunk(start, stop, count_rows(game, players, done.rows, done.tally), frame)


def play_told(plan: Plan, index: int, tables: np.ndarray | None = None) -> Played:
    """Play one game and tell it: the kernel's own events and row.

    The kernel that plays runs tells the events itself, so a replay can't differ. `tables` is
    a table that was set up for the game, if any; it is left as the game left it.
    """
    room = SINGLE_GAME_EVENTS
    while True:
        scratch = None if tables is None else tables.copy()
        done = play_raw(plan, index, 1, new_control(), room, scratch)
        if done.told <= room:
            break
        room = 2 * done.told
        if room > 1 << 28:
            raise RunError(f"game {index} has {done.told:,} events, more than a replay can hold.")
    if tables is not None:
        tables[:] = done.tables
    return done


def play_events(
    plan: Plan, index: int, tables: np.ndarray | None = None
) -> tuple[list[Event], pl.DataFrame]:
    """Play one game and tell it: its published events, and its row."""
    from .rows import to_frame

    game = plan.description
    done = play_told(plan, index, tables)
    events = [game.read_event(plan.rules, event) for event in done.log[: done.told]]
    return events, to_frame(game, plan.rules.players, index, done.rows)
