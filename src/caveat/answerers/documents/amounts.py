"""Amounts: items that state one and nothing else ("Flour: 500 g"), the part of a span that has it, the same twice.

A reader that was trained on prose passes over such items, though nothing says more plainly how much it is; its spans
run across clauses, of which one has the amount; and "30 days" and "up to 30 days" are one answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec

from caveat.answerers.documents.page import Page
from caveat.core.languages import language_of
from caveat.language.packs import pattern_of
from caveat.language.quantities import quantities_in
from caveat.language.question import asks_for_quantity, fits_question
from caveat.language.tokens import STOP_TOKENS, pairs_of, tokens
from caveat.models.decoding import Candidate
from caveat.models.probability import Choice, Weighed
from caveat.sources.plain_text import trimmed

# A longer item says something about it.
_LONGEST = 60
# The least share of questions with a word that is a way of asking.
_OFTEN = 0.004
_BETWEEN = re.compile(r"[\s:：=（(—–-]*")
_COMMA = re.compile(r"，|, ")
# The end of what is said of one case, and how far away it is looked for.
_EDGE, _REACH = re.compile(r"[，；;。：:！？\n]|[,.!?] "), 80
# What ends a clause, and in Chinese what says of a clause that it is a condition of the next: 满一年的，…
_CLAUSE_ENDS = re.compile(r"[；;。：:！？\n]+|(?<=的)，|(?<=时)，|[.!?]\s+")


def named_quantities(page: Page, question: str, asked: Mapping[str, float]) -> list[tuple[int, int]]:
    """Where the amounts stand of items that are called what the question asks for and nothing else.

    `asked` is how often questions have each word: what many have is a way of asking.
    """
    text = page.document.text
    found = _named(page, question, asked)
    return [(start, end) for start, end in found if fits_question(question, text[start:end]) >= 0]


def _named(page: Page, question: str, often: Mapping[str, float]) -> Iterator[tuple[int, int]]:
    """Where the amounts stand, of elements that have, with their headings, all that the question is about."""
    asked = set(tokens(question))
    words, held = page.held(question)
    about = [at for at, word in enumerate(words) if often.get(word, 0.0) < _OFTEN]
    counting = pattern_of("counted", language_of(question))
    counted = counting.search(question) if counting else None
    for at, element in enumerate(page.document.elements):
        if element.tag not in ("li", "tr", "p") or len(element.text) > _LONGEST or not held[at, about].all():
            continue
        amounts = quantities_in(element.text)
        if not amounts:
            continue
        first, last = amounts[0].start, len(element.text.rstrip(")）"))
        end = _end_of_name(element.text, first)
        name = set(tokens(element.text[:end])) - STOP_TOKENS
        if counted and element.text[:end].strip() not in counted["thing"]:
            continue
        if name and name <= asked and _BETWEEN.fullmatch(element.text, end, first):
            yield element.start + first, element.start + last


def _end_of_name(text: str, before: int) -> int:
    """Where the last letter or figure before an offset ends."""
    at = before
    while at and not text[at - 1].isalnum():
        at -= 1
    return at


def cut_to_quantity(candidate: Candidate, question: str, text: str | None = None) -> Candidate:
    """The part of a span that says how much it is; `text`, in which it stands, tells more of a clause than the span."""
    first, last = _without_other_clauses(candidate.text, question)
    if text is None:
        text, at = candidate.text, 0
    else:
        at = candidate.start
    start, stop = trimmed(text, *_of_one_case(text, at + first, at + last, question))
    return Candidate(
        text[start:stop], candidate.start + start - at, candidate.start + stop - at, candidate.score
    )


def _without_other_clauses(text: str, question: str) -> tuple[int, int]:
    """The first clause that looks as the question wants its answer, rather none that is a condition; else all."""
    ends = [*(found.span() for found in _CLAUSE_ENDS.finditer(text)), (len(text), len(text))]
    starts = [0, *(following for _, following in ends)]
    fitting = [
        (text[stop:following] == "，", start, stop)
        for start, (stop, following) in zip(starts, ends, strict=False)
        if fits_question(question, text[start:stop]) > 0
    ]
    _, start, stop = min(fitting, default=(False, 0, len(text)))
    return trimmed(text, start, stop)


def _of_one_case(text: str, start: int, stop: int, question: str) -> tuple[int, int]:
    """Of a span that says for several cases how much it is, in one unit, the case that has most of the question.

    "5 days, for students 3 days": a comma stands between them. What is left of its clause behind the span counts for
    the last case.
    """
    units = sorted(found.unit for found in quantities_in(text[start:stop]) if found.unit)
    # In Chinese what is counted follows the unit without a blank: 11个月的工资.
    if not any(other.startswith(unit) for unit, other in pairwise(units)):
        return start, stop
    commas = [found.span() for found in _COMMA.finditer(text, start, stop)]
    starts, stops = [start, *(end for _, end in commas)], [*(begin for begin, _ in commas), stop]
    after = _EDGE.search(text, stop, stop + _REACH)
    wholes = [*stops[:-1], after.start() if after else len(text)]
    words = _words(question)
    said = [
        (len(words & _words(text[first:until])), first, last)
        for first, last, until in zip(starts, stops, wholes, strict=True)
        if any(found.unit for found in quantities_in(text[first:last]))
    ]
    _, first, last = max(said, key=lambda each: each[0], default=(0, start, stop))
    # What the question calls the case is no part of the answer.
    amount = first + next((found.start for found in quantities_in(text[first:last])), 0)
    return (amount if words & _words(text[first:amount]) else first), last


def _words(text: str) -> set[str]:
    """What a text is about: words without their endings, or pairs of Chinese characters."""
    return {*pairs_of(text), *(token for token in tokens(text) if token.isascii())}


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
