"""Indexes of folders that were asked, kept in the user's cache folder, so that the next question need not read them.

An index is a library like any other, beside a file that says which files it was made of, by size and times. What is
wrong with one is never told: it is made again, or, where that cannot be, the folder is read as if there were no cache.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from uuid import uuid4

import msgspec

from caveat.core.cache import LimitedCache, cache_folder
from caveat.core.errors import CaveatError
from caveat.core.files import PathLike
from caveat.core.limits import current_limits
from caveat.core.part_files import locked
from caveat.core.records import Remark
from caveat.core.spreading import Through
from caveat.library.catalogue import is_in
from caveat.library.library import Library
from caveat.library.reading import FileState, state_of_file
from caveat.sources.gather import files_of

# What somebody asked is nobody else's.
_PRIVATE = 0o700
_FOLDER, _LIBRARY, _MADE_OF = "folders", "library", "made-of.json"
# Fewer files that are small together are read again as quickly as their index is opened.
_WORTH_FILES, _WORTH_BYTES = 20, 200_000


class Listing(msgspec.Struct, frozen=True):
    """The files of files and folders by absolute names, with their states; what of the folders is not read, and why."""

    inputs: tuple[tuple[str, str], ...]
    """The absolute name of each, and how it was spelt."""
    files: dict[str, FileState]
    unread: tuple[Remark, ...] = ()

    @property
    def is_worth_keeping(self) -> bool:
        """Whether an index of them is opened sooner than they are read, and may be kept."""
        number, size = len(self.files), sum(state.size for state in self.files.values())
        if number < 2 or size > current_limits().cache_bytes:
            return False
        return number >= _WORTH_FILES or size >= _WORTH_BYTES

    def shown(self, name: str) -> str:
        """A name in the index as the asker would spell it."""
        for absolute, given in self.inputs:
            if name == absolute:
                return given
            rest = name.removeprefix(absolute)
            if rest != name and rest.startswith("#"):
                return given + rest
            if rest != name and (rest.startswith(os.sep) or absolute.endswith(os.sep)):
                return str(Path(given, rest.lstrip(os.sep)))
        return name

    def real(self, name: str) -> str:
        """The name in the index of what is shown under a name."""
        for absolute, given in self.inputs:
            whole = os.path.abspath(name)
            if name == given or is_in(whole, absolute) or whole.startswith(f"{absolute}#"):
                return absolute if name == given else whole
        return name


def listing(inputs: Sequence[PathLike]) -> Listing:
    """What files and folders there are to be read, each file once."""
    unread: list[Remark] = []
    files: dict[str, FileState] = {}
    named = tuple((os.path.abspath(each), str(each)) for each in inputs)
    for absolute, _ in named:
        for file in files_of(absolute, unread=unread.append):
            files.setdefault(file, state_of_file(file) or FileState())
    known = Listing(named, files)
    told = tuple(Remark(known.shown(each.source), each.text) for each in unread)
    return Listing(named, files, told)


class _MadeOf(msgspec.Struct, frozen=True):
    """What an index was made of, and what there is to be said of that; one that is made anew has another id."""

    id: str
    version: str
    inputs: tuple[str, ...]
    files: dict[str, FileState]
    unread: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()


class Cached(msgspec.Struct, frozen=True):
    """The index of some files and folders, up to date; what could not be read of them, and how the rest was."""

    library: Library
    unread: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()


class CachedIndex(msgspec.Struct, frozen=True):
    """An index in the cache: what it was made of, its folder and its bytes."""

    inputs: tuple[str, ...]
    folder: str
    bytes: int


def index_in_cache(files: Listing, *, through: Through = iter) -> Cached | None:
    """The index of the files, made or brought up to date; None where they have to be read without one."""
    folder = _entry(files)
    if folder is None:
        return None
    for _ in range(2):
        try:
            return _current(folder, files) or _updated(folder, files, through)
        except _BusyError:
            return None
        except (CaveatError, OSError, ValueError):
            # Damaged, or half of it was taken away by another process: once more from nothing.
            shutil.rmtree(folder, ignore_errors=True)
    return None


# Those that this process has asked last stay open.
_opened: LimitedCache[Library] = LimitedCache(16)


class _BusyError(Exception):
    """Another process is writing the index."""


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    with ExitStack() as held:
        try:
            held.enter_context(locked(folder))
        except CaveatError as error:
            raise _BusyError from error
        yield


def _entry(files: Listing) -> Path | None:
    """The folder of an index; None where there can be none."""
    try:
        place = cache_folder()
        place.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)
        if hasattr(os, "getuid") and place.stat().st_uid != os.getuid():
            return None
    except (OSError, RuntimeError):  # it cannot be written, or nobody knows whose home it would be in
        return None
    key = msgspec.json.encode((_version(), [absolute for absolute, _ in files.inputs]))
    return place / _FOLDER / hashlib.sha256(key).hexdigest()[:32]


def _current(folder: Path, files: Listing) -> Cached | None:
    """The index if nothing has changed since it was made."""
    known = _read(folder)
    if known is None or known.files != files.files:
        return None
    library = _opened.get((folder, known.id), lambda: Library.open(folder / _LIBRARY))
    library.state()
    with suppress(OSError):  # the last to be asked is the last to go
        os.utime(folder / _MADE_OF)
    return _cached(library, known, files)


def _updated(folder: Path, files: Listing, through: Through) -> Cached | None:
    """The index once what has changed is read."""
    folder.mkdir(parents=True, exist_ok=True, mode=_PRIVATE)
    with _alone(folder):
        before = _read(folder)
        if before is None:
            shutil.rmtree(folder / _LIBRARY, ignore_errors=True)
        id = uuid4().hex if before is None else before.id
        library = _opened.get((folder, id), lambda: Library.create(folder / _LIBRARY))
        added = library.add([absolute for absolute, _ in files.inputs], through=through)
        if not library.entries():
            return None
        stayed = [
            remark
            for remark in (before.remarks if before is not None else ())
            if any(
                is_in(remark.source, file) and before is not None and before.files.get(file) == state
                for file, state in files.files.items()
            )
        ]
        listed = {each.source for each in files.unread}
        known = _MadeOf(
            id,
            _version(),
            tuple(absolute for absolute, _ in files.inputs),
            files.files,
            tuple(each for each in added.unread if files.shown(each.source) not in listed),
            tuple(dict.fromkeys((*stayed, *added.remarks))),
        )
        written = folder / f"{_MADE_OF}.{os.getpid()}"
        written.write_bytes(msgspec.json.encode(known))
        os.replace(written, folder / _MADE_OF)
    _tidy(folder)
    return _cached(library, known, files)


def _cached(library: Library, known: _MadeOf, files: Listing) -> Cached:
    def told(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
        return tuple(Remark(files.shown(each.source), each.text) for each in remarks)

    return Cached(library, (*files.unread, *told(known.unread)), told(known.remarks))


def _read(folder: Path) -> _MadeOf | None:
    try:
        known = msgspec.json.decode((folder / _MADE_OF).read_bytes(), type=_MadeOf)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return known if known.version == _version() else None


def _version() -> str:
    """Another version may read files otherwise."""
    return version("caveat")


def _tidy(newest: Path) -> None:
    """The indexes that were not asked for longest are gone, as long as all have more bytes than they may."""
    sizes = {folder: _size(folder) for folder in _entries(newest.parent)}
    left = sum(sizes.values())
    for folder in sorted(sizes, key=_asked):
        if left <= current_limits().cache_bytes:
            return
        if folder != newest:
            shutil.rmtree(folder, ignore_errors=True)
            left -= sizes[folder]


def _asked(folder: Path) -> float:
    try:
        return (folder / _MADE_OF).stat().st_mtime
    except OSError:
        return 0.0


def _entries(place: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from (each for each in place.iterdir() if each.is_dir())


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            total += path.stat().st_size if path.is_file() else 0
    return total


def cached_indexes() -> tuple[Path, tuple[CachedIndex, ...]]:
    """The cache folder, and the indexes in it, the last that was asked first."""
    place = cache_folder()
    found = sorted(_entries(place / _FOLDER), key=_asked, reverse=True)
    return place, tuple(CachedIndex(_inputs(each), str(each), _size(each)) for each in found)


def _inputs(folder: Path) -> tuple[str, ...]:
    known = _read(folder)
    return () if known is None else known.inputs


def clear_cache() -> int:
    """Take away all indexes in the cache; how many there were."""
    found = list(_entries(cache_folder() / _FOLDER))
    for each in found:
        shutil.rmtree(each, ignore_errors=True)
    return len(found)
