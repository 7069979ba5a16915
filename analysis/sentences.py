"""The sentences a comparison ends in: it matters, too small to matter, can't tell yet."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from ..sim.contest import AGAINST, COMPANY, Contest
from .summary import decimals
from .verdict import MATTERS, TOO_SMALL, UNKNOWN, WORDS, more_words

if TYPE_CHECKING:
    from .comparison import Comparison
    from .effects import Compared


def company(contest: Contest) -> str:
    """Return who plays the seats that count for no arm."""
    table = contest.tables[0]
    seats = [seat for seat, arm in enumerate(table.arms) if arm == COMPANY]
    return table.plan.players[seats[0]].text


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
        what = f"A {a}{of}, B {b}"
    who = "A" if verdict.sign > 0 else "B"
    ahead = f"{who} is better" if main.name == "win" else f"{who} is higher in {main.label}"
    if verdict.word == MATTERS:
        return f"{ahead}, and it matters: {what}."
    if verdict.word == TOO_SMALL:
        return f"Too small to matter: {what}."
    told = f"{more_words(verdict, units)} would tell"
    if one.stop_reason in ("test", "precision"):
        told = "only a new run with a fixed --n and another seed can tell"
    elif one.anytime:
        told = f"more {units} would tell"
    if verdict.sign:
        return f"{ahead}, but can't tell yet whether it matters: {what}; {told}."
    return f"Can't tell yet: {what}; {told}."


def _change(one: Compared) -> str:
    """Return 'turns a deal +4.1', from A to B."""
    shown = -one.shown * one.difference.estimate
    places = decimals(one.shown * one.difference.interval.half_width)
    of = " of 100" if one.unit == "of 100" else ""
    return f"{one.label} {shown:+.{places}f}{of}"


def _sentence_of_tables(one: Comparison) -> str:
    groups = {word: [fig for fig in one.figures if fig.verdict.word == word] for word in WORDS}
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
