"""The command line: parses, calls, prints. Names no game and has no logic of its own."""

from __future__ import annotations

import json
import os
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import click
from click.core import ParameterSource

from . import __version__
from .sim.errors import Interrupted, RequestError, SimcardsError, StrategyError

if TYPE_CHECKING:
    from .analysis.compare import ComparisonResult
    from .analysis.results import Result
    from .analysis.sweep import SweepResult
    from .analysis.tournament import TournamentResult
    from .sim.contest import Contest
    from .sim.game import Game
    from .sim.plan import Plan

    AnyResult = Result | ComparisonResult | SweepResult | TournamentResult

SECONDS_BETWEEN_WORDS = 5.0
SECTIONS = {
    "Play": ("run", "resume", "replay"),
    "Compare": ("compare", "sweep", "tournament"),
    "Look": ("games", "summary", "report", "export"),
    "Write": ("new-strategy", "check-strategy"),
    "Housekeeping": ("verify", "bench", "warmup", "cache"),
}
OF_SAVED_PAIRS = "--n --matters --level --threads --time-limit --json --quiet".split()
"""What can be asked when two saved runs are compared: they say all else."""
SAID_BY_SWEEP_FILES = "--game --players --preset --rules --rule --strategy --vary".split()
EXAMPLES = """\b
Examples:
  simcards run --game aces --n 1e6
  simcards compare --game thirteen --a control --b structure
  simcards replay --game aces --seed 7 --index 3
"""


def fitted(text: str, encoding: str | None) -> str:
    """Return text with the signs that an encoding lacks, and only those, put in plain letters."""
    code = encoding or "ascii"

    def has(sign: str) -> bool:
        try:
            sign.encode(code)
        except UnicodeEncodeError:
            return False
        return True

    def plain(sign: str) -> str:
        parts = unicodedata.normalize("NFKD", {"\u0111": "d", "\u0110": "D"}.get(sign, sign))
        kept = "".join(part for part in parts if not unicodedata.combining(part))
        return kept.encode("ascii", "replace").decode()

    if has(text):
        return text
    return text.translate({ord(sign): plain(sign) for sign in set(text) if not has(sign)})


def write(text: str, file: TextIO | None = None) -> None:
    """Write text; data goes to standard output."""
    stream = file or sys.stdout
    try:
        stream.write(fitted(text, stream.encoding))
        stream.flush()
    except BrokenPipeError:
        reader_gone()


def reader_gone() -> NoReturn:
    """Leave quietly: a reader that goes away early, as `head` does, is no error."""
    drop_output()
    sys.exit(0)


def drop_output() -> None:
    """Send what is still to be written nowhere, or Python complains when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def talk(text: str) -> None:
    """Say something that is no data."""
    write(text + "\n", sys.stderr)


class SectionedGroup(click.Group):
    """A group whose help lists its commands by what they are for."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections."""
        for section, names in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl(
                    [(name, self.commands[name].get_short_help_str(64)) for name in names]
                )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command, or say which one may be meant."""
        from .sim.errors import did_you_mean

        if args and args[0] not in self.commands and not args[0].startswith("-"):
            near = did_you_mean(args[0], self.commands)
            hint = f"Did you mean {near}? " if near else ""
            raise RequestError(
                f"there is no command '{args[0]}'.\n  {hint}There are: {', '.join(self.commands)}."
            )
        return super().resolve_command(ctx, args)


def options(*wanted: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Put several option decorators into one."""

    def decorate(function: Any) -> Any:
        for one in reversed(wanted):
            function = one(function)
        return function

    return decorate


SEED = click.option("--seed", metavar="S", help="0 .. 2^64-1; drawn and shown if left out.")
SEED_OF_RUN = click.option("--seed", metavar="S", help="Of the run, as its screen shows it.")
RULES_PLAYED = options(
    click.option("--game", "game_option", metavar="GAME", help="Which game; see: simcards games."),
    click.option("--players", metavar="K", help="Short for --rule players=K."),
    click.option("--preset", metavar="NAME", help="A named set of rules."),
    click.option("--rules", "rules_file", metavar="FILE", help="House rules in a TOML file."),
    click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE", help="Change a rule."),
)
WHAT_IS_PLAYED = options(
    RULES_PLAYED,
    click.option(
        "--strategy",
        "strategies",
        multiple=True,
        metavar="NAME|SEAT=NAME",
        help="Who plays, everywhere or on a seat: a name, or FILE.py:FUNCTION.",
    ),
)
HOW_IT_RUNS = options(
    click.option("--threads", metavar="T", help="Default: all the process may use."),
    click.option("--time-limit", metavar="SECONDS", help="Stop after this long."),
    click.option(
        "--scheduler",
        "executor",
        metavar="ADDRESS",
        help="Play on a Dask cluster: tcp://.., or local.",
    ),
    click.option("--json", "as_json", is_flag=True, help="One JSON object instead of the screen."),
    click.option("--quiet", "-q", is_flag=True, help="No progress."),
)


