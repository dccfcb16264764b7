"""SQuAD 1.1 and 2.0; of 2.0, where some questions have no answer, its figures by threshold and average precision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from caveat.benchmarks.shared import extractive_metric
from caveat.benchmarks.shared.checks import (
    SHARED_RULES,
    Finding,
    FirstLines,
    IdLines,
    check_passage,
    with_places,
)
from caveat.benchmarks.shared.extractive_metric import overlap_f1
from caveat.benchmarks.shared.passage_task import passage_task
from caveat.benchmarks.shared.scores import Scored, read_probabilities
from caveat.benchmarks.squad.format import read_passages
from caveat.benchmarks.task import EvaluationOptions
from caveat.core.errors import CaveatError
from caveat.core.files import PathLike
from caveat.core.limits import checkpoint
from caveat.language.normalise import normalise_squad

Gold = Mapping[str, Sequence[str]]
Predicted = Mapping[str, str]
Probabilities = Mapping[str, float]


class Threshold(msgspec.Struct, frozen=True):
    """The best score any no-answer threshold gives (0–100), and that threshold."""

    score: float
    threshold: float


def score_answer(prediction: str, golds: Sequence[str]) -> tuple[float, float]:
    """Exact match and F1 (0–1): golds that normalise to nothing are passed over; if none is left, "" is right.

    Unlike SQuAD 1.1, two empty token lists have F1 1; "the" or "." therefore count as "no answer".
    """
    checkpoint()
    normal = normalise_squad(prediction)
    others = [other for gold in golds if (other := normalise_squad(gold))] or [""]
    if normal in others:
        return 1.0, 1.0
    tokens = normal.split()
    return 0.0, max(overlap_f1(tokens, other.split()) for other in others)


def score(
    gold: Gold, predicted: Predicted, probabilities: Probabilities | None = None, threshold: float = 1.0
) -> Scored:
    """Soundly: a missing prediction is wrong, for unanswerable questions too."""
    if probabilities is not None and (
        without := [id for id in predicted if id in gold and id not in probabilities]
    ):
        raise CaveatError(
            f"No no-answer probability for {len(without)} predicted questions, first {without[0]}."
        )
    return _score(gold, predicted, probabilities, threshold, best_threshold)


def score_official(
    gold: Gold, predicted: Predicted, probabilities: Probabilities | None = None, threshold: float = 1.0
) -> Scored:
    """As evaluate-v2.0.py, which leaves a missing id out of the totals and then dies on it in its breakdown."""
    for id in gold:
        if id not in predicted:
            raise CaveatError(
                f"The published scorer dies with a KeyError at question {id}, which has no prediction. "
                "Without --official it counts as wrong."
            )
        if probabilities is not None and id not in probabilities:
            raise CaveatError(
                f"The published scorer dies with a KeyError at question {id}, which has no no-answer probability."
            )
    return _score(gold, predicted, probabilities, threshold, best_threshold_official)


ThresholdSearch = Callable[[Gold, Predicted, Probabilities, Mapping[str, float]], Threshold]


def _score(
    gold: Gold,
    predicted: Predicted,
    probabilities: Probabilities | None,
    threshold: float,
    search: ThresholdSearch,
) -> Scored:
    raw = {id: score_answer(predicted[id], golds) for id, golds in gold.items() if id in predicted}
    final = {
        id: _no_answer(gold[id])
        if probabilities and probabilities[id] > threshold
        else pair  # strictly above
        for id, pair in raw.items()
    }
    # Answerable is what has gold answers; `is_impossible` and `plausible_answers` are never read.
    with_answer = [id for id, golds in gold.items() if golds]
    without = [id for id, golds in gold.items() if not golds]
    missing = tuple(id for id in gold if id not in predicted)
    scores: dict[str, Any] = {**_means(final, list(gold)), "missing": len(missing)}
    for name, ids in (("has_answer", with_answer), ("no_answer", without)):
        if ids:
            scores[name] = _means(final, ids)
    if probabilities is not None and gold:
        for index, name in enumerate(("exact_match", "f1")):
            best = search(gold, predicted, probabilities, {id: pair[index] for id, pair in raw.items()})
            scores[f"best_{name}"], scores[f"best_{name}_threshold"] = best.score, best.threshold
        scores["average_precision"] = {
            name: average_precision(gold, probabilities, {id: pair[index] for id, pair in raw.items()})
            for index, name in enumerate(("exact_match", "f1"))
        }
    details = tuple(
        {
            "id": id,
            "exact_match": 100 * final.get(id, (0.0, 0.0))[0],
            "f1": 100 * final.get(id, (0.0, 0.0))[1],
            "groups": ["has_answer" if golds else "no_answer"],
            "prediction": predicted.get(id),
            "gold": golds,
        }
        for id, golds in gold.items()
    )
    return Scored(scores, missing, tuple(id for id in predicted if id not in gold), details)


def _no_answer(golds: Sequence[str]) -> tuple[float, float]:
    value = 0.0 if golds else 1.0
    return value, value


def _means(final: Mapping[str, tuple[float, float]], ids: Sequence[str]) -> dict[str, Any]:
    pairs = [final.get(id, (0.0, 0.0)) for id in ids]
    total = len(pairs)
    return {
        "exact_match": 100.0 * sum(exact for exact, _ in pairs) / total if total else None,
        "f1": 100.0 * sum(f1 for _, f1 in pairs) / total if total else None,
        "total": total,
    }


def best_threshold(
    gold: Gold, predicted: Predicted, probabilities: Probabilities, raw: Mapping[str, float]
) -> Threshold:
    """The best threshold over all gold questions; equal probabilities move together; −1 means "answer nothing"."""
    current = float(sum(1 for id, golds in gold.items() if not golds and id in predicted))
    best, threshold = current, -1.0
    order = sorted(raw, key=lambda id: probabilities[id])
    for position, id in enumerate(order):
        current += raw[id] - (0.0 if gold[id] else 1.0)
        last = position + 1 == len(order) or probabilities[order[position + 1]] != probabilities[id]
        if last and current > best:
            best, threshold = current, probabilities[id]
    return Threshold(100.0 * best / len(gold), threshold)


def best_threshold_official(
    gold: Gold, predicted: Predicted, probabilities: Probabilities, raw: Mapping[str, float]
) -> Threshold:
    """The published search, with its quirks."""
    # Quirk: starts with all unanswerable questions of the data set, at threshold 0.0, which is not
    # "answer nothing" where some probability is exactly 0.
    current = float(sum(1 for golds in gold.values() if not golds))
    best, threshold = current, 0.0
    # Quirk: equal probabilities are not grouped, so the order of the probability file decides.
    for id in sorted(probabilities, key=lambda id: probabilities[id]):
        if id not in raw:
            continue
        if gold[id]:
            current += raw[id]
        elif predicted[id]:
            # Quirk: the raw string, not the normalised one: "the" is scored as right and costs 1 here.
            current -= 1
        if current > best:
            best, threshold = current, probabilities[id]
    return Threshold(100.0 * best / len(raw), threshold)


def average_precision(gold: Gold, probabilities: Probabilities, raw: Mapping[str, float]) -> float | None:
    """Step-wise average precision (0–100) as the threshold rises; points only where the probability changes."""
    answerable = sum(1 for golds in gold.values() if golds)
    if not answerable:
        return None
    order = sorted((id for id in probabilities if id in raw), key=lambda id: probabilities[id])
    right = area = previous = 0.0
    for position, id in enumerate(order):
        if gold[id]:
            right += raw[id]
        if position + 1 == len(order) or probabilities[id] != probabilities[order[position + 1]]:
            precision, recall = right / (position + 1), right / answerable
            area += precision * (recall - previous)
            previous = recall
    return 100.0 * area


RULES = SHARED_RULES


def check(data: PathLike) -> Iterator[Finding]:
    """The findings in a SQuAD file, 1.1 or 2.0."""
    ids: FirstLines[str] = FirstLines()
    for passage, places in with_places(read_passages(data), data, IdLines(data, "id")):
        yield from check_passage(passage, places, ids)


def _soundly(gold: Gold, predicted: Predicted, options: EvaluationOptions) -> Scored:
    return score(gold, predicted, _probabilities(options), options.na_threshold)


def _officially(gold: Gold, predicted: Predicted, options: EvaluationOptions) -> Scored:
    return score_official(gold, predicted, _probabilities(options), options.na_threshold)


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
    score=_soundly,
    score_official=_officially,
    score_answer=score_answer,
    check=check,
    model="reader-en",
    may_be_none=True,
    options=frozenset({"first", "na_prob", "na_threshold"}),
)
