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
``.lock``
    held by the process that writes; the system lets go of it when that process dies.

A file is written under another name, flushed to the disk and then renamed, so that what
has its final name is whole.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from .chunk import Chunk, engine_rules
from .counts import Counts
from .errors import RequestError, RunError
from .games import find_game, games
from .numbers import LARGEST_INDEX, games_count, whole_number
from .options import as_dict
from .plan import Plan, make_plan
from .provenance import MANIFEST_VERSION, versions
from .rows import FORMAT as ROWS_VERSION
from .rows import empty_frame
from .sources import hash_files, write_copy
from .strategies import Player

if TYPE_CHECKING:
    import polars as pl

MANIFEST = "manifest.json"
JOURNAL = "chunks.jsonl"
ROWS = "rows"
SOURCES = "strategies"
LOCK = ".lock"
TEMPORARY = ".new"
_ROWS_NAME = re.compile(rf"rows-\d{{15,}}-\d{{15,}}\.parquet({re.escape(TEMPORARY)})?")


@dataclass(frozen=True)
class Manifest:
    """What a saved run is."""

    plan: Plan
    first: int
    n: int
    chunk_size: int
    precision: float | None
    level: float
    keeps_rows: bool
    made_by: Mapping[str, str]
    status: str = "running"
    """running, partial or complete; running without a living writer is partial."""
    stop_reason: str = ""
    completed: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return what stands in the file."""
        game = self.plan.description
        return {
            "format": "simcards run",
            "version": MANIFEST_VERSION,
            "rows_version": ROWS_VERSION,
            "game": game.name,
            "engine": game.engine,
            "rules_version": game.rules_version,
            "unit": self.plan.unit.one,
            "preset": self.plan.preset,
            "rules": as_dict(engine_rules(self.plan)),
            "strategies": [_strategy_json(player) for player in self.plan.players],
            "sources": {bot.digest: list(bot.files) for bot in self.plan.bots},
            "seed": self.plan.seed,
            "first": self.first,
            "n": self.n,
            "chunk_size": self.chunk_size,
            "precision": self.precision,
            "level": self.level,
            "rows": "kept" if self.keeps_rows else "none",
            "status": self.status,
            "stop_reason": self.stop_reason,
            "completed": self.completed,
            "made_by": dict(self.made_by),
        }


def _strategy_json(player: Player) -> dict[str, Any]:
    """What a manifest says of a player: with the hash of each user's source, by its path."""
    sources = {choice.bot.path: choice.bot.digest for choice in player.choices if choice.bot}
    if not sources:
        return {"strategy": player.text, "source": "built-in"}
    return {"strategy": player.text, "source": "file", "sha256": sources}


def _kept_sources(folder: Path, data: Mapping[str, Any]) -> dict[str, Path]:
    """Return where the copies of users' strategies lie, by the paths they were given as.

    Raises
    ------
    RequestError
        When one is missing, or isn't as it was kept.
    """
    found: dict[str, Path] = {}
    for one in data["strategies"]:
        for path, digest in one.get("sha256", {}).items():
            names = data["sources"][digest]
            copy = folder / SOURCES / digest[:32]
            try:
                files = {name: (copy / name).read_bytes() for name in names}
            except OSError:
                files = {}
            if not files or hash_files(files) != digest:
                raise _unusable(
                    folder,
                    f"the strategy kept in {copy} isn't as it was.\n"
                    "  Put the original back, or make the run again.",
                )
            if found.setdefault(path, copy / names[0]) != copy / names[0]:
                raise _unusable(folder, f"its {MANIFEST} names two strategies {path}.")
    return found


@dataclass(frozen=True)
class Part:
    """A finished chunk of a saved run."""

    start: int
    stop: int
    counts: Counts
    file: str
    size: int
    sha256: str


