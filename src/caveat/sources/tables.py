"""Tables from files, folders and standard input: CSV, TSV, Excel, and the tables of HTML and Markdown files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import Literal

from caveat.core.encoding import declared_encoding, decode
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_raw
from caveat.sources.documents import is_document_name
from caveat.sources.folders import NamedFile, files_of
from caveat.sources.grid import ReadTable, read_table

__all__ = [
    "ENDINGS",
    "ReadTable",
    "TableKind",
    "Tabular",
    "is_table_file",
    "is_table_name",
    "parse_tables",
    "read_table_file",
    "read_tables",
    "table_paths",
    "tabular",
]

Tabular = Literal["wholly", "partly", "no"]
"""Whether a file is nothing but tables, a document that may have tables in it, or neither."""

TableKind = Literal["csv", "tsv", "excel", "html", "markdown"]

ENDINGS: dict[str, TableKind] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".md": "markdown",
    ".markdown": "markdown",
}
# These are documents that may have tables in them; the others are nothing but tables.
_DOCUMENTS = frozenset(("html", "markdown"))
_ZIP, _OLD, _OLD_ENDING = b"PK\x03\x04", b"\xd0\xcf\x11\xe0", ".xls"
# Names stand uncompressed in a zip file.
_WORKBOOK = b"xl/"
_OTHERS = {
    b"%PDF-": "is a PDF, in which tables are only lines and letters",
    b"\x89PNG": "is a picture",
    b"\xff\xd8\xff": "is a picture",
    b"GIF8": "is a picture",
    b"PAR1": "is a Parquet file",
    b"SQLite format 3\0": "is an SQLite database",
}
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<!--|<!doctype\s+html|<html|<head|<body|<table)\b", re.IGNORECASE
)
_PIPES = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)+\|?\s*$", re.MULTILINE)
_BEGINNING = 1 << 16
# The names that spreadsheets give, which say nothing.
_NAMELESS = re.compile(r"(?:sheet|table|tabelle|feuil|feuille|hoja|工作表|表)\s*\d*", re.IGNORECASE)


def read_tables(paths: Iterable[PathLike]) -> Iterator[tuple[str, ReadTable]]:
    """The tables of files, folders (with all that is in them) and `-`, each with the name of its file.

    A file that is named must have a table in it; of the files in a folder, web pages and notes may have none.
    """
    for path, named in _paths(paths):
        tables = read_table_file(path)
        if not tables and named:
            raise InputError("has no tables in it", path=path)
        for table in tables:
            yield path, table


def table_paths(paths: Iterable[PathLike]) -> Iterator[str]:
    """The files that the paths stand for: in a folder those with a known ending, sorted, hidden ones left out."""
    return (path for path, _ in _paths(paths))


def _paths(paths: Iterable[PathLike]) -> Iterator[NamedFile]:
    return files_of(paths, is_table_name, f"has no tables in it: {', '.join(ENDINGS)}")


def is_table_name(name: str) -> bool:
    """Whether a name has the ending of a file that is, or may have in it, a table."""
    return _kind_by_ending(name) is not None


def is_table_file(path: PathLike) -> bool:
    """Whether a name's ending says that a file is nothing but tables, which no reader of texts can read."""
    kind = _kind_by_ending(str(path))
    return kind is not None and kind not in _DOCUMENTS


def tabular(data: bytes, path: PathLike) -> Tabular:
    """How much of a file tables are, by its ending, or by its content where the ending says nothing."""
    if data.startswith(_ZIP) and _WORKBOOK in data:
        return "wholly"
    if data.startswith(_OLD) and PurePath(str(path).lower()).suffix == _OLD_ENDING:
        return "wholly"  # so that what is said about it is about tables
    if (kind := _kind_by_ending(str(path))) is not None:
        return "partly" if kind in _DOCUMENTS else "wholly"
    if is_document_name(str(path)):
        return "no"
    if _HTML.match(data):
        return "partly"
    try:
        text = decode(data, path)
    except InputError:
        return "no"
    if _PIPES.search(text, 0, _BEGINNING):
        return "partly"
    from caveat.sources.delimited import is_delimited

    return "wholly" if is_delimited(text) else "no"


