"""Who meets whom: the tables at which every index of a comparison or tournament is played.

A *table* is a plan (rules, and who sits where) together with whose result each seat counts for.
An *observation* is one index played at all the tables: the same cards, dealt again and again,
with the strategies on other seats. Where both arms of a comparison are strategies under the same
rules they sit at one table, in all the seatings there are: where a strategy sits, and who sits
before it, can decide more than what it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any

from .bots import Bot
from .counts import SHARE
from .errors import RequestError
from .game import Game, Mean, MeanScore, Rate, Unit
from .games import find_game
from .plan import CHUNK_NANOSECONDS, LARGEST_CHUNK, Plan, cost

COMPANY = -1
"""On a seat whose result counts for no arm."""

SEATINGS = "seatings"
"""Two strategies at one table, in all seatings."""
AGAINST = "against"
"""Each arm's strategy on each seat in turn, all other seats played by somebody else."""
TABLES = "tables"
"""Two tables with the same deals: other rules, or other players all round."""
SWEEP = "sweep"
"""Any number of such tables, the first of which is the base."""
TOURNAMENT = "tournament"
"""Several strategies; fields of them, each in all seatings."""

Cell = tuple[int, str]
"""A value of a table: number of the table, name of the value."""


@dataclass(frozen=True)
class Table:
    """One game of every observation."""

    plan: Plan
    arms: tuple[int, ...]
    """By seat: the number of the arm it counts for, or `COMPANY`."""


@dataclass(frozen=True)
class Contest:
    """Observation i is a function of this and of i, of nothing else."""

    kind: str
    arms: tuple[str, ...]
    """Names, as they were given."""
    tables: tuple[Table, ...]

    @property
    def game(self) -> str:
        """The game's name."""
        return self.tables[0].plan.game

    @property
    def description(self) -> Game:
        """The game's description."""
        return find_game(self.game)

    @property
    def unit(self) -> Unit:
        """What an index is."""
        return self.tables[0].plan.unit

    @property
    def seed(self) -> int:
        """Of all its tables."""
        return self.tables[0].plan.seed

    @property
    def plans(self) -> tuple[Plan, ...]:
        """What is played at the tables, each once."""
        return tuple(dict.fromkeys(table.plan for table in self.tables))

    @property
    def bots(self) -> tuple[Bot, ...]:
        """The strategies that users have written, each once."""
        return tuple(dict.fromkeys(bot for plan in self.plans for bot in plan.bots))

    @property
    def same_deals(self) -> bool:
        """Whether all tables are dealt the same cards in the same order."""
        deck = self.description.deck
        return len({deck(plan.rules) for plan in self.plans}) == 1

    @property
    def by_table(self) -> bool:
        """Whether each arm is a table, and not who sits at some."""
        return self.kind in (TABLES, SWEEP)

    def tables_of(self, arm: int) -> tuple[int, ...]:
        """Return the tables at which an arm sits, or the table it is."""
        if self.by_table:
            return (arm,)
        return tuple(number for number, table in enumerate(self.tables) if arm in table.arms)

    @cached_property
    def cells(self) -> tuple[tuple[int, int, int], ...]:
        """(table, seat, arm) of every seat that counts for an arm."""
        return tuple(
            (number, seat, arm)
            for number, table in enumerate(self.tables)
            for seat, arm in enumerate(table.arms)
            if arm != COMPANY
        )

    @cached_property
    def seat_figures(self) -> tuple[str, ...]:
        """What is looked at on each seat: first places, and what the game adds."""
        figures = self.description.seat_figures
        return "win", *(
            one.name for one in figures if all(one.applies(plan.rules) for plan in self.plans)
        )

    @cached_property
    def figures(self) -> tuple[tuple[str, Rate | Mean | MeanScore], ...]:
        """Where arms are tables: what is compared, with a name each."""
        return tuple(_figures(self.description, [plan.rules for plan in self.plans]))

    @cached_property
    def blocks(self) -> Mapping[str, tuple[tuple[Cell, ...], ...]]:
        """By block its columns, each a sum of values of tables."""
        if self.by_table:
            counts = {count.name: count for count in self.description.counts}
            return {
                name: tuple(
                    ((arm, value),)
                    for arm in range(len(self.tables))
                    for value in value_names(figure, counts)
                )
                for name, figure in self.figures
            }
        if self.kind == TOURNAMENT:
            return {
                figure: tuple(
                    tuple((table, f"{figure}_{seat}") for table, seat in places)
                    for places in self.places.values()
                )
                for figure in self.seat_figures
            }
        return {
            figure: tuple(((table, f"{figure}_{seat}"),) for table, seat, _ in self.cells)
            for figure in self.seat_figures
        }

    @cached_property
    def places(self) -> Mapping[tuple[tuple[int, ...], int], tuple[tuple[int, int], ...]]:
        """By who sits at a table, and arm, the (table, seat) at which that arm sits there."""
        found: dict[tuple[tuple[int, ...], int], list[tuple[int, int]]] = {}
        for number, seat, arm in self.cells:
            sitting = tuple(sorted(self.tables[number].arms))
            found.setdefault((sitting, arm), []).append((number, seat))
        return {key: tuple(places) for key, places in found.items()}

    @cached_property
    def lead(self) -> tuple[tuple[int, Cell], ...]:
        """What decides which arm is ahead in an observation: weights of values, A's positive.

        Their sum is the difference of the arms, in units of 1 / `lead_scale`.
        """
        if self.kind in (TOURNAMENT, SWEEP):
            return ()
        if self.kind == TABLES:
            name = self.description.lengths[0]
            return (1, (0, name)), (-1, (1, name))
        tables = [len(self.tables_of(arm)) for arm in (0, 1)]
        return tuple(
            ((1 if arm == 0 else -1) * tables[1 - arm], (table, f"win_{seat}"))
            for table, seat, arm in self.cells
        )

    @property
    def lead_scale(self) -> int:
        """Units of `lead` in a whole game won, or in a turn."""
        if self.by_table or self.kind == TOURNAMENT:
            return 1
        return SHARE * len(self.tables_of(0)) * len(self.tables_of(1))


