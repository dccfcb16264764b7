"""NLPCC's figures: candidates ranked by score (DBQA, TBQA), and answer sets in their order (KBQA)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from caveat.benchmarks.nlpcc.candidates import CandidateGroup, groups, read_scores
from caveat.benchmarks.shared.scores import Scored, missing_and_unknown, percentage
from caveat.core.errors import CaveatError, InputError
from caveat.core.files import PathLike
from caveat.core.limits import checkpoint

Group = tuple[str, Sequence[bool]]
"""A question (its id or text) and, for each of its candidates in file order, whether it is right."""


def cuts(at: int | None = None) -> list[int]:
    """The ranks up to which accuracy is told: the first three, and another one where it is wanted."""
    return sorted({1, 2, 3, *(() if at is None else (at,))})


def reciprocal_rank(ranked: Sequence[bool]) -> float:
    """One over the rank of the first right candidate; 0 if none is right."""
    return next((1 / rank for rank, right in enumerate(ranked, start=1) if right), 0.0)


def average_precision(ranked: Sequence[bool]) -> float:
    """The mean of the precision at each right candidate's rank; 0 if none is right.

    The guideline divides by min(m, n), m candidates being right and n retrieved; every candidate is ranked
    here, so that is m.
    """
    found, total = 0, 0.0
    for rank, right in enumerate(ranked, start=1):
        if right:
            found += 1
            total += found / rank
    return total / found if found else 0.0


def hit_at(ranked: Sequence[bool], cut: int) -> float:
    """1 if one of the first `cut` candidates is right, else 0."""
    return float(any(ranked[:cut]))


def score(groups: Sequence[Group], predicted_scores: Sequence[float], at: int | None = None) -> Scored:
    """The figures with ties broken to the system's disadvantage: wrong candidates before right ones."""
    return _score(groups, predicted_scores, _wrong_first, at)


def score_official(
    groups: Sequence[Group], predicted_scores: Sequence[float], at: int | None = None
) -> Scored:
    """The figures with tied candidates in the order of the file.

    The published tool's order of ties is undefined and could not be reproduced; a stable sort is what a
    reader of the guideline would write.
    """
    return _score(groups, predicted_scores, _file_order, at)


def _wrong_first(labels: Sequence[bool], scores: Sequence[float]) -> list[bool]:
    order = sorted(range(len(labels)), key=lambda i: (-scores[i], labels[i]))
    return [labels[i] for i in order]


def _file_order(labels: Sequence[bool], scores: Sequence[float]) -> list[bool]:
    order = sorted(range(len(labels)), key=lambda i: -scores[i])
    return [labels[i] for i in order]


def _score(
    groups: Sequence[Group],
    predicted_scores: Sequence[float],
    rank: Callable[[Sequence[bool], Sequence[float]], list[bool]],
    at: int | None,
) -> Scored:
    candidates = sum(len(labels) for _, labels in groups)
    if candidates != len(predicted_scores):
        raise CaveatError(
            f"Every candidate needs one score: there are {candidates} candidates and "
            f"{len(predicted_scores)} scores."
        )
    rows: list[tuple[str, dict[str, float]]] = []
    tied_questions = start = 0
    for question, labels in groups:
        scores = predicted_scores[start : start + len(labels)]
        start += len(labels)
        tied_questions += _is_tied(labels, scores)
        # A question without a right candidate scores 0 and stays in the means.
        rows.append((question, _measures(rank(labels, scores), at)))
    figures: dict[str, Any] = {
        name: percentage([measures[name] for _, measures in rows]) for name in _measures([], at)
    }
    # A missing score cannot be told from a file that has slipped by a line: it is the error above.
    figures |= {"questions": len(groups), "tied_questions": tied_questions, "missing": 0}
    details = tuple(
        {"id": question, **{name: 100 * value for name, value in measures.items()}}
        for question, measures in rows
    )
    return Scored(figures, details=details)


def _measures(ranked: Sequence[bool], at: int | None) -> dict[str, float]:
    hits = {f"accuracy@{cut}": hit_at(ranked, cut) for cut in cuts(at)}
    return {"mrr": reciprocal_rank(ranked), "map": average_precision(ranked), **hits}


def _is_tied(labels: Sequence[bool], scores: Sequence[float]) -> bool:
    """Whether a right and a wrong candidate have the same score: only such ties can change a figure."""
    right = {score for label, score in zip(labels, scores, strict=True) if label}
    return any(score in right for label, score in zip(labels, scores, strict=True) if not label)


Ranker = Callable[[Sequence[Group], Sequence[float], int | None], Scored]


def score_ranked(
    pairs: Iterable[Any],
    gold: PathLike,
    pred: PathLike,
    first: int | None,
    rank: Ranker,
    at: int | None = None,
) -> Scored:
    """Group the candidates by question, wherever they stand in the file, and rank each group by its scores."""
    found: list[CandidateGroup[Any]] = list(groups(pairs))
    if not found:
        raise InputError("has no questions, so there is nothing to score", path=gold)
    scores = read_scores(pred, sum(len(group.pairs) for group in found))
    labelled: list[Group] = []
    ordered: list[float] = []
    for group in islice(found, first):
        labels = [pair.label for pair in group.pairs]
        if None in labels:
            raise InputError("the data has no labels (0/1), so there is nothing to score against", path=gold)
        labelled.append((group.question, [bool(label) for label in labels]))
        ordered += [scores[index] for index in group.indices]
    return rank(labelled, ordered, at)


def score_question(gold: Sequence[str], predicted: Sequence[str], at: int | None = None) -> dict[str, float]:
    """MRR, accuracy, accuracy@N and F1 of one question, on 0–1; N is 1, 2, 3 and, where it is given, `at`."""
    checkpoint()
    golds, answers = set(_distinct(gold)), _distinct(predicted)
    ranked = [answer in golds for answer in answers]
    right = sum(ranked)
    return {
        "mrr": reciprocal_rank(ranked),
        "accuracy": hit_at(ranked, len(ranked)),
        **{f"accuracy@{cut}": hit_at(ranked, cut) for cut in cuts(at)},
        "average_f1": 2 * right / (len(answers) + len(golds)) if right else 0.0,
    }


def score_answer_sets(
    gold: Mapping[str, Sequence[str]], predicted: Mapping[str, Sequence[str]], at: int | None = None
) -> Scored:
    """The figures over all gold questions, as the guideline has it: an unanswered question scores 0."""
    missing, unknown = missing_and_unknown(gold, predicted)
    rows = {qid: score_question(answers, predicted.get(qid, ()), at) for qid, answers in gold.items()}
    figures: dict[str, Any] = {
        name: percentage([row[name] for row in rows.values()]) for name in score_question((), (), at)
    }
    figures |= {"questions": len(rows), "missing": len(missing)}
    details = tuple(
        {
            "id": qid,
            **{name: 100 * value for name, value in row.items()},
            "prediction": predicted.get(qid),
            "gold": gold[qid],
        }
        for qid, row in rows.items()
    )
    return Scored(figures, missing, unknown, details)


def _distinct(answers: Iterable[str]) -> list[str]:
    """Trimmed, empty ones dropped, each once.

    The guideline writes |C ∩ A| / |C| of the answer *set* C: a repeated answer counts once, and where it is
    repeated it takes no rank either.
    """
    return list(dict.fromkeys(trimmed for answer in answers if (trimmed := answer.strip())))
