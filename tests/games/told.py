"""Games that are played among others, and each of them again while it is told."""

from __future__ import annotations

import numpy as np

from simcards.sim import chunk
from simcards.sim.chunk import Played
from simcards.sim.plan import Plan


def played(plan: Plan, first: int, n: int, room: int = 0) -> Played:
    """Play games, with room for so many events."""
    return chunk.play_raw(plan, first, n, chunk.new_control(), room)


def played_and_told(plan: Plan, first: int, n: int) -> tuple[Played, list[Played]]:
    """Play games, and each alone; rows and tallies must be the same, bit for bit."""
    ours = played(plan, first, n)
    tally = np.zeros_like(ours.tally)
    each = []
    for j in range(n):
        told = played(plan, first + j, 1, room=1)
        assert told.told > 0
        tally += told.tally
        for name in ours.rows.dtype.names or ():
            assert np.array_equal(ours.rows[name][j], told.rows[name][0]), (name, j, plan)
        each.append(told)
    assert np.array_equal(ours.tally, tally), plan
    return ours, each
