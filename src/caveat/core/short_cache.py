"""What was computed of a short text and is kept for the next time; of long ones a few would fill the memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Protocol, TypeVar, cast

LONGEST = 200
"""Characters of a text whose result is kept."""

Result = TypeVar("Result")
Given = TypeVar("Given", covariant=True)


class ShortCached(Protocol[Given]):
    """A function of a text."""

    __wrapped__: Callable[[str], Any]
    cache_clear: Callable[[], None]

    def __call__(self, text: str, /) -> Given: ...


def cache_short(maxsize: int) -> Callable[[Callable[[str], Result]], ShortCached[Result]]:
    """As `lru_cache`, for a function of one text: results of long texts are not kept."""

    def decorate(function: Callable[[str], Result]) -> ShortCached[Result]:
        cached = lru_cache(maxsize)(function)

        @wraps(function)
        def short(text: str) -> Result:
            return cached(text) if len(text) <= LONGEST else function(text)

        made = cast("ShortCached[Result]", short)
        made.cache_clear = cached.cache_clear
        return made

    return decorate
