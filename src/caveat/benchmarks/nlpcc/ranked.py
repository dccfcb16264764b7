"""What the tasks that rank candidates (NLPCC DBQA, TBQA) have in common: groups and their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

from caveat.benchmarks.nlpcc import ranking_metric as ranking
from caveat.benchmarks.nlpcc.candidates import CandidateGroup, groups, read_scores
from caveat.benchmarks.shared.result import Scored
from caveat.core.errors import InputError
from caveat.core.files import PathLike

__all__ = ["score_ranked"]

Ranker = Callable[[Sequence[ranking.Group], Sequence[float]], Scored]


def score_ranked(
    pairs: Iterable[Any], gold: PathLike, pred: PathLike, first: int | None, rank: Ranker
) -> Scored:
    """Group the candidates by question, wherever they stand in the file, and rank each group by its scores."""
    found: list[CandidateGroup[Any]] = list(groups(pairs))
    if not found:
        raise InputError("has no questions, so there is nothing to score", path=gold)
    scores = read_scores(pred, sum(len(group.pairs) for group in found))
    labelled: list[ranking.Group] = []
    ordered: list[float] = []
    for group in islice(found, first):
        labels = [pair.label for pair in group.pairs]
        if None in labels:
            raise InputError("the data has no labels (0/1), so there is nothing to score against", path=gold)
        labelled.append((group.question, [bool(label) for label in labels]))
        ordered += [scores[index] for index in group.indices]
    return rank(labelled, ordered)
