"""A collection that is a library: what its points are, how it is made, and whether one that is there is one.

Three sorts of points: a passage has a vector of its terms and is searched; a source has the record of a document or
table; a file says what it gave, and whether all of that is there. Their ids follow from what they are, so that whoever
writes them, and however often, writes the same.

Passages are weighed as tantivy does it, so that they get the same scores as in a folder. The server weighs each term by
its rarity, with the formula that tantivy has. What is left is how often a passage has a term, and its length beside the
average, which is put into the vector.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple
from uuid import UUID, uuid5

from caveat.core.errors import InputError
from caveat.language.bm25 import K1, B
from caveat.library.catalogue import File, Part
from caveat.library.qdrant.nodes import Nodes, RefusedError
from caveat.library.search import Kind, Terms

Field = str
FIELDS: dict[Kind, tuple[Field, Field]] = {"document": ("headings", "text"), "table": ("names", "cells")}
"""Of each kind of source: what stands over a passage, and the passage; the same as the folder's engine has."""
_SEEDS = {field: zlib.crc32(field.encode()) for fields in FIELDS.values() for field in fields}
Averages = Mapping[Field, float]
"""Terms in each field, for one passage of all."""

# Tantivy keeps a length in a byte, as Lucene does: exact up to 40, then three bits after the first.
_EXACT, _BITS = 24, 3


def _kept_lengths() -> list[int]:
    lengths = list(range(_EXACT))
    for code in range(256 - _EXACT):
        shift = (code >> _BITS) - 1
        bits = code & 7
        lengths.append(_EXACT + (bits if shift < 0 else (bits | 8) << shift))
    return lengths


_LENGTHS = _kept_lengths()


class Counted(NamedTuple):
    """The terms of a passage by field: how often each is there, and how many there are."""

    counts: dict[Field, Counter[str]]
    lengths: dict[Field, int]


def counted(kind: Kind, passage: Terms) -> Counted:
    """The terms of a passage, counted."""
    fields = dict(zip(FIELDS[kind], (passage.headings.split(), passage.text.split()), strict=True))
    return Counted(
        {field: Counter(words) for field, words in fields.items()},
        {field: len(words) for field, words in fields.items()},
    )


def dimension(field: Field, term: str) -> int:
    """The number of a term of a field among those of a vector.

    There are four thousand million; of a million terms a hundred share theirs with another.
    """
    return zlib.crc32(term.encode("utf-8", "surrogatepass"), _SEEDS[field])


def saturation(count: float, length: int, average: float) -> float:
    """What a term counts for that a passage has so often."""
    return (K1 + 1) * count / (count + _damping(length, average))


def occurrences(weight: float, length: int, average: float) -> int:
    """How often a passage has a term that counts for so much."""
    return round(weight * _damping(length, average) / (K1 + 1 - weight))


def vector(passage: Counted, averages: Averages) -> dict[int, float]:
    """What a server keeps of a passage: for each term its saturation."""
    found: dict[int, float] = {}
    for field, counts in passage.counts.items():
        length, average = passage.lengths[field], averages[field]
        weights = {count: saturation(count, length, average) for count in set(counts.values())}
        for term, count in counts.items():
            found[dimension(field, term)] = weights[count]
    return found


def _damping(length: int, average: float) -> float:
    kept = _LENGTHS[bisect_right(_LENGTHS, length) - 1]
    return K1 * (1 - B + B * kept / (average or 1.0))


Sort = Literal["passage", "source", "file"]
TERMS = "terms"
"""The name of the vector."""
# Of zlib, for records.
_LEVEL = 6
# Of what is written here; one that reads it writes the same.
_VERSION = 1
_OURS = UUID("5a9ad9a0-3f0e-5b1e-9d0c-2f6f6b6d1c57")
_PAGE = 1_000
# What points are looked up by; lengths are counted by value to get their average.
_KEYWORDS = ("sort", "file", "record", "source", "name", "within", "path_within")
LENGTHS = tuple(f"{field}_terms" for fields in FIELDS.values() for field in fields)


def file_id(key: str) -> str:
    """The point of a file, by its path, or by its name where it has none."""
    return str(uuid5(_OURS, f"file\0{key}"))


def source_id(file: str, version: str, name: str) -> str:
    """The point of what a version of a file gave under a name."""
    return str(uuid5(UUID(file), f"{version}\0{name}"))


def passage_id(source: str, number: int) -> str:
    """The point of a passage of a source."""
    return str(uuid5(UUID(source), str(number)))


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


