"""A file or folder that one process at a time may write to."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from caveat.core.errors import CaveatError
from caveat.core.files import PathLike

__all__ = ["locked"]


@contextmanager
def locked(path: PathLike) -> Iterator[None]:
    """Hold a file or folder that exists; raises where another process holds it.

    The lock goes with the process, however that ends: a killed one leaves nothing to remove.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    handle = os.open(path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CaveatError(f"{path} is being written by another process at the moment.") from None
        except OSError:
            pass  # a file system without locks
        yield
    finally:
        os.close(handle)
