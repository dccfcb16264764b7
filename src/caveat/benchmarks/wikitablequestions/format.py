"""WikiTableQuestions' questions: a tab-separated file whose first line names the columns, of which three are read."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_rows

__all__ = ["TableQuestion", "read"]

# The question, the id of its table, and the answer, whose parts have a bar between.
_COLUMNS = ("utterance", "context", "targetValue")
_ESCAPED = re.compile(r"\\([np\\])")
_MEANT = {"n": "\n", "p": "|", "\\": "\\"}


class TableQuestion(msgspec.Struct, frozen=True):
    """A question, the id of the table that it is asked of, and all parts of its answer."""

    text: str
    table: str
    answer: tuple[str, ...]


def read(path: PathLike) -> Iterator[TableQuestion]:
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
