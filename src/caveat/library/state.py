"""A library opened for reading: what is in it, and what is found in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Protocol

from msgspec.structs import replace

from caveat.core.errors import InputError, UnknownNameError
from caveat.core.records import Document, Hit, KnowledgeBase, Source, Table
from caveat.library.catalogue import Catalogue, Entry, File, Part, UniqueNames, is_in
from caveat.library.passages import Passage, passage_text, question_terms, terms, title_of
from caveat.library.reading import passages_of
from caveat.library.search import Found, Kind, Searcher, TantivyEngine
from caveat.sources.outline import headings_at, page_at


class Holdings(Protocol):
    """The sources of a library, by the numbers that search finds them under and by their names."""

    @property
    def where(self) -> str:
        """The folder or address, for messages."""
        ...

    @property
    def kinds(self) -> Collection[str]:
        """The kinds of source that there are."""
        ...

    @property
    def passages(self) -> int:
        """How many are searched."""
        ...

    def entries(self) -> Iterator[Entry]:
        """What there is."""
        ...

    def named(self, name: str) -> Source:
        """What is there under a name."""
        ...

    def within(self, names: Iterable[str]) -> Collection[int]:
        """The numbers of the sources of these names, and of those in folders of these names."""
        ...

    def few(self, kind: Kind, most: int) -> list[int] | None:
        """The numbers of all sources of a kind, where there are at most so many; None where there are more."""
        ...

    def fetch(self, numbers: Iterable[int]) -> None:
        """These sources will be wanted."""
        ...

    def name(self, number: int) -> str:
        """What a source is called."""
        ...

    def source(self, number: int) -> Source:
        """What is there under a number."""
        ...

    def bases(self) -> dict[str, KnowledgeBase]:
        """The triples of the library, by their names."""
        ...


class State:
    """What a library holds, searched: everything that reading it needs."""

    def __init__(self, holdings: Holdings, searcher: Searcher) -> None:
        self._holdings, self._searcher = holdings, searcher
        self.entries = holdings.entries
        self.document = holdings.named
        self.source = holdings.source
        self.name = holdings.name
        self.bases = holdings.bases
        self.few = holdings.few

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of source that there are."""
        return frozenset(self._holdings.kinds)

    @property
    def passages(self) -> int:
        """How many are searched."""
        return self._holdings.passages

    def search(self, question: str, top: int = 10, sources: Sequence[str] = ()) -> list[Hit]:
        """The passages that fit a question best, of documents and tables; the same text is given once.

        Where names of `sources`, or of folders of them, are given, only these are searched.
        """
        kinds: tuple[Kind, ...] = ("document", "table")
        among = self._holdings.within(sources) if sources else None
        found = sorted(
            (each for kind in kinds for each in self.find(question, kind, 2 * top, among)),
            key=lambda each: -each.score,
        )
        self._holdings.fetch(each.source for each in found)
        hits: dict[str, Hit] = {}
        for each in found:
            hit = self._hit(each)
            hits.setdefault(hit.text, hit)
            if len(hits) == top:
                break
        return list(hits.values())

    def find(
        self, question: str, kind: Kind, top: int, sources: Collection[int] | None = None
    ) -> list[Found]:
        """The passages of a kind of source that fit a question best."""
        if kind not in self._holdings.kinds:
            return []
        try:
            return self._searcher.search(kind, question_terms(question), top, sources)
        except ValueError as error:
            raise InputError(
                f"cannot be searched ({error}): `caveat library verify` says what is damaged",
                path=self._holdings.where,
            ) from error

    def shares(self, question: str, found: Sequence[Found]) -> list[float]:
        """The share of a question that each passage of a document has, with its title; rare words count more."""
        words = question_terms(question)
        weights = dict(zip(words, self._searcher.weights("document", words), strict=True))
        whole = sum(weights.values())
        self._holdings.fetch(each.source for each in found)
        shares = []
        for each in found:
            source = self.source(each.source)
            assert isinstance(source, Document)
            over = (title_of(source), *headings_at(source, each.start))
            there = set(terms(" \n ".join((*over, source.text[each.start : each.end]))))
            shares.append(sum(weight for word, weight in weights.items() if word in there) / (whole or 1.0))
        return shares

    def _hit(self, found: Found) -> Hit:
        source, name = self.source(found.source), self.name(found.source)
        passage = Passage(found.start, found.end)
        if isinstance(source, Document):
            text = passage_text(source, passage)
            headings, page = headings_at(source, found.start), page_at(source, found.start)
            return Hit(text, name, found.score, found.start, found.end, headings, page)
        assert isinstance(source, Table)  # triples are not searched by passages
        return Hit(passage_text(source, passage), name, found.score, headings=source.headers)


class CatalogueHoldings:
    """The sources that a catalogue lists; each is read when it is needed."""

    def __init__(self, where: str, catalogue: Catalogue, read: Callable[[Part], Source]) -> None:
        self.where, self.catalogue, self._read = where, catalogue, read
        self.passages = sum(part.passages for part in catalogue.parts.values())
        self.entries = catalogue.entries

    @property
    def kinds(self) -> Collection[str]:
        return self.catalogue.kinds

    def named(self, name: str) -> Source:
        named = self.catalogue.named
        if name not in named:
            raise UnknownNameError("source in the library", name, sorted(named)[:20])
        return self._read(named[name])

    def within(self, names: Iterable[str]) -> Collection[int]:
        wanted = tuple(names)
        parts = self.catalogue.parts.values()
        return [part.number for part in parts if any(is_in(part.source, name) for name in wanted)]

    def few(self, kind: Kind, most: int) -> list[int] | None:
        found = [part.number for part in self.catalogue.parts.values() if part.kind == kind]
        return found if len(found) <= most else None

    def fetch(self, numbers: Iterable[int]) -> None:
        """They are here."""

    def name(self, number: int) -> str:
        return self.catalogue.parts[number].source

    def source(self, number: int) -> Source:
        return self._read(self.catalogue.parts[number])

    def bases(self) -> dict[str, KnowledgeBase]:
        if "knowledge" not in self.catalogue.kinds:
            return {}
        read = {
            part.source: self._read(part)
            for part in self.catalogue.parts.values()
            if part.kind == "knowledge"
        }
        return {name: base for name, base in read.items() if isinstance(base, KnowledgeBase)}


def state_in_memory(sources: Iterable[Source]) -> State:
    """Sources that are in no library, searched as those of a library are; two of one name get different names."""
    names, engine = UniqueNames(), TantivyEngine(None)
    held: dict[int, Source] = {}
    files = []
    for number, source in enumerate(sources, 1):
        if isinstance(source, KnowledgeBase):
            part = Part(number, source.path, "knowledge", "", 0, 0)
        else:
            passages = tuple(passages_of(source))
            kind: Kind = "document" if isinstance(source, Document) else "table"
            engine.add(number, kind, passages)
            source = _named(source, names)
            title = source.title if isinstance(source, Document) else ""
            part = Part(number, _name_of(source), kind, title, 0, len(passages))
        held[number] = source
        files.append(File(part.source, "", 0, 0, "", (part,)))
    engine.commit()
    return State(CatalogueHoldings("memory", Catalogue(tuple(files)), lambda part: held[part.number]), engine)


def _name_of(source: Document | Table) -> str:
    return source.url if isinstance(source, Document) else source.name


def _named(source: Document | Table, names: UniqueNames) -> Document | Table:
    """The source under a name that no other has; its places have that name too."""
    name = names.take(_name_of(source))
    if name == _name_of(source):
        return source
    return replace(source, url=name) if isinstance(source, Document) else replace(source, id=name)
