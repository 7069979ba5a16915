"""Reports: made of their data and nothing else, refused with words, whole or not at all."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from runs import files
from scipy.stats import binom

import simcards
from simcards.analysis.intervals import quantile_interval
from simcards.analysis.report.convergence import history
from simcards.analysis.report.page import Chart, page_of
from simcards.analysis.report.render import html, markdown, plain
from simcards.sim.manifest import read_manifest

Cli = Callable[..., tuple[int, str, str]]

MADE: dict[str, Callable[[Path], Any]] = {
    "aces": lambda out: simcards.run("aces", 3000, seed=11, rules={"match": "hand"}, out=out),
    "horner": lambda out: simcards.run("horner", 1500, seed=12, players=3, out=out),
    "thirteen": lambda out: simcards.run("thirteen", 3000, seed=13, out=out),
    "strategies": lambda out: simcards.compare(
        "thirteen", "control", "lowest", 1500, seed=14, out=out
    ),
    "against": lambda out: simcards.compare(
        "horner", "eager", "random", 1200, against="random", players=3, seed=15, out=out
    ),
    "rules": lambda out: simcards.compare(
        "thirteen", "lockout=on", "lockout=off", 1500, seed=16, out=out
    ),
    "sweep": lambda out: simcards.sweep(
        "aces", {"layout": [2, 4, 6], "players": [2, 3]}, 1500, rules={"match": "hand"}, seed=17,
        targets={"turns": 12}, out=out,
    ),
    "tournament": lambda out: simcards.tournament(
        "thirteen", ["lowest", "shed", "control"], 1200, seed=18, out=out
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Something saved of each kind."""
    folder = tmp_path_factory.mktemp("saved")
    for name, make in MADE.items():
        make(folder / name)
    return {name: folder / name for name in MADE}


@pytest.fixture(scope="module")
def pages(saved: dict[str, Path]) -> dict[str, dict[str, Any]]:
    """The data of a report of each."""
    return {
        name: json.loads(simcards.report(folder).with_suffix(".json").read_bytes())
        for name, folder in saved.items()
    }


@pytest.mark.parametrize("name", MADE)
def test_a_page_is_made_of_its_data_alone(
    name: str, saved: dict[str, Path], pages: dict[str, dict[str, Any]]
) -> None:
    assert html(pages[name], "report.json") == (saved[name] / "report.html").read_text("utf-8")
    # Also where the order of keys was lost on the way.
    shuffled = json.loads(json.dumps(pages[name], sort_keys=True))
    assert html(shuffled, "report.json") == html(pages[name], "report.json")
    assert json.loads(json.dumps(page_of(pages[name]).to_json())) == pages[name]


SECTIONS = {
    "aces": "setup fairness lengths flow strategies convergence luck sanity",
    "strategies": "setup effects fairness flow convergence luck deals sanity",
    "against": "setup effects fairness flow convergence luck deals sanity",
    "rules": "setup effects lengths flow convergence deals sanity",
    "sweep": "setup effects curves targets fairness lengths flow convergence sanity",
    "tournament": "setup strategies meetings flow convergence sanity",
}


@pytest.mark.parametrize("name", SECTIONS)
def test_what_is_in_it(name: str, pages: dict[str, dict[str, Any]]) -> None:
    page = pages[name]
    assert [section["name"] for section in page["sections"]] == SECTIONS[name].split()
    assert all(section["blocks"] for section in page["sections"])
    assert page["answer"] and page["command"].startswith("simcards ")
    checked = next(one for one in page["sections"] if one["name"] == "sanity")
    told = [block["text"] for block in checked["blocks"] if block["block"] == "text"]
    assert any(text.startswith("Nothing is wrong") for text in told)
    assert page["sanity"]["passed"] is True


def charts(page: dict[str, Any]) -> dict[str, Chart]:
    found = [block for section in page_of(page).sections for block in section.blocks]
    named = [block for block in found if isinstance(block, Chart)]
    assert len({one.name for one in named}) == len(named)
    return {one.name: one for one in named}


