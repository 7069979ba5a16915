"""What a person sees of a comparison: the verdict first, next commands last."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..sim.contest import AGAINST, SEATINGS, TABLES, Contest, Table
from ..sim.options import as_dict, show
from ..sim.plan import Plan, differing
from .ending import foot
from .screen import STOPPED, percent, wrapped
from .sentences import company, decision
from .summary import decimals, quoted, request_words, signed
from .verdict import MATTERS, TOO_SMALL, UNKNOWN

if TYPE_CHECKING:
    from .comparison import Comparison

MARKS = {MATTERS: "*", TOO_SMALL: ".", UNKNOWN: "?"}
SHOWN_INDICES = 3


def title(contest: Contest) -> Iterator[str]:
    """Yield the lines that say what all tables have in common."""
    game, plans = contest.description, contest.plans
    presets = {plan.preset for plan in plans}
    players = {plan.rules.players for plan in plans}
    line = f"{game.name} ({game.title})"
    if len(presets) == 1:
        line += f", preset {presets.pop()}"
    if len(players) == 1:
        count = players.pop()
        line += f", {count} player{'s' if count != 1 else ''}"
    yield line
    changes = [differing(plan) for plan in plans]
    common = [
        f"{name}={show(value)}"
        for name, value in changes[0].items()
        if name != "players" and all(one.get(name) == value for one in changes)
    ]
    yield from wrapped("changed: ", common)


def differences(one: Plan, other: Plan) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield what two plans differ in: options, and who plays."""
    rules = as_dict(one.rules), as_dict(other.rules)
    for name, value in rules[0].items():
        if rules[1].get(name) != value:
            yield name, (show(value), show(rules[1].get(name)))
    texts = [[player.text for player in plan.players] for plan in (one, other)]
    shown = [of[0] if len(set(of)) == 1 else ", ".join(of) for of in texts]
    if shown[0] != shown[1]:
        yield "strategy", (shown[0], shown[1])
    elif one.players != other.players:
        digests = [
            ", ".join(dict.fromkeys(bot.digest[:8] for bot in plan.bots)) for plan in (one, other)
        ]
        if digests[0] != digests[1]:  # else they play alike, on more seats or fewer
            yield f"the source of {shown[0]}", (digests[0], digests[1])


def setup(contest: Contest, of_folders: bool) -> Iterator[str]:
    """Yield the lines that say who meets whom."""
    a, b = contest.arms
    note = ""
    seats = contest.tables[0].plan.rules.players
    if contest.kind == SEATINGS:
        each = f"{seats // 2} x " if seats % 2 == 0 and seats > 2 else ""
        text = f"At one table: {each}{a} (A), {each}{b} (B), seed {contest.seed}"
    elif contest.kind == AGAINST:
        text = f"One seat among {company(contest)}: {a} (A) or {b} (B), seed {contest.seed}"
    else:
        seeds = list(dict.fromkeys(str(plan.seed) for plan in contest.plans))
        text = f"Two tables: {a} (A), {b} (B), seed {' and '.join(seeds)}"
        if len(set(contest.plans)) > 1:
            changed = [f"{name} {' or '.join(of)}" for name, of in differences(*contest.plans[:2])]
            note = f"They differ in {'; '.join(changed) or 'the names of what plays'}."
    yield from wrapped("", text.split(" "), " ")
    if note and of_folders:
        yield from wrapped("", note.split(" "), " ")
    if contest.kind == TABLES and len(contest.tables) == 2:
        who = [sorted({player.text for player in table.plan.players}) for table in contest.tables]
        if who[0] == who[1]:
            yield from wrapped("Played by ", ", ".join(who[0]).split(" "), " ")
    if contest.kind == TABLES and not contest.same_deals:
        yield "The decks differ, so A and B are not dealt the same cards."


def size(one: Comparison) -> Iterator[str]:
    """Yield how many games there were."""
    contest = one.contest
    unit, units = contest.unit.one, contest.unit.word(one.completed)
    tables = len(contest.tables)
    if contest.kind == SEATINGS:
        how = f"each in all {tables} seatings"
    elif contest.kind == AGAINST:
        how = f"on every seat, {tables} tables"
    else:
        how = f"at {tables} tables"
    if not one.paired:
        games = [f"{number:,}" for number in one.played_apart]
        yield f"{games[0]} and {games[1]} {units}, not the same deals: compared as separate runs"
        return
    if one.identical:
        return
    of = f" of {one.n:,}" if one.completed != one.n and not one.anytime else ""
    start = f", from index {one.first}" if one.first else ""
    text = (
        f"{one.completed:,}{of} {units}{start}, {how} = {one.games:,} games; "
        f"1 observation = 1 {unit}"
    )
    yield from wrapped("", text.split(" "), " ")
    if one.status == "partial":
        yield f"Partial: {STOPPED.get(one.stop_reason, one.stop_reason)}."
    elif one.stop_reason == "precision" and one.precision is not None:
        yield "Stopped: the difference is known as well as asked."


