"""From a question to the values that answer it: one step from an entity along a predicate, or two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from caveat.answerers.knowledge.candidates import Base
from caveat.answerers.knowledge.matching import Matching, Understood
from caveat.answerers.knowledge.two_steps import Walked, walk_twice
from caveat.core.records import Triple

__all__ = ["Found", "find_answers"]


class Found(NamedTuple):
    """Values that answer a question together, the triples that were walked along to them, and how probable it is."""

    values: tuple[str, ...]
    triples: tuple[Triple, ...]
    probability: float


def find_answers(question: str, base: Base, model: Matching) -> tuple[list[Found], float]:
    """What answers a question, the most probable first, and how probable it is that the base has no answer."""
    understood, none = model.understood(question, base)
    walked = walk_twice(question, base, model, understood)
    found = _together(understood)
    if walked is None:
        return found, none
    # What two steps explain is taken from all that one step does.
    left = 1 - walked.probability
    rest = [each._replace(probability=each.probability * left) for each in found]
    return sorted([_walked(walked), *rest], key=lambda each: -each.probability), none * left


def _together(understood: Sequence[Understood]) -> list[Found]:
    """The same values found in several ways count once, and are as probable as all these ways together."""
    ways: dict[tuple[str, ...], Found] = {}
    for each in understood:
        triples = each.candidate.triples
        values = tuple(dict.fromkeys(triple.object for triple in triples))
        known = ways.get(values)
        ways[values] = (
            Found(values, tuple(triples), each.probability)
            if known is None
            else known._replace(probability=known.probability + each.probability)
        )
    return sorted(ways.values(), key=lambda found: -found.probability)


def _walked(walked: Walked) -> Found:
    values = tuple(dict.fromkeys(triple.object for triple in walked.second))
    return Found(values, (walked.first, *walked.second), walked.probability)
