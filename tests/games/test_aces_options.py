"""Each option, preset and strategy of aces does something, and what it says."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from typing import Any

import polars as pl
import pytest
from games.aces_cases import (
    DISPLACES,
    PLACES,
    as_referee_tells,
    for_referee,
    random_rules,
    random_strategies,
)
from games.scenes import (
    Scene,
    all_values,
    check_every_value_comes_back,
    check_every_value_matters,
    check_wrong_values_are_refused,
)
from referees.aces_audit import Audit

import simcards
from simcards.sim.chunk import engine_rules, prepare_kernel, rules_array
from simcards.sim.errors import RequestError
from simcards.sim.games.aces import GAME, Rules, decode
from simcards.sim.options import make_rules, options
from simcards.sim.plan import make_plan
from simcards.sim.replay import replay_game

OPTIONS = {option.name: option for option in options(Rules)}


@pytest.fixture(scope="module", autouse=True)
def kernel() -> None:
    prepare_kernel(GAME)


def rows(n: int = 400, strategies: Any = None, preset: str | None = None, **rules: Any):
    """Rows of the same seed; of the columns that there are by seat only those of seat 0."""
    frame = simcards.run(
        "aces", n, rules=rules, preset=preset, strategies=strategies, seed=11, rows=True
    ).rows
    return frame.select(name for name in frame.columns if name[-1] not in "12345")


PLAY = ("winner", "turns", "hands", "discards_taken", "reshuffles")
"""Columns that say how a match went, and not how many choices there were."""


# Every value of every option


SCENES = {
    "players": Scene(),
    "packs": Scene(same=(("auto", 1),)),
    "layout": Scene({"wild": "none"}),
    "layouts": Scene(
        {"wild": "none"},
        ("none", (10, 7), (7, 10), (1, 13), (13, 1), (5, 5), (10, 10), (9, 10), (13, 13)),
        same=(("none", (10, 10)),),
    ),
    "shrink": Scene({"layout": 13, "wild": "none"}),
    "hands": Scene({"shrink": 0}, (1, 2, 3, 4, 5, 10, 100, 999, 1000), n=50),
    "match": Scene(),
    "take_discard": Scene(),
    "displace": Scene(),
    "reshuffle": Scene({"players": 4, "packs": 1}),
    "finish": Scene(),
    "complete": Scene(),
    # With so many wilds there are often five of them in a layout.
    "wild_limit": Scene({"jokers": 4, "packs": 4}),
    "starter": Scene({"players": 3}),
    "wild": Scene(),
    "jokers": Scene(),
    "queen": Scene(),
    "initial_discard": Scene(),
    # Locked out, as most hands are here, one plays on to the end.
    "max_turns": Scene(
        {"players": 5, "packs": 1, "match": "hand"},
        (1, 2, 3, 60, 9999, 10_000, 10_001, 999_999, 1_000_000),
        n=10,
    ),
}


def test_every_option_has_its_scene() -> None:
    assert list(SCENES) == list(OPTIONS)


@pytest.mark.parametrize("name", SCENES)
def test_every_value_of_an_option_changes_some_match(name: str) -> None:
    check_every_value_matters(rows, SCENES[name], OPTIONS[name])


@pytest.mark.parametrize("players", range(1, 7))
def test_packs_auto_is_a_number_of_packs(players: int) -> None:
    auto = rows(100, players=players)
    for packs in range(2 if players == 6 else 1, 5):  # six need two packs
        equal = auto.equals(rows(100, players=players, packs=packs))
        assert equal == (packs == (players + 1) // 2)


# ... and those that, by the rules, can't change anything where they stand


@pytest.mark.parametrize(
    ("rules", "changes", "why"),
    [
        ({}, {"reshuffle": "eager"}, "two with one pack who take never reshuffle"),
        ({"players": 1}, {"starter": "loser"}, "nobody else can start"),
        ({"players": 1}, {"starter": "rotate"}, "nobody else can start"),
        ({"players": 1}, {"queen": "skip"}, "nobody else can be skipped"),
        ({"players": 1}, {"finish": "last_turn"}, "nobody else has a last turn"),
        ({"match": "hand"}, {"starter": "loser"}, "there is no next hand"),
        ({"match": "hand"}, {"starter": "rotate"}, "there is no next hand"),
        ({}, {"wild_limit": 4}, "there are four wilds"),
        ({"wild": "none"}, {"wild_limit": 0}, "there are no wilds"),
        ({"wild": "none"}, {"displace": "no"}, "there are no wilds"),
        ({"wild": "none"}, {"displace": "may"}, "there are no wilds"),
        ({"wild": "none"}, {"complete": "natural"}, "there are no wilds"),
        ({"wild_limit": 0}, {"complete": "natural"}, "no wild is ever placed"),
        ({}, {"max_turns": 1_000_000}, "no hand is that long"),
        ({"shrink": 0}, {"match": "hand"}, "the match has one hand"),
        ({"shrink": 10}, {"match": "hand"}, "the first hand decides"),
        ({"jokers": 0}, {"layouts": (10, 10)}, "these are the default sizes"),
    ],
    ids=lambda part: part if isinstance(part, str) else None,
)  # fmt: skip
def test_what_can_not_matter_does_not(
    rules: dict[str, Any], changes: dict[str, Any], why: str
) -> None:
    assert rows(1000, **rules).equals(rows(1000, **(rules | changes))), why


@pytest.mark.parametrize(
    ("rules", "changes"),
    [
        # One who takes only what can be placed isn't helped by being allowed more ...
        ({}, {"take_discard": "any"}),
        # ... nor does one who always takes the wild up decide anything.
        ({}, {"displace": "may"}),
    ],
)
def test_choices_that_are_never_used_change_no_match(
    rules: dict[str, Any], changes: dict[str, Any]
) -> None:
    before, after = rows(2000, **rules), rows(2000, **(rules | changes))
    assert before.select(PLAY).equals(after.select(PLAY))
    assert (after["free"] > before["free"]).any() and (after["free"] >= before["free"]).all()


def test_never_allowed_is_never_wanted() -> None:
    """take_discard=never and the strategy never: only the choices asked differ."""
    forbidden, unwanted = rows(2000, take_discard="never"), rows(2000, "never")
    assert forbidden.drop("free", "forced").equals(unwanted.drop("free", "forced"))
    assert forbidden["discards_taken"].sum() == 0


# Presets


def test_presets_change_matches() -> None:
    plain = rows()
    assert rows(preset="bicycle").equals(plain)
    by_preset = {preset: rows(preset=preset) for preset in GAME.presets}
    for one, other in combinations(by_preset, 2):
        assert not by_preset[one].equals(by_preset[other])


@pytest.mark.parametrize(
    ("preset", "name"),
    [(preset, name) for preset, changes in GAME.presets.items() for name in changes],
)
def test_each_part_of_a_preset_counts(preset: str, name: str) -> None:
    changes = dict(GAME.presets[preset])
    whole = rows(preset=preset, players=3)
    assert whole.equals(rows(players=3, **changes))
    assert changes.pop(name) != OPTIONS[name].default
    assert not whole.equals(rows(players=3, **changes))


# Strategies

# For each decision, rules under which each of its strategies plays otherwise than each other.
WHERE: dict[str, dict[str, Any]] = {
    "take": {"players": 3, "take_discard": "any"},
    "wild": {"players": 3, "displace": "no"},
    "displace": {"displace": "may"},
}


def written(decision: str, strategy: str) -> str:
    """A strategy of one decision, and the defaults of those before it."""
    words = []
    for one in GAME.decisions:
        if one.name == decision:
            return "+".join([*words, strategy])
        words.append(one.default)
    raise ValueError(decision)


def test_all_decisions_are_tried() -> None:
    assert list(WHERE) == [decision.name for decision in GAME.decisions]
    assert PLACES == tuple(one.name for one in GAME.decisions[1].strategies)
    assert DISPLACES == tuple(one.name for one in GAME.decisions[2].strategies)


@pytest.mark.parametrize("decision", GAME.decisions, ids=lambda decision: decision.name)
def test_every_strategy_changes_how_matches_go(decision) -> None:
    where = WHERE[decision.name]
    found = {
        strategy.name: rows(400, written(decision.name, strategy.name), **where).select(PLAY)
        for strategy in decision.strategies
    }
    assert found[decision.default].equals(rows(400, **where).select(PLAY))
    for one, other in combinations(found, 2):
        assert not found[one].equals(found[other]), (one, other)


@pytest.mark.parametrize("decision", GAME.decisions, ids=lambda decision: decision.name)
def test_every_seat_has_its_own_strategy(decision) -> None:
    where = WHERE[decision.name] | {"players": 3}
    other = written(
        decision.name,
        next(one.name for one in decision.strategies[::-1] if one.name != decision.default),
    )
    found = [rows(400, {seat: other}, **where) for seat in range(3)] + [rows(400, **where)]
    for one, another in combinations(found, 2):
        assert not one.equals(another)


@pytest.mark.parametrize(("packs", "least"), [(1, 0), (2, 2), (3, 5), (4, 8)])
def test_every_number_of_copies_matters(packs: int, least: int) -> None:
    """Of a rank that lies open 4 * packs - 1 others can be unseen; few seldom are, of many."""
    where = {"players": 3, "packs": packs, "jokers": 4}
    found = [rows(1500, f"rare:copies={copies}", **where) for copies in range(21)]
    most = 4 * packs - 1
    for one, other in combinations(range(least, most + 1), 2):
        assert not found[one].equals(found[other]), (one, other)
    always = rows(1500, "always", **where)
    assert all(found[copies].equals(always) for copies in range(most, 21))


def test_rare_without_a_number_is_one_copy() -> None:
    assert rows(400, "rare").equals(rows(400, "rare:copies=1"))


def test_every_parameter_is_tried() -> None:
    found = [
        (decision.name, strategy.name, one.name, one.default, one.low, one.high)
        for decision in GAME.decisions
        for strategy in decision.strategies
        for one in strategy.parameters
    ]
    assert found == [("take", "rare", "copies", 1, 0, 20)]


@pytest.mark.parametrize(
    "rules", [{}, {"players": 4, "packs": 1}, {"jokers": 2}, {"wild_limit": 2}], ids=str
)
def test_where_wilds_go_changes_only_how_often_they_are_handled(rules: dict[str, Any]) -> None:
    found = {place: rows(400, f"always+{place}", **rules) for place in PLACES}
    for one, other in combinations(found, 2):
        assert found[one].select(PLAY).equals(found[other].select(PLAY))
        assert not found[one].equals(found[other])


# Refusals

REFUSED: list[tuple[dict[str, Any], list[str]]] = [
    ({"layout": 9, "layouts": (10, 7)}, ["layout", "layouts"]),
    ({"layouts": (10, 7, 5)}, ["layouts"]),
    ({"players": 3, "layouts": (10, 7)}, ["layouts"]),
    ({"layout": 11}, ["wild=J"]),
    ({"layout": 12, "wild": "Q"}, ["wild=Q"]),
    ({"layout": 11, "wild": "JQ"}, ["wild=JQ"]),
    ({"layouts": (1, 13), "wild": "K"}, ["wild=K"]),
    ({"wild": "Q", "queen": "skip"}, ["queen=skip"]),
    ({"wild": "JQ", "queen": "skip"}, ["queen=skip"]),
    ({"layout": 12, "wild": "K", "queen": "skip"}, ["queen=skip"]),
    ({"shrink": 11}, ["shrink=11"]),
    ({"layouts": (3, 4), "shrink": 5}, ["shrink=5"]),
    ({"hands": 2}, ["hands=2", "shrink=0"]),
    ({"hands": 2, "shrink": 0, "match": "hand"}, ["hands=2", "match=full"]),
    ({"complete": "natural", "displace": "no"}, ["complete=natural", "displace=no"]),
    ({"complete": "natural", "displace": "no", "wild": "none", "jokers": 1}, ["complete=natural"]),
    ({"players": 6, "packs": 1, "layout": 9}, ["layouts", "packs"]),
    ({"players": 5, "packs": 1, "layouts": (10, 10, 10, 10, 11), "wild": "none"}, ["layouts"]),
]


@pytest.mark.parametrize(("rules", "named"), REFUSED, ids=str)
def test_rules_that_can_not_be_played_are_refused(rules: dict[str, Any], named: list[str]) -> None:
    with pytest.raises(RequestError) as refusal:
        simcards.run("aces", 1, rules=rules)
    for name in named:
        assert name in str(refusal.value)


@pytest.mark.parametrize(
    ("rules", "strategy", "named"),
    [
        ({}, "safe_pass", "take_discard=any"),
        ({"take_discard": "never"}, "random", "'take'"),
        ({"take_discard": "never"}, "never", "'take'"),
        ({"wild": "none"}, "always+highest", "'wild'"),
        ({"wild_limit": 0}, "always+random", "'wild'"),
        ({}, "always+lowest+never", "displace=may"),
        ({"displace": "no"}, "always+lowest+random", "displace=may"),
        ({}, "rare:copies=21", "copies"),
        ({}, "rare:copies=-1", "copies"),
        ({}, "always:copies=1", "copies"),
        ({}, "seldom", "seldom"),
        ({}, "always+lowest+always+always", "always+lowest+always+always"),
    ],
)
def test_strategies_that_can_not_be_played_are_refused(
    rules: dict[str, Any], strategy: str, named: str
) -> None:
    with pytest.raises(RequestError) as refusal:
        simcards.run("aces", 1, rules=rules, strategies={0: strategy})
    assert named in str(refusal.value)
    assert f"strategies {strategy}" in str(refusal.value)


@pytest.mark.parametrize("name", OPTIONS)
def test_values_that_an_option_has_not_are_refused(name: str) -> None:
    check_wrong_values_are_refused(GAME, OPTIONS[name])


def blame(values: dict[str, Any]) -> set[str]:
    """Of docs/rules/aces.md: the options that the rules are to be refused for, in any order."""
    players, packs = values["players"], values["packs"]
    packs = (1, 1, 1, 2, 2, 3, 3)[players] if packs == "auto" else packs
    handicap = values["layouts"] != "none"
    sizes = values["layouts"] if handicap else (values["layout"],) * players
    wild = {"J": {11}, "Q": {12}, "K": {13}, "JQ": {11, 12}, "none": set()}[values["wild"]]
    faults = set()
    if handicap and (values["layout"] != 10 or len(sizes) != players):
        faults.add("layouts")
    if any(rank <= max(sizes) for rank in wild):
        faults.add("wild")
    if values["queen"] == "skip" and (12 in wild or max(sizes) >= 12):
        faults.add("queen")
    if values["shrink"] > max(sizes):
        faults.add("shrink")
    if values["hands"] != 1 and (values["shrink"] or values["match"] == "hand"):
        faults.add("hands")
    wilds_are_placed = (wild or values["jokers"]) and values["wild_limit"] != 0
    if values["complete"] == "natural" and values["displace"] == "no" and wilds_are_placed:
        faults.add("complete")
    if (52 + values["jokers"]) * packs - sum(sizes) < 2:
        faults.add("layouts")
    return faults


def test_just_the_rules_that_can_not_be_played_are_refused() -> None:
    choose = random.Random(5)
    seen: Counter[str] = Counter()
    for _ in range(20_000):
        values = {option.name: option.default for option in OPTIONS.values()}
        values["players"] = choose.randint(1, 6)
        for name in choose.sample([*OPTIONS][1:], choose.randint(0, 7)):
            if name == "layouts":
                seats = choose.choice((values["players"],) * 5 + (3,))
                values[name] = tuple(choose.randint(1, 13) for _ in range(seats))
            elif name in ("hands", "max_turns"):
                values[name] = choose.choice((1, 2, 5))
            else:
                values[name] = choose.choice(all_values(OPTIONS[name]))
        faults = blame(values)
        try:
            make_rules("aces", Rules, values, "--rule")
        except RequestError as refusal:
            assert any(name in str(refusal) for name in faults), (values, refusal)
            seen.update(faults)
        else:
            assert not faults, values
            seen["played"] += 1
    assert min(seen[name] for name in ("layouts", "wild", "queen", "shrink", "hands", "complete",
                                       "played")) > 100, seen  # fmt: skip


# Rules as the engine has them


def test_rules_come_back_from_the_engine() -> None:
    choose = random.Random(6)
    for _ in range(2000):
        rules = random_rules(choose)
        plan = make_plan("aces", rules=rules, seed=0)
        assert plan.rules == rules
        record = rules_array(plan)[0]
        assert decode(rules, record) == engine_rules(plan) == rules


@pytest.mark.parametrize("name", SCENES)
def test_every_value_comes_back_from_the_engine(name: str) -> None:
    check_every_value_comes_back(GAME, SCENES[name], OPTIONS[name])


# What happens at the table


def audited(rules: Rules, strategies: list[str], seed: int, index: int) -> Counter[str]:
    told = replay_game(make_plan("aces", rules=rules, strategies=strategies, seed=seed), index)
    return Audit(for_referee(rules), as_referee_tells(told)).count


def test_the_events_of_the_kernel_pass_the_audit() -> None:
    """No card is lost or doubled, and every event is allowed, under 300 sets of rules."""
    choose = random.Random(12)
    total: Counter[str] = Counter()
    for index in range(300):
        rules = random_rules(choose)
        count = audited(rules, random_strategies(choose, rules), 2**64 - 1 - index, index)
        total += count
        total["several reshuffles"] += count["reshuffles"] > 3
    for what in ("several reshuffles", "eager", "skips", "wilds discarded", "wilds kept",
                 "wilds freed", "put back", "finishers after the first", "capped",
                 "first_turn_wins", "taken"):  # fmt: skip
        assert total[what] >= 5, (what, total)


@pytest.mark.parametrize("reshuffle", ["lazy", "eager"])
@pytest.mark.parametrize(
    ("players", "more"),
    [
        (4, {"layout": 12, "wild": "none"}),
        (4, {"layout": 10, "take_discard": "never"}),
        (5, {"layout": 10}),
        (5, {"layout": 10, "finish": "last_turn", "jokers": 1, "queen": "skip"}),
        (6, {"layout": 8, "initial_discard": "yes"}),
    ],
    ids=str,
)
def test_games_with_three_reshuffles_or_more_pass_the_audit(
    players: int, more: dict[str, Any], reshuffle: str
) -> None:
    rules = Rules(players=players, packs=1, max_turns=150, reshuffle=reshuffle, **more).resolved()
    plan = make_plan("aces", rules=rules, seed=13)
    passed = 0
    for index in range(300):
        told = replay_game(plan, index)
        shuffles = 0
        for event in told.events:
            shuffles = {"deal": 0, "reshuffle": shuffles + 1}.get(event["event"], shuffles)
            if shuffles == 3:  # within one hand
                count = Audit(for_referee(rules), as_referee_tells(told)).count
                assert count["reshuffles"] >= 3
                passed += 1
                break
        if passed == 12:
            return
    raise AssertionError(f"only {passed} games had a hand with three reshuffles")


class Taken(Audit):
    """Counts what is taken, and what is not, when it could be placed."""

    def draw(self, seat: int) -> tuple[str, bool] | None:
        pile = list(self.pile)
        useful = bool(pile) and self.fits(seat, pile[-1])
        drawn = super().draw(seat)
        if useful and drawn:
            kind = "taken" if drawn[1] else "left"
            self.count[f"ace {kind}"] += pile[-1] == "A"
            self.count[f"single {kind}"] += len(pile) == 1
            self.count[f"single ace {kind}"] += pile == ["A"]
        return drawn


def takings(strategy: str, n: int, **rules: Any) -> Counter[str]:
    plan = make_plan("aces", rules=rules, strategies=strategy, seed=14)
    total: Counter[str] = Counter()
    for index in range(n):
        told = replay_game(plan, index)
        total += Taken(for_referee(plan.rules), as_referee_tells(told)).count
    return total


def test_an_ace_and_a_single_card_on_the_discard_pile_are_taken() -> None:
    """The ace is card 0, and a pile of one is a pile."""
    count = takings("always", 60, players=3)
    assert min(count["ace taken"], count["single taken"], count["single ace taken"]) > 5
    assert count["ace left"] == count["single left"] == 0
    count = takings("never", 60, players=3)
    assert min(count["ace left"], count["single left"], count["single ace left"]) > 5
    assert count["ace taken"] == count["single taken"] == 0


def test_an_ace_that_opens_the_discard_pile_is_taken() -> None:
    rules = {"initial_discard": "yes", "match": "hand", "layout": 1}
    count = takings("always", 300, **rules)
    assert count["single ace taken"] > 10 and count["single ace left"] == 0
    assert count["first_turn_wins"] >= count["single ace taken"]


def test_a_single_card_is_no_stock() -> None:
    """With an empty stock it can't be reshuffled; it may be taken (docs, To the letter, 12)."""
    total: Counter[str] = Counter()
    choose = random.Random(15)
    for index in range(150):
        rules = Rules(
            players=5, packs=1, layouts=(1, 13, 13, 13, 10), wild="none", finish="last_turn",
            take_discard=choose.choice(("playable", "any", "never")), max_turns=60,
            reshuffle=choose.choice(("lazy", "eager")), match="hand",
        ).resolved()  # fmt: skip
        total += audited(rules, random_strategies(choose, rules), 16, index)
    assert total["stranded"] > 5


def test_rows_have_a_winner_or_say_why_not() -> None:
    frame = simcards.run("aces", 5000, rules={"players": 4, "packs": 1, "shrink": 0, "hands": 4,
                                              "max_turns": 30}, seed=3, rows=True).rows  # fmt: skip
    capped = pl.col("status") == "capped"
    assert frame.filter(capped).height > 50 and frame.filter(~capped).height > 50
    assert frame.filter(capped, (pl.col("winner") != -1) | (pl.col("winners") != 0)).is_empty()
    assert frame.filter(~capped, (pl.col("winner") == -1) | (pl.col("winners") == 0)).is_empty()
    shared = frame.filter(pl.col("winner") == -2)["winners"]
    assert shared.len() > 50 and min(int(mask).bit_count() for mask in shared) > 1
