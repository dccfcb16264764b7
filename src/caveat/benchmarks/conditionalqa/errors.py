"""What predictions for ConditionalQA get wrong, and what another threshold for conditions would give.

The paper's authors read errors one by one (its Table 3); here answers and conditions decide, so that any prediction can
be analysed. For the threshold (Figure 2) and the best setting for conditional questions (Table 4) a prediction has the
scores of its conditions beside its answers: `"condition_scores": [[0.9, 0.2], …]`, a list for each answer.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from caveat.benchmarks.conditionalqa.format import ConditionalAnswer, ConditionalQuestion
from caveat.benchmarks.conditionalqa.metric import score
from caveat.benchmarks.shared.count_tables import Cell, Table, share
from caveat.benchmarks.task import Shown
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json
from caveat.language.normalise import normalise_squad

ERRORS = {
    "right": "answers and conditions are right",
    "answered": "the page does not answer, and an answer is given",
    "not_answered": "the page answers, and no answer is given",
    "answer_type": "yes or no where a span is wanted, or the other way round",
    "reversed": "yes for no, or no for yes",
    "wrong_span": "no answer has a word in common with a gold one",
    "partial_span": "some answer has words in common with a gold one, and none is a gold one",
    "answers_missing": "some gold answers are given, others not",
    "answers_surplus": "all gold answers are given, and others too",
    "conditions_missing": "the answers are right, and have none of their conditions",
    "conditions_surplus": "the answers are right, and have conditions where they need none",
    "conditions_other": "the answers are right, and some of their conditions are not",
}
"""The error of a question, the first that fits, with what it means."""

_STEPS = 20
_GROUPS = ("all", "yes/no", "extractive", "conditional")
Answers = Sequence[ConditionalAnswer]


class ScoredPrediction(msgspec.Struct, frozen=True):
    """A prediction with the scores of its conditions, if it has any: a list an answer."""

    id: str
    answers: tuple[ConditionalAnswer, ...] = ()
    condition_scores: tuple[tuple[float, ...], ...] | None = None


def read_scored(path: PathLike) -> dict[str, ScoredPrediction]:
    """Predictions by id, each with as many scores as conditions where it has scores."""
    found = {prediction.id: prediction for prediction in read_json(path, list[ScoredPrediction])}
    for prediction in found.values():
        scores = prediction.condition_scores
        wanted = [len(answer.conditions) for answer in prediction.answers]
        if scores is not None and [len(each) for each in scores] != wanted:
            raise InputError("condition_scores has not one score a condition", path=path, id=prediction.id)
    return found


class Threshold(msgspec.Struct, frozen=True):
    """What conditions with at least this score give: F1 with conditions (0–100) of all and of conditional questions."""

    threshold: float
    f1_with_conditions: float | None
    conditional_f1_with_conditions: float | None


class PredictionAnalysis(msgspec.Struct, frozen=True):
    """Errors by the kind of question, the curve over thresholds, and thresholds fitted on other pages."""

    questions: int
    missing: int
    errors: dict[str, dict[str, int]]
    shares: dict[str, dict[str, float | None]]
    curve: tuple[Threshold, ...] = ()
    # Scores with the threshold as it is, and with that which is best for conditional questions on the other pages.
    best_conditional: dict[str, dict[str, float | None]] = {}

    def shown(self) -> Shown:
        """Tables, and what could not be said."""
        tables = [_error_table(self)]
        if self.curve:
            rows: tuple[tuple[Cell, ...], ...] = tuple(msgspec.structs.astuple(one) for one in self.curve)
            columns = ("threshold", "F1 with conditions", "of conditional questions")
            tables.append(Table("By threshold for conditions", columns, rows))
            names = list(next(iter(self.best_conditional.values())))
            best = tuple((name, *figures.values()) for name, figures in self.best_conditional.items())
            tables.append(Table("Thresholds fitted on other pages", ("", *names), best))
        remarks = []
        if self.missing:
            remarks.append(f"no prediction for {self.missing:,} of the questions: nothing is answered there.")
        if not self.curve:
            remarks.append("without condition_scores in the predictions there is no curve over thresholds.")
        return Shown({}, tuple(tables), tuple(remarks))


def _error_table(found: PredictionAnalysis) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for error, means in ERRORS.items():
        cells = [
            cell for group in _GROUPS for cell in (found.errors[group][error], found.shares[group][error])
        ]
        rows.append((error.replace("_", " "), *cells, means))
    columns = [column for group in _GROUPS for column in (group, "%")]
    return Table("Questions by their error", ("", *columns, "that is"), tuple(rows))


def error_of(gold: Answers, predicted: Answers) -> str:
    """The error of a question, or `right`; texts are compared as the scorer normalises them."""
    if not gold or not predicted:
        return "right" if not gold and not predicted else "not_answered" if gold else "answered"
    wanted = {normalise_squad(answer.text): frozenset(answer.conditions) for answer in gold}
    given = {normalise_squad(answer.text): frozenset(answer.conditions) for answer in predicted}
    if common := wanted.keys() & given.keys():
        if wanted.keys() - common:
            return "answers_missing"
        if given.keys() - common or len(predicted) > len(gold):
            return "answers_surplus"
        return _condition_error([(wanted[text], given[text]) for text in common])
    verdicts = {"yes", "no"}
    if bool(verdicts & wanted.keys()) != bool(verdicts & given.keys()):
        return "answer_type"
    if verdicts & wanted.keys():
        return "reversed"
    words = {word for text in wanted for word in text.split()}
    return "partial_span" if any(words & set(text.split()) for text in given) else "wrong_span"


def _condition_error(pairs: Sequence[tuple[frozenset[str], frozenset[str]]]) -> str:
    wrong = [(wanted, given) for wanted, given in pairs if wanted != given]
    if not wrong:
        return "right"
    if all(not given for _, given in wrong):
        return "conditions_missing"
    return "conditions_surplus" if all(not wanted for wanted, _ in wrong) else "conditions_other"


def analyse_predictions(
    questions: Sequence[ConditionalQuestion], predicted: Mapping[str, ScoredPrediction]
) -> PredictionAnalysis:
    """All that is said of predictions; a question without one has no answer."""
    none = ScoredPrediction("")
    errors = {group: Counter[str]() for group in _GROUPS}
    for question in questions:
        error = error_of(question.answers, predicted.get(question.id, none).answers)
        for group in _groups(question):
            errors[group][error] += 1
    counted = {group: {error: found[error] for error in ERRORS} for group, found in errors.items()}
    scored = any(one.condition_scores is not None for one in predicted.values())
    return PredictionAnalysis(
        len(questions),
        sum(question.id not in predicted for question in questions),
        counted,
        {
            group: {error: share(number, sum(found.values())) for error, number in found.items()}
            for group, found in counted.items()
        },
        tuple(_at(questions, predicted, step / _STEPS) for step in range(_STEPS + 1)) if scored else (),
        _fitted(questions, predicted) if scored else {},
    )


def _groups(question: ConditionalQuestion) -> list[str]:
    groups = ["all"]
    if question.answers:
        verdict = any(answer.text in ("yes", "no") for answer in question.answers)
        groups.append("yes/no" if verdict else "extractive")
    if any(answer.conditions for answer in question.answers):
        groups.append("conditional")
    return groups


_Given = dict[str, list[tuple[str, Sequence[str]]]]


def _kept(predicted: Mapping[str, ScoredPrediction], threshold: float | Mapping[str, float]) -> _Given:
    """The predictions with the conditions that reach the threshold, one for all or one for each question."""
    kept: _Given = {}
    for id, one in predicted.items():
        least = threshold if isinstance(threshold, float) else threshold.get(id, 0.0)
        scores = one.condition_scores or [[1.0] * len(answer.conditions) for answer in one.answers]
        kept[id] = [
            (
                answer.text,
                [text for text, value in zip(answer.conditions, own, strict=True) if value >= least],
            )
            for answer, own in zip(one.answers, scores, strict=True)
        ]
    return kept


def _gold(questions: Sequence[ConditionalQuestion]) -> _Given:
    return {
        question.id: [(answer.text, answer.conditions) for answer in question.answers]
        for question in questions
    }


def _scores(
    questions: Sequence[ConditionalQuestion],
    predicted: Mapping[str, ScoredPrediction],
    threshold: float | Mapping[str, float],
) -> Any:
    return score(_gold(questions), _kept(predicted, threshold)).scores


def _at(
    questions: Sequence[ConditionalQuestion], predicted: Mapping[str, ScoredPrediction], threshold: float
) -> Threshold:
    scores = _scores(questions, predicted, threshold)
    total, conditional = scores["total"], scores["conditional"]
    return Threshold(
        threshold,
        total and total["f1_with_conditions"],
        conditional and conditional["f1_with_conditions"],
    )


def _fitted(
    questions: Sequence[ConditionalQuestion], predicted: Mapping[str, ScoredPrediction]
) -> dict[str, dict[str, float | None]]:
    """The scores with all conditions, and with thresholds that two halves of the pages fit for each other."""
    halves: tuple[list[ConditionalQuestion], list[ConditionalQuestion]] = ([], [])
    for question in questions:
        halves[zlib.crc32(question.url.encode()) % 2].append(question)
    thresholds: dict[str, float] = {}
    for fitted, reported in (halves, halves[::-1]):
        steps = [_at(fitted, predicted, step / _STEPS) for step in range(_STEPS + 1)] if fitted else []
        best = max(steps, key=lambda one: one.conditional_f1_with_conditions or 0.0, default=None)
        thresholds |= {question.id: best.threshold if best else 0.0 for question in reported}
    settings: dict[str, float | Mapping[str, float]] = {
        "conditions as predicted": 0.0,
        "best for conditional questions": thresholds,
    }
    return {
        name: {
            f"{group} {measure}".replace("_", " "): figures and figures[measure]
            for group in ("total", "conditional")
            for figures in [scores[group]]
            for measure in ("em_with_conditions", "f1_with_conditions")
        }
        for name, threshold in settings.items()
        for scores in [_scores(questions, predicted, threshold)]
    }
