"""Names in a question that the texts nowhere have: who asks of Marie Curie is not told of Ada Finch.

A reader hardly sees the difference: of a page on one person it answers what is asked of another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from pathlib import PurePath

from caveat.core.records import Document, Question
from caveat.language.packs import pack
from caveat.language.question import names_in
from caveat.language.tokens import tokens

# Shorter words are the same only if they are equal: a slip leaves too little of them.
_SHORTEST_MISSPELT = 4
_SAME_BEGINNING, _OTHER_ENDING = 4, 4
_SLIPS, _ALIKE = 2, 0.8


def lacks_a_name(question: Question, documents: Iterable[Document], nearest: Document) -> bool:
    """Whether the question has a name that no document has; in English, where capitals tell names."""
    return pack(question.spoken).capitals_tell_names and bool(
        absent_names(question.text, map(_with_titles, documents), nearest.text)
    )


def _with_titles(document: Document) -> str:
    """A text with what it is called; a file's folders say nothing of it."""
    return "\n".join((document.title, PurePath(document.url).stem, document.text))


def absent_names(question: str, texts: Iterable[str], nearest: str) -> list[str]:
    """The names of a question that none of the texts has; in the `nearest`, which is to answer it, not even misspelt.

    A name is a word with a capital inside a sentence; where small words have capitals too, they tell nothing.
    """
    asked = dict.fromkeys(names_in(question))
    if not asked:
        return []
    folded = [text.casefold() for text in texts]
    absent = [name for name in asked if not any(map(_begins_with(name).search, folded))]
    if not absent:
        return []
    spoken = tokens(nearest)
    words, initials = frozenset(spoken), "".join(word[0] for word in spoken)
    return [name for name in absent if not _is_like(name, words, initials)]


def _begins_with(name: str) -> re.Pattern[str]:
    """What finds a word that begins with a name, or is it if it is short, in lower case."""
    end = r"\b" if len(name) < _SHORTEST_MISSPELT else ""
    return re.compile(rf"\b{re.escape(name.casefold())}{end}")


def _is_like(name: str, words: frozenset[str], initials: str) -> bool:
    """Whether there is a word of the same family, one that may be a slip of it, or what it is short for."""
    parts = [part for part in tokens(name) if len(part) > 1]
    if not parts or any(part in words for part in parts):
        return True
    if name.isupper() and name.casefold() in initials:
        return True
    return any(_are_alike(part, word) for part in parts for word in words)


def _are_alike(name: str, word: str) -> bool:
    if min(len(name), len(word)) < _SHORTEST_MISSPELT or name[0] != word[0]:
        return False
    longer = abs(len(name) - len(word))
    if name[:_SAME_BEGINNING] == word[:_SAME_BEGINNING] and longer <= _OTHER_ENDING:
        return True
    return longer <= _SLIPS and SequenceMatcher(None, name, word, autojunk=False).ratio() >= _ALIKE
