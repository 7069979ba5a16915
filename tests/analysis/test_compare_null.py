"""What comparisons say where nothing is to be found, and where they stop by themselves.

Two coins that fall differently decide alike: a strategy that takes the discard when its random word
is even, and one that takes it when it is odd, win equally often but not the same games. So does
`random` beside one that picks among the same plays in the opposite order. The true difference of
such a pair is exactly 0 under any rules, and all that is said to be one is an error.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import simcards

COIN = """
from simcards.kernels.aces_view import TAKE, WILD, face_down, lowest_bit

def play(view):
    if view.decision == TAKE:
        return (view.word & 1) == PARITY
    if view.decision == WILD:
        return lowest_bit(face_down(view, view.seat))
    return 1
"""

BACKWARDS = """
from simcards.kernels.thirteen_view import can_pass, next_play, pick

def play(view):
    count = 1 if can_pass(view) else 0
    option = next_play(view, 0)
    while option:
        count += 1
        option = next_play(view, option)
    # The last of all plays where `pick` says 0, and the first, or a pass, where it says the most.
    before = count - 1 - pick(view, count) - (0 if can_pass(view) else -1)
    option = 0
    for _ in range(before):
        option = next_play(view, option)
    return option
"""

# Leads its weakest card by itself and never answers, so that who answers leads from then on.
TIMID = """
from simcards.kernels.thirteen_view import can_pass, next_play

def play(view):
    return 0 if can_pass(view) else next_play(view, 0)
"""


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bots")
    texts = {
        "even.py": COIN.replace("PARITY", "0"),
        "odd.py": COIN.replace("PARITY", "1"),
        "also_even.py": "# The same.\n" + COIN.replace("PARITY", "0"),
        "backwards.py": BACKWARDS,
        "timid.py": TIMID,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def there(strategy: str, bots: Path) -> str:
    return str(bots / strategy) if strategy.endswith(".py") else strategy


def false_finds(
    game: str, a: Any, b: Any, n: int, seeds: int, **request: Any
) -> tuple[Counter[str], int]:
    """By name how many intervals leave 0 out; and in how many comparisons any figure's does."""
    found: Counter[str] = Counter()
    comparisons = 0
    for seed in range(seeds):
        json = simcards.compare(game, a, b, n, seed=seed, **request).summary.to_json()
        figures = {figure["name"]: figure for figure in json["figures"]}
        others = {f"seat {seat}": part for seat, part in enumerate(json["seats"])}
        others |= {f"after {arm}": part for arm, part in enumerate(json["neighbours"]) if part}
        missed = set()
        for name, part in (figures | others).items():
            low, high = part["interval"]
            assert low < high
            outside = not low <= 0 <= high
            if json["intervals_together"] == 1:
                assert (part["p_value"] < 0.05) == outside, (seed, name)
            if outside:
                missed.add(name)
            found[name] += outside
        comparisons += bool(missed & set(figures))
    return found, comparisons


HAND = {"match": "hand"}


@pytest.mark.parametrize(
    ("game", "a", "b", "request_"),
    [
        ("aces", "even.py", "odd.py", {"players": 2, "rules": HAND}),
        ("aces", "even.py", "odd.py", {"players": 3, "rules": HAND, "against": "always"}),
        ("thirteen", "random", "backwards.py", {"players": 2}),
        ("thirteen", "random", "backwards.py", {"players": 3, "against": "lowest"}),
    ],
    ids=["aces, 2", "aces among others, 3", "thirteen, 2", "thirteen among others, 3"],
)
def test_intervals_leave_out_0_as_often_as_they_say(
    game: str, a: str, b: str, request_: dict[str, Any], bots: Path
) -> None:
    """Of 200 intervals at 95 % about 10 do, and 2 to 20 with a probability of 0.999."""
    found, _ = false_finds(game, there(a, bots), there(b, bots), 300, 200, **request_)
    for name, count in found.items():
        assert 2 <= count <= 20, (name, found)


