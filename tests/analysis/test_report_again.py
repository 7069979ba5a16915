"""Reports, computed once more: from exported rows, from runs of each table, and from replays.

Nothing that makes a report is used here, and nothing of its code was looked at. Small runs,
comparisons, sweeps and tournaments are kept and reported, and what ``report.json`` states is worked
out anew with plain Python, NumPy and SciPy. Then the pages are read, HTML and Markdown: whether
they show what is in ``report.json``, all of it, and nothing else.
"""

from __future__ import annotations

import io
import itertools
import json
import math
import os
import re
import shlex
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import polars as pl
import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from numpy.typing import NDArray
from scipy import optimize, special, stats
from statsmodels.stats.multitest import multipletests

import simcards
from simcards.cli import main

Array = NDArray[Any]
Found = dict[str, Any]

FIRST = 60  # a first place, in the rows of comparisons
HAND = {"match": "hand"}
ALL_INSTANT = "twos+dragon+six_pairs+five_pairs_run+three_triples_run+one_colour"

# Everything that means something in HTML, in Markdown, in TeX, or in a shell.
ODD = "a&amp;b<i>\"c'$x_1$|`*_d.py"
COIN = """
from simcards.kernels.aces_view import TAKE, WILD, face_down, lowest_bit

def play(view):
    if view.decision == TAKE:
        return view.word & 1
    if view.decision == WILD:
        return lowest_bit(face_down(view, view.seat))
    return 1
"""


@dataclass(frozen=True)
class Case:
    """What is kept: the name of a function of simcards, what it is given, and what else."""

    does: str
    arguments: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)
    odd: bool = False


def run_of(game: str, n: int, **options: Any) -> Case:
    return Case("run", (game, n), options)


RUNS = {
    "capped": run_of(
        "aces",
        150,
        players=3,
        rules={"max_turns": 30},
        strategies=["always", "never", "random"],
        seed=2,
        level=0.9,
    ),
    "shared": run_of("aces", 100, players=3, rules={"shrink": 0, "hands": 2}, seed=1),
    "few": run_of("aces", 8, players=2, seed=9),
    "one": run_of("aces", 1, seed=1),
    "some": run_of("aces", 30, seed=1),
    "locked": run_of("aces", 1200, players=5, rules={**HAND, "packs": 1, "max_turns": 60}, seed=3),
    "last turn": run_of(
        "aces", 60, players=3, rules={"finish": "last_turn"}, strategies="random+random", seed=1
    ),
    "deals": run_of(
        "thirteen", 200, strategies=["lowest", "control", "random", "saver"], seed=2**64 - 1
    ),
    "matches": run_of(
        "thirteen", 60, players=3, rules={"target": 8, "instant": "none"}, seed=4, first=7
    ),
    "at once": run_of(
        "thirteen", 60, rules={"target": 6, "instant": ALL_INSTANT}, seed=3, first=30
    ),
    "plums": run_of("horner", 120, players=5, rules={"max_turns": 80}, seed=2, level=0.99),
    "six": run_of("horner", 60, players=6, seed=5, strategies="blocker"),
    "precise": run_of("aces", 10**6, rules=HAND, precision=0.04, seed=2, level=0.9),
    "long": run_of("aces", 1500, rules=HAND, seed=11, level=0.9),
    "odd": Case("run", ("aces", 60), {"rules": HAND, "seed": 3}, odd=True),
}
COMPARISONS = {
    "seats": Case("compare", ("thirteen", "control", "lowest", 60), {"seed": 5}),
    "among": Case(
        "compare",
        ("aces", "always", "never", 80),
        {"against": "random", "players": 3, "rules": {"max_turns": 40}, "seed": 5, "level": 0.9},
    ),
    "tables": Case("compare", ("thirteen", "lockout=on", "lockout=off", 150), {"seed": 5}),
    "capped tables": Case(
        "compare",
        ("aces", {"layout": 4}, {"layout": 5}, 300),
        {"rules": {**HAND, "max_turns": 14}, "seed": 6, "matters": {"turns": 0.5}},
    ),
    "long comparison": Case(
        "compare", ("horner", "eager", "flip_only", 1200), {"players": 3, "seed": 5}
    ),
    "long tables": Case(
        "compare", ("aces", {"layout": 4}, {"layout": 5}, 1100), {"rules": HAND, "seed": 5}
    ),
    "odd comparison": Case("compare", ("aces",), {"rules": HAND, "seed": 3}, odd=True),
}
SWEEPS = {
    "lockout": Case(
        "sweep",
        ("thirteen", {"lockout": ["on", "off"]}, 40),
        {"seed": 5, "figures": ["turns", "deals_with_bomb"]},
    ),
    "grid": Case(
        "sweep", ("aces", {"layout": [4, 5], "jokers": [0, 1, 2]}, 150), {"rules": HAND, "seed": 5}
    ),
    "players": Case(
        "sweep",
        ("aces", {"layout": [3, 4], "players": [2, 3]}, 80),
        {"rules": {**HAND, "max_turns": 12}, "seed": 8, "figures": ["turns", "win_0"]},
    ),
    "long sweep": Case(
        "sweep", ("aces", {"layout": [4, 6]}, 1100), {"rules": HAND, "seed": 5, "figures": "turns"}
    ),
    "odd sweep": Case("sweep", ("aces",), {"rules": HAND, "seed": 3}, odd=True),
}
TOURNAMENTS = {
    "cup": Case("tournament", ("thirteen", ["lowest", "shed", "control"], 60), {"seed": 5}),
    "long cup": Case(
        "tournament", ("aces", ["always", "never", "random"], 1100), {"rules": HAND, "seed": 5}
    ),
}
NOTHING = {"rules": {"max_turns": 1}, "seed": 1}
WITHOUT_DATA = {
    "nobody": Case("run", ("aces", 40), NOTHING),
    "nobody compared": Case("compare", ("aces", "always", "never", 30), NOTHING),
    "half compared": Case(
        "compare", ("aces", {"max_turns": 1}, {"max_turns": 40}, 30), {"seed": 1}
    ),
    "half a sweep": Case(
        "sweep", ("aces", {"max_turns": [1, 60], "layout": [5, 4]}, 30), {"seed": 1}
    ),
    "no cup": Case("tournament", ("aces", ["always", "never"], 30), NOTHING),
}
CASES = RUNS | COMPARISONS | SWEEPS | TOURNAMENTS | WITHOUT_DATA
# Those that have every kind of block between them; all others are of one of these kinds.
READ = ["capped", "deals", "odd", "odd comparison", "tables", "odd sweep", "cup"]
if os.name == "nt":  # which has no files of such names
    CASES = {name: case for name, case in CASES.items() if not case.odd}
    READ = [name for name in READ if name in CASES]
    RUNS, COMPARISONS, SWEEPS = (
        {name: case for name, case in cases.items() if name in CASES}
        for cases in (RUNS, COMPARISONS, SWEEPS)
    )


def command(*words: Any) -> str:
    """Run a command line in this process; what it prints."""
    out = io.StringIO()
    with redirect_stdout(out), pytest.raises(SystemExit) as left:
        main([str(word) for word in words])
    assert left.value.code == 0, words
    return out.getvalue()


def cells_of(table: Found) -> list[Found]:
    """The rows of a table, by the names of its columns."""
    names = [column["name"] for column in table["columns"]]
    assert len(set(names)) == len(names)
    return [dict(zip(names, row, strict=True)) for row in table["rows"]]


def tables_of(data: Found) -> list[Found]:
    """All tables of a report, those of charts too, in order."""
    blocks = [block for section in data["sections"] for block in section["blocks"]]
    tables = [block["table"] if block["block"] == "chart" else block for block in blocks]
    return [table for table in tables if "columns" in table]


@dataclass
class Made:
    """A report that was made, and where."""

    name: str
    case: Case
    folder: Path
    markdown: Path

    @cached_property
    def text(self) -> str:
        return (self.folder / "report.json").read_text(encoding="utf-8")

    @cached_property
    def data(self) -> Found:
        data: Found = json.loads(self.text)
        return data

    @cached_property
    def page(self) -> str:
        return (self.folder / "report.html").read_text(encoding="utf-8")

    @cached_property
    def result(self) -> Found:
        result: Found = self.data["result"]
        return result

    @cached_property
    def manifest(self) -> Found:
        found: Found = json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))
        return found

    @cached_property
    def rows(self) -> pl.DataFrame:
        """As they are exported."""
        file = self.folder.parent / f"{self.name}.csv"
        command("export", self.folder, "--to", "csv", file, "--overwrite")
        return pl.read_csv(file)

    @property
    def level(self) -> float:
        return float(self.case.options.get("level", 0.95))

    @property
    def game(self) -> str:
        return str(self.case.arguments[0])

    @property
    def n(self) -> int:
        return int(self.result["completed"])

    def section(self, name: str) -> Found:
        found: Found
        (found,) = (one for one in self.data["sections"] if one["name"] == name)
        return found

    def tables(self, section: str) -> dict[str, Found]:
        """The tables of a section that aren't those of charts, by caption."""
        blocks = self.section(section)["blocks"]
        return {one["caption"]: one for one in blocks if one["block"] == "table"}

    def charts(self, section: str) -> dict[str, Found]:
        blocks = self.section(section)["blocks"]
        return {one["name"]: one for one in blocks if one["block"] == "chart"}

    def says(self, section: str) -> str:
        """All sentences of a section."""
        blocks = self.section(section)["blocks"]
        return "\n".join(block.get("says", block.get("text", "")) for block in blocks)


Make = Callable[[str], Made]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """From the name of a case to its report; each is made once."""
    folder = tmp_path_factory.mktemp("again")
    ready: dict[str, Made] = {}

    def make(name: str) -> Made:
        if name not in ready:
            case = CASES[name]
            # The place of an odd one is as odd as the name of its strategy.
            here = folder / (f"<b>&\"'$y^2$|`{name}" if case.odd else name.replace(" ", "-"))
            arguments, options = case.arguments, dict(case.options)
            if case.odd:
                bot = folder / ODD
                bot.write_text(COIN, encoding="utf-8")
                played = f"{bot}:play"
                if case.does == "run":
                    options["strategies"] = {0: played, 1: "never"}
                elif case.does == "compare":
                    arguments = (*arguments, played, "never", 60)
                else:
                    arguments = (*arguments, {"strategy": ["never", played]}, 60)
            getattr(simcards, case.does)(*arguments, out=here, **options)
            simcards.report(here)
            ready[name] = Made(name, case, here, folder / f"{name.replace(' ', '-')}.md")
        return ready[name]

    return make


@pytest.fixture(scope="module")
def read(made: Make) -> Make:
    """As `made`, in Markdown too."""

    def make(name: str) -> Made:
        found = made(name)
        if not found.markdown.exists():
            simcards.report(found.folder, found.markdown, form="md")
        return found

    return make


# What is computed again.


