"""What a teacher is asked for, what it wrote, and what became of it."""

from __future__ import annotations

from typing import Literal

import msgspec

Kind = Literal["span", "none", "yes", "no", "conditional"]
# What can be asked for: whether something is so is asked for without saying how it is.
Wanted = Literal["span", "none", "yes-no", "conditional"]
WANTED: tuple[Wanted, ...] = ("span", "none", "yes-no", "conditional")


class Passage(msgspec.Struct, frozen=True):
    """A stretch of a source, with the title and headings over it."""

    id: str
    source: str
    title: str
    text: str


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """A question as the teacher writes it; `condition` is what a conditional answer depends on.

    In this order it is written: who has chosen an answer first asks for it, and not for whatever comes to mind.
    """

    kind: Kind
    quotation: str = ""
    condition: str = ""
    question: str


class Taught(msgspec.Struct, frozen=True):
    """What the teacher is asked for: questions on one passage."""

    questions: tuple[Written, ...]

    @property
    def written(self) -> tuple[Written, ...]:
        """The questions, each with its kind."""
        return self.questions


class WrittenSpan(msgspec.Struct, frozen=True):
    """A question whose answer is a few words, where no other kind is asked for."""

    quotation: str
    question: str


class TaughtSpans(msgspec.Struct, frozen=True):
    """What the teacher is asked for where every question is to have a span: the rest need not be explained to it."""

    questions: tuple[WrittenSpan, ...]

    @property
    def written(self) -> tuple[Written, ...]:
        """The questions, each with its kind."""
        return tuple(
            Written(kind="span", quotation=each.quotation, question=each.question) for each in self.questions
        )


class Judged(msgspec.Struct, frozen=True, omit_defaults=True):
    """A question of a passage; `dropped` is why it is not learnt from, empty where it is.

    `again` is what the teacher answered when it was asked its own question, `reader` what the present reader did.
    """

    passage: str
    written: Written
    place: tuple[int, int] | None = None
    condition: tuple[int, int] | None = None
    again: str = ""
    reader: str = ""
    dropped: str = ""
