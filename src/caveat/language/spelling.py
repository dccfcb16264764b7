"""Typing errors in questions: words that are unknown, and the one known word that is meant by each.

Which letters words are made of, and which words are common, is data of the language's pack; where it has none of that,
nothing is corrected.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from caveat.core.languages import Language
from caveat.core.records import Correction
from caveat.language.packs import pack
from caveat.language.question import names_in

COMMON_WORDS = "common_words.txt"
"""The file of a pack with the common words of the language, each without its endings."""

# Shorter words have too many neighbours; of words up to this length one slip is corrected, of longer ones two.
_SHORTEST, _ONE_SLIP = 4, 7
# The best neighbour is clear where it is so many times as frequent as the next.
_TIMES_AS_FREQUENT = 3
# Words in these are quoted, not asked with; and what these join is a code, an address or a file.
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|「[^」]*」|『[^』]*』|`[^`]*`")
_CHUNK = re.compile(r"\S+")
_CODE = re.compile(r"[\d_@/\\#$<>{}=+*&|~^%]|\w[.:]\w")
_POSSESSIVE = re.compile(r"['’]s?$")


class Typed(NamedTuple):
    """A word of a question, and where it stands."""

    text: str
    start: int


class Words:
    """Words with how often each is there, and which of them are near to another word."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.counts = counts
        # By length, each with the set of its letters as bits: words that differ in more letters than slips can change
        # need not be compared.
        self._by_length: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for word in counts:
            if len(word) >= _SHORTEST:
                self._by_length[len(word)].append((_letters(word), word))

    def near(self, word: str, most: int) -> Iterator[tuple[int, str]]:
        """The words that are at most so many slips away, each with how many; the first letter is seldom wrong."""
        letters = _letters(word)
        for length in range(len(word) - most, len(word) + most + 1):
            for other_letters, other in self._by_length.get(length, ()):
                if (letters ^ other_letters).bit_count() > 2 * most:
                    continue
                allowed = most if word[0] == other[0] else 1
                if (found := slips(word, other, allowed)) is not None:
                    yield found, other


def words_in(text: str, language: Language) -> Counter[str]:
    """The words of a text that can be told from typing errors, small letters, with how often it has each."""
    pattern = _word(language)
    return Counter() if pattern is None else Counter(pattern.findall(text.lower()))


def unknown_words(question: str, language: Language) -> list[Typed]:
    """The words that may be typing errors: no common words, names, codes or quotations."""
    pattern = _word(language)
    if pattern is None:
        return []
    names = {_POSSESSIVE.sub("", name) for name in names_in(question, language)}
    quoted = [found.span() for found in _QUOTED.finditer(question)]
    own, found = pack(language), []
    for chunk in _CHUNK.finditer(question):
        if _CODE.search(chunk[0]):
            continue
        for word in pattern.finditer(chunk[0].lower()):
            start = chunk.start() + word.start()
            text = question[start : start + len(word[0])]
            if len(text) < _SHORTEST or text in names or not (text.islower() or text.istitle()):
                continue
            if any(begin <= start < end for begin, end in quoted):
                continue
            if word[0] not in own.stop_words and not is_common(word[0], language):
                found.append(Typed(text, start))
    return found


def corrected(
    question: str,
    unknown: Sequence[Typed],
    language: Language,
    is_known: Callable[[str], bool],
    words: Callable[[], Words],
) -> tuple[str, tuple[Correction, ...]]:
    """The question with the word that is meant in place of each typing error, and what was corrected.

    `is_known` says of a word whether it is in what is asked; only for those that are not, `words` are looked through.
    """
    text, made = question, []
    for typed in reversed(unknown):
        if is_known(typed.text.lower()):
            continue
        typed_as = typed.text.lower()
        meant = _misspellings(language).get(typed_as) or nearest(typed_as, words(), language)
        if meant is None:
            continue
        meant = meant.capitalize() if typed.text[0].isupper() else meant
        text = text[: typed.start] + meant + text[typed.start + len(typed.text) :]
        made.append(Correction(typed.text, meant))
    return text, tuple(reversed(made))


def nearest(word: str, words: Words, language: Language) -> str | None:
    """The word that is meant by a typing error; None where there is none, or several may be.

    Forms of a word count together. A word that has the stem of a near one is no typing error, but a form of it.
    """
    stem = pack(language).stem
    most = 1 if len(word) <= _ONE_SLIP else 2
    near = sorted(words.near(word, most))
    if not near or any(stem(other) == stem(word) for _, other in near):
        return None
    forms: dict[str, list[str]] = defaultdict(list)
    for count, other in near:
        if count == near[0][0]:
            forms[stem(other)].append(other)
    ranked = sorted(forms.values(), key=lambda several: -sum(map(words.counts.__getitem__, several)))
    frequencies = [sum(map(words.counts.__getitem__, several)) for several in ranked]
    if len(ranked) > 1 and frequencies[0] < _TIMES_AS_FREQUENT * frequencies[1]:
        return None
    return max(ranked[0], key=words.counts.__getitem__)


def slips(word: str, other: str, most: int) -> int | None:
    """How many letters were left out, added, changed, or changed places with the next; None where more than `most`."""
    if word == other:
        return 0
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(word, 1):
        earlier, before, row = before, row, [at]
        for place, wanted in enumerate(other, 1):
            cost = min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != wanted))
            if at > 1 and place > 1 and letter == other[place - 2] and word[at - 2] == wanted:
                cost = min(cost, earlier[place - 2] + 1)
            row.append(cost)
        if min(row) > most and min(before) > most:
            return None
    return row[-1] if row[-1] <= most else None


def with_stop_words(counts: Mapping[str, int], language: Language) -> Words:
    """The words of texts, and the small words of the language, which a question may have that no text has."""
    return Words({**dict.fromkeys(pack(language).stop_words, 1), **counts})


def is_common(word: str, language: Language) -> bool:
    """Whether a word in small letters, or another form of it, is common, and no common misspelling."""
    return pack(language).stem(word) in _common_words(language) and word not in _misspellings(language)


@cache
def _misspellings(language: Language) -> dict[str, str]:
    """Frequent misspellings, each with the word that is meant."""
    found: dict[str, str] = pack(language).data("spelling.toml").get("misspellings", {})
    return found


@cache
def _common_words(language: Language) -> frozenset[str]:
    file = pack(language).file(COMMON_WORDS)
    lines: Iterable[str] = () if file is None else file.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


@cache
def _word(language: Language) -> re.Pattern[str] | None:
    """A word in small letters: of the language's letters alone, with nothing of a word on either side."""
    letters = pack(language).spelling
    return re.compile(rf"(?<![\w'’])[{letters}]+(?=['’]s\b|(?![\w'’]))") if letters else None


def _letters(word: str) -> int:
    found = 0
    for letter in word:
        found |= 1 << (ord(letter) & 63)
    return found
