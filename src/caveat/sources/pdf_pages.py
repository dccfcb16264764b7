"""The pages of a PDF as PDFium gives them: their text and the title. Runs in the process of the parsers.

Streams that would fill the memory once they are uncompressed are refused before PDFium reads them.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import closing
from time import perf_counter
from typing import Any

import msgspec

from caveat.core.errors import InputError
from caveat.core.limits import current_limits, over

__all__ = ["Pages", "read_pages", "refuse_bombs"]

_WRONG_PASSWORD = 4  # FPDF_ERR_PASSWORD
# A dictionary stands right before its stream.
_STREAM = re.compile(rb"stream\r?\n")
_DICTIONARY = 1000
# Deflate makes at most so many bytes of one.
_MOST_MADE = 1032
_BLOCK = 1 << 20


class Pages(msgspec.Struct, frozen=True):
    """What a PDF calls itself, and the text of each page."""

    title: str
    texts: list[str]


def read_pages(data: bytes) -> Pages:
    """The text of a PDF, page by page; files that need a password are refused."""
    import pypdfium2

    refuse_bombs(data)
    try:
        opened = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code == _WRONG_PASSWORD:
            raise InputError("needs a password: save it without one and ask again") from error
        raise InputError(f"cannot be read as PDF: {error}") from error
    with closing(opened):
        texts = list(_pages(opened))
        return Pages(" ".join(opened.get_metadata_value("Title").split()), texts)


def _pages(opened: Any) -> Iterator[str]:
    most = current_limits()
    if len(opened) > most.pages:
        raise over("pages", f"has {len(opened):,} pages")
    begin = perf_counter()
    for number in range(len(opened)):
        yield _page(opened, number)
        if perf_counter() - begin > most.seconds:
            raise over(
                "seconds", f"takes more than {most.seconds:,} s: {number + 1:,} of {len(opened):,} pages"
            )


def _page(opened: Any, number: int) -> str:
    import pypdfium2

    try:
        with closing(opened[number]) as page, closing(page.get_textpage()) as text:
            return str(text.get_text_range())
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
            rest = inflate.unconsumed_tail
