"""Our scorers against the plain algorithms of the published ones, on generated answers of realistic lengths."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from random import Random
from typing import Any

from caveat.bench.measure import Measured, Watch, compare, in_time
from caveat.bench.questions import SYLLABLES
from caveat.benchmarks.cmrc2018 import task as cmrc
from caveat.benchmarks.conditionalqa import metric as conditionalqa
from caveat.benchmarks.shared import extractive_metric as extractive
from caveat.language import words
from caveat.language.normalise import CMRC_PUNCTUATION

# The plain algorithms of the published scorers, written down straight from their published definitions.
#
# They are what the benchmark compares with, and what the tests compare with: slow, obvious, never used to score.

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


def plain_mrqa(gold: Mapping[str, Sequence[str]], predicted: Mapping[str, str]) -> Scores:
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


def plain_cmrc(
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


def plain_conditionalqa(gold: Conditional, predicted: Conditional) -> tuple[float, ...]:
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


Answers = tuple[dict[str, list[str]], dict[str, str]]


def bench_metrics(repeats: int = 5, watch: Watch = lambda items, total: items) -> Measured:
    """Ratios for CMRC 2018, MRQA 2019 and ConditionalQA; every scorer must agree with its plain twin first."""
    word_tokenize, tokenizer = _word_tokenizer()
    chinese = _chinese_answers(3_000)
    english = _english_answers(10_507)
    conditional = _conditional_answers(9)
    benches: list[tuple[str, Callable[[], Any], Callable[[], Any]]] = [
        (
            "CMRC 2018, 3,000 answers",
            lambda: plain_cmrc(*chinese, word_tokenize),
            _cold(lambda: _figures(cmrc.score_official(*chinese))),
        ),
        (
            "MRQA 2019, 10,507 questions",
            lambda: plain_mrqa(*english),
            _cold(lambda: _figures(extractive.score_official(*english))),
        ),
        (
            "ConditionalQA, 9 answers a question",
            lambda: plain_conditionalqa(*conditional),
            _cold(lambda: conditionalqa.score_question(*conditional)),
        ),
    ]
    rows: list[tuple[str | int | float, ...]] = []
    for name, slow, fast in watch(benches, len(benches)):
        _agree(name, slow(), fast())
        found = compare(slow, fast, repeats)
        rows.append(
            (
                name,
                in_time(found.plain),
                in_time(found.ours),
                f"{found.ratio:,.0f}×",
                f"{found.smallest:,.0f}–{found.largest:,.0f}×",
            )
        )
    return Measured(
        "Metrics against the plain algorithm of the published scorers",
        ("metric", "plain", "caveat", "ratio", "spread"),
        tuple(rows),
        (
            f"Median of {repeats} repeats in one run, caches emptied before each; generated answers; "
            f"plain CMRC scoring uses {tokenizer}.",
        ),
    )


def _cold(action: Callable[[], Any]) -> Callable[[], Any]:
    """The action with every cache emptied first: a user scores a file once."""
    from caveat.language.normalise import normalise_squad

    def run() -> Any:
        normalise_squad.cache_clear()
        words._treebank_cut.cache_clear()
        return action()

    return run


def _word_tokenizer() -> tuple[Callable[[str], list[str]], str]:
    try:
        from nltk.tokenize import NLTKWordTokenizer
    except ImportError:
        # Without nltk the plain algorithm gets our tokenizer, and with it our cache: the ratio is then too small.
        return words.treebank_words, "our own word tokenizer (nltk is not installed)"
    return NLTKWordTokenizer().tokenize, "nltk's word tokenizer, as published"


def _figures(scored: Any) -> tuple[float, float]:
    return scored.scores["exact_match"], scored.scores["f1"]


def _agree(name: str, slow: Any, fast: Any) -> None:
    if any(abs(a - b) > 1e-9 * max(1.0, abs(a)) for a, b in zip(slow, fast, strict=True)):
        raise RuntimeError(f"{name}: the plain algorithm gives {slow}, ours {fast}")


def _chinese_answers(count: int) -> Answers:
    random = Random(2018)

    def text(length: int) -> str:
        piece = "".join(chr(random.randint(0x4E00, 0x4FFF)) for _ in range(length))
        return f"{piece}{random.randint(1900, 2020)}年{piece[::-1]}" if random.random() < 0.3 else piece

    gold: dict[str, list[str]] = {}
    predicted: dict[str, str] = {}
    for number in range(count):
        answer = text(random.randint(2, 30))
        gold[str(number)] = [answer, answer[: random.randint(1, len(answer))], answer + text(3)]
        predicted[str(number)] = answer if random.random() < 0.5 else text(4) + answer[1:] + "。" + text(8)
    return gold, predicted


def _english_answers(count: int) -> Answers:
    random = Random(2019)

    def word() -> str:
        return "".join(random.choices(SYLLABLES, k=random.randint(1, 3)))

    def text(length: int) -> str:
        return " ".join(random.choice(("the", "a", word(), word(), f"{word()},")) for _ in range(length))

    gold: dict[str, list[str]] = {}
    predicted: dict[str, str] = {}
    for number in range(count):
        answer = text(random.randint(1, 6))
        gold[str(number)] = [answer, f"the {answer}", answer if random.random() < 0.6 else text(3)]
        predicted[str(number)] = answer if random.random() < 0.6 else f"{text(2)} {answer}"
    return gold, predicted


def _conditional_answers(count: int) -> tuple[Conditional, Conditional]:
    random = Random(2022)
    conditions = [f"<p>condition {number}</p>" for number in range(6)]
    answers = [
        (" ".join(random.choices(SYLLABLES, k=4)), random.sample(conditions, random.randint(0, 3)))
        for _ in range(count)
    ]
    predicted = [
        (f"{text} {random.choice(SYLLABLES)}", random.sample(conditions, random.randint(0, 3)))
        for text, _ in random.sample(answers, count)
    ]
    return answers, predicted
