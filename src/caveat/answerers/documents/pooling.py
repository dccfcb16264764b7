"""The same answer with other edges is one answer: "1小时" and "每天1小时", "30 days" and "up to 30 days"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from caveat.answerers.documents.question_type import asks_for_quantity, fits_question
from caveat.language.quantities import quantities_in
from caveat.language.tokens import tokens
from caveat.models.decoding import Candidate
from caveat.models.probability import Choice, Weighed
from caveat.sources.plain_text import trimmed

__all__ = ["pooled", "without_other_clauses"]

_COMMA = re.compile(r"，|, ")
# What ends a clause, and in Chinese what says of a clause that it is a condition of the next: 满一年的，…
_CLAUSE_ENDS = re.compile(r"[；;。：:！？\n]+|(?<=的)，|(?<=时)，|[.!?]\s+")


def pooled(question: str, weighed: Weighed) -> Weighed:
    """The choices with those that are one answer as one, which is as probable as they are together.

    What is shown is the most probable of them. Where a quantity is asked for, a span across clauses is cut to the one
    that has it.
    """
    if asks_for_quantity(question):
        weighed = msgspec.structs.replace(
            weighed, choices=tuple(_cut(choice, question) for choice in weighed.choices)
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


def without_other_clauses(text: str, question: str) -> tuple[int, int]:
    """The first clause that looks as the question wants its answer, rather none that is a condition; else all."""
    ends = [*(found.span() for found in _CLAUSE_ENDS.finditer(text)), (len(text), len(text))]
    starts = [0, *(following for _, following in ends)]
    fitting = [
        (text[stop:following] == "，", start, stop)
        for start, (stop, following) in zip(starts, ends, strict=False)
        if fits_question(question, text[start:stop]) > 0
    ]
    _, start, stop = min(fitting, default=(False, 0, len(text)))
    return trimmed(text, *_of_one_case(text, start, stop, question))


def _of_one_case(text: str, start: int, stop: int, question: str) -> tuple[int, int]:
    """Of a clause that says for several cases how much it is, in one unit, the case that has most of the question.

    "5 days, for students 3 days": a comma stands between them.
    """
    units = sorted(found.unit for found in quantities_in(text[start:stop]) if found.unit)
    # In Chinese what is counted follows the unit without a blank: 11个月的工资.
    if not any(other.startswith(unit) for unit, other in pairwise(units)):
        return start, stop
    commas = [found.span() for found in _COMMA.finditer(text, start, stop)]
    cases = list(
        zip((start, *(end for _, end in commas)), (*(begin for begin, _ in commas), stop), strict=True)
    )
    said = [
        (first, last) for first, last in cases if any(found.unit for found in quantities_in(text[first:last]))
    ]
    asked = set(tokens(question))
    first, last = max(
        said, key=lambda case: len(asked & set(tokens(text[slice(*case)]))), default=(start, stop)
    )
    # What a case is called was not read as a part of the answer where it stands before the first of them.
    return (first if first == start else first + quantities_in(text[first:last])[0].start), last


def _cut(choice: Choice, question: str) -> Choice:
    places = tuple((number, _cut_candidate(candidate, question)) for number, candidate in choice.places)
    return Choice(choice.probability, places)


def _cut_candidate(candidate: Candidate, question: str) -> Candidate:
    text = candidate.text
    first, last = without_other_clauses(text, question)
    return Candidate(text[first:last], candidate.start + first, candidate.start + last, candidate.score)


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
