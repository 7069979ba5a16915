"""What made a result: versions, and the forms of what is written."""

from __future__ import annotations

import platform
from importlib.metadata import version

from .. import __version__

# Formats of persistent and public forms; raised when what stands in them changes meaning.
MANIFEST_VERSION = 1
JSON_VERSION = 1
REPORT_VERSION = 1
REPORT_FORMAT = "simcards report"


def versions() -> dict[str, str]:
    """Return the versions of everything that a run depends on, and the system."""
    return {
        "simcards": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba", "llvmlite", "polars")},
        "system": f"{platform.system()} {platform.machine()}",
    }
