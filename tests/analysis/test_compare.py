"""Comparisons as people ask for them: what is understood, refused, kept, resumed and said."""

from __future__ import annotations

import json
import re
import signal
import threading
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import simcards
from simcards.analysis.arms import Base, make_comparison, read_arm
from simcards.analysis.compare import Sprt, read_sprt
from simcards.analysis.intervals import Interval
from simcards.analysis.sprt import sprt_looks
from simcards.analysis.tournament_sums import cycles
from simcards.analysis.verdict import judge, two_digits
from simcards.sim.errors import Interrupted, RequestError
from simcards.sim.games import GAMES

ROOT = Path(__file__).resolve().parent.parent.parent


def plain(result: Any) -> dict[str, Any]:
    """The published form, without what depends on the clock and on where it was kept."""
    found = result.summary.to_json()
    for name in ("elapsed_s", "compile_s", "games_per_s", "threads", "command"):
        del found[name]
    return found


# What is understood


@pytest.mark.parametrize(
    "given, words",
    [
        ("control", ["control"]),
        ("saver:hold=2:until=5", ["saver:hold=2:until=5"]),
        ("my bot.py:play:hold=2", ["my bot.py:play:hold=2"]),
        ("lockout=off", ["lockout=off"]),
        ("strategy=saver:hold=2", ["saver:hold=2"]),
        (["control", "lockout=off"], ["control", "lockout=off"]),
        ({"lockout": "off", "bomb-min": [3, 4, 5]}, ["lockout=off", "bomb_min=3+4+5"]),
        ([{"strategy": "control"}, "preset=southern", "players=3"],
         ["control", "preset=southern", "players=3"]),
    ],
)  # fmt: skip
def test_arms_are_read(given: Any, words: list[str]) -> None:
    assert list(read_arm(given, "--a").words) == words


@pytest.mark.parametrize("given", ["", [], None, 3, [" "], ["control", "shed"], ["a=1", "a=2"]])
def test_arms_that_say_nothing_or_two_things_are_refused(given: Any) -> None:
    with pytest.raises(RequestError, match="--a"):
        read_arm(given, "--a")


@pytest.mark.parametrize(
    "a, b, against, kind, tables",
    [
        ("control", "shed", None, "seatings", 6),
        ("control", "shed", "lowest", "against", 8),
        ("control", "lockout=off", None, "tables", 2),
        (["control", "lockout=off"], ["shed", "lockout=off"], None, "tables", 2),
        ("lockout=on", "lockout=off", "control", "against", 8),
        ("players=3", "players=4", "control", "against", 7),
        ("preset=classic", "preset=southern", None, "tables", 2),
    ],
)
def test_who_meets_whom(a: Any, b: Any, against: str | None, kind: str, tables: int) -> None:
    contest = make_comparison(Base("thirteen", seed=1), a, b, against)
    assert (contest.kind, len(contest.tables)) == (kind, tables)


