"""A passage with its questions: what the extractive formats have in common, and what they convert through.

Offsets are half-open and into the passage's own text. What a format knows beyond this is kept in `extra`
under the format's own keys, so that a file can go through another format and come back whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

__all__ = ["GoldSpan", "Passage", "PassageQuestion", "gold_texts", "questions_of"]


class GoldSpan(msgspec.Struct, frozen=True, omit_defaults=True):
    """A gold answer's text and, where the data says so, where it begins in the passage."""

    text: str
    start: int | None = None
    extra: dict[str, Any] = {}

    @property
    def end(self) -> int | None:
        """Where the span ends (exclusive)."""
        return None if self.start is None else self.start + len(self.text)


class PassageQuestion(msgspec.Struct, frozen=True, omit_defaults=True):
    """A question and its gold answers: alternatives, each of one span or, in multi-span data, of several."""

    id: str
    text: str
    answers: tuple[tuple[GoldSpan, ...], ...] = ()
    extra: dict[str, Any] = {}

    @property
    def answerable(self) -> bool:
        """False where the data says that the passage does not answer the question."""
        flag = self.extra.get("is_impossible", False)
        if flag is True or (isinstance(flag, str) and flag.lower() == "true"):
            return False
        return any(span.text for answer in self.answers for span in answer)


class Passage(msgspec.Struct, frozen=True, omit_defaults=True):
    """A text and the questions on it; `article` numbers the SQuAD article it stands in."""

    text: str
    questions: tuple[PassageQuestion, ...] = ()
    id: str = ""
    title: str = ""
    article: int = 0
    extra: dict[str, Any] = {}
    article_extra: dict[str, Any] = {}


def questions_of(passages: Iterable[Passage]) -> Iterator[tuple[Passage, PassageQuestion]]:
    """Every question with its passage, in order."""
    for passage in passages:
        for question in passage.questions:
            yield passage, question


def gold_texts(question: PassageQuestion) -> list[str]:
    """The alternatives as strings, as single-answer metrics want them; spans of one answer are separate strings."""
    return [span.text for answer in question.answers for span in answer]
