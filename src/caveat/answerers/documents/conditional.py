"""Spans and lists from pages of rules, each answer under the conditions that are open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from caveat.answerers.documents.lists import case_of, cases_of, item_span, own_condition
from caveat.answerers.documents.page import Page, elements_of_spans
from caveat.answerers.documents.places import place_in
from caveat.answerers.documents.scenario import Judging, left_open, under
from caveat.answerers.documents.spans import span_answer
from caveat.core.answers import Answer
from caveat.core.logic import FAILS, HOLDS, atoms_of, settle_all
from caveat.core.records import Document, Question, Reply
from caveat.models.decoding import Candidate
from caveat.sources.outline import element_at

if TYPE_CHECKING:
    from caveat.answerers.documents.decision import Decided


def spans_under_conditions(
    question: Question,
    documents: Sequence[Document],
    pages: Sequence[Page],
    decided: Decided,
    top: int,
    judging: Judging,
) -> Reply:
    """The spans under what is said of them, or the cases of a list that the best of them stands in.

    A text of paragraphs alone keeps the spans as they are.
    """
    weighed = decided.weighed
    if not weighed.choices:
        return Reply(question, (), weighed.unanswerable)
    if decided.case_of(weighed.choices[0]) is None and (items := _cases(question, pages, decided, judging)):
        return Reply(question, items, weighed.unanswerable, together=True)
    answers: list[Answer] = []
    for choice in weighed.choices[:top]:
        number, candidate = choice.places[0]
        page = pages[number]
        at = element_at(page.document, candidate.start)
        said = page.book.said_of(at, candidate.start) if at is not None and page.is_structured else None
        case = decided.case_of(choice)
        if case is not None and said is not None:
            within = {atom.fact: True for atom in atoms_of(said) if case.start <= atom.start < case.end}
            said = settle_all(said, within)
        open_ = left_open(said, question, judging)
        if open_ != FAILS:
            open_ = decided.stated(page, number, "span", (candidate.start, candidate.end), open_)
            answers.append(under(page, span_answer(choice, documents), open_))
    return Reply(question, tuple(answers), weighed.unanswerable)


def _cases(
    question: Question, pages: Sequence[Page], decided: Decided, judging: Judging
) -> tuple[Answer, ...]:
    """The items of the list whose cases the best span stands in, those that the asker may be in."""
    number, best = decided.weighed.choices[0].places[0]
    page = pages[number]
    at = element_at(page.document, best.start)
    cases = () if at is None else cases_of(page, at)
    if not cases or decided.weighed.choices[0].probability < decided.weighed.unanswerable:
        return ()
    items = _met(page, question, cases, judging)
    # In the asker's own case the reader may have found more exactly what was asked for.
    spans = [each for choice in decided.weighed.choices for source, each in choice.places if source == number]
    read = elements_of_spans(page, spans) if len(items) == 1 else {}
    score = sum(choice.probability for choice in decided.weighed.choices)
    found = (item_answer(page, question, item, score, judging, read.get(item)) for item in items)
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


def item_answer(
    page: Page, question: Question, item: int, score: float, judging: Judging, read: Candidate | None = None
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
    shown = tuple(map(page.place, page.with_introductions([item])))
    return under(page, Answer(text, "span", score, place, evidence=shown), open_)