def test_intervals_of_two_tables_hold_together(bots: Path) -> None:
    """Of 200 comparisons at most about 10 have any interval that leaves out 0."""
    arms = [{"players": 3, "strategy": there(name, bots)} for name in ("random", "backwards.py")]
    _, comparisons = false_finds("thirteen", *arms, 300, 200)
    assert 1 <= comparisons <= 20


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "a", "b", "request_"),
    [
        ("aces", "even.py", "odd.py", {"players": 2}),
        ("aces", "even.py", "odd.py", {"players": 3, "rules": {"shrink": 0, "hands": 2}}),
        ("thirteen", "random", "backwards.py", {"players": 3}),
        ("thirteen", "random", "backwards.py", {"players": 4}),
    ],
    ids=["aces, 2", "aces, 3, shared", "thirteen, 3", "thirteen, 4"],
)
def test_many_intervals_leave_out_0_as_often_as_they_say(
    game: str, a: str, b: str, request_: dict[str, Any], bots: Path
) -> None:
    """Of 1000 intervals about 50 do, and 28 to 74 with a probability of 0.999."""
    found, _ = false_finds(game, there(a, bots), there(b, bots), 300, 1000, **request_)
    for name, count in found.items():
        assert 28 <= count <= 74, (name, found)


@pytest.mark.parametrize(
    ("game", "a", "b", "players"),
    [
        ("aces", "even.py", "also_even.py", 2),
        ("thirteen", "control", "control:near=2:alarm=5", 4),
        ("thirteen", "random", "random:passes=1", 3),
        ("horner", "race", "race:lead=1", 3),
    ],
)
def test_a_strategy_under_two_names_is_never_told_apart(
    game: str, a: str, b: str, players: int, bots: Path
) -> None:
    a, b = there(a, bots), there(b, bots)
    for seed in range(200):
        json = simcards.compare(game, a, b, 10, players=players, seed=seed).summary.to_json()
        assert json["ahead"] == {"a": 0, "level": 10, "b": 0}
        assert json["verdict"] in ("too small", "unknown")
        for part in [*json["figures"], *json["seats"], *filter(None, json["neighbours"])]:
            low, high = part["interval"]
            assert part["difference"] == 0
            assert low < 0 < high
            assert part["p_value"] == 1


# Runs that stop by themselves. Sums of observations come from the rows.


def observed(result: Any) -> NDArray[Any]:
    """The difference of each observation: first places of A less those of B."""
    rows, tables = result.rows, result.summary.to_json()["tables"]
    held = sum("a" in table["arms"] for table in tables)
    return (rows["a_win"] - rows["b_win"]).to_numpy() / (60 * held)


