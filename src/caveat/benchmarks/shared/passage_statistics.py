"""What is in a set of passages with questions: CMRC 2018's Table 1, and the faults that such files have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from caveat.benchmarks.shared.count_tables import (
    SUMMARY,
    Histogram,
    Table,
    Tables,
    histogram,
    shares,
    summary,
)
from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.language.words import segments_with_offsets, words

__all__ = ["count_passages"]

_KINDS = ("one span", "several spans", "yes or no", "unanswerable")


def count_passages(task: str, passages: Iterable[Passage]) -> Tables:
    """The passages, questions and answers of a file, their lengths in tokens, and offsets that are wrong."""
    articles: set[int] = set()
    passage_lengths: list[int] = []
    questions_each: list[int] = []
    question_lengths: list[int] = []
    answers_each: list[int] = []
    span_lengths: list[int] = []
    kinds: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    for passage in passages:
        articles.add(passage.article)
        passage_lengths.append(_length(passage.text))
        questions_each.append(len(passage.questions))
        for question in passage.questions:
            question_lengths.append(_length(question.text))
            kinds[_kind(question, passage.text)] += 1
            if question.answerable:
                answers_each.append(sum(any(span.text for span in answer) for answer in question.answers))
            for span in _spans(question):
                if not _is_yes_no(span, passage.text):
                    span_lengths.append(_length(span.text))
                    faults.update(_faults(span, passage.text))
    return Tables(
        task,
        {
            "articles": len(articles),
            "passages": len(passage_lengths),
            "questions": len(question_lengths),
            "answers": sum(answers_each),
            "unanswerable": kinds["unanswerable"],
            "yes_no": kinds["yes or no"],
            "multi_span": kinds["several spans"],
            "without_offset": faults["without offset"],
            "wrong_offsets": faults["wrong offset"],
            "answers_not_found": faults["not found"],
        },
        (
            Table(
                "Lengths in tokens",
                SUMMARY,
                (
                    summary("passages", passage_lengths),
                    summary("questions", question_lengths),
                    summary("answer spans", span_lengths),
                ),
            ),
            Table(
                "How many of each",
                SUMMARY,
                (
                    summary("questions per passage", questions_each),
                    summary("answers per answerable question", answers_each),
                ),
            ),
            Table(
                "Questions by kind of answer",
                ("", "questions", "%"),
                shares(((kind, kinds[kind]) for kind in _KINDS), len(question_lengths)),
            ),
        ),
        (
            histogram("Passages by length", "tokens", passage_lengths),
            histogram("Questions by length", "tokens", question_lengths),
            histogram("Answer spans by length", "tokens", span_lengths),
            Histogram("Questions by kind of answer", "", {kind: kinds[kind] for kind in _KINDS}),
        ),
    )


def _length(text: str) -> int:
    """Tokens: words, and in Chinese each ideograph, which gives lengths near to the paper's."""
    # ASCII has no ideographs to set apart: the words alone are the same, and cost half.
    return len(words(text) if text.isascii() else segments_with_offsets(text))


def _spans(question: PassageQuestion) -> list[GoldSpan]:
    # An empty text is how CAIL and DuReader say "no answer".
    return [span for answer in question.answers for span in answer if span.text]


def _kind(question: PassageQuestion, text: str) -> str:
    if not question.answerable:
        return "unanswerable"
    if any(_is_yes_no(span, text) for span in _spans(question)):
        return "yes or no"
    if any(len(answer) > 1 for answer in question.answers):
        return "several spans"
    return "one span"


def _is_yes_no(span: GoldSpan, text: str) -> bool:
    """Whether an answer judges, not quotes: "yes" or "no" that does not stand where its offset says."""
    return span.text.casefold() in ("yes", "no") and not _is_at_its_offset(span, text)


def _is_at_its_offset(span: GoldSpan, text: str) -> bool:
    return span.start is not None and span.start >= 0 and text.startswith(span.text, span.start)


def _faults(span: GoldSpan, text: str) -> list[str]:
    if _is_at_its_offset(span, text):
        return []
    offset = "without offset" if span.start is None else "wrong offset"
    return [offset] if span.text in text else [offset, "not found"]