@pytest.mark.parametrize("name", MADE)
def test_charts_name_columns_that_are_there(name: str, pages: dict[str, dict[str, Any]]) -> None:
    found = charts(pages[name])
    assert len(found) >= 4
    for chart in found.values():
        names = {column.name for column in chart.table.columns}
        assert {chart.x, chart.y} <= names
        assert {one for one in (chart.low, chart.high, chart.by) if one} <= names
        assert chart.says.endswith(".") and chart.table.rows
        assert chart.x_label or chart.y_label
        for row in chart.table.rows:
            assert len(row) == len(chart.table.columns)
            assert not any(isinstance(one, float) and not math.isfinite(one) for one in row)
        if chart.low:
            values = chart.y if chart.kind in ("lines", "steps") else chart.x
            for low, value, high in zip(
                chart.table.column(chart.low),
                chart.table.column(values),
                chart.table.column(chart.high),
                strict=True,
            ):
                assert isinstance(low, float) and isinstance(high, float)
                assert isinstance(value, float) and low <= value <= high


def test_a_funnel_starts_where_the_run_was_short(
    saved: dict[str, Path], pages: dict[str, dict[str, Any]]
) -> None:
    """The early points are of the first games, as a run of so many has them."""
    manifest = read_manifest(saved["thirteen"])
    found = dict(history(saved["thirteen"], manifest))
    assert list(found) == [1000, 1190, 1415, 1682, 2000, 2379, 2829, 3000]
    for n in (1000, 1682, 3000):
        assert found[n] == simcards.run("thirteen", n, seed=13).counts
    shares = charts(pages["thirteen"])["funnel"].table
    for n, share in zip(shares.column("games"), shares.column("value"), strict=True):
        assert share == pytest.approx(
            100 * simcards.run("thirteen", n, seed=13).summary.seats[0].win_rate
        )


def test_the_same_history_however_it_was_cut(tmp_path: Path) -> None:
    cut = {}
    for size in (300, 1024, 5000):
        folder = tmp_path / str(size)
        simcards.run("thirteen", 3000, seed=13, out=folder, chunk_size=size)
        cut[size] = dict(history(folder, read_manifest(folder)))
    for found in cut.values():
        assert found[3000] == cut[300][3000]
        for n in set(found) & set(cut[5000]):
            assert found[n] == cut[5000][n]
    assert min(cut[300]) >= 1000


@pytest.mark.parametrize("q", [0.01, 0.05, 0.5, 0.75, 0.99])
@pytest.mark.parametrize("n", [1, 5, 40, 200])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_quantile_intervals_cover(q: float, n: int, level: float) -> None:
    """By the binomial distribution itself: values 1 to n, whose ranks they are."""
    interval = quantile_interval({value: 1 for value in range(1, n + 1)}, q, level)
    assert interval is not None
    tail = (1 - level) / 2 + 1e-12
    # The quantile lies below the value of rank r if at least r values are at or below it.
    if math.isfinite(interval.low):
        lower = int(interval.low)
        assert float(binom.cdf(lower - 1, n, q)) <= tail
        assert float(binom.cdf(lower, n, q)) > tail, "one rank less would do"
    else:
        assert float(binom.cdf(0, n, q)) > tail, "no rank would do"
    if math.isfinite(interval.high):
        upper = int(interval.high)
        assert float(binom.sf(upper - 1, n, q)) <= tail
        assert float(binom.sf(upper - 2, n, q)) > tail
    else:
        assert float(binom.sf(n - 1, n, q)) > tail


def test_quantile_intervals_of_repeated_values() -> None:
    assert quantile_interval({}, 0.5) is None
    only = quantile_interval({7: 1000}, 0.5)
    assert only is not None and (only.low, only.high) == (7.0, 7.0)
    with pytest.raises(ValueError, match="between 0 and 1"):
        quantile_interval({1: 1}, 1.0)


