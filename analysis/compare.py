"""Comparisons: two arms on the same deals, judged by the size of their difference."""

from __future__ import annotations

import html
from collections.abc import Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..sim.contest import TABLES, Contest
from ..sim.errors import RequestError
from ..sim.manifest import Manifest
from ..sim.numbers import real_number, whole_number
from ..sim.observations import Observations
from ..sim.options import Rules
from .arms import Base, base_of, comparison_words, make_comparison
from .compare_screen import comparison_screen
from .compare_sums import main_sums, sum_up
from .comparison import DEFAULT_DEALS, Asked, Comparison
from .effects import is_share
from .figures import read_matters
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
from .sequential import look_counts, mean_sequence
from .sprt import Sprt, decide, sprt_looks

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from .plots import ComparisonPlots


class ComparisonResult:
    """A comparison: its figures, its rows (one an observation), its screen.

    Attributes
    ----------
    summary : Comparison
        Every figure with its interval; ``summary.to_json()`` is what ``--json`` prints.
    counts : Observations
        The exact sums all figures are computed from; of two saved runs of different deals those
        of the first.
    """

    def __init__(
        self,
        summary: Comparison,
        counts: Any,
        frames: list[pl.DataFrame] | None,
        folder: Path | None,
    ) -> None:
        self.summary = summary
        self.counts = counts
        self._frames = frames
        self._folder = folder

    @property
    def rows(self) -> pl.DataFrame:
        """The rows, one an observation: sums over its tables, by arm.

        Raises
        ------
        RequestError
            When none were kept.
        """
        one = self.summary
        return kept_rows(one.contest, self._frames, self._folder, one.completed)

    def to_polars(self) -> pl.DataFrame:
        """Return `rows`."""
        return self.rows

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas frame."""
        from .results import to_pandas

        return to_pandas(self.rows)

    @property
    def plot(self) -> ComparisonPlots:
        """Its charts, as matplotlib figures."""
        from .plots import ComparisonPlots

        return ComparisonPlots(self.summary, self.counts)

    def __str__(self) -> str:
        return comparison_screen(self.summary)

    def __repr__(self) -> str:
        one = self.summary
        return (
            f"<simcards.ComparisonResult: {one.contest.game}, {' against '.join(one.contest.arms)}"
            f", {one.completed:,} {one.contest.unit.word(one.completed)}, {one.status}>"
        )

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def stopping(manifest: Manifest) -> Stopping | None:
    """When a comparison is done before its last observation."""
    contest = manifest.plan
    assert isinstance(contest, Contest)
    asked = Asked.from_json(manifest.asked)
    goal, test, level = manifest.precision, asked.sprt, manifest.level
    if test is not None:

        def decided(counts: Observations) -> bool:
            sums, scale, share = main_sums(contest, counts, asked.unit)
            return bool(decide(test, *sums, scale=scale, largest=1.0, bounded=share))

        return Stopping(tuple(sprt_looks(test.minimum, manifest.n)), decided, "test")
    if goal is not None:

        def reached(counts: Observations) -> bool:
            sums, scale, share = main_sums(contest, counts, asked.unit)
            interval = mean_sequence(*sums, level, scale=scale, largest=1.0, bounded=share)
            return interval.half_width <= goal

        return Stopping(tuple(look_counts(manifest.n)), reached, "precision")
    return None


def _result(played: Played) -> ComparisonResult:
    def make(summary: Comparison, counts: Observations) -> ComparisonResult:
        return ComparisonResult(summary, counts, played.frames, played.folder)

    return result_of(played, sum_up, make)


def read_sprt(
    text: Any, alpha: Any = None, beta: Any = None, minimum: Any = None, *, share: bool = True
) -> Sprt:
    """Read a sequential test such as ``0..0.01``.

    Raises
    ------
    RequestError
        When it isn't two differences, the smaller one first.
    """
    low, dots, high = text.partition("..") if isinstance(text, str) else ("", "..", "")
    try:
        h0, h1 = (float(low), float(high)) if isinstance(text, str) else map(float, text)
    except (TypeError, ValueError):
        raise RequestError(f"--sprt {text}: write two differences, such as 0..0.01.") from None
    most = 1.0 if share else 1e9
    if not dots or not h0 < h1 or not (-most <= h0 and h1 <= most):
        raise RequestError(
            f"--sprt {text}: write two differences, the smaller one first, such as 0..0.01"
            + (".\n  They are of 1: 0.01 is one first place in a hundred." if share else ".")
        )
    return Sprt(
        h0,
        h1,
        Sprt.alpha if alpha is None else real_number(alpha, "--alpha", 0, 0.5),
        Sprt.beta if beta is None else real_number(beta, "--beta", 0, 0.5),
        Sprt.minimum if minimum is None else whole_number(minimum, "--minimum", 100, 10**9),
    )


def compare_base(
    base: Base,
    a: Any,
    b: Any,
    *,
    against: Any = None,
    n: Any = None,
    matters: Any = None,
    unit: str | None = None,
    precision: Any = None,
    sprt: Any = None,
    alpha: Any = None,
    beta: Any = None,
    minimum: Any = None,
    contest: Contest | None = None,
    request: str | None = None,
    **how: Any,
) -> ComparisonResult:
    """Compare; see `compare` for the parameters. Everything is checked before anything is made."""
    contest = contest or make_comparison(base, a, b, against)
    unit = "win" if unit is None else str(unit)
    if contest.kind != TABLES and unit not in contest.seat_figures:
        raise RequestError(
            f"--unit {unit}: no such figure.\n  There are: {', '.join(contest.seat_figures)}."
        )
    share = contest.kind != TABLES and is_share(contest, unit)
    if contest.kind == TABLES and (precision is not None or sprt is not None or unit != "win"):
        option = "--sprt" if sprt is not None else "--precision" if precision else "--unit"
        raise RequestError(
            f"{option}: these are two tables without a strategy whose wins could be watched.\n"
            "  Name two strategies, or put each arm on one seat with --against NAME, or use --n."
        )
    if precision is not None and sprt is not None:
        raise RequestError("--precision and --sprt both say when to stop: choose one.")
    if sprt is None and (alpha is not None or beta is not None or minimum is not None):
        raise RequestError(
            "--alpha, --beta and --minimum belong to --sprt, such as --sprt 0..0.01."
        )
    if precision is not None:
        precision = real_number(precision, "--precision", 0, 1 if share else float("inf"))
    test = None if sprt is None else read_sprt(sprt, alpha, beta, minimum, share=share)
    if request is None:
        request = comparison_words(base, a, b, against)
    asked = Asked(request, unit, read_matters(matters, contest), test)
    stops_itself = precision is not None or test is not None
    settled = settle(
        contest, n=n, default_n=PRECISION_CEILING if stops_itself else DEFAULT_DEALS, **how
    )
    return _result(begin(contest, settled, stopping, precision=precision, asked=asked.to_json()))


def compare(
    game: str,
    a: Any,
    b: Any,
    n: int | float | str | None = None,
    *,
    against: Any = None,
    players: int | None = None,
    rules: Rules | Mapping[str, Any] | None = None,
    preset: str | None = None,
    strategies: Any = None,
    seed: int | None = None,
    first: int = 0,
    level: float = 0.95,
    matters: float | Mapping[str, float] | None = None,
    unit: str | None = None,
    precision: float | None = None,
    sprt: tuple[float, float] | str | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    minimum: int | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    chunk_size: int | None = None,
    rows: bool = False,
    out: str | Path | None = None,
    overwrite: bool = False,
    executor: Executor | str | None = None,
    progress: bool | None = None,
) -> ComparisonResult:
    """Compare two strategies, or two variants of the rules, on the same deals.

    Two strategies sit at one table, each on half the seats, in all seatings of every deal. With
    `against` each sits alone among that strategy, on every seat in turn, at a table of its own.
    Anything else is two tables at which the same deals are played. One index with all its seatings
    is one observation.

    Parameters
    ----------
    game : str
        Name or alias.
    a, b : str, function, mapping, or sequence of them
        The arms: a strategy, ``"KEY=VALUE"``, a function of a view, or a mapping of rules, with
        the keys ``preset``, ``players`` and ``strategy`` besides.
    n : int, optional
        Observations; 20,000 if left out, and the ceiling of 1e9 with `precision` or `sprt`.
    against : str or function, optional
        Who plays the other seats.
    players, rules, preset, strategies, seed, first, level, threads, time_limit, chunk_size, \
