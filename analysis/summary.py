"""The summary of a run: every figure with its interval, from exact counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..sim.counts import SHARE, Counts
from ..sim.game import Mean, MeanScore, Rate
from ..sim.options import as_dict, show
from ..sim.plan import Plan, differing
from ..sim.provenance import JSON_VERSION
from ..sim.strategies import read_players
from .intervals import Interval, mean_interval, moments, quantile, wilson
from .sequential import confidence_sequence

if TYPE_CHECKING:
    from .at_table import AtTable


@dataclass(frozen=True)
class Seat:
    """What a seat won."""

    seat: int
    strategy: str
    wins: int
    """Games won alone."""
    shared: dict[int, int]
    """Number of winners -> games shared by so many."""
    win_rate: float | None
    """Share of the finished games won, a win shared by k counting 1/k; None: no data."""
    interval: Interval | None
    scores: dict[str, Length]
    """What else the seat got, such as points."""


@dataclass(frozen=True)
class Length:
    """A whole number of each finished game, exactly, with an interval for the mean."""

    mean: float
    interval: Interval | None
    sd: float
    min: int
    p5: int
    median: int
    p95: int
    max: int
    histogram: dict[int, int] = field(repr=False)


@dataclass(frozen=True)
class Headline:
    """A question people ask, and what this run answers."""

    question: str
    answer: str
    interval: Interval | None
    unit: str
    """``of 100`` for rates, else the name of the length."""


@dataclass(frozen=True)
class Summary:
    """What a run came to; `to_json` gives the published form."""

    plan: Plan = field(repr=False)
    first: int
    n: int
    """Games asked for."""
    completed: int
    """Games that count: finished and capped ones."""
    finished: int
    capped: int
    nobody: int
    """Finished games without a winner."""
    status: str
    stop_reason: str
    level: float
    seats: tuple[Seat, ...]
    lengths: dict[str, Length]
    events: dict[str, int | tuple[int, ...]]
    denominators: dict[str, int]
    """By event: how many of what it is counted in there were."""
    tallies: dict[str, dict[tuple[int, ...], tuple[int, ...]]] = field(repr=False)
    headlines: tuple[Headline, ...]
    elapsed_s: float
    compile_s: float
    games_per_s: float
    threads: int
    usable_threads: int
    precision: float | None
    command: str
    """The command that plays the same games again."""
    saved_in: str
    keeps_rows: bool
    at_table: AtTable | None = None
    """How the game feels at the table, if that was asked."""

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``run --json`` prints."""
        game = self.plan.description
        return {
            "format": "simcards summary",
            "version": JSON_VERSION,
            "simcards": __version__,
            "engine": game.engine,
            "rules_version": game.rules_version,
            "game": game.name,
            "unit": self.plan.unit.one,
            "preset": self.plan.preset,
            "rules": as_dict(self.plan.rules),
            "strategies": [player.text for player in self.plan.players],
            "seed": self.plan.seed,
            "first": self.first,
            "n": self.n,
            "completed": self.completed,
            "finished": self.finished,
            "status": self.status,
            "stop_reason": self.stop_reason,
            "seats": [
                {
                    "seat": seat.seat,
                    "strategy": seat.strategy,
                    "wins": seat.wins,
                    "shared": {str(k): count for k, count in sorted(seat.shared.items())},
                    "win_rate": seat.win_rate,
                    "interval": _ends(seat.interval),
                    "method": seat.interval.method if seat.interval else None,
                    **{name: _length_json(one) for name, one in seat.scores.items()},
                }
                for seat in self.seats
            ],
            "level": self.level,
            "lengths": {name: _length_json(one) for name, one in self.lengths.items()},
            "capped": self.capped,
            "nobody": self.nobody,
            "events": {
                name: list(one) if isinstance(one, tuple) else one
                for name, one in self.events.items()
            },
            "denominators": {
                count.name: {"per": count.per, "count": self.denominators[count.name]}
                for count in game.counts
            },
            "tallies": {
                tally.name: {
                    "columns": [*tally.keys, *tally.counts],
                    "rows": [
                        [*key, *value] for key, value in sorted(self.tallies[tally.name].items())
                    ],
                }
                for tally in game.tallies
                if tally.name in self.tallies
            },
            "headlines": [
                {
                    "question": one.question,
                    "answer": one.answer,
                    "interval": _ends(one.interval),
                    "unit": one.unit,
                }
                for one in self.headlines
            ],
            "at_table": self.at_table.to_json() if self.at_table else None,
            "precision": self.precision,
            "elapsed_s": round(self.elapsed_s, 3),
            "compile_s": round(self.compile_s, 3),
            "games_per_s": round(self.games_per_s, 1),
            "threads": self.threads,
            "command": self.command,
        }


