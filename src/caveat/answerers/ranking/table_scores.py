"""How well each of several tables fits a question: lexical evidence, with the weights that come with the package."""

from __future__ import annotations

from collections.abc import Sequence

from caveat.answerers.ranking.combination import embedded_combination
from caveat.answerers.ranking.matching import Floats
from caveat.answerers.ranking.table_features import TableMatch
from caveat.answerers.ranking.table_words import TableIndex, TableWords
from caveat.core.script import language_of

__all__ = ["table_scores"]

# The weights were fitted to lists of so many tables.
_FITTED_TO = 20


def table_scores(question: str, tables: Sequence[TableWords], index: TableIndex) -> Floats:
    """The tables' scores, of which only differences mean something, for any number of tables."""
    features = TableMatch(question, tables, index, among=_FITTED_TO).features()
    return embedded_combination(language_of(question), "tables").scores(features)
