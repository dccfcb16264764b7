"""A file as what it holds: a document, tables, both, or other files; each file is parsed once."""

from __future__ import annotations

import os

from caveat.core.errors import CaveatError, InputError, fault_of
from caveat.core.files import PathLike, read_raw
from caveat.sources.contents import Contents
from caveat.sources.kinds import kind_by_ending, kind_of

__all__ = ["parse_file", "read_file"]


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
