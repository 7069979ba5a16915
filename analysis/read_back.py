"""Reading back what was played and saved: its counts, its rows, its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..sim.contest import Contest
from ..sim.errors import RequestError
from ..sim.journal import Journal
from ..sim.manifest import Manifest, read_manifest
from ..sim.plan import Plan
from ..sim.store import is_being_written, no_rows, scan_rows

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")


@dataclass(frozen=True)
class Saved:
    """What a folder holds."""

    manifest: Manifest
    counts: Any
    """`Counts`, or of a comparison `Observations`."""
    status: str
    stop_reason: str


def read_back(folder: Path) -> Saved:
    """Read a saved run: what was played, and the counts of what is finished.

    Raises
    ------
    RequestError
        When there is no run, or one of another engine.
    """
    manifest = read_manifest(folder)
    counts = manifest.no_counts
    with Journal(folder) as journal:
        for part in journal.prefix(manifest.first):
            counts = counts + journal.counts(part, manifest.read_counts)
    damaged = counts.games < manifest.completed
    stopped = damaged or manifest.status == "running"
    reason = "damaged" if damaged else manifest.stop_reason
    if manifest.status == "running" and is_being_written(folder):
        reason = "running"
    return Saved(manifest, counts, "partial" if stopped else manifest.status, reason)


def saved_result(folder: Path, sum_up: Callable[..., Any], make: Callable[[Any, Any], T]) -> T:
    """Return the result of what was saved; see `playing.result_of`."""
    saved = read_back(folder)
    summary = sum_up(
        saved.manifest,
        saved.counts,
        status=saved.status,
        stop_reason=saved.stop_reason,
        saved_in=str(folder),
    )
    return make(summary, saved.counts)


def kept_rows(
    plan: Plan | Contest, frames: list[pl.DataFrame] | None, folder: Path | None, completed: int
) -> pl.DataFrame:
    """Return the rows that were kept, in memory or in a folder.

    Raises
    ------
    RequestError
        When none were.
    """
    if frames is not None:
        import polars as pl

        return pl.concat(frames or [no_rows(plan)])
    if folder is not None:
        # The folder may have been gone on with since.
        return scan_rows(folder).head(completed).collect()
    raise RequestError("no rows were kept; run with rows=True, or with out='FOLDER'.")
