"""Scores on ranked candidates by kinds of questions, and what trivial rankings score."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from caveat.benchmarks.nlpcc.ranked import metric
from caveat.benchmarks.nlpcc.ranked.candidates import CandidateGroup, groups, read_scores
from caveat.benchmarks.shared.grouped_scores import (
    GroupedScores,
    JudgedQuestion,
    PredictionOptions,
    binned,
    by_bm25,
    grouped,
    in_quarters,
    overlap,
)
from caveat.benchmarks.shared.scores import Scored
from caveat.benchmarks.task import Analysis, EvaluationOptions, Floors, Through
from caveat.core.errors import InputError, UsageError
from caveat.core.files import PathLike
from caveat.language.question_types import question_type

Text = Callable[[Any], str]
_CANDIDATES, _LENGTHS = (5, 10, 20, 50), (20, 40, 80)


def ranked_analysis(
    task: str, read: Callable[[PathLike], Iterable[Any]], text: Text
) -> Analysis[PredictionOptions]:
    """The analysis of a task whose predictions are one score a line; `text` is what a candidate says."""

    def run(gold: PathLike, options: PredictionOptions, through: Through) -> GroupedScores:
        if options.pred is None:
            raise UsageError(f"{task} analyses predictions: --pred names their file.")
        found = list(groups(read(gold)))
        scores = read_scores(options.pred, sum(len(group.pairs) for group in found))
        return grouped([_judge(group, scores, text) for group in through(found)])

    return Analysis(PredictionOptions, run)


def _judge(group: CandidateGroup[Any], scores: list[float], text: Text) -> JudgedQuestion:
    labels = [bool(pair.label) for pair in group.pairs]
    ((_, measures),) = [
        (one["id"], one) for one in metric.score([("", labels)], [scores[at] for at in group.indices]).details
    ]
    divisions = {
        "question type": question_type(group.question),
        "number of candidates": binned(len(labels), _CANDIDATES),
    }
    right = next((place for place, label in enumerate(labels) if label), None)
    if right is None:
        divisions["length of the right candidate, characters"] = "none is right"
    else:
        said = text(group.pairs[right])
        divisions["length of the right candidate, characters"] = binned(len(said), _LENGTHS)
        divisions["place of the right candidate"] = in_quarters(right / len(labels))
        divisions["words of the question in the right candidate"] = in_quarters(overlap(group.question, said))
    return JudgedQuestion(
        {
            name: measures[key] / 100
            for name, key in (("MRR", "mrr"), ("MAP", "map"), ("accuracy@1", "accuracy@1"))
        },
        divisions,
    )


def ranked_floors(read: Callable[[PathLike], Iterable[Any]], text: Text) -> Floors:
    """Candidates in the order of the file, and by BM25 with the rarity of words among a question's candidates."""

    def floors(gold: PathLike, options: EvaluationOptions) -> dict[str, Scored]:
        found = list(islice(groups(read(gold)), options.first))
        if any(pair.label is None for group in found for pair in group.pairs):
            raise InputError("the data has no labels (0/1), so there is nothing to score against", path=gold)
        labelled = [(group.question, [bool(pair.label) for pair in group.pairs]) for group in found]
        in_order = [-float(place) for _, labels in labelled for place in range(len(labels))]
        fitting = [
            value
            for group in found
            for value in by_bm25(group.question, (text(pair) for pair in group.pairs))
        ]
        return {"file_order": metric.score(labelled, in_order), "bm25": metric.score(labelled, fitting)}

    return floors
