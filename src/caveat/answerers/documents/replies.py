"""From a decision to a reply: yes or no, a list or its cases, or spans, with their evidence and what they depend on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from caveat.answerers.contract import Asked
from caveat.answerers.documents.candidates import Proposal
from caveat.answerers.documents.decision import Decided
from caveat.answerers.documents.listings import item_span
from caveat.answerers.documents.open_conditions import ruled
from caveat.answerers.documents.page import Page, elements_of_spans
from caveat.answerers.documents.scenario import Judging, left_open, sided, under
from caveat.answerers.documents.spans import evidence_of, place_in, span_answer
from caveat.answerers.documents.structure.finder import Structured
from caveat.core.answers import Answer, Place
from caveat.core.logic import FAILS, HOLDS, Expression, Not, atoms_of, settle_all, simplify
from caveat.core.records import Document, Question, Reply
from caveat.language.numbers import NUMBER_WORDS, number_words
from caveat.language.packs import pack
from caveat.language.sentences import sentences
from caveat.language.tokens import STOP_TOKENS, tokens
from caveat.models.decoding import Candidate
from caveat.sources.outline import element_at

_MOST_CASES = 6
_FIGURES = {word: str(NUMBER_WORDS[word]) for word in number_words(0, 9)}


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
    kind = "yes" if yes >= no else "no"
    condition = _stated(page, number, asked.question, decided, kind, place, condition, judging)
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


def _stated(
    page: Page,
    number: int,
    question: Question,
    decided: Decided,
    kind: str,
    place: tuple[int, int],
    said: Expression,
    judging: Judging,
) -> Expression:
    """What is stated that an answer depends on, without what the asker has told: that is not asked back.

    A clause that fails by what was told stays open: it may be of another case, and an answer is not taken back by it.
    """
    found = decided.stated(page, number, question, kind, place, said)
    if found in (HOLDS, FAILS):
        return found
    left = left_open(found, _as_told(question), judging)
    return found if left == FAILS else left


def _as_told(question: Question) -> Question:
    """The question with what it tells of the asker itself as a part of the scenario: "I am 30. Can I swim?"."""
    spans = sentences(question.text)
    said = [question.text[slice(*span)] for span in spans]
    told = [each for each in said if not each.rstrip().endswith(("?", "？"))]
    if len(told) == len(said):
        return question
    return msgspec.structs.replace(question, scenario=" ".join((*told, question.scenario)).strip())


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
            place = candidate.start, candidate.end
            open_ = _stated(page, number, question, decided, "span", place, open_, judging)
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


def own_condition(page: Page, item: int) -> Expression | None:
    """What an item itself says it depends on; what its list depends on is said of all items."""
    said = page.book.said_of(item)
    return said if said is not None and {atom.element for atom in atoms_of(said)} == {item} else None


def cases_of(page: Page, item: int) -> tuple[int, ...]:
    """The items of an item's list where each says for which case it is; else none."""
    introduction = page.book.places[item].introduction
    if introduction is None or page.document.elements[item].tag != "li":
        return ()
    items = page.book.places[introduction].items
    every = 1 < len(items) <= _MOST_CASES and all(own_condition(page, other) is not None for other in items)
    return items if every else ()


def case_of(page: Page, cases: Sequence[int], told: str) -> int | None:
    """The one case whose own words, those that the other cases do not share, are all in what the asker says."""
    words = {at: _words(page, at) for at in cases}
    shared = set.intersection(*words.values())
    said = _plain(told)
    met = [at for at in cases if words[at] - shared and words[at] - shared <= said]
    return met[0] if len(met) == 1 else None


def _words(page: Page, item: int) -> set[str]:
    return {word for atom in atoms_of(own_condition(page, item) or HOLDS) for word in _plain(atom.text)}


def _plain(text: str) -> set[str]:
    """The words of a text, small ones apart, numbers as figures."""
    return {_FIGURES.get(word, word) for word in tokens(text)} - STOP_TOKENS