def typed() -> Iterator[str]:
    """Yield the options that stand on the command line, also those that say what is so anyway."""
    context = click.get_current_context()
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if isinstance(parameter, click.Option) and source is ParameterSource.COMMANDLINE:
            yield max(parameter.opts, key=len)


EXTENT = options(
    click.option("--first", default="0", metavar="I", help="Index of the first game."),
    click.option("--out", metavar="DIR", help="Keep what comes out in a folder."),
    click.option("--overwrite", is_flag=True, help="Replace what lies in DIR."),
    click.option("--level", default="0.95", metavar="L", help="Level of the intervals."),
    click.option("--chunk-size", "chunk", metavar="C", help="Games played and kept together."),
)
HOW = ("n", "first", "threads", "level", "time_limit", "executor", "chunk", "out", "overwrite")
"""Names of what says how something is played, as the functions of analysis/ take them."""


def how_of(given: dict[str, Any]) -> dict[str, Any]:
    """Take what says how something is played out of a command's options."""
    return {name: given.pop(name) for name in HOW}


def check_needs(how: dict[str, Any], no_rows: bool = False, **files: str | None) -> None:
    """Refuse what only makes sense where something is written.

    Parameters
    ----------
    how : dict
        As `how_of` returns it.
    no_rows : bool
        Whether rows are not to be kept.
    **files : str or None
        By option the file that is written besides, if any.
    """
    if how["out"] is not None:
        return
    if no_rows:
        raise RequestError("--rows none needs --out DIR.")
    if how["overwrite"] and not any(files.values()):
        places = ["--out DIR", *(f"--{option} FILE" for option in files)]
        raise RequestError(f"--overwrite needs {' or '.join(places)}.")


AT_TABLE = options(
    click.option("--at-table", is_flag=True, help="How it feels: minutes, waiting, leads."),
    click.option("--seconds-per-turn", metavar="S", help="With --at-table. Default: 10."),
)


def read_pairs(words: Iterable[str], said: str) -> dict[str, str]:
    """Read NAME=VALUE words; the same name with two values is refused."""
    pairs: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name:
            raise RequestError(f"{said} {word}: write NAME=VALUE, such as {said} shrink=2.")
        if pairs.get(name, value.strip()) != value.strip():
            raise RequestError(f"{said} {word}: {name} already got '{pairs[name]}'.")
        pairs[name] = value.strip()
    return pairs


def request_of(
    game: str | None,
    game_option: str | None,
    players: str | None,
    preset: str | None,
    rules_file: str | None,
    rules: tuple[str, ...],
    strategies: tuple[str, ...],
    seed: str | None,
) -> dict[str, Any]:
    """Return what a command line asks for, as `make_plan` takes it."""
    from .sim.games import find_game, games
    from .sim.rulesfile import RulesFile, read_rules_file
    from .sim.strategies import split_seats

    house = read_rules_file(rules_file) if rules_file else RulesFile()
    named = {find_game(word).name for word in (game, game_option, house.game) if word}
    if not named:
        raise RequestError(f"name a game: --game {games()[0]}. There are: {', '.join(games())}.")
    if len(named) > 1:
        raise RequestError(f"two different games are named: {', '.join(sorted(named))}.")
    if preset and house.preset and preset != house.preset:
        raise RequestError(f"--preset {preset}, but {rules_file} says preset {house.preset}.")
    seats = split_seats(strategies, "--strategy")
    everywhere = seats.pop(None, None)
    return {
        "game": named.pop(),
        "players": players,
        "rules": read_pairs(rules, "--rule"),
        "file_rules": house.rules,
        "preset": preset or house.preset,
        "strategies": {seat: text for seat, text in seats.items() if seat is not None},
        "everywhere": everywhere,
        "seed": seed,
    }


