"""A library: many sources in a folder, kept as they were read, searched and asked without their files."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from time import perf_counter

from caveat.answerers.contract import Through
from caveat.answerers.kept import Kept
from caveat.core.errors import InputError, UsageError
from caveat.core.files import PathLike
from caveat.core.records import Remark, Source
from caveat.core.spreading import Spread, here
from caveat.library.catalogue import Catalogue, Entry, write_catalogue
from caveat.library.reading import FileRead, Task, part_of, read_files
from caveat.library.search import TantivyEngine
from caveat.library.state import SEARCH, Hit, State
from caveat.library.storage import MANIFEST, damages, drafting, read_manifest
from caveat.library.writing import Added, Writing, is_in, tasks_of
from caveat.sources.gather import files_of, parse_source
from caveat.sources.triples import is_index

__all__ = ["Added", "Hit", "Library"]

# Sources that were looked at last are kept until they have so many bytes together.
_KEPT_BYTES = 1 << 26
# A state may be replaced between its manifest and its files being read.
_TRIES = 10


class Library:
    """A folder with sources in it. May be used from several threads, and while another process writes to it."""

    def __init__(self, folder: PathLike) -> None:
        self.folder = Path(os.path.realpath(folder))
        self._writing = Lock()
        self._loading = Lock()
        self._sources: Kept[tuple[Source, int]] = Kept(_KEPT_BYTES, lambda kept: kept[1])
        self._opened: State | None = None
        self._seen: tuple[int, int] | None = None

    @classmethod
    def open(cls, folder: PathLike) -> Library:
        """The library in a folder."""
        if read_manifest(folder) is None:
            raise _no_library(folder)
        library = cls(folder)
        library.state()
        return library

    @classmethod
    def create(cls, folder: PathLike) -> Library:
        """The library in a folder, an empty one where there is none yet."""
        path = Path(folder)
        if path.exists() and not path.is_dir():
            raise UsageError(f"{folder} is a file: a library is a folder.")
        if read_manifest(path) is not None:
            return cls.open(folder)
        library = cls(folder)
        with drafting(library.folder) as draft:
            if draft.before is None:
                write_catalogue(draft.path, Catalogue())
                TantivyEngine(draft.path / SEARCH)
                draft.commit()
        return library

    def add(
        self,
        inputs: Sequence[PathLike],
        *,
        strict: bool = False,
        processes: int | None = None,
        through: Through = iter,
        spread: Spread = here,
    ) -> Added:
        """Put files and folders, with all that is in them, into the library, all at once or not at all.

        A file that is there already is read again only if it has changed, and what a folder does not have any more
        leaves. A file of a folder that cannot be read is listed in what is returned, unless that is to be an error
        (`strict`). Files are read in several `processes` where there is much to read, or where `spread` says. The list
        of what is to be read goes `through`, for a progress bar.
        """
        begin = perf_counter()
        with self._writing, drafting(self.folder) as draft, Writing(draft) as work:
            listed = [file for each in inputs for file in self._listed(each, work)]
            if strict and work.unread:
                raise InputError(work.unread[0].text, path=work.unread[0].source)
            named = {str(each) for each in inputs}
            tasks = [task for task in tasks_of(listed, work) if not work.stays(task)]
            read = read_files(tasks, processes, spread)
            for task in through(tasks):
                work.take(task, next(read), must=strict or task.name in named)
            added = work.finish(perf_counter() - begin)
        self.state()
        return added

    def put(self, name: str, data: bytes) -> Added:
        """Put the content of a file that is nowhere into the library, under a name, which tells its kind.

        What had this name leaves.
        """
        begin = perf_counter()
        with tempfile.TemporaryDirectory(prefix="caveat-") as place:
            unread: list[Remark] = []
            read = parse_source(data, name, Path(place), unread=unread.append)
            remarks = tuple((each.name, each.remark) for each in read if each.remark)
            parts = tuple(map(part_of, read))
            content = FileRead(hashlib.sha256(data).hexdigest(), len(data), 0, parts, remarks)
            with self._writing, drafting(self.folder) as draft, Writing(draft) as work:
                work.unread += unread
                for file in work.files_named(name):
                    if file.path:
                        work.drop(file)
                work.take(Task(name, ""), content, must=True)
                added = work.finish(perf_counter() - begin)
        self.state()
        return added

    def remove(self, names: Sequence[str]) -> int:
        """Take files out of the library, by the names that `entries` has; the name of a folder is all that is in it."""
        with self._writing, drafting(self.folder) as draft, Writing(draft) as work:
            gone = [file for name in dict.fromkeys(names) for file in work.named(name)]
            for file in dict.fromkeys(gone):
                work.drop(file)
            work.finish(0.0)
        self.state()
        return len(set(gone))

    def entries(self) -> tuple[Entry, ...]:
        """What is in the library, in the order in which it came."""
        return tuple(self.state().catalogue.entries())

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of source that are in it."""
        return self.state().catalogue.kinds

    def verify(self) -> tuple[Remark, ...]:
        """What is damaged, file by file; nothing if the library is sound."""
        try:
            manifest = read_manifest(self.folder)
        except InputError as error:
            return (Remark(MANIFEST, error.problem),)
        if manifest is None:
            raise _no_library(self.folder)
        return tuple(Remark(name, problem) for name, problem in damages(self.folder, manifest))

    def search(self, question: str, top: int = 10) -> list[Hit]:
        """The passages that fit a question best, of documents and tables; the same text is given once."""
        return self.state().search(question, top)

    def document(self, source: str) -> Source:
        """What an entry holds, by its name."""
        return self.state().document(source)

    def state(self) -> State:
        """The state that holds, opened: what is read of it stays as it is, even if another process makes a new one."""
        with suppress(OSError):
            found = os.stat(self.folder / MANIFEST)
            if self._opened is not None and self._seen == (found.st_ino, found.st_mtime_ns):
                return self._opened
        with self._loading:
            for tries in range(_TRIES):
                try:
                    found = os.stat(self.folder / MANIFEST)
                    manifest = read_manifest(self.folder)
                    if manifest is None:
                        raise _no_library(self.folder)
                    state = State(self.folder, manifest, self._sources)
                except FileNotFoundError as error:
                    if tries < _TRIES - 1:
                        continue
                    raise InputError(f"has lost {error}", path=self.folder) from error
                self._opened, self._seen = state, (found.st_ino, found.st_mtime_ns)
                return state
        raise AssertionError("the last try returns or raises")

    def _listed(self, path: PathLike, work: Writing) -> Iterator[str]:
        """The files of a path; those of a folder that the library has and the folder has not leave."""
        if str(path) == "-":
            raise UsageError("Standard input has no name that it could be kept under: index a file.")
        files = files_of(path, unread=work.unread.append)
        whole = os.path.realpath(path)
        if os.path.isdir(whole) and not is_index(whole):
            files = [file for file in files if not is_in(os.path.realpath(file), str(self.folder))]
            work.unread[:] = [
                each for each in work.unread if not is_in(os.path.realpath(each.source), str(self.folder))
            ]
            there = set(map(os.path.realpath, files))
            for file in work.files_in(whole):
                if file.path not in there:
                    work.drop(file)
                    work.removed += 1
        yield from files


def _no_library(folder: PathLike) -> InputError:
    if is_index(folder):
        return InputError("is an index of triples: it is asked as a source, not as a library", path=folder)
    return InputError("is no library: `caveat index SOURCE… --out DIR` makes one", path=folder)
