"""Predicates that an entity could have: those of similar entities, mixed with its own to make choosing harder.

A base that was made from the questions' own triples has few predicates for an entity, often one; a real one has dozens.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from zlib import crc32

from caveat.answerers.knowledge.index.folding import clean_predicate
from caveat.answerers.knowledge.index.mentions import Mention
from caveat.answerers.knowledge.names import Base
from caveat.core.records import Triple

__all__ = ["Distracted", "SimilarEntities"]

# Entities that are looked at for one, and predicates that one of them lends: so that none lends all.
_MOST_SIMILAR, _LENT = 400, 5


class Distracted:
    """A base in which one entity has further triples."""

    def __init__(self, base: Base, entity: str, further: Iterable[Triple]) -> None:
        self._base, self._entity, self._further = base, entity, tuple(further)

    def mentions(self, question: str) -> list[Mention]:
        """The names in a question."""
        return self._base.mentions(question)

    def attributes(self, entity: str) -> tuple[Triple, ...]:
        """All triples about an entity, and those that were lent to it."""
        own = self._base.attributes(entity)
        return (*own, *self._further) if entity == self._entity else own


class SimilarEntities:
    """Which entities have predicates in common."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._triples: dict[str, dict[str, Triple]] = defaultdict(dict)
        for triple in triples:
            self._triples[triple.subject].setdefault(clean_predicate(triple.predicate), triple)
        self._having: dict[str, list[str]] = defaultdict(list)
        for entity, facts in self._triples.items():
            # One that has a single predicate has none to lend.
            if len(facts) > 1:
                for predicate in facts:
                    self._having[predicate].append(entity)
        # In an order that has nothing to do with the file's, and is the same every time.
        for several in self._having.values():
            several.sort(key=_hash)
            del several[_MOST_SIMILAR:]
        self._all = sorted((e for e, facts in self._triples.items() if len(facts) > 1), key=_hash)

    def distractors(self, entity: str, count: int) -> list[Triple]:
        """So many triples for an entity, of predicates and objects that it has not, from the most similar first."""
        own = self._triples.get(entity, {})
        taken, objects = set(own), {triple.object for triple in own.values()}
        found: list[Triple] = []
        for other in self._similar(entity, own):
            facts = self._triples[other]
            lent = 0
            for predicate in sorted(facts, key=lambda each: _hash(entity + each)):
                if predicate in taken or facts[predicate].object in objects:
                    continue
                taken.add(predicate)
                found.append(Triple(entity, facts[predicate].predicate, facts[predicate].object))
                lent += 1
                if len(found) == count:
                    return found
                if lent == _LENT:
                    break
        return found

    def _similar(self, entity: str, own: Iterable[str]) -> Iterator[str]:
        """The entities that share most predicates with one, as a share of what both have; then any others."""
        shared: dict[str, int] = defaultdict(int)
        for predicate in own:
            for other in self._having.get(predicate, ()):
                shared[other] += 1
        shared.pop(entity, None)
        size = len(list(own))
        yield from sorted(
            shared,
            key=lambda other: (
                -shared[other] / (size + len(self._triples[other]) - shared[other]),
                _hash(entity + other),
            ),
        )
        start = _hash(entity) % (len(self._all) or 1)
        yield from (other for other in (*self._all[start:], *self._all[:start]) if other != entity)


def _hash(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"))
