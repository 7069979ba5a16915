"""Comparisons and tournaments, computed once more from the rows of ordinary runs.

Nothing of what is tested is used: each table of a comparison is a run of its own here, with one
strategy a seat, and what the rows say is worked out with NumPy and SciPy. A first place is 60, so
that shared ones are whole numbers and ties are exact.
"""

from __future__ import annotations

import itertools
import json
import math
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy import optimize, stats

import simcards

ROOT = Path(__file__).resolve().parents[2]
FIRST = 60

Array = NDArray[Any]
Found = dict[str, Any]

BOTS = {
    # A coin decides whether a discard is taken.
    "coin.py": """
from simcards.kernels.aces_view import TAKE, WILD, face_down, lowest_bit

def play(view):
    if view.decision == TAKE:
        return view.word & 1
    if view.decision == WILD:
        return lowest_bit(face_down(view, view.seat))
    return 1
""",
    # Leads the first play it finds, and passes half the time.
    "lazy.py": """
from simcards.kernels.thirteen_view import can_pass, next_play, pick

def play(view, passes=1):
    if can_pass(view) and pick(view, 2) < passes:
        return 0
    return next_play(view, 0)
""",
    # Places from the discard pile when it is behind, flips when the word is even.
    "moody.py": """
from simcards.kernels.horner_view import DISCARD, FLIP, lowest_bit

def play(view):
    if view.decision == DISCARD:
        return view.points[view.seat] <= view.points[(view.seat + 1) % view.players]
    if view.decision == FLIP:
        return (view.word & 1) == 0
    return lowest_bit(view.empty)
""",
}


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with strategies in files: those above, and those that new-strategy writes."""
    folder = tmp_path_factory.mktemp("bots")
    for name, text in BOTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    for game in ("aces", "horner", "thirteen"):
        shutil.copy(ROOT / "kernels" / "templates" / f"{game}.py", folder / f"new_{game}.py")
    return folder


def there(strategy: Any, bots: Path) -> Any:
    """The strategy, with the folder where its file is."""
    if isinstance(strategy, str) and ".py" in strategy:
        return str(bots / strategy)
    return strategy


# What is computed again.


def interval(
    d: Array, level: float = 0.95, middle: float = 0.0, largest: float = 1.0
) -> tuple[float, float, float]:
    """Ends and standard error of the mean of independent values, with two more around `middle`."""
    values = np.concatenate([d, [middle + largest, middle - largest]])
    n = len(values)
    error = values.std(ddof=1) / math.sqrt(n)
    tail = (1 - level) / 2
    quantile = stats.norm.isf(tail) if n > 200 else stats.t.isf(tail, n - 1)
    return values.mean() - quantile * error, values.mean() + quantile * error, error


def p_value(d: Array, middle: float = 0.0, largest: float = 1.0) -> float:
    """Two-sided, from the same values."""
    n, (_, _, error) = len(d) + 2, interval(d, middle=middle, largest=largest)
    statistic = abs((d.sum() + 2 * middle) / n) / error
    tail = stats.norm.sf(statistic) if n > 200 else stats.t.sf(statistic, n - 1)
    return float(2 * tail)


def finished(rows: pl.DataFrame) -> Array:
    return (rows["status"] == "finished").to_numpy()


def values_of(figure: str, rows: pl.DataFrame, players: int) -> Array:
    """What the seats have of a figure, by game and seat; nothing in capped games."""
    if figure == "win":
        won = rows["winners"].to_numpy().astype(np.int64)[:, None] >> np.arange(players) & 1
        values = won * FIRST // np.maximum(won.sum(axis=1), 1)[:, None]
    else:
        column = "place" if figure == "last" else figure
        values = np.column_stack([rows[f"{column}_{seat}"].to_numpy() for seat in range(players)])
        values = values.astype(np.int64)
        if figure == "last":
            values = (values == players) * FIRST
    return values * finished(rows)[:, None]


def is_share(figure: str) -> bool:
    return figure in ("win", "last")


def middle(figure: str, d: Array) -> float:
    """Around what the two more lie: shares have bounds, of others they leave the mean alone."""
    return 0.0 if is_share(figure) else float(d.mean())


@dataclass
class Again:
    """Two strategies at tables, by table, game and seat.

    `arms` is 1 where A sits, -1 where B does, else 0.
    """

    arms: Array
    rows: list[pl.DataFrame]
    first: int

    @property
    def players(self) -> int:
        return self.arms.shape[1]

    def values(self, figure: str) -> Array:
        return np.array([values_of(figure, rows, self.players) for rows in self.rows])

    def sums(self, figure: str, arm: int) -> Array:
        """By table and game: what the seats of an arm have together, in whole units."""
        return (self.values(figure) * (self.arms == arm)[:, None, :]).sum(axis=2)

    def parts(self, figure: str, arm: int) -> int:
        """By what the sums of all tables are divided: a share by tables, a mean by seats."""
        at = self.arms == arm
        return int(at.any(axis=1).sum()) * FIRST if is_share(figure) else int(at.sum())

    def means(self, figure: str, arm: int) -> Array:
        return self.sums(figure, arm).sum(axis=0) / self.parts(figure, arm)

    def spread(self, figure: str) -> float:
        """Standard deviation of what one seat of an arm has in one game."""
        at = np.broadcast_to((self.arms != 0)[:, None, :], self.values(figure).shape)
        return float(self.values(figure)[at].std())

    def d(self, figure: str = "win") -> Array:
        assert self.parts(figure, 1) == self.parts(figure, -1)
        whole = self.sums(figure, 1).sum(axis=0) - self.sums(figure, -1).sum(axis=0)
        return whole / self.parts(figure, 1)

    def variance_saved(self) -> float | None:
        of_tables = (self.sums("win", 1) - self.sums("win", -1)) / self.parts("win", 1)
        of_d = self.d().var()
        return None if of_d == 0 else of_tables.var(axis=1).sum() / of_d

    def capped(self, arm: int) -> int:
        """Games at tables where the arm sits."""
        return sum(
            int((~finished(rows)).sum())
            for rows, arms in zip(self.rows, self.arms, strict=True)
            if arm in arms
        )

    def seat(self, seat: int) -> Array:
        """A on a seat less B on it, by observation."""
        wins, arms = self.values("win")[:, :, seat] / FIRST, self.arms[:, seat]
        return wins[arms == 1].mean(axis=0) - wins[arms == -1].mean(axis=0)

    def neighbours(self, arm: int) -> Array | None:
        """A seat of the arm right after the other arm's less one right after its own arm's.

        Only seats are compared with as many of either arm at the table and the same arm after
        them: who sits before a seat, and how many, would otherwise go together.
        """
        wins = self.values("win") / FIRST
        seats: dict[Any, dict[int, list[Array]]] = {}
        for table, arms in enumerate(self.arms.tolist()):
            for seat in range(self.players):
                before, after = arms[seat - 1], arms[(seat + 1) % self.players]
                if arms[seat] == arm and before != 0:
                    group = seats.setdefault((arms.count(1), arms.count(-1), after), {})
                    group.setdefault(before, []).append(wins[table, :, seat])
        effects = [
            np.mean(group[-arm], axis=0) - np.mean(group[arm], axis=0)
            for group in seats.values()
            if len(group) == 2
        ]
        return np.mean(effects, axis=0) if effects else None

    def luck(self, figure: str) -> Array:
        """Shares of the variance of a seat: deal and seat, arm, what else happens."""
        values = self.values(figure).astype(float)
        cells = []
        for seat in range(self.players):
            arms = self.arms[:, seat]
            cells.append([values[arms == 1, :, seat], values[arms == -1, :, seat]])
        y = np.array(cells).transpose(3, 0, 1, 2)  # game, seat, arm, table
        n, seats, _, tables = y.shape
        y = y.reshape(n * seats, 2, tables)
        mean, of_cells, of_arms = y.mean(), y.mean(axis=(1, 2)), y.mean(axis=(0, 2))
        rest = y - of_cells[:, None, None] - of_arms[None, :, None] + mean
        error = (rest**2).sum() / (y.size - len(y) - 1)
        between = 2 * tables * ((of_cells - mean) ** 2).sum() / (len(y) - 1)
        deal = (between - error) / (2 * tables)
        # Half the distance of two means squared, less what chance alone puts there.
        arm = ((of_arms[0] - of_arms[1]) / 2) ** 2 - error / (2 * tables * len(y))
        parts = np.maximum([deal, arm, error], 0)
        return parts / parts.sum()

    def extremes(self, sign: int) -> list[list[Any]]:
        """The five observations that part the arms most, on one side."""
        d = self.d()
        whole = (sign * (self.sums("win", 1) - self.sums("win", -1)).sum(axis=0)).tolist()
        order = sorted(range(len(d)), key=lambda place: (-whole[place], place))[:5]
        return [[self.first + place, d[place]] for place in order if whole[place] > 0]


def seatings(players: int) -> list[tuple[int, ...]]:
    """All distinct ways to put A (1) on half the seats and B (-1) on the others."""
    found = []
    for count in sorted({players // 2, (players + 1) // 2}):
        for seats in itertools.combinations(range(players), count):
            found.append(tuple(1 if seat in seats else -1 for seat in range(players)))
    return found


def alone(players: int) -> list[tuple[int, ...]]:
    """One seat for an arm, the others for somebody else."""
    return [
        tuple(arm if at == seat else 0 for at in range(players))
        for arm in (1, -1)
        for seat in range(players)
    ]


@dataclass(frozen=True)
class Case:
    game: str
    a: str
    b: str
    players: int
    against: str | None = None
    n: int = 300
    rules: dict[str, Any] = field(default_factory=dict)
    preset: str | None = None
    seed: int = 1
    first: int = 0
    level: float = 0.95
    matters: float | None = None
    unit: str | None = None

    @property
    def run(self) -> dict[str, Any]:
        return {
            "players": self.players,
            "rules": self.rules,
            "preset": self.preset,
            "seed": self.seed,
            "first": self.first,
        }

    def compare(self, bots: Path, **more: Any) -> Any:
        request = self.run | {
            "against": there(self.against, bots),
            "level": self.level,
            "matters": self.matters,
            "unit": self.unit,
            "rows": True,
        }
        a, b = there(self.a, bots), there(self.b, bots)
        return simcards.compare(self.game, a, b, self.n, **request | more)

    def again(self, bots: Path) -> Again:
        strategies = {
            1: there(self.a, bots),
            -1: there(self.b, bots),
            0: there(self.against, bots),
        }
        tables = seatings(self.players) if self.against is None else alone(self.players)
        rows = [
            simcards.run(
                self.game,
                self.n,
                strategies=[strategies[arm] for arm in arms],
                rows=True,
                **self.run,
            ).rows
            for arms in tables
        ]
        return Again(np.array(tables), rows, self.first)


ANY = {"displace": "may", "finish": "last_turn", "jokers": 1}
SHARED = {"shrink": 0, "hands": 2}
CAPPED = {"packs": 1, "max_turns": 60, "shrink": 5}
BOTH = {"packs": 1, "max_turns": 40, "shrink": 0, "hands": 3}

CASES = {
    "thirteen": Case("thirteen", "control", "lowest", 4),
    "thirteen, 3, capped": Case(
        "thirteen", "control", "random", 3, rules={"max_turns": 45}, first=77, seed=2
    ),
    "thirteen, 2, matches": Case(
        "thirteen", "control", "saver", 2, rules={"target": 12}, n=150, first=2**40
    ),
    "thirteen, capped matches": Case(
        "thirteen", "structure", "shed", 3, rules={"target": 6, "max_turns": 35}, n=150, level=0.9
    ),
    "thirteen, cards": Case(
        "thirteen", "new_thirteen.py", "lazy.py:play:passes=0", 4, preset="southern-cards"
    ),
    "thirteen, matches by cards": Case(
        "thirteen", "blocker", "shed", 3, preset="southern-cards", rules={"target": 40}, n=200
    ),
    "thirteen, by points": Case("thirteen", "lazy.py", "blocker", 3, unit="points", matters=0.2),
    "thirteen among others": Case("thirteen", "control", "lowest", 4, "saver", seed=3),
    "thirteen among others, 3, capped": Case(
        "thirteen", "lazy.py", "random", 3, "shed", rules={"max_turns": 45}, first=5
    ),
    "thirteen among others, 2": Case(
        "thirteen", "structure", "highest", 2, "new_thirteen.py", n=100, level=0.99, seed=4
    ),
    "horner, 2": Case("horner", "eager", "random", 2, n=198),
    "horner, 3, capped": Case(
        "horner", "eager", "moody.py", 3, rules={"max_turns": 80}, first=10, seed=7
    ),
    "horner, 4": Case(
        "horner", "new_horner.py", "random", 4, preset="small-pies", seed=2**63 + 5, n=199
    ),
    "horner, 5, one round": Case("horner", "moody.py", "flip_only", 5, rules={"rounds": 1}),
    "horner among others, 3, capped": Case(
        "horner", "eager", "no_flip", 3, "random", rules={"max_turns": 80}
    ),
    "horner among others, 2": Case(
        "horner", "moody.py", "race", 2, "eager", rules={"recycle": "pool"}, n=400
    ),
    "aces, 2": Case("aces", "coin.py:play+lowest", "always", 2, n=600),
    "aces, 2, handicap": Case("aces", "always", "never", 2, rules={"layouts": "10,7"}, first=9),
    "aces, 3, any": Case("aces", "coin.py", "always+rarest+random", 3, rules=ANY),
    "aces, 3, shared": Case("aces", "rare:copies=2", "never", 3, rules=SHARED, matters=0.5),
    "aces, 4, shared and capped": Case("aces", "always", "never", 4, rules=BOTH, seed=11),
    "aces, 5, capped": Case("aces", "new_aces.py", "never+random", 5, rules=CAPPED),
    "aces, 6, hands": Case("aces", "always", "random", 6, rules={"match": "hand"}, n=300),
    "aces among others, 3, shared": Case(
        "aces", "new_aces.py", "always", 3, "coin.py", rules=SHARED, seed=5
    ),
    "aces among others, 4, shared and capped": Case(
        "aces", "always", "never", 4, "random", rules=BOTH, first=1000
    ),
    "aces among others, 6": Case(
        "aces", "coin.py", "rare", 6, "always+highest", rules={"match": "hand"}, n=400
    ),
}


@dataclass
class Compared:
    case: Case
    again: Again
    result: Any
    json: Found

    @property
    def figures(self) -> dict[str, Found]:
        return {figure["name"]: figure for figure in self.json["figures"]}


@pytest.fixture(scope="module", params=CASES.values(), ids=CASES)
def compared(request: pytest.FixtureRequest, bots: Path) -> Compared:
    case = request.param
    result = case.compare(bots)
    return Compared(case, case.again(bots), result, result.summary.to_json())


def close(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-11)


def assert_interval(
    found: Found, d: Array, level: float = 0.95, middle: float = 0.0, largest: float = 1.0
) -> None:
    """A difference as JSON has it is that of these values, and two around `middle`."""
    low, high, error = interval(d, level, middle, largest)
    assert found["difference"] == close(d.mean())
    # Only an end that the estimate or a bound lies beyond is elsewhere, and none of these is.
    assert found["interval"] == close([low, high])
    assert found["standard_error"] == close(error)
    assert found["p_value"] == pytest.approx(p_value(d, middle, largest), rel=1e-6, abs=1e-15)


def judged(figure: Found) -> str:
    """The verdict on a figure, from its interval."""
    (low, high), least = figure["interval"], figure["matters"]
    if low >= least or high <= -least:
        return "matters"
    return "too small" if -least < low and high < least else "unknown"


def more(figure: Found, n: int) -> int | None:
    """How many observations besides these `n` would tell what isn't known yet."""
    if judged(figure) != "unknown":
        return None
    (low, high), least = figure["interval"], figure["matters"]
    gap = max(abs(abs(figure["difference"]) - least), least / 4)
    most = max(n * (((high - low) / 2 / gap) ** 2 - 1), n / 10, 1)
    if most > 1e9:
        return None
    unit = 10 ** max(len(str(math.floor(most))) - 2, 0)
    return math.ceil(most / unit) * unit


