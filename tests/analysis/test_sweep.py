"""Sweeps: cells that equal runs, differences to the base, effects, targets, files."""

from __future__ import annotations

import json
import re
import signal
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import polars as pl
import pytest

import simcards
from simcards.analysis.cells import alternatives, grid, read_sweep_file, read_vary
from simcards.analysis.effects import ratio_contrast, table_part
from simcards.sim.errors import Interrupted, RequestError
from simcards.sim.observations import moments_of

ROOT = Path(__file__).resolve().parent.parent.parent
ODD = """
def play(view):
    return view.word % 2 if view.decision == 0 else 0
"""
EVEN = """
def play(view):
    return 1 - view.word % 2 if view.decision == 0 else 0
"""


def plain(result: Any) -> dict[str, Any]:
    """The published form, without what depends on the clock and on where it was kept."""
    found = result.summary.to_json()
    for name in ("elapsed_s", "compile_s", "games_per_s", "threads", "command"):
        del found[name]
    return found


# What is asked


@pytest.mark.parametrize(
    "text, values",
    [
        ("on,off", ["on", "off"]),
        ("1..4", ["1", "2", "3", "4"]),
        ("1..3,8", ["1", "2", "3", "8"]),
        ("3+3+4,3+4+5", ["3+3+4", "3+4+5"]),
        ("saver:hold=2,saver:hold=3", ["saver:hold=2", "saver:hold=3"]),
    ],
)
def test_values_are_read(text: str, values: list[str]) -> None:
    assert alternatives(text) == values


def test_a_grid_has_all_combinations_the_first_values_first() -> None:
    cells = read_vary(["lockout=on,off", "quad-beats=1..3"])
    assert [cell.name for cell in cells.cells] == [
        f"lockout={a} quad_beats={b}" for a in ("on", "off") for b in (1, 2, 3)
    ]
    assert dict(cells.factors) == {"lockout": ("on", "off"), "quad_beats": ("1", "2", "3")}


@pytest.mark.parametrize(
    "words, said",
    [
        ([], "name what varies"),
        (["lockout"], "write NAME=VALUE,VALUE"),
        (["lockout="], "no values"),
        (["lockout=on,on"], "named twice"),
        (["lockout=on", "lockout=off"], "varies already"),
        (["quad_beats=3..1"], "no range"),
        (["max_turns=1..100000"], "no range"),
        (["a=1..30", "b=1..30"], "900 cells"),
    ],
)
def test_grids_that_are_refused(words: list[str], said: str) -> None:
    with pytest.raises(RequestError, match=said):
        read_vary(words)


@pytest.mark.parametrize(
    "words, said",
    [
        (("--vary", "lockout=on"), "two values or more"),
        (("--vary", "lockot=on,off"), "no option 'lockot' to vary"),
        (("--vary", "lockout=on,perhaps"), "lockout=perhaps"),
        (("--vary", "strategy=lowest,nope"), "nope"),
        (("--vary", "players=2,9"), "players=9"),
        (("--vary", "lockout=on,off", "--figures", "nope"), "There are: turns"),
        (("--vary", "lockout=on,off", "--matters", "nope=1"), "There are: turns"),
        (("--vary", "lockout=on,off", "--target", "nope=1"), "There are: turns"),
        (("--vary", "lockout=on,off", "--target", "turns=x"), "--target turns=x: must be a number"),
        (("--vary", "lockout=on,off", "--target", "turns=1", "--target", "turns=2"), "already got"),
        (("--vary", "lockout=on,off", "--table", "x.txt"), "must end in"),
        (("--vary", "lockout=on,off", "--table", "no/x.csv"), "no folder"),
        (("--vary", "lockout=on,off", "--overwrite"), "needs --out DIR or --table"),
        (("--vary", "lockout=on,off", "--n", "0"), "--n 0"),
        ((), "name what varies"),
    ],
)
def test_sweeps_that_are_refused(cli, tmp_path: Path, monkeypatch, words, said: str) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, error = cli("sweep", "thirteen", *words, "--quiet")
    assert (code, out) == (2, "")
    assert said in error and "Traceback" not in error
    assert list(tmp_path.iterdir()) == []


