"""The joint reader: one pass over question and text gives spans, the kind of answer, and evidence token by token.

The kinds are those that a question may have on a text: a span, a list, yes, no, or none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caveat.core.files import PathLike
from caveat.models.card import MODEL, Card, read_card
from caveat.models.decoding import Candidate, distinct_places
from caveat.models.judge import Verdict
from caveat.models.probability import WEIGHED, log_softmax, sigmoids, softmax
from caveat.models.reader import Reader
from caveat.models.selection import Limit
from caveat.models.session import JOINT_OUTPUTS, Session
from caveat.models.windowed_model import ReadRequest
from caveat.models.windows import Window, tokens_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from caveat.models.encoding import EncodedText

# What a joint reader's card says its task is.
TASK = "joint"
# In the order of the graph's outputs.
KINDS = ("span", "list", "yes", "no", "none")
_SPAN, _LIST, _YES, _NO, _NONE = range(len(KINDS))
# The log-odds of what an older graph does not tell.
_NEVER = np.array([-np.inf], dtype=np.float32)
# The graph's outputs for the kinds come last.
_VERDICTS = -len(KINDS)


class WindowReading(NamedTuple):
    """A window of a text, as half-open characters, and the logarithm of how probable each kind of answer is there."""

    start: int
    end: int
    kinds: tuple[float, ...]


class TextReading(NamedTuple):
    """What was read of one text: its windows, the best spans, and what each token probably is.

    It may be evidence, in an answer, or in a condition that the asker has left open; what was not read has
    probability 0.
    """

    windows: tuple[WindowReading, ...] = ()
    spans: tuple[Candidate, ...] = ()
    text: EncodedText | None = None
    evidence: NDArray[np.float32] = np.zeros(0, dtype=np.float32)
    answers: NDArray[np.float32] = np.zeros(0, dtype=np.float32)
    conditions: NDArray[np.float32] = np.zeros(0, dtype=np.float32)

    def evidence_in(self, start: int, end: int) -> float:
        """How probably the tokens of these characters are evidence, on average."""
        return self._mean(self.evidence, start, end)

    def answers_in(self, start: int, end: int) -> float:
        """How probably the tokens of these characters are in an answer, on average."""
        return self._mean(self.answers, start, end)

    def conditions_in(self, start: int, end: int) -> float:
        """How probably the tokens of these characters are in a condition that is left open, on average."""
        return self._mean(self.conditions, start, end)

    def answers_of(self, start: int, end: int) -> float:
        """How many tokens of these characters are in an answer, as far as is known."""
        return float(self._tokens(self.answers, start, end).sum())

    def kinds_at(self, start: int, end: int) -> tuple[float, ...]:
        """The kinds in the window that has these characters and is surest that there is an answer."""
        holding = [window for window in self.windows if window.start <= start and end <= window.end]
        there = holding or list(self.windows)
        return min((window.kinds for window in there), key=lambda kinds: kinds[_NONE])

    def _mean(self, of: NDArray[np.float32], start: int, end: int) -> float:
        inside = self._tokens(of, start, end)
        return float(inside.mean()) if len(inside) else 0.0

    def _tokens(self, of: NDArray[np.float32], start: int, end: int) -> NDArray[np.float32]:
        """What is said of the tokens of these characters; nothing where none was read."""
        if self.text is None:
            return of[:0]
        # Arrays, which bisect reads as it reads lists.
        place = tokens_of(self.text.starts, self.text.ends, start, end)  # type: ignore[arg-type]
        return of[:0] if place is None else of[place[0] : place[1]]


class _Seen(NamedTuple):
    kinds: tuple[float, ...]
    spans: list[Candidate]
    evidence: NDArray[np.float32]
    answers: NDArray[np.float32]
    conditions: NDArray[np.float32]


class JointReader(Reader):
    """A joint reader's model folder at work: a reader of spans that also tells kinds of answer, and judges."""

    def __init__(
        self, folder: Path, card: Card, *, threads: int | None = None, limit: Limit | None = None
    ) -> None:
        super().__init__(folder, card, threads=threads, limit=limit)
        self._scorer = Session(folder / MODEL, outputs=JOINT_OUTPUTS, threads=threads)

    def read_whole(self, requests: Iterable[ReadRequest], *, count: int = WEIGHED) -> Iterator[TextReading]:
        """All that is read of each text, in order, with at most `count` spans each."""

        def look(window: Window, begin: int, rows: Sequence[NDArray[np.float32]]) -> _Seen:
            context = slice(begin, begin + window.last - window.first)
            return _Seen(
                self._kinds(rows),
                self._candidates(window, begin, rows[:2], count),
                sigmoids(rows[2][context]),
                sigmoids(rows[3][context]),
                sigmoids(rows[4][context] if len(rows) == len(JOINT_OUTPUTS) else _NEVER),
            )

        for found in self._by_request(requests, look):
            if not found:
                yield TextReading()
                continue
            text = found[0][0].text
            evidence, answers, conditions = (np.zeros(len(text), np.float32) for _ in range(3))
            windows = []
            for window, seen in found:
                part = slice(window.first, window.last)
                evidence[part] = np.maximum(evidence[part], seen.evidence)
                answers[part] = np.maximum(answers[part], seen.answers)
                conditions[part] = np.maximum(conditions[part], seen.conditions)
                first, last = int(text.starts[window.first]), int(text.ends[window.last - 1])
                windows.append(WindowReading(first, last, seen.kinds))
            spans = distinct_places((span for _, seen in found for span in seen.spans), count)
            yield TextReading(tuple(sorted(windows)), tuple(spans), text, evidence, answers, conditions)

    def judge(self, pairs: Iterable[tuple[str, str]]) -> list[Verdict]:
        """On each pair of a statement or question and a text by which it is judged, the verdict, in order.

        Of a text that is longer than a window the one counts that leaves least open; with nothing to read all is open.
        """

        def look(window: Window, begin: int, rows: Sequence[NDArray[np.float32]]) -> Verdict:
            logits = np.array([float(rows[_VERDICTS + kind].reshape(-1)[0]) for kind in (_YES, _NO, _NONE)])
            return Verdict(*softmax(logits).tolist())

        requests = (ReadRequest(judged, text) for judged, text in pairs)
        return [
            min(
                (verdict for _, verdict in found),
                key=lambda verdict: verdict.open,
                default=Verdict(0.0, 0.0, 1.0),
            )
            for found in self._by_request(requests, look)
        ]

    def _kinds(self, rows: Sequence[NDArray[np.float32]]) -> tuple[float, ...]:
        logits = np.array([float(row.reshape(-1)[0]) for row in rows[_VERDICTS:]])
        return tuple(log_softmax(logits).tolist())


def load_reader(
    folder: PathLike,
    *,
    window: int | None = None,
    stride: int | None = None,
    threads: int | None = None,
    limit: Limit | None = None,
) -> Reader:
    """The reader of a model folder, a joint one where it is one; see `Reader.load`."""
    of = JointReader if read_card(folder).task == TASK else Reader
    return of.load(folder, window=window, stride=stride, threads=threads, limit=limit)
