"""Answers and replies in a few words, for an interpreter and for a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from caveat.core.certainty import certainty_of

if TYPE_CHECKING:
    from caveat.core.answers import Answer
    from caveat.core.records import Reply

_LONGEST = 60


def short_answer(answer: Answer) -> str:
    """Text, probability, where it stands, and how much it depends on."""
    parts = [repr(_cut(answer.text)), f"{answer.score:.2f}"]
    if answer.place is not None:
        span = "" if answer.place.start is None else f":{answer.place.start}-{answer.place.end}"
        parts.append(f"{answer.place.source}{span}")
    for count, what in ((len(answer.conditions), "condition"), (len(answer.parts), "part")):
        if count:
            parts.append(f"{count} {what}{'s' * (count > 1)}")
    return f"<Answer {', '.join(parts)}>"


def short_reply(question: str, answers: Sequence[Answer], unanswerable: float, *, answered: bool) -> str:
    """The question, and the first answer or that there is none."""
    if not answered:
        said = f"not answered, {unanswerable:.2f}"
    else:
        said = f"{_cut(answers[0].text)!r}, {answers[0].score:.2f}"
    more = f", {len(answers)} answers" if len(answers) > 1 else ""
    return f"<Reply to {_cut(question)!r}: {said}{more}>"


def html_of(reply: Reply) -> str:
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


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
