"""MultiQA's layout, in which some sub-domains are passed around: a header, then contexts with questions.

Two spellings exist: candidates that are `extractive` with a `single_answer`, and the other way round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from caveat.benchmarks.mrqa.sources import Record
from caveat.benchmarks.mrqa.sources.build import SourceContext, SourceQuestion, join_documents
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError


class MultiqaDocument(msgspec.Struct):
    """A document of a context; a search result may have a snippet and no text."""

    title: str = ""
    text: str = ""
    snippet: str = ""


class _Span(msgspec.Struct):
    answer: str
    aliases: list[str] = []


class _Extractive(msgspec.Struct):
    single_answer: _Span | None = None


class _Single(msgspec.Struct):
    extractive: _Span | None = None
    yesno: str | None = None


class _Candidate(msgspec.Struct):
    extractive: _Extractive | None = None
    single_answer: _Single | None = None


class _OpenEnded(msgspec.Struct):
    answer_candidates: list[_Candidate] = []
    annotators_answer_candidates: list[_Candidate] = []


class _Answers(msgspec.Struct):
    open_ended: _OpenEnded = msgspec.field(name="open-ended")


class _Support(msgspec.Struct):
    doc_id: int


class MultiqaQuestion(msgspec.Struct):
    """A question; `supporting_context` names the documents with the evidence (HotpotQA)."""

    qid: str
    question: str
    answers: _Answers
    supporting_context: list[_Support] = []


class _Context(msgspec.Struct):
    documents: list[MultiqaDocument]


class _Line(msgspec.Struct):
    id: str
    context: _Context
    qas: list[MultiqaQuestion]


class _Header(msgspec.Struct):
    dataset_name: str


class _HeaderLine(msgspec.Struct):
    header: _Header


# What a context's text is: its documents and, where only some of them count, its questions.
ContextText = Callable[[Sequence[MultiqaDocument], Sequence[MultiqaQuestion]], str]


def is_multiqa(fields: frozenset[str]) -> bool:
    """Whether a file's first record is a MultiQA header."""
    return fields == {"header"}


def lines(records: Iterable[Record], dataset: str) -> Iterator[Record]:
    """The records after the header, which must be that of `dataset`."""
    for record in records:
        if "header" not in record.fields():
            yield record
        elif (found := record.to(_HeaderLine).header.dataset_name).lower() != dataset.lower():
            raise InputError(f"the header says {found}, expected {dataset}", path=record.path)


def contexts(
    records: Iterable[Record], dataset: str, drops: Drops, context_text: ContextText
) -> Iterator[SourceContext]:
    """The contexts with the questions that have an extractive answer."""
    for record in lines(records, dataset):
        line = record.to(_Line)
        questions = tuple(_questions(line.qas, drops))
        yield SourceContext(context_text(line.context.documents, line.qas), questions, line.id)


def plain(documents: Sequence[MultiqaDocument], questions: Sequence[MultiqaQuestion]) -> str:
    """The text alone, for sub-domains whose contexts are one text without a title."""
    return "\n".join(document.text for document in documents)


def joined(documents: Sequence[MultiqaDocument], questions: Sequence[MultiqaQuestion]) -> str:
    """All documents that have a text or a snippet, each a paragraph."""
    texts = ((document.title, document.text or document.snippet) for document in documents)
    return join_documents((title, [text]) for title, text in texts if text.strip())


def native_id(qid: str) -> str:
    """The data set's own id within MultiQA's `SQuAD_q_56be…`."""
    return qid.partition("_q_")[2] or qid


def _questions(questions: Iterable[MultiqaQuestion], drops: Drops) -> Iterator[SourceQuestion]:
    for question in questions:
        qid = native_id(question.qid)
        given = question.answers.open_ended
        candidates = given.annotators_answer_candidates or given.answer_candidates
        spans = list(filter(None, map(_span, candidates)))
        if spans:
            answers = dict.fromkeys(text for span in spans for text in (span.answer, *span.aliases))
            yield SourceQuestion(qid, question.question, tuple(answers))
        elif any(candidate.single_answer and candidate.single_answer.yesno for candidate in candidates):
            drops.add("yes or no answer", qid)
        else:
            drops.add("unanswerable question", qid)


def _span(candidate: _Candidate) -> _Span | None:
    if candidate.extractive:
        return candidate.extractive.single_answer
    return candidate.single_answer.extractive if candidate.single_answer else None
