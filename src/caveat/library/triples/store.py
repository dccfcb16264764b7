"""Looking things up in an index: what is known of an entity, which entities a name can mean, who is in a question."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property, lru_cache, partial

import numpy as np

from caveat.core.answers import Triple
from caveat.core.files import PathLike
from caveat.library.triples.folding import fold, hash_codes
from caveat.library.triples.layout import About, MappedFile
from caveat.library.triples.mentions import Mention, NameTable, find_mentions, find_misspelt

# A name of at least this many characters that is spelt right leaves no doubt.
SURE = 3
# Objects are in no index: up to this many triples all are read when the first one is looked for.
_LOOKED_THROUGH = 200_000
_LONGEST_OBJECT = 200
_SEVERAL = re.compile(r"\s*[、；;|，,]\s*")


class KnowledgeStore:
    """An index of triples, opened for reading; any number of processes and threads may have it open."""

    def __init__(self, file: MappedFile) -> None:
        self._file = file
        self._names = NameTable(file)
        # Not a method of its own: the store would hold itself, and its file, until the garbage is collected.
        self._predicate = lru_cache(maxsize=1 << 17)(partial(_read_predicate, file))

    @classmethod
    def open(cls, path: PathLike) -> KnowledgeStore:
        """The index in a folder that `build_index` has made; what is not looked up is not read."""
        return cls(MappedFile(path))

    @property
    def about(self) -> About:
        """How much of what is in it, and from which files."""
        return self._file.about

    def __len__(self) -> int:
        return self.about.triples

    def __contains__(self, entity: str) -> bool:
        return self._number(entity) is not None

    def attributes(self, entity: str) -> tuple[Triple, ...]:
        """All triples about an entity, by its exact name, in the order of the files; none if it is not there."""
        number = self._number(entity)
        return () if number is None else tuple(self._triples(number))

    def entities_named(self, name: str) -> tuple[str, ...]:
        """The entities that a name can mean, whatever its case, width and script.

        First those whose whole name it is, then those that have it before a bracket or in quotes, then those of
        which it is an alias; of equals the one with most triples.
        """
        number = self._names.number(fold(name).text)
        found = () if number is None else self._entities(number)
        # A name of nothing but bullets is folded away, one of a hundred characters is not among the names.
        return found if name in found or name not in self else (name, *found)

    def mentions(self, question: str) -> list[Mention]:
        """All names in a question, those inside longer ones too, the longest first.

        If none of three characters or more is spelt right, those that have one slip of the pen in them as well.
        """
        found = find_mentions(question, self._names, self.about.longest_name, self._entities)
        if not found or len(found[0].text) < SURE:
            found = sorted(
                [*self.misspelt(question), *found],
                key=lambda mention: (mention.start - mention.end, mention.misspelt),
            )
        return found

    def misspelt(self, question: str) -> list[Mention]:
        """The names that a question has with one slip of the pen in them, the longest first."""
        return find_misspelt(question, self._names, self._entities)

    def entities(self) -> Iterator[str]:
        """The names of all entities, in no order that means anything."""
        return map(self._entity, range(self.about.entities))

    def triples(self) -> Iterator[Triple]:
        """All triples, entity by entity."""
        for number in range(self.about.entities):
            yield from self._triples(number)

    def triples_to(self, object: str) -> tuple[Triple, ...]:
        """The triples with an object, whatever its case; none in a base too large to look through."""
        if len(self) > _LOOKED_THROUGH:
            return ()
        found = self._by_object
        # A question in Traditional script, or in wide letters, asks for what is written plainly.
        return tuple(found.get(object.casefold(), ()) or found.get(fold(object).text, ()))

    @cached_property
    def _by_object(self) -> dict[str, list[Triple]]:
        found: dict[str, list[Triple]] = defaultdict(list)
        for triple in self.triples():
            whole = triple.object.casefold()
            if len(whole) <= _LONGEST_OBJECT:
                for part in {whole, *_SEVERAL.split(whole)} - {""}:
                    found[part].append(triple)
        return found

    def _number(self, entity: str) -> int | None:
        hash = hash_codes(entity.encode("utf-8", "surrogatepass"))
        number = int(self._file.search("entity_hash", np.array([hash]))[0])
        while self._file.equals("entity_hash", number, hash):
            if self._entity(number) == entity:
                return number
            number += 1
        return None

    def _entity(self, number: int) -> str:
        return self._file.bytes_of("entity_text", *self._file.pair("entity_name", number)).decode()

    def _entities(self, name: int) -> tuple[str, ...]:
        return tuple(map(self._entity, self._names.entities(name)))

    def _triples(self, entity: int) -> Iterator[Triple]:
        subject = self._entity(entity)
        first, last = self._file.pair("entity_triples", entity)
        objects = self._file.bytes_of("object_text", *self._file.pair("entity_objects", entity))
        predicates = self._file.values("triple_predicate", first, last).tolist()
        sizes = self._file.values("triple_size", first, last).tolist()
        at = 0
        for predicate, size in zip(predicates, sizes, strict=True):
            yield Triple(subject, self._predicate(predicate), objects[at : at + size].decode())
            at += size


def _read_predicate(file: MappedFile, number: int) -> str:
    return file.bytes_of("predicate_text", *file.pair("predicate_name", number)).decode()
