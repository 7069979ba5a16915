"""The manifest of a saved run: what is played, by what, and how far it came."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .chunk import engine_rules
from .contest import SWEEP, TOURNAMENT, Contest, Table
from .counts import Counts
from .errors import RequestError
from .games import find_game, games
from .journal import write_whole
from .numbers import LARGEST_INDEX, games_count, whole_number
from .observations import Observations
from .options import as_dict
from .plan import Plan, make_plan
from .provenance import MANIFEST_VERSION, versions
from .rows import FORMAT as ROWS_VERSION
from .sources import hash_files
from .strategies import Player

MANIFEST = "manifest.json"
SOURCES = "strategies"
RUN, COMPARISON = "simcards run", "simcards comparison"
TOURNAMENT_RUN, SWEEP_RUN = "simcards tournament", "simcards sweep"
FORMATS = (RUN, COMPARISON, TOURNAMENT_RUN, SWEEP_RUN)


@dataclass(frozen=True)
class Manifest:
    """What a saved run is."""

    plan: Plan | Contest
    first: int
    n: int
    chunk_size: int
    precision: float | None
    level: float
    keeps_rows: bool
    made_by: Mapping[str, str]
    asked: Mapping[str, Any] = field(default_factory=dict)
    """Of a comparison: how it stops, and which differences matter."""
    status: str = "running"
    """running, partial or complete; running without a living writer is partial."""
    stop_reason: str = ""
    completed: int = 0

    @property
    def format(self) -> str:
        """What kind of run it is."""
        if isinstance(self.plan, Plan):
            return RUN
        return {TOURNAMENT: TOURNAMENT_RUN, SWEEP: SWEEP_RUN}.get(self.plan.kind, COMPARISON)

    @property
    def read_counts(self) -> Callable[[Any], Any]:
        """What makes a chunk's counts of its JSON."""
        return Counts.from_json if isinstance(self.plan, Plan) else Observations.from_json

    @property
    def no_counts(self) -> Any:
        """Counts of nothing."""
        return Counts() if isinstance(self.plan, Plan) else Observations()

    def to_json(self) -> dict[str, Any]:
        """Return what stands in the file."""
        game = self.plan.description
        return {
            "format": self.format,
            "version": MANIFEST_VERSION,
            "rows_version": ROWS_VERSION,
            "engine": game.engine,
            "rules_version": game.rules_version,
            "unit": self.plan.unit.one,
            **played_json(self.plan),
            "sources": {bot.digest: list(bot.files) for bot in self.plan.bots},
            "first": self.first,
            "n": self.n,
            "chunk_size": self.chunk_size,
            "precision": self.precision,
            "level": self.level,
            **({"asked": dict(self.asked)} if self.asked else {}),
            "rows": "kept" if self.keeps_rows else "none",
            "status": self.status,
            "stop_reason": self.stop_reason,
            "completed": self.completed,
            "made_by": dict(self.made_by),
        }


def played_json(played: Plan | Contest) -> dict[str, Any]:
    """Return all that decides the rows, as plain data; sources of strategies by their hash."""
    told = _plan_json(played) if isinstance(played, Plan) else _contest_json(played)
    return {"game": played.description.name, "seed": played.seed, **told}


def read_played(data: Mapping[str, Any], said: str, kept: Mapping[str, Path]) -> Plan | Contest:
    """Return what `played_json` told.

    Parameters
    ----------
    data : mapping
    said : str
        Where it was told, for messages.
    kept : mapping of str to Path
        Where copies of users' strategies lie, by the paths they were given as.
    """
    read = _read_contest if "tables" in data else _read_plan
    return read(data, said, kept)


def _plan_json(plan: Plan) -> dict[str, Any]:
    return {
        "preset": plan.preset,
        "rules": as_dict(engine_rules(plan)),
        "strategies": [_strategy_json(player) for player in plan.players],
    }


def _contest_json(contest: Contest) -> dict[str, Any]:
    """What a manifest says of a comparison: its tables, with rules and players written once."""
    players = list(dict.fromkeys(player for plan in contest.plans for player in plan.players))
    rules = list(dict.fromkeys((plan.preset, plan.rules) for plan in contest.plans))
    sample = {(plan.preset, plan.rules): plan for plan in contest.plans}
    return {
        "kind": contest.kind,
        "arms": list(contest.arms),
        "rules": [{"preset": key[0], "rules": as_dict(engine_rules(sample[key]))} for key in rules],
        "strategies": [_strategy_json(player) for player in players],
        "tables": [
            {
                "rules": rules.index((table.plan.preset, table.plan.rules)),
                "strategies": [players.index(player) for player in table.plan.players],
                "arms": list(table.arms),
            }
            for table in contest.tables
        ],
    }


def _read_plan(data: Mapping[str, Any], said: str, kept: Mapping[str, Path]) -> Plan:
    return make_plan(
        data["game"],
        rules=data["rules"],
        preset=data["preset"],
        strategies=[one["strategy"] for one in data["strategies"]],
        seed=data["seed"],
        source=said,
        kept=kept,
    )


