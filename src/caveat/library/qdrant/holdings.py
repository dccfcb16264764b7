"""The sources of a library on servers: fetched when they are wanted, and kept for the next question."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Collection as Many
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID

from caveat.answerers.kept import Kept
from caveat.core.errors import InputError, UnknownNameError
from caveat.core.records import Document, KnowledgeBase, Source, Table
from caveat.library.catalogue import Entry, EntryKind, File, Part
from caveat.library.qdrant.collection import Collection
from caveat.library.qdrant.engine import QdrantEngine
from caveat.library.records import unpacked
from caveat.library.search import Kind

# Sources that were looked at last are kept until their texts have so many bytes together.
_KEPT_BYTES = 1 << 26
_LEVEL = 6
# Where there are more passages than this, sources are not counted: they are many, or one that is a book.
_COUNTED_PASSAGES = 5_000
# Names that are listed where one is not known.
_LISTED = 20

Fetched = tuple[str, Document | Table, int]


def stored(record: bytes) -> str:
    """A record as a server keeps it, as text."""
    return base64.b64encode(zlib.compress(record, _LEVEL)).decode("ascii")


def record_of(payload: Mapping[str, Any]) -> bytes:
    """A record that was stored; it carries its checksum."""
    try:
        return zlib.decompress(base64.b64decode(str(payload["data"]), validate=True))
    except (KeyError, zlib.error, binascii.Error) as error:
        raise InputError("is damaged: remove it and index it again", path=payload.get("source")) from error


def file_of(payload: Mapping[str, Any]) -> File:
    """A file as its point has it."""
    parts = tuple(
        Part(UUID(record).int, source, kind, title, size, passages)
        for record, source, kind, title, size, passages in payload["parts"]
    )
    return File(
        payload["name"], payload["path"], payload["size"], payload["modified"], payload["sha256"], parts,
        payload.get("changed", 0),
    )  # fmt: skip


class QdrantHoldings:
    """What is in a collection. May be used from several threads."""

    def __init__(self, collection: Collection, engine: QdrantEngine) -> None:
        self._collection, self._engine = collection, engine
        self._kept: Kept[Fetched] = Kept(_KEPT_BYTES, lambda kept: kept[2])

    @property
    def where(self) -> str:
        return self._collection.nodes.address.text

    @property
    def kinds(self) -> Many[str]:
        """The kinds of which there are passages."""
        averages = self._engine.statistics().averages
        kinds: dict[EntryKind, str] = {"document": "text", "table": "cells"}
        return [kind for kind, field in kinds.items() if averages[field] > 0]

    @property
    def passages(self) -> int:
        return self._engine.statistics().passages

    def entries(self) -> Iterator[Entry]:
        """What there is, by name."""
        for file in sorted(self.files(), key=lambda file: file.name):
            for part in file.parts:
                yield Entry(part.source, part.kind, part.bytes, part.passages, file.sha256, part.title)

    def files(self) -> Iterator[File]:
        """All files, and what each gave."""
        for point in self._collection.scroll(self._collection.where("file")):
            yield file_of(point.payload)

    def named(self, name: str) -> Source:
        for point in self._collection.scroll(self._collection.where("source", source=name)):
            return self._take(point)[1]
        known = [point.payload["source"] for point in self._some()]
        raise UnknownNameError("source in the library", name, sorted(known))

    def within(self, names: Iterable[str]) -> Many[int]:
        found = self._collection.scroll(self._collection.where("source", within=list(names)), payload=False)
        return [UUID(str(point.id)).int for point in found]

    def few(self, kind: Kind, most: int) -> list[int] | None:
        if self.passages > _COUNTED_PASSAGES:
            return None
        found = list(self._collection.scroll(self._collection.where("source", kind=kind), payload=["source"]))
        if len(found) > most:
            return None
        found.sort(key=lambda point: str(point.payload["source"]))
        return [UUID(str(point.id)).int for point in found]

    def fetch(self, numbers: Iterable[int]) -> None:
        """These sources will be wanted: all that are not here come at once."""
        missing = [str(UUID(int=number)) for number in dict.fromkeys(numbers) if number not in self._kept]
        for point in self._collection.retrieve(missing) if missing else ():
            self._take(point)

    def name(self, number: int) -> str:
        return self._get(number)[0]

    def source(self, number: int) -> Source:
        return self._get(number)[1]

    def bases(self) -> dict[str, KnowledgeBase]:
        """Triples are not kept on servers."""
        return {}

    def _get(self, number: int) -> Fetched:
        def read() -> Fetched:
            for point in self._collection.retrieve([str(UUID(int=number))]):
                return _read(point)
            raise InputError("a source was removed meanwhile: ask again", path=self.where)

        return self._kept.get(number, read)

    def _take(self, point: Any) -> Fetched:
        return self._kept.get(UUID(str(point.id)).int, lambda: _read(point))

    def _some(self) -> list[Any]:
        found: list[Any] = self._collection.nodes.ask(
            lambda client: client.scroll(
                self._collection.name,
                scroll_filter=self._collection.where("source"),
                limit=_LISTED,
                with_payload=["source"],
            )
        )[0]
        return found


def _read(point: Any) -> Fetched:
    record, name = record_of(point.payload), str(point.payload["source"])
    return name, unpacked(record, name), len(record)
