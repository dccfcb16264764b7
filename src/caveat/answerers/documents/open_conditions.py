"""What an answer depends on and the asker has left open: clauses near it, those that the reader marks, and rules.

Each is a candidate with named features, as answers are; which of them are stated is fitted with the decision.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from typing import NamedTuple

import numpy as np

from caveat.answerers.documents.conditions.clauses import PLACES, clauses_near
from caveat.answerers.documents.conditions.governing import condition_of
from caveat.answerers.documents.page import Page
from caveat.answerers.documents.scenario import Judging, left_open
from caveat.answerers.documents.spans import whole_words
from caveat.core.languages import Language
from caveat.core.logic import FAILS, HOLDS, All, Atom, Expression, Not, atoms_of, simplify
from caveat.core.records import Question
from caveat.language.follow_up import inquiry
from caveat.language.packs import pack
from caveat.language.tokens import content_words
from caveat.models.joint import TextReading
from caveat.models.log_odds import sigmoid
from caveat.sources.marks import without_marks
from caveat.sources.outline import element_at

# Tokens that may be of a condition; so many characters between two of them, of the same clause, are taken with them.
_MAYBE, _GAP = 0.2, 12
_CLAUSE_END = re.compile(r"[,;，；。！？\n]|[.!?]\s")
_EDGES = " \t\n,;:.，；：、。（）()"
# What is read to be a condition right beside a clause belongs to it.
_BESIDE = 20


class OpenCondition(NamedTuple):
    """What may have to hold, with features."""

    expression: Expression
    features: dict[str, float]


def ruled(page: Page, question: Question, kind: str, place: tuple[int, int], judging: Judging) -> Expression:
    """What the page's rules say of an answer of a kind that a place gives, as far as the asker has left it open."""
    at = element_at(page.document, place[0])
    if at is None:
        return HOLDS
    if kind in ("yes", "no"):
        return left_open(condition_of(page, question, at, *place, told=True), question, judging)
    said = page.book.said_of(at, place[0]) if page.is_structured else None
    return left_open(said, question, judging)


def open_conditions(
    page: Page, text: TextReading, question: Question, kind: str, place: tuple[int, int], said: Expression
) -> list[OpenCondition]:
    """What may have to hold for an answer of a kind that a place gives; `said` is what rules say of it."""
    found: list[OpenCondition] = []
    places: list[tuple[int, int]] = []
    if said not in (HOLDS, FAILS):
        places = [(atom.start, atom.end) for atom in atoms_of(said) if atom.start >= 0]
        found.append(OpenCondition(said, _features(text, kind, places, "rule")))
    for start, end in _marked(page, text, place):
        if not any(start < other and first < end for first, other in places):
            atom = _atom(page, start, end)
            found.append(OpenCondition(atom, _features(text, kind, [(start, end)], "marked")))
    at = element_at(page.document, place[0])
    clauses = [] if at is None else clauses_near(page, at, place)
    asked, told = (set(content_words(said, page.language)) for said in (question.text, question.scenario))
    for each in clauses:
        features = _features(text, kind, [(each.start, each.end)], "clause")
        features |= {f"clause: {name}": 1.0 for name in each.names}
        features |= {f"clause: {name}, {kind}": 1.0 for name in each.names & PLACES}
        words = content_words(page.document.text[each.start : each.end], page.language)
        beside = (each.start - _BESIDE, each.start), (each.end, each.end + _BESIDE)
        features["clause: condition beside"] = sum(text.conditions_in(max(0, a), b) for a, b in beside) / 2
        features["clause: asked"] = _share(words, asked)
        features["clause: told"] = _share(words, told)
        features["clause: before"] = float(each.end <= place[0])
        features["clause: ruled"] = float(any(first < each.end and each.start < end for first, end in places))
        found.append(OpenCondition(_atom(page, each.start, each.end), features))
    return found


def _share(words: Sequence[str], among: Set[str]) -> float:
    """The share of words that are among others."""
    return sum(word in among for word in words) / len(words) if words else 0.0


