"""Starting is cheap: help, the catalogue and refusals load nothing that takes long."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HEAVY = ["llvmlite", "matplotlib", "numba", "numpy", "pandas", "polars", "scipy"]

# Runs command lines one after the other, as if typed, and tells what each came to. Nothing in
# it loads what it looks for, and a module that one of them loads is laid to that one.
DRIVER = f"""
import contextlib, io, json, sys, traceback

from simcards.cli import main

told = []
for arguments in json.loads(sys.stdin.read()):
    before = set(sys.modules)
    code, out, err = None, io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as left:
            code = left.code
        except BaseException:
            traceback.print_exc()
    loaded = sorted((set(sys.modules) - before) & set({HEAVY}))
    told.append([code, out.getvalue(), err.getvalue(), loaded])
print(json.dumps(told))
"""

# What is typed, and what the message must name.
WRONG = [
    ("frobnicate", "frobnicate"),
    ("rum", "run"),
    ("run acse", "Did you mean aces?"),
    ("run --game poker", "poker"),
    ("run", "--game"),
    ("run aces --game thirteenn", "thirteenn"),
    ("run aces --playrs 3", "--players"),
    ("run aces --seeed 3", "--seed"),
    ("run aces --n", "--n"),
    *((f"run aces --n {n}", f"--n {n}:") for n in ("1.5", "1e-3", "0", "-5", "nan", "inf")),
    *((f"run aces --n {n}", f"--n {n}:") for n in ("1e30", "1e999", "10abc", "0x10", "1e3.5")),
    (["run", "aces", "--n", ""], "--n"),
    ("run aces --seed -1", "--seed -1"),
    ("run aces --seed 18446744073709551616", "--seed 18446744073709551616"),
    ("run aces --seed abc", "--seed abc"),
    ("run aces --seed 0.5", "--seed 0.5"),
    ("run aces --first -1", "--first -1"),
    ("run aces --first 9223372036854775807 --n 2", "--first"),
    ("run aces --level 2", "--level 2"),
    ("run aces --level 0", "--level 0"),
    ("run aces --level nan", "--level nan"),
    ("run aces --level 95%", "--level 95%"),
    ("run aces --precision 0", "--precision 0"),
    ("run aces --precision 0.5", "--precision 0.5"),
    ("run aces --threads 0", "--threads 0"),
    ("run aces --threads many", "--threads many"),
    ("run aces --time-limit -1", "--time-limit -1"),
    ("run aces --chunk-size 0", "--chunk-size 0"),
    ("run aces --rows some", "--rows"),
    ("run aces --players 9", "--players 9"),
    ("run aces --players 3 --rule players=2", "--players 3"),
    ("run aces --preset bicycel", "Did you mean bicycle?"),
    ("run aces --rule shrnk=2", "Did you mean shrink"),
    ("run aces --rule shrink", "--rule shrink"),
    ("run aces --rule displace=maybe", "--rule displace=maybe"),
    ("run aces --rule layout=0", "--rule layout=0"),
    ("run aces --rule layout=5 --rule layout=6", "--rule layout=6"),
    ("run aces --rule layouts=10,7,5", "layouts=10+7+5"),
    ("run aces --rule layouts=10", "layouts=10"),
    ("run aces --rules missing.toml", "--rules missing.toml"),
    ("run aces --rules held", "--rules held"),
    ("run aces --rules held/note.txt", "--rules held/note.txt"),
    ("run aces --strategy alwys", "Did you mean always?"),
    ("run aces --strategy 2=never", "--strategy 2=never"),
    ("run aces --strategy rare:copies=x", "copies x"),
    ("run aces --strategy a+b+c+d", "--strategy a+b+c+d"),
    ("run aces --out held", "--overwrite"),
    ("run aces --out held/note.txt", "held"),
    (["run", "aces", "--n", "10", "--out", ""], "--out"),
    ("replay aces --index 3", "--seed"),
    ("replay aces --seed 7", "--index"),
    ("replay aces --seed 7 --index x", "--index x"),
    ("replay aces --seed 7 --index 5..3", "--index 5..3"),
    ("games poker", "poker"),
    ("games aces --preset none", "--preset none"),
    ("summary held", "held"),
    ("summary nowhere", "nowhere"),
    ("summary held/note.txt", "held"),
    ("resume held", "held"),
    ("replay held --index 0", "held"),
    ("verify held", "held"),
    ("export held --to csv", "held"),
    ("export held", "--to"),
    ("export held --to xlsx", "--to xlsx"),
    ("verify poker", "poker"),
    ("warmup poker", "poker"),
    ("cache empty", "empty"),
]


def words(command: str | list[str]) -> list[str]:
    return command.split() if isinstance(command, str) else command


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """What the wrong commands came to: code, standard output, standard error, modules loaded."""
    folder = tmp_path_factory.mktemp("wrong")
    (folder / "held").mkdir()
    (folder / "held" / "note.txt").write_text("not of a run", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", DRIVER],
        cwd=folder,
        input=json.dumps([words(command) for command, _ in WRONG]),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=True,
    )
    left = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    return [*json.loads(done.stdout), left]


@pytest.mark.parametrize(
    ("number", "named"),
    [(number, named) for number, (_, named) in enumerate(WRONG)],
    ids=[" ".join(words(command)) or "''" for command, _ in WRONG],
)
def test_a_wrong_command_is_refused_at_once(told: list[Any], number: int, named: str) -> None:
    code, out, err, loaded = told[number]
    assert "Traceback" not in err
    assert code == 2
    assert out == ""
    assert err.startswith("simcards: ")
    assert named in err
    assert len(err.splitlines()) <= 3
    assert len(err) < 500
    assert loaded == []


def test_wrong_commands_write_nothing(told: list[Any]) -> None:
    assert told[-1] == ["held", "held/note.txt"]


def modules_of(
    python_process: Callable[..., Any], code: str, **options: Any
) -> tuple[Any, set[str]]:
    """Run some code; returns the process, and the modules it had loaded when it ended."""
    told = (
        "import atexit, sys;atexit.register(lambda: print('\\n', *sys.modules, file=sys.stderr));"
    )
    done = python_process("-c", told + code, **options)
    return done, set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    "arguments",
    ["--help", "--version", "run --help", "replay -h", "games", "games --json", "games aces",
     "games aces --all", "games aces --json", "cache --help"],
)  # fmt: skip
def test_help_and_the_catalogue_are_cheap(
    python_process: Callable[..., Any], tmp_path: Path, arguments: str
) -> None:
    code = f"from simcards.cli import main; main({arguments.split()})"
    done, modules = modules_of(python_process, code, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.strip()
    assert done.stderr.count("\n") == 2  # only our own lines
    assert modules.isdisjoint(HEAVY)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [[], ["cache"]])
def test_a_command_without_a_command_is_helped(
    python_process: Callable[..., Any], arguments: list[str]
) -> None:
    done, modules = modules_of(python_process, f"from simcards.cli import main; main({arguments})")
    assert done.stdout.startswith("Usage: simcards")
    assert done.stderr.count("\n") == 2
    assert modules.isdisjoint(HEAVY)


def test_importing_loads_nothing(python_process: Callable[..., Any]) -> None:
    _, before = modules_of(python_process, "import importlib, typing")
    done, after = modules_of(python_process, "import simcards")
    assert done.returncode == 0
    assert {name for name in after if name.split(".")[0] == "simcards"} == {"simcards"}
    third_party = {name.split(".")[0] for name in after - before} - set(sys.stdlib_module_names)
    assert third_party == {"simcards"}


def test_public_names_come_when_asked_for(python_process: Callable[..., Any]) -> None:
    code = (
        "import simcards;"
        "found = [getattr(simcards, name) for name in simcards.__all__];"
        "assert set(simcards.__all__) <= set(dir(simcards));"
        "assert not hasattr(simcards, 'nothing_of_that_name')"
    )
    done = python_process("-c", code)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("entry", ["module", "script"])
def test_typed_by_hand(simcards_process: Callable[..., Any], tmp_path: Path, entry: str) -> None:
    """The same as above with nothing between: python -m simcards, and the installed command."""
    wrong = ["run", "aces", "--n", "10abc"]
    if entry == "module":
        done = simcards_process(*wrong, cwd=tmp_path)
    else:
        script = Path(sys.executable).with_name("simcards.exe" if os.name == "nt" else "simcards")
        if not script.exists():
            pytest.skip(f"no {script}")
        done = subprocess.run([script, *wrong], cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.fullmatch(r"simcards: --n 10abc: .*\n", done.stderr)
    assert list(tmp_path.iterdir()) == []
