"""A library: many sources in a folder, kept as they were read, searched and asked without their files."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from time import perf_counter

import msgspec

from caveat.answerers.contract import Through
from caveat.answerers.kept import Kept
from caveat.answerers.knowledge.index.build import build_index
from caveat.core.errors import CaveatError, InputError, UnknownNameError, UsageError, reason_of
from caveat.core.files import PathLike
from caveat.core.records import Document, KnowledgeBase, Remark, Source, Table
from caveat.library.catalogue import (
    Catalogue,
    Entry,
    File,
    Part,
    read_catalogue,
    write_catalogue,
)
from caveat.library.passages import Passage, passage_text
from caveat.library.reading import FileRead, PartRead, Task, part_of, read_files, state_of_file
from caveat.library.records import RecordFile, RecordWriter, unpacked
from caveat.library.search import Found, Kind, SearchEngine, TantivyEngine
from caveat.library.storage import MANIFEST, Draft, Manifest, damages, drafting, read_manifest
from caveat.library.terms import question_terms
from caveat.sources.gather import files_of, parse_source
from caveat.sources.outline import headings_at
from caveat.sources.triples import INDEX_FILE, is_index

__all__ = ["Added", "Hit", "Library"]

_SEARCH, _RECORDS, _TRIPLES = "search", "records-", "triples-"
# Sources that were looked at last are kept until they have so many bytes together.
_KEPT_BYTES = 1 << 26
# So many files of records, or more dead records than live ones, and they are written anew.
_MOST_RECORD_FILES = 16
# A state may be replaced between its manifest and its files being read.
_TRIES = 10


class Hit(msgspec.Struct, frozen=True, omit_defaults=True):
    """A passage that was found: its text, where it stands, and how well it fits. Of a table it is rows."""

    text: str
    source: str
    score: float
    start: int | None = None
    end: int | None = None
    headings: tuple[str, ...] = ()


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


class _State:
    """A state of the library, opened: everything that reading it needs, whatever becomes of it on disk."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.manifest = manifest
        self.path = folder / manifest.state
        self.catalogue = read_catalogue(self.path)
        names = {part.location.file: None for part in self.catalogue.parts.values() if part.location}
        self.records = RecordFile(self.path, names)
        self.engine: SearchEngine = TantivyEngine(self.path / _SEARCH)


