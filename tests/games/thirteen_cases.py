"""Random rules and strategies of thirteen, for the tests that compare it with its referee."""

from __future__ import annotations

import random
from typing import Any

from simcards.sim.errors import RequestError
from simcards.sim.games.thirteen import INSTANT, Rules

# endgame is compared by its answers, see test_thirteen.py.
STRATEGIES = (
    "lowest",
    "random",
    "random:passes=0",
    "shed",
    "highest",
    "saver",
    "saver:hold=3:until=2",
    "saver:hold=1:until=0",
    "structure",
    "structure:near=6:alarm=0",
    "control",
    "control:near=4:alarm=2",
    "blocker",
)


def random_rules(choose: random.Random) -> Rules:
    """Return playable rules; each option is often, but not always, something else."""
    while True:
        values: dict[str, Any] = {"players": choose.choice((2, 3, 4, 4))}
        for name, options in (
            ("bomb_min", ((0, 3, 4), (3, 3, 4), (4, 5, 6), (3, 0, 0), (2, 2, 3))),
            ("quad_beats", (0, 2, 3)),
            ("bomb_vs_bomb", ("longer", "hierarchy", "quad_over_3")),
            ("bomb_scope", ("any",)),
            ("lockout", ("off",)),
            ("bomb_after_pass", ("four", "yes", "yes")),
            ("first_lead", ("single", "free")),
            ("starter", ("loser", "lowest")),
            ("lead_after_out", ("previous_player", "last_passer")),
            ("instant_tie", ("dragon", "twos", "void")),
            ("seq_min", (2, 4, 5)),
            ("dseq_min", (2, 4)),
            ("seq_twos", ("high",)),
            ("compare_suit", ("off",)),
            ("pass_rule", ("forced",)),
            ("finish_two", ("no", "no")),
            ("play_until", ("first",)),
            ("score", ("cards",)),
            ("penalties", ((1, 2, 3, 4, 6), (5, 0, 7, 1, 2))),
            ("max_turns", (5, 40)),
            ("target", (4, 9)),
        ):
            if choose.random() < 0.35:
                values[name] = choose.choice(options)
        if choose.random() < 0.6:
            values["instant"] = tuple(word for word in INSTANT if choose.random() < 0.5)
        if choose.random() < 0.3:
            values["points"] = tuple(
                sorted((choose.randint(0, 9) for _ in range(values["players"])), reverse=True)
            )
        try:
            return Rules(**values).resolved()
        except RequestError:
            continue


def random_strategies(choose: random.Random, rules: Rules) -> list[str]:
    """Return a strategy a seat."""
    return [choose.choice(STRATEGIES) for _ in range(rules.players)]


def for_referee(rules: Rules) -> dict[str, Any]:
    """Return rules in the form that the referee takes."""
    values = {name: getattr(rules, name) for name in rules.__dataclass_fields__}
    values["target"] = None if rules.target == "none" else rules.target
    values["penalties"] = None if rules.penalties == "none" else rules.penalties
    return values
