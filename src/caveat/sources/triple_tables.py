"""Triples in tables and in JSON: CSV as spreadsheets write it, columns by tabs, objects, and lists of three texts."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from caveat.core.answers import Triple
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_bytes, read_lines, read_rows
from caveat.sources.triple_lines import OnBad

# What the three columns are called, in the words of RDF, of knowledge graphs and of spreadsheets.
_HEADINGS = (
    frozenset({"subject", "s", "head", "entity", "主语", "主体", "主词", "实体", "头实体", "實體", "主語"}),
    frozenset(
        {
            "predicate",
            "p",
            "relation",
            "property",
            "attribute",
            "谓语",
            "谓词",
            "关系",
            "属性",
            "關係",
            "屬性",
        }
    ),
    frozenset({"object", "o", "tail", "value", "宾语", "客体", "值", "属性值", "尾实体", "賓語", "屬性值"}),
)
_LONGEST_CELL = 1 << 26
_PLAIN = (0, 1, 2)

Row = tuple[int, list[str]]


def heading_columns(row: Sequence[str]) -> tuple[int, int, int] | None:
    """Where a row of headings has subject, predicate and object; None if it is not one."""
    names = [cell.strip().lower() for cell in row]
    columns = [[at for at, name in enumerate(names) if name in known] for known in _HEADINGS]
    if any(len(found) != 1 for found in columns):
        return None
    return columns[0][0], columns[1][0], columns[2][0]


def read_csv_table(path: PathLike, on_bad: OnBad | None = None) -> Iterator[Triple]:
    """Triples from rows of three cells, or of those columns that the headings name."""
    return _triples(_csv_rows(path, on_bad), path, on_bad, "commas")


def read_tsv_table(path: PathLike, on_bad: OnBad | None = None) -> Iterator[Triple]:
    """The same from columns separated by tabs, which are never quoted."""
    return _triples(read_rows(path), path, on_bad, "tabs")


def _triples(rows: Iterator[Row], path: PathLike, on_bad: OnBad | None, between: str) -> Iterator[Triple]:
    columns: tuple[int, int, int] | None = None
    first = True
    for number, row in rows:
        if first:
            columns, first = heading_columns(row), False
            if columns is not None:
                continue
        if columns is None and between == "tabs" and len(row) > 3:
            # Without headings the object is the rest of the line, as where the triples were written.
            row = [row[0], row[1], "\t".join(row[2:])]
        s, p, o = columns or _PLAIN
        if len(row) > max(s, p, o) and (columns is not None or len(row) == 3):
            subject, predicate, object = row[s].strip(), row[p].strip(), row[o].strip()
            if subject and predicate and object:
                yield Triple(subject, predicate, object)
                continue
        if any(cell and not cell.isspace() for cell in row):
            text = ("," if between == "commas" else "\t").join(row)
            _bad(text, between, path, number, on_bad)


def _csv_rows(path: PathLike, on_bad: OnBad | None) -> Iterator[Row]:
    """The rows with the numbers of their first lines; a quoted cell may hold line breaks."""
    numbered = read_lines(path)
    at = 0

    def lines() -> Iterator[str]:
        nonlocal at
        for number, line in numbered:
            at = number
            yield f"{line}\n"

    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        rows = csv.reader(lines(), strict=True)
        while True:
            begin = at + 1
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                _bad(f"({error})", "commas", path, begin, on_bad)
                rows = csv.reader(lines(), strict=True)
                continue
            yield begin, row
    finally:
        csv.field_size_limit(before)


def _bad(text: str, between: str, path: PathLike, number: int, on_bad: OnBad | None) -> None:
    if on_bad is not None:
        on_bad(number, text)
        return
    problem = f"expected subject, predicate and object, none empty, with {between} between, got {text[:80]!r}"
    raise InputError(problem, path=path, line=number)


_EXPECTED = "expected subject, predicate and object: three texts in an object or a list"


def begins_with_triple(head: str) -> bool:
    """Whether the first object of a list, or of the lines, is a triple; `head` is the beginning of the file.

    Lists of three texts do not tell: any table may be made of them.
    """
    text = head.lstrip("\ufeff \t\r\n").removeprefix("[").lstrip()
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and _triple(value) is not None


def read_json_triples(path: PathLike, on_bad: OnBad | None = None) -> Iterator[Triple]:
    """The triples, as a stream where they stand in lines."""
    for line, value in _values(path, on_bad):
        triple = _triple(value)
        if triple is not None:
            yield triple
        elif on_bad is None:
            raise InputError(_EXPECTED, path=path, line=line)
        else:
            on_bad(line, json.dumps(value, ensure_ascii=False))


def _values(path: PathLike, on_bad: OnBad | None) -> Iterator[tuple[int, Any]]:
    first = next((line for _, line in read_lines(path) if line.strip()), "")
    if first.lstrip().startswith("[") and not _is_value(first):
        try:
            yield from enumerate(msgspec.json.decode(read_bytes(path), type=list[Any]), 1)
        except msgspec.DecodeError as error:
            raise InputError(f"is not JSON: {error}", path=path) from None
        return
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            value = msgspec.json.decode(line)
        except msgspec.DecodeError as error:
            if on_bad is None:
                raise InputError(f"is not JSON: {error}", path=path, line=number) from None
            on_bad(number, line)
            continue
        # One line may be the whole list.
        yield from ((number, each) for each in value) if _is_list_of_triples(value) else [(number, value)]


def _is_value(line: str) -> bool:
    try:
        msgspec.json.decode(line)
    except msgspec.DecodeError:
        return False
    return True


def _is_list_of_triples(value: Any) -> bool:
    return isinstance(value, list) and _triple(value) is None


def _triple(value: Any) -> Triple | None:
    if isinstance(value, list):
        parts = value if len(value) == 3 else []
    elif isinstance(value, dict):
        columns = heading_columns(list(value))
        cells = list(value.values())
        parts = [cells[at] for at in columns] if columns else []
    else:
        return None
    texts = [str(part) for part in parts if isinstance(part, str | int | float) and str(part).strip()]
    return Triple(*texts) if len(texts) == 3 else None
