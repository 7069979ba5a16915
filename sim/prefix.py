"""What is finished: chunks come in any order, and count once all before them have come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .counts import Counts

if TYPE_CHECKING:
    import polars as pl


@dataclass
class Prefix:
    """The unbroken range of finished games from the first one, and what waits beyond it."""

    first: int
    at: int
    looks: frozenset[int]
    stop_rule: Callable[[Any], bool] | None
    counts: Any = field(default_factory=Counts)
    frames: list[pl.DataFrame] = field(default_factory=list)
    waiting: dict[int, tuple[int, Any, list[pl.DataFrame]]] = field(default_factory=dict)
    """By first index: what is finished beyond a gap, neighbours put together."""
    ends: dict[int, int] = field(default_factory=dict)
    """By index after the last one of such a range, its first one."""
    reached: bool = False
    """The stopping rule has been met: nothing further counts."""

    def add(self, start: int, stop: int, counts: Any, frame: pl.DataFrame | None) -> None:
        """Take in a finished chunk, and all that now follow without a gap."""
        frames = [] if frame is None else [frame]
        if start in self.ends and not self._is_look(start):
            start, (_, less, earlier) = self.ends[start], self.waiting.pop(self.ends.pop(start))
            counts, frames = less + counts, earlier + frames
        if stop in self.waiting and not self._is_look(stop):
            stop, more, later = self.waiting.pop(stop)
            counts, frames = counts + more, frames + later
        self.waiting[start] = stop, counts, frames
        self.ends[stop] = start
        while not self.reached and self.at in self.waiting:
            self.at, more, frames = self.waiting.pop(self.at)
            del self.ends[self.at]
            self.counts = self.counts + more
            self.frames += frames
            # Looked at nowhere else: so the stop is the same for any chunk size and threads.
            if self.stop_rule and self._is_look(self.at):
                self.reached = self.stop_rule(self.counts)

    def _is_look(self, index: int) -> bool:
        return index - self.first in self.looks
