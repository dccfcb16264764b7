"""A library's folder: states of it that are complete, one after the other, and the file that says which one holds.

A new state is made beside the old one: the files that stay are linked into it, new ones are written, all are checked
off with their checksums, and then one file takes the place of another. Whatever happens before that moment, the
old state holds; after it, the new one does.
"""

from __future__ import annotations

import os
import shutil
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from typing import NamedTuple

import msgspec

from caveat.core.errors import CaveatError, InputError
from caveat.core.files import PathLike, reason_of_system
from caveat.core.part_files import workplace

MANIFEST = "library.json"
SEARCH, TRIPLES = "search", "triples-"
"""The folder of the search engine, and the beginning of the names of those with triples."""
VERSION = 1
_STATE = "state-"
_BLOCK = 1 << 20
# What tantivy replaces by name, and what only marks that it is at work.
_REPLACED, _LOCK = ".json", ".lock"


class Manifest(msgspec.Struct, frozen=True):
    """Which state holds, and the size and checksum of each of its files."""

    state: str
    files: dict[str, tuple[int, int]]
    version: int = VERSION

    @property
    def number(self) -> int:
        """States are counted."""
        return int(self.state.removeprefix(_STATE))


def is_library(path: PathLike) -> bool:
    """Whether a path is a library's folder; a file of that name alone may be anybody's."""
    return os.path.isfile(Path(path, MANIFEST)) and any(Path(path).glob(f"{_STATE}*"))


def read_manifest(folder: PathLike) -> Manifest | None:
    """The manifest of a library; None where there is none."""
    path = Path(folder, MANIFEST)
    try:
        text, _, checksum = path.read_bytes().rstrip(b"\n").rpartition(b"\n")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InputError(f"cannot be opened: {_reason(error)}", path=path) from error
    if checksum != _checksum(text):
        raise InputError("is damaged: make the library again with `caveat index`", path=path)
    version = msgspec.json.decode(text)["version"]
    if version != VERSION:
        raise InputError(
            f"is of version {version}, and this Caveat reads version {VERSION}: make the library again with "
            "`caveat index`",
            path=path,
        )
    return msgspec.json.decode(text, type=Manifest)


class Damage(NamedTuple):
    """A file of a state that is not as it was written: what is wrong with it, and what can be done."""

    name: str
    problem: str
    remedy: str = "; make the library again with `caveat index`"


def damages(folder: Path, manifest: Manifest, *, most: float = inf) -> Iterator[Damage]:
    """The files of a state that are not as they were written.

    Of files with more than `most` bytes only the size is looked at.
    """
    state = folder / manifest.state
    for name, (size, checksum) in sorted(manifest.files.items()):
        try:
            if (found := os.path.getsize(state / name)) != size:
                yield Damage(name, f"has {found:,} bytes and not {size:,}")
            elif size <= most and _file_checksum(state / name) != checksum:
                yield Damage(name, "is damaged: its checksum is wrong")
        except PermissionError as error:
            yield Damage(name, f"cannot be read: {_reason(error)}", remedy="")
        except OSError as error:
            yield Damage(name, f"cannot be read: {_reason(error)}")


class Draft:
    """A state to be: its folder, with all files of the state before it."""

    def __init__(self, folder: Path, path: Path, before: Manifest | None) -> None:
        self.folder, self.path, self.before = folder, path, before
        path.mkdir()
        if before is not None:
            for name in before.files:
                (path / name).parent.mkdir(parents=True, exist_ok=True)
                _link(folder / before.state / name, path / name)

    def commit(self) -> Manifest:
        """The draft is the state that holds."""
        known = self.before.files if self.before is not None else {}
        files: dict[str, tuple[int, int]] = {}
        for path in sorted(self.path.rglob("*")):
            if not path.is_file() or path.suffix == _LOCK:
                continue
            name = path.relative_to(self.path).as_posix()
            stays = name in known and path.suffix != _REPLACED and path.stat().st_nlink > 1
            files[name] = known[name] if stays else _settled(path)
        number = self.before.number + 1 if self.before is not None else 1
        manifest = Manifest(f"{_STATE}{number:06}", files)
        written = self._write_manifest(manifest)
        state = self.folder / manifest.state
        shutil.rmtree(state, ignore_errors=True)  # of a build that was killed right before its end
        os.rename(self.path, state)
        try:
            _settle_folder(self.folder)
            os.replace(written, self.folder / MANIFEST)
        except OSError:
            shutil.rmtree(state, ignore_errors=True)
            raise
        with suppress(OSError):  # the new state holds, and after a power cut the one or the other, whole
            _settle_folder(self.folder)
        for other in self.folder.glob(f"{_STATE}*"):
            if other != state:
                # Where files that are open cannot be taken away they go with the next state.
                shutil.rmtree(other, ignore_errors=True)
        return manifest

    def _write_manifest(self, manifest: Manifest) -> Path:
        """The manifest beside the draft, down on the disk."""
        text = msgspec.json.encode(manifest)
        written = self.path.with_name(MANIFEST)
        with open(written, "wb") as file:
            file.write(text + b"\n" + _checksum(text) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        return written


@contextmanager
def drafting(folder: Path) -> Iterator[Draft]:
    """A draft of the next state; one process writes at a time, and what is not committed is gone."""
    try:
        with workplace(folder) as place:
            yield Draft(folder, place / "draft", read_manifest(folder))
    except OSError as error:
        raise CaveatError(
            f"{folder} cannot be written: {_reason(error)}. The library is as it was."
        ) from error


def _link(source: Path, target: Path) -> None:
    """The same file under another name; what is replaced by name in there, and where there are no links, a copy."""
    if source.suffix != _REPLACED:
        with suppress(OSError):
            os.link(source, target)
            return
    shutil.copyfile(source, target)


def _settled(path: Path) -> tuple[int, int]:
    """The size and checksum of a file that is down on the disk."""
    # Tantivy writes some of its files for their owner alone.
    path.chmod(stat.S_IMODE(path.parent.stat().st_mode) & 0o666)
    with open(path, "rb") as file:
        os.fsync(file.fileno())
    return path.stat().st_size, _file_checksum(path)


def _reason(error: OSError) -> str:
    return reason_of_system(error)


def _settle_folder(folder: Path) -> None:
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _file_checksum(path: Path) -> int:
    checksum = 0
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            checksum = zlib.crc32(block, checksum)
    return checksum


def _checksum(text: bytes) -> bytes:
    return f"{zlib.crc32(text):08x}".encode()
