"""A file of records that grows line by line: what a killed run had done is read again, a torn last line left out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from caveat.core.json_files import read_json_lines
from caveat.training.log import drop_half_line

__all__ = ["Append", "growing", "kept_lines"]

T = TypeVar("T")


class Append(Protocol):
    """Adds a record; it is on the disk when this returns."""

    def __call__(self, record: object) -> None: ...


def kept_lines(path: Path, type: type[T]) -> list[T]:
    """The records that are there; a last line without its end was being written, and is cut off."""
    if not path.exists():
        return []
    drop_half_line(path)
    return [record for _, record in read_json_lines(path, type)]


@contextmanager
def growing(path: Path) -> Iterator[Append]:
    """The file, to be added to."""
    with path.open("ab") as stream:

        def append(record: object) -> None:
            stream.write(msgspec.json.encode(record) + b"\n")
            stream.flush()
            os.fsync(stream.fileno())

        yield append
