"""Running: chunks go to an executor, finished ones are counted, kept and reported."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from .chunk import Chunk, play_chunk
from .contest import Contest
from .errors import RunError, SimcardsError, StrategyError
from .plan import Plan, cut
from .prefix import Prefix
from .signals import POLL_SECONDS, Signals
from .workers import Elsewhere, Task, Threads, Workers, WorkersLost

if TYPE_CHECKING:
    import polars as pl

    from .store import Store

REPORT_SECONDS = 0.25
TASKS_A_SLOT = 2
"""Tasks handed out at a time: one being played, one waiting. Not more, however many games."""


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
    note: str = ""
    """What the workers have to say."""


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
    stuck: str = ""
    """Where a user's strategy didn't return after a wish to stop. It goes on until its process is
    ended hard."""


class _Stopwatch:
    """Seconds since it was made, by a clock that may be set back meanwhile."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last = clock()
        self._seconds = 0.0

    def seconds(self) -> float:
        """Return the seconds, never fewer than before."""
        now = self._clock()
        self._seconds += max(0.0, now - self._last)
        self._last = now
        return self._seconds


def _wait(finished: SimpleQueue[Future[Any]]) -> list[Future[Any]]:
    """Return what is finished, after a moment if nothing is."""
    found = []
    with contextlib.suppress(Empty):
        found.append(finished.get(timeout=POLL_SECONDS))
        while True:
            found.append(finished.get_nowait())
    return found


def wanted(error: BaseException | None) -> int:
    """Return the index up to which games are wanted although a run is to stop.

    Those before one in which a strategy failed: so the first one that fails is told.
    """
    return error.index if isinstance(error, StrategyError) else -1


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
    signals: Signals | None = None,
    clock: Callable[[], float] = time.perf_counter,  # others stand still for 15 ms on Windows
) -> Outcome:
    """Play the games first .. first + n - 1, less what `store` has already.

    Parameters
    ----------
    plan : Plan or Contest
    play : callable, optional
        Plays a chunk of it in a thread: `play_chunk` if left out.
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
    signals : Signals, optional
        If they are listened to already.
    clock : callable
        Seconds since whenever.

    Returns
    -------
    Outcome
        Always; an error in a chunk or in keeping it is in `error`, with what was finished.
    """
    state = Prefix(first, first, frozenset(looks), stop_rule)
    done = []
    for part, counts in store.finished() if store else ():
        done.append((part.start, part.stop))
        state.add(part.start, part.stop, counts, None)
    before = sum(stop - start for start, stop in done)
    keeps_rows = keep_frames or bool(store and store.manifest.keeps_rows)
    signals = signals or Signals()
    watch = _Stopwatch(clock)
    handed: dict[Future[Any], Task] = {}
    finished: SimpleQueue[Future[Any]] = SimpleQueue()
    again: list[Task] = []
    played = 0
    next_report = 0.0
    stop_reason = ""
    error: BaseException | None = None
    asked_at = 0.0  # when it was asked to stop
    stuck = ""
    workers: Workers
    if executor is None:
        workers = Threads(plan, play or play_chunk, keeps_rows, threads)
    else:
        workers = Elsewhere(
            plan,
            executor,
            threads,
            first=first,
            size=chunk_size,
            keeps_rows=keeps_rows,
            keeps_frames=keep_frames,
            store=store,
        )
    chunks = iter(cut(first, n, chunk_size, looks, done) if not state.reached else ())
    breaks = frozenset(first + look for look in state.looks)
    tasks = workers.tasks(chunks, -(-(n - before) // chunk_size), breaks)

    def next_task() -> Task | None:
        """Return what is to be handed out; after a strategy failed, games before that one."""
        if any(task.alone for task in handed.values()):
            return None
        waiting = [task for task in again if not stop_reason or task.start < wanted(error)]
        if not waiting:
            return None if stop_reason else next(tasks, None)
        # Those that are to be played alone come last, in order, and each when the rest is through.
        task = min(waiting, key=lambda task: (task.alone, task.start))
        if task.alone and handed:
            return None
        again.remove(task)
        return task

    def keep(chunks: list[Chunk]) -> None:
        """Keep and count what was played; in a folder all at once, as it waits for the disk."""
        nonlocal played
        while store:
            try:
                store.add(chunks)
                break
            except KeyboardInterrupt:  # polars has a handler of its own, and gives up writing
                if not signals.are_caught:
                    raise
        for chunk in chunks:
            rows = chunk.rows if keep_frames else None
            state.add(chunk.start, chunk.stop, chunk.counts, rows)
            played += chunk.stop - chunk.start

    try:
        with signals.caught():
            while True:
                try:
                    while len(handed) < TASKS_A_SLOT * workers.slots and (task := next_task()):
                        future = workers.submit(task)
                        handed[future] = task
                        future.add_done_callback(finished.put)
                    if handed:
                        workers.check()
                except Exception as caught:
                    error = error or caught
                if not handed:
                    break
                found: list[Chunk] = []
                for future in _wait(finished):
                    task = handed.pop(future)
                    if future.cancelled() and stop_reason:
                        continue
                    try:
                        answer = workers.answer(task, future)
                        found += answer.chunks
                        again.extend(answer.left)
                        if answer.error:
                            raise answer.error
                    except (KeyboardInterrupt, WorkersLost) as caught:
                        # A signal to all processes of a terminal stops an executor's as well.
                        error = error or (None if signals.number else caught)
                    except StrategyError as caught:
                        # The first game that fails is told, whatever the threads came to first.
                        if not isinstance(error, StrategyError) or caught.index < error.index:
                            error = caught
                    except Exception as caught:
                        error = error or caught
                if found and not state.reached:
                    try:
                        keep(found)
                    except Exception as caught:
                        error = error or caught
                seconds = watch.seconds()
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
                        workers.stop(handed, wanted(error), needed=not state.reached)
                        asked_at = seconds
                elif workers.gives_up(handed, seconds - asked_at, signals.times > 1):
                    stuck = workers.stuck(handed, seconds - asked_at)
                    break
                if on_progress and seconds >= next_report:
                    next_report = seconds + REPORT_SECONDS
                    rate = played / seconds if seconds else 0.0
                    on_progress(Progress(before + played, n, rate, state.counts, workers.note))
    finally:
        workers.stop(handed, -1, needed=False)
        workers.close(wait=not stuck)
    seconds = watch.seconds()
    complete = state.reached or state.at == first + n
    if complete:
        # What failed beyond the last game that counts would not have been played by one thread.
        error = None
        stop_reason, signals.number = stops_for if state.reached else "n", 0
    elif error:
        stop_reason = stop_reason or "error"  # nothing could be handed out any more
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
