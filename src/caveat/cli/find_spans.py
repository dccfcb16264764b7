"""`caveat predict` for the tasks whose answer is all spans: by taggers, or with the spans of a file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from caveat.benchmarks.shared.predict_readings import Predicted
from caveat.benchmarks.shared.predict_spans import predict_spans
from caveat.benchmarks.shared.span_finders import SpanFinder, load_finder
from caveat.benchmarks.shared.span_tasks import SPAN_TASKS
from caveat.cli.terminal import tracked
from caveat.core.errors import UsageError

__all__ = ["find_spans"]


def find_spans(
    task: str,
    data: str,
    out: str,
    *,
    models: Sequence[str],
    spans: str | None,
    relations: str | None,
    window: int | None,
    stride: int | None,
    threads: int | None,
    counting: bool,
) -> Predicted:
    """Write the predictions, with a progress bar where there is a terminal."""
    taggers: list[SpanFinder] = []
    if spans is None:
        taggers = [
            load_finder(task, name, window=window, stride=stride, threads=threads)
            for name in models or [SPAN_TASKS[task].model]
        ]
    elif models or window is not None or stride is not None:
        raise UsageError("With --spans nothing is tagged: --model, --window and --stride do not go with it.")
    elif data == spans == "-":
        raise UsageError("--data and --spans cannot both be standard input.")
    total = sum(1 for _ in SPAN_TASKS[task].read(data)) if counting else None
    with_ = taggers[0].card.name if taggers else f"the spans of {spans}"
    through = partial(tracked, description=f"{task} with {with_}", total=total, unit="questions")
    return predict_spans(
        task, data, out, taggers=taggers, spans=spans, relations=relations, threads=threads, through=through
    )
