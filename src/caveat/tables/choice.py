"""Which of several tables a question is about, and which rows and columns: words in common, rare ones first.

A table's worth is BM25 over its caption, headers and cells together, and once more what the caption and the headers
alone have of the question; how rare a word is, the tables at hand tell. The weights are fitted (docs/tables.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caveat.records import Table
from caveat.tables.asked import Asked
from caveat.tables.links import HeaderLink, header_links
from caveat.tables.searchable import Searchable
from caveat.tables.units import is_han_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "FEATURES",
    "TableMatch",
    "match_tables",
    "rank_columns",
    "rank_rows",
    "rank_tables",
    "table_features",
    "table_scores",
]

FEATURES = ("words", "caption", "headers")
# Fitted as a conditional logit: which of twenty tables is the right one.
WEIGHTS = (1.08, 0.38, 0.75)
# Fitted as a logit: whether a table is the right one or any other, by the share of the question's words that it has;
# three of four questions are taken to be asked of the right tables.
_ANSWERABLE = (-2.19 + 1.10, 5.68)
# BM25's: how fast another occurrence stops to count, and how much a large table must have more of them.
_SATURATION, _LENGTH = 1.2, 0.5


class TableMatch(NamedTuple):
    """A table by its place among those given, and how probable it is that it is the one."""

    table: int
    score: float


class _Found:
    """In how many cells and headers of each table each term stands, and whether in the caption."""

    def __init__(self, asked: Asked, tables: Sequence[Searchable]) -> None:
        shape = (len(asked.terms), len(tables))
        self.cells, self.headers, self.caption = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for column, table in enumerate(tables):
            for row, term in enumerate(asked.terms):
                if len(term) == 2 and is_han_unit(term[0]):
                    self.cells[row, column] = len(table.cells_with_text(term))
                    pair = tuple(term)
                    self.headers[row, column] = sum(_has(header, pair) for header in table.headers)
                    self.caption[row, column] = _has(table.caption, pair)
                else:
                    self.cells[row, column] = len(table.cells_with(term))
                    self.headers[row, column] = sum(term in header for header in table.headers)
                    self.caption[row, column] = term in table.caption
        self.everywhere = self.cells + self.headers + self.caption


def _has(units: Sequence[str], pair: tuple[str, ...]) -> bool:
    return any(pair == tuple(units[at : at + 2]) for at in range(len(units) - 1))


def _rarity(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """BM25's weight of each term, from the share of the tables that have it."""
    having = (counts > 0).sum(axis=1)
    rarity: NDArray[np.float64] = np.log1p((counts.shape[1] - having + 0.5) / (having + 0.5))[:, None]
    return rarity


def table_features(asked: Asked, tables: Sequence[Searchable]) -> NDArray[np.float64]:
    """What speaks for each table: a row a table, a column a feature of `FEATURES`."""
    return _features(_Found(asked, tables), tables)


def _features(found: _Found, tables: Sequence[Searchable]) -> NDArray[np.float64]:
    sizes = np.array([table.width * table.height + 1 for table in tables], dtype=float)
    norm = _SATURATION * (1 - _LENGTH + _LENGTH * sizes / sizes.mean())
    words = _rarity(found.everywhere) * found.everywhere / (found.everywhere + norm)
    caption = _rarity(found.caption) * (found.caption > 0)
    headers = _rarity(found.headers) * (found.headers > 0)
    return np.stack([words.sum(axis=0), caption.sum(axis=0), headers.sum(axis=0)], axis=1)


def table_scores(asked: Asked, tables: Sequence[Searchable]) -> list[float]:
    """A score for every table in its order, the larger the better: the lexical baseline of table ranking."""
    if not tables or not asked.terms:
        return [0.0] * len(tables)
    return [float(worth) for worth in table_features(asked, tables) @ np.array(WEIGHTS)]


def match_tables(asked: Asked, tables: Sequence[Searchable]) -> list[TableMatch]:
    """The tables that share a word with the question, the most probable first; the scores sum to 1 at most."""
    if not tables or not asked.terms:
        return []
    found = _Found(asked, tables)
    worth = _features(found, tables) @ np.array(WEIGHTS)
    share = (found.everywhere > 0).mean(axis=0)
    worth[share == 0] = -np.inf
    if not share.any():
        return []
    chosen = np.exp(worth - worth.max())
    intercept, slope = _ANSWERABLE
    scores = chosen / chosen.sum() / (1 + np.exp(-(intercept + slope * share)))
    order = np.lexsort((np.arange(len(tables)), -worth))
    return [TableMatch(int(index), float(scores[index])) for index in order if share[index] > 0]


def rank_tables(question: str, tables: Sequence[Table]) -> list[TableMatch]:
    """The tables that share a word with the question, the most probable first."""
    return match_tables(Asked(question), [Searchable(table) for table in tables])


def rank_rows(asked: Asked, table: Searchable, top: int = 5) -> list[int]:
    """The rows that have most of the question, best first; words that stand in many rows count less, none is left out
    for where it stands."""
    if not table.height or not table.width:
        return []
    worth = np.zeros(table.height)
    for term in asked.terms:
        pair = len(term) == 2 and is_han_unit(term[0])
        cells = table.cells_with_text(term) if pair else table.cells_with(term)
        rows = np.unique(cells // table.width)
        worth[rows] += np.log1p((table.height - rows.size + 0.5) / (rows.size + 0.5))
    order = np.argsort(-worth, kind="stable")[:top]
    return [int(row) for row in order if worth[row] > 0]


def rank_columns(asked: Asked, table: Searchable) -> list[int]:
    """The columns whose names stand in the question, the whole names first."""

    def worth(link: HeaderLink) -> tuple[bool, float, int]:
        return link.synonym, -link.share * (link.end - link.start), link.start

    links = sorted(header_links(asked, table.headers), key=worth)
    return list(dict.fromkeys(link.column for link in links))
