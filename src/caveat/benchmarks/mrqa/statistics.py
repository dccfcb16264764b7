"""What is in an MRQA file: the figures of the shared task's Table 1, and how many answers were detected."""

from __future__ import annotations

from caveat.benchmarks.mrqa.format import open_file
from caveat.benchmarks.shared.count_tables import SUMMARY, Table, Tables, histogram, mean, summary
from caveat.core.files import PathLike
from caveat.language.words import words

__all__ = ["count"]


def count(data: PathLike) -> Tables:
    """Contexts, questions, answers and where they stand; tokens are the file's own where it has them."""
    header, contexts = open_file(data)
    context_lengths: list[int] = []
    questions_each: list[int] = []
    question_lengths: list[int] = []
    answers_each: list[int] = []
    detected_each: list[int] = []
    spans_each: list[int] = []
    span_lengths: list[int] = []
    for context in contexts:
        context_lengths.append(len(context.tokens or words(context.context)))
        questions_each.append(len(context.questions))
        for question in context.questions:
            question_lengths.append(len(question.tokens or words(question.question)))
            answers_each.append(len(question.answers))
            detected_each.append(sum(bool(detected.places) for detected in question.detected))
            for detected in question.detected:
                if detected.places:
                    spans_each.append(len(detected.places))
                # Without token spans in the file, tokens cannot be counted.
                span_lengths += [place.last - place.first for place in detected.places if place.first >= 0]
    pairs = list(zip(answers_each, detected_each, strict=True))
    named = " ".join(filter(None, (header.dataset, header.split)))
    return Tables(
        "mrqa",
        {
            "contexts": len(context_lengths),
            "questions": len(question_lengths),
            "answers": sum(answers_each),
            "detected_answers": sum(detected_each),
            "spans": sum(spans_each),
            "questions_partly_detected": sum(0 < detected < answers for answers, detected in pairs),
            "questions_without_detected_answer": sum(not detected for _, detected in pairs),
            "mean_question_tokens": mean(question_lengths),
            "mean_context_tokens": mean(context_lengths),
            "longest_context": max(context_lengths, default=None),
        },
        (
            Table(
                f"Lengths in tokens{named and f' ({named})'}",
                SUMMARY,
                (
                    summary("contexts", context_lengths),
                    summary("questions", question_lengths),
                    summary("spans", span_lengths),
                ),
            ),
            Table(
                "How many of each",
                SUMMARY,
                (
                    summary("questions per context", questions_each),
                    summary("answers per question", answers_each),
                    summary("detected answers per question", detected_each),
                    summary("spans per detected answer", spans_each),
                ),
            ),
        ),
        (
            histogram("Contexts by length", "tokens", context_lengths),
            histogram("Questions by length", "tokens", question_lengths),
            histogram("Spans by length", "tokens", span_lengths),
            histogram("Detected answers by places in the context", "places", spans_each),
        ),
    )
