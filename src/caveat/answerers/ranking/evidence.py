"""Everything that speaks for a candidate, a sentence or a table: lexical evidence, and the score of a ranker if any."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Protocol, cast

import msgspec
import numpy as np

from caveat.answerers.ranking.combination import Kind
from caveat.answerers.ranking.features import Features, Floats
from caveat.answerers.ranking.sentence_features import sentence_features
from caveat.answerers.ranking.table_features import TableIndex, TableMatch
from caveat.core.errors import InputError
from caveat.core.languages import HAN
from caveat.core.records import Table
from caveat.models.log_odds import sigmoids
from caveat.models.windowed_model import ReadRequest

# About what a word-piece tokenizer makes of a text.
_PIECE = re.compile(rf"[{HAN}]|[^\W\d_{HAN}]{{1,6}}|\d{{1,3}}|[^\w\s]")
# A longer cell is cut, a third of the room at most is for the headers.
_LONGEST_CELL = 96
_HEADERS = 3


def linearise(table: Table, rows: Floats, columns: Floats, room: int) -> str:
    """The table in about `room` word pieces; `rows` and `columns` are the evidence of each (`TableMatch`)."""
    kept = _columns(table, columns, max(8, room // _HEADERS))
    frame = f"{table.caption} | {_row(table.headers, kept)}" if table.headers else table.caption
    used = pieces(frame)
    written: dict[int, str] = {}
    # Best first; of equal ones the first.
    for number in np.argsort(-rows, kind="stable").tolist():
        text = _row(table.rows[number], kept)
        cost = pieces(text) + 1
        if used + cost > room and written:
            break
        written[number] = text
        used += cost
    return " | ".join([frame, *(written[number] for number in sorted(written))])


def pieces(text: str) -> int:
    """About how many word pieces a text has."""
    return len(_PIECE.findall(text))


def _columns(table: Table, evidence: Floats, room: int) -> list[int]:
    """The columns whose headers fit into the room, those with evidence before the others, in the table's order."""
    names = [*table.headers, *[""] * (len(evidence) - len(table.headers))]
    costs = [1 + pieces(name) for name in names]
    if sum(costs) <= room:
        return list(range(len(names)))
    kept: list[int] = []
    used = 0
    for column in np.argsort(-evidence, kind="stable").tolist():
        if kept and used + costs[column] > room:
            break
        kept.append(column)
        used += costs[column]
    return sorted(kept)


def _row(cells: Sequence[str], columns: Sequence[int]) -> str:
    return ", ".join(_short(cells[column]) for column in columns if column < len(cells))


def _short(cell: str) -> str:
    return cell if len(cell) <= _LONGEST_CELL else f"{cell[: _LONGEST_CELL - 1]}…"


class CandidateList(msgspec.Struct, frozen=True):
    """Candidates, all sentences or all tables, in their order; which are right, where that is known.

    `indices` are the places of the candidates among all lines of a file.
    """

    question: str
    candidates: tuple[str, ...] | tuple[Table, ...]
    right: tuple[bool, ...] = ()
    indices: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.candidates:
            raise InputError(f"the question {self.question[:80]!r} has no candidates to rank")

    @property
    def kind(self) -> Kind:
        """What the candidates are."""
        return "tables" if isinstance(self.candidates[0], Table) else "sentences"


# The columns of a ranker's scores: log-odds, and the same as a probability.
BY_RANKER = ("ranker", "probability by the ranker")
# Special tokens around question and candidate.
_SPECIALS = 4
# A table is never written in less.
_LEAST_ROOM = 16
# A neighbour longer than this is cut on its far side.
_NEIGHBOUR = 80


class PairScorer(Protocol):
    """What scores a question and a text: a `caveat.models.ranker.Ranker`, or an encoder of texts one by one."""

    @property
    def neighbours(self) -> int:
        """Sentences on each side that it wants to read with each sentence."""
        ...

    @property
    def window(self) -> int:
        """Tokens that it reads at once, those of the question included."""
        ...

    def score(self, pairs: Iterable[ReadRequest]) -> Iterator[float]:
        """A score a pair, in order."""
        ...


class Evidence:
    """Evidence for lists of candidates; a table's words are kept for the next question."""

    def __init__(self) -> None:
        self._index = TableIndex()

    def of(
        self, lists: Iterable[CandidateList], scorer: PairScorer | None = None
    ) -> Iterator[tuple[CandidateList, Features]]:
        """Every list with the features of its candidates, in order, as a stream."""
        if scorer is None:
            for each in lists:
                yield each, self.describe(each)[0]
            return
        # The scorer reads ahead as far as its queue is long.
        waiting: deque[tuple[CandidateList, Features]] = deque()

        def pairs() -> Iterator[ReadRequest]:
            for each in lists:
                features, written = self.describe(each, scorer.window, scorer.neighbours)
                waiting.append((each, features))
                for place in range(len(each.candidates)):
                    yield ReadRequest(each.question, written(place))

        scores = scorer.score(pairs())
        for first in scores:
            each, features = waiting.popleft()
            found = np.array([first, *islice(scores, len(each.candidates) - 1)])
            columns = (found, sigmoids(found))
            yield each, features.with_columns(dict(zip(BY_RANKER, columns, strict=True)))

    def describe(
        self, of: CandidateList, window: int = 0, neighbours: int = 0
    ) -> tuple[Features, Callable[[int], str]]:
        """The lexical evidence for a list, and what is to be read of each candidate, by its place, in such windows."""
        if of.kind == "sentences":
            sentences = cast("tuple[str, ...]", of.candidates)
            return sentence_features(of.question, sentences), partial(with_neighbours, sentences, neighbours)
        tables = cast("tuple[Table, ...]", of.candidates)
        match = TableMatch(of.question, [self._index.words(table) for table in tables], self._index)
        room = max(_LEAST_ROOM, window - pieces(of.question) - _SPECIALS)

        def written(place: int) -> str:
            return linearise(tables[place], match.row_evidence(place), match.column_evidence(place), room)

        return match.features(), written


def with_neighbours(sentences: Sequence[str], count: int, place: int) -> str:
    """A sentence, then what stands before it and behind it, parted by bars."""
    if not count:
        return sentences[place]
    before = " ".join(sentences[max(0, place - count) : place])[-_NEIGHBOUR * count :]
    behind = " ".join(sentences[place + 1 : place + 1 + count])[: _NEIGHBOUR * count]
    return f"{sentences[place]} | {before} | {behind}"
