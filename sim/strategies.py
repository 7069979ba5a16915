"""Who plays: strategies as people write them, one a seat."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any

from .bots import LARGEST, Bot, bot_of_function, find_bot, functions_once, parameters_of
from .errors import RequestError, did_you_mean
from .game import Decision, Game, Parameter, Strategy
from .numbers import whole_number
from .options import Rules
from .sources import is_file_word, split_words

USER = -1
"""Number of a strategy that a user has written, as kernels/common.py has it."""


@dataclass(frozen=True)
class Choice:
    """A strategy for one decision, with its parameters."""

    number: int
    draws: bool
    parameters: tuple[int, ...]
    nanoseconds: float
    """What it adds to the cost of a game."""
    bot: Bot | None = None
    """The function that is asked, if a user has written it."""


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


def _parameters(
    name: str, known: Sequence[Parameter], words: Sequence[str], said: str
) -> tuple[int, ...]:
    values = {parameter.name: parameter.default for parameter in known}
    given = set()
    for word in words:
        key, equals, text = word.partition("=")
        parameter = next((one for one in known if one.name == key), None)
        if parameter is None or not equals:
            takes = ", ".join(
                f"{one.name}={one.default}"
                + (f" ({one.low}..{one.high})" if one.high < LARGEST else "")
                for one in known
            )
            raise RequestError(
                f"{said}: '{word}' is no parameter of {name}.\n  It takes {takes or 'none'}."
            )
        if key in given:
            raise RequestError(f"{said}: {key} is given twice.")
        given.add(key)
        values[key] = whole_number(text, f"{said}: {key}", parameter.low, parameter.high)
    return tuple(values.values())


def default_name(decision: Decision, rules: Rules) -> str:
    """Return what a decision left out is answered with: its default, unless the rules refuse it."""
    named = next(one for one in decision.strategies if one.name == decision.default)
    allowed = (one for one in (named, *decision.strategies) if not one.refused(rules))
    return next(allowed, named).name


def _built_in(
    decision: Decision, rules: Rules, written: str, asked: bool, said: str
) -> tuple[Choice, str, str]:
    """Read the name of a built-in strategy: what it is, its short text, why it is refused."""
    name, *parameter_words = written.split(":")
    strategy = _find(decision, name, said)
    parameters = _parameters(strategy.name, strategy.parameters, parameter_words, said)
    cost = strategy.nanoseconds(rules, parameters) if asked else 0.0
    choice = Choice(strategy.number, strategy.draws and asked, parameters, cost)
    return choice, _text(strategy.name, strategy.parameters, parameters), strategy.refused(rules)


def _users_choice(
    written: str, asked: bool, said: str, kept: Mapping[str, Path]
) -> tuple[Choice, str]:
    """Read a file with a strategy."""
    if not kept:  # else the files lie under names of our own
        try:
            written.encode()  # as it is hashed, kept and printed
            os.fsencode(written)  # as the system is asked for it
        except UnicodeEncodeError:
            raise RequestError(
                f"{said}: {sys.getfilesystemencoding()}, the encoding of file names here, can't "
                "spell this name.\n  Set PYTHONUTF8=1 in the environment, or rename the file."
            ) from None
    bot, words = find_bot(written, said, kept)
    known = parameters_of(bot, said)
    parameters = _parameters(bot.text, known, words, said)
    return Choice(USER, asked, parameters, 0.0, bot), _text(bot.text, known, parameters)


def _read_function(function: Any, said: str) -> tuple[Bot, tuple[int, ...], str]:
    """Read a function given in Python, whose parameters functools.partial sets."""
    given = dict(getattr(function, "keywords", None) or {})
    if getattr(function, "args", ()):
        raise RequestError(
            f"{said}: name the parameters: functools.partial(play, hold=2), not by their place."
        )
    bot = bot_of_function(getattr(function, "func", function), said)
    known = parameters_of(bot, said)
    words = [f"{name}={value}" for name, value in given.items()]
    parameters = _parameters(bot.text, known, words, said)
    return bot, parameters, _text(bot.text, known, parameters)


def function_text(function: Any, said: str) -> str:
    """Return what a function given in Python is called: its name and its parameters.

    Raises
    ------
    RequestError
        When it can't be a strategy.
    """
    return _read_function(function, said)[2]


def _player_of_function(game: Game, rules: Rules, function: Any, said: str) -> Player:
    """Make a player of a function given in Python."""
    bot, parameters, text = _read_function(function, said)
    choices = tuple(
        Choice(USER, decision.asked(rules), parameters, 0.0, bot) for decision in game.decisions
    )
    return Player(text, choices)


def _text(name: str, known: Sequence[Parameter], values: Sequence[int]) -> str:
    """Return a strategy as it can be typed, with the parameters that aren't the defaults."""
    return name + "".join(
        f":{one.name}={value}"
        for one, value in zip(known, values, strict=True)
        if value != one.default
    )


