"""DuoRC, ParaphraseRC: questions on one version of a film's plot, asked of another; the answerable ones.

Read from the published list of films, or from a subset in SQuAD's layout.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from caveat.benchmarks.formats import Drops
from caveat.benchmarks.mrqa.sources.build import MrqaSource, SourceContext, SourceQuestion
from caveat.benchmarks.mrqa.sources.records import open_records
from caveat.benchmarks.mrqa.sources.squad import squad_contexts
from caveat.core.errors import InputError
from caveat.core.files import PathLike

__all__ = ["SOURCE", "read"]


class _Question(msgspec.Struct):
    id: str
    question: str
    answers: list[str]
    no_answer: bool = False


class _Film(msgspec.Struct):
    id: str
    plot: str
    qa: list[_Question]


def read(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """One context a film, its plot."""
    fields, records = open_records(path)
    if "data" in fields:
        for record in records:
            yield from squad_contexts(record, drops)
        return
    if missing := {"plot", "qa"} - fields:
        names = " or ".join(f"`{name}`" for name in sorted(missing))
        raise InputError(f"has no {names}: expected DuoRC's list of films, or SQuAD's layout", path=path)
    for record in records:
        film = record.to(_Film)
        questions = []
        for question in film.qa:
            if question.no_answer or not any(answer.strip() for answer in question.answers):
                drops.add("unanswerable question", question.id)
            else:
                questions.append(SourceQuestion(question.id, question.question, tuple(question.answers)))
        yield SourceContext(film.plot, tuple(questions), film.id)


SOURCE = MrqaSource(
    name="duorc",
    dataset="DuoRC.ParaphraseRC",
    reads="DuoRC's ParaphraseRC JSON",
    read=read,
)
