"""Where a span of a document stands, as answers and evidence say it: headings, page, and the sentence around it."""

from __future__ import annotations

from caveat.core.answers import Place
from caveat.core.records import Document
from caveat.sources.outline import headings_at, page_at, sentence_around


def name_of(document: Document) -> str:
    """What a document is called where an answer says its place."""
    return document.url or document.title


def place_in(document: Document, start: int, end: int, *, headings: tuple[str, ...] | None = None) -> Place:
    """The place of `document.text[start:end]`; its headings are looked up unless they are known."""
    first, last = sentence_around(document, start, end)
    return Place(
        name_of(document),
        start,
        end,
        headings_at(document, start) if headings is None else headings,
        page_at(document, start),
        document.text[first:last],
    )
