"""PDF files as documents: the text of the pages, its lines joined to paragraphs again.

A PDF says where letters stand, not what is a heading: everything is p, and li where a bullet or number shows it.
Lines are joined as long as they are full. A word that was broken at a line end is joined without its hyphen only
if it stands whole elsewhere in the document; any other keeps it, since "well-known" and "bene-fits" look alike.

PDFium reads the pages in the process of the parsers; streams that would fill the memory once they are uncompressed are
refused before.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import pairwise
from time import perf_counter
from typing import Any

import msgspec

from caveat.core.errors import InputError
from caveat.core.limits import current_limits, over
from caveat.core.records import Document
from caveat.core.script import HAN, count_han
from caveat.sources.outline import Block, assemble
from caveat.sources.plain_text import after_marker

__all__ = ["Pages", "assemble_pdf", "blocks_of_pages", "read_pages", "refuse_bombs"]

# PDFium's mark for a hyphen at a line end, in place of the hyphen and the line end; older versions wrote U+0002.
_BROKEN_WORD = re.compile(r"([^\W\d_]*)[\ufffe\x02]([^\W\d_]*)")
_WORD = re.compile(r"[^\W\d_]+")
_SOFT_HYPHEN = re.compile(r"\u00ad(?:\r\n|\r|\n)?")
_LINE_END = re.compile(r"\r\n|\r|\n")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_WIDE = re.compile(rf"[{HAN}\u3001-\u303f\uff00-\uff65]")
_FULL = 0.8
_NARROWEST = 40


def assemble_pdf(pages: Pages) -> Document:
    """The text of a PDF, paragraph by paragraph."""
    return assemble(blocks_of_pages(pages.texts), title=pages.title)


def blocks_of_pages(pages: Iterable[str]) -> list[Block]:
    """The paragraphs and list items of pages as PDFium gives them."""
    texts = [_SOFT_HYPHEN.sub("", page) for page in pages]
    vocabulary = {word.lower() for text in texts for word in _WORD.findall(_BROKEN_WORD.sub(" ", text))}

    def mended(word: re.Match[str]) -> str:
        whole = word[1] + word[2]
        return whole if word[1] and word[2] and whole.lower() in vocabulary else f"{word[1]}-{word[2]}"

    return [
        Block(tag, 0, text, page=number)
        for number, page in enumerate(texts, 1)
        for tag, lines in _paragraphs(page)
        if (text := _CONTROL.sub("", _BROKEN_WORD.sub(mended, _joined(lines))).strip())
    ]


def _paragraphs(page: str) -> Iterator[tuple[str, list[str]]]:
    lines = [" ".join(line.split()) for line in _LINE_END.split(page)]
    width = _usual_width(lines)
    tag, paragraph = "p", list[str]()
    full = False
    for line in lines:
        start = after_marker(line, 0, len(line))
        if paragraph and (start is not None or not line or not full):
            yield tag, paragraph
            paragraph = []
        if not line:
            continue
        if not paragraph:
            tag = "p" if start is None else "li"
        paragraph.append(line[start or 0 :])
        full = _columns(_last_line(line)) >= _FULL * width and not line.endswith((":", "："))
    if paragraph:
        yield tag, paragraph


def _usual_width(lines: list[str]) -> float:
    """The width that most lines of a text come near to; without bound where there are no such lines."""
    widths = sorted(_columns(piece) for line in lines if line for piece in _pieces(line))
    if not widths:
        return float("inf")
    width = widths[len(widths) * 9 // 10]
    return width if width >= _NARROWEST else float("inf")


def _pieces(line: str) -> list[str]:
    """The lines of print in a line of PDFium's, which goes on where a word was broken."""
    return re.split("[\ufffe\x02]", line)


def _last_line(line: str) -> str:
    return _pieces(line)[-1]


def _columns(text: str) -> int:
    return len(text) + count_han(text)


def _joined(lines: list[str]) -> str:
    """Lines as one text: a blank between them, but none between Chinese characters."""
    text = [lines[0]]
    for before, line in pairwise(lines):
        if not (_WIDE.match(before[-1]) and _WIDE.match(line[0])):
            text.append(" ")
        text.append(line)
    return "".join(text)


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
