"""What is compared with what: from the words of a request to the tables it is played at."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from ..sim.bots import functions_once
from ..sim.contest import (
    AGAINST,
    COMPANY,
    SEATINGS,
    TABLES,
    TOURNAMENT,
    Contest,
    Table,
    check_table,
    seatings,
)
from ..sim.errors import RequestError
from ..sim.games import find_game
from ..sim.options import Rules, as_dict, show
from ..sim.plan import Plan, check_layer, draw_seed, make_plan
from ..sim.strategies import function_text, split_seats
from .summary import quoted

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")

MOST_TABLES = 2000
"""Games an observation may have."""


@dataclass(frozen=True)
class Arm:
    """One side of a comparison: what it changes."""

    words: tuple[str, ...]
    """As they can be typed."""
    strategy: Any = None
    preset: str | None = None
    players: Any = None
    rules: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """What it is called."""
        return " ".join(self.words)

    @property
    def only_strategy(self) -> bool:
        """Whether it changes nothing but who plays."""
        return (
            self.strategy is not None
            and not self.rules
            and self.preset is None
            and self.players is None
        )


@dataclass(frozen=True)
class Base:
    """What both arms have, unless they say otherwise."""

    game: str
    players: Any = None
    preset: str | None = None
    rules: Mapping[str, Any] = field(default_factory=dict)
    file_rules: Mapping[str, Any] = field(default_factory=dict)
    strategies: Any = None
    """As `make_plan` takes them: a name for all seats, or seats' own."""
    everywhere: str | None = None
    seed: Any = None


def base_of(
    game: str,
    *,
    players: Any = None,
    rules: Rules | Mapping[str, Any] | None = None,
    preset: str | None = None,
    strategies: Any = None,
    seed: Any = None,
) -> Base:
    """Return what all arms have, as Python callers give it."""
    everywhere = None
    if isinstance(strategies, str):
        seats = split_seats([strategies], "strategies")
        everywhere = seats.pop(None, None)
        strategies = seats or None
    described = find_game(game)
    plain = {} if rules is None else rules
    if isinstance(plain, described.rules):
        plain = as_dict(plain)
    if not isinstance(plain, Mapping):
        raise RequestError(
            f"rules={rules!r}: give a mapping of options to values, or rules of {described.name}."
        )
    for name in plain:
        if not isinstance(name, str):
            raise RequestError(f"rules: {name!r} is no name of an option.")
    return Base(
        game,
        players=players,
        preset=preset,
        rules=plain,
        strategies=strategies,
        everywhere=everywhere,
        seed=seed,
    )


def read_arm(given: Any, said: str) -> Arm:
    """Read an arm.

    Parameters
    ----------
    given : str, function, mapping, or sequence of them
        A strategy, ``KEY=VALUE`` (a rule, or preset, players, strategy), or several such. In
        Python also a mapping of these keys, or a function.
    said : str
        How it was given, for messages.

    Raises
    ------
    RequestError
        When nothing was given, no value after a name, or something twice.
    """
    if isinstance(given, str) or callable(given) or isinstance(given, Mapping):
        given = [given]
    if not isinstance(given, Sequence) or not given:
        raise RequestError(f"{said}: give a strategy, or NAME=VALUE such as a rule.")
    pairs: list[tuple[str, Any]] = []
    for word in given:
        if isinstance(word, Mapping):
            pairs += [(str(key), value) for key, value in word.items()]
        elif callable(word):
            pairs.append(("strategy", word))
        elif isinstance(word, str) and word.strip():
            key, equals, value = word.partition("=")
            # saver:hold=2 and my_bot.py:play:hold=2 are strategies: no name of a rule before "="
            if equals and _NAME.fullmatch(key.strip()):
                pairs.append((key.strip(), value.strip()))
            else:
                pairs.append(("strategy", word.strip()))
        else:
            raise RequestError(f"{said} {word!r}: give a strategy, or NAME=VALUE such as a rule.")
    values: dict[str, Any] = {}
    for key, value in pairs:
        name = key.replace("-", "_")
        if isinstance(value, str) and not value.strip():
            raise RequestError(f"{said} {key}=: write what {key} is to be after the equals sign.")
        if name in values and values[name] != value:
            raise RequestError(f"{said}: {name} is given twice, {show(values[name])} and {value}.")
        values[name] = value
    strategy = values.pop("strategy", None)
    words = [] if strategy is None else [_strategy_text(strategy, said)]
    words += [f"{name}={show(value)}" for name, value in values.items()]
    return Arm(
        tuple(words),
        strategy,
        values.pop("preset", None),
        values.pop("players", None),
        values,
    )


