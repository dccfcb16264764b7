"""Typed spans of a context, the pairs of them that belong together, where they stand and the words beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from caveat.core.errors import InputError
from caveat.language.sentences import sentences

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


Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]

# A single line end is where a page was too narrow; an empty line ends a paragraph.
_WRAP = re.compile(r"(?<![\r\n])(?:\r\n|\r|\n)(?!\s*[\r\n])")
_CLAUSE_END = re.compile(r"[，,；;：:。！？!?…]+")

# Longer text between two spans does not join them.
_LONGEST_JOINT = 5


@dataclass(frozen=True)
class Layout:
    """Spans from left to right, their offsets into `text`, which is the context without its blanks."""

    text: str
    spans: list[Span]
    kind: Integers
    start: Integers
    end: Integers
    # The number of the sentence in which a span begins, and of the one that goes on after it.
    sentence: Integers
    end_sentence: Integers
    # Where the clause begins in which the span begins.
    clause_start: Integers


def lay_out(context: str, spans: Iterable[Span]) -> Layout:
    """The spans, each once, in their places."""
    ordered = in_order(spans)
    for span in ordered:
        if not 0 <= span.start < span.end <= len(context):
            raise InputError(
                f"the {span.kind} span [{span.start}, {span.end}) is not within the {len(context)} characters "
                "of the context"
            )
    blank = np.fromiter(map(str.isspace, context), bool, len(context))
    # How many characters before each offset are not blanks.
    squeezed = np.concatenate(([0], np.cumsum(~blank)))
    text = "".join(context.split())
    start = squeezed[[span.start for span in ordered]] if ordered else _none()
    end = squeezed[[span.end for span in ordered]] if ordered else _none()
    unwrapped = _WRAP.sub(lambda wrap: " " * len(wrap[0]), context)
    sentence_starts = squeezed[[first for first, _ in sentences(unwrapped)]] if text else _none()
    clause_ends = np.array([0, *(mark.end() for mark in _CLAUSE_END.finditer(text))])
    return Layout(
        text,
        ordered,
        np.array([KINDS.index(span.kind) for span in ordered], np.int64),
        start,
        end,
        np.searchsorted(sentence_starts, start, "right"),
        np.searchsorted(sentence_starts, end, "right"),
        clause_ends[np.searchsorted(clause_ends, start, "right") - 1],
    )


def _none() -> Integers:
    return np.zeros(0, np.int64)


def wordings(layout: Layout) -> dict[str, list[str]]:
    """For each place its words, one a span; "" where there is none.

    `before N` and `all before` reach back to the span before, `close before N` into it; `clause` is how the clause
    begins that the span stands in.
    """
    text = layout.text
    starts, ends = layout.start.tolist(), layout.end.tolist()
    previous, following = _previous_ends(layout), _following_starts(layout)
    before = list(zip(previous, starts, strict=True))
    after = list(zip(ends, following, strict=True))
    own = list(zip(starts, ends, strict=True))
    clauses = zip(layout.clause_start.tolist(), starts, strict=True)
    found = {
        "all before": [text[low:high] if high - low <= _LONGEST_JOINT else "" for low, high in before],
        "all after": [text[low:high] if high - low <= _LONGEST_JOINT else "" for low, high in after],
        "clause": [text[low : min(low + 2, high)] for low, high in clauses],
    }
    for length in (1, 2, 3):
        found[f"before {length}"] = [text[max(low, high - length) : high] for low, high in before]
        found[f"close before {length}"] = [text[max(0, at - length) : at] for at in starts]
        found[f"after {length}"] = [text[at : at + length] for at in ends]
    for length in (1, 2):
        found[f"first {length}"] = [text[low : min(low + length, high)] for low, high in own]
        found[f"last {length}"] = [text[max(low, high - length) : high] for low, high in own]
    return found


def _previous_ends(layout: Layout) -> list[int]:
    """Where the last span before each ends; 0 for the first."""
    ends = np.sort(layout.end)
    before: list[int] = np.append(0, ends)[np.searchsorted(ends, layout.start, "right")].tolist()
    return before


def _following_starts(layout: Layout) -> list[int]:
    """Where the next span after each begins; the text's end for the last."""
    starts = np.append(layout.start, len(layout.text))
    after: list[int] = starts[np.searchsorted(layout.start, layout.end)].tolist()
    return after
