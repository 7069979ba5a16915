"""The one place that knows Numba's flags and where compiled kernels are kept.

Kernels are kept in a folder of their own, named by everything that decides what
machine code they become: all kernel sources, the versions of Python, Numba and
llvmlite, the processor and Numba's code options. So an edited helper is never
served from an old entry, which Numba alone would not notice. A file that is not
what was sealed when it was written counts as not there.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import platform
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite
import llvmlite.binding
import numba
import platformdirs
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.extending import typeof_impl

config: Any = numba.config

njit: Any = numba.njit
helper = njit(nogil=True, error_model="numpy")
"""Decorator of functions that kernels call, and others may; compiled into whoever calls them."""

# Without the wrappers by which Python could call it, a part compiles in four fifths of the time.
# Python must not call one then: Numba doesn't check, and the process ends.
_INSIDE = {
    "nogil": True,
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
part = njit(**_INSIDE)
"""Decorator of functions that only kernels call."""
inlined = njit(**_INSIDE, inline="always")
"""The same for a large function with one caller, which would first be compiled for itself."""

spliced = njit(nogil=True, error_model="numpy", inline="always")
"""A helper that must be part of its caller's loop, so that the loop becomes vectors."""


def cache_root() -> Path:
    """Folder below which compiled kernels are kept.

    ``SIMCARDS_CACHE_DIR`` in the environment names another one.
    """
    chosen = os.environ.get("SIMCARDS_CACHE_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("simcards", False))


@cache
def cache_key() -> str:
    """Hash of everything that decides what machine code the kernels become."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    for part in (
        Path(__file__).parent,  # Numba keeps the entries of each install apart; so do we
        platform.python_implementation(),
        platform.python_version(),
        numba.__version__,
        llvmlite.__version__,
        platform.system(),
        platform.machine(),
        config.CPU_NAME or llvmlite.binding.get_host_cpu_name(),
        config.BOUNDSCHECK,
        config.OPT,
        config.DEBUGINFO_DEFAULT,
    ):
        digest.update(str(part).encode() + b"\0")
    return digest.hexdigest()[:20]


@cache
def cache_folder() -> Path | None:
    """Folder of the compiled kernels of these sources, made if need be.

    Returns
    -------
    Path or None
        None where nothing can be written: kernels are then compiled anew in each
        process.
    """
    folder = cache_root() / f"kernels-{cache_key()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return None
    return folder


def entry(function: Callable[..., Any]) -> Any:
    """Decorate a kernel that Python calls: compiled once, then kept on disk."""
    if config.DISABLE_JIT:
        return function
    folder = cache_folder()
    before = config.CACHE_DIR
    # Numba reads the folder when it decorates; a notebook user's own setting is put back.
    config.CACHE_DIR = str(folder) if folder else before
    try:
        return njit(nogil=True, error_model="numpy", cache=folder is not None)(function)
    finally:
        config.CACHE_DIR = before


def _files(kernel: Any) -> list[Path]:
    """Cache files of a kernel, sorted by name."""
    folder = cache_folder()
    if folder is None:
        return []
    function = kernel.py_func
    stem = f"{Path(function.__code__.co_filename).stem}.{function.__name__}-"
    return sorted(path for path in folder.rglob("*.nb?") if path.name.startswith(stem))


def _seal_path(kernel: Any) -> Path | None:
    folder = cache_folder()
    name = f"{kernel.py_func.__module__.rpartition('.')[2]}.{kernel.py_func.__name__}.seal"
    return folder / name if folder else None


def _state(kernel: Any) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in _files(kernel)}


def is_cached(kernel: Any) -> bool:
    """Whether a kernel lies on disk whole, as it was sealed; what doesn't is removed."""
    if config.DISABLE_JIT:
        return True
    seal = _seal_path(kernel)
    if seal is None:
        return False
    try:
        if _files(kernel) and json.loads(seal.read_bytes()) == _state(kernel):
            return True
    except (OSError, ValueError):
        pass
    for path in [*_files(kernel), seal]:
        try:
            path.unlink(missing_ok=True)
        except OSError:
            # Held open elsewhere (Windows). Numba would load it, so it is overwritten instead.
            with contextlib.suppress(OSError):
                path.write_bytes(b"")
    return False


def is_ready(kernel: Any) -> bool:
    """Whether a kernel can be called without compiling in this process."""
    return bool(config.DISABLE_JIT or kernel.signatures)


def prepare(kernel: Any, signature: Any) -> float:
    """Compile a kernel or load it from disk; seal what was written.

    Parameters
    ----------
    kernel
        What `entry` returned.
    signature
        Tuple of Numba types of its arguments.

    Returns
    -------
    float
        Seconds spent compiling; 0 when it came from disk or was ready.
    """
    if is_ready(kernel):
        return 0.0
    kept = is_cached(kernel)
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
        kernel.compile(signature)
    spent = time.perf_counter() - started
    if kept and not kernel.stats.cache_misses:
        return 0.0
    seal = _seal_path(kernel)
    if seal is not None:
        with contextlib.suppress(OSError):  # unsealed files are compiled again next time
            text = json.dumps(_state(kernel))
            handle, name = tempfile.mkstemp(dir=seal.parent)
            with open(handle, "w", encoding="ascii") as file:
                file.write(text)
            os.replace(name, seal)
    return spent


def user_jit(function: Callable[..., Any]) -> Any:
    """Compile a function that a user wrote, when it is called: with every check there is."""
    return numba.njit(nogil=True, boundscheck=True, error_model="python")(function)


class _Nobody(numba.types.WrapperAddressProtocol):
    """Stands for the strategies of seats that have none of their own; never called."""

    def __init__(self, view: Any) -> None:
        self.view = view

    def __wrapper_address__(self) -> int:
        return ctypes.cast(ctypes.pythonapi.Py_IsInitialized, ctypes.c_void_p).value or 0

    def signature(self) -> Any:
        return numba.types.int64(view_type(self.view))


class Bots4(NamedTuple):
    """What each of four seats is to ask."""

    seat_0: Any
    seat_1: Any
    seat_2: Any
    seat_3: Any


class Bots6(NamedTuple):
    """What each of six seats is to ask."""

    seat_0: Any
    seat_1: Any
    seat_2: Any
    seat_3: Any
    seat_4: Any
    seat_5: Any


BOTS = {4: Bots4, 6: Bots6}


def bots_type(view: Any, seats: int) -> Any:
    """Numba's type of the strategies of all seats: functions of a view that answer an int64."""
    function = numba.types.FunctionType(numba.types.int64(view_type(view)))
    return numba.types.NamedUniTuple(function, seats, BOTS[seats])


@typeof_impl.register(Bots4)
@typeof_impl.register(Bots6)
def _typeof_bots(value: Any, context: Any) -> Any:
    """Tell the type from the first one; Numba would warn of an experiment at each call."""
    one = value[0]
    sig = one.signature() if isinstance(one, _Nobody) else one.nopython_signatures[0]
    function = numba.types.FunctionType(numba.types.int64(*sig.args))
    return numba.types.NamedUniTuple(function, len(value), type(value))


@cache  # games that are told one by one ask for it each time
def view_type(view: Any) -> Any:
    """Numba's type of what strategies see, a record."""
    return numba.from_dtype(view)


@cache
def nobody(view: Any) -> Any:
    """Return what stands for a strategy that is never asked, given a game's VIEW."""
    return _Nobody(view)


def return_type(function: Any, view: Any, parameters: int) -> str:
    """Name the type of what a user's function answers, from types alone: '' if it is a number.

    Raises
    ------
    numba.core.errors.NumbaError
        When it can't be compiled.
    """
    arguments = (view_type(view), *(numba.types.int64,) * parameters)
    found = function.compile(arguments) and function.overloads[arguments].signature.return_type
    whole = isinstance(found, numba.types.Integer | numba.types.Boolean)
    whole = whole or isinstance(found, numba.types.IntegerLiteral | numba.types.BooleanLiteral)
    return "" if whole else str(found)


def compile_bot(function: Callable[..., Any], view: Any, folder: Path | None) -> Any:
    """Compile a strategy, or load it from a folder that is named by all it depends on.

    Parameters
    ----------
    function
        Of a view, in a module of its own.
    view
        The game's VIEW.
    folder : Path or None
        Where it is kept; None: nowhere.
    """
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder) if folder else before
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
            return numba.njit(
                numba.types.int64(view_type(view)),
                nogil=True,
                boundscheck=True,
                error_model="python",
                cache=folder is not None,
            )(function)
    finally:
        config.CACHE_DIR = before


def folders() -> list[tuple[Path, int, bool]]:
    """Folders of compiled kernels: (folder, size in bytes, whether this version uses it)."""
    found = []
    for folder in sorted(cache_root().glob("kernels-*")):
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        found.append((folder, size, folder.name == f"kernels-{cache_key()}"))
    return found


def clear() -> list[Path]:
    """Remove all folders of compiled kernels; returns those removed."""
    gone = []
    for folder, _, _ in folders():
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            gone.append(folder)
    cache_folder.cache_clear()
    return gone