def _unusable(folder: Path, why: str) -> RequestError:
    return RequestError(f"{folder}: {why}")


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a saved run.

    Raises
    ------
    RequestError
        When there is none, when it is damaged, or made by an engine that plays otherwise.
    """
    path = folder / MANIFEST
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise _unusable(
            folder,
            f"no results there (no {MANIFEST}).\n"
            f"  Make some: simcards run --game {games()[0]} --out {folder}",
        ) from None
    except (OSError, ValueError) as error:
        raise _unusable(folder, f"its {MANIFEST} can't be read: {error}") from None
    try:
        if data["format"] != "simcards run":
            raise _unusable(folder, f"its {MANIFEST} is not one of a simcards run.")
        made_by = data["made_by"]
        if data["version"] != MANIFEST_VERSION or data["rows_version"] != ROWS_VERSION:
            raise _unusable(
                folder,
                f"written in a form this simcards doesn't read.\n"
                f"  Install the one that made it: pip install simcards=={made_by['simcards']}",
            )
        try:
            game = find_game(data["game"])
        except RequestError as error:
            raise _unusable(folder, f"its {MANIFEST} can't be used: {error}") from None
        if data["engine"] != game.engine:
            raise _unusable(
                folder,
                f"made by engine {data['engine']} of {game.name}, this is engine {game.engine}, "
                "which plays other games from the same seed.\n"
                f"  Install the one that made it: pip install simcards=={made_by['simcards']}",
            )
        plan = make_plan(
            data["game"],
            rules=data["rules"],
            preset=data["preset"],
            strategies=[one["strategy"] for one in data["strategies"]],
            seed=data["seed"],
            source=f"{folder}:",
            kept=_kept_sources(folder, data),
        )
        check = data.pop("check", "")
        if check != _check(data):
            raise _unusable(
                folder,
                f"its {MANIFEST} isn't as it was written, and every game depends on it.\n"
                "  Put the original back, or make the run again.",
            )
        return Manifest(
            plan=plan,
            first=whole_number(data["first"], f"{folder}: first", 0, LARGEST_INDEX),
            n=games_count(data["n"], f"{folder}: n"),
            chunk_size=whole_number(data["chunk_size"], f"{folder}: chunk_size", 1, 10**7),
            precision=data["precision"],
            level=data["level"],
            keeps_rows=data["rows"] == "kept",
            made_by=made_by,
            status=data["status"],
            stop_reason=data["stop_reason"],
            completed=data["completed"],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise _unusable(folder, f"its {MANIFEST} is damaged: {error!r}") from None


def _sync_folder(folder: Path) -> None:
    """Flush a folder's list of names to the disk, where system and file system can."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            with contextlib.suppress(OSError):
                os.fsync(handle)
        finally:
            os.close(handle)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file under its name only when it is whole and on the disk."""
    temporary = path.with_name(path.name + TEMPORARY)
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


def _check(data: Mapping[str, Any]) -> str:
    """Checksum of what stands in a manifest: a changed digit would make other games."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write a manifest."""
    data = manifest.to_json()
    text = json.dumps({**data, "check": _check(data)}, indent=2) + "\n"
    write_whole(folder / MANIFEST, text.encode())


def _append(path: Path, line: bytes) -> None:
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


def _line(part: Part) -> bytes:
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


def read_journal(folder: Path) -> Iterator[Part]:
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
                Counts.from_json(data["counts"]),
                data["file"],
                data["size"],
                data["sha256"],
            )


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_whole(folder: Path, part: Part) -> bool:
    """Whether a chunk's rows are as they were written."""
    if not part.file:
        return True
    path = folder / ROWS / part.file
    try:
        return path.stat().st_size == part.size and hash_file(path) == part.sha256
    except OSError:
        return False


def whole_parts(folder: Path, *, check: bool) -> list[Part]:
    """Return the finished chunks in order of their games, without overlaps.

    Parameters
    ----------
    folder : Path
    check : bool
        Leave out chunks whose rows file isn't as it was written.
    """
    parts: list[Part] = []
    for part in sorted(read_journal(folder), key=lambda one: (one.start, one.stop)):
        after = parts[-1].stop if parts else part.start
        if part.start >= after and (not check or _is_whole(folder, part)):
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


def _own_files(folder: Path) -> list[Path]:
    """Everything in a folder that simcards wrote."""
    names = [MANIFEST, JOURNAL, MANIFEST + TEMPORARY, JOURNAL + TEMPORARY]
    found = [folder / name for name in names if (folder / name).exists()]
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        data = json.loads((folder / MANIFEST).read_bytes())
        for digest, files in data.get("sources", {}).items():
            copies = [folder / SOURCES / digest[:32] / name for name in files]
            root = (folder / SOURCES).resolve()  # whatever stands in a manifest
            found += [
                path for path in copies if path.is_file() and path.resolve().is_relative_to(root)
            ]
    return [*found, *_rows_files(folder)]


def _rows_files(folder: Path) -> list[Path]:
    try:
        return [path for path in (folder / ROWS).iterdir() if _ROWS_NAME.fullmatch(path.name)]
    except (FileNotFoundError, NotADirectoryError):
        return []


def parquet_metadata(manifest: Manifest) -> dict[str, str]:
    """Return what stands in the metadata of every Parquet file of a run."""
    game = manifest.plan.description
    return {
        "simcards.version": manifest.made_by["simcards"],
        "simcards.game": game.name,
        "simcards.engine": str(game.engine),
        "simcards.rows_version": str(ROWS_VERSION),
    }


