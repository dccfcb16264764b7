"""Schema linking: which words of a question are a table's column names, and which are what stands in its cells."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caveat.answerers.tables.columns import Column, ColumnKind
from caveat.answerers.tables.lexicon import Cue, lexicon
from caveat.answerers.tables.prepared import PreparedTable
from caveat.answerers.tables.question import Comparison, ParsedQuestion, Span, SuperlativeSpan
from caveat.answerers.tables.tokens import is_han, stems_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NOTE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|（[^（）]*）")
_LISTED = re.compile(r"\s*(?:[,;/、，；]|\s&\s|\band\b)\s*")
# The most texts of a column that are compared with the question word by word.
_MOST_TEXTS = 3000
_LONGEST_CELL = 60
# A word that is a smaller part of a cell than this is chance.
_LEAST_SHARE = 0.2
# A name this far from a number, in tokens, may be what it is a number of.
_NEAR = 4
# The least letters of a name from which other words are made, and what such a word is worth beside the name itself.
_LEAST_STEM, _DERIVED = 4, 0.8
# Another word for a name is worth less the less usual it is, and less than a translation; words of one name stand this
# near to each other.
_LESS_USUAL, OF_SYNONYM, _BESIDE_IT = 0.95, 0.6, 2
# What says less of a name than this, beside what it says of another, does not mean it.
_AS_SURE = 0.7
# Smaller numbers that stand apart from a name are chance: years do not.
_LEAST_APART = 3
# What a cell is worth that says a word in another way, and the least share of rows that begin with a letter for one.
_OTHERWISE, _LEAST_LETTERS = 0.9, 0.1
_SEPARATED = re.compile(r"\s*[,;/、，；]\s*")
# The columns of an ordinary table; of a wider one only this many that the question names come into question, so that
# what is found for pairs of columns does not grow with their number.
MOST_COLUMNS = 64
_DOING: tuple[Cue, ...] = ("count", "difference", "different")
_SUMMING: tuple[Cue, ...] = ("sum", "average")


class HeaderLink(NamedTuple):
    """Tokens [start, end) of the question that name a column; `share` of the name's words are there."""

    column: int
    start: int
    end: int
    share: float
    synonym: bool = False


class CellLink(NamedTuple):
    """Tokens [start, end) of the question that stand in cells of a column: in these rows, as `share` of the cell."""

    column: int
    start: int
    end: int
    share: float
    rows: NDArray[np.int64]


def by_share_of_name(link: HeaderLink) -> tuple[bool, float, int]:
    """What sorts names by how much of them the question has: whole names first, other words for them last."""
    return link.synonym, -link.share * (link.end - link.start), link.start


def header_links(parsed: ParsedQuestion, headers: Sequence[Sequence[str]]) -> list[HeaderLink]:
    """The longest run of each column's name in the question, every place where it stands; else words for it."""
    question = [token.stem for token in parsed.tokens]
    links: list[HeaderLink] = []
    others: list[HeaderLink] = []
    for column, header in enumerate(headers):
        if not header:
            continue
        links += _header_runs(parsed, question, header, column)
        links += _synonyms(parsed, question, header, column)
        links += _derived(parsed, question, header, column)
        others += _other_names(parsed, question, header, column)
    links = _longest([*links, *_surest(others)])
    return _with_numbers(parsed, question, headers, links)


def _with_numbers(
    parsed: ParsedQuestion, question: list[str], headers: Sequence[Sequence[str]], links: list[HeaderLink]
) -> list[HeaderLink]:
    """Names of which a number stands apart, as in "pupils in 2020"; those with another number are not meant then."""
    found: list[HeaderLink] = []
    named: set[int] = set()
    other: set[HeaderLink] = set()
    for link in links:
        numbers = {word for word in headers[link.column] if word.isdecimal()}
        inside = numbers.intersection(question[link.start : link.end])
        if link.synonym or not numbers or not _says_more(parsed, link, headers[link.column]):
            found.append(link)
            continue
        beyond = [
            at for at, word in enumerate(question) if word in numbers - inside and len(word) >= _LEAST_APART
        ]
        if inside or beyond:
            named.add(link.start)
        else:
            other.add(link)
        if beyond:
            share = min(1.0, link.share + len(beyond) / len(headers[link.column]))
            end = max(beyond) + 1
            apart = any(map(parsed.is_content, range(link.end, end - 1))) or end < link.end
            link = link._replace(end=link.end if apart else end, share=share)
        found.append(link)
    return [link for link in found if link not in other or link.start not in named]


