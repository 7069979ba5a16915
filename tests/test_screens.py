"""What people and programs are shown: screens, JSON, replays, sheets, on any console."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import simcards
from simcards.sim.games import GAMES, games

Run = Callable[..., tuple[int, str, str]]
ESCAPES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# Lines that can be pasted are never broken.
COMMANDS = re.compile(r"^(Not saved\. Keep:|Watch one:|Go on:|Saved\.|Try | +simcards )")

PLAYED = ("run", "compare", "sweep", "tournament")
REQUESTS = [
    ("run", "aces", "--n", "300", "--seed", "1"),
    ("run", "aces", "--n", "300", "--seed", "1", "--players", "6", "--strategy", "rare+contested"),
    ("run", "aces", "--n", "50", "--seed", "1", "--rule", "shrink=0", "--rule", "hands=2"),
    ("run", "aces", "--n", "40", "--seed", "1", "--players", "5", "--rule", "packs=1",
     "--rule", "max_turns=60"),
    ("run", "aces", "--n", "1", "--seed", "1", "--first", "5"),
    ("run", "aces", "--n", "2000", "--seed", "1", "--precision", "0.04"),
    ("run", "thirteen", "--n", "300", "--seed", "1"),
    ("run", "thirteen", "--n", "60", "--seed", "1", "--preset", "southern-cards"),
    ("run", "thirteen", "--n", "20", "--seed", "1", "--rule", "target=10", "--players", "3"),
    ("compare", "thirteen", "--a", "control", "--b", "shed", "--n", "300", "--seed", "1"),
    ("compare", "thirteen", "--a", "control", "--b", "random", "--sprt", "0..0.01", "--seed", "1"),
    ("compare", "thirteen", "--a", "lockout=on", "--b", "lockout=off", "--n", "300", "--seed", "1"),
    ("compare", "aces", "--a", "always", "--b", "never", "--against", "random", "--players", "5",
     "--n", "60", "--seed", "1", "--matters", "0.02"),
    ("compare", "aces", "--a", "packs=1", "--b", "packs=2", "--n", "60", "--seed", "1"),
    ("compare", "aces", "--a", "always", "--b", "rare", "--players", "4", "--rule", "packs=1",
     "--rule", "max_turns=40", "--n", "40", "--seed", "1", "--first", "9"),
    ("compare", "horner", "--a", "eager", "--b", "random", "--players", "3", "--n", "300",
     "--seed", "1", "--unit", "points", "--precision", "0.2", "--level", "0.9"),
    ("run", "horner", "--n", "60", "--seed", "1", "--at-table"),
    ("sweep", "aces", "--vary", "layout=4,6", "--n", "40", "--seed", "1", "--at-table",
     "--seconds-per-turn", "7.5"),
    ("sweep", "thirteen", "--vary", "lockout=on,off", "--vary", "quad_beats=1..3", "--n", "200",
     "--seed", "1"),
    ("sweep", "aces", "--vary", "layout=3..6", "--vary", "players=2,3", "--n", "60", "--seed", "1",
     "--matters", "turns=2", "--target", "turns=90", "--target", "unfairness=0", "--level", "0.9"),
    ("sweep", "thirteen", "--vary", "score=places,cards", "--rule", "target=300", "--n", "30",
     "--seed", "1"),
    ("sweep", "horner", "--vary", "strategy=eager,random,top_aware:far=3", "--n", "100", "--seed",
     "1", "--first", "3", "--figures", "turns,win_1"),
    ("tournament", "thirteen", "--strategies", "lowest,saver:hold=2,control", "--n", "100",
     "--seed", "1"),
    ("tournament", "horner", "--strategies",
     "eager,random,flip_only,no_flip,top_aware,blocker,race,top_aware:far=3,rollout:samples=1",
     "--n", "40", "--seed", "1"),
    ("tournament", "aces", "--strategies", "always,random,never", "--players", "3", "--mixed",
     "--n", "60", "--seed", "1"),
    *[("games", game) for game in games()],
    *[("games", game, "--all") for game in games()],
    ("games",),
    *[("replay", game, "--seed", "7", "--index", "3") for game in games()],
    ("replay", "aces", "--seed", "7", "--index", "3", "--preset", "natural-finish"),
]  # fmt: skip


@pytest.mark.parametrize("request_", REQUESTS, ids=" ".join)
def test_screens_fit_80_columns_without_control_characters(
    cli: Run, request_: tuple[str, ...]
) -> None:
    code, out, err = cli(*request_)
    assert code == 0
    assert out.endswith("\n")
    assert not ESCAPES.search(out) and not ESCAPES.search(err)
    for line in out.splitlines():
        assert len(line) <= 80 or COMMANDS.match(line), line
        assert line == line.rstrip()


def test_a_run_answers_questions_first_and_says_how_to_go_on(cli: Run) -> None:
    _, out, _ = cli("run", "aces", "--n", "2000", "--seed", "5")
    lines = out.splitlines()
    assert lines[0] == "aces (Trash, Garbage), preset bicycle, 2 players"
    assert lines[1].startswith("2,000 matches, seed 5") and lines[1].endswith("95 % interval")
    assert lines[3].startswith("Does it help to start?")
    assert "none reached 10,000 turns a hand" in out
    keep = next(line for line in lines if line.startswith("Not saved. Keep: "))
    assert keep == "Not saved. Keep: simcards run --game aces --n 2000 --seed 5 --out my-aces"


@pytest.mark.parametrize("request_", [one for one in REQUESTS if one[0] in PLAYED], ids=" ".join)
def test_the_command_on_the_screen_plays_the_same_games(
    cli: Run, request_: tuple[str, ...]
) -> None:
    told = json.loads(cli(*request_, "--json")[1])
    words = told["command"].split()
    assert words[0] == "simcards"
    again = json.loads(cli(*words[1:], "--json")[1])
    for timing in ("elapsed_s", "compile_s", "games_per_s"):
        told.pop(timing), again.pop(timing)
    assert told == again


@pytest.mark.parametrize("request_", [one for one in REQUESTS if one[0] == "run"], ids=" ".join)
def test_every_game_is_in_one_line_of_the_table(cli: Run, request_: tuple[str, ...]) -> None:
    told = json.loads(cli(*request_, "--json")[1], parse_constant=lambda word: pytest.fail(word))
    shared = sum(
        count / int(winners) for seat in told["seats"] for winners, count in seat["shared"].items()
    )
    alone = sum(seat["wins"] for seat in told["seats"])
    assert alone + shared + told["nobody"] + told["capped"] == told["completed"]
    for seat in told["seats"]:
        if seat["interval"]:
            low, high = seat["interval"]
            assert 0 <= low <= seat["win_rate"] <= high <= 1
    for name, denominator in told["denominators"].items():
        assert name in told["events"] and denominator["count"] >= 0


def test_no_finished_game_is_no_data_and_not_0_percent(cli: Run) -> None:
    request_ = ("run", "aces", "--n", "20", "--seed", "1", "--rule", "max_turns=1",
                "--rule", "layout=9")  # fmt: skip
    _, out, _ = cli(*request_)
    assert "no data" in out and "nan" not in out.lower()
    assert "20 reached 1 turns in a hand" in out
    told = json.loads(cli(*request_, "--json")[1])
    assert told["finished"] == 0 and told["capped"] == 20
    assert [seat["win_rate"] for seat in told["seats"]] == [None, None]
    assert told["headlines"] == [] and told["lengths"] == {}


def test_json_has_what_the_docs_promise(cli: Run) -> None:
    told = json.loads(cli("run", "aces", "--n", "100", "--seed", "1", "--json")[1])
    promised = {
        "format", "version", "engine", "game", "unit", "preset", "rules", "strategies", "seed",
        "first", "n", "completed", "status", "stop_reason", "seats", "level", "lengths", "capped",
        "events", "denominators", "headlines", "elapsed_s", "compile_s", "games_per_s", "threads",
        "command",
    }  # fmt: skip
    assert promised <= set(told)
    assert {"mean", "interval", "sd", "min", "p5", "median", "p95", "max"} <= set(
        told["lengths"]["turns"]
    )
    assert told["rules"]["packs"] == 1  # as the engine understood it, not 'auto'
    events = json.loads(cli("run", "thirteen", "--n", "100", "--seed", "1", "--json")[1])["events"]
    assert {
        "opener_at", "opener_wins", "instant_twos", "instant_dragon", "bombs_played",
        "bombs_beaten",
    } <= set(events)  # fmt: skip
    described = json.loads(cli("games", "--json")[1])
    assert [one["name"] for one in described] == list(games())
    for game in GAMES:
        sheet = json.loads(cli("games", game.name, "--json")[1])
        assert {"name", "aliases", "unit", "engine", "players", "rules", "presets", "decisions",
                "columns"} <= set(sheet)  # fmt: skip
        assert all({"name", "default", "values", "help"} <= set(rule) for rule in sheet["rules"])


@pytest.mark.parametrize("game", games())
def test_replay_json_is_a_line_an_event_and_ends_with_the_row(cli: Run, game: str) -> None:
    _, out, _ = cli("replay", game, "--seed", "7", "--index", "2..3", "--json")
    told = [json.loads(line) for line in out.splitlines()]
    assert [event["event"] for event in told].count("start") == 2
    assert [event["index"] for event in told if event["event"] == "start"] == [2, 3]
    end = told[-1]
    assert end["event"] == "end" and isinstance(end["winners"], list)
    row = simcards.run(game, 4, seed=7, rows=True).rows.row(3, named=True)
    assert {name: end[name] for name in row if name != "winners"} == {
        name: value for name, value in row.items() if name != "winners"
    }


def test_a_notebook_shows_the_screen() -> None:
    result = simcards.run("aces", 100, seed=1)
    shown = result._repr_html_()
    assert shown.startswith("<pre>") and "&#x27;" not in str(result)
    assert "seat 0" in shown and str(result).splitlines()[0] in shown
    assert "100 matches, complete" in repr(result)


def test_wrong_names_get_a_suggestion(cli: Run) -> None:
    for words, expected in (
        (("run", "aces", "--rule", "shrnk=2"), "Did you mean shrink"),
        (("run", "aces", "--strategy", "alwais"), "Did you mean always?"),
        (("run", "acez"), "Did you mean aces?"),
        (("run", "aces", "--preset", "bicicle"), "Did you mean bicycle?"),
        (("rn",), "Did you mean run?"),
        (("run", "thirteen", "--rule", "lockot=off"), "Did you mean lockout (on, off)?"),
        (("run", "thirteen", "--rule", "bomb_min=2+3+4"), "add --rule dseq_min=2"),
    ):
        code, out, err = cli(*words)
        assert (code, out) == (2, "")
        assert expected in err and "Traceback" not in err


def test_contradictions_are_refused(cli: Run, tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text('game = "aces"\npreset = "bicycle"\n[rules]\nshrink = 2\n')
    for words, expected in (
        (("run", "aces", "--rule", "shrink=1", "--rule", "shrink=2"), "already got '1'"),
        (("run", "aces", "--players", "3", "--rule", "players=2"), "disagree"),
        (("run", "aces", "--game", "thirteen"), "two different games"),
        (("run", "--rules", house, "--preset", "natural-finish"), "says preset bicycle"),
        (("run", "thirteen", "--rules", house), "two different games"),
        (("run", "aces", "--strategy", "always", "--strategy", "never"), "already got"),
        (("run", "aces", "--rules", tmp_path / "none.toml"), "can't be read"),
    ):
        code, _, err = cli(*words)
        assert code == 2 and expected in err, err
    told = json.loads(cli("run", "--rules", house, "--n", "10", "--json")[1])
    assert told["rules"]["shrink"] == 2
    told = json.loads(cli("run", "--rules", house, "--rule", "shrink=3", "--n", "10", "--json")[1])
    assert told["rules"]["shrink"] == 3  # --rule comes after the file
    _, sheet, _ = cli("games", "--rules", house)
    assert "here: shrink=2" in sheet


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("game = ", "is no TOML file"),
        ('gane = "aces"', "Did you mean game?"),
        ("shrink = 2", "Options stand under [rules]"),
        ("game = 3", "must be text"),
        ('rules = "x"', "must be a table"),
        ('game = "aces"\n[rules]\nshrnk = 2', "no option 'shrnk'"),
        ('game = "aces"\n[rules]\nshrink = "many"', "not a whole number"),
    ],
)
def test_a_wrong_rules_file_says_where(
    cli: Run, tmp_path: Path, content: str, expected: str
) -> None:
    house = tmp_path / "house.toml"
    house.write_text(content)
    code, _, err = cli("run", "aces", "--rules", house)
    assert code == 2 and expected in err and "--rules" in err


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("request_", [("games", "thirteen"), ("run", "thirteen", "--n", "20")])
def test_consoles_without_accents_are_no_error(
    simcards_process: Callable[..., Any], encoding: str, request_: tuple[str, ...]
) -> None:
    done = simcards_process(
        *request_, env={"PYTHONIOENCODING": encoding, "LANG": "C", "LC_ALL": "C"}, encoding=encoding
    )
    assert done.returncode == 0, done.stderr
    first = "thirteen (Tiến Lên" if encoding == "utf-8" else "thirteen (Ti"
    assert done.stdout.startswith(first)
    if encoding == "ascii":
        assert "Tien Len" in done.stdout and "?" not in done.stdout.splitlines()[0]


def test_nothing_moves_in_a_file_and_quiet_is_quiet(simcards_process: Callable[..., Any]) -> None:
    simcards_process("warmup", "aces")
    done = simcards_process("run", "aces", "--n", "30000", "--seed", "1")
    assert done.returncode == 0
    assert not ESCAPES.search(done.stderr)
    done = simcards_process("run", "aces", "--n", "30000", "--seed", "1", "--quiet")
    assert done.stderr == ""


def test_now_and_then_a_plain_line_where_nothing_can_move(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from simcards.analysis import progress
    from simcards.analysis.results import run_plan
    from simcards.sim.plan import make_plan

    monkeypatch.setattr(progress, "PLAIN_SECONDS", 0.0)
    plan = make_plan("aces", seed=1)
    with progress.terminal_progress(plan, sys.stderr, False) as report:
        run_plan(plan, n=10**9, time_limit=1, on_progress=report)
    lines = capsys.readouterr().err.splitlines()
    assert lines and all("matches" in line and "%" in line for line in lines)


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_one_line_moves_on_a_terminal_and_is_gone_at_the_end() -> None:
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "simcards", "run", "aces", "--n", "4000000", "--seed", "1"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        cwd="/",
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80", "NO_COLOR": "1"},
    ) as process:
        os.close(theirs)
        shown = b""
        try:
            while block := os.read(ours, 65_536):
                shown += block
        except OSError:  # Linux tells the end of a pseudo-terminal so
            pass
        assert process.stdout is not None
        screen = process.stdout.read().decode()
    os.close(ours)
    assert process.returncode == 0
    assert "4,000,000 matches, seed 1" in screen and "\x1b" not in screen
    text = shown.decode()
    assert "seat 0 wins" in text
    assert "\x1b[3" not in text  # no colour where NO_COLOR is set
    assert "\x1b[2K" in text.rsplit("matches", 1)[1]  # wiped at the end


def test_a_reader_that_goes_away_is_no_error(simcards_process: Callable[..., Any]) -> None:
    code = (
        "import subprocess, sys; p = subprocess.Popen([sys.executable, '-m', 'simcards',"
        "'replay', 'aces', '--seed', '1', '--index', '0..300', '--json'], stdout=subprocess.PIPE,"
        "stderr=subprocess.PIPE); p.stdout.readline(); p.stdout.close();"
        "err = p.stderr.read(); print(p.wait(), err.decode())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.split()[0] == "0"
    assert "Error" not in done.stdout and "Exception" not in done.stdout


def test_compiling_is_told_once_and_is_in_no_rate(
    simcards_process: Callable[..., Any], tmp_path: Path
) -> None:
    own = {"SIMCARDS_CACHE_DIR": str(tmp_path)}
    first = simcards_process("run", "aces", "--n", "1000", "--json", env=own)
    assert first.returncode == 0
    assert first.stderr.count("compiling aces, once: about") == 1
    told = json.loads(first.stdout)
    assert told["compile_s"] > 0.5 > told["elapsed_s"]
    second = simcards_process("run", "aces", "--n", "1000", "--json", env=own)
    assert second.stderr == ""
    assert json.loads(second.stdout)["compile_s"] == 0
