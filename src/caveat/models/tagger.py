"""The tagger: questions and texts in, all spans of the kinds that the model knows out, each with its probability.

A layer is a tuple of kinds whose spans never overlap each other; its columns are O, then B and I of each kind. Spans
of different layers may overlap. Every token's columns of a layer are a distribution, and a tagging is legal if an I
follows a B or an I of its own kind and if every span begins and ends where its kind may. The spans are those of the
best legal tagging. The probability of a span is the share that the taggings with exactly this span have among all legal
ones; a temperature above 1 makes it less sure of itself, without changing which tagging is best.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.models.card import MODEL, Card, read_card
from caveat.models.decoding import clause_limits, word_limits
from caveat.models.encoding import EncodedText, answer_characters
from caveat.models.probability import log_softmax
from caveat.models.selection import Limit
from caveat.models.session import TAG_OUTPUTS, Session
from caveat.models.windowed_model import ReadRequest, Windowed, card_with
from caveat.models.windows import Window

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from caveat.models.decoding import Limits

Layers = Sequence[Sequence[str]]

_NEVER = -math.inf
# Weights below this are enlarged.
_SMALL = 1e-100

# What a tagger's card says its task is.
TASK = "structure"
# The score of O in windows that are not read: no span comes from there.
_SURE = np.float32(1e4)


class TokenTag(NamedTuple):
    """A span of a kind: tokens `first` to `last`, inclusive, and its probability."""

    kind: str
    first: int
    last: int
    score: float


class _Layer(NamedTuple):
    """A layer's weights, token by token: of O, and for each kind of B, of I and of a span's ending there.

    Plain numbers are faster than arrays, one token at a time.
    """

    outside: list[float]
    kinds: list[list[list[float]]]


def column_count(layers: Layers) -> int:
    """The number of scores that a token has."""
    return sum(1 + 2 * len(kinds) for kinds in layers)


def tag_spans(
    logits: NDArray[np.float32],
    layers: Layers,
    *,
    temperature: float = 1.0,
    limits: Mapping[str, Limits] = MappingProxyType({}),
) -> list[TokenTag]:
    """The spans of the best legal tagging of every layer, layer by layer, from left to right.

    `logits` are [length, columns]; `limits` says for a kind at which tokens its spans may begin and end, where that
    is not everywhere. Time grows with length × kinds.
    """
    found: list[TokenTag] = []
    at = 0
    for kinds in layers:
        columns = logits[:, at : at + 1 + 2 * len(kinds)].astype(np.float64) / temperature
        at += 1 + 2 * len(kinds)
        if not len(columns):
            continue
        logs = log_softmax(columns)
        spans = _best(_layer(logs, kinds, limits, impossible=_NEVER, possible=0.0))
        if not spans:
            continue
        scores = _probabilities(_layer(np.exp(logs), kinds, limits, impossible=0.0, possible=1.0), spans)
        found.extend(
            TokenTag(kinds[kind], first, last, score)
            for (kind, first, last), score in zip(spans, scores, strict=True)
        )
    return found


def _layer(
    weights: NDArray[np.float64],
    kinds: Sequence[str],
    limits: Mapping[str, Limits],
    *,
    impossible: float,
    possible: float,
) -> _Layer:
    """The columns as lists, with the limits in them."""
    table = np.empty((len(weights), len(kinds), 3))
    table[:, :, :2] = weights[:, 1:].reshape(len(weights), len(kinds), 2)
    table[:, :, 2] = possible
    for number, kind in enumerate(kinds):
        if kind in limits:
            table[~limits[kind].begin, number, 0] = impossible
            table[~limits[kind].end, number, 2] = impossible
    return _Layer(weights[:, 0].tolist(), table.tolist())


def _best(layer: _Layer) -> list[tuple[int, int, int]]:
    """Kind, first and last token of every span of the best tagging, over log probabilities (Viterbi).

    Where two are equally good, silence comes before a span, and one span before two.
    """
    count = len(layer.kinds[0])
    closed = 0.0  # the best tagging of the tokens so far whose spans have all ended
    opened = [_NEVER] * count  # the best in which a span of the kind goes on to this token
    begun = [0] * count
    choices: list[tuple[int, int] | None] = []
    for at, (outside, kinds) in enumerate(zip(layer.outside, layer.kinds, strict=True)):
        best, choice = closed + outside, None
        for kind, (begin, inside, end) in enumerate(kinds):
            fresh, longer = closed + begin, opened[kind] + inside
            if fresh > longer:
                opened[kind] = longer = fresh
                begun[kind] = at
            else:
                opened[kind] = longer
            if longer + end > best:
                best, choice = longer + end, (kind, begun[kind])
        closed = best
        choices.append(choice)
    spans = []
    at = len(choices) - 1
    while at >= 0:
        if (choice := choices[at]) is not None:
            spans.append((*choice, at))
            at = choice[1]
        at -= 1
    return spans[::-1]


def _probabilities(layer: _Layer, spans: Sequence[tuple[int, int, int]]) -> list[float]:
    """How probable each span is among all legal taggings, over probabilities (forward and backward)."""
    before, after = _before(layer), _after(layer)
    total = _log(*before[-1])
    scores = []
    for kind, first, last in spans:
        own = _log(layer.kinds[first][kind][0]) + sum(
            _log(layer.kinds[at][kind][1]) for at in range(first + 1, last + 1)
        )
        scores.append(min(1.0, math.exp(_log(*before[first]) + own + _log(*after[last + 1]) - total)))
    return scores


def _before(layer: _Layer) -> list[tuple[float, float]]:
    """For every number of tokens the weight of all their taggings whose spans have all ended, and its scale."""
    closed, opened = 1.0, [0.0] * len(layer.kinds[0])
    scale = 0.0
    found = [(closed, scale)]
    for outside, kinds in zip(layer.outside, layer.kinds, strict=True):
        total = closed * outside
        for kind, (begin, inside, end) in enumerate(kinds):
            opened[kind] = weight = closed * begin + opened[kind] * inside
            total += weight * end
        closed = total
        if (most := max(closed, *opened)) < _SMALL:
            closed, opened, scale = _enlarged(most, closed, opened, scale)
        found.append((closed, scale))
    return found


def _after(layer: _Layer) -> list[tuple[float, float]]:
    """The same for the taggings of all tokens from each number on, if no span comes in from before."""
    closed, longer = 1.0, [0.0] * len(layer.kinds[0])  # longer: the token after belongs to the same span
    scale = 0.0
    found = [(closed, scale)]
    for outside, kinds in zip(reversed(layer.outside), reversed(layer.kinds), strict=True):
        total = closed * outside
        for kind, (begin, inside, end) in enumerate(kinds):
            weight = closed * end + longer[kind]
            total += begin * weight
            longer[kind] = inside * weight
        closed = total
        if (most := max(closed, *longer)) < _SMALL:
            closed, longer, scale = _enlarged(most, closed, longer, scale)
        found.append((closed, scale))
    return found[::-1]


def _enlarged(
    most: float, closed: float, others: list[float], scale: float
) -> tuple[float, list[float], float]:
    """Weights divided by their largest, so that those of a long text do not come to nothing."""
    if not most:
        return closed, others, scale
    return closed / most, [weight / most for weight in others], scale + math.log(most)


def _log(weight: float, scale: float = 0.0) -> float:
    return math.log(weight) + scale if weight > 0 else _NEVER


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
