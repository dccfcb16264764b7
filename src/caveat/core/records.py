"""The words everything else is made of: sources, questions, answers with their conditions, replies.

Records are frozen and typed; JSON in and out is `to_json` and `from_json`, for every one of them.
Offsets are half-open and into the original text of the source.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeVar

import msgspec

from caveat.core.errors import InputError
from caveat.language.script import Language, language_of

__all__ = [
    "AllOf",
    "Answer",
    "AnswerKind",
    "AnyOf",
    "Cells",
    "Condition",
    "Document",
    "Element",
    "KnowledgeBase",
    "Place",
    "Question",
    "Reply",
    "Requirement",
    "Source",
    "Table",
    "Triple",
    "from_json",
    "to_json",
]

AnswerKind = Literal["span", "yes", "no", "entity", "sentence", "table"]


class Element(msgspec.Struct, frozen=True):
    """A paragraph, heading, list item or table row of a document: its text is `document.text[start:end]`."""

    tag: str
    text: str
    start: int
    end: int


class Document(msgspec.Struct, frozen=True, tag="document", omit_defaults=True):
    """A text and the elements it is made of; plain text, Markdown and HTML all become this."""

    text: str
    title: str = ""
    url: str = ""
    elements: tuple[Element, ...] = ()

    def __post_init__(self) -> None:
        for element in self.elements:
            if self.text[element.start : element.end] != element.text:
                raise ValueError(f"element at {element.start}:{element.end} is not the document's text there")


class Table(msgspec.Struct, frozen=True, tag="table", omit_defaults=True):
    """A table: caption, column headers, rows of cells."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    id: str = ""


class Triple(msgspec.Struct, frozen=True):
    """A fact: subject, predicate, object."""

    subject: str
    predicate: str
    object: str


class KnowledgeBase(msgspec.Struct, frozen=True, tag="knowledge", omit_defaults=True):
    """Triples in a file or an index; only where they are, since there may be millions."""

    path: str
    triples: int | None = None


Source = Document | Table | KnowledgeBase


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where something stands: the source's name, and in a text the half-open character span."""

    source: str
    start: int | None = None
    end: int | None = None
    headings: tuple[str, ...] = ()


class Condition(msgspec.Struct, frozen=True, omit_defaults=True):
    """What must hold for an answer to hold, as the source says it, and the yes/no question to the asker.

    It holds where that question is answered as `wanted`: "unless you smoke" asks "Do you smoke?" and wants a no.
    Two conditions that ask the same are answered together.
    """

    text: str
    place: Place | None = None
    question: str = ""
    wanted: bool = True


class AllOf(msgspec.Struct, frozen=True, tag="all"):
    """Every part must hold; without parts that is so."""

    parts: tuple[Requirement, ...] = ()


class AnyOf(msgspec.Struct, frozen=True, tag="any"):
    """One of the parts must hold; without parts none can."""

    parts: tuple[Requirement, ...] = ()


# A number is that of one of the answer's conditions.
Requirement = int | AllOf | AnyOf


class Cells(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where in a table an answer stands (a cell), what it was computed from, or the best rows of the table itself.

    `columns` and `rows` count from 0, without the header; the answer's own column comes first. `texts` are the cells
    of the first of these rows, a text a column. `operation` says what was looked up or computed.
    """

    kind: Literal["cell", "computed", "table"]
    columns: tuple[int, ...]
    rows: tuple[int, ...]
    names: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...] = ()
    caption: str = ""
    operation: str = ""


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


class Question(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is asked, and what the asker says about themselves."""

    text: str
    scenario: str = ""
    language: Language | None = None

    @property
    def spoken(self) -> Language:
        """The language given, or else the one that the script shows."""
        return self.language or language_of(self.text)


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answers to a question, most probable first, and the probability that the sources do not answer it.

    The answers are alternatives, or they hold together, side by side, each under its own conditions.
    """

    question: Question
    answers: tuple[Answer, ...] = ()
    unanswerable: float = 0.0
    together: bool = False

    def __post_init__(self) -> None:
        if not 0.0 <= self.unanswerable <= 1.0:
            raise ValueError(f"`unanswerable` is a probability, got {self.unanswerable}")
        scores = [answer.score for answer in self.answers]
        if scores != sorted(scores, reverse=True):
            raise ValueError("answers come most probable first")

    @property
    def answered(self) -> bool:
        """Whether an answer is more probable than that there is none; of answers that hold together, whether any is."""
        if not self.answers:
            return False
        # Answers that hold together do not compete with each other, but with none.
        return self.unanswerable <= (0.5 if self.together else self.answers[0].score)

    @property
    def open(self) -> tuple[Condition, ...]:
        """The conditions whose question is still to be answered, each question once, the most decisive first."""
        from caveat.core.settling import open_conditions

        return open_conditions(self)

    def settle(self, condition: Condition | str, answer: bool) -> Reply:
        """The reply once the condition's question, or the question itself, is answered with yes or no.

        Answers that need the opposite are gone, conditions that are met are dropped, and what was left over for the
        case that none holds comes forward.
        """
        from caveat.core.settling import settle

        return settle(self, condition, answer)


def _numbers(requirement: Requirement | None) -> Iterator[int]:
    stack: list[Requirement] = [] if requirement is None else [requirement]
    while stack:
        part = stack.pop()
        if isinstance(part, int):
            yield part
        else:
            stack += reversed(part.parts)


Record = TypeVar("Record")


def to_json(record: msgspec.Struct) -> str:
    """A record as JSON text; fields at their defaults are left out."""
    return msgspec.json.encode(record).decode("utf-8")


def from_json(text: str | bytes, type: type[Record]) -> Record:
    """JSON text as a record of `type`, checked; for any source use `Source`."""
    try:
        return msgspec.json.decode(text, type=type)
    except msgspec.DecodeError as error:
        raise InputError(f"not a {getattr(type, '__name__', 'record')}: {error}") from None