class TestTwoStrategies:
    def test_tables(self, compared: Compared) -> None:
        names = {"a": 1, "b": -1, "": 0}
        found = [tuple(names[arm] for arm in table["arms"]) for table in compared.json["tables"]]
        assert sorted(found) == sorted(map(tuple, compared.again.arms.tolist()))
        assert compared.json["kind"] == ("against" if compared.case.against else "seatings")
        assert compared.json["completed"] == compared.json["n"] == compared.case.n
        assert compared.json["games"] == compared.case.n * len(found)
        assert compared.json["same_deals"]
        assert compared.json["intervals_together"] == 1

    def test_figures(self, compared: Compared) -> None:
        expected = {
            "aces": ["win"],
            "horner": ["win", "points", "pies"],
            "thirteen": ["win", "last", "points"],
        }[compared.case.game]
        if compared.case.game == "thirteen" and not compared.again.values("last").any():
            # Where a deal is over when one is out, the rules name no other place.
            expected.remove("last")
        assert list(compared.figures) == expected
        for name, figure in compared.figures.items():
            assert figure["a"] == close(compared.again.means(name, 1).mean()), name
            assert figure["b"] == close(compared.again.means(name, -1).mean()), name
            d = compared.again.d(name)
            assert_interval(figure, d, compared.case.level, middle(name, d))

    def test_who_is_ahead(self, compared: Compared) -> None:
        signs = np.sign(compared.again.d())
        ahead = {"a": (signs > 0).sum(), "level": (signs == 0).sum(), "b": (signs < 0).sum()}
        assert compared.json["ahead"] == ahead
        assert compared.json["highest"] == [close(pair) for pair in compared.again.extremes(1)]
        assert compared.json["lowest"] == [close(pair) for pair in compared.again.extremes(-1)]

    def test_capped_games(self, compared: Compared) -> None:
        assert compared.json["capped"] == {
            "a": compared.again.capped(1),
            "b": compared.again.capped(-1),
        }

    def test_variance_saved(self, compared: Compared) -> None:
        expected = compared.again.variance_saved()
        assert expected is not None
        assert compared.json["variance_saved"] == close(expected)

    def test_seats(self, compared: Compared) -> None:
        assert len(compared.json["seats"]) == compared.case.players
        for seat, found in enumerate(compared.json["seats"]):
            assert_interval(found, compared.again.seat(seat), compared.case.level)

    def test_neighbours(self, compared: Compared) -> None:
        for arm, found in zip((1, -1), compared.json["neighbours"], strict=True):
            expected = compared.again.neighbours(arm)
            if expected is None:
                assert found is None
            else:
                assert_interval(found, expected, compared.case.level)
        undefined = compared.case.players <= 3 or compared.case.against is not None
        assert compared.json["neighbours"].count(None) == (2 if undefined else 0)

    def test_luck(self, compared: Compared) -> None:
        found = compared.json["luck"]
        assert found["figure"] == ("win" if compared.case.game == "aces" else "points")
        shares = [found["deal"], found["arm"], found["rest"]]
        assert sum(shares) == close(1)
        assert shares == pytest.approx(compared.again.luck(found["figure"]), abs=1e-9)

    def test_verdict(self, compared: Compared) -> None:
        case, json_ = compared.case, compared.json
        assert json_["decided_by"] == (case.unit or "win")
        deciding = compared.figures[json_["decided_by"]]
        assert json_["verdict"] == deciding["verdict"]
        for figure in compared.figures.values():
            assert figure["verdict"] == judged(figure)
            assert figure["more"] == more(figure, case.n)
            if is_share(figure["name"]):
                assert figure["matters"] == (0.01 if case.matters is None else case.matters)
            else:
                assert figure["matters"] == close(0.02 * compared.again.spread(figure["name"]))
        quantile = stats.norm.isf((1 - case.level) / 2) + stats.norm.isf(0.2)
        d = compared.again.d(json_["decided_by"])
        _, _, error = interval(d, middle=middle(json_["decided_by"], d))
        assert json_["could_see"] == close(quantile * error)

    def test_rows(self, compared: Compared) -> None:
        rows = compared.result.rows
        first, n = compared.case.first, compared.case.n
        assert rows["index"].to_list() == list(range(first, first + n))
        names = list(compared.figures)
        assert rows.columns == ["index", *(f"{arm}_{name}" for arm in "ab" for name in names)]
        for (arm, sign), name in itertools.product((("a", 1), ("b", -1)), names):
            expected = compared.again.sums(name, sign).sum(axis=0)
            if name == "last":
                expected = expected // FIRST
            assert rows[f"{arm}_{name}"].to_list() == expected.tolist(), name

    def test_screen(self, compared: Compared) -> None:
        lines = str(compared.result).splitlines()
        for figure in compared.figures.values():
            if figure["unit"] != "of 100":
                continue
            (line,) = [line for line in lines if line.startswith(f"  {figure['label']} ")]
            low, high = (f"{100 * end:+.1f}" for end in figure["interval"])
            a, b = (f"{100 * figure[arm]:.1f} %" for arm in "ab")
            shown = [a, b, f"{100 * figure['difference']:+.1f}", f"{low} to {high}"]
            told = " ".join(line.split())
            assert all(part in told for part in shown), (told, shown)


