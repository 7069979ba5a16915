"""Who plays: strategies as people write them, one a seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .errors import RequestError, did_you_mean
from .game import Decision, Game, Strategy
from .numbers import whole_number
from .options import Rules


@dataclass(frozen=True)
class Choice:
    """A built-in strategy for one decision, with its parameters."""

    number: int
    draws: bool
    parameters: tuple[int, ...]
    nanoseconds: float
    """What it adds to the cost of a game."""


@dataclass(frozen=True)
class Player:
    """What one seat plays by: a choice for each decision of the game."""

    text: str
    """As it can be typed again; last decisions that the rules never ask are left out."""
    choices: tuple[Choice, ...]


def _find(decision: Decision, name: str, said: str) -> Strategy:
    known = {strategy.name: strategy for strategy in decision.strategies}
    if name.replace("-", "_") not in known:
        near = did_you_mean(name, known)
        hint = f"Did you mean {near}? " if near else ""
        raise RequestError(
            f"{said}: '{name}' is no strategy for the decision '{decision.name}'.\n"
            f"  {hint}There are: {', '.join(known)}."
        )
    return known[name.replace("-", "_")]


def _parameters(strategy: Strategy, words: Sequence[str], said: str) -> tuple[int, ...]:
    values = {parameter.name: parameter.default for parameter in strategy.parameters}
    given = set()
    for word in words:
        name, equals, text = word.partition("=")
        parameter = next((one for one in strategy.parameters if one.name == name), None)
        if parameter is None or not equals:
            takes = ", ".join(
                f"{one.name}={one.default} ({one.low}..{one.high})" for one in strategy.parameters
            )
            raise RequestError(
                f"{said}: '{word}' is no parameter of {strategy.name}.\n"
                f"  It takes {takes or 'none'}."
            )
        if name in given:
            raise RequestError(f"{said}: {name} is given twice.")
        given.add(name)
        values[name] = whole_number(text, f"{said}: {name}", parameter.low, parameter.high)
    return tuple(values.values())


def default_name(decision: Decision, rules: Rules) -> str:
    """Return what a decision left out is answered with: its default, unless the rules refuse it."""
    named = next(one for one in decision.strategies if one.name == decision.default)
    allowed = (one for one in (named, *decision.strategies) if not one.refused(rules))
    return next(allowed, named).name


def read_player(game: Game, rules: Rules, text: str, said: str) -> Player:
    """Read a strategy such as ``rare:copies=2+lowest``.

    Parameters
    ----------
    game : Game
    rules : Rules
    text : str
        A name a decision, joined by ``+``; later ones may be left out.
    said : str
        How it was given, for messages.

    Raises
    ------
    RequestError
        An unknown name or parameter, or a strategy these rules leave no room for.
    """
    if not isinstance(text, str):
        raise RequestError(f"{said}: a strategy is a name, such as {game.decisions[0].default}.")
    words = text.split("+")
    if len(words) > len(game.decisions):
        names = "+".join(decision.name for decision in game.decisions)
        raise RequestError(
            f"{said}: {len(words)} strategies, but {game.name} has {len(game.decisions)} "
            f"decisions.\n  Write one a decision: {names}."
        )
    choices = []
    texts = []
    for j, decision in enumerate(game.decisions):
        written = words[j].strip() if j < len(words) else default_name(decision, rules)
        name, *parameter_words = written.split(":")
        strategy = _find(decision, name, said)
        parameters = _parameters(strategy, parameter_words, said)
        asked = decision.asked(rules)
        refused = strategy.refused(rules)
        if not asked and j < len(words) and strategy.name != default_name(decision, rules):
            refused = f"these rules never ask the decision '{decision.name}': {decision.help}"
        if refused:
            raise RequestError(f"{said}: {strategy.name} can't be used: {refused}")
        cost = strategy.nanoseconds(rules, parameters) if asked else 0.0
        choices.append(Choice(strategy.number, strategy.draws and asked, parameters, cost))
        changed = [
            f":{one.name}={value}"
            for one, value in zip(strategy.parameters, parameters, strict=True)
            if value != one.default
        ]
        texts.append(strategy.name + "".join(changed))
    # Decisions are told by their place, so one that is never asked keeps it before one that is.
    while len(texts) > 1 and not game.decisions[len(texts) - 1].asked(rules):
        texts.pop()
    return Player("+".join(texts), tuple(choices))


def read_players(
    game: Game,
    rules: Rules,
    strategies: str | Sequence[str] | Mapping[int, str] | None,
    said: str = "strategies",
    everywhere: str | None = None,
) -> tuple[Player, ...]:
    """Read who sits where.

    Parameters
    ----------
    strategies : str, sequence of str, mapping of int to str, or None
        One for all seats, one a seat, or some seats' own.
    said : str
        How they were given, for messages.
    everywhere : str, optional
        Played on the seats left out; the default if left out itself.
    """
    default = everywhere or "+".join(default_name(one, rules) for one in game.decisions)
    if isinstance(strategies, str):
        texts = [strategies] * rules.players
    elif isinstance(strategies, Mapping):
        texts = [default] * rules.players
        for seat, text in strategies.items():
            if not isinstance(seat, int) or not 0 <= seat < rules.players:
                raise RequestError(
                    f"{said} {seat}={text}: there is no seat {seat}; "
                    f"{rules.players} play, seats 0 to {rules.players - 1}."
                )
            texts[seat] = text
    elif strategies is None:
        texts = [default] * rules.players
    elif not isinstance(strategies, Sequence):
        raise RequestError(f"{said}: give a name, a list of names, or a mapping of seats to names.")
    else:
        texts = list(strategies)
        if len(texts) != rules.players:
            raise RequestError(f"{said}: {len(texts)} strategies for {rules.players} seats.")
    return tuple(read_player(game, rules, text, f"{said} {text}") for text in texts)


def split_seats(words: Sequence[str], said: str) -> dict[int | None, str]:
    """Sort ``NAME`` and ``SEAT=NAME`` apart; the key None is for all other seats."""
    found: dict[int | None, str] = {}
    for word in words:
        seat_text, equals, text = word.partition("=")
        has_seat = bool(equals) and seat_text.strip().isdecimal()
        seat = int(seat_text) if has_seat else None
        name = text.strip() if has_seat else word.strip()
        if found.get(seat, name) != name:
            whose = "all seats" if seat is None else f"seat {seat}"
            raise RequestError(f"{said} {word}: {whose} already got '{found[seat]}'.")
        found[seat] = name
    return found
