"""Make the report of something saved, and write it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...sim.chunk import play_chunk, prepare_plan
from ...sim.contest import Contest, plans_of
from ...sim.counts import Counts
from ...sim.errors import RequestError, RunError
from ...sim.manifest import MANIFEST, Manifest, read_manifest
from ...sim.plan import Plan
from ...sim.provenance import REPORT_FORMAT
from ...sim.signals import interruptible
from ...sim.store import REPORT, own_report
from ..at_table import TOLD, affordable, at_table
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

FORMS: dict[str, Callable[[Any, str], str]] = {"html": html, "md": markdown}
"""By form what renders it; files of a form end in its name."""
MOST_ROWS = 2_000_000
"""Rows up to which all of them are looked at."""


def files_of(
    folder: Path, target: str | None, form: str | None, command: str, *, overwrite: bool
) -> tuple[Path, Path]:
    """Return where a report goes, and its data.

    Parameters
    ----------
    folder : Path
        Of what is reported. A report of ours in it belongs to it and is written anew.
    target : str or None
        A file elsewhere; None: in the folder.
    form : str or None
        None: as the file ends.
    command : str
        That plays the same again. The data of another page about the same is replaced.
    overwrite : bool
        Whether files that are there may be replaced.

    Raises
    ------
    RequestError
        When there is no such form, or a file can't be written or is there.
    """
    if form is not None and form not in FORMS:
        raise RequestError(f"--format {form}: must be one of {', '.join(FORMS)}.")
    if target is None:
        page = folder / f"{REPORT}.{form or 'html'}"
        data = page.with_suffix(".json")
        for one in (page, data):
            if one.exists() and not overwrite and not own_report(folder):
                raise RequestError(
                    f"report {folder}: there is a {one.name} that simcards didn't write.\n"
                    "  Name another file with -o, or add --overwrite."
                )
        check_file("report", str(page), (page.suffix,), overwrite=True)
        return page, data
    page = Path(target)
    if page.resolve().is_relative_to(folder.resolve()):
        raise RequestError(
            f"-o {target}: in the folder itself the report is called {REPORT}.html or {REPORT}.md."
            "\n  Leave out -o, or name a file elsewhere."
        )
    endings = [f".{form}"] if form else [f".{one}" for one in FORMS]
    check_file("-o", target, endings, overwrite=overwrite)
    data = page.with_suffix(".json")
    if data.name == MANIFEST:
        raise RequestError(
            f"-o {target}: its data would go to {data}, which says that a folder holds results.\n"
            "  Choose another name."
        )
    replaces = overwrite or _about(data, command)
    what = f"-o {target}: its data"
    check_file("-o", str(data), (".json",), overwrite=replaces, what=what)
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
        few = affordable(plan, one.first, min(one.completed, TOLD))
        found = at_table(plan, one.first, few, level=one.level, on_told=on_told, see=auditor.see)
        rows = _rows(result) if one.keeps_rows and one.completed <= MOST_ROWS else None
        checked = sanity(plan, result.counts, auditor, first=one.first, rows=rows)
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


def _rows(result: Result) -> Any:
    """Return the rows of a run; none where they are damaged, as `verify` says: counts are whole."""
    with contextlib.suppress(RunError):
        return result.rows
    return None


def _counts(plan: Plan, first: int, n: int) -> Counts:
    """Return the counts of a table's first games, which a comparison of strategies doesn't keep."""
    chunk = play_chunk(plan, first, first + min(n, TOLD), False)
    assert chunk is not None  # nobody asks it to stop
    counts: Counts = chunk.counts
    return counts


def data_of(page: Page) -> str:
    """Return what report.json holds, as text."""
    return json.dumps(page.to_json(), allow_nan=False, indent=1) + "\n"


def report(
    folder: str | Path,
    file: str | Path | None = None,
    *,
    form: str | None = None,
    overwrite: bool = False,
    on_told: Callable[[str], None] | None = None,
) -> Path:
    """Write the report of something saved: one file, and its data beside it.

    Parameters
    ----------
    folder : path
        Of a run, a comparison, a sweep or a tournament.
    file : path, optional
        FILE.html or FILE.md; its data goes to FILE.json. Else ``report.html`` or ``report.md`` in
        the folder, which are written anew if they are there.
    form : str, optional
        ``html`` or ``md``; as the file ends, or ``html``, if left out.
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
    data = data_of(make_page(path, result, on_told))
    # Pages of both forms may lie in the folder; their data are the same.
    pages = [target]
    if file is None:
        pages += [one for one in own_report(path) if one not in (target, data_file)]
    # The pages are made from nothing but the data.
    texts = {one: FORMS[one.suffix.lower()[1:]](json.loads(data), data_file.name) for one in pages}
    write_file(data_file, data.encode())
    for one, text in texts.items():
        write_file(one, text.encode())
    return target