def _says_more(parsed: ParsedQuestion, link: HeaderLink, header: Sequence[str]) -> bool:
    """Whether a word of the name is there that is no number, if it has one."""
    words = {word for word in header if not word.isdecimal()}
    return not words or any(token.stem in words for token in parsed.tokens[link.start : link.end])


def _header_runs(
    parsed: ParsedQuestion, question: list[str], header: Sequence[str], column: int
) -> Iterator[HeaderLink]:
    runs = [run for run in _runs(question, header) if any(map(parsed.is_content, range(run[0], run[1])))]
    # One character of a Chinese name is chance, unless it is the whole name.
    runs = [run for run in runs if run[1] - run[0] > 1 or not is_han(question[run[0]]) or len(header) == 1]
    longest = max((end - start for start, end in runs), default=0)
    for start, end in runs:
        if end - start == longest:
            yield HeaderLink(column, start, end, (end - start) / len(header))


def _synonyms(
    parsed: ParsedQuestion, question: list[str], header: Sequence[str], column: int
) -> Iterator[HeaderLink]:
    for index, token in enumerate(question):
        others = () if token in header else lexicon().synonyms.get(token, ())
        for rank, other in enumerate(others):
            if other in header:
                yield HeaderLink(column, index, index + 1, (0.6 - 0.05 * rank) / len(header), True)
                break


def _derived(
    parsed: ParsedQuestion, question: list[str], header: Sequence[str], column: int
) -> Iterator[HeaderLink]:
    """Words made of the name by an ending: a column Dial has the dialling codes."""
    for index, token in enumerate(parsed.tokens):
        word = parsed.text[token.start : token.end].removesuffix("'s")
        for name in header:
            if len(name) < _LEAST_STEM or question[index] in header or not word.startswith(name):
                continue
            ending = word[len(name) :]
            if ending in lexicon().endings or (ending[:1] == name[-1] and ending[1:] in lexicon().endings):
                yield HeaderLink(column, index, index + 1, _DERIVED / len(header))
                break


def _longest(links: Sequence[HeaderLink]) -> list[HeaderLink]:
    """Without those that say less of a name in a part of the words of another: "city code" is no provinceCode."""
    return [
        link
        for link in links
        if not any(
            other.start <= link.start
            and link.end <= other.end
            and other.end - other.start > link.end - link.start
            and (other.share > link.share or (other.share == link.share and other.column != link.column))
            and not other.synonym
            for other in links
        )
    ]


def _surest(links: Sequence[HeaderLink]) -> list[HeaderLink]:
    """Of what the same words may name, that of which they say most: 候选人 is the column cand_name before cand_no."""
    best: dict[int, float] = {}
    for link in links:
        best[link.start] = max(best.get(link.start, 0.0), link.share)
    return [link for link in links if link.share >= _AS_SURE * best[link.start]]


class _Hit(NamedTuple):
    """Tokens [start, end) that stand for words of a name, by their places; `literal` where they are these words."""

    start: int
    end: int
    words: frozenset[int]
    worth: float
    literal: bool
    translated: bool


def _other_names(
    parsed: ParsedQuestion, question: list[str], header: Sequence[str], column: int
) -> Iterator[HeaderLink]:
    """Words that say a name in another way or language, together with those beside them that say it as it is."""
    hits: list[_Hit] = []
    # What cells say may head a column too: a place, women, the second quarter.
    for phrase in (*parsed.column_phrases, *parsed.cell_phrases):
        found = [
            _Hit(phrase.start, phrase.end, words, len(words) * _LESS_USUAL**rank, False, other.translated)
            for rank, other in enumerate(phrase.others)
            if (words := _words_of(other.stems, header))
        ]
        if found:
            hits.append(max(found, key=lambda hit: hit.worth))
    if not hits:
        return
    for start, end in _runs(question, header):
        if any(map(parsed.is_content, range(start, end))) and (
            end - start > 1 or not is_han(question[start])
        ):
            said = set(question[start:end])
            words = frozenset(at for at, word in enumerate(header) if word in said)
            hits.append(_Hit(start, end, words, len(words), True, False))
    hits.sort()
    covered = frozenset().union(*(hit.words for hit in hits))
    group: list[_Hit] = []
    for hit in (*hits, None):
        if hit is not None and (not group or _goes_on(parsed, max(each.end for each in group), hit.start)):
            group.append(hit)
            continue
        if any(not each.literal for each in group):
            yield _link_of(group, covered, header, column)
        group = [hit] if hit is not None else []


