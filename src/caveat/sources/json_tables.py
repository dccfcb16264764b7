"""JSON as tables: a list of objects is a table, what is inside of an object is a column of its own.

An object of lists of objects is several tables; what it says beside them is a table of one row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from caveat.core.errors import InputError
from caveat.core.limits import current_limits, over
from caveat.sources.grid import RawTable

__all__ = ["decode_json", "json_tables"]

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
        yield RawTable(name, [[_cell(cell) for cell in row] for row in value])
        return
    if isinstance(value, list):
        yield from _rows([each for each in value if isinstance(each, dict)], name)
        return
    if not isinstance(value, dict) or depth > _DEEPEST:
        return
    inner = {key: each for key, each in value.items() if _is_table(each)}
    rest = {key: each for key, each in value.items() if key not in inner}
    yield from _rows([rest] if rest else [], name)
    for key, each in inner.items():
        yield from _tables(each, f"{name}: {key}" if name else key, depth + 1)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _rows(objects: list[dict[str, Any]], name: str) -> Iterator[RawTable]:
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
            yield name, _cell(each)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, list) and not any(isinstance(each, list | dict) for each in value):
        return _LISTED.join(map(_cell, value))
    text = value if isinstance(value, str | int) else msgspec.json.encode(value).decode("utf-8")
    return " ".join(str(text).split())
