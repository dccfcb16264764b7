"""CMQA: conditions, coarse and fine answers and how they hang together, in Chinese medical texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from caveat.benchmarks.cmqa import format
from caveat.benchmarks.cmqa import metric as label_sets
from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.shared.findings import Finding
from caveat.benchmarks.shared.scores import Scored
from caveat.benchmarks.task import Analysed, Analysis, DataFiles, EvaluationOptions, Prediction, Task, Through
from caveat.core.errors import InputError, UsageError
from caveat.core.files import PathLike

__all__ = ["TASK"]

Samples = dict[str, label_sets.Sample]


def _score(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return label_sets.score(*_samples(gold, pred, options))


def _score_official(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return label_sets.score_official(*_samples(gold, pred, options))


def _samples(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> tuple[Samples, Samples]:
    references, predicted = _read(gold, pred, options.first)
    return (
        {str(number): format.labels(sample) for number, sample in references.items()},
        {str(number): format.labels(sample) for number, sample in predicted.items()},
    )


def _read(
    gold: PathLike, pred: PathLike, first: int | None = None
) -> tuple[dict[int, format.CmqaSample], dict[int, format.CmqaSample]]:
    """Samples have no ids: predictions are in the data's order, and line N answers line N."""
    references = {
        number: sample for number, (_, sample) in enumerate(islice(format.read(gold), first), start=1)
    }
    if not references:
        raise InputError("has no samples, so there is nothing to score", path=gold)
    predicted: dict[int, format.CmqaSample] = {}
    for number, (line, sample) in enumerate(islice(format.read(pred), first), start=1):
        if number in references and sample.context != references[number].context:
            raise InputError(
                f"the context is not that of sample {number} of the data; predictions come in the data's order",
                path=pred,
                line=line,
            )
        predicted[number] = sample
    return references, predicted


def _analysis() -> Analysis[Any]:
    from caveat.benchmarks.cmqa.analysis import AnalysisOptions, analyse

    def run(gold: PathLike, options: AnalysisOptions, through: Through) -> Analysed:
        if options.pred is None:
            raise UsageError("cmqa analyses predictions: --pred names their file.")
        references, predicted = _read(gold, options.pred)
        return analyse(list(references.values()), predicted, worst=options.worst)

    return Analysis(AnalysisOptions, run)


def _agreement(files: Sequence[PathLike]) -> dict[str, object]:
    annotators = []
    for path in files:
        found: Samples = {}
        for _, sample in format.read(path):
            # Annotators may have their samples in different orders: text and question tell which is which.
            found[f"{sample.context}\t{sample.question}"] = format.labels(sample)
        annotators.append(found)
    agreed = label_sets.pairwise_f1(annotators)
    return {
        **{name: {"f1": f1} for name, f1 in agreed.f1.items()},
        "annotators": agreed.annotators,
        "pairs": agreed.pairs,
        "samples": agreed.samples,
        "left_out": agreed.left_out,
    }


def _prediction() -> Prediction[Any]:
    from caveat.benchmarks.cmqa.predict import PREDICTION

    return PREDICTION


def _statistics(files: DataFiles) -> Tables:
    from caveat.benchmarks.cmqa.statistics import count

    return count(files.data)


def _check(files: DataFiles) -> Iterator[Finding]:
    from caveat.benchmarks.cmqa.checks import check

    return check(files.data)


TASK = Task(
    name="cmqa",
    summary="CMQA: conditional answers at two levels of detail from medical texts (Chinese)",
    gold="CMQA's JSON lines",
    predictions="the data's own layout, one JSON a line, in the data's order",
    read=lambda files: (sample for _, sample in format.read(files.data)),
    score=_score,
    score_official=_score_official,
    statistics=_statistics,
    check=_check,
    predict=_prediction,
    agreement=_agreement,
    analyse=_analysis,
)
