"""A saved run: nothing is lost, nothing is half true, and nothing of anybody else's is touched."""

from __future__ import annotations

import errno
import json
import os
import random
import re
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from clusters import finished_chunks, start
from runs import CASES, assert_same_rows, files, interrupted, journal, manifest

import simcards
from simcards.sim import run as run_module
from simcards.sim import store as store_module
from simcards.sim.chunk import play_chunk
from simcards.sim.games.aces import GAME
from simcards.sim.store import Store

N, SIZE, SEED = 1000, 200, 99
HAND = {"match": "hand"}
posix = pytest.mark.skipif(os.name != "posix", reason="signals between processes")


@pytest.fixture(scope="module")
def direct() -> Any:
    """An undisturbed run, kept in memory."""
    return simcards.run("aces", N, seed=SEED, rows=True)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An undisturbed run, kept in a folder that no test may change."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    simcards.run("aces", N, seed=SEED, chunk_size=SIZE, out=folder)
    return folder


@pytest.fixture
def saved(finished: Path, tmp_path: Path) -> Path:
    """A copy of the undisturbed run, to be damaged."""
    return Path(shutil.copytree(finished, tmp_path / "run"))


def rows_files(folder: Path) -> list[Path]:
    return sorted((folder / "rows").iterdir())


# What a folder holds


def test_a_folder_holds_a_manifest_a_journal_and_rows(finished: Path, direct: Any) -> None:
    names = [f"rows-{at:015d}-{at + SIZE:015d}.parquet" for at in range(0, N, SIZE)]
    assert set(files(finished)) - {".lock"} == {
        "manifest.json",
        "chunks.jsonl",
        *(f"rows/{name}" for name in names),
    }
    parts = sorted(journal(finished), key=lambda part: part["start"])
    assert [part["file"] for part in parts] == names
    assert [(part["start"], part["stop"]) for part in parts] == [
        (at, at + SIZE) for at in range(0, N, SIZE)
    ]
    for part, path in zip(parts, rows_files(finished), strict=True):
        assert part["size"] == path.stat().st_size
        assert part["sha256"] == files(finished)[f"rows/{path.name}"][1]
        assert part["counts"]["games"] == SIZE
        assert_same_rows(pl.read_parquet(path), direct.rows.slice(part["start"], SIZE))


def test_a_manifest_says_what_was_played_and_by_what(tmp_path: Path) -> None:
    simcards.run(
        "garbage",
        300,
        first=12,
        preset="natural-finish",
        rules={"max_turns": 500},
        strategies=["random", "never+highest"],
        seed=2**64 - 1,
        level=0.9,
        chunk_size=100,
        out=tmp_path / "run",
    )
    told = manifest(tmp_path / "run")
    assert (told.pop("format"), told.pop("version")) == ("simcards run", 1)
    assert len(told.pop("check")) == 16
    assert set(told.pop("made_by")) >= {"simcards", "python", "numpy", "numba", "polars", "system"}
    rules = told.pop("rules")
    changed = {"complete": "natural", "wild_limit": 1, "starter": "loser", "max_turns": 500}
    assert {name: rules[name] for name in changed} == changed
    assert rules["packs"] == 1  # as the engine understood "auto"
    assert [one["strategy"] for one in told.pop("strategies")] == ["random+lowest", "never+highest"]
    assert told == {
        "rows_version": 1,
        "sources": {},
        "game": "aces",
        "engine": GAME.engine,
        "rules_version": GAME.rules_version,
        "unit": "match",
        "preset": "natural-finish",
        "seed": 2**64 - 1,
        "first": 12,
        "n": 300,
        "chunk_size": 100,
        "precision": None,
        "level": 0.9,
        "rows": "kept",
        "status": "complete",
        "stop_reason": "n",
        "completed": 300,
    }


READABLE: dict[str, dict[str, Any]] = {
    **CASES,
    "nothing taken": {"rules": {"take_discard": "never"}, "strategies": "always+rarest"},
    "no wilds": {"rules": {"wild": "none", "displace": "may"}, "strategies": "never"},
    "only pips": {"rules": {"take_discard": "never", "displace": "may", "wild": "none"}},
    "handicap": {"rules": {"layouts": "10,7", "wild": "JQ"}, "strategies": {1: "rare:copies=2"}},
    "preset": {"preset": "natural-finish", "rules": {"jokers": 2}},
}


@pytest.mark.parametrize("case", READABLE)
def test_a_run_read_again_is_the_run(case: str, tmp_path: Path) -> None:
    ran = simcards.run("aces", 60, seed=3, out=tmp_path / "run", **READABLE[case])
    read = simcards.load(tmp_path / "run")
    assert read.summary.plan == ran.summary.plan
    assert read.counts == ran.counts
    assert read.summary.command == ran.summary.command
    assert read.summary.seats == ran.summary.seats
    assert read.summary.status == "complete"
    longer = simcards.resume(tmp_path / "run", 120)
    direct = simcards.run("aces", 120, seed=3, rows=True, **READABLE[case])
    assert_same_rows(longer.rows, direct.rows)


@pytest.mark.parametrize("case", READABLE)
def test_the_command_of_a_run_plays_the_same(case: str, cli: Any) -> None:
    ran = simcards.run("aces", 60, seed=3, **READABLE[case])
    words = ran.summary.command.split()
    assert words[0] == "simcards"
    code, out, err = cli(*words[1:], "--json")
    assert code == 0, err
    again, before = json.loads(out), ran.summary.to_json()
    for name in ("rules", "strategies", "seats", "events", "tallies"):
        assert again[name] == before[name]


# Rows


