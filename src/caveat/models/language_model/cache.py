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

__all__ = ["VARIABLE", "Cache", "default_folder"]

VARIABLE = "CAVEAT_CACHE"


def default_folder() -> Path:
    """What CAVEAT_CACHE names, else `caveat` in the user's cache folder."""
    if given := os.environ.get(VARIABLE, ""):
        return Path(given).expanduser()
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path("~/.cache").expanduser()) / "caveat"


class Cache:
    """Values by the digest of what they are the answer to; a file that cannot be read is as good as none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: Any) -> bytes | None:
        """What was kept for a key, any value that JSON has."""
        try:
            return self._path(key).read_bytes()
        except OSError:
            return None

    def put(self, key: Any, value: bytes) -> None:
        """Keep it; a full disk or a folder that cannot be written to is no reason to stop."""
        path = self._path(key)
        with suppress(OSError, CaveatError):
            # Answers quote the user's documents: they are for the user's eyes.
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with writing(path) as out:
                out.write(value.decode("utf-8"))

    def _path(self, key: Any) -> Path:
        digest = hashlib.sha256(msgspec.json.encode(key, order="deterministic")).hexdigest()
        return self.folder / digest[:2] / f"{digest[2:]}.json"
