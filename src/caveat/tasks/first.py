"""The first so many gold questions: a score on part of a file."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TypeVar

__all__ = ["first_questions"]

Gold = TypeVar("Gold")


def first_questions(gold: Mapping[str, Gold], count: int | None) -> dict[str, Gold]:
    """The first `count` questions in the file's order, or all of them."""
    return dict(islice(gold.items(), count))
