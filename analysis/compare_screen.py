"""What a person sees of a comparison: the verdict first, next commands last."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import TYPE_CHECKING

from ..sim.contest import AGAINST, COMPANY, SEATINGS, TABLES, Contest
from ..sim.options import show
from ..sim.plan import differing
from .screen import STOPPED, percent, wrapped
from .summary import decimals, quoted, request_words
from .verdict import MATTERS, TOO_SMALL, UNKNOWN, more_words

if TYPE_CHECKING:
    from .compare import Comparison
    from .effects import Compared

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


def company(contest: Contest) -> str:
    """Return who plays the seats that count for no arm."""
    table = contest.tables[0]
    seats = [seat for seat, arm in enumerate(table.arms) if arm == COMPANY]
    return table.plan.players[seats[0]].text


def setup(contest: Contest) -> Iterator[str]:
    """Yield the lines that say who meets whom."""
    a, b = contest.arms
    seats = contest.tables[0].plan.rules.players
    if contest.kind == SEATINGS:
        each = f"{seats // 2} x " if seats % 2 == 0 and seats > 2 else ""
        text = f"At one table: {each}{a} (A), {each}{b} (B), seed {contest.seed}"
    elif contest.kind == AGAINST:
        text = f"One seat among {company(contest)}: {a} (A) or {b} (B), seed {contest.seed}"
    else:
        seeds = list(dict.fromkeys(str(plan.seed) for plan in contest.plans))
        text = f"Two tables: {a} (A), {b} (B), seed {' and '.join(seeds)}"
    yield from wrapped("", text.split(" "), " ")
    if contest.kind == TABLES and len(contest.tables) == 2:
        who = [sorted({player.text for player in table.plan.players}) for table in contest.tables]
        if who[0] == who[1]:
            yield from wrapped("Played by ", ", ".join(who[0]).split(" "), " ")
    if not contest.same_deals:
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


def _sizes(one: Compared) -> tuple[str, str]:
    """Both arms of a figure, with as many decimals as its interval is worth."""
    places = decimals(one.shown * one.difference.interval.half_width)
    return f"{one.shown * one.a:.{places}f}", f"{one.shown * one.b:.{places}f}"


def decision(one: Comparison) -> str:
    """Return what a sequential test has decided; '' without one."""
    if one.tested is None or one.main is None:
        return ""
    test, tested, main = one.tested.test, one.tested, one.main
    of = " of 100" if main.unit == "of 100" else ""
    h0, h1 = (f"{main.shown * value:g}" for value in (test.h0, test.h1))
    if not tested.decision:
        return f"The test hasn't decided between a difference of {h0} and of {h1}{of}."
    chosen, other = (h1, h0) if tested.decision == "h1" else (h0, h1)
    units = one.contest.unit.word(one.completed)
    return (
        f"The test stopped after {one.completed:,} {units}: the difference (A - B) is more like "
        f"{chosen} than {other}{of}."
    )


def sentence(one: Comparison) -> str:
    """Return the sentence a comparison ends in: it matters, too small to matter, can't tell yet."""
    if one.identical:
        units = one.contest.unit.word(one.completed)
        return f"Identical: the same {one.completed:,} {units}, by the same rules and strategies."
    if not one.completed:
        return "No data: not one observation was finished."
    if not one.figures:
        return "No data: at one of the tables no game was finished."
    if one.main is None:
        return _sentence_of_tables(one)
    main, verdict = one.main, one.main.verdict
    a, b = _sizes(main)
    units = one.contest.unit.many
    if main.name == "win":
        among = f" among {company(one.contest)}" if one.contest.kind == AGAINST else ""
        what = f"A takes {a} of 100 first places{among}, B {b}"
    else:
        of = " of 100" if main.unit == "of 100" else ""
        what = f"{main.label}: A {a}{of}, B {b}"
    more = "more" if main.label != "first places" else "better"
    ahead = f"{'A' if verdict.sign > 0 else 'B'} is {'ahead' if more == 'more' else more}"
    if verdict.word == MATTERS:
        return f"{ahead}, and it matters: {what}."
    if verdict.word == TOO_SMALL:
        return f"Too small to matter: {what}."
    told = f"{more_words(verdict, units)} would tell"
    if verdict.sign:
        return f"{ahead}, but can't tell yet whether it matters: {what}; {told}."
    return f"Can't tell yet: {what}; {told}."


def _change(one: Compared) -> str:
    """Return 'turns a deal +4.1'."""
    shown = one.shown * one.difference.estimate
    places = decimals(one.shown * one.difference.interval.half_width)
    of = " of 100" if one.unit == "of 100" else ""
    return f"{one.label} {-shown:+.{places}f}{of}"


def _sentence_of_tables(one: Comparison) -> str:
    groups = {word: [fig for fig in one.figures if fig.verdict.word == word] for word in MARKS}
    number = len(one.figures)
    units = one.contest.unit.many
    if groups[MATTERS]:
        text = "It matters. From A to B: " + "; ".join(map(_change, groups[MATTERS])) + "."
        if groups[UNKNOWN]:
            names = ", ".join(fig.label for fig in groups[UNKNOWN])
            text += f" Can't tell yet: {names}; {_more(groups[UNKNOWN], units)}."
        return text
    if not groups[UNKNOWN]:
        return f"Too small to matter: that holds for all {number} figures."
    names = ", ".join(fig.label for fig in groups[UNKNOWN])
    return f"Can't tell yet: {names}; {_more(groups[UNKNOWN], units)} would tell."


