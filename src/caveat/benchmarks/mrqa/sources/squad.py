"""SQuAD as it is: one context a paragraph, every annotator's answer; unanswerable questions are left out."""

from __future__ import annotations

from collections.abc import Iterator

from caveat.benchmarks.mrqa.sources import multiqa
from caveat.benchmarks.mrqa.sources.build import Drops, MrqaSource, SourceContext
from caveat.benchmarks.mrqa.sources.json_records import open_records
from caveat.benchmarks.mrqa.sources.squad_layout import squad_contexts
from caveat.core.errors import InputError
from caveat.core.files import PathLike

__all__ = ["SOURCE", "read"]


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


SOURCE = MrqaSource(
    name="mrqa-squad",
    dataset="SQuAD",
    reads="SQuAD 1.1 or 2.0 JSON",
    read=read,
)
