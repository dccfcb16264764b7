"""How well statements are judged: accuracy and macro-F1, beside the majority and the judgement by words alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from caveat.answerers.documents.conditions.judge import Judgement, judge
from caveat.models.judge import Verdict
from caveat.training.kinds.judge.data import Statement
from caveat.training.kinds.judge.judgements import Label

__all__ = ["LABELS", "figures_by_group", "most_probable", "scores_of"]

LABELS: tuple[Judgement, ...] = ("entailed", "contradicted", "open")


def most_probable(verdict: Verdict) -> Judgement:
    """The label of a verdict."""
    return LABELS[max(range(3), key=lambda at: verdict[at])]


def scores_of(gold: Sequence[Label], found: Sequence[Judgement]) -> dict[str, Any]:
    """Accuracy, macro-F1 over the labels that are in either, and the F1 of each, in per cent; None for the others."""
    pairs = Counter(zip(gold, found, strict=True))
    f1 = {}
    for label in LABELS:
        meant = sum(count for (wanted, _), count in pairs.items() if wanted == label)
        said = sum(count for (_, given), count in pairs.items() if given == label)
        if meant or said:
            f1[label] = 200 * pairs[label, label] / (meant + said)
    right = sum(pairs[label, label] for label in LABELS)
    return {
        "accuracy": 100 * right / max(1, len(gold)),
        "macro_f1": sum(f1.values()) / max(1, len(f1)),
        **{f"{label}_f1": f1.get(label) for label in LABELS},
        "questions": len(gold),
    }


def figures_by_group(
    groups: Sequence[tuple[str, Sequence[Statement]]], found: Sequence[Sequence[Judgement]]
) -> dict[str, Any]:
    """For each group its scores, those of always the commonest label, and of the scenario's words for conditions."""
    figures: dict[str, Any] = {}
    for (name, statements), labels in zip(groups, found, strict=True):
        if not statements:
            continue
        gold = [statement.label for statement in statements]
        commonest: Judgement = max(LABELS, key=gold.count)
        figures[name] = {**scores_of(gold, labels), **_floor("majority", gold, [commonest] * len(gold))}
        if statements[0].purpose == "condition":
            by_words = [judge(statement.scenario, statement.statement) for statement in statements]
            figures[name] |= _floor("by_words", gold, by_words)
    return figures


def _floor(name: str, gold: Sequence[Label], found: Sequence[Judgement]) -> dict[str, float]:
    scores = scores_of(gold, found)
    return {f"{name}_{figure}": scores[figure] for figure in ("accuracy", "macro_f1")}
