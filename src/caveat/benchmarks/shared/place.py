"""Where a finding is: file, line and id, and how its message quotes the data."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

import msgspec

from caveat.benchmarks.shared.finding import Finding
from caveat.core.json_files import encode

__all__ = ["FirstLines", "Place", "quote"]

_SHOWN = 40

Key = TypeVar("Key", bound=Hashable)


class Place(msgspec.Struct, frozen=True):
    """The file, line and id that findings about one record have in common."""

    file: str
    line: int | None = None
    id: str | None = None

    def finding(self, rule: str, message: str) -> Finding:
        """A finding here."""
        return Finding(rule, message, self.file, self.line, self.id)


class FirstLines(Generic[Key]):
    """Remembers on which line each key was first seen, to tell what comes twice."""

    def __init__(self) -> None:
        self._first: dict[Key, int | None] = {}

    def see(self, key: Key, line: int | None) -> str | None:
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
