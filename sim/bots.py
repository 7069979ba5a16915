"""Strategies that users write, loaded from their copies and compiled."""

from __future__ import annotations

import contextlib
import dis
import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from .errors import RequestError, did_you_mean
from .game import Parameter
from .sources import (
    bots_root,
    gather,
    hash_files,
    module_file,
    module_names,
    own_root,
    split_file_word,
    write_copy,
)

SMALLEST, LARGEST = -(2**63), 2**63 - 1
_serials = count(1)
_functions: ContextVar[dict[FunctionType, Bot] | None] = ContextVar("functions", default=None)


@dataclass(frozen=True)
class Bot:
    """A user's strategy."""

    path: str
    """As it was typed; '' for a function given in Python."""
    name: str
    """Of the function."""
    digest: str
    """SHA-256 of all that it is made of."""
    files: tuple[str, ...] = ()
    """Names below the folder; the first is the strategy's own."""
    folder: Path | None = field(default=None, compare=False)
    """Where the copy lies."""
    function: Any = field(default=None, compare=False)
    """If given in Python."""
    serial: int = 0
    """Tells functions given in Python apart: what they use may change between two runs."""

    @property
    def text(self) -> str:
        """As it can be typed again."""
        return f"{self.path}:{self.name}" if self.path else self.name


def find_bot(word: str, said: str, kept: Mapping[str, Path]) -> tuple[Bot, list[str]]:
    """Find the strategy that ``my_bot.py:play:hold=2`` names, and the words of its parameters.

    Parameters
    ----------
    word : str
    said : str
        How it was given, for messages.
    kept : mapping of str to Path
        Files that lie elsewhere than their paths say: copies of a saved run.
    """
    path_text, name, words = split_file_word(word)
    path = kept.get(path_text) or Path(path_text).expanduser()
    files = gather(path, said)
    digest = hash_files(files)
    root, _ = bots_root()
    folder = root / digest[:32]
    write_copy(folder, files)
    return Bot(path_text, name, digest, tuple(files), folder), words


def bot_of_function(function: Any, said: str) -> Bot:
    """Make a strategy of a function given in Python."""
    plain = getattr(function, "py_func", function)
    if not isinstance(plain, FunctionType):
        raise RequestError(f"{said}: a strategy is a name, a file or a plain function.")
    known = _functions.get()
    if known is None:
        known = {}
    if plain not in known:
        known[plain] = Bot("", plain.__name__, "", function=plain, serial=next(_serials))
    return known[plain]


@contextlib.contextmanager
def functions_once() -> Iterator[None]:
    """Take a function given in Python for one strategy, however often it is named meanwhile.

    Elsewhere it is a new one each time, since what it refers to may have changed.
    """
    if _functions.get() is not None:
        yield
        return
    token = _functions.set({})
    try:
        yield
    finally:
        _functions.reset(token)


class _Beside(importlib.abc.MetaPathFinder):
    """Finds a strategy's helper modules in its copy, while it is being loaded."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self.folder = folder
        self.names = frozenset(names)

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        """Return where a module lies, None if it is none of these."""
        if name not in self.names:
            return None
        place = self.folder / name.replace(".", "/")
        file = module_file(self.folder, name.replace(".", "/"))
        if file is None:  # a folder without __init__.py
            spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [str(place)]
            return spec
        places = [str(place)] if file.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(name, file, submodule_search_locations=places)


@cache
def _loaded(folder: Path, files: tuple[str, ...]) -> tuple[ModuleType, dict[str, str]]:
    """Import a strategy from its copy.

    Returns
    -------
    module
    own : dict
        Names of its own modules, to names under which they stay loaded, no two bots' the same.
    """
    # Loaded, not used (F401): numba must come first, since a helper may have its name.
    from ..kernels import common  # noqa: F401

    own = module_names(files)
    name = f"simcards_bot_{folder.name}"
    spec = importlib.util.spec_from_file_location(name, folder / files[0])
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    before = {one: sys.modules.pop(one) for one in own if one in sys.modules}
    finder = _Beside(folder, own)
    sys.meta_path.insert(0, finder)
    sys.modules[name] = module
    lasting = {name: name} | {one: f"{name}_{one.replace('.', '_')}" for one in own}
    try:
        with contextlib.chdir(folder):  # so that "table.npy" is the copy, wherever we are
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.meta_path.remove(finder)
        for one in own:
            helper = sys.modules.pop(one, None)
            if helper is not None:
                helper.__name__ = lasting[one]  # by which Numba finds it again
                sys.modules[lasting[one]] = helper
        sys.modules.update(before)
    return module, lasting


def _names_in(code: Any) -> Iterator[str]:
    """Yield the global names that a function's code reads."""
    for one in dis.get_instructions(code):
        if one.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield one.argval
    for constant in code.co_consts:
        if hasattr(constant, "co_names"):
            yield from _names_in(constant)


