"""simcards plays millions of card games in compiled kernels and tells what they mean.

Public names are resolved when first used, so that ``import simcards`` loads nothing else.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .analysis.results import Result, load, resume, run
    from .analysis.verify import verify
    from .sim.errors import Interrupted, RequestError, RunError, SimcardsError, StrategyError
    from .sim.games import games
    from .sim.games import thirteen_cards as thirteen
    from .sim.replay import replay

__version__ = "0.1.0"

_HOMES = {
    "Interrupted": "sim.errors",
    "RequestError": "sim.errors",
    "Result": "analysis.results",
    "RunError": "sim.errors",
    "SimcardsError": "sim.errors",
    "StrategyError": "sim.errors",
    "games": "sim.games",
    "load": "analysis.results",
    "replay": "sim.replay",
    "resume": "analysis.results",
    "run": "analysis.results",
    "thirteen": "sim.games.thirteen_cards",
    "verify": "analysis.verify",
}

_MODULES = ("thirteen",)
"""Names of `_HOMES` that are the module itself."""

__all__ = [
    "Interrupted",
    "RequestError",
    "Result",
    "RunError",
    "SimcardsError",
    "StrategyError",
    "__version__",
    "games",
    "load",
    "replay",
    "resume",
    "run",
    "thirteen",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(f".{_HOMES[name]}", __name__)
    value = home if name in _MODULES else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
