"""The part of a long document that is worth asking: the sections of what was found in it, under their headings."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

import msgspec

from caveat.core.records import Document, Element
from caveat.sources.outline import heading_level
from caveat.sources.plain_text import parse_plain_text

# What stands between stretches that do not follow each other.
_GAP = "\n\n"


class Excerpt(NamedTuple):
    """Stretches of a document as a document, and where each begins there and here."""

    document: Document
    whole: Document
    there: tuple[int, ...] = (0,)
    here: tuple[int, ...] = (0,)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """A span of the excerpt in the whole document; one that reaches over a gap ends before it."""
        at = max(0, bisect_right(self.here, start) - 1)
        shift = self.there[at] - self.here[at]
        last = self.here[at + 1] - len(_GAP) if at + 1 < len(self.here) else len(self.document.text)
        return start + shift, min(end, last) + shift


def excerpt(document: Document, spans: Sequence[tuple[int, int]], most: int) -> Excerpt:
    """The document if it has at most `most` characters, else the sections that the spans stand in, the first first.

    A section is what stands under the same heading; where all of them are too long together it is what is nearest to
    the spans. The headings over them are there too. A document without elements is taken for plain text.
    """
    if len(document.text) <= most:
        return Excerpt(document, document)
    elements = document.elements or parse_plain_text(document.text).elements
    chosen: set[int] = set()
    ranges: list[tuple[int, int]] = []
    taken = 0
    for start, end in spans:
        if taken < most:
            ranges.append(_elements(elements, start, end))
            taken += _take(elements, range(*ranges[-1]), chosen)
    _grow(elements, ranges, most - taken, chosen)
    for first in sorted(chosen):
        _take(elements, _over(elements, first), chosen)
    return _joined(document, elements, sorted(chosen))


def _elements(elements: Sequence[Element], start: int, end: int) -> tuple[int, int]:
    """The elements that a span stands in, as a range."""
    first = max(0, bisect_right(elements, start, key=lambda element: element.start) - 1)
    return first, max(first + 1, bisect_left(elements, end, key=lambda element: element.start))


def _grow(
    elements: Sequence[Element], ranges: Iterable[tuple[int, int]], most: int, chosen: set[int]
) -> None:
    """Choose what stands around ranges of elements, on both sides in turns, up to headings and `most` characters."""
    # Each side is the next element to be chosen, and the step to the one after it.
    sides = [side for first, last in ranges for side in ((first, -1), (last, 1))]
    while sides and most > 0:
        going = []
        for at, step in sides:
            # A heading stands over what follows it: it is the last that is taken upwards, and none downwards.
            number = at - 1 if step < 0 else at
            if not 0 <= number < len(elements) or heading_level(elements[at if step < 0 else number]):
                continue
            most -= _take(elements, (number,), chosen)
            going.append((at + step, step))
        sides = going


def _take(elements: Sequence[Element], numbers: Iterable[int], chosen: set[int]) -> int:
    new = [number for number in numbers if number not in chosen]
    chosen.update(new)
    return sum(elements[number].end - elements[number].start for number in new)


def _over(elements: Sequence[Element], at: int) -> list[int]:
    """The headings over an element, itself among them."""
    found: list[int] = []
    lowest = 7
    for number in range(at, -1, -1):
        level = heading_level(elements[number])
        if level and level < lowest:
            found.append(number)
            lowest = level
            if level == 1:
                break
    return found


def _joined(document: Document, elements: Sequence[Element], chosen: Sequence[int]) -> Excerpt:
    """The chosen elements, those that follow each other as the stretch that they are, markers and indents included."""
    stretches: list[tuple[int, int, list[Element]]] = []
    for position, number in enumerate(chosen):
        element = elements[number]
        if position and chosen[position - 1] == number - 1:
            start, _, members = stretches[-1]
            stretches[-1] = start, element.end, [*members, element]
        else:
            before = elements[number - 1].end if number else 0
            line = document.text.rfind("\n", before, element.start) + 1 or before
            stretches.append((line, element.end, [element]))
    there = tuple(start for start, _, _ in stretches)
    sizes = (end - start + len(_GAP) for start, end, _ in stretches)
    here = tuple(accumulate(sizes, initial=0))[:-1]
    moved = tuple(
        msgspec.structs.replace(element, start=element.start - start + begin, end=element.end - start + begin)
        for (start, _, members), begin in zip(stretches, here, strict=True)
        for element in members
    )
    text = _GAP.join(document.text[start:end] for start, end, _ in stretches)
    return Excerpt(Document(text, document.title, document.url, moved), document, there, here)
