"""Names of a table's columns: invented where there is none, told apart where two are the same."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["column_names", "invented_name", "is_invented"]


def invented_name(index: int) -> str:
    """The name of a column that has none, by its place: "column 1" for the first."""
    return f"column {index + 1}"


def is_invented(name: str, index: int) -> bool:
    """Whether a column's name only says which column it is, and so nothing about what stands in it."""
    return name == invented_name(index)


def column_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names with blanks made single, empty ones invented, and a number after those that came before."""
    found: dict[str, None] = {}
    given = {" ".join(name.split()) for name in names}
    for index, raw in enumerate(names):
        name = plain = " ".join(raw.split()) or invented_name(index)
        number = 2
        while name in found or (name != plain and name in given):
            name = f"{plain} ({number})"
            number += 1
        found[name] = None
    return tuple(found)
