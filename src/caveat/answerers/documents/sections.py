"""A long text cut into sections, and which of them have most of a question: found by scanning, before anything is read.

To tokenise a text and to read its rules takes seconds a megabyte; to look for a dozen words in it takes milliseconds.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caveat.core.languages import is_han
from caveat.core.records import Document, Element
from caveat.language.bm25 import idf, saturated
from caveat.language.tokens import STOP_TOKENS, long_form, pairs_of, tokens
from caveat.sources.outline import heading_level
from caveat.sources.plain_text import parse_plain_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Counts = NDArray[np.int64]

# Characters of a section; at a heading one ends earlier, and in a list later.
_SECTION, _BEFORE_HEADING, _WITH_LIST = 2_000, 500, 6_000
# A longer element is cut between sentences, or else between words.
_LONGEST_ELEMENT = 4_000
_SENTENCE_END = re.compile(r"[.!?]\s|[。！？；\n]")
_BLANK = re.compile(r"\s")
# What the words of the scenario count beside those of the question.
_SCENARIO = 0.5
# The sections so many places beside one that was chosen come with it.
_BESIDE = 1
# What may follow the beginning of a word, and of a number.
_LETTERS, _DIGITS = r"[^\W\d_]*(?:'[^\W\d_]+)?", r"(?:[.,]?\d)*"
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+(?:[.,]\d+)*")
# Of a scenario as long as a page so many words are looked for, the longest, and so many pairs of characters.
_MOST_WORDS = 50


class _Heading(NamedTuple):
    """A heading by its place among the elements, the one over it (-1: none), and the sections under it."""

    element: int
    over: int
    first: int
    last: int


class Sections:
    """The sections of a document; `elements` are its own, long ones in pieces. May be used from several threads."""

    def __init__(self, document: Document) -> None:
        self.document = document
        elements = document.elements or parse_plain_text(document.text).elements
        self.elements = tuple(piece for element in elements for piece in _pieces(element))
        # The number of the first element of each section.
        self.firsts = _cut(self.elements)
        self._headings = self._outline()
        self._starts = np.array([self.elements[first].start for first in self.firsts], dtype=np.int64)

    def __len__(self) -> int:
        """The number of sections."""
        return len(self.firsts)

    def elements_of(self, section: int) -> range:
        """The numbers of the elements of a section."""
        last = self.firsts[section + 1] if section + 1 < len(self.firsts) else len(self.elements)
        return range(self.firsts[section], last)

    def headings_over(self, element: int) -> list[int]:
        """The numbers of the headings over an element, the highest first; a heading is the last of its own."""
        at = bisect_right(self._headings, element, key=lambda heading: heading.element) - 1
        found: list[int] = []
        while at >= 0:
            found.append(self._headings[at].element)
            at = self._headings[at].over
        return found[::-1]

    @property
    def sizes(self) -> list[int]:
        """About how many characters each section has."""
        sizes: list[int] = np.diff(self._starts, append=len(self.document.text)).tolist()
        return sizes

    def counts(self, text: str) -> Counts:
        """How often each section, a column, has each of a text's words, with the headings over it."""
        counts = [self._counted(places) for places in self._places(text)]
        return np.stack(counts) if counts else np.zeros((0, len(self)), dtype=np.int64)

    def _counted(self, places: Sequence[int]) -> Counts:
        """How many of the places in the text each section has; those in a heading count for all that it stands over."""
        where = np.array(places, dtype=np.int64)
        inside = np.searchsorted(self._starts, where, side="right") - 1
        counts: Counts = np.bincount(inside[inside >= 0], minlength=len(self)).astype(np.int64)
        if self._headings:
            starts, ends, first, last = self._scopes
            heading = np.searchsorted(starts, where, side="right") - 1
            heading = heading[(heading >= 0) & (where < ends[heading])]
            steps = np.bincount(first[heading], minlength=len(self) + 1).astype(np.int64)
            steps -= np.bincount(last[heading], minlength=len(self) + 1)
            counts += np.cumsum(steps)[: len(self)]
        return counts

    def _places(self, text: str) -> Iterator[list[int]]:
        """Where each word of a text, small ones apart, and each pair of its Chinese characters stands."""
        words = {
            stem: written
            for written in _WORD.findall(text.replace("’", "'").lower())
            for stem in tokens(written)[:1]
            if len(stem) > 1 and stem not in STOP_TOKENS
        }
        for stem in sorted(words, key=len, reverse=True)[:_MOST_WORDS]:
            yield _words(self._lower, stem, words[stem])
        pairs = [pair for pair in pairs_of(text) if any(map(is_han, pair))]
        for pair in pairs[:_MOST_WORDS]:
            yield _all(self._lower, pair) or _long_forms(self._lower, pair)

    @cached_property
    def _lower(self) -> str:
        # No other character has a longer lower case.
        return self.document.text.replace("İ", "I").lower()

    @cached_property
    def _scopes(self) -> tuple[Counts, Counts, Counts, Counts]:
        """Of each heading where it starts and ends in the text, and its first section and that behind its last."""
        spans = ((self.elements[h.element].start, self.elements[h.element].end) for h in self._headings)
        starts, ends = np.array([*spans], dtype=np.int64).T
        first, last = np.array([(h.first, h.last) for h in self._headings], dtype=np.int64).T
        return starts, ends, first, last

    def _outline(self) -> tuple[_Heading, ...]:
        """The headings, each with those sections that begin under it."""
        found: list[_Heading] = []
        open_: list[int] = []
        for at, element in enumerate(self.elements):
            if level := heading_level(element):
                behind = bisect_right(self.firsts, at)
                # A section that begins with this heading is no more under those that it ends.
                ends = behind - 1 if self.firsts[behind - 1] == at else behind
                while open_ and heading_level(self.elements[found[open_[-1]].element]) >= level:
                    closed = open_.pop()
                    found[closed] = found[closed]._replace(last=max(found[closed].first, ends))
                found.append(_Heading(at, open_[-1] if open_ else -1, behind, len(self.firsts)))
                open_.append(len(found) - 1)
        return tuple(found)


