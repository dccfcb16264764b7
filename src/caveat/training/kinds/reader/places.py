"""Where the gold answer stands in a passage: offsets are checked, repaired by finding the text, or found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.language.simplify import Simplified, simplify

__all__ = ["YES_NO", "answer_places", "as_parts", "occurrences", "simplified", "span_place"]

YES_NO = frozenset({"yes", "no"})


def answer_places(text: str, question: PassageQuestion) -> tuple[tuple[int, int], ...]:
    """Every place of the answer: the annotated one first, where it is right, then the others in the text's order.

    Of several annotators' answers the most frequent counts, the first among equals. "Yes" and "no" are
    judgements, whatever the text has, unless they were annotated at a place.
    """
    spans = [answer[0] for answer in question.answers if len(answer) == 1 and answer[0].text.strip()]
    for wanted, _ in Counter(span.text.strip() for span in spans).most_common():
        annotated = [
            place for span in spans if span.text.strip() == wanted and (place := _annotated(text, span))
        ]
        if wanted.lower() in YES_NO and not annotated:
            return ()
        if found := occurrences(text, wanted):
            return tuple(dict.fromkeys([*annotated[:1], *found]))
    return ()


def span_place(text: str, span: GoldSpan) -> tuple[int, int] | None:
    """The place of one span: where it was annotated or, where that is wrong, the nearest; without any, the first."""
    if place := _annotated(text, span):
        return place
    wanted = span.text.strip()
    found = occurrences(text, wanted) if wanted else []
    return min(found, key=lambda place: abs(place[0] - (span.start or 0)), default=None)


def _annotated(text: str, span: GoldSpan) -> tuple[int, int] | None:
    if span.start is None or span.start < 0:
        return None
    wanted = span.text.strip()
    start = span.start + span.text.index(wanted)
    return (start, start + len(wanted)) if text.startswith(wanted, start) else None


def occurrences(text: str, wanted: str) -> list[tuple[int, int]]:
    """Every place of a string; those inside a longer word or number only where there are no others."""
    found = [(match.start(), match.start() + len(wanted)) for match in re.finditer(re.escape(wanted), text)]
    whole = [
        place for place in found if not _inside_word(text, place[0]) and not _inside_word(text, place[1])
    ]
    return whole or found


def _inside_word(text: str, at: int) -> bool:
    """Whether a position has a letter or digit on both sides, in a script that writes words apart."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    return before.isascii() and after.isascii() and before.isalnum() and after.isalnum()


def simplified(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Passages in Simplified script; an answer keeps its offset where the conversion keeps offsets."""
    for passage in passages:
        text = simplify(passage.text)
        questions = tuple(
            msgspec.structs.replace(
                question,
                text=simplify(question.text).text,
                answers=tuple(
                    tuple(_simplified_span(span, passage.text, text) for span in answer)
                    for answer in question.answers
                ),
            )
            for question in passage.questions
        )
        yield msgspec.structs.replace(passage, text=text.text, questions=questions)


def _simplified_span(span: GoldSpan, original: str, text: Simplified) -> GoldSpan:
    if text.anchors is None and span.start is not None and original[span.start : span.end] == span.text:
        # A slice, not the converted answer: OpenCC reads phrases, so context may decide.
        return GoldSpan(text.text[span.start : span.end], span.start, span.extra)
    return GoldSpan(simplify(span.text).text, None, span.extra)


def as_parts(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Passages of a data set that lists the spans of one answer as if they were alternatives (Quoref)."""
    for passage in passages:
        questions = tuple(
            msgspec.structs.replace(
                question, answers=(tuple(span for answer in question.answers for span in answer),)
            )
            if len(question.answers) > 1
            else question
            for question in passage.questions
        )
        yield msgspec.structs.replace(passage, questions=questions)
