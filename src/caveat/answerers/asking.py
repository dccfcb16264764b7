"""One way of asking: sources are opened as a collection, a question is asked of it, what the asker tells settles it.

A folder, files, a library on disk or on servers are searched alike and give the same replies: what search finds is what
the answerers read. One text alone is read by them as it is, and so are records, which whoever hands them over has
chosen.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from caveat.answerers.contract import Asked, Prepared
from caveat.answerers.merge import merged
from caveat.answerers.searching import with_passages
from caveat.core.answers import Answer, Condition, Place
from caveat.core.cache import LimitedCache
from caveat.core.errors import CaveatError, InputError, reason_of
from caveat.core.files import is_device
from caveat.core.records import Correction, Document, KnowledgeBase, Question, Remark, Reply, Source, Table
from caveat.core.settling import question_of
from caveat.core.spreading import Through
from caveat.language.intervals import implied
from caveat.language.question import parse_question
from caveat.sources.gather import Given, Input, ReadSource, is_address, several_inputs

if TYPE_CHECKING:
    from caveat.answerers.spelling import Triples
    from caveat.library.cached import Cached
    from caveat.library.choosing import Chosen, Shelf
    from caveat.library.library import Library

# Libraries, and indexes in memory, stay open for the next question until they count for so much together: as many
# characters as are in memory, and at least so many each.
_OPEN_CHARACTERS, _LEAST_CHARACTERS = 1 << 24, 1 << 20


Part = Document | Table | KnowledgeBase | Prepared
"""A source, prepared by an engine or still to be."""


class Held(NamedTuple):
    """What was read of a file, folder or record; what of it was not, and how the rest was."""

    prepared: tuple[Part, ...] = ()
    unread: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @classmethod
    def of(cls, given: Given, prepare: Callable[[Source], Part], *, strict: bool) -> Held:
        """What was read, prepared; triples of a folder that cannot be opened leave the rest there, unless `strict`."""
        prepared: list[Part] = []
        unread = list(given.unread)
        for one in given.sources:
            try:
                prepared.append(prepare(one))
            except CaveatError as error:
                # Triples are only opened now; of a folder the rest is there still.
                others = len(given.sources) > len(unread) - len(given.unread) + 1
                if strict or not isinstance(one, KnowledgeBase) or not others:
                    raise
                unread.append(Remark(one.path, reason_of(error)))
        return cls(tuple(prepared), tuple(unread), given.remarks)


class Answering(Protocol):
    """What answers questions from sources that are prepared: an engine."""

    def prepared(self, parts: Sequence[Part]) -> tuple[Prepared, ...]:
        """The sources, all of them prepared."""
        ...

    def answer(self, asked: Sequence[Asked[Prepared]], *, through: Through = iter) -> Iterator[Reply]:
        """A reply for each question from its sources, in order."""
        ...


class Collection(NamedTuple):
    """What questions are asked of: sources that are read as they are, and others that are searched first."""

    whole: tuple[Part, ...] = ()
    shelves: tuple[Shelf, ...] = ()
    unread: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()

    def names(self) -> list[str]:
        """Of all sources, as places have them."""
        return list(dict.fromkeys(name for name, _ in self.kinds()))

    def whole_sources(self) -> list[Source]:
        """Those that are read as they are."""
        return [*map(source_of, self.whole)]

    def kinds(self) -> Iterator[tuple[str, type[Source]]]:
        """The name and the kind of each source; none is read for it."""
        for each in self.whole:
            yield name_of(source_of(each)), type(source_of(each))
        for shelf in self.shelves:
            for entry in shelf.state().entries():
                yield shelf.shown(entry.source), _KINDS[entry.kind]

    def files(self) -> dict[str, type[Source]]:
        """What the files are called, and what kind of source each gave first."""
        found: dict[str, type[Source]] = {}
        for name, kind in self.kinds():
            found.setdefault(_file_called(name) if kind is Table else name, kind)
        return found

    def behind(self, reply: Reply) -> list[ReadSource]:
        """The sources in which the answers of a reply stand, with their conditions and evidence."""
        return self.named(place.source for answer in reply.answers for place in _places(answer))

    def named(self, names: Iterable[str]) -> list[ReadSource]:
        """The sources of these names, as places have them, that are here."""
        wanted = dict.fromkeys(names)
        own = (ReadSource(name_of(each), each) for each in map(source_of, self.whole))
        found = [each for each in own if each.name in wanted]
        for shelf in self.shelves:
            found += (ReadSource(name, source) for name, source in shelf.named(wanted))
        return found

    @property
    def documents(self) -> Mapping[str, Document]:
        """The texts by name; each is read when it is looked at."""
        return _Documents(self)


_KINDS: dict[str, type[Source]] = {"document": Document, "table": Table, "knowledge": KnowledgeBase}


class _Documents(Mapping[str, Document]):
    def __init__(self, collection: Collection) -> None:
        self._collection = collection

    @cached_property
    def _names(self) -> list[str]:
        return [name for name, kind in self._collection.kinds() if kind is Document]

    def __getitem__(self, name: str) -> Document:
        for each in self._collection.named([name]):
            if isinstance(each.source, Document):
                return each.source
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def file_of(source: Source) -> str:
    """What the file of a source is called."""
    return _file_called(name_of(source)) if isinstance(source, Table) else name_of(source)


def _file_called(name: str) -> str:
    """The file of a table, which may be one of several in it: `fees.xlsx#2026` is of `fees.xlsx`."""
    while "#" in name and not os.path.exists(name):
        name = name.rpartition("#")[0]
    return name


def source_of(part: Part) -> Source:
    """The source itself."""
    return part if isinstance(part, Document | Table | KnowledgeBase) else part.source


def name_of(source: Source) -> str:
    """What places call a source."""
    if isinstance(source, Document):
        return source.url or source.title
    return source.id or source.caption if isinstance(source, Table) else source.path


def _places(answer: Answer) -> Iterator[Place]:
    conditions = (condition.place for condition in answer.conditions)
    yield from filter(None, (answer.place, *answer.evidence, *conditions))
    for part in answer.parts:
        yield from _places(part)


class Opener:
    """Opens sources as collections, and keeps them open for the next question. May be used from several threads."""

    def __init__(self, read: Callable[[Input, bool, bool], Held]) -> None:
        """`read` gives what is prepared of one source, told whether to be strict and to fetch private addresses."""
        self._read = read
        self._shelves: LimitedCache[tuple[object, Shelf]] = LimitedCache(
            _OPEN_CHARACTERS, lambda kept: _size(kept[1])
        )

    def open(
        self,
        sources: Sequence[Input | Library],
        *,
        strict: bool = False,
        private: bool = False,
        search: bool = True,
        cache: bool = True,
        through: Through = iter,
    ) -> Collection:
        """The sources as one collection, in which libraries may stand beside files and records.

        Without `search` all texts that are in no library are read as they are. With `cache` the index of a folder is
        kept in the user's cache folder; what is read for it goes `through`.
        """
        libraries = [each for each in sources if is_library(each)]
        others = [each for each in sources if not is_library(each)]
        shelves = [self._library(each) for each in libraries]
        if libraries and not others:
            return Collection(shelves=tuple(shelves))
        inputs = several_inputs(others)  # type: ignore[arg-type]
        paths = [each for each in inputs if isinstance(each, str | Path)]
        records = [each for each in inputs if not isinstance(each, str | Path)]
        kept = self._kept(paths, through) if search and cache and not strict else None
        if kept is not None:
            shelf, cached = kept
            held = [self._read(each, strict, private) for each in records]
            found = Collection(_prepared(held), (*shelves, shelf), cached.unread, cached.remarks)
        else:
            held = [self._read(each, strict, private) for each in inputs]
            of_files = _each_once(held[number] for number, each in enumerate(inputs) if each in paths)
            of_records = _prepared(held[number] for number, each in enumerate(inputs) if each not in paths)
            if search and _are_several(of_files):
                found = Collection(of_records, (*shelves, self._in_memory(of_files)))
            else:
                whole = _prepared(held) if len(paths) < 2 else (*of_files, *of_records)
                found = Collection(whole, tuple(shelves))
        return found._replace(
            unread=(*found.unread, *(remark for each in held for remark in each.unread)),
            remarks=(*found.remarks, *(remark for each in held for remark in each.remarks)),
        )

    def _library(self, given: object) -> Shelf:
        from caveat.library.choosing import Shelf
        from caveat.library.library import Library

        library = given if isinstance(given, Library) else None
        key = id(library) if library is not None else os.path.abspath(str(given))
        if "://" in str(given):
            key = str(given)

        def made() -> tuple[object, Shelf]:
            opened = library or Library.open(str(given))
            return opened, Shelf(opened.state)

        return self._shelves.get(key, made)[1]

    def _kept(self, paths: Sequence[str | Path], through: Through) -> tuple[Shelf, Cached] | None:
        """The index of files and folders in the user's cache folder, where it is worth to have one."""
        if not paths or not all(map(_stays, paths)):
            return None
        if len(paths) == 1 and not os.path.isdir(paths[0]):
            return None
        from caveat.library.cached import index_in_cache, listing
        from caveat.library.choosing import Shelf

        files = listing(paths)
        if not files.is_worth_keeping or (cached := index_in_cache(files, through=through)) is None:
            return None
        library = cached.library
        key = id(library), files.inputs
        shelf = self._shelves.get(key, lambda: (library, Shelf(library.state, files.shown, files.real)))[1]
        return shelf, cached

    def beside(self, collection: Collection, parts: tuple[Part, ...]) -> Collection:
        """The collection with what was read of files by its side."""
        if _are_several(parts):
            return collection._replace(shelves=(*collection.shelves, self._in_memory(parts)))
        return collection._replace(whole=(*collection.whole, *parts))

    def _in_memory(self, parts: tuple[Part, ...]) -> Shelf:
        def made() -> tuple[object, Shelf]:
            from caveat.library.choosing import Shelf
            from caveat.library.state import state_in_memory

            state = state_in_memory(map(source_of, parts))
            held = tuple(state.document(entry.source) for entry in state.entries())
            return parts, Shelf(lambda: state, held=held)

        # They are kept with the index of them, so that nothing else gets their identities.
        return self._shelves.get(tuple(map(id, parts)), made)[1]


