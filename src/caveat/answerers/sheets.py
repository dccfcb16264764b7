"""Many questions from a file, asked of one collection, and their answers as rows: CSV, JSON lines or Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal, TextIO

import msgspec

from caveat.core.certainty import Certainty, certainty_of
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_lines, read_text
from caveat.core.json_files import encode, read_json_lines
from caveat.core.languages import Language
from caveat.core.records import Question, Reply

if TYPE_CHECKING:
    from caveat.answerers.asking import Collection
    from caveat.answerers.engine import Engine

Format = Literal["csv", "json", "md"]
_ENDINGS: dict[str, Format] = {".csv": "csv", ".jsonl": "json", ".json": "json", ".md": "md"}
# What stands between the items of a list in one cell.
BETWEEN_ITEMS = "; "


class AskedQuestion(msgspec.Struct, frozen=True, omit_defaults=True):
    """A question of a file; without an id its number in the file, from 1, is its id."""

    question: str
    id: str = ""
    scenario: str = ""


class AnswerRow(msgspec.Struct, frozen=True):
    """The first answer to a question, "" where there is none, with its probability and where it stands.

    Of "not answered" the probability is that of there being no answer. `citation` is source, page and headings.
    """

    id: str
    question: str
    answer: str
    probability: float
    certainty: Certainty
    conditions: tuple[str, ...] = ()
    source: str = ""
    headings: tuple[str, ...] = ()
    page: int | None = None
    sentence: str = ""
    scenario: str = ""

    @property
    def citation(self) -> str:
        """Where the answer stands, on one line: source, page, headings."""
        page = [] if self.page is None else [f"p. {self.page}"]
        return ", ".join(filter(None, (self.source, *page, " › ".join(self.headings))))


def row_of(reply: Reply, id: str = "") -> AnswerRow:
    """A reply as a row; answers that hold together are one, with all their texts."""
    question = reply.question
    if not reply.answered:
        score = reply.unanswerable
        return AnswerRow(id, question.text, "", score, certainty_of(score), scenario=question.scenario)
    first = reply.answers[0]
    text = BETWEEN_ITEMS.join(each.text for each in reply.answers) if reply.together else first.text
    place = first.place or next(iter(first.evidence), None)
    where: tuple[Any, ...] = (
        () if place is None else (place.source, place.headings, place.page, place.sentence)
    )
    conditions = tuple(each.text for each in first.conditions)
    row = AnswerRow(id, question.text, text, first.score, certainty_of(first.score), conditions, *where)
    return msgspec.structs.replace(row, scenario=question.scenario)


def read_questions(path: PathLike) -> list[AskedQuestion]:
    """The questions of a file: CSV with a column `question`, JSON lines with such a key, or one on each line."""
    ending = PurePath(str(path)).name.removesuffix(".gz").rpartition(".")[2].lower()
    if ending == "jsonl":
        return [each for _, each in read_json_lines(path, AskedQuestion)]
    if ending == "csv":
        return [
            AskedQuestion(row["question"], row.get("id", ""), row.get("scenario", ""))
            for _, row in read_sheet(path, "question")
        ]
    return [AskedQuestion(line.strip()) for _, line in read_lines(path) if line.strip()]


def read_sheet(path: PathLike, *needed: str) -> list[tuple[int, dict[str, str]]]:
    """The rows of a CSV file by their columns, each with its line; columns that are needed have to be there."""
    rows = csv.DictReader(io.StringIO(read_text(path).removeprefix("\ufeff")))
    names = [name.strip() for name in rows.fieldnames or ()]
    if missing := [name for name in needed if name not in names]:
        raise InputError(
            f"has no column {missing[0]!r}; its columns are {', '.join(names) or 'none'}", path=path
        )
    rows.fieldnames = names
    found = []
    for row in rows:
        cells = {name: (value or "").strip() for name, value in row.items() if isinstance(name, str)}
        if any(cells.values()):
            found.append((rows.line_num, cells))
    return found


def ask_questions(
    engine: Engine,
    questions: Sequence[AskedQuestion],
    collection: Collection,
    *,
    scenario: str = "",
    language: Language | None = None,
    structure: bool = True,
) -> Iterator[AnswerRow]:
    """A row for each question, in order; the sources are opened once for all of them."""
    for number, each in enumerate(questions, 1):
        asked = Question(each.question, each.scenario or scenario, language)
        reply = engine.ask(asked, collection, structure=structure)
        yield row_of(reply, each.id or str(number))


def format_of(path: PathLike) -> Format:
    """The format that the ending of a file says."""
    ending = PurePath(str(path).removesuffix(".gz")).suffix.lower()
    if ending not in _ENDINGS:
        raise InputError(f"has no ending that is a format of answers ({', '.join(_ENDINGS)})", path=path)
    return _ENDINGS[ending]


def write_answers(rows: Iterable[AnswerRow], format: Format, file: TextIO) -> None:
    """Write rows as they come."""
    if format == "json":
        for row in rows:
            file.write(encode(row) + "\n")
    elif format == "csv":
        _write_csv(rows, file)
    else:
        for row in rows:
            file.write(_in_markdown(row))


_COLUMNS = (
    "id",
    "question",
    "answer",
    "probability",
    "certainty",
    "conditions",
    "source",
    "headings",
    "page",
)


def _write_csv(rows: Iterable[AnswerRow], file: TextIO) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow((*_COLUMNS, "sentence", "scenario"))
    for row in rows:
        probability, page = f"{row.probability:.4f}", "" if row.page is None else row.page
        conditions, headings = BETWEEN_ITEMS.join(row.conditions), " › ".join(row.headings)
        own = (
            row.id,
            row.question,
            row.answer,
            probability,
            row.certainty,
            conditions,
            row.source,
            headings,
            page,
        )
        writer.writerow((*own, row.sentence, row.scenario))


def _in_markdown(row: AnswerRow) -> str:
    """A question as a heading, its answer, the conditions as a checklist, the sentence and its citation."""
    figure = f"{row.certainty}, {100 * row.probability:.0f}%"
    lines = [f"## {_escaped(row.question)}", "", f"**{_escaped(row.answer) or 'Not found'}** ({figure})"]
    if row.conditions:
        lines += ["", *(f"- [ ] {_escaped(each)}" for each in row.conditions)]
    if row.sentence:
        lines += ["", f"> {_escaped(row.sentence)}"]
    if row.citation:
        lines += ["", f"— {_escaped(row.citation)}"]
    return "\n".join(lines) + "\n\n"


def _escaped(text: str) -> str:
    """A text on one line, in which nothing is Markdown or HTML."""
    plain = " ".join(text.split())
    return "".join(f"\\{each}" if each in "\\`*_[]<>#|" else each for each in plain)