def test_how_early_the_winner_leads(saved: dict[str, Path], pages: Any) -> None:
    """From replays, in other words: the cards each seat holds after each turn."""
    ahead = [0] * 20
    games = 400
    simcards.run("thirteen", games, seed=13, out=saved["thirteen"].with_name("few"))
    for index in range(games):
        held: list[int] = []
        out: list[int] = []
        leaders: list[int | None] = []
        winner = None
        for event in simcards.replay("thirteen", seed=13, index=index).events:
            if event["event"] == "deal":
                held = [len(hand) for hand in event["hands"]]
            elif event["event"] in ("play", "pass"):
                if event["event"] == "play":
                    held[event["player"]] -= len(event["cards"])
                    if held[event["player"]] == 0:
                        out.append(event["player"])
                least = min(held)
                alone = [seat for seat, cards in enumerate(held) if cards == least]
                leaders.append(out[0] if out else alone[0] if len(alone) == 1 else None)
            elif event["event"] == "end":
                winner = event["winner"]
        for step in range(20):
            at = [max(0, math.ceil(len(leaders) * (one + 1) / 20) - 1) for one in range(step, 20)]
            if leaders and all(leaders[one] == winner for one in at):
                ahead[step] += 1
    page = simcards.report(saved["thirteen"].with_name("few")).with_suffix(".json")
    shown = charts(json.loads(page.read_bytes()))["ahead"].table.column("ahead")
    assert shown == pytest.approx([100 * one / games for one in ahead])


