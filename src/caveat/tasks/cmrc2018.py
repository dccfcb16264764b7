"""CMRC 2018: extractive answers from Chinese Wikipedia paragraphs, in either of its two layouts."""

from __future__ import annotations

from collections.abc import Iterator

from caveat.checks.finding import Finding
from caveat.formats.cmrc import read_passages
from caveat.formats.files import PathLike
from caveat.metrics import cmrc
from caveat.tasks.passages import passage_task

__all__ = ["TASK"]


def _check(path: PathLike) -> Iterator[Finding]:
    from caveat.checks.cmrc import check

    return check(path)


TASK = passage_task(
    name="cmrc2018",
    summary="CMRC 2018: extractive answers from Wikipedia paragraphs (Chinese)",
    gold="CMRC's JSON, original list or SQuAD layout",
    read=read_passages,
    score=lambda gold, predicted, options: cmrc.score(gold, predicted),
    score_official=lambda gold, predicted, options: cmrc.score_official(gold, predicted),
    score_answer=cmrc.score_answer,
    check=_check,
)
