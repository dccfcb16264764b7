"""What every rendering of a reply shares: its answers in branches, its probabilities and its logic in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from caveat.core.records import AllOf, Answer, AnyOf, Condition, Place, Requirement

__all__ = ["Branch", "branches_of", "is_around", "logic_in_words", "percent", "plural", "requirement_of"]


def plural(count: int, noun: str) -> str:
    """A count and what it counts."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def percent(score: float) -> str:
    """A probability in whole per cent; nothing that is not certain or impossible is called so."""
    if 0.0 < score < 0.01:
        return "<1%"
    if 0.99 < score < 1.0:
        return ">99%"
    return f"{100 * score:.0f}%"


class Branch(msgspec.Struct, frozen=True):
    """Conditions, or none, and the answers that hold under them."""

    conditions: tuple[Condition, ...]
    answers: tuple[Answer, ...]


def branches_of(answers: Iterable[Answer], sources: Iterable[str] = ()) -> tuple[Branch, ...]:
    """The answers by their conditions, in the order of the text: unconditional ones first, then a branch a condition.

    `sources` are the names of the documents in their order; what has no place among them comes last.
    """
    order = list(sources)
    groups: dict[tuple[tuple[Condition, ...], Requirement | None], list[Answer]] = {}
    for answer in sorted(answers, key=lambda answer: _position(answer.place, order)):
        groups.setdefault((answer.conditions, answer.requires), []).append(answer)

    def reading_order(key: tuple[tuple[Condition, ...], Requirement | None]) -> tuple[bool, int, int]:
        conditions, _ = key
        return bool(conditions), *_position(conditions[0].place if conditions else None, order)

    return tuple(Branch(key[0], tuple(groups[key])) for key in sorted(groups, key=reading_order))


def _position(place: Place | None, order: Sequence[str]) -> tuple[int, int]:
    if place is None or place.source not in order:
        return len(order), (place.start or 0) if place else 0
    return order.index(place.source), place.start or 0


def logic_in_words(
    answer: Answer, name_of: Callable[[int], str], joints: tuple[str, str], brackets: str
) -> str:
    """How the conditions of an answer belong together: "A and (B or C)", each as `name_of` calls it by its number.

    `joints` are the words for and and or, `brackets` what stands around a part.
    """

    def said(part: Requirement, inside: bool) -> str:
        if isinstance(part, int):
            return name_of(part)
        words = joints[isinstance(part, AnyOf)].join(said(each, True) for each in part.parts)
        return brackets.format(words) if inside and len(part.parts) > 1 else words

    return said(requirement_of(answer), False)


def requirement_of(answer: Answer) -> Requirement:
    """What an answer requires; where it does not say, all of its conditions."""
    return AllOf(tuple(range(len(answer.conditions)))) if answer.requires is None else answer.requires


def is_around(evidence: Place, place: Place | None) -> bool:
    """Whether evidence is nothing new: it is around the answer's own place."""
    if place is None or evidence.source != place.source:
        return False
    if evidence.start is None or evidence.end is None or place.start is None or place.end is None:
        return evidence == place
    return evidence.start <= place.start and place.end <= evidence.end