@pytest.mark.parametrize("form", ["html", "md"])
def test_anywhere_the_same_bytes(form: str, saved: dict[str, Path], tmp_path: Path) -> None:
    """No display, no home, another language and time zone, another folder."""
    here = simcards.report(saved["sweep"], tmp_path / f"here.{form}", form=form)
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(stat.S_IRUSR | stat.S_IXUSR)
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "HOME", "MPLCONFIGDIR", "XDG_CACHE_HOME")
    }
    env |= {"HOME": str(home / "none"), "LC_ALL": "C", "TZ": "Asia/Tokyo", "LANG": "de_DE.UTF-8"}
    there = tmp_path / f"there.{form}"
    done = subprocess.run(
        [sys.executable, "-m", "simcards", "report", str(saved["sweep"]), "-o", str(there), "-q"],
        env=env,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout == f"{there}\n"
    assert there.read_bytes() == here.read_bytes().replace(b"here.json", b"there.json")
    assert there.with_suffix(".json").read_bytes() == here.with_suffix(".json").read_bytes()


NAME = "a$b$<i>&'c.py"


def test_names_mean_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(NAME).write_text("def play(view):\n    return view.play_0\n", encoding="utf-8")
    template = Path("lowest.py")
    from simcards.sim.sources import new_file

    new_file(template, "thirteen", overwrite=False)
    Path(NAME).write_bytes(template.read_bytes())
    out = tmp_path / "a|b <c>"
    simcards.run("thirteen", 1200, strategies={1: f"./{NAME}"}, seed=1, out=out)
    page = simcards.report(out).read_text("utf-8")
    assert "<i>" not in page and "a$b$&lt;i&gt;&amp;&#39;c.py" in page
    assert "$" in re.sub(r"<[^>]*>", "", page)
    for drawing in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        assert "mathdefault" not in drawing
    text = simcards.report(out, form="md").read_text("utf-8")
    assert "a\\$b\\$\\<i\\>\\&'c.py" in text


def test_markdown_tables_are_whole(pages: dict[str, dict[str, Any]]) -> None:
    assert plain("a_b | <i>\n*") == r"a\_b \| \<i\> \*"
    for page in pages.values():
        text = markdown(page, "report.json")
        block: list[str] = []
        for line in [*text.splitlines(), ""]:
            if line.startswith("|"):
                block.append(line)
                continue
            counts = {len(re.findall(r"(?<!\\)\|", one)) for one in block}
            assert len(counts) <= 1, block[:3]
            assert not block or len(block) <= 34
            block = []


def test_refusals(saved: dict[str, Path], tmp_path: Path, cli: Cli) -> None:
    run = saved["aces"]
    nothing = tmp_path / "nothing"
    taken = tmp_path / "taken.html"
    taken.write_text("mine", encoding="utf-8")
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    (tmp_path / "folder.html").mkdir()
    before = files(tmp_path) | files(run)
    for words, said in (
        (("report", nothing), "no results there"),
        (("report", run, "-o", tmp_path / "x.txt"), "must end in .html, .md"),
        (("report", run, "-o", tmp_path / "x.html", "--format", "md"), "must end in .md"),
        (("report", run, "--format", "pdf"), "html, md"),
        (("report", run, "-o", tmp_path / "no" / "x.html"), "there is no folder"),
        (("report", run, "-o", taken), "exists already"),
        (("report", run, "-o", tmp_path / "other.html"), "other.json, which exists already"),
        (("report", run, "-o", tmp_path / "folder.html"), "is a folder"),
        (("report", run, "-o", run / "manifest.html"), "report.html or report.md"),
        (("report", run, "-o", saved["horner"] / "manifest.html"), "holds results"),
    ):
        code, out, error = cli(*words)
        assert code == 2, (words, error)
        assert out == "" and said in error, (words, error)
    assert files(tmp_path) | files(run) == before
    code, out, error = cli("report", run, "-o", taken, "--overwrite")
    assert (code, out) == (0, f"{taken}\n"), error
    # The data of two pages about the same are the same.
    assert cli("report", run, "-o", taken.with_suffix(".md"))[0] == 0
    # Those of something else are not replaced.
    code, _, error = cli("report", saved["horner"], "-o", taken.with_suffix(".md"))
    assert code == 2 and "exists already" in error


def test_nothing_finished(tmp_path: Path, cli: Cli) -> None:
    simcards.run("aces", 1000, seed=1, out=tmp_path / "run")
    (tmp_path / "run" / "chunks.jsonl").write_bytes(b"")
    code, out, error = cli("report", tmp_path / "run")
    assert code == 2 and out == ""
    assert "nothing in it is finished" in error and "simcards resume" in error


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX")
def test_a_stop_leaves_nothing(saved: dict[str, Path], tmp_path: Path) -> None:
    folder = tmp_path / "long"
    simcards.run("aces", 20_000, seed=1, out=folder)
    before = files(folder)
    process = subprocess.Popen(
        [sys.executable, "-m", "simcards", "report", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert "telling" in process.stderr.readline()
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    assert process.returncode == 130, error
    assert out == "" and "Traceback" not in error
    assert files(folder) == before


def test_a_folder_goes_on_after_a_report(tmp_path: Path, cli: Cli) -> None:
    folder = tmp_path / "run"
    simcards.run("thirteen", 1000, seed=3, out=folder)
    first = simcards.report(folder).read_bytes()
    assert cli("resume", folder, "--n", 2000)[0] == 0
    assert cli("verify", folder)[0] == 0
    second = simcards.report(folder).read_bytes()
    assert b"2,000 deals" in second and b"2,000 deals" not in first
    code, _, error = cli("run", "thirteen", "--n", 500, "--out", folder, "--overwrite")
    assert code == 0, error
    # What was said of the run that was replaced is gone with it.
    assert not (folder / "report.html").exists() and not (folder / "report.json").exists()


def test_charts_in_notebooks(saved: dict[str, Path]) -> None:
    import matplotlib
    from matplotlib.figure import Figure

    before = dict(matplotlib.rcParams)
    wanted = {
        "thirteen": ("seats", "length", "tally", "convergence"),
        "strategies": ("differences", "seats", "convergence"),
        "rules": ("differences", "length", "convergence"),
        "sweep": ("effect", "factorial", "curve", "length", "convergence"),
        "tournament": ("ratings", "heat_map", "convergence"),
    }
    for name, methods in wanted.items():
        result = simcards.load(saved[name])
        for method in methods:
            figure = getattr(result.plot, method)()
            assert isinstance(figure, Figure)
            assert figure.axes[0].get_xlabel() or figure.axes[0].get_ylabel()
    assert dict(matplotlib.rcParams) == before
    run = simcards.run("aces", 500, seed=1)
    with pytest.raises(simcards.RequestError, match="saved results"):
        run.plot.convergence()
    with pytest.raises(simcards.RequestError, match="Did you mean turns"):
        run.plot.length("turn")
    with pytest.raises(simcards.RequestError, match="nothing of the kind"):
        simcards.load(saved["strategies"]).plot.length()


def test_drawing_needs_no_pyplot(saved: dict[str, Path]) -> None:
    program = (
        "import sys, simcards\n"
        f"figure = simcards.load({str(saved['aces'])!r}).plot.seats()\n"
        f"figure.savefig({os.devnull!r}, format='png')\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["aces", "horner", "thirteen", "strategies", "rules"])
def test_duckdb_reads_exports(
    form: str, name: str, saved: dict[str, Path], tmp_path: Path, cli: Cli
) -> None:
    import duckdb

    target = tmp_path / f"rows.{form}"
    assert cli("export", saved[name], "--to", form, target)[0] == 0
    rows = simcards.load(saved[name]).rows
    with duckdb.connect() as database:
        found = (
            database.read_parquet(str(target))
            if form == "parquet"
            else database.read_csv(str(target))
        )
        assert found.columns == rows.columns
        assert found.count("*").fetchall() == [(len(rows),)]
        for column in rows.columns:
            if rows[column].dtype.is_numeric():
                kinds = {str(kind) for kind in found.select(column).types}
                assert kinds <= {
                    "BIGINT", "INTEGER", "SMALLINT", "TINYINT", "UTINYINT", "USMALLINT",
                    "UINTEGER", "UBIGINT",
                }, (column, kinds)  # fmt: skip
                total = found.sum(f'"{column}"').fetchall()[0][0]
                assert int(total) == int(rows[column].cast(pl.Int64).sum())
                assert found.filter(f'"{column}" is null').fetchall() == []
            else:
                words = {str(word) for (word,) in found.select(f'"{column}"::varchar').fetchall()}
                assert words == set(rows[column].cast(pl.String).to_list())


def test_pandas_and_polars_read_exports(saved: dict[str, Path], tmp_path: Path, cli: Cli) -> None:
    import pandas as pd

    rows = simcards.load(saved["thirteen"]).rows
    for form in ("csv", "parquet"):
        target = tmp_path / f"rows.{form}"
        assert cli("export", saved["thirteen"], "--to", form, target)[0] == 0
        frame = pd.read_csv(target) if form == "csv" else pd.read_parquet(target)
        assert list(frame.columns) == rows.columns and len(frame) == len(rows)
        assert frame["turns"].tolist() == rows["turns"].to_list()
        read = pl.read_csv(target) if form == "csv" else pl.read_parquet(target)
        assert read["turns"].to_list() == rows["turns"].to_list()
        if form == "parquet":
            assert read.equals(rows)


def answer(folder: Path) -> str:
    data = json.loads(simcards.report(folder).with_suffix(".json").read_bytes())
    return "\n".join(data["answer"])


@pytest.mark.parametrize("n", [1, 2, 3, 10, 29])
def test_a_handful_of_games_shows_nothing(n: int, tmp_path: Path) -> None:
    for seed in range(5):
        folder = tmp_path / str(seed)
        swept = simcards.sweep("aces", {"queen": ["stop", "skip"]}, n, seed=seed, out=folder)
        assert {row.compared.verdict.word for row in swept.summary.rows if row.compared} == {
            "unknown"
        }
        assert "No cell" in answer(folder) or "can't tell yet" in answer(folder)
    simcards.run("aces", n, seed=1, out=tmp_path / "run")
    page = json.loads(simcards.report(tmp_path / "run").with_suffix(".json").read_bytes())
    assert "too few to say whether seats win alike" in "\n".join(page["answer"])
    tables = [
        block
        for section in page["sections"]
        for block in section["blocks"]
        if block["block"] == "table" and block["caption"] == "Quantiles and means"
    ]
    for name, figure, _, low, high in tables[0]["rows"]:
        if figure == "mean":
            assert (low is None) == (n == 1), name
        elif figure in ("1 % quantile", "99 % quantile"):
            assert (low, high)[figure[0] == "9"] is None, "nothing is known of that end"


def test_seats_are_judged_by_their_intervals(tmp_path: Path) -> None:
    simcards.run("horner", 5000, players=6, rules={"rounds": 1}, seed=7, out=tmp_path / "six")
    said = answer(tmp_path / "six")
    assert "can't be told yet whether by as much as matters" in said
    simcards.run("thirteen", 3000, strategies={0: "random"}, seed=1, out=tmp_path / "weak")
    assert "seats, and who plays on them, aren't equal, and it matters" in answer(tmp_path / "weak")


def test_shares_are_of_finished_games(tmp_path: Path) -> None:
    simcards.run("aces", 3000, rules={"max_turns": 20}, seed=3, out=tmp_path / "capped")
    result = simcards.load(tmp_path / "capped").summary
    said = answer(tmp_path / "capped")
    assert said.startswith("Capped: ") and "They are in no share and no length" in said
    assert f"the {result.finished:,} finished of 3,000 matches" in said
    simcards.run("aces", 200, rules={"max_turns": 1}, seed=3, out=tmp_path / "all")
    assert answer(tmp_path / "all").startswith("Capped: 200 of 200 matches")


def test_what_differs_is_what_was_asked(tmp_path: Path) -> None:
    simcards.compare("thirteen", "players=2", "players=4", 200, seed=1, out=tmp_path / "seats")
    page = simcards.report(tmp_path / "seats").read_text("utf-8")
    assert "They differ in players 2 or 4" in page and "source of" not in page


def test_another_player_is_another_one(saved: dict[str, Path]) -> None:
    page = json.loads(simcards.report(saved["aces"]).with_suffix(".json").read_bytes())
    (luck,) = (section for section in page["sections"] if section["name"] == "luck")
    (command,) = (one["command"] for one in luck["blocks"] if one["block"] == "command")
    assert "--a always+lowest --b never" in command


def test_both_forms_are_renewed(tmp_path: Path, cli: Cli) -> None:
    folder = tmp_path / "run"
    simcards.run("thirteen", 300, seed=3, out=folder)
    simcards.report(folder, form="md")
    simcards.report(folder)
    made = {path.name for path in folder.glob("report.*")}
    assert made == {"report.html", "report.md", "report.json"}
    (folder / "report.md").write_text("old", encoding="utf-8")
    simcards.report(folder)
    assert "300 deals" in (folder / "report.md").read_text("utf-8")
    assert cli("resume", folder)[0] == 0  # there was nothing left to play
    assert {path.name for path in folder.glob("report.*")} == made
    assert cli("resume", folder, "--n", 400)[0] == 0
    assert list(folder.glob("report.*")) == []
    # A file of that name that somebody else wrote stays.
    (folder / "report.html").write_text("mine", encoding="utf-8")
    code, _, error = cli("report", folder)
    assert code == 2 and "simcards didn't write" in error
    assert cli("resume", folder, "--n", 500)[0] == 0
    assert (folder / "report.html").read_text("utf-8") == "mine"
    code, _, error = cli("report", folder, "-o", folder / ".." / "run" / "other.html")
    assert code == 2 and "Leave out -o" in error
    code, _, error = cli("report", tmp_path / "none" / "file.txt")
    assert code == 2 and "no results there" in error


def test_damaged_rows_are_no_reason_for_silence(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    simcards.run("thirteen", 300, seed=3, out=folder)
    whole = answer(folder)
    for path in (folder / "rows").iterdir():
        path.write_bytes(b"not parquet")
    assert answer(folder) == whole


def test_long_games_are_told_fewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from simcards.analysis import at_table

    monkeypatch.setattr(at_table, "MOST_EVENTS", 20_000)
    simcards.run("aces", 300, seed=3, out=tmp_path / "run")
    said: list[str] = []
    page = simcards.report(tmp_path / "run", on_told=said.append).read_text("utf-8")
    (found,) = re.findall(r"The first (\d+) matches were played once more", page)
    number = int(found)
    assert 20 <= number < 100
    assert said[0] == f"telling {number} matches again"
