"""Questions over two triples (A的妻子的父亲是谁): the first is asked by itself, its object then takes its place."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from caveat.answerers.knowledge.candidates import Base
from caveat.answerers.knowledge.grams import MASK
from caveat.answerers.knowledge.index.mentions import Mention
from caveat.answerers.knowledge.index.names import ALIAS_PREDICATES
from caveat.answerers.knowledge.matching import Matching, Understood
from caveat.answerers.knowledge.values import parts_of
from caveat.core.records import Triple
from caveat.core.script import language_of

__all__ = ["Walked", "walk_twice"]

# What stands between the entity and the thing that is asked of its wife, its founder, its capital …
_CHINESE = re.compile(rf"^(?P<before>.*?){MASK}的?(?P<first>[^的{MASK}]{{1,10}})的(?P<second>[^的{MASK}]+)$")
_ENGLISH = (
    re.compile(rf"^(?P<second>.*\w) of (?:the )?(?P<first>[\w ]{{2,40}}?) of (?:the )?{MASK}(?P<after>.*)$"),
    re.compile(rf"^(?P<before>.*?){MASK}['’]s (?P<first>[\w ]{{2,40}}?)['’]s (?P<second>.+)$"),
    re.compile(rf"^(?P<second>.*\w) of {MASK}['’]s (?P<first>[\w ]{{2,40}}?)(?P<after>\W*)$"),
)
_SURE = 0.5
_LIKELY, _MOST_OBJECTS = 0.3, 5


class Walked(NamedTuple):
    """Two steps: the triple to the thing between, those from there to the answers, how probable both are together."""

    first: Triple
    second: tuple[Triple, ...]
    probability: float


class _Split(NamedTuple):
    """A question taken apart: one for the first step, and what stands around its object in that for the second."""

    first: str
    before: str
    after: str


def walk_twice(question: str, base: Base, model: Matching, understood: Sequence[Understood]) -> Walked | None:
    """The best walk of two steps; None if the question has no form for it, or one step answers another question."""
    best: Walked | None = None
    for mention in _likely_mentions(understood):
        for split in _splits(question, mention):
            for walked, predicates in _walks(split, base, model):
                if (best is None or walked.probability > best.probability) and _needed(
                    understood[0], predicates
                ):
                    best = walked
    return best


def _likely_mentions(understood: Sequence[Understood]) -> list[Mention]:
    """The mentions that are probable among all, whatever they are asked for."""
    shares: dict[Mention, float] = defaultdict(float)
    for each in understood:
        shares[each.mention] += each.probability
    least = _LIKELY * sum(shares.values())
    return [mention for mention, share in shares.items() if share >= least]


def _needed(top: Understood, predicates: set[str]) -> bool:
    """Whether one step leaves a question open: it is not sure of itself, or it sees one of the two steps alone."""
    return top.probability < _SURE or top.candidate.predicate in predicates


def _splits(question: str, mention: Mention) -> Iterator[_Split]:
    start, end = mention.start, mention.end
    masked = f"{question[:start]}{MASK}{question[end:]}"
    name = question[start:end]
    if language_of(question) == "zh":
        if match := _CHINESE.match(re.sub(rf"[《“「『]{MASK}[》”」』]", MASK, masked)):
            yield _Split(f"{name}的{match['first']}是什么？", match["before"], f"的{match['second']}")
        return
    for pattern in _ENGLISH:
        if match := pattern.match(masked):
            parts = match.groupdict()
            before = f"{parts['second']} of " if "after" in parts else parts["before"]
            after = parts["after"] if "after" in parts else f"'s {parts['second']}"
            yield _Split(f"What is the {match['first']} of {name}?", before, after)


def _walks(split: _Split, base: Base, model: Matching) -> Iterator[tuple[Walked, set[str]]]:
    firsts, _ = model.understood(split.first, base)
    if not firsts or firsts[0].probability < _SURE:
        return
    step = firsts[0]
    for triple in step.candidate.triples[:_MOST_OBJECTS]:
        for between in dict.fromkeys((triple.object, *parts_of(triple.object)[:_MOST_OBJECTS])):
            if between == step.entity:
                continue
            begin = len(split.before)
            seconds, _ = model.understood(f"{split.before}{between}{split.after}", base)
            for second in seconds[:1]:
                of_it = (second.mention.start, second.mention.end) == (begin, begin + len(between))
                # Asked for the name of the thing between, one step answers.
                if (
                    of_it
                    and second.probability >= _SURE
                    and second.candidate.predicate not in ALIAS_PREDICATES
                ):
                    walked = Walked(
                        triple, tuple(second.candidate.triples), step.probability * second.probability
                    )
                    yield walked, {step.candidate.predicate, second.candidate.predicate}
