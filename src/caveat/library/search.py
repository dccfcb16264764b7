"""What searches a library: passages by their terms. One small contract, and the engine that comes with the package."""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from caveat.core.errors import InputError

if TYPE_CHECKING:
    import tantivy

Kind = Literal["document", "table"]


class Terms(NamedTuple):
    """A passage as it is searched: where it stands in its source, the terms of its headings and of its text."""

    start: int
    end: int
    headings: str
    text: str


class Found(NamedTuple):
    """A passage that was found: the number of its source, where it stands in it, and how well it fits."""

    source: int
    start: int
    end: int
    score: float


class Searcher(Protocol):
    """Finds passages by their terms."""

    def search(
        self, kind: Kind, terms: Sequence[str], top: int, sources: Collection[int] | None = None
    ) -> list[Found]:
        """The passages that fit best, best first; of these sources alone where they are given."""
        ...

    def weights(self, kind: Kind, terms: Sequence[str]) -> list[float]:
        """What each term tells: the fewer passages have it, the more."""
        ...


class SearchEngine(Searcher, Protocol):
    """Keeps passages by the number of their source, and finds them by their terms.

    What is added and removed is there for searches once it is committed, all of it at once.
    """

    def add(self, source: int, kind: Kind, passages: Iterable[Terms]) -> None:
        """The passages of a source."""
        ...

    def remove(self, sources: Iterable[int]) -> None:
        """Whatever is there of these sources is gone."""
        ...

    def commit(self) -> None:
        """What was added and removed, down to the disk."""
        ...

    def close(self) -> None:
        """What was not committed is forgotten, and nothing is written any more."""
        ...

    def verify(self) -> Iterator[str]:
        """What is wrong with what is kept, in sentences without a subject."""
        ...


# Headings say in few words what a passage is about, but of many passages the same. Measured on encyclopaedias in both
# languages (docs/results/library.md): with 1 English loses three points of recall, with 0 Chinese does.
HEADINGS_WEIGH = 0.4
# Bytes that are held before a part of the index is written.
_HEAP = 64 << 20
# Where this cannot be written, a disk is full.
_TRIED_BYTES = 1 << 20
_OS_ERROR = re.compile(r"\(os error (\d+)\)|\bOs \{ code: (\d+)")
_NO_LOCK = "Failed to acquire Lockfile"
_FIELDS: dict[Kind, tuple[str, str]] = {"document": ("headings", "text"), "table": ("names", "cells")}


