"""Sweeps: variants of the rules, or other players, on the same deals, against a base."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..sim.contest import Contest
from ..sim.errors import RequestError
from ..sim.observations import Observations
from ..sim.options import Rules
from ..sim.signals import interruptible
from .arms import Base, base_of, base_words
from .at_table import Report, check, stopped_with
from .at_table import words as table_words
from .cells import Cells, grid, make_sweep, text_of
from .figures import read_figures, read_matters
from .playing import begin, go_on, result_of, settle
from .read_back import saved_result
from .summary import Summary, number_text, quoted
from .sweep_at_table import sweep_at_table
from .sweep_screen import sweep_screen
from .sweep_sums import DEFAULT_GAMES, Sweep, sum_up, tidy
from .targets import read_targets

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from .plots import SweepPlots


class SweepResult:
    """A sweep: its table, its effects, its screen.

    Attributes
    ----------
    summary : Sweep
        Every figure with its interval; ``summary.to_json()`` is what ``--json`` prints.
    counts : Observations
        The exact sums all figures are computed from.
    """

    def __init__(self, summary: Sweep, counts: Observations) -> None:
        self.summary = summary
        self.counts = counts

    @property
    def table(self) -> pl.DataFrame:
        """A row for each cell and figure; differences to the base cell."""
        return tidy(self.summary)

    def to_polars(self) -> pl.DataFrame:
        """Return `table`."""
        return self.table

    def to_pandas(self) -> pd.DataFrame:
        """Return `table` as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self.summary.table())

    @property
    def cells(self) -> tuple[Summary, ...]:
        """The summary of each cell, equal to that of a run with its options."""
        return self.summary.cells

    @property
    def plot(self) -> SweepPlots:
        """Its charts, as matplotlib figures."""
        from .plots import SweepPlots

        return SweepPlots(self.summary)

    def __str__(self) -> str:
        return sweep_screen(self.summary)

    def __repr__(self) -> str:
        one = self.summary
        return (
            f"<simcards.SweepResult: {one.contest.game}, {len(one.contest.tables)} cells, "
            f"{one.completed:,} {one.contest.unit.word(one.completed)}, {one.status}>"
        )

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def play_sweep(
    base: Base,
    cells: Cells,
    *,
    n: Any = None,
    figures: Any = None,
    matters: Any = None,
    targets: Any = None,
    contest: Contest | None = None,
    file: str | None = None,
    at_table: bool = False,
    seconds_per_turn: Any = None,
    on_told: Report | None = None,
    **how: Any,
) -> SweepResult:
    """Play a sweep; see `sweep`. Everything is checked before anything is made."""
    check(at_table, seconds_per_turn)
    contest = contest or make_sweep(base, cells)
    names = read_figures(figures, contest)
    least = read_matters(matters, contest)
    wanted = read_targets(targets, contest)
    settled = settle(contest, n=n, default_n=DEFAULT_GAMES, keeps_rows=False, **how)
    words = base_words(base) if file is None else [quoted(file)]
    if file is None:
        words += [
            f"--vary {quoted(f'{name}={chr(44).join(values)}')}"
            for name, values in cells.factors.items()
        ]
    if figures is not None:
        words.append(f"--figures {','.join(names)}")
    words += [
        f"--matters {f'{name}=' if name else ''}{number_text(value)}"
        for name, value in least.items()
    ]
    words += [f"--target {name}={number_text(value)}" for name, value in wanted.items()]
    options = list(dict.fromkeys(name for cell in cells.cells for name in cell.options))
    asked = {
        "request": " ".join(words),
        "figures": list(names),
        "matters": least,
        "targets": wanted,
        "factors": {name: list(values) for name, values in cells.factors.items()},
        "options": [
            {name: text_of(cell.options.get(name)) for name in options} for cell in cells.cells
        ],
    }
    played = begin(contest, settled, lambda manifest: None, asked=asked)
    result = result_of(played, sum_up, SweepResult)
    return with_table(result, seconds_per_turn, on_told) if at_table else result


def with_table(
    result: SweepResult, seconds_per_turn: Any = None, on_told: Report | None = None
) -> SweepResult:
    """Add to a result how its cells feel at the table; their first games are told again."""
    one = result.summary
    if one.completed:
        with stopped_with(result):
            found = interruptible(
                lambda: sweep_at_table(
                    one.contest,
                    one.first,
                    one.completed,
                    level=one.level,
                    seconds=seconds_per_turn,
                    matters=one.asked["matters"],
                    on_told=on_told,
                )
            )
        result.summary = replace(
            one, at_table=found, command=f"{one.command} {table_words(seconds_per_turn)}"
        )
    return result


def resume_sweep(path: Path, n: Any = None, **how: Any) -> SweepResult:
    """Go on with a saved sweep; see `saved.resume`."""
    return result_of(go_on(path, n, lambda manifest: None, **how), sum_up, SweepResult)


def load_sweep(path: Path) -> SweepResult:
    """Read a saved sweep; see `saved.load`."""
    return saved_result(path, sum_up, SweepResult)


def sweep(
    game: str,
    vary: Mapping[str, Any],
    n: int | float | str | None = None,
    *,
    players: int | None = None,
    rules: Rules | Mapping[str, Any] | None = None,
    preset: str | None = None,
    strategies: Any = None,
    seed: int | None = None,
    first: int = 0,
    level: float = 0.95,
    figures: Sequence[str] | None = None,
    matters: float | Mapping[str, float] | None = None,
    targets: Mapping[str, float] | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    chunk_size: int | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    at_table: bool = False,
    seconds_per_turn: float | None = None,
    executor: Executor | str | None = None,
    progress: bool | None = None,
) -> SweepResult:
    """Play variants of the rules, or other players, on the same deals.

    Parameters
    ----------
    game : str
        Name or alias.
    vary : mapping
        Options to lists of their values, the base's first; all combinations are played. The keys
        ``strategy``, ``preset`` and ``players`` vary likewise. A value such as ``"1..10"`` is a
        range.
    n : int, optional
        Deals or matches, each of which every cell plays; 100,000 if left out.
    figures : sequence of str, optional
        Names of the figures to compare; the game's lengths and headlines if left out.
    matters : float or mapping, optional
        The least difference that matters: of all rates (0.01 if left out), or by name of the
        figure (of means 1 % of the base if left out).
    at_table, seconds_per_turn
        As for `run`: how each cell feels at the table, against the base.
    targets : mapping, optional
        Figures, ``unfairness`` or ``decisiveness`` to what is wanted; cells are sorted by it.
    players, rules, preset, strategies, seed, first, level, threads, time_limit, chunk_size, out, \
overwrite, executor, progress
        As for `run`, for all cells.

    Returns
    -------
    SweepResult

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
    if not isinstance(vary, Mapping):
        raise RequestError("vary: give a mapping of options to lists of their values.")
    cells = grid(vary, "vary")
    contest = make_sweep(base, cells)
    with notebook_progress(contest, progress) as on_progress:
        return play_sweep(
            base,
            cells,
            contest=contest,
            n=n,
            figures=figures,
            matters=matters,
            targets=targets,
            first=first,
            level=level,
            threads=threads,
            time_limit=time_limit,
            chunk=chunk_size,
            out=out,
            overwrite=overwrite,
            at_table=at_table,
            seconds_per_turn=seconds_per_turn,
            executor=executor,
            on_progress=on_progress,
        )