def plan_of(*words: Any, **asked: Any) -> Plan:
    """Return the plan that a command line asks for."""
    from .sim.plan import make_plan

    return make_plan(**request_of(*words, **asked))


def on_compile(game: Game, quiet: bool) -> Callable[[], None]:
    """Return what is called before a kernel is compiled."""

    def say() -> None:
        from .kernels.jit import cache_folder, cache_root

        if quiet:
            return
        once = f"compiling {game.name}, once: about {game.compile_seconds} s"
        if cache_folder() is None:
            once = once.replace("once", "at every start")
            once += f"; nothing can be kept in {cache_root()} (SIMCARDS_CACHE_DIR names another)"
        talk(once)

    return say


def telling(quiet: bool) -> Callable[[str], None] | None:
    """Return what says how far the telling of games is, now and then."""
    last = 0.0

    def say(text: str) -> None:
        nonlocal last
        now = time.monotonic()
        if not last or now - last >= SECONDS_BETWEEN_WORDS:
            last = now
            talk(text)

    return None if quiet else say


def show_result(
    plan: Plan | Contest,
    play: Callable[[Any], AnyResult],
    as_json: bool,
    quiet: bool,
    after: Callable[[Any], None] | None = None,
) -> None:
    """Play with a progress line, then print what came of it, also after a stop.

    `after` gets the result once it is printed, unless it was stopped.
    """
    from .analysis.progress import terminal_progress

    stopped: Interrupted | None = None
    with terminal_progress(plan, sys.stderr, quiet) as report:
        try:
            result = play(report)
        except Interrupted as error:
            stopped, result = error, error.result
    if result is not None:  # nothing was begun yet
        print_result(result, as_json)
    if stopped:
        raise stopped
    if after:
        after(result)


def print_result(result: AnyResult, as_json: bool) -> None:
    """Print a result's screen or its JSON."""
    if as_json:
        write(json.dumps(result.summary.to_json(), allow_nan=False) + "\n")
    else:
        write(str(result))