def read_table_file(path: PathLike) -> tuple[ReadTable, ...]:
    """The tables of a file, or of standard input for `-`; none for a web page or Markdown text without any.

    A table's id is the file's name, with `#` and the sheet's name or the table's number where there are several;
    its caption is what the file calls it, else the file's name without its ending.
    """
    if str(path) != "-" and Path(path).is_dir():
        raise InputError("is a folder: `read_tables` reads what is in it", path=path)
    return parse_tables(read_raw(path), path)


def parse_tables(data: bytes, path: PathLike) -> tuple[ReadTable, ...]:
    """The tables in the content of a file, uncompressed (see `read_table_file`)."""
    if not data.strip():
        raise InputError("is empty", path=path)
    try:
        tables = _read(data, path)
    except InputError as error:
        # The parsers see no path.
        raise (InputError(error.problem, path=path) if error.path is None else error) from error.__cause__
    return tuple(tables)


def _read(data: bytes, path: PathLike) -> list[ReadTable]:
    kind = _kind(data, path)
    name = "" if str(path) == "-" else PurePath(str(path).removesuffix(".gz")).stem
    if kind == "excel":
        return _read_workbook(data, str(path), name)
    text = decode(data, path, declared_encoding(data) if kind == "html" else None)
    if kind is None:
        kind = "markdown" if _PIPES.search(text, 0, _BEGINNING) else "csv"
    if kind == "html":
        return _read_html(text, str(path), name)
    if kind == "markdown":
        return _read_markdown(text, str(path), name)
    from caveat.sources.delimited import read_delimited

    rows = read_delimited(text, expected="\t" if kind == "tsv" else ",")
    table = read_table(rows, caption=name, id=str(path))
    if table is None:
        raise InputError("has no cells in it", path=path)
    return [table]


def _read_workbook(data: bytes, path: str, name: str) -> list[ReadTable]:
    from caveat.sources.spreadsheet import read_workbook

    sheets = read_workbook(data)
    if not sheets:
        raise InputError("has no cells in it", path=path)
    tables: list[ReadTable] = []
    for title, rows in sheets:
        caption = name if _NAMELESS.fullmatch(title) else ": ".join(filter(None, (name, title)))
        table = read_table(rows, caption=caption, id=path if len(sheets) == 1 else f"{path}#{title}")
        tables += [table] if table is not None else []
    return tables


def _read_html(text: str, path: str, name: str) -> list[ReadTable]:
    from caveat.sources.html_tables import html_tables

    title, raw = html_tables(text)
    tables: list[ReadTable] = []
    for number, (caption, heading, rows, headers) in enumerate(raw, 1):
        parts = dict.fromkeys(filter(None, (title or name, caption or heading)))
        id = path if len(raw) == 1 else f"{path}#{number}"
        table = read_table(rows, caption=": ".join(parts), id=id, headers=headers)
        tables += [table] if table is not None else []
    return tables


def _read_markdown(text: str, path: str, name: str) -> list[ReadTable]:
    from caveat.sources.markdown_tables import markdown_tables

    raw = list(markdown_tables(text))
    tables: list[ReadTable] = []
    for number, (heading, rows) in enumerate(raw, 1):
        id = path if len(raw) == 1 else f"{path}#{number}"
        table = read_table(rows, caption=heading or name, id=id, headers=1)
        tables += [table] if table is not None else []
    return tables


def _kind(data: bytes, path: PathLike) -> TableKind | None:
    if data.startswith(_ZIP):
        if _WORKBOOK in data:
            return "excel"
        raise InputError(
            "is a zip file, but not one that Excel wrote: save it as .xlsx or CSV and ask again", path=path
        )
    if data.startswith(_OLD):
        problem = "is an old Excel file, or one with a password: save it as .xlsx without one and ask again"
        raise InputError(problem, path=path)
    for mark, what in _OTHERS.items():
        if data.startswith(mark):
            raise InputError(f"{what}: save it as CSV or .xlsx and ask again", path=path)
    kind = _kind_by_ending(str(path))
    if kind == "excel":
        # Many a web site hands out tables of HTML or text under Excel's ending.
        kind = None
    return kind or ("html" if _HTML.match(data) else None)


def _kind_by_ending(name: str) -> TableKind | None:
    return ENDINGS.get(PurePath(name.lower().removesuffix(".gz")).suffix)