def with_two(d: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([d, [1.0, -1.0]])


def log_likelihood_ratio(d: NDArray[Any], h0: float, h1: float) -> float:
    """How much better normal observations with the mean h1 explain these."""
    variance, mean = with_two(d).var(), d.mean()
    return len(d) / 2 * math.log((variance + (mean - h0) ** 2) / (variance + (mean - h1) ** 2))


def sequence(d: NDArray[Any], level: float = 0.95, bounded: bool = True) -> tuple[float, float]:
    """The interval that holds at any stop: Robbins' mixture, for the variance that was seen."""
    n, x = len(d), len(d) * 8.21e-4
    values = with_two(d) if bounded else np.concatenate([d, [d.mean() + 1, d.mean() - 1]])
    bound = math.log(math.sqrt(1 + x) / (1 - level))
    half_width = values.std(ddof=1) * math.sqrt(2 * (1 + x) / (n * x) * bound)
    if not bounded:
        return d.mean() - half_width, d.mean() + half_width
    return max(-1, values.mean() - half_width), min(1, values.mean() + half_width)


def looks_of_test(minimum: int) -> Iterator[int]:
    count = minimum
    while True:
        yield count
        count = max(count + minimum // 5, math.ceil(count * 105 / 100))


def looks_of_precision() -> Iterator[int]:
    return (math.ceil(round(1000 * 2 ** (k / 4), 6)) for k in itertools.count())


def assert_stopped_as_it_should(result: Any, h0: float, h1: float, minimum: int) -> None:
    """The decision fell at the first look at which the observations spoke for it."""
    json, d, bound = result.summary.to_json(), observed(result), math.log(0.95 / 0.05)
    test = json["sprt"]
    for count in looks_of_test(minimum):
        ratio = log_likelihood_ratio(d[:count], h0, h1)
        if count == len(d):
            break
        assert count < len(d)
        assert -bound < ratio < bound
    assert test["log_likelihood_ratio"] == pytest.approx(ratio, rel=1e-9)
    assert (test["lower"], test["upper"]) == pytest.approx((-bound, bound))
    assert test["decision"] == ("h1" if ratio >= bound else "h0" if ratio <= -bound else None)
    assert json["stop_reason"] == "test"
    assert json["figures"][0]["interval"] == pytest.approx(sequence(d), abs=1e-9)
    assert json["figures"][0]["difference"] == pytest.approx(d.mean(), abs=1e-12)
    assert_the_other_figures_are_told(result)


def assert_the_other_figures_are_told(result: Any, level: float = 0.95) -> None:
    """Their intervals hold at any stop, too, and nobody is sent on: what to expect isn't known."""
    json = result.summary.to_json()
    for figure in json["figures"]:
        assert figure["more"] is None
        name, share = figure["name"], figure["unit"] == "of 100"
        if name == "win":
            continue
        # A share by tables, a mean by seats: each arm has as many.
        seats = [table["arms"].count("a") for table in json["tables"]]
        whole = (result.rows[f"a_{name}"] - result.rows[f"b_{name}"]).to_numpy()
        d = whole / (np.count_nonzero(seats) if share else sum(seats))
        assert figure["difference"] == pytest.approx(d.mean(), abs=1e-12)
        assert figure["interval"] == pytest.approx(sequence(d, level, share), abs=1e-9)


def test_a_large_difference_ends_a_test_at_once() -> None:
    result = simcards.compare("thirteen", "control", "random", sprt=(0, 0.1), seed=1, rows=True)
    assert result.summary.to_json()["sprt"]["decision"] == "h1"
    assert result.summary.to_json()["completed"] == 500
    assert_stopped_as_it_should(result, 0, 0.1, 500)


def test_no_difference_ends_a_test_for_h0(bots: Path) -> None:
    """But for one in twenty: of 20, more than four do otherwise with a probability of 0.003."""
    pair = there("even.py", bots), there("odd.py", bots)
    decisions = Counter[str]()
    for seed in range(20):
        request = {"players": 2, "rules": HAND, "seed": seed, "rows": True}
        result = simcards.compare("aces", *pair, sprt=(0, 0.06), minimum=150, **request)
        json = result.summary.to_json()
        assert json["completed"] < json["n"]
        assert_stopped_as_it_should(result, 0, 0.06, 150)
        decisions[json["sprt"]["decision"]] += 1
    assert decisions["h0"] >= 16
    assert decisions["h0"] + decisions["h1"] == 20


def test_where_a_test_stops_does_not_depend_on_chunks(bots: Path) -> None:
    request = {"players": 2, "rules": HAND, "seed": 5, "minimum": 150, "sprt": (0, 0.06)}
    pair = there("even.py", bots), there("odd.py", bots)
    plain = simcards.compare("aces", *pair, rows=True, **request)
    for threads, chunk_size in ((1, 1), (2, 40), (2, 5000)):
        more = {"threads": threads, "chunk_size": chunk_size, "rows": True}
        other = simcards.compare("aces", *pair, **request, **more)
        assert other.rows.equals(plain.rows)
        assert other.summary.to_json()["figures"] == plain.summary.to_json()["figures"]


@pytest.mark.parametrize("minimum", [300, 700])
def test_a_test_never_stops_before_its_minimum(minimum: int) -> None:
    result = simcards.compare(
        "thirteen", "control", "random", sprt=(0, 0.1), minimum=minimum, seed=2, rows=True
    )
    assert result.summary.to_json()["completed"] == minimum
    assert_stopped_as_it_should(result, 0, 0.1, minimum)


def test_a_test_without_enough_observations_decides_nothing() -> None:
    result = simcards.compare("thirteen", "control", "random", 499, sprt=(0, 0.1), seed=2)
    json = result.summary.to_json()
    assert json["completed"] == 499
    assert json["stop_reason"] == "n"
    assert json["sprt"]["decision"] is None


def test_a_test_decides_nothing_between_its_looks(bots: Path) -> None:
    """Even if the observations speak for it there."""
    request = {"players": 2, "rules": HAND, "minimum": 150, "sprt": (0, 0.06), "rows": True}
    pair, found = (there("even.py", bots), there("odd.py", bots)), 0
    for seed in range(5):
        d = observed(simcards.compare("aces", *pair, seed=seed, **request))
        looks = itertools.takewhile(len(d).__gt__, looks_of_test(150))
        for n in range(max(looks, default=150) + 1, len(d)):
            if abs(log_likelihood_ratio(d[:n], 0, 0.06)) >= math.log(0.95 / 0.05):
                json = simcards.compare("aces", *pair, n, seed=seed, **request).summary.to_json()
                assert abs(json["sprt"]["log_likelihood_ratio"]) >= json["sprt"]["upper"]
                assert json["stop_reason"] == "n"
                assert json["sprt"]["decision"] is None
                found += 1
                break
    assert found > 0


@pytest.mark.parametrize("turned", [False, True])
def test_a_test_is_defined_when_one_side_always_wins(turned: bool, bots: Path) -> None:
    pair = ["lowest", there("timid.py", bots)][:: -1 if turned else 1]
    result = simcards.compare(
        "thirteen",
        *pair,
        players=2,
        rules={"instant": "none"},
        sprt=(0, 0.5),
        seed=1,
        rows=True,
    )
    json, sign = result.summary.to_json(), -1 if turned else 1
    assert set(observed(result).tolist()) == {sign}
    assert json["completed"] == 500
    assert json["sprt"]["decision"] == ("h0" if turned else "h1")
    assert math.isfinite(json["sprt"]["log_likelihood_ratio"])
    low, high = json["figures"][0]["interval"]
    assert -1 <= low < high <= 1
    assert sign in (low, high)
    assert json["verdict"] == "matters"
    assert_stopped_as_it_should(result, 0, 0.5, 500)


@pytest.mark.slow
def test_tests_are_wrong_as_seldom_as_they_say(bots: Path) -> None:
    """Of 400 tests of a true h0 at most 5 % decide for h1, and no more intervals miss 0."""
    request = {"players": 2, "rules": HAND, "sprt": (0, 0.06), "minimum": 500}
    pair = there("even.py", bots), there("odd.py", bots)
    decisions, missed = Counter[str](), 0
    for seed in range(400):
        json = simcards.compare("aces", *pair, seed=seed, **request).summary.to_json()
        decisions[json["sprt"]["decision"]] += 1
        low, high = json["figures"][0]["interval"]
        missed += not low <= 0 <= high
    assert set(decisions) <= {"h0", "h1"}
    assert 1 <= decisions["h1"] <= 33  # 20 expected at the most; more with a probability of 0.002
    assert missed <= 33


@pytest.mark.parametrize(
    ("game", "a", "b", "request_", "precision"),
    [
        ("aces", "even.py", "odd.py", {"players": 2, "rules": HAND}, 0.05),
        ("thirteen", "control", "lowest", {"players": 4}, 0.045),
        ("thirteen", "random", "backwards.py", {"players": 3, "against": "lowest"}, 0.016),
        ("horner", "eager", "random", {"players": 3, "level": 0.9}, 0.02),
    ],
)
def test_precision_stops_at_the_first_look_that_knows_enough(
    game: str, a: str, b: str, request_: dict[str, Any], precision: float, bots: Path
) -> None:
    a, b = there(a, bots), there(b, bots)
    result = simcards.compare(game, a, b, precision=precision, seed=4, rows=True, **request_)
    json, d = result.summary.to_json(), observed(result)
    low, high = json["figures"][0]["interval"]
    assert high - low <= 2 * precision
    level = request_.get("level", 0.95)
    assert [low, high] == pytest.approx(sequence(d, level), abs=1e-9)
    assert json["stop_reason"] == "precision"
    for count in looks_of_precision():
        if count == len(d):
            break
        assert count < len(d)
        low, high = sequence(d[:count], level)
        assert high - low > 2 * precision
    assert count > 1000  # or nothing was seen of looks that don't know enough
    assert_the_other_figures_are_told(result, level)
    for threads, chunk_size in ((1, 70), (2, 4000)):
        more = {"threads": threads, "chunk_size": chunk_size}
        other = simcards.compare(game, a, b, precision=precision, seed=4, **request_ | more)
        assert other.summary.to_json()["figures"] == json["figures"]


def test_precision_that_is_not_reached_is_said() -> None:
    result = simcards.compare("thirteen", "control", "lowest", 1500, precision=0.001, seed=4)
    json = result.summary.to_json()
    low, high = json["figures"][0]["interval"]
    assert json["completed"] == 1500
    assert json["stop_reason"] == "n"
    assert high - low > 0.002
    assert [figure["more"] for figure in json["figures"]] == [None] * len(json["figures"])


@pytest.mark.parametrize("stop", [{"precision": 0.05}, {"sprt": (0, 0.06), "minimum": 150}])
def test_only_a_run_of_fixed_length_is_told_how_many_more_would_tell(
    stop: dict[str, Any], bots: Path
) -> None:
    """The same observations: what isn't known yet after a stop would need a run of its own."""
    pair = there("even.py", bots), there("odd.py", bots)
    request = {"players": 2, "rules": HAND, "seed": 4}
    stopped = simcards.compare("aces", *pair, **request, **stop).summary.to_json()
    assert stopped["stop_reason"] == ("precision" if "precision" in stop else "test")
    fixed = simcards.compare("aces", *pair, stopped["completed"], **request).summary.to_json()
    for json in (fixed, stopped):
        (figure,) = json["figures"]
        assert figure["verdict"] == "unknown"
        assert (figure["more"] is None) == (json is stopped)
