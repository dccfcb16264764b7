"""What trained models of ConditionalQA's three families predict, each told by its card."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from caveat.benchmarks.conditionalqa.format import (
    ConditionalDocument,
    ConditionalPrediction,
    ConditionalQuestion,
    write_predictions,
)
from caveat.benchmarks.conditionalqa.predict import CONDITIONAL_TASK, questions_and_pages
from caveat.benchmarks.task import Predicted
from caveat.core.files import PathLike
from caveat.training.kinds.conditional.data import CARD, read_conditional_card

__all__ = ["holds_conditional_model", "predict", "predict_file"]


def holds_conditional_model(folder: Path) -> bool:
    """Whether a folder is a finished run of one of the families, or the model/ in it."""
    return (folder / CARD).is_file() or (folder / "model" / CARD).is_file()


def predict(
    folder: Path, questions: Sequence[ConditionalQuestion], documents: Sequence[ConditionalDocument]
) -> list[ConditionalPrediction]:
    """The predictions, in the order of the questions, of a finished run, or of the model/ in it."""
    folder = folder / "model" if (folder / "model" / CARD).is_file() else folder
    family = read_conditional_card(folder).recipe.family
    if family == "pipeline":
        from caveat.training.kinds.conditional.pipeline_method import predict_pipeline

        return predict_pipeline(folder, questions, documents)
    if family == "hops":
        from caveat.training.kinds.conditional.hops_method import predict_hops

        return predict_hops(folder, questions, documents)
    from caveat.training.kinds.conditional.fusion import predict_fusion

    return predict_fusion(folder, questions, documents)


def predict_file(folder: Path, data: PathLike, documents: PathLike, out: PathLike) -> Predicted:
    """Answer every question of a data file by a run's model and write the published prediction format."""
    begin = perf_counter()
    questions, pages = questions_and_pages(data, documents)
    found = predict(folder, questions, list(pages.values()))
    write_predictions(out, found)
    unanswered = sum(not each.answers for each in found)
    return Predicted(CONDITIONAL_TASK, str(folder), len(found), unanswered, perf_counter() - begin)
