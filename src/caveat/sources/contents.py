"""What a file holds: a document, tables, files inside of it; and texts in pieces, as many parsers give them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Literal, NamedTuple

import msgspec

from caveat.core.errors import InputError
from caveat.core.records import Document, Element
from caveat.sources.grid import RawTable, ReadTable, read_table

Markup = Literal["plain text", "markdown", "mdx", "html"]


class Member(msgspec.Struct, frozen=True):
    """A file inside of a file: its name and its bytes, or why it cannot be read."""

    name: str
    data: bytes = b""
    problem: str = ""


class Contents(NamedTuple):
    """What a file holds, and what is to be said about it; a file that is nothing but tables has no document."""

    document: Document | None = None
    tables: tuple[ReadTable, ...] = ()
    remark: str = ""
    members: tuple[Member, ...] = ()


class Piece(msgspec.Struct, frozen=True):
    """A piece of a text, how it is marked up, and the page that it is, counting from 1; 0 where there are no pages."""

    markup: Markup
    text: str
    page: int = 0


class Pieces(msgspec.Struct, frozen=True):
    """What a file calls itself, its text, piece by piece, and what is to be said about it."""

    title: str
    pieces: list[Piece]
    remark: str = ""


def name_of_file(path: str) -> str:
    """A file's name without folder and ending, which is what it is about where it does not say so itself."""
    return "" if path == "-" else PurePath(path.removesuffix(".gz")).stem


def read_markup(markup: Markup, text: str, name: str) -> tuple[Document, list[RawTable], str]:
    """A text as a document and the tables in it, and what is to be said about it."""
    if markup == "html":
        from caveat.sources.html import read_page
        from caveat.sources.html_tags import tamed

        text, left_out = tamed(text)
        return (*read_page(text, name), left_out)
    if markup in ("markdown", "mdx"):
        from caveat.sources.markdown import read_markdown

        return read_markdown(text, name, mdx=markup == "mdx")
    from caveat.sources.plain_text import parse_plain_text

    return parse_plain_text(text), [], ""


def assembled(pieces: Pieces, path: str) -> Contents:
    """The pieces as one document, and the tables of all of them."""
    documents: list[Document] = []
    tables: list[RawTable] = []
    remarks: dict[str, None] = {pieces.remark: None} if pieces.remark else {}
    name = pieces.title or name_of_file(path)
    for piece in pieces.pieces:
        document, found, remark = read_markup(piece.markup, piece.text, name)
        documents.append(document)
        tables += found
        if remark:
            remarks[remark] = None
    document = _joined(documents, [piece.page for piece in pieces.pieces], pieces.title)
    if not document.text or document.text.isspace():
        raise InputError("has no text in it")
    return Contents(document, numbered(tables, path, in_prose=True), "; ".join(remarks))


def _joined(documents: Iterable[Document], numbers: Iterable[int], title: str) -> Document:
    """Documents one below the other; a page without text begins where the next one does."""
    texts: list[str] = []
    elements: list[Element] = []
    pages: list[int] = []
    at = 0
    for document, number in zip(documents, numbers, strict=True):
        if not document.text:
            continue
        at += bool(texts)
        pages += [at] * (number - len(pages))
        texts.append(document.text)
        elements += (
            Element(each.tag, each.text, at + each.start, at + each.end) for each in document.elements
        )
        at += len(document.text)
        title = title or document.title
    return Document("\n".join(texts), title, elements=tuple(elements), pages=tuple(pages))


def numbered(raw: Iterable[RawTable], path: str, *, in_prose: bool = False) -> tuple[ReadTable, ...]:
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
