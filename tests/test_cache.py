"""Compiled kernels are kept, found again, and never trusted when anything has changed."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import pytest
from numba import types

import simcards
from simcards.kernels import jit

SOURCE = """
def play(x):
    return 3 * x + 1
"""
ROOT = Path(simcards.__file__).resolve().parent


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for compiled kernels, used by this process."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("SIMCARDS_CACHE_DIR", str(folder))
    jit.cache_folder.cache_clear()
    yield folder
    jit.cache_folder.cache_clear()


@pytest.fixture
def start(tmp_path: Path) -> Callable[[], Any]:
    """Make a small kernel as a process that has just started has it: not compiled yet.

    A kernel of a game takes ten seconds to compile; this one goes the same way in no time.
    """
    path = tmp_path / "tiny.py"
    path.write_text(SOURCE, encoding="utf-8")
    numbers = itertools.count()

    def make() -> Any:
        spec = importlib.util.spec_from_file_location("tiny", path)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules["tiny"] = module  # where Numba looks for it
        spec.loader.exec_module(module)
        next(numbers)
        return jit.entry(module.play)

    yield make
    sys.modules.pop("tiny", None)


def prepare(kernel: Any) -> float:
    """Compile or load a small kernel, and use it; returns the seconds spent compiling."""
    spent = jit.prepare(kernel, (types.int64,))
    assert kernel(5) == 16
    return spent


def kept(root: Path, ending: str) -> list[Path]:
    return sorted(root.rglob(f"*{ending}"))


# Kept and found again


def test_a_second_process_compiles_nothing(root: Path, start: Callable[[], Any]) -> None:
    first = start()
    assert not jit.is_cached(first)
    assert prepare(first) > 0
    assert prepare(first) == 0  # ready in this process
    folder = root / f"kernels-{jit.cache_key()}"
    for ending in (".nbi", ".nbc", ".seal"):
        assert len(kept(folder, ending)) == 1
    second = start()
    assert not jit.is_ready(second) and jit.is_cached(second)
    assert prepare(second) == 0
    assert sum(second.stats.cache_hits.values()) == 1 and not second.stats.cache_misses


GAME = """
import json, sys
from simcards.sim.chunk import kernel_module, prepare_kernel
from simcards.sim.games import GAMES
said = []
for game in GAMES:
    spent = prepare_kernel(game, lambda: said.append(game.name))
    stats = kernel_module(game).play.stats
    print(game.name, spent, len(said), len(stats.cache_misses))
"""


def test_the_kernels_of_all_games_are_served_from_disk(python_process: Any) -> None:
    """Twice, as the first process may be the one that compiles for all tests."""
    python_process("-c", GAME)
    done = python_process("-c", GAME)
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        assert line.split()[1:] == ["0.0", "0", "0"], line
    assert done.stdout


def test_a_run_says_nothing_of_compiling_when_nothing_is_compiled(simcards_process: Any) -> None:
    simcards_process("warmup", "aces")
    done = simcards_process("run", "aces", "--n", 100, "--seed", 1, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["compile_s"] == 0
    assert simcards_process("warmup", "aces").stderr == "aces: ready\n"


@pytest.mark.slow
def test_the_first_run_compiles_once_and_says_so(tmp_path: Path, simcards_process: Any) -> None:
    env = {"SIMCARDS_CACHE_DIR": str(tmp_path / "new")}
    runs = [
        simcards_process("run", "aces", "--n", 100, "--seed", 1, "--json", env=env)
        for _ in range(2)
    ]
    first, second = (json.loads(done.stdout) for done in runs)
    assert runs[0].stderr == "compiling aces, once: about 10 s\n" and runs[1].stderr == ""
    assert first["compile_s"] > 1 and second["compile_s"] == 0
    assert first["elapsed_s"] < first["compile_s"]  # compiling isn't counted as playing
    assert first["seats"] == second["seats"]
    assert [path.name.split("-")[0] for path in (tmp_path / "new").iterdir()] == ["kernels"]


# Damaged entries


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def make_empty(path: Path) -> None:
    path.write_bytes(b"")


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 16
    path.write_bytes(data)


def remove(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("damage", [cut_short, make_empty, flip, remove])
@pytest.mark.parametrize("ending", [".nbi", ".nbc", ".seal"])
def test_a_damaged_entry_is_compiled_again(
    root: Path, start: Callable[[], Any], ending: str, damage: Callable[[Path], None]
) -> None:
    prepare(start())
    (path,) = kept(root, ending)
    damage(path)
    damaged = start()
    assert not jit.is_cached(damaged)
    assert prepare(damaged) > 0
    assert prepare(start()) == 0  # mended


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", [cut_short, flip])
def test_a_damaged_kernel_of_a_game_is_compiled_again(
    tmp_path: Path, simcards_process: Any, ending: str, damage: Callable[[Path], None]
) -> None:
    simcards_process("warmup", "aces")
    folder = jit.cache_folder()
    assert folder is not None
    shutil.copytree(folder, tmp_path / folder.name)
    paths = [path for path in kept(tmp_path, ending) if path.name.startswith("aces.")]
    assert paths
    for path in paths:
        damage(path)
    env = {"SIMCARDS_CACHE_DIR": str(tmp_path)}
    words = ("run", "aces", "--n", 100, "--seed", 1, "--json")
    done = [simcards_process(*words, env=env) for _ in range(2)]
    assert [one.returncode for one in done] == [0, 0]
    assert "compiling aces" in done[0].stderr and "Traceback" not in done[0].stderr
    assert done[1].stderr == ""
    first, second = (json.loads(one.stdout) for one in done)
    assert first["seats"] == second["seats"]


TINY = """
import sys, threading, time
sys.path.insert(0, sys.argv[1])
from numba import types
from simcards.kernels import jit
import tiny
kernel = jit.entry(tiny.play)
while time.time() < float(sys.argv[2]):
    pass
