"""Writing to a library: files that come, stay, change and leave, on a draft of its next state."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import msgspec

from caveat.answerers.knowledge.index.build import build_index
from caveat.core.errors import CaveatError, UnknownNameError, UsageError, reason_of
from caveat.core.records import Remark
from caveat.library.catalogue import Catalogue, File, Part, read_catalogue, write_catalogue
from caveat.library.reading import FileRead, PartRead, Task, state_of_file
from caveat.library.records import RecordFile, RecordWriter
from caveat.library.search import SearchEngine, TantivyEngine
from caveat.library.state import SEARCH, TRIPLES
from caveat.library.storage import Draft
from caveat.sources.triples import INDEX_FILE, is_index

__all__ = ["Added", "Writing", "is_in", "tasks_of"]

_RECORDS = "records-"
# So many files of records, or more dead records than live ones, and they are written anew.
_MOST_RECORD_FILES = 16


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


def is_in(path: str, folder: str) -> bool:
    """Whether a path is a folder, or in it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def tasks_of(listed: Sequence[str], work: Writing) -> Iterator[Task]:
    """Each file once, with what it was when it was read before."""
    seen: set[str] = set()
    for name in listed:
        path = os.path.realpath(name) if state_of_file(name) is not None else name
        if path not in seen:
            seen.add(path)
            before = work.by_path.get(path)
            yield Task(name, path, before.sha256 if before is not None else "")


def _renamed(parts: Iterable[PartRead], before: str, now: str) -> Iterator[PartRead]:
    """The parts of a file, each with a name of its own.

    A page and its only table are called alike, and a file is called otherwise here where another has its name.
    """
    seen: set[str] = set()
    for part in parts:
        name = now + part.source.removeprefix(before) if part.source.startswith(before) else part.source
        number = 1
        unique = name
        while unique in seen:
            unique, number = f"{name}#{number}", number + 1
        seen.add(unique)
        yield part._replace(source=unique)


