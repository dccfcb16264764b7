"""Tables in texts: CSV, TSV and their kin, whose separator is told by the content, and JSON."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from caveat.core.errors import InputError
from caveat.core.limits import checkpoint, current_limits, over
from caveat.sources.grid import RawTable

_DELIMITERS = (",", "\t", ";", "|")
_SAMPLE = 1 << 16
# A cell over more lines is a quotation mark that nobody closed.
_MOST_LINES = 200
# Excel writes which character parts the cells into the first line, and reads it there.
_DECLARED = re.compile(r"sep=(.)\r?\n")
# As sentences end; a table has few of them at the ends of its lines.
_SENTENCE_END = tuple(".!?:,…。！？：，")
_MARKS = str.maketrans("", "", "\ufeff\u200b")


class Dialect(NamedTuple):
    """What parts the cells, whether quotation marks hold cells together, and what escapes them inside of one."""

    delimiter: str
    quoted: bool = True
    escape: str | None = None


def read_delimited(text: str, *, expected: str | None = None) -> list[list[str]]:
    """The rows of a text, cells without the blanks around them; `expected` is the delimiter where others do as well."""
    declared = _DECLARED.match(text)
    if declared:
        text, dialect = text[declared.end() :], Dialect(declared[1])
    else:
        dialect = sniff(text, expected=expected)
    if dialect.quoted:
        try:
            return list(_rows(text, dialect))
        except _UnclosedError:
            dialect = dialect._replace(quoted=False)
    try:
        return list(_rows(text, dialect))
    except _UnclosedError:
        raise InputError("has a cell of more than 131,072 characters: it is not a table") from None


def is_delimited(text: str) -> bool:
    """Whether a text is a table rather than prose.

    Every line has two cells or more, and few of them end as sentences do; most have the same number of cells, and
    nearly all of them where commas have blanks behind them, as in prose.
    """
    if _DECLARED.match(text):
        return True
    sample = _beginning(text)
    dialect = sniff(sample)
    try:
        rows = [row for row in _rows(sample, dialect) if any(row)]
    except _UnclosedError:
        return False
    width, number = Counter(map(len, rows)).most_common(1)[0] if rows else (0, 0)
    ended = sum(row[-1].endswith(_SENTENCE_END) for row in rows)
    if len(rows) < 2 or min(map(len, rows)) < 2 or width < 2 or 4 * ended > len(rows):
        return False
    spaced = 10 * sample.count(f"{dialect.delimiter} ") > sample.count(dialect.delimiter)
    return number >= 0.9 * len(rows) and len(rows) > 2 if spaced else 2 * number >= len(rows)


def _beginning(text: str) -> str:
    """Whole lines from the beginning of a text."""
    sample = text[:_SAMPLE]
    if len(sample) < len(text) and (cut := max(sample.rfind("\n"), sample.rfind("\r"))) > 0:
        sample = sample[: cut + 1]
    return sample


def sniff(text: str, *, expected: str | None = None) -> Dialect:
    """The dialect in which most lines of the beginning have the same number of cells, and more than one."""
    sample = _beginning(text)
    escape = "\\" if '\\"' in sample and '""' not in sample else None
    best, highest = Dialect(expected or ",", True, escape), 0.0
    for delimiter in _DELIMITERS:
        if delimiter not in sample:
            continue
        for quoted in (True, False) if '"' in sample else (True,):
            dialect = Dialect(delimiter, quoted, escape if quoted else None)
            # Quotation marks mean something unless reading them as letters fits better.
            worth = (
                _regularity(sample, dialect)
                * (1.25 if delimiter == expected else 1.0)
                * (1.1 if quoted else 1.0)
            )
            if worth > highest:
                best, highest = dialect, worth
    return best


def _regularity(sample: str, dialect: Dialect) -> float:
    try:
        widths = Counter(len(row) for row in _rows(sample, dialect) if any(row))
    except _UnclosedError:
        return 0.0
    width, rows = max(widths.items(), key=lambda item: (item[1], item[0]), default=(1, 1))
    share = rows / max(widths.total(), 1)
    return share * share * (1 - 1 / max(width, 1))


class _UnclosedError(Exception):
    """A cell went on and on."""


def _rows(text: str, dialect: Dialect) -> Iterator[list[str]]:
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=dialect.delimiter,
        quoting=csv.QUOTE_MINIMAL if dialect.quoted else csv.QUOTE_NONE,
        escapechar=dialect.escape,
        skipinitialspace=dialect.delimiter != "\t",
    )
    known: dict[str, str] = {}
    before = 0
    try:
        for row in reader:
            checkpoint()
            if reader.line_num - before > _MOST_LINES:
                raise _UnclosedError
            before = reader.line_num
            # The same words stand in column after column: each is kept once.
            yield [known.setdefault(cell, cell) for cell in map(_cell, row)]
            if len(known) > 1_000_000:
                known.clear()
    except csv.Error:
        raise _UnclosedError from None


def _cell(text: str) -> str:
    text = text.strip()
    if "\n" in text or "\r" in text:
        text = " ".join(text.split())
    return text if text.isascii() else text.translate(_MARKS)


# JSON as tables: a list of objects is a table, what is inside of an object is a column of its own.
#
# An object of lists of objects is several tables; what it says beside them is a table of one row.

# Objects inside of one another; deeper ones are shown as JSON.
_DEEPEST = 8
_LISTED = "; "


def decode_json(text: str) -> Any:
    """One value, or the values of lines that are one each."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        fault = error
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    values: list[Any] = []
    for number, line in lines:
        try:
            values.append(msgspec.json.decode(line))
        except msgspec.DecodeError as error:
            # A file whose first line is no value is one value that is wrong somewhere.
            if not values or len(lines) == 1:
                raise InputError(f"is not JSON: {fault}") from None
            raise InputError(f"is not JSON: {error}", line=number) from None
    return values


