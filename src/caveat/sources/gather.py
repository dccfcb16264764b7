"""What a question is asked of: documents, tables and knowledge bases, given as records or as files of any kind."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from caveat.core.errors import InputError
from caveat.core.files import PathLike, is_device
from caveat.core.records import Document, KnowledgeBase, Source, Table

if TYPE_CHECKING:
    from caveat.sources.grid import ReadTable

__all__ = ["Given", "Input", "ReadSource", "gather", "read_source", "read_sources", "sources_of"]

Input = Document | Table | KnowledgeBase | str | Path

# Endings of files of triples, as they stand in folders; a file that is named may have any.
_TRIPLES = (".kb", ".nt", ".triples", "triples.index")


class ReadSource(NamedTuple):
    """A source with the name of its file, and what there is to be said about how it was read."""

    name: str
    source: Source
    remark: str = ""


class Given(NamedTuple):
    """The sources of one question, by their kind."""

    documents: tuple[Document, ...] = ()
    tables: tuple[Table, ...] = ()
    bases: tuple[KnowledgeBase, ...] = ()

    @classmethod
    def of(cls, sources: Iterable[Source]) -> Given:
        """The sources sorted, each kind in its order."""
        several = list(sources)
        return cls(
            tuple(source for source in several if isinstance(source, Document)),
            tuple(source for source in several if isinstance(source, Table)),
            tuple(source for source in several if isinstance(source, KnowledgeBase)),
        )


def gather(inputs: Input | Sequence[Input], known: dict[str, tuple[Source, ...]] | None = None) -> Given:
    """The sources of `sources_of`, by their kind."""
    return Given.of(sources_of(inputs, known))


def sources_of(
    inputs: Input | Sequence[Input], known: dict[str, tuple[Source, ...]] | None = None
) -> tuple[Source, ...]:
    """Records as they are and what the paths hold, in order; `known` keeps what was read for the next question."""
    several = [inputs] if isinstance(inputs, Input) else list(inputs)
    if not several:
        raise InputError("There is no source to answer from.")
    known = {} if known is None else known
    found: list[Source] = []
    for each in several:
        if not isinstance(each, str | Path):
            found.append(each)
            continue
        if (name := str(each)) not in known:
            if name != "-" and not _exists(each):
                problem = "there is no such file; a text itself is given as Document(text)"
                raise InputError(problem, path=each)
            known[name] = tuple(read.source for read in read_sources([each]))
        found += known[name]
    return tuple(found)


def _exists(path: str | Path) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # a text is no file name: too long, or with a NUL
        return False


def read_sources(paths: Iterable[PathLike]) -> Iterator[ReadSource]:
    """What files, folders (with all that is in them) and `-` hold, each file once.

    Spreadsheets, CSV and TSV files are tables, web pages and Markdown texts are documents and the tables in them, files
    of triples and indexes are knowledge bases, and everything else is a document. Endings tell, or else the content.
    """
    from caveat.sources.read import ENDINGS

    endings = (*ENDINGS, *_TRIPLES)

    def is_known(name: str) -> bool:
        return name.lower().removesuffix(".gz").endswith(endings)

    for path in _files_of(paths, is_known, f"has nothing in it to answer from: {', '.join(endings)}"):
        yield from _read(path)


def read_source(path: PathLike) -> tuple[Source, ...]:
    """What one file or index holds, or standard input for `-`."""
    return tuple(read.source for read in _read(str(path)))


def _files_of(paths: Iterable[PathLike], known: Callable[[str], bool], problem: str) -> Iterator[str]:
    """Each file once, where it is named first; of a folder those whose names are known, sorted, hidden ones left out.

    A folder without any is an error, its `problem` a sentence about it; an index is a folder that stands for itself.
    """
    from caveat.sources.triples import is_index

    seen: set[str] = set()
    for path in paths:
        folder = str(path) != "-" and Path(path).is_dir() and not is_index(path)
        for file in _files_in(path, known, problem) if folder else [str(path)]:
            if (whole := file if file == "-" else os.path.realpath(file)) not in seen:
                seen.add(whole)
                yield file


def _files_in(folder: PathLike, known: Callable[[str], bool], problem: str) -> list[str]:
    found: list[Path] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        # "~$book.xlsx" is what Office leaves beside a file that is open.
        shown = (name for name in names if not name.startswith((".", "~$")))
        found += [Path(parent, name) for name in shown if known(name)]
    if not found:
        raise InputError(problem, path=folder)
    return [str(path) for path in sorted(found)]


def _read(path: str) -> Iterator[ReadSource]:
    from caveat.sources.read import read_file
    from caveat.sources.triples import is_knowledge

    # What can be read only once is no file of triples.
    if path != "-" and not is_device(path) and is_knowledge(path):
        yield ReadSource(path, KnowledgeBase(path))
        return
    document, tables = read_file(path)
    if document is not None:
        # Places name a document by its address; here that is the file.
        yield ReadSource(path, msgspec.structs.replace(document, url=path))
    for read in tables:
        yield ReadSource(path, read.table, _remark(read) if document is None else "")


def _remark(read: ReadTable) -> str:
    remarks = []
    if read.without_header:
        remarks.append("no row names the columns, so they are called column 1, column 2 and so on")
    if read.ragged:
        rows = f"{read.ragged:,} row{'s have' if read.ragged > 1 else ' has'}"
        remarks.append(f"{rows} more or fewer cells than there are columns")
    return "; ".join(remarks)
