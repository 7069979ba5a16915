"""Measuring speed, and gates of speed and results: above all, that they can fail."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from simcards.analysis import bench
from simcards.sim.counts import Counts
from simcards.sim.errors import RequestError, RunError
from simcards.sim.game import Game
from simcards.sim.games import GAMES, find_game
from simcards.sim.options import Choice, options
from simcards.sim.plan import make_plan

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))  # benchmarks/ is not in the package

from benchmarks import cases, checkout, compare, count, signature  # noqa: E402
from benchmarks.__main__ import main  # noqa: E402

Run = Callable[..., tuple[int, str, str]]
BY_NAME = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


# simcards bench


def test_bench_json_has_its_keys(cli: Run) -> None:
    code, out, _ = cli("bench", "aces", "--n", 300, "--json", "--quiet")
    assert code == 0
    found = json.loads(out)
    assert list(found) == [
        "format", "version", "simcards", "machine", "engines", "repetitions", "measured",
    ]  # fmt: skip
    assert (found["format"], found["version"]) == ("simcards bench", 1)
    assert set(found["machine"]) == {
        "processor", "processors", "system", "python", "numpy", "numba", "llvmlite",
    }  # fmt: skip
    assert found["engines"] == {"aces": find_game("aces").engine}
    presets = find_game("aces").presets
    threads = {1, found["machine"]["processors"]}
    assert len(found["measured"]) == len(presets) * len(threads)
    for one in found["measured"]:
        assert set(one) == {
            "game", "engine", "unit", "preset", "players", "strategies", "seed", "threads", "n",
            "seconds", "games_per_s",
        }  # fmt: skip
        assert one["preset"] in presets and one["threads"] in threads and one["n"] == 300
        assert len(one["seconds"]) == found["repetitions"] and min(one["seconds"]) > 0
        speed = one["games_per_s"]
        assert speed["low"] <= speed["median"] <= speed["high"]
        assert speed["low"] == pytest.approx(300 / max(one["seconds"]), rel=0.01)


def test_bench_screen(cli: Run) -> None:
    code, out, _ = cli("bench", "lots-of-plums", "--n", 10)
    assert code == 2
    code, out, _ = cli("bench", "thirteen", "--n", 100, "--quiet")
    assert code == 0
    assert all(len(line) <= 80 for line in out.splitlines())
    for words in ("a second, median", "compiling and starting are not in it", "use a larger --n"):
        assert words in " ".join(out.split())
    for preset in find_game("thirteen").presets:
        assert f" {preset} " in out


def test_every_speed_fits_its_column() -> None:
    for plan in (plan for game in GAMES for plan in bench.standard_plans(game)):
        line = bench.bench_line(bench.Measured(plan, 256, 3 * 10**7, (0.9, 1.0, 1.1)))
        assert len(line) <= 80 and len(line.split()) == 7


@pytest.mark.parametrize("words", [("nope",), ("--n", "0"), ("--n", "1.5"), ("aces", "--n", "x")])
def test_bench_refuses_what_it_cannot_do(cli: Run, words: tuple[str, ...]) -> None:
    code, out, error = cli("bench", *words)
    assert (code, out) == (2, "") and error.startswith("simcards: ")


def test_bench_without_compiled_kernels_is_not_measured(
    cli: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    code, out, error = cli("bench", "aces")
    assert (code, out) == (3, "") and "not measured" in error


class FakeRuns:
    """Stands for `run_plan`: takes the seconds it is given, one after another."""

    def __init__(self, *seconds: float, compile_s: float = 0.0) -> None:
        self.seconds, self.compile_s = list(seconds), compile_s

    def __call__(self, plan: Any, *, n: int, threads: int) -> Any:
        spent = self.seconds.pop(0)
        summary = SimpleNamespace(elapsed_s=spent, compile_s=self.compile_s, completed=n)
        return SimpleNamespace(summary=summary)


def test_bench_leaves_the_first_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "run_plan", FakeRuns(99.0, 4.0, 1.0, 2.0, 5.0, 3.0))
    found = bench.measure(make_plan("aces", seed=1), 600, 1)
    assert found.seconds == (4.0, 1.0, 2.0, 5.0, 3.0)
    assert (found.median, found.speeds[0], found.speeds[-1]) == (200.0, 120.0, 600.0)


def test_bench_that_timed_compiling_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "run_plan", FakeRuns(*[1.0] * 9, compile_s=0.5))
    with pytest.raises(RunError, match="compiled for 0.5 s while"):
        bench.measure(make_plan("aces", seed=1), 600, 1)


def test_bench_gives_every_thread_whole_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make_plan("aces", seed=1)
    for spent, rounds in ((0.1, 4), (7.0, 1)):
        monkeypatch.setattr(bench, "run_plan", FakeRuns(spent, *[1.0] * 6))
        assert bench.measure(plan, None, 3).n == rounds * 3 * bench.chunk_size(plan)


def test_processor_has_a_name_everywhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert bench.processor_model()
    monkeypatch.setattr(bench, "CPUINFO", tmp_path / "nothing")
    assert bench.processor_model()
    (tmp_path / "nothing").write_text("processor : 0\nmodel name\t: Some CPU @ 2 GHz\n")
    assert bench.processor_model() == "Some CPU @ 2 GHz"


# What is played


@BY_NAME
def test_requests_reach_every_preset_choice_and_strategy(game: Game) -> None:
    plans = [cases.plan_of(game.name, text) for text in cases.requests(game)]
    assert {plan.preset for plan in plans} == set(game.presets)
    for option in options(game.rules):
        values = {getattr(plan.rules, option.name) for plan in plans}
        assert len(values) > 1, option.name
        if isinstance(option.kind, Choice):
            assert values == set(option.kind.words), option.name
    for place, decision in enumerate(game.decisions):
        numbers = {
            player.choices[place].number
            for plan in plans
            if decision.asked(plan.rules)
            for player in plan.players
        }
        assert numbers == {strategy.number for strategy in decision.strategies}


def test_requests_are_always_the_same() -> None:
    game = find_game("horner")
    assert cases.requests(game) == cases.requests(game)


def test_a_request_is_read_as_it_is_written() -> None:
    text = "preset=southern bomb_min=3+4+0 seed=5 first=7 by saver:hold=0 shed shed random"
    assert cases.request_of("thirteen", text) == {
        "game": "thirteen",
        "preset": "southern",
        "seed": 5,
        "first": 7,
        "rules": {"bomb_min": "3+4+0"},
        "strategies": ["saver:hold=0", "shed", "shed", "random"],
    }
    assert cases.request_of("aces", "by rare")["strategies"] == "rare"
    assert cases.plan_of("thirteen", text).rules.bomb_min == (3, 4, 0)


# Signature


@BY_NAME
def test_games_come_out_as_they_did(game: Game) -> None:
    found = signature.check_game(game, signature.read().get(game.name, {}))
    said = "\n".join(signature.lines(found, False))
    assert not found.differing and not found.new, said


@pytest.fixture
def short_signature(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A signature of few runs, in a file of its own, already written."""
    file = tmp_path / "signature.json"
    monkeypatch.setattr(signature, "BASELINE", file)
    monkeypatch.setattr(signature, "requests", lambda game: ["", "players=3", "by random"])
    assert main(["signature", "--games", "horner", "--update"]) == 0
    return file


