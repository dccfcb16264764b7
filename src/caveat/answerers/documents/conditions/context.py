"""Each element of a document in its place: under which headings, in which list, and what introduces that list."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from caveat.core.records import Document, Element
from caveat.language.sentences import sentences
from caveat.sources.outline import heading_level
from caveat.sources.plain_text import indent_of

# Lists nested more deeply than this are read as if they were nested no deeper.
_DEEPEST = 32
_LONGEST_INTRODUCTION = 2000


class InContext(msgspec.Struct, frozen=True):
    """An element with what stands over it; `headings`, `introduction` and `items` are indices of elements.

    `introduction` is the element that introduces a list item's list, or for a row the table's first row;
    `introduced_by` is its last sentence. `items` are the items, or rows, that the element itself introduces.
    """

    index: int
    element: Element
    headings: tuple[int, ...]
    introduction: int | None = None
    introduced_by: str = ""
    depth: int = 0
    items: tuple[int, ...] = ()


def in_context(document: Document) -> tuple[InContext, ...]:
    """Every element of the document in its place, in time that grows with their number alone."""
    elements = document.elements
    introductions = _introductions(document)
    items: dict[int, list[int]] = {}
    for index, introduction in enumerate(introductions):
        if introduction is not None:
            items.setdefault(introduction, []).append(index)
    found: list[InContext] = []
    headings: tuple[int, ...] = ()
    last_sentences: dict[int, str] = {}
    for index, element in enumerate(elements):
        level = heading_level(element)
        if level:
            headings = tuple(at for at in headings if heading_level(elements[at]) < level)
        above = introductions[index]
        if above is not None and above not in last_sentences:
            last_sentences[above] = last_sentence(elements[above].text)
        found.append(
            InContext(
                index,
                element,
                headings,
                above,
                last_sentences[above] if above is not None else "",
                0 if above is None or element.tag != "li" else found[above].depth + 1,
                tuple(items.get(index, ())),
            )
        )
        if level:
            headings = (*headings, index)
    return tuple(found)


def last_sentence(text: str) -> str:
    """The last sentence of a text; of a very long text only the end is looked at."""
    text = " ".join(text[-_LONGEST_INTRODUCTION:].split())
    spans = sentences(text)
    return text[slice(*spans[-1])] if spans else ""


def _introductions(document: Document) -> list[int | None]:
    """For each list item the element that introduces its list, for each row the first of its table."""
    elements = document.elements
    found: list[int | None] = [None] * len(elements)
    # The lists that are open: the indentation of their items, and what introduces them.
    lists: list[tuple[int, int | None]] = []
    first_row: int | None = None
    for index, element in enumerate(elements):
        if element.tag != "tr":
            first_row = None
        if element.tag == "tr":
            found[index], first_row = (first_row, first_row) if first_row is not None else (None, index)
        elif element.tag == "li":
            indent = indent_of(document.text, element.start)
            before = index - 1
            while lists and lists[-1][0] > indent:
                lists.pop()
            if not lists or lists[-1][0] < indent:
                if len(lists) < _DEEPEST:
                    lists.append(
                        (indent, before if before >= 0 and elements[before].tag in ("p", "li") else None)
                    )
            elif _opens_flat_list(elements, before):
                # Where nesting is not shown, an item that ends in a colon introduces those after it.
                lists[-1] = (indent, before)
            found[index] = lists[-1][1]
        elif heading_level(element):
            lists.clear()
        elif lists:
            # A paragraph inside an item is indented further than the item.
            indent = indent_of(document.text, element.start)
            while lists and lists[-1][0] >= indent:
                lists.pop()
    return found


def _opens_flat_list(elements: Sequence[Element], before: int) -> bool:
    return (
        before >= 0 and elements[before].tag == "li" and elements[before].text.rstrip().endswith((":", "："))
    )
