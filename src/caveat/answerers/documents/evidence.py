"""Evidence for yes or no: the sentences of a page that bear on a question, and what each says, as a judge reads it.

A sentence is read with what it stands under, its heading and what introduces its list, and the best elements are read
whole as well: "They never expire." says nothing of credit hours by itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from caveat.answerers.documents.conditions.expressions import LINE_ENDS
from caveat.answerers.documents.page import Page, best_elements, weights_of
from caveat.answerers.documents.scenario import Judging
from caveat.core.records import Question
from caveat.language.bm25 import idf
from caveat.language.content_words import long_form
from caveat.language.packs import pack
from caveat.language.sentences import sentences
from caveat.language.tokens import tokens
from caveat.models.judge import Verdict
from caveat.sources.marks import shown

__all__ = ["Evidence", "evidence_features", "judged_evidence"]

# The elements in which sentences are looked for, how many sentences are judged, and how many elements whole.
_ELEMENTS, _SENTENCES, _WHOLE = 10, 8, 3
# What a word counts that stands over the sentence, and one of the scenario, beside one of the question in it.
_OVER, _TOLD = 0.5, 0.3
# Longer elements are not judged whole, and of longer introductions the end is read.
_LONGEST, _LONGEST_OVER = 1200, 200
# In Chinese a semicolon ends a case of a rule.
_PARTS = re.compile(r"[^；;]+[；;]?")
# Odds beyond these make no difference.
_MOST = 4.0


class Evidence(NamedTuple):
    """A place of a page, how much it bears on the question beside the best, and what it says."""

    element: int
    start: int
    end: int
    relevance: float
    verdict: Verdict
    whole: bool = False

    @property
    def lean(self) -> float:
        """Log-odds of yes against no."""
        return _odds(self.verdict.entailed, self.verdict.contradicted)

    @property
    def said(self) -> float:
        """Log-odds of either against neither."""
        return _odds(self.verdict.entailed + self.verdict.contradicted, self.verdict.open)

    @property
    def weight(self) -> float:
        """How much it bears on the question and says of it, between 0 and 1."""
        return self.relevance * (1.0 - self.verdict.open)


class _Unit(NamedTuple):
    element: int
    start: int
    end: int
    score: float
    text: str
    whole: bool = False


def judged_evidence(page: Page, question: Question, judging: Judging) -> tuple[Evidence, ...]:
    """What bears on the question, the most relevant first, judged; nothing where the page shares no word with it."""
    units = _units(page, question)
    if not units:
        return ()
    # What the asker has said settles conditions; what a text says is the same for all who ask.
    verdicts = judging.judge([(question.text, unit.text) for unit in units])
    best = max(unit.score for unit in units) or 1.0
    return tuple(
        Evidence(unit.element, unit.start, unit.end, unit.score / best, verdict, unit.whole)
        for unit, verdict in zip(units, verdicts, strict=True)
    )


def evidence_features(found: Sequence[Evidence]) -> dict[str, float]:
    """What the evidence comes to, for fitted weights: all 0 where there is none."""
    if not found:
        return {}
    alone = [each for each in found if not each.whole] or list(found)
    best = alone[0]
    loudest = max(found, key=lambda each: each.weight)
    whole = next((each for each in found if each.whole), best)
    shares = np.array([each.weight for each in found])
    leans = np.array([each.lean for each in found])
    return {
        "evidence": 1.0,
        "best: lean": best.lean,
        "best: said": best.said,
        "loudest: lean": loudest.lean,
        "loudest: said": loudest.said,
        "loudest: relevance": loudest.relevance,
        "whole: lean": whole.lean,
        "whole: said": whole.said,
        "all: lean": float(shares @ leans / max(shares.sum(), 1e-6)),
        "all: said": float(np.mean([each.said for each in found])),
        "yes over no": max(_odds(each.verdict.entailed, each.verdict.open) for each in found)
        - max(_odds(each.verdict.contradicted, each.verdict.open) for each in found),
    }


def _units(page: Page, question: Question) -> list[_Unit]:
    weights = weights_of(page, question.text, question.scenario)
    best = best_elements(weights, _ELEMENTS)
    asked, told = _Words(page, question.text), _Words(page, question.scenario)
    units: list[_Unit] = []
    for at in best:
        element = page.document.elements[at]
        over = _over(page, at)
        for start, end in _sentences(element.text, page.language):
            text = element.text[start:end]
            score = asked.shared(text, over) + _TOLD * told.shared(text, over)
            place = element.start + start
            units.append(_Unit(at, place, place + end - start, score, shown(f"{over} {text}")))
    units.sort(key=lambda unit: -unit.score)
    units = units[:_SENTENCES]
    read = dict.fromkeys(unit.element for unit in units)
    for at in list(read)[:_WHOLE]:
        element = page.document.elements[at]
        parts = [unit for unit in units if unit.element == at]
        if len(element.text) <= _LONGEST and parts[0].end - parts[0].start < len(element.text.strip()):
            text = shown(f"{_over(page, at)} {element.text}")
            score = max(unit.score for unit in parts)
            units.append(_Unit(at, element.start, element.end, score, text, whole=True))
    return units


class _Words:
    """The words of a question, or its pairs of characters, and how much each tells on a page."""

    def __init__(self, page: Page, text: str) -> None:
        self._words, held = page.held(text)
        self._weights = idf(held.sum(0), len(held)) if self._words else np.zeros(0)
        self._pairs: list[re.Pattern[str]] = []
        if pack(page.language).in_pairs:
            whole = page.document.text.casefold()
            self._pairs = [
                re.compile(re.escape(word)) if len(word) != 2 or word in whole else long_form(word)
                for word in self._words
            ]

    def shared(self, text: str, over: str) -> float:
        """What a text has of them, by weight, and what stands over it."""
        there, above = self._has(text), self._has(over)
        return float(self._weights @ np.maximum(there, _OVER * above)) if self._words else 0.0

    def _has(self, text: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        if self._pairs:
            return np.array([float(pair.search(text.casefold()) is not None) for pair in self._pairs])
        there = frozenset(tokens(text))
        return np.array([float(word in there) for word in self._words])


def _over(page: Page, at: int) -> str:
    """The heading over an element, and what introduces its list."""
    place = page.book.places[at]
    heading = page.document.elements[place.headings[-1]].text if place.headings else ""
    stop = "" if not heading or heading.rstrip().endswith((".", "?", "!", ":", "。", "？", "：")) else "."
    return f"{heading.strip()}{stop} {place.introduced_by[-_LONGEST_OVER:]}".strip()


def _sentences(text: str, language: str) -> Iterator[tuple[int, int]]:
    for start, end in sentences(text.translate(LINE_ENDS)):
        if not pack(language).in_pairs:
            yield start, end
            continue
        for part in _PARTS.finditer(text, start, end):
            if part.group().strip():
                yield part.span()


def _odds(one: float, other: float) -> float:
    return max(-_MOST, min(_MOST, math.log(max(one, 1e-9) / max(other, 1e-9))))
