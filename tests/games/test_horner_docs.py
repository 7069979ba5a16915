"""docs/rules/horner.md says what the program offers, no more and no less."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from games.rule_docs import RuleDocs

from simcards.sim.game import Strategy
from simcards.sim.games.horner import FACTS, GAME, NAMES
from simcards.sim.games.horner_events import VARIETIES
from simcards.sim.options import Option

DOCS = RuleDocs(GAME)
STRATEGIES = [one for decision in GAME.decisions for one in decision.strategies]


def test_the_table_has_the_options_in_their_order() -> None:
    DOCS.check_options()


@pytest.mark.parametrize("option", DOCS.options, ids=lambda option: option.name)
def test_values_stand_in_the_table_the_default_first(option: Option) -> None:
    DOCS.check_values(option)


def test_presets_stand_there_with_what_they_change() -> None:
    DOCS.check_presets()


def test_varieties_stand_there_with_their_letters() -> None:
    text = " ".join(DOCS.text.split())
    for letter, name in zip(VARIETIES, NAMES, strict=True):
        assert f"{letter} {name}" in text
    assert f"by variety {', '.join(VARIETIES)} " in text


def test_all_strategies_stand_there_and_no_others() -> None:
    bullets = re.findall(r"^- (.+?): ", DOCS.sections["Strategies"], re.MULTILINE)
    named = re.findall(r"`([a-z_]+)", " ".join(bullets))
    assert named == [one.name for one in STRATEGIES]
    first, second = GAME.decisions
    said = f"The default is `{first.default}`, with `{second.default}`"
    assert said in " ".join(DOCS.sections["Strategies"].split())


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)
def test_strategies_stand_with_their_parameters(strategy: Strategy) -> None:
    for one in strategy.parameters:
        stands = f"- `{strategy.name}:{one.name}={one.default}` ({one.low}..{one.high}):"
        assert stands in DOCS.text


def test_the_rule_numbers_of_the_kernel_stand_in_the_rules() -> None:
    rules = [f"H{number}" for number in range(1, 11)]
    assert re.findall(r"^\*\*(H\d+)\*\*", DOCS.text, re.MULTILINE) == rules
    used = DOCS.rule_numbers("H")
    assert used <= {*rules, "H5a", "H5b"} and len(used) > 8
    assert all(f"({part})" in DOCS.sections["Play"] for part in "ab")


def test_exact_values_stand_there() -> None:
    text = " ".join(DOCS.sections["What must come out"].split())
    for fact in FACTS:
        if ("variety" in fact.name or "varieties" in fact.name) and not fact.error:
            assert str(Fraction(fact.value).limit_denominator(100)) in text, fact.name
    for said in ("11, 56, 91, 56 and 11 of 225", "1/7", "4/189", "sum to 11"):
        assert said in text
