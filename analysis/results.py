"""Runs as users see them: play, go on, read again; a result with its summary and rows."""

from __future__ import annotations

import contextlib
import html
import signal
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..sim.chunk import prepare_plan
from ..sim.counts import Counts, total
from ..sim.errors import Interrupted, RequestError, SimcardsError, StrategyError
from ..sim.numbers import LARGEST_INDEX, games_count, real_number, whole_number
from ..sim.options import Rules
from ..sim.plan import Plan, check_range, chunk_size, make_plan
from ..sim.processors import usable_processors
from ..sim.rows import empty_frame
from ..sim.run import Outcome, Progress, execute, explain
from ..sim.store import (
    Manifest,
    Store,
    is_being_written,
    new_manifest,
    prefix,
    read_manifest,
    scan_rows,
    whole_parts,
)
from .screen import run_screen
from .sequential import confidence_sequence, look_counts
from .summary import Summary, quoted, request_words, summarise

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

DEFAULT_GAMES = 100_000
PRECISION_CEILING = 10**9


class Result:
    """What a run came to.

    Attributes
    ----------
    summary : Summary
        Every figure with its interval; ``summary.to_json()`` is what ``--json`` prints.
    counts : Counts
        The exact counts all figures are computed from.
    """

    def __init__(
        self,
        summary: Summary,
        counts: Counts,
        frames: list[pl.DataFrame] | None,
        folder: Path | None,
    ) -> None:
        self.summary = summary
        self.counts = counts
        self._frames = frames
        self._folder = folder

    @property
    def rows(self) -> pl.DataFrame:
        """The rows, one a game, in order of the index.

        Raises
        ------
        RequestError
            When none were kept.
        """
        if self._frames is not None:
            import polars as pl

            plan = self.summary.plan
            return pl.concat(self._frames or [empty_frame(plan.description, plan.rules.players)])
        if self._folder is not None:
            return scan_rows(self._folder).collect()
        raise RequestError("no rows were kept; run with rows=True, or with out='FOLDER'.")

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas frame; the status becomes a categorical."""
        return to_pandas(self.rows)

    def __str__(self) -> str:
        return run_screen(self.summary)

    def __repr__(self) -> str:
        summary = self.summary
        return (
            f"<simcards.Result: {summary.plan.game}, {summary.completed:,} "
            f"{summary.plan.unit.word(summary.completed)}, {summary.status}>"
        )

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(run_screen(self.summary))}</pre>"


def to_pandas(rows: pl.DataFrame) -> pd.DataFrame:
    """Return rows as a pandas frame, without needing pyarrow."""
    import pandas as pd
    import polars as pl

    columns: dict[str, Any] = {}
    for series in rows:
        if isinstance(series.dtype, pl.Enum):
            words = series.dtype.categories.to_list()
            codes = series.to_physical().to_numpy()
            columns[series.name] = pd.Categorical.from_codes(codes, words)
        else:
            columns[series.name] = series.to_numpy()
    return pd.DataFrame(columns)


def precision_rule(precision: float, level: float) -> Callable[[Counts], bool]:
    """Return the rule that stops a run when every seat's share of wins is known to +- this."""

    def reached(counts: Counts) -> bool:
        return all(
            confidence_sequence(total_, counts.finished, level, scale=60).half_width <= precision
            for total_ in counts.score60
        )

    return reached


def _finish(
    manifest: Manifest,
    store: Store | None,
    outcome: Outcome,
    compile_s: float,
    threads: int,
    frames: list[pl.DataFrame] | None,
) -> Result:
    """Make the result of what was played, or raise what went wrong."""
    plan = manifest.plan
    folder = store.folder if store else None
    if outcome.error is not None:
        error: SimcardsError = explain(outcome.error, plan)
        said = str(error)
        if isinstance(error, StrategyError):
            again = f"{request_words(plan)} --seed {plan.seed}"
            watched = quoted(str(folder)) if folder else again
            said += f"\n  Watch it: simcards replay {watched} --index {error.index}"
        if folder:
            kept = f"{outcome.counts.games:,} finished {plan.unit.many} are kept"
            said += f"\n  {kept}: simcards resume {quoted(str(folder))}"
        error.args = (said,)
        raise error from (outcome.error if outcome.error is not error else error.__cause__)
    summary = summarise(
        plan,
        outcome.counts,
        first=manifest.first,
        n=manifest.n,
        status=outcome.status,
        stop_reason=outcome.stop_reason,
        level=manifest.level,
        precision=manifest.precision,
        elapsed_s=outcome.seconds,
        compile_s=compile_s,
        games_per_s=outcome.played / outcome.seconds if outcome.played else 0.0,
        threads=threads,
        usable_threads=usable_processors(),
        saved_in=str(folder) if folder else "",
        keeps_rows=manifest.keeps_rows,
    )
    result = Result(summary, outcome.counts, frames, folder)
    if outcome.signal or outcome.stuck is not None:
        said = f"stopped after {outcome.counts.games:,} of {manifest.n:,} {plan.unit.many}"
        if folder:
            said += f".\n  Go on: simcards resume {quoted(str(folder))}"
        if outcome.stuck is not None:
            said += f".\n  In {plan.unit.one} {outcome.stuck} a strategy did not return."
        raise Interrupted(
            said,
            outcome.signal or signal.SIGTERM,
            result,
            stuck=outcome.stuck is not None,
        )
    return result


