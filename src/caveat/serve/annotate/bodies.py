"""What requests of the annotation page hold, and what they are answered with; every record is its own JSON."""

from __future__ import annotations

from typing import Annotated

import msgspec

from caveat.annotation.records import (
    Annotator,
    Outcome,
    Remark,
    Sample,
    Stage,
    State,
    Suggestion,
    Task,
    Work,
)

RequestId = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
"""Made by the client; what is sent twice under one id is saved once."""


class Overview(msgspec.Struct, frozen=True):
    """The project, and who asks; whether items can come in the order of a model's uncertainty."""

    name: str
    task: Task
    me: Annotator
    uncertainty: bool
    counts: dict[str, int]


class Item(msgspec.Struct, frozen=True):
    """An item as one annotator sees it: never the work of another."""

    item: str
    sample: Sample
    stage: Stage
    state: State
    work: Work
    version: int
    remarks: tuple[Remark, ...]
    suggestion: Suggestion | None = None


class SaveBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A work, and the version that it was made from."""

    work: Work
    version: int
    request: RequestId


class MoveBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A step back or forward from a version."""

    version: int
    request: RequestId


class DoneBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether someone is through with an item."""

    done: bool = True


class CheckBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A work that is not to be saved yet."""

    work: Work


class OutcomeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What someone did with a suggestion."""

    outcome: Outcome


class Changed(msgspec.Struct, frozen=True):
    """What is on disk now, and what the rules say of it."""

    version: int
    work: Work
    remarks: tuple[Remark, ...]


class Checked(msgspec.Struct, frozen=True):
    """What the rules say."""

    remarks: tuple[Remark, ...]


class Stale(msgspec.Struct, frozen=True):
    """The work was changed elsewhere: what it is now. Nothing was saved."""

    error: str
    work: Work
    version: int


class Further(msgspec.Struct, frozen=True):
    """The item of a further question."""

    item: str


class Undecided(msgspec.Struct, frozen=True):
    """An item that annotators see differently, and whether someone has decided."""

    item: str
    annotators: tuple[str, ...]
    decided: bool


class Contested(msgspec.Struct, frozen=True):
    """Such an item side by side, and what holds so far."""

    item: str
    sample: Sample
    works: dict[str, Work]
    gold: Work | None
    version: int
    remarks: tuple[Remark, ...]
