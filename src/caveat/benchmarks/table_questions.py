"""Questions on tables: folders of them, WikiTableQuestions' files, and whether an answer is the right one.

A folder has items.jsonl, origin.json, and the files themselves in files/. Its questions fall into two parts by the
repository that a file is from, so that what is developed on one part is measured on files of other people.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_rows
from caveat.core.json_files import read_json, read_json_lines
from caveat.core.languages import Language
from caveat.language.dates import PartialDate, parse_date
from caveat.language.quantities import parse_quantity

Part = Literal["development", "held-out"]
PARTS: tuple[Part, ...] = ("development", "held-out")
# A repository whose name's hash begins with a byte below this is developed on.
_DEVELOPMENT = 0x30


class FileQuestion(msgspec.Struct, frozen=True):
    """A question on the tables of a file: its kind, all of its answers (none where the file has none).

    `table` is the number of the table that it is on, or the name of its sheet.
    """

    id: str
    language: Language
    path: Path
    repository: str
    text: str
    kind: str
    answers: tuple[str, ...]
    table: int | str = 0

    @property
    def part(self) -> Part:
        """Whether it may be developed on."""
        return part_of(self.repository)


class _Item(msgspec.Struct, frozen=True):
    id: str
    language: Language
    table: str
    question: str
    kind: str
    answers: tuple[str, ...]
    table_no: int = 0
    sheet: str = ""


class _Origin(msgspec.Struct, frozen=True):
    repository: str


class _Origins(msgspec.Struct, frozen=True):
    files: dict[str, _Origin]


def part_of(repository: str) -> Part:
    """The part that a repository's files are in, by a hash of its name."""
    first = hashlib.sha256(repository.encode()).digest()[0]
    return "development" if first < _DEVELOPMENT else "held-out"


def read(folder: PathLike) -> Iterator[FileQuestion]:
    """The questions in the order of the file."""
    root = Path(folder)
    origins = read_json(root / "origin.json", _Origins).files
    for number, item in read_json_lines(root / "items.jsonl", _Item):
        if item.table not in origins:
            raise InputError(
                f"origin.json does not say where {item.table} is from",
                path=root / "items.jsonl",
                line=number,
                id=item.id,
            )
        yield FileQuestion(
            item.id,
            item.language,
            root / "files" / item.table,
            origins[item.table].repository,
            item.question,
            item.kind,
            item.answers,
            item.sheet or item.table_no,
        )


# The question, the id of its table, and the answer, whose parts have a bar between.
_COLUMNS = ("utterance", "context", "targetValue")
_ESCAPED = re.compile(r"\\([np\\])")
_MEANT = {"n": "\n", "p": "|", "\\": "\\"}


class TableQuestion(msgspec.Struct, frozen=True):
    """A question, the id of the table that it is asked of, and all parts of its answer."""

    text: str
    table: str
    answer: tuple[str, ...]


def read_wikitablequestions(path: PathLike) -> Iterator[TableQuestion]:
    """The questions in the order of the file, as a stream."""
    places: list[int] = []
    for number, row in read_rows(path):
        if not places:
            if missing := [name for name in _COLUMNS if name not in row]:
                problem = f"the first line must name the columns {', '.join(_COLUMNS)}; without {missing[0]}"
                raise InputError(problem, path=path, line=number)
            places = [row.index(name) for name in _COLUMNS]
        elif len(row) <= max(places):
            raise InputError(f"expected {max(places) + 1} columns, found {len(row)}", path=path, line=number)
        else:
            text, table, answer = (row[place] for place in places)
            yield TableQuestion(_unescaped(text), table, tuple(map(_unescaped, answer.split("|"))))


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: _MEANT[found[1]], text)


# Whether two denotations are the same, as WikiTableQuestions' published evaluator defines it.
#
# A denotation is a set of values. Two values are the same if their normalised texts are, or the numbers that they
# are, or the dates. The published program has the numbers and dates of the right answers from a tagger ("17 years" is
# 17, a year is a number); here they are read from the text, of both sides alike.

_SINGLE_QUOTES, _DOUBLE_QUOTES, _DASHES = re.compile("[‘’´`]"), re.compile("[“”]"), re.compile("[‐‑‒–—−]")
_MARKS = re.compile(r"((?<!^)\[[^\]]*\]|\[\d+\]|[•♦†‡*#+])*$")
_DETAILS = re.compile(r"(?<!^)( \([^)]*\))*$")
_QUOTED = re.compile(r'^"([^"]*)"$')
# Numbers that differ by less are the same.
_TOLERANCE = 1e-6


class _Value(NamedTuple):
    text: str
    number: float | None
    date: PartialDate | None


def is_right(given: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether the values given are those that are wanted: as many, and each of these among them."""
    values = {_value(text) for text in given}
    targets = {_value(text) for text in wanted}
    return len(values) == len(targets) and all(
        any(_same(target, value) for value in values) for target in targets
    )


def normalised(text: str) -> str:
    """The text without accents, marks and details at its end, quotation marks around it, and a last full stop."""
    text = "".join(each for each in unicodedata.normalize("NFKD", text) if unicodedata.category(each) != "Mn")
    text = _DASHES.sub("-", _DOUBLE_QUOTES.sub('"', _SINGLE_QUOTES.sub("'", text)))
    before = None
    while before != text:
        before = text
        text = _QUOTED.sub(r"\1", _DETAILS.sub("", _MARKS.sub("", text.strip()).strip()).strip())
    text = text.removesuffix(".")
    return re.sub(r"\s+", " ", text).lower().strip()


@lru_cache(maxsize=1 << 12)
def _value(text: str) -> _Value:
    plain = normalised(text)
    date = parse_date(plain)
    if date is not None and date.month:
        return _Value(plain, None, date)
    quantity = parse_quantity(plain)
    return _Value(plain, quantity.value if quantity is not None else None, None)


def _same(target: _Value, value: _Value) -> bool:
    if target.text == value.text:
        return True
    if target.number is not None and value.number is not None:
        return abs(target.number - value.number) < _TOLERANCE
    return target.date is not None and target.date == value.date


_PLACES = 2
_YES_OR_NO = {"yes": "yes", "no": "no", "是": "yes", "否": "no", "true": "yes", "false": "no"}


def is_answer(given: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether the values given are those that are wanted; nothing is never right."""
    if not given or not wanted:
        return False
    if len(wanted) == 1 and (verdict := _YES_OR_NO.get(wanted[0].lower())):
        return len(given) == 1 and _YES_OR_NO.get(given[0].lower().strip(" .。")) == verdict
    if is_right(given, wanted):
        return True
    return len(given) == len(wanted) == 1 and _rounds_to(given[0], wanted[0])


def _rounds_to(given: str, wanted: str) -> bool:
    one, two = parse_quantity(given), parse_quantity(wanted)
    if one is None or two is None:
        return False
    return abs(round(one.value, _PLACES) - two.value) < _TOLERANCE
