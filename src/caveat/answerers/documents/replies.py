"""From a decision to a reply: yes or no, a list, or spans, with their evidence and the conditions left open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caveat.answerers.contract import Asked
from caveat.answerers.documents.candidates import Proposal
from caveat.answerers.documents.conditional import item_answer, spans_under_conditions
from caveat.answerers.documents.decision import Decided
from caveat.answerers.documents.open_conditions import ruled
from caveat.answerers.documents.page import Page
from caveat.answerers.documents.places import place_in
from caveat.answerers.documents.scenario import Judging, sided
from caveat.answerers.documents.spans import evidence_of, span_answer
from caveat.answerers.documents.structure.finder import Structured
from caveat.core.answers import Answer, Place
from caveat.core.logic import FAILS, HOLDS, Not, simplify
from caveat.core.records import Document, Reply
from caveat.language.packs import pack
from caveat.sources.outline import element_at


def reply(
    asked: Asked[Any],
    documents: Sequence[Document],
    pages: Sequence[Page],
    decided: Decided,
    structured: Structured | None,
    judging: Judging,
) -> Reply:
    """The reply to a question; `pages` are those of the documents where rules are read, else none."""
    question, weighed = asked.question, decided.weighed
    best = decided.best
    if best is not None and best.kind in ("yes", "no") and best.places:
        return _verdict(asked, pages, decided, best, judging)
    if structured is not None:
        return Reply(question, structured.answers, 1.0 - structured.answerable, together=True)
    if best is not None and best.kind == "list":
        items = _items(asked, pages, best, decided.probability("list"), judging)
        if items:
            return Reply(question, items, weighed.unanswerable, together=True)
    if not pages:
        answers = tuple(span_answer(choice, documents) for choice in weighed.choices[: asked.top])
        return Reply(question, answers, weighed.unanswerable)
    return spans_under_conditions(question, documents, pages, decided, asked.top, judging)


def _verdict(
    asked: Asked[Any], pages: Sequence[Page], decided: Decided, best: Proposal, judging: Judging
) -> Reply:
    number, sentence = best.places[0]
    page = pages[number]
    at = element_at(page.document, sentence.start)
    place = (sentence.start, sentence.end)
    evidence: list[Place] = []
    yes, no = decided.probability("yes"), decided.probability("no")
    condition = ruled(page, asked.question, best.kind, place, judging)
    if at is not None:
        introduction = page.book.places[at].introduction
        if introduction is not None:
            evidence.append(page.place(introduction))
    if at is not None and condition not in (HOLDS, FAILS):
        # Who may do something under a condition is not refused while it is open; who may not may otherwise.
        grants = page.book.grants(at)
        if grants:
            yes, no = max(yes, no), min(yes, no)
        elif grants is False and yes >= no:
            condition = simplify(Not(condition))
    condition = decided.stated(page, number, "yes" if yes >= no else "no", place, condition)
    evidence.append(place_in(page.document, sentence.start, sentence.end))
    return sided(
        asked.question,
        page,
        condition,
        yes=yes,
        no=no,
        none=decided.weighed.unanswerable,
        evidence=tuple(evidence),
    )


def _items(
    asked: Asked[Any], pages: Sequence[Page], best: Proposal, probability: float, judging: Judging
) -> tuple[Answer, ...]:
    """The items of a list as answers that hold together, each under its own conditions."""
    number = best.places[0][0]
    page = pages[number]
    if best.elements and pack(page.language).rules is not None:
        found = (item_answer(page, asked.question, at, probability, judging) for at in best.elements)
        return tuple(item for item in found if item is not None)
    introduction = () if best.introduction is None else (place_in(page.document, *best.introduction),)
    return tuple(
        Answer(
            item.text,
            "span",
            probability,
            place_in(page.document, item.start, item.end),
            evidence=introduction or (evidence_of(item, page.document),),
        )
        for _, item in best.places
    )
