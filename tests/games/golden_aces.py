"""Fixed runs of aces, and a match to be told; golden.py writes what comes of them."""

from __future__ import annotations

from typing import Any

from games.golden import LARGEST_INDEX, LARGEST_SEED, Golden, N

from simcards.sim.games.aces import GAME

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

GOLDEN = Golden(
    GAME,
    RUNS,
    TOLD,
    in_pieces=("locked out", "take any", "last matches"),
    packed="<qbBBihqiqihqqbBbbhh",
    packed_rows=(7,),
)
