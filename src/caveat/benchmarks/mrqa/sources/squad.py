"""SQuAD as it is: one context a paragraph, every annotator's answer; unanswerable questions are left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caveat.benchmarks.formats import Drops
from caveat.benchmarks.mrqa.sources import multiqa
from caveat.benchmarks.mrqa.sources.build import MrqaSource, SourceContext, SourceQuestion
from caveat.benchmarks.mrqa.sources.records import Record, open_records
from caveat.benchmarks.shared.passage import gold_texts
from caveat.benchmarks.squad.format import from_layout
from caveat.core.errors import InputError
from caveat.core.files import PathLike

__all__ = ["SOURCE", "read", "squad_contexts"]


def read(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """The paragraphs of SQuAD 1.1 or 2.0, or of MultiQA's copy."""
    fields, records = open_records(path)
    if multiqa.is_multiqa(fields):
        yield from multiqa.contexts(records, "SQuAD", drops, multiqa.plain)
        return
    if "data" not in fields:
        raise InputError("expected SQuAD's layout, an object with `data`", path=path)
    for record in records:
        yield from squad_contexts(record, drops)


def squad_contexts(record: Record, drops: Drops) -> Iterator[SourceContext]:
    """The paragraphs of an object in SQuAD's layout with their answerable questions."""
    for passage in from_layout(record.to(dict[str, Any]), record.path).passages:
        questions = []
        for question in passage.questions:
            if question.answerable:
                questions.append(SourceQuestion(question.id, question.text, tuple(gold_texts(question))))
            else:
                drops.add("unanswerable question", question.id)
        yield SourceContext(passage.text, tuple(questions), passage.id)


SOURCE = MrqaSource(
    name="mrqa-squad",
    dataset="SQuAD",
    reads="SQuAD 1.1 or 2.0 JSON",
    read=read,
)