BAD = [
    (("--a", "nope", "--b", "shed"), "--a nope: 'nope' is no strategy"),
    (("--a", "shed", "--b", "nope"), "--b nope: 'nope' is no strategy"),
    (("--a", "shed", "--b", "control", "--against", "nope"), "--against nope"),
    (("--a", "lockot=on", "--b", "lockout=off"), "--a lockot=on: thirteen has no option"),
    (("--a", "shed"), "name both arms"),
    (("--a", "shed", "--b", "control", "--strategy", "lowest"), "share the whole table"),
    (("--a", "shed", "--b", "control", "--against", "lowest", "--strategy", "0=shed"),
     "each seat is taken in turn"),
    (("--a", "shed", "--b", "control", "--n", "0"), "--n 0"),
    (("--a", "shed", "--b", "control", "--n", "1.5"), "--n 1.5"),
    (("--a", "shed", "--b", "control", "--precision", "0"), "--precision 0"),
    (("--a", "shed", "--b", "control", "--precision", "x"), "--precision x"),
    (("--a", "shed", "--b", "control", "--sprt", "0.01..0"), "the smaller one first"),
    (("--a", "shed", "--b", "control", "--sprt", "0..nan"), "the smaller one first"),
    (("--a", "shed", "--b", "control", "--sprt", "0.01"), "write two differences"),
    (("--a", "shed", "--b", "control", "--sprt", "0..0.1", "--alpha", "0.7"), "--alpha 0.7"),
    (("--a", "shed", "--b", "control", "--sprt", "0..0.1", "--precision", "0.1"), "choose one"),
    (("--a", "shed", "--b", "control", "--beta", "0.1"), "belong to --sprt"),
    (("--a", "shed", "--b", "control", "--matters", "pies=1"), "There are: win, last, points"),
    (("--a", "shed", "--b", "control", "--matters", "2"), "--matters"),
    (("--a", "shed", "--b", "control", "--unit", "pies"), "There are: win, last, points"),
    (("--a", "lockout=on", "--b", "lockout=off", "--sprt", "0..0.1"), "--sprt: these are two"),
    (("--a", "lockout=on", "--b", "lockout=off", "--unit", "points"), "--unit: these are two"),
    (("--a", "shed", "--b", "control", "--rows", "none"), "needs --out"),
    (("--a", "shed", "--b", "control", "--level", "1"), "--level 1"),
]  # fmt: skip


@pytest.mark.parametrize("words, said", BAD, ids=[" ".join(words) for words, _ in BAD])
def test_requests_that_are_refused(cli, tmp_path: Path, monkeypatch, words, said: str) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, error = cli("compare", "--game", "thirteen", *words, "--quiet")
    assert (code, out) == (2, "")
    assert error.startswith("simcards: ") and said in error and "Traceback" not in error
    code, out, error = cli("compare", "thirteen", *words, "--quiet", "--out", "kept")
    if "needs --out" not in said:
        assert (code, out) == (2, "") and said in error
        assert not Path("kept").exists()


@pytest.mark.parametrize(
    "words, said",
    [
        ((), "name who takes part"),
        (("--strategies", "shed"), "at least two"),
        (("--strategies", "shed,shed"), "shed is named twice"),
        (("--strategies", "shed,nope"), "--strategies nope"),
        (("--strategies", "shed,lowest", "--mixed"), "as many strategies as seats"),
        (("--strategies", "shed,lowest", "--strategy", "random"), "name all who take part"),
        (("--strategies", "shed,lowest", "--plot", "x.txt"), "must end in"),
        (("--strategies", "shed,lowest", "--plot", "no/x.svg"), "no folder"),
        (("--strategies", "shed,lowest", "--overwrite"), "needs --out"),
    ],
)
def test_tournaments_that_are_refused(cli, words: tuple[str, ...], said: str) -> None:
    code, out, error = cli("tournament", "thirteen", *words, "--quiet")
    assert (code, out) == (2, "")
    assert said in error


# What is said


@pytest.mark.parametrize(
    "estimate, low, high, word, sign",
    [
        (0.05, 0.03, 0.07, "matters", 1),
        (-0.05, -0.07, -0.03, "matters", -1),
        (0.002, -0.001, 0.005, "too small", 0),
        (0.004, 0.002, 0.006, "too small", 1),
        (0.01, 0.004, 0.016, "unknown", 1),
        (0.0, -0.02, 0.02, "unknown", 0),
        (0.015, 0.005, 0.025, "unknown", 1),
        (-0.015, -0.025, -0.005, "unknown", -1),
    ],
)
def test_verdicts(estimate: float, low: float, high: float, word: str, sign: int) -> None:
    found = judge(estimate, Interval(low, high, 0.95, ""), 0.01, 1000)
    assert (found.word, found.sign) == (word, sign)
    if word != "unknown":
        assert found.more is None
    else:
        half, gap = (high - low) / 2, max(abs(abs(estimate) - 0.01), 0.0025)
        assert found.more == pytest.approx(max(1000 * ((half / gap) ** 2 - 1), 100), rel=0.11)
        # With that many the interval would tell, or be a quarter of what matters.
        assert half * (1000 / (1000 + found.more)) ** 0.5 <= gap


