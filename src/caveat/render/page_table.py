"""A table as HTML, its answering cells marked; of a large one the rows and columns around the marks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby

from caveat.core.records import Table
from caveat.render.page_text import clean
from caveat.render.tree import CellMark
from caveat.render.words import Words

# A table with no more rows or columns than this is shown whole.
_FEW_ROWS, _FEW_COLUMNS = 30, 12
_LONGEST = 400

Cell = tuple[int, int]


def marked_table(table: Table, marks: Sequence[CellMark], words: Words) -> str:
    """The table with its caption; rows and columns far from any mark are left out, and counted."""
    return "".join(_Writer(table, marks, words).write())


class _Writer:
    """One table: a mark has its anchor where it is first met."""

    def __init__(self, table: Table, marks: Sequence[CellMark], words: Words) -> None:
        self.table = table
        self.words = words
        self.met: set[int] = set()
        self.whole = [mark for mark in marks if mark.whole]
        # By cell: the marks whose answer stands there, and those that it shows.
        self.answers: dict[Cell, list[CellMark]] = {}
        self.shows: dict[Cell, list[CellMark]] = {}
        for mark in marks:
            for cell in mark.answers:
                self.answers.setdefault(cell, []).append(mark)
            for cell in (*mark.used, *mark.shows):
                self.shows.setdefault(cell, []).append(mark)
        self.columns = self._shown_columns(marks)

    def _shown_columns(self, marks: Sequence[CellMark]) -> list[int]:
        every = range(len(self.table.headers))
        if len(every) <= _FEW_COLUMNS:
            return list(every)
        wanted = [column for mark in marks for column in mark.columns]
        return sorted(list(dict.fromkeys((*wanted, *every)))[:_FEW_COLUMNS])

    def write(self) -> Iterator[str]:
        yield "<table>\n"
        if self.table.caption or self.whole:
            caption = self._short(self.table.caption)
            yield f"<caption>{self._marked(caption, self.whole, answers=True) if self.whole else caption}</caption>\n"
        names = "".join(f'<th scope="col">{self._short(self.table.headers[c])}</th>' for c in self.columns)
        if left_out := len(self.table.headers) - len(self.columns):
            names += f'<th class="gap">… {self._left_out(self.words.columns, left_out)}</th>'
        yield f"<thead><tr>{names}</tr></thead>\n<tbody>\n"
        near = self._near()
        for shown, rows in groupby(range(len(self.table.rows)), key=near.__contains__):
            if shown:
                yield from map(self._row, rows)
            else:
                amount = self._left_out(self.words.rows, sum(1 for _ in rows))
                yield f'<tr><td class="gap" colspan="{len(self.columns)}">… {amount} …</td></tr>\n'
        yield "</tbody>\n</table>\n"

    def _near(self) -> set[int] | range:
        """The rows with marks and the rows beside them."""
        height = len(self.table.rows)
        if height <= _FEW_ROWS:
            return range(height)
        rows = {row for row, _ in (*self.answers, *self.shows)}
        for mark in self.whole:
            rows.update(mark.rows)
        return {near for row in rows or {0} for near in (row - 1, row, row + 1) if 0 <= near < height}

    def _row(self, row: int) -> str:
        cells = (self._cell(row, column) for column in self.columns)
        return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"

    def _cell(self, row: int, column: int) -> str:
        cells = self.table.rows[row]
        text = self._short(cells[column]) if column < len(cells) else ""
        if answers := self.answers.get((row, column)):
            return self._marked(text, answers, answers=True)
        if text and (shows := self.shows.get((row, column))):
            return self._marked(text, shows, answers=False)
        return text

    def _marked(self, text: str, marks: Iterable[CellMark], *, answers: bool) -> str:
        over = list(marks)
        # What only shows an answer has its label where the answer stands nowhere in the table.
        beginning = [mark for mark in over if mark.number not in self.met and (answers or not mark.answers)]
        self.met.update(mark.number for mark in beginning)
        kind = over[0].kind if answers else "evidence"
        attributes = f' data-of="{" ".join(str(mark.number) for mark in over)}"'
        if beginning:
            label = escape(" ".join(mark.label for mark in beginning))
            attributes += f' data-label="{label}" data-kind="{kind}"'
        edges = " first last" if answers else ""
        piece = f'<mark class="{kind}{edges}"{attributes}>{text}</mark>'
        if not beginning:
            return piece
        *outer, inner = beginning
        anchors = "".join(f'<i id="t{mark.number}"></i>' for mark in outer)
        return f'{anchors}<a id="t{inner.number}" href="#n{inner.node}">{piece}</a>'

    def _left_out(self, forms: tuple[str, str], number: int) -> str:
        return escape(self.words.left_out.format(self.words.count(forms, number)))

    def _short(self, text: str) -> str:
        return clean(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")
