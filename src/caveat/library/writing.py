"""Writing to a library: files that come, stay, change and leave, wherever it is kept."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from caveat.core.errors import InputError, UnknownNameError, UsageError, reason_of
from caveat.core.records import Remark
from caveat.library.catalogue import File, Part, UniqueNames, is_in
from caveat.library.reading import FileRead, PartRead, Task, state_of_file


class Added(msgspec.Struct, frozen=True):
    """What `add` did: files that were new, changed, as before, gone; what was not read, and how the rest was."""

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    removed: int = 0
    passages: int = 0
    bytes: int = 0
    seconds: float = 0.0
    unread: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()


def tasks_of(listed: Sequence[str], work: Writing) -> Iterator[Task]:
    """Each file once, with what it was when it was read before."""
    files: dict[str, str] = {}
    for name in listed:
        files.setdefault(os.path.realpath(name) if state_of_file(name) is not None else name, name)
    work.look_up(list(files), list(files.values()))
    for path, name in files.items():
        before = work.by_path.get(path)
        yield Task(name, path, before.sha256 if before is not None else "")


def _renamed(parts: Iterable[PartRead], before: str, now: str) -> Iterator[PartRead]:
    """The parts of a file, each with a name of its own.

    A page and its only table are called alike, and a file is called otherwise here where another has its name.
    """
    names = UniqueNames()
    for part in parts:
        name = now + part.source.removeprefix(before) if part.source.startswith(before) else part.source
        yield part._replace(source=names.take(name))


class Writing(ABC):
    """The work on a library: files that stay, come and go."""

    def __init__(self, files: Iterable[File] = ()) -> None:
        self._files: dict[str, File] = {}
        self.by_path: dict[str, File] = {}
        self._names: set[str] = set()
        for file in files:
            self._know(file)
        self._changed = False
        self.unread: list[Remark] = []
        self.remarks: list[Remark] = []
        self.added = self.replaced = self.unchanged = self.removed = self.passages = self.bytes = 0

    @abstractmethod
    def look_up(self, paths: Sequence[str], names: Sequence[str]) -> None:
        """What the library knows of files of these paths and names will be wanted."""

    def known(self, key: str) -> File | None:
        """A file that the library has, by its path, or by its name where it has none."""
        return self._files.get(key)

    def stays(self, task: Task) -> bool:
        """Whether a file has the size and times that it had when it was read."""
        before, now = self.by_path.get(task.path), state_of_file(task.path)
        if before is None or now is None or (now.size, now.modified) != (before.size, before.modified):
            return False
        if before.changed not in (0, now.changed):
            return False
        self.unchanged += 1
        return True

    def files_in(self, folder: str) -> list[File]:
        """The files that came from a folder."""
        return [file for file in self._files.values() if file.path and is_in(file.path, folder)]

    def files_named(self, name: str) -> list[File]:
        """The file of a name, if there is one."""
        return [file for file in self._files.values() if file.name == name]

    def named(self, name: str) -> list[File]:
        """The file of a name, or those of a folder."""
        found = self.files_named(name) or [file for file in self._files.values() if is_in(file.name, name)]
        if found:
            return found
        for file in self._files.values():
            if any(part.source == name for part in file.parts):
                raise UsageError(f"{name} is a part of {file.name}: that can be removed as a whole.")
        raise UnknownNameError("source in the library", name, sorted(self._names)[:20])

    def drop(self, file: File) -> None:
        """A file leaves."""
        self._changed = True
        del self._files[file.path or file.name]
        self._names.discard(file.name)
        self._leave(file)

    def take(self, task: Task, read: FileRead, *, must: bool) -> None:
        """A file comes, instead of what it was before."""
        key = task.path or task.name
        before = self._files.get(key)
        if read.problem is not None:
            if must:
                raise read.problem
            self.unread.append(Remark(task.name, reason_of(read.problem)))
            return
        if read.unchanged and before is not None:
            self.unchanged += 1
            self._changed = True
            self._files[key] = msgspec.structs.replace(
                before, size=read.size, modified=read.modified, changed=read.changed
            )
            self._came(self._files[key])
            return
        wanted = list(self._prepared(task, read, must=must))
        if not wanted:
            return
        if before is not None:
            self.drop(before)
        name = task.name if task.name not in self._names else task.path or task.name
        parts = tuple(self._keep(part, task, read) for part in _renamed(wanted, task.name, name))
        self._changed = True
        self.replaced, self.added = self.replaced + (before is not None), self.added + (before is None)
        self._names.add(name)
        self._files[key] = File(name, task.path, read.size, read.modified, read.sha256, parts, read.changed)
        self._came(self._files[key])
        self.remarks += [Remark(*remark) for remark in read.remarks]

    def finish(self, seconds: float) -> Added:
        """All that was done, down to the disk, unless nothing has changed."""
        if self._changed:
            self._commit()
        return Added(
            self.added, self.replaced, self.unchanged, self.removed, self.passages, self.bytes, seconds,
            tuple(self.unread), tuple(dict.fromkeys(self.remarks)),
        )  # fmt: skip

    def _prepared(self, task: Task, read: FileRead, *, must: bool) -> Iterator[PartRead]:
        """The parts of a file that can be kept, which is known before what the file was leaves."""
        for part in read.parts:
            try:
                self._prepare(part, task)
            except InputError as error:
                if must:
                    raise
                self.unread.append(Remark(task.name, reason_of(error)))
            else:
                yield part

    def _know(self, file: File) -> None:
        self._files[file.path or file.name] = file
        self._names.add(file.name)
        if file.path:
            self.by_path[file.path] = file

    @abstractmethod
    def _prepare(self, part: PartRead, task: Task) -> None:
        """Do what shows whether a part can be kept; InputError where the fault is its own."""

    @abstractmethod
    def _keep(self, part: PartRead, task: Task, read: FileRead) -> Part:
        """Keep a part of a file that was prepared."""

    @abstractmethod
    def _leave(self, file: File) -> None:
        """What a file gave is not wanted any more."""

    @abstractmethod
    def _came(self, file: File) -> None:
        """All parts of a file are here."""

    @abstractmethod
    def _commit(self) -> None:
        """What was done is kept."""