def test_the_cases_are_worth_it(bots: Path) -> None:
    """Wins are shared and games capped in some cases, and not in all."""
    kinds = {"thirteen, 3, capped", "horner, 3, capped", "aces, 4, shared and capped"}
    for name in kinds:
        assert CASES[name].compare(bots).summary.to_json()["capped"]["a"] > 20
    again = CASES["aces, 3, shared"].again(bots)
    assert sum((rows["winner"] == -2).sum() for rows in again.rows) > 20
    again = CASES["horner, 5, one round"].again(bots)
    assert sum((rows["winner"] == -2).sum() for rows in again.rows) > 20


# What stays as it is, and what turns round.

STEADY = ["thirteen, 3, capped", "horner among others, 3, capped", "aces, 4, shared and capped"]
PASSING = ("elapsed_s", "compile_s", "games_per_s", "threads", "command")


def lasting(result: Any) -> Found:
    """A result without what depends on the machine."""
    json_ = result.summary.to_json()
    assert json.loads(json.dumps(json_, allow_nan=False)) == json_
    return {name: value for name, value in json_.items() if name not in PASSING}


@pytest.mark.parametrize("name", STEADY)
def test_threads_and_chunks_change_nothing(name: str, bots: Path) -> None:
    plain = CASES[name].compare(bots)
    for threads, chunk_size in ((1, None), (2, 1), (1, 7), (2, 100), (2, 10**6)):
        other = CASES[name].compare(bots, threads=threads, chunk_size=chunk_size)
        assert other.rows.equals(plain.rows)
        assert lasting(other) == lasting(plain)


