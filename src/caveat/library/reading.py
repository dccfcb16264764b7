"""Files read for a library: parsed, packed, and cut into passages with their terms; in several processes if many."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from caveat.core.errors import CaveatError, InputError
from caveat.core.files import reason_of_system
from caveat.core.records import Document, KnowledgeBase, Table
from caveat.core.spreading import Spread, here, over_processes
from caveat.library.catalogue import EntryKind, packed
from caveat.library.passages import document_passages, passage_text, table_passages, terms, title_of
from caveat.library.search import Terms
from caveat.sources.gather import ReadSource, read_sources
from caveat.sources.triples import INDEX_FILE

# To start processes takes as long as to read this many bytes.
_WORTH_PROCESSES = 8 << 20
_MOST_PROCESSES = 8


class Task(NamedTuple):
    """A file to be read: its name, where it really is, and its checksum when it was read before."""

    name: str
    path: str
    known: str = ""


class PartRead(NamedTuple):
    """A source of a file, ready to be kept: as bytes, and as what it is searched by; or where its triples are."""

    source: str
    kind: EntryKind
    title: str
    size: int
    record: bytes = b""
    passages: tuple[Terms, ...] = ()
    triples: str = ""


class FileRead(NamedTuple):
    """What there is of a file; no parts where it is the same as before, or where it could not be read."""

    sha256: str = ""
    size: int = 0
    modified: int = 0
    parts: tuple[PartRead, ...] = ()
    remarks: tuple[tuple[str, str], ...] = ()
    problem: CaveatError | None = None
    unchanged: bool = False
    changed: int = 0


class FileState(NamedTuple):
    """What differs once a file is another: its size, its time, and when the system last saw it change."""

    size: int = 0
    modified: int = 0
    changed: int = 0


def state_of_file(path: str) -> FileState | None:
    """The state of a file; None for what is none, such as an address."""
    try:
        found = os.stat(_bytes_of(path))
    except (OSError, ValueError):
        return None
    return FileState(found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def read_files(
    tasks: Sequence[Task], processes: int | None = None, spread: Spread = here
) -> Iterator[FileRead]:
    """What each file holds, in order. Without `processes` as many as there are cores, where there is much to read.

    `spread` says where they are read, if not on this machine.
    """
    if spread is not here:
        yield from spread(_reading, tasks, 1)
        return
    if processes is None:
        size = sum((state_of_file(task.path) or FileState()).size for task in tasks)
        many = size >= _WORTH_PROCESSES and len(tasks) > 1
        processes = min(_MOST_PROCESSES, len(tasks), _cores()) if many else 1
    if processes <= 1:
        yield from map(_read, tasks)
        return
    yield from over_processes(processes)(_reading, tasks, 1)


def _reading() -> Callable[[Iterable[Task]], Iterator[FileRead]]:
    return partial(map, _read)


def part_of(read: ReadSource) -> PartRead:
    """A source that was read, ready to be kept."""
    source = read.source
    if isinstance(source, KnowledgeBase):
        size = os.path.getsize(_bytes_of(source.path))
        return PartRead(read.name, "knowledge", "", size, triples=source.path)
    record = packed(source)
    if isinstance(source, Table):
        name = source.name or read.name
        return PartRead(name, "table", source.caption, _size_of(source), record, tuple(passages_of(source)))
    return PartRead(
        source.url or read.name, "document", source.title, len(source.text.encode("utf-8", "surrogatepass")),
        record, tuple(passages_of(source)),
    )  # fmt: skip


def passages_of(source: Document | Table) -> Iterator[Terms]:
    """The passages of a source, as they are searched."""
    passages = document_passages(source) if isinstance(source, Document) else table_passages(source)
    title = title_of(source) if isinstance(source, Document) else ""
    known: dict[tuple[str, ...], str] = {}
    for passage in passages:
        if passage.headings not in known:
            known[passage.headings] = " ".join(terms(" \n ".join((title, *passage.headings))))
        text = " ".join(terms(passage_text(source, passage)))
        yield Terms(passage.start, passage.end, known[passage.headings], text)


def _size_of(table: Table) -> int:
    return sum(
        len(cell.encode("utf-8", "surrogatepass")) for row in (table.headers, *table.rows) for cell in row
    )


def _read(task: Task) -> FileRead:
    state = state_of_file(task.path)
    size, modified, changed = state or FileState()
    try:
        sha256 = _digest(task.path) if state is not None else ""
        if sha256 and sha256 == task.known:
            return FileRead(sha256, size, modified, unchanged=True, changed=changed)
        read = list(read_sources([task.name]))
    except OSError as error:
        problem = InputError(f"cannot be read: {reason_of_system(error)}", path=task.name)
        return FileRead(size=size, modified=modified, problem=problem)
    except CaveatError as error:
        return FileRead(size=size, modified=modified, problem=error)
    remarks = tuple(dict.fromkeys((each.name, each.remark) for each in read if each.remark))
    parts = tuple(map(part_of, read))
    if not sha256:  # an address: what it gave is all there is
        sha256 = hashlib.sha256(b"".join(part.record for part in parts)).hexdigest()
        if sha256 == task.known:
            return FileRead(sha256, unchanged=True)
    return FileRead(sha256, size, modified, parts, remarks, changed=changed)


def _digest(path: str) -> str:
    with open(_bytes_of(path), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _bytes_of(path: str) -> Path:
    """The file itself, or the one in an index of triples, which is a folder."""
    where = Path(path)
    return where / INDEX_FILE if where.is_dir() else where


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
