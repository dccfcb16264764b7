"""RelationExtraction (Levy et al. 2017): slot filling as questions, one sentence a context, positives only.

Read from the zero-shot splits (tab-separated: relation, question template, subject, sentence, answers …), one
file or the folder of them, or from a subset in SQuAD's layout.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, groupby
from pathlib import Path

from caveat.benchmarks.formats import Drops
from caveat.benchmarks.mrqa.sources.build import MrqaSource, SourceContext, SourceQuestion
from caveat.benchmarks.mrqa.sources.records import is_collection, members, records_in
from caveat.benchmarks.mrqa.sources.squad import squad_contexts
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_lines

__all__ = ["SOURCE", "read"]

NEGATIVE = "negative example"
SUBJECT = "XXX"


def read(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """The sentences with the questions they answer, templates filled."""
    if not is_collection(path):
        yield from _contexts(read_lines(path), path, Path(path).name.removesuffix(".gz"), drops)
        return
    found = False
    for member in members(path):
        found = True
        lines = enumerate((line.removesuffix("\r") for line in member.data.decode().split("\n")), start=1)
        yield from _contexts(lines, member.path, member.name, drops)
    if not found:
        raise InputError("has no files: expected the tab-separated relation splits", path=path)


def _contexts(
    lines: Iterator[tuple[int, str]], path: PathLike, name: str, drops: Drops
) -> Iterator[SourceContext]:
    first = next(lines, None)
    if first is None:
        return
    lines = chain([first], lines)
    if first[1].lstrip().startswith("{"):
        for record in records_in(lines, path)[1]:
            yield from squad_contexts(record, drops)
        return
    # Neighbours on the same sentence share a context.
    for sentence, group in groupby(_rows(lines, path, name, drops), key=lambda row: row[0]):
        questions = tuple(question for _, question in group)
        yield SourceContext(sentence, questions, questions[0].id)


def _rows(
    lines: Iterator[tuple[int, str]], path: PathLike, name: str, drops: Drops
) -> Iterator[tuple[str, SourceQuestion]]:
    """Sentence and question of each positive example; the data has no ids, so file and line are it."""
    for number, line in lines:
        if not line or line.isspace():
            continue
        columns = line.split("\t")
        if len(columns) < 4:
            raise InputError(
                f"has {len(columns)} tab-separated columns, "
                "expected relation, question, subject, sentence and any answers",
                path=path,
                line=number,
            )
        _, template, subject, sentence, *answers = (column.strip() for column in columns)
        row = f"{name}:{number}"
        answers = [answer for answer in answers if answer]
        if answers:
            yield sentence, SourceQuestion(row, template.replace(SUBJECT, subject), tuple(answers))
        else:
            drops.add(NEGATIVE, row)


SOURCE = MrqaSource(
    name="relationextraction",
    dataset="RelationExtraction",
    reads="the tab-separated relation splits, a file or their folder, or SQuAD's layout",
    read=read,
)
