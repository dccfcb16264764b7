"""The index as one file: a header that says what is in it, then plain arrays, which are mapped and not read.

16 bytes  "caveat knowledge"
 4 bytes  version, little-endian, as everything here
 4 bytes  length of the header
          the header, JSON: `About`
          the sections, each from a multiple of 64 bytes on
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np
import numpy.typing as npt

from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.sources.triples import INDEX_FILE, INDEX_MAGIC

__all__ = ["VERSION", "About", "MappedFile", "SectionWriter"]

VERSION = 1

_FIXED = struct.Struct("<16sII")
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
            out.write(_FIXED.pack(INDEX_MAGIC, VERSION, len(header)) + header)
            for name, section in sections.items():
                out.write(bytes(begin + section.start - out.tell()))
                if section.size:
                    _copy(self._files[name], out)
            out.flush()
            os.fsync(out.fileno())
            return out.tell()

    def close(self) -> None:
        """Close the files; they are taken away with their folder."""
        for file in self._files.values():
            with suppress(OSError):  # what could not be written on a full disk is not needed any more
                file.close()


def _copy(source: BinaryIO, target: BinaryIO) -> None:
    source.seek(0)
    while block := source.read(1 << 24):
        target.write(block)


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGNED) * _ALIGNED


class MappedFile:
    """An index opened for reading: processes that map the same file share its pages."""

    def __init__(self, path: PathLike) -> None:
        self.path = _index_in(path)
        try:
            with open(self.path, "rb") as file:
                fixed = file.read(_FIXED.size)
                header = self._header_length(fixed)
                self.about = self._about(file.read(header))
                begin = _aligned(_FIXED.size + header)
                self._check_size(file, begin)
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            problem = f"cannot be opened: {(error.strerror or str(error)).lower()}"
            raise InputError(problem, path=self.path) from error
        self.starts = {name: begin + section.start for name, section in self.about.sections.items()}
        self.arrays: Mapping[str, npt.NDArray[Any]] = {
            name: np.frombuffer(self._map, dtype, section.size // dtype.itemsize, self.starts[name])
            for name, dtype in SECTIONS.items()
            if (section := self.about.sections[name]).size
        }

    def bytes_of(self, section: str, start: int, end: int) -> bytes:
        """A stretch of a section of text."""
        begin = self.starts[section]
        return self._map[begin + start : begin + end]

    def _header_length(self, fixed: bytes) -> int:
        if len(fixed) < _FIXED.size or not fixed.startswith(INDEX_MAGIC):
            raise InputError("is not an index of triples", path=self.path)
        _, version, length = _FIXED.unpack(fixed)
        if version != VERSION:
            problem = (
                f"is an index of version {version}, and this Caveat reads version {VERSION}: "
                "make it again with `caveat index`"
            )
            raise InputError(problem, path=self.path)
        return int(length)

    def _about(self, header: bytes) -> About:
        try:
            about = msgspec.json.decode(header, type=About)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise InputError(_DAMAGED, path=self.path) from None
        if set(about.sections) != set(SECTIONS):
            raise InputError(_DAMAGED, path=self.path)
        return about

    def _check_size(self, file: BinaryIO, begin: int) -> None:
        """A copy that was cut short must not be found out by a crash in the middle of a question."""
        end = begin + max(section.start + section.size for section in self.about.sections.values())
        size = os.fstat(file.fileno()).st_size
        if not end <= size < end + _ALIGNED:
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
