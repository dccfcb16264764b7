"""CMRC 2018: its checks, exact match and F1: F1 is over the longest common *contiguous* run of segments."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

from caveat.benchmarks.cmrc2018.format import read_passages
from caveat.benchmarks.shared import extractive_metric as extractive
from caveat.benchmarks.shared.checks import (
    SHARED_RULES,
    Finding,
    FirstLines,
    IdLines,
    Place,
    check_passage,
    quote,
    with_places,
)
from caveat.benchmarks.shared.passage import Passage, PassageQuestion, gold_texts
from caveat.benchmarks.shared.passage_task import passage_task
from caveat.benchmarks.shared.scores import Scored
from caveat.core.errors import CaveatError
from caveat.core.files import PathLike
from caveat.core.limits import checkpoint
from caveat.language.normalise import normalise_cmrc
from caveat.language.words import runs

# One character each stands for segments of several, out of the planes in which no letter has a place.
_PRIVATE = "\U00040000"
_MOST_CODES = sys.maxunicode - ord(_PRIVATE)


def longest_run(first: str, second: str) -> int:
    """The length, in segments, of the longest contiguous run of segments that two texts share."""
    codes: dict[str, str] = {}
    return _longest_run(_encode(normalise_cmrc(first), codes), _encode(normalise_cmrc(second), codes))


def _encode(normal: str, codes: dict[str, str]) -> str:
    """One character a segment, so that runs of segments become substrings, which Python searches in C."""
    pieces = []
    for ideographs, words in runs(normal):
        pieces.append(ideographs)
        for word in words:
            short = len(word) == 1 and word < _PRIVATE
            pieces.append(word if short else codes.setdefault(word, chr(ord(_PRIVATE) + len(codes))))
            if len(codes) > _MOST_CODES:
                raise CaveatError(f"An answer of more than {_MOST_CODES:,} different words cannot be scored.")
    return "".join(pieces)


def _longest_run(first: str, second: str) -> int:
    short, long = (first, second) if len(first) <= len(second) else (second, first)
    if short in long:
        return len(short)
    best = 0
    for start in range(len(short)):
        checkpoint()
        if start + best >= len(short):
            break
        while short[start : start + best + 1] in long:
            best += 1
            if start + best >= len(short):
                break
    return best


def score_answer(prediction: str, golds: Sequence[str]) -> tuple[float, float]:
    """Exact match and F1 (0–1); F1 is never below exact match, and no gold at all means "no answer"."""
    exact, f1 = score_answer_official(prediction, golds or ("",))
    return exact, max(exact, f1)


def score_answer_official(prediction: str, golds: Sequence[str]) -> tuple[float, float]:
    """Exact match and F1 (0–1) as published, each the maximum over the golds.

    Quirk: where both sides lose all their characters to the punctuation list, exact match is 1 and F1 is 0.
    """
    normal = normalise_cmrc(prediction)
    codes: dict[str, str] = {}
    encoded = _encode(normal, codes)
    exact = best = 0.0
    for wanted in {normalise_cmrc(gold) for gold in golds}:
        if wanted == normal:
            exact = 1.0
            if encoded:
                return 1.0, 1.0
            continue
        other = _encode(wanted, codes)
        if not (run := _longest_run(encoded, other)):
            continue
        # Written as published, so that the last bit agrees.
        precision = 1.0 * run / len(encoded)
        recall = 1.0 * run / len(other)
        best = max(best, (2 * precision * recall) / (precision + recall))
    return exact, best


def score(gold: Mapping[str, Sequence[str]], predicted: Mapping[str, str]) -> Scored:
    """Soundly: a missing prediction is wrong."""
    return _with_average(extractive.score_with(gold, predicted, score_answer))


def score_official(gold: Mapping[str, Sequence[str]], predicted: Mapping[str, str]) -> Scored:
    """As the published script: a missing prediction counts 0 and is reported as skipped."""
    extractive.need_golds(gold)
    return _with_average(extractive.score_with(gold, predicted, score_answer_official))


def _with_average(scored: Scored) -> Scored:
    exact, f1 = scored.scores["exact_match"], scored.scores["f1"]
    # Formed from unrounded values; the published script prints it with three digits as AVERAGE.
    average = None if exact is None else (exact + f1) * 0.5
    counts = {name: scored.scores[name] for name in ("total", "missing")}
    scores = {"exact_match": exact, "f1": f1, "average": average, **counts}
    return Scored(scores, scored.missing, scored.unknown, scored.details)


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
    score=lambda gold, predicted, options: score(gold, predicted),
    score_official=lambda gold, predicted, options: score_official(gold, predicted),
    score_answer=score_answer,
    check=check,
    model="reader-zh",
    published="cmrc2018/published.toml",
)
