"""Our scorers against the plain algorithms of the published ones, on generated answers of realistic lengths."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from caveat.bench import plain
from caveat.bench.measure import Measured, Watch, compare, in_time
from caveat.bench.questions import SYLLABLES
from caveat.benchmarks.cmrc2018 import metric as cmrc
from caveat.benchmarks.conditionalqa import metric as conditionalqa
from caveat.benchmarks.shared import extractive_metric as extractive
from caveat.language import treebank

__all__ = ["bench_metrics"]

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
            lambda: plain.cmrc(*chinese, word_tokenize),
            _cold(lambda: _figures(cmrc.score_official(*chinese))),
        ),
        (
            "MRQA 2019, 10,507 questions",
            lambda: plain.mrqa(*english),
            _cold(lambda: _figures(extractive.score_official(*english))),
        ),
        (
            "ConditionalQA, 9 answers a question",
            lambda: plain.conditionalqa_question(*conditional),
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
        treebank._cut.cache_clear()
        return action()

    return run


def _word_tokenizer() -> tuple[Callable[[str], list[str]], str]:
    try:
        from nltk.tokenize import NLTKWordTokenizer
    except ImportError:
        # Without nltk the plain algorithm gets our tokenizer, and with it our cache: the ratio is then too small.
        return treebank.treebank_words, "our own word tokenizer (nltk is not installed)"
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


def _conditional_answers(count: int) -> tuple[plain.Conditional, plain.Conditional]:
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
