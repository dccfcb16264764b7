"""The condition under which a sentence of a page holds: its own, its list's, its headings' and its section's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from caveat.answerers.documents.conditions.readers import sentence_reader
from caveat.core.logic import All, Expression, simplify
from caveat.core.records import Question

if TYPE_CHECKING:
    from caveat.answerers.documents.page import Page

_NEED = re.compile(
    r"\b(?:needs?|ha(?:ve|s)|required|obliged|mandatory|necessary|compulsory)\b.{0,30}\bto\b|\bmust\b|\brequired?\b|\bneeds?\b",
    re.IGNORECASE,
)


def condition_of(
    page: Page, question: Question, at: int, start: int, end: int, *, told: bool = False
) -> Expression | None:
    """The condition of what `start:end`, in the page's element `at`, says; None where it depends on nothing.

    What the section demands or excepts elsewhere counts where it has most of the question's words; to be `told` to the
    asker, all of them, with its headings.
    """
    if (read := sentence_reader(page.language)) is not None:
        inside = page.document.elements[at]
        return read(page.book.places, at, start - inside.start, end - inside.start)
    concerns = page.held_by(question.text) if told else page.concerned(question.text)
    element, offset = page.book.stated_by(at) or (at, start)
    governing = page.book.governing(element, offset, concerns=concerns)
    # "You need to be a member to swim" says who may swim; asked whether one needs to be, it has no condition.
    demanded = None if _NEED.search(question.text) else page.book.demanded(at, start, end)
    parts = tuple(part for part in (governing, demanded) if part is not None)
    return simplify(All(parts)) if parts else None
