"""Which elements of a page speak to a question and a scenario: by their words, and by where a reader finds spans."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

import numpy as np

from caveat.answerers.documents.conditional.page import Page
from caveat.answerers.ranking.matching import Floats
from caveat.models.decoding import Candidate

__all__ = ["best_elements", "element_of", "elements_of_spans", "weights_of"]

# What the scenario's words count beside the question's, and how sharply the best stands out: both as a fit to the
# evidences of the training questions and one to the whole pages of the tuning questions give them.
_SCENARIO = 0.5
_SHARPNESS = 4.0


def weights_of(page: Page, question: str, scenario: str) -> Floats:
    """A weight for each element, all together 1; all 0 where none shares a word with the question or the scenario.

    A heading is no evidence itself, its words are evidence for all that stands under it.
    """
    asked, _ = page.shared(question)
    _, told = page.shared(scenario)
    scores = asked + _SCENARIO * told
    if not len(scores) or not asked.any():
        return np.zeros(len(scores))
    weights: Floats = np.where(page.is_heading, 0.0, np.exp(_SHARPNESS * (scores - scores.max())))
    return weights / (weights.sum() or 1.0)


def best_elements(weights: Floats, count: int) -> list[int]:
    """The elements with the greatest weights, greatest first, those without any left out."""
    order = np.argsort(-weights, kind="stable")[:count]
    return [index for index in order.tolist() if weights[index] > 0]


def element_of(page: Page, offset: int) -> int | None:
    """The number of the element that a place of the text is in."""
    elements = page.document.elements
    at = bisect_right(elements, offset, key=lambda element: element.start) - 1
    return at if at >= 0 and offset < elements[at].end else None


def elements_of_spans(page: Page, candidates: Iterable[Candidate]) -> dict[int, Candidate]:
    """The best span of each element that has one, best first."""
    found: dict[int, Candidate] = {}
    for candidate in sorted(candidates, key=lambda candidate: -candidate.score):
        at = element_of(page, candidate.start)
        if at is not None:
            found.setdefault(at, candidate)
    return found
