"""The names of a library's sources as clients see them: a file that was indexed by its path tells not where it is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator


class LibraryNames:
    """Names that are paths from the root are shown from the folder on that all of them are in."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        known = dict.fromkeys(each for name in names for each in _with_files(name))
        paths = [name for name in known if os.path.isabs(name)]
        try:
            folder = os.path.commonpath([os.path.dirname(path) for path in paths]) if paths else ""
        except ValueError:  # on several drives
            folder = ""
        self._folder = os.path.join(folder, "") if folder else ""
        self._real: dict[str, str] = {}
        for path in paths:
            short = path.removeprefix(self._folder)
            while short in known or short in self._real:
                # Another source has this name.
                short = os.path.join(os.path.basename(folder) or "root", short)
            self._real[short] = path
        self._shown = {path: short for short, path in self._real.items()}

    def shown(self, name: str) -> str:
        """What a client is told."""
        return self._shown.get(name, name)

    def real(self, given: str) -> str:
        """The name of what a client means; of a source that is to come, what it says."""
        return self._real.get(given, given)

    def sentence(self, text: str) -> str:
        """A sentence that may have names in it."""
        return text.replace(self._folder, "") if len(self._folder) > 1 else text


def _with_files(name: str) -> Iterator[str]:
    """The name of a source, and of the file that it may be one of several of: `fees.xlsx#2026` is of `fees.xlsx`."""
    yield name
    while "#" in name:
        name = name.rpartition("#")[0]
        yield name
