"""Questions on tables: how often the denotation is right, how sure that was, and by kind of question what fails."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import process_time
from typing import NamedTuple

from caveat.answerers.engine import Engine, load
from caveat.answerers.tables.lexicon import Cue
from caveat.answerers.tables.question import ParsedQuestion
from caveat.bench.measure import Cell, Measured, Watch, in_time
from caveat.benchmarks import table_questions
from caveat.benchmarks.nlpcc.tbqa_format import read_tables
from caveat.benchmarks.table_questions import FileQuestion, Part, TableQuestion, is_answer, is_right
from caveat.core.answers import Answer
from caveat.core.errors import InputError, UsageError
from caveat.core.files import PathLike
from caveat.core.languages import Language
from caveat.core.records import Table
from caveat.language.packs.en import ENGLISH
from caveat.language.packs.zh import CHINESE
from caveat.models.calibration import expected_calibration_error
from caveat.sources.read import read_file

_LIST = re.compile(r"^(?:list|name (?:all|each|every))\b|\b(?:which|what) (?:two|three|four|five)\b")
# A kind by the first of the words for it; what has none of them is a look-up.
_KINDS: tuple[tuple[str, tuple[Cue, ...]], ...] = (
    ("in a row", ("in a row",)),
    ("difference", ("difference",)),
    ("how long", ("how long",)),
    ("count", ("count",)),
    ("sum", ("sum",)),
    ("average", ("average",)),
    ("same", ("same",)),
)
_BESIDE: tuple[Cue, ...] = ("next", "previous")
_LANGUAGES: tuple[Language, ...] = (ENGLISH, CHINESE)


class _Asked(NamedTuple):
    """A question with the best guess at its answer, how sure that was, and whether it was given as the answer."""

    question: TableQuestion
    guess: tuple[str, ...]
    sure: float
    answered: bool
    right: bool
    seconds: float


def bench_tables(
    *,
    data: Mapping[Language, PathLike] = {},
    tables: PathLike | None = None,
    folder: PathLike | None = None,
    part: Part | None = None,
    questions: int | None = None,
    examples: int = 0,
    watch: Watch = lambda items, total: items,
) -> Measured:
    """Ask each question of its own table as `ask` does; at most so many questions, from the beginning.

    Right is the best guess, whether or not it is sure enough to be the answer, as the published figures count. Of
    every kind of question so many `examples` are told whose best guess is wrong. A `folder` of files with questions
    of several kinds, of which some have no answer, is measured by `bench_files`.
    """
    if folder is not None:
        if data or tables is not None:
            raise UsageError("--folder has its own tables; leave --en and --tables out.")
        return bench_files(folder, part, questions=questions, examples=examples, watch=watch)
    if part is not None:
        raise UsageError("--part is a part of the questions of --folder.")
    path = data.get(ENGLISH)
    if path is None or tables is None:
        raise UsageError(
            "Questions on tables are measured on WikiTableQuestions: name the questions with --en and the file of "
            "their tables with --tables; or on a folder of files with questions: name it with --folder."
        )
    wanted = list(table_questions.read_wikitablequestions(path))[:questions]
    known = _tables(tables, {question.table for question in wanted})
    if missing := [question.table for question in wanted if question.table not in known]:
        raise InputError("the file has no table of this id", path=tables, id=missing[0])
    engine = load()
    asked = [_ask(engine, question, known[question.table]) for question in watch(wanted, len(wanted))]
    if not asked:
        raise InputError("the file has no questions", path=path)
    rows = [_row("all", asked)]
    kinds: dict[str, list[_Asked]] = {}
    for each in asked:
        kinds.setdefault(kind_of(each.question.text), []).append(each)
    by_size = sorted(kinds.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    rows += [_row(kind, of_kind) for kind, of_kind in by_size]
    columns = ("kind", "questions", "right", "answered", "right of these", "calibration error", "a question")
    return Measured("Questions on tables", columns, tuple(rows), tuple(_failures(by_size, examples)))


class _FileAsked(NamedTuple):
    """A question on a file, what was said, how sure that was, and whether it is right, or a row that has it."""

    question: FileQuestion
    given: str
    sure: float
    answered: bool
    right: bool
    in_row: bool


def bench_files(
    folder: PathLike,
    part: Part | None = None,
    *,
    questions: int | None = None,
    examples: int = 0,
    watch: Watch = lambda items, total: items,
) -> Measured:
    """Ask each question of all the tables of its file; by kind of question and by language, what a reader gets.

    Right is the first answer of a reply that answers; where the file has no answer, a reply that says so.
    """
    wanted = [each for each in table_questions.read(folder) if part is None or each.part == part][:questions]
    if not wanted:
        raise InputError("the folder has no questions", path=folder)
    engine = load()
    tables: dict[Path, list[Table]] = {}
    asked: list[_FileAsked] = []
    for question in watch(wanted, len(wanted)):
        if question.path not in tables:
            tables[question.path] = [read.table for read in read_file(question.path).tables]
        asked.append(_ask_file(engine, question, tables[question.path]))
    rows = [_file_row("all", asked)]
    rows += [_file_row(name, [e for e in asked if e.question.language == name]) for name in _LANGUAGES]
    by_kind: dict[str, list[_FileAsked]] = {}
    for each in asked:
        by_kind.setdefault(each.question.kind, []).append(each)
    rows += [_file_row(kind, of_kind) for kind, of_kind in by_kind.items()]
    columns = (
        "kind",
        "questions",
        "right",
        "answered",
        "right of these",
        "only the row",
        "calibration error",
    )
    notes = [
        f"{kind}: {each.question.id} {each.question.text} — {'; '.join(each.question.answers) or 'no answer'}, not "
        f"{each.given or 'nothing'} ({each.sure:.2f})"
        for kind, of_kind in by_kind.items()
        for each in [each for each in of_kind if not each.right][:examples]
    ]
    return Measured("Questions on the tables of files", columns, tuple(rows), tuple(notes))


def _ask_file(engine: Engine, question: FileQuestion, tables: Sequence[Table]) -> _FileAsked:
    reply = engine.ask(question.text, *tables)
    if not reply.answered:
        return _FileAsked(question, "", reply.unanswerable, False, not question.answers, False)
    first = reply.answers[0]
    right = is_answer(_values(first), question.answers)
    shown = (
        {cell for row in first.cells.texts for cell in row} if first.cells and not _is_value(first) else set()
    )
    in_row = bool(question.answers) and shown.issuperset(question.answers)
    return _FileAsked(question, first.text, first.score, True, right and _is_value(first), in_row)


def _values(answer: Answer) -> tuple[str, ...]:
    """What an answer says, one thing each."""
    if answer.cells is not None and answer.cells.number is not None:
        return (repr(answer.cells.number),)
    whole = answer.cells is not None and any(answer.text in row for row in answer.cells.texts)
    return (answer.text,) if whole else tuple(answer.text.split("; "))


def _file_row(kind: str, asked: Sequence[_FileAsked]) -> tuple[Cell, ...]:
    answered = [each for each in asked if each.answered]
    error = expected_calibration_error([e.sure for e in answered], [float(e.right) for e in answered])
    return (
        kind,
        len(asked),
        _share(sum(each.right for each in asked), len(asked)),
        _share(len(answered), len(asked)),
        _share(sum(each.right for each in answered), len(answered)),
        _share(sum(each.in_row for each in asked), len(asked)),
        round(float(error), 3) if answered else None,
    )


def kind_of(question: str) -> str:
    """What a question asks to be done, told by its words alone."""
    parsed = ParsedQuestion(question)
    compared = {comparison.start for comparison in parsed.comparisons}
    beside = [span for cue in _BESIDE if (span := parsed.cue(cue)) and span[0] not in compared]
    if parsed.cue("or") and not parsed.cue("count") and not compared:
        return "one of two"
    if parsed.cue("yes or no"):
        return "yes or no"
    if _LIST.search(parsed.text):
        return "list"
    for kind, cues in _KINDS:
        if any(map(parsed.cue, cues)):
            return kind
    if parsed.superlatives:
        return "superlative"
    if beside:
        return "next or previous"
    if parsed.order:
        return "first or last"
    return "comparison" if parsed.comparisons else "look-up"


def _tables(path: PathLike, ids: set[str]) -> dict[str, Table]:
    return {table.id: table for table in read_tables(path) if table.id in ids}


def _ask(engine: Engine, question: TableQuestion, table: Table) -> _Asked:
    begin = process_time()
    reply = engine.ask(question.text, table)
    seconds = process_time() - begin
    found = next((answer for answer in reply.answers if _is_value(answer)), None)
    if found is None:
        return _Asked(question, (), 0.0, False, False, seconds)
    whole = any(found.text in row for row in table.rows)
    guess = (found.text,) if whole else tuple(found.text.split("; "))
    answered = reply.answered and found is reply.answers[0]
    return _Asked(question, guess, found.score, answered, is_right(guess, question.answer), seconds)


def _is_value(answer: Answer) -> bool:
    """Whether it is a cell or computed, and not the table itself."""
    return answer.cells is not None and answer.cells.kind != "table"


def _row(kind: str, asked: Sequence[_Asked]) -> tuple[Cell, ...]:
    answered = [each for each in asked if each.answered]
    error = expected_calibration_error([e.sure for e in asked], [float(e.right) for e in asked])
    return (
        kind,
        len(asked),
        _share(sum(each.right for each in asked), len(asked)),
        _share(len(answered), len(asked)),
        _share(sum(each.right for each in answered), len(answered)),
        round(float(error), 3),
        in_time(median(each.seconds for each in asked)),
    )


def _share(part: int, whole: int) -> str | None:
    return f"{100 * part / whole:.1f} %" if whole else None


def _failures(kinds: Iterable[tuple[str, Sequence[_Asked]]], most: int) -> Iterable[str]:
    for kind, asked in kinds:
        for each in [each for each in asked if not each.right][:most]:
            wanted, given = "; ".join(each.question.answer), "; ".join(each.guess) or "nothing"
            yield (
                f"{kind}: {each.question.text} ({each.question.table}) — {wanted}, not {given} "
                f"({each.sure:.2f})"
            )
