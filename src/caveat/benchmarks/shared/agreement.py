"""How far annotators agree: the ceiling that a system's figures are read against."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from typing import Any, TypeVar

import msgspec

from caveat.benchmarks.shared.scores import Scored, percentage
from caveat.benchmarks.task import Agreement
from caveat.core.errors import CaveatError
from caveat.core.files import PathLike

T = TypeVar("T")


class PairwiseScores(msgspec.Struct, frozen=True):
    """A task's own figures (0–100), averaged over all pairs of annotators, each taken for the gold in turn."""

    scores: dict[str, Any]
    annotators: int
    questions: int
    left_out: int


def pairwise_scores(
    annotators: Sequence[Mapping[str, T]], score: Callable[[Mapping[str, T], Mapping[str, T]], Scored]
) -> PairwiseScores:
    """The agreement of annotators by any task's metric; only the questions that all of them have count."""
    shared, left_out = shared_keys(annotators)
    chosen = [{key: annotator[key] for key in shared} for annotator in annotators]
    found = [score(gold, predicted).scores for gold, predicted in permutations(chosen, 2)]
    return PairwiseScores(mean_of(found), len(annotators), len(shared), left_out)


def mean_of(scores: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The mean of each figure, group by group; counts are left out, since they say nothing of agreement."""
    means: dict[str, Any] = {}
    for name in scores[0]:
        values = [value for each in scores if (value := each[name]) is not None]
        if values and isinstance(values[0], dict):
            means[name] = mean_of(values)
        elif values and isinstance(values[0], float):
            means[name] = sum(values) / len(values)
    return means


def shared_keys(annotators: Sequence[Mapping[str, object]]) -> tuple[list[str], int]:
    """The keys that every annotator has, in the first one's order, and the number of the others."""
    if len(annotators) < 2:
        raise CaveatError("Agreement needs at least two annotators, one file each.")
    shared = [key for key in annotators[0] if all(key in others for others in annotators[1:])]
    if not shared:
        raise CaveatError("The annotators have no question in common.")
    everything = {key for annotator in annotators for key in annotator}
    return shared, len(everything) - len(shared)


def pairwise_agreement(
    read: Callable[[PathLike], Mapping[str, T]],
    score: Callable[[Mapping[str, T], Mapping[str, T]], Scored],
) -> Agreement:
    """What a task whose data has ids and one annotation a file gives as its measure of agreement."""

    def agreement(files: Sequence[PathLike]) -> dict[str, object]:
        found = pairwise_scores([read(path) for path in files], score)
        return {
            **found.scores,
            "annotators": found.annotators,
            "questions": found.questions,
            "left_out": found.left_out,
        }

    return agreement


class HumanPerformance(msgspec.Struct, frozen=True):
    """Estimated human performance (0–100; None without a question that can be used) and what it rests on."""

    exact_match: float | None
    f1: float | None
    annotators: int
    questions: int
    left_out: int


def human_performance(
    gold: Mapping[str, Sequence[str]],
    score_answer: Callable[[str, list[str]], tuple[float, float]],
) -> HumanPerformance:
    """CMRC 2018's estimate: each annotator's answer in turn is scored against those of the others.

    `score_answer` gives a prediction's EM and F1 (0–1) against gold answers. Questions with fewer than two
    answers are left out and counted; `annotators` is the most answers that a question has.
    """
    used = [list(answers) for answers in gold.values() if len(answers) > 1]
    exact_match: list[float] = []
    f1: list[float] = []
    for answers in used:
        turns = [
            score_answer(answer, answers[:turn] + answers[turn + 1 :]) for turn, answer in enumerate(answers)
        ]
        # The mean of each question first: with a different number of answers each question weighs the same.
        exact_match.append(sum(em for em, _ in turns) / len(turns))
        f1.append(sum(value for _, value in turns) / len(turns))
    return HumanPerformance(
        percentage(exact_match),
        percentage(f1),
        max(map(len, used), default=0),
        len(used),
        len(gold) - len(used),
    )
