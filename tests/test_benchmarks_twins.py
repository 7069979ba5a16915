"""benchmarks/twins.py: programs in C++ that play the very same games count the very same things."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simcards.sim.chunk import play_chunk
from simcards.sim.plan import make_plan

ROOT = Path(__file__).resolve().parents[1]


def load() -> Any:
    """The root is on no path: it would make the package's own folders modules of their names."""
    spec = importlib.util.spec_from_file_location("twins", ROOT / "benchmarks" / "twins.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


twins = load()


def has_compiler() -> bool:
    try:
        return bool(twins.find_compiler())
    except twins.NoCompiler:
        return False


needs_compiler = pytest.mark.skipif(not has_compiler(), reason="there is no C++ compiler")

CASES: list[tuple[str, dict[str, Any]]] = [
    *[("aces", {"players": players}) for players in range(2, 7)],
    *[("aces", {"players": players, "match": "hand"}) for players in range(2, 7)],
    *[("horner", {"players": players}) for players in range(2, 7)],
    ("horner", {"rounds": 1}),
    ("horner", {"rounds": 2}),  # 22 points: two players can share a match
    ("thirteen", {}),
]


@needs_compiler
@pytest.mark.parametrize("seed", [0, 1, 2**32 + 7, 2**64 - 1])
@pytest.mark.parametrize(("game", "options"), CASES, ids=str)
def test_counts_are_the_same(game: str, options: dict[str, Any], seed: int) -> None:
    counts, _ = twins.play_ours(game, 3000, seed, **options)
    result = twins.play(game, 3000, seed, **options)
    assert twins.differences(counts, result["counts"]) == []
    assert result["game"] == game and result["n"] == 3000 and result["seed"] == seed
    assert options.items() <= result.items()
    assert result["seconds"] > 0 and result["cpu_seconds"] >= 0


@needs_compiler
@pytest.mark.parametrize(("game", "options"), [CASES[0], ("horner", {"rounds": 2})], ids=str)
def test_what_is_rare_comes_up(game: str, options: dict[str, Any]) -> None:
    """Otherwise equal counts would say nothing of it."""
    counts = twins.play(game, 3000, 1, **options)["counts"]
    if game == "horner":
        assert sum(counts["score60"]) == 60 * 3000 > 60 * sum(counts["wins"])
    else:
        assert sum(counts["wins"]) == 3000 and counts["first_turn_wins"] > 0


@needs_compiler
@pytest.mark.parametrize("game", twins.OPTIONS)
def test_another_seed_or_another_game_more_is_noticed(game: str) -> None:
    counts, _ = twins.play_ours(game, 1000, 1)
    assert twins.differences(counts, twins.play(game, 1000, 2)["counts"])
    assert twins.differences(counts, twins.play(game, 1001, 1)["counts"])


@needs_compiler
@pytest.mark.parametrize("game", twins.OPTIONS)
def test_each_single_count_is_looked_at(game: str) -> None:
    counts, _ = twins.play_ours(game, 100, 1)
    same = twins.play(game, 100, 1)["counts"]
    assert twins.differences(counts, same) == []
    places = [path for path, _ in leaves(same)]
    assert len(places) > 12
    for path in places:
        changed = json.loads(json.dumps(same))
        inner = changed
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] += 1
        (line,) = twins.differences(counts, changed)
        assert line.startswith(str(path[0]))
        assert line.endswith(f"simcards {inner[path[-1]] - 1}, twin {inner[path[-1]]}")


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], int]]:
    if isinstance(value, int):
        yield path, value
        return
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield from leaves(inner, (*path, key))


def test_a_list_too_short_is_noticed() -> None:
    counts, _ = twins.play_ours("aces", 10, 1)
    assert twins.differences(counts, {"wins": [0]}) == [
        f"wins: simcards {list(counts.wins)}, twin [0]"
    ]


