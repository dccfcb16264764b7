"""Answers to questions of one's own, held against the answers that were expected: how many are right, how sure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from caveat.answerers.sheets import BETWEEN_ITEMS, AnswerRow, read_sheet
from caveat.core.certainty import certainty_of
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json_lines
from caveat.language.tokens import tokens

# What stands between variants of an expected answer, and between the items of an expected list.
_VARIANTS, _ITEMS = "|", ";"
# An answer may say so many times more than is expected; one that says less must have this much of it, by F1.
_LONGER, _ENOUGH = 3, 0.6
# A list is right from this F1 of its items.
_LIST_F1 = 0.7
_CONFIDENT = 0.5
_BINS = 10
_PARTS_OF_A_LIST = re.compile(r"\s*[;；、\n]\s*")
_YES_NO = {"yes": "yes", "no": "no", "是": "yes", "否": "no"}
_FIRST_WORD = re.compile(r"yes\b|no\b|是|否", re.IGNORECASE)


class Expected(NamedTuple):
    """What the answer to a question may be: the variants of each of its items; none where nothing answers it."""

    id: str
    question: str
    items: tuple[tuple[str, ...], ...]
    is_list: bool


class Judged(msgspec.Struct, frozen=True):
    """A question with what was answered, how probable that was called, and whether it is right."""

    id: str
    question: str
    expected: str
    answer: str
    probability: float
    right: bool


class Claim(msgspec.Struct, frozen=True):
    """The questions whose answers were called about so probable: how many they are, and how many per cent are right."""

    claimed: str
    questions: int
    mean_claim: float
    right: float


class Measured(msgspec.Struct, frozen=True):
    """How well questions were answered; all figures but counts and the error of calibration are on 0 to 100."""

    questions: int
    missing: int
    right: float
    confidently_wrong: float
    not_answered_though_expected: float
    calibration_error: float
    by_claim: tuple[Claim, ...]
    by_certainty: tuple[Claim, ...]
    details: tuple[Judged, ...] = ()


def measure_answers(gold: PathLike, answers: PathLike) -> Measured:
    """Answers as `caveat ask --questions` writes them (CSV, JSON lines), held against a CSV of expected ones.

    The columns of the latter are `question`, `expected`, and perhaps `id`. Variants of an answer stand between bars,
    the items of a list end in semicolons, and an empty cell says that the sources do not answer. A question without
    an answer is wrong.
    """
    expected = _expected(gold)
    given: dict[str, tuple[str, float]] = {}
    for id, question, text, probability in _given(answers):
        given[id] = given[question] = text, probability
    judged = []
    missing = 0
    for each in expected:
        found = given.get(each.id) or given.get(each.question)
        missing += found is None
        text, probability = found or ("", 0.0)
        shown = _ITEMS.join(_VARIANTS.join(item) for item in each.items)
        is_right = found is not None and says(text, each)
        judged.append(Judged(each.id, each.question, shown, text, probability, is_right))
    return measured(judged, missing)


def says(answer: str, expected: Expected) -> bool:
    """Whether an answer says what was expected."""
    if not expected.items:
        return not answer.strip()
    if not answer.strip():
        return False
    if expected.is_list:
        return _f1_of_items(answer, expected.items) >= _LIST_F1
    (variants,) = expected.items
    return any(_says(answer, variant) for variant in variants)


def measured(judged: Sequence[Judged], missing: int = 0) -> Measured:
    """The figures of what was judged."""
    count = len(judged) or 1
    wrong = [each for each in judged if not each.right]
    by_claim: dict[str, list[Judged]] = {}
    by_word: dict[str, list[Judged]] = {}
    for each in sorted(judged, key=lambda each: each.probability):
        bin = min(int(each.probability * _BINS), _BINS - 1)
        by_claim.setdefault(f"{100 * bin // _BINS}–{100 * (bin + 1) // _BINS} %", []).append(each)
        by_word.setdefault(certainty_of(each.probability), []).append(each)
    error = sum(abs(sum(each.probability - each.right for each in several)) for several in by_claim.values())
    return Measured(
        len(judged),
        missing,
        100 * sum(each.right for each in judged) / count,
        100 * sum(bool(each.answer) and each.probability >= _CONFIDENT for each in wrong) / count,
        100 * sum(not each.answer and bool(each.expected) for each in wrong) / count,
        error / count,
        tuple(_claim(name, several) for name, several in by_claim.items()),
        tuple(_claim(name, several) for name, several in by_word.items()),
        tuple(judged),
    )


def _claim(name: str, several: Sequence[Judged]) -> Claim:
    mean = sum(each.probability for each in several) / len(several)
    right = sum(each.right for each in several) / len(several)
    return Claim(name, len(several), 100 * mean, 100 * right)


def _expected(path: PathLike) -> list[Expected]:
    found = []
    for number, (line, row) in enumerate(read_sheet(path, "question", "expected"), 1):
        if not row["question"]:
            raise InputError("has an answer without a question", path=path, line=line)
        parts = [part for part in re.split(r"[;；]", row["expected"]) if part.strip()]
        items = tuple(tuple(each.strip() for each in part.split(_VARIANTS) if each.strip()) for part in parts)
        is_list = bool(re.search(r"[;；]", row["expected"]))
        found.append(
            Expected(row.get("id") or str(number), row["question"], tuple(filter(None, items)), is_list)
        )
    return found


def _given(path: PathLike) -> list[tuple[str, str, str, float]]:
    if str(path).removesuffix(".gz").endswith((".jsonl", ".json")):
        rows = (row for _, row in read_json_lines(path, AnswerRow))
        return [(row.id, row.question, row.answer, row.probability) for row in rows]
    found = []
    for line, row in read_sheet(path, "question", "answer", "probability"):
        try:
            probability = float(row["probability"])
        except ValueError:
            raise InputError(f"has no probability: {row['probability']!r}", path=path, line=line) from None
        found.append((row.get("id", ""), row["question"], row["answer"], probability))
    return found


def _says(answer: str, variant: str) -> bool:
    if (wanted := _YES_NO.get(variant.casefold())) is not None:
        first = _FIRST_WORD.match(answer.strip())
        return first is not None and _YES_NO[first[0].casefold()] == wanted
    given, expected = tokens(answer), tokens(variant)
    if not given or not expected:
        return False
    if given == expected:
        return True
    if _has(given, expected):
        return len(given) <= _LONGER * len(expected)
    enough = _f1(given, expected) >= _ENOUGH and _numbers(expected) <= _numbers(given)
    return enough and _has(expected, given)


def _has(whole: Sequence[str], part: Sequence[str]) -> bool:
    size = len(part)
    return any(list(whole[at : at + size]) == list(part) for at in range(len(whole) - size + 1))


def _f1(one: Sequence[str], other: Sequence[str]) -> float:
    common = sum((Counter(one) & Counter(other)).values())
    return 2 * common / (len(one) + len(other))


def _numbers(of: Sequence[str]) -> set[str]:
    return {token for token in of if token[0].isdigit()}


def _f1_of_items(answer: str, items: Sequence[Sequence[str]]) -> float:
    """F1 of the items, of the whole answer cut at its semicolons or at all that parts a list."""
    best = 0.0
    for pieces in (
        answer.split(BETWEEN_ITEMS.strip()),
        _PARTS_OF_A_LIST.split(answer),
        re.split("[,，]", answer),
    ):
        given = [piece for piece in pieces if tokens(piece)]
        hit = sum(any(_says(piece, each) for piece in given for each in item) for item in items)
        true = sum(any(_says(piece, each) for item in items for each in item) for piece in given)
        if hit and true:
            precision, recall = true / len(given), hit / len(items)
            best = max(best, 2 * precision * recall / (precision + recall))
    return best
