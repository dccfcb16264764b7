"""The judge: what an asker has said and a statement in; how probably it is so, is not so, or is left open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.models.card import MODEL, read_card
from caveat.models.session import JUDGE_OUTPUTS, Session
from caveat.models.windowed_model import ReadRequest, Windowed, card_with
from caveat.models.windows import Window

if TYPE_CHECKING:
    from numpy.typing import NDArray

from caveat.models.probability import softmax

# What a judge's card says its task is.
TASK = "judge"
# Says that the statement is a text which may answer the question, and not a condition that may hold.
_YES_NO = "answer:"


class Verdict(NamedTuple):
    """Probabilities that add up to 1: of "it is so", or yes; of "it is not so", or no; and of neither."""

    entailed: float
    contradicted: float
    open: float


def premise_of(question: str, scenario: str) -> str:
    """What an asker has said, to judge a condition by; the question comes first, as a premise keeps its beginning."""
    return " ".join(f"{question} {scenario}".split())


def yes_no_premise(question: str, scenario: str) -> str:
    """The same, to be answered with yes or no from a text, which is given as the statement."""
    return f"{_YES_NO} {premise_of(question, scenario)}"


class Judge(Windowed):
    """A judge's model folder at work: a cross-encoder; the model is loaded when it first reads.

    May be used from several threads.
    """

    @classmethod
    def load(cls, folder: PathLike, *, threads: int | None = None) -> Judge:
        """The judge of a model folder."""
        card = card_with(read_card(folder), Path(folder))
        if card.task != TASK:
            raise InputError(f"the model is a {card.task}, not a judge", path=folder)
        session = Session(Path(folder) / MODEL, outputs=JUDGE_OUTPUTS, threads=threads)
        return cls(Path(folder), card, session)

    def judge(self, pairs: Iterable[tuple[str, str]]) -> list[Verdict]:
        """The verdict on each pair of a premise (`premise_of`, `yes_no_premise`) and a statement, in order."""
        return list(self.verdicts(pairs))

    def verdicts(self, pairs: Iterable[tuple[str, str]]) -> Iterator[Verdict]:
        """The same as a stream.

        A statement, or for a judge whose layout has the text first a premise, that is longer than a window is read in
        several, and the window that leaves least open counts. All pairs go through one queue, sorted by length there,
        which holds a limited number of them. Where there is nothing to read, all is open.
        """
        premise_is_text = self.layout.context_first
        requests = (
            ReadRequest(statement, premise) if premise_is_text else ReadRequest(premise, statement)
            for premise, statement in pairs
        )
        for found in self._by_request(requests, self._verdict):
            yield min(
                (verdict for _, verdict in found),
                key=lambda verdict: verdict.open,
                default=Verdict(0.0, 0.0, 1.0),
            )

    def _verdict(self, window: Window, begin: int, rows: Sequence[NDArray[np.float32]]) -> Verdict:
        logits = np.array([float(row.reshape(-1)[0]) for row in rows]) / self.card.temperature
        return Verdict(*softmax(logits).tolist())