def _table(one: Comparison) -> Iterator[str]:
    marked = one.contest.kind == TABLES
    wide = max([17, *(len(fig.label) + 1 for fig in one.figures)])
    head = f"{percent(one.level)} interval"
    # Rules are told as what changes from A to B, strategies as what A has more than B.
    sign = -1 if marked else 1
    yield f"{'':<{wide + 2}}{'A':>9}{'B':>10}{'B - A' if marked else 'A - B':>9}    {head}"
    for fig in one.figures:
        shown, interval = sign * fig.shown, fig.difference.interval
        places = decimals(fig.shown * interval.half_width)
        percents = " %" if fig.unit == "of 100" else "  "
        low, high = sorted(shown * end for end in (interval.low, interval.high))
        ends = [f"{end:+.{places}f}" for end in (low, high)]
        line = (
            f"  {fig.label:<{wide}}{fig.shown * fig.a:>7.{places}f}{percents}"
            f"{fig.shown * fig.b:>8.{places}f}{percents}"
            f"{shown * fig.difference.estimate:>+9.{places}f}    {ends[0]:>6} to {ends[1]:>6}"
        )
        yield f"{line}  {MARKS[fig.verdict.word]}" if marked else line
    games = one.completed
    behind, level, ahead = (100 * number / games for number in one.signs)
    if marked:
        yield "  * matters   . too small to matter   ? can't tell yet"
        together = f"{percent(one.level)} for all {one.family} intervals together."
        yield from wrapped("  ", [*_matters_words(one).split(" "), *together.split(" ")], " ")
    else:
        units = one.contest.unit.many
        yield (
            f"  {units:<{wide}}A ahead {ahead:.1f} %, level {level:.1f} %, B ahead {behind:.1f} %"
        )


def _matters_words(one: Comparison) -> str:
    given = {name: value for name, value in one.asked.matters.items() if name}
    rates = 100 * one.asked.matters.get("", 0.01)
    text = f"Matters: {rates:g} of 100, 1 % of a mean"
    for name, value in given.items():
        text += f", {name} {value:g}"
    return f"{text} (--matters)."


def notes(one: Comparison) -> Iterator[tuple[str, str]]:
    """Yield what else is known, with a heading each."""
    contest = one.contest
    units = contest.unit.many
    if one.tested is not None and one.main is not None:
        test, tested = one.tested.test, one.tested
        yield (
            "Test",
            f"{test.h0:g} against {test.h1:g} ({one.main.label}), "
            f"errors {percent(test.alpha)} and {percent(test.beta)}: log likelihood ratio "
            f"{tested.ratio:+.2f}, bounds {test.lower:+.2f} and {test.upper:+.2f}, "
            f"not before {test.minimum:,} {units}; the intervals allow for such a stop, the "
            "estimates exaggerate",
        )
    if one.saved is not None:
        if one.saved >= 1.05:
            same = f"as narrow as from {one.saved:.1f} times as many games on separate deals"
        elif one.saved > 0.95:
            same = "about as narrow as from as many games on separate deals"
        else:
            same = f"wider than from separate deals, which would need {one.saved:.2f} times as many"
        yield "Same deals", same
    possible = one.main is None or one.main.unit != "of 100" or (one.could_see or 0) < 1
    if one.could_see is not None and one.main is not None and not one.anytime and possible:
        scale, of = one.main.shown, " of 100" if one.main.unit == "of 100" else ""
        least, could = scale * one.main.matters, scale * one.could_see
        yield (
            "Could see",
            f"a difference of {could:.{decimals(could)}f}{of} four times out of five "
            f"(matters: {least:.3g})",
        )
    if one.luck is not None:
        score = "wins" if one.luck.figure == "win" else one.luck.figure
        parts = [f"{100 * part:.0f} %" for part in (one.luck.deal, one.luck.arm, one.luck.rest)]
        yield (
            "Luck, skill",
            f"of the variance of a seat's {score} {parts[0]} is the deal, {parts[1]} A or B, "
            f"{parts[2]} what else happens",
        )
    if one.seats:
        half = 100 * max(seat.interval.half_width for seat in one.seats)
        places = decimals(half)
        numbers = ", ".join(f"{100 * seat.estimate:+.{places}f}" for seat in one.seats)
        yield (
            "Seats",
            f"A - B of 100 on seat 0 to {len(one.seats) - 1}: {numbers} (+-{half:.{places}f} each)",
        )
    articles = {"A": "an A", "B": "a B"}
    for letter, other, found in zip("AB", "BA", one.neighbours, strict=True):
        if found is not None:
            low, high = 100 * found.interval.low, 100 * found.interval.high
            places = decimals(100 * found.interval.half_width)
            shown = 100 * found.estimate
            after = f"right after {articles[other]} than after {articles[letter]}"
            ends = f"({signed(low, places)} to {signed(high, places)})"
            if low <= 0 <= high:
                said = f"nothing beyond chance for {letter} {after} {ends}"
            else:
                more = "more" if shown > 0 else "less"
                said = f"{letter} wins {abs(shown):.{places}f} of 100 {more} {after} {ends}"
            yield "Neighbours" if letter == "A" else "", said
    for head, games in (("Capped", one.capped), ("No winner", one.nobody)):
        if any(games):
            what = "nothing for anybody"
            if contest.kind == TABLES:
                what = "in no figure" if head == "Capped" else "nobody's wins"
            yield head, f"{games[0]:,} games of A, {games[1]:,} of B: {what}"


