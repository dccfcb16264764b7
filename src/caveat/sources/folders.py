"""The files that paths stand for: a file for itself, a folder for those in it that are known."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from caveat.core.errors import InputError
from caveat.core.files import PathLike

__all__ = ["NamedFile", "files_of"]

NamedFile = tuple[str, bool]
"""A file, and whether it was named itself, not found in a folder."""


def _never(path: PathLike) -> bool:
    return False


def files_of(
    paths: Iterable[PathLike],
    known: Callable[[str], bool],
    problem: str,
    *,
    is_one: Callable[[PathLike], bool] = _never,
) -> Iterator[NamedFile]:
    """Each file once, where it is named first; of a folder those whose names are known, sorted, hidden ones left out.

    A folder without any is an error, its `problem` a sentence about it; `is_one` tells folders that stand for
    themselves.
    """
    seen: set[str] = set()
    for path in paths:
        folder = str(path) != "-" and Path(path).is_dir() and not is_one(path)
        for file in _files_in(path, known, problem) if folder else [str(path)]:
            if (whole := file if file == "-" else os.path.realpath(file)) not in seen:
                seen.add(whole)
                yield file, not folder


def _files_in(folder: PathLike, known: Callable[[str], bool], problem: str) -> list[str]:
    found: list[Path] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        # "~$book.xlsx" is what Office leaves beside a file that is open.
        shown = (name for name in names if not name.startswith((".", "~$")))
        found += [Path(parent, name) for name in shown if known(name)]
    if not found:
        raise InputError(problem, path=folder)
    return [str(path) for path in sorted(found)]
