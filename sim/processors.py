"""How many threads this process may really use."""

from __future__ import annotations

import math
import os
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")


def _quotient(quota: str, period: str) -> float:
    """Processors' worth of time; infinite for no limit, and for what isn't understood."""
    try:
        limit = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):
        return math.inf
    return limit if limit > 0 else math.inf


def _container_limit() -> float:
    """Processors' worth of time a Linux container grants; infinite where there is no limit."""
    try:
        quota, period = (CGROUP / "cpu.max").read_text().split()
        return _quotient(quota, period)
    except (OSError, ValueError):
        pass
    try:
        quota = (CGROUP / "cpu/cpu.cfs_quota_us").read_text()
        return _quotient(quota, (CGROUP / "cpu/cpu.cfs_period_us").read_text())
    except (OSError, ValueError):
        return math.inf


def usable_processors() -> int:
    """Return the number of processors that affinity and container limits leave us."""
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        allowed = os.process_cpu_count() or 1
    elif hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        allowed = len(os.sched_getaffinity(0))
    else:
        allowed = os.cpu_count() or 1
    limit = _container_limit()
    return max(1, math.ceil(limit) if limit < allowed else allowed)
