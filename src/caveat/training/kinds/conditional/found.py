"""From what a model found on a page, answers and the log-odds of conditions, to predictions; and from which odds on."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from caveat.benchmarks.conditionalqa.format import ConditionalAnswer, ConditionalPrediction
from caveat.training.kinds.conditional.data import Example, figures_of

__all__ = ["Found", "best_threshold", "predictions_of"]

# So many thresholds are tried.
_TRIED = 60


class Found(msgspec.Struct, frozen=True):
    """Answers, with what conditions the model gave them itself, and the log-odds that each element is one of theirs."""

    answers: tuple[ConditionalAnswer, ...] = ()
    odds: tuple[float, ...] = ()


def predictions_of(
    examples: Sequence[Example], found: Sequence[Found], threshold: float
) -> list[ConditionalPrediction]:
    """The answers in the task's layout, each with the elements above the threshold."""
    predictions = []
    for example, each in zip(examples, found, strict=True):
        contents = example.page.contents
        above = tuple(dict.fromkeys(contents[at] for at, odds in enumerate(each.odds) if odds > threshold))
        answers = tuple(
            ConditionalAnswer(answer.text, tuple(dict.fromkeys((*answer.conditions, *above))))
            for answer in each.answers
        )
        predictions.append(ConditionalPrediction(example.question.id, answers))
    return predictions


def best_threshold(examples: Sequence[Example], found: Sequence[Found]) -> float:
    """The threshold with the best F1 with conditions; of equally good ones the highest, with the fewest conditions."""
    odds = sorted({value for each in found if each.answers for value in each.odds}, reverse=True)
    if not odds:
        return 0.0
    # Most elements are no conditions: the steps are fine at the top and coarse below.
    places = np.unique(np.geomspace(1, len(odds), _TRIED).astype(int)) - 1
    tried = [odds[0] + 1.0, *((odds[at] + odds[min(at + 1, len(odds) - 1)]) / 2 for at in places)]
    questions = [example.question for example in examples]

    def worth(threshold: float) -> float:
        figures = figures_of(questions, predictions_of(examples, found, threshold))
        return float(figures["total"]["f1_with_conditions"])

    return max(tried, key=lambda threshold: (round(worth(threshold), 6), threshold))