@pytest.fixture(scope="module")
def capped_or_not(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with chunks of capped games only, of finished games only, and of both."""
    folder = tmp_path_factory.mktemp("capped") / "run"
    rules = {"match": "hand", "max_turns": 8}
    simcards.run("aces", 200, seed=1, rules=rules, chunk_size=2, out=folder)
    return folder


def test_every_chunk_has_the_declared_columns(capped_or_not: Path, cli: Any) -> None:
    declared = json.loads(cli("games", "aces", "--json")[1])["columns"]  # of two players
    kinds = set()
    for path in rows_files(capped_or_not):
        chunk = pl.read_parquet(path)
        kinds.add(tuple(sorted(set(chunk["status"]))))
        assert [(name, str(dtype).split("(")[0]) for name, dtype in chunk.schema.items()] == [
            (column["name"], column["dtype"]) for column in declared
        ]
        assert chunk["status"].dtype == pl.Enum(["finished", "capped"])
        assert sum(chunk.null_count().row(0)) == 0
    assert kinds == {("capped",), ("finished",), ("capped", "finished")}


def test_other_programs_read_the_rows(capped_or_not: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    import pandas as pd

    rows = simcards.load(capped_or_not).rows
    paths = rows_files(capped_or_not)
    schemas = [parquet.read_schema(path) for path in paths]
    assert all(one.equals(schemas[0]) for one in schemas)
    for path in paths:
        about = {
            name.decode(): value.decode()
            for name, value in parquet.read_metadata(path).metadata.items()
            if name.startswith(b"simcards.")
        }
        assert about == {
            "simcards.version": simcards.__version__,
            "simcards.game": "aces",
            "simcards.engine": str(GAME.engine),
            "simcards.rows_version": "1",
        }
        assert pl.read_parquet_metadata(path)["simcards.game"] == "aces"
    arrow = parquet.read_table([str(path) for path in paths])
    assert arrow.num_rows == 200
    assert arrow.to_pylist() == rows.to_dicts()
    frame = pd.concat([pd.read_parquet(path) for path in paths], ignore_index=True)
    for name in rows.columns:
        assert frame[name].tolist() == rows[name].to_list()


WITHOUT_PYARROW = """
import sys
sys.modules["pyarrow"] = None
import simcards
result = simcards.load(sys.argv[1])
frame = result.to_pandas()
assert list(frame.columns) == result.rows.columns
for name in frame:
    assert frame[name].tolist() == result.rows[name].to_list(), name
assert str(frame["status"].dtype) == "category"
assert list(frame["status"].cat.categories) == ["finished", "capped"]
assert str(frame["index"].dtype) == "int64" and str(frame["winner"].dtype) == "int8"
print(len(frame))
"""


def test_a_pandas_frame_needs_no_pyarrow(capped_or_not: Path, python_process: Any) -> None:
    done = python_process("-W", "error", "-c", WITHOUT_PYARROW, capped_or_not)
    assert (done.returncode, done.stdout, done.stderr) == (0, "200\n", "")


def test_no_rows_are_kept_when_none_are_wanted(tmp_path: Path, cli: Any, direct: Any) -> None:
    out = tmp_path / "run"
    words = ("aces", "--n", N, "--seed", SEED, "--chunk-size", SIZE, "--rows", "none")
    assert cli("run", *words, "--out", out)[0] == 0
    assert rows_files(out) == []
    assert manifest(out)["rows"] == "none"
    assert simcards.load(out).counts == direct.counts
    with pytest.raises(simcards.RequestError, match="keeps no rows"):
        len(simcards.load(out).rows)
    code, text, err = cli("export", out, "--to", "csv", tmp_path / "rows.csv")
    assert (code, text) == (2, "") and "keeps no rows" in err
    assert not (tmp_path / "rows.csv").exists()
    longer = simcards.resume(out, 2 * N)
    assert longer.counts == simcards.run("aces", 2 * N, seed=SEED).counts
    assert rows_files(out) == []
    assert cli("verify", out)[0] == 0


@pytest.mark.parametrize(("asked", "played"), [((), 3), (("--again", 1), 1), (("--again", 99), 5)])
def test_verify_says_how_much_it_checked(
    finished: Path, cli: Any, asked: tuple[Any, ...], played: int
) -> None:
    code, out, err = cli("verify", finished, *asked)
    assert (code, err) == (0, "")
    columns = len(simcards.load(finished).rows.columns)
    assert out.splitlines() == [
        "5 chunks, 1,000 matches: all files are as they were written.",
        f"5 chunks have the counts of their games, 1,000 rows of {columns} declared columns.",
        f"{played} chunk{'s' * (played > 1)} played again: the same rows and counts.",
    ]
    assert cli("verify", finished, "--again", 0)[0] == 2
    assert cli("verify", "aces", "--again", 3)[0] == 2


def rewritten(folder: Path, rows: pl.DataFrame, **counts: Any) -> None:
    """Put other rows, or counts, into a run's second chunk, with checksums that agree."""
    from dataclasses import replace

    from simcards.sim.chunk import Chunk

    store = Store.reopen(folder)
    finished = list(store.finished())
    (second,) = (found for part, found in finished if part.start == SIZE)
    store._rewrite_journal([part for part, _ in finished if part.start != SIZE])
    store.add([Chunk(SIZE, 2 * SIZE, replace(second, **counts), rows)])
    store.close()
    assert len(journal(folder)) == 5


def test_verify_finds_what_no_checksum_can(saved: Path, cli: Any) -> None:
    rows = pl.read_parquet(rows_files(saved)[1])
    later = rows.with_columns(turns=rows["turns"] + 1)
    for change, word in (
        ((rows.with_columns(turns=rows["turns"].cast(pl.Int64)), {}), "other columns"),
        ((rows.head(10), {}), "10 rows"),
        ((rows, {"games": 7}), "counts of 7 games"),
        ((later, {}), "played again, differ"),
        ((rows, {"nobody": 1}), "played again, differ"),
    ):
        rewritten(saved, change[0], **change[1])
        code, _, err = cli("verify", saved, "--again", 5)
        assert code == 1 and word in err
        rewritten(saved, rows, games=SIZE, nobody=0)
    assert cli("verify", saved)[0] == 0


# Export


def test_an_export_is_the_rows(finished: Path, tmp_path: Path, direct: Any, cli: Any) -> None:
    code, out, err = cli("export", finished, "--to", "csv")
    assert (code, err) == (0, "")
    assert out == direct.rows.write_csv()
    assert cli("export", finished, "--to", "csv", tmp_path / "rows.csv")[0] == 0
    assert (tmp_path / "rows.csv").read_bytes() == out.encode()
    schema = direct.rows.schema
    assert_same_rows(pl.read_csv(tmp_path / "rows.csv", schema=schema), direct.rows)
    assert cli("export", finished, "--to", "parquet", tmp_path / "rows.parquet")[0] == 0
    assert_same_rows(pl.read_parquet(tmp_path / "rows.parquet"), direct.rows)


def test_an_export_replaces_no_file_unless_told_to(
    finished: Path, tmp_path: Path, cli: Any, direct: Any
) -> None:
    target = tmp_path / "mine.csv"
    target.write_text("precious")
    code, _, err = cli("export", finished, "--to", "csv", target)
    assert code == 2 and "exists already" in err
    assert target.read_text() == "precious"
    assert cli("export", finished, "--to", "csv", target, "--overwrite")[0] == 0
    assert target.read_text() == direct.rows.write_csv()
    assert list(tmp_path.iterdir()) == [target]  # nothing temporary is left


@pytest.mark.parametrize("environment", ["C", "de", "no UTF-8 mode"])
def test_an_export_has_the_same_bytes_everywhere(
    finished: Path, tmp_path: Path, direct: Any, simcards_process: Any, environment: str
) -> None:
    env = {
        "C": {"LC_ALL": "C", "TZ": "UTC"},
        # Where the locale isn't there this is C again.
        "de": {"LC_ALL": "de_DE.UTF-8", "LC_NUMERIC": "de_DE.UTF-8", "TZ": "Asia/Kolkata"},
        "no UTF-8 mode": {
            "PYTHONUTF8": "0",
            "PYTHONIOENCODING": "latin-1",
            "TZ": "America/Caracas",
        },
    }[environment]
    done = simcards_process("export", finished, "--to", "csv", env=env, encoding=None)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == direct.rows.write_csv().encode()


def test_an_export_of_an_unfinished_run_is_its_unbroken_range(
    gap: Path, cli: Any, direct: Any
) -> None:
    assert cli("export", gap, "--to", "csv")[1] == direct.rows.head(400).write_csv()


def test_an_export_of_no_games_has_a_header(tmp_path: Path, cli: Any, monkeypatch: Any) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(run_module, "play_chunk", lambda *_: None)  # as if always stopped
        simcards.run("aces", N, seed=SEED, out=tmp_path / "run")
    code, out, _ = cli("export", tmp_path / "run", "--to", "csv")
    assert code == 0
    assert out.startswith("index,winner,winners,status,turns,") and out.count("\n") == 1
    assert cli("export", tmp_path / "run", "--to", "parquet", tmp_path / "rows.parquet")[0] == 0
    assert pl.read_parquet(tmp_path / "rows.parquet").columns == out.strip().split(",")


# What a folder may not hold


def test_a_folder_that_holds_anything_is_refused(tmp_path: Path, cli: Any, saved: Path) -> None:
    stranger = tmp_path / "photos"
    (stranger / "2019").mkdir(parents=True)
    (stranger / "2019" / "cat.jpg").write_bytes(b"meow")
    for folder, words in ((stranger, "is not empty"), (saved, "there is a run already")):
        before = files(folder)
        code, _, err = cli("run", "aces", "--n", 10, "--out", folder)
        assert code == 2 and words in err
        assert files(folder) == before
    a_file = stranger / "2019" / "cat.jpg"
    for path in (a_file, a_file / "below"):
        assert cli("run", "aces", "--n", 10, "--out", path)[0] == 2
    for words in (["--overwrite"], []):
        assert cli("run", "aces", "--n", 10, "--out", a_file, *words)[0] == 2
    assert a_file.read_bytes() == b"meow"


def test_an_empty_folder_will_do(tmp_path: Path, direct: Any) -> None:
    (tmp_path / "run").mkdir()
    simcards.run("aces", N, seed=SEED, out=tmp_path / "run")
    assert_same_rows(simcards.load(tmp_path / "run").rows, direct.rows)
    simcards.run("aces", 10, seed=SEED, out=tmp_path / "a" / "b" / "c")
    assert len(simcards.load(tmp_path / "a" / "b" / "c").rows) == 10


def test_overwriting_removes_files_of_a_run_and_no_others(saved: Path) -> None:
    strangers = {
        saved / "notes.txt": b"remember",
        saved / "rows" / "rows-all.parquet": b"my own export",
        saved / "rows" / "rows-1-2.parquet.bak": b"a copy",
        saved / "figures" / "rows-000000000000000-000000000000200.parquet": b"not in rows",
    }
    for path, data in strangers.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    half_written = saved / "rows" / "rows-000000000000000-000000000000200.parquet.new"
    half_written.write_bytes(b"PAR1")
    other = simcards.run("aces", 300, seed=5, chunk_size=150, out=saved, overwrite=True)
    for path, data in strangers.items():
        assert path.read_bytes() == data
    ours = {f"rows/rows-{at:015d}-{at + 150:015d}.parquet" for at in (0, 150)}
    assert set(files(saved)) - {".lock"} == {
        "manifest.json",
        "chunks.jsonl",
        *ours,
        *(path.relative_to(saved).as_posix() for path in strangers),
    }
    assert len(other.rows) == 300
    # Resuming clears up in the same folder, and is as careful.
    simcards.resume(saved, 450)
    for path, data in strangers.items():
        assert path.read_bytes() == data


def test_overwriting_leaves_a_manifest_of_something_else_alone(tmp_path: Path, cli: Any) -> None:
    (tmp_path / "manifest.json").write_text('{"name": "a browser extension"}')
    code, _, err = cli("run", "aces", "--n", 10, "--out", tmp_path, "--overwrite")
    assert code == 2 and "manifest.json" in err
    assert list(files(tmp_path)) == ["manifest.json"]


def test_a_request_that_is_refused_makes_no_folder(tmp_path: Path, cli: Any) -> None:
    out = tmp_path / "run"
    for words in (["--n", "0"], ["--first", 2**63], ["--rule", "shrink=99"], ["--level", "2"]):
        assert cli("run", "aces", *words, "--out", out)[0] == 2
        assert not out.exists()


# Stopping and going on


@pytest.fixture
def gap(tmp_path: Path, monkeypatch: Any) -> Path:
    """An interrupted run in which a chunk isn't done, but some after it are."""

    def play(plan: Any, start: int, stop: int, keep: bool, control: Any) -> Any:
        if start == 400:
            while not control[0]:
                time.sleep(0.001)
            return None
        return play_chunk(plan, start, stop, keep, control)

    with monkeypatch.context() as patch:
        patch.setattr(run_module, "play_chunk", play)
        interrupted(600, n=N, chunk=SIZE, seed=SEED, threads=2, out=tmp_path / "gap")
    return tmp_path / "gap"


def test_chunks_beyond_a_gap_are_kept_but_not_counted(gap: Path, direct: Any, cli: Any) -> None:
    told = manifest(gap)
    assert (told["status"], told["stop_reason"]) == ("partial", "interrupt")
    assert (told["completed"], told["n"]) == (400, N)
    beyond = {path.name: path.stat().st_mtime_ns for path in rows_files(gap)[2:]}
    assert beyond
    read = simcards.load(gap)
    assert (read.summary.status, read.summary.completed) == ("partial", 400)
    assert read.counts == simcards.run("aces", 400, seed=SEED).counts
    assert_same_rows(read.rows, direct.rows.head(400))
    code, out, _ = cli("verify", gap)
    assert code == 0 and "Partial: 400 of 1,000" in out
    done = simcards.resume(gap)
    assert_same_rows(done.rows, direct.rows)
    assert done.counts == direct.counts
    assert manifest(gap)["status"] == "complete"
    for name, time_ in beyond.items():  # not played again
        assert (gap / "rows" / name).stat().st_mtime_ns == time_


@pytest.mark.parametrize("first", [0, 10**6])
@pytest.mark.parametrize(("n", "larger"), [(500, 501), (500, 1300), (600, 1200), (1, 700)])
def test_n_may_grow(tmp_path: Path, cli: Any, n: int, larger: int, first: int) -> None:
    out = tmp_path / "run"
    simcards.run("aces", n, first=first, seed=SEED, chunk_size=SIZE, out=out)
    assert cli("resume", out, "--n", larger)[0] == 0
    whole = simcards.run("aces", larger, first=first, seed=SEED, rows=True)
    assert_same_rows(simcards.load(out).rows, whole.rows)
    assert simcards.load(out).counts == whole.counts
    told = manifest(out)
    assert (told["n"], told["completed"], told["status"]) == (larger, larger, "complete")


def test_n_may_not_shrink(saved: Path, cli: Any) -> None:
    before = files(saved)
    code, _, err = cli("resume", saved, "--n", N - 1)
    assert code == 2 and "can only grow" in err
    assert files(saved) == before


def test_a_complete_run_resumed_stays_as_it_is(saved: Path, direct: Any, monkeypatch: Any) -> None:
    before = files(saved / "rows")

    def play(*arguments: Any) -> None:
        raise AssertionError("nothing is left to be played")

    monkeypatch.setattr(run_module, "play_chunk", play)
    again = simcards.resume(saved)
    assert (again.summary.status, again.counts) == ("complete", direct.counts)
    assert files(saved / "rows") == before
    assert manifest(saved)["status"] == "complete"


def wait_for(process: subprocess.Popen[str], happened: Callable[[], bool]) -> bool:
    """Wait until something happened, or the process is over."""
    limit = time.monotonic() + 120
    while not happened():
        if process.poll() is not None:
            return False
        assert time.monotonic() < limit, "nothing happens"
        time.sleep(0.002)
    return True


def unbroken(folder: Path) -> int:
    """Return how many games from the first one on stand in the journal without a gap."""
    at = 0
    for part in sorted(journal(folder), key=lambda part: part["start"]):
        at = part["stop"] if part["start"] == at else at
    return at


@posix
def test_a_run_killed_twenty_times_ends_with_the_rows_of_an_undisturbed_one(tmp_path: Path) -> None:
    out = tmp_path / "run"
    choose = random.Random(12)
    n, size = 40_000, 50
    request = ["aces", "--rule", "match=hand", "--n", n, "--seed", SEED, "--chunk-size", size]
    hit = 0
    for kill in range(20):
        if (out / "manifest.json").exists():
            process = start("resume", out, "--threads", 2, "--quiet")
        else:
            process = start("run", *request, "--out", out, "--threads", 2, "--quiet")
        at = finished_chunks(out) + choose.randint(1, 12)
        # The first three mostly while it starts, makes the folder or takes it over.
        until = time.monotonic() + (choose.uniform(0.2, 1.2) if kill < 3 else 60)
        wait_for(
            process,
            lambda at=at, until=until: finished_chunks(out) >= at or time.monotonic() > until,
        )
        time.sleep(choose.uniform(0, 0.01))
        process.kill()
        process.communicate()
        hit += process.returncode == -signal.SIGKILL
        if (out / "manifest.json").exists():
            read = simcards.load(out)
            assert read.summary.status == "partial" or read.summary.completed == n
            assert len(read.rows) == read.summary.completed
    assert hit >= 12
    assert 0 < simcards.load(out).summary.completed
    done = simcards.resume(out)
    whole = simcards.run("aces", n, seed=SEED, rules=HAND, rows=True)
    assert done.counts == whole.counts
    assert_same_rows(done.rows, whole.rows)
    assert manifest(out)["status"] == "complete"
    assert not list(out.rglob("*.new"))


@posix
@pytest.mark.parametrize(
    ("number", "reason"), [(signal.SIGINT, "interrupt"), (signal.SIGTERM, "terminate")]
)
def test_a_signal_ends_a_saved_run_soon_and_in_order(
    tmp_path: Path, cli: Any, number: int, reason: str
) -> None:
    out = tmp_path / "a run"  # with a space: the command that goes on must be quoted
    process = start("run", "aces", "--n", "1e9", "--seed", SEED, "--out", out, "--quiet")
    assert wait_for(process, lambda: finished_chunks(out) >= 2)
    sent = time.monotonic()
    process.send_signal(number)
    screen, talk = process.communicate(timeout=60)
    assert time.monotonic() - sent < 10  # 2 s on a machine that does nothing else
    assert process.returncode == 128 + number
    told = manifest(out)
    assert (told["status"], told["stop_reason"]) == ("partial", reason)
    assert f"{told['completed']:,} of 1,000,000,000 matches" in screen
    assert "Partial" in screen and f'simcards resume "{out}"' in screen
    assert f'simcards resume "{out}"' in talk and "Traceback" not in talk
    assert finished_chunks(out) >= 2
    assert told["completed"] == unbroken(out)
    assert simcards.load(out).summary.completed == told["completed"]
    assert cli("verify", out)[0] == 0
    assert cli("resume", out, "--time-limit", "0.01")[0] == 0  # the lock is free again


def test_a_signal_that_polars_hears_as_well_ends_a_run_in_order(
    tmp_path: Path, monkeypatch: Any
) -> None:
    """It has a handler of its own and gives up writing, with KeyboardInterrupt."""
    from simcards.sim import journal as journal_module

    write = journal_module.rows_bytes
    written: list[Any] = []

    def heard(*words: Any) -> bytes:
        written.append(words)
        if len(written) == 3:
            signal.raise_signal(signal.SIGINT)
            raise KeyboardInterrupt
        return write(*words)

    monkeypatch.setattr(journal_module, "rows_bytes", heard)
    out = tmp_path / "run"
    with pytest.raises(simcards.Interrupted) as stopped:
        simcards.run("aces", 10**6, seed=1, chunk_size=50, threads=1, out=out)
    assert manifest(out)["stop_reason"] == "interrupt"
    assert len(stopped.value.result.rows) >= 150


@posix
def test_a_second_writer_is_refused_until_the_first_is_dead(tmp_path: Path, cli: Any) -> None:
    out = tmp_path / "run"
    request = ("run", "aces", "--n", "1e9", "--seed", SEED, "--chunk-size", 500, "--out", out)
    process = start(*request, "--quiet")
    try:
        assert wait_for(process, lambda: finished_chunks(out) >= 2)
        for words in (("resume", out), (*request, "--overwrite")):
            code, _, err = cli(*words)
            assert code == 2 and "another simcards is writing there" in err
        assert cli("run", "aces", "--n", 10, "--out", out)[0] == 2
        assert cli("summary", out)[0] == 0  # readers are welcome
    finally:
        process.kill()
        process.communicate()
    before = simcards.load(out).summary.completed
    assert before == unbroken(out)
    code, _, err = cli("resume", out, "--time-limit", 0.3)
    assert code == 0, err
    assert simcards.load(out).summary.completed >= before


def test_a_writer_in_the_same_process_is_refused_as_well(saved: Path) -> None:
    store = Store.reopen(saved)
    before = files(saved)
    with pytest.raises(simcards.RequestError, match="another simcards is writing"):
        simcards.resume(saved)
    with pytest.raises(simcards.RequestError, match="another simcards is writing"):
        simcards.run("aces", 10, out=saved, overwrite=True)
    assert {**files(saved), ".lock": None} == {**before, ".lock": None}
    store.close()
    simcards.resume(saved)


def test_nothing_is_removed_when_somebody_else_came_first(tmp_path: Path, monkeypatch: Any) -> None:
    """The other run is over between the look at the folder and the lock."""
    out = tmp_path / "run"
    take = store_module._take_lock

    def slow(folder: Path, *, make: bool) -> Any:
        monkeypatch.setattr(store_module, "_take_lock", take)
        simcards.run("aces", 50, seed=1, out=folder)
        return take(folder, make=make)

    monkeypatch.setattr(store_module, "_take_lock", slow)
    with pytest.raises(simcards.RequestError, match="there is a run already"):
        simcards.run("aces", 10, seed=2, out=out)
    assert len(simcards.load(out).rows) == 50


# Damage


def part_of(folder: Path, start: int) -> dict[str, Any]:
    return next(part for part in journal(folder) if part["start"] == start)


def rows_of(folder: Path, start: int) -> Path:
    return folder / "rows" / part_of(folder, start)["file"]


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def flip(path: Path, at: int = -1) -> None:
    data = bytearray(path.read_bytes())
    data[at if at >= 0 else len(data) // 2] ^= 8
    path.write_bytes(data)


def drop_last_line_s_end(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def flip_in_line(path: Path, line: int) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    data = bytearray(lines[line])
    data[len(data) // 2] ^= 1
    lines[line] = bytes(data)
    path.write_bytes(b"".join(lines))


def tear_line(path: Path, line: int) -> None:
    """As after a crash in the middle of a write that another write followed."""
    lines = path.read_bytes().splitlines(keepends=True)
    lines[line] = lines[line][:40]
    path.write_bytes(b"".join(lines))


# What is done to a folder, and the first indices of the chunks that it costs.
DAMAGE: dict[str, tuple[Callable[[Path], Any], Callable[[Path], set[int]]]] = {
    "rows cut short": (lambda run: cut_short(rows_of(run, 200)), lambda run: {200}),
    "rows empty": (lambda run: rows_of(run, 0).write_bytes(b""), lambda run: {0}),
    "a bit of rows flipped": (lambda run: flip(rows_of(run, 400)), lambda run: {400}),
    "a first bit flipped": (lambda run: flip(rows_of(run, 400), 0), lambda run: {400}),
    "rows missing": (lambda run: rows_of(run, 800).unlink(), lambda run: {800}),
    "rows of two chunks exchanged": (
        lambda run: (
            rows_of(run, 200).rename(run / "x"),
            rows_of(run, 400).rename(rows_of(run, 200)),
            (run / "x").rename(rows_of(run, 400)),
        ),
        lambda run: {200, 400},
    ),
    "journal cut short": (
        lambda run: drop_last_line_s_end(run / "chunks.jsonl"),
        lambda run: {journal(run)[-1]["start"]},
    ),
    "a bit of the journal flipped": (
        lambda run: flip_in_line(run / "chunks.jsonl", 1),
        lambda run: {journal(run)[1]["start"]},
    ),
    "a line of the journal torn": (
        lambda run: tear_line(run / "chunks.jsonl", 2),
        lambda run: {journal(run)[2]["start"], journal(run)[3]["start"]},
    ),
    "journal missing": (
        lambda run: (run / "chunks.jsonl").unlink(),
        lambda run: set(range(0, N, SIZE)),
    ),
    "journal empty": (
        lambda run: (run / "chunks.jsonl").write_bytes(b""),
        lambda run: set(range(0, N, SIZE)),
    ),
    "rows folder missing": (
        lambda run: shutil.rmtree(run / "rows"),
        lambda run: set(range(0, N, SIZE)),
    ),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_what_is_damaged_is_noticed_and_played_again(
    kind: str, saved: Path, finished: Path, direct: Any, cli: Any, tmp_path: Path
) -> None:
    damage, cost = DAMAGE[kind]
    lost = cost(saved)
    before = {
        start: files(saved)[f"rows/{rows_of(saved, start).name}"] for start in range(0, N, SIZE)
    }
    damage(saved)

    # Nobody is told half the truth.
    code, _, err = cli("verify", saved)
    assert code == 1 and "resume" in err
    for form in ("csv", "parquet"):
        code, out, err = cli("export", saved, "--to", form, tmp_path / f"rows.{form}")
        assert code == 1 and "resume" in err
        assert not (tmp_path / f"rows.{form}").exists()
    with pytest.raises(simcards.RunError, match="resume"):
        simcards.load(saved).rows  # noqa: B018  (reading it is what is tested)
    read = simcards.load(saved)
    if read.summary.status == "complete":
        assert read.counts == direct.counts
    else:
        assert read.summary.completed < N
        assert read.counts == (
            simcards.run("aces", read.summary.completed, seed=SEED).counts
            if read.summary.completed
            else read.counts
        )

    again = simcards.resume(saved)
    assert_same_rows(again.rows, direct.rows)
    assert again.counts == direct.counts
    assert cli("verify", saved)[0] == 0
    for first, (time_, digest) in before.items():
        now = files(saved)[f"rows/{rows_of(saved, first).name}"]
        assert now[1] == digest
        if first not in lost:
            assert now[0] == time_, "an undamaged chunk was played again"
    assert files(finished)["manifest.json"][1] == files(saved)["manifest.json"][1]


def test_a_chunk_that_stands_twice_counts_once(saved: Path, direct: Any) -> None:
    lines = (saved / "chunks.jsonl").read_bytes().splitlines(keepends=True)
    (saved / "chunks.jsonl").write_bytes(b"".join([*lines, *lines[1:3]]))
    assert simcards.load(saved).counts == direct.counts
    assert_same_rows(simcards.load(saved).rows, direct.rows)
    simcards.resume(saved)
    assert sorted((saved / "chunks.jsonl").read_bytes().splitlines(keepends=True)) == sorted(lines)


def killed(saved: Path) -> None:
    """Make it look as a run does whose writer was killed."""
    from dataclasses import replace

    from simcards.sim.manifest import read_manifest, write_manifest

    told = read_manifest(saved)
    write_manifest(saved, replace(told, status="running", stop_reason="", completed=0))


def test_verify_finds_damage_in_the_journal_of_a_killed_run(saved: Path, cli: Any) -> None:
    killed(saved)
    assert cli("verify", saved)[0] == 0
    tear_line(saved / "chunks.jsonl", 4)  # cut short: its chunk was never finished
    drop_last_line_s_end(saved / "chunks.jsonl")
    flip_in_line(saved / "chunks.jsonl", 1)
    code, out, err = cli("verify", saved)
    assert code == 1 and "1 of 4 chunks is not as it was written" in err


def test_verify_tells_what_belongs_to_no_chunk(saved: Path, cli: Any) -> None:
    killed(saved)
    lines = (saved / "chunks.jsonl").read_bytes().splitlines(keepends=True)
    left = [line for line in lines if not re.search(rb'"start":(200|800),', line)]
    (saved / "chunks.jsonl").write_bytes(b"".join(left))
    code, out, err = cli("verify", saved)
    assert (code, err) == (0, "")
    assert "Beyond a gap: 2 chunks, 400 matches, whole as well." in out
    assert "Files in rows that belong to no chunk, and count nowhere: 2." in out


def test_a_journal_removed_under_a_run_ends_it_and_costs_no_rows(
    tmp_path: Path, monkeypatch: Any
) -> None:
    add = Store.add

    def removed(self: Store, chunks: Any) -> None:
        path = self.folder / "chunks.jsonl"
        if path.exists() and len(journal(self.folder)) >= 3:
            path.unlink()
        add(self, chunks)

    monkeypatch.setattr(Store, "add", removed)
    with pytest.raises(simcards.RunError, match="can't be written: No such file"):
        simcards.run("aces", 1000, seed=1, chunk_size=50, threads=1, out=tmp_path / "run")
    assert len(rows_files(tmp_path / "run")) >= 3
    assert not (tmp_path / "run" / "chunks.jsonl").exists()


def change_manifest(folder: Path, **changes: Any) -> None:
    told = manifest(folder) | changes
    (folder / "manifest.json").write_text(json.dumps(told), encoding="utf-8")


# What is done to a manifest, and a word of what is said.
REFUSED: dict[str, tuple[Callable[[Path], Any], str]] = {
    "cut short": (lambda run: cut_short(run / "manifest.json"), "can't be read"),
    "empty": (lambda run: (run / "manifest.json").write_bytes(b""), "can't be read"),
    "no text": (lambda run: (run / "manifest.json").write_bytes(b"\xff\xfe\x00"), "can't be read"),
    "missing": (lambda run: (run / "manifest.json").unlink(), "no results there"),
    "a list": (lambda run: (run / "manifest.json").write_text("[]"), "damaged"),
    "deep": (lambda run: (run / "manifest.json").write_text("[" * 10**5), "can't be read"),
    "something else": (lambda run: change_manifest(run, format="web app"), "simcards run"),
    "another engine": (lambda run: change_manifest(run, engine=99), "pip install simcards=="),
    "another version": (lambda run: change_manifest(run, version=99), "pip install simcards=="),
    "other rows": (lambda run: change_manifest(run, rows_version=99), "pip install simcards=="),
    "an unknown game": (lambda run: change_manifest(run, game="bridge"), "bridge"),
    "no game": (lambda run: change_manifest(run, game=None), "no game 'None'"),
    "an unknown preset": (lambda run: change_manifest(run, preset="poker"), "poker"),
    "an unknown rule": (lambda run: change_manifest(run, rules={"trumps": 4}), "trumps"),
    "an impossible rule": (lambda run: change_manifest(run, rules={"shrink": 44}), "shrink"),
    "rules that are none": (lambda run: change_manifest(run, rules=["shrink"]), "not rules"),
    "an unknown strategy": (
        lambda run: change_manifest(run, strategies=[{"strategy": "cheat"}] * 2),
        "cheat",
    ),
    "a seed too large": (lambda run: change_manifest(run, seed=2**64), "seed"),
    "a seed that is none": (lambda run: change_manifest(run, seed="abc"), "abc"),
    "n that is none": (lambda run: change_manifest(run, n="many"), "as it was written"),
    "chunks of no games": (lambda run: change_manifest(run, chunk_size=0), "as it was written"),
    "a negative index": (lambda run: change_manifest(run, first=-1), "as it was written"),
    "a changed digit": (lambda run: change_manifest(run, seed=4), "as it was written"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_manifest_that_can_t_be_trusted_is_refused(kind: str, saved: Path, cli: Any) -> None:
    damage, word = REFUSED[kind]
    damage(saved)
    before = files(saved)
    commands: list[tuple[Any, ...]] = [
        ("resume", saved),
        ("resume", saved, "--n", 2 * N),
        ("summary", saved),
        ("export", saved, "--to", "csv"),
        ("verify", saved),
        ("replay", saved, "--index", 0),
    ]
    for command in commands:
        code, out, err = cli(*command)
        assert (code, out) == (2, ""), command
        assert word in err and "Traceback" not in err, command
    assert files(saved) == before


def test_no_folder_at_all_is_refused_and_not_made(tmp_path: Path, cli: Any) -> None:
    for command in (("resume",), ("summary",), ("export", "--to", "csv")):
        code, _, err = cli(*command, tmp_path / "nowhere")
        assert code == 2 and "no results there" in err
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_that_can_t_be_written_is_refused(saved: Path, tmp_path: Path, cli: Any) -> None:
    locked = tmp_path / "locked"
    locked.mkdir()
    paths = [saved, saved / "rows", locked, *saved.glob("*"), *saved.glob(".*")]
    modes = {path: path.stat().st_mode for path in paths}
    for path in reversed(paths):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        if os.access(locked, os.W_OK):
            pytest.skip("this user may write everywhere, as root may")
        before = files(saved)
        for command in (
            ("run", "aces", "--n", 10, "--out", locked),
            ("run", "aces", "--n", 10, "--out", locked / "run"),
            ("run", "aces", "--n", 10, "--out", saved, "--overwrite"),
            ("resume", saved, "--n", 2 * N),
        ):
            code, _, err = cli(*command)
            assert code == 2 and "can't be written" in err, command
        assert files(saved) == before
        assert cli("summary", saved)[0] == 0
        assert cli("export", saved, "--to", "csv")[0] == 0
        code, _, err = cli("export", saved, "--to", "csv", locked / "rows.csv")
        assert code == 1 and "can't be written" in err
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


# A disk that is full


def is_folder(handle: Any) -> bool:
    return isinstance(handle, int) and stat.S_ISDIR(os.fstat(handle).st_mode)


def fail_at(monkeypatch: Any, what: str, k: int, *, for_good: bool) -> list[int]:
    """Make the k-th call fail as on a full disk, or all from there on; returns the calls."""
    where, name, _ = WRITES[what]
    calls = [0]
    real = getattr(where, name)

    def maybe(*arguments: Any, **keywords: Any) -> Any:
        calls[0] += not is_folder(arguments[0])
        if calls[0] == k or (for_good and calls[0] > k):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(*arguments, **keywords)

    monkeypatch.setattr(where, name, maybe)
    # Chunks that are finished at the same time are flushed together: here one after the other.
    monkeypatch.setattr(run_module, "_wait", lambda finished: [finished.get(timeout=60)])
    return calls


# Calls that write, and how many of them a run of five chunks makes.
WRITES = {
    "rename": (os, "replace", 7),
    "flush": (os, "fsync", 12),
    "rows": (pl.DataFrame, "write_parquet", 5),
}


@pytest.mark.parametrize("for_good", [False, True], ids=["once", "from there on"])
@pytest.mark.parametrize(
    ("what", "k"), [(what, k) for what, (*_, most) in WRITES.items() for k in range(1, most + 1)]
)
def test_a_full_disk_ends_a_run_that_can_be_resumed(
    tmp_path: Path, monkeypatch: Any, direct: Any, what: str, k: int, for_good: bool
) -> None:
    out = tmp_path / "run"
    request: dict[str, Any] = {"seed": SEED, "chunk_size": SIZE, "threads": 1, "out": out}
    with monkeypatch.context() as patch:
        fail_at(patch, what, k, for_good=for_good)
        with pytest.raises(simcards.RunError, match="No space left") as failed:
            simcards.run("aces", N, **request)
    assert failed.value.exit_code == 1
    assert "Please report" not in str(failed.value)
    if not (out / "manifest.json").exists():
        done = simcards.run("aces", N, **request)  # the same command again
    else:
        read = simcards.load(out)
        assert read.summary.status == "partial"
        assert_same_rows(read.rows, direct.rows.head(read.summary.completed))
        assert f"{read.summary.completed:,} finished matches are kept" in str(failed.value)
        assert f"simcards resume {out}" in str(failed.value)
        done = simcards.resume(out)
    assert_same_rows(done.rows, direct.rows)
    assert done.counts == direct.counts
    assert manifest(out)["status"] == "complete"
    assert not list(out.rglob("*.new"))


def test_the_writes_are_as_many_as_the_test_above_fails(tmp_path: Path, monkeypatch: Any) -> None:
    counted = {what: fail_at(monkeypatch, what, 10**9, for_good=False) for what in WRITES}
    simcards.run("aces", N, seed=SEED, chunk_size=SIZE, threads=1, out=tmp_path / "run")
    assert {what: calls[0] for what, calls in counted.items()} == {
        what: most for what, (*_, most) in WRITES.items()
    }


@pytest.mark.parametrize("k", range(1, 4))
def test_a_full_disk_ends_a_resume_that_can_be_resumed(
    gap: Path, monkeypatch: Any, direct: Any, k: int
) -> None:
    with monkeypatch.context() as patch:
        fail_at(patch, "rename", k, for_good=True)
        with pytest.raises(simcards.RunError, match="No space left"):
            simcards.resume(gap)
    assert_same_rows(simcards.resume(gap).rows, direct.rows)


def test_a_file_system_that_can_t_flush_folders_will_do(
    tmp_path: Path, monkeypatch: Any, direct: Any
) -> None:
    real = os.fsync

    def fsync(handle: int) -> None:
        if is_folder(handle):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    found = simcards.run("aces", N, seed=SEED, out=tmp_path / "run")
    assert_same_rows(found.rows, direct.rows)


LIMITED = """
import resource, signal, sys
from simcards.cli import main
from simcards.sim import run
run._wait = lambda finished: [finished.get(timeout=60)]  # chunks are flushed one by one
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
main(sys.argv[2:])
"""


@posix
def test_a_line_that_fits_in_part_is_taken_back(
    tmp_path: Path, python_process: Any, cli: Any, direct: Any
) -> None:
    """The system writes as much of the journal as fits: that mustn't spoil what follows."""
    words = ["run", "aces", "--n", N, "--seed", SEED, "--chunk-size", SIZE, "--threads", 1]
    words += ["--rows", "none", "--out"]
    assert cli(*words, tmp_path / "whole")[0] == 0
    lines = (tmp_path / "whole" / "chunks.jsonl").read_bytes().splitlines(keepends=True)
    limit = len(lines[0]) + len(lines[1]) // 2
    assert (tmp_path / "whole" / "manifest.json").stat().st_size < limit
    out = tmp_path / "run"
    done = python_process("-c", LIMITED, limit, *words, out)
    assert done.returncode == 1
    assert "chunks.jsonl: can't be written" in done.stderr and "Traceback" not in done.stderr
    assert (out / "chunks.jsonl").read_bytes() == lines[0]
    assert simcards.load(out).summary.completed == SIZE
    assert simcards.resume(out).counts == direct.counts