def test_threads_and_chunks_change_nothing_of_two_tables() -> None:
    request = {"rules": {"max_turns": 50}, "seed": 8, "first": 3, "rows": True}
    plain = simcards.compare("thirteen", "lockout=on", "lockout=off", 300, **request)
    for threads, chunk_size in ((1, 1), (2, 9), (1, 300)):
        request |= {"threads": threads, "chunk_size": chunk_size}
        other = simcards.compare("thirteen", "lockout=on", "lockout=off", 300, **request)
        assert other.rows.equals(plain.rows)
        assert lasting(other) == lasting(plain)


@pytest.mark.parametrize("name", STEADY)
def test_later_observations_are_those_of_a_longer_comparison(name: str, bots: Path) -> None:
    case = CASES[name]
    longer = case.compare(bots).rows
    later = simcards.compare(
        case.game,
        there(case.a, bots),
        there(case.b, bots),
        case.n - 100,
        against=there(case.against, bots),
        rows=True,
        **case.run | {"first": case.first + 100},
    ).rows
    assert later.equals(longer[100:])


def turned(found: Found) -> Found:
    low, high = found["interval"]
    return {**found, "difference": -found["difference"], "interval": [-high, -low]}


def assert_alike(found: Any, expected: Any) -> None:
    """Equal, numbers to all but the last digits."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for name in expected:
            assert_alike(found[name], expected[name])
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_alike(one, other)
    elif isinstance(expected, float):
        assert found == close(expected)
    else:
        assert found == expected


@pytest.mark.parametrize("name", [*STEADY, "thirteen", "aces, 5, capped"])
def test_swapping_the_arms_turns_everything_round(name: str, bots: Path) -> None:
    case = CASES[name]
    plain = case.compare(bots)
    other = simcards.compare(
        case.game,
        there(case.b, bots),
        there(case.a, bots),
        case.n,
        against=there(case.against, bots),
        rows=True,
        **case.run,
    )
    ours, theirs = plain.summary.to_json(), other.summary.to_json()
    for one, two in zip(ours["figures"], theirs["figures"], strict=True):
        assert_alike(two, {**turned(one), "a": one["b"], "b": one["a"]})
    assert theirs["ahead"] == {
        "a": ours["ahead"]["b"],
        "level": ours["ahead"]["level"],
        "b": ours["ahead"]["a"],
    }
    assert theirs["capped"] == {"a": ours["capped"]["b"], "b": ours["capped"]["a"]}
    assert_alike(theirs["seats"], [turned(seat) for seat in ours["seats"]])
    assert_alike(theirs["neighbours"], ours["neighbours"][::-1])
    assert_alike(theirs["highest"], [[index, -d] for index, d in ours["lowest"]])
    assert_alike(theirs["lowest"], [[index, -d] for index, d in ours["highest"]])
    for same in ("luck", "variance_saved", "could_see", "verdict"):
        assert_alike(theirs[same], ours[same])
    columns = [column.translate({97: 98, 98: 97}) for column in ("a_win", "b_win")]
    assert other.rows.select("a_win", "b_win").equals(
        plain.rows.select(columns).rename({"b_win": "a_win", "a_win": "b_win"})
    )


@pytest.mark.parametrize("against", [None, "other"])
@pytest.mark.parametrize(
    ("game", "strategy", "other", "players"),
    [
        ("thirteen", "control", "random", 4),
        ("thirteen", "new_thirteen.py", "lowest", 3),
        ("horner", "random", "moody.py", 3),
        ("aces", "coin.py", "random", 2),
    ],
)
def test_a_strategy_against_itself(
    game: str, strategy: str, other: str, players: int, against: str | None, bots: Path
) -> None:
    strategy = there(strategy, bots)
    among = None if against is None else there(other, bots)
    result = simcards.compare(
        game, strategy, strategy, 300, against=among, players=players, seed=6, rows=True
    )
    found = result.summary.to_json()
    for figure in found["figures"]:
        low, high = figure["interval"]
        assert figure["a"] == figure["b"]
        assert figure["difference"] == 0
        assert low < 0 < high
        assert low == close(-high)
        assert figure["p_value"] == 1
        assert figure["verdict"] == "too small"
    assert found["verdict"] == "too small"
    assert found["ahead"] == {"a": 0, "level": 300, "b": 0}
    assert found["highest"] == found["lowest"] == []
    assert found["variance_saved"] is None
    for part in [*found["seats"], *filter(None, found["neighbours"])]:
        assert part["difference"] == 0
        assert part["interval"][0] < 0 < part["interval"][1]
    # Whoever sits at the tables besides, all that happens depends on the deal and the seat.
    assert [found["luck"][part] for part in ("deal", "arm", "rest")] == [1, 0, 0]
    for name in ("win", "points"):
        if f"a_{name}" in result.rows.columns:
            assert result.rows[f"a_{name}"].equals(
                result.rows[f"b_{name}"], check_dtypes=True, check_names=False
            )


def test_how_many_more_would_tell() -> None:
    """Some number even for a difference as large as what matters, but none beyond 10^9."""
    request = {"players": 3, "seed": 12}

    def win(b: str, matters: float) -> Found:
        found = simcards.compare("thirteen", "structure", b, 100, **request, matters=matters)
        return found.summary.to_json()["figures"][0]

    seen = abs(win("blocker", 0.01)["difference"])
    for part in (0.7, 0.8, 0.9, 1.0, 1.1, 1.3, 1.5):
        figure = win("blocker", part * seen)
        assert figure["verdict"] == "unknown"
        assert figure["more"] == more(figure, 100) is not None
    for matters, told in ((1e-3, True), (1e-6, False)):
        figure = win("structure", matters)
        assert figure["verdict"] == "unknown"
        assert (figure["more"] is not None) == told


@pytest.mark.parametrize("n", [1, 2, 197, 198, 199])
def test_few_observations(n: int) -> None:
    """Student's t up to 200 values, the two added ones among them; the normal one beyond."""
    case = Case("thirteen", "control", "lowest", 2, n=n, seed=12)
    found = case.compare(ROOT).summary.to_json()["figures"][0]
    d = case.again(ROOT).d()
    low, high, error = interval(d)
    assert found["standard_error"] == close(error)
    assert found["interval"] == close([max(low, -1), min(high, 1)])
    assert ("Student" in found["method"]) == (n <= 198)


