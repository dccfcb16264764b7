"""Texts as numbered tokens: ideographs one by one, words without their endings, numbers as they are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from caveat.core.script import HAN
from caveat.language.stems import stem
from caveat.language.stop_words import STOP_WORDS

Integers = NDArray[np.int32]

# The number that ends every text, and the character that stands for it while texts are joined.
END = 0
_MARK = "\x1f"

_MARKS_OVER_LETTERS = re.compile("[\u0300-\u036f]+")
_TOKEN = re.compile(rf"[{HAN}]|[^\W\d_{HAN}]+(?:'[^\W\d_{HAN}]+)?|\d+(?:[.,]\d+)*|{_MARK}")


def tokens(text: str, stem: Callable[[str], str] = stem) -> list[str]:
    """The tokens of a text; "Wins" and "win", "Ibričić" and "ibricic", "1,234" and "1234" are the same."""
    return [_bare(token, stem) for token in _TOKEN.findall(_plain(text.replace(_MARK, " ")))]


class Vocabulary:
    """Numbers for tokens, the same for the same token as long as the vocabulary lives."""

    def __init__(self, stem: Callable[[str], str] = stem) -> None:
        self._stem = stem
        self._numbers: dict[str, int] = {_MARK: END}
        # Bare forms; many written forms share one.
        self._bare: dict[str, int] = {}

    def __len__(self) -> int:
        """The number of written forms that it has met."""
        return len(self._numbers)

    def encode(self, texts: Sequence[str]) -> Integers:
        """The tokens of all texts one after the other, an END after each text."""
        joined = _MARK.join(text.replace(_MARK, " ") if _MARK in text else text for text in texts)
        numbers = self._numbers
        found = []
        for token in _TOKEN.findall(_plain(joined)):
            number = numbers.get(token)
            if number is None:
                number = numbers[token] = self._bare.setdefault(_bare(token, self._stem), len(self._bare) + 1)
            found.append(number)
        if texts:
            found.append(END)
        return np.array(found, dtype=np.int32)


def _plain(text: str) -> str:
    if not text.isascii():
        text = _MARKS_OVER_LETTERS.sub("", unicodedata.normalize("NFKD", text.replace("’", "'")))
    return text.lower()


def _bare(token: str, stem: Callable[[str], str]) -> str:
    if token[0].isdigit():
        return token.replace(",", "")
    return stem(token)


STOP_TOKENS = frozenset(token for word in STOP_WORDS for token in tokens(word))
"""Words that say nothing of what a text is about, as `tokens` gives them: "does" as "doe", "only" as "onli"."""
