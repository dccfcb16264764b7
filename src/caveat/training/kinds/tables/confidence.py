"""How probable it is that an interpretation is right, fitted to questions with known answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from caveat.answerers.tables.confidence import features, interpretations
from caveat.answerers.tables.prepared import PreparedTable
from caveat.answerers.tables.question import ParsedQuestion
from caveat.answerers.tables.selection import View
from caveat.answerers.tables.tokens import fold
from caveat.benchmarks.wikitablequestions.denotation import is_right as is_denoted
from caveat.core.errors import InputError
from caveat.language.quantities import parse_quantity
from caveat.models.calibration import expected_calibration_error
from caveat.models.log_odds import softmax
from caveat.models.logit import Logit
from caveat.training.fitting import Choice, fit_choices
from caveat.training.kinds.tables.data import TableQuestion, read_questions
from caveat.training.kinds.tables.recipe import TableData, TablesRecipe
from caveat.training.sampling import fold_of

__all__ = ["Figures", "fit_confidence", "is_right"]

Figures = dict[str, dict[str, Any]]


class Candidate(NamedTuple):
    """An interpretation: its answer, its features, and whether it is right; None where that cannot be told."""

    text: str
    features: dict[str, float]
    right: bool | None


class Sample(NamedTuple):
    """A question's interpretations, what tells its table from others, and what the question counts."""

    candidates: tuple[Candidate, ...]
    table: str
    weight: float


def fit_confidence(
    recipe: TablesRecipe, data_root: Path, note: Callable[[str], None]
) -> tuple[Logit, dict[str, Figures]]:
    """The weights, and the tables of figures by their titles; beside the new weights' figures stand the prior's."""

    def sampled(data: TableData) -> list[Sample]:
        samples = list(_samples(data, data_root))
        note(f"{data.path}: {len(samples):,} questions")
        return samples

    fitted_to = {data: sampled(data) for data in recipe.data}
    every = [sample for samples in fitted_to.values() for sample in samples]
    figures: dict[str, Figures] = {}
    if recipe.folds:
        fits = [
            _fit([sample for sample in every if fold_of(sample.table, recipe.folds) != fold], recipe)
            for fold in range(recipe.folds)
        ]
        for data, samples in fitted_to.items():
            held_out = [fits[fold_of(sample.table, recipe.folds)] for sample in samples]
            title = f"{data.path}, by cross-validation in {recipe.folds} parts"
            figures[title] = _compared(samples, recipe.prior, held_out)
    fitted = _fit(every, recipe)
    for data in recipe.measured:
        samples = sampled(data)
        figures[data.path] = _compared(samples, recipe.prior, [fitted] * len(samples))
    return fitted, figures


def _samples(data: TableData, root: Path) -> Iterator[Sample]:
    for table, questions in read_questions(data, root):
        prepared = PreparedTable(table)
        name = "\t".join((table.caption, *table.headers, *table.rows[0])) if table.rows else table.caption
        for question in questions:
            view = View(ParsedQuestion(question.text), prepared)
            candidates = tuple(
                Candidate(found.text, features(view, found), is_right(found.text, question))
                for found in interpretations(view)
            )
            yield Sample(candidates, name, data.weight)


def is_right(text: str, question: TableQuestion) -> bool | None:
    """Whether an answer is the right one; None if it has other cells beside the one that is known to be right."""
    if not question.open:
        return is_denoted(text.split("; "), question.answers) or is_denoted([text], question.answers)
    given, wanted = set(map(_value, text.split("; "))), set(map(_value, question.answers))
    return None if wanted < given else given == wanted


def _value(text: str) -> str | float:
    """What is compared: numbers by their value, whatever their unit and sign of currency, else the folded text."""
    found = parse_quantity(text)
    return round(found.value, 2) if found is not None else " ".join(fold(text).split())


def _fit(samples: Iterable[Sample], recipe: TablesRecipe) -> Logit:
    choices = [
        Choice([one.features for one in told], [bool(one.right) for one in told], sample.weight)
        for sample in samples
        if (told := [one for one in sample.candidates if one.right is not None])
    ]
    if not choices:
        raise InputError("No question of the data can be interpreted on its table.")
    return fit_choices(choices, recipe.l2, recipe.prior)


def _compared(samples: Sequence[Sample], prior: Logit, fitted: Sequence[Logit]) -> Figures:
    return {
        "prior": _figures(samples, [prior] * len(samples)),
        "fitted": _figures(samples, fitted),
    }


def _figures(samples: Sequence[Sample], logits: Sequence[Logit]) -> dict[str, Any]:
    """The log loss of what is right, or of none; for the most probable answer of each question how often it is right,
    how often it is more probable than not and then right, and the expected calibration error.
    """
    losses: list[float] = []
    best: list[tuple[float, bool]] = []
    reached = 0
    for sample, logit in zip(samples, logits, strict=True):
        told = [one for one in sample.candidates if one.right is not None]
        none, *shares = softmax(np.array([0.0, *(logit.score(one.features) for one in told)])).tolist()
        right = sum(share for share, one in zip(shares, told, strict=True) if one.right)
        reached += any(one.right for one in told)
        losses.append(-math.log(max(right if any(one.right for one in told) else none, 1e-12)))
        answers: dict[str, tuple[float, bool]] = {}
        for share, one in zip(shares, told, strict=True):
            answers[one.text] = answers.get(one.text, (0.0, False))[0] + share, bool(one.right)
        if answers:
            # Of answers that are equally probable the first, right or wrong.
            best.append(max(answers.values(), key=itemgetter(0)))
    answered = [right for probability, right in best if probability > 0.5]
    error = expected_calibration_error([one for one, _ in best], [right for _, right in best])
    whole = max(1, len(samples))
    return {
        "questions": len(samples),
        "log_loss": round(sum(losses) / whole, 4),
        "calibration_error": round(error, 4),
        "reached": 100 * reached / whole,
        "right": 100 * sum(right for _, right in best) / whole,
        "answered": 100 * len(answered) / whole,
        "answered_right": 100 * sum(answered) / max(1, len(answered)),
    }
