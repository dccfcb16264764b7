"""Which of a reader's spans is the answer to a question on a page of rules, and from where to where it goes."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from caveat.answerers.documents.conditional.evidence import element_of
from caveat.answerers.documents.conditional.page import Page
from caveat.answerers.ranking.matching import Floats
from caveat.language.numbers import number_words
from caveat.language.sentences import sentences
from caveat.models.decoding import Candidate

__all__ = ["Span", "fits_question", "ranked_spans", "widened"]

# What the words that an element and its headings share with the question add to a span's log-odds: the best of
# 0, 2, 4, 6 and 8 on the tuning questions.
_SHARED = 4.0
_NUMBER_WORD = "|".join((*number_words(1, 10), "twelve"))
_NUMBER = re.compile(rf"[£$€]?\d|(?:{_NUMBER_WORD})\b", re.IGNORECASE)
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
# What the words of a question say of its answer, and how it looks.
_AMOUNT = re.compile(r"[£$€%]|\b(?:per ?cent|pounds|free|nothing|pay)\b", re.IGNORECASE)
_COUNT = re.compile(rf"\d|\b(?:{_NUMBER_WORD}|no limit)\b", re.IGNORECASE)
_TIME = re.compile(
    r"\b(?:minutes?|hours?|days?|weeks?|months?|years?|immediately|straight away|automatically|\d{4}|\d{1,2}[:.]\d\d"
    r"|(?:jan|febr)uary|march|april|may|june|july|august|(?:sept|nov|dec)ember|october)\b",
    re.IGNORECASE,
)
_LOOKS = (
    (
        re.compile(
            r"\bhow much (?!time|notice|longer)|\bwhat (?:is the )?(?:amount|rate|fee|cost)\b", re.IGNORECASE
        ),
        _AMOUNT,
    ),
    (re.compile(r"\bhow many\b", re.IGNORECASE), _COUNT),
    (
        re.compile(
            r"\bhow (?:long|soon|often|much (?:time|notice))\b|\bwhen\b (?:can|do|does|will|should|must|is)\b",
            re.IGNORECASE,
        ),
        _TIME,
    ),
)
# "Who …?" is not answered with "if you …".
_CONDITIONAL = re.compile(r"(?:if|unless|when|while|because)\b", re.IGNORECASE)
_FITS = 2.0


class Span(msgspec.Struct, frozen=True):
    """A span of the page, the number of its element, and how much speaks for it, in log-odds."""

    start: int
    end: int
    element: int
    score: float


def fits_question(question: str, answer: str) -> float:
    """1 where the answer looks as the question wants it (an amount for "how much"), -1 where it does not; else 0."""
    if _CONDITIONAL.match(answer):
        return -1.0
    for wording, looks in _LOOKS:
        if wording.search(question):
            return 1.0 if looks.search(answer) else -1.0
    return 0.0


def ranked_spans(page: Page, question: str, asked: Floats, candidates: Iterable[Candidate]) -> list[Span]:
    """The candidates that stand in elements other than headings, best first.

    `asked` is what each element shares with the question (`Page.shared`): a reader that was trained on paragraphs
    knows little of what stands over one.
    """
    found = []
    for candidate in candidates:
        at = element_of(page, candidate.start)
        if at is not None and not page.is_heading[at]:
            score = candidate.score + _SHARED * float(asked[at])
            score += _FITS * fits_question(question, candidate.text)
            found.append(Span(candidate.start, candidate.end, at, score))
    return sorted(found, key=lambda span: -span.score)


def widened(page: Page, span: Span) -> Span:
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
