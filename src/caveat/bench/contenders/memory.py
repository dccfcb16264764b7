"""How much memory a process has needed."""

from __future__ import annotations

import sys

__all__ = ["peak_kilobytes"]


def peak_kilobytes() -> int:
    """Peak resident memory of this process, of this program alone where the system can tell."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        import resource

        # Not where there is a choice: on Linux a new process begins with its parent's peak.
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak // 1024 if sys.platform == "darwin" else peak
