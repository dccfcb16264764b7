"""What a teacher is asked for, what it wrote, and what became of it."""

from __future__ import annotations

from typing import Literal

import msgspec

__all__ = ["WANTED", "Judged", "Kind", "Passage", "Taught", "Wanted", "Written"]

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


class Written(msgspec.Struct, frozen=True):
    """A question as the teacher writes it; `condition` is what a conditional answer depends on."""

    kind: Kind
    question: str
    quotation: str = ""
    condition: str = ""


class Taught(msgspec.Struct, frozen=True):
    """What the teacher is asked for: questions on one passage."""

    questions: tuple[Written, ...]


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
