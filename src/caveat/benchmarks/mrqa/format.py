"""MRQA 2019's unified format: one context a line, tokenised, with every place of every answer.

Spans in the file are inclusive at both ends; here they are half-open, converted at this border.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, cast

import msgspec

from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import convert, decode, encode, read_json_lines, write_json_lines
from caveat.language.occurrences import Occurrence, Occurrences
from caveat.language.words import Token, words


class DetectedAnswer(msgspec.Struct, frozen=True):
    """A gold string and every place in the context that equals it once normalised."""

    text: str
    places: tuple[Occurrence, ...] = ()


class MrqaQuestion(msgspec.Struct, frozen=True):
    """A question; `answers` is what the scorer reads, `detected` what a model trains on."""

    qid: str
    question: str
    answers: tuple[str, ...]
    detected: tuple[DetectedAnswer, ...] = ()
    tokens: tuple[Token, ...] = ()
    extra: dict[str, Any] = {}


class MrqaContext(msgspec.Struct, frozen=True):
    """A line of the file: a context and the questions on it."""

    context: str
    questions: tuple[MrqaQuestion, ...]
    tokens: tuple[Token, ...] = ()
    extra: dict[str, Any] = {}


class MrqaHeader(msgspec.Struct, frozen=True):
    """The file's first line."""

    dataset: str = ""
    split: str = ""
    extra: dict[str, Any] = {}


class _Detected(msgspec.Struct):
    text: str
    char_spans: list[tuple[int, int]] = []
    token_spans: list[tuple[int, int]] = []


class _Qa(msgspec.Struct):
    qid: str
    question: str
    answers: list[str]
    question_tokens: list[Token] = []
    detected_answers: list[_Detected] = []


class _Line(msgspec.Struct):
    context: str
    qas: list[_Qa]
    context_tokens: list[Token] = []


def open_file(path: PathLike) -> tuple[MrqaHeader, Iterator[MrqaContext]]:
    """The header (empty where the file has none) and the contexts, as a stream."""
    items = (item for _, item in read_numbered(path))
    first = next(items, None)
    if isinstance(first, MrqaHeader):
        return first, cast("Iterator[MrqaContext]", items)
    rest = items if first is None else chain([first], items)
    return MrqaHeader(), cast("Iterator[MrqaContext]", rest)


def read(path: PathLike) -> Iterator[MrqaContext]:
    """The contexts, as a stream."""
    yield from open_file(path)[1]


def read_numbered(path: PathLike) -> Iterator[tuple[int, MrqaHeader | MrqaContext]]:
    """The header, where there is one, and the contexts, each with the number of its line."""
    for number, raw in read_json_lines(path, dict[str, Any]):
        if number == 1 and "header" in raw:
            header = convert(raw["header"], dict[str, Any], path=path, line=number)
            extra = {key: value for key, value in header.items() if key not in ("dataset", "split")}
            dataset, split = str(header.get("dataset", "")), str(header.get("split", ""))
            yield number, MrqaHeader(dataset, split, extra)
            continue
        yield number, _context(raw, path, number)


def _context(raw: dict[str, Any], path: PathLike, number: int) -> MrqaContext:
    line = convert(raw, _Line, path=path, line=number)
    known = {"qid", "question", "answers", "question_tokens", "detected_answers"}
    return MrqaContext(
        line.context,
        tuple(
            MrqaQuestion(
                qa.qid,
                qa.question,
                tuple(qa.answers),
                tuple(_detected(d, path, number, qa.qid) for d in qa.detected_answers),
                tuple(qa.question_tokens),
                {k: v for k, v in raw_qa.items() if k not in known},
            )
            for qa, raw_qa in zip(line.qas, raw["qas"], strict=True)
        ),
        tuple(line.context_tokens),
        {k: v for k, v in raw.items() if k not in ("context", "qas", "context_tokens")},
    )


def _detected(detected: _Detected, path: PathLike, line: int, qid: str) -> DetectedAnswer:
    if detected.token_spans and len(detected.token_spans) != len(detected.char_spans):
        raise InputError("expected as many token_spans as char_spans", path=path, line=line, id=qid)
    # Inclusive in the file: the end moves by one.
    tokens = detected.token_spans or [(-1, -2)] * len(detected.char_spans)
    return DetectedAnswer(
        detected.text,
        tuple(
            Occurrence(start, end + 1, first, last + 1)
            for (start, end), (first, last) in zip(detected.char_spans, tokens, strict=True)
        ),
    )


