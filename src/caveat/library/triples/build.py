"""Building an index: read once, sort on disk, write beside the old one, and take its place in one step."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Protocol, TypeVar

import msgspec
import numpy as np

from caveat.core.errors import CaveatError, InputError, UsageError
from caveat.core.files import PathLike, reason_of_system
from caveat.core.part_files import workplace
from caveat.library.triples.layout import About, SectionWriter
from caveat.library.triples.merging import NAME_ROW, TYPO_ROW, EntityMerge, NameMerge, write_typos
from caveat.library.triples.runs import Gathered, SortedRuns
from caveat.library.triples.store import KnowledgeStore
from caveat.sources.triples import (
    INDEX_FILE,
    MENTIONS,
    BadLine,
    BadLines,
    SourceFile,
    is_index,
    look_at,
)

Item = TypeVar("Item")


class Through(Protocol):
    """What work is passed through, so that it can be watched: a description and about how many items there are."""

    def __call__(self, items: Iterable[Item], description: str, total: int | None, /) -> Iterable[Item]:
        """The items themselves."""
        ...


def unwatched(items: Iterable[Item], description: str, total: int | None, /) -> Iterable[Item]:
    """The items, and nobody watches."""
    return items


class IndexReport(msgspec.Struct, frozen=True):
    """What an index was built from, what is in it, and what it took.

    `predicates` are as they are written, `cleaned_predicates` what is left of them when they are cleaned;
    `duplicates` came more than once; of the lines that were `skipped` the first are in `bad_lines`;
    `unknown_mentions` are names that mention lists give to entities that no triple is about.
    """

    path: str
    triples: int
    entities: int
    predicates: int
    cleaned_predicates: int
    names: int
    duplicates: int
    skipped: int
    unknown_mentions: int
    bytes: int
    seconds: float
    bad_lines: tuple[BadLine, ...] = ()


def build_index(
    sources: Sequence[PathLike],
    out: PathLike,
    *,
    format: str | None = None,
    skip_bad: bool = False,
    through: Through = unwatched,
) -> IndexReport:
    """Index files of triples and mention lists in the folder `out`, in place of an index that is there.

    `format` is that of all sources; without it each one's name and content tell. Lines that hold no triple are
    an error, which names them, unless `skip_bad`. Until the new index is complete the old one stays, whatever
    happens; memory does not grow with the number of triples, only with that of predicates.
    """
    try:
        return write_index(sources, out, format=format, skip_bad=skip_bad, through=through)
    except OSError as error:
        reason = reason_of_system(error)
        raise CaveatError(
            f"{out} cannot be written: {reason}. An index that was there is as it was."
        ) from error


def write_index(
    sources: Sequence[PathLike],
    out: PathLike,
    *,
    format: str | None = None,
    skip_bad: bool = False,
    through: Through = unwatched,
) -> IndexReport:
    """Index files as `build_index` does; a disk that cannot be written is an OSError, and bad sources an InputError."""
    begin = perf_counter()
    if not sources:
        raise UsageError("There is nothing to index: name at least one file.")
    files = [look_at(source, format) for source in sources]
    folder = Path(os.path.realpath(out))
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{out} is a file: an index is a folder.")
    bad = BadLines(skip=skip_bad)
    with workplace(folder) as place:
        return _build(files, folder, place, bad, through, begin)


def _build(
    files: list[SourceFile], folder: Path, place: Path, bad: BadLines, through: Through, begin: float
) -> IndexReport:
    sections = SectionWriter(place)
    gathered = Gathered(place)
    names, typos = SortedRuns(place, "names", NAME_ROW), SortedRuns(place, "typos", TYPO_ROW)
    try:
        _gather(files, gathered, bad, through)
        _write_predicates(gathered, sections)
        entities = EntityMerge(gathered, sections, names)
        entities.merge(through(ranges := gathered.triples.ranges(), "sorting", len(ranges)))
        listed = gathered.aliases.count
        gathered.remove()
        named = NameMerge(names, sections, typos)
        named.merge(through(ranges := names.ranges(), "names", len(ranges)))
        names.remove()
        write_typos(typos, sections, through(ranges := typos.ranges(), "misspellings", len(ranges)))
        typos.remove()
        about = About(
            triples=entities.triples,
            entities=entities.entities,
            predicates=len(gathered.predicates),
            names=named.names,
            longest_name=named.longest,
            sources=tuple(file.path for file in files),
        )
        size = sections.join(place / INDEX_FILE, about)
        _put_in_place(place / INDEX_FILE, folder)
    finally:
        for runs in (gathered, names, typos):
            runs.remove()
        sections.close()
    return IndexReport(
        path=str(folder / INDEX_FILE),
        triples=about.triples,
        entities=about.entities,
        predicates=about.predicates,
        cleaned_predicates=entities.cleaned_predicates,
        names=about.names,
        duplicates=entities.duplicates,
        skipped=bad.count,
        unknown_mentions=listed - entities.linked,
        bytes=size,
        seconds=perf_counter() - begin,
        bad_lines=tuple(bad.first),
    )


def _gather(files: list[SourceFile], gathered: Gathered, bad: BadLines, through: Through) -> None:
    for file in files:
        description = f"reading {Path(file.path).name}"
        if file.format == MENTIONS:
            gathered.add_mentions(through(bad.mentions(file), description, file.lines))
        else:
            gathered.add_triples(through(bad.columns(file), description, file.blocks))
    if not gathered.triples.count:
        names = ", ".join(file.path for file in files)
        raise InputError(f"no triples in {names}: there is nothing to index")


def _write_predicates(gathered: Gathered, sections: SectionWriter) -> None:
    sizes = list(map(len, gathered.predicates))
    sections.append("predicate_name", np.cumsum([0, *sizes]))
    sections.append("predicate_text", b"".join(gathered.predicates))


def _put_in_place(built: Path, folder: Path) -> None:
    os.replace(built, folder / INDEX_FILE)
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)  # so that the new name outlives a power cut as well
        finally:
            os.close(handle)


def open_knowledge(
    *sources: PathLike, format: str | None = None, skip_bad: bool = False, through: Through = unwatched
) -> KnowledgeStore:
    """An index that `build_index` has made, or files of triples and mention lists, which are indexed for this once."""
    if len(sources) == 1 and is_index(sources[0]):
        return KnowledgeStore.open(sources[0])
    # The file stays readable as long as it is mapped, and is gone with the process, however that ends. Where a
    # mapped file cannot be taken away (Windows) it is left to the system.
    with tempfile.TemporaryDirectory(prefix="caveat-", ignore_cleanup_errors=True) as folder:
        build_index(sources, folder, format=format, skip_bad=skip_bad, through=through)
        return KnowledgeStore.open(folder)
