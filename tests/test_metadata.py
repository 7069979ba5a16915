"""The files that say what the project is, and what it needs, agree with each other."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import simcards

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENT = re.compile(r"([A-Za-z0-9-]+)(\[[a-z]+\])?(?:>=([0-9.]+))?")


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return dict(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"])


def release(version: str) -> tuple[int, ...]:
    """As pip compares them: 2.0 is 2.0.0."""
    numbers = [int(part) for part in version.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def test_lower_bounds_are_those_that_are_tested(project: dict[str, Any]) -> None:
    wanted = {}
    for requirement in project["dependencies"] + project["optional-dependencies"]["test"]:
        match = REQUIREMENT.fullmatch(requirement)
        assert match, f"{requirement}: write NAME>=VERSION"
        assert match[3], f"{requirement}: has no lower bound"
        wanted[match[1]] = release(match[3])
    pinned = {}
    for line in (ROOT / "tests" / "lower-bounds.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, equals, version = line.partition("==")
            assert equals, line
            pinned[name] = release(version)
    assert pinned == wanted


def test_oldest_python_is_the_one_that_is_tested(project: dict[str, Any]) -> None:
    oldest = project["requires-python"].removeprefix(">=")
    assert sys.version_info >= release(oldest)
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert f'"{oldest}"' in workflow
    assert f"Programming Language :: Python :: {oldest}" in project["classifiers"]


def test_citation_agrees(project: dict[str, Any]) -> None:
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    said = dict(line.split(": ", 1) for line in lines if re.match(r"[a-z-]+: ", line))
    said = {name: value.strip('"') for name, value in said.items()}
    assert said["cff-version"] == "1.2.0"
    assert said["type"] == "software"
    assert said["title"] == project["name"]
    assert said["version"] == simcards.__version__
    assert said["license"] == project["license"]
    assert f'  - name: "{project["authors"][0]["name"]}"' in lines


def test_licence_names_its_holders(project: dict[str, Any]) -> None:
    (file,) = project["license-files"]
    assert project["authors"][0]["name"] in (ROOT / file).read_text(encoding="utf-8")
