"""Exact match and token F1 of SQuAD 1.1 and MRQA 2019, over the best of several gold answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from caveat.benchmarks.shared.scores import Scored
from caveat.core.errors import CaveatError
from caveat.core.limits import checkpoint
from caveat.language.normalise import normalise_squad

Golds = Sequence[str]
AnswerScorer = Callable[[str, Golds], tuple[float, float]]


def overlap_f1(predicted: list[str], gold: list[str]) -> float:
    """F1 of two bags of tokens; 0 where nothing is shared, so also where both are empty."""
    if not predicted or not gold:
        return 0.0
    if predicted == gold:
        return 1.0
    if len(gold) <= 16:
        # For short answers crossing tokens off a list is several times faster than two Counters.
        left = gold.copy()
        shared = 0
        for token in predicted:
            if token in left:
                left.remove(token)
                shared += 1
    else:
        shared = (Counter(predicted) & Counter(gold)).total()
    if not shared:
        return 0.0
    # Written as published, so that the last bit agrees.
    precision = 1.0 * shared / len(predicted)
    recall = 1.0 * shared / len(gold)
    return (2 * precision * recall) / (precision + recall)


def score_answer(prediction: str, golds: Golds) -> tuple[float, float]:
    """Exact match and F1 (0–1); F1 is never below exact match, and no gold at all means "no answer"."""
    exact, f1 = score_answer_official(prediction, golds or ("",))
    return exact, max(exact, f1)


def score_answer_official(prediction: str, golds: Golds) -> tuple[float, float]:
    """Exact match and F1 (0–1) as published: each the maximum over the golds, independently of the other.

    Quirk: two strings that both normalise to nothing ("the" and ".") have exact match 1 and F1 0.
    """
    normal = normalise_squad(prediction)
    tokens = normal.split()
    exact = best = 0.0
    for gold in set(golds):
        other = normalise_squad(gold)
        if other == normal:
            exact = 1.0
            if tokens:
                return 1.0, 1.0
        elif best < 1.0:
            best = max(best, overlap_f1(tokens, other.split()))
    return exact, best


def score(gold: Mapping[str, Golds], predicted: Mapping[str, str]) -> Scored:
    """Soundly: a missing prediction is wrong."""
    return score_with(gold, predicted, score_answer)


def score_official(gold: Mapping[str, Golds], predicted: Mapping[str, str]) -> Scored:
    """As the published scripts: a missing prediction counts 0; a question without a gold answer stops them."""
    need_golds(gold)
    return score_with(gold, predicted, score_answer_official)


def score_official_skipping(gold: Mapping[str, Golds], predicted: Mapping[str, str]) -> Scored:
    """As MRQA's script with `--skip-no-answer`: missing predictions leave the denominator."""
    need_golds(gold)
    if not (kept := {id: golds for id, golds in gold.items() if id in predicted}):
        raise CaveatError(
            "The published scorer divides by zero here: none of the gold questions has a prediction."
        )
    return score_with(kept, predicted, score_answer_official)


def need_golds(gold: Mapping[str, Golds]) -> None:
    """Stop where the published scripts stop: at a question without a gold answer."""
    for id, golds in gold.items():
        if not golds:
            raise CaveatError(
                f"The published scorer stops at question {id}, which has no gold answer (the maximum of nothing)."
            )


def score_with(gold: Mapping[str, Golds], predicted: Mapping[str, str], answer: AnswerScorer) -> Scored:
    """Mean scores over all gold questions, in the file's order, with 0 for a missing prediction."""
    details: list[dict[str, Any]] = []
    missing = []
    exact_sum = f1_sum = 0.0
    for id, golds in gold.items():
        checkpoint()
        prediction = predicted.get(id)
        exact = f1 = 0.0
        if prediction is None:
            missing.append(id)
        else:
            exact, f1 = answer(prediction, golds)
            exact_sum += exact
            f1_sum += f1
        details.append(
            {"id": id, "exact_match": 100 * exact, "f1": 100 * f1, "prediction": prediction, "gold": golds}
        )
    total = len(gold)
    scores = {
        "exact_match": 100.0 * exact_sum / total if total else None,
        "f1": 100.0 * f1_sum / total if total else None,
        "total": total,
        "missing": len(missing),
    }
    return Scored(scores, tuple(missing), tuple(id for id in predicted if id not in gold), tuple(details))
