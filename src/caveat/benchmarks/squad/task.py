"""SQuAD: extractive answers from Wikipedia paragraphs; in 2.0 some questions have none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from caveat.benchmarks.shared import extractive_metric
from caveat.benchmarks.shared.findings import Finding, FirstLines, IdLines
from caveat.benchmarks.shared.passage_checks import SHARED_RULES, check_passage, with_places
from caveat.benchmarks.shared.passage_task import passage_task
from caveat.benchmarks.shared.scores import Scored, read_probabilities
from caveat.benchmarks.squad import squad2_metric
from caveat.benchmarks.squad.format import read_passages
from caveat.benchmarks.task import EvaluationOptions
from caveat.core.files import PathLike

__all__ = ["RULES", "SQUAD", "SQUAD2", "check"]

Gold = Mapping[str, Sequence[str]]
Predicted = Mapping[str, str]

RULES = SHARED_RULES


def check(data: PathLike) -> Iterator[Finding]:
    """The findings in a SQuAD file, 1.1 or 2.0."""
    ids: FirstLines[str] = FirstLines()
    for passage, places in with_places(read_passages(data), data, IdLines(data, "id")):
        yield from check_passage(passage, places, ids)


def _score(gold: Gold, predicted: Predicted, options: EvaluationOptions) -> Scored:
    return squad2_metric.score(gold, predicted, _probabilities(options), options.na_threshold)


def _score_official(gold: Gold, predicted: Predicted, options: EvaluationOptions) -> Scored:
    return squad2_metric.score_official(gold, predicted, _probabilities(options), options.na_threshold)


def _probabilities(options: EvaluationOptions) -> dict[str, float] | None:
    return None if options.na_prob is None else read_probabilities(options.na_prob)


SQUAD = passage_task(
    name="squad",
    summary="SQuAD 1.1: extractive answers from Wikipedia paragraphs (English)",
    gold="SQuAD's JSON",
    read=read_passages,
    score=lambda gold, predicted, options: extractive_metric.score(gold, predicted),
    score_official=lambda gold, predicted, options: extractive_metric.score_official(gold, predicted),
    score_answer=extractive_metric.score_answer,
    check=check,
    model="reader-en",
)
SQUAD2 = passage_task(
    name="squad2",
    summary="SQuAD 2.0: SQuAD with questions that the paragraph does not answer (English)",
    gold="SQuAD's JSON",
    read=read_passages,
    score=_score,
    score_official=_score_official,
    score_answer=squad2_metric.score_answer,
    check=check,
    model="reader-en",
    may_be_none=True,
    options=frozenset({"first", "na_prob", "na_threshold"}),
)
