"""Yes or no from an English page without a judge: by the question's wording, what the evidence denies, and the rules.

How probable each is, that it depends on what the asker has not said, and that the page says neither, is fitted
(`caveat.models.logit`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from caveat.answerers.documents.page import Page, best_elements, weights_of
from caveat.answerers.documents.scenario import Judging, left_open, settled_by, sided
from caveat.answerers.documents.silence import silence_features
from caveat.core.logic import status
from caveat.core.records import Question, Reply
from caveat.models.logit import embedded_weights

__all__ = ["depends", "worded_features", "worded_verdict"]

_NEED = re.compile(
    r"\b(?:needs?|ha(?:ve|s)|required|obliged)\b.{0,20}\bto\b|\bmust\b|\brequired\b", re.IGNORECASE
)
_QUESTION = {
    "needs": _NEED,
    "pays": re.compile(r"\b(?:pay|charged?|tax(?:ed)?|fees?)\b", re.IGNORECASE),
    "gets": re.compile(r"\b(?:eligible|entitled|qualify|get|claim|able|apply|receive)\b", re.IGNORECASE),
    "still": re.compile(r"\b(?:still|even|without|despite|only)\b", re.IGNORECASE),
    "can": re.compile(r"\s*can\b", re.IGNORECASE),
    "there": re.compile(r"\b(?:is|are) there\b|\bany\b", re.IGNORECASE),
    "affects": re.compile(r"\b(?:affect|lose|stop|end|taken|fined?|illegal|wrong)\b", re.IGNORECASE),
    "denied": re.compile(r"\bnot\b|n['’]t\b", re.IGNORECASE),
}
_DENIAL = re.compile(r"\b(?:not|cannot|no longer|never|neither)\b|n['’]t\b", re.IGNORECASE)
_EVIDENCE = {
    "denies": _DENIAL,
    "refuses": re.compile(
        r"\bcannot\b|\bcan['’]t\b|\b(?:must|may|should) not\b|\billegal\b"
        r"|\bnot (?:be )?(?:eligible|get|qualify|entitled|allowed|able)\b"
        r"|\bwill not\b|\bwon['’]t\b",
        re.IGNORECASE,
    ),
    "allows": re.compile(
        r"\b(?:can|may|could|might|eligible|entitled|qualify)\b(?! (?:not|only))", re.IGNORECASE
    ),
    "demands": re.compile(r"\b(?:must|needs? to|ha(?:ve|s) to)\b", re.IGNORECASE),
    "spares": re.compile(
        r"(?:\bnot|n['’]t) (?:usually |normally |always )?(?:need|have) to\b|\bexempt\b"
        r"|(?:\bnot|n['’]t) (?:usually )?pay\b",
        re.IGNORECASE,
    ),
    "limits": re.compile(r"\b(?:only|unless|except)\b", re.IGNORECASE),
    "depends": re.compile(r"\bif\b", re.IGNORECASE),
}
# The best elements whose rules are asked for.
_RULED = 5
# The most elements that are evidence, none of which speaks less than half as much to the question as the best.
_MOST_EVIDENCE, _SHOWN = 3, 0.5
# The best elements, among which one is looked for that says what the answer says.
_SUPPORTING = 10
# How probable yes is at most where the best element denies the question in its own words.
_REFUSED = 0.2


def worded_verdict(question: Question, pages: Sequence[Page], judging: Judging) -> Reply:
    """Yes and no, the more probable first, from the page that has most of the question's words.

    They share how probable it is that the page speaks to the question at all.
    """
    if not pages:
        return Reply(question, (), 1.0)
    page = _best(question, pages)
    elements = page.document.elements
    weights = weights_of(page, question.text, question.scenario)
    if not weights.any() or not page.covered(f"{question.text} {question.scenario}"):
        return Reply(question, (), 1.0)
    fitted = embedded_weights()
    yes = fitted.yes.probability(worded_features(page, question, judging))
    best = best_elements(weights, _SUPPORTING)
    if page.covered_by(question.text)[best[0]] == 1 and _refuses(elements[best[0]].text):
        yes = min(yes, _REFUSED)
    says_yes = yes >= 0.5
    support = next((at for at in best if _denies(elements[at].text) != says_yes), best[0])
    demanded = any(rule.kind == "must" and rule.element == support for rule in page.book.rules)
    # "You must not …" says no by itself; that one does not do it is no condition of the no.
    governing = (
        None
        if demanded and not says_yes
        else page.book.governing(support, concerns=page.concerned(question.text))
    )
    open_ = left_open(governing, question, judging)
    shown = [at for at in best if weights[at] >= _SHOWN * weights[best[0]]]
    evidence = tuple(map(page.place, page.with_introductions((support, *shown))))[:_MOST_EVIDENCE]
    known = fitted.answered.probability(silence_features(page, question, fitted.asked))
    return sided(question, page, open_, yes=yes, known=known, says_yes=says_yes, evidence=evidence)


def depends(question: Question, pages: Sequence[Page], judging: Judging) -> float:
    """How probable it is that the answer to a yes/no question depends on what the asker has not said."""
    features = worded_features(_best(question, pages), question, judging)
    return embedded_weights().depends.probability(features)


def worded_features(page: Page, question: Question, judging: Judging) -> dict[str, float]:
    """What speaks for yes, for no, and for "it depends"; of the evidence means over the elements by their weights."""
    weights = weights_of(page, question.text, question.scenario)
    found = {
        f"asks: {name}": float(bool(wording.search(question.text))) for name, wording in _QUESTION.items()
    }
    needs = found["asks: needs"]
    best = best_elements(weights, 40)
    texts = [f"{page.book.places[at].introduced_by} {page.document.elements[at].text[:2000]}" for at in best]
    share = weights[best] if best else np.zeros(0)
    for name, wording in _EVIDENCE.items():
        says = np.array([bool(wording.search(text)) for text in texts], dtype=np.float64)
        mean = float(share @ says)
        found[f"evidence {name}"] = mean
        found[f"evidence {name}, asks: needs"] = mean * needs
    found["scenario's length"] = min(150, len(question.scenario.split())) / 50
    found["scenario denies"] = min(3, len(_DENIAL.findall(question.scenario))) / 3
    for name in ("holds", "fails", "open"):
        found[f"rules: {name}"] = found[f"denial: {name}"] = 0.0
    for at in best[:_RULED]:
        condition = page.book.governing(at)
        if condition is not None:
            kind = "denial" if _denies(page.document.elements[at].text) else "rules"
            found[f"{kind}: {status(settled_by(condition, question, judging))}"] += float(weights[at])
    return found


def _best(question: Question, pages: Iterable[Page]) -> Page:
    return max(pages, key=lambda page: page.covered(question.text))


def _denies(text: str) -> bool:
    """Whether a text says that something is not so, may not be or need not be."""
    return _DENIAL.search(text) is not None


def _refuses(text: str) -> bool:
    """Whether a text says that something may not be, cannot be or need not be."""
    return any(_EVIDENCE[name].search(text) for name in ("refuses", "spares"))
