"""The report of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ...sim.counts import SHARE, Counts
from ...sim.game import Rate
from ...sim.manifest import Manifest
from ..at_table import AtTable
from ..effects import RATE_MATTERS
from ..intervals import Interval
from ..multiple import bonferroni_level
from ..sanity import Sanity
from ..screen import percent
from ..sequential import confidence_sequence
from ..summary import Summary, quoted, rate, request_words
from ..verdict import LEAST_OBSERVATIONS, MATTERS, TOO_SMALL, judge
from .convergence import Point, funnel_blocks, history
from .counts import count_blocks
from .flow import flow_blocks, luck_words
from .lengths import capped_words, length_blocks, spread_words
from .page import (
    COUNT,
    TEXT,
    Block,
    Column,
    Command,
    Line,
    Page,
    Table,
    Text,
)
from .parts import (
    Estimate,
    between,
    estimates,
    forest,
    listed,
    make_page,
    number,
    partial,
    places_of,
    rules_table,
    upper,
    who_plays,
)
from .sanity import sanity_blocks


def run_page(
    folder: Path,
    manifest: Manifest,
    summary: Summary,
    counts: Counts,
    found: AtTable,
    sanity: Sanity,
) -> Page:
    """Return the report of a run.

    Parameters
    ----------
    folder : Path
        In which it is saved.
    manifest : Manifest
    summary : Summary
    counts : Counts
    found : AtTable
        What telling its first games again came to.
    sanity : Sanity
        Of the same games.
    """
    plan = summary.plan
    game = plan.description
    texts = [player.text for player in plan.players]
    who = f"{len(texts)} x {texts[0]}" if len(set(texts)) == 1 else listed(texts)
    return make_page(
        manifest,
        summary,
        "run",
        f"{game.name}: {summary.completed:,} {plan.unit.word(summary.completed)}",
        f"{game.title}, preset {plan.preset}, {who}",
        _answer(summary, counts),
        [who_plays(plan), *rules_table([plan], [""])],
        sanity,
        (
            ("fairness", "Seats", fairness_blocks(summary, counts)),
            ("lengths", "Lengths", length_blocks(summary)),
            ("flow", "Flow", flow_blocks(plan, found, summary.level)),
            ("strategies", "Strategies and counts", count_blocks(summary)),
            ("convergence", "Convergence", convergence_blocks(folder, manifest, summary)),
            ("luck", "Luck and skill", _luck(summary, found)),
            ("sanity", "Sanity", sanity_blocks(sanity)),
        ),
    )


def _answer(summary: Summary, counts: Counts) -> Iterator[str]:
    """Yield what came out, in sentences with intervals."""
    plan = summary.plan
    units = plan.unit.many
    if summary.status == "partial":
        yield partial(summary.stop_reason, summary.completed, summary.n, plan)
    if summary.stop_reason == "precision" and summary.precision is not None:
        yield (
            f"Stopped when every seat's share of the wins was known to plus or minus "
            f"{100 * summary.precision:g} of 100."
        )
    if summary.capped:
        yield capped_words(summary)
    for one in summary.headlines:
        scale = 100 if one.unit == "of 100" else 1
        # Of several figures the first has the interval.
        of = f"{one.unit.replace('_', ' ')} " if "," in one.answer and scale == 1 else ""
        yield f"{one.question} {upper(one.answer)} ({of}{between(one.interval, scale)})."
    if plan.rules.players > 1 and summary.finished:
        yield _fairness_words(summary, counts)
    for name, length in list(summary.lengths.items())[:1]:
        yield spread_words(name, length, plan.unit)
    games = f"{summary.completed:,} {plan.unit.word(summary.completed)}"
    if summary.capped:
        games = f"the {summary.finished:,} finished of {summary.completed:,} {units}"
    how = "intervals"
    if summary.precision is not None:
        how = "intervals (of seats' shares: confidence sequences, which hold however it stopped)"
    yield f"In brackets: {percent(summary.level)} {how}, from {games}."


def _together(summary: Summary, counts: Counts) -> list[tuple[float, Interval]]:
    """Return each seat's share with intervals that hold for all seats together."""
    level = bonferroni_level(summary.level, summary.plan.rules.players)
    found = [
        rate(
            summary.plan, counts, Rate("wins", seat.seat), level,
            anytime=summary.precision is not None,
        )
        for seat in summary.seats
    ]  # fmt: skip
    return [one for one in found if one is not None]


