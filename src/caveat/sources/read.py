"""A file as what it holds: a document, tables, or a document with the tables in it; each file is parsed once.

Its ending tells of what kind it is, or its content where the ending says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Literal, NamedTuple

from caveat.core.encoding import declared_encoding, decode
from caveat.core.errors import CaveatError, InputError, fault_of
from caveat.core.files import PathLike, read_raw
from caveat.core.guessing import guessed
from caveat.core.records import Document
from caveat.sources.grid import RawTable, ReadTable, read_table

__all__ = ["ENDINGS", "Contents", "Kind", "kind_of", "parse_file", "read_file"]

Kind = Literal["plain text", "markdown", "html", "pdf", "csv", "tsv", "excel"]

ENDINGS: dict[str, Kind] = {
    ".txt": "plain text",
    ".text": "plain text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".xlsx": "excel",
    ".xlsm": "excel",
}
_TABULAR = frozenset(("csv", "tsv", "excel"))

_BEGINNING = 1024
_PDF, _ZIP, _OLD_OFFICE = b"%PDF-", b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
# Names stand uncompressed in a zip file.
_WORKBOOK = b"xl/"
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--(?:[^-]|-(?!->))*-->\s*)*"
    rb"<(?:!doctype\s+html|html|head|body|table)\b",
    re.IGNORECASE,
)
_PIPES = re.compile(
    r"^[ \t]*+\|?[ \t]*+:?-{2,}+:?[ \t]*+(?:\|[ \t]*+:?-{2,}+:?[ \t]*+)++\|?[ \t]*+\r?$", re.MULTILINE
)
_LOOKED_THROUGH = 1 << 16
_PICTURES = dict.fromkeys((b"\x89PNG", b"\xff\xd8\xff", b"GIF8"), "is a picture")
# What else people have, by its first bytes, and what to do about it.
_NO_DOCUMENTS = {
    _ZIP: "is a zip file, such as Word and Excel write",
    _OLD_OFFICE: "is an old Office file",
    b"{\\rtf": "is an RTF file",
    **_PICTURES,
}
_NO_TABLES = {
    _PDF: "is a PDF, in which tables are only lines and letters",
    **_PICTURES,
    b"PAR1": "is a Parquet file",
    b"SQLite format 3\0": "is an SQLite database",
}
# The names that spreadsheets give, which say nothing.
_NAMELESS = re.compile(r"(?:sheet|table|tabelle|feuil|feuille|hoja|工作表|表)\s*\d*", re.IGNORECASE)


class Contents(NamedTuple):
    """What a file holds, and what is to be said about it; a file that is nothing but tables has no document."""

    document: Document | None = None
    tables: tuple[ReadTable, ...] = ()
    remark: str = ""


def read_file(path: PathLike) -> Contents:
    """What a file holds, or standard input for `-`; of what kind it is, its ending and content tell.

    Plain text stays as it is, and offsets are into the file's own text; the text of Markdown, HTML and PDF is what a
    reader sees, with a line for each element. A table's id is the file's name, with `#` and the sheet's name or the
    table's number where there are several; its caption is what the file calls it, else the file's name without its
    ending.
    """
    if str(path) != "-" and Path(path).is_dir():
        raise InputError("is a folder: `read_sources` reads what is in it", path=path)
    return parse_file(read_raw(path, "source_bytes"), path)


def parse_file(data: bytes, path: PathLike) -> Contents:
    """The content of a file, uncompressed (see `read_file`).

    This is the border of the parsers: whatever they raise over a file that is not what it should be, it becomes an
    error of ours here. Those of PDF and office files run in a process of their own (see `parser_process`).
    """
    if not data or data.isspace():
        raise InputError("is empty", path=path)
    try:
        return _parse(data, str(path))
    except InputError as error:
        # The parsers see no path.
        raise (InputError(error.problem, path=path) if error.path is None else error) from error.__cause__
    except CaveatError:
        raise
    except MemoryError as error:
        raise InputError("takes more memory than there is", path=path) from error
    except Exception as error:
        raise InputError(fault_of(error), path=path) from error


def kind_of(data: bytes, path: PathLike) -> Kind:
    """The kind of a file, by its ending and its content; files of other kinds are refused."""
    kind = _kind_by_ending(path)
    if data.startswith(_ZIP) and _WORKBOOK in data:
        return "excel"
    old_workbook = data.startswith(_OLD_OFFICE) and PurePath(str(path).lower()).suffix == ".xls"
    if kind in _TABULAR or old_workbook:
        _refuse_as_table(data, path)
        # Many a web site hands out tables of HTML or text under Excel's ending.
        return kind if kind is not None and kind != "excel" else _kind_by_content(data, path, prose=False)
    for mark, what in _NO_DOCUMENTS.items():
        if data.startswith(mark):
            raise InputError(f"{what}: save it as PDF, HTML or text and ask again", path=path)
    # PDF files may begin with a little that is not PDF; texts may speak of it.
    if data[:_BEGINNING].lstrip().startswith(_PDF) or (kind == "pdf" and _PDF in data[:_BEGINNING]):
        return "pdf"
    if kind == "pdf":
        raise InputError("is not a PDF: it does not begin as one", path=path)
    return kind or _kind_by_content(data, path, prose=True)


def _kind_by_ending(path: PathLike) -> Kind | None:
    return ENDINGS.get(PurePath(str(path).lower().removesuffix(".gz")).suffix)


def _kind_by_content(data: bytes, path: PathLike, *, prose: bool) -> Kind:
    """The kind of a text; one that may be prose is a table only if it looks like one."""
    if _HTML.match(data):
        return "html"
    try:
        text = decode(data, path).text
    except InputError:
        return "plain text" if prose else "csv"  # either says what is wrong with it
    if _PIPES.search(text, 0, _LOOKED_THROUGH):
        return "markdown"
    from caveat.sources.delimited import is_delimited

    return "plain text" if prose and not is_delimited(text) else "csv"


def _refuse_as_table(data: bytes, path: PathLike) -> None:
    if data.startswith(_ZIP):
        problem = "is a zip file, but not one that Excel wrote: save it as .xlsx or CSV and ask again"
        raise InputError(problem, path=path)
    if data.startswith(_OLD_OFFICE):
        problem = "is an old Excel file, or one with a password: save it as .xlsx without one and ask again"
        raise InputError(problem, path=path)
    for mark, what in _NO_TABLES.items():
        if data.startswith(mark):
            raise InputError(f"{what}: save it as CSV or .xlsx and ask again", path=path)


def _parse(data: bytes, path: str) -> Contents:
    kind = kind_of(data, path)
    name = "" if path == "-" else PurePath(path.removesuffix(".gz")).stem
    if kind == "pdf":
        return Contents(_pdf(data))
    if kind == "excel":
        return Contents(tables=_workbook(data, path, name))
    text, guess = decode(data, path, declared_encoding(data) if kind == "html" else None)
    remark = "" if guess is None else guessed(guess)
    if kind in _TABULAR:
        from caveat.sources.delimited import read_delimited

        rows = read_delimited(text, expected="\t" if kind == "tsv" else ",")
        return Contents(tables=_numbered([RawTable(name, rows)], path), remark=remark)
    if kind == "html":
        from caveat.sources.html_nesting import tamed

        text, left_out = tamed(text)
        remark = "; ".join(filter(None, (remark, left_out)))
    document, tables = _text(kind, text, name)
    if _kind_by_ending(path) in _TABULAR:
        if not tables:
            raise InputError("has no tables in it")
        return Contents(tables=_numbered(tables, path), remark=remark)
    if not document.text or document.text.isspace():
        raise InputError("has no text in it")
    return Contents(document, _numbered(tables, path, in_prose=True), remark)


def _text(kind: Kind, text: str, name: str) -> tuple[Document, list[RawTable]]:
    if kind == "html":
        from caveat.sources.html import read_page

        return read_page(text, name)
    if kind == "markdown":
        from caveat.sources.markdown import read_markdown

        return read_markdown(text, name)
    from caveat.sources.plain_text import parse_plain_text

    return parse_plain_text(text), []


def _pdf(data: bytes) -> Document:
    from caveat.sources.parser_process import parse_apart
    from caveat.sources.pdf import assemble_pdf
    from caveat.sources.pdf_pages import Pages

    document = assemble_pdf(parse_apart("pdf", data, Pages))
    if not document.text:
        raise InputError("has no text in it, only pictures: text recognition has to come first")
    return document


def _workbook(data: bytes, path: str, name: str) -> tuple[ReadTable, ...]:
    from caveat.sources.parser_process import parse_apart
    from caveat.sources.spreadsheet import Sheet

    sheets = parse_apart("excel", data, list[Sheet])
    if not sheets:
        raise InputError("has no cells in it")
    tables: list[ReadTable] = []
    for sheet in sheets:
        caption = name if _NAMELESS.fullmatch(sheet.title) else ": ".join(filter(None, (name, sheet.title)))
        id = path if len(sheets) == 1 else f"{path}#{sheet.title}"
        table = read_table(sheet.rows(), caption=caption, id=id)
        tables += [table] if table is not None else []
    return tuple(tables)


def _numbered(raw: Iterable[RawTable], path: str, *, in_prose: bool = False) -> tuple[ReadTable, ...]:
    """The tables of a file, with ids; a page can be read even if a table in it cannot."""
    several = list(raw)
    tables: list[ReadTable] = []
    for number, (caption, rows, headers) in enumerate(several, 1):
        id = path if len(several) == 1 else f"{path}#{number}"
        try:
            table = read_table(rows, caption=caption, id=id, headers=headers)
        except InputError:
            if not in_prose:
                raise
            continue
        tables += [table] if table is not None else []
    if not tables and not in_prose:
        raise InputError("has no cells in it")
    return tuple(tables)
