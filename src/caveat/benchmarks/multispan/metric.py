"""MultiSpanQA: a set of answers against a set of answers, matched whole or in part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, SupportsIndex

import msgspec

from caveat.benchmarks.shared.scores import Scored, missing_and_unknown
from caveat.core.errors import CaveatError
from caveat.core.limits import checkpoint
from caveat.language.normalise import normalise_squad

Run = Callable[[str, str], int]

# difflib leaves frequent characters out of its search once the second string is this long.
_AUTOJUNK_LENGTH = 200


class _Checked(str):
    """A string at which difflib, whose time grows with the product of two lengths, may be stopped."""

    __slots__ = ()

    def __getitem__(self, at: SupportsIndex | slice) -> str:
        checkpoint()
        return super().__getitem__(at)


def longest_run(gold: str, predicted: str) -> int:
    """The length of the longest run of characters that two strings share."""
    if gold in predicted or predicted in gold:
        return min(len(gold), len(predicted))
    return SequenceMatcher(None, _Checked(gold), predicted, autojunk=False).find_longest_match().size


def longest_run_official(gold: str, predicted: str) -> int:
    """The length the published scorer finds, with difflib's default settings."""
    if len(predicted) < _AUTOJUNK_LENGTH:
        return longest_run(gold, predicted)
    # By default difflib leaves out the characters that make up more than about 1% of the prediction: it sees
    # a run only around a rarer character, or where both texts begin, and may miss the longest or every one.
    return SequenceMatcher(None, _Checked(gold), predicted).find_longest_match().size


def score(gold: Mapping[str, Sequence[str]], predicted: Mapping[str, Sequence[str]]) -> Scored:
    """The figures over all gold questions, a missing prediction counting as one wrong answer."""
    counts = {
        qid: _count(answers, predicted[qid], longest_run) if qid in predicted else _count_missing(answers)
        for qid, answers in gold.items()
    }
    return _scored(gold, predicted, counts)


def score_official(gold: Mapping[str, Sequence[str]], predicted: Mapping[str, Sequence[str]]) -> Scored:
    """The figures as the published scorer gives them."""
    missing, unknown = missing_and_unknown(gold, predicted)
    if missing or unknown:
        # The published script asserts that gold and predictions have the same ids.
        what = "has no prediction" if missing else "is predicted but is not in the gold file"
        raise CaveatError(
            f"The published scorer fails on these predictions: it wants exactly the questions of the gold "
            f"file, and {(missing or unknown)[0]!r} {what} ({len(missing)} missing, {len(unknown)} unknown)."
        )
    counts = {qid: _count(answers, predicted[qid], longest_run_official) for qid, answers in gold.items()}
    return _scored(gold, predicted, counts)


class _Counts(msgspec.Struct, frozen=True):
    gold: int
    predicted: int
    exact: float = 0
    partial_precision: float = 0
    partial_recall: float = 0


def _distinct(answers: Iterable[str]) -> list[str]:
    # A set in the published script; a list in the order given makes the sums the same each time.
    return list(dict.fromkeys(map(normalise_squad, answers)))


def _count(gold: Sequence[str], predicted: Sequence[str], run: Run) -> _Counts:
    golds, predictions = _distinct(gold), _distinct(predicted)
    # "No answer" counts as one answer on either side, and as a right one if both sides give none.
    exact = len(set(golds).intersection(predictions)) if golds or predictions else 1
    precision, recall = _partial(golds, predictions, run)
    return _Counts(max(len(golds), 1), max(len(predictions), 1), exact, precision, recall)


def _count_missing(gold: Sequence[str]) -> _Counts:
    # Silence is not the answer "there is none": it is wrong for a question without an answer, too.
    return _Counts(max(len(_distinct(gold)), 1), 1)


def _partial(golds: Sequence[str], predictions: Sequence[str], run: Run) -> tuple[float, float]:
    # A prediction of one text that normalises to nothing counts as "no answer" here, though not for the exact
    # match; against a gold that normalises to nothing it is right there and wrong here.
    nothing = not predictions or predictions == [""]
    if nothing or not golds:
        right = float(nothing and not golds)
        return right, right
    runs = [[run(gold, prediction) for prediction in predictions] for gold in golds]
    precision = recall = 0.0
    for prediction, column in zip(predictions, zip(*runs, strict=True), strict=True):
        precision += max(column) / len(prediction) if prediction else 0.0
    for gold, row in zip(golds, runs, strict=True):
        recall += max(row) / len(gold) if gold else 0.0
    return precision, recall


def _scored(
    gold: Mapping[str, Sequence[str]],
    predicted: Mapping[str, Sequence[str]],
    counts: Mapping[str, _Counts],
) -> Scored:
    missing, unknown = missing_and_unknown(gold, predicted)
    scores: dict[str, Any] = {
        **_figures(list(counts.values())),
        "total": len(counts),
        "missing": len(missing),
    }
    details = tuple(
        {"id": qid, **_figures([count]), "prediction": predicted.get(qid), "gold": gold[qid]}
        for qid, count in counts.items()
    )
    return Scored(scores, missing, unknown, details)


def _figures(counts: Sequence[_Counts]) -> dict[str, dict[str, float]]:
    gold = sum(count.gold for count in counts)
    predicted = sum(count.predicted for count in counts)
    exact = sum(count.exact for count in counts)
    partial_precision = sum(count.partial_precision for count in counts)
    partial_recall = sum(count.partial_recall for count in counts)
    return {
        "exact": _precision_recall_f1(exact, predicted, exact, gold),
        "partial": _precision_recall_f1(partial_precision, predicted, partial_recall, gold),
    }


def _precision_recall_f1(
    right_predicted: float, predicted: int, right_gold: float, gold: int
) -> dict[str, float]:
    precision = right_predicted / predicted if predicted else 0.0
    recall = right_gold / gold if gold else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {"precision": 100 * precision, "recall": 100 * recall, "f1": 100 * f1}
