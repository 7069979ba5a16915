"""Fixed runs of thirteen, and a match to be told; golden.py writes what comes of them."""

from __future__ import annotations

from typing import Any

from games.golden import LARGEST_INDEX, LARGEST_SEED, Golden, N

from simcards.sim.games.thirteen import GAME, INSTANT

ALL_KINDS = {"instant": INSTANT}

RUNS: dict[str, dict[str, Any]] = {
    "defaults": {"seed": 0},
    "largest seed": {"seed": LARGEST_SEED},
    "last deals": {"seed": 1, "first": LARGEST_INDEX - N + 1},
    "seed beyond 2^53": {"seed": 2**53 + 1, "first": 2**32 - 150},
    "two": {"seed": 2, "players": 2},
    "three": {"seed": 3, "players": 3, "first": 1000},
    "classic by name": {"seed": 4, "preset": "classic", "players": 4, "first": 10**12},
    "southern": {"seed": 5, "preset": "southern", "strategies": "control"},
    "southern-cards": {"seed": 6, "preset": "southern-cards", "strategies": "structure"},
    "southern-cards, three": {"seed": LARGEST_SEED, "preset": "southern-cards", "players": 3},
    "first-out": {"seed": 7, "preset": "first-out"},
    "match": {"seed": 8, "rules": {"target": 10}},
    "match, loser starts": {"seed": 9, "rules": {"target": 8, "starter": "loser"}},
    "match, lowest starts": {"seed": 10, "players": 3, "rules": {"target": 7, "starter": "lowest"}},
    "match by cards": {
        "seed": 11,
        "n": 60,
        "preset": "southern-cards",
        "rules": {"target": 40, "starter": "loser"},
    },
    "match, first out, loser": {
        "seed": 12,
        "rules": {"target": 6, "starter": "loser", "play_until": "first", **ALL_KINDS},
    },
    "bombs by two pairs": {"seed": 13, "rules": {"dseq_min": 2, "bomb_min": (2, 2, 3)}},
    "bombs never": {"seed": 14, "rules": {"bomb_min": (0, 0, 0), "quad_beats": 0}},
    "quads beat three": {"seed": 15, "rules": {"quad_beats": 3}, "strategies": "highest"},
    "quads beat two": {
        "seed": 16,
        "rules": {"quad_beats": 2, "dseq_min": 4, "bomb_min": (4, 5, 6)},
    },
    "bombs on all": {"seed": 17, "rules": {"bomb_scope": "any"}, "strategies": "shed"},
    "longer bombs": {
        "seed": 18,
        "rules": {"bomb_scope": "any", "bomb_vs_bomb": "longer", "dseq_min": 2},
        "strategies": "highest",
    },
    "hierarchy of bombs": {
        "seed": 19,
        "rules": {"bomb_scope": "any", "bomb_vs_bomb": "hierarchy", "dseq_min": 2},
        "strategies": ["highest", "shed", "random", "highest"],
    },
    "quads over three pairs": {
        "seed": 20,
        "rules": {"bomb_scope": "any", "bomb_vs_bomb": "quad_over_3"},
        "strategies": "shed",
    },
    "no lockout": {"seed": 21, "rules": {"lockout": "off"}, "strategies": "saver"},
    "bombs after a pass": {
        "seed": 22,
        "rules": {"bomb_after_pass": "yes", "bomb_scope": "any"},
        "strategies": "random",
    },
    "four pairs after a pass": {
        "seed": 23,
        "rules": {"bomb_after_pass": "four", "dseq_min": 2, "bomb_scope": "any"},
        "strategies": ["random", "saver", "random", "saver:hold=3:until=2"],
    },
    "first lead single": {"seed": 24, "rules": {"first_lead": "single"}},
    "first lead free": {"seed": 25, "rules": {"first_lead": "free"}, "strategies": "highest"},
    "previous player leads": {"seed": 26, "rules": {"lead_after_out": "previous_player"}},
    "last passer leads": {"seed": 27, "rules": {"lead_after_out": "last_passer"}},
    "nothing at once": {"seed": 28, "rules": {"instant": "none"}},
    "all at once": {"seed": 29, "rules": ALL_KINDS},
    "dragons first": {"seed": 30, "rules": {"instant_tie": "dragon", **ALL_KINDS}},
    # Deal 833 is void.
    "void": {"seed": 4, "first": 700, "rules": {"instant_tie": "void", **ALL_KINDS}},
    "twos first": {"seed": 31, "rules": {"instant_tie": "twos", **ALL_KINDS}},
    "runs of two": {"seed": 32, "rules": {"seq_min": 2}, "strategies": "structure"},
    "long runs": {
        "seed": 33,
        "rules": {"seq_min": 5, "dseq_min": 4, "bomb_min": (4, 0, 0)},
        "strategies": "control",
    },
    "runs up to 2": {"seed": 34, "rules": {"seq_twos": "high"}, "strategies": "structure"},
    "ranks only": {"seed": 35, "rules": {"compare_suit": "off"}},
    "forced": {"seed": 36, "rules": {"pass_rule": "forced"}, "strategies": "saver"},
    "no 2 last": {"seed": 37, "rules": {"finish_two": "no"}, "strategies": "control"},
    "no 2 last, two": {"seed": 38, "players": 2, "rules": {"finish_two": "no"}},
    "other points": {"seed": 39, "rules": {"points": (7, 7, 2, 0)}},
    "penalties": {"seed": 40, "rules": {"penalties": (1, 2, 3, 4, 6), "play_until": "first"}},
    "capped": {"seed": 41, "rules": {"max_turns": 55}},
    "by cards, two": {"seed": 42, "players": 2, "rules": {"score": "cards"}},
    "random": {"seed": 43, "strategies": "random"},
    "random, never passing": {"seed": 44, "strategies": "random:passes=0"},
    "shed": {"seed": 45, "strategies": "shed"},
    "highest": {"seed": 46, "strategies": "highest"},
    "saver": {
        "seed": 47,
        "strategies": ["saver", "saver:hold=0", "saver:hold=1:until=0", "saver:hold=3:until=2"],
    },
    "structure": {
        "seed": 48,
        "strategies": ["structure", "structure:near=6:alarm=0", "structure:alarm=13", "lowest"],
    },
    "control": {"seed": 49, "strategies": ["control", "control:near=4:alarm=2", "lowest", "shed"]},
    "blocker": {"seed": 50, "strategies": ["blocker", "blocker:near=0:alarm=1", "random", "saver"]},
    "endgame": {"seed": 51, "n": 100, "strategies": "endgame:nodes=2000"},
    "endgame, four": {
        "seed": 52,
        "n": 100,
        "preset": "southern",
        "strategies": ["endgame:nodes=500", "structure", "endgame:nodes=100", "blocker"],
    },
}

TOLD: dict[str, Any] = {
    "preset": "southern",
    "rules": {"target": 4},
    "strategies": "control",
    "seed": 2026,
    "index": 3,
}

GOLDEN = Golden(
    GAME,
    RUNS,
    TOLD,
    in_pieces=("match", "bombs after a pass", "last deals", "endgame, four"),
    packed="<qbBBiiiiiiiiiBbi4b4i",
    packed_rows=(7, 250),  # the second one was over at once
)
