"""Each option, preset and strategy of thirteen does something, and what it says."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from typing import Any

import polars as pl
import pytest
from games.scenes import (
    Scene,
    all_values,
    check_every_value_comes_back,
    check_every_value_matters,
    check_wrong_values_are_refused,
)
from games.thirteen_cases import STRATEGIES, random_rules, random_strategies

import simcards
from simcards import thirteen
from simcards.sim.chunk import engine_rules, prepare_kernel, rules_array
from simcards.sim.errors import RequestError
from simcards.sim.games.thirteen import BOMBS, GAME, INSTANT, Rules, decode, encode
from simcards.sim.options import make_rules, options
from simcards.sim.plan import make_plan

OPTIONS = {option.name: option for option in options(Rules)}


@pytest.fixture(scope="module", autouse=True)
def kernel() -> None:
    prepare_kernel(GAME)


def rows(n: int = 400, strategies: Any = None, preset: str | None = None, **rules: Any):
    """Rows of the same seed; of the columns that there are by seat only those of seat 0."""
    frame = simcards.run(
        "thirteen", n, rules=rules, preset=preset, strategies=strategies, seed=11, rows=True
    ).rows
    return frame.select(name for name in frame.columns if name[-1] not in "123")


PLAY = ("winner", "turns", "plays", "tricks", "bombs", "cards_left")
"""Columns that say how a deal went, and not how many choices there were."""


# Every value of every option


NONE = (0, 0, 0, 0, 0)
PRICES = tuple(tuple(int(j == k) for k in range(5)) for j in range(5))
# Deals in which 2s and bombs come out early and often.
BOLD: dict[str, Any] = {"strategies": "highest", "n": 4000}

SCENES = {
    "players": Scene(),
    # Instant wins give places 2 in a match, and 0 in a deal.
    "target": Scene(
        {"instant": INSTANT},
        ("none", 1, 2, 3, 4, 5, 10, 9999, 10_000),
        same=((1, 2, 3),),
        n=40,
    ),
    # The others follow from beats, which is compared with the referee, and from the deals below.
    "bomb_min": Scene(
        {"dseq_min": 2, "instant": "none", "quad_beats": 0},
        ((3, 4, 5), (0, 4, 5), (2, 4, 5), (4, 4, 5), (3, 0, 5), (3, 2, 5), (3, 3, 5), (3, 4, 2),
         (3, 4, 3), (0, 0, 0), (2, 2, 2), (3, 3, 3)),
        **BOLD,
    ),
    "quad_beats": Scene({"instant": "none"}, **BOLD),
    "bomb_vs_bomb": Scene({"dseq_min": 2, "bomb_scope": "any"}, **BOLD),
    "bomb_scope": Scene(),
    "lockout": Scene(),
    "bomb_after_pass": Scene({"bomb_scope": "any"}, strategies="random", n=2000),
    "first_lead": Scene(),
    "starter": Scene({"target": 6}),
    "lead_after_out": Scene(),
    "instant": Scene(
        {},
        (("twos", "dragon"), "none", INSTANT, *((word,) for word in INSTANT), INSTANT[2:],
         INSTANT[:3]),
        n=20_000,
    ),
    "instant_tie": Scene({"instant": INSTANT}, n=50_000),
    "seq_min": Scene(),
    "dseq_min": Scene({"bomb_min": (4, 4, 5)}),
    "seq_twos": Scene(),
    "compare_suit": Scene(),
    "pass_rule": Scene(strategies="saver"),
    "finish_two": Scene(),
    "play_until": Scene(),
    "points": Scene(
        {},
        ("auto", (3, 2, 1, 0), (0, 0, 0, 0), (1, 0, 0, 0), (1, 1, 0, 0), (1, 1, 1, 0),
         (1, 1, 1, 1), (1000, 1000, 1000, 1000), (1000, 0, 0, 0)),
        same=(("auto", (3, 2, 1, 0)),),
    ),
    "score": Scene(),
    "penalties": Scene(  # who is left in the end seldom holds a bomb, unless the first out ends it
        {"play_until": "first"},
        ("none", NONE, *PRICES, (1, 2, 3, 4, 6), (1000,) * 5),
        same=(("none", NONE),),
        n=20_000,
    ),
    # No deal is longer than 52 turns a player.
    "max_turns": Scene(
        {}, (1, 2, 3, 30, 208, 9999, 10_000, 10_001, 1_000_000),
        same=((208, 9999, 10_000, 10_001, 1_000_000),),
    ),
}  # fmt: skip


def test_every_option_has_its_scene() -> None:
    assert list(SCENES) == list(OPTIONS)


@pytest.mark.parametrize("name", SCENES)
def test_every_value_of_an_option_changes_some_deal(name: str) -> None:
    check_every_value_matters(rows, SCENES[name], OPTIONS[name])


TWOS = ("2S", "2C", "2D")
PAIRS = "3S 3C 4S 4C 5S 5C 6S 6C 7S 7C 8S 8C".split()


@pytest.mark.parametrize("twos", [1, 2, 3])
@pytest.mark.parametrize("least", [0, *range(2, 7)])
def test_every_number_of_bomb_min_matters_at_the_table(twos: int, least: int) -> None:
    bomb_min = [2, 2, 2]
    bomb_min[twos - 1] = least
    rules = {"dseq_min": 2, "bomb_min": tuple(bomb_min)}
    for ranks in range(2, 7):
        hands = [["9S", *TWOS[:twos]], [*PAIRS[: 2 * ranks], "10S"]]
        moves = [TWOS[:twos], PAIRS[: 2 * ranks]]
        if 0 < least <= ranks:
            told = thirteen.play_from(hands, starter=0, moves=moves, rules=rules)
            assert told.row["bombs"] == 1
        else:
            with pytest.raises(RequestError, match=r"moves\[1\]"):
                thirteen.play_from(hands, starter=0, moves=moves, rules=rules)


# ... and those that, by the rules, can't change anything where they stand


@pytest.mark.parametrize(
    ("rules", "changes", "why"),
    [
        ({}, {"starter": "loser"}, "there is no later deal"),
        ({}, {"starter": "lowest"}, "there is no later deal"),
        ({"instant": "none"}, {"instant_tie": "void"}, "nothing wins at once"),
        ({"instant": "twos"}, {"instant_tie": "void"}, "only one can hold the four 2s"),
        ({"instant": "twos"}, {"instant_tie": "dragon"}, "only one can hold the four 2s"),
        ({"instant": "six_pairs"}, {"instant_tie": "twos"}, "all hands are of one kind"),
        ({"lockout": "off"}, {"bomb_after_pass": "yes"}, "a pass locks nobody"),
        ({"lockout": "off"}, {"bomb_after_pass": "four"}, "a pass locks nobody"),
        ({"players": 2}, {"lockout": "off"}, "a pass closes the trick"),
        ({"players": 2}, {"bomb_after_pass": "yes"}, "a pass closes the trick"),
        ({"players": 2}, {"lead_after_out": "last_passer"}, "the deal is over"),
        ({"play_until": "first"}, {"lead_after_out": "last_passer"}, "the deal is over"),
        ({"play_until": "first"}, {"lead_after_out": "previous_player"}, "the deal is over"),
        ({"bomb_scope": "any"}, {"bomb_min": (0, 0, 0)}, "any bomb beats 2s"),
        ({"bomb_scope": "any"}, {"quad_beats": 3}, "any bomb beats 2s"),
        ({"score": "cards"}, {"play_until": "first"}, "paying by cards implies it"),
        ({"play_until": "first"}, {"points": (3, 3, 3, 3)}, "only the first scores"),
        ({}, {"points": (3, 2, 1, 0)}, "these are the default points"),
        ({"players": 3}, {"points": (3, 2, 0)}, "these are the default points"),
        ({"players": 2}, {"points": (3, 0)}, "these are the default points"),
        ({}, {"penalties": NONE}, "nothing costs anything"),
        ({}, {"max_turns": 208}, "no deal is longer"),
        ({"target": 1}, {"target": 3}, "the first of one deal gets 3"),
    ],
    ids=lambda part: part if isinstance(part, str) else None,
)
@pytest.mark.parametrize("strategies", ["lowest", "random"])
def test_what_can_not_matter_does_not(
    rules: dict[str, Any], changes: dict[str, Any], why: str, strategies: str
) -> None:
    before = rows(1000, strategies, **rules)
    assert before.equals(rows(1000, strategies, **(rules | changes))), why


@pytest.mark.parametrize("strategy", ["lowest", "shed", "highest"])
def test_those_who_never_pass_by_choice_can_not_be_forced(strategy: str) -> None:
    """Only what counts as a choice differs."""
    before, after = rows(1000, strategy), rows(1000, strategy, pass_rule="forced")
    assert before.select(PLAY).equals(after.select(PLAY))
    assert (after["free"] <= before["free"]).all() and (after["free"] < before["free"]).any()


# Presets


def test_presets_change_deals() -> None:
    assert rows(preset="classic").equals(rows())
    by_preset = {preset: rows(preset=preset) for preset in GAME.presets}
    for one, other in combinations(by_preset, 2):
        assert not by_preset[one].equals(by_preset[other])


@pytest.mark.parametrize(
    ("preset", "name"),
    [(preset, name) for preset, changes in GAME.presets.items() for name in changes],
)
def test_each_part_of_a_preset_counts(preset: str, name: str) -> None:
    changes = dict(GAME.presets[preset])
    n = 40_000 if name in ("bomb_vs_bomb", "bomb_after_pass") else 4000
    whole = rows(n, preset=preset)
    assert whole.equals(rows(n, **changes))
    assert changes.pop(name) != OPTIONS[name].default
    assert not whole.equals(rows(n, **changes))


# Strategies

NAMES = [strategy.name for strategy in GAME.decisions[0].strategies]


def test_all_strategies_are_tried() -> None:
    assert {text.partition(":")[0] for text in STRATEGIES} | {"endgame"} == set(NAMES)
    parameters = {
        strategy.name: [(one.name, one.default, one.low, one.high) for one in strategy.parameters]
        for strategy in GAME.decisions[0].strategies
        if strategy.parameters
    }
    near_and_alarm = [("near", 2, 0, 13), ("alarm", 5, 0, 13)]
    assert parameters == {
        "random": [("passes", 1, 0, 1)],
        "saver": [("hold", 2, 0, 3), ("until", 5, 0, 13)],
        "structure": near_and_alarm,
        "control": near_and_alarm,
        "blocker": near_and_alarm,
        "endgame": [("nodes", 20_000, 100, 10_000_000)],
    }


def test_every_strategy_changes_how_deals_go() -> None:
    found = {name: rows(400, name).select(PLAY) for name in NAMES}
    assert found[GAME.decisions[0].default].equals(rows().select(PLAY))
    for one, other in combinations(found, 2):
        assert not found[one].equals(found[other]), (one, other)


@pytest.mark.parametrize("name", NAMES[1:])
def test_every_seat_has_its_own_strategy(name: str) -> None:
    found = [rows(200, {seat: name}) for seat in range(4)] + [rows(200)]
    for one, other in combinations(found, 2):
        assert not one.equals(other)


@pytest.mark.parametrize(
    ("strategy", "parameter", "different", "n"),
    [
        ("random", "passes", range(2), 100),
        ("saver", "hold", range(4), 400),
        ("saver:hold=3", "until", range(14), 4000),
        ("structure", "near", range(9), 4000),
        ("structure", "alarm", range(14), 4000),
        ("control", "near", range(1, 9), 4000),
        ("control", "alarm", range(14), 4000),
        ("blocker", "near", range(1, 9), 4000),
        ("blocker", "alarm", range(14), 4000),
        ("endgame", "nodes", (100, 1000, 20_000), 400),
    ],
)
def test_every_parameter_changes_how_deals_go(
    strategy: str, parameter: str, different: Any, n: int
) -> None:
    found = {value: rows(n, f"{strategy}:{parameter}={value}") for value in different}
    for one, other in combinations(found, 2):
        assert not found[one].equals(found[other]), (one, other)
    (told,) = [
        one
        for known in GAME.decisions[0].strategies
        if known.name == strategy.partition(":")[0]
        for one in known.parameters
        if one.name == parameter
    ]
    assert rows(200, strategy).equals(rows(200, f"{strategy}:{parameter}={told.default}"))


@pytest.mark.parametrize("strategy", ["structure", "control", "blocker"])
def test_parameters_that_can_not_matter_do_not(strategy: str) -> None:
    """A plan of 13 plays would be 13 ranks, a sequence among them."""
    assert rows(2000, f"{strategy}:near=12").equals(rows(2000, f"{strategy}:near=13"))
    if strategy != "structure":  # whose plan is a single play is closing, whatever near says
        assert rows(2000, f"{strategy}:near=0").equals(rows(2000, f"{strategy}:near=1"))


# Refusals

REFUSED: list[tuple[dict[str, Any], list[str]]] = [
    ({"bomb_min": (2, 3, 4)}, ["bomb_min=2+3+4", "dseq_min=3"]),
    ({"bomb_min": "2,3,4", "dseq_min": 4}, ["bomb_min=2+3+4", "dseq_min=4"]),
    ({"dseq_min": 4}, ["bomb_min=3+4+5", "dseq_min=4"]),
    ({"bomb_min": (1, 3, 4), "dseq_min": 2}, ["bomb_min=1+3+4", "dseq_min=2"]),
    ({"bomb_min": (3, 4)}, ["bomb_min=3+4"]),
    ({"bomb_min": (3, 4, 5, 6)}, ["bomb_min=3+4+5+6"]),
    ({"points": (3, 2, 0)}, ["points=3+2+0", "4 play"]),
    ({"points": (3, 2, 1, 0), "players": 3}, ["points=3+2+1+0", "3 play"]),
    ({"points": (3,)}, ["points=3"]),
    ({"points": (3, 2, 0, 1)}, ["points=3+2+0+1"]),
    ({"points": (0, 0, 0, 1)}, ["points=0+0+0+1"]),
    ({"points": (0, 0, 0, 0), "target": 5}, ["points=0+0+0+0", "target=5"]),
    ({"penalties": (1, 2, 3, 4)}, ["penalties=1+2+3+4"]),
    ({"penalties": (1, 2, 3, 4, 5, 6)}, ["penalties=1+2+3+4+5+6"]),
    ({"score": "cards", "points": (3, 2, 1, 0)}, ["points", "score=cards"]),
]


@pytest.mark.parametrize(("rules", "named"), REFUSED, ids=str)
def test_rules_that_can_not_be_played_are_refused(rules: dict[str, Any], named: list[str]) -> None:
    with pytest.raises(RequestError) as refusal:
        simcards.run("thirteen", 1, rules=rules)
    for name in named:
        assert name in str(refusal.value)


def test_a_preset_for_four_is_refused_for_three() -> None:
    with pytest.raises(RequestError, match=r"points=1\+0\+0\+0"):
        simcards.run("thirteen", 1, preset="first-out", players=3)


@pytest.mark.parametrize(
    ("strategy", "named"),
    [
        ("saver:hold=4", "hold"),
        ("saver:until=14", "until"),
        ("saver:near=1", "near"),
        ("structure:near=-1", "near"),
        ("control:alarm=14", "alarm"),
        ("blocker:alarm=x", "alarm"),
        ("endgame:nodes=99", "nodes"),
        ("endgame:nodes=1e8", "nodes"),
        ("random:passes=2", "passes"),
        ("lowest:until=1", "until"),
        ("sheed", "shed"),
        ("lowest+lowest", "lowest+lowest"),
    ],
)
def test_strategies_that_can_not_be_played_are_refused(strategy: str, named: str) -> None:
    with pytest.raises(RequestError) as refusal:
        simcards.run("thirteen", 1, strategies={0: strategy})
    assert named in str(refusal.value) and strategy in str(refusal.value)


@pytest.mark.parametrize("name", OPTIONS)
def test_values_that_an_option_has_not_are_refused(name: str) -> None:
    check_wrong_values_are_refused(GAME, OPTIONS[name])


def test_a_number_is_no_list_of_instant_wins() -> None:
    with pytest.raises(RequestError, match="instant"):
        simcards.run("thirteen", 1, rules={"instant": 3})


def blame(values: dict[str, Any]) -> set[str]:
    """Of docs/rules/thirteen.md: what the rules are to be refused for."""
    faults = set()
    if any(0 < least < values["dseq_min"] for least in values["bomb_min"]):
        faults.add("bomb_min")
    points = values["points"]
    if points != "auto":
        if len(points) != values["players"] or sorted(points, reverse=True) != list(points):
            faults.add("points")
        if values["target"] != "none" and points[0] == 0:
            faults.add("points")
        if values["score"] == "cards":
            faults.add("score")
    return faults


def test_just_the_rules_that_can_not_be_played_are_refused() -> None:
    choose = random.Random(5)
    seen: Counter[str] = Counter()
    for _ in range(10_000):
        values = {option.name: option.default for option in OPTIONS.values()}
        values["players"] = choose.randint(2, 4)
        for name in choose.sample([*OPTIONS][1:], choose.randint(0, 7)):
            if name == "points":
                numbers = [choose.randint(0, 4) for _ in range(choose.choice((2, 3, 4, 4)))]
                values[name] = tuple(sorted(numbers, reverse=choose.random() < 0.8))
            elif name == "bomb_min":
                values[name] = tuple(choose.choice((0, 3, 4, 4, 5, 6)) for _ in range(3))
            elif name == "instant":
                values[name] = tuple(word for word in INSTANT if choose.random() < 0.5)
            elif name in ("target", "max_turns", "penalties"):
                values[name] = choose.choice(SCENES[name].values)
            else:
                values[name] = choose.choice(all_values(OPTIONS[name]))
        faults = blame(values)
        try:
            make_rules("thirteen", Rules, values, "--rule")
        except RequestError as refusal:
            assert any(name in str(refusal) for name in faults), (values, refusal)
            seen.update(faults)
        else:
            assert not faults, values
            seen["played"] += 1
    assert min(seen[name] for name in ("bomb_min", "points", "score", "played")) > 100, seen


# Rules as the engine has them


def test_rules_come_back_from_the_engine() -> None:
    choose = random.Random(6)
    for _ in range(2000):
        rules = random_rules(choose)
        plan = make_plan("thirteen", rules=rules, seed=0)
        assert plan.rules == rules
        record = rules_array(plan)[0]
        assert decode(rules, record) == decode(rules, encode(rules)) == engine_rules(plan) == rules


@pytest.mark.parametrize("name", SCENES)
def test_every_value_comes_back_from_the_engine(name: str) -> None:
    check_every_value_comes_back(GAME, SCENES[name], OPTIONS[name])


# Rows and counts


def runs(number: int, n: int):
    """Runs under random rules, of random strategies."""
    choose = random.Random(31)
    for _ in range(number):
        rules = random_rules(choose)
        seats = random_strategies(choose, rules)
        yield (
            rules,
            simcards.run(
                "thirteen", n, rules=rules, strategies=seats, seed=choose.randrange(2**64),
                rows=True,
            ),
        )  # fmt: skip


def by_seat(frame: pl.DataFrame, name: str) -> list[tuple[int, ...]]:
    return frame.select(one for one in frame.columns if one.startswith(name)).rows()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_points_of_a_deal_sum_to_what_the_rules_say(players: int) -> None:
    """Fact 1."""
    frame = simcards.run("thirteen", 4000, players=players, seed=3, rows=True).rows
    standard = {2: (3, 0), 3: (3, 2, 0), 4: (3, 2, 1, 0)}[players]
    seen = Counter()
    for instant, points, places in zip(
        frame["instant"], by_seat(frame, "points_"), by_seat(frame, "place_"), strict=True
    ):
        seen[instant] += 1
        if instant == "none":
            assert sorted(points, reverse=True) == list(standard)
            assert sorted(places) == list(range(1, players + 1))
            assert [standard[place - 1] for place in places] == list(points)
        else:
            assert sorted(points) == [0] * (players - 1) + [3]
            assert sorted(places) == [0] * (players - 1) + [1]
    assert seen["none"] and seen["twos"]
    assert (frame["turns"] <= 52 * players).all()


def test_rows_are_consistent_under_random_rules() -> None:
    seen: Counter[str] = Counter()
    for rules, result in runs(150, 40):
        frame = result.rows
        match = rules.target != "none"
        points, places = by_seat(frame, "points_"), by_seat(frame, "place_")
        for row, numbers, ranked in zip(frame.rows(named=True), points, places, strict=True):
            winner, status = row["winner"], row["status"]
            assert row["turns"] == row["plays"] + row["passes"] == row["free"] + row["forced"]
            assert row["winners"] == (1 << winner if winner >= 0 else 0)
            assert row["bombs_beaten"] <= row["bombs"] <= row["plays"]
            assert row["tricks"] <= row["plays"]
            seen[status] += 1
            if status == "capped":
                assert winner == -1 and not any(numbers) and not any(ranked)
                continue
            if winner < 0:  # several instant hands, with instant_tie=void
                assert rules.instant_tie == "void" and not match
                continue
            assert ranked[winner] == 1
            if rules.score == "cards" or match:
                assert rules.score != "cards" or sum(numbers) == 0
                seen["cards"] += rules.score == "cards"
            if match:  # places by total, ties share the better one
                assert numbers[winner] == max(numbers) >= rules.target
                assert list(ranked) == [1 + sum(b > a for b in numbers) for a in numbers]
                assert ranked.count(1) == 1
                seen["match"] += 1
                continue
            only_first = rules.score == "cards" or rules.play_until == "first"
            if row["instant"] != "none" or only_first:
                assert sorted(ranked) == [0] * (rules.players - 1) + [1]
                expected = [rules.place_points[0] if place else 0 for place in ranked]
            else:
                assert sorted(ranked) == list(range(1, rules.players + 1))
                expected = [rules.place_points[place - 1] for place in ranked]
            if rules.score == "places":
                # penalties go from seat to seat
                assert sum(numbers) == sum(expected)
                if rules.penalties == "none":
                    assert list(numbers) == expected
                seen["places"] += 1
    for what in ("finished", "capped", "cards", "match", "places"):
        assert seen[what] >= 5, seen


def test_nobody_wins_when_several_hands_do_and_that_is_void() -> None:
    rules = {"instant": INSTANT, "instant_tie": "void"}
    result = simcards.run("thirteen", 50_000, rules=rules, seed=4, rows=True)
    void = result.rows.filter(pl.col("winner") < 0)
    assert void.height == result.counts.nobody > 5 and result.counts.capped == 0
    assert set(void["status"]) == {"finished"} and set(void["instant"]) == {"none"}
    for name in (
        "winners",
        "turns",
        *(f"{what}_{s}" for what in ("place", "points") for s in range(4)),
    ):
        assert set(void[name]) == {0}, name
    events = result.counts.events
    assert events["instant_wins"] == sum(events[f"instant_{kind}"] for kind in INSTANT)
    # Otherwise somebody wins these deals, and all others go on as they did.
    seat = simcards.run(
        "thirteen", 50_000, rules=rules | {"instant_tie": "seat"}, seed=4, rows=True
    )
    at_once = seat.rows.filter(result.rows["winner"] < 0)
    assert "none" not in set(at_once["instant"])
    assert result.rows.filter(pl.col("winner") >= 0).equals(
        seat.rows.filter(result.rows["winner"] >= 0)
    )


@pytest.mark.parametrize("penalties", ["none", (1, 2, 3, 4, 6), (1000, 999, 998, 997, 996)])
def test_what_is_paid_by_cards_is_won(penalties: Any) -> None:
    frame = simcards.run(
        "thirteen", 4000, preset="southern", rules={"score": "cards", "penalties": penalties},
        strategies=["control", "random", "lowest", "shed"], seed=4, rows=True,
    ).rows  # fmt: skip
    points = by_seat(frame, "points_")
    assert all(sum(numbers) == 0 for numbers in points)
    assert len({max(numbers) for numbers in points}) > 20
    if penalties == "none":
        for row, numbers in zip(frame.rows(named=True), points, strict=True):
            assert numbers[row["winner"]] >= row["cards_left"]
            assert row["instant"] == "none" or sorted(numbers) == [-26, -26, -26, 78]


def test_a_match_ends_with_one_best_total_at_the_target() -> None:
    for target in (1, 7, 30):
        result = simcards.run("thirteen", 1000, rules={"target": target}, seed=5, rows=True)
        for numbers, deals in zip(
            by_seat(result.rows, "points_"), result.rows["deals"], strict=True
        ):
            best = max(numbers)
            assert best >= target and numbers.count(best) == 1
            assert 3 * deals <= sum(numbers) <= 6 * deals
        assert result.counts.events["points"] == tuple(
            result.rows[f"points_{seat}"].sum() for seat in range(4)
        )


def test_counts_add_up() -> None:
    seen: Counter[str] = Counter()
    for rules, result in runs(80, 50):
        counts, frame = result.counts, result.rows
        events = counts.events
        finished = frame.filter(pl.col("status") == "finished")
        assert events["deals"] == finished["deals"].sum() == sum(events["opener_at"])
        assert events["opener_wins"] <= events["deals"]
        assert events["turns"] == finished["turns"].sum()
        assert events["instant_wins"] == sum(events[f"instant_{kind}"] for kind in INSTANT)
        assert events["bombs_played"] == sum(events[f"played_{kind}"] for kind in BOMBS)
        assert events["bombs_beaten"] == sum(events[f"beaten_{kind}"] for kind in BOMBS)
        assert events["bombs_played"] == finished["bombs"].sum()
        for kind in BOMBS:
            assert events[f"beaten_{kind}"] <= events[f"played_{kind}"]
            seen[kind] += events[f"played_{kind}"]
        for kind in INSTANT:
            assert kind in rules.instant or events[f"instant_{kind}"] == 0
            seen[kind] += events[f"instant_{kind}"]
        assert events["deals_with_bomb"] <= min(events["deals"], events["bombs_played"])
        assert (events["deals_with_bomb"] == 0) == (events["bombs_played"] == 0)
        assert events["decisions_forced"] + events["decisions_free"] == events["turns"]
        assert events["plays"] + events["passes"] == events["turns"]
        assert events["endgame_gave_up"] == 0
        tally = counts.tallies["wins_by_twos"]
        # A deal that is capped, or that nobody won, has no winner.
        hands, wins = (sum(pair[j] for pair in tally.values()) for j in range(2))
        assert hands % rules.players == 0 and wins <= hands // rules.players
        by = [sum(pair[0] for key, pair in tally.items() if key[0] == s) for s in range(4)]
        assert len(set(by[: rules.players])) == 1 and not any(by[rules.players :])
        if not counts.capped:
            assert hands == events["deals"] * rules.players
            seen["all finished"] += 1
            if rules.instant_tie != "void":
                assert wins == events["deals"]
    assert min(seen[what] for what in ("all finished", *BOMBS[:4], *INSTANT[:3])) > 0, seen


def test_opener_of_single_deals_is_counted_by_seat() -> None:
    result = simcards.run("thirteen", 4000, seed=6, rows=True)
    openers = Counter(result.rows["opener"].to_list())
    assert result.counts.events["opener_at"] == tuple(openers[seat] for seat in range(4))
    won = (result.rows["opener"] == result.rows["winner"]).sum()
    assert result.counts.events["opener_wins"] == won
    twos = result.counts.tallies["wins_by_twos"]
    for seat in range(4):
        wins = sum(pair[1] for key, pair in twos.items() if key[0] == seat)
        assert wins == result.counts.wins[seat]
        assert sum(key[1] * pair[0] for key, pair in twos.items() if key[0] == seat) > 0
    assert sum(key[1] * pair[0] for key, pair in twos.items()) == 4 * 4000  # all 2s are dealt
