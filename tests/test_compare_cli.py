"""What `compare`, `sweep` and `tournament` refuse, and what they print to be typed again."""

from __future__ import annotations

import functools
import json
import random
import shlex
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import simcards
from simcards.analysis.arms import Base, make_comparison, make_tournament
from simcards.analysis.figures import read_matters
from simcards.analysis.summary import number_text
from simcards.cli import fitted
from simcards.sim.errors import RequestError
from simcards.sim.numbers import read_level

Run = Callable[..., tuple[int, str, str]]
Process = Callable[..., Any]
STRATEGIES = ("thirteen", "--a", "control", "--b", "shed", "--n", "20", "--seed", "1")
BOT = "def play(view, hold=2):\n    return 0\n"


def mine(view: Any, hold: int = 2) -> int:
    return 0


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of three runs: `again` is `one`, `other` has other deals."""
    folder = tmp_path_factory.mktemp("runs")
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        simcards.run("aces", 40, seed=seed, out=folder / name)
    return folder


def refused(done: tuple[int, str, str], said: str) -> None:
    """Check that nothing was done, and why."""
    code, out, err = done
    assert (code, out) == (2, ""), err
    assert err.startswith("simcards: ") and said in err and "Traceback" not in err


# Two saved runs


@pytest.mark.parametrize(
    "words",
    [
        "--precision 0.01", "--precision -7", "--sprt 0..0.01", "--sprt 5..1", "--alpha 0.1",
        "--alpha 9", "--beta 0.1", "--minimum 100", "--minimum x", "--unit points", "--unit nope",
        "--first 0", "--first 3", "--chunk-size 10", "--chunk-size 0", "--rows none", "--rows kept",
        "--overwrite", "--out new", "--a never", "--b never", "--against never", "--seed 1",
        "--game aces", "--players 2", "--preset bicycle", "--rules x.toml", "--rule shrink=2",
        "--strategy never",
    ],
)  # fmt: skip
@pytest.mark.parametrize("other", ["again", "other"])
def test_saved_runs_say_what_is_compared(cli: Run, runs: Path, other: str, words: str) -> None:
    folders = runs / "one", runs / other
    option = words.split()[0]
    said = f"simcards: {option}: {folders[0]} and {folders[1]} say what is compared."
    refused(cli("compare", *folders, *words.split()), said)


@pytest.mark.parametrize(
    "words, said",
    [
        ("--threads 0", "--threads 0: must be a whole number"),
        ("--threads many", "--threads many"),
        ("--time-limit -3", "--time-limit -3: must be a number above 0"),
        ("--n 0", "--n 0"),
        ("--level 2", "--level 2"),
        ("--matters nope=1", "no such figure"),
    ],
)
@pytest.mark.parametrize("other", ["again", "other"])
def test_what_saved_runs_leave_open_must_make_sense(
    cli: Run, runs: Path, other: str, words: str, said: str
) -> None:
    refused(cli("compare", runs / "one", runs / other, *words.split()), said)


def test_what_saved_runs_leave_open_can_be_said(cli: Run, runs: Path) -> None:
    words = "--n 20 --threads 1 --time-limit 60 --level 0.9 --matters 0.02 --json -q".split()
    code, out, err = cli("compare", runs / "one", runs / "again", *words)
    assert (code, err) == (0, "")
    assert json.loads(out)["level"] == 0.9


def test_one_folder_is_not_enough(cli: Run, runs: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(runs)
    refused(cli("compare", "one"), "one is one folder: to compare saved runs name two")
    refused(cli("compare", "one", "again", "other"), "3 folders: two can be compared")
    (runs / "aces").mkdir()  # the name of a game means the game
    refused(cli("compare", "aces"), "name both arms")


def test_a_saved_run_says_what_is_replayed_and_a_file_what_is_swept(
    cli: Run, runs: Path, tmp_path: Path
) -> None:
    refused(cli("replay", runs / "one", "--index", 0, "--seed", ""), "--seed: ")
    refused(cli("replay", runs / "one", "--index", 0, "--rule", "shrink=2"), "--rule: ")
    assert cli("replay", runs / "one", "--index", 0, "--quiet", "--json")[0] == 0
    file = tmp_path / "sweep.toml"
    file.write_text('game = "aces"\n[grid]\nshrink = [1, 2]\n')
    for words in (("--vary", "layout=3,4"), ("--players", ""), ("--strategy", "never")):
        refused(cli("sweep", file, *words), f"{words[0]}: {file} says what is swept")
    assert cli("sweep", file, "--seed", 1, "--n", 10, "--level", "0.9", "-q")[0] == 0


# Levels


@pytest.mark.parametrize(
    "level", ["1e-300", "0", "0.4999", "0.99999999", "0.999991", "1", "95", "95%", "nan", "inf", ""]
)
def test_levels_that_are_refused(cli: Run, runs: Path, tmp_path: Path, level: str) -> None:
    said = f"--level {level}: must be a number from 0.5 to 0.99999, such as 0.95."
    out = tmp_path / "out"
    refused(cli("run", "aces", "--n", 20, "--level", level, "--out", out), said)
    refused(cli("compare", *STRATEGIES, "--level", level, "--out", out), said)
    refused(cli("sweep", "aces", "--vary", "shrink=1,2", "--level", level, "--out", out), said)
    words = ("--strategies", "always,never")
    refused(cli("tournament", "aces", *words, "--level", level, "--out", out), said)
    refused(cli("compare", runs / "one", runs / "other", "--level", level), "--level")
    assert not out.exists()


@pytest.mark.parametrize("level", [True, None, [0.9], "nine"])
def test_levels_that_are_refused_in_python(level: Any) -> None:
    with pytest.raises(RequestError, match="--level"):
        simcards.run("aces", 10, level=level)


@pytest.mark.parametrize("level", ["0.5", "0.99999", "0.9500000000000001"])
def test_the_widest_and_the_narrowest_level(cli: Run, level: str) -> None:
    assert read_level(level) == float(level)
    for words in (
        ("run", "aces", "--n", 50, "--seed", 1),
        ("compare", "aces", "--a", "always", "--b", "never", "--n", 50, "--seed", 1),
        ("sweep", "aces", "--vary", "shrink=1,2", "--n", 50, "--seed", 1),
        ("tournament", "aces", "--strategies", "always,never", "--n", 50, "--seed", 1),
    ):
        code, out, _ = cli(*words, "--level", level, "--json", "-q")
        assert code == 0
        assert json.loads(out)["level"] == float(level)
        if words[0] == "run":
            assert f"--level {level} " in json.loads(out)["command"]


# Numbers


@pytest.mark.parametrize(
    "number, text",
    [
        (0.01, "0.01"), (0.05, "0.05"), (0.5, "0.5"), (1 / 30, "0.03333333333333333"),
        (500, "500"), (500.0, "500"), (0.1 + 0.2, "0.30000000000000004"), (-0.01, "-0.01"),
        (0.0, "0"), (1e-5, "1e-5"), (1.25e-7, "1.25e-7"), (1e6, "1e6"), (1234567, "1234567"),
        (1234567.5, "1234567.5"), (1e300, "1e300"), (0.99999, "0.99999"),
        (0.9999999, "0.9999999"), (123456789.0, "123456789"),
    ],
)  # fmt: skip
def test_numbers_are_short_and_whole(number: float, text: str) -> None:
    assert number_text(number) == text
    assert float(text) == number


def test_any_number_reads_back() -> None:
    source = random.Random(7)
    for _ in range(20_000):
        (number,) = struct.unpack("d", source.randbytes(8))
        if number == number and abs(number) != float("inf"):
            assert float(number_text(number)) == number
            assert len(number_text(number)) <= len(repr(number))
        share = round(source.random(), source.randrange(1, 18))
        assert float(number_text(share)) == share


def test_the_printed_command_has_every_digit(cli: Run) -> None:
    words = ("run", "aces", "--n", 1500, "--seed", 1, "--precision", "0.0333333333333",
             "--level", "0.9123456789", "--json", "-q")  # fmt: skip
    told = json.loads(cli(*words)[1])
    assert "--precision 0.0333333333333 --level 0.9123456789 " in told["command"]
    again = json.loads(cli(*shlex.split(told["command"])[1:], "--json", "-q")[1])
    assert (again["precision"], again["level"]) == (0.0333333333333, 0.9123456789)


# What matters


@pytest.mark.parametrize(
    "words, said",
    [
        (["=0.01"], "--matters =0.01: name a figure, such as win=0.01"),
        ([" =0.01"], "name a figure"),
        (["0.01", "0.02"], "--matters 0.02: for all shares and rates 0.01 was given before."),
        (["win=0.01", "win=0.02"], "--matters win=0.02: for win 0.01 was given before."),
        (["points=1", "last=0.1", "points=2"], "--matters points=2: for points 1 was given before"),
        (["win=0.01=3"], "--matters win=0.01=3: must be a number between 0 and 1."),
        (["win="], "--matters win=: must be a number between 0 and 1."),
        (["points=-1"], "--matters points=-1: must be a number above 0."),
        (["points=x"], "--matters points=x: must be a number above 0."),
        (["points"], "--matters points: must be a number between 0 and 1."),
        (["2"], "--matters 2: must be a number between 0 and 1."),
        ([""], "--matters : must be a number"),
        (["pies=1"], "--matters pies: no such figure"),
    ],
)
def test_what_can_not_matter(cli: Run, words: list[str], said: str) -> None:
    refused(cli("compare", *STRATEGIES, *(one for word in words for one in ("--matters", word))),
            said)  # fmt: skip


def test_what_matters_can_be_said_twice_alike() -> None:
    contest = make_comparison(Base("thirteen", seed=1), "control", "shed")
    assert read_matters(["0.01", "0.010", "points=1", "points=1.0"], contest) == {
        "": 0.01, "points": 1.0,
    }  # fmt: skip
    assert read_matters(0.02, contest) == read_matters("0.02", contest) == {"": 0.02}
    assert read_matters({"": 0.02, "win": 0.01}, contest) == {"": 0.02, "win": 0.01}
    for wrong in (True, object(), [None], {"win": None}):
        with pytest.raises(RequestError, match="--matters"):
            read_matters(wrong, contest)


def test_a_sweep_is_as_strict(cli: Run) -> None:
    words = ("sweep", "aces", "--vary", "shrink=1,2", "--n", 10, "--matters", "turns=1")
    refused(cli(*words, "--matters", "turns=2"), "for turns 1 was given before")
    refused(cli(*words, "--matters", "=1"), "name a figure, such as turns=0.01")


# Who plays


@pytest.mark.parametrize(
    "words, said",
    [
        (("--a", "strategy=", "--b", "shed"), "--a strategy=: write what strategy is to be"),
        (("--a", "shed", "--b", "strategy= "), "--b strategy=: write what strategy is to be"),
        (("--a", "lockout=", "--b", "lockout=on"), "--a lockout=: write what lockout is to be"),
        (("--a", "preset=", "--b", "lockout=on"), "--a preset=: write what preset is to be"),
        (("--a", "players=", "--b", "lockout=on"), "--a players=: write what players is to be"),
        (("--a", " ", "--b", "shed"), "give a strategy, or NAME=VALUE"),
        (("--a", "shed", "--b", "control", "--against", ""), "--against: name a strategy"),
        (("--a", "lockout=on", "--b", "lockout=off", "--strategy", ""), "--strategy: name a"),
        (("--a", "lockout=on", "--b", "lockout=off", "--strategy", "1="), "--strategy 1=: name a"),
        (("--a", "shed", "--b", "control", "--against", "lowest", "--strategy", "random"),
         "--strategy: --a and --b both name who plays, so it would play nowhere"),
        (("--a", "strategy=shed", "--a", "lockout=on", "--b", "shed", "--b", "lockout=off",
          "--strategy", "random"), "it would play nowhere"),
        (("--a", "strategy=shed", "--a", "lockout=on", "--b", "shed", "--b", "lockout=off",
          "--strategy", "0=random"), "it would play nowhere"),
        (("--a", "players=9", "--b", "players=3"), "--a players=9: "),
        (("--a", "players=3", "--b", "players=9"), "--b players=9: "),
        (("--a", "players=9", "--b", "lockout=on", "--players", "3"), "--a players=9: "),
        (("--a", "players=9", "--b", "players=3", "--against", "lowest"), "--a players=9: "),
        (("--a", "lockout=on", "--b", "lockout=off", "--players", "9"), "--players 9: "),
    ],
)  # fmt: skip
def test_arms_that_are_refused(cli: Run, words: tuple[str, ...], said: str) -> None:
    refused(cli("compare", "thirteen", *words, "--n", 10), said)


def test_a_strategy_for_the_arm_that_names_none(cli: Run) -> None:
    words = ("thirteen", "--a", "lockout=off", "--b", "shed", "--strategy", "control", "--n", 20)
    for more in ((), ("--against", "lowest")):
        code, out, _ = cli("compare", *words, *more, "--seed", 1, "-q", "--json")
        assert code == 0
        played = [set(table["strategies"]) for table in json.loads(out)["tables"]]
        assert {"control"} <= played[0] and {"shed"} <= played[-1]


def test_a_strategy_for_cells_that_all_name_one(cli: Run) -> None:
    words = ("sweep", "thirteen", "--n", 20, "--seed", 1, "-q")
    for strategy in ("control", "0=control"):
        refused(cli(*words, "--vary", "strategy=lowest,shed", "--strategy", strategy),
                "each cell names its own")  # fmt: skip
    assert cli(*words, "--vary", "lockout=on,off", "--strategy", "control")[0] == 0


@pytest.mark.parametrize(
    "game, names, one, other",
    [
        ("thirteen", "saver,saver:hold=2,shed", "saver", "saver:hold=2"),
        ("thirteen", "shed,saver:hold=02,saver", "saver:hold=02", "saver"),
        ("aces", "always,never,always+lowest", "always", "always+lowest"),
        ("horner", "top_aware,eager,top-aware", "top_aware", "top-aware"),
    ],
)
def test_the_same_strategy_under_two_spellings(
    cli: Run, game: str, names: str, one: str, other: str
) -> None:
    said = f"--strategies: {one} and {other} are the same strategy: leave one of them out."
    refused(cli("tournament", game, "--strategies", names), said)
    # A comparison shows that they are.
    code, out, _ = cli("compare", game, "--a", one, "--b", other, "--n", 20, "-q", "--json")
    assert code == 0
    assert json.loads(out)["figures"][0]["difference"] == 0


def test_other_parameters_are_another_strategy(cli: Run) -> None:
    words = ("--strategies", "saver,saver:hold=3", "--n", 10, "-q")
    assert cli("tournament", "thirteen", *words)[0] == 0


def test_only_what_can_be_said_is_offered(cli: Run) -> None:
    text = cli("tournament", "--help")[1]
    assert "--strategies" in text and "--strategy " not in text
    for command in ("run", "compare", "sweep", "replay"):
        assert "--strategy " in cli(command, "--help")[1]
    words = ("--strategies", "shed,lowest", "--strategy", "random")
    refused(cli("tournament", "thirteen", *words), "name all who take part in --strategies")


# In Python


@pytest.mark.parametrize("rules", ["x", 5, ["shrink=2"], {5: 1}])
def test_rules_that_are_none(rules: Any) -> None:
    for play in (
        lambda: simcards.compare("aces", "always", "never", 10, rules=rules),
        lambda: simcards.tournament("aces", ["always", "never"], 10, rules=rules),
        lambda: simcards.sweep("aces", {"shrink": [1, 2]}, 10, rules=rules),
    ):
        with pytest.raises(RequestError, match="^rules"):
            play()


def test_rules_of_another_game() -> None:
    from simcards.sim.games import find_game

    other = find_game("thirteen").rules()
    with pytest.raises(RequestError, match="rules of aces"):
        simcards.compare("aces", "always", "never", 10, rules=other)
    own = find_game("aces").rules(shrink=2)
    made = simcards.compare("aces", "always", "never", 10, rules=own, seed=1)
    assert made.summary.contest.tables[0].plan.rules.shrink == 2


@pytest.mark.parametrize("vary", [5, "shrink=1,2", ["shrink"], {5: [1, 2]}, {"shrink": 5}, {}])
def test_what_can_not_vary(vary: Any) -> None:
    with pytest.raises(RequestError, match="vary"):
        simcards.sweep("aces", vary, 10)


@pytest.mark.parametrize(
    "a, said",
    [({}, "--a: give a strategy"), ({"strategy": None}, "--a: give a strategy"),
     ({"strategy": ""}, "--a strategy=: write"), (5, "--a: give a strategy"),
     ([], "--a: give a strategy"), (len, "--a: a strategy is a name, a file or a plain function"),
     (functools.partial(mine, 3), "--a: name the parameters"),
     (functools.partial(mine, hodl=3), "--a: 'hodl=3' is no parameter of mine")],
)  # fmt: skip
def test_arms_that_are_refused_in_python(a: Any, said: str) -> None:
    with pytest.raises(RequestError, match=said):
        simcards.compare("horner", a, "eager", 10)


@pytest.mark.parametrize("strategies", [5, "eager,random", {"eager", "random"}, None])
def test_a_tournament_of_no_list(strategies: Any) -> None:
    with pytest.raises(RequestError, match="strategies: give a list of names"):
        simcards.tournament("horner", strategies, 10)


def test_seats_of_their_own_in_python() -> None:
    made = simcards.compare("aces", {"shrink": 1}, {"shrink": 2}, 10, strategies="0=never", seed=1)
    assert "--strategy 0=never" in made.summary.command
    seats = made.summary.contest.tables[0].plan.players
    assert [one.text.split("+")[0] for one in seats] == ["never", "always"]


def test_functions_are_told_by_their_parameters() -> None:
    entrants = [functools.partial(mine, hold=1), functools.partial(mine, hold=3), mine, "eager"]
    names = ["mine:hold=1", "mine:hold=3", "mine", "eager"]
    assert list(make_tournament(Base("horner", seed=1), entrants).arms) == names
    cup = simcards.tournament("horner", entrants[:2], 20, seed=1)
    assert sorted(cup.ratings["strategy"]) == names[:2]
    for same in ([mine, mine], [mine, functools.partial(mine, hold=2)]):
        with pytest.raises(RequestError, match="mine is named twice"):
            make_tournament(Base("horner", seed=1), same)
    contest = make_comparison(Base("horner", seed=1), mine, {"strategy": entrants[1]})
    assert contest.arms == ("mine", "mine:hold=3")
    found = simcards.sweep("horner", {"strategy": entrants[:3]}, 20, seed=1)
    assert [row["strategy"] for row in found.table.unique("cell", maintain_order=True).to_dicts()
            ] == names[:3]  # fmt: skip


# Pictures


def test_a_picture_replaces_nothing_unasked(cli: Run, tmp_path: Path) -> None:
    words = ("tournament", "aces", "--strategies", "always,never", "--n", 20, "--seed", 1, "-q")
    picture = tmp_path / "cup.svg"
    picture.write_text("precious")
    refused(cli(*words, "--plot", picture), f"--plot {picture}: exists already.")
    assert picture.read_text() == "precious"
    assert cli(*words, "--plot", picture, "--overwrite")[0] == 0
    assert "<svg" in picture.read_text("utf-8")
    (tmp_path / "folder.svg").mkdir()
    for more in ((), ("--overwrite",)):
        refused(cli(*words, "--plot", tmp_path / "folder.svg", *more), "is a folder")
    refused(cli(*words, "--plot", ""), "must end in")
    refused(cli(*words, "--overwrite"), "--overwrite needs --out DIR or --plot FILE.")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cup.svg", "folder.svg"]


# Consoles


@pytest.mark.parametrize(
    "text, encoding, shown",
    [
        ("Tiến Lên, böt", "utf-8", "Tiến Lên, böt"),
        ("Tiến Lên, böt", "cp1252", "Tien Lên, böt"),
        ("Tiến Lên, böt", "latin-1", "Tien Lên, böt"),
        ("Tiến Lên, böt", "ascii", "Tien Len, bot"),
        ("Tiến Lên, böt", None, "Tien Len, bot"),
        ("đĐ ≥ ½", "cp1252", "dD ? ½"),
        ("b\udcc3\udcb6t", "utf-8", "b??t"),
        ("b\udcc3\udcb6t", "ascii", "b??t"),
        ("plain", "ascii", "plain"),
    ],
)
def test_only_signs_that_are_lacking_are_replaced(
    text: str, encoding: str | None, shown: str
) -> None:
    assert fitted(text, encoding) == shown
    fitted(text, encoding).encode(encoding or "ascii")


def test_a_path_in_a_printed_command_stays_what_it_is(
    tmp_path: Path, simcards_process: Process
) -> None:
    folder = tmp_path / "böt dir"
    folder.mkdir()
    (folder / "bot.py").write_text(BOT)
    words = ("compare", "--game", "horner", "--a", "böt dir/bot.py", "--b", "eager", "--n", 10,
             "--seed", 1, "-q")  # fmt: skip
    for encoding in ("cp1252", "utf-8"):
        done = simcards_process(
            *words, cwd=tmp_path, env={"PYTHONIOENCODING": encoding}, encoding=encoding
        )
        assert done.returncode == 0, done.stderr
        assert '--a "böt dir/bot.py"' in done.stdout


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="file names are Unicode elsewhere")
def test_a_name_that_the_system_can_not_spell(tmp_path: Path, simcards_process: Process) -> None:
    (tmp_path / "böt.py").write_text(BOT)
    (tmp_path / "sweep.toml").write_text(
        'game = "horner"\nstrategy = "böt.py"\n[grid]\nplayers = [2, 3]\n', encoding="utf-8"
    )
    env = {"LANG": "C", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}
    for words in (
        ("run", "--game", "horner", "--strategy", "böt.py"),
        ("run", "--game", "horner", "--strategy", "0=böt.py:play:hold=1"),
        ("compare", "--game", "horner", "--a", "böt.py", "--b", "race"),
        ("compare", "--game", "horner", "--a", "eager", "--b", "race", "--against", "böt.py"),
        ("tournament", "horner", "--strategies", "böt.py,race"),
        ("sweep", "sweep.toml"),
    ):
        plain = env | {"PYTHONUTF8": "0"}
        done = simcards_process(*words, "-n", 20, cwd=tmp_path, env=plain, encoding="latin-1")
        assert (done.returncode, done.stdout) == (2, "")
        assert "can't spell this name" in done.stderr and "PYTHONUTF8=1" in done.stderr
        assert "Traceback" not in done.stderr
        said = env | {"PYTHONUTF8": "1"}
        done = simcards_process(*words, "-n", 20, "-q", cwd=tmp_path, env=said)
        assert (done.returncode, done.stderr) == (0, "")
        assert "böt.py" in done.stdout or words[0] == "sweep"


def test_a_function_is_compiled_once_whatever_the_tables() -> None:
    from simcards.analysis.arms import Base, make_comparison, make_tournament

    def mine(view, hold=1):
        return 0

    one = make_comparison(Base("aces", seed=1, players=4), mine, "never")
    assert len(one.bots) == 1
    two = [functools.partial(mine, hold=1), functools.partial(mine, hold=2), "never"]
    assert len(make_tournament(Base("aces", seed=1, players=4), two).bots) == 1
    # Another time it may refer to something else, and is another one.
    assert make_comparison(Base("aces", seed=1, players=4), mine, "never").bots != one.bots
