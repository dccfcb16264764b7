"""What speaks for yes and what for no: the question's wording, what the evidence denies, and what the rules come to."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from caveat.answerers.documents.conditional.evidence import best_elements
from caveat.answerers.documents.conditional.page import Page
from caveat.answerers.ranking.matching import Floats
from caveat.core.logic import Expression, status

__all__ = ["denies", "polarity_features", "refuses"]

Settle = Callable[[Expression], Expression]

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
# So many of the best elements are asked for their rules.
_RULED = 5


def denies(text: str) -> bool:
    """Whether a text says that something is not so, may not be or need not be."""
    return _DENIAL.search(text) is not None


def refuses(text: str) -> bool:
    """Whether a text says that something may not be, cannot be or need not be."""
    return any(_EVIDENCE[name].search(text) for name in ("refuses", "spares"))


def polarity_features(
    page: Page, question: str, scenario: str, weights: Floats, settle: Settle
) -> dict[str, float]:
    """Features of a yes/no question: those of the evidence are means over the elements by their weights."""
    found = {f"asks: {name}": float(bool(wording.search(question))) for name, wording in _QUESTION.items()}
    needs = found["asks: needs"]
    best = best_elements(weights, 40)
    texts = [f"{page.book.places[at].introduced_by} {page.document.elements[at].text[:2000]}" for at in best]
    share = weights[best] if best else np.zeros(0)
    for name, wording in _EVIDENCE.items():
        says = np.array([bool(wording.search(text)) for text in texts], dtype=np.float64)
        mean = float(share @ says)
        found[f"evidence {name}"] = mean
        found[f"evidence {name}, asks: needs"] = mean * needs
    found["scenario's length"] = min(150, len(scenario.split())) / 50
    found["scenario denies"] = min(3, len(_DENIAL.findall(scenario))) / 3
    for name in ("holds", "fails", "open"):
        found[f"rules: {name}"] = found[f"denial: {name}"] = 0.0
    for at in best[:_RULED]:
        condition = page.book.governing(at)
        if condition is not None:
            kind = "denial" if denies(page.document.elements[at].text) else "rules"
            found[f"{kind}: {status(settle(condition))}"] += float(weights[at])
    return found
