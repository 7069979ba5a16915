"""Fixed runs of aces and the hashes of their rows, the same wherever they are played.

    python tests/games/golden_aces.py

writes the hashes and the playthrough anew. A row may change only together with the game's
`engine` number: raise that first.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import simcards
from simcards.sim.game import Game
from simcards.sim.games.aces import GAME
from simcards.sim.rows import columns

HASHES = Path(__file__).with_name("golden_aces.json")
PLAYTHROUGH = Path(__file__).with_name("playthrough_aces.txt")

N = 300
LARGEST_SEED, LARGEST_INDEX = 2**64 - 1, 2**63 - 1

RUNS: dict[str, dict[str, Any]] = {
    "defaults": {"seed": 0},
    "largest seed": {"seed": LARGEST_SEED},
    "last matches": {"seed": 1, "first": LARGEST_INDEX - N + 1},
    "seed beyond 2^53": {"seed": 2**53 + 1, "first": 2**32 - 150},
    "alone": {"seed": 2, "players": 1},
    "three": {"seed": 3, "players": 3},
    "four": {"seed": 4, "players": 4, "first": 1000},
    "five": {"seed": 5, "players": 5},
    "six": {"seed": 6, "players": 6},
    "natural-finish": {"seed": 0, "preset": "natural-finish"},
    "natural-finish, four": {"seed": LARGEST_SEED, "preset": "natural-finish", "players": 4},
    "bicycle by name": {"seed": 9, "preset": "bicycle", "players": 2},
    "four packs": {"seed": 10, "rules": {"packs": 4, "jokers": 4}},
    "one pack for four": {"seed": 11, "players": 4, "rules": {"packs": 1}},
    "locked out": {
        "seed": 12,
        "players": 5,
        "rules": {"packs": 1, "match": "hand", "max_turns": 300},
    },
    "one place": {"seed": 13, "rules": {"layout": 1}},
    "thirteen places": {"seed": 14, "rules": {"layout": 13, "wild": "none"}},
    "handicap": {"seed": 15, "rules": {"layouts": (10, 7)}},
    "handicap of three": {"seed": 16, "players": 3, "rules": {"layouts": (1, 12, 6), "wild": "K"}},
    "shrink by three": {"seed": 17, "rules": {"shrink": 3}},
    "credited hands": {"seed": 18, "players": 3, "rules": {"shrink": 0, "hands": 6}},
    "one hand": {"seed": 19, "first": 10**12, "rules": {"match": "hand"}},
    "take any": {
        "seed": 20,
        "players": 3,
        "rules": {"take_discard": "any"},
        "strategies": ["safe_pass", "random+random", "always+contested"],
    },
    "take never": {"seed": 21, "players": 4, "rules": {"take_discard": "never", "packs": 1}},
    "displace may": {
        "seed": 22,
        "players": 3,
        "rules": {"displace": "may"},
        "strategies": ["always+lowest+random", "always+rarest+never", "never+highest+always"],
    },
    "displace no": {
        "seed": 23,
        "rules": {"displace": "no"},
        "strategies": ["always+commonest", "always+contested"],
    },
    "eager": {"seed": 24, "players": 4, "rules": {"reshuffle": "eager", "packs": 1, "layout": 9}},
    "last turn": {"seed": 25, "players": 4, "rules": {"finish": "last_turn"}},
    "last turn, credited": {
        "seed": 26,
        "players": 4,
        "rules": {"finish": "last_turn", "shrink": 0, "hands": 4, "queen": "skip"},
    },
    "last turn, scarce": {
        "seed": 27,
        "players": 5,
        "rules": {
            "packs": 1,
            "layouts": (1, 13, 13, 13, 10),
            "wild": "none",
            "finish": "last_turn",
            "max_turns": 80,
        },
    },
    "natural": {
        "seed": 28,
        "rules": {"complete": "natural", "jokers": 1},
        "strategies": "always+random",
    },
    "no wild is placed": {
        "seed": 29,
        "rules": {"complete": "natural", "displace": "no", "wild_limit": 0},
    },
    "wild limit": {"seed": 30, "rules": {"wild_limit": 1, "jokers": 2, "wild": "JQ"}},
    "wild limit of four": {"seed": 31, "rules": {"wild_limit": 4, "jokers": 4, "packs": 2}},
    "loser starts": {"seed": 32, "players": 3, "rules": {"starter": "loser"}},
    "starter rotates": {"seed": 33, "players": 3, "rules": {"starter": "rotate"}},
    "wild queens": {"seed": 34, "rules": {"wild": "Q", "layout": 11}},
    "wild kings": {"seed": 35, "rules": {"wild": "K", "layout": 12}},
    "no wilds": {"seed": 36, "rules": {"wild": "none"}},
    "skipping queens": {"seed": 37, "players": 5, "rules": {"queen": "skip"}},
    "opening discard": {"seed": 38, "rules": {"initial_discard": "yes"}},
    "capped": {"seed": 39, "rules": {"max_turns": 12}},
    "rare": {
        "seed": 40,
        "players": 3,
        "strategies": ["rare", "rare:copies=0+highest", "rare:copies=3+rarest"],
    },
    "never": {"seed": 41, "strategies": "never"},
    "random": {"seed": 42, "players": 6, "strategies": "random+random"},
}

TOLD: dict[str, Any] = {
    "preset": "natural-finish",
    "rules": {"layout": 4},
    "seed": 2026,
    "index": 3,
}


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


def run_hash(name: str, **more: Any) -> str:
    """Play a run of the table and hash its rows."""
    result = simcards.run("aces", N, rows=True, **RUNS[name], **more)
    return rows_hash(GAME, result.summary.plan.rules.players, result.rows)


def playthrough() -> str:
    """Return the replay of a match, as it is printed."""
    return f"{simcards.replay('aces', **TOLD)}\n"


def write() -> None:
    """Write both files."""
    table = {"engine": GAME.engine, "n": N, "runs": {name: run_hash(name) for name in RUNS}}
    HASHES.write_text(json.dumps(table, indent=1) + "\n", encoding="ascii", newline="\n")
    PLAYTHROUGH.write_text(playthrough(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write()
