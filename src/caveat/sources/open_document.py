"""OpenDocument texts (.odt) as HTML, and the chapters of books (.epub). Runs in the process of the parsers.

Of a text its headings, lists and tables are read in order. Notes, comments, tables of contents and deleted text are
not read.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from html import escape
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from caveat.core.errors import InputError
from caveat.core.limits import current_limits, over
from caveat.sources.contents import Piece, Pieces
from caveat.sources.office_parts import Cell, Writer, opened, part, span_of, table_html, title_of

_UNSEEN = frozenset(
    ("note", "annotation", "tracked-changes", "table-of-content", "sequence-decls", "variable-decls", "forms")
)
_TITLE = "Title"
_BLANKS = {"s": " ", "tab": " ", "line-break": "<br>"}
_SECTIONS = frozenset(("table-header-rows", "table-rows", "table-row-group"))


def read_open_document(data: bytes) -> Pieces:
    """The text of an OpenDocument file as one piece of HTML."""
    with opened(data, "an OpenDocument text") as archive:
        if b"encryption-data" in archive.read("META-INF/manifest.xml"):
            raise InputError("needs a password: save it without one and ask again")
        root = part(archive, "content.xml")
        body = None if root is None else root.find("body/text")
        if body is None:
            raise InputError("cannot be read as an OpenDocument text: it has no text in it")
        title = title_of(archive, "meta.xml")
        # Paragraphs have a style of their own where anything was changed by hand.
        titled = {
            each.get("name")
            for each in root.iter("style")  # type: ignore[union-attr]
            if each.get("parent-style-name") == _TITLE
        }
        reader = _Reader(frozenset((*filter(None, titled), _TITLE)))
        reader.blocks(body)
        return Pieces(title, [Piece("html", reader.writer.html(title))])


class _Reader:
    def __init__(self, titled: frozenset[str] = frozenset()) -> None:
        self.titled = titled
        self.writer = Writer()
        self._cells = 0

    def blocks(self, parent: Element) -> None:
        """What stands below each other."""
        for each in parent:
            if each.tag in _UNSEEN:
                continue
            if each.tag == "h":
                level = each.get("outline-level", "1")
                self.writer.heading(int(level) if level.isdecimal() else 1, self._text(each))
            elif each.tag == "p" and each.get("style-name") in self.titled:
                self.writer.heading(1, self._text(each))
            elif each.tag == "p":
                self.writer.paragraph(self._text(each))
            elif each.tag == "list":
                self._list(each, 0)
            elif each.tag == "table":
                self.writer.raw(self._table(each))
            else:
                self.blocks(each)

    def _list(self, listed: Element, depth: int) -> None:
        for item in listed:
            first = item.tag == "list-item"
            for each in item:
                if each.tag == "list":
                    self._list(each, depth + 1)
                elif each.tag in ("p", "h"):
                    html = self._text(each)
                    if first:
                        self.writer.item(depth, html)
                        first = False
                    else:
                        self.writer.paragraph(html)

    def _text(self, paragraph: Element) -> str:
        boxes: list[Element] = []
        html = "".join(_inline(paragraph, boxes))
        for box in boxes:
            inner = _Reader()
            inner.blocks(box)
            html += f"<br><br>{inner.writer.html()}"
        return html

    def _table(self, table: Element) -> str:
        return table_html([self._row(row, header) for row, header in _rows(table, False)])

    def _row(self, row: Element, header: bool) -> list[Cell]:
        cells: list[Cell] = []
        for each in row:
            if each.tag != "table-cell":
                continue
            inner = _Reader()
            inner.blocks(each)
            cell = Cell(
                inner.writer.html(),
                span_of(each.get("number-rows-spanned")),
                span_of(each.get("number-columns-spanned")),
                header,
            )
            repeated = span_of(each.get("number-columns-repeated"))
            self._cells += repeated
            if self._cells > (most := current_limits().cells):
                raise over("cells", f"has more than {most:,} cells")
            cells += [cell] * repeated
        return cells


def _rows(parent: Element, header: bool) -> Iterator[tuple[Element, bool]]:
    for each in parent:
        if each.tag == "table-row":
            yield each, header
        elif each.tag in _SECTIONS:
            yield from _rows(each, header or each.tag == "table-header-rows")


def _inline(parent: Element, boxes: list[Element]) -> Iterator[str]:
    """The text of a paragraph; boxes that are anchored in it are put aside."""
    yield escape(parent.text or "")
    for each in parent:
        if each.tag in _BLANKS:
            yield _BLANKS[each.tag]
        elif each.tag == "text-box":
            boxes.append(each)
        elif each.tag not in _UNSEEN:
            yield from _inline(each, boxes)
        yield escape(each.tail or "")


# Books (.epub): their chapters, which are web pages, in the order of reading. Runs in the process of the parsers.

_CONTAINER, _PROTECTION = "META-INF/container.xml", "META-INF/encryption.xml"
# In XML an element may end where it begins; in HTML the rest of the page would be inside of it.
_ENDED = re.compile(
    r"<(title|script|style|textarea|iframe|a|p|div|span|i|b|em|td|th|li)(\s[^<>]*)?/>", re.IGNORECASE
)
_FONTS = b"idpf.org/2008/embedding"


def read_epub(data: bytes) -> Pieces:
    """The chapters of a book; one that is protected against copying is refused."""
    with opened(data, "an EPUB book") as archive:
        container = part(archive, _CONTAINER)
        place = None if container is None else container.find(".//rootfile")
        home = "" if place is None else place.get("full-path") or ""
        book = part(archive, home)
        if book is None:
            raise InputError("cannot be read as an EPUB book: it does not say what is in it")
        folder = posixpath.dirname(home)
        files = {each.get("id"): each.get("href") or "" for each in book.iter("item")}
        names = (files.get(each.get("idref")) for each in book.iter("itemref"))
        places = [posixpath.normpath(posixpath.join(folder, unquote(name))) for name in names if name]
        pages = [archive.read(name) for name in places if name in archive.NameToInfo]
        protection = archive.read(_PROTECTION) if _PROTECTION in archive.NameToInfo else b""
        if b"EncryptedData" in protection and _FONTS not in protection:
            raise InputError("is protected against copying, so that it cannot be read")
        title = book.find(".//title")
        name = " ".join((title.text or "").split()) if title is not None else ""
        return Pieces(name, [Piece("html", _ENDED.sub(r"<\1\2></\1>", _decoded(page))) for page in pages])


def _decoded(page: bytes) -> str:
    """As XML has it: UTF-8, or UTF-16 where the first bytes say so."""
    encoding = "utf-16" if page[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return page.decode(encoding, "replace")
