"""Word files (.docx) and slides (.pptx) as HTML: headings, list items, tables and notes, in order.

Runs in the process of the parsers. Of Word files the text, its boxes, footnotes and endnotes are read, comments below
it, and pictures where text can be recognised; not headers, footers, hidden text, and what is marked as deleted. Of
slides, a page each, pictures, diagrams and charts are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from importlib.util import find_spec
from time import perf_counter
from xml.etree.ElementTree import Element
from zipfile import ZipFile

from caveat.core.errors import InputError
from caveat.core.limits import current_limits, over
from caveat.sources.contents import Piece, Pieces
from caveat.sources.office_parts import Cell, Writer, opened, part, relations, span_of, table_html, title_of

_HEADING = re.compile(r"(?:heading|标题)\s*(\d)", re.IGNORECASE)
# What only stands around others of its kind: content controls, revisions, links.
_TRANSPARENT = frozenset(
    ("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag", "hyperlink", "fldSimple")
)
_UNSEEN = frozenset(("del", "moveFrom", "instrText", "delText", "Fallback", "rPr", "pPr", "object", "rt"))
_BROKEN = {"tab": " ", "br": "<br>", "cr": "<br>", "noBreakHyphen": "-"}
# Body text by its outline; 9 is none.
_NO_HEADING = 9
# What reviewers wrote stands below the text, under this heading.
_COMMENTS = "Comments"
# Smaller pictures are icons and lines.
_SMALLEST_PICTURE = 4000
# Of the time that a file may take.
_SHARE_OF_TIME = 0.6
# Styles that are based on one another; more are a circle.
_MOST_STYLES = 20


def read_word(data: bytes) -> Pieces:
    """The text of a Word file as one piece of HTML."""
    with opened(data, "a Word file") as archive:
        home = _main_part(archive)
        root = part(archive, home)
        body = None if root is None else root.find("body")
        if body is None:
            raise InputError("cannot be read as a Word file: it has no text part")
        related = dict(relations(archive, home).values())
        pictures = _Pictures(archive, home)
        reader = _Reader(_Styles(part(archive, related.get("styles", "word/styles.xml"))), pictures)
        reader.blocks(body)
        for notes in ("footnotes", "endnotes"):
            found = part(archive, related[notes]) if notes in related else None
            for note in found if found is not None else ():
                reader.blocks(note)
        comments = part(archive, related["comments"]) if "comments" in related else None
        if comments is not None and len(comments):
            reader.writer.heading(1, _COMMENTS)
            for comment in comments:
                said = " ".join("".join(_inline(each, [])) for each in comment.iter("p"))
                reader.writer.paragraph(
                    f"{escape(comment.get('author') or '')}: {said}" if said.strip() else ""
                )
        title = title_of(archive, "docProps/core.xml")
        return Pieces(title, [Piece("html", reader.writer.html(title))], pictures.remark())


class _Pictures:
    """The pictures of a Word file: what is recognised on them, where that can be done and as long as there is time."""

    def __init__(self, archive: ZipFile, home: str) -> None:
        self._archive = archive
        self._places = {
            id: place for id, (kind, place) in relations(archive, home).items() if kind == "image"
        }
        self._until = perf_counter() + _SHARE_OF_TIME * current_limits().seconds
        self._remarks: list[str] = []
        self._unread = 0

    def html(self, id: str) -> str:
        """The text of a picture, by the id that it is referred to."""
        place = self._places.get(id, "")
        if place not in self._archive.NameToInfo or find_spec("rapidocr") is None:
            return ""
        if self._archive.getinfo(place).file_size < _SMALLEST_PICTURE:
            return ""
        if perf_counter() > self._until:
            self._unread += 1
            return ""
        from caveat.sources.scans import read_picture

        try:
            found = read_picture(self._archive.read(place))
        except InputError:  # a drawing, which is no picture of dots
            return ""
        self._remarks += [found.remark] if found.remark else []
        return "".join(f"<p>{escape(block.text)}</p>" for block in found.blocks)

    def remark(self) -> str:
        """What is to be said of the pictures."""
        unread = f"{self._unread:,} pictures were not read, since that takes too long" if self._unread else ""
        return "; ".join(filter(None, (*dict.fromkeys(self._remarks), unread)))


def _main_part(archive: ZipFile) -> str:
    found = (place for kind, place in relations(archive, "").values() if kind == "officeDocument")
    return next(found, "word/document.xml")


class _Styles:
    """What a style says of its paragraphs: the level of a heading, the depth of a list item."""

    def __init__(self, root: Element | None) -> None:
        self._styles = (
            {each.get("styleId") or "": each for each in root.iter("style")} if root is not None else {}
        )

    def level(self, paragraph: Element) -> int | None:
        """The level of a heading, from 1."""
        for each in self._chain(paragraph):
            outline = _value(each, "pPr/outlineLvl")
            if outline is not None:
                return int(outline) + 1 if outline.isdecimal() and int(outline) < _NO_HEADING else None
            name = _value(each, "name") or ""
            if found := _HEADING.match(name):
                return int(found[1])
            if name.lower() == "title":
                return 1
        return None

    def depth(self, paragraph: Element) -> int | None:
        """In how many other items a list item stands."""
        for each in self._chain(paragraph):
            number = each.find("pPr/numPr")
            if number is not None:
                level = _value(number, "ilvl") or "0"
                is_none = _value(number, "numId") == "0"
                return None if is_none or not level.isdecimal() else int(level)
        return None

    def _chain(self, paragraph: Element) -> Iterator[Element]:
        """The paragraph itself, its style, and those that that one is based on."""
        yield paragraph
        name = _value(paragraph, "pPr/pStyle")
        for _ in range(_MOST_STYLES):
            style = self._styles.get(name or "")
            if style is None:
                return
            yield style
            name = _value(style, "basedOn")


def _value(element: Element, path: str) -> str | None:
    found = element.find(path)
    return None if found is None else found.get("val")


class _Reader:
    def __init__(self, styles: _Styles, pictures: _Pictures) -> None:
        self.styles = styles
        self.pictures = pictures
        self.writer = Writer()

    def blocks(self, parent: Element) -> None:
        """What stands below each other in the body, a cell, a box or a note."""
        for each in parent:
            if each.tag == "p":
                self._paragraph(each)
            elif each.tag == "tbl":
                self.writer.raw(self._table(each))
            elif each.tag in _TRANSPARENT:
                self.blocks(each)

    def _paragraph(self, paragraph: Element) -> None:
        boxes: list[Element] = []
        html = "".join(_inline(paragraph, boxes))
        level, depth = self.styles.level(paragraph), self.styles.depth(paragraph)
        if level is not None:
            self.writer.heading(level, html)
        elif depth is not None:
            self.writer.item(depth, html)
        else:
            self.writer.paragraph(html)
        for box in boxes:
            if box.tag == "blip":
                self.writer.raw(self.pictures.html(box.get("r:embed") or ""))
            else:
                self.blocks(box)

    def _table(self, table: Element) -> str:
        rows: list[list[Cell]] = []
        # By its column, where the cell stands that the ones below it continue.
        above: dict[int, tuple[int, int]] = {}
        for row in _inside(table, "tr"):
            cells: list[Cell] = []
            column = 0
            header = row.find("trPr/tblHeader") is not None
            for each in _inside(row, "tc"):
                width = span_of(_value(each, "tcPr/gridSpan"))
                merge = each.find("tcPr/vMerge")
                begun = above.get(column)
                if merge is not None and merge.get("val") != "restart" and begun is not None:
                    at, index = begun
                    rows[at][index] = rows[at][index]._replace(rows=rows[at][index].rows + 1)
                else:
                    above.pop(column, None)
                    if merge is not None:
                        above[column] = len(rows), len(cells)
                    cells.append(Cell(self._cell(each), 1, width, header))
                column += width
            rows.append(cells)
        return table_html(rows)

    def _cell(self, cell: Element) -> str:
        inner = _Reader(self.styles, self.pictures)
        inner.blocks(cell)
        return inner.writer.html()


def _inside(parent: Element, tag: str) -> Iterator[Element]:
    """The rows of a table or the cells of a row, those in content controls too."""
    for each in parent:
        if each.tag == tag:
            yield each
        elif each.tag in _TRANSPARENT:
            yield from _inside(each, tag)


def _inline(parent: Element, boxes: list[Element]) -> Iterator[str]:
    """The text of a paragraph; boxes and pictures that are anchored in it are put aside."""
    for each in parent:
        if each.tag == "t":
            yield escape(each.text or "")
        elif each.tag in _BROKEN:
            yield _BROKEN[each.tag]
        elif each.tag in ("txbxContent", "blip"):
            boxes.append(each)
        elif each.tag == "r" and each.find("rPr/vanish") is not None:
            continue
        elif each.tag not in _UNSEEN:
            yield from _inline(each, boxes)


_SLIDES = "ppt/presentation.xml"
_TITLES = {"ctrTitle": 1, "title": 2}
# The number, date and footer of a slide, and its picture in the notes.
_FURNITURE = frozenset(("sldNum", "dt", "ftr", "hdr", "sldImg"))
_BULLETS = ("buChar", "buAutoNum", "buBlip")


def read_slides(data: bytes) -> Pieces:
    """The slides in their order."""
    with opened(data, "a PowerPoint file") as archive:
        home = part(archive, _SLIDES)
        if home is None:
            raise InputError("cannot be read as a PowerPoint file: it has no slides")
        related = relations(archive, _SLIDES)
        places = [related[id][1] for each in home.iter("sldId") if (id := each.get("r:id") or "") in related]
        if len(places) > current_limits().pages:
            raise over("pages", f"has {len(places):,} slides")
        pieces = [Piece("html", _slide(archive, place), number) for number, place in enumerate(places, 1)]
        return Pieces(title_of(archive, "docProps/core.xml"), pieces)


def _slide(archive: ZipFile, place: str) -> str:
    writer = Writer()
    root = part(archive, place)
    if root is not None:
        _shapes(root, writer)
    for kind, notes in relations(archive, place).values():
        found = part(archive, notes) if kind == "notesSlide" else None
        if found is not None:
            _shapes(found, writer, bullets=False)
    return writer.html()


def _shapes(parent: Element, writer: Writer, *, bullets: bool = True) -> None:
    """What stands on a slide, in the order in which it is drawn."""
    for each in parent:
        if each.tag == "sp":
            _shape(each, writer, bullets)
        elif each.tag == "tbl":
            writer.raw(_grid(each))
        elif each.tag != "Fallback":
            _shapes(each, writer, bullets=bullets)


def _shape(shape: Element, writer: Writer, bullets: bool) -> None:
    holder = shape.find("nvSpPr/nvPr/ph")
    kind = None if holder is None else holder.get("type", "body")
    body = shape.find("txBody")
    if body is None or kind in _FURNITURE:
        return
    if kind in _TITLES:
        writer.heading(_TITLES[kind], " ".join("".join(_letters(each)) for each in body.findall("p")))
        return
    for paragraph in body.findall("p"):
        html = "".join(_letters(paragraph))
        properties = paragraph.find("pPr")
        if _is_item(properties, usually=bullets and kind in ("body", "obj")):
            level = properties.get("lvl", "0") if properties is not None else "0"
            writer.item(int(level) if level.isdecimal() else 0, html)
        else:
            writer.paragraph(html)


def _is_item(properties: Element | None, *, usually: bool) -> bool:
    if properties is None or properties.find("buNone") is not None:
        return usually and properties is None
    return usually or any(properties.find(tag) is not None for tag in _BULLETS)


def _grid(table: Element) -> str:
    first = table.find("tblPr")
    header = first is not None and first.get("firstRow") == "1"
    return table_html([_row(row, header and not at) for at, row in enumerate(table.findall("tr"))])


def _row(row: Element, header: bool) -> list[Cell]:
    return [
        Cell(
            "<br>".join("".join(_letters(each)) for each in cell.iter("p")),
            span_of(cell.get("rowSpan")),
            span_of(cell.get("gridSpan")),
            header,
        )
        for cell in row.findall("tc")
        # These are covered by the cell that reaches over them.
        if not (cell.get("hMerge") or cell.get("vMerge"))
    ]


def _letters(paragraph: Element) -> Iterator[str]:
    for each in paragraph.iter():
        if each.tag == "t":
            yield escape(each.text or "")
        elif each.tag in ("br", "tab"):
            yield " "
