"""Random rules and strategies of aces, for the tests that compare it with its referee."""

from __future__ import annotations

import random
from typing import Any

from referees import aces as referee

from simcards.sim.errors import RequestError
from simcards.sim.games.aces import GAME, Rules
from simcards.sim.replay import Replay

TAKES = ("always", "never", "random", "rare:copies=0", "rare:copies=2", "rare", "safe_pass")
PLACES = ("lowest", "highest", "random", "rarest", "commonest", "contested")
DISPLACES = ("always", "never", "random")


def random_rules(choose: random.Random) -> Rules:
    """Return playable rules; each option is often, but not always, something else."""
    while True:
        values: dict[str, Any] = {"players": choose.randint(1, 6)}
        if choose.random() < 0.3:
            values["layouts"] = tuple(choose.randint(1, 13) for _ in range(values["players"]))
        elif choose.random() < 0.7:
            values["layout"] = choose.randint(1, 13)
        for name, options in (
            ("packs", (1, 2, 4)),
            ("shrink", (0, 1, 2, 3)),
            ("match", ("hand",)),
            ("take_discard", ("any", "any", "never")),
            ("displace", ("may", "no")),
            ("reshuffle", ("eager",)),
            ("finish", ("last_turn",)),
            ("complete", ("natural",)),
            ("wild_limit", (0, 1, 2, 4)),
            ("starter", ("loser", "rotate")),
            ("wild", ("Q", "K", "JQ", "none")),
            ("jokers", (1, 2, 4)),
            ("queen", ("skip",)),
            ("initial_discard", ("yes",)),
            ("max_turns", (1, 7, 60)),
        ):
            if choose.random() < 0.45:
                values[name] = choose.choice(options)
        values.setdefault("max_turns", 300)
        if values.get("shrink") == 0 and values.get("match") != "hand" and choose.random() < 0.7:
            values["hands"] = choose.randint(1, 6)
        try:
            return Rules(**values).resolved()
        except RequestError:
            continue


def random_strategies(choose: random.Random, rules: Rules) -> list[str]:
    """Return a strategy a seat, legal under the rules."""
    found = []
    for _ in range(rules.players):
        takes = [one for one in TAKES if one != "safe_pass" or rules.take_discard == "any"]
        words = [
            choose.choice(takes) if rules.take_discard != "never" else "always",
            choose.choice(PLACES) if GAME.decisions[1].asked(rules) else "lowest",
            choose.choice(DISPLACES) if rules.displace == "may" else "always",
        ]
        found.append("+".join(words[: choose.choice((1, 2, 3, 3))]))
    return found


def for_referee(rules: Rules) -> dict[str, Any]:
    """Return rules in the form that the referee takes."""
    values = {name: getattr(rules, name) for name in rules.__dataclass_fields__}
    values["layouts"] = None if rules.layouts == "none" else rules.layouts
    values["wild_limit"] = None if rules.wild_limit == "none" else rules.wild_limit
    values["initial_discard"] = rules.initial_discard == "yes"
    return values


def as_referee_tells(told: Replay) -> referee.Game:
    """Return a replay of the kernel in the form in which the referee tells a match."""
    row, events = told.row, told.events[1:-1]
    deals = [event for event in events if event["event"] == "deal"]
    ends = [event for event in events if event["event"] == "hand_end"]
    seats = range(told.plan.rules.players)
    return referee.Game(
        hands_won=[row[f"hands_won_{seat}"] for seat in seats],
        layouts=[row[f"layout_{seat}"] for seat in seats],
        events=events,
        winner=row["winner"],
        winners=told.events[-1]["winners"],
        status=row["status"],
        turns=row["turns"],
        hands=row["hands"],
        cards=row["cards"],
        taken=row["discards_taken"],
        wilds=row["wilds_placed"],
        reshuffles=row["reshuffles"],
        first_turn_wins=row["first_turn_wins"],
        forced=row["forced"],
        free=row["free"],
        first_winner=row["first_winner"],
        starter_wins=[
            (deal["starter"], tuple(deal["layouts"]), end["winner"])
            for deal, end in zip(deals, ends, strict=True)
            if end["winner"] >= 0
        ],
    )
