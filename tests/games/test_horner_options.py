"""Each option, preset and strategy of horner does something, and what it says."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from typing import Any

import polars as pl
import pytest
from games.horner_cases import random_rules, random_strategies
from games.scenes import (
    Scene,
    all_values,
    check_every_value_comes_back,
    check_every_value_matters,
    check_wrong_values_are_refused,
)

import simcards
from simcards.sim.chunk import engine_rules, prepare_kernel, rules_array
from simcards.sim.errors import RequestError
from simcards.sim.games.horner import GAME, Rules, decode, encode
from simcards.sim.options import make_rules, options
from simcards.sim.plan import chunk_size, make_plan

OPTIONS = {option.name: option for option in options(Rules)}


@pytest.fixture(scope="module", autouse=True)
def kernel() -> None:
    prepare_kernel(GAME)


def rows(n: int = 400, strategies: Any = None, preset: str | None = None, **rules: Any):
    """Rows of the same seed; of the columns that there are by seat only those of seat 0."""
    frame = simcards.run(
        "horner", n, rules=rules, preset=preset, strategies=strategies, seed=11, rows=True
    ).rows
    return frame.select(name for name in frame.columns if name[-1] not in "12345")


PLAY = ("winner", "turns", "flips", "from_discard", "points_0", "pies_0", "first_out")
"""Columns that say how a match went, and not how many choices there were."""


# Every value of every option

SCENES = {
    "players": Scene(),
    "rounds": Scene({}, (1, 2, 3, 4, 10, 999, 1000), n=20),
    "pies": Scene(),
    "pie_value": Scene(),
    "pie_points": Scene({}, (0, 1, 2, 3, 999, 1000)),
    "out_points": Scene({}, (0, 1, 2, 3, 4, 999, 1000)),
    "one_pie": Scene(),
    "discard_play": Scene(),
    "discard_plays": Scene(),
    "flip_after_discard": Scene(strategies="random"),
    "turn": Scene(),
    "recycle": Scene(),
    "round_end": Scene({"players": 3}),
    "next_start": Scene({"players": 3}),
    "varieties": Scene(),
    "plums": Scene(),
    "max_turns": Scene(
        {}, (1, 2, 20, 60, 1512, 9999, 10_000, 10_001, 1_000_000),
        same=((1512, 9999, 10_000, 10_001, 1_000_000),),
    ),
}  # fmt: skip


def test_every_option_has_its_scene() -> None:
    assert list(SCENES) == list(OPTIONS)


@pytest.mark.parametrize("name", SCENES)
def test_every_value_of_an_option_changes_some_match(name: str) -> None:
    check_every_value_matters(rows, SCENES[name], OPTIONS[name])


# ... and those that, by the rules, can't change anything where they stand


@pytest.mark.parametrize(
    ("rules", "changes", "why"),
    [
        ({"players": 1}, {"next_start": "loser"}, "nobody else can start"),
        ({"rounds": 1}, {"next_start": "winner"}, "there is no next round"),
        ({"rounds": 1}, {"next_start": "same"}, "there is no next round"),
        ({"players": 2, "rounds": 2}, {"next_start": "same", "rounds": 2, "players": 1}, ""),
        ({"discard_play": "never"}, {"discard_plays": "many"}, "no discard is placed"),
        ({"discard_play": "never"}, {"flip_after_discard": "no"}, "no discard is placed"),
        ({"players": 1}, {"recycle": "sync"}, "all draw piles are the own one"),
        ({}, {"max_turns": 1_000_000}, "no round is that long"),
        ({}, {"one_pie": "lowest"}, "that is the default"),
        ({"varieties": 1}, {"one_pie": "choose"}, "there is one pie"),
        ({"players": 1}, {"round_end": "first_out"}, "the first out is the last"),
    ],
    ids=lambda part: part if isinstance(part, str) else None,
)  # fmt: skip
@pytest.mark.parametrize("strategies", ["eager", "random"])
def test_what_can_not_matter_does_not(
    rules: dict[str, Any], changes: dict[str, Any], why: str, strategies: str
) -> None:
    if not why:
        assert not rows(300, strategies, **rules).equals(rows(300, strategies, **changes))
        return
    asked = {"discard_play": "never"}.items() <= rules.items()
    strategies = "eager" if asked else strategies
    assert rows(300, strategies, **rules).equals(rows(300, strategies, **(rules | changes))), why


def test_those_who_always_place_can_not_be_forced() -> None:
    """Only what counts as a choice differs."""
    before = rows(1000)
    for changes in ({"discard_play": "must"}, {"flip_after_discard": "must"}):
        after = rows(1000, **changes)
        assert before.select(PLAY).equals(after.select(PLAY))
        assert (after["free"] <= before["free"]).all() and (after["free"] < before["free"]).any()
    forced = rows(1000, discard_play="must", flip_after_discard="must")
    assert before.select(PLAY).equals(forced.select(PLAY))
    assert forced["free"].sum() == 0 and forced["forced"].equals(forced["turns"])


def test_never_allowed_is_never_wanted() -> None:
    forbidden, unwanted = rows(1000, discard_play="never"), rows(1000, "flip_only")
    assert forbidden.drop("free", "forced").equals(unwanted.drop("free", "forced"))
    assert forbidden["from_discard"].sum() == 0


@pytest.mark.parametrize("recycle", ["own", "sync"])
@pytest.mark.parametrize("players", range(1, 7))
def test_the_deal_decides_who_takes_the_pies(recycle: str, players: int) -> None:
    """Fact 2: whatever anybody does."""
    choose = random.Random(players)
    kept: set[tuple[tuple[int, ...], ...]] = set()
    for _ in range(12):
        rules = {
            "rounds": 1,
            "players": players,
            "recycle": recycle,
            "turn": choose.choice(("single", "chain")),
            "discard_plays": choose.choice(("one", "many")),
            "flip_after_discard": choose.choice(("may", "must", "no")),
            "one_pie": choose.choice(("lowest", "choose")),
        }
        seats = [choose.choice(("eager", "random", "flip_only", "no_flip", "race"))] * players
        result = simcards.run("horner", 200, rules=rules, strategies=seats, seed=3, rows=True)
        pies = result.rows.select(f"pies_{seat}" for seat in range(players)).rows()
        kept.add(tuple(pies))
        assert result.counts.events["pies_as_dealt"] == result.counts.events["pies"] == 800
    assert len(kept) == 1


@pytest.mark.parametrize("changes", [{"recycle": "pool"}, {"pies": "capacity"}])
def test_the_deal_does_not_decide_it_where_cards_change_hands(changes: dict[str, str]) -> None:
    counts = simcards.run("horner", 2000, rules=changes, seed=3).counts
    if "recycle" in changes:
        assert 0 < counts.events["pies_as_dealt"] < counts.events["pies"]
    taken = [
        rows(200, strategies, rounds=1, **changes).select("pies_0")
        for strategies in ("eager", "flip_only")
    ]
    if "recycle" in changes:
        assert not taken[0].equals(taken[1])
    else:  # the last plum of a pie is then that of another variety, as the 1s come up
        assert not rows(200, rounds=1).select("pies_0").equals(taken[0])


# Presets


def test_presets_change_matches() -> None:
    assert rows(preset="1888").equals(rows())
    by_preset = {preset: rows(preset=preset) for preset in GAME.presets}
    for one, other in combinations(by_preset, 2):
        assert not by_preset[one].equals(by_preset[other])


@pytest.mark.parametrize(
    ("preset", "name"),
    [(preset, name) for preset, changes in GAME.presets.items() for name in changes],
)
def test_each_part_of_a_preset_counts(preset: str, name: str) -> None:
    changes = dict(GAME.presets[preset])
    whole = rows(preset=preset)
    assert whole.equals(rows(**changes))
    assert changes.pop(name) != OPTIONS[name].default
    assert not whole.equals(rows(**changes))


# Strategies

PLAYS = [strategy.name for strategy in GAME.decisions[0].strategies]
PIES = [strategy.name for strategy in GAME.decisions[1].strategies]


def test_every_strategy_changes_how_matches_go() -> None:
    found = {name: rows(200, name).select(PLAY) for name in PLAYS}
    assert found[GAME.decisions[0].default].equals(rows(200).select(PLAY))
    for one, other in combinations(found, 2):
        assert not found[one].equals(found[other]), (one, other)


def test_every_choice_of_a_pie_changes_how_matches_go() -> None:
    rules = {"one_pie": "choose", **GAME.presets["small-pies"]}
    found = {name: rows(300, f"eager+{name}", **rules).select(PLAY) for name in PIES}
    assert found["smallest"].equals(rows(300, **rules).select(PLAY))
    lowest = rows(300, **(rules | {"one_pie": "lowest"}))
    assert found["smallest"].equals(lowest.select(PLAY))
    for one, other in combinations(found, 2):
        assert not found[one].equals(found[other]), (one, other)


@pytest.mark.parametrize(
    ("strategies", "n"),
    [
        (["top_aware:far=0", "top_aware:far=1", "top_aware", "top_aware:far=6"], 2000),
        (["blocker", "blocker:seats=2", "blocker:seats=3"], 2000),
        (["race", "race:lead=0", "race:lead=4"], 2000),
        (["rollout", "rollout:samples=1", "rollout:samples=2"], 50),
    ],
)
def test_every_parameter_counts(strategies: list[str], n: int) -> None:
    found = [rows(n, one, players=4).select(PLAY) for one in strategies]
    for one, other in combinations(found, 2):
        assert not one.equals(other)


def test_parameters_at_their_ends_are_other_strategies() -> None:
    """A top is always far, nobody is so far behind."""
    assert rows(1000, "top_aware:far=0").equals(rows(1000))
    assert rows(1000, "race:lead=103").equals(rows(1000))
    # With two the next seat is the only one.
    assert rows(1000, "blocker").equals(rows(1000, "blocker:seats=5"))
    assert not rows(1000, "blocker").equals(rows(1000))


@pytest.mark.parametrize("name", [*PLAYS[1:], "rollout:samples=1"])
def test_every_seat_has_its_own_strategy(name: str) -> None:
    found = [rows(100, {seat: name}, players=3) for seat in range(3)] + [rows(100, players=3)]
    for one, other in combinations(found, 2):
        assert not one.equals(other)


def test_rollout_is_worth_its_time() -> None:
    """It wins more of the points that play decides than any other strategy."""
    for other in ("eager", "random", "no_flip"):
        counts = simcards.run(
            "horner", 3000, strategies=["rollout", other], rules={"rounds": 2}, seed=9
        ).counts
        ours, theirs = counts.events["first_out"]
        assert ours > 1.1 * theirs, other


def test_a_slow_strategy_has_small_chunks() -> None:
    def size(*strategies: str, **rules: Any) -> int:
        return chunk_size(make_plan("horner", rules=rules, strategies=strategies, seed=0))

    plain = size("eager", "eager")
    assert plain > 8 * size("rollout", "eager") > 8 * size("rollout:samples=1000", "eager")
    # Where nothing is asked it costs nothing; the rules refuse other names there.
    forced = {"discard_play": "must", "flip_after_discard": "must"}
    assert size("eager", "eager", **forced) == plain


# Refusals


REFUSED: list[tuple[dict[str, Any], list[str]]] = [
    ({"players": 6, "varieties": 1, "plums": 5}, ["6 players", "5 plums"]),
    ({"players": 3, "varieties": 1, "plums": 2}, ["3 players", "2 plums"]),
    ({"pies": "capacity", "varieties": 3}, ["pies=capacity", "2, 4, 5 and 7"]),
    ({"pies": "capacity", "plums": 6}, ["pies=capacity"]),
    ({"pie_value": "printed", "varieties": 5}, ["pie_value=printed"]),
    ({"pie_value": "printed", "plums": 2}, ["pie_value=printed"]),
    ({"pie_value": "printed", "pie_points": 3}, ["pie_points=3", "pie_value=printed"]),
]


@pytest.mark.parametrize(("rules", "named"), REFUSED, ids=str)
def test_rules_that_can_not_be_played_are_refused(rules: dict[str, Any], named: list[str]) -> None:
    with pytest.raises(RequestError) as refusal:
        simcards.run("horner", 1, rules=rules)
    for name in named:
        assert name in str(refusal.value)


@pytest.mark.parametrize(
    ("rules", "strategy", "named"),
    [
        ({}, "top_aware:far=14", "far"),
        ({}, "blocker:seats=0", "seats"),
        ({}, "race:lead=-1", "lead"),
        ({}, "rollout:samples=0", "samples"),
        ({}, "rollout:samples=1001", "samples"),
        ({}, "eager:far=1", "far"),
        ({}, "egger", "eager"),
        ({}, "eager+largest", "'pie'"),
        ({"one_pie": "choose"}, "eager+largest+eager", "eager+largest+eager"),
        ({"one_pie": "choose", "varieties": 3}, "eager+largest", "no numbers"),
        ({"one_pie": "choose", "plums": 6}, "eager+smallest", "no numbers"),
        ({"discard_play": "never"}, "random", "'play'"),
        ({"discard_play": "must", "flip_after_discard": "no"}, "rollout", "'play'"),
    ],
)
def test_strategies_that_can_not_be_played_are_refused(
    rules: dict[str, Any], strategy: str, named: str
) -> None:
    with pytest.raises(RequestError) as refusal:
        simcards.run("horner", 1, rules=rules, strategies={0: strategy})
    assert named in str(refusal.value) and strategy in str(refusal.value)


def test_pies_without_numbers_are_chosen_otherwise() -> None:
    """The default gives way to what the rules allow."""
    plan = make_plan("horner", rules={"one_pie": "choose", "varieties": 3}, seed=0)
    assert [player.text for player in plan.players] == ["eager+own_run"] * 2
    again = make_plan("horner", rules=plan.rules, strategies="eager", seed=0)
    assert again.players == plan.players
    numbered = make_plan("horner", rules={"one_pie": "choose"}, seed=0)
    assert numbered.players[0].text == "eager+smallest"


@pytest.mark.parametrize("name", OPTIONS)
def test_values_that_an_option_has_not_are_refused(name: str) -> None:
    check_wrong_values_are_refused(GAME, OPTIONS[name])


def blame(values: dict[str, Any]) -> set[str]:
    """Of docs/rules/horner.md: what the rules are to be refused for."""
    faults = set()
    if values["varieties"] * values["plums"] < values["players"]:
        faults.add("players")
    numbered = values["varieties"] == 4 and values["plums"] >= 7
    faults |= {
        name
        for name, value in (("pies", "capacity"), ("pie_value", "printed"))
        if values[name] == value and not numbered
    }
    if values["pie_value"] == "printed" and values["pie_points"] != 2:
        faults.add("pie_points")
    return faults


def test_just_the_rules_that_can_not_be_played_are_refused() -> None:
    choose = random.Random(5)
    seen: Counter[str] = Counter()
    for _ in range(10_000):
        values = {option.name: option.default for option in OPTIONS.values()}
        for name in choose.sample([*OPTIONS], choose.randint(0, 9)):
            scene = SCENES[name]
            values[name] = choose.choice(scene.values or all_values(OPTIONS[name]))
        faults = blame(values)
        try:
            make_rules("horner", Rules, values, "--rule")
        except RequestError as refusal:
            assert any(name in str(refusal) for name in faults), (values, refusal)
            seen.update(faults)
        else:
            assert not faults, values
            seen["played"] += 1
    for what in ("players", "pies", "pie_value", "pie_points", "played"):
        assert seen[what] > 3, seen


# Rules as the engine has them


def test_rules_come_back_from_the_engine() -> None:
    choose = random.Random(6)
    for _ in range(2000):
        rules = random_rules(choose)
        plan = make_plan("horner", rules=rules, seed=0)
        assert plan.rules == rules
        record = rules_array(plan)[0]
        assert decode(rules, record) == decode(rules, encode(rules)) == engine_rules(plan) == rules


@pytest.mark.parametrize("name", SCENES)
def test_every_value_comes_back_from_the_engine(name: str) -> None:
    check_every_value_comes_back(GAME, SCENES[name], OPTIONS[name])


# Rows and counts


def test_rows_and_counts_add_up() -> None:
    choose = random.Random(31)
    seen: Counter[str] = Counter()
    for _ in range(120):
        rules = random_rules(choose)
        seats = random_strategies(choose, rules)
        result = simcards.run(
            "horner", 30, rules=rules, strategies=seats, seed=choose.randrange(2**64), rows=True
        )
        counts, frame = result.counts, result.rows
        events = counts.events
        players = range(rules.players)
        finished = frame.filter(pl.col("status") == "finished")
        seen["finished"] += finished.height
        seen["capped"] += frame.height - finished.height
        for column in ("turns", "rounds", "flips", "flips_placed", "from_discard", "reshuffles",
                       "passes", "dead"):  # fmt: skip
            assert events[column] == finished[column].sum(), column
        for column, name in (("pies_", "pies_taken"), ("first_outs_", "first_out"),
                             ("points_", "points")):  # fmt: skip
            assert events[name] == tuple(finished[f"{column}{seat}"].sum() for seat in players)
        assert events["pies"] == sum(events["pies_taken"]) >= events["pies_as_dealt"]
        assert set(finished["rounds"]) <= {rules.rounds}
        if rules.round_end == "all":
            assert events["pies"] == rules.varieties * events["rounds"]
        placed = events["flips_placed"] + events["from_discard"]
        if rules.round_end == "all" and rules.pies == "identity":
            assert placed == rules.cards * events["rounds"]
            assert sum(events["first_out"]) == events["rounds"]
            total = rules.out_points + rules.varieties * rules.pie_points
            if rules.pie_value == "flat":
                assert sum(events["points"]) == total * events["rounds"]
                seen["points"] += 1
        assert (events["dead"] == 0) or rules.pies == "capacity"
        assert (events["passes"] == 0) or rules.recycle != "own"
        assert events["decisions_free"] >= events["turns"] - events["decisions_forced"]
        assert events["starter_first_out"] <= sum(events["first_out"]) <= events["rounds"]
        tally = counts.tallies["pies_by_seat"]
        if not counts.capped:
            for seat in players:
                mine = [pair for (at, _), pair in tally.items() if at == seat]
                assert sum(pair[0] for pair in mine) == events["pies_taken"][seat]
            assert sum(pair[1] for pair in tally.values()) == events["pies_as_dealt"]
        assert {pie for _, pie in tally} <= set(rules.pie_numbers)
    assert min(seen.values()) > 20, seen


def test_winners_have_most_points() -> None:
    frame = simcards.run("horner", 4000, players=4, seed=8, rows=True).rows
    shared = 0
    for row in frame.rows(named=True):
        points = [row[f"points_{seat}"] for seat in range(4)]
        best = [seat for seat in range(4) if points[seat] == max(points)]
        assert row["winners"] == sum(1 << seat for seat in best)
        assert row["winner"] == (best[0] if len(best) == 1 else -2)
        shared += len(best) > 1
    assert shared > 100
