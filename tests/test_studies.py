"""Published studies say what their tables say, and their tables what is played."""

from __future__ import annotations

import contextlib
import math
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from scipy.stats import norm

from simcards.sim.games import find_game

RESULTS = Path(__file__).resolve().parent.parent / "results"
sys.path.insert(0, str(RESULTS))

import reproduce  # noqa: E402
from study_parts import Part, Study, StudyError, names, read_study  # noqa: E402
from study_tables import Line, decimals, from_csv, tables_of, to_csv  # noqa: E402
from study_text import number, write_text  # noqa: E402

STUDIES = ("aces-layouts", "good-player", "horner-luck", "thirteen-bombs")
PARTS = [(name, part.name) for name in STUDIES for part in read_study(name).parts]

KNOWN = {
    "hand of 10 and 10: turns": ("aces-layouts", "hands", "layout=10", "turns"),
    "hand of 10 and 10: starter wins": ("aces-layouts", "hands", "layout=10", "win_0"),
    "hand of 5 and 5: turns": ("aces-layouts", "hands", "layout=5", "turns"),
    "hand of 5 and 5: starter wins": ("aces-layouts", "hands", "layout=5", "win_0"),
    "hand of 1 and 1: turns": ("aces-layouts", "hands", "layout=1", "turns"),
    "hand of 1 and 1: starter wins": ("aces-layouts", "hands", "layout=1", "win_0"),
    "match of 10 and 10: turns": ("aces-layouts", "matches", "players=2 shrink=1", "turns"),
    "match of 10 and 10: hands": ("aces-layouts", "matches", "players=2 shrink=1", "hands"),
    "match of 10 and 10: first starter wins": (
        "aces-layouts",
        "head-start",
        "shrink=1",
        "win_0",
    ),
    "some instant win": ("thirteen-bombs", "at-once", "instant=twos+dragon", "instant_wins"),
    "somebody has four 2s": ("thirteen-bombs", "at-once", "instant=twos", "instant_wins"),
    "pies go to who was dealt the 7": (
        "horner-luck",
        "pies",
        "pies=identity recycle=own",
        "pies_as_dealt",
    ),
}
"""Exact values to where they stand in the tables: study, table, row, figure."""

REPLAYED = {
    "aces-layouts": ("hands", 20_000),
    "good-player": ("thirteen-deal", 5_000),
    "horner-luck": ("three", 20_000),
    "thirteen-bombs": ("both-lockout", 20_000),
}
"""Parts that are played anew, and with how many games."""
SEED = 31415927
LIMIT = 4.5


@contextlib.contextmanager
def study_folder(study: Study, folder: Path) -> Iterator[None]:
    """Work in a folder where the files are that the commands of a study read."""
    for path in study.folder.glob("*.toml"):
        shutil.copy(path, folder)
    with contextlib.chdir(folder):
        yield


def published(name: str) -> dict[str, tuple[Line, ...]]:
    return reproduce.read_tables(RESULTS / name)


def line_of(tables: Mapping[str, Sequence[Line]], table: str, row: str, figure: str) -> Line:
    (found,) = (line for line in tables[table] if (line.row, line.figure) == (row, figure))
    return found


def interval(line: Line) -> tuple[float, float, float]:
    """The estimate that has an interval: the value, or else the difference."""
    said = (
        (line.value, line.low, line.high)
        if line.low
        else (line.difference, line.difference_low, line.difference_high)
    )
    estimate, low, high = map(float, said)
    return estimate, low, high


def apart(ours: Line, theirs: Line, level: float) -> float:
    """By how many standard errors two lines of the same figure, from other games, differ."""
    a, a_low, a_high = interval(ours)
    b, b_low, b_high = interval(theirs)
    together = 1 if ours.low else int(ours.together)
    half = math.hypot(a_high - a_low, b_high - b_low) / 2
    error = half / norm.isf((1 - level) / 2 / together)
    # What both were rounded by isn't chance.
    rounding = sum(10.0 ** -len(text.partition(".")[2]) for text in (ours.low, theirs.low) if text)
    return max(0.0, abs(a - b) - rounding) / error if error else float(abs(a - b) > rounding) * 99


def level_of(part: Part) -> float:
    return float(part.option("--level")) if "--level" in part.words else 0.95


TRIPLE = re.compile(r"([-+]?\d[\d.]*) \((-?\d[\d.]*) to (-?\d[\d.]*)\)")


def unsaid(text: str, tables: Mapping[str, Sequence[Line]]) -> list[str]:
    """Numbers with intervals in a text that stand in none of the tables, with either sign."""
    said = set()
    for lines in tables.values():
        for line in lines:
            for triple in (
                (line.value, line.low, line.high),
                (line.difference, line.difference_low, line.difference_high),
            ):
                if triple[1]:
                    estimate, low, high = map(float, triple)
                    said |= {(estimate, low, high), (-estimate, -high, -low)}
    return [
        match[0] for match in TRIPLE.finditer(text) if tuple(map(float, match.groups())) not in said
    ]


def test_there_are_studies() -> None:
    assert names() == sorted(STUDIES)
    with pytest.raises(StudyError, match="aces-layouts"):
        read_study("aces")


