"""Blocks of text put one under the other: the text of a document that has none of its own, and its elements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from caveat.core.records import Document, Element

__all__ = ["Block", "assemble"]

_INDENT = "  "
# Deeper lists are written no further to the right: the text must not grow with the square of the depth.
_DEEPEST = 32


class Block(NamedTuple):
    """An element to be: its tag, how many list items it stands in, its text without blanks around it."""

    tag: str
    depth: int
    text: str


def assemble(blocks: Iterable[Block], *, title: str = "", url: str = "") -> Document:
    """A document of the blocks, one a line; what stands inside a list item is indented, as in Markdown.

    The indentation is no part of any element: it is how nesting can be told from the text alone.
    """
    pieces: list[str] = []
    elements: list[Element] = []
    at = 0
    for block in blocks:
        lead = ("\n" if pieces else "") + _INDENT * min(block.depth, _DEEPEST)
        start = at + len(lead)
        at = start + len(block.text)
        pieces += (lead, block.text)
        elements.append(Element(block.tag, block.text, start, at))
    return Document("".join(pieces), title, url, tuple(elements))
