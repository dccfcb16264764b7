"""Spans as answers: their sentence as evidence, their place under the document's headings."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from caveat.core.records import Answer, Document, Place
from caveat.models.decoding import Candidate
from caveat.models.probability import Choice
from caveat.models.reader import ReadResult
from caveat.sources.outline import headings_at, sentence_around

__all__ = ["evidence_of", "may_be_answer", "name_of", "possible_answers", "span_answer"]


def possible_answers(found: ReadResult, document: Document) -> ReadResult:
    """What was found without spans that cannot be an answer."""
    may_be = may_be_answer(document)
    return ReadResult(
        tuple(candidate for candidate in found.candidates if may_be(candidate.start, candidate.end))
    )


def may_be_answer(document: Document) -> Callable[[int, int], bool]:
    """Whether a span of the document, from start to end, can be an answer.

    A model sees a text as one line: it may run from a heading into the paragraph under it, or stop at a mark of
    Markdown. A span across the edge of an element is no answer, nor is one without a letter or a figure.
    """
    edges = sorted({edge for element in document.elements for edge in (element.start, element.end)})

    def may_be(start: int, end: int) -> bool:
        # The first edge after the span's beginning is not before its end.
        within = bisect_left(edges, end) == bisect_right(edges, start)
        return within and any(map(str.isalnum, document.text[start:end]))

    return may_be


def span_answer(choice: Choice, documents: Sequence[Document]) -> Answer:
    """A weighed choice as an answer: the best place is its place, the sentences of all places its evidence."""
    number, best = choice.places[0]
    document = documents[number]
    # A text may stand twice in one sentence.
    evidence = dict.fromkeys(evidence_of(candidate, documents[source]) for source, candidate in choice.places)
    return Answer(
        best.text,
        "span",
        choice.probability,
        Place(name_of(document), best.start, best.end, headings_at(document, best.start)),
        evidence=tuple(evidence),
    )


def evidence_of(candidate: Candidate, document: Document) -> Place:
    """The sentence, or sentences, that the span stands in."""
    start, end = sentence_around(document, candidate.start, candidate.end)
    return Place(name_of(document), start, end, headings_at(document, candidate.start))


def name_of(document: Document) -> str:
    """What a document is called where an answer says its place."""
    return document.url or document.title
