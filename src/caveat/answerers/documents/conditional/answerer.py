"""Answers from pages of rules: yes or no, spans and lists, each under the conditions that are open."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from threading import Lock

import msgspec

from caveat.answerers.documents.conditional.asked import asked_for
from caveat.answerers.documents.conditional.cases import case_of, cases_of, own_condition
from caveat.answerers.documents.conditional.choice import Span, ranked_spans, widened
from caveat.answerers.documents.conditional.evidence import (
    best_elements,
    element_of,
    elements_of_spans,
    weights_of,
)
from caveat.answerers.documents.conditional.judging import Judging, WordsJudge, settled_by
from caveat.answerers.documents.conditional.lists import best_list, introduces_answer, item_span
from caveat.answerers.documents.conditional.page import Page
from caveat.answerers.documents.conditional.polarity import denies, polarity_features, refuses
from caveat.answerers.documents.enumeration import itemised
from caveat.answerers.documents.spans import name_of, span_answer
from caveat.core.logic import FAILS, HOLDS, Atom, Expression, simplify
from caveat.core.records import Answer, AnswerKind, Condition, Document, Place, Question, Reply
from caveat.core.settling import with_requirement
from caveat.models.decoding import Candidate
from caveat.models.logit import ConditionWeights, embedded_weights
from caveat.models.probability import Weighed
from caveat.models.reader import ReadResult
from caveat.sources.outline import headings_at
from caveat.sources.plain_text import parse_plain_text

__all__ = ["ConditionalAnswerer", "is_yes_or_no"]

# Pages that are kept ready for the next question.
_KEPT = 16
# At most so many elements are evidence, and none that speaks less than half as much to the question as the best.
_EVIDENCE, _SHOWN = 3, 0.5
# The best elements, among which one is looked for that says what the answer says.
_SUPPORTING = 10
# Of the training questions that ask for yes or no so many have no answer.
_NO_ANSWER = 0.04
_REFUSED = 0.2


def is_yes_or_no(question: Question) -> bool:
    """Whether an English question asks for yes or no."""
    return question.spoken == "en" and asked_for(question.text) == "yes or no"


class ConditionalAnswerer:
    """Answers English questions on documents with elements; what a scenario settles is told by a judge.

    May be used from several threads.
    """

    def __init__(self, judging: Judging | None = None, weights: ConditionWeights | None = None) -> None:
        self.judging = judging or WordsJudge()
        self._weights = weights
        self._pages: OrderedDict[tuple[str, str, int], Page] = OrderedDict()
        self._lock = Lock()

    @property
    def weights(self) -> ConditionWeights:
        """Those that were given, or else those of the package."""
        return self._weights or embedded_weights()

    def page(self, document: Document) -> Page:
        """The document made ready; a text without elements is taken for plain text."""
        key = name_of(document), document.text, len(document.elements)
        with self._lock:
            if key in self._pages:
                self._pages.move_to_end(key)
                return self._pages[key]
        elements = document.elements or parse_plain_text(document.text).elements
        page = Page(msgspec.structs.replace(document, elements=elements))
        with self._lock:
            self._pages[key] = page
            if len(self._pages) > _KEPT:
                self._pages.popitem(last=False)
        return page

    def reweighed(self, question: Question, document: Document, found: ReadResult) -> ReadResult:
        """What a reader found on a page with headings, by what the elements share with the question as well.

        Other texts are left as they are: there is nothing over a paragraph that its reader has not seen.
        """
        if question.spoken != "en" or not found.candidates:
            return found
        page = self.page(document)
        if not page.is_heading.any():
            return found
        spans = [
            widened(page, span)
            for span in ranked_spans(page, question.text, page.shared(question.text)[0], found.candidates)
        ]
        if not spans:
            return found
        # The best keeps the reader's own log-odds, so that "no answer" keeps its meaning.
        best = max(candidate.score for candidate in found.candidates)
        return ReadResult(
            tuple(
                Candidate(
                    document.text[span.start : span.end],
                    span.start,
                    span.end,
                    span.score - spans[0].score + best,
                )
                for span in spans
            )
        )

    def yes_or_no(self, question: Question, documents: Sequence[Document]) -> Reply:
        """Yes and no, the more probable first, from the document that has most of the question's words."""
        pages = [self.page(document) for document in documents]
        page = max(pages, key=lambda page: page.covered(question.text))
        weights = weights_of(page, question.text, question.scenario)
        if not weights.any() or not page.covered(f"{question.text} {question.scenario}"):
            return Reply(question, (), 1.0)
        yes = self.weights.yes.probability(self.features(page, question))
        best = best_elements(weights, _SUPPORTING)
        said = page.document.elements[best[0]].text
        if page.covered_by(question.text)[best[0]] == 1 and refuses(said):
            yes = min(yes, _REFUSED)  # it denies the question in its own words
        says_yes = yes >= 0.5
        support = next((at for at in best if denies(page.document.elements[at].text) != says_yes), best[0])
        demanded = any(rule.kind == "must" and rule.element == support for rule in page.book.rules)
        # "You must not …" says no by itself; that one does not do it is no condition of the no.
        governing = None if demanded and not says_yes else page.book.governing(support)
        open_ = self._open(page, question, governing)
        if open_ == FAILS:
            # What the answer rests on does not hold for the asker: that turns it.
            says_yes, open_ = not says_yes, HOLDS
        shown = [at for at in best if weights[at] >= _SHOWN * weights[best[0]]]
        evidence = tuple(_place_of(page, at) for at in _with_introductions(page, (support, *shown)))[
            :_EVIDENCE
        ]
        known = 1 - _NO_ANSWER
        kinds: tuple[AnswerKind, AnswerKind] = ("yes", "no") if says_yes else ("no", "yes")
        first = _under(page, Answer(kinds[0], kinds[0], known * max(yes, 1 - yes), evidence=evidence), open_)
        other = Answer(kinds[1], kinds[1], known - first.score, otherwise=bool(first.conditions))
        return Reply(question, (first, other), _NO_ANSWER)

    def features(self, page: Page, question: Question) -> dict[str, float]:
        """What speaks for yes, for no, and for "it depends"."""
        weights = weights_of(page, question.text, question.scenario)
        return polarity_features(
            page,
            question.text,
            question.scenario,
            weights,
            lambda condition: settled_by(condition, question.text, question.scenario, self.judging),
        )

    def depends(self, question: Question, documents: Sequence[Document]) -> float:
        """How probable it is that the answer to a yes/no question depends on what the asker has not said."""
        page = max(map(self.page, documents), key=lambda page: page.covered(question.text))
        return self.weights.depends.probability(self.features(page, question))

    def spans(self, question: Question, documents: Sequence[Document], weighed: Weighed, top: int) -> Reply:
        """The reader's spans under what is said of them, or the items of a list where several things were asked for.

        A text of paragraphs alone keeps the reader's spans as they are.
        """
        if not weighed.choices:
            return Reply(question, (), weighed.unanswerable)
        number, best = weighed.choices[0].places[0]
        page = self.page(documents[number])
        at = element_of(page, best.start)
        spans = [
            candidate for choice in weighed.choices for source, candidate in choice.places if source == number
        ]
        items: tuple[int, ...] = ()
        read: dict[int, Candidate] = {}
        asked, told = page.shared(question.text)[0], page.shared(question.scenario)[1]
        if asked_for(question.text) == "list" or introduces_answer(page, question.text, asked):
            items = best_list(page, asked, told, elements_of_spans(page, spans))
        elif at is not None and (cases := cases_of(page, at)):
            items = self._met(page, question, cases)
            # In the asker's own case the reader may have found more exactly what was asked for.
            read = elements_of_spans(page, spans) if len(items) == 1 else {}
        score = 1 - weighed.unanswerable
        together = [
            found
            for item in items
            if (found := self._item(page, question, item, score, read.get(item))) is not None
        ]
        if together:
            return Reply(question, tuple(together), weighed.unanswerable, together=True)
        answers: list[Answer] = []
        read_in: list[Document] = []
        for choice in weighed.choices[:top]:
            number, candidate = choice.places[0]
            page = self.page(documents[number])
            answer = span_answer(choice, documents)
            at = element_of(page, candidate.start)
            said = page.book.said_of(at, candidate.start) if at is not None and page.is_structured else None
            open_ = self._open(page, question, said)
            if open_ != FAILS:
                answers.append(_under(page, answer, open_))
                read_in.append(page.document)
        if answers and answers[0].score >= weighed.unanswerable:
            several = itemised(answers[0], read_in[0].text, question.text)
            if several:
                return Reply(question, several, weighed.unanswerable, together=True)
        return Reply(question, tuple(answers), weighed.unanswerable)

    def _met(self, page: Page, question: Question, cases: tuple[int, ...]) -> tuple[int, ...]:
        """The cases that the asker may be in, by what the question says as well; all where that rules out all."""
        told = f"{question.text} {question.scenario}"
        if (chosen := case_of(page, cases, told)) is not None:
            return (chosen,)
        asked = msgspec.structs.replace(question, scenario=told)
        left = {at: self._open(page, asked, own_condition(page, at)) for at in cases}
        met = tuple(at for at in cases if left[at] == HOLDS)
        return met if len(met) == 1 else tuple(at for at in cases if left[at] != FAILS) or cases

    def _item(
        self, page: Page, question: Question, item: int, score: float, read: Candidate | None
    ) -> Answer | None:
        """An item of a list as an answer under its own conditions; None where the asker does not meet them.

        `read` is a span of the item that is the answer itself: the asker is known to be in its case.
        """
        span = item_span(page, item) if read is None else Span(read.start, read.end, item, read.score)
        open_ = HOLDS if read is not None else self._open(page, question, own_condition(page, item))
        if open_ == FAILS:
            return None
        place = Place(name_of(page.document), span.start, span.end, headings_at(page.document, span.start))
        text = page.document.text[span.start : span.end]
        return _under(page, Answer(text, "span", score, place, evidence=(_place_of(page, item),)), open_)

    def _open(self, page: Page, question: Question, condition: Expression | None) -> Expression:
        if condition is None:
            return HOLDS
        return simplify(settled_by(condition, question.text, question.scenario, self.judging))


def _under(page: Page, answer: Answer, condition: Expression) -> Answer:
    """The answer under what is open."""
    if condition in (HOLDS, FAILS):
        return answer
    document = page.document
    source = name_of(document)

    def as_condition(atom: Atom) -> Condition:
        place = Place(source, atom.start, atom.end, headings_at(document, atom.start))
        return Condition(atom.text, place, atom.question)

    return with_requirement(answer, condition, as_condition)


def _with_introductions(page: Page, elements: Iterable[int]) -> Iterable[int]:
    """Each once, an item of a list behind what introduces it: alone it says little."""
    found: dict[int, None] = {}
    for at in elements:
        introduction = page.book.places[at].introduction
        if introduction is not None:
            found.setdefault(introduction)
        found.setdefault(at)
    return found


def _place_of(page: Page, at: int) -> Place:
    element = page.document.elements[at]
    return Place(
        name_of(page.document), element.start, element.end, headings_at(page.document, element.start)
    )
