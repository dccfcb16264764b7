"""The index as one file: a header that says what is in it, then plain arrays, which are mapped and not read.

16 bytes  "caveat knowledge"
 4 bytes  version, little-endian, as everything here
 4 bytes  length of the header
 4 bytes  checksum of the header
          the header, JSON: `About`
          the sections, each from a multiple of 64 bytes on
          a checksum for every 4,096 bytes of the sections
 4 bytes  checksum of these checksums

What is looked at is checked first, and only that, once: an index of gigabytes opens as quickly as a small one. A
search among sorted values ends between two neighbours, one below what is looked for and one not. Where it ends wrongly,
one of the two is damaged: so the search is right if the bytes of both are.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from caveat.core.errors import InputError
from caveat.core.files import PathLike, reason_of_system
from caveat.sources.triples import INDEX_FILE, INDEX_MAGIC

VERSION = 2

_FIXED = struct.Struct("<16sIII")
_CHECKSUM = np.dtype("<u4")
# Bytes that have a checksum in common: a page of memory, which is read from the disk as a whole anyway.
_CHECKED = 4096
_ALIGNED = 64

# Entities are in the order of their hashes, and so are names. What belongs to number n of a kind begins at entry n
# of its offsets and ends where n + 1 begins.
SECTIONS: dict[str, np.dtype[Any]] = {
    "entity_hash": np.dtype("<u8"),
    "entity_triples": np.dtype("<u8"),  # offsets into triple_*
    "entity_name": np.dtype("<u8"),  # offsets into entity_text
    "entity_objects": np.dtype("<u8"),  # offsets into object_text, of all objects of the entity
    "entity_text": np.dtype("u1"),
    "triple_predicate": np.dtype("<u4"),
    "triple_size": np.dtype("<u4"),  # bytes of the object
    "object_text": np.dtype("u1"),
    "predicate_name": np.dtype("<u8"),  # offsets into predicate_text
    "predicate_text": np.dtype("u1"),
    "name_hash": np.dtype("<u8"),
    "name_folded": np.dtype("<u8"),  # offsets into name_text
    "name_links": np.dtype("<u8"),  # offsets into link_entity
    "name_text": np.dtype("u1"),
    "link_entity": np.dtype("<u4"),
    "typo": np.dtype(
        "<u8"
    ),  # sorted: 32 bits of the hash of a name without one character, 32 bits of its number
}


class Section(msgspec.Struct, frozen=True):
    """Where a section is, in bytes after the header."""

    start: int
    size: int


class About(msgspec.Struct, frozen=True):
    """What an index holds: how much of what, and from which files."""

    triples: int
    entities: int
    predicates: int
    names: int
    longest_name: int
    sources: tuple[str, ...]
    sections: dict[str, Section] = {}


class SectionWriter:
    """Sections that grow side by side, each in a file of its own until they are put together."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, BinaryIO] = {}

    def append(self, name: str, data: npt.NDArray[Any] | bytes) -> None:
        """Add to the end of a section."""
        if name not in self._files:
            self._files[name] = open(self._folder / f"section.{name}", "w+b")  # noqa: SIM115 closed in `close`
        if not isinstance(data, bytes):
            data = np.ascontiguousarray(data, dtype=SECTIONS[name]).tobytes()
        self._files[name].write(data)

    def join(self, target: Path, about: About) -> int:
        """Write the whole index to `target`, down to the disk; returns its bytes."""
        sections, at = {}, 0
        for name in SECTIONS:
            size = self._files[name].seek(0, os.SEEK_END) if name in self._files else 0
            sections[name] = Section(at, size)
            at = _aligned(at + size)
        header = msgspec.json.encode(msgspec.structs.replace(about, sections=sections))
        begin = _aligned(_FIXED.size + len(header))
        with open(target, "wb") as out:
            out.write(_FIXED.pack(INDEX_MAGIC, VERSION, len(header), zlib.crc32(header)) + header)
            out.write(bytes(begin - out.tell()))
            checksums = _Checksums()
            for name, section in sections.items():
                padding = bytes(begin + section.start - out.tell())
                for block in (padding, *(_blocks(self._files[name]) if section.size else ())):
                    out.write(block)
                    checksums.add(block)
            table = checksums.table()
            out.write(table + zlib.crc32(table).to_bytes(4, "little"))
            out.flush()
            os.fsync(out.fileno())
            return out.tell()

    def close(self) -> None:
        """Close the files; they are taken away with their folder."""
        for file in self._files.values():
            with suppress(OSError):  # what could not be written on a full disk is not needed any more
                file.close()


def _blocks(source: BinaryIO) -> Iterator[bytes]:
    source.seek(0)
    while block := source.read(1 << 24):
        yield block


class _Checksums:
    """The checksums of bytes that come piece by piece."""

    def __init__(self) -> None:
        self._rest = b""
        self._found: list[int] = []

    def add(self, block: bytes) -> None:
        data = memoryview(self._rest + block)
        whole = len(data) - len(data) % _CHECKED
        self._found += [zlib.crc32(data[at : at + _CHECKED]) for at in range(0, whole, _CHECKED)]
        self._rest = bytes(data[whole:])

    def table(self) -> bytes:
        rest = [zlib.crc32(self._rest)] if self._rest else []
        return np.array([*self._found, *rest], dtype=_CHECKSUM).tobytes()


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGNED) * _ALIGNED


