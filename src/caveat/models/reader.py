"""The reader: questions and texts in, the most probable spans of each text out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from caveat.core.files import PathLike
from caveat.models.batching import Window
from caveat.models.card import MODEL, Card, read_card
from caveat.models.decoding import Candidate, best_spans, distinct_places
from caveat.models.encoding import answer_characters
from caveat.models.probability import WEIGHED, Weighed, weigh
from caveat.models.selection import BEHIND, Limit, SentenceGaps
from caveat.models.session import Session
from caveat.models.windowed import ReadRequest, Windowed, card_with

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ReadRequest", "ReadResult", "Reader"]


class ReadResult(msgspec.Struct, frozen=True):
    """The best spans of a text, best first, no two of which overlap; none where question or text is empty."""

    candidates: tuple[Candidate, ...] = ()


class Reader(Windowed):
    """A reader's model folder at work; construction is light, the model is loaded when it first reads.

    May be used from several threads.
    """

    def __init__(
        self, folder: Path, card: Card, *, threads: int | None = None, limit: Limit | None = None
    ) -> None:
        super().__init__(folder, card, Session(folder / MODEL, threads=threads), limit=limit)

    @classmethod
    def load(
        cls,
        folder: PathLike,
        *,
        window: int | None = None,
        stride: int | None = None,
        max_answer_tokens: int | None = None,
        threads: int | None = None,
        limit: Limit | None = None,
    ) -> Reader:
        """The reader of a model folder; what is given here replaces what its card says.

        With a limit, of a long text only those windows are read that share most with the question.
        """
        card = card_with(
            read_card(folder),
            Path(folder),
            window=window,
            stride=stride,
            max_answer_tokens=max_answer_tokens,
        )
        return cls(Path(folder), card, threads=threads, limit=limit)

    def read(self, requests: Iterable[ReadRequest], *, count: int = WEIGHED) -> Iterator[ReadResult]:
        """A result a request, in order, with at most `count` spans each.

        The windows of all requests go through one queue, which holds a limited number of them, however many
        requests there are and however long the texts.
        """

        # Where sentences are compared, a lower one of a window may come to be its best.
        each = max(count, WEIGHED) if self.card.lacking else count

        def look(window: Window, begin: int, rows: Sequence[NDArray[np.float32]]) -> list[Candidate]:
            return self._candidates(window, begin, rows, each)

        for found in self._by_request(requests, look):
            candidates = [candidate for _, several in found for candidate in several]
            if self.card.lacking and candidates:
                windows = [window for window, _ in found]
                parts = ((window.first, window.last) for window in windows)
                gaps = SentenceGaps(windows[0].question, windows[0].text, parts)
                candidates = gaps.adjusted(candidates, self.card.lacking)
            yield ReadResult(tuple(distinct_places(candidates, count)))

    def weigh(self, results: Sequence[ReadResult]) -> Weighed:
        """The results of one question on several texts as answers with the card's calibrated probabilities."""
        return weigh(
            [result.candidates for result in results],
            temperature=self.card.temperature,
            none_at=self.card.none_at,
        )

    def _candidates(
        self, window: Window, begin: int, rows: Sequence[NDArray[np.float32]], count: int
    ) -> list[Candidate]:
        """The best spans of a window."""
        starts, ends = rows
        null = float(starts[0]) + float(ends[0]) if self.card.null == "cls" else 0.0
        against = null + BEHIND * window.behind
        context = slice(begin, begin + window.last - window.first)
        candidates = []
        for span in best_spans(starts[context], ends[context], self.card.max_answer_tokens, count):
            start, end = answer_characters(window.text, window.first + span.first, window.first + span.last)
            if start < end:
                candidates.append(Candidate(window.text.text[start:end], start, end, span.score - against))
        return candidates