def _play(
    manifest: Manifest,
    store: Store | None,
    *,
    threads: int,
    keep_frames: bool,
    time_limit: float | None,
    on_progress: Callable[[Progress], None] | None,
    compile_s: float,
    executor: Executor | None,
) -> Result:
    precision = manifest.precision
    outcome = execute(
        manifest.plan,
        first=manifest.first,
        n=manifest.n,
        chunk_size=manifest.chunk_size,
        threads=threads,
        keep_frames=keep_frames,
        store=store,
        looks=tuple(look_counts(manifest.n)) if precision is not None else (),
        stop_rule=precision_rule(precision, manifest.level) if precision is not None else None,
        time_limit=time_limit,
        on_progress=on_progress,
        executor=executor,
    )
    frames = outcome.frames if keep_frames else None
    return _finish(manifest, store, outcome, compile_s, threads, frames)


@contextlib.contextmanager
def _explained(plan: Plan) -> Iterator[None]:
    """Say what went wrong when a folder can't be written."""
    try:
        yield
    except OSError as error:
        raise explain(error, plan) from error


def _threads(threads: Any) -> int:
    return usable_processors() if threads is None else whole_number(threads, "--threads", 1, 1024)


def run_plan(
    plan: Plan,
    *,
    n: Any = None,
    first: Any = 0,
    threads: Any = None,
    level: Any = 0.95,
    precision: Any = None,
    time_limit: Any = None,
    chunk: Any = None,
    rows: bool = False,
    out: str | Path | None = None,
    keep_rows_in_out: bool = True,
    overwrite: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    on_compile: Callable[[], None] | None = None,
    executor: Executor | None = None,
) -> Result:
    """Run a plan; see `run` for the parameters. Everything is checked before anything is made."""
    if precision is not None:
        precision = real_number(precision, "--precision", 0, 0.5)
    default = DEFAULT_GAMES if precision is None else PRECISION_CEILING
    games = default if n is None else games_count(n)
    start = whole_number(first, "--first", 0, LARGEST_INDEX)
    check_range(start, games)
    level = real_number(level, "--level", 0, 1)
    if time_limit is not None:
        time_limit = real_number(time_limit, "--time-limit", 0, float("inf"))
    workers = _threads(threads)
    size = chunk_size(plan) if chunk is None else whole_number(chunk, "--chunk-size", 1, 10**7)
    if out is not None and (not isinstance(out, str | Path) or not str(out)):
        raise RequestError(f"--out {out!r}: name a folder.")
    if not isinstance(rows, bool):
        raise RequestError(f"rows={rows!r}: must be True or False.")
    if out is not None:
        Store.check_free(Path(out), overwrite=overwrite)
        for bot in plan.bots:
            if not bot.path:
                raise RequestError(
                    f"--out {out}: a function given in Python can't be kept with a run.\n"
                    f"  Put {bot.name} in a file and name it: strategies='my_bot.py:{bot.name}'."
                )
    compile_s = prepare_plan(plan, on_compile)
    manifest = new_manifest(
        plan,
        first=start,
        n=games,
        chunk_size=size,
        precision=precision,
        level=level,
        keeps_rows=keep_rows_in_out,
    )
    store = None
    if out is not None:
        with _explained(plan):
            store = Store.create(Path(out), manifest, overwrite=overwrite)
    try:
        return _play(
            manifest,
            store,
            threads=workers,
            keep_frames=rows,
            time_limit=time_limit,
            on_progress=on_progress,
            compile_s=compile_s,
            executor=executor,
        )
    finally:
        if store:
            store.close()


