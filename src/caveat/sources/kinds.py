"""The kinds of files that are read: by which endings and first bytes each is known, and what reads it.

A reader gets the bytes of a file and its path, and returns `Contents`; it is imported when there is such a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from caveat.core.encoding import decode
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.loading import load

if TYPE_CHECKING:
    from caveat.sources.contents import Contents


class Kind(NamedTuple):
    """A kind of file: what it is called, its endings, its reader, and how its content is known.

    `begins` are first bytes; `holds` are bytes that a zip file of this kind has in it: names stand uncompressed there.
    """

    name: str
    endings: tuple[str, ...]
    home: str
    begins: bytes | tuple[bytes, ...] = b""
    holds: bytes = b""
    tabular: bool = False

    @property
    def read(self) -> Callable[[bytes, str], Contents]:
        """The reader."""
        reader: Callable[[bytes, str], Contents] = load(f"caveat.sources.{self.home}")
        return reader


_OPEN = b"application/vnd.oasis.opendocument."
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
_OLD_OFFICE, _ZIP, _PDF = b"\xd0\xcf\x11\xe0", b"PK\x03\x04", b"%PDF-"

KINDS = (
    Kind("plain text", (".txt", ".text"), "readers:plain_text"),
    Kind("Markdown", (".md", ".markdown", ".mkd", ".mdown", ".qmd", ".rmd"), "readers:markdown"),
    Kind("MDX", (".mdx",), "readers:mdx"),
    Kind("reStructuredText", (".rst",), "readers:restructured"),
    Kind("Org", (".org",), "readers:org"),
    Kind("AsciiDoc", (".adoc", ".asciidoc"), "readers:asciidoc"),
    Kind("wiki text", (".wiki", ".mediawiki"), "readers:wiki"),
    Kind("LaTeX", (".tex", ".latex"), "readers:latex"),
    Kind("HTML", (".html", ".htm", ".xhtml"), "readers:html"),
    Kind("PDF", (".pdf",), "readers:pdf", begins=_PDF),
    Kind("Word", (".docx", ".docm"), "readers:word", holds=b"word/document"),
    Kind("PowerPoint", (".pptx", ".pptm"), "readers:slides", holds=b"ppt/presentation.xml"),
    Kind("OpenDocument text", (".odt",), "readers:open_document", holds=_OPEN + b"text"),
    Kind("EPUB", (".epub",), "readers:epub", holds=b"application/epub+zip"),
    Kind("RTF", (".rtf",), "readers:rtf", begins=b"{\\rtf"),
    Kind("letter", (".eml",), "readers:mail"),
    Kind("mailbox", (".mbox",), "readers:mailbox"),
    Kind("notebook", (".ipynb",), "readers:notebook"),
    Kind("subtitles", (".srt", ".vtt"), "readers:subtitles"),
    Kind("picture", (".png", ".jpg", ".jpeg", ".tif", ".tiff"), "readers:picture", begins=_PICTURES),
    Kind("CSV", (".csv",), "readers:comma_separated", tabular=True),
    Kind("TSV", (".tsv", ".tab"), "readers:tab_separated", tabular=True),
    Kind("Excel", (".xlsx", ".xlsm", ".xlsb"), "readers:workbook", holds=b"xl/", tabular=True),
    Kind("old Excel", (".xls",), "readers:workbook", begins=_OLD_OFFICE, tabular=True),
    Kind("OpenDocument sheet", (".ods",), "readers:workbook", holds=_OPEN + b"spreadsheet", tabular=True),
    Kind("calendar", (".ics",), "readers:calendar", begins=b"BEGIN:VCALENDAR", tabular=True),
    Kind("JSON", (".json", ".jsonl", ".ndjson"), "readers:json", tabular=True),
    Kind("zip", (".zip",), "readers:archive", begins=_ZIP),
)
"""Everything that is read beside files of triples; where several fit a content, the first does."""

ENDINGS = {ending: kind for kind in KINDS for ending in kind.endings}
_NAMED = {kind.name: kind for kind in KINDS}

_BEGINNING = 1024
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--(?:[^-]|-(?!->))*-->\s*)*"
    rb"<(?:!doctype\s+html|html|head|body|table)\b",
    re.IGNORECASE,
)
_PIPES = re.compile(
    r"^[ \t]*+\|?[ \t]*+:?-{2,}+:?[ \t]*+(?:\|[ \t]*+:?-{2,}+:?[ \t]*+)++\|?[ \t]*+\r?$", re.MULTILINE
)
_LOOKED_THROUGH = 1 << 16
_SAVE = "save it as PDF, HTML or text and ask again"
_SAVE_TABLE = "save it as CSV or .xlsx and ask again"
# What else people have, by its first bytes.
_NOT_READ = {
    b"GIF8": "is a picture",
    b"PAR1": "is a Parquet file",
    b"SQLite format 3\0": "is an SQLite database",
}


def kind_by_ending(path: PathLike) -> Kind | None:
    """The kind that a file's name says it is of."""
    return ENDINGS.get(PurePath(str(path).lower().removesuffix(".gz")).suffix)


