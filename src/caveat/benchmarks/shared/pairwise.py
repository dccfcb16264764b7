"""Agreement of annotators, one file each, by a task's own metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from caveat.benchmarks.shared.agreement import pairwise_scores
from caveat.benchmarks.shared.scores import Scored
from caveat.benchmarks.task import Agreement
from caveat.core.files import PathLike

__all__ = ["pairwise_agreement"]

T = TypeVar("T")


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
