"""What is installed is the package and nothing else, under no other name."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
AT_THE_ROOT = {"__init__.py", "__main__.py", "cli.py", "py.typed"}
FOLDERS = ("analysis", "analysis/report", "kernels", "kernels/templates", "sim", "sim/games")


def files_of_the_checkout() -> list[str]:
    """Files that are in git or would be added, with forward slashes."""
    # The checkout may belong to somebody else, as in a container; nothing is run from it.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-coz", "--exclude-standard"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"the files of the checkout are not known: {error}")
    names = done.stdout.decode().split("\0")
    return sorted({name for name in names if name and (ROOT / name).is_file()})


def isolation() -> list[str]:
    """Options of pip: use the build tools that are here, if they are new enough."""
    try:
        version = importlib.metadata.version("setuptools")
    except importlib.metadata.PackageNotFoundError:
        return []
    return ["--no-build-isolation"] if int(version.split(".")[0]) >= 77 else []


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clean copy: without what earlier builds left behind, which setuptools would ship."""
    # In a folder whose name is no identifier, as clones have.
    copy = tmp_path_factory.mktemp("wheel") / "a-clone"
    for name in files_of_the_checkout():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    return copy


@pytest.fixture(scope="module")
def wheel(checkout: Path) -> Path:
    if not importlib.util.find_spec("pip"):
        pytest.skip("pip is not installed here")
    # What surrounds this process, such as a constraints file, is meant for other things.
    environment = {k: v for k, v in os.environ.items() if k != "PIP_CONSTRAINT"}
    target = checkout.parent / "made"
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-input", "--quiet"]
        + ["--wheel-dir", str(target), *isolation(), str(checkout)],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    (made,) = target.glob("*.whl")
    return made


def test_it_holds_the_package_and_nothing_else(wheel: Path, checkout: Path) -> None:
    files = {
        path.relative_to(checkout).as_posix()
        for folder in FOLDERS
        for path in (checkout / folder).glob("*.py")
    }
    # A folder that has sources, but isn't listed in pyproject.toml, would be missed here.
    assert files == {
        path.relative_to(checkout).as_posix()
        for folder in ("analysis", "kernels", "sim")
        for path in (checkout / folder).rglob("*.py")
    }
    assert {"sim/games/__init__.py", "kernels/jit.py"} <= files
    names = zipfile.ZipFile(wheel).namelist()
    assert len(names) == len(set(names))
    about = {name for name in names if name.split("/")[0].endswith(".dist-info")}
    assert {name.partition("/")[2] for name in about} == {
        "METADATA",
        "RECORD",
        "WHEEL",
        "entry_points.txt",
        "licenses/LICENSE",
        "top_level.txt",
    }
    templates = {
        path.relative_to(checkout).as_posix()
        for path in (checkout / "analysis/report/templates").iterdir()
    }
    assert "analysis/report/templates/page.html" in templates
    expected = files | AT_THE_ROOT | templates
    assert set(names) - about == {f"simcards/{name}" for name in expected}


def test_no_other_name_is_taken(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    tops = {name.split("/")[0] for name in archive.namelist()}
    (about,) = tops - {"simcards"}
    assert re.fullmatch(r"simcards-[0-9][0-9a-z.]*\.dist-info", about)
    assert archive.read(f"{about}/top_level.txt").split() == [b"simcards"]


def test_it_says_what_it_is(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (about,) = {name.split("/")[0] for name in archive.namelist()} - {"simcards"}
    metadata = archive.read(f"{about}/METADATA").decode()
    assert "\nName: simcards\n" in metadata
    assert "\nLicense-Expression: BSD-3-Clause\n" in metadata
    assert "\nLicense-File: LICENSE\n" in metadata
    assert archive.read(f"{about}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    scripts = archive.read(f"{about}/entry_points.txt").decode().split("\n")
    assert "simcards = simcards.cli:main" in scripts


def test_only_simcards_can_be_imported_from_it(
    wheel: Path, python_process: Callable[..., Any]
) -> None:
    code = f"""
import importlib, sys
sys.path.insert(0, {str(wheel)!r})
import simcards, simcards.sim.games, simcards.kernels.aces_numbers
assert simcards.sim.games.__file__.startswith({str(wheel)!r})
for name in ("sim", "kernels", "analysis", "cli", "tests", "benchmarks", "simcards.tests"):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        continue
    sys.exit(name + " was imported")
"""
    # -I and -S: neither the working directory nor what is installed.
    done = python_process("-I", "-S", "-c", code)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_installed_package_takes_no_other_name(python_process: Callable[..., Any]) -> None:
    code = (
        "import importlib.util as u;"
        "print([n for n in ('sim', 'kernels', 'analysis', 'cli') if u.find_spec(n)])"
    )
    done = python_process("-c", code)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[]", "")