def _goes_on(parsed: ParsedQuestion, end: int, start: int) -> bool:
    """Whether nothing that means something else stands between two parts of a name."""
    between = range(end, start)
    return len(between) <= _BESIDE_IT and not any(
        parsed.is_content(at) and not is_han(parsed.tokens[at].stem) for at in between
    )


def _link_of(hits: Sequence[_Hit], covered: frozenset[int], header: Sequence[str], column: int) -> HeaderLink:
    best = max(hit.worth / len(hit.words) for hit in hits)
    synonym = not any(hit.literal or hit.translated for hit in hits)
    return HeaderLink(
        column,
        min(hit.start for hit in hits),
        max(hit.end for hit in hits),
        best * len(covered) / len(header) * (OF_SYNONYM if synonym else 1.0),
        synonym,
    )


def _words_of(words: tuple[str, ...], header: Sequence[str]) -> frozenset[int]:
    """The places of these words in a name that has all of them; Chinese characters side by side."""
    if is_han(words[0]):
        for start in range(len(header) - len(words) + 1):
            if tuple(header[start : start + len(words)]) == words:
                return frozenset(range(start, start + len(words)))
        return frozenset()
    places = {word: at for at, word in enumerate(header)}
    return frozenset(places[word] for word in words) if places.keys() >= set(words) else frozenset()


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


def cell_links(parsed: ParsedQuestion, prepared: PreparedTable) -> list[CellLink]:
    """The runs of the question's tokens that stand in cells, column by column, the longest of each cell.

    Where a whole cell stands in the question, cells that only contain the same words do not count.
    """
    if not prepared.width:
        return []
    found: list[NDArray[np.int64]] = []
    for index, token in enumerate(parsed.tokens):
        if parsed.is_content(index) and not is_han(token.stem):
            found.append(prepared.cells_with(token.stem))
    found += [prepared.cells_with_text(pair) for pair in parsed.terms if len(pair) == 2 and is_han(pair[0])]
    found += [_single(prepared, token.stem) for token in parsed.tokens if is_han(token.stem)]
    cells = np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)
    if not len(cells):
        return []
    rows, columns = np.divmod(cells, prepared.width)
    order = np.argsort(columns, kind="stable")
    rows, columns = rows[order], columns[order]
    starts = np.flatnonzero(np.diff(columns, prepend=-1))
    links: list[CellLink] = []
    for start, those in zip(starts.tolist(), np.split(rows, starts[1:]), strict=True):
        links += _column_links(parsed, prepared, int(columns[start]), those)
    return links


def _other_words(parsed: ParsedQuestion, prepared: PreparedTable) -> Iterator[CellLink]:
    """Cells that say a word of the question in another way: Italy for Italian, W for won."""
    for index, token in enumerate(parsed.tokens):
        for words in lexicon().cells.get(parsed.text[token.start : token.end], ()):
            cells = prepared.cells_with(words[0])
            if not len(cells) or len(cells) > 10 * _MOST_TEXTS:
                continue
            by_column: dict[int, list[int]] = defaultdict(list)
            for cell in cells.tolist():
                row, column = divmod(cell, prepared.width)
                stems = stems_of(prepared.cell(row, column))
                # A letter alone must begin its cell: W 3-1.
                begins = stems[: len(words)] == words
                if begins or (len(words[0]) > 1 and words in _parts(stems, len(words))):
                    by_column[column].append(row)
            for column, found in by_column.items():
                if len(words[0]) > 1 or len(found) >= _LEAST_LETTERS * prepared.height:
                    yield CellLink(column, index, index + 1, _OTHERWISE, np.array(found, dtype=np.int64))


