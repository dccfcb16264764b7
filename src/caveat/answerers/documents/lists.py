"""Answers side by side from a list of a page: its items, or the cases that they are for ("£300 if you live alone")."""

from __future__ import annotations

import re
from collections.abc import Sequence

from caveat.answerers.documents.page import Page
from caveat.core.logic import HOLDS, Expression, atoms_of
from caveat.language.numbers import NUMBER_WORDS, number_words
from caveat.language.tokens import STOP_TOKENS, tokens
from caveat.sources.marks import without_marks

# What follows explains the item, or says when it holds; in the training questions' answers it is more often left out
# than not.
_REST = re.compile(r" [-–—] | \(|,? (?:for example|such as|like|if|unless)\b")
_EDGES = " .,;:"


def item_span(page: Page, item: int) -> tuple[int, int]:
    """The span of what an item names, without marks and without what explains it or says when it holds."""
    element = page.document.elements[item]
    rest = _REST.search(element.text)
    text = element.text[: rest.start()] if rest else element.text
    if not text.strip(_EDGES):
        text = element.text
    start = element.start + len(text) - len(text.lstrip(_EDGES))
    return without_marks(page.document.text, start, max(start + 1, element.start + len(text.rstrip(_EDGES))))


_MOST_CASES = 6
_FIGURES = {word: str(NUMBER_WORDS[word]) for word in number_words(0, 9)}


def own_condition(page: Page, item: int) -> Expression | None:
    """What an item itself says it depends on; what its list depends on is said of all items."""
    said = page.book.said_of(item)
    return said if said is not None and {atom.element for atom in atoms_of(said)} == {item} else None


def cases_of(page: Page, item: int) -> tuple[int, ...]:
    """The items of an item's list where each says for which case it is; else none."""
    introduction = page.book.places[item].introduction
    if introduction is None or page.document.elements[item].tag != "li":
        return ()
    items = page.book.places[introduction].items
    every = 1 < len(items) <= _MOST_CASES and all(own_condition(page, other) is not None for other in items)
    return items if every else ()


def case_of(page: Page, cases: Sequence[int], told: str) -> int | None:
    """The one case whose own words, those that the other cases do not share, are all in what the asker says."""
    words = {at: _words(page, at) for at in cases}
    shared = set.intersection(*words.values())
    said = _plain(told)
    met = [at for at in cases if words[at] - shared and words[at] - shared <= said]
    return met[0] if len(met) == 1 else None


def _words(page: Page, item: int) -> set[str]:
    return {word for atom in atoms_of(own_condition(page, item) or HOLDS) for word in _plain(atom.text)}


def _plain(text: str) -> set[str]:
    """The words of a text, small ones apart, numbers as figures."""
    return {_FIGURES.get(word, word) for word in tokens(text)} - STOP_TOKENS
