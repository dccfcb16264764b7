"""What stands over a place in a document: its headings, and the words that introduce a list."""

from __future__ import annotations

from bisect import bisect_right

from caveat.core.records import Document, Element
from caveat.sources.lines import indent_of

__all__ = ["element_at", "heading_level", "headings_at", "introduction_of"]


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
    belongs to. A heading is none: `headings_at` gives it.
    """
    item = document.elements[index]
    if item.tag != "li":
        return None
    indent = indent_of(document.text, item.start)
    for before in range(index - 1, -1, -1):
        element = document.elements[before]
        deeper = indent_of(document.text, element.start) - indent
        if deeper > 0 or (deeper == 0 and element.tag == "li"):
            continue  # a sibling, or what stands in one
        return element if element.tag in ("p", "li") else None
    return None


def element_at(document: Document, offset: int) -> int | None:
    """The index of the element that has the character at `offset`."""
    index = _last_before(document, offset)
    return index if index >= 0 and offset < document.elements[index].end else None


def heading_level(element: Element) -> int:
    """1 to 6 for a heading, else 0."""
    tag = element.tag
    return int(tag[1]) if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456" else 0


def _last_before(document: Document, offset: int) -> int:
    """The index of the last element that begins at `offset` or before it; -1 for none."""
    return bisect_right(document.elements, offset, key=lambda element: element.start) - 1
