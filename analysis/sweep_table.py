"""A sweep's tidy table as a file that other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..sim.errors import RequestError, RunError
from ..sim.journal import write_whole

if TYPE_CHECKING:
    import polars as pl

FORMATS = (".csv", ".parquet")


def check_table_file(target: str, *, overwrite: bool) -> Path:
    """Refuse a file that the table can't be written to.

    Raises
    ------
    RequestError
        When its ending is of no table, its folder doesn't exist, or it exists already.
    """
    path = Path(target)
    if path.suffix.lower() not in FORMATS:
        raise RequestError(f"--table {target}: must end in {' or '.join(FORMATS)}.")
    if not path.parent.is_dir():
        raise RequestError(f"--table {target}: there is no folder {path.parent}.")
    if path.is_dir():
        raise RequestError(f"--table {target}: is a folder.")
    if path.exists() and not overwrite:
        raise RequestError(
            f"--table {target}: exists already.\n  Choose another name, or add --overwrite."
        )
    return path


def write_table(table: pl.DataFrame, path: Path) -> None:
    """Write the table, under its name only when it is whole.

    Raises
    ------
    RunError
        When it can't be written.
    """
    import io

    file = io.BytesIO()
    if path.suffix.lower() == ".csv":
        file.write(table.write_csv().encode())
    else:
        table.write_parquet(file, compression="zstd")
    try:
        write_whole(path, file.getvalue())
    except OSError as error:
        raise RunError(f"{path}: can't be written: {error.strerror or error}.") from None
