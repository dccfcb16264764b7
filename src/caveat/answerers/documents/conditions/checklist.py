"""Open conditions for a reader: the lines of a checklist, and the conditions of an answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from caveat.core.logic import All, Atom, Expression, Not, elements_of, simplify
from caveat.core.records import Condition, Document, Place
from caveat.sources.outline import headings_at

__all__ = ["Line", "checklist", "conditions_of"]


class Line(NamedTuple):
    """A line, indented by `depth`: "all of" or "any of" over the next depth, or a question and the answer wanted."""

    depth: int
    text: str
    atom: Atom | None = None
    wanted: bool = True


def checklist(expression: Expression) -> tuple[Line, ...]:
    """What is open, line by line: questions that must be answered as wanted, all of them unless "any of" says less.

    A Not is taken inside ("none of" is all of them answered the other way), so that every line is plain.
    """
    return tuple(_lines(simplify(expression), 0, True))


def _lines(expression: Expression, depth: int, wanted: bool) -> Iterator[Line]:
    if isinstance(expression, Atom):
        yield Line(depth, expression.question or expression.text, expression, wanted)
    elif isinstance(expression, Not):
        yield from _lines(expression.part, depth, not wanted)
    else:
        every = isinstance(expression, All) == wanted
        # The first list is "all of" as it stands.
        inside = depth if every and depth == 0 else depth + 1
        if inside > depth:
            yield Line(depth, "all of" if every else "any of")
        for part in expression.parts:
            yield from _lines(part, inside, wanted)


def conditions_of(document: Document, expression: Expression) -> tuple[Condition, ...]:
    """The elements that hold what is open, as the conditions of an answer: whole elements, each with its place."""
    source = document.url or document.title
    return tuple(
        Condition(
            element.text, Place(source, element.start, element.end, headings_at(document, element.start))
        )
        for element in (document.elements[index] for index in elements_of(simplify(expression)))
    )
