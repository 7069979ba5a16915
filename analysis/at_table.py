"""How a game feels at the table: minutes, waiting, choices, leads and comebacks.

Who leads after each turn isn't counted in runs. It is found by playing the first games again and
telling them; each game says what leading is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..sim.chunk import play_told
from ..sim.counts import SHARE
from ..sim.errors import Interrupted, RequestError
from ..sim.numbers import real_number
from ..sim.observations import Moments, moments_of
from ..sim.plan import Plan
from .effects import Part, ratio_contrast
from .intervals import Interval, mean_interval, wilson
from .verdict import LEAST_OBSERVATIONS

if TYPE_CHECKING:
    import numpy as np

TOLD = 10_000
"""Most games that are told again."""
SECONDS_PER_TURN = 10
STEPS = 20
"""The game is looked at after each twentieth of its turns."""
LEAST_LED = 50
"""Games with a leader below which nothing is said of how often leaders win."""
SURE = 0.8
"""The moment sought is the one from which the leader wins so often."""

TRIED = 20
MOST_EVENTS = 8_000_000
"""Events of all games that a report tells again; a match of aces has about 500."""
TOLD_BETWEEN = 100
"""Games between two words about how far it is."""

Report = Callable[[str], None]
"""What is told how far the telling is."""
See = Callable[[int, list[list[int]]], None]
"""What looks at games as they are told."""

COLUMNS = (
    "finished", "turns", "gaps", "waits", "free", "choices", "changes", "led_half", "half60",
    "won_alone", "comebacks",
)  # fmt: skip


@dataclass(frozen=True)
class TableFigure:
    """A figure of the table: a ratio of two of `COLUMNS`."""

    name: str
    label: str
    """With a ``{}`` for the game's unit."""
    above: str
    below: str
    unit: str
    meaning: str
    scale: int = 1

    @property
    def rate(self) -> bool:
        """Whether it is a share, told of 100."""
        return self.unit == "of 100"


FIGURES = (
    TableFigure("minutes", "minutes a {}", "turns", "finished", "minutes",
                "turns times the seconds a turn takes"),
    TableFigure("wait", "turns of others between one's own", "waits", "gaps", "turns",
                "mean over all pairs of turns of a seat that follow each other"),
    TableFigure("choices", "decisions with a real choice", "free", "choices", "of 100",
                "decisions with more than one legal answer, of all decisions"),
    TableFigure("lead_changes", "lead changes a {}", "changes", "finished", "changes",
                "times another seat than before leads alone after a turn"),
    TableFigure("half_leader", "who leads after half the turns wins", "half60", "led_half",
                "of 100", "of games in which one seat leads alone then", SHARE),
    TableFigure("comebacks", "won by who was last after half the turns", "comebacks", "won_alone",
                "of 100", "of games that one seat won; last: nobody was further behind"),
)  # fmt: skip
"""What is told of a table, in order."""


@dataclass(frozen=True)
class Told:
    """What telling some games again came to."""

    n: int
    values: np.ndarray
    """int64, a row a game, `COLUMNS`."""
    led: tuple[int, ...]
    """Games with a sole leader after 1, 2, .. `STEPS` twentieths of the turns."""
    led60: tuple[int, ...]
    """What those leaders won, in sixtieths."""
    ahead: tuple[int, ...]
    """Games that one seat won, by the last twentieth after which it didn't lead alone; 0 where it
    led alone at every look."""


@dataclass(frozen=True)
class Shown:
    """A figure of the table with its interval."""

    figure: TableFigure
    label: str
    value: float
    interval: Interval | None


@dataclass(frozen=True)
class AtTable:
    """How a game feels at the table."""

    n: int
    """Games told again, from the first one."""
    seconds_per_turn: float
    figures: tuple[Shown, ...]
    sure_from: float | None
    """Part of the turns from which on the leader wins `SURE` or more; None: never."""
    told: Told = field(repr=False)
    """What it was found from."""

    def to_json(self) -> dict[str, Any]:
        """Return what stands in a summary."""
        return {
            "n": self.n,
            "seconds_per_turn": self.seconds_per_turn,
            "figures": [
                {
                    "name": one.figure.name,
                    "label": one.label,
                    "meaning": one.figure.meaning,
                    "unit": one.figure.unit,
                    "value": one.value,
                    "interval": [one.interval.low, one.interval.high] if one.interval else None,
                }
                for one in self.figures
            ],
            "sure_from": self.sure_from,
        }