# Two tables at which the same deals are played.


@dataclass(frozen=True)
class Tables:
    game: str
    a: Any
    b: Any
    run_a: dict[str, Any]
    run_b: dict[str, Any]
    n: int = 250
    common: dict[str, Any] = field(default_factory=dict)
    first: int = 0
    seed: int = 1
    same_deals: bool = True


TABLES = {
    "thirteen": Tables("thirteen", "lockout=on", "lockout=off", {}, {"rules": {"lockout": "off"}}),
    "thirteen, capped": Tables(
        "thirteen",
        "lockout=on",
        "lockout=off",
        {"rules": {"max_turns": 55}},
        {"rules": {"max_turns": 55, "lockout": "off"}},
        common={"rules": {"max_turns": 55}},
        first=40,
    ),
    "thirteen, matches": Tables(
        "thirteen",
        {"players": 3, "strategy": "control"},
        "bomb_scope=any",
        {"players": 3, "rules": {"target": 12}, "strategies": "control"},
        {"rules": {"target": 12, "bomb_scope": "any"}, "strategies": "shed"},
        common={"rules": {"target": 12}, "strategies": "shed"},
        n=198,
    ),
    "thirteen, players": Tables(
        "thirteen", {"players": 3}, "players=2", {"players": 3}, {"players": 2}
    ),
    "horner, players": Tables(
        "horner", {"players": 2}, {"players": 4}, {"players": 2}, {"players": 4}, seed=5
    ),
    "horner, plums": Tables(
        "horner",
        "plums=7",
        "plums=5",
        {"rules": {"plums": 7, "max_turns": 60}},
        {"rules": {"plums": 5, "max_turns": 60}},
        common={"rules": {"max_turns": 60}},
        same_deals=False,
    ),
    "aces, packs": Tables(
        "aces",
        "packs=1",
        "packs=2",
        {"rules": {"packs": 1}},
        {"rules": {"packs": 2}},
        same_deals=False,
    ),
    "aces, players": Tables(
        "aces", {"players": 2}, {"players": 3}, {"players": 2}, {"players": 3}, same_deals=False
    ),
    "aces, shared and capped": Tables(
        "aces",
        {"strategy": "never"},
        {"strategy": "coin.py", "displace": "may"},
        {"players": 4, "rules": BOTH, "strategies": "never"},
        {"players": 4, "rules": BOTH | {"displace": "may"}, "strategies": "coin.py"},
        common={"players": 4, "rules": BOTH},
        n=400,
    ),
}


@dataclass
class TablesCompared:
    case: Tables
    result: Any
    json: Found
    rows: tuple[pl.DataFrame, pl.DataFrame]
    runs: tuple[dict[str, Any], dict[str, Any]]

    def lengths(self) -> tuple[Array, Array]:
        """Turns at either table, where both were finished."""
        both = finished(self.rows[0]) & finished(self.rows[1])
        turns = [rows["turns"].to_numpy().astype(np.int64) for rows in self.rows]
        return turns[0][both], turns[1][both]


