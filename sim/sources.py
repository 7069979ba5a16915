"""Files of strategies that users write: found from what was typed, hashed, copied.

A strategy is its file, the modules beside it that it imports and the data files beside it that it
names. All are copied into a folder named by the hash of them, so what is played is what was hashed,
and a file edited a moment later is another strategy.
"""

from __future__ import annotations

import ast
import atexit
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from .errors import RequestError, did_you_mean

LARGEST_DATA = 64 << 20
"""Bytes of a data file that is copied along."""


def split_words(text: str) -> list[str]:
    """Split a strategy at its ``+`` signs, but not within the path of a file."""
    words: list[str] = []
    rest = text
    while True:
        plain = re.match(r"\s*[A-Za-z_][\w-]*(?::\w+=-?\w+)*\s*(?=\+|$)", rest)
        word = plain.group() if plain else path_at_start(rest)
        if not plain:
            word += rest[len(word) :].partition("+")[0]
        words.append(word)
        if len(word) == len(rest):
            return words
        rest = rest[len(word) + 1 :]


def path_at_start(text: str) -> str:
    """Return the path that text begins with: of several the longest one that is there."""
    ends = [found.end() for found in re.finditer(r"\.py(?=[:+]|$)", text)]
    there = [end for end in ends if Path(text[:end]).is_file()]
    return text[: (there or ends or [0])[-1 if there else 0]]


def is_file_word(word: str) -> bool:
    """Whether a word of a strategy names a file."""
    return bool(re.search(r"\.py(?=:|$)", word.strip()))


def split_file_word(word: str) -> tuple[str, str, list[str]]:
    """Split ``my_bot.py:play:hold=2`` into path, function and the words of parameters."""
    path = path_at_start(word.strip())
    parts = word.strip()[len(path) + 1 :].split(":") if len(word.strip()) > len(path) else []
    name = parts.pop(0) if parts and "=" not in parts[0] else "play"
    return path, name, parts


