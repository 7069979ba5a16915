"""How many threads a run takes: what the process may use, never less than one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import simcards
from simcards.sim import processors
from simcards.sim.processors import usable_processors


@pytest.fixture
def cgroup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of a container, made by a test, and sixteen processors to be limited."""
    monkeypatch.setattr(processors, "CGROUP", tmp_path)
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(16)), raising=False)
    monkeypatch.setattr(os, "process_cpu_count", lambda: 16, raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "processors_"),
    [
        ("max 100000\n", 16),
        ("200000 100000\n", 2),
        ("150000 100000\n", 2),  # one and a half
        ("50000 100000\n", 1),
        ("1000 100000\n", 1),
        ("6400000 100000\n", 16),  # more than there are
        ("", 16),
        ("what is this\n", 16),
        ("100000\n", 16),
        ("100000 0\n", 16),
        ("-1 100000\n", 16),
    ],
)
def test_a_container_s_limit_is_kept(cgroup: Path, text: str, processors_: int) -> None:
    (cgroup / "cpu.max").write_text(text)
    assert usable_processors() == processors_


@pytest.mark.parametrize(
    ("quota", "period", "processors_"),
    [
        ("-1", "100000", 16),
        ("300000", "100000", 3),
        ("250000", "100000", 3),
        ("1000", "100000", 1),
        ("0", "100000", 16),
        ("100000", "0", 16),
        ("nonsense", "100000", 16),
        ("300000", None, 16),
    ],
)
def test_an_older_container_s_limit_is_kept(
    cgroup: Path, quota: str, period: str | None, processors_: int
) -> None:
    (cgroup / "cpu").mkdir()
    (cgroup / "cpu" / "cpu.cfs_quota_us").write_text(f"{quota}\n")
    if period is not None:
        (cgroup / "cpu" / "cpu.cfs_period_us").write_text(f"{period}\n")
    assert usable_processors() == processors_


def test_without_a_container_all_that_are_allowed_are_used(cgroup: Path) -> None:
    assert usable_processors() == 16


def test_there_is_always_one(cgroup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    monkeypatch.setattr(os, "process_cpu_count", lambda: None, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(), raising=False)
    assert usable_processors() == 1


ON_ONE = """
import os, sys
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
from simcards.cli import main
main(["run", "aces", "--n", "100", "--seed", "1", "--json", *sys.argv[1:]])
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux only")
def test_a_process_bound_to_one_processor_uses_one_and_says_so(python_process: Any) -> None:
    done = python_process("-c", ON_ONE)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["threads"] == 1
    asked = python_process("-c", ON_ONE, "--threads", 3)
    assert json.loads(asked.stdout)["threads"] == 3  # who asks gets more
    assert json.loads(asked.stdout)["seats"] == json.loads(done.stdout)["seats"]


def test_a_run_uses_what_it_may_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from simcards.analysis import playing

    monkeypatch.setattr(playing, "usable_processors", lambda: 3)
    result = simcards.run("aces", 50, seed=1)
    assert (result.summary.threads, result.summary.usable_threads) == (3, 3)
    assert "on 3 of 3 threads" in str(result)
    result = simcards.run("aces", 50, seed=1, threads=2)
    assert "on 2 of 3 threads" in str(result)
