"""Which of several tables a question is about, and which rows and columns: words in common, rare ones first.

Which table it is, the fitted ranking says (`answerers.ranking.table_scores`); how probable it is that it is any of
them, the share of the question's words that it has (docs/tables.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from caveat.answerers.ranking.table_features import TableIndex, TableWords, table_scores
from caveat.answerers.tables.linking import by_share_of_name, cells_said_otherwise, header_links
from caveat.answerers.tables.prepared import PreparedTable
from caveat.answerers.tables.question import ParsedQuestion
from caveat.answerers.tables.tokens import is_han
from caveat.core.json_files import read_json
from caveat.language.bm25 import idf
from caveat.models.log_odds import Logit, softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The file's name in a model's folder.
WEIGHTS = "choice.json"
# Of a longer table only this many rows are ranked: the weights were fitted to tables of up to 562.
_MOST_ROWS = 500
# So many tables are read though none has a word of the question.
_FEW = 3


class ChoiceWeights(msgspec.Struct, frozen=True):
    """choice.json: what the weights were fitted to and measured at; how probable it is that a table answers, by the
    `share` of the question's words that it has; the temperature of a ranking that is surer of itself than it is right.
    """

    about: dict[str, object]
    answerable: Logit
    temperature: float


@cache
def embedded_weights() -> ChoiceWeights:
    """The weights that come with the package (`caveat train tables-confidence`)."""
    return read_json(str(files("caveat.models.weights") / "tables" / WEIGHTS), ChoiceWeights)


class TableMatch(NamedTuple):
    """A table by its place among those given, and how probable it is that it is the one."""

    table: int
    score: float


def match_tables(
    parsed: ParsedQuestion, tables: Sequence[PreparedTable], index: TableIndex
) -> list[TableMatch]:
    """The tables that share a word with the question, the most probable first; the scores sum to 1 at most.

    Where none does, a few tables all come into question: "the heaviest" is said of a column of weights. The index keeps
    the tables' words for the next question.
    """
    shares = {place: share for place, table in enumerate(tables) if (share := share_of_words(parsed, table))}
    if not shares:
        told = any(found.meaning.about for found in parsed.superlatives)
        filled = [place for place, table in enumerate(tables) if table.height and table.width]
        if not told or not filled or len(tables) > _FEW:
            return []
        shares = dict.fromkeys(filled, 0.0)
    weights = embedded_weights()
    chosen = np.ones(1)
    if len(shares) > 1:
        scores = ranking_scores(parsed, [tables[place] for place in shares], index)
        chosen = softmax(scores / weights.temperature)
    found = [
        TableMatch(place, probability * probability_of(share))
        for (place, share), probability in zip(shares.items(), chosen.tolist(), strict=True)
    ]
    order = np.argsort(-chosen, kind="stable")
    return [found[number] for number in order.tolist()]


def ranking_scores(
    parsed: ParsedQuestion, tables: Sequence[PreparedTable], index: TableIndex
) -> NDArray[np.float64]:
    """The fitted ranking's scores, of which only differences mean something."""
    return table_scores(parsed.question, [_words(parsed, table, index) for table in tables], index)


def probability_of(share: float) -> float:
    """How probable it is that a table answers a question of whose words it has this share."""
    return embedded_weights().answerable.probability({"share": share})


def share_of_words(
    parsed: ParsedQuestion, table: PreparedTable, explained: frozenset[int] = frozenset()
) -> float:
    """The share of what is searched for that stands in the caption, the headers or the cells, or is `explained`."""
    found = {term for term in parsed.terms if _is_in(term, table)}
    found |= {term for at in explained for term in parsed.terms_in(at, at + 1)}
    missing = {term for term in parsed.terms if term not in found}
    if missing:
        linked = _linked_terms(parsed, table)
        found |= missing & linked
        missing -= linked | parsed.asking_terms
    return len(found) / (len(found) + len(missing)) if found else 0.0


def _linked_terms(parsed: ParsedQuestion, table: PreparedTable) -> set[str]:
    """What is searched for in words that a column or a cell says in another way."""
    spans = [(link.start, link.end) for link in header_links(parsed, table.headers)]
    spans += [(link.start, link.end) for link in cells_said_otherwise(parsed, table)]
    return {term for start, end in spans for term in parsed.terms_in(start, end)}


def _is_in(term: str, table: PreparedTable) -> bool:
    texts = (table.caption, *table.headers)
    if len(term) == 2 and is_han(term[0]):
        pair = term[0], term[1]
        return any(pair in pairwise(text) for text in texts) or table.has_text(term)
    return any(term in text for text in texts) or table.cells_with(term).size > 0


def _words(parsed: ParsedQuestion, table: PreparedTable, index: TableIndex) -> TableWords:
    """A table's words; of a long one the rows that have most of the question, then its first, in their order."""
    named = table.named
    if table.height <= _MOST_ROWS:
        return index.words(named)
    best = dict.fromkeys((*rank_rows(parsed, table, _MOST_ROWS), *range(_MOST_ROWS)))
    rows = tuple(named.rows[row] for row in sorted([*best][:_MOST_ROWS]))
    return index.read(msgspec.structs.replace(named, rows=rows))


def rank_rows(parsed: ParsedQuestion, table: PreparedTable, top: int = 5) -> list[int]:
    """The rows that have most of the question, best first; words that stand in many rows count less, none is left out
    for where it stands."""
    if not table.height or not table.width:
        return []
    worth = np.zeros(table.height)
    for term in parsed.terms:
        pair = len(term) == 2 and is_han(term[0])
        cells = table.cells_with_text(term) if pair else table.cells_with(term)
        rows = np.unique(cells // table.width)
        worth[rows] += idf(rows.size, table.height)
    order = np.argsort(-worth, kind="stable")[:top]
    return [int(row) for row in order if worth[row] > 0]


def rank_columns(parsed: ParsedQuestion, table: PreparedTable) -> list[int]:
    """The columns whose names stand in the question, the whole names first."""
    links = sorted(header_links(parsed, table.headers), key=by_share_of_name)
    return list(dict.fromkeys(link.column for link in links))
