"""An answer and what it is made of: where it stands, what must hold for it, what shows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

# Of a text an interpreter shows no more than this.
_LONGEST = 60

AnswerKind = Literal["span", "yes", "no", "entity", "sentence", "table"]


class Triple(msgspec.Struct, frozen=True):
    """A fact: subject, predicate, object."""

    subject: str
    predicate: str
    object: str


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where something stands: the source's name, and in a text the half-open character span.

    `page` counts from 1, where the source has pages; `sentence` is what stands around the span, and contains it.
    """

    source: str
    start: int | None = None
    end: int | None = None
    headings: tuple[str, ...] = ()
    page: int | None = None
    sentence: str = ""


class Condition(msgspec.Struct, frozen=True, omit_defaults=True):
    """What must hold for an answer to hold, as the source says it, and the yes/no question to the asker.

    It holds where that question is answered as `wanted`: "unless you smoke" asks "Do you smoke?" and wants a no.
    Two conditions that ask the same are answered together.
    """

    text: str
    place: Place | None = None
    question: str = ""
    wanted: bool = True

    @property
    def fact(self) -> str:
        """What is asked for; two conditions that ask for the same are settled together."""
        return (self.question or self.text).casefold()


class AllOf(msgspec.Struct, frozen=True, tag="all"):
    """Every part must hold; without parts that is so."""

    parts: tuple[Requirement, ...] = ()


class AnyOf(msgspec.Struct, frozen=True, tag="any"):
    """One of the parts must hold; without parts none can."""

    parts: tuple[Requirement, ...] = ()


# A number is that of one of the answer's conditions.
Requirement = int | AllOf | AnyOf


class Cells(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where in a table an answer stands (a cell), what it was computed from, or a row that is the answer itself.

    `columns` and `rows` count from 0, without the header; the answer's own column comes first. `texts` are the cells
    of the first of these rows, a text a column. `operation` says what was looked up or computed, `number` is a computed
    number as it is, where the answer's text is made for people.
    """

    kind: Literal["cell", "computed", "table"]
    columns: tuple[int, ...]
    rows: tuple[int, ...]
    names: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...] = ()
    caption: str = ""
    operation: str = ""
    number: float | None = None


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer, how probable it is, what it depends on, what shows it, and the finer answers under it.

    All of its conditions must hold, unless `requires` says which of them do. `otherwise` marks the answer that holds
    where none of the others does: "no" beside "yes, if …".

    `triples` are what shows an answer from a knowledge base: those that were walked along, the last with the answer;
    `cells` are what shows an answer from a table.
    """

    text: str
    kind: AnswerKind
    score: float
    place: Place | None = None
    conditions: tuple[Condition, ...] = ()
    evidence: tuple[Place, ...] = ()
    parts: tuple[Answer, ...] = ()
    triples: tuple[Triple, ...] = ()
    cells: Cells | None = None
    requires: Requirement | None = None
    otherwise: bool = False

    def __post_init__(self) -> None:
        if not 0.0 <= self.score <= 1.0:
            raise ValueError(f"a score is a probability, got {self.score}")
        if any(not 0 <= number < len(self.conditions) for number in _numbers(self.requires)):
            raise ValueError("`requires` names a condition that the answer does not have")

    def __repr__(self) -> str:
        return _in_short(self)


def _numbers(requirement: Requirement | None) -> Iterator[int]:
    stack: list[Requirement] = [] if requirement is None else [requirement]
    while stack:
        part = stack.pop()
        if isinstance(part, int):
            yield part
        else:
            stack += reversed(part.parts)


def _in_short(answer: Answer) -> str:
    """Text, probability, where it stands, and how much it depends on."""
    parts = [repr(cut(answer.text)), f"{answer.score:.2f}"]
    if answer.place is not None:
        span = "" if answer.place.start is None else f":{answer.place.start}-{answer.place.end}"
        parts.append(f"{answer.place.source}{span}")
    for count, what in ((len(answer.conditions), "condition"), (len(answer.parts), "part")):
        if count:
            parts.append(f"{count} {what}{'s' * (count > 1)}")
    return f"<Answer {', '.join(parts)}>"


def cut(text: str) -> str:
    """A text of at most so many characters as an interpreter shows."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
