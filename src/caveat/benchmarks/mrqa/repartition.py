"""The shared task's new division of the out-of-domain sets into development and test, no context in both."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable

import msgspec

from caveat.benchmarks.mrqa.format import MrqaContext, open_file, to_json_line, write
from caveat.core.files import PathLike

__all__ = ["Repartition", "repartition", "repartition_file"]


class Repartition(msgspec.Struct, frozen=True):
    """How many questions went where."""

    dev: int
    test: int
    left_out: int


def repartition_file(path: PathLike, dev: PathLike, test: PathLike, size: int = 1500) -> Repartition:
    """Part an MRQA file and write the two parts."""
    header, contexts = open_file(path)
    whole = list(contexts)
    parts = repartition(whole, size)
    for part, out, split in zip(parts, (dev, test), ("dev", "test"), strict=True):
        write(out, msgspec.structs.replace(header, split=split), part)
    first, second = map(_questions, parts)
    return Repartition(first, second, _questions(whole) - first - second)


def repartition(
    contexts: Iterable[MrqaContext], size: int = 1500
) -> tuple[list[MrqaContext], list[MrqaContext]]:
    """Development and test, each filled with whole contexts up to `size` questions, or half each if fewer.

    Contexts are drawn in the order of a hash of their text, so the division is the same for any order of the
    input, on any machine. What is left once both are full is in neither.
    """
    same_text: dict[str, list[MrqaContext]] = {}
    for context in contexts:
        same_text.setdefault(context.context, []).append(context)
    drawn = [sorted(same_text[text], key=to_json_line) for text in sorted(same_text, key=_draw)]
    total = sum(map(_questions, drawn))
    halved = total < 2 * size
    dev, test = _Part(total / 2 if halved else size), _Part(math.inf if halved else size)
    for group in drawn:
        if not dev.full:
            dev.add(group)
        elif not test.full:
            test.add(group)
    return dev.contexts, test.contexts


def _draw(text: str) -> tuple[bytes, str]:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), text


def _questions(group: list[MrqaContext]) -> int:
    return sum(len(context.questions) for context in group)


class _Part:
    def __init__(self, size: float) -> None:
        self.size = size
        self.questions = 0
        self.contexts: list[MrqaContext] = []

    @property
    def full(self) -> bool:
        return self.questions >= self.size

    def add(self, group: list[MrqaContext]) -> None:
        self.contexts.extend(group)
        self.questions += _questions(group)
