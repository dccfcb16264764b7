"""What a library keeps: its files, the sources that each gave, and their records in compressed blocks."""

from __future__ import annotations

import mmap
import os
import zlib
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Literal

import msgspec

from caveat.core.errors import InputError
from caveat.core.records import Document, Element, Table

# Short texts are compressed together; about so many bytes are read to get one of them.
_BLOCK = 1 << 16
_RECORD_LEVEL = 6


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
        block = zlib.compress(b"".join(self._waiting), _RECORD_LEVEL)
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

    def __init__(self, folder: Path, names: Iterable[str]) -> None:
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


CATALOGUE = "catalogue"
EntryKind = Literal["document", "table", "knowledge"]
_LEVEL = 1


def is_in(path: str, folder: str) -> bool:
    """Whether a path is a folder, or in it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


class UniqueNames:
    """Gives each source a name of its own: a page and its only table are called alike."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, name: str) -> str:
        """The name, with a number where it is taken."""
        unique, number = name, 1
        while unique in self._taken:
            unique, number = f"{name}#{number}", number + 1
        self._taken.add(unique)
        return unique


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A source of a library: its name, its kind, the bytes of its text, how many passages it is searched by.

    `sha256` is of the file that it came from.
    """

    source: str
    kind: EntryKind
    bytes: int
    passages: int
    sha256: str
    title: str = ""


class Part(msgspec.Struct, frozen=True, array_like=True):
    """What a file gave: a document, a table, or triples, which are in an index of their own."""

    number: int
    source: str
    kind: EntryKind
    title: str
    bytes: int
    passages: int
    location: Location | None = None


class File(msgspec.Struct, frozen=True, array_like=True):
    """A file as it was when it was read; `path` is where it really is, empty for what came from no file."""

    name: str
    path: str
    size: int
    modified: int
    sha256: str
    parts: tuple[Part, ...]
    # When the system last saw it change, which nobody can set; 0 where that is not known.
    changed: int = 0


class Catalogue(msgspec.Struct, frozen=True, dict=True):
    """All files; sources are numbered, and no number is given twice."""

    files: tuple[File, ...] = ()
    next: int = 1

    @cached_property
    def parts(self) -> dict[int, Part]:
        """By their numbers."""
        return {part.number: part for file in self.files for part in file.parts}

    @cached_property
    def named(self) -> dict[str, Part]:
        """By the names of the sources."""
        return {part.source: part for part in self.parts.values()}

    @cached_property
    def kinds(self) -> frozenset[EntryKind]:
        """The kinds of source that there are."""
        return frozenset(part.kind for part in self.parts.values())

    def entries(self) -> Iterator[Entry]:
        """What there is, in the order in which it came."""
        for file in self.files:
            for part in file.parts:
                yield Entry(part.source, part.kind, part.bytes, part.passages, file.sha256, part.title)


def read_catalogue(folder: Path) -> Catalogue:
    """The catalogue of a state."""
    try:
        data = zlib.decompress((folder / CATALOGUE).read_bytes())
        return msgspec.msgpack.decode(data, type=Catalogue)
    except (zlib.error, msgspec.DecodeError) as error:
        raise InputError(
            "is damaged: make the library again with `caveat index`", path=folder / CATALOGUE
        ) from error


def write_catalogue(folder: Path, catalogue: Catalogue) -> None:
    """Write it in place of the one that is linked there."""
    path = folder / CATALOGUE
    path.unlink(missing_ok=True)
    path.write_bytes(zlib.compress(msgspec.msgpack.encode(catalogue), _LEVEL))
