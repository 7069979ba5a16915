"""Plays for `compare`, by whatever simcards is found first; a question and an answer a line.

Uses little besides the public `simcards.run`, as it also runs with older revisions.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import simcards

# Other processes take none of it; but on Windows it only moves every 15 ms.
clock = time.perf_counter if sys.platform == "win32" else time.process_time


def play(request: dict[str, Any], n: int) -> Any:
    """Play a request on one thread."""
    return simcards.run(n=n, threads=1, **request)


def prepare(games: list[str]) -> str:
    """Have the kernels of some games ready; returns where simcards is."""
    for game in games:
        play({"game": game, "seed": 1}, 1)
    return str(simcards.__file__)


def engine(game: str) -> int:
    """Return a game's engine number."""
    from simcards.sim.games import find_game

    return find_game(game).engine


def counts(request: dict[str, Any], n: int) -> dict[str, Any]:
    """Return the counts of a run by name."""
    found: dict[str, Any] = {}
    for name, value in play(request, n).counts.to_json().items():
        if isinstance(value, dict):
            found |= {f"{name}.{key}": one for key, one in value.items()}
        else:
            found[name] = value
    return found


def seconds(request: dict[str, Any], n: int) -> float:
    """Return the processor time of a run."""
    started = clock()
    play(request, n)
    return clock() - started


ANSWERS: dict[str, Callable[..., Any]] = {
    "prepare": prepare,
    "engine": engine,
    "counts": counts,
    "seconds": seconds,
}


def main() -> None:
    """Answer until nobody asks."""
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            said = {"answer": ANSWERS[asked.pop("do")](**asked)}
        except Exception as error:  # told to who asked
            said = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