def seconds_per_turn(given: Any) -> Fraction:
    """Read how long a turn takes.

    Raises
    ------
    RequestError
        When it is no number of seconds.
    """
    if given is None:
        return Fraction(SECONDS_PER_TURN)
    number = real_number(given, "--seconds-per-turn", 0, 86_400)
    exact = Fraction(str(given).strip()) if "e" not in str(given).lower() else Fraction(number)
    if exact.denominator > 1000:
        raise RequestError(f"--seconds-per-turn {given}: at most three decimals.")
    return exact


def check(wanted: Any, seconds: Any) -> None:
    """Refuse what can't be told.

    Raises
    ------
    RequestError
        When `wanted` isn't True or False, or seconds are named although nothing is told.
    """
    if not isinstance(wanted, bool):
        raise RequestError(f"at_table={wanted!r}: must be True or False.")
    if seconds is not None and not wanted:
        raise RequestError("--seconds-per-turn belongs to --at-table.")
    seconds_per_turn(seconds)


def words(seconds: Any) -> str:
    """Return the words of a command that ask for the table."""
    return "--at-table" + ("" if seconds is None else f" --seconds-per-turn {seconds}")


@contextlib.contextmanager
def stopped_with(result: Any) -> Iterator[None]:
    """Let a stop while games are told leave what was played."""
    try:
        yield
    except Interrupted as stopped:
        stopped.args = ("stopped while games were told again; what was played is above",)
        stopped.result = result
        raise


