"""The spans of a text among its tokens, marked or not, the pairs of them, and the windows that show these.

What the places of two spans say of whether they belong together is given as codes that a network looks up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caveat.answerers.documents.structure.spans import KINDS, Integers, Layout, Span, lay_out
from caveat.models.encoding import EncodedText, encode_question, encode_text
from caveat.models.windows import Window, even_windows, tokens_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer


# Upper bounds of the classes into which distances fall, in tokens and in characters.
_GAPS = np.array([0, 1, 2, 3, 5, 8, 12, 18, 26, 40, 60, 100, 200])
# This many spans of a kind between two others, and more, count alike.
_MANY = 4

# The kinds of both, their order, both distances, the spans of each kind between them, and the sentence.
_SIZES = np.array([3, 3, len(_GAPS) + 1, len(_GAPS) + 1, *[_MANY + 1] * len(KINDS), 2])
_BEFORE, _OVERLAPPING, _AFTER = range(3)

FEATURES = int(_SIZES.sum())
"""How many codes there are: every feature has its own."""

MARKERS = 2 * len(KINDS)
"""A begin and an end for each kind, in the order of `KINDS`."""


def legal_pairs(kind: Integers) -> Integers:
    """Heads and tails, [pairs, 2]: every condition with every answer, every coarse answer with every fine one."""
    return np.stack(np.nonzero(kind[:, None] < kind), axis=1)


def pair_features(layout: Layout, first: Integers, last: Integers, pairs: Integers) -> Integers:
    """The codes of pairs of spans, [pairs, features]; `first` and `last` are the spans' own tokens."""
    head, tail = pairs.T
    start, end = layout.start, layout.end
    order = np.select(
        [end[head] <= start[tail], end[tail] <= start[head]], [_BEFORE, _AFTER], default=_OVERLAPPING
    )
    left, right = np.where(order == _AFTER, (tail, head), (head, tail))
    columns = [
        # Kinds are 0, 1 and 2: condition and coarse, condition and fine, coarse and fine make 0, 1 and 2.
        layout.kind[head] + layout.kind[tail] - 1,
        order,
        _class(first[right] - last[left] - 1),
        _class(start[right] - end[left]),
        *(_between(start[layout.kind == kind], end[left], start[right]) for kind in range(len(KINDS))),
        layout.sentence[head] == layout.sentence[tail],
    ]
    codes: Integers = np.stack(columns, axis=1) + np.cumsum(_SIZES) - _SIZES
    return codes


def _class(gap: Integers) -> Integers:
    return np.searchsorted(_GAPS, gap)


def _between(starts: Integers, low: Integers, high: Integers) -> Integers:
    """How many of the starts, which ascend, are from `low` to `high`, exclusive; none of spans that overlap."""
    return np.clip(np.searchsorted(starts, high) - np.searchsorted(starts, low), 0, _MANY)


class SpanText(NamedTuple):
    """A question and its text as tokens, and the pairs of its spans that may belong together."""

    question: NDArray[np.int32]
    # With markers among the tokens where they are wanted.
    text: EncodedText
    # From left to right, each once; those without a token are left out.
    spans: list[Span]
    # The first and the last token of each, its markers where there are any.
    first: Integers
    last: Integers
    # Indices of head and tail, and what is known of both.
    pairs: Integers
    features: Integers


class PairSample(NamedTuple):
    """A window of a text with the pairs whose spans are both whole in it."""

    window: Window
    # The tokens of all spans, counted from the window's first; those of spans outside it mean nothing.
    first: Integers
    last: Integers
    # The numbers of its pairs among those of the text, and the pairs.
    numbers: Integers
    pairs: Integers
    features: Integers

    @property
    def length(self) -> int:
        """Tokens of question and context."""
        return self.window.length


def encode_spans(
    tokenizer: Tokenizer,
    context: str,
    spans: Iterable[Span],
    question: str,
    *,
    max_question_tokens: int,
    markers_from: int | None = None,
) -> SpanText:
    """A text with its spans; `markers_from` is the id of the first marker, None for none."""
    layout = lay_out(context, spans)
    text = encode_text(tokenizer, context)
    starts, ends = text.starts.tolist(), text.ends.tolist()
    found = {span: place for span in layout.spans if (place := tokens_of(starts, ends, span.start, span.end))}
    if len(found) < len(layout.spans):
        # A span all of whose characters are such as the tokenizer drops has no state to decide from.
        layout = lay_out(context, found)
    tokens = np.array([found[span] for span in layout.spans], np.int64).reshape(-1, 2)
    first, last = tokens[:, 0], tokens[:, 1] - 1
    pairs = legal_pairs(layout.kind)
    features = pair_features(layout, first, last, pairs)
    if markers_from is not None:
        text, first, last = with_markers(text, layout.spans, tokens, markers_from)
    asked = encode_question(tokenizer, question, max_question_tokens)
    return SpanText(asked, text, layout.spans, first, last, pairs, features)


def with_markers(
    text: EncodedText, spans: Sequence[Span], tokens: Integers, markers_from: int
) -> tuple[EncodedText, Integers, Integers]:
    """The text with a marker before and behind each span, and where the two stand; `spans` are in order.

    Where several stand together, ends come before beginnings, and a span within another is marked within its markers.
    """
    placed = []
    for number, (span, (begin, end)) in enumerate(zip(spans, tokens.tolist(), strict=True)):
        marker = markers_from + 2 * KINDS.index(span.kind)
        placed.append((begin, 1, number, marker, span.start))
        placed.append((end, 0, -number, marker + 1, span.end))
    placed.sort()
    before, is_begin, numbers, ids, characters = np.array(placed, np.int64).reshape(-1, 5).T
    # Each marker moves what stands behind it by one, the markers among it.
    places = before + np.arange(len(placed))
    first, last = np.empty(len(spans), np.int64), np.empty(len(spans), np.int64)
    first[numbers[is_begin == 1]] = places[is_begin == 1]
    last[-numbers[is_begin == 0]] = places[is_begin == 0]
    marked = EncodedText(
        text.text,
        np.insert(text.ids, before, ids),
        np.insert(text.starts, before, characters),
        np.insert(text.ends, before, characters),
    )
    return marked, first, last


def windows_of(text: SpanText, room: int, stride: int) -> Iterator[PairSample]:
    """The windows of at most `room` tokens that have pairs to decide, each pair in the first that shows it whole.

    One where question and text fit into it; pairs that are farther apart than a window are in none.
    """
    left = np.ones(len(text.pairs), bool)
    if not len(left):
        return
    for first, last in even_windows(len(text.text), max(1, room - len(text.question)), stride):
        whole = (text.first >= first) & (text.last < last)
        here = left & whole[text.pairs].all(axis=1)
        if here.any():
            yield PairSample(
                Window(0, text.question, text.text, first, last),
                np.clip(text.first - first, 0, last - first - 1),
                np.clip(text.last - first, 0, last - first - 1),
                np.flatnonzero(here),
                text.pairs[here],
                text.features[here],
            )
            left &= ~here
