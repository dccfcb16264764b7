"""Texts as numbered tokens: ideographs one by one, words without their endings, numbers as they are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from caveat.core.script import HAN

__all__ = ["END", "Integers", "Vocabulary", "tokens"]

Integers = NDArray[np.int32]

# The number that ends every text, and the character that stands for it while texts are joined.
END = 0
_MARK = "\x1f"

_MARKS_OVER_LETTERS = re.compile("[\u0300-\u036f]+")
_TOKEN = re.compile(rf"[{HAN}]|[^\W\d_{HAN}]+(?:'[^\W\d_{HAN}]+)?|\d+(?:[.,]\d+)*|{_MARK}")


def tokens(text: str) -> list[str]:
    """The tokens of a text; "Wins" and "win", "Ibričić" and "ibricic", "1,234" and "1234" are the same."""
    return [_bare(token) for token in _TOKEN.findall(_plain(text.replace(_MARK, " ")))]


class Vocabulary:
    """Numbers for tokens, the same for the same token as long as the vocabulary lives."""

    def __init__(self) -> None:
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
                number = numbers[token] = self._bare.setdefault(_bare(token), len(self._bare) + 1)
            found.append(number)
        if texts:
            found.append(END)
        return np.array(found, dtype=np.int32)


def _plain(text: str) -> str:
    if not text.isascii():
        text = _MARKS_OVER_LETTERS.sub("", unicodedata.normalize("NFKD", text.replace("’", "'")))
    return text.lower()


@lru_cache(maxsize=1 << 16)
def _bare(token: str) -> str:
    """A token without plural, past tense and the like: crude, but the same for question and candidate."""
    if token[0].isdigit():
        return token.replace(",", "")
    if len(token) < 4 or not token.isascii():
        return token
    token = token.removesuffix("'s")
    if len(token) > 4 and token.endswith("ies"):
        return f"{token[:-3]}y"
    if len(token) > 4 and token.endswith(("sses", "shes", "ches", "xes")):
        token = token[:-2]
    elif len(token) > 3 and token.endswith("s") and not token.endswith(("ss", "us", "is")):
        token = token[:-1]
    if len(token) > 5 and token.endswith("ing"):
        token = token[:-3]
    elif len(token) > 4 and token.endswith("ed"):
        token = token[:-2]
    if len(token) > 4 and token.endswith("e"):
        token = token[:-1]
    if len(token) > 3 and token[-1] == token[-2] and token[-1] not in "aeiousl":
        token = token[:-1]
    return token