def _length_json(one: Length) -> dict[str, Any]:
    return {
        "mean": one.mean,
        "interval": _ends(one.interval),
        "method": one.interval.method if one.interval else None,
        "sd": one.sd,
        "min": one.min,
        "p5": one.p5,
        "median": one.median,
        "p95": one.p95,
        "max": one.max,
        "histogram": sorted(map(list, one.histogram.items())),
    }


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def decimals(half_width: float) -> int:
    """Return how many decimals are worth showing of a figure known to plus or minus this."""
    if half_width <= 0:
        return 2
    return min(6, max(1, 1 - math.ceil(math.log10(half_width))))


def signed(value: float, places: int) -> str:
    """Return a number with its sign, which nothing has none of but a plus.

    Examples
    --------
    >>> signed(-1.25, 1), signed(-0.01, 1), signed(2.0, 0)
    ('-1.2', '+0.0', '+2')
    """
    text = f"{value:+,.{places}f}"
    return text.replace("-", "+") if not float(text.replace(",", "")) else text


def denominator(plan: Plan, counts: Counts, per: str) -> int:
    """Return how many of something there were: finished games, capped ones, or a count."""
    if per == "games":
        return counts.finished
    if per == "capped":
        return counts.capped
    value = counts.events.get(per, 0)
    return value if isinstance(value, int) else sum(value)


def rate(
    plan: Plan, counts: Counts, figure: Rate, level: float, *, anytime: bool = False
) -> tuple[float, Interval] | None:
    """Return a rate and its interval; None when nothing was counted.

    Parameters
    ----------
    plan : Plan
    counts : Counts
    figure : Rate
        ``wins`` with a seat is the seat's share of the wins.
    level : float
    anytime : bool
        Use a confidence sequence, valid although the number of games was chosen by looking.
    """
    if counts.games == 0:
        return None
    if figure.count == "wins" and figure.seat is not None:
        total, games, scale = counts.score60[figure.seat], counts.finished, SHARE
    else:
        count = next(one for one in plan.description.counts if one.name == figure.count)
        value = counts.events[count.name]
        total = value if isinstance(value, int) else value[figure.seat or 0]
        games, scale = denominator(plan, counts, count.per), count.scale
    if games == 0:
        return None
    interval = (
        confidence_sequence(total, games, level, scale=scale)
        if anytime
        else wilson(total, games, level, scale=scale)
    )
    assert interval is not None  # there are games
    return total / (scale * games), interval


def length(histogram: Mapping[int, int], level: float) -> Length | None:
    """Return the statistics of a histogram; None when it is empty."""
    n, total, squares = moments(histogram)
    if n == 0:
        return None

    def at(q: float) -> int:
        value = quantile(histogram, q)
        assert value is not None
        return value

    # From integers, so that nothing cancels.
    sd = math.sqrt((n * squares - total * total) / (n * (n - 1))) if n > 1 else 0.0
    return Length(
        mean=total / n,
        interval=mean_interval(n, total, squares, level),
        sd=sd,
        min=min(histogram),
        p5=at(0.05),
        median=at(0.5),
        p95=at(0.95),
        max=max(histogram),
        histogram=dict(histogram),
    )


def _headlines(
    plan: Plan, counts: Counts, lengths: dict[str, Length], level: float, anytime: bool
) -> tuple[Headline, ...]:
    found = []
    for headline in plan.description.headlines:
        if not headline.applies(plan.rules):
            continue
        words: list[str] = []
        first: tuple[Interval | None, str] | None = None
        for figure in headline.figures:
            if isinstance(figure, Mean | MeanScore):
                name = figure.length if isinstance(figure, Mean) else figure.score
                one = (
                    lengths.get(name)
                    if isinstance(figure, Mean)
                    else length(counts.scores.get(name, ({},) * 9)[figure.seat], level)
                )
                if one is None:
                    break
                half = one.interval.half_width if one.interval else 1.0
                words.append(f"{one.mean:.{decimals(half)}f}")
                first = first or (one.interval, name)
            else:
                known = rate(
                    plan, counts, figure, level, anytime=anytime and figure.count == "wins"
                )
                if known is None:
                    break
                value, interval = known
                words.append(f"{100 * value:.{decimals(100 * interval.half_width)}f}")
                first = first or (interval, "of 100")
        if first and len(words) == len(headline.figures):
            found.append(Headline(headline.question, headline.answer.format(*words), *first))
    return tuple(found)


