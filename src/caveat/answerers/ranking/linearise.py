"""A table as a text for an encoder: its caption, and of headers, columns and rows those that matter for a question.

A small table is written whole. Of a large one the rows that share most with the question are written, wherever they
stand, then its first ones as an example of the rest; never simply its beginning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from caveat.answerers.ranking.matching import Floats
from caveat.core.records import Table
from caveat.core.script import HAN

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
