"""What a person sees of a run: at most 80 columns, headlines first, next commands last."""

from __future__ import annotations

from collections.abc import Iterator

from ..sim.game import Game
from ..sim.options import changed, options, show
from ..sim.plan import Plan, differing
from ..sim.replay import Replay
from ..sim.strategies import default_name
from .intervals import Interval
from .summary import Summary, decimals, quoted, request_words

WIDTH = 80

STOPPED = {
    "precision": "stopped: every seat's share of the wins is known as well as asked",
    "time limit": "stopped by its time limit",
    "interrupt": "stopped by Ctrl-C",
    "terminate": "stopped by a request to terminate",
    "error": "stopped by an error",
    "damaged": "some of it isn't as it was written; resume plays that again",
    "": "its process died",
    "running": "another process is playing it now",
}


def percent(level: float) -> str:
    """Return a level as '95 %'."""
    return f"{100 * level:g} %"


def header(plan: Plan) -> Iterator[str]:
    """Yield the lines that say what is played."""
    game = plan.description
    players = plan.rules.players
    line = f"{game.name} ({game.title}), preset {plan.preset}, {players} player"
    yield line + ("s" if players != 1 else "")
    others = {name: value for name, value in differing(plan).items() if name != "players"}
    yield from wrapped("changed: ", [f"{name}={show(value)}" for name, value in others.items()])


def wrapped(head: str, words: list[str], sep: str = "  ") -> Iterator[str]:
    """Yield words in lines of at most 80 columns, indented under a head."""
    line = head
    for word in words:
        if len(line) > len(head) and len(line) + len(word) + len(sep) > WIDTH:
            yield line.rstrip()
            line = " " * len(head)
        line += word + sep
    if words:
        yield line.rstrip()


def _ends(interval: Interval | None, scale: float, places: int | None = None) -> str:
    if interval is None:
        return "no interval"
    if places is None:
        places = decimals(scale * interval.half_width)
    return f"{scale * interval.low:.{places}f} to {scale * interval.high:.{places}f}"


def _games_line(summary: Summary) -> str:
    done = f"{summary.completed:,}"
    if summary.completed != summary.n:
        done += f" of {summary.n:,}"
    line = f"{done} {summary.plan.unit.word(summary.n)}, seed {summary.plan.seed}"
    if summary.first:
        line += f", from index {summary.first}"
    return line


def _seat_table(summary: Summary) -> Iterator[str]:
    plan, game = summary.plan, summary.plan.description
    shared = any(seat.shared for seat in summary.seats)
    half = max(
        (100 * seat.interval.half_width for seat in summary.seats if seat.interval), default=0.1
    )
    places = max(2, decimals(half))
    share_width = places + 5
    won_width = (12 if shared else 17) - 2 * (places - 2)
    head = f"{plan.unit.many + ' won':>{won_width + 8}}"
    if shared:
        head += f"{'shared':>10}"
    yield f"{head}{'share':>{share_width + 1}}     {percent(summary.level)} interval      played by"
    for seat in summary.seats:
        note = game.seat_note(plan.rules, seat.seat)
        line = f"  seat {seat.seat}{seat.wins:>{won_width},}"
        if shared:
            line += f"{sum(seat.shared.values()):>10,}"
        if seat.win_rate is None:
            line += f"   {'no data':<{share_width + 22}}"
        else:
            line += f"{100 * seat.win_rate:>{share_width + 1}.{places}f} %"
            line += f"   {_ends(seat.interval, 100, places):<19}"
        player = f"{seat.strategy}{f' ({note})' if note else ''}"
        if len(line) + len(player) <= WIDTH:
            yield line + player
        else:
            yield line
            yield f"{player:>{WIDTH}}"
    gap = " " * (10 if shared else 0)

    def row(name: str, number: int, note: str) -> str:
        share = 100 * number / summary.completed if summary.completed else 0.0
        line = f"  {name:<7}{number:>{won_width - 1},}{gap}"
        return f"{line}{share:>{share_width + 1}.{places}f} %   {note}"

    if summary.nobody:
        yield row("nobody", summary.nobody, "finished without a winner")
    if summary.capped:
        locked = summary.events.get("locked", 0)
        note = game.capped_note(
            plan.rules, summary.capped, locked if isinstance(locked, int) else 0
        )
        yield row("capped", summary.capped, "counted apart, see below")
        yield ""
        yield from wrapped("  Capped: ", note.split(" "), " ")
    else:
        yield row("capped", 0, game.capped_note(plan.rules, 0, 0))


def _length_table(summary: Summary) -> Iterator[str]:
    if not summary.lengths:
        return
    yield ""
    unit = summary.plan.unit.one
    head = f"a {unit}"
    titles = f"{'mean':>11}{'sd':>9}{'least':>9}{'5 %':>7}{'median':>9}{'95 %':>7}{'most':>8}"
    yield f"  {head:<9}{titles}"
    rows = list(summary.lengths.items())
    for name in summary.plan.description.scores[:1]:
        rows += [
            (f"{name} {seat.seat}", seat.scores[name])
            for seat in summary.seats
            if name in seat.scores
        ]
    for name, one in rows:
        places = max(2, decimals(one.interval.half_width)) if one.interval else 2
        mean_width = 11 - max(0, len(name) - 9)
        yield (
            f"  {name:<9}{one.mean:>{mean_width},.{places}f}{one.sd:>9,.1f}{one.min:>9,}"
            f"{one.p5:>7,}{one.median:>9,}{one.p95:>7,}{one.max:>8,}"
        )