@pytest.fixture(scope="module", params=TABLES.values(), ids=TABLES)
def tables(request: pytest.FixtureRequest, bots: Path) -> TablesCompared:
    case = request.param

    def complete(value: Any) -> Any:
        """The same with the bots' folder, wherever a strategy stands."""
        if isinstance(value, dict):
            return {name: complete(part) for name, part in value.items()}
        return there(value, bots)

    always = {"seed": case.seed, "first": case.first}
    a, b, runs = complete(case.a), complete(case.b), (complete(case.run_a), complete(case.run_b))
    result = simcards.compare(case.game, a, b, case.n, rows=True, **always, **case.common)
    rows = tuple(simcards.run(case.game, case.n, rows=True, **always, **run).rows for run in runs)
    return TablesCompared(case, result, result.summary.to_json(), rows, runs)


def seats_in(rows: pl.DataFrame) -> int:
    column = "layout_" if "layout_0" in rows.columns else "points_"
    return sum(name.startswith(column) for name in rows.columns)


def one_by_one(case: Tables, run: dict[str, Any]) -> Iterator[Found]:
    """The summary of each observation's game by itself, at one table."""
    for index in range(case.first, case.first + case.n):
        yield simcards.run(case.game, 1, first=index, seed=case.seed, **run).summary.to_json()


def counted(case: Tables, run: dict[str, Any], names: Sequence[str]) -> Found:
    """By name: counts and what they are counted per, by observation, nothing if capped."""
    found: Found = {name: ([], []) for name in names}
    for summary in one_by_one(case, run):
        for name, (counts, per) in found.items():
            scale = 60 if name.endswith("score60") else 1
            counts.append(summary["events"][name] / scale)
            per.append(summary["denominators"][name]["count"])
    return {name: (np.array(counts), np.array(per)) for name, (counts, per) in found.items()}


def linear(counts: Array, per: Array) -> tuple[float, Array]:
    """A rate, and what each observation adds to its error."""
    rate = counts.sum() / per.sum()
    return rate, (counts - rate * per) / per.mean()


class TestTwoTables:
    def test_what_it_is(self, tables: TablesCompared) -> None:
        assert tables.json["kind"] == "tables"
        assert tables.json["games"] == 2 * tables.case.n
        assert tables.json["same_deals"] == tables.case.same_deals
        told = "The decks differ" in str(tables.result)
        assert told == (not tables.case.same_deals)
        assert tables.json["capped"] == {
            arm: int((~finished(rows)).sum()) for arm, rows in zip("ab", tables.rows, strict=True)
        }

    def test_figures(self, tables: TablesCompared) -> None:
        players = min(map(seats_in, tables.rows))
        figures = {figure["name"]: figure for figure in tables.json["figures"]}
        unit = f" a {tables.json['unit']}"
        lengths = [name for name in figures if figures[name]["label"].endswith(unit)]
        seats = [name for name in figures if name.startswith("win_")]
        rates = [name for name in figures if name not in lengths and name not in seats]
        assert lengths[0] == "turns"
        assert sorted(seats) == [f"win_{seat}" for seat in range(players)]
        assert rates
        assert tables.json["intervals_together"] == len(figures)
        level = 1 - 0.05 / len(figures)

        counts = [counted(tables.case, run, rates) for run in tables.runs]
        p_values = {}
        for name, figure in figures.items():
            ratios = []
            for arm, rows in enumerate(tables.rows):
                done = finished(rows).astype(float)
                if name in rates:
                    ratios.append(counts[arm][name])
                elif name in seats:
                    seat = int(name.removeprefix("win_"))
                    wins = values_of("win", rows, seats_in(rows))
                    ratios.append((wins[:, seat] / FIRST, done))
                else:
                    ratios.append((rows[name].to_numpy() * done, done))
            (a, of_a), (b, of_b) = (linear(*one) for one in ratios)
            # What one more event in one deal would count.
            largest = max(1 / per.mean() for _, per in ratios)
            assert figure["a"] == close(a), name
            assert figure["b"] == close(b), name
            assert_interval(figure, of_a - of_b + (a - b), level, a - b, largest)
            assert figure["verdict"] == judged(figure)
            assert figure["more"] == more(figure, tables.case.n)
            p_values[name] = figure["p_value"]
        # Holm: no claim is stronger than those before it.
        order = sorted(p_values, key=p_values.__getitem__)
        least = 0.0
        for rank, name in enumerate(order):
            least = max(least, min(1.0, (len(order) - rank) * p_values[name]))
            assert figures[name]["p_adjusted"] == close(least)

    def test_least_that_matters(self, tables: TablesCompared) -> None:
        """One of a hundred; of a length, one of a hundred of A's mean."""
        for figure in tables.json["figures"]:
            least = 0.01 if figure["unit"] == "of 100" else 0.01 * figure["a"]
            assert figure["matters"] == close(least), figure["name"]

    def test_what_the_two_share(self, tables: TablesCompared) -> None:
        """Who is ahead, what parts them most, what pairing gained: by turns, of finished games."""
        both = finished(tables.rows[0]) & finished(tables.rows[1])
        turns = [rows["turns"].to_numpy().astype(np.int64) for rows in tables.rows]
        d = np.where(both, turns[0] - turns[1], 0)
        assert tables.json["ahead"]["a"] == (d > 0).sum()
        assert tables.json["ahead"]["b"] == (d < 0).sum()
        for name, sign in (("highest", 1), ("lowest", -1)):
            order = sorted(range(len(d)), key=lambda place, sign=sign: (-sign * d[place], place))
            expected = [[tables.case.first + p, float(d[p])] for p in order if sign * d[p] > 0]
            assert tables.json[name] == expected[:5]

    def test_variance_saved(self, tables: TablesCompared) -> None:
        if not tables.case.same_deals:
            assert tables.json["variance_saved"] is None
            return
        of_a, of_b = (
            linear(rows["turns"].to_numpy() * finished(rows), finished(rows).astype(float))[1]
            for rows in tables.rows
        )
        expected = (of_a.var() + of_b.var()) / (of_a - of_b).var()
        assert tables.json["variance_saved"] == close(expected)

    def test_rows(self, tables: TablesCompared) -> None:
        ours = tables.result.rows
        for arm, rows in zip("ab", tables.rows, strict=True):
            done = finished(rows)
            assert ours[f"{arm}_finished"].to_list() == done.astype(int).tolist()
            assert ours[f"{arm}_turns"].to_list() == (rows["turns"].to_numpy() * done).tolist()
            wins = values_of("win", rows, seats_in(rows))
            for seat in range(wins.shape[1]):
                if f"{arm}_win_{seat}" in ours.columns:
                    assert ours[f"{arm}_win_{seat}"].to_list() == wins[:, seat].tolist()


