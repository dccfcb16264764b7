"""What is in an NLPCC DBQA file: questions, candidate sentences, right ones, and repeated ones."""

from __future__ import annotations

from caveat.benchmarks.nlpcc.dbqa.format import read, runs
from caveat.benchmarks.shared.bins import histogram
from caveat.benchmarks.shared.count_tables import SUMMARY, Table, Tables, summary
from caveat.core.files import PathLike

__all__ = ["count"]


def count(data: PathLike) -> Tables:
    """Questions and pairs; where the file has no labels, what hangs on them is None."""
    question_lengths: list[int] = []
    sentence_lengths: list[int] = []
    candidates_each: list[int] = []
    right_each: list[int] = []
    repeated = questions_with_repeated = contradicting = 0
    labelled = True
    texts: set[str] = set()
    # The files have no ids: neighbouring lines with the same text are a question. The task's scorer makes one
    # question of all lines with that text, wherever they stand; `question_texts` is what it counts.
    for group in runs(read(data)):
        texts.add(group.question)
        question_lengths.append(len(group.question))
        candidates_each.append(len(group.pairs))
        labels: dict[str, set[int | None]] = {}
        right = 0
        for pair in group.pairs:
            sentence_lengths.append(len(pair.sentence))
            labels.setdefault(pair.sentence, set()).add(pair.label)
            labelled = labelled and pair.label is not None
            right += pair.label == 1
        right_each.append(right)
        repeated += len(group.pairs) - len(labels)
        questions_with_repeated += len(labels) < len(group.pairs)
        contradicting += sum(len(given) > 1 for given in labels.values())
    per_question = [summary("candidates per question", candidates_each)]
    histograms = [
        histogram("Questions by number of candidates", "candidates", candidates_each),
        histogram("Candidates by length", "characters", sentence_lengths),
    ]
    if labelled:
        per_question.append(summary("right candidates per question", right_each))
        histograms.insert(1, histogram("Questions by number of right candidates", "candidates", right_each))
    return Tables(
        "nlpcc-dbqa",
        {
            "questions": len(question_lengths),
            "question_texts": len(texts),
            "pairs": len(sentence_lengths),
            "positives": sum(right_each) if labelled else None,
            "questions_without_positive": right_each.count(0) if labelled else None,
            "repeated_candidates": repeated,
            "questions_with_repeated_candidates": questions_with_repeated,
            "candidates_with_contradicting_labels": contradicting if labelled else None,
        },
        (
            Table("How many of each", SUMMARY, tuple(per_question)),
            Table(
                "Lengths in characters",
                SUMMARY,
                (summary("questions", question_lengths), summary("candidates", sentence_lengths)),
            ),
        ),
        tuple(histograms),
    )
