"""For the tests of options: every value of each must do something where it can."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import polars as pl
import pytest

import simcards
from simcards.sim.chunk import engine_rules, rules_array
from simcards.sim.errors import RequestError
from simcards.sim.game import Game
from simcards.sim.options import Choice, Option, Whole, Wholes, Words
from simcards.sim.plan import make_plan


@dataclass(frozen=True)
class Scene:
    """Rules beside which every value of an option gives other rows than each other value."""

    rules: dict[str, Any] = field(default_factory=dict)
    values: tuple[Any, ...] = ()
    """If not all values that the option has."""
    same: tuple[tuple[Any, ...], ...] = ()
    """Groups of values that mean the same here."""
    strategies: Any = None
    n: int = 400

    def tried(self, option: Option) -> list[Any]:
        """Return the values to try."""
        return list(self.values) or all_values(option)


def all_values(option: Option) -> list[Any]:
    """Return all values of an option that has few."""
    match option.kind:
        case Choice(words):
            return list(words)
        case Whole(low, high, words):
            assert high - low < 20, f"{option.name} has too many values to try each"
            return [*words, *range(low, high + 1)]
    raise TypeError(option.kind)


def extremes(option: Option) -> set[Any]:
    """Return the values that must be tried."""
    match option.kind:
        case Choice(words):
            return {option.default, *words}
        case Whole(low, high, words):
            return {option.default, low, high, *words}
        case Wholes(_, _, words):
            return {option.default, *words}
        case Words(words):
            return {option.default, "none", *((word,) for word in words), words}
    raise TypeError(option.kind)


def check_every_value_matters(
    rows: Callable[..., pl.DataFrame], scene: Scene, option: Option
) -> None:
    """Rows of any two values differ, but for those that mean the same."""
    values = scene.tried(option)
    assert extremes(option) <= set(values)
    frames = [
        (value, rows(scene.n, scene.strategies, **(scene.rules | {option.name: value})))
        for value in values
    ]
    for (one, its_rows), (other, other_rows) in combinations(frames, 2):
        alike = any(one in group and other in group for group in scene.same)
        assert its_rows.equals(other_rows) == alike, (option.name, one, other)


def check_wrong_values_are_refused(game: Game, option: Option) -> None:
    """What is no value of an option is refused, and the option named."""
    wrong: list[Any] = ["", "nonsense", "1.5", "nan", "1e30", -1, 10**20]
    match option.kind:
        case Choice():
            wrong += [0, 1]
        case Whole(low, high):
            wrong += [low - 1, high + 1]
        case Wholes(low, high):
            wrong += [(low - 1, 3, 3), (high + 1, 3, 3), (), (3, "x", 3)]
        case Words(words):
            wrong = [one for one in wrong if not isinstance(one, int)]
            wrong += [f"{words[0]}+none", f"{words[0]}+nonsense", (words[0], 1)]
    for value in wrong:
        with pytest.raises(RequestError, match=option.name):
            simcards.run(game.name, 1, rules={option.name: value})


def check_every_value_comes_back(game: Game, scene: Scene, option: Option) -> None:
    """The engine says the rules that it was asked for, and reads other numbers for each."""
    arrays = set()
    values = scene.tried(option)
    for value in values:
        plan = make_plan(game.name, rules=scene.rules | {option.name: value}, seed=0)
        assert engine_rules(plan) == plan.rules
        if value not in ("auto", "none"):
            assert getattr(engine_rules(plan), option.name) == value
        arrays.add(rules_array(plan).tobytes())
    assert len(arrays) >= len(values) - sum(len(group) - 1 for group in scene.same)