def _jitted(function: Any, own: Mapping[str, str], tag: str, made: dict[int, Any]) -> Any:
    """Compile a user's function, and those of its own modules that it calls.

    They need no decorator. Their modules are left as they are: each gets globals of its own. The
    machine code of all strategies lies in one place, so `tag` makes its names this strategy's own.
    """
    from ..kernels import jit

    plain = getattr(function, "py_func", function)
    if id(plain) in made:
        if made[id(plain)] is None:
            raise RequestError(
                f"{plain.__name__} calls itself, which compiled strategies can't: nothing would "
                "catch one that never ends.\n  Write a loop."
            )
        return made[id(plain)]
    scope = dict(plain.__globals__)
    copy = FunctionType(
        plain.__code__, scope, plain.__name__, plain.__defaults__, plain.__closure__
    )
    copy.__kwdefaults__ = plain.__kwdefaults__
    copy.__module__ = scope["__name__"] = own[plain.__module__]
    copy.__qualname__ = f"{plain.__qualname__}_{tag}_{len(made)}"
    dispatcher = jit.user_jit(copy)
    made[id(plain)] = None  # while what it calls is looked at
    twins: dict[str, ModuleType] = {}

    def replaced(value: Any) -> Any:
        base = getattr(value, "py_func", value)
        if isinstance(base, FunctionType) and base.__module__ in own:
            return _jitted(value, own, tag, made)
        if isinstance(value, ModuleType) and value.__name__ in own.values():
            if value.__name__ not in twins:
                twins[value.__name__] = twin = ModuleType(value.__name__)
                for name, inner in vars(value).items():
                    if not name.startswith("__"):
                        setattr(twin, name, replaced(inner))
            return twins[value.__name__]
        return value

    for name in sorted(set(_names_in(plain.__code__)) & scope.keys()):
        scope[name] = replaced(scope[name])
    made[id(plain)] = dispatcher
    return dispatcher


def _function(bot: Bot, said: str) -> tuple[Any, Mapping[str, str]]:
    """Return a strategy's Python function, and the names of the modules that are its own."""
    if bot.function is not None:
        return bot.function, {bot.function.__module__: bot.function.__module__}
    assert bot.folder is not None
    try:
        module, own = _loaded(bot.folder, bot.files)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit too
        raise RequestError(
            f"{said}: {bot.path} can't be loaded: {type(error).__name__}: {error}"
        ) from error
    found = getattr(module, bot.name, None)
    if found is None:
        known = [
            name
            for name, value in vars(module).items()
            if isinstance(getattr(value, "py_func", value), FunctionType)
            and getattr(value, "py_func", value).__module__ in own
        ]
        near = did_you_mean(bot.name, known)
        hint = f"Did you mean {near}? " if near else ""
        there = ", ".join(known) or "none"
        raise RequestError(
            f"{said}: {bot.path} has no function '{bot.name}'.\n  {hint}There are: {there}."
        )
    return found, own


def parameters_of(bot: Bot, said: str) -> tuple[Parameter, ...]:
    """Return a strategy's parameters: the whole numbers that its function takes after the view."""
    found, _ = _function(bot, said)
    plain = getattr(found, "py_func", found)
    if not isinstance(plain, FunctionType):
        raise RequestError(f"{said}: {bot.text} is no function.")
    view, *others = inspect.signature(plain).parameters.values() or (None,)
    if view is None or view.kind not in (view.POSITIONAL_ONLY, view.POSITIONAL_OR_KEYWORD):
        raise RequestError(f"{said}: {bot.text} must take the view: def {bot.name}(view).")
    for one in others:
        if type(one.default) is not int or one.kind != one.POSITIONAL_OR_KEYWORD:
            raise RequestError(
                f"{said}: {bot.text} takes '{one.name}', which is no plain parameter with a whole "
                "number as default.\n"
                f"  Parameters are written: def {bot.name}({view.name}, hold=2)."
            )
    for one in others:
        if not SMALLEST <= one.default <= LARGEST:
            raise RequestError(f"{said}: {one.name}={one.default} is beyond 64 bits.")
    if len(others) > 8:
        raise RequestError(f"{said}: {bot.text} has {len(others)} parameters; 8 are possible.")
    return tuple(Parameter(one.name, one.default, SMALLEST, LARGEST, "") for one in others)


