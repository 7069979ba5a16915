"""Playing elsewhere: what travels to a worker, what it does there, and what comes back.

Only plain data travels: texts, numbers, lists, bytes. A worker needs simcards and nothing of the
client's: rules, seed and the sources of users' strategies stand in the task, so whoever joins late
has them. It refuses to play if its versions would play, count or write otherwise.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import os
import secrets
import socket
import threading
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .. import __version__
from .chunk import Chunk, prepare_plan
from .contest import Contest, plans_of
from .counts import Counts
from .errors import RequestError, RunError, SimcardsError, StrategyError
from .journal import ROWS, line_and_file, write_whole
from .manifest import played_json, read_played
from .observations import Observations
from .observe import play_of
from .plan import Plan, chunks_between
from .sources import bots_root, hash_files, write_copy
from .store import SHARED

LARGEST_SOURCES = 4 << 20
"""Bytes of all files of users' strategies together: they are part of every task."""
PIECE = 2 << 20
"""A worker that has this many bytes of rows to send sends them, and leaves the rest of its task."""

CALL = "[exec(source, scope), scope['play'](task)][1]"
SOURCE = """
def play(task):
    try:
        from simcards.sim.remote import play
    except ImportError as error:
        import os, socket
        worker = f"{socket.gethostname()}, process {os.getpid()}"
        said = f"worker {worker} can't import simcards: {error}"
        return {"worker": worker, "counts": None, "error": {"kind": "refused", "said": said}}
    return play(task)
"""
"""What is handed to an executor is Python's own `eval`, with this text: a worker without simcards
can't load a function of ours, and what it then does is not for us to say."""

ASK = """
def ask(_):
    try:
        from simcards.sim.remote import versions_here
        return versions_here()
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
"""

_known: dict[bytes, Plan | Contest] = {}
_ready: dict[bytes, Plan | Contest] = {}
_preparing = threading.Lock()


@cache
def versions_here() -> dict[str, str]:
    """Return the versions of all that decides rows, counts and the bytes of rows files."""
    digest = hashlib.sha256()
    root = Path(__file__).parent.parent
    for source in sorted([*root.glob("kernels/*.py"), *root.glob("sim/**/*.py")]):
        digest.update(source.relative_to(root).as_posix().encode() + source.read_bytes())
    return {
        "simcards": __version__,
        **{name: version(name) for name in ("numba", "numpy", "polars")},
        "sources": digest.hexdigest()[:12],
    }


def difference(worker: str, theirs: Mapping[str, str], ours: Mapping[str, str]) -> str:
    """Say in a sentence in what a worker differs from us; '' if it doesn't."""
    if "error" in theirs:
        return f"worker {worker} can't import simcards: {theirs['error']}"
    differing = [name for name in ours if theirs.get(name) != ours[name]]
    if not differing:
        return ""
    name = differing[0]
    what = "other sources of simcards (hash" if name == "sources" else f"{name} (version"
    return (
        f"worker {worker} has {what} {theirs.get(name, 'none')}), here it is {ours[name]}; "
        "it could play other games"
    )


def describe(played: Plan | Contest) -> bytes:
    """Return all that decides the rows, sources of users' strategies included.

    As compressed JSON: Dask remembers a thousand messages of each worker.

    Raises
    ------
    RequestError
        When a strategy can't travel.
    """
    sources: dict[str, dict[str, dict[str, str]]] = {}
    size = 0
    for bot in played.bots:
        if bot.folder is not None:
            files = {name: (bot.folder / name).read_bytes() for name in bot.files}
            size += 0 if bot.digest in sources else sum(map(len, files.values()))
            if size > LARGEST_SOURCES:
                raise RequestError(
                    f"{bot.text}: the files of strategies have more than {LARGEST_SOURCES >> 20} "
                    "MB together, too much to travel with every task.\n  Play it with threads."
                )
            sources[bot.digest] = {name: _text(data) for name, data in files.items()}
    functions = [bot.serial for bot in played.bots if bot.folder is None]
    told = {"played": played_json(played), "sources": sources, "functions": functions}
    return zlib.compress(json.dumps(told).encode())


