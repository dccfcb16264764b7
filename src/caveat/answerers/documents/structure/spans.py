"""Typed spans of a context, the pairs of them that belong together, and conditions that a sentence states outright."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

import msgspec

Kind = Literal["condition", "coarse", "fine"]
KINDS: tuple[Kind, ...] = ("condition", "coarse", "fine")

_SENTENCE = re.compile(r"[^。！？；!?;\n]+")
_CLAUSE = re.compile(r"[^，,：:\s]+")
_IF = re.compile(r"如果|若|假如|假使|倘若|要是|一旦")


class Span(msgspec.Struct, frozen=True):
    """A condition or an answer, `context[start:end]`."""

    kind: Kind
    start: int
    end: int


Pair = tuple[Span, Span]
"""A condition and its answer, or a coarse answer and a finer one: head and tail."""


def in_order(spans: Iterable[Span]) -> list[Span]:
    """The spans, each once, from left to right; of those that begin together the widest first."""
    return sorted(set(spans), key=lambda span: (span.start, -span.end, KINDS.index(span.kind)))


def explicit_conditions(text: str, spans: Iterable[Span]) -> list[Span]:
    """Clauses that begin with a word for "if" and are followed by an answer in their sentence, as conditions.

    A tagger overlooks some of them, and an answer without its condition is a claim that the text does not make. Those
    that overlap one of the spans are left to it.
    """
    spans = list(spans)
    found: list[Span] = []
    for sentence in _SENTENCE.finditer(text):
        for clause in _CLAUSE.finditer(text, sentence.start(), sentence.end()):
            start, end = clause.span()
            if (
                _IF.match(text, start, end)
                and not any(span.start < end and start < span.end for span in spans)
                and any(end <= span.start < sentence.end() for span in spans if span.kind != "condition")
            ):
                found.append(Span("condition", start, end))
    return found