def test_numbers_of_deals_are_rounded_up_to_two_digits() -> None:
    assert [two_digits(one) for one in (1, 9.5, 10, 11.2, 99.5, 101, 123456)] == [
        1, 10, 10, 12, 100, 110, 130000,
    ]  # fmt: skip


def test_the_three_sentences_are_printed(cli) -> None:
    starts = {
        "matters": ("--a", "control", "--b", "random", "--n", "200"),
        "too small": ("--a", "control", "--b", "control", "--n", "3000"),
        "unknown": ("--a", "control", "--b", "structure", "--n", "200"),
    }
    said = {
        "matters": "A is better, and it matters: A takes",
        "too small": "Too small to matter: A takes",
        "unknown": "Can't tell yet",
    }
    for word, words in starts.items():
        code, out, _ = cli("compare", "thirteen", *words, "--seed", 1, "-q")
        assert code == 0
        text = " ".join(out.split())
        assert said[word] in text or "but can't tell yet" in text
        code, out, _ = cli("compare", "thirteen", *words, "--seed", 1, "-q", "--json")
        found = json.loads(out)
        assert found["verdict"] == word
        assert found["sentence"] in text


def test_the_first_lines_say_how_many_games(cli) -> None:
    code, out, _ = cli("compare", "aces", "--a", "always", "--b", "never", "--players", 3,
                       "--n", 50, "-q", "--seed", 1)  # fmt: skip
    assert "50 matches, each in all 6 seatings = 300 games; 1 observation = 1 match" in out


def test_two_tables_count_their_intervals(cli) -> None:
    code, out, _ = cli("compare", "thirteen", "--a", "lockout=on", "--b", "lockout=off",
                       "--n", 500, "-q", "--seed", 1, "--json")  # fmt: skip
    found = json.loads(out)
    assert found["intervals_together"] == len(found["figures"]) > 5
    for one in found["figures"]:
        assert one["p_adjusted"] >= one["p_value"]


def test_the_sequential_test_says_why_it_stopped(cli) -> None:
    words = ("compare", "thirteen", "--a", "control", "--b", "random", "--sprt", "0..0.02",
             "--seed", 3, "-q")  # fmt: skip
    code, out, _ = cli(*words)
    assert code == 0
    text = " ".join(out.split())
    assert "The test stopped after 500 deals: the difference (A - B) is more like 2 than 0" in text
    assert "bounds -2.94 and +2.94, not before 500 deals" in text
    found = json.loads(cli(*words, "--json")[1])
    assert found["stop_reason"] == "test" and found["status"] == "complete"
    assert found["completed"] == 500 and found["sprt"]["decision"] == "h1"
    # One that is cut off by --n has decided nothing.
    found = json.loads(cli(*words, "--json", "--n", 400)[1])
    assert found["sprt"]["decision"] is None and found["stop_reason"] == "n"


def test_the_sequential_test_is_looked_at_where_it_is_said() -> None:
    looks = list(sprt_looks(500, 10**6))
    for size in (1, 37, 4096):
        result = simcards.compare(
            "horner", "eager", "flip_only", sprt="0..0.05", seed=2, chunk_size=size, minimum=100
        )
        assert result.summary.completed in list(sprt_looks(100, 10**6))
    assert looks[0] == 500 and all(a < b for a, b in zip(looks, looks[1:], strict=False))


def test_read_sprt() -> None:
    assert read_sprt("0..0.01") == Sprt(0.0, 0.01)
    assert read_sprt((-0.01, 0.01), 0.01, 0.1, 2000) == Sprt(-0.01, 0.01, 0.01, 0.1, 2000)
    assert read_sprt("-5..5", share=False).h1 == 5


# What is kept


