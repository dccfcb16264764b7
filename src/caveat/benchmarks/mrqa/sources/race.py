"""RACE: English examinations for Chinese schools; high school only, no cloze, answers that are in the text.

Read from the published folder or archive (one JSON file a passage), from JSON lines (one passage a line), or
from a subset in SQuAD's layout, which has no options and has been through the shared task's filter already.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from caveat.benchmarks.formats import Drops
from caveat.benchmarks.mrqa.sources.build import MrqaSource, SourceContext, SourceQuestion
from caveat.benchmarks.mrqa.sources.multiple_choice import CLOZE, is_cloze, unfit
from caveat.benchmarks.mrqa.sources.records import Record, is_collection, members, records_in
from caveat.benchmarks.mrqa.sources.squad import squad_contexts
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_lines

__all__ = ["SOURCE", "read"]

MIDDLE_SCHOOL = "middle-school passage"


class _Passage(msgspec.Struct, kw_only=True):
    article: str
    questions: list[str]
    options: list[list[str]]
    answers: list[str]
    id: str = ""
    file: str = msgspec.field(name="_file", default="")


def read(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """The high-school passages and those of their questions that do not need the options."""
    if not is_collection(path):
        yield from _contexts(read_lines(path), path, "/".join(Path(path).parts[-2:]), drops)
        return
    found = False
    for member in members(path):
        # The archive has a readme beside the passages.
        if member.data.lstrip()[:1] in (b"{", b"["):
            found = True
            lines = enumerate(member.data.decode().split("\n"), start=1)
            yield from _contexts(lines, member.path, member.name, drops)
    if not found:
        raise InputError("has no RACE passages: expected JSON files", path=path)


def _contexts(
    lines: Iterator[tuple[int, str]], path: PathLike, name: str, drops: Drops
) -> Iterator[SourceContext]:
    fields, records = records_in(lines, path)
    for record in records:
        if "data" in fields:
            yield from (_without_cloze(context, drops) for context in squad_contexts(record, drops))
        else:
            passage = record.to(_Passage)
            # The shared task's own copy has single blanks for RACE's line ends.
            text = " ".join(passage.article.split())
            yield SourceContext(text, tuple(_questions(passage, record, name, drops)), passage.id)


def _questions(passage: _Passage, record: Record, name: str, drops: Drops) -> Iterator[SourceQuestion]:
    if not len(passage.questions) == len(passage.options) == len(passage.answers):
        raise InputError(
            f"has {len(passage.questions)} questions, {len(passage.options)} lists of options and "
            f"{len(passage.answers)} answers, expected as many of each",
            path=record.path,
            line=record.line,
            id=passage.id,
        )
    middle = _is_middle_school(passage, name)
    asked = zip(passage.questions, passage.options, passage.answers, strict=True)
    for number, (question, options, letter) in enumerate(asked):
        question_id = f"{passage.id or name}:{number}"
        index = "ABCDEFGH".find(letter) if len(letter) == 1 else -1
        if not 0 <= index < len(options):
            raise InputError(
                f"the answer is {letter!r}, expected the letter of one of {len(options)} options",
                path=record.path,
                line=record.line,
                id=question_id,
            )
        if reason := MIDDLE_SCHOOL if middle else unfit(question, options[index]):
            drops.add(reason, question_id)
        else:
            yield SourceQuestion(question_id, question.strip(), (options[index].strip(),))


def _is_middle_school(passage: _Passage, name: str) -> bool:
    """Told by the id (`middle12.txt`), else by the folder (`dev/middle/12.txt`); else it is high school."""
    if passage.id.startswith(("high", "middle")):
        return passage.id.startswith("middle")
    return "middle" in (passage.file or name).split("/")


def _without_cloze(context: SourceContext, drops: Drops) -> SourceContext:
    kept = []
    for question in context.questions:
        if is_cloze(question.text):
            drops.add(CLOZE, question.id)
        else:
            kept.append(question)
    return msgspec.structs.replace(context, questions=tuple(kept))


SOURCE = MrqaSource(
    name="race",
    dataset="RACE",
    reads="the RACE folder or archive, passages as JSON lines, or SQuAD's layout",
    read=read,
)
