"""The files of a folder that are worth opening, and why the others are not."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from caveat.core.files import PathLike
from caveat.core.limits import current_limits, over
from caveat.core.records import Remark
from caveat.sources.kinds import ENDINGS

__all__ = ["Unread", "all_endings", "files_in", "problem_of_name"]

Unread = Callable[[Remark], None]
"""Told of each file of a folder that nothing is read of, and why."""

# Endings of files of triples, as they stand in folders; a file that is named may have any.
_TRIPLES = (".kb", ".nt", ".triples", "triples.index")


def all_endings() -> tuple[str, ...]:
    """Those of files that are read in a folder."""
    return (*ENDINGS, *_TRIPLES)


def files_in(folder: PathLike, unread: Unread) -> list[str]:
    """The files of a folder whose names are known, sorted, hidden ones left out; `unread` is told of all others."""
    endings = all_endings()
    most = current_limits().files
    found: list[Path] = []

    def fault(error: OSError) -> None:
        unread(Remark(str(error.filename), f"cannot be opened: {(error.strerror or str(error)).lower()}"))

    for parent, folders, names in os.walk(folder, onerror=fault):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        # "~$book.xlsx" is what Office leaves beside a file that is open.
        for name in sorted(name for name in names if not name.startswith((".", "~$"))):
            path = Path(parent, name)
            if (problem := _problem(path, endings)) is not None:
                unread(Remark(str(path), problem))
                continue
            found.append(path)
            if len(found) > most:
                raise over("files", f"has more than {most:,} files to read", path=folder)
    return [str(path) for path in sorted(found)]


def _problem(path: Path, endings: tuple[str, ...]) -> str | None:
    """Why a file of a folder is not even opened: what is no file might never end."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return "is a pipe or a device, not a file"
    except OSError as error:
        return f"cannot be opened: {(error.strerror or str(error)).lower()}"
    return problem_of_name(str(path), endings)


def problem_of_name(path: str, endings: tuple[str, ...] = tuple(ENDINGS)) -> str | None:
    """Why a file of this name is not opened, in a folder or, by default, in an archive."""
    if path.lower().removesuffix(".gz").endswith(endings):
        return None
    kind = Path(path).suffix.lower()
    if kind in _TRIPLES:
        return "holds triples, which are read from a file of their own"
    return (
        f"is of a kind that is not read ({kind})" if kind else "is of no kind that is read: it has no ending"
    )
