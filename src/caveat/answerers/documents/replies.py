"""From a decision to a reply: yes or no, a list, or spans, with their evidence and the conditions left open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from caveat.answerers.contract import Asked
from caveat.answerers.documents.candidates import Proposal, Proposals
from caveat.answerers.documents.cases import Case, case_at
from caveat.answerers.documents.conditional import item_answer, spans_under_conditions
from caveat.answerers.documents.conditions.governing import condition_of
from caveat.answerers.documents.decision import DecisionWeights, decide
from caveat.answerers.documents.page import Page
from caveat.answerers.documents.places import place_in
from caveat.answerers.documents.scenario import Judging, left_open, sided
from caveat.answerers.documents.spans import evidence_of, span_answer
from caveat.answerers.documents.structure.finder import Structured
from caveat.core.logic import FAILS, HOLDS, Expression
from caveat.core.records import Answer, Document, Place, Reply
from caveat.language.packs import pack
from caveat.models.probability import Choice, Weighed
from caveat.sources.outline import element_at

__all__ = ["Decided", "decided", "reply"]


class Decided(NamedTuple):
    """Spans and "none" with their probabilities; all proposals with theirs; where the asker's own case stands."""

    weighed: Weighed
    proposals: tuple[tuple[float, Proposal], ...] = ()
    cases: tuple[tuple[int, Case], ...] = ()

    @property
    def best(self) -> Proposal | None:
        """The most probable answer, unless none is more probable."""
        answers = [each for each in self.proposals if each[1].kind not in ("none", "missed")]
        probability, best = max(answers, key=lambda each: each[0], default=(0.0, None))
        return best if probability >= self.weighed.unanswerable else None

    @property
    def several(self) -> bool:
        """Whether several answers are more probable than one; where nothing was proposed, they may be."""
        return not self.proposals or self._all("list") > self._all("span")

    def probability(self, kind: str) -> float:
        """Of the most probable proposal of a kind."""
        return max((probability for probability, each in self.proposals if each.kind == kind), default=0.0)

    def _all(self, kind: str) -> float:
        return sum(probability for probability, each in self.proposals if each.kind == kind)

    def case_of(self, choice: Choice) -> Case | None:
        """The asker's own case, if the choice stands in it."""
        number, best = choice.places[0]
        return case_at(self.cases, number, best.start)


def decided(found: Proposals, weights: DecisionWeights) -> Decided:
    """The proposals with their probabilities, the spans among them best first."""
    each = tuple(zip(decide(found.each, weights), found.each, strict=True))
    spans = sorted((pair for pair in each if pair[1].kind == "span"), key=lambda pair: -pair[0])
    choices = tuple(Choice(probability, proposal.places) for probability, proposal in spans)
    none = sum(probability for probability, proposal in each if proposal.kind == "none")
    return Decided(Weighed(choices, none), each, found.cases)


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
    condition: Expression = HOLDS
    evidence: list[Place] = []
    if at is not None:
        introduction = page.book.places[at].introduction
        if introduction is not None:
            evidence.append(page.place(introduction))
        said = condition_of(page, asked.question, at, sentence.start, sentence.end, told=True)
        condition = left_open(said, asked.question, judging)
    evidence.append(place_in(page.document, sentence.start, sentence.end))
    return sided(
        asked.question,
        page,
        HOLDS if condition == FAILS else condition,
        yes=decided.probability("yes"),
        no=decided.probability("no"),
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
