"""Play a published study again: its tables, its text and its reports.

    python results/reproduce.py aces-layouts
    python results/reproduce.py all --into somewhere
    python results/reproduce.py aces-layouts --into somewhere --scale 0.01

The same seeds and engine give the same tables, byte for byte.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from study_parts import Part, Study, StudyError, names, read_study
from study_tables import Line, from_csv, tables_of, to_csv
from study_text import write_text

import simcards.cli
from simcards import SimcardsError


def command_line(words: Sequence[str]) -> str:
    """Run a command of simcards in the current folder and return what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        simcards.cli.cli.main(list(words), prog_name="simcards", standalone_mode=False)
    return printed.getvalue()


def play(part: Part, *, keep: bool = False) -> dict[str, Any]:
    """Play a part in the current folder; with `keep` in a folder of its name there."""
    words = [*part.words, "--json", "--quiet"]
    return json.loads(command_line([*words, "--out", part.name] if keep else words))


def read_tables(folder: Path) -> dict[str, tuple[Line, ...]]:
    """Return the tables of a study's folder by name."""
    return {
        path.stem: from_csv(path.read_text(encoding="utf-8"))
        for path in sorted((folder / "tables").glob("*.csv"))
    }


def write(path: Path, text: str) -> None:
    """Write a file, with the same line ends on every system."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def index_line(study: Study, tables: Mapping[str, Sequence[Line]]) -> str:
    """Return the line about a study in results/README.md."""
    return f"- [{study.title}]({study.name}/README.md). {write_text(study, tables, study.finding)}"


def write_index(study: Study, into: Path) -> None:
    """Put a study's line into the index above its folder, over the one it had."""
    index = into.parent / "README.md"
    told = index.read_text(encoding="utf-8").splitlines() if index.exists() else []
    line = index_line(study, read_tables(into))
    old = [one for one in told if f"]({study.name}/README.md)" in one]
    lines = [line if one in old else one for one in told] if old else [*told, line]
    write(index, "\n".join(lines) + "\n")


def published(report: Path) -> str:
    """Return a report in Markdown without its mention of data beside it, which aren't published."""
    text = report.read_text(encoding="utf-8")
    beside = f"Every number stands in {report.stem}.json, beside this page."
    assert beside in text
    return text.replace(beside, "Its data are left out here; the command above makes them again.")


def reproduce(study: Study, into: Path, scale: float = 1.0, reports: bool = True) -> None:
    """Play a study and write what comes out.

    Parameters
    ----------
    study : Study
    into : Path
        A folder; gets ``tables/``, ``reports/`` and, at full scale, ``README.md``.
    scale : float
        Part of the games to play.
    reports : bool
        Whether to write the reports.

    Raises
    ------
    StudyError
        When the text claims what the tables don't say.
    SimcardsError
        When a part can't be played.
    """
    # In a folder of its own and under relative names, so that nothing tells where it was played.
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
        for path in study.folder.glob("*.toml"):
            shutil.copy(path, scratch)
        for part in study.parts:
            print(f"{study.name}: {part.name}", file=sys.stderr, flush=True)
            told = play(part.scaled(scale), keep=part.report and reports)
            for name, lines in tables_of(part.name, told, part.figures).items():
                write(into / "tables" / f"{name}.csv", to_csv(lines))
            if part.report and reports:
                target = f"{part.name}.md"
                command_line(["report", part.name, "--format", "md", "-o", target])
                write(into / "reports" / target, published(Path(target)))
    if scale == 1:
        template = (study.folder / "text.md").read_text(encoding="utf-8")
        write(into / "README.md", write_text(study, read_tables(into), template))
        write_index(study, into)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(description="Play a published study again.")
    parser.add_argument("study", nargs="+", help=f"{', '.join(names())}, or all")
    parser.add_argument("--into", type=Path, help="write below this folder, not where they lie")
    parser.add_argument("--scale", type=float, default=1.0, help="part of the games, such as 0.01")
    parser.add_argument("--no-reports", action="store_true", help="tables and text only")
    asked = parser.parse_args(arguments)
    if asked.scale != 1 and asked.into is None:
        parser.error("--scale needs --into: published tables rest on all games.")
    if not asked.scale > 0:
        parser.error("--scale must be above 0.")
    try:
        chosen = names() if asked.study == ["all"] else asked.study
        for study in map(read_study, chosen):
            into = study.folder if asked.into is None else asked.into.absolute() / study.name
            reproduce(study, into, asked.scale, not asked.no_reports)
    except (StudyError, SimcardsError) as error:
        print(f"reproduce: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
