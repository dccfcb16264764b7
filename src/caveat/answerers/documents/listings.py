"""What of a page names several things: its lists, the beginnings of their items, columns, headings, and sentences.

Each is a listing: places side by side, which may be the answer to a question for several things. Which of them it is
is not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from heapq import nlargest
from itertools import groupby, islice, pairwise
from typing import NamedTuple

import numpy as np

from caveat.answerers.documents.page import Page
from caveat.answerers.documents.spans import whole_words
from caveat.core.languages import Language
from caveat.core.records import Element
from caveat.language.packs import pack
from caveat.language.sentences import sentences
from caveat.models.joint import TextReading
from caveat.sources.marks import without_marks
from caveat.sources.outline import ListOfItems, element_at, heading_level, lists_of, sentence_around
from caveat.sources.plain_text import trimmed

Places = tuple[tuple[int, int], ...]

_MOST_ITEMS = 60
_LEAST_ITEMS = 2
# Columns of a table; elements whose sentences may enumerate the answer, and how long they are.
_MOST_COLUMNS, _DECIDING, _LONGEST = 8, 10, 1500
# A token is rather in an answer than not, and may be in one.
_RATHER, _MAYBE = 0.5, 0.2
# What an item names before it explains it: "Helpful: shows them the ropes", "保修期：一年".
_LEAD = re.compile(r"[^:：\n]{1,60}?(?:\s*[:：](?=\s|\W|[^\x00-\x7f])|\s+[-–—]{1,2}\s+|——)")
# What numbers a paragraph: "1.", "(2)", "Step 3)", "First,", "一、", "（二）".
_NUMBERED = re.compile(
    r"\s*(?:step\s*#?\d+|(?:first|second|third|fourth|fifth|next|then|finally|last)(?:ly)?,|\(?\d{1,2}[.)、）:：]|（\d{1,2}）"
    r"|第?[（(]?[一二三四五六七八九十]{1,3}[）)、.步])",
    re.IGNORECASE,
)
# Each of them parts an enumeration alone, where another stands inside of its items.
_MARKS = tuple(
    re.compile(rf"(?<!\s)\s*{mark}")
    for mark in (
        r",(?=\s)\s*(?:(?:and|or)\b\s*)?",
        r";(?=\s)\s*(?:(?:and|or)\b\s*)?",
        r"(?:、|(?<=[^\W\d_])(?:和|及|以及|或者?|与|與)(?=[^\W\d_]))",
        r"、",
        r"，",
        r"；",
        r"(?:→|->|=>|⇒)\s*",
        r"(?:,(?=\s)\s*(?:(?:and|or)\b)?|\s(?:and|or|as well as)\b)\s*",
        r"\s(?:and|or)\s+",
        r"(?:和|与|與|或)",
    )
)
_OPENS = re.compile(r"[:：](?!//)|——?|[(（](?![^()（）]*[)）])|\s[-–—]\s")
_BRACKETS = re.compile(r"[(（]([^()（）\n]{3,300})[)）]")
_CELL = re.compile(r"[^|]+")
_SEPARATOR = re.compile(
    # From the first blank on alone, or a run of blanks would be tried from each of them.
    r"(?<!\s)\s*(?:[,;](?=\s)|[、；，])\s*(?:(?:and|or)\b\s*)?|(?<!\s)\s+(?:and|or|as well as)\s+"
    r"|以及|(?<=[^\W\d_])(?:和|及|或者?|与)(?=[^\W\d_])"
)
# What follows explains the item, or says when it holds; in the training questions' answers it is more often left out
# than not.
_REST = re.compile(r" [-–—] | \(|(?<=.)（|,? (?:for example|such as|like|if|unless)\b")
_EDGES = " .,;:"


class Listing(NamedTuple):
    """Several things side by side; `elements` where each is an element of the page, and what introduces them."""

    name: str
    items: Places
    elements: tuple[int, ...] = ()
    introduction: int | None = None


def listings(page: Page, text: TextReading) -> Iterator[tuple[Listing, list[str]]]:
    """All listings of a page that was read, each once, with the names of the ways in which it was found."""
    found: dict[Places, tuple[Listing, list[str]]] = {}
    for each in _all(page, text):
        items = each.items[:_MOST_ITEMS]
        if len(items) >= _LEAST_ITEMS:
            names = found.setdefault(items, (each._replace(items=items), []))[1]
            names += [each.name] if each.name not in names else []
    yield from found.values()


def _all(page: Page, text: TextReading) -> Iterator[Listing]:
    elements = page.document.elements
    for each in (*lists_of(page.document), *_paragraphs(page), *_runs(page)):
        if not _LEAST_ITEMS <= len(each.items) <= _MOST_ITEMS:
            continue
        spans = tuple(item_span(page, at) for at in each.items)
        whole = tuple(
            without_marks(page.document.text, elements[at].start, elements[at].end) for at in each.items
        )
        if elements[each.items[0]].tag == "p":
            yield Listing("paragraphs", whole, (), each.introduction)
        if all(elements[at].tag == "li" for at in each.items):
            yield Listing("of the page", spans, tuple(each.items), each.introduction)
            yield _chosen(text, Listing("chosen", spans, tuple(each.items), each.introduction))
            yield Listing("whole items", whole, (), each.introduction)
        leads = tuple(_lead(page, elements[at]) for at in each.items)
        named = tuple(lead for lead in leads if lead is not None)
        if 3 * len(named) >= 2 * len(leads):
            yield Listing("leads", named, (), each.introduction)
    for rows in _tables(page):
        for column in range(_MOST_COLUMNS):
            cells = tuple(span for at in rows.items if (span := _cell(page, elements[at], column)))
            yield Listing("cells" if not column else "column", cells, (), rows.introduction)
            yield _chosen(text, Listing("chosen cells", cells, (), rows.introduction))
    yield from _headings(page)
    yield from _enumerations(page, text)
    for least in (_RATHER, _MAYBE):
        runs = _marked(page, text, least)
        yield Listing("marked" if least == _RATHER else "perhaps marked", tuple(runs))
        for inside in _by_element(page, runs):
            yield Listing("enumerated", _parted(page.document.text, inside[0][0], inside[-1][1]))
    for best in text.spans[:1]:
        yield Listing("in a span", _parted(page.document.text, best.start, best.end))
    yield from _sentences(page, text)


def _chosen(text: TextReading, listing: Listing) -> Listing:
    """Those of its items that are rather answers than not, unless all are."""
    kept = [at for at, item in enumerate(listing.items) if text.answers_in(*item) >= _RATHER]
    if len(kept) == len(listing.items):
        kept = []
    items = tuple(listing.items[at] for at in kept)
    elements = tuple(listing.elements[at] for at in kept) if listing.elements else ()
    return listing._replace(items=items, elements=elements)


def _lead(page: Page, element: Element) -> tuple[int, int] | None:
    """What an item names, where it goes on to explain it."""
    found = _LEAD.match(element.text)
    if not found:
        return None
    end = element.start + len(found[0].rstrip().rstrip(":：-–—").rstrip())
    start, end = without_marks(page.document.text, element.start, end)
    return (start, end) if any(map(str.isalnum, page.document.text[start:end])) else None


def _paragraphs(page: Page) -> Iterator[ListOfItems]:
    """Paragraphs one after the other that each begin with what they are about."""
    elements = page.document.elements
    leading = [
        element.tag == "p"
        and _lead(page, element) is not None
        and not element.text.rstrip().endswith((":", "："))
        for element in elements
    ]
    for leads, group in groupby(range(len(elements)), key=leading.__getitem__):
        if leads:
            items = tuple(group)
            yield ListOfItems(items[0] - 1 if items[0] else None, items)


def _runs(page: Page) -> Iterator[ListOfItems]:
    """Paragraphs one after the other under a heading or a line with a colon, and those of them that are numbered."""
    elements = page.document.elements
    for is_run, group in groupby(
        range(len(elements)), key=lambda at: elements[at].tag == "p" and not page.is_heading[at]
    ):
        run = list(group)
        if not is_run:
            continue
        for is_numbered, part in groupby(run, key=lambda at: _NUMBERED.match(elements[at].text) is not None):
            if is_numbered:
                items = tuple(part)
                yield ListOfItems(items[0] - 1 if items[0] else None, items)
        opened = [at for at in run if elements[at].text.rstrip().endswith((":", "："))]
        for first, last in pairwise([run[0] - 1, *opened, run[-1] + 1]):
            if first >= 0 and last - first > _LEAST_ITEMS:
                yield ListOfItems(first, tuple(range(first + 1, last)))


def _enumerations(page: Page, text: TextReading) -> Iterator[Listing]:
    """What the sentences enumerate that most probably decide, by each mark that may part it; in brackets too."""
    markers = _markers(page.language)
    for start, end in _deciding(page, text):
        yield Listing(
            "sentences", tuple((start + a, start + b) for a, b in sentences(page.document.text[start:end]))
        )
        for first, last in sentences(page.document.text[start:end]):
            low, high = start + first, start + last
            for bracket in _BRACKETS.finditer(page.document.text, low, high):
                yield Listing("in brackets", _parted(page.document.text, *bracket.span(1)))
            for mark in _MARKS:
                yield from _enumerated(page.document.text, low, high, mark, markers)


def _enumerated(
    text: str, low: int, high: int, mark: re.Pattern[str], markers: re.Pattern[str] | None
) -> Iterator[Listing]:
    """What one mark parts in a sentence, from its beginning on and from behind what opens the first item."""
    items = _parted(text, low, high, mark)
    if len(items) < _LEAST_ITEMS:
        return
    yield Listing("parted", items)
    start, end = items[0]
    opened = [found.end() for found in _OPENS.finditer(text, start, end)]
    if opened:
        yield Listing("behind a colon", _parted(text, opened[-1], high, mark))
    said = [found.end() for found in markers.finditer(text, start, end)] if markers else []
    if said and said[-1] < end:
        yield Listing("behind a marker", _parted(text, said[-1], high, mark))


def _deciding(page: Page, text: TextReading) -> Iterator[tuple[int, int]]:
    """The elements that most probably have evidence or answers, as spans."""
    shares = [
        (max(text.evidence_in(each.start, each.end), text.answers_in(each.start, each.end)), at)
        for at, each in enumerate(page.document.elements)
        if not page.is_heading[at] and len(each.text) <= _LONGEST
    ]
    for share, at in nlargest(_DECIDING, shares):
        if share > 0:
            yield page.document.elements[at].start, page.document.elements[at].end


@cache
def _markers(language: Language) -> re.Pattern[str] | None:
    found = pack(language).list_markers
    return re.compile(found, re.IGNORECASE) if found else None


def _tables(page: Page) -> Iterator[ListOfItems]:
    """Rows one after the other, without the first, which names the columns."""
    elements = page.document.elements
    for is_row, group in groupby(range(len(elements)), key=lambda at: elements[at].tag == "tr"):
        rows = tuple(group)
        if is_row and len(rows) > _LEAST_ITEMS:
            yield ListOfItems(rows[0], rows[1:])


def _cell(page: Page, row: Element, column: int) -> tuple[int, int] | None:
    found = next(islice(_CELL.finditer(row.text), column, None), None)
    if found is None or not found[0].strip():
        return None
    return without_marks(page.document.text, row.start + found.start(), row.start + found.end())


def _headings(page: Page) -> Iterator[Listing]:
    """The headings right under each heading."""
    open_: list[tuple[int, int | None, list[int]]] = []
    for at, element in enumerate(page.document.elements):
        if not (level := heading_level(element)):
            continue
        while open_ and open_[-1][0] > level:
            yield _under(page, open_.pop())
        if open_ and open_[-1][0] == level:
            open_[-1][2].append(at)
        else:
            over = open_[-1][2][-1] if open_ else None
            open_.append((level, over, [at]))
    while open_:
        yield _under(page, open_.pop())


def _under(page: Page, group: tuple[int, int | None, list[int]]) -> Listing:
    elements = page.document.elements
    places = ((elements[at].start, elements[at].end) for at in group[2])
    items = tuple(without_marks(page.document.text, *place) for place in places)
    return Listing("headings", items, (), group[1])


def _marked(page: Page, text: TextReading, least: float) -> list[tuple[int, int]]:
    """Runs of tokens that are so probably in an answer, each inside one element and with a letter or figure."""
    assert text.text is not None
    inside = text.answers > least
    edges = np.flatnonzero(np.diff(np.concatenate(([0], inside.astype(np.int8), [0]))))
    runs: list[tuple[int, int]] = []
    for first, last in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        start, end = int(text.text.starts[first]), int(text.text.ends[last - 1])
        start, end = whole_words(page.document.text, start, end)
        if runs and start < runs[-1][1]:
            start = runs.pop()[0]
        at = element_at(page.document, start)
        if at is not None and not page.is_heading[at] and end <= page.document.elements[at].end:
            piece = page.document.text[start:end]
            # A single character names nothing, a figure apart.
            if sum(map(str.isalnum, piece)) > 1 or piece.strip().isdecimal():
                runs.append((start, end))
    return runs[:_MOST_ITEMS]


def _by_element(page: Page, runs: Sequence[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    by_element: dict[int | None, list[tuple[int, int]]] = {}
    for run in runs:
        by_element.setdefault(element_at(page.document, run[0]), []).append(run)
    yield from by_element.values()


def _sentences(page: Page, text: TextReading) -> Iterator[Listing]:
    """The sentence with most of what may be an answer, from where that begins to the sentence's end."""
    assert text.text is not None
    if not len(text.answers) or text.answers.max() <= _MAYBE:
        return
    best = int(text.answers.argmax())
    first, last = sentence_around(page.document, int(text.text.starts[best]), int(text.text.ends[best]))
    tokens = np.flatnonzero(text.answers > _MAYBE)
    starts = [int(text.text.starts[at]) for at in tokens.tolist()]
    begin = min((start for start in starts if first <= start < last), default=first)
    yield Listing("to the end", _parted(page.document.text, begin, last))


