"""HotpotQA: questions over two paragraphs; of the ten given only the gold ones, and no yes or no answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from caveat.benchmarks.formats import Drops
from caveat.benchmarks.mrqa.sources import multiqa
from caveat.benchmarks.mrqa.sources.build import MrqaSource, SourceContext, SourceQuestion, join_documents
from caveat.benchmarks.mrqa.sources.records import open_records
from caveat.core.errors import InputError
from caveat.core.files import PathLike

__all__ = ["SOURCE", "read"]


class _FactColumns(msgspec.Struct):
    title: list[str]


class _ContextColumns(msgspec.Struct):
    title: list[str]
    sentences: list[list[str]]


class _Question(msgspec.Struct):
    question: str
    answer: str
    # A list of [title, sentence number] in the published files, columns in the copies for `datasets`.
    supporting_facts: list[tuple[str, int]] | _FactColumns
    context: list[tuple[str, list[str]]] | _ContextColumns
    native_id: str | None = msgspec.field(name="_id", default=None)
    id: str | None = None


def read(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """One context a question: its gold paragraphs in the order in which they are given."""
    fields, records = open_records(path)
    if multiqa.is_multiqa(fields):
        yield from multiqa.contexts(records, "HotpotQA", drops, _gold_documents)
        return
    if missing := {"context", "answer", "supporting_facts"} - fields:
        names = " or ".join(f"`{name}`" for name in sorted(missing))
        raise InputError(f"has no {names}: expected HotpotQA's train or dev file", path=path)
    for record in records:
        question = record.to(_Question)
        qid = question.native_id or question.id or str(record.number)
        if question.answer.strip().lower() in ("yes", "no"):
            drops.add("yes or no answer", qid)
        elif text := _gold_paragraphs(question, qid, path):
            asked = SourceQuestion(qid, question.question, (question.answer,))
            yield SourceContext(text, (asked,), qid)
        else:
            drops.add("no gold paragraph in the context", qid)


def _gold_paragraphs(question: _Question, qid: str, path: PathLike) -> str:
    facts, context = question.supporting_facts, question.context
    gold = set(facts.title) if isinstance(facts, _FactColumns) else {title for title, _ in facts}
    if isinstance(context, _ContextColumns):
        if len(context.title) != len(context.sentences):
            raise InputError("expected as many titles as lists of sentences", path=path, id=qid)
        paragraphs = list(zip(context.title, context.sentences, strict=True))
    else:
        paragraphs = context
    # Sentences bring the blank before them along.
    return join_documents((title, ["".join(sentences)]) for title, sentences in paragraphs if title in gold)


def _gold_documents(
    documents: Sequence[multiqa.MultiqaDocument], questions: Sequence[multiqa.MultiqaQuestion]
) -> str:
    gold = {support.doc_id for question in questions for support in question.supporting_context}
    return multiqa.joined([d for number, d in enumerate(documents) if number in gold], questions)


SOURCE = MrqaSource(
    name="hotpotqa",
    dataset="HotpotQA",
    reads="HotpotQA's train or dev JSON, as published or in columns",
    read=read,
)
