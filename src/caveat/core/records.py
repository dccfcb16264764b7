"""The words everything else is made of: sources, questions, answers with their conditions, replies.

Records are frozen and typed; JSON in and out is `to_json` and `from_json`, for every one of them.
Offsets are half-open and into the original text of the source.
"""

from __future__ import annotations

import re
from html import escape
from typing import TypeVar

import msgspec

from caveat.core.answers import Answer, Condition, cut
from caveat.core.certainty import certainty_of
from caveat.core.errors import InputError
from caveat.core.languages import Language, default_language, language_of, registered
from caveat.core.settling import open_conditions, settle

_WORD = re.compile(r"[^\W\d_]{2,}")
# Fewer words are a name or a unit.
_FEWEST_WORDS = 3


class Element(msgspec.Struct, frozen=True):
    """A paragraph, heading, list item or table row of a document: its text is `document.text[start:end]`."""

    tag: str
    text: str
    start: int
    end: int


class Document(msgspec.Struct, frozen=True, tag="document", omit_defaults=True):
    """A text and the elements it is made of; plain text, Markdown, HTML and all other kinds of file become this.

    `pages` are the offsets at which its pages begin, where it has any.
    """

    text: str
    title: str = ""
    url: str = ""
    elements: tuple[Element, ...] = ()
    pages: tuple[int, ...] = ()

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

    @property
    def name(self) -> str:
        """What the table is called where an answer says its place."""
        return self.id or self.caption


class KnowledgeBase(msgspec.Struct, frozen=True, tag="knowledge", omit_defaults=True):
    """Triples in a file or an index; only where they are, since there may be millions."""

    path: str
    triples: int | None = None


Source = Document | Table | KnowledgeBase


class Question(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is asked, and what the asker says about themselves."""

    text: str
    scenario: str = ""
    language: Language | None = None

    @property
    def spoken(self) -> Language:
        """The language given, or else the one that the script shows."""
        return self.language or language_of(self.text)

    @property
    def told_in_another_language(self) -> bool:
        """Whether the scenario is in words of a language that the question is not in; numbers are of all."""
        spoken = self.spoken
        if (letters := registered()[spoken].own_letters) is None:
            return language_of(self.scenario) not in (spoken, default_language())
        return not letters.search(self.scenario) and len(_WORD.findall(self.scenario)) >= _FEWEST_WORDS


class Remark(msgspec.Struct, frozen=True):
    """What is to be said about a file: why it was not read, or how it was."""

    source: str
    text: str


class Correction(msgspec.Struct, frozen=True):
    """A word of the question as it was typed, and the word that was taken to be meant."""

    typed: str
    meant: str


class Hit(msgspec.Struct, frozen=True, omit_defaults=True):
    """A passage that was found: its text, where it stands, and how well it fits. Of a table it is rows.

    `marked` are the spans of the text, from its own beginning, that have words of what was searched for.
    """

    text: str
    source: str
    score: float
    start: int | None = None
    end: int | None = None
    headings: tuple[str, ...] = ()
    page: int | None = None
    marked: tuple[tuple[int, int], ...] = ()


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answers to a question, most probable first, and the probability that the sources do not answer it.

    The answers are alternatives, or they hold together, side by side, each under its own conditions. `unread` are the
    files of a folder that nothing was read of, and why; `remarks` say how others were read, such as in an encoding
    that was only guessed. `understood` are the typing errors of the question, which was answered without them.
    `passages` may help where nothing answers, or the answer is less than a guess.
    """

    question: Question
    answers: tuple[Answer, ...] = ()
    unanswerable: float = 0.0
    together: bool = False
    unread: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()
    understood: tuple[Correction, ...] = ()
    passages: tuple[Hit, ...] = ()

    def __post_init__(self) -> None:
        if not 0.0 <= self.unanswerable <= 1.0:
            raise ValueError(f"`unanswerable` is a probability, got {self.unanswerable}")
        scores = [answer.score for answer in self.answers]
        if scores != sorted(scores, reverse=True):
            raise ValueError("answers come most probable first")

    def __repr__(self) -> str:
        said = f"not answered, {self.unanswerable:.2f}"
        if self.answered:
            said = f"{cut(self.answers[0].text)!r}, {self.answers[0].score:.2f}"
        more = f", {len(self.answers)} answers" if len(self.answers) > 1 else ""
        return f"<Reply to {cut(self.question.text)!r}: {said}{more}>"

    def _repr_html_(self) -> str:
        return _in_html(self)

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
        return open_conditions(self.answers)

    def settle(self, condition: Condition | str, answer: bool) -> Reply:
        """The reply once the condition's question, or the question itself, is answered with yes or no.

        Answers that need the opposite are gone, conditions that are met are dropped, and what was left over for the
        case that none holds comes forward.
        """
        answers, unanswerable = settle(
            self.answers, self.unanswerable, condition, answer, together=self.together
        )
        return msgspec.structs.replace(self, answers=answers, unanswerable=unanswerable)


def _in_html(reply: Reply) -> str:
    """A reply for a notebook: each answer, how sure it is, its conditions, its sentence and its place."""
    lines = [f"<p><b>{escape(reply.question.text)}</b></p>"]
    if not reply.answered:
        lines.append(f"<p>Not found ({_sure(reply.unanswerable)})</p>")
    lines.append("<ol>")
    for answer in reply.answers:
        conditions = "".join(f"<li>☐ {escape(each.question or each.text)}</li>" for each in answer.conditions)
        lines.append(f"<li><b>{escape(answer.text)}</b> ({_sure(answer.score)})")
        lines.append(f"<ul>{conditions}</ul>" if conditions else "")
        if (place := answer.place) is not None:
            sentence = f"<q>{escape(place.sentence)}</q> — " if place.sentence else ""
            where = " › ".join((place.source, *place.headings))
            lines.append(f"<br>{sentence}<small>{escape(where)}</small>")
        lines.append("</li>")
    return "\n".join((*filter(None, lines), "</ol>"))


def _sure(score: float) -> str:
    return f"{certainty_of(score)}, {100 * score:.0f}%"


Record = TypeVar("Record")


def to_json(record: msgspec.Struct) -> str:
    """A record as JSON text; fields at their defaults are left out."""
    return msgspec.json.encode(record).decode("utf-8")


def from_json(text: str | bytes, type: type[Record]) -> Record:
    """JSON text as a record of `type`, checked; for any source use `Source`."""
    try:
        return msgspec.json.decode(text, type=type)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not a {getattr(type, '__name__', 'record')}: {error}") from None