FILES = {
    "grid": ('game = "thirteen"\n[grid]\nlockout = ["on", "off"]\n'
             'bomb_min = [[3, 4, 5], "3+3+4"]\n',
             ["lockout=on bomb_min=3+4+5", "lockout=on bomb_min=3+3+4",
              "lockout=off bomb_min=3+4+5", "lockout=off bomb_min=3+3+4"]),
    "ranges": ('game = "aces"\n[grid]\nlayout = "1..3"\n', ["layout=1", "layout=2", "layout=3"]),
    "zip": ('game = "aces"\n[zip]\nlayout = [4, 6]\nshrink = [1, 2]\n',
            ["layout=4 shrink=1", "layout=6 shrink=2"]),
    "cells": ('game = "aces"\nstrategy = "never"\n[rules]\nmatch = "hand"\n[[cells]]\n'
              '[[cells]]\nname = "small"\nlayout = 4\n', ["as is", "small"]),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_files_are_read(tmp_path: Path, name: str) -> None:
    text, names = FILES[name]
    path = tmp_path / "sweep.toml"
    path.write_text(text, encoding="utf-8")
    _, cells = read_sweep_file(path)
    assert [cell.name for cell in cells.cells] == names


@pytest.mark.parametrize(
    "text, said",
    [
        ("game = ", "is no TOML"),
        ('game = "aces"', "needs one of"),
        ('game = "aces"\n[grid]\nshrink=[1,2]\n[zip]\nshrink=[1,2]', "needs one of"),
        ('game = "aces"\ngird = 1\n', "Did you mean grid"),
        ("[grid]\nshrink = [1, 2]", "name the game"),
        ('game = "aces"\n[zip]\nshrink=[1,2]\nlayout=[4]', "shrink has 2, layout has 1"),
        ('game = "aces"\ngrid = 3', "must be a table"),
        ('game = "aces"\ncells = 3', "[[cells]]"),
        ('game = "aces"\n[[cells]]\nshrink = 1', "two cells or more"),
        ('game = "aces"\n[[cells]]\nshrink = 1\n[[cells]]\nshrink = 1', "two cells are called"),
        ('game = "aces"\n[grid]\nshrink = [1, 99]', "cell shrink=99"),
    ],
)
def test_files_that_are_refused(cli, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text(text, encoding="utf-8")
    code, out, error = cli("sweep", path, "-q", "--n", 10)
    assert (code, out) == (2, "")
    assert said in error


def test_a_file_says_the_same_as_the_command(cli, tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text('game = "thirteen"\npreset = "southern"\nstrategy = "shed"\n[rules]\n'
                    'quad_beats = 3\n[grid]\nlockout = ["on", "off"]\n', "utf-8")  # fmt: skip
    one = json.loads(cli("sweep", path, "--n", 60, "--seed", 2, "-q", "--json")[1])
    other = json.loads(
        cli("sweep", "thirteen", "--preset", "southern", "--strategy", "shed", "--rule",
            "quad_beats=3", "--vary", "lockout=on,off", "--n", 60, "--seed", 2, "-q", "--json")[1]
    )  # fmt: skip
    assert one["table"] == other["table"] and one["cells"] == other["cells"]
    code, _, error = cli("sweep", path, "--rule", "lockout=on", "-q")
    assert code == 2 and "says what is swept" in error


# What comes out


@pytest.mark.parametrize(
    "game, vary",
    [
        ("thirteen", {"lockout": ["on", "off"], "players": [3, 4]}),
        ("thirteen", {"strategy": ["lowest", "control"], "preset": ["classic", "southern"]}),
        ("aces", {"shrink": [1, 0], "match": ["full", "hand"], "players": [2, 3]}),
        ("horner", {"recycle": ["own", "pool"], "rounds": [1, 3]}),
    ],
    ids=lambda one: one if isinstance(one, str) else " ".join(one),
)
def test_cells_are_what_a_run_of_each_gives(game: str, vary: dict[str, list[Any]]) -> None:
    rules = {"max_turns": 400}
    if game == "aces":
        vary = {"layout": [4, 6], "players": [2, 3]}
    found = simcards.sweep(game, vary, 300, seed=9, first=4, rules=rules, level=0.9)
    for at, values in enumerate(product(*vary.values())):
        changes = dict(zip(vary, values, strict=True))
        run = simcards.run(
            game,
            300,
            seed=9,
            first=4,
            level=0.9,
            players=changes.pop("players", None),
            preset=changes.pop("preset", None),
            strategies=changes.pop("strategy", None),
            rules={**rules, **changes},
        )
        ours, theirs = (one.to_json() for one in (found.cells[at], run.summary))
        for name in ("elapsed_s", "compile_s", "games_per_s", "threads"):
            del ours[name], theirs[name]
        assert ours == theirs
        for row in found.summary.of_cell(at):
            if row.name in theirs["lengths"]:
                assert row.estimate == theirs["lengths"][row.name]["mean"]
                assert [row.interval.low, row.interval.high] == theirs["lengths"][row.name][
                    "interval"
                ]


def test_differences_are_those_of_a_comparison() -> None:
    found = simcards.sweep(
        "thirteen", {"lockout": ["on", "off"]}, 500, seed=9, figures=["turns", "opener_wins"]
    )
    other = simcards.compare("thirteen", "lockout=off", "lockout=on", 500, seed=9)
    theirs = {one.name: one for one in other.summary.figures}
    for row in found.summary.of_cell(1):
        assert row.compared.difference.estimate == theirs[row.name].difference.estimate
        assert row.compared.difference.standard_error == theirs[row.name].difference.standard_error
        # Two intervals together are narrower than the comparison's nine.
        assert row.compared.difference.interval.half_width < (
            theirs[row.name].difference.interval.half_width
        )
    assert found.summary.comparisons == 2


def test_contrasts_of_ratios_are_those_of_the_delta_method() -> None:
    random = np.random.default_rng(4)
    n = 400
    values = np.stack(
        [random.integers(0, 50, n), random.integers(0, 2, n), random.integers(0, 90, n),
         np.ones(n, np.int64)], axis=1
    )  # fmt: skip
    values[:, 0] *= values[:, 1]
    parts = [table_part(Fraction(1, 3), 0), table_part(-2, 1)]
    contrasted = ratio_contrast(n, moments_of(values), parts)
    assert contrasted is not None
    (count, total, squares), scale, largest = contrasted
    r0, r1 = values[:, 0].sum() / values[:, 1].sum(), values[:, 2].mean()
    d = (
        r0 / 3 - 2 * r1
        + (values[:, 0] - r0 * values[:, 1]) / values[:, 1].mean() / 3
        - 2 * (values[:, 2] - r1)
    )  # fmt: skip
    assert count == n
    assert total / (n * scale) == pytest.approx(r0 / 3 - 2 * r1, rel=1e-12)
    assert squares / scale**2 == pytest.approx((d * d).sum(), rel=1e-12)
    assert largest == pytest.approx(max(n / values[:, 1].sum() / 3, 2))
    assert ratio_contrast(n, moments_of(np.zeros((n, 2), np.int64)), [table_part(1, 0)]) is None


def test_effects_are_averages_over_the_other_options() -> None:
    vary = {"lockout": ["on", "off"], "quad_beats": [1, 3], "strategy": ["lowest", "shed"]}
    found = simcards.sweep("thirteen", vary, 400, seed=5, figures=["turns", "deals_with_bomb"])
    cells = {
        (row.name, *(found.summary.asked["options"][row.cell].values())): row.estimate
        for row in found.summary.rows
    }
    names = list(vary)
    assert len(found.summary.effects) == 2 * (3 + 3)
    for effect in found.summary.effects:
        total = 0.0
        for at in product(*([str(one) for one in values] for values in vary.values())):
            sign = 1
            for factor, level in zip(effect.factors, effect.levels, strict=True):
                sign *= 1 if at[names.index(factor)] == level else -1
            total += sign * cells[effect.figure, *at]
        assert effect.difference.estimate == pytest.approx(
            total / 2 ** (3 - len(effect.factors)), abs=1e-9
        )


def test_the_table_is_tidy_and_written_in_both_forms(cli, tmp_path: Path) -> None:
    for name in ("x.csv", "x.parquet"):
        code, out, error = cli("sweep", "horner", "--vary", "recycle=own,pool", "--vary",
                               "rounds=1,2", "--n", 80, "--seed", 1, "-q", "--table",
                               tmp_path / name)  # fmt: skip
        assert code == 0, error
    csv = pl.read_csv(tmp_path / "x.csv", schema_overrides={"rounds": pl.String})
    parquet = pl.read_parquet(tmp_path / "x.parquet")
    assert csv.columns == parquet.columns
    for name in ("estimate", "difference", "p_adjusted"):
        assert csv[name].equals(parquet[name])
    cells, figures = parquet["cell"].n_unique(), parquet["figure"].n_unique()
    assert len(parquet) == cells * figures and cells == 4
    assert parquet["comparisons"].unique().to_list() == [3 * figures]
    base = parquet.filter(pl.col("verdict") == "base")
    assert base["difference"].null_count() == len(base) == figures
    rest = parquet.filter(pl.col("verdict") != "base")
    assert rest.select(
        (pl.col("difference_low") <= pl.col("difference")).all()
        & (pl.col("difference") <= pl.col("difference_high")).all()
        & (pl.col("p_adjusted") >= pl.col("p_value")).all()
    ).item()
    code, _, error = cli("sweep", "horner", "--vary", "rounds=1,2", "--n", 20, "-q", "--table",
                         tmp_path / "x.csv")  # fmt: skip
    assert code == 2 and "exists already" in error


def test_targets_sort_the_cells(cli) -> None:
    found = simcards.sweep(
        "aces", {"layout": "1..10"}, 400, seed=1, rules={"match": "hand"}, targets={"turns": 12}
    ).summary
    least = 0.01 * found.row(0, "turns").estimate
    off = [abs(found.row(near.cell, "turns").estimate - 12) / least for near in found.nearest]
    assert off == sorted(off) and len(off) == 10
    assert [near.distance for near in found.nearest] == pytest.approx(off)
    assert found.nearest[0].on_frontier and not found.nearest[-1].on_frontier
    two = simcards.sweep(
        "aces", {"layout": "1..6"}, 400, seed=1, rules={"match": "hand"},
        targets={"turns": 6, "unfairness": 0},
    ).summary  # fmt: skip
    for near in two.nearest:
        beaten = any(
            other.off != near.off and all(a <= b for a, b in zip(other.off, near.off, strict=True))
            for other in two.nearest
        )
        assert near.on_frontier == (not beaten)
    code, out, _ = cli("sweep", "aces", "--vary", "layout=1..4", "--rule", "match=hand", "--n", 100,
                       "--seed", 1, "-q", "--target", "decisiveness=1")  # fmt: skip
    assert code == 0 and "Nearest to decisiveness=1" in out


def test_cells_without_data_are_told_as_such(cli, tmp_path: Path) -> None:
    words = ("sweep", "thirteen", "--rule", "instant=none", "--n", 200, "--seed", 1, "-q")
    code, out, _ = cli(*words, "--vary", "max_turns=5,10000", "--table", tmp_path / "x.csv")
    assert code == 0 and "no data to compare" in out
    assert "Capped, in no figure: max_turns=5 200 of 200 each" in out
    table = pl.read_csv(tmp_path / "x.csv")
    assert set(table["verdict"]) == {"no data"}
    assert set(table.filter(pl.col("max_turns") == 10000)["finished"]) == {200}
    code, out, _ = cli(*words, "--vary", "max_turns=5,6", "--table", tmp_path / "y.csv")
    assert code == 0 and "No data: no game was finished" in out
    assert pl.read_csv(tmp_path / "y.csv").columns == table.columns


def test_few_games_that_count_leave_much_open() -> None:
    """One deal of many thousands finished says nothing about a rate."""
    found = simcards.sweep(
        "thirteen", {"quad_beats": [1, 2]}, 40_000, seed=0, figures=["opener_wins"],
        rules={"instant": "none", "max_turns": 28},
    ).summary  # fmt: skip
    assert found.cells[0].finished < 5
    for row in found.of_cell(1):
        assert row.compared.verdict.word == "unknown"
        assert row.compared.difference.interval.half_width > 0.5


@pytest.mark.parametrize(
    "text, said",
    [
        ('[zip]\nlayout = "9..3"', "is no range"),
        ("[zip]", "name what varies"),
        ('[[cells]]\nname = "a\\nb"\nlayout = 3', "one line of text"),
        ("[[cells]]\nname = 3\nlayout = 3", "one line of text"),
        ('[[cells]]\nlayout = 6\n[[cells]]\nlayout = "06"', "are the same game"),
        ("[rules]\nlayout = 3\n[grid]\nlayout = [1, 2]", "is set for all cells besides"),
        ("[grid]\nlayout = [3, 30]", "sweep.toml: cell layout=30"),
    ],
)
def test_more_files_that_are_refused(cli, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text(f'game = "aces"\n{text}\n', "utf-8")
    code, out, error = cli("sweep", path, "-q", "--n", 10)
    assert (code, out) == (2, "") and said in error


def test_what_is_varied_and_set_besides_is_refused(cli, tmp_path: Path) -> None:
    for words in (("--vary", "layout=1,2", "--rule", "layout=3"),
                  ("--vary", "players=2,3", "--players", "2"),
                  ("--vary", "preset=bicycle,natural-finish", "--preset", "bicycle")):  # fmt: skip
        code, _, error = cli("sweep", "aces", *words, "--n", 10)
        assert code == 2 and "is set for all cells besides" in error
    code, _, error = cli("sweep", "aces", "--vary", "layout=6,06", "--n", 10)
    assert code == 2 and "are the same game" in error
    code, _, error = cli("sweep", "aces", "--vary", "layout=6,7", "--n", 10, "--out",
                         tmp_path / "x.csv", "--table", tmp_path / "x.csv")  # fmt: skip
    assert code == 2 and "names the same place" in error


# What is kept


def test_a_kept_sweep_is_resumed_to_the_same(tmp_path: Path, cli) -> None:
    request: dict[str, Any] = {"seed": 4, "figures": ["turns"], "targets": {"turns": 50}}
    vary = {"lockout": ["on", "off"], "quad_beats": [1, 2]}
    whole = simcards.sweep("thirteen", vary, 300, **request)
    simcards.sweep("thirteen", vary, 100, out=tmp_path / "x", chunk_size=32, **request)
    assert plain(simcards.resume(tmp_path / "x", 300)) == plain(whole)
    assert plain(simcards.load(tmp_path / "x")) == plain(whole)
    again = simcards.sweep("thirteen", vary, 300, threads=1, chunk_size=7, **request)
    assert plain(again) == plain(whole)
    code, out, _ = cli("verify", tmp_path / "x")
    assert code == 0 and "the same rows and counts" in out
    code, _, error = cli("export", tmp_path / "x", "--to", "csv")
    assert code == 2 and "a sweep keeps no rows" in error


def test_one_that_was_stopped_has_all_cells_as_far_and_goes_on(tmp_path: Path) -> None:
    from simcards.sim import observe as module

    play = module.play_observations

    def stop_after_one(*words: Any) -> Any:
        chunk = play(*words)
        signal.raise_signal(signal.SIGINT)
        return chunk

    request: dict[str, Any] = {"seed": 4, "chunk_size": 32, "threads": 1}
    vary = {"rounds": [1, 2, 3]}
    whole = simcards.sweep("horner", vary, 256, **request)
    with (
        mock.patch("simcards.analysis.playing.play_observations", stop_after_one),
        pytest.raises(Interrupted) as stopped,
    ):
        simcards.sweep("horner", vary, 256, out=tmp_path / "x", **request)
    part = stopped.value.result.summary
    assert part.status == "partial" and len(part.cells) == 3
    assert {cell.completed for cell in part.cells} == {part.completed}
    assert plain(simcards.resume(tmp_path / "x")) == plain(whole)


# Chance


def test_an_option_that_cannot_matter_declares_nothing() -> None:
    found = simcards.sweep("aces", {"max_turns": [10_000, 5_000, 2_000]}, 3_000, seed=3)
    for row in found.summary.rows:
        if row.compared:
            assert row.compared.difference.estimate == 0
            assert row.compared.difference.interval.half_width > 0
            assert row.compared.verdict.word == "too small"


def null_sweep(folder: Path, seed: int, n: int) -> tuple[bool, bool]:
    """Whether a family of differences that are none declares one, adjusted and not."""
    bots = [f"{folder / name}+lowest" for name in ("odd.py", "even.py")]
    found = simcards.sweep(
        "aces",
        {"strategy": bots, "layout": [4, 5, 6]},
        n,
        seed=seed,
        rules={"match": "hand"},
        figures=["turns", "win_0"],
    ).summary
    # Of cells with the same layout only the player differs, and both play alike.
    effects = [one for one in found.effects if "strategy" in one.factors]
    assert len(effects) == 2 * 3
    low, high = 0.05 * len(effects) / len(found.effects), 0.05
    return (
        any(one.difference.p_value < low / len(effects) for one in effects),
        any(one.difference.p_value < high for one in effects),
    )


@pytest.mark.parametrize("runs", [200])
def test_null_sweeps_rarely_declare_something(runs: int, tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(ODD)
    (tmp_path / "even.py").write_text(EVEN)
    adjusted = single = 0
    for seed in range(runs):
        family, one = null_sweep(tmp_path, 1000 + seed, 150)
        adjusted += family
        single += one
    assert adjusted <= 20
    assert single > 20  # without the adjustment they would


# What other programs read


def test_the_published_form_is_documented() -> None:
    made = simcards.sweep(
        "thirteen", {"lockout": ["on", "off"], "quad_beats": [1, 2]}, 30, seed=1,
        targets={"turns": 50},
    )  # fmt: skip
    text = (ROOT / "docs" / "formats.md").read_text("utf-8")
    part = text.split("## Sweep (`")[1].split("\n## ")[0]
    documented = set(re.findall(r"`([a-z0-9_]+)`", part))

    def names(data: Any) -> set[str]:
        if isinstance(data, dict):
            return set(data) | {name for one in data.values() for name in names(one)}
        return {name for one in data for name in names(one)} if isinstance(data, list) else set()

    found = made.summary.to_json()
    for cell in found["cells"]:
        cell["rules"] = {}
    for near in found["nearest"]:
        near["values"] = near["off"] = {}
    found["factors"] = found["targets"] = {}
    written = names(json.loads(json.dumps(found, allow_nan=False)))
    assert written - documented - {"lockout", "quad_beats"} == set()


def test_grid_of_python_values() -> None:
    cells = grid({"bomb_min": [(3, 4, 5), [3, 3, 4]], "players": 4}, "vary")
    assert [cell.name for cell in cells.cells] == [
        "bomb_min=3+4+5 players=4", "bomb_min=3+3+4 players=4",
    ]  # fmt: skip