class Store:
    """A saved run that this process writes; holds the folder's lock until closed."""

    def __init__(self, folder: Path, lock: FileLock, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self.parts: list[Part] = []
        """Chunks finished before this process took over, in order."""
        self._lock = lock

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
            raise _unusable(folder, "is a file, not a folder. Choose another --out.")
        if overwrite and (folder / MANIFEST).exists():
            if b'"simcards run"' not in (folder / MANIFEST).read_bytes():
                raise _unusable(
                    folder,
                    f"its {MANIFEST} is not one of a simcards run, so it isn't replaced.\n"
                    "  Choose another folder.",
                )
        if folder.is_dir() and not overwrite:
            held = {path.name for path in folder.iterdir()} - {LOCK, MANIFEST + TEMPORARY}
            if MANIFEST in held:
                raise _unusable(
                    folder,
                    "there is a run already.\n"
                    f"  Go on with it: simcards resume {folder}\n"
                    "  Replace it: the same command with --overwrite",
                )
            if held:
                raise _unusable(
                    folder,
                    f"is not empty ({', '.join(sorted(held)[:3])}"
                    f"{', ...' if len(held) > 3 else ''}).\n"
                    "  Choose another folder, or add --overwrite, which only replaces a run.",
                )

    @classmethod
    def reopen(cls, folder: Path) -> Store:
        """Take over a saved run to go on with it; damaged chunks are taken as not played."""
        read_manifest(folder)  # refused before anything is touched
        lock = _take_lock(folder, make=False)
        try:
            store = cls(folder, lock, read_manifest(folder))
            store.parts = whole_parts(folder, check=True)
            (folder / ROWS).mkdir(exist_ok=True)
            store._rewrite_journal(store.parts)
        except BaseException:
            lock.release()
            raise
        return store

    def begin(self, n: int) -> None:
        """Say that games are being played, up to `n`."""
        self.manifest = replace(self.manifest, n=n, status="running", stop_reason="")
        write_manifest(self.folder, self.manifest)

    def add(self, chunk: Chunk) -> None:
        """Keep a finished chunk: first its rows, then its line in the journal."""
        name, size, digest = "", 0, ""
        if chunk.rows is not None:
            name = f"rows-{chunk.start:015d}-{chunk.stop:015d}.parquet"
            path = self.folder / ROWS / name
            size, digest = self._write_rows(path, chunk.rows)
        part = Part(chunk.start, chunk.stop, chunk.counts, name, size, digest)
        _append(self.folder / JOURNAL, _line(part))

    def _write_rows(self, path: Path, rows: pl.DataFrame) -> tuple[int, str]:
        # Into memory first: polars would not say so plainly when the disk is full.
        file = io.BytesIO()
        rows.write_parquet(
            file,
            compression="zstd",
            metadata=parquet_metadata(self.manifest),
        )
        data = file.getvalue()
        write_whole(path, data)
        return len(data), hashlib.sha256(data).hexdigest()

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
        if status == "complete":
            every = list(read_journal(self.folder))
            kept = [part for part in every if part.stop <= stop]
            if len(kept) != len(every):
                self._rewrite_journal(kept)
                for part in every:
                    if part.stop > stop and part.file:
                        (self.folder / ROWS / part.file).unlink(missing_ok=True)
        completed = stop - self.manifest.first
        self.manifest = replace(
            self.manifest, status=status, stop_reason=stop_reason, completed=completed
        )
        write_manifest(self.folder, self.manifest)

    def close(self) -> None:
        """Let go of the folder."""
        self._lock.release()

    def _rewrite_journal(self, parts: list[Part]) -> None:
        write_whole(self.folder / JOURNAL, b"".join(_line(part) for part in parts))
        known = {part.file for part in parts}
        for path in _rows_files(self.folder):
            if path.name not in known:
                path.unlink()


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
        raise _unusable(
            folder, "another simcards is writing there. Wait for it, or choose another folder."
        ) from None
    except OSError as error:
        raise _unusable(folder, f"can't be written: {error.strerror or error}.") from None
    return lock


def new_manifest(
    plan: Plan,
    *,
    first: int,
    n: int,
    chunk_size: int,
    precision: float | None,
    level: float,
    keeps_rows: bool,
) -> Manifest:
    """Return the manifest of a run that begins now."""
    return Manifest(plan, first, n, chunk_size, precision, level, keeps_rows, versions())


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
        raise _unusable(folder, "keeps no rows (it was made with --rows none).")
    import polars as pl

    parts = prefix(whole_parts(folder, check=False), manifest.first)
    games = sum(part.stop - part.start for part in parts)
    if games < manifest.completed:
        raise RunError(
            f"{folder / JOURNAL}: damaged, only {games:,} of {manifest.completed:,} games stand "
            f"there.\n  Play the others again: simcards resume {folder}"
        )
    files = []
    for part in parts:
        path = folder / ROWS / part.file
        if not _is_whole(folder, part):
            raise RunError(
                f"{path}: missing or damaged.\n  Play it again: simcards resume {folder}"
            )
        files.append(path)
    if not files:
        return empty_frame(manifest.plan.description, manifest.plan.rules.players).lazy()
    return pl.scan_parquet(files, glob=False)
