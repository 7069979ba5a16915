"""The cells of a sweep: from --vary, or a file, to the tables they are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from ..sim.bots import functions_once
from ..sim.contest import COMPANY, SWEEP, Contest, Table
from ..sim.errors import RequestError, did_you_mean
from ..sim.games import find_game
from ..sim.options import options, show
from ..sim.plan import draw_seed
from ..sim.rulesfile import read_toml
from ..sim.strategies import function_text
from .arms import Arm, Base, plan_of_arm, read_arm

MOST_CELLS = 400
LONGEST_NAME = 60
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")
_KEYS = ("game", "preset", "players", "strategy", "rules", "grid", "zip", "cells")


@dataclass(frozen=True)
class Cell:
    """One variant: a name that stays the same, and what it changes."""

    name: str
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Cells:
    """What a sweep is made of."""

    cells: tuple[Cell, ...]
    """The first one is the base."""
    factors: Mapping[str, tuple[str, ...]]
    """Of a full grid: options and their values, the base's first; else empty."""
    source: str = ""
    """File they come from, for messages."""


def name_of(changes: Mapping[str, Any]) -> str:
    """Return the name of a cell: its options as they are typed."""
    return " ".join(f"{name}={text_of(value)}" for name, value in changes.items())


def text_of(value: Any) -> str | None:
    """Return a value as it is typed; None stays None."""
    if callable(value):
        return function_text(value, "--vary")
    return None if value is None else show(value)


def alternatives(text: str) -> list[str]:
    """Return the values of ``3+3+4,3+4+5`` or ``1..4,8``.

    Examples
    --------
    >>> alternatives("1..3,8")
    ['1', '2', '3', '8']
    """
    found: list[str] = []
    for word in text.split(","):
        span = _RANGE.fullmatch(word.strip())
        if span:
            low, high = int(span[1]), int(span[2])
            if low > high or high - low > MOST_CELLS:
                raise ValueError(word)
            found += [str(number) for number in range(low, high + 1)]
        elif word.strip():
            found.append(word.strip())
    return found


def _values(said: str, given: Any) -> list[Any]:
    """Read the values of an option that is varied."""
    try:
        if isinstance(given, str):
            values: list[Any] = list(alternatives(given))
        elif isinstance(given, Sequence):
            values = [
                value
                for one in given
                for value in (
                    alternatives(one) if isinstance(one, str) and _RANGE.fullmatch(one) else [one]
                )
            ]
        else:
            values = [given]
    except ValueError as error:
        raise RequestError(f"{said}: '{error}' is no range such as 1..10.") from None
    if not values:
        raise RequestError(f"{said}: no values are named.")
    texts = [str(text_of(value)) for value in values]
    twice = sorted({text for text in texts if texts.count(text) > 1})
    if twice:
        raise RequestError(f"{said}: {', '.join(twice)} is named twice.")
    return values


def grid(varied: Mapping[str, Any], said: str = "--vary") -> Cells:
    """Return all combinations of the values of some options.

    Raises
    ------
    RequestError
        When nothing varies, a value is named twice, or there are too many cells.
    """
    for name in varied:
        if not isinstance(name, str):
            raise RequestError(f"{said}: {name!r} is no name of an option.")
    factors = {
        name.strip().replace("-", "_"): _values(f"{said} {name}", given)
        for name, given in varied.items()
    }
    if not factors:
        raise RequestError(f"{said}: name what varies, such as shrink with the values 1 and 2.")
    number = prod(len(values) for values in factors.values())
    if number > MOST_CELLS:
        raise RequestError(f"{said}: {number:,} cells; at most {MOST_CELLS} can be swept.")
    cells = []
    for values in product(*factors.values()):
        changes = dict(zip(factors, values, strict=True))
        cells.append(Cell(name_of(changes), changes))
    return Cells(
        tuple(cells),
        {name: tuple(str(text_of(value)) for value in values) for name, values in factors.items()},
    )


def read_vary(words: Sequence[str]) -> Cells:
    """Read ``--vary NAME=VALUE,VALUE`` words.

    Raises
    ------
    RequestError
        When one has no values, or an option is varied twice.
    """
    varied: dict[str, str] = {}
    for word in words:
        name, equals, values = word.partition("=")
        plain = name.strip().replace("-", "_")
        if not equals or not plain:
            raise RequestError(f"--vary {word}: write NAME=VALUE,VALUE, such as shrink=1,2.")
        if plain in varied:
            raise RequestError(f"--vary {word}: {plain} varies already.")
        varied[plain] = values
    return grid(varied)


