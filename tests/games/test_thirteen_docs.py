"""docs/rules/thirteen.md and docs/strategies/thirteen.md say what the program offers."""

from __future__ import annotations

import re

import pytest
from games.rule_docs import ROOT, RuleDocs

from simcards.sim.game import Strategy
from simcards.sim.games.thirteen import GAME
from simcards.sim.options import Option, Words

DOCS = RuleDocs(GAME)
STRATEGIES = GAME.decisions[0].strategies
GUIDE = (ROOT / "docs" / "strategies" / "thirteen.md").read_text("utf-8")


def test_the_table_has_the_options_in_their_order() -> None:
    DOCS.check_options()


@pytest.mark.parametrize("option", DOCS.options, ids=lambda option: option.name)
def test_values_stand_in_the_table_the_default_first(option: Option) -> None:
    DOCS.check_values(option)
    values, _ = DOCS.table[option.name]
    if isinstance(option.kind, Words):
        assert re.findall(r"\w+", values.partition("a list of")[2]) == list(option.kind.words)
        assert ", none, " in values


def test_presets_stand_there_with_what_they_change() -> None:
    DOCS.check_presets()


def described(strategy: Strategy) -> str:
    """A strategy with its parameters and their defaults."""
    return ":".join([strategy.name, *(f"{one.name}={one.default}" for one in strategy.parameters)])


def test_all_strategies_stand_there_and_no_others() -> None:
    named = re.findall(r"^- `([a-z_]+)", DOCS.sections["Strategies"], re.MULTILINE)
    assert sorted(named) == sorted(strategy.name for strategy in STRATEGIES)
    assert f"`{GAME.decisions[0].default}` (default" in DOCS.sections["Strategies"]
    assert f"*{GAME.decisions[0].name}*" in DOCS.sections["Strategies"]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)
def test_strategies_stand_with_their_parameters(strategy: Strategy) -> None:
    text = " ".join(DOCS.sections["Strategies"].split())
    assert f"- `{described(strategy)}`" in text
    own = text.partition(f"- `{described(strategy)}`")[2].partition("- `")[0]
    for one in strategy.parameters:
        same = "`structure:near=2:alarm=5` (each 0..13;"
        near = one.name in ("near", "alarm") and same in text
        assert f"{one.low}..{one.high}" in own or near, one.name


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)
def test_the_guide_has_a_part_for_each_strategy(strategy: Strategy) -> None:
    (part,) = re.findall(rf"^## {strategy.name}\n(.*?)(?=^## )", GUIDE, re.MULTILINE | re.DOTALL)
    assert len(part) > 800
    for one in strategy.parameters:
        assert f"`{one.name}` ({one.low}..{one.high}, default {one.default})" in part
    assert f"| **{strategy.name}** |" in GUIDE


def test_the_rule_numbers_of_the_kernel_stand_in_the_rules() -> None:
    rules = [f"T{number}" for number in range(1, 15)]
    assert re.findall(r"^\*\*(T\d+)\*\*", DOCS.text, re.MULTILINE) == rules
    used = DOCS.rule_numbers("T")
    assert used <= set(rules) and len(used) > 8
