"""The same answer with other edges is one answer: "1小时" and "每天1小时", "30 days" and "up to 30 days"."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from caveat.answerers.documents.quantity_clause import cut_to_quantity
from caveat.language.quantities import quantities_in
from caveat.language.question import asks_for_quantity
from caveat.language.tokens import tokens
from caveat.models.probability import Choice, Weighed


def pooled(question: str, weighed: Weighed, texts: Sequence[str] = ()) -> Weighed:
    """The choices with those that are one answer as one, which is as probable as they are together.

    What is shown is the most probable of them. Where a quantity is asked for, a span across clauses is cut to the one
    that has it; `texts`, those that the choices stand in, tell more of a clause than the span does.
    """
    if asks_for_quantity(question):
        weighed = msgspec.structs.replace(
            weighed, choices=tuple(_cut(choice, question, texts) for choice in weighed.choices)
        )
    kept: list[Choice] = []
    for choice in weighed.choices:
        same = next((at for at, other in enumerate(kept) if _are_same(other, choice)), None)
        if same is None:
            kept.append(choice)
        else:
            kept[same] = Choice(
                kept[same].probability + choice.probability, (*kept[same].places, *choice.places)
            )
    kept.sort(key=lambda choice: -choice.probability)
    return msgspec.structs.replace(weighed, choices=tuple(kept))


def _cut(choice: Choice, question: str, texts: Sequence[str]) -> Choice:
    places = tuple(
        (number, cut_to_quantity(candidate, question, texts[number] if texts else None))
        for number, candidate in choice.places
    )
    return Choice(choice.probability, places)


def _are_same(one: Choice, other: Choice) -> bool:
    """Whether they overlap in a place, or one has the other's words with the same numbers, wherever that stands."""
    if any(
        number == again and first.start < second.end and second.start < first.end
        for number, first in one.places
        for again, second in other.places
    ):
        return True
    said, repeated = sorted((tokens(one.text), tokens(other.text)), key=len)
    return _numbers(one.text) == _numbers(other.text) != set() and _contains(repeated, said)


def _numbers(text: str) -> set[float]:
    return {found.value for found in quantities_in(text)}


def _contains(whole: Sequence[str], part: Sequence[str]) -> bool:
    return any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))