def _more(unknown: list[Compared], units: str) -> str:
    """Return how many more observations the figure needs that needs most."""
    worst = max(unknown, key=lambda one: inf if one.verdict.more is None else one.verdict.more)
    return more_words(worst.verdict, units)


def _table(one: Comparison) -> Iterator[str]:
    marked = one.contest.kind == TABLES
    wide = max([17, *(len(fig.label) + 1 for fig in one.figures)])
    head = f"{percent(one.level)} interval"
    yield f"{'':<{wide + 2}}{'A':>9}{'B':>10}{'A - B':>9}    {head}"
    for fig in one.figures:
        places = decimals(fig.shown * fig.difference.interval.half_width)
        sign = " %" if fig.unit == "of 100" else "  "
        ends = [
            f"{fig.shown * end:+.{places}f}"
            for end in (fig.difference.interval.low, fig.difference.interval.high)
        ]
        line = (
            f"  {fig.label:<{wide}}{fig.shown * fig.a:>7.{places}f}{sign}"
            f"{fig.shown * fig.b:>8.{places}f}{sign}"
            f"{fig.shown * fig.difference.estimate:>+9.{places}f}    {ends[0]:>6} to {ends[1]:>6}"
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


def _notes(one: Comparison) -> Iterator[tuple[str, str]]:
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
            "estimates lean outwards",
        )
    if one.saved is not None:
        if one.saved >= 1.05:
            same = f"as narrow as from {one.saved:.1f} times as many games on separate deals"
        elif one.saved > 0.95:
            same = "about as narrow as from as many games on separate deals"
        else:
            same = f"wider than from separate deals, which would need {one.saved:.2f} times as many"
        yield "Same deals", same
    if one.could_see is not None and one.main is not None and not one.anytime:
        scale, of = one.main.shown, " of 100" if one.main.unit == "of 100" else ""
        least = scale * one.main.matters
        yield (
            "Could see",
            f"a difference of {scale * one.could_see:.2g}{of} four times out of five "
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
            places = decimals(100 * found.interval.half_width)
            shown = 100 * found.estimate
            ends = [f"{100 * end:+.{places}f}" for end in (found.interval.low, found.interval.high)]
            yield (
                "Neighbours" if letter == "A" else "",
                f"{letter} wins {abs(shown):.{places}f} of 100 {'more' if shown >= 0 else 'less'} "
                f"right after {articles[other]} than after {articles[letter]} "
                f"({' to '.join(ends)})",
            )
    if any(one.capped):
        what = "in no figure" if contest.kind == TABLES else "nothing for anybody"
        yield "Capped", f"{one.capped[0]:,} games of A, {one.capped[1]:,} of B: {what}"


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
    shown = contest.tables if contest.kind == TABLES else contest.tables[:1]
    for table in shown:
        words = request_words(table.plan)
        yield f"  simcards replay {words} --seed {contest.seed} --index {index}"


def _foot(one: Comparison) -> Iterator[str]:
    methods = sorted({fig.difference.interval.method for fig in one.figures})
    if one.anytime and methods:
        yield from wrapped("", f"Intervals: {methods[0]}, valid at any stop.".split(" "), " ")
    elif methods and one.paired:
        yield "Intervals: paired by observation, normal, two observations added."
    elif methods:
        yield from wrapped("", f"Intervals: {'; '.join(methods)}.".split(" "), " ")
    if one.threads and one.games_per_s:
        rate = one.games_per_s * len(one.contest.tables)
        yield (
            f"{one.elapsed_s:.1f} s on {one.threads} of {one.usable_threads} threads, "
            f"{rate:,.0f} games/s without compiling."
        )
    if one.saved_in:
        where = quoted(one.saved_in)
        if one.status == "partial" and one.stop_reason != "running":
            yield f"Go on: simcards resume {where}"
        if one.keeps_rows:
            yield f"Saved. Its rows: simcards export {where} --to csv"
        else:
            yield "Saved, without rows."
        yield f"All figures: simcards summary {where} --json"
    elif one.of_folders:
        yield "All figures: the same with --json"
    else:
        yield f"Not saved. Keep: {one.command} --out my-comparison"
        yield "All figures: the same with --json"


def comparison_screen(one: Comparison) -> str:
    """Return the screen of a comparison."""
    contest = one.contest
    lines = [*title(contest), *setup(contest), *size(one), ""]
    for text in filter(None, (decision(one), sentence(one))):
        lines += wrapped("", text.split(" "), " ")
    if not one.figures:
        lines.append("")
    if one.figures:
        lines += ["", *_table(one), ""]
        for head, text in _notes(one):
            lines += wrapped(f"{head:<15}", text.split(" "), " ")
        lines += ["", *_extremes(one)] if one.paired else [""] * bool(list(_notes(one)))
    lines += _foot(one)
    return "\n".join(line.rstrip() for line in lines) + "\n"