def _tables_digest(own_functions: Mapping[int, Any]) -> str:
    """Hash the arrays that compiled functions hold as constants: they can come from anywhere."""
    import numpy as np

    digest = hashlib.sha256()
    for dispatcher in own_functions.values():
        scope = dispatcher.py_func.__globals__
        for name in sorted(set(_names_in(dispatcher.py_func.__code__)) & scope.keys()):
            value = scope[name]
            if isinstance(value, np.ndarray):
                digest.update(f"{name}{value.dtype}{value.shape}".encode() + value.tobytes())
            elif isinstance(value, int | float | str | tuple):
                digest.update(f"{name}{value!r}".encode())
    return digest.hexdigest()


def _short(error: BaseException, bot: Bot) -> str:
    """Return what Numba says of code that it can't compile, without its own inner life."""
    if isinstance(error, KeyError):
        return f"  the view has no field {error}"
    lines = []
    for line in str(error).splitlines():
        if line.startswith(("This error may", "https://", "To see Python", "During: resolving")):
            continue
        if bot.folder:  # names the file that was written, not its copy
            line = re.sub(rf'[^" (]*{bot.folder.name}[/\\]', "", line)
        if line.strip():
            lines.append("  " + line.strip())
    return "\n".join(lines[:12])


@cache
def compiled(asks: tuple[tuple[int, Bot], ...], view: Any, game: str, said: str) -> Any:
    """Compile what one seat is to ask: a function of the view for all decisions of a game.

    Parameters
    ----------
    asks : tuple of (int, Bot)
        Which strategy answers a decision, where no built-in one does.
    view : dtype
        The game's VIEW.
    game : str
    said : str
        For messages.
    """
    from ..kernels import jit

    names = "\n".join(f"{number} {bot.digest} {bot.serial} {bot.name}" for number, bot in asks)
    tag = hashlib.sha256(f"{game}\n{names}".encode()).hexdigest()[:16]
    scope: dict[str, Any] = {}
    lines = ["def entry(view):"]
    made: dict[int, Any] = {}
    found = []
    for decision, bot in asks:
        function, own = _function(bot, said)
        count = len(parameters_of(bot, said))
        if jit.config.DISABLE_JIT:
            scope[f"play_{decision}"] = function
        else:
            scope[f"play_{decision}"] = _jitted(function, own, tag, made)
        found.append((bot, scope[f"play_{decision}"], count))
        arguments = ", ".join(["view", *(f"view.parameter[{j}]" for j in range(count))])
        lines += [
            f"    if view.decision == {decision}:",
            f"        return play_{decision}({arguments})",
        ]
    lines += ["    return -1", ""]
    source = "\n".join(lines)
    if jit.config.DISABLE_JIT:
        exec(source, scope)  # the same few lines, without the compiler
        return scope["entry"]
    digest = hashlib.sha256(
        "\n".join(
            [
                source,
                game,
                _tables_digest(made),
                *(f"{bot.digest} {bot.name}" for bot, _, _ in found),
            ]
        ).encode()
    ).hexdigest()[:32]
    root, lasts = bots_root()
    keeps = lasts and all(bot.folder for bot, _, _ in found)
    folder = (root if keeps else own_root()) / f"entry-{digest}"
    write_copy(folder, {"entry.py": source.encode()})
    seal = folder / "seal.json"
    if not (keeps and _is_sealed(folder, seal)):
        for path in folder.rglob("*.nb?"):
            path.unlink(missing_ok=True)
        for bot, function, count in found:
            _check_answer(bot, function, view, count)
    name = f"simcards_entry_{digest}"
    spec = importlib.util.spec_from_file_location(name, folder / "entry.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    vars(module).update(scope)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    entry = jit.compile_bot(module.entry, view, folder if keeps else None)
    if keeps and not seal.exists():
        text = json.dumps(_state(folder))
        handle, temporary = tempfile.mkstemp(dir=folder)
        with open(handle, "w", encoding="ascii") as file:
            file.write(text)
        os.replace(temporary, seal)
    return entry


def _state(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.nb?"))
    }


def _is_sealed(folder: Path, seal: Path) -> bool:
    """Whether a compiled strategy is as it was written; if not, the seal is broken."""
    try:
        if json.loads(seal.read_bytes()) == (state := _state(folder)) and state:
            return True
    except (OSError, ValueError):
        pass
    seal.unlink(missing_ok=True)
    return False


def _check_answer(bot: Bot, function: Any, view: Any, count: int) -> None:
    """Refuse a strategy that can't be compiled, or answers no whole number."""
    from numba.core.errors import NumbaError

    from ..kernels import jit

    try:
        wrong = jit.return_type(function, view, count)
    except (NumbaError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise RequestError(f"{bot.text} can't be compiled:\n{_short(error, bot)}") from error
    if wrong:
        raise RequestError(
            f"{bot.text} answers {wrong}, not a whole number.\n"
            "  Every return must give an integer, or True or False."
        )
