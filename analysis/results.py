"""Runs as users see them: play, go on, read again; a result with its summary and rows."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..sim.counts import Counts
from ..sim.errors import RequestError
from ..sim.manifest import Manifest
from ..sim.numbers import real_number
from ..sim.options import Rules
from ..sim.plan import Plan, make_plan
from ..sim.run import Progress
from ..sim.signals import interruptible
from . import at_table as table
from .playing import (
    PRECISION_CEILING,
    Played,
    Stopping,
    begin,
    go_on,
    result_of,
    settle,
)
from .read_back import kept_rows, saved_result
from .screen import run_screen
from .sequential import confidence_sequence, look_counts
from .summary import Summary, summarise

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from .plots import RunPlots

DEFAULT_GAMES = 100_000


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
        one = self.summary
        return kept_rows(one.plan, self._frames, self._folder, one.completed)

    def to_polars(self) -> pl.DataFrame:
        """Return `rows`."""
        return self.rows

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas frame; the status becomes a categorical."""
        return to_pandas(self.rows)

    @property
    def plot(self) -> RunPlots:
        """Its charts, as matplotlib figures."""
        from .plots import RunPlots

        return RunPlots(self.summary, self.counts)

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


def _stopping(manifest: Manifest) -> Stopping | None:
    """When a run with a precision goal is done."""
    if manifest.precision is None:
        return None
    rule = precision_rule(manifest.precision, manifest.level)
    return Stopping(tuple(look_counts(manifest.n)), rule, "precision")


def _sum_up(manifest: Manifest, counts: Counts, **ended: Any) -> Summary:
    """Make the summary of a run."""
    if not isinstance(manifest.plan, Plan):
        raise RequestError(
            f"{ended['saved_in']}: holds a {manifest.format.split()[-1]}, not a run."
        )
    return summarise(
        manifest.plan,
        counts,
        first=manifest.first,
        n=manifest.n,
        level=manifest.level,
        precision=manifest.precision,
        keeps_rows=manifest.keeps_rows,
        **ended,
    )


def _result(played: Played) -> Result:
    def make(summary: Summary, counts: Counts) -> Result:
        return Result(summary, counts, played.frames, played.folder)

    return result_of(played, _sum_up, make)


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
    executor: Executor | str | None = None,
    at_table: bool = False,
    seconds_per_turn: Any = None,
    on_told: table.Report | None = None,
) -> Result:
    """Run a plan; see `run` for the parameters. Everything is checked before anything is made."""
    if precision is not None:
        precision = real_number(precision, "--precision", 0, 0.5)
    how = settle(
        plan,
        n=n,
        default_n=DEFAULT_GAMES if precision is None else PRECISION_CEILING,
        first=first,
        threads=threads,
        level=level,
        time_limit=time_limit,
        chunk=chunk,
        rows=rows,
        out=out,
        keeps_rows=keep_rows_in_out,
        overwrite=overwrite,
        on_progress=on_progress,
        on_compile=on_compile,
        executor=executor,
    )
    table.check(at_table, seconds_per_turn)
    result = _result(begin(plan, how, _stopping, precision=precision))
    return with_table(result, seconds_per_turn, on_told) if at_table else result


def with_table(
    result: Result, seconds_per_turn: Any = None, on_told: table.Report | None = None
) -> Result:
    """Add to a result how the game feels at the table; its first games are told again."""
    summary = result.summary
    if not summary.completed:
        return result
    with table.stopped_with(result):
        found = interruptible(
            lambda: table.at_table(
                summary.plan,
                summary.first,
                summary.completed,
                level=summary.level,
                seconds=seconds_per_turn,
                on_told=on_told,
            )
        )
    result.summary = replace(
        summary, at_table=found, command=f"{summary.command} {table.words(seconds_per_turn)}"
    )
    return result


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
    at_table: bool = False,
    seconds_per_turn: float | None = None,
    executor: Executor | str | None = None,
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
        Most games played and kept together. The rows never depend on it.
    rows : bool
        Keep the rows, one a game, in memory.
    out : path, optional
        Folder to keep the run in, rows included; it can be resumed.
    overwrite : bool
        Replace a run that lies in `out`.
    at_table : bool
        Tell the first 10,000 games again and say how the game feels at the table: minutes, waiting,
        choices, leads and comebacks.
    seconds_per_turn : float, optional
        For its minutes; 10 if left out.
    executor : concurrent.futures.Executor or str, optional
        Plays the chunks instead of threads of this process. A text is the address of a Dask
        scheduler, such as ``tcp://host:8786``, or ``local``, which starts one (docs/clusters.md).
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
            at_table=at_table,
            seconds_per_turn=seconds_per_turn,
            executor=executor,
            on_progress=on_progress,
        )


def resume_run(folder: Path, n: Any = None, **how: Any) -> Result:
    """Go on with a saved run; see `saved.resume`."""
    return _result(go_on(folder, n, _stopping, **how))


def load_run(path: Path) -> Result:
    """Read a saved run; see `saved.load`."""
    return saved_result(path, _sum_up, lambda summary, counts: Result(summary, counts, None, path))
