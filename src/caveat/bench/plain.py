"""The plain algorithms of the published scorers, written down straight from their published definitions.

They are what the benchmark compares with, and what the tests compare with: slow, obvious, never used to score.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations

from caveat.language.normalise import CMRC_PUNCTUATION

__all__ = ["cmrc", "conditionalqa_question", "mrqa"]

Scores = tuple[float, float]

Conditional = Sequence[tuple[str, Sequence[str]]]


def _normal(text: str) -> str:
    text = "".join(character for character in text.lower() if character not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def _token_f1(prediction: str, gold: str) -> float:
    predicted, wanted = _normal(prediction).split(), _normal(gold).split()
    shared = sum((Counter(predicted) & Counter(wanted)).values())
    if not shared:
        return 0.0
    precision, recall = shared / len(predicted), shared / len(wanted)
    return 2 * precision * recall / (precision + recall)


def mrqa(gold: Mapping[str, Sequence[str]], predicted: Mapping[str, str]) -> Scores:
    """Exact match and F1: both sides normalised anew for each gold answer and each of the two metrics."""
    exact = f1 = 0.0
    for id, golds in gold.items():
        if id in predicted:
            exact += max(float(_normal(predicted[id]) == _normal(answer)) for answer in golds)
            f1 += max(_token_f1(predicted[id], answer) for answer in golds)
    return 100 * exact / len(gold), 100 * f1 / len(gold)


def cmrc_segments(text: str, word_tokenize: Callable[[str], list[str]]) -> list[str]:
    """CMRC's mixed segmentation, a character at a time."""
    segments: list[str] = []
    buffer = ""
    for character in text.lower().strip():
        if character in CMRC_PUNCTUATION:
            continue
        if re.search(r"[\u4e00-\u9fa5]", character):
            if buffer:
                segments.extend(word_tokenize(buffer))
                buffer = ""
            segments.append(character)
        else:
            buffer += character
    if buffer:
        segments.extend(word_tokenize(buffer))
    return segments


def longest_run(first: Sequence[str], second: Sequence[str]) -> int:
    """The longest common contiguous run by the full table of dynamic programming."""
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    best = 0
    for i in range(len(first)):
        for j in range(len(second)):
            if first[i] == second[j]:
                table[i + 1][j + 1] = table[i][j] + 1
                best = max(best, table[i + 1][j + 1])
    return best


def cmrc(
    gold: Mapping[str, Sequence[str]], predicted: Mapping[str, str], word_tokenize: Callable[[str], list[str]]
) -> Scores:
    """Exact match and F1 of CMRC 2018, both sides segmented anew for each gold answer."""

    def bare(text: str) -> str:
        return "".join(character for character in text.lower().strip() if character not in CMRC_PUNCTUATION)

    def f1(prediction: str, answer: str) -> float:
        wanted, found = cmrc_segments(answer, word_tokenize), cmrc_segments(prediction, word_tokenize)
        run = longest_run(wanted, found)
        if not run:
            return 0.0
        precision, recall = run / len(found), run / len(wanted)
        return 2 * precision * recall / (precision + recall)

    exact_sum = f1_sum = 0.0
    for id, golds in gold.items():
        if id in predicted:
            exact_sum += max(float(bare(predicted[id]) == bare(answer)) for answer in golds)
            f1_sum += max(f1(predicted[id], answer) for answer in golds)
    return 100 * exact_sum / len(gold), 100 * f1_sum / len(gold)


def conditionalqa_question(gold: Conditional, predicted: Conditional) -> tuple[float, ...]:
    """ConditionalQA's four scores (0–1) over every permutation of the predictions.

    Kinder than the published script, which scores every pair anew in every permutation: here once.
    """
    if not gold:
        return (float(not predicted),) * 4
    filled = [*predicted, *[("", ())] * (len(gold) - len(predicted))]
    pairs = [[_pair(p, g) for p in filled] for g in gold]
    best = [0.0] * 4
    for order in permutations(range(len(filled)), len(gold)):
        for measure in range(4):
            best[measure] = max(best[measure], sum(pairs[i][j][measure] for i, j in enumerate(order)))
    penalty = math.exp(1 - len(filled) / len(gold))
    return tuple(value / len(gold) * penalty for value in best)


def _pair(predicted: tuple[str, Sequence[str]], gold: tuple[str, Sequence[str]]) -> tuple[float, ...]:
    same = _normal(predicted[0]) == _normal(gold[0])
    exact, f1 = float(same), 1.0 if same else _token_f1(predicted[0], gold[0])
    ours, theirs = set(predicted[1]), set(gold[1])
    if not theirs:
        conditions = float(not ours)
    elif not (shared := len(ours & theirs)):
        conditions = 0.0
    else:
        precision, recall = shared / len(ours), shared / len(theirs)
        conditions = 2 * precision * recall / (precision + recall)
    return exact, exact * conditions, f1, f1 * conditions
