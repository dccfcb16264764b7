"""Yes or no from pages: what their evidence says, sentence by sentence, as a trained judge reads it.

How probable yes is, that it depends on what the asker has not said, and that a page says neither, is fitted to what
the judge says of the evidence and to how much of the question the page has (`caveat.models.logit`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from caveat.answerers.documents.conditions.readers import sentence_reader
from caveat.answerers.documents.evidence import Evidence, evidence_features, judged_evidence
from caveat.answerers.documents.page import Page
from caveat.answerers.documents.scenario import Judging, left_open, settled_by, sided
from caveat.answerers.documents.silence import silence_features
from caveat.core.logic import FAILS, HOLDS, All, Expression, atoms_of, simplify, status
from caveat.core.records import Place, Question, Reply
from caveat.language.tokens import STOP_TOKENS, tokens
from caveat.models.logit import embedded_weights

__all__ = ["Verdicts", "bearing", "condition_of", "depends", "verdict", "verdict_features"]

_NEED = re.compile(
    r"\b(?:needs?|ha(?:ve|s)|required|obliged|mandatory|necessary|compulsory)\b.{0,30}\bto\b|\bmust\b|\brequired?\b|\bneeds?\b",
    re.IGNORECASE,
)
# The pages with most of the question's words, whose evidence is judged.
_PAGES = 2
# What an exception that is open counts beside a rule.
_EXCEPTION = 0.5
# The most places that are shown, none of which says less than half as much as the best.
_MOST_SHOWN, _SHOWN = 3, 0.5


class Verdicts(NamedTuple):
    """The judge that reads evidence, and what settles conditions by what the asker has said."""

    evidence: Judging
    scenario: Judging


def verdict(question: Question, pages: Sequence[Page], judges: Verdicts) -> Reply:
    """Yes and no, the more probable first, from the page that is most likely to speak to the question.

    They share how probable it is that it does so at all.
    """
    weights = embedded_weights(question.spoken)
    best: tuple[float, Page, tuple[Evidence, ...], dict[str, float]] | None = None
    for page in sorted(pages, key=lambda page: -page.covered(question.text))[:_PAGES]:
        found = bearing(page, question, judges)
        if not found:
            continue
        features = verdict_features(page, question, found, weights.asked, judges.scenario)
        known = weights.answered.probability(features)
        if best is None or known > best[0]:
            best = known, page, found, features
    if best is None:
        return Reply(question, (), 1.0)
    known, page, found, features = best
    yes = weights.yes.probability(features)
    says_yes = yes >= 0.5
    # A sentence rather than a whole paragraph: its conditions are its own.
    alone = [each for each in found if not each.whole] or found
    support = max(alone, key=lambda each: _supports(each, says_yes))
    open_ = left_open(condition_of(page, question, support), question, judges.scenario)
    rule = max(alone, key=lambda each: _supports(each, True))
    if not says_yes and open_ not in (HOLDS, FAILS) and _supports(rule, True) >= _supports(support, False):
        # An exception that is open does not refuse by itself: the rule holds, unless it does.
        support, says_yes = rule, True
        open_ = left_open(condition_of(page, question, support), question, judges.scenario)
    if open_ != FAILS:
        open_ = left_open(condition_of(page, question, support, told=True), question, judges.scenario)
    # The evidence that is shown says what is answered, which turns where its condition fails.
    evidence = _shown(page, found, support, says_yes != (open_ == FAILS))
    return sided(question, page, open_, yes=yes, known=known, says_yes=says_yes, evidence=evidence)


def depends(question: Question, pages: Sequence[Page], judges: Verdicts) -> float:
    """How probable it is that the answer to a yes/no question depends on what the asker has not said."""
    page = max(pages, key=lambda page: page.covered(question.text))
    found = bearing(page, question, judges)
    weights = embedded_weights(question.spoken)
    features = verdict_features(page, question, found, weights.asked, judges.scenario)
    return weights.depends.probability(features)


def verdict_features(
    page: Page,
    question: Question,
    found: Sequence[Evidence],
    asked: Mapping[str, float],
    scenario: Judging,
) -> dict[str, float]:
    """What speaks for yes, for no, for "it depends" and for neither; `asked` as in the weights."""
    features = silence_features(page, question, asked) | evidence_features(found)
    features["scenario's length"] = min(150, len(question.scenario.split())) / 50
    if found:
        support = max(found, key=lambda each: each.weight)
        condition = condition_of(page, question, support)
        state = "none" if condition is None else status(settled_by(condition, question, scenario))
        side = "yes" if support.lean > 0 else "no"
        features[f"{side}, condition: {state}"] = 1.0
    return features


def condition_of(page: Page, question: Question, found: Evidence, *, told: bool = False) -> Expression | None:
    """The condition of what the evidence says: its sentence's own, its list's and its headings'.

    What the section demands or excepts elsewhere counts where it has most of the question's words; to be `told` to the
    asker, all of them, with its headings.
    """
    if (read := sentence_reader(page.language)) is not None:
        inside = page.document.elements[found.element]
        start, end = found.start - inside.start, found.end - inside.start
        return read(page.book.places, found.element, start, end)
    concerns = page.held_by(question.text) if told else page.concerned(question.text)
    element, start = page.book.stated_by(found.element) or (found.element, found.start)
    governing = page.book.governing(element, start, concerns=concerns)
    # "You need to be a member to swim" says who may swim; asked whether one needs to be, it has no condition.
    demanded = (
        None if _NEED.search(question.text) else page.book.demanded(found.element, found.start, found.end)
    )
    parts = tuple(part for part in (governing, demanded) if part is not None)
    return simplify(All(parts)) if parts else None


def bearing(page: Page, question: Question, judges: Verdicts) -> tuple[Evidence, ...]:
    """The evidence, judged, without what is said of a case that the asker is not in; all where that leaves none.

    What is said of the very case that the asker tells of bears on the question most, an exception that may or may not
    concern the asker less than the rule: "You cannot swim if you have an open wound" does not say that one cannot.
    """
    found = judged_evidence(page, question, judges.evidence)
    kept: list[Evidence] = []
    for each in found:
        condition = condition_of(page, question, each)
        open_ = left_open(condition, question, judges.scenario)
        # Who does not meet what is demanded is refused; other cases are not the asker's.
        if open_ == FAILS and not page.book.demands(each.element):
            continue
        relevance = each.relevance
        if condition is not None and open_ == HOLDS:
            relevance = 1.0
        elif (
            each.lean < 0 and condition is not None and open_ != FAILS and not _asked_for(condition, question)
        ):
            relevance *= _EXCEPTION
        kept.append(each._replace(relevance=relevance))
    return tuple(sorted(kept, key=lambda each: -each.relevance)) or found


def _asked_for(condition: Expression, question: Question) -> bool:
    """Whether the question itself is about the case: it has half of the words of one of its conditions."""
    asked = frozenset(tokens(question.text))
    return any(
        2 * len(asked & words) >= len(words) > 0
        for atom in atoms_of(condition)
        if (words := frozenset(tokens(atom.text)) - STOP_TOKENS)
    )


def _supports(each: Evidence, yes: bool) -> float:
    return each.relevance * (each.verdict.entailed if yes else each.verdict.contradicted)


def _shown(page: Page, found: Sequence[Evidence], support: Evidence, yes: bool) -> tuple[Place, ...]:
    """The places that say what the answer says, the best first, each behind what introduces its list."""
    least = _SHOWN * _supports(support, yes)
    chosen = sorted(found, key=lambda each: -_supports(each, yes))
    elements: dict[int, None] = {support.element: None}
    for each in chosen:
        if _supports(each, yes) >= least:
            elements.setdefault(each.element)
    return tuple(map(page.place, page.with_introductions(elements)))[:_MOST_SHOWN]
