"""A library on Qdrant servers: one collection, searched and written there; sources are kept once they were fetched."""

from __future__ import annotations

from collections.abc import Collection as Many
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any
from uuid import UUID

from caveat.core.cache import LimitedCache
from caveat.core.errors import InputError, UnknownNameError
from caveat.core.records import Document, KnowledgeBase, Remark, Source, Table
from caveat.library.catalogue import Entry, EntryKind, File, unpacked
from caveat.library.qdrant.collection import Collection, file_of, record_of
from caveat.library.qdrant.engine import QdrantEngine
from caveat.library.qdrant.nodes import Address, Nodes
from caveat.library.qdrant.writing import QdrantWriting
from caveat.library.search import Kind
from caveat.library.state import State
from caveat.library.writing import Writing

# Sources that were looked at last are kept until their texts have so many bytes together.
_KEPT_BYTES = 1 << 26
# Where there are more passages than this, sources are not counted: they are many, or one that is a book.
_COUNTED_PASSAGES = 5_000
# Names that are listed where one is not known.
_LISTED = 20

Fetched = tuple[str, Document | Table, int]


class QdrantHoldings:
    """What is in a collection. May be used from several threads."""

    def __init__(self, collection: Collection, engine: QdrantEngine) -> None:
        self._collection, self._engine = collection, engine
        self._kept: LimitedCache[Fetched] = LimitedCache(_KEPT_BYTES, lambda kept: kept[2])

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


class QdrantStore:
    """The collection of a library. May be used from several threads, and while others write to it."""

    def __init__(self, address: Address) -> None:
        self._address = address

    @property
    def where(self) -> str:
        """The address."""
        return self._address.text

    def open(self) -> None:
        """Check that there is a library."""
        if self._collection.averages() is None:
            raise InputError(
                "there is no such library: `caveat index SOURCE… --out ADDRESS` makes one", path=self.where
            )

    def create(self) -> None:
        """Check that there is a library, or that one can be: it is made with the first passages that are written."""
        self._collection.averages()

    def state(self) -> State:
        """What is there to be read, now."""
        self.open()
        return self._state

    @contextmanager
    def writing(self) -> Iterator[Writing]:
        """Work on the collection."""
        work = QdrantWriting(self._collection)
        try:
            yield work
        finally:
            work.close()
            self._engine.forget()

    def files(self) -> Iterable[File]:
        """All files, and what each gave."""
        return self._holdings.files()

    def owns(self, path: str) -> bool:
        """No file is."""
        return False

    def verify(self) -> Iterator[Remark]:
        """Files that are unfinished, or have lost passages or records."""
        self.open()
        collection = self._collection
        for point in collection.scroll(collection.where("file")):
            name, id = str(point.payload["name"]), str(point.id)
            if not point.payload["whole"]:
                yield Remark(name, "was not finished: index it again")
                continue
            expected = sum(part[-1] for part in point.payload["parts"])
            version = str(point.payload["sha256"])
            found = collection.count(collection.where("passage", file=id, version=version))
            every = collection.count(collection.where("passage", file=id))
            if found != expected or every != expected:
                yield Remark(
                    name, f"has {every:,} passages and not {expected:,}: remove it, and index it again"
                )
            records = {str(each.id): each for each in collection.scroll(collection.where("source", file=id))}
            for record, source, *_ in point.payload["parts"]:
                if record not in records:
                    yield Remark(source, "has lost its text: remove it, and index it again")
                    continue
                try:
                    record_of(records[record].payload)
                except InputError as error:
                    yield Remark(source, error.problem)

    @cached_property
    def _collection(self) -> Collection:
        return Collection(Nodes(self._address))

    @cached_property
    def _engine(self) -> QdrantEngine:
        return QdrantEngine(self._collection)

    @cached_property
    def _holdings(self) -> QdrantHoldings:
        return QdrantHoldings(self._collection, self._engine)

    @cached_property
    def _state(self) -> State:
        return State(self._holdings, self._engine)
