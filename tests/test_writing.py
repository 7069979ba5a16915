"""docs/strategies/writing.md: its strategies play as it says, and its lists are the views' own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import simcards
from simcards.sim.chunk import kernel_module
from simcards.sim.game import Game
from simcards.sim.games import GAMES

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "strategies" / "writing.md").read_text("utf-8")
FILES = dict(re.findall(r"^```python\n(?:# (\w+\.py)\n)(.*?)^```", TEXT, re.DOTALL | re.MULTILINE))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_fields_stand_there_as_in_the_view(game: Game) -> None:
    section = TEXT.partition(f"### {game.name}\n")[2].partition("\n### ")[0]
    listed = re.findall(r"^\| `(\w+)(\[\w+\])?` \| (.+) \|$", section, re.MULTILINE)
    view = kernel_module(game).VIEW
    assert [name for name, _, _ in listed] == list(view.names)
    source = (ROOT / "kernels" / f"{game.name}_view.py").read_text("utf-8")
    for name, mark, text in listed:
        assert bool(mark) == bool(view[name].shape), name
        said = re.findall(rf'^    \("{name}", .*?\),  # (.*)$', source, re.MULTILINE)
        assert said == [text], name


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_helpers_stand_there(game: Game) -> None:
    section = TEXT.partition(f"### {game.name}\n")[2].partition("| field")[0]
    source = (ROOT / "kernels" / f"{game.name}_view.py").read_text("utf-8")
    offered = re.findall(r'^    "(\w+)",$', source.partition("__all__")[2].partition("]")[0], re.M)
    for name in set(re.findall(r"`(\w+)", section)) - {"from", "PLAY"}:
        assert name in offered or name in kernel_module(game).VIEW.names, name


@pytest.mark.parametrize(
    ("file", "low", "high"),
    [("first.py", 11.5, 13.5), ("second.py", 25.2, 27.2), ("third.py", 26.0, 28.0)],
)
def test_strategies_play_as_it_says(file: str, low: float, high: float, tmp_path: Path) -> None:
    path = tmp_path / file
    path.write_text(FILES[file], encoding="utf-8")
    seats = [str(path), "lowest", "lowest", "lowest"]
    summary = simcards.run("thirteen", 20_000, strategies=seats, seed=7).summary
    assert low < 100 * summary.seats[0].win_rate < high


@pytest.mark.parametrize(
    ("against", "a", "b"), [("lowest", 26.9, 25.0), (None, 51.2, 48.8)], ids=["alone", "shared"]
)
def test_the_last_one_is_better_than_lowest(against, a: float, b: float, tmp_path: Path) -> None:
    path = tmp_path / "third.py"
    path.write_text(FILES["third.py"], encoding="utf-8")
    result = simcards.compare("thirteen", str(path), "lowest", against=against, seed=7)
    main = result.summary.main
    assert main is not None and main.verdict.word == "matters" and main.verdict.sign == 1
    assert (round(100 * main.a, 1), round(100 * main.b, 1)) == (a, b)
