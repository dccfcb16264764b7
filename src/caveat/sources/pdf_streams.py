"""The compressed streams of a PDF: those that would fill the memory are refused before anything reads them."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

from caveat.core.limits import current_limits, over

__all__ = ["refuse_bombs"]

# A dictionary stands right before its stream.
_STREAM = re.compile(rb"stream\r?\n")
_DICTIONARY = 1000
# Deflate makes at most so many bytes of one.
_MOST_MADE = 1032
_BLOCK = 1 << 20


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
