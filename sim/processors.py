"""How many threads this process may really use."""

from __future__ import annotations

import math
import os
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")


def _container_limit() -> float:
    """Processors' worth of time a Linux container grants; infinite where there is no limit."""
    try:
        quota, period = (CGROUP / "cpu.max").read_text().split()
        if quota != "max":
            return int(quota) / int(period)
    except (OSError, ValueError):
        pass
    try:
        quota = (CGROUP / "cpu/cpu.cfs_quota_us").read_text()
        period = (CGROUP / "cpu/cpu.cfs_period_us").read_text()
        if int(quota) > 0:
            return int(quota) / int(period)
    except (OSError, ValueError):
        pass
    return math.inf


def usable_processors() -> int:
    """Return the number of processors that affinity and container limits leave us."""
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        allowed = os.process_cpu_count() or 1
    elif hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        allowed = len(os.sched_getaffinity(0))
    else:
        allowed = os.cpu_count() or 1
    return max(
        1, min(allowed, math.ceil(_container_limit()) if _container_limit() < allowed else allowed)
    )
