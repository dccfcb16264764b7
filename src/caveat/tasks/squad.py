"""SQuAD 1.1: extractive answers from Wikipedia paragraphs."""

from __future__ import annotations

from collections.abc import Iterator

from caveat.checks.finding import Finding
from caveat.formats.files import PathLike
from caveat.formats.squad import read_passages
from caveat.metrics import extractive
from caveat.tasks.passages import passage_task

__all__ = ["TASK", "check"]


def check(path: PathLike) -> Iterator[Finding]:
    """The rules of SQuAD's layout; loaded when asked for."""
    from caveat.checks.extractive import check

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
