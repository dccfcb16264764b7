"""Is a file in MRQA's format sound? Its tokens, its spans, and what every extractive set must keep to."""

from __future__ import annotations

from collections.abc import Iterator

from caveat.benchmarks.mrqa.format import DetectedAnswer, MrqaContext, MrqaHeader, MrqaQuestion, read_numbered
from caveat.benchmarks.shared.checks import (
    Finding,
    FirstLines,
    Place,
    duplicate_id,
    duplicate_question,
    empty_context,
    empty_question,
    quote,
    shared_rules,
)
from caveat.core.files import PathLike
from caveat.language.normalise import normalise_squad

MAXIMUM_TOKENS = 800


RULES = {
    **shared_rules(
        "duplicate-id",
        "empty-question",
        "empty-context",
        "duplicate-question",
        "no-answer",
        "answer-not-in-context",
    ),
    "missing-header": "A file does not begin with MRQA's header line.",
    "token-mismatch": "A context token is not what stands in the context at its offset.",
    "too-many-tokens": "A context has more than MRQA's 800 tokens.",
    "span-text-mismatch": "The characters of a detected answer do not normalise to the answer.",
    "span-not-aligned": "A detected answer begins or ends within a token.",
    "token-span-mismatch": "token_spans and char_spans of a detected answer are different places.",
}


class _Boundaries:
    """The numbers of the tokens that begin, and that end, at an offset of the context."""

    def __init__(self, context: MrqaContext) -> None:
        self.first = {at: index for index, (_, at) in enumerate(context.tokens)}
        self.last = {at + len(token): index + 1 for index, (token, at) in enumerate(context.tokens)}


def check(data: PathLike) -> Iterator[Finding]:
    """The findings in an MRQA file, as a stream."""
    ids: FirstLines[str] = FirstLines()
    file = str(data)
    header = False
    for line, item in read_numbered(data):
        if isinstance(item, MrqaHeader):
            header = True
            continue
        if not header:
            yield from missing_header(Place(file, line))
            header = True
        yield from _context(item, file, line, ids)
    if not header:
        yield from missing_header(Place(file))


def _context(context: MrqaContext, file: str, line: int, ids: FirstLines[str]) -> Iterator[Finding]:
    # A context's own id is often empty in the published files: it is found by its first question.
    whole = Place(file, line, context.questions[0].qid if context.questions else None)
    yield from empty_context(context.context, whole)
    yield from token_mismatch(context, whole)
    yield from too_many_tokens(context, whole)
    boundaries = _Boundaries(context)
    texts: dict[str, str] = {}
    for question in context.questions:
        place = Place(file, line, question.qid)
        yield from duplicate_id(question.qid, place, ids)
        yield from empty_question(question.question, place)
        yield from duplicate_question(question.qid, question.question, place, texts)
        yield from no_answer(question, place)
        yield from not_detected(question, place)
        for detected in question.detected:
            yield from span_text_mismatch(detected, context.context, place)
            if context.tokens:
                yield from span_not_aligned(detected, boundaries, place)
                yield from token_span_mismatch(detected, boundaries, place)


def missing_header(place: Place) -> Iterator[Finding]:
    """A file that begins with a context."""
    yield place.finding("missing-header", "the file does not begin with MRQA's header line")


def token_mismatch(context: MrqaContext, place: Place) -> Iterator[Finding]:
    """Tokens that are not what stands at their offsets; one finding a context."""
    wrong = [(t, at) for t, at in context.tokens if at < 0 or not context.context.startswith(t, at)]
    if wrong:
        token, at = wrong[0]
        found = quote(context.context[at : at + len(token)]) if at >= 0 else "nothing"
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        message = f"the context has {found} at {at}, not the token {quote(token)}{more}"
        yield place.finding("token-mismatch", message)


def too_many_tokens(context: MrqaContext, place: Place) -> Iterator[Finding]:
    """A context longer than the shared task's."""
    if len(context.tokens) > MAXIMUM_TOKENS:
        count = f"{len(context.tokens):,}"
        yield place.finding(
            "too-many-tokens", f"the context has {count} tokens, MRQA's end at {MAXIMUM_TOKENS}"
        )


def no_answer(question: MrqaQuestion, place: Place) -> Iterator[Finding]:
    """A question without gold strings: the published scorer stops there."""
    if not question.answers:
        yield place.finding("no-answer", "the question has no answer")


def not_detected(question: MrqaQuestion, place: Place) -> Iterator[Finding]:
    """A question none of whose answers has a place in the context: MRQA leaves such questions out."""
    if question.answers and not any(detected.places for detected in question.detected):
        shown = ", ".join(map(quote, question.answers[:3]))
        yield place.finding("answer-not-in-context", f"no answer is detected in the context: {shown}")


def span_text_mismatch(detected: DetectedAnswer, context: str, place: Place) -> Iterator[Finding]:
    """Characters that, once normalised, are not the answer (MRQA matches on the normalised text)."""
    wanted = normalise_squad(detected.text)
    for span in detected.places:
        found = context[span.start : span.end] if span.start >= 0 else ""
        if normalise_squad(found) != wanted:
            given = f"{_inclusive(span.start, span.end)} gives {quote(found)}"
            yield place.finding("span-text-mismatch", f"char_spans {given} for {quote(detected.text)}")


def span_not_aligned(detected: DetectedAnswer, boundaries: _Boundaries, place: Place) -> Iterator[Finding]:
    """Characters that begin or end within a token."""
    for span in detected.places:
        begins, ends = span.start in boundaries.first, span.end in boundaries.last
        if not (begins and ends):
            where = "ends" if begins else "begins" if ends else "begins and ends"
            given = f"{_inclusive(span.start, span.end)} of {quote(detected.text)}"
            yield place.finding("span-not-aligned", f"char_spans {given} {where} within a token")


def token_span_mismatch(detected: DetectedAnswer, boundaries: _Boundaries, place: Place) -> Iterator[Finding]:
    """Tokens that are not those of the characters."""
    for span in detected.places:
        first, last = boundaries.first.get(span.start), boundaries.last.get(span.end)
        if span.first < 0 or first is None or last is None:
            continue  # no token_spans given, or another rule's finding
        if (span.first, span.last) != (first, last):
            yield place.finding(
                "token-span-mismatch",
                f"token_spans {_inclusive(span.first, span.last)} of {quote(detected.text)} disagrees with "
                f"char_spans {_inclusive(span.start, span.end)}, which is {_inclusive(first, last)}",
            )


def _inclusive(start: int, end: int) -> str:
    """A span as it stands in the file: inclusive at both ends."""
    return f"[{start}, {end - 1}]"
