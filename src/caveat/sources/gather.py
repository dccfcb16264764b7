"""What a question is asked of: documents, tables and knowledge bases, given as records or as files of any kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from caveat.core.errors import InputError
from caveat.core.files import PathLike, is_device, read_raw
from caveat.core.records import Document, KnowledgeBase, Source, Table

if TYPE_CHECKING:
    from caveat.sources.tables import ReadTable

__all__ = ["Given", "Input", "ReadSource", "gather", "read_sources"]

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


def gather(sources: Input | Sequence[Input], known: dict[str, tuple[Source, ...]] | None = None) -> Given:
    """The sources, read where they are paths; `known` keeps what was read for the next question."""
    several = [sources] if isinstance(sources, Input) else list(sources)
    if not several:
        raise InputError("There is no source to answer from.")
    known = {} if known is None else known
    found: list[Source] = []
    for source in several:
        if not isinstance(source, str | Path):
            found.append(source)
            continue
        if (name := str(source)) not in known:
            if name != "-" and not _exists(source):
                raise InputError(
                    "there is no such file; a text itself is given as Document(text)", path=source
                )
            known[name] = tuple(read.source for read in read_sources([source]))
        found += known[name]
    return Given.of(found)


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
    from caveat.answerers.knowledge.index.layout import is_index
    from caveat.sources.documents import ENDINGS as DOCUMENTS
    from caveat.sources.folders import files_of
    from caveat.sources.tables import ENDINGS as TABLES

    endings = dict.fromkeys((*DOCUMENTS, *TABLES, *_TRIPLES))
    problem = f"has nothing in it to answer from: {', '.join(endings)}"

    def is_known(name: str) -> bool:
        return name.lower().removesuffix(".gz").endswith(tuple(endings))

    for path, _ in files_of(paths, is_known, problem, is_one=is_index):
        yield from _read(path)


def _read(path: str) -> Iterator[ReadSource]:
    from caveat.answerers.knowledge.index.build import is_knowledge
    from caveat.sources.documents import parse_document
    from caveat.sources.tables import parse_tables, tabular

    # What can be read only once is no file of triples.
    if path != "-" and not is_device(path) and is_knowledge(path):
        yield ReadSource(path, KnowledgeBase(path))
        return
    data = read_raw(path)
    how = tabular(data, path) if data.strip() else "no"
    if how != "wholly":
        # Places name a document by its address; here that is the file.
        yield ReadSource(path, msgspec.structs.replace(parse_document(data, path), url=path))
    if how == "no":
        return
    tables: tuple[ReadTable, ...] = ()
    try:
        tables = parse_tables(data, path)
    except InputError:
        # A page can be read even if a table in it cannot.
        if how == "wholly":
            raise
    for read in tables:
        yield ReadSource(path, read.table, _remark(read) if how == "wholly" else "")


def _remark(read: ReadTable) -> str:
    remarks = []
    if read.without_header:
        remarks.append("no row names the columns, so they are called column 1, column 2 and so on")
    if read.ragged:
        rows = f"{read.ragged:,} row{'s have' if read.ragged > 1 else ' has'}"
        remarks.append(f"{rows} more or fewer cells than there are columns")
    return "; ".join(remarks)