def kind_of(data: bytes, path: PathLike) -> Kind:
    """The kind of a file, by its content and its ending; files of other kinds are refused."""
    named = kind_by_ending(path)
    tabular = named is not None and named.tabular
    for mark, what in _NOT_READ.items():
        if data.startswith(mark):
            raise InputError(f"{what}: {_SAVE_TABLE if tabular else _SAVE}", path=path)
    if data.startswith(_ZIP):
        return _kind_of_zip(data, named, path)
    if data.startswith(_OLD_OFFICE):
        return _kind_of_old_office(named, path)
    # PDF files may begin with a little that is not PDF; texts may speak of it.
    is_pdf = data[:_BEGINNING].lstrip().startswith(_PDF)
    if is_pdf or (named is _NAMED["PDF"] and _PDF in data[:_BEGINNING]):
        if tabular:
            raise InputError(
                f"is a PDF, in which tables are only lines and letters: {_SAVE_TABLE}", path=path
            )
        return _NAMED["PDF"]
    for kind in KINDS:
        if kind.begins and data.removeprefix(b"\xef\xbb\xbf").startswith(kind.begins):
            return kind
    if named is None or named.name in ("Excel", "old Excel"):
        # Many a web site hands out tables of HTML or text under Excel's ending.
        return _kind_by_content(data, path, prose=named is None)
    if named.begins or named.holds:
        raise InputError(f"is not what its name says: {named.name} files begin otherwise", path=path)
    return named


def _kind_of_zip(data: bytes, named: Kind | None, path: PathLike) -> Kind:
    """What an office program wrote, else what the name says; without one it is an archive."""
    archive = _NAMED["zip"]
    if named is archive or (named is not None and named.holds and named.holds in data):
        return named
    for kind in KINDS:
        if kind.holds and kind.holds in data:
            return kind
    if named is not None and not named.holds:
        raise InputError(
            f"is a zip file, not {named.name}: unpack it, or name it .zip, and ask again", path=path
        )
    return named or archive


def _kind_of_old_office(named: Kind | None, path: PathLike) -> Kind:
    if named is not None and named.tabular and not named.holds:
        return _NAMED["old Excel"]
    if named is not None and named.holds:
        raise InputError(
            "has a password, or is of an old version: save it without one and ask again", path=path
        )
    raise InputError("is an old Office file: save it as .docx, .pptx, PDF or text and ask again", path=path)


def _kind_by_content(data: bytes, path: PathLike, *, prose: bool) -> Kind:
    """The kind of a text; one that may be prose is a table only if it looks like one."""
    if _HTML.match(data):
        return _NAMED["HTML"]
    try:
        text = decode(data, path).text
    except InputError:
        return _NAMED["plain text" if prose else "CSV"]  # either says what is wrong with it
    if _PIPES.search(text, 0, _LOOKED_THROUGH):
        return _NAMED["Markdown"]
    from caveat.sources.delimited import is_delimited

    return _NAMED["plain text" if prose and not is_delimited(text) else "CSV"]
