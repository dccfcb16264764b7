"""Which part of a span is the quantity that was asked for: the clause that has one, the case that is asked about."""

from __future__ import annotations

import re
from itertools import pairwise

from caveat.language.content_words import pairs_of
from caveat.language.quantities import quantities_in
from caveat.language.question import fits_question
from caveat.language.tokens import tokens
from caveat.models.decoding import Candidate
from caveat.sources.plain_text import trimmed

_COMMA = re.compile(r"，|, ")
# The end of what is said of one case, and how far away it is looked for.
_EDGE, _REACH = re.compile(r"[，；;。：:！？\n]|[,.!?] "), 80
# What ends a clause, and in Chinese what says of a clause that it is a condition of the next: 满一年的，…
_CLAUSE_ENDS = re.compile(r"[；;。：:！？\n]+|(?<=的)，|(?<=时)，|[.!?]\s+")


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
