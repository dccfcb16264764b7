"""A reader's spans on a page with headings, scored again: it has not seen what stands over a paragraph."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from caveat.answerers.documents.page import Page
from caveat.core.script import Language, language_of
from caveat.language.numbers import number_words
from caveat.language.packs import pack
from caveat.language.question import fits_question
from caveat.language.sentences import sentences
from caveat.models.decoding import Candidate
from caveat.models.reader import ReadResult
from caveat.sources.outline import element_at

__all__ = ["reranked"]

_NUMBER = re.compile(
    rf"[£$€]?\d|(?:{'|'.join((*number_words(1, 10), *number_words(12, 12)))})\b", re.IGNORECASE
)
_BEFORE_A_NUMBER = re.compile(
    r"(?:\b(?:a|the) )?\b(?:maximum|minimum)(?: \w+)? of (?:the )?$"
    r"|\b(?:at least|up to|within|no more than|no later than|"
    r"more than|less than|about|around|over|under|after|before|every) (?:the )?$",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r" (?:(?:working|calendar|consecutive|full) )?(?:days?|weeks?|months?|years?|hours?|minutes?|countries|miles|"
    r"people|employees|percent|per cent|times?)\b’?(?: (?:notice|pay|leave)\b)?",
    re.IGNORECASE,
)
_EDGES = " .,;:"


class _ElementSpan(msgspec.Struct, frozen=True):
    """A span of the page, the number of its element, and how much speaks for it, in log-odds."""

    start: int
    end: int
    element: int
    score: float


def reranked(page: Page, question: str, found: ReadResult) -> ReadResult:
    """What a reader found on a page, by what the elements share with the question as well; the spans are made whole.

    Texts without headings are left as they are: there is nothing over a paragraph that its reader has not seen.
    """
    if not found.candidates or not page.is_heading.any():
        return found
    language = language_of(question)
    ranked = _ranked(page, question, language, found.candidates)
    # In Chinese a reader's answers go over several sentences, and have their units.
    spans = ranked if pack(language).in_pairs else [_widened(page, span) for span in ranked]
    if not spans:
        return found
    # The best keeps the reader's own log-odds, so that "no answer" keeps its meaning.
    best = max(candidate.score for candidate in found.candidates)
    return ReadResult(
        tuple(
            Candidate(
                page.document.text[span.start : span.end],
                span.start,
                span.end,
                span.score - spans[0].score + best,
            )
            for span in spans
        )
    )


def _ranked(
    page: Page, question: str, language: Language, candidates: Iterable[Candidate]
) -> list[_ElementSpan]:
    """The candidates that stand in elements other than headings, best first.

    What each element shares with the question counts too: a reader that was trained on paragraphs knows little of what
    stands over one.
    """
    asked, _ = page.shared(question)
    found = []
    for candidate in candidates:
        at = element_at(page.document, candidate.start)
        if at is not None and not page.is_heading[at]:
            score = candidate.score + pack(language).page_weights.shared * float(asked[at])
            score += pack(language).page_weights.fits * fits_question(question, candidate.text)
            found.append(_ElementSpan(candidate.start, candidate.end, at, score))
    return sorted(found, key=lambda span: -span.score)


def _widened(page: Page, span: _ElementSpan) -> _ElementSpan:
    """The span cut to one sentence, and a quantity with its unit and what limits it: "a maximum of 5 countries"."""
    text, element = page.document.text, page.document.elements[span.element]
    start, end = span.start, span.end
    first = next(iter(sentences(text[start:end])), None)
    if first is not None:
        end = start + first[1]
    if _NUMBER.match(text, start):
        if text[end - 1].isdigit() and (unit := _UNIT.match(text, end, element.end)):
            end = unit.end()
        if limit := _BEFORE_A_NUMBER.search(text, max(element.start, start - 40), start):
            start = limit.start()
    while end > start + 1 and text[end - 1] in _EDGES:
        end -= 1
    return msgspec.structs.replace(span, start=start, end=end)
