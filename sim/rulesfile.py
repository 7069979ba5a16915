"""House rules in a TOML file: a game, a name, a preset, and the options that differ.

::

    game = "aces"
    name = "Grandma's table"
    preset = "bicycle"

    [rules]
    shrink = 2
    layouts = [10, 7]
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import RequestError, did_you_mean

KEYS = ("game", "name", "preset", "rules")


@dataclass(frozen=True)
class RulesFile:
    """What stands in a rules file; '' and None for what doesn't."""

    game: str = ""
    name: str = ""
    preset: str | None = None
    rules: Mapping[str, Any] = field(default_factory=dict)


def read_toml(path: str | Path, said: str) -> dict[str, Any]:
    """Read a TOML file.

    Raises
    ------
    RequestError
        When it can't be read or is none; the message begins with `said`, and says where.
    """
    try:
        # Notepad and PowerShell begin their UTF-8 files with a mark.
        return tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise RequestError(f"{said}: can't be read: {error.strerror or error}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RequestError(f"{said}: is no TOML file: {error}.") from None


def read_rules_file(path: str | Path) -> RulesFile:
    """Read house rules.

    Raises
    ------
    RequestError
        When the file can't be read or holds anything else.
    """
    data = read_toml(path, f"--rules {path}")
    for key, value in data.items():
        if key not in KEYS:
            near = did_you_mean(key, KEYS)
            hint = f"Did you mean {near}?" if near else "Options stand under [rules]."
            raise RequestError(f"--rules {path}: '{key}' is none of {', '.join(KEYS)}.\n  {hint}")
        if not isinstance(value, dict if key == "rules" else str):
            kind = "a table: [rules]" if key == "rules" else "text in quotes"
            raise RequestError(f"--rules {path}: {key} must be {kind}.")
    if not data.get("name", "").isprintable():
        raise RequestError(f"--rules {path}: name must be one line of printable text.")
    return RulesFile(
        data.get("game", ""), data.get("name", ""), data.get("preset"), data.get("rules", {})
    )
