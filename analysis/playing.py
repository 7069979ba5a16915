"""Playing what was asked for: what runs, comparisons and tournaments have in common."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..sim.chunk import prepare_plan
from ..sim.cluster import LOCAL, Cluster, connected
from ..sim.contest import Contest, contest_chunk_size, plans_of
from ..sim.errors import Interrupted, RequestError, SimcardsError, StrategyError
from ..sim.manifest import MANIFEST, Manifest, new_manifest, read_manifest
from ..sim.numbers import LARGEST_INDEX, games_count, read_level, real_number, whole_number
from ..sim.observe import play_observations
from ..sim.plan import Plan, check_range, chunk_size
from ..sim.processors import usable_processors
from ..sim.remote import describe
from ..sim.run import Outcome, Progress, execute, explain
from ..sim.store import Store
from .summary import quoted, request_words

if TYPE_CHECKING:
    import polars as pl

PRECISION_CEILING = 10**9
"""Most indices of a run that stops by itself, if no number was given."""

T = TypeVar("T")


@dataclass(frozen=True)
class How:
    """How something is to be played; changes no row."""

    first: int
    n: int
    threads: int
    level: float
    time_limit: float | None
    chunk_size: int
    out: Path | None
    overwrite: bool
    keeps_rows: bool
    """In the folder."""
    rows: bool = False
    """In memory."""
    on_progress: Callable[[Progress], None] | None = None
    on_compile: Callable[[], None] | None = None
    executor: Executor | str | None = None
    """Plays it instead of threads; a text is the address of a Dask scheduler, or local."""


@dataclass(frozen=True)
class Stopping:
    """When a run is done before its last index."""

    looks: tuple[int, ...]
    """Numbers of indices at which it is looked at."""
    reached: Callable[[Any], bool]
    """Whether it is done, from the counts so far."""
    reason: str
    """What it is called: precision, or test."""


@dataclass(frozen=True)
class Played:
    """What was played, before it is summed up."""

    manifest: Manifest
    outcome: Outcome
    compile_s: float
    threads: int
    folder: Path | None
    frames: list[pl.DataFrame] | None
    """Rows of the chunks in order, if they were to be kept in memory."""
    usable: int = 0
    """Threads there were to be used."""

    @property
    def timing(self) -> dict[str, Any]:
        """How fast it was, for summaries."""
        outcome = self.outcome
        return {
            "elapsed_s": outcome.seconds,
            "compile_s": self.compile_s,
            "games_per_s": outcome.played / outcome.seconds if outcome.played else 0.0,
            "threads": self.threads,
            "usable_threads": self.usable or usable_processors(),
        }


def settle(
    plan: Plan | Contest,
    *,
    n: Any,
    default_n: int,
    first: Any = 0,
    threads: Any = None,
    level: Any = 0.95,
    time_limit: Any = None,
    chunk: Any = None,
    rows: Any = False,
    out: Any = None,
    keeps_rows: bool = True,
    overwrite: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    on_compile: Callable[[], None] | None = None,
    executor: Executor | str | None = None,
) -> How:
    """Check how something is to be played; nothing is made.

    Raises
    ------
    RequestError
        When it can't be done as stated.
    """
    _check_executor(executor)
    games = default_n if n is None else games_count(n)
    start = whole_number(first, "--first", 0, LARGEST_INDEX)
    check_range(start, games)
    level = read_level(level)
    if time_limit is not None:
        time_limit = real_number(time_limit, "--time-limit", 0, float("inf"))
    workers = _threads(threads, executor)
    if chunk is not None:
        size = whole_number(chunk, "--chunk-size", 1, 10**7)
    else:
        size = chunk_size(plan) if isinstance(plan, Plan) else contest_chunk_size(plan)
    if out is not None and (not isinstance(out, str | Path) or not str(out)):
        raise RequestError(f"--out {out!r}: name a folder.")
    if not isinstance(rows, bool):
        raise RequestError(f"rows={rows!r}: must be True or False.")
    if isinstance(executor, str):
        for bot in plan.bots:
            if not bot.path:
                raise RequestError(
                    f"--scheduler {executor}: a function given in Python can't travel.\n"
                    f"  Put {bot.name} in a file and name it: strategies='my_bot.py:{bot.name}'."
                )
    if out is not None:
        Store.check_free(Path(out), overwrite=overwrite)
        for bot in plan.bots:
            if not bot.path:
                raise RequestError(
                    f"--out {out}: a function given in Python can't be kept with a run.\n"
                    f"  Put {bot.name} in a file and name it: strategies='my_bot.py:{bot.name}'."
                )
    return How(
        start,
        games,
        workers,
        level,
        time_limit,
        size,
        None if out is None else Path(out),
        overwrite,
        keeps_rows,
        rows,
        on_progress,
        on_compile,
        executor,
    )


def begin(
    plan: Plan | Contest,
    how: How,
    stopping: Callable[[Manifest], Stopping | None],
    *,
    precision: float | None = None,
    asked: Mapping[str, Any] | None = None,
) -> Played:
    """Play something from its start.

    Parameters
    ----------
    plan : Plan or Contest
    how : How
    stopping : callable
        From the manifest, when the run is done before its last index.
    precision : float, optional
        The goal, for the manifest.
    asked : mapping, optional
        What else a comparison was asked, for the manifest.
    """
    compile_s = _prepare(plan, how.on_compile)
    manifest = new_manifest(
        plan,
        first=how.first,
        n=how.n,
        chunk_size=how.chunk_size,
        precision=precision,
        level=how.level,
        keeps_rows=how.keeps_rows,
        asked=asked,
    )
    with _reached(plan, how.executor, how.threads) as executor:
        how = replace(how, executor=executor)
        store = None
        if how.out is not None:
            with explained(plan):
                store = Store.create(how.out, manifest, overwrite=how.overwrite)
        try:
            return _play(manifest, store, how, stopping, compile_s)
        finally:
            if store:
                store.close()


def go_on(
    folder: Path,
    n: Any,
    stopping: Callable[[Manifest], Stopping | None],
    *,
    threads: Any = None,
    time_limit: Any = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_compile: Callable[[], None] | None = None,
    executor: Executor | str | None = None,
) -> Played:
    """Go on with a saved run.

    Raises
    ------
    RequestError
        When there is no run, another engine made it, `n` is smaller than before, or somebody
        else writes to it; nothing is touched.
    """
    _check_executor(executor)
    manifest = read_manifest(folder)
    games = manifest.n if n is None else games_count(n)
    if games < manifest.n:
        raise RequestError(f"--n {n}: the run was made for {manifest.n:,}; it can only grow.")
    check_range(manifest.first, games)
    workers = _threads(threads, executor)
    if time_limit is not None:
        time_limit = real_number(time_limit, "--time-limit", 0, float("inf"))
    compile_s = _prepare(manifest.plan, on_compile)
    with _reached(manifest.plan, executor, workers) as reached:
        with explained(manifest.plan):
            # Signals that are caught from connecting on would not be heard meanwhile.
            heard = reached.signals.check if isinstance(reached, Cluster) else None
            store = Store.reopen(folder, heard)
        try:
            with explained(manifest.plan):
                store.begin(games)
            how = How(
                store.manifest.first,
                store.manifest.n,
                workers,
                store.manifest.level,
                time_limit,
                store.manifest.chunk_size,
                folder,
                False,
                store.manifest.keeps_rows,
                False,
                on_progress,
                on_compile,
                reached,
            )
            return _play(store.manifest, store, how, stopping, compile_s)
        finally:
            store.close()


@contextlib.contextmanager
def _reached(
    plan: Plan | Contest, executor: Executor | str | None, threads: int
) -> Iterator[Executor | None]:
    """Return the executor; connect to a scheduler if it is one's address."""
    if executor is not None:
        describe(plan)  # refused before anything is made
    if isinstance(executor, str):
        with connected(executor, threads) as cluster:
            yield cluster
    else:
        yield executor


