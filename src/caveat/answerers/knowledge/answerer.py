"""Answers from a knowledge base: the objects of triples, each with the triples that show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from caveat.answerers.contract import Asked
from caveat.answerers.knowledge.matching import Matching, embedded_matching
from caveat.answerers.knowledge.names import Base
from caveat.answerers.knowledge.steps import ValueAnswer, find_answers, parts_of
from caveat.answerers.merge import merged
from caveat.core.answers import Answer, Place
from caveat.core.languages import count_han
from caveat.core.records import KnowledgeBase, Question, Reply
from caveat.core.spreading import Through
from caveat.library.triples.build import open_knowledge


class PreparedBase(NamedTuple):
    """A knowledge base, and its triples to look things up in."""

    source: KnowledgeBase
    base: Base


class KnowledgeAnswerer:
    """Walks from the entities of a question along the predicates that it means; the embedded model tells which.

    A question of several bases is answered from each by itself.
    """

    def __init__(self, model: Matching | None = None) -> None:
        self._model = model

    @cached_property
    def model(self) -> Matching:
        """The model that was given, or else the embedded one."""
        return self._model or embedded_matching()

    def prepare(self, source: KnowledgeBase) -> PreparedBase:
        """An index folder opened, or a file of triples, indexed for this once."""
        return PreparedBase(source, open_knowledge(source.path))

    def answer(self, asked: Iterable[Asked[PreparedBase]], *, through: Through = iter) -> Iterator[Reply]:
        """A reply for each question from its bases together, in order."""
        for each in asked:
            replies = [self._reply(each.question, base, each.top) for base in each.sources]
            yield merged(replies, each.top) if replies else Reply(each.question, (), 1.0)

    def find(self, question: Question, base: PreparedBase) -> tuple[list[ValueAnswer], float]:
        """The values that answer a question, the most probable first, and how probable it is that there are none."""
        return find_answers(question.text, base.base, self.model)

    def _reply(self, question: Question, base: PreparedBase, top: int) -> Reply:
        found, none = self.find(question, base)
        place = Place(base.source.path)
        return Reply(question, tuple(_answer(each, place) for each in found[:top]), min(none, 1.0))


def _answer(found: ValueAnswer, place: Place) -> Answer:
    score = min(found.probability, 1.0)
    parts = tuple(
        Answer(part, "entity", score)
        for value in found.values
        for part in parts_of(value) or ((value,) if len(found.values) > 1 else ())
    )
    between = "、" if any(map(count_han, found.values)) else ", "
    return Answer(between.join(found.values), "entity", score, place, parts=parts, triples=found.triples)
