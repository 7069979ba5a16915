"""What a comparison came to: every figure with its interval, from exact sums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from math import exp, log1p, sqrt
from typing import Any

from ..sim.contest import TABLES, Contest
from ..sim.manifest import Manifest
from ..sim.observations import Observations
from ..sim.options import as_dict
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
from .ending import Ending, command_of, ended
from .multiple import bonferroni_level, holm
from .paired import Difference, paired_difference, smallest_effect, two_added
from .playing import PRECISION_CEILING
from .sentences import sentence
from .sequential import MIXING_VARIANCE, mean_sequence
from .sprt import Sprt, decide, log_likelihood_ratio
from .summary import number_text

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


@dataclass(frozen=True, kw_only=True)
class Comparison(Ending):
    """What a comparison came to; `to_json` gives the published form."""

    asked: Asked
    paired: bool
    """Whether an observation is an index that both arms played; else each arm has its own."""
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
    nobody: tuple[int, int]
    """Games that were finished without a winner, likewise."""
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
    keeps_rows: bool
    identical: bool = False
    """Both arms are the same games."""
    played_apart: tuple[int, int] = (0, 0)
    """Games of each run, if they are of different deals."""

    @property
    def of_folders(self) -> bool:
        """Whether two saved runs are compared, which need not be kept again."""
        return not self.asked.request.startswith("--")

    @property
    def games(self) -> int:
        """Games played in all."""
        if any(self.played_apart):
            return sum(self.played_apart)
        return super().games

    @property
    def anytime(self) -> bool:
        """Whether the intervals hold although the run chose where to stop."""
        return self.precision is not None or self.asked.sprt is not None

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``compare --json`` prints."""
        contest = self.contest
        return {
            **self.head_json("comparison"),
            "kind": contest.kind,
            "a": contest.arms[0],
            "b": contest.arms[1],
            "same_deals": self.paired and contest.same_deals,
            "tables": [
                {
                    "preset": table.plan.preset,
                    "rules": as_dict(table.plan.rules),
                    "strategies": [player.text for player in table.plan.players],
                    "arms": ["" if arm < 0 else "ab"[arm] for arm in table.arms],
                }
                for table in contest.tables
            ],
            **self.extent_json(),
            "runs": [
                {"seed": plan.seed, "completed": number}
                for plan, number in zip(contest.plans, self.played_apart, strict=False)
                if not self.paired
            ],
            "paired": self.paired,
            "identical": self.identical,
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
            "nobody": {"a": self.nobody[0], "b": self.nobody[1]},
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
            **self.tail_json(),
        }


def _difference_json(one: Difference) -> dict[str, Any]:
    return {
        "difference": one.estimate,
        "interval": [one.interval.low, one.interval.high],
        "method": one.interval.method,
        "standard_error": one.standard_error,
        "p_value": one.p_value,
    }


def anytime(level: float) -> Judge:
    """Return what judges differences of a run that stopped because of what it had seen.

    The p-value is the largest 1 - level at which the confidence sequence leaves out 0.
    """

    def difference(sums: Sums, scale: int, largest: float, bounded: bool) -> Difference:
        n = sums[0]
        plain = paired_difference(*sums, level, scale=scale, largest=largest, bounded=bounded)
        assert plain is not None  # there are observations
        interval = mean_sequence(*sums, level, scale=scale, largest=largest, bounded=bounded)
        count, total, squares, fine = two_added(
            *sums, scale=scale, largest=largest, bounded=bounded
        )
        variance = (count * squares - total * total) / (count * (count - 1))
        x = n * MIXING_VARIANCE
        middle = total / count
        exceeded = middle * middle * n / (2 * variance * (1 + 1 / x))
        p_value = min(1.0, exp(log1p(x) / 2 - exceeded))
        error = sqrt(variance / count) / (scale * fine)
        return Difference(plain.estimate, interval, error, p_value, n)

    return difference


def main_sums(contest: Contest, counts: Observations, unit: str) -> tuple[Sums, int, bool]:
    """The sums of the difference that is looked at: sums, scale, whether 1 is its bound."""
    weights = less(*(arm_weights(contest, unit, arm) for arm in (0, 1)))
    sums = weights.sums(counts, counts.moments[unit])
    return sums, weights.scale, is_share(contest, unit)


