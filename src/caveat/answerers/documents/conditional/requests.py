"""Which parts of pages with headings a reader is to read."""

from __future__ import annotations

from collections.abc import Sequence

from caveat.answerers.documents.conditions.context import heading_level
from caveat.core.records import Document, Question
from caveat.models.reader import Reader, ReadRequest
from caveat.models.selection import Limit

__all__ = ["page_requests"]

# With 8 the tuning questions get the same answers as with all.
_LIMIT = Limit(few=8, margin=None)


def page_requests(
    reader: Reader, question: Question, documents: Sequence[Document]
) -> list[ReadRequest] | None:
    """What is to be read for an English question where a page with headings is among the documents; else None.

    It is more than of other texts, and what its windows share with the question is not counted when they are read: the
    words of such pages are weighed afterwards, with the headings over them (`ConditionalAnswerer.reweighed`).
    """
    elements = (element for document in documents for element in document.elements)
    if question.spoken != "en" or not any(map(heading_level, elements)):
        return None
    texts = [document.text for document in documents]
    limit = None if reader.limit is None else _LIMIT
    return [
        ReadRequest(question.text, text, tuple(window._replace(behind=0.0) for window in windows))
        for text, windows in zip(texts, reader.choose(question.text, texts, limit), strict=True)
    ]
