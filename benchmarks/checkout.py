"""The checkout that is measured: its files, its revisions, and how a gate says what it found."""

from __future__ import annotations

import argparse
import io
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import simcards
from simcards.analysis.bench import NotMeasured
from simcards.sim.errors import RequestError
from simcards.sim.game import Game
from simcards.sim.games import GAMES, find_game

ROOT = Path(__file__).resolve().parents[1]
BASELINES = ROOT / "benchmarks" / "baselines"
LAYERS = ("kernels", "sim", "analysis")
PASSED, FAILED, NOT_MEASURED = 0, 1, 3


def add_games(parser: argparse.ArgumentParser) -> None:
    """Add the option that names games."""
    parser.add_argument("--games", metavar="A,B", help="these games; all if left out")


def chosen_games(words: str | None) -> tuple[Game, ...]:
    """Read the option that names games.

    Raises
    ------
    RequestError
        When there is no such game.
    """
    if words is None:
        return GAMES
    named = {find_game(word).name for word in words.split(",")}
    return tuple(game for game in GAMES if game.name in named)


def package_files(folder: Path) -> Iterator[Path]:
    """Yield the files of the package in a folder, relative to it."""
    yield from (path.relative_to(folder) for path in sorted(folder.glob("*.py")))
    for layer in LAYERS:
        for path in sorted((folder / layer).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(folder)


def check_imported() -> None:
    """Refuse to measure a simcards that isn't the one of this checkout.

    Raises
    ------
    NotMeasured
        When the imported package has other kernels or runs.
    """
    imported = Path(simcards.__file__).resolve().parent
    for name in package_files(ROOT):
        if name.suffix == ".py" and name.parts[0] in LAYERS:
            theirs = imported / name
            if not theirs.exists() or theirs.read_bytes() != (ROOT / name).read_bytes():
                raise NotMeasured(
                    f"not measured: {theirs} is not {name} of this checkout.\n"
                    "  Install it: pip install -e . --config-settings editable_mode=strict"
                )


def git(*words: str) -> bytes:
    """Ask git about the checkout, also where it belongs to somebody else.

    Raises
    ------
    NotMeasured
        When git isn't there or the checkout isn't one.
    RequestError
        When git doesn't know what was asked for.
    """
    command = ["git", "-c", "safe.directory=*", "-C", str(ROOT), *words]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        raise NotMeasured(f"not measured: git can't be run: {error}") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        if "not a git repository" in said:
            raise NotMeasured(f"not measured: {ROOT} is not a git checkout.")
        raise RequestError(f"git {words[0]}: {said}")
    return done.stdout


def copy_checkout(target: Path) -> None:
    """Copy the package as it is now, changes and new files included."""
    for name in package_files(ROOT):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target / name)


def copy_revision(revision: str, target: Path) -> str:
    """Copy the files of a revision; returns the commit.

    As an archive, not as a worktree: nothing of it is left in the repository, however this ends.
    """
    try:
        asked = git("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    except RequestError:
        raise RequestError(f"--against {revision}: git knows no such revision here.") from None
    commit = asked.decode().strip()
    target.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(git("archive", commit))) as archive:
        archive.extractall(target, filter="data")
    return commit
