"""The parts of a source: passages, which are searched by their terms, and excerpts of long documents, which are read.

A passage is a paragraph or two under its headings, of a table some rows; an excerpt has the sections of what was found.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import PurePath
from typing import NamedTuple

import msgspec

from caveat.core.languages import HAN
from caveat.core.records import Document, Element, Table
from caveat.language.sentences import sentences
from caveat.language.simplify import simplified_text
from caveat.language.tokens import STOP_TOKENS, tokens
from caveat.sources.outline import heading_level
from caveat.sources.plain_text import parse_plain_text

# Short elements go together up to about so many words; a paragraph is cut only if it is longer than that.
_MOST_WORDS, _LONGEST_PARAGRAPH = 120, 200
# Rows are short and alike; more of them go together.
_MOST_WORDS_OF_ROWS = 360
_WORD = re.compile(rf"[^\W_{HAN}]+")
_ONE_HAN = re.compile(f"[{HAN}]")
# Two characters are about a word.
_HAN_OF_A_WORD = 2


class Passage(NamedTuple):
    """A stretch of a document, or rows of a table, and the title and headings over it."""

    start: int
    end: int
    headings: tuple[str, ...] = ()


def document_passages(document: Document) -> Iterator[Passage]:
    """The passages of a document, in order: neighbouring elements of a section as long as they are short together.

    An element that is too long by itself is cut between sentences. Headings are in no passage, but over those that
    follow; one with nothing under it is a passage of its own.
    """
    elements = document.elements or parse_plain_text(document.text).elements
    path: list[tuple[int, str]] = []
    start, end, size = 0, 0, 0
    bare: tuple[int, int] | None = None

    def over() -> tuple[str, ...]:
        return tuple(text for _, text in path)

    for element in elements:
        if level := heading_level(element):
            if size:
                yield Passage(start, end, over())
                size = 0
            if bare is not None and path and level <= path[-1][0]:
                yield Passage(*bare, over()[:-1])
            path = [*((other, text) for other, text in path if other < level), (level, element.text)]
            bare = element.start, element.end
            continue
        words = _words(element.text)
        if size and size + words > _MOST_WORDS:
            yield Passage(start, end, over())
            size = 0
        if words > _LONGEST_PARAGRAPH:
            yield from (Passage(*span, over()) for span in _cut(document.text, element.start, element.end))
        elif words or element.text.strip():
            start, end, size = (element.start if not size else start), element.end, size + max(words, 1)
        bare = None
    if size:
        yield Passage(start, end, over())
    if bare is not None:
        yield Passage(*bare, over()[:-1])


def table_passages(table: Table) -> Iterator[Passage]:
    """Rows of a table that are searched together: from the row `start` up to `end`."""
    names = (table.caption or PurePath(table.id).stem, *table.headers)
    start, size = 0, 0
    for number, row in enumerate(table.rows):
        words = sum(map(_words, row))
        if size and size + words > _MOST_WORDS_OF_ROWS:
            yield Passage(start, number, names)
            start, size = number, 0
        size += words
    yield Passage(start, len(table.rows), names)


def title_of(document: Document) -> str:
    """The title of a document, or else what its file is called."""
    return document.title or PurePath(document.url).stem


def passage_text(source: Document | Table, passage: Passage) -> str:
    """What a passage says."""
    if isinstance(source, Document):
        return source.text[passage.start : passage.end]
    return "\n".join(" | ".join(row) for row in source.rows[passage.start : passage.end])


def _words(text: str) -> int:
    if text.isascii():
        return text.count(" ") + 1 if text else 0
    return len(_WORD.findall(text)) + len(_ONE_HAN.findall(text)) // _HAN_OF_A_WORD


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A long element in stretches of whole sentences; a sentence may be too long by itself."""
    first, last, size = start, start, 0
    for low, high in sentences(text[start:end]):
        words = _words(text[start + low : start + high])
        if size and size + words > _MOST_WORDS:
            yield first, last
            size = 0
        if not size:
            first = start + low
        last, size = start + high, size + max(words, 1)
    if size:
        yield first, last


_HAN = re.compile(f"[{HAN}]+")
# Longer ones are pictures in base64 and the like, which nobody asks for.
_LONGEST = 64


def terms(text: str) -> list[str]:
    """The terms of a text, as often as it has them; Traditional and Simplified script have the same."""
    if text.isascii() or not _HAN.search(text):
        return [term[:_LONGEST] for term in tokens(text)]
    text = simplified_text(text)
    found = [term[:_LONGEST] for term in tokens(_HAN.sub(" ", text))]
    for run in _HAN.findall(text):
        found += run
        found += (first + second for first, second in pairwise(run))
    return found


def question_terms(question: str) -> list[str]:
    """The terms that a question is searched with, each once; what every question has is left out, unless it is all."""
    every = list(dict.fromkeys(terms(question)))
    return [term for term in every if term not in STOP_TOKENS] or every


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