def module_file(folder: Path, name: str) -> Path | None:
    """Return where a module, or a package, lies below a folder; None if it doesn't."""
    for candidate in (folder / f"{name}.py", folder / name / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def _imported(node: ast.AST, file: str) -> list[str]:
    """Return the modules that a statement may import, as paths below the strategy's folder."""
    if isinstance(node, ast.Import):
        return [alias.name.replace(".", "/") for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = file.split("/")[: -node.level] if node.level else []
    inner = [*base, *(node.module.split(".") if node.module else [])]
    return ["/".join([*inner, *alias.name.split(".")]) for alias in node.names] + ["/".join(inner)]


def _parse(source: bytes, path: Path, said: str) -> ast.Module:
    try:
        return ast.parse(source, str(path))
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise RequestError(f"{said}: {path.name}{line} is no Python: {error}") from None


def gather(path: Path, said: str) -> dict[str, bytes]:
    """Return the files that a strategy is made of, by name below its folder, its own first."""
    folder = path.resolve().parent
    try:
        found = {path.name: path.read_bytes()}
    except OSError as error:
        hint = _other_files(path)
        raise RequestError(f"{said}: {path} can't be read: {error.strerror}.{hint}") from None
    left = [path.name]
    while left:
        name = left.pop()
        texts: list[str] = []
        for node in ast.walk(_parse(found[name], folder / name, said)):
            for module in filter(None, _imported(node, name)):
                parts = module.split("/")
                for depth in range(1, len(parts) + 1):
                    file = module_file(folder, "/".join(parts[:depth]))
                    relative = file.relative_to(folder).as_posix() if file else ""
                    if file and relative not in found:
                        found[relative] = file.read_bytes()
                        left.append(relative)
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
        for place in {folder, (folder / name).parent}:
            inner = [text for text in texts if _is_name(text) and (place / text).is_dir()]
            for text in texts:
                for part in ["", *inner]:  # Path(__file__).parent / "data" / "table.npy"
                    _add_data(folder, place / part, text, found, said)
    return found


def _is_name(text: str) -> bool:
    """Whether a text of a source may name a file or folder beside it."""
    if not text.strip() or len(text) > 200 or not text.isprintable():
        return False
    return not Path(text).is_absolute() and ".." not in Path(text).parts


def _add_data(folder: Path, place: Path, text: str, found: dict[str, bytes], said: str) -> None:
    """Take along a data file beside a strategy, or a module of its own, that its source names."""
    if not _is_name(text) or text.endswith(".py"):
        return
    try:
        file = place / text
        if not file.is_file():
            return
        name = file.relative_to(folder).as_posix()
        if name in found:
            return
        if file.stat().st_size > LARGEST_DATA:
            raise RequestError(f"{said}: {file.name} is too large to keep with a strategy.")
        found[name] = file.read_bytes()
    except (OSError, ValueError):
        return


def _other_files(path: Path) -> str:
    near = did_you_mean(path.name, [one.name for one in path.parent.glob("*.py")])
    return f"\n  Did you mean {near}?" if near else ""


def hash_files(files: Mapping[str, bytes]) -> str:
    """Hash files by name and content, the first one told from the others."""
    digest = hashlib.sha256(next(iter(files)).encode() + b"\0")
    for name in sorted(files):
        digest.update(f"{name}\0{len(files[name])}\0".encode() + files[name])
    return digest.hexdigest()


@cache
def own_root() -> Path:
    """Folder for copies where the cache can't be written: gone when the process ends."""
    folder = tempfile.mkdtemp(prefix="simcards-bots-")
    atexit.register(shutil.rmtree, folder, True)
    return Path(folder)


def bots_root() -> tuple[Path, bool]:
    """Return the folder of copies and compiled strategies, and whether it outlives the process."""
    from ..kernels import jit

    folder = jit.cache_folder()
    return (folder / "bots", True) if folder else (own_root(), False)


def write_copy(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a folder that appears whole; what is there and isn't as it was is mended."""
    if folder.is_dir():
        for name, data in files.items():
            target = folder / name
            if not target.is_file() or target.read_bytes() != data:
                target.parent.mkdir(parents=True, exist_ok=True)
                handle, temporary = tempfile.mkstemp(dir=target.parent)
                with open(handle, "wb") as file:
                    file.write(data)
                os.replace(temporary, target)
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        whole = Path(temporary) / "whole"
        for name, data in files.items():
            target = whole / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        try:
            os.replace(whole, folder)
        except OSError:
            if not folder.is_dir():  # else another process was first
                raise


def module_names(files: Sequence[str]) -> list[str]:
    """Return the names by which a strategy imports the modules that came along."""
    found = []
    for name in files[1:]:
        if name.endswith(".py"):
            parts = name.removesuffix(".py").removesuffix("/__init__").split("/")
            found += [".".join(parts[:depth]) for depth in range(1, len(parts) + 1)]
    return list(dict.fromkeys(found))


def new_file(target: Path, game: str, *, overwrite: bool) -> str:
    """Write a strategy to start from; returns what to do next.

    Raises
    ------
    RequestError
        When the file is there, or can't be written.
    """
    from .games import find_game

    name = find_game(game).name
    if target.suffix != ".py":
        raise RequestError(f"{target}: a strategy is a file whose name ends in .py.")
    if target.exists() and not overwrite:
        raise RequestError(f"{target} is there already. Choose another name, or add --overwrite.")
    template = Path(__file__).parent.parent / "kernels" / "templates" / f"{name}.py"
    path = str(target).replace("\\", "/")  # in a docstring a backslash means something
    shown = f'"{path}"' if " " in path else path
    text = template.read_text(encoding="utf-8").replace("FILE", shown)
    data = text.encode()  # before there is a file
    try:
        target.write_bytes(data)
    except OSError as error:
        raise RequestError(f"{target} can't be written: {error.strerror}.") from None
    return (
        f"{target} is a strategy for {name} that plays already. Read it, change it, then:\n"
        f"  simcards check-strategy {shown} --game {name}\n"
        f"  simcards run --game {name} --strategy 0={shown}\n"
    )