def finish(played: Played, result: Callable[[], T]) -> T:
    """Return the result of what was played, or raise what went wrong."""
    manifest, outcome, folder = played.manifest, played.outcome, played.folder
    plan = manifest.plan
    units = plan.unit.many
    if outcome.error is not None:
        error: SimcardsError = explain(outcome.error, plan)
        said = str(error)
        if isinstance(error, StrategyError):
            at = error.plan or plans_of(plan)[0]
            again = f"{request_words(at)} --seed {plan.seed}"
            # A comparison's folder holds many tables: the words say which one it was at.
            watched = quoted(str(folder)) if folder and isinstance(plan, Plan) else again
            said += f"\n  Watch it: simcards replay {watched} --index {error.index}"
        if folder and (folder / MANIFEST).exists():  # else it was removed meanwhile
            kept = f"{outcome.counts.games:,} finished {units} are kept"
            said += f"\n  {kept}: simcards resume {quoted(str(folder))}"
        error.args = (said,)
        raise error from (outcome.error if outcome.error is not error else error.__cause__)
    made = result()
    if outcome.signal or outcome.stuck:
        said = f"stopped after {outcome.counts.games:,} of {manifest.n:,} {units}"
        if folder:
            said += f".\n  Go on: simcards resume {quoted(str(folder))}"
        if outcome.stuck:
            said += f".\n  {outcome.stuck}"
        raise Interrupted(said, outcome.signal or signal.SIGTERM, made, stuck=bool(outcome.stuck))
    return made


