"""Running: chunks go to an executor, finished ones are counted, kept and reported."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from .chunk import Chunk, new_control, play_chunk
from .contest import Contest
from .counts import Counts
from .errors import Interrupted, RunError, SimcardsError, StrategyError
from .plan import Plan, cut

if TYPE_CHECKING:
    import polars as pl

    from .store import Store

T = TypeVar("T")

POLL_SECONDS = 0.1
REPORT_SECONDS = 0.25
GRACE_SECONDS = 2.0
"""How long a user's strategy may go on after a wish to stop: it may never return."""
CHUNKS_A_WORKER = 2
"""Chunks handed out at a time: one being played, one waiting."""


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    done: int
    """Games finished, in this process or before."""
    n: int
    rate: float
    """Games a second in this process, without compiling."""
    counts: Any
    """`Counts`, or of a comparison `Observations`, of the games that count so far: an unbroken
    range from the first one."""


@dataclass(frozen=True)
class Outcome:
    """What a run came to."""

    counts: Any
    """`Counts`, or of a comparison `Observations`."""
    status: str
    """complete, or partial: fewer games than asked for."""
    stop_reason: str
    """n, precision, test, time limit, interrupt (Ctrl-C), terminate, or error."""
    signal: int
    """Number of the signal that stopped it; 0 if none did."""
    seconds: float
    played: int
    """Games played by this process."""
    frames: list[pl.DataFrame] = field(repr=False)
    """Rows of the chunks, in order, if they were to be kept in memory."""
    error: BaseException | None = None
    stuck: int | None = None
    """Index of a game in which a user's strategy didn't return after a wish to stop. Its thread
    goes on until the process is ended hard."""


@dataclass
class _Prefix:
    """The unbroken range of finished games from the first one, and what waits beyond it."""

    first: int
    at: int
    looks: frozenset[int]
    stop_rule: Callable[[Any], bool] | None
    counts: Any = field(default_factory=Counts)
    frames: list[pl.DataFrame] = field(default_factory=list)
    waiting: dict[int, tuple[int, Any, pl.DataFrame | None]] = field(default_factory=dict)
    reached: bool = False
    """The stopping rule has been met: nothing further counts."""

    def add(self, start: int, stop: int, counts: Any, frame: pl.DataFrame | None) -> None:
        """Take in a finished chunk, and all that now follow without a gap."""
        self.waiting[start] = stop, counts, frame
        while not self.reached and self.at in self.waiting:
            self.at, more, rows = self.waiting.pop(self.at)
            self.counts = self.counts + more
            if rows is not None:
                self.frames.append(rows)
            # Looked at nowhere else: so the stop is the same for any chunk size and threads.
            if self.stop_rule and self.at - self.first in self.looks:
                self.reached = self.stop_rule(self.counts)