def _read_contest(data: Mapping[str, Any], said: str, kept: Mapping[str, Path]) -> Contest:
    tables = []
    for table in data["tables"]:
        rules = data["rules"][table["rules"]]
        plan = make_plan(
            data["game"],
            rules=rules["rules"],
            preset=rules["preset"],
            strategies=[data["strategies"][one]["strategy"] for one in table["strategies"]],
            seed=data["seed"],
            source=said,
            kept=kept,
        )
        tables.append(Table(plan, tuple(table["arms"])))
    return Contest(data["kind"], tuple(data["arms"]), tuple(tables))


def _strategy_json(player: Player) -> dict[str, Any]:
    """What a manifest says of a player: with the hash of each user's source, by its path."""
    sources = {choice.bot.path: choice.bot.digest for choice in player.choices if choice.bot}
    if not sources:
        return {"strategy": player.text, "source": "built-in"}
    return {"strategy": player.text, "source": "file", "sha256": sources}


def _kept_sources(folder: Path, data: Mapping[str, Any]) -> dict[str, Path]:
    """Return where the copies of users' strategies lie, by the paths they were given as.

    Raises
    ------
    RequestError
        When one is missing, or isn't as it was kept.
    """
    found: dict[str, Path] = {}
    for one in data["strategies"]:
        for path, digest in one.get("sha256", {}).items():
            names = data["sources"][digest]
            copy = folder / SOURCES / digest[:32]
            try:
                files = {name: (copy / name).read_bytes() for name in names}
            except OSError:
                files = {}
            if not files or hash_files(files) != digest:
                raise unusable(
                    folder,
                    f"the strategy kept in {copy} isn't as it was.\n"
                    "  Put the original back, or make the run again.",
                )
            if found.setdefault(path, copy / names[0]) != copy / names[0]:
                raise unusable(folder, f"its {MANIFEST} names two strategies {path}.")
    return found


def unusable(folder: Path, why: str) -> RequestError:
    """Return the error for a folder that can't be used."""
    return RequestError(f"{folder}: {why}")


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a saved run.

    Raises
    ------
    RequestError
        When there is none, when it is damaged, or made by an engine that plays otherwise.
    """
    path = folder / MANIFEST
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise unusable(
            folder,
            f"no results there (no {MANIFEST}).\n"
            f"  Make some: simcards run --game {games()[0]} --out {folder}",
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise unusable(folder, f"its {MANIFEST} can't be read: {error}") from None
    try:
        if data["format"] not in FORMATS:
            raise unusable(folder, f"its {MANIFEST} is not one of a simcards run.")
        made_by = data["made_by"]
        if data["version"] != MANIFEST_VERSION or data["rows_version"] != ROWS_VERSION:
            raise unusable(
                folder,
                f"written in a form this simcards doesn't read.\n"
                f"  Install the one that made it: pip install simcards=={made_by['simcards']}",
            )
        try:
            game = find_game(data["game"])
        except RequestError as error:
            raise unusable(folder, f"its {MANIFEST} can't be used: {error}") from None
        if data["engine"] != game.engine:
            raise unusable(
                folder,
                f"made by engine {data['engine']} of {game.name}, this is engine {game.engine}, "
                "which plays other games from the same seed.\n"
                f"  Install the one that made it: pip install simcards=={made_by['simcards']}",
            )
        read = _read_plan if data["format"] == RUN else _read_contest
        plan: Plan | Contest = read(data, f"{folder}:", _kept_sources(folder, data))
        check = data.pop("check", "")
        if check != _check(data):
            raise unusable(
                folder,
                f"its {MANIFEST} isn't as it was written, and every game depends on it.\n"
                "  Put the original back, or make the run again.",
            )
        return Manifest(
            plan=plan,
            first=whole_number(data["first"], f"{folder}: first", 0, LARGEST_INDEX),
            n=games_count(data["n"], f"{folder}: n"),
            chunk_size=whole_number(data["chunk_size"], f"{folder}: chunk_size", 1, 10**7),
            precision=data["precision"],
            level=data["level"],
            keeps_rows=data["rows"] == "kept",
            made_by=made_by,
            asked=data.get("asked", {}),
            status=data["status"],
            stop_reason=data["stop_reason"],
            completed=data["completed"],
        )
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise unusable(folder, f"its {MANIFEST} is damaged: {error!r}") from None


def _check(data: Mapping[str, Any]) -> str:
    """Checksum of what stands in a manifest: a changed digit would make other games."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write a manifest."""
    data = manifest.to_json()
    text = json.dumps({**data, "check": _check(data)}, indent=2) + "\n"
    write_whole(folder / MANIFEST, text.encode())


def parquet_metadata(manifest: Manifest) -> dict[str, str]:
    """Return what stands in the metadata of every Parquet file of a run."""
    game = manifest.plan.description
    return {
        "simcards.version": manifest.made_by["simcards"],
        "simcards.game": game.name,
        "simcards.engine": str(game.engine),
        "simcards.rows_version": str(ROWS_VERSION),
    }


def new_manifest(
    plan: Plan | Contest,
    *,
    first: int,
    n: int,
    chunk_size: int,
    precision: float | None,
    level: float,
    keeps_rows: bool,
    asked: Mapping[str, Any] | None = None,
) -> Manifest:
    """Return the manifest of a run that begins now."""
    return Manifest(
        plan, first, n, chunk_size, precision, level, keeps_rows, versions(), asked or {}
    )