def affordable(plan: Plan, first: int, n: int) -> int:
    """Return how many of some games can be told in a minute or so, by the first few of them.

    Long games are fewer, so that a page about games that are hardly ever over doesn't take an hour.
    """
    few = min(n, TRIED)
    events = sum(play_told(plan, first + j).told for j in range(few))
    return max(few, min(n, few * MOST_EVENTS // max(1, events)))


def tell(
    plan: Plan,
    first: int,
    n: int,
    see: See | None = None,
    on_told: Report | None = None,
    what: str = "",
) -> Told:
    """Play the games first .. first + n - 1 again and look at every turn.

    Parameters
    ----------
    plan : Plan
    first, n : int
    see : callable, optional
        Called with the index and the kernel's events of each game, also of capped ones.
    on_told : callable, optional
        Called now and then with a line that says how far it is.
    what : str
        What that line says is told.
    """
    import numpy as np

    game = plan.description
    fields = {count.name: count.field for count in game.counts}
    values = np.zeros((n, len(COLUMNS)), np.int64)
    led, led60 = [0] * STEPS, [0] * STEPS
    ahead = [0] * (STEPS + 1)
    for j in range(n):
        if on_told and j % TOLD_BETWEEN == 0:
            on_told(f"telling {what} again" + (f", {100 * j // n} %" if j else ""))
        done = play_told(plan, first + j)
        row = done.rows[0]
        log = done.log[: done.told].tolist()
        if see:
            see(first + j, log)
        if row["capped"]:
            continue
        turns = list(game.standings(plan.rules, log))
        winners = [seat for seat in range(plan.rules.players) if int(row["winners"]) >> seat & 1]
        free, forced = (int(row[fields[f"decisions_{one}"]]) for one in ("free", "forced"))
        found = _look(turns, winners)
        values[j] = (
            1, int(row["turns"]), found.gaps, found.waits, free, free + forced, found.changes,
            found.led_half, found.half60, len(winners) == 1, found.comeback,
        )  # fmt: skip
        for step, (leads, sixty) in enumerate(found.curve):
            led[step] += leads
            led60[step] += sixty
        if len(winners) == 1:
            ahead[found.ahead] += 1
    return Told(n, values, tuple(led), tuple(led60), tuple(ahead))


@dataclass(frozen=True)
class _Game:
    gaps: int
    waits: int
    changes: int
    led_half: int
    half60: int
    comeback: bool
    curve: tuple[tuple[int, int], ...]
    ahead: int
    """The last twentieth after which no winner led alone."""


def _look(turns: Sequence[tuple[int, tuple[int, ...]]], winners: Sequence[int]) -> _Game:
    """Look at the turns of a finished game."""
    last: dict[int, int] = {}
    gaps = waits = 0
    for at, (seat, _) in enumerate(turns):
        if seat in last:
            gaps += 1
            waits += at - last[seat] - 1
        last[seat] = at
    leaders = [_sole(ahead) for _, ahead in turns]
    changes = 0
    before = -1
    for leader in leaders:
        if leader >= 0:
            changes += before >= 0 and leader != before
            before = leader

    def at_part(step: int) -> int:
        """Number of the turn after which so many twentieths of all are over."""
        return max(0, -(-len(turns) * step // STEPS) - 1)

    def won60(leader: int) -> int:
        return SHARE // len(winners) if leader in winners else 0

    curve = []
    ahead = 0
    for step in range(1, STEPS + 1):
        leader = leaders[at_part(step)] if turns else -1
        curve.append((1, won60(leader)) if leader >= 0 else (0, 0))
        if leader not in winners:
            ahead = step
    led_half, half60 = curve[STEPS // 2 - 1]
    comeback = False
    if len(winners) == 1 and turns:
        half = turns[at_part(STEPS // 2)][1]
        comeback = len(half) > 1 and half[winners[0]] == min(half) < max(half)
    return _Game(gaps, waits, changes, led_half, half60, comeback, tuple(curve), ahead)


def _sole(ahead: Sequence[int]) -> int:
    """Return the seat that is ahead of all others, or -1."""
    best = max(ahead)
    return ahead.index(best) if ahead.count(best) == 1 else -1


def sure_from(told: Told) -> float | None:
    """Return the part of the turns from which on the leader wins `SURE` or more of the games.

    None where it never does. Where too few games (`LEAST_LED`) have a leader nothing is known.
    """
    found = None
    for step in range(STEPS, 0, -1):
        led, led60 = told.led[step - 1], told.led60[step - 1]
        if led < LEAST_LED:
            continue
        if led60 < SURE * SHARE * led:
            break
        found = step / STEPS
    return found


def parts_of(figure: TableFigure, offset: int, weight: int, seconds: Fraction) -> tuple[Part, int]:
    """Return a figure's ratio as a part of a contrast, and its scale.

    Parameters
    ----------
    figure : TableFigure
    offset : int
        Column at which the game's columns begin.
    weight : int
        1 or -1.
    seconds : Fraction
        Of a turn.
    """
    above, below = offset + COLUMNS.index(figure.above), offset + COLUMNS.index(figure.below)
    times, scale = 1, figure.scale
    if figure.name == "minutes":
        times, scale = seconds.numerator, 60 * seconds.denominator
    return Part(Fraction(weight), {above: times}, {below: 1}), scale


def figures_of(told: Told, unit: str, level: float, seconds: Fraction) -> Iterator[Shown]:
    """Yield the figures of some games; one nothing was counted for is left out."""
    moments: Moments = moments_of(told.values)
    for figure in FIGURES:
        part, scale = parts_of(figure, 0, 1, seconds)
        contrasted = ratio_contrast(told.n, moments, [part])
        if contrasted is None:
            continue
        label = figure.label.format(unit)
        sums, grain, _ = contrasted
        if figure.rate and figure.below != "choices":
            # One event a game: Wilson's interval, as of other rates.
            x, y = (moments.sums[COLUMNS.index(name)] for name in (figure.above, figure.below))
            yield Shown(figure, label, x / (y * scale), wilson(x, y, level, scale=scale))
            continue
        if told.n < LEAST_OBSERVATIONS:
            yield Shown(figure, label, sums[1] / (sums[0] * grain * scale), None)
            continue
        plain = mean_interval(*sums, level)
        assert plain is not None  # there are games
        low, high = (end / (grain * scale) for end in (plain.low, plain.high))
        # No share and no number of turns is negative, no share above 1.
        interval = replace(plain, low=max(0.0, low), high=min(1.0, high) if figure.rate else high)
        yield Shown(figure, label, sums[1] / (sums[0] * grain * scale), interval)


def at_table(
    plan: Plan,
    first: int,
    n: int,
    *,
    level: float = 0.95,
    seconds: Any = None,
    on_told: Report | None = None,
    see: See | None = None,
) -> AtTable:
    """Tell the first games of a run again, and say how the game feels at the table.

    Parameters
    ----------
    plan : Plan
    first : int
        Index of the first game.
    n : int
        Games of the run; at most `TOLD` are told.
    level : float
        Of the intervals.
    seconds : number, optional
        Seconds a turn takes, `SECONDS_PER_TURN` if left out.
    on_told : callable, optional
        Called with a line that says what is going on.
    see : callable, optional
        See `tell`.
    """
    exact = seconds_per_turn(seconds)
    number = min(n, TOLD)
    what = f"{number:,} {plan.unit.word(number)}"
    told = tell(plan, first, number, see, on_told, what)
    shown = tuple(figures_of(told, plan.unit.one, level, exact))
    return AtTable(told.n, float(exact), shown, sure_from(told), told)
