"""What models score on a file of questions, and by that how exactly an adapted reader's weights are kept."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from caveat.benchmarks.evaluate import evaluate
from caveat.benchmarks.predict import predict
from caveat.core.script import Language
from caveat.models.card import Card, read_card

if TYPE_CHECKING:
    from caveat.training.export import Precision

__all__ = ["chosen_precision", "scored"]

# Points of F1 that int8 may lose: it is a quarter of the size and faster by half.
_MOST_LOST = 0.5


def scored(data: Path, models: Sequence[Path], language: Language) -> list[dict[str, float]]:
    """Exact match and F1 of each model on a file, by the file's own task."""
    task = _task_of(data, language, read_card(models[0]))
    return [_figures(task, data, model) for model in models]


def _task_of(data: Path, language: Language, card: Card) -> str:
    """The task of a file of questions, as an export of a reader tells it."""
    from caveat.training.adaptation.recipe import tuning_of
    from caveat.training.kinds.reader.data import read_passages
    from caveat.training.kinds.reader.export import task_of

    tuning = tuning_of(data, language, card)
    return task_of(tuning, list(read_passages(data, tuning.format)))


def _figures(task: str, data: Path, model: Path) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers.json"
        predict(task, data, answers, model=model)
        scores = evaluate(task, data, answers).scores
    exact = scores["exact_match"] if "exact_match" in scores else scores["exact"]
    return {"exact_match": float(exact), "f1": float(scores["f1"])}


def chosen_precision(f1: Mapping[Precision, float]) -> Precision:
    """int8, but for a model that loses by it what it has learnt, given the F1 of both on held-out questions.

    A run from an int8 model moves its weights by less than one of their steps, and rounding them again brings many of
    them back to where they were.
    """
    return "int8" if f1["fp32"] - f1["int8"] <= _MOST_LOST else "fp32"
