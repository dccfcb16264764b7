"""The lines of a reply's tree: an answer with its probability, a sentence with spans highlighted in it, a place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from caveat.core.errors import BIDI_CONTROLS
from caveat.core.records import Document, Place
from caveat.render.reply import percent
from caveat.render.words import Words

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["apart", "brief", "clean", "marked", "scored", "sentence", "where"]

_HIGHLIGHT = "bold reverse"
# Where nothing can be highlighted, in a pipe or a file, these stand around the answer.
_MARKS = "«", "»"
_LONGEST = 240
# Blanks of any kind become one; so do control characters, which a terminal would obey.
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_TURNING = re.compile(f"[{BIDI_CONTROLS}]")


def scored(text: str, score: float, style: str) -> Text:
    """A text and how probable it is."""
    from rich.text import Text

    return Text.assemble((clean(text), style), ("  " + percent(score), "cyan"))


def sentence(
    document: Document, first: int, last: int, spans: Iterable[tuple[int, int]], plain: bool
) -> Text:
    """What stands from `first` to `last`, with the spans in it highlighted or marked.

    Long text before the first span, after the last one or between two of them is cut.
    """
    from rich.text import Text

    shown = Text()
    at = first
    for start, end in apart(spans):
        shown.append(_between(document.text[at:start], head=at > first))
        shown.append(marked(clean(document.text[start:end]), plain))
        at = end
    shown.append(_between(document.text[at:last], tail=False).rstrip())
    # Nothing is highlighted in the blanks before the first word.
    return shown[len(shown.plain) - len(shown.plain.lstrip()) :]


def marked(text: str, plain: bool) -> Text:
    """A text highlighted, or between marks."""
    from rich.text import Text

    return Text(text.join(_MARKS)) if plain else Text(text, _HIGHLIGHT)


def apart(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans from left to right, those that overlap as one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def _between(text: str, *, head: bool = True, tail: bool = True) -> str:
    """Text beside spans; of a long one the head, if it follows a span, and the tail, if one follows."""
    text = clean(text, keep=True)
    if len(text) <= _LONGEST * (head + tail):
        return text
    return f"{text[:_LONGEST] if head else ''}…{text[-_LONGEST:] if tail else ''}"


def where(place: Place, words: Words) -> str:
    """The source, its page, and the headings over the place."""
    page = () if place.page is None else (words.page_number.format(f"{place.page:,}"),)
    return " › ".join(map(clean, (words.named(place.source), *page, *place.headings)))


def brief(text: str) -> str:
    """The beginning of a text, on one line."""
    text = clean(text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def clean(text: str, *, keep: bool = False) -> str:
    """Text on one line, harmless to a terminal, without blanks at its ends unless they are to be kept."""
    text = _TURNING.sub("", _BLANKS.sub(" ", text))
    return text if keep else text.strip()
