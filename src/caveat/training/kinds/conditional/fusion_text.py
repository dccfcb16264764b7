"""Answers with conditions as one text for a decoder to write, and back.

`answer :: condition ## condition && answer :: NA`: an answer without conditions has NA, a question without answers is
NA. None of the signs stands in a page, nor is missing from T5's vocabulary.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from caveat.benchmarks.conditionalqa.format import ConditionalAnswer
from caveat.language.normalise import squad_tokens
from caveat.training.kinds.conditional.pages import Page

__all__ = ["read_answers", "written_answers"]

_NONE = "NA"
# A decoder may put blanks between the two signs.
_ANSWER, _WITH, _CONDITION = (re.compile(rf"\s*{sign}\s*{sign}\s*") for sign in ("&", ":", "#"))
# A condition is taken for the element that shares most words with it, if that is so much by F1.
_LEAST = 0.5


def written_answers(answers: Sequence[ConditionalAnswer], page: Page) -> str:
    """The answers as a text, conditions without their tags."""
    texts = dict(zip(page.contents, page.texts, strict=True))
    written = [
        f"{answer.text} :: "
        + (" ## ".join(texts.get(condition, condition) for condition in answer.conditions) or _NONE)
        for answer in answers
    ]
    return " && ".join(written) or _NONE


def read_answers(text: str, page: Page) -> tuple[ConditionalAnswer, ...]:
    """The answers of a text, each once; a condition becomes the element of the page that it is nearest to."""
    found: dict[str, ConditionalAnswer] = {}
    for part in _ANSWER.split(text.strip()):
        answer, *rest = _WITH.split(part, maxsplit=1)
        answer = answer.strip()
        if not answer or answer.casefold() == _NONE.casefold():
            continue
        named = [each for each in _CONDITION.split(rest[0]) if each.strip()] if rest else []
        elements = [
            element
            for each in named
            if each.strip().casefold() != _NONE.casefold() and (element := _nearest(each, page)) is not None
        ]
        conditions = tuple(dict.fromkeys(page.contents[at] for at in elements))
        found.setdefault(answer.casefold(), ConditionalAnswer(answer, conditions))
    return tuple(found.values())


def _nearest(text: str, page: Page) -> int | None:
    ours = Counter(squad_tokens(text))
    best, element = 0.0, None
    for at, other in enumerate(page.texts):
        theirs = Counter(squad_tokens(other))
        same = (ours & theirs).total()
        f1 = 2 * same / max(1, ours.total() + theirs.total())
        if f1 > best:
            best, element = f1, at
    return element if best >= _LEAST else None
