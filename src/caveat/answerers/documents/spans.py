"""Spans as answers: which can be one, their place and sentence as evidence; one that lists several things is several.

Enumerations are English alone: in Chinese a tagger finds the items (`structure.finder`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from caveat.core.answers import Answer, Place
from caveat.core.languages import language_of
from caveat.core.records import Document
from caveat.language.packs import pattern_of
from caveat.models.decoding import Candidate
from caveat.models.probability import Choice
from caveat.models.reader import ReadResult
from caveat.sources.marks import is_markup, whole_literal, without_marks
from caveat.sources.outline import element_at, headings_at, page_at, sentence_around

_SEPARATOR = re.compile(
    # From the first blank on alone, or a run of blanks would be tried from each of them.
    r"(?<!\s)\s*[,;]\s*(?:(?:and|or)\s+)?(?:as well as\s+|also\s+)?(?<![\d][,;])(?=\S)"
    r"|(?<!\s)\s+(?:and|or|&|as well as)\s+",
)
_LAST = re.compile(r"\b(?:and|or|as well as)\b|&")
# What is longer says something of the things; it does not name one.
_MOST_WORDS = 7
# Where an item begins so, it goes on about the one before it: "Paris, where …".
_GOES_ON = re.compile(
    r"(?:who|whom|whose|which|that|where|when|while|because|since|so|but|if|to|by|in|on|at|for|from|with|of|as|is|are"
    r"|was|were|has|have|had|not|then|Jr|Sr|Inc|Ltd|LLC|etc)\b",
    re.IGNORECASE,
)


# A word, or a number with its points: what a span never begins or ends inside of.
_WORD = re.compile(r"[A-Za-z0-9]+(?:[.,:/][0-9]+)*")
_WORD_REACH = 40


def name_of(document: Document) -> str:
    """What a document is called where an answer says its place."""
    return document.url or document.title


def place_in(document: Document, start: int, end: int, *, headings: tuple[str, ...] | None = None) -> Place:
    """The place of `document.text[start:end]`; its headings are looked up unless they are known."""
    first, last = sentence_around(document, start, end)
    return Place(
        name_of(document),
        start,
        end,
        headings_at(document, start) if headings is None else headings,
        page_at(document, start),
        document.text[first:last],
    )


def possible_answers(found: ReadResult, document: Document) -> ReadResult:
    """What was found without spans that cannot be an answer, the others without marks at their ends."""
    may_be = may_be_answer(document)
    shown = (_shown(candidate, document.text) for candidate in found.candidates)
    return ReadResult(tuple(candidate for candidate in shown if may_be(candidate.start, candidate.end)))


def _shown(candidate: Candidate, text: str) -> Candidate:
    start, end = whole_literal(text, *without_marks(text, candidate.start, candidate.end))
    if (start, end) == (candidate.start, candidate.end):
        return candidate
    return Candidate(text[start:end], start, end, candidate.score)


def may_be_answer(document: Document) -> Callable[[int, int], bool]:
    """Whether a span of the document, from start to end, can be an answer.

    A model sees a text as one line: it may run from a heading into the paragraph under it, or stop at a mark of
    Markdown. A span across the edge of an element is no answer, nor is one outside of all elements, such as the lines
    before a Markdown text that state its title, nor one without a letter or a figure, nor one that is not shown.
    """
    elements = document.elements
    edges = sorted({edge for element in document.elements for edge in (element.start, element.end)})

    def may_be(start: int, end: int) -> bool:
        # The first edge after the span's beginning is not before its end.
        if bisect_left(edges, end) != bisect_right(edges, start):
            return False
        if elements and element_at(document, start) is None:
            return False
        return any(map(str.isalnum, document.text[start:end])) and not is_markup(document.text, start, end)

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
        place_in(document, best.start, best.end),
        evidence=tuple(evidence),
    )


def evidence_of(candidate: Candidate, document: Document) -> Place:
    """The sentence, or sentences, that the span stands in."""
    start, end = sentence_around(document, candidate.start, candidate.end)
    return place_in(document, start, end)


def items_of(text: str, start: int, end: int, *, several: bool = False) -> list[tuple[int, int]]:
    """The items of the enumeration `text[start:end]`, as half-open spans; none where it is no enumeration.

    Three things with an "and" or "or" before the last are one. Two may be a name ("Trinidad and Tobago") or one matter,
    and commas alone may part a place from its country: these are items where several things were asked for.
    """
    items: list[tuple[int, int]] = []
    at = start
    joints = [*_SEPARATOR.finditer(text, start, end)]
    for joint in joints:
        items.append((at, joint.start()))
        at = joint.end()
    items.append((at, end))
    if len(items) < 2 or any(not 0 < len(text[a:b].split()) <= _MOST_WORDS for a, b in items):
        return []
    if any(_GOES_ON.match(text, a) for a, _ in items[1:]):
        return []
    listed = len(items) > 2 and _LAST.search(joints[-1].group()) is not None
    return items if listed or several else []


def says_something(question: str, text: str) -> bool:
    """Whether a text may answer: a single character of a script without blanks only where one is asked for.

    A figure may, and so does a character that the question offers ("男还是女"), or one that is looked up by another.
    """
    said = [character for character in text if character.isalnum()]
    if len(said) != 1 or language_of(said[0]) == language_of("a"):
        return bool(said)
    if said[0].isnumeric() or said[0] in question or len(question.strip()) == 1:
        return True
    asks = pattern_of("characters", language_of(question))
    return asks is not None and asks.search(question) is not None


def whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """A span with all of the words and numbers in which it begins and ends: 1.3.0 is not cut at its points."""
    for word in _WORD.finditer(text, max(0, start - _WORD_REACH), end + _WORD_REACH):
        if word.start() < start < word.end():
            start = word.start()
        if word.start() < end < word.end():
            end = word.end()
    return start, end