def best_sections(texts: Sequence[Sections], question: str, scenario: str, most: int) -> list[list[int]]:
    """Of each text the sections that have most of a question, with those beside them: about `most` characters of all.

    Those at the beginnings where no section has anything of it.
    """
    worth = _worth(texts, question) + _SCENARIO * _worth(texts, scenario)
    of_text = [(number, at) for number, text in enumerate(texts) for at in range(len(text))]
    sizes = [text.sizes for text in texts]
    chosen: list[set[int]] = [set() for _ in texts]
    used = 0
    for place in np.argsort(-worth, kind="stable").tolist():
        if used >= most or (not worth[place] and worth.any()):
            break
        number, at = of_text[place]
        near = {*range(max(0, at - _BESIDE), min(len(texts[number]), at + _BESIDE + 1))} - chosen[number]
        used += sum(sizes[number][each] for each in near)
        chosen[number] |= near
    return [sorted(each) for each in chosen]


def _worth(texts: Sequence[Sections], text: str) -> NDArray[np.float64]:
    """What each section of all the texts has of a text's words: rare ones count more."""
    counts = np.concatenate([each.counts(text) for each in texts], axis=1)
    worth: NDArray[np.float64] = idf(np.count_nonzero(counts, axis=1), counts.shape[1]) @ saturated(counts)
    return worth


def _pieces(element: Element) -> Iterator[Element]:
    """The element, or where it is long its pieces."""
    if len(element.text) <= _LONGEST_ELEMENT:
        yield element
        return
    start = 0
    while start < len(element.text):
        end = _end(element.text, start)
        yield Element(element.tag, element.text[start:end], element.start + start, element.start + end)
        start = end


def _end(text: str, start: int) -> int:
    """Where the piece that begins at `start` ends: behind a sentence, else behind a blank."""
    if len(text) - start <= _LONGEST_ELEMENT:
        return len(text)
    for pattern in (_SENTENCE_END, _BLANK):
        found = [each.end() for each in pattern.finditer(text, start + _SECTION, start + _LONGEST_ELEMENT)]
        if found:
            return found[-1]
    return start + _LONGEST_ELEMENT


def _cut(elements: Sequence[Element]) -> list[int]:
    """The numbers of the elements with which sections begin."""
    firsts: list[int] = []
    size = 0
    for at, element in enumerate(elements):
        most = _WITH_LIST if element.tag == "li" else _SECTION
        full = size + len(element.text) > most or (heading_level(element) > 0 and size >= _BEFORE_HEADING)
        if not firsts or (full and size):
            firsts.append(at)
            size = 0
        size += len(element.text)
    return firsts


def _all(text: str, wanted: str) -> list[int]:
    """Where a piece of text stands."""
    found: list[int] = []
    at = text.find(wanted)
    while at >= 0:
        found.append(at)
        at = text.find(wanted, at + len(wanted))
    return found


def _long_forms(text: str, pair: str) -> list[int]:
    """Where what a pair of characters is short for stands: 年休假 for 年假."""
    return [found.start() for found in long_form(pair).finditer(text)] if len(pair) == 2 else []


def _words(text: str, stem: str, written: str) -> list[int]:
    """Where the words of a stem stand that begin as it does; else those that begin as it is written in the question."""
    pattern = _beginning(stem)
    if not re.match(pattern, written):
        # With accents, or quite otherwise than its stem: dying of die.
        pattern = f"(?:{pattern}|{_beginning(written)})"
    known: dict[str, bool] = {}
    found: list[int] = []
    # A regular expression that begins with letters is found as fast as they are.
    for match in re.finditer(pattern + (_DIGITS if stem[0].isdecimal() else _LETTERS), text):
        word, at = match[0], match.start()
        if word not in known:
            known[word] = tokens(word)[:1] == [stem]
        if known[word] and not (at and text[at - 1].isalnum()):
            found.append(at)
    return found


def _beginning(word: str) -> str:
    """A pattern of what all words of a stem begin with: the last letter may change (city, cities; use, using)."""
    if word[0].isdecimal():
        return ",?".join(map(re.escape, word.replace(",", "")))
    return re.escape(word[:-1] if len(word) > 3 or (len(word) == 3 and word[-1] in "eiy") else word)
