"""Fixed runs of a game and the hashes of their rows, the same wherever they are played.

    python tests/games/golden.py aces

writes the hashes and the playthrough of a game anew; golden_aces.py names its runs. A row may
change only together with the game's `engine` number: raise that first.
"""

from __future__ import annotations

import hashlib
import json
import struct
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import simcards
from simcards.sim.game import Game
from simcards.sim.options import Choice, options
from simcards.sim.plan import Plan, make_plan
from simcards.sim.rows import columns

N = 300
LARGEST_SEED, LARGEST_INDEX = 2**64 - 1, 2**63 - 1


def rows_hash(game: Game, players: int, rows: pl.DataFrame) -> str:
    """SHA-256 of the numbers of rows: column by column, little-endian, as wide as declared.

    What Polars keeps in memory, or how it stores an Enum, doesn't enter; an Enum counts as the
    numbers of its words in one byte.
    """
    digest = hashlib.sha256()
    assert rows.columns == [name for name, _ in columns(game, players)]
    for name, column in columns(game, players):
        if column.dtype == "Enum":
            values = np.array([column.labels.index(word) for word in rows[name]], "u1")
        else:
            values = rows[name].to_numpy()
            assert values.dtype == np.dtype(column.dtype.lower()), name
        digest.update(values.astype(values.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class Golden:
    """What is kept of a game beside the tests."""

    game: Game
    runs: Mapping[str, Mapping[str, Any]]
    """Requests of runs by name, as `simcards.run` takes them; each plays N games, or its n."""
    told: Mapping[str, Any]
    """The game that is told, as `simcards.replay` takes it."""
    in_pieces: tuple[str, ...]
    """Runs that are played in other chunks and on other threads too."""
    packed: str
    """How `struct` packs a row of the defaults, written by hand: what a hash is made of."""
    packed_rows: tuple[int, ...]
    """Indices of some rows of seed 1 to pack."""

    @property
    def hashes(self) -> Path:
        """The file of the hashes."""
        return Path(__file__).with_name(f"golden_{self.game.name}.json")

    @property
    def playthrough_file(self) -> Path:
        """The file of the game as it is told."""
        return Path(__file__).with_name(f"playthrough_{self.game.name}.txt")

    def run_hash(self, name: str, **more: Any) -> str:
        """Play a run and hash its rows."""
        request = {"n": N, **self.runs[name], **more}
        result = simcards.run(self.game.name, rows=True, **request)
        return rows_hash(self.game, result.summary.plan.rules.players, result.rows)

    def playthrough(self) -> str:
        """Return the replay of a game, as it is printed."""
        return f"{simcards.replay(self.game.name, **self.told)}\n"

    def write(self) -> None:
        """Write both files."""
        table = {
            "engine": self.game.engine,
            "n": N,
            "runs": {name: self.run_hash(name) for name in self.runs},
        }
        text = json.dumps(table, indent=1) + "\n"
        self.hashes.write_text(text, encoding="ascii", newline="\n")
        self.playthrough_file.write_text(self.playthrough(), encoding="utf-8", newline="\n")

    # What the tests look at

    @property
    def program(self) -> str:
        """How both files are written."""
        return f"python tests/games/golden.py {self.game.name}"

    def table(self) -> dict[str, Any]:
        """Return the kept hashes."""
        return json.loads(self.hashes.read_text(encoding="ascii"))

    def check_table(self) -> None:
        """The kept hashes are of this engine and of these runs, and no two are equal."""
        table = self.table()
        assert table["engine"] == self.game.engine, f"write the table anew: {self.program}"
        assert table["n"] == N and list(table["runs"]) == list(self.runs)
        assert len(set(table["runs"].values())) == len(self.runs)

    def check_rows(self, name: str, **more: Any) -> None:
        """A run has the rows that it always had."""
        table = self.table()
        assert self.run_hash(name, **more) == table["runs"][name], (
            f"Rows of {self.game.name} are not those of engine {table['engine']}. If that is "
            f"meant, raise `engine` in sim/games/{self.game.name}.py by one and write the table "
            f"anew: {self.program}"
        )

    def check_playthrough(self) -> None:
        """A game is told as ever."""
        assert self.playthrough() == self.playthrough_file.read_text(encoding="utf-8"), (
            f"A game is told otherwise. If only the words are new, write them: {self.program}. "
            "If the game is, its `engine` must be raised too."
        )

    def plans(self) -> Iterator[Plan]:
        """Yield the plan of each run."""
        for run in self.runs.values():
            asked = {key: value for key, value in run.items() if key not in ("first", "n")}
            yield make_plan(self.game.name, **asked)

    def check_reach(self) -> None:
        """The runs reach every option, preset and strategy, and the largest seed and index."""
        rules = [plan.rules for plan in self.plans()]
        for option in options(self.game.rules):
            values = {getattr(one, option.name) for one in rules}
            assert len(values) > 1, option.name
            if isinstance(option.kind, Choice):
                assert values == set(option.kind.words), option.name
        (players,) = (one.kind for one in options(self.game.rules) if one.name == "players")
        assert {one.players for one in rules} == set(range(players.low, players.high + 1))
        assert {plan.preset for plan in self.plans()} == set(self.game.presets)
        for j, decision in enumerate(self.game.decisions):
            numbers = {player.choices[j].number for plan in self.plans() for player in plan.players}
            assert numbers == {strategy.number for strategy in decision.strategies}
        assert {0, LARGEST_SEED} <= {run["seed"] for run in self.runs.values()}
        assert LARGEST_INDEX - N + 1 in {run.get("first") for run in self.runs.values()}
        assert len(self.runs) >= 40

    def check_hash(self) -> None:
        """A table of hashes says nothing if the hash overlooks something."""
        plan = make_plan(self.game.name, seed=1)
        players = plan.rules.players
        rows = simcards.run(self.game.name, 20, seed=1, rows=True).rows
        plain = rows_hash(self.game, players, rows)
        for name, column in columns(self.game, players):
            for at in (0, 19):
                values = rows[name].to_list()
                if column.dtype == "Enum":
                    others = [word for word in column.labels if word != values[at]]
                    values[at] = others[0]
                else:
                    values[at] += 1
                changed = rows.with_columns(pl.Series(name, values, dtype=rows[name].dtype))
                assert rows_hash(self.game, players, changed) != plain, name
        assert rows_hash(self.game, players, rows[::-1]) != plain
        assert rows_hash(self.game, players, rows.clone().rechunk()) == plain

    def check_packed(self) -> None:
        """The hash is that of plain numbers, so that another program can make it too."""
        for index in self.packed_rows:
            rows = simcards.run(self.game.name, 1, seed=1, first=index, rows=True).rows
            row = rows.row(0, named=True)
            players = make_plan(self.game.name, seed=1).rules.players
            for name, column in columns(self.game, players):
                if column.dtype == "Enum":
                    row[name] = column.labels.index(row[name])
            expected = struct.pack(self.packed, *row.values())
            assert hashlib.sha256(expected).hexdigest() == rows_hash(self.game, players, rows)


def golden(name: str) -> Golden:
    """Return what is kept of a game."""
    return import_module(f"games.golden_{name}").GOLDEN


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    for name in sys.argv[1:]:
        golden(name).write()