@pytest.mark.parametrize(("name", "part"), PARTS)
def test_commands_are_accepted(name: str, part: str, tmp_path: Path) -> None:
    study = read_study(name)
    with study_folder(study, tmp_path):
        told = reproduce.play(study.part(part).changed("--n", 20))
    tables = tables_of(part, told, study.part(part).figures)
    theirs = published(name)
    for table, lines in tables.items():  # in another order where it is that of the ranking
        rows = {(line.row, line.figure) for line in lines}
        assert rows == {(line.row, line.figure) for line in theirs[table]}


@pytest.mark.parametrize("name", STUDIES)
def test_every_table_is_of_a_part(name: str) -> None:
    parts = {part.name for part in read_study(name).parts}
    tables = published(name)
    assert {table.removesuffix("-effects") for table in tables} == parts
    for path in (RESULTS / name / "tables").iterdir():
        text = path.read_text(encoding="utf-8")
        assert to_csv(from_csv(text)) == text
        assert len(text) < 10_000


@pytest.mark.parametrize("name", STUDIES)
def test_tables_agree_with_themselves(name: str) -> None:
    for lines in published(name).values():
        bases = {line.figure: line for line in lines if line.verdict == "base"}
        for line in lines:
            for triple in (
                (line.low, line.value, line.high),
                (line.difference_low, line.difference, line.difference_high),
            ):
                if triple[0]:
                    low, estimate, high = map(float, triple)
                    assert low <= estimate <= high, line
            if line.difference and line.value:
                base = bases[line.figure]
                places = min(
                    len(text.partition(".")[2])
                    for text in (line.value, base.value, line.difference)
                )
                off = float(line.value) - float(base.value) - float(line.difference)
                assert abs(off) < 1.6 * 10.0**-places, line


@pytest.mark.parametrize("name", STUDIES)
def test_texts_say_what_the_tables_say(name: str) -> None:
    study, tables = read_study(name), published(name)
    readme = (study.folder / "README.md").read_text(encoding="utf-8")
    template = (study.folder / "text.md").read_text(encoding="utf-8")
    assert readme == write_text(study, tables, template)
    assert len(TRIPLE.findall(readme)) > 20
    assert unsaid(readme, tables) == []
    assert "## What a designer would do about it\n" in readme
    assert readme.rindex("\n## ") == readme.index("\n## What a designer would do about it")
    index = (RESULTS / "README.md").read_text(encoding="utf-8")
    assert reproduce.index_line(study, tables) in index.splitlines()


@pytest.mark.parametrize("name", STUDIES)
def test_reports_are_of_the_same_games(name: str) -> None:
    study = read_study(name)
    reported = [part for part in study.parts if part.report]
    assert reported
    assert {path.name for path in (study.folder / "reports").iterdir()} == {
        f"{part.name}.md" for part in reported
    }
    for part in reported:
        text = (study.folder / "reports" / f"{part.name}.md").read_text(encoding="utf-8")
        assert f"seed {part.option('--seed')}, indices 0 to {part.n - 1}." in text


@pytest.mark.parametrize("name", STUDIES)
def test_numbers_in_prose_are_filled_in(name: str) -> None:
    """What stands in a text by hand is a rule, a size or a level, no figure with decimals."""
    template = (RESULTS / name / "text.md").read_text(encoding="utf-8")
    prose = re.sub(r"\{\{.+?\}\}|`[^`]*`", "", template)
    assert set(re.findall(r"\d+\.\d+", prose)) <= {"99.95", "33.3", "16.7"}


@pytest.mark.parametrize("name", STUDIES)
def test_a_changed_number_is_noticed(name: str) -> None:
    study, tables = read_study(name), published(name)
    readme = (study.folder / "README.md").read_text(encoding="utf-8")
    triple = TRIPLE.search(readme)
    assert triple
    digit = "1" if triple[1][-1] != "1" else "2"
    wrong = f"{readme[: triple.end(1) - 1]}{digit}{readme[triple.end(1) :]}"
    assert unsaid(wrong, tables) != []
    template = (study.folder / "text.md").read_text(encoding="utf-8")
    table, line = next(
        (table, line)
        for table, lines in tables.items()
        for line in lines
        if line.low and f"{{{{{table}|{line.row}|{line.figure}" in template
    )
    other = replace(line, value="1.5", difference=line.difference and "1.5")
    changed = [other if one == line else one for one in tables[table]]
    assert write_text(study, {**tables, table: changed}, template) != readme


LINE = Line("a", "turns", "9", "5.0", "4.0", "6.0", "1.0", "-0.5", "2.5", "1", "0.1", "unknown")


def test_claims_that_the_interval_does_not_bear_out_are_refused() -> None:
    assert number(LINE, "level") == "+1.0 (-0.5 to 2.5)"
    assert number(LINE, "over 3.9") == number(LINE, "about 4") == "5.0 (4.0 to 6.0)"
    for claim in ("more", "less", "small", "over 4.5", "under 5.5", "about 7", "sure"):
        with pytest.raises(StudyError):
            number(LINE, claim)
    higher = replace(LINE, difference_low="0.5", verdict="too small")
    assert number(higher, "more") == "1.0 (0.5 to 2.5)"
    lower = replace(LINE, difference="-1.0", difference_low="-2.5", difference_high="-0.5")
    assert number(lower, "less") == "1.0 (0.5 to 2.5)"
    with pytest.raises(StudyError):
        number(higher, "level")


