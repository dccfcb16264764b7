"""A list that is the answer, whole: what introduces it has most of what a Chinese question for several things is about.

English pages have `lists`, which knows their rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import cache
from typing import NamedTuple

from caveat.answerers.documents.places import place_in
from caveat.core.records import Answer, Document, Element
from caveat.language.bm25 import idf
from caveat.language.content_words import subjects_of
from caveat.language.packs import packs
from caveat.language.question import asks_for_several
from caveat.models.probability import Weighed
from caveat.sources.marks import without_marks
from caveat.sources.outline import element_at, heading_level, headings_at, lists_of

__all__ = ["WholeList", "whole_list"]

# An introduction has most of what is asked, by weight; where the reader found nothing in the list, nearly all of it.
_LEAST_SHARED, _NEARLY_ALL = 0.5, 0.8
_EDGES = " \t\r\n\u3000;；。.,，、"
# A sentence that lists things behind a colon.
_LISTING = re.compile(
    r"(?P<lead>[^。；：:!！?？\n]{2,200})[：:](?P<items>[^。；：:!！?？\n]*、[^。；：:!！?？\n]*)"
)
_ITEM = re.compile("[^、]+")

Span = tuple[int, int]


class WholeList(NamedTuple):
    """The items of a list as answers that hold together, how much of the question introduces it, how probable it is."""

    answers: tuple[Answer, ...]
    share: float
    probability: float


class _Found(NamedTuple):
    """A list in a document: where its introduction stands, what that says, and where its items stand."""

    introduction: Span
    said: str
    items: Sequence[Span]
    read: bool


def whole_list(question: str, documents: Sequence[Document], weighed: Weighed) -> WholeList | None:
    """The list that answers a Chinese question, of the documents in which a reader found spans; None where none does.

    It is the one whose introduction has most of the question, rare words counting more. That share and the reader's
    probability that there is an answer say together how probable it is.
    """
    if not any(asks_for_several(question, each.code) for each in packs() if each.lists):
        return None
    read: dict[int, set[int]] = {}
    for choice in weighed.choices:
        for number, candidate in choice.places:
            if (at := element_at(documents[number], candidate.start)) is not None:
                read.setdefault(number, set()).add(at)
    best: tuple[float, int, _Found] | None = None
    for number, places in read.items():
        subject = _Subject(question, documents[number])
        for found in _lists(documents[number], places):
            share = subject.shared(found.said)
            if best is None or share > best[0]:
                best = share, number, found
    if best is None or best[0] < (_LEAST_SHARED if best[2].read else _NEARLY_ALL):
        return None
    share, number, found = best
    probability = (share + 1.0 - weighed.unanswerable) / 2
    document = documents[number]
    # The same for all: a list ends at a heading.
    headings = headings_at(document, found.items[0][0])
    evidence = place_in(document, *found.introduction)
    answers = tuple(
        Answer(
            document.text[start:end],
            "span",
            probability,
            place_in(document, start, end, headings=headings),
            evidence=(evidence,),
        )
        for start, end in found.items
    )
    return WholeList(answers, share, probability)


def _lists(document: Document, read: Set[int]) -> Iterator[_Found]:
    """The lists of a document, and the sentences that list things in the elements that were read."""
    elements = document.elements
    for each in lists_of(document):
        if each.introduction is None:
            continue
        introduction = elements[each.introduction]
        said = _said(document, introduction)
        spans = (_bare(document.text, elements[at].start, elements[at].end) for at in each.items)
        items = [span for span in spans if span is not None]
        if said and len(items) > 1:
            is_read = not read.isdisjoint((each.introduction, *each.items))
            yield _Found((introduction.start, introduction.end), said, items, is_read)
    for at in sorted(read):
        yield from _listing(document, elements[at])


def _said(document: Document, introduction: Element) -> str:
    """What introduces a list says: a heading with those over it, or a sentence that says that something follows."""
    if heading_level(introduction):
        return " ".join((*headings_at(document, introduction.start), introduction.text))
    last = re.split(r"[。！？!?]", introduction.text.rstrip())[-1]
    return last if last.endswith(("：", ":")) or _introducing().search(last) else ""


def _listing(document: Document, element: Element) -> Iterator[_Found]:
    for found in _LISTING.finditer(document.text, element.start, element.end):
        spans = (
            _bare(document.text, *item.span()) for item in _ITEM.finditer(document.text, *found.span("items"))
        )
        items = [span for span in spans if span is not None]
        # Two may be one thing and its other name.
        if len(items) > 2:
            yield _Found(found.span(), found["lead"], items, True)


def _bare(text: str, start: int, end: int) -> Span | None:
    """The span without marks and without punctuation at its ends; None where nothing is left."""
    piece = text[start:end]
    end = start + len(piece.rstrip(_EDGES))
    start = min(end, start + len(piece) - len(piece.lstrip(_EDGES)))
    start, end = without_marks(text, start, end)
    return (start, end) if any(map(str.isalnum, text[start:end])) else None


class _Subject:
    """What a question is about, and how much each of its characters tells in a document."""

    def __init__(self, question: str, document: Document) -> None:
        self._parts = subjects_of(question)
        texts = [element.text for element in document.elements]
        pairs = {part[at : at + 2] for part in self._parts for at in range(len(part) - 1)}
        self._rarity = {
            pair: float(idf(held, len(texts)))
            for pair in pairs
            if (held := sum(pair in text for text in texts))
        }
        self._absent = float(idf(0, len(texts)))

    def shared(self, text: str) -> float:
        """The share of the question, by weight, that stands in a text, as words of two characters at least."""
        whole = shared = 0.0
        for part in self._parts:
            weights = [0.0] * len(part)
            has = [False] * len(part)
            known = [False] * len(part)
            for at in range(len(part) - 1):
                pair = part[at : at + 2]
                for here in (at, at + 1):
                    weights[here] = max(weights[here], self._rarity.get(pair, 0.0))
                    known[here] |= pair in self._rarity
                    has[here] |= pair in text
            # A word that the document has not; a single character between words that it has is none.
            for at in range(len(part)):
                if not known[at] and not all(known[max(0, at - 1) : at] + known[at + 1 : at + 2]):
                    weights[at] = self._absent
            whole += sum(weights)
            shared += sum(weight for weight, there in zip(weights, has, strict=True) if there)
        return shared / whole if whole else 0.0


@cache
def _introducing() -> re.Pattern[str]:
    return re.compile("|".join(each.list_markers for each in packs() if each.list_markers))
