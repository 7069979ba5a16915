"""What is to be played: everything that decides the rows of a run, and how it is cut up."""

from __future__ import annotations

import secrets
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .bots import Bot
from .errors import RequestError, did_you_mean
from .game import Game, Unit
from .games import find_game
from .numbers import LARGEST_INDEX, seed_number, whole_number
from .options import Rules, as_dict, changed, make_rules, options, show
from .strategies import Player, read_players

# A chunk takes about this long, so that progress moves and little is lost by a stop.
CHUNK_NANOSECONDS = 0.2e9
LARGEST_CHUNK = 65_536


@dataclass(frozen=True)
class Plan:
    """Game i of a run is a function of this and of i, of nothing else."""

    game: str
    preset: str
    rules: Rules
    players: tuple[Player, ...]
    seed: int

    @property
    def description(self) -> Game:
        """The game's description."""
        return find_game(self.game)

    @property
    def bots(self) -> tuple[Bot, ...]:
        """The strategies that users have written, each once."""
        found = (choice.bot for player in self.players for choice in player.choices)
        return tuple(dict.fromkeys(bot for bot in found if bot))

    @property
    def unit(self) -> Unit:
        """What an index is."""
        return self.description.unit(self.rules)


def differing(plan: Plan) -> dict[str, Any]:
    """Return the options in which a plan differs from its preset, players included."""
    game = plan.description
    preset = dict(game.presets[plan.preset])
    standard = game.rules(**preset).players
    try:
        base = game.rules(**(preset | {"players": plan.rules.players})).resolved()
    except RequestError:  # a preset for another number of players
        base = game.rules(**{"players": plan.rules.players}).resolved()
    others = changed(plan.rules, base)
    return ({"players": plan.rules.players} if plan.rules.players != standard else {}) | others


