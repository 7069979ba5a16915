"""From the sums of a comparison to its figures, and the sentence it ends in."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log1p, sqrt
from typing import Any

from ..sim.contest import TABLES, Contest
from ..sim.manifest import Manifest
from ..sim.observations import Observations
from .comparison import DEFAULT_DEALS, Asked, Comparison, Tested
from .effects import (
    Compared,
    Judge,
    Sums,
    arm_weights,
    fixed_n,
    is_share,
    less,
    seat_figures,
    table_figures,
)
from .ending import command_of, ended
from .luck import by_seat, luck, neighbours, variance_saved
from .multiple import bonferroni_level, holm
from .paired import Difference, paired_difference, smallest_effect, two_added
from .playing import PRECISION_CEILING
from .sentences import sentence
from .sequential import MIXING_VARIANCE, mean_sequence
from .sprt import Sprt, decide, log_likelihood_ratio
from .summary import number_text


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
    found = Comparison(
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
    return replace(found, sentence=sentence(found))
