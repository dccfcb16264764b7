"""The label of a line, 0 or 1, with the blanks around tabs that the task's guideline prints."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Generic, Protocol, TypeVar

import msgspec

from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_lines, same_lines, write_lines

LABELS = {"0": 0, "1": 1}


def without_blanks(row: list[str], label: int) -> list[str]:
    """The columns of a line; where a blank stands between its label and a tab, without the blanks around all tabs.

    Elsewhere a blank at the edge of a text is part of the text.
    """
    bare = row[label].strip(" ")
    return [column.strip(" ") for column in row] if bare in LABELS and bare != row[label] else row


class Pair(Protocol):
    """A question and one candidate; the label is 1 for a right one, 0 for a wrong one, None if not given."""

    @property
    def question(self) -> str: ...

    @property
    def label(self) -> int | None: ...


P = TypeVar("P", bound=Pair)


class CandidateGroup(msgspec.Struct, Generic[P], frozen=True):
    """A question's pairs, and the place of each among all pairs: where its score stands."""

    question: str
    pairs: tuple[P, ...]
    indices: tuple[int, ...]


def groups(pairs: Iterable[P]) -> Iterator[CandidateGroup[P]]:
    """The pairs of each question, in the order in which the questions first come.

    The files have no question ids: the task groups by identical text wherever it stands, so that two
    different questions with the same text become one. The whole file is held in memory.
    """
    members: dict[str, list[tuple[int, P]]] = {}
    for index, pair in enumerate(pairs):
        members.setdefault(pair.question, []).append((index, pair))
    for question, found in members.items():
        yield _group(question, found)


def runs(pairs: Iterable[P]) -> Iterator[CandidateGroup[P]]:
    """Neighbouring pairs with the same question, as a stream: a text that comes back later is a new group."""
    for question, found in groupby(enumerate(pairs), key=lambda item: item[1].question):
        yield _group(question, list(found))


def _group(question: str, found: list[tuple[int, P]]) -> CandidateGroup[P]:
    return CandidateGroup(question, tuple(pair for _, pair in found), tuple(index for index, _ in found))


def read_scores(path: PathLike, expected: int) -> list[float]:
    """One finite number a line, as many as there are pairs."""
    scores = []
    for number, line in read_lines(path):
        scores.append(_score(line, path, number))
    same_lines("scores", expected, len(scores), path)
    return scores


def _score(line: str, path: PathLike, number: int) -> float:
    try:
        value = float(line)
    except ValueError:
        value = math.nan
    # Python takes `1_000` for a number; nobody who writes a score does.
    if not math.isfinite(value) or "_" in line:
        raise InputError(f"expected a score, a finite number, got {line[:80]!r}", path=path, line=number)
    return value


def write_scores(path: PathLike, scores: Iterable[float]) -> None:
    """One number a line, with all its digits."""
    write_lines(path, (_digits(score, path, number) for number, score in enumerate(scores, 1)))


def _digits(score: float, path: PathLike, number: int) -> str:
    if not math.isfinite(score):
        raise InputError(f"a score must be a finite number, not {score}", path=path, line=number)
    return repr(float(score))
