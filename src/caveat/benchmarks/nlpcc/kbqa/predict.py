"""Answers to NLPCC's questions from a knowledge base, in the task's format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from time import perf_counter

import msgspec

from caveat.answerers.knowledge.answerer import KnowledgeAnswerer, PreparedBase
from caveat.benchmarks.nlpcc.kbqa import format as nlpcc_kbqa
from caveat.benchmarks.nlpcc.kbqa.format import KbqaPrediction, KbqaQuestion
from caveat.benchmarks.task import Predicted, Prediction, Through
from caveat.core.errors import InputError, UsageError
from caveat.core.files import PathLike
from caveat.core.records import KnowledgeBase, Question
from caveat.core.spreading import Spread, here

__all__ = ["KNOWLEDGE_TASK", "PREDICTION", "KbqaOptions", "answered", "predict_knowledge"]

KNOWLEDGE_TASK = "nlpcc-kbqa"
_MODEL = "match-zh"
# Questions that are sent to a worker at a time: each takes a thousandth of a second.
_TOGETHER = 256
# Tabs separate answers, and line ends questions: a value that has them is given with blanks.
_BREAKS = re.compile(r"[\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")


def predict_knowledge(
    data: PathLike,
    out: PathLike,
    answering: Callable[[Iterable[KbqaQuestion]], Iterable[KbqaPrediction]],
    *,
    through: Through = iter,
) -> Predicted:
    """Answer every question of a data file, and write the answers in its order, an empty one where there is none."""
    begin = perf_counter()
    questions = unanswered = 0

    def counted() -> Iterator[KbqaPrediction]:
        nonlocal questions, unanswered
        for prediction in through(answering(nlpcc_kbqa.read(data))):
            questions += 1
            unanswered += not prediction.answers
            yield prediction
        if not questions:
            raise InputError("has no questions", path=data)

    nlpcc_kbqa.write_predictions(out, counted())
    return Predicted(KNOWLEDGE_TASK, _MODEL, questions, unanswered, perf_counter() - begin)


def answered(
    questions: Iterable[KbqaQuestion], base: PreparedBase, answerer: KnowledgeAnswerer
) -> Iterator[KbqaPrediction]:
    """Each question with the values of the best predicate, or with none where that would be a guess."""
    for each in questions:
        found, _ = answerer.find(Question(each.question), base)
        sure = bool(found) and found[0].probability >= answerer.model.threshold
        values = [_BREAKS.sub(" ", value).strip() for value in found[0].values] if sure else []
        yield KbqaPrediction(each.id, each.question, tuple(dict.fromkeys(filter(None, values))))


class KbqaOptions(msgspec.Struct, frozen=True):
    """The triples that questions are answered from: an index of them, or their file."""

    kb: PathLike | None = None
    spread: Spread = here


def _run(data: PathLike, out: PathLike, options: KbqaOptions, through: Through) -> Predicted:
    if options.kb is None:
        raise UsageError("nlpcc-kbqa is answered from triples: --kb names an index of them, or their file.")
    if str(options.kb) == "-":
        raise UsageError("--kb is a file, or an index that `caveat index` has made of standard input.")
    load = partial(_answering, str(options.kb))
    return predict_knowledge(
        data, out, lambda questions: options.spread(load, questions, _TOGETHER), through=through
    )


def _answering(kb: str) -> Callable[[Iterable[KbqaQuestion]], Iterator[KbqaPrediction]]:
    answerer = KnowledgeAnswerer()
    return partial(answered, base=answerer.prepare(KnowledgeBase(kb)), answerer=answerer)


PREDICTION = Prediction(KbqaOptions, _run)
