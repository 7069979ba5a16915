"""Saved runs: a folder with a manifest, a journal of finished chunks, and their rows.

``manifest.json``
    what is played, by what, and how far it came; replaced as a whole.
``chunks.jsonl``
    a line for each finished chunk: its range, its counts, name, size and hash of its rows
    file, and a checksum of the line. A chunk is finished when its line is there whole.
``strategies/HASH/``
    copies of the files of users' strategies.
``rows/rows-START-STOP.parquet``
    the rows of the games START .. STOP - 1, unless rows aren't kept.
``.shared``
    while workers of a cluster may write rows files: a word that they must know.
``.lock``
    held by the process that writes; the system lets go of it when that process dies.

A file is written under another name, flushed to the disk and then renamed, so that what
has its final name is whole.
"""

from __future__ import annotations

import contextlib
import json
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from .chunk import Chunk
from .contest import Contest
from .errors import RunError
from .journal import (
    JOURNAL,
    ROWS,
    TEMPORARY,
    Journal,
    Part,
    append_lines,
    is_whole,
    line_and_file,
    write_whole,
)
from .manifest import (
    FORMATS,
    MANIFEST,
    SOURCES,
    SWEEP_RUN,
    TOURNAMENT_RUN,
    Manifest,
    parquet_metadata,
    read_manifest,
    unusable,
    write_manifest,
)
from .observe import row_names
from .plan import Plan
from .provenance import REPORT_FORMAT
from .rows import empty_frame
from .sources import write_copy

if TYPE_CHECKING:
    import polars as pl

LOCK = ".lock"
SHARED = ".shared"
REPORT = "report"
"""Name, without ending, of a report that lies in the folder it is about."""
_ROWS_NAME = re.compile(
    rf"rows-\d{{15,}}-\d{{15,}}\.parquet((\.[0-9a-f]+)?{re.escape(TEMPORARY)})?"
)


def _own_files(folder: Path) -> list[Path]:
    """Everything in a folder that simcards wrote."""
    names = [MANIFEST, JOURNAL, MANIFEST + TEMPORARY, JOURNAL + TEMPORARY, SHARED]
    found = [folder / name for name in names if (folder / name).exists()]
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        data = json.loads((folder / MANIFEST).read_bytes())
        for digest, files in data.get("sources", {}).items():
            copies = [folder / SOURCES / digest[:32] / name for name in files]
            root = (folder / SOURCES).resolve()  # whatever stands in a manifest
            found += [
                path for path in copies if path.is_file() and path.resolve().is_relative_to(root)
            ]
    return [*found, *own_report(folder), *_rows_files(folder)]


def own_report(folder: Path) -> list[Path]:
    """Return the files of the report in a folder, if simcards wrote it: its data say so."""
    try:
        with open(folder / f"{REPORT}.json", "rb") as file:
            ours = f'"{REPORT_FORMAT}"'.encode() in file.read(100)
    except OSError:
        return []
    names = [f"{REPORT}{ending}" for ending in (".json", ".html", ".md")]
    return [folder / name for name in names if ours and (folder / name).is_file()]


def _rows_files(folder: Path) -> list[Path]:
    try:
        return [path for path in (folder / ROWS).iterdir() if _ROWS_NAME.fullmatch(path.name)]
    except (FileNotFoundError, NotADirectoryError):
        return []


