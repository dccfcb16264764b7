"""A state of a library, opened for reading: what is in it, and what is found in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from caveat.answerers.kept import Kept
from caveat.core.errors import InputError, UnknownNameError
from caveat.core.records import Document, KnowledgeBase, Source, Table
from caveat.library.catalogue import Part, read_catalogue
from caveat.library.passages import Passage, passage_text, title_of
from caveat.library.records import RecordFile, unpacked
from caveat.library.search import Found, Kind, SearchEngine, TantivyEngine
from caveat.library.storage import Manifest, damages
from caveat.library.terms import question_terms, terms
from caveat.sources.outline import headings_at

__all__ = ["SEARCH", "TRIPLES", "Hit", "State"]

SEARCH, TRIPLES = "search", "triples-"
"""The folder of the search engine, and the beginning of the names of those with triples."""
# Files up to this size are checked when the library is opened, which takes hundredths of a second; records are checked
# as they are read, and all of it by `verify`.
_CHECKED_BYTES = 1 << 25


class Hit(msgspec.Struct, frozen=True, omit_defaults=True):
    """A passage that was found: its text, where it stands, and how well it fits. Of a table it is rows."""

    text: str
    source: str
    score: float
    start: int | None = None
    end: int | None = None
    headings: tuple[str, ...] = ()


class State:
    """A state of the library: everything that reading it needs, whatever becomes of it on disk.

    What was looked at last is `kept`, by numbers that no two sources share, whatever the state.
    """

    def __init__(self, folder: Path, manifest: Manifest, kept: Kept[tuple[Source, int]]) -> None:
        self.path = folder / manifest.state
        for name, problem in damages(folder, manifest, most=_CHECKED_BYTES):
            if not (self.path / name).exists():
                raise FileNotFoundError(name)  # another state may hold by now
            raise InputError(f"{problem}; make the library again with `caveat index`", path=self.path / name)
        self.catalogue = read_catalogue(self.path)
        names = {part.location.file: None for part in self.catalogue.parts.values() if part.location}
        self._records = RecordFile(self.path, names)
        self._engine: SearchEngine = TantivyEngine(self.path / SEARCH)
        self._kept = kept
        self.passages = sum(part.passages for part in self.catalogue.parts.values())

    def search(self, question: str, top: int = 10) -> list[Hit]:
        """The passages that fit a question best, of documents and tables; the same text is given once."""
        kinds: tuple[Kind, ...] = ("document", "table")
        found = sorted(
            (each for kind in kinds for each in self.find(question, kind, 2 * top)),
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
        if kind not in self.catalogue.kinds:
            return []
        try:
            return self._engine.search(kind, question_terms(question), top)
        except ValueError as error:
            raise InputError(
                f"cannot be searched ({error}): `caveat library verify` says what is damaged", path=self.path
            ) from error

    def shares(self, question: str, found: Sequence[Found]) -> list[float]:
        """The share of a question that each passage of a document has, with its title; rare words count more."""
        words = question_terms(question)
        weights = dict(zip(words, self._engine.weights("document", words), strict=True))
        whole = sum(weights.values())
        shares = []
        for each in found:
            source = self.source(each.source)
            assert isinstance(source, Document)
            over = (title_of(source), *headings_at(source, each.start))
            there = set(terms(" \n ".join((*over, source.text[each.start : each.end]))))
            shares.append(sum(weight for word, weight in weights.items() if word in there) / (whole or 1.0))
        return shares

    def document(self, name: str) -> Source:
        """What is there under a name."""
        named = self.catalogue.named
        if name not in named:
            raise UnknownNameError("source in the library", name, sorted(named)[:20])
        return self.source(named[name].number)

    def source(self, number: int) -> Source:
        """What is there under a number."""
        part = self.catalogue.parts[number]
        if part.location is None:
            return self._base(part)
        return self._kept.get(number, lambda: self._read(part))[0]

    def bases(self) -> dict[str, KnowledgeBase]:
        """The triples of the library, by their names."""
        parts = self.catalogue.parts.values() if "knowledge" in self.catalogue.kinds else ()
        return {part.source: self._base(part) for part in parts if part.kind == "knowledge"}

    def _base(self, part: Part) -> KnowledgeBase:
        return KnowledgeBase(str(self.path / f"{TRIPLES}{part.number}"))

    def _read(self, part: Part) -> tuple[Source, int]:
        assert part.location is not None  # triples are kept elsewhere
        data = self._records.read(part.location)
        return unpacked(data, part.source), len(data)

    def _hit(self, found: Found) -> Hit:
        source, name = self.source(found.source), self.catalogue.parts[found.source].source
        passage = Passage(found.start, found.end)
        if isinstance(source, Document):
            text = passage_text(source, passage)
            return Hit(text, name, found.score, found.start, found.end, headings_at(source, found.start))
        assert isinstance(source, Table)  # triples are not searched by passages
        return Hit(passage_text(source, passage), name, found.score, headings=source.headers)
