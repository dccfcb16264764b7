"""Lists whose items say each for which case they are: "£300 if you live alone", "14% for one spare bedroom"."""

from __future__ import annotations

from collections.abc import Sequence

from caveat.answerers.documents.conditional.page import SMALL, Page
from caveat.core.expression import HOLDS, Expression, atoms_of
from caveat.language.tokens import tokens

__all__ = ["case_of", "cases_of", "own_condition"]

_MOST_CASES = 6
_FIGURES = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine".split())  # noqa: SIM905
}


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
    return {_FIGURES.get(word, word) for word in tokens(text)} - SMALL
