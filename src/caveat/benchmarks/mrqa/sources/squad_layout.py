"""Subsets of the sub-domains that are passed around in SQuAD's layout, already filtered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from caveat.benchmarks.mrqa.sources.build import Drops, SourceContext, SourceQuestion
from caveat.benchmarks.mrqa.sources.json_records import Record
from caveat.benchmarks.shared.passage import gold_texts
from caveat.benchmarks.squad.format import from_layout

__all__ = ["squad_contexts"]


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
