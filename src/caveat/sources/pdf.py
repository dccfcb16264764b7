"""PDF files as documents: headings, paragraphs, list items and tables, with the pages that they stand on.

PDFium reads the pages, and what they hold is put together (see `pdf_blocks`), in the process of the parsers; streams
that would fill the memory once they are uncompressed are refused before.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice
from time import perf_counter
from typing import Any

import msgspec

from caveat.core.errors import InputError
from caveat.core.limits import current_limits, over
from caveat.sources.grid import RawTable
from caveat.sources.outline import Block
from caveat.sources.pdf_blocks import Entry, blocks_of_pages
from caveat.sources.pdf_text import PageText, read_page

_WRONG_PASSWORD = 4  # FPDF_ERR_PASSWORD
# A dictionary stands right before its stream.
_STREAM = re.compile(rb"stream\r?\n")
_DICTIONARY = 1000
# Deflate makes at most so many bytes of one.
_MOST_MADE = 1032
_BLOCK = 1 << 20
# Of an outline.
_DEEPEST, _MOST_ENTRIES = 8, 20_000
# A scanned page may have its number on it, or a stamp; scanners cut it into stripes.
_MOST_LETTERS, _COVERED, _MOST_PICTURES = 40, 0.4, 2000


class Pdf(msgspec.Struct, frozen=True):
    """What a PDF calls itself, its blocks, its tables, and the pages that are pictures and were not read.

    Where pages were recognised, it says how well.
    """

    title: str
    blocks: list[Block]
    tables: list[RawTable]
    scanned: list[int] = []
    remark: str = ""


def read_pdf(data: bytes) -> Pdf:
    """What stands in a PDF; files that need a password are refused."""
    with opened_pdf(data) as opened:
        title = " ".join(opened.get_metadata_value("Title").split())
        pages = list(_pages(opened))
        scanned = [number + 1 for number, page in enumerate(pages) if is_scanned(opened, number, page)]
        blocks, tables = blocks_of_pages(pages, outline_of(opened), title)
        return Pdf(title, blocks, tables, scanned)


@contextmanager
def opened_pdf(data: bytes) -> Iterator[Any]:
    """The file as PDFium opens it."""
    import pypdfium2

    refuse_bombs(data)
    try:
        opened = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code == _WRONG_PASSWORD:
            raise InputError("needs a password: save it without one and ask again") from error
        raise InputError(f"cannot be read as PDF: {error}") from error
    with closing(opened):
        yield opened


def is_scanned(opened: Any, number: int, page: PageText) -> bool:
    """Whether a page is a picture: it has next to no letters, and pictures cover much of it."""
    if sum(len(run.text) for run in page.runs) > _MOST_LETTERS:
        return False
    import pypdfium2
    import pypdfium2.raw as pdfium

    covered = 0.0
    try:
        with closing(opened[number]) as shown:
            for drawn in islice(shown.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,)), _MOST_PICTURES):
                left, bottom, right, top = drawn.get_bounds()
                covered += abs((right - left) * (top - bottom))
    except pypdfium2.PdfiumError:
        return False
    return covered >= _COVERED * page.width * page.height


def outline_of(opened: Any) -> list[Entry]:
    """The outline, as far as it can be read."""
    import pypdfium2

    found: list[Entry] = []
    try:
        for entry in opened.get_toc(max_depth=_DEEPEST):
            target = entry.get_dest()
            page = target.get_index() if target is not None else None
            if page is not None:
                found.append(Entry(entry.get_title(), entry.level, page + 1))
            if len(found) >= _MOST_ENTRIES:
                break
    except (pypdfium2.PdfiumError, ValueError, RecursionError):
        pass
    return found


def _pages(opened: Any) -> Iterator[PageText]:
    most = current_limits()
    if len(opened) > most.pages:
        raise over("pages", f"has {len(opened):,} pages")
    begin = perf_counter()
    for number in range(len(opened)):
        yield page_text(opened, number)
        if perf_counter() - begin > most.seconds:
            raise over(
                "seconds", f"takes more than {most.seconds:,} s: {number + 1:,} of {len(opened):,} pages"
            )


def page_text(opened: Any, number: int) -> PageText:
    """The text of a page, counting from 0."""
    import pypdfium2

    try:
        with closing(opened[number]) as page:
            return read_page(page)
    except pypdfium2.PdfiumError as error:
        raise InputError(f"page {number + 1} cannot be read: {error}") from error


def refuse_bombs(data: bytes) -> None:
    """Raise if a stream of text, fonts or objects is larger than the limit once it is uncompressed.

    Pictures are not looked at, since they are not read.
    """
    most = current_limits().stream_bytes
    end = 0
    for mark in _STREAM.finditer(data):
        if mark.start() < end or data[mark.start() - 3 : mark.start()] == b"end":
            continue
        dictionary = data[max(0, mark.start() - _DICTIONARY) : mark.start()].rpartition(b"obj")[2]
        filters = dictionary.count(b"FlateDecode") + dictionary.count(b"/Fl ")
        end = data.find(b"endstream", mark.end())
        end = len(data) if end < 0 else end
        size = end - mark.end()
        if not filters or b"/Image" in dictionary or size * _MOST_MADE**filters <= most:
            continue
        if _is_larger(data[mark.end() : end], filters, most):
            raise over("stream_bytes", f"has a stream of more than {most:,} bytes, uncompressed")


def _is_larger(compressed: bytes, filters: int, most: int) -> bool:
    """Whether what is compressed so many times is larger than that at any step."""
    blocks: Iterator[bytes] = iter([compressed])
    for _ in range(filters):
        blocks = _inflated(blocks)
        content: list[bytes] = []
        size = 0
        for block in blocks:
            size += len(block)
            if size > most:
                return True
            content.append(block)
        blocks = iter(content)
    return False


def _inflated(blocks: Iterator[bytes]) -> Iterator[bytes]:
    inflate = zlib.decompressobj()
    for block in blocks:
        rest = block
        while rest:
            try:
                made = inflate.decompress(rest, _BLOCK)
            except zlib.error:
                return
            if not made and not inflate.unconsumed_tail:
                break
            yield made
            # What stands after the end is left as it is, and would be taken for more of it.
            if inflate.eof:
                return
            rest = inflate.unconsumed_tail
