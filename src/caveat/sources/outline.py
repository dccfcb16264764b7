"""The outline of a document: its blocks, the headings over a place, what introduces a list, a span's sentence."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from caveat.core.errors import one_line
from caveat.core.records import Document, Element, Table
from caveat.language.sentences import sentences
from caveat.sources.plain_text import indent_of, numbered_at

_INDENT = "  "
# Deeper lists are written no further to the right: the text must not grow with the square of the depth.
_DEEPEST = 32

# Sentences are looked for no further away: a text without any may be one of megabytes.
_REACH = 600
_LINE_ENDS = str.maketrans("\r\n\v\f\x85\u2028\u2029", "       ")


class Block(NamedTuple):
    """An element to be: its tag, how many list items it stands in, its text without blanks around it.

    A marker, such as "（一）" or "2. ", stands before the text and is no part of it. Pages count from 1; 0 is for what
    has none. `turns` are the places in the text at which further pages begin, with their numbers.
    """

    tag: str
    depth: int
    text: str
    marker: str = ""
    page: int = 0
    turns: tuple[tuple[int, int], ...] = ()


def assemble(blocks: Iterable[Block], *, title: str = "", url: str = "") -> Document:
    """A document of the blocks, one a line; what stands inside a list item is indented, as in Markdown.

    The indentation is no part of any element: it is how nesting can be told from the text alone.
    """
    pieces: list[str] = []
    elements: list[Element] = []
    pages: list[int] = []
    at = 0
    for block in blocks:
        lead = ("\n" if pieces else "") + _INDENT * min(block.depth, _DEEPEST) + block.marker
        start = at + len(lead)
        # A page without a block begins where the next one does.
        pages += [start] * (block.page - len(pages))
        for turn, page in block.turns:
            pages += [start + turn] * (page - len(pages))
        at = start + len(block.text)
        pieces += (lead, block.text)
        elements.append(Element(block.tag, block.text, start, at))
    return Document("".join(pieces), title, url, tuple(elements), tuple(pages))


def headings_at(document: Document, offset: int) -> tuple[str, ...]:
    """The headings over a place, the highest first; a heading does not stand over itself."""
    elements = document.elements
    at = _last_before(document, offset)
    if at < 0:
        return ()
    level = heading_level(elements[at]) if offset < elements[at].end else 0
    path: list[str] = []
    # Only a higher heading than those found already stands over the place; nothing is higher than 1.
    lowest = level or 7
    for index in range(at - 1 if level else at, -1, -1):
        element = elements[index]
        if (found := heading_level(element)) and found < lowest:
            path.append(element.text)
            lowest = found
            if found == 1:
                break
    return tuple(reversed(path))


def introduction_of(document: Document, index: int) -> Element | None:
    """The element that introduces the list of a list item ("You must be all of:"), if there is one.

    It is the paragraph before the list, or for a nested list the item, or the paragraph in it, that the list
    belongs to. A heading is none: `headings_at` gives it. Chinese lists nest without being indented: under "（一）" the
    item "1." begins a list that "（一）" introduces.
    """
    item = document.elements[index]
    if item.tag != "li":
        return None
    indent = indent_of(document.text, item.start)
    numbered = numbered_at(document.text, item.start)
    style, is_first = (numbered[0], numbered[1] == 1) if numbered else ("", False)
    for before in range(index - 1, -1, -1):
        element = document.elements[before]
        deeper = indent_of(document.text, element.start) - indent
        if deeper == 0 and element.tag == "li" and numbered:
            other = numbered_at(document.text, element.start)
            if other and other[0] == style:
                is_first = other[1] == 1
            elif other and is_first:
                return element
        if deeper > 0 or (deeper == 0 and element.tag == "li"):
            continue  # a sibling, or what stands in one
        return element if element.tag in ("p", "li") else None
    return None


class ListOfItems(NamedTuple):
    """A list: the index of the paragraph, item or heading right before it, if there is one, and of its items."""

    introduction: int | None
    items: tuple[int, ...]


class _OpenList(NamedTuple):
    indent: int
    style: str
    introduction: int | None
    items: list[int]


def lists_of(document: Document) -> list[ListOfItems]:
    """The lists of a document, in the order in which they begin; nested ones are lists of their own."""
    found: list[_OpenList] = []
    open_: list[_OpenList] = []
    for index, element in enumerate(document.elements):
        if heading_level(element):
            open_.clear()
            continue
        is_item = element.tag == "li"
        indent = indent_of(document.text, element.start)
        while open_ and (open_[-1].indent > indent or (not is_item and open_[-1].indent == indent)):
            open_.pop()
        if not is_item:
            continue
        style, number = numbered_at(document.text, element.start) or ("", 0)
        beside = [each for each in open_ if each.indent == indent]
        own = next((each for each in beside if each.style == style), None)
        # Another style that begins with 1 begins a list inside of the last item; else it is carelessly written.
        if own is None and beside and (number != 1 or not beside[-1].style):
            own = beside[-1]
        if own is None:
            before = document.elements[index - 1] if index else None
            leads = before is not None and (before.tag in ("p", "li") or heading_level(before) > 0)
            own = _OpenList(indent, style, index - 1 if leads else None, [])
            open_.append(own)
            found.append(own)
        while open_[-1] is not own:
            open_.pop()
        own.items.append(index)
    return [ListOfItems(each.introduction, tuple(each.items)) for each in found]


def element_at(document: Document, offset: int) -> int | None:
    """The index of the element that has the character at `offset`."""
    index = _last_before(document, offset)
    return index if index >= 0 and offset < document.elements[index].end else None


def page_at(document: Document, offset: int) -> int | None:
    """The page that an offset is on, counting from 1; None for a document without pages."""
    return bisect_right(document.pages, offset) or None


def heading_level(element: Element) -> int:
    """1 to 6 for a heading, else 0."""
    tag = element.tag
    return int(tag[1]) if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456" else 0


def _last_before(document: Document, offset: int) -> int:
    """The index of the last element that begins at `offset` or before it; -1 for none."""
    return bisect_right(document.elements, offset, key=lambda element: element.start) - 1


def sentence_around(document: Document, start: int, end: int) -> tuple[int, int]:
    """The half-open span of the sentence, or sentences, of an element that `start:end` stands in.

    A line end inside an element is none of a sentence: plain text and Markdown break their lines anywhere.
    """
    first, last = _bounds(document, start)[0], max(end, _bounds(document, max(start, end - 1))[1])
    first, last = max(first, start - _REACH), min(last, end + _REACH)
    found = sentences(document.text[first:last].translate(_LINE_ENDS))
    starts = [first + sentence[0] for sentence in found]
    at, until = bisect_right(starts, start) - 1, bisect_right(starts, max(start, end - 1)) - 1
    if at < 0 or until < 0:
        return start, end
    return starts[at], max(end, first + found[until][1])


def _bounds(document: Document, offset: int) -> tuple[int, int]:
    """The element at an offset, or else the line."""
    index = element_at(document, offset)
    if index is not None:
        return document.elements[index].start, document.elements[index].end
    text = document.text
    line_end = text.find("\n", offset, offset + _REACH)
    return text.rfind("\n", max(0, offset - _REACH), offset) + 1 or max(0, offset - _REACH), (
        line_end if line_end >= 0 else min(len(text), offset + _REACH)
    )


# How much of an element its line in an outline shows.
_SHOWN = 100


def outline_lines(documents: Iterable[Document], tables: Iterable[Table]) -> Iterator[str]:
    """What was understood of a file, a line each: pages, headings, paragraphs, list items, rows; then the tables."""
    for document in documents:
        yield f"document: {one_line(document.title, _SHOWN)}" if document.title else "document"
        level = page = 0
        for element in document.elements:
            if (number := page_at(document, element.start) or 0) > page:
                page = number
                yield f"-- page {page} --"
            level = heading_level(element) or level
            inside = level - 1 if heading_level(element) else level
            depth = inside + indent_of(document.text, element.start) // len(_INDENT)
            yield f"{_INDENT * depth}{element.tag:<3} {one_line(element.text, _SHOWN)}"
    for table in tables:
        size = f"{len(table.rows):,} rows, {len(table.headers):,} columns"
        yield f"table: {one_line(table.caption, _SHOWN)} ({size}): {one_line(' | '.join(table.headers), _SHOWN)}"