def _strategy_text(strategy: Any, said: str) -> str:
    return function_text(strategy, said) if callable(strategy) else str(strategy)


def plan_of_arm(base: Base, arm: Arm, strategies: Any, everywhere: str | None, said: str) -> Plan:
    """Return the plan of an arm: what it changes, over what all arms have."""
    own = {} if arm.players is None else {"players": arm.players}
    return make_plan(
        base.game,
        players=base.players if arm.players is None else None,
        rules={**base.rules, **arm.rules, **own},
        file_rules=base.file_rules,
        preset=arm.preset or base.preset,
        strategies=strategies,
        everywhere=everywhere,
        seed=base.seed,
        source=said,
        strategy_source=said,
    )


@functions_once()
def make_comparison(base: Base, given_a: Any, given_b: Any, against: Any = None) -> Contest:
    """Return the tables of a comparison.

    Two strategies share one table, in all seatings. With `against` each has a seat, in turn, at
    a table of its own where `against` plays the others. Anything else is two tables.

    Raises
    ------
    RequestError
        When it can't be done as stated.
    """
    arms = read_arm(given_a, "--a"), read_arm(given_b, "--b")
    for arm, said in zip(arms, ("--a", "--b"), strict=True):
        if not arm.words:
            raise RequestError(f"{said}: give a strategy, or NAME=VALUE such as a rule.")
    labels = arms[0].text, arms[1].text
    game = find_game(base.game)
    base = Base(**{**base.__dict__, "seed": draw_seed() if base.seed is None else base.seed})
    check_layer(game, _plain(base.rules), "--rule")
    for arm, said in zip(arms, ("--a", "--b"), strict=True):
        check_layer(game, arm.rules, said)
    company = base.strategies or base.everywhere
    shared = against is None and all(arm.only_strategy for arm in arms)
    if against is not None and base.strategies:
        raise RequestError("--strategy SEAT=NAME: with --against each seat is taken in turn.")
    if company and not shared and all(arm.strategy is not None for arm in arms):
        raise RequestError(
            "--strategy: --a and --b both name who plays, so it would play nowhere: leave it out."
        )
    if against is not None:
        tables = []
        for number, (arm, said) in enumerate(zip(arms, ("--a", "--b"), strict=True)):
            plan = plan_of_arm(base, arm, None, None, said)
            plan_of_arm(base, arm, against, None, "--against")  # a message names it
            own = arm.strategy if arm.strategy is not None else base.everywhere
            own = plan.players[0].text if own is None else own
            for seat in range(plan.rules.players):
                others: list[Any] = [against] * plan.rules.players
                others[seat] = own
                whose = [COMPANY] * plan.rules.players
                whose[seat] = number
                tables.append(Table(plan_of_arm(base, arm, others, None, said), tuple(whose)))
        contest = Contest(AGAINST, labels, tuple(tables))
    elif shared:
        if company:
            raise RequestError(
                "--strategy: two strategies share the whole table.\n"
                "  Put each among others with --against NAME instead."
            )
        contest = at_one_table(
            base, SEATINGS, labels, [arm.strategy for arm in arms], ("--a", "--b"), ((0, 1),)
        )
    else:
        tables = []
        for arm, said in zip(arms, ("--a", "--b"), strict=True):
            everywhere = base.everywhere
            strategies = base.strategies
            if arm.strategy is not None:
                everywhere, strategies = None, arm.strategy
            plan = plan_of_arm(base, arm, strategies, everywhere, said)
            tables.append(Table(plan, (COMPANY,) * plan.rules.players))
        contest = Contest(TABLES, labels, tuple(tables))
    check_table(contest)
    return contest


