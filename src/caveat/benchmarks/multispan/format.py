"""MultiSpanQA: tokens labelled B, I and O, where all chunks together are the one answer to the question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Literal

import msgspec

from caveat.benchmarks.registry import Bridge, Drops, Format, Records, SourceFiles, each_record
from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json, read_json_and_raw, write_json
from caveat.language.words import words

Bio = Literal["B", "I", "O"]


class _Example(msgspec.Struct, frozen=True):
    id: str
    question: tuple[str, ...]
    context: tuple[str, ...]
    label: tuple[Bio, ...] | None = None


class MultiSpanExample(_Example, frozen=True):
    """A question and a context in tokens, a label for each token of the context (None in test files).

    What else the file knows (type, num_span, structure) is in `extra`.
    """

    extra: dict[str, Any] = {}


class _File(msgspec.Struct):
    data: list[_Example]


class MultiSpanFile(msgspec.Struct, frozen=True):
    """The examples of a file, and its top-level keys other than `data` (version)."""

    examples: tuple[MultiSpanExample, ...]
    extra: dict[str, Any] = {}


def read(path: PathLike) -> MultiSpanFile:
    """A whole file."""
    file, raw = read_json_and_raw(path, _File)
    examples = []
    for example, item in zip(file.data, raw["data"], strict=True):
        if example.label is not None and len(example.label) != len(example.context):
            problem = (
                f"expected a label for each of the {len(example.context)} tokens, got {len(example.label)}"
            )
            raise InputError(problem, path=path, id=example.id)
        extra = {key: value for key, value in item.items() if key not in _Example.__struct_fields__}
        examples.append(MultiSpanExample(**msgspec.structs.asdict(example), extra=extra))
    return MultiSpanFile(tuple(examples), {key: value for key, value in raw.items() if key != "data"})


def write(path: PathLike, examples: Iterable[MultiSpanExample], extra: dict[str, Any] | None = None) -> None:
    """The examples in MultiSpanQA's layout; `extra` gives the top-level keys."""
    data = [_layout(example, path) for example in examples]
    write_json(path, {**(extra or {"version": 1.0}), "data": data})


def _layout(example: MultiSpanExample, path: PathLike) -> dict[str, Any]:
    layout = msgspec.structs.asdict(example)
    if example.label is None:
        del layout["label"]
    elif len(example.label) != len(example.context):
        raise InputError("there must be a label for each token", path=path, id=example.id)
    extra: dict[str, Any] = layout.pop("extra")
    return layout | extra


def read_predictions(path: PathLike) -> dict[str, list[str]]:
    """Id → the texts that make up the answer."""
    return read_json(path, dict[str, list[str]])


def write_predictions(path: PathLike, predictions: Mapping[str, Sequence[str]]) -> None:
    """Id → the texts that make up the answer, as one JSON object."""
    write_json(path, {id: list(texts) for id, texts in predictions.items()})


def chunks(label: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The labelled chunks as token spans; one begins at B, or at an I that follows an O."""
    start: int | None = None
    for index, tag in enumerate(label):
        if start is not None and tag != "I":
            yield start, index
            start = None
        if tag == "B" or (tag == "I" and start is None):
            start = index
    if start is not None:
        yield start, len(label)


def answers(example: MultiSpanExample) -> list[str]:
    """The gold texts as the published scorer forms them: a chunk's tokens joined by one blank."""
    return [" ".join(example.context[first:last]) for first, last in chunks(example.label or ())]


# Lengths of the tokens, that a text joined by blanks can be cut again as it was.
_LENGTHS, _QUESTION_LENGTHS = "token_lengths", "question_token_lengths"


def to_passage(example: MultiSpanExample, number: int = 0) -> Passage:
    """Tokens joined by blanks, chunks as one answer of several spans; `number` is the example's place."""
    starts = [0]
    for token in example.context:
        starts.append(starts[-1] + len(token) + 1)
    spans = tuple(
        GoldSpan(" ".join(example.context[first:last]), starts[first])
        for first, last in chunks(example.label or ())
    )
    extra = {**example.extra, _QUESTION_LENGTHS: [len(token) for token in example.question]}
    if example.label is None:
        extra["answers"] = None
    question = PassageQuestion(example.id, " ".join(example.question), (spans,) if spans else (), extra)
    return Passage(
        " ".join(example.context),
        (question,),
        article=number,
        extra={_LENGTHS: [len(token) for token in example.context]},
    )


def from_passage(passage: Passage) -> Iterator[MultiSpanExample]:
    """Each question of a passage as an example, its first gold answer labelled.

    A passage that `to_passage` made gets its own tokens back. Other texts are cut into words; what stands
    between words, further alternatives and the passage's own extra keys have no place in this format.
    """
    tokens = _tokens(passage.text, passage.extra.get(_LENGTHS))
    context = tuple(token for token, _ in tokens)
    for question in passage.questions:
        extra = dict(question.extra)
        asked = _tokens(question.text, extra.pop(_QUESTION_LENGTHS, None))
        label: tuple[Bio, ...] | None = None
        if extra.get("answers", ()) is None:
            del extra["answers"]
        else:
            gold = question.answers[0] if question.answers else ()
            label = _label(tokens, [_locate(passage.text, span, question.id) for span in gold])
        yield MultiSpanExample(question.id, tuple(token for token, _ in asked), context, label, extra)


def _tokens(text: str, lengths: Any) -> list[tuple[str, int]]:
    if not _are_lengths(lengths) or sum(lengths) + max(len(lengths) - 1, 0) != len(text):
        return words(text)
    tokens, start = [], 0
    for length in lengths:
        tokens.append((text[start : start + length], start))
        start += length + 1
    return tokens


def _are_lengths(value: Any) -> bool:
    return isinstance(value, list) and all(type(length) is int and length >= 0 for length in value)


def _locate(text: str, span: GoldSpan, id: str) -> tuple[int, int]:
    """The span's offsets; where the data has none, or wrong ones, those of the occurrence nearest to them."""
    wanted = span.start or 0
    places = [] if not span.text else _places(text, span.text)
    if not places:
        raise InputError(f"the answer {span.text[:80]!r} does not stand in the passage", id=id)
    start = min(places, key=lambda place: abs(place - wanted))
    return start, start + len(span.text)


def _places(text: str, wanted: str) -> list[int]:
    places, at = [], text.find(wanted)
    while at >= 0:
        places.append(at)
        at = text.find(wanted, at + 1)
    return places


def _label(tokens: Sequence[tuple[str, int]], spans: Iterable[tuple[int, int]]) -> tuple[Bio, ...]:
    """B and I on the tokens that share a character with a span."""
    label: list[Bio] = ["O"] * len(tokens)
    for start, end in sorted(spans):
        inside = [i for i, (token, at) in enumerate(tokens) if at < end and at + len(token) > start]
        for index in inside:
            label[index] = "B" if index == inside[0] else "I"
    return tuple(label)


def _read_records(files: SourceFiles, drops: Drops) -> Records:
    file = read(files.data)
    return Records(file.examples, file.extra)


def _write_records(path: PathLike, records: Records) -> None:
    write(path, records.items, records.extra)


FORMATS = (
    Format(
        "multispan",
        "MultiSpanQA's tokens with B/I/O labels",
        "multispan",
        _read_records,
        _write_records,
        questions=True,
    ),
)
BRIDGES: dict[tuple[str, str], Bridge] = {
    ("passages", "multispan"): each_record(
        lambda passages: (example for passage in passages for example in from_passage(passage))
    ),
    ("multispan", "passages"): each_record(lambda examples: map(to_passage, examples, count())),
}
