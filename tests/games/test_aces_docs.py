"""docs/rules/aces.md says what the program offers, no more and no less."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simcards.sim.games.aces import GAME, Rules
from simcards.sim.options import Choice, Option, Whole, Wholes, options, show

TEXT = Path(__file__).resolve().parents[2].joinpath("docs/rules/aces.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))
TABLE = {
    name: (values, meaning)
    for name, values, meaning in re.findall(
        r"^\| `(\w+)` \| (.+?) \| (.+?) \|$", SECTIONS["Options"], re.MULTILINE
    )
}
OPTIONS = list(options(Rules))


def test_the_table_has_the_options_in_their_order() -> None:
    assert list(TABLE) == [option.name for option in OPTIONS]


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_values_stand_in_the_table_the_default_first(option: Option) -> None:
    values, meaning = TABLE[option.name]
    first, *others = re.split(r", (?:or )?", values)
    # 0 of `0..4` is a default too.
    assert first == show(option.default) or first.startswith(f"{option.default}..")
    match option.kind:
        case Choice(words):
            assert sorted([first, *others]) == sorted(words)
        case Whole(low, high, words):
            assert f"{low}..{high}" in values
            assert {word for word in words if word != option.default} <= set(others)
        case Wholes(_, _, words):
            assert first in words and "a seat" in values
    assert len(meaning) > 10 or option.name == "packs"


def test_presets_stand_there_with_what_they_change() -> None:
    (line,) = re.findall(r"^Presets: (.*?)\n\n", SECTIONS["Options"], re.MULTILINE | re.DOTALL)
    first, *others = re.split(r"[;.]", " ".join(line.split()))
    default, *presets = GAME.presets
    assert first == f"`{default}`, the defaults"
    assert len(presets) == len([other for other in others if other])
    for preset, other in zip(presets, others, strict=False):
        assert f"`{preset}`" in other
        changes = [f"{name}={show(value)}" for name, value in GAME.presets[preset].items()]
        assert re.findall(r"`(\w+=\w+)`", other) == changes


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
    kernels = Path(__file__).resolve().parents[2] / "kernels"
    used = set()
    for source in kernels.glob("aces*.py"):
        used |= set(re.findall(r"\bA\d+[a-z]?\b", source.read_text("utf-8")))
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
