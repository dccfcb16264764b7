"""Clauses near an answer that may limit it: "until 13 June", "unless you are ill", "for groups of three", 须…, 除…外.

What they begin with, hold or end with is data of the language's pack (conditions.toml); which are stated is fitted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from caveat.core.languages import Language
from caveat.core.records import Element
from caveat.language.packs import one_of, pack
from caveat.language.sentences import sentences
from caveat.sources.marks import without_marks

if TYPE_CHECKING:
    from caveat.answerers.documents.page import Page

# The sentences of a long element that are looked at on each side of the answer's own, and what is near an answer.
_SENTENCES = 2
# A clause has so many characters, and an answer so many clauses, the nearest first.
_LONGEST, _MOST = 200, 40
# What parts clauses: a mark that no figure goes on after, never the point or comma of a number.
_PARTS = re.compile(r"[,;:](?=\s|$)|[，；：。！？|()（）【】\n]|\s[-–—]+\s|——|\.\s*$")
_JOINT = re.compile(r"(?:(?:and|or|but|then|also|so)\s+)+", re.IGNORECASE)
_EDGES = " \t\n\r　,;:.!?，；：、。！？|*_·•-–—>#"
# What an item is said of: "Refunds: …", or a row.
_LEAD = re.compile(r"[^:：|\n]{1,60}?(?=\s*[:：|])")
_FILE = "conditions.toml"
# Where a clause may stand beside the answer.
PLACES = frozenset(
    (
        "own sentence",
        "next sentence",
        "later sentence",
        "sentence before",
        "introduction",
        "next element",
        "element before",
    )
)


class Clause(NamedTuple):
    """A clause by its place, what tells that it may be a condition, and where it stands beside the answer."""

    start: int
    end: int
    names: frozenset[str]


class _Cues(NamedTuple):
    begins: re.Pattern[str]
    ends: re.Pattern[str] | None
    holds: re.Pattern[str] | None


def clauses_near(page: Page, at: int, place: tuple[int, int]) -> list[Clause]:
    """What may limit an answer that stands in an element: of its sentence, those beside it, its list and its row."""
    cues = _cues(page.language)
    if cues is None:
        return []
    found: dict[tuple[int, int], set[str]] = {}
    for where, first, last in _sentences(page, at, place):
        for start, end, name in _in_sentence(page.document.text, first, last, cues):
            if _may_limit(start, end, place, first, last):
                found.setdefault((start, end), set()).update((name, where))
        if len(found) >= _MOST:
            break
    clauses = [Clause(*span, frozenset(names)) for span, names in found.items()]
    return clauses[:_MOST]


def _may_limit(start: int, end: int, place: tuple[int, int], first: int, last: int) -> bool:
    """Whether it is neither what is answered, or a part of it, nor the answering sentence itself."""
    if place[0] <= first and last <= place[1]:
        return end - start < 0.9 * (last - first)
    return end <= place[0] or place[1] <= start


def _sentences(page: Page, at: int, place: tuple[int, int]) -> Iterator[tuple[str, int, int]]:
    """Sentences near a place with where they stand, nearest first; of a table the own row alone."""
    elements = page.document.elements
    own = elements[at]
    spans = [(own.start + first, own.start + last) for first, last in sentences(own.text)]
    here = [n for n, (first, last) in enumerate(spans) if first < place[1] and place[0] < last] or [0]
    low, high = here[0], here[-1]
    for number in (n for n in range(low, high + 1) if n < len(spans)):
        yield "own sentence", *spans[number]
    for by in range(1, _SENTENCES + 1):
        if high + by < len(spans):
            yield "next sentence" if by == 1 else "later sentence", *spans[high + by]
        if low - by >= 0:
            yield "sentence before", *spans[low - by]
    introduction = page.book.places[at].introduction
    if own.tag == "tr":
        return
    if introduction is not None:
        yield from _last_sentences("introduction", elements[introduction])
    for where, other in (("next element", at + 1), ("element before", at - 1)):
        if 0 <= other < len(elements) and other != introduction and _speaks(page, other):
            yield from _last_sentences(where, elements[other])


def _speaks(page: Page, at: int) -> bool:
    """Whether an element says something by itself; a heading and the row of a table do not."""
    return not page.is_heading[at] and page.document.elements[at].tag != "tr"


def _last_sentences(where: str, element: Element) -> Iterator[tuple[str, int, int]]:
    for first, last in sentences(element.text[: 4 * _LONGEST])[:_SENTENCES]:
        yield where, element.start + first, element.start + last


def _in_sentence(text: str, first: int, last: int, cues: _Cues) -> Iterator[tuple[int, int, str]]:
    """The clauses of a sentence that have a cue, each cue with the part that begins or ends with it."""
    lead = _LEAD.match(text, first, last)
    if lead and (span := _trimmed(text, *lead.span())):
        yield *span, "lead"
    begin = first
    bounds = [*((part.start(), part.end()) for part in _PARTS.finditer(text, first, last)), (last, last)]
    for stop, following in bounds:
        yield from _in_clause(text, begin, stop, cues)
        begin = following


def _in_clause(text: str, begin: int, stop: int, cues: _Cues) -> Iterator[tuple[int, int, str]]:
    whole = _trimmed(text, begin, stop)
    if whole is None:
        return
    if cues.holds is not None:
        for cue in cues.holds.finditer(text, *whole):
            yield *whole, f"holds {_kind(cue)}"
            yield *whole, f"holds '{_said(cue)}'"
    if text[begin - 1 : begin] in ("(", "（"):
        yield *whole, "in brackets"
    for cue in cues.begins.finditer(text, *whole):
        if span := _trimmed(text, cue.start(), whole[1]):
            yield *span, f"begins {_kind(cue)}"
            yield *span, f"begins '{_said(cue)}'"
            if cue.start() > whole[0] and (before := _trimmed(text, whole[0], cue.start())):
                yield *before, f"before {_kind(cue)}"
    if cues.ends is None:
        return
    for cue in cues.ends.finditer(text, *whole):
        opened = [each.start() for each in cues.begins.finditer(text, whole[0], cue.start())]
        for start in dict.fromkeys((whole[0], *opened[-1:])):
            if span := _trimmed(text, start, cue.end()):
                yield *span, f"ends {_kind(cue)}"
                yield *span, f"ends '{_said(cue)}'"


def _kind(cue: re.Match[str]) -> str:
    return str(cue.lastgroup).replace("_", " ")


def _said(cue: re.Match[str]) -> str:
    """The words of a cue, figures apart."""
    return "0" if cue.group()[0].isdigit() else cue.group().casefold()


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """A clause without marks and joints at its ends; None where it is too long, or says nothing."""
    while start < end and text[start] in _EDGES:
        start += 1
    if joint := _JOINT.match(text, start, end):
        start = joint.end()
    while end > start and text[end - 1] in _EDGES:
        end -= 1
    if not 1 < end - start <= _LONGEST:
        return None
    start, end = without_marks(text, start, end)
    return (start, end) if sum(map(str.isalnum, text[start:end])) > 1 else None


@cache
def _cues(language: Language) -> _Cues | None:
    """The patterns of a language's pack; None where it has none."""
    data = pack(language).data(_FILE)
    if not data:
        return None
    bounded = not pack(language).in_pairs
    found = {
        name: _pattern(data[name], bounded=bounded) for name in ("begins", "ends", "holds") if name in data
    }
    return _Cues(found["begins"], found.get("ends"), found.get("holds"))


def _pattern(kinds: dict[str, list[str]], *, bounded: bool) -> re.Pattern[str]:
    """One pattern with a group for each kind; words are whole where something parts them."""
    edge = r"\b" if bounded else ""
    groups = (f"(?P<{kind.replace(' ', '_')}>{one_of(patterns)})" for kind, patterns in kinds.items())
    return re.compile(f"{edge}(?:{'|'.join(groups)}){edge}", re.IGNORECASE)
