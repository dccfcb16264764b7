"""Writing to a library on servers: file by file, each marked as whole once all of it was acknowledged.

A file's point is written first, as unfinished, then what it gave, then what an older version of it gave is deleted,
and at last its point again. A writer that is cut off at any moment leaves files that are whole, and unfinished ones
that the next writer takes up. Several may write at once, even the same files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Any, NamedTuple
from uuid import UUID

from caveat.core.errors import InputError
from caveat.core.records import Document
from caveat.library.catalogue import File, Part, unpacked
from caveat.library.passages import Passage, passage_text
from caveat.library.qdrant.collection import (
    FIELDS,
    TERMS,
    Averages,
    Collection,
    Counted,
    Field,
    counted,
    file_id,
    file_of,
    passage_id,
    source_id,
    stored,
    vector,
)
from caveat.library.reading import FileRead, PartRead, Task
from caveat.library.writing import Writing
from caveat.sources.outline import headings_at

# Points that are sent together, and the bytes of their texts and records.
_POINTS, _BYTES = 1_000, 8 << 20
# Names that are listed where one is not known.
_LISTED = 20
# A server takes 32 MB at once, unless it is told otherwise.
_LARGEST = 30 << 20
# Lengths that fields are weighed with which the first passages to be written have not.
_LENGTHS: dict[Field, float] = {"headings": 8.0, "text": 100.0, "names": 8.0, "cells": 100.0}


class _Waiting(NamedTuple):
    """A passage or a source that is to be sent."""

    id: str
    payload: dict[str, Any]
    terms: Counted | None = None


class _Batch(NamedTuple):
    """What is sent at once: points, and the files that are begun and completed with them."""

    averages: Averages
    begun: Sequence[File]
    waiting: Sequence[_Waiting]
    complete: Sequence[File]
    older: frozenset[str] | set[str]


class QdrantWriting(Writing):
    """The work on a collection, sent as it comes."""

    def __init__(self, collection: Collection) -> None:
        super().__init__()
        self._collection, self._models = collection, collection.nodes.models
        self._exists = collection.averages() is not None
        self._changed = not self._exists
        self._waiting: list[_Waiting] = []
        self._bytes = 0
        # Files that have been begun and not been marked as whole, those that are complete, those of which there may be
        # another version, and those that leave unless they come again.
        self._begun: dict[str, File] = {}
        self._complete: list[File] = []
        self._older: set[str] = set()
        self._leaving: dict[str, File] = {}
        self._unfinished: set[str] = set()
        self._sender = ThreadPoolExecutor(1)
        self._sending: Future[None] | None = None

    def look_up(self, paths: Sequence[str], names: Sequence[str]) -> None:
        """What the library has of these files, and who else has their names."""
        if not self._exists:
            return
        for point in self._collection.retrieve([file_id(path) for path in dict.fromkeys(paths)]):
            self._meet(point.payload)
        for first in range(0, len(names), _POINTS):
            some = self._collection.where("file", name=list(names[first : first + _POINTS]))
            for point in self._collection.scroll(some):
                self._meet(point.payload)

    def known(self, key: str) -> File | None:
        """A file that the library has, and all of it."""
        return None if key in self._unfinished else self._files.get(key)

    def files_in(self, folder: str) -> list[File]:
        """The files that came from a folder."""
        for payload in self._files_of(path_within=folder):
            self._meet(payload)
        return super().files_in(folder)

    def named(self, name: str) -> list[File]:
        """The file of a name, or those of a folder."""
        found = [*self._files_of(name=name), *self._files_of(within=name)]
        if not found and self._exists:
            # What it is a part of, and some names that there are, for the message.
            parts = self._collection.scroll(self._collection.where("source", source=name), payload=["file"])
            found = [
                point.payload for point in self._collection.retrieve([each.payload["file"] for each in parts])
            ]
            found += islice(self._files_of(), _LISTED)
        for payload in found:
            self._meet(payload)
        return super().named(name)

    def _files_of(self, **values: str) -> Iterator[Mapping[str, Any]]:
        if self._exists:
            for point in self._collection.scroll(self._collection.where("file", **values)):
                yield point.payload

    def _meet(self, payload: Mapping[str, Any]) -> None:
        file = file_of(payload)
        key = file.path or file.name
        if key in self._leaving or key in self._begun:
            return
        self._know(file)
        if not payload["whole"]:
            # It is read again, whatever its size and time are.
            self._unfinished.add(key)
            self.by_path.pop(key, None)

    def _leave(self, file: File) -> None:
        self._leaving[file.path or file.name] = file

    def _prepare(self, part: PartRead, task: Task) -> None:
        if part.kind == "knowledge":
            problem = "triples are not kept on servers: `caveat index` makes an index of them in a folder"
            raise InputError(problem, path=task.name)
        # What is stored is compressed, and never twice as long as the record.
        if 2 * len(part.record) > _LARGEST and len(stored(part.record)) > _LARGEST:
            problem = f"its text has more than the {_LARGEST >> 20} MB that a server takes at once"
            raise InputError(problem, path=task.name)

    def _keep(self, part: PartRead, task: Task, read: FileRead) -> Part:
        key = task.path or task.name
        assert part.kind != "knowledge"  # refused when it was prepared
        data = stored(part.record)
        if key not in self._begun:
            before = self._leaving.pop(key, None)
            self._begun[key] = before or File(task.name, task.path, 0, 0, "", ())
            if before is not None:
                self._older.add(key)
        file = file_id(key)
        record = source_id(file, read.sha256, part.source)
        shared = {"file": file, "version": read.sha256, "source": part.source, "kind": part.kind}
        whole = {"sort": "source", **shared, "within": _folders(part.source), "data": data}
        self._send(_Waiting(record, whole), len(data))
        source = unpacked(part.record, part.source)
        for number, passage in enumerate(part.passages):
            terms = counted(part.kind, passage)
            text = passage_text(source, Passage(passage.start, passage.end))
            over = headings_at(source, passage.start) if isinstance(source, Document) else source.headers
            payload = {
                "sort": "passage",
                **shared,
                "record": record,
                "start": passage.start,
                "end": passage.end,
                "headings": [_clean(heading) for heading in over],
                "text": _clean(text),
                **{f"{field}_terms": length for field, length in terms.lengths.items()},
            }
            self._send(_Waiting(passage_id(record, number), payload, terms), len(text))
        self.passages += len(part.passages)
        self.bytes += part.size
        return Part(UUID(record).int, part.source, part.kind, part.title, part.size, len(part.passages))

    def _send(self, point: _Waiting, size: int) -> None:
        self._waiting.append(point)
        self._bytes += size
        if len(self._waiting) >= _POINTS or self._bytes >= _BYTES:
            self._flush()

    def _came(self, file: File) -> None:
        self._begun.setdefault(file.path or file.name, file)
        self._complete.append(file)
        if len(self._complete) >= _POINTS:
            self._flush()

    def close(self) -> None:
        """Nothing more is sent."""
        self._sender.shutdown(cancel_futures=True)

    def _commit(self) -> None:
        self._flush()
        self._acknowledged()
        for key in self._leaving:
            self._delete(self._given_by(key))
            self._delete(self._collection.where(file=file_id(key)))
        self._leaving.clear()

    def _flush(self) -> None:
        """All that waits is sent, while the next files are read, once what was sent before is acknowledged."""
        self._acknowledged()
        batch = _Batch(self._made(), list(self._begun.values()), self._waiting, self._complete, self._older)
        self._sending = self._sender.submit(self._sent, batch)
        for file in self._complete:
            self._begun.pop(file.path or file.name, None)
        self._waiting, self._complete, self._bytes = [], [], 0
        self._older = self._older & self._begun.keys()

    def _acknowledged(self) -> None:
        if self._sending is not None:
            self._sending.result()

    def _sent(self, batch: _Batch) -> None:
        """A batch is sent and acknowledged; files that are complete are marked as whole."""
        self._upsert([_file_point(file, whole=False) for file in batch.begun])
        self._upsert(batch.waiting, batch.averages)
        for file in batch.complete:
            key = file.path or file.name
            if key in batch.older:
                self._delete(self._given_by(key, but=file.sha256))
        self._upsert([_file_point(file, whole=True) for file in batch.complete])

    def _made(self) -> Averages:
        """The lengths that passages are weighed with: those of the first that are written to a collection."""
        found = self._collection.averages()
        if found is not None:
            if self._sending is None:
                self._collection.look_up_by()
            return found
        passages = [point.terms for point in self._waiting if point.terms is not None]
        totals = {
            field: sum(passage.lengths.get(field, 0) for passage in passages)
            for fields in FIELDS.values()
            for field in fields
        }
        self._exists = True
        return self._collection.make(
            {field: total / len(passages) if total else _LENGTHS[field] for field, total in totals.items()}
        )

    def _upsert(self, points: Sequence[_Waiting], averages: Averages | None = None) -> None:
        models = self._models
        for first in range(0, len(points), _POINTS):
            made = []
            for point in points[first : first + _POINTS]:
                terms = {}
                if point.terms is not None and averages is not None:
                    weights = vector(point.terms, averages)
                    terms = {TERMS: models.SparseVector(indices=list(weights), values=list(weights.values()))}
                made.append(models.PointStruct(id=point.id, vector=terms, payload=point.payload))
            self._collection.nodes.ask(
                lambda client, made=made: client.upsert(self._collection.name, made, wait=True)  # type: ignore[misc]
            )

    def _given_by(self, key: str, but: str | None = None) -> Any:
        """A filter for what a file gave, without the version that is to stay."""
        given = self._collection.where(("passage", "source"), file=file_id(key))
        if but is not None:
            given.must_not = self._collection.where(version=but).must
        return given

    def _delete(self, filter: Any) -> None:
        selector = self._models.FilterSelector(filter=filter)
        self._collection.nodes.ask(lambda client: client.delete(self._collection.name, selector, wait=True))


def _file_point(file: File, *, whole: bool) -> _Waiting:
    id = file_id(file.path or file.name)
    parts = [
        (str(UUID(int=part.number)), part.source, part.kind, part.title, part.bytes, part.passages)
        for part in file.parts
    ]
    return _Waiting(
        id,
        {
            "sort": "file",
            "file": id,
            "name": file.name,
            "path": file.path,
            "size": file.size,
            "modified": file.modified,
            "changed": file.changed,
            "sha256": file.sha256,
            "whole": whole,
            "within": _folders(file.name),
            "path_within": _folders(file.path) if file.path else [],
            "parts": parts,
        },
    )


def _folders(name: str) -> list[str]:
    """A name, and the folders that it is in."""
    at = [number for number, letter in enumerate(name) if letter == os.sep and number]
    return [name, *(name[:number] for number in at)]


def _clean(text: str) -> str:
    """A text that is JSON, which half a pair of surrogates is not."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