class Store:
    """A saved run that this process writes; holds the folder's lock until closed."""

    def __init__(self, folder: Path, lock: FileLock, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self._lock = lock
        self._is_shared = False
        self._size = 0
        """Of the journal, as it was last written."""

    @classmethod
    def create(cls, folder: Path, manifest: Manifest, *, overwrite: bool) -> Store:
        """Make the folder of a new run.

        Raises
        ------
        RequestError
            When it holds anything and `overwrite` is false, when another process writes
            to it, or when it can't be made.
        """
        cls.check_free(folder, overwrite=overwrite)
        lock = _take_lock(folder, make=True)
        try:
            cls.check_free(folder, overwrite=overwrite)  # nobody came first
            for path in _own_files(folder):
                path.unlink()
                if path.parent.parent == folder / SOURCES:
                    with contextlib.suppress(OSError):  # not empty yet
                        path.parent.rmdir()
            for bot in manifest.plan.bots:
                assert bot.folder is not None  # functions given in Python were refused
                files = {name: (bot.folder / name).read_bytes() for name in bot.files}
                write_copy(folder / SOURCES / bot.digest[:32], files)
            write_manifest(folder, manifest)
            (folder / ROWS).mkdir(exist_ok=True)
        except BaseException:
            lock.release()
            raise
        return cls(folder, lock, manifest)

    @staticmethod
    def check_free(folder: Path, *, overwrite: bool) -> None:
        """Refuse a folder that a new run may not be put in."""
        if folder.exists() and not folder.is_dir():
            raise unusable(folder, "is a file, not a folder. Choose another --out.")
        if overwrite and (folder / MANIFEST).exists():
            written = (folder / MANIFEST).read_bytes()
            if not any(f'"{form}"'.encode() in written for form in FORMATS):
                raise unusable(
                    folder,
                    f"its {MANIFEST} is not one of a simcards run, so it isn't replaced.\n"
                    "  Choose another folder.",
                )
        if folder.is_dir() and not overwrite:
            held = {path.name for path in folder.iterdir()} - {LOCK, MANIFEST + TEMPORARY}
            if MANIFEST in held:
                raise unusable(
                    folder,
                    "there is a run already.\n"
                    f"  Go on with it: simcards resume {folder}\n"
                    "  Replace it: the same command with --overwrite",
                )
            if held:
                raise unusable(
                    folder,
                    f"is not empty ({', '.join(sorted(held)[:3])}"
                    f"{', ...' if len(held) > 3 else ''}).\n"
                    "  Choose another folder, or add --overwrite, which only replaces a run.",
                )

    @classmethod
    def reopen(cls, folder: Path, heard: Callable[[], None] | None = None) -> Store:
        """Take over a saved run to go on with it; damaged chunks are taken as not played.

        Parameters
        ----------
        folder : Path
        heard : callable, optional
            Called now and then before anything is changed; may raise.
        """
        read_manifest(folder)  # refused before anything is touched
        lock = _take_lock(folder, make=False)
        try:
            store = cls(folder, lock, read_manifest(folder))
            with Journal(folder) as journal:
                parts = journal.whole(check=True, heard=heard)
            (folder / ROWS).mkdir(exist_ok=True)
            (folder / SHARED).unlink(missing_ok=True)  # of a writer that was killed
            store._rewrite_journal(parts)
        except BaseException:
            lock.release()
            raise
        return store

    def finished(self) -> Iterator[tuple[Part, Any]]:
        """Yield the chunks finished before this process took over, with their counts, in order."""
        with Journal(self.folder) as journal:
            for part in journal.parts():
                yield part, journal.counts(part, self.manifest.read_counts)

    def begin(self, n: int) -> None:
        """Say that games are being played, up to `n`; what was said of fewer is gone."""
        if (n, "complete") != (self.manifest.n, self.manifest.status):
            for path in own_report(self.folder):
                path.unlink()
        self.manifest = replace(self.manifest, n=n, status="running", stop_reason="")
        write_manifest(self.folder, self.manifest)

    def share(self) -> str:
        """Let other processes write rows files; returns the word by which they know the folder.

        Another folder of the same name, on another machine, doesn't hold it. Nor does this one
        later: a worker that was taken for dead and comes back then writes nothing any more.
        """
        word = secrets.token_hex(16)
        (self.folder / SHARED).write_text(word, encoding="ascii")
        self._is_shared = True
        return word

    def add(self, chunks: Sequence[Chunk]) -> None:
        """Keep finished chunks: first their rows, then their lines in the journal."""
        lines = b"".join(self._lines(chunk) for chunk in chunks)
        self._size = append_lines(self.folder / JOURNAL, lines, self._size)

    def _lines(self, chunk: Chunk) -> bytes:
        """Write the rows of a chunk, if nobody has; returns what the journal is to say of it."""
        lines, files = chunk.lines, chunk.files
        if not lines:
            keeps = self.manifest.keeps_rows
            lines, files = line_and_file(chunk, parquet_metadata(self.manifest) if keeps else None)
        for name, data in files.items():
            write_whole(self.folder / ROWS / name, data)
        return lines

    def finish(self, status: str, stop_reason: str, stop: int) -> None:
        """Say how the run ended.

        Parameters
        ----------
        status : str
            partial or complete.
        stop_reason : str
        stop : int
            Index after the last game that counts. Of a complete run later games go.
        """
        if self._is_shared or status == "complete":
            with Journal(self.folder) as journal:
                parts = list(journal.parts())
            if self._is_shared:
                (self.folder / SHARED).unlink(missing_ok=True)
                self._is_shared = False
                if self._is_journal_ours:
                    self._remove_rows_but({part.file for part in parts})  # of workers that died
            wanted = [part for part in parts if part.stop <= stop]
            if status == "complete" and len(wanted) < len(parts):
                self._rewrite_journal(wanted)
        completed = stop - self.manifest.first
        self.manifest = replace(
            self.manifest, status=status, stop_reason=stop_reason, completed=completed
        )
        write_manifest(self.folder, self.manifest)

    @property
    def _is_journal_ours(self) -> bool:
        try:
            return (self.folder / JOURNAL).stat().st_size == self._size
        except OSError:
            return self._size == 0

    def close(self) -> None:
        """Let go of the folder."""
        self._lock.release()

    def _rewrite_journal(self, parts: list[Part]) -> None:
        """Leave other parts out, and their rows."""

        def lines() -> Iterator[bytes]:
            with Journal(self.folder) as journal:  # closed before it is replaced
                yield from map(journal.line, parts)

        write_whole(self.folder / JOURNAL, lines())
        self._size = (self.folder / JOURNAL).stat().st_size
        self._remove_rows_but({part.file for part in parts})

    def _remove_rows_but(self, known: set[str]) -> None:
        for path in _rows_files(self.folder):
            if path.name not in known:
                path.unlink(missing_ok=True)


def unknown_rows(folder: Path, parts: Iterable[Part]) -> list[str]:
    """Return the names of rows files that belong to none of these chunks; they count nowhere."""
    known = {part.file for part in parts}
    return [path.name for path in _rows_files(folder) if path.name not in known]


def is_being_written(folder: Path) -> bool:
    """Whether some process holds a run's lock now."""
    lock = FileLock(folder / LOCK)
    try:
        if not (folder / LOCK).exists():
            return False
        lock.acquire(timeout=0)
    except Timeout:
        return True
    except OSError:
        return False
    lock.release()
    return False


def _take_lock(folder: Path, *, make: bool) -> FileLock:
    try:
        if make:
            folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / LOCK)
        lock.acquire(timeout=0)
    except Timeout:
        raise unusable(
            folder, "another simcards is writing there. Wait for it, or choose another folder."
        ) from None
    except OSError as error:
        raise unusable(folder, f"can't be written: {error.strerror or error}.") from None
    return lock


