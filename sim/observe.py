"""Playing observations: each index at all tables of a contest, summed up exactly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .chunk import Chunk, new_control, play_chunk, play_raw
from .contest import TABLES, Cell, Contest
from .counts import SHARE, count_rows
from .errors import StrategyError
from .observations import Observations, differences_of, moments_of
from .plan import Plan

if TYPE_CHECKING:
    import numpy as np


def row_names(contest: Contest) -> Mapping[str, tuple[Cell, ...]]:
    """Return the columns of a comparison's rows: a name, and the values it is the sum of."""
    columns: dict[str, tuple[Cell, ...]] = {}
    for arm, letter in enumerate("ab"):
        if contest.kind == TABLES:
            for block in contest.blocks.values():
                for ((table, name),) in block:
                    if table == arm:
                        columns[f"{letter}_{name}"] = ((table, name),)
        else:
            for figure in contest.seat_figures:
                columns[f"{letter}_{figure}"] = tuple(
                    (table, f"{figure}_{seat}")
                    for table, seat, whose in contest.cells
                    if whose == arm
                )
    return columns


class _Values:
    """The values of a table's games by name, as int64 arrays; all are 0 in capped games."""

    def __init__(self, plan: Plan, rows: np.ndarray) -> None:
        self.game = plan.description
        self.players = plan.rules.players
        self.rows = rows
        self.finished = rows["capped"] == 0
        self.counts = {count.name: count for count in self.game.counts}
        self.figures = {figure.name: figure for figure in self.game.seat_figures}
        self.found: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.found:
            import numpy as np

            self.found[name] = np.asarray(self._read(name), np.int64) * self.finished
        return self.found[name]

    def _read(self, name: str) -> Any:
        import numpy as np

        if name == "finished":
            return self.finished
        if name in self.game.lengths:
            return self.rows[name]
        if name in self.counts:
            count = self.counts[name]
            values = self.rows[count.field]
            if count.at is not None:
                return values[:, count.at]
            return values.sum(axis=1) if count.per_seat else values
        head, _, number = name.rpartition("_")
        seat = int(number)
        if head == "win":
            masks = np.arange(1 << self.players)
            ones = np.array([max(1, int(mask).bit_count()) for mask in masks])
            return np.where(masks >> seat & 1, SHARE // ones, 0)[self.rows["winners"]]
        if head in self.figures:
            figure = self.figures[head]
            values = self.rows[figure.field][:, seat]
            return values == self.players if figure.last else values
        if head in self.game.scores:
            return self.rows[head][:, seat]
        return self.rows[self.counts[head].field][:, seat]


def play_observations(
    contest: Contest,
    start: int,
    stop: int,
    keep_rows: bool,
    control: np.ndarray | None = None,
) -> Chunk | None:
    """Play the observations start .. stop - 1: each index at every table.

    Returns
    -------
    Chunk or None
        None when it was asked to stop before it was through.

    Raises
    ------
    StrategyError
        When a user's strategy fails: of the first index at which one does, the first table.
    """
    import numpy as np

    control = new_control() if control is None else control
    tables: list[_Values] = []
    capped, nobody, runs = [], [], []
    failed: StrategyError | None = None
    for table in contest.tables:
        games = (failed.index if failed else stop) - start
        if games == 0:
            break
        try:
            done = play_raw(table.plan, start, games, control)
        except StrategyError as error:
            failed = error
            continue
        if done.played < games:
            return None
        tables.append(_Values(table.plan, done.rows))
        capped.append(int((done.rows["capped"] != 0).sum()))
        nobody.append(int((tables[-1].finished & (done.rows["winners"] == 0)).sum()))
        if contest.by_table:
            players = table.plan.rules.players
            runs.append(count_rows(contest.description, players, done.rows, done.tally))
    if failed:
        raise failed

    def column(cells: Sequence[Cell]) -> np.ndarray:
        return sum((tables[table][name] for table, name in cells), np.zeros(stop - start, np.int64))

    moments = {
        name: moments_of(np.stack([column(cells) for cells in columns], axis=1))
        for name, columns in contest.blocks.items()
    }
    lead = np.zeros(stop - start, np.int64)
    for weight, cell in contest.lead:
        lead += weight * column([cell])
    if contest.kind == TABLES:  # a game that was capped has no length to compare
        lead *= tables[0].finished & tables[1].finished
    signs, highest, lowest = differences_of(lead, start)
    counts = Observations(
        stop - start, tuple(capped), tuple(nobody), moments, signs, highest, lowest, tuple(runs)
    )
    frame = None
    if keep_rows:
        import polars as pl

        values = {name: column(cells) for name, cells in row_names(contest).items()}
        frame = pl.DataFrame({"index": np.arange(start, stop, dtype=np.int64), **values})
    return Chunk(start, stop, counts, frame)


def play_of(played: Plan | Contest) -> Callable[..., Chunk | None]:
    """Return what plays a chunk."""
    return play_observations if isinstance(played, Contest) else play_chunk