rows, out, overwrite, executor, progress
        As for `run`, for both arms. `level` is that of the intervals.
    matters : float or mapping, optional
        The least difference that matters: of all shares and rates (0.01, which is one of a
        hundred, if left out), or by name of the figure.
    unit : str, optional
        The figure that the verdict and the stopping rest on: ``win``, or ``points`` and others
        that the game has.
    precision : float, optional
        Stop when the difference is known to plus or minus this.
    sprt : (float, float) or str, optional
        Two differences; stop when the observations speak for one of them.
    alpha, beta : float, optional
        Its error rates, 0.05 if left out.
    minimum : int, optional
        Observations below which it never stops, 500 if left out.

    Returns
    -------
    ComparisonResult

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

    base = base_of(
        game, players=players, rules=rules, preset=preset, strategies=strategies, seed=seed
    )
    contest = make_comparison(base, a, b, against)
    with notebook_progress(contest, progress) as on_progress:
        return compare_base(
            base,
            a,
            b,
            contest=contest,
            against=against,
            n=n,
            matters=matters,
            unit=unit,
            precision=precision,
            sprt=sprt,
            alpha=alpha,
            beta=beta,
            minimum=minimum,
            first=first,
            level=level,
            threads=threads,
            time_limit=time_limit,
            chunk=chunk_size,
            rows=rows,
            out=out,
            overwrite=overwrite,
            executor=executor,
            on_progress=on_progress,
        )


def resume_comparison(folder: Path, n: Any = None, **how: Any) -> ComparisonResult:
    """Go on with a saved comparison; see `saved.resume`."""
    return _result(go_on(folder, n, stopping, **how))


def load_comparison(path: Path) -> ComparisonResult:
    """Read a saved comparison; see `saved.load`."""
    return saved_result(
        path, sum_up, lambda summary, counts: ComparisonResult(summary, counts, None, path)
    )