def _parted(text: str, start: int, end: int, mark: re.Pattern[str] = _SEPARATOR) -> Places:
    """The things that an enumeration names: what commas, "and", "or" and their like part, or one mark alone."""
    edges = [start, *(edge for found in mark.finditer(text, start, end) for edge in found.span()), end]
    spans = (trimmed(text, *span) for span in zip(edges[::2], edges[1::2], strict=True))
    kept = (_without_stop(text, *span) for span in spans if any(map(str.isalnum, text[slice(*span)])))
    return tuple(kept)[:_MOST_ITEMS]


def _without_stop(text: str, start: int, end: int) -> tuple[int, int]:
    if text[end - 1 : end] in "。；" and end - start > 2 and text[end - 2] == "等":
        end -= 1
    if text[end - 1 : end] == "等" and end - start > 1:
        return trimmed(text, start, end - 1)
    return (
        trimmed(text, start, end - 1) if text[end - 1 : end] in ".。；;" and end - start > 1 else (start, end)
    )


def item_span(page: Page, item: int) -> tuple[int, int]:
    """The span of what an item names, without marks and without what explains it or says when it holds."""
    element = page.document.elements[item]
    rest = _REST.search(element.text)
    text = element.text[: rest.start()] if rest else element.text
    if not text.strip(_EDGES):
        text = element.text
    start = element.start + len(text) - len(text.lstrip(_EDGES))
    return without_marks(page.document.text, start, max(start + 1, element.start + len(text.rstrip(_EDGES))))
