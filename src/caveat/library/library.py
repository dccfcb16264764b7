"""A library: many sources in a folder or on servers, kept as they were read, searched and asked without their files."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Protocol

from caveat.core.errors import InputError, UsageError
from caveat.core.files import PathLike
from caveat.core.records import Hit, Remark, Source
from caveat.core.spreading import Spread, Through, here
from caveat.library.catalogue import Entry, File
from caveat.library.folder import FolderStore
from caveat.library.qdrant.nodes import is_address, parse_address
from caveat.library.reading import FileRead, Task, part_of, read_files
from caveat.library.state import State
from caveat.library.writing import Added, Writing, tasks_of
from caveat.sources.gather import ReadSource, files_of, parse_source
from caveat.sources.triples import is_index


class Store(Protocol):
    """Where a library is kept."""

    @property
    def where(self) -> str:
        """The folder or address, for messages."""
        ...

    def open(self) -> None:
        """Check that there is a library."""
        ...

    def create(self) -> None:
        """Make an empty one where there is none."""
        ...

    def state(self) -> State:
        """What is there to be read."""
        ...

    def writing(self) -> AbstractContextManager[Writing]:
        """Work on what is there."""
        ...

    def files(self) -> Iterable[File]:
        """All files, and what each gave."""
        ...

    def owns(self, path: str) -> bool:
        """Whether a file is the library's own."""
        ...

    def verify(self) -> Iterable[Remark]:
        """What is damaged."""
        ...


class Library:
    """Many sources under one roof. May be used from several threads, and while another process writes to it."""

    def __init__(self, where: PathLike) -> None:
        """`where` is a folder, or the address of a collection on Qdrant servers, `qdrant://HOST:PORT/NAME`."""
        self._store: Store = _store(where)
        self._writing = Lock()

    @classmethod
    def open(cls, where: PathLike) -> Library:
        """The library in a folder or at an address."""
        library = cls(where)
        library._store.open()
        return library

    @classmethod
    def create(cls, where: PathLike) -> Library:
        """The library in a folder or at an address, an empty one where there is none yet."""
        library = cls(where)
        library._store.create()
        return library

    @property
    def where(self) -> str:
        """The folder or address."""
        return self._store.where

    @property
    def folder(self) -> Path:
        """The folder, of a library that is in one."""
        if not isinstance(self._store, FolderStore):
            raise UsageError(f"The library at {self.where} is in no folder.")
        return self._store.folder

    def add(
        self,
        inputs: Sequence[PathLike],
        *,
        strict: bool = False,
        processes: int | None = None,
        through: Through = iter,
        spread: Spread = here,
    ) -> Added:
        """Put files and folders, with all that is in them, into the library: into a folder all at once or not at all,
        on servers file by file.

        A file that is there already is read again only if it has changed, and what a folder does not have any more
        leaves. A file of a folder that cannot be read is listed in what is returned, unless that is to be an error
        (`strict`). Files are read in several `processes` where there is much to read, or where `spread` says. The list
        of what is to be read goes `through`, for a progress bar.
        """
        begin = perf_counter()
        with self._writing, self._store.writing() as work:
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
            with self._writing, self._store.writing() as work:
                work.unread += unread
                work.look_up([name], [name])
                for file in work.files_named(name):
                    if file.path:
                        work.drop(file)
                work.take(Task(name, ""), content, must=True)
                added = work.finish(perf_counter() - begin)
        self.state()
        return added

    def remove(self, names: Sequence[str]) -> int:
        """Take files out of the library, by the names that `entries` has; the name of a folder is all that is in it."""
        with self._writing, self._store.writing() as work:
            gone = [file for name in dict.fromkeys(names) for file in work.named(name)]
            for file in dict.fromkeys(gone):
                work.drop(file)
            work.finish(0.0)
        self.state()
        return len(set(gone))

    def remove_file(self, name: str) -> int:
        """Take one file out of the library; the name of a folder is refused."""
        with self._writing, self._store.writing() as work:
            found = work.named(name)
            if any(file.name != name for file in found):
                raise UsageError(
                    f"{name} is a folder: its {len(found):,} files have to be removed one by one."
                )
            for file in found:
                work.drop(file)
            work.finish(0.0)
        self.state()
        return len(found)

    def entries(self) -> tuple[Entry, ...]:
        """What is in the library: in a folder in the order in which it came, on servers by name."""
        return tuple(self.state().entries())

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of source that are in it."""
        return self.state().kinds

    def verify(self) -> tuple[Remark, ...]:
        """What is damaged, file by file; nothing if the library is sound."""
        return tuple(self._store.verify())

    def search(self, question: str, top: int = 10, sources: Sequence[str] = ()) -> list[Hit]:
        """The passages that fit a question best, of documents and tables; the same text is given once.

        Where names of `sources`, or of folders of them, are given, only these are searched.
        """
        return self.state().search(question, top, sources)

    def document(self, source: str) -> Source:
        """What an entry holds, by its name."""
        return self.state().document(source)

    def state(self) -> State:
        """What is there to be read, opened."""
        return self._store.state()

    def _listed(self, path: PathLike, work: Writing) -> Iterator[str]:
        """The files of a path; those of a folder that the library has and the folder has not leave."""
        if str(path) == "-":
            raise UsageError("Standard input has no name that it could be kept under: index a file.")
        files = files_of(path, unread=work.unread.append)
        whole = os.path.realpath(path)
        if os.path.isdir(whole) and not is_index(whole):
            owns = self._store.owns
            files = [file for file in files if not owns(os.path.realpath(file))]
            work.unread[:] = [each for each in work.unread if not owns(os.path.realpath(each.source))]
            there = set(map(os.path.realpath, files))
            closed = {os.path.realpath(each.source): each.text for each in work.unread}
            if whole in closed:
                raise InputError(closed[whole], path=path)
            for file in work.files_in(whole):
                # What is in a folder that cannot be opened has not left it.
                if file.path not in there and not closed.keys() & {
                    file.path,
                    *map(str, Path(file.path).parents),
                }:
                    work.drop(file)
                    work.removed += 1
        yield from files


def copy_library(source: PathLike, target: PathLike, *, through: Through = iter) -> Added:
    """Put all that one library holds into another, which is made where there is none, without reading any file.

    What the other has already under the same path or name is replaced where it is not the same.
    """
    begin = perf_counter()
    given, taking = Library.open(source), Library.create(target)
    if given.where == taking.where:
        raise UsageError(f"{source} and {target} are the same library.")
    state = given.state()
    with taking._writing, taking._store.writing() as work:
        files = list(given._store.files())
        work.look_up([file.path or file.name for file in files], [file.name for file in files])
        for file in through(files):
            known = work.known(file.path or file.name)
            if known is not None and known.sha256 == file.sha256:
                work.unchanged += 1
                continue
            read = [ReadSource(part.source, state.source(part.number)) for part in file.parts]
            parts = tuple(
                part_of(each)._replace(source=part.source, title=part.title, size=part.bytes)
                for each, part in zip(read, file.parts, strict=True)
            )
            content = FileRead(file.sha256, file.size, file.modified, parts, changed=file.changed)
            work.take(Task(file.name, file.path), content, must=True)
        added = work.finish(perf_counter() - begin)
    taking.state()
    return added


def _store(where: PathLike) -> Store:
    if not is_address(where):
        return FolderStore(where)
    from caveat.library.qdrant.store import QdrantStore

    return QdrantStore(parse_address(str(where)))