def _size(shelf: Shelf) -> int:
    texts = (len(each.text) for each in shelf.held if isinstance(each, Document))
    return max(_LEAST_CHARACTERS, sum(texts))


def _prepared(held: Iterable[Held]) -> tuple[Part, ...]:
    return tuple(one for each in held for one in each.prepared)


def _each_once(held: Iterable[Held]) -> tuple[Part, ...]:
    """What was read of files; one that was named twice, or is in a folder too, stands where it came first."""
    found: list[Part] = []
    seen: set[str] = set()
    for each in held:
        files = [os.path.realpath(file_of(source_of(one))) for one in each.prepared]
        found += (one for one, file in zip(each.prepared, files, strict=True) if file not in seen)
        seen.update(files)
    return tuple(found)


def _are_several(parts: Sequence[Part]) -> bool:
    """Whether sources are of several files; a page and its tables, or the sheets of a workbook, are of one."""
    return len({name_of(source_of(each)).partition("#")[0] for each in parts}) > 1


def _stays(path: str | Path) -> bool:
    """Whether a source is a file or folder that can be read again."""
    try:
        return str(path) != "-" and not is_address(path) and os.path.exists(path) and not is_device(path)
    except (OSError, ValueError):  # a text is no file name: too long, or with a NUL
        return False


