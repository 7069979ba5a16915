"""The rows of a run: one a game, flat typed columns, no nulls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .game import Column, Game

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

FORMAT = 1
"""Version of the rows' form; raised when columns change."""

STATUS = ("finished", "capped")

COMMON = (
    Column("index", "Int64", "", "number of the game in the run"),
    Column("winner", "Int8", "seat", "the seat that won alone; -1 nobody, -2 shared"),
    Column("winners", "UInt8", "bit mask", "all seats that won: bit s for seat s"),
    Column("status", "Enum", "", "finished, or capped by max_turns", "capped", STATUS),
)


def columns(game: Game, players: int) -> list[tuple[str, Column]]:
    """Return the columns of a run's rows with their names, seats written out."""
    named = []
    for column in (*COMMON, *game.columns):
        if column.per_seat:
            named += [(f"{column.name}{seat}", column) for seat in range(players)]
        else:
            named.append((column.name, column))
    return named


def polars_dtype(column: Column) -> pl.DataType:
    """Return the polars dtype of a column."""
    import polars as pl

    if column.dtype == "Enum":
        return pl.Enum(column.labels)
    dtype: pl.DataType = getattr(pl, column.dtype)()
    return dtype


def empty_frame(game: Game, players: int) -> pl.DataFrame:
    """Return the rows of no games: every column, with its dtype."""
    import polars as pl

    return pl.DataFrame(
        schema={name: polars_dtype(column) for name, column in columns(game, players)}
    )


def to_frame(game: Game, players: int, first: int, rows: np.ndarray) -> pl.DataFrame:
    """Make the rows of a chunk from what the kernel wrote.

    Parameters
    ----------
    game : Game
    players : int
        Seats that play.
    first : int
        Index of the first row.
    rows : structured array
        The kernel's rows.
    """
    import numpy as np
    import polars as pl

    series = []
    for name, column in columns(game, players):
        if name == "index":
            values = np.arange(first, first + len(rows), dtype=np.int64)
        elif column.per_seat:
            values = rows[column.source][:, int(name.removeprefix(column.name))]
        else:
            values = rows[column.source]
        dtype = polars_dtype(column)
        if column.dtype == "Enum":
            words = pl.Series(name, column.labels, dtype=dtype)
            series.append(words.gather(np.ascontiguousarray(values)))
        else:  # strict: an overflow is an error
            series.append(pl.Series(name, np.ascontiguousarray(values)).cast(dtype))
    return pl.DataFrame(series)
