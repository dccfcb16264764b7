"""The spans of a text among its tokens, marked or not, the pairs of them, and the windows that show these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caveat.answerers.documents.structure.layout import Integers, lay_out
from caveat.answerers.documents.structure.spans import KINDS, Span
from caveat.models.encoding import EncodedText, encode_question, encode_text
from caveat.models.windows import Window, even_windows, tokens_of
from caveat.training.kinds.relations.pair_features import legal_pairs, pair_features

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

__all__ = ["MARKERS", "PairSample", "SpanText", "encode_spans", "windows_of", "with_markers"]

MARKERS = 2 * len(KINDS)
"""A begin and an end for each kind, in the order of `KINDS`."""


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