def close(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def wilson(share: float, n: float, level: float) -> list[float]:
    """Ends of Wilson's interval, of 100."""
    z = stats.norm.isf((1 - level) / 2)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return [100 * max(0.0, middle - half), 100 * min(1.0, middle + half)]


def sequence(wins: float, n: int, level: float) -> list[float]:
    """Ends of the beta-binomial confidence sequence with a Beta(1/2, 1/2) prior, of 100."""
    lost = n - wins

    def evidence(p: float) -> float:
        mixed = special.betaln(wins + 0.5, lost + 0.5) - special.betaln(0.5, 0.5)
        against = special.xlogy(wins, p) + special.xlog1py(lost, -p)
        return float(mixed - against + math.log(1 - level))

    share, tiny = wins / n, 1e-12
    low = optimize.brentq(evidence, tiny, share) if wins else 0.0
    high = optimize.brentq(evidence, share, 1 - tiny) if lost else 1.0
    return [100 * low, 100 * high]


def mean_interval(values: Array, level: float) -> list[float]:
    """Normal, Student's t up to 200."""
    n, tail = len(values), (1 - level) / 2
    z = stats.t.isf(tail, n - 1) if n <= 200 else stats.norm.isf(tail)
    half = z * values.std(ddof=1) / math.sqrt(n)
    return [values.mean() - half, values.mean() + half]


def paired(d: Array, level: float, middle: float, largest: float) -> tuple[list[float], float]:
    """Interval and p-value of the mean of independent values, with two more around `middle`."""
    values = np.concatenate([d, [middle + largest, middle - largest]])
    n, tail = len(values), (1 - level) / 2
    error = values.std(ddof=1) / math.sqrt(n)
    z = stats.t.isf(tail, n - 1) if n <= 200 else stats.norm.isf(tail)
    statistic = abs(values.mean()) / error
    p = 2 * (stats.t.sf(statistic, n - 1) if n <= 200 else stats.norm.sf(statistic))
    return [values.mean() - z * error, values.mean() + z * error], float(p)


def linear(counts: Array, per: Array) -> tuple[float, Array]:
    """A ratio of sums, and what each observation adds to its error."""
    rate = counts.sum() / per.sum()
    return rate, (counts - rate * per) / per.mean()


def binomial_at_most(count: int, n: int, p: float) -> float:
    """The chance of so many or fewer of n, term by term."""
    total = 0.0
    for k in range(count + 1):
        ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        total += math.exp(ways + k * math.log(p) + (n - k) * math.log1p(-p))
    return total


def finished(rows: pl.DataFrame) -> Array:
    return (rows["status"] == "finished").to_numpy()


def scores(rows: pl.DataFrame, players: int) -> Array:
    """By game and seat: 1 for who won alone, 1/k for each of k, nothing in a capped game."""
    won = rows["winners"].to_numpy().astype(np.int64)[:, None] >> np.arange(players) & 1
    found: Array = won / np.maximum(won.sum(axis=1), 1)[:, None] * finished(rows)[:, None]
    return found


def word_of(verdict: tuple[float, float], matters: float) -> str:
    low, high = verdict
    if low >= matters or high <= -matters:
        return "matters"
    if -matters <= low and high <= matters:
        return "too small to matter"
    return "can't tell yet"


def rounded(text: str) -> tuple[float, float]:
    """The number that is written, and how far from it what was rounded can be."""
    plain = text.replace(",", "").replace("\N{MINUS SIGN}", "-")
    decimals = len(plain.partition(".")[2])
    return float(plain), 0.5 * 10.0**-decimals * (1 + 1e-9) + 1e-12


def is_rounded(text: str, value: float) -> bool:
    number, most = rounded(text)
    return abs(number - value) <= most


NUMBER = r"[+\-\N{MINUS SIGN}]?\d[\d,]*(?:\.\d+)?"


def numbers(text: str) -> list[str]:
    return re.findall(NUMBER, text)


# Runs.


@pytest.fixture(scope="module", params=RUNS)
def run(request: pytest.FixtureRequest, made: Make) -> Made:
    return made(request.param)


def seats_in(run: Made) -> int:
    return len(run.result["seats"])


class TestRuns:
    def test_seats_hold_together(self, run: Made) -> None:
        players, done = seats_in(run), finished(run.rows)
        shares = scores(run.rows, players)[done]
        chart = run.charts("fairness")["seats"]
        level = 1 - (1 - run.level) / players
        off = []
        for seat, row in enumerate(cells_of(chart["table"])):
            share, n = shares[:, seat].mean(), len(shares)
            if run.case.options.get("precision"):
                expected = sequence(shares[:, seat].sum(), n, level)
            else:
                expected = wilson(share, n, level)
            assert row["label"].startswith(f"seat {seat}")
            assert row["unit"] == "of 100"
            assert row["value"] == close(100 * share)
            assert [row["low"], row["high"]] == pytest.approx(expected, rel=1e-6, abs=1e-6)
            off.append([row["low"] - 100 / players, row["high"] - 100 / players])
        assert len(off) == players
        # The sentence: nobody's interval leaves the even share out, or it says whose does.
        beyond = {f"seat {seat}" for seat, (low, high) in enumerate(off) if low > 0 or high < 0}
        if len(shares) < 30 and re.search(r"(?i)too few", chart["says"]):
            return
        assert {one for one in re.findall(r"seat \d", chart["says"])} == beyond
        if not beyond:
            (within,) = re.findall(r"within ([\d.]+) of 100", chart["says"])
            assert is_rounded(within, max(abs(end) for ends in off for end in ends))

    def test_who_won(self, run: Made) -> None:
        players, rows = seats_in(run), run.rows
        table = run.tables("fairness")["Who won"]
        found = cells_of(table)
        done = int(finished(rows).sum())
        won = rows.filter(pl.col("status") == "finished")
        bits = won["winners"].to_list()
        for seat, row in enumerate(found[:players]):
            assert row["alone"] == (won["winner"] == seat).sum()
            assert row["shared"] == sum(
                bit >> seat & 1 for bit, one in zip(bits, won["winner"], strict=True) if one == -2
            )
            assert row["share"] == close(100 * scores(rows, players)[:, seat].sum() / done)
        assert found[players]["alone"] == (won["winner"] == -1).sum()
        assert len(found) == players + 1
        assert sum(row["share"] for row in found) == close(100)
        said = [int(one.replace(",", "")) for one in numbers(table["note"])]
        assert said == [run.n, run.n - done]

    def test_lengths_add_up(self, run: Made) -> None:
        done = run.rows.filter(pl.col("status") == "finished")
        charts = run.charts("lengths")
        assert "length-turns" in charts
        for name, chart in charts.items():
            values = done[name.removeprefix("length-").replace("-", "_")].to_numpy()
            found = cells_of(chart["table"])
            for row in found:
                assert row["count"] == (values <= row["value"]).sum() > 0
                assert row["share"] == close(100 * (values <= row["value"]).mean())
            assert found[-1]["count"] == len(values)
            assert found[-1]["value"] == values.max()
            assert found[-1]["share"] == 100
            assert found[0]["value"] == values.min()

    def test_what_is_said_of_lengths(self, run: Made) -> None:
        """Half of all is half of all, and one in twenty is one in twenty.

        All are all games, unless finished ones are meant and named.
        """
        done = run.rows.filter(pl.col("status") == "finished")
        for name, chart in run.charts("lengths").items():
            values = done[name.removeprefix("length-").replace("-", "_")].to_numpy()
            says = chart["says"]
            if "finished" not in says:
                values = np.append(values, np.full(run.n - len(done), np.nan))
            told = re.fullmatch(
                rf"[^:]+: ({NUMBER})(?: to ({NUMBER}))? in (?:at least )?half of .*, "
                rf"({NUMBER}) or more in (?:at least )?one of twenty, ({NUMBER}) at most\.",
                says,
            )
            assert told, says
            first, second, *others = told.groups()
            low, high, rare, most = (rounded(one)[0] for one in (first, second or first, *others))
            share = ((values >= low) & (values <= high)).mean()
            assert share >= 0.5 if "at least half" in says else 0.35 < share < 0.65, says
            share = (values >= rare).mean()
            assert share >= 0.05 if "at least one of" in says else 0.02 < share < 0.09, says
            assert (values > rare).mean() <= 0.05
            assert most == np.nanmax(values)

    def quantiles(self, run: Made) -> Iterator[tuple[float, Found, Array]]:
        done = run.rows.filter(pl.col("status") == "finished")
        for row in cells_of(run.tables("lengths")["Quantiles and means"]):
            if found := re.match(r"([\d.]+) % quantile|median", row["figure"]):
                values = done[row["length"].replace(" ", "_")].to_numpy()
                yield float(found[1] or 50) / 100, row, np.sort(values)

    def test_quantiles(self, run: Made) -> None:
        """The smallest value that at least so many don't exceed."""
        count = 0
        for p, row, values in self.quantiles(run):
            assert row["value"] == values[max(0, math.ceil(round(p * len(values), 9)) - 1)]
            count += 1
        assert count >= 14

    def test_intervals_of_quantiles_hold_whatever_it_looks_like(self, run: Made) -> None:
        """Between order statistics, by the binomial distribution, summed term by term.

        Where values are equal the ends are taken for the order statistics furthest out.
        """
        for p, row, values in self.quantiles(run):
            n = len(values)
            below = (
                0.0 if row["low"] is None else binomial_at_most((values < row["low"]).sum(), n, p)
            )
            above = (
                0.0
                if row["high"] is None
                else 1 - binomial_at_most((values <= row["high"]).sum() - 1, n, p)
            )
            holds = 1 - below - above
            assert holds >= run.level - 1e-9, (
                f"{row['length']}, {row['figure']}: {row['low']} to {row['high']} of {n} values "
                f"holds in {100 * holds:.1f} of 100, not {100 * run.level:.0f}"
            )

    def test_intervals_of_quantiles_are_no_wider_than_that(self, run: Made) -> None:
        """The next order statistic with another value would leave out too much on its side."""
        each = (1 - run.level) / 2
        for p, row, values in self.quantiles(run):
            n = len(values)
            if row["low"] is not None and row["low"] < values[-1]:
                assert binomial_at_most((values <= row["low"]).sum(), n, p) > each
            if row["high"] is not None and row["high"] > values[0]:
                assert 1 - binomial_at_most((values < row["high"]).sum() - 1, n, p) > each

    def test_means(self, run: Made) -> None:
        done = run.rows.filter(pl.col("status") == "finished")
        means = [
            row
            for row in cells_of(run.tables("lengths")["Quantiles and means"])
            if row["figure"] == "mean"
        ]
        assert means
        for row in means:
            values = done[row["length"].replace(" ", "_")].to_numpy().astype(float)
            assert row["value"] == close(values.mean())
            if len(values) == 1:  # which says nothing of others
                assert row["low"] is row["high"] is None
                continue
            assert [row["low"], row["high"]] == close(mean_interval(values, run.level))
        for row in cells_of(run.tables("strategies").get("Scores by seat", NO_TABLE)):
            seat = int(row["seat"].removeprefix("seat "))
            values = done[f"{row['score']}_{seat}"].to_numpy().astype(float)
            assert row["mean"] == close(values.mean())
            assert row["sd"] == close(values.std(ddof=1))
            assert [row["low"], row["high"]] == close(mean_interval(values, run.level))

    def test_capped_games_are_told(self, run: Made) -> None:
        """So many of so many, so many of 100 (from, to)."""
        capped = run.n - int(finished(run.rows).sum())
        (line,) = (one for one in run.says("lengths").splitlines() if one.startswith("Capped: "))
        told = numbers(line)[:6]
        assert [rounded(one)[0] for one in told[:2]] == [capped, run.n]
        assert is_rounded(told[2], 100 * capped / run.n)
        assert told[3] == "100"
        for text, end in zip(told[4:], wilson(capped / run.n, run.n, run.level), strict=True):
            assert is_rounded(text, end)

    def test_counts(self, run: Made) -> None:
        """What the rows have too, and all ratios."""
        done = run.rows.filter(pl.col("status") == "finished")
        columns = {"cards_handled": "cards", "decisions_forced": "forced", "decisions_free": "free",
                   "bombs_played": "bombs"}  # fmt: skip
        table = cells_of(run.tables("strategies")["Everything that is counted"])
        wholes = {"finished match": len(done), "finished deal": len(done)}
        wholes |= {row["count"]: row["number"] for row in table}
        checked = set()
        for row in table:
            name, _, seat = row["count"].partition(", seat ")
            name = name.replace(" ", "_")
            column = columns.get(name, name) + (f"_{seat}" if seat else "")
            if name == "first_out":
                column = f"first_outs_{seat}"
            elif name == "pies_taken":
                column = f"pies_{seat}"
            if name != "locked" and column in done.columns:
                assert row["number"] == done[column].sum(), name
                checked.add(name)
            if name != "locked":  # it counts capped games
                assert row["whole"] == wholes[row["per"]], name
            if row["whole"]:
                assert row["ratio"] == close(row["number"] / row["whole"])
            else:
                assert row["ratio"] is None
        assert {"turns", "decisions_forced"} < checked
        assert len(checked) > 8

    def test_a_count_of_sixtieths_is_one(self, run: Made) -> None:
        """Or it doesn't say so."""
        if run.game == "thirteen":
            return
        score = scores(run.rows, seats_in(run))
        first = run.rows["first_winner" if run.game == "aces" else "first_out"].to_list()
        whole = sum(of_game[one] for of_game, one in zip(score, first, strict=True) if one >= 0)
        (row,) = (
            row
            for row in cells_of(run.tables("strategies")["Everything that is counted"])
            if re.search(r"1's (winner|out) wins", row["count"])
        )
        scale = FIRST if "sixtieths" in row["help"] else 1
        assert row["number"] == close(scale * whole), row["help"]

    def test_of_capped_games_so_many_were_locked(self, run: Made) -> None:
        """A part of the capped games, so never more than all of them."""
        if run.game != "aces":
            return
        found = [
            one
            for one in cells_of(run.tables("strategies")["Everything that is counted"])
            if one["count"] == "locked"
        ]
        if finished(run.rows).all():
            assert not found
            return
        (row,) = found
        assert row["number"] == run.rows["locked"].sum()
        assert row["whole"] == run.n - finished(run.rows).sum(), row["per"]

    def test_where_it_begins(self, run: Made) -> None:
        first = run.case.options.get("first", 0)
        assert f"indices {first} to {first + run.n - 1}." in run.says("setup")


NO_TABLE: Found = {"columns": [], "rows": []}


def test_a_run_that_stopped_when_it_knew_enough_says_so(made: Make) -> None:
    """Its seats have other intervals than everything else on the page."""
    run = made("precise")
    notes = " ".join(table["note"] for table in tables_of({"sections": [run.section("fairness")]}))
    said = " ".join([*run.data["answer"], run.says("setup"), run.says("fairness"), notes])
    assert re.search(r"(?i)stopped|any stop|confidence sequence", said)


@pytest.mark.parametrize("name", ["capped", "matches", "plums"])
def test_the_command_plays_the_same_games(name: str, made: Make, tmp_path: Path) -> None:
    run = made(name)
    first, *words = shlex.split(run.data["command"])
    assert first == "simcards"
    command(*words, "--out", tmp_path / "again", "--quiet")
    assert simcards.load(tmp_path / "again").rows.equals(simcards.load(run.folder).rows)


# Tallies, from replays.


def replays(run: Made) -> list[list[Found]]:
    manifest = run.manifest
    return [
        simcards.replay(
            run.game,
            seed=int(manifest["seed"]),
            index=index,
            preset=manifest["preset"],
            rules=manifest["rules"],
            strategies=[one["strategy"] for one in manifest["strategies"]],
        ).events
        for index in run.rows["index"].to_list()
    ]


@pytest.fixture(scope="module")
def told(made: Make) -> Callable[[str], list[list[Found]]]:
    """From the name of a run to the events of all its games; told once."""
    ready: dict[str, list[list[Found]]] = {}

    def tell(name: str) -> list[list[Found]]:
        if name not in ready:
            ready[name] = replays(made(name))
        return ready[name]

    return tell


Tell = Callable[[str], list[list[Found]]]


def assert_tally(run: Made, name: str, counts: Counter[Any], parts: Counter[Any]) -> None:
    """A table of counts, of those with 30 or more; rates, intervals, and what is said of them."""
    chart = run.charts("strategies")[name]
    names = [column["name"] for column in chart["table"]["columns"]]
    found, ends = {}, []
    for row in cells_of(chart["table"]):
        one, two, whole, part = (row[column] for column in names[:4])
        assert row["rate"] == close(100 * part / whole)
        assert [row["low"], row["high"]] == close(wilson(part / whole, whole, run.level))
        found[int(numbers(one)[-1]), two] = (whole, part)
        ends.append((row["rate"], row["low"], row["high"]))
    least = 30 if "fewer than 30" in chart["table"]["note"] else 1
    assert found == {key: (counts[key], parts[key]) for key in counts if counts[key] >= least}
    says = chart["says"]
    if "from" in says:
        extremes = min(ends, key=lambda one: one[0]), max(ends, key=lambda one: one[0])
        shown = re.findall(rf"(?:from|to) ({NUMBER}) \([^;]*; ({NUMBER}) to ({NUMBER})\)", says)
        for texts, values in zip(shown, extremes, strict=True):
            assert all(map(is_rounded, texts, values)), says
    else:  # nothing tells the rows apart
        assert max(low for _, low, _ in ends) <= min(high for *_, high in ends), says


@pytest.mark.parametrize("name", ["capped", "shared", "last turn"])
def test_hands_by_sizes(name: str, made: Make, told: Tell) -> None:
    counts: Counter[tuple[int, int]] = Counter()
    won: Counter[tuple[int, int]] = Counter()
    for events in told(name):
        for event in events:
            if event["event"] == "deal":
                starter, sizes = event["starter"], list(event["layouts"])
                key = (sizes.pop(starter), min(sizes))
            elif event["event"] == "hand_end" and event["winner"] >= 0:
                counts[key] += 1
                won[key] += event["winner"] == starter
    assert_tally(made(name), "tally-starter-by-sizes", counts, won)


@pytest.mark.parametrize("name", ["deals", "matches"])
def test_wins_by_twos(name: str, made: Make, told: Tell) -> None:
    counts: Counter[tuple[int, int]] = Counter()
    won: Counter[tuple[int, int]] = Counter()
    for events in told(name):
        assert events[-1]["status"] == "finished"
        for event in events:
            if event["event"] == "deal":
                twos = [sum(card.startswith("2") for card in hand) for hand in event["hands"]]
            elif event["event"] == "game_end":
                for seat, count in enumerate(twos):
                    counts[seat, count] += 1
                    won[seat, count] += event["places"][seat] == 1
    assert_tally(made(name), "tally-wins-by-twos", counts, won)


@pytest.mark.parametrize("name", ["six"])
def test_pies_by_seat(name: str, made: Make, told: Tell) -> None:
    counts: Counter[tuple[int, int]] = Counter()
    own: Counter[tuple[int, int]] = Counter()
    for events in told(name):
        for event in events:
            if event["event"] == "deal":
                piles = event["piles"]
            elif event["event"] == "pie":
                key = (event["player"], event["pie"])
                counts[key] += 1
                own[key] += f"{event['variety']}7" in piles[event["player"]]
    assert_tally(made(name), "tally-pies-by-seat", counts, own)


# Flow, from replays: who leads after each turn, by what the page itself says that leading is.

Turn = tuple[int, tuple[Any, ...]]  # whose it was, and how far ahead each seat is after it


def turns_of_aces(events: Sequence[Found]) -> Iterator[Turn]:
    """Smallest layout, then fewest places face down; without shrinking most hands won first.

    Who is rid of the last layout before others are in their last turns is ahead of them.
    """
    rules = events[0]["rules"]
    shrinks = rules["match"] == "full" and str(rules["shrink"]) != "0"
    players = events[0]["players"]
    sizes, won = [0] * players, [0] * players
    shown: list[set[int]] = [set() for _ in range(players)]
    player = None

    def ahead() -> tuple[Any, ...]:
        return tuple(
            (
                won[seat],
                -sizes[seat] if shrinks else 0,
                len(shown[seat]) - sizes[seat],
                shrinks and sizes[seat] == 0 and seat == first,
            )
            for seat in range(players)
        )

    first = None
    for event in events:
        if event["event"] in ("deal", "draw", "end") and player is not None:
            if event["event"] == "deal":  # everything is face down again
                sizes, shown = list(event["layouts"]), [set() for _ in range(players)]
            yield player, ahead()
            player = None
        if event["event"] == "deal":
            sizes, shown = list(event["layouts"]), [set() for _ in range(players)]
        elif event["event"] == "draw":
            player = event["player"]
        elif event["event"] == "place":
            shown[event["player"]].add(event["place"])
        elif event["event"] == "hand_end":
            sizes, first = list(event["layouts"]), event["winner"]
            if not shrinks and rules["match"] == "full" and event["winner"] >= 0:
                won[event["winner"]] += 1


def turns_of_thirteen(events: Sequence[Found]) -> Iterator[Turn]:
    """Fewest cards, or out first; in a match most points, then that."""
    match = str(events[0]["rules"]["target"]) != "none"
    players = events[0]["players"]
    cards, out, points = [0] * players, list[int](), [0] * players
    player = None

    def ahead() -> tuple[Any, ...]:
        return tuple(
            (
                points[seat] if match else 0,
                players - out.index(seat) if seat in out else 0,
                -cards[seat],
            )
            for seat in range(players)
        )

    for event in events:
        if event["event"] in ("play", "pass", "end") and player is not None:
            yield player, ahead()
            player = None
        if event["event"] == "deal":
            if player is not None:
                yield player, ahead()
                player = None
            cards, out = [len(hand) for hand in event["hands"]], []
        elif event["event"] in ("play", "pass"):
            player = event["player"]
            cards[player] -= len(event.get("cards", []))
        elif event["event"] == "out":
            out.append(event["player"])
        elif event["event"] == "game_end":
            points = [one + more for one, more in zip(points, event["points"], strict=True)]


def turns_of_horner(events: Sequence[Found]) -> Iterator[Turn]:
    """Most points, then fewest cards; here with the default rules, where whoever can flips."""
    players = events[0]["players"]
    points, cards = [0] * players, [0] * players
    player, flipped, out = None, False, False

    def ahead() -> tuple[Any, ...]:
        return tuple(zip(points, (-held for held in cards), strict=True))

    for event in events:
        acts = event["event"] == "flip" or event.get("from") == "discard"
        starts = acts and (player != event["player"] or flipped)
        if player is not None and (starts or event["event"] in ("deal", "end")):
            yield player, ahead()
            player = None
        if event["event"] == "deal":
            cards, out = [len(pile) for pile in event["piles"]], False
        if acts:
            flipped = flipped and player is not None
            player = event["player"]
            flipped = event["event"] == "flip"
        if event["event"] == "place":
            cards[event["player"]] -= 1
        elif event["event"] == "pie":
            points[event["player"]] += 2
        elif event["event"] == "out" and not out:
            points[event["player"]] += 3
            out = True


TURNS = {"aces": turns_of_aces, "thirteen": turns_of_thirteen, "horner": turns_of_horner}
TWENTIETHS = range(1, 21)


@dataclass
class Flow:
    """What happened in games: twentieths from the first one on, shared wins in parts."""

    led: list[int] = field(default_factory=lambda: [0] * 20)
    wins: list[float] = field(default_factory=lambda: [0.0] * 20)
    ahead: list[int] = field(default_factory=lambda: [0] * 20)
    alone: int = 0
    comebacks: int = 0
    turns: list[int] = field(default_factory=list)
    changes: list[int] = field(default_factory=list)
    waits: list[tuple[int, int]] = field(default_factory=list)
    choices: list[tuple[int, int]] = field(default_factory=list)

    def add(self, turns: list[Turn], row: Found) -> None:
        if row["status"] != "finished":
            return
        assert len(turns) == row["turns"]
        winners = row["winners"]  # a list in the last event, bits in a row
        leaders = []
        for _, ahead in turns:
            first = [seat for seat, one in enumerate(ahead) if one == max(ahead)]
            leaders.append(first[0] if len(first) == 1 else None)
        known = [leader for leader in leaders if leader is not None]
        self.turns.append(len(turns))
        self.changes.append(sum(a != b for a, b in itertools.pairwise(known)))
        self.alone += len(winners) == 1
        after = [-(-part * len(turns) // 20) for part in TWENTIETHS]
        looked = [leaders[turn - 1] if turn else None for turn in after]
        for part, leader in enumerate(looked):
            self.led[part] += leader is not None
            self.wins[part] += (leader in winners) / max(1, len(winners))
        if len(winners) == 1:
            for part in range(20):
                self.ahead[part] += all(leader == winners[0] for leader in looked[part:])
            if turns:
                half = turns[after[9] - 1][1]
                # Last: nobody was further behind. Where all are level nobody is behind at all.
                behind = half[winners[0]] == min(half) != max(half)
                self.comebacks += behind
        waits, pairs, seen = 0, 0, dict[int, int]()
        for at, (player, _) in enumerate(turns):
            if player in seen:
                waits += at - seen[player] - 1
                pairs += 1
            seen[player] = at
        self.waits.append((waits, pairs))
        self.choices.append((row["free"], row["free"] + row["forced"]))


def flow_of(game: str, games: Sequence[Sequence[Found]]) -> Flow:
    flow = Flow()
    for events in games:
        flow.add(list(TURNS[game](events)), events[-1])
    return flow


def assert_leaders(found: list[Found], flow: Flow) -> None:
    """A row for each twentieth with 50 games or more."""
    expected = {5 * part: at for at, part in enumerate(TWENTIETHS) if flow.led[at] >= 50}
    assert [row["part"] for row in found] == list(expected)
    for row in found:
        at = expected[row["part"]]
        assert row["led"] == flow.led[at], row["part"]
        assert row["wins"] == close(100 * flow.wins[at] / flow.led[at]), row["part"]


FLOWS = ["capped", "shared", "last turn", "deals", "matches", "plums", "six"]


@pytest.mark.parametrize("name", FLOWS)
def test_who_leads_wins(name: str, made: Make, told: Tell) -> None:
    run, flow = made(name), flow_of(made(name).game, told(name))
    chart = run.charts("flow")["leader"]
    found = cells_of(chart["table"])
    assert_leaders(found, flow)
    for row in found:
        at = row["part"] // 5 - 1
        expected = wilson(flow.wins[at] / flow.led[at], flow.led[at], run.level)
        assert [row["low"], row["high"]] == close(expected)
    says = chart["says"]
    (half,) = re.findall(r"after half of the turns wins ([\d.]+) of 100", says)
    assert is_rounded(half, 100 * flow.wins[9] / flow.led[9])
    sure = [all(row["wins"] >= 80 for row in found[at:]) for at in range(len(found))]
    if said := re.search(r"From (\d+) % of the turns on, who leads wins 80", says):
        assert int(said[1]) == found[sure.index(True)]["part"]
    elif "only at the very end" in says:
        assert sure.count(True) == 1
    else:
        assert "can't be said" in says


@pytest.mark.parametrize("name", [name for name in FLOWS if name != "shared"])
def test_the_winner_leads_for_good(name: str, made: Make, told: Tell) -> None:
    run, flow = made(name), flow_of(made(name).game, told(name))
    chart = run.charts("flow")["ahead"]
    found = cells_of(chart["table"])
    assert [row["part"] for row in found] == [5 * part for part in TWENTIETHS]
    for row, ahead in zip(found, flow.ahead, strict=True):
        assert row["ahead"] == close(100 * ahead / flow.alone), row["part"]
        expected = wilson(ahead / flow.alone, flow.alone, run.level)
        assert [row["low"], row["high"]] == close(expected)
    assert int(numbers(chart["table"]["caption"])[0].replace(",", "")) == flow.alone
    if said := re.search(r"once (\d+) % of the turns", chart["says"]):
        first = next(row["part"] for row in found if row["ahead"] >= 50)
        assert int(said[1]) == first


@pytest.mark.parametrize("name", FLOWS)
def test_figures_at_the_table(name: str, made: Make, told: Tell) -> None:
    run, flow = made(name), flow_of(made(name).game, told(name))
    found = cells_of(run.tables("flow")["At the table"])
    waits, choices = (np.array(one, float).T for one in (flow.waits, flow.choices))
    expected = {
        "minutes": np.mean(flow.turns) / 6,
        "turns of others": waits[0].sum() / waits[1].sum(),
        "decisions": 100 * choices[0].sum() / choices[1].sum(),
        "lead changes": np.mean(flow.changes),
        "who leads after half": 100 * flow.wins[9] / flow.led[9],
        "won by who was last": 100 * flow.comebacks / flow.alone,
    }
    assert len(found) == len(expected)
    for row, (label, value) in zip(found, expected.items(), strict=True):
        assert row["label"].startswith(label)
        assert row["value"] == close(value), label
        assert row["low"] <= row["value"] <= row["high"]
    rows = dict(zip(expected, found, strict=True))
    for label, wins, n in (
        ("who leads after half", flow.wins[9], flow.led[9]),
        ("won by who was last", flow.comebacks, flow.alone),
    ):
        ends = [rows[label][one] for one in ("low", "high")]
        assert ends == close(wilson(wins / n, n, run.level)), label
    # Those of ratios of sums are within a few per cent of what the delta method says.
    for label, (count, per), scale in (
        ("turns of others", waits, 1),
        ("decisions", choices, 100),
    ):
        _, parts = linear(count, per)
        half = stats.norm.isf((1 - run.level) / 2) * parts.std(ddof=1) / math.sqrt(len(parts))
        width = rows[label]["high"] - rows[label]["low"]
        assert width / 2 == pytest.approx(scale * half, rel=0.15), label


@pytest.mark.parametrize("name", ["one", "few", "some", "capped", "deals", "six"])
def test_minutes_are_turns(name: str, made: Make) -> None:
    """At ten seconds a turn; as sure as turns are, which a table further up has."""
    run = made(name)
    (turns,) = (
        row
        for row in cells_of(run.tables("lengths")["Quantiles and means"])
        if row["length"] == "turns" and row["figure"] == "mean"
    )
    minutes = cells_of(run.tables("flow")["At the table"])[0]
    assert minutes["value"] == close(turns["value"] / 6)
    if minutes["low"] is minutes["high"] is None:  # there are too few games
        assert run.n < 30
        return
    assert run.n > 1
    expected = [turns["low"] / 6, turns["high"] / 6]
    ends = [minutes["low"], minutes["high"]]
    assert ends[1] - ends[0] == pytest.approx(expected[1] - expected[0], rel=0.05)


@pytest.mark.parametrize("name", ["capped", "last turn", "deals", "matches", "at once", "plums"])
def test_who_won_leads_at_the_end(name: str, made: Make) -> None:
    """After the last turn, whoever leads has won, and who won alone leads."""
    run = made(name)
    last = cells_of(run.charts("flow")["leader"]["table"])[-1]
    assert last["part"] == 100
    assert last["wins"] == 100
    ahead = cells_of(run.charts("flow")["ahead"]["table"])[-1]
    played = run.rows.filter((pl.col("winner") >= 0) & (pl.col("status") == "finished"))
    assert ahead["ahead"] == close(100 * (played["turns"].to_numpy() > 0).mean())


# How figures settled.


def looks(n: int) -> list[int]:
    """1,000 and each time 2^(1/4) as many, and all."""
    found: list[int] = []
    while (look := math.ceil(1000 * 2 ** (len(found) / 4) - 1e-9)) < n:
        found.append(look)
    return [*found, n]


def funnel(report: Made) -> list[Found]:
    """Its rows, of whose ends little more is known than that they are wide enough."""
    chart = report.charts("convergence")["funnel"]
    rows = cells_of(chart["table"])
    assert [row["games"] for row in rows] == looks(report.n)
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows)
    widths = [row["high"] - row["low"] for row in rows]
    assert min(widths) == widths[-1] > 0
    says = re.findall(rf"({NUMBER})(?: of 100| turns| hands)? after ({NUMBER})", chart["says"])
    assert [rounded(n)[0] for _, n in says] == [rows[0]["games"], rows[-1]["games"]]
    for (half, _), width in zip(says, (widths[0], widths[-1]), strict=True):
        assert is_rounded(half, width / 2)
    return rows


@pytest.mark.parametrize("name", ["long", "precise"])
def test_a_run_settles(name: str, made: Make) -> None:
    run = made(name)
    wins, done = scores(run.rows, seats_in(run))[:, 0], finished(run.rows)
    for row in funnel(run):
        so_far = done[: row["games"]].sum()
        assert row["value"] == close(100 * wins[: row["games"]].sum() / so_far)
        expected = sequence(wins[: row["games"]].sum(), int(so_far), run.level)
        assert [row["low"], row["high"]] == pytest.approx(expected, abs=1e-5)
    last = funnel(run)[-1]
    assert last["value"] == close(cells_of(run.charts("fairness")["seats"]["table"])[0]["value"])
    low, high = wilson(last["value"] / 100, int(done.sum()), run.level)
    assert last["low"] < low < high < last["high"]
    if run.result["precision"]:
        assert last["high"] - last["low"] <= 200 * run.result["precision"]
        assert [last["low"], last["high"]] == close(
            [100 * end for end in run.result["seats"][0]["interval"]]
        )


def test_capped_games_are_in_no_estimate_that_settles(made: Make) -> None:
    run = made("locked")
    wins, done = scores(run.rows, 5)[:, 0], finished(run.rows)
    for row in cells_of(run.charts("convergence")["funnel"]["table"]):
        so_far = int(done[: row["games"]].sum())
        assert row["value"] == close(100 * wins[: row["games"]].sum() / so_far)
        expected = sequence(wins[: row["games"]].sum(), so_far, run.level)
        assert [row["low"], row["high"]] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("name", ["few", "capped"])
def test_few_games_show_nothing_of_that(name: str, made: Make) -> None:
    assert not made(name).charts("convergence")
    assert "1,000" in made(name).says("convergence")


# Comparisons.


@dataclass
class Difference:
    """What rows say of a figure: of both arms, and of each observation."""

    a: float
    b: float
    d: Array
    middle: float
    largest: float


def of_strategies(report: Made, figure: Found) -> Difference:
    """Figures of two strategies on the seats of the same tables."""
    name, rows = figure["name"], report.rows
    share = figure["unit"] == "of 100"
    tables = report.result["tables"]
    parts = []
    for arm in "ab":
        if share:
            at = sum(arm in table["arms"] for table in tables)
        else:
            at = sum(table["arms"].count(arm) for table in tables)
        whole = rows[f"{arm}_{name}"].to_numpy() / at
        parts.append(whole / FIRST if name == "win" else whole)
    d = parts[0] - parts[1]
    return Difference(parts[0].mean(), parts[1].mean(), d, 0.0 if share else d.mean(), 1.0)


def of_tables(report: Made, figure: Found) -> Difference:
    """Figures of two tables: ratios of sums, B less A."""
    name, rows = figure["name"], report.rows
    seat = name.startswith("win_")
    ratios = []
    for arm in "ab":
        per = f"{arm}_finished"
        if name in ("opener_wins", "deals_with_bomb", "instant_wins"):
            per = f"{arm}_deals"
        elif name == "first_turn_wins":
            per = f"{arm}_hands"
        counts = rows[f"{arm}_{name}"].to_numpy() / (FIRST if seat else 1)
        ratios.append((counts, rows[per].to_numpy().astype(float)))
    (a, of_a), (b, of_b) = (linear(*one) for one in ratios)
    largest = max(1 / per.mean() for _, per in ratios)
    return Difference(a, b, of_b - of_a + (b - a), b - a, largest)


@pytest.fixture(scope="module", params=COMPARISONS)
def comparison(request: pytest.FixtureRequest, made: Make) -> Made:
    return made(request.param)


def is_tables(report: Made) -> bool:
    return bool(report.result["kind"] == "tables")


class TestComparisons:
    def table(self, report: Made) -> list[tuple[Found, Found]]:
        """Figures as the result has them, and as they are shown."""
        shown = cells_of(report.charts("effects")["differences"]["table"])
        figures = report.result["figures"]
        assert [row["label"] for row in shown] == [one["label"] for one in figures]
        return list(zip(figures, shown, strict=True))

    def test_figures_are_those_of_the_rows(self, comparison: Made) -> None:
        together = len(comparison.result["figures"]) if is_tables(comparison) else 1
        level = 1 - (1 - comparison.level) / together
        found = of_tables if is_tables(comparison) else of_strategies
        p_values = []
        for figure, row in self.table(comparison):
            again = found(comparison, figure)
            scale = 100 if figure["unit"] == "of 100" else 1
            (low, high), p = paired(again.d, level, again.middle, again.largest)
            if scale == 100:
                low, high = max(-1.0, low), min(1.0, high)
            assert row["a"] == close(scale * again.a)
            assert row["b"] == close(scale * again.b)
            assert row["difference"] == close(scale * again.d.mean())
            assert [row["low"], row["high"]] == close([scale * low, scale * high])
            p_values.append(p)
        if is_tables(comparison):
            p_values = multipletests(p_values, method="holm")[1].tolist()
        assert [row["p"] for _, row in self.table(comparison)] == pytest.approx(
            p_values, rel=1e-6, abs=1e-300
        )

    def test_units_of_what_matters(self, comparison: Made) -> None:
        chart = comparison.charts("effects")["differences"]
        assert chart["band"] == [-1, 1]
        for figure, row in self.table(comparison):
            assert row["unit"] == figure["unit"]
            scale = 100 if figure["unit"] == "of 100" else 1
            if figure["name"] in comparison.case.options.get("matters", {}):
                least = comparison.case.options["matters"][figure["name"]]
            elif scale == 100:
                least = 0.01
            elif is_tables(comparison):
                least = 0.01 * row["a"]
            else:
                least = figure["matters"]
            assert row["matters"] == close(scale * least)
            for one, other in (
                ("times", "difference"),
                ("times_low", "low"),
                ("times_high", "high"),
            ):
                assert row[one] == close(row[other] / row["matters"])
            assert row["verdict"] == word_of((row["low"], row["high"]), row["matters"])

    def test_the_answer_has_the_figures(self, comparison: Made) -> None:
        said = {one.partition(":")[0].lower(): one for one in comparison.data["answer"]}
        for figure, row in self.table(comparison):
            sentence = said[figure["label"]]
            assert ("B - A" if is_tables(comparison) else "A - B") in sentence
            shown = numbers(sentence.partition(" - ")[2].replace("of 100", ""))
            for text, name in zip(shown, ("difference", "low", "high"), strict=True):
                assert is_rounded(text, row[name]), sentence

    def test_seats_and_luck(self, comparison: Made) -> None:
        """As the result has them, of 100."""
        if is_tables(comparison):
            return
        rows = cells_of(comparison.charts("fairness")["seats"]["table"])
        for row, seat in zip(rows, comparison.result["seats"], strict=True):
            shown = [row["value"], row["low"], row["high"]]
            assert shown == close([100 * one for one in (seat["difference"], *seat["interval"])])
        luck = comparison.result["luck"]
        (table,) = comparison.tables("luck").values()
        shares = [row["share"] for row in cells_of(table)]
        assert shares == close([100 * luck[part] for part in ("deal", "arm", "rest")])
        assert sum(shares) == close(100)

    def test_deals_that_part_them(self, comparison: Made) -> None:
        rows = comparison.rows
        index = rows["index"].to_list()
        if is_tables(comparison):
            both = (rows["a_finished"] * rows["b_finished"]).to_numpy()
            d = (rows["b_turns"].to_numpy() - rows["a_turns"].to_numpy()) * both
        else:
            d = of_strategies(comparison, {"name": "win", "unit": "of 100"}).d
        leads = dict(zip(index, d.tolist(), strict=True))
        found = cells_of(next(iter(comparison.tables("deals").values())))
        way = -1 if is_tables(comparison) else 1  # B - A, or A - B
        for arm, sign in (("A", way), ("B", -way)):
            rows_of = [row for row in found if row["for"] == arm]
            for row in rows_of:
                assert row["lead"] == close(leads[int(row["index"])])
            most = sorted((sign * lead for lead in leads.values()), reverse=True)
            expected = [one for one in most[:5] if one > 1e-12]
            assert [sign * row["lead"] for row in rows_of] == close(expected)

    def test_lengths_of_two_tables(self, comparison: Made) -> None:
        if not is_tables(comparison):
            return
        for name, chart in comparison.charts("lengths").items():
            for arm in "AB":
                done = comparison.rows.filter(pl.col(f"{arm.lower()}_finished") == 1)
                values = done[f"{arm.lower()}_{name.removeprefix('length-')}"].to_numpy()
                rows = [row for row in cells_of(chart["table"]) if row["series"].startswith(arm)]
                assert rows[-1]["count"] == len(values)
                for row in rows:
                    assert row["share"] == close(100 * (values <= row["value"]).mean())


@pytest.mark.parametrize("name", ["long comparison", "long tables"])
def test_a_comparison_settles(name: str, made: Make) -> None:
    report = made(name)
    found = of_tables if is_tables(report) else of_strategies
    figure = report.result["figures"][0]
    scale = 100 if figure["unit"] == "of 100" else 1
    again = found(report, figure)
    rows = funnel(report)
    for row in rows:
        # Everything is finished here, so that ratios are means.
        assert row["value"] == close(scale * again.d[: row["games"]].mean())
        # Wide enough to be looked at, and not absurdly wide.
        (low, high), _ = paired(again.d[: row["games"]], report.level, again.middle, again.largest)
        width = (row["high"] - row["low"]) / (scale * (high - low))
        assert 1.3 < width < 3
    final = cells_of(report.charts("effects")["differences"]["table"])[0]
    assert rows[-1]["value"] == close(final["difference"])


@pytest.mark.parametrize("name", ["seats", "tables"])
def test_flow_of_a_comparison(name: str, made: Make) -> None:
    """Of two strategies at the first table, of two tables at each."""
    report = made(name)
    tables = report.result["tables"][: 2 if is_tables(report) else 1]
    found = cells_of(report.charts("flow")["leader"]["table"])
    for number, table in enumerate(tables):
        games = [
            simcards.replay(
                report.game,
                seed=int(report.result["seed"]),
                index=index,
                preset=table["preset"],
                rules=table["rules"],
                strategies=table["strategies"],
            ).events
            for index in report.rows["index"].to_list()
        ]
        label = report.result["ab"[number]]
        rows = [row for row in found if row.get("table", label) == label]
        assert_leaders(rows, flow_of(report.game, games))


# Sweeps.


@pytest.fixture(scope="module", params=SWEEPS)
def sweep(request: pytest.FixtureRequest, made: Make) -> Made:
    return made(request.param)


@dataclass
class Cell:
    """A run with the options of a cell, and what it has of each figure."""

    rows: pl.DataFrame
    players: int

    def ratio(self, figure: str) -> tuple[Array, Array]:
        done = finished(self.rows).astype(float)
        if figure.startswith("win_"):
            return scores(self.rows, self.players)[:, int(figure[4:])], done
        per = self.rows["hands"].to_numpy() * done if figure == "first_turn_wins" else done
        if figure == "deals_with_bomb":  # a game is a deal here
            return (self.rows["bombs"].to_numpy() > 0) * done, per
        return self.rows[figure].to_numpy() * done, per


@pytest.fixture(scope="module")
def cells(made: Make) -> Callable[[str], list[Cell]]:
    """From the name of a sweep to a run of each of its cells."""
    ready: dict[str, list[Cell]] = {}

    def play(name: str) -> list[Cell]:
        if name not in ready:
            report = made(name)
            ready[name] = [
                Cell(
                    simcards.run(
                        report.game,
                        report.n,
                        preset=cell["preset"],
                        rules=cell["rules"],
                        strategies=cell["strategies"],
                        seed=int(report.result["seed"]),
                        rows=True,
                    ).rows,
                    int(cell["rules"]["players"]),
                )
                for cell in report.result["cells"]
            ]
        return ready[name]

    return play


Play = Callable[[str], list[Cell]]


def contrast(parts: list[tuple[float, Cell]], figure: str) -> Difference:
    """A weighted sum of a figure of cells; `a` is what it is, `b` nothing."""
    total, largest = 0.0, 0.0
    d: Array = np.zeros(len(parts[0][1].rows))
    for weight, cell in parts:
        rate, of_cell = linear(*cell.ratio(figure))
        total += weight * rate
        d = d + weight * of_cell
        largest = max(largest, abs(weight) / cell.ratio(figure)[1].mean())
    return Difference(total, 0.0, d + total, total, largest)


def assert_contrasts(
    rows: list[Found], expected: list[Difference], level: float, p_values: list[float]
) -> None:
    """Rows of differences, and their p-values by Holm's method among all of them."""
    for row, again, p in zip(rows, expected, p_values, strict=True):
        scale = 100 if row["unit"] == "of 100" else 1
        (low, high), _ = paired(again.d, level, again.middle, again.largest)
        assert row["difference"] == close(scale * again.a), row["label"]
        # Main effects and interactions may be beyond what a single difference can be.
        assert [row["low"], row["high"]] == close([scale * low, scale * high]), row["label"]
        for one, other in (("times", "difference"), ("times_low", "low"), ("times_high", "high")):
            assert row[one] == close(row[other] / row["matters"])
        assert row["verdict"] == word_of((row["low"], row["high"]), row["matters"])
        assert row["p"] == pytest.approx(p, rel=1e-6, abs=1e-300), row["label"]


class TestSweeps:
    def figures(self, sweep: Made) -> list[str]:
        return list(dict.fromkeys(row["figure"] for row in sweep.result["table"]))

    def tables(self, sweep: Made) -> dict[str, Found]:
        """Charts of effects of cells, by figure."""
        charts = sweep.charts("effects")
        return {
            figure: charts[f"effect-{figure.replace('_', '-')}"] for figure in self.figures(sweep)
        }

    def test_cells_are_runs(self, sweep: Made, cells: Play) -> None:
        played = cells(sweep.name)
        for figure, chart in self.tables(sweep).items():
            rates = [linear(*cell.ratio(figure))[0] for cell in played]
            rows = cells_of(chart["table"])
            assert len(rows) == len(played) - 1
            for row, rate in zip(rows, rates[1:], strict=True):
                scale = 100 if row["unit"] == "of 100" else 1
                assert row["a"] == close(scale * rate)
                assert row["b"] == close(scale * rates[0])
                least = 0.01 * (1 if scale == 100 else rates[0])
                assert row["matters"] == close(scale * least)
        setup = cells_of(sweep.tables("setup")["Cells"])
        for row, cell in zip(setup, played, strict=True):
            assert row["finished"] == finished(cell.rows).sum()
            assert row["finished"] + row["capped"] == sweep.n

    def test_differences(self, sweep: Made, cells: Play) -> None:
        base, *others = cells(sweep.name)
        rows, expected = [], []
        for figure, chart in self.tables(sweep).items():
            rows += cells_of(chart["table"])
            expected += [contrast([(1, cell), (-1, base)], figure) for cell in others]
        level = 1 - (1 - sweep.level) / len(expected)
        p_values = [paired(one.d, level, one.middle, one.largest)[1] for one in expected]
        adjusted = multipletests(p_values, method="holm")[1]
        assert_contrasts(rows, expected, level, adjusted)
        assert (
            f"all {len(expected)} together"
            in next(iter(self.tables(sweep).values()))["table"]["note"]
            or len(expected) == 1
        )

    def test_effects(self, sweep: Made, cells: Play) -> None:
        """Averages over the cells of the other options."""
        factors = sweep.result["factors"]
        if not factors or len(factors) < 2:
            assert not any("factorial" in name for name in sweep.charts("effects"))
            return
        at = dict(zip(itertools.product(*factors.values()), cells(sweep.name), strict=True))
        (one, first), (two, second) = factors.items()
        expected = {}
        for figure in self.figures(sweep):
            for value in first[1:]:
                parts = [(sign / len(second), at[start, other]) for other in second
                         for sign, start in ((1, value), (-1, first[0]))]  # fmt: skip
                expected[figure, f"{one}={value}"] = contrast(parts, figure)
            for value in second[1:]:
                parts = [(sign / len(first), at[other, start]) for other in first
                         for sign, start in ((1, value), (-1, second[0]))]  # fmt: skip
                expected[figure, f"{two}={value}"] = contrast(parts, figure)
            for left, right in itertools.product(first[1:], second[1:]):
                parts = [(1, at[left, right]), (-1, at[left, second[0]]),
                         (-1, at[first[0], right]), (1, at[first[0], second[0]])]  # fmt: skip
                expected[figure, f"{one}={left} with {two}={right}"] = contrast(parts, figure)
        rows = []
        for figure in self.figures(sweep):
            chart = sweep.charts("effects")[f"factorial-{figure.replace('_', '-')}"]
            of_figure = cells_of(chart["table"])
            assert [row["label"] for row in of_figure] == [
                effect for one, effect in expected if one == figure
            ]
            matter = [row["label"] for row in of_figure if row["verdict"] == "matters"]
            both = sum(" with " in label for label in matter)
            assert [int(number) for number in numbers(chart["says"])] == [
                len(matter) - both,
                both,
                len(of_figure),
            ]
            rows += of_figure
        level = 1 - (1 - sweep.level) / len(expected)
        p_values = [paired(d.d, level, d.middle, d.largest)[1] for d in expected.values()]
        adjusted = multipletests(p_values, method="holm")[1]
        assert_contrasts(rows, list(expected.values()), level, adjusted)

    def test_what_is_said_of_cells(self, sweep: Made) -> None:
        for chart in self.tables(sweep).values():
            rows, says = cells_of(chart["table"]), chart["says"]
            matter = [row for row in rows if row["verdict"] == "matters"]
            unknown = sum(row["verdict"] == "can't tell yet" for row in rows)
            (open_,) = re.findall(r"[Oo]f (\d+) it can't be told yet", says) or ["0"]
            assert int(open_) == unknown
            if not matter:
                assert says.startswith("No cell is shown"), says
                continue
            if len(rows) > 1:
                assert numbers(says)[:2] == [str(len(matter)), str(len(rows))]
            most = max(rows, key=lambda row: abs(row["difference"]))
            assert most["label"] in says
            shown = numbers(says.replace(most["label"], "").replace("of 100", ""))[-4:]
            for name in ("difference", "low", "high"):
                assert any(is_rounded(text, most[name]) for text in shown), says

    def test_what_is_called_chance_can_be_chance(self, sweep: Made, cells: Play) -> None:
        """Where the same deals tell two cells apart, it isn't said that chance can do it.

        Not even if any two of the cells could have been the ones that are named.
        """
        level = 1 - (1 - sweep.level) / math.comb(len(sweep.result["cells"]), 2)
        played = {
            told["cell"]: cell
            for told, cell in zip(sweep.result["cells"], cells(sweep.name), strict=True)
        }
        charts = {
            figure: sweep.charts("curves")[f"curve-{figure.replace('_', '-')}"]
            for figure in self.figures(sweep)
        } | {
            name.removeprefix("length-").replace("-", "_"): chart
            for name, chart in sweep.charts("lengths").items()
        }
        for figure, chart in charts.items():
            if "can be chance" in chart["says"]:
                least, most = (
                    next(played[one] for one in sorted(played, key=len)[::-1] if f"({one})" in part)
                    for part in chart["says"].split(" to ", 1)
                )
                apart = contrast([(1, most), (-1, least)], figure)
                (low, high), _ = paired(apart.d, level, apart.middle, apart.largest)
                assert low <= 0 <= high, f"{chart['says']} Paired: {low:.3} to {high:.3}."

    def test_curves_are_the_cells(self, sweep: Made, cells: Play) -> None:
        played = cells(sweep.name)
        names = [cell["cell"] for cell in sweep.result["cells"]]
        for figure in self.figures(sweep):
            chart = sweep.charts("curves")[f"curve-{figure.replace('_', '-')}"]
            option = chart["x_label"]
            share = "of 100" in chart["y_label"]
            scale, seen = 100 if share else 1, set()
            for row in cells_of(chart["table"]):
                value = row["value"]
                value = f"{option}={value:g}" if isinstance(value, float) else f"{option}={value}"
                words = {value, *filter(None, row.get("series", "").split(" "))}
                (at,) = (
                    at
                    for at, name in enumerate(names)
                    if set(name.split(" ")) == words or name == value
                )
                counts, per = played[at].ratio(figure)
                rate = counts.sum() / per.sum()
                assert row["estimate"] == close(scale * rate)
                if share:
                    ends = wilson(rate, per.sum(), sweep.level)
                else:
                    ends = mean_interval(counts[per > 0], sweep.level)
                assert [row["low"], row["high"]] == close(ends)
                seen.add(at)
            assert len(seen) == len(played)

    def test_seats(self, sweep: Made, cells: Play) -> None:
        rows = cells_of(sweep.tables("fairness")["Share of the wins by seat"])
        every = sum(cell.players for cell in cells(sweep.name))
        level, uneven = 1 - (1 - sweep.level) / every, []
        for row, cell in zip(rows, cells(sweep.name), strict=True):
            n = int(finished(cell.rows).sum())
            shares = scores(cell.rows, cell.players).sum(axis=0) / n
            shown = [row[f"seat_{seat}"] for seat in range(cell.players)]
            assert shown == close((100 * shares).tolist())
            assert all(
                value is None
                for name, value in row.items()
                if re.fullmatch(r"seat_\d", name) and int(name[5:]) >= cell.players
            )
            ends = [wilson(share, n, level) for share in shares]
            even = 100 / cell.players
            if any(low > even or high < even for low, high in ends):
                uneven.append(row["cell"])
        says = sweep.says("fairness")
        if uneven:
            assert f"in {len(uneven)} of {len(rows)} cells" in says
            assert all(cell in says for cell in uneven)
        else:
            assert says.startswith("In no cell")

    def test_lengths(self, sweep: Made, cells: Play) -> None:
        played = cells(sweep.name)
        for caption, table in sweep.tables("lengths").items():
            column = caption.split()[0].lower()
            for row, cell in zip(cells_of(table), played, strict=True):
                done = cell.rows.filter(pl.col("status") == "finished")
                values = np.sort(done[column].to_numpy())
                quantiles = [
                    values[math.ceil(round(p * len(values), 9)) - 1] for p in (0.05, 0.5, 0.95)
                ]
                assert [row["p5"], row["median"], row["p95"]] == quantiles
                assert [row["min"], row["max"]] == [values[0], values[-1]]
                assert row["mean"] == close(values.mean())
                assert row["sd"] == close(values.std(ddof=1))
        for name, chart in sweep.charts("lengths").items():
            column = name.removeprefix("length-").replace("-", "_")
            found = cells_of(chart["table"])
            for cell, told in zip(played, sweep.result["cells"], strict=True):
                values = cell.rows.filter(pl.col("status") == "finished")[column].to_numpy()
                rows = [row for row in found if row["series"] == told["cell"]]
                if not rows:
                    continue  # there are more cells than a drawing can hold
                assert rows[-1]["count"] == len(values)
                for row in rows:
                    assert row["share"] == close(100 * (values <= row["value"]).mean())

    def test_flow(self, sweep: Made, cells: Play) -> None:
        """Of every cell; and the sentence is about every cell."""
        if "leader" not in sweep.charts("flow"):
            assert sweep.n < 50
            return
        leaders = cells_of(sweep.charts("flow")["leader"]["table"])
        figures = cells_of(sweep.tables("flow")["At the table"])
        halves, led = [], []
        for cell, told in zip(cells(sweep.name), sweep.result["cells"], strict=True):
            if sweep.n > 200:
                continue
            games = [
                simcards.replay(
                    sweep.game,
                    seed=int(sweep.result["seed"]),
                    index=index,
                    preset=told["preset"],
                    rules=told["rules"],
                    strategies=told["strategies"],
                ).events
                for index in cell.rows["index"].to_list()
            ]
            flow = flow_of(sweep.game, games)
            assert_leaders([row for row in leaders if row["table"] == told["cell"]], flow)
            (half,) = (
                row["value"]
                for row in figures
                if row["group"] == told["cell"] and row["label"].startswith("who leads after half")
            )
            assert half == close(100 * flow.wins[9] / flow.led[9])
            halves.append(half)
            led.append(flow.led[9])
        if halves:
            says = sweep.charts("flow")["leader"]["says"]
            shown = re.findall(r"(?:from|to|:) ([\d.]+) ", says.partition("of 100")[2])
            if says.startswith("Too few"):
                assert max(led) < 50
            elif " in all" in says:
                for half in halves:
                    assert is_rounded(shown[0], half), says
            else:
                assert is_rounded(shown[0], min(halves)), says
                assert is_rounded(shown[-1], max(halves)), says


@pytest.mark.parametrize("name", ["grid", "players", "odd sweep", "tables"])
def test_differences_at_the_table(name: str, made: Make) -> None:
    """They are those of the figures of cells, and are judged by their intervals."""
    if name not in CASES:
        return
    report = made(name)
    values = {
        (row["group"], row["label"]): row["value"]
        for row in cells_of(report.tables("flow")["At the table"])
    }
    base = next(group for group, _ in values)
    rows = cells_of(report.charts("flow")["course"]["table"])
    assert len(rows) == len(values) - sum(group == base for group, _ in values)
    for row in rows:
        label, _, group = row["label"].partition(": ")
        assert row["difference"] == close(values[group, label] - values[base, label])
        least = 1.0 if row["unit"] == "of 100" else max(0.01, 0.01 * values[base, label])
        assert row["matters"] == close(least)
        for one, other in (("times", "difference"), ("times_low", "low"), ("times_high", "high")):
            assert row[one] == close(row[other] / row["matters"])
        assert row["verdict"] == word_of((row["low"], row["high"]), row["matters"])
    matter = sum(row["verdict"] == "matters" for row in rows)
    says = report.charts("flow")["course"]["says"]
    assert says.startswith(f"{matter} of {len(rows)}") or (not matter and says.startswith("No"))


def test_from_when_on_leaders_win(made: Make) -> None:
    """What is said of 80 of 100 is so, whatever rows had too few games to be shown."""
    report = made("odd sweep")
    for told in report.result["cells"]:
        games = [
            simcards.replay(
                report.game,
                seed=int(report.result["seed"]),
                index=index,
                preset=told["preset"],
                rules=told["rules"],
                strategies=told["strategies"],
            ).events
            for index in range(report.n)
        ]
        flow = flow_of(report.game, games)
        shares = [wins / led for wins, led in zip(flow.wins, flow.led, strict=True)]
        first = next(at for at in range(20) if min(shares[at:]) >= 0.8)
        (said,) = (
            re.search(r"From (\d+) %", line)
            for line in report.says("flow").splitlines()
            if line.startswith(told["cell"]) or line.startswith("Everywhere")
        )
        # Where few games have a leader nothing is known, so it may be said of a later time.
        assert said is None or int(said[1]) >= 5 * (first + 1), told["cell"]


def test_a_sweep_settles(made: Make, cells: Play) -> None:
    report = made("long sweep")
    base, other = cells("long sweep")
    again = contrast([(1, other), (-1, base)], "turns")
    rows = funnel(report)
    for row in rows:
        assert row["value"] == close(again.d[: row["games"]].mean())
        (low, high), _ = paired(again.d[: row["games"]], report.level, again.middle, again.largest)
        assert 1.3 < (row["high"] - row["low"]) / (high - low) < 3
    final = cells_of(report.charts("effects")["effect-turns"]["table"])[0]
    assert rows[-1]["value"] == close(final["difference"])


# Tournaments.


@pytest.fixture(scope="module")
def firsts(made: Make) -> Callable[[str], tuple[Array, Array]]:
    """From the name of a tournament to what happened at its tables.

    By table and strategy: how many seats. By table, strategy and game: first places.
    """
    ready: dict[str, tuple[Array, Array]] = {}

    def play(name: str) -> tuple[Array, Array]:
        if name not in ready:
            report = made(name)
            manifest = report.manifest
            seats, wins = [], []
            for table in manifest["tables"]:
                rows = simcards.run(
                    report.game,
                    report.n,
                    preset=manifest["rules"][table["rules"]]["preset"],
                    rules=manifest["rules"][table["rules"]]["rules"],
                    strategies=[
                        manifest["strategies"][one]["strategy"] for one in table["strategies"]
                    ],
                    seed=int(manifest["seed"]),
                    rows=True,
                ).rows
                at = np.equal.outer(np.arange(len(manifest["arms"])), np.array(table["arms"]))
                seats.append(at.sum(axis=1))
                wins.append(at.astype(int) @ scores(rows, len(table["arms"])).T)
            ready[name] = np.array(seats), np.array(wins)
        return ready[name]

    return play


Contest = Callable[[str], tuple[Array, Array]]


@pytest.mark.parametrize("name", TOURNAMENTS)
def test_meetings(name: str, made: Make, firsts: Contest) -> None:
    report = made(name)
    seats, wins = firsts(name)
    arms = report.manifest["arms"]
    chart = report.charts("meetings")["meetings"]
    found = {(row["row"], row["column"]): row for row in cells_of(chart["table"])}
    pairs = list(itertools.combinations(range(len(arms)), 2))
    assert len(found) == 2 * len(pairs)
    level = 1 - (1 - report.level) / len(pairs)
    p_values = []
    for pair in pairs:
        here = (seats[:, pair] > 0).all(axis=1)
        of_a, of_b = wins[here][:, pair].sum(axis=0)
        share = of_a.sum() / (of_a + of_b).sum()
        assert (of_a + of_b).std() == 0  # nothing is capped, and nobody else sits there
        d = (of_a - of_b) / (of_a + of_b).mean()
        (low, high), p = paired(d, level, d.mean(), 1.0)
        row, mirror = (found[arms[one], arms[other]] for one, other in (pair, pair[::-1]))
        assert row["share"] == close(100 * share)
        assert [row["low"], row["high"]] == close([50 + 50 * low, 50 + 50 * high])
        p_values.append(p)
        # The other way round everything is the rest.
        assert row["share"] + mirror["share"] == close(100)
        assert row["low"] + mirror["high"] == close(100)
        assert row["high"] + mirror["low"] == close(100)
        assert row["expected"] + mirror["expected"] == close(100)
        assert row["p"] == mirror["p"]
        assert row["beyond"] == mirror["beyond"]
    adjusted = multipletests(p_values, method="holm")[1]
    for pair, p in zip(pairs, adjusted, strict=True):
        row = found[arms[pair[0]], arms[pair[1]]]
        assert row["p"] == pytest.approx(p, rel=1e-6, abs=1e-300)
        assert row["beyond"] == ("yes" if p < 1 - report.level else "no")
    beyond = sum(p < 1 - report.level for p in adjusted)
    assert f"{beyond} of {len(pairs)} meetings are beyond chance" in chart["says"]


@pytest.mark.parametrize("name", TOURNAMENTS)
def test_ratings(name: str, made: Make, firsts: Contest) -> None:
    report = made(name)
    seats, wins = firsts(name)
    arms = report.manifest["arms"]
    rows = cells_of(report.charts("strategies")["ratings"]["table"])
    assert [row["strategy"] for row in rows] == report.result["ranking"]
    ratings = [row["rating"] for row in rows]
    assert ratings == sorted(ratings, reverse=True)
    assert sum(ratings) == pytest.approx(0, abs=1e-6)
    for row in rows:
        arm = arms.index(row["strategy"])
        taken = wins[:, arm].sum() / (seats[:, arm].sum() * report.n)
        assert row["win"] == close(100 * taken)
        assert row["low"] < row["rating"] < row["high"]


def test_a_tournament_settles(made: Make, firsts: Contest) -> None:
    report = made("long cup")
    seats, wins = firsts("long cup")
    best = report.manifest["arms"].index(report.result["ranking"][0])
    each = 100 * wins[:, best].sum(axis=0) / seats[:, best].sum()
    for row in funnel(report):
        assert row["value"] == close(each[: row["games"]].mean())
        low, high = mean_interval(each[: row["games"]], report.level)
        assert 1.3 < (row["high"] - row["low"]) / (high - low) < 3


# What is in all of them.


def seeds_as_text(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: str(one) if name == "seed" else seeds_as_text(one) for name, one in value.items()
        }
    if isinstance(value, list):
        return [seeds_as_text(one) for one in value]
    return value


def all_values(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for one in value.values():
            yield from all_values(one)
    elif isinstance(value, list):
        for one in value:
            yield from all_values(one)
    else:
        yield value


@pytest.fixture(scope="module", params=CASES)
def report(request: pytest.FixtureRequest, made: Make) -> Made:
    return made(request.param)


class TestData:
    def test_the_result_is_that_of_summary(self, report: Made) -> None:
        shown = json.loads(command("summary", report.folder, "--json"))
        assert seeds_as_text(shown) == report.result
        assert shown != report.result

    def test_numbers_are_numbers(self, report: Made) -> None:
        def refuse(word: str) -> None:
            raise AssertionError(word)

        json.loads(report.text, parse_constant=refuse)
        shown = re.sub(r"(?s)<(style|script)>.*?</\1>", "", report.page)
        assert not re.search(r"\b(NaN|nan|Infinity|inf|null)\b", shown)

    def test_nothing_is_less_than_nothing_by_nothing(self, report: Made) -> None:
        """Zero has no sign."""
        values = [one for one in all_values(report.data["sections"]) if isinstance(one, float)]
        assert not [one for one in values if one == 0 and math.copysign(1, one) < 0]

    def test_form(self, report: Made) -> None:
        kinds = {"run": "run", "compare": "comparison", "sweep": "sweep",
                 "tournament": "tournament"}  # fmt: skip
        assert report.data["format"] == "simcards report"
        assert report.data["version"] == 1
        assert report.data["kind"] == kinds[report.case.does]
        assert report.data["command"] == report.result["command"]
        for table in tables_of(report.data):
            for row in table["rows"]:
                assert len(row) == len(table["columns"])
                for value, column in zip(row, table["columns"], strict=True):
                    assert column["form"] in ("text", "count", "number", "short", "p")
                    assert isinstance(value, str) == (column["form"] == "text") or value is None
                    if column["form"] == "count" and value is not None:
                        assert value == int(value)
        for section in report.data["sections"]:
            for block in section["blocks"]:
                if block["block"] == "chart":
                    names = {column["name"] for column in block["table"]["columns"]}
                    for axis in ("x", "y", "low", "high", "by"):
                        assert block[axis] in names | {""}

    def test_the_level_is_said(self, report: Made) -> None:
        """Wherever an interval is spoken of it is the level that was asked for."""
        of = r"from|intervals?|for all|for each|for the|Wilson|confidence|probability"
        texts = [one for one in all_values(report.data["sections"]) if isinstance(one, str)]
        said = [
            found
            for text in [*texts, *report.data["answer"]]
            for found in re.findall(rf"({NUMBER}) % (?:{of})\b", text)
        ]
        assert {float(one) for one in said} <= {100 * report.level}

    def test_brackets_are_spoken_of_where_there_are_some(self, report: Made) -> None:
        answer = report.data["answer"]
        if any("In brackets" in one for one in answer):
            assert any(re.search(r"\([^)]* to [^)]*\)", one) for one in answer)

    def test_brackets_hold_what_stands_before_them(self, report: Made) -> None:
        """The interval after a number is that of this number."""
        for sentence in report.data["answer"]:
            for found in re.finditer(rf"\(({NUMBER}) to ({NUMBER})[;)]", sentence):
                before = numbers(sentence[: found.start()].replace("of 100", ""))
                (value, most), (low, _), (high, _) = map(rounded, (before[-1], *found.groups()))
                assert low - most <= value <= high + most, sentence

    def test_no_word_stands_there_twice(self, report: Made) -> None:
        for text in all_values([report.data["answer"], report.data["sections"]]):
            if isinstance(text, str):
                assert not re.search(r"\b([a-z]+) \1\b", text), text

    def test_no_table_is_empty(self, report: Made) -> None:
        for table in tables_of(report.data):
            assert table["rows"], table["caption"]

    def test_captions_say_things_once(self, report: Made) -> None:
        for table in tables_of(report.data):
            parts = table["caption"].split(": ")
            assert len(set(parts)) == len(parts), table["caption"]


# Pages.

VOID = {"meta", "br", "hr", "img", "input", "link", "wbr", "col"}
Table = dict[str, Any]


class Page(HTMLParser):
    """Reads a page: complains of tags that don't match, and keeps what a reader sees."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.ids: list[str] = []
        self.values: list[tuple[str, str, str]] = []
        self.seen: list[tuple[str, str]] = []
        self.tables: list[Table] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.keep(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)
        if self.hidden():
            return
        if tag == "table":
            self.tables.append({"caption": "", "head": [], "rows": [], "values": []})
        elif tag == "tr" and "tbody" in self.open:
            self.tables[-1]["rows"].append([])
            self.tables[-1]["values"].append([])
        elif tag == "th":
            self.tables[-1]["head"].append("")
        elif tag == "td":
            self.tables[-1]["rows"][-1].append("")
            self.tables[-1]["values"][-1].append(dict(attrs).get("data-value"))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.keep(tag, attrs)

    def keep(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        for name, value in attrs:
            self.values.append((tag, name, value or ""))
            if name == "id":
                self.ids.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag

    def hidden(self) -> bool:
        return bool({"svg", "style", "script"} & set(self.open))

    def handle_data(self, data: str) -> None:
        if self.hidden() or not data.strip():
            return
        if "td" in self.open:
            self.tables[-1]["rows"][-1][-1] += data
        elif "th" in self.open:
            self.tables[-1]["head"][-1] += data
        elif "caption" in self.open:
            self.tables[-1]["caption"] += data
        self.seen.append((self.open[-1] if self.open else "", data))


def svgs(page: str) -> list[str]:
    return re.findall(r"(?s)<svg.*?</svg>", page)


def assert_shows(shown: str, value: Any, column: Found, places: int | None) -> None:
    """A cell of a table on a page is that of the data, rounded as the data say."""
    if value is None:
        assert shown == column["missing"]
    elif column["form"] == "text":
        assert shown == value
    elif column["form"] == "count":
        assert shown == f"{value:,}"
    elif column["form"] == "short":  # three digits
        assert abs(rounded(shown)[0] - value) <= 0.00501 * abs(value)
    elif column["form"] == "p":
        assert (shown == "below 0.0001") == (value < 0.0001)
        assert shown == "below 0.0001" or is_rounded(shown, value)
    else:
        places = column["places"] if column["places"] is not None else places
        assert is_rounded(shown, value)
        assert len(shown.partition(".")[2]) == places


def assert_head(shown: str, column: Found) -> None:
    words = re.sub(r"[\s,]+", " ", shown).strip()
    assert words == re.sub(r"[\s,]+", " ", f"{column['label']} {column['unit']}").strip()


class TestPages:
    def test_it_is_well_formed(self, report: Made) -> None:
        page = Page(report.page)
        assert page.tags["html"] == page.tags["body"] == page.tags["title"] == 1
        assert len(set(page.ids)) == len(page.ids)
        charts = sum(
            block["block"] == "chart"
            for section in report.data["sections"]
            for block in section["blocks"]
        )
        assert len(svgs(report.page)) == page.tags["svg"] == charts
        assert page.tags["table"] == len(tables_of(report.data)) == len(page.tables)
        for svg in svgs(report.page):
            ElementTree.fromstring(svg)
        # What is pointed to is there, and sections have the names that the data have.
        pointed = [value for _, name, value in page.values if name.endswith("href")]
        assert {one[1:] for one in pointed} <= set(page.ids)
        assert {section["name"] for section in report.data["sections"]} <= set(page.ids)
        used = set(re.findall(r"url\(#([^)]*)\)", report.page))
        assert used <= set(page.ids)

    def test_nothing_is_outside(self, report: Made) -> None:
        page = Page(report.page)
        for tag, name, value in page.values:
            if name.startswith("xmlns"):
                continue
            assert name not in ("src", "srcset", "action", "data", "poster"), (tag, name)
            if name.endswith("href"):
                assert value.startswith("#"), (tag, value)
            assert "//" not in value, (tag, name, value)
        bare = re.sub(r' xmlns(:\w+)?="[^"]*"', "", report.page)
        assert not re.search(r"https?:|ftp:|@import|<link|<base|<iframe|<object|<embed", bare)
        assert all(one == "#" for one in re.findall(r"url\([\"']?(.)", bare))

    def test_tables_are_those_of_the_data(self, report: Made) -> None:
        shown = Page(report.page).tables
        for table, found in zip(tables_of(report.data), shown, strict=True):
            assert found["caption"] == table["caption"]
            columns = table["columns"]
            for head, column in zip(found["head"], columns, strict=True):
                assert_head(head, column)
            assert len(found["rows"]) == len(table["rows"])
            for at, row in enumerate(table["rows"]):
                places = table["places"][at] if table["places"] else None
                cells, values = found["rows"][at], found["values"][at]
                for text, exact, value, column in zip(cells, values, row, columns, strict=True):
                    assert_shows(text.strip(), value, column, places)
                    if column["form"] != "text" and value is not None:
                        assert float(exact) == value

    def test_every_number_is_in_the_data(self, report: Made) -> None:
        """In a text of it, or as a number of it that was rounded."""
        values = list(all_values(report.data))
        texts = {one for text in values if isinstance(text, str) for one in numbers(text)}
        rows = [len(table["rows"]) for table in tables_of(report.data)]  # of what can be unfolded
        exact = [float(one) for one in values if isinstance(one, int | float)] + rows
        known = np.array(sorted(set(exact)))
        missing = []
        for tag, text in Page(report.page).seen:
            for number in numbers(text):
                value, most = rounded(number)
                if text.strip() == "below 0.0001":  # what a p-value is that isn't written out
                    continue
                if number not in texts and not (np.abs(known - value) <= most).any():
                    missing.append((tag, text, number))
        assert not missing

    def test_every_sentence_is_in_the_data(self, report: Made) -> None:
        page = Page(report.page)
        whole = " ".join(text for _, text in page.seen)
        plain = re.sub(r"\s+", " ", whole)
        for text in [
            *report.data["answer"],
            report.data["title"],
            report.data["subtitle"],
            *(section["title"] for section in report.data["sections"]),
            *(
                block[name]
                for section in report.data["sections"]
                for block in section["blocks"]
                for name in ("text", "says", "command", "title")
                if name in block
            ),
        ]:
            assert re.sub(r"\s+", " ", text).strip() in plain
        known = {one for one in all_values(report.data) if isinstance(one, str)}
        for tag, text in page.seen:
            if tag in ("p", "h1", "h2", "code", "caption"):
                assert text.strip() in known or "report.json" in text, text

    def test_what_matters_is_more_than_nothing(self, report: Made) -> None:
        """A least difference that matters isn't shown as 0."""
        for table, shown in zip(tables_of(report.data), Page(report.page).tables, strict=True):
            names = [column["name"] for column in table["columns"]]
            if "matters" in names:
                for row in shown["rows"]:
                    assert rounded(row[names.index("matters")])[0] > 0, row

    def test_heat_maps_have_the_numbers_of_their_tables(self, report: Made) -> None:
        for section in report.data["sections"]:
            for block in section["blocks"]:
                if block.get("kind") != "heat":
                    continue
                (figure,) = re.findall(
                    rf'(?s)<figure id="figure-{block["name"]}">.*?</svg>', report.page
                )
                root = ElementTree.fromstring(svgs(figure)[0])
                texts = ["".join(one.itertext()).strip() for one in root.iter() if
                         one.tag.endswith("}text")]  # fmt: skip
                values = [row[block["by"]] for row in cells_of(block["table"])]
                drawn = [one.rstrip("*") for one in texts if re.fullmatch(r"[\d.]+\*?", one)]
                if len(values) > 40:
                    continue  # too many for numbers
                for value in values:
                    assert any(is_rounded(one, value) for one in drawn), value


@pytest.mark.parametrize("name", ["deals", "odd comparison"])
def test_the_same_bytes_again(
    name: str, made: Make, simcards_process: Callable[..., Any], tmp_path: Path
) -> None:
    """Whatever the place, the language, the time zone, and how drawings were set up."""
    if name not in CASES:
        return
    report = made(name)
    files = [report.folder / "report.html", report.folder / "report.json"]
    before = [file.read_bytes() for file in files]
    with matplotlib.rc_context({"font.size": 31, "svg.fonttype": "path", "axes.grid": True}):
        simcards.report(report.folder)
    assert [file.read_bytes() for file in files] == before
    for file in files:
        file.unlink()
    drawn = tmp_path / "matplotlibrc"
    drawn.write_text("lines.linewidth: 9\naxes.facecolor: black\n", encoding="utf-8")
    done = simcards_process(
        "report",
        report.folder,
        "--quiet",
        cwd=tmp_path,
        env={
            "LC_ALL": "C",
            "LANG": "C",
            "TZ": "Asia/Tokyo",
            "HOME": os.path.join(os.devnull, "nobody"),
            "XDG_CONFIG_HOME": "",
            "XDG_CACHE_HOME": "",
            "MPLCONFIGDIR": "",
            "DISPLAY": "",
            "PYTHONHASHSEED": "1",
        },
    )
    assert done.returncode == 0, done.stderr
    assert [file.read_bytes() for file in files] == before


def test_a_file_ends_as_its_form(made: Make, tmp_path: Path) -> None:
    """FILE.html or FILE.md, as on the command line."""
    for name in ("x.md", "y.html"):
        assert simcards.report(made("deals").folder, tmp_path / name) == tmp_path / name
    assert (tmp_path / "x.md").read_text(encoding="utf-8").startswith("# ")


# Names.


@pytest.mark.skipif(os.name == "nt", reason="there are no files of such names")
@pytest.mark.parametrize("name", ["odd", "odd comparison", "odd sweep"])
def test_odd_names_are_text(name: str, made: Make) -> None:
    """A file's name comes out as it is; no tag, no entity and no formula comes of it."""
    report = made(name)
    page = Page(report.page)
    assert page.tags["i"] == page.tags["b"] == 0
    assert any(ODD in text for _, text in page.seen)
    assert ODD not in report.page
    drawn = [
        "".join("".join(text.itertext()).strip() for text in ElementTree.fromstring(svg).iter()
                if text.tag.endswith("}text"))
        for svg in svgs(report.page)
    ]  # fmt: skip
    if name != "odd comparison":
        assert any("$x_1$|`*_d.py" in text.replace("\n", "") for text in drawn)
    if name == "odd comparison":
        assert any("<b>&\"'$y^2$|`" in text for _, text in page.seen)


# Markdown.


@dataclass
class Written:
    """What a reader of Markdown sees."""

    blocks: list[tuple[str, str]]
    tables: list[list[list[str]]]


def inline_text(token: Token) -> str:
    """What it reads as; HTML in it would be a tag of a page."""
    found = []
    for one in token.children or []:
        assert one.type not in ("html_inline", "image", "link_open"), token.content
        found.append("\n" if one.type in ("softbreak", "hardbreak") else one.content)
    return "".join(found)


def read_markdown(text: str) -> Written:
    blocks, tables, cell = list[tuple[str, str]](), list[list[list[str]]](), False
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        assert token.type != "html_block", token.content
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            tables[-1].append([])
        elif token.type in ("th_open", "td_open"):
            cell = True
        elif token.type in ("th_close", "td_close"):
            cell = False
        elif token.type == "inline":
            if cell:
                tables[-1][-1].append(inline_text(token))
            else:
                blocks.append(("text", inline_text(token)))
        elif token.type in ("fence", "code_block"):
            blocks.append(("code", token.content.strip()))
    return Written(blocks, tables)


@pytest.fixture(scope="module", params=READ)
def markdown(request: pytest.FixtureRequest, read: Make) -> Made:
    return read(request.param)


class TestMarkdown:
    def text(self, markdown: Made) -> str:
        return markdown.markdown.read_text(encoding="utf-8")

    def outside_code(self, markdown: Made) -> list[str]:
        lines, code = [], False
        for line in self.text(markdown).splitlines():
            if line.startswith("```"):
                code = not code
            elif not code:
                lines.append(line)
        assert not code
        return lines

    def test_data_are_the_same(self, markdown: Made) -> None:
        beside = markdown.markdown.with_suffix(".json")
        assert json.loads(beside.read_text(encoding="utf-8")) == markdown.data

    def test_rows_have_as_many_cells(self, markdown: Made) -> None:
        before: int | None = None
        tables = 0
        for line in self.outside_code(markdown):
            if not line.startswith("|"):
                before = None
                continue
            count = len(re.findall(r"(?<!\\)(?:\\\\)*\|", line))
            tables += before is None
            assert before in (None, count), line
            before = count
        assert tables == len(tables_of(markdown.data))

    def test_tables_are_those_of_the_data(self, markdown: Made) -> None:
        """Those of more than 30 rows have some of them."""
        found = read_markdown(self.text(markdown)).tables
        for table, (head, *rows) in zip(tables_of(markdown.data), found, strict=True):
            for text, column in zip(head, table["columns"], strict=True):
                assert_head(text, column)
            data = list(enumerate(table["rows"]))
            if len(data) <= 30:
                assert len(rows) == len(data)
            at = 0
            for row in rows:
                while True:  # the next one that is this one
                    number, values = data[at]
                    at += 1
                    places = table["places"][number] if table["places"] else None
                    try:
                        for text, value, column in zip(row, values, table["columns"], strict=True):
                            assert_shows(text, value, column, places)
                        break
                    except AssertionError:
                        if len(data) <= 30 or at == len(data):
                            raise

    def test_shortened_tables_say_what_is_so(self, markdown: Made) -> None:
        """Numbers and shares at or below a value go together, also where rows were left out."""
        found = read_markdown(self.text(markdown)).tables
        for head, *rows in found:
            (at, *_) = [*(n for n, one in enumerate(head) if "at or below" in one), None]
            if at is None:
                continue
            share = next(n for n, one in enumerate(head) if one.startswith("share"))
            groups: dict[str, list[list[str]]] = {}
            for row in rows:
                groups.setdefault(row[0] if head[0] == "series" else "", []).append(row)
            for group in groups.values():
                each = rounded(group[-1][share])[0] / rounded(group[-1][at])[0]
                for row in group:
                    expected = each * rounded(row[at])[0]
                    assert rounded(row[share])[0] == pytest.approx(expected, abs=0.02), head

    def test_text_reads_as_the_data(self, markdown: Made) -> None:
        """Nothing in a name becomes a tag, an entity, or something in italics."""
        data, written = markdown.data, read_markdown(self.text(markdown))
        texts = [text for kind, text in written.blocks if kind == "text"]
        whole = "\n".join(texts)
        blocks = [block for section in data["sections"] for block in section["blocks"]]
        for one in [
            data["title"],
            data["subtitle"],
            *data["answer"],
            *(block["text"] for block in blocks if "text" in block),
            *(block["says"] for block in blocks if block["block"] == "chart"),
            *(table["caption"] for table in tables_of(data)),
        ]:
            assert one in whole, one
        codes = [text for kind, text in written.blocks if kind == "code"]
        assert codes == [block["command"] for block in blocks if block["block"] == "command"]

    def test_no_formulas(self, markdown: Made) -> None:
        """Readers such as GitHub's take what stands between dollars for one."""
        for line in self.outside_code(markdown):
            assert not re.search(r"(?<!\\)\$", line), line
