"""Which of several tables a question is about, and which rows and columns: words in common, rare ones first.

Which table it is the fitted ranking says (`answerers.ranking`), how probable it is that it is any of them the share of
the question's words that it has (docs/tables.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec
import numpy as np

from caveat.answerers.ranking.table_features import TableIndex, TableWords, table_scores
from caveat.answerers.tables.asked import Asked
from caveat.answerers.tables.links import HeaderLink, header_links
from caveat.answerers.tables.searchable import Searchable
from caveat.answerers.tables.units import is_han_unit
from caveat.language.bm25 import idf
from caveat.models.log_odds import sigmoid, softmax

__all__ = ["TableMatch", "match_tables", "rank_columns", "rank_rows"]

# Fitted as a logit: whether a table is the right one or any other, by the share of the question's words that it has;
# three of four questions are taken to be asked of the right tables.
_ANSWERABLE = (-2.19 + 1.10, 5.68)
# The fitted ranking is surer of itself than it is right.
_TEMPERATURE = 1.4
# Of a longer table so many rows are ranked: the weights were fitted to tables of up to 562.
_MOST_ROWS = 500


class TableMatch(NamedTuple):
    """A table by its place among those given, and how probable it is that it is the one."""

    table: int
    score: float


def match_tables(asked: Asked, tables: Sequence[Searchable], index: TableIndex) -> list[TableMatch]:
    """The tables that share a word with the question, the most probable first; the scores sum to 1 at most.

    The index keeps the tables' words for the next question.
    """
    shares = {place: share for place, table in enumerate(tables) if (share := _share(asked, table))}
    if not shares:
        return []
    chosen = np.ones(1)
    if len(shares) > 1:
        words = [_words(asked, tables[place], index) for place in shares]
        chosen = softmax(table_scores(asked.question, words, index) / _TEMPERATURE)
    intercept, slope = _ANSWERABLE
    found = [
        TableMatch(place, probability * sigmoid(intercept + slope * share))
        for (place, share), probability in zip(shares.items(), chosen.tolist(), strict=True)
    ]
    order = np.argsort(-chosen, kind="stable")
    return [found[number] for number in order.tolist()]


def _share(asked: Asked, table: Searchable) -> float:
    """The share of what is searched for that stands in the caption, the headers or the cells."""
    found = sum(_is_in(term, table) for term in asked.terms)
    return found / len(asked.terms) if found else 0.0


def _is_in(term: str, table: Searchable) -> bool:
    texts = (table.caption, *table.headers)
    if len(term) == 2 and is_han_unit(term[0]):
        pair = term[0], term[1]
        return any(pair in pairwise(text) for text in texts) or table.has_text(term)
    return any(term in text for text in texts) or table.cells_with(term).size > 0


def _words(asked: Asked, table: Searchable, index: TableIndex) -> TableWords:
    """A table's words; of a long one the rows that have most of the question, then its first, in their order."""
    named = table.named
    if table.height <= _MOST_ROWS:
        return index.words(named)
    best = dict.fromkeys((*rank_rows(asked, table, _MOST_ROWS), *range(_MOST_ROWS)))
    rows = tuple(named.rows[row] for row in sorted([*best][:_MOST_ROWS]))
    return index.read(msgspec.structs.replace(named, rows=rows))


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
        worth[rows] += idf(rows.size, table.height)
    order = np.argsort(-worth, kind="stable")[:top]
    return [int(row) for row in order if worth[row] > 0]


def rank_columns(asked: Asked, table: Searchable) -> list[int]:
    """The columns whose names stand in the question, the whole names first."""

    def worth(link: HeaderLink) -> tuple[bool, float, int]:
        return link.synonym, -link.share * (link.end - link.start), link.start

    links = sorted(header_links(asked, table.headers), key=worth)
    return list(dict.fromkeys(link.column for link in links))
