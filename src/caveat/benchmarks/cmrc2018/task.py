"""CMRC 2018: extractive answers from Chinese Wikipedia paragraphs, in either of its two layouts."""

from __future__ import annotations

from collections.abc import Iterator

from caveat.benchmarks.cmrc2018 import metric as cmrc
from caveat.benchmarks.cmrc2018.format import read_passages
from caveat.benchmarks.shared.findings import Finding
from caveat.benchmarks.shared.passage_task import passage_task
from caveat.core.files import PathLike

__all__ = ["TASK"]


def _check(path: PathLike) -> Iterator[Finding]:
    from caveat.benchmarks.cmrc2018.checks import check

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
    model="reader-zh",
)
