"""Plays what `count` counts, in a process of its own: tasks as JSON on standard input.

`warm` compiles the kernels and keeps them. `count` loads them and, for each task, leaves two
copies of itself behind that play n and 2n games and end; all that came before is the same in
both. It writes a line a task: the name, and the two process numbers.
"""

from __future__ import annotations

import gc
import json
import os
import sys

from simcards.sim.chunk import play_chunk, prepare_kernel
from simcards.sim.plan import Plan

from .cases import plan_of

WARM = 8


def copy_that_plays(plan: Plan, n: int) -> int:
    """Play in a copy of this process; returns its number once it has ended well."""
    number = os.fork()
    if number == 0:
        code = 1
        try:
            play_chunk(plan, 0, n, False)
            code = 0
        finally:
            os._exit(code)
    if os.waitpid(number, 0)[1]:
        sys.exit(f"{plan.game}: playing {n} games failed")
    return number


def main() -> None:
    """Do the tasks."""
    count = sys.argv[1] == "count"
    tasks = [(name, plan_of(*name.split(" ", 1)), n) for name, n in json.load(sys.stdin)]
    for game in {plan.game: plan.description for _, plan, _ in tasks}.values():
        if prepare_kernel(game) and count:
            sys.exit(f"{game.name}: the kernel was not kept, so it had to be compiled")
    if count:
        for _, plan, _ in tasks:
            play_chunk(plan, 0, WARM, False)
        gc.collect()
        gc.disable()
        for name, plan, n in tasks:
            numbers = [copy_that_plays(plan, games) for games in (n, 2 * n)]
            print(json.dumps([name, *numbers]), flush=True)


if __name__ == "__main__":
    main()
