"""Files that are being written beside those whose place they will take; what killed writers have left is removed."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from caveat.core.errors import CaveatError

_SUFFIX = ".part"
_BUILDING = ".building-"
# So much of a long name is in the name of its part.
_NAME = 40
# Characters that `mkstemp` makes up.
_RANDOM = 8


@contextmanager
def part_file(target: Path) -> Iterator[tuple[int, Path]]:
    """A new file beside the target: its handle, which the caller closes, and its path, gone at the end unless renamed.

    Its writer has a lock on it as long as it lives. Parts of the same target that nobody has locked are removed.
    """
    prefix = f".{target.name[:_NAME]}."
    for name in _parts_in(target.parent):
        if name.startswith(prefix) and len(name) == len(prefix) + _RANDOM + len(_SUFFIX):
            _remove_if_left(target.parent / name)
    handle, path, lock = _locked_part(target.parent, prefix)
    try:
        yield handle, path
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)


@lru_cache(maxsize=64)
def _parts_in(folder: Path) -> tuple[str, ...]:
    """The parts in a folder, looked for once: who writes a thousand files there does not list it a thousand times."""
    with suppress(OSError), os.scandir(folder) as entries:
        return tuple(entry.name for entry in entries if entry.name.endswith(_SUFFIX))
    return ()


def _locked_part(folder: Path, prefix: str) -> tuple[int, Path, int | None]:
    while True:
        handle, name = tempfile.mkstemp(dir=folder, prefix=prefix, suffix=_SUFFIX)
        if sys.platform == "win32":
            return handle, Path(name), None
        import fcntl

        with suppress(OSError):  # a file system without locks: there nobody removes what is left
            fcntl.flock(handle, fcntl.LOCK_EX)
        # Another process may have met it before it was locked, and removed it.
        if os.fstat(handle).st_nlink:
            # The lock is that of both handles, until the second is closed as well.
            return handle, Path(name), os.dup(handle)
        os.close(handle)


def _remove_if_left(path: Path) -> None:
    """Remove a part whose writer has died; one that is locked, or belongs to someone else, stays."""
    if sys.platform == "win32":
        return
    import fcntl

    with suppress(OSError):
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
        finally:
            os.close(handle)


@contextmanager
def locked(path: str | Path) -> Iterator[None]:
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


@contextmanager
def workplace(out: Path) -> Iterator[Path]:
    """A temporary folder inside `out`; what a killed build has left there is taken away first.

    Only one process builds in a folder at a time. The lock goes with the process, however that ends.
    """
    made = not out.exists()
    out.mkdir(parents=True, exist_ok=True)
    with locked(out):
        try:
            for left_over in out.glob(f"{_BUILDING}*"):
                shutil.rmtree(left_over, ignore_errors=True)
            folder = Path(tempfile.mkdtemp(prefix=_BUILDING, dir=out))
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            if made:
                with suppress(OSError):  # it has the index in it, unless that failed
                    out.rmdir()
