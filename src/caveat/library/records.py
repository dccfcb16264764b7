"""Documents and tables as bytes, many in a file: compressed in blocks, each with its checksum."""

from __future__ import annotations

import mmap
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

import msgspec

from caveat.core.errors import InputError
from caveat.core.records import Document, Element, Table

# Short texts are compressed together; about so many bytes are read to get one of them.
_BLOCK = 1 << 16
_LEVEL = 6


class Location(msgspec.Struct, frozen=True, array_like=True):
    """Where a record is: its file, the block in it with its checksum, and the bytes of the block once uncompressed."""

    file: str
    at: int
    size: int
    checksum: int
    start: int
    length: int


class _PackedDocument(msgspec.Struct, frozen=True, array_like=True, tag="d"):
    """A document without what can be cut out of its text again."""

    text: str
    title: str
    elements: tuple[tuple[str, int, int], ...]
    more: dict[str, msgspec.Raw]


class _PackedTable(msgspec.Struct, frozen=True, array_like=True, tag="t"):
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str
    id: str


# What a document has beside what is packed by hand.
_OWN = ("text", "title", "url", "elements")


def packed(source: Document | Table) -> bytes:
    """A document or table as bytes; where it comes from is left out of a document, so that copies are equal."""
    if isinstance(source, Table):
        return msgspec.msgpack.encode(_PackedTable(source.headers, source.rows, source.caption, source.id))
    elements = tuple((element.tag, element.start, element.end) for element in source.elements)
    more = {
        name: msgspec.Raw(msgspec.msgpack.encode(getattr(source, name)))
        for name in source.__struct_fields__
        if name not in _OWN
    }
    return msgspec.msgpack.encode(_PackedDocument(source.text, source.title, elements, more))


def unpacked(data: bytes, name: str) -> Document | Table:
    """What was packed, under its name."""
    found = msgspec.msgpack.decode(data, type=_PackedDocument | _PackedTable)
    if isinstance(found, _PackedTable):
        return Table(found.headers, found.rows, found.caption, name if found.id else "")
    text = found.text
    elements = tuple(Element(tag, text[start:end], start, end) for tag, start, end in found.elements)
    fields = {field.name: field.type for field in msgspec.structs.fields(Document)}
    more = {
        name: msgspec.msgpack.decode(value, type=fields[name])
        for name, value in found.more.items()
        if name in fields
    }
    return Document(text, found.title, name, elements, **more)


class RecordWriter:
    """A new file of records."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = open(path, "wb")  # noqa: SIM115 closed by `close`
        self._waiting: list[bytes] = []
        self._size, self._at = 0, 0
        self._ends: list[tuple[int, int]] = []
        self.locations: list[Location] = []
        """Of all records, in the order in which they were added; complete once the writer is closed."""

    def add(self, record: bytes) -> int:
        """Add a record; its number among the locations."""
        self._ends.append((self._size, len(record)))
        self._waiting.append(record)
        self._size += len(record)
        number = len(self.locations) + len(self._ends) - 1
        if self._size >= _BLOCK:
            self._flush()
        return number

    def close(self) -> None:
        """Write what is left; a second time does nothing."""
        try:
            self._flush()
        finally:
            self._file.close()

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _flush(self) -> None:
        if not self._waiting:
            return
        block = zlib.compress(b"".join(self._waiting), _LEVEL)
        checksum = zlib.crc32(block)
        self.locations += [
            Location(self.path.name, self._at, len(block), checksum, start, length)
            for start, length in self._ends
        ]
        self._file.write(block)
        self._at += len(block)
        self._waiting, self._ends, self._size = [], [], 0


class RecordFile:
    """Files of records opened for reading; they stay readable when a newer state of the library has replaced them."""

    def __init__(self, folder: Path, names: Mapping[str, object]) -> None:
        self._folder = folder
        self._maps: dict[str, mmap.mmap] = {}
        for name in names:
            with open(folder / name, "rb") as file:
                self._maps[name] = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def read(self, location: Location) -> bytes:
        """A record, checked."""
        held = self._maps.get(location.file)
        block = b"" if held is None else held[location.at : location.at + location.size]
        if zlib.crc32(block) != location.checksum:
            raise InputError(
                f"is damaged, {location.at:,} bytes into it: `caveat library verify` says what else is",
                path=self._folder / location.file,
            )
        return zlib.decompress(block)[location.start : location.start + location.length]
