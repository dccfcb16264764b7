"""What of the documents a model reads: the reader's windows, the tagger's passage."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from caveat.core.records import Document, Question
from caveat.language.sentences import sentences
from caveat.models.reader import Reader
from caveat.models.selection import Chosen, Limit
from caveat.models.windowed_model import ReadRequest
from caveat.sources.outline import heading_level, sentence_around
from caveat.sources.plain_text import parse_plain_text

# With 8 windows of 256 tokens 98 of 100 answers on real pages are read (docs/results/field.md).
_LIMIT = Limit(few=8, margin=None)


def window_requests(reader: Reader, question: Question, documents: Sequence[Document]) -> list[ReadRequest]:
    """Each document with its windows that are worth reading among those of all the documents."""
    chosen = reader.choose(question.text, [document.text for document in documents])
    return list(map(partial(_request, question.text), documents, chosen))


def page_requests(reader: Reader, question: Question, documents: Sequence[Document]) -> list[ReadRequest]:
    """The same for a reader whose spans are weighed afterwards: what a window shares with the question counts then.

    What the asker says takes part in the search, and is read with the question.
    """
    asked = asked_with_scenario(question)
    limit = None if reader.limit is None else _LIMIT
    chosen = reader.choose(asked, [document.text for document in documents], limit)
    alike = [tuple(window._replace(behind=0.0) for window in windows) for windows in chosen]
    return list(map(partial(_request, asked), documents, alike))


def asked_with_scenario(question: Question) -> str:
    """A question and what the asker says, as a joint reader is trained to read them."""
    return f"{question.text} {question.scenario}".strip()


def _request(question: str, document: Document, windows: tuple[Chosen, ...]) -> ReadRequest:
    """A model sees a text as one line, but an answer stands in one element, and a heading is none unless all are."""
    elements = [each for each in document.elements if not heading_level(each)] or document.elements
    parts = tuple((each.start, each.end) for each in elements) or None
    return ReadRequest(question, document.text, windows, parts)


# Roughly, of English; an ideograph, or another character that is not ASCII, is a token of its own.
_CHARACTERS_OF_A_TOKEN = 4


def passage_around(document: Document, start: int, end: int, tokens: int) -> tuple[int, int]:
    """The half-open span of the elements that `start:end` stands in and of their neighbours, up to about `tokens`.

    It grows on both sides by whole elements, never beyond a heading. An element that is longer by itself is cut
    between sentences; a text without elements is taken for plain text.
    """
    # What is farther away is more than `tokens` away.
    reach = _CHARACTERS_OF_A_TOKEN * tokens
    if not document.elements:
        low, high = max(0, start - reach), end + reach
        plain = parse_plain_text(document.text[low:high])
        if not plain.elements:
            return start, end
        first, last = passage_around(plain, start - low, end - low, tokens)
        return first + low, last + low

    text, elements = document.text, document.elements
    first_at = bisect_right(elements, start, key=lambda element: element.end)
    last_at = bisect_left(elements, end, key=lambda element: element.start) - 1
    if first_at > last_at:  # beside all elements
        return sentence_around(document, start, end)
    first, last = min(start, elements[first_at].start), max(end, elements[last_at].end)
    if _tokens(text[first:last]) > tokens:
        return _sentences_around(text, start, end, max(first, start - reach), min(last, end + reach), tokens)
    if any(map(heading_level, elements[first_at : last_at + 1])):
        return first, last

    def edges(indices: Iterable[int]) -> Iterator[int]:
        for index in indices:
            if heading_level(elements[index]):
                return
            yield elements[index].start if index < first_at else elements[index].end

    before, after = range(first_at - 1, -1, -1), range(last_at + 1, len(elements))
    return _grown(text, first, last, edges(before), edges(after), tokens)


def _sentences_around(text: str, start: int, end: int, low: int, high: int, tokens: int) -> tuple[int, int]:
    """The same with the sentences of `low:high`; a single one may be longer than `tokens`."""
    found = [(low + first, low + last) for first, last in sentences(text[low:high])]
    own = [span for span in found if span[0] < end and start < span[1]]
    if not own:
        return start, end
    first, last = min(start, own[0][0]), max(end, own[-1][1])
    before = (span[0] for span in reversed(found) if span[1] <= first)
    after = (span[1] for span in found if span[0] >= last)
    return _grown(text, first, last, before, after, tokens)


def _grown(
    text: str, start: int, end: int, before: Iterator[int], after: Iterator[int], tokens: int
) -> tuple[int, int]:
    """`start:end` made wider to the edges on both sides in turn, on each until the next would be too far."""
    sides = [before, after]
    while sides:
        for side in tuple(sides):
            edge = next(side, None)
            if edge is None or _tokens(text[min(start, edge) : max(end, edge)]) > tokens:
                sides.remove(side)
            else:
                start, end = min(start, edge), max(end, edge)
    return start, end


def _tokens(text: str) -> int:
    """About how many tokens a text has; no model need be loaded for it."""
    ascii_characters = len(text.encode("ascii", "ignore"))
    return len(text) - ascii_characters + ascii_characters // _CHARACTERS_OF_A_TOKEN