def _text(data: bytes) -> dict[str, str]:
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def _data(file: Mapping[str, str]) -> bytes:
    return file["text"].encode() if "text" in file else base64.b64decode(file["base64"])


@contextmanager
def known(text: bytes, played: Plan | Contest) -> Iterator[None]:
    """Let workers that are threads of this process find what is played: functions can't travel."""
    _known[text] = played
    try:
        yield
    finally:
        _known.pop(text, None)


def _played(text: bytes) -> Plan | Contest:
    """Return what a text describes, compiled."""
    if text in _known:
        return _known[text]
    with _preparing:  # a worker may have several threads
        if text not in _ready:
            told = json.loads(zlib.decompress(text))
            if told["functions"]:
                raise RequestError(
                    "a function given in Python can't travel to other processes.\n"
                    "  Put it in a file and name it: strategies='my_bot.py:play'."
                )
            kept = {}
            for digest, files in told["sources"].items():
                data = {name: _data(file) for name, file in files.items()}
                if hash_files(data) != digest:
                    raise RunError("the sources of a strategy aren't as they were sent.")
                folder = bots_root()[0] / digest[:32]
                write_copy(folder, data)
                kept[digest] = folder / next(iter(data))
            played = read_played(told["played"], "worker:", _by_path(told["played"], kept))
            for plan in plans_of(played):
                prepare_plan(plan)
            while len(_ready) >= 8:  # a worker outlives many runs
                del _ready[next(iter(_ready))]
            _ready[text] = played
        return _ready[text]


def _by_path(told: Mapping[str, Any], kept: Mapping[str, Path]) -> dict[str, Path]:
    """Return where strategies lie, by the paths they were given as."""
    return {
        path: kept[digest]
        for one in told["strategies"]
        for path, digest in one.get("sha256", {}).items()
    }


def play(task: Mapping[str, Any]) -> dict[str, Any]:
    """Play some chunks on a worker.

    Parameters
    ----------
    task : mapping
        ``versions`` (those of the client), ``played`` (see `describe`), ``start`` and ``stop``
        (the games start .. stop - 1), ``first`` and ``size`` (these are cut into chunks at
        multiples of a size, counted from the first game), ``rows`` (whether they are wanted),
        ``kept`` (whether the journal needs lines), ``metadata`` (of rows files), ``folder`` and
        ``word`` (where rows files may be written, and what stands in its `SHARED` file),
        ``seconds`` (after which no further chunk is begun).

    Returns
    -------
    dict
        ``worker``; ``stop``, the index after the last game of the chunks that were played, maybe
        not all; their ``counts`` together (null if there are none), ``lines`` of the journal, and
        ``files`` of rows to be written, by name; ``seconds`` of playing; ``error``: null, or what
        went wrong after these.
    """
    worker = f"{socket.gethostname()}, process {os.getpid()}"
    counts: Any = None
    lines = b""
    files: dict[str, bytes] = {}
    stop = task["start"]
    seconds = 0.0
    said: dict[str, Any] | None = None
    played: Plan | Contest | None = None
    try:
        wrong = difference(worker, versions_here(), task["versions"])
        if wrong:
            said = {"kind": "refused", "said": wrong}
        else:
            played = _played(task["played"])
            begun = time.perf_counter()
            whole = task["start"], task["stop"], task["first"], task["size"]
            for ends in chunks_between(*whole):
                chunk = play_of(played)(played, *ends, task["rows"])
                assert chunk is not None  # nobody asks it to stop
                if task["kept"] or task["rows"]:
                    line, file = line_and_file(chunk, task["metadata"])
                    files |= _unwritten(file, task)
                    lines += line if task["kept"] else b""
                counts = chunk.counts if counts is None else counts + chunk.counts
                stop = chunk.stop
                seconds = max(0.0, time.perf_counter() - begun)
                sent = sum(len(data) for data in files.values())
                if sent >= PIECE or seconds > task["seconds"]:
                    break  # the rest is handed out again
    except Exception as error:
        said = _plain(error, played)
    return {
        "worker": worker,
        "stop": stop,
        "counts": None if counts is None else counts.to_json(),
        "lines": lines,
        "files": files,
        "seconds": seconds,
        "error": said,
    }


