"""Answers side by side from a list of a page: its items, or the cases that they are for ("£300 if you live alone")."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from caveat.answerers.documents.page import Page
from caveat.answerers.ranking.matching import Floats
from caveat.core.logic import HOLDS, Expression, atoms_of
from caveat.core.script import language_of
from caveat.language.numbers import NUMBER_WORDS, number_words
from caveat.language.packs import pattern_of
from caveat.language.tokens import STOP_TOKENS, tokens
from caveat.models.decoding import Candidate
from caveat.sources.marks import without_marks

__all__ = [
    "best_list",
    "case_of",
    "cases_of",
    "introduces_answer",
    "item_span",
    "own_condition",
]

# The weight of what the sentence that introduces a list shares with the question; its items have the rest.
_INTRODUCTION = 0.8
_SHARED, _TOLD, _READ = 4.0, 1.0, 0.3
# A list of conditions is not what was asked for: "You qualify if:", "… if any of the following apply:".
_CONDITIONS = re.compile(
    r"\b(?:if|when|unless)\b[^.]{0,60}:$|\bfollowing (?:is|are|apply|applies)\b[^.]*:$", re.IGNORECASE
)
# What follows explains the item, or says when it holds; in the training questions' answers it is more often left out
# than not.
_REST = re.compile(r" [-–—] | \(|,? (?:for example|such as|like|if|unless)\b")
_EDGES = " .,;:"
# What introduces a list has so much of the question by itself, where one of its items has more.
_NEARLY_ALL = 0.8


def best_list(page: Page, asked: Floats, told: Floats, read: Mapping[int, Candidate]) -> tuple[int, ...]:
    """The items of the list that best fits a question, in order; none where the page has no lists.

    `asked` and `told` are what each element shares with the question and the scenario, `read` is the best span
    that a reader found in each.
    """
    best: tuple[float, tuple[int, ...]] = (0.0, ())
    for place in page.book.places:
        items = tuple(at for at in place.items if page.document.elements[at].tag == "li")
        if len(items) < 2 or _CONDITIONS.search(place.element.text[-200:].rstrip()):
            continue
        members = [place.index, *items]
        score = _SHARED * (
            _INTRODUCTION * float(asked[place.index]) + (1 - _INTRODUCTION) * float(asked[list(items)].mean())
        )
        score += _TOLD * float(told[members].max())
        score += _READ * max(read[at].score if at in read else 0.0 for at in members)
        if score > best[0]:
            best = score, items
    return best[1]


def introduces_answer(page: Page, question: str, asked: Floats) -> bool:
    """Whether a list is the answer, since what introduces it has most of the question: "The grant can pay for:"."""
    what, one = (pattern_of(name, language_of(question)) for name in ("what", "one"))
    if not len(asked) or what is None or not what.search(question):
        return False
    best = page.book.places[int(asked.argmax())]
    if not best.items and best.introduction is not None:
        # An item has the words of what introduces it, and its own beside them.
        if (one and one.search(question)) or page.covered_by(question)[best.introduction] < _NEARLY_ALL:
            return False
        best = page.book.places[best.introduction]
    listed = sum(page.document.elements[at].tag == "li" for at in best.items)
    text = best.element.text.rstrip()
    return listed > 1 and text.endswith(":") and not _CONDITIONS.search(text[-200:])


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