def cells_said_otherwise(parsed: ParsedQuestion, prepared: PreparedTable) -> Iterator[CellLink]:
    """Cells that say words of the question in another language or in short: Germany for 德国, Fri for Friday."""
    for phrase in parsed.cell_phrases:
        for other in phrase.others:
            words = other.stems
            first = "".join(words) if is_han(words[0]) else words[0]
            cells = prepared.cells_with_text(first) if is_han(words[0]) else prepared.cells_with(first)
            if not len(cells) or len(cells) > 10 * _MOST_TEXTS:
                continue
            whole: dict[int, list[int]] = defaultdict(list)
            part: dict[int, list[int]] = defaultdict(list)
            for cell in cells.tolist():
                row, column = divmod(cell, prepared.width)
                stems = stems_of(prepared.cell(row, column))
                if stems == words:
                    whole[column].append(row)
                elif (
                    (len(words[0]) > 1 or is_han(words[0]))
                    and words in _parts(stems, len(words))
                    and len(words) >= _LEAST_SHARE * len(stems)
                ):
                    part[column].append(row)
            for column, rows in whole.items():
                yield CellLink(column, phrase.start, phrase.end, 1.0, np.array(rows, dtype=np.int64))
            for column, rows in part.items():
                if column not in whole:
                    yield CellLink(
                        column, phrase.start, phrase.end, _OTHERWISE, np.array(rows, dtype=np.int64)
                    )


def _parts(stems: Sequence[str], length: int) -> set[tuple[str, ...]]:
    return {tuple(stems[start : start + length]) for start in range(len(stems) - length + 1)}


def _single(prepared: PreparedTable, character: str) -> NDArray[np.int64]:
    """Cells that are one Chinese character and no more (男, 女)."""
    cells = prepared.cells_with(character)
    if len(cells) > 10 * _MOST_TEXTS:
        cells = cells[: 10 * _MOST_TEXTS]
    rows, columns = np.divmod(cells, prepared.width)
    alone = [
        prepared.cell(row, column).strip() == character for row, column in zip(rows, columns, strict=True)
    ]
    return cells[np.array(alone, dtype=bool)] if len(cells) else cells


def _column_links(
    parsed: ParsedQuestion, prepared: PreparedTable, column: int, rows: NDArray[np.int64]
) -> Iterator[CellLink]:
    question = tuple(token.stem for token in parsed.tokens)
    by_text: dict[str, list[int]] = defaultdict(list)
    for row in rows.tolist():
        by_text[prepared.cell(row, column)].append(row)
    by_run: dict[tuple[int, int], list[tuple[float, list[int]]]] = defaultdict(list)
    for count, (text, places) in enumerate(by_text.items()):
        if count == _MOST_TEXTS:
            break
        for start, end, share in _alignment(question, text):
            content = any(map(parsed.is_content, range(start, end)))
            whole = share == 1.0
            if (content or whole) and (end - start > 1 or whole or not is_han(question[start])):
                by_run[start, end].append((share, places))
    for (start, end), parts in by_run.items():
        best = max(share for share, _ in parts)
        # Longer runs that have this one in them are of the same cells' kind: "Gold" is not "Double Gold".
        # Unless the question says that the cell contains it.
        begin = parsed.tokens[start].start
        every = best < 1.0 or lexicon().containing.search(parsed.text[:begin]) is not None
        chosen = [places for share, places in parts if every or share == 1.0]
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