def _tested(
    contest: Contest, counts: Observations, asked: Asked, stop_reason: str
) -> Tested | None:
    if asked.sprt is None or not counts.games:
        return None
    sums, scale, share = main_sums(contest, counts, asked.unit)
    ratio = log_likelihood_ratio(asked.sprt, *sums, scale=scale, largest=1.0, bounded=share)
    decision = ""
    if stop_reason == "test":  # elsewhere than at a look nothing may be decided
        decision = decide(asked.sprt, *sums, scale=scale, largest=1.0, bounded=share)
    return Tested(asked.sprt, ratio, decision)


def sum_up(
    manifest: Manifest,
    counts: Observations,
    *,
    status: str,
    stop_reason: str,
    **more: Any,
) -> Comparison:
    """Make the summary of a comparison from its observations."""
    contest = manifest.plan
    assert isinstance(contest, Contest)
    asked = Asked.from_json(manifest.asked)
    played = bool(counts.games)
    # Games that were all capped say nothing about who is better.
    told = played and sum(counts.capped) < counts.games * len(contest.tables)
    stops_itself = manifest.precision is not None or asked.sprt is not None
    family = len(contest.figures) if contest.kind == TABLES else 1
    level = bonferroni_level(manifest.level, max(1, family))
    judged = anytime(level) if stops_itself else fixed_n(level)
    figures: tuple[Compared, ...] = ()
    if told:
        of = table_figures if contest.kind == TABLES else seat_figures
        figures = of(contest, counts, judged, asked.matters)
    if stops_itself:  # it has stopped: more of the same would be another run
        figures = tuple(replace(one, verdict=replace(one.verdict, more=None)) for one in figures)
    p_values = [one.difference.p_value for one in figures]
    main = next((one for one in figures if one.name == asked.unit), None)
    strategies = contest.kind != TABLES

    def by_arm(games: tuple[int, ...]) -> tuple[int, int]:
        a, b = (sum(games[j] for j in contest.tables_of(arm)) if played else 0 for arm in (0, 1))
        return a, b

    words = [asked.request]
    words += ["--unit " + asked.unit] if asked.unit != "win" else []
    words += [
        f"--matters {f'{name}=' if name else ''}{number_text(value)}"
        for name, value in asked.matters.items()
    ]
    if asked.sprt:
        test = asked.sprt
        words.append(f"--sprt {number_text(test.h0)}..{number_text(test.h1)}")
        words += [
            f"--{name} {number_text(value)}"
            for name, value, usual in (
                ("alpha", test.alpha, Sprt.alpha),
                ("beta", test.beta, Sprt.beta),
                ("minimum", test.minimum, Sprt.minimum),
            )
            if value != usual
        ]
    if manifest.precision is not None:
        words.append(f"--precision {number_text(manifest.precision)}")
    default_n = PRECISION_CEILING if stops_itself else DEFAULT_DEALS
    command = command_of("compare", words, manifest, counts.games, status, default_n)
    return Comparison(
        **ended(manifest, counts.games, status=status, stop_reason=stop_reason, **more),
        command=command,
        asked=asked,
        paired=True,
        precision=manifest.precision,
        figures=figures,
        adjusted=tuple(holm(p_values) if contest.kind == TABLES else p_values),
        family=family,
        main=main,
        signs=counts.signs,
        capped=by_arm(counts.capped),
        nobody=by_arm(counts.nobody),
        saved=variance_saved(contest, counts) if told else None,
        could_see=(
            smallest_effect(main.difference.standard_error, manifest.level) if main else None
        ),
        luck=luck(contest, counts) if told else None,
        seats=by_seat(contest, counts, judged) if told and strategies else (),
        neighbours=(
            neighbours(contest, counts, judged, 0) if told else None,
            neighbours(contest, counts, judged, 1) if told else None,
        ),
        highest=tuple((index, d / contest.lead_scale) for d, index in counts.highest),
        lowest=tuple((index, d / contest.lead_scale) for d, index in counts.lowest),
        tested=_tested(contest, counts, asked, stop_reason),
        keeps_rows=manifest.keeps_rows,
    )
