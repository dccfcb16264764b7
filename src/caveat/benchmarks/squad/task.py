"""SQuAD 1.1: extractive answers from Wikipedia paragraphs."""

from __future__ import annotations

from collections.abc import Iterator

from caveat.benchmarks.shared import extractive
from caveat.benchmarks.shared.finding import Finding
from caveat.benchmarks.shared.passages import passage_task
from caveat.benchmarks.squad.format import read_passages
from caveat.core.files import PathLike

__all__ = ["TASK", "check"]


def check(path: PathLike) -> Iterator[Finding]:
    """The rules of SQuAD's layout; loaded when asked for."""
    from caveat.benchmarks.shared.extractive_checks import check

    return check(path)


TASK = passage_task(
    name="squad",
    summary="SQuAD 1.1: extractive answers from Wikipedia paragraphs (English)",
    gold="SQuAD's JSON",
    read=read_passages,
    score=lambda gold, predicted, options: extractive.score(gold, predicted),
    score_official=lambda gold, predicted, options: extractive.score_official(gold, predicted),
    score_answer=extractive.score_answer,
    check=check,
)
