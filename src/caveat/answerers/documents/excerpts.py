"""Large texts: a question is answered from an excerpt, the sections that have most of it, as if that were the text.

So a question costs what its excerpt costs, however long the text is. Headings stand over the sections of an excerpt as
they do in the text, and every place in a reply is one of the text itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec

from caveat.answerers.documents.places import name_of
from caveat.answerers.documents.sections import Sections, best_sections
from caveat.core.answers import Answer, Condition, Place
from caveat.core.records import Document, Element, Question, Reply
from caveat.sources.outline import page_at

LARGE, LARGE_TOGETHER = 200_000, 1_000_000
"""A text of more characters is answered from in an excerpt, and so are shorter ones where all have more together."""
# Characters of the excerpts of all texts that a question is asked of, roughly.
_EXCERPT = 100_000
# The farthest that the beginning of its line is from an element: a marker or an indentation.
_MARGIN = 1_000
# The farthest element that may introduce a list.
_INTRODUCTION = 100


class Excerpt(NamedTuple):
    """Parts of a text as a document of its own, and where each of them begins, in it and in the text."""

    document: Document
    text: Document
    begins: tuple[int, ...]
    stands: tuple[int, ...]

    def place(self, place: Place) -> Place:
        """A place in the excerpt as one in the text."""
        if place.start is None or place.end is None:
            return msgspec.structs.replace(place, source=name_of(self.text))
        at = bisect_right(self.begins, place.start) - 1
        by = self.stands[at] - self.begins[at]
        start, end = place.start + by, place.end + by
        page = page_at(self.text, start)
        return msgspec.structs.replace(place, source=name_of(self.text), start=start, end=end, page=page)


def excerpts_of(texts: Sequence[Sections], question: Question) -> list[Excerpt]:
    """Of each text what has most of the question and its scenario, an excerpt each, which may be empty.

    They are called differently, so that the places of one are told from those of another, however their texts are
    called.
    """
    chosen = best_sections(texts, question.text, question.scenario, _EXCERPT)
    return [_excerpt(*each, number) for number, each in enumerate(zip(texts, chosen, strict=True))]


def _excerpt(sections: Sections, chosen: Sequence[int], number: int) -> Excerpt:
    document, elements = sections.document, sections.elements
    pieces: list[str] = []
    kept: list[Element] = []
    begins: list[int] = []
    stands: list[int] = []
    at = 0
    for first, last in _runs(sections, chosen):
        low = _margin(document.text, elements, first)
        high = elements[last - 1].end
        begins.append(at)
        stands.append(low)
        pieces.append(document.text[low:high])
        by = at - low
        kept += (
            Element(each.tag, each.text, each.start + by, each.end + by) for each in elements[first:last]
        )
        at += high - low + 1
    # The stem of the name stays as it is, which tells what the document is about.
    url = f"{document.url}\0{number}"
    return Excerpt(
        Document("\n".join(pieces), document.title, url, tuple(kept)), document, tuple(begins), tuple(stands)
    )


def _runs(sections: Sections, chosen: Sequence[int]) -> list[tuple[int, int]]:
    """The chosen sections as ranges of elements, with the headings over each and what introduces its list."""
    wanted: set[int] = set()
    for section in chosen:
        elements = sections.elements_of(section)
        wanted.update(elements)
        wanted.update(sections.headings_over(elements[0]))
        wanted.update(_introduction(sections.elements, elements[0]))
    runs: list[tuple[int, int]] = []
    for _, group in groupby(enumerate(sorted(wanted)), lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in group]
        runs.append((numbers[0], numbers[-1] + 1))
    return runs


def _introduction(elements: Sequence[Element], first: int) -> Sequence[int]:
    """The paragraph before the list that an element is an item of."""
    if elements[first].tag != "li":
        return ()
    for before in range(first - 1, max(-1, first - _INTRODUCTION), -1):
        if elements[before].tag != "li":
            return (before,)
    return ()


def _margin(text: str, elements: Sequence[Element], first: int) -> int:
    """Where the line of an element begins, as far as no other element stands in it."""
    start = elements[first].start
    low = max(start - _MARGIN, elements[first - 1].end if first else 0)
    return max(low, text.rfind("\n", low, start) + 1, text.rfind("\r", low, start) + 1)


def in_the_texts(reply: Reply, excerpts: Mapping[str, Excerpt]) -> Reply:
    """A reply from excerpts, by what they are called, with all its places in the texts."""
    if not excerpts:
        return reply

    def place(found: Place) -> Place:
        excerpt = excerpts.get(found.source)
        return found if excerpt is None else excerpt.place(found)

    def condition(found: Condition) -> Condition:
        return found if found.place is None else msgspec.structs.replace(found, place=place(found.place))

    def answer(found: Answer) -> Answer:
        return msgspec.structs.replace(
            found,
            place=None if found.place is None else place(found.place),
            conditions=tuple(map(condition, found.conditions)),
            evidence=tuple(map(place, found.evidence)),
            parts=tuple(map(answer, found.parts)),
        )

    return msgspec.structs.replace(reply, answers=tuple(map(answer, reply.answers)))