def test_a_kept_comparison_is_resumed_to_the_same(tmp_path: Path, cli) -> None:
    whole = simcards.compare("thirteen", "control", "shed", 300, seed=4, out=tmp_path / "whole")
    simcards.compare("thirteen", "control", "shed", 100, seed=4, out=tmp_path / "part")
    longer = simcards.resume(tmp_path / "part", 300)
    assert plain(longer) == plain(whole)
    assert longer.rows.equals(whole.rows)
    assert plain(simcards.load(tmp_path / "part")) == plain(whole)
    code, out, error = cli("verify", tmp_path / "part")
    assert code == 0 and "the same rows and counts" in out
    code, out, _ = cli("export", tmp_path / "part", "--to", "csv")
    assert out.splitlines()[0] == "index,a_win,a_last,a_points,b_win,b_last,b_points"
    assert len(out.splitlines()) == 301
    code, out, _ = cli("replay", tmp_path / "part", "--index", 7, "-q")
    assert code == 0 and out.count("seed 4, deal 7") == 6


def test_strategies_of_ones_own_are_kept_with_a_comparison(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    bot = Path("my_bot.py")
    bot.write_text(
        "def play(view, hold=1):\n    return view.word % 2 if view.decision == 0 else 0\n"
    )
    kept = simcards.compare(
        "aces", "my_bot.py+lowest+always", "always", 60, seed=4, out="kept", rules={"match": "hand"}
    )
    bot.write_text("def play(view):\n    return 0\n")
    longer = simcards.resume("kept", 120)
    assert longer.rows[:60].equals(kept.rows)
    assert simcards.load("kept").summary.completed == 120


def test_one_that_was_stopped_says_so_and_goes_on(tmp_path: Path) -> None:
    from simcards.sim import observe as module

    play = module.play_observations

    def stop_after_one(*words: Any) -> Any:
        chunk = play(*words)
        signal.raise_signal(signal.SIGINT)
        return chunk

    request: dict[str, Any] = {"seed": 4, "chunk_size": 32, "threads": 1}
    whole = simcards.compare("horner", "eager", "random", 256, **request)
    with (
        mock.patch("simcards.analysis.playing.play_observations", stop_after_one),
        pytest.raises(Interrupted) as stopped,
    ):
        simcards.compare("horner", "eager", "random", 256, out=tmp_path / "x", **request)
    part = stopped.value.result
    assert part.summary.status == "partial" and 0 < part.summary.completed < 256
    assert "Partial: stopped by Ctrl-C." in str(part)
    assert stopped.value.exit_code == 130
    assert plain(simcards.resume(tmp_path / "x")) == plain(whole)


def test_one_that_was_stopped_at_once_has_no_rows_but_their_columns() -> None:
    with (
        mock.patch("simcards.analysis.playing.play_observations", lambda *words: None),
        pytest.raises(Interrupted) as stopped,
    ):
        timer = threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,))
        timer.start()
        simcards.compare("horner", "eager", "random", 10**9, seed=4, rows=True, chunk_size=1)
    part = stopped.value.result
    assert part.summary.completed == 0 and "No data" in str(part)
    assert len(part.rows) == 0
    assert (
        part.rows.columns
        == simcards.compare("horner", "eager", "random", 3, rows=True).rows.columns
    )


def test_a_tournament_is_resumed_to_the_same(tmp_path: Path) -> None:
    names = ["eager", "random", "flip_only"]
    whole = simcards.tournament("horner", names, 120, seed=4)
    simcards.tournament("horner", names, 50, seed=4, out=tmp_path / "x", chunk_size=16)
    assert plain(simcards.resume(tmp_path / "x", 120)) == plain(whole)
    assert plain(simcards.load(tmp_path / "x")) == plain(whole)
    again = simcards.tournament("horner", names, 120, seed=4, threads=1, chunk_size=7)
    assert plain(again) == plain(whole)


