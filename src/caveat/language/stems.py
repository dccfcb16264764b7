"""English words without their endings, by Snowball's English stemmer (Porter2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from caveat.core.cache import cache_short

_AGENTS = ("er", "or")
_SHORTEST_ROOT = 4


@cache_short(1 << 16)
def stem(word: str) -> str:
    """A lower-case word without the endings of its grammar: games and game, city and cities, scored and scoring.

    Words with other letters than a to z are given back as they are.
    """
    if len(word) < 3 or not word.isascii():
        return word
    # A stemmer keeps the word that it works on, so that each thread, and so each call, needs its own; making one takes
    # less than a hundredth of the time of a word.
    return str(_stemmer()().stemWord(word))


@cache_short(1 << 16)
def root(word: str) -> str:
    """The stem of what someone does and of who does it: founder and founded, director and directed.

    Tables and triples are asked with verbs for what their columns and predicates name with nouns; Porter2 keeps -er and
    -or on words of two syllables.
    """
    found = stem(word)
    if found.endswith(_AGENTS) and len(found) - 2 >= _SHORTEST_ROOT:
        found = found[:-2]
        if found[-1] == found[-2] and found[-1] not in "lsz":
            found = found[:-1]
    return found[:-1] if len(found) > 3 and found.endswith("e") else found


@cache
def _stemmer() -> Callable[[], Any]:
    # The package's modules for other languages are imported with it, in about 0.01 s: only once a word is stemmed.
    from snowballstemmer.english_stemmer import EnglishStemmer

    new: Callable[[], Any] = EnglishStemmer
    return new
