"""Playing single games again, with everything that happens in them."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import __version__
from .chunk import play_events, prepare_plan
from .errors import StrategyError
from .game import Event
from .numbers import LARGEST_INDEX, whole_number
from .options import Rules, as_dict
from .plan import Plan, make_plan
from .provenance import JSON_VERSION

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, repr=False)
class Replay:
    """One game, told."""

    plan: Plan
    index: int
    events: list[Event]
    """In order; the first is ``start``, the last ``end``."""

    @property
    def row(self) -> dict[str, Any]:
        """The game's row, as a run has it."""
        end = self.events[-1]
        mask = sum(1 << seat for seat in end["winners"])
        return {name: value for name, value in end.items() if name != "event"} | {"winners": mask}

    def lines(self) -> Iterator[str]:
        """Yield the lines a person reads."""
        return iter(self.plan.description.narrate(self.plan.rules, self.events[1:-1]))

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        unit = self.plan.unit.one
        return f"<simcards.Replay: {self.plan.game}, seed {self.plan.seed}, {unit} {self.index}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def replay_game(plan: Plan, index: int) -> Replay:
    """Play the game `index` of a plan and tell it."""
    return told_game(plan, index, None)


def told_game(plan: Plan, index: int, tables: np.ndarray | None) -> Replay:
    """Play a game and tell it, on a table that may be set up for it."""
    game = plan.description
    start = {
        "event": "start",
        "format": JSON_VERSION,
        "simcards": __version__,
        "game": game.name,
        "engine": game.engine,
        "seed": plan.seed,
        "index": index,
        "preset": plan.preset,
        "players": plan.rules.players,
        "rules": as_dict(plan.rules),
        "strategies": [player.text for player in plan.players],
    }
    try:
        events, frame = play_events(plan, index, tables)
    except StrategyError as error:
        failed = {"event": "failed", "player": error.seat, "message": str(error)}
        error.told = Replay(plan, index, [start, *error.events, failed])
        raise
    row = frame.row(0, named=True)
    mask = row["winners"]
    winners = [seat for seat in range(plan.rules.players) if mask >> seat & 1]
    return Replay(plan, index, [start, *events, {"event": "end", **row, "winners": winners}])


def replay(
    game: str,
    *,
    seed: int,
    index: int,
    players: int | None = None,
    rules: Rules | Mapping[str, Any] | None = None,
    preset: str | None = None,
    strategies: Any = None,
) -> Replay:
    """Play one game of a run again and tell what happens in it.

    Parameters
    ----------
    game : str
        Name or alias.
    seed, index : int
        Which game.
    players, rules, preset, strategies
        As for `run`.

    Returns
    -------
    Replay
        Its `events` are a list of dictionaries; printed it reads as a story.

    Raises
    ------
    RequestError
        When the request can't be done as stated.
    StrategyError
        When a strategy of a user fails; its `told` is the replay as far as it came.
    """
    plan = make_plan(
        game,
        players=players,
        rules=rules,
        preset=preset,
        strategies=strategies,
        seed=seed,
        source="rules",
        strategy_source="strategies",
    )
    number = whole_number(index, "index", 0, LARGEST_INDEX)
    prepare_plan(plan)
    return replay_game(plan, number)
