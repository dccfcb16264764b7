"""The text of a document as HTML: what is marked with its neighbours, the rest folded or left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby, pairwise
from typing import NamedTuple

from caveat.core.languages import HAN
from caveat.core.records import Document
from caveat.render.tree import KINDS, Mark
from caveat.render.words import Words
from caveat.sources.plain_text import indent_of, parse_plain_text

# Up to this many characters nothing is left out of a page, and up to the second number nothing is even folded.
WHOLE = 200_000
_SHORT = 6_000
_NEIGHBOURS, _NEIGHBOURS_OF_MANY = 2, 1
_MANY = 30
# A run that is no more than this need not be folded.
_FEW_BLOCKS, _FEW_CHARACTERS = 2, 400
# In a long text: characters kept around a mark, fewer where there are many.
_LEAST_REACH, _MOST_REACH, _REACH_OF_ALL = 80, 600, 50_000

# The question is the page's first heading, a column's the second, a document's name the third.
_HEADINGS = {"h1": "h4", "h2": "h5", "h3": "h6", "h4": "h6", "h5": "h6", "h6": "h6"}
_AROUND = {"li": "ul", "tr": "table"}
_MOST_COLUMNS = 24
_LONGEST_MARKER = 6
_NEAR = 20
_BULLETS = frozenset("-*+·•●○▪■◦‣◆\uf0a7\uf0b7")
# A bar between cells, as the parsers of HTML and Markdown leave it.
_BAR = re.compile(r"(?<!\\)[ \t]*\|[ \t]*")
# Chinese is broken into lines without a blank, but a browser shows a line end as one.
_WIDE = f"{HAN}\u3000-\u303f\uff01-\uff60“”‘’…—"
_LINE_END = re.compile(rf"(?<=[{_WIDE}])[ \t]*[\r\n]+[ \t]*(?=[{_WIDE}])")
_CONTROLS: dict[int, str | None] = {
    **dict.fromkeys((*range(0x20), *range(0x7F, 0xA0))),
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
    # These end lines.
    **dict.fromkeys((0x09, 0x0B, 0x0C, 0x85), " "),
    **dict.fromkeys((0x0A, 0x0D), "\n"),
}


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
        """How many blocks and characters are left out."""
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
        """A bullet or a rule is not part of any element, but a mark may extend over it."""
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


def clean(text: str) -> str:
    """Text that a page can hold: without control characters, escaped."""
    return escape(text.translate(_CONTROLS))


def marked_text(document: Document, marks: Iterable[Mark], words: Words, reach: int | None) -> str:
    """The document's elements, those far from any mark folded; a `reach` leaves out what is farther away than that."""
    writer = _Writer(document, words, reach)
    return "".join(writer.write(folded(blocks_of(document, marks), reach)))