def _at_table(summary: Summary) -> Iterator[str]:
    """Yield how the game feels at the table."""
    found = summary.at_table
    if found is None:
        return
    units = summary.plan.unit.word(found.n)
    yield ""
    yield f"  {'at the table':<52}{percent(summary.level)} interval"
    for one in found.figures:
        scale = 100.0 if one.figure.rate else 1.0
        places = decimals(scale * one.interval.half_width) if one.interval else 2
        sign = " %" if one.figure.rate else "  "
        value = f"{scale * one.value:.{places}f}"
        yield f"  {one.label:<40}{value:>8}{sign}  {_ends(one.interval, scale, places)}"
    text = (
        f"{sure_words(found.sure_from)} Leading: {summary.plan.description.leads}. The first "
        f"{found.n:,} {units} told again; {found.seconds_per_turn:g} s a turn."
    )
    yield from wrapped("  ", text.split(" "), " ")


def sure_words(sure_from: float | None) -> str:
    """Return from when on the leader wins 80 of 100."""
    if sure_from is None:
        return "It can't be said from when on who leads wins 80 of 100."
    if sure_from >= 1:
        return "Who leads wins 80 of 100 only at the very end."
    return f"From {100 * sure_from:.0f} % of the turns on, who leads wins 80 of 100 or more."


def _foot(summary: Summary) -> Iterator[str]:
    plan = summary.plan
    units = plan.unit.many
    method = (
        "Shares: confidence sequences, valid at any stop. Else as for a fixed n."
        if summary.precision is not None
        else "Wilson intervals for shares, normal for means."
    )
    yield method
    if summary.threads and summary.games_per_s == 0 and summary.completed:
        yield "Nothing was left to play."
    elif summary.threads:
        yield (
            f"{summary.elapsed_s:.1f} s on {summary.threads} of {summary.usable_threads} threads, "
            f"{summary.games_per_s:,.0f} {units}/s without compiling."
        )
    again = request_words(plan)
    if summary.saved_in:
        if summary.status == "partial" and summary.stop_reason != "running":
            yield f"Go on: simcards resume {quoted(summary.saved_in)}"
        if summary.keeps_rows:
            yield f"Saved. Its rows: simcards export {quoted(summary.saved_in)} --to csv"
        else:
            yield "Saved, without rows."
        yield f"Watch one: simcards replay {quoted(summary.saved_in)} --index {summary.first}"
        yield f"A page about it: simcards report {quoted(summary.saved_in)}"
        yield f"All counts: simcards summary {quoted(summary.saved_in)} --json"
    else:
        if summary.completed:
            yield f"Not saved. Keep: {summary.command} --out my-{plan.game}"
        yield f"Watch one: simcards replay {again} --seed {plan.seed} --index {summary.first}"
        yield "All counts: the same with --json"


