"""Gold answers as flat lists, for formats whose answers are plain strings.

Offsets, answers of several spans and unknown keys travel beside the strings under keys of their own, so that a
passage comes back as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Annotated, Any

import msgspec

from caveat.benchmarks.shared.passage import GoldSpan, PassageQuestion

__all__ = ["KEYS", "flatten", "unflatten"]

_STARTS, _PARTS, _EXTRA = KEYS = ("answer_starts", "answer_parts", "answer_extra")


class _Beside(msgspec.Struct):
    answer_starts: list[int | None] | None = None
    answer_parts: list[Annotated[int, msgspec.Meta(ge=0)]] | None = None
    answer_extra: list[dict[str, Any]] | None = None


def flatten(question: PassageQuestion) -> tuple[list[str], dict[str, Any]]:
    """The spans' texts, and what the texts alone do not say."""
    spans = [span for answer in question.answers for span in answer]
    beside: dict[str, Any] = {}
    if any(span.start is not None for span in spans):
        beside[_STARTS] = [span.start for span in spans]
    if any(len(answer) != 1 for answer in question.answers):
        beside[_PARTS] = [len(answer) for answer in question.answers]
    if any(span.extra for span in spans):
        beside[_EXTRA] = [span.extra for span in spans]
    return [span.text for span in spans], beside


def unflatten(texts: Sequence[str], beside: Mapping[str, Any]) -> tuple[tuple[GoldSpan, ...], ...]:
    """The answers that `flatten` made flat; plain strings become answers of one span without an offset.

    A file may have these keys from elsewhere: what does not fit the texts is a ValueError.
    """
    count = len(texts)
    given = msgspec.convert(dict(beside), _Beside)  # msgspec's error is a ValueError
    starts = given.answer_starts or [None] * count
    extras = given.answer_extra or [{}] * count
    sizes = given.answer_parts or [1] * count
    if not count == len(starts) == len(extras) == sum(sizes):
        raise ValueError(f"{_STARTS}, {_PARTS} or {_EXTRA} do not fit the {count} answers")
    spans = map(GoldSpan, texts, starts, extras)
    return tuple(tuple(islice(spans, size)) for size in sizes)
