"""The reader: questions and texts in, the most probable spans of each text out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from caveat.core.files import PathLike
from caveat.language.sentences import sentences
from caveat.models.card import MODEL, Card, read_card
from caveat.models.decoding import Candidate, best_spans, distinct_places
from caveat.models.encoding import EncodedText, answer_characters
from caveat.models.probability import WEIGHED, Weighed, weigh
from caveat.models.selection import BEHIND, Limit, worth
from caveat.models.session import Session
from caveat.models.windowed_model import ReadRequest, Windowed, card_with
from caveat.models.windows import Window

if TYPE_CHECKING:
    from numpy.typing import NDArray


class ReadResult(msgspec.Struct, frozen=True):
    """The best spans of a text, best first, no two of which overlap; none where question or text is empty."""

    candidates: tuple[Candidate, ...] = ()


class TextScores(msgspec.Struct, frozen=True):
    """What a reader says of every token of a text as the answer's first and last: log-odds against "no answer"."""

    text: EncodedText
    starts: NDArray[np.float32]
    ends: NDArray[np.float32]


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
                overlap = SentenceOverlap(windows[0].question, windows[0].text, parts)
                candidates = overlap.penalised(candidates, self.card.lacking)
            yield ReadResult(tuple(distinct_places(candidates, count)))

    def scores(self, requests: Iterable[ReadRequest]) -> Iterator[TextScores | None]:
        """The scores of all tokens, a text a request, in order; of two windows the higher. None where none is read."""

        def look(
            window: Window, begin: int, rows: Sequence[NDArray[np.float32]]
        ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            return self._against_null(rows, begin, window.last - window.first)

        for found in self._by_request(requests, look):
            if not found:
                yield None
                continue
            text = found[0][0].text
            starts, ends = (np.full(len(text), -np.inf, dtype=np.float32) for _ in range(2))
            for window, (start, end) in found:
                part = slice(window.first, window.last)
                starts[part] = np.maximum(starts[part], start)
                ends[part] = np.maximum(ends[part], end)
            yield TextScores(text, starts, ends)

    def _against_null(
        self, rows: Sequence[NDArray[np.float32]], begin: int, length: int
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Start and end scores of a window's context, less those of "no answer" where the model has it."""
        starts, ends, *_ = rows
        context = slice(begin, begin + length)
        if self.card.null == "none":
            return starts[context], ends[context]
        null = self.layout.whole
        return starts[context] - starts[null], ends[context] - ends[null]

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
        starts, ends, *_ = rows
        whole = self.layout.whole
        null = float(starts[whole]) + float(ends[whole]) if self.card.null == "cls" else 0.0
        against = null + BEHIND * window.behind
        context = slice(begin, begin + window.last - window.first)
        candidates = []
        parts = None if window.parts is None else window.parts[window.first : window.last]
        for span in best_spans(starts[context], ends[context], self.card.max_answer_tokens, count, parts):
            start, end = answer_characters(window.text, window.first + span.first, window.first + span.last)
            if start < end:
                candidates.append(Candidate(window.text.text[start:end], start, end, span.score - against))
        return candidates


class SentenceOverlap:
    """The sentences of the parts of a text that are read, and how far the worth of each is behind the best one's.

    Windows are chosen by the words that they share with the question (`selection`); within what is read, a small
    network still answers from a sentence that has nothing to do with the question more often than it should. How much
    that counts against a span is on the model's card, fitted on held-out questions, and 0 for a network that has no use
    for it.
    """

    def __init__(
        self, question: NDArray[np.int32], text: EncodedText, parts: Iterable[tuple[int, int]]
    ) -> None:
        """`parts` are half-open ranges of the text's tokens, in any order; those that overlap are read as one."""
        self._starts: list[int] = []
        ranges: list[tuple[int, int]] = []
        for first, last in _united(parts):
            begin, end = int(text.starts[first]), int(text.ends[last - 1])
            for start, stop in sentences(text.text[begin:end]):
                bounds: Any = np.searchsorted(text.starts, (begin + start, begin + stop))
                if bounds[0] < bounds[1]:
                    self._starts.append(begin + start)
                    ranges.append((int(bounds[0]), int(bounds[1])))
        worths = worth(question, [(text.ids, ranges)])
        self._behind: list[float] = (worths.max(initial=0.0) - worths).tolist()

    def at(self, character: int) -> float:
        """How far the sentence with this character is behind."""
        if not self._behind:
            return 0.0
        return self._behind[max(0, bisect_right(self._starts, character) - 1)]

    def penalised(self, candidates: Iterable[Candidate], weight: float) -> list[Candidate]:
        """The candidates less what their sentences lack of the question, times the weight; best first."""
        penalised = [
            msgspec.structs.replace(each, score=each.score - weight * self.at(each.start))
            for each in candidates
        ]
        return sorted(penalised, key=lambda each: (-each.score, each.start, each.end))


def _united(parts: Iterable[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """Ranges that overlap or touch as one, in order."""
    united: list[tuple[int, int]] = []
    for first, last in sorted(part for part in parts if part[0] < part[1]):
        if united and first <= united[-1][1]:
            united[-1] = (united[-1][0], max(last, united[-1][1]))
        else:
            united.append((first, last))
    return united
