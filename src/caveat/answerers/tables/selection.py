"""What a question demands of a table's rows: texts in their cells, more than a number, before a date."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caveat.answerers.tables.columns import Column
from caveat.answerers.tables.lexicon import Relation, lexicon
from caveat.answerers.tables.linking import OF_SYNONYM, CellLink, HeaderLink, LinkedTable
from caveat.answerers.tables.question import Comparison
from caveat.answerers.tables.tokens import stem
from caveat.language.dates import MONTHS
from caveat.language.packs.zh import CHINESE
from caveat.language.quantities import is_blank

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What stands between two things of a kind.
_JOINT = re.compile(r"\b(?:and|or|than|to|vs|versus|with)\b|[,/&]|和|与|或|、|还是|跟|比|及")
# What stands before the second of two that are compared.
THAN = re.compile(r"\b(?:than|then|that) (?:that of |in |for |those of |the )*$|比$")
_THOUSAND = "k"
_SCALED = re.compile(r"[万亿]|\b(?:thousand|million|billion)")
_MONTH_NAME = re.compile(
    rf"\b({'|'.join(sorted(MONTHS, key=len, reverse=True))})\b|(?<!\d)(\d{{1,2}}|十[一二]?|[一二三四五六七八九])月"
)
_CHINESE_MONTHS = {name: number for number, name in enumerate((*"一二三四五六七八九十", "十一", "十二"), 1)}
# No question has more; each is looked at beside all others.
_MOST_CONDITIONS = 32
_SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0}

# Of a table of more cells only what the question names is looked at: every column takes time.
_LARGE = 100_000
# One word that is a smaller part of its cell hardly tells which rows are meant.
_WEAK = 0.5
# So much of a name is said by words that say it in another way.
_MOSTLY = 0.7


class Condition(NamedTuple):
    """What rows must be: in a column, a text as it stands in cells, or a relation to a number or date."""

    column: int
    rows: NDArray[np.bool_]
    value: str
    relation: Relation | None
    tokens: frozenset[int]
    share: float
    excluded: bool = False


class View(LinkedTable):
    """A table with the conditions of a question."""

    # What tells these conditions from those that come first: what was left out, what was taken otherwise.
    variant: Mapping[str, float] = MappingProxyType({})

    @property
    def guesses(self) -> bool:
        """Whether columns come into question that nothing in the question names."""
        return not (self.variant or self.is_large or self.is_wide)

    @property
    def is_large(self) -> bool:
        """Whether there is no time for all that may be meant."""
        return self.height * len(self.columns) > _LARGE

    @cached_property
    def told(self) -> dict[str, float]:
        """What speaks for and against the conditions, and what tells them from those that come first."""
        named = {link.column for link in self.headers if not link.synonym}
        compared = [c for c in self.conditions if c.relation is not None]
        texts = [c for c in self.conditions if c.relation is None and not c.excluded]
        weak = [c for c in texts if c.share < _WEAK and sum(map(self.parsed.is_content, c.tokens)) < 2]
        return dict(self.variant) | {
            "compared in a named column": float(any(c.column in named for c in compared)),
            "compared in another column": float(any(c.column not in named for c in compared)),
            "text in a named column": float(any(c.column in named for c in texts)),
            "weak text": float(bool(weak)),
        }

    def verdict(self, holds: bool) -> str:
        """Yes or no in the question's language."""
        if self.parsed.language == CHINESE:
            return "是" if holds else "否"
        return "yes" if holds else "no"

    def taken_otherwise(self, conditions: list[Condition], variant: Mapping[str, float]) -> View:
        """The same question on the same table with other conditions, and what tells them from the first."""
        view = View(self.parsed, self.prepared)
        view.__dict__.update(self.__dict__)
        view.__dict__.pop("told", None)
        view.conditions, view.variant = conditions, variant
        return view

    @cached_property
    def conditions(self) -> list[Condition]:
        """What the rows must be, by cells and by comparisons; together they leave at least one row."""
        chosen = list(self.said)
        while len(chosen) > 1 and not self.rows_of(chosen).any():
            # The weakest goes: the one with the smallest part of its cell in the question.
            weakest = min(
                range(len(chosen)),
                key=lambda at: (chosen[at].relation is not None, len(chosen[at].tokens), chosen[at].share),
            )
            del chosen[weakest]
        return chosen

    @cached_property
    def said(self) -> list[Condition]:
        """All that the question says of rows, whether or not one meets it."""
        chosen: list[Condition] = []
        taken: set[int] = set()
        if (placed := self._placed()) is not None:
            chosen.append(placed)
            taken |= placed.tokens
        for condition in self._dated(by_month=True):
            chosen.append(condition)
            taken |= condition.tokens
        for link in self.cells:
            if len(chosen) == _MOST_CONDITIONS:
                break
            span = frozenset(range(link.start, link.end))
            link = self._beside(link, chosen)
            if span.isdisjoint(taken) and all(self._goes_with(link, other) for other in chosen):
                chosen.append(self._relative(link, span) or self.text(link, span))
                taken |= span
        chosen += [
            c
            for comparison in self.comparisons
            if not self._tells_apart(comparison) and (c := self._compared(comparison)) is not None
        ][:_MOST_CONDITIONS]
        chosen += [none for link in self.headers if (none := self._none_of(link)) is not None][:1]
        for condition in (*self._dated(by_month=False), *self._of_month(), *self._flagged()):
            if condition.tokens.isdisjoint(tokens for other in chosen for tokens in other.tokens):
                chosen.append(condition)
        return chosen

    def _tells_apart(self, comparison: Comparison) -> bool:
        """Whether two dates are those of two rows: how much it rose between 2022 and 2024."""
        parsed = self.parsed
        apart = parsed.cue("difference") or (parsed.change and parsed.cue("yes or no"))
        between = len([c for c in self.comparisons if c.literal.date is not None]) == 2
        return bool(apart) and between and comparison.literal.date is not None

    def _dated(self, *, by_month: bool) -> Iterator[Condition]:
        """In March 2014, on 2014-03-05: the rows of that month or day, where the column says it in another way."""
        columns = [column for column in self.columns if column.kind == "date"]
        compared = {c.literal for c in self.comparisons if not self._tells_apart(c)}
        for literal in self.parsed.literals:
            date = literal.date
            if date is None or literal in compared or bool(date.month) != by_month:
                continue
            for column in columns:
                values = column.values
                if not date.month:
                    rows = values // 10_000 == date.year
                elif not date.year:
                    rows = values % 10_000 == date.ordinal
                elif date.day:
                    rows = values == date.ordinal
                else:
                    rows = values // 100 == date.ordinal // 100
                if rows.any():
                    tokens = self.tokens_in(literal.start, literal.end)
                    shown = self.parsed.text[literal.start : literal.end]
                    yield Condition(column.index, rows, shown, None, tokens, 1.0)
                    break

    def _of_month(self) -> Iterator[Condition]:
        """In September, 9月: the rows with that number in a column of months, and with the year beside it."""
        numbers = [c for c in self.columns if c.kind == "number" and c.is_about("months")]
        columns = numbers or [
            c for c in self.columns if c.kind == "date" and (c.values % 10_000 >= 100).any()
        ]
        found = _MONTH_NAME.search(self.parsed.text) if columns else None
        if found is None:
            return
        month = MONTHS.get(found[1]) or _CHINESE_MONTHS.get(found[2]) or int(found[2])
        if numbers:
            rows = columns[0].values == month
        elif any(
            literal.date is not None and literal.date.month and literal.start <= found.start() < literal.end
            for literal in self.parsed.literals
        ):
            return  # the date says more
        else:
            rows = columns[0].values // 100 % 100 == month
        tokens = self.tokens_in(found.start(), found.end())
        for literal in self.parsed.literals:
            if (
                literal.date is not None
                and literal.date.year
                and literal.start <= found.start() <= literal.end
            ):
                tokens |= self.tokens_in(literal.start, literal.end)
        yield Condition(columns[0].index, rows, str(month), None, tokens, 1.0)

    def _flagged(self) -> Iterator[Condition]:
        """Smokers, those who won: the column of that name says yes; or no, where it is negated."""
        seen: set[int] = set()
        for link in self.headers:
            column = self.columns[link.column]
            if (
                link.column in seen
                or column.flags is None
                or not self._says_name(link)
                or self._is_counted(link)
            ):
                continue
            seen.add(link.column)
            start, end = self.parsed.tokens[link.start].start, self.parsed.tokens[link.end - 1].end
            before = lexicon().negated_flag.search(self.parsed.text[:start])
            negated = before is not None or self.parsed.text[start:end] in lexicon().opposites
            tokens = frozenset(range(link.start, link.end))
            if before is not None:
                tokens |= self.tokens_in(before.start(), start)
            rows = ~column.flags if negated else column.flags
            row = int(rows.argmax())
            yield Condition(column.index, rows, column.cell(row) if rows.any() else "", None, tokens, 1.0)

    def _says_name(self, link: HeaderLink) -> bool:
        """Whether the words say the whole of a name but for its small words: won says is_victor."""
        header = self.prepared.headers[link.column]
        telling = sum(word not in lexicon().stop_words for word in header)
        said = link.share / (OF_SYNONYM if link.synonym else 1.0) * len(header)
        return said >= _MOSTLY * max(telling, 1)

    def _is_counted(self, link: HeaderLink) -> bool:
        """Whether the column has numbers that a comparison is about."""
        column = self.columns[link.column]
        return column.kind == "number" and any(
            self._column_compared(comparison) is column for comparison in self.comparisons
        )

    def rows_of(self, conditions: Iterable[Condition]) -> NDArray[np.bool_]:
        """The rows that meet all conditions; of two texts that no cell of a column has together, either."""
        rows = np.ones(self.height, dtype=bool)
        texts: dict[int, NDArray[np.bool_]] = {}
        for condition in conditions:
            if condition.relation is None and not condition.excluded:
                before = texts.get(condition.column, condition.rows)
                both = before & condition.rows
                texts[condition.column] = both if both.any() else before | condition.rows
            else:
                rows &= condition.rows
        for some in texts.values():
            rows &= some
        return rows

    def named(self, kinds: Collection[str], *, after: int = -1) -> list[HeaderLink]:
        """Links to columns of these kinds from a token on, outside of the conditions; the nearest first."""
        taken = frozenset().union(*(condition.tokens for condition in self.conditions))
        found = [
            link
            for link in self.headers
            if self.columns[link.column].kind in kinds
            and link.start >= after
            and not taken.issuperset(range(link.start, link.end))
        ]
        return sorted(
            found, key=lambda link: (link.synonym, link.start - max(after, 0) - 2 * link.share, link.column)
        )

    def _goes_with(self, link: CellLink, other: Condition) -> bool:
        """Whether a second text of a column is meant too: the same rows have both, or a word joins them."""
        if link.column != other.column or other.rows[link.rows].any():
            return True
        first, second = sorted(((link.start, link.end - 1), (min(other.tokens), max(other.tokens))))
        between = self.parsed.text[self.parsed.tokens[first[1]].end : self.parsed.tokens[second[0]].start]
        if _JOINT.search(between) is not None or self.parsed.cue("difference") is not None:
            return True
        found = self.parsed.comparative
        start, end = self.parsed.tokens[first[1]].end, self.parsed.tokens[second[0]].start
        return found is not None and start <= found.start and found.end <= end

    def _beside(self, link: CellLink, chosen: list[Condition]) -> CellLink:
        """The link, or one of the same words in another column where that leaves a row and this does not.

        "Lamia and Kastoria" are a match at home and away, unless the question compares the two.
        """
        parsed = self.parsed
        if (
            not chosen
            or parsed.cue("difference")
            or parsed.cue("or")
            or parsed.comparative
            or self.superlative
        ):
            return link
        rows = self.rows_of(chosen)
        if rows[link.rows].any():
            return link
        same = [other for other in self.cells if (other.start, other.end) == (link.start, link.end)]
        return next((other for other in same if rows[other.rows].any()), link)

    def text(self, link: CellLink, span: frozenset[int]) -> Condition:
        """The condition that a cell has these words."""
        rows = np.zeros(self.height, dtype=bool)
        rows[link.rows] = True
        start, end = self.parsed.tokens[link.start].start, self.parsed.tokens[link.end - 1].end
        cell = self.columns[link.column].cell(int(link.rows[0]))
        value = cell if link.share == 1.0 else self.parsed.text[start:end]
        excluded = lexicon().excluding.search(self.parsed.text[:start]) is not None or self._is_negated(
            link, start
        )
        return Condition(link.column, ~rows if excluded else rows, value, None, span, link.share, excluded)

    def _is_negated(self, link: CellLink, start: int) -> bool:
        """Not play the role of X, where Role is the column of X."""
        found = lexicon().not_in.search(self.parsed.text[:start])
        if found is None:
            return False
        between = self.tokens_in(found.start(), start)
        return any(
            h.column == link.column and between.issuperset(range(h.start, h.end)) for h in self.headers
        )

    def _placed(self) -> Condition | None:
        """First place, ranked third."""
        ranks = [column for column in self.columns if column.is_rank and column.kind == "number"]
        if self.parsed.placing is None or not ranks:
            return None
        number, span = self.parsed.placing
        return Condition(
            ranks[0].index, ranks[0].values == number, str(number), None, self.tokens_in(*span), 1.0
        )

    def _none_of(self, link: HeaderLink) -> Condition | None:
        """No bronze medals, without a description: the column is 0 or empty."""
        column, start = self.columns[link.column], self.parsed.tokens[link.start].start
        if link.synonym or lexicon().none_of.search(self.parsed.text[:start]) is None:
            return None
        if column.kind == "number":
            with np.errstate(invalid="ignore"):
                rows = ~(np.abs(column.values) > 0)
        else:
            rows = np.fromiter(map(is_blank, column.cells), dtype=bool, count=self.height)
        return Condition(column.index, rows, "", None, frozenset(range(link.start, link.end)), 1.0)

    def _relative(self, link: CellLink, span: frozenset[int]) -> Condition | None:
        """More affiliates than Canal 5: compared is with the value of the row that is named."""
        parsed = self.parsed
        found = parsed.comparative
        start = parsed.tokens[link.start].start
        if (
            found is None
            or parsed.cue("difference")
            or len(link.rows) != 1
            or found.start > start
            or THAN.search(parsed.text[:start]) is None
        ):
            return None
        place = min(self.tokens_in(found.start, found.end), default=0)
        headers = [
            h
            for h in self.headers
            if place < h.start < link.start and self.columns[h.column].kind == "number"
        ]
        numbers = [self.columns[header.column] for header in headers] or self.of_kind("number")
        others = [other for other in self.cells if other.column == link.column and other.start != link.start]
        if not numbers or (not headers and len(numbers) > 1) or others:
            return None
        column = numbers[0]
        bound = column.values[link.rows[0]]
        larger = found.meaning.largest != column.is_rank
        with np.errstate(invalid="ignore"):
            rows = column.values > bound if larger else column.values < bound
        used = frozenset(range(headers[0].start, headers[0].end)) if headers else frozenset()
        shown = f"{column.cell(int(link.rows[0]))} ({self.columns[link.column].cell(int(link.rows[0]))})"
        return Condition(column.index, rows, shown, "more" if larger else "less", span | used, link.share)

    def _compared(self, comparison: Comparison) -> Condition | None:
        column = self._column_compared(comparison)
        return self.compared_in(comparison, column) if column is not None else None

    def compared_in(self, comparison: Comparison, column: Column) -> Condition | None:
        """The condition that a column is more, or less, than what is said; None where the two cannot be compared."""
        literal = comparison.literal
        values = column.values
        if column.kind == "date" and literal.date is not None:
            bound = literal.date.ordinal
            if not literal.date.month:
                values, bound = values // 10_000, float(literal.date.year)
            elif not literal.date.year:
                values = values % 10_000
        elif literal.number is not None and column.kind != "date":
            bound = literal.number * (
                _SECONDS.get(literal.unit.rstrip("s"), 1.0) if column.unit == "s" else 1.0
            )
            if literal.unit == _THOUSAND and column.unit != _THOUSAND:
                bound *= 1000
            if column.scale > 1 and _SCALED.search(self.parsed.text, literal.start, literal.end):
                bound /= column.scale  # 2亿 in a column of 万元
        else:
            return None
        with np.errstate(invalid="ignore"):
            rows = {
                "more": values > bound,
                "less": values < bound,
                "at least": values >= bound,
                "at most": values <= bound,
            }[comparison.relation]
        span = self.tokens_in(comparison.start, comparison.end)
        shown = self.parsed.text[literal.start : literal.end]
        return Condition(column.index, rows, shown, comparison.relation, span, 1.0)

    def _column_compared(self, comparison: Comparison) -> Column | None:
        """The column that a number or date is compared with: its unit's, the nearest that is named, the only one."""
        literal = comparison.literal
        numbers = [column for column in self.columns if column.kind == "number"]
        dates = [column for column in self.columns if column.kind == "date"]
        if dates and literal.date is not None and literal.unit not in {c.unit for c in numbers if c.unit}:
            return self._nearest(comparison, dates) or dates[0]
        if literal.number is None:
            return None
        named = self._nearest(comparison, numbers)
        unit = stem(literal.unit) if literal.unit else ""
        fitting = [
            column
            for column in numbers
            if unit
            and (literal.unit == column.unit or column.has_word((unit, *lexicon().synonyms.get(unit, ()))))
        ] or [column for column in self.columns if unit and unit == stem(column.unit or " ")]
        if named is not None and (named in fitting or not fitting):
            return named
        clocks = [column for column in numbers if column.unit == "s" and literal.unit.rstrip("s") in _SECONDS]
        if fitting or clocks:
            return (fitting or clocks)[0]
        return self.measures[0] if len(self.measures) == 1 else None

    def _nearest(self, comparison: Comparison, columns: Sequence[Column]) -> Column | None:
        span = self.tokens_in(comparison.start, comparison.end)
        if not span:
            return None
        wanted = {column.index: column for column in columns}
        best: tuple[float, int] | None = None
        for link in self.headers:
            if link.column in wanted:
                distance = (
                    link.start - max(span) if link.start > max(span) else 1.5 * (min(span) - link.end + 1)
                )
                rank = (distance + 2 * link.synonym - link.share, link.column)
                best = min(best, rank) if best else rank
        return wanted[best[1]] if best else None
