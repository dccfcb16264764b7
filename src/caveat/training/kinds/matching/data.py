"""Questions on triples for a fit: masked, for the matcher and the counts of words, and as lists of candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from caveat.answerers.knowledge.evidence import NONE, Weighing
from caveat.answerers.knowledge.index.folding import clean_predicate
from caveat.answerers.knowledge.index.mentions import Mention
from caveat.answerers.knowledge.index.store import SURE, KnowledgeStore
from caveat.answerers.knowledge.words import MASK, FoldedQuestion, WordCounts, units_of
from caveat.answerers.ranking.evidence import CandidateList
from caveat.answerers.ranking.features import Features
from caveat.benchmarks.nlpcc.kbqa.format import KbqaQuestion
from caveat.core.records import Triple
from caveat.training.kinds.ranker.lexical import Featured

__all__ = [
    "Masked",
    "WithoutEntity",
    "masked",
    "plain_columns",
    "weighed_list",
    "without_answer",
    "word_counts",
]

_LEAST_UNIT, _LEAST_STRETCH, _LONGEST_STRETCH = 5, 20, 4


class Masked(NamedTuple):
    """The rest of a question around the name of its entity, and the cleaned predicate that it asks for."""

    text: str
    predicate: str


def masked(questions: Iterable[KbqaQuestion]) -> tuple[list[Masked], int]:
    """The questions in which the entity of their triple is named, masked, and how many are not so."""
    found, left_out = [], 0
    for each in questions:
        fact = each.fact
        asked = FoldedQuestion(each.question)
        place = None if fact is None else asked.find(fact.subject)
        if fact is None or place is None:
            left_out += 1
        else:
            found.append(Masked(asked.masked(*place), clean_predicate(fact.predicate)))
    return found, left_out


def word_counts(questions: Sequence[Masked]) -> WordCounts:
    """In how many questions each unit is, and how often short stretches stand in them."""
    units: Counter[str] = Counter()
    stretches: Counter[str] = Counter()
    for each in questions:
        units.update(set(units_of(each.text)))
        for rest in each.text.split(MASK):
            for length in range(1, _LONGEST_STRETCH + 1):
                stretches.update(rest[at : at + length] for at in range(len(rest) - length + 1))
    return WordCounts(
        len(questions),
        {unit: count for unit, count in sorted(units.items()) if count >= _LEAST_UNIT},
        {
            stretch: count
            for stretch, count in sorted(stretches.items())
            if count >= _LEAST_STRETCH and any(map(str.isalnum, stretch))
        },
    )


def weighed_list(question: KbqaQuestion, weighing: Weighing) -> Featured:
    """The candidates of a question; right are those with one of its answers, or else that there is none."""
    answers = set(question.answers)
    right = [any(t.object in answers for t in each.triples) for each in weighing.candidates]
    names = (*(each.predicate for each in weighing.candidates), NONE)
    return CandidateList(question.question, names, (*right, not any(right))), weighing.features


class WithoutEntity:
    """A store without one of its entities: other things of its name are found, and those of similar names."""

    def __init__(self, store: KnowledgeStore, entity: str) -> None:
        self._store, self._entity = store, entity

    def mentions(self, question: str) -> list[Mention]:
        """The names in a question that mean something else, misspelt ones too where no other is long."""
        found = self._others(self._store.mentions(question))
        if not found or len(found[0].text) < SURE:
            slips = [each for each in self._others(self._store.misspelt(question)) if each not in found]
            found = sorted([*slips, *found], key=lambda each: (each.start - each.end, each.misspelt))
        return found

    def attributes(self, entity: str) -> tuple[Triple, ...]:
        """All triples about an entity, unless it is the one that is lacking."""
        return () if entity == self._entity else self._store.attributes(entity)

    def _others(self, mentions: list[Mention]) -> list[Mention]:
        left = (
            msgspec.structs.replace(each, entities=tuple(e for e in each.entities if e != self._entity))
            for each in mentions
        )
        return [each for each in left if each.entities]


def without_answer(question: KbqaQuestion, weighing: Weighing) -> Weighing:
    """What a base has that lacks the answer: all but the right candidates."""
    of, features = weighed_list(question, weighing)
    kept = [number for number in range(len(weighing.candidates)) if not of.right[number]]
    rows = features.values[[*kept, len(weighing.candidates)]]
    return weighing._replace(
        candidates=[weighing.candidates[number] for number in kept], features=Features(features.names, rows)
    )


def plain_columns(featured: Featured) -> Featured:
    """The same with the evidence alone that holds in any language and without training questions."""
    of, features = featured
    kept = np.array([place for place, name in enumerate(features.names) if _holds_anywhere(name)])
    return of, Features(tuple(features.names[place] for place in kept), features.values[:, kept])


def _holds_anywhere(name: str) -> bool:
    learnt = {"match", "no match", "asked often", "never asked", "never asked: match", "common"}
    return name not in learnt and not name.startswith(("before ", "after "))