def _extremes(one: Comparison) -> Iterator[str]:
    """Yield the indices at which the arms part most, and a command that shows the first."""
    parts = []
    what = (("A", one.highest), ("B", one.lowest))
    for letter, found in what:
        if found:
            some = ", ".join(str(index) for index, _ in found[:SHOWN_INDICES])
            parts.append(f"for {letter} {some}")
    if not parts:
        return
    contest = one.contest
    lead = "" if contest.kind != TABLES else f" in {contest.description.lengths[0]}"
    units = contest.unit.many.capitalize()
    yield from wrapped("", f"{units} that part them most{lead}: {'; '.join(parts)}".split(" "), " ")
    index = (one.highest or one.lowest)[0][0]
    if one.saved_in:
        yield f"  simcards replay {quoted(one.saved_in)} --index {index}"
        return
    if one.of_folders:
        for name in contest.arms:
            yield f"  simcards replay {quoted(name)} --index {index}"
        return
    if any(not bot.path for bot in contest.bots):
        return  # functions given in Python can't be typed
    for table in _both_sides(contest):
        words = request_words(table.plan)
        yield f"  simcards replay {words} --seed {contest.seed} --index {index}"


def _both_sides(contest: Contest) -> Iterator[Table]:
    """Yield two tables that show how the arms part: with A and B on each other's seats."""
    one = contest.tables[0]
    yield one
    swapped = {0: 1, 1: 0}
    turned = tuple(swapped.get(arm, arm) for arm in one.arms)
    yield next((table for table in contest.tables[1:] if table.arms == turned), contest.tables[1])


def _methods(one: Comparison) -> Iterator[str]:
    methods = sorted({fig.difference.interval.method for fig in one.figures})
    if one.anytime and methods:
        yield from wrapped("", f"Intervals: {methods[0]}, valid at any stop.".split(" "), " ")
    elif methods and one.paired:
        yield "Intervals: paired by observation, normal, two observations added."
    elif methods:
        yield from wrapped("", f"Intervals: {'; '.join(methods)}.".split(" "), " ")
    if one.saved_in and one.keeps_rows:
        yield f"Its rows: simcards export {quoted(one.saved_in)} --to csv"
    yield from foot(one, "" if one.of_folders else "my-comparison", "")


def comparison_screen(one: Comparison) -> str:
    """Return the screen of a comparison."""
    contest = one.contest
    lines = [*title(contest), *setup(contest, one.of_folders), *size(one), ""]
    for text in filter(None, (decision(one), one.sentence)):
        lines += wrapped("", text.split(" "), " ")
    if not one.figures:
        lines.append("")
    if one.figures:
        lines += ["", *_table(one), ""]
        for head, text in notes(one):
            lines += wrapped(f"{head:<15}", text.split(" "), " ")
        if lines[-1]:
            lines.append("")
        lines += _extremes(one)
    lines += _methods(one)
    return "\n".join(line.rstrip() for line in lines) + "\n"
