"""NLPCC KBQA: an ordered list of answers against a set of gold answers, compared as whole strings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from caveat.benchmarks.nlpcc.ranked.metric import cuts, hit_at, reciprocal_rank
from caveat.benchmarks.shared.scores import Scored, missing_and_unknown, percentage
from caveat.core.limits import checkpoint


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


def score(
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