def scan_rows(folder: Path) -> pl.LazyFrame:
    """Return the rows of a saved run that count, lazily, once all files were found whole.

    Raises
    ------
    RequestError
        When the run keeps no rows.
    RunError
        When a rows file is missing or isn't as it was written.
    """
    manifest = read_manifest(folder)
    if not manifest.keeps_rows:
        if manifest.format in (TOURNAMENT_RUN, SWEEP_RUN):
            raise unusable(
                folder,
                f"a {manifest.format.split()[-1]} keeps no rows.\n"
                f"  Its figures: simcards summary {folder} --json",
            )
        raise unusable(folder, "keeps no rows (it was made with --rows none).")
    import polars as pl

    with Journal(folder) as journal:
        parts = journal.prefix(manifest.first)
    games = sum(part.stop - part.start for part in parts)
    if games < manifest.completed:
        raise RunError(
            f"{folder / JOURNAL}: damaged, only {games:,} of {manifest.completed:,} games stand "
            f"there.\n  Play the others again: simcards resume {folder}"
        )
    files = []
    for part in parts:
        path = folder / ROWS / part.file
        if not is_whole(folder, part):
            raise RunError(
                f"{path}: missing or damaged.\n  Play it again: simcards resume {folder}"
            )
        files.append(path)
    if not files:
        return no_rows(manifest.plan).lazy()
    return pl.scan_parquet(files, glob=False)


def no_rows(plan: Plan | Contest) -> pl.DataFrame:
    """Return the rows of nothing: every column, with its dtype."""
    import polars as pl

    if isinstance(plan, Contest):
        return pl.DataFrame(schema={name: pl.Int64 for name in ("index", *row_names(plan))})
    return empty_frame(plan.description, plan.rules.players)
