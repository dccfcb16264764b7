"""Answers to NLPCC's questions from a knowledge base, in the task's format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from time import perf_counter

from caveat.answerers.knowledge.matching import Matching, embedded_matching
from caveat.answerers.knowledge.names import Base
from caveat.answerers.knowledge.steps import find_answers
from caveat.benchmarks.nlpcc.kbqa import format as nlpcc_kbqa
from caveat.benchmarks.nlpcc.kbqa.format import KbqaPrediction
from caveat.benchmarks.shared.predict_readings import Predicted
from caveat.core.errors import InputError
from caveat.core.files import PathLike

__all__ = ["KNOWLEDGE_TASK", "answered", "predict_knowledge"]

KNOWLEDGE_TASK = "nlpcc-kbqa"
_MODEL = "match-zh"
# Tabs separate answers, and line ends questions: a value that has them is given with blanks.
_BREAKS = re.compile(r"[\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")

Through = Callable[[Iterable[KbqaPrediction]], Iterable[KbqaPrediction]]


def predict_knowledge(
    data: PathLike, out: PathLike, base: Base, *, model: Matching | None = None, through: Through = iter
) -> Predicted:
    """Answer every question of a data file, and write the answers in its order, an empty one where there is none."""
    begin = perf_counter()
    questions = unanswered = 0

    def counted() -> Iterator[KbqaPrediction]:
        nonlocal questions, unanswered
        for prediction in through(answered(nlpcc_kbqa.read(data), base, model or embedded_matching())):
            questions += 1
            unanswered += not prediction.answers
            yield prediction
        if not questions:
            raise InputError("has no questions", path=data)

    nlpcc_kbqa.write_predictions(out, counted())
    return Predicted(KNOWLEDGE_TASK, _MODEL, questions, unanswered, perf_counter() - begin)


def answered(
    questions: Iterable[nlpcc_kbqa.KbqaQuestion], base: Base, model: Matching
) -> Iterator[KbqaPrediction]:
    """Each question with the values of the best predicate, or with none where that would be a guess."""
    for each in questions:
        found, _ = find_answers(each.question, base, model)
        sure = bool(found) and found[0].probability >= model.threshold
        values = [_BREAKS.sub(" ", value).strip() for value in found[0].values] if sure else []
        yield KbqaPrediction(each.id, each.question, tuple(dict.fromkeys(filter(None, values))))