def test_ours_are_the_games_of_a_run_whatever_the_chunks() -> None:
    n = 70_000
    counts, seconds = twins.play_ours("horner", n, 3, rounds=1)
    chunk = play_chunk(make_plan("horner", rules={"rounds": 1}, seed=3), 0, n, False)
    assert chunk is not None and counts == chunk.counts
    assert seconds.keys() == {"seconds", "cpu_seconds"} and min(seconds.values()) > 0


@needs_compiler
def test_a_twin_is_compiled_once_and_anew_when_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(twins, "_folder", lambda: tmp_path / "kept")
    (tmp_path / "kept").mkdir()
    monkeypatch.setattr(twins, "NATIVE", tmp_path)
    source = tmp_path / "aces.cpp"
    source.write_text("int main() {}\n", encoding="utf-8")
    first = twins.build("aces")
    made = first.stat().st_mtime_ns
    assert twins.build("aces") == first and first.stat().st_mtime_ns == made
    source.write_text("int main() { return 1; }\n", encoding="utf-8")
    second = twins.build("aces")
    assert second != first
    monkeypatch.setattr(twins, "FLAGS", ("-std=c++17", "-O0"))
    twins._target.cache_clear()
    assert twins.build("aces") not in (first, second)
    twins._target.cache_clear()
    assert len(list((tmp_path / "kept").iterdir())) == 3
    source.write_text("int main() { return nothing; }\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match="nothing"):
        twins.build("aces")


@needs_compiler
@pytest.mark.parametrize(
    "arguments", [["0", "1"], ["10"], [], ["10", "1", "7"], ["10", "1", "1"]], ids=" ".join
)
def test_a_twin_refuses_what_it_can_t_play(arguments: list[str]) -> None:
    done = subprocess.run([twins.build("aces"), *arguments], capture_output=True, check=False)
    assert done.returncode == 2 and done.stdout == b"" and b"usage: aces" in done.stderr


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(TypeError, match="jokers"):
        twins.play_ours("aces", 10, 1, jokers=1)


@needs_compiler
def test_the_command_measures(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--games", "horner,thirteen", "--n", "2e3", "--rounds", "2"]
    assert twins.main([*arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [one["game"] for one in result["measurements"]] == ["horner", "thirteen"]
    for one in result["measurements"]:
        assert one["n"] == 2000 and len(one["ours_seconds"]) == len(one["twin_seconds"]) == 4
        assert one["ratio_low"] <= one["ratio"] <= one["ratio_high"]
        assert one["ratios"][0] == pytest.approx(
            sum(one["twin_seconds"][:2]) / sum(one["ours_seconds"][:2])
        )
    assert twins.main([*arguments, "--n", "2e4", "--clock", "cpu"]) == 0
    out = capsys.readouterr().out
    assert "thirteen, 4 x lowest" in out and "(20,000 deals)" in out and "cpu time" in out


@needs_compiler
def test_the_command_names_a_difference(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    play = twins.play
    monkeypatch.setattr(twins, "play", lambda game, n, seed, **rest: play(game, n, 2, **rest))
    assert twins.main(["--games", "thirteen", "--n", "500"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("thirteen, 4 x lowest, 500 games, seed 1:\n  wins[0]: simcards ")


def test_without_a_compiler_nothing_is_measured(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler --fast")
    for one in (twins.find_compiler, twins.compiler_version):
        monkeypatch.setattr(twins, one.__name__, one.__wrapped__)
    assert twins.main(["--games", "aces"]) == 3
    out, err = capsys.readouterr()
    assert out == "" and err == (
        "not measured: no C++ compiler was found (looked for no-such-compiler --fast).\n"
    )


@pytest.mark.parametrize(
    "arguments", [["--games", "whist"], ["--n", "0"], ["--rounds", "0"], ["--seed", "-1"]], ids=str
)
def test_the_command_refuses(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        twins.main(arguments)
    assert left.value.code == 2