class Collection:
    """The collection of an address."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes, self.name = nodes, nodes.address.name
        self._averages: Averages | None = None

    def averages(self) -> Averages | None:
        """The lengths that vectors are weighed with, the same for all of them; None where there is no collection."""
        if self._averages is None:
            self._averages = self._described()
        return self._averages

    def make(self, averages: Averages) -> Averages:
        """Make the collection, unless another writer was first; the lengths that hold then."""
        models, address = self.nodes.models, self.nodes.address
        terms = models.SparseVectorParams(
            modifier=models.Modifier.IDF, index=models.SparseIndexParams(on_disk=True)
        )
        try:
            self.nodes.ask(
                lambda client: client.create_collection(
                    self.name,
                    vectors_config={},
                    sparse_vectors_config={TERMS: terms},
                    shard_number=address.shards,
                    replication_factor=address.replicas,
                    on_disk_payload=True,
                    metadata={"caveat": _VERSION, "lengths": dict(averages)},
                )
            )
        except RefusedError as error:
            if not error.exists:
                raise
        self.look_up_by()
        found = self.averages()
        assert found is not None
        return found

    def look_up_by(self) -> None:
        """Make what points are looked up by, where the writer that made the collection has not come to it."""
        models = self.nodes.models
        there = self.nodes.ask(lambda client: client.get_collection(self.name)).payload_schema or {}
        keyword = models.KeywordIndexParams(type="keyword", on_disk=True)
        length = models.IntegerIndexParams(type="integer", lookup=True, range=False, on_disk=True)
        for key in (*_KEYWORDS, *LENGTHS):
            if key not in there:
                self._index(key, keyword if key in _KEYWORDS else length)

    def where(self, sort: Sort | Sequence[Sort] | None = None, **values: str | Sequence[str]) -> Any:
        """A filter for points that have these values, or one of these."""
        models = self.nodes.models
        given: dict[str, str | Sequence[str]] = values if sort is None else {"sort": sort, **values}
        return models.Filter(
            must=[
                models.FieldCondition(
                    key=key,
                    match=models.MatchValue(value=value)
                    if isinstance(value, str)
                    else models.MatchAny(any=list(value)),
                )
                for key, value in given.items()
            ]
        )

    def scroll(self, filter: Any, payload: Any = True) -> Iterator[Any]:
        """All points that a filter lets through, with what they carry."""
        begin = None
        while True:
            found, begin = self.nodes.ask(
                lambda client, begin=begin: client.scroll(  # type: ignore[misc]
                    self.name, scroll_filter=filter, limit=_PAGE, offset=begin, with_payload=payload
                )
            )
            yield from found
            if begin is None:
                return

    def retrieve(self, ids: Sequence[str]) -> Iterator[Any]:
        """The points of these ids that are there."""
        for first in range(0, len(ids), _PAGE):
            some = list(ids[first : first + _PAGE])
            yield from self.nodes.ask(lambda client, some=some: client.retrieve(self.name, some))  # type: ignore[misc]

    def count(self, filter: Any) -> int:
        """How many points a filter lets through."""
        return int(
            self.nodes.ask(lambda client: client.count(self.name, count_filter=filter, exact=True)).count
        )

    def values(self, key: str, most: int = 10_000) -> dict[Any, int]:
        """About how many points have each value of a key: while the server moves points, some count twice."""
        found = self.nodes.ask(lambda client: client.facet(self.name, key, limit=most))
        return {hit.value: int(hit.count) for hit in found.hits}

    def _index(self, key: str, schema: Any) -> None:
        self.nodes.ask(
            lambda client: client.create_payload_index(self.name, key, field_schema=schema, wait=True)
        )

    def _described(self) -> Averages | None:
        try:
            found = self.nodes.ask(lambda client: client.get_collection(self.name))
        except RefusedError as error:
            if error.missing:
                return None
            raise
        metadata = getattr(found.config, "metadata", None) or {}
        lengths = metadata.get("lengths")
        sparse = found.config.params.sparse_vectors or {}
        if "caveat" not in metadata or not isinstance(lengths, dict) or TERMS not in sparse:
            raise InputError(
                f"the collection {self.name} is there, and is no library: choose another name",
                path=self.nodes.address.text,
            )
        if metadata["caveat"] != _VERSION:
            raise InputError(
                f"is of version {metadata['caveat']}, and this Caveat reads version {_VERSION}: make the library again "
                "with `caveat index`",
                path=self.nodes.address.text,
            )
        return {str(field): float(length) for field, length in lengths.items()}
