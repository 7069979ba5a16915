"""What a game tells about itself: plain descriptions that everything else works from.

A game is one `Game` object. Its rules are checked, its strategies offered, its rows
typed, its counts summed and its screens written from what stands here, so that no other
module names a game. The numbers come from a kernel module in kernels/, imported only
when something is played. Such a module has

``play, SIGNATURE``
    the compiled function and its Numba argument types,
``RULES, TABLE, ROW``
    structured dtypes of the rules, of the table a game is played on, and of a row; rows
    have at least the fields winner, winners, capped and turns,
``TALLY``
    shape of the int64 array of counts that don't fit a row,
``EVENT_WIDTH``
    numbers an event of a replay has,
``VIEW, MAX_SEATS``
    structured dtype of what users' strategies see, and how many seats there can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .options import Rules

Event = dict[str, Any]


@dataclass(frozen=True)
class Unit:
    """What one index of a run is called."""

    one: str
    many: str

    def word(self, number: int) -> str:
        """Return the word for a number of them: 1 match, 2 matches."""
        return self.one if number == 1 else self.many


MATCH = Unit("match", "matches")


@dataclass(frozen=True)
class Parameter:
    """An integer that a strategy can be given, as in ``rare:copies=1``."""

    name: str
    default: int
    low: int
    high: int
    help: str


@dataclass(frozen=True)
class Strategy:
    """A built-in strategy for one decision."""

    name: str
    number: int
    """What the kernel knows it by."""
    help: str
    parameters: tuple[Parameter, ...] = ()
    draws: bool = False
    """Whether it uses a random word each time it is asked."""
    refused: Callable[[Any], str] = lambda rules: ""
    """Why it can't be used under these rules; '' when it can."""
    nanoseconds: Callable[[Any, Sequence[int]], float] = lambda rules, parameters: 0.0
    """From rules and parameters, what a seat that plays it adds to the cost of a game."""


@dataclass(frozen=True)
class Decision:
    """A kind of choice that players have."""

    name: str
    help: str
    strategies: tuple[Strategy, ...]
    default: str
    """Where the rules refuse it, the first one that they don't."""
    asked: Callable[[Any], bool] = lambda rules: True
    """Whether these rules ever ask it."""
    asks: tuple[int, ...] = (0,)
    """Numbers of what the kernel asks in it."""


@dataclass(frozen=True)
class Column:
    """A column of the rows of a run. `name` ends in ``_`` if there is one a seat."""

    name: str
    dtype: str
    """Name of a polars dtype, or 'Enum'."""
    unit: str
    help: str
    field: str = ""
    """Field of the kernel's rows, if not `name` (without its ``_``)."""
    labels: tuple[str, ...] = ()
    """Words of an Enum, by number."""

    @property
    def source(self) -> str:
        """The field of the kernel's rows it comes from."""
        return self.field or self.name.rstrip("_")

    @property
    def per_seat(self) -> bool:
        """Whether there is one for each seat that plays."""
        return self.name.endswith("_")


@dataclass(frozen=True)
class Count:
    """Something counted in every run: the sum of a field over finished games."""

    name: str
    field: str
    per: str
    """Its denominator: ``games`` (finished ones), ``capped``, or another count's name."""
    help: str
    per_seat: bool = False
    capped: bool = False
    """Summed over the capped games instead."""
    scale: int = 1
    """What a whole one counts (60 for scores, which can be shared)."""
    at: int | None = None
    """Which element of a field that has several, not one a seat."""
    label: str = ""
    """What it is called beside other figures, if not by its name."""


@dataclass(frozen=True)
class Tally:
    """Counts by some key, from the kernel's own array of shape (keys ..., counts)."""

    name: str
    keys: tuple[str, ...]
    counts: tuple[str, ...]
    help: str


@dataclass(frozen=True)
class Rate:
    """A figure: a count over its denominator, of 100; or a seat's share of the wins."""

    count: str
    seat: int | None = None


@dataclass(frozen=True)
class Mean:
    """A figure: the mean of a length."""

    length: str


@dataclass(frozen=True)
class MeanScore:
    """A figure: the mean of a score of a seat."""

    score: str
    seat: int


@dataclass(frozen=True)
class Chance:
    """A figure: the share of games in which a score of a seat has a value."""

    score: str
    seat: int
    value: int


@dataclass(frozen=True)
class Headline:
    """A question people ask, and the figures that answer it; the first has the interval."""

    question: str
    answer: str
    """With a ``{}`` for each figure."""
    figures: tuple[Rate | Mean | MeanScore, ...]
    applies: Callable[[Any], bool] = lambda rules: True