def is_library(source: object) -> bool:
    """Whether a source is a library: its folder, its address, or it itself."""
    if isinstance(source, str | Path):
        from caveat.library.qdrant.nodes import is_address as is_servers

        if is_servers(source):
            return True
        try:
            if not os.path.isdir(source):
                return False
        except ValueError:
            return False
        from caveat.library.storage import is_library as is_folder_of_library

        return is_folder_of_library(source)
    if isinstance(source, msgspec.Struct):
        return False
    from caveat.library.library import Library

    return isinstance(source, Library)


class Plan(NamedTuple):
    """A question on a collection: what is to be read of each of its parts."""

    question: Question
    collection: Collection
    chosen: tuple[Chosen, ...]
    # The question without typing errors, and what was corrected.
    spelt: Question
    understood: tuple[Correction, ...] = ()

    @classmethod
    def of(cls, engine: Answering, question: Question, collection: Collection) -> Plan:
        """The question, once its typing errors are corrected and all that is searched was searched for it."""
        return cls._searched(question, collection, *_spelt(engine, question, collection))

    @classmethod
    def as_typed(cls, question: Question, collection: Collection) -> Plan:
        """The question with whatever typing errors it has."""
        return cls._searched(question, collection, question)

    @classmethod
    def _searched(
        cls,
        question: Question,
        collection: Collection,
        spelt: Question,
        understood: tuple[Correction, ...] = (),
    ) -> Plan:
        if not collection.shelves:
            return cls(question, collection, (), spelt, understood)
        from caveat.library.choosing import choose

        chosen = tuple(choose(shelf, spelt.text) for shelf in collection.shelves)
        return cls(question, collection, chosen, spelt, understood)

    def asked(self, engine: Answering, top: int, structure: bool) -> list[Asked[Prepared]]:
        """What an engine is to answer, part by part."""
        parsed = parse_question(self.question, self.spelt)
        whole = engine.prepared(self.collection.whole)
        return [
            *([Asked(parsed.meant, whole, top, structure, parsed)] if whole else []),
            *(
                Asked(parsed.meant, engine.prepared(each.sources), each.wanted(top), structure, parsed)
                for each in self.chosen
                if each.sources
            ),
        ]

    def reply(self, replies: Iterator[Reply], top: int) -> Reply:
        """The replies of all parts as one, to the question as it was asked, with what is to be said of the sources."""
        parts = [next(replies)] if self.collection.whole else []
        parts += [each.placed(next(replies), top) for each in self.chosen if each.sources]
        one = merged(parts, top) if parts else Reply(self.question, (), 1.0)
        said = one.remarks if len(parts) == 1 else tuple(remark for each in parts for remark in each.remarks)
        remarks = self.collection.remarks
        if self.question.told_in_another_language:
            remarks = (
                *remarks,
                Remark("scenario", "in another language than the question, so it was not read"),
            )
        return msgspec.structs.replace(
            one,
            question=self.question,
            unread=self.collection.unread,
            remarks=tuple(dict.fromkeys((*remarks, *said))),
            understood=self.understood,
        )

    def holds(self) -> bool:
        """Whether what was searched is as it was."""
        return all(each.holds() for each in self.chosen)


