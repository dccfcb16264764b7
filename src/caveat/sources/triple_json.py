"""Triples in JSON: a list, or lines, of objects with subject, predicate and object, or of three texts each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_bytes, read_lines
from caveat.core.records import Triple
from caveat.sources.triple_lines import OnBad
from caveat.sources.triple_tables import heading_columns

__all__ = ["begins_with_triple", "read_json_triples"]

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
