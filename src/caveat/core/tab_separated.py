"""Tab-separated lines without quoting, as the NLPCC tasks have them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_lines, write_lines

__all__ = ["read_rows", "write_rows"]


def read_rows(path: PathLike) -> Iterator[tuple[int, list[str]]]:
    """The columns of each line, as a stream, with the line's number; empty lines are passed over."""
    for number, line in read_lines(path):
        if line:
            yield number, line.split("\t")


def write_rows(path: PathLike, rows: Iterable[Sequence[str]]) -> None:
    """One line a row; text with a tab or a line break is refused, since it would not come back as it was."""
    write_lines(path, (_line(row, path, number) for number, row in enumerate(rows, 1)))


def _line(row: Sequence[str], path: PathLike, number: int) -> str:
    line = "\t".join(row)
    if line.count("\t") != len(row) - 1:
        column = next(column for column in row if "\t" in column)
        raise InputError(f"text with a tab cannot be one column: {column[:80]!r}", path=path, line=number)
    return line
