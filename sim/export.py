"""Rows of a saved run as one file that other programs read."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from .errors import RequestError, RunError
from .journal import ROWS, Journal
from .manifest import parquet_metadata, read_manifest
from .store import scan_rows

if TYPE_CHECKING:
    import polars as pl

FORMATS = ("csv", "parquet")


def export(folder: Path, form: str, target: str, *, overwrite: bool = False) -> int:
    """Write the rows of a saved run to a file, or to standard output.

    Parameters
    ----------
    folder : Path
    form : str
        csv (comma, point, UTF-8, line feeds, whatever the locale) or parquet.
    target : str
        A file's path, or ``-``.
    overwrite : bool
        Replace the file if there is one.

    Returns
    -------
    int
        Number of rows.

    Raises
    ------
    RequestError
        When the run keeps no rows, or the file exists.
    RunError
        When rows are damaged, or the file can't be written.
    """
    if form not in FORMATS:
        raise RequestError(f"--to {form}: must be one of {', '.join(FORMATS)}.")
    rows_ = scan_rows(folder)  # refused before anything is written
    if target == "-":
        return _write(folder, rows_, form, sys.stdout.buffer)
    path = Path(target)
    if not path.parent.is_dir():
        raise RequestError(f"{path}: there is no folder {path.parent}.")
    if path.exists() and not overwrite:
        raise RequestError(f"{path}: exists already.\n  Choose another name, or add --overwrite.")
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent or ".", prefix=f".{path.name}.")
        try:
            with open(handle, "wb") as file:
                rows = _write(folder, rows_, form, file)
                file.flush()
                os.fsync(file.fileno())
            # mkstemp makes files private; a new file should be as any other.
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(temporary, 0o666 & ~umask)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise RunError(f"{path}: can't be written: {error.strerror or error}.") from None
    return rows


def _write(folder: Path, frame: pl.LazyFrame, form: str, file: BinaryIO) -> int:
    """Write part by part, so that memory doesn't grow with the run."""
    import polars as pl

    manifest = read_manifest(folder)
    if form == "parquet":
        with tempfile.TemporaryDirectory() as place:
            whole = Path(place) / "rows.parquet"
            frame.sink_parquet(whole, compression="zstd", metadata=parquet_metadata(manifest))
            with open(whole, "rb") as source:
                while block := source.read(1 << 20):
                    file.write(block)
            return int(pl.scan_parquet(whole).select(pl.len()).collect().item())
    rows = 0
    with Journal(folder) as journal:
        parts = journal.prefix(manifest.first)
    for part in parts:
        chunk = pl.read_parquet(folder / ROWS / part.file, glob=False)
        file.write(chunk.write_csv(include_header=rows == 0).encode())
        rows += len(chunk)
    if not parts:
        file.write(frame.collect().write_csv().encode())
    return rows