def perturbed(play: Callable[..., Counts], run: str) -> Callable[..., Counts]:
    """Play as ever, but count a win too many in one run."""

    def wrong(game: str, text: str, n: int) -> Counts:
        counts = play(game, text, n)
        if text != run:
            return counts
        return replace(counts, wins=(counts.wins[0] + 1, *counts.wins[1:]))

    return wrong


def test_a_wrong_count_fails(
    short_signature: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = short_signature.read_bytes()
    assert main(["signature", "--games", "horner"]) == 0
    monkeypatch.setattr(signature, "play", perturbed(signature.play, "players=3"))
    capsys.readouterr()
    assert main(["signature", "--games", "horner"]) == 1
    out = capsys.readouterr().out
    assert "horner: players=3: the counts differ" in out and "1 of 3 runs" in out
    # Nor can it be taken in without a new engine number.
    assert main(["signature", "--games", "horner", "--update"]) == 1
    assert short_signature.read_bytes() == kept


def test_a_new_engine_number_asks_for_an_update(
    short_signature: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game = find_game("horner")
    newer = replace(game, engine=game.engine + 1)
    monkeypatch.setattr(signature, "chosen_games", lambda words: (newer,))
    monkeypatch.setattr(signature, "play", perturbed(signature.play, "players=3"))
    assert main(["signature"]) == 3
    assert f"engine {newer.engine}; kept is engine {game.engine}" in capsys.readouterr().out
    assert main(["signature", "--update"]) == 0
    assert main(["signature"]) == 0
    assert json.loads(short_signature.read_text())["games"]["horner"]["engine"] == newer.engine


def test_what_is_not_kept_yet_never_passes(
    short_signature: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["signature", "--games", "aces,horner"]) == 3  # no aces
    play, texts = signature.play, ["", "players=3", "by random", "players=4"]
    monkeypatch.setattr(signature, "requests", lambda game: texts)
    assert main(["signature", "--games", "horner"]) == 3
    assert "run 'players=4'" in capsys.readouterr().out
    assert main(["signature", "--games", "horner", "--update"]) == 0

    def with_another(*words: Any) -> Counts:
        counts = play(*words)
        return replace(counts, events={**counts.events, "sneezes": 3})

    monkeypatch.setattr(signature, "play", with_another)
    assert main(["signature", "--games", "horner"]) == 3
    assert "count 'events.sneezes'" in capsys.readouterr().out
    assert main(["signature", "--games", "horner", "--update"]) == 0
    monkeypatch.setattr(signature, "play", play)  # a count that is gone is a difference
    assert main(["signature", "--games", "horner"]) == 1


def test_a_kept_run_is_played_as_long_as_it_can_be(
    short_signature: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(signature, "requests", lambda game: [""])
    assert main(["signature", "--games", "horner"]) == 0
    assert "3 runs as kept" in capsys.readouterr().out
    kept = json.loads(short_signature.read_text())
    kept["games"]["horner"]["runs"]["players=99"] = "8 0"
    short_signature.write_text(json.dumps(kept))
    assert main(["signature", "--games", "horner"]) == 3
    assert "'players=99', which is refused now" in capsys.readouterr().out


# Instructions


def counted(*changes: float | None) -> list[count.Counted]:
    return [
        count.Counted(f"game {i}", 8, 1000.0, None if one is None else 1000.0 / (1 + one))
        for i, one in enumerate(changes)
    ]


@pytest.mark.parametrize(
    ("changes", "code", "said"),
    [
        ((0.0, 0.009, -0.009), 0, "passed"),
        ((0.0, 0.011), 1, "slower: game 1, +1.10 %"),
        ((0.0, None), 3, "no baseline: game 1"),
        ((0.05, None), 1, "slower: game 0, +5.00 %"),
        ((0.0, -0.2), 0, "--update would hold it: game 1"),
    ],
)
def test_verdict_of_counts(changes: tuple[float | None, ...], code: int, said: str) -> None:
    found, words = count.verdict(counted(*changes))
    assert found == code
    assert said in "\n".join(words)
    assert ("passed" in "\n".join(words)) == (code == 0)


@pytest.fixture
def counts_of_1000(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Valgrind counts 1000 instructions a game of anything; a baseline file of its own."""
    file = tmp_path / "instructions.json"
    monkeypatch.setattr(count, "BASELINE", file)
    monkeypatch.setattr(count, "ROOT", tmp_path)
    monkeypatch.setattr(count, "check_machine", lambda: "valgrind")
    monkeypatch.setattr(count, "measure", lambda n: dict.fromkeys(n, 1000.0))
    return file


def test_a_baseline_5_percent_lower_fails(
    counts_of_1000: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["count", "--games", "horner", "--update"]) == 0
    assert main(["count", "--games", "horner"]) == 0
    table = json.loads(counts_of_1000.read_text())
    (kept,) = table["keys"].values()
    kept["horner by random"][1] *= 0.95
    counts_of_1000.write_text(json.dumps(table))
    capsys.readouterr()
    assert main(["count", "--games", "horner"]) == 1
    out = capsys.readouterr().out
    assert "slower: horner by random, +5.26 %" in out and out.count("slower:") == 1
    assert all(len(line) <= 100 for line in out.splitlines())


def test_no_baseline_is_not_measured(
    counts_of_1000: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["count", "--games", "horner"]) == 3
    assert main(["count", "--games", "horner", "--update"]) == 0
    assert main(["count", "--games", "aces"]) == 3  # of this key, but not of this game
    assert "no baseline: aces" in capsys.readouterr().out
    monkeypatch.setattr(count, "key", lambda: "another Numba")
    assert main(["count", "--games", "horner"]) == 3
    assert "not measured: no baseline for another Numba" in capsys.readouterr().err
    assert main(["count", "--games", "horner", "--update"]) == 0
    assert len(json.loads(counts_of_1000.read_text())["keys"]) == 2  # the other is still there


def test_without_valgrind_nothing_is_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for words in (["count"], ["count", "--update"]):
        assert main(words) == 3
        assert "not measured" in capsys.readouterr().err


def test_a_process_that_fails_measures_nothing(tmp_path: Path) -> None:
    with pytest.raises(bench.NotMeasured, match="no cards"):
        count.start([sys.executable, "-c", "raise SystemExit('no cards')"], [], {})
    (tmp_path / "1").write_text("events: Ir\nfn=x\n1 2\n")
    with pytest.raises(bench.NotMeasured, match="no summary"):
        count.total_of(tmp_path / "1")
    (tmp_path / "1").write_text("events: Ir\nfn=x\n1 2\nsummary: 2\n")
    assert count.total_of(tmp_path / "1") == 2


def test_another_simcards_is_not_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout.check_imported()
    checkout.copy_checkout(tmp_path)
    monkeypatch.setattr(checkout, "ROOT", tmp_path)
    checkout.check_imported()
    (tmp_path / "kernels" / "random.py").write_text("")
    assert main(["signature"]) == 3
    assert "is not kernels" in capsys.readouterr().err


# Against another revision


def logs(mean: float, *others: float) -> list[float]:
    return [math.log(mean) + one for one in others]


@pytest.mark.parametrize(
    ("speed", "verdict"), [(1.1, "faster"), (0.9, "slower"), (1.001, "inconclusive")]
)
def test_verdict_of_launches(speed: float, verdict: str) -> None:
    found = compare.compared("x", logs(speed, -0.01, 0.01, -0.005, 0.005, 0.0), 3)
    assert found.verdict == verdict
    assert found.ratio == pytest.approx(speed)
    # By hand: s = 0.0079057, t(0.05 / 6, 4 degrees) = 3.9608, over the root of 5.
    assert math.log(found.high / found.ratio) == pytest.approx(0.0140035, rel=1e-4)


class FakeWorker:
    """Answers as a worker does; `wins` and `seconds` are its own."""

    def __init__(self, engine: int = 1, wins: int = 7, seconds: float = 1.0, new: bool = False):
        self.said: dict[str, Any] = {
            "engine": engine,
            "counts": {"wins": wins, **({"events.new": 1} if new else {})},
            "seconds": seconds,
        }

    def ask(self, what: str, **more: Any) -> Any:
        if what == "counts" and self.said["seconds"] < 0:
            raise RequestError("no such preset")
        return self.said[what]


@pytest.fixture
def against(monkeypatch: pytest.MonkeyPatch) -> Callable[[FakeWorker, FakeWorker], int]:
    """Compare two fake workers; returns the exit code."""

    def run(ours: FakeWorker, theirs: FakeWorker) -> int:
        class Both:
            def __enter__(self) -> list[FakeWorker]:
                return [ours, theirs]

            def __exit__(self, *error: object) -> None:
                pass

        monkeypatch.setattr(compare, "copy_revision", lambda revision, target: "abcdef1234567")
        monkeypatch.setattr(compare, "copy_checkout", lambda target: None)
        monkeypatch.setattr(compare.Sides, "launched", lambda self, games, first=True: Both())
        return main(["compare", "--against", "abcdef", "--games", "horner"])

    return run


def test_compare_says_slower_and_faster(against: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert against(FakeWorker(), FakeWorker(seconds=0.9)) == 1
    assert "slower: horner preset=" in capsys.readouterr().out
    assert against(FakeWorker(), FakeWorker(seconds=1.2)) == 0
    assert " 1.200 " in (out := capsys.readouterr().out) and "faster" in out
    assert against(FakeWorker(), FakeWorker()) == 0
    assert "inconclusive" in (out := capsys.readouterr().out) and "slower" not in out
    assert all(len(line) <= 80 for line in out.splitlines())


def test_compare_wants_the_same_counts_first(
    against: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert against(FakeWorker(wins=8), FakeWorker(seconds=9.0)) == 1
    out = capsys.readouterr().out
    assert "different counts under the same engine number: wins" in out and "faster" not in out
    assert against(FakeWorker(engine=2, wins=8), FakeWorker()) == 0
    assert "counts not compared" in capsys.readouterr().out
    assert against(FakeWorker(new=True), FakeWorker()) == 0


def test_compare_with_nothing_in_common_is_not_measured(against: Any) -> None:
    assert against(FakeWorker(), FakeWorker(seconds=-1.0)) == 3


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "--against", "HEAD", "--launches", "4"),
        ("compare", "--against", "HEAD", "--games", "nope"),
        ("count", "--games", "nope"),
        ("signature", "--games", ""),
    ],
)
def test_gates_refuse_what_they_cannot_do(words: tuple[str, ...]) -> None:
    assert main(list(words)) == 2


@pytest.mark.parametrize("words", [("compare",), ("nope",), ()])
def test_gates_refuse_other_words(words: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as left:
        main(list(words))
    assert left.value.code == 2


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
    subprocess.run(["git", *who, "-C", str(folder), *words], check=True, capture_output=True)


def test_revisions_are_copied_and_unknown_ones_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if not shutil.which("git"):
        pytest.skip("git is not installed here")
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.setattr(checkout, "ROOT", project)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    with pytest.raises(bench.NotMeasured, match="not a git checkout"):
        checkout.copy_revision("HEAD", tmp_path / "x")
    (project / "file.py").write_text("old")
    git(project, "init", "--quiet")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "--message", "old")
    (project / "file.py").write_text("new")
    assert len(checkout.copy_revision("HEAD", tmp_path / "copy")) == 40
    assert (tmp_path / "copy" / "file.py").read_text() == "old"
    for word in ("nope", "--all"):
        with pytest.raises(RequestError, match="no such revision"):
            checkout.copy_revision(word, tmp_path / "y")


# With real faults in a real kernel

MARK = "    shifted = U32((U64(s1) << U64(9)) & WORD)\n"
WORK = """    junk = U64(s0) | U64(1)
    for _ in range(8):
        junk ^= junk << U64(13)
        junk ^= junk >> U64(7)
        junk ^= junk << U64(17)
    if junk == U64(0):  # never, but a compiler can't know
        s0 = U32(1)
"""


@pytest.mark.slow
def test_gates_notice_faults_in_a_kernel(tmp_path: Path) -> None:
    copy = tmp_path / "simcards"
    checkout.copy_checkout(copy)
    skipped = shutil.ignore_patterns("__pycache__", "native")
    shutil.copytree(ROOT / "benchmarks", copy / "benchmarks", ignore=skipped)
    random_file = copy / "kernels" / "random.py"
    sound = random_file.read_text(encoding="utf-8")
    assert sound.count(MARK) == 1
    environment: Mapping[str, str] = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "SIMCARDS_CACHE_DIR": str(tmp_path / "cache"),
    }

    def gate(*words: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks", *words, "--games", "horner"],
            cwd=copy,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    counting = sys.platform == "linux" and shutil.which("valgrind") is not None
    if counting:
        assert gate("count", "--update")[0] == 0
        code, out = gate("count")
        assert code == 0, out

    random_file.write_text(sound.replace(MARK, WORK + MARK), encoding="utf-8")
    if counting:
        code, out = gate("count")
        assert code == 1 and "slower: horner preset=1888" in out, out
    code, out = gate("signature")
    assert code == 0, out  # slower, but the same games

    random_file.write_text(
        sound.replace(MARK, "    s3 = U32(s3 ^ U32(1))\n" + MARK), encoding="utf-8"
    )
    code, out = gate("signature")
    assert code == 1 and "horner: preset=1888: the counts differ" in out, out

    if shutil.which("git"):
        wrong = random_file.read_text(encoding="utf-8")
        random_file.write_text(sound, encoding="utf-8")
        git(copy, "init", "--quiet")
        git(copy, "add", ".")
        git(copy, "commit", "--quiet", "--message", "sound")
        random_file.write_text(wrong, encoding="utf-8")
        code, out = gate("compare", "--against", "HEAD")
        assert code == 1 and "different counts under the same engine number" in out, out
