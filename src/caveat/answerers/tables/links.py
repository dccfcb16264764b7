"""Which words of a question are a table's column names, and which are what stands in its cells."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caveat.answerers.tables.asked import Asked
from caveat.answerers.tables.header_words import HEADER_WORDS
from caveat.answerers.tables.searchable import Searchable
from caveat.answerers.tables.units import is_han_unit, stems_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CellLink", "HeaderLink", "cell_links", "header_links"]

_NOTE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|（[^（）]*）")
_LISTED = re.compile(r"\s*(?:[,;/、，；]|\s&\s|\band\b)\s*")
# So many different texts of a column are compared with the question word by word.
_MOST_TEXTS = 3000
_LONGEST_CELL = 60


class HeaderLink(NamedTuple):
    """Units [start, end) of the question that name a column; `share` of the name's words are there."""

    column: int
    start: int
    end: int
    share: float
    synonym: bool = False


class CellLink(NamedTuple):
    """Units [start, end) of the question that stand in cells of a column: in these rows, as `share` of the cell."""

    column: int
    start: int
    end: int
    share: float
    rows: NDArray[np.int64]


def header_links(asked: Asked, headers: Sequence[Sequence[str]]) -> list[HeaderLink]:
    """The longest run of each column's name in the question, every place where it stands; else words for it."""
    question = [unit.stem for unit in asked.units]
    links: list[HeaderLink] = []
    for column, header in enumerate(headers):
        if not header:
            continue
        links += _header_runs(asked, question, header, column)
        links += _synonyms(asked, question, header, column)
    return links


def _header_runs(
    asked: Asked, question: list[str], header: Sequence[str], column: int
) -> Iterator[HeaderLink]:
    runs = [run for run in _runs(question, header) if any(map(asked.content, range(run[0], run[1])))]
    # One character of a Chinese name is chance, unless it is the whole name.
    runs = [
        run for run in runs if run[1] - run[0] > 1 or not is_han_unit(question[run[0]]) or len(header) == 1
    ]
    longest = max((end - start for start, end in runs), default=0)
    for start, end in runs:
        if end - start == longest:
            yield HeaderLink(column, start, end, (end - start) / len(header))


def _synonyms(asked: Asked, question: list[str], header: Sequence[str], column: int) -> Iterator[HeaderLink]:
    for index, unit in enumerate(question):
        others = () if unit in header else HEADER_WORDS.get(unit, ())
        for rank, other in enumerate(others):
            if other in header:
                yield HeaderLink(column, index, index + 1, (0.6 - 0.05 * rank) / len(header), True)
                break


def _runs(question: Sequence[str], words: Sequence[str]) -> list[tuple[int, int]]:
    """Where runs of `words` stand in the question; those inside of longer ones are left out."""
    runs: list[tuple[int, int]] = []
    for start in range(len(question)):
        longest = 0
        for first in range(len(words)):
            length = 0
            while (
                start + length < len(question)
                and first + length < len(words)
                and question[start + length] == words[first + length]
            ):
                length += 1
            longest = max(longest, length)
        if longest and not (runs and runs[-1][1] >= start + longest):
            runs.append((start, start + longest))
    return runs


def cell_links(asked: Asked, searchable: Searchable) -> list[CellLink]:
    """The runs of the question's units that stand in cells, column by column, the longest of each cell.

    Where a whole cell stands in the question, cells that only contain the same words do not count.
    """
    if not searchable.width:
        return []
    found: list[NDArray[np.int64]] = []
    for index, unit in enumerate(asked.units):
        if asked.content(index) and not is_han_unit(unit.stem):
            found.append(searchable.cells_with(unit.stem))
    found += [
        searchable.cells_with_text(pair) for pair in asked.terms if len(pair) == 2 and is_han_unit(pair[0])
    ]
    found += [_single(searchable, unit.stem) for unit in asked.units if is_han_unit(unit.stem)]
    cells = np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)
    if not len(cells):
        return []
    rows, columns = np.divmod(cells, searchable.width)
    links: list[CellLink] = []
    for column in np.unique(columns).tolist():
        links += _column_links(asked, searchable, column, rows[columns == column])
    return links


def _single(searchable: Searchable, character: str) -> NDArray[np.int64]:
    """Cells that are one Chinese character and no more (男, 女)."""
    cells = searchable.cells_with(character)
    if len(cells) > 10 * _MOST_TEXTS:
        cells = cells[: 10 * _MOST_TEXTS]
    rows, columns = np.divmod(cells, searchable.width)
    alone = [
        searchable.cell(row, column).strip() == character for row, column in zip(rows, columns, strict=True)
    ]
    return cells[np.array(alone, dtype=bool)] if len(cells) else cells


def _column_links(
    asked: Asked, searchable: Searchable, column: int, rows: NDArray[np.int64]
) -> Iterator[CellLink]:
    question = tuple(unit.stem for unit in asked.units)
    by_text: dict[str, list[int]] = defaultdict(list)
    for row in rows.tolist():
        by_text[searchable.cell(row, column)].append(row)
    by_run: dict[tuple[int, int], list[tuple[float, list[int]]]] = defaultdict(list)
    for count, (text, places) in enumerate(by_text.items()):
        if count == _MOST_TEXTS:
            break
        for start, end, share in _alignment(question, text):
            content = any(map(asked.content, range(start, end)))
            whole = share == 1.0
            if (content or whole) and (end - start > 1 or whole or not is_han_unit(question[start])):
                by_run[start, end].append((share, places))
    for (start, end), parts in by_run.items():
        best = max(share for share, _ in parts)
        # Longer runs that have this one in them are of the same cells' kind: "Gold" is not "Double Gold".
        chosen = [places for share, places in parts if best < 1.0 or share == 1.0]
        yield CellLink(column, start, end, best, np.unique(np.concatenate(chosen)))


@lru_cache(maxsize=1 << 14)
def _alignment(question: tuple[str, ...], text: str) -> tuple[tuple[int, int, float], ...]:
    """The longest runs that question and cell share, each with its share of the cell.

    Notes in brackets are left out, and one of several things in a cell counts as a cell: "iPad, iPhone".
    """
    for part in dict.fromkeys((_NOTE.sub(" ", text), text)):
        words = stems_of(part)[:_LONGEST_CELL]
        if runs := _runs(question, words):
            longest = max(end - start for start, end in runs)
            items = {stems_of(item) for item in _LISTED.split(part)} if _LISTED.search(part) else set()
            return tuple(
                (start, end, 1.0 if question[start:end] in items else (end - start) / len(words))
                for start, end in runs
                if end - start == longest
            )
    return ()