class _GoldQa(msgspec.Struct):
    qid: str
    answers: list[str]


class _GoldLine(msgspec.Struct):
    qas: list[_GoldQa] | None = None
    header: dict[str, Any] | None = None


def read_gold(path: PathLike) -> dict[str, list[str]]:
    """qid → gold strings, all that the scorer needs; a repeated qid counts once, its last line wins."""
    gold: dict[str, list[str]] = {}
    for number, line in read_json_lines(path, _GoldLine):
        if line.qas is None:
            if number == 1 and line.header is not None:
                continue
            raise InputError("object missing required field `qas`", path=path, line=number)
        for qa in line.qas:
            gold[qa.qid] = qa.answers
    return gold


def write(path: PathLike, header: MrqaHeader, contexts: Iterable[MrqaContext]) -> None:
    """Header and contexts as JSON lines; give the path the ending `.gz`, since MRQA's own scorer wants gzip."""

    def lines() -> Iterator[dict[str, Any]]:
        yield {"header": {"dataset": header.dataset, "split": header.split, **header.extra}}
        yield from map(_line, contexts)

    write_json_lines(path, lines())


def to_json_line(context: MrqaContext) -> str:
    """One context as a line of the file."""
    return encode(_line(context))


def _line(context: MrqaContext) -> dict[str, Any]:
    return {
        "id": "",
        **context.extra,
        "context": context.context,
        "qas": [
            {
                **question.extra,
                "qid": question.qid,
                "question": question.question,
                "question_tokens": question.tokens,
                "answers": question.answers,
                "detected_answers": [
                    {
                        "text": detected.text,
                        "char_spans": [(place.start, place.end - 1) for place in detected.places],
                        "token_spans": [(place.first, place.last - 1) for place in detected.places],
                    }
                    for detected in question.detected
                ],
            }
            for question in context.questions
        ],
        "context_tokens": context.tokens,
    }


def make_qid(dataset: str, id: str) -> str:
    """A qid as MRQA's are, 32 hexadecimal digits, the same each time for the same question."""
    return hashlib.md5(f"{dataset}\t{id}".encode()).hexdigest()


def build_question(
    dataset: str, id: str, question: str, answers: Iterable[str], occurrences: Occurrences, **extra: Any
) -> MrqaQuestion:
    """A question with every place of every answer that is in the context."""
    answers = tuple(answers)
    detected = []
    for answer in answers:
        if places := occurrences.of(answer):
            detected.append(DetectedAnswer(answer, tuple(places)))
    return MrqaQuestion(
        make_qid(dataset, id), question, answers, tuple(detected), tuple(words(question)), {"id": id, **extra}
    )


class AskedQuestion(msgspec.Struct, frozen=True):
    """A question and the id that its answer goes under."""

    qid: str
    question: str


class AskedContext(msgspec.Struct, frozen=True):
    """A context and the questions on it."""

    context: str
    qas: tuple[AskedQuestion, ...]


class _AskedLine(msgspec.Struct):
    context: str | None = None
    qas: tuple[AskedQuestion, ...] | None = None
    header: dict[str, Any] | None = None


def read_asked_contexts(path: PathLike) -> Iterator[AskedContext]:
    """The contexts of a file, as a stream; the header is passed over."""
    for number, line in read_json_lines(path, _AskedLine):
        if number == 1 and line.header is not None:
            continue
        yield _asked(line, path, number)


def decode_asked(data: bytes | str, *, path: PathLike) -> AskedContext:
    """One line of a file, wherever it came from; `path` names that in errors."""
    return _asked(decode(data, _AskedLine, path=path), path, None)


def _asked(line: _AskedLine, path: PathLike, number: int | None) -> AskedContext:
    if line.context is None or line.qas is None:
        missing = "context" if line.context is None else "qas"
        raise InputError(f"object missing required field `{missing}`", path=path, line=number)
    return AskedContext(line.context, line.qas)
