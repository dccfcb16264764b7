"""How well questions are answered from a base, as it is and with distracting predicates mixed in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from caveat.answerers.knowledge.index.folding import clean_predicate
from caveat.answerers.knowledge.matching import Matching
from caveat.answerers.knowledge.names import Base
from caveat.answerers.knowledge.steps import find_answers
from caveat.benchmarks.nlpcc.kbqa import metric as answer_sets
from caveat.benchmarks.nlpcc.kbqa.distractors import Distracted, SimilarEntities
from caveat.benchmarks.nlpcc.kbqa.format import KbqaQuestion

__all__ = ["HELD_OUT", "by_model", "by_overlap", "figures"]

# The questions that nothing in the embedded model was fitted to.
HELD_OUT = 2_000
Answerer = Callable[[str, Base], tuple[str, ...]]


def by_model(model: Matching) -> Answerer:
    """The values that a model is most sure of; none below its threshold."""

    def answer(question: str, base: Base) -> tuple[str, ...]:
        found, _ = find_answers(question, base, model)
        return found[0].values if found and found[0].probability >= model.threshold else ()

    return answer


def by_overlap(question: str, base: Base) -> tuple[str, ...]:
    """The baseline: the predicate that shares most characters with the question, of the longest name's first entity."""
    mentions = base.mentions(question)
    if not mentions:
        return ()
    values: dict[str, list[str]] = {}
    for triple in base.attributes(mentions[0].entities[0]):
        values.setdefault(clean_predicate(triple.predicate), []).append(triple.object)
    asked = set(question)
    best = max(values, key=lambda predicate: len(asked & set(predicate)) / len(set(predicate)))
    return tuple(dict.fromkeys(values[best]))


def figures(
    answer: Answerer,
    base: Base,
    questions: Sequence[KbqaQuestion],
    *,
    similar: SimilarEntities | None = None,
    distractors: int = 0,
    through: Callable[[Iterable[KbqaQuestion]], Iterable[KbqaQuestion]] = iter,
) -> dict[str, Any]:
    """Averaged F1, accuracy and MRR, and how many questions were left without an answer."""
    gold: dict[str, tuple[str, ...]] = {}
    found: dict[str, tuple[str, ...]] = {}
    for number, each in enumerate(through(questions)):
        asked_of = base
        if similar is not None and each.fact is not None:
            entity = each.fact.subject
            asked_of = Distracted(base, entity, similar.distractors(entity, distractors))
        found[str(number)] = answer(each.question, asked_of)
        gold[str(number)] = each.answers
    scores = answer_sets.score(gold, found).scores
    kept = {name: scores[name] for name in ("average_f1", "accuracy@1", "mrr")}
    return {**kept, "unanswered": sum(not answers for answers in found.values()), "questions": len(gold)}
