"""The gold questions to score: all of a file, or the first so many."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TypeVar

from caveat.core.errors import InputError
from caveat.core.files import PathLike

__all__ = ["first_questions"]

Gold = TypeVar("Gold")


def first_questions(gold: Mapping[str, Gold], count: int | None, path: PathLike) -> dict[str, Gold]:
    """The first `count` questions in the order of the file `path`, or all of them; there must be one."""
    if not gold:
        raise InputError("has no questions, so there is nothing to score", path=path)
    return dict(islice(gold.items(), count))
