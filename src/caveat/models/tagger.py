"""The tagger: questions and texts in, all spans of the kinds that the model knows out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.models.batching import Window
from caveat.models.boundaries import clause_limits, word_limits
from caveat.models.card import MODEL, Card, read_card
from caveat.models.encoding import EncodedText, answer_characters
from caveat.models.selection import Limit
from caveat.models.session import TAG_OUTPUTS, Session
from caveat.models.tagging import column_count, tag_spans
from caveat.models.windowed import ReadRequest, Windowed, card_with

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TASK", "TagResult", "TaggedSpan", "Tagger", "TokenScores", "typed_spans"]

# What a tagger's card says its task is.
TASK = "structure"
# The score of O in windows that are not read: no span comes from there.
_SURE = np.float32(1e4)


class TaggedSpan(msgspec.Struct, frozen=True):
    """A span of a kind; `text` is the text's `start:end`, the score is its probability."""

    kind: str
    text: str
    start: int
    end: int
    score: float


class TagResult(msgspec.Struct, frozen=True):
    """The spans of a text from left to right, of those that begin together the widest first."""

    spans: tuple[TaggedSpan, ...] = ()


class TokenScores(msgspec.Struct, frozen=True, eq=False):
    """A text and its logits, [tokens, columns]."""

    text: EncodedText
    logits: NDArray[np.float32]


class Tagger(Windowed):
    """A tagger's model folder at work; construction is light, the model is loaded when it first reads.

    May be used from several threads.
    """

    @classmethod
    def load(
        cls,
        folder: PathLike,
        *,
        window: int | None = None,
        stride: int | None = None,
        threads: int | None = None,
        limit: Limit | None = None,
    ) -> Tagger:
        """The tagger of a model folder; what is given here replaces what its card says.

        With a limit, of a long text only those windows are read that share most with the question.
        """
        folder = Path(folder)
        card = read_card(folder)
        if card.task != TASK:
            raise InputError(f"a model for {card.task!r}, expected one for {TASK!r}", path=folder)
        card = card_with(card, folder, window=window, stride=stride)
        session = Session(folder / MODEL, outputs=TAG_OUTPUTS, threads=threads)
        return cls(folder, card, session, limit=limit)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of span that it finds, layer by layer."""
        return tuple(kind for kinds in self.card.layers for kind in kinds)

    def tag(self, requests: Iterable[ReadRequest]) -> Iterator[TagResult]:
        """A result a request, in order; no spans where question or text is empty."""
        for scores in self.token_scores(requests):
            yield TagResult(typed_spans(scores, self.card) if scores else ())

    def token_scores(self, requests: Iterable[ReadRequest]) -> Iterator[TokenScores | None]:
        """The logits of each request's text, in order; None where question or text is empty.

        Where windows overlap, a token's scores are those of the window in which it is farther from the edge at
        which the two are cut, so that it has context on both sides; the spans are then found in the text as a whole.
        """
        for found in self._by_request(requests, self._context):
            yield self._joined(found) if found else None

    def _context(
        self, window: Window, begin: int, rows: Sequence[NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        logits = rows[0][begin : begin + window.last - window.first]
        if logits.ndim != 2 or logits.shape[1] != column_count(self.card.layers):
            raise InputError(
                f"the graph has not the {column_count(self.card.layers)} columns that the layers on the card need",
                path=self.folder / MODEL,
            )
        return logits

    def _joined(self, found: Sequence[tuple[Window, NDArray[np.float32]]]) -> TokenScores:
        text = found[0][0].text
        ordered = sorted(found, key=lambda item: item[0].first)
        windows = [(window.first, window.last) for window, _ in ordered]
        if windows == [(0, len(text))]:
            return TokenScores(text, ordered[0][1])
        logits = np.zeros((len(text), column_count(self.card.layers)), dtype=np.float32)
        outside = np.cumsum([0, *(1 + 2 * len(kinds) for kinds in self.card.layers[:-1])])
        logits[:, outside] = _SURE
        for (first, last), (window, scores) in zip(_decided(windows), ordered, strict=True):
            logits[first:last] = scores[first - window.first : last - window.first]
        return TokenScores(text, logits)


def _decided(windows: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The tokens that each window decides: neighbours part in the middle of what they share."""
    begin = windows[0][0]
    for (_, last), (first, _) in pairwise(windows):
        middle = (first + last) // 2
        yield begin, min(middle, last)
        begin = max(middle, first)
    yield begin, windows[-1][1]


def typed_spans(
    scores: TokenScores, card: Card, *, temperature: float | None = None
) -> tuple[TaggedSpan, ...]:
    """The spans of a text with the card's layers and limits and, where no other is given, its temperature."""
    text = scores.text
    words = word_limits(text)
    clauses = clause_limits(text) if card.clause_kinds else words
    limits = {
        kind: clauses if kind in card.clause_kinds else words for kinds in card.layers for kind in kinds
    }
    found = []
    for tag in tag_spans(
        scores.logits, card.layers, temperature=temperature or card.temperature, limits=limits
    ):
        start, end = answer_characters(text, tag.first, tag.last)
        if start < end:
            found.append(TaggedSpan(tag.kind, text.text[start:end], start, end, tag.score))
    return tuple(sorted(found, key=lambda span: (span.start, -span.end)))
