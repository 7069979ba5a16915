"""What comparisons, sweeps and tournaments have in common: how far they came, and how again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .. import __version__
from ..sim.contest import Contest
from ..sim.manifest import Manifest
from ..sim.provenance import JSON_VERSION
from .summary import number_text, quoted, short_number


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How far something came that was played at several tables."""

    contest: Contest = field(repr=False)
    first: int
    n: int
    """Observations asked for."""
    completed: int
    """Observations: indices, each with all its tables."""
    status: str
    stop_reason: str
    level: float
    command: str
    """The command that plays the same again."""
    saved_in: str = ""
    elapsed_s: float = 0.0
    compile_s: float = 0.0
    games_per_s: float = 0.0
    """Observations a second."""
    threads: int = 0
    usable_threads: int = 0

    @property
    def games(self) -> int:
        """Games played in all."""
        return self.completed * len(self.contest.tables)

    def head_json(self, form: str) -> dict[str, Any]:
        """Return what every published form begins with."""
        game = self.contest.description
        return {
            "format": f"simcards {form}",
            "version": JSON_VERSION,
            "simcards": __version__,
            "engine": game.engine,
            "rules_version": game.rules_version,
            "game": game.name,
            "unit": self.contest.unit.one,
        }

    def extent_json(self) -> dict[str, Any]:
        """Return how far it came."""
        return {
            "seed": self.contest.seed,
            "first": self.first,
            "n": self.n,
            "completed": self.completed,
            "games": self.games,
            "status": self.status,
            "stop_reason": self.stop_reason,
            "level": self.level,
        }

    def tail_json(self) -> dict[str, Any]:
        """Return what every published form ends with."""
        return {
            "elapsed_s": round(self.elapsed_s, 3),
            "compile_s": round(self.compile_s, 3),
            "games_per_s": round(self.games_per_s * len(self.contest.tables), 1),
            "threads": self.threads,
            "command": self.command,
        }


def ended(
    manifest: Manifest, completed: int, *, status: str, stop_reason: str, **more: Any
) -> dict[str, Any]:
    """Return the arguments of an `Ending`, except its command.

    Parameters
    ----------
    manifest : Manifest
    completed : int
        Observations.
    status, stop_reason : str
    **more
        ``saved_in`` and timing.
    """
    contest = manifest.plan
    assert isinstance(contest, Contest)
    return {
        "contest": contest,
        "first": manifest.first,
        "n": manifest.n,
        "completed": completed,
        "status": status,
        "stop_reason": stop_reason,
        "level": manifest.level,
        **more,
    }


def command_of(
    verb: str, words: list[str], manifest: Manifest, completed: int, status: str, default_n: int
) -> str:
    """Return the command that plays the same again.

    Parameters
    ----------
    verb : str
    words : list of str
        What is played.
    manifest : Manifest
    completed : int
        Of what was cut short so much is played again.
    status : str
    default_n : int
        The number that needs no word.
    """
    said = [f"simcards {verb}", *words]
    if manifest.level != 0.95:
        said.append(f"--level {number_text(manifest.level)}")
    again = manifest.n if status == "complete" or not completed else completed
    if again != default_n:
        said.append(f"--n {short_number(again)}")
    if manifest.first:
        said.append(f"--first {manifest.first}")
    said.append(f"--seed {manifest.plan.seed}")
    return " ".join(said)


def foot(one: Ending, keep: str, more: str) -> Iterator[str]:
    """Yield the last lines of a screen: how fast it was, and how to go on.

    Parameters
    ----------
    one : Ending
    keep : str
        Name of a folder it could be kept in; '' where that makes no sense.
    more : str
        What else the same command can give.
    """
    if one.threads and one.games_per_s:
        rate = one.games_per_s * len(one.contest.tables)
        yield (
            f"{one.elapsed_s:.1f} s on {one.threads} of {one.usable_threads} threads, "
            f"{rate:,.0f} games/s without compiling."
        )
    elif one.threads and one.completed:
        yield "Nothing was left to play."
    if one.saved_in:
        where = quoted(one.saved_in)
        if one.status == "partial" and one.stop_reason != "running":
            yield f"Go on: simcards resume {where}"
        yield f"Saved. A page about it: simcards report {where}"
        yield f"All figures: simcards summary {where} --json"
        return
    if any(not bot.path for bot in one.contest.bots):
        yield "Not saved: functions given in Python can't be kept; put them in a file."
    elif keep:
        yield f"Not saved. Keep: {one.command} --out {keep}"
    yield f"All figures: the same with --json{more}"
