"""The ranker: questions and candidates in, a score a pair out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.models.card import MODEL, read_card
from caveat.models.session import RANK_OUTPUTS, Session
from caveat.models.windowed_model import ReadRequest, Windowed, card_with
from caveat.models.windows import Window

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# What a ranker's card says its task is.
TASK = "ranker"
# The score of a pair with nothing to read; a network's are log-odds, far above it.
EMPTY = -30.0


class Ranker(Windowed):
    """A ranker's model folder at work: a cross-encoder; the model is loaded when it first reads.

    May be used from several threads.
    """

    @classmethod
    def load(cls, folder: PathLike, *, threads: int | None = None) -> Ranker:
        """The ranker of a model folder."""
        card = card_with(read_card(folder), Path(folder))
        if card.task != TASK:
            raise InputError(f"the model is a {card.task}, not a ranker", path=folder)
        session = Session(Path(folder) / MODEL, outputs=RANK_OUTPUTS, threads=threads)
        return cls(Path(folder), card, session)

    @property
    def neighbours(self) -> int:
        """Sentences on each side that it reads with each sentence."""
        return self.card.neighbours

    @property
    def window(self) -> int:
        """Tokens that it reads at once."""
        return self.card.window

    def score(self, pairs: Iterable[ReadRequest]) -> Iterator[float]:
        """The score of each pair, in order, as a stream.

        A candidate that is longer than a window is read in several, and its best window counts. All pairs go through
        one queue, sorted by length there, which holds a limited number of them.
        """
        for found in self._by_request(pairs, self._score):
            yield max((score for _, score in found), default=EMPTY)

    def _score(self, window: Window, begin: int, rows: Sequence[NDArray[np.float32]]) -> float:
        return float(rows[0].reshape(-1)[0])