def test_decimals_are_what_the_interval_bears() -> None:
    halves = (40.0, 20.0, 4.0, 2.9, 0.4, 0.29, 0.012, 1e-9, 0.0)
    assert [decimals(half) for half in halves] == [0, 0, 0, 1, 1, 2, 3, 4, 2]


@pytest.mark.parametrize("known", KNOWN)
def test_exact_values_are_the_known_ones(known: str) -> None:
    name, table, row, figure = KNOWN[known]
    part = read_study(name).part(table)
    (fact,) = (one for one in find_game(part.option("--game")).facts if one.name == known)
    line = line_of(published(name), table, row, figure)
    scale = 1 if figure in ("turns", "hands") else 100
    assert fact.error == 0
    assert float(line.exact) == pytest.approx(fact.value * scale, rel=1e-5)
    exact = replace(line, low=line.exact, high=line.exact, value=line.exact)
    assert apart(line, exact, level_of(part)) < LIMIT


def test_all_exact_values_are_checked() -> None:
    marked = {
        (name, table, line.row, line.figure)
        for name in STUDIES
        for table, lines in published(name).items()
        for line in lines
        if line.exact
    }
    elsewhere = {  # the same game once more in another table
        ("aces-layouts", "matches", "players=2 shrink=1", "win_0"),
        ("aces-layouts", "handicaps", "layouts=none", "turns"),
        ("aces-layouts", "handicaps", "layouts=none", "win_0"),
        ("aces-layouts", "handicaps-hand", "layouts=none", "turns"),
        ("aces-layouts", "handicaps-hand", "layouts=none", "win_0"),
    }
    assert marked == set(KNOWN.values()) | elsewhere


@pytest.mark.parametrize("name", STUDIES)
def test_other_games_come_to_the_same(name: str, tmp_path: Path) -> None:
    study = read_study(name)
    wanted, n = REPLAYED[name]
    part = study.part(wanted).changed("--n", n).changed("--seed", SEED)
    with study_folder(study, tmp_path):
        played = tables_of(part.name, reproduce.play(part), part.figures)
    theirs = published(name)
    checked = 0
    for table, lines in played.items():
        for line in lines:
            if not (line.low or line.difference_low):
                continue
            other = line_of(theirs, table, line.row, line.figure)
            assert apart(line, other, level_of(part)) < LIMIT, line
            checked += 1
    assert checked > 2
    off = replace(other, value="1e3", difference="1e3")
    assert LIMIT < apart(other, off, level_of(part))


def test_threads_make_no_difference(tmp_path: Path) -> None:
    study = read_study("horner-luck")
    part = study.part("skill-pool").changed("--n", 5_000)
    tables = []
    for threads in (1, 2):
        with study_folder(study, tmp_path):
            told = reproduce.play(replace(part, command=f"{part.command} --threads {threads}"))
        tables.append([to_csv(lines) for lines in tables_of(part.name, told).values()])
    assert tables[0] == tables[1]


def test_a_scaled_study_goes_elsewhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        reproduce.main(["horner-luck", "--scale", "0.001"])
    assert "--into" in capsys.readouterr().err
    asked = ["horner-luck", "--scale", "0.0001", "--into", str(tmp_path), "--no-reports"]
    assert reproduce.main(asked) == 0
    written = {path.relative_to(tmp_path).parts[:2] for path in tmp_path.rglob("*.csv")}
    assert written == {("horner-luck", "tables")}
    assert not list(tmp_path.rglob("*.md"))  # its sentences are of the published figures
    assert reproduce.main(["nothing", "--into", str(tmp_path)]) == 1


def test_what_is_not_whole_is_refused(tmp_path: Path) -> None:
    command = (
        "simcards sweep --game aces --vary layout=9,10 --rule match=hand --rule max_turns=3 "
        "--n 50 --seed 1"
    )
    with contextlib.chdir(tmp_path):
        told = reproduce.play(Part("short", "", command))
    with pytest.raises(StudyError, match="capped"):
        tables_of("short", told)


def test_the_two_kinds_of_players_meet_the_same_rules() -> None:
    weak, strong = (
        (RESULTS / "thirteen-bombs" / f"{kind}.toml").read_text(encoding="utf-8")
        for kind in ("weak", "strong")
    )
    assert weak.replace("lowest", "control") == strong


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_studies_come_out_again(name: str, tmp_path: Path) -> None:
    study = read_study(name)
    reproduce.reproduce(study, tmp_path / name, reports=False)
    ours = {path.name: path.read_bytes() for path in (tmp_path / name / "tables").iterdir()}
    theirs = {path.name: path.read_bytes() for path in (study.folder / "tables").iterdir()}
    assert ours == theirs
    assert (tmp_path / name / "README.md").read_bytes() == (study.folder / "README.md").read_bytes()