def _spelt(
    engine: Answering, question: Question, collection: Collection
) -> tuple[Question, tuple[Correction, ...]]:
    from caveat.answerers.spelling import spelt

    def opened(base: KnowledgeBase) -> Triples:
        part = next((each for each in collection.whole if source_of(each) is base), base)
        return engine.prepared([part])[0].base  # type: ignore[attr-defined,no-any-return]

    sources = [source_of(each) for each in collection.whole]
    return spelt(question, sources, [shelf.state() for shelf in collection.shelves], opened)


def ask(
    engine: Answering,
    question: Question,
    collection: Collection,
    *,
    top: int = 5,
    structure: bool = True,
    through: Through = iter,
) -> Reply:
    """The `top` most probable answers from all of a collection, and how probable it is that there is none."""
    while True:
        plan = Plan.of(engine, question, collection)
        try:
            reply = plan.reply(engine.answer(plan.asked(engine, top, structure), through=through), top)
            return with_passages(reply, collection)
        except InputError:
            if plan.holds():
                raise


def settle(reply: Reply, told: Mapping[Condition | str, bool]) -> Reply:
    """The reply once conditions, or their questions, are answered with yes or no, and with all that follows from that.

    Who is under 18 is not asked whether they are over 60.
    """
    for condition, yes in told.items():
        reply = reply.settle(condition, yes)
        said = condition if isinstance(condition, str) else question_of(condition)
        for other in reply.open:
            answer = implied(said, yes, question_of(other))
            if answer is not None and any(each.fact == other.fact for each in reply.open):
                reply = reply.settle(other, answer)
    return reply
