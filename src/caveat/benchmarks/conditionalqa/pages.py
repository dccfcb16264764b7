"""ConditionalQA's pages as documents: element number i of the document is string number i of the page."""

from __future__ import annotations

import re

from caveat.benchmarks.conditionalqa.format import ConditionalDocument
from caveat.core.records import Document
from caveat.sources.outline import Block, assemble

__all__ = ["page_document"]

_ELEMENT = re.compile(r"\s*<(\w+)[^>]*>(.*?)(?:</\1>)?\s*", re.DOTALL)


def page_document(page: ConditionalDocument) -> Document:
    """A page as a document, element by element; a string without a tag is a paragraph."""
    blocks = []
    for content in page.contents:
        found = _ELEMENT.fullmatch(content)
        tag, text = (found[1].lower(), found[2]) if found else ("p", content)
        blocks.append(Block(tag, 0, " ".join(text.split())))
    return assemble(blocks, title=page.title, url=page.url)
