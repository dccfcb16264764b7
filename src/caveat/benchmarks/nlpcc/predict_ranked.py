"""Scores for the candidates of the tasks that rank them, one a line, as the tasks want them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from time import perf_counter

import msgspec

from caveat.answerers.ranking.combination import (
    Combination,
    Kind,
    combination_beside,
    distinct,
    embedded_combination,
)
from caveat.answerers.ranking.evidence import BY_RANKER, CandidateList, Evidence, PairScorer
from caveat.answerers.ranking.matching import Floats
from caveat.benchmarks.nlpcc.candidates import write_scores
from caveat.benchmarks.nlpcc.lists import read_sentence_lists, read_table_lists
from caveat.core.errors import InputError, UnknownNameError, UsageError
from caveat.core.files import PathLike
from caveat.language.script import Language, language_of
from caveat.models.embedded import embedded, find
from caveat.models.ranker import Ranker

__all__ = ["METHODS", "RANKED", "Scored", "predict_ranked", "ranked", "ranker_for", "read_lists"]

# The tasks, and the embedded model that fits each.
RANKED = {"nlpcc-dbqa": "rank-zh", "nlpcc-tbqa": "rank-en"}
# How candidates can be scored; those after the second need no ranker.
METHODS = ("combined", "ranker", "lexical", "bm25", "overlap")
_WITH_RANKER = METHODS[:2]

Found = tuple[CandidateList, Floats]
Through = Callable[[Iterable[Found]], Iterable[Found]]


class Scored(msgspec.Struct, frozen=True):
    """What a run did: `alone` counts questions with one candidate only, whose score says nothing."""

    task: str
    method: str
    model: str
    questions: int
    candidates: int
    alone: int
    seconds: float


def predict_ranked(
    task: str,
    data: PathLike,
    out: PathLike,
    *,
    tables: PathLike | None = None,
    method: str | None = None,
    model: PathLike | None = None,
    scorer: PairScorer | None = None,
    through: Through = iter,
) -> Scored:
    """Score every candidate of a data file, and write one score a line, no two of them alike.

    `method` is one of `METHODS`: by default the fitted combination of a ranker and lexical evidence where there is a
    ranker (`model`, the embedded one, or a `scorer` instead of both), else that of the lexical evidence alone.
    """
    if scorer is None:
        scorer = ranker_for(task, method, model)
    method = method or ("combined" if scorer else "lexical")
    begin = perf_counter()
    questions = alone = 0
    scores: dict[int, float] = {}
    for each, found in through(ranked(read_lists(task, data, tables), method, scorer)):
        questions += 1
        alone += len(found) == 1
        scores.update(zip(each.indices, found.tolist(), strict=True))
    if not scores:
        raise InputError("has no candidates, so there is nothing to score", path=data)
    write_scores(out, distinct([scores[place] for place in range(len(scores))]).tolist())
    name = scorer.card.name if isinstance(scorer, Ranker) else ""
    return Scored(task, method, name, questions, len(scores), alone, perf_counter() - begin)


def ranked(lists: Iterable[CandidateList], method: str, scorer: PairScorer | None = None) -> Iterator[Found]:
    """Every list with its scores by a method, in order, as a stream."""
    chosen: dict[tuple[Kind, Language], Combination] = {}
    for each, features in Evidence().of(lists, scorer):
        key = each.kind, language_of(each.question)
        if key not in chosen:
            chosen[key] = _combination(*key, method, scorer)
        yield each, chosen[key].scores(features)


def read_lists(task: str, data: PathLike, tables: PathLike | None = None) -> Iterator[CandidateList]:
    """The questions of a task's data file with their candidates."""
    if task == "nlpcc-tbqa":
        return read_table_lists(data, tables)
    if tables is not None:
        raise UsageError(f"The task {task} does not take --tables.")
    return read_sentence_lists(data)


def ranker_for(
    task: str, method: str | None, model: PathLike | None = None, *, threads: int | None = None
) -> Ranker | None:
    """The ranker that a method uses for a task: that of a model's folder, or the embedded one; None without any."""
    if task not in RANKED:
        raise UnknownNameError("task whose candidates are ranked", task, list(RANKED))
    if method is not None and method not in METHODS:
        raise UnknownNameError("method", method, list(METHODS))
    if method not in (None, *_WITH_RANKER):
        if model is not None:
            raise UsageError(f"The method {method} uses no model; leave one of the two out.")
        return None
    if model is not None:
        return Ranker.load(find(model), threads=threads)
    if RANKED[task] in embedded():
        return Ranker.load(embedded()[RANKED[task]], threads=threads)
    if method is not None:
        raise UsageError(
            f"The method {method} needs a ranker, and none came with this installation: --model names one."
        )
    return None


def _combination(kind: Kind, language: Language, method: str, scorer: PairScorer | None) -> Combination:
    if method == "lexical":
        return embedded_combination(language, kind)
    if method == "combined" and isinstance(scorer, Ranker):
        found = combination_beside(scorer.folder, kind)
        if found is not None:
            return found
    return Combination({BY_RANKER[0] if method in _WITH_RANKER else method: 1.0})
