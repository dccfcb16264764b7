"""How probable it is that an interpretation is right, fitted to questions with known answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from caveat.answerers.tables.confidence import features, interpretations
from caveat.answerers.tables.prepared import PreparedTable
from caveat.answerers.tables.question import ParsedQuestion
from caveat.answerers.tables.selection import View
from caveat.answerers.tables.tokens import fold
from caveat.core.errors import InputError
from caveat.language.quantities import parse_quantity
from caveat.models.calibration import expected_calibration_error, log_loss
from caveat.models.logit import Logit
from caveat.training.fitting import fit_logit
from caveat.training.kinds.tables.data import TableQuestion, read_questions
from caveat.training.kinds.tables.recipe import TableData, TablesRecipe
from caveat.training.sampling import fold_of

__all__ = ["Figures", "fit_confidence", "is_right"]

Figures = dict[str, dict[str, Any]]


class Candidate(NamedTuple):
    """An interpretation: its features, and whether its answer is right; None where that cannot be told."""

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
                Candidate(features(view, found), is_right(found.text, question))
                for found in interpretations(view)
            )
            yield Sample(candidates, name, data.weight)


def is_right(text: str, question: TableQuestion) -> bool | None:
    """Whether an answer is the right one; None if it has other cells beside the one that is known to be right."""
    given, wanted = set(map(_value, text.split("; "))), set(map(_value, question.answers))
    if question.open and wanted < given:
        return None
    return given == wanted


def _value(text: str) -> str | float:
    """What is compared: numbers by their value, whatever their unit and sign of currency, else the folded text."""
    found = parse_quantity(text)
    return round(found.value, 2) if found is not None else " ".join(fold(text).split())


def _fit(samples: Iterable[Sample], recipe: TablesRecipe) -> Logit:
    told = [
        (candidate.features, float(candidate.right), sample.weight)
        for sample in samples
        for candidate in sample.candidates
        if candidate.right is not None
    ]
    if not told:
        raise InputError("No question of the data can be interpreted on its table.")
    found, targets, counts = zip(*told, strict=True)
    return fit_logit(found, targets, counts, recipe.l2, recipe.prior)


def _compared(samples: Sequence[Sample], prior: Logit, fitted: Sequence[Logit]) -> Figures:
    return {
        "prior": _figures(samples, [prior] * len(samples)),
        "fitted": _figures(samples, fitted),
    }


def _figures(samples: Sequence[Sample], logits: Sequence[Logit]) -> dict[str, Any]:
    """The log loss of every interpretation; for the most probable of each question how often it is right, how often it
    is more probable than not and then right, and the expected calibration error.
    """
    every: list[tuple[float, bool]] = []
    best: list[tuple[float, bool]] = []
    for sample, logit in zip(samples, logits, strict=True):
        found = [(logit.probability(some.features), some.right) for some in sample.candidates]
        every += [(probability, right) for probability, right in found if right is not None]
        if found:
            probability, right = max(found, key=lambda pair: pair[0])
            if right is not None:
                best.append((probability, right))
    answered = [right for probability, right in best if probability > 0.5]
    loss = log_loss(*np.array(every, dtype=float).T) if every else 0.0
    error = expected_calibration_error([one for one, _ in best], [right for _, right in best])
    return {
        "questions": len(samples),
        "interpretations": len(every),
        "log_loss": round(loss, 4),
        "calibration_error": round(error, 4),
        "right": 100 * sum(right for _, right in best) / max(1, len(samples)),
        "answered": 100 * len(answered) / max(1, len(samples)),
        "answered_right": 100 * sum(answered) / max(1, len(answered)),
    }
