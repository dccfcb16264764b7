"""Writing to a library in a folder: on a draft of its next state, which holds once it is whole."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import msgspec

from caveat.library.catalogue import (
    Catalogue,
    File,
    Part,
    RecordFile,
    RecordWriter,
    read_catalogue,
    write_catalogue,
)
from caveat.library.reading import FileRead, PartRead, Task
from caveat.library.search import SearchEngine, TantivyEngine
from caveat.library.storage import SEARCH, TRIPLES, Draft
from caveat.library.triples.build import write_index
from caveat.library.writing import Writing
from caveat.sources.triples import INDEX_FILE, is_index

_RECORDS = "records-"
# So many files of records, or more dead records than live ones, and they are written anew.
_MOST_RECORD_FILES = 16


class DraftWriting(Writing):
    """The work on a draft: written to the disk as it comes, whole at the end."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        before = read_catalogue(draft.path) if draft.before is not None else Catalogue()
        super().__init__(before.files)
        self._next = before.next
        made = TantivyEngine if draft.before is not None else TantivyEngine.create
        self._engine: SearchEngine = made(draft.path / SEARCH)
        number = draft.before.number + 1 if draft.before is not None else 1
        self._record_name = f"{_RECORDS}{number:06}"
        self._writer: RecordWriter | None = None
        # Where the records of this draft are is known once their file is complete.
        self._waiting: dict[int, int] = {}
        # The indexes of triples that have been built, by their files.
        self._indexed: dict[str, Path] = {}
        self._changed = draft.before is None

    def __enter__(self) -> DraftWriting:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._engine.close()
        if self._writer is not None:
            with suppress(OSError):  # what could not be written on a full disk is not needed any more
                self._writer.close()

    def look_up(self, paths: Sequence[str], names: Sequence[str]) -> None:
        """All files are known."""

    def _came(self, file: File) -> None:
        """It is in the catalogue that is written at the end."""

    def _leave(self, file: File) -> None:
        self._engine.remove(part.number for part in file.parts if part.kind != "knowledge")
        for part in file.parts:
            if part.kind == "knowledge":
                shutil.rmtree(self.draft.path / f"{TRIPLES}{part.number}", ignore_errors=True)

    def _prepare(self, part: PartRead, task: Task) -> None:
        if part.kind != "knowledge":
            return
        # Beside the draft: triples that turn out to be bad leave nothing in it.
        folder = self.draft.path.with_name(f"{TRIPLES}{len(self._indexed)}")
        if is_index(part.triples):
            folder.mkdir()
            whole = Path(part.triples)
            shutil.copyfile(whole / INDEX_FILE if whole.is_dir() else whole, folder / INDEX_FILE)
        else:
            write_index([part.triples], folder)
        self._indexed[part.triples] = folder

    def _keep(self, part: PartRead, task: Task, read: FileRead) -> Part:
        number, self._next = self._next, self._next + 1
        if part.kind == "knowledge":
            os.rename(self._indexed[part.triples], self.draft.path / f"{TRIPLES}{number}")
        else:
            if self._writer is None:
                self._writer = RecordWriter(self.draft.path / self._record_name)
            self._waiting[number] = self._writer.add(part.record)
            self._engine.add(number, part.kind, part.passages)
        self.passages += len(part.passages)
        self.bytes += part.size
        return Part(number, part.source, part.kind, part.title, part.size, len(part.passages))

    def _commit(self) -> None:
        self._place()
        self._engine.commit()
        self._tidy()
        write_catalogue(self.draft.path, Catalogue(tuple(self._files.values()), self._next))
        self.draft.commit()

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
        old = RecordFile(self.draft.path, names)
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
