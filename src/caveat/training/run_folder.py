"""A run's folder: one process at a time writes to it, and what a killed one left half-written is taken away."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from caveat.core.locks import locked

__all__ = ["EXPORTING", "held"]

EXPORTING = ".export-"
"""How the temporary folders begin in which a model's files are put together."""


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Make the folder, if need be, and hold it; raises where another process does."""
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        for left in folder.glob(f"{EXPORTING}*"):
            shutil.rmtree(left, ignore_errors=True)
        for left in folder.glob(".*.part"):
            left.unlink(missing_ok=True)
        try:
            yield
        finally:
            if made:
                with suppress(OSError):  # something is in it, unless the run never began
                    folder.rmdir()
