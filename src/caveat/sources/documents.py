"""Documents from files, folders and standard input: plain text, Markdown, HTML, PDF."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePath
from typing import Literal

from caveat.core.encoding import declared_encoding, decode
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_raw
from caveat.core.records import Document
from caveat.sources.folders import files_of

__all__ = [
    "ENDINGS",
    "Kind",
    "document_paths",
    "is_document_name",
    "parse_document",
    "read_document",
    "read_documents",
]

Kind = Literal["plain text", "markdown", "html", "pdf"]

ENDINGS: dict[str, Kind] = {
    ".txt": "plain text",
    ".text": "plain text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
}

_BEGINNING = 1024
_PDF = b"%PDF-"
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--(?:[^-]|-(?!->))*-->\s*)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE,
)
# What else people have, by its first bytes, and what to do about it.
_OTHERS = {
    b"PK\x03\x04": "is a zip file, such as Word and Excel write",
    b"\xd0\xcf\x11\xe0": "is an old Office file",
    b"{\\rtf": "is an RTF file",
    b"\x89PNG": "is a picture",
    b"\xff\xd8\xff": "is a picture",
    b"GIF8": "is a picture",
}


def read_documents(paths: Iterable[PathLike]) -> Iterator[tuple[str, Document]]:
    """The documents of files, folders (with all that is in them) and `-`, each with its name; each file once."""
    for path in document_paths(paths):
        yield path, read_document(path)


def document_paths(paths: Iterable[PathLike]) -> Iterator[str]:
    """The files that the paths stand for: in a folder those with a known ending, sorted, hidden ones left out."""
    problem = f"has no documents in it: {', '.join(ENDINGS)}"
    return (file for file, _ in files_of(paths, is_document_name, problem))


def is_document_name(name: str) -> bool:
    """Whether a name has the ending of a document."""
    return _kind_by_ending(name) is not None


def read_document(path: PathLike) -> Document:
    """A file, or standard input for `-`, as a document; of what kind it is, its ending and content tell.

    Plain text and Markdown stay as they are, and offsets are into the file's own text; the text of HTML and
    PDF is what a reader sees, with a line for each element.
    """
    if str(path) != "-" and Path(path).is_dir():
        raise InputError("is a folder: `read_documents` reads what is in it", path=path)
    return parse_document(read_raw(path), path)


def parse_document(data: bytes, path: PathLike) -> Document:
    """The content of a file, uncompressed, as a document (see `read_document`)."""
    if not data.strip():
        raise InputError("is empty", path=path)
    try:
        document = _parse(data, _kind(data, path), path)
    except InputError as error:
        # The parsers see no path.
        raise (InputError(error.problem, path=path) if error.path is None else error) from error.__cause__
    if not document.text or document.text.isspace():
        raise InputError("has no text in it", path=path)
    return document


def _parse(data: bytes, kind: Kind, path: PathLike) -> Document:
    if kind == "pdf":
        from caveat.sources.pdf import parse_pdf

        document = parse_pdf(data)
        if not document.text:
            raise InputError("has no text in it, only pictures: text recognition has to come first")
        return document
    parse: Callable[[str], Document]
    declared = None
    if kind == "html":
        from caveat.sources.html import parse_html as parse

        declared = declared_encoding(data)
    elif kind == "markdown":
        from caveat.sources.markdown import parse_markdown as parse
    else:
        from caveat.sources.plain_text import parse_plain_text as parse
    return parse(decode(data, path, declared))


def _kind(data: bytes, path: PathLike) -> Kind:
    for mark, what in _OTHERS.items():
        if data.startswith(mark):
            raise InputError(f"{what}: save it as PDF, HTML or text and ask again", path=path)
    kind = _kind_by_ending(str(path))
    # PDF files may begin with a little that is not PDF; texts may speak of it.
    if data[:_BEGINNING].lstrip().startswith(_PDF) or (kind == "pdf" and _PDF in data[:_BEGINNING]):
        return "pdf"
    if kind == "pdf":
        raise InputError("is not a PDF: it does not begin as one", path=path)
    return kind or ("html" if _HTML.match(data) else "plain text")


def _kind_by_ending(name: str) -> Kind | None:
    return ENDINGS.get(PurePath(name.lower().removesuffix(".gz")).suffix)
