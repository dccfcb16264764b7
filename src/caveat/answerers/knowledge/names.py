"""Which entities a question names, and what it may ask of them: each predicate of each entity that a name can mean."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from caveat.answerers.knowledge.words import FoldedQuestion, WordCounts, units_of
from caveat.core.answers import Triple
from caveat.core.languages import count_han
from caveat.library.triples.folding import clean_predicate, fold
from caveat.library.triples.mentions import Mention
from caveat.library.triples.names import other_names

# What may stand between a name and its explanation.
_BETWEEN_AFTER = re.compile(r"[》”」』\"')\s（(，,]*(?:(?:这|那)?[部本个首款种位座家所只])?的?\s*(?:the\s)?")
_BETWEEN_BEFORE = re.compile(r"[《“「『\"'（(\s的]*$")
# Fewer characters of an explanation may be there by chance.
_LEAST_HAN, _LEAST_LETTERS, _LONGEST = 2, 4, 12
_BRACKETS = "()[]【】〔〕_ "


def bracketed(entity: str) -> str:
    """What stands in the brackets at the end of an entity's name, with them; "" if there are none."""
    shorter = next(other_names(entity), None)
    return entity[len(shorter) :] if shorter is not None and entity.startswith(shorter) else ""


def explained(entities: Sequence[str], question: str, start: int, end: int) -> Sequence[str]:
    """The entities whose explanations share most with what is beside a name in a folded question; all if none does.

    北斗一号望远镜多少钱 is asked of 北斗一号（望远镜）, "the planet Mercury" is Mercury (planet).
    """
    between = _BETWEEN_AFTER.match(question, end)
    after = question[between.end() if between else end :][:_LONGEST]
    before = _BETWEEN_BEFORE.sub("", question[:start])[-_LONGEST:]
    shared = [_beside(bracketed(entity), before, after) for entity in entities]
    most = max(shared, default=0)
    return [each for each, count in zip(entities, shared, strict=True) if count == most] if most else entities


def _beside(bracket: str, before: str, after: str) -> int:
    """How many characters right before or right after the name begin or end its bracket, if that is no chance."""
    inside = fold(bracket).text.strip(_BRACKETS)
    least = _LEAST_HAN if count_han(bracket) else _LEAST_LETTERS
    for count in range(min(_LONGEST, len(inside)), least - 1, -1):
        if {inside[:count], inside[-count:]} & {before[-count:], after[:count]}:
            return count
    return 0


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


class NamedEntity(NamedTuple):
    """An entity that a mention can mean, its rank among them, and what is known of it, by cleaned predicate."""

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
    asked: FoldedQuestion, base: Base, words: WordCounts
) -> tuple[list[Mention], list[list[NamedEntity]], list[Candidate]]:
    """The mentions of a question, for each the entities that it can mean, and the candidates of all of them."""
    mentions = _worth_a_look(base.mentions(asked.text), words)
    named: list[list[NamedEntity]] = []
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
            named[-1].append(NamedEntity(entity, rank, facts))
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


def _likely(mention: Mention, asked: FoldedQuestion) -> list[tuple[int, str]]:
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
