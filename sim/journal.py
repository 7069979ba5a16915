"""The journal of a saved run: a line for each finished chunk, and its file of rows.

A file is written under another name, flushed to the disk and then renamed, so that what has its
final name is whole. A chunk is finished when its line is there whole.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

JOURNAL = "chunks.jsonl"
ROWS = "rows"
TEMPORARY = ".new"


@dataclass(frozen=True)
class Part:
    """A finished chunk of a saved run."""

    start: int
    stop: int
    counts: Any
    """`Counts` of a run, `Observations` of a comparison."""
    file: str
    size: int
    sha256: str


def _sync_folder(folder: Path) -> None:
    """Flush a folder's list of names to the disk, where system and file system can."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            with contextlib.suppress(OSError):
                os.fsync(handle)
        finally:
            os.close(handle)


def write_whole(path: Path, data: bytes, tag: str = "") -> None:
    """Write a file under its name only when it is whole and on the disk.

    Parameters
    ----------
    path : Path
    data : bytes
    tag : str
        Makes the temporary name one's own, where somebody else may write the same file.
    """
    temporary = path.with_name(f"{path.name}{tag}{TEMPORARY}")
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        _sync_folder(path.parent)
    except OSError as error:
        error.filename = error.filename or str(path)
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def append_line(path: Path, line: bytes) -> None:
    """Add a line to a file, whole and on the disk, or not at all."""
    with open(path, "ab", buffering=0) as file:
        end = file.seek(0, os.SEEK_END)
        try:
            rest = memoryview(line)
            while rest:  # a short write is followed by one that says why
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        except OSError as error:
            error.filename = error.filename or str(path)
            with contextlib.suppress(OSError):
                file.truncate(end)
            raise


def line_of(part: Part) -> bytes:
    """Return the line of a finished chunk, with its checksum."""
    body = json.dumps(
        {
            "start": part.start,
            "stop": part.stop,
            "file": part.file,
            "size": part.size,
            "sha256": part.sha256,
            "counts": part.counts.to_json(),
        },
        separators=(",", ":"),
    )
    check = hashlib.sha256(body.encode()).hexdigest()[:16]
    return f'{{"check":"{check}","chunk":{body}}}\n'.encode()


def read_journal(folder: Path, read_counts: Callable[[Any], Any]) -> Iterator[Part]:
    """Yield the finished chunks in the order they were finished; damaged lines are left out."""
    try:
        file = open(folder / JOURNAL, "rb")
    except FileNotFoundError:
        return
    with file:
        for line in file:
            head, middle, body = line.rstrip(b"\n").partition(b'","chunk":')
            body = body.removesuffix(b"}")
            check = head.removeprefix(b'{"check":"').decode("ascii", "replace")
            if not middle or hashlib.sha256(body).hexdigest()[:16] != check:
                continue
            data = json.loads(body)
            yield Part(
                data["start"],
                data["stop"],
                read_counts(data["counts"]),
                data["file"],
                data["size"],
                data["sha256"],
            )


def rows_name(start: int, stop: int) -> str:
    """Return the name of the file with the rows of the games start .. stop - 1."""
    return f"rows-{start:015d}-{stop:015d}.parquet"


def rows_bytes(rows: pl.DataFrame, metadata: Mapping[str, str]) -> bytes:
    """Return rows as the bytes of a Parquet file: the same ones whoever writes them."""
    # Into memory first: polars would not say so plainly when the disk is full.
    file = io.BytesIO()
    rows.write_parquet(
        file,
        compression="zstd",
        compression_level=1,  # as small as the level by default here, and faster
        statistics=False,  # a third of the time, and nobody filters files of a chunk by them
        metadata=dict(metadata),
    )
    return file.getvalue()


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_whole(folder: Path, part: Part) -> bool:
    """Whether a chunk's rows are as they were written."""
    if not part.file:
        return True
    path = folder / ROWS / part.file
    try:
        return path.stat().st_size == part.size and hash_file(path) == part.sha256
    except OSError:
        return False


def whole_parts(folder: Path, read_counts: Callable[[Any], Any], *, check: bool) -> list[Part]:
    """Return the finished chunks in order of their games, without overlaps.

    Parameters
    ----------
    folder : Path
    read_counts : callable
        Makes the counts of a chunk of what stands in the journal.
    check : bool
        Leave out chunks whose rows file isn't as it was written.
    """
    parts: list[Part] = []
    for part in sorted(read_journal(folder, read_counts), key=lambda one: (one.start, one.stop)):
        after = parts[-1].stop if parts else part.start
        if part.start >= after and (not check or is_whole(folder, part)):
            parts.append(part)
    return parts


def prefix(parts: list[Part], first: int) -> list[Part]:
    """Return the parts that follow one another from the index `first` on."""
    found = []
    for part in parts:
        if part.start != first:
            break
        found.append(part)
        first = part.stop
    return found
