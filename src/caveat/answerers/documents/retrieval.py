"""What of the documents is read: the reader's windows, the tagger's passage, and of large texts an excerpt.

An excerpt has the sections that have most of the question, as if they were the text, so that a question costs what its
excerpt costs, however long the text is. Headings stand over its sections as they do in the text, and every place in a
reply is one of the text itself.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

import msgspec

from caveat.answerers.documents.sections import Sections, best_sections
from caveat.answerers.documents.spans import name_of
from caveat.core.answers import Answer, Condition, Place
from caveat.core.records import Document, Element, Question, Reply
from caveat.language.sentences import sentences
from caveat.models.reader import Reader
from caveat.models.selection import Chosen, Limit
from caveat.models.windowed_model import ReadRequest
from caveat.sources.outline import heading_level, page_at, sentence_around
from caveat.sources.plain_text import parse_plain_text

# With 8 windows of 256 tokens 98 of 100 answers on real pages are read (docs/results/field.md).
_LIMIT = Limit(few=8, margin=None)


def window_requests(reader: Reader, question: Question, documents: Sequence[Document]) -> list[ReadRequest]:
    """Each document with its windows that are worth reading among those of all the documents."""
    chosen = reader.choose(question.text, [document.text for document in documents])
    return list(map(partial(_request, question.text), documents, chosen))


def page_requests(reader: Reader, question: Question, documents: Sequence[Document]) -> list[ReadRequest]:
    """The same for a reader whose spans are weighed afterwards: what a window shares with the question counts then.

    What the asker says takes part in the search, and is read with the question.
    """
    asked = asked_with_scenario(question)
    limit = None if reader.limit is None else _LIMIT
    chosen = reader.choose(asked, [document.text for document in documents], limit)
    alike = [tuple(window._replace(behind=0.0) for window in windows) for windows in chosen]
    return list(map(partial(_request, asked), documents, alike))


def asked_with_scenario(question: Question) -> str:
    """A question and what the asker says, as a joint reader is trained to read them."""
    return f"{question.text} {question.scenario}".strip()


def _request(question: str, document: Document, windows: tuple[Chosen, ...]) -> ReadRequest:
    """A model sees a text as one line, but an answer stands in one element, and a heading is none unless all are."""
    elements = [each for each in document.elements if not heading_level(each)] or document.elements
    parts = tuple((each.start, each.end) for each in elements) or None
    return ReadRequest(question, document.text, windows, parts)


# Roughly, of English; an ideograph, or another character that is not ASCII, is a token of its own.
_CHARACTERS_OF_A_TOKEN = 4


def passage_around(document: Document, start: int, end: int, tokens: int) -> tuple[int, int]:
    """The half-open span of the elements that `start:end` stands in and of their neighbours, up to about `tokens`.

    It grows on both sides by whole elements, never beyond a heading. An element that is longer by itself is cut
    between sentences; a text without elements is taken for plain text.
    """
    # What is farther away is more than `tokens` away.
    reach = _CHARACTERS_OF_A_TOKEN * tokens
    if not document.elements:
        low, high = max(0, start - reach), end + reach
        plain = parse_plain_text(document.text[low:high])
        if not plain.elements:
            return start, end
        first, last = passage_around(plain, start - low, end - low, tokens)
        return first + low, last + low

    text, elements = document.text, document.elements
    first_at = bisect_right(elements, start, key=lambda element: element.end)
    last_at = bisect_left(elements, end, key=lambda element: element.start) - 1
    if first_at > last_at:  # beside all elements
        return sentence_around(document, start, end)
    first, last = min(start, elements[first_at].start), max(end, elements[last_at].end)
    if _tokens(text[first:last]) > tokens:
        return _sentences_around(text, start, end, max(first, start - reach), min(last, end + reach), tokens)
    if any(map(heading_level, elements[first_at : last_at + 1])):
        return first, last

    def edges(indices: Iterable[int]) -> Iterator[int]:
        for index in indices:
            if heading_level(elements[index]):
                return
            yield elements[index].start if index < first_at else elements[index].end

    before, after = range(first_at - 1, -1, -1), range(last_at + 1, len(elements))
    return _grown(text, first, last, edges(before), edges(after), tokens)


def _sentences_around(text: str, start: int, end: int, low: int, high: int, tokens: int) -> tuple[int, int]:
    """The same with the sentences of `low:high`; a single one may be longer than `tokens`."""
    found = [(low + first, low + last) for first, last in sentences(text[low:high])]
    own = [span for span in found if span[0] < end and start < span[1]]
    if not own:
        return start, end
    first, last = min(start, own[0][0]), max(end, own[-1][1])
    before = (span[0] for span in reversed(found) if span[1] <= first)
    after = (span[1] for span in found if span[0] >= last)
    return _grown(text, first, last, before, after, tokens)


def _grown(
    text: str, start: int, end: int, before: Iterator[int], after: Iterator[int], tokens: int
) -> tuple[int, int]:
    """`start:end` made wider to the edges on both sides in turn, on each until the next would be too far."""
    sides = [before, after]
    while sides:
        for side in tuple(sides):
            edge = next(side, None)
            if edge is None or _tokens(text[min(start, edge) : max(end, edge)]) > tokens:
                sides.remove(side)
            else:
                start, end = min(start, edge), max(end, edge)
    return start, end


def _tokens(text: str) -> int:
    """About how many tokens a text has; no model need be loaded for it."""
    ascii_characters = len(text.encode("ascii", "ignore"))
    return len(text) - ascii_characters + ascii_characters // _CHARACTERS_OF_A_TOKEN


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
