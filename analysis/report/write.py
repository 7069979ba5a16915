"""Make the report of something saved, and write it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...sim.chunk import play_chunk, prepare_plan
from ...sim.contest import Contest, plans_of
from ...sim.counts import Counts
from ...sim.errors import RequestError
from ...sim.manifest import MANIFEST, Manifest, read_manifest
from ...sim.plan import Plan
from ...sim.provenance import REPORT_FORMAT
from ...sim.run import interruptible
from ...sim.store import REPORT, own_report
from ..at_table import TOLD, at_table
from ..compare import ComparisonResult
from ..files import check_file, write_file
from ..results import Result
from ..sanity import Auditor, sanity
from ..saved import load
from ..summary import quoted
from ..sweep import SweepResult
from .at_tables import course_of
from .comparison import comparison_page
from .page import Page
from .render import html, markdown
from .run import run_page
from .sweep import sweep_page
from .tournament import tournament_page

FORMS: dict[str, tuple[Callable[[Any, str], str], str]] = {
    "html": (html, ".html"),
    "md": (markdown, ".md"),
}
"""By form what renders it, and the ending of its files."""
MOST_ROWS = 2_000_000
"""Rows up to which all of them are looked at."""


def files_of(
    folder: Path, target: str | None, form: str, command: str, *, overwrite: bool
) -> tuple[Path, Path]:
    """Return where a report goes, and its data.

    Parameters
    ----------
    folder : Path
        Of what is reported. A report of ours in it belongs to it and is written anew.
    target : str or None
        A file elsewhere; None: in the folder.
    form : str
    command : str
        That plays the same again. The data of another page about the same is replaced.
    overwrite : bool
        Whether files that are there may be replaced.

    Raises
    ------
    RequestError
        When there is no such form, or a file can't be written or is there.
    """
    if form not in FORMS:
        raise RequestError(f"--format {form}: must be one of {', '.join(FORMS)}.")
    ending = FORMS[form][1]
    page = folder / f"{REPORT}{ending}" if target is None else Path(target)
    inside = page.parent.absolute() == folder.absolute() and page.stem == REPORT
    own = inside and bool(own_report(folder))
    endings = (ending, ".htm") if form == "html" else (ending,)
    check_file("-o", str(page), endings, overwrite=overwrite or own)
    data = page.with_suffix(".json")
    if data.name == MANIFEST:
        raise RequestError(
            f"-o {target}: its data would go to {data}, which says that a folder holds results.\n"
            "  Choose another name."
        )
    check_file("-o", str(data), (".json",), overwrite=overwrite or own or _about(data, command))
    return page, data


def _about(data: Path, command: str) -> bool:
    """Whether a file holds the data of a page about what a command plays."""
    try:
        held = json.loads(data.read_bytes())
        return bool(held["format"] == REPORT_FORMAT and held["command"] == command)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def make_page(folder: Path, result: Any, on_told: Callable[[str], None] | None = None) -> Page:
    """Return the report of what is saved in a folder.

    Parameters
    ----------
    folder : Path
    result : Result, ComparisonResult, SweepResult or TournamentResult
        As `load` returns it.
    on_told : callable, optional
        Called with a line that says what is going on.

    Raises
    ------
    RequestError
        When nothing in it is finished.
    Interrupted
        When stopped from outside; nothing was written.
    """
    manifest = read_manifest(folder)
    if not result.summary.completed:
        raise RequestError(
            f"report {folder}: nothing in it is finished.\n"
            f"  Go on: simcards resume {quoted(str(folder))}"
        )
    for plan in plans_of(manifest.plan):
        prepare_plan(plan)
    made: Page = interruptible(lambda: _page(folder, manifest, result, on_told))
    return made


def _page(
    folder: Path, manifest: Manifest, result: Any, on_told: Callable[[str], None] | None
) -> Page:
    one = result.summary
    if isinstance(result, Result):
        plan = one.plan
        auditor = Auditor(plan)
        found = at_table(
            plan, one.first, one.completed, level=one.level, on_told=on_told, see=auditor.see
        )
        whole = one.keeps_rows and one.completed <= MOST_ROWS
        checked = sanity(
            plan,
            result.counts,
            auditor,
            first=one.first,
            rows=result.rows if whole else None,
        )
        return run_page(folder, manifest, one, result.counts, found, checked)
    contest: Contest = one.contest
    plan = contest.tables[0].plan
    auditor = Auditor(plan)
    course = course_of(
        contest,
        one.first,
        one.completed,
        level=one.level,
        matters=manifest.asked.get("matters", {}),
        on_told=on_told,
        see=auditor.see,
    )
    counts = result.counts.runs[0] if contest.by_table else _counts(plan, one.first, one.completed)
    checked = sanity(plan, counts, auditor, first=one.first)
    if isinstance(result, ComparisonResult):
        return comparison_page(folder, manifest, one, result.counts, course, checked)
    if isinstance(result, SweepResult):
        return sweep_page(folder, manifest, one, course, checked)
    return tournament_page(folder, manifest, one, course, checked)


def _counts(plan: Plan, first: int, n: int) -> Counts:
    """Return the counts of a table's first games, which a comparison of strategies doesn't keep."""
    chunk = play_chunk(plan, first, first + min(n, TOLD), False)
    assert chunk is not None  # nobody asks it to stop
    counts: Counts = chunk.counts
    return counts


def rendered(page: Page, form: str, data_file: str) -> tuple[str, str]:
    """Return a report as a page, and its data as JSON; the page is made from that data.

    Parameters
    ----------
    page : Page
    form : str
        html or md.
    data_file : str
        Name of the file of the data.
    """
    data = json.dumps(page.to_json(), allow_nan=False, indent=1) + "\n"
    return FORMS[form][0](json.loads(data), data_file), data


def report(
    folder: str | Path,
    file: str | Path | None = None,
    *,
    form: str = "html",
    overwrite: bool = False,
    on_told: Callable[[str], None] | None = None,
) -> Path:
    """Write the report of something saved: one file, and its data beside it.

    Parameters
    ----------
    folder : path
        Of a run, a comparison, a sweep or a tournament.
    file : path, optional
        FILE.html or FILE.md; its data goes to FILE.json. Else ``report.html`` in the folder, which
        is written anew if it is there.
    form : str
        ``html`` or ``md``.
    overwrite : bool
        Replace files that are there.
    on_told : callable, optional
        Called with a line that says what is going on.

    Returns
    -------
    Path
        Of the page.

    Raises
    ------
    RequestError
        When there is nothing to report, or a file is there already; nothing was written.
    RunError
        When a file can't be written.
    """
    path = Path(folder)
    result = load(path)  # what isn't there is said before anything about files
    target, data_file = files_of(
        path, None if file is None else str(file), form, result.summary.command, overwrite=overwrite
    )
    page = make_page(path, result, on_told)
    text, data = rendered(page, form, data_file.name)
    write_file(data_file, data.encode())
    write_file(target, text.encode())
    return target
