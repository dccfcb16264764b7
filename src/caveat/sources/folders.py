"""The files of a folder that are worth opening, and why the others are not."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from caveat.core.files import PathLike, reason_of_system
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
    # Not `os.walk`, which until Python 3.12 calls itself for each folder inside of another.
    left = [str(folder)]
    while left:
        parent = left.pop()
        try:
            folders, names = _listed(parent)
        except OSError as error:
            unread(Remark(parent, f"cannot be opened: {reason_of_system(error)}"))
            continue
        left += [os.path.join(parent, name) for name in reversed(folders)]
        for name in names:
            path = Path(parent, name)
            if (problem := _problem(path, endings)) is not None:
                unread(Remark(str(path), problem))
                continue
            found.append(path)
            if len(found) > most:
                raise over("files", f"has more than {most:,} files to read", path=folder)
    return [str(path) for path in sorted(found)]


def _listed(folder: str) -> tuple[list[str], list[str]]:
    """The folders in a folder and its files, sorted; hidden ones are left out, and folders that are links."""
    folders: list[str] = []
    names: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            try:
                is_folder = entry.is_dir()
            except OSError:  # opening it says what is wrong
                is_folder = False
            # "~$book.xlsx" is what Office leaves beside a file that is open.
            if not is_folder and not entry.name.startswith("~$"):
                names.append(entry.name)
            elif is_folder and not entry.is_symlink():
                folders.append(entry.name)
    return sorted(folders), sorted(names)


def _problem(path: Path, endings: tuple[str, ...]) -> str | None:
    """Why a file of a folder is not even opened: what is no file might never end."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return "is a pipe or a device, not a file"
    except OSError as error:
        return f"cannot be opened: {reason_of_system(error)}"
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