def at_one_table(
    base: Base,
    kind: str,
    labels: Sequence[str],
    strategies: Sequence[Any],
    said: Sequence[str],
    fields: Sequence[tuple[int, ...]],
) -> Contest:
    """Return a contest of strategies that share tables, in all seatings of each field.

    Parameters
    ----------
    base : Base
    kind : str
    labels : sequence of str
    strategies : sequence of str or functions
        By arm.
    said : sequence of str
        By arm, how it was given, for messages.
    fields : sequence of tuples of int
        Which arms sit at a table together.
    """
    sample = plan_of_arm(base, Arm(()), None, None, "--rule")
    players = sample.rules.players
    if players < 2:
        raise RequestError(
            "one player alone always comes first: compare strategies with two players or more."
        )
    most = max(len(field) for field in fields)
    if most > players:
        raise RequestError(f"{most} strategies don't fit at a table of {players} players.")
    places = [arms for field in fields for arms in seatings(field, players)]
    if len(places) > MOST_TABLES:
        raise RequestError(
            f"an observation would be {len(places):,} games, more than {MOST_TABLES:,}: "
            "take fewer strategies or players."
        )
    for strategy, word in zip(strategies, said, strict=True):
        plan_of_arm(base, Arm(()), strategy, None, word)  # a message names the arm
    tables = []
    for arms in places:
        seats = [strategies[arm] for arm in arms]
        tables.append(Table(plan_of_arm(base, Arm(()), seats, None, "strategies"), arms))
    return Contest(kind, tuple(labels), tuple(tables))


@functions_once()
def make_tournament(
    base: Base, strategies: Sequence[Any], *, gauntlet: bool = False, mixed: bool = False
) -> Contest:
    """Return the tables of a tournament.

    Parameters
    ----------
    base : Base
    strategies : sequence of str or functions
        Who takes part.
    gauntlet : bool
        The first one meets each of the others; else everybody meets everybody.
    mixed : bool
        As many different strategies at a table as there are seats; else two at a time.

    Raises
    ------
    RequestError
        When it can't be done as stated.
    """
    if isinstance(strategies, str) or not isinstance(strategies, Sequence):
        raise RequestError("strategies: give a list of names.")
    labels = [_strategy_text(one, "--strategies") for one in strategies]
    twice = sorted({one for one in labels if labels.count(one) > 1})
    if twice:
        raise RequestError(f"--strategies: {', '.join(twice)} is named twice.")
    if len(labels) < 2:
        raise RequestError("--strategies: name at least two, such as lowest,control.")
    if base.strategies or base.everywhere:
        raise RequestError("--strategy: name all who take part in --strategies.")
    base = Base(**{**base.__dict__, "seed": draw_seed() if base.seed is None else base.seed})
    numbers = range(len(labels))
    size = 2
    if mixed:
        size = plan_of_arm(base, Arm(()), None, None, "--rule").rules.players
        if len(labels) < size:
            raise RequestError(
                f"--mixed needs as many strategies as seats: {len(labels)} for {size}."
            )
    players = [
        plan_of_arm(base, Arm(()), one, None, "--strategies").players[0] for one in strategies
    ]
    for one, other in combinations(numbers, 2):
        if players[one].choices == players[other].choices:
            raise RequestError(
                f"--strategies: {labels[one]} and {labels[other]} are the same strategy: "
                "leave one of them out."
            )
    fields = [one for one in combinations(numbers, size) if not gauntlet or one[0] == 0]
    said = ["--strategies"] * len(labels)
    return at_one_table(base, TOURNAMENT, labels, strategies, said, fields)


def _plain(rules: Mapping[str, Any] | Any) -> Mapping[str, Any]:
    return rules if isinstance(rules, Mapping) else as_dict(rules)


def base_words(base: Base) -> list[str]:
    """Return the words of a command that say what all arms have."""
    words = [f"--game {find_game(base.game).name}"]
    if base.preset:
        words.append(f"--preset {base.preset}")
    if base.players is not None:
        words.append(f"--players {base.players}")
    words += [
        f"--rule {name}={show(value)}"
        for name, value in {**base.file_rules, **_plain(base.rules)}.items()
    ]
    if base.everywhere:
        words.append(f"--strategy {quoted(base.everywhere)}")
    if isinstance(base.strategies, str):
        words.append(f"--strategy {quoted(base.strategies)}")
    elif base.strategies:
        seats = base.strategies
        pairs = seats.items() if isinstance(seats, Mapping) else enumerate(seats)
        for seat, one in pairs:
            text = _strategy_text(one, "--strategy")
            words.append(f"--strategy {quoted(f'{seat}={text}')}")
    return words


def comparison_words(base: Base, given_a: Any, given_b: Any, against: Any) -> str:
    """Return the words of the command that makes a comparison."""
    words = base_words(base)
    for option, given in (("--a", given_a), ("--b", given_b)):
        words += [f"{option} {quoted(word)}" for word in read_arm(given, option).words]
    if against is not None:
        text = _strategy_text(against, "--against")
        words.append(f"--against {quoted(text)}")
    return " ".join(words)