class Writing:
    """The work on a draft: files that stay, come and go; written to the disk as they come, whole at the end."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        before = read_catalogue(draft.path) if draft.before is not None else Catalogue()
        self._next = before.next
        self._files = {file.path or file.name: file for file in before.files}
        self.by_path = {file.path: file for file in before.files if file.path}
        self._names = {file.name for file in before.files}
        self._engine: SearchEngine = TantivyEngine(draft.path / SEARCH)
        number = draft.before.number + 1 if draft.before is not None else 1
        self._record_name = f"{_RECORDS}{number:06}"
        self._writer: RecordWriter | None = None
        # Where the records of this draft are is known once their file is complete.
        self._waiting: dict[int, int] = {}
        self._changed = draft.before is None
        self.unread: list[Remark] = []
        self.remarks: list[Remark] = []
        self.added = self.replaced = self.unchanged = self.removed = self.passages = self.bytes = 0

    def __enter__(self) -> Writing:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._engine.close()
        if self._writer is not None:
            with suppress(OSError):  # what could not be written on a full disk is not needed any more
                self._writer.close()

    def stays(self, task: Task) -> bool:
        """Whether a file has the size and time that it had when it was read."""
        before = self.by_path.get(task.path)
        if before is None or state_of_file(task.path) != (before.size, before.modified):
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
        self._engine.remove(part.number for part in file.parts if part.kind != "knowledge")
        for part in file.parts:
            if part.kind == "knowledge":
                shutil.rmtree(self.draft.path / f"{TRIPLES}{part.number}", ignore_errors=True)

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
            self._files[key] = msgspec.structs.replace(before, size=read.size, modified=read.modified)
            return
        if before is not None:
            self.drop(before)
        name = task.name if task.name not in self._names else task.path or task.name
        kept = (self._keep(part, task, must) for part in _renamed(read.parts, task.name, name))
        parts = tuple(filter(None, kept))
        if not parts:
            return
        self._changed = True
        self.replaced, self.added = self.replaced + (before is not None), self.added + (before is None)
        self._names.add(name)
        self._files[key] = File(name, task.path, read.size, read.modified, read.sha256, parts)
        self.remarks += [Remark(*remark) for remark in read.remarks]

    def _keep(self, read: PartRead, task: Task, must: bool) -> Part | None:
        number, self._next = self._next, self._next + 1
        if read.kind == "knowledge":
            try:
                self._index_triples(read.triples, self.draft.path / f"{TRIPLES}{number}")
            except CaveatError as error:
                if must:
                    raise
                self.unread.append(Remark(task.name, reason_of(error)))
                return None
        else:
            if self._writer is None:
                self._writer = RecordWriter(self.draft.path / self._record_name)
            self._waiting[number] = self._writer.add(read.record)
            self._engine.add(number, read.kind, read.passages)
        self.passages += len(read.passages)
        self.bytes += read.size
        return Part(number, read.source, read.kind, read.title, read.size, len(read.passages))

    def _index_triples(self, path: str, folder: Path) -> None:
        if not is_index(path):
            build_index([path], folder)
            return
        folder.mkdir()
        shutil.copyfile(Path(path, INDEX_FILE) if os.path.isdir(path) else path, folder / INDEX_FILE)

    def finish(self, seconds: float) -> Added:
        """The new state, unless nothing has changed."""
        if self._changed:
            self._place()
            self._engine.commit()
            self._tidy()
            write_catalogue(self.draft.path, Catalogue(tuple(self._files.values()), self._next))
            self.draft.commit()
        return Added(
            self.added, self.replaced, self.unchanged, self.removed, self.passages, self.bytes, seconds,
            tuple(self.unread), tuple(dict.fromkeys(self.remarks)),
        )  # fmt: skip

    def _place(self) -> None:
        """The new records' places, now that all are written."""
        if self._writer is None:
            return
        self._writer.close()
        found = self._writer.locations

        def placed(part: Part) -> Part:
            at = self._waiting.get(part.number)
            return part if at is None else msgspec.structs.replace(part, location=found[at])

        self._change_parts(placed)

    def _change_parts(self, change: Callable[[Part], Part]) -> None:
        self._files = {
            key: msgspec.structs.replace(file, parts=tuple(map(change, file.parts)))
            for key, file in self._files.items()
        }

    def _tidy(self) -> None:
        """Files of records without a record are gone; many small ones, or mostly dead ones, are written anew."""
        blocks: dict[str, dict[int, int]] = {}
        for file in self._files.values():
            for part in file.parts:
                if part.location is not None:
                    blocks.setdefault(part.location.file, {})[part.location.at] = part.location.size
        sizes = {path.name: path.stat().st_size for path in self.draft.path.glob(f"{_RECORDS}*")}
        for name in sizes.keys() - blocks.keys():
            (self.draft.path / name).unlink()
        thin = {name for name, live in blocks.items() if 2 * sum(live.values()) < sizes[name]}
        if len(blocks) > _MOST_RECORD_FILES:
            # The largest stays: what is written again is small beside it.
            thin |= blocks.keys() - {max(blocks, key=lambda name: sizes[name])}
        if thin:
            self._rewrite(thin)

    def _rewrite(self, names: set[str]) -> None:
        old = RecordFile(self.draft.path, dict.fromkeys(names))
        places: dict[int, int] = {}
        with RecordWriter(self.draft.path / f"{self._record_name}-joined") as writer:
            for file in self._files.values():
                for part in file.parts:
                    if part.location is not None and part.location.file in names:
                        places[part.number] = writer.add(old.read(part.location))
        found = writer.locations
        self._change_parts(
            lambda part: (
                msgspec.structs.replace(part, location=found[places[part.number]])
                if part.number in places
                else part
            )
        )
        for name in names:
            (self.draft.path / name).unlink()