@click.group(
    cls=SectionedGroup,
    epilog="Start with: simcards games. Every command has --help.",
    help=f"""Plays millions of card games and tells what they mean.

{EXAMPLES}""",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
@click.version_option(__version__, prog_name="simcards", message="%(prog)s %(version)s")
def cli() -> None:
    """Plays millions of card games and tells what they mean."""


@cli.command()
@click.argument("game", required=False)
@WHAT_IS_PLAYED
@SEED
@click.option("-n", "--n", "n", metavar="N", help="How many games, such as 1e6. Default: 1e5.")
@click.option(
    "--rows",
    type=click.Choice(["kept", "none"]),
    default="kept",
    help="With --out: keep the rows, or only the counts.",
)
@click.option("--precision", metavar="H", help="Stop when win shares are known to +-H (of 1).")
@AT_TABLE
@EXTENT
@HOW_IT_RUNS
def run(
    rows: str,
    precision: str | None,
    at_table: bool,
    seconds_per_turn: str | None,
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> None:
    """Play many games and sum them up."""
    from .analysis.results import run_plan

    how = how_of(asked)
    check_needs(how, rows == "none")
    plan = plan_of(**asked)
    show_result(
        plan,
        lambda report: run_plan(
            plan,
            precision=precision,
            keep_rows_in_out=rows == "kept",
            at_table=at_table,
            seconds_per_turn=seconds_per_turn,
            on_told=telling(quiet),
            **how,
            on_progress=report,
            on_compile=on_compile(plan.description, quiet),
        ),
        as_json,
        quiet,
    )


@cli.command()
@click.argument("folder", metavar="DIR")
@click.option("-n", "--n", "n", metavar="N", help="Go on to this many games; may only grow.")
@HOW_IT_RUNS
def resume(
    folder: str,
    n: str | None,
    threads: str | None,
    time_limit: str | None,
    executor: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Go on with what was stopped, or make it longer."""
    from .analysis.saved import resume as go_on
    from .sim.manifest import read_manifest

    plan = read_manifest(Path(folder)).plan
    if plan.bots and not quiet:
        talk(f"strategies are played as they are kept in {folder}")
    show_result(
        plan,
        lambda report: go_on(
            folder,
            n,
            threads=threads,
            time_limit=time_limit,
            executor=executor,
            on_progress=report,
            on_compile=on_compile(plan.description, quiet),
        ),
        as_json,
        quiet,
    )


@cli.command()
@click.argument("what", metavar="[GAME|DIR]", required=False)
@WHAT_IS_PLAYED
@SEED_OF_RUN
@click.option("--index", required=True, metavar="I|A..B", help="Which game, or games A to B.")
@click.option("--json", "as_json", is_flag=True, help="One event a line, as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="Don't say that it compiles.")
def replay(what: str | None, index: str, as_json: bool, quiet: bool, **asked: Any) -> None:
    """Play single games again and tell what happens."""
    from .analysis.screen import replay_screen
    from .sim.contest import plans_of
    from .sim.manifest import read_manifest
    from .sim.numbers import index_range

    first, last = index_range(index)
    if what and Path(what).is_dir() and not _is_game(what):
        for option in (one for one in typed() if one not in ("--index", "--json", "--quiet")):
            raise RequestError(f"{option}: {what} is a saved run, which says what is played.")
        manifest = read_manifest(Path(what))
        plans = plans_of(manifest.plan)
        if manifest.plan.bots and not quiet:
            talk(f"strategies are played as they are kept in {what}")
        if not manifest.first <= first <= last < manifest.first + manifest.n:
            raise RequestError(
                f"--index {index}: the run has indices {manifest.first} to "
                f"{manifest.first + manifest.n - 1}."
            )
    else:
        if asked["seed"] is None:
            raise RequestError("a replay needs the --seed of its run.")
        plans = (plan_of(what, **asked),)
    from .sim.chunk import prepare_plan
    from .sim.replay import replay_game
    from .sim.signals import interruptible

    for plan in plans:
        prepare_plan(plan, on_compile(plan.description, quiet))
    told_before = False
    for number, plan in ((number, plan) for number in range(first, last + 1) for plan in plans):
        failed: StrategyError | None = None
        try:
            told = interruptible(partial(replay_game, plan, number))
        except StrategyError as error:
            failed, told = error, error.told
        if as_json:
            write("".join(json.dumps(event, allow_nan=False) + "\n" for event in told.events))
        else:
            write(("\n" if told_before else "") + replay_screen(told))
        told_before = True
        if failed:
            raise failed


def _is_game(word: str) -> bool:
    from .sim.games import find_game

    try:
        find_game(word)
    except RequestError:
        return False
    return True


@cli.command()
@click.argument("words", metavar="[GAME] | DIR1 DIR2", nargs=-1)
@WHAT_IS_PLAYED
@click.option("--a", "a", multiple=True, metavar="STRATEGY|KEY=VALUE", help="One arm; repeatable.")
@click.option("--b", "b", multiple=True, metavar="STRATEGY|KEY=VALUE", help="The other arm.")
@click.option("--against", metavar="STRATEGY", help="Each arm on one seat, this on the others.")
@SEED
@click.option("-n", "--n", "n", metavar="N", help="How many deals or matches. Default: 20,000.")
@click.option(
    "--matters", multiple=True, metavar="H|FIGURE=H", help="Least difference that matters: 0.01."
)
@click.option("--unit", metavar="FIGURE", help="What decides: win (default), points, ...")
@click.option("--precision", metavar="H", help="Stop when the difference is known to +-H.")
@click.option("--sprt", metavar="H0..H1", help="Stop when one of two differences is clear.")
@click.option("--alpha", metavar="P", help="With --sprt: error rate for H1. Default: 0.05.")
@click.option("--beta", metavar="P", help="With --sprt: error rate for H0. Default: 0.05.")
@click.option("--minimum", metavar="N", help="With --sprt: never stop before. Default: 500.")
@click.option("--rows", type=click.Choice(["kept", "none"]), default="kept", help="With --out.")
@EXTENT
@HOW_IT_RUNS
def compare(
    words: tuple[str, ...],
    a: tuple[str, ...],
    b: tuple[str, ...],
    against: str | None,
    matters: tuple[str, ...],
    unit: str | None,
    precision: str | None,
    sprt: str | None,
    alpha: str | None,
    beta: str | None,
    minimum: str | None,
    rows: str,
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> None:
    """Compare strategies, rules, or two saved runs."""
    from .analysis.arms import Base, make_comparison
    from .analysis.compare import compare_base

    how = how_of(asked)
    if len(words) == 1 and Path(words[0]).is_dir() and not _is_game(words[0]):
        raise RequestError(
            f"{words[0]} is one folder: to compare saved runs name two, such as "
            f"simcards compare {words[0]} DIR2."
        )
    if len(words) > 1:
        if len(words) > 2:
            raise RequestError(f"{len(words)} folders: two can be compared.")
        for option in (one for one in typed() if one not in OF_SAVED_PAIRS):
            raise RequestError(f"{option}: {' and '.join(words)} say what is compared.")
        from .analysis.compare_saved import open_pair
        from .analysis.playing import settle

        pair = open_pair(
            Path(words[0]), Path(words[1]), n=how["n"], matters=matters or None, level=how["level"]
        )
        # Also what isn't needed, because nothing is played, must make sense.
        settle(pair.contest, default_n=1, **how)
        if pair.again and not quiet:
            talk(pair.again)
        show_result(
            pair.contest,
            lambda report: pair.compare(
                on_progress=report,
                on_compile=on_compile(pair.contest.description, quiet),
            ),
            as_json,
            quiet,
        )
        return
    check_needs(how, rows == "none")
    if not a or not b:
        raise RequestError(
            "name both arms, such as --a control --b structure, or --a lockout=on --b lockout=off."
        )
    base = Base(**request_of(words[0] if words else None, **asked))
    contest = make_comparison(base, a, b, against)
    base = replace(base, seed=contest.seed)
    show_result(
        contest,
        lambda report: compare_base(
            base,
            a,
            b,
            contest=contest,
            against=against,
            matters=matters or None,
            unit=unit,
            precision=precision,
            sprt=sprt,
            alpha=alpha,
            beta=beta,
            minimum=minimum,
            keeps_rows=rows == "kept",
            **how,
            on_progress=report,
            on_compile=on_compile(contest.description, quiet),
        ),
        as_json,
        quiet,
    )


@cli.command()
@click.argument("word", metavar="[GAME|FILE.toml]", required=False)
@WHAT_IS_PLAYED
@click.option(
    "--vary", multiple=True, metavar="NAME=V,V", help="An option's values; the base's first."
)
@SEED
@click.option("-n", "--n", "n", metavar="N", help="How many games in each cell. Default: 1e5.")
@click.option(
    "--figures", metavar="A,B", help="Which figures; else the game's lengths and headlines."
)
@click.option(
    "--matters", multiple=True, metavar="H|FIGURE=H", help="Least difference that matters."
)
@click.option("--target", multiple=True, metavar="FIGURE=V", help="Sort cells by nearness to this.")
@click.option(
    "--table", "table_file", metavar="FILE", help="Write the table: FILE.csv or .parquet."
)
@AT_TABLE
@EXTENT
@HOW_IT_RUNS
def sweep(
    word: str | None,
    vary: tuple[str, ...],
    figures: str | None,
    matters: tuple[str, ...],
    target: tuple[str, ...],
    table_file: str | None,
    at_table: bool,
    seconds_per_turn: str | None,
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> None:
    """Play variants of the rules on the same deals."""
    from .analysis.arms import Base
    from .analysis.cells import make_sweep, read_vary, sweep_of_file
    from .analysis.files import check_file
    from .analysis.sweep import play_sweep
    from .analysis.sweep_table import FORMATS, write_table

    how = how_of(asked)
    check_needs(how, table=table_file)
    table = None
    if table_file is not None:
        table = check_file("--table", table_file, FORMATS, overwrite=how["overwrite"])
        if how["out"] is not None and table.absolute() == Path(how["out"]).absolute():
            raise RequestError(f"--table {table_file}: --out names the same place.")
    file = word if word and word.endswith(".toml") else None
    if file is None:
        base = Base(**request_of(word, **asked))
        cells = read_vary(vary)
    else:
        for option in (one for one in typed() if one in SAID_BY_SWEEP_FILES):
            raise RequestError(f"{option}: {file} says what is swept.")
        base, cells = sweep_of_file(Path(file), asked["seed"])
    contest = make_sweep(base, cells)

    def play(report: Any) -> SweepResult:
        return play_sweep(
            base,
            cells,
            contest=contest,
            file=file,
            figures=figures,
            matters=matters or None,
            targets=target or None,
            at_table=at_table,
            seconds_per_turn=seconds_per_turn,
            on_told=telling(quiet),
            **how,
            on_progress=report,
            on_compile=on_compile(contest.description, quiet),
        )

    def write_file(result: SweepResult) -> None:
        if table:
            write_table(result.table, table)

    show_result(contest, play, as_json, quiet, write_file)


@cli.command()
@click.argument("game", required=False)
@RULES_PLAYED
@click.option("--strategy", "strategies", multiple=True, hidden=True)  # so that it says: no
@click.option("--strategies", "names", metavar="A,B,C", help="Who takes part.")
@click.option("--gauntlet", is_flag=True, help="The first one meets each of the others.")
@click.option("--mixed", is_flag=True, help="As many strategies at a table as seats, not two.")
@SEED
@click.option("-n", "--n", "n", metavar="N", help="How many deals or matches. Default: 2,000.")
@click.option("--plot", metavar="FILE", help="Draw who beats whom: FILE.svg, .png or .pdf.")
@EXTENT
@HOW_IT_RUNS
def tournament(
    names: str | None,
    gauntlet: bool,
    mixed: bool,
    plot: str | None,
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> None:
    """Let strategies meet on the same deals; rate them."""
    from .analysis.arms import Base, make_tournament
    from .analysis.files import PICTURES, check_file
    from .analysis.tournament import play_tournament

    how = how_of(asked)
    check_needs(how, plot=plot)
    if not names:
        raise RequestError("name who takes part: --strategies lowest,shed,control.")
    picture = (
        None if plot is None else check_file("--plot", plot, PICTURES, overwrite=how["overwrite"])
    )
    base = Base(**request_of(asked.pop("game"), **asked))
    strategies = [name.strip() for name in names.split(",") if name.strip()]
    contest = make_tournament(base, strategies, gauntlet=gauntlet, mixed=mixed)

    def play(report: Any) -> TournamentResult:
        return play_tournament(
            base,
            strategies,
            contest=contest,
            gauntlet=gauntlet,
            mixed=mixed,
            **how,
            on_progress=report,
            on_compile=on_compile(contest.description, quiet),
        )

    def draw(result: TournamentResult) -> None:
        if picture:
            from .analysis.plots import write_plot

            write_plot(result.plot.heat_map(), picture)

    show_result(contest, play, as_json, quiet, draw)


@cli.command()
@click.argument("game", required=False)
@click.option("--rules", "rules_file", metavar="FILE", help="The sheet of house rules in a file.")
@click.option("--preset", metavar="NAME", help="The sheet of a preset.")
@click.option("--all", "every", is_flag=True, help="Every option and strategy.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def games(
    game: str | None, rules_file: str | None, preset: str | None, every: bool, as_json: bool
) -> None:
    """The games; the rule sheet, options and strategies of one."""
    from .analysis.catalogue import describe
    from .analysis.screen import game_list, rule_sheet
    from .sim.games import GAMES
    from .sim.rulesfile import RulesFile, read_rules_file

    house = read_rules_file(rules_file) if rules_file else RulesFile()
    if game is None and not house.game:
        if as_json:
            entries = [
                {"name": one.name, "aliases": list(one.aliases), "title": one.title}
                for one in GAMES
            ]
            write(json.dumps(entries) + "\n")
        else:
            write(game_list(GAMES))
        return
    plan = plan_of(game, None, None, preset, rules_file, (), (), "0")
    if as_json:
        write(json.dumps(describe(plan.description)) + "\n")
        return
    write(rule_sheet(plan, house.name, every))


@cli.command()
@click.argument("folder", metavar="DIR")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of the screen.")
@click.option("--methods", "as_methods", is_flag=True, help="A methods paragraph and BibTeX.")
@AT_TABLE
def summary(
    folder: str, as_json: bool, as_methods: bool, at_table: bool, seconds_per_turn: str | None
) -> None:
    """Show what was saved, of any kind."""
    from .analysis.at_table import check
    from .analysis.methods import methods
    from .analysis.saved import load, with_table
    from .sim.manifest import read_manifest

    if as_methods and (as_json or at_table):
        raise RequestError(f"--methods and {'--json' if as_json else '--at-table'}: choose one.")
    check(at_table, seconds_per_turn)
    found = load(folder)
    if as_methods:
        one = found.summary
        write(methods(read_manifest(Path(folder)), one.completed, one.command))
    else:
        stopped: Interrupted | None = None
        try:
            found = with_table(found, seconds_per_turn, telling(False)) if at_table else found
        except Interrupted as error:
            stopped = error
        print_result(found, as_json)
        if stopped:
            raise stopped


@cli.command()
@click.argument("folder", metavar="DIR")
@click.option("-o", "--output", "target", metavar="FILE", help="Default: DIR/report.html.")
@click.option("--format", "form", metavar="html|md", help="Default: html, or as FILE ends.")
@click.option("--overwrite", is_flag=True, help="Replace FILE, and its data beside it.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
def report(folder: str, target: str | None, form: str | None, overwrite: bool, quiet: bool) -> None:
    """Write a page about what was saved."""
    from .analysis.report.write import report as write_report

    page = write_report(folder, target, form=form, overwrite=overwrite, on_told=telling(quiet))
    write(f"{page}\n")


@cli.command()
@click.argument("folder", metavar="DIR")
@click.option("--to", "form", required=True, metavar="csv|parquet", help="The form.")
@click.argument("target", metavar="[FILE|-]", default="-")
@click.option("--overwrite", is_flag=True, help="Replace FILE.")
def export(folder: str, form: str, target: str, overwrite: bool) -> None:
    """Write the rows of a saved run as CSV or Parquet."""
    from .sim.export import export as write_rows

    if target == "-" and form == "parquet" and sys.stdout.isatty():
        raise RequestError("Parquet is not for the screen; name a FILE.")
    try:
        rows = write_rows(Path(folder), form, target, overwrite=overwrite)
        sys.stdout.flush()
    except BrokenPipeError:
        reader_gone()
    if target != "-":
        talk(f"{rows:,} rows in {target}")


@cli.command()
@click.argument("what", metavar="[GAME|DIR]", required=False)
@SEED
@click.option("--again", metavar="K", help="Of DIR: chunks to play again. Default: 3.")
@click.option("--quiet", "-q", is_flag=True, help="Don't say that it compiles.")
def verify(what: str | None, seed: str | None, again: str | None, quiet: bool) -> None:
    """Check a game, or a saved run, against what is known."""
    from .analysis.verify import check_head, check_line, checks, verdict, verify_folder
    from .sim.chunk import prepare_kernel
    from .sim.games import GAMES, find_game
    from .sim.numbers import seed_number
    from .sim.plan import draw_seed

    if what and Path(what).is_dir() and not _is_game(what):
        for line in verify_folder(Path(what), again):
            write(line + "\n")
        return
    if again is not None:
        raise RequestError("--again is for saved runs: name a folder.")
    number = draw_seed() if seed is None else seed_number(seed)
    failed = False
    for game in (find_game(what),) if what else GAMES:
        prepare_kernel(game, on_compile(game, quiet))
        write(f"{game.name}, seed {number}\n{check_head()}\n")
        found = []
        for check in checks(game.name, seed=number):
            found.append(check)
            write(check_line(check) + "\n")
        write(f"\n{verdict(found)}\n")
        failed = failed or not all(check.passed for check in found)
    if failed:
        sys.exit(1)


@cli.command("new-strategy")
@click.argument("target", metavar="FILE.py")
@click.option("--game", required=True, metavar="GAME", help="Which game it is for.")
@click.option("--overwrite", is_flag=True, help="Replace FILE.py.")
def new_strategy(target: str, game: str, overwrite: bool) -> None:
    """Write a strategy of your own to start from."""
    from .sim.sources import new_file

    write(new_file(Path(target), game, overwrite=overwrite))


@cli.command("check-strategy")
@click.argument("strategy", metavar="FILE.py[:FUNCTION]")
@click.option("--game", required=True, metavar="GAME", help="Which game it is for.")
@click.option("--players", metavar="K", help="Short for --rule players=K.")
@click.option("--preset", metavar="NAME", help="A named set of rules.")
@click.option("--rule", "rules", multiple=True, metavar="NAME=VALUE", help="Change a rule.")
@SEED
@click.option("--quiet", "-q", is_flag=True, help="Don't say that it compiles.")
def check_strategy(
    strategy: str,
    game: str,
    players: str | None,
    preset: str | None,
    rules: tuple[str, ...],
    seed: str | None,
    quiet: bool,
) -> None:
    """Play 10,000 games with a strategy of your own."""
    from .analysis.check import check_strategy as check
    from .analysis.check import checked_lines
    from .sim.games import find_game
    from .sim.signals import interruptible

    checked = interruptible(
        partial(
            check,
            strategy,
            game,
            players=players,
            rules=read_pairs(rules, "--rule"),
            preset=preset,
            seed=seed,
            on_compile=on_compile(find_game(game), quiet),
        )
    )
    write("\n".join(checked_lines(checked)) + "\n")
    if not checked.passed:
        sys.exit(1)


@cli.command()
@click.argument("game", required=False)
@click.option("-n", "--n", "n", metavar="N", help="Games in a repetition. Default: by the clock.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of the screen.")
@click.option("--quiet", "-q", is_flag=True, help="Don't say that it compiles.")
def bench(game: str | None, n: str | None, as_json: bool, quiet: bool) -> None:
    """Measure how many games a second are played here."""
    from .analysis.bench import Measured, bench_foot, bench_head, bench_json, bench_line
    from .analysis.bench import bench as measure

    found: list[Measured] = []
    for one in measure(game, n, lambda game: on_compile(game, quiet)):
        if not as_json:
            write(f"{bench_line(one)}\n" if found else f"{bench_head()}\n{bench_line(one)}\n")
        found.append(one)
    if as_json:
        write(json.dumps(bench_json(found), allow_nan=False) + "\n")
    else:
        write("\n" + "\n".join(bench_foot(found)) + "\n")


@cli.command()
@click.argument("game", required=False)
def warmup(game: str | None) -> None:
    """Compile the kernels now, for a quick start later."""
    from .sim.chunk import prepare_kernel
    from .sim.games import GAMES, find_game

    for one in (find_game(game),) if game else GAMES:
        seconds = prepare_kernel(one, on_compile(one, False))
        talk(f"{one.name}: {f'compiled in {seconds:.1f} s' if seconds else 'ready'}")


@cli.group()
def cache() -> None:
    """Where compiled kernels are kept."""


@cache.command("info")
def cache_info() -> None:
    """Show the folders of compiled kernels and their sizes."""
    from .kernels import jit

    found = jit.folders()
    write(f"compiled kernels are kept below {jit.cache_root()}\n")
    for folder, size, used in found:
        write(f"  {size / 1e6:6.1f} MB  {folder.name}{'  (this version)' if used else ''}\n")
    if not found:
        write("  nothing there yet\n")
    elif len(found) > 1:
        write("Remove them all: simcards cache clear\n")


@cache.command("clear")
def cache_clear() -> None:
    """Remove all compiled kernels; they are compiled again when needed."""
    from .kernels import jit

    gone = jit.clear()
    write(f"{len(gone)} folder{'s' if len(gone) != 1 else ''} removed below {jit.cache_root()}\n")


def main(arguments: list[str] | None = None) -> None:
    """Run a command line and exit with its code: see the design of exit codes in docs/cli.md."""
    try:
        code = cli.main(arguments, prog_name="simcards", standalone_mode=False)
    except SimcardsError as error:
        talk(f"simcards: {error}")
        code = error.exit_code
        if isinstance(error, Interrupted) and error.stuck:
            sys.stdout.flush()
            os._exit(code)  # the thread of a strategy that doesn't return would be waited for
    except click.UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # not in every version of click
            write(error.format_message() + "\n")
            sys.exit(0)
        where = error.ctx.command_path if error.ctx else "simcards"
        talk(f"simcards: {error.format_message()}\n  See: {where} --help")
        code = 2
    except click.ClickException as error:
        talk(f"simcards: {error.format_message()}")
        code = error.exit_code
    except UnicodeEncodeError:  # a name with letters that came in as something else
        talk(
            "simcards: a name has letters that this system's encoding can't spell.\n"
            "  Set PYTHONUTF8=1 in the environment, or use other names."
        )
        code = 2
    except OSError as error:
        talk(f"simcards: can't write {error.filename or 'the output'}: {error.strerror or error}.")
        drop_output()
        code = 1
    except (KeyboardInterrupt, click.Abort):
        talk("simcards: stopped")
        code = 130
    sys.exit(code if isinstance(code, int) else 0)
