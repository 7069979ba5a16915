"""What all tests share: where kernels are kept, and ways to run the command line."""

from __future__ import annotations

import getpass
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS))  # so that tests write `from referees import aces`

Completed = subprocess.CompletedProcess[str]


def kernel_folder() -> str:
    """Return a folder for compiled kernels that stays the same from run to run.

    Compiling takes seconds in every process that doesn't find its kernels. What Numba reads
    from there becomes code, so a folder that belongs to somebody else isn't used.
    """
    user = str(os.getuid()) if hasattr(os, "getuid") else getpass.getuser()
    folder = Path(tempfile.gettempdir()) / f"simcards-tests-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid():
            return str(folder)
    except OSError:
        pass
    return tempfile.mkdtemp(prefix="simcards-tests-")


# Set before anything imports a kernel, and in the environment, so that processes started by
# tests, and the workers of pytest-xdist, find the same kernels.
os.environ.setdefault("SIMCARDS_CACHE_DIR", kernel_folder())


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command line in this process: ``code, out, err = cli("games", "--json")``."""
    from simcards.cli import main

    def run(*arguments: Any) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        code = left.value.code
        assert isinstance(code, int)
        return code, out, err

    return run


@pytest.fixture
def python_process(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Completed]:
    """Run Python in a process of its own, in a new empty folder outside the checkout.

    Keywords are those of `subprocess.run`; `env` is put over the environment.
    """

    def run(*arguments: Any, env: dict[str, str] | None = None, **options: Any) -> Completed:
        # Whatever the system's own encoding is, what the tests read is UTF-8.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment |= {"PYTHONIOENCODING": "utf-8"} | (env or {})
        if "cwd" not in options:
            options["cwd"] = tmp_path_factory.mktemp("cwd")
        if "input" not in options:
            options.setdefault("stdin", subprocess.DEVNULL)
        defaults = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            **{**defaults, "timeout": 300, **options},
            env=environment,
        )

    return run


@pytest.fixture
def simcards_process(python_process: Callable[..., Completed]) -> Callable[..., Completed]:
    """Run ``python -m simcards`` as `python_process` runs Python."""

    def run(*arguments: Any, **options: Any) -> Completed:
        return python_process("-m", "simcards", *arguments, **options)

    return run
