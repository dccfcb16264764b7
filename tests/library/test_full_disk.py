"""A disk that fills up at any moment: a library is as it was before, or as it is after, and nothing between."""

from __future__ import annotations

import builtins
import errno
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from caveat.core.errors import CaveatError, InputError
from caveat.library import search
from caveat.library.library import Library
from caveat.library.search import TantivyEngine

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs files and limits of POSIX"),
]


class FullDisk:
    """Counts what is written to a folder, and is full at the `fail_at`-th time, or from then on."""

    def __init__(self, folder: Path, fail_at: int, *, once: bool) -> None:
        self.folder, self.fail_at, self.once, self.count = str(folder), fail_at, once, 0

    def write(self) -> None:
        self.count += 1
        if self.count == self.fail_at or (self.count > self.fail_at and not self.once):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def holds(self, path: object) -> bool:
        return isinstance(path, str | Path) and str(path).startswith(self.folder)


class RawFile(io.FileIO):
    """A file on such a disk, below the buffers."""

    disk: FullDisk

    def write(self, data: Any) -> int:
        self.disk.write()
        return super().write(data)


@contextmanager
def full_disk(folder: Path, fail_at: int, *, once: bool) -> Iterator[FullDisk]:
    """A disk that fails at a certain write: of files, links, folders, names, or of the search engine."""
    disk = FullDisk(folder, fail_at, once=once)
    real_open = builtins.open

    def opened(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        if not disk.holds(file) or not set(mode) & set("wxa+"):
            return real_open(file, mode, *arguments, **named)
        disk.write()
        raw = RawFile(file, mode.replace("b", ""))
        raw.disk = disk
        assert "b" in mode, "a library writes bytes"
        return io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)

    def counted(act: Callable[..., Any]) -> Callable[..., Any]:
        def acted(*arguments: Any, **named: Any) -> Any:
            if any(map(disk.holds, arguments)) or isinstance(arguments[0], int | TantivyEngine):
                disk.write()
            return act(*arguments, **named)

        return acted

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builtins, "open", opened)
        patch.setattr(io, "open", opened)
        for name in ("mkdir", "rename", "replace", "link", "fsync", "sendfile"):
            if hasattr(os, name):
                patch.setattr(os, name, counted(getattr(os, name)))
        for name in ("add", "remove", "commit"):
            patch.setattr(TantivyEngine, name, counted(getattr(TantivyEngine, name)))
        yield disk


def write_sources(folder: Path, colour: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "heron.txt").write_text(f"The heron is {colour}.")
    (folder / "birds.csv").write_text(f"bird,colour\nheron,{colour}\n")
    (folder / "birds.kb").write_text(f"heron ||| colour ||| {colour}\n")


def held(folder: Path) -> tuple[Any, ...]:
    """All that a library holds, as it is found by whoever opens it, with the triples themselves."""
    from caveat.library.triples.store import KnowledgeStore

    library = Library.open(folder)
    assert library.verify() == ()
    triples = {
        name: list(KnowledgeStore.open(base.path).triples()) for name, base in library.state().bases().items()
    }
    hits = sorted(hit.text for hit in library.search("heron"))
    return [(entry.source, entry.sha256) for entry in library.entries()], hits, triples


# What has failed takes its files away, and then there is room for what comes after it: the disk is full once.
@pytest.mark.parametrize(("once", "step"), [(True, 1), (False, 6)])
def test_each_write_may_be_the_one_that_fails(tmp_path: Path, once: bool, step: int) -> None:
    texts, folder = tmp_path / "texts", tmp_path / "library"
    library = Library.create(folder)
    states = {}
    for colour in ("white", "grey"):
        write_sources(texts, colour)
        library.add([texts])
        states[colour] = held(folder)
    failed = 0
    for fail_at in range(1, 1000, step):
        write_sources(texts, "white")
        sentence = ""
        with full_disk(folder, fail_at, once=once) as disk:
            try:
                library.add([texts])
            except CaveatError as error:
                sentence = str(error)
        assert held(folder) == states["grey" if sentence else "white"], f"write {fail_at} failed"
        assert len(os.listdir(folder)) == 2, f"write {fail_at} failed"
        if disk.count < fail_at:
            break
        if sentence:
            reason = "no space left on device. The library is as it was."
            assert sentence == f"{folder} cannot be written: {reason}"
            failed += 1
        else:  # a link that cannot be made is a copy, and some writes are only for a power cut
            write_sources(texts, "grey")
            library.add([texts])
    assert failed > 60 / step


def test_triples_that_are_bad_now_leave_what_they_were(tmp_path: Path) -> None:
    texts, folder = tmp_path / "texts", tmp_path / "library"
    write_sources(texts, "grey")
    library = Library.create(folder)
    library.add([texts])
    before = held(folder)
    (texts / "birds.kb").write_text("heron ||| colour ||| white\nheron ||| colour\n")
    added = library.add([texts])
    assert [(os.path.basename(each.source), each.text[:7]) for each in added.unread] == [
        ("birds.kb", "line 2:")
    ]
    assert (added.replaced, added.removed) == (0, 0)
    assert held(folder) == before
    with pytest.raises(InputError, match="line 2"):
        library.add([texts / "birds.kb"])
    assert held(folder) == before


class KilledWriter:
    """Tantivy's writer, once a thread of it could not write."""

    def add_document(self, document: object) -> None:
        raise ValueError("An error occurred in a thread: 'An index writer was killed.. A worker thread …'")

    rollback = wait_merging_threads = lambda self: None


def test_a_search_engine_that_was_killed_by_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library.create(tmp_path / "library")
    library.put("heron.txt", b"The heron is grey.")
    before = held(tmp_path / "library")
    monkeypatch.setattr(TantivyEngine, "_writing", lambda self: KilledWriter())
    with pytest.raises(CaveatError, match=r"the search engine has ended .*killed.* The library is as it was"):
        library.put("owl.txt", b"The owl is brown.")

    def full(*arguments: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(search, "TemporaryFile", full)
    with pytest.raises(CaveatError, match=r"cannot be written: no space left on device\. The library is as"):
        library.put("owl.txt", b"The owl is brown.")
    assert held(tmp_path / "library") == before
