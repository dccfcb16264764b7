"""Sources as passages: what is searched is a paragraph or two under its headings, of a table some rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import PurePath
from typing import NamedTuple

from caveat.core.languages import HAN
from caveat.core.records import Document, Table
from caveat.language.sentences import sentences
from caveat.language.simplify import simplified_text
from caveat.language.tokens import STOP_TOKENS, tokens
from caveat.sources.outline import heading_level
from caveat.sources.plain_text import parse_plain_text

# Short elements go together up to about so many words; a paragraph is cut only if it is longer than that.
_MOST_WORDS, _LONGEST_PARAGRAPH = 120, 200
# Rows are short and alike; more of them go together.
_MOST_WORDS_OF_ROWS = 360
_WORD = re.compile(rf"[^\W_{HAN}]+")
_ONE_HAN = re.compile(f"[{HAN}]")
# Two characters are about a word.
_HAN_OF_A_WORD = 2


class Passage(NamedTuple):
    """A stretch of a document, or rows of a table, and the title and headings over it."""

    start: int
    end: int
    headings: tuple[str, ...] = ()


def document_passages(document: Document) -> Iterator[Passage]:
    """The passages of a document, in order: neighbouring elements of a section as long as they are short together.

    An element that is too long by itself is cut between sentences. Headings are in no passage, but over those that
    follow; one with nothing under it is a passage of its own.
    """
    elements = document.elements or parse_plain_text(document.text).elements
    path: list[tuple[int, str]] = []
    start, end, size = 0, 0, 0
    bare: tuple[int, int] | None = None

    def over() -> tuple[str, ...]:
        return tuple(text for _, text in path)

    for element in elements:
        if level := heading_level(element):
            if size:
                yield Passage(start, end, over())
                size = 0
            if bare is not None and path and level <= path[-1][0]:
                yield Passage(*bare, over()[:-1])
            path = [*((other, text) for other, text in path if other < level), (level, element.text)]
            bare = element.start, element.end
            continue
        words = _words(element.text)
        if size and size + words > _MOST_WORDS:
            yield Passage(start, end, over())
            size = 0
        if words > _LONGEST_PARAGRAPH:
            yield from (Passage(*span, over()) for span in _cut(document.text, element.start, element.end))
        elif words or element.text.strip():
            start, end, size = (element.start if not size else start), element.end, size + max(words, 1)
        bare = None
    if size:
        yield Passage(start, end, over())
    if bare is not None:
        yield Passage(*bare, over()[:-1])


def table_passages(table: Table) -> Iterator[Passage]:
    """Rows of a table that are searched together: from the row `start` up to `end`."""
    names = (table.caption or PurePath(table.id).stem, *table.headers)
    start, size = 0, 0
    for number, row in enumerate(table.rows):
        words = sum(map(_words, row))
        if size and size + words > _MOST_WORDS_OF_ROWS:
            yield Passage(start, number, names)
            start, size = number, 0
        size += words
    yield Passage(start, len(table.rows), names)


def title_of(document: Document) -> str:
    """The title of a document, or else what its file is called."""
    return document.title or PurePath(document.url).stem


def passage_text(source: Document | Table, passage: Passage) -> str:
    """What a passage says."""
    if isinstance(source, Document):
        return source.text[passage.start : passage.end]
    return "\n".join(" | ".join(row) for row in source.rows[passage.start : passage.end])


def _words(text: str) -> int:
    if text.isascii():
        return text.count(" ") + 1 if text else 0
    return len(_WORD.findall(text)) + len(_ONE_HAN.findall(text)) // _HAN_OF_A_WORD


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A long element in stretches of whole sentences; a sentence may be too long by itself."""
    first, last, size = start, start, 0
    for low, high in sentences(text[start:end]):
        words = _words(text[start + low : start + high])
        if size and size + words > _MOST_WORDS:
            yield first, last
            size = 0
        if not size:
            first = start + low
        last, size = start + high, size + max(words, 1)
    if size:
        yield first, last


_HAN = re.compile(f"[{HAN}]+")
# Longer ones are pictures in base64 and the like, which nobody asks for.
_LONGEST = 64


def terms(text: str) -> list[str]:
    """The terms of a text, as often as it has them; Traditional and Simplified script have the same."""
    if text.isascii() or not _HAN.search(text):
        return [term[:_LONGEST] for term in tokens(text)]
    text = simplified_text(text)
    found = [term[:_LONGEST] for term in tokens(_HAN.sub(" ", text))]
    for run in _HAN.findall(text):
        found += run
        found += (first + second for first, second in pairwise(run))
    return found


def question_terms(question: str) -> list[str]:
    """The terms that a question is searched with, each once; what every question has is left out, unless it is all."""
    every = list(dict.fromkeys(terms(question)))
    return [term for term in every if term not in STOP_TOKENS] or every