def _unwritten(files: dict[str, bytes], task: Mapping[str, Any]) -> dict[str, bytes]:
    """Write rows files if that can be done here; returns those that must be sent."""
    if not files or not _is_shared(task["folder"], task["word"]):
        return files
    try:
        return {
            name: data
            for name, data in files.items()
            # Asked again just before it gets its name: the run may be over by then.
            if not write_whole(
                Path(task["folder"], ROWS, name),
                data,
                f".{secrets.token_hex(4)}",
                lambda: _is_shared(task["folder"], task["word"]),
            )
        }
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT):
            raise  # a full disk is full for the client as well
        return files


def _is_shared(folder: str, word: str) -> bool:
    """Whether a folder is the very one that the client writes, not one of the same name."""
    try:
        return bool(folder) and Path(folder, SHARED).read_text(encoding="ascii") == word
    except (OSError, ValueError):
        return False


def _plain(error: Exception, played: Plan | Contest | None) -> dict[str, Any]:
    """Return an error as plain data."""
    told: dict[str, Any] = {"kind": "unknown", "said": f"{type(error).__name__}: {error}"}
    if isinstance(error, StrategyError) and played is not None:
        at = plans_of(played).index(error.plan) if error.plan in plans_of(played) else None
        told = {"kind": "strategy", "said": str(error), "index": error.index, "seat": error.seat}
        told["plan"] = at
    elif isinstance(error, SimcardsError):
        told = {"kind": "request" if isinstance(error, RequestError) else "run", "said": str(error)}
    elif isinstance(error, OSError) and error.errno:
        told = {"kind": "system", "said": error.strerror, "errno": error.errno}
        told["file"] = None if error.filename is None else str(error.filename)
    elif isinstance(error, MemoryError):
        told["kind"] = "memory"
    return told


def error_of(answer: Mapping[str, Any], played: Plan | Contest) -> Exception | None:
    """Return the error in a worker's answer, as it would have been here."""
    told = answer["error"]
    if told is None:
        return None
    said = told["said"]
    match told["kind"]:
        case "strategy":
            plan = None if told["plan"] is None else plans_of(played)[told["plan"]]
            return StrategyError(said, told["index"], told["seat"], (), plan)
        case "system":
            return OSError(told["errno"], said, told["file"])
        case "memory":
            return RunError(
                f"out of memory on worker {answer['worker']}; use a smaller chunk size."
            )
        case "refused":
            return RunError(f"{said}.\n  Install the same on all workers, or take it away.")
        case "request":
            return RequestError(said)
        case "run":
            return RunError(said)
    return RunError(
        f"worker {answer['worker']} failed: {said}\n"
        f"  {played.game}, seed {played.seed}. Please report this."
    )


def chunk_of(answer: Mapping[str, Any], start: int, played: Plan | Contest) -> Chunk | None:
    """Return the chunks in a worker's answer as one; None if it played none to the end.

    Parameters
    ----------
    answer : mapping
    start : int
        Index of the first game of the task.
    played : Plan or Contest
    """
    if answer.get("counts") is None:  # another simcards that refuses may say less
        return None
    read = Counts.from_json if isinstance(played, Plan) else Observations.from_json
    counts = read(answer["counts"])
    return Chunk(start, answer["stop"], counts, None, answer["lines"], answer["files"])
