"""On which line of a JSON file each record stands, without parsing it: the places of its ids."""

from __future__ import annotations

import re
from collections import deque

import msgspec

from caveat.core.files import PathLike, read_bytes

__all__ = ["IdLines"]


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
            except msgspec.DecodeError:
                continue  # no JSON: whoever reads the records says so
            self._lines.setdefault(id, deque()).append(line)

    def next(self, id: str) -> int | None:
        """The line of the next record with this id: ask once for each record, in the file's order."""
        lines = self._lines.get(id)
        return lines.popleft() if lines else None