class MappedFile:
    """An index opened for reading: processes that map the same file share its pages."""

    def __init__(self, path: PathLike) -> None:
        self.path = _index_in(path)
        try:
            with open(self.path, "rb") as file:
                fixed = file.read(_FIXED.size)
                header, checksum = self._header_length(fixed)
                self.about = self._about(file.read(header), checksum)
                self._begin = _aligned(_FIXED.size + header)
                self._check_size(file)
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            problem = f"cannot be opened: {reason_of_system(error)}"
            raise InputError(problem, path=self.path) from error
        self._starts = {name: section.start for name, section in self.about.sections.items()}
        self._checksums = self._read_checksums()
        self._sound = np.zeros(len(self._checksums), dtype=bool)
        self._arrays: Mapping[str, npt.NDArray[Any]] = {
            name: np.frombuffer(
                self._map, dtype, section.size // dtype.itemsize, self._begin + self._starts[name]
            )
            for name, dtype in SECTIONS.items()
            if (section := self.about.sections[name]).size
        }

    def length(self, section: str) -> int:
        """How many values a section has."""
        return self.about.sections[section].size // SECTIONS[section].itemsize

    def values(self, section: str, start: int, end: int) -> npt.NDArray[Any]:
        """A stretch of a section of numbers."""
        size = SECTIONS[section].itemsize
        self._check(self._starts[section] + start * size, self._starts[section] + end * size)
        found = self._arrays.get(section)
        return np.zeros(0, dtype=SECTIONS[section]) if found is None else found[start:end]

    def pair(self, section: str, number: int) -> tuple[int, int]:
        """Where what belongs to a number begins and ends."""
        start, end = self.values(section, number, number + 2).tolist()
        return start, end

    def search(
        self, section: str, wanted: npt.NDArray[Any], side: Literal["left", "right"] = "left"
    ) -> npt.NDArray[np.intp]:
        """The places of values in a sorted section, as numpy's `searchsorted` gives them."""
        found = self._arrays.get(section)
        if found is None:
            return np.zeros(len(wanted), dtype=np.intp)
        places = np.searchsorted(found, wanted, side=side)
        beside = np.minimum(np.concatenate((np.maximum(places - 1, 0), places)), len(found) - 1)
        self._check_blocks((self._starts[section] + beside * SECTIONS[section].itemsize) // _CHECKED)
        return places

    def sorted_values(self, section: str) -> npt.NDArray[Any]:
        """A whole section, for what `search` has found in it."""
        return self._arrays[section]

    def equals(self, section: str, number: int, value: Any) -> bool:
        """Whether there is a value of this number, and it is that one."""
        return number < self.length(section) and bool(self.values(section, number, number + 1)[0] == value)

    def bytes_of(self, section: str, start: int, end: int) -> bytes:
        """A stretch of a section of text."""
        begin = self._starts[section]
        self._check(begin + start, begin + end)
        return self._map[self._begin + begin + start : self._begin + begin + end]

    def _check(self, start: int, end: int) -> None:
        first, last = start // _CHECKED, (end - 1) // _CHECKED
        for block in range(first, min(last + 1, len(self._sound))):
            if not self._sound[block]:
                self._check_block(block)

    def _check_blocks(self, blocks: npt.NDArray[np.intp]) -> None:
        for block in np.unique(blocks[~self._sound[blocks]]).tolist():
            self._check_block(block)

    def _check_block(self, block: int) -> None:
        start = self._begin + block * _CHECKED
        end = min(start + _CHECKED, self._begin + self._size)
        if zlib.crc32(self._map[start:end]) != self._checksums[block]:
            raise InputError(f"{_DAMAGED}: a checksum is wrong, {start:,} bytes into it", path=self.path)
        self._sound[block] = True

    @property
    def _size(self) -> int:
        """The bytes of all sections."""
        return max(section.start + section.size for section in self.about.sections.values())

    def _read_checksums(self) -> npt.NDArray[np.uint32]:
        start = self._begin + self._size
        table, own = self._map[start:-4], self._map[-4:]
        if zlib.crc32(table) != int.from_bytes(own, "little"):
            raise InputError(f"{_DAMAGED}: its checksums are", path=self.path)
        return np.frombuffer(table, dtype=_CHECKSUM)

    def _header_length(self, fixed: bytes) -> tuple[int, int]:
        if not fixed.startswith(INDEX_MAGIC):
            raise InputError("is not an index of triples", path=self.path)
        if len(fixed) < _FIXED.size:
            raise InputError(_DAMAGED, path=self.path)
        _, version, length, checksum = _FIXED.unpack(fixed)
        if version != VERSION:
            problem = (
                f"is an index of version {version}, and this Caveat reads version {VERSION}: "
                "make it again with `caveat index`"
            )
            raise InputError(problem, path=self.path)
        return int(length), int(checksum)

    def _about(self, header: bytes, checksum: int) -> About:
        if zlib.crc32(header) != checksum:
            raise InputError(f"{_DAMAGED}: its header is", path=self.path)
        try:
            about = msgspec.json.decode(header, type=About)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise InputError(_DAMAGED, path=self.path) from None
        if set(about.sections) != set(SECTIONS):
            raise InputError(_DAMAGED, path=self.path)
        return about

    def _check_size(self, file: BinaryIO) -> None:
        """A copy that was cut short must not be found out by a crash in the middle of a question."""
        end = self._begin + self._size + -(-self._size // _CHECKED) * _CHECKSUM.itemsize + 4
        size = os.fstat(file.fileno()).st_size
        if size != end:
            raise InputError(f"{_DAMAGED}: it has {size:,} bytes and not {end:,}", path=self.path)


_DAMAGED = "is damaged, make it again with `caveat index`"


def _index_in(path: PathLike) -> Path:
    """The index file: the path itself, or the one in the folder that it is."""
    where = Path(path)
    if not where.is_dir():
        return where
    if not (where / INDEX_FILE).is_file():
        raise InputError("has no index of triples in it: make one with `caveat index`", path=path)
    return where / INDEX_FILE
