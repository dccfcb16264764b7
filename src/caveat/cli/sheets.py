"""Answers as rows: `caveat ask --questions`, and the reply to one question with `--format`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from caveat.answerers.asking import Collection
    from caveat.answerers.engine import Engine
    from caveat.answerers.sheets import AnswerRow, Format
    from caveat.core.languages import Language


class Sheet(NamedTuple):
    """Where the answers to many questions go, and how these are asked."""

    out: str
    format: Format | None = None
    scenario: str = ""
    language: Language | None = None
    structure: bool = True


def ask_many(engine: Engine, questions: str, collection: Collection, sheet: Sheet) -> None:
    """Ask what is in a file, and write a row for each question."""
    from caveat.answerers.sheets import ask_questions, format_of, read_questions, write_answers
    from caveat.cli.terminal import named, note, tracked
    from caveat.core.files import writing
    from caveat.render.words import plural

    format = sheet.format or ("csv" if sheet.out == "-" else format_of(sheet.out))
    several = read_questions(questions)
    rows = ask_questions(
        engine,
        several,
        collection,
        scenario=sheet.scenario,
        language=sheet.language,
        structure=sheet.structure,
    )
    with writing(sheet.out) as file:
        write_answers(tracked(rows, "asking", len(several)), format, file)
    note(f"{plural(len(several), 'question')} asked: {named(sheet.out)}")


def print_rows(rows: Iterable[AnswerRow], format: Format) -> None:
    """Rows on standard output."""
    import sys

    from caveat.answerers.sheets import write_answers

    write_answers(rows, format, sys.stdout)