def _merge(layers: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Merge options, later layers over earlier ones; hyphens count as underscores."""
    merged: dict[str, Any] = {}
    for said, values in layers:
        layer: dict[str, Any] = {}
        for name, value in values.items():
            plain = name.replace("-", "_")
            if layer.setdefault(plain, value) != value:
                raise RequestError(f"{said} {name}={show(value)}: {plain} is given twice.")
        merged |= layer
    return merged


def find_preset(game: Game, name: str | None) -> str:
    """Return a preset's name; the first one for None.

    Raises
    ------
    RequestError
        When the game has no such preset.
    """
    if name is None:
        return next(iter(game.presets))
    plain = str(name).strip().lower().replace("_", "-")
    if plain not in game.presets:
        near = did_you_mean(plain, game.presets)
        hint = f"Did you mean {near}? " if near else ""
        raise RequestError(
            f"--preset {name}: {game.name} has no such preset.\n"
            f"  {hint}There are: {', '.join(game.presets)}."
        )
    return plain


def make_plan(
    game: str,
    *,
    players: Any = None,
    rules: Rules | Mapping[str, Any] | None = None,
    file_rules: Mapping[str, Any] | None = None,
    preset: str | None = None,
    strategies: Any = None,
    everywhere: str | None = None,
    seed: Any = None,
    source: str = "--rule",
    strategy_source: str = "--strategy",
    kept: Mapping[str, Path] | None = None,
) -> Plan:
    """Check a request and make the plan of it.

    Parameters
    ----------
    game : str
        Name or alias.
    players : int, optional
        The rule of that name.
    rules : mapping or rules object, optional
        Options that are set, over `file_rules`, over the preset.
    file_rules : mapping, optional
        Options of a rules file.
    preset : str, optional
        Name of a preset; the game's first one if left out.
    strategies : str, function, sequence or mapping, optional
        See `read_players`.
    everywhere : str, optional
        Played on seats that `strategies` leaves out.
    seed : int, optional
        Drawn from the system if left out.
    source, strategy_source : str
        How rules and strategies were given, for messages.
    kept : mapping of str to Path, optional
        Files of strategies that lie elsewhere than their paths say.

    Raises
    ------
    RequestError
        When the request can't be done as stated.
    """
    described = find_game(game)
    name = find_preset(described, preset)
    if rules is not None and not isinstance(rules, Mapping):
        if not isinstance(rules, described.rules):
            raise RequestError(f"these are not rules of {described.name}: {rules!r}.")
        rules = as_dict(rules)
    own = _merge([(source, rules or {})])
    if players is not None:
        count = whole_number(players, "--players", 1, 99)
        if str(own.get("players", count)) != str(count):
            raise RequestError(
                f"--players {count} and {source} players={show(own['players'])} disagree."
            )
        kind = next(one.kind for one in options(described.rules) if one.name == "players")
        try:
            own["players"] = kind.read(count)
        except ValueError as error:
            raise RequestError(f"--players {players}: {error}.") from None
    # Each layer is read on its own first, so that a message names where a value came from.
    for said, layer in (("--rules", file_rules or {}), (source, own)):
        check_layer(described, layer, said)
    layers = [("", described.presets[name]), ("--rules", file_rules or {}), (source, own)]
    resolved = make_rules(described.name, described.rules, _merge(layers), source).resolved()
    seats = read_players(described, resolved, strategies, strategy_source, everywhere, kept)
    return Plan(
        described.name, name, resolved, seats, draw_seed() if seed is None else seed_number(seed)
    )


def check_layer(game: Game, layer: Mapping[str, Any], said: str) -> None:
    """Refuse unknown options and values of one layer, leaving how they combine for later."""
    known = {option.name: option for option in options(game.rules)}
    for name, value in layer.items():
        plain = name.replace("-", "_")
        if plain in known:
            try:
                known[plain].kind.read(value)
                continue
            except ValueError:
                pass
        make_rules(game.name, game.rules, {name: value}, said)


def draw_seed() -> int:
    """Draw a seed of at most 9 digits from the system: short to type, and plenty of them."""
    return secrets.randbelow(10**9)


def check_range(first: int, n: int) -> None:
    """Refuse indices beyond the largest one."""
    if first + n - 1 > LARGEST_INDEX:
        raise RequestError(f"--first {first} with --n {n}: indices end at 2^63-1.")


def cost(plan: Plan) -> float:
    """Rough cost of a game, in nanoseconds; sizes chunks, and changes nothing else."""
    return plan.description.nanoseconds(plan.rules) + sum(
        choice.nanoseconds for player in plan.players for choice in player.choices
    )


def chunk_size(plan: Plan) -> int:
    """Games a chunk, a power of two: by game, rules and strategies, never by a clock."""
    wanted = CHUNK_NANOSECONDS / cost(plan)
    size = 1
    while size * 2 <= min(wanted, LARGEST_CHUNK):
        size *= 2
    return size


def cut(
    first: int,
    n: int,
    size: int,
    looks: Iterable[int] = (),
    done: Iterable[tuple[int, int]] = (),
) -> Iterator[tuple[int, int]]:
    """Cut the games not yet done into chunks, one at a time: there can be billions.

    Parameters
    ----------
    first, n : int
        Index of the first game, and number of games.
    size : int
        Most games in a chunk. Chunks end at multiples of it, counted from `first`.
    looks : iterable of int
        Numbers of games at which a chunk must end as well.
    done : iterable of (start, stop)
        Ranges of indices already played, in order.

    Yields
    ------
    (start, stop)
        In order, disjoint, together with `done` all of first .. first + n - 1.
    """
    ends = sorted(first + look for look in looks)
    gaps = []
    at = first
    for start, stop in done:
        if start > at:
            gaps.append((at, start))
        at = max(at, stop)
    if at < first + n:
        gaps.append((at, first + n))
    for start, stop in gaps:
        inside = ends[bisect_right(ends, start) : bisect_left(ends, stop)]
        for end in (*inside, stop):
            yield from chunks_between(start, end, first, size)
            start = end


def chunks_between(start: int, stop: int, first: int, size: int) -> Iterator[tuple[int, int]]:
    """Cut the games start .. stop - 1 at multiples of a size, counted from `first`."""
    while start < stop:
        end = min(stop, start + size - (start - first) % size)
        yield start, end
        start = end