def summarise(
    plan: Plan,
    counts: Counts,
    *,
    first: int,
    n: int,
    status: str,
    stop_reason: str,
    level: float,
    precision: float | None = None,
    elapsed_s: float = 0.0,
    compile_s: float = 0.0,
    games_per_s: float = 0.0,
    threads: int = 0,
    usable_threads: int = 0,
    saved_in: str = "",
    keeps_rows: bool = True,
) -> Summary:
    """Make the summary of a run from its counts.

    With a `precision` goal the win shares have confidence sequences, which hold although
    the run stopped when they were narrow enough; other intervals are as for a fixed n.
    """
    anytime = precision is not None
    lengths = {
        name: one
        for name in plan.description.lengths
        if (one := length(counts.lengths.get(name, {}), level)) is not None
    }
    seats = []
    for seat, player in enumerate(plan.players):
        known = (
            rate(plan, counts, Rate("wins", seat), level, anytime=anytime)
            if counts.finished
            else None
        )
        seats.append(
            Seat(
                seat,
                player.text,
                counts.wins[seat] if counts.wins else 0,
                dict(counts.shared[seat]) if counts.shared else {},
                known[0] if known else None,
                known[1] if known else None,
                {
                    name: one
                    for name, of_seats in counts.scores.items()
                    if (one := length(of_seats[seat], level)) is not None
                },
            )
        )
    return Summary(
        plan=plan,
        first=first,
        n=n,
        completed=counts.games,
        finished=counts.finished,
        capped=counts.capped,
        nobody=counts.nobody,
        status=status,
        stop_reason=stop_reason,
        level=level,
        seats=tuple(seats),
        lengths=lengths,
        events=dict(counts.events),
        denominators={
            one.name: denominator(plan, counts, one.per) for one in plan.description.counts
        },
        tallies={name: dict(one) for name, one in counts.tallies.items()},
        headlines=_headlines(plan, counts, lengths, level, anytime),
        elapsed_s=elapsed_s,
        compile_s=compile_s,
        games_per_s=games_per_s,
        threads=threads,
        usable_threads=usable_threads,
        precision=precision,
        command=command(
            plan,
            "run",
            # Of a run that was cut short the games that were played can be had again.
            n if status == "complete" or not counts.games else counts.games,
            first=first,
            precision=precision if status == "complete" else None,
            level=level,
        ),
        saved_in=saved_in,
        keeps_rows=keeps_rows,
    )


def short_number(number: int) -> str:
    """Return a number as people type it: 1e6, 2.5e5, 1234."""
    digits = str(number).rstrip("0")
    zeros = len(str(number)) - 1
    if number < 10_000 or len(digits) > 3 or zeros < 3:
        return str(number)
    return f"{digits[0]}{'.' + digits[1:] if len(digits) > 1 else ''}e{zeros}"


def number_text(x: float) -> str:
    """Return the shortest text that reads back as the same number.

    Examples
    --------
    >>> number_text(0.01), number_text(0.03333333333333333), number_text(500.0), number_text(1e-5)
    ('0.01', '0.03333333333333333', '500', '1e-5')
    """
    short = f"{x:g}"
    text = short if float(short) == x else repr(float(x)).removesuffix(".0")
    digits, e, exponent = text.partition("e")
    return f"{digits}e{int(exponent)}" if e else text


def quoted(path: str) -> str:
    """Return a path as it can be typed in any shell."""
    return f'"{path}"' if any(sign in path for sign in " ()&;'<>|$*?[]{}`!#~^%") else path


def request_words(plan: Plan) -> str:
    """Return the words of a command that say what is played, without the seed."""
    game = plan.description
    words = [f"--game {game.name}"]
    if plan.preset != next(iter(game.presets)):
        words.append(f"--preset {plan.preset}")
    words += [
        f"--players {value}" if name == "players" else f"--rule {name}={show(value)}"
        for name, value in differing(plan).items()
    ]
    texts = [player.text for player in plan.players]
    if len(set(texts)) == 1:
        words += [f"--strategy {quoted(texts[0])}"] if texts[0] != default_text(plan) else []
    else:
        words += [f"--strategy {quoted(f'{seat}={text}')}" for seat, text in enumerate(texts)]
    return " ".join(words)


def default_text(plan: Plan) -> str:
    """Return the default strategy under a plan's rules."""
    return read_players(plan.description, plan.rules, None)[0].text


def command(
    plan: Plan,
    verb: str,
    n: int,
    *,
    first: int = 0,
    precision: float | None = None,
    level: float = 0.95,
) -> str:
    """Return the command that plays the same games, in every shell as it stands."""
    words = [f"simcards {verb}", request_words(plan)]
    words.append(f"--n {short_number(n)}")
    if first:
        words.append(f"--first {first}")
    if precision is not None:
        words.append(f"--precision {number_text(precision)}")
    if level != 0.95:
        words.append(f"--level {number_text(level)}")
    words.append(f"--seed {plan.seed}")
    return " ".join(words)
