"""Whether a page speaks to a question: how much of what it asks about the page has, where, and which names it lacks.

A word tells the more the fewer questions ask with it: that "get" or "need" is missing says little, that what is asked
about is missing says almost all. A reader hardly sees that of a page on one person it answers what is asked of another.
The weights are fitted with the decision.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from caveat.answerers.documents.page import Page
from caveat.core.records import Document, Question
from caveat.language.packs import pack
from caveat.language.question import names_in
from caveat.language.tokens import tokens

Floats = NDArray[np.float64]

# The share of the questions that have a word which is not listed, and the least share that is told from it.
_UNLISTED = 1 / 4000
# A word counts at least so much that every question has, beside 1 for one that is not listed.
_LEAST_RARE = 0.1
# The best elements that are taken together.
_TOGETHER = 3
# More words and elements than these make no difference.
_MOST_WORDS, _MOST_ELEMENTS = 12, 300


def silence_features(page: Page, question: Question, asked: Mapping[str, float]) -> dict[str, float]:
    """What tells a page that speaks to a question from one that does not; `asked` as in the weights."""
    words, held = page.held(question.text)
    found = {
        "words": min(len(words), _MOST_WORDS) / _MOST_WORDS,
        "elements": math.log1p(min(len(held), _MOST_ELEMENTS)) / math.log1p(_MOST_ELEMENTS),
    }
    if len(held) and not page.is_heading.all():
        # A heading alone says nothing; its words are counted with what stands under it.
        held = held[~page.is_heading]
    if not words or not len(held):
        return found
    rarity = np.array([-math.log(max(asked.get(word, 0.0), _UNLISTED)) for word in words])
    rarity = np.maximum(rarity / -math.log(_UNLISTED), _LEAST_RARE)
    weights = rarity**2 / (rarity**2).sum()
    shares: Floats = held @ weights
    best = np.argsort(-shares, kind="stable")[:_TOGETHER]
    anywhere = np.asarray(held.any(0))
    rarest = int(rarity.argmax())
    found |= {
        "best element": float(shares[best[0]]),
        "best three": float(weights[held[best].any(0)].sum()),
        "page": float(weights[anywhere].sum()),
        "rarest word in page": float(anywhere[rarest]),
        "rarest word in best element": float(held[best[0], rarest]),
        "words missing": min(4, int((~anywhere).sum())) / 4,
    }
    scores, _ = page.shared(question.text)
    if scores.any():
        found["best over mean"] = math.log(1 / max(float(scores.mean()), 0.01)) / math.log(100)
    if question.scenario:
        told, also = page.held(question.scenario)
        found["scenario"] = 1.0
        if told:
            found["scenario in page"] = float(also.any(0).mean())
            found["scenario in best element"] = float(also.mean(1).max())
    return found


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