def json_tables(value: Any, name: str) -> list[RawTable]:
    """The tables in a value; InputError where there is none."""
    found = [table for table in _tables(value, name, 0) if table.rows]
    if not found:
        raise InputError("holds no objects that would make a table")
    return found


def _tables(value: Any, name: str, depth: int) -> Iterator[RawTable]:
    if isinstance(value, list) and value and all(isinstance(each, list) for each in value):
        yield RawTable(name, [[_shown_value(cell) for cell in row] for row in value])
        return
    if isinstance(value, list):
        yield from _object_rows([each for each in value if isinstance(each, dict)], name)
        return
    if not isinstance(value, dict) or depth > _DEEPEST:
        return
    inner = {key: each for key, each in value.items() if _is_table(each)}
    rest = {key: each for key, each in value.items() if key not in inner}
    yield from _object_rows([rest] if rest else [], name)
    for key, each in inner.items():
        yield from _tables(each, f"{name}: {key}" if name else key, depth + 1)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _object_rows(objects: list[dict[str, Any]], name: str) -> Iterator[RawTable]:
    rows = [dict(_flat(each, "", 0)) for each in objects]
    columns = list(dict.fromkeys(key for row in rows for key in row))
    if len(columns) * (len(rows) + 1) > (most := current_limits().cells):
        raise over("cells", f"has a table of more than {most:,} cells")
    if columns:
        yield RawTable(name, [columns, *([row.get(key, "") for key in columns] for row in rows)], 1)


def _flat(value: dict[str, Any], before: str, depth: int) -> Iterator[tuple[str, str]]:
    """The columns of an object; those of an object inside are named by both: "address city"."""
    for key, each in value.items():
        name = f"{before} {key}".strip() or "value"
        if isinstance(each, dict) and each and depth < _DEEPEST:
            yield from _flat(each, name, depth + 1)
        else:
            yield name, _shown_value(each)


def _shown_value(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, list) and not any(isinstance(each, list | dict) for each in value):
        return _LISTED.join(map(_shown_value, value))
    text = value if isinstance(value, str | int) else msgspec.json.encode(value).decode("utf-8")
    return " ".join(str(text).split())