def value_names(figure: Rate | Mean | MeanScore, counts: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of a figure's numerator and denominator among a table's values."""
    if isinstance(figure, Mean):
        return figure.length, "finished"
    if isinstance(figure, MeanScore):
        return f"{figure.score}_{figure.seat}", "finished"
    if figure.count == "wins":
        return f"win_{figure.seat}", "finished"
    count = counts[figure.count]
    above = count.name if figure.seat is None else f"{count.name}_{figure.seat}"
    return above, "finished" if count.per == "games" else count.per


def _figures(game: Game, rules: Sequence[Any]) -> Iterator[tuple[str, Rate | Mean | MeanScore]]:
    """Yield what two tables are compared by: lengths, headlines, and each seat's share."""
    seen = set()

    def new(figure: Rate | Mean | MeanScore) -> bool:
        known = figure in seen
        seen.add(figure)
        return not known

    for name in game.lengths:
        if new(Mean(name)):
            yield name, Mean(name)
    per = {count.name: count for count in game.counts}
    for headline in game.headlines:
        if all(headline.applies(one) for one in rules):
            for figure in headline.figures:
                is_capped = isinstance(figure, Rate) and (
                    figure.count in per and per[figure.count].per == "capped"
                )
                if not is_capped and new(figure):
                    yield value_names(figure, per)[0], figure
    for seat in range(min(one.players for one in rules)):
        if new(Rate("wins", seat)):
            yield f"win_{seat}", Rate("wins", seat)


def seatings(members: Sequence[int], seats: int) -> tuple[tuple[int, ...], ...]:
    """Return all the ways in which two or more arms can sit at a table, balanced.

    Parameters
    ----------
    members : sequence of int
        Numbers of the arms.
    seats : int

    Returns
    -------
    tuple of tuples
        Each the arm on each seat. Every arm sits equally often at the table, and equally often
        on every seat: where the seats can't be shared equally, every way to share the rest is
        taken. Those that alternate most come first.

    Raises
    ------
    ValueError
        When there are more arms than seats.
    """
    if len(members) > seats:
        raise ValueError(f"{len(members)} arms for {seats} seats")
    each, rest = divmod(seats, len(members))
    found = set()
    for extra in permutations(members, rest):
        found |= set(_arrangements(sorted([*members] * each + [*extra])))
    changes = {one: sum(a != b for a, b in zip(one, one[1:], strict=False)) for one in found}
    return tuple(sorted(found, key=lambda one: (-changes[one], one)))


def _arrangements(items: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the different orders of items, some of which are equal."""
    if not items:
        yield ()
    for first in dict.fromkeys(items):
        rest = list(items)
        rest.remove(first)
        for others in _arrangements(rest):
            yield first, *others


def contest_chunk_size(contest: Contest) -> int:
    """Observations a chunk, a power of two: by game, rules and strategies, never by a clock."""
    wanted = CHUNK_NANOSECONDS / sum(cost(table.plan) for table in contest.tables)
    size = 1
    while size * 2 <= min(wanted, LARGEST_CHUNK):
        size *= 2
    return size


def plans_of(played: Plan | Contest) -> tuple[Plan, ...]:
    """Return what is played at the tables of a comparison, or the one plan of a run."""
    return played.plans if isinstance(played, Contest) else (played,)


def check_table(contest: Contest) -> None:
    """Refuse a comparison by first places where nobody can be second."""
    if not contest.by_table and min(plan.rules.players for plan in contest.plans) < 2:
        raise RequestError(
            "one player alone always comes first: compare strategies with two players or more."
        )
