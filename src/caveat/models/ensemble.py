"""Several readers as one: their scores are averaged, those of another tokenizer at the same characters.

The first reader's windows and tokens are those of the ensemble, and so are its card's temperature and threshold. Each
score is a log-odds against "no answer" in its reader's own window. What another reader says of a token is what it says
of its own token that has the same first character (start) or the same last one (end); where none has the character, a
blank that it drops, the next one inwards is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec
import numpy as np

from caveat.core.errors import UsageError
from caveat.models.reader import Reader, TextScores
from caveat.models.windowed_model import ReadRequest
from caveat.models.windows import Window

if TYPE_CHECKING:
    from numpy.typing import NDArray

Edge = Literal["start", "end"]


def token_at(
    starts: NDArray[np.int32], ends: NDArray[np.int32], characters: NDArray[np.int32], edge: Edge
) -> NDArray[np.int64]:
    """For each character the token that has it or, where none has, the next after it (start) or before it (end)."""
    found = (
        np.searchsorted(ends, characters, side="right")
        if edge == "start"
        else np.searchsorted(starts, characters, side="right") - 1
    )
    return np.clip(found, 0, len(starts) - 1)


def carried(
    mass: NDArray[np.float32],
    characters: NDArray[np.int32],
    starts: NDArray[np.int32],
    ends: NDArray[np.int32],
    edge: Edge,
) -> NDArray[np.float32]:
    """Mass at characters as mass of tokens: none is lost, and that of several characters of a token is added."""
    places = token_at(starts, ends, characters, edge)
    return np.bincount(places, weights=mass, minlength=len(starts)).astype(np.float32)


Found = TypeVar("Found")
# Requests that all readers have read before the next are taken.
_TOGETHER = 64


class Ensemble(Reader):
    """Readers that answer together; used as one of them is."""

    def __init__(self, readers: Sequence[Reader]) -> None:
        if not readers:
            raise UsageError("An ensemble needs at least one reader.")
        first, *self._others = readers
        super().__init__(first.folder, first.card, limit=first.limit)
        self._scorer = first._scorer

    def _by_request(
        self,
        requests: Iterable[ReadRequest],
        look: Callable[[Window, int, Sequence[NDArray[np.float32]]], Found],
    ) -> Iterator[list[tuple[Window, Found]]]:
        coming = iter(requests)
        while part := list(islice(coming, _TOGETHER)):
            # Windows that were chosen are of the first reader's tokens; the others read the whole text.
            whole = [msgspec.structs.replace(request, windows=None) for request in part]
            others = [list(reader.scores(whole)) for reader in self._others]

            def mixed(
                window: Window,
                begin: int,
                rows: Sequence[NDArray[np.float32]],
                others: list[list[TextScores | None]] = others,
            ) -> Found:
                found = [scores for each in others if (scores := each[window.request]) is not None]
                return look(window, begin, self._averaged(window, begin, rows, found))

            yield from super()._by_request(part, mixed)

    def _averaged(
        self,
        window: Window,
        begin: int,
        rows: Sequence[NDArray[np.float32]],
        others: Sequence[TextScores],
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Rows as the first reader's, with 0 for "no answer"."""
        own = self._against_null(rows, begin, window.last - window.first)
        part = slice(window.first, window.last)
        starts, lasts = window.text.starts[part], window.text.ends[part] - 1
        told = [own]
        for scores in others:
            text = scores.text
            told.append(
                (
                    scores.starts[token_at(text.starts, text.ends, starts, "start")],
                    scores.ends[token_at(text.starts, text.ends, lasts, "end")],
                )
            )
        padding = np.zeros(begin, dtype=np.float32)
        first, second = (
            np.concatenate([padding, np.mean([each[edge] for each in told], axis=0, dtype=np.float32)])
            for edge in (0, 1)
        )
        return first, second
