"""A passage with its questions: what the extractive formats have in common, and what they convert through.

Offsets are half-open and into the passage's own text. What a format knows beyond this is kept in `extra`
under the format's own keys, so that a file can go through another format and come back whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Annotated, Any

import msgspec


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


class TextQuestion(msgspec.Struct, frozen=True):
    """A question and the text it is asked on, all that a system under test gets."""

    id: str
    question: str
    text: str


def text_questions(passages: Iterable[Passage]) -> Iterator[TextQuestion]:
    """What is asked on passages, in order."""
    for passage, question in questions_of(passages):
        yield TextQuestion(question.id, question.text, passage.text)


def gold_texts(question: PassageQuestion) -> list[str]:
    """The alternatives as strings, as single-answer metrics want them; spans of one answer are separate strings."""
    return [span.text for answer in question.answers for span in answer]


_STARTS, _PARTS, _EXTRA = FLAT_KEYS = ("answer_starts", "answer_parts", "answer_extra")


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
