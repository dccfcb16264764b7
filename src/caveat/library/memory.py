"""Sources that are held in memory, searched as those of a library are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec.structs import replace

from caveat.answerers.tables.answerer import table_name
from caveat.core.errors import UnknownNameError
from caveat.core.records import Document, KnowledgeBase, Source
from caveat.library.catalogue import Entry, EntryKind
from caveat.library.reading import passages_of
from caveat.library.search import Kind, TantivyEngine
from caveat.library.state import State
from caveat.library.writing import is_in

_FIRST = 1


def state_in_memory(sources: Iterable[Source]) -> State:
    """The sources, searchable; a page and its only table have different names, as in a library."""
    holdings = _Holdings(list(_named(sources)))
    engine = TantivyEngine(None)
    for number, (_, source) in enumerate(holdings.sources, _FIRST):
        if isinstance(source, KnowledgeBase):
            continue
        passages = tuple(passages_of(source))
        holdings.passages += len(passages)
        engine.add(number, "document" if isinstance(source, Document) else "table", passages)
    engine.commit()
    return State(holdings, engine)


def _named(sources: Iterable[Source]) -> Iterator[tuple[str, Source]]:
    """Each source under a name of its own, which its places have too."""
    seen: set[str] = set()
    for source in sources:
        if isinstance(source, KnowledgeBase):
            yield source.path, source
            continue
        own = source.url if isinstance(source, Document) else table_name(source)
        name, number = own, 1
        while name in seen:
            name, number = f"{own}#{number}", number + 1
        seen.add(name)
        if name != own:
            source = replace(source, url=name) if isinstance(source, Document) else replace(source, id=name)
        yield name, source


def _kind(source: Source) -> EntryKind:
    if isinstance(source, KnowledgeBase):
        return "knowledge"
    return "document" if isinstance(source, Document) else "table"


class _Holdings:
    """Sources by their numbers, which count from 1, and by their names."""

    where = "memory"

    def __init__(self, sources: Sequence[tuple[str, Source]]) -> None:
        self.sources = sources
        self.passages = 0
        self._named = dict(sources)

    @property
    def kinds(self) -> Collection[str]:
        return {_kind(source) for _, source in self.sources}

    def entries(self) -> Iterator[Entry]:
        for name, source in self.sources:
            title = source.title if isinstance(source, Document) else ""
            yield Entry(name, _kind(source), 0, 0, "", title)

    def named(self, name: str) -> Source:
        if name not in self._named:
            raise UnknownNameError("source", name, sorted(self._named)[:20])
        return self._named[name]

    def within(self, names: Iterable[str]) -> Collection[int]:
        wanted = tuple(names)
        return [
            number
            for number, (own, _) in enumerate(self.sources, _FIRST)
            if any(is_in(own, name) for name in wanted)
        ]

    def few(self, kind: Kind, most: int) -> list[int] | None:
        found = [number for number, (_, each) in enumerate(self.sources, _FIRST) if _kind(each) == kind]
        return found if len(found) <= most else None

    def fetch(self, numbers: Iterable[int]) -> None:
        """They are here."""

    def name(self, number: int) -> str:
        return self.sources[number - _FIRST][0]

    def source(self, number: int) -> Source:
        return self.sources[number - _FIRST][1]

    def bases(self) -> dict[str, KnowledgeBase]:
        return {name: source for name, source in self.sources if isinstance(source, KnowledgeBase)}
