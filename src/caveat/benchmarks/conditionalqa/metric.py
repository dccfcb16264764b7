"""ConditionalQA: several answers a question, each with the conditions under which it holds.

What the published scorer computes, with an assignment where it tries every permutation (ten answers are
already out of its reach).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from caveat.benchmarks.shared.scores import Scored, missing_and_unknown, percentage
from caveat.core.errors import CaveatError
from caveat.core.limits import checkpoint, current_limits, over
from caveat.language.normalise import normalise_squad

Answers = Sequence[tuple[str, Sequence[str]]]
"""Answer texts, each with its conditions; an empty list says that there is no answer."""

QuestionScores = tuple[float, float, float, float]

GROUPS = ("total", "yesno", "extractive", "conditional")
_MEASURES = ("em", "em_with_conditions", "f1", "f1_with_conditions")
_WRONG: QuestionScores = (0.0, 0.0, 0.0, 0.0)


def score_question(gold: Answers, predicted: Answers) -> QuestionScores:
    """EM, EM with conditions, F1 and F1 with conditions of one question, on 0–1."""
    if not gold:
        # Only an empty list says "no answer": a single empty answer, [("", [])], does not.
        right = float(not predicted)
        return right, right, right, right
    # Too few answers are filled up with empty ones before they are counted, so that they cost nothing beyond
    # the golds they leave unmatched; an empty one even matches a gold that normalises to nothing.
    if min(len(gold), len(predicted)) > (most := current_limits().answers):
        raise over("answers", f"a question has more than {most:,} answers, gold and predicted")
    padded = [*predicted, *[("", ())] * (len(gold) - len(predicted))]
    golds = [_Prepared(text, conditions) for text, conditions in gold]
    predictions = [_Prepared(text, conditions) for text, conditions in padded]
    pairs = [[_score_pair(g, p) for p in predictions] for g in golds]
    penalty = math.exp(1.0 - len(padded) / len(gold))
    # Each measure takes its own best pairing: they need not be the same one.
    em, em_with_conditions, f1, f1_with_conditions = (
        best_sum([[pair[measure] for pair in row] for row in pairs]) / len(gold) * penalty
        for measure in range(len(_MEASURES))
    )
    return em, em_with_conditions, f1, f1_with_conditions


def score(gold: Mapping[str, Answers], predicted: Mapping[str, Answers]) -> Scored:
    """The figures over all gold questions, a missing prediction counting as wrong; an empty group is None."""
    per_question = {
        qid: score_question(answers, predicted[qid]) if qid in predicted else _WRONG
        for qid, answers in gold.items()
    }
    return _scored(gold, predicted, per_question)


def score_official(gold: Mapping[str, Answers], predicted: Mapping[str, Answers]) -> Scored:
    """The figures as the published scorer gives them, over the predicted questions alone."""
    # The published script sets a missing question's scores to zero but adds them up only in the branch where
    # there is a prediction: a missing question leaves every denominator.
    per_question = {
        qid: score_question(answers, predicted[qid]) for qid, answers in gold.items() if qid in predicted
    }
    result = _scored(gold, predicted, per_question)
    if empty := [group for group in GROUPS if result.scores[group] is None]:
        # The published script divides by zero here.
        raise CaveatError(
            f"The published scorer fails on these predictions: no predicted question is in the group "
            f"{empty[0]!r}, and it divides by that group's size."
        )
    return result


def floors(gold: Mapping[str, Answers]) -> dict[str, Scored]:
    """What three answers that know nothing of conditions score: the ground other figures stand on."""
    return {
        "always_yes": score(gold, {qid: [("yes", [])] for qid in gold}),
        "never_answer": score(gold, {qid: [] for qid in gold}),
        "gold_without_conditions": score(
            gold, {qid: [(text, []) for text, _ in answers] for qid, answers in gold.items()}
        ),
    }


class _Prepared:
    __slots__ = ("conditions", "length", "text", "tokens")

    def __init__(self, text: str, conditions: Iterable[str]) -> None:
        self.text = normalise_squad(text)
        tokens = self.text.split()
        self.tokens, self.length = Counter(tokens), len(tokens)
        # Raw strings, HTML tags included; repeated ones count once.
        self.conditions = frozenset(conditions)


def _score_pair(gold: _Prepared, predicted: _Prepared) -> QuestionScores:
    checkpoint()
    if gold.text == predicted.text:
        em = f1 = 1.0  # Two texts that normalise to nothing are equal too, as in SQuAD 2.0.
    else:
        em, f1 = 0.0, _token_f1(gold, predicted)
    if not f1:
        return _WRONG
    conditions = _condition_f1(gold.conditions, predicted.conditions)
    return em, em * conditions, f1, f1 * conditions


def _token_f1(gold: _Prepared, predicted: _Prepared) -> float:
    common = (gold.tokens & predicted.tokens).total()
    if not common:
        return 0.0
    precision, recall = common / predicted.length, common / gold.length
    return (2 * precision * recall) / (precision + recall)


def _condition_f1(gold: frozenset[str], predicted: frozenset[str]) -> float:
    if not gold:
        # A condition on an answer that has none costs the whole answer.
        return float(not predicted)
    correct = len(gold & predicted)
    if not correct:
        return 0.0
    return 2.0 / (1.0 / (correct / len(predicted)) + 1.0 / (correct / len(gold)))


def _groups(gold: Answers) -> list[str]:
    groups = ["total"]
    # The raw text decides: "Yes" is extractive. A question with both kinds of gold counts as yesno, and one
    # without an answer counts in the total alone.
    if any(text in ("yes", "no") for text, _ in gold):
        groups.append("yesno")
    elif gold:
        groups.append("extractive")
    if any(conditions for _, conditions in gold):
        groups.append("conditional")
    return groups


def _scored(
    gold: Mapping[str, Answers],
    predicted: Mapping[str, Answers],
    per_question: Mapping[str, QuestionScores],
) -> Scored:
    missing, unknown = missing_and_unknown(gold, predicted)
    groups = {qid: _groups(gold[qid]) for qid in per_question}
    scores: dict[str, Any] = {
        group: _aggregate([values for qid, values in per_question.items() if group in groups[qid]])
        for group in GROUPS
    }
    scores["missing"] = len(missing)
    return Scored(
        scores,
        missing,
        unknown,
        tuple(
            {
                "id": qid,
                **{measure: 100 * value for measure, value in zip(_MEASURES, values, strict=True)},
                "groups": groups[qid],
                "prediction": predicted.get(qid),
                "gold": gold[qid],
            }
            for qid, values in per_question.items()
        ),
    )


def _aggregate(members: Sequence[QuestionScores]) -> dict[str, Any] | None:
    if not members:
        return None
    figures = zip(_MEASURES, zip(*members, strict=True), strict=True)
    return {**{measure: percentage(values) for measure, values in figures}, "questions": len(members)}


def best_sum(scores: Sequence[Sequence[float]]) -> float:
    """The largest sum of a rectangular matrix's values with at most one from each row and each column.

    As many pairs are formed as the shorter side allows. Values are added in row order, as a search over the
    permutations of the columns adds them.
    """
    if not scores or not scores[0]:
        return 0.0
    if len(scores) == 1:
        return 0.0 + max(scores[0])
    if len(scores) <= len(scores[0]):
        column_of = _assign(scores)
        pairs = list(enumerate(column_of))
    else:
        row_of = _assign(list(zip(*scores, strict=True)))
        pairs = sorted((row, column) for column, row in enumerate(row_of))
    total = 0.0
    for row, column in pairs:
        # Not sum(): from Python 3.12 on it compensates rounding, which the published `+=` does not.
        total += scores[row][column]
    return total


def _assign(scores: Sequence[Sequence[float]]) -> list[int]:
    """The column of each row in a best assignment; needs as many columns as rows, or more.

    Kuhn's Hungarian method with shortest augmenting paths (Jonker and Volgenant 1987): rows enter one by one;
    each time, a Dijkstra search over the reduced costs finds the cheapest chain of re-assignments that ends
    in a free column. O(rows² · columns).
    """
    rows, columns = len(scores), len(scores[0])
    row_price = [0.0] * rows
    column_price = [0.0] * columns
    row_of = [-1] * columns
    for entering in range(rows):
        checkpoint()
        # From the rows reached so far, how cheaply each column can be reached, and from which column's row.
        distance = [float("inf")] * columns
        before = [-1] * columns
        open_columns = list(range(columns))
        reached: list[int] = []
        row, column, so_far = entering, -1, 0.0
        while True:
            values, price = scores[row], row_price[row]
            nearest, shortest = -1, float("inf")
            for candidate in open_columns:
                # A cost is a negated score.
                through = so_far - values[candidate] - price - column_price[candidate]
                if through < distance[candidate]:
                    distance[candidate] = through
                    before[candidate] = column
                if nearest < 0 or distance[candidate] < shortest:
                    nearest, shortest = candidate, distance[candidate]
            column, so_far = nearest, shortest
            if row_of[column] < 0:
                break
            open_columns.remove(column)
            reached.append(column)
            row = row_of[column]
        # Prices keep every reduced cost at zero or above, and at zero along the assignment.
        row_price[entering] += so_far
        for passed in reached:
            row_price[row_of[passed]] += so_far - distance[passed]
            column_price[passed] -= so_far - distance[passed]
        while column >= 0:
            previous = before[column]
            row_of[column] = row_of[previous] if previous >= 0 else entering
            column = previous
    column_of = [-1] * rows
    for column, row in enumerate(row_of):
        if row >= 0:
            column_of[row] = column
    return column_of
