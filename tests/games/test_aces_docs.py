"""docs/rules/aces.md says what the program offers, no more and no less."""

from __future__ import annotations

import re

import pytest
from games.rule_docs import RuleDocs

from simcards.sim.games.aces import GAME
from simcards.sim.options import Option, Wholes

DOCS = RuleDocs(GAME)
TEXT, SECTIONS = DOCS.text, DOCS.sections


def test_the_table_has_the_options_in_their_order() -> None:
    DOCS.check_options()


@pytest.mark.parametrize("option", DOCS.options, ids=lambda option: option.name)
def test_values_stand_in_the_table_the_default_first(option: Option) -> None:
    DOCS.check_values(option)
    if isinstance(option.kind, Wholes):
        assert "a seat" in DOCS.table[option.name][0]


def test_presets_stand_there_with_what_they_change() -> None:
    DOCS.check_presets()


def strategies_of(decision: str) -> str:
    """What stands about the strategies of a decision."""
    return re.split(r"^\*(?=\w+\*)", SECTIONS["Strategies"], flags=re.MULTILINE)[
        1 + [one.name for one in GAME.decisions].index(decision)
    ]


@pytest.mark.parametrize("decision", GAME.decisions, ids=lambda decision: decision.name)
def test_strategies_stand_with_their_decision(decision) -> None:
    text = strategies_of(decision.name)
    assert text.startswith(f"{decision.name}*")
    known = [strategy.name for strategy in decision.strategies]
    named = re.findall(r"`([a-z_]+)(?::[a-z]+=\d+)?`", text)
    assert list(dict.fromkeys(name for name in named if name in known)) == known
    for strategy in decision.strategies:
        for one in strategy.parameters:
            stands = rf"`{strategy.name}:{one.name}={one.default}` \({one.low}\.\.{one.high}\)"
            assert re.search(stands, text)


def test_the_default_strategy_stands_there() -> None:
    default = "+".join(decision.default for decision in GAME.decisions)
    assert f"The default is `{default}`" in SECTIONS["Strategies"]


def test_no_strategy_stands_there_that_is_not_offered() -> None:
    offered = {one.name for decision in GAME.decisions for one in decision.strategies}
    offered |= {decision.name for decision in GAME.decisions}
    bullets = re.findall(r"^- `([a-z_]+)", SECTIONS["Strategies"], re.MULTILINE)
    assert set(bullets) <= offered and len(bullets) == len(GAME.decisions[0].strategies)


def test_the_rule_numbers_of_the_kernel_stand_in_the_rules() -> None:
    used = DOCS.rule_numbers("A")
    rules = {f"A{number}" for number in range(1, 11)} | {"A5a", "A5b"}
    assert used <= rules and len(used) > 6
    assert re.findall(r"^\*\*(A\d+)\*\*", TEXT, re.MULTILINE) == [f"A{n}" for n in range(1, 11)]
    assert all(f"({part})" in SECTIONS["Play"] for part in "ab")


def test_known_values_stand_there() -> None:
    for fact in GAME.facts:
        if fact.name in (
            "match of 10 and 10: first starter wins",
            "match of 10 and 10: hands",
            "match of 10 and 10: turns",
            "hand of 10 and 10: starter wins",
        ):
            assert f"{fact.value:.9g}".removeprefix("0") in SECTIONS["What must come out"]
    assert 136229 / 251685 in [fact.value for fact in GAME.facts]
    assert "136229/251685" in SECTIONS["What must come out"]
