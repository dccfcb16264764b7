"""Sentences of a text in pieces, with what matters in them marked, and text on one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from caveat.core.answers import Answer, Place
from caveat.core.errors import BIDI_CONTROLS
from caveat.core.records import Document, Hit
from caveat.language.sentences import sentences
from caveat.render.tree import FoundPassage, Passage, Piece, Quote
from caveat.sources.outline import element_at, introduction_of, sentence_around

Span = tuple[int, int]

# Long text beside a mark is cut to so many characters.
_LONGEST = 240
# A sentence of which so much is marked says nothing more.
_MOST_MARKED = 0.9
# Blanks of any kind become one; so do control characters, which a terminal would obey.
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
# A line that is this long was broken, and its sentence goes on in the next one.
_BROKEN_LINE = re.compile(r"(?<=[^\n]{60})([^\n])\n(?!\n)")
_TURNING = re.compile(f"[{BIDI_CONTROLS}]")


def clean(text: str, *, keep: bool = False) -> str:
    """Text on one line, harmless to a terminal, without blanks at its ends unless they are to be kept."""
    text = _TURNING.sub("", _BLANKS.sub(" ", text))
    return text if keep else text.strip()


def span_in(document: Document | None, place: Place | None) -> Span | None:
    """Where in a document a place is; None for one that has no span, or none in this document."""
    if document is None or place is None or place.start is None or place.end is None:
        return None
    return (place.start, place.end) if 0 <= place.start <= place.end <= len(document.text) else None


def quote_around(document: Document | None, place: Place | None) -> Quote | None:
    """The sentence that a place stands in, with the place marked."""
    span = span_in(document, place)
    if document is None or span is None:
        return None
    return quote(document, *sentence_around(document, *span), [span])


def quote_of(document: Document | None, place: Place, words: str) -> Quote | None:
    """What stands at a place, with the words marked if they are in it."""
    span = span_in(document, place)
    if document is None or span is None:
        return None
    start = document.text.find(words, *span) if words else -1
    return quote(document, *span, [] if start < 0 else [(start, start + len(words))])


def quote(document: Document, first: int, last: int, spans: Iterable[Span]) -> Quote:
    """What stands from `first` to `last`, with the spans in it marked.

    Long text before the first span, after the last one or between two of them is cut.
    """
    return _pieces_of(document.text, (first, last), spans)


def _pieces_of(text: str, around: Span, spans: Iterable[Span]) -> Quote:
    first, last = around
    pieces: list[Piece] = []
    at = first
    left = _length(text[first:last])
    enough = (1 - _MOST_MARKED) * left
    for start, end in _apart(spans):
        pieces += (Piece(_between(text[at:start], head=at > first)), Piece(text[start:end], True))
        at = end
        left -= _length(text[start:end])
    pieces.append(Piece(_between(text[at:last], tail=False)))
    return Quote(tuple(piece for piece in pieces if piece.text), left > enough)


def found_passage(hit: Hit) -> FoundPassage:
    """Of a passage that was found the sentences from the one that has most of what was searched for, marked."""
    text = hit.text
    several = sentences(_BROKEN_LINE.sub(r"\1 ", text)) or [(0, len(text))]

    def words_in(span: Span) -> int:
        return len({text[a:b].casefold() for a, b in hit.marked if span[0] <= a and b <= span[1]})

    first, last = max(several, key=words_in)
    # A short sentence says little by itself.
    for _, end in several:
        if last < end and end - first <= _LONGEST:
            last = end
    # The headings of rows are the names of columns.
    place = Place(hit.source)
    if hit.start is not None:
        place = Place(hit.source, hit.start + first, hit.start + last, hit.headings, hit.page)
    return FoundPassage(
        place, _pieces_of(text, (first, last), [m for m in hit.marked if first <= m[0] < last])
    )


def _length(text: str) -> int:
    """How many letters and digits a text has."""
    return sum(map(str.isalnum, text))


def _between(text: str, *, head: bool = True, tail: bool = True) -> str:
    """Text beside spans; of a long one the head, if it follows a span, and the tail, if one follows."""
    shown = clean(text, keep=True)
    if len(shown) <= _LONGEST * (head + tail):
        return text
    return f"{shown[:_LONGEST] if head else ''}…{shown[-_LONGEST:] if tail else ''}"


def _apart(spans: Iterable[Span]) -> list[Span]:
    """The spans from left to right, those that overlap as one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def passages_of(answers: Iterable[Answer], documents: Mapping[str, Document]) -> tuple[Passage, ...]:
    """The sentences that show answers which hold together, each once, under their headings, in text order."""
    spans: dict[str, list[Span]] = {}
    sentences: dict[Place, list[Span]] = {}
    for answer in _with_parts(answers):
        own = None if answer.place is None else span_in(documents.get(answer.place.source), answer.place)
        if answer.place is not None and own is not None:
            spans.setdefault(answer.place.source, []).append(own)
        conditions = (condition.place for condition in answer.conditions)
        for place in filter(None, (answer.place, *conditions, *answer.evidence)):
            under = sentences.setdefault(Place(place.source, headings=place.headings), [])
            document = documents.get(place.source)
            span = span_in(document, place)
            if document is None or span is None:
                continue
            under.append(sentence_around(document, *span))
            under += _introduction(document, span[0])
            # Evidence may be where the answer stands again.
            again = document.text.find(answer.text, *span) if place in answer.evidence else -1
            if again >= 0 and (own is None or not span[0] <= own[0] < span[1]):
                spans.setdefault(place.source, []).append((again, again + len(answer.text)))
    return tuple(
        Passage(above, tuple(_quotes(documents.get(above.source), found, spans.get(above.source, ()))))
        for above, found in sorted(sentences.items(), key=lambda item: min(item[1], default=(0, 0)))
    )


def _quotes(document: Document | None, sentences: Iterable[Span], spans: Iterable[Span]) -> Iterator[Quote]:
    if document is None:
        return
    for first, last in _apart(sentences):
        own = [span for span in spans if first <= span[0] < last]
        if _says_more(document.text, first, last, own):
            yield quote(document, first, last, own)


def _introduction(document: Document, offset: int) -> list[Span]:
    """For an item of a list the sentence that introduces the list, if there is one."""
    item = element_at(document, offset)
    introduction = None if item is None else introduction_of(document, item)
    return [] if introduction is None else [sentence_around(document, introduction.end - 1, introduction.end)]


def _with_parts(answers: Iterable[Answer]) -> Iterator[Answer]:
    for answer in answers:
        yield answer
        yield from _with_parts(answer.parts)


def _says_more(text: str, first: int, last: int, spans: Iterable[Span]) -> bool:
    """Whether a sentence has words beside the spans: an item of a list may have none."""
    for start, end in _apart(spans):
        if any(map(str.isalnum, text[first:start])):
            return True
        first = end
    return any(map(str.isalnum, text[first:last]))
