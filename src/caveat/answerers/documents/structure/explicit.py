"""Conditions that a Chinese sentence says in so many words: 如果…，…

A tagger overlooks some of them, and an answer without its condition is a claim that the text does not make.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from caveat.answerers.documents.structure.spans import Span

__all__ = ["explicit_conditions"]

_SENTENCE = re.compile(r"[^。！？；!?;\n]+")
_CLAUSE = re.compile(r"[^，,：:\s]+")
_IF = re.compile(r"如果|若|假如|假使|倘若|要是|一旦")


def explicit_conditions(text: str, spans: Iterable[Span]) -> list[Span]:
    """Clauses that begin with a word for "if", behind which in their sentence an answer stands, as conditions.

    Those that overlap one of the spans are left to it.
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
