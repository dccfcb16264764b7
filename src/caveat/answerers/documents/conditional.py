"""Spans and lists from pages of rules, each answer under the conditions that are open."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from caveat.answerers.documents.cases import Decided
from caveat.answerers.documents.lists import (
    best_list,
    case_of,
    cases_of,
    introduces_answer,
    item_span,
    own_condition,
)
from caveat.answerers.documents.page import Page, elements_of_spans
from caveat.answerers.documents.places import place_in
from caveat.answerers.documents.scenario import Judging, left_open, under
from caveat.answerers.documents.spans import itemised, span_answer
from caveat.core.logic import FAILS, HOLDS, atoms_of, settle_all
from caveat.core.records import Answer, Document, Question, Reply
from caveat.language.question import ParsedQuestion
from caveat.models.decoding import Candidate
from caveat.models.probability import Weighed
from caveat.sources.outline import element_at

__all__ = ["conditional_spans"]

PageOf = Callable[[int], Page]


def conditional_spans(
    question: Question,
    documents: Sequence[Document],
    page_of: PageOf,
    decided: Decided,
    top: int,
    judging: Judging,
) -> Reply:
    """The reader's spans under what is said of them, or the items of a list where several things were asked for.

    `page_of` gives the page of a document's number. A text of paragraphs alone keeps the reader's spans as they are.
    """
    weighed = decided.weighed
    if not weighed.choices:
        return Reply(question, (), weighed.unanswerable)
    number = weighed.choices[0].places[0][0]
    if decided.case_of(weighed.choices[0]) is None and (
        items := _items(question, page_of(number), weighed, number, judging)
    ):
        return Reply(question, items, weighed.unanswerable, together=True)
    answers: list[Answer] = []
    texts: list[str] = []
    for choice in weighed.choices[:top]:
        number, candidate = choice.places[0]
        page = page_of(number)
        at = element_at(page.document, candidate.start)
        said = page.book.said_of(at, candidate.start) if at is not None and page.is_structured else None
        case = decided.case_of(choice)
        if case is not None and said is not None:
            within = {atom.fact: True for atom in atoms_of(said) if case.start <= atom.start < case.end}
            said = settle_all(said, within)
        open_ = left_open(said, question, judging)
        if open_ != FAILS:
            answers.append(under(page, span_answer(choice, documents), open_))
            texts.append(page.document.text)
    if answers and answers[0].score >= weighed.unanswerable:
        several = itemised(answers[0], texts[0], question.text)
        if several:
            return Reply(question, several, weighed.unanswerable, together=True)
    return Reply(question, tuple(answers), weighed.unanswerable)


def _items(
    question: Question, page: Page, weighed: Weighed, number: int, judging: Judging
) -> tuple[Answer, ...]:
    """The items of the list that answers the question, or of the one whose cases the best span stands in."""
    spans = [
        candidate for choice in weighed.choices for source, candidate in choice.places if source == number
    ]
    asked, told = page.shared(question.text)[0], page.shared(question.scenario)[1]
    items: tuple[int, ...] = ()
    read: dict[int, Candidate] = {}
    at = element_at(page.document, weighed.choices[0].places[0][1].start)
    if ParsedQuestion(question, question).wants_list or introduces_answer(page, question.text, asked):
        items = best_list(page, asked, told, elements_of_spans(page, spans))
    elif at is not None and (cases := cases_of(page, at)):
        items = _met(page, question, cases, judging)
        # In the asker's own case the reader may have found more exactly what was asked for.
        read = elements_of_spans(page, spans) if len(items) == 1 else {}
    score = 1 - weighed.unanswerable
    found = (_item(page, question, item, score, read.get(item), judging) for item in items)
    return tuple(item for item in found if item is not None)


def _met(page: Page, question: Question, cases: tuple[int, ...], judging: Judging) -> tuple[int, ...]:
    """The cases that the asker may be in, by what the question says as well; all where that rules out all."""
    told = f"{question.text} {question.scenario}"
    if (chosen := case_of(page, cases, told)) is not None:
        return (chosen,)
    asked = msgspec.structs.replace(question, scenario=told)
    left = {at: left_open(own_condition(page, at), asked, judging) for at in cases}
    met = tuple(at for at in cases if left[at] == HOLDS)
    return met if len(met) == 1 else tuple(at for at in cases if left[at] != FAILS) or cases


def _item(
    page: Page, question: Question, item: int, score: float, read: Candidate | None, judging: Judging
) -> Answer | None:
    """An item of a list as an answer under its own conditions; None where the asker does not meet them.

    `read` is a span of the item that is the answer itself: the asker is known to be in its case.
    """
    start, end = item_span(page, item) if read is None else (read.start, read.end)
    open_ = HOLDS if read is not None else left_open(own_condition(page, item), question, judging)
    if open_ == FAILS:
        return None
    place = place_in(page.document, start, end)
    text = page.document.text[start:end]
    return under(page, Answer(text, "span", score, place, evidence=(page.place(item),)), open_)