# Two saved runs


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("runs")
    simcards.run("thirteen", 600, seed=3, out=place / "a")
    simcards.run("thirteen", 600, seed=3, out=place / "same")
    simcards.run("thirteen", 900, seed=3, out=place / "longer")
    simcards.run("thirteen", 800, seed=3, rules={"lockout": "off"}, out=place / "off")
    simcards.run("thirteen", 800, seed=4, rules={"lockout": "off"}, out=place / "apart")
    simcards.run("aces", 100, seed=3, out=place / "other")
    simcards.compare("aces", "always", "never", 50, seed=3, out=place / "comparison")
    return place


def test_saved_runs_of_the_same_games_are_identical(runs: Path, cli) -> None:
    for other, games in (("same", 600), ("longer", 600)):
        code, out, _ = cli("compare", runs / "a", runs / other, "--quiet")
        assert code == 0
        assert f"Identical: the same {games} deals" in out
        found = json.loads(cli("compare", runs / "a", runs / other, "--json", "-q")[1])
        assert found["identical"] and found["figures"] == []


def test_saved_runs_of_the_same_deals_are_paired(runs: Path, cli) -> None:
    found = json.loads(cli("compare", runs / "a", runs / "off", "--json", "-q")[1])
    fresh = json.loads(
        cli("compare", "thirteen", "--a", "lockout=on", "--b", "lockout=off", "--seed", 3,
            "--n", 600, "--json", "-q")[1]
    )  # fmt: skip
    assert found["paired"] and found["completed"] == 600
    assert found["figures"] == fresh["figures"]


def test_saved_runs_of_other_deals_are_compared_as_separate(runs: Path, cli) -> None:
    code, out, _ = cli("compare", runs / "a", runs / "apart", "-q")
    assert "600 and 800 deals, not the same deals: compared as separate runs" in out
    apart = json.loads(cli("compare", runs / "a", runs / "apart", "--json", "-q")[1])
    paired = json.loads(cli("compare", runs / "a", runs / "off", "--json", "-q")[1])
    wide = {one["name"]: one["standard_error"] for one in apart["figures"]}
    for one in paired["figures"]:
        if one["name"] in ("turns", "opener_wins"):
            assert one["standard_error"] < wide[one["name"]] / 2
    a = simcards.load(runs / "a").summary
    assert apart["figures"][0]["a"] == pytest.approx(a.lengths["turns"].mean)


@pytest.mark.parametrize(
    "words, said",
    [
        (("a", "other"), "is of thirteen, "),
        (("a", "comparison"), "holds a comparison; two runs can be compared"),
        (("a", "nothing"), "no results there"),
        (("a", "off", "same"), "3 folders: two can be compared"),
        (("a", "off", "--a", "control"), "say what is compared"),
        (("a", "off", "--seed", "3"), "--seed"),
    ],
)
def test_what_cannot_be_compared(runs: Path, cli, monkeypatch, words, said: str) -> None:
    monkeypatch.chdir(runs)
    code, out, error = cli("compare", *words, "--quiet")
    assert (code, out) == (2, "")
    assert said in error


# Tournaments


def test_cycles_are_found() -> None:
    assert cycles(range(4), lambda a, b: a < b) == []
    assert cycles(range(3), lambda a, b: (b - a) % 3 == 1) == [(0, 1, 2)]
    beats = {(0, 1), (1, 2), (2, 3), (3, 0), (4, 0)}
    assert cycles(range(5), lambda a, b: (a, b) in beats) == [(0, 1, 2, 3)]
    beats |= {(2, 0)}
    assert (0, 1, 2) in cycles(range(5), lambda a, b: (a, b) in beats)


def test_a_tournament_of_two_agrees_with_a_comparison() -> None:
    two = simcards.tournament("thirteen", ["control", "shed"], 400, seed=6).summary
    one = simcards.compare("thirteen", "control", "shed", 400, seed=6).summary
    assert two.meetings[0].share == pytest.approx(one.figures[0].a)
    assert two.meetings[0].difference.estimate == pytest.approx(one.figures[0].difference.estimate)
    assert two.meetings[0].expected == pytest.approx(two.meetings[0].share, abs=1e-3)  # the prior
    gap = two.entrants[0].rating - two.entrants[1].rating
    assert 1 / (1 + 10 ** (-gap / 400)) == pytest.approx(two.meetings[0].expected)


