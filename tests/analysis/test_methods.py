"""The methods paragraph says what was done, and cites what it names."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import simcards

MADE: dict[str, tuple[Callable[[Path], Any], list[str]]] = {
    "run": (
        lambda out: simcards.run("aces", 60, seed=3, rules={"shrink": 2}, out=out),
        ["60 matches of aces", "preset bicycle, 2 players, with shrink=2",
         "seed 3, indices 0 to 59",
         "strategy always+lowest", "95 % Wilson intervals [wilson1927]",
         "simcards run --game aces --rule shrink=2 --n 60 --seed 3"],
    ),
    "precision": (
        lambda out: simcards.run("aces", seed=3, precision=0.05, out=out),
        ["confidence sequences", "[howard2021]", "plus or minus 0.05"],
    ),
    "seatings": (
        lambda out: simcards.compare("thirteen", "control", "shed", 40, seed=3, first=5, out=out),
        ["40 deals of thirteen", "240 games in all", "control and shed shared the table in all 6 "
         "seatings", "indices 5 to 44", "[bonett2012]"],
    ),
    "test": (
        lambda out: simcards.compare("thirteen", "control", "random", sprt="0..0.02", seed=3,
                                     out=out),
        ["sequential probability ratio test of a difference of 0 against 0.02", "[wald1945]",
         "[waudbysmith2024]"],
    ),
    "sweep": (
        lambda out: simcards.sweep("horner", {"rounds": [1, 2], "players": [2, 3]}, 30, seed=3,
                                   out=out),
        ["4 variants (all combinations of rounds: 1, 2; players: 2, 3)", "[holm1979]"],
    ),
    "tournament": (
        lambda out: simcards.tournament("horner", ["eager", "random"], 30, seed=3, out=out),
        ["2 strategies (eager, random) met at 2 tables", "Plackett-Luce", "[hunter2004]"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_methods(name: str, tmp_path: Path, cli) -> None:
    make, said = MADE[name]
    made = make(tmp_path / "x")
    code, out, error = cli("summary", tmp_path / "x", "--methods")
    assert code == 0, error
    paragraph, _, bibtex = out.partition("\n\n")
    for words in said:
        assert words in paragraph
    assert made.summary.command in paragraph
    cited = set(re.findall(r"\w+", " ".join(re.findall(r"\[([\w, ]+)\]", paragraph))))
    assert set(re.findall(r"^@\w+\{(\w+),", bibtex, re.M)) == cited
    assert bibtex.count("{") == bibtex.count("}")
    assert f"numba {made_by(tmp_path / 'x')['numba']}" in paragraph


def made_by(folder: Path) -> dict[str, str]:
    from simcards.sim.manifest import read_manifest

    return dict(read_manifest(folder).made_by)


def test_methods_and_json_exclude_each_other(tmp_path: Path, cli) -> None:
    simcards.run("aces", 10, seed=3, out=tmp_path / "x")
    code, _, error = cli("summary", tmp_path / "x", "--methods", "--json")
    assert code == 2 and "choose one" in error
