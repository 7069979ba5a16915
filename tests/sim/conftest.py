"""A compiled kernel for all tests of runs, and clusters for those that need one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clusters import BOT, HELPER, LONG, SLOW, started

import simcards
from simcards.sim.chunk import prepare_kernel
from simcards.sim.games.aces import GAME


@pytest.fixture(scope="session", autouse=True)
def kernel() -> None:
    prepare_kernel(GAME)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a cluster whose workers are left alone."""
    with started(local_directory=str(tmp_path_factory.mktemp("dask"))) as found:
        yield found.scheduler_address


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Any]:
    """A cluster of one test, which takes its time until there is a file named go."""
    preload = [SLOW.format(go=str(tmp_path / "go"))]
    with started(preload=preload, local_directory=str(tmp_path / "dask")) as found:
        yield found


@pytest.fixture
def bot(tmp_path: Path) -> str:
    import numpy as np

    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "my_bot.py").write_text(BOT)
    (folder / "helper.py").write_text(HELPER)
    np.save(folder / "kept.npy", np.array([3, 1]))
    return str(folder / "my_bot.py")


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A scheduler without workers."""
    with started(0) as found:
        yield found


@pytest.fixture(scope="module")
def long_rows() -> Any:
    """The undisturbed run of `LONG`."""
    request = {name: value for name, value in LONG.items() if name != "chunk_size"}
    return simcards.run("aces", **request, rows=True)
