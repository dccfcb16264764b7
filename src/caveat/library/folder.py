"""A library in a folder: whole states of it one after the other, each with its records and tantivy's index."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from caveat.core.cache import LimitedCache
from caveat.core.errors import CaveatError, InputError, UsageError
from caveat.core.files import PathLike
from caveat.core.records import KnowledgeBase, Remark, Source
from caveat.library.catalogue import (
    Catalogue,
    File,
    Part,
    RecordFile,
    is_in,
    read_catalogue,
    unpacked,
    write_catalogue,
)
from caveat.library.drafted import DraftWriting
from caveat.library.search import TantivyEngine
from caveat.library.state import CatalogueHoldings, State
from caveat.library.storage import MANIFEST, SEARCH, TRIPLES, Manifest, damages, drafting, read_manifest
from caveat.library.writing import Writing
from caveat.sources.triples import is_index

# Sources that were looked at last are kept until they have so many bytes together.
_KEPT_BYTES = 1 << 26
# Files up to this size are checked when the library is opened, which takes hundredths of a second; records are checked
# as they are read, and all of it by `verify`.
_CHECKED_BYTES = 1 << 25


class FolderStore:
    """The folder of a library. May be read by several threads, and while another process writes to it."""

    def __init__(self, folder: PathLike) -> None:
        self.given = folder
        self.folder = Path(os.path.realpath(folder))
        self._loading = Lock()
        self._sources: LimitedCache[tuple[Source, int]] = LimitedCache(_KEPT_BYTES, lambda kept: kept[1])
        self._opened: tuple[State, CatalogueHoldings] | None = None
        self._seen: tuple[int, int] | None = None

    @property
    def where(self) -> str:
        """The folder."""
        return str(self.folder)

    def open(self) -> None:
        """Check that there is a library."""
        if read_manifest(self.given) is None:
            raise _no_library(self.given)
        self.state()

    def create(self) -> None:
        """Make an empty one where there is none."""
        if os.path.exists(self.given) and not os.path.isdir(self.given):
            raise UsageError(f"{self.given} is a file: a library is a folder.")
        if read_manifest(self.given) is not None:
            self.open()
            return
        with drafting(self.folder) as draft:
            if draft.before is None:
                write_catalogue(draft.path, Catalogue())
                TantivyEngine.create(draft.path / SEARCH)
                draft.commit()

    def state(self) -> State:
        """The state that holds: what is read of it stays as it is, even if another process makes a new one."""
        return self._load()[0]

    @contextmanager
    def writing(self) -> Iterator[Writing]:
        """Work on a draft of the next state."""
        with drafting(self.folder) as draft, DraftWriting(draft) as work:
            yield work

    def files(self) -> Iterable[File]:
        """All files, and what each gave."""
        return self._load()[1].catalogue.files

    def owns(self, path: str) -> bool:
        """Whether a file is in the folder of the library."""
        return is_in(path, str(self.folder))

    def verify(self) -> list[Remark]:
        """What is damaged, file by file."""
        while True:
            try:
                manifest = read_manifest(self.folder)
            except InputError as error:
                return [Remark(MANIFEST, error.problem)]
            if manifest is None:
                raise _no_library(self.folder)
            found = [Remark(each.name, each.problem) for each in damages(self.folder, manifest)]
            if not found or self._holds(manifest):
                return found

    def _load(self) -> tuple[State, CatalogueHoldings]:
        if self._opened is not None and self._seen == self._stamp():
            return self._opened
        with self._loading:
            while True:
                stamp, manifest = self._stamp(), read_manifest(self.folder)
                if manifest is None:
                    raise _no_library(self.folder)
                try:
                    holdings = _holdings(self.folder, manifest, self._sources)
                    opened = State(holdings, TantivyEngine(Path(holdings.where, SEARCH))), holdings
                except (CaveatError, OSError, ValueError) as error:
                    # Whatever was wrong with a state that has been replaced meanwhile, another one holds.
                    if not self._holds(manifest):
                        continue
                    if isinstance(error, CaveatError):
                        raise
                    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
                    where = self.folder / manifest.state
                    raise InputError(f"cannot be read: {reason.lower()}", path=where) from error
                self._opened, self._seen = opened, stamp
                return opened

    def _stamp(self) -> tuple[int, int] | None:
        """What tells one manifest from the next without reading it."""
        try:
            found = os.stat(self.folder / MANIFEST)
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns

    def _holds(self, manifest: Manifest) -> bool:
        """Whether a state that was read still is the one that holds."""
        return read_manifest(self.folder) == manifest


def _holdings(folder: Path, manifest: Manifest, kept: LimitedCache[tuple[Source, int]]) -> CatalogueHoldings:
    """The sources of a state, whatever becomes of it on disk.

    What was looked at last is `kept`, by numbers that no two sources share, whatever the state.
    """
    path = folder / manifest.state
    for name, problem, remedy in damages(folder, manifest, most=_CHECKED_BYTES):
        raise InputError(f"{problem}{remedy}", path=path / name)
    catalogue = read_catalogue(path)
    records = RecordFile(path, {part.location.file for part in catalogue.parts.values() if part.location})

    def read(part: Part) -> Source:
        location = part.location
        if location is None:
            return KnowledgeBase(str(path / f"{TRIPLES}{part.number}"))

        def unpack() -> tuple[Source, int]:
            data = records.read(location)
            return unpacked(data, part.source), len(data)

        return kept.get(part.number, unpack)[0]

    return CatalogueHoldings(str(path), catalogue, read)


def _no_library(folder: PathLike) -> InputError:
    if is_index(folder):
        return InputError("is an index of triples: it is asked as a source, not as a library", path=folder)
    return InputError("is no library: `caveat index SOURCE… --out DIR` makes one", path=folder)
