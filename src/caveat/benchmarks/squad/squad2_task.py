"""SQuAD 2.0: SQuAD with questions that the paragraph does not answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caveat.benchmarks.shared.passages import passage_task
from caveat.benchmarks.shared.predictions import read_probabilities
from caveat.benchmarks.shared.result import Scored
from caveat.benchmarks.squad import squad2_metric as squad2
from caveat.benchmarks.squad.format import read_passages
from caveat.benchmarks.squad.task import check
from caveat.benchmarks.task import EvaluationOptions

__all__ = ["TASK"]

Gold = Mapping[str, Sequence[str]]
Predicted = Mapping[str, str]


def _score(gold: Gold, predicted: Predicted, options: EvaluationOptions) -> Scored:
    return squad2.score(gold, predicted, _probabilities(options), options.na_threshold)


def _score_official(gold: Gold, predicted: Predicted, options: EvaluationOptions) -> Scored:
    return squad2.score_official(gold, predicted, _probabilities(options), options.na_threshold)


def _probabilities(options: EvaluationOptions) -> dict[str, float] | None:
    return None if options.na_prob is None else read_probabilities(options.na_prob)


TASK = passage_task(
    name="squad2",
    summary="SQuAD 2.0: SQuAD with questions that the paragraph does not answer (English)",
    gold="SQuAD's JSON",
    read=read_passages,
    score=_score,
    score_official=_score_official,
    score_answer=squad2.score_answer,
    check=check,
    options=frozenset({"first", "na_prob", "na_threshold"}),
)
