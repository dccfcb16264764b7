"""What the tasks over passages (SQuAD, SQuAD 2.0, CMRC 2018) have in common: reading gold answers, agreement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from caveat.errors import CaveatError
from caveat.formats.passage import Passage, gold_texts, questions_of
from caveat.metrics.agreement import human_performance

__all__ = ["gold_answers", "passage_agreement"]

AnswerScorer = Callable[[str, Sequence[str]], tuple[float, float]]


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
