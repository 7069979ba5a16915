"""Who meets whom: the tables at which every index of a comparison or tournament is played.

A *table* is a plan (rules, and who sits where) together with whose result each seat counts for.
An *observation* is one index played at all the tables: the same cards, dealt again and again,
with the strategies on other seats. Where both arms of a comparison are strategies under the same
rules they sit at one table, in all the seatings there are: where a strategy sits, and who sits
before it, can decide more than what it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING, Any

from .bots import Bot
from .chunk import Chunk, new_control, play_chunk, play_raw
from .counts import SHARE
from .errors import RequestError, StrategyError
from .game import Game, Mean, MeanScore, Rate, Unit
from .games import find_game
from .observations import Observations, differences_of, moments_of
from .plan import CHUNK_NANOSECONDS, LARGEST_CHUNK, Plan, cost

if TYPE_CHECKING:
    import numpy as np

COMPANY = -1
"""On a seat whose result counts for no arm."""

SEATINGS = "seatings"
"""Two strategies at one table, in all seatings."""
AGAINST = "against"
"""Each arm's strategy on each seat in turn, all other seats played by somebody else."""
TABLES = "tables"
"""Two tables with the same deals: other rules, or other players all round."""
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

    def tables_of(self, arm: int) -> tuple[int, ...]:
        """Return the tables at which an arm sits; all arms sit at a table without any."""
        return tuple(
            number
            for number, table in enumerate(self.tables)
            if arm in table.arms or self.kind == TABLES and number == arm
        )

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
        """With two tables: what is compared, with a name each."""
        return tuple(_figures(self.description, [plan.rules for plan in self.plans]))

    @cached_property
    def blocks(self) -> Mapping[str, tuple[tuple[Cell, ...], ...]]:
        """By block its columns, each a sum of values of tables."""
        if self.kind == TABLES:
            names = ("finished", *dict.fromkeys(self._wanted()))
            return {"figures": tuple(((arm, name),) for arm in (0, 1) for name in names)}
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

    def _wanted(self) -> Iterator[str]:
        """Yield the names of the values that the figures are computed from."""
        counts = {count.name: count for count in self.description.counts}
        for _, figure in self.figures:
            yield from value_names(figure, counts)

    @cached_property
    def lead(self) -> tuple[tuple[int, Cell], ...]:
        """What decides which arm is ahead in an observation: weights of values, A's positive.

        Their sum is the difference of the arms, in units of 1 / `lead_scale`.
        """
        if self.kind == TOURNAMENT:
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
        if self.kind == TABLES:
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


def row_names(contest: Contest) -> Mapping[str, tuple[Cell, ...]]:
    """Return the columns of a comparison's rows: a name, and the values it is the sum of."""
    columns: dict[str, tuple[Cell, ...]] = {}
    for arm, letter in enumerate("ab"):
        if contest.kind == TABLES:
            names = contest.blocks["figures"]
            for ((table, name),) in names:
                if table == arm:
                    columns[f"{letter}_{name}"] = ((table, name),)
        else:
            for figure in contest.seat_figures:
                columns[f"{letter}_{figure}"] = tuple(
                    (table, f"{figure}_{seat}")
                    for table, seat, whose in contest.cells
                    if whose == arm
                )
    return columns


class _Values:
    """The values of a table's games by name, as int64 arrays; all are 0 in capped games."""

    def __init__(self, plan: Plan, rows: np.ndarray) -> None:
        self.game = plan.description
        self.players = plan.rules.players
        self.rows = rows
        self.finished = rows["capped"] == 0
        self.counts = {count.name: count for count in self.game.counts}
        self.figures = {figure.name: figure for figure in self.game.seat_figures}
        self.found: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.found:
            import numpy as np

            self.found[name] = np.asarray(self._read(name), np.int64) * self.finished
        return self.found[name]

    def _read(self, name: str) -> Any:
        import numpy as np

        if name == "finished":
            return self.finished
        if name in self.game.lengths:
            return self.rows[name]
        if name in self.counts:
            count = self.counts[name]
            values = self.rows[count.field]
            if count.at is not None:
                return values[:, count.at]
            return values.sum(axis=1) if count.per_seat else values
        head, _, number = name.rpartition("_")
        seat = int(number)
        if head == "win":
            masks = np.arange(1 << self.players)
            ones = np.array([max(1, int(mask).bit_count()) for mask in masks])
            return np.where(masks >> seat & 1, SHARE // ones, 0)[self.rows["winners"]]
        if head in self.figures:
            figure = self.figures[head]
            values = self.rows[figure.field][:, seat]
            return values == self.players if figure.last else values
        if head in self.game.scores:
            return self.rows[head][:, seat]
        return self.rows[self.counts[head].field][:, seat]


def play_observations(
    contest: Contest,
    start: int,
    stop: int,
    keep_rows: bool,
    control: np.ndarray | None = None,
) -> Chunk | None:
    """Play the observations start .. stop - 1: each index at every table.

    Returns
    -------
    Chunk or None
        None when it was asked to stop before it was through.

    Raises
    ------
    StrategyError
        When a user's strategy fails: of the first index at which one does, the first table.
    """
    import numpy as np

    control = new_control() if control is None else control
    tables: list[_Values] = []
    capped, nobody = [], []
    failed: StrategyError | None = None
    for table in contest.tables:
        games = (failed.index if failed else stop) - start
        if games == 0:
            break
        try:
            done = play_raw(table.plan, start, games, control)
        except StrategyError as error:
            failed = error
            continue
        if done.played < games:
            return None
        tables.append(_Values(table.plan, done.rows))
        capped.append(int((done.rows["capped"] != 0).sum()))
        nobody.append(int((tables[-1].finished & (done.rows["winners"] == 0)).sum()))
    if failed:
        raise failed

    def column(cells: Sequence[Cell]) -> np.ndarray:
        return sum((tables[table][name] for table, name in cells), np.zeros(stop - start, np.int64))

    moments = {
        name: moments_of(np.stack([column(cells) for cells in columns], axis=1))
        for name, columns in contest.blocks.items()
    }
    lead = np.zeros(stop - start, np.int64)
    for weight, cell in contest.lead:
        lead += weight * column([cell])
    signs, highest, lowest = differences_of(lead, start)
    counts = Observations(
        stop - start, tuple(capped), tuple(nobody), moments, signs, highest, lowest
    )
    frame = None
    if keep_rows:
        import polars as pl

        values = {name: column(cells) for name, cells in row_names(contest).items()}
        frame = pl.DataFrame({"index": np.arange(start, stop, dtype=np.int64), **values})
    return Chunk(start, stop, counts, frame)


def plans_of(played: Plan | Contest) -> tuple[Plan, ...]:
    """Return what is played at the tables of a comparison, or the one plan of a run."""
    return played.plans if isinstance(played, Contest) else (played,)


def play_of(played: Plan | Contest) -> Callable[..., Chunk | None]:
    """Return what plays a chunk."""
    return play_observations if isinstance(played, Contest) else play_chunk


def check_table(contest: Contest) -> None:
    """Refuse a comparison by first places where nobody can be second."""
    if contest.kind != TABLES and min(plan.rules.players for plan in contest.plans) < 2:
        raise RequestError(
            "one player alone always comes first: compare strategies with two players or more."
        )
