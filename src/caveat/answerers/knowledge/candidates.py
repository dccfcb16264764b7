"""What a question may ask: each predicate of each entity that one of its names can mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from caveat.answerers.knowledge.asked import AskedQuestion
from caveat.answerers.knowledge.disambiguation import bracketed, explained
from caveat.answerers.knowledge.grams import units_of
from caveat.answerers.knowledge.index.folding import clean_predicate
from caveat.answerers.knowledge.index.mentions import Mention
from caveat.answerers.knowledge.words import WordCounts
from caveat.core.records import Triple

__all__ = ["Base", "Candidate", "Named", "candidates_of"]

# Beyond these the likeliest names, the entities whose brackets fit, and the first predicates count.
_MOST_MENTIONS, _MOST_ENTITIES, _MOST_PREDICATES = 6, 16, 400


class Base(Protocol):
    """What is asked of a knowledge base: the names in a question, and what is known of an entity."""

    def mentions(self, question: str, /) -> list[Mention]:
        """The names in a question, the longest first."""
        ...

    def attributes(self, entity: str, /) -> tuple[Triple, ...]:
        """All triples about an entity."""
        ...


class Named(NamedTuple):
    """An entity that a mention can mean: the how-manieth, and what is known of it, by cleaned predicate."""

    entity: str
    rank: int
    facts: dict[str, list[Triple]]


class Candidate(NamedTuple):
    """A way to understand a question: the mention, by its number, the entity, the cleaned predicate, its triples."""

    mention: int
    entity: int
    predicate: str
    triples: list[Triple]


def candidates_of(
    asked: AskedQuestion, base: Base, words: WordCounts
) -> tuple[list[Mention], list[list[Named]], list[Candidate]]:
    """The mentions of a question, for each the entities that it can mean, and the candidates of all of them."""
    mentions = _worth_a_look(base.mentions(asked.text), words)
    named: list[list[Named]] = []
    candidates: list[Candidate] = []
    for number, mention in enumerate(mentions):
        named.append([])
        for rank, entity in _likely(mention, asked):
            facts: dict[str, list[Triple]] = {}
            for triple in base.attributes(entity):
                predicate = clean_predicate(triple.predicate)
                if predicate in facts:
                    facts[predicate].append(triple)
                elif len(facts) < _MOST_PREDICATES:
                    facts[predicate] = [triple]
            candidates += [Candidate(number, len(named[-1]), p, triples) for p, triples in facts.items()]
            named[-1].append(Named(entity, rank, facts))
    return mentions, named, candidates


def _worth_a_look(mentions: list[Mention], words: WordCounts) -> list[Mention]:
    """Names that are in quotes, long, not inside others, and no common words; the weights decide among them."""
    if len(mentions) <= _MOST_MENTIONS:
        return mentions

    def likely(mention: Mention) -> float:
        inside = any(
            other.start <= mention.start and mention.end <= other.end and len(other.text) > len(mention.text)
            for other in mentions
        )
        common = words.commonness(mention.text)
        sure = 2 * mention.quoted - 2 * mention.misspelt - inside
        return sure + 2 * math.log1p(len(mention.text)) - common / 2

    kept = sorted(mentions, key=likely, reverse=True)[:_MOST_MENTIONS]
    return [mention for mention in mentions if mention in kept]


def _likely(mention: Mention, asked: AskedQuestion) -> list[tuple[int, str]]:
    """The entities with their ranks; of very many those whose brackets share most with the question."""
    entities: Sequence[str] = mention.entities
    if len(entities) > 1:
        entities = explained(entities, asked.folded, *asked.place(mention.start, mention.end))
    ranked = list(enumerate(entities))
    if len(ranked) <= _MOST_ENTITIES:
        return ranked
    there = set(units_of(asked.folded))
    shared = {entity: len(there & set(units_of(bracketed(entity)))) for entity in entities}
    return sorted(ranked, key=lambda each: (-shared[each[1]], each[0]))[:_MOST_ENTITIES]
