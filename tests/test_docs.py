"""Commands and examples in the documents do what they say, in any shell."""

from __future__ import annotations

import contextlib
import doctest
import io
import pkgutil
import re
import shlex
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import click
import pytest

import simcards.analysis
import simcards.sim.games
from simcards.cli import cli as command_line
from simcards.sim.games import games as game_names

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

N, LONGER = "200", "300"
PLAYS = {"run": 100_000, "compare": 20_000, "sweep": 100_000, "tournament": 2_000}
"""Commands that play many games, with the number they play if none is given."""


class Line(NamedTuple):
    """A line of a document that is a command."""

    document: Path
    number: int
    text: str

    @property
    def words(self) -> list[str]:
        """The words after `simcards`, as a shell would give them."""
        return shlex.split(self.text)[1:]

    def __str__(self) -> str:
        return f"{self.document.name}:{self.number}"


def code_lines(document: Path) -> Iterator[tuple[int, str]]:
    """Yield lines of code blocks, fenced or indented, without their indentation."""
    fenced = False
    for number, line in enumerate(document.read_text("utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            yield number, line.strip()


COMMANDS = [
    Line(document, number, text)
    for document in DOCUMENTS
    for number, text in code_lines(document)
    if text.startswith("simcards ")
]


def faults(text: str) -> list[str]:
    """What some shell would take for something else, or what isn't written as we write it."""
    outside = re.sub(r'"[^"]*"', "", text)
    found = re.findall(r"[;?*&|<>()\[\]{}'`$\\^%!#~]", outside)
    return found + re.findall(r"--[a-z-]+=", outside) + ['"'] * outside.count('"')


def test_there_are_commands() -> None:
    assert len(COMMANDS) > 30
    assert {line.words[0] for line in COMMANDS} == set(command_line.commands)
    assert {line.document.name for line in COMMANDS} >= {"README.md", "cli.md", "thirteen.md"}


@pytest.mark.parametrize("line", COMMANDS, ids=str)
def test_commands_mean_the_same_in_every_shell(line: Line) -> None:
    assert faults(line.text) == []


@pytest.mark.parametrize(
    "text",
    [
        "simcards run --n=5",
        "simcards run --seed 1; ls",
        "simcards run | head",
        "simcards games > f",
        "simcards run --rule a={1}",
        "simcards run --rule 'a=1'",
        "simcards run --strategy a(b)",
        "simcards run &",
        "simcards export x*",
        'simcards run "a',
        "simcards replay --index [1]",
        "simcards run --out $HOME",
    ],
)
def test_what_a_shell_would_misread_is_noticed(text: str) -> None:
    assert faults(text)
    assert not faults('simcards run --rule "a=(b|c)" --out "my games"')


@pytest.mark.parametrize("line", COMMANDS, ids=str)
def test_commands_are_accepted(line: Line) -> None:
    name, *words = line.words
    command = command_line.commands[name]
    if isinstance(command, click.Group):
        command = command.commands[words.pop(0)]
    command.make_context(name, words).close()


# Not run: verify GAME plays for minutes, and the kernels on this machine stay where they are.
def is_run(line: Line) -> bool:
    words = line.words
    if "--scheduler" in words and "local" not in words:  # nobody answers there
        return False
    return words[:2] != ["cache", "clear"] and (words[0] != "verify" or "my-" in words[1])


def shortened(words: list[str]) -> list[str]:
    """The command with few games. What goes on with a run makes it a little longer."""
    n = LONGER if words[0] == "resume" else N
    if "--n" in words:
        at = words.index("--n") + 1
        return [*words[:at], n, *words[at + 1 :]]
    return [*words, "--n", N] if words[0] in PLAYS else words


def test_commands_do_what_they_say(cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for document in DOCUMENTS:
        blocks = re.findall(r"^```\w+\n(.*?)^```", document.read_text("utf-8"), re.M | re.S)
        for block in blocks:
            name = re.match(r"# (\S+\.(?:toml|py))\n", block)
            if name:
                Path(name[1]).write_text(block, encoding="utf-8")
    folders = {word for line in COMMANDS for word in line.words if re.fullmatch(r"my-\w+", word)}
    games = {folder: folder.removeprefix("my-") for folder in sorted(folders)}
    # Other folders are made by a command that comes before.
    for folder, game in games.items():
        if game not in game_names():
            continue
        code, _, error = cli("run", game, "--n", N, "--seed", 1, "--out", folder, "--quiet")
        assert code == 0, error
    for line in filter(is_run, COMMANDS):
        words = shortened(line.words)
        for option in ("--out", "--table", "-o", "csv", "parquet"):  # where something is written
            for target in words[words.index(option) + 1 :][:1] if option in words else ():
                if Path(target).is_dir():
                    shutil.rmtree(target)
                Path(target).unlink(missing_ok=True)
        if words[0] == "new-strategy":
            Path(words[1]).unlink(missing_ok=True)
        code, out, error = cli(*words)
        assert code == 0, (str(line), words, error)
        assert out or words[0] in ("export", "warmup"), str(line)


@pytest.mark.parametrize(
    "name",
    ["README.md", "docs/clusters.md", "docs/comparing.md", "docs/sweeping.md", "docs/reports.md"],
)
def test_python_examples_run(name: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"^```python\n(.*?)^```", (ROOT / name).read_text("utf-8"), re.M | re.S)
    assert examples
    said = io.StringIO()
    for example in examples:
        short = re.sub(r"\b1e\d\b", N, example)
        with contextlib.redirect_stdout(said):
            exec(compile(short, name, "exec"), {"__name__": "__main__"})
    assert said.getvalue()


SCREENS = [
    screen
    for name in ("comparing", "sweeping")
    for screen in re.findall(
        r"^```\n\$ (simcards [^\n]*)\n(.*?)^```",
        (ROOT / f"docs/{name}.md").read_text("utf-8"),
        re.M | re.S,
    )
]


@pytest.mark.parametrize("command, shown", SCREENS, ids=[command for command, _ in SCREENS])
def test_screens_in_the_document_are_what_is_printed(cli, command: str, shown: str) -> None:
    code, out, error = cli(*shlex.split(command)[1:], "--quiet")
    assert code == 0, error
    # The line that says how fast it was is left out there.
    lines = [line for line in out.splitlines() if not re.search(r"threads, [\d,]+ \w+/s", line)]
    assert "\n".join(lines).rstrip() == shown.rstrip()


MODULES = sorted(
    module.name
    for package in (simcards.analysis, simcards.sim, simcards.sim.games)
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + ".")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    found = doctest.testmod(import_module(name))
    assert found.failed == 0
    if name in ("simcards.analysis.intervals", "simcards.sim.games.thirteen_cards"):
        assert found.attempted > 2