jit.prepare(kernel, (types.int64,))
print(kernel(5))
"""


def test_processes_that_start_at_once_do_each_other_no_harm(
    root: Path, tmp_path: Path, start: Callable[[], Any]
) -> None:
    import time

    start()  # writes the source
    at = time.time() + 3
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", TINY, str(tmp_path), str(at)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out, err) == (0, "16\n", "")
    prepare(start())
    assert prepare(start()) == 0


# Nothing writable


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for compiled kernels that can't be made, even by root."""
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SIMCARDS_CACHE_DIR", str(tmp_path / "file" / "cache"))
    jit.cache_folder.cache_clear()
    yield tmp_path / "file" / "cache"
    jit.cache_folder.cache_clear()


def test_a_kernel_works_where_nothing_can_be_kept(
    nowhere: Path, start: Callable[[], Any], cli: Any
) -> None:
    assert jit.cache_folder() is None
    for _ in range(2):
        kernel = start()
        assert not jit.is_cached(kernel)
        assert prepare(kernel) > 0
    assert jit.folders() == [] and jit.clear() == []
    code, out, _ = cli("cache", "info")
    assert code == 0 and str(nowhere) in out
    assert cli("cache", "clear")[0] == 0


@pytest.mark.slow
def test_a_run_works_where_nothing_can_be_kept_and_says_so_once(
    nowhere: Path, simcards_process: Any
) -> None:
    done = simcards_process("run", "aces", "--n", 100, "--seed", 1, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["completed"] == 100
    assert done.stderr.count("\n") == 1
    assert "nothing can be kept" in done.stderr and "SIMCARDS_CACHE_DIR" in done.stderr
    quiet = simcards_process("run", "aces", "--n", 100, "--seed", 1, "--json", "--quiet")
    assert (quiet.returncode, quiet.stderr) == (0, "")


def test_help_needs_no_folder(nowhere: Path, simcards_process: Any) -> None:
    for words in (("--help",), ("games", "aces"), ("cache", "info")):
        done = simcards_process(*words)
        assert (done.returncode, done.stderr) == (0, "")


# What the key depends on

KEYS = """
import pathlib, sys
from simcards.kernels import jit
folder = pathlib.Path(jit.__file__).parent
assert pathlib.Path(sys.argv[1]) in folder.parents, folder
key = jit.cache_key.__wrapped__
print("", key())
for path in sorted(folder.glob("*.py")):
    source = path.read_bytes()
    changed = bytearray(source)
    changed[-2] ^= 1
    for data in (bytes(changed), source + b"#", source):
        path.write_bytes(data)
        print(path.name, key())
path = folder / "aces.py"
path.rename(folder / "trash.py")
print("renamed", key())
(folder / "trash.py").rename(path)
print("again", key())
"""


def test_every_byte_of_every_kernel_source_counts(tmp_path: Path, python_process: Any) -> None:
    copy = tmp_path / "simcards"
    copy.mkdir()
    for name in ("__init__.py", "kernels"):
        source = ROOT / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, copy / name, symlinks=False, ignore=ignored)
        else:
            shutil.copy(source, copy / name)
    env = {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = python_process("-c", KEYS, tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    (_, key), *lines = (line.split(" ") for line in done.stdout.splitlines())
    by_file: dict[str, list[str]] = {}
    for name, other in lines:
        by_file.setdefault(name, []).append(other)
    assert set(by_file) >= {"jit.py", "common.py", "random.py", "aces.py", "aces_table.py"}
    assert by_file.pop("again") == [key]
    assert by_file.pop("renamed") != [key]
    for changed, longer, as_before in by_file.values():
        assert as_before == key
        assert len({key, changed, longer}) == 3
    assert key != jit.cache_key()  # another install of the same sources has its own


@pytest.mark.parametrize(
    ("option", "value"),
    [("BOUNDSCHECK", 1), ("OPT", 0), ("DEBUGINFO_DEFAULT", 1), ("CPU_NAME", "generic")],
)
def test_code_options_have_a_folder_of_their_own(
    monkeypatch: pytest.MonkeyPatch, option: str, value: Any
) -> None:
    before = jit.cache_key.__wrapped__()
    monkeypatch.setattr(numba.config, option, value)
    assert jit.cache_key.__wrapped__() != before


def test_bounds_checks_asked_for_in_the_environment_have_a_folder_of_their_own(
    tmp_path: Path, python_process: Any
) -> None:
    code = "from simcards.kernels import jit; print(jit.cache_folder())"
    folders = set()
    for more in ({}, {"NUMBA_BOUNDSCHECK": "1"}, {}):
        env = {"SIMCARDS_CACHE_DIR": str(tmp_path), "NUMBA_BOUNDSCHECK": ""} | more
        done = python_process("-c", code, env=env)
        assert done.returncode == 0, done.stderr
        folders.add(done.stdout.strip())
    assert len(folders) == 2
    assert {str(path) for path in tmp_path.iterdir()} == folders


# The user's own Numba

USER = """
import sys
import numba
before = numba.config.CACHE_DIR
import simcards.kernels.aces
assert numba.config.CACHE_DIR == before, numba.config.CACHE_DIR
sys.path.insert(0, sys.argv[1])
import mine
mine.f(1)
print(before)
"""


@pytest.mark.parametrize("setting", ["", "elsewhere"])
def test_a_user_s_own_caches_stay_where_they_are(
    tmp_path: Path, python_process: Any, setting: str
) -> None:
    (tmp_path / "mine.py").write_text(
        "import numba\n@numba.njit(cache=True)\ndef f(x):\n    return x\n", encoding="utf-8"
    )
    theirs = str(tmp_path / setting) if setting else ""
    ours = tmp_path / "ours"
    env = {"SIMCARDS_CACHE_DIR": str(ours), "NUMBA_CACHE_DIR": theirs}
    done = python_process("-c", USER, tmp_path, env=env)
    assert (done.returncode, done.stdout) == (0, f"{theirs}\n"), done.stderr
    place = Path(theirs) if theirs else tmp_path / "__pycache__"
    assert [path.name.split("-")[0] for path in place.rglob("*.nbc")] == ["mine.f"]
    assert not list(ours.rglob("mine.*"))


def test_decorating_a_kernel_leaves_the_setting_alone(
    root: Path, start: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "/the/user's/own")
    prepare(start())
    assert numba.config.CACHE_DIR == "/the/user's/own"
    assert kept(root, ".nbc")


# Looking and clearing up


def test_cache_info_and_clear(root: Path, start: Callable[[], Any], cli: Any) -> None:
    code, out, _ = cli("cache", "info")
    assert code == 0 and str(root) in out and "nothing there yet" in out
    prepare(start())
    old = root / "kernels-0123456789abcdef0123"
    old.mkdir()
    (old / "aces.nbc").write_bytes(bytes(3_000_000))
    stranger = root / "notes.txt"
    stranger.write_text("not a kernel")
    code, out, _ = cli("cache", "info")
    assert code == 0
    assert f"kernels-{jit.cache_key()}  (this version)" in out
    assert "3.0 MB  kernels-0123456789abcdef0123\n" in out
    assert "simcards cache clear" in out
    code, out, _ = cli("cache", "clear")
    assert code == 0 and out.startswith("2 folders removed")
    assert [path.name for path in root.iterdir()] == ["notes.txt"]
    # A process that goes on makes it anew.
    assert prepare(start()) > 0
    assert prepare(start()) == 0


def test_the_folder_can_be_chosen_and_has_a_place_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SIMCARDS_CACHE_DIR", str(tmp_path))
    assert jit.cache_root() == tmp_path
    monkeypatch.delenv("SIMCARDS_CACHE_DIR")
    assert jit.cache_root().name.lower() == "simcards" or os.name == "nt"
    assert ROOT not in jit.cache_root().parents


def test_python_is_told_once_that_nothing_can_be_kept(tmp_path: Path, python_process: Any) -> None:
    (tmp_path / "file").write_text("in the way")
    code = "import simcards; simcards.run('aces', 10, seed=1); simcards.run('aces', 10, seed=2)"
    done = python_process("-c", code, env={"SIMCARDS_CACHE_DIR": str(tmp_path / "file" / "below")})
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("compiled kernels can't be kept in") == 1