@dataclass(frozen=True)
class Fact:
    """A value that is known without simulating, or was simulated elsewhere with an error."""

    name: str
    value: float
    error: float
    """Standard error of `value`; 0 when it is exact."""
    source: str
    rules: Mapping[str, Any]
    figure: Rate | Mean | MeanScore | Chance | tuple[str, tuple[int, ...]]
    """What to compare: a figure, or a tally's second count over its first at a key."""
    strategies: tuple[str, ...] = ()
    games: int = 200_000


@dataclass(frozen=True)
class SeatFigure:
    """What comparisons of strategies look at on each seat, besides first places."""

    name: str
    label: str
    """What it is called on screens, such as 'mean points'."""
    field: str
    """Field of the kernel's rows with a number a seat."""
    last: bool = False
    """Instead of the number: whether it is that of the last of all players."""
    applies: Callable[[Any], bool] = lambda rules: True


@dataclass(frozen=True)
class Game:
    """Everything that is particular to a game."""

    name: str
    aliases: tuple[str, ...]
    title: str
    aim: str
    """How it is won, in a sentence or two."""
    sheet: Callable[[Any], Iterable[tuple[str, str]]]
    """From rules to those rules in short: (heading, text), for the rule sheet."""
    unit: Callable[[Any], Unit]
    """What an index is under given rules."""
    deck: Callable[[Any], object]
    """From rules to what is shuffled: where it is equal, the same cards come in the same order."""
    engine: int
    """Raised whenever a row of any run changes."""
    rules_version: int
    rules: type[Rules]
    presets: Mapping[str, Mapping[str, Any]]
    decisions: tuple[Decision, ...]
    columns: tuple[Column, ...]
    lengths: tuple[str, ...]
    """Columns whose exact histograms are kept."""
    counts: tuple[Count, ...]
    tallies: tuple[Tally, ...]
    scores: tuple[str, ...]
    """Columns by seat whose exact histograms are kept, such as points; screens show the first."""
    seat_figures: tuple[SeatFigure, ...]
    headlines: tuple[Headline, ...]
    facts: tuple[Fact, ...]
    kernel: str
    """Name of its module in kernels/."""
    encode: Callable[[Any], Mapping[str, Any]]
    """From the rules to the fields of the kernel's RULES."""
    decode: Callable[[Any, Any], Rules]
    """From the rules asked for and a RULES record to the rules as the engine has them."""
    nanoseconds: Callable[[Any], float]
    """Rough cost of a game under given rules; sizes chunks, and changes nothing else."""
    seat_note: Callable[[Any, int], str]
    """What to say of a seat beside its strategy, such as that it starts."""
    capped_note: Callable[[Any, int, int], str]
    """Why games were capped, from the rules, the games capped (maybe none) and those locked."""
    compile_seconds: int
    """About how long compiling its kernel takes."""
    read_event: Callable[[Any, Any], Event]
    """From the rules and an event of the kernel to the event as it is published."""
    situation: Callable[[Any, Any, int, int], Iterable[str]]
    """From rules, a table of the kernel, a seat and a decision to lines that say what a user's
    strategy was asked."""
    asked_names: tuple[str, ...]
    """What the kernel asks, by number."""
    choices: tuple[tuple[str, ...], ...]
    """By what is asked: kinds of answers, as the kernel counts those of users' strategies."""
    answer_words: Callable[[int, int], str]
    """From a decision and a number to what that answer means."""
    narrate: Callable[[Any, Iterable[Event]], Iterable[str]]
    """From the rules and events to lines a person reads."""
    standings: Callable[[Any, Iterable[Sequence[int]]], Iterable[tuple[int, tuple[int, ...]]]]
    """From the rules and the kernel's events to, after each turn, whose it was and how far ahead
    each seat is: the largest number leads."""
    leads: str
    """What that is, in words."""
    audit: Callable[[Any, Sequence[Sequence[int]]], str]
    """From the rules and the kernel's events of a whole game to '', or to a sentence that says
    which event leaves a card unaccounted for: as far as the events show, every card is in one
    place after each of them."""
    composition: Callable[[Any], Mapping[int, int]]
    """From the rules to the deck that is shuffled first: how often it has each card. Cards are
    numbers as in the events."""
    dealt: Callable[[Any, Sequence[Sequence[int]]], Sequence[tuple[int, ...]]]
    """From the rules and the kernel's events of a game to the cards of its first shuffle by the
    places they came to, which mean the same in every game. Where each place has one card, they
    stand in the order of the shuffle."""
    replay_key: str
    """How to read those lines."""
    examples: tuple[str, ...]
    """Commands that a rule sheet ends with."""
