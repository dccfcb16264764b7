"""Web pages as documents: what a reader sees of the content, without what surrounds every page of the site."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from caveat.core.errors import InputError
from caveat.core.records import Document
from caveat.sources.assemble import Block, assemble
from caveat.sources.html_blocks import blocks

__all__ = ["parse_html"]

# Chrome and others write where a page was saved from; the number counts the characters of the address.
_SAVED_FROM = re.compile(r"<!--\s*saved from url=\(\d+\)(\S+)\s*-->")
_BEGINNING = 4096


def parse_html(markup: str) -> Document:
    """The visible text of a page's content, one line an element: h1 to h4, p, li, and tr with cells joined by " | ".

    Containers (ul, ol, table) are dropped, descriptive tags (dl, blockquote, figcaption, address …) become p,
    h5 and h6 become h4. The content is `main`, or an `article` that has most of the text, or the body.
    """
    try:
        tree = LexborHTMLParser(markup.encode("utf-8", "replace").decode("utf-8"))
    except (SelectolaxError, ValueError) as error:
        raise InputError(f"cannot be read as HTML: {error}") from error
    found = _content(tree)
    title = _words(tree.head.css_first("title") if tree.head else None)
    title = title or next((block.text for block in found if block.tag == "h1"), "")
    return assemble(found, title=title, url=_address(tree, markup))


def _content(tree: LexborHTMLParser) -> list[Block]:
    body = tree.body
    if body is None:
        return []
    main = body.css_first("main, [role=main]")
    if main is not None and (found := blocks(main)):
        return found
    found = blocks(body)
    article = body.css_first("article")
    if article is not None:
        inside = blocks(article)
        if 2 * _size(inside) >= _size(found):
            return inside or found
    # A page that is all header or form is better read than left empty.
    return found or blocks(body, furniture=True)


def _size(found: list[Block]) -> int:
    return sum(len(block.text) for block in found)


def _address(tree: LexborHTMLParser, markup: str) -> str:
    for selector, attribute in (("link[rel~=canonical]", "href"), ('meta[property="og:url"]', "content")):
        node = tree.css_first(selector)
        if node is not None and (address := (node.attributes.get(attribute) or "").strip()):
            return address
    saved = _SAVED_FROM.search(markup, 0, _BEGINNING)
    return saved[1] if saved else ""


def _words(node: LexborNode | None) -> str:
    return " ".join(node.text().split()) if node is not None else ""
