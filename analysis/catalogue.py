"""Descriptions of games as JSON, for programs: what ``games GAME --json`` prints."""

from __future__ import annotations

from typing import Any

from .. import __version__
from ..sim.game import Game
from ..sim.options import options
from ..sim.plan import make_plan
from ..sim.provenance import JSON_VERSION
from ..sim.rows import columns


def describe(game: Game) -> dict[str, Any]:
    """Return everything about a game that a program may want to know."""
    known = list(options(game.rules))
    plan = make_plan(game.name, seed=0)
    players = next(option for option in known if option.name == "players")
    return {
        "format": "simcards game",
        "version": JSON_VERSION,
        "simcards": __version__,
        "name": game.name,
        "aliases": list(game.aliases),
        "title": game.title,
        "unit": plan.unit.one,
        "engine": game.engine,
        "rules_version": game.rules_version,
        "players": players.values()[-1],
        "rules": [
            {
                "name": option.name,
                "default": list(option.default)
                if isinstance(option.default, tuple)
                else option.default,
                "values": option.values(),
                "help": option.help,
            }
            for option in known
        ],
        "presets": {name: dict(values) for name, values in game.presets.items()},
        "decisions": [
            {
                "name": decision.name,
                "help": decision.help,
                "strategies": [
                    {
                        "name": strategy.name,
                        "help": strategy.help,
                        "parameters": [
                            {
                                "name": one.name,
                                "default": one.default,
                                "low": one.low,
                                "high": one.high,
                                "help": one.help,
                            }
                            for one in strategy.parameters
                        ],
                    }
                    for strategy in decision.strategies
                ],
                "default": decision.default,
            }
            for decision in game.decisions
        ],
        "columns": [
            {
                "name": name,
                "dtype": column.dtype,
                "unit": column.unit,
                "help": column.help,
                **({"values": list(column.labels)} if column.labels else {}),
            }
            for name, column in columns(game, plan.rules.players)
        ],
        "events": [
            {"name": count.name, "per": count.per, "by_seat": count.per_seat, "help": count.help}
            for count in game.counts
        ],
    }
