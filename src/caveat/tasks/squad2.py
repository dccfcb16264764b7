"""SQuAD 2.0: SQuAD with questions that the paragraph does not answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from caveat.checks.finding import Finding
from caveat.formats import squad as format
from caveat.formats.files import PathLike
from caveat.formats.predictions import read_answers, read_probabilities
from caveat.metrics import squad2
from caveat.metrics.result import Scored
from caveat.statistics.tables import Tables
from caveat.tasks.first import first_questions
from caveat.tasks.passages import gold_answers, passage_agreement
from caveat.tasks.task import DataFiles, EvaluationOptions, Task

__all__ = ["TASK"]


def _score(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return squad2.score(
        _gold(gold, options), read_answers(pred), _probabilities(options), options.na_threshold
    )


def _score_official(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return squad2.score_official(
        _gold(gold, options), read_answers(pred), _probabilities(options), options.na_threshold
    )


def _probabilities(options: EvaluationOptions) -> dict[str, float] | None:
    return None if options.na_prob is None else read_probabilities(options.na_prob)


def _gold(path: PathLike, options: EvaluationOptions) -> dict[str, list[str]]:
    return first_questions(gold_answers(format.read_passages(path)), options.first)


def _statistics(files: DataFiles) -> Tables:
    from caveat.statistics.extractive import count_passages

    return count_passages("squad2", format.read_passages(files.data))


def _check(files: DataFiles) -> Iterator[Finding]:
    from caveat.checks.extractive import check

    return check(files.data)


def _agreement(files: Sequence[PathLike]) -> dict[str, object]:
    return passage_agreement(
        [gold_answers(format.read_passages(path)) for path in files], squad2.score_answer
    )


TASK = Task(
    name="squad2",
    summary="SQuAD 2.0: SQuAD with questions that the paragraph does not answer (English)",
    gold="SQuAD's JSON",
    predictions="JSON object id → text",
    score=_score,
    score_official=_score_official,
    statistics=_statistics,
    check=_check,
    agreement=_agreement,
    options=frozenset({"first", "na_prob", "na_threshold"}),
)
