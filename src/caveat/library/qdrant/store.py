"""A library on Qdrant servers: one collection, searched and written there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property

from caveat.core.errors import InputError
from caveat.core.records import Remark
from caveat.library.catalogue import File
from caveat.library.qdrant.address import Address
from caveat.library.qdrant.collection import Collection
from caveat.library.qdrant.engine import QdrantEngine
from caveat.library.qdrant.holdings import QdrantHoldings, record_of
from caveat.library.qdrant.nodes import Nodes
from caveat.library.qdrant.writing import QdrantWriting
from caveat.library.state import State
from caveat.library.writing import Writing


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