def read_player(
    game: Game, rules: Rules, text: str | Any, said: str, kept: Mapping[str, Path] | None = None
) -> Player:
    """Read a strategy such as ``rare:copies=2+lowest``.

    Parameters
    ----------
    game : Game
    rules : Rules
    text : str or function
        A name or a file a decision, joined by ``+``; later ones may be left out. A file or a
        function alone is asked every decision.
    said : str
        How it was given, for messages.
    kept : mapping of str to Path, optional
        Files that lie elsewhere than their paths say.

    Raises
    ------
    RequestError
        An unknown name or parameter, or a strategy these rules leave no room for.
    """
    kept = kept or {}
    if callable(text):
        return _player_of_function(game, rules, text, said)
    if not isinstance(text, str):
        raise RequestError(f"{said}: a strategy is a name, such as {game.decisions[0].default}.")
    if not text.strip():
        raise RequestError(f"{said.strip()}: name a strategy, such as {game.decisions[0].default}.")
    words = split_words(text)
    if len(words) > len(game.decisions):
        names = "+".join(decision.name for decision in game.decisions)
        raise RequestError(
            f"{said}: {len(words)} strategies, but {game.name} has {len(game.decisions)} "
            f"decisions.\n  Write one a decision: {names}."
        )
    if len(words) == 1 and is_file_word(words[0]):
        words = words * len(game.decisions)  # a file alone is asked everything
        alone = True
    else:
        alone = False
    choices = []
    texts = []
    for j, decision in enumerate(game.decisions):
        written = words[j].strip() if j < len(words) else default_name(decision, rules)
        asked = decision.asked(rules)
        if is_file_word(written):
            choice, word = _users_choice(written, asked, said, kept)
            refused = ""
        else:
            choice, word, refused = _built_in(decision, rules, written, asked, said)
        is_default = word == default_name(decision, rules)
        if not asked and j < len(words) and not is_default and not alone:
            refused = f"these rules never ask the decision '{decision.name}': {decision.help}"
        if refused:
            raise RequestError(f"{said}: {word} can't be used: {refused}")
        choices.append(choice)
        texts.append(word)
    if alone:
        return Player(texts[0], tuple(choices))
    # Decisions are told by their place, so one that is never asked keeps it before one that is.
    while len(texts) > 1 and not game.decisions[len(texts) - 1].asked(rules):
        texts.pop()
    return Player("+".join(texts), tuple(choices))


@functions_once()
def read_players(
    game: Game,
    rules: Rules,
    strategies: Any,
    said: str = "strategies",
    everywhere: str | None = None,
    kept: Mapping[str, Path] | None = None,
) -> tuple[Player, ...]:
    """Read who sits where.

    Parameters
    ----------
    strategies : str or function, sequence of them, mapping of int to them, or None
        One for all seats, one a seat, or some seats' own.
    said : str
        How they were given, for messages.
    everywhere : str, optional
        Played on the seats left out; the default if left out itself.
    kept : mapping of str to Path, optional
        Files that lie elsewhere than their paths say.
    """
    default = everywhere
    if default is None:
        default = "+".join(default_name(one, rules) for one in game.decisions)
    texts: list[Any]
    if isinstance(strategies, str) or callable(strategies):
        texts = [strategies] * rules.players
    elif isinstance(strategies, Mapping):
        texts = [default] * rules.players
        for seat, text in strategies.items():
            if not isinstance(seat, Integral) or not 0 <= int(seat) < rules.players:
                raise RequestError(
                    f"{said} {seat}={text}: there is no seat {seat}; "
                    f"{rules.players} play, seats 0 to {rules.players - 1}."
                )
            texts[int(seat)] = text
    elif strategies is None:
        texts = [default] * rules.players
    elif not isinstance(strategies, Sequence):
        raise RequestError(f"{said}: give a name, a list of names, or a mapping of seats to names.")
    else:
        texts = list(strategies)
        if len(texts) != rules.players:
            raise RequestError(f"{said}: {len(texts)} strategies for {rules.players} seats.")
    return tuple(
        read_player(
            game,
            rules,
            text,
            f"{said} {getattr(getattr(text, 'func', text), '__name__', text)}",
            kept=kept,
        )
        for text in texts
    )


def split_seats(words: Sequence[str], said: str) -> dict[int | None, str]:
    """Sort ``NAME`` and ``SEAT=NAME`` apart; the key None is for all other seats."""
    found: dict[int | None, str] = {}
    for word in words:
        seat_text, equals, text = word.partition("=")
        has_seat = bool(equals) and seat_text.strip().isdecimal()
        seat = int(seat_text) if has_seat else None
        name = text.strip() if has_seat else word.strip()
        if not name:  # or the default would play, as if nothing had been said
            raise RequestError(f"{said} {word}".strip() + ": name a strategy.")
        if found.get(seat, name) != name:
            whose = "all seats" if seat is None else f"seat {seat}"
            raise RequestError(f"{said} {word}: {whose} already got '{found[seat]}'.")
        found[seat] = name
    return found
