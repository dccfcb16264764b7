"""What speaks for each way to understand a question: how it names an entity, and which predicate its rest means."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from caveat.answerers.knowledge.names import Base, Candidate, NamedEntity, bracketed, candidates_of
from caveat.answerers.knowledge.words import MASK, FoldedQuestion, Matcher, WordCounts, related, units_of
from caveat.answerers.ranking.features import Features
from caveat.core.cache import cache_short
from caveat.language.packs import en
from caveat.language.question_types import question_type
from caveat.library.triples.folding import fold
from caveat.library.triples.mentions import Mention

_LOOKED_AT = 60
_NUMERAL = re.compile(
    r"[0-9０-９]|[一二三四五六七八九十百千万亿两]+[个名位年月日米里人种次元岁层座只部章件条所]"
)
_DATE = re.compile(
    rf"[12][0-9]{{3}}|[0-9]{{1,2}}[月日]|世纪|年|\b(?:{'|'.join(en.PACK.months)}|century)\b",
    re.IGNORECASE,
)
_LOCATION = re.compile(
    r"[省市县区镇乡村路街州国洲岛山]|[东西南北]部|\b(?:city|county|street|province|state)\b", re.IGNORECASE
)
_LONGEST_NAME = 30

# A column for what a type of question wants and for what speaks against it.
OBJECT_FEATURES = (
    *("when: date", "when: none", "how many: number", "how many: none", "who: name", "who: number"),
    *("where: place", "where: number", "other: number", "other: date"),
)


def object_features(asked: str, object: str) -> Iterator[str]:
    """The columns that hold for an object and a question of a type; the type is that of `question_type`."""
    head = object[:_LOOKED_AT]
    number = _NUMERAL.search(head) is not None
    date = number and _DATE.search(head) is not None
    if asked == "when":
        yield "when: date" if date else "when: none"
    elif asked in ("how many", "how long"):
        yield "how many: number" if number else "how many: none"
    elif asked == "who":
        if number:
            yield "who: number"
        elif len(object) <= _LONGEST_NAME:
            yield "who: name"
    elif asked == "where":
        if _LOCATION.search(head):
            yield "where: place"
        if number:
            yield "where: number"
    else:
        if number:
            yield "other: number"
        if date:
            yield "other: date"


# The column of the row that stands for "the base has no answer", which is the last.
NONE = "none"
_AFTER, _BEFORE = "的是在有这属叫由出什哪多", "道下问谁在个说的是"
_MENTION = (
    *("length", "single", "inside", "inside quotes", "quoted", "misspelt", "common", "at start", "at end"),
    *(f"before {mark}" for mark in _AFTER),
    *(f"after {mark}" for mark in _BEFORE),
)
_ENTITY = ("own name", "bracket", "alias", "rank", "several", "triples")
_PREDICATE = (
    *(
        "units",
        "pairs",
        "whole",
        "stretch",
        "telling",
        "explained",
        "long",
        "match",
        "no match",
        "asked often",
    ),
    *("never asked", "never asked: match"),
)
_OBJECT = ("in question", "is the name", "values", "long object")
FEATURES = (NONE, *_MENTION, *_ENTITY, *_PREDICATE, *_OBJECT, *OBJECT_FEATURES)
_PLACE = {name: place for place, name in enumerate(FEATURES)}
_FIRST = _PLACE[_PREDICATE[0]]
_LONGEST_COMPARED = 40
_LEAST_MATCH = -6.0
# Beyond this many triples an entity is simply well known.
_MANY = 30


class Weighing(NamedTuple):
    """The candidates of a question, the evidence for each and, in the last row, for none of them.

    `masked` has for each mention the rest of the question.
    """

    mentions: list[Mention]
    named: list[list[NamedEntity]]
    candidates: list[Candidate]
    masked: list[str]
    features: Features


class _Words(NamedTuple):
    units: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    text: str


def evidence_of(question: str, base: Base, matcher: Matcher, words: WordCounts) -> Weighing:
    """All that can be meant by a question, and what speaks for it."""
    asked = FoldedQuestion(question)
    mentions, named, candidates = candidates_of(asked, base, words)
    places = [asked.place(mention.start, mention.end) for mention in mentions]
    masked = [asked.masked(*place) for place in places]
    values = np.zeros((len(candidates) + 1, len(FEATURES)))
    values[-1, _PLACE[NONE]] = 1
    at = 0
    for number, mention in enumerate(mentions):
        rest = units_of(masked[number])
        of_mention = dict(_mention(asked, mentions, number, places[number], words))
        predicates = list(dict.fromkeys(p for each in named[number] for p in each.facts))
        of_predicate = _predicates(predicates, masked[number], rest, matcher, words)
        type = question_type(masked[number])
        for each in named[number]:
            shared = of_mention | dict(_entity(each, mention))
            columns, row = [_PLACE[name] for name in shared], list(shared.values())
            for predicate, triples in each.facts.items():
                values[at, columns] = row
                values[at, _FIRST : _FIRST + len(_PREDICATE)] = of_predicate[predicate]
                objects = [triple.object for triple in triples]
                for name, value in _object(objects, asked, mention, type):
                    values[at, _PLACE[name]] = value
                at += 1
    return Weighing(mentions, named, candidates, masked, Features(FEATURES, values))


def _mention(
    asked: FoldedQuestion, mentions: Sequence[Mention], number: int, place: tuple[int, int], words: WordCounts
) -> Iterator[tuple[str, float]]:
    mention = mentions[number]
    start, end = place
    name = asked.folded[start:end]
    yield "length", math.log1p(len(name))
    yield "single", len(name) == 1
    around = [
        other
        for other in mentions
        if other.start <= mention.start
        and mention.end <= other.end
        and other.end - other.start > len(mention.text)
    ]
    yield "inside", bool(around)
    yield "inside quotes", any(other.quoted for other in around)
    yield "quoted", mention.quoted
    yield "misspelt", mention.misspelt
    yield "common", words.commonness(name)
    before, after = asked.folded[:start].rstrip()[-1:], asked.folded[end:].lstrip()[:1]
    yield "at start", not before
    yield "at end", not after.strip("?？。.!！")
    if after and after in _AFTER:
        yield f"before {after}", 1
    if before and before in _BEFORE:
        yield f"after {before}", 1


def _entity(named: NamedEntity, mention: Mention) -> Iterator[tuple[str, float]]:
    inner = bracketed(named.entity)
    name, own = _folded(mention.text), _folded(named.entity)
    if own == name:
        yield "own name", 1
    elif inner and _folded(named.entity[: -len(inner)]) == name:
        yield "bracket", 1
    elif not mention.misspelt:
        yield "alias", 1
    yield "rank", math.log1p(named.rank)
    yield "several", math.log(len(mention.entities))
    yield "triples", math.log1p(min(len(named.facts), _MANY))


def _predicates(
    predicates: Sequence[str], masked: str, rest: Sequence[str], matcher: Matcher, words: WordCounts
) -> dict[str, list[float]]:
    if not predicates:
        return {}
    there = set(rest) - {MASK}
    telling = words.total(there) or 1.0
    for unit in rest:
        there |= related(unit)
    neighbours = set(pairwise(rest))
    matches = matcher.scores(matcher.question(rest), predicates).tolist()
    found: dict[str, list[float]] = {}
    for predicate, match in zip(predicates, matches, strict=True):
        of = _words(predicate)
        shared = of.units & there
        weight = words.total(shared)
        count = matcher.count(predicate)
        bounded = max(match, _LEAST_MATCH)
        found[predicate] = [
            len(shared) / (len(of.units) or 1),
            len(of.pairs & neighbours) / (len(of.pairs) or 1),
            of.text in masked,
            _longest_stretch(of.text, masked) / (len(of.text) or 1),
            weight / (words.total(of.units) or 1.0),
            min(1.0, weight / telling),
            math.log1p(len(of.units)),
            bounded,
            match < _LEAST_MATCH,
            math.log1p(count),
            not count,
            0.0 if count else bounded,
        ]
    return found


def _object(
    objects: Sequence[str], asked: FoldedQuestion, mention: Mention, type: str
) -> Iterator[tuple[str, float]]:
    first = objects[0]
    if len(first) <= _LONGEST_COMPARED:
        folded = _folded(first)
        if folded == _folded(mention.text):
            yield "is the name", 1
        elif len(folded) > 1 and folded in asked.folded:
            yield "in question", 1
    yield "values", math.log(len(objects))
    yield "long object", math.log1p(min(len(first), 1000))
    for name in object_features(type, first):
        yield name, 1


def _longest_stretch(predicate: str, masked: str) -> int:
    """The length of the longest part of a predicate that stands in the rest of the question."""
    longest = 0
    for start in range(len(predicate)):
        while start + longest < len(predicate) and predicate[start : start + longest + 1] in masked:
            longest += 1
    return longest


@cache_short(1 << 15)
def _words(predicate: str) -> _Words:
    units = units_of(predicate)
    return _Words(frozenset(units), frozenset(pairwise(units)), predicate[:_LONGEST_COMPARED])


@cache_short(1 << 14)
def _folded(text: str) -> str:
    return fold(text[: 4 * _LONGEST_COMPARED]).text
