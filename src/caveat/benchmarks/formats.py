"""A data format: what it is, the kind of records it holds, how it is read and written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from caveat.core.files import PathLike


class Drops:
    """Questions left out, counted by reason, with the first few ids of each."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, list[str]] = {}

    def add(self, reason: str, id: object) -> None:
        """Count one question that is left out."""
        self.counts[reason] += 1
        examples = self.examples.setdefault(reason, [])
        if len(examples) < 3:
            examples.append(str(id))


class SourceFiles(msgspec.Struct, frozen=True):
    """The file to read and the companions some formats need."""

    data: PathLike
    documents: PathLike | None = None
    tables: PathLike | None = None


class Records(msgspec.Struct, frozen=True):
    """A stream of records of one kind, and what the file says beside them; None where it cannot say anything."""

    items: Iterable[Any]
    extra: dict[str, Any] | None = None


Reader = Callable[[SourceFiles, Drops], Records]
Writer = Callable[[PathLike, Records], None]
# From records of one kind to those of another, where the second can hold what the first says.
Bridge = Callable[[Records], Records]


class Format(msgspec.Struct, frozen=True):
    """One data format; one that is only read, or only written, has no other side.

    Formats whose records are of one kind convert into each other; `passages` is the kind that most bridges go by.
    """

    name: str
    summary: str
    kind: str
    read: Reader | None = None
    write: Writer | None = None
    # Which files beside the data it reads: `documents`, `tables`.
    companions: frozenset[str] = frozenset()
    # Whether a record is a question, or holds some; pairs, triples and tables are no questions.
    questions: bool = False


def records_of(read: Callable[[PathLike], Iterable[Any]]) -> Reader:
    """A reader of nothing but records, which drops none."""
    return lambda files, drops: Records(read(files.data))


def records_to(write: Callable[[PathLike, Iterable[Any]], None]) -> Writer:
    """A writer of nothing but records."""
    return lambda path, records: write(path, records.items)


def each_record(bridge: Callable[[Iterable[Any]], Iterator[Any]]) -> Bridge:
    """A bridge of nothing but records."""
    return lambda records: Records(bridge(records.items))
