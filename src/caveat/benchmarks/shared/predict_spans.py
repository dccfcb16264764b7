"""Taggers' predictions on the benchmarks whose answer is all spans of a text, in the benchmark's own layout."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import tee, zip_longest
from pathlib import Path
from time import perf_counter
from typing import Any

from caveat.answerers.documents.structure.relations import (
    RELATIONS,
    Relater,
    embedded_model,
    model_beside,
    read_model,
)
from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.cmqa.spans import related_sample
from caveat.benchmarks.shared.predict_readings import Predicted
from caveat.benchmarks.shared.span_finders import SpanFinder, load_finder
from caveat.benchmarks.shared.span_tasks import SPAN_TASKS, Key
from caveat.core.errors import CaveatError, InputError, UnknownNameError, UsageError
from caveat.core.files import PathLike

__all__ = ["given_spans", "predict_spans", "relations_of", "span_predictions"]

Found = tuple[Any, list[Key]]
Through = Callable[[Iterable[Found]], Iterable[Found]]


def predict_spans(
    task: str,
    data: PathLike,
    out: PathLike,
    *,
    models: Sequence[PathLike] = (),
    taggers: Sequence[SpanFinder] = (),
    spans: PathLike | None = None,
    relations: PathLike | None = None,
    threads: int | None = None,
    through: Through = iter,
) -> Predicted:
    """Find the spans of every text of a data file and write them in the task's submission format, in the data's order.

    Several models find the kinds of span that each knows; `spans` is a file in CMQA's layout that has them already.
    CMQA's relations come from `relations`, the file of a fitted model or the folder of a trained network, which uses so
    many `threads`; or from the model in a tagger's folder, for given spans the embedded one; without any there are
    none. `through` is handed what was found as it comes, for a progress bar; `taggers` are used instead of `models`
    where they are given.
    """
    if task not in SPAN_TASKS:
        raise UnknownNameError("task whose answer is all spans", task, list(SPAN_TASKS))
    benchmark = SPAN_TASKS[task]
    if relations is not None and task != "cmqa":
        raise UsageError(f"The spans of {task} have no relations; only cmqa's have.")
    if spans is not None:
        if task != "cmqa":
            raise UsageError(f"Given spans are there to be related, and those of {task} have no relations.")
        if models or taggers:
            raise UsageError("Spans are given or found: a file of them and a model do not go together.")
    else:
        taggers = taggers or [load_finder(task, model) for model in models or [benchmark.model]]
    relater = relations_of(taggers, relations, threads=threads) if task == "cmqa" else None
    begin = perf_counter()
    questions = unanswered = 0

    def predictions() -> Iterator[tuple[Any, Any]]:
        nonlocal questions, unanswered
        found = (
            span_predictions(task, benchmark.read(data), taggers)
            if spans is None
            else given_spans(data, spans)
        )
        for record, keys in through(found):
            questions += 1
            unanswered += not keys
            prediction = benchmark.prediction(record, keys)
            yield record, related_sample(relater, prediction) if relater else prediction

    benchmark.submit(out, predictions())
    names = "+".join(tagger.card.name for tagger in taggers) if spans is None else str(spans)
    return Predicted(task, names, questions, unanswered, perf_counter() - begin)


def span_predictions(task: str, records: Iterable[Any], taggers: Sequence[SpanFinder]) -> Iterator[Found]:
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


def given_spans(data: PathLike, spans: PathLike) -> Iterator[Found]:
    """Every sample of a CMQA file with the spans that the same line of another such file has, as a stream."""
    gold = SPAN_TASKS["cmqa"].gold
    for asked, given in zip_longest(cmqa.read(data), cmqa.read(spans)):
        if asked is None or given is None:
            many = "more" if asked is None else "fewer"
            raise InputError(
                f"has {many} samples than {data}, for each of which it has the spans", path=spans
            )
        (_, sample), (line, other) = asked, given
        if (sample.context, sample.question) != (other.context, other.question):
            raise InputError("is another context or question than in the data's line", path=spans, line=line)
        yield sample, sorted(gold(other), key=lambda key: (key[1], -key[2], key[0]))


def relations_of(
    taggers: Sequence[SpanFinder], path: PathLike | None = None, *, threads: int | None = None
) -> Relater | None:
    """The relation model of a file or a run's folder; where none is given the one that lies in a tagger's folder.

    Without a tagger it is the embedded one.
    """
    if path is None:
        if not taggers:
            return embedded_model()
        return next(filter(None, (model_beside(tagger.folder) for tagger in taggers)), None)
    folder = Path(path)
    if not folder.is_dir():
        return read_model(path)
    if (folder / RELATIONS).is_file():
        return read_model(folder / RELATIONS)
    try:
        from caveat.training.kinds.relations.network_relater import load_relater

        return load_relater(folder, threads=threads)
    except ModuleNotFoundError as error:
        raise CaveatError(
            f"The relation network in {folder} needs {error.name}: pip install 'caveat[train]'"
        ) from error
