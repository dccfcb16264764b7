"""CMQA: conditions, coarse and fine answers in a medical text, and which belong together; one JSON a line.

Gold and predictions have the same layout. Spans are half-open. Whether a span's text stands at its offsets
is for the data checks to say: the scores compare offsets alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from caveat.benchmarks.registry import Bridge, Drops, Format, Records, SourceFiles, each_record, records_to
from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.core.files import PathLike
from caveat.core.json_files import convert, read_json_lines, write_json_lines


class LabelledSpan(msgspec.Struct, frozen=True):
    """A piece of the context, `context[start:end]`."""

    text: str
    start: int
    end: int


class SpanRelation(msgspec.Struct, frozen=True):
    """Two spans that belong together: a condition and its answer, or a coarse answer and a finer one."""

    head: LabelledSpan
    tail: LabelledSpan


class CmqaSample(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the file; keys that the layout does not define are in `extra`."""

    context: str
    question: str
    condition: tuple[LabelledSpan, ...] = ()
    coarse: tuple[LabelledSpan, ...] = ()
    fine: tuple[LabelledSpan, ...] = ()
    condition_coarse: tuple[SpanRelation, ...] = ()
    condition_fine: tuple[SpanRelation, ...] = ()
    coarse_fine: tuple[SpanRelation, ...] = ()
    extra: dict[str, Any] = {}


_Place = tuple[int, int]
_Span = tuple[str, _Place]
_Relation = tuple[tuple[str, str], tuple[_Place, _Place]]
Label = _Place | tuple[_Place, _Place]


class _Line(msgspec.Struct):
    context: str
    question: str
    condition: list[_Span] = []
    coarse: list[_Span] = []
    fine: list[_Span] = []
    condition_coarse: list[_Relation] = []
    coarse_fine: list[_Relation] = []
    condition_fine: list[_Relation] = []


def read(path: PathLike) -> Iterator[tuple[int, CmqaSample]]:
    """The samples with their line numbers, as a stream; a test file has no labels."""
    for number, raw in read_json_lines(path, dict[str, Any]):
        line = convert(raw, _Line, path=path, line=number)
        sample = CmqaSample(
            line.context,
            line.question,
            _spans(line.condition),
            _spans(line.coarse),
            _spans(line.fine),
            _relations(line.condition_coarse),
            _relations(line.condition_fine),
            _relations(line.coarse_fine),
            {key: value for key, value in raw.items() if key not in _Line.__struct_fields__},
        )
        yield number, sample


def _spans(raw: Iterable[_Span]) -> tuple[LabelledSpan, ...]:
    return tuple(LabelledSpan(text, start, end) for text, (start, end) in raw)


def _relations(raw: Iterable[_Relation]) -> tuple[SpanRelation, ...]:
    return tuple(
        SpanRelation(LabelledSpan(head, *head_place), LabelledSpan(tail, *tail_place))
        for (head, tail), (head_place, tail_place) in raw
    )


def write(path: PathLike, samples: Iterable[CmqaSample]) -> None:
    """One sample a line, in the order given."""
    write_json_lines(path, map(_layout, samples))


def _layout(sample: CmqaSample) -> dict[str, Any]:
    return {
        "context": sample.context,
        "question": sample.question,
        "condition": _span_layout(sample.condition),
        "coarse": _span_layout(sample.coarse),
        "fine": _span_layout(sample.fine),
        "condition_coarse": _relation_layout(sample.condition_coarse),
        "coarse_fine": _relation_layout(sample.coarse_fine),
        "condition_fine": _relation_layout(sample.condition_fine),
        **sample.extra,
    }


def _span_layout(spans: Sequence[LabelledSpan]) -> list[_Span]:
    return [(span.text, (span.start, span.end)) for span in spans]


def _relation_layout(relations: Sequence[SpanRelation]) -> list[_Relation]:
    return [
        ((head.text, tail.text), ((head.start, head.end), (tail.start, tail.end)))
        for head, tail in ((relation.head, relation.tail) for relation in relations)
    ]


def labels(sample: CmqaSample) -> dict[str, frozenset[Label]]:
    """What the scores compare, by the data's names: a span's offsets, or those of a relation's two spans."""
    spans = {"condition": sample.condition, "coarse": sample.coarse, "fine": sample.fine}
    relations = {
        "condition_coarse": sample.condition_coarse,
        "condition_fine": sample.condition_fine,
        "coarse_fine": sample.coarse_fine,
    }
    found: dict[str, frozenset[Label]] = {
        name: frozenset(map(_place, members)) for name, members in spans.items()
    }
    for name, pairs in relations.items():
        found[name] = frozenset((_place(pair.head), _place(pair.tail)) for pair in pairs)
    return found


def _place(span: LabelledSpan) -> _Place:
    return span.start, span.end


def to_passages(samples: Iterable[CmqaSample]) -> Iterator[Passage]:
    """CMQA samples as passages, one answer of several spans: the fine ones, or the coarse ones where there are none.

    Conditions and relations have no place in a passage; they stay with the question as `conditions`.
    """
    for number, sample in enumerate(samples):
        answers = sorted(sample.fine or sample.coarse, key=lambda span: (span.start, span.end))
        question = PassageQuestion(
            f"{number}",
            sample.question.strip(),
            (tuple(GoldSpan(span.text, span.start) for span in answers),) if answers else (),
            {"is_impossible": not answers, "conditions": [span.text for span in sample.condition]},
        )
        yield Passage(sample.context, (question,), id=f"{number}", article=number)


def _read_records(files: SourceFiles, drops: Drops) -> Records:
    return Records(sample for _, sample in read(files.data))


FORMATS = (Format("cmqa", "CMQA's JSON lines", "cmqa", _read_records, records_to(write), questions=True),)
BRIDGES: dict[tuple[str, str], Bridge] = {("cmqa", "passages"): each_record(to_passages)}
