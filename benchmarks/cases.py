"""Requests that between them reach every preset, option value and built-in strategy of a game.

They are found from the game's own description, so a new option or strategy is reached too. A
request is written as text, such as ``bomb_scope=any dseq_min=2 by highest shed random highest``:
options (and preset, seed, first), then who plays, everywhere or on each seat.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from simcards.sim.errors import RequestError
from simcards.sim.game import Decision, Game, Strategy
from simcards.sim.numbers import LARGEST_INDEX, LARGEST_SEED
from simcards.sim.options import Choice, Option, Rules, Whole, Wholes, Words, options, show
from simcards.sim.plan import Plan, cost, make_plan
from simcards.sim.strategies import default_name

SEED = 1
FEW = 16
"""Whole numbers of a range no wider are all tried."""
OF_A_WIDE_RANGE = (0, 1, 2, 3, 5, 8, 13, 21, 40)
LARGEST_PARAMETER = 10_000
LEAST_GAMES, MOST_GAMES = 8, 1024
NANOSECONDS = 30e6
"""About what the games of a request take."""
OTHERS = 0.2
"""How likely an option is changed beside another."""
DRAWS = 200


def request_of(game: str, text: str) -> dict[str, Any]:
    """Read a request: what `simcards.run` takes, but for the number of games."""
    words = text.split()
    at = words.index("by") if "by" in words else len(words)
    given: dict[str, Any] = dict(word.split("=", 1) for word in words[:at])
    request: dict[str, Any] = {"game": game, "seed": int(given.pop("seed", SEED))}
    if "preset" in given:
        request["preset"] = given.pop("preset")
    if "first" in given:
        request["first"] = int(given.pop("first"))
    if given:
        request["rules"] = given
    if seats := words[at + 1 :]:
        request["strategies"] = seats[0] if len(seats) == 1 else seats
    return request


def plan_of(game: str, text: str) -> Plan:
    """Return the plan of a request."""
    request = request_of(game, text)
    return make_plan(**{name: value for name, value in request.items() if name != "first"})


def suggested_games(plan: Plan) -> int:
    """How many games to play of a plan that hasn't been played before, a power of two."""
    n = LEAST_GAMES
    while n < MOST_GAMES and 2 * n * cost(plan) <= NANOSECONDS:
        n *= 2
    return n


def values_of(option: Option) -> Iterator[Any]:
    """Yield values of an option that aren't its default."""
    kind = option.kind
    found: list[Any] = []
    if isinstance(kind, Choice):
        found = list(kind.words)
    elif isinstance(kind, Words):
        found = [(), kind.words, *((word,) for word in kind.words)]
    elif isinstance(kind, Whole):
        wide = kind.high - kind.low >= FEW
        near = range(option.default - 1, option.default + 2) if type(option.default) is int else ()
        numbers = [*OF_A_WIDE_RANGE, kind.low, *near] if wide else range(kind.low, kind.high + 1)
        inside = {number for number in numbers if kind.low <= number <= kind.high}
        found = [*kind.words, *sorted(inside)]
    elif isinstance(kind, Wholes):
        found = [*kind.words, *lists_of(kind, option.default)]
    yield from (value for value in dict.fromkeys(found) if value != option.default)


def lists_of(kind: Wholes, default: Any) -> Iterator[tuple[int, ...]]:
    """Yield some lists of whole numbers: equal ones, falling ones, and the default changed."""
    for length in range(1, 7):
        for top in (kind.low + 1, min(kind.high, 10)):
            yield (top,) * length
            yield tuple(max(kind.low, top - place) for place in range(length))
    if isinstance(default, tuple):
        for place in range(len(default)):
            for number in (0, default[place] - 1, default[place] + 1):
                if kind.low <= number <= kind.high:
                    yield (*default[:place], number, *default[place + 1 :])


def written(values: Mapping[str, Any], *seats: str) -> str:
    """Write a request."""
    return " ".join(
        [f"{name}={show(value)}" for name, value in values.items()]
        + (["by", *seats] if seats else [])
    )


def playable(game: Game, text: str) -> bool:
    """Whether a request isn't refused."""
    try:
        plan_of(game.name, text)
    except RequestError:
        return False
    return True


def with_help(
    game: Game, values: Mapping[str, Any], wanted: Callable[[Rules], bool] = lambda rules: True
) -> Mapping[str, Any] | None:
    """Return values as they are, or with one more, such that they can be played and are wanted."""
    more = (
        {other.name: value}
        for other in options(game.rules)
        if other.name not in values
        for value in values_of(other)
    )
    for extra in ({}, *more):
        candidate = {**values, **extra}
        if playable(game, written(candidate)):
            if wanted(plan_of(game.name, written(candidate)).rules):
                return candidate
    return None


def presets(game: Game) -> Iterator[str]:
    """Yield each preset, as it is played if nothing else is said."""
    yield from (written({"preset": preset}) for preset in game.presets)


def values_of_options(game: Game) -> Iterator[str]:
    """Yield each value of each option, alone where that can be played."""
    for option in options(game.rules):
        for value in values_of(option):
            values = with_help(game, {option.name: value})
            if values is not None:
                yield written(values)


def strategies(game: Game, parameters: bool = True) -> Iterator[str]:
    """Yield each strategy on all seats, under rules that ask it; parameters at both ends."""
    for place, decision in enumerate(game.decisions):
        for strategy in decision.strategies:
            values = with_help(game, {}, asking(decision, strategy))
            if values is None:
                continue
            rules = plan_of(game.name, written(values)).rules
            before = [default_name(one, rules) for one in game.decisions[:place]]
            yield written(values, "+".join([*before, strategy.name]))
            for one in strategy.parameters if parameters else ():
                for end in sorted({one.low, min(one.high, LARGEST_PARAMETER)} - {one.default}):
                    text = f"{strategy.name}:{one.name}={end}"
                    yield written(values, "+".join([*before, text]))


def asking(decision: Decision, strategy: Strategy) -> Callable[[Rules], bool]:
    """Return what tells whether rules ask a strategy."""
    return lambda rules: decision.asked(rules) and not strategy.refused(rules)


def combinations(game: Game) -> Iterator[str]:
    """Yield each value of each option among others, with a strategy of its own on each seat.

    Many options show only together with others. They are drawn, always the same.
    """
    known = list(options(game.rules))
    for option in known:
        for value in values_of(option):
            draw = random.Random(f"{game.name} {option.name}={show(value)}")
            for _ in range(DRAWS):
                values = {
                    other.name: one_of(draw, list(values_of(other)))
                    for other in known
                    if other.name != option.name and draw.random() < OTHERS
                }
                values[option.name] = value
                seats = [
                    "+".join(one_of(draw, one.strategies).name for one in game.decisions)
                    for _ in range(game.rules().players)
                ]
                text = written(values, *seats)
                # With other numbers of players there are other seats: all play the first's.
                for tried in (text, written(values, seats[0])):
                    if playable(game, tried):
                        text = tried
                        break
                else:
                    continue
                if suggested_games(plan_of(game.name, text)) > LEAST_GAMES:
                    yield text
                    break


def one_of(draw: random.Random, among: Any) -> Any:
    """Draw one; `random` is the one method whose numbers no version of Python changes."""
    return among[int(draw.random() * len(among))]


def requests(game: Game) -> list[str]:
    """Return all requests of a game, each once."""
    far = written({"seed": LARGEST_SEED, "first": LARGEST_INDEX - MOST_GAMES + 1})
    return list(
        dict.fromkeys(
            [
                *presets(game),
                *values_of_options(game),
                *strategies(game),
                *combinations(game),
                far,
            ]
        )
    )
