"""Fixed runs of horner, and a match to be told; golden.py writes what comes of them."""

from __future__ import annotations

from typing import Any

from games.golden import LARGEST_INDEX, LARGEST_SEED, Golden, N

from simcards.sim.games.horner import GAME

CHOICE = {"one_pie": "choose", "pies": "capacity", "pie_value": "printed"}

RUNS: dict[str, dict[str, Any]] = {
    "defaults": {"seed": 0},
    "largest seed": {"seed": LARGEST_SEED},
    "last matches": {"seed": 1, "first": LARGEST_INDEX - N + 1},
    "seed beyond 2^53": {"seed": 2**53 + 1, "first": 2**32 - 150},
    "alone": {"seed": 2, "players": 1},
    "three": {"seed": 3, "players": 3, "first": 1000},
    "four": {"seed": 4, "players": 4},
    "five": {"seed": 5, "players": 5},
    "six": {"seed": 6, "players": 6},
    "1888 by name": {"seed": 7, "preset": "1888", "first": 10**12},
    "shared-pool": {"seed": 8, "preset": "shared-pool"},
    "shared-pool, five": {"seed": 9, "preset": "shared-pool", "players": 5},
    "small-pies": {"seed": 10, "preset": "small-pies"},
    "small-pies, six": {"seed": LARGEST_SEED, "preset": "small-pies", "players": 6},
    "one round": {"seed": 11, "rules": {"rounds": 1}},
    "twenty rounds": {"seed": 12, "n": 60, "players": 3, "rules": {"rounds": 20}},
    "capacity": {"seed": 13, "rules": {"pies": "capacity"}},
    "capacity of thirteen plums": {"seed": 14, "rules": {"pies": "capacity", "plums": 13}},
    "capacity, first out": {
        "seed": 15,
        "players": 5,
        "rules": {"pies": "capacity", "round_end": "first_out"},
    },
    "capacity, pool": {"seed": 16, "players": 3, "rules": {"pies": "capacity", "recycle": "pool"}},
    "printed": {"seed": 17, "rules": {"pie_value": "printed"}},
    "other points": {"seed": 18, "rules": {"pie_points": 0, "out_points": 7}},
    "choose smallest": {"seed": 19, "rules": CHOICE},
    "choose largest": {"seed": 20, "rules": CHOICE, "strategies": "eager+largest"},
    "choose own run": {
        "seed": 21,
        "players": 3,
        "rules": CHOICE,
        "strategies": ["eager+own_run", "random+smallest", "no_flip+own_run"],
    },
    "choose without numbers": {
        "seed": 22,
        "rules": {"one_pie": "choose", "varieties": 5, "plums": 3},
    },
    "discards must be placed": {"seed": 23, "rules": {"discard_play": "must"}},
    "discards are never placed": {"seed": 24, "rules": {"discard_play": "never"}},
    "many discards": {"seed": 25, "rules": {"discard_plays": "many"}, "strategies": "random"},
    "flip after discard": {"seed": 26, "rules": {"flip_after_discard": "must"}},
    "no flip after discard": {"seed": 27, "rules": {"flip_after_discard": "no"}},
    "chain": {"seed": 28, "players": 3, "rules": {"turn": "chain"}, "strategies": "random"},
    "chain of many": {
        "seed": 29,
        "rules": {"turn": "chain", "discard_plays": "many", "discard_play": "must"},
    },
    "sync": {"seed": 30, "rules": {"recycle": "sync"}},
    "sync, five": {
        "seed": 31,
        "players": 5,
        "rules": {"recycle": "sync", "turn": "chain"},
        "strategies": "random",
    },
    "pool, first out": {
        "seed": 32,
        "players": 4,
        "rules": {"recycle": "pool", "round_end": "first_out"},
    },
    "first out": {"seed": 33, "players": 3, "rules": {"round_end": "first_out"}},
    "seat 0 starts": {"seed": 34, "players": 3, "rules": {"next_start": "same"}},
    "winner starts": {"seed": 35, "players": 3, "rules": {"next_start": "winner"}},
    "loser starts": {"seed": 36, "players": 4, "rules": {"next_start": "loser"}},
    "one variety": {"seed": 37, "rules": {"varieties": 1}},
    "two of two": {"seed": 38, "players": 3, "rules": {"varieties": 2, "plums": 2}},
    "eight of thirteen": {"seed": 39, "n": 100, "rules": {"varieties": 8, "plums": 13}},
    "capped": {"seed": 40, "rules": {"max_turns": 60}},
    "flip only": {"seed": 41, "strategies": ["flip_only", "eager"]},
    "no flip": {"seed": 42, "strategies": ["no_flip", "random"]},
    "top aware": {
        "seed": 43,
        "players": 3,
        "strategies": ["top_aware", "top_aware:far=0", "top_aware:far=4"],
    },
    "blocker": {"seed": 44, "players": 4, "strategies": ["blocker", "blocker:seats=3"] * 2},
    "race": {"seed": 45, "players": 3, "strategies": ["race", "race:lead=0", "race:lead=4"]},
    "rollout": {"seed": 46, "n": 60, "strategies": ["rollout", "rollout:samples=1"]},
    "rollout, pool": {
        "seed": 47,
        "n": 40,
        "players": 3,
        "rules": {"recycle": "pool", "turn": "chain", **CHOICE},
        "strategies": ["rollout:samples=3+largest", "rollout:samples=2", "eager"],
    },
    "rollout, sync": {
        "seed": 48,
        "n": 40,
        "rules": {"recycle": "sync", "discard_plays": "many"},
        "strategies": "rollout:samples=2",
    },
}

TOLD: dict[str, Any] = {
    "preset": "small-pies",
    "players": 3,
    "rules": {"recycle": "sync", "one_pie": "choose", "rounds": 2},
    "strategies": ["race", "no_flip+own_run", "random+largest"],
    "seed": 2026,
    "index": 3,
}

GOLDEN = Golden(
    GAME,
    RUNS,
    TOLD,
    in_pieces=("last matches", "sync, five", "rollout, pool"),
    packed="<qbBBihiiiiiiiiib2i2h2h",
    packed_rows=(7,),
)
