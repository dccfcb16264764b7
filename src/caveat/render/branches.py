"""Answers that hold together in the order in which they are read: by their conditions, and by their places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from caveat.core.records import Answer, Condition, Place, Requirement

__all__ = ["Branch", "branches_of"]


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
