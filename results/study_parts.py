"""What a published study is made of: a question, and commands that play what answers it."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

RESULTS = Path(__file__).resolve().parent
LEAST = 100
"""Games that a part plays at any scale."""


class StudyError(Exception):
    """A study that says what isn't so; the message says where."""


@dataclass(frozen=True)
class Part:
    """One command of a study."""

    name: str
    answers: str
    """The question it answers."""
    command: str
    """As it is typed, with --n and --seed."""
    figures: tuple[str, ...] = ()
    """The ones its table keeps; all if empty."""
    report: bool = False
    """Whether the study holds a report of it."""

    @property
    def words(self) -> list[str]:
        """The words after `simcards`."""
        program, *words = shlex.split(self.command)
        if program != "simcards":
            raise StudyError(f"part {self.name}: a command begins with simcards.")
        return words

    def option(self, name: str) -> str:
        """Return what the command says after an option.

        Raises
        ------
        StudyError
            When it doesn't say it.
        """
        words = self.words
        if name not in words[:-1]:
            raise StudyError(f"part {self.name}: the command has no {name}.")
        return words[words.index(name) + 1]

    def changed(self, name: str, value: object) -> Part:
        """Return the part with another value of an option it has."""
        old = f" {name} {self.option(name)}"
        return replace(self, command=self.command.replace(old, f" {name} {value}"))

    @property
    def n(self) -> int:
        """Deals or matches that it plays."""
        return round(float(self.option("--n")))

    def scaled(self, scale: float) -> Part:
        """Return the part with fewer games, or more."""
        return self if scale == 1 else self.changed("--n", max(LEAST, round(self.n * scale)))


@dataclass(frozen=True)
class Study:
    """A folder of results/."""

    folder: Path
    title: str
    question: str
    finding: str
    """In one sentence; results/README.md says the same."""
    seeds: tuple[int, ...]
    parts: tuple[Part, ...]
    labels: Mapping[str, str]
    """Figures to the headings that tables have for them."""

    @property
    def name(self) -> str:
        """What it is called on the command line."""
        return self.folder.name

    def part(self, name: str) -> Part:
        """Return the part of that name."""
        return next(one for one in self.parts if one.name == name)


def names() -> list[str]:
    """Return the names of all studies."""
    return sorted(path.parent.name for path in RESULTS.glob("*/study.toml"))


def read_study(name: str) -> Study:
    """Read a study's study.toml.

    Raises
    ------
    StudyError
        When there is no such study, two parts have one name, or a command has another seed.
    """
    folder = RESULTS / name
    if name not in names():
        raise StudyError(f"there is no study '{name}'. There are: {', '.join(names())}.")
    data = tomllib.loads((folder / "study.toml").read_text(encoding="utf-8"))
    parts = tuple(
        Part(**{**one, "figures": tuple(one.get("figures", ()))}) for one in data["parts"]
    )
    study = Study(
        folder,
        data["title"],
        data["question"],
        data["finding"],
        tuple(data["seeds"]),
        parts,
        data["labels"],
    )
    if len({part.name for part in parts}) != len(parts):
        raise StudyError(f"{name}: two parts have the same name.")
    for part in parts:
        if int(part.option("--seed")) not in study.seeds:
            raise StudyError(f"{name}: part {part.name} has a seed that isn't the study's.")
    return study
