"""A folder of questions on tables: items.jsonl, origin.json, and the files themselves in files/.

The questions fall into two parts by the repository that a file is from, so that what is developed on one part is
measured on files of other people.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json, read_json_lines
from caveat.core.languages import Language

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