def run(
    game: str,
    n: int | float | str | None = None,
    *,
    players: int | None = None,
    rules: Rules | Mapping[str, Any] | None = None,
    preset: str | None = None,
    strategies: Any = None,
    seed: int | None = None,
    first: int = 0,
    threads: int | None = None,
    level: float = 0.95,
    precision: float | None = None,
    time_limit: float | None = None,
    chunk_size: int | None = None,
    rows: bool = False,
    out: str | Path | None = None,
    overwrite: bool = False,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> Result:
    """Play many games and sum them up.

    Parameters
    ----------
    game : str
        Name or alias; `simcards.games()` lists the names.
    n : int, optional
        Number of games (of matches, deals: the game's unit); a float with a whole value
        will do. 100,000 if left out, and the ceiling of 1e9 with `precision`.
    players : int, optional
        The rule of that name.
    rules : mapping, optional
        Option names to values, over the preset.
    preset : str, optional
        Name of a set of rules.
    strategies : str or function, sequence of them, or mapping of int to them, optional
        One for all seats, one a seat, or those of some seats. A name, a file with a function
        such as ``my_bot.py:play:hold=2``, or a function of a view (docs/strategies/writing.md).
    seed : int, optional
        0 to 2^64-1. Drawn from the system, and recorded, if left out.
    first : int
        Index of the first game.
    threads : int, optional
        As many as the process may use if left out. The rows never depend on it.
    level : float
        Of the intervals.
    precision : float, optional
        Stop when every seat's share of the wins is known to plus or minus this.
    time_limit : float, optional
        Seconds after which no more is played.
    chunk_size : int, optional
        Most games handed to a thread at a time. The rows never depend on it.
    rows : bool
        Keep the rows, one a game, in memory.
    out : path, optional
        Folder to keep the run in, rows included; it can be resumed.
    overwrite : bool
        Replace a run that lies in `out`.
    executor : concurrent.futures.Executor, optional
        Plays the chunks instead of threads of this process.
    progress : bool, optional
        Show a moving line; by default in notebooks only.

    Returns
    -------
    Result

    Raises
    ------
    RequestError
        When the request can't be done as stated; nothing was played or written.
    RunError
        When something failed; with `out`, what was finished is kept.
    Interrupted
        When stopped from outside; its `result` is of what was finished.
    """
    from .progress import notebook_progress

    plan = make_plan(
        game,
        players=players,
        rules=rules,
        preset=preset,
        strategies=strategies,
        seed=seed,
        source="rules",
        strategy_source="strategies",
    )
    with notebook_progress(plan, progress) as on_progress:
        return run_plan(
            plan,
            n=n,
            first=first,
            threads=threads,
            level=level,
            precision=precision,
            time_limit=time_limit,
            chunk=chunk_size,
            rows=rows,
            out=out,
            overwrite=overwrite,
            executor=executor,
            on_progress=on_progress,
        )


def resume(
    folder: str | Path,
    n: int | float | str | None = None,
    *,
    threads: int | str | None = None,
    time_limit: float | str | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_compile: Callable[[], None] | None = None,
    executor: Executor | None = None,
) -> Result:
    """Go on with a saved run, to the very rows an undisturbed one gives.

    Parameters
    ----------
    folder : path
    n : int, optional
        A larger number of games; may only grow.
    threads, time_limit, executor
        As for `run`.

    Raises
    ------
    RequestError
        When there is no run, another engine made it, `n` is smaller than before, or somebody
        else writes to it; nothing is touched.
    """
    path = Path(folder)
    manifest = read_manifest(path)
    games = manifest.n if n is None else games_count(n)
    if games < manifest.n:
        raise RequestError(f"--n {n}: the run was made for {manifest.n:,}; it can only grow.")
    check_range(manifest.first, games)
    workers = _threads(threads)
    if time_limit is not None:
        time_limit = real_number(time_limit, "--time-limit", 0, float("inf"))
    compile_s = prepare_plan(manifest.plan, on_compile)
    with _explained(manifest.plan):
        store = Store.reopen(path)
    try:
        with _explained(manifest.plan):
            store.begin(games)
        return _play(
            store.manifest,
            store,
            threads=workers,
            keep_frames=False,
            time_limit=time_limit,
            on_progress=on_progress,
            compile_s=compile_s,
            executor=executor,
        )
    finally:
        store.close()


def load(folder: str | Path) -> Result:
    """Read a saved run: its summary, and its rows when asked for.

    Raises
    ------
    RequestError
        When there is no run, or one of another engine.
    """
    path = Path(folder)
    manifest = read_manifest(path)
    counts = total(part.counts for part in prefix(whole_parts(path, check=False), manifest.first))
    damaged = counts.games < manifest.completed
    stopped = damaged or manifest.status == "running"
    reason = "damaged" if damaged else manifest.stop_reason
    if manifest.status == "running" and is_being_written(path):
        reason = "running"
    summary = summarise(
        manifest.plan,
        counts,
        first=manifest.first,
        n=manifest.n,
        status="partial" if stopped else manifest.status,
        stop_reason=reason,
        level=manifest.level,
        precision=manifest.precision,
        saved_in=str(path),
        keeps_rows=manifest.keeps_rows,
    )
    return Result(summary, counts, None, path)
