"""A question held against one table: the columns that it names, the cells that stand in it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from caveat.answerers.tables.asked import Asked, FoundSuperlative, Span
from caveat.answerers.tables.columns import Column, ColumnKind
from caveat.answerers.tables.cues import Cue
from caveat.answerers.tables.links import CellLink, HeaderLink, cell_links, header_links
from caveat.answerers.tables.searchable import Searchable
from caveat.answerers.tables.units import is_han_unit

__all__ = ["LinkedTable", "about"]

# A word that is a smaller part of a cell than this is chance.
_LEAST_SHARE = 0.2
# A name this far from a number, in units, may be what it is a number of.
_NEAR = 4
_DOING: tuple[Cue, ...] = ("count", "difference", "different")
_SUMMING: tuple[Cue, ...] = ("sum", "average")


def about(column: Column, words: Sequence[str]) -> bool:
    """Whether a column's name has one of the words in it, stems or Chinese."""
    return any(word in column.stems or (not word.isascii() and word in column.name) for word in words)


class LinkedTable:
    """A table as a question sees it; everything is found when it is first needed."""

    def __init__(self, asked: Asked, searchable: Searchable) -> None:
        self.asked = asked
        self.searchable = searchable
        self.height = searchable.height
        self.columns, self.key, self.totals = searchable.columns, searchable.key, searchable.totals

    @cached_property
    def acts(self) -> list[Span]:
        """Where the question says what to do: count, compare, take the largest, the first."""
        asked = self.asked
        spans = [span for cue in _DOING if (span := asked.cue(cue))]
        spans += [(comparison.start, comparison.end) for comparison in asked.comparisons]
        if self.superlative:
            spans.append((self.superlative.start, self.superlative.end))
        if asked.order:
            spans.append(asked.order[1])
        return spans

    @cached_property
    def sums(self) -> list[Span]:
        """Where it says total or average, which may be columns as well."""
        return [span for cue in _SUMMING if (span := self.asked.cue(cue))]

    def _is_cue(self, start: int, end: int, spans: Sequence[Span]) -> bool:
        first, last = self.asked.units[start].start, self.asked.units[end - 1].end
        return any(span[0] <= first and last <= span[1] for span in spans)

    @cached_property
    def _names(self) -> list[HeaderLink]:
        return header_links(self.asked, self.searchable.headers)

    @cached_property
    def superlative(self) -> FoundSuperlative | None:
        """What is asked to be largest or smallest; none where it is part of a column's name, such as Best finish."""
        units = self.asked.units
        named = [
            (units[link.start].start, units[link.end - 1].end)
            for link in self._names
            if not link.synonym and link.end - link.start > 1
        ]
        for found in self.asked.superlatives:
            if not any(start <= found.start and found.end <= end for start, end in named):
                return found
        return None

    @cached_property
    def headers(self) -> list[HeaderLink]:
        """Names of columns in the question, except where they are words that say what to do."""
        return [link for link in self._names if not self._is_cue(link.start, link.end, self.acts)]

    @cached_property
    def cells(self) -> list[CellLink]:
        """Cells in the question that can be meant, the surest first."""
        links = [link for link in cell_links(self.asked, self.searchable) if self._can_be_meant(link)]
        return sorted(links, key=self._worth, reverse=True)

    def _worth(self, link: CellLink) -> float:
        content = sum(map(self.asked.content, range(link.start, link.end)))
        return (
            content
            + 0.5 * link.share
            + 0.4 * self._is_named(link)
            + 0.2 * (link.share == 1.0)
            - 0.01 * link.column
        )

    def _is_named(self, link: CellLink, *, synonyms: bool = True) -> bool:
        """Whether the name of the link's column stands beside it."""
        return any(
            0 <= link.start - header.end <= _NEAR or 0 <= header.start - link.end < _NEAR
            for header in self.headers
            if header.column == link.column and (synonyms or not header.synonym)
        )

    def _can_be_meant(self, link: CellLink) -> bool:
        asked = self.asked
        if self._is_cue(link.start, link.end, self.acts + self.sums):
            return False
        first, last = asked.units[link.start], asked.units[link.end - 1]
        if any(c.start < last.end and first.start < c.end for c in asked.comparisons):
            return False
        words = [unit.stem for unit in asked.units[link.start : link.end]]
        counted = asked.cue("count")
        # "How many games" asks for rows, not for those that have "games" in a cell.
        if link.share < 1.0 and counted and 0 <= first.start - counted[1] <= 1:
            return False
        if len(words) == 1 and not any(map(str.isalpha, words[0])):
            year = len(words[0]) == 4 and words[0].isdecimal() and self.columns[link.column].kind != "number"
            return year or self._is_named(link)
        if len(words) == 1 and link.share < _LEAST_SHARE:
            return False
        if all(word in self.searchable.caption for word in words) and not self._is_category(link, words):
            # What the table is about is no condition on its rows, unless a column is named for it.
            return self._is_named(link, synonyms=False)
        # "gold" is the column Gold before it is a cell.
        return not any(
            (header.share == 1.0 or link.share < 1.0)
            and not header.synonym
            and header.start <= link.start
            and link.end <= header.end
            for header in self.headers
        )

    def _is_category(self, link: CellLink, words: Sequence[str]) -> bool:
        """Whether whole cells that recur in their column are named, in Chinese, where captions have many words."""
        return link.share == 1.0 and is_han_unit(words[0]) and self.columns[link.column].distinct < 0.8

    def units_in(self, start: int, end: int) -> frozenset[int]:
        """The units of a span of the question."""
        return frozenset(
            index for index, unit in enumerate(self.asked.units) if start <= unit.start and unit.end <= end
        )

    def of_kind(self, kind: ColumnKind) -> list[Column]:
        """The columns of a kind; of numbers, those that only rank or number the rows are left out."""
        return [c for c in self.columns if c.kind == kind and not (c.is_rank or c.is_index)]