def run_screen(summary: Summary) -> str:
    """Return the screen of a run."""
    lines = list(header(summary.plan))
    games = _games_line(summary)
    title = f"{percent(summary.level)} interval"
    lines.append(f"{games:<60}{title}")
    if summary.status == "partial":
        lines.append(f"Partial: {STOPPED.get(summary.stop_reason, summary.stop_reason)}.")
    elif summary.stop_reason == "precision":
        lines.append(
            f"{STOPPED['precision'].capitalize()}, +-{100 * (summary.precision or 0):g} of 100."
        )
    elif summary.precision is not None:
        goal = summary.precision
        reached = all(one.interval and one.interval.half_width <= goal for one in summary.seats)
        lines.append(
            f"All {summary.n:,} were played: +-{100 * goal:g} of 100 "
            f"{'is reached' if reached else 'needs more'}."
        )
    lines.append("")
    if summary.completed == 0:
        lines.append("No data: not one chunk of games was finished.")
    for one in summary.headlines:
        scale = 100 if one.unit == "of 100" else 1
        lines.append(f"{one.question:<26} {one.answer:<32} {_ends(one.interval, scale)}")
    if summary.headlines:
        lines.append("")
    lines += _seat_table(summary)
    lines += _length_table(summary)
    lines += _at_table(summary)
    lines.append("")
    lines += _foot(summary)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def rule_sheet(plan: Plan, name: str, every: bool) -> str:
    """Return the printable rule sheet of a game, or of a house variant of it.

    Parameters
    ----------
    plan : Plan
        Whose rules stand in the sheet; those that differ from the defaults are marked.
    name : str
        Of the variant; '' for the game itself.
    every : bool
        Show all options and what each strategy does, not only the main ones.
    """
    game, rules = plan.description, plan.rules
    known = list(options(game.rules))
    players = next(option for option in known if option.name == "players")
    aliases = f"; also {', '.join(game.aliases)}" if game.aliases else ""
    low, _, high = players.values()[-1].partition("..")
    title = f"{game.name} ({game.title}{aliases})"
    extent = f"rules {game.rules_version}    {low} to {high} players"
    fits = len(title) + 4 + len(extent) <= WIDTH
    lines = [f"{title}    {extent}"] if fits else [title, extent]
    if name:
        lines.append(f"House variant: {name} (preset {plan.preset})")
    lines += wrapped("", game.aim.split(" "), " ")
    lines += wrapped("", [f"Counted in {plan.unit.many}."], " ")
    lines.append("")
    for head, text in game.sheet(rules):
        lines += wrapped(f"{head:<11}", text.split(" "), " ")
    lines.append("")
    marked = changed(rules, game.rules().resolved())
    shown = [one for one in known if every or one.main or one.name in marked]
    wide = max(16, *(len(option.name) + 1 for option in shown))
    lines.append(f"{'Option':<{wide + 1}} {'values, default first':<27}what it decides")
    for option in shown:
        takes = ", ".join(option.values())
        head = f"  {option.name:<{wide}}{takes:<27}"
        if len(takes) > 26:  # too wide for its column: what it decides goes below
            lines += wrapped(f"  {option.name:<{wide}}", takes.split(" "), " ")
            head = " " * (wide + 29)
        lines += wrapped(head, option.help.split(" "), " ")
        if option.name in marked:
            lines.append(f"    here: {option.name}={show(marked[option.name])}")
    hidden = len(known) - len(shown)
    if hidden:
        lines.append(f"  ... {hidden} more: simcards games {game.name} --all")
    lines.append("")
    presets = []
    for label, values in game.presets.items():
        words = " ".join(f"{key}={show(value)}" for key, value in values.items())
        presets.append(f"{label} ({words or 'the defaults'})")
    lines += wrapped("Presets    ", ", ".join(presets).split(" "), " ")
    for decision in game.decisions:
        words_ = []
        for strategy in decision.strategies:
            parameters = "".join(f":{one.name}={one.default}" for one in strategy.parameters)
            default = " (default)" if strategy.name == default_name(decision, rules) else ""
            words_.append(f"{strategy.name}{parameters}{default}")
        lines += wrapped(f"{decision.name:<11}", ", ".join(words_).split(" "), " ")
    if every:
        lines.append("")
        for decision in game.decisions:
            lines += wrapped(f"{decision.name}: ", decision.help.split(" "), " ")
            for strategy in decision.strategies:
                head = f"  {strategy.name:<12}"
                lines += wrapped(head, strategy.help.split(" "), " ")
                for parameter in strategy.parameters:
                    lines.append(
                        f"              {parameter.name}={parameter.default} "
                        f"({parameter.low}..{parameter.high}): {parameter.help}"
                    )
    lines.append("")
    for j, example in enumerate(game.examples):
        lines.append(f"{'Try  ' if j == 0 else '     '}{example}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def game_list(games: tuple[Game, ...]) -> str:
    """Return the list of games."""
    lines = [
        f"{game.name:<10} {game.title:<18} {'also ' + ', '.join(game.aliases)}" for game in games
    ]
    lines += ["", f"Rules and options of one: simcards games {games[0].name}"]
    return "\n".join(lines) + "\n"


def replay_screen(told: Replay) -> str:
    """Return a replayed game as a person reads it."""
    plan, game = told.plan, told.plan.description
    texts = [player.text for player in plan.players]
    who = f"{len(texts)} x {texts[0]}" if len(set(texts)) == 1 else ", ".join(texts)
    head = (
        f"{game.name}, preset {plan.preset}, rules {game.rules_version}, {who}, "
        f"seed {plan.seed}, {plan.unit.one} {told.index}"
    )
    lines = list(wrapped("", head.split(" "), " "))
    others = {name: value for name, value in differing(plan).items() if name != "players"}
    lines += wrapped("changed: ", [f"{name}={show(value)}" for name, value in others.items()])
    lines += wrapped("", game.replay_key.split(" "), " ")
    lines += ["", *told.lines()]
    end = told.events[-1]
    if end["event"] == "failed":
        return "\n".join(lines) + "\n"
    lengths = ", ".join(
        f"{end[name]:,} {name if end[name] != 1 else name.removesuffix('s')}"
        if name.endswith("s")
        else f"{name.replace('_', ' ')} {end[name]:,}"
        for name in game.lengths
    )
    winners = [str(seat) for seat in end["winners"]]
    if end["status"] == "capped":
        verdict = f"Nobody wins the {plan.unit.one}, which was capped"
    elif not winners:
        verdict = f"Nobody wins the {plan.unit.one}"
    elif len(winners) == 1:
        verdict = f"Seat {winners[0]} wins the {plan.unit.one}"
    else:
        verdict = f"Seats {' and '.join(winners)} share the {plan.unit.one}"
    return "\n".join([*lines, f"{verdict}: {lengths}."]) + "\n"
