"""Answer a benchmark's questions, in its submission format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from caveat.benchmarks.registry import TASKS, tasks_with
from caveat.benchmarks.shared.passage import TextQuestion
from caveat.benchmarks.shared.reading_prediction import SpanAnswer, submitted_text
from caveat.benchmarks.task import DataFiles, Predicted, Prediction, Through, named_models, options_for
from caveat.core.errors import UnknownNameError, UsageError
from caveat.core.files import PathLike
from caveat.core.spreading import Spread, here
from caveat.models.language_model.endpoint import is_endpoint


def predict(
    task: str,
    data: PathLike,
    out: PathLike,
    *,
    model: PathLike | Sequence[PathLike] | None = None,
    through: Through = iter,
    spread: Spread = here,
    **options: Any,
) -> Predicted:
    """Answer every question of a data file and write the predictions to `out`.

    `model` is a model's name or folder, or several where the task takes several; without one it is the embedded model
    that fits the task. The options are those of the task's prediction (`kb`, `documents`, `na_prob_out` …); what it
    does not take is refused. `through` is handed what was found as it comes, for a progress bar. `spread` is where the
    questions are answered, if not in this process; what is written is the same.
    """
    prediction = _prediction(task)
    if spread is not here:
        taken = prediction.options.__struct_fields__
        if "spread" not in taken:
            raise UsageError(f"The task {task} is answered in one process: it does not take --ray.")
        if any(map(is_endpoint, named_models(model))):
            raise UsageError(
                "A language model is asked by one process, which keeps its budget: --model openai:URL#NAME and --ray "
                "do not go together."
            )
        options["spread"] = spread
        if "threads" in taken and options.get("threads") is None:
            options["threads"] = 1  # others work beside it
    chosen = options_for(task, prediction.options, options, model)
    return prediction.run(data, out, chosen, through)


def questions_in(task: str, files: DataFiles) -> int:
    """How many questions a data file has for the prediction, by reading it."""
    _prediction(task)
    return sum(1 for _ in TASKS[task].read(files))


def read_asked(task: str, data: PathLike) -> Iterator[TextQuestion]:
    """The questions of a data file of a task whose answer is one span of a text."""
    yield from TASKS[task].read(DataFiles(data))


def submitted(task: str, prediction: SpanAnswer) -> str:
    """The text that goes into the task's submission for what a reader found."""
    return submitted_text(prediction, may_be_none=TASKS[task].may_be_none)


def _prediction(task: str) -> Prediction[Any]:
    found = TASKS[task].predict if task in TASKS else None
    if found is None:
        raise UnknownNameError("task with predictions", task, tasks_with("predict"))
    return found()