def result_of(played: Played, sum_up: Callable[..., Any], make: Callable[[Any, Any], T]) -> T:
    """Return the result of what was played, or raise what went wrong.

    Parameters
    ----------
    played : Played
    sum_up : callable
        From the manifest, the counts and how it ended to the summary.
    make : callable
        From summary and counts to the result.
    """

    def build() -> T:
        outcome, manifest = played.outcome, played.manifest
        counts = outcome.counts if outcome.counts.games else manifest.no_counts
        summary = sum_up(
            manifest,
            counts,
            status=outcome.status,
            stop_reason=outcome.stop_reason,
            saved_in=str(played.folder) if played.folder else "",
            **played.timing,
        )
        return make(summary, counts)

    return finish(played, build)


@contextlib.contextmanager
def explained(plan: Plan | Contest) -> Iterator[None]:
    """Say what went wrong when a folder can't be written."""
    try:
        yield
    except OSError as error:
        raise explain(error, plan) from error


def _prepare(plan: Plan | Contest, on_compile: Callable[[], None] | None) -> float:
    return sum(prepare_plan(one, on_compile) for one in plans_of(plan))


def _play(
    manifest: Manifest,
    store: Store | None,
    how: How,
    stopping: Callable[[Manifest], Stopping | None],
    compile_s: float,
) -> Played:
    stop = stopping(manifest)
    assert not isinstance(how.executor, str)  # connected to by now
    cluster = how.executor if isinstance(how.executor, Cluster) else None
    with explained(manifest.plan):
        outcome = execute(
            manifest.plan,
            play=play_observations if isinstance(manifest.plan, Contest) else None,
            first=manifest.first,
            n=manifest.n,
            chunk_size=manifest.chunk_size,
            threads=how.threads,
            keep_frames=how.rows,
            store=store,
            looks=stop.looks if stop else (),
            stop_rule=stop.reached if stop else None,
            stops_for=stop.reason if stop else "",
            time_limit=how.time_limit,
            on_progress=how.on_progress,
            executor=how.executor,
            signals=cluster.signals if cluster else None,
        )
    frames = outcome.frames if how.rows else None
    folder = store.folder if store else None
    slots = cluster.slots if cluster else 0
    return Played(manifest, outcome, compile_s, slots or how.threads, folder, frames, usable=slots)


def _check_executor(executor: Any) -> None:
    if executor is None or isinstance(executor, str):
        return
    if isinstance(executor, type) or not callable(getattr(executor, "submit", None)):
        raise RequestError(
            f"executor={executor!r}: must be 'local', the address of a Dask scheduler, or an "
            "executor, such as ProcessPoolExecutor(4)."
        )


def _threads(threads: Any, executor: Executor | str | None) -> int:
    if threads is None:
        return usable_processors()
    if isinstance(executor, str) and executor != LOCAL:
        raise RequestError(
            f"--threads {threads}: the workers at {executor} have as many as they have."
        )
    return whole_number(threads, "--threads", 1, 1024)
