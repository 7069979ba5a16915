"""A sweep's tidy table as a file that other programs read."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from .files import write_file

if TYPE_CHECKING:
    import polars as pl

FORMATS = (".csv", ".parquet")


def write_table(table: pl.DataFrame, path: Path) -> None:
    """Write the table; the file's ending says in which form.

    Raises
    ------
    RunError
        When it can't be written.
    """
    file = io.BytesIO()
    if path.suffix.lower() == ".csv":
        file.write(table.write_csv().encode())
    else:
        table.write_parquet(file, compression="zstd")
    write_file(path, file.getvalue())
