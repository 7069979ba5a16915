"""Random rules and strategies of horner, for the tests that compare it with its referee."""

from __future__ import annotations

import random
from typing import Any

from simcards.sim.errors import RequestError
from simcards.sim.games.horner import GAME, Rules

PLAYS = (
    "eager",
    "random",
    "random",
    "flip_only",
    "no_flip",
    "top_aware",
    "top_aware:far=0",
    "top_aware:far=4",
    "blocker",
    "blocker:seats=3",
    "race",
    "race:lead=0",
    "race:lead=3",
    "rollout:samples=1",
    "rollout:samples=3",
)
PIES = ("smallest", "largest", "own_run")


def random_rules(choose: random.Random) -> Rules:
    """Return playable rules; each option is often, but not always, something else."""
    while True:
        values: dict[str, Any] = {"players": choose.randint(1, 6)}
        if choose.random() < 0.4:
            values["varieties"] = choose.randint(1, 8)
        if choose.random() < 0.4:
            values["plums"] = choose.randint(2, 13)
        for name, options in (
            ("rounds", (1, 1, 2, 5)),
            ("pies", ("capacity",)),
            ("pie_value", ("printed",)),
            ("pie_points", (0, 5, 1000)),
            ("out_points", (0, 1, 8)),
            ("one_pie", ("choose",)),
            ("discard_play", ("must", "never")),
            ("discard_plays", ("many",)),
            ("flip_after_discard", ("must", "no")),
            ("turn", ("chain",)),
            ("recycle", ("sync", "pool")),
            ("round_end", ("first_out",)),
            ("next_start", ("same", "winner", "loser")),
            ("max_turns", (1, 20, 60)),
        ):
            if choose.random() < 0.4:
                values[name] = choose.choice(options)
        try:
            return Rules(**values)
        except RequestError:
            continue


def random_strategies(choose: random.Random, rules: Rules) -> list[str]:
    """Return a strategy a seat, legal under the rules."""
    plays, pies = GAME.decisions
    found = []
    for _ in range(rules.players):
        words = [choose.choice(PLAYS) if plays.asked(rules) else "eager"]
        if pies.asked(rules) and choose.random() < 0.8:
            words.append(choose.choice(PIES) if rules.numbered else "own_run")
        found.append("+".join(words))
    return found


def for_referee(rules: Rules) -> dict[str, Any]:
    """Return rules in the form that the referee takes."""
    return {name: getattr(rules, name) for name in rules.__dataclass_fields__}
