"""Items that say no more than what something is called and how much it is: "Flour: 500 g", "可乐 500ml".

A reader that was trained on prose passes over them, though nothing says more plainly how much it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from caveat.answerers.documents.page import Page
from caveat.core.script import language_of
from caveat.language.packs import pattern_of
from caveat.language.quantities import quantities_in
from caveat.language.question import fits_question
from caveat.language.tokens import STOP_TOKENS, tokens

# A longer item says something about it.
_LONGEST = 60
# The least share of questions with a word that is a way of asking.
_OFTEN = 0.004
_BETWEEN = re.compile(r"[\s:：=（(—–-]*")


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
