"""Findings of `caveat check`: what is wrong in a data file, and where it stands."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Hashable
from typing import Generic, TypeVar

import msgspec

from caveat.core.errors import one_line
from caveat.core.files import PathLike, read_bytes
from caveat.core.json_files import encode


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of `caveat check`: what is wrong, and where."""

    rule: str
    message: str
    file: str
    line: int | None = None
    id: str | None = None

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        id = "" if self.id is None else f"{self.id}: "
        return one_line(f"{place}: {id}{self.message}", 1000) + f" [{self.rule}]"


_SHOWN = 40

Seen = TypeVar("Seen", bound=Hashable)


class Place(msgspec.Struct, frozen=True):
    """The file, line and id that findings about one record have in common."""

    file: str
    line: int | None = None
    id: str | None = None

    def finding(self, rule: str, message: str) -> Finding:
        """A finding here."""
        return Finding(rule, message, self.file, self.line, self.id)


class FirstLines(Generic[Seen]):
    """Remembers on which line each key was first seen, to tell what comes twice."""

    def __init__(self) -> None:
        self._first: dict[Seen, int | None] = {}

    def see(self, key: Seen, line: int | None) -> str | None:
        """None for a new key; for one seen before, where: "on line 3", or "before" if no line is known."""
        if key not in self._first:
            self._first[key] = line
            return None
        first = self._first[key]
        return "before" if first is None else f"on line {first}"


def quote(text: str) -> str:
    """Text of the data within a message: quoted, on one line, its middle left out if it is long."""
    if len(text) > _SHOWN:
        text = f"{text[: _SHOWN // 2]} … {text[-_SHOWN // 3 :]}"
    return encode(text)


class IdLines:
    """The lines of a JSON file on which ids stand.

    Ids are found as the values of the given keys by one regular expression over the file. A quote inside a
    JSON string is escaped, so that text which looks like a key is never taken for one.
    """

    def __init__(self, path: PathLike, *keys: str) -> None:
        self._lines: dict[str, deque[int]] = {}
        if str(path) == "-":
            return  # standard input can be read once only, and the records are read from it
        data = read_bytes(path)
        names = "|".join(map(re.escape, keys)).encode()
        entry = re.compile(rb'"(?:' + names + rb')"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)')
        line, counted = 1, 0
        for match in entry.finditer(data):
            line += data.count(b"\n", counted, match.start(1))
            counted = match.start(1)
            try:
                id = str(msgspec.json.decode(match[1]))
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue  # no JSON: whoever reads the records says so
            self._lines.setdefault(id, deque()).append(line)

    def next(self, id: str) -> int | None:
        """The line of the next record with this id: ask once for each record, in the file's order."""
        lines = self._lines.get(id)
        return lines.popleft() if lines else None
