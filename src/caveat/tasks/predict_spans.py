"""Taggers' predictions on the benchmarks whose answer is all spans of a text, in the benchmark's own layout."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import tee
from time import perf_counter
from typing import Any

from caveat.errors import UnknownNameError, UsageError
from caveat.formats.cmqa import CmqaSample
from caveat.formats.files import PathLike
from caveat.models import find
from caveat.runtime.tagger import Tagger
from caveat.structure.relations import RelationModel, model_beside, read_model
from caveat.structure.spans import spans_of, with_relations
from caveat.tasks.predict import Predicted
from caveat.tasks.span_tasks import SPAN_TASKS, Key

__all__ = ["predict_spans", "relations_of", "span_predictions"]

Found = tuple[Any, list[Key]]
Through = Callable[[Iterable[Found]], Iterable[Found]]


def predict_spans(
    task: str,
    data: PathLike,
    out: PathLike,
    *,
    models: Sequence[PathLike] = (),
    taggers: Sequence[Tagger] = (),
    relations: PathLike | None = None,
    through: Through = iter,
) -> Predicted:
    """Find the spans of every text of a data file and write them in the task's submission format, in the data's order.

    Several models find the kinds of span that each knows. CMQA's relations come from a fitted model: that of
    `relations`, or the one in a tagger's folder; without either there are none. `through` is handed what was found as
    it comes, for a progress bar; `taggers` are used instead of `models` where they are given.
    """
    if task not in SPAN_TASKS:
        raise UnknownNameError("task whose answer is all spans", task, list(SPAN_TASKS))
    benchmark = SPAN_TASKS[task]
    taggers = taggers or [Tagger.load(find(model)) for model in models or [benchmark.model]]
    relate = relations_of(taggers, relations) if task == "cmqa" else None
    if relations is not None and task != "cmqa":
        raise UsageError(f"The spans of {task} have no relations; only cmqa's have.")
    begin = perf_counter()
    questions = unanswered = 0

    def predictions() -> Iterator[tuple[Any, Any]]:
        nonlocal questions, unanswered
        for record, keys in through(span_predictions(task, benchmark.read(data), taggers)):
            questions += 1
            unanswered += not keys
            prediction = benchmark.prediction(record, keys)
            yield record, _related(prediction, relate) if relate else prediction

    benchmark.submit(out, predictions())
    names = "+".join(tagger.card.name for tagger in taggers)
    return Predicted(task, names, questions, unanswered, perf_counter() - begin)


def span_predictions(task: str, records: Iterable[Any], taggers: Sequence[Tagger]) -> Iterator[Found]:
    """Every record with the spans found in its text by all of the taggers, in order, as a stream."""
    benchmark = SPAN_TASKS[task]
    kinds = [kind for tagger in taggers for kind in tagger.kinds]
    if twice := sorted({kind for kind in kinds if kinds.count(kind) > 1}):
        raise UsageError(
            f"Two of the models find spans of the kind {twice[0]!r}; each kind is for one of them."
        )
    # Each tagger reads ahead as far as its queue is long; what the others have not had is kept that long.
    mine, *theirs = tee(records, len(taggers) + 1)
    results = [tagger.tag(map(benchmark.asked, copy)) for tagger, copy in zip(taggers, theirs, strict=True)]
    for record, *found in zip(mine, *results, strict=True):
        spans = [span for result in found for span in result.spans]
        spans.sort(key=lambda span: (span.start, -span.end))
        yield record, benchmark.found(record, spans)


def relations_of(taggers: Sequence[Tagger], path: PathLike | None = None) -> RelationModel | None:
    """The relation model of a file or, where none is given, the one that lies in a tagger's folder."""
    if path is not None:
        return read_model(path)
    return next(filter(None, (model_beside(tagger.folder) for tagger in taggers)), None)


def _related(sample: CmqaSample, model: RelationModel) -> CmqaSample:
    related = model.relate(sample.context, spans_of(sample), sample.question)
    return with_relations(sample, [each.pair for each in related])
