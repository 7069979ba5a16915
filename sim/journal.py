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
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from .errors import RunError

if TYPE_CHECKING:
    import polars as pl

    from .chunk import Chunk

JOURNAL = "chunks.jsonl"
ROWS = "rows"
TEMPORARY = ".new"


@dataclass(frozen=True)
class Part:
    """A finished chunk of a saved run. Its counts stay in the journal: there can be millions."""

    start: int
    stop: int
    file: str = ""
    """Of its rows, if they are kept."""
    size: int = 0
    sha256: str = ""
    at: int = -1
    """Where its line begins in the journal that it was read from."""


def _sync_folder(folder: Path) -> None:
    """Flush a folder's list of names to the disk, where system and file system can."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            with contextlib.suppress(OSError):
                os.fsync(handle)
        finally:
            os.close(handle)


def write_whole(
    path: Path,
    data: bytes | Iterable[bytes],
    tag: str = "",
    wanted: Callable[[], bool] = lambda: True,
) -> bool:
    """Write a file under its name only when it is whole and on the disk.

    Parameters
    ----------
    path : Path
    data : bytes or iterable of bytes
        Pieces are taken as they come, and are through before the name is given.
    tag : str
        Makes the temporary name one's own, where somebody else may write the same file.
    wanted : callable
        Asked when the data are on the disk; if not, nothing is left of them.

    Returns
    -------
    bool
        Whether it was wanted.
    """
    temporary = path.with_name(f"{path.name}{tag}{TEMPORARY}")
    try:
        with open(temporary, "wb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
            file.flush()
            os.fsync(file.fileno())
        if not wanted():
            temporary.unlink()
            return False
        os.replace(temporary, path)
        _sync_folder(path.parent)
    except OSError as error:
        error.filename = error.filename or str(path)
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    return True


def append_lines(path: Path, lines: bytes, at: int) -> int:
    """Add lines to a file, whole and on the disk, or not at all; returns its new size.

    Raises
    ------
    RunError
        When its size isn't `at`: somebody else has changed it, or removed it.
    """
    with open(path, "r+b" if at else "ab", buffering=0) as file:  # one that is gone isn't made anew
        end = file.seek(0, os.SEEK_END)
        if end != at:
            raise RunError(f"{path}: somebody else has changed it. Nothing more is written there.")
        try:
            rest = memoryview(lines)
            while rest:  # a short write is followed by one that says why
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        except OSError as error:
            error.filename = error.filename or str(path)
            with contextlib.suppress(OSError):
                file.truncate(end)
            raise
    return at + len(lines)


def line_of(part: Part, counts: Any) -> bytes:
    """Return the line of a finished chunk, with its checksum.

    Parameters
    ----------
    part : Part
    counts : Counts or Observations
    """
    body = json.dumps(
        {
            "start": part.start,
            "stop": part.stop,
            "file": part.file,
            "size": part.size,
            "sha256": part.sha256,
            "counts": counts.to_json(),
        },
        separators=(",", ":"),
    )
    check = hashlib.sha256(body.encode()).hexdigest()[:16]
    return f'{{"check":"{check}","chunk":{body}}}\n'.encode()


def _read_line(line: bytes) -> dict[str, Any] | None:
    """Return what a line says of its chunk; None if it is damaged."""
    head, middle, body = line.rstrip(b"\n").partition(b'","chunk":')
    body = body.removesuffix(b"}")
    check = head.removeprefix(b'{"check":"').decode("ascii", "replace")
    if not middle or hashlib.sha256(body).hexdigest()[:16] != check:
        return None
    found: dict[str, Any] = json.loads(body)
    return found


class Journal:
    """The journal of a folder, opened to be read: one that is replaced meanwhile stays as it was.

    Only the ranges of chunks are held; counts are read when they are asked for, so that memory
    doesn't grow with the histograms of a long run.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: BinaryIO | None = None
        with contextlib.suppress(FileNotFoundError):
            self._file = open(folder / JOURNAL, "rb")

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file:
            self._file.close()

    def damaged(self) -> int:
        """Return the number of lines that aren't as they were written.

        A last one that was cut short isn't: its chunk was never finished.
        """
        at = found = 0
        while line := self._line_at(at):
            found += _read_line(line) is None and line.endswith(b"\n")
            at += len(line)
        return found

    def parts(self) -> Iterator[Part]:
        """Yield the finished chunks in the order they were finished, but for damaged lines."""
        at = 0
        while line := self._line_at(at):
            told = _read_line(line)
            if told is not None:
                words = told["file"], told["size"], told["sha256"]
                yield Part(told["start"], told["stop"], *words, at)
            at += len(line)

    def whole(self, *, check: bool, heard: Callable[[], None] | None = None) -> list[Part]:
        """Return the finished chunks in order of their games, without overlaps.

        Parameters
        ----------
        check : bool
            Leave out chunks whose rows file isn't as it was written.
        heard : callable, optional
            Called before each of them: hashing terabytes takes hours.
        """
        found: list[Part] = []
        for part in sorted(self.parts(), key=lambda one: (one.start, one.stop)):
            if heard:
                heard()
            after = found[-1].stop if found else part.start
            if part.start >= after and (not check or is_whole(self._folder, part)):
                found.append(part)
        return found

    def prefix(self, first: int) -> list[Part]:
        """Return the chunks that follow one another from the index `first` on."""
        return prefix(self.whole(check=False), first)

    def line(self, part: Part) -> bytes:
        """Return the line of a chunk, as it stands there."""
        return self._line_at(part.at).rstrip(b"\n") + b"\n"

    def _line_at(self, at: int) -> bytes:
        if self._file is None:
            return b""
        self._file.seek(at)
        return self._file.readline()

    def counts(self, part: Part, read: Callable[[Any], Any]) -> Any:
        """Return the counts of a chunk; `read` makes them of JSON."""
        told = _read_line(self.line(part))
        assert told is not None  # it was whole when the part was read
        return read(told["counts"])


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


def line_and_file(
    chunk: Chunk, metadata: Mapping[str, str] | None
) -> tuple[bytes, dict[str, bytes]]:
    """Return the line of a chunk just played, and its file of rows by name.

    Parameters
    ----------
    chunk : Chunk
    metadata : mapping of str to str, optional
        Of rows files; without it there is none.
    """
    if chunk.rows is None or metadata is None:
        return line_of(Part(chunk.start, chunk.stop), chunk.counts), {}
    data = rows_bytes(chunk.rows, metadata)
    name = rows_name(chunk.start, chunk.stop)
    part = Part(chunk.start, chunk.stop, name, len(data), hashlib.sha256(data).hexdigest())
    return line_of(part, chunk.counts), {name: data}


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


def prefix(parts: list[Part], first: int) -> list[Part]:
    """Return the parts that follow one another from the index `first` on."""
    found = []
    for part in parts:
        if part.start != first:
            break
        found.append(part)
        first = part.stop
    return found