def read_sweep_file(path: Path) -> tuple[dict[str, Any], Cells]:
    """Read a sweep from a TOML file.

    Returns
    -------
    (base, cells)
        `base` has what all cells share: ``game``, ``preset``, ``players``, ``strategy``, ``rules``.

    Raises
    ------
    RequestError
        When it can't be read, or says something that is no sweep; the message says where.
    """
    data = read_toml(path, str(path))
    for key in data:
        if key not in _KEYS:
            near = did_you_mean(key, _KEYS)
            hint = f"Did you mean {near}? " if near else ""
            raise RequestError(f"{path}: '{key}'.\n  {hint}There are: {', '.join(_KEYS)}.")
    ways = [key for key in ("grid", "zip", "cells") if key in data]
    if len(ways) != 1:
        raise RequestError(
            f"{path}: needs one of [grid] (all combinations), [zip] (side by side), [[cells]] "
            f"(one by one); it has {' and '.join(ways) or 'none'}."
        )
    way = ways[0]
    for key in ("rules", "grid", "zip"):
        if key in data and not isinstance(data[key], Mapping):
            raise RequestError(f"{path}: [{key}] must be a table of options.")
    base: dict[str, Any] = {key: data[key] for key in _KEYS[:5] if key in data}
    if way == "grid":
        return base, replace(grid(data["grid"], f"{path}: [grid]"), source=str(path))
    if way == "zip":
        columns = {
            name.replace("-", "_"): _zipped(f"{path}: [zip] {name}", given)
            for name, given in data["zip"].items()
        }
        lengths = {name: len(values) for name, values in columns.items()}
        if not lengths:
            raise RequestError(f"{path}: [zip]: name what varies.")
        if len(set(lengths.values())) != 1:
            told = ", ".join(f"{name} has {number}" for name, number in lengths.items())
            raise RequestError(f"{path}: [zip] needs as many values of each option: {told}.")
        rows = [
            dict(zip(columns, values, strict=True))
            for values in zip(*columns.values(), strict=True)
        ]
        return base, _listed(path, [Cell(name_of(row), row) for row in rows])
    listed = data["cells"]
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise RequestError(f"{path}: write each cell as [[cells]] with its options below.")
    cells = []
    for one in listed:
        changes = {key.replace("-", "_"): value for key, value in one.items() if key != "name"}
        cells.append(Cell(_cell_name(path, one.get("name"), changes), changes))
    return base, _listed(path, cells)


def _cell_name(path: Path, given: Any, changes: Mapping[str, Any]) -> str:
    """Return a cell's name: its own, or what it changes."""
    if given is None:
        return name_of(changes) or "as is"
    if (
        not isinstance(given, str)
        or not given.strip()
        or given != given.strip()
        or not given.isprintable()
        or len(given) > LONGEST_NAME
    ):
        raise RequestError(
            f"{path}: name = {given!r}: a name is one line of text, at most {LONGEST_NAME} letters."
        )
    return given


def _zipped(said: str, given: Any) -> list[Any]:
    """Read the values of an option that stand side by side with others'; they may be equal."""
    if isinstance(given, str):
        try:
            return list(alternatives(given))
        except ValueError as error:
            raise RequestError(f"{said}: '{error}' is no range such as 1..10.") from None
    return list(given) if isinstance(given, list) else [given]


def _listed(path: Path, cells: list[Cell]) -> Cells:
    names = [cell.name for cell in cells]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise RequestError(f"{path}: two cells are called '{twice[0]}'.")
    if len(cells) < 2:
        raise RequestError(f"{path}: a sweep needs two cells or more; the first is the base.")
    if len(cells) > MOST_CELLS:
        raise RequestError(f"{path}: {len(cells):,} cells; at most {MOST_CELLS} can be swept.")
    return Cells(tuple(cells), {}, str(path))


def sweep_of_file(path: Path, seed: Any = None) -> tuple[Base, Cells]:
    """Return what a sweep's file asks for.

    Raises
    ------
    RequestError
        When it can't be read, or says something that is no sweep; the message says where.
    """
    shared, cells = read_sweep_file(path)
    if not isinstance(shared.get("game"), str):
        raise RequestError(f'{path}: name the game, such as game = "thirteen".')
    strategy = shared.get("strategy")
    if strategy is not None and not isinstance(strategy, str):
        raise RequestError(f"{path}: strategy must be text in quotes.")
    base = Base(
        find_game(shared["game"]).name,
        players=shared.get("players"),
        preset=shared.get("preset"),
        rules=shared.get("rules", {}),
        everywhere=strategy,
        seed=seed,
    )
    return base, cells


@functions_once()
def make_sweep(base: Base, cells: Cells) -> Contest:
    """Return the tables of a sweep: one a cell, the base first.

    Raises
    ------
    RequestError
        When a cell can't be played, or only one is left.
    """
    if len(cells.cells) < 2:
        raise RequestError("--vary: name two values or more; the first one is the base.")
    base = replace(base, seed=draw_seed() if base.seed is None else base.seed)
    known = {option.name for option in options(find_game(base.game).rules)}
    if all(cell.options.get("strategy") is not None for cell in cells.cells) and (
        base.everywhere or base.strategies
    ):
        raise RequestError(
            "a strategy is said for all cells, and each cell names its own: leave one of them out."
        )
    where = f"{cells.source}: " if cells.source else ""
    given = {**base.file_rules, **base.rules}
    if base.players is not None:
        given["players"] = base.players
    tables: list[Table] = []
    for cell in cells.cells:
        for name in cell.options:
            if name not in known | {"preset", "strategy"}:
                near = did_you_mean(name, known | {"preset", "strategy"})
                hint = f"\n  Did you mean {near}?" if near else ""
                raise RequestError(f"{where}{base.game} has no option '{name}' to vary.{hint}")
            if cells.factors and (name in given or (name == "preset" and base.preset)):
                raise RequestError(f"{where}{name} varies, and is set for all cells besides.")
        arm = read_arm(cell.options, f"{where}cell {cell.name}") if cell.options else Arm(())
        strategies, everywhere = base.strategies, base.everywhere
        if arm.strategy is not None:
            strategies, everywhere = arm.strategy, None
        plan = plan_of_arm(base, arm, strategies, everywhere, f"{where}cell {cell.name}:")
        for other, table in zip(cells.cells, tables, strict=False):
            if (table.plan.rules, table.plan.players) == (plan.rules, plan.players):
                raise RequestError(f"{where}cells {other.name} and {cell.name} are the same game.")
        tables.append(Table(plan, (COMPANY,) * plan.rules.players))
    return Contest(SWEEP, tuple(cell.name for cell in cells.cells), tuple(tables))
