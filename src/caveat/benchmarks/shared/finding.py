"""A finding: something in a data file that is not as it should be."""

from __future__ import annotations

import msgspec

from caveat.core.errors import one_line

__all__ = ["Finding"]


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of `caveat check`: what is wrong, and where."""

    rule: str
    message: str
    file: str
    line: int | None = None
    id: str | None = None

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        id = "" if self.id is None else f"{self.id}: "
        return one_line(f"{place}: {id}{self.message}", 1000) + f" [{self.rule}]"
