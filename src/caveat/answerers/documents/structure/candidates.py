"""Which spans may be the head of an answer, and which answers are listed in one breath."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from caveat.answerers.documents.structure.layout import Booleans, Integers, Layout

__all__ = ["COARSE", "COLUMNS", "CONDITION", "FINE", "Candidates", "find_candidates"]

# As in `KINDS`.
CONDITION, COARSE, FINE = range(3)

# None, and of each kind the nearest that begin before the answer and the nearest after it. In CMQA the nearest
# before is the head of 99 % of the answers that hang on a condition and of 89 % of those that hang on a coarse
# answer; the nearest coarse answer after is that of 9 %; 5 of 11,048 heads are not among these.
COLUMNS: tuple[tuple[int, int], ...] = (
    (-1, 0),
    *((CONDITION, place) for place in (-1, -2, 0)),
    *((COARSE, place) for place in (-1, -2, -3, 0)),
)

# Characters between two answers of one list: "、", "，还有", "以及".
_JOINED_BY = 4


@dataclass(frozen=True)
class Candidates:
    """The answers of a layout, and for each the heads it may have: rows are answers, columns are `COLUMNS`."""

    # Indices of spans; -1 is none.
    answers: Integers
    heads: Integers
    valid: Booleans
    # The list that each answer is in, and for each list its first and last answer, as rows.
    run: Integers
    first: Integers
    last: Integers


def find_candidates(layout: Layout) -> Candidates:
    """Every answer with its possible heads; a coarse answer can hang on a condition alone."""
    answers = np.flatnonzero(layout.kind != CONDITION)
    heads = np.full((len(answers), len(COLUMNS)), -1)
    for kind in (CONDITION, COARSE):
        spans = np.flatnonzero(layout.kind == kind)
        before = np.searchsorted(layout.start[spans], layout.start[answers], "right")
        may_be_head = layout.kind[answers] > kind
        for column, (of_kind, place) in enumerate(COLUMNS):
            if of_kind == kind:
                at = before + place
                there = may_be_head & (at >= 0) & (at < len(spans))
                heads[there, column] = spans[at[there]]
    valid = heads >= 0
    valid[:, 0] = True
    return Candidates(answers, heads, valid, *_runs(layout, answers))


def _runs(layout: Layout, answers: Integers) -> tuple[Integers, Integers, Integers]:
    """Answers of one kind with little between them, and no sentence's end."""
    begins = np.ones(len(answers), bool)
    if len(answers) > 1:
        left, right = answers[:-1], answers[1:]
        between = layout.start[right] - layout.end[left]
        begins[1:] = (
            (layout.kind[left] != layout.kind[right])
            | (between < 0)
            | (between > _JOINED_BY)
            | (layout.end_sentence[left] != layout.sentence[right])
        )
    first = np.flatnonzero(begins)
    last = np.append(first[1:], len(answers))[: len(first)] - 1
    return np.cumsum(begins) - 1, first, last