class _Signals:
    """Turns Ctrl-C and a request to terminate into a wish, while a run is on."""

    def __init__(self) -> None:
        self.number = 0
        self.on_signal: Callable[[], None] = lambda: None

    def _handle(self, number: int, frame: Any) -> None:
        self.number = number
        self.on_signal()

    @contextlib.contextmanager
    def caught(self) -> Iterator[None]:
        """Handle the signals; only the main thread of a process can."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        names = ("SIGINT", "SIGTERM", "SIGBREAK")  # the last one: Windows
        numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
        before = {
            number: signal.signal(number, self._handle)
            for number in numbers
            if signal.getsignal(number) is not None  # else a host program's, and can't be put back
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def execute(
    plan: Plan | Contest,
    *,
    play: Callable[..., Chunk | None] | None = None,
    first: int,
    n: int,
    chunk_size: int,
    threads: int,
    keep_frames: bool = False,
    store: Store | None = None,
    looks: Iterable[int] = (),
    stop_rule: Callable[[Any], bool] | None = None,
    stops_for: str = "precision",
    time_limit: float | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    executor: Executor | None = None,
) -> Outcome:
    """Play the games first .. first + n - 1, less what `store` has already.

    Parameters
    ----------
    plan : Plan or Contest
    play : callable, optional
        Plays a chunk of it: `play_chunk` if left out.
    first, n : int
    chunk_size : int
        Most games in a chunk.
    threads : int
        Chunks played at the same time.
    keep_frames : bool
        Keep the rows in memory.
    store : Store, optional
        Where finished chunks are kept, and were before.
    looks : iterable of int
        Numbers of games at which `stop_rule` is asked.
    stop_rule : callable, optional
        Whether the run is done, from the counts of the games so far.
    stops_for : str
        The reason of a stop by that rule: precision, or test.
    time_limit : float, optional
        Seconds after which no more is played.
    on_progress : callable, optional
        Called a few times a second.
    executor : Executor, optional
        Runs the chunks instead of a thread pool of our own. It is not shut down.

    Returns
    -------
    Outcome
        Always; an error in a chunk or in keeping it is in `error`, with what was finished.
    """
    state = _Prefix(first, first, frozenset(looks), stop_rule)
    done = []
    for part in store.parts if store else []:
        done.append((part.start, part.stop))
        state.add(part.start, part.stop, part.counts, None)
    player: Callable[..., Chunk | None] = play or play_chunk
    chunks = iter(cut(first, n, chunk_size, looks, done) if not state.reached else ())
    keeps_rows = keep_frames or bool(store and store.manifest.keeps_rows)
    signals = _Signals()
    controls: dict[Future[Chunk | None], Any] = {}
    starts: dict[Future[Chunk | None], int] = {}
    started = time.perf_counter()  # the other clocks stand still for 15 ms on Windows
    before = sum(stop - start for start, stop in done)
    played = 0
    next_report = 0.0
    stop_reason = ""
    error: BaseException | None = None
    asked_at = 0.0  # when it was asked to stop
    stuck: int | None = None

    def ask_to_stop() -> None:
        for control in list(controls.values()):
            if control is not None:
                control[0] = 1

    signals.on_signal = ask_to_stop
    pool = executor or ThreadPoolExecutor(threads, thread_name_prefix="simcards")
    try:
        with signals.caught():
            while True:
                while (
                    not stop_reason
                    and len(controls) < CHUNKS_A_WORKER * threads
                    and (ends := next(chunks, None))
                ):
                    # Only threads share memory with us; other executors just finish a chunk.
                    control = new_control() if executor is None else None
                    future = pool.submit(player, plan, *ends, keeps_rows, control)
                    controls[future] = control
                    starts[future] = ends[0]
                if not controls:
                    break
                finished, _ = wait(controls, POLL_SECONDS, FIRST_COMPLETED)
                for future in [one for one in controls if one in finished]:  # in order of games
                    del controls[future], starts[future]
                    if future.cancelled():
                        continue
                    try:
                        chunk = future.result()
                        if chunk is None or state.reached:
                            continue
                        if store:
                            store.add(chunk)
                        rows = chunk.rows if keep_frames else None
                        state.add(chunk.start, chunk.stop, chunk.counts, rows)
                        played += chunk.stop - chunk.start
                    except (KeyboardInterrupt, BrokenExecutor) as caught:
                        # A signal to all processes of a terminal stops an executor's as well.
                        error = error or (None if signals.number else caught)
                    except StrategyError as caught:
                        # The first game that fails is told, whatever the threads came to first.
                        if not isinstance(error, StrategyError) or caught.index < error.index:
                            error = caught
                    except Exception as caught:
                        error = error or caught
                seconds = time.perf_counter() - started
                if not stop_reason:
                    if error:
                        stop_reason = "error"
                    elif signals.number:
                        is_interrupt = signals.number == signal.SIGINT
                        stop_reason = "interrupt" if is_interrupt else "terminate"
                    elif state.reached:
                        stop_reason = stops_for
                    elif time_limit is not None and seconds >= time_limit:
                        stop_reason = "time limit"
                    if stop_reason:
                        # Games before one in which a strategy failed are still wanted.
                        wanted = error.index if isinstance(error, StrategyError) else -1
                        for future in [one for one in controls if starts[one] > wanted]:
                            future.cancel()
                            if controls[future] is not None:
                                controls[future][0] = 1
                        asked_at = seconds
                elif plan.bots and executor is None and seconds > asked_at + GRACE_SECONDS:
                    running = [control for future, control in controls.items() if future.running()]
                    if running:
                        stuck = min(int(control[1]) for control in running)
                        break
                if on_progress and seconds >= next_report:
                    next_report = seconds + REPORT_SECONDS
                    on_progress(Progress(before + played, n, played / seconds, state.counts))
    finally:
        if executor is None:
            ask_to_stop()
            pool.shutdown(wait=stuck is None, cancel_futures=True)
    seconds = time.perf_counter() - started
    complete = state.reached or state.at == first + n
    if complete:
        stop_reason, signals.number = stops_for if state.reached else "n", 0
    status = "complete" if complete else "partial"
    if store:
        try:
            store.finish(status, stop_reason, state.at)
        except OSError as caught:
            error = error or caught
    return Outcome(
        state.counts,
        status,
        stop_reason,
        signals.number,
        seconds,
        played,
        state.frames,
        error,
        stuck,
    )


def interruptible(function: Callable[[], T]) -> T:
    """Call what takes long, and may run a user's strategy that never returns; stops are heard.

    Raises
    ------
    Interrupted
        On Ctrl-C or a request to terminate; the function goes on until the process ends.
    """
    done: list[T] = []
    failed: list[BaseException] = []
    signals = _Signals()

    def call() -> None:
        try:
            done.append(function())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=call, daemon=True)  # not waited for at the end
    with signals.caught():
        thread.start()
        while thread.is_alive():
            thread.join(POLL_SECONDS)
            if signals.number:
                raise Interrupted("stopped", signals.number)
    if failed:
        raise failed[0]
    return done[0]


def explain(error: BaseException, plan: Plan | Contest) -> SimcardsError:
    """Return an error for people, from what went wrong in a run."""
    if isinstance(error, SimcardsError):
        return error
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return RunError(f"{where}can't be written: {error.strerror or error}.")
    if isinstance(error, MemoryError):
        return RunError("out of memory; use fewer --threads or a smaller --chunk-size.")
    return RunError(
        f"the run failed: {type(error).__name__}: {error}\n"
        f"  {plan.game}, seed {plan.seed}. Please report this."
    )
