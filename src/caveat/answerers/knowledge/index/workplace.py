"""Where an index is built: a folder beside it, which nobody else works in, and which is gone afterwards."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from caveat.core.errors import CaveatError

__all__ = ["workplace"]

_PREFIX = ".building-"


@contextmanager
def workplace(out: Path) -> Iterator[Path]:
    """A temporary folder inside `out`; what a killed build has left there is taken away first.

    Only one process builds in a folder at a time. The lock goes with the process, however that ends.
    """
    made = not out.exists()
    out.mkdir(parents=True, exist_ok=True)
    with _locked(out):
        try:
            for left_over in out.glob(f"{_PREFIX}*"):
                shutil.rmtree(left_over, ignore_errors=True)
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=out))
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            if made:
                with suppress(OSError):  # it has the index in it, unless that failed
                    out.rmdir()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    if sys.platform == "win32":
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CaveatError(f"{folder} is being written by another process at the moment.") from None
        except OSError:
            pass  # a file system without locks
        yield
    finally:
        os.close(handle)
