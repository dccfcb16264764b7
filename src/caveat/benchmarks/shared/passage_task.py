"""What the tasks over passages (SQuAD, SQuAD 2.0, CMRC 2018) have in common; each gives its reader and its metric."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from caveat.benchmarks.shared.agreement import human_performance
from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.shared.findings import Finding
from caveat.benchmarks.shared.passage import Passage, gold_texts, questions_of, text_questions
from caveat.benchmarks.shared.predictions import read_answers
from caveat.benchmarks.shared.scores import Scored, first_questions
from caveat.benchmarks.task import DataFiles, EvaluationOptions, Prediction, Scorer, Task
from caveat.core.errors import CaveatError
from caveat.core.files import PathLike

__all__ = ["gold_answers", "passage_agreement", "passage_task"]

AnswerScorer = Callable[[str, Sequence[str]], tuple[float, float]]
PassageScorer = Callable[[Mapping[str, Sequence[str]], Mapping[str, str], EvaluationOptions], Scored]


def passage_task(
    *,
    name: str,
    summary: str,
    gold: str,
    read: Callable[[PathLike], Iterable[Passage]],
    score: PassageScorer,
    score_official: PassageScorer,
    score_answer: AnswerScorer,
    check: Callable[[PathLike], Iterator[Finding]],
    model: str,
    may_be_none: bool = False,
    options: frozenset[str] = frozenset({"first"}),
) -> Task:
    """A task whose data is passages and whose predictions are one text an id.

    `model` is the embedded reader that fits it; in a task whose questions may have no answer, that may be its answer.
    """

    def scorer(metric: PassageScorer) -> Scorer:
        def score_files(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
            golds = first_questions(gold_answers(read(gold)), options.first, gold)
            return metric(golds, read_answers(pred), options)

        return score_files

    def prediction() -> Prediction[Any]:
        from caveat.benchmarks.shared.reading_prediction import ReadingTask, reading_prediction

        return reading_prediction(
            ReadingTask(name, model, lambda data: text_questions(read(data)), may_be_none, read)
        )

    def statistics(files: DataFiles) -> Tables:
        from caveat.benchmarks.shared.passage_statistics import count_passages

        return count_passages(name, read(files.data))

    def agreement(files: Sequence[PathLike]) -> dict[str, object]:
        return passage_agreement([gold_answers(read(path)) for path in files], score_answer)

    return Task(
        name=name,
        summary=summary,
        gold=gold,
        predictions="JSON object id → text",
        read=lambda files: text_questions(read(files.data)),
        score=scorer(score),
        score_official=scorer(score_official),
        statistics=statistics,
        check=lambda files: check(files.data),
        predict=prediction,
        agreement=agreement,
        may_be_none=may_be_none,
        options=options,
    )


def gold_answers(passages: Iterable[Passage]) -> dict[str, list[str]]:
    """Id → gold strings; a repeated id counts once and its last question wins, as in the published scripts."""
    return {question.id: gold_texts(question) for _, question in questions_of(passages)}


def passage_agreement(files: Sequence[dict[str, list[str]]], score_answer: AnswerScorer) -> dict[str, object]:
    """Each annotator's answer against the others': of one file's several golds, or of one file an annotator."""
    if len(files) == 1:
        gold = files[0]
    else:
        shared = [id for id in files[0] if all(id in other for other in files[1:])]
        if not shared:
            raise CaveatError("The files have no question in common.")
        gold = {id: [(file[id] or [""])[0] for file in files] for id in shared}
    found = human_performance(gold, score_answer)
    if not found.questions:
        raise CaveatError(
            "No question has more than one answer: give a file with several annotations, or one file an annotator."
        )
    return {
        "exact_match": found.exact_match,
        "f1": found.f1,
        "annotators": found.annotators,
        "questions": found.questions,
        "left_out": found.left_out,
    }
