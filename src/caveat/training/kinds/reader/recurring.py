"""Questions that a text asks of itself: what it says twice is hidden in one sentence and looked for in the others.

Annotated passages are few and are soon known by heart; every passage has such questions (Ram et al., 2021: few-shot
question answering by pretraining span selection), and finding the words around one place again at another is half of
what a reader does.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import msgspec

from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.core.script import HAN, count_han
from caveat.language.sentences import sentences

__all__ = ["recurring"]

_UNIT = re.compile(rf"[{HAN}]|[^\W_{HAN}]+")
# Chinese characters that hold words together and begin or end no name.
_EDGES = frozenset("的了在是和与及而被将把也又都就于以之其为有对从到由等并但或这那个上下中里年月日")
_LONGEST = 12  # units of a span: characters of Chinese, words of other scripts
_LONGEST_QUESTION = 40
# A phrase that many passages repeat belongs to the language, not to what is told.
_COMMON = 0.004


class _Place(msgspec.Struct, frozen=True):
    """Where a phrase stands: the span of its sentence and its own."""

    sentence: tuple[int, int]
    start: int
    end: int


def recurring(passages: Iterable[Passage], seed: int, most: int = 6) -> Iterator[Passage]:
    """For each passage at most so many others, each without the sentence that its only question is made of."""
    texts = [passage.text for passage in passages]
    found = [_repeated(text) for text in texts]
    spread = Counter(phrase for phrases in found for phrase in phrases)
    common = max(2, _COMMON * len(texts))
    for number, (text, phrases) in enumerate(zip(texts, found, strict=True)):
        draw = random.Random(f"{seed} {number}")
        rare = sorted(phrase for phrase in phrases if spread[phrase] <= common)
        for phrase in draw.sample(rare, min(len(rare), most)):
            hidden, asked = draw.sample(phrases[phrase], 2)
            yield _cloze(text, hidden, asked, f"{number} {phrase}")


def _repeated(text: str) -> dict[str, tuple[_Place, _Place]]:
    """The longest phrases that stand in exactly two sentences, once in each."""
    units = [(match.start(), match.end()) for match in _UNIT.finditer(text)]
    sentence_of = _sentences(text, [start for start, _ in units])
    kept: dict[str, tuple[_Place, _Place]] = {}
    covered: set[tuple[int, int]] = set()  # ranges of units within longer phrases
    for length, repeats in reversed(list(enumerate(_repeats(text, units), start=1))):
        for phrase, firsts in repeats.items():
            if len(firsts) != 2 or sentence_of[firsts[0]] == sentence_of[firsts[1]]:
                continue
            if not _is_name(phrase, length) or all((first, first + length) in covered for first in firsts):
                continue
            before, after = (
                _Place(sentence_of[first], units[first][0], units[first + length - 1][1]) for first in firsts
            )
            kept[phrase] = (before, after)
            for first in firsts:
                covered.update(
                    (begin, end)
                    for begin in range(first, first + length)
                    for end in range(begin + 1, first + length + 1)
                )
    return kept


def _repeats(text: str, units: list[tuple[int, int]]) -> Iterator[dict[str, list[int]]]:
    """For every length, from one unit on, the phrases that stand more than once and the units they begin with."""
    firsts = list(range(len(units)))
    for length in range(1, _LONGEST + 1):
        places: dict[str, list[int]] = defaultdict(list)
        for first in firsts:
            last = first + length - 1
            # What is repeated begins with what is repeated; nothing but a blank stands between two units.
            if last < len(units) and (length == 1 or text[units[last - 1][1] : units[last][0]] in ("", " ")):
                places[text[units[first][0] : units[last][1]]].append(first)
        repeats = {phrase: begins for phrase, begins in places.items() if len(begins) > 1}
        if not repeats:
            return
        yield repeats
        firsts = sorted(first for begins in repeats.values() for first in begins)


def _sentences(text: str, starts: list[int]) -> list[tuple[int, int]]:
    """For each of these places, in order, the span of its sentence."""
    spans = sentences(text)
    found, at = [], 0
    for start in starts:
        while spans[at][1] <= start:
            at += 1
        found.append(spans[at])
    return found


def _is_name(phrase: str, length: int) -> bool:
    """Whether a phrase may be an answer: two characters of Chinese, or a word of four letters or a number."""
    if count_han(phrase):
        return length >= 2 and phrase[0] not in _EDGES and phrase[-1] not in _EDGES
    return len(phrase) >= 4 or phrase.isdecimal()


def _cloze(text: str, hidden: _Place, asked: _Place, id: str) -> Passage:
    """The text without the sentence of the hidden place; the question is that sentence, or what stands around."""
    begin, end = hidden.sentence
    spare = max(0, _LONGEST_QUESTION - (hidden.end - hidden.start)) // 2
    left = text[max(begin, hidden.start - spare) : hidden.start]
    right = text[hidden.end : min(end, hidden.end + spare)].rstrip("。！？；.!?; ")
    what, mark = ("什么", "？") if count_han(text) else ("what", "?")
    question = f"{left}{what}{right}{mark}".strip()
    start = asked.start if asked.start < begin else asked.start - (end - begin)
    gold = GoldSpan(text[asked.start : asked.end], start)
    return Passage(text[:begin] + text[end:], (PassageQuestion(id, question, ((gold,),)),))
