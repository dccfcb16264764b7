"""Answers of language models on disk, one small file each: the same question is paid for once, and a run goes on
where it was interrupted."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from caveat.core.errors import CaveatError
from caveat.core.files import writing

VARIABLE = "CAVEAT_CACHE"


def default_folder() -> Path:
    """What CAVEAT_CACHE names, else `caveat` in the user's cache folder."""
    if given := os.environ.get(VARIABLE, ""):
        return Path(given).expanduser()
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path("~/.cache").expanduser()) / "caveat"


class Cache:
    """Values by the digest of what they are the answer to; a file that cannot be read, or is not as it was written,
    is as good as none."""

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