class Library:
    """A folder with sources in it. May be used from several threads, and while another process writes to it."""

    def __init__(self, folder: PathLike) -> None:
        self.folder = Path(os.path.realpath(folder))
        self._writing = Lock()
        self._loading = Lock()
        self._sources: Kept[tuple[Source, int]] = Kept(_KEPT_BYTES, lambda kept: kept[1])
        self._opened: _State | None = None
        self._seen: tuple[int, int] | None = None

    @classmethod
    def open(cls, folder: PathLike) -> Library:
        """The library in a folder."""
        if read_manifest(folder) is None:
            problem = "is no library: `caveat index SOURCE… --out DIR` makes one"
            raise InputError(problem, path=folder)
        library = cls(folder)
        library._state()
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
                TantivyEngine(draft.path / _SEARCH)
                draft.commit()
        return library

    def add(
        self,
        inputs: Sequence[PathLike],
        *,
        strict: bool = False,
        processes: int | None = None,
        through: Through = iter,
    ) -> Added:
        """Put files and folders, with all that is in them, into the library, all at once or not at all.

        A file that is there already is read again only if it has changed, and what a folder does not have any more
        leaves. A file of a folder that cannot be read is listed in what is returned, unless that is to be an error
        (`strict`). Files are read in several `processes` where there is much to read. The list of what is to be read
        goes `through`, for a progress bar.
        """
        begin = perf_counter()
        with self._writing, drafting(self.folder) as draft:
            work = _Writing(draft)
            listed = [file for each in inputs for file in self._listed(each, work)]
            if strict and work.unread:
                raise InputError(work.unread[0].text, path=work.unread[0].source)
            named = {str(each) for each in inputs}
            tasks = [task for task in _tasks(listed, work) if not work.stays(task)]
            read = read_files(tasks, processes)
            for task in through(tasks):
                work.take(task, next(read), must=strict or task.name in named)
            added = work.finish(perf_counter() - begin)
        self._state()
        return added

    def put(self, name: str, data: bytes) -> Added:
        """Put the content of a file that is nowhere into the library, under a name, which tells its kind.

        What had this name leaves.
        """
        begin = perf_counter()
        with (
            self._writing,
            drafting(self.folder) as draft,
            tempfile.TemporaryDirectory(prefix="caveat-") as place,
        ):
            work = _Writing(draft)
            read = parse_source(data, name, Path(place))
            remarks = tuple((each.name, each.remark) for each in read if each.remark)
            content = FileRead(
                hashlib.sha256(data).hexdigest(), len(data), 0, tuple(map(part_of, read)), remarks
            )
            for file in work.files_named(name):
                work.drop(file)
            work.take(Task(name, ""), content, must=True)
            added = work.finish(perf_counter() - begin)
        self._state()
        return added

    def remove(self, names: Sequence[str]) -> int:
        """Take files out of the library, by the names that `entries` has; the name of a folder is all that is in it."""
        with self._writing, drafting(self.folder) as draft:
            work = _Writing(draft)
            gone = [file for name in dict.fromkeys(names) for file in work.named(name)]
            for file in dict.fromkeys(gone):
                work.drop(file)
            work.finish(0.0)
        self._state()
        return len(set(gone))

    def entries(self) -> tuple[Entry, ...]:
        """What is in the library, in the order in which it came."""
        return tuple(self._state().catalogue.entries())

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of source that are in it."""
        return self._state().catalogue.kinds

    def verify(self) -> tuple[Remark, ...]:
        """What is damaged, file by file; nothing if the library is sound."""
        manifest = read_manifest(self.folder)
        if manifest is None:
            return (Remark(MANIFEST, "is not there"),)
        return tuple(Remark(name, problem) for name, problem in damages(self.folder, manifest))

    def search(self, question: str, top: int = 10) -> list[Hit]:
        """The passages that fit a question best, of documents and tables; the same text is given once."""
        found = sorted(
            (each for kind in ("document", "table") for each in self.find(question, kind, 2 * top)),
            key=lambda each: -each.score,
        )
        hits: dict[str, Hit] = {}
        for each in found:
            hit = self._hit(each)
            hits.setdefault(hit.text, hit)
            if len(hits) == top:
                break
        return list(hits.values())

    def find(self, question: str, kind: Kind, top: int) -> list[Found]:
        """The passages of a kind of source that fit a question best."""
        state = self._state()
        if kind not in state.catalogue.kinds:
            return []
        try:
            return state.engine.search(kind, question_terms(question), top)
        except ValueError as error:
            raise InputError(
                f"cannot be searched ({error}): `caveat library verify` says what is damaged",
                path=self.folder,
            ) from error

    def document(self, source: str) -> Document | Table | KnowledgeBase:
        """What an entry holds, by its name."""
        named = self._state().catalogue.named
        if source not in named:
            raise UnknownNameError("source in the library", source, sorted(named)[:20])
        return self.source(named[source].number)

    def source(self, number: int) -> Source:
        """What is kept under a number."""
        return self._sources.get(number, lambda: self._read(number))[0]

    def part(self, number: int) -> Part:
        """What the catalogue says of a number."""
        return self._state().catalogue.parts[number]

    def bases(self) -> list[tuple[str, KnowledgeBase]]:
        """The triples of the library, with their names."""
        parts = self._state().catalogue.parts.values()
        return [(part.source, base) for part in parts if (base := self._base(part)) is not None]

    def _base(self, part: Part) -> KnowledgeBase | None:
        if part.kind != "knowledge":
            return None
        return KnowledgeBase(str(self._state().path / f"{_TRIPLES}{part.number}"))

    def _read(self, number: int) -> tuple[Source, int]:
        state = self._state()
        part = state.catalogue.parts[number]
        if part.location is None:
            base = self._base(part)
            assert base is not None  # only triples are kept elsewhere
            return base, 1
        data = state.records.read(part.location)
        return unpacked(data, part.source), len(data)

    def _hit(self, found: Found) -> Hit:
        source, name = self.source(found.source), self.part(found.source).source
        passage = Passage(found.start, found.end)
        if isinstance(source, Document):
            text = passage_text(source, passage)
            return Hit(text, name, found.score, found.start, found.end, headings_at(source, found.start))
        assert isinstance(source, Table)  # triples are not searched by passages
        return Hit(passage_text(source, passage), name, found.score, headings=source.headers)

    def _state(self) -> _State:
        """The state that holds, opened; another process may have made a new one."""
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
                        raise InputError("is no library any more", path=self.folder)
                    state = _State(self.folder, manifest)
                except (FileNotFoundError, InputError):
                    if tries == _TRIES - 1:
                        raise
                    continue
                self._opened, self._seen = state, (found.st_ino, found.st_mtime_ns)
                return state
        raise AssertionError("the last try returns or raises")

    def _listed(self, path: PathLike, work: _Writing) -> Iterator[str]:
        """The files of a path; those of a folder that the library has and the folder has not leave."""
        if str(path) == "-":
            raise UsageError("Standard input has no name that it could be kept under: index a file.")
        files = files_of(path, unread=work.unread.append)
        whole = os.path.realpath(path)
        if os.path.isdir(whole) and not is_index(whole):
            files = [file for file in files if not _is_in(os.path.realpath(file), str(self.folder))]
            work.unread[:] = [
                each for each in work.unread if not _is_in(os.path.realpath(each.source), str(self.folder))
            ]
            there = set(map(os.path.realpath, files))
            for file in work.files_in(whole):
                if file.path not in there:
                    work.drop(file)
                    work.removed += 1
        yield from files


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _tasks(listed: Sequence[str], work: _Writing) -> Iterator[Task]:
    """Each file once, with what it was when it was read before."""
    seen: set[str] = set()
    for name in listed:
        path = os.path.realpath(name) if state_of_file(name) is not None else name
        if path not in seen:
            seen.add(path)
            before = work.by_path.get(path)
            yield Task(name, path, before.sha256 if before is not None else "")


class _Writing:
    """The work on a draft: files that stay, come and go; written to the disk as they come, whole at the end."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        before = read_catalogue(draft.path) if draft.before is not None else Catalogue()
        self._next = before.next
        self._files = {file.path or file.name: file for file in before.files}
        self.by_path = {file.path: file for file in before.files if file.path}
        self._names = {file.name for file in before.files}
        self._engine: SearchEngine = TantivyEngine(draft.path / _SEARCH)
        number = draft.before.number + 1 if draft.before is not None else 1
        self._record_name = f"{_RECORDS}{number:06}"
        self._writer: RecordWriter | None = None
        # Where the records of this draft are is known once their file is complete.
        self._waiting: dict[int, int] = {}
        self._changed = draft.before is None
        self.unread: list[Remark] = []
        self.remarks: list[Remark] = []
        self.added = self.replaced = self.unchanged = self.removed = self.passages = self.bytes = 0

    def stays(self, task: Task) -> bool:
        """Whether a file has the size and time that it had when it was read."""
        before = self.by_path.get(task.path)
        if before is None or state_of_file(task.path) != (before.size, before.modified):
            return False
        self.unchanged += 1
        return True

    def files_in(self, folder: str) -> list[File]:
        """The files that came from a folder."""
        return [file for file in self._files.values() if file.path and _is_in(file.path, folder)]

    def files_named(self, name: str) -> list[File]:
        """The files of a name: there is one, or none."""
        return [file for file in self._files.values() if file.name == name]

    def named(self, name: str) -> list[File]:
        """The file of a name, or those of a folder."""
        found = self.files_named(name) or [file for file in self._files.values() if _is_in(file.name, name)]
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
                shutil.rmtree(self.draft.path / f"{_TRIPLES}{part.number}", ignore_errors=True)

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
        parts = tuple(filter(None, (self._keep(part, task, must) for part in read.parts)))
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
                self._index_triples(read.triples, self.draft.path / f"{_TRIPLES}{number}")
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
