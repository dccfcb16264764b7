"""ConditionalQA: questions with a scenario on gov.uk pages, answers with the conditions they depend on.

An answer in the files is `[text, [condition, …]]`; conditions and evidences are whole HTML elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from caveat.benchmarks.formats import Format, records_of, records_to
from caveat.core.files import PathLike
from caveat.core.json_files import read_json, read_json_and_raw, write_json
from caveat.core.records import Document
from caveat.sources.outline import Block, assemble


class ConditionalAnswer(msgspec.Struct, frozen=True, array_like=True):
    """An answer and what must hold for it; in JSON a list of the two, as the data has it."""

    text: str
    conditions: tuple[str, ...] = ()


class _Question(msgspec.Struct, frozen=True):
    id: str
    url: str
    scenario: str
    question: str
    not_answerable: bool = False
    answers: tuple[ConditionalAnswer, ...] = ()
    evidences: tuple[str, ...] = ()


class ConditionalQuestion(_Question, frozen=True):
    """A question on the page `url`, asked by someone in `scenario`; unanswerable ones have no answers."""

    extra: dict[str, Any] = {}


class _Document(msgspec.Struct, frozen=True):
    title: str
    url: str
    contents: tuple[str, ...]


class ConditionalDocument(_Document, frozen=True):
    """A page: its HTML elements, one string each."""

    extra: dict[str, Any] = {}


class ConditionalPrediction(msgspec.Struct, frozen=True):
    """A system's answers to one question; none for a question that it finds unanswerable."""

    id: str
    answers: tuple[ConditionalAnswer, ...] = ()


def read(path: PathLike) -> list[ConditionalQuestion]:
    """The questions; answers and evidences may be missing, as in test files."""
    questions, raw = read_json_and_raw(path, list[_Question])
    return [
        ConditionalQuestion(**msgspec.structs.asdict(question), extra=_rest(item, _Question))
        for question, item in zip(questions, raw, strict=True)
    ]


def read_documents(path: PathLike) -> list[ConditionalDocument]:
    """The pages."""
    documents, raw = read_json_and_raw(path, list[_Document])
    return [
        ConditionalDocument(**msgspec.structs.asdict(document), extra=_rest(item, _Document))
        for document, item in zip(documents, raw, strict=True)
    ]


def _rest(raw: dict[str, Any], known: type[msgspec.Struct]) -> dict[str, Any]:
    return {key: value for key, value in raw.items() if key not in known.__struct_fields__}


def read_predictions(path: PathLike) -> list[ConditionalPrediction]:
    """Predictions as the published scorer takes them: keys beside id and answers are passed over."""
    return read_json(path, list[ConditionalPrediction])


def write(path: PathLike, questions: Iterable[ConditionalQuestion]) -> None:
    """The questions as one JSON list."""
    write_json(path, [_layout(question) for question in questions])


def write_documents(path: PathLike, documents: Iterable[ConditionalDocument]) -> None:
    """The pages as one JSON list."""
    write_json(path, [_layout(document) for document in documents])


def write_predictions(path: PathLike, predictions: Iterable[ConditionalPrediction]) -> None:
    """Predictions as the published scorer takes them."""
    write_json(path, list(predictions))


def _layout(record: ConditionalQuestion | ConditionalDocument) -> dict[str, Any]:
    layout = msgspec.structs.asdict(record)
    extra: dict[str, Any] = layout.pop("extra")
    return layout | extra


_ELEMENT = re.compile(r"\s*<(\w+)[^>]*>(.*?)(?:</\1>)?\s*", re.DOTALL)


def page_document(page: ConditionalDocument) -> Document:
    """A page as a document, element by element; a string without a tag is a paragraph."""
    blocks = []
    for content in page.contents:
        found = _ELEMENT.fullmatch(content)
        tag, text = (found[1].lower(), found[2]) if found else ("p", content)
        blocks.append(Block(tag, 0, " ".join(text.split())))
    return assemble(blocks, title=page.title, url=page.url)


FORMATS = (
    Format(
        "conditionalqa",
        "ConditionalQA's questions",
        "questions",
        records_of(read),
        records_to(write),
        questions=True,
    ),
    Format(
        "conditionalqa-documents",
        "ConditionalQA's documents",
        "documents",
        records_of(read_documents),
        records_to(write_documents),
    ),
)
