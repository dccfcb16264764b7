"""What is in a library: files, what each of them gave, and where that is kept."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Literal

import msgspec

from caveat.core.errors import InputError
from caveat.library.records import Location

CATALOGUE = "catalogue"
EntryKind = Literal["document", "table", "knowledge"]
_LEVEL = 1


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
