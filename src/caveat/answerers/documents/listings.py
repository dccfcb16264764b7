"""What of a page names several things: its lists, the beginnings of their items, columns, headings, and sentences.

Each is a listing: places side by side, which may be the answer to a question for several things. Which of them it is
is not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from caveat.answerers.documents.page import Page
from caveat.core.records import Element
from caveat.models.joint import TextReading
from caveat.sources.marks import without_marks
from caveat.sources.outline import ListOfItems, element_at, heading_level, lists_of, sentence_around
from caveat.sources.plain_text import trimmed

Places = tuple[tuple[int, int], ...]

_MOST_ITEMS = 60
_LEAST_ITEMS = 2
# A token is rather in an answer than not, and may be in one.
_RATHER, _MAYBE = 0.5, 0.2
# What an item names before it explains it: "Helpful: shows them the ropes", "保修期：一年".
_LEAD = re.compile(r"[^:：\n]{1,60}?(?:\s*[:：](?=\s|\W|[^\x00-\x7f])|\s+[-–—]{1,2}\s+|——)")
_CELL = re.compile(r"[^|]+")
_SEPARATOR = re.compile(
    # From the first blank on alone, or a run of blanks would be tried from each of them.
    r"(?<!\s)\s*(?:[,;](?=\s)|[、；，])\s*(?:(?:and|or)\b\s*)?|(?<!\s)\s+(?:and|or|as well as)\s+"
    r"|以及|(?<=[^\W\d_])(?:和|及|或者?|与)(?=[^\W\d_])"
)
# What follows explains the item, or says when it holds; in the training questions' answers it is more often left out
# than not.
_REST = re.compile(r" [-–—] | \(|,? (?:for example|such as|like|if|unless)\b")
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
            found.setdefault(items, (each._replace(items=items), []))[1].append(each.name)
    yield from found.values()


def _all(page: Page, text: TextReading) -> Iterator[Listing]:
    elements = page.document.elements
    for each in (*lists_of(page.document), *_paragraphs(page)):
        if not _LEAST_ITEMS <= len(each.items) <= _MOST_ITEMS:
            continue
        spans = tuple(item_span(page, at) for at in each.items)
        if all(elements[at].tag == "li" for at in each.items):
            yield Listing("of the page", spans, tuple(each.items), each.introduction)
            yield _chosen(text, Listing("chosen", spans, tuple(each.items), each.introduction))
        leads = tuple(_lead(page, elements[at]) for at in each.items)
        named = tuple(lead for lead in leads if lead is not None)
        if 3 * len(named) >= 2 * len(leads):
            yield Listing("leads", named, (), each.introduction)
    for rows in _tables(page):
        cells = tuple(span for at in rows.items if (span := _first_cell(page, elements[at])))
        yield Listing("cells", cells, (), rows.introduction)
        yield _chosen(text, Listing("chosen cells", cells, (), rows.introduction))
    yield from _headings(page)
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


def _tables(page: Page) -> Iterator[ListOfItems]:
    """Rows one after the other, without the first, which names the columns."""
    elements = page.document.elements
    for is_row, group in groupby(range(len(elements)), key=lambda at: elements[at].tag == "tr"):
        rows = tuple(group)
        if is_row and len(rows) > _LEAST_ITEMS:
            yield ListOfItems(rows[0], rows[1:])


def _first_cell(page: Page, row: Element) -> tuple[int, int] | None:
    found = _CELL.search(row.text)
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
        at = element_at(page.document, start)
        if at is not None and not page.is_heading[at] and end <= page.document.elements[at].end:
            piece = page.document.text[start:end]
            if any(map(str.isalnum, piece)):
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


def _parted(text: str, start: int, end: int) -> Places:
    """The things that an enumeration names: what commas, "and", "or" and their like part."""
    edges = [start, *(edge for found in _SEPARATOR.finditer(text, start, end) for edge in found.span()), end]
    spans = (trimmed(text, *span) for span in zip(edges[::2], edges[1::2], strict=True))
    kept = (_without_stop(text, *span) for span in spans if any(map(str.isalnum, text[slice(*span)])))
    return tuple(kept)[:_MOST_ITEMS]


def _without_stop(text: str, start: int, end: int) -> tuple[int, int]:
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
