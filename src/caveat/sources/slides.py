"""Slides (.pptx) as HTML, a page each: titles, bullets, tables, notes. Runs in the process of the parsers.

Pictures, diagrams and charts are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from xml.etree.ElementTree import Element
from zipfile import ZipFile

from caveat.core.errors import InputError
from caveat.core.limits import current_limits, over
from caveat.sources.contents import Piece, Pieces
from caveat.sources.office_html import Cell, Writer, span_of, table_html
from caveat.sources.zip_parts import opened, part, relations, title_of

_HOME = "ppt/presentation.xml"
_TITLES = {"ctrTitle": 1, "title": 2}
# The number, date and footer of a slide, and its picture in the notes.
_FURNITURE = frozenset(("sldNum", "dt", "ftr", "hdr", "sldImg"))
_BULLETS = ("buChar", "buAutoNum", "buBlip")


def read_slides(data: bytes) -> Pieces:
    """The slides in their order."""
    with opened(data, "a PowerPoint file") as archive:
        home = part(archive, _HOME)
        if home is None:
            raise InputError("cannot be read as a PowerPoint file: it has no slides")
        related = relations(archive, _HOME)
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
            writer.raw(_table(each))
        elif each.tag != "Fallback":
            _shapes(each, writer, bullets=bullets)


def _shape(shape: Element, writer: Writer, bullets: bool) -> None:
    holder = shape.find("nvSpPr/nvPr/ph")
    kind = None if holder is None else holder.get("type", "body")
    body = shape.find("txBody")
    if body is None or kind in _FURNITURE:
        return
    if kind in _TITLES:
        writer.heading(_TITLES[kind], " ".join("".join(_inline(each)) for each in body.findall("p")))
        return
    for paragraph in body.findall("p"):
        html = "".join(_inline(paragraph))
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


def _table(table: Element) -> str:
    first = table.find("tblPr")
    header = first is not None and first.get("firstRow") == "1"
    return table_html([_row(row, header and not at) for at, row in enumerate(table.findall("tr"))])


def _row(row: Element, header: bool) -> list[Cell]:
    return [
        Cell(
            "<br>".join("".join(_inline(each)) for each in cell.iter("p")),
            span_of(cell.get("rowSpan")),
            span_of(cell.get("gridSpan")),
            header,
        )
        for cell in row.findall("tc")
        # These are covered by the cell that reaches over them.
        if not (cell.get("hMerge") or cell.get("vMerge"))
    ]


def _inline(paragraph: Element) -> Iterator[str]:
    for each in paragraph.iter():
        if each.tag == "t":
            yield escape(each.text or "")
        elif each.tag in ("br", "tab"):
            yield " "