class _Writer:
    """One document: a mark has its anchor where it is first met."""

    def __init__(self, document: Document, words: Words, reach: int | None) -> None:
        self.text = document.text
        self.words = words
        self.reach = reach
        self.met: set[int] = set()

    def write(self, shown: Iterable[Block | Fold]) -> Iterator[str]:
        around = ""
        for item in shown:
            wanted = _AROUND.get(item.tag, "") if isinstance(item, Block) else ""
            if wanted != around:
                yield f"</{around}>\n" if around else ""
                yield f"<{wanted}>\n" if wanted else ""
                around = wanted
            yield from self._block(item) if isinstance(item, Block) else self._fold(item)
        if around:
            yield f"</{around}>\n"

    def _fold(self, fold: Fold) -> Iterator[str]:
        yield f"<details><summary>{self._amount(fold.blocks, fold.characters)}</summary>\n"
        yield from self.write(fold.before)
        blocks, characters = fold.left_out
        if blocks:
            yield self._gap("p", characters, self._amount(blocks, characters))
        yield from self.write(fold.after)
        yield "</details>\n"

    def _amount(self, blocks: int, characters: int) -> str:
        words = self.words
        return words.comma.join(
            (words.count(words.paragraphs, blocks), words.count(words.characters, characters))
        )

    def _gap(self, tag: str, characters: int, amount: str) -> str:
        left_out = escape(self.words.left_out.format(amount))
        return f'<{tag} class="gap" data-characters="{characters}">… {left_out} …</{tag}>'

    def _block(self, block: Block) -> Iterator[str]:
        if block.tag == "tr":
            yield f"<tr><td>{''.join(self._cells(block))}</td></tr>\n"
            return
        tag = _HEADINGS.get(block.tag) or ("li" if block.tag == "li" else "p")
        attributes = f' class="{block.tag}"' if block.tag in _HEADINGS else ""
        if tag in ("li", "p") and (columns := self._columns(block.start)):
            attributes += f' style="--columns:{columns}"'
        if tag == "li":
            attributes += f' data-marker="{clean(self._marker(block.start))}"'
        yield f"<{tag}{attributes}>"
        yield from self._pieces(block.start, block.end, block.marks)
        yield f"</{tag}>\n"

    def _columns(self, start: int) -> int:
        """How far lists have moved an element to the right; Chinese paragraphs begin with blanks of their own."""
        indented = start and self.text[start - 1] not in "\u3000\r\n"
        return min(_MOST_COLUMNS, indent_of(self.text, start)) if indented else 0

    def _marker(self, start: int) -> str:
        """What an item begins with in its line, where that is a number; a bullet for everything else."""
        line = max(self.text.rfind(end, max(0, start - 40), start) for end in "\r\n") + 1
        marker = self.text[line:start].strip().lstrip("> ")
        return marker if 0 < len(marker) <= _LONGEST_MARKER and marker not in _BULLETS else "•"

    def _cells(self, block: Block) -> Iterator[str]:
        """A row's cells; the bars between them stay in the text, unseen."""
        at = block.start
        for bar in _BAR.finditer(self.text, block.start, block.end):
            yield from self._pieces(at, bar.start(), block.marks)
            yield '</td><td><span class="unseen">'
            yield from self._pieces(*bar.span(), block.marks)
            yield "</span>"
            at = bar.end()
        yield from self._pieces(at, block.end, block.marks)

    def _pieces(self, start: int, end: int, marks: tuple[Mark, ...]) -> Iterator[str]:
        """The text cut at every edge of a mark: each piece has all the marks that it stands in."""
        marks = tuple(mark for mark in marks if mark.start < end and start < mark.end)
        edges = {start, end}
        for mark in marks:
            edges.update((max(start, mark.start), min(end, mark.end)))
        for first, last in pairwise(sorted(edges)):
            over = [mark for mark in marks if mark.start <= first and last <= mark.end]
            yield self._marked(first, last, over) if over else self._plain(first, last)

    def _plain(self, start: int, end: int) -> str:
        if self.reach is None or end - start <= 3 * self.reach:
            return self._shown(start, end)
        first, last = start + self.reach, end - self.reach
        # Not within a word, if a blank is near.
        if (blank := self.text.rfind(" ", first - _NEAR, first)) >= 0:
            first = blank
        if (blank := self.text.find(" ", last, last + _NEAR)) >= 0:
            last = blank + 1
        amount = self.words.count(self.words.characters, last - first)
        return (
            f"{self._shown(start, first)} {self._gap('span', last - first, amount)} {self._shown(last, end)}"
        )

    def _marked(self, start: int, end: int, over: list[Mark]) -> str:
        beginning = [mark for mark in over if mark.number not in self.met]
        self.met.update(mark.number for mark in beginning)
        kinds = {mark.kind for mark in over}
        classes = [kind for kind in KINDS if kind in kinds]
        attributes = f' data-of="{" ".join(str(mark.number) for mark in over)}"'
        if beginning:
            attributes += f' data-label="{escape(" ".join(mark.label for mark in beginning))}"'
            attributes += f' data-kind="{beginning[-1].kind}"'
        edges = ["first"] * bool(beginning) + ["last"] * any(mark.end == end for mark in over)
        piece = f'<mark class="{" ".join((*classes, *edges))}"{attributes}>{self._shown(start, end)}</mark>'
        if not beginning:
            return piece
        # One link a piece, to what is innermost; others that begin here have only their anchor.
        *outer, inner = beginning
        anchors = "".join(f'<i id="t{mark.number}"></i>' for mark in outer)
        return f'{anchors}<a id="t{inner.number}" href="#n{inner.node}">{piece}</a>'

    def _shown(self, start: int, end: int) -> str:
        shown: list[str] = []
        at = start
        for line_end in _LINE_END.finditer(self.text, start, end):
            shown += (
                clean(self.text[at : line_end.start()]),
                f'<span class="unseen">{clean(line_end[0])}</span>',
            )
            at = line_end.end()
        return "".join(shown) + clean(self.text[at:end])
