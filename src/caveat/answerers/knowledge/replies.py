"""Answers from a knowledge base: the objects of triples, each with the triples that show it."""

from __future__ import annotations

from caveat.answerers.knowledge.index.build import is_knowledge, open_knowledge
from caveat.answerers.knowledge.index.store import KnowledgeStore
from caveat.answerers.knowledge.matching import Matching, embedded_matching
from caveat.answerers.knowledge.names import Base
from caveat.answerers.knowledge.steps import ValueAnswer, find_answers, parts_of
from caveat.core.files import PathLike
from caveat.core.records import Answer, Place, Question
from caveat.language.script import count_han

__all__ = ["is_knowledge", "knowledge_answers", "open_base"]


def open_base(path: PathLike) -> KnowledgeStore:
    """An index folder opened, or a file of triples, indexed for this once."""
    return open_knowledge(path)


def knowledge_answers(
    question: Question, base: Base, name: str, top: int = 5, *, model: Matching | None = None
) -> tuple[list[Answer], float]:
    """The `top` most probable answers of a base of that name, and how probable it is that it has none.

    Without a `model` the embedded one understands the question.
    """
    found, none = find_answers(question.text, base, model or embedded_matching())
    return [_answer(each, Place(name)) for each in found[:top]], min(none, 1.0)


def _answer(found: ValueAnswer, place: Place) -> Answer:
    score = min(found.probability, 1.0)
    parts = tuple(
        Answer(part, "entity", score)
        for value in found.values
        for part in parts_of(value) or ((value,) if len(found.values) > 1 else ())
    )
    between = "、" if any(map(count_han, found.values)) else ", "
    return Answer(between.join(found.values), "entity", score, place, parts=parts, triples=found.triples)
