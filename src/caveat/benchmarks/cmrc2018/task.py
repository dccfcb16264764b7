"""CMRC 2018: extractive answers from Chinese Wikipedia paragraphs, in either of its two layouts.

Its data is checked by SQuAD's rules, and by two of CMRC's own annotation guideline.
"""

from __future__ import annotations

from collections.abc import Iterator

from caveat.benchmarks.cmrc2018 import metric as cmrc
from caveat.benchmarks.cmrc2018.format import read_passages
from caveat.benchmarks.shared.findings import Finding, FirstLines, IdLines, Place, quote
from caveat.benchmarks.shared.passage import Passage, PassageQuestion, gold_texts
from caveat.benchmarks.shared.passage_checks import SHARED_RULES, check_passage, with_places
from caveat.benchmarks.shared.passage_task import passage_task
from caveat.core.files import PathLike

RULES = {
    **SHARED_RULES,
    "too-many-questions": "A passage has more than the five questions that CMRC's guideline allows.",
    "long-answer": (
        "An answer has more than the 30 characters that CMRC's guideline allows; the published "
        "training set itself breaks this for one question in five."
    ),
}

# The annotation guideline of CMRC 2018 (Cui et al. 2019).
MAXIMUM_QUESTIONS = 5
MAXIMUM_ANSWER = 30


def check(data: PathLike) -> Iterator[Finding]:
    """The findings in a CMRC 2018 file."""
    ids: FirstLines[str] = FirstLines()
    lines = IdLines(data, "id", "query_id")
    for passage, places in with_places(read_passages(data), data, lines):
        yield from too_many_questions(passage, places)
        yield from check_passage(passage, places, ids)
        for question, place in zip(passage.questions, places, strict=True):
            yield from long_answer(question, place)


def too_many_questions(passage: Passage, places: list[Place]) -> Iterator[Finding]:
    """A passage with more than five questions; found at the sixth."""
    count = len(passage.questions)
    if count > MAXIMUM_QUESTIONS:
        yield places[MAXIMUM_QUESTIONS].finding(
            "too-many-questions",
            f"the passage has {count} questions, the guideline allows {MAXIMUM_QUESTIONS}",
        )


def long_answer(question: PassageQuestion, place: Place) -> Iterator[Finding]:
    """An answer of more than 30 characters; of several, the longest is told."""
    longest = max(gold_texts(question), key=len, default="")
    if len(longest) > MAXIMUM_ANSWER:
        yield place.finding(
            "long-answer",
            f"{quote(longest)} has {len(longest)} characters, the guideline allows {MAXIMUM_ANSWER}",
        )


TASK = passage_task(
    name="cmrc2018",
    summary="CMRC 2018: extractive answers from Wikipedia paragraphs (Chinese)",
    gold="CMRC's JSON, original list or SQuAD layout",
    read=read_passages,
    score=lambda gold, predicted, options: cmrc.score(gold, predicted),
    score_official=lambda gold, predicted, options: cmrc.score_official(gold, predicted),
    score_answer=cmrc.score_answer,
    check=check,
    model="reader-zh",
    published="cmrc2018/published.toml",
)
