"""Single files that a command writes: refused before anything is played, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ..sim.errors import RequestError, RunError
from ..sim.journal import write_whole

PICTURES = (".svg", ".png", ".pdf")
"""Endings of pictures."""


def check_file(
    option: str, target: str, endings: Sequence[str], *, overwrite: bool, what: str = ""
) -> Path:
    """Refuse a file that can't be written.

    Parameters
    ----------
    option : str
        That names it, for messages.
    target : str
    endings : sequence of str
        What its name may end in.
    overwrite : bool
        Whether a file that is there may be replaced.
    what : str
        What goes there, if the file wasn't named by the option.

    Raises
    ------
    RequestError
        When its ending is none of these, its folder doesn't exist or can't be written to, it is a
        folder, or it is there.
    """
    path = Path(target)
    said = f"{what} would go to {target}, which" if what else f"{option} {target}:"
    if path.suffix.lower() not in endings:
        raise RequestError(f"{option} {target}: must end in {', '.join(endings)}.")
    if not path.parent.is_dir():
        raise RequestError(f"{option} {target}: there is no folder {path.parent}.")
    if not os.access(path.parent, os.W_OK):
        raise RequestError(f"{option} {target}: {path.parent} can't be written to.")
    if path.is_dir():
        raise RequestError(f"{said} is a folder.\n  Choose another name.")
    if path.exists() and not overwrite:
        raise RequestError(f"{said} exists already.\n  Choose another name, or add --overwrite.")
    return path


def write_file(path: Path, data: bytes) -> None:
    """Write a file, under its name only when it is whole.

    Raises
    ------
    RunError
        When it can't be written.
    """
    try:
        write_whole(path, data)
    except OSError as error:
        raise RunError(f"{path}: can't be written: {error.strerror or error}.") from None