def test_one_that_always_wins_has_a_rating(tmp_path: Path) -> None:
    bot = tmp_path / "loses.py"
    bot.write_text("def play(view):\n    return 0\n")
    found = simcards.tournament(
        "aces", ["always", "never", "random"], 20, seed=1, rules={"match": "hand"}
    )
    assert all(abs(one.rating) < 2000 for one in found.summary.entrants)


def test_a_gauntlet_and_mixed_tables() -> None:
    names = ["eager", "random", "flip_only", "race"]
    found = simcards.tournament("horner", names, 30, seed=1, gauntlet=True).summary
    assert {(one.one, one.other) for one in found.meetings} == {(0, 1), (0, 2), (0, 3)}
    mixed = simcards.tournament("horner", names, 30, seed=1, players=4, mixed=True).summary
    assert len(mixed.contest.tables) == 24 and len(mixed.meetings) == 6
    assert sum(one.figures["win"] for one in mixed.entrants) == pytest.approx(1)


def test_the_heat_map_is_written_whole_and_the_same(tmp_path: Path, cli) -> None:
    made = []
    for name in ("one.svg", "two.svg"):
        code, _, error = cli("tournament", "horner", "--strategies", "eager,random,race", "--n",
                             40, "--seed", 1, "--plot", tmp_path / name, "-q")  # fmt: skip
        assert code == 0, error
        made.append((tmp_path / name).read_text("utf-8"))
    assert "<svg" in made[0] and "eager" in made[0]
    strip = re.compile(r'id="[^"]*"|#[A-Za-z0-9]+|url\([^)]*\)')  # names of clip paths are random
    assert strip.sub("", made[0]) == strip.sub("", made[1])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.svg", "two.svg"]


# What other programs read


@pytest.mark.parametrize("kind", ["comparison", "tournament"])
def test_the_published_form_is_documented(kind: str) -> None:
    made = {
        "comparison": lambda: simcards.compare(
            "thirteen", "control", "shed", 30, seed=1, sprt="0..0.1"
        ),
        "tournament": lambda: simcards.tournament("thirteen", ["control", "shed"], 30, seed=1),
    }[kind]()
    text = (ROOT / "docs" / "formats.md").read_text("utf-8")
    part = text.split(f"## {kind.capitalize()} (`")[1].split("\n## ")[0]
    documented = set(re.findall(r"`([a-z0-9_]+)`", part))

    def names(data: Any) -> set[str]:
        if isinstance(data, dict):
            return set(data) | {name for one in data.values() for name in names(one)}
        return {name for one in data for name in names(one)} if isinstance(data, list) else set()

    found = made.summary.to_json()
    for table in found.get("tables", ()):
        table["rules"] = {}
    found["rules"] = {}
    assert names(json.loads(json.dumps(found, allow_nan=False))) - documented == set()


@pytest.mark.parametrize("game", GAMES, ids=lambda one: one.name)
def test_every_game_is_compared_in_every_way(game: Any) -> None:
    names = [one.name for one in game.decisions[0].strategies if not one.refused(game.rules())][:2]
    for players in (2, 3, 4):
        for against in (None, names[0]):
            result = simcards.compare(
                game.name, *names, 40, against=against, players=players, seed=2
            )
            found = plain(result)
            json.dumps(found, allow_nan=False)
            first = found["figures"][0]
            assert first["interval"][0] <= first["difference"] <= first["interval"][1]
            assert first["interval"][0] < first["interval"][1]
            assert sum(found["ahead"].values()) == 40
            assert str(result) and result._repr_html_()
    found = plain(simcards.compare(game.name, "players=2", "players=3", 40, seed=2))
    assert found["kind"] == "tables" and found["figures"]
