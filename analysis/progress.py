"""The line that moves while a run is on, in terminals and notebooks."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TextIO

from ..sim.contest import Contest
from ..sim.counts import Counts
from ..sim.plan import Plan
from ..sim.run import Progress

PLAIN_SECONDS = 10.0
"""Where nothing can move, a line is written this often."""

Reporter = Callable[[Progress], None]


def progress_text(plan: Plan | Contest, progress: Progress) -> str:
    """Return ' 64 %  640,000 matches  213,000/s  2 s left  seat 0 wins 50.6 %'."""
    part = progress.done / progress.n
    text = f"{100 * part:3.0f} %  {progress.done:,} {plan.unit.many}"
    if progress.rate > 0:
        text += f"  {progress.rate:,.0f}/s"
        left = (progress.n - progress.done) / progress.rate
        text += f"  {_duration(left)} left"
    if progress.note:
        return f"{text}  {progress.note}"
    counts = progress.counts
    if isinstance(counts, Counts) and counts.finished and len(counts.score60) > 1:
        text += f"  seat 0 wins {counts.score60[0] / 60 / counts.finished:.1%}".replace("%", " %")
    return text


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h"


@contextlib.contextmanager
def _moving(plan: Plan | Contest, file: TextIO | None, notebook: bool) -> Iterator[Reporter]:
    """Show one line that is written over, and goes when the run is done."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(force_jupyter=True) if notebook else Console(file=file)
    with Live(Text(""), console=console, transient=True, auto_refresh=False) as live:

        def report(progress: Progress) -> None:
            live.update(
                Text(progress_text(plan, progress), no_wrap=True, overflow="crop"), refresh=True
            )

        yield report


@contextlib.contextmanager
def terminal_progress(plan: Plan | Contest, file: TextIO, quiet: bool) -> Iterator[Reporter | None]:
    """Report progress on a terminal, or now and then as a plain line elsewhere."""
    if quiet:
        yield None
    elif file.isatty():
        with _moving(plan, file, False) as report:
            yield report
    else:
        last: float | None = None

        def plain(progress: Progress) -> None:
            nonlocal last
            now = time.monotonic()
            if last is None:  # of playing: compiling is over
                last = now
            elif now - last >= PLAIN_SECONDS:
                last = now
                print(progress_text(plan, progress), file=file, flush=True)

        yield plain


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return type(shell).__name__ == "ZMQInteractiveShell"


@contextlib.contextmanager
def notebook_progress(plan: Plan | Contest, wanted: bool | None) -> Iterator[Reporter | None]:
    """Report progress in a notebook; elsewhere only if it is wanted."""
    if wanted is False or (wanted is None and not _in_notebook()):
        yield None
    elif _in_notebook():
        with _moving(plan, None, True) as report:
            yield report
    else:
        with terminal_progress(plan, sys.stderr, False) as plain:
            yield plain
