"""Comparisons: two arms on the same deals, judged by the size of their difference."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from math import exp, log1p, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..sim.contest import TABLES, Contest
from ..sim.errors import RequestError
from ..sim.manifest import Manifest
from ..sim.numbers import real_number, whole_number
from ..sim.observations import Observations
from ..sim.options import Rules, as_dict
from ..sim.provenance import JSON_VERSION
from ..sim.run import Progress
from ..sim.store import scan_rows
from .arms import Base, base_of, comparison_words, make_comparison
from .effects import (
    Compared,
    Judge,
    Luck,
    Sums,
    arm_weights,
    by_seat,
    fixed_n,
    is_share,
    less,
    luck,
    neighbours,
    seat_figures,
    table_figures,
    variance_saved,
)
from .figures import read_matters
from .multiple import bonferroni_level, holm
from .paired import Difference, paired_difference, smallest_effect, two_added
from .playing import PRECISION_CEILING, Played, Stopping, begin, finish, go_on, read_back, settle
from .sequential import MIXING_VARIANCE, look_counts, mean_sequence
from .sprt import Sprt, decide, log_likelihood_ratio, sprt_looks
from .summary import short_number

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

DEFAULT_DEALS = 20_000


@dataclass(frozen=True)
class Asked:
    """What a comparison was asked besides who meets whom; kept with it."""

    request: str
    """The words of the command that say what is compared."""
    unit: str = "win"
    """The figure that the verdict and the stopping rest on."""
    matters: Mapping[str, float] = field(default_factory=dict)
    """By figure the least difference that matters; '' for all shares and rates."""
    sprt: Sprt | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what stands in a manifest."""
        return {
            "request": self.request,
            "unit": self.unit,
            "matters": dict(self.matters),
            "sprt": asdict(self.sprt) if self.sprt else None,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Asked:
        """Return what `to_json` wrote."""
        sprt = Sprt(**data["sprt"]) if data["sprt"] else None
        return cls(data["request"], data["unit"], data["matters"], sprt)


@dataclass(frozen=True)
class Tested:
    """How a sequential test stands."""

    test: Sprt
    ratio: float
    """Log likelihood ratio."""
    decision: str
    """h1, h0, or '' if it hasn't decided."""


@dataclass(frozen=True)
class Comparison:
    """What a comparison came to; `to_json` gives the published form."""

    contest: Contest = field(repr=False)
    asked: Asked
    first: int
    n: int
    completed: int
    """Observations: indices, each with all its tables."""
    paired: bool
    """Whether an observation is an index that both arms played; else each arm has its own."""
    status: str
    stop_reason: str
    level: float
    precision: float | None
    figures: tuple[Compared, ...]
    adjusted: tuple[float, ...]
    """p-values of the figures; of two tables adjusted for their number (Holm)."""
    family: int
    """How many intervals hold together with the level."""
    main: Compared | None
    """The figure that the verdict rests on; of two tables it rests on all."""
    signs: tuple[int, int, int]
    """Observations in which B, neither, or A was ahead."""
    capped: tuple[int, int]
    """Games that were capped, at the tables of A and of B."""
    saved: float | None
    """How many times as many games on separate deals would be as narrow."""
    could_see: float | None
    """The difference that so many observations would have shown four times out of five."""
    luck: Luck | None
    seats: tuple[Difference, ...]
    """A less B, on each seat."""
    neighbours: tuple[Difference | None, Difference | None]
    """How much more often A wins right after a B than after an A; and B after an A than a B."""
    highest: tuple[tuple[int, float], ...]
    """(index, difference) where A was ahead most."""
    lowest: tuple[tuple[int, float], ...]
    tested: Tested | None
    command: str
    saved_in: str
    keeps_rows: bool
    identical: bool = False
    """Both arms are the same games."""
    played_apart: tuple[int, int] = (0, 0)
    """Games of each run, if they are of different deals."""
    elapsed_s: float = 0.0
    compile_s: float = 0.0
    games_per_s: float = 0.0
    threads: int = 0
    usable_threads: int = 0

    @property
    def of_folders(self) -> bool:
        """Whether two saved runs are compared, which need not be kept again."""
        return not self.asked.request.startswith("--")

    @property
    def games(self) -> int:
        """Games played in all."""
        return self.completed * len(self.contest.tables)

    @property
    def anytime(self) -> bool:
        """Whether the intervals hold although the run chose where to stop."""
        return self.precision is not None or self.asked.sprt is not None

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``compare --json`` prints."""
        from .compare_screen import sentence

        contest = self.contest
        game = contest.description
        return {
            "format": "simcards comparison",
            "version": JSON_VERSION,
            "simcards": __version__,
            "engine": game.engine,
            "rules_version": game.rules_version,
            "game": game.name,
            "unit": contest.unit.one,
            "kind": contest.kind,
            "a": contest.arms[0],
            "b": contest.arms[1],
            "same_deals": contest.same_deals,
            "tables": [
                {
                    "preset": table.plan.preset,
                    "rules": as_dict(table.plan.rules),
                    "strategies": [player.text for player in table.plan.players],
                    "arms": ["" if arm < 0 else "ab"[arm] for arm in table.arms],
                }
                for table in contest.tables
            ],
            "seed": contest.seed,
            "first": self.first,
            "n": self.n,
            "completed": self.completed,
            "games": self.games,
            "paired": self.paired,
            "identical": self.identical,
            "status": self.status,
            "stop_reason": self.stop_reason,
            "level": self.level,
            "precision": self.precision,
            "verdict": self.main.verdict.word if self.main else None,
            "sentence": sentence(self),
            "decided_by": self.main.name if self.main else None,
            "intervals_together": self.family,
            "figures": [
                {
                    "name": one.name,
                    "label": one.label,
                    "unit": one.unit,
                    "a": one.a,
                    "b": one.b,
                    **_difference_json(one.difference),
                    "p_adjusted": adjusted,
                    "matters": one.matters,
                    "verdict": one.verdict.word,
                    "more": one.verdict.more,
                }
                for one, adjusted in zip(self.figures, self.adjusted, strict=True)
            ],
            "ahead": {"a": self.signs[2], "level": self.signs[1], "b": self.signs[0]},
            "capped": {"a": self.capped[0], "b": self.capped[1]},
            "variance_saved": self.saved,
            "could_see": self.could_see,
            "luck": asdict(self.luck) if self.luck else None,
            "seats": [_difference_json(one) for one in self.seats],
            "neighbours": [_difference_json(one) if one else None for one in self.neighbours],
            "highest": [list(one) for one in self.highest],
            "lowest": [list(one) for one in self.lowest],
            "sprt": (
                {
                    **asdict(self.tested.test),
                    "unit": self.asked.unit,
                    "lower": self.tested.test.lower,
                    "upper": self.tested.test.upper,
                    "log_likelihood_ratio": self.tested.ratio,
                    "decision": self.tested.decision or None,
                }
                if self.tested
                else None
            ),
            "elapsed_s": round(self.elapsed_s, 3),
            "compile_s": round(self.compile_s, 3),
            "games_per_s": round(self.games_per_s * len(contest.tables), 1),
            "threads": self.threads,
            "command": self.command,
        }


def _difference_json(one: Difference) -> dict[str, Any]:
    return {
        "difference": one.estimate,
        "interval": [one.interval.low, one.interval.high],
        "method": one.interval.method,
        "standard_error": one.standard_error,
        "p_value": one.p_value,
    }


class ComparisonResult:
    """A comparison: its figures, its rows (one an observation), its screen.

    Attributes
    ----------
    summary : Comparison
        Every figure with its interval; ``summary.to_json()`` is what ``--json`` prints.
    counts : Observations
        The exact sums all figures are computed from; of two saved runs of different deals those
        of the first.
    """

    def __init__(
        self,
        summary: Comparison,
        counts: Any,
        frames: list[pl.DataFrame] | None,
        folder: Path | None,
    ) -> None:
        self.summary = summary
        self.counts = counts
        self._frames = frames
        self._folder = folder

    @property
    def rows(self) -> pl.DataFrame:
        """The rows, one an observation: sums over its tables, by arm.

        Raises
        ------
        RequestError
            When none were kept.
        """
        if self._frames is not None:
            import polars as pl

            return pl.concat(self._frames)
        if self._folder is not None:
            # The folder may have been gone on with since.
            return scan_rows(self._folder).head(self.summary.completed).collect()
        raise RequestError("no rows were kept; compare with rows=True, or with out='FOLDER'.")

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas frame."""
        from .results import to_pandas

        return to_pandas(self.rows)

    def __str__(self) -> str:
        from .compare_screen import comparison_screen

        return comparison_screen(self.summary)

    def __repr__(self) -> str:
        one = self.summary
        return (
            f"<simcards.ComparisonResult: {one.contest.game}, {' against '.join(one.contest.arms)}"
            f", {one.completed:,} {one.contest.unit.word(one.completed)}, {one.status}>"
        )

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def anytime(level: float) -> Judge:
    """Return what judges differences of a run that stopped because of what it had seen.

    The p-value is the largest 1 - level at which the confidence sequence leaves out 0.
    """

    def difference(sums: Sums, scale: int, largest: float, bounded: bool) -> Difference:
        n = sums[0]
        plain = paired_difference(*sums, level, scale=scale, largest=largest, bounded=bounded)
        assert plain is not None  # there are observations
        interval = mean_sequence(*sums, level, scale=scale, largest=largest, bounded=bounded)
        count, total, squares = two_added(*sums, scale=scale, largest=largest, bounded=bounded)
        variance = (count * squares - total * total) / (count * (count - 1))
        x = n * MIXING_VARIANCE
        middle = total / count
        exceeded = middle * middle * n / (2 * variance * (1 + 1 / x))
        p_value = min(1.0, exp(log1p(x) / 2 - exceeded))
        error = sqrt(variance / count) / scale
        return Difference(plain.estimate, interval, error, p_value, n)

    return difference


def _main_sums(contest: Contest, counts: Observations, unit: str) -> tuple[Sums, int, bool]:
    """The sums of the difference that is looked at: sums, scale, whether 1 is its bound."""
    weights = less(*(arm_weights(contest, unit, arm) for arm in (0, 1)))
    sums = weights.sums(counts, counts.moments[unit])
    return sums, weights.scale, is_share(contest, unit)


def stopping(manifest: Manifest) -> Stopping | None:
    """When a comparison is done before its last observation."""
    contest = manifest.plan
    assert isinstance(contest, Contest)
    asked = Asked.from_json(manifest.asked)
    goal, test, level = manifest.precision, asked.sprt, manifest.level
    if test is not None:

        def decided(counts: Observations) -> bool:
            sums, scale, share = _main_sums(contest, counts, asked.unit)
            return bool(decide(test, *sums, scale=scale, largest=1.0, bounded=share))

        return Stopping(tuple(sprt_looks(test.minimum, manifest.n)), decided, "test")
    if goal is not None:

        def reached(counts: Observations) -> bool:
            sums, scale, share = _main_sums(contest, counts, asked.unit)
            interval = mean_sequence(*sums, level, scale=scale, largest=1.0, bounded=share)
            return interval.half_width <= goal

        return Stopping(tuple(look_counts(manifest.n)), reached, "precision")
    return None


def _tested(contest: Contest, counts: Observations, asked: Asked) -> Tested | None:
    if asked.sprt is None or not counts.games:
        return None
    sums, scale, share = _main_sums(contest, counts, asked.unit)
    ratio = log_likelihood_ratio(asked.sprt, *sums, scale=scale, largest=1.0, bounded=share)
    decision = decide(asked.sprt, *sums, scale=scale, largest=1.0, bounded=share)
    return Tested(asked.sprt, ratio, decision)


def sum_up(
    manifest: Manifest,
    counts: Observations,
    *,
    status: str,
    stop_reason: str,
    saved_in: str = "",
    **timing: Any,
) -> Comparison:
    """Make the summary of a comparison from its observations."""
    contest = manifest.plan
    assert isinstance(contest, Contest)
    asked = Asked.from_json(manifest.asked)
    played = bool(counts.games)
    stops_itself = manifest.precision is not None or asked.sprt is not None
    family = len(contest.figures) if contest.kind == TABLES else 1
    level = bonferroni_level(manifest.level, max(1, family))
    judged = anytime(level) if stops_itself else fixed_n(level)
    figures: tuple[Compared, ...] = ()
    if played:
        of = table_figures if contest.kind == TABLES else seat_figures
        figures = of(contest, counts, judged, asked.matters)
    p_values = [one.difference.p_value for one in figures]
    main = next((one for one in figures if one.name == asked.unit), None)
    strategies = contest.kind != TABLES
    capped = [sum(counts.capped[j] for j in contest.tables_of(arm)) for arm in (0, 1) if played]
    words = [f"simcards compare {asked.request}"]
    words += ["--unit " + asked.unit] if asked.unit != "win" else []
    words += [
        f"--matters {f'{name}={value:g}' if name else f'{value:g}'}"
        for name, value in asked.matters.items()
    ]
    if asked.sprt:
        test = asked.sprt
        words.append(f"--sprt {test.h0:g}..{test.h1:g}")
        words += [
            f"--{name} {value:g}"
            for name, value, usual in (
                ("alpha", test.alpha, Sprt.alpha),
                ("beta", test.beta, Sprt.beta),
                ("minimum", test.minimum, Sprt.minimum),
            )
            if value != usual
        ]
    if manifest.precision is not None:
        words.append(f"--precision {manifest.precision:g}")
    if manifest.level != 0.95:
        words.append(f"--level {manifest.level:g}")
    # Of a comparison that was cut short what was played can be had again.
    again = manifest.n if status == "complete" or not played else counts.games
    if again != (PRECISION_CEILING if stops_itself else DEFAULT_DEALS):
        words.append(f"--n {short_number(again)}")
    if manifest.first:
        words.append(f"--first {manifest.first}")
    words.append(f"--seed {contest.seed}")
    return Comparison(
        contest=contest,
        asked=asked,
        first=manifest.first,
        n=manifest.n,
        completed=counts.games,
        paired=True,
        status=status,
        stop_reason=stop_reason,
        level=manifest.level,
        precision=manifest.precision,
        figures=figures,
        adjusted=tuple(holm(p_values) if contest.kind == TABLES else p_values),
        family=family,
        main=main,
        signs=counts.signs,
        capped=(capped[0], capped[1]) if played else (0, 0),
        saved=variance_saved(contest, counts) if played else None,
        could_see=(
            smallest_effect(main.difference.standard_error, manifest.level) if main else None
        ),
        luck=luck(contest, counts) if played else None,
        seats=by_seat(contest, counts, judged) if played and strategies else (),
        neighbours=(
            neighbours(contest, counts, judged, 0) if played else None,
            neighbours(contest, counts, judged, 1) if played else None,
        ),
        highest=tuple((index, d / contest.lead_scale) for d, index in counts.highest),
        lowest=tuple((index, d / contest.lead_scale) for d, index in counts.lowest),
        tested=_tested(contest, counts, asked),
        command=" ".join(words),
        saved_in=saved_in,
        keeps_rows=manifest.keeps_rows,
        **timing,
    )


def _result(played: Played) -> ComparisonResult:
    """Make the result of what was played, or raise what went wrong."""

    def make() -> ComparisonResult:
        outcome = played.outcome
        summary = sum_up(
            played.manifest,
            outcome.counts if outcome.counts.games else Observations(),
            status=outcome.status,
            stop_reason=outcome.stop_reason,
            saved_in=str(played.folder) if played.folder else "",
            **played.timing,
        )
        return ComparisonResult(summary, outcome.counts, played.frames, played.folder)

    return finish(played, make)


def read_sprt(
    text: Any, alpha: Any = None, beta: Any = None, minimum: Any = None, *, share: bool = True
) -> Sprt:
    """Read a sequential test such as ``0..0.01``.

    Raises
    ------
    RequestError
        When it isn't two differences, the smaller one first.
    """
    if isinstance(text, str):
        low, dots, high = text.partition("..")
    else:
        low, dots, high = (*text, "..")[0], "..", (*text, "..")[1]
    try:
        h0, h1 = float(low), float(high)
    except (TypeError, ValueError):
        raise RequestError(f"--sprt {text}: write two differences, such as 0..0.01.") from None
    most = 1.0 if share else float("inf")
    if not dots or not h0 < h1 or not (-most <= h0 and h1 <= most):
        raise RequestError(
            f"--sprt {text}: write two differences, the smaller one first, such as 0..0.01"
            + (".\n  They are of 1: 0.01 is one first place in a hundred." if share else ".")
        )
    return Sprt(
        h0,
        h1,
        Sprt.alpha if alpha is None else real_number(alpha, "--alpha", 0, 0.5),
        Sprt.beta if beta is None else real_number(beta, "--beta", 0, 0.5),
        Sprt.minimum if minimum is None else whole_number(minimum, "--minimum", 2, 10**9),
    )


def compare_base(
    base: Base,
    a: Any,
    b: Any,
    *,
    against: Any = None,
    n: Any = None,
    matters: Any = None,
    unit: str | None = None,
    precision: Any = None,
    sprt: Any = None,
    alpha: Any = None,
    beta: Any = None,
    minimum: Any = None,
    contest: Contest | None = None,
    request: str | None = None,
    **how: Any,
) -> ComparisonResult:
    """Compare; see `compare` for the parameters. Everything is checked before anything is made."""
    contest = contest or make_comparison(base, a, b, against)
    unit = "win" if unit is None else str(unit)
    if contest.kind != TABLES and unit not in contest.seat_figures:
        raise RequestError(
            f"--unit {unit}: no such figure.\n  There are: {', '.join(contest.seat_figures)}."
        )
    share = contest.kind != TABLES and is_share(contest, unit)
    if contest.kind == TABLES and (precision is not None or sprt is not None or unit != "win"):
        option = "--sprt" if sprt is not None else "--precision" if precision else "--unit"
        raise RequestError(
            f"{option}: these are two tables without a strategy whose wins could be watched.\n"
            "  Name two strategies, or put each arm on one seat with --against NAME, or use --n."
        )
    if precision is not None and sprt is not None:
        raise RequestError("--precision and --sprt both say when to stop: choose one.")
    if sprt is None and (alpha is not None or beta is not None or minimum is not None):
        raise RequestError(
            "--alpha, --beta and --minimum belong to --sprt, such as --sprt 0..0.01."
        )
    if precision is not None:
        precision = real_number(precision, "--precision", 0, 1 if share else float("inf"))
    test = None if sprt is None else read_sprt(sprt, alpha, beta, minimum, share=share)
    if request is None:
        request = comparison_words(base, a, b, against)
    asked = Asked(request, unit, read_matters(matters, contest), test)
    stops_itself = precision is not None or test is not None
    settled = settle(
        contest, n=n, default_n=PRECISION_CEILING if stops_itself else DEFAULT_DEALS, **how
    )
    return _result(begin(contest, settled, stopping, precision=precision, asked=asked.to_json()))


def compare(
    game: str,
    a: Any,
    b: Any,
    n: int | float | str | None = None,
    *,
    against: Any = None,
    players: int | None = None,
    rules: Rules | Mapping[str, Any] | None = None,
    preset: str | None = None,
    strategies: Any = None,
    seed: int | None = None,
    first: int = 0,
    level: float = 0.95,
    matters: float | Mapping[str, float] | None = None,
    unit: str | None = None,
    precision: float | None = None,
    sprt: tuple[float, float] | str | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    minimum: int | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    chunk_size: int | None = None,
    rows: bool = False,
    out: str | Path | None = None,
    overwrite: bool = False,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> ComparisonResult:
    """Compare two strategies, or two variants of the rules, on the same deals.

    Two strategies sit at one table, each on half the seats, in all seatings of every deal. With
    `against` each sits alone among that strategy, on every seat in turn, at a table of its own.
    Anything else is two tables at which the same deals are played. One index with all its seatings
    is one observation.

    Parameters
    ----------
    game : str
        Name or alias.
    a, b : str, function, mapping, or sequence of them
        The arms: a strategy, ``"KEY=VALUE"``, a function of a view, or a mapping of rules, with
        the keys ``preset``, ``players`` and ``strategy`` besides.
    n : int, optional
        Observations; 20,000 if left out, and the ceiling of 1e9 with `precision` or `sprt`.
    against : str or function, optional
        Who plays the other seats.
    players, rules, preset, strategies, seed, first, level, threads, time_limit, chunk_size, \
rows, out, overwrite, executor, progress
        As for `run`, for both arms. `level` is that of the intervals.
    matters : float or mapping, optional
        The least difference that matters: of all shares and rates (0.01, which is one of a
        hundred, if left out), or by name of the figure.
    unit : str, optional
        The figure that the verdict and the stopping rest on: ``win``, or ``points`` and others
        that the game has.
    precision : float, optional
        Stop when the difference is known to plus or minus this.
    sprt : (float, float) or str, optional
        Two differences; stop when the observations speak for one of them.
    alpha, beta : float, optional
        Its error rates, 0.05 if left out.
    minimum : int, optional
        Observations below which it never stops, 500 if left out.

    Returns
    -------
    ComparisonResult

    Raises
    ------
    RequestError
        When the request can't be done as stated; nothing was played or written.
    RunError
        When something failed; with `out`, what was finished is kept.
    Interrupted
        When stopped from outside; its `result` is of what was finished.
    """
    from .progress import notebook_progress

    base = base_of(
        game, players=players, rules=rules, preset=preset, strategies=strategies, seed=seed
    )
    contest = make_comparison(base, a, b, against)
    with notebook_progress(contest, progress) as on_progress:
        return compare_base(
            base,
            a,
            b,
            contest=contest,
            against=against,
            n=n,
            matters=matters,
            unit=unit,
            precision=precision,
            sprt=sprt,
            alpha=alpha,
            beta=beta,
            minimum=minimum,
            first=first,
            level=level,
            threads=threads,
            time_limit=time_limit,
            chunk=chunk_size,
            rows=rows,
            out=out,
            overwrite=overwrite,
            executor=executor,
            on_progress=on_progress,
        )


def resume_comparison(
    folder: Path,
    n: Any = None,
    *,
    threads: Any = None,
    time_limit: Any = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_compile: Callable[[], None] | None = None,
    executor: Executor | None = None,
) -> ComparisonResult:
    """Go on with a saved comparison; see `saved.resume`."""
    return _result(
        go_on(
            folder,
            n,
            stopping,
            threads=threads,
            time_limit=time_limit,
            on_progress=on_progress,
            on_compile=on_compile,
            executor=executor,
        )
    )


def load_comparison(path: Path) -> ComparisonResult:
    """Read a saved comparison; see `saved.load`."""
    saved = read_back(path)
    summary = sum_up(
        saved.manifest,
        saved.counts,
        status=saved.status,
        stop_reason=saved.stop_reason,
        saved_in=str(path),
    )
    return ComparisonResult(summary, saved.counts, None, path)
