"""Caches, limited in size in memory, a small file for each value on disk, and the folder that those on disk are in."""

from __future__ import annotations

import hashlib
import os
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from functools import lru_cache, wraps
from pathlib import Path
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar, cast

import msgspec

from caveat.core.errors import CaveatError
from caveat.core.files import is_device, writing

Value = TypeVar("Value")


class LimitedCache(Generic[Value]):
    """The values that were used last, as long as their sizes are together at most `most`.

    The newest stays, however large it is: the next question is most probably about the same. May be used from several
    threads.
    """

    def __init__(self, most: int, size: Callable[[Value], int] = lambda _: 1) -> None:
        self._most, self._size = most, size
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._total = 0
        self._lock = Lock()
        # How often a value was there, and how often it had to be made.
        self.found = self.made = 0

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key, made where it is not there (any more)."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                self.found += 1
                return self._values[key][0]
            self.made += 1
        value = make()
        size = self._size(value)
        with self._lock:
            if key not in self._values:
                self._values[key] = value, size
                self._total += size
            while self._total > self._most and len(self._values) > 1:
                self._total -= self._values.popitem(last=False)[1][1]
        return value


def state_of(path: str | Path) -> Hashable | None:
    """What changes when a file, or any file in a folder, does; None for what can be read only once, or not at all."""
    name = os.fspath(path)
    try:
        if name == "-" or is_device(name):
            return None
        if not os.path.isdir(name):
            return _state(name)
        return tuple(sorted((file, _state(file)) for file in _files(name)))
    except (OSError, ValueError):  # gone, or no file name at all: too long, or with a NUL
        return None


def _state(file: str) -> tuple[int, int]:
    found = os.stat(file)
    return found.st_mtime_ns, found.st_size


def _files(folder: str) -> Iterator[str]:
    for inside, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if os.path.isfile(file := os.path.join(inside, name)):
                yield file


VARIABLE = "CAVEAT_CACHE"
"""Names the folder of what is kept on disk."""
LONGEST = 200
"""Characters of a text whose result is kept."""

Result = TypeVar("Result")
Given = TypeVar("Given", covariant=True)


class ShortCached(Protocol[Given]):
    """A function of a text."""

    __wrapped__: Callable[[str], Any]
    cache_clear: Callable[[], None]

    def __call__(self, text: str, /) -> Given: ...


def cache_short(maxsize: int) -> Callable[[Callable[[str], Result]], ShortCached[Result]]:
    """As `lru_cache`, for a function of one text: results of long texts are not kept."""

    def decorate(function: Callable[[str], Result]) -> ShortCached[Result]:
        cached = lru_cache(maxsize)(function)

        @wraps(function)
        def short(text: str) -> Result:
            return cached(text) if len(text) <= LONGEST else function(text)

        made = cast("ShortCached[Result]", short)
        made.cache_clear = cached.cache_clear
        return made

    return decorate


def cache_folder() -> Path:
    """Where all caches on disk are: the folder that `CAVEAT_CACHE` names, else `caveat` in the user's cache folder."""
    given = os.environ.get(VARIABLE, "")
    return Path(given).expanduser() if given else _users_cache() / "caveat"


def _users_cache() -> Path:
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA", "")
        return Path(local or "~/AppData/Local").expanduser()
    if sys.platform == "darwin":
        return Path("~/Library/Caches").expanduser()
    given = os.environ.get("XDG_CACHE_HOME", "")
    # A path that is not absolute is to be ignored, says the specification.
    return Path(given if os.path.isabs(given) else "~/.cache").expanduser()


class DiskCache:
    """Values in small files, by the digest of what they answer, so that the same question is paid for once and a run
    goes on where it was interrupted; a file that cannot be read, or is not as it was written, is as good as none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: Any) -> bytes | None:
        """What was kept for a key, any value that JSON has."""
        digest = _digest(key)
        try:
            checksum, _, value = self._path(digest).read_bytes().partition(b"\n")
        except OSError:
            return None
        return value if checksum == _checksum(digest, value) else None

    def put(self, key: Any, value: bytes) -> None:
        """Keep it; a full disk or a folder that cannot be written to is no reason to stop."""
        digest = _digest(key)
        path = self._path(digest)
        with suppress(OSError, CaveatError):
            # Answers quote the user's documents: they are for the user's eyes.
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with writing(path) as out:
                out.write((_checksum(digest, value) + b"\n" + value).decode("utf-8"))

    def _path(self, digest: str) -> Path:
        return self.folder / digest[:2] / f"{digest[2:]}.json"


def _digest(key: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(key, order="deterministic")).hexdigest()


def _checksum(digest: str, value: bytes) -> bytes:
    """Of the key too: a file under another's name is no answer to it."""
    return hashlib.sha256(digest.encode() + value).hexdigest().encode()
