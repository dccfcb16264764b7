"""The part of a table that shows an answer: its rows under the names of their columns, the answer highlighted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caveat.answerers.tables.answerer import answer_cells
from caveat.cli.terminal import plural
from caveat.core.records import Answer, Cells
from caveat.render.reply_text import clean, marked

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text
    from rich.tree import Tree

__all__ = ["add_cells"]

_MOST_ROWS = 5
_MOST_COLUMNS = 6
_LONGEST = 60


def add_cells(branch: Tree, answer: Answer, cells: Cells, plain: bool, *, first: bool = True) -> None:
    """Add what was done, and the rows that it was done with; a table alone has rows only if it is the first answer."""
    from rich.text import Text

    branch.add(Text(clean(cells.operation) or "the table alone"))
    if not cells.texts or (cells.kind == "table" and not first):
        return
    branch.add(_table(answer, cells, plain))
    if more := len(cells.rows) - min(len(cells.texts), _MOST_ROWS):
        branch.add(Text(f"… {plural(more, 'more row')}", style="dim"))


def _table(answer: Answer, cells: Cells, plain: bool) -> Table:
    from rich import box
    from rich.table import Table

    # The most important columns come first; they are shown in the table's own order.
    order = sorted(range(len(cells.columns))[:_MOST_COLUMNS], key=cells.columns.__getitem__)
    answers = set(answer_cells(answer))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in order:
        table.add_column(_cell(cells.names[column], "bold"), overflow="fold")
    for number, row in enumerate(cells.texts[:_MOST_ROWS]):
        table.add_row(
            *(
                marked(_short(row[column]), plain) if (number, column) in answers else _cell(row[column])
                for column in order
            )
        )
    return table


def _cell(text: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(_short(text), style)


def _short(text: str) -> str:
    text = clean(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
