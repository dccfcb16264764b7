"""How an English question for yes or no is worded, and what the evidence denies, demands, allows and spares.

Beside what a judge reads these tell which way such questions go: who asks whether they need to is more often told no.
"""

from __future__ import annotations

import re

import numpy as np

from caveat.answerers.documents.page import Page, best_elements, weights_of
from caveat.core.records import Question

__all__ = ["wording_features"]

_QUESTION = {
    "needs": r"\b(?:needs?|ha(?:ve|s)|required|obliged)\b.{0,20}\bto\b|\bmust\b|\brequired\b",
    "pays": r"\b(?:pay|charged?|tax(?:ed)?|fees?)\b",
    "gets": r"\b(?:eligible|entitled|qualify|get|claim|able|apply|receive)\b",
    "still": r"\b(?:still|even|without|despite|only)\b",
    "can": r"^\s*can\b",
    "there": r"\b(?:is|are) there\b|\bany\b",
    "affects": r"\b(?:affect|lose|stop|end|taken|fined?|illegal|wrong)\b",
    "denied": r"\bnot\b|n['’]t\b",
}
_EVIDENCE = {
    "denies": r"\b(?:not|cannot|no longer|never|neither)\b|n['’]t\b",
    "refuses": (
        r"\bcannot\b|\bcan['’]t\b|\b(?:must|may|should) not\b|\billegal\b"
        r"|\bnot (?:be )?(?:eligible|get|qualify|entitled|allowed|able)\b|\bwill not\b|\bwon['’]t\b"
    ),
    "allows": r"\b(?:can|may|could|might|eligible|entitled|qualify)\b(?! (?:not|only))",
    "demands": r"\b(?:must|needs? to|ha(?:ve|s) to)\b",
    "spares": (
        r"(?:\bnot|n['’]t) (?:usually |normally |always )?(?:need|have) to\b|\bexempt\b"
        r"|(?:\bnot|n['’]t) (?:usually )?pay\b"
    ),
    "limits": r"\b(?:only|unless|except)\b",
    "depends": r"\bif\b",
}
_ASKED, _SAID = (
    {name: re.compile(words, re.IGNORECASE) for name, words in patterns.items()}
    for patterns in (_QUESTION, _EVIDENCE)
)
# The best elements, and how much of each is looked at.
_ELEMENTS, _LONGEST = 40, 2000


def wording_features(page: Page, question: Question) -> dict[str, float]:
    """1 for each way in which the question is worded; of the evidence means over the elements by their weights."""
    found = {f"asks: {name}": float(bool(words.search(question.text))) for name, words in _ASKED.items()}
    weights = weights_of(page, question.text, question.scenario)
    best = best_elements(weights, _ELEMENTS)
    texts = [
        f"{page.book.places[at].introduced_by} {page.document.elements[at].text[:_LONGEST]}" for at in best
    ]
    share = weights[best] if best else np.zeros(0)
    for name, words in _SAID.items():
        mean = float(share @ np.array([bool(words.search(text)) for text in texts], dtype=np.float64))
        found[f"evidence {name}"] = mean
        found[f"evidence {name}, asks: needs"] = mean * found["asks: needs"]
    found["scenario denies"] = min(3, len(_SAID["denies"].findall(question.scenario))) / 3
    return found
