"""NLPCC KBQA: answers from a knowledge base of triples.

Checks read the questions, and the knowledge base where it is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caveat.benchmarks.nlpcc.kbqa import format
from caveat.benchmarks.nlpcc.kbqa import metric as answer_sets
from caveat.benchmarks.nlpcc.kbqa.format import KbqaQuestion, read_numbered
from caveat.benchmarks.shared.agreement import pairwise_agreement
from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.shared.findings import Finding, Place, quote
from caveat.benchmarks.shared.passage_checks import empty_question, shared_rules
from caveat.benchmarks.shared.scores import Scored, first_questions
from caveat.benchmarks.task import Analysis, DataFiles, DataSet, EvaluationOptions, Prediction, Task
from caveat.core.files import PathLike
from caveat.sources.triple_lines import read_triples

__all__ = [
    "MENTIONS",
    "RULES",
    "TASK",
    "TRIPLES",
    "answer_not_object",
    "check",
    "check_kb",
    "malformed_triple",
    "no_answer",
]

RULES = {
    **shared_rules("empty-question", "no-answer"),
    "malformed-triple": "A triple is not subject, predicate and object, or one of them is empty.",
    "answer-not-object": "The object of a question's triple is not among its answers.",
}


def check(data: PathLike, kb: PathLike | None = None) -> Iterator[Finding]:
    """The findings in a KBQA file, then those in the knowledge base."""
    questions = list(read_numbered(data))
    # A test file has neither triples nor answers.
    labelled = any(question.answers or question.triple is not None for _, question in questions)
    for line, question in questions:
        place = Place(str(data), line, question.id)
        yield from empty_question(question.question, place)
        if question.triple is not None:
            yield from malformed_triple(question.triple, place)
        if labelled:
            yield from no_answer(question, place)
        yield from answer_not_object(question, place)
    if kb is not None:
        yield from check_kb(kb)


def no_answer(question: KbqaQuestion, place: Place) -> Iterator[Finding]:
    """A question without an answer, or with an empty one."""
    if not question.answers:
        yield place.finding("no-answer", "the question has no answer")


def answer_not_object(question: KbqaQuestion, place: Place) -> Iterator[Finding]:
    """Answers that the triple's object is not among."""
    fact = question.fact
    if fact is None or not question.answers or fact.object in question.answers:
        return
    # An object with ` | ` inside was cut into several answers by the format.
    if fact.object == " | ".join(question.answers):
        return
    answers = ", ".join(map(quote, question.answers[:3]))
    message = f"the triple's object {quote(fact.object)} is not the answer {answers}"
    yield place.finding("answer-not-object", message)


_PARTS = ("subject", "predicate", "object")


def check_kb(kb: PathLike) -> Iterator[Finding]:
    """The findings in a file of triples, as a stream."""
    bad: list[tuple[int, str]] = []
    for _ in read_triples(kb, on_bad=lambda line, text: bad.append((line, text))):
        if bad:
            yield from _tell(bad, kb)
    yield from _tell(bad, kb)


def _tell(bad: list[tuple[int, str]], kb: PathLike) -> Iterator[Finding]:
    for line, text in bad:
        yield from malformed_triple(text, Place(str(kb), line))
    bad.clear()


def malformed_triple(text: str, place: Place) -> Iterator[Finding]:
    """Text that is not subject, predicate and object, with an explanation."""
    parts = [part.strip() for part in text.split("|||", 2)]
    if len(parts) < len(_PARTS):
        problem = f"has {len(parts)} of the three parts"
    elif empty := [name for name, part in zip(_PARTS, parts, strict=True) if not part]:
        problem = f"has no {' and no '.join(empty)}"
    else:
        return
    yield place.finding("malformed-triple", f"the triple {quote(text)} {problem}")


def _score(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    golds = _gold(gold)
    predicted = {prediction.id: prediction.answers for prediction in format.read_predictions(pred)}
    return answer_sets.score(first_questions(golds, options.first, gold), predicted)


def _gold(path: PathLike) -> dict[str, tuple[str, ...]]:
    return {question.id: question.answers for question in format.read(path)}


def _prediction() -> Prediction[Any]:
    from caveat.benchmarks.nlpcc.kbqa.predict import PREDICTION

    return PREDICTION


def _analysis() -> Analysis[Any]:
    from caveat.benchmarks.nlpcc.kbqa.analysis import ANALYSIS

    return ANALYSIS


def _statistics(files: DataFiles) -> Tables:
    from caveat.benchmarks.nlpcc.kbqa.statistics import count

    return count(files.data, files.kb, files.mentions)


def _check(files: DataFiles) -> Iterator[Finding]:
    return check(files.data, files.kb)


TASK = Task(
    name="nlpcc-kbqa",
    summary="NLPCC KBQA: answers from a knowledge base of triples (Chinese)",
    gold="<question id=N>, <triple id=N> and <answer id=N> lines",
    predictions="<question id=N> and <answer id=N> lines, answers tab-separated",
    read=lambda files: format.read(files.data),
    score=_score,
    # The guideline's definitions leave nothing to a program: unanswered questions count 0 in both modes.
    score_official=_score,
    statistics=_statistics,
    check=_check,
    predict=_prediction,
    analyse=_analysis,
    agreement=pairwise_agreement(_gold, answer_sets.score),
    companions=frozenset({"kb", "mentions"}),
)


def _count_kb(path: PathLike) -> Tables:
    from caveat.benchmarks.nlpcc.kbqa.statistics import count_kb

    return count_kb(path)


def _count_mentions(path: PathLike) -> Tables:
    from caveat.benchmarks.nlpcc.kbqa.statistics import count_mentions

    return count_mentions(path)


TRIPLES = DataSet("nlpcc-kb", _count_kb, check_kb)
MENTIONS = DataSet("nlpcc-mentions", _count_mentions)
