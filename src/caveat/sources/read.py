"""A file as what it holds, a document, tables, both, or other files, parsed once; and the files of a folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from caveat.core.errors import CaveatError, InputError, fault_of
from caveat.core.files import PathLike, read_raw, reason_of_system
from caveat.core.limits import current_limits, over
from caveat.core.records import Remark
from caveat.sources.contents import Contents
from caveat.sources.kinds import ENDINGS, kind_by_ending, kind_of


def read_file(path: PathLike) -> Contents:
    """What a file holds, or standard input for `-`; of what kind it is, its ending and content tell.

    Plain text stays as it is, and offsets are into the file's own text; the text of all other kinds is what a reader
    sees, with a line for each element. A table's id is the file's name, with `#` and the sheet's name or the
    table's number where there are several; its caption is what the file calls it, else the file's name without its
    ending.
    """
    if str(path) != "-" and os.path.isdir(path):
        raise InputError("is a folder: `read_sources` reads what is in it", path=path)
    return parse_file(read_raw(path, "source_bytes"), path)


def parse_file(data: bytes, path: PathLike, *, named: PathLike | None = None) -> Contents:
    """The content of a file, uncompressed (see `read_file`); what it is `named` elsewhere may have the ending.

    This is the border of the parsers: whatever they raise over a file that is not what it should be, it becomes an
    error of ours here. Those of PDF and office files run in a process of their own (see `parser_process`).
    """
    if not data or data.isspace():
        raise InputError("is empty", path=path)
    try:
        return _parse(data, str(path), path if named is None else named)
    except InputError as error:
        # The parsers see no path.
        raise (
            InputError(error.problem, path=path, line=error.line) if error.path is None else error
        ) from error.__cause__
    except CaveatError:
        raise
    except MemoryError as error:
        raise InputError("takes more memory than there is", path=path) from error
    except Exception as error:
        raise InputError(fault_of(error), path=path) from error


def _parse(data: bytes, path: str, named: PathLike) -> Contents:
    contents = kind_of(data, named).read(data, path)
    said = kind_by_ending(named)
    if said is not None and said.tabular:
        # A page under the ending of a table has only its tables to give.
        if not contents.tables and not contents.members:
            raise InputError("has no tables in it")
        return contents._replace(document=None)
    document = contents.document
    if document is not None and (not document.text or document.text.isspace()):
        raise InputError("has no text in it")
    return contents


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
