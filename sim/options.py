"""Options of a game's rules: what values each takes, and how people may write them.

A game's rules are a frozen dataclass whose fields are made by `option`. Everything that
reads, checks, prints or explains rules goes through here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Protocol

from .errors import RequestError, did_you_mean
from .numbers import whole_number


class Kind(Protocol):
    """What values an option takes."""

    def read(self, value: Any) -> Any:
        """Return the value as the rules hold it; ValueError when it isn't one."""
        ...

    def values(self, default: Any) -> list[str]:
        """Return the values for people, the default first; ranges as '1..6'."""
        ...


def _as_word(value: Any) -> Any:
    """Text for the ways people write yes and no in files and in Python."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    return value.strip() if isinstance(value, str) else value


@dataclass(frozen=True)
class Choice:
    """One of a few words."""

    words: tuple[str, ...]

    def read(self, value: Any) -> str:
        """Return the word; hyphens and capitals don't matter."""
        word = _as_word(value)
        if isinstance(word, str):
            for known in self.words:
                if word.replace("-", "_").lower() == known.lower():
                    return known
        raise ValueError(f"not one of {', '.join(self.words)}")

    def values(self, default: Any) -> list[str]:
        """Return the words."""
        return [default, *(word for word in self.words if word != default)]


@dataclass(frozen=True)
class Whole:
    """A whole number in a range, or one of a few words."""

    low: int
    high: int
    words: tuple[str, ...] = ()

    def read(self, value: Any) -> int | str:
        """Return the number, or the word."""
        word = _as_word(value)
        if isinstance(word, str) and word.lower() in self.words:
            return word.lower()
        try:
            return whole_number(value, "", self.low, self.high)
        except RequestError:
            also = f" or {', '.join(self.words)}" if self.words else ""
            raise ValueError(f"not a whole number from {self.low} to {self.high}{also}") from None

    def values(self, default: Any) -> list[str]:
        """Return words and range."""
        return [
            *([str(default)] if default not in self.words else []),
            *self.words,
            f"{self.low}..{self.high}",
        ]


@dataclass(frozen=True)
class Wholes:
    """A list of whole numbers such as 10,7 or 10+7, or one of a few words."""

    low: int
    high: int
    words: tuple[str, ...] = ()

    def read(self, value: Any) -> tuple[int, ...] | str:
        """Return the numbers, or the word."""
        word = _as_word(value)
        if isinstance(word, str) and word.lower() in self.words:
            return word.lower()
        if isinstance(word, str):
            parts: list[Any] = word.replace("+", ",").split(",")
        elif isinstance(word, Integral):
            parts = [word]
        else:
            try:
                parts = list(word)
            except TypeError:
                parts = []
        try:
            if not parts:
                raise RequestError("")
            return tuple(whole_number(part, "", self.low, self.high) for part in parts)
        except RequestError:
            raise ValueError(
                f"not a list of whole numbers from {self.low} to {self.high}, such as 10,7"
            ) from None

    def values(self, default: Any) -> list[str]:
        """Return words and range."""
        first = [show(default)] if isinstance(default, tuple) else []
        return [*first, *self.words, f"list of {self.low}..{self.high}"]


@dataclass(frozen=True)
class Words:
    """A list of known words such as twos+dragon, or none."""

    words: tuple[str, ...]

    def read(self, value: Any) -> tuple[str, ...]:
        """Return the words in their order here, each once; an empty tuple for none."""
        given = _as_word(value)
        if isinstance(given, str):
            parts: list[Any] = given.replace("+", ",").split(",")
        elif isinstance(given, Iterable):
            parts = list(given)
        else:
            raise ValueError(f"not a list of {', '.join(self.words)}")
        plain = [str(part).strip().lower().replace("-", "_") for part in parts]
        if plain in (["none"], []):
            return ()
        for part in plain:
            if part not in self.words:
                raise ValueError(f"'{part}' is not one of {', '.join(self.words)}")
        return tuple(word for word in self.words if word in plain)

    def values(self, default: Any) -> list[str]:
        """Return the default, none, and what a list may hold."""
        return [show(default), "none", f"list of {', '.join(self.words)}"]


@dataclass(frozen=True)
class Option:
    """One rule that a user can change."""

    name: str
    default: Any
    kind: Kind
    help: str
    """What it decides, as a question or a few words."""
    main: bool
    """Whether the short rule sheet shows it."""

    def values(self) -> list[str]:
        """Return the values it takes, the default first."""
        return self.kind.values(self.default)


class Rules(Protocol):
    """A frozen dataclass made of `option` fields, that checks itself when made."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]

    @property
    def players(self) -> int:
        """Number of seats."""
        ...

    def resolved(self) -> Rules:
        """Return the same rules with every 'auto' replaced by what it stands for."""
        ...


def option(default: Any, kind: Kind, help: str, *, main: bool = True) -> Any:
    """Make a field of a game's rules dataclass."""
    return dataclasses.field(default=default, metadata={"kind": kind, "help": help, "main": main})


def options(rules: type[Rules]) -> Iterator[Option]:
    """Yield the options of a rules class, in its order."""
    for field in dataclasses.fields(rules):
        yield Option(field.name, field.default, **field.metadata)


def make_rules(game: str, rules: type[Rules], values: Mapping[str, Any], source: str) -> Rules:
    """Make the rules of a game from names and values as people write them.

    Parameters
    ----------
    game : str
        Its name, for messages.
    rules : type
        Its rules class.
    values : mapping
        Option names (hyphens accepted) to values; options left out keep their defaults.
    source : str
        How a value was given, for messages: ``--rule`` gives "--rule lockot=off".

    Raises
    ------
    RequestError
        An unknown option, an unknown value, or rules that can't be played.
    """
    known = {option.name: option for option in options(rules)}
    read = {}
    for name, value in values.items():
        plain = name.replace("-", "_")
        said = f"{source} {name}={show(value)}".strip()
        if plain not in known:
            near = did_you_mean(plain, known)
            hint = (
                f"Did you mean {near} ({', '.join(known[near].values())})?"
                if near
                else f"See them all: simcards games {game} --all"
            )
            raise RequestError(f"{said}: {game} has no option '{name}'.\n  {hint}")
        try:
            read[plain] = known[plain].kind.read(value)
        except ValueError as error:
            values_ = ", ".join(known[plain].values())
            known_words = [word for word in known[plain].values() if word.isalpha()]
            word = did_you_mean(str(value), known_words)
            hint = f"Did you mean {word}? " if word else ""
            raise RequestError(
                f"{said}: {error}.\n  {hint}Values of {plain}, default first: {values_}."
            ) from None
    return rules(**read)


def as_dict(rules: Rules) -> dict[str, Any]:
    """Return all options of rules by name, lists for tuples: what JSON holds."""
    plain = {}
    for field in dataclasses.fields(rules):
        value = getattr(rules, field.name)
        plain[field.name] = list(value) if isinstance(value, tuple) else value
    return plain


def changed(rules: Rules, base: Rules) -> dict[str, Any]:
    """Return the options whose values differ from those of `base`."""
    standard = as_dict(base)
    return {name: value for name, value in as_dict(rules).items() if value != standard[name]}


def show(value: Any) -> str:
    """Return a value as it is typed: lists with +."""
    if isinstance(value, list | tuple):
        return "+".join(str(part) for part in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
