"""CMQA's spans and the relations between them, in the data's own layout: by taggers, or with the spans of a file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec

from caveat.answerers.documents.answerer import DocumentAnswerer
from caveat.answerers.documents.structure.relations import (
    RELATIONS,
    Relater,
    embedded_model,
    model_beside,
    read_model,
)
from caveat.answerers.documents.structure.spans import KINDS, Kind, Pair, Span, in_order
from caveat.answerers.prompted.asking import ask_for_structure
from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.cmqa import metric as label_sets
from caveat.benchmarks.cmqa.format import CmqaSample, LabelledSpan, SpanRelation
from caveat.benchmarks.shared.prompted import PromptedPredicted
from caveat.benchmarks.shared.span_prediction import (
    TOGETHER,
    FoundSpans,
    Key,
    SpanTask,
    load_taggers,
    predict_spans,
    predicted_spans,
    span_predictions,
)
from caveat.benchmarks.task import ModelOptions, Predicted, Prediction, Through
from caveat.core.errors import CaveatError, InputError, UsageError
from caveat.core.files import PathLike
from caveat.core.loading import needs_extra, network_of
from caveat.core.spreading import Stream
from caveat.models.language_model.client import Client, client_among
from caveat.models.tagger import TaggedSpan, Tagger
from caveat.models.windowed_model import ReadRequest


def spans_of(sample: CmqaSample) -> list[Span]:
    """The spans of a sample from left to right."""
    return in_order(Span(kind, span.start, span.end) for kind in KINDS for span in getattr(sample, kind))


def with_relations(sample: CmqaSample, pairs: Iterable[Pair]) -> CmqaSample:
    """The sample with these relations in the place of its own."""
    found: dict[tuple[Kind, Kind], list[SpanRelation]] = {
        ("condition", "coarse"): [],
        ("condition", "fine"): [],
        ("coarse", "fine"): [],
    }
    for head, tail in pairs:
        found[head.kind, tail.kind].append(SpanRelation(_labelled(sample, head), _labelled(sample, tail)))
    condition_coarse, condition_fine, coarse_fine = map(tuple, found.values())
    return msgspec.structs.replace(
        sample, condition_coarse=condition_coarse, condition_fine=condition_fine, coarse_fine=coarse_fine
    )


def _labelled(sample: CmqaSample, span: Span) -> LabelledSpan:
    return LabelledSpan(sample.context[span.start : span.end], span.start, span.end)


def related_sample(relater: Relater, sample: CmqaSample) -> CmqaSample:
    """The sample with the relations that are found among its spans, in the place of its own."""
    related = relater.relate(sample.context, spans_of(sample), sample.question)
    return with_relations(sample, [each.pair for each in related])


class CmqaOptions(ModelOptions, frozen=True):
    """Several models find the kinds of span that each knows; `spans` is a file in CMQA's layout that has them already.

    `relations` is the file of a fitted relation model or the folder of a trained network; without it the relations
    come from the model in a tagger's folder, for given spans from the embedded one; without any there are none.
    """

    models: tuple[PathLike, ...] = ()
    relations: PathLike | None = None
    spans: PathLike | None = None


def _run(data: PathLike, out: PathLike, options: CmqaOptions, through: Through) -> Predicted:
    if options.spans is not None:
        given = (options.models or None, options.window, options.stride, options.budget)
        if any(each is not None for each in given):
            raise UsageError(
                "With --spans nothing is tagged: --model, --window and --stride do not go with it."
            )
        if str(data) == str(options.spans) == "-":
            raise UsageError("--data and --spans cannot both be standard input.")
        load = partial(relations_of, (), options.relations, threads=options.threads)
        predicted = options.spread(partial(_relating, load), given_spans(data, options.spans), TOGETHER)
        return predict_spans(SPANS, predicted, out, model=str(options.spans), through=through)
    others, client = client_among(options.models, options.budget)
    finding = partial(
        load_taggers,
        others or (SPANS.model,),
        window=options.window,
        stride=options.stride,
        threads=options.threads,
    )
    answerer = finding()
    if client is not None:
        return predict_prompted(data, out, answerer, client, relations=options.relations, through=through)
    names = "+".join(tagger.card.name for tagger in answerer.taggers)
    relating = partial(relations_of, path=options.relations, threads=options.threads)
    predicted = options.spread(partial(_predicting, finding, relating), SPANS.read(data), TOGETHER)
    return predict_spans(SPANS, predicted, out, model=names, through=through)


def _predicting(
    finding: Callable[[], DocumentAnswerer], relating: Callable[[Sequence[Tagger]], Relater | None]
) -> Stream:
    """Finds the spans of texts, and relates them."""
    answerer = finding()
    complete = _related(relating(answerer.taggers))
    return lambda records: predicted_spans(SPANS, span_predictions(SPANS, records, answerer), complete)


def _relating(load: Callable[[], Relater | None]) -> Stream:
    """Relates spans that are given."""
    complete = _related(load())
    return lambda found: predicted_spans(SPANS, found, complete)


def predict_prompted(
    data: PathLike,
    out: PathLike,
    answerer: DocumentAnswerer,
    client: Client,
    *,
    relations: PathLike | None = None,
    through: Through = iter,
) -> Predicted:
    """The spans and relations that a language model quotes; where it gives none, those of the taggers."""
    begin = perf_counter()
    samples = list(SPANS.read(data))
    asked = ((sample.question, sample.context) for sample in samples)
    said = list(through(ask_for_structure(client, asked)))
    left = [sample for sample, found in zip(samples, said, strict=True) if not (found and found.spans)]
    complete = _related(relations_of(answerer.taggers, relations))
    tagged = (complete(_prediction(*found)) for found in span_predictions(SPANS, left, answerer))
    predictions = [
        with_relations(
            _prediction(sample, [(span.kind, span.start, span.end) for span in found.spans]), found.pairs
        )
        if found and found.spans
        else next(tagged)
        for sample, found in zip(samples, said, strict=True)
    ]
    cmqa.write(out, predictions)
    unfound = sum(found.unfound for found in said if found is not None)
    closing = f"{client.closing} {unfound:,} quotations did not stand in the source and were left out."
    if left:
        closing += f" {len(left):,} samples were answered by the tagger."
    seconds = perf_counter() - begin
    return PromptedPredicted(SPANS.name, client.endpoint.name, len(samples), 0, seconds, closing)


def _related(relater: Relater | None) -> Callable[[CmqaSample], CmqaSample]:
    return lambda sample: related_sample(relater, sample) if relater else sample


def given_spans(data: PathLike, spans: PathLike) -> Iterator[FoundSpans]:
    """Every sample of a CMQA file with the spans that the same line of another such file has, as a stream."""
    for asked, given in zip_longest(cmqa.read(data), cmqa.read(spans)):
        if asked is None or given is None:
            many = "more" if asked is None else "fewer"
            raise InputError(
                f"has {many} samples than {data}, for each of which it has the spans", path=spans
            )
        (_, sample), (line, other) = asked, given
        if (sample.context, sample.question) != (other.context, other.question):
            raise InputError("is another context or question than in the data's line", path=spans, line=line)
        yield sample, sorted(_gold(other), key=lambda key: (key[1], -key[2], key[0]))


def relations_of(
    taggers: Sequence[Tagger], path: PathLike | None = None, *, threads: int | None = None
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
        network: Relater = network_of("relate-spans")(folder, threads=threads)
    except ModuleNotFoundError as error:
        raise CaveatError(needs_extra(f"The relation network in {folder}", error.name, "train")) from error
    return network


def _read(path: PathLike) -> Iterator[CmqaSample]:
    return (sample for _, sample in cmqa.read(path))


def _asked(sample: CmqaSample) -> ReadRequest:
    return ReadRequest(sample.question, sample.context)


def _gold(sample: CmqaSample) -> frozenset[Key]:
    return frozenset((kind, span.start, span.end) for kind in KINDS for span in getattr(sample, kind))


def _found(sample: CmqaSample, spans: Iterable[TaggedSpan]) -> list[Key]:
    return [(span.kind, span.start, span.end) for span in spans]


def _prediction(sample: CmqaSample, keys: Sequence[Key]) -> CmqaSample:
    """The sample with these spans in the place of its own, and without its relations."""
    found: dict[str, Any] = {
        kind: tuple(
            cmqa.LabelledSpan(sample.context[start:end], start, end)
            for of_kind, start, end in keys
            if of_kind == kind
        )
        for kind in KINDS
    }
    relations: dict[str, Any] = {"condition_coarse": (), "condition_fine": (), "coarse_fine": ()}
    return msgspec.structs.replace(sample, **found, **relations)


def _submit(path: PathLike, predictions: Iterable[tuple[CmqaSample, CmqaSample]]) -> None:
    cmqa.write(path, (prediction for _, prediction in predictions))


def _score(
    samples: Sequence[CmqaSample], found: Sequence[Sequence[Key]], kinds: Collection[str]
) -> dict[str, Any]:
    def labels(keys: Iterable[Key]) -> dict[str, set[tuple[int, int]]]:
        return {
            kind: {(s, e) for of_kind, s, e in keys if of_kind == kind} for kind in KINDS if kind in kinds
        }

    gold = {str(number): labels(_gold(sample)) for number, sample in enumerate(samples)}
    predicted = {str(number): labels(keys) for number, keys in enumerate(found)}
    scores = label_sets.score(gold, predicted).scores

    def figures(of: str) -> dict[str, Any]:
        return {name: scores[of][name] for name in ("exact_match", "f1")}

    return {
        **figures("all"),
        **{kind: figures(kind) for kind in KINDS if kind in kinds},
        "questions": len(samples),
    }


def _shown(scores: Mapping[str, Any]) -> str:
    def shown(f1: float | None) -> str:
        return "–" if f1 is None else f"{f1:.1f}"

    kinds = ", ".join(f"{kind} {shown(scores[kind]['f1'])}" for kind in KINDS if kind in scores)
    return f"F1 {shown(scores['f1'])} ({kinds}) on {scores['questions']:,} questions"


SPANS = SpanTask(
    name="cmqa",
    model="structure-zh",
    load=load_taggers,
    suffix=".jsonl",
    read=_read,
    write=cmqa.write,
    asked=_asked,
    gold=_gold,
    found=_found,
    prediction=_prediction,
    submit=_submit,
    score=_score,
    shown=_shown,
)
PREDICTION = Prediction(CmqaOptions, _run)
