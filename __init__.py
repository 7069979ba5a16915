"""simcards plays millions of card games in compiled kernels and tells what they mean.

Public names are resolved when first used, so that ``import simcards`` loads nothing else.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .analysis import stats
    from .analysis.compare import ComparisonResult, compare
    from .analysis.report.write import report
    from .analysis.results import Result, run
    from .analysis.saved import load, resume
    from .analysis.sweep import SweepResult, sweep
    from .analysis.tournament import TournamentResult, tournament
    from .analysis.verify import verify
    from .sim.errors import Interrupted, RequestError, RunError, SimcardsError, StrategyError
    from .sim.games import games
    from .sim.games import thirteen_cards as thirteen
    from .sim.replay import replay

__version__ = "0.1.0"

_HOMES = {
    "ComparisonResult": "analysis.compare",
    "Interrupted": "sim.errors",
    "RequestError": "sim.errors",
    "Result": "analysis.results",
    "RunError": "sim.errors",
    "SimcardsError": "sim.errors",
    "StrategyError": "sim.errors",
    "SweepResult": "analysis.sweep",
    "TournamentResult": "analysis.tournament",
    "compare": "analysis.compare",
    "games": "sim.games",
    "load": "analysis.saved",
    "replay": "sim.replay",
    "report": "analysis.report.write",
    "resume": "analysis.saved",
    "run": "analysis.results",
    "stats": "analysis.stats",
    "sweep": "analysis.sweep",
    "thirteen": "sim.games.thirteen_cards",
    "tournament": "analysis.tournament",
    "verify": "analysis.verify",
}

_MODULES = ("stats", "thirteen")
"""Names of `_HOMES` that are the module itself."""

__all__ = [
    "ComparisonResult",
    "Interrupted",
    "RequestError",
    "Result",
    "RunError",
    "SimcardsError",
    "StrategyError",
    "SweepResult",
    "TournamentResult",
    "__version__",
    "compare",
    "games",
    "load",
    "replay",
    "report",
    "resume",
    "run",
    "stats",
    "sweep",
    "thirteen",
    "tournament",
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
