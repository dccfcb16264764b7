"""A web page's tree, read without recursion into blocks of text: headings, paragraphs, list items, table rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from selectolax.lexbor import LexborNode

from caveat.sources.assemble import Block
from caveat.sources.html_cells import Cell, MergedCells, is_data_table, row_text
from caveat.sources.html_furniture import is_furniture, is_invisible

__all__ = ["blocks"]

_HEADINGS = {f"h{level}": f"h{min(level, 4)}" for level in range(1, 7)}
# What a browser puts on lines of its own. Everything else flows within a line.
_BLOCK_TAGS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption "  # noqa: SIM905
    "figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol "
    "p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp".split()
)
_CONTENT_TAGS = frozenset(("main", "article"))
_SECTIONS = frozenset(("thead", "tbody", "tfoot"))
# Soft hyphens, zero-width blanks, byte order marks: not shown, and in the way of every comparison.
_UNSEEN = str.maketrans("", "", "\u00ad\u200b\ufeff")
_IDEOGRAPHIC_INDENT = "\u3000\u3000"

Event = tuple[Literal["open", "close", "text"], LexborNode, str]


def blocks(root: LexborNode, *, furniture: bool = False) -> list[Block]:
    """The blocks of what is shown under `root`; the furniture of the site only if it is asked for."""
    reader = _Reader()
    for kind, node, tag in _events(root, furniture):
        if kind == "text":
            reader.text(node.text_content or "")
        elif kind == "open":
            reader.open(node, tag)
        else:
            reader.close(node, tag)
    reader.flush()
    return reader.blocks


def _events(root: LexborNode, furniture: bool) -> Iterator[Event]:
    """What is shown under `root`, in order; the stack is a list, so that no page is nested too deeply."""
    opened: list[tuple[LexborNode, str]] = []
    content = 1 if root.tag in _CONTENT_TAGS or root.attributes.get("role") == "main" else 0
    headings = 0
    node = root.first_child
    while node is not None or opened:
        if node is None:
            node, tag = opened.pop()
            content -= tag in _CONTENT_TAGS
            headings -= tag in _HEADINGS
            yield "close", node, tag
            node = node.next
            continue
        if node.is_text_node:
            yield "text", node, ""
            node = node.next
            continue
        tag = node.tag or ""
        if (
            not node.is_element_node
            or is_invisible(node, tag)
            or (not furniture and is_furniture(node, tag, in_content=content > 0, in_heading=headings > 0))
        ):
            node = node.next
            continue
        yield "open", node, tag
        opened.append((node, tag))
        content += tag in _CONTENT_TAGS
        headings += tag in _HEADINGS
        node = node.first_child


class _Reader:
    """Text as it comes, gathered until a block ends."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._gathered: list[str] = []
        self._breaks = 0
        self._headings: list[str] = []
        # The list items that are open: whether each still waits for its first text.
        self._items: list[bool] = []
        self._verbatim = 0
        # Data tables have none inside, so one row is open at most; in a cell nothing ends a block.
        self._table: LexborNode | None = None
        self._merged = MergedCells()
        self._row: list[Cell] = []
        self._in_cell = False

    def text(self, text: str) -> None:
        if not self._verbatim:
            self._run(text)
            return
        for number, line in enumerate(text.split("\n")):
            if number:
                self._break()
            self._run(line)

    def _run(self, text: str) -> None:
        if self._breaks and text and not text.isspace():
            # A second break, or the indent of Chinese typesetting, begins a paragraph; one break is a blank.
            if self._breaks > 1 or text.lstrip("\r\n\t ").startswith(_IDEOGRAPHIC_INDENT):
                self.flush()
            self._breaks = 0
        self._gathered.append(text)

    def _break(self) -> None:
        self._breaks += 1
        self._gathered.append(" ")

    def open(self, node: LexborNode, tag: str) -> None:
        if tag == "br":
            self._break()
            return
        if tag not in _BLOCK_TAGS:
            return
        self.flush()
        if tag in _HEADINGS:
            self._headings.append(_HEADINGS[tag])
        elif tag == "li":
            self._items.append(True)
        elif tag == "pre":
            self._verbatim += 1
        elif tag == "table":
            if self._table is None and is_data_table(node):
                self._table = node
                self._merged = MergedCells()
        elif self._table is not None:
            if tag in _SECTIONS:
                self._merged = MergedCells()
            elif tag in ("td", "th"):
                self._in_cell = True

    def close(self, node: LexborNode, tag: str) -> None:
        if tag not in _BLOCK_TAGS:
            return
        if self._table is not None and tag in ("td", "th"):
            self._in_cell = False
            self._row.append(Cell.of(node, self._take()))
            return
        self.flush()
        if tag in _HEADINGS:
            self._headings.pop()
        elif tag == "li":
            self._items.pop()
        elif tag == "pre":
            self._verbatim -= 1
        elif tag == "tr" and self._table is not None:
            if text := row_text(self._merged.row(self._row)):
                self.blocks.append(Block("tr", len(self._items), text))
            self._row = []
        elif tag == "table" and self._table is not None:
            self._table = None

    def flush(self) -> None:
        """End a block; in a cell, only a word."""
        self._breaks = 0
        if self._in_cell:
            self._gathered.append(" ")
            return
        text = self._take()
        if not text:
            return
        depth = len(self._items)
        if self._headings:
            tag = self._headings[-1]
        elif self._items and self._items[-1]:
            tag, depth = "li", depth - 1
            self._items[-1] = False
        else:
            tag = "p"
        self.blocks.append(Block(tag, depth, text))

    def _take(self) -> str:
        text = " ".join("".join(self._gathered).translate(_UNSEEN).split())
        self._gathered.clear()
        return text