def _fairness_words(summary: Summary, counts: Counts) -> str:
    """Return whether all seats win equally often, as far as can be told."""
    shares = _together(summary, counts)
    if summary.finished < LEAST_OBSERVATIONS:
        return f"{summary.finished} finished games are too few to say whether seats win alike."
    even = sum(value for value, _ in shares) / len(shares)
    said = f"an even share is {100 * even:.4g} of 100"
    apart = [
        replace(interval, low=interval.low - even, high=interval.high - even)
        for _, interval in shares
    ]
    verdicts = [
        judge(value - even, interval, RATE_MATTERS, summary.finished)
        for (value, _), interval in zip(shares, apart, strict=True)
    ]
    least = f"{100 * RATE_MATTERS:g} of 100"
    parts = []
    for seat, (interval, verdict) in enumerate(zip(apart, verdicts, strict=True)):
        if verdict.sign:
            places = places_of(interval, 100)
            near, far = sorted(abs(100 * end) for end in (interval.low, interval.high))
            parts.append(
                f"seat {seat} wins {number(100 * abs(shares[seat][0] - even), places)} of 100 "
                f"{'more' if verdict.sign > 0 else 'less'} ({number(near, places)} to "
                f"{number(far, places)})"
            )
    words = {verdict.word for verdict in verdicts}
    if not parts:
        if words == {TOO_SMALL}:
            return (
                f"The seats are fair, as far as it matters: every seat is within {least} of an "
                f"even share ({said})."
            )
        widest = max(max(abs(one.low), abs(one.high)) for one in apart)
        return (
            f"No seat is shown to be better than another: each is within {100 * widest:.1f} of 100 "
            f"of an even share ({said})."
        )
    if MATTERS in words:
        judged = "and it matters"
    elif words == {TOO_SMALL}:
        judged = f"but by less than what matters, {least}"
    else:
        judged = f"but it can't be told yet whether by as much as matters, {least}"
    who = "seats, and who plays on them," if len(_texts(summary)) > 1 else "seats"
    return f"The {who} aren't equal, {judged}: {said}; {listed(parts)}."


def _texts(summary: Summary) -> set[str]:
    return {player.text for player in summary.plan.players}


def fairness_blocks(summary: Summary, counts: Counts) -> Iterator[Block]:
    """Yield who won how often, seat by seat."""
    plan = summary.plan
    if not summary.finished:
        yield Text("No data: not one game was finished.")
        return
    if plan.rules.players > 1:
        shares = _together(summary, counts)
        even = 100 * sum(value for value, _ in shares) / len(shares)
        level = bonferroni_level(summary.level, len(shares))
        table = estimates(
            "Share of the wins by seat",
            [
                Estimate(f"seat {seat}: {plan.players[seat].text}", value, interval)
                for seat, (value, interval) in enumerate(shares)
            ],
            "seat",
            summary.level,
            note=f"The intervals hold for all {len(shares)} seats together (each at "
            f"{100 * level:.4g} %). A win shared by k counts 1/k."
            + (
                " They are confidence sequences: the run stopped because of what it saw."
                if summary.precision is not None
                else ""
            ),
        )
        yield forest(
            "seats",
            "Wins by seat",
            _fairness_words(summary, counts),
            table,
            "games won, of 100",
            lines=(Line(even, "even share"),),
        )
    yield Table(
        "Who won",
        (
            Column("seat", "seat", form=TEXT),
            Column("strategy", "played by", form=TEXT),
            Column("alone", "won alone", form=COUNT),
            Column("shared", "shared", form=COUNT),
            Column("share", "share of finished", "of 100", places=2),
        ),
        (
            *(
                (
                    f"seat {seat.seat}",
                    seat.strategy,
                    seat.wins,
                    sum(seat.shared.values()),
                    None if seat.win_rate is None else 100 * seat.win_rate,
                )
                for seat in summary.seats
            ),
            ("nobody", "", summary.nobody, 0, 100 * summary.nobody / summary.finished),
        ),
        note=f"Of {summary.completed:,} {plan.unit.many}, {summary.capped:,} were capped and are "
        "in no share.",
    )


def convergence_blocks(folder: Path, manifest: Manifest, summary: Summary) -> Iterator[Block]:
    """Yield how seat 0's share of the wins settled."""
    plan = summary.plan
    if plan.rules.players == 1:
        return
    if not summary.finished:
        yield Text(f"No data: not one {plan.unit.one} was finished.")
        return

    def points() -> Iterator[Point]:
        for games, counts in history(folder, manifest):
            if counts.finished:
                total = counts.score60[0]
                interval = confidence_sequence(total, counts.finished, summary.level, scale=SHARE)
                yield games, total / (SHARE * counts.finished), interval.low, interval.high

    yield from funnel_blocks(
        points(),
        "Seat 0's share of the wins",
        "games won by seat 0",
        "of 100",
        plan.unit.many,
        summary.level,
        lines=(Line(100 / plan.rules.players, "even share"),),
        about="",
        note=" Capped ones are played, but in no share." if summary.capped else "",
    )


def _luck(summary: Summary, found: AtTable) -> Iterator[Block]:
    plan = summary.plan
    yield Text(
        luck_words(found)
        + " How much of the result is the cards and how much is play can't be seen from games that "
        "are dealt once: that takes the same deals with other players."
    )
    game = plan.description
    mine = {player.choices[0].number for player in plan.players}
    other = next(
        (
            one.name
            for one in game.decisions[0].strategies
            if one.number not in mine and not one.refused(plan.rules)
        ),
        "",
    )
    rules = request_words(plan).partition(" --strategy ")[0]
    if other and plan.rules.players > 1 and not plan.bots:
        yield Command(
            "What the cards decide, and what a player does:",
            f"simcards compare {rules} --a {quoted(plan.players[0].text)} --b {other} "
            f"--seed {plan.seed}",
        )