def test_nobody_is_ahead_where_one_table_is_always_capped() -> None:
    found = simcards.compare(
        "aces", {"players": 3}, {"players": 5}, 300, rules=CAPPED | {"max_turns": 50}, seed=1
    ).summary.to_json()
    assert 0 < found["capped"]["b"] == 300 > found["capped"]["a"]
    assert found["figures"] == []
    assert found["ahead"]["a"] == found["ahead"]["b"] == 0
    assert found["highest"] == found["lowest"] == []


@pytest.mark.parametrize("against", [None, "highest"])
def test_strategies_whose_games_are_all_capped_are_not_compared(against: str | None) -> None:
    result = simcards.compare(
        "thirteen", "control", "lowest", 50, against=against, rules={"max_turns": 8}, seed=1
    )
    found = lasting(result)
    tables = len(found["tables"])
    assert found["capped"] == dict.fromkeys("ab", 50 * tables // (2 if against else 1))
    assert found["figures"] == []
    assert found["verdict"] is None
    assert found["sentence"].startswith("No data")
    assert found["sentence"] in " ".join(str(result).split())


def test_swapping_two_tables_turns_everything_round() -> None:
    arms: list[Any] = [{"players": 4, "lockout": "off"}, {"players": 3, "strategy": "control"}]
    request = {"seed": 2, "first": 7, "rules": {"max_turns": 70}}
    ours = simcards.compare("thirteen", *arms, 300, **request).summary.to_json()
    theirs = simcards.compare("thirteen", *arms[::-1], 300, **request).summary.to_json()
    assert ours["capped"]["a"] > 0
    assert theirs["capped"] == {"a": ours["capped"]["b"], "b": ours["capped"]["a"]}
    names = [figure["name"] for figure in ours["figures"]]
    assert [figure["name"] for figure in theirs["figures"]] == names
    for one, two in zip(ours["figures"], theirs["figures"], strict=True):
        expected = {**turned(one), "a": one["b"], "b": one["a"]}
        for name in ("a", "b", "difference", "interval", "standard_error", "p_value"):
            assert_alike(two[name], expected[name])
    assert theirs["ahead"]["a"] == ours["ahead"]["b"]
    assert theirs["lowest"] == [[index, -d] for index, d in ours["highest"]]
    assert_alike(theirs["variance_saved"], ours["variance_saved"])


@pytest.mark.parametrize("game", ["thirteen", "horner", "aces"])
def test_a_table_against_itself(game: str) -> None:
    arms = {"players": 3, "strategy": "random"}
    found = simcards.compare(game, arms, arms, 300, seed=3).summary.to_json()
    assert found["kind"] == "tables"
    assert found["figures"]
    for figure in found["figures"]:
        low, high = figure["interval"]
        assert figure["difference"] == 0
        assert low == close(-high)
        assert low < 0 < high
        assert figure["p_value"] == figure["p_adjusted"] == 1
        assert figure["verdict"] != "matters"
    assert found["ahead"] == {"a": 0, "level": 300, "b": 0}
    assert found["highest"] == found["lowest"] == []
    assert found["variance_saved"] is None


# Tournaments.


@dataclass(frozen=True)
class Contest:
    game: str
    strategies: tuple[str, ...]
    players: int
    n: int = 150
    rules: dict[str, Any] = field(default_factory=dict)
    gauntlet: bool = False
    mixed: bool = False
    seed: int = 1
    first: int = 0


CONTESTS = {
    "thirteen": Contest("thirteen", ("control", "lowest", "shed", "lazy.py"), 4, first=30),
    "thirteen, 3": Contest("thirteen", ("highest", "structure", "new_thirteen.py"), 3, n=250),
    "thirteen, gauntlet": Contest("thirteen", ("control", "random", "saver"), 2, gauntlet=True),
    "thirteen, mixed": Contest("thirteen", ("shed", "random", "control"), 3, n=300, mixed=True),
    "horner": Contest("horner", ("eager", "random", "moody.py", "no_flip"), 2, n=300),
    "aces, capped": Contest("aces", ("always", "never", "coin.py"), 4, rules=BOTH),
}


def fitted(games: list[tuple[Array, Array]], strategies: int) -> Array:
    """Ratings from seats and first places by strategy: the most likely ones, with the prior."""

    def misfit(free: Array) -> float:
        worths = np.append(free, -free.sum())
        value = -0.5 * (worths - 2 * np.logaddexp(worths, 0)).sum()
        for seats, wins in games:
            value -= wins @ worths - wins.sum() * np.log(seats @ np.exp(worths))
        return float(value)

    found = optimize.minimize(misfit, np.zeros(strategies - 1), method="BFGS", tol=1e-9)
    return np.append(found.x, -found.x.sum()) * 400 / math.log(10)


@dataclass
class Contested:
    """A tournament, and what happened at its tables once more.

    By table and strategy: `seats` counts its seats. By table, strategy and game: `firsts` are its
    first places.
    """

    contest: Contest
    json: Found
    seats: Array
    firsts: Array
    capped: int

    @property
    def strategies(self) -> list[Found]:
        return self.json["strategies"]

    @property
    def chances(self) -> Array:
        """By table and strategy: that a seat of it comes first, by the ratings."""
        worths = np.exp([one["rating"] * math.log(10) / 400 for one in self.strategies])
        return self.seats * worths / (self.seats @ worths)[:, None]

    def pairs(self) -> list[tuple[int, int]]:
        """Who meets whom, and at which tables."""
        pairs = itertools.combinations(range(len(self.strategies)), 2)
        return [pair for pair in pairs if self.together(pair).any()]

    def together(self, pair: tuple[int, int]) -> Array:
        return (self.seats[:, pair] > 0).all(axis=1)


def seated(contest: Contest) -> list[tuple[int, ...]]:
    """Who sits where at each table, by the strategies' numbers."""
    strategies = range(len(contest.strategies))
    if contest.mixed:
        return list(itertools.permutations(strategies))
    return [
        tuple(a if arm == 1 else b for arm in arms)
        for a, b in itertools.combinations(strategies, 2)
        if a == 0 or not contest.gauntlet
        for arms in seatings(contest.players)
    ]


@pytest.fixture(scope="module", params=CONTESTS.values(), ids=CONTESTS)
def contested(request: pytest.FixtureRequest, bots: Path) -> Contested:
    contest = request.param
    names = [there(strategy, bots) for strategy in contest.strategies]
    run = {
        "players": contest.players,
        "rules": contest.rules,
        "seed": contest.seed,
        "first": contest.first,
    }
    modes = {"gauntlet": contest.gauntlet, "mixed": contest.mixed}
    result = simcards.tournament(contest.game, names, contest.n, **run, **modes)
    seats, firsts, capped = [], [], 0
    for table in seated(contest):
        strategies = [names[strategy] for strategy in table]
        rows = simcards.run(contest.game, contest.n, strategies=strategies, rows=True, **run).rows
        capped += int((~finished(rows)).sum())
        of_strategies = np.equal.outer(np.arange(len(names)), np.array(table)).astype(int)
        seats.append(of_strategies.sum(axis=1))
        firsts.append(of_strategies @ (values_of("win", rows, contest.players) / FIRST).T)
    json_ = result.summary.to_json()
    return Contested(contest, json_, np.array(seats), np.array(firsts), capped)


class TestTournament:
    def test_what_was_played(self, contested: Contested) -> None:
        found, n = contested.json, contested.contest.n
        assert found["games"] == n * len(contested.seats)
        assert found["capped"] == contested.capped
        taken = contested.firsts.sum(axis=(0, 2)) / (contested.seats.sum(axis=0) * n)
        assert [one["win"] for one in contested.strategies] == close(taken)

    def test_ratings(self, contested: Contested) -> None:
        games = list(zip(contested.seats, contested.firsts.sum(axis=2), strict=True))
        ratings = fitted(games, len(contested.strategies))
        found = [one["rating"] for one in contested.strategies]
        assert found == pytest.approx(ratings, abs=1e-3)
        order = np.argsort(-ratings)
        assert contested.json["ranking"] == [
            contested.strategies[strategy]["strategy"] for strategy in order
        ]

    def test_intervals_of_ratings(self, contested: Contested) -> None:
        """The sandwich, with an observation's games together, by n - 1 and Student's t."""
        n, firsts, chances = contested.contest.n, contested.firsts, contested.chances
        assert n >= 30
        if (firsts.sum(axis=(0, 2)) < 50).any():
            assert [one["interval"] for one in contested.strategies] == [None] * len(chances[0])
            return
        expected = firsts.sum(axis=1)[:, None, :] * chances[:, :, None]
        scores = (firsts - expected).sum(axis=0)  # by strategy and observation
        taken = firsts.sum(axis=(1, 2))
        of_games = np.array([np.diag(p) - np.outer(p, p) for p in chances])
        # Half a game won and half a game lost against one of the worth 1.
        ratings = np.array([one["rating"] for one in contested.strategies])
        odds = 1 / (1 + 10 ** (-ratings / 400))
        information = np.tensordot(taken, of_games, 1) + np.diag(odds * (1 - odds))
        # The last one's is the others' sum, with the sign turned.
        free = np.vstack([np.eye(len(ratings) - 1), -np.ones(len(ratings) - 1)])
        bread = free @ np.linalg.inv(free.T @ information @ free) @ free.T
        covariance = bread @ (scores @ scores.T) @ bread * n / (n - 1)
        errors = np.sqrt(np.diag(covariance)) * 400 / math.log(10)
        half_widths = stats.t.isf(0.025, n - 1) * errors
        for one, rating, half_width in zip(contested.strategies, ratings, half_widths, strict=True):
            expected = [rating - half_width, rating + half_width]
            assert one["interval"] == pytest.approx(expected, rel=1e-7, abs=1e-7)

    def test_meetings(self, contested: Contested) -> None:
        pairs, ours = contested.pairs(), contested.strategies
        meetings = contested.json["meetings"]
        assert len(meetings) == len(pairs) == contested.json["intervals_together"]
        level = 1 - 0.05 / len(pairs)
        for meeting, pair in zip(meetings, pairs, strict=True):
            assert [meeting["a"], meeting["b"]] == [ours[one]["strategy"] for one in pair]
            here = contested.together(pair)
            of_a, of_b = contested.firsts[here][:, pair].sum(axis=0)
            together = of_a + of_b
            share = of_a.sum() / together.sum()
            assert meeting["share"] == close(share)
            # From -1, B took all, to 1, A did; a ratio of sums, as some games are capped.
            middle = 2 * share - 1
            d = 2 * (of_a - share * together) / together.mean() + middle
            # The two added have all the first places that an observation's games have.
            sixtieths = round(together.sum() * FIRST)
            largest = -(-int(here.sum()) * FIRST * contested.contest.n // sixtieths)
            assert (largest > 1) == (contested.capped > 0 or contested.contest.mixed)
            low, high, _ = interval(d, level, middle, largest)
            assert meeting["interval"] == close([max(0, (1 + low) / 2), min(1, (1 + high) / 2)])
            assert meeting["p_value"] == pytest.approx(p_value(d, middle, largest), rel=1e-6)

    def test_expected(self, contested: Contested) -> None:
        """At the tables that were played, not at one for two."""
        for meeting, pair in zip(contested.json["meetings"], contested.pairs(), strict=True):
            a, b = contested.chances[contested.together(pair)][:, pair].sum(axis=0)
            assert meeting["expected"] == close(a / (a + b))


def test_few_observations_or_first_places_give_no_intervals_of_ratings() -> None:
    """30 observations are the least, and 50 first places of whoever has the fewest."""
    strategies, run, most = ("saver", "random"), {"players": 4, "seed": 3}, 1000
    taken = np.zeros((2, most))
    for arms in seatings(4):
        at_table = [strategies[arm < 0] for arm in arms]
        rows = simcards.run("thirteen", most, strategies=at_table, rows=True, **run).rows
        for place, arm in enumerate((1, -1)):
            wins = values_of("win", rows, 4)[:, np.array(arms) == arm].sum(axis=1)
            taken[place] += np.cumsum(wins) / FIRST

    def intervals(n: int) -> list[Any]:
        found = simcards.tournament("thirteen", strategies, n, **run).summary.to_json()
        assert all(math.isfinite(one["rating"]) for one in found["strategies"])
        return [one["interval"] for one in found["strategies"]]

    enough = int(np.argmax(taken.min(axis=0) >= 50)) + 1
    assert 30 < enough < most
    assert intervals(enough - 1) == [None, None]
    assert None not in intervals(enough)
    # Here all have first places in plenty.
    strategies, run = ("lowest", "shed"), {"players": 4, "seed": 3}
    assert intervals(29) == [None, None]
    assert None not in intervals(30)