class TantivyEngine:
    """Tantivy in a folder: BM25 over blank-separated terms. Documents and tables have fields, and statistics, apart."""

    def __init__(self, folder: Path | None) -> None:
        """The index that is in a folder; an empty one in memory where there is no folder."""
        self.folder = folder
        try:
            self._index = _opened(folder)
            self._searcher = self._index.searcher()
        except ValueError as error:
            if (fault := _os_error(error)) is not None:
                raise fault from error
            raise InputError(
                f"is damaged ({error}): make it again with `caveat index`", path=folder
            ) from error
        self._writer: tantivy.IndexWriter | None = None

    @classmethod
    def create(cls, folder: Path) -> TantivyEngine:
        """An empty index in a folder that is made for it."""
        import tantivy

        folder.mkdir(parents=True)
        with _written_to(folder):
            tantivy.Index(_schema(), path=str(folder))
        return cls(folder)

    def add(self, source: int, kind: Kind, passages: Iterable[Terms]) -> None:
        import tantivy

        headings, text = _FIELDS[kind]
        with _written_to(self.folder):
            writer = self._writing()
            for passage in passages:
                document = tantivy.Document()
                document.add_integer("source", source)
                document.add_unsigned("start", passage.start)
                document.add_unsigned("end", passage.end)
                document.add_text(headings, passage.headings)
                document.add_text(text, passage.text)
                writer.add_document(document)

    def remove(self, sources: Iterable[int]) -> None:
        with _written_to(self.folder):
            writer = self._writing()
            for source in sources:
                writer.delete_documents_by_term("source", source)

    def commit(self) -> None:
        if self._writer is None:
            return
        writer, self._writer = self._writer, None
        with _written_to(self.folder):
            writer.commit()
            writer.wait_merging_threads()
            self._index.reload()
            self._searcher = self._index.searcher()

    def close(self) -> None:
        if self._writer is None:
            return
        writer, self._writer = self._writer, None
        with suppress(ValueError):  # what could not be written need not be taken back
            writer.rollback()
        with suppress(ValueError):
            writer.wait_merging_threads()

    def search(
        self, kind: Kind, terms: Sequence[str], top: int, sources: Collection[int] | None = None
    ) -> list[Found]:
        import tantivy

        headings, text = _FIELDS[kind]
        schema, query = self._index.schema, tantivy.Query
        parts = []
        for term in terms:
            parts.append((tantivy.Occur.Should, query.term_query(schema, text, term, "freq")))
            over = query.boost_query(query.term_query(schema, headings, term, "freq"), HEADINGS_WEIGH)
            parts.append((tantivy.Occur.Should, over))
        if not parts:
            return []
        wanted = query.boolean_query(parts)
        if sources is not None:
            among = query.term_set_query(schema, "source", list(sources))
            within = query.const_score_query(among, 0.0)
            wanted = query.boolean_query([(tantivy.Occur.Must, wanted), (tantivy.Occur.Must, within)])
        hits = self._searcher.search(wanted, limit=top, count=False).hits
        places = [place for _, place in hits]
        columns = [self._searcher.fast_field_values(name, places) for name in ("source", "start", "end")]
        return [
            Found(int(source or 0), int(start or 0), int(end or 0), float(score))
            for (score, _), source, start, end in zip(hits, *columns, strict=True)
        ]

    def weights(self, kind: Kind, terms: Sequence[str]) -> list[float]:
        from caveat.language.bm25 import idf

        holding = [self._searcher.doc_freq(_FIELDS[kind][1], term) for term in terms]
        weights: list[float] = idf(holding, self._searcher.num_docs).tolist()
        return weights

    def verify(self) -> Iterator[str]:
        for file in sorted(self.folder.iterdir()) if self.folder is not None else ():
            if file.suffix in (".json", ".lock"):
                continue
            body, checksum = _body_and_checksum(file.read_bytes())
            if checksum is None or zlib.crc32(body) != checksum:
                yield f"{file.name} has a wrong checksum"

    def _writing(self) -> tantivy.IndexWriter:
        if self._writer is None:
            # One thread: passages stay in the order in which they came, and ties in a search with them.
            self._writer = self._index.writer(_HEAP, 1)
        return self._writer


def _opened(folder: Path | None) -> tantivy.Index:
    """An index to be read, by whoever may read its files."""
    import tantivy

    if folder is None:
        return tantivy.Index(_schema())
    try:
        return tantivy.Index.open(str(folder))
    except ValueError as error:
        if _NO_LOCK not in str(error):
            raise
    # Tantivy locks a file of its own even to read. Where that cannot be written, links to all others are read from a
    # folder where it can; what is open does not need them any more.
    with TemporaryDirectory(prefix="caveat-") as place:
        for file in folder.resolve().iterdir():
            if file.suffix != ".lock":
                Path(place, file.name).symlink_to(file)
        return tantivy.Index.open(place)


@contextmanager
def _written_to(folder: Path | None) -> Iterator[None]:
    """What tantivy cannot write there is an OSError, with the reason that the system has.

    Of a thread of its own that could not write it tells only that it ended; then the disk is tried.
    """
    try:
        yield
    except ValueError as error:
        if (fault := _os_error(error)) is not None:
            raise fault from error
        with TemporaryFile(dir=folder) as file:
            file.write(bytes(_TRIED_BYTES))
        raise OSError(f"the search engine has ended ({error})") from error


def _os_error(error: ValueError) -> OSError | None:
    """The error of the system that tantivy's text speaks of."""
    found = _OS_ERROR.search(str(error))
    if found is None:
        return None
    code = int(found[1] or found[2])
    return OSError(code, os.strerror(code))


def _schema() -> tantivy.Schema:
    import tantivy

    schema = tantivy.SchemaBuilder().add_integer_field("source", indexed=True, fast=True)
    for name in ("start", "end"):
        schema = schema.add_unsigned_field(name, fast=True)
    for fields in _FIELDS.values():
        for name in fields:
            schema = schema.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    return schema.build()


def _body_and_checksum(data: bytes) -> tuple[bytes, int | None]:
    """What a file of tantivy holds, and the checksum that its footer says it has."""
    size = int.from_bytes(data[-8:-4], "little")
    begin = len(data) - 8 - size
    if begin < 0:
        return data, None
    try:
        return data[:begin], int(json.loads(data[begin:-8])["crc"])
    except (ValueError, KeyError, TypeError):
        return data, None