class LinkedTable:
    """A table as a question sees it; everything is found when it is first needed."""

    def __init__(self, parsed: ParsedQuestion, prepared: PreparedTable) -> None:
        self.parsed = parsed
        self.prepared = prepared
        self.height = prepared.height
        self.columns, self.key, self.totals = prepared.columns, prepared.key, prepared.totals
        self.is_wide = len(self.columns) > MOST_COLUMNS

    @cached_property
    def operation_spans(self) -> list[Span]:
        """Where the question says what to do: count, compare, take the largest, the first."""
        parsed = self.parsed
        spans = [span for cue in _DOING if (span := parsed.cue(cue))]
        spans += [(comparison.start, comparison.end) for comparison in self.comparisons]
        if self.superlative:
            spans.append((self.superlative.start, self.superlative.end))
        if parsed.order:
            spans.append(parsed.order[1])
        return spans

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """What rows are compared with, but numbers of columns' names: from 2015 to 2020, where these are two."""
        return [c for c in self.parsed.comparisons if not self._is_of_name(c)]

    def _is_of_name(self, comparison: Comparison) -> bool:
        span = self.tokens_in(comparison.literal.start, comparison.literal.end)
        words = {stem for at in span if (stem := self.parsed.tokens[at].stem) not in lexicon().of_years}
        if len(words) != 1 or not (word := words.pop()).isdecimal() or len(word) < _LEAST_APART:
            return False
        named = {link.column for link in self._names}
        return any(word in self.prepared.headers[column] for column in named)

    @cached_property
    def aggregate_spans(self) -> list[Span]:
        """Where it says total or average, which may be columns as well."""
        return [span for cue in _SUMMING if (span := self.parsed.cue(cue))]

    def _is_cue(self, start: int, end: int, spans: Sequence[Span]) -> bool:
        first, last = self.parsed.tokens[start].start, self.parsed.tokens[end - 1].end
        return any(span[0] <= first and last <= span[1] for span in spans)

    @cached_property
    def _names(self) -> list[HeaderLink]:
        return header_links(self.parsed, self.prepared.headers)

    @cached_property
    def superlative(self) -> SuperlativeSpan | None:
        """What is asked to be largest or smallest; none where it is part of a column's name, such as Best finish."""
        tokens = self.parsed.tokens
        named = [
            (tokens[link.start].start, tokens[link.end - 1].end)
            for link in self._names
            if not link.synonym and link.end - link.start > 1
        ]
        for found in self.parsed.superlatives:
            if not any(start <= found.start and found.end <= end for start, end in named):
                return found
        return None

    @cached_property
    def headers(self) -> list[HeaderLink]:
        """Names of columns in the question, except where they are words that say what to do."""
        links = [
            link
            for link in self._names
            # One character is a name in full, or a word for one: 几件 asks for the quantity.
            if (link.end - link.start == 1 and is_han(self.parsed.tokens[link.start].stem))
            or not self._is_cue(link.start, link.end, self.operation_spans)
        ]
        if not self.is_wide:
            return links
        return sorted(sorted(links, key=by_share_of_name)[:MOST_COLUMNS], key=attrgetter("column"))

    @cached_property
    def cells(self) -> list[CellLink]:
        """Cells in the question that can be meant, the surest first."""
        links = [link for link in cell_links(self.parsed, self.prepared) if self._can_be_meant(link)]
        links += [link for link in _other_words(self.parsed, self.prepared) if self._is_no_name(link)]
        links += [link for link in cells_said_otherwise(self.parsed, self.prepared) if self._is_no_name(link)]
        links.sort(key=self._worth, reverse=True)
        return links[:MOST_COLUMNS] if self.is_wide else links

    def _worth(self, link: CellLink) -> float:
        content = sum(map(self.parsed.is_content, range(link.start, link.end)))
        return (
            content
            + 0.5 * link.share
            + 0.4 * self._is_named(link)
            + 0.2 * (link.share == 1.0)
            - 0.01 * min(link.column, MOST_COLUMNS)
        )

    def _is_named(self, link: CellLink, *, synonyms: bool = True) -> bool:
        """Whether the name of the link's column stands beside it."""
        return any(
            0 <= link.start - header.end <= _NEAR or 0 <= header.start - link.end < _NEAR
            for header in self.headers
            if header.column == link.column and (synonyms or not header.synonym)
        )

    def _can_be_meant(self, link: CellLink) -> bool:
        parsed = self.parsed
        if self._is_cue(link.start, link.end, self.operation_spans + self.aggregate_spans):
            return False
        first, last = parsed.tokens[link.start], parsed.tokens[link.end - 1]
        if any(c.start < last.end and first.start < c.end for c in self.comparisons):
            return False
        words = [token.stem for token in parsed.tokens[link.start : link.end]]
        counted = parsed.cue("count")
        # "How many games" asks for rows, not for those that have "games" in a cell.
        if link.share < 1.0 and counted and 0 <= first.start - counted[1] <= 1:
            return False
        # 什么学位 asks for rows, not for those that have 学位 in a cell.
        which = parsed.cue("which")
        if link.share < 1.0 and which and is_han(words[0]) and first.start == which[1]:
            return False
        # "Which company" asks for rows, and "Deere & Company" is no company of that name.
        if (
            link.end - link.start == 1
            and link.start in parsed.asked_nouns
            and not self._is_whole(link, words)
        ):
            return False
        if self._numbers_of_names.issuperset(range(link.start, link.end)):
            return False
        if len(words) == 1 and not any(map(str.isalpha, words[0])):
            year = len(words[0]) == 4 and words[0].isdecimal() and self.columns[link.column].kind != "number"
            coded = link.share == 1.0 and self.columns[link.column].is_coded and len(words[0]) >= _LEAST_APART
            return year or coded or self._is_named(link)
        if len(words) == 1 and link.share < _LEAST_SHARE:
            return False
        if all(word in self.prepared.caption for word in words) and not self._is_category(link, words):
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

    def _is_no_name(self, link: CellLink) -> bool:
        """Whether the word neither says what to do nor names a column."""
        if self._is_cue(link.start, link.end, self.operation_spans + self.aggregate_spans):
            return False
        return not any(h.start <= link.start < h.end and not h.synonym for h in self.headers)

    def _is_whole(self, link: CellLink, words: Sequence[str]) -> bool:
        """Whether one of the cells has nothing else in it, or lists it as one of several things."""
        if link.share < 1.0:
            return False
        texts = {self.prepared.cell(row, link.column) for row in link.rows[:_MOST_TEXTS].tolist()}
        return any(
            stems_of(item) == tuple(words)
            for text in texts
            for item in _SEPARATED.split(_NOTE.sub(" ", text))
        )

    @cached_property
    def _numbers_of_names(self) -> frozenset[int]:
        """The numbers of the question that are part of a column's name, of which another word is there too."""
        return frozenset(
            index
            for link in self._names
            if not link.synonym and _says_more(self.parsed, link, self.prepared.headers[link.column])
            for index in range(link.start, link.end)
            if self.parsed.tokens[index].stem.isdecimal()
        )

    def _is_category(self, link: CellLink, words: Sequence[str]) -> bool:
        """Whether whole cells that recur in their column are named, in Chinese, where captions have many words."""
        return link.share == 1.0 and is_han(words[0]) and self.columns[link.column].distinct < 0.8

    def tokens_in(self, start: int, end: int) -> frozenset[int]:
        """The tokens of a span of the question."""
        tokens = self.parsed.tokens
        first = bisect_left(tokens, start, key=lambda token: token.start)
        last = bisect_left(tokens, end, lo=first, key=lambda token: token.start)
        return frozenset(index for index in range(first, last) if tokens[index].end <= end)

    @cached_property
    def wants_share(self) -> bool:
        """Whether the question asks for a share or a percentage."""
        return lexicon().share.search(self.parsed.text) is not None

    def run_of_names(self, link: HeaderLink) -> tuple[int, int]:
        """The tokens from the first to the last of the names that stand side by side with one."""
        start, end = link.start, link.end
        for _ in self.headers:
            starts = [other.start for other in self.headers if other.start < start <= other.end]
            ends = [other.end for other in self.headers if other.start <= end < other.end]
            if not starts and not ends:
                break
            start, end = min((start, *starts)), max((end, *ends))
        return start, end

    @cached_property
    def measures(self) -> list[Column]:
        """The columns of numbers that say how much: those called Value if any are, else all but parts of dates."""
        numbers = [c for c in self.of_kind("number") if not c.is_about("months") and not c.is_about("years")]
        return [c for c in numbers if c.is_about("measures")] or numbers

    def of_kind(self, kind: ColumnKind) -> list[Column]:
        """The columns of a kind; of numbers, those that only rank, number or locate the rows are left out."""
        return [
            c
            for c in self.columns
            if c.kind == kind
            and not (c.is_rank or c.is_index)
            and not (kind == "number" and c.is_about("coordinates"))
        ]
