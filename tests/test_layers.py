"""Imports go one way: kernels <- sim <- analysis <- cli."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from simcards.sim.games import GAMES

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("kernels", "sim", "analysis")
SOURCES = [
    path.relative_to(ROOT)
    for layer in LAYERS
    for path in sorted((ROOT / layer).rglob("*.py"))
    if "__pycache__" not in path.parts
] + [Path("cli.py")]
OF_KERNELS_AND_SIM = [path for path in SOURCES if path.parts[0] in ("kernels", "sim")]


def tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), str(path))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, absolute name) of all that a file imports, wherever it does.

    ``from .x import y`` gives simcards.sim.x.y, whether y is a module or a name in one.
    """
    package = ("simcards", *path.parts[:-1])
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            assert start or not node.level, f"{path}:{node.lineno} reaches above the package"
            module = ".".join([*start, *filter(None, [node.module])])
            for alias in node.names:
                yield node.lineno, f"{module}.{alias.name}"


def may_import(path: Path, name: str) -> bool:
    layer = path.parts[0]
    words = name.split(".")
    if words[0] != "simcards":
        third_party = words[0] not in sys.stdlib_module_names
        return (
            layer != "kernels"
            or not third_party
            or (words[0] in ("numpy", "numba", "llvmlite", "platformdirs"))
        )
    part = words[1]
    if layer == "kernels":
        return part == "kernels"
    if part == "__version__":
        return True
    if layer == "sim":
        if part == "kernels" and path.parts[1] == "games":
            # A game's *_cards module answers questions with the kernel's own code.
            return len(words) > 2 and (
                words[2].endswith("_numbers") or path.stem.endswith("_cards")
            )
        return part in ("sim", "kernels")
    if layer == "analysis":
        return part in ("analysis", "sim")
    return part in ("analysis", "sim") or words[1:3] == ["kernels", "jit"]


@pytest.mark.parametrize("path", SOURCES, ids=str)
def test_imports_point_down(path: Path) -> None:
    wrong = [f"{path}:{line} {name}" for line, name in imports(path) if not may_import(path, name)]
    assert not wrong


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("kernels/aces.py", "simcards.sim.rules"),
        ("kernels/aces.py", "polars"),
        ("kernels/aces.py", "simcards.__version__"),
        ("sim/run.py", "simcards.analysis.intervals"),
        ("sim/run.py", "simcards.run"),
        ("sim/run.py", "simcards.cli.main"),
        ("sim/games/aces.py", "simcards.kernels.aces"),
        ("sim/games/aces.py", "simcards.kernels"),
        ("analysis/screen.py", "simcards.kernels.aces_numbers"),
        ("analysis/screen.py", "simcards.cli"),
        ("cli.py", "simcards.kernels.aces"),
        ("cli.py", "simcards.kernels"),
    ],
)
def test_a_wrong_import_is_noticed(path: str, name: str) -> None:
    assert not may_import(Path(path), name)


@pytest.mark.parametrize("path", SOURCES, ids=str)
def test_modules_are_imported_by_name_where_it_is_needed(path: Path) -> None:
    """An import by a computed name would go round the test above; two files need one."""
    dynamic = [
        name
        for _, name in imports(path)
        if name.split(".")[0] in ("importlib", "pkgutil", "runpy")
        and not name.startswith("importlib.metadata")
    ]
    calls = [
        node.lineno
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Name) and node.id in ("__import__", "exec", "eval")
    ]
    allowed = {
        Path("sim", "chunk.py"): ["importlib.import_module"],
        Path("sim", "bots.py"): [
            "importlib.abc",
            "importlib.machinery",
            "importlib.util",
        ],  # users' files
    }
    assert dynamic == allowed.get(path, [])
    # Workers of a cluster may lack simcards, so they are asked, and told, by Python's own eval.
    evaluating = [Path("sim", name) for name in ("bots.py", "cluster.py", "workers.py")]
    assert len(calls) == (path in evaluating)


def test_numbers_of_kernels_import_nothing() -> None:
    """Games read them at the start of every command, so they must cost nothing."""
    files = sorted((ROOT / "kernels").glob("*_numbers.py"))
    assert files
    for path in files:
        assert [
            name for _, name in imports(path.relative_to(ROOT)) if "__future__" not in name
        ] == []


def forbidden(source: ast.Module) -> list[int]:
    """Lines with parallel loops, or with random numbers that aren't a function of a seed."""
    lines = []
    for node in ast.walk(source):
        match node:
            case ast.Name("prange") | ast.Attribute(_, "prange"):
                lines.append(node.lineno)
            case ast.keyword("parallel", ast.Constant(False)):
                pass
            case ast.keyword("parallel"):
                lines.append(node.lineno)
            case ast.Attribute(ast.Name("np" | "numpy"), "random"):
                lines.append(node.lineno)
            case ast.Import(names):
                if any(one.name in ("random", "numpy.random") for one in names):
                    lines.append(node.lineno)
            case ast.ImportFrom(module, names, level) if not level:
                found = {f"{module}.{one.name}" for one in names} | {module}
                if found & {"random", "numpy.random", "numba.prange"}:
                    lines.append(node.lineno)
    return lines


@pytest.mark.parametrize("path", OF_KERNELS_AND_SIM, ids=str)
def test_nothing_is_parallel_or_random_below_the_chunks(path: Path) -> None:
    assert forbidden(tree(path)) == []


@pytest.mark.parametrize(
    "line",
    [
        "from numba import prange",
        "for i in numba.prange(3): pass",
        "@njit(parallel=True)\ndef f(): pass",
        "njit(parallel=flag)",
        "np.random.seed(1)",
        "numpy.random.default_rng()",
        "from numpy import random",
        "from numpy.random import default_rng",
        "import random",
        "from random import shuffle",
    ],
)
def test_what_is_forbidden_is_noticed(line: str) -> None:
    assert forbidden(ast.parse(line))


def test_our_own_random_module_is_allowed() -> None:
    assert forbidden(ast.parse("from .random import below\nfrom . import random")) == []


def test_the_command_line_names_no_game() -> None:
    names = {word for game in GAMES for word in (game.name, *game.aliases)}
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, sorted(names)))})\b", re.IGNORECASE)
    source = tree(Path("cli.py"))
    examples = [
        node
        for node in source.body
        if isinstance(node, ast.Assign)
        and any(isinstance(one, ast.Name) and one.id == "EXAMPLES" for one in node.targets)
    ]
    assert len(examples) == 1
    source.body.remove(examples[0])
    found = []
    for node in ast.walk(source):
        match node:
            case ast.Constant(str(text)) | ast.Name(text) | ast.Attribute(_, text):
                found += [f"cli.py:{node.lineno} {word}" for word in pattern.findall(text)]
    assert not found


def test_kernels_make_no_arrays() -> None:
    """An element of an array made in a kernel outlives the array: its memory is given away.

    Lanes are arrays of plain numbers, which are passed whole; constants of a module stay.
    """
    makers = {"zeros", "empty", "ones", "full", "array", "zeros_like", "empty_like"}
    for path in sorted((ROOT / "kernels").glob("*.py")):
        made = [
            node.lineno
            for function in ast.walk(tree(path.relative_to(ROOT)))
            if isinstance(function, ast.FunctionDef)
            for node in ast.walk(function)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and (node.func.value.id, node.func.attr) in {("np", maker) for maker in makers}
        ]
        assert not made or path.name == "aces_together.py", f"{path.name}: lines {made}"
