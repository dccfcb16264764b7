"""Which parts of a document a page shows: what is marked with its neighbours; the rest is folded or left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from caveat.core.records import Document
from caveat.render.answer_tree import Mark
from caveat.sources.plain_text import parse_plain_text

__all__ = ["WHOLE", "Block", "Fold", "blocks_of", "folded", "reach_of"]

# Up to so many characters nothing is left out of a page; up to so many nothing is even folded.
WHOLE = 200_000
_SHORT = 6_000
_NEIGHBOURS, _NEIGHBOURS_OF_MANY = 2, 1
_MANY = 30
# A run that is no more than this need not be folded.
_FEW_BLOCKS, _FEW_CHARACTERS = 2, 400
# In a long text: characters kept around a mark, fewer where there are many.
_LEAST_REACH, _MOST_REACH, _REACH_OF_ALL = 80, 600, 50_000


class Block(NamedTuple):
    """An element of the document, or text between elements that is marked, with the marks that touch it."""

    tag: str
    start: int
    end: int
    marks: tuple[Mark, ...] = ()


class Fold(NamedTuple):
    """A run of blocks without marks; of a long one only the ends are kept."""

    blocks: int
    characters: int
    before: Sequence[Block]
    after: Sequence[Block] = ()

    @property
    def left_out(self) -> tuple[int, int]:
        """How many blocks and characters are not there."""
        kept = [*self.before, *self.after]
        return self.blocks - len(kept), self.characters - _length(kept)


def reach_of(marks: int) -> int:
    """How many characters around each mark a long text keeps."""
    return max(_LEAST_REACH, min(_MOST_REACH, _REACH_OF_ALL // max(1, marks)))


def blocks_of(document: Document, marks: Iterable[Mark]) -> list[Block]:
    """The elements in order; a text without any is read as plain text. The marks come from left to right."""
    text = document.text
    elements = document.elements or parse_plain_text(text).elements
    coming = list(reversed(list(marks)))
    open_marks: list[Mark] = []
    blocks: list[Block] = []

    def touching(start: int, end: int) -> tuple[Mark, ...]:
        open_marks[:] = [mark for mark in open_marks if mark.end > start]
        while coming and coming[-1].start < end:
            mark = coming.pop()
            if mark.end > start:
                open_marks.append(mark)
        return tuple(open_marks)

    def between(start: int, end: int) -> None:
        """A bullet or a rule is no part of any element, but a mark may reach over it."""
        found = touching(start, end)
        if any(text[max(start, mark.start) : min(end, mark.end)].strip() for mark in found):
            blocks.append(Block("", start, end, found))

    at = 0
    for element in sorted(elements, key=lambda element: element.start):
        if element.end <= at or element.start == element.end:
            continue
        start = max(at, element.start)
        if at < start:
            between(at, start)
        blocks.append(Block(element.tag, start, element.end, touching(start, element.end)))
        at = element.end
    if at < len(text):
        between(at, len(text))
    return blocks


def folded(blocks: Sequence[Block], reach: int | None) -> list[Block | Fold]:
    """The blocks, with those folded that are far from any mark; a `reach` limits what a fold keeps."""
    if _length(blocks) <= _SHORT:
        return list(blocks)
    near = _near(blocks)
    shown: list[Block | Fold] = []
    for is_near, run in groupby(enumerate(blocks), key=lambda item: item[0] in near):
        found = [block for _, block in run]
        if is_near or (len(found) <= _FEW_BLOCKS and _length(found) <= _FEW_CHARACTERS):
            shown += found
        else:
            shown.append(_fold(found, reach))
    return shown


def _near(blocks: Sequence[Block]) -> set[int]:
    """What is marked, its neighbours, and the headings over it; the beginning where nothing is marked."""
    marked = [index for index, block in enumerate(blocks) if block.marks] or [0]
    reach = _NEIGHBOURS if len(marked) <= _MANY else _NEIGHBOURS_OF_MANY
    near = {
        neighbour
        for index in marked
        for neighbour in range(max(0, index - reach), min(len(blocks), index + reach + 1))
    }
    headings: list[tuple[str, int]] = []
    for index, block in enumerate(blocks):
        if block.tag[:1] == "h":
            while headings and headings[-1][0] >= block.tag:
                headings.pop()
            headings.append((block.tag, index))
        if block.marks:
            near.update(heading for _, heading in headings)
    return near


def _fold(blocks: Sequence[Block], reach: int | None) -> Fold:
    characters = _length(blocks)
    if reach is None or characters <= 4 * reach:
        return Fold(len(blocks), characters, blocks)
    before = _first(blocks, 2 * reach)
    after = _first(blocks[len(before) :][::-1], 2 * reach)[::-1]
    return Fold(len(blocks), characters, before, after)


def _first(blocks: Sequence[Block], characters: int) -> Sequence[Block]:
    """As many of the blocks as fit."""
    for count, block in enumerate(blocks):
        characters -= block.end - block.start
        if characters < 0:
            return blocks[:count]
    return blocks


def _length(blocks: Iterable[Block]) -> int:
    return sum(block.end - block.start for block in blocks)
