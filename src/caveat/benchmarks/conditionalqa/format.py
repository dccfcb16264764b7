"""ConditionalQA: questions with a scenario on gov.uk pages, answers with the conditions they depend on.

An answer in the files is `[text, [condition, …]]`; conditions and evidences are whole HTML elements.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from caveat.benchmarks.registry import Format, records_of, records_to
from caveat.benchmarks.shared.checks import (
    Finding,
    FirstLines,
    IdLines,
    Place,
    duplicate_id,
    empty_question,
    quote,
    shared_rules,
)
from caveat.core.files import PathLike
from caveat.core.json_files import read_json, read_json_and_raw, write_json
from caveat.core.records import Document
from caveat.language.normalise import normalise_squad
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


RULES = {
    **shared_rules("duplicate-id", "empty-question", "answerability-contradiction"),
    "duplicate-condition": "An answer has the same condition twice.",
    "unknown-url": "No document has the question's url.",
    "evidence-not-element": "An evidence is not, to the letter, an element of the document.",
    "condition-not-element": "A condition is not, to the letter, an element of the document.",
    "answer-not-in-document": "An answer is neither yes nor no, nor, once normalised, within an element.",
    "duplicate-url": "Two documents have the same url.",
    "empty-element": "An element of a document has no text.",
    "unknown-tag": "An element of a document is no heading, paragraph, list item or table row.",
}

TAGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "p", "li", "tr"})

_NEED_DOCUMENTS = (
    "duplicate-url",
    "empty-element",
    "unknown-tag",
    "unknown-url",
    "evidence-not-element",
    "condition-not-element",
    "answer-not-in-document",
)
_TAG = re.compile(r"\s*<([a-zA-Z][a-zA-Z0-9]*)\b")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>")


class _Page:
    """A document's elements, and its text as answers are looked up in it."""

    def __init__(self, document: ConditionalDocument) -> None:
        self.elements = frozenset(document.contents)
        # A line end between elements: an answer is within one of them.
        self.text = "\n".join(normalise_squad(_text(element)) for element in document.contents)


def skipped_rules(documents: PathLike | None) -> list[str]:
    """The rules that cannot be applied without the documents."""
    return list(_NEED_DOCUMENTS) if documents is None else []


def check(data: PathLike, documents: PathLike | None = None) -> Iterator[Finding]:
    """The findings in the documents, if they are given, then those in the questions."""
    pages: dict[str, _Page] | None = None
    if documents is not None:
        found = read_documents(documents)
        yield from _check_documents(found, documents)
        pages = {document.url: _Page(document) for document in found}
    yield from _check_questions(read(data), data, pages)


def _check_documents(found: Sequence[ConditionalDocument], documents: PathLike) -> Iterator[Finding]:
    urls: FirstLines[str] = FirstLines()
    lines = IdLines(documents, "url")
    for document in found:
        place = Place(str(documents), lines.next(document.url), document.url)
        yield from duplicate_url(document, place, urls)
        yield from empty_element(document, place)
        yield from unknown_tag(document, place)


def _check_questions(
    questions: Sequence[ConditionalQuestion], data: PathLike, pages: dict[str, _Page] | None
) -> Iterator[Finding]:
    ids: FirstLines[str] = FirstLines()
    lines = IdLines(data, "id")
    # A test file has neither answers nor evidences: it leaves nothing to contradict.
    labelled = any(question.answers or question.evidences for question in questions)
    for question in questions:
        place = Place(str(data), lines.next(question.id), question.id)
        yield from duplicate_id(question.id, place, ids)
        yield from empty_question(question.question, place)
        if labelled:
            yield from answerability_contradiction(question, place)
        yield from duplicate_condition(question, place)
        if pages is None:
            continue
        page = pages.get(question.url)
        if page is None:
            yield from unknown_url(question, place)
            continue
        yield from evidence_not_element(question, page, place)
        yield from condition_not_element(question, page, place)
        yield from answer_not_in_document(question, page, place)


def duplicate_url(document: ConditionalDocument, place: Place, urls: FirstLines[str]) -> Iterator[Finding]:
    """A url that another document has."""
    if before := urls.see(document.url, place.line):
        yield place.finding("duplicate-url", f"another document has this url ({before})")


def empty_element(document: ConditionalDocument, place: Place) -> Iterator[Finding]:
    """An element without text."""
    for number, element in enumerate(document.contents, 1):
        if not _text(element).strip():
            yield place.finding("empty-element", f"element {number}, {quote(element)}, has no text")


def unknown_tag(document: ConditionalDocument, place: Place) -> Iterator[Finding]:
    """An element that is no heading, paragraph, list item or table row."""
    for number, element in enumerate(document.contents, 1):
        match = _TAG.match(element)
        if match is None:
            yield place.finding(
                "unknown-tag", f"element {number}, {quote(element)}, does not begin with a tag"
            )
        elif match[1].lower() not in TAGS:
            yield place.finding("unknown-tag", f"element {number} is a <{match[1]}>: {quote(element)}")


def answerability_contradiction(question: ConditionalQuestion, place: Place) -> Iterator[Finding]:
    """`not_answerable` that says the opposite of the answers."""
    if question.not_answerable and question.answers:
        answer = quote(question.answers[0].text)
        yield place.finding("answerability-contradiction", f"not_answerable, yet it has the answer {answer}")
    elif not question.not_answerable and not question.answers:
        yield place.finding("answerability-contradiction", "not marked not_answerable, yet it has no answer")


def duplicate_condition(question: ConditionalQuestion, place: Place) -> Iterator[Finding]:
    """A condition listed twice for one answer."""
    for answer in question.answers:
        for condition, times in Counter(answer.conditions).items():
            if times > 1:
                yield place.finding(
                    "duplicate-condition",
                    f"the answer {quote(answer.text)} has the condition {quote(condition)} {times} times",
                )


def unknown_url(question: ConditionalQuestion, place: Place) -> Iterator[Finding]:
    """A question on a page that is not among the documents."""
    yield place.finding("unknown-url", f"no document has the url {question.url}")


def evidence_not_element(question: ConditionalQuestion, page: _Page, place: Place) -> Iterator[Finding]:
    """Evidence that is not, to the letter, an element of the document."""
    for evidence in dict.fromkeys(question.evidences):
        if evidence not in page.elements:
            yield place.finding(
                "evidence-not-element", f"the evidence {quote(evidence)} is no element of the document"
            )


def condition_not_element(question: ConditionalQuestion, page: _Page, place: Place) -> Iterator[Finding]:
    """A condition that is not, to the letter, an element of the document, as the scores compare it."""
    listed = [condition for answer in question.answers for condition in answer.conditions]
    for condition in dict.fromkeys(listed):
        if condition not in page.elements:
            yield place.finding(
                "condition-not-element", f"the condition {quote(condition)} is no element of the document"
            )


def answer_not_in_document(question: ConditionalQuestion, page: _Page, place: Place) -> Iterator[Finding]:
    """An answer that is neither yes nor no, nor, once normalised, within an element of the document."""
    for answer in question.answers:
        if answer.text not in ("yes", "no") and normalise_squad(answer.text) not in page.text:
            yield place.finding(
                "answer-not-in-document", f"{quote(answer.text)} is neither yes nor no, nor in the document"
            )


def _text(element: str) -> str:
    return html.unescape(_MARKUP.sub(" ", element))