def chosen(found: Sequence[OpenCondition], weights: Mapping[str, float]) -> list[OpenCondition]:
    """What is stated of it: of those that overlap, the surest."""
    if not weights:
        return [each for each in found if "rule" in each.features]
    sure = [(probability(each.features, weights), each) for each in found]
    sure = sorted((pair for pair in sure if pair[0] >= 1 / 2), key=lambda pair: -pair[0])
    kept: list[OpenCondition] = []
    for _, each in sure:
        if not any(_overlap(each, other) for other in kept):
            kept.append(each)
    return sorted(kept, key=lambda each: found.index(each))


def _overlap(one: OpenCondition, other: OpenCondition) -> bool:
    return any(
        first.start < second.end and second.start < first.end
        for first in atoms_of(one.expression)
        for second in atoms_of(other.expression)
    )


def stated(found: Sequence[OpenCondition], weights: Mapping[str, float]) -> Expression:
    """What is stated of an answer: all of it that has to be."""
    return simplify(All(tuple(each.expression for each in chosen(found, weights))))


def probability(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """How probably what may have to hold has to."""
    return float(sigmoid(sum(weights.get(name, 0.0) * value for name, value in features.items())))


def _features(
    text: TextReading, kind: str, places: Sequence[tuple[int, int]], source: str
) -> dict[str, float]:
    means = [text.conditions_in(*place) for place in places] or [0.0]
    evidence = [text.evidence_in(*place) for place in places] or [0.0]
    length = sum(end - start for start, end in places)
    return {
        source: 1.0,
        f"{source}: answer {kind}": 1.0,
        f"{source}: condition": max(means),
        f"{source}: all": sum(means) / len(means),
        f"{source}: evidence": max(evidence),
        f"{source}: length": math.log1p(length),
    }


def _marked(page: Page, text: TextReading, place: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Clauses that may be conditions, in the element of a place, what introduces it, and its neighbours."""
    at = element_at(page.document, place[0])
    if text.text is None or at is None or not len(text.conditions):
        return
    elements = page.document.elements
    near = {at, max(0, at - 1), min(len(elements) - 1, at + 1), page.book.places[at].introduction}
    for number in sorted(each for each in near if each is not None):
        element = elements[number]
        first = int(np.searchsorted(text.text.starts, element.start))
        last = int(np.searchsorted(text.text.starts, element.end))
        runs: list[list[int]] = []
        for token in (np.flatnonzero(text.conditions[first:last] > _MAYBE) + first).tolist():
            start, end = int(text.text.starts[token]), int(text.text.ends[token])
            if runs and _in_one_clause(page.document.text, runs[-1][1], start):
                runs[-1][1] = end
            else:
                runs.append([start, end])
        for start, end in runs:
            yield from _clause(page.document.text, max(start, element.start), min(end, element.end))


def _in_one_clause(text: str, end: int, start: int) -> bool:
    """Whether what stands between two marks does not end a clause."""
    return start - end <= _GAP and _CLAUSE_END.search(text, end, start) is None


def _clause(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The words that are at least in part in a place, without what parts clauses at its ends."""
    start, end = whole_words(text, start, end)
    words = text[start:end]
    start += len(words) - len(words.lstrip(_EDGES))
    end -= len(words) - len(words.rstrip(_EDGES))
    start, end = without_marks(text, start, end) if start < end else (start, start)
    if sum(map(str.isalnum, text[start:end])) > 1:
        yield start, end


def _atom(page: Page, start: int, end: int) -> Expression:
    words = page.document.text[start:end]
    asked = inquiry(words)
    at = element_at(page.document, start)
    atom = Atom(words, asked.question, -1 if at is None else at, start, end)
    excepts = _exceptions(page.language)
    denied = asked.negated != bool(excepts and excepts.search(words))
    return Not(atom) if denied else atom


@cache
def _exceptions(language: Language) -> re.Pattern[str] | None:
    found = pack(language).exceptions
    return re.compile(found, re.IGNORECASE) if found else None
