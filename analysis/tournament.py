"""Tournaments: everybody meets everybody, or one meets all, on the same deals."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..sim.contest import Contest
from ..sim.errors import RequestError
from ..sim.observations import Observations
from ..sim.options import Rules
from .arms import Base, base_of, base_words, make_tournament
from .playing import begin, go_on, result_of, settle
from .read_back import saved_result
from .summary import quoted

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from .plots import TournamentPlots

from .tournament_screen import tournament_screen
from .tournament_sums import DEFAULT_DEALS, Tournament, sum_up


class TournamentResult:
    """A tournament: its ratings, who beats whom, its screen.

    Attributes
    ----------
    summary : Tournament
        Every figure with its interval; ``summary.to_json()`` is what ``--json`` prints.
    counts : Observations
        The exact sums all figures are computed from.
    """

    def __init__(self, summary: Tournament, counts: Observations) -> None:
        self.summary = summary
        self.counts = counts

    @property
    def ratings(self) -> pl.DataFrame:
        """A row a strategy, the highest rated first."""
        import polars as pl

        rows = self.summary.to_json()["strategies"]
        flat = [
            {key: value for key, value in row.items() if key != "interval"}
            | dict(zip(("low", "high"), row["interval"] or (None, None), strict=True))
            for row in (rows[one] for one in self.summary.ranking)
        ]
        return pl.DataFrame(flat)

    @property
    def matrix(self) -> pl.DataFrame:
        """A row a meeting: share of first places, interval, p-values."""
        import polars as pl

        return pl.DataFrame(
            [
                {key: value for key, value in row.items() if key != "interval"}
                | {"low": row["interval"][0], "high": row["interval"][1]}
                for row in self.summary.to_json()["meetings"]
            ]
        )

    def to_polars(self) -> pl.DataFrame:
        """Return `ratings`."""
        return self.ratings

    def to_pandas(self) -> pd.DataFrame:
        """Return `ratings` as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self.ratings.to_dicts())

    @property
    def plot(self) -> TournamentPlots:
        """Its charts, as matplotlib figures."""
        from .plots import TournamentPlots

        return TournamentPlots(self.summary)

    def __str__(self) -> str:
        return tournament_screen(self.summary)

    def __repr__(self) -> str:
        one = self.summary
        return (
            f"<simcards.TournamentResult: {one.contest.game}, {len(one.entrants)} strategies, "
            f"{one.completed:,} {one.contest.unit.word(one.completed)}, {one.status}>"
        )

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def play_tournament(
    base: Base,
    strategies: Sequence[Any],
    *,
    gauntlet: bool = False,
    mixed: bool = False,
    n: Any = None,
    contest: Contest | None = None,
    **how: Any,
) -> TournamentResult:
    """Play a tournament; see `tournament`. Everything is checked before anything is made."""
    contest = contest or make_tournament(base, strategies, gauntlet=gauntlet, mixed=mixed)
    settled = settle(contest, n=n, default_n=DEFAULT_DEALS, keeps_rows=False, **how)
    words = [*base_words(base), f"--strategies {quoted(','.join(contest.arms))}"]
    words += ["--gauntlet"] * gauntlet + ["--mixed"] * mixed
    asked = {"request": " ".join(words)}
    played = begin(contest, settled, lambda manifest: None, asked=asked)
    return result_of(played, sum_up, TournamentResult)


def tournament(
    game: str,
    strategies: Sequence[Any],
    n: int | float | str | None = None,
    *,
    gauntlet: bool = False,
    mixed: bool = False,
    players: int | None = None,
    rules: Rules | Mapping[str, Any] | None = None,
    preset: str | None = None,
    seed: int | None = None,
    first: int = 0,
    level: float = 0.95,
    threads: int | None = None,
    time_limit: float | None = None,
    chunk_size: int | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    executor: Executor | str | None = None,
    progress: bool | None = None,
) -> TournamentResult:
    """Let several strategies meet on the same deals, and rate them.

    Parameters
    ----------
    game : str
        Name or alias.
    strategies : sequence of str or functions
        Who takes part: at least two.
    n : int, optional
        Deals or matches, each of which every table plays; 2,000 if left out.
    gauntlet : bool
        The first strategy meets each of the others; else everybody meets everybody.
    mixed : bool
        As many different strategies at a table as it has seats; else two at a time, each on half
        the seats. Always in all seatings.
    players, rules, preset, seed, first, level, threads, time_limit, chunk_size, out, overwrite, \
executor, progress
        As for `run`.

    Returns
    -------
    TournamentResult

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

    if isinstance(strategies, str):
        raise RequestError("strategies: give a list of names.")
    base = base_of(game, players=players, rules=rules, preset=preset, seed=seed)
    contest = make_tournament(base, strategies, gauntlet=gauntlet, mixed=mixed)
    with notebook_progress(contest, progress) as on_progress:
        return play_tournament(
            base,
            strategies,
            contest=contest,
            gauntlet=gauntlet,
            mixed=mixed,
            n=n,
            first=first,
            level=level,
            threads=threads,
            time_limit=time_limit,
            chunk=chunk_size,
            out=out,
            overwrite=overwrite,
            executor=executor,
            on_progress=on_progress,
        )


def resume_tournament(folder: Path, n: Any = None, **how: Any) -> TournamentResult:
    """Go on with a saved tournament; see `saved.resume`."""
    played = go_on(folder, n, lambda manifest: None, **how)
    return result_of(played, sum_up, TournamentResult)


def load_tournament(path: Path) -> TournamentResult:
    """Read a saved tournament; see `saved.load`."""
    return saved_result(path, sum_up, TournamentResult)
