"""The sources of a reply, by the names that its places give: what a tree or a page shows answers in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from caveat.answerers.tables.answerer import table_name
from caveat.core.records import Document, Table
from caveat.sources.gather import ReadSource

__all__ = ["ShownSources", "shown_sources"]


class ShownSources(NamedTuple):
    """Texts and tables by name, and the names of files that are not texts alone."""

    documents: dict[str, Document]
    tables: dict[str, Table]
    others: frozenset[str]


def shown_sources(read: Iterable[ReadSource]) -> ShownSources:
    """What was read, by name."""
    several = list(read)
    documents = {each.name: each.source for each in several if isinstance(each.source, Document)}
    tables = {table_name(each.source): each.source for each in several if isinstance(each.source, Table)}
    return ShownSources(documents, tables, frozenset(each.name for each in several).difference(documents))
