"""What is shown of a line of Markdown: no marks but those around words of a program, no addresses, templates, tags."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it.token import Token

from caveat.sources.markdown_blocks import Environment, parser
from caveat.sources.marks import shown

__all__ = ["shown_text"]

_HAS_MARKS = re.compile(r"[\\`*_~\[\]<&{}]|:::")
# Statements, values and attributes of site generators; what leads to a footnote; lines around a box (`::: tip`).
_TEMPLATES = re.compile(
    r"\{%[^{}]*%\}|\{\{[^{}]*\}\}|\{[:#][^{}]*\}|\[\^[^\]\s]{1,100}\](?!:)|^[ \t]*:{3,}[ \t]*[\w-]*[ \t]*$",
    re.MULTILINE,
)
# The rules take time with the square of the marks, so that a text is read in pieces, each up to a sentence's end.
_PIECE, _MOST_MARKS = 2000, 100
_END = re.compile(r"[.!?][ \n]|[。！？\n]")
_BREAKS = ("softbreak", "hardbreak")


def shown_text(text: str, environment: Environment) -> str:
    """The text without its marks; line ends stay, other blanks are one. `environment` knows where links lead."""
    if not _HAS_MARKS.search(text):
        return text
    text = "".join(_of_piece(piece, environment) for piece in _pieces(_TEMPLATES.sub("", text)))
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))


def _pieces(text: str) -> Iterator[str]:
    at = 0
    while len(text) - at > _PIECE:
        ends = [found.end() for found in _END.finditer(text, at, at + _PIECE)]
        until = ends[-1] if ends else at + _PIECE
        yield text[at:until]
        at = until
    yield text[at:]


def _of_piece(text: str, environment: Environment) -> str:
    if len(_HAS_MARKS.findall(text)) > _MOST_MARKS:
        return shown(text)
    tokens: list[Token] = []
    parser().inline.parse(text, parser(), environment, tokens)
    ends = text[len(text.rstrip()) :]
    return "".join(map(_of_token, tokens)) + ends


def _of_token(token: Token) -> str:
    if token.type in _BREAKS:
        return "\n"
    if token.type == "html_inline":
        return "\n" if token.content.lower().startswith("<br") else ""
    if token.type == "code_inline" and not token.content.isalnum():
        # Where words of a program end is not told by blanks.
        return f"{token.markup}{token.content}{token.markup}"
    return "" if token.type == "image" else token.content
