"""Web pages as documents: what a reader sees of the content, as headings, paragraphs, list items and table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from caveat.core.errors import InputError
from caveat.core.limits import checkpoint
from caveat.core.records import Document
from caveat.sources.grid import RawTable
from caveat.sources.html_folds import Folds, folds_of
from caveat.sources.html_tables import (
    SECTIONS,
    Cell,
    MergedCells,
    is_data_table,
    page_tables,
    row_text,
    words_of,
)
from caveat.sources.html_tags import BLOCK_TAGS, HEADINGS, is_furniture, is_invisible
from caveat.sources.outline import Block, assemble

_CONTENT_TAGS = frozenset(("main", "article"))
# Names of folds, in place of their tags: as a heading, as a paragraph.
_FOLD_HEADING, _FOLD_NAME = "#heading", "#name"
_LOWEST_HEADING = 4
_IDEOGRAPHIC_INDENT = "\u3000\u3000"

Event = tuple[Literal["open", "close", "text"], LexborNode, str]

# Chrome and others write where a page was saved from; the number counts the characters of the address.
_SAVED_FROM = re.compile(r"<!--\s*saved from url=\(\d+\)(\S+)\s*-->")
_BEGINNING = 4096


def parse_html(markup: str) -> Document:
    """The visible text of a page's content, one line an element: h1 to h4, p, li, and tr with cells joined by " | ".

    Containers (ul, ol, table) are dropped, descriptive tags (dl, blockquote, figcaption, address …) become p,
    h5 and h6 become h4. What a page folds away is read too: the names of folds become headings (see `html_folds`).
    The content is `main`, or an `article` that has most of the text, or the body.
    """
    return _document(_tree(markup), markup)


def read_page(markup: str, name: str = "") -> tuple[Document, list[RawTable]]:
    """The page as a document, and the tables in all of it; its name is used where it has no title of its own."""
    tree = _tree(markup)
    return _document(tree, markup), page_tables(tree.body, _title(tree) or name)


def read_fragment(markup: str, name: str = "", level: int = 1) -> tuple[list[Block], list[RawTable]]:
    """What is shown of markup under a heading of that level in another text, and the tables in it."""
    body = _tree(markup).body
    if body is None:
        return [], []
    return _blocks(body, furniture=True, level=level), page_tables(body, name)


def _tree(markup: str) -> LexborHTMLParser:
    try:
        return LexborHTMLParser(markup.encode("utf-8", "replace").decode("utf-8"))
    except (SelectolaxError, ValueError) as error:
        raise InputError(f"cannot be read as HTML: {error}") from error


def _document(tree: LexborHTMLParser, markup: str) -> Document:
    found = _content(tree)
    title = _title(tree) or next((block.text for block in found if block.tag == "h1"), "")
    return assemble(found, title=title, url=_address(tree, markup))


def _title(tree: LexborHTMLParser) -> str:
    node = tree.head.css_first("title") if tree.head else None
    return words_of(node.text()) if node is not None else ""


def _content(tree: LexborHTMLParser) -> list[Block]:
    body = tree.body
    if body is None:
        return []
    found = _main_content(body)
    if found and not any(block.tag == "h1" for block in found):
        found = [*_title_in_header(body), *found]
    # A page that is all header or form is better read than left empty.
    return found or _blocks(body, furniture=True)


def _main_content(body: LexborNode) -> list[Block]:
    main = body.css_first("main, [role=main]")
    if main is not None and (found := _blocks(main)):
        return found
    found = _blocks(body)
    article = body.css_first("article")
    if article is not None:
        inside = _blocks(article)
        if 2 * _size(inside) >= _size(found):
            return inside or found
    return found


def _title_in_header(body: LexborNode) -> list[Block]:
    """What the header of the page calls it, where the content does not."""
    headings = body.css("header h1")
    text = words_of(headings[0].text()) if len(headings) == 1 else ""
    return [Block("h1", 0, text)] if text else []


def _size(found: list[Block]) -> int:
    return sum(len(block.text) for block in found)


def _address(tree: LexborHTMLParser, markup: str) -> str:
    for selector, attribute in (("link[rel~=canonical]", "href"), ('meta[property="og:url"]', "content")):
        node = tree.css_first(selector)
        if node is not None and (address := (node.attributes.get(attribute) or "").strip()):
            return address
    saved = _SAVED_FROM.search(markup, 0, _BEGINNING)
    return saved[1] if saved else ""


def _blocks(root: LexborNode, *, furniture: bool = False, level: int = 1) -> list[Block]:
    """The blocks of what is shown under `root`; the furniture of the site only if it is asked for."""
    folds = folds_of(root)
    reader = _Reader(folds, level)
    for kind, node, tag in _events(root, furniture, folds):
        checkpoint()
        if kind == "text":
            reader.text(node.text_content or "")
        elif kind == "open":
            reader.open(node, tag)
        else:
            reader.close(node, tag)
    reader.flush()
    return reader.blocks


def _events(root: LexborNode, furniture: bool, folds: Folds) -> Iterator[Event]:
    """What is shown under `root`, in order; the stack is a list, so that no page is nested too deeply."""
    opened: list[tuple[LexborNode, str]] = []
    content = 1 if root.tag in _CONTENT_TAGS or root.attributes.get("role") == "main" else 0
    headings = 0
    node = root.first_child
    while node is not None or opened:
        if node is None:
            node, tag = opened.pop()
            content -= tag in _CONTENT_TAGS
            headings -= tag in HEADINGS or tag == _FOLD_HEADING
            yield "close", node, tag
            node = node.next
            continue
        if node.is_text_node:
            yield "text", node, ""
            node = node.next
            continue
        tag = node.tag or ""
        is_name = node.mem_id in folds.names and headings == 0
        if (
            not node.is_element_node
            or is_invisible(node, tag, folds.panels)
            or (
                not (furniture or is_name)
                and is_furniture(node, tag, in_content=content > 0, in_heading=headings > 0)
            )
        ):
            node = node.next
            continue
        if is_name:
            tag = _FOLD_HEADING if folds.names[node.mem_id] else _FOLD_NAME
        yield "open", node, tag
        opened.append((node, tag))
        content += tag in _CONTENT_TAGS
        headings += tag in HEADINGS or tag == _FOLD_HEADING
        node = node.first_child


class _Reader:
    """Text as it comes, gathered until a block ends."""

    def __init__(self, folds: Folds, level: int) -> None:
        self.blocks: list[Block] = []
        self._labels = folds.labels
        # The level of the last heading that is no name of a fold, and how many folds are open.
        self._level = level
        self._folds = 0
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
        if (label := self._labels.get(node.mem_id)) is not None:
            self._name_of_tab(*label)
        if tag not in BLOCK_TAGS and tag not in (_FOLD_HEADING, _FOLD_NAME):
            return
        self.flush()
        if tag in HEADINGS:
            self._headings.append(HEADINGS[tag])
            self._level = int(HEADINGS[tag][1]) if not self._folds else self._level
        elif tag == _FOLD_HEADING:
            self._headings.append(self._heading_of_fold())
            if self._items:
                self._items[-1] = False
        elif tag == "details":
            self._folds += 1
        elif tag == "li":
            self._items.append(True)
        elif tag == "pre":
            self._verbatim += 1
        elif tag == "table":
            if self._table is None and is_data_table(node):
                self._table = node
                self._merged = MergedCells()
        elif self._table is not None:
            if tag in SECTIONS:
                self._merged = MergedCells()
            elif tag in ("td", "th"):
                self._in_cell = True

    def _name_of_tab(self, name: str, is_heading: bool) -> None:
        if self._table is None:
            self.flush()
            self.blocks.append(Block(self._heading_of_fold() if is_heading else "p", len(self._items), name))

    def _heading_of_fold(self) -> str:
        return f"h{min(self._level + max(1, self._folds), _LOWEST_HEADING)}"

    def close(self, node: LexborNode, tag: str) -> None:
        if tag not in BLOCK_TAGS and tag not in (_FOLD_HEADING, _FOLD_NAME):
            return
        if self._table is not None and tag in ("td", "th"):
            self._in_cell = False
            self._row.append(Cell.of(node, self._take()))
            return
        self.flush()
        if tag in HEADINGS or tag == _FOLD_HEADING:
            self._headings.pop()
        elif tag == "details":
            self._folds -= 1
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
        text = words_of("".join(self._gathered))
        self._gathered.clear()
        return text
