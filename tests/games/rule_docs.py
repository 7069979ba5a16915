"""What stands in docs/rules about a game, taken apart for the tests that compare it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from simcards.sim.game import Game
from simcards.sim.options import Choice, Option, Whole, options, show

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class RuleDocs:
    """docs/rules/GAME.md."""

    game: Game

    @cached_property
    def text(self) -> str:
        """All of it."""
        return (ROOT / "docs" / "rules" / f"{self.game.name}.md").read_text("utf-8")

    @cached_property
    def sections(self) -> dict[str, str]:
        """Text by heading."""
        return dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", self.text, re.MULTILINE | re.DOTALL))

    @cached_property
    def table(self) -> dict[str, tuple[str, str]]:
        """Values and meaning of each option."""
        return {
            name: (values, meaning)
            for name, values, meaning in re.findall(
                r"^\| `(\w+)` \| (.+?) \| (.+?) \|$", self.sections["Options"], re.MULTILINE
            )
        }

    @property
    def options(self) -> list[Option]:
        """What the game offers."""
        return list(options(self.game.rules))

    def check_options(self) -> None:
        """The table has the options in their order."""
        assert list(self.table) == [option.name for option in self.options]

    def check_values(self, option: Option) -> None:
        """The values stand in the table, the default first."""
        values, meaning = self.table[option.name]
        default = show(option.default).replace("+", ",")
        if not values.startswith((default, show(option.default))):
            raise AssertionError(f"{option.name}: {values} doesn't begin with {default}")
        first, *others = re.split(r", (?:or )?", values)
        match option.kind:
            case Choice(words):
                assert sorted([first, *others]) == sorted(words)
            case Whole(low, high, words):
                assert f"{low}..{high}" in values
                assert {word for word in words if word != option.default} <= set(others)
        assert len(meaning) > 10 or option.name == "packs"

    def presets(self) -> list[str]:
        """What stands about each preset, in order."""
        (line,) = re.findall(
            r"^Presets: (.*?)\n\n", self.sections["Options"], re.MULTILINE | re.DOTALL
        )
        found = re.split(r"[;.]", " ".join(line.split()))
        return [one.strip() for one in found if one.strip()]

    def check_presets(self) -> None:
        """The presets stand there in their order, with what each changes."""
        first, *others = self.presets()
        default, *presets = self.game.presets
        assert first == f"`{default}`, the defaults"
        before: dict[str, object] = {}
        for preset, other in zip(presets, others, strict=True):
            assert f"`{preset}`" in other
            said = re.findall(r"`(\w+=[\w,+]+)`", other)
            changes = dict(self.game.presets[preset])
            if "the same with" in other:
                assert before.items() <= changes.items()
                changes = {name: value for name, value in changes.items() if name not in before}
            plain = [text.replace(",", "+") for text in said]
            assert plain == [f"{name}={show(value)}" for name, value in changes.items()]
            before = dict(self.game.presets[preset])

    def rule_numbers(self, letter: str) -> set[str]:
        """Numbers of rules that the kernel's files name."""
        used = set()
        for source in (ROOT / "kernels").glob(f"{self.game.name}*.py"):
            used |= set(re.findall(rf"\b{letter}\d+[a-z]?\b", source.read_text("utf-8")))
        return used
