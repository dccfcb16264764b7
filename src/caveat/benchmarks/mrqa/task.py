"""MRQA 2019: extractive answers over many domains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from caveat.benchmarks.mrqa import format
from caveat.benchmarks.mrqa.passages import to_passages
from caveat.benchmarks.shared import extractive_metric
from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.shared.described_sets import DescribedSets, read_description
from caveat.benchmarks.shared.findings import Finding
from caveat.benchmarks.shared.passage import Passage, TextQuestion
from caveat.benchmarks.shared.passage_task import passage_agreement
from caveat.benchmarks.shared.predictions import read_answers
from caveat.benchmarks.shared.scores import Scored, first_questions
from caveat.benchmarks.task import DataFiles, EvaluationOptions, Prediction, Task
from caveat.core.files import PathLike

__all__ = ["TASK"]


def _score(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return extractive_metric.score(_gold(gold, options), read_answers(pred))


def _score_official(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    # The published script takes gzipped gold only and prints its messages on standard output; neither is kept.
    scorer = (
        extractive_metric.score_official_skipping
        if options.skip_no_answer
        else extractive_metric.score_official
    )
    return scorer(_gold(gold, options), read_answers(pred))


def _gold(path: PathLike, options: EvaluationOptions) -> dict[str, list[str]]:
    return first_questions(format.read_gold(path), options.first, path)


def _questions(path: PathLike) -> Iterator[TextQuestion]:
    for context in format.read_asked_contexts(path):
        for question in context.qas:
            yield TextQuestion(question.qid, question.question, context.context)


def _prediction() -> Prediction[Any]:
    from caveat.benchmarks.shared.reading_prediction import ReadingTask, reading_prediction

    def gold(path: PathLike) -> Iterator[Passage]:
        return to_passages(format.read(path))

    return reading_prediction(ReadingTask("mrqa", "reader-en", _questions, read_gold=gold))


def _statistics(files: DataFiles) -> Tables:
    from caveat.benchmarks.mrqa.statistics import count

    return count(files.data)


def _check(files: DataFiles) -> Iterator[Finding]:
    from caveat.benchmarks.mrqa.checks import check

    return check(files.data)


def _agreement(files: Sequence[PathLike]) -> dict[str, object]:
    return passage_agreement([format.read_gold(path) for path in files], extractive_metric.score_answer)


def _sets() -> DescribedSets:
    from importlib.resources import files

    return read_description(files(str(__package__)).joinpath("sets.toml").read_bytes())


TASK = Task(
    name="mrqa",
    summary="MRQA 2019: extractive answers over many domains (English)",
    gold="MRQA's JSON lines",
    predictions="JSON object qid → text",
    read=lambda files: _questions(files.data),
    score=_score,
    score_official=_score_official,
    statistics=_statistics,
    check=_check,
    predict=_prediction,
    agreement=_agreement,
    sets=_sets,
    options=frozenset({"first", "skip_no_answer"}),
)
