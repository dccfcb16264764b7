"""Questions on tables with their answers, from files of several formats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from caveat.benchmarks import table_questions
from caveat.benchmarks.nlpcc.tbqa_format import read_tables
from caveat.core.errors import InputError
from caveat.core.json_files import read_json_lines
from caveat.core.records import Table
from caveat.models.log_odds import Logit
from caveat.sources.grid import read_table
from caveat.sources.read import read_file
from caveat.training.sampling import fold_of


class TableData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of questions on tables, one table a line.

    `questions` is any set: {"caption", "headers", "rows", "questions": [[question, [answer, …]], …]}. `tatqa` is
    TAT-QA, of which the questions are taken that its tables answer. `tabfact` is TabFact: a true statement with one of
    its cells or numbers asked for. `files` is a folder of files with questions, of which one `part` is taken
    (`caveat.benchmarks.table_questions`). `wikitablequestions` is WikiTableQuestions' own file; its tables stand in
    another, as NLPCC's table ranking has them.
    """

    path: str
    format: Literal["questions", "tatqa", "tabfact", "wikitablequestions", "files"]
    tables: str = ""
    part: Literal["development", "held-out"] = "development"
    # The file comes with the package, beside the recipes.
    packaged: bool = False
    # What each question counts.
    weight: float = 1.0
    # At most this many tables, of WikiTableQuestions this many questions, from the beginning; 0: all.
    cap: int = 0
    name: str = ""
    licence: str = "unstated"


class ListData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Lists of candidate tables in the format of NLPCC's table ranking; `tables` is the file that ids point into."""

    path: str
    tables: str = ""
    # At most this many lists, drawn by the seed.
    cap: int = 600
    # Each list is taken in each of these sizes: the right table, and others drawn by lot.
    sizes: tuple[int, ...] = (2, 3, 5, 20)
    name: str = ""
    licence: str = "unstated"


class TablesRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a fit."""

    kind: Literal["tables"]
    data: tuple[TableData, ...]
    # Never fitted to: measured by the weights of `data`.
    measured: tuple[TableData, ...] = ()
    # Weights from which the fit starts and near which it stays: what is known from questions that are not in `data`.
    prior: Logit = Logit(0.0, {})
    # Half of this times the squared distance from the prior is added to the loss, which sums over the questions.
    l2: float = 1.0
    # What tells which table a question is about, and whether any of them; never fitted to: `measured_lists`.
    lists: tuple[ListData, ...] = ()
    measured_lists: tuple[ListData, ...] = ()
    # The share of questions that are taken to be asked of the right tables.
    answerable: float = 0.75
    seed: int = 1
    # Tables fall into this many folds by a hash, and each is measured by weights of the others; 0: not measured.
    folds: int = 5


def problems_of(recipe: TablesRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not recipe.data:
        yield "a recipe needs at least one data set"
    if not recipe.lists:
        yield "a recipe needs at least one file of lists"
    if not 0 < recipe.answerable < 1:
        yield f"answerable is a share between 0 and 1, got {recipe.answerable}"
    if recipe.l2 <= 0:
        yield f"l2 must be above 0, got {recipe.l2}"
    if recipe.folds < 0 or recipe.folds == 1:
        yield f"folds must be 0 or at least 2, got {recipe.folds}"
    for data in (*recipe.data, *recipe.measured):
        if data.weight <= 0 or data.cap < 0:
            yield f"{data.path} needs a weight above 0 and a cap that is not below 0"
        if (data.format == "wikitablequestions") != bool(data.tables):
            yield f"{data.path}: tables are named for the format wikitablequestions, and for no other"
    for lists in (*recipe.lists, *recipe.measured_lists):
        if lists.cap < 1 or not lists.sizes or min(lists.sizes) < 2:
            yield f"{lists.path} needs a cap above 0 and sizes of at least 2"


_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")


class TableQuestion(NamedTuple):
    """A question on a table and its answers; `open` where there may be others too."""

    text: str
    answers: tuple[str, ...]
    open: bool = False


TablesWithQuestions = Iterator[tuple[str, Table, list[TableQuestion]]]
"""Tables, each with its questions, and the repository that it is from if there is one."""


def read_questions(data: TableData, root: Path) -> TablesWithQuestions:
    """The tables of a file, each with its questions."""
    if data.format == "files":
        return _read_files(root / data.path, data.part)
    if data.format == "wikitablequestions":
        return _read_wikitablequestions(root / data.path, root / data.tables, data.cap)
    read = {"questions": _read_questions, "tatqa": _read_tatqa, "tabfact": _read_tabfact}[data.format]
    path = Path(str(files("caveat.training") / "recipes")) / data.path if data.packaged else root / data.path
    return islice(read(path), data.cap or None)


def _read_files(folder: Path, part: str) -> TablesWithQuestions:
    by_table: dict[tuple[str, Path, int | str], list[TableQuestion]] = {}
    for question in table_questions.read(folder):
        if question.part == part:
            key = question.repository, question.path, question.table
            by_table.setdefault(key, []).append(TableQuestion(question.text, question.answers))
    tables: dict[Path, list[Table]] = {}
    for (repository, path, place), asked in by_table.items():
        if path not in tables:
            tables[path] = [read.table for read in read_file(path).tables]
        yield repository, _table_of(tables[path], place, path), asked


def _table_of(tables: list[Table], place: int | str, path: Path) -> Table:
    for number, table in enumerate(tables):
        if place in (number, table.caption, table.id.rpartition("#")[2]):
            return table
    raise InputError(f"has no table {place}", path=path)


class _Questions(msgspec.Struct, frozen=True):
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    questions: tuple[tuple[str, tuple[str, ...]], ...]
    caption: str = ""


def _read_questions(path: Path) -> TablesWithQuestions:
    for _, line in read_json_lines(path, _Questions):
        table = Table(line.headers, line.rows, line.caption)
        yield "", table, [TableQuestion(text, answers) for text, answers in line.questions]


def _read_wikitablequestions(path: Path, tables: Path, cap: int) -> TablesWithQuestions:
    by_table: dict[str, list[TableQuestion]] = {}
    for question in islice(table_questions.read_wikitablequestions(path), cap or None):
        by_table.setdefault(question.table, []).append(TableQuestion(question.text, question.answer))
    for table in read_tables(tables):
        if table.id in by_table:
            yield "", table, by_table[table.id]


class _TatqaQuestion(msgspec.Struct, frozen=True):
    question: str
    answer: str | float | tuple[str, ...]
    answer_from: str


class _Tatqa(msgspec.Struct, frozen=True):
    table: tuple[tuple[str, ...], ...]
    questions: tuple[_TatqaQuestion, ...]


def _read_tatqa(path: Path) -> TablesWithQuestions:
    for _, line in read_json_lines(path, _Tatqa):
        if found := read_table(line.table):
            yield (
                "",
                found.table,
                [
                    TableQuestion(
                        asked.question,
                        asked.answer if isinstance(asked.answer, tuple) else (str(asked.answer),),
                    )
                    for asked in line.questions
                    if asked.answer_from == "table"
                ],
            )


class _Statement(msgspec.Struct, frozen=True):
    text: str
    label: str


class _Tabfact(msgspec.Struct, frozen=True):
    caption: str
    table: tuple[tuple[str, ...], ...]
    statements: tuple[_Statement, ...]


def _read_tabfact(path: Path) -> TablesWithQuestions:
    for _, line in read_json_lines(path, _Tabfact):
        headers, *rows = (tuple(map(str.strip, row)) for row in line.table)
        table = Table(headers, tuple(rows), line.caption)
        true = [statement.text for statement in line.statements if statement.label == "entailed"]
        yield "", table, [question for text in true if (question := cloze(text, table))]


def cloze(statement: str, table: Table) -> TableQuestion | None:
    """A true statement as a question: one of its numbers becomes "how many", or one of its cells "which" and the name
    of the cell's column; None where it has neither.
    """
    words = statement.split()
    places: list[tuple[int, int, str]] = []
    for at, word in enumerate(words):
        if _NUMBER.fullmatch(word) and not _YEAR.fullmatch(word):
            before_noun = at + 1 < len(words) and words[at + 1].isalpha()
            places.append((at, at + 1, "how many" if before_noun else "how much"))
    for column, header in enumerate(table.headers):
        for cell in dict.fromkeys(row[column] for row in table.rows if column < len(row)):
            parts = cell.split()
            if header and any(map(str.isalpha, cell)):
                places += [
                    (at, at + len(parts), f"which {header}")
                    for at in range(len(words) - len(parts) + 1)
                    if words[at : at + len(parts)] == parts
                ]
    if not places:
        return None
    # Any of them, always the same one.
    start, end, asked = places[fold_of(statement, len(places))]
    text = " ".join((*words[:start], asked, *words[end:], "?"))
    return TableQuestion(text, (" ".join(words[start:end]),), open=asked.startswith("which"))
