"""Texts as numbered tokens: ideographs one by one, words without their endings, numbers as they are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from caveat.core.languages import HAN, Language
from caveat.language.packs import en, pack, packs, packs_beside, zh
from caveat.language.stems import stem

STOP_WORDS = en.PACK.stop_words | zh.PACK.stop_words
"""In questions and in texts that are asked, in the languages that come with the package."""

CONDITION_STOP_WORDS = STOP_WORDS | en.PACK.condition_stop_words | zh.PACK.condition_stop_words
"""In conditions and in what an asker says of themselves."""


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


_WORD = re.compile(rf"[^\W_{HAN}]+")
# A word's short form leaves out so many characters at most.
_BETWEEN = 2


@cache
def stop_tokens(language: Language) -> frozenset[str]:
    """What says nothing of what a text is about, as `tokens` gives it: "does" as "doe", "only" as "onli"."""
    own = pack(language)
    return frozenset(
        token
        for each in packs_beside(language)
        for word in each.stop_words
        for token in tokens(word, own.stem)
    )


def content_words(text: str, language: Language) -> list[str]:
    """What a text is about, each once and in order: words without their endings, or pairs of characters."""
    own = pack(language)
    if own.in_pairs:
        return pairs_of(text)
    stop = stop_tokens(language)
    return list(dict.fromkeys(word for word in tokens(text, own.stem) if len(word) > 1 and word not in stop))


@cache
def _asking() -> re.Pattern[str]:
    """The words that questions are asked with where nothing parts words, and all that is not such a script."""
    return re.compile("|".join((*(each.asking for each in packs() if each.asking), f"[^{HAN}]")))


def subjects_of(question: str) -> list[str]:
    """The Chinese of a question without the words it is asked with."""
    return [part for part in _asking().split(question) if part]


def pairs_of(question: str) -> list[str]:
    """What a Chinese question is about, each once: pairs of characters, and words of other scripts."""
    pairs, words = _pairs_and_words(question)
    return list(dict.fromkeys((*pairs, *words)))


def long_form(pair: str) -> re.Pattern[str]:
    """What a pair of characters may be short for: 年假 for 年休假."""
    return re.compile(f"{re.escape(pair[0])}[{HAN}]{{1,{_BETWEEN}}}{re.escape(pair[1])}")


def spoken_of(question: str, text: str) -> float:
    """The share of what a question is about that the text has: pairs of Chinese characters, words of other scripts.

    1 where nothing is left of the question without the words it is asked with.
    """
    pairs, words = _pairs_and_words(question)
    if not pairs and not words:
        return 1.0
    said = set(map(str.casefold, _WORD.findall(text))) if words else set()
    found = sum(pair in text for pair in pairs) + len(words.keys() & said)
    return found / (len(pairs) + len(words))


def _pairs_and_words(question: str) -> tuple[dict[str, None], dict[str, None]]:
    """Pairs of Chinese characters, and words of other scripts, each once and in order."""
    subjects = subjects_of(question)
    pairs = dict.fromkeys(part[at : at + 2] for part in subjects for at in range(len(part) - 1))
    words = dict.fromkeys(
        word for word in map(str.casefold, _WORD.findall(question)) if word not in STOP_WORDS
    )
    # A single character is in many words of many meanings; it counts where there is nothing else.
    return pairs if pairs or words else dict.fromkeys(subjects), words
